/* The transforms there are. Threading: one at a time. */
#pragma once

#include "engine/state/vtr-target.h"
#include "engine/vulkan/transforms/vtr-cut-copy.h"
#include "engine/vulkan/transforms/vtr-dead-work.h"
#include "engine/replay-session/vtr-uncertain-writes.h"
#include "engine/vulkan/transforms/vtr-probe-copy.h"
#include "engine/vulkan/transforms/vtr-query-plan.h"
#include "engine/replay-builder/vtr-stream-edit.h"
#include "engine/vulkan/transforms/vtr-vulkan-transform.h"

G_BEGIN_DECLS

/* Drops callbacks and exports from structures; declines imports; stores every attachment; joins
 * suspended and resumed renderings to whole ones. In every chain. */
VtrTransform *vtr_transform_replayable_new (void);

/* Queue families, queues and ownership for the devices of @plan. In chains of plans that are not
 * the same (vtr_replay_plan_is_same()). */
VtrTransform *vtr_transform_elsewhere_new (VtrReplayPlan *plan);

/* Puts results that @plan (borrowed) knows where they are copied to. In every chain. */
VtrTransform *vtr_transform_query_results_new (const VtrQueryPlan *plan,
                                               VtrTimeline        *timeline,
                                               VtrHistory         *history);

/* Changes the stream as @edit says. @trace is borrowed; @plan (nullable): what devices can do. Behind
 * all transforms that follow what the program does. */
VtrTransform *vtr_transform_edit_new (VtrStreamEdit *edit,
                                      VtrTrace      *trace,
                                      VtrReplayPlan *plan);

/* VtrBuildApi.can_disable */
gboolean vtr_vulkan_can_disable (VtrCmdId id);

/* Which family stands for @family of the captured @device, as far as @chain has gone. */
guint32 vtr_transform_elsewhere_get_family (VtrTransform *chain,
                                            guint64       device,
                                            guint32       family);

/* VK_IMAGE_LAYOUT_PRESENT_SRC_KHR becomes GENERAL wherever it is passed. In every chain. */
VtrTransform *vtr_transform_virtual_swapchain_new (void);

/**
 * vtr_transform_cut_new:
 * @index: the last command to run
 * @run: in which run (vtr_timeline_get_run) of the recording that holds it; VTR_NO_RUN: its
 *   first
 * @end: (out): number of trace commands to drive through the chain
 *
 * Runs everything up to command @index and nothing after it. Inside a command buffer that means up
 * to that submission, batch and command buffer, which is replaced by a copy recorded up to @index
 * whose render pass is ended early and stores all attachments; secondaries on the way are copied
 * like it.
 * Returns: NULL with VTR_REPLAY_ERROR_UNSUPPORTED and the reason when the command was never
 * submitted.
 */
VtrTransform *vtr_transform_cut_new (VtrTimeline  *timeline,
                                     VtrHistory   *history,
                                     guint64       index,
                                     guint32       run,
                                     guint64      *end,
                                     GError      **error);

/* The cut in @chain records its primary from @start on, and submits nothing else: for a stream that
 * begins right there. The chain then gets: vtr_transform_skipped() of commands of the recording up to
 * @start that do not come again, those that set the state again (vtr-state-commands.h), what follows, and
 * the submission. */
void vtr_transform_cut_start_at (VtrTransform      *chain,
                                 const VtrCutStart *start);

/* The handle of the VkDevice that object @id was made of; 0: not known. */
guint64 vtr_vulkan_find_device (VtrHistory *history,
                                guint32     id);
/* Reads @target at the end of the stream, with post id @post; its image layout is found by following the stream.
 * @optional: nothing is read, instead of the request failing, when nothing was ever put into it. */
VtrTransform *vtr_transform_read_target_new (VtrHistory      *history,
                                             const VtrTarget *target,
                                             guint64          post,
                                             gboolean         optional);

