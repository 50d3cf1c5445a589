/* Copies swapchain images to files just before they are presented. */
#include "vtr-witness-device.h"
#include "vtr-witness-frame.h"
#include "vtr-witness-renderdoc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct _VtrWitnessSwapchain
{
  VkSwapchainKHR handle;
  uint32_t width;
  uint32_t height;
  VkFormat format;
  uint32_t n_layers;
  VkDeviceSize size; /* bytes of one image; 0: this swapchain cannot be witnessed */

  uint32_t n_images;
  VkImage *images;
  VkSemaphore *copied; /* one per image: reusable once the image has been acquired again */

  VkBuffer buffer;
  VkDeviceMemory memory;
  const void *mapped;
  uint32_t family; /* of the queue that @pool serves */
  VkCommandPool pool;
  VkCommandBuffer commands;
  VkFence fence;

  VtrWitnessSwapchain *next;
};

/* Frames are numbered over all devices and swapchains in the order of their presents. */
static pthread_mutex_t present_lock = PTHREAD_MUTEX_INITIALIZER;
static uint32_t n_frames;

static VtrWitnessSwapchain *
swapchain_find (VtrWitnessDevice *self,
                VkSwapchainKHR    handle)
{
  for (VtrWitnessSwapchain *item = self->swapchains; item != NULL; item = item->next)
    {
      if (item->handle == handle)
        return item;
    }

  return NULL;
}

/* Releases all but the semaphores, which a present may still be waiting on. */
static void
swapchain_free (VtrWitnessDevice    *self,
                VtrWitnessSwapchain *swapchain)
{
  const VtrWitnessFunctions *down = &self->down;
  VkSemaphore *retired;

  retired = realloc (self->retired,
                     (self->n_retired + swapchain->n_images) * sizeof *self->retired);
  if (retired != NULL)
    {
      self->retired = retired;
      for (uint32_t i = 0; i < swapchain->n_images; i++)
        self->retired[self->n_retired++] = swapchain->copied[i];
    }

  down->DestroyFence (self->device, swapchain->fence, NULL);
  down->DestroyCommandPool (self->device, swapchain->pool, NULL);
  down->DestroyBuffer (self->device, swapchain->buffer, NULL);
  down->FreeMemory (self->device, swapchain->memory, NULL);
  free (swapchain->images);
  free (swapchain->copied);
  free (swapchain);
}

void
vtr_witness_swapchains_clear (VtrWitnessDevice *self)
{
  while (self->swapchains != NULL)
    {
      VtrWitnessSwapchain *item = self->swapchains;

      self->swapchains = item->next;
      swapchain_free (self, item);
    }

  for (uint32_t i = 0; i < self->n_retired; i++)
    self->down.DestroySemaphore (self->device, self->retired[i], NULL);
  free (self->retired);
  self->retired = NULL;
  self->n_retired = 0;
}

static VkResult
create_buffer (VtrWitnessDevice    *self,
               VtrWitnessSwapchain *swapchain)
{
  const VkMemoryPropertyFlags wanted =
    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  VkBufferCreateInfo buffer_info = {
    .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
    .size = swapchain->size,
    .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT,
  };
  VkMemoryAllocateInfo allocate_info = { .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO };
  const VtrWitnessFunctions *down = &self->down;
  VkMemoryRequirements requirements;
  VkResult result;
  uint32_t type = 0;

  result = down->CreateBuffer (self->device, &buffer_info, NULL, &swapchain->buffer);
  if (result != VK_SUCCESS)
    return result;

  down->GetBufferMemoryRequirements (self->device, swapchain->buffer, &requirements);
  while (type < self->memory.memoryTypeCount &&
         ((requirements.memoryTypeBits & (1u << type)) == 0 ||
          (self->memory.memoryTypes[type].propertyFlags & wanted) != wanted))
    type++;
  if (type == self->memory.memoryTypeCount)
    return VK_ERROR_OUT_OF_DEVICE_MEMORY;

  allocate_info.allocationSize = requirements.size;
  allocate_info.memoryTypeIndex = type;
  result = down->AllocateMemory (self->device, &allocate_info, NULL, &swapchain->memory);
  if (result == VK_SUCCESS)
    result = down->BindBufferMemory (self->device, swapchain->buffer, swapchain->memory, 0);
  if (result == VK_SUCCESS)
    result = down->MapMemory (self->device, swapchain->memory, 0, VK_WHOLE_SIZE, 0,
                              (void **)&swapchain->mapped);

  return result;
}

