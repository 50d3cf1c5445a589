/* One trace while it is being recorded. */
#pragma once

#include "engine/capture/vtr-capture-header.h"
#include "engine/capture/vtr-capture-ring.h"
#include "engine/capture/vtr-capture-trace.h"

G_BEGIN_DECLS

/**
 * VtrCaptureRecording:
 *
 * Threading: one at a time.
 */
typedef struct
{
  VtrTraceWriter *writer;
  VtrRecordingId id;
  char *origin;          /* the path that the name of the unfinished file was made from */
  char *notice;          /* is notified when it begins; NULL: none */
  VtrCaptureTrace trace; /* its future description; .path only when it is complete */
  gboolean begun;        /* something was recorded; .first_frame is known */
} VtrCaptureRecording;

/* @header: begins the trace; it is written once more at the end. The recording has an entry in the
 * journal, and is that of @ring, until it is finished. */
VtrCaptureRecording *vtr_capture_recording_new (const char        *path,
                                                guint              nth,
                                                VtrCaptureHeader  *header,
                                                VtrCaptureRing    *ring,
                                                GError           **error);

/* Changes where the trace will be. */
gboolean vtr_capture_recording_set_path (VtrCaptureRecording  *self,
                                         VtrCaptureRing       *ring,
                                         const char           *path,
                                         GError              **error);

/* Completes and frees it. @notice: (out) (transfer full): something to tell beside the trace, or
 * NULL. Returns: (transfer full): NULL when nothing was recorded or nothing could be saved. @error
 * may be set although there is a trace: it lacks something then. */
VtrCaptureTrace *vtr_capture_recording_finish (VtrCaptureRecording  *self,
                                               VtrCaptureHeader     *header,
                                               char                **notice,
                                               GError              **error);

/* Frees it; its unfinished file goes with it. */
void vtr_capture_recording_discard (VtrCaptureRecording *self);

G_END_DECLS
