/* vtr-app-random: records commands that copy, clear and fill. */
#include "vtr-app-random.h"

#include <string.h>

/* --- Parts of images ------------------------------------------------------------------------- */

typedef struct
{
  VkImageSubresourceLayers layers;
  VkOffset3D offset;
  VkExtent3D extent;
} Part;

static VkImageAspectFlags
choose_aspect (VtrRandom            *self,
               const VtrRandomImage *image)
{
  const VkImageAspectFlags both = VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT;

  if (image->aspects != both)
    return image->aspects;
  return vtr_random_chance (self, 50) ? VK_IMAGE_ASPECT_DEPTH_BIT : VK_IMAGE_ASPECT_STENCIL_BIT;
}

static uint32_t
cut (VtrRandom *self,
     uint32_t   size,
     int32_t   *offset)
{
  if (vtr_random_chance (self, 30))
    {
      *offset = 0;
      return size;
    }
  *offset = (int32_t)vtr_random_below (self, size);
  return vtr_random_between (self, 1, size - (uint32_t)*offset);
}

static Part
choose_part (VtrRandom            *self,
             const VtrRandomImage *image,
             VkImageAspectFlags    aspect)
{
  const uint32_t mip = vtr_random_below (self, image->info.mipLevels);
  const VkExtent3D extent = vtr_random_extent (image, mip);
  Part part = { .layers = { aspect, mip, vtr_random_below (self, image->info.arrayLayers), 1 } };

  if (vtr_random_chance (self, 30))
    part.layers.layerCount =
      vtr_random_between (self, 1, image->info.arrayLayers - part.layers.baseArrayLayer);
  part.extent.width = cut (self, extent.width, &part.offset.x);
  part.extent.height = cut (self, extent.height, &part.offset.y);
  part.extent.depth = cut (self, extent.depth, &part.offset.z);
  return part;
}

static void
use (VtrRandom      *self,
     VtrRandomImage *image,
     const Part     *part,
     VkImageLayout   layout)
{
  const VkImageSubresourceLayers layers = part->layers;
  const VkImageSubresourceRange range = { image->aspects, layers.mipLevel, 1,
                                          layers.baseArrayLayer, layers.layerCount };

  if (vtr_random_chance (self, 15))
    vtr_random_use_image (self, image, layout);
  else
    vtr_random_use_part (self, image, &range, layout);
}

static VkImageLayout
source_layout (VtrRandom *self)
{
  return vtr_random_chance (self, 70) ? VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL
                                      : VK_IMAGE_LAYOUT_GENERAL;
}

static VkImageLayout
target_layout (VtrRandom *self)
{
  return vtr_random_chance (self, 70) ? VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL
                                      : VK_IMAGE_LAYOUT_GENERAL;
}

/* --- Clears ---------------------------------------------------------------------------------- */

static VkClearColorValue
choose_color (VtrRandom            *self,
              const VtrRandomImage *image)
{
  VkClearColorValue value;

  for (uint32_t i = 0; i < 4; i++)
    if (image->class == VTR_RANDOM_FLOAT)
      value.float32[i] = vtr_random_float (self);
    else
      value.uint32[i] = vtr_random_below (self, 128);
  return value;
}

static void
clear_range (VtrRandom                     *self,
             VtrRandomImage                *image,
             const VkImageSubresourceRange *range)
{
  const VkImageLayout layout = target_layout (self);
  VkImageSubresourceRange cleared = *range;

  if (cleared.baseMipLevel + cleared.levelCount == image->info.mipLevels &&
      vtr_random_chance (self, 30))
    cleared.levelCount = VK_REMAINING_MIP_LEVELS;
  if (cleared.baseArrayLayer + cleared.layerCount == image->info.arrayLayers &&
      vtr_random_chance (self, 30))
    cleared.layerCount = VK_REMAINING_ARRAY_LAYERS;
  vtr_random_use_part (self, image, range, layout);
  if (image->class == VTR_RANDOM_DEPTH)
    {
      const VkClearDepthStencilValue value = { vtr_random_float (self),
                                               vtr_random_below (self, 256) };

      vkCmdClearDepthStencilImage (self->commands, image->image, layout, &value, 1, &cleared);
    }
  else
    {
      const VkClearColorValue value = choose_color (self, image);

      vkCmdClearColorImage (self->commands, image->image, layout, &value, 1, &cleared);
    }
}

