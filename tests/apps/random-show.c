/* vtr-app-random: submits and presents frames. */
#include "vtr-app-random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define U(x) ((unsigned long long)(x))

void
vtr_random_show_init (VtrRandom *self)
{
  const VkSemaphoreCreateInfo semaphore = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO };
  const VkFenceCreateInfo fence = { .sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO };
  const VkCommandPoolCreateInfo pool = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
    .flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT,
    .queueFamilyIndex = self->gpu.family,
  };
  const VkDevice device = self->gpu.device;

  self->connection = vtr_app_connect ();
  self->window.width = self->window.height = VTR_RANDOM_EDGE;
  self->window.format = VK_FORMAT_B8G8R8A8_UNORM;
  vtr_app_window_init (&self->window, &self->gpu, self->connection, 10);
  for (uint32_t i = 0; i < VTR_RANDOM_AHEAD; i++)
    {
      vtr_app_check (vkCreateFence (device, &fence, NULL, &self->frames[i].fence),
                     "vkCreateFence");
      vtr_app_check (vkCreateSemaphore (device, &semaphore, NULL, &self->frames[i].acquired),
                     "vkCreateSemaphore");
      vtr_app_check (vkCreateSemaphore (device, &semaphore, NULL, &self->frames[i].drawn),
                     "vkCreateSemaphore");
      vtr_app_check (vkCreateCommandPool (device, &pool, NULL, &self->frames[i].pool),
                     "vkCreateCommandPool");
      for (uint32_t j = 0; j < VTR_RANDOM_THREADS; j++)
        vtr_app_check (vkCreateCommandPool (device, &pool, NULL, &self->frames[i].inner[j]),
                       "vkCreateCommandPool");
    }
  self->tiles = vtr_app_buffer (&self->gpu, VTR_RANDOM_N_TILES * VTR_RANDOM_TILE_BYTES,
                                VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                  VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
}

void
vtr_random_show_finish (VtrRandom *self)
{
  const VkDevice device = self->gpu.device;

  vtr_app_buffer_finish (&self->gpu, &self->tiles);
  for (uint32_t i = 0; i < VTR_RANDOM_AHEAD; i++)
    {
      vkDestroyFence (device, self->frames[i].fence, NULL);
      vkDestroySemaphore (device, self->frames[i].acquired, NULL);
      vkDestroySemaphore (device, self->frames[i].drawn, NULL);
      vkDestroyCommandPool (device, self->frames[i].pool, NULL);
      for (uint32_t j = 0; j < VTR_RANDOM_THREADS; j++)
        vkDestroyCommandPool (device, self->frames[i].inner[j], NULL);
    }
  if (self->retired != VK_NULL_HANDLE)
    vkDestroySwapchainKHR (device, self->retired, NULL);
  vtr_app_window_finish (&self->window, &self->gpu);
  xcb_disconnect (self->connection);
}

/* --- Command buffers ------------------------------------------------------------------------- */

void
vtr_random_begin_commands (VtrRandom *self)
{
  const VkCommandBufferAllocateInfo allocate = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
    .commandPool = self->frames[self->frame % VTR_RANDOM_AHEAD].pool,
    .commandBufferCount = 1,
  };

  vtr_app_check (vkAllocateCommandBuffers (self->gpu.device, &allocate, &self->commands),
                 "vkAllocateCommandBuffers");
  vtr_app_begin (self->commands);
  vtr_random_barrier (self);
}

void
vtr_random_begin_frame (VtrRandom *self)
{
  const uint32_t place = self->frame % VTR_RANDOM_AHEAD;

  if (self->frames[place].number != 0)
    {
      vtr_app_check (vkWaitForFences (self->gpu.device, 1, &self->frames[place].fence, VK_TRUE,
                                      UINT64_MAX),
                     "vkWaitForFences");
      vtr_app_check (vkResetFences (self->gpu.device, 1, &self->frames[place].fence),
                     "vkResetFences");
      self->done = self->frames[place].number;
      vtr_app_check (vkResetCommandPool (self->gpu.device, self->frames[place].pool, 0),
                     "vkResetCommandPool");
      for (uint32_t i = 0; i < VTR_RANDOM_THREADS; i++)
        vtr_app_check (vkResetCommandPool (self->gpu.device, self->frames[place].inner[i], 0),
                       "vkResetCommandPool");
    }
  self->frames[place].number = self->frame;
  vtr_random_begin_commands (self);
}

