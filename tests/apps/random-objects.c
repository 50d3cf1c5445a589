/* vtr-app-random: memory, buffers and images, made and destroyed at any time. */
#include "vtr-app-random.h"

#include <stdlib.h>
#include <string.h>

bool
vtr_random_is_idle (const VtrRandom *self,
                    uint64_t         last_use)
{
  return last_use <= self->done;
}

/* --- Memory ---------------------------------------------------------------------------------- */

#define HEAP_SIZE (512u << 10)

static void
release_heap (VtrRandom     *self,
              VtrRandomHeap *heap)
{
  if (--heap->n_users > 0)
    return;
  if (heap->mapped != NULL && vtr_random_chance (self, 50))
    vkUnmapMemory (self->gpu.device, heap->memory);
  vkFreeMemory (self->gpu.device, heap->memory, NULL);
  free (heap);
}

static void
map_heap (VtrRandom     *self,
          VtrRandomHeap *heap,
          VkDeviceSize   offset,
          VkDeviceSize   size)
{
  void *mapped;

  vtr_app_check (vkMapMemory (self->gpu.device, heap->memory, offset, size, 0, &mapped),
                 "vkMapMemory");
  heap->mapped = mapped;
  heap->map_offset = offset;
  heap->map_size = size == VK_WHOLE_SIZE ? heap->size - offset : size;
}

/* @dedicated: the buffer or image that is to have it alone; NULL: others may share it. */
static VtrRandomHeap *
make_heap (VtrRandom                           *self,
           VkDeviceSize                         size,
           uint32_t                             type,
           const VkMemoryDedicatedAllocateInfo *dedicated,
           bool                                 alone)
{
  VtrRandomHeap *heap = calloc (1, sizeof *heap);
  const VkMemoryAllocateFlagsInfo flags = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
    .pNext = dedicated,
    .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT,
  };
  const VkMemoryAllocateInfo info = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
    .pNext = &flags,
    .allocationSize = size,
    .memoryTypeIndex = type,
  };

  if (heap == NULL)
    vtr_app_fail ("out of memory");
  heap->size = size;
  heap->dedicated = dedicated != NULL;
  heap->alone = alone;
  vtr_app_check (vkAllocateMemory (self->gpu.device, &info, NULL, &heap->memory),
                 "vkAllocateMemory");
  if (!alone && vtr_random_chance (self, 40))
    map_heap (self, heap, 0, VK_WHOLE_SIZE);
  return heap;
}

/* Finds room. Returns: where; its heap has one more user. */
static VtrRandomHeap *
place (VtrRandom                           *self,
       const VkMemoryRequirements          *needs,
       const VkMemoryDedicatedAllocateInfo *dedicated,
       bool                                 alone,
       VkDeviceSize                        *offset)
{
  const VkDeviceSize align = needs->alignment > 256 ? needs->alignment : 256;
  VtrRandomHeap *heap = self->heap;
  uint32_t type = 0;

  while ((needs->memoryTypeBits & (1u << type)) == 0)
    type++;
  alone = alone && !self->shared;
  if (alone || needs->size > HEAP_SIZE / 2 || vtr_random_chance (self, 25))
    {
      *offset = 0;
      heap = make_heap (self, needs->size, type, vtr_random_chance (self, 60) ? dedicated : NULL,
                        alone);
      heap->n_users = 1;
      return heap;
    }
  if (heap != NULL && (heap->used + align - 1) / align * align + needs->size > heap->size)
    {
      release_heap (self, heap);
      heap = NULL;
    }
  if (heap == NULL)
    {
      heap = make_heap (self, HEAP_SIZE, type, NULL, false);
      heap->n_users = 1; /* self->heap */
      self->heap = heap;
    }
  *offset = (heap->used + align - 1) / align * align;
  heap->used = *offset + needs->size;
  heap->n_users++;
  return heap;
}

/* --- Buffers --------------------------------------------------------------------------------- */

VtrRandomBuffer *
vtr_random_buffer (VtrRandom *self,
                   VkBufferUsageFlags usage,
                   VkDeviceSize size,
                   const VtrRandomBuffer * not )
{
  const uint32_t first = vtr_random_below (self, VTR_RANDOM_MAX);

  for (uint32_t i = 0; i < VTR_RANDOM_MAX; i++)
    {
      VtrRandomBuffer *buffer = &self->buffers[(first + i) % VTR_RANDOM_MAX];

      if (buffer->buffer != VK_NULL_HANDLE && (buffer->usage & usage) == usage &&
          buffer->size >= size && buffer != not )
        return buffer;
    }
  return NULL;
}

