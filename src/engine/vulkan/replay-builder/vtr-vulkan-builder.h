/* Vulkan's data in a replay builder, and building what is not a command of the trace: readings,
 * snapshots, and continuing from them. */
#pragma once

#include "engine/replay-builder/vtr-transform.h"
#include "engine/vulkan/replay-builder/vtr-replay-plan.h"
#include "vulkan/vtr-vulkan-replay.h"

G_BEGIN_DECLS

/* Something to read back now. Handles are captured ones. */
typedef struct
{
  VtrTransformRead parent;
  VtrReplayFunction function; /* VTR_REPLAY_READ_TEXELS, VTR_REPLAY_BACK_IMAGE: .image;
                                 VTR_REPLAY_READ_BYTES: .bytes; VTR_REPLAY_RESET_QUERIES,
                                 VTR_REPLAY_READ_QUERIES: .queries; VTR_REPLAY_READ_CLOCK:
                                 .clock, the post; VTR_REPLAY_SETTLE: nothing */
  VtrReplayReadImage image;
  VtrReplayReadBytes bytes;
  VtrReplayQueries queries;
  guint64 clock;
} VtrVulkanRead;

/* For the first member of a VtrVulkanRead. */
#define VTR_VULKAN_READ \
  { \
    .api = &vtr_api_vulkan \
  }

/* Keeps the state as it is now: VTR_REPLAY_SAVE with all slots. */
void vtr_replay_builder_save (VtrReplayBuilder *self);

/* Marks inside a submission, as VTR_REPLAY_MARK and its kin. */
void vtr_replay_builder_mark (VtrReplayBuilder *self,
                              guint64           mark,
                              guint64           post);
void vtr_replay_builder_go_to_mark (VtrReplayBuilder *self,
                                    guint64           mark);
void vtr_replay_builder_forget_mark (VtrReplayBuilder *self,
                                     guint64           mark);

G_END_DECLS
