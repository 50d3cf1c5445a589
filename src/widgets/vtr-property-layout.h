/* A row of a property: name, value, note and warning, in this order, beside each other. Where there is no room for all of
 * them, the note stands below the value, and where name and value have none, the value stands below the name. Nothing is
 * cut that can wrap.
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
