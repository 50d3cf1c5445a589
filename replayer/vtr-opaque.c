#include "vtr-opaque.h"

#include "vtr-place.h"

/* --- The device ------------------------------------------------------------------------------ */

static bool
is_offered (VtrReplayVk      *vk,
            VtrTable         *table,
            VkPhysicalDevice  physical)
{
  VkPhysicalDeviceBufferDeviceAddressFeatures address = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES,
  };
  VkPhysicalDeviceFeatures2 features = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
    .pNext = &address,
  };
  PFN_vkGetPhysicalDeviceFeatures2 get = VTR_CALL (vk, table, vkGetPhysicalDeviceFeatures2);

  if (get == NULL)
    get = VTR_CALL (vk, table, vkGetPhysicalDeviceFeatures2KHR);
  if (get != NULL)
    get (physical, &features);
  return address.bufferDeviceAddressCaptureReplay == VK_TRUE;
}

/* The chain is the machine's memory, written anew for every call. */
VkBool32 *
vtr_opaque_enable (VtrReplayVk              *vk,
                   VtrTable                 *table,
                   VkPhysicalDevice          physical,
                   const VkDeviceCreateInfo *info,
                   bool                     *on)
{
  VkPhysicalDeviceBufferDeviceAddressFeatures *own = (void *)(uintptr_t)vtr_chain_find (
    info->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES);
  VkPhysicalDeviceVulkan12Features *all = (void *)(uintptr_t)vtr_chain_find (
    info->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
  VkBool32 *feature = NULL;

  if (own != NULL && own->bufferDeviceAddress)
    feature = &own->bufferDeviceAddressCaptureReplay;
  else if (all != NULL && all->bufferDeviceAddress)
    feature = &all->bufferDeviceAddressCaptureReplay;
  *on = feature != NULL && *feature;
  if (feature == NULL || *feature || !is_offered (vk, table, physical))
    return NULL;
  *feature = *on = VK_TRUE;
  return feature;
}

/* Opaque addresses or imports; tried when the first object is to be kept. */
static void
choose_way (VtrReplayVk *vk,
            VtrTable    *table)
{
  table->has_way = true;
  if (table->host_import_unit != 0 && vtr_place_is_address (vk, table))
    table->opaque = false;
  else
    table->host_import_unit = 0;
}

/* --- Objects --------------------------------------------------------------------------------- */

uint64_t
vtr_synthetic_keep_address (void           *context,
                            const uint64_t *args)
{
  VtrReplayVk *vk = context;

  vk->next_opaque = (VtrOpaque){ true, args[0] };
  return 0;
}

VtrOpaque
vtr_opaque_take (VtrReplayVk *vk,
                 VtrTable    *table)
{
  VtrOpaque opaque = vk->next_opaque;

  vk->next_opaque = (VtrOpaque){ 0 };
  if (opaque.wanted && table->opaque && !table->has_way)
    choose_way (vk, table);
  opaque.wanted = opaque.wanted && table->opaque;
  return opaque;
}

/* With the address, then anywhere, then as what cannot be asked for again. */
VkResult
vtr_opaque_allocate (VtrReplayVk                *vk,
                     VtrTable                   *table,
                     const VkMemoryAllocateInfo *info,
                     const VtrOpaque            *opaque,
                     VkDeviceMemory             *memory)
{
  const VkMemoryOpaqueCaptureAddressAllocateInfo address = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_OPAQUE_CAPTURE_ADDRESS_ALLOCATE_INFO,
    .pNext = info->pNext,
    .opaqueCaptureAddress = opaque->address,
  };
  VkMemoryAllocateFlagsInfo *flags = (void *)(uintptr_t)vtr_chain_find (
    info->pNext, VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO);
  PFN_vkAllocateMemory allocate = VTR_CALL (vk, table, vkAllocateMemory);
  VkMemoryAllocateInfo own = *info;
  VkResult result = VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS;

  if (flags == NULL)
    return allocate (table->device, info, NULL, memory);
  flags->flags |= VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT;
  own.pNext = &address;
  if (opaque->address != 0)
    result = allocate (table->device, &own, NULL, memory);
  if (result < 0)
    result = allocate (table->device, info, NULL, memory);
  if (result >= 0)
    return result;
  flags->flags &= ~(VkMemoryAllocateFlags)VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT;
  return allocate (table->device, info, NULL, memory);
}

VkResult
vtr_opaque_create_buffer (VtrReplayVk              *vk,
                          VtrTable                 *table,
                          const VkBufferCreateInfo *info,
                          const VtrOpaque          *opaque,
                          VkBuffer                 *buffer)
{
  const VkBufferOpaqueCaptureAddressCreateInfo address = {
    .sType = VK_STRUCTURE_TYPE_BUFFER_OPAQUE_CAPTURE_ADDRESS_CREATE_INFO,
    .pNext = info->pNext,
    .opaqueCaptureAddress = opaque->address,
  };
  PFN_vkCreateBuffer create = VTR_CALL (vk, table, vkCreateBuffer);
  VkBufferCreateInfo own = *info;
  VkResult result = VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS;

  own.flags |= VK_BUFFER_CREATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT;
  own.pNext = &address;
  if (opaque->address != 0)
    result = create (table->device, &own, NULL, buffer);
  own.pNext = info->pNext;
  if (result < 0)
    result = create (table->device, &own, NULL, buffer);
  return result < 0 ? create (table->device, info, NULL, buffer) : result;
}
