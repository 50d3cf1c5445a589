/* The picture of a recording: the image that its last frame presents, for the host to make a thumbnail from.
 *
 * Right before the driver presents the image, the GPU copies rows of it into memory of the layer's; the present
 * waits for that copy. The rows are committed as a VTR_RECORD_PICTURE before the recording ends. Whatever cannot
 * be copied (offscreen programs, surfaces that do not allow it, shared presentable images) has no picture.
 *
 * Threading: any, as Vulkan allows for the objects that are passed. */
#pragma once

#include "vtr-layer-recorder.h"

/* Copies from queues that @info makes. Returns: NULL without memory: then nothing is copied. */
VtrLayerPicture *vtr_layer_picture_new (const VkDeviceCreateInfo *info);

/* Frees what the GPU needs, while the driver still has the device. */
void vtr_layer_picture_end (VtrLayerDevice *device);
void vtr_layer_picture_free (VtrLayerPicture *self);

/* The driver has made @swapchain with @info. */
void vtr_layer_picture_swapchain_made (VtrLayerDevice                 *device,
                                       VkSwapchainKHR                  swapchain,
                                       const VkSwapchainCreateInfoKHR *info);

/* Commits the picture that was copied last, if there is one, once the GPU is done with it. Waits some
 * milliseconds at most; a picture that takes longer is given up. */
void vtr_layer_picture_commit (VtrLayerThread *thread);
