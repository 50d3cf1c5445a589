/* Implements the commands that allocate, map and free device memory, and create buffers and
 * images. */
#include "vtr-overrides.h"
#include "vtr-fixed-address.h"
#include "vtr-opaque.h"
#include "vtr-scatter.h"
#include "vtr-vk-memory.h"

#include "vulkan/vtr-vulkan-facts.h"
#include "vulkan/vtr-vulkan-formats.h"

/* --- Mapping --------------------------------------------------------------------------------- */

VkResult
vtr_override_vkMapMemory (VtrReplayVk       *vk,
                          VkDevice           device,
                          VkDeviceMemory     memory,
                          VkDeviceSize       offset,
                          VkDeviceSize       size,
                          VkMemoryMapFlags   flags,
                          void             **ppData)
{
  VtrReplayObject *object =
    vtr_objects_need (vk, VTR_HANDLE_VkDeviceMemory, VTR_HANDLE_BITS (memory));
  uint8_t *map = object == NULL || object->info.memory.scatter != NULL
                   ? NULL
                   : vtr_memory_map (vk, object);

  (void)device;
  (void)size;
  (void)flags;
  if (map == NULL)
    return VK_ERROR_MEMORY_MAP_FAILED;
  if (offset > object->info.memory.size ||
      vtr_replay_vk_output (vk, ppData, sizeof *ppData) == NULL)
    return VK_ERROR_MEMORY_MAP_FAILED;
  *ppData = map + offset;
  return VK_SUCCESS;
}

void
vtr_override_vkUnmapMemory (VtrReplayVk    *vk,
                            VkDevice        device,
                            VkDeviceMemory  memory)
{
  (void)vk;
  (void)device;
  (void)memory;
}

#ifdef VK_KHR_map_memory2
VkResult
vtr_override_vkMapMemory2KHR (VtrReplayVk               *vk,
                              VkDevice                   device,
                              const VkMemoryMapInfoKHR  *pMemoryMapInfo,
                              void                     **ppData)
{
  return vtr_override_vkMapMemory (vk, device, pMemoryMapInfo->memory, pMemoryMapInfo->offset,
                                   pMemoryMapInfo->size, pMemoryMapInfo->flags, ppData);
}

VkResult
vtr_override_vkUnmapMemory2KHR (VtrReplayVk                *vk,
                                VkDevice                    device,
                                const VkMemoryUnmapInfoKHR *pMemoryUnmapInfo)
{
  vtr_override_vkUnmapMemory (vk, device, pMemoryUnmapInfo->memory);
  return VK_SUCCESS;
}
#endif

/* --- Allocations ----------------------------------------------------------------------------- */

/* Memory for another device: only a handle of the replayer. */
static VkResult
allocate_scattered (VtrReplayVk                *vk,
                    VkDevice                    device,
                    const VkMemoryAllocateInfo *info,
                    uint64_t                    address,
                    VkDeviceMemory             *memory)
{
  VtrReplayObject *object;

  vtr_objects_fake (vk, (uintptr_t)memory);
  if (vk->vm->error.code != VTR_VM_FINE)
    return VK_ERROR_OUT_OF_HOST_MEMORY;
  object = vtr_objects_created (vk, VTR_HANDLE_VkDeviceMemory, VTR_HANDLE_BITS (*memory),
                                VTR_HANDLE_BITS (device), 0);
  return vtr_scatter_take (vk, object, info, address) ? VK_SUCCESS : VK_ERROR_OUT_OF_HOST_MEMORY;
}

