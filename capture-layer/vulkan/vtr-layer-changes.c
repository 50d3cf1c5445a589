/* Changes the parameters of some calls on their way to the driver (features, usages, allocation
 * flags), so that resources can be copied and replayed. The trace keeps the program's own
 * parameters. */
#include "vtr-layer-changes.h"

#include "vtr-layer-host-copy.h"
#include "vtr-layer-instance.h"
#include "vtr-layer-picture.h"
#include "vtr-layer-trampolines.h"

#include "api/vtr-api-types.h"
#include "vulkan/vtr-vulkan-facts.h"
#include "vtr-config.h"

#include <stdlib.h>
#include <string.h>

#define SOURCE VK_IMAGE_USAGE_TRANSFER_SRC_BIT
#define SAMPLED VK_IMAGE_USAGE_SAMPLED_BIT

/* ---- Features ---- */

/* Copies the chain up to and including the structure of @stype; what follows is shared.
 * Returns: the copy of that structure; NULL, with *@next as it was, when it is not there or
 * something before it is unknown. */
static void *
clone_chain_to (VtrArena         *arena,
                const void      **next,
                VkStructureType   stype)
{
  const VkBaseInStructure *each = *next;
  const void *head = NULL;
  const void **link = &head;

  for (; each != NULL; each = each->pNext)
    {
      VtrStructId id = vtr_struct_from_stype (each->sType);
      size_t size = id == VTR_STRUCT_NONE ? 0 : vtr_struct_get (id)->size[VTR_ABI_NATIVE];
      VkBaseOutStructure *copy;

      if (each->sType == VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO)
        size = sizeof (VkLayerDeviceCreateInfo);
      if (size == 0 || (copy = vtr_arena_memdup (arena, each, size)) == NULL)
        return NULL;
      *link = copy;
      link = (const void **)&copy->pNext;
      if (each->sType == stype)
        {
          *next = head;
          return copy;
        }
    }
  return NULL;
}

/* Asks for the features in @feature, which is in the chain of the device and so known to it. */
static void
ask_features (VtrLayerInstance *instance,
              VkPhysicalDevice  physical,
              void             *feature)
{
  VkPhysicalDeviceFeatures2 features = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
    .pNext = feature,
  };
  PFN_vkGetPhysicalDeviceFeatures2 get_features = vtr_layer_get_features2 (instance, physical);

  if (get_features != NULL)
    get_features (physical, &features);
}

static bool
offers_address_replay (VtrLayerInstance *instance,
                       VkPhysicalDevice  physical)
{
  VkPhysicalDeviceBufferDeviceAddressFeatures address = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES,
  };

  ask_features (instance, physical, &address);
  return address.bufferDeviceAddressCaptureReplay == VK_TRUE;
}

static void
change_structures (VtrLayerFeatureChange *self,
                   VtrLayerInstance      *instance,
                   VkPhysicalDevice       physical)
{
  VkPhysicalDeviceAccelerationStructureFeaturesKHR offered = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ACCELERATION_STRUCTURE_FEATURES_KHR,
  };
  VkPhysicalDeviceAccelerationStructureFeaturesKHR *wanted =
    clone_chain_to (&self->arena, &self->info.pNext, offered.sType);

  if (wanted == NULL || !wanted->accelerationStructure)
    return;
  ask_features (instance, physical, &offered);
  if (offered.accelerationStructureCaptureReplay)
    wanted->accelerationStructureCaptureReplay = self->structure_replay = true;
}

static void
change_groups (VtrLayerFeatureChange *self,
               VtrLayerInstance      *instance,
               VkPhysicalDevice       physical)
{
  VkPhysicalDeviceRayTracingPipelineFeaturesKHR offered = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_TRACING_PIPELINE_FEATURES_KHR,
  };
  VkPhysicalDeviceRayTracingPipelineFeaturesKHR *wanted =
    clone_chain_to (&self->arena, &self->info.pNext, offered.sType);

  if (wanted == NULL || !wanted->rayTracingPipeline)
    return;
  ask_features (instance, physical, &offered);
  if (offered.rayTracingPipelineShaderGroupHandleCaptureReplay)
    wanted->rayTracingPipelineShaderGroupHandleCaptureReplay = self->group_replay = true;
}

