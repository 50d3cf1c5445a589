/* A column whose last child is dispensable: without room for it at its natural height it is not shown.
 *
 * Threading: main. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define VTR_TYPE_FOLD_LAYOUT (vtr_fold_layout_get_type ())
G_DECLARE_FINAL_TYPE (VtrFoldLayout, vtr_fold_layout, VTR, FOLD_LAYOUT, GtkLayoutManager)

GtkLayoutManager *vtr_fold_layout_new (void);

G_END_DECLS
