/* Copies the image that the last frame of a capture presents, from which the host makes the
 * trace's thumbnail. */
#include "vtr-layer-picture-private.h"

#include "vtr-layer-thumbnail.h"
#include "vtr-layer-trampolines.h"
#include "vtr-layer-trigger.h"

#include "vulkan/vtr-vulkan-formats.h"

#include <stdlib.h>

#define MAX_IMAGES 64u
#define TIMEOUT_NS 100000000u /* for the GPU to come to the end of the frame */

typedef struct
{
  VkFormat format;
  VkExtent2D extent;
  uint32_t n_images; /* 0: not asked for yet */
  VkImage images[MAX_IMAGES];
  /* One for each image: it is free again when the program has acquired the image. */
  VkSemaphore semaphores[MAX_IMAGES];
} Swapchain;

VtrLayerPicture *
vtr_layer_picture_new (const VkDeviceCreateInfo *info)
{
  VtrLayerPicture *self = calloc (1, sizeof *self);

  if (self == NULL)
    return NULL;
  vtr_layer_map_init (&self->swapchains);
  for (uint32_t i = 0;
       i < info->queueCreateInfoCount && self->n_queues < VTR_PICTURE_MAX_QUEUES; i++)
    if (info->pQueueCreateInfos[i].flags == 0)
      {
        self->queues[self->n_queues].family = info->pQueueCreateInfos[i].queueFamilyIndex;
        self->queues[self->n_queues++].n = info->pQueueCreateInfos[i].queueCount;
      }
  return self;
}

/* ---- Swapchains ---- */

static bool
is_shared (VkPresentModeKHR mode)
{
  return mode == VK_PRESENT_MODE_SHARED_DEMAND_REFRESH_KHR ||
         mode == VK_PRESENT_MODE_SHARED_CONTINUOUS_REFRESH_KHR;
}

void
vtr_layer_picture_swapchain_made (VtrLayerDevice                 *device,
                                  VkSwapchainKHR                  swapchain,
                                  const VkSwapchainCreateInfoKHR *info)
{
  const VtrPixelFormat *format = vtr_vulkan_format_get (info->imageFormat);
  Swapchain *self;

  if (device->picture == NULL || format == NULL || vtr_pixel_format_is_planar (format) ||
      format->block_extent[0] != 1 || format->block_extent[1] != 1 ||
      (info->imageUsage & VK_IMAGE_USAGE_TRANSFER_SRC_BIT) == 0 ||
      (info->flags & VK_SWAPCHAIN_CREATE_PROTECTED_BIT_KHR) != 0 || is_shared (info->presentMode))
    return;
  self = calloc (1, sizeof *self);
  if (self == NULL)
    return;
  self->format = info->imageFormat;
  self->extent = info->imageExtent;
  if (!vtr_layer_map_set (&device->picture->swapchains, (uint64_t)(uintptr_t)swapchain, self))
    free (self);
}

static void
swapchain_free (VtrLayerDevice *device,
                Swapchain      *self)
{
  for (uint32_t i = 0; i < self->n_images; i++)
    if (self->semaphores[i] != VK_NULL_HANDLE)
      device->next.DestroySemaphore (device->handle, self->semaphores[i], NULL);
  free (self);
}

void
vtr_layer_hook_DestroySwapchainKHR (VtrLayerDevice              *self,
                                    VkDevice                     device,
                                    VkSwapchainKHR               swapchain,
                                    const VkAllocationCallbacks *pAllocator)
{
  Swapchain *known = NULL;

  if (self->picture != NULL && swapchain != VK_NULL_HANDLE)
    known = vtr_layer_map_take (&self->picture->swapchains, (uint64_t)(uintptr_t)swapchain);
  self->next.DestroySwapchainKHR (device, swapchain, pAllocator);
  if (known != NULL)
    swapchain_free (self, known);
}

/* Asks for the images, once, and makes the semaphore of the image at @index. */
static bool
prepare_swapchain (VtrLayerDevice *device,
                   VkSwapchainKHR  handle,
                   Swapchain      *self,
                   uint32_t        index)
{
  const VkSemaphoreCreateInfo info = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO };
  uint32_t n = MAX_IMAGES;

  if (self->n_images == 0)
    {
      if (device->next.GetSwapchainImagesKHR (device->handle, handle, &n, self->images) !=
          VK_SUCCESS)
        return false;
      self->n_images = n;
    }
  return index < self->n_images &&
         (self->semaphores[index] != VK_NULL_HANDLE ||
          device->next.CreateSemaphore (device->handle, &info, NULL, &self->semaphores[index]) ==
            VK_SUCCESS);
}

/* ---- Copying ---- */

/* Describes the rows of @swapchain that are copied: all of a small image. Returns: their size; 0
 * where there are none. */
static uint64_t
plan (const Swapchain *swapchain,
      VtrRingPicture  *head)
{
  const uint32_t width = swapchain->extent.width, height = swapchain->extent.height;
  VtrPixelRows row;

  if (vtr_vulkan_format_get_rows (swapchain->format, VK_IMAGE_ASPECT_COLOR_BIT, width, 1, 1,
                                  &row) <= 0 ||
      row.size == 0 || row.size > VTR_RING_PICTURE_MAX || height == 0)
    return 0;
  *head = (VtrRingPicture){ swapchain->format, width, height, height };
  if (height > VTR_RING_PICTURE_MAX / row.size)
    head->n_rows = (uint32_t)(VTR_RING_PICTURE_MAX / row.size);
  return row.size * head->n_rows;
}

