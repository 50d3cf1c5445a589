/* Optional extras of vtr-app-load: a window that it presents to, and images and buffers that
 * exist but are never drawn with. */
#include "load-live.h"

#include <stdlib.h>
#include <string.h>

/* The noise, and the resources that are filled with it. */
typedef struct
{
  LoadLive *live;
  VtrAppGpu *gpu;
  const LoadLiveWish *wish;
  uint64_t size; /* of each */
  uint32_t edge; /* of images */
  VtrAppBuffer noise;
} Maker;

static bool
is_for (const LoadLiveWish *wish,
        const char         *use)
{
  return wish->use != NULL && strcmp (wish->use, use) == 0;
}

bool
load_live_needs_addresses (const LoadLiveWish *wish)
{
  return is_for (wish, "address");
}

static void
make_noise (Maker *self)
{
  uint32_t *words;
  uint64_t random = 7;

  self->noise = vtr_app_buffer (self->gpu, self->size, VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
                                VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                  VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
  words = self->noise.mapped;
  for (uint64_t i = 0; i < self->size / 4; i++)
    words[i] = vtr_app_random (&random);
}

static void
fill_image (const Maker       *self,
            const VtrAppImage *image)
{
  const VkCommandBuffer commands = self->live->commands;
  VkBufferImageCopy region = {
    .imageSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
    .imageExtent = { self->edge, self->edge, 1 },
  };

  vtr_app_begin (commands);
  vtr_app_transition (commands, image, VK_IMAGE_LAYOUT_UNDEFINED,
                      VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
  vkCmdCopyBufferToImage (commands, self->noise.buffer, image->image,
                          VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
  vtr_app_transition (commands, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                      VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
  vtr_app_run (self->gpu, commands);
}

static void
fill_buffer (const Maker        *self,
             const VtrAppBuffer *buffer)
{
  const VkCommandBuffer commands = self->live->commands;
  VkBufferCopy copy = { 0, 0, self->size };

  vtr_app_begin (commands);
  vkCmdCopyBuffer (commands, self->noise.buffer, buffer->buffer, 1, &copy);
  vtr_app_barrier (commands);
  vtr_app_run (self->gpu, commands);
}

/* Returns: the offset of the @nth resource in the allocation of its kind, which the first one
 * makes. */
static uint64_t
find_place (const Maker                *self,
            const VkMemoryRequirements *needed,
            uint32_t                    all_mib,
            uint32_t                    nth,
            VkDeviceMemory             *memory)
{
  const uint64_t step =
    (needed->size + needed->alignment - 1) / needed->alignment * needed->alignment;
  VkMemoryRequirements all = *needed;

  if (*memory == VK_NULL_HANDLE)
    {
      all.size = step * ((uint64_t)all_mib * (1u << 20) / self->size);
      *memory = vtr_app_allocate (self->gpu, &all, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    }
  return nth * step;
}

static VtrAppBuffer
make_buffer_together (const Maker        *self,
                      VkBufferUsageFlags  usage,
                      uint32_t            nth)
{
  LoadLive *live = self->live;
  const VkDevice device = self->gpu->device;
  const VkBufferCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
    .size = self->size,
    .usage = usage,
  };
  VtrAppBuffer buffer = { .size = self->size };
  VkMemoryRequirements needed;
  uint64_t offset;

  vtr_app_check (vkCreateBuffer (device, &info, NULL, &buffer.buffer), "vkCreateBuffer");
  vkGetBufferMemoryRequirements (device, buffer.buffer, &needed);
  offset = find_place (self, &needed, self->wish->buffers_mib, nth, &live->buffer_memory);
  vtr_app_check (vkBindBufferMemory (device, buffer.buffer, live->buffer_memory, offset),
                 "vkBindBufferMemory");
  return buffer;
}

static VtrAppBuffer
make_buffer (const Maker *self,
             uint32_t     nth)
{
  VkBufferUsageFlags usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_VERTEX_BUFFER_BIT;
  VkMemoryPropertyFlags properties = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;

  if (is_for (self->wish, "storage"))
    usage |= VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
  if (is_for (self->wish, "address"))
    usage |= VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
  if (is_for (self->wish, "mapped"))
    properties = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  return self->wish->together ? make_buffer_together (self, usage, nth)
                              : vtr_app_buffer (self->gpu, self->size, usage, properties);
}

static VtrAppImage
make_image_together (const Maker       *self,
                     VkImageUsageFlags  usage,
                     uint32_t           nth)
{
  LoadLive *live = self->live;
  const VkDevice device = self->gpu->device;
  const VkImageCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
    .imageType = VK_IMAGE_TYPE_2D,
    .format = VK_FORMAT_R8G8B8A8_UNORM,
    .extent = { self->edge, self->edge, 1 },
    .mipLevels = 1,
    .arrayLayers = 1,
    .samples = VK_SAMPLE_COUNT_1_BIT,
    .tiling = VK_IMAGE_TILING_OPTIMAL,
    .usage = usage,
  };
  VtrAppImage image = { .format = info.format, .width = self->edge, .height = self->edge };
  VkMemoryRequirements needed;
  uint64_t offset;

  vtr_app_check (vkCreateImage (device, &info, NULL, &image.image), "vkCreateImage");
  vkGetImageMemoryRequirements (device, image.image, &needed);
  offset = find_place (self, &needed, self->wish->images_mib, nth, &live->image_memory);
  vtr_app_check (vkBindImageMemory (device, image.image, live->image_memory, offset),
                 "vkBindImageMemory");
  return image;
}

static VtrAppImage
make_image (const Maker *self,
            uint32_t     nth)
{
  VkImageUsageFlags usage = VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_SAMPLED_BIT;

  if (is_for (self->wish, "target"))
    usage |= VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
  if (is_for (self->wish, "storage"))
    usage |= VK_IMAGE_USAGE_STORAGE_BIT;
  return self->wish->together ? make_image_together (self, usage, nth)
                              : vtr_app_image (self->gpu, self->edge, self->edge,
                                               VK_FORMAT_R8G8B8A8_UNORM, usage);
}

/* All that is wished for. */
static void
make_all (Maker *self)
{
  LoadLive *live = self->live;
  const uint64_t n_buffers = ((uint64_t)self->wish->buffers_mib << 20) / self->size;
  const uint64_t n_images = ((uint64_t)self->wish->images_mib << 20) / self->size;

  if (n_buffers > LIVE_MAX || n_images > LIVE_MAX)
    vtr_app_fail ("at most %u resources of each kind can live", LIVE_MAX);
  live->buffers = calloc (n_buffers + 1, sizeof *live->buffers);
  live->images = calloc (n_images + 1, sizeof *live->images);
  if (live->buffers == NULL || live->images == NULL)
    vtr_app_fail ("there is no memory");
  while ((self->edge + 1) * (uint64_t)(self->edge + 1) * 4 <= self->size)
    self->edge++;
  make_noise (self);
  for (; live->n_buffers < n_buffers; live->n_buffers++)
    {
      live->buffers[live->n_buffers] = make_buffer (self, live->n_buffers);
      fill_buffer (self, &live->buffers[live->n_buffers]);
    }
  for (; live->n_images < n_images; live->n_images++)
    {
      live->images[live->n_images] = make_image (self, live->n_images);
      fill_image (self, &live->images[live->n_images]);
    }
  vtr_app_buffer_finish (self->gpu, &self->noise);
}

void
load_live_init (LoadLive           *self,
                VtrAppGpu          *gpu,
                bool                window,
                const LoadLiveWish *wish)
{
  const uint64_t size = (uint64_t)(wish->piece_kib != 0 ? wish->piece_kib : 16u << 10) << 10;

  self->commands = vtr_app_commands (gpu, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
  if (window)
    {
      self->connection = vtr_app_connect ();
      self->window.width = 200;
      self->window.height = 150;
      self->window.format = VK_FORMAT_B8G8R8A8_UNORM;
      vtr_app_window_init (&self->window, gpu, self->connection, 10);
    }
  if (wish->buffers_mib + wish->images_mib > 0)
    make_all (&(Maker){ .live = self, .gpu = gpu, .wish = wish, .size = size });
}

void
load_live_finish (LoadLive  *self,
                  VtrAppGpu *gpu)
{
  vtr_app_check (vkDeviceWaitIdle (gpu->device), "vkDeviceWaitIdle");
  for (uint32_t i = 0; i < self->n_buffers; i++)
    vtr_app_buffer_finish (gpu, &self->buffers[i]);
  for (uint32_t i = 0; i < self->n_images; i++)
    vtr_app_image_finish (gpu, &self->images[i]);
  vkFreeMemory (gpu->device, self->buffer_memory, NULL);
  vkFreeMemory (gpu->device, self->image_memory, NULL);
  free (self->buffers);
  free (self->images);
  if (self->connection != NULL)
    vtr_app_window_finish (&self->window, gpu);
}

void
load_live_present (LoadLive  *self,
                   VtrAppGpu *gpu)
{
  VtrAppImage image = { .format = self->window.format };
  const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  VkSubmitInfo submit = {
    .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
    .waitSemaphoreCount = 1,
    .pWaitSemaphores = &self->window.acquired,
    .pWaitDstStageMask = &stage,
    .commandBufferCount = 1,
    .pCommandBuffers = &self->commands,
  };
  VkPresentInfoKHR present = {
    .sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
    .swapchainCount = 1,
    .pSwapchains = &self->window.swapchain,
    .pImageIndices = &self->window.current,
  };

  if (self->connection == NULL)
    return;
  vtr_app_window_acquire (&self->window, gpu);
  image.image = self->window.images[self->window.current];
  vtr_app_begin (self->commands);
  vtr_app_transition (self->commands, &image, VK_IMAGE_LAYOUT_UNDEFINED,
                      VK_IMAGE_LAYOUT_PRESENT_SRC_KHR);
  vtr_app_check (vkEndCommandBuffer (self->commands), "vkEndCommandBuffer");
  vtr_app_check (vkQueueSubmit (gpu->queue, 1, &submit, VK_NULL_HANDLE), "vkQueueSubmit");
  vtr_app_check (vkQueueWaitIdle (gpu->queue), "vkQueueWaitIdle");
  vtr_app_check (vkQueuePresentKHR (gpu->queue, &present), "vkQueuePresentKHR");
}
