/* Records the commands that copy a presented image, and keeps the memory for the copy. */
#include "vtr-layer-picture-private.h"

#include <stdlib.h>

#define TOUCHED_AT_ONCE (128u * 1024u)
#define LAST_TIMEOUT_NS 1000000000u /* before the device is destroyed */

/* ---- The memory, and the commands ---- */

/* Returns: whether the family of @queue is known, and can copy any rows. */
static bool
find_family (VtrLayerDevice *device,
             VkQueue         queue,
             uint32_t       *family)
{
  const VtrLayerPicture *self = device->picture;
  VkQueueFamilyProperties families[VTR_PICTURE_MAX_QUEUES];
  uint32_t n = VTR_PICTURE_MAX_QUEUES;

  device->instance->next.GetPhysicalDeviceQueueFamilyProperties (device->physical, &n, families);
  for (uint32_t i = 0; i < self->n_queues; i++)
    for (uint32_t nth = 0; nth < self->queues[i].n; nth++)
      {
        VkQueue each = VK_NULL_HANDLE;

        *family = self->queues[i].family;
        device->next.GetDeviceQueue (device->handle, *family, nth, &each);
        if (each == queue)
          return *family < n && (families[*family].queueFlags &
                                 (VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT)) != 0;
      }
  return false;
}

static bool
prepare_commands (VtrLayerDevice *device,
                  uint32_t        family)
{
  VtrLayerPicture *self = device->picture;
  const VtrDeviceDispatch *next = &device->next;
  const VkCommandPoolCreateInfo pool = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
    .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
    .queueFamilyIndex = family,
  };
  const VkFenceCreateInfo fence = { .sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO };
  VkCommandBufferAllocateInfo buffer = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
    .commandBufferCount = 1,
  };

  if (self->fence == VK_NULL_HANDLE &&
      next->CreateFence (device->handle, &fence, NULL, &self->fence) != VK_SUCCESS)
    return false;
  if (self->commands != VK_NULL_HANDLE && self->family == family)
    return true;
  if (self->pool != VK_NULL_HANDLE)
    next->DestroyCommandPool (device->handle, self->pool, NULL);
  self->pool = VK_NULL_HANDLE;
  self->commands = VK_NULL_HANDLE;
  self->family = family;
  if (next->CreateCommandPool (device->handle, &pool, NULL, &self->pool) != VK_SUCCESS)
    return false;
  buffer.commandPool = self->pool;
  if (next->AllocateCommandBuffers (device->handle, &buffer, &self->commands) != VK_SUCCESS)
    return false;
  /* Sets the dispatch word, as the loader does for the program: layers below find their device by
   * it. */
  *(void **)self->commands = *(void **)device->handle;
  return true;
}

static bool
prepare_memory (VtrLayerDevice *device,
                uint64_t        size)
{
  VtrLayerPicture *self = device->picture;

  if (self->size == size)
    return true;
  vtr_layer_readback_free (&self->readback, device);
  self->size = self->touched = 0;
  if (vtr_layer_readback_make (&self->readback, device, size, VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                               NULL, 0) != VK_SUCCESS)
    return false;
  self->size = size;
  return true;
}

static void
touch_memory (VtrLayerPicture *self)
{
  uint64_t left = self->size - self->touched;
  uint64_t n = left < TOUCHED_AT_ONCE ? left : TOUCHED_AT_ONCE;

  vtr_layer_populate (self->readback.bytes + self->touched, (size_t)n);
  self->touched += n;
}

void
vtr_picture_prepare (VtrLayerDevice *device,
                     VkQueue         queue,
                     uint64_t        size)
{
  VtrLayerPicture *self = device->picture;
  uint32_t family;

  if (self->size == size && self->touched == size)
    return;
  if (!vtr_picture_wait (device, 0))
    return;
  if (self->size == size)
    touch_memory (self);
  else if (find_family (device, queue, &family) && prepare_commands (device, family))
    (void)!prepare_memory (device, size);
}

/* ---- Copying ---- */

static void
put_barrier (VtrLayerDevice *device,
             VkImage         image,
             VkImageLayout   from,
             VkImageLayout   to)
{
  const VkImageMemoryBarrier barrier = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
    .srcAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
    .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
    .oldLayout = from,
    .newLayout = to,
    .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
    .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
    .image = image,
    .subresourceRange = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1 },
  };
  const VkMemoryBarrier host = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
    .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
    .dstAccessMask = VK_ACCESS_HOST_READ_BIT,
  };

  device->next.CmdPipelineBarrier (device->picture->commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                                   VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT,
                                   0, 1, &host, 0, NULL, 1, &barrier);
}

