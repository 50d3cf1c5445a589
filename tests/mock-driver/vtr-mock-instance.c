/* Implements the instance and the physical devices: the properties that the driver reports. */
#include "vtr-mock.h"

#include <stdio.h>
#include <stdlib.h>

#define MAX_DEVICES 8

static const uint32_t api_version = VK_MAKE_API_VERSION (0, 1, 3, VK_HEADER_VERSION);

/* --- Instance -------------------------------------------------------------------------------- */

VkResult
mock_do_vkCreateInstance (const VkInstanceCreateInfo  *info,
                          const VkAllocationCallbacks *allocator,
                          VkInstance                  *out)
{
  MockObject *instance = mock_new_object (NULL, VK_OBJECT_TYPE_INSTANCE, NULL);

  for (uint32_t i = 0; i < mock_config.n_devices && i < MAX_DEVICES; i++)
    mock_new_object (instance, VK_OBJECT_TYPE_PHYSICAL_DEVICE, NULL)->u.owner_data.index = i;
  *out = (VkInstance)instance;
  return VK_SUCCESS;
}

void
mock_do_vkDestroyInstance (VkInstance                   instance,
                           const VkAllocationCallbacks *allocator)
{
  mock_end (NULL, VK_OBJECT_TYPE_INSTANCE, (uintptr_t)instance);
}

VkResult
mock_do_vkEnumerateInstanceVersion (uint32_t *version)
{
  *version = api_version;
  return VK_SUCCESS;
}

VkResult
mock_do_vkEnumerateInstanceLayerProperties (uint32_t          *n,
                                            VkLayerProperties *out)
{
  *n = 0;
  return VK_SUCCESS;
}

VkResult
mock_do_vkEnumerateDeviceLayerProperties (VkPhysicalDevice   device,
                                          uint32_t          *n,
                                          VkLayerProperties *out)
{
  *n = 0;
  return VK_SUCCESS;
}

static void
put_extension (VkExtensionProperties *out,
               const char            *name)
{
  memset (out, 0, sizeof *out);
  strncpy (out->extensionName, name, VK_MAX_EXTENSION_NAME_SIZE - 1);
  out->specVersion = 1;
}

static VkResult
enumerate_extensions (int                    is_device,
                      uint32_t              *n,
                      VkExtensionProperties *out)
{
  uint32_t found = 0;

  for (const MockExtension *extension = mock_extensions; extension->name != NULL; extension++)
    {
      if (extension->is_device != is_device || !mock_config_has_extension (extension->name))
        continue;
      if (out != NULL && found < *n)
        put_extension (&out[found], extension->name);
      found++;
    }
  /* That no registry has. */
  if (is_device && mock_config.newer)
    {
      if (out != NULL && found < *n)
        put_extension (&out[found], "VK_VITRINE_newer");
      found++;
    }
  if (out != NULL && *n < found)
    return VK_INCOMPLETE;
  *n = found;
  return VK_SUCCESS;
}

VkResult
mock_do_vkEnumerateInstanceExtensionProperties (const char            *layer,
                                                uint32_t              *n,
                                                VkExtensionProperties *out)
{
  return enumerate_extensions (0, n, out);
}

VkResult
mock_do_vkEnumerateDeviceExtensionProperties (VkPhysicalDevice       device,
                                              const char            *layer,
                                              uint32_t              *n,
                                              VkExtensionProperties *out)
{
  return enumerate_extensions (1, n, out);
}

/* In the order in which they were made. */
static uint32_t
physical_devices (VkInstance        instance,
                  VkPhysicalDevice *out)
{
  uint32_t n = 0;
  const MockObject *owner = (MockObject *)instance;
  MockObject *device;

  while ((device = mock_next_of (owner, VK_OBJECT_TYPE_PHYSICAL_DEVICE, n)) != NULL)
    out[n++] = (VkPhysicalDevice)device;
  return n;
}

