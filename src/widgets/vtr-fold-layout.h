/* A layout manager: a column that hides its last child when there is no room for it at its
 * natural height.
 *
 * Threading: main. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define VTR_TYPE_FOLD_LAYOUT (vtr_fold_layout_get_type ())
G_DECLARE_FINAL_TYPE (VtrFoldLayout, vtr_fold_layout, VTR, FOLD_LAYOUT, GtkLayoutManager)

GtkLayoutManager *vtr_fold_layout_new (void);

G_END_DECLS
