/* Implements device memory, and the resources in it. */
#include "vtr-mock.h"

#include <sys/mman.h>
#include <unistd.h>

static MockObject *
find (const void *object,
      uint32_t    type,
      uint64_t    value)
{
  return mock_find (object, type, value);
}

/* --- Memory ---------------------------------------------------------------------------------- */

static const void *
chained (const void *chain,
         int         type)
{
  for (const VkBaseInStructure *link = chain; link != NULL; link = link->pNext)
    if ((int)link->sType == type)
      return link;
  return NULL;
}

/* Far from the addresses of libraries, and different in each process, so that a replay can place
 * memory of a captured program at the captured address. */
static void *
map_bytes (uint64_t size)
{
  static uint64_t next;
  uint64_t at;
  void *bytes;

  mock_lock ();
  if (next == 0)
    next = (UINT64_C (1) << 42) + ((uint64_t)getpid () % 4096 << 31);
  at = next;
  next += (size + 0xffff) / 0x10000 * 0x10000 + 0x10000;
  mock_unlock ();
  bytes = mmap ((void *)(uintptr_t)at, size, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  return bytes != MAP_FAILED
           ? bytes
           : mmap (NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0);
}

VkResult
mock_do_vkAllocateMemory (VkDevice                     device,
                          const VkMemoryAllocateInfo  *info,
                          const VkAllocationCallbacks *allocator,
                          VkDeviceMemory              *out)
{
  const VkImportMemoryHostPointerInfoEXT *import =
    chained (info->pNext, VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT);
  MockObject *memory;
  uint64_t address;
  VkResult result;
  bool replayable;
  void *bytes;

  *out = VK_NULL_HANDLE;
  if (info->memoryTypeIndex >= mock_config.memory.memoryTypeCount || info->allocationSize == 0)
    {
      if (mock_config.strict)
        mock_violation ("memory of type %u, %llu bytes", info->memoryTypeIndex,
                        (unsigned long long)info->allocationSize);
      return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    }
  if (info->allocationSize >
      mock_config.memory
        .memoryHeaps[mock_config.memory.memoryTypes[info->memoryTypeIndex].heapIndex]
        .size)
    return VK_ERROR_OUT_OF_DEVICE_MEMORY;
  result = mock_choose_address (mock_owner (device), info, &address, &replayable);
  if (result < 0)
    return result;
  bytes = import != NULL && import->pHostPointer != NULL
            ? import->pHostPointer
            : map_bytes (info->allocationSize);
  if (bytes == MAP_FAILED)
    return VK_ERROR_OUT_OF_HOST_MEMORY;
  memory = mock_new_object (mock_owner (device), VK_OBJECT_TYPE_DEVICE_MEMORY, NULL);
  memory->u.memory.size = info->allocationSize;
  memory->u.memory.type = info->memoryTypeIndex;
  memory->u.memory.imported = import != NULL;
  memory->u.memory.bytes = bytes;
  memory->u.memory.address = address;
  memory->u.memory.replayable = replayable;
  *out = (VkDeviceMemory)memory->value;
  return VK_SUCCESS;
}

VkResult
mock_do_vkMapMemory (VkDevice           device,
                     VkDeviceMemory     handle,
                     VkDeviceSize       offset,
                     VkDeviceSize       size,
                     VkMemoryMapFlags   flags,
                     void             **out)
{
  MockObject *memory = find (device, VK_OBJECT_TYPE_DEVICE_MEMORY, (uint64_t)handle);

  if (memory == NULL || offset >= memory->u.memory.size ||
      (size != VK_WHOLE_SIZE && size > memory->u.memory.size - offset) ||
      (mock_config.memory.memoryTypes[memory->u.memory.type].propertyFlags &
       VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) == 0)
    {
      if (mock_config.strict)
        mock_violation ("mapping what cannot be mapped");
      return VK_ERROR_MEMORY_MAP_FAILED;
    }
  *out = memory->u.memory.bytes + offset;
  return VK_SUCCESS;
}

VkResult
mock_do_vkGetMemoryHostPointerPropertiesEXT (VkDevice                            device,
                                             VkExternalMemoryHandleTypeFlagBits  type,
                                             const void                         *pointer,
                                             VkMemoryHostPointerPropertiesEXT   *out)
{
  out->memoryTypeBits = 0;
  for (uint32_t i = 0; i < mock_config.memory.memoryTypeCount; i++)
    if ((mock_config.memory.memoryTypes[i].propertyFlags &
         VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) != 0)
      out->memoryTypeBits |= 1u << i;
  return VK_SUCCESS;
}

VkResult
mock_do_vkGetMemoryFdKHR (VkDevice                    device,
                          const VkMemoryGetFdInfoKHR *info,
                          int                        *out)
{
  *out = memfd_create ("mock", MFD_CLOEXEC);
  return *out < 0 ? VK_ERROR_TOO_MANY_OBJECTS : VK_SUCCESS;
}

VkResult
mock_do_vkGetFenceFdKHR (VkDevice                   device,
                         const VkFenceGetFdInfoKHR *info,
                         int                       *out)
{
  *out = memfd_create ("mock", MFD_CLOEXEC);
  return *out < 0 ? VK_ERROR_TOO_MANY_OBJECTS : VK_SUCCESS;
}

VkResult
mock_do_vkGetSemaphoreFdKHR (VkDevice                       device,
                             const VkSemaphoreGetFdInfoKHR *info,
                             int                           *out)
{
  *out = memfd_create ("mock", MFD_CLOEXEC);
  return *out < 0 ? VK_ERROR_TOO_MANY_OBJECTS : VK_SUCCESS;
}

/* --- Requirements ---------------------------------------------------------------------------- */

static VkMemoryRequirements
requirements (uint64_t size)
{
  const uint64_t alignment = mock_config.alignment;

  return (VkMemoryRequirements){
    .size = (size + alignment - 1) / alignment * alignment,
    .alignment = alignment,
    .memoryTypeBits = (uint32_t)((UINT64_C (1) << mock_config.memory.memoryTypeCount) - 1),
  };
}

static void
describe_image (MockObject              *image,
                const VkImageCreateInfo *info)
{
  image->u.resource.n_layers = info->arrayLayers;
  image->u.resource.n_levels = info->mipLevels;
  image->u.resource.width = info->extent.width;
  image->u.resource.height = info->extent.height;
  image->u.resource.depth = info->extent.depth;
  image->u.resource.texel = 16; /* enough for every format */
  image->u.resource.linear = info->tiling == VK_IMAGE_TILING_LINEAR;
}

static uint64_t
level_size (const MockObject *image,
            uint32_t          level)
{
  uint64_t width = image->u.resource.width >> level, height = image->u.resource.height >> level,
           depth = image->u.resource.depth >> level;

  return (width > 0 ? width : 1) * (height > 0 ? height : 1) * (depth > 0 ? depth : 1) *
         image->u.resource.texel;
}

static uint64_t
layer_size (const MockObject *image)
{
  uint64_t size = 0;

  for (uint32_t i = 0; i < image->u.resource.n_levels; i++)
    size += level_size (image, i);
  return size;
}

VkResult
mock_do_vkCreateImage (VkDevice                     device,
                       const VkImageCreateInfo     *info,
                       const VkAllocationCallbacks *allocator,
                       VkImage                     *out)
{
  MockObject *image = mock_new_object (mock_owner (device), VK_OBJECT_TYPE_IMAGE, NULL);

  describe_image (image, info);
  image->u.resource.size = layer_size (image) * info->arrayLayers * info->samples;
  *out = (VkImage)image->value;
  return VK_SUCCESS;
}

VkResult
mock_do_vkCreateBuffer (VkDevice                     device,
                        const VkBufferCreateInfo    *info,
                        const VkAllocationCallbacks *allocator,
                        VkBuffer                    *out)
{
  MockObject *buffer;
  uint64_t opaque;
  VkResult result = mock_choose_opaque (mock_owner (device), info, &opaque);

  *out = VK_NULL_HANDLE;
  if (result < 0)
    return result;
  buffer = mock_new_object (mock_owner (device), VK_OBJECT_TYPE_BUFFER, NULL);
  buffer->u.resource.size = info->size;
  buffer->u.resource.opaque = opaque;
  *out = (VkBuffer)buffer->value;
  return VK_SUCCESS;
}

void
mock_do_vkGetBufferMemoryRequirements (VkDevice              device,
                                       VkBuffer              handle,
                                       VkMemoryRequirements *out)
{
  MockObject *buffer = find (device, VK_OBJECT_TYPE_BUFFER, (uint64_t)handle);

  *out = requirements (buffer == NULL ? 0 : buffer->u.resource.size);
}

void
mock_do_vkGetImageMemoryRequirements (VkDevice              device,
                                      VkImage               handle,
                                      VkMemoryRequirements *out)
{
  MockObject *image = find (device, VK_OBJECT_TYPE_IMAGE, (uint64_t)handle);

  *out = requirements (image == NULL ? 0 : image->u.resource.size);
}

void
mock_do_vkGetBufferMemoryRequirements2 (VkDevice                               device,
                                        const VkBufferMemoryRequirementsInfo2 *info,
                                        VkMemoryRequirements2                 *out)
{
  mock_do_vkGetBufferMemoryRequirements (device, info->buffer, &out->memoryRequirements);
  mock_clear_chain (out->pNext);
}

void
mock_do_vkGetImageMemoryRequirements2 (VkDevice                              device,
                                       const VkImageMemoryRequirementsInfo2 *info,
                                       VkMemoryRequirements2                *out)
{
  mock_do_vkGetImageMemoryRequirements (device, info->image, &out->memoryRequirements);
  mock_clear_chain (out->pNext);
}

void
mock_do_vkGetDeviceBufferMemoryRequirements (VkDevice                                device,
                                             const VkDeviceBufferMemoryRequirements *info,
                                             VkMemoryRequirements2                  *out)
{
  out->memoryRequirements = requirements (info->pCreateInfo->size);
  mock_clear_chain (out->pNext);
}

void
mock_do_vkGetDeviceImageMemoryRequirements (VkDevice                               device,
                                            const VkDeviceImageMemoryRequirements *info,
                                            VkMemoryRequirements2                 *out)
{
  MockObject image;

  memset (&image, 0, sizeof image);
  describe_image (&image, info->pCreateInfo);
  out->memoryRequirements = requirements (layer_size (&image) * info->pCreateInfo->arrayLayers *
                                          info->pCreateInfo->samples);
  mock_clear_chain (out->pNext);
}

void
mock_do_vkGetImageSubresourceLayout (VkDevice                  device,
                                     VkImage                   handle,
                                     const VkImageSubresource *subresource,
                                     VkSubresourceLayout      *out)
{
  MockObject *image = find (device, VK_OBJECT_TYPE_IMAGE, (uint64_t)handle);

  memset (out, 0, sizeof *out);
  if (image == NULL)
    return;
  out->arrayPitch = layer_size (image);
  out->offset = out->arrayPitch * subresource->arrayLayer;
  for (uint32_t i = 0; i < subresource->mipLevel; i++)
    out->offset += level_size (image, i);
  out->size = level_size (image, subresource->mipLevel);
  out->rowPitch = image->u.resource.width >> subresource->mipLevel;
  out->rowPitch = (out->rowPitch > 0 ? out->rowPitch : 1) * image->u.resource.texel;
  out->depthPitch = out->size;
}

/* Sparse images have one granularity; their tail begins after the last level. */
static const VkSparseImageFormatProperties sparse_format = { VK_IMAGE_ASPECT_COLOR_BIT,
                                                             { 64, 64, 1 },
                                                             0 };

void
mock_do_vkGetImageSparseMemoryRequirements (VkDevice                         device,
                                            VkImage                          handle,
                                            uint32_t                        *n,
                                            VkSparseImageMemoryRequirements *out)
{
  if (out == NULL || *n > 1)
    *n = 1;
  if (out != NULL && *n > 0)
    *out = (VkSparseImageMemoryRequirements){ sparse_format, 1, 65536, 65536, 65536 };
}

void
mock_do_vkGetImageSparseMemoryRequirements2 (VkDevice                                    device,
                                             const VkImageSparseMemoryRequirementsInfo2 *info,
                                             uint32_t                                   *n,
                                             VkSparseImageMemoryRequirements2           *out)
{
  mock_do_vkGetImageSparseMemoryRequirements (device, info->image, n,
                                              out == NULL ? NULL : &out->memoryRequirements);
}

void
mock_do_vkGetPhysicalDeviceSparseImageFormatProperties (VkPhysicalDevice               device,
                                                        VkFormat                       format,
                                                        VkImageType                    type,
                                                        VkSampleCountFlagBits          samples,
                                                        VkImageUsageFlags              usage,
                                                        VkImageTiling                  tiling,
                                                        uint32_t                      *n,
                                                        VkSparseImageFormatProperties *out)
{
  if (out == NULL || *n > 1)
    *n = 1;
  if (out != NULL && *n > 0)
    *out = sparse_format;
}

/* --- Bindings and addresses ------------------------------------------------------------------ */

static void
bind (const void *device,
      uint32_t    type,
      uint64_t    resource,
      uint64_t    memory,
      uint64_t    offset)
{
  MockObject *object = find (device, type, resource);
  MockObject *to = find (device, VK_OBJECT_TYPE_DEVICE_MEMORY, memory);

  if (object == NULL)
    return;
  object->u.resource.memory = to;
  object->u.resource.offset = offset;
  mock_check_replayable (object, to);
  if (mock_config.strict && memory != 0 &&
      (to == NULL || offset % mock_config.alignment != 0 || offset >= to->u.memory.size ||
       to->u.memory.size - offset < requirements (object->u.resource.size).size))
    mock_violation ("a binding at %llu that does not fit", (unsigned long long)offset);
}

VkResult
mock_do_vkBindBufferMemory (VkDevice       device,
                            VkBuffer       buffer,
                            VkDeviceMemory memory,
                            VkDeviceSize   offset)
{
  bind (device, VK_OBJECT_TYPE_BUFFER, (uint64_t)buffer, (uint64_t)memory, offset);
  return VK_SUCCESS;
}

VkResult
mock_do_vkBindImageMemory (VkDevice       device,
                           VkImage        image,
                           VkDeviceMemory memory,
                           VkDeviceSize   offset)
{
  bind (device, VK_OBJECT_TYPE_IMAGE, (uint64_t)image, (uint64_t)memory, offset);
  return VK_SUCCESS;
}

VkResult
mock_do_vkBindBufferMemory2 (VkDevice                      device,
                             uint32_t                      n,
                             const VkBindBufferMemoryInfo *infos)
{
  for (uint32_t i = 0; i < n; i++)
    bind (device, VK_OBJECT_TYPE_BUFFER, (uint64_t)infos[i].buffer, (uint64_t)infos[i].memory,
          infos[i].memoryOffset);
  return VK_SUCCESS;
}

VkResult
mock_do_vkBindImageMemory2 (VkDevice                     device,
                            uint32_t                     n,
                            const VkBindImageMemoryInfo *infos)
{
  for (uint32_t i = 0; i < n; i++)
    bind (device, VK_OBJECT_TYPE_IMAGE, (uint64_t)infos[i].image, (uint64_t)infos[i].memory,
          infos[i].memoryOffset);
  return VK_SUCCESS;
}

#define BUILD_SIZES mock_do_vkGetAccelerationStructureBuildSizesKHR
void
BUILD_SIZES (VkDevice                                           device,
             VkAccelerationStructureBuildTypeKHR                type,
             const VkAccelerationStructureBuildGeometryInfoKHR *info,
             const uint32_t                                    *counts,
             VkAccelerationStructureBuildSizesInfoKHR          *out)
{
  out->accelerationStructureSize = 4096;
  out->updateScratchSize = 1024;
  out->buildScratchSize = 1024;
}

void
mock_do_vkGetDeviceAccelerationStructureCompatibilityKHR (
  VkDevice device,
  const VkAccelerationStructureVersionInfoKHR *info,
  VkAccelerationStructureCompatibilityKHR *out)
{
  *out = VK_ACCELERATION_STRUCTURE_COMPATIBILITY_COMPATIBLE_KHR;
}

/* --- Query results --------------------------------------------------------------------------- */

VkResult
mock_do_vkCreateQueryPool (VkDevice                     device,
                           const VkQueryPoolCreateInfo *info,
                           const VkAllocationCallbacks *allocator,
                           VkQueryPool                 *out)
{
  MockObject *pool = mock_new_object (mock_owner (device), VK_OBJECT_TYPE_QUERY_POOL, NULL);

  pool->u.queries = info->queryType;
  *out = (VkQueryPool)pool->value;
  return VK_SUCCESS;
}

VkResult
mock_do_vkGetQueryPoolResults (VkDevice            device,
                               VkQueryPool         pool,
                               uint32_t            first,
                               uint32_t            n,
                               size_t              size,
                               void               *data,
                               VkDeviceSize        stride,
                               VkQueryResultFlags  flags)
{
  /* Every number 1: results, and that they are available. */
  const size_t unit = (flags & VK_QUERY_RESULT_64_BIT) != 0 ? 8 : 4;
  const MockObject *object = find (device, VK_OBJECT_TYPE_QUERY_POOL, (uint64_t)pool);
  const uint64_t serialised = 200;

  mock_fill (data, unit, size / unit);
  /* A header without handles, and something behind it. */
  if (object != NULL && unit == sizeof serialised &&
      object->u.queries == VK_QUERY_TYPE_ACCELERATION_STRUCTURE_SERIALIZATION_SIZE_KHR)
    for (size_t i = 0; i < size / unit; i++)
      memcpy ((uint8_t *)data + i * unit, &serialised, sizeof serialised);
  return VK_SUCCESS;
}

/* The results are available at once, because this driver runs no commands. */
void
mock_do_vkCmdCopyQueryPoolResults (VkCommandBuffer    commands,
                                   VkQueryPool        pool,
                                   uint32_t           first,
                                   uint32_t           n,
                                   VkBuffer           buffer,
                                   VkDeviceSize       offset,
                                   VkDeviceSize       stride,
                                   VkQueryResultFlags flags)
{
  const size_t unit = (flags & VK_QUERY_RESULT_64_BIT) != 0 ? 8 : 4;
  const MockObject *to = find (commands, VK_OBJECT_TYPE_BUFFER, (uint64_t)buffer);
  const MockObject *memory = to != NULL ? to->u.resource.memory : NULL;
  uint64_t at = to != NULL ? to->u.resource.offset + offset : 0;

  if (memory != NULL && memory->u.memory.bytes != NULL && at < memory->u.memory.size &&
      n * stride <= memory->u.memory.size - at)
    mock_fill (memory->u.memory.bytes + at, unit, (size_t)(n * stride / unit));
}
