/* The width of a tree's name column: as wide as the widest name so far, so that the other
 * columns get the rest and do not move while the list scrolls. For columns that do not expand. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Sets the width of @name, which shows the text of @row. @widest: (inout): the widest name so far
 * with its indentation, in characters; initially VTR_NAME_WIDTH_MIN. */
void vtr_name_width_set (GtkInscription *name,
                         GtkTreeListRow *row,
                         guint          *widest);

#define VTR_NAME_WIDTH_MIN 10

G_END_DECLS
