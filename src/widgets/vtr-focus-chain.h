/* The order of Tab where widgets of others have none of their own. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Moves the focus on from where it is: inside one of @stops (GtkWidget), then to the next of them that takes it.
 * @direction: GTK_DIR_TAB_FORWARD or _BACKWARD. Returns: FALSE at the end of the chain. */
gboolean vtr_focus_chain_move (GPtrArray        *stops,
                               GtkDirectionType  direction);

G_END_DECLS
