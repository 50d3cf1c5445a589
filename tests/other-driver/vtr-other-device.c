/* Implements what the other device reports about itself, and its queues. */
#include "vtr-other-driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const VkMemoryType vtr_other_types[VTR_OTHER_N_TYPES] = {
  [VTR_OTHER_DEVICE] = { VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 1 },
  [VTR_OTHER_COHERENT] = { VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                             VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
                           0 },
  [VTR_OTHER_CACHED] = { VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
                         0 },
};

static const VkQueueFamilyProperties families[VTR_OTHER_N_FAMILIES] = {
  { VK_QUEUE_TRANSFER_BIT, 1, 64, { 1, 1, 1 } },
  { VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT, 1, 64, { 1, 1, 1 } },
  { VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT, 2, 64, { 1, 1, 1 } },
};

static const char *const hidden[] = {
  VK_EXT_4444_FORMATS_EXTENSION_NAME,
  VK_EXT_TRANSFORM_FEEDBACK_EXTENSION_NAME,
  VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME,
};

/* --- The physical device --------------------------------------------------------------------- */

static void
other_properties (VkPhysicalDeviceProperties *properties)
{
  snprintf (properties->deviceName, sizeof properties->deviceName, "Other device");
  properties->vendorID = 0x0ffe;
  properties->deviceID = 1;
  properties->driverVersion = 1;
  memset (properties->pipelineCacheUUID, 0x0f, VK_UUID_SIZE);
  properties->limits.nonCoherentAtomSize = 256;
  properties->limits.bufferImageGranularity = 4096;
}

static VKAPI_ATTR void VKAPI_CALL
get_properties (VkPhysicalDevice            device,
                VkPhysicalDeviceProperties *properties)
{
  REAL (vkGetPhysicalDeviceProperties)
  (device, properties);
  other_properties (properties);
}

static VKAPI_ATTR void VKAPI_CALL
get_properties2 (VkPhysicalDevice             device,
                 VkPhysicalDeviceProperties2 *properties)
{
  REAL (vkGetPhysicalDeviceProperties2)
  (device, properties);
  other_properties (&properties->properties);
}

static VKAPI_ATTR void VKAPI_CALL
get_memory (VkPhysicalDevice                  device,
            VkPhysicalDeviceMemoryProperties *memory)
{
  VkPhysicalDeviceMemoryProperties whole;

  REAL (vkGetPhysicalDeviceMemoryProperties)
  (device, &whole);
  memset (memory, 0, sizeof *memory);
  memory->memoryTypeCount = VTR_OTHER_N_TYPES;
  memcpy (memory->memoryTypes, vtr_other_types, sizeof vtr_other_types);
  memory->memoryHeapCount = 2;
  memory->memoryHeaps[0].size = whole.memoryHeaps[0].size / 2;
  memory->memoryHeaps[1].size = whole.memoryHeaps[0].size / 2;
  memory->memoryHeaps[1].flags = VK_MEMORY_HEAP_DEVICE_LOCAL_BIT;
}

static VKAPI_ATTR void VKAPI_CALL
get_memory2 (VkPhysicalDevice                   device,
             VkPhysicalDeviceMemoryProperties2 *memory)
{
  get_memory (device, &memory->memoryProperties);
}

/* OTHER_DRIVER_TIMESTAMP_BITS: fewer than there are; 0: no timestamps. */
static uint32_t
get_timestamp_bits (void)
{
  const char *bits = getenv ("OTHER_DRIVER_TIMESTAMP_BITS");

  return bits != NULL ? (uint32_t)atoi (bits) : 64;
}

static VKAPI_ATTR void VKAPI_CALL
get_families (VkPhysicalDevice         device,
              uint32_t                *n,
              VkQueueFamilyProperties *out)
{
  (void)device;
  if (out == NULL)
    *n = VTR_OTHER_N_FAMILIES;
  else
    {
      *n = *n < VTR_OTHER_N_FAMILIES ? *n : VTR_OTHER_N_FAMILIES;
      memcpy (out, families, *n * sizeof *out);
      for (uint32_t i = 0; i < *n; i++)
        out[i].timestampValidBits = get_timestamp_bits ();
    }
}

