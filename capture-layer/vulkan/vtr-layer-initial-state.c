/* Writes calls that restore the state of a device's objects: layouts and queries through a command
 * buffer, then fences, semaphores, events and acquired images. */
#include "vtr-layer-initial.h"

#include "vtr-layer-query-results.h"

#include <stdlib.h>
#include <string.h>

#define BARRIERS_AT_ONCE 256u

typedef struct
{
  VtrLayerInitial *initial;
  VtrLayerDevice *device;
  VkQueue queue; /* any; NULL: the program has asked for none */
  uint32_t family;
  /* A command buffer of the layer, for its handles: only the trace has its contents. */
  VkCommandPool pool;
  VkCommandBuffer commands;
  VtrRingChain block;
  VkImageMemoryBarrier barriers[BARRIERS_AT_ONCE];
  uint32_t n_barriers;
} State;

static void
call (State      *self,
      VtrCmdId    cmd,
      const void *args)
{
  vtr_layer_initial_call (self->initial, self->device, cmd, args, 0);
}

/* ---- The command buffer ---- */

static void
record (State      *self,
        VtrCmdId    cmd,
        const void *args)
{
  VtrLayerThread *thread = self->initial->thread;
  size_t start = thread->scratch.size;

  vtr_api_encode (&thread->scratch, cmd, args, 0, thread->id, 0, VTR_COMMAND_FLAG_INITIAL,
                  &self->device->names.env);
  if (thread->scratch.failed ||
      vtr_ring_block_append (&self->block, cmd, 0, thread->scratch.data + start,
                             thread->scratch.size - start) != VTR_OK)
    vtr_layer_initial_fail (self->initial, "The recording ended before it could begin.");
  vtr_layer_thread_forget (thread, start);
}

static bool
make_command_buffer (State *self)
{
  const VtrDeviceDispatch *next = &self->device->next;
  VkDevice device = self->device->handle;
  const VkCommandPoolCreateInfo pool_info = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
    .queueFamilyIndex = self->family,
  };
  VkCommandBufferAllocateInfo info = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
    .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
    .commandBufferCount = 1,
  };
  const VtrArgs_vkCreateCommandPool pool_args = { device, &pool_info, NULL, &self->pool };
  const VtrArgs_vkAllocateCommandBuffers args = { device, &info, &self->commands };

  if (next->CreateCommandPool (device, &pool_info, NULL, &self->pool) != VK_SUCCESS)
    return vtr_layer_initial_fail (self->initial, "The driver has no command pool left.");
  info.commandPool = self->pool;
  if (next->AllocateCommandBuffers (device, &info, &self->commands) != VK_SUCCESS)
    return vtr_layer_initial_fail (self->initial, "The driver has no command buffer left.");
  call (self, VTR_CMD_vkCreateCommandPool, &pool_args);
  call (self, VTR_CMD_vkAllocateCommandBuffers, &args);
  return true;
}

/* Begins to record when first needed. Returns: whether it could. */
static bool
begin (State *self)
{
  const VkCommandBufferBeginInfo info = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
    .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
  };

  if (self->initial->failed || self->queue == NULL)
    return false;
  if (self->commands == VK_NULL_HANDLE)
    {
      if (!make_command_buffer (self))
        return false;
      if (!vtr_ring_block_begin (&self->block, &vtr_layer_ring,
                                 (uint64_t)(uintptr_t)self->commands))
        return vtr_layer_initial_fail (self->initial, "The recording ended before it could begin.");
      record (self, VTR_CMD_vkBeginCommandBuffer,
              &(const VtrArgs_vkBeginCommandBuffer){ self->commands, &info });
    }
  return true;
}

