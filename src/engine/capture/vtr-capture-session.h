/* A capture on this computer: launches a program with the layer, drains its ring into a trace. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

#define VTR_CAPTURE_ERROR (vtr_capture_error_quark ())
GQuark vtr_capture_error_quark (void);

typedef enum
{
  VTR_CAPTURE_ERROR_PROGRAM,   /* not found, not executable, could not be started */
  VTR_CAPTURE_ERROR_NO_VULKAN, /* ended without ever loading the layer */
  VTR_CAPTURE_ERROR_NO_DRIVER, /* no Vulkan driver is installed, or the instance/device could not be made */
  VTR_CAPTURE_ERROR_NOTHING,   /* ended before any call was recorded */
  VTR_CAPTURE_ERROR_LAYER,     /* the layer is missing or of another version */
  VTR_CAPTURE_ERROR_SPACE,     /* no space for the ring or the trace; what was written is kept */
  VTR_CAPTURE_ERROR_FAILED,
} VtrCaptureError;

/* What to capture. Copied. */
typedef struct
{
  const char *const *argv;        /* NULL-terminated; argv[0] is looked up in PATH */
  const char *directory;          /* working directory; NULL: ours */
  const char *const *environment; /* extra "NAME=value"; NULL: none */
  const char *output;             /* .gfxtrace to write; NULL: a fresh name in the default folder */
  guint64 n_frames;               /* stop after this many; 0: until stop or exit */
  gboolean keep_running;          /* leave the program alone when the recording ends */
  gboolean crash_mode;
  gboolean stdout_to_stderr; /* what the program prints goes to our standard error */
} VtrCaptureOptions;

typedef enum
{
  VTR_CAPTURE_STATE_LAUNCHING, /* the process runs, the layer has not said hello */
  VTR_CAPTURE_STATE_WAITING,   /* the layer is in; no call recorded yet */
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
  GPid pid; /* of the captured process; the launched one until a layer registers */
  guint64 frames;
  guint64 commands;
  guint64 draws;
  guint64 bytes;            /* written to the trace so far */
  double frames_per_second; /* over the last second; 0 unknown */
  gint64 elapsed;           /* µs since launch */
  guint n_processes;        /* processes that loaded the layer */
} VtrCaptureStats;

/**
 * VtrCaptureSession:
 *
 * Signals: "changed" (state, rungs, statistics: at most every 50 ms), "notice" (gchar *text).
 * Property: "state". Threading: main (all work happens on its own threads; signals come in the
 * creator's main context).
 */
#define VTR_TYPE_CAPTURE_SESSION (vtr_capture_session_get_type ())
G_DECLARE_FINAL_TYPE (VtrCaptureSession, vtr_capture_session, VTR, CAPTURE_SESSION, GObject)

/* Starts the program. Returns: (transfer full): or NULL with a sentence in @error. */
VtrCaptureSession *vtr_capture_session_start (const VtrCaptureOptions  *options,
                                              GError                  **error);

/* Waits until the trace is complete. Result: path of the trace (transfer full). */
void vtr_capture_session_wait_async (VtrCaptureSession   *self,
                                     GCancellable        *cancellable,
                                     GAsyncReadyCallback  callback,
                                     gpointer             data);
char *vtr_capture_session_wait_finish (VtrCaptureSession  *self,
                                       GAsyncResult       *result,
                                       GError            **error);

/* Ends the recording (Capture/Stop button, SIGINT). @end_program: then SIGTERM, after 2 s
 * SIGKILL. */
void vtr_capture_session_stop (VtrCaptureSession *self,
                               gboolean           end_program);

void vtr_capture_session_get_stats (VtrCaptureSession *self,
                                    VtrCaptureStats   *out);
/* @rung: VtrCaptureRungKind of wire/vtr-capture-proto.h */
void vtr_capture_session_get_rung (VtrCaptureSession  *self,
                                   guint               rung,
                                   VtrCaptureRungInfo *out);
/* One sentence naming the first missing rung and its likely cause; NULL when nothing is missing. */
char *vtr_capture_session_explain (VtrCaptureSession *self);
const char *vtr_capture_session_get_path (VtrCaptureSession *self);
const char *vtr_capture_session_get_program (VtrCaptureSession *self);

/* Completes what an earlier run left behind: rings of dead processes and ".part" files.
 * Blocks. Returns: (transfer full): paths of recovered traces, NULL-terminated; possibly empty. */
char **vtr_capture_recover (GError **error);

G_END_DECLS