void
vtr_random_use_buffer (VtrRandom       *self,
                       VtrRandomBuffer *buffer)
{
  buffer->last_use = self->frame;
  vtr_random_record_buffer (self, buffer);
}

/* Writes, and says so where that matters. */
void
vtr_random_write (VtrRandom       *self,
                  VtrRandomBuffer *buffer,
                  VkDeviceSize     offset,
                  VkDeviceSize     size)
{
  VtrRandomHeap *heap = buffer->heap;
  const VkDeviceSize begin = buffer->offset + offset;
  bool mapped_here = false;
  uint8_t *to;

  if (heap->mapped != NULL &&
      (begin < heap->map_offset || begin + size > heap->map_offset + heap->map_size ||
       vtr_random_chance (self, 5)))
    {
      vkUnmapMemory (self->gpu.device, heap->memory);
      heap->mapped = NULL;
    }
  if (heap->mapped == NULL)
    {
      mapped_here = true;
      if (vtr_random_chance (self, 50))
        map_heap (self, heap, 0, VK_WHOLE_SIZE);
      else
        map_heap (self, heap, begin, size);
    }
  to = heap->mapped + (begin - heap->map_offset);
  if (vtr_random_chance (self, 20))
    memset (to, (int)vtr_random_below (self, 256), size);
  else
    for (VkDeviceSize i = 0; i < size; i++)
      to[i] = (uint8_t)vtr_random_number (self);
  if (vtr_random_chance (self, 30))
    {
      const VkMappedMemoryRange range = {
        .sType = VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE,
        .memory = heap->memory,
        .offset = heap->map_offset / 64 * 64,
        .size = VK_WHOLE_SIZE,
      };

      if (heap->map_offset % 64 == 0 &&
          (heap->map_size % 64 == 0 || heap->map_offset + heap->map_size == heap->size))
        vtr_app_check (vkFlushMappedMemoryRanges (self->gpu.device, 1, &range),
                       "vkFlushMappedMemoryRanges");
    }
  if (heap->alone || (mapped_here && vtr_random_chance (self, 60)))
    {
      vkUnmapMemory (self->gpu.device, heap->memory);
      heap->mapped = NULL;
    }
}

static void
bind_buffer (VtrRandom       *self,
             VtrRandomBuffer *buffer)
{
  const VkBindBufferMemoryInfo info = {
    .sType = VK_STRUCTURE_TYPE_BIND_BUFFER_MEMORY_INFO,
    .buffer = buffer->buffer,
    .memory = buffer->heap->memory,
    .memoryOffset = buffer->offset,
  };

  if (vtr_random_chance (self, 50))
    vtr_app_check (vkBindBufferMemory2 (self->gpu.device, 1, &info), "vkBindBufferMemory2");
  else
    vtr_app_check (vkBindBufferMemory (self->gpu.device, buffer->buffer, info.memory,
                                       info.memoryOffset),
                   "vkBindBufferMemory");
}

static void
make_buffer (VtrRandom *self)
{
  const VkBufferUsageFlags always =
    VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  const VkBufferUsageFlags most =
    VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
    VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | VK_BUFFER_USAGE_INDEX_BUFFER_BIT |
    VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT |
    VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT |
    (self->core ? 0 : VK_BUFFER_USAGE_CONDITIONAL_RENDERING_BIT_EXT);
  VtrRandomBuffer *buffer = NULL;
  VkMemoryDedicatedAllocateInfo dedicated = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO,
  };
  VkBufferCreateInfo info = { .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO };
  VkMemoryRequirements needs;

  for (uint32_t i = 0; i < VTR_RANDOM_MAX && buffer == NULL; i++)
    if (self->buffers[i].buffer == VK_NULL_HANDLE)
      buffer = &self->buffers[i];
  if (buffer == NULL)
    return;
  memset (buffer, 0, sizeof *buffer);
  info.size = buffer->size = vtr_random_chance (self, 30)
                               ? 16 * vtr_random_between (self, 1, 40)
                               : 4096 * vtr_random_between (self, 1, 8);
  info.usage = always | (vtr_random_chance (self, 60) ? most : 0);
  if (vtr_random_chance (self, 30))
    info.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
                 VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | VK_BUFFER_USAGE_INDEX_BUFFER_BIT |
                 VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT;
  buffer->usage = info.usage;
  vtr_app_check (vkCreateBuffer (self->gpu.device, &info, NULL, &buffer->buffer),
                 "vkCreateBuffer");
  dedicated.buffer = buffer->buffer;
  vkGetBufferMemoryRequirements (self->gpu.device, buffer->buffer, &needs);
  buffer->heap = place (self, &needs, &dedicated,
                        (info.usage & (VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                                       VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT |
                                       VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT)) != 0,
                        &buffer->offset);
  buffer->id = ++self->n_ids;
  bind_buffer (self, buffer);
  if ((buffer->usage & VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT) != 0)
    {
      const VkBufferDeviceAddressInfo address = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
        .buffer = buffer->buffer,
      };

      buffer->address = vkGetBufferDeviceAddress (self->gpu.device, &address);
    }
  vtr_random_write (self, buffer, 0, buffer->size);
}

