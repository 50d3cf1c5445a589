/* The picture of a recording: the image that its last frame presents, for the host to make a thumbnail from.
 *
 * Right before the driver presents the image, the GPU copies rows of it into the layer's memory; the present
 * waits for that copy. The rows are committed as a VTR_RECORD_PICTURE. A recording from launch commits them
 * before it ends. After other recordings a thread of low priority does, so that the program waits neither for
 * the GPU nor for the rows; if the program exits first, they are committed at exit.
 *
 * There is no picture of offscreen programs, surfaces that cannot be copied from, and shared presentable images.
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

/* To be called when the recording has ended: a thread of the layer commits the picture that was copied last. If
 * no thread can be started, @thread commits it. Either of them then calls vtr_layer_trigger_delivered(). */
void vtr_layer_picture_deliver (VtrLayerThread *thread);