static void
clear_image (VtrRandom *self)
{
  VtrRandomImage *image = vtr_random_image (self, VK_IMAGE_USAGE_TRANSFER_DST_BIT, NULL);
  VkImageSubresourceRange range;

  if (image == NULL)
    return;
  range.aspectMask = image->aspects;
  range.baseMipLevel = vtr_random_below (self, image->info.mipLevels);
  range.levelCount = vtr_random_between (self, 1, image->info.mipLevels - range.baseMipLevel);
  range.baseArrayLayer = vtr_random_below (self, image->info.arrayLayers);
  range.layerCount = vtr_random_between (self, 1, image->info.arrayLayers - range.baseArrayLayer);
  clear_range (self, image, &range);
}

/* --- From and to buffers --------------------------------------------------------------------- */

/* Whether any bytes make a texel. */
static bool
takes_bytes (const VtrRandomImage *image,
             VkImageAspectFlags    aspect)
{
  if (image->info.samples != VK_SAMPLE_COUNT_1_BIT)
    return false;
  return aspect != VK_IMAGE_ASPECT_DEPTH_BIT || image->info.format == VK_FORMAT_D16_UNORM;
}

/* Where in a buffer; 0 bytes: it does not fit. */
static VkBufferImageCopy
choose_region (VtrRandom            *self,
               const VtrRandomImage *image,
               const Part           *part,
               VkDeviceSize          size)
{
  const uint32_t texel = vtr_random_texel (image->info.format, part->layers.aspectMask);
  VkBufferImageCopy region = {
    .imageSubresource = part->layers,
    .imageOffset = part->offset,
    .imageExtent = part->extent,
  };
  VkDeviceSize row = part->extent.width, slice = part->extent.height, bytes;

  if (vtr_random_chance (self, 30))
    region.bufferRowLength = (uint32_t)(row += vtr_random_below (self, 9));
  if (vtr_random_chance (self, 30))
    region.bufferImageHeight = (uint32_t)(slice += vtr_random_below (self, 3));
  bytes = row * slice * part->extent.depth * part->layers.layerCount * texel;
  if (bytes > size)
    region.imageExtent.width = 0;
  else
    region.bufferOffset = vtr_random_below (self, (uint32_t)((size - bytes) / 16 + 1)) * 16;
  return region;
}

static void
copy_to_image (VtrRandom               *self,
               VtrRandomBuffer         *buffer,
               VtrRandomImage          *image,
               VkImageLayout            layout,
               const VkBufferImageCopy *region)
{
  const VkBufferImageCopy2 two = {
    .sType = VK_STRUCTURE_TYPE_BUFFER_IMAGE_COPY_2,
    .bufferOffset = region->bufferOffset,
    .bufferRowLength = region->bufferRowLength,
    .bufferImageHeight = region->bufferImageHeight,
    .imageSubresource = region->imageSubresource,
    .imageOffset = region->imageOffset,
    .imageExtent = region->imageExtent,
  };
  const VkCopyBufferToImageInfo2 info = {
    .sType = VK_STRUCTURE_TYPE_COPY_BUFFER_TO_IMAGE_INFO_2,
    .srcBuffer = buffer->buffer,
    .dstImage = image->image,
    .dstImageLayout = layout,
    .regionCount = 1,
    .pRegions = &two,
  };

  if (vtr_random_chance (self, 50))
    vkCmdCopyBufferToImage2 (self->commands, &info);
  else
    vkCmdCopyBufferToImage (self->commands, buffer->buffer, image->image, layout, 1, region);
}

static void
upload (VtrRandom *self)
{
  VtrRandomBuffer *buffer = vtr_random_buffer (self, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, 64, NULL);
  VtrRandomImage *image = vtr_random_image (self, VK_IMAGE_USAGE_TRANSFER_DST_BIT, NULL);
  const VkImageLayout layout = target_layout (self);
  VkBufferImageCopy region;
  Part part;

  if (buffer == NULL || image == NULL)
    return;
  part = choose_part (self, image, choose_aspect (self, image));
  if (!takes_bytes (image, part.layers.aspectMask))
    return;
  region = choose_region (self, image, &part, buffer->size);
  if (region.imageExtent.width == 0)
    return;
  vtr_random_barrier (self);
  vtr_random_use_buffer (self, buffer);
  use (self, image, &part, layout);
  copy_to_image (self, buffer, image, layout, &region);
}

