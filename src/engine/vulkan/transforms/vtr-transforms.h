/* Constructors of all transforms of Vulkan (vtr-transform.h), and calls that change one in a chain. All constructors return
 * (transfer full), and borrow what they are given unless they say otherwise. Threading: one at a time. */
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

/* Makes every command replayable: removes callbacks and exports from structures, refuses imports, stores every
 * attachment, turns suspended and resumed renderings into whole ones. In every chain. */
VtrTransform *vtr_transform_replayable_new (void);

/* Changes queue families, queues and ownership transfers to those of the devices in @plan. Only if the devices differ from
 * the captured ones (vtr_replay_plan_is_same ()). */
VtrTransform *vtr_transform_elsewhere_new (VtrReplayPlan *plan);

/* Writes the query results that @plan knows to the places where the program copies them on the GPU. In every chain. */
VtrTransform *vtr_transform_query_results_new (const VtrQueryPlan *plan,
                                               VtrTimeline        *timeline,
                                               VtrHistory         *history);

/* Applies @edit to the stream. @plan: (nullable): the features of the devices. After all transforms that must see the
 * commands as the program made them. */
VtrTransform *vtr_transform_edit_new (VtrStreamEdit *edit,
                                      VtrTrace      *trace,
                                      VtrReplayPlan *plan);

/* VtrBuildApi.can_disable */
gboolean vtr_vulkan_can_disable (VtrCmdId id);

/* The queue family that the replay uses in place of @family of the captured @device. @chain has to have seen the creation of
 * the device. */
guint32 vtr_transform_elsewhere_get_family (VtrTransform *chain,
                                            guint64       device,
                                            guint32       family);

/* Replaces VK_IMAGE_LAYOUT_PRESENT_SRC_KHR with VK_IMAGE_LAYOUT_GENERAL in every command, because images of swapchains are
 * ordinary images in a replay. In every chain. */
VtrTransform *vtr_transform_virtual_swapchain_new (void);

/**
 * vtr_transform_cut_new:
 * @index: the last command to run
 * @run: the run (vtr_timeline_get_run ()) of the recording that contains the command; VTR_NO_RUN: the first
 *   run
 * @end: (out): the number of trace commands to pass through the chain
 *
 * Runs everything up to command @index and nothing after it. If the command is recorded in a command
 * buffer, the stream ends with the submission, batch and command buffer of @run. That command buffer is
 * replaced by a copy that is recorded up to @index; its render pass is ended early and stores all
 * attachments. Secondary command buffers that contain the command are copied in the same way.
 * Errors: VTR_REPLAY_ERROR_UNSUPPORTED with the reason if the command was never submitted.
 */
VtrTransform *vtr_transform_cut_new (VtrTimeline  *timeline,
                                     VtrHistory   *history,
                                     guint64       index,
                                     guint32       run,
                                     guint64      *end,
                                     GError      **error);

/* Makes the cut in @chain record its primary from @start on and submit nothing else, for a stream that begins in the
 * middle of a recording. The chain is then given, in this order: vtr_transform_skipped () for the commands of the recording
 * before @start that are not recorded again; the commands that set the state at @start (vtr-state-commands.h); the commands
 * that follow; the submission. */
void vtr_transform_cut_start_at (VtrTransform      *chain,
                                 const VtrCutStart *start);

/* The handle of the VkDevice from which object @id was created; 0: unknown. */
guint64 vtr_vulkan_find_device (VtrHistory *history,
                                guint32     id);
/* Reads @target at the end of the stream and posts it with id @post. Follows the stream to know the layout of its image.
 * @optional: if the image never got contents, nothing is read; otherwise the request fails. */
VtrTransform *vtr_transform_read_target_new (VtrHistory      *history,
                                             const VtrTarget *target,
                                             guint64          post,
                                             gboolean         optional);

/* Reads the presented images after every present, one for each swapchain, and posts them with ids from 0. @found is called
 * before each read with what the post will contain. */
