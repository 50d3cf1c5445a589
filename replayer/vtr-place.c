#include "vtr-place.h"

#include <sys/mman.h>

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

static bool
can_import (VtrReplayVk                *vk,
            VtrTable                   *table,
            const VkMemoryAllocateInfo *info,
            const void                 *at)
{
  VkMemoryHostPointerPropertiesEXT properties = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT,
  };
  PFN_vkGetMemoryHostPointerPropertiesEXT get =
    VTR_CALL (vk, table, vkGetMemoryHostPointerPropertiesEXT);

  return get != NULL &&
         get (table->device, VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT, at,
              &properties) == VK_SUCCESS &&
         (properties.memoryTypeBits >> info->memoryTypeIndex & 1) != 0;
}

VkResult
vtr_place_allocate (VtrReplayVk                *vk,
                    VtrTable                   *table,
                    const VkMemoryAllocateInfo *info,
                    VkDeviceMemory             *memory,
                    VtrHostPlace               *place)
{
  const uint64_t unit = table->host_import_unit;
  void *const wanted = (void *)(uintptr_t)vk->next_address;
  VkImportMemoryHostPointerInfoEXT import = {
    .sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT,
    .pNext = info->pNext,
    .handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT,
    .pHostPointer = wanted,
  };
  VkMemoryAllocateInfo own = *info;
  VkResult result;
  void *at;

  vk->next_address = 0;
  if (unit == 0 || wanted == NULL || (uintptr_t)wanted % unit != 0 || info->allocationSize == 0 ||
      info->allocationSize > UINT64_MAX - unit)
    return VK_ERROR_FEATURE_NOT_PRESENT;
  own.allocationSize = (info->allocationSize + unit - 1) / unit * unit;
  own.pNext = &import;
  at = mmap (wanted, own.allocationSize, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (at == MAP_FAILED)
    return VK_ERROR_OUT_OF_HOST_MEMORY;
  *place = (VtrHostPlace){ at, own.allocationSize };
  result = at == wanted && can_import (vk, table, info, at)
             ? VTR_CALL (vk, table, vkAllocateMemory) (table->device, &own, NULL, memory)
             : VK_ERROR_INVALID_EXTERNAL_HANDLE;
  if (result < 0)
    vtr_place_free (place);
  return result;
}

void
vtr_place_free (VtrHostPlace *place)
{
  if (place->at != NULL)
    munmap (place->at, place->size);
  *place = (VtrHostPlace){ NULL, 0 };
}

uint64_t
vtr_synthetic_place_memory (void           *context,
                            const uint64_t *args)
{
  VtrReplayVk *vk = context;

  vk->next_address = args[0];
  return 0;
}

uint64_t
vtr_synthetic_check_address (void           *context,
                             const uint64_t *args)
{
  VtrReplayVk *vk = context;
  VtrObject *buffer = vtr_objects_need (vk, VTR_HANDLE_VkBuffer, args[1]);
  const VkBufferDeviceAddressInfo info = {
    .sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
    .buffer = VTR_HANDLE_FROM (VkBuffer, args[1]),
  };
  PFN_vkGetBufferDeviceAddress get;

  if (buffer == NULL)
    return 0;
  get = VTR_CALL (vk, buffer->table, vkGetBufferDeviceAddress);
  if (get == NULL)
    get = VTR_CALL (vk, buffer->table, vkGetBufferDeviceAddressKHR);
  if (get == NULL)
    get = VTR_CALL (vk, buffer->table, vkGetBufferDeviceAddressEXT);
  if (get == NULL || get (buffer->table->device, &info) != args[2])
    vtr_vm_fail (vk->vm, VTR_VM_ERROR_UNSUPPORTED,
                 "The program uses the address 0x%llx of a buffer, and here the buffer cannot be "
                 "there.",
                 (unsigned long long)args[2]);
  return 0;
}
