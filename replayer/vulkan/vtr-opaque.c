/* Creates buffers, memory, acceleration structures and shader groups with the addresses and
 * handles that they had in the capture. */
#include "vtr-opaque.h"

#include "vtr-fixed-address.h"

/* --- The device ------------------------------------------------------------------------------ */

/* Fills in the features in @feature, which the program uses some of: the device knows it. */
static void
ask (VtrReplayVk      *vk,
     VtrTable         *table,
     VkPhysicalDevice  physical,
     void             *feature)
{
  VkPhysicalDeviceFeatures2 features = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
    .pNext = feature,
  };
  PFN_vkGetPhysicalDeviceFeatures2 get = VTR_CALL (vk, table, vkGetPhysicalDeviceFeatures2);

  if (get == NULL)
    get = VTR_CALL (vk, table, vkGetPhysicalDeviceFeatures2KHR);
  if (get != NULL)
    get (physical, &features);
}

/* Switches @feature on if it is @offered. Returns: whether it is on then. */
static bool
add (VtrOpaqueFeatures *self,
     VkBool32          *feature,
     VkBool32           offered)
{
  if (!*feature && offered)
    self->added[self->n_added++] = feature;
  *feature = *feature || offered;
  return *feature;
}

/* The chain may be changed: it is in the machine's memory, and is written again for every call. */
static void *
find_in_chain (const VkDeviceCreateInfo *info,
               VkStructureType           type)
{
  return (void *)(uintptr_t)vtr_chain_find (info->pNext, type);
}

static void
enable_addresses (VtrReplayVk              *vk,
                  VtrTable                 *table,
                  VkPhysicalDevice          physical,
                  const VkDeviceCreateInfo *info,
                  VtrOpaqueFeatures        *self)
{
  VkPhysicalDeviceBufferDeviceAddressFeatures offered = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES,
  };
  VkPhysicalDeviceBufferDeviceAddressFeatures *own = find_in_chain (info, offered.sType);
  VkPhysicalDeviceVulkan12Features *all =
    find_in_chain (info, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
  VkBool32 *feature = NULL;

  if (own != NULL && own->bufferDeviceAddress)
    feature = &own->bufferDeviceAddressCaptureReplay;
  else if (all != NULL && all->bufferDeviceAddress)
    feature = &all->bufferDeviceAddressCaptureReplay;
  if (feature == NULL)
    return;
  ask (vk, table, physical, &offered);
  self->addresses = add (self, feature, offered.bufferDeviceAddressCaptureReplay);
}

static void
enable_structures (VtrReplayVk              *vk,
                   VtrTable                 *table,
                   VkPhysicalDevice          physical,
                   const VkDeviceCreateInfo *info,
                   VtrOpaqueFeatures        *self)
{
  VkPhysicalDeviceAccelerationStructureFeaturesKHR offered = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ACCELERATION_STRUCTURE_FEATURES_KHR,
  };
  VkPhysicalDeviceAccelerationStructureFeaturesKHR *own = find_in_chain (info, offered.sType);

  if (own == NULL || !own->accelerationStructure)
    return;
  ask (vk, table, physical, &offered);
  self->structures = add (self, &own->accelerationStructureCaptureReplay,
                          offered.accelerationStructureCaptureReplay);
}

static void
enable_groups (VtrReplayVk              *vk,
               VtrTable                 *table,
               VkPhysicalDevice          physical,
               const VkDeviceCreateInfo *info,
               VtrOpaqueFeatures        *self)
{
  VkPhysicalDeviceRayTracingPipelineFeaturesKHR offered = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_TRACING_PIPELINE_FEATURES_KHR,
  };
  VkPhysicalDeviceRayTracingPipelineFeaturesKHR *own = find_in_chain (info, offered.sType);

  if (own == NULL || !own->rayTracingPipeline)
    return;
  ask (vk, table, physical, &offered);
  self->groups = add (self, &own->rayTracingPipelineShaderGroupHandleCaptureReplay,
                      offered.rayTracingPipelineShaderGroupHandleCaptureReplay);
  if (self->groups)
    self->mixed_groups = add (self, &own->rayTracingPipelineShaderGroupHandleCaptureReplayMixed,
                              offered.rayTracingPipelineShaderGroupHandleCaptureReplayMixed);
}

void
vtr_opaque_enable (VtrReplayVk              *vk,
                   VtrTable                 *table,
                   VkPhysicalDevice          physical,
                   const VkDeviceCreateInfo *info,
                   VtrOpaqueFeatures        *features)
{
  *features = (VtrOpaqueFeatures){ 0 };
  enable_addresses (vk, table, physical, info, features);
  enable_structures (vk, table, physical, info, features);
  enable_groups (vk, table, physical, info, features);
}

bool
vtr_opaque_disable (VtrOpaqueFeatures *features)
{
  const bool any = features->n_added > 0;

  for (size_t i = 0; i < features->n_added; i++)
    *features->added[i] = VK_FALSE;
  *features = (VtrOpaqueFeatures){ 0 };
  return any;
}

void
vtr_opaque_note (VtrReplayVk             *vk,
                 VtrTable                *table,
                 const VtrOpaqueFeatures *features)
{
  VkPhysicalDeviceRayTracingPipelinePropertiesKHR rays = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_TRACING_PIPELINE_PROPERTIES_KHR,
  };
  VkPhysicalDeviceProperties2 properties = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
    .pNext = &rays,
  };
  PFN_vkGetPhysicalDeviceProperties2 get =
    VTR_CALL (vk, table->parent, vkGetPhysicalDeviceProperties2);

  if (get == NULL)
    get = VTR_CALL (vk, table->parent, vkGetPhysicalDeviceProperties2KHR);
  table->opaque = features->addresses;
  table->opaque_structures = features->addresses && features->structures;
  table->mixes_groups = features->mixed_groups;
  if (features->groups && get != NULL)
    {
      get (table->physical, &properties);
      table->group_handle_size = rays.shaderGroupHandleCaptureReplaySize;
    }
}

/* Opaque addresses or imports; tried when the first object is to be kept. */
static void
choose_way (VtrReplayVk *vk,
            VtrTable    *table)
{
  table->has_way = true;
  if (table->host_import_unit != 0 && vtr_fixed_address_is_address (vk, table))
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
