/* The programs that loaded the layer during a session, with their state and the layer's reports. */
#pragma once

#include "engine/capture/vtr-capture-control.h"
#include "engine/capture/vtr-capture-process.h"
#include "engine/capture/vtr-capture-options.h"
#include "engine/capture/vtr-capture-progress.h"

G_BEGIN_DECLS

/* A process that registered. */
typedef struct
{
  guint peer;
  guint pid;
  guint parent_pid;
  char *name;                 /* of its executable */
  char *path;                 /* where its first trace goes */
  VtrCaptureProcess *process; /* NULL: it is not recorded, or not yet */
  gboolean coming;            /* .process is being made */
  gboolean missed;            /* it was to be recorded and is not */
  gboolean loaded;            /* the layer has its ring */
  gboolean has_device;
  gboolean gone;
} VtrCaptureEntry;

/**
 * VtrCaptureRegistry:
 *
 * The events come on the control's threads, questions from the main thread; fields below .lock need it.
 */
typedef struct
{
  VtrCapturePlan plan;
  char **only; /* patterns of names; NULL: all */
  char * * not ;
  char *output; /* NULL: from the name of the first program */
  gint64 start;

  GMutex lock;
  GPtrArray *entries;      /* of VtrCaptureEntry, in order of registration */
  VtrCaptureEntry *chosen; /* whose traces go to .output */
  struct
  {
    VtrCaptureRungState state;
    gint64 time;
    char *fact;
  } rungs[VTR_CAPTURE_N_RUNGS];
  GPtrArray *notices;  /* of char: to be emitted */
  GPtrArray *withheld; /* of char: what the layer hides from the programs, sorted */
  GError *error;       /* the first process that could not be recorded, and why */
  guint n_missed;      /* programs that were to be recorded and are not */
  gboolean closed;     /* no more registrations */
} VtrCaptureRegistry;

extern const VtrCaptureControlEvents vtr_capture_registry_events;

void vtr_capture_registry_init (VtrCaptureRegistry      *self,
                                const VtrCaptureOptions *options);
void vtr_capture_registry_clear (VtrCaptureRegistry *self);

/* The process that the figures are of. (nullable) */
VtrCaptureEntry *vtr_capture_registry_get_main_locked (VtrCaptureRegistry *self);

/* Triggers every process that can be. Returns: how many. @delayed: later ones too, when they
 * register. */
guint vtr_capture_registry_trigger (VtrCaptureRegistry *self);
void vtr_capture_registry_stop (VtrCaptureRegistry *self);
/* Sends @number to every process that registered, lives and is not in @group, so that no process
 * gets a signal twice. Returns: whether there was one. */
gboolean vtr_capture_registry_signal (VtrCaptureRegistry *self,
                                      GPid                group,
                                      int                 number);
gboolean vtr_capture_registry_is_complete (VtrCaptureRegistry *self);

/* For people, once. (transfer full) */
GPtrArray *vtr_capture_registry_take_notices (VtrCaptureRegistry *self);
void vtr_capture_registry_take_notice (VtrCaptureRegistry *self,
                                       char               *text);

/* Of VtrCaptureTrace: completed since the last call, those of the main process first. (transfer
 * full) */
GPtrArray *vtr_capture_registry_take_traces (VtrCaptureRegistry *self);

G_END_DECLS
