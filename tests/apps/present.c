/* vtr-app-present: several windows presented by one call, from one queue.
 *
 * Each frame copies a moving pattern from mapped memory, clears, and scales an image onto another;
 * half way every swapchain is replaced by a new one, made from the old. With --release each present
 * signals fences, and now and then an image is given back instead of being shown
 * (VK_KHR_swapchain_maintenance1; status 77 where the headers or the driver do not know it).
 */
#include "vtr-app-window.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_WINDOWS 4u
#define PATTERN 64u
#define SKIPPED 77

typedef struct
{
  VtrAppGpu gpu;
  xcb_connection_t *connection;
  VtrAppWindow windows[MAX_WINDOWS];
  uint32_t n_windows;
  VtrAppBuffer pattern; /* mapped */
  VtrAppImage source;
  VkCommandBuffer commands;
  VkSemaphore drawn;
  VkFence fence;
  bool releases;
  VkFence presented[MAX_WINDOWS];
} Present;

#ifdef VK_KHR_swapchain_maintenance1

static const VkPhysicalDeviceSwapchainMaintenance1FeaturesKHR maintenance = {
  .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SWAPCHAIN_MAINTENANCE_1_FEATURES_KHR,
  .swapchainMaintenance1 = VK_TRUE,
};

static void
use_maintenance (VtrAppGpu                 *gpu,
                 VkPhysicalDeviceFeatures2 *features)
{
  static const char *const instance[] = { VK_KHR_GET_SURFACE_CAPABILITIES_2_EXTENSION_NAME,
                                          VK_KHR_SURFACE_MAINTENANCE_1_EXTENSION_NAME, NULL };
  static const char *const device[] = { VK_KHR_SWAPCHAIN_MAINTENANCE_1_EXTENSION_NAME, NULL };
  VkPhysicalDeviceSwapchainMaintenance1FeaturesKHR offered = { .sType = maintenance.sType };
  VkPhysicalDeviceFeatures2 asked = { .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                                      .pNext = &offered };
  VtrAppGpu trial = { 0 };

  vtr_app_gpu_init (&trial, NULL, false);
  vkGetPhysicalDeviceFeatures2 (trial.physical, &asked);
  vtr_app_gpu_finish (&trial);
  if (!offered.swapchainMaintenance1)
    {
      puts ("This driver has no VK_KHR_swapchain_maintenance1.");
      exit (SKIPPED);
    }
  gpu->surface_extensions = instance;
  gpu->window_extensions = device;
  features->pNext = (void *)&maintenance;
}

/* Takes an image and gives it back. */
static void
release (Present      *self,
         VtrAppWindow *window)
{
  const VkDevice device = self->gpu.device;
  const PFN_vkReleaseSwapchainImagesKHR give_back =
    (PFN_vkReleaseSwapchainImagesKHR)vkGetDeviceProcAddr (device, "vkReleaseSwapchainImagesKHR");
  uint32_t index;
  const VkReleaseSwapchainImagesInfoKHR info = {
    .sType = VK_STRUCTURE_TYPE_RELEASE_SWAPCHAIN_IMAGES_INFO_KHR,
    .swapchain = window->swapchain,
    .imageIndexCount = 1,
    .pImageIndices = &index,
  };

  vtr_app_check (vkAcquireNextImageKHR (device, window->swapchain, UINT64_MAX, VK_NULL_HANDLE,
                                        self->fence, &index),
                 "vkAcquireNextImageKHR");
  vtr_app_check (vkWaitForFences (device, 1, &self->fence, VK_TRUE, UINT64_MAX), "vkWaitForFences");
  vtr_app_check (vkResetFences (device, 1, &self->fence), "vkResetFences");
  vtr_app_check (give_back (device, &info), "vkReleaseSwapchainImagesKHR");
}

static void
present_with_fences (Present          *self,
                     VkPresentInfoKHR *present)
{
  const VkDevice device = self->gpu.device;
  const VkSwapchainPresentFenceInfoKHR fences = {
    .sType = VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_FENCE_INFO_KHR,
    .swapchainCount = self->n_windows,
    .pFences = self->presented,
  };

  present->pNext = &fences;
  vtr_app_check (vkQueuePresentKHR (self->gpu.queue, present), "vkQueuePresentKHR");
  vtr_app_check (vkWaitForFences (device, self->n_windows, self->presented, VK_TRUE, UINT64_MAX),
                 "vkWaitForFences");
  vtr_app_check (vkResetFences (device, self->n_windows, self->presented), "vkResetFences");
}