typedef void (*VtrPresentFound) (guint64 post,
                                 guint64 index,
                                 const VtrReplayReadImage *read,
                                 gpointer data);
VtrTransform *vtr_transform_read_presents_new (VtrPresentFound found,
                                               gpointer        data);

/* Leaves out command buffers that the contents of @images at @stop do not depend on. First in a chain. The parameters are
 * those of vtr_dead_work_find (). */
VtrTransform *vtr_transform_skip_dead_new (VtrDeadWork   *work,
                                           VtrTimeline   *timeline,
                                           guint64        stop,
                                           guint32        n_last,
                                           guint64        last,
                                           const guint64 *images,
                                           guint          n_images);

/* Like vtr_transform_skip_dead_new (), for a stream that ends in a snapshot (vtr-transform-resumed.c): command buffers that
 * are recorded before @stop and run after it are still recorded. @images: all images that a later request may read. */
VtrTransform *vtr_transform_skip_dead_kept_new (VtrDeadWork   *work,
                                                VtrTimeline   *timeline,
                                                guint64        stop,
                                                const guint64 *images,
                                                guint          n_images);

/* Makes recordings usable several times, for a stream that ends in a snapshot. In every such chain. */
VtrTransform *vtr_transform_keeping_new (void);

/**
 * vtr_transform_resumed_new:
 * @first: the first command after the snapshot
 *
 * For a stream that begins at a snapshot, to which the replayer goes back afterwards: no object of the
 * snapshot is destroyed, reset or recorded again. Destroy commands are left out; command buffers and
 * descriptor pools are replaced by new ones under their captured handles. Of the commands before @first,
 * only those on handles that transforms made (the copy of a cut recording) pass.
 *
 * Errors: VTR_REPLAY_ERROR_UNSUPPORTED at a command whose effect cannot be undone.
 */
VtrTransform *vtr_transform_resumed_new (VtrHistory *history,
                                         guint64     first);

/* Reads the bytes @what just before command @index, or at the end of the stream if the command does not come. */
VtrTransform *vtr_transform_read_bytes_new (const VtrReplayReadBytes *what,
                                            guint64                   index);

/**
 * vtr_transform_probe_new:
 * @plan: (nullable): the devices that run the stream; without it, no queries are written
 * @from: the command at which the clock starts; no command before it may submit work of the frame
 * @detail: the finest kind of rows
 * @what: VtrProbeWhat; 0: only the clock, before and after the frame
 * @probe: gets the rows; the caller gives it the posts of the replay (vtr_probe_posted ()); outlives the
 *   transform
 *
 * Measures @frame, with which the stream ends: recordings that run in it are copied, with queries in the
 * copies. If the stream begins at a snapshot, the caller passes it the commands of the earlier recordings
 * that vtr_transform_probe_list_recordings () lists.
 */
VtrTransform *vtr_transform_probe_new (VtrTimeline   *timeline,
                                       VtrHistory    *history,
                                       VtrReplayPlan *plan,
                                       guint64        frame,
                                       guint64        from,
                                       VtrProbeKind   detail,
                                       guint32        what,
                                       VtrProbe      *probe);

/* The recordings that the probe in @chain measures. Returns: (transfer full): GArray of guint32. */
GArray *vtr_transform_probe_list_recordings (VtrTransform *chain);

/**
 * vtr_transform_gpu_writes_new:
 * @poison: also drops bytes of ranges that any earlier GPU work of the trace wrote
 *
 * Drops recorded bytes of mapped memory that the GPU wrote, not the program. These are the bytes in ranges
 * that a submission writes which is pending at that moment, if the range is known exactly.
 */
VtrTransform *vtr_transform_gpu_writes_new (gboolean poison);

/* Makes that transform, if @chain has one, also drop the bytes that according to @uncertain (borrowed) the program did not
 * write. A chain that is resumed takes them from the chain before. */
void vtr_transform_gpu_writes_set_uncertain (VtrTransform             *chain,
                                             const VtrUncertainWrites *uncertain);

G_END_DECLS
