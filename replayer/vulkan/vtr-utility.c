/* Creates the replayer's own queue, command buffer and staging buffer on a device. */
#include "vtr-utility.h"
#include "vtr-vk-memory.h"

bool
vtr_utility_queue (VtrReplayVk *vk,
                   VtrTable    *table)
{
  static const VkQueueFlags kinds[] = { VK_QUEUE_GRAPHICS_BIT, VK_QUEUE_COMPUTE_BIT,
                                        VK_QUEUE_TRANSFER_BIT };
  VtrUtility *self = &table->utility;

  if (self->queue != VK_NULL_HANDLE)
    return true;
  for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++)
    for (uint32_t i = 0; i < table->n_queue_families; i++)
      {
        uint32_t family = table->queue_families[i];

        if (family >= table->n_families || table->queue_flags[i] != 0 ||
            (table->families[family].queueFlags & kinds[kind]) == 0)
          continue;
        VTR_CALL (vk, table, vkGetDeviceQueue)
        (table->device, family, 0, &self->queue);
        self->family = family;
        return self->queue != VK_NULL_HANDLE;
      }
  vtr_vm_fail (vk->vm, VTR_VM_ERROR_UNSUPPORTED, "The trace's device has no queue that can copy.");
  return false;
}

/* The queue for the captured @queue, and its family. */
static VkQueue
utility_choose (VtrReplayVk *vk,
                VtrTable    *table,
                uint64_t     queue,
                uint32_t    *family)
{
  const VtrReplayObject *object;

  if (queue == 0)
    {
      if (!vtr_utility_queue (vk, table))
        return VK_NULL_HANDLE;
      *family = table->utility.family;
      return table->utility.queue;
    }
  object = vtr_objects_need (vk, VTR_HANDLE_VkQueue, queue);
  if (object == NULL || object->table != table)
    {
      vtr_vm_fail (vk->vm, VTR_VM_ERROR_PAYLOAD, "The queue is not one of the device.");
      return VK_NULL_HANDLE;
    }
  *family = object->info.queue_family;
  return VTR_HANDLE_FROM (VkQueue, queue);
}

static bool
utility_make_commands (VtrReplayVk *vk,
                       VtrTable    *table,
                       uint32_t     family)
{
  VtrUtility *self = &table->utility;
  VkCommandPoolCreateInfo pool = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
    .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
    .queueFamilyIndex = family,
  };
  VkCommandBufferAllocateInfo commands = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
    .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
    .commandBufferCount = 1,
  };
  VkFenceCreateInfo fence = { .sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO };
  VkResult result = VK_SUCCESS;

  if (self->pool != VK_NULL_HANDLE && self->pool_family == family)
    return true;
  if (self->pool != VK_NULL_HANDLE)
    VTR_CALL (vk, table, vkDestroyCommandPool)
  (table->device, self->pool, NULL);
  self->pool = VK_NULL_HANDLE;
  self->pool_family = family;
  result = VTR_CALL (vk, table, vkCreateCommandPool) (table->device, &pool, NULL, &self->pool);
  commands.commandPool = self->pool;
  if (result == VK_SUCCESS)
    result = VTR_CALL (vk, table, vkAllocateCommandBuffers) (table->device, &commands,
                                                             &self->commands);
  if (result == VK_SUCCESS && self->fence == VK_NULL_HANDLE)
    result = VTR_CALL (vk, table, vkCreateFence) (table->device, &fence, NULL, &self->fence);
  return result == VK_SUCCESS || vtr_replay_vk_failed (vk, "Preparing read-back", result);
}

VkCommandBuffer
vtr_utility_begin (VtrReplayVk *vk,
                   VtrTable    *table,
                   uint64_t     queue)
{
  VkCommandBufferBeginInfo begin = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
    .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
  };
  uint32_t family;
  VkResult result;

  if (utility_choose (vk, table, queue, &family) == VK_NULL_HANDLE ||
      !utility_make_commands (vk, table, family))
    return VK_NULL_HANDLE;
  result = VTR_CALL (vk, table, vkBeginCommandBuffer) (table->utility.commands, &begin);
  if (result == VK_SUCCESS)
    return table->utility.commands;
  vtr_replay_vk_failed (vk, "Recording", result);
  return VK_NULL_HANDLE;
}

bool
vtr_utility_run (VtrReplayVk *vk,
                 VtrTable    *table,
                 uint64_t     queue)
{
  VtrUtility *self = &table->utility;
  VkSubmitInfo submit = {
    .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
    .commandBufferCount = 1,
    .pCommandBuffers = &self->commands,
  };
  uint32_t family;
  VkQueue where = utility_choose (vk, table, queue, &family);
  VkResult result = VTR_CALL (vk, table, vkEndCommandBuffer) (self->commands);

  if (where == VK_NULL_HANDLE)
    return false;
  if (result == VK_SUCCESS)
    result = VTR_CALL (vk, table, vkQueueSubmit) (where, 1, &submit, self->fence);
  if (result == VK_SUCCESS)
    result = VTR_CALL (vk, table, vkWaitForFences) (table->device, 1, &self->fence, VK_TRUE,
                                                    UINT64_MAX);
  if (result == VK_SUCCESS)
    result = VTR_CALL (vk, table, vkResetFences) (table->device, 1, &self->fence);
  return result == VK_SUCCESS || vtr_replay_vk_failed (vk, "Reading back", result);
}

