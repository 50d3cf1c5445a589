/* Makes panes fit into a small window: they scroll instead of setting a minimum size for the
 * window. */
#pragma once

#include <libpanel.h>

G_BEGIN_DECLS

/* Least size of a pane, without its header. In pixels, whatever the size of text: the rest scrolls. */
#define VTR_PANE_MIN_WIDTH 200
#define VTR_PANE_MIN_HEIGHT 72

/* Puts what @pane has for a child into a scroller. */
void vtr_pane_room_add (PanelWidget *pane);

/* A list and what it shows, beside each other; one above the other where there is less than @width. @list_width: of the list,
 * at most; it is at most a bit more than half. Both in pixels at the usual size of text. Gives what holds @paned (transfer
 * floating). */
GtkWidget *vtr_pane_room_new_fold (GtkPaned *paned,
                                   int       width,
                                   int       list_width);
/* What is in the list of a fold takes so many @pixels. The fold has them then, if it can, unless a person chose another place. */
void vtr_pane_room_set_list_width (GtkPaned *paned,
                                   int       pixels);

G_END_DECLS