static void
destroy_buffer (VtrRandom       *self,
                VtrRandomBuffer *buffer)
{
  vkDestroyBuffer (self->gpu.device, buffer->buffer, NULL);
  release_heap (self, buffer->heap);
  buffer->buffer = VK_NULL_HANDLE;
  buffer->id = 0;
}

static void
drop_buffer (VtrRandom *self)
{
  VtrRandomBuffer *buffer = vtr_random_buffer (self, 0, 0, NULL);

  if (buffer != NULL && vtr_random_is_idle (self, buffer->last_use) && buffer->n_pins == 0)
    destroy_buffer (self, buffer);
}

static void
write_buffer (VtrRandom *self)
{
  VtrRandomBuffer *buffer = vtr_random_buffer (self, 0, 0, NULL);
  VkDeviceSize offset, size;

  if (buffer == NULL || !vtr_random_is_idle (self, buffer->last_use) ||
      (self->apart && (buffer->usage & VK_BUFFER_USAGE_TRANSFER_DST_BIT) != 0))
    return;
  offset = vtr_random_below (self, (uint32_t)buffer->size);
  size = 1 + vtr_random_below (self, (uint32_t)(buffer->size - offset));
  vtr_random_write (self, buffer, offset, size);
}

/* What is read decides about everything that follows. */
static void
read_buffer (VtrRandom *self)
{
  VtrRandomBuffer *buffer = vtr_random_buffer (self, 0, 0, NULL);
  uint64_t sum = 0;

  if (buffer == NULL || !vtr_random_is_idle (self, buffer->last_use))
    return;
  if (buffer->heap->mapped != NULL)
    {
      vkUnmapMemory (self->gpu.device, buffer->heap->memory);
      buffer->heap->mapped = NULL;
    }
  map_heap (self, buffer->heap, 0, VK_WHOLE_SIZE);
  for (VkDeviceSize i = 0; i < buffer->size; i++)
    sum = sum * 31 + buffer->heap->mapped[buffer->offset + i];
  self->mood = sum;
  if (buffer->heap->alone)
    {
      vkUnmapMemory (self->gpu.device, buffer->heap->memory);
      buffer->heap->mapped = NULL;
    }
}

/* --- Images ---------------------------------------------------------------------------------- */

