/* The width of a tree's name column: as wide as the widest name so far, so that the other
 * columns get the rest and do not move while the list scrolls. For columns that do not expand. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Gives @name, which shows the text of @row, its natural width. @widest: (inout) of all names so far with their depth,
 * characters; at first VTR_NAME_WIDTH_MIN. */
void vtr_name_width_set (GtkInscription *name,
                         GtkTreeListRow *row,
                         guint          *widest);

#define VTR_NAME_WIDTH_MIN 10

G_END_DECLS
