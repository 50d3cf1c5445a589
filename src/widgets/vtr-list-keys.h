/* Keys that every long list has. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Tab leaves @list, a GtkListView or GtkColumnView: of itself GTK goes through all rows first, be it a million.
 * The arrows go from row to row. */
void vtr_list_keys_init (GtkWidget *list);

G_END_DECLS
