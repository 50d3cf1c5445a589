/* Sets the width of a tree's name column: as wide as its widest name so far. */
#include "vtr-config.h"

#include "widgets/vtr-name-width.h"

/* Characters. */
#define MAX_WIDTH 34
#define LEVEL_WIDTH 2

void
vtr_name_width_set (GtkInscription *name, GtkTreeListRow *row, guint *widest)
{
  guint depth_width = gtk_tree_list_row_get_depth (row) * LEVEL_WIDTH;
  guint n_chars = (guint)g_utf8_strlen (gtk_inscription_get_text (name), -1) + 1;

  *widest = CLAMP (n_chars + depth_width, *widest, MAX_WIDTH);
  gtk_inscription_set_nat_chars (
    name, *widest > depth_width + VTR_NAME_WIDTH_MIN ? *widest - depth_width : VTR_NAME_WIDTH_MIN);
}
