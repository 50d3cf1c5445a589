/* Allocates host memory at a captured address and imports it, so that device addresses in the
 * captured data stay valid. */
#include "vtr-fixed-address.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

/* No driver needs more than this. */
#define VTR_PLACE_MAX_UNIT (1ull << 30)

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

/* --- Pages ----------------------------------------------------------------------------------- */

static bool
pages_map (uintptr_t at,
           size_t    size)
{
  void *map;

  if (size == 0)
    return true;
  map = mmap ((void *)at, size, PROT_READ | PROT_WRITE,
              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (map == (void *)at)
    return true;
  if (map != MAP_FAILED) /* a kernel that does not know the flag */
    munmap (map, size);
  return false;
}

/* A page that another place may end or begin with. */
static bool
edge_take (VtrReplayVk *vk,
           uintptr_t    at,
           size_t       size)
{
  VtrEdgePage *pages;

  for (size_t i = 0; i < vk->n_edge_pages; i++)
    if (vk->edge_pages[i].at == at)
      {
        vk->edge_pages[i].n_users++;
        return true;
      }
  pages = realloc (vk->edge_pages, (vk->n_edge_pages + 1) * sizeof *pages);
  if (pages == NULL)
    return false;
  vk->edge_pages = pages;
  if (!pages_map (at, size))
    return false;
  pages[vk->n_edge_pages++] = (VtrEdgePage){ at, 1 };
  return true;
}

static void
edge_drop (VtrReplayVk *vk,
           uintptr_t    at,
           size_t       size)
{
  for (size_t i = 0; i < vk->n_edge_pages; i++)
    if (vk->edge_pages[i].at == at)
      {
        if (--vk->edge_pages[i].n_users == 0)
          {
            munmap ((void *)at, size);
            vk->edge_pages[i] = vk->edge_pages[--vk->n_edge_pages];
          }
        return;
      }
}

/* @size, @page: whole pages. */
static bool
place_take (VtrReplayVk *vk,
            uintptr_t    at,
            size_t       size,
            size_t       page)
{
  if (!edge_take (vk, at, page))
    return false;
  if (size == page)
    return true;
  if (edge_take (vk, at + size - page, page))
    {
      if (pages_map (at + page, size - 2 * page))
        return true;
      edge_drop (vk, at + size - page, page);
    }
  edge_drop (vk, at, page);
  return false;
}

void
vtr_fixed_address_free (VtrReplayVk     *vk,
                        VtrFixedAddress *place)
{
  const uintptr_t at = (uintptr_t)place->at;

  if (at != 0)
    {
      edge_drop (vk, at, place->page);
      if (place->size > place->page)
        edge_drop (vk, at + place->size - place->page, place->page);
      if (place->size > 2 * place->page)
        munmap ((void *)(at + place->page), place->size - 2 * place->page);
    }
  *place = (VtrFixedAddress){ 0 };
  if (vk->n_edge_pages == 0)
    {
      free (vk->edge_pages);
      vk->edge_pages = NULL;
    }
}

/* --- Allocations ----------------------------------------------------------------------------- */

VkResult
vtr_fixed_address_allocate (VtrReplayVk                *vk,
                            VtrTable                   *table,
                            const VkMemoryAllocateInfo *info,
                            uint64_t                    address,
                            VkDeviceMemory             *memory,
                            VtrFixedAddress            *place)
{
  static const VkStructureType dedicated[] = {
    VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO
  };
  const uint64_t unit = table->host_import_unit;
  VkImportMemoryHostPointerInfoEXT import = {
    .sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT,
    .pNext = info->pNext,
    .handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT,
  };
  VkMemoryAllocateInfo own = *info;
  uint64_t bias, at;
  VkResult result;

  if (unit == 0 || (unit & (unit - 1)) != 0 || unit > VTR_PLACE_MAX_UNIT || address < unit ||
      info->allocationSize == 0)
    return VK_ERROR_FEATURE_NOT_PRESENT;
  bias = address % unit;
  at = address - bias;
  if (info->allocationSize > UINT64_MAX - bias - unit ||
      at > UINTPTR_MAX - info->allocationSize - bias - unit)
    return VK_ERROR_FEATURE_NOT_PRESENT;
  own.allocationSize = (info->allocationSize + bias + unit - 1) / unit * unit;
  own.pNext = &import;
  /* One that is dedicated has its buffer's size to the byte; whole pages hardly ever do. */
  if (own.allocationSize != info->allocationSize)
    vtr_chain_remove (&import.pNext, dedicated, 1);
  import.pHostPointer = (void *)(uintptr_t)at;
  if (!place_take (vk, (uintptr_t)at, own.allocationSize, unit))
    return VK_ERROR_OUT_OF_HOST_MEMORY;
  *place = (VtrFixedAddress){ import.pHostPointer, own.allocationSize, unit, bias };
  result = can_import (vk, table, info, place->at)
             ? VTR_CALL (vk, table, vkAllocateMemory) (table->device, &own, NULL, memory)
             : VK_ERROR_INVALID_EXTERNAL_HANDLE;
  if (result < 0)
    vtr_fixed_address_free (vk, place);
  return result;
}

uint64_t
vtr_synthetic_place_memory (void           *context,
                            const uint64_t *args)
{
  VtrReplayVk *vk = context;

  vk->next_address = args[0];
  return 0;
}

static uint64_t
structure_address (VtrReplayVk           *vk,
                   const VtrReplayObject *structure)
{
  const VkAccelerationStructureDeviceAddressInfoKHR info = {
    .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_DEVICE_ADDRESS_INFO_KHR,
    .accelerationStructure = VTR_HANDLE_FROM (VkAccelerationStructureKHR, structure->handle),
  };
  PFN_vkGetAccelerationStructureDeviceAddressKHR get =
    VTR_CALL (vk, structure->table, vkGetAccelerationStructureDeviceAddressKHR);

  return get != NULL ? get (structure->table->device, &info) : 0;
}

static uint64_t
buffer_address (VtrReplayVk *vk,
                VtrTable    *table,
                VkBuffer     buffer)
{
  const VkBufferDeviceAddressInfo info = {
    .sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
    .buffer = buffer,
  };
  PFN_vkGetBufferDeviceAddress get = VTR_CALL (vk, table, vkGetBufferDeviceAddress);

  if (get == NULL)
    get = VTR_CALL (vk, table, vkGetBufferDeviceAddressKHR);
  if (get == NULL)
    get = VTR_CALL (vk, table, vkGetBufferDeviceAddressEXT);
  return get != NULL ? get (table->device, &info) : 0;
}

/* Imports @size @bytes and binds the buffer to them. */
static bool
is_address_of (VtrReplayVk *vk,
               VtrTable    *table,
               VkBuffer     buffer,
               void        *bytes,
               uint64_t     size)
{
  const VkImportMemoryHostPointerInfoEXT import = {
    .sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT,
    .handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT,
    .pHostPointer = bytes,
  };
  const VkMemoryAllocateFlagsInfo flags = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
    .pNext = &import,
    .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT,
  };
  VkMemoryAllocateInfo info = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
    .pNext = &flags,
    .allocationSize = size,
  };
  VkMemoryRequirements requirements;
  VkDeviceMemory memory;
  VkResult result;
  bool same;

  VTR_CALL (vk, table, vkGetBufferMemoryRequirements)
  (table->device, buffer, &requirements);
  if (requirements.size > size)
    return false;
  while (info.memoryTypeIndex < table->memory.memoryTypeCount &&
         ((requirements.memoryTypeBits >> info.memoryTypeIndex & 1) == 0 ||
          !can_import (vk, table, &info, bytes)))
    info.memoryTypeIndex++;
  if (info.memoryTypeIndex == table->memory.memoryTypeCount ||
      VTR_CALL (vk, table, vkAllocateMemory) (table->device, &info, NULL, &memory) < 0)
    return false;
  result = VTR_CALL (vk, table, vkBindBufferMemory) (table->device, buffer, memory, 0);
  same = result == VK_SUCCESS && buffer_address (vk, table, buffer) == (uintptr_t)bytes;
  VTR_CALL (vk, table, vkFreeMemory)
  (table->device, memory, NULL);
  return same;
}

