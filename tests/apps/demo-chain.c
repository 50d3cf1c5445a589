/* vtr-app-demo-chain: a swapchain whose images are drawn to, by views of another format and by
 * images of the program's own that share their memory; acquired for a list of devices, presented in
 * parts.
 */
#include "vtr-app-demo.h"
#include "vtr-app-window.h"

#include <string.h>

#define WIDTH (2 * VTR_APP_DEMO_WIDTH)
#define HEIGHT (2 * VTR_APP_DEMO_HEIGHT)

typedef struct
{
  VtrAppDemo demo;
  xcb_connection_t *connection;
  VtrAppWindow window;
  VkImage twins[VTR_APP_WINDOW_IMAGES]; /* in the memory of the swapchain's */
  VkImageView views[VTR_APP_WINDOW_IMAGES];
  bool used[VTR_APP_WINDOW_IMAGES];
  uint32_t n_images;
  VkPipeline pipeline;
  VkSemaphore drawn;
} Chain;

static const VkFormat formats[] = { VK_FORMAT_B8G8R8A8_UNORM, VK_FORMAT_B8G8R8A8_SRGB };
static const VkImageFormatListCreateInfo list = {
  .sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO,
  .viewFormatCount = 2,
  .pViewFormats = formats,
};

/* In the place of the plain one. */
static void
make_swapchain (Chain *self)
{
  VtrAppGpu *gpu = &self->demo.scene.gpu;
  VkSwapchainCreateInfoKHR info = {
    .sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR,
    .pNext = &list,
    .flags = VK_SWAPCHAIN_CREATE_MUTABLE_FORMAT_BIT_KHR,
    .surface = self->window.surface,
    .imageFormat = formats[0],
    .imageColorSpace = VK_COLOR_SPACE_SRGB_NONLINEAR_KHR,
    .imageExtent = { WIDTH, HEIGHT },
    .imageArrayLayers = 1,
    .imageUsage = VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
    .preTransform = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR,
    .compositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR,
    .presentMode = VK_PRESENT_MODE_FIFO_KHR,
    .clipped = VK_TRUE,
    .oldSwapchain = self->window.swapchain,
  };
  VkPresentModeKHR modes[8];
  VkSurfaceCapabilitiesKHR capabilities;
  uint32_t n = 8;

  vkGetPhysicalDeviceSurfacePresentModesKHR (gpu->physical, info.surface, &n, modes);
  for (uint32_t i = 0; i < n; i++)
    if (modes[i] == VK_PRESENT_MODE_MAILBOX_KHR)
      info.presentMode = modes[i];
  vtr_app_check (vkGetPhysicalDeviceSurfaceCapabilitiesKHR (gpu->physical, info.surface,
                                                            &capabilities),
                 "vkGetPhysicalDeviceSurfaceCapabilitiesKHR");
  info.minImageCount = capabilities.minImageCount;
  vtr_app_check (vkCreateSwapchainKHR (gpu->device, &info, NULL, &self->window.swapchain),
                 "vkCreateSwapchainKHR");
  vkDestroySwapchainKHR (gpu->device, info.oldSwapchain, NULL);
  self->n_images = VTR_APP_WINDOW_IMAGES;
  vtr_app_check (vkGetSwapchainImagesKHR (gpu->device, self->window.swapchain, &self->n_images,
                                          self->window.images),
                 "vkGetSwapchainImagesKHR");
}

static void
make_twin (Chain    *self,
           uint32_t  nth)
{
  const VkDevice device = self->demo.scene.gpu.device;
  const VkImageSwapchainCreateInfoKHR of = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_SWAPCHAIN_CREATE_INFO_KHR,
    .pNext = &list,
    .swapchain = self->window.swapchain,
  };
  const VkImageCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
    .pNext = &of,
    .flags = VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT | VK_IMAGE_CREATE_EXTENDED_USAGE_BIT,
    .imageType = VK_IMAGE_TYPE_2D,
    .format = formats[0],
    .extent = { WIDTH, HEIGHT, 1 },
    .mipLevels = 1,
    .arrayLayers = 1,
    .samples = VK_SAMPLE_COUNT_1_BIT,
    .usage = VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
  };
  const VkBindImageMemorySwapchainInfoKHR there = {
    .sType = VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_SWAPCHAIN_INFO_KHR,
    .swapchain = self->window.swapchain,
    .imageIndex = nth,
  };
  VkBindImageMemoryInfo bind = { .sType = VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_INFO,
                                 .pNext = &there };
  const VkImageViewCreateInfo view = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
    .image = self->window.images[nth],
    .viewType = VK_IMAGE_VIEW_TYPE_2D,
    .format = formats[1],
    .subresourceRange = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1 },
  };

  vtr_app_check (vkCreateImage (device, &info, NULL, &self->twins[nth]), "vkCreateImage");
  bind.image = self->twins[nth];
  vtr_app_check (vkBindImageMemory2 (device, 1, &bind), "vkBindImageMemory2");
  vtr_app_check (vkCreateImageView (device, &view, NULL, &self->views[nth]), "vkCreateImageView");
}

