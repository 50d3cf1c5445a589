/* The states of the API at any command of a trace, and what the model of the API finds wrong on the way. */
#pragma once

#include "engine/state/vtr-history.h"
#include "engine/state/vtr-state-message.h"
#include "engine/state/vtr-timeline.h"

G_BEGIN_DECLS

/* src/engine/state/vtr-api-state.h */
typedef struct _VtrApiState VtrApiState;

/**
 * VtrStateStore:
 *
 * The states of one trace. Mutates commands over a state without a GPU and leaves checkpoints on
 * the way (copies of tables of shared, reference-counted records), so that any state is a few
 * milliseconds of mutation from one. What command lists do to objects happens when they run, once for
 * each run.
 *
 * Threading: any. Atomically reference-counted.
 */
typedef struct _VtrStateStore VtrStateStore;

VtrStateStore *vtr_state_store_new (VtrTimeline *timeline,
                                    VtrHistory  *history);
VtrStateStore *vtr_state_store_ref (VtrStateStore *self);
void vtr_state_store_unref (VtrStateStore *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrStateStore, vtr_state_store_unref)

/* Goes over the whole trace once. Several callers share the work; each may cancel for itself.
   @progress counts thousandths. Blocks. Errors: G_IO_ERROR_CANCELLED. */
gboolean vtr_state_store_prepare (VtrStateStore     *self,
                                  VtrTraceProgress   progress,
                                  gpointer           data,
                                  GCancellable      *cancellable,
                                  GError           **error);
/* Goes on with the pass for about @budget µs. Returns: whether it is over. */
gboolean vtr_state_store_step (VtrStateStore *self,
                               gint64         budget);
/**
 * vtr_state_store_get:
 * @run: which run of its recording a recorded command is looked at in (VtrPlace.run), or
 *   VTR_NO_RUN
 *
 * The state after a command. For a recorded command in a run: what the GPU had done by then in
 * submission order, that is everything submitted before, and of its own submission what comes
 * before it. For any other command: everything called up to it, with submitted work done. Blocks.
 * Errors: VTR_TRACE_ERROR_RANGE, G_IO_ERROR_CANCELLED. (transfer full)
 */
VtrApiState *vtr_state_store_get (VtrStateStore  *self,
                                  guint64         index,
                                  guint32         run,
                                  GCancellable   *cancellable,
                                  GError        **error);
/* The same without any checkpoint: mutated from the first command. For tests. */
VtrApiState *vtr_state_store_get_from_start (VtrStateStore  *self,
                                             guint64         index,
                                             guint32         run,
                                             GCancellable   *cancellable,
                                             GError        **error);
/* What the model has found wrong so far: GArray of VtrStateMessage, all of it once check() is done.
   (transfer full): free with g_array_unref(). */
GArray *vtr_state_store_get_messages (VtrStateStore *self);
/* prepare(), then a second pass that decodes every call: does what it names live, are pointers
 * there?
   Done once. Blocks. Errors: G_IO_ERROR_CANCELLED. */
gboolean vtr_state_store_check (VtrStateStore  *self,
                                GCancellable   *cancellable,
                                GError        **error);
/* Checkpoints held and the bytes they take with their records, roughly. */
guint vtr_state_store_get_n_checkpoints (VtrStateStore *self,
                                         gsize         *bytes);

/* For tests: a checkpoint after so much work. Before anything is asked. */
void vtr_state_store_set_distance (VtrStateStore *self,
                                   guint64        work);

G_END_DECLS