VkResult
mock_do_vkEnumeratePhysicalDevices (VkInstance        instance,
                                    uint32_t         *n,
                                    VkPhysicalDevice *out)
{
  VkPhysicalDevice devices[MAX_DEVICES];
  uint32_t found = physical_devices (instance, devices), copied;

  if (out == NULL)
    {
      *n = found;
      return VK_SUCCESS;
    }
  copied = *n < found ? *n : found;
  memcpy (out, devices, copied * sizeof *out);
  *n = copied;
  return copied < found ? VK_INCOMPLETE : VK_SUCCESS;
}

VkResult
mock_do_vkEnumeratePhysicalDeviceGroups (VkInstance                       instance,
                                         uint32_t                        *n,
                                         VkPhysicalDeviceGroupProperties *out)
{
  VkPhysicalDevice devices[MAX_DEVICES];
  uint32_t found = physical_devices (instance, devices), copied;

  if (out == NULL)
    {
      *n = found;
      return VK_SUCCESS;
    }
  copied = *n < found ? *n : found;
  for (uint32_t i = 0; i < copied; i++)
    {
      memset (out[i].physicalDevices, 0, sizeof out[i].physicalDevices);
      out[i].physicalDeviceCount = 1;
      out[i].physicalDevices[0] = devices[i];
      out[i].subsetAllocation = VK_FALSE;
    }
  *n = copied;
  return copied < found ? VK_INCOMPLETE : VK_SUCCESS;
}

/* --- Properties ------------------------------------------------------------------------------ */

static void
fill_uuid (uint8_t uuid[VK_UUID_SIZE],
           uint8_t first)
{
  for (unsigned i = 0; i < VK_UUID_SIZE; i++)
    uuid[i] = (uint8_t)(first + i);
}

void
mock_do_vkGetPhysicalDeviceProperties (VkPhysicalDevice            device,
                                       VkPhysicalDeviceProperties *out)
{
  const uint32_t index = ((MockObject *)device)->u.owner_data.index;

  memset (out, 0, sizeof *out);
  out->apiVersion = api_version + (mock_config.newer ? VK_MAKE_API_VERSION (0, 0, 9, 0) : 0);
  out->driverVersion = 1;
  out->vendorID = 0x10005;
  out->deviceID = 0x4d0c + index + mock_config.device_id;
  out->deviceType = VK_PHYSICAL_DEVICE_TYPE_OTHER;
  if (index == 0)
    snprintf (out->deviceName, sizeof out->deviceName, "%s", mock_config.device_name);
  else
    snprintf (out->deviceName, sizeof out->deviceName, "%.200s %u", mock_config.device_name,
              index + 1);
  fill_uuid (out->pipelineCacheUUID, 0x40);
  out->limits = mock_config.limits;
  out->sparseProperties = (VkPhysicalDeviceSparseProperties){ 1, 1, 1, 0, 1 };
}

static void
fill_ids (uint8_t device[VK_UUID_SIZE],
          uint8_t driver[VK_UUID_SIZE],
          uint8_t index)
{
  fill_uuid (device, (uint8_t)(0x10 + index + mock_config.device_id));
  fill_uuid (driver, 0x80);
}

