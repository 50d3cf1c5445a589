/* Which submissions of a trace an image does not depend on. */
#pragma once

#include "engine/state/vtr-timeline.h"

G_BEGIN_DECLS

/**
 * VtrDeadWork:
 *
 * What every command buffer of a trace does to images, as far as it matters for leaving it out. A
 * command buffer is *plain* when it does nothing but draw into images that are used as attachments
 * only (never sampled, never stored to), so that its only effect is in these images. A plain
 * submission whose images are all overwritten as a whole before they are looked at again need not
 * run. Everything else always runs: uploads, dispatches, copies, shaders that may store, events,
 * queries, secondaries, memory barriers, sparse binding, several queues.
 *
 * Threading: any (immutable once built).
 */
typedef struct _VtrDeadWork VtrDeadWork;

VtrDeadWork *vtr_dead_work_build (VtrTrace      *trace,
                                  VtrTimeline   *timeline,
                                  GCancellable  *cancellable,
                                  GError       **error);
void vtr_dead_work_free (VtrDeadWork *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrDeadWork, vtr_dead_work_free)

/**
 * vtr_dead_work_find:
 * @stop: flat index of the command that everything before may be needed for; a submission itself
 *   runs, up to its first @n_last runs
 * @last: flat index up to which the last of these runs counts; G_MAXUINT64: all of it
 * @images: VkImage values that somebody looks at in the end
 *
 * Returns: (transfer full): a bit per submission (vtr_timeline_get_submission), set where it need
 * not run for the contents of @images at @stop.
 */
guint64 *vtr_dead_work_find (VtrDeadWork   *self,
                             guint64        stop,
                             guint32        n_last,
                             guint64        last,
                             const guint64 *images,
                             guint          n_images);

G_END_DECLS
