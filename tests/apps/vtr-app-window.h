/* An X window and its swapchain.
 *
 * Threading: one at a time. */
#pragma once

#include "vtr-app.h"

#include <xcb/xcb.h>

#define VTR_APP_WINDOW_IMAGES 16u

typedef struct
{
  xcb_window_t window;
  uint32_t width;
  uint32_t height;
  VkFormat format;
  VkSurfaceKHR surface;
  VkSwapchainKHR swapchain;
  VkImage images[VTR_APP_WINDOW_IMAGES];
  VkSemaphore acquired;
  uint32_t current;
} VtrAppWindow;

/* The X server of $DISPLAY. */
xcb_connection_t *vtr_app_connect (void);

/* Shows a window; .width, .height, .format are the caller's. @x: of its left edge. */
void vtr_app_window_init (VtrAppWindow     *self,
                          VtrAppGpu        *gpu,
                          xcb_connection_t *connection,
                          int16_t           x);
void vtr_app_window_finish (VtrAppWindow *self,
                            VtrAppGpu    *gpu);

/* A new swapchain, of .width and .height, in the place of the one there is. Returns: that one, to be
 * destroyed. */
VkSwapchainKHR vtr_app_window_replace (VtrAppWindow *self,
                                       VtrAppGpu    *gpu);
/* Like vtr_app_window_replace (), but also destroys the old swapchain. */
void vtr_app_window_renew (VtrAppWindow *self,
                           VtrAppGpu    *gpu);

/* Waits for the next image, .current; .acquired will be signalled. */
void vtr_app_window_acquire (VtrAppWindow *self,
                             VtrAppGpu    *gpu);
