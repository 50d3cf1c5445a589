/* vtr-app-demo-windows: two windows that take turns. Their images are acquired one frame ahead,
 * with a fence and no semaphore; the windows are resized, and images of the old swapchain are
 * presented when there is a new one. */
#include "vtr-app-demo.h"
#include "vtr-app-window.h"

#include <stdlib.h>
#include <string.h>

typedef struct
{
  VtrAppWindow window;
  VkSwapchainKHR retired; /* the swapchain before; NULL: destroyed */
  VkImage retired_images[VTR_APP_WINDOW_IMAGES];
  VkFence fence; /* of what is held */
  VkSemaphore drawn;
  /* The image that is acquired. */
  VkSwapchainKHR holder; /* NULL: none */
  VkExtent2D held;
} Pane;

typedef struct
{
  VtrAppDemo demo;
  xcb_connection_t *connection;
  Pane panes[2];
} Windows;

static void
open_panes (Windows *self)
{
  VtrAppGpu *gpu = &self->demo.scene.gpu;
  const VkFenceCreateInfo fence = { .sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO };
  const VkSemaphoreCreateInfo semaphore = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO };

  self->connection = vtr_app_connect ();
  for (uint32_t i = 0; i < 2; i++)
    {
      Pane *pane = &self->panes[i];

      pane->window.width = 96 + 32 * i;
      pane->window.height = 80;
      pane->window.format = i == 0 ? VK_FORMAT_B8G8R8A8_UNORM : VK_FORMAT_B8G8R8A8_SRGB;
      vtr_app_window_init (&pane->window, gpu, self->connection, (int16_t)(10 + 300 * i));
      vtr_app_check (vkCreateFence (gpu->device, &fence, NULL, &pane->fence), "vkCreateFence");
      vtr_app_check (vkCreateSemaphore (gpu->device, &semaphore, NULL, &pane->drawn),
                     "vkCreateSemaphore");
    }
}

static void
hold (Windows *self,
      Pane    *pane)
{
  vtr_app_check (vkAcquireNextImageKHR (self->demo.scene.gpu.device, pane->window.swapchain,
                                        UINT64_MAX, VK_NULL_HANDLE, pane->fence,
                                        &pane->window.current),
                 "vkAcquireNextImageKHR");
  pane->holder = pane->window.swapchain;
  pane->held = (VkExtent2D){ pane->window.width, pane->window.height };
}

static void
wait_for_held (Windows *self,
               Pane    *pane)
{
  const VkDevice device = self->demo.scene.gpu.device;

  vtr_app_check (vkWaitForFences (device, 1, &pane->fence, VK_TRUE, UINT64_MAX),
                 "vkWaitForFences");
  vtr_app_check (vkResetFences (device, 1, &pane->fence), "vkResetFences");
}

static void
forget_retired (Windows *self,
                Pane    *pane)
{
  vkDestroySwapchainKHR (self->demo.scene.gpu.device, pane->retired, NULL);
  pane->retired = VK_NULL_HANDLE;
}

/* The window of another size, a swapchain like it; the old one stays for a while. */
static void
resize (Windows *self,
        Pane    *pane)
{
  VtrAppWindow *window = &pane->window;
  const uint32_t size[] = { window->width + 8, window->height - 4 };

  if (pane->retired != VK_NULL_HANDLE)
    forget_retired (self, pane);
  xcb_configure_window (self->connection, window->window,
                        XCB_CONFIG_WINDOW_WIDTH | XCB_CONFIG_WINDOW_HEIGHT, size);
  free (xcb_get_geometry_reply (self->connection,
                                xcb_get_geometry (self->connection, window->window), NULL));
  window->width = size[0];
  window->height = size[1];
  memcpy (pane->retired_images, window->images, sizeof window->images);
  pane->retired = vtr_app_window_replace (window, &self->demo.scene.gpu);
}

