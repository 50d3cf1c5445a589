/* One process that loaded the layer: its ring, its trace, and the thread that moves one into the
 * other. */
#pragma once

#include <gio/gio.h>

#include "wire/vtr-capture-proto.h"

G_BEGIN_DECLS

typedef struct
{
  guint64 frames;   /* presents */
  guint64 commands; /* in the trace */
  guint64 draws;
  guint64 bytes; /* of the trace */
} VtrCaptureCounts;

/**
 * VtrCaptureProcess:
 *
 * Threading: any, but for new() and free().
 */
typedef struct _VtrCaptureProcess VtrCaptureProcess;

/* Starts recording. @path: where the trace goes. @arguments: strv of the command line. */
VtrCaptureProcess *vtr_capture_process_new (const char             *path,
                                            const VtrCaptureHello  *hello,
                                            char                  **arguments,
                                            guint64                 n_frames,
                                            GError                **error);
/* Waits until the trace is complete; stop or hang up first. */
void vtr_capture_process_free (VtrCaptureProcess *self);

/* For the welcome message: the ring's descriptor (transfer none) and size. */
int vtr_capture_process_get_ring_fd (VtrCaptureProcess *self);
guint64 vtr_capture_process_get_ring_bytes (VtrCaptureProcess *self);

guint vtr_capture_process_get_pid (VtrCaptureProcess *self);
void vtr_capture_process_get_counts (VtrCaptureProcess *self,
                                     VtrCaptureCounts  *out);

/* The trace is to be at @path. */
void vtr_capture_process_set_path (VtrCaptureProcess *self,
                                   const char        *path);

/* Ends the recording; the trace is completed with what was committed. */
void vtr_capture_process_stop (VtrCaptureProcess *self);

/* The control connection broke: the process died, or ended, or replaced itself. */
void vtr_capture_process_hang_up (VtrCaptureProcess *self);

/* Whether the wanted number of frames is recorded, or recording ended by itself. */
gboolean vtr_capture_process_is_recorded (VtrCaptureProcess *self);
gboolean vtr_capture_process_is_complete (VtrCaptureProcess *self);
/* Whether recording ended before it was to: no space, no room in the ring, … */
gboolean vtr_capture_process_has_failed (VtrCaptureProcess *self);

/* After completion: the trace's path (transfer full), NULL when nothing was recorded. @error:
 * what went wrong, if the trace is not whole. */
char *vtr_capture_process_get_result (VtrCaptureProcess  *self,
                                      GError            **error);

G_END_DECLS