static void
open_window (Chain *self)
{
  VtrAppGpu *gpu = &self->demo.scene.gpu;
  const VkSemaphoreCreateInfo semaphore = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO };

  self->connection = vtr_app_connect ();
  self->window.width = WIDTH;
  self->window.height = HEIGHT;
  self->window.format = formats[0];
  vtr_app_window_init (&self->window, gpu, self->connection, 10);
  make_swapchain (self);
  for (uint32_t i = 0; i < self->n_images; i++)
    make_twin (self, i);
  self->pipeline = vtr_app_pipeline (&self->demo.scene,
                                     &(VtrAppPipelineInfo){ .n_colors = 1,
                                                            .formats = &formats[1] });
  vtr_app_check (vkCreateSemaphore (gpu->device, &semaphore, NULL, &self->drawn),
                 "vkCreateSemaphore");
}

static void
change_layout (VkCommandBuffer commands,
               VkImage         image,
               VkImageLayout   from,
               VkImageLayout   to)
{
  const VtrAppImage changed = { .format = formats[0], .image = image };

  vtr_app_transition (commands, &changed, from, to);
}

/* .color by way of the twin, then a triangle over it. */
static void
record (Chain           *self,
        VkCommandBuffer  commands)
{
  const uint32_t nth = self->window.current;
  const VkImage image = self->window.images[nth], twin = self->twins[nth];
  const VkImageSubresourceLayers layers = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 };
  const VkImageBlit blit = {
    .srcSubresource = layers,
    .srcOffsets = { { 0 }, { VTR_APP_DEMO_WIDTH, VTR_APP_DEMO_HEIGHT, 1 } },
    .dstSubresource = layers,
    .dstOffsets = { { 0 }, { WIDTH, HEIGHT, 1 } },
  };
  const VkRenderingAttachmentInfo attachment = {
    .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
    .imageView = self->views[nth],
    .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
    .loadOp = VK_ATTACHMENT_LOAD_OP_LOAD,
    .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
  };
  const VkRenderingInfo info = {
    .sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
    .renderArea = { { 0, 0 }, { WIDTH, HEIGHT } },
    .layerCount = 1,
    .colorAttachmentCount = 1,
    .pColorAttachments = &attachment,
  };

  change_layout (commands, image,
                 self->used[nth] ? VK_IMAGE_LAYOUT_PRESENT_SRC_KHR : VK_IMAGE_LAYOUT_UNDEFINED,
                 VK_IMAGE_LAYOUT_GENERAL);
  if (!self->used[nth])
    change_layout (commands, twin, VK_IMAGE_LAYOUT_UNDEFINED,
                   VK_IMAGE_LAYOUT_GENERAL);
  self->used[nth] = true;
  vkCmdBlitImage (commands, self->demo.color->image, self->demo.color->layout, twin,
                  VK_IMAGE_LAYOUT_GENERAL, 1, &blit, VK_FILTER_NEAREST);
  vtr_app_barrier (commands);
  vkCmdBeginRendering (commands, &info);
  vtr_app_viewport (commands, WIDTH, HEIGHT);
  vkCmdBindPipeline (commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->pipeline);
  vtr_app_triangle (&self->demo.scene, commands, -0.2f, 0.1f, 0.7f, 0.5f, self->demo.frame);
  vkCmdEndRendering (commands);
  change_layout (commands, image, VK_IMAGE_LAYOUT_GENERAL,
                 VK_IMAGE_LAYOUT_PRESENT_SRC_KHR);
  vtr_app_check (vkEndCommandBuffer (commands), "vkEndCommandBuffer");
}

