/* Reads the results of all query pools at the start of a mid-run capture: the GPU copies them
 * where it can, otherwise the CPU asks the driver. */
#include "vtr-layer-query-results.h"

#include <stdlib.h>
#include <string.h>

#define TIMEOUT_NS (30ull * 1000 * 1000 * 1000)

bool
vtr_layer_query_is_plain (VkQueryType type)
{
  switch (type)
    {
    case VK_QUERY_TYPE_OCCLUSION:
    case VK_QUERY_TYPE_PIPELINE_STATISTICS:
    case VK_QUERY_TYPE_TIMESTAMP:
    case VK_QUERY_TYPE_TRANSFORM_FEEDBACK_STREAM_EXT:
    case VK_QUERY_TYPE_PRIMITIVES_GENERATED_EXT:
      return true;
    default:
      return false;
    }
}

uint64_t
vtr_layer_query_stride (const VtrLayerQueryPool *pool,
                        size_t                   width)
{
  return ((uint64_t)pool->n_values + 1) * width;
}

VkQueryResultFlags
vtr_layer_query_flags (size_t width)
{
  VkQueryResultFlags available = VK_QUERY_RESULT_WITH_AVAILABILITY_BIT;

  return width == sizeof (uint64_t) ? available | VK_QUERY_RESULT_64_BIT : available;
}

bool
vtr_layer_query_is_available (const VtrLayerQueryPlace *place,
                              const uint8_t            *bytes,
                              uint32_t                  nth)
{
  uint64_t stride = vtr_layer_query_stride (place->pool, sizeof (uint64_t));
  uint64_t word;

  memcpy (&word, bytes + place->wide + (nth + 1) * stride - sizeof word, sizeof word);
  return word != 0;
}

static void
add_pool (VtrLayerObject *object,
          void           *data)
{
  const VtrLayerQueryPool *pool = object->state;
  VtrLayerQueryResults *self = data;
  VtrLayerQueryPlace place = { .pool = pool };

  if (pool == NULL || !pool->reset || !vtr_layer_query_is_plain (pool->type))
    return;
  memcpy (&place.handle, &object->handle, sizeof place.handle);
  place.wide = self->size;
  place.narrow = place.wide + pool->n * vtr_layer_query_stride (pool, sizeof (uint64_t));
  self->size = place.narrow + pool->n * vtr_layer_query_stride (pool, sizeof (uint32_t));
  /* Where numbers of 64 bits may be. */
  self->size = (self->size + 7) / 8 * 8;
  vtr_buffer_append (&self->places, &place, sizeof place);
}

/* ---- By the GPU ---- */

static const VtrLayerLiveQueue *
find_queue (const VtrLayerLiveQueue *queues,
            size_t                   n_queues)
{
  const VtrLayerLiveQueue *found = NULL;

  for (size_t i = 0; i < n_queues; i++)
    {
      if ((queues[i].flags & VK_QUEUE_GRAPHICS_BIT) != 0)
        return &queues[i];
      if (found == NULL && (queues[i].flags & VK_QUEUE_COMPUTE_BIT) != 0)
        found = &queues[i];
    }
  return found;
}

static void
record_copies (const VtrLayerQueryResults *self,
               VkCommandBuffer             commands)
{
  const VtrDeviceDispatch *next = &self->device->next;
  const VtrLayerQueryPlace *places = (const void *)self->places.data;
  const VkBuffer buffer = self->readback.buffer;
  VkMemoryBarrier barrier = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
    .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
    .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
  };

  /* Values that are not available are not written. */
  next->CmdFillBuffer (commands, buffer, 0, VK_WHOLE_SIZE, 0);
  /* The queries may have been written, or reset, on other queues. */
  next->CmdPipelineBarrier (commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                            VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 1, &barrier, 0, NULL, 0, NULL);
  for (size_t i = 0; i < self->places.size / sizeof *places; i++)
    {
      const VtrLayerQueryPlace *each = &places[i];

      next->CmdCopyQueryPoolResults (commands, each->handle, 0, each->pool->n, buffer, each->wide,
                                     vtr_layer_query_stride (each->pool, sizeof (uint64_t)),
                                     vtr_layer_query_flags (sizeof (uint64_t)));
      next->CmdCopyQueryPoolResults (commands, each->handle, 0, each->pool->n, buffer,
                                     each->narrow,
                                     vtr_layer_query_stride (each->pool, sizeof (uint32_t)),
                                     vtr_layer_query_flags (sizeof (uint32_t)));
    }
  barrier.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
  barrier.dstAccessMask = VK_ACCESS_HOST_READ_BIT;
  next->CmdPipelineBarrier (commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT,
                            0, 1, &barrier, 0, NULL, 0, NULL);
}

