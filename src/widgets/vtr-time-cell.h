/* A table cell for a duration: the number, with a bar behind it for its share of the whole. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define VTR_TYPE_TIME_CELL (vtr_time_cell_get_type ())
G_DECLARE_FINAL_TYPE (VtrTimeCell, vtr_time_cell, VTR, TIME_CELL, GtkWidget)

GtkWidget *vtr_time_cell_new (void);
/* @text NULL: not measured. @share: 0 to 1; below 0: no bar. */
void vtr_time_cell_set (VtrTimeCell *self,
                        const char  *text,
                        double       share);

G_END_DECLS
