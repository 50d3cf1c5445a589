/* Rows of a drop-down that show a string, and less of it where there is no room. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* For lists of GtkStringObject. GTK's own rows are as wide as the longest string, and make the pane
 * that wide. Returns: (transfer full). Threading: main. */
GtkListItemFactory *vtr_text_factory_new (void);

G_END_DECLS