static VkResult
create_images (VtrWitnessDevice    *self,
               VtrWitnessSwapchain *swapchain)
{
  VkSemaphoreCreateInfo semaphore_info = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO };
  VkFenceCreateInfo fence_info = { .sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO };
  uint32_t n_images = 0;
  VkResult result;

  result = self->down.GetSwapchainImagesKHR (self->device, swapchain->handle, &n_images, NULL);
  if (result != VK_SUCCESS)
    return result;

  swapchain->images = calloc (n_images, sizeof *swapchain->images);
  swapchain->copied = calloc (n_images, sizeof *swapchain->copied);
  if (swapchain->images == NULL || swapchain->copied == NULL)
    return VK_ERROR_OUT_OF_HOST_MEMORY;

  result = self->down.GetSwapchainImagesKHR (self->device, swapchain->handle, &n_images,
                                             swapchain->images);
  for (uint32_t i = 0; i < n_images && result == VK_SUCCESS; i++)
    {
      result = self->down.CreateSemaphore (self->device, &semaphore_info, NULL,
                                           &swapchain->copied[i]);
      swapchain->n_images = i + 1;
    }
  if (result == VK_SUCCESS)
    result = self->down.CreateFence (self->device, &fence_info, NULL, &swapchain->fence);

  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
vtr_witness_CreateSwapchainKHR (VkDevice                        device,
                                const VkSwapchainCreateInfoKHR *info,
                                const VkAllocationCallbacks    *allocator,
                                VkSwapchainKHR                 *swapchain)
{
  VtrWitnessDevice *self = vtr_witness_device_find (device);
  VkSwapchainCreateInfoKHR changed = *info;
  VkSurfaceCapabilitiesKHR capabilities = { 0 };
  VtrWitnessSwapchain *item;
  VkResult result;

  if (vtr_witness_directory () == NULL)
    return self->down.CreateSwapchainKHR (device, info, allocator, swapchain);

  self->get_surface_capabilities (self->physical, info->surface, &capabilities);
  changed.imageUsage |= capabilities.supportedUsageFlags & VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
  result = self->down.CreateSwapchainKHR (device, &changed, allocator, swapchain);
  if (result != VK_SUCCESS)
    return result;

  item = calloc (1, sizeof *item);
  if (item == NULL)
    return VK_SUCCESS;

  item->handle = *swapchain;
  item->width = info->imageExtent.width;
  item->height = info->imageExtent.height;
  item->format = info->imageFormat;
  item->n_layers = info->imageArrayLayers;
  item->size = (VkDeviceSize)item->width * item->height * item->n_layers *
               vtr_witness_texel_size (info->imageFormat);
  if ((changed.imageUsage & VK_IMAGE_USAGE_TRANSFER_SRC_BIT) == 0)
    item->size = 0;
  if (item->size != 0 &&
      (create_images (self, item) != VK_SUCCESS || create_buffer (self, item) != VK_SUCCESS))
    item->size = 0;
  if (item->size == 0)
    vtr_witness_complain ("cannot witness a swapchain of format %d", info->imageFormat);

  pthread_mutex_lock (&self->lock);
  item->next = self->swapchains;
  self->swapchains = item;
  pthread_mutex_unlock (&self->lock);

  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL
vtr_witness_DestroySwapchainKHR (VkDevice                     device,
                                 VkSwapchainKHR               swapchain,
                                 const VkAllocationCallbacks *allocator)
{
  VtrWitnessDevice *self = vtr_witness_device_find (device);

  pthread_mutex_lock (&self->lock);
  for (VtrWitnessSwapchain **link = &self->swapchains; *link != NULL; link = &(*link)->next)
    {
      VtrWitnessSwapchain *item = *link;

      if (item->handle != swapchain)
        continue;

      *link = item->next;
      swapchain_free (self, item);
      break;
    }
  pthread_mutex_unlock (&self->lock);

  self->down.DestroySwapchainKHR (device, swapchain, allocator);
}

/* Makes @swapchain's command buffer one that @queue takes. */
static bool
prepare_commands (VtrWitnessDevice    *self,
                  VtrWitnessSwapchain *swapchain,
                  VkQueue              queue)
{
  VkCommandPoolCreateInfo pool_info = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
    .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
  };
  VkCommandBufferAllocateInfo allocate_info = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
    .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
    .commandBufferCount = 1,
  };
  uint32_t i = 0;

  while (i < self->n_queues && self->queues[i].queue != queue)
    i++;
  if (i == self->n_queues)
    return false;

  if (swapchain->pool != VK_NULL_HANDLE && swapchain->family == self->queues[i].family)
    return true;

  self->down.DestroyCommandPool (self->device, swapchain->pool, NULL);
  swapchain->pool = VK_NULL_HANDLE;
  swapchain->family = pool_info.queueFamilyIndex = self->queues[i].family;
  if (self->down.CreateCommandPool (self->device, &pool_info, NULL, &swapchain->pool) != VK_SUCCESS)
    return false;

  allocate_info.commandPool = swapchain->pool;
  if (self->down.AllocateCommandBuffers (self->device, &allocate_info, &swapchain->commands) !=
      VK_SUCCESS)
    return false;

  /* A command buffer made below the loader lacks the loader's dispatch table. */
  return self->set_loader_data == NULL ||
         self->set_loader_data (self->device, swapchain->commands) == VK_SUCCESS;
}

