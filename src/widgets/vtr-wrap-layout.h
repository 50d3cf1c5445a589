/* A layout manager that puts children side by side at their natural width, and on further lines
 * where there is no room. The rest of a line goes to its children that expand; a line without
 * any is aligned as @align says (GTK_ALIGN_START, _CENTER, _END).
 *
 * Threading: main. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define VTR_TYPE_WRAP_LAYOUT (vtr_wrap_layout_get_type ())
G_DECLARE_FINAL_TYPE (VtrWrapLayout, vtr_wrap_layout, VTR, WRAP_LAYOUT, GtkLayoutManager)

/* @spacing: pixels between children and between lines. */
GtkLayoutManager *vtr_wrap_layout_new (int      spacing,
                                       GtkAlign align);

/* Shows @child only if it fits without a further line, after children of lower ranks (from 1). For
 * controls that a menu offers as well. */
void vtr_wrap_layout_set_optional (GtkWidget *child,
                                   int        rank);

/* A box with such a layout; filled with gtk_box_append(). */
GtkWidget *vtr_wrap_box_new (int      spacing,
                             GtkAlign align);

G_END_DECLS
