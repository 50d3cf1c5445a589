/* Memory and buffers at the addresses that the driver gave them in the capture.
 *
 * Drivers of GPUs can be asked for that (bufferDeviceAddressCaptureReplay): what they called an
 * object's opaque address is given back to them when the object is made again, on the same device.
 * Where this is done nothing is imported (vtr-place.h): a device has one way. A driver that refuses
 * an address gets the object without it; vtr_synthetic_check_address() finds out whether that matters.
 *
 * Drivers take replayable allocations from a range of their own, so that those of the replay itself,
 * which never are, do not lie where a captured one wants to be.
 *
 * Threading: that of VtrReplayVk. */
#pragma once

#include "vtr-replay-vk-private.h"

/* Switches the feature on in the chain of @info if the program may ask for addresses and the device
 * offers it. Returns: the place that was changed, to be cleared when there is no device with it; NULL:
 * none was. *@on: whether it is on now. */
VkBool32 *vtr_opaque_enable (VtrReplayVk              *vk,
                             VtrTable                 *table,
                             VkPhysicalDevice          physical,
                             const VkDeviceCreateInfo *info,
                             bool                     *on);

/* What the call under way is to keep; the next one keeps nothing. */
VtrOpaque vtr_opaque_take (VtrReplayVk *vk,
                           VtrTable    *table);

/* As the function of Vulkan, for what vtr_opaque_take() says is to be kept. */
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
