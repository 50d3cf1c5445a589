#include "load-live.h"

#define EDGE 2048u /* of an image of LIVE_SIZE bytes */

static VtrAppBuffer
make_noise (VtrAppGpu *gpu)
{
  VtrAppBuffer noise = vtr_app_buffer (gpu, LIVE_SIZE, VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
                                       VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                         VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
  uint32_t *words = noise.mapped;
  uint64_t random = 7;

  for (uint32_t i = 0; i < LIVE_SIZE / 4; i++)
    words[i] = vtr_app_random (&random);
  return noise;
}

static void
fill_image (LoadLive           *self,
            VtrAppGpu          *gpu,
            const VtrAppBuffer *noise,
            const VtrAppImage  *image)
{
  VkBufferImageCopy region = {
    .imageSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
    .imageExtent = { EDGE, EDGE, 1 },
  };

  vtr_app_begin (self->commands);
  vtr_app_transition (self->commands, image, VK_IMAGE_LAYOUT_UNDEFINED,
                      VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
  vkCmdCopyBufferToImage (self->commands, noise->buffer, image->image,
                          VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
  vtr_app_transition (self->commands, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                      VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
  vtr_app_run (gpu, self->commands);
}

static void
fill_buffer (LoadLive           *self,
             VtrAppGpu          *gpu,
             const VtrAppBuffer *noise,
             const VtrAppBuffer *buffer)
{
  VkBufferCopy copy = { 0, 0, LIVE_SIZE };

  vtr_app_begin (self->commands);
  vkCmdCopyBuffer (self->commands, noise->buffer, buffer->buffer, 1, &copy);
  vtr_app_barrier (self->commands);
  vtr_app_run (gpu, self->commands);
}

void
load_live_init (LoadLive  *self,
                VtrAppGpu *gpu,
                bool       window,
                uint32_t   buffers_mib,
                uint32_t   images_mib)
{
  const uint32_t mib = LIVE_SIZE >> 20;
  VtrAppBuffer noise;

  if (buffers_mib / mib > LIVE_MAX || images_mib / mib > LIVE_MAX)
    vtr_app_fail ("at most %u MiB of each kind can live", LIVE_MAX * mib);
  self->commands = vtr_app_commands (gpu, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
  if (window)
    {
      self->connection = vtr_app_connect ();
      self->window.width = 200;
      self->window.height = 150;
      self->window.format = VK_FORMAT_B8G8R8A8_UNORM;
      vtr_app_window_init (&self->window, gpu, self->connection, 10);
    }
  if (buffers_mib + images_mib == 0)
    return;
  noise = make_noise (gpu);
  for (; self->n_buffers < buffers_mib / mib; self->n_buffers++)
    {
      VtrAppBuffer *buffer = &self->buffers[self->n_buffers];

      *buffer = vtr_app_buffer (gpu, LIVE_SIZE,
                                VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                                  VK_BUFFER_USAGE_VERTEX_BUFFER_BIT,
                                VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
      fill_buffer (self, gpu, &noise, buffer);
    }
  for (; self->n_images < images_mib / mib; self->n_images++)
    {
      VtrAppImage *image = &self->images[self->n_images];

      *image = vtr_app_image (gpu, EDGE, EDGE, VK_FORMAT_R8G8B8A8_UNORM,
                              VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_SAMPLED_BIT);
      fill_image (self, gpu, &noise, image);
    }
  vtr_app_buffer_finish (gpu, &noise);
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
