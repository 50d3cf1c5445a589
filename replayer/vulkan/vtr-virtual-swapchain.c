/* Implements swapchains without windows: ordinary images that are acquired and presented by empty
 * submissions. */
#include "vtr-virtual-swapchain.h"
#include "vtr-overrides.h"
#include "vtr-vk-memory.h"
#include "vtr-vk-sync.h"
#include "vtr-utility.h"

#include <stdlib.h>

#define MAX_IMAGES 64

struct VtrVirtualSwapchain
{
  VkImageCreateInfo info; /* of each image */
  VkImageFormatListCreateInfo formats;
  VkImage images[MAX_IMAGES];
  VkDeviceMemory memory[MAX_IMAGES];
  uint64_t sizes[MAX_IMAGES];
  void *maps[MAX_IMAGES]; /* NULL until first needed */
  uint32_t n_images;
  uint32_t next; /* image of the next plain acquire */
};

/* --- Images ---------------------------------------------------------------------------------- */

static void
swapchain_poison (VtrReplayVk                *vk,
                  VtrTable                   *table,
                  const VkMemoryAllocateInfo *info,
                  VkDeviceMemory              memory)
{
  VtrReplayObject object = {
    .type = VTR_HANDLE_VkDeviceMemory,
    .handle = VTR_HANDLE_BITS (memory),
    .table = table,
    .info.memory = { .size = info->allocationSize, .type = info->memoryTypeIndex },
  };

  if ((vk->flags & VTR_REPLAY_POISON) == 0)
    return;
  vtr_poison_memory (vk, &object);
  if (object.info.memory.map == NULL)
    return;
  vtr_vm_memory_remove_window (&vk->vm->memory, object.info.memory.map);
  VTR_CALL (vk, table, vkUnmapMemory)
  (table->device, memory);
}

