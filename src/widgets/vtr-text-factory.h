/* Rows of a drop-down that show a string, ellipsized where there is no room. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* For lists of GtkStringObject. GTK's own rows are as wide as the longest string, which makes the
 * pane too wide. Returns: (transfer full). Threading: main. */
GtkListItemFactory *vtr_text_factory_new (void);

G_END_DECLS
