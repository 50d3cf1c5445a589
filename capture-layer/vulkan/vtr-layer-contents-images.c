/* Copies the texels of every subresource of an image whose contents matter. */
#include "vtr-layer-changes.h"
#include "vtr-layer-contents-private.h"
#include "vtr-layer-live-state.h"

#include "vulkan/vtr-vulkan-formats.h"

#define DEPTH VK_IMAGE_ASPECT_DEPTH_BIT
#define STENCIL VK_IMAGE_ASPECT_STENCIL_BIT

/* ---- Parts ---- */

bool
vtr_contents_next_part (const VtrContentsPart *whole,
                        uint64_t               limit,
                        VtrContentsPart       *part)
{
  uint64_t rows = (whole->height + whole->block_height - 1) / whole->block_height;
  uint64_t row = whole->size / (rows * whole->depth);
  uint64_t slice = row * rows;
  VtrContentsPart next = *whole;

  if (part->size > 0)
    {
      next.at = part->at + part->size;
      next.y = part->y + part->height;
      next.z = part->z;
      if (next.y == whole->y + whole->height)
        {
          next.y = whole->y;
          next.z += part->depth;
        }
    }
  next.depth = whole->z + whole->depth - next.z;
  if (next.depth == 0)
    return false;

  if (next.y == whole->y && slice <= limit)
    next.depth = limit / slice < next.depth ? (uint32_t)(limit / slice) : next.depth;
  else
    {
      uint64_t n = limit / row > 0 ? limit / row * whole->block_height : whole->block_height;

      next.depth = 1;
      next.height = whole->y + whole->height - next.y;
      if (n < next.height)
        next.height = (uint32_t)n;
      rows = (next.height + whole->block_height - 1) / whole->block_height;
    }
  next.size = row * rows * next.depth;
  *part = next;
  return true;
}

/* ---- Aspects ---- */

/* Returns: how many; as .layouts has them. */
static uint32_t
list_aspects (const VtrPixelFormat  *format,
              VkImageAspectFlagBits  out[3])
{
  for (uint32_t i = 0; i < format->n_planes; i++)
    out[i] = vtr_vulkan_aspect_of ((VtrPixelAspect)format->planes[i].kind);
  return format->n_planes;
}

static VkImageLayout
layout_of (const VtrLayerLiveImage *image,
           uint32_t                 aspect,
           uint32_t                 layer,
           uint32_t                 mip)
{
  if (aspect >= image->n_aspects)
    return VK_IMAGE_LAYOUT_UNDEFINED;
  return image->layouts[((size_t)aspect * image->n_layers + layer) * image->info.mipLevels + mip];
}

/* Barriers name all aspects together, unless each has a layout of its own. */
static VkImageAspectFlags
barrier_aspects (const VtrLayerLiveImage     *image,
                 const VkImageAspectFlagBits *aspects,
                 uint32_t                     n,
                 uint32_t                     aspect,
                 uint32_t                     layer,
                 uint32_t                     mip)
{
  VkImageAspectFlags all = 0;

  for (uint32_t i = 0; i < n; i++)
    {
      if (layout_of (image, i, layer, mip) != layout_of (image, aspect, layer, mip))
        return aspects[aspect];
      all |= aspects[i];
    }
  return (all & (DEPTH | STENCIL)) != 0 ? all : VK_IMAGE_ASPECT_COLOR_BIT;
}

/* ---- Copies ---- */

void
vtr_contents_put_barrier (VtrContents           *self,
                          VkCommandBuffer        commands,
                          const VtrContentsPart *part,
                          VkImageAspectFlags     aspects,
                          VkImageLayout          from,
                          VkImageLayout          to)
{
  const VkImageMemoryBarrier barrier = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
    .srcAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
    .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
    .oldLayout = from,
    .newLayout = to,
    .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
    .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
    .image = part->image->image,
    .subresourceRange = { aspects, part->mip, 1, part->image->slices ? part->z : part->layer,
                          part->image->slices ? part->depth : 1 },
  };

  if (from != to)
    self->device->next.CmdPipelineBarrier (commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                                           VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL,
                                           1, &barrier);
}

