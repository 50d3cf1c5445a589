/* Writes bytes to device memory: through its mapping, or else through a buffer of the trace in
 * that memory or, for pages of sparse resources, a buffer of the replayer. */
#include "vtr-vk-transfer.h"
#include "vtr-scatter.h"
#include "vtr-utility.h"
#include "vtr-vk-memory.h"

static bool
copy_staged (VtrReplayVk *vk,
             VtrTable    *table,
             VkBuffer     buffer,
             uint64_t     offset,
             uint64_t     size)
{
  const VkBufferCopy region = { 0, offset, size };
  const VkMemoryBarrier barrier = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
    .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
    .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
  };
  VkCommandBuffer commands = vtr_utility_begin (vk, table, 0);

  if (commands == VK_NULL_HANDLE)
    return false;
  VTR_CALL (vk, table, vkCmdCopyBuffer)
  (commands, table->utility.staging, buffer, 1, &region);
  VTR_CALL (vk, table, vkCmdPipelineBarrier)
  (commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 1, &barrier, 0,
   NULL, 0, NULL);
  return vtr_utility_run (vk, table, 0);
}

/* A buffer of the trace that has all of the range; NULL: none. */
static const VtrReplayObject *
find_buffer (const VtrReplayVk     *vk,
             const VtrReplayObject *memory,
             uint64_t               offset,
             uint64_t               size)
{
  for (const VtrReplayObject *each = vk->newest; each != NULL; each = each->older)
    if (each->type == VTR_HANDLE_VkBuffer && each->table == memory->table &&
        each->info.buffer.memory == memory->serial && each->info.buffer.offset <= offset &&
        offset - each->info.buffer.offset <= each->info.buffer.size &&
        size <= each->info.buffer.size - (offset - each->info.buffer.offset))
      return each;
  return NULL;
}

/* Writes bytes to memory that cannot be mapped. */
static bool
write_by_device (VtrReplayVk     *vk,
                 VtrReplayObject *memory,
                 uint64_t         offset,
                 const void      *source,
                 uint64_t         size)
{
  VtrTable *table = memory->table;
  const VtrReplayObject *buffer = find_buffer (vk, memory, offset, size);
  VkBuffer own = VK_NULL_HANDLE;
  bool done;

  if (!vtr_table_wait (vk, table))
    return false;
  if (!vtr_utility_stage (vk, table, size))
    return false;
  memcpy (table->utility.staging_map, source, (size_t)size);
  if (!vtr_utility_deliver (vk, table))
    return false;
  if (buffer != NULL)
    return copy_staged (vk, table, VTR_HANDLE_FROM (VkBuffer, buffer->handle),
                        offset - buffer->info.buffer.offset, size);
  own = vtr_memory_cover (vk, memory);
  if (own == VK_NULL_HANDLE)
    {
      vtr_vm_fail (vk->vm, VTR_VM_ERROR_UNSUPPORTED,
                   "The trace writes memory that cannot be mapped on this device.");
      return false;
    }
  done = copy_staged (vk, table, own, offset, size);
  VTR_CALL (vk, table, vkDestroyBuffer)
  (table->device, own, NULL);
  return done;
}

/* Writes @size > 0 bytes that fit. Returns: what the driver says; of what fails before, nothing. */
static VkResult
write_memory (VtrReplayVk     *vk,
              VtrReplayObject *memory,
              uint64_t         offset,
              const void      *source,
              uint64_t         size)
{
  uint8_t *map;

  if (memory->info.memory.scatter != NULL)
    return vtr_scatter_write (vk, memory, offset, source, size);
  if (!vtr_memory_is_host_visible (memory))
    {
      write_by_device (vk, memory, offset, source, size);
      return VK_SUCCESS;
    }
  map = vtr_memory_map (vk, memory);
  if (map == NULL)
    return VK_SUCCESS;
  /* Whole atoms are written back: with what the device has made of their other bytes. */
  vtr_memory_invalidate (vk, memory, offset, size);
  memmove (map + offset, source, (size_t)size);
  return vtr_memory_flush (vk, memory, offset, size);
}

void
vtr_write_bytes (void       *data,
                 uint32_t    kind,
                 uint64_t    object,
                 uint64_t    offset,
                 const void *source,
                 uint64_t    size)
{
  VtrReplayVk *vk = data;
  VtrReplayObject *memory = vtr_objects_need (vk, VTR_HANDLE_VkDeviceMemory, object);
  char text[sizeof vk->vm->error.text];
  VtrVmErrorCode code;

  if (memory == NULL)
    return;
  if (kind != VTR_HANDLE_VkDeviceMemory || offset > memory->info.memory.size ||
      size > memory->info.memory.size - offset)
    {
      vtr_vm_fail (vk->vm, VTR_VM_ERROR_PAYLOAD,
                   "%llu bytes at offset %llu do not fit device memory of %llu bytes.",
                   (unsigned long long)size, (unsigned long long)offset,
                   (unsigned long long)memory->info.memory.size);
      return;
    }
  code = vtr_vulkan_judge (VTR_REPLAY_WRITE_BYTES,
                           (uint64_t)(int64_t)write_memory (vk, memory, offset, source, size), text,
                           sizeof text);
  if (code != VTR_VM_FINE)
    vtr_vm_fail (vk->vm, code, "%s", text);
}