static bool
record (VtrLayerDevice *device,
        VkImage         image,
        uint64_t        size)
{
  const VkCommandBufferBeginInfo begin = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
    .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
  };
  VtrLayerPicture *self = device->picture;
  const VtrRingPicture *head = &self->head;
  const uint32_t n = head->n_rows == head->height ? 1 : head->n_rows;
  VkBufferImageCopy *regions = calloc (n, sizeof *regions);

  if (regions == NULL ||
      device->next.BeginCommandBuffer (self->commands, &begin) != VK_SUCCESS)
    {
      free (regions);
      return false;
    }
  for (uint32_t i = 0; i < n; i++)
    regions[i] = (VkBufferImageCopy){
      .bufferOffset = size / n * i,
      .imageSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
      .imageOffset = { 0, (int32_t)vtr_ring_picture_row (head, i), 0 },
      .imageExtent = { head->width, n == 1 ? head->height : 1, 1 },
    };
  put_barrier (device, image, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR,
               VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
  device->next.CmdCopyImageToBuffer (self->commands, image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                                     self->readback.buffer, n, regions);
  put_barrier (device, image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
               VK_IMAGE_LAYOUT_PRESENT_SRC_KHR);
  free (regions);
  return device->next.EndCommandBuffer (self->commands) == VK_SUCCESS;
}

/* The copy waits for the semaphores of the present, and signals @semaphore for it. */
static bool
submit (VtrLayerDevice         *device,
        VkQueue                 queue,
        const VkPresentInfoKHR *info,
        const VkSemaphore      *semaphore)
{
  VtrLayerPicture *self = device->picture;
  VkPipelineStageFlags *stages = calloc (info->waitSemaphoreCount + 1, sizeof *stages);
  const VkSubmitInfo submission = {
    .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
    .waitSemaphoreCount = info->waitSemaphoreCount,
    .pWaitSemaphores = info->pWaitSemaphores,
    .pWaitDstStageMask = stages,
    .commandBufferCount = 1,
    .pCommandBuffers = &self->commands,
    .signalSemaphoreCount = 1,
    .pSignalSemaphores = semaphore,
  };

  if (stages == NULL)
    return false;
  for (uint32_t i = 0; i < info->waitSemaphoreCount; i++)
    stages[i] = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  self->busy =
    device->next.QueueSubmit (queue, 1, &submission, self->fence) == VK_SUCCESS;
  free (stages);
  return self->busy;
}

bool
vtr_picture_wait (VtrLayerDevice *device,
                  uint64_t        nanoseconds)
{
  VtrLayerPicture *self = device->picture;

  if (self->busy &&
      device->next.WaitForFences (device->handle, 1, &self->fence, VK_TRUE, nanoseconds) ==
        VK_SUCCESS)
    self->busy = device->next.ResetFences (device->handle, 1, &self->fence) != VK_SUCCESS;
  return !self->busy;
}

bool
vtr_picture_copy (VtrLayerDevice         *device,
                  VkQueue                 queue,
                  const VkPresentInfoKHR *info,
                  VkImage                 image,
                  uint64_t                size,
                  const VkSemaphore      *semaphore)
{
  VtrLayerPicture *self = device->picture;
  uint32_t family;

  if (!vtr_picture_wait (device, 0) || !find_family (device, queue, &family) ||
      !prepare_commands (device, family) || !prepare_memory (device, size))
    return false;
  vtr_layer_populate (self->readback.bytes + self->touched, (size_t)(size - self->touched));
  self->touched = size;
  return record (device, image, size) && submit (device, queue, info, semaphore);
}

void
vtr_picture_gpu_finish (VtrLayerDevice *device)
{
  VtrLayerPicture *self = device->picture;

  if (!vtr_picture_wait (device, LAST_TIMEOUT_NS))
    return;
  vtr_layer_readback_free (&self->readback, device);
  if (self->pool != VK_NULL_HANDLE)
    device->next.DestroyCommandPool (device->handle, self->pool, NULL);
  if (self->fence != VK_NULL_HANDLE)
    device->next.DestroyFence (device->handle, self->fence, NULL);
}
