/* How a trace captured on one device replays on another. */
#pragma once

#include "engine/vulkan/replay-builder/vtr-address-ranges.h"
#include "engine/vulkan/read/vtr-trace-device.h"
#include "engine/vulkan/replay-builder/vtr-group-handles.h"
#include "engine/vulkan/replay-builder/vtr-token-plan.h"
#include "engine/vulkan/replay-builder/vtr-memory-plan.h"
#include "engine/replay-builder/vtr-replay-addresses.h"
#include "engine/vulkan/host/vtr-vulkan-device.h"

G_BEGIN_DECLS

/**
 * VtrReplayPlan:
 *
 * Which device of this machine stands for each captured one, and what follows from that. Where the
 * two are the same, nothing does. Threading: any (immutable); atomically reference-counted.
 */
typedef struct _VtrReplayPlan VtrReplayPlan;

/**
 * vtr_replay_plan_new:
 * @devices: of VtrVulkanDevice: those of this machine
 * @wanted: (nullable): a device by name or place, see vtr_replay_device_find(); NULL: for each
 *   captured device the best
 * @addresses: matters only where the program asked for some
 *
 * Blocks; when no captured device is here, for a pass over the trace. Errors: those of
 * vtr_replay_device_find() and vtr_memory_plan_new().
 */
VtrReplayPlan *vtr_replay_plan_new (VtrTrace            *trace,
                                    GPtrArray           *devices,
                                    const char          *wanted,
                                    VtrReplayAddresses   addresses,
                                    GCancellable        *cancellable,
                                    GError             **error);
VtrReplayPlan *vtr_replay_plan_ref (VtrReplayPlan *self);
void vtr_replay_plan_unref (VtrReplayPlan *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrReplayPlan, vtr_replay_plan_unref)

/* Whether every device is the captured one, with the same driver. */
gboolean vtr_replay_plan_is_same (VtrReplayPlan *self);

/* The device that replaces the VkPhysicalDevice @handle. (transfer none) */
const VtrVulkanDevice *vtr_replay_plan_get_target (VtrReplayPlan *self,
                                                   guint64        handle);

/* The captured device of the VkDevice @handle at command @index, and the one that replaces it.
 * Returns: FALSE if it replays on the same device, or is unknown. */
gboolean vtr_replay_plan_is_elsewhere (VtrReplayPlan          *self,
                                       guint64                 handle,
                                       guint64                 index,
                                       const VtrTraceDevice  **captured,
                                       const VtrVulkanDevice **target);

/* The buffers whose addresses are guessed. (transfer none) (nullable): nothing is guessed. */
const VtrAddressRanges *vtr_replay_plan_get_ranges (VtrReplayPlan *self);

/* Where tokens of a kind may be. Returns: (nullable): the program asked for none. */
const VtrTokenPlan *vtr_replay_plan_get_tokens (VtrReplayPlan *self,
                                                VtrTokenKind   kind);

/* The address that the memory of the vkAllocateMemory @index is to have; 0: any. */
guint64 vtr_replay_plan_get_address (VtrReplayPlan *self,
                                     guint64        index);

/* Like vtr_replay_plan_get_address (), for the acceleration structure that command @index creates. */
guint64 vtr_replay_plan_get_structure_address (VtrReplayPlan *self,
                                               guint64        index);

/* The handles of shader groups that only other pipelines tell. (transfer none) (nullable) */
const VtrGroupHandles *vtr_replay_plan_get_group_handles (VtrReplayPlan *self);

/* Whether the buffer or image that command @index creates will be in memory that is imported to
 * keep its address. */
gboolean vtr_replay_plan_is_imported (VtrReplayPlan *self,
                                      guint64        device,
                                      guint64        index);

/* NULL if the plan is for the same devices. */
VtrMemoryPlan *vtr_replay_plan_get_memory (VtrReplayPlan *self);

G_END_DECLS