static void
utility_drop_staging (VtrReplayVk *vk,
                      VtrTable    *table)
{
  VtrUtility *self = &table->utility;

  if (self->staging != VK_NULL_HANDLE)
    VTR_CALL (vk, table, vkDestroyBuffer)
  (table->device, self->staging, NULL);
  if (self->staging_memory != VK_NULL_HANDLE)
    VTR_CALL (vk, table, vkFreeMemory)
  (table->device, self->staging_memory, NULL);
  self->staging = VK_NULL_HANDLE;
  self->staging_memory = VK_NULL_HANDLE;
  self->staging_map = NULL;
  self->staging_size = 0;
}

static VkResult
utility_allocate_staging (VtrReplayVk *vk,
                          VtrTable    *table)
{
  VtrUtility *self = &table->utility;
  VkMemoryRequirements requirements;
  VkMemoryAllocateInfo info = { .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO };
  void *map;
  VkResult result;

  VTR_CALL (vk, table, vkGetBufferMemoryRequirements)
  (table->device, self->staging, &requirements);
  info.allocationSize = requirements.size;
  info.memoryTypeIndex = vtr_memory_find_type (
    table, requirements.memoryTypeBits, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT,
    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT);
  if (info.memoryTypeIndex == UINT32_MAX)
    return VK_ERROR_OUT_OF_HOST_MEMORY;
  self->staging_coherent = (table->memory.memoryTypes[info.memoryTypeIndex].propertyFlags &
                            VK_MEMORY_PROPERTY_HOST_COHERENT_BIT) != 0;
  result = VTR_CALL (vk, table, vkAllocateMemory) (table->device, &info, NULL,
                                                   &self->staging_memory);
  if (result == VK_SUCCESS)
    result = VTR_CALL (vk, table, vkBindBufferMemory) (table->device, self->staging,
                                                       self->staging_memory, 0);
  if (result == VK_SUCCESS)
    result = VTR_CALL (vk, table, vkMapMemory) (table->device, self->staging_memory, 0,
                                                VK_WHOLE_SIZE, 0, &map);
  if (result == VK_SUCCESS)
    self->staging_map = map;
  return result;
}

bool
vtr_utility_stage (VtrReplayVk *vk,
                   VtrTable    *table,
                   uint64_t     size)
{
  VtrUtility *self = &table->utility;
  VkBufferCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
    .usage =
      VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
      VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
    .size = (size + 0xffff) & ~0xffffull,
  };
  VkResult result;

  if (self->staging_size >= size)
    return true;
  utility_drop_staging (vk, table);
  result = VTR_CALL (vk, table, vkCreateBuffer) (table->device, &info, NULL, &self->staging);
  if (result == VK_SUCCESS)
    result = utility_allocate_staging (vk, table);
  if (result == VK_SUCCESS)
    {
      self->staging_size = info.size;
      return true;
    }
  utility_drop_staging (vk, table);
  return vtr_replay_vk_failed (vk, "Allocating memory for read-back", result);
}

/* Makes one side's writes to the staging memory visible to the other: @command flushes or
 * invalidates it. */
static bool
synchronise_staging (VtrReplayVk *vk,
                     VtrTable    *table,
                     VtrCmdId     command,
                     const char  *what)
{
  const VkMappedMemoryRange range = {
    .sType = VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE,
    .memory = table->utility.staging_memory,
    .size = VK_WHOLE_SIZE,
  };
  PFN_vkFlushMappedMemoryRanges call;
  VkResult result;

  if (table->utility.staging_coherent)
    return true;
  call = (PFN_vkFlushMappedMemoryRanges)vtr_table_get (vk, table, command);
  result = call (table->device, 1, &range);
  return result == VK_SUCCESS || vtr_replay_vk_failed (vk, what, result);
}

bool
vtr_utility_deliver (VtrReplayVk *vk,
                     VtrTable    *table)
{
  return synchronise_staging (vk, table, VTR_CMD_vkFlushMappedMemoryRanges,
                              "Writing an image");
}

bool
vtr_utility_collect (VtrReplayVk *vk,
                     VtrTable    *table)
{
  return synchronise_staging (vk, table, VTR_CMD_vkInvalidateMappedMemoryRanges,
                              "Reading back");
}

void
vtr_utility_finish (VtrReplayVk *vk,
                    VtrTable    *table)
{
  VtrUtility *self = &table->utility;

  utility_drop_staging (vk, table);
  if (self->fence != VK_NULL_HANDLE)
    VTR_CALL (vk, table, vkDestroyFence)
  (table->device, self->fence, NULL);
  if (self->pool != VK_NULL_HANDLE)
    VTR_CALL (vk, table, vkDestroyCommandPool)
  (table->device, self->pool, NULL);
  memset (self, 0, sizeof *self);
}
