/* The names of the areas that panes are docked in, as settings and actions use them. */
#pragma once

#include <libpanel.h>

G_BEGIN_DECLS

/* "start", "end", "bottom", "centre" */
const char *vtr_pane_area_name (PanelArea area);
/* Returns: FALSE when @name is none of these. */
gboolean vtr_pane_area_from_name (const char *name,
                                  PanelArea  *area);

G_END_DECLS
