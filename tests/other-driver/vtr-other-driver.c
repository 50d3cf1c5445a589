/* A Vulkan driver that says it is another device: lavapipe (or what OTHER_DRIVER_LIBRARY names)
 * with other memory types, alignments, sizes, row pitches, queue families, and without some
 * extensions and features. It keeps the program to what it says: a binding that breaks its
 * requirements, a mapping of memory that cannot be mapped, an unknown queue family or an extension
 * that it hides fail the call, with a sentence on stderr.
 *
 * OTHER_DRIVER_HIDES names more extensions to hide, with commas between. OTHER_DRIVER_SHIFT:
 * resources lie so many bytes further on in the real memory, once, twice or three times, memory by
 * memory.
 * OTHER_DRIVER_IMPORTS=0: no memory can be imported, whatever the extensions say.
 *
 * For tests of replay on another device than the captured one. Shares no code with the product.
 * Threading: any. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vk_icd.h>
#include <vulkan/vulkan.h>

#define EXPORT __attribute__ ((visibility ("default")))
#define ALIGNMENT 65536u
#define N_FAMILIES 3
#define EXTRA_TEXELS 48 /* a linear image is so much wider than asked for */

/* Our memory types. The real ones do not matter: lavapipe's one can do everything. */
enum
{
  TYPE_DEVICE,
  TYPE_COHERENT,
  TYPE_CACHED,
  N_TYPES,
};

static const VkMemoryType types[N_TYPES] = {
  [TYPE_DEVICE] = { VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 1 },
  [TYPE_COHERENT] = { VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
                      0 },
  [TYPE_CACHED] = { VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT, 0 },
};

static const VkQueueFamilyProperties families[N_FAMILIES] = {
  { VK_QUEUE_TRANSFER_BIT, 1, 64, { 1, 1, 1 } },
  { VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT, 1, 64, { 1, 1, 1 } },
  { VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT, 2, 64, { 1, 1, 1 } },
};

static const char *const hidden[] = {
  VK_EXT_4444_FORMATS_EXTENSION_NAME,
  VK_EXT_TRANSFORM_FEEDBACK_EXTENSION_NAME,
  VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME,
};

/* What we must remember of an object. */
typedef struct Thing
{
  struct Thing *next;
  uint64_t handle;
  uint32_t kind;  /* 'M', 'B' or 'I' */
  uint32_t bits;  /* B, I: memory types */
  uint64_t size;  /* required, or allocated */
  uint32_t type;  /* M */
  uint64_t shift; /* M: where its first byte is in the real memory */
  uint8_t *map;   /* M: the real mapping, where the program's begins */
  uint8_t *cache; /* M: what the host sees of TYPE_CACHED until it flushes */
} Thing;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Thing *things[1024];
static PFN_vkGetInstanceProcAddr real_get_instance;
static PFN_vkGetInstanceProcAddr real_get_physical;
static VkInstance last_instance;
static VkDevice last_device;

/* --- The real driver ------------------------------------------------------------------------- */

static void
load (void)
{
  const char *path = getenv ("OTHER_DRIVER_LIBRARY");
  void *library;

  if (real_get_instance != NULL)
    return;
  library = dlopen (path != NULL ? path : "libvulkan_lvp.so", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL)
    {
      fprintf (stderr, "other driver: %s\n", dlerror ());
      return;
    }
  real_get_physical =
    (PFN_vkGetInstanceProcAddr)dlsym (library, "vk_icdGetPhysicalDeviceProcAddr");
  real_get_instance = (PFN_vkGetInstanceProcAddr)dlsym (library, "vk_icdGetInstanceProcAddr");
}

static PFN_vkVoidFunction
real_by_name (const char *name)
{
  PFN_vkVoidFunction function = real_get_instance (last_instance, name);

  if (function == NULL && last_device != VK_NULL_HANDLE)
    function =
      ((PFN_vkGetDeviceProcAddr)real_get_instance (last_instance, "vkGetDeviceProcAddr")) (
        last_device, name);
  return function;
}

