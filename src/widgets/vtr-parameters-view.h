/* The Parameters pane: the arguments and the return value of the selected command. */
#pragma once

#include <libpanel.h>

#include "session/vtr-session.h"

G_BEGIN_DECLS

#define VTR_TYPE_PARAMETERS_VIEW (vtr_parameters_view_get_type ())
G_DECLARE_FINAL_TYPE (VtrParametersView, vtr_parameters_view, VTR, PARAMETERS_VIEW, PanelWidget)

GtkWidget *vtr_parameters_view_new (void);
void vtr_parameters_view_set_session (VtrParametersView *self,
                                      VtrSession        *session);

G_END_DECLS