static void
submit (State *self)
{
  const VkSubmitInfo info = {
    .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
    .commandBufferCount = 1,
    .pCommandBuffers = &self->commands,
  };
  VtrLayerThread *thread = self->initial->thread;

  if (self->commands != VK_NULL_HANDLE && !self->initial->failed)
    {
      record (self, VTR_CMD_vkEndCommandBuffer,
              &(const VtrArgs_vkEndCommandBuffer){ self->commands });
      if (vtr_ring_block_publish (&self->block, &thread->log, VTR_RING_BLOCK_INITIAL, false) !=
          VTR_OK)
        vtr_layer_initial_fail (self->initial, "The recording ended before it could begin.");
      call (self, VTR_CMD_vkQueueSubmit,
            &(const VtrArgs_vkQueueSubmit){ self->queue, 1, &info, VK_NULL_HANDLE });
      call (self, VTR_CMD_vkQueueWaitIdle, &(const VtrArgs_vkQueueWaitIdle){ self->queue });
      call (self, VTR_CMD_vkDestroyCommandPool,
            &(const VtrArgs_vkDestroyCommandPool){ self->device->handle, self->pool, NULL });
    }
  vtr_ring_block_drop (&self->block);
  if (self->pool != VK_NULL_HANDLE)
    self->device->next.DestroyCommandPool (self->device->handle, self->pool, NULL);
}

/* ---- Layouts ---- */

static void
flush_barriers (State *self)
{
  const VtrArgs_vkCmdPipelineBarrier args = {
    self->commands,
    VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT,
    VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
    0,
    0,
    NULL,
    0,
    NULL,
    self->n_barriers,
    self->barriers,
  };

  if (self->n_barriers > 0 && !self->initial->failed)
    record (self, VTR_CMD_vkCmdPipelineBarrier, &args);
  self->n_barriers = 0;
}

static void
add_barrier (State                         *self,
             const VtrLayerObject          *image,
             VkImageLayout                  layout,
             const VkImageSubresourceRange *range)
{
  VkImageMemoryBarrier *barrier;

  if (layout == VK_IMAGE_LAYOUT_UNDEFINED || layout == VK_IMAGE_LAYOUT_PREINITIALIZED ||
      !begin (self))
    return;
  if (self->n_barriers == BARRIERS_AT_ONCE)
    flush_barriers (self);
  barrier = &self->barriers[self->n_barriers++];
  *barrier = (VkImageMemoryBarrier){
    .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
    .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
    .oldLayout = VK_IMAGE_LAYOUT_UNDEFINED,
    .newLayout = layout,
    .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
    .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
    .subresourceRange = *range,
  };
  memcpy (&barrier->image, &image->handle, sizeof barrier->image);
}

static VkImageLayout
get_layout (const VtrLayerImage *image,
            uint32_t             aspect,
            uint32_t             layer,
            uint32_t             mip)
{
  size_t at = ((size_t)aspect * image->n_layers + layer) * image->info.mipLevels + mip;

  return image->layouts[at];
}

/* All of an image that is in one layout, if it is. */
static bool
is_uniform (const VtrLayerImage *image)
{
  size_t n = (size_t)image->n_aspects * image->n_layers * image->info.mipLevels;

  for (size_t i = 1; i < n; i++)
    if (image->layouts[i] != image->layouts[0])
      return false;
  return true;
}

static VkImageAspectFlags
get_all_aspects (const VtrLayerImage *image)
{
  VkImageAspectFlags all = 0;

  for (uint32_t i = 0; i < image->n_aspects; i++)
    all |= vtr_layer_get_aspect (image->info.format, i);
  if (all & VK_IMAGE_ASPECT_PLANE_0_BIT)
    return VK_IMAGE_ASPECT_COLOR_BIT;
  return all;
}

static void
add_barriers_of_subresource (State                *self,
                             const VtrLayerObject *object,
                             const VtrLayerImage  *image,
                             uint32_t              layer,
                             uint32_t              mip)
{
  VkImageSubresourceRange range = { get_all_aspects (image), mip, 1, layer, 1 };
  bool same = true;

  for (uint32_t i = 1; i < image->n_aspects; i++)
    same = same && get_layout (image, i, layer, mip) == get_layout (image, 0, layer, mip);
  if (same)
    {
      add_barrier (self, object, get_layout (image, 0, layer, mip), &range);
      return;
    }
  for (uint32_t i = 0; i < image->n_aspects; i++)
    {
      range.aspectMask = vtr_layer_get_aspect (image->info.format, i);
      add_barrier (self, object, get_layout (image, i, layer, mip), &range);
    }
}

