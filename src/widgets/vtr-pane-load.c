/* Keeps track of a pane's request that is answered later, and cancels it when the pane makes the
 * next one. */
#include "vtr-config.h"

#include "widgets/vtr-pane-load.h"

VtrPaneLoad *
vtr_pane_load_new (gpointer owner, GCancellable **slot)
{
  VtrPaneLoad *self = g_new0 (VtrPaneLoad, 1);

  vtr_pane_load_cancel (slot);
  *slot = g_cancellable_new ();
  self->owner = g_object_ref (owner);
  self->cancellable = g_object_ref (*slot);
  return self;
}

void
vtr_pane_load_free (VtrPaneLoad *self)
{
  g_object_unref (self->owner);
  g_object_unref (self->cancellable);
  g_free (self);
}

gboolean
vtr_pane_load_is_over (VtrPaneLoad *self)
{
  return g_cancellable_is_cancelled (self->cancellable);
}

void
vtr_pane_load_cancel (GCancellable **slot)
{
  g_cancellable_cancel (*slot);
  g_clear_object (slot);
}