bool
vtr_fixed_address_is_address (VtrReplayVk *vk,
                              VtrTable    *table)
{
  const VkExternalMemoryBufferCreateInfo external = {
    .sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
    .handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT,
  };
  const VkBufferCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
    .pNext = &external,
    .size = 256,
    .usage = VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
  };
  const uint64_t unit = table->host_import_unit;
  const size_t size = 65536;
  VkBuffer buffer;
  void *bytes;
  bool same;

  if (unit == 0 || size % unit != 0 ||
      VTR_CALL (vk, table, vkCreateBuffer) (table->device, &info, NULL, &buffer) < 0)
    return false;
  bytes = aligned_alloc (size, size);
  same = bytes != NULL && is_address_of (vk, table, buffer, bytes, size);
  VTR_CALL (vk, table, vkDestroyBuffer)
  (table->device, buffer, NULL);
  free (bytes);
  return same;
}

/* Returns: 0 when the device does not tell. */
static uint64_t
address_of (VtrReplayVk           *vk,
            const VtrReplayObject *object)
{
  if (object->type == VTR_HANDLE_VkAccelerationStructureKHR)
    return structure_address (vk, object);
  return buffer_address (vk, object->table, VTR_HANDLE_FROM (VkBuffer, object->handle));
}

/* Returns: NULL after vtr_vm_fail(). */
static const VtrReplayObject *
need_addressed (VtrReplayVk    *vk,
                const uint64_t *args)
{
  return vtr_objects_need (vk,
                           args[0] == VTR_HANDLE_VkAccelerationStructureKHR
                             ? VTR_HANDLE_VkAccelerationStructureKHR
                             : VTR_HANDLE_VkBuffer,
                           args[1]);
}

