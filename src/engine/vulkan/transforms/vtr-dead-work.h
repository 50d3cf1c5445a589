/* Finds the submissions of a trace on which an image does not depend. */
#pragma once

#include "engine/state/vtr-timeline.h"

G_BEGIN_DECLS

/**
 * VtrDeadWork:
 *
 * Knows what every command buffer of a trace does to images, as far as that decides whether it can be left
 * out. A command buffer is *plain* if it only draws into images that are used as attachments and nothing else
 * (never sampled, never written by shaders), so that it has no other effect. A plain submission need not run
 * if all its images are completely overwritten before they are read. Everything else always runs: uploads,
 * dispatches, copies, shaders that may store, events, queries, secondaries, memory barriers, sparse binding,
 * programs with several queues.
 *
 * Threading: any (immutable once built).
 */
typedef struct _VtrDeadWork VtrDeadWork;

/* Blocks. Errors: those of the trace, G_IO_ERROR_CANCELLED. */
VtrDeadWork *vtr_dead_work_build (VtrTrace      *trace,
                                  VtrTimeline   *timeline,
                                  GCancellable  *cancellable,
                                  GError       **error);
void vtr_dead_work_free (VtrDeadWork *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrDeadWork, vtr_dead_work_free)

/**
 * vtr_dead_work_find:
 * @stop: flat index of the command at which the images are needed; if it is a submission, its first
 *   @n_last runs are run, too
 * @last: flat index of the last command that matters in the last of these runs; G_MAXUINT64: all of them do
 * @images: the VkImage handles whose contents are needed
 *
 * Returns: (transfer full): one bit for each submission (vtr_timeline_get_submission ()), set if the contents
 * of @images at @stop do not depend on it.
 */
guint64 *vtr_dead_work_find (VtrDeadWork   *self,
                             guint64        stop,
                             guint32        n_last,
                             guint64        last,
                             const guint64 *images,
                             guint          n_images);

G_END_DECLS