VkResult
vtr_override_vkAllocateMemory (VtrReplayVk                 *vk,
                               VkDevice                     device,
                               const VkMemoryAllocateInfo  *pAllocateInfo,
                               const VkAllocationCallbacks *pAllocator,
                               VkDeviceMemory              *pMemory)
{
  static const VkStructureType imports[] = {
    VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR,
    VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT,
  };
  VtrTable *table = vtr_device_table (vk, device);
  VtrFixedAddress place = { 0 };
  uint64_t address = vk->next_address;
  VtrOpaque opaque;
  VtrReplayObject *object;
  VkResult result;

  (void)pAllocator;
  if (table == NULL)
    return VK_ERROR_DEVICE_LOST;
  opaque = vtr_opaque_take (vk, table);
  for (size_t i = 0; i < sizeof imports / sizeof *imports; i++)
    if (vtr_chain_find (pAllocateInfo->pNext, imports[i]) != NULL)
      {
        vtr_vm_fail (vk->vm, VTR_VM_ERROR_UNSUPPORTED,
                     "The trace imports memory of another process, which is not there any more.");
        return VK_ERROR_INVALID_EXTERNAL_HANDLE;
      }
  vk->next_address = 0;
  if (vk->next_scatter != NULL)
    return allocate_scattered (vk, device, pAllocateInfo, address, pMemory);
  if (pAllocateInfo->memoryTypeIndex >= table->memory.memoryTypeCount)
    {
      vtr_vm_fail (vk->vm, VTR_VM_ERROR_DRIVER,
                   "The trace uses memory type %u; this device has %u types.",
                   pAllocateInfo->memoryTypeIndex, table->memory.memoryTypeCount);
      return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    }
  if (opaque.wanted)
    result = vtr_opaque_allocate (vk, table, pAllocateInfo, &opaque, pMemory);
  else
    result = address != 0
               ? vtr_fixed_address_allocate (vk, table, pAllocateInfo, address, pMemory, &place)
               : VK_ERROR_FEATURE_NOT_PRESENT;
  if (result < 0 && !opaque.wanted)
    result = VTR_CALL (vk, table, vkAllocateMemory) (device, pAllocateInfo, NULL, pMemory);
  if (result < 0)
    return result;
  object = vtr_objects_created (vk, VTR_HANDLE_VkDeviceMemory, VTR_HANDLE_BITS (*pMemory),
                                VTR_HANDLE_BITS (device), 0);
  if (object == NULL)
    return VK_ERROR_OUT_OF_HOST_MEMORY;
  object->info.memory = (VtrMemoryInfo){
    .size = pAllocateInfo->allocationSize,
    .type = pAllocateInfo->memoryTypeIndex,
    .place = place,
    .dedicated = vtr_chain_find (pAllocateInfo->pNext,
                                 VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO) != NULL,
  };
  if ((vk->flags & VTR_REPLAY_POISON) != 0)
    vtr_poison_memory (vk, object);
  return result;
}

void
vtr_override_vkFreeMemory (VtrReplayVk                 *vk,
                           VkDevice                     device,
                           VkDeviceMemory               memory,
                           const VkAllocationCallbacks *pAllocator)
{
  VtrReplayObject *object =
    vtr_objects_find (vk, VTR_HANDLE_VkDeviceMemory, VTR_HANDLE_BITS (memory));
  VtrTable *table = vtr_device_table (vk, device);
  bool scattered = object != NULL && object->info.memory.scatter != NULL;
  VtrFixedAddress place = { 0 };

  (void)pAllocator;
  if (table == NULL || memory == VK_NULL_HANDLE)
    return;
  if (object != NULL)
    {
      place = object->info.memory.place;
      object->info.memory.place = (VtrFixedAddress){ 0 };
    }
  vtr_objects_destroying (vk, VTR_HANDLE_VkDeviceMemory, VTR_HANDLE_BITS (memory));
  if (!scattered)
    VTR_CALL (vk, table, vkFreeMemory)
  (device, memory, NULL);
  vtr_fixed_address_free (vk, &place);
}

/* --- Buffers and images ---------------------------------------------------------------------- */

/* Removes the structure about imported memory from the start of the chain of a buffer or an image,
 * because none is imported here. */
static void
forget_import (const VtrTable  *table,
               const void     **next)
{
  const VkExternalMemoryBufferCreateInfo *buffer = *next;
  const VkExternalMemoryImageCreateInfo *image = *next;

  if (table->host_import_unit != 0 || *next == NULL)
    return;
  if ((buffer->sType == VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO &&
       buffer->handleTypes == VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT) ||
      (image->sType == VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO &&
       image->handleTypes == VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT))
    *next = buffer->pNext;
}

/* The chain is the replay's own. */
static void
add_buffer_usage (VkBufferCreateInfo *info,
                  VkBufferUsageFlags  usage)
{
#ifdef VK_KHR_maintenance5
  VkBufferUsageFlags2CreateInfoKHR *wide = (VkBufferUsageFlags2CreateInfoKHR *)vtr_api_find_next (
    info->pNext, VK_STRUCTURE_TYPE_BUFFER_USAGE_FLAGS_2_CREATE_INFO_KHR);

  if (wide != NULL)
    wide->usage |= usage;
#endif
  info->usage |= usage;
}

