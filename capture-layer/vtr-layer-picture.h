/* The picture of a recording: the image that its last frame presents, for the host to make a thumbnail from.
 *
 * Right before the driver presents the image, the GPU copies rows of it into memory of the layer's; the present
 * waits for that copy. The rows are committed as a VTR_RECORD_PICTURE: of a recording from launch before it ends,
 * of another one by a thread of low priority after its end, so that the program waits neither for the GPU nor for the
 * rows. A program that ends meanwhile commits them first. Whatever cannot be copied (offscreen programs, surfaces that do not allow it, shared presentable images) has no picture.
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

/* The recording has ended: has the picture that was copied last committed by a thread. Where there is none, or no
 * thread, @thread does it. vtr_layer_trigger_delivered() follows, by any thread. */
void vtr_layer_picture_deliver (VtrLayerThread *thread);

/* In the child of a fork(). */
void vtr_layer_picture_forked (void);
