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
  guint64 tag; /* what the pane wants to know again when the answer comes */
} VtrPaneLoad;

/* Cancels what is under way in *@slot and puts a new cancellable there. (transfer full) */
VtrPaneLoad *vtr_pane_load_new (gpointer owner, GCancellable **slot);
void vtr_pane_load_free (VtrPaneLoad *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrPaneLoad, vtr_pane_load_free)

/* Nobody waits for the answer any more. */
gboolean vtr_pane_load_is_over (VtrPaneLoad *self);
void vtr_pane_load_cancel (GCancellable **slot);

G_END_DECLS