static void
write_layouts (VtrLayerObject *object,
               void           *data)
{
  const VtrLayerImage *image = object->state;
  State *self = data;
  VkImageSubresourceRange all = { 0, 0, VK_REMAINING_MIP_LEVELS, 0, VK_REMAINING_ARRAY_LAYERS };

  if (image == NULL || !vtr_layer_live_is_usable (self->device->live, image))
    return;
  if (is_uniform (image))
    {
      all.aspectMask = get_all_aspects (image);
      add_barrier (self, object, image->layouts[0], &all);
      return;
    }
  for (uint32_t mip = 0; mip < image->info.mipLevels; mip++)
    {
      const uint32_t n = vtr_layer_count_layers (image->slices, image->n_layers, mip);

      for (uint32_t layer = 0; layer < n; layer++)
        add_barriers_of_subresource (self, object, image, layer, mip);
    }
}

/* Makes a query available, as it is in the program; its result is recorded separately
 * (vtr-layer-initial-queries.c). */
static void
write_query (State                   *self,
             const VtrLayerQueryPool *pool,
             VkQueryPool              handle,
             uint32_t                 query)
{
  const VtrArgs_vkCmdWriteTimestamp write = { self->commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT,
                                              handle, query };
  const VtrArgs_vkCmdBeginQuery begin_args = { self->commands, handle, query, 0 };
  const VtrArgs_vkCmdEndQuery end_args = { self->commands, handle, query };

  if (pool->type == VK_QUERY_TYPE_TIMESTAMP)
    record (self, VTR_CMD_vkCmdWriteTimestamp, &write);
  else
    {
      record (self, VTR_CMD_vkCmdBeginQuery, &begin_args);
      record (self, VTR_CMD_vkCmdEndQuery, &end_args);
    }
}

static void
write_available (State *self)
{
  VtrLayerQueryResults *queries = self->initial->queries;
  const VtrLayerQueryPlace *places = (const void *)queries->places.data;
  const uint8_t *bytes = vtr_layer_query_results_wait (queries);

  if (bytes == NULL && queries->places.size > 0)
    vtr_layer_initial_fail (self->initial, "The GPU did not copy the results of queries.");
  for (size_t i = 0; i < queries->places.size / sizeof *places && begin (self); i++)
    for (uint32_t nth = 0; nth < places[i].pool->n; nth++)
      if (vtr_layer_query_is_available (&places[i], bytes, nth))
        write_query (self, places[i].pool, places[i].handle, nth);
}

static void
reset_queries (VtrLayerObject *object,
               void           *data)
{
  const VtrLayerQueryPool *pool = object->state;
  VtrArgs_vkCmdResetQueryPool args = { .firstQuery = 0 };
  State *self = data;

  if (pool == NULL || !pool->reset || !begin (self))
    return;
  args.commandBuffer = self->commands;
  args.queryCount = pool->n;
  memcpy (&args.queryPool, &object->handle, sizeof args.queryPool);
  record (self, VTR_CMD_vkCmdResetQueryPool, &args);
}

/* ---- Synchronisation ---- */

static void
write_fence (VtrLayerObject *object,
             void           *data)
{
  const VtrLayerFence *fence = object->state;
  State *self = data;
  VkFence handle;
  VkResult status;

  memcpy (&handle, &object->handle, sizeof handle);
  status = self->device->next.GetFenceStatus (self->device->handle, handle);
  if (fence == NULL || status < 0 || (status == VK_SUCCESS) == fence->signalled)
    return;
  if (!fence->signalled && self->queue != NULL)
    call (self, VTR_CMD_vkQueueSubmit,
          &(const VtrArgs_vkQueueSubmit){ self->queue, 0, NULL, handle });
  else if (fence->signalled)
    call (self, VTR_CMD_vkResetFences,
          &(const VtrArgs_vkResetFences){ self->device->handle, 1, &handle });
}

