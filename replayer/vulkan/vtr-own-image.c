/* Allocates memory for images that the engine adds to those of a trace. */
#include "vtr-vk-memory.h"

#include <string.h>

static VkResult
back_image (VtrReplayVk *vk,
            VtrTable    *table,
            VkImage      image)
{
  VkMemoryAllocateInfo info = { .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO };
  VkDeviceMemory memory = VK_NULL_HANDLE;
  VkMemoryRequirements requirements;
  VtrReplayObject *object;
  VkResult result;

  VTR_CALL (vk, table, vkGetImageMemoryRequirements)
  (table->device, image, &requirements);
  info.allocationSize = requirements.size;
  info.memoryTypeIndex = vtr_memory_find_type (table, requirements.memoryTypeBits, 0,
                                               VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
  if (info.memoryTypeIndex == UINT32_MAX)
    return VK_ERROR_OUT_OF_DEVICE_MEMORY;
  result = VTR_CALL (vk, table, vkAllocateMemory) (table->device, &info, NULL, &memory);
  if (result < 0)
    return result;
  object = vtr_objects_created (vk, VTR_HANDLE_VkDeviceMemory, VTR_HANDLE_BITS (memory),
                                VTR_HANDLE_BITS (table->device), 0);
  if (object == NULL)
    return VK_ERROR_OUT_OF_HOST_MEMORY;
  object->info.memory =
    (VtrMemoryInfo){ .size = info.allocationSize, .type = info.memoryTypeIndex };
  return VTR_CALL (vk, table, vkBindImageMemory) (table->device, image, memory, 0);
}

/* (pointer VtrReplayReadImage) */
uint64_t
vtr_synthetic_back_image (void           *context,
                          const uint64_t *args)
{
  VtrReplayVk *vk = context;
  VtrReplayReadImage what;
  const void *description = vtr_vm_memory_resolve (&vk->vm->memory, VTR_VM_ABSOLUTE, args[0],
                                                   sizeof what, VTR_VM_READ);
  VtrTable *table;
  VkResult result;

  if (description == NULL)
    {
      vtr_vm_fail (vk->vm, VTR_VM_ERROR_PAYLOAD,
                   "The description of an image lies outside the machine's memory.");
      return VK_SUCCESS;
    }
  memcpy (&what, description, sizeof what);
  table = vtr_table_of (vk, VTR_HANDLE_VkDevice, what.device);
  if (table == NULL || vtr_objects_need (vk, VTR_HANDLE_VkImage, what.image) == NULL)
    return VK_SUCCESS;
  result = back_image (vk, table, VTR_HANDLE_FROM (VkImage, what.image));
  if (result < 0)
    vtr_replay_vk_failed (vk, "Giving an image memory", result);
  return VK_SUCCESS;
}
