/* The place of the selection, each step a link: "Frame 412 › Submit 18 221 › G-buffer ›
 * vkCmdDrawIndexed 1 135". */
#pragma once

#include <gtk/gtk.h>

#include "session/vtr-session.h"

G_BEGIN_DECLS

#define VTR_TYPE_BREADCRUMB (vtr_breadcrumb_get_type ())
G_DECLARE_FINAL_TYPE (VtrBreadcrumb, vtr_breadcrumb, VTR, BREADCRUMB, GtkWidget)

GtkWidget *vtr_breadcrumb_new (void);
void vtr_breadcrumb_set_session (VtrBreadcrumb *self,
                                 VtrSession    *session);

G_END_DECLS