static VKAPI_ATTR void VKAPI_CALL
get_families2 (VkPhysicalDevice          device,
               uint32_t                 *n,
               VkQueueFamilyProperties2 *out)
{
  (void)device;
  if (out == NULL)
    *n = VTR_OTHER_N_FAMILIES;
  else
    *n = *n < VTR_OTHER_N_FAMILIES ? *n : VTR_OTHER_N_FAMILIES;
  for (uint32_t i = 0; out != NULL && i < *n; i++)
    {
      out[i].queueFamilyProperties = families[i];
      out[i].queueFamilyProperties.timestampValidBits = get_timestamp_bits ();
    }
}

static bool
is_hidden_on_request (const char *name)
{
  const char *list = getenv ("OTHER_DRIVER_HIDES");
  size_t length = strlen (name);

  while (list != NULL && *list != '\0')
    {
      size_t n = strcspn (list, ",");

      if (n == length && strncmp (list, name, n) == 0)
        return true;
      list += n + (list[n] == ',');
    }
  return false;
}

static bool
is_hidden (const char *name)
{
  if (is_hidden_on_request (name))
    return true;
  for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++)
    if (strcmp (hidden[i], name) == 0)
      return true;
  return false;
}

static VKAPI_ATTR VkResult VKAPI_CALL
enumerate_extensions (VkPhysicalDevice       device,
                      const char            *layer,
                      uint32_t              *n,
                      VkExtensionProperties *out)
{
  PFN_vkEnumerateDeviceExtensionProperties enumerate = REAL (vkEnumerateDeviceExtensionProperties);
  VkExtensionProperties all[512];
  uint32_t n_all = 512, room = *n;

  if (enumerate (device, layer, &n_all, all) < 0)
    return VK_ERROR_OUT_OF_HOST_MEMORY;
  *n = 0;
  for (uint32_t i = 0; i < n_all; i++)
    if (!is_hidden (all[i].extensionName))
      {
        if (out != NULL && *n == room)
          return VK_INCOMPLETE;
        if (out != NULL)
          out[*n] = all[i];
        ++*n;
      }
  return VK_SUCCESS;
}

static void
other_features (VkPhysicalDeviceFeatures *features)
{
  features->depthBounds = VK_FALSE;
  features->wideLines = VK_FALSE;
  features->logicOp = VK_FALSE;
}

static VKAPI_ATTR void VKAPI_CALL
get_features (VkPhysicalDevice          device,
              VkPhysicalDeviceFeatures *features)
{
  REAL (vkGetPhysicalDeviceFeatures)
  (device, features);
  other_features (features);
}

static VKAPI_ATTR void VKAPI_CALL
get_features2 (VkPhysicalDevice           device,
               VkPhysicalDeviceFeatures2 *features)
{
  REAL (vkGetPhysicalDeviceFeatures2)
  (device, features);
  other_features (&features->features);
}

/* A window needs the family that draws. */
static VKAPI_ATTR VkResult VKAPI_CALL
get_surface_support (VkPhysicalDevice  device,
                     uint32_t          family,
                     VkSurfaceKHR      surface,
                     VkBool32         *supported)
{
  VkResult result = REAL (vkGetPhysicalDeviceSurfaceSupportKHR) (device, 0, surface, supported);

  *supported = *supported && family == 1;
  return result;
}

/* --- The device ------------------------------------------------------------------------------ */

