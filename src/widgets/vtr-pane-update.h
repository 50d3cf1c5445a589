/* Delays a pane's update after a change of the selection: several changes cause one update, and
 * a hidden pane is not updated.
 *
 * Threading: main. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* A member of the widget's structure. .update is called with the widget. */
typedef struct
{
  GtkWidget *widget; /* (transfer none) */
  void (*update) (gpointer widget);
  int priority; /* GDK draws at GDK_PRIORITY_REDRAW */
  guint idle;
  gboolean dirty; /* an update was requested while the widget was hidden */
} VtrPaneUpdate;

/* Call it in the widget's init. */
void vtr_pane_update_init (VtrPaneUpdate *self,
                           gpointer widget,
                           void (*update) (gpointer widget),
                           int priority);
void vtr_pane_update_queue (VtrPaneUpdate *self);
/* Runs a pending update now, even if the widget is hidden. */
void vtr_pane_update_flush (VtrPaneUpdate *self);
/* Drops a pending update. Also call it in the widget's dispose. */
void vtr_pane_update_cancel (VtrPaneUpdate *self);

G_END_DECLS