static void
download (VtrRandom *self)
{
  VtrRandomBuffer *buffer = vtr_random_buffer (self, VK_BUFFER_USAGE_TRANSFER_DST_BIT, 64, NULL);
  VtrRandomImage *image = vtr_random_image (self, VK_IMAGE_USAGE_TRANSFER_SRC_BIT, NULL);
  const VkImageLayout layout = source_layout (self);
  VkBufferImageCopy region;
  Part part;

  if (buffer == NULL || image == NULL || image->info.samples != VK_SAMPLE_COUNT_1_BIT)
    return;
  part = choose_part (self, image, choose_aspect (self, image));
  if (vtr_random_texel (image->info.format, part.layers.aspectMask) == 0)
    return;
  region = choose_region (self, image, &part, buffer->size);
  if (region.imageExtent.width == 0)
    return;
  vtr_random_barrier (self);
  vtr_random_use_buffer (self, buffer);
  use (self, image, &part, layout);
  vkCmdCopyImageToBuffer (self->commands, image->image, layout, buffer->buffer, 1, &region);
}

/* Every level and layer, of one buffer that is large enough for the largest. */
static bool
upload_all (VtrRandom      *self,
            VtrRandomImage *image)
{
  const VkExtent3D extent = image->info.extent;
  VtrRandomBuffer *buffer = vtr_random_buffer (
    self, VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
    (VkDeviceSize)extent.width * extent.height * extent.depth * image->texel, NULL);
  const VkImageLayout layout = target_layout (self);

  if (buffer == NULL || !takes_bytes (image, image->aspects) ||
      (image->aspects & VK_IMAGE_ASPECT_STENCIL_BIT) != 0)
    return false;
  vtr_random_barrier (self);
  vtr_random_use_buffer (self, buffer);
  vtr_random_use_image (self, image, layout);
  for (uint32_t i = 0; i < image->info.arrayLayers; i++)
    for (uint32_t j = 0; j < image->info.mipLevels; j++)
      copy_to_image (self, buffer, image, layout,
                     &(VkBufferImageCopy){
                       .imageSubresource = { image->aspects, j, i, 1 },
                       .imageExtent = vtr_random_extent (image, j) });
  return true;
}

void
vtr_random_fill_image (VtrRandom      *self,
                       VtrRandomImage *image)
{
  const VkImageSubresourceRange all = { image->aspects, 0, image->info.mipLevels, 0,
                                        image->info.arrayLayers };

  vtr_random_barrier (self);
  for (uint32_t i = 0; i < VTR_RANDOM_MAX_PARTS; i++)
    image->layouts[i] = VK_IMAGE_LAYOUT_UNDEFINED;
  if (vtr_random_chance (self, 40) || !upload_all (self, image))
    clear_range (self, image, &all);
  image->ready = true;
}

/* --- Between buffers ------------------------------------------------------------------------- */

static void
copy_buffer (VtrRandom *self)
{
  VtrRandomBuffer *from = vtr_random_buffer (self, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, 0, NULL);
  VtrRandomBuffer *to = vtr_random_buffer (self, VK_BUFFER_USAGE_TRANSFER_DST_BIT, 0, from);
  VkBufferCopy regions[3];
  VkBufferCopy2 two[3];
  VkDeviceSize least, part;
  uint32_t n;

  if (from == NULL || to == NULL)
    return;
  least = from->size < to->size ? from->size : to->size;
  n = vtr_random_between (self, 1, 3);
  part = least / n;
  for (uint32_t i = 0; i < n; i++)
    {
      regions[i] = (VkBufferCopy){ i * part + vtr_random_below (self, (uint32_t)part / 2 + 1),
                                   i * part + vtr_random_below (self, (uint32_t)part / 2 + 1),
                                   vtr_random_between (self, 1, (uint32_t)part / 2) };
      two[i] = (VkBufferCopy2){ VK_STRUCTURE_TYPE_BUFFER_COPY_2, NULL, regions[i].srcOffset,
                                regions[i].dstOffset, regions[i].size };
    }
  vtr_random_barrier (self);
  vtr_random_use_buffer (self, from);
  vtr_random_use_buffer (self, to);
  if (vtr_random_chance (self, 50))
    vkCmdCopyBuffer2 (self->commands,
                      &(VkCopyBufferInfo2){ .sType = VK_STRUCTURE_TYPE_COPY_BUFFER_INFO_2,
                                            .srcBuffer = from->buffer,
                                            .dstBuffer = to->buffer,
                                            .regionCount = n,
                                            .pRegions = two });
  else
    vkCmdCopyBuffer (self->commands, from->buffer, to->buffer, n, regions);
}

