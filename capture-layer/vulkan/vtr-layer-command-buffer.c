/* Begins, ends and drops the blocks into which command buffers are recorded. */
#include "vtr-layer-trampolines.h"

#include "vtr-layer-effects.h"
#include "vtr-layer-reach.h"

#include <stdlib.h>

/* ---- Recording ---- */

static VkResult
begin (VtrLayerCommandBuffer          *self,
       VkCommandBuffer                 handle,
       const VkCommandBufferBeginInfo *info)
{
  const VtrArgs_vkBeginCommandBuffer args = { handle, info };
  VkResult result;

  /* Beginning again resets implicitly. */
  vtr_layer_batch_publish_open (&self->batch, VTR_RING_BLOCK_ABANDONED);
  result = self->next->BeginCommandBuffer (handle, info);
  self->batch.draws = 0;
  if (!vtr_layer_is_encoding ())
    {
      vtr_ring_block_drop (&self->batch.kept);
      return result;
    }
  vtr_layer_effects_clear (&self->effects);
  vtr_layer_reach_clear (&self->reach);
  self->executes = false;
  if (vtr_layer_batch_begin (&self->batch))
    vtr_layer_batch_encode (&self->batch, VTR_CMD_vkBeginCommandBuffer, &args,
                            (uint64_t)(int64_t)result);
  if (result != VK_SUCCESS)
    {
      vtr_layer_batch_publish (&self->batch, VTR_RING_BLOCK_ABANDONED);
      return result;
    }
  self->one_time = (info->flags & VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT) != 0;
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
vtr_vk_BeginCommandBuffer (VkCommandBuffer                 commandBuffer,
                           const VkCommandBufferBeginInfo *pBeginInfo)
{
  VtrLayerCommandBuffer *const self = vtr_layer_command_buffer (commandBuffer);
  VtrLayerThread *const thread = vtr_layer_thread_enter (VTR_CMD_vkBeginCommandBuffer);
  VkResult result = begin (self, commandBuffer, pBeginInfo);

  vtr_layer_thread_leave (thread);
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
vtr_vk_EndCommandBuffer (VkCommandBuffer commandBuffer)
{
  VtrLayerCommandBuffer *const self = vtr_layer_command_buffer (commandBuffer);
  VtrLayerThread *const thread = vtr_layer_thread_enter (VTR_CMD_vkEndCommandBuffer);
  const VtrArgs_vkEndCommandBuffer args = { commandBuffer };
  VkResult result = self->next->EndCommandBuffer (commandBuffer);

  if (self->batch.block.segment != NULL)
    {
      vtr_layer_batch_encode (&self->batch, VTR_CMD_vkEndCommandBuffer, &args,
                              (uint64_t)(int64_t)result);
      if (vtr_layer_is_live () && result == VK_SUCCESS)
        vtr_layer_batch_keep (&self->batch);
      else
        vtr_layer_batch_publish (&self->batch, result == VK_SUCCESS ? 0 : VTR_RING_BLOCK_ABANDONED);
    }
  vtr_layer_thread_leave (thread);
  return result;
}

/* ---- Pools ---- */

/* The command buffers of a pool; the application synchronises access to both. */
struct VtrLayerCommandPool
{
  VtrLayerCommandBuffer *first; /* by .next_in_pool */
};

static VtrLayerCommandPool *
get_pool (VtrLayerDevice *device,
          VkCommandPool   handle,
          bool            create)
{
  uint64_t key = (uint64_t)(uintptr_t)handle;
  VtrLayerCommandPool *self = vtr_layer_map_get (&device->command_pools, key);

  if (self != NULL || !create)
    return self;
  self = calloc (1, sizeof *self);
  if (self != NULL && !vtr_layer_map_set (&device->command_pools, key, self))
    {
      free (self);
      self = NULL;
    }
  return self;
}

static void
unlink_from_pool (VtrLayerCommandBuffer *self)
{
  if (self->previous_in_pool != NULL)
    self->previous_in_pool->next_in_pool = self->next_in_pool;
  else
    self->pool->first = self->next_in_pool;
  if (self->next_in_pool != NULL)
    self->next_in_pool->previous_in_pool = self->previous_in_pool;
}

static void
forget (VtrLayerCommandBuffer *self)
{
  vtr_layer_map_take (&vtr_layer_command_buffers, (uint64_t)(uintptr_t)self->handle);
  unlink_from_pool (self);
  vtr_ring_block_drop (&self->batch.kept);
  vtr_layer_effects_finish (&self->effects);
  vtr_layer_reach_finish (&self->reach);
  free (self);
}

static bool
adopt (VtrLayerDevice                    *device,
       VtrLayerCommandPool               *pool,
       const VkCommandBufferAllocateInfo *info,
       VkCommandBuffer                    handle)
{
  VtrLayerCommandBuffer *self = calloc (1, sizeof *self);

  if (self == NULL ||
      !vtr_layer_map_set (&vtr_layer_command_buffers, (uint64_t)(uintptr_t)handle, self))
    {
      free (self);
      return false;
    }
  self->handle = handle;
  self->batch.name = (uint64_t)(uintptr_t)handle;
  self->batch.env = &device->names.env;
  self->device = device;
  self->next = &device->next;
  self->secondary = info->level == VK_COMMAND_BUFFER_LEVEL_SECONDARY;
  self->pool = pool;
  self->next_in_pool = pool->first;
  if (pool->first != NULL)
    pool->first->previous_in_pool = self;
  pool->first = self;
  return true;
}

VkResult
vtr_layer_hook_AllocateCommandBuffers (VtrLayerDevice                    *self,
                                       VkDevice                           device,
                                       const VkCommandBufferAllocateInfo *pAllocateInfo,
                                       VkCommandBuffer                   *pCommandBuffers)
{
  VtrLayerCommandPool *pool = get_pool (self, pAllocateInfo->commandPool, true);
  VkResult result;

  if (pool == NULL)
    return VK_ERROR_OUT_OF_HOST_MEMORY;
  result = self->next.AllocateCommandBuffers (device, pAllocateInfo, pCommandBuffers);
  for (uint32_t i = 0; result == VK_SUCCESS && i < pAllocateInfo->commandBufferCount; i++)
    {
      if (adopt (self, pool, pAllocateInfo, pCommandBuffers[i]))
        continue;
      for (uint32_t j = 0; j < i; j++)
        forget (vtr_layer_command_buffer (pCommandBuffers[j]));
      self->next.FreeCommandBuffers (device, pAllocateInfo->commandPool,
                                     pAllocateInfo->commandBufferCount, pCommandBuffers);
      memset (pCommandBuffers, 0, pAllocateInfo->commandBufferCount * sizeof *pCommandBuffers);
      result = VK_ERROR_OUT_OF_HOST_MEMORY;
    }
  return result;
}

void
vtr_layer_abandon (uint32_t               n_command_buffers,
                   const VkCommandBuffer *command_buffers)
{
  for (uint32_t i = 0; i < n_command_buffers; i++)
    if (command_buffers[i] != VK_NULL_HANDLE)
      vtr_layer_batch_publish (&vtr_layer_command_buffer (command_buffers[i])->batch,
                               VTR_RING_BLOCK_ABANDONED);
}

void
vtr_layer_abandon_pool (VtrLayerDevice *device,
                        VkCommandPool   handle)
{
  VtrLayerCommandPool *pool = get_pool (device, handle, false);

  if (pool == NULL)
    return;
  for (VtrLayerCommandBuffer *each = pool->first; each != NULL; each = each->next_in_pool)
    vtr_layer_batch_publish (&each->batch, VTR_RING_BLOCK_ABANDONED);
}

void
vtr_layer_hook_FreeCommandBuffers (VtrLayerDevice        *self,
                                   VkDevice               device,
                                   VkCommandPool          commandPool,
                                   uint32_t               commandBufferCount,
                                   const VkCommandBuffer *pCommandBuffers)
{
  /* Before the driver can give the same handles to another thread. */
  for (uint32_t i = 0; i < commandBufferCount; i++)
    if (pCommandBuffers[i] != VK_NULL_HANDLE)
      forget (vtr_layer_command_buffer (pCommandBuffers[i]));
  self->next.FreeCommandBuffers (device, commandPool, commandBufferCount, pCommandBuffers);
}

static void
destroy_pool (VtrLayerCommandPool *pool)
{
  while (pool->first != NULL)
    forget (pool->first);
  free (pool);
}

void
vtr_layer_hook_DestroyCommandPool (VtrLayerDevice              *self,
                                   VkDevice                     device,
                                   VkCommandPool                commandPool,
                                   const VkAllocationCallbacks *pAllocator)
{
  VtrLayerCommandPool *pool =
    vtr_layer_map_take (&self->command_pools, (uint64_t)(uintptr_t)commandPool);

  if (pool != NULL)
    destroy_pool (pool);
  self->next.DestroyCommandPool (device, commandPool, pAllocator);
}

static bool
destroy_each (uint64_t  key,
              void     *value,
              void     *data)
{
  destroy_pool (value);
  return true;
}

void
vtr_layer_command_pools_finish (VtrLayerDevice *device)
{
  vtr_layer_map_sweep (&device->command_pools, destroy_each, NULL);
  vtr_layer_map_finish (&device->command_pools);
}