bool
vtr_contents_copy_part (VtrContents           *self,
                        size_t                 queue,
                        const VtrContentsPart *wanted,
                        VkImageAspectFlags     aspects)
{
  VtrContentsPart part = *wanted;
  VkCommandBuffer commands = vtr_contents_begin (self, queue, &part);
  VkImageLayout layout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
  const VkBufferImageCopy region = {
    .bufferOffset = part.at,
    .imageSubresource = { part.aspect, part.mip, part.layer, 1 },
    .imageOffset = { (int32_t)part.x, (int32_t)part.y, (int32_t)part.z },
    .imageExtent = { part.width, part.height, part.depth },
  };

  if (commands == VK_NULL_HANDLE)
    return false;
  if (part.layout == VK_IMAGE_LAYOUT_GENERAL || part.layout == VK_IMAGE_LAYOUT_SHARED_PRESENT_KHR)
    layout = part.layout;
  vtr_contents_put_barrier (self, commands, &part, aspects, part.layout, layout);
  self->device->next.CmdCopyImageToBuffer (commands, part.image->image, layout,
                                           self->gpu.staging.readback.buffer, 1, &region);
  vtr_contents_put_barrier (self, commands, &part, aspects, layout, part.layout);
  return true;
}

/* Describes a whole subresource. Returns: false when the format has no such aspect. */
static bool
describe (const VtrLayerLiveImage *image,
          const VtrPixelFormat    *format,
          VtrContentsPart         *part)
{
  uint32_t width = image->info.extent.width >> part->mip;
  uint32_t height = image->info.extent.height >> part->mip;
  uint32_t depth = image->info.extent.depth >> part->mip;
  const VtrPixelAspect aspect = vtr_vulkan_aspect_get (part->aspect);
  VtrPixelRows rows;

  part->level_width = width > 0 ? width : 1;
  part->level_height = height > 0 ? height : 1;
  if (vtr_pixel_format_get_rows (format, aspect, part->level_width, part->level_height,
                                 depth > 0 ? depth : 1, &rows) <= 0 ||
      rows.size == 0)
    return false;
  part->width = rows.width;
  part->height = rows.height;
  part->depth = rows.depth;
  part->size = rows.size;
  part->divisor = vtr_pixel_format_find_plane (format, aspect)->height_divisor;
  part->block_height = rows.format->block_extent[1];
  return true;
}

static VkMemoryPropertyFlags
memory_flags (const VtrContents       *self,
              const VtrLayerLiveImage *image)
{
  const VkPhysicalDeviceMemoryProperties *properties = &self->device->memory.properties;

  for (size_t i = 0; i < self->world->n_memory; i++)
    if (self->world->memory[i].memory == image->memory &&
        self->world->memory[i].type < properties->memoryTypeCount)
      return properties->memoryTypes[self->world->memory[i].type].propertyFlags;
  return 0;
}

/* Bytes of linear images that the CPU can write are in their memory's; copies say more only where
 * the CPU may not write. */
static bool
is_in_memory (const VtrContents       *self,
              const VtrLayerLiveImage *image,
              VkImageLayout            layout)
{
  return image->info.tiling == VK_IMAGE_TILING_LINEAR &&
         (layout == VK_IMAGE_LAYOUT_GENERAL || layout == VK_IMAGE_LAYOUT_PREINITIALIZED) &&
         (memory_flags (self, image) & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) != 0;
}

static bool
leave_for_later (VtrContents           *self,
                 size_t                 queue,
                 const VtrContentsPart *part,
                 VkImageAspectFlags     aspects)
{
  const VtrContentsLate late = { *part, aspects, queue };

  vtr_buffer_append (&self->late, &late, sizeof late);
  return !self->late.failed || vtr_contents_fail (self, "The program has no memory left.");
}

static bool
read_subresource (VtrContents           *self,
                  size_t                 queue,
                  const VtrContentsPart *whole,
                  VkImageAspectFlags     aspects)
{
  const uint64_t limit = whole->image->late ? VTR_CONTENTS_PIECE : VTR_CONTENTS_STAGING;
  VtrContentsPart part = { 0 };

  if (whole->image->info.samples != VK_SAMPLE_COUNT_1_BIT)
    return vtr_contents_read_samples (self, queue, whole, aspects);
  while (vtr_contents_next_part (whole, limit, &part))
    if (!(whole->image->late ? leave_for_later : vtr_contents_copy_part) (self, queue, &part,
                                                                          aspects))
      return false;
  return true;
}

/* Whether bytes of a sparse image are bound for all tiles, wherever they are. */
static bool
is_bound_as_a_whole (const VtrLayerLiveImage *image)
{
  for (size_t i = 0; i < image->n_ranges; i++)
    if (!vtr_layer_sparse_is_tail (image->sparse, &image->ranges[i]))
      return true;
  return false;
}

