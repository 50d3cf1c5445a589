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
/* Follows @session. @n_frames: frames to record; 0: until it is stopped. */
void vtr_capture_live_set_session (VtrCaptureLive    *self,
                                   VtrCaptureSession *session,
                                   guint              n_frames);
/* Shows why the program could not be started. */
void vtr_capture_live_show_error (VtrCaptureLive *self,
                                  const GError   *error);
/* Captures a frame now. Returns: FALSE with @error if that is not possible. */
gboolean vtr_capture_live_trigger (VtrCaptureLive  *self,
                                   GError         **error);
/* Whether the session captures frames in the middle of the run, not from launch. */
gboolean vtr_capture_live_can_trigger (VtrCaptureLive *self);
/* The notices of the last capture, as texts. (transfer none) */
GPtrArray *vtr_capture_live_get_notices (VtrCaptureLive *self);
/* vtr_capture_session_get_ending () of the last session that ended. */
const char *vtr_capture_live_get_ending (VtrCaptureLive *self);
gboolean vtr_capture_live_get_running (VtrCaptureLive *self);
/* @waits: the capture waits for a program instead of starting one, and the button says so. @ready:
 * a program is chosen; if not, the title asks for one. */
void vtr_capture_live_set_ready (VtrCaptureLive *self,
                                 gboolean        ready,
                                 gboolean        waits);
void vtr_capture_live_stop (VtrCaptureLive *self,
                            gboolean        end_program);

G_END_DECLS