static void
write_timeline (State                   *self,
                const VtrLayerSemaphore *semaphore,
                VkSemaphore              handle)
{
  const VtrDeviceDispatch *next = &self->device->next;
  bool core = next->GetSemaphoreCounterValue != NULL;
  PFN_vkGetSemaphoreCounterValue get_value =
    core ? next->GetSemaphoreCounterValue : next->GetSemaphoreCounterValueKHR;
  VkSemaphoreSignalInfo info = {
    .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO,
    .semaphore = handle,
  };

  if (get_value == NULL ||
      get_value (self->device->handle, handle, &info.value) != VK_SUCCESS ||
      info.value == semaphore->initial)
    return;
  call (self, core ? VTR_CMD_vkSignalSemaphore : VTR_CMD_vkSignalSemaphoreKHR,
        &(const VtrArgs_vkSignalSemaphore){ self->device->handle, &info });
}

/* Whether the semaphore waits for an image that is acquired still. */
static bool
is_of_acquired (const State             *self,
                const VtrLayerSemaphore *semaphore)
{
  const VtrLayerImage *image =
    vtr_layer_live_state (self->device->live, VTR_HANDLE_VkImage, semaphore->acquire);

  return image != NULL && image->acquired;
}

static void
write_semaphore (VtrLayerObject *object,
                 void           *data)
{
  const VtrLayerSemaphore *semaphore = object->state;
  VkSubmitInfo info = { .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .signalSemaphoreCount = 1 };
  State *self = data;
  VkSemaphore handle;

  if (semaphore == NULL)
    return;
  memcpy (&handle, &object->handle, sizeof handle);
  if (semaphore->timeline)
    {
      write_timeline (self, semaphore, handle);
      return;
    }
  if (!semaphore->signalled || is_of_acquired (self, semaphore) || self->queue == NULL)
    return;
  info.pSignalSemaphores = &handle;
  call (self, VTR_CMD_vkQueueSubmit,
        &(const VtrArgs_vkQueueSubmit){ self->queue, 1, &info, VK_NULL_HANDLE });
}

/* Set by the same command, after the same stages, because a wait has to name both. */
static void
set_event (State               *self,
           const VtrLayerEvent *event,
           VkEvent              handle)
{
  VkMemoryBarrier2 barrier = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
    .srcStageMask = event->stages,
    .dstStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
  };
  VkDependencyInfo info = {
    .sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
    .memoryBarrierCount = 1,
    .pMemoryBarriers = &barrier,
  };

#ifdef VK_KHR_maintenance9
  if (event->set == VTR_LAYER_EVENT_SET_ASYMMETRIC)
    {
      info.dependencyFlags = VK_DEPENDENCY_ASYMMETRIC_EVENT_BIT_KHR;
      barrier.dstStageMask = VK_PIPELINE_STAGE_2_NONE;
    }
#endif
  if (!begin (self))
    return;
  if (event->set >= VTR_LAYER_EVENT_SET_2)
    record (self, VTR_CMD_vkCmdSetEvent2,
            &(const VtrArgs_vkCmdSetEvent2){ self->commands, handle, &info });
  else
    record (self, VTR_CMD_vkCmdSetEvent,
            &(const VtrArgs_vkCmdSetEvent){ self->commands, handle,
                                            (VkPipelineStageFlags)event->stages });
}

static void
write_event (VtrLayerObject *object,
             void           *data)
{
  const VtrLayerEvent *event = object->state;
  State *self = data;
  VkEvent handle;
  bool set;

  if (event == NULL)
    return;
  memcpy (&handle, &object->handle, sizeof handle);
  set = event->device_only
          ? event->set != VTR_LAYER_EVENT_RESET
          : self->device->next.GetEventStatus (self->device->handle, handle) == VK_EVENT_SET;
  if (!set)
    return;
  if (event->set != VTR_LAYER_EVENT_RESET)
    set_event (self, event, handle);
  else
    call (self, VTR_CMD_vkSetEvent, &(const VtrArgs_vkSetEvent){ self->device->handle, handle });
}