void
vtr_layer_change_features (VtrLayerFeatureChange    *self,
                           VtrLayerInstance         *instance,
                           VkPhysicalDevice          physical,
                           const VkDeviceCreateInfo *info)
{
  VkPhysicalDeviceBufferDeviceAddressFeatures *address;
  VkPhysicalDeviceVulkan12Features *vulkan12;

  self->info = *info;
  self->address_replay = self->structure_replay = self->group_replay = false;
  vtr_arena_init (&self->arena);
  if (!vtr_layer_transport_start ())
    return;

  change_groups (self, instance, physical);
  if (!offers_address_replay (instance, physical))
    return;
  address = clone_chain_to (&self->arena, &self->info.pNext,
                            VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES);
  if (address != NULL && address->bufferDeviceAddress)
    address->bufferDeviceAddressCaptureReplay = self->address_replay = true;
  vulkan12 = clone_chain_to (&self->arena, &self->info.pNext,
                             VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
  if (vulkan12 != NULL && vulkan12->bufferDeviceAddress)
    vulkan12->bufferDeviceAddressCaptureReplay = self->address_replay = true;
  /* A structure lies where it was only in a buffer that does. */
  if (self->address_replay)
    change_structures (self, instance, physical);
}

bool
vtr_layer_change_features_drop (VtrLayerFeatureChange *self)
{
  const bool any = self->address_replay || self->group_replay;

  self->address_replay = self->structure_replay = self->group_replay = false;
  return any;
}

void
vtr_layer_change_features_finish (VtrLayerFeatureChange *self)
{
  vtr_arena_finish (&self->arena);
}

/* ---- Device addresses that replay can ask for again ---- */

bool
vtr_layer_change_allocation (const VtrLayerDevice       *device,
                             const VkMemoryAllocateInfo *info,
                             VkMemoryAllocateInfo       *out,
                             VtrArena                   *arena)
{
  VkMemoryAllocateFlagsInfo *flags;

  *out = *info;
  if (!device->address_replay)
    return false;
  flags = clone_chain_to (arena, &out->pNext, VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO);
  if (flags == NULL || (flags->flags & VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT) == 0)
    return false;
  flags->flags |= VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT;
  return true;
}

void
vtr_layer_record_memory_address (VtrLayerDevice *device,
                                 VkDeviceMemory  memory)
{
  const VkDeviceMemoryOpaqueCaptureAddressInfo info = {
    .sType = VK_STRUCTURE_TYPE_DEVICE_MEMORY_OPAQUE_CAPTURE_ADDRESS_INFO,
    .memory = memory,
  };
  PFN_vkGetDeviceMemoryOpaqueCaptureAddress get = device->next.GetDeviceMemoryOpaqueCaptureAddress;
  uint64_t address;

  if (get == NULL)
    get = device->next.GetDeviceMemoryOpaqueCaptureAddressKHR;
  if (get == NULL)
    return;
  address = get (device->handle, &info);
  vtr_layer_call_add_extra (VTR_EXTRA_OPAQUE_ADDRESS, &address, sizeof address);
}

static void
record_buffer_address (VtrLayerDevice *device,
                       VkBuffer        buffer)
{
  const VkBufferDeviceAddressInfo info = {
    .sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
    .buffer = buffer,
  };
  PFN_vkGetBufferOpaqueCaptureAddress get = device->next.GetBufferOpaqueCaptureAddress;
  uint64_t address;

  if (get == NULL)
    get = device->next.GetBufferOpaqueCaptureAddressKHR;
  if (get == NULL)
    return;
  address = get (device->handle, &info);
  vtr_layer_call_add_extra (VTR_EXTRA_OPAQUE_ADDRESS, &address, sizeof address);
}

/* ---- Protected memory ---- */

static void
hide_protected (void *next)
{
  for (VkBaseOutStructure *each = next; each != NULL; each = each->pNext)
    {
      if (each->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROTECTED_MEMORY_FEATURES)
        ((VkPhysicalDeviceProtectedMemoryFeatures *)(void *)each)->protectedMemory = VK_FALSE;
      if (each->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES)
        ((VkPhysicalDeviceVulkan11Features *)(void *)each)->protectedMemory = VK_FALSE;
    }
}

void
vtr_layer_hook_GetPhysicalDeviceFeatures2 (VtrLayerInstance          *self,
                                           VkPhysicalDevice           physicalDevice,
                                           VkPhysicalDeviceFeatures2 *pFeatures)
{
  self->next.GetPhysicalDeviceFeatures2 (physicalDevice, pFeatures);
  hide_protected (pFeatures->pNext);
}

void
vtr_layer_hook_GetPhysicalDeviceFeatures2KHR (VtrLayerInstance          *self,
                                              VkPhysicalDevice           physicalDevice,
                                              VkPhysicalDeviceFeatures2 *pFeatures)
{
  self->next.GetPhysicalDeviceFeatures2KHR (physicalDevice, pFeatures);
  hide_protected (pFeatures->pNext);
}

void
vtr_layer_hook_GetPhysicalDeviceQueueFamilyProperties (VtrLayerInstance        *self,
                                                       VkPhysicalDevice         physicalDevice,
                                                       uint32_t                *pCount,
                                                       VkQueueFamilyProperties *pProperties)
{
  self->next.GetPhysicalDeviceQueueFamilyProperties (physicalDevice, pCount, pProperties);
  for (uint32_t i = 0; pProperties != NULL && i < *pCount; i++)
    pProperties[i].queueFlags &= ~(VkQueueFlags)VK_QUEUE_PROTECTED_BIT;
}

static void
hide_protected_queues (uint32_t                  n,
                       VkQueueFamilyProperties2 *properties)
{
  for (uint32_t i = 0; properties != NULL && i < n; i++)
    properties[i].queueFamilyProperties.queueFlags &= ~(VkQueueFlags)VK_QUEUE_PROTECTED_BIT;
}

void
vtr_layer_hook_GetPhysicalDeviceQueueFamilyProperties2 (VtrLayerInstance         *self,
                                                        VkPhysicalDevice          physicalDevice,
                                                        uint32_t                 *pCount,
                                                        VkQueueFamilyProperties2 *pProperties)
{
  self->next.GetPhysicalDeviceQueueFamilyProperties2 (physicalDevice, pCount, pProperties);
  hide_protected_queues (*pCount, pProperties);
}

void
vtr_layer_hook_GetPhysicalDeviceQueueFamilyProperties2KHR (VtrLayerInstance         *self,
                                                           VkPhysicalDevice          physicalDevice,
                                                           uint32_t                 *pCount,
                                                           VkQueueFamilyProperties2 *pProperties)
{
  self->next.GetPhysicalDeviceQueueFamilyProperties2KHR (physicalDevice, pCount, pProperties);
  hide_protected_queues (*pCount, pProperties);
}

/* ---- Images ---- */

/* Whether the driver can make an image with @usage. */
static bool
supports_image (VtrLayerDevice          *device,
                const VkImageCreateInfo *info,
                VkImageUsageFlags        usage)
{
  VkImageFormatProperties limits;

  return device->instance->next.GetPhysicalDeviceImageFormatProperties (
           device->physical, info->format, info->imageType, info->tiling, usage, info->flags,
           &limits) == VK_SUCCESS &&
         info->extent.width <= limits.maxExtent.width &&
         info->extent.height <= limits.maxExtent.height &&
         info->extent.depth <= limits.maxExtent.depth && info->mipLevels <= limits.maxMipLevels &&
         info->arrayLayers <= limits.maxArrayLayers && (info->samples & limits.sampleCounts) != 0;
}

static VkImageUsageFlags
wanted_image_usage (VkImageUsageFlags     usage,
                    VkSampleCountFlagBits samples)
{
  return usage | SOURCE | (samples != VK_SAMPLE_COUNT_1_BIT ? SAMPLED : 0);
}

/* The usage an image is really made with: the application's, and what the format allows of ours. */
VkImageUsageFlags
vtr_layer_change_image_usage (VtrLayerDevice          *device,
                              const VkImageCreateInfo *info)
{
  VkImageUsageFlags wanted = wanted_image_usage (info->usage, info->samples);

  /* Transient images allow attachment usages only; modifiers need a query of their own. */
  if ((info->usage & VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT) ||
      info->tiling == VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT ||
      (info->flags & VK_IMAGE_CREATE_PROTECTED_BIT) || info->format == VK_FORMAT_UNDEFINED)
    return info->usage;
  if (wanted == info->usage || supports_image (device, info, wanted))
    return wanted;
  wanted = info->usage | SOURCE;
  return supports_image (device, info, wanted) ? wanted : info->usage;
}

VkResult
vtr_layer_hook_CreateImage (VtrLayerDevice              *self,
                            VkDevice                     device,
                            const VkImageCreateInfo     *pCreateInfo,
                            const VkAllocationCallbacks *pAllocator,
                            VkImage                     *pImage)
{
  VkImageCreateInfo info = *pCreateInfo;
  VkResult result;

  info.usage = vtr_layer_change_image_usage (self, pCreateInfo);
  result = self->next.CreateImage (device, &info, pAllocator, pImage);
  if (result < 0 && info.usage != pCreateInfo->usage)
    result = self->next.CreateImage (device, pCreateInfo, pAllocator, pImage);
  if (result == VK_SUCCESS)
    {
      vtr_layer_memory_image_created (&self->memory, *pImage, pCreateInfo);
      vtr_layer_host_copy_created (self, *pImage, pCreateInfo);
    }
  return result;
}

VkResult
vtr_layer_hook_GetPhysicalDeviceImageFormatProperties (VtrLayerInstance        *self,
                                                       VkPhysicalDevice         physicalDevice,
                                                       VkFormat                 format,
                                                       VkImageType              type,
                                                       VkImageTiling            tiling,
                                                       VkImageUsageFlags        usage,
                                                       VkImageCreateFlags       flags,
                                                       VkImageFormatProperties *pProperties)
{
  /* The sample count is not known yet: SAMPLED is asked for when the image is made. */
  if ((usage & (VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT | SOURCE)) == 0 &&
      self->next.GetPhysicalDeviceImageFormatProperties (
        physicalDevice, format, type, tiling, usage | SOURCE, flags, pProperties) == VK_SUCCESS)
    return VK_SUCCESS;
  return self->next.GetPhysicalDeviceImageFormatProperties (physicalDevice, format, type, tiling,
                                                            usage, flags, pProperties);
}

static VkResult
query_image_format2 (PFN_vkGetPhysicalDeviceImageFormatProperties2  query,
                     VkPhysicalDevice                               physical,
                     const VkPhysicalDeviceImageFormatInfo2        *info,
                     VkImageFormatProperties2                      *properties)
{
  VkPhysicalDeviceImageFormatInfo2 changed = *info;

  changed.usage |= SOURCE;
  if ((info->usage & VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT) == 0 &&
      info->tiling != VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT && changed.usage != info->usage &&
      query (physical, &changed, properties) == VK_SUCCESS)
    return VK_SUCCESS;
  return query (physical, info, properties);
}

VkResult
vtr_layer_hook_GetPhysicalDeviceImageFormatProperties2 (
  VtrLayerInstance *self,
  VkPhysicalDevice physicalDevice,
  const VkPhysicalDeviceImageFormatInfo2 *pInfo,
  VkImageFormatProperties2 *pProperties)
{
  return query_image_format2 (self->next.GetPhysicalDeviceImageFormatProperties2, physicalDevice,
                              pInfo, pProperties);
}

VkResult
vtr_layer_hook_GetPhysicalDeviceImageFormatProperties2KHR (
  VtrLayerInstance *self,
  VkPhysicalDevice physicalDevice,
  const VkPhysicalDeviceImageFormatInfo2 *pInfo,
  VkImageFormatProperties2 *pProperties)
{
  return query_image_format2 (self->next.GetPhysicalDeviceImageFormatProperties2KHR, physicalDevice,
                              pInfo, pProperties);
}

void
vtr_layer_hook_GetPhysicalDeviceSparseImageFormatProperties (
  VtrLayerInstance *self,
  VkPhysicalDevice physicalDevice,
  VkFormat format,
  VkImageType type,
  VkSampleCountFlagBits samples,
  VkImageUsageFlags usage,
  VkImageTiling tiling,
  uint32_t *pCount,
  VkSparseImageFormatProperties *pProperties)
{
  self->next.GetPhysicalDeviceSparseImageFormatProperties (
    physicalDevice, format, type, samples, usage | SOURCE, tiling, pCount, pProperties);
}

void
vtr_layer_hook_GetPhysicalDeviceSparseImageFormatProperties2 (
  VtrLayerInstance *self,
  VkPhysicalDevice physicalDevice,
  const VkPhysicalDeviceSparseImageFormatInfo2 *pInfo,
  uint32_t *pCount,
  VkSparseImageFormatProperties2 *pProperties)
{
  VkPhysicalDeviceSparseImageFormatInfo2 changed = *pInfo;

  changed.usage |= SOURCE;
  self->next.GetPhysicalDeviceSparseImageFormatProperties2 (physicalDevice, &changed, pCount,
                                                            pProperties);
}

void
vtr_layer_hook_GetPhysicalDeviceSparseImageFormatProperties2KHR (
  VtrLayerInstance *self,
  VkPhysicalDevice physicalDevice,
  const VkPhysicalDeviceSparseImageFormatInfo2 *pInfo,
  uint32_t *pCount,
  VkSparseImageFormatProperties2 *pProperties)
{
  VkPhysicalDeviceSparseImageFormatInfo2 changed = *pInfo;

  changed.usage |= SOURCE;
  self->next.GetPhysicalDeviceSparseImageFormatProperties2KHR (physicalDevice, &changed, pCount,
                                                               pProperties);
}

/* Calls one of the requirement queries with the image as it will be made. */
#define WITH_IMAGE_REQUIREMENTS(call) \
  VkImageCreateInfo image = *pInfo->pCreateInfo; \
  VkDeviceImageMemoryRequirements changed = *pInfo; \
\
  image.usage = vtr_layer_change_image_usage (self, pInfo->pCreateInfo); \
  changed.pCreateInfo = &image; \
  call

void
vtr_layer_hook_GetDeviceImageMemoryRequirements (VtrLayerDevice                        *self,
                                                 VkDevice                               device,
                                                 const VkDeviceImageMemoryRequirements *pInfo,
                                                 VkMemoryRequirements2                 *pOut)
{
  WITH_IMAGE_REQUIREMENTS (
    self->next.GetDeviceImageMemoryRequirements (device, &changed, pOut));
}

void
vtr_layer_hook_GetDeviceImageMemoryRequirementsKHR (VtrLayerDevice                        *self,
                                                    VkDevice                               device,
                                                    const VkDeviceImageMemoryRequirements *pInfo,
                                                    VkMemoryRequirements2                 *pOut)
{
  WITH_IMAGE_REQUIREMENTS (
    self->next.GetDeviceImageMemoryRequirementsKHR (device, &changed, pOut));
}

void
vtr_layer_hook_GetDeviceImageSparseMemoryRequirements (
  VtrLayerDevice *self,
  VkDevice device,
  const VkDeviceImageMemoryRequirements *pInfo,
  uint32_t *pCount,
  VkSparseImageMemoryRequirements2 *pOut)
{
  WITH_IMAGE_REQUIREMENTS (
    self->next.GetDeviceImageSparseMemoryRequirements (device, &changed, pCount, pOut));
}

void
vtr_layer_hook_GetDeviceImageSparseMemoryRequirementsKHR (
  VtrLayerDevice *self,
  VkDevice device,
  const VkDeviceImageMemoryRequirements *pInfo,
  uint32_t *pCount,
  VkSparseImageMemoryRequirements2 *pOut)
{
  WITH_IMAGE_REQUIREMENTS (
    self->next.GetDeviceImageSparseMemoryRequirementsKHR (device, &changed, pCount, pOut));
}

#ifdef VK_KHR_maintenance5
static void
get_layout_of_changed (VtrLayerDevice                           *self,
                       PFN_vkGetDeviceImageSubresourceLayoutKHR  get,
                       const VkDeviceImageSubresourceInfoKHR    *info,
                       VkSubresourceLayout2KHR                  *out)
{
  VkImageCreateInfo image = *info->pCreateInfo;
  VkDeviceImageSubresourceInfoKHR changed = *info;

  image.usage = vtr_layer_change_image_usage (self, info->pCreateInfo);
  changed.pCreateInfo = &image;
  get (self->handle, &changed, out);
}

void
vtr_layer_hook_GetDeviceImageSubresourceLayoutKHR (VtrLayerDevice                        *self,
                                                   VkDevice                               device,
                                                   const VkDeviceImageSubresourceInfoKHR *pInfo,
                                                   VkSubresourceLayout2KHR               *pLayout)
{
  (void)device;
  get_layout_of_changed (self, self->next.GetDeviceImageSubresourceLayoutKHR, pInfo, pLayout);
}
#endif

#ifdef VK_VERSION_1_4
void
vtr_layer_hook_GetDeviceImageSubresourceLayout (VtrLayerDevice                     *self,
                                                VkDevice                            device,
                                                const VkDeviceImageSubresourceInfo *pInfo,
                                                VkSubresourceLayout2               *pLayout)
{
  (void)device;
  get_layout_of_changed (self, self->next.GetDeviceImageSubresourceLayout, pInfo, pLayout);
}
#endif

/* ---- Buffers ---- */

/* Adds to what the driver gets to see of the buffer's usage; @arena: where a chain is copied. */
static void
add_buffer_usage (VkBufferCreateInfo *info,
                  VtrArena           *arena,
                  VkBufferUsageFlags  usage)
{
#ifdef VK_KHR_maintenance5
  VkBufferUsageFlags2CreateInfoKHR *wide = clone_chain_to (
    arena, &info->pNext, VK_STRUCTURE_TYPE_BUFFER_USAGE_FLAGS_2_CREATE_INFO_KHR);

  if (wide != NULL)
    wide->usage |= usage;
#else
  (void)arena;
#endif
  info->usage |= usage;
}

static VkBufferCreateInfo
change_buffer (const VtrLayerDevice     *device,
               const VkBufferCreateInfo *info,
               VtrArena                 *arena)
{
  VkBufferCreateInfo changed = *info;

  add_buffer_usage (&changed, arena, VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
  if (device->address_replay &&
      (vtr_buffer_get_usage (info) & VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT))
    changed.flags |= VK_BUFFER_CREATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT;
  return changed;
}

VkResult
vtr_layer_hook_CreateBuffer (VtrLayerDevice              *self,
                             VkDevice                     device,
                             const VkBufferCreateInfo    *pCreateInfo,
                             const VkAllocationCallbacks *pAllocator,
                             VkBuffer                    *pBuffer)
{
  VkBufferCreateInfo info;
  VtrArena arena;
  VkResult result;

  vtr_arena_init (&arena);
  info = change_buffer (self, pCreateInfo, &arena);
  result = self->next.CreateBuffer (device, &info, pAllocator, pBuffer);
  vtr_arena_finish (&arena);
  if (result < 0)
    {
      info = *pCreateInfo;
      result = self->next.CreateBuffer (device, pCreateInfo, pAllocator, pBuffer);
    }
  if (result == VK_SUCCESS)
    vtr_layer_memory_buffer_created (&self->memory, *pBuffer, pCreateInfo);
  if (result == VK_SUCCESS && (info.flags & VK_BUFFER_CREATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT))
    {
      if (vtr_buffer_get_usage (pCreateInfo) &
          VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_STORAGE_BIT_KHR)
        vtr_layer_memory_buffer_replayable (&self->memory, *pBuffer);
      if (vtr_layer_is_encoding ())
        record_buffer_address (self, *pBuffer);
    }
  return result;
}

/* Asks with the buffer as it will be made. */
#define WITH_BUFFER_REQUIREMENTS(get) \
  VkDeviceBufferMemoryRequirements changed = *pInfo; \
  VkBufferCreateInfo buffer; \
  VtrArena arena; \
\
  vtr_arena_init (&arena); \
  buffer = change_buffer (self, pInfo->pCreateInfo, &arena); \
  changed.pCreateInfo = &buffer; \
  get (device, &changed, pOut); \
  vtr_arena_finish (&arena)

void
vtr_layer_hook_GetDeviceBufferMemoryRequirements (VtrLayerDevice                         *self,
                                                  VkDevice                                device,
                                                  const VkDeviceBufferMemoryRequirements *pInfo,
                                                  VkMemoryRequirements2                  *pOut)
{
  WITH_BUFFER_REQUIREMENTS (self->next.GetDeviceBufferMemoryRequirements);
}

void
vtr_layer_hook_GetDeviceBufferMemoryRequirementsKHR (VtrLayerDevice                         *self,
                                                     VkDevice                                device,
                                                     const VkDeviceBufferMemoryRequirements *pInfo,
                                                     VkMemoryRequirements2                  *pOut)
{
  WITH_BUFFER_REQUIREMENTS (self->next.GetDeviceBufferMemoryRequirementsKHR);
}

/* ---- Swapchains ---- */

VkImageUsageFlags
vtr_layer_change_swapchain_usage (const VtrLayerDevice *device,
                                  VkSurfaceKHR          surface,
                                  VkImageUsageFlags     usage)
{
  const VtrInstanceDispatch *instance = &device->instance->next;
  VkSurfaceCapabilitiesKHR capabilities;

  if (instance->GetPhysicalDeviceSurfaceCapabilitiesKHR == NULL || surface == VK_NULL_HANDLE ||
      instance->GetPhysicalDeviceSurfaceCapabilitiesKHR (device->physical, surface,
                                                         &capabilities) != VK_SUCCESS ||
      (capabilities.supportedUsageFlags & SOURCE) == 0)
    return usage;
  return usage | SOURCE;
}

VkResult
vtr_layer_hook_CreateSwapchainKHR (VtrLayerDevice                 *self,
                                   VkDevice                        device,
                                   const VkSwapchainCreateInfoKHR *pCreateInfo,
                                   const VkAllocationCallbacks    *pAllocator,
                                   VkSwapchainKHR                 *pSwapchain)
{
  VkSwapchainCreateInfoKHR info = *pCreateInfo;
  VkResult result;

  info.imageUsage = vtr_layer_change_swapchain_usage (self, info.surface, info.imageUsage);
  result = self->next.CreateSwapchainKHR (device, &info, pAllocator, pSwapchain);
  if (result == VK_SUCCESS)
    vtr_layer_picture_swapchain_made (self, *pSwapchain, &info);
  return result;
}

VkResult
vtr_layer_hook_CreateSharedSwapchainsKHR (VtrLayerDevice                 *self,
                                          VkDevice                        device,
                                          uint32_t                        swapchainCount,
                                          const VkSwapchainCreateInfoKHR *pCreateInfos,
                                          const VkAllocationCallbacks    *pAllocator,
                                          VkSwapchainKHR                 *pSwapchains)
{
  VkSwapchainCreateInfoKHR *infos = calloc (swapchainCount + 1, sizeof *infos);
  VkResult result;

  if (infos == NULL)
    return VK_ERROR_OUT_OF_HOST_MEMORY;
  for (uint32_t i = 0; i < swapchainCount; i++)
    {
      infos[i] = pCreateInfos[i];
      infos[i].imageUsage =
        vtr_layer_change_swapchain_usage (self, infos[i].surface, infos[i].imageUsage);
    }
  result =
    self->next.CreateSharedSwapchainsKHR (device, swapchainCount, infos, pAllocator, pSwapchains);
  for (uint32_t i = 0; result == VK_SUCCESS && i < swapchainCount; i++)
    vtr_layer_picture_swapchain_made (self, pSwapchains[i], &infos[i]);
  free (infos);
  return result;
}

/* ---- The list of them ---- */

/* The trace has them as they are here; whoever shows them translates them. */
#define N_(text) (text)

const char *
vtr_layer_get_change (const VtrLayerDevice *device,
                      size_t                nth)
{
  const struct
  {
    bool made;
    const char *text;
  } changes[] = {
    { true, N_ ("Images also have VK_IMAGE_USAGE_TRANSFER_SRC_BIT where their format allows it.") },
    { true, N_ ("Multisampled images also have VK_IMAGE_USAGE_SAMPLED_BIT "
                "where their format allows it.") },
    { true, N_ ("Buffers also have VK_BUFFER_USAGE_TRANSFER_SRC_BIT.") },
    { true, N_ ("Swapchain images also have VK_IMAGE_USAGE_TRANSFER_SRC_BIT "
                "where their surface allows it.") },
    { true, N_ ("Protected memory is hidden.") },
    { device->address_replay, N_ ("The feature bufferDeviceAddressCaptureReplay is enabled.") },
    { device->structure_replay, N_ ("The feature accelerationStructureCaptureReplay is enabled.") },
    { device->group_handle_size != 0,
      N_ ("The feature rayTracingPipelineShaderGroupHandleCaptureReplay is enabled.") },
    { device->next.CreateRayTracingPipelinesKHR != NULL,
      N_ ("Ray tracing pipelines are made at once where the program defers it.") },
  };

  for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++)
    if (changes[i].made && nth-- == 0)
      return changes[i].text;
  return NULL;
}
