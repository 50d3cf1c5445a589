/* Rules that everything on the screen must keep: rows have text, and nothing is cut, covered or
 * too pale. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

typedef struct
{
  GPtrArray *findings; /* of char*: sentences, each beginning with its rule and a colon */
  guint n_texts;       /* that were looked at */
  guint n_rows;
  double contrast;        /* least of texts */
  double header_contrast; /* and of the titles of columns */
} VtrWalkCheck;

/* Checks the visible part of @root, a window or popover that is drawn. @texture: its
 * picture, for the contrast; NULL for a window of GTK's, whose pale and cut texts are its own. */
void vtr_walk_check (VtrWalkCheck *self, GtkWidget *root, GdkTexture *texture);
/* Whether @widget is in an animation. */
gboolean vtr_walk_is_in_motion (GtkWidget *widget);
/* The picture of @root as it is on the screen, in pixels of the screen. (transfer full) (nullable) */
GdkTexture *vtr_walk_take_picture (GtkWidget *root);

G_END_DECLS