void
vtr_random_submit (VtrRandom *self)
{
  const VkCommandBufferSubmitInfo commands = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO,
    .commandBuffer = self->commands,
  };
  const VkSubmitInfo2 two = {
    .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
    .commandBufferInfoCount = 1,
    .pCommandBufferInfos = &commands,
  };
  const VkSubmitInfo one = {
    .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
    .commandBufferCount = 1,
    .pCommandBuffers = &self->commands,
  };

  vtr_app_check (vkEndCommandBuffer (self->commands), "vkEndCommandBuffer");
  if (vtr_random_chance (self, 50))
    vtr_app_check (vkQueueSubmit2 (self->gpu.queue, 1, &two, VK_NULL_HANDLE), "vkQueueSubmit2");
  else
    vtr_app_check (vkQueueSubmit (self->gpu.queue, 1, &one, VK_NULL_HANDLE), "vkQueueSubmit");
  vtr_random_begin_commands (self);
}

/* --- Tiles ----------------------------------------------------------------------------------- */

static void
show_buffer (VtrRandom *self,
             uint32_t   tile)
{
  VtrRandomBuffer *buffer = vtr_random_buffer (self, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, 0, NULL);
  VkBufferCopy region = { .dstOffset = tile * VTR_RANDOM_TILE_BYTES };

  if (buffer == NULL)
    return;
  region.size = buffer->size;
  if (region.size > VTR_RANDOM_TILE_BYTES)
    {
      region.size = VTR_RANDOM_TILE_BYTES;
      region.srcOffset = vtr_random_below (self, (uint32_t)(buffer->size - region.size) / 4) * 4;
    }
  vtr_random_use_buffer (self, buffer);
  if (self->verbose > 0)
    printf ("tile %u: buffer %llu (%p) from %llu, at %llu of memory %p\n", tile, U (buffer->id),
            (void *)buffer->buffer, U (region.srcOffset), U (buffer->offset),
            (void *)buffer->heap->memory);
  vkCmdCopyBuffer (self->commands, buffer->buffer, self->tiles.buffer, 1, &region);
}

static void
show_image (VtrRandom      *self,
            VtrRandomImage *image,
            uint32_t        tile)
{
  const uint32_t mip = vtr_random_below (self, image->info.mipLevels);
  const uint32_t layer = vtr_random_below (self, image->info.arrayLayers);
  VkImageAspectFlags aspect = image->aspects;
  VkExtent3D extent = vtr_random_extent (image, mip);
  const int32_t slice = (int32_t)vtr_random_below (self, extent.depth);
  const VkImageSubresourceRange range = { image->aspects, mip, 1, layer, 1 };
  const VkImageLayout layout = vtr_random_chance (self, 50) ? VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL
                                                            : VK_IMAGE_LAYOUT_GENERAL;
  uint32_t texel;

  if (aspect == (VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT))
    aspect =
      vtr_random_chance (self, 50) ? VK_IMAGE_ASPECT_DEPTH_BIT : VK_IMAGE_ASPECT_STENCIL_BIT;
  texel = vtr_random_texel (image->info.format, aspect);
  if (image->info.samples != VK_SAMPLE_COUNT_1_BIT || texel == 0)
    return;
  extent.depth = 1;
  while (extent.width * extent.height * texel > VTR_RANDOM_TILE_BYTES)
    extent.height = (extent.height + 1) / 2;
  vtr_random_use_part (self, image, &range, layout);
  if (self->verbose > 0)
    printf ("tile %u: image %llu (%p) format %u aspect %u, %ux%u of mip %u, layer %u, slice %d\n",
            tile, U (image->id), (void *)image->image, image->info.format, aspect, extent.width,
            extent.height, mip, layer, slice);
  vkCmdCopyImageToBuffer (self->commands, image->image, layout, self->tiles.buffer, 1,
                          &(VkBufferImageCopy){
                            .bufferOffset = tile * VTR_RANDOM_TILE_BYTES,
                            .imageSubresource = { aspect, mip, layer, 1 },
                            .imageOffset = { 0, 0, slice },
                            .imageExtent = extent });
}

static void
copy_tiles (VtrRandom *self,
            VkImage    target)
{
  VkBufferImageCopy regions[VTR_RANDOM_N_TILES];

  for (uint32_t i = 0; i < VTR_RANDOM_N_TILES; i++)
    regions[i] = (VkBufferImageCopy){
      .bufferOffset = i * VTR_RANDOM_TILE_BYTES,
      .imageSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
      .imageOffset = { (int32_t)(i % 8 * VTR_RANDOM_TILE), (int32_t)(i / 8 * VTR_RANDOM_TILE),
                       0 },
      .imageExtent = { VTR_RANDOM_TILE, VTR_RANDOM_TILE, 1 },
    };
  vkCmdCopyBufferToImage (self->commands, self->tiles.buffer, target,
                          VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VTR_RANDOM_N_TILES, regions);
}