static void
fill_properties (VkBaseOutStructure *link,
                 uint8_t             index)
{
  switch ((int)link->sType)
    {
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES:
      {
        VkPhysicalDeviceIDProperties *out = (void *)link;

        fill_ids (out->deviceUUID, out->driverUUID, index);
        out->deviceNodeMask = 1;
        break;
      }
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES:
      {
        VkPhysicalDeviceVulkan11Properties *out = (void *)link;

        fill_ids (out->deviceUUID, out->driverUUID, index);
        out->subgroupSize = 4;
        out->maxMultiviewViewCount = 6;
        out->maxMultiviewInstanceIndex = 1u << 27;
        out->maxPerSetDescriptors = 1u << 20;
        out->maxMemoryAllocationSize = UINT64_C (1) << 31;
        break;
      }
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES:
      {
        VkPhysicalDeviceMaintenance3Properties *out = (void *)link;

        out->maxPerSetDescriptors = 1u << 20;
        out->maxMemoryAllocationSize = UINT64_C (1) << 31;
        break;
      }
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES:
      {
        VkPhysicalDeviceVulkan12Properties *out = (void *)link;

        snprintf (out->driverName, sizeof out->driverName, "mock");
        out->maxTimelineSemaphoreValueDifference = UINT64_C (1) << 62;
        break;
      }
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES:
      {
        VkPhysicalDeviceDriverProperties *out = (void *)link;

        snprintf (out->driverName, sizeof out->driverName, "mock");
        break;
      }
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_PROPERTIES:
      ((VkPhysicalDeviceTimelineSemaphoreProperties *)(void *)link)
        ->maxTimelineSemaphoreValueDifference = UINT64_C (1) << 62;
      break;
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT:
      ((VkPhysicalDeviceExternalMemoryHostPropertiesEXT *)(void *)link)
        ->minImportedHostPointerAlignment = 4096;
      break;
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_TRACING_PIPELINE_PROPERTIES_KHR:
      {
        VkPhysicalDeviceRayTracingPipelinePropertiesKHR *out = (void *)link;

        out->shaderGroupHandleSize = 32;
        out->maxRayRecursionDepth = 8;
        out->maxShaderGroupStride = 4096;
        out->shaderGroupBaseAlignment = 64;
        out->shaderGroupHandleCaptureReplaySize = 32;
        out->maxRayDispatchInvocationCount = 1u << 30;
        out->shaderGroupHandleAlignment = 32;
        break;
      }
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_PROPERTIES_EXT:
      {
        VkPhysicalDeviceDescriptorBufferPropertiesEXT *out = (void *)link;
        const size_t size = mock_config.descriptors;

        out->combinedImageSamplerDescriptorSingleArray = size > 0;
        out->samplerDescriptorSize = out->combinedImageSamplerDescriptorSize = size;
        out->sampledImageDescriptorSize = out->storageImageDescriptorSize = size;
        out->uniformTexelBufferDescriptorSize = out->storageTexelBufferDescriptorSize = size;
        out->robustUniformTexelBufferDescriptorSize = size;
        out->robustStorageTexelBufferDescriptorSize = size;
        out->uniformBufferDescriptorSize = out->storageBufferDescriptorSize = size;
        out->robustUniformBufferDescriptorSize = out->robustStorageBufferDescriptorSize = size;
        out->inputAttachmentDescriptorSize = size;
        out->accelerationStructureDescriptorSize = mock_config.structure_descriptors;
        out->bufferCaptureReplayDescriptorDataSize = 8;
        out->imageCaptureReplayDescriptorDataSize = 8;
        out->imageViewCaptureReplayDescriptorDataSize = 8;
        out->samplerCaptureReplayDescriptorDataSize = 8;
        out->accelerationStructureCaptureReplayDescriptorDataSize = 8;
        break;
      }
    default:
      break;
    }
}

void
mock_do_vkGetPhysicalDeviceProperties2 (VkPhysicalDevice             device,
                                        VkPhysicalDeviceProperties2 *out)
{
  mock_do_vkGetPhysicalDeviceProperties (device, &out->properties);
  mock_clear_chain (out->pNext);
  for (VkBaseOutStructure *link = out->pNext; link != NULL; link = link->pNext)
    fill_properties (link, (uint8_t)((MockObject *)device)->u.owner_data.index);
}

void
mock_do_vkGetPhysicalDeviceFeatures (VkPhysicalDevice          device,
                                     VkPhysicalDeviceFeatures *out)
{
  for (const MockMember *member = mock_features; member->name != NULL; member++)
    if (member->kind == 0)
      *(VkBool32 *)(void *)((uint8_t *)out + member->offset) =
        !mock_config_hides_feature (member->name);
}

void
mock_do_vkGetPhysicalDeviceFeatures2 (VkPhysicalDevice           device,
                                      VkPhysicalDeviceFeatures2 *out)
{
  mock_do_vkGetPhysicalDeviceFeatures (device, &out->features);
  for (VkBaseOutStructure *link = out->pNext; link != NULL; link = link->pNext)
    for (const MockMember *member = mock_features; member->name != NULL; member++)
      if (member->kind == (uint32_t)link->sType)
        *(VkBool32 *)(void *)((uint8_t *)link + member->offset) =
          !mock_config_hides_feature (member->name);
}

