/* A layout manager for a property row: name, value, note and warning, side by side in this
 * order. Where they do not all fit, the note goes below the value; where name and value do not
 * fit, the value goes below the name. Text that can wrap is never cut.
 *
 * Threading: main. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define VTR_TYPE_PROPERTY_LAYOUT (vtr_property_layout_get_type ())
G_DECLARE_FINAL_TYPE (VtrPropertyLayout, vtr_property_layout, VTR, PROPERTY_LAYOUT, GtkLayoutManager)

/* @spacing: pixels between children of a line. */
GtkLayoutManager *vtr_property_layout_new (int spacing);

G_END_DECLS
