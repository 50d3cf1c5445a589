/* A pane's request that is answered later. The next request of the same kind cancels it.
 *
 * Threading: main. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

typedef struct
{
  gpointer owner; /* the pane; owned */
  GCancellable *cancellable;
  guint64 tag; /* data of the pane for the moment when the answer arrives */
} VtrPaneLoad;

/* Cancels the request of *@slot, and puts the cancellable of a new one there. (transfer full) */
VtrPaneLoad *vtr_pane_load_new (gpointer owner, GCancellable **slot);
void vtr_pane_load_free (VtrPaneLoad *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrPaneLoad, vtr_pane_load_free)

/* Whether the request was cancelled, so that its answer is not needed. */
gboolean vtr_pane_load_is_over (VtrPaneLoad *self);
void vtr_pane_load_cancel (GCancellable **slot);

G_END_DECLS
