/* Accessible names for buttons and list rows where GTK gives none, or gives the same name twice.
 *
 * Threading: main. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Like gtk_button_new_with_mnemonic() and gtk_toggle_button_new_with_mnemonic(), but with one
 * accessible name. GTK 4.8 names such a button by its text with the underscore and again by its
 * label: "_Next Draw Next Draw". */
GtkWidget *vtr_button_new_with_mnemonic (const char *label);
GtkWidget *vtr_toggle_button_new_with_mnemonic (const char *label);

/* Gives each button with a mnemonic label in @widget one accessible name. For templates and dialogs
 * of libadwaita; call it when their buttons exist. */
void vtr_accessible_name_buttons (GtkWidget *widget);

/* Gives an accessible name to the row of a list or column view that shows @child, the widget of a
 * bound GtkListItem. GTK gives the row, which has the keyboard focus, no name. */
void vtr_accessible_name_row (GtkWidget  *child,
                              const char *name);

G_END_DECLS
