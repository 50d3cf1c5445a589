/* The picture of a recording: the image that its last frame presents, for the host to make a thumbnail from.
 *
 * Right before the driver presents the image, the GPU copies rows of it into the layer's memory; the present
 * waits for that copy. vtr-layer-thumbnail.h commits them.
 *
 * There is no picture of offscreen programs, surfaces that cannot be copied from, and shared presentable images.
 *
 * Threading: any, as Vulkan allows for the objects that are passed. */
#pragma once

#include "vtr-layer.h"

/* Copies from queues that @info makes. Returns: NULL without memory: then nothing is copied. */
VtrLayerPicture *vtr_layer_picture_new (const VkDeviceCreateInfo *info);

/* Frees what the GPU needs, while the driver still has the device. */
void vtr_layer_picture_end (VtrLayerDevice *device);
void vtr_layer_picture_free (VtrLayerPicture *self);

/* The driver has made @swapchain with @info. */
void vtr_layer_picture_swapchain_made (VtrLayerDevice                 *device,
                                       VkSwapchainKHR                  swapchain,
                                       const VkSwapchainCreateInfoKHR *info);

/* VtrCaptureApi.get_picture */
bool vtr_layer_picture_get (VtrNamespace    *names,
                            VtrRingPicture  *head,
                            const uint8_t  **rows,
                            size_t          *size);