static void
fill_buffer (VtrRandom *self)
{
  VtrRandomBuffer *buffer = vtr_random_buffer (self, VK_BUFFER_USAGE_TRANSFER_DST_BIT, 0, NULL);
  VkDeviceSize offset, size;
  uint32_t data[64];

  if (buffer == NULL)
    return;
  vtr_random_barrier (self);
  vtr_random_use_buffer (self, buffer);
  offset = vtr_random_below (self, (uint32_t)buffer->size / 4) * 4;
  size = vtr_random_between (self, 1, (uint32_t)(buffer->size - offset) / 4) * 4;
  if (vtr_random_chance (self, 50))
    {
      vkCmdFillBuffer (self->commands, buffer->buffer, offset,
                       vtr_random_chance (self, 20) ? VK_WHOLE_SIZE : size,
                       vtr_random_number (self));
      return;
    }
  for (uint32_t i = 0; i < 64; i++)
    data[i] = vtr_random_number (self);
  vkCmdUpdateBuffer (self->commands, buffer->buffer, offset,
                     size < sizeof data ? size : sizeof data, data);
}

/* --- Between images -------------------------------------------------------------------------- */

static VkImageLayout
both_layouts (VtrRandom      *self,
              VtrRandomImage *from,
              const Part     *source,
              VtrRandomImage *to,
              const Part     *target,
              VkImageLayout  *to_layout)
{
  const VkImageLayout from_layout = source_layout (self);

  *to_layout = target_layout (self);
  vtr_random_barrier (self);
  use (self, from, source, from_layout);
  use (self, to, target, *to_layout);
  return from_layout;
}

static void
shrink (Part *a,
        Part *b)
{
  if (a->extent.width > b->extent.width)
    a->extent.width = b->extent.width;
  if (a->extent.height > b->extent.height)
    a->extent.height = b->extent.height;
  a->extent.depth = a->layers.layerCount = b->extent.depth = b->layers.layerCount = 1;
  b->extent = a->extent;
}

static bool
can_copy (const VtrRandomImage *a,
          const VtrRandomImage *b)
{
  if (a->info.samples != b->info.samples)
    return false;
  if (a->info.imageType != b->info.imageType &&
      (a->info.imageType == VK_IMAGE_TYPE_1D || b->info.imageType == VK_IMAGE_TYPE_1D))
    return false;
  if (a->class == VTR_RANDOM_DEPTH || b->class == VTR_RANDOM_DEPTH)
    return a->info.format == b->info.format;
  return a->texel == b->texel;
}

/* Another image that @may accept. */
static VtrRandomImage *
find_other (VtrRandom *self,
            VtrRandomImage *image,
            bool (*may) (const VtrRandomImage *a,
                         const VtrRandomImage *b))
{
  for (uint32_t i = 0; i < VTR_RANDOM_MAX; i++)
    {
      VtrRandomImage *other =
        vtr_random_image (self, VK_IMAGE_USAGE_TRANSFER_DST_BIT, image);

      if (other != NULL && may (image, other))
        return other;
    }
  return NULL;
}

static void
copy_image (VtrRandom *self)
{
  VtrRandomImage *from = vtr_random_image (self, VK_IMAGE_USAGE_TRANSFER_SRC_BIT, NULL), *to;
  VkImageLayout layout, to_layout;
  VkImageAspectFlags aspect;
  VkImageCopy region;
  Part source, target;

  if (from == NULL || (to = find_other (self, from, can_copy)) == NULL)
    return;
  aspect = choose_aspect (self, from);
  source = choose_part (self, from, aspect);
  target = choose_part (self, to, aspect);
  shrink (&source, &target);
  region = (VkImageCopy){ source.layers, source.offset, target.layers, target.offset,
                          source.extent };
  layout = both_layouts (self, from, &source, to, &target, &to_layout);
  if (vtr_random_chance (self, 50))
    {
      const VkImageCopy2 two = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_COPY_2,
        .srcSubresource = region.srcSubresource,
        .srcOffset = region.srcOffset,
        .dstSubresource = region.dstSubresource,
        .dstOffset = region.dstOffset,
        .extent = region.extent,
      };

      vkCmdCopyImage2 (self->commands,
                       &(VkCopyImageInfo2){ .sType = VK_STRUCTURE_TYPE_COPY_IMAGE_INFO_2,
                                            .srcImage = from->image,
                                            .srcImageLayout = layout,
                                            .dstImage = to->image,
                                            .dstImageLayout = to_layout,
                                            .regionCount = 1,
                                            .pRegions = &two });
    }
  else
    {
      vkCmdCopyImage (self->commands, from->image, layout, to->image, to_layout, 1, &region);
    }
}