static void
record (Windows         *self,
        Pane            *pane,
        VkCommandBuffer  commands)
{
  const VtrAppPicture *color = self->demo.color;
  const VkImageSubresourceLayers layers = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 };
  const VkImageBlit blit = {
    .srcSubresource = layers,
    .srcOffsets = { { 0 }, { VTR_APP_DEMO_WIDTH, VTR_APP_DEMO_HEIGHT, 1 } },
    .dstSubresource = layers,
    .dstOffsets = { { 0 }, { (int32_t)pane->held.width, (int32_t)pane->held.height, 1 } },
  };
  const VkImage *images =
    pane->holder == pane->retired ? pane->retired_images : pane->window.images;
  VtrAppImage image = { .format = pane->window.format, .image = images[pane->window.current] };

  vtr_app_transition (commands, &image, VK_IMAGE_LAYOUT_UNDEFINED,
                      VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
  vkCmdBlitImage (commands, color->image, color->layout, image.image,
                  VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &blit, VK_FILTER_NEAREST);
  vtr_app_transition (commands, &image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                      VK_IMAGE_LAYOUT_PRESENT_SRC_KHR);
  vtr_app_check (vkEndCommandBuffer (commands), "vkEndCommandBuffer");
}

static void
present (Windows *self,
         Pane    *pane)
{
  VtrAppGpu *gpu = &self->demo.scene.gpu;
  VkCommandBuffer commands = vtr_app_scene_begin (&self->demo.scene);
  const VkSubmitInfo submit = {
    .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
    .commandBufferCount = 1,
    .pCommandBuffers = &commands,
    .signalSemaphoreCount = 1,
    .pSignalSemaphores = &pane->drawn,
  };
  const VkPresentInfoKHR info = {
    .sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
    .waitSemaphoreCount = 1,
    .pWaitSemaphores = &pane->drawn,
    .swapchainCount = 1,
    .pSwapchains = &pane->holder,
    .pImageIndices = &pane->window.current,
  };
  VkResult result;

  record (self, pane, commands);
  vtr_app_check (vkQueueSubmit (gpu->queue, 1, &submit, VK_NULL_HANDLE), "vkQueueSubmit");
  result = vkQueuePresentKHR (gpu->queue, &info);
  if (result != VK_ERROR_OUT_OF_DATE_KHR && result != VK_SUBOPTIMAL_KHR)
    vtr_app_check (result, "vkQueuePresentKHR");
  vtr_app_check (vkQueueWaitIdle (gpu->queue), "vkQueueWaitIdle");
  pane->holder = VK_NULL_HANDLE;
}

/* The first window still has an image of the old swapchain. The second has none at first, and
 * its old swapchain exists for two more frames. */
static void
show (VtrAppDemo *demo)
{
  Windows *self = (Windows *)demo;
  const uint32_t turn = demo->frame % 2;
  Pane *pane = &self->panes[turn];

  if (self->connection == NULL)
    open_panes (self);
  if (demo->frame / 2 % 2 != turn)
    resize (self, pane);
  else if (pane->retired != VK_NULL_HANDLE)
    forget_retired (self, pane);
  if (pane->holder == VK_NULL_HANDLE)
    hold (self, pane);
  wait_for_held (self, pane);
  present (self, pane);
  hold (self, pane);
}

static void
draw (VtrAppDemo *demo)
{
  vtr_app_demo_begin_rendering (demo);
  vtr_app_demo_triangle (demo, 2);
  vtr_app_demo_check (demo);
  vtr_app_demo_triangle (demo, 5);
  vtr_app_demo_end_rendering (demo);
}

static void
finish (VtrAppDemo *demo)
{
  Windows *self = (Windows *)demo;
  VtrAppGpu *gpu = &demo->scene.gpu;

  for (uint32_t i = 0; i < 2 && self->connection != NULL; i++)
    {
      Pane *pane = &self->panes[i];

      if (pane->holder != VK_NULL_HANDLE)
        wait_for_held (self, pane);
      if (pane->retired != VK_NULL_HANDLE)
        forget_retired (self, pane);
      vkDestroyFence (gpu->device, pane->fence, NULL);
      vkDestroySemaphore (gpu->device, pane->drawn, NULL);
      vtr_app_window_finish (&pane->window, gpu);
    }
  if (self->connection != NULL)
    xcb_disconnect (self->connection);
}

int
main (int    argc,
      char **argv)
{
  Windows self = { 0 };

  return vtr_app_demo_run (&self.demo,
                           &(VtrAppDemoInfo){ .what = "what every driver has",
                                              .draw = draw,
                                              .finish = finish,
                                              .show = show },
                           argc, argv);
}