VkResult
vtr_override_vkCreateBuffer (VtrReplayVk                 *vk,
                             VkDevice                     device,
                             const VkBufferCreateInfo    *pCreateInfo,
                             const VkAllocationCallbacks *pAllocator,
                             VkBuffer                    *pBuffer)
{
  VtrTable *table = vtr_device_table (vk, device);
  VkBufferCreateInfo info = *pCreateInfo;
  VtrOpaque opaque;
  VtrReplayObject *object;
  VkResult result;

  (void)pAllocator;
  if (table == NULL)
    return VK_ERROR_DEVICE_LOST;
  opaque = vtr_opaque_take (vk, table);
  add_buffer_usage (&info, VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  forget_import (table, &info.pNext);
  if (opaque.wanted)
    result = vtr_opaque_create_buffer (vk, table, &info, &opaque, pBuffer);
  else
    result = VTR_CALL (vk, table, vkCreateBuffer) (device, &info, NULL, pBuffer);
  if (result < 0)
    return result;
  object = vtr_objects_created (vk, VTR_HANDLE_VkBuffer, VTR_HANDLE_BITS (*pBuffer),
                                VTR_HANDLE_BITS (device), 0);
  if (object != NULL)
    object->info.buffer = (VtrBufferInfo){ .size = info.size,
                                           .usage = vtr_buffer_get_usage (&info) };
  return result;
}

/* Samples are written by drawing, so a multisampled image has to be an attachment. A number of
 * samples that the driver does not offer is the program's, and worked for it. */
static void
image_add_attachment (VtrReplayVk       *vk,
                      VtrTable          *table,
                      VkImageCreateInfo *info)
{
  const VkImageUsageFlags attachment =
    VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
  const VtrPixelFormat *format = vtr_vulkan_format_get (info->format);
  VkImageFormatProperties properties;
  VkImageUsageFlags usage;

  if (info->samples == VK_SAMPLE_COUNT_1_BIT || (info->usage & attachment) != 0 || format == NULL)
    return;
  usage = info->usage | (vtr_pixel_format_find_plane (format, VTR_PIXEL_DEPTH) != NULL ||
                             vtr_pixel_format_find_plane (format, VTR_PIXEL_STENCIL) != NULL
                           ? VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT
                           : VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
  if (VTR_CALL (vk, table->parent, vkGetPhysicalDeviceImageFormatProperties) (
        table->physical, info->format, info->imageType, info->tiling, usage, info->flags,
        &properties) == VK_SUCCESS)
    info->usage = usage;
}

/* Adds what reading back and writing content need, where the format can do it. */
static void
image_add_usage (VtrReplayVk       *vk,
                 VtrTable          *table,
                 VkImageCreateInfo *info)
{
  VkFormatProperties properties;
  VkFormatFeatureFlags features;

  VTR_CALL (vk, table->parent, vkGetPhysicalDeviceFormatProperties)
  (table->physical, info->format, &properties);
  if (info->tiling == VK_IMAGE_TILING_OPTIMAL)
    features = properties.optimalTilingFeatures;
  else if (info->tiling == VK_IMAGE_TILING_LINEAR)
    features = properties.linearTilingFeatures;
  else
    return;
  if ((features & VK_FORMAT_FEATURE_TRANSFER_SRC_BIT) != 0)
    {
      /* Transient images may be attachments and nothing else. */
      info->usage &= ~(VkImageUsageFlags)VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT;
      info->usage |= VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
      if ((features & VK_FORMAT_FEATURE_TRANSFER_DST_BIT) != 0 &&
          info->samples == VK_SAMPLE_COUNT_1_BIT)
        info->usage |= VK_IMAGE_USAGE_TRANSFER_DST_BIT;
      if (info->samples != VK_SAMPLE_COUNT_1_BIT &&
          (features & VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT) != 0)
        info->usage |= VK_IMAGE_USAGE_SAMPLED_BIT;
    }
  image_add_attachment (vk, table, info);
}

VkResult
vtr_override_vkCreateImage (VtrReplayVk                 *vk,
                            VkDevice                     device,
                            const VkImageCreateInfo     *pCreateInfo,
                            const VkAllocationCallbacks *pAllocator,
                            VkImage                     *pImage)
{
  static const VkStructureType window[] = { VK_STRUCTURE_TYPE_IMAGE_SWAPCHAIN_CREATE_INFO_KHR };
  VtrTable *table = vtr_device_table (vk, device);
  VkImageCreateInfo info = *pCreateInfo;
  VtrReplayObject *object;
  VkResult result;

  (void)pAllocator;
  if (table == NULL)
    return VK_ERROR_DEVICE_LOST;
  if (vtr_chain_find (info.pNext, window[0]) != NULL)
    {
      /* It will share the memory of the virtual swapchain's own image. */
      vtr_chain_remove (&info.pNext, window, 1);
      info.flags |= VK_IMAGE_CREATE_ALIAS_BIT;
    }
  forget_import (table, &info.pNext);
  image_add_usage (vk, table, &info);
  result = VTR_CALL (vk, table, vkCreateImage) (device, &info, NULL, pImage);
  if (result < 0 && info.usage != pCreateInfo->usage)
    {
      /* Some combination that only this image has. It cannot be read back then. */
      info.usage = pCreateInfo->usage;
      result = VTR_CALL (vk, table, vkCreateImage) (device, &info, NULL, pImage);
    }
  if (result < 0)
    return result;
  object = vtr_objects_created (vk, VTR_HANDLE_VkImage, VTR_HANDLE_BITS (*pImage),
                                VTR_HANDLE_BITS (device), 0);
  if (object != NULL)
    object->info.image = (VtrReplayImage){
      .usage = info.usage,
      .flags = info.flags,
      .tiling = info.tiling,
      .format = info.format,
      .extent = info.extent,
      .mips = info.mipLevels,
      .layers = info.arrayLayers,
      .samples = info.samples,
      .slices = table->maintenance9 && vtr_image_has_slice_layouts (info.imageType, info.flags),
    };
  return result;
}
