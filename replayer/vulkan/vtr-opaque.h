/* Memory, buffers and acceleration structures at the addresses that the driver gave them in the
 * capture, and shader groups with their captured handles.
 *
 * GPU drivers can be asked for that (bufferDeviceAddressCaptureReplay,
 * accelerationStructureCaptureReplay, rayTracingPipelineShaderGroupHandleCaptureReplay): the
 * opaque address that the driver reported for an object is passed back when the object is made
 * again on the same device. A device that works this way imports no memory (vtr-fixed-address.h); it
 * uses one way or the other. If the driver refuses an address, the object is made without it,
 * and vtr_synthetic_check_address() finds out whether that matters.
 *
 * Drivers allocate replayable memory from a range of its own. The replay's own allocations are
 * never replayable, so they do not occupy a captured address.
 *
 * Threading: that of VtrReplayVk. */
#pragma once

#include "vtr-vk-objects.h"

/* The features of a device that the replay enabled in addition to those in the trace, and all that
 * are enabled. */
typedef struct
{
  VkBool32 *added[4]; /* in the chain of the device */
  size_t n_added;
  bool addresses, structures, groups, mixed_groups;
} VtrOpaqueFeatures;

/* Switches features on in the chain of @info if the program may need them and the device offers them. */
void vtr_opaque_enable (VtrReplayVk              *vk,
                        VtrTable                 *table,
                        VkPhysicalDevice          physical,
                        const VkDeviceCreateInfo *info,
                        VtrOpaqueFeatures        *features);

/* Clears the added features, when no device could be created with them. Returns: false when there
 * were none. */
bool vtr_opaque_disable (VtrOpaqueFeatures *features);

/* The new device of @table has these. */
void vtr_opaque_note (VtrReplayVk             *vk,
                      VtrTable                *table,
                      const VtrOpaqueFeatures *features);

/* Takes the captured values that the current call is to keep; the next call keeps none. */
VtrOpaque vtr_opaque_take (VtrReplayVk *vk,
                           VtrTable    *table);

/* Like the function of Vulkan, with the captured values from vtr_opaque_take(). */
VkResult vtr_opaque_allocate (VtrReplayVk                *vk,
                              VtrTable                   *table,
                              const VkMemoryAllocateInfo *info,
                              const VtrOpaque            *opaque,
                              VkDeviceMemory             *memory);
VkResult vtr_opaque_create_buffer (VtrReplayVk              *vk,
                                   VtrTable                 *table,
                                   const VkBufferCreateInfo *info,
                                   const VtrOpaque          *opaque,
                                   VkBuffer                 *buffer);

/* (u64 opaque address) */
uint64_t vtr_synthetic_keep_address (void           *context,
                                     const uint64_t *args);

/* (u64 bytes, pointer handles, u32 bytes of a handle) */
uint64_t vtr_synthetic_keep_groups (void           *context,
                                    const uint64_t *args);
/* (u64 bytes, pointer captured, pointer handles, u32 bytes of a handle) */
uint64_t vtr_synthetic_compare_groups (void           *context,
                                       const uint64_t *args);

/* Forgets what the next pipelines were to get back. */
void vtr_groups_drop_next (VtrReplayVk *vk);