static VkCommandBuffer
make_commands (VtrLayerQueryResults *self,
               uint32_t              family)
{
  const VtrDeviceDispatch *next = &self->device->next;
  VkDevice device = self->device->handle;
  const VkCommandPoolCreateInfo pool = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
    .queueFamilyIndex = family,
  };
  VkCommandBufferAllocateInfo info = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
    .commandBufferCount = 1,
  };
  VkCommandBuffer commands;

  if (next->CreateCommandPool (device, &pool, NULL, &self->pool) != VK_SUCCESS)
    return VK_NULL_HANDLE;
  info.commandPool = self->pool;
  if (next->AllocateCommandBuffers (device, &info, &commands) != VK_SUCCESS)
    return VK_NULL_HANDLE;
  /* Sets the dispatch word, as the loader does for the program: layers below find their device by
   * it. */
  *(void **)commands = *(void **)device;
  return commands;
}

/* Returns: whether the GPU copies them. */
static bool
start_copies (VtrLayerQueryResults    *self,
              const VtrLayerLiveQueue *queue)
{
  const VtrDeviceDispatch *next = &self->device->next;
  const VkFenceCreateInfo fence = { .sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO };
  const VkCommandBufferBeginInfo begin = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
    .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
  };
  VkCommandBuffer commands;
  const VkSubmitInfo submit = {
    .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
    .commandBufferCount = 1,
    .pCommandBuffers = &commands,
  };

  if (vtr_layer_readback_make (&self->readback, self->device, self->size,
                               VK_BUFFER_USAGE_TRANSFER_DST_BIT, NULL, 0) != VK_SUCCESS ||
      next->CreateFence (self->device->handle, &fence, NULL, &self->fence) != VK_SUCCESS)
    return false;
  commands = make_commands (self, queue->family);
  if (commands == VK_NULL_HANDLE || next->BeginCommandBuffer (commands, &begin) != VK_SUCCESS)
    return false;
  record_copies (self, commands);
  return next->EndCommandBuffer (commands) == VK_SUCCESS &&
         next->QueueSubmit (queue->queue, 1, &submit, self->fence) == VK_SUCCESS;
}

/* ---- By the CPU ---- */

static void
ask_one (VtrLayerQueryResults     *self,
         const VtrLayerQueryPlace *place,
         uint64_t                  at,
         size_t                    width)
{
  uint64_t stride = vtr_layer_query_stride (place->pool, width);
  size_t size = (size_t)(place->pool->n * stride);

  if (self->device->next.GetQueryPoolResults (self->device->handle, place->handle, 0,
                                              place->pool->n, size, self->asked + at, stride,
                                              vtr_layer_query_flags (width)) < 0)
    memset (self->asked + at, 0, size);
}

static bool
ask (VtrLayerQueryResults *self)
{
  const VtrLayerQueryPlace *places = (const void *)self->places.data;

  self->asked = calloc (1, (size_t)self->size);
  for (size_t i = 0; self->asked != NULL && i < self->places.size / sizeof *places; i++)
    {
      ask_one (self, &places[i], places[i].wide, sizeof (uint64_t));
      ask_one (self, &places[i], places[i].narrow, sizeof (uint32_t));
    }
  return self->asked != NULL;
}

/* ---- All of it ---- */

bool
vtr_layer_query_results_start (VtrLayerQueryResults    *self,
                               VtrLayerDevice          *device,
                               const VtrLayerLiveQueue *queues,
                               size_t                   n_queues)
{
  const VtrLayerLiveQueue *queue = find_queue (queues, n_queues);

  self->device = device;
  vtr_layer_initial_for_each (device->live, VTR_HANDLE_VkQueryPool, add_pool, self);
  if (self->places.failed)
    return false;
  if (self->size == 0)
    return true;
  self->running = queue != NULL && start_copies (self, queue);
  return self->running || ask (self);
}

const uint8_t *
vtr_layer_query_results_wait (VtrLayerQueryResults *self)
{
  const VtrDeviceDispatch *next = &self->device->next;

  if (self->lost)
    return NULL;
  if (!self->running)
    return self->asked != NULL ? self->asked : self->readback.bytes;
  self->running = false;
  self->lost = next->WaitForFences (self->device->handle, 1, &self->fence, VK_TRUE, TIMEOUT_NS) !=
               VK_SUCCESS;
  if (self->lost)
    return NULL;
  if (vtr_layer_readback_invalidate (&self->readback, self->device) != VK_SUCCESS && !ask (self))
    vtr_layer_readback_free (&self->readback, self->device);
  return self->asked != NULL ? self->asked : self->readback.bytes;
}

void
vtr_layer_query_results_finish (VtrLayerQueryResults *self)
{
  if (self->running)
    vtr_layer_query_results_wait (self);
  /* Objects that the GPU may still use are kept. */
  if (!self->lost && self->device != NULL)
    {
      if (self->fence != VK_NULL_HANDLE)
        self->device->next.DestroyFence (self->device->handle, self->fence, NULL);
      if (self->pool != VK_NULL_HANDLE)
        self->device->next.DestroyCommandPool (self->device->handle, self->pool, NULL);
      vtr_layer_readback_free (&self->readback, self->device);
    }
  vtr_buffer_finish (&self->places);
  free (self->asked);
  memset (self, 0, sizeof *self);
}