static VkResult
swapchain_bind_memory (VtrReplayVk    *vk,
                       VtrTable       *table,
                       VkImage         image,
                       VkDeviceMemory *memory,
                       uint64_t       *size)
{
  VkMemoryRequirements requirements;
  VkMemoryAllocateInfo info = { .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO };
  VkResult result;

  VTR_CALL (vk, table, vkGetImageMemoryRequirements)
  (table->device, image, &requirements);
  info.allocationSize = requirements.size;
  info.memoryTypeIndex = vtr_memory_find_type (table, requirements.memoryTypeBits, 0,
                                               VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
  if (info.memoryTypeIndex == UINT32_MAX)
    return VK_ERROR_OUT_OF_DEVICE_MEMORY;
  result = VTR_CALL (vk, table, vkAllocateMemory) (table->device, &info, NULL, memory);
  if (result < 0)
    return result;
  *size = info.allocationSize;
  swapchain_poison (vk, table, &info, *memory);
  return VTR_CALL (vk, table, vkBindImageMemory) (table->device, image, *memory, 0);
}

/* Makes sure there are @n images. */
static VkResult
swapchain_grow (VtrReplayVk     *vk,
                VtrReplayObject *object,
                uint32_t         n)
{
  VtrVirtualSwapchain *self = object->info.swapchain;
  VtrTable *table = object->table;

  if (n > MAX_IMAGES)
    {
      vtr_vm_fail (vk->vm, VTR_VM_ERROR_PAYLOAD, "A swapchain of %u images is beyond reason.", n);
      return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
  while (self->n_images < n)
    {
      VkImage *image = &self->images[self->n_images];
      VkDeviceMemory *memory = &self->memory[self->n_images];
      VtrReplayObject *seen;
      VkResult result =
        VTR_CALL (vk, table, vkCreateImage) (table->device, &self->info, NULL, image);

      if (result < 0)
        return result;
      self->n_images++; /* finish() frees what there is of it */
      result =
        swapchain_bind_memory (vk, table, *image, memory, &self->sizes[self->n_images - 1]);
      if (result < 0)
        return result;
      seen = vtr_objects_seen (vk, VTR_HANDLE_VkImage, VTR_HANDLE_BITS (*image), object->parent, 0);
      if (seen != NULL)
        seen->info.image = (VtrReplayImage){
          .usage = self->info.usage,
          .flags = self->info.flags,
          .tiling = self->info.tiling,
          .format = self->info.format,
          .extent = self->info.extent,
          .mips = self->info.mipLevels,
          .layers = self->info.arrayLayers,
          .samples = self->info.samples,
        };
    }
  return VK_SUCCESS;
}

bool
vtr_virtual_swapchain_get_memory (const VtrReplayObject *object,
                                  uint32_t               nth,
                                  VkDeviceMemory        *memory,
                                  uint64_t              *size)
{
  const VtrVirtualSwapchain *self = object->info.swapchain;

  if (self == NULL || nth >= self->n_images)
    return false;
  *memory = self->memory[nth];
  *size = self->sizes[nth];
  return true;
}

uint8_t *
vtr_virtual_swapchain_map (VtrReplayVk     *vk,
                           VtrReplayObject *object,
                           uint32_t         nth)
{
  VtrVirtualSwapchain *self = object->info.swapchain;
  VtrTable *table = object->table;

  if (self->maps[nth] == NULL &&
      VTR_CALL (vk, table, vkMapMemory) (table->device, self->memory[nth], 0, VK_WHOLE_SIZE, 0,
                                         &self->maps[nth]) != VK_SUCCESS)
    self->maps[nth] = NULL;
  return self->maps[nth];
}

static void
swapchain_free (VtrVirtualSwapchain *self)
{
  free ((void *)(uintptr_t)self->formats.pViewFormats);
  free (self);
}

void
vtr_virtual_swapchain_finish (VtrReplayVk     *vk,
                              VtrReplayObject *object)
{
  VtrVirtualSwapchain *self = object->info.swapchain;
  VtrTable *table = object->table;

  if (self == NULL)
    return;
  for (uint32_t i = 0; i < self->n_images; i++)
    {
      vtr_objects_destroying (vk, VTR_HANDLE_VkImage, VTR_HANDLE_BITS (self->images[i]));
      VTR_CALL (vk, table, vkDestroyImage)
      (table->device, self->images[i], NULL);
      if (self->memory[i] != VK_NULL_HANDLE)
        VTR_CALL (vk, table, vkFreeMemory)
      (table->device, self->memory[i], NULL);
    }
  swapchain_free (self);
}

VkDeviceMemory
vtr_virtual_swapchain_memory (VtrReplayVk    *vk,
                              VkSwapchainKHR  swapchain,
                              uint32_t        image)
{
  const VtrReplayObject *object =
    vtr_objects_need (vk, VTR_HANDLE_VkSwapchainKHR, VTR_HANDLE_BITS (swapchain));

  if (object == NULL || image >= object->info.swapchain->n_images)
    return VK_NULL_HANDLE;
  return object->info.swapchain->memory[image];
}

/* --- Creating -------------------------------------------------------------------------------- */

static bool
swapchain_copy_formats (VtrVirtualSwapchain            *self,
                        const VkSwapchainCreateInfoKHR *info)
{
  const VkImageFormatListCreateInfo *list =
    vtr_chain_find (info->pNext, VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO);
  VkFormat *formats;

  if (list == NULL || list->pViewFormats == NULL || list->viewFormatCount == 0 ||
      list->viewFormatCount > 4096)
    return true;
  formats = calloc (list->viewFormatCount, sizeof *formats);
  if (formats == NULL)
    return false;
  memcpy (formats, list->pViewFormats, list->viewFormatCount * sizeof *formats);
  self->formats = (VkImageFormatListCreateInfo){
    .sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO,
    .viewFormatCount = list->viewFormatCount,
    .pViewFormats = formats,
  };
  self->info.pNext = &self->formats;
  return true;
}

static VtrVirtualSwapchain *
swapchain_create (const VtrTable                 *table,
                  const VkSwapchainCreateInfoKHR *info)
{
  bool has_1_1 = table->api_version >= VK_API_VERSION_1_1;
  VtrVirtualSwapchain *self = calloc (1, sizeof *self);

  if (self == NULL)
    return NULL;
  self->info = (VkImageCreateInfo){
    .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
    /* Images created from the swapchain (1.1) share its memory. */
    .flags = has_1_1 ? VK_IMAGE_CREATE_ALIAS_BIT : 0,
    .imageType = VK_IMAGE_TYPE_2D,
    .format = info->imageFormat,
    .extent = { info->imageExtent.width, info->imageExtent.height, 1 },
    .mipLevels = 1,
    .arrayLayers = info->imageArrayLayers,
    .samples = VK_SAMPLE_COUNT_1_BIT,
    .tiling = VK_IMAGE_TILING_OPTIMAL,
    .usage = info->imageUsage | VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
    .initialLayout = VK_IMAGE_LAYOUT_UNDEFINED,
    /* Sharing matters to ownership only, and presenting is no use by another queue here. */
    .sharingMode = VK_SHARING_MODE_EXCLUSIVE,
  };
  if ((info->flags & VK_SWAPCHAIN_CREATE_MUTABLE_FORMAT_BIT_KHR) != 0)
    self->info.flags |= VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT |
                        (has_1_1 ? VK_IMAGE_CREATE_EXTENDED_USAGE_BIT : 0);
  if ((info->flags & VK_SWAPCHAIN_CREATE_SPLIT_INSTANCE_BIND_REGIONS_BIT_KHR) != 0)
    self->info.flags |= VK_IMAGE_CREATE_SPLIT_INSTANCE_BIND_REGIONS_BIT;
  if (swapchain_copy_formats (self, info))
    return self;
  free (self);
  return NULL;
}

VkResult
vtr_override_vkCreateSwapchainKHR (VtrReplayVk                    *vk,
                                   VkDevice                        device,
                                   const VkSwapchainCreateInfoKHR *pCreateInfo,
                                   const VkAllocationCallbacks    *pAllocator,
                                   VkSwapchainKHR                 *pSwapchain)
{
  VtrTable *table = vtr_device_table (vk, device);
  VtrVirtualSwapchain *swapchain;
  VtrReplayObject *object;

  (void)pAllocator;
  if (table == NULL)
    return VK_ERROR_DEVICE_LOST;
  swapchain = swapchain_create (table, pCreateInfo);
  if (swapchain == NULL)
    return VK_ERROR_OUT_OF_HOST_MEMORY;
  vtr_objects_fake (vk, (uintptr_t)pSwapchain);
  if (vk->vm->error.code != VTR_VM_FINE)
    {
      swapchain_free (swapchain);
      return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
  object = vtr_objects_created (vk, VTR_HANDLE_VkSwapchainKHR, VTR_HANDLE_BITS (*pSwapchain),
                                VTR_HANDLE_BITS (device), 0);
  if (object == NULL)
    {
      swapchain_free (swapchain);
      return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
  object->info.swapchain = swapchain;
  return swapchain_grow (vk, object, pCreateInfo->minImageCount);
}

VkResult
vtr_override_vkCreateSharedSwapchainsKHR (VtrReplayVk                    *vk,
                                          VkDevice                        device,
                                          uint32_t                        swapchainCount,
                                          const VkSwapchainCreateInfoKHR *pCreateInfos,
                                          const VkAllocationCallbacks    *pAllocator,
                                          VkSwapchainKHR                 *pSwapchains)
{
  VkResult result = VK_SUCCESS;

  for (uint32_t i = 0; i < swapchainCount && result >= 0; i++)
    result = vtr_override_vkCreateSwapchainKHR (vk, device, &pCreateInfos[i], pAllocator,
                                                &pSwapchains[i]);
  return result;
}

void
vtr_override_vkDestroySwapchainKHR (VtrReplayVk                 *vk,
                                    VkDevice                     device,
                                    VkSwapchainKHR               swapchain,
                                    const VkAllocationCallbacks *pAllocator)
{
  VtrTable *table = vtr_device_table (vk, device);

  (void)pAllocator;
  if (table == NULL || swapchain == VK_NULL_HANDLE)
    return;
  /* A real one may go while its images are still presented; ours may still be drawn to. */
  if (!vtr_table_wait (vk, table))
    return;
  vtr_objects_destroying (vk, VTR_HANDLE_VkSwapchainKHR, VTR_HANDLE_BITS (swapchain));
}

/* The captured driver may have made more images than asked for: as many as are asked for there
 * are. */
VkResult
vtr_override_vkGetSwapchainImagesKHR (VtrReplayVk    *vk,
                                      VkDevice        device,
                                      VkSwapchainKHR  swapchain,
                                      uint32_t       *pSwapchainImageCount,
                                      VkImage        *pSwapchainImages)
{
  VtrReplayObject *object =
    vtr_objects_need (vk, VTR_HANDLE_VkSwapchainKHR, VTR_HANDLE_BITS (swapchain));
  VkResult result = VK_SUCCESS;

  (void)device;
  if (object == NULL ||
      vtr_replay_vk_output (vk, pSwapchainImageCount, sizeof *pSwapchainImageCount) == NULL)
    return VK_ERROR_DEVICE_LOST;
  if (pSwapchainImages == NULL)
    {
      *pSwapchainImageCount = object->info.swapchain->n_images;
      return VK_SUCCESS;
    }
  result = swapchain_grow (vk, object, *pSwapchainImageCount);
  if (result >= 0 &&
      vtr_replay_vk_output (vk, pSwapchainImages,
                            *pSwapchainImageCount * sizeof *pSwapchainImages) != NULL)
    memcpy (pSwapchainImages, object->info.swapchain->images,
            *pSwapchainImageCount * sizeof *pSwapchainImages);
  return result;
}

/* --- Acquiring and presenting ---------------------------------------------------------------- */

static VkResult
swapchain_signal (VtrReplayVk *vk,
                  VtrTable    *table,
                  VkSemaphore  semaphore,
                  VkFence      fence)
{
  VkSubmitInfo submit = {
    .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
    .signalSemaphoreCount = 1,
    .pSignalSemaphores = &semaphore,
  };

  if (semaphore == VK_NULL_HANDLE && fence == VK_NULL_HANDLE)
    return VK_SUCCESS;
  if (!vtr_utility_queue (vk, table))
    return VK_ERROR_DEVICE_LOST;
  vtr_sync_note_signal (vk, VTR_HANDLE_BITS (semaphore), true);
  return VTR_CALL (vk, table, vkQueueSubmit) (table->utility.queue, semaphore != VK_NULL_HANDLE,
                                              &submit, fence);
}

/* (u64 device, u64 swapchain, u64 semaphore, u64 fence, u32 image) */
uint64_t
vtr_synthetic_acquire (void           *context,
                       const uint64_t *args)
{
  VtrReplayVk *vk = context;
  VtrTable *table = vtr_table_of (vk, VTR_HANDLE_VkDevice, args[0]);

  if (table == NULL)
    return 0;
  return (uint64_t)(int64_t)swapchain_signal (vk, table, VTR_HANDLE_FROM (VkSemaphore, args[2]),
                                              VTR_HANDLE_FROM (VkFence, args[3]));
}

VkResult
vtr_override_vkAcquireNextImageKHR (VtrReplayVk    *vk,
                                    VkDevice        device,
                                    VkSwapchainKHR  swapchain,
                                    uint64_t        timeout,
                                    VkSemaphore     semaphore,
                                    VkFence         fence,
                                    uint32_t       *pImageIndex)
{
  VtrTable *table = vtr_device_table (vk, device);
  VtrReplayObject *object =
    vtr_objects_need (vk, VTR_HANDLE_VkSwapchainKHR, VTR_HANDLE_BITS (swapchain));
  VtrVirtualSwapchain *self;

  (void)timeout;
  if (table == NULL || object == NULL || object->info.swapchain->n_images == 0 ||
      vtr_replay_vk_output (vk, pImageIndex, sizeof *pImageIndex) == NULL)
    return VK_ERROR_DEVICE_LOST;
  self = object->info.swapchain;
  *pImageIndex = self->next++ % self->n_images;
  return swapchain_signal (vk, table, semaphore, fence);
}

VkResult
vtr_override_vkAcquireNextImage2KHR (VtrReplayVk                     *vk,
                                     VkDevice                         device,
                                     const VkAcquireNextImageInfoKHR *pAcquireInfo,
                                     uint32_t                        *pImageIndex)
{
  return vtr_override_vkAcquireNextImageKHR (vk, device, pAcquireInfo->swapchain,
                                             pAcquireInfo->timeout, pAcquireInfo->semaphore,
                                             pAcquireInfo->fence, pImageIndex);
}

/* The fences that tell when what a present waited for is done with; each after all that the queue
 * was given before. */
static VkResult
signal_present_fences (VtrReplayVk            *vk,
                       VtrTable               *table,
                       VkQueue                 queue,
                       const VkPresentInfoKHR *info)
{
  const VkSwapchainPresentFenceInfoEXT *fences =
    vtr_chain_find (info->pNext, VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_FENCE_INFO_EXT);
  VkResult result = VK_SUCCESS;

  if (fences == NULL)
    return VK_SUCCESS;
  if (!vtr_replay_vk_has (vk, fences->swapchainCount, fences->pFences, "pFences"))
    return VK_ERROR_DEVICE_LOST;
  for (uint32_t i = 0; i < fences->swapchainCount && result >= 0; i++)
    if (fences->pFences[i] != VK_NULL_HANDLE)
      result = VTR_CALL (vk, table, vkQueueSubmit) (queue, 0, NULL, fences->pFences[i]);
  return result;
}

VkResult
vtr_override_vkQueuePresentKHR (VtrReplayVk            *vk,
                                VkQueue                 queue,
                                const VkPresentInfoKHR *pPresentInfo)
{
  VtrTable *table = vtr_table_of (vk, VTR_HANDLE_VkQueue, VTR_HANDLE_BITS (queue));
  VkPipelineStageFlags *stages;
  VkSubmitInfo submit = {
    .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
    .waitSemaphoreCount = pPresentInfo->waitSemaphoreCount,
    .pWaitSemaphores = pPresentInfo->pWaitSemaphores,
  };
  VkResult result;

  if (table == NULL || !vtr_replay_vk_has (vk, submit.waitSemaphoreCount, submit.pWaitSemaphores,
                                           "pWaitSemaphores"))
    return VK_ERROR_DEVICE_LOST;
  if (submit.waitSemaphoreCount == 0)
    return signal_present_fences (vk, table, queue, pPresentInfo);
  stages = calloc (submit.waitSemaphoreCount, sizeof *stages);
  if (stages == NULL)
    return VK_ERROR_OUT_OF_HOST_MEMORY;
  for (uint32_t i = 0; i < submit.waitSemaphoreCount; i++)
    {
      stages[i] = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
      vtr_sync_note_signal (vk, VTR_HANDLE_BITS (pPresentInfo->pWaitSemaphores[i]), false);
    }
  submit.pWaitDstStageMask = stages;
  result = VTR_CALL (vk, table, vkQueueSubmit) (queue, 1, &submit, VK_NULL_HANDLE);
  free (stages);
  return result < 0 ? result : signal_present_fences (vk, table, queue, pPresentInfo);
}

/* (u64 queue, pointer VkPresentInfoKHR) */
uint64_t
vtr_synthetic_present (void           *context,
                       const uint64_t *args)
{
  const VkPresentInfoKHR *info =
    vtr_vm_memory_resolve (&((VtrReplayVk *)context)->vm->memory, VTR_VM_ABSOLUTE, args[1],
                           sizeof *info, VTR_VM_READ);

  if (info == NULL)
    {
      vtr_vm_fail (((VtrReplayVk *)context)->vm, VTR_VM_ERROR_PAYLOAD,
                   "The description of the present lies outside the machine's memory.");
      return 0;
    }
  return (uint64_t)(int64_t)vtr_override_vkQueuePresentKHR (
    context, VTR_HANDLE_FROM (VkQueue, args[0]), info);
}
