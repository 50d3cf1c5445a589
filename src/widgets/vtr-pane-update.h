/* Delays a pane's update after a change of the selection: several changes cause one update, and
 * a hidden pane is not updated.
 *
 * Threading: main. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Part of a widget. .update is called with the widget. */
typedef struct
{
  GtkWidget *widget; /* (transfer none) */
  void (*update) (gpointer widget);
  int priority; /* GDK draws at GDK_PRIORITY_REDRAW */
  guint idle;
  gboolean dirty; /* asked for while the widget was hidden */
} VtrPaneUpdate;

/* In the widget's init. */
void vtr_pane_update_init (VtrPaneUpdate *self,
                           gpointer widget,
                           void (*update) (gpointer widget),
                           int priority);
void vtr_pane_update_queue (VtrPaneUpdate *self);
/* What is due is done now, seen or not. */
void vtr_pane_update_flush (VtrPaneUpdate *self);
/* Nothing is due any more. In the widget's dispose, too. */
void vtr_pane_update_cancel (VtrPaneUpdate *self);

G_END_DECLS
