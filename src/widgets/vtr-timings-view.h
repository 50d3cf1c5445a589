/* The Timings pane: measures the frame, and shows how long its commands take and what they
 * count. */
#pragma once

#include <libpanel.h>

#include "session/vtr-session.h"

G_BEGIN_DECLS

/* Buttons: "win.measure", "win.stop-measuring". Threading: main. */
#define VTR_TYPE_TIMINGS_VIEW (vtr_timings_view_get_type ())
G_DECLARE_FINAL_TYPE (VtrTimingsView, vtr_timings_view, VTR, TIMINGS_VIEW, PanelWidget)

GtkWidget *vtr_timings_view_new (void);
void vtr_timings_view_set_session (VtrTimingsView *self,
                                   VtrSession     *session);

G_END_DECLS