static const char *
describe (const VtrReplayObject *object)
{
  return object->type == VTR_HANDLE_VkBuffer ? "a buffer" : "an acceleration structure";
}

uint64_t
vtr_synthetic_check_address (void           *context,
                             const uint64_t *args)
{
  VtrReplayVk *vk = context;
  const VtrReplayObject *object = need_addressed (vk, args);

  if (object == NULL)
    return 0;
  if (address_of (vk, object) == args[2])
    vk->n_addresses++;
  else
    vtr_vm_fail (vk->vm, VTR_VM_ERROR_ADDRESS,
                 "The program uses the address 0x%llx of %s, and here it cannot be there.",
                 (unsigned long long)args[2], describe (object));
  return 0;
}

uint64_t
vtr_synthetic_find_address (void           *context,
                            const uint64_t *args)
{
  VtrReplayVk *vk = context;
  const VtrReplayObject *object = need_addressed (vk, args);
  void *out = vtr_vm_memory_resolve (&vk->vm->memory, VTR_VM_ABSOLUTE, args[3], sizeof (uint64_t),
                                     VTR_VM_WRITE);
  uint64_t address, distance;

  if (object == NULL)
    return 0;
  if (out == NULL)
    {
      vtr_vm_fail (vk->vm, VTR_VM_ERROR_PAYLOAD,
                   "The place for an address lies outside the machine's memory.");
      return 0;
    }
  address = address_of (vk, object);
  if (address == 0)
    vtr_vm_fail (vk->vm, VTR_VM_ERROR_UNSUPPORTED,
                 "The program uses the address of %s, and this device tells none.",
                 describe (object));
  distance = address - args[2];
  memcpy (out, &distance, sizeof distance);
  return 0;
}