static void
barrier (VtrWitnessDevice    *self,
         VtrWitnessSwapchain *swapchain,
         VkImage              image,
         bool                 to_transfer)
{
  VkImageMemoryBarrier image_barrier = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
    .srcAccessMask = to_transfer ? VK_ACCESS_MEMORY_WRITE_BIT : VK_ACCESS_TRANSFER_READ_BIT,
    .dstAccessMask = to_transfer ? VK_ACCESS_TRANSFER_READ_BIT : 0,
    .oldLayout = to_transfer ? VK_IMAGE_LAYOUT_PRESENT_SRC_KHR
                             : VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
    .newLayout = to_transfer ? VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL
                             : VK_IMAGE_LAYOUT_PRESENT_SRC_KHR,
    .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
    .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
    .image = image,
    .subresourceRange = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, swapchain->n_layers },
  };
  VkMemoryBarrier host_barrier = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
    .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
    .dstAccessMask = VK_ACCESS_HOST_READ_BIT,
  };

  self->down.CmdPipelineBarrier (swapchain->commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                                 VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT,
                                 0, to_transfer ? 0 : 1, &host_barrier, 0, NULL, 1, &image_barrier);
}

static VkResult
record_copy (VtrWitnessDevice    *self,
             VtrWitnessSwapchain *swapchain,
             VkImage              image)
{
  VkCommandBufferBeginInfo begin_info = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
    .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
  };
  VkBufferImageCopy region = {
    .imageSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, swapchain->n_layers },
    .imageExtent = { swapchain->width, swapchain->height, 1 },
  };
  VkResult result = self->down.BeginCommandBuffer (swapchain->commands, &begin_info);

  if (result != VK_SUCCESS)
    return result;

  barrier (self, swapchain, image, true);
  self->down.CmdCopyImageToBuffer (swapchain->commands, image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                                   swapchain->buffer, 1, &region);
  barrier (self, swapchain, image, false);

  return self->down.EndCommandBuffer (swapchain->commands);
}

/* Copies one image after @waits and writes its file. On success the image's own semaphore is
 * signalled and is what the present must wait for; null when nothing was submitted. */