void
mock_do_vkGetPhysicalDeviceMemoryProperties (VkPhysicalDevice                  device,
                                             VkPhysicalDeviceMemoryProperties *out)
{
  *out = mock_config.memory;
}

void
mock_do_vkGetPhysicalDeviceMemoryProperties2 (VkPhysicalDevice                   device,
                                              VkPhysicalDeviceMemoryProperties2 *out)
{
  out->memoryProperties = mock_config.memory;
  mock_clear_chain (out->pNext);
}

void
mock_do_vkGetPhysicalDeviceQueueFamilyProperties (VkPhysicalDevice         device,
                                                  uint32_t                *n,
                                                  VkQueueFamilyProperties *out)
{
  if (out == NULL || *n > mock_config.n_families)
    *n = mock_config.n_families;
  if (out != NULL)
    memcpy (out, mock_config.families, *n * sizeof *out);
}

void
mock_do_vkGetPhysicalDeviceQueueFamilyProperties2 (VkPhysicalDevice          device,
                                                   uint32_t                 *n,
                                                   VkQueueFamilyProperties2 *out)
{
  if (out == NULL || *n > mock_config.n_families)
    *n = mock_config.n_families;
  for (uint32_t i = 0; out != NULL && i < *n; i++)
    {
      out[i].queueFamilyProperties = mock_config.families[i];
      mock_clear_chain (out[i].pNext);
#ifdef VK_KHR_maintenance9
      for (VkBaseOutStructure *link = out[i].pNext; link != NULL; link = link->pNext)
        if (link->sType == VK_STRUCTURE_TYPE_QUEUE_FAMILY_OWNERSHIP_TRANSFER_PROPERTIES_KHR)
          ((VkQueueFamilyOwnershipTransferPropertiesKHR *)(void *)link)
            ->optimalImageTransferToQueueFamilies = mock_config.image_families[i];
#endif
    }
}

/* --- Formats --------------------------------------------------------------------------------- */

static const VkFormatProperties all_features = { 0x1ffffff, 0x1ffffff, 0x1ffffff };

void
mock_do_vkGetPhysicalDeviceFormatProperties (VkPhysicalDevice    device,
                                             VkFormat            format,
                                             VkFormatProperties *out)
{
  *out = all_features;
}

void
mock_do_vkGetPhysicalDeviceFormatProperties2 (VkPhysicalDevice     device,
                                              VkFormat             format,
                                              VkFormatProperties2 *out)
{
  out->formatProperties = all_features;
  mock_clear_chain (out->pNext);
  for (VkBaseOutStructure *link = out->pNext; link != NULL; link = link->pNext)
    if (link->sType == VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_3)
      {
        VkFormatProperties3 *three = (void *)link;

        three->linearTilingFeatures = 0x1ffffff;
        three->optimalTilingFeatures = 0x1ffffff;
        three->bufferFeatures = 0x1ffffff;
      }
}

static VkImageFormatProperties
image_properties (VkImageType type)
{
  const VkPhysicalDeviceLimits *limits = &mock_config.limits;
  const uint32_t size = type == VK_IMAGE_TYPE_1D   ? limits->maxImageDimension1D
                        : type == VK_IMAGE_TYPE_2D ? limits->maxImageDimension2D
                                                   : limits->maxImageDimension3D;
  VkImageFormatProperties properties = {
    .maxExtent = { size, type >= VK_IMAGE_TYPE_2D ? size : 1, type == VK_IMAGE_TYPE_3D ? size : 1 },
    .maxArrayLayers = type == VK_IMAGE_TYPE_3D ? 1 : limits->maxImageArrayLayers,
    .sampleCounts = 0x7f,
    .maxResourceSize = UINT64_C (1) << 31,
  };

  for (uint32_t rest = size; rest > 0; rest /= 2)
    properties.maxMipLevels++;
  return properties;
}

VkResult
mock_do_vkGetPhysicalDeviceImageFormatProperties (VkPhysicalDevice         device,
                                                  VkFormat                 format,
                                                  VkImageType              type,
                                                  VkImageTiling            tiling,
                                                  VkImageUsageFlags        usage,
                                                  VkImageCreateFlags       flags,
                                                  VkImageFormatProperties *out)
{
  *out = image_properties (type);
  return VK_SUCCESS;
}