/* Functions do not differ between devices of the one driver; a 1.0 instance has some of them by
 * their extensions' names only. */
static PFN_vkVoidFunction
real (const char *name)
{
  PFN_vkVoidFunction function = real_by_name (name);
  char khr[128];

  if (function != NULL)
    return function;
  snprintf (khr, sizeof khr, "%sKHR", name);
  return real_by_name (khr);
}

#define REAL(name) ((PFN_##name)real (#name))

/* --- What is remembered ---------------------------------------------------------------------- */

static Thing **
bucket (uint64_t handle)
{
  return &things[(handle * 0x9e3779b97f4a7c15ull >> 40) % 1024];
}

static Thing *
find (uint32_t kind,
      uint64_t handle)
{
  Thing *thing;

  pthread_mutex_lock (&lock);
  for (thing = *bucket (handle); thing != NULL; thing = thing->next)
    if (thing->handle == handle && thing->kind == kind)
      break;
  pthread_mutex_unlock (&lock);
  return thing;
}

static Thing *
add (uint32_t kind,
     uint64_t handle)
{
  Thing *thing = calloc (1, sizeof *thing);

  thing->kind = kind;
  thing->handle = handle;
  pthread_mutex_lock (&lock);
  thing->next = *bucket (handle);
  *bucket (handle) = thing;
  pthread_mutex_unlock (&lock);
  return thing;
}

static void
drop (uint32_t kind,
      uint64_t handle)
{
  pthread_mutex_lock (&lock);
  for (Thing **link = bucket (handle); *link != NULL; link = &(*link)->next)
    if ((*link)->handle == handle && (*link)->kind == kind)
      {
        Thing *thing = *link;

        *link = thing->next;
        free (thing->cache);
        free (thing);
        break;
      }
  pthread_mutex_unlock (&lock);
}

#define BITS(handle) ((uint64_t)(uintptr_t)(handle))

static VkResult
refuse (const char *why)
{
  fprintf (stderr, "other driver: %s\n", why);
  return VK_ERROR_UNKNOWN;
}

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
  memory->memoryTypeCount = N_TYPES;
  memcpy (memory->memoryTypes, types, sizeof types);
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
    *n = N_FAMILIES;
  else
    {
      *n = *n < N_FAMILIES ? *n : N_FAMILIES;
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
    *n = N_FAMILIES;
  else
    *n = *n < N_FAMILIES ? *n : N_FAMILIES;
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

      if (wanted->queueFamilyIndex >= N_FAMILIES || (seen >> wanted->queueFamilyIndex & 1) != 0 ||
          wanted->queueCount > families[wanted->queueFamilyIndex].queueCount)
        return refuse ("a queue family that is not there, or twice, or too many queues");
      seen |= 1u << wanted->queueFamilyIndex;
    }
  for (uint32_t i = 0; i < info->enabledExtensionCount; i++)
    if (is_hidden (info->ppEnabledExtensionNames[i]))
      {
        refuse (info->ppEnabledExtensionNames[i]);
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
    last_device = *device;
  return result;
}

static VKAPI_ATTR void VKAPI_CALL
get_queue (VkDevice  device,
           uint32_t  family,
           uint32_t  index,
           VkQueue  *queue)
{
  if (family >= N_FAMILIES || index >= families[family].queueCount)
    refuse ("a queue that is not there");
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

  if (info->queueFamilyIndex >= N_FAMILIES)
    return refuse ("a command pool for a family that is not there");
  own.queueFamilyIndex = 0;
  return REAL (vkCreateCommandPool) (device, &own, allocator, pool);
}

/* --- Memory ---------------------------------------------------------------------------------- */

static bool
is_import (const VkMemoryAllocateInfo *info)
{
  for (const VkBaseInStructure *link = info->pNext; link != NULL; link = link->pNext)
    if (link->sType == VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT)
      return true;
  return false;
}

