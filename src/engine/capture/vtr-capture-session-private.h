/* VtrCaptureSession itself, and how the result of a capture is found.
 *
 * Threading: main. */
#pragma once

#include "engine/capture/vtr-capture-control.h"
#include "engine/capture/vtr-capture-explain.h"
#include "engine/capture/vtr-capture-finisher.h"
#include "engine/capture/vtr-capture-registry.h"
#include "engine/capture/vtr-capture-session.h"

G_BEGIN_DECLS

struct _VtrCaptureSession
{
  GObject parent_instance;

  char *program;
  VtrCaptureHindrance hindrance; /* of the program's file */
  gboolean keep_running;
  VtrCaptureTrigger trigger;
  gboolean waiting; /* for a program that somebody else starts */
  guint child_watch;
  GPid group; /* 0 when waiting */
  VtrCaptureControl *control;
  VtrCaptureRegistry registry;
  gboolean has_registry; /* it is initialised */
  gint64 delay;          /* µs after the launch when the first capture begins; -1: none, or over */
  guint tick;
  GPtrArray *waiters;           /* of GTask */
  GPtrArray *traces;            /* of VtrCaptureTrace */
  VtrCaptureFinisher *finisher; /* NULL: traces are not trimmed */

  VtrCaptureState state;
  gboolean exited; /* the launched program */
  int wait_status;
  gboolean end_program;
  gint64 terminated; /* when SIGTERM was sent */
  gboolean killed;
  gboolean failure_told;
  gint64 exit_time; /* of the launched program and its group; 0: they live */
  gint64 looked;    /* when it was last looked for what left the group */
  gint64 left;      /* the time since when no process that the program left is being recorded; 0: one is */
  gint64 satisfied; /* since when the main process has nothing left to record */
  gint64 last_changed;
  gint64 rate_time;
  guint64 rate_frames;
  double rate;
  GError *error;
  char *ending; /* of a program that was ended by a signal; NULL: none, or Vitrine sent it */
};

/* After the last recording: sets .error, or adds the messages that go with the traces. */
void vtr_capture_session_decide_result (VtrCaptureSession *self);

G_END_DECLS