static const struct
{
  VkFormat format;
  VtrRandomClass class;
  uint32_t texel; /* that is copied to buffers */
  VkFormat other;
} formats[] = {
  { VK_FORMAT_R8G8B8A8_UNORM, VTR_RANDOM_FLOAT, 4, VK_FORMAT_R8G8B8A8_SRGB },
  { VK_FORMAT_B8G8R8A8_UNORM, VTR_RANDOM_FLOAT, 4, VK_FORMAT_UNDEFINED },
  { VK_FORMAT_R8G8B8A8_SRGB, VTR_RANDOM_FLOAT, 4, VK_FORMAT_R8G8B8A8_UNORM },
  { VK_FORMAT_R8_UNORM, VTR_RANDOM_FLOAT, 1, VK_FORMAT_UNDEFINED },
  { VK_FORMAT_R8G8_SNORM, VTR_RANDOM_FLOAT, 2, VK_FORMAT_R8G8_UNORM },
  { VK_FORMAT_R5G6B5_UNORM_PACK16, VTR_RANDOM_FLOAT, 2, VK_FORMAT_UNDEFINED },
  { VK_FORMAT_A2B10G10R10_UNORM_PACK32, VTR_RANDOM_FLOAT, 4, VK_FORMAT_UNDEFINED },
  { VK_FORMAT_R16G16_SFLOAT, VTR_RANDOM_FLOAT, 4, VK_FORMAT_UNDEFINED },
  { VK_FORMAT_R16G16B16A16_UNORM, VTR_RANDOM_FLOAT, 8, VK_FORMAT_UNDEFINED },
  { VK_FORMAT_R16G16B16A16_SFLOAT, VTR_RANDOM_FLOAT, 8, VK_FORMAT_UNDEFINED },
  { VK_FORMAT_R32_SFLOAT, VTR_RANDOM_FLOAT, 4, VK_FORMAT_UNDEFINED },
  { VK_FORMAT_R32G32B32A32_SFLOAT, VTR_RANDOM_FLOAT, 16, VK_FORMAT_UNDEFINED },
  { VK_FORMAT_B10G11R11_UFLOAT_PACK32, VTR_RANDOM_FLOAT, 4, VK_FORMAT_UNDEFINED },
  { VK_FORMAT_R8G8B8A8_UINT, VTR_RANDOM_UINT, 4, VK_FORMAT_R32_UINT },
  { VK_FORMAT_R16_UINT, VTR_RANDOM_UINT, 2, VK_FORMAT_UNDEFINED },
  { VK_FORMAT_R32_UINT, VTR_RANDOM_UINT, 4, VK_FORMAT_UNDEFINED },
  { VK_FORMAT_R32G32_UINT, VTR_RANDOM_UINT, 8, VK_FORMAT_UNDEFINED },
  { VK_FORMAT_R8G8B8A8_SINT, VTR_RANDOM_SINT, 4, VK_FORMAT_UNDEFINED },
  { VK_FORMAT_R32_SINT, VTR_RANDOM_SINT, 4, VK_FORMAT_UNDEFINED },
  { VK_FORMAT_D16_UNORM, VTR_RANDOM_DEPTH, 2, VK_FORMAT_UNDEFINED },
  { VK_FORMAT_D32_SFLOAT, VTR_RANDOM_DEPTH, 4, VK_FORMAT_UNDEFINED },
  { VK_FORMAT_S8_UINT, VTR_RANDOM_DEPTH, 1, VK_FORMAT_UNDEFINED },
  { VK_FORMAT_D24_UNORM_S8_UINT, VTR_RANDOM_DEPTH, 1, VK_FORMAT_UNDEFINED },
  { VK_FORMAT_D32_SFLOAT_S8_UINT, VTR_RANDOM_DEPTH, 4, VK_FORMAT_UNDEFINED },
};

uint32_t
vtr_random_texel (VkFormat           format,
                  VkImageAspectFlags aspect)
{
  if (aspect == VK_IMAGE_ASPECT_STENCIL_BIT)
    return 1;
  if (format == VK_FORMAT_D24_UNORM_S8_UINT || format == VK_FORMAT_X8_D24_UNORM_PACK32)
    return 0;
  for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
    if (formats[i].format == format)
      return formats[i].texel;
  return 0;
}

VkExtent3D
vtr_random_extent (const VtrRandomImage *image,
                   uint32_t              mip)
{
  const VkExtent3D whole = image->info.extent;

  return (VkExtent3D){
    whole.width >> mip > 0 ? whole.width >> mip : 1,
    whole.height >> mip > 0 ? whole.height >> mip : 1,
    whole.depth >> mip > 0 ? whole.depth >> mip : 1,
  };
}

VtrRandomImage *
vtr_random_image (VtrRandom *self,
                  VkImageUsageFlags usage,
                  const VtrRandomImage * not )
{
  const uint32_t first = vtr_random_below (self, VTR_RANDOM_MAX);

  for (uint32_t i = 0; i < VTR_RANDOM_MAX; i++)
    {
      VtrRandomImage *image = &self->images[(first + i) % VTR_RANDOM_MAX];

      if (image->image != VK_NULL_HANDLE && image->ready && *image->owner == image->id &&
          (image->info.usage & usage) == usage && image != not )
        return image;
    }
  return NULL;
}