VkResult
mock_do_vkGetPhysicalDeviceImageFormatProperties2 (VkPhysicalDevice                        device,
                                                   const VkPhysicalDeviceImageFormatInfo2 *info,
                                                   VkImageFormatProperties2               *out)
{
  out->imageFormatProperties = image_properties (info->type);
  mock_clear_chain (out->pNext);
  return VK_SUCCESS;
}

/* --- Surfaces -------------------------------------------------------------------------------- */

static const VkSurfaceCapabilitiesKHR surface_capabilities = {
  .minImageCount = 2,
  .maxImageCount = 8,
  .currentExtent = { UINT32_MAX, UINT32_MAX },
  .minImageExtent = { 1, 1 },
  .maxImageExtent = { 16384, 16384 },
  .maxImageArrayLayers = 1,
  .supportedTransforms = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR,
  .currentTransform = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR,
  .supportedCompositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR,
  .supportedUsageFlags = 0x3ff,
};

static const VkSurfaceFormatKHR surface_formats[] = {
  { VK_FORMAT_B8G8R8A8_UNORM, VK_COLOR_SPACE_SRGB_NONLINEAR_KHR },
  { VK_FORMAT_R8G8B8A8_UNORM, VK_COLOR_SPACE_SRGB_NONLINEAR_KHR },
};

VkResult
mock_do_vkGetPhysicalDeviceSurfaceCapabilitiesKHR (VkPhysicalDevice          device,
                                                   VkSurfaceKHR              surface,
                                                   VkSurfaceCapabilitiesKHR *out)
{
  *out = surface_capabilities;
  return VK_SUCCESS;
}

VkResult
mock_do_vkGetPhysicalDeviceSurfaceCapabilities2KHR (VkPhysicalDevice                       device,
                                                    const VkPhysicalDeviceSurfaceInfo2KHR *info,
                                                    VkSurfaceCapabilities2KHR             *out)
{
  out->surfaceCapabilities = surface_capabilities;
  mock_clear_chain (out->pNext);
  return VK_SUCCESS;
}

VkResult
mock_do_vkGetPhysicalDeviceSurfaceFormatsKHR (VkPhysicalDevice    device,
                                              VkSurfaceKHR        surface,
                                              uint32_t           *n,
                                              VkSurfaceFormatKHR *out)
{
  const uint32_t all = sizeof surface_formats / sizeof surface_formats[0];

  if (out == NULL || *n > all)
    *n = all;
  if (out != NULL)
    memcpy (out, surface_formats, *n * sizeof *out);
  return *n < all ? VK_INCOMPLETE : VK_SUCCESS;
}

VkResult
mock_do_vkGetPhysicalDeviceSurfaceFormats2KHR (VkPhysicalDevice                       device,
                                               const VkPhysicalDeviceSurfaceInfo2KHR *info,
                                               uint32_t                              *n,
                                               VkSurfaceFormat2KHR                   *out)
{
  const uint32_t all = sizeof surface_formats / sizeof surface_formats[0];

  if (out == NULL || *n > all)
    *n = all;
  for (uint32_t i = 0; out != NULL && i < *n; i++)
    out[i].surfaceFormat = surface_formats[i];
  return *n < all ? VK_INCOMPLETE : VK_SUCCESS;
}

VkResult
mock_do_vkGetPhysicalDeviceSurfacePresentModesKHR (VkPhysicalDevice  device,
                                                   VkSurfaceKHR      surface,
                                                   uint32_t         *n,
                                                   VkPresentModeKHR *out)
{
  static const VkPresentModeKHR modes[] = { VK_PRESENT_MODE_FIFO_KHR, VK_PRESENT_MODE_IMMEDIATE_KHR,
                                            VK_PRESENT_MODE_MAILBOX_KHR };
  const uint32_t all = sizeof modes / sizeof modes[0];

  if (out == NULL || *n > all)
    *n = all;
  if (out != NULL)
    memcpy (out, modes, *n * sizeof *out);
  return *n < all ? VK_INCOMPLETE : VK_SUCCESS;
}