#else

static void
use_maintenance (VtrAppGpu                 *gpu,
                 VkPhysicalDeviceFeatures2 *features)
{
  (void)gpu;
  (void)features;
  puts ("These headers know no VK_KHR_swapchain_maintenance1.");
  exit (SKIPPED);
}

static void
release (Present      *self,
         VtrAppWindow *window)
{
  (void)self;
  (void)window;
}

static void
present_with_fences (Present          *self,
                     VkPresentInfoKHR *present)
{
  (void)self;
  (void)present;
}

#endif

static void
create_window (Present  *self,
               uint32_t  index)
{
  VtrAppWindow *window = &self->windows[index];

  window->width = 200 + 60 * index;
  window->height = 150 + 10 * index;
  window->format = index % 2 == 0 ? VK_FORMAT_B8G8R8A8_UNORM : VK_FORMAT_B8G8R8A8_SRGB;
  vtr_app_window_init (window, &self->gpu, self->connection, (int16_t)(10 + 300 * index));
}

static void
write_pattern (Present  *self,
               uint32_t  frame)
{
  uint32_t *texels = self->pattern.mapped;

  for (uint32_t y = 0; y < PATTERN; y++)
    {
      for (uint32_t x = 0; x < PATTERN; x++)
        {
          /* Most pages stay as they were; one block of rows moves. */
          if ((y + 64 - frame % 64) % 64 < 9 || frame == 0)
            texels[y * PATTERN + x] = (x * 4u) | (y * 4u) << 8 | (frame * 3u & 255u) << 16;
        }
    }
}

static void
transition (VkCommandBuffer commands,
            VkImage         image,
            VkImageLayout   from,
            VkImageLayout   to)
{
  VtrAppImage wrapped = { .image = image };

  vtr_app_transition (commands, &wrapped, from, to);
}

static void
record_window (Present      *self,
               VtrAppWindow *window,
               uint32_t      frame)
{
  VkImage image = window->images[window->current];
  VkImageSubresourceLayers layers = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 };
  VkImageSubresourceRange range = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1 };
  VkClearColorValue clear = { .float32 = { (float)(frame % 16) / 15.0f, 0.25f, 0.5f, 1 } };
  VkImageBlit blit = {
    .srcSubresource = layers,
    .srcOffsets = { { 0, 0, 0 }, { PATTERN, PATTERN, 1 } },
    .dstSubresource = layers,
    .dstOffsets = { { 20 + (int32_t)(frame % 40), 20, 0 }, { 180, 140, 1 } },
  };

  transition (self->commands, image, VK_IMAGE_LAYOUT_UNDEFINED,
              VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
  vkCmdClearColorImage (self->commands, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, &clear, 1,
                        &range);
  vtr_app_barrier (self->commands);
  vkCmdBlitImage (self->commands, self->source.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, image,
                  VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &blit, VK_FILTER_NEAREST);
  transition (self->commands, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
              VK_IMAGE_LAYOUT_PRESENT_SRC_KHR);
}

