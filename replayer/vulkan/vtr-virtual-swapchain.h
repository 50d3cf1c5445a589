/* Ordinary images in place of a swapchain's, so that no window is needed.
 *
 * Threading: one at a time. */
#pragma once

#include "vtr-vk-objects.h"

/* Destroys the images of @object's swapchain. */
void vtr_virtual_swapchain_finish (VtrReplayVk     *vk,
                                   VtrReplayObject *object);

/* Memory of one of its images. Returns: VK_NULL_HANDLE when there is no such image. */
VkDeviceMemory vtr_virtual_swapchain_memory (VtrReplayVk    *vk,
                                             VkSwapchainKHR  swapchain,
                                             uint32_t        image);

/* Device memory of image @nth. Returns: false when there are not so many. */
bool vtr_virtual_swapchain_get_memory (const VtrReplayObject *object,
                                       uint32_t               nth,
                                       VkDeviceMemory        *memory,
                                       uint64_t              *size);

/* Maps it whole, once. Returns: NULL where that cannot be. */
uint8_t *vtr_virtual_swapchain_map (VtrReplayVk     *vk,
                                    VtrReplayObject *object,
                                    uint32_t         nth);

/* (u64 device, u64 swapchain, u64 semaphore, u64 fence, u32 image) */
uint64_t vtr_synthetic_acquire (void *context, const uint64_t *args);
/* (u64 queue, pointer VkPresentInfoKHR) */
uint64_t vtr_synthetic_present (void *context, const uint64_t *args);