/* Another swapchain for another size, while images of the one before are under way. */
static void
resize (VtrRandom *self)
{
  const uint32_t values[] = { VTR_RANDOM_EDGE + 16 * vtr_random_below (self, 5),
                              VTR_RANDOM_EDGE + 16 * vtr_random_below (self, 3) };

  if (self->retired != VK_NULL_HANDLE && !vtr_random_is_idle (self, self->retired_use))
    return;
  vkDestroySwapchainKHR (self->gpu.device, self->retired, NULL);
  xcb_configure_window (self->connection, self->window.window,
                        XCB_CONFIG_WINDOW_WIDTH | XCB_CONFIG_WINDOW_HEIGHT, values);
  /* Its answer comes after what is above. */
  free (xcb_get_input_focus_reply (self->connection, xcb_get_input_focus (self->connection), NULL));
  self->window.width = values[0];
  self->window.height = values[1];
  self->retired = vtr_app_window_replace (&self->window, &self->gpu);
  self->retired_use = self->frame - 1;
}

/* What tiles do not cover. */
static void
clear_window (VtrRandom *self,
              VkImage    image)
{
  const VkClearColorValue color = { .float32 = { 0, 0.5f, 0, 1 } };
  const VkImageSubresourceRange range = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1 };

  vkCmdClearColorImage (self->commands, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, &color, 1,
                        &range);
  vtr_random_barrier (self);
}

static void
present (VtrRandom *self,
         uint32_t   place)
{
  const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  const VkSubmitInfo submit = {
    .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
    .waitSemaphoreCount = 1,
    .pWaitSemaphores = &self->frames[place].acquired,
    .pWaitDstStageMask = &stage,
    .commandBufferCount = 1,
    .pCommandBuffers = &self->commands,
    .signalSemaphoreCount = 1,
    .pSignalSemaphores = &self->frames[place].drawn,
  };
  const VkPresentInfoKHR info = {
    .sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
    .waitSemaphoreCount = 1,
    .pWaitSemaphores = &self->frames[place].drawn,
    .swapchainCount = 1,
    .pSwapchains = &self->window.swapchain,
    .pImageIndices = &self->window.current,
  };

  vtr_app_check (vkEndCommandBuffer (self->commands), "vkEndCommandBuffer");
  vtr_app_check (vkQueueSubmit (self->gpu.queue, 1, &submit, self->frames[place].fence),
                 "vkQueueSubmit");
  vtr_app_check (vkQueuePresentKHR (self->gpu.queue, &info), "vkQueuePresentKHR");
}

void
vtr_random_show (VtrRandom *self)
{
  const uint32_t place = self->frame % VTR_RANDOM_AHEAD;
  VtrAppImage target = { .format = self->window.format };

  if (self->wide && vtr_random_may (self, 20, "resize"))
    resize (self);
  vtr_app_check (vkAcquireNextImageKHR (self->gpu.device, self->window.swapchain, UINT64_MAX,
                                        self->frames[place].acquired, VK_NULL_HANDLE,
                                        &self->window.current),
                 "vkAcquireNextImageKHR");
  vtr_random_barrier (self);
  vkCmdFillBuffer (self->commands, self->tiles.buffer, 0, VK_WHOLE_SIZE, 0xff808080);
  vtr_random_barrier (self);
  for (uint32_t i = 0; i < VTR_RANDOM_N_TILES; i++)
    {
      VtrRandomImage *image = vtr_random_chance (self, 65)
                                ? vtr_random_image (self, VK_IMAGE_USAGE_TRANSFER_SRC_BIT, NULL)
                                : NULL;

      if (image != NULL)
        show_image (self, image, i);
      else
        show_buffer (self, i);
    }
  vtr_random_barrier (self);
  target.image = self->window.images[self->window.current];
  vtr_app_transition (self->commands, &target, VK_IMAGE_LAYOUT_UNDEFINED,
                      VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
  if (self->wide)
    clear_window (self, target.image);
  copy_tiles (self, target.image);
  vtr_app_transition (self->commands, &target, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                      VK_IMAGE_LAYOUT_PRESENT_SRC_KHR);
  present (self, place);
}