static bool
can_blit (const VtrRandomImage *a,
          const VtrRandomImage *b)
{
  if (a->info.samples != VK_SAMPLE_COUNT_1_BIT || b->info.samples != VK_SAMPLE_COUNT_1_BIT ||
      a->info.tiling != VK_IMAGE_TILING_OPTIMAL || b->info.tiling != VK_IMAGE_TILING_OPTIMAL)
    return false;
  if (a->class != b->class || a->info.imageType != b->info.imageType)
    return false;
  return a->class != VTR_RANDOM_DEPTH || a->info.format == b->info.format;
}

static void
blit_image (VtrRandom *self)
{
  VtrRandomImage *from = vtr_random_image (self, VK_IMAGE_USAGE_TRANSFER_SRC_BIT, NULL), *to;
  VkFormatProperties read, written;
  VkImageLayout layout, to_layout;
  VkImageAspectFlags aspect;
  Part source, target;
  VkImageBlit region;

  if (from == NULL || (to = find_other (self, from, can_blit)) == NULL)
    return;
  vkGetPhysicalDeviceFormatProperties (self->gpu.physical, from->info.format, &read);
  vkGetPhysicalDeviceFormatProperties (self->gpu.physical, to->info.format, &written);
  if ((read.optimalTilingFeatures & VK_FORMAT_FEATURE_BLIT_SRC_BIT) == 0 ||
      (written.optimalTilingFeatures & VK_FORMAT_FEATURE_BLIT_DST_BIT) == 0)
    return;
  aspect = choose_aspect (self, from);
  source = choose_part (self, from, aspect);
  target = choose_part (self, to, aspect);
  source.layers.layerCount = target.layers.layerCount = 1;
  region = (VkImageBlit){
    .srcSubresource = source.layers,
    .srcOffsets = { source.offset,
                    { source.offset.x + (int32_t)source.extent.width,
                      source.offset.y + (int32_t)source.extent.height,
                      source.offset.z + (int32_t)source.extent.depth } },
    .dstSubresource = target.layers,
    .dstOffsets = { target.offset,
                    { target.offset.x + (int32_t)target.extent.width,
                      target.offset.y + (int32_t)target.extent.height,
                      target.offset.z + (int32_t)target.extent.depth } },
  };
  layout = both_layouts (self, from, &source, to, &target, &to_layout);
  vkCmdBlitImage (self->commands, from->image, layout, to->image, to_layout, 1, &region,
                  from->class == VTR_RANDOM_FLOAT && vtr_random_chance (self, 50) &&
                      (read.optimalTilingFeatures &
                       VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT) != 0
                    ? VK_FILTER_LINEAR
                    : VK_FILTER_NEAREST);
}

static bool
can_resolve (const VtrRandomImage *a,
             const VtrRandomImage *b)
{
  return a->class != VTR_RANDOM_DEPTH && a->info.samples != VK_SAMPLE_COUNT_1_BIT &&
         b->info.samples == VK_SAMPLE_COUNT_1_BIT && a->info.format == b->info.format &&
         (b->info.usage & VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT) != 0 &&
         b->info.tiling == VK_IMAGE_TILING_OPTIMAL && b->info.imageType == VK_IMAGE_TYPE_2D;
}

static void
resolve_image (VtrRandom *self)
{
  VtrRandomImage *from = vtr_random_image (self, VK_IMAGE_USAGE_TRANSFER_SRC_BIT, NULL), *to;
  VkImageLayout layout, to_layout;
  VkImageResolve region;
  Part source, target;

  for (uint32_t i = 0; i < 8 && from != NULL && from->info.samples == VK_SAMPLE_COUNT_1_BIT; i++)
    from = vtr_random_image (self, VK_IMAGE_USAGE_TRANSFER_SRC_BIT, NULL);
  if (from == NULL || (to = find_other (self, from, can_resolve)) == NULL)
    return;
  source = choose_part (self, from, VK_IMAGE_ASPECT_COLOR_BIT);
  target = choose_part (self, to, VK_IMAGE_ASPECT_COLOR_BIT);
  shrink (&source, &target);
  region = (VkImageResolve){ source.layers, source.offset, target.layers, target.offset,
                             source.extent };
  layout = both_layouts (self, from, &source, to, &target, &to_layout);
  vkCmdResolveImage (self->commands, from->image, layout, to->image, to_layout, 1, &region);
}

const VtrRandomOperation vtr_random_copy_operations[] = {
  { "clear-image", "clears", 6, clear_image },
  { "upload", "copies", 8, upload },
  { "download", "copies", 6, download },
  { "copy-buffer", "copies", 6, copy_buffer },
  { "fill-buffer", "fills", 5, fill_buffer },
  { "copy-image", "copies", 8, copy_image },
  { "blit-image", "blits", 8, blit_image },
  { "resolve-image", "resolves", 6, resolve_image },
  { 0 },
};
