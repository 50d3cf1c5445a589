/* The column of the capture page that follows a running capture: progress, graphs, buttons and
 * errors. */
#pragma once

#include <gtk/gtk.h>

#include "engine/capture/vtr-capture-session.h"

G_BEGIN_DECLS

/* Property: "running". Signal: "captured" (gchar *path): the trace is complete, or one
 * of several was chosen. */
#define VTR_TYPE_CAPTURE_LIVE (vtr_capture_live_get_type ())
G_DECLARE_FINAL_TYPE (VtrCaptureLive, vtr_capture_live, VTR, CAPTURE_LIVE, GtkWidget)

GtkWidget *vtr_capture_live_new (void);
/* @n_frames 0: open end. */
void vtr_capture_live_set_session (VtrCaptureLive    *self,
                                   VtrCaptureSession *session,
                                   guint              n_frames);
/* Could not even start. */
void vtr_capture_live_show_error (VtrCaptureLive *self,
                                  const GError   *error);
/* Captures a frame now. FALSE with a sentence when that is not possible. */
gboolean vtr_capture_live_trigger (VtrCaptureLive  *self,
                                   GError         **error);
/* Whether the session captures in the middle of the run. */
gboolean vtr_capture_live_can_trigger (VtrCaptureLive *self);
/* What was said beside the traces: texts. (transfer none) */
GPtrArray *vtr_capture_live_get_notices (VtrCaptureLive *self);
/* As of vtr_capture_session_get_ending(), of the last that ended. */
const char *vtr_capture_live_get_ending (VtrCaptureLive *self);
gboolean vtr_capture_live_get_running (VtrCaptureLive *self);
/* Whether a program is waited for, not started: the button says so. While @ready is not set, the
 * title asks for a program. */
void vtr_capture_live_set_ready (VtrCaptureLive *self,
                                 gboolean        ready,
                                 gboolean        waits);
void vtr_capture_live_stop (VtrCaptureLive *self,
                            gboolean        end_program);

G_END_DECLS
