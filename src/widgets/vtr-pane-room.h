/* Makes panes fit into a small window: they scroll instead of setting a minimum size for the
 * window. */
#pragma once

#include <libpanel.h>

G_BEGIN_DECLS

/* The minimum size of a pane without its header, in pixels, whatever the size of text: the rest
 * scrolls. */
#define VTR_PANE_MIN_WIDTH 200
#define VTR_PANE_MIN_HEIGHT 72

/* Puts the child of @pane into a scrolled window. */
void vtr_pane_room_add (PanelWidget *pane);

/* Puts a list and its details side by side, or one above the other where there is less room than
 * @width. @list_width: the maximum width of the list, which gets at most a bit more than half. Both
 * in pixels at 100 % text size. Returns: (transfer floating): the widget that contains @paned. */
GtkWidget *vtr_pane_room_new_fold (GtkPaned *paned,
                                   int       width,
                                   int       list_width);
/* The content of the list needs @pixels. The list gets them if there is room, unless the user moved
 * the divider. */
void vtr_pane_room_set_list_width (GtkPaned *paned,
                                   int       pixels);

G_END_DECLS
