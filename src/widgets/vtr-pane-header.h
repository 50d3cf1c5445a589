/* The 34-pixel header of a docked frame: a bold title for one pane, flat toggles for several,
 * and the pane's menu at the end. */
#pragma once

#include <libpanel.h>

G_BEGIN_DECLS

#define VTR_TYPE_PANE_HEADER (vtr_pane_header_get_type ())
G_DECLARE_FINAL_TYPE (VtrPaneHeader, vtr_pane_header, VTR, PANE_HEADER, GtkWidget)

GtkWidget *vtr_pane_header_new (void);

G_END_DECLS