static void
choose_shape (VtrRandom         *self,
              VkImageCreateInfo *info,
              VtrRandomClass     class)
{
  const uint32_t kind = vtr_random_below (self, 10);
  uint32_t edge = vtr_random_between (self, 4, 40);

  info->imageType = VK_IMAGE_TYPE_2D;
  info->extent = (VkExtent3D){ edge, vtr_random_between (self, 4, 40), 1 };
  info->mipLevels = info->arrayLayers = 1;
  info->samples = VK_SAMPLE_COUNT_1_BIT;
  if (kind == 0 && class != VTR_RANDOM_DEPTH)
    {
      info->imageType = VK_IMAGE_TYPE_1D;
      info->extent.height = 1;
    }
  else if (kind == 1 && class != VTR_RANDOM_DEPTH)
    {
      info->imageType = VK_IMAGE_TYPE_3D;
      info->extent = (VkExtent3D){ vtr_random_between (self, 2, 16),
                                   vtr_random_between (self, 2, 16),
                                   vtr_random_between (self, 2, 8) };
    }
  else if (kind == 2)
    {
      info->flags |= VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT;
      info->extent.height = edge;
      info->arrayLayers = 6;
    }
  else if (kind == 3)
    {
      info->arrayLayers = vtr_random_between (self, 2, 5);
    }
  else if (kind == 4 || kind == 5)
    {
      info->samples = VK_SAMPLE_COUNT_4_BIT;
    }
  if (info->samples == VK_SAMPLE_COUNT_1_BIT && vtr_random_chance (self, 40))
    info->mipLevels = vtr_random_between (self, 1, 3);
}

/* What the driver can do with images of the format. */
static void
choose_usage (VtrRandom         *self,
              VkImageCreateInfo *info,
              VtrRandomClass     class)
{
  const VkImageUsageFlags kinds[][2] = {
    { VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT, VK_IMAGE_USAGE_SAMPLED_BIT },
    { VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT, VK_IMAGE_USAGE_STORAGE_BIT },
    { VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT },
    { VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT,
      VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT },
  };
  VkFormatProperties offered;
  VkFormatFeatureFlags features;

  vkGetPhysicalDeviceFormatProperties (self->gpu.physical, info->format, &offered);
  features = info->tiling == VK_IMAGE_TILING_LINEAR ? offered.linearTilingFeatures
                                                    : offered.optimalTilingFeatures;
  info->usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
    if ((features & kinds[i][0]) != 0 && vtr_random_chance (self, 75))
      info->usage |= kinds[i][1];
  if (info->samples != VK_SAMPLE_COUNT_1_BIT)
    info->usage = (info->usage & ~(VkImageUsageFlags)VK_IMAGE_USAGE_STORAGE_BIT) |
                  (class == VTR_RANDOM_DEPTH ? VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT
                                             : VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
  if ((info->usage & (VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT |
                      VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT)) != 0 &&
      vtr_random_chance (self, 50))
    info->usage |= VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT;
}

/* Chooses until the driver can make it. */
static size_t
choose_image (VtrRandom         *self,
              VkImageCreateInfo *info)
{
  VkImageFormatProperties offered;
  size_t nth;

  do
    {
      memset (info, 0, sizeof *info);
      info->sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
      nth = vtr_random_below (self, sizeof formats / sizeof formats[0]);
      info->format = formats[nth].format;
      info->tiling = VK_IMAGE_TILING_OPTIMAL;
      choose_shape (self, info, formats[nth].class);
      if (vtr_random_chance (self, 10))
        info->tiling = VK_IMAGE_TILING_LINEAR;
      choose_usage (self, info, formats[nth].class);
      if (formats[nth].other != VK_FORMAT_UNDEFINED && vtr_random_chance (self, 50))
        info->flags |= VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT;
      if (info->imageType == VK_IMAGE_TYPE_3D && vtr_random_chance (self, 50))
        info->flags |= VK_IMAGE_CREATE_2D_ARRAY_COMPATIBLE_BIT;
    }
  while (vkGetPhysicalDeviceImageFormatProperties (self->gpu.physical, info->format,
                                                   info->imageType, info->tiling, info->usage,
                                                   info->flags, &offered) != VK_SUCCESS ||
         offered.maxMipLevels < info->mipLevels || offered.maxArrayLayers < info->arrayLayers ||
         (offered.sampleCounts & info->samples) == 0);
  return nth;
}

static void
bind_image (VtrRandom      *self,
            VtrRandomImage *image)
{
  VkMemoryDedicatedAllocateInfo dedicated = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO,
    .image = image->image,
  };
  VkBindImageMemoryInfo info = {
    .sType = VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_INFO,
    .image = image->image,
  };
  VkMemoryRequirements needs;

  vkGetImageMemoryRequirements (self->gpu.device, image->image, &needs);
  image->heap = place (self, &needs, &dedicated, image->info.tiling == VK_IMAGE_TILING_LINEAR,
                       &image->offset);
  image->bound = true;
  info.memory = image->heap->memory;
  info.memoryOffset = image->offset;
  if (vtr_random_chance (self, 50))
    vtr_app_check (vkBindImageMemory2 (self->gpu.device, 1, &info), "vkBindImageMemory2");
  else
    vtr_app_check (vkBindImageMemory (self->gpu.device, image->image, info.memory,
                                      info.memoryOffset),
                   "vkBindImageMemory");
}

