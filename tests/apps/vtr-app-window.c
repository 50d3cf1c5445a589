/* Opens an X window with a swapchain, for the test programs that present. */
#include "vtr-app-window.h"

#include <vulkan/vulkan_xcb.h> /* needs the types of xcb.h */

xcb_connection_t *
vtr_app_connect (void)
{
  xcb_connection_t *connection = xcb_connect (NULL, NULL);

  if (xcb_connection_has_error (connection) != 0)
    vtr_app_fail ("there is no X server");
  return connection;
}

VkSwapchainKHR
vtr_app_window_replace (VtrAppWindow *self,
                        VtrAppGpu    *gpu)
{
  VkSwapchainCreateInfoKHR info = {
    .sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR,
    .surface = self->surface,
    .imageFormat = self->format,
    .imageColorSpace = VK_COLOR_SPACE_SRGB_NONLINEAR_KHR,
    .imageExtent = { self->width, self->height },
    .imageArrayLayers = 1,
    .imageUsage = VK_IMAGE_USAGE_TRANSFER_DST_BIT,
    .preTransform = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR,
    .compositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR,
    .presentMode = VK_PRESENT_MODE_FIFO_KHR,
    .clipped = VK_FALSE,
    .oldSwapchain = self->swapchain,
  };
  VkSurfaceCapabilitiesKHR capabilities;
  uint32_t n_images = VTR_APP_WINDOW_IMAGES;
  VkResult result;

  result = vkGetPhysicalDeviceSurfaceCapabilitiesKHR (gpu->physical, self->surface, &capabilities);
  vtr_app_check (result, "vkGetPhysicalDeviceSurfaceCapabilitiesKHR");
  info.minImageCount = capabilities.minImageCount;
  vtr_app_check (vkCreateSwapchainKHR (gpu->device, &info, NULL, &self->swapchain),
                 "vkCreateSwapchainKHR");
  vtr_app_check (vkGetSwapchainImagesKHR (gpu->device, self->swapchain, &n_images, self->images),
                 "vkGetSwapchainImagesKHR");
  return info.oldSwapchain;
}

void
vtr_app_window_renew (VtrAppWindow *self,
                      VtrAppGpu    *gpu)
{
  VkSwapchainKHR old = vtr_app_window_replace (self, gpu);

  if (old != VK_NULL_HANDLE)
    vkDestroySwapchainKHR (gpu->device, old, NULL);
}

void
vtr_app_window_init (VtrAppWindow     *self,
                     VtrAppGpu        *gpu,
                     xcb_connection_t *connection,
                     int16_t           x)
{
  xcb_screen_t *screen = xcb_setup_roots_iterator (xcb_get_setup (connection)).data;
  VkXcbSurfaceCreateInfoKHR info = {
    .sType = VK_STRUCTURE_TYPE_XCB_SURFACE_CREATE_INFO_KHR,
    .connection = connection,
  };
  VkSemaphoreCreateInfo semaphore_info = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO };
  VkBool32 supported = VK_FALSE;

  self->window = info.window = xcb_generate_id (connection);
  xcb_create_window (connection, XCB_COPY_FROM_PARENT, self->window, screen->root, x, 10,
                     (uint16_t)self->width, (uint16_t)self->height, 0,
                     XCB_WINDOW_CLASS_INPUT_OUTPUT, screen->root_visual, 0, NULL);
  xcb_map_window (connection, self->window);
  xcb_flush (connection);
  vtr_app_check (vkCreateXcbSurfaceKHR (gpu->instance, &info, NULL, &self->surface),
                 "vkCreateXcbSurfaceKHR");
  vkGetPhysicalDeviceSurfaceSupportKHR (gpu->physical, gpu->family, self->surface, &supported);
  if (!supported)
    vtr_app_fail ("the queue cannot present to the window");

  vtr_app_window_renew (self, gpu);
  vtr_app_check (vkCreateSemaphore (gpu->device, &semaphore_info, NULL, &self->acquired),
                 "vkCreateSemaphore");
}

void
vtr_app_window_finish (VtrAppWindow *self,
                       VtrAppGpu    *gpu)
{
  vkDestroySemaphore (gpu->device, self->acquired, NULL);
  vkDestroySwapchainKHR (gpu->device, self->swapchain, NULL);
  vkDestroySurfaceKHR (gpu->instance, self->surface, NULL);
}

void
vtr_app_window_acquire (VtrAppWindow *self,
                        VtrAppGpu    *gpu)
{
  vtr_app_check (vkAcquireNextImageKHR (gpu->device, self->swapchain, UINT64_MAX, self->acquired,
                                        VK_NULL_HANDLE, &self->current),
                 "vkAcquireNextImageKHR");
}