static void
record (Present  *self,
        uint32_t  frame)
{
  VkBufferImageCopy region = {
    .imageSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
    .imageExtent = { PATTERN, PATTERN, 1 },
  };

  vtr_app_begin (self->commands);
  transition (self->commands, self->source.image, VK_IMAGE_LAYOUT_UNDEFINED,
              VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
  vkCmdCopyBufferToImage (self->commands, self->pattern.buffer, self->source.image,
                          VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
  transition (self->commands, self->source.image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
              VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
  for (uint32_t i = 0; i < self->n_windows; i++)
    record_window (self, &self->windows[i], frame);
  vtr_app_check (vkEndCommandBuffer (self->commands), "vkEndCommandBuffer");
}

static void
run_frame (Present  *self,
           uint32_t  frame)
{
  VkPipelineStageFlags stages[MAX_WINDOWS];
  VkSemaphore acquired[MAX_WINDOWS];
  VkSwapchainKHR swapchains[MAX_WINDOWS];
  uint32_t indices[MAX_WINDOWS];
  VkSubmitInfo submit = {
    .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
    .waitSemaphoreCount = self->n_windows,
    .pWaitSemaphores = acquired,
    .pWaitDstStageMask = stages,
    .commandBufferCount = 1,
    .pCommandBuffers = &self->commands,
    .signalSemaphoreCount = 1,
    .pSignalSemaphores = &self->drawn,
  };
  VkPresentInfoKHR present = {
    .sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
    .waitSemaphoreCount = 1,
    .pWaitSemaphores = &self->drawn,
    .swapchainCount = self->n_windows,
    .pSwapchains = swapchains,
    .pImageIndices = indices,
  };
  VkDevice device = self->gpu.device;

  write_pattern (self, frame);
  for (uint32_t i = 0; i < self->n_windows; i++)
    {
      VtrAppWindow *window = &self->windows[i];

      if (self->releases && frame % 3 == i)
        release (self, window);
      vtr_app_window_acquire (window, &self->gpu);
      stages[i] = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
      acquired[i] = window->acquired;
      swapchains[i] = window->swapchain;
      indices[i] = window->current;
    }

  record (self, frame);
  vtr_app_check (vkQueueSubmit (self->gpu.queue, 1, &submit, self->fence), "vkQueueSubmit");
  if (self->releases)
    present_with_fences (self, &present);
  else
    vtr_app_check (vkQueuePresentKHR (self->gpu.queue, &present), "vkQueuePresentKHR");
  vtr_app_check (vkWaitForFences (device, 1, &self->fence, VK_TRUE, UINT64_MAX), "vkWaitForFences");
  vtr_app_check (vkResetFences (device, 1, &self->fence), "vkResetFences");
}

static void
present_init (Present *self)
{
  VkSemaphoreCreateInfo semaphore_info = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO };
  VkFenceCreateInfo fence_info = { .sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO };
  VkPhysicalDeviceFeatures2 features = { .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2 };
  VkDevice device;

  if (self->releases)
    use_maintenance (&self->gpu, &features);
  self->connection = vtr_app_connect ();
  vtr_app_gpu_init (&self->gpu, &features, true);
  device = self->gpu.device;
  for (uint32_t i = 0; i < self->n_windows; i++)
    create_window (self, i);
  self->pattern = vtr_app_buffer (&self->gpu, PATTERN * PATTERN * 4,
                                  VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
                                  VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                    VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
  self->source = vtr_app_image (&self->gpu, PATTERN, PATTERN, VK_FORMAT_R8G8B8A8_UNORM,
                                VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
                                  VK_IMAGE_USAGE_SAMPLED_BIT);
  self->commands = vtr_app_commands (&self->gpu, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
  vtr_app_check (vkCreateSemaphore (device, &semaphore_info, NULL, &self->drawn),
                 "vkCreateSemaphore");
  vtr_app_check (vkCreateFence (device, &fence_info, NULL, &self->fence), "vkCreateFence");
  for (uint32_t i = 0; i < self->n_windows; i++)
    vtr_app_check (vkCreateFence (device, &fence_info, NULL, &self->presented[i]), "vkCreateFence");
}

static void
present_finish (Present *self)
{
  VkDevice device = self->gpu.device;

  vkDeviceWaitIdle (device);
  vkDestroyFence (device, self->fence, NULL);
  for (uint32_t i = 0; i < self->n_windows; i++)
    vkDestroyFence (device, self->presented[i], NULL);
  vkDestroySemaphore (device, self->drawn, NULL);
  for (uint32_t i = 0; i < self->n_windows; i++)
    vtr_app_window_finish (&self->windows[i], &self->gpu);
  vtr_app_image_finish (&self->gpu, &self->source);
  vtr_app_buffer_finish (&self->gpu, &self->pattern);
  vtr_app_gpu_finish (&self->gpu);
  xcb_disconnect (self->connection);
}

int
main (int    argc,
      char **argv)
{
  Present self = { .n_windows = 2 };
  uint32_t n_frames = 30;
  const VtrAppOption options[] = {
    { "--windows", &self.n_windows, NULL, NULL, "how many (2)" },
    { "--frames", &n_frames, NULL, NULL, "how many (30)" },
    { "--release", NULL, NULL, &self.releases, "some images are given back" },
    { 0 },
  };

  vtr_app_options (argc, argv, options);
  if (self.n_windows == 0 || self.n_windows > MAX_WINDOWS)
    vtr_app_fail ("there may be 1 to %u windows", MAX_WINDOWS);

  present_init (&self);
  for (uint32_t frame = 0; frame < n_frames; frame++)
    {
      if (frame == n_frames / 2)
        {
          vtr_app_check (vkDeviceWaitIdle (self.gpu.device), "vkDeviceWaitIdle");
          for (uint32_t i = 0; i < self.n_windows; i++)
            vtr_app_window_renew (&self.windows[i], &self.gpu);
        }
      run_frame (&self, frame);
    }
  present_finish (&self);

  return 0;
}
