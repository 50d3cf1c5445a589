/* Delays a pane's update until the window is idle, and skips it while the pane is hidden. */
#include "vtr-config.h"

#include "widgets/vtr-pane-update.h"

static gboolean
idle_cb (gpointer data)
{
  VtrPaneUpdate *self = data;

  self->idle = 0;
  self->update (self->widget);
  return G_SOURCE_REMOVE;
}

void
vtr_pane_update_queue (VtrPaneUpdate *self)
{
  self->dirty = !gtk_widget_get_mapped (self->widget);
  if (!self->dirty && self->idle == 0)
    self->idle = g_idle_add_full (self->priority, idle_cb, self, NULL);
}

static void
map_cb (GtkWidget *widget, VtrPaneUpdate *self)
{
  if (self->dirty)
    vtr_pane_update_queue (self);
}

void
vtr_pane_update_init (VtrPaneUpdate *self,
                      gpointer widget,
                      void (*update) (gpointer widget),
                      int priority)
{
  self->widget = widget;
  self->update = update;
  self->priority = priority;
  g_signal_connect_after (widget, "map", G_CALLBACK (map_cb), self);
}

void
vtr_pane_update_flush (VtrPaneUpdate *self)
{
  gboolean due = self->idle != 0 || self->dirty;

  vtr_pane_update_cancel (self);
  if (due)
    self->update (self->widget);
}

void
vtr_pane_update_cancel (VtrPaneUpdate *self)
{
  g_clear_handle_id (&self->idle, g_source_remove);
  self->dirty = FALSE;
}
