/* The order of Tab in widgets that GTK or a library does not walk through in a useful order. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Moves the focus on: inside the current widget of @stops (GtkWidget), then to the next one in
 * @direction that takes it. Widgets that are not on the screen are skipped. Returns: FALSE at the
 * end of the chain. */
gboolean vtr_focus_chain_move (GPtrArray        *stops,
                               GtkDirectionType  direction);

/* Makes Tab go through the children of the widget in order. Call it in class_init wherever
 * grab_focus () is overridden: GtkWidget also calls grab_focus () when Tab enters the widget, which
 * would skip all controls before its target. */
void vtr_focus_chain_init_class (GtkWidgetClass *klass);

G_END_DECLS