/* Returns: true when the subresource is to be read tile by tile. */
static bool
has_tiles (const VtrLayerLiveImage *image,
           const VtrContentsPart   *whole)
{
  return image->sparse != NULL && vtr_layer_sparse_may_have_holes (image->sparse) &&
         image->info.samples == VK_SAMPLE_COUNT_1_BIT && !is_bound_as_a_whole (image) &&
         whole->mip < vtr_layer_sparse_get_tail (image->sparse, whole->aspect);
}

/* The tiles that are bound, as many as lie beside each other at once. */
static bool
read_tiles (VtrContents           *self,
            size_t                 queue,
            const VtrContentsPart *whole,
            VkImageAspectFlags     aspects)
{
  const VtrLayerLiveImage *image = whole->image;

  for (size_t i = 0; i < image->n_tiles; i++)
    {
      const VkSparseImageMemoryBind *tile = &image->tiles[i];
      const uint32_t first = (uint32_t)tile->offset.z, end = first + tile->extent.depth;
      const uint32_t whole_end = whole->z + whole->depth;
      VtrContentsPart part = *whole;
      VtrPixelRows rows;

      if ((tile->subresource.aspectMask & whole->aspect) == 0 ||
          tile->subresource.mipLevel != whole->mip ||
          tile->subresource.arrayLayer != whole->layer || first >= whole_end || end <= whole->z)
        continue;
      part.tile = true;
      part.x = (uint32_t)tile->offset.x;
      part.y = (uint32_t)tile->offset.y;
      part.z = first > whole->z ? first : whole->z;
      part.width = tile->extent.width;
      part.height = tile->extent.height;
      part.depth = (end < whole_end ? end : whole_end) - part.z;
      while (i + 1 < image->n_tiles && tile[1].subresource.mipLevel == whole->mip &&
             tile[1].subresource.arrayLayer == whole->layer &&
             tile[1].subresource.aspectMask == tile->subresource.aspectMask &&
             tile[1].offset.y == tile->offset.y && tile[1].offset.z == tile->offset.z &&
             (uint32_t)tile[1].offset.x == part.x + part.width)
        {
          tile = &image->tiles[++i];
          part.width += tile->extent.width;
        }
      if (vtr_vulkan_format_get_rows (image->info.format, part.aspect, part.width, part.height,
                                      part.depth, &rows) <= 0)
        continue;
      part.size = rows.size;
      if (!read_subresource (self, queue, &part, aspects))
        return false;
    }
  return true;
}

/* The part of a level that is read at once, from @layer on: a layer, or slices that are in one
 * layout. Returns: the number of layers or slices. */
static uint32_t
take_layers (const VtrLayerLiveImage *image,
             uint32_t                 nth,
             uint32_t                 layer,
             VtrContentsPart         *whole)
{
  const uint32_t end = vtr_layer_count_layers (image->slices, image->n_layers, whole->mip);
  uint32_t n = 1;

  whole->layout = layout_of (image, nth, layer, whole->mip);
  if (!image->slices)
    {
      whole->layer = layer;
      return 1;
    }
  while (layer + n < end && layout_of (image, nth, layer + n, whole->mip) == whole->layout)
    n++;
  whole->z = layer;
  return n;
}

static bool
read_aspect (VtrContents                 *self,
             const VtrLayerLiveImage     *image,
             const VtrPixelFormat        *format,
             const VkImageAspectFlagBits *aspects,
             uint32_t                     n_aspects,
             uint32_t                     nth,
             size_t                       queue)
{
  for (uint32_t mip = 0; mip < image->info.mipLevels; mip++)
    {
      const uint32_t end = vtr_layer_count_layers (image->slices, image->n_layers, mip);
      uint32_t n;

      for (uint32_t layer = 0; layer < end; layer += n)
        {
          VtrContentsPart whole = { .image = image, .aspect = aspects[nth], .mip = mip };
          VkImageAspectFlags together;

          n = take_layers (image, nth, layer, &whole);
          if (whole.layout == VK_IMAGE_LAYOUT_UNDEFINED ||
              whole.layout == VK_IMAGE_LAYOUT_PREINITIALIZED ||
              is_in_memory (self, image, whole.layout) || !describe (image, format, &whole))
            continue;
          if (image->slices)
            {
              whole.size = whole.size / whole.depth * n;
              whole.depth = n;
            }
          together = barrier_aspects (image, aspects, n_aspects, nth, layer, mip);
          if (!(has_tiles (image, &whole) ? read_tiles : read_subresource) (self, queue, &whole,
                                                                            together))
            return false;
        }
    }
  return true;
}