static bool
has_device_masks (const VkPresentInfoKHR *info)
{
  for (const VkBaseInStructure *each = info->pNext; each != NULL; each = each->pNext)
    if (each->sType == VK_STRUCTURE_TYPE_DEVICE_GROUP_PRESENT_INFO_KHR)
      return true;
  return false;
}

/* The swapchain whose image is copied, and in .head how. Returns: NULL: none. */
static Swapchain *
find_source (VtrLayerDevice         *device,
             const VkPresentInfoKHR *info,
             uint64_t               *size)
{
  VtrLayerPicture *self = device->picture;
  Swapchain *swapchain;

  if (self == NULL || info->swapchainCount == 0 || has_device_masks (info))
    return NULL;
  swapchain =
    vtr_layer_map_get (&self->swapchains, (uint64_t)(uintptr_t)info->pSwapchains[0]);
  if (swapchain == NULL ||
      !prepare_swapchain (device, info->pSwapchains[0], swapchain, info->pImageIndices[0]))
    return NULL;
  *size = plan (swapchain, &self->head);
  /* A picture must not be what fills the ring. */
  if (*size == 0 ||
      *size > (uint64_t)vtr_layer_ring.header->n_segments * VTR_RING_SEGMENT_SIZE / 16)
    return NULL;
  return swapchain;
}

/* Copies the image that goes to the first swapchain. Returns: the semaphore that the present has to
 * wait for instead of its own ones; NULL: nothing was done. */
static const VkSemaphore *
take (VtrLayerDevice         *device,
      VkQueue                 queue,
      const VkPresentInfoKHR *info)
{
  uint32_t index = info->swapchainCount > 0 ? info->pImageIndices[0] : 0;
  Swapchain *swapchain;
  uint64_t size;

  vtr_layer_thumbnail_set (NULL);
  swapchain = find_source (device, info, &size);
  if (swapchain == NULL || !vtr_picture_copy (device, queue, info, swapchain->images[index], size,
                                              &swapchain->semaphores[index]))
    return NULL;
  vtr_layer_thumbnail_set (&device->names);
  return &swapchain->semaphores[index];
}

static void
prepare (VtrLayerDevice         *device,
         VkQueue                 queue,
         const VkPresentInfoKHR *info)
{
  uint64_t size;

  vtr_layer_thumbnail_lock ();
  if (find_source (device, info, &size) != NULL)
    {
      vtr_picture_prepare (device, queue, size);
      vtr_layer_thumbnail_prepare ();
    }
  vtr_layer_thumbnail_unlock ();
}

VkResult
vtr_layer_hook_QueuePresentKHR (VtrLayerDevice         *self,
                                VkQueue                 queue,
                                const VkPresentInfoKHR *pPresentInfo)
{
  VkPresentInfoKHR info = *pPresentInfo;
  const VkSemaphore *semaphore;

  if (!vtr_layer_trigger_is_last ())
    {
      if (vtr_layer_trigger_is_ahead ())
        prepare (self, queue, pPresentInfo);
      return self->next.QueuePresentKHR (queue, pPresentInfo);
    }
  vtr_layer_thumbnail_lock ();
  semaphore = take (self, queue, pPresentInfo);
  vtr_layer_thumbnail_unlock ();
  if (semaphore == NULL)
    return self->next.QueuePresentKHR (queue, pPresentInfo);
  info.waitSemaphoreCount = 1;
  info.pWaitSemaphores = semaphore;
  return self->next.QueuePresentKHR (queue, &info);
}

/* ---- The record ---- */

bool
vtr_layer_picture_get (VtrNamespace    *names,
                       VtrRingPicture  *head,
                       const uint8_t  **rows,
                       size_t          *size)
{
  VtrLayerDevice *device = names->env.data;
  VtrLayerPicture *self = device->picture;

  if (!vtr_picture_wait (device, TIMEOUT_NS) ||
      vtr_layer_readback_invalidate (&self->readback, device) != VK_SUCCESS)
    return false;
  *head = self->head;
  *rows = self->readback.bytes;
  *size = (size_t)self->size;
  return true;
}

/* ---- The end ---- */

static bool
end_swapchain (uint64_t  key,
               void     *value,
               void     *data)
{
  swapchain_free (data, value);
  return true;
}

void
vtr_layer_picture_end (VtrLayerDevice *device)
{
  VtrLayerPicture *self = device->picture;

  if (self == NULL)
    return;
  vtr_layer_thumbnail_lock ();
  vtr_layer_thumbnail_forget (&device->names);
  vtr_layer_map_sweep (&self->swapchains, end_swapchain, device);
  vtr_picture_gpu_finish (device);
  vtr_layer_thumbnail_unlock ();
}

void
vtr_layer_picture_free (VtrLayerPicture *self)
{
  if (self == NULL)
    return;
  vtr_layer_map_finish (&self->swapchains);
  free (self);
}
