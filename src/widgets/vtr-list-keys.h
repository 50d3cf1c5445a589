/* Keyboard handling and row menus that all long lists share. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Makes Tab leave @list, a GtkListView or GtkColumnView, where GTK would go through all rows first.
 * The arrow keys go from row to row. */
void vtr_list_keys_init (GtkWidget *list);

/* Escape in @entry, which filters @list, empties it and gives the focus to the list. */
void vtr_list_keys_add_filter (GtkWidget *list,
                               GtkWidget *entry);

/* Opens the menu of the row at x, y of the widget. Returns: FALSE when there is none. */
typedef gboolean (*VtrListMenu) (gpointer self,
                                 double x,
                                 double y);

/* Makes the secondary button, the Menu key and Shift+F10 open the menu of a row in @widget; the
 * keys open that of the focused row. Calls open (@self, x, y) in coordinates of @widget. @self must
 * outlive @widget. */
void vtr_list_keys_add_menu (GtkWidget   *widget,
                             VtrListMenu  open,
                             gpointer     self);

typedef void (*VtrListForget) (gpointer self);

/* Calls forget (@self) after @menu was closed and the chosen action has run. (GTK closes a menu
 * before it runs the action.) Until then the actions of the menu apply to its row, and later to the
 * row that has the focus. @self: a GObject. */
void vtr_list_keys_on_closed (GtkWidget     *menu,
                              VtrListForget  forget,
                              gpointer       self);

G_END_DECLS
