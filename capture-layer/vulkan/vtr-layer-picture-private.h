/* A device's copy of a presented image, and the GPU objects that it needs.
 *
 * Threading: one at a time. */
#pragma once

#include "vtr-layer-picture.h"
#include "vtr-layer-readback.h"

#define VTR_PICTURE_MAX_QUEUES 32u

struct VtrLayerPicture
{
  struct
  {
    uint32_t family, n;
  } queues[VTR_PICTURE_MAX_QUEUES];
  uint32_t n_queues;
  VtrLayerMap swapchains; /* of vtr-layer-picture.c */

  uint32_t family; /* of .pool */
  VkCommandPool pool;
  VkCommandBuffer commands;
  VkFence fence;
  VtrLayerReadback readback;
  uint64_t size;       /* of .readback */
  uint64_t touched;    /* bytes that the system has given pages for, as far as we know */
  bool busy;           /* .fence will be signalled */
  VtrRingPicture head; /* of what is copied */
};

/* Copies the rows that .head says, @size bytes of them, of @image, which @queue is about to present: waits for what
 * @info waits for, and signals @semaphore. Returns: false when nothing was submitted. */
bool vtr_picture_copy (VtrLayerDevice         *device,
                       VkQueue                 queue,
                       const VkPresentInfoKHR *info,
                       VkImage                 image,
                       uint64_t                size,
                       const VkSemaphore      *semaphore);

/* Does a part of what vtr_picture_copy() would have to do first, for @size bytes: a frame with some of it takes
 * hardly longer. To be called until nothing is left. */
void vtr_picture_prepare (VtrLayerDevice *device,
                          VkQueue         queue,
                          uint64_t        size);

/* Waits until the GPU has come to the end of the copy. Returns: whether it has. */
bool vtr_picture_wait (VtrLayerDevice *device,
                       uint64_t        nanoseconds);

/* Frees what the GPU needs, where it does not use it any more. */
void vtr_picture_gpu_finish (VtrLayerDevice *device);
