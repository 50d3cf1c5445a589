/* Writes calls that bind every bound page of sparse memory again, for a mid-run capture. */
#include "vtr-layer-initial.h"

#include <string.h>

#define BINDS_AT_ONCE 4096u

typedef struct
{
  VtrLayerInitial *initial;
  VtrLayerDevice *device;
  VkQueue queue; /* NULL: none can bind */
  bool bound;    /* something was */
} Sparse;

static void
call (Sparse                                  *self,
      const VkSparseBufferMemoryBindInfo      *buffer,
      const VkSparseImageOpaqueMemoryBindInfo *opaque,
      const VkSparseImageMemoryBindInfo       *image)
{
  const VkBindSparseInfo info = {
    .sType = VK_STRUCTURE_TYPE_BIND_SPARSE_INFO,
    .bufferBindCount = buffer != NULL,
    .pBufferBinds = buffer,
    .imageOpaqueBindCount = opaque != NULL,
    .pImageOpaqueBinds = opaque,
    .imageBindCount = image != NULL,
    .pImageBinds = image,
  };
  const VtrArgs_vkQueueBindSparse args = { self->queue, 1, &info, VK_NULL_HANDLE };

  if (self->queue == NULL)
    vtr_layer_initial_fail (self->initial,
                            "The program has no queue that can place sparse memory.");
  else
    vtr_layer_initial_call (self->initial, self->device, VTR_CMD_vkQueueBindSparse, &args, 0);
  self->bound = true;
}

/* Each resource has calls of its own, so that it can be left out with them. */
static void
bind (Sparse               *self,
      VkBuffer              buffer,
      VkImage               image,
      const VtrLayerSparse *sparse)
{
  VtrBuffer ranges = { 0 }, tiles = { 0 };

  vtr_layer_sparse_list (sparse, vtr_layer_live_is_there, self->device->live, &ranges, &tiles);
  if (ranges.failed || tiles.failed)
    vtr_layer_initial_fail (self->initial, "The program has not enough memory left.");
  for (size_t at = 0; at < ranges.size; at += BINDS_AT_ONCE * sizeof (VkSparseMemoryBind))
    {
      const VkSparseMemoryBind *first = (const void *)(ranges.data + at);
      const size_t left = (ranges.size - at) / sizeof *first;
      const uint32_t n = left < BINDS_AT_ONCE ? (uint32_t)left : BINDS_AT_ONCE;
      const VkSparseBufferMemoryBindInfo bytes = { buffer, n, first };
      const VkSparseImageOpaqueMemoryBindInfo opaque = { image, n, first };

      call (self, buffer != VK_NULL_HANDLE ? &bytes : NULL,
            image != VK_NULL_HANDLE ? &opaque : NULL, NULL);
    }
  for (size_t at = 0; at < tiles.size; at += BINDS_AT_ONCE * sizeof (VkSparseImageMemoryBind))
    {
      const VkSparseImageMemoryBind *first = (const void *)(tiles.data + at);
      const size_t left = (tiles.size - at) / sizeof *first;
      const uint32_t n = left < BINDS_AT_ONCE ? (uint32_t)left : BINDS_AT_ONCE;
      const VkSparseImageMemoryBindInfo info = { image, n, first };

      call (self, NULL, NULL, &info);
    }
  vtr_buffer_finish (&ranges);
  vtr_buffer_finish (&tiles);
}

static void
bind_buffer (VtrLayerObject *object,
             void           *data)
{
  const VtrLayerBuffer *state = object->state;
  VkBuffer buffer;

  memcpy (&buffer, &object->handle, sizeof buffer);
  if (state != NULL && state->sparse != NULL)
    bind (data, buffer, VK_NULL_HANDLE, state->sparse);
}

static void
bind_image (VtrLayerObject *object,
            void           *data)
{
  const VtrLayerImage *state = object->state;
  VkImage image;

  memcpy (&image, &object->handle, sizeof image);
  if (state != NULL && state->sparse != NULL)
    bind (data, VK_NULL_HANDLE, image, state->sparse);
}

static void
find_queue (VtrLayerObject *object,
            void           *data)
{
  const VtrLayerQueue *queue = object->state;
  Sparse *self = data;
  VkQueueFamilyProperties families[32];
  uint32_t n = 32;

  if (queue == NULL || self->queue != NULL)
    return;
  self->device->instance->next.GetPhysicalDeviceQueueFamilyProperties (self->device->physical, &n,
                                                                       families);
  if (queue->family < n && (families[queue->family].queueFlags & VK_QUEUE_SPARSE_BINDING_BIT) != 0)
    self->queue = (VkQueue)(uintptr_t)object->handle;
}

void
vtr_layer_initial_write_sparse (VtrLayerInitial *self,
                                VtrLayerDevice  *device)
{
  Sparse sparse = { .initial = self, .device = device };

  if (!device->live->has_sparse)
    return;
  vtr_layer_initial_for_each (device->live, VTR_HANDLE_VkQueue, find_queue, &sparse);
  vtr_layer_initial_for_each (device->live, VTR_HANDLE_VkBuffer, bind_buffer, &sparse);
  vtr_layer_initial_for_each (device->live, VTR_HANDLE_VkImage, bind_image, &sparse);
  if (sparse.bound && sparse.queue != NULL)
    vtr_layer_initial_call (self, device, VTR_CMD_vkQueueWaitIdle,
                            &(const VtrArgs_vkQueueWaitIdle){ sparse.queue }, 0);
}