static VKAPI_ATTR VkResult VKAPI_CALL
create_device (VkPhysicalDevice             physical,
               const VkDeviceCreateInfo    *info,
               const VkAllocationCallbacks *allocator,
               VkDevice                    *device)
{
  const float priority = 1;
  VkDeviceQueueCreateInfo queue = {
    .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
    .queueCount = 1,
    .pQueuePriorities = &priority,
  };
  VkDeviceCreateInfo own = *info;
  uint32_t seen = 0;
  VkResult result;

  for (uint32_t i = 0; i < info->queueCreateInfoCount; i++)
    {
      const VkDeviceQueueCreateInfo *wanted = &info->pQueueCreateInfos[i];

      if (wanted->queueFamilyIndex >= VTR_OTHER_N_FAMILIES ||
          (seen >> wanted->queueFamilyIndex & 1) != 0 ||
          wanted->queueCount > families[wanted->queueFamilyIndex].queueCount)
        return vtr_other_refuse ("a queue family that is not there, or twice, or too many queues");
      seen |= 1u << wanted->queueFamilyIndex;
    }
  for (uint32_t i = 0; i < info->enabledExtensionCount; i++)
    if (is_hidden (info->ppEnabledExtensionNames[i]))
      {
        vtr_other_refuse (info->ppEnabledExtensionNames[i]);
        return VK_ERROR_EXTENSION_NOT_PRESENT;
      }
  if (info->pEnabledFeatures != NULL &&
      (info->pEnabledFeatures->depthBounds || info->pEnabledFeatures->wideLines ||
       info->pEnabledFeatures->logicOp))
    return VK_ERROR_FEATURE_NOT_PRESENT;
  own.queueCreateInfoCount = 1;
  own.pQueueCreateInfos = &queue;
  result = REAL (vkCreateDevice) (physical, &own, allocator, device);
  if (result >= 0)
    vtr_other_set_device (*device);
  return result;
}

static VKAPI_ATTR void VKAPI_CALL
get_queue (VkDevice  device,
           uint32_t  family,
           uint32_t  index,
           VkQueue  *queue)
{
  if (family >= VTR_OTHER_N_FAMILIES || index >= families[family].queueCount)
    vtr_other_refuse ("a queue that is not there");
  REAL (vkGetDeviceQueue)
  (device, 0, 0, queue);
}

static VKAPI_ATTR void VKAPI_CALL
get_queue2 (VkDevice                  device,
            const VkDeviceQueueInfo2 *info,
            VkQueue                  *queue)
{
  get_queue (device, info->queueFamilyIndex, info->queueIndex, queue);
}

static VKAPI_ATTR VkResult VKAPI_CALL
create_pool (VkDevice                       device,
             const VkCommandPoolCreateInfo *info,
             const VkAllocationCallbacks   *allocator,
             VkCommandPool                 *pool)
{
  VkCommandPoolCreateInfo own = *info;

  if (info->queueFamilyIndex >= VTR_OTHER_N_FAMILIES)
    return vtr_other_refuse ("a command pool for a family that is not there");
  own.queueFamilyIndex = 0;
  return REAL (vkCreateCommandPool) (device, &own, allocator, pool);
}

const VtrOtherFunction vtr_other_device_functions[] = {
  VTR_OTHER_FUNCTION ("vkCreateCommandPool", create_pool),
  VTR_OTHER_FUNCTION ("vkCreateDevice", create_device),
  VTR_OTHER_FUNCTION ("vkEnumerateDeviceExtensionProperties", enumerate_extensions),
  VTR_OTHER_FUNCTION ("vkGetDeviceQueue", get_queue),
  VTR_OTHER_FUNCTION ("vkGetDeviceQueue2", get_queue2),
  VTR_OTHER_FUNCTION ("vkGetPhysicalDeviceFeatures", get_features),
  VTR_OTHER_FUNCTION ("vkGetPhysicalDeviceFeatures2", get_features2),
  VTR_OTHER_FUNCTION ("vkGetPhysicalDeviceMemoryProperties", get_memory),
  VTR_OTHER_FUNCTION ("vkGetPhysicalDeviceMemoryProperties2", get_memory2),
  VTR_OTHER_FUNCTION ("vkGetPhysicalDeviceProperties", get_properties),
  VTR_OTHER_FUNCTION ("vkGetPhysicalDeviceProperties2", get_properties2),
  VTR_OTHER_FUNCTION ("vkGetPhysicalDeviceQueueFamilyProperties", get_families),
  VTR_OTHER_FUNCTION ("vkGetPhysicalDeviceQueueFamilyProperties2", get_families2),
  VTR_OTHER_FUNCTION ("vkGetPhysicalDeviceSurfaceSupportKHR", get_surface_support),
  { 0 },
};
