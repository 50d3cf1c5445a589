#include "vtr-config.h"

#include "widgets/vtr-pane-room.h"

void
vtr_pane_room_add (PanelWidget *pane)
{
  GtkWidget *child = panel_widget_get_child (pane);
  GtkWidget *scroller = gtk_scrolled_window_new ();

  g_return_if_fail (child != NULL);

  g_object_ref (child);
  panel_widget_set_child (pane, NULL);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), child);
  g_object_unref (child);
  gtk_scrolled_window_set_min_content_width (GTK_SCROLLED_WINDOW (scroller), VTR_PANE_MIN_WIDTH);
  gtk_scrolled_window_set_min_content_height (GTK_SCROLLED_WINDOW (scroller),
                                              VTR_PANE_MIN_HEIGHT);
  gtk_scrolled_window_set_propagate_natural_width (GTK_SCROLLED_WINDOW (scroller), TRUE);
  gtk_scrolled_window_set_propagate_natural_height (GTK_SCROLLED_WINDOW (scroller), TRUE);
  panel_widget_set_child (pane, scroller);
}

GtkWidget *
vtr_pane_room_new_row (GtkWidget *tools)
{
  GtkWidget *scroller = gtk_scrolled_window_new ();

  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroller), GTK_POLICY_EXTERNAL,
                                  GTK_POLICY_NEVER);
  gtk_scrolled_window_set_propagate_natural_width (GTK_SCROLLED_WINDOW (scroller), TRUE);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), tools);
  return scroller;
}
