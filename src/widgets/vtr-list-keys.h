/* Keyboard handling and row menus that all long lists share. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Tab leaves @list, a GtkListView or GtkColumnView: of itself GTK goes through all rows first, be it a million.
 * The arrows go from row to row. */
void vtr_list_keys_init (GtkWidget *list);

/* Escape in @entry, which filters @list, empties it and gives the focus to the list. */
void vtr_list_keys_add_filter (GtkWidget *list,
                               GtkWidget *entry);

/* Opens the menu of the row at x, y of the widget. Returns: FALSE when there is none. */
typedef gboolean (*VtrListMenu) (gpointer self,
                                 double x,
                                 double y);

/* The secondary button, the Menu key and Shift+F10 open the menu of a row in @widget: the keys that of the row that has the
 * focus. Calls open (@self, x, y) in coordinates of @widget, which @self must outlive. */
void vtr_list_keys_add_menu (GtkWidget   *widget,
                             VtrListMenu  open,
                             gpointer     self);

typedef void (*VtrListForget) (gpointer self);

/* Calls forget (@self) after @menu was closed and what was chosen in it has run: GTK closes a menu first. Until then the
 * actions of the menu mean its row, and later the row that has the focus. @self: a GObject. */
void vtr_list_keys_on_closed (GtkWidget     *menu,
                              VtrListForget  forget,
                              gpointer       self);

G_END_DECLS