static void
make_image (VtrRandom *self)
{
  VtrRandomImage *image = NULL;
  size_t nth;

  for (uint32_t i = 0; i < VTR_RANDOM_MAX && image == NULL; i++)
    if (self->images[i].image == VK_NULL_HANDLE)
      image = &self->images[i];
  if (image == NULL)
    return;
  memset (image, 0, sizeof *image);
  nth = choose_image (self, &image->info);
  vtr_app_check (vkCreateImage (self->gpu.device, &image->info, NULL, &image->image),
                 "vkCreateImage");
  image->class = formats[nth].class;
  if ((image->info.flags & VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT) != 0)
    image->other = formats[nth].other;
  image->aspects = vtr_app_aspects (image->info.format);
  image->texel = formats[nth].texel;
  image->id = ++self->n_ids;
  image->owner = &image->own;
  image->rest = VK_IMAGE_LAYOUT_GENERAL;
  if (vtr_random_chance (self, 70))
    bind_image (self, image);
  if (image->bound && vtr_random_chance (self, 70))
    vtr_random_fill_image (self, image);
}

/* Images may wait long until they have memory, and until there is something in it. */
static void
go_on (VtrRandom *self)
{
  const uint32_t first = vtr_random_below (self, VTR_RANDOM_MAX);

  for (uint32_t i = 0; i < VTR_RANDOM_MAX; i++)
    {
      VtrRandomImage *image = &self->images[(first + i) % VTR_RANDOM_MAX];

      if (image->image == VK_NULL_HANDLE || image->ready)
        continue;
      if (!image->bound)
        bind_image (self, image);
      else
        vtr_random_fill_image (self, image);
      return;
    }
}

static void
destroy_image (VtrRandom      *self,
               VtrRandomImage *image)
{
  vkDestroyImage (self->gpu.device, image->image, NULL);
  if (image->bound)
    release_heap (self, image->heap);
  image->image = VK_NULL_HANDLE;
  image->id = 0;
}

static void
drop_image (VtrRandom *self)
{
  VtrRandomImage *image = &self->images[vtr_random_below (self, VTR_RANDOM_MAX)];

  if (image->image != VK_NULL_HANDLE && vtr_random_is_idle (self, image->last_use) &&
      image->n_pins == 0)
    destroy_image (self, image);
}

void
vtr_random_objects_finish (VtrRandom *self)
{
  for (uint32_t i = 0; i < VTR_RANDOM_MAX; i++)
    {
      if (self->buffers[i].buffer != VK_NULL_HANDLE)
        destroy_buffer (self, &self->buffers[i]);
      if (self->images[i].image != VK_NULL_HANDLE)
        destroy_image (self, &self->images[i]);
    }
  if (self->heap != NULL)
    release_heap (self, self->heap);
}

const VtrRandomOperation vtr_random_object_operations[] = {
  { "make-buffer", "buffers", 12, make_buffer },
  { "drop-buffer", "drops", 4, drop_buffer },
  { "write-buffer", "mapped", 12, write_buffer },
  { "read-buffer", "results", 3, read_buffer },
  { "make-image", "images", 12, make_image },
  { "go-on-image", "images", 6, go_on },
  { "drop-image", "drops", 4, drop_image },
  { 0 },
};