/* The semaphore that the acquisition of an image signals still. */
typedef struct
{
  uint64_t image;
  VkSemaphore found;
} FindSemaphore;

static void
find_semaphore (VtrLayerObject *object,
                void           *data)
{
  const VtrLayerSemaphore *semaphore = object->state;
  FindSemaphore *self = data;

  if (semaphore != NULL && semaphore->signalled && semaphore->acquire == self->image)
    memcpy (&self->found, &object->handle, sizeof self->found);
}

static void
write_swapchain (VtrLayerObject *object,
                 void           *data)
{
  const VtrLayerSwapchain *swapchain = object->state;
  State *self = data;

  for (uint32_t i = 0; swapchain != NULL && i < swapchain->n_images; i++)
    {
      FindSemaphore find = { (uint64_t)(uintptr_t)swapchain->images[i], VK_NULL_HANDLE };
      const VtrLayerObject *made =
        vtr_layer_live_find (self->device->live, VTR_HANDLE_VkImage, find.image);
      const VtrLayerImage *image = made != NULL && made->owner == object ? made->state : NULL;
      VtrArgs_vkAcquireNextImageKHR args = { .device = self->device->handle,
                                             .timeout = UINT64_MAX };
      uint32_t index = i;

      if (image == NULL || !image->acquired)
        continue;
      vtr_layer_initial_for_each (self->device->live, VTR_HANDLE_VkSemaphore, find_semaphore,
                                  &find);
      memcpy (&args.swapchain, &object->handle, sizeof args.swapchain);
      args.semaphore = find.found;
      args.pImageIndex = &index;
      call (self, VTR_CMD_vkAcquireNextImageKHR, &args);
    }
}

/* ---- All of it ---- */

static void
find_queue (VtrLayerObject *object,
            void           *data)
{
  const VtrLayerQueue *queue = object->state;
  State *self = data;
  VkQueueFamilyProperties families[32];
  uint32_t n = 32;

  if (queue == NULL || queue->family >= 32)
    return;
  self->device->instance->next.GetPhysicalDeviceQueueFamilyProperties (self->device->physical, &n,
                                                                       families);
  /* One that can do everything, if there is one: layouts may name any stage of use. */
  if (self->queue != NULL &&
      (queue->family >= n || (families[queue->family].queueFlags & VK_QUEUE_GRAPHICS_BIT) == 0))
    return;
  self->queue = (VkQueue)(uintptr_t)object->handle;
  self->family = queue->family;
}

void
vtr_layer_initial_write_state (VtrLayerInitial *self,
                               VtrLayerDevice  *device)
{
  State *state = calloc (1, sizeof *state);

  if (state == NULL)
    vtr_layer_initial_fail (self, "The program has not enough memory left.");
  if (state == NULL || self->failed)
    {
      free (state);
      return;
    }
  state->initial = self;
  state->device = device;
  vtr_layer_initial_for_each (device->live, VTR_HANDLE_VkQueue, find_queue, state);
  vtr_layer_initial_write_sparse (self, device);
  vtr_layer_initial_for_each (device->live, VTR_HANDLE_VkImage, write_layouts, state);
  flush_barriers (state);
  vtr_layer_initial_for_each (device->live, VTR_HANDLE_VkQueryPool, reset_queries, state);
  write_available (state);
  vtr_layer_initial_for_each (device->live, VTR_HANDLE_VkEvent, write_event, state);
  submit (state);
  vtr_layer_initial_write_query_results (self, device);
  vtr_layer_initial_for_each (device->live, VTR_HANDLE_VkFence, write_fence, state);
  vtr_layer_initial_for_each (device->live, VTR_HANDLE_VkSemaphore, write_semaphore, state);
  vtr_layer_initial_for_each (device->live, VTR_HANDLE_VkSwapchainKHR, write_swapchain, state);
  free (state);
}
