/* Implements the memory of the other device, and the resources in it. */
#include "vtr-other-driver.h"

#include <stdlib.h>
#include <string.h>

#define ALIGNMENT 65536u
#define EXTRA_TEXELS 48 /* a linear image is so much wider than asked for */

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
  VtrOtherThing *thing;

  if (info->memoryTypeIndex >= VTR_OTHER_N_TYPES)
    return vtr_other_refuse ("a memory type that is not there");
  if (is_import (info) && !may_import ())
    return VK_ERROR_INVALID_EXTERNAL_HANDLE;
  own.memoryTypeIndex = 0;
  shift = next_shift (info);
  own.allocationSize += shift;
  result = REAL (vkAllocateMemory) (device, &own, allocator, memory);
  if (result < 0)
    return result;
  thing = vtr_other_add ('M', BITS (*memory));
  thing->size = info->allocationSize;
  thing->type = info->memoryTypeIndex;
  thing->shift = shift;
  if (thing->type == VTR_OTHER_CACHED)
    thing->cache = calloc (1, info->allocationSize);
  return result;
}

static VKAPI_ATTR void VKAPI_CALL
free_memory (VkDevice                     device,
             VkDeviceMemory               memory,
             const VkAllocationCallbacks *allocator)
{
  vtr_other_drop ('M', BITS (memory));
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
  VtrOtherThing *thing = vtr_other_find ('M', BITS (memory));
  void *whole;
  VkResult result;

  (void)size;
  if (thing == NULL ||
      (vtr_other_types[thing->type].propertyFlags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) == 0)
    return vtr_other_refuse ("memory is mapped that cannot be");
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
      VtrOtherThing *thing = vtr_other_find ('M', BITS (ranges[i].memory));
      uint64_t size = ranges[i].size;

      if (thing == NULL || ranges[i].offset > thing->size)
        return vtr_other_refuse ("a range of memory that is not there");
      if (size == VK_WHOLE_SIZE)
        size = thing->size - ranges[i].offset;
      if (thing->cache == NULL || thing->map == NULL)
        continue;
      if (ranges[i].offset % 256 != 0 ||
          (size % 256 != 0 && ranges[i].offset + size != thing->size))
        return vtr_other_refuse ("a range that is not of whole atoms");
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

#define BUFFER_BITS ((1u << VTR_OTHER_DEVICE) | LINEAR_BITS)
#define LINEAR_BITS ((1u << VTR_OTHER_COHERENT) | (1u << VTR_OTHER_CACHED))
#define OPTIMAL_BITS (1u << VTR_OTHER_DEVICE)

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
  VtrOtherThing *thing;

  for (uint32_t i = 0;
       info->sharingMode == VK_SHARING_MODE_CONCURRENT && i < info->queueFamilyIndexCount; i++)
    if (info->pQueueFamilyIndices[i] >= VTR_OTHER_N_FAMILIES)
      return vtr_other_refuse ("an image shared with a family that is not there");
  result = REAL (vkCreateImage) (device, &own, allocator, image);
  if (result < 0)
    return result;
  thing = vtr_other_add ('I', BITS (*image));
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
  vtr_other_drop ('I', BITS (image));
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
  VtrOtherThing *thing;

  for (uint32_t i = 0;
       info->sharingMode == VK_SHARING_MODE_CONCURRENT && i < info->queueFamilyIndexCount; i++)
    if (info->pQueueFamilyIndices[i] >= VTR_OTHER_N_FAMILIES)
      return vtr_other_refuse ("a buffer shared with a family that is not there");
  own.sharingMode = VK_SHARING_MODE_EXCLUSIVE;
  own.queueFamilyIndexCount = 0;
  result = REAL (vkCreateBuffer) (device, &own, allocator, buffer);
  if (result < 0)
    return result;
  thing = vtr_other_add ('B', BITS (*buffer));
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
  vtr_other_drop ('B', BITS (buffer));
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
  const VtrOtherThing *thing = vtr_other_find ('I', BITS (image));

  REAL (vkGetImageMemoryRequirements)
  (device, image, requirements);
  other_requirements (requirements, thing != NULL ? thing->bits : OPTIMAL_BITS);
}

static VKAPI_ATTR void VKAPI_CALL
image_requirements2 (VkDevice                              device,
                     const VkImageMemoryRequirementsInfo2 *info,
                     VkMemoryRequirements2                *requirements)
{
  const VtrOtherThing *thing = vtr_other_find ('I', BITS (info->image));

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
  const VtrOtherThing *thing = vtr_other_find (kind, handle);
  const VtrOtherThing *place = vtr_other_find ('M', BITS (memory));

  if (thing == NULL || place == NULL)
    vtr_other_refuse ("something that is not there is bound");
  else if ((thing->bits >> place->type & 1) == 0)
    vtr_other_refuse ("a resource is bound to memory of a type that it cannot have");
  else if (offset % ALIGNMENT != 0)
    vtr_other_refuse ("a resource is bound at an offset that is not aligned");
  else if (offset > place->size || thing->size > place->size - offset)
    vtr_other_refuse ("a resource is bound to memory that is too small");
  else
    return true;
  return false;
}

static uint64_t
shift_of (VkDeviceMemory memory)
{
  const VtrOtherThing *thing = vtr_other_find ('M', BITS (memory));

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

const VtrOtherFunction vtr_other_memory_functions[] = {
  VTR_OTHER_FUNCTION ("vkAllocateMemory", allocate),
  VTR_OTHER_FUNCTION ("vkBindBufferMemory", bind_buffer),
  VTR_OTHER_FUNCTION ("vkBindBufferMemory2", bind_buffer2),
  VTR_OTHER_FUNCTION ("vkBindImageMemory", bind_image),
  VTR_OTHER_FUNCTION ("vkBindImageMemory2", bind_image2),
  VTR_OTHER_FUNCTION ("vkCreateBuffer", create_buffer),
  VTR_OTHER_FUNCTION ("vkCreateImage", create_image),
  VTR_OTHER_FUNCTION ("vkDestroyBuffer", destroy_buffer),
  VTR_OTHER_FUNCTION ("vkDestroyImage", destroy_image),
  VTR_OTHER_FUNCTION ("vkFlushMappedMemoryRanges", flush),
  VTR_OTHER_FUNCTION ("vkFreeMemory", free_memory),
  VTR_OTHER_FUNCTION ("vkGetBufferMemoryRequirements", buffer_requirements),
  VTR_OTHER_FUNCTION ("vkGetBufferMemoryRequirements2", buffer_requirements2),
  VTR_OTHER_FUNCTION ("vkGetDeviceBufferMemoryRequirements", device_buffer_requirements),
  VTR_OTHER_FUNCTION ("vkGetDeviceImageMemoryRequirements", device_image_requirements),
  VTR_OTHER_FUNCTION ("vkGetImageMemoryRequirements", image_requirements),
  VTR_OTHER_FUNCTION ("vkGetImageMemoryRequirements2", image_requirements2),
  VTR_OTHER_FUNCTION ("vkInvalidateMappedMemoryRanges", invalidate),
  VTR_OTHER_FUNCTION ("vkMapMemory", map),
  { 0 },
};
