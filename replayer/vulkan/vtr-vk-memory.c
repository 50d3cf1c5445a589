/* Keeps the one mapping of each allocation of device memory, and fills memory with a pattern if
 * asked to.
 *
 * An allocation is mapped as a whole when that is first needed, and stays mapped: vkMapMemory
 * returns an address in this mapping. Bytes that the capture observed are written through it, even
 * if the memory is not mapped at that command of the trace. */
#include "vtr-vk-memory.h"
#include "vtr-utility.h"

#define POISON_WORD 0xa5a5a5a5u

/* --- Mapping --------------------------------------------------------------------------------- */

bool
vtr_memory_is_host_visible (const VtrReplayObject *memory)
{
  const VkPhysicalDeviceMemoryProperties *properties = &memory->table->memory;
  uint32_t type = memory->info.memory.type;

  return type < properties->memoryTypeCount &&
         (properties->memoryTypes[type].propertyFlags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) != 0;
}

static bool
memory_is_coherent (const VtrReplayObject *memory)
{
  return (memory->table->memory.memoryTypes[memory->info.memory.type].propertyFlags &
          VK_MEMORY_PROPERTY_HOST_COHERENT_BIT) != 0;
}

uint8_t *
vtr_memory_map (VtrReplayVk     *vk,
                VtrReplayObject *memory)
{
  VtrMemoryInfo *info = &memory->info.memory;
  VkDeviceMemory handle = VTR_HANDLE_FROM (VkDeviceMemory, memory->handle);
  void *map;
  VkResult result;

  if (info->map != NULL)
    return info->map;
  if (!vtr_memory_is_host_visible (memory))
    {
      vtr_vm_fail (vk->vm, VTR_VM_ERROR_UNSUPPORTED,
                   "The trace writes memory that cannot be mapped on this device.");
      return NULL;
    }
  result = VTR_CALL (vk, memory->table, vkMapMemory) (memory->table->device, handle, 0,
                                                      VK_WHOLE_SIZE, 0, &map);
  if (result < 0)
    {
      vtr_replay_vk_failed (vk, "Mapping memory", result);
      return NULL;
    }
  map = (uint8_t *)map + info->place.bias;
  if (vtr_vm_memory_add_window (&vk->vm->memory, map, info->size) != VTR_OK)
    {
      vtr_vm_fail (vk->vm, VTR_VM_ERROR_MEMORY, "The replayer ran out of memory.");
      return NULL;
    }
  info->map = map;
  return map;
}

/* The whole atoms around a range; memory's end counts as the end of an atom. */
static VkMappedMemoryRange
memory_atoms (const VtrReplayObject *memory,
              uint64_t               offset,
              uint64_t               size)
{
  uint64_t atom = memory->table->atom == 0 ? 1 : memory->table->atom;
  uint64_t start, length;

  offset += memory->info.memory.place.bias;
  start = offset / atom * atom;
  length = (offset + size - start + atom - 1) / atom * atom;

  return (VkMappedMemoryRange){
    .sType = VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE,
    .memory = VTR_HANDLE_FROM (VkDeviceMemory, memory->handle),
    .offset = start,
    .size = start + length > memory->info.memory.size ? VK_WHOLE_SIZE : length,
  };
}

VkResult
vtr_memory_flush (VtrReplayVk     *vk,
                  VtrReplayObject *memory,
                  uint64_t         offset,
                  uint64_t         size)
{
  VkMappedMemoryRange range = memory_atoms (memory, offset, size);

  if (memory_is_coherent (memory))
    return VK_SUCCESS;
  return VTR_CALL (vk, memory->table, vkFlushMappedMemoryRanges) (memory->table->device, 1, &range);
}

VkResult
vtr_memory_invalidate (VtrReplayVk     *vk,
                       VtrReplayObject *memory,
                       uint64_t         offset,
                       uint64_t         size)
{
  VkMappedMemoryRange range = memory_atoms (memory, offset, size);

  if (memory_is_coherent (memory))
    return VK_SUCCESS;
  return VTR_CALL (vk, memory->table, vkInvalidateMappedMemoryRanges) (memory->table->device, 1,
                                                                       &range);
}

uint32_t
vtr_memory_find_type (const VtrTable        *table,
                      uint32_t               bits,
                      VkMemoryPropertyFlags  wanted,
                      VkMemoryPropertyFlags  liked)
{
  const VkPhysicalDeviceMemoryProperties *memory = &table->memory;
  uint32_t found = UINT32_MAX;

  for (uint32_t i = 0; i < memory->memoryTypeCount; i++)
    {
      VkMemoryPropertyFlags flags = memory->memoryTypes[i].propertyFlags;

      if ((bits >> i & 1) == 0 || (flags & wanted) != wanted)
        continue;
      if ((flags & liked) == liked)
        return i;
      if (found == UINT32_MAX)
        found = i;
    }
  return found;
}

/* --- Poison ---------------------------------------------------------------------------------- */

VkBuffer
vtr_memory_cover (VtrReplayVk           *vk,
                  const VtrReplayObject *memory)
{
  VtrTable *table = memory->table;
  VkDevice device = table->device;
  VkBufferCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
    .size = memory->info.memory.size & ~3ull,
    .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT,
  };
  VkBuffer buffer = VK_NULL_HANDLE;
  VkMemoryRequirements requirements;

  /* No buffer of the replayer can be bound to a dedicated allocation. */
  if (info.size == 0 || memory->info.memory.dedicated ||
      VTR_CALL (vk, table, vkCreateBuffer) (device, &info, NULL, &buffer) < 0)
    return VK_NULL_HANDLE;
  VTR_CALL (vk, table, vkGetBufferMemoryRequirements)
  (device, buffer, &requirements);
  if ((requirements.memoryTypeBits >> memory->info.memory.type & 1) != 0 &&
      requirements.size <= memory->info.memory.size &&
      VTR_CALL (vk, table, vkBindBufferMemory) (
        device, buffer, VTR_HANDLE_FROM (VkDeviceMemory, memory->handle), 0) == VK_SUCCESS)
    return buffer;
  VTR_CALL (vk, table, vkDestroyBuffer)
  (device, buffer, NULL);
  return VK_NULL_HANDLE;
}

static void
poison_by_device (VtrReplayVk     *vk,
                  VtrReplayObject *memory)
{
  VtrTable *table = memory->table;
  VkBuffer buffer = vtr_memory_cover (vk, memory);
  VkCommandBuffer commands;

  if (buffer == VK_NULL_HANDLE)
    return;
  commands = vtr_utility_begin (vk, table, 0);
  if (commands != NULL)
    {
      VTR_CALL (vk, table, vkCmdFillBuffer)
      (commands, buffer, 0, VK_WHOLE_SIZE, POISON_WORD);
      vtr_utility_run (vk, table, 0);
    }
  VTR_CALL (vk, table, vkDestroyBuffer)
  (table->device, buffer, NULL);
}

void
vtr_poison_memory (VtrReplayVk     *vk,
                   VtrReplayObject *memory)
{
  uint8_t *map;

  if (!vtr_memory_is_host_visible (memory))
    {
      poison_by_device (vk, memory);
      return;
    }
  map = vtr_memory_map (vk, memory);
  if (map == NULL)
    return;
  memset (map, VTR_POISON_BYTE, (size_t)memory->info.memory.size);
  vtr_memory_flush (vk, memory, 0, memory->info.memory.size);
}
