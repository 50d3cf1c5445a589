/* VtrCaptureProcess itself: the data of the main thread, and what its own thread works with. */
#pragma once

#include "engine/capture/vtr-capture-drain.h"
#include "engine/capture/vtr-capture-pace.h"
#include "engine/capture/vtr-capture-process.h"
#include "engine/capture/vtr-capture-recording.h"
#include "engine/capture/vtr-capture-ring.h"

G_BEGIN_DECLS

struct _VtrCaptureProcess
{
  guint pid;
  VtrCapturePlan plan;
  VtrCaptureRing *ring;
  GThread *thread;

  /* the thread's alone */
  VtrCaptureDrain *drain;
  guint64 drained_ticket; /* all below had been written when the ring was last drained */
  gint64 waiting_since;   /* that there is more in the ring; 0: not known of any */
  VtrCapturePace pace;    /* of writing .recording beside the program */
  VtrCaptureHeader header;
  VtrCaptureRecording *recording; /* under way, or asked for */
  guint32 request;                /* of .recording: what trigger_done will be */
  guint64 wish;                   /* of .recording: the frame asked for; 0: any */
  guint64 draws_before;           /* of .recording */
  guint n_begun;
  gboolean keep_ring; /* a trace could not be completed: a later start may have the space */

  GMutex lock;
  GCond wake;
  gboolean stopping;
  gboolean hung_up;
  gboolean complete;
  gboolean recorded; /* all of the plan */
  gboolean triggered;
  guint64 triggered_frame; /* 0: as soon as possible */
  char *path;              /* where the first trace goes */
  gboolean path_changed;
  char *notice;
  GPtrArray *traces;     /* of VtrCaptureTrace: to be taken */
  GPtrArray *notices;    /* of char *: to be taken */
  VtrCaptureCounts made; /* of the complete traces */
  VtrCaptureCounts counts;
  GError *error;
  GError *declined; /* why one of any number was not made; the thread's */
};

/* The VtrRingState. Threading: any, as all up to vtr_capture_process_begin(). */
guint32 vtr_capture_process_get_state (VtrCaptureProcess *self);
/* Whether nothing more will be recorded in this process. */
gboolean vtr_capture_process_is_over (VtrCaptureProcess *self);
/* Sets one of the flags that .lock is for, and wakes the thread. */
void vtr_capture_process_set_flag (VtrCaptureProcess *self,
                                   gboolean          *flag);
gboolean vtr_capture_process_get_flag (VtrCaptureProcess *self,
                                       const gboolean    *flag);

/* Asks for a capture. @frame: the first one; 0: as soon as possible. Threading: the thread, and before it
 * is started. */
gboolean vtr_capture_process_begin (VtrCaptureProcess  *self,
                                    guint64             frame,
                                    GError            **error);
/* The thread. @data: the VtrCaptureProcess. Returns: NULL. */
gpointer vtr_capture_process_run (gpointer data);

G_END_DECLS