static VkSemaphore
witness_image (VtrWitnessDevice  *self,
               VkQueue            queue,
               VkSwapchainKHR     handle,
               uint32_t           index,
               uint32_t           n_waits,
               const VkSemaphore  waits[])
{
  VtrWitnessSwapchain *swapchain = swapchain_find (self, handle);
  VtrWitnessHeader header = { .magic = VTR_WITNESS_MAGIC, .version = VTR_WITNESS_VERSION };
  VkPipelineStageFlags *stages;
  VkSubmitInfo submit = { .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO };
  VkResult result;

  if (swapchain == NULL || swapchain->size == 0 || index >= swapchain->n_images ||
      !prepare_commands (self, swapchain, queue) ||
      record_copy (self, swapchain, swapchain->images[index]) != VK_SUCCESS)
    {
      vtr_witness_complain ("a present could not be witnessed");
      return VK_NULL_HANDLE;
    }

  stages = calloc (n_waits + 1, sizeof *stages);
  if (stages == NULL)
    return VK_NULL_HANDLE;

  for (uint32_t i = 0; i < n_waits; i++)
    stages[i] = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  submit.waitSemaphoreCount = n_waits;
  submit.pWaitSemaphores = waits;
  submit.pWaitDstStageMask = stages;
  submit.commandBufferCount = 1;
  submit.pCommandBuffers = &swapchain->commands;
  submit.signalSemaphoreCount = 1;
  submit.pSignalSemaphores = &swapchain->copied[index];
  result = self->down.QueueSubmit (queue, 1, &submit, swapchain->fence);
  free (stages);
  if (result != VK_SUCCESS)
    {
      vtr_witness_complain ("the copy was refused (VkResult %d)", result);
      return VK_NULL_HANDLE;
    }

  result = self->down.WaitForFences (self->device, 1, &swapchain->fence, VK_TRUE, UINT64_MAX);
  if (result == VK_SUCCESS)
    {
      self->down.ResetFences (self->device, 1, &swapchain->fence);
      header.width = swapchain->width;
      header.height = swapchain->height;
      header.format = swapchain->format;
      header.size = swapchain->size;
      if (!vtr_witness_write_frame (vtr_witness_directory (), n_frames, &header, swapchain->mapped))
        vtr_witness_complain ("frame %u was not written: %s", n_frames, strerror (errno));
    }

  return swapchain->copied[index];
}

/* Whether frames are to be written now: always, or while a file exists. */
static bool
is_watching (void)
{
  const char *gate = getenv ("VITRINE_WITNESS_WHILE");

  return vtr_witness_directory () != NULL && (gate == NULL || access (gate, F_OK) == 0);
}

/* Appends the time of a present, in ns of the monotonic clock, to the file for them. */
static void
note_time (void)
{
  static int fd = -2;
  struct timespec now;
  int64_t time;

  pthread_mutex_lock (&present_lock);
  if (fd == -2)
    {
      const char *path = getenv ("VITRINE_WITNESS_TIMES");

      fd = path == NULL ? -1 : open (path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    }
  clock_gettime (CLOCK_MONOTONIC, &now);
  time = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
  if (fd >= 0 && write (fd, &time, sizeof time) != sizeof time)
    vtr_witness_complain ("a time was not written: %s", strerror (errno));
  pthread_mutex_unlock (&present_lock);
}

VKAPI_ATTR VkResult VKAPI_CALL
vtr_witness_QueuePresentKHR (VkQueue                 queue,
                             const VkPresentInfoKHR *info)
{
  VtrWitnessDevice *self = vtr_witness_device_find (queue);
  VkSemaphore *waits = NULL;
  uint32_t n_waits = info->waitSemaphoreCount;
  VkPresentInfoKHR changed = *info;
  VkResult result;

  note_time ();
  vtr_witness_renderdoc_present ();
  if (is_watching ())
    waits = calloc (info->waitSemaphoreCount + info->swapchainCount, sizeof *waits);
  if (waits == NULL)
    {
      pthread_mutex_lock (&present_lock);
      n_frames += info->swapchainCount;
      pthread_mutex_unlock (&present_lock);
      return self->down.QueuePresentKHR (queue, info);
    }

  if (info->waitSemaphoreCount > 0)
    memcpy (waits, info->pWaitSemaphores, info->waitSemaphoreCount * sizeof *waits);
  pthread_mutex_lock (&present_lock);
  pthread_mutex_lock (&self->lock);
  for (uint32_t i = 0; i < info->swapchainCount; i++)
    {
      /* A binary semaphore is waited for once: the first copy takes the application's, the present
       * then waits for the copies. */
      VkSemaphore copied = witness_image (self, queue, info->pSwapchains[i], info->pImageIndices[i],
                                          n_waits, waits);

      if (copied != VK_NULL_HANDLE)
        {
          waits[0] = copied;
          n_waits = 1;
        }
      n_frames++;
    }
  pthread_mutex_unlock (&self->lock);

  changed.waitSemaphoreCount = n_waits;
  changed.pWaitSemaphores = waits;
  result = self->down.QueuePresentKHR (queue, &changed);
  pthread_mutex_unlock (&present_lock);
  free (waits);

  return result;
}
