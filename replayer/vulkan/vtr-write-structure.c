/* Restores acceleration structures from the bytes into which they were serialised before the
 * recording. */
#include "vtr-vk-transfer.h"
#include "vtr-utility.h"
#include "vtr-vk-memory.h"

#include <stdlib.h>

#define MAX_WRITE_BYTES (4ull << 30)
#define ALIGNMENT 256u /* of serialised data */

/* Two UUIDs of the driver's, which say whether it takes the rest. */
#define VERSION_BYTES (2 * VK_UUID_SIZE)

/* The device memory from which the bytes are read. */
typedef struct
{
  VkBuffer buffer;
  VkDeviceMemory memory;
  uint64_t address; /* aligned */
  uint8_t *bytes;   /* that lie there */
} Source;

static bool
is_compatible (VtrReplayVk   *vk,
               VtrTable      *table,
               const uint8_t *bytes)
{
  const VkAccelerationStructureVersionInfoKHR version = {
    .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_VERSION_INFO_KHR,
    .pVersionData = bytes,
  };
  VkAccelerationStructureCompatibilityKHR answer =
    VK_ACCELERATION_STRUCTURE_COMPATIBILITY_INCOMPATIBLE_KHR;
  PFN_vkGetDeviceAccelerationStructureCompatibilityKHR ask =
    VTR_CALL (vk, table, vkGetDeviceAccelerationStructureCompatibilityKHR);

  if (ask != NULL)
    ask (table->device, &version, &answer);
  if (answer == VK_ACCELERATION_STRUCTURE_COMPATIBILITY_COMPATIBLE_KHR)
    return true;
  vtr_vm_fail (vk->vm, VTR_VM_ERROR_UNSUPPORTED,
               "The recording begins with acceleration structures that were built before, in a "
               "form that only the driver which built them reads.");
  return false;
}

static void
source_finish (VtrReplayVk *vk,
               VtrTable    *table,
               Source      *self)
{
  VTR_CALL (vk, table, vkDestroyBuffer)
  (table->device, self->buffer, NULL);
  VTR_CALL (vk, table, vkFreeMemory)
  (table->device, self->memory, NULL);
}

static VkResult
source_allocate (VtrReplayVk *vk,
                 VtrTable    *table,
                 Source      *self)
{
  const VkMemoryAllocateFlagsInfo flags = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
    .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT,
  };
  VkMemoryAllocateInfo info = { .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .pNext = &flags };
  const VkMemoryPropertyFlags wanted =
    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  VkMemoryRequirements requirements;
  void *map = NULL;
  VkResult result;

  VTR_CALL (vk, table, vkGetBufferMemoryRequirements)
  (table->device, self->buffer, &requirements);
  info.allocationSize = requirements.size;
  info.memoryTypeIndex =
    vtr_memory_find_type (table, requirements.memoryTypeBits, wanted, wanted);
  if (info.memoryTypeIndex == UINT32_MAX)
    return VK_ERROR_OUT_OF_DEVICE_MEMORY;
  result = VTR_CALL (vk, table, vkAllocateMemory) (table->device, &info, NULL, &self->memory);
  if (result == VK_SUCCESS)
    result =
      VTR_CALL (vk, table, vkBindBufferMemory) (table->device, self->buffer, self->memory, 0);
  if (result == VK_SUCCESS)
    result = VTR_CALL (vk, table, vkMapMemory) (table->device, self->memory, 0, VK_WHOLE_SIZE, 0,
                                                &map);
  self->bytes = map;
  return result;
}

/* Returns: false after vtr_vm_fail(). */
static bool
source_init (VtrReplayVk *vk,
             VtrTable    *table,
             Source      *self,
             uint64_t     size)
{
  const VkBufferCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
    .usage = VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
    .size = size + ALIGNMENT,
  };
  VkBufferDeviceAddressInfo which = { .sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO };
  PFN_vkGetBufferDeviceAddress get = VTR_CALL (vk, table, vkGetBufferDeviceAddress);
  uint64_t past = 0;
  VkResult result;

  if (get == NULL)
    get = VTR_CALL (vk, table, vkGetBufferDeviceAddressKHR);
  result = VTR_CALL (vk, table, vkCreateBuffer) (table->device, &info, NULL, &self->buffer);
  if (result == VK_SUCCESS)
    result = get != NULL ? source_allocate (vk, table, self) : VK_ERROR_FEATURE_NOT_PRESENT;
  if (result != VK_SUCCESS)
    return vtr_replay_vk_failed (vk, "Making room for an acceleration structure", result);
  which.buffer = self->buffer;
  self->address = get (table->device, &which);
  past = self->address % ALIGNMENT;
  if (past != 0)
    {
      self->address += ALIGNMENT - past;
      self->bytes += ALIGNMENT - past;
    }
  return true;
}