static bool
may_import (void)
{
  const char *imports = getenv ("OTHER_DRIVER_IMPORTS");

  return imports == NULL || strcmp (imports, "0") != 0;
}

/* Of memory that is not imported. */
static uint64_t
next_shift (const VkMemoryAllocateInfo *info)
{
  static unsigned n;
  const char *shift = getenv ("OTHER_DRIVER_SHIFT");

  if (is_import (info))
    return 0;
  return shift != NULL
           ? strtoull (shift, NULL, 0) * (1 + __atomic_fetch_add (&n, 1, __ATOMIC_RELAXED) % 3)
           : 0;
}

static VKAPI_ATTR VkResult VKAPI_CALL
allocate (VkDevice                     device,
          const VkMemoryAllocateInfo  *info,
          const VkAllocationCallbacks *allocator,
          VkDeviceMemory              *memory)
{
  VkMemoryAllocateInfo own = *info;
  uint64_t shift;
  VkResult result;
  Thing *thing;

  if (info->memoryTypeIndex >= N_TYPES)
    return refuse ("a memory type that is not there");
  if (is_import (info) && !may_import ())
    return VK_ERROR_INVALID_EXTERNAL_HANDLE;
  own.memoryTypeIndex = 0;
  shift = next_shift (info);
  own.allocationSize += shift;
  result = REAL (vkAllocateMemory) (device, &own, allocator, memory);
  if (result < 0)
    return result;
  thing = add ('M', BITS (*memory));
  thing->size = info->allocationSize;
  thing->type = info->memoryTypeIndex;
  thing->shift = shift;
  if (thing->type == TYPE_CACHED)
    thing->cache = calloc (1, info->allocationSize);
  return result;
}

static VKAPI_ATTR void VKAPI_CALL
free_memory (VkDevice                     device,
             VkDeviceMemory               memory,
             const VkAllocationCallbacks *allocator)
{
  drop ('M', BITS (memory));
  REAL (vkFreeMemory)
  (device, memory, allocator);
}

static VKAPI_ATTR VkResult VKAPI_CALL
map (VkDevice           device,
     VkDeviceMemory     memory,
     VkDeviceSize       offset,
     VkDeviceSize       size,
     VkMemoryMapFlags   flags,
     void             **data)
{
  Thing *thing = find ('M', BITS (memory));
  void *whole;
  VkResult result;

  (void)size;
  if (thing == NULL ||
      (types[thing->type].propertyFlags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) == 0)
    return refuse ("memory is mapped that cannot be");
  result = REAL (vkMapMemory) (device, memory, 0, VK_WHOLE_SIZE, flags, &whole);
  if (result < 0)
    return result;
  thing->map = (uint8_t *)whole + thing->shift;
  *data = (thing->cache != NULL ? thing->cache : thing->map) + offset;
  return VK_SUCCESS;
}

