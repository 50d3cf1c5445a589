/* The states of the API at any command of a trace, and the errors that the model of the API
 * finds. */
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
 * The states of one trace. Applies commands to a state without a GPU and keeps checkpoints (copies
 * of tables of shared, reference-counted records), so that any state is a few milliseconds of work
 * away from one. Effects of command lists on objects happen when the lists run, once for each run.
 *
 * Threading: any. Atomically reference-counted.
 */
typedef struct _VtrStateStore VtrStateStore;

VtrStateStore *vtr_state_store_new (VtrTimeline *timeline,
                                    VtrHistory  *history);
VtrStateStore *vtr_state_store_ref (VtrStateStore *self);
void vtr_state_store_unref (VtrStateStore *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrStateStore, vtr_state_store_unref)

/* Makes the pass over the whole trace once. Several callers share the work; each may cancel its own
 * call.
   @progress counts thousandths. Blocks. Errors: G_IO_ERROR_CANCELLED. */
gboolean vtr_state_store_prepare (VtrStateStore     *self,
                                  VtrTraceProgress   progress,
                                  gpointer           data,
                                  GCancellable      *cancellable,
                                  GError           **error);
/* Continues the pass for about @budget µs. Returns: whether it is done. */
gboolean vtr_state_store_step (VtrStateStore *self,
                               gint64         budget);
/**
 * vtr_state_store_get:
 * @run: the run of the command's recording that is meant (VtrPlace.run), or VTR_NO_RUN
 *
 * The state after a command. For a recorded command in a run, this is the GPU's work in submission
 * order: all earlier submissions, and the commands before it in its own submission. For any other
 * command: all calls up to it, with submitted work done. Blocks.
 * Errors: VTR_TRACE_ERROR_RANGE, G_IO_ERROR_CANCELLED. (transfer full)
 */
VtrApiState *vtr_state_store_get (VtrStateStore  *self,
                                  guint64         index,
                                  guint32         run,
                                  GCancellable   *cancellable,
                                  GError        **error);
/* Like vtr_state_store_get (), without any checkpoint, from the first command on. For tests. */
VtrApiState *vtr_state_store_get_from_start (VtrStateStore  *self,
                                             guint64         index,
                                             guint32         run,
                                             GCancellable   *cancellable,
                                             GError        **error);
/* The errors that the model has found so far: GArray of VtrStateMessage, complete once check() is
 * done.
   (transfer full): free with g_array_unref(). */
GArray *vtr_state_store_get_messages (VtrStateStore *self);
/* prepare(), then a second pass that decodes every call and checks that its objects are alive and
 * its pointers are there. Done once. Blocks. Errors: G_IO_ERROR_CANCELLED. */
gboolean vtr_state_store_check (VtrStateStore  *self,
                                GCancellable   *cancellable,
                                GError        **error);
/* The number of checkpoints, and roughly their size in bytes with their records. */
guint vtr_state_store_get_n_checkpoints (VtrStateStore *self,
                                         gsize         *bytes);

/* For tests: sets the work between checkpoints. Call it before any request. */
void vtr_state_store_set_distance (VtrStateStore *self,
                                   guint64        work);

G_END_DECLS