static bool
copy_structure (VtrReplayVk  *vk,
                VtrTable     *table,
                uint64_t      structure,
                const Source *source)
{
  const VkMemoryBarrier barrier = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
    .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
    .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
  };
  const VkCopyMemoryToAccelerationStructureInfoKHR copy = {
    .sType = VK_STRUCTURE_TYPE_COPY_MEMORY_TO_ACCELERATION_STRUCTURE_INFO_KHR,
    .src.deviceAddress = source->address,
    .dst = VTR_HANDLE_FROM (VkAccelerationStructureKHR, structure),
    .mode = VK_COPY_ACCELERATION_STRUCTURE_MODE_DESERIALIZE_KHR,
  };
  VkCommandBuffer commands = vtr_utility_begin (vk, table, 0);

  if (commands == VK_NULL_HANDLE)
    return false;
  VTR_CALL (vk, table, vkCmdCopyMemoryToAccelerationStructureKHR)
  (commands, &copy);
  VTR_CALL (vk, table, vkCmdPipelineBarrier)
  (commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 1, &barrier,
   0, NULL, 0, NULL);
  return vtr_utility_run (vk, table, 0);
}

static void
make_structure (VtrReplayVk   *vk,
                VtrTable      *table,
                uint64_t       structure,
                const uint8_t *bytes,
                uint64_t       size)
{
  Source source = { 0 };

  if (!is_compatible (vk, table, bytes))
    return;
  if (!vtr_table_wait (vk, table))
    return;
  if (source_init (vk, table, &source, size))
    {
      memcpy (source.bytes, bytes, (size_t)size);
      copy_structure (vk, table, structure, &source);
    }
  source_finish (vk, table, &source);
}

/* Returns: the bytes of all parts once @write is the last of them, else NULL. Fails the machine. */
static const uint8_t *
add_part (VtrReplayVk                   *vk,
          const VtrReplayWriteStructure *write,
          const void                    *bytes,
          uint64_t                       size)
{
  VtrSerialised *self = &vk->serialised;

  if (write->offset == 0)
    {
      free (self->bytes);
      *self = (VtrSerialised){ .structure = write->structure, .size = write->whole };
      if (write->whole >= VERSION_BYTES && write->whole <= MAX_WRITE_BYTES)
        self->bytes = malloc ((size_t)write->whole);
    }
  if (self->bytes == NULL || self->structure != write->structure || self->size != write->whole ||
      self->filled != write->offset || size > self->size - self->filled)
    {
      vtr_vm_fail (vk->vm, VTR_VM_ERROR_PAYLOAD,
                   "The content of an acceleration structure is not whole.");
      return NULL;
    }
  memcpy (self->bytes + self->filled, bytes, (size_t)size);
  self->filled += size;
  return self->filled == self->size ? self->bytes : NULL;
}

void
vtr_serialised_finish (VtrSerialised *self)
{
  free (self->bytes);
  *self = (VtrSerialised){ 0 };
}

/* (pointer VtrReplayWriteStructure, pointer source, u64 size) */
uint64_t
vtr_synthetic_write_structure (void           *context,
                               const uint64_t *args)
{
  VtrReplayVk *vk = context;
  const void *description = vtr_vm_memory_resolve (
    &vk->vm->memory, VTR_VM_ABSOLUTE, args[0], sizeof (VtrReplayWriteStructure), VTR_VM_READ);
  const void *source =
    vtr_vm_memory_resolve (&vk->vm->memory, VTR_VM_ABSOLUTE, args[1], args[2], VTR_VM_READ);
  VtrReplayWriteStructure write;
  const uint8_t *bytes;
  VtrTable *table;

  if (description == NULL || source == NULL)
    {
      vtr_vm_fail (vk->vm, VTR_VM_ERROR_PAYLOAD,
                   "The content of an acceleration structure lies outside the machine's memory.");
      return 0;
    }
  memcpy (&write, description, sizeof write);
  table = vtr_table_of (vk, VTR_HANDLE_VkDevice, write.device);
  if (table == NULL ||
      vtr_objects_need (vk, VTR_HANDLE_VkAccelerationStructureKHR, write.structure) == NULL)
    return VK_SUCCESS;
  bytes = add_part (vk, &write, source, args[2]);
  if (bytes != NULL)
    {
      make_structure (vk, table, write.structure, bytes, vk->serialised.size);
      vtr_serialised_finish (&vk->serialised);
    }
  return VK_SUCCESS;
}