/* Reads the images of every present after it, with post ids from 0: one for each swapchain of
 * each present. @found gets what each post will hold, before the read is built. */
typedef void (*VtrPresentFound) (guint64 post,
                                 guint64 index,
                                 const VtrReplayReadImage *read,
                                 gpointer data);
VtrTransform *vtr_transform_read_presents_new (VtrPresentFound found,
                                               gpointer        data);

/* Leaves out the command buffers that the contents of @images at @stop do not depend on. First in a
 * chain. Parameters as of vtr_dead_work_find(). */
VtrTransform *vtr_transform_skip_dead_new (VtrDeadWork   *work,
                                           VtrTimeline   *timeline,
                                           guint64        stop,
                                           guint32        n_last,
                                           guint64        last,
                                           const guint64 *images,
                                           guint          n_images);

/* The same before a state that is kept (vtr-transform-resumed.c): what is recorded before @stop and
 * runs after it is recorded. @images: all that somebody may look at later. */
VtrTransform *vtr_transform_skip_dead_kept_new (VtrDeadWork   *work,
                                                VtrTimeline   *timeline,
                                                guint64        stop,
                                                const guint64 *images,
                                                guint          n_images);

/* In front of a state that is kept: what it takes to run recordings again and again. In every such
 * chain. */
VtrTransform *vtr_transform_keeping_new (void);

/**
 * vtr_transform_resumed_new:
 * @first: the first command after the kept state
 *
 * After a kept state: nothing that was there before is destroyed, reset or recorded anew, so that
 * the replayer can go back to it. Destructions are left out, command buffers and descriptor pools
 * are made anew under their old names. Commands before @first are let through only as far as they
 * concern handles of transforms' own (the copy of a recording that is cut).
 *
 * Errors: VTR_REPLAY_ERROR_UNSUPPORTED at a command whose effect cannot be taken back.
 */
VtrTransform *vtr_transform_resumed_new (VtrHistory *history,
                                         guint64     first);

/* Reads bytes just before command @index goes by, or at the end of the stream if it does not.
 */
VtrTransform *vtr_transform_read_bytes_new (const VtrReplayReadBytes *what,
                                            guint64                   index);

/**
 * vtr_transform_probe_new:
 * @plan: (nullable): for which devices the stream is built; nothing is written where it is not known
 * @from: where its clock starts; nothing before it may submit work of the frame
 * @detail: rows down to this kind
 * @what: VtrProbeWhat; 0: only the clock, before and after the frame
 * @probe: gets the rows, and is to be given what is posted; outlives the transform
 *
 * Measures @frame, which the stream ends with: recordings that run in it are copied with queries in
 * them. Those from before a state that the stream is resumed from are to be fed to it
 * (vtr_transform_probe_list_recordings()).
 */
VtrTransform *vtr_transform_probe_new (VtrTimeline   *timeline,
                                       VtrHistory    *history,
                                       VtrReplayPlan *plan,
                                       guint64        frame,
                                       guint64        from,
                                       VtrProbeKind   detail,
                                       guint32        what,
                                       VtrProbe      *probe);

/* Recordings that the probe in @chain measures: a GArray of guint32. (transfer full) */
GArray *vtr_transform_probe_list_recordings (VtrTransform *chain);

/**
 * vtr_transform_gpu_writes_new:
 * @poison: suppress observed bytes of ranges that any earlier GPU work of the trace wrote
 *
 * Drops observed bytes of mapped memory that the GPU wrote, not the program: those that a
 * submission pending at that moment writes through an exactly known range.
 */
VtrTransform *vtr_transform_gpu_writes_new (gboolean poison);

/* Makes that transform, if @chain has one, leave out what @uncertain (borrowed) says the program did not write. A chain
 * that is resumed has those of the chain before. */
void vtr_transform_gpu_writes_set_uncertain (VtrTransform             *chain,
                                             const VtrUncertainWrites *uncertain);

G_END_DECLS
