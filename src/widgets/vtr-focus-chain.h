/* The order of Tab in widgets that GTK or a library does not walk through in a useful order. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Moves the focus on from where it is: inside one of @stops (GtkWidget), then to the next of them that takes it. Stops that
 * are not on the screen are left out. Returns: FALSE at the end of the chain. */
gboolean vtr_focus_chain_move (GPtrArray        *stops,
                               GtkDirectionType  direction);

/* The focus goes through the children of such a widget in their order. To be called in class_init wherever grab_focus () is
 * overridden: GtkWidget calls it when the focus enters with Tab, too, so that all controls before its target are skipped. */
void vtr_focus_chain_init_class (GtkWidgetClass *klass);

G_END_DECLS