static VkResult
synchronise (uint32_t                   n,
             const VkMappedMemoryRange *ranges,
             bool                       flush)
{
  for (uint32_t i = 0; i < n; i++)
    {
      Thing *thing = find ('M', BITS (ranges[i].memory));
      uint64_t size = ranges[i].size;

      if (thing == NULL || ranges[i].offset > thing->size)
        return refuse ("a range of memory that is not there");
      if (size == VK_WHOLE_SIZE)
        size = thing->size - ranges[i].offset;
      if (thing->cache == NULL || thing->map == NULL)
        continue;
      if (ranges[i].offset % 256 != 0 ||
          (size % 256 != 0 && ranges[i].offset + size != thing->size))
        return refuse ("a range that is not of whole atoms");
      if (flush)
        memcpy (thing->map + ranges[i].offset, thing->cache + ranges[i].offset, size);
      else
        memcpy (thing->cache + ranges[i].offset, thing->map + ranges[i].offset, size);
    }
  return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
flush (VkDevice                   device,
       uint32_t                   n,
       const VkMappedMemoryRange *ranges)
{
  (void)device;
  return synchronise (n, ranges, true);
}

static VKAPI_ATTR VkResult VKAPI_CALL
invalidate (VkDevice                   device,
            uint32_t                   n,
            const VkMappedMemoryRange *ranges)
{
  (void)device;
  return synchronise (n, ranges, false);
}

/* --- Resources ------------------------------------------------------------------------------- */

/* Larger, further apart, and not everywhere. */
static void
other_requirements (VkMemoryRequirements *requirements,
                    uint32_t              bits)
{
  requirements->alignment = ALIGNMENT;
  requirements->size = (requirements->size + 2 * ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  requirements->memoryTypeBits = bits;
}

#define BUFFER_BITS ((1u << TYPE_DEVICE) | (1u << TYPE_COHERENT) | (1u << TYPE_CACHED))
#define LINEAR_BITS ((1u << TYPE_COHERENT) | (1u << TYPE_CACHED))
#define OPTIMAL_BITS (1u << TYPE_DEVICE)

static VkImageCreateInfo
other_image (const VkImageCreateInfo *info)
{
  VkImageCreateInfo own = *info;

  own.sharingMode = VK_SHARING_MODE_EXCLUSIVE;
  own.queueFamilyIndexCount = 0;
  if (info->tiling == VK_IMAGE_TILING_LINEAR && info->imageType == VK_IMAGE_TYPE_2D &&
      (info->usage & ~(VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT)) == 0)
    own.extent.width += EXTRA_TEXELS;
  return own;
}

static VKAPI_ATTR VkResult VKAPI_CALL
create_image (VkDevice                     device,
              const VkImageCreateInfo     *info,
              const VkAllocationCallbacks *allocator,
              VkImage                     *image)
{
  VkImageCreateInfo own = other_image (info);
  VkMemoryRequirements requirements = { 0 };
  VkResult result;
  Thing *thing;

  for (uint32_t i = 0;
       info->sharingMode == VK_SHARING_MODE_CONCURRENT && i < info->queueFamilyIndexCount; i++)
    if (info->pQueueFamilyIndices[i] >= N_FAMILIES)
      return refuse ("an image shared with a family that is not there");
  result = REAL (vkCreateImage) (device, &own, allocator, image);
  if (result < 0)
    return result;
  thing = add ('I', BITS (*image));
  thing->bits = info->tiling == VK_IMAGE_TILING_LINEAR ? LINEAR_BITS : OPTIMAL_BITS;
  if ((info->flags & VK_IMAGE_CREATE_DISJOINT_BIT) == 0)
    REAL (vkGetImageMemoryRequirements)
  (device, *image, &requirements);
  other_requirements (&requirements, thing->bits);
  thing->size = requirements.size;
  return result;
}

static VKAPI_ATTR void VKAPI_CALL
destroy_image (VkDevice                     device,
               VkImage                      image,
               const VkAllocationCallbacks *allocator)
{
  drop ('I', BITS (image));
  REAL (vkDestroyImage)
  (device, image, allocator);
}

static VKAPI_ATTR VkResult VKAPI_CALL
create_buffer (VkDevice                     device,
               const VkBufferCreateInfo    *info,
               const VkAllocationCallbacks *allocator,
               VkBuffer                    *buffer)
{
  VkBufferCreateInfo own = *info;
  VkMemoryRequirements requirements;
  VkResult result;
  Thing *thing;

  for (uint32_t i = 0;
       info->sharingMode == VK_SHARING_MODE_CONCURRENT && i < info->queueFamilyIndexCount; i++)
    if (info->pQueueFamilyIndices[i] >= N_FAMILIES)
      return refuse ("a buffer shared with a family that is not there");
  own.sharingMode = VK_SHARING_MODE_EXCLUSIVE;
  own.queueFamilyIndexCount = 0;
  result = REAL (vkCreateBuffer) (device, &own, allocator, buffer);
  if (result < 0)
    return result;
  thing = add ('B', BITS (*buffer));
  thing->bits = BUFFER_BITS;
  REAL (vkGetBufferMemoryRequirements)
  (device, *buffer, &requirements);
  other_requirements (&requirements, thing->bits);
  thing->size = requirements.size;
  return result;
}

static VKAPI_ATTR void VKAPI_CALL
destroy_buffer (VkDevice                     device,
                VkBuffer                     buffer,
                const VkAllocationCallbacks *allocator)
{
  drop ('B', BITS (buffer));
  REAL (vkDestroyBuffer)
  (device, buffer, allocator);
}

static VKAPI_ATTR void VKAPI_CALL
buffer_requirements (VkDevice              device,
                     VkBuffer              buffer,
                     VkMemoryRequirements *requirements)
{
  REAL (vkGetBufferMemoryRequirements)
  (device, buffer, requirements);
  other_requirements (requirements, BUFFER_BITS);
}

static VKAPI_ATTR void VKAPI_CALL
buffer_requirements2 (VkDevice                               device,
                      const VkBufferMemoryRequirementsInfo2 *info,
                      VkMemoryRequirements2                 *requirements)
{
  REAL (vkGetBufferMemoryRequirements2)
  (device, info, requirements);
  other_requirements (&requirements->memoryRequirements, BUFFER_BITS);
}

static VKAPI_ATTR void VKAPI_CALL
image_requirements (VkDevice              device,
                    VkImage               image,
                    VkMemoryRequirements *requirements)
{
  const Thing *thing = find ('I', BITS (image));

  REAL (vkGetImageMemoryRequirements)
  (device, image, requirements);
  other_requirements (requirements, thing != NULL ? thing->bits : OPTIMAL_BITS);
}

static VKAPI_ATTR void VKAPI_CALL
image_requirements2 (VkDevice                              device,
                     const VkImageMemoryRequirementsInfo2 *info,
                     VkMemoryRequirements2                *requirements)
{
  const Thing *thing = find ('I', BITS (info->image));

  REAL (vkGetImageMemoryRequirements2)
  (device, info, requirements);
  other_requirements (&requirements->memoryRequirements,
                      thing != NULL ? thing->bits : OPTIMAL_BITS);
}

static VKAPI_ATTR void VKAPI_CALL
device_buffer_requirements (VkDevice                                device,
                            const VkDeviceBufferMemoryRequirements *info,
                            VkMemoryRequirements2                  *requirements)
{
  REAL (vkGetDeviceBufferMemoryRequirements)
  (device, info, requirements);
  other_requirements (&requirements->memoryRequirements, BUFFER_BITS);
}

static VKAPI_ATTR void VKAPI_CALL
device_image_requirements (VkDevice                               device,
                           const VkDeviceImageMemoryRequirements *info,
                           VkMemoryRequirements2                 *requirements)
{
  VkImageCreateInfo own = other_image (info->pCreateInfo);
  VkDeviceImageMemoryRequirements about = *info;

  about.pCreateInfo = &own;
  REAL (vkGetDeviceImageMemoryRequirements)
  (device, &about, requirements);
  other_requirements (&requirements->memoryRequirements,
                      own.tiling == VK_IMAGE_TILING_LINEAR ? LINEAR_BITS : OPTIMAL_BITS);
}

/* Whether a binding keeps to the requirements. */
static bool
may_bind (uint32_t       kind,
          uint64_t       handle,
          VkDeviceMemory memory,
          VkDeviceSize   offset)
{
  const Thing *thing = find (kind, handle);
  const Thing *place = find ('M', BITS (memory));

  if (thing == NULL || place == NULL)
    refuse ("something that is not there is bound");
  else if ((thing->bits >> place->type & 1) == 0)
    refuse ("a resource is bound to memory of a type that it cannot have");
  else if (offset % ALIGNMENT != 0)
    refuse ("a resource is bound at an offset that is not aligned");
  else if (offset > place->size || thing->size > place->size - offset)
    refuse ("a resource is bound to memory that is too small");
  else
    return true;
  return false;
}

static uint64_t
shift_of (VkDeviceMemory memory)
{
  const Thing *thing = find ('M', BITS (memory));

  return thing != NULL ? thing->shift : 0;
}

static VKAPI_ATTR VkResult VKAPI_CALL
bind_buffer (VkDevice       device,
             VkBuffer       buffer,
             VkDeviceMemory memory,
             VkDeviceSize   offset)
{
  if (!may_bind ('B', BITS (buffer), memory, offset))
    return VK_ERROR_UNKNOWN;
  return REAL (vkBindBufferMemory) (device, buffer, memory, offset + shift_of (memory));
}

static VKAPI_ATTR VkResult VKAPI_CALL
bind_image (VkDevice       device,
            VkImage        image,
            VkDeviceMemory memory,
            VkDeviceSize   offset)
{
  if (!may_bind ('I', BITS (image), memory, offset))
    return VK_ERROR_UNKNOWN;
  return REAL (vkBindImageMemory) (device, image, memory, offset + shift_of (memory));
}

static VKAPI_ATTR VkResult VKAPI_CALL
bind_buffer2 (VkDevice                      device,
              uint32_t                      n,
              const VkBindBufferMemoryInfo *infos)
{
  VkResult result = VK_SUCCESS;

  for (uint32_t i = 0; i < n && result == VK_SUCCESS; i++)
    {
      VkBindBufferMemoryInfo own = infos[i];

      if (!may_bind ('B', BITS (own.buffer), own.memory, own.memoryOffset))
        return VK_ERROR_UNKNOWN;
      own.memoryOffset += shift_of (own.memory);
      result = REAL (vkBindBufferMemory2) (device, 1, &own);
    }
  return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL
bind_image2 (VkDevice                     device,
             uint32_t                     n,
             const VkBindImageMemoryInfo *infos)
{
  VkResult result = VK_SUCCESS;

  for (uint32_t i = 0; i < n && result == VK_SUCCESS; i++)
    {
      VkBindImageMemoryInfo own = infos[i];

      if (own.memory != VK_NULL_HANDLE && own.pNext == NULL &&
          !may_bind ('I', BITS (own.image), own.memory, own.memoryOffset))
        return VK_ERROR_UNKNOWN;
      if (own.memory != VK_NULL_HANDLE)
        own.memoryOffset += shift_of (own.memory);
      result = REAL (vkBindImageMemory2) (device, 1, &own);
    }
  return result;
}

/* --- The interface --------------------------------------------------------------------------- */

static VKAPI_ATTR VkResult VKAPI_CALL
create_instance (const VkInstanceCreateInfo  *info,
                 const VkAllocationCallbacks *allocator,
                 VkInstance                  *instance)
{
  PFN_vkCreateInstance create =
    (PFN_vkCreateInstance)real_get_instance (NULL, "vkCreateInstance");
  VkResult result = create (info, allocator, instance);

  if (result >= 0)
    last_instance = *instance;
  return result;
}

static PFN_vkVoidFunction get_device_proc (VkDevice    device,
                                           const char *name);

#define OURS(name, function) \
  { \
    name, (PFN_vkVoidFunction)function \
  }

static const struct
{
  const char *name;
  PFN_vkVoidFunction function;
} ours[] = {
  OURS ("vkAllocateMemory", allocate),
  OURS ("vkBindBufferMemory", bind_buffer),
  OURS ("vkBindBufferMemory2", bind_buffer2),
  OURS ("vkBindImageMemory", bind_image),
  OURS ("vkBindImageMemory2", bind_image2),
  OURS ("vkCreateBuffer", create_buffer),
  OURS ("vkCreateCommandPool", create_pool),
  OURS ("vkCreateDevice", create_device),
  OURS ("vkCreateImage", create_image),
  OURS ("vkCreateInstance", create_instance),
  OURS ("vkDestroyBuffer", destroy_buffer),
  OURS ("vkDestroyImage", destroy_image),
  OURS ("vkEnumerateDeviceExtensionProperties", enumerate_extensions),
  OURS ("vkFlushMappedMemoryRanges", flush),
  OURS ("vkFreeMemory", free_memory),
  OURS ("vkGetBufferMemoryRequirements", buffer_requirements),
  OURS ("vkGetBufferMemoryRequirements2", buffer_requirements2),
  OURS ("vkGetDeviceBufferMemoryRequirements", device_buffer_requirements),
  OURS ("vkGetDeviceImageMemoryRequirements", device_image_requirements),
  OURS ("vkGetDeviceProcAddr", get_device_proc),
  OURS ("vkGetDeviceQueue", get_queue),
  OURS ("vkGetDeviceQueue2", get_queue2),
  OURS ("vkGetImageMemoryRequirements", image_requirements),
  OURS ("vkGetImageMemoryRequirements2", image_requirements2),
  OURS ("vkGetPhysicalDeviceFeatures", get_features),
  OURS ("vkGetPhysicalDeviceFeatures2", get_features2),
  OURS ("vkGetPhysicalDeviceMemoryProperties", get_memory),
  OURS ("vkGetPhysicalDeviceMemoryProperties2", get_memory2),
  OURS ("vkGetPhysicalDeviceProperties", get_properties),
  OURS ("vkGetPhysicalDeviceProperties2", get_properties2),
  OURS ("vkGetPhysicalDeviceQueueFamilyProperties", get_families),
  OURS ("vkGetPhysicalDeviceQueueFamilyProperties2", get_families2),
  OURS ("vkGetPhysicalDeviceSurfaceSupportKHR", get_surface_support),
  OURS ("vkInvalidateMappedMemoryRanges", invalidate),
  OURS ("vkMapMemory", map),
};

/* The KHR names of core functions are theirs too. */
static PFN_vkVoidFunction
find_ours (const char *name)
{
  size_t length = strlen (name);
  bool khr = length > 3 && strcmp (name + length - 3, "KHR") == 0;

  for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
    if (strcmp (ours[i].name, name) == 0 ||
        (khr && strlen (ours[i].name) == length - 3 &&
         strncmp (ours[i].name, name, length - 3) == 0))
      return ours[i].function;
  return NULL;
}

static PFN_vkVoidFunction
get_device_proc (VkDevice    device,
                 const char *name)
{
  PFN_vkVoidFunction theirs = ((PFN_vkGetDeviceProcAddr)real_get_instance (
    last_instance, "vkGetDeviceProcAddr")) (device, name);
  PFN_vkVoidFunction own = theirs != NULL ? find_ours (name) : NULL;

  return own != NULL ? own : theirs;
}

EXPORT VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
vk_icdGetInstanceProcAddr (VkInstance  instance,
                           const char *name)
{
  PFN_vkVoidFunction theirs, own;

  load ();
  if (real_get_instance == NULL)
    return NULL;
  theirs = real_get_instance (instance, name);
  own = theirs != NULL ? find_ours (name) : NULL;
  return own != NULL ? own : theirs;
}

EXPORT VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
vk_icdGetPhysicalDeviceProcAddr (VkInstance  instance,
                                 const char *name)
{
  PFN_vkVoidFunction theirs, own;

  load ();
  theirs = real_get_physical != NULL ? real_get_physical (instance, name) : NULL;
  own = theirs != NULL ? find_ours (name) : NULL;
  return own != NULL ? own : theirs;
}

EXPORT VKAPI_ATTR VkResult VKAPI_CALL
vk_icdNegotiateLoaderICDInterfaceVersion (uint32_t *version)
{
  *version = *version < 5 ? *version : 5;
  return VK_SUCCESS;
}
