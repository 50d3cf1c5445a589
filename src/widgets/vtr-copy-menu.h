/* The context menu of text that cannot be changed: Copy and Select All. GTK's own menu also lists Cut, Paste, Delete
 * and, in a source view, Change Case.
 *
 * Threading: main. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* @text: a GtkTextView or a selectable GtkLabel. A text view shows GTK's menu while it is editable. */
void vtr_copy_menu_add (GtkWidget *text);

/* Opens the menu at a place of @text, as a right click and the menu key do. (transfer none): the
 * menu unparents itself when it is closed. */
GtkWidget *vtr_copy_menu_open (GtkWidget *text,
                               double     x,
                               double     y);

G_END_DECLS