static void
present (Chain *self)
{
  VtrAppGpu *gpu = &self->demo.scene.gpu;
  const VkRectLayerKHR rects[] = { { { 0, 0 }, { WIDTH / 2, HEIGHT }, 0 },
                                   { { WIDTH / 2, 0 }, { WIDTH / 2, HEIGHT }, 0 } };
  const VkPresentRegionKHR region = { .rectangleCount = 2, .pRectangles = rects };
  const VkPresentRegionsKHR regions = {
    .sType = VK_STRUCTURE_TYPE_PRESENT_REGIONS_KHR,
    .swapchainCount = 1,
    .pRegions = &region,
  };
  VkResult result = VK_SUCCESS;
  const VkPresentInfoKHR info = {
    .sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
    .pNext = &regions,
    .waitSemaphoreCount = 1,
    .pWaitSemaphores = &self->drawn,
    .swapchainCount = 1,
    .pSwapchains = &self->window.swapchain,
    .pImageIndices = &self->window.current,
    .pResults = &result,
  };

  vtr_app_check (vkQueuePresentKHR (gpu->queue, &info), "vkQueuePresentKHR");
  vtr_app_check (result, "vkQueuePresentKHR");
  vtr_app_check (vkQueueWaitIdle (gpu->queue), "vkQueueWaitIdle");
}

static void
show (VtrAppDemo *demo)
{
  Chain *self = (Chain *)demo;
  const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  VkAcquireNextImageInfoKHR acquire = {
    .sType = VK_STRUCTURE_TYPE_ACQUIRE_NEXT_IMAGE_INFO_KHR,
    .timeout = UINT64_MAX,
    .deviceMask = 1,
  };
  VkSubmitInfo submit = {
    .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
    .waitSemaphoreCount = 1,
    .pWaitSemaphores = &self->window.acquired,
    .pWaitDstStageMask = &stage,
    .commandBufferCount = 1,
    .signalSemaphoreCount = 1,
    .pSignalSemaphores = &self->drawn,
  };
  VkCommandBuffer commands;

  if (self->connection == NULL)
    open_window (self);
  acquire.swapchain = self->window.swapchain;
  acquire.semaphore = self->window.acquired;
  vtr_app_check (vkAcquireNextImage2KHR (demo->scene.gpu.device, &acquire, &self->window.current),
                 "vkAcquireNextImage2KHR");
  commands = vtr_app_scene_begin (&demo->scene);
  submit.pCommandBuffers = &commands;
  record (self, commands);
  vtr_app_check (vkQueueSubmit (demo->scene.gpu.queue, 1, &submit, VK_NULL_HANDLE),
                 "vkQueueSubmit");
  present (self);
}

static void
draw (VtrAppDemo *demo)
{
  vtr_app_demo_begin_rendering (demo);
  vtr_app_demo_triangle (demo, 3);
  vtr_app_demo_check (demo);
  vtr_app_demo_triangle (demo, 4);
  vtr_app_demo_end_rendering (demo);
}

static void
finish (VtrAppDemo *demo)
{
  Chain *self = (Chain *)demo;
  const VkDevice device = demo->scene.gpu.device;

  if (self->connection == NULL)
    return;
  for (uint32_t i = 0; i < self->n_images; i++)
    {
      vkDestroyImageView (device, self->views[i], NULL);
      vkDestroyImage (device, self->twins[i], NULL);
    }
  vkDestroySemaphore (device, self->drawn, NULL);
  vtr_app_window_finish (&self->window, &demo->scene.gpu);
  xcb_disconnect (self->connection);
}

int
main (int    argc,
      char **argv)
{
  static const char *const extensions[] = { VK_KHR_SWAPCHAIN_MUTABLE_FORMAT_EXTENSION_NAME,
                                            VK_KHR_INCREMENTAL_PRESENT_EXTENSION_NAME, NULL };
  Chain self = { 0 };

  return vtr_app_demo_run (&self.demo,
                           &(VtrAppDemoInfo){ .what = "swapchains of several formats",
                                              .window_extensions = extensions,
                                              .draw = draw,
                                              .finish = finish,
                                              .show = show },
                           argc, argv);
}
