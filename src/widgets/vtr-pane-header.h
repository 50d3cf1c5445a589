/* The 34-pixel head of a docked pane: one page is a bold label, more are flat toggles; the pane's menu at the end. */
#pragma once

#include <libpanel.h>

G_BEGIN_DECLS

#define VTR_TYPE_PANE_HEADER (vtr_pane_header_get_type ())
G_DECLARE_FINAL_TYPE (VtrPaneHeader, vtr_pane_header, VTR, PANE_HEADER, GtkWidget)

GtkWidget *vtr_pane_header_new (void);

G_END_DECLS
