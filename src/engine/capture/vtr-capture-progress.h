/* The progress of a capture, and the processes that it records. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  VTR_CAPTURE_STATE_LAUNCHING, /* the process runs, the layer has not said hello */
  VTR_CAPTURE_STATE_WAITING,   /* the layer is in; no call recorded yet */
  VTR_CAPTURE_STATE_IDLE,      /* the program runs, nothing is recorded until the trigger */
  VTR_CAPTURE_STATE_RECORDING,
  VTR_CAPTURE_STATE_FINISHING, /* recording ended; the file is being completed */
  VTR_CAPTURE_STATE_DONE,
  VTR_CAPTURE_STATE_FAILED,
} VtrCaptureState;

typedef enum
{
  VTR_CAPTURE_RUNG_PENDING,
  VTR_CAPTURE_RUNG_DONE,
  VTR_CAPTURE_RUNG_TRIED, /* attempted, failed */
} VtrCaptureRungState;

typedef struct
{
  VtrCaptureRungState state;
  gint64 time;      /* µs since launch */
  const char *fact; /* "Vulkan 1.3, 4 extensions"; never NULL */
} VtrCaptureRungInfo;

typedef struct
{
  VtrCaptureState state;
  GPid pid;          /* of the captured process; the launched one until a layer registers */
  guint64 presented; /* frames that the program has presented since its launch */
  guint64 frames;    /* recorded, in all traces of the process; so are .commands, .draws and .bytes */
  guint64 commands;
  guint64 draws;
  guint64 bytes;
  guint64 current_frames;   /* in the trace that is being recorded */
  guint n_captures;         /* complete ones, of all processes */
  double frames_per_second; /* over the last second; 0 unknown */
  gint64 elapsed;           /* µs since launch */
  guint n_processes;        /* processes that loaded the layer */
  guint n_missed;           /* those that were to be recorded and are not */
} VtrCaptureStats;

typedef enum
{
  VTR_CAPTURE_PROCESS_IDLE, /* runs; nothing is recorded yet */
  VTR_CAPTURE_PROCESS_RECORDING,
  VTR_CAPTURE_PROCESS_RECORDED,    /* all that was asked for */
  VTR_CAPTURE_PROCESS_PASSED_OVER, /* is not to be recorded */
  VTR_CAPTURE_PROCESS_ENDED,
  VTR_CAPTURE_PROCESS_MISSED, /* was to be recorded and is not */
} VtrCaptureProcessState;

/* A process that loaded the layer. */
typedef struct
{
  guint pid;
  guint parent_pid;
  char *name; /* of its executable */
  VtrCaptureProcessState state;
  gboolean has_device;
  guint64 presented; /* frames */
} VtrCaptureProcessInfo;

G_END_DECLS
