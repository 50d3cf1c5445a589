/* Checks the way of the Tab key through a window: it reaches every control, in the order in
 * which they are seen, and is never trapped. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Called at each stop, with the widget that has the focus. */
typedef void (*VtrTestTabStop) (GtkWidget *focus, gpointer data);

/* Once around @window from where the focus is, forward and backward. Adds to @findings (of char*:
 * sentences). @stop: called at the stops of the way forward; may be NULL. Returns: the number of
 * controls that were looked for. */
guint vtr_test_tab_check (GtkWindow      *window,
                          GPtrArray      *findings,
                          VtrTestTabStop  stop,
                          gpointer        data);
/* "A GtkButton (“Save”) in a GtkBox in a …", for messages. */
char *vtr_test_tab_describe (GtkWidget *widget);

G_END_DECLS
