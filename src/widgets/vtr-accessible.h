/* Accessible names for buttons and list rows where GTK gives none, or gives the same name twice.
 *
 * Threading: main. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Like gtk_button_new_with_mnemonic() and gtk_toggle_button_new_with_mnemonic(). GTK 4.8 names such a button both by its
 * text with the underscore and by its label: "_Next Draw Next Draw". These have one name. */
GtkWidget *vtr_button_new_with_mnemonic (const char *label);
GtkWidget *vtr_toggle_button_new_with_mnemonic (const char *label);

/* Gives each button with an underlined label in @widget the same one name. For templates and for dialogs of libadwaita,
 * after their buttons are there. */
void vtr_accessible_name_buttons (GtkWidget *widget);

/* Names the row of a list or column view that shows @child, the widget of a GtkListItem that is bound. The row is what has
 * the keyboard focus, and GTK gives it no name. */
void vtr_accessible_name_row (GtkWidget  *child,
                              const char *name);

G_END_DECLS