/* Why an image cannot be read; NULL: it can. */
static const char *
find_obstacle (const VtrContents       *self,
               const VtrLayerLiveImage *image,
               const VtrPixelFormat    *format)
{
  VkImageUsageFlags usage = image->info.usage;

  if (!image->swapchain)
    usage = vtr_layer_change_image_usage (self->device, &image->info);
  if (!image->usable)
    return "not all of its memory is bound";
  if (format == NULL)
    return "its format is not known";
  if (image->info.samples != VK_SAMPLE_COUNT_1_BIT)
    return (usage & VK_IMAGE_USAGE_SAMPLED_BIT) == 0 ? "it is multisampled and cannot be sampled"
                                                     : NULL;
  return (usage & VK_IMAGE_USAGE_TRANSFER_SRC_BIT) == 0 ? "the driver does not let it be copied"
                                                        : NULL;
}

/* The work of a queue to read an image. */
static VkQueueFlags
needed_queue (const VtrLayerLiveImage *image,
              VkImageAspectFlagBits    aspect)
{
  bool color = (aspect & (DEPTH | STENCIL)) == 0;

  if (image->info.samples == VK_SAMPLE_COUNT_1_BIT)
    return color ? 0 : VK_QUEUE_GRAPHICS_BIT;
  return color ? VK_QUEUE_GRAPHICS_BIT : VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT;
}

/* Whether anything of it counts. */
static bool
has_content (const VtrLayerLiveImage *image)
{
  size_t n = (size_t)image->n_aspects * image->n_layers * image->info.mipLevels;

  if (image->swapchain && !image->acquired)
    return false;
  for (size_t i = 0; i < n; i++)
    if (image->layouts[i] != VK_IMAGE_LAYOUT_UNDEFINED &&
        image->layouts[i] != VK_IMAGE_LAYOUT_PREINITIALIZED)
      return true;
  return false;
}

/* The bytes of an image that is read in another way, or that has no content, are not needed. An
 * image that nothing can read (a transient one) may be in memory that the CPU can read: its
 * bytes are right for the same driver. */
bool
vtr_contents_is_opaque (const VtrContents       *self,
                        const VtrLayerLiveImage *image)
{
  return image->info.tiling != VK_IMAGE_TILING_LINEAR &&
         (!has_content (image) ||
          find_obstacle (self, image, vtr_vulkan_format_get (image->info.format)) == NULL);
}

bool
vtr_contents_can_copy (const VtrContents       *self,
                       const VtrLayerLiveImage *image)
{
  const VtrPixelFormat *format = vtr_vulkan_format_get (image->info.format);
  VkImageAspectFlagBits aspects[3];

  return has_content (image) && find_obstacle (self, image, format) == NULL &&
         list_aspects (format, aspects) > 0 &&
         vtr_contents_find_queue (self, image->owner, needed_queue (image, aspects[0])) != 0;
}

static bool
read_image (VtrContents             *self,
            const VtrLayerLiveImage *image)
{
  const VtrPixelFormat *format = vtr_vulkan_format_get (image->info.format);
  VkImageAspectFlagBits aspects[3];
  const char *why;
  uint32_t n;
  size_t queue;

  if (!has_content (image))
    return true;
  why = find_obstacle (self, image, format);
  if (why != NULL)
    {
      /* Lazily allocated memory has nothing between passes. */
      if ((memory_flags (self, image) & (VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                         VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT)) == 0)
        vtr_contents_leave_out (self, why);
      return true;
    }
  n = list_aspects (format, aspects);
  queue = vtr_contents_find_queue (self, image->owner, needed_queue (image, aspects[0]));
  if (queue == 0)
    {
      vtr_contents_leave_out (self, "the queues that own it cannot copy it");
      return true;
    }
  for (uint32_t i = 0; i < n; i++)
    if (!read_aspect (self, image, format, aspects, n, i, queue))
      return false;
  return true;
}

bool
vtr_contents_write_images (VtrContents *self)
{
  for (size_t i = 0; i < self->world->n_images; i++)
    if (!read_image (self, &self->world->images[i]))
      return false;
  return vtr_contents_run (self);
}
