/* One process that loaded the layer: its ring, its traces, and the thread that moves records
 * from the ring into the traces. */
#pragma once

#include "engine/capture/vtr-capture-trace.h"
#include "wire/vtr-capture-proto.h"

G_BEGIN_DECLS

/* When to record, and how much. */
typedef struct
{
  gboolean from_launch;
  gboolean at_frame; /* else the first capture waits for vtr_capture_process_trigger () */
  guint64 frame;
  guint64 n_frames; /* of a capture; 0: no limit, only from launch */
  guint64 every;    /* frames between the beginnings of two captures; 0: once, or by hand only */
  guint64 times;    /* 0: no limit */
} VtrCapturePlan;

typedef struct
{
  guint64 presented; /* since the process began */
  guint64 frames;    /* recorded; these and the following in all its traces */
  guint64 commands;
  guint64 draws;
  guint64 bytes;
  guint64 current_frames; /* in the trace that is being recorded */
  gboolean recording;     /* the layer records now */
} VtrCaptureCounts;

/**
 * VtrCaptureProcess:
 *
 * Threading: any, but for new() and free().
 */
typedef struct _VtrCaptureProcess VtrCaptureProcess;

/* @path: where the first trace goes (vtr_capture_number_path). @arguments: strv of the command
 * line. */
VtrCaptureProcess *vtr_capture_process_new (const char             *path,
                                            const VtrCaptureHello  *hello,
                                            char                  **arguments,
                                            const VtrCapturePlan   *plan,
                                            GError                **error);
/* Waits until all traces are complete; stop or hang up first. */
void vtr_capture_process_free (VtrCaptureProcess *self);

/* For the welcome message: the ring's descriptor (transfer none) and size. */
int vtr_capture_process_get_ring_fd (VtrCaptureProcess *self);
guint64 vtr_capture_process_get_ring_bytes (VtrCaptureProcess *self);

void vtr_capture_process_get_counts (VtrCaptureProcess *self,
                                     VtrCaptureCounts  *out);

/* The traces are to be at @path; those that are complete stay where they are. */
void vtr_capture_process_set_path (VtrCaptureProcess *self,
                                   const char        *path);

/* Requests a capture of one of the next frames, after the current capture. Returns: FALSE if no
 * more captures are to be made. */
gboolean vtr_capture_process_trigger (VtrCaptureProcess *self);

/* Ends the recording; the trace is completed with the committed records. */
void vtr_capture_process_stop (VtrCaptureProcess *self);

/* The control connection broke: the process died, or ended, or replaced itself. */
void vtr_capture_process_hang_up (VtrCaptureProcess *self);

/* Sets the layer's message about a capture that it cannot begin; the message comes before the host
 * sees that. */
void vtr_capture_process_set_notice (VtrCaptureProcess *self,
                                     const char        *text);

/* Whether all that was wanted is recorded, or recording ended by itself. */
gboolean vtr_capture_process_is_recorded (VtrCaptureProcess *self);
gboolean vtr_capture_process_is_complete (VtrCaptureProcess *self);

/* Traces that were completed since the last call. (transfer full) (element-type VtrCaptureTrace) */
GPtrArray *vtr_capture_process_take_traces (VtrCaptureProcess *self);

/* Sentences about them since the last call. (transfer full) (element-type utf8) */
GPtrArray *vtr_capture_process_take_notices (VtrCaptureProcess *self);

/* The first thing that went wrong so far. (transfer full) (nullable) */
GError *vtr_capture_process_get_error (VtrCaptureProcess *self);

G_END_DECLS
