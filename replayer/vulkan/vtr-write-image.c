/* Fills images with the contents that they had before the recording. */
#include "vtr-vk-transfer.h"
#include "vtr-utility.h"

#include "vulkan/vtr-vulkan-formats.h"

#define MAX_WRITE_BYTES (4ull << 30)

/* Layouts are per aspect only where a layout names the aspect. */
static VkImageAspectFlags
barrier_aspects (const VtrReplayWriteImage *write,
                 const VtrPixelFormat      *format)
{
  const bool depth = vtr_pixel_format_find_plane (format, VTR_PIXEL_DEPTH) != NULL;
  const bool stencil = vtr_pixel_format_find_plane (format, VTR_PIXEL_STENCIL) != NULL;
  VkImageAspectFlags all = 0;

  if (!depth && !stencil)
    return VK_IMAGE_ASPECT_COLOR_BIT;
  switch (write->layout)
    {
    case VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL:
    case VK_IMAGE_LAYOUT_DEPTH_READ_ONLY_OPTIMAL:
    case VK_IMAGE_LAYOUT_STENCIL_ATTACHMENT_OPTIMAL:
    case VK_IMAGE_LAYOUT_STENCIL_READ_ONLY_OPTIMAL:
      return write->aspect;
    default:
      all |= depth ? VK_IMAGE_ASPECT_DEPTH_BIT : 0;
      all |= stencil ? VK_IMAGE_ASPECT_STENCIL_BIT : 0;
      return all;
    }
}

static void
write_barrier (VtrReplayVk               *vk,
               VtrTable                  *table,
               VkCommandBuffer            commands,
               const VtrReplayWriteImage *write,
               const VtrPixelFormat      *format,
               bool                       slices,
               VkImageLayout              layout,
               bool                       back)
{
  const VkImageMemoryBarrier barrier = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
    .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
    .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
    .oldLayout = back ? layout : (VkImageLayout)write->layout,
    .newLayout = back ? (VkImageLayout)write->layout : layout,
    .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
    .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
    .image = VTR_HANDLE_FROM (VkImage, write->image),
    .subresourceRange = { barrier_aspects (write, format), write->mip, 1,
                          slices ? write->z : write->layer, slices ? write->depth : 1 },
  };

  VTR_CALL (vk, table, vkCmdPipelineBarrier)
  (commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0,
   NULL, 1, &barrier);
}

/* Puts rows into the staging buffer one right behind the other. Returns: false when the source
 * holds fewer. */
static bool
stage_rows (uint8_t                   *to,
            const uint8_t             *from,
            uint64_t                   size,
            const VtrReplayWriteImage *write,
            const VtrPixelRows        *extent)
{
  uint64_t rows = extent->n_rows;
  uint64_t row = extent->row_bytes;
  uint64_t pitch = write->row_pitch < row ? row : write->row_pitch;
  uint64_t slice, at;

  if (size == extent->size || write->row_pitch == 0)
    {
      if (size < extent->size)
        return false;
      memcpy (to, from, (size_t)extent->size);
      return true;
    }
  if (__builtin_mul_overflow (pitch, rows, &slice))
    return false;
  if (write->depth_pitch > slice)
    slice = write->depth_pitch;
  for (uint64_t z = 0; z < extent->n_slices; z++)
    for (uint64_t y = 0; y < rows; y++)
      {
        if (__builtin_mul_overflow (z, slice, &at) ||
            __builtin_add_overflow (at, y * pitch, &at) || at > size || size - at < row)
          return false;
        memcpy (to + (z * rows + y) * row, from + at, (size_t)row);
      }
  return true;
}

/* Rows of the image in one of the aspect's. */
static uint32_t
row_divisor (const VtrReplayWriteImage *write,
             const VtrPixelFormat      *format)
{
  const VtrPixelPlane *plane =
    vtr_pixel_format_find_plane (format, vtr_vulkan_aspect_get (write->aspect));

  return plane != NULL ? plane->height_divisor : 1;
}

static bool
copy_image (VtrReplayVk               *vk,
            VtrTable                  *table,
            const VtrReplayWriteImage *write,
            const VtrPixelFormat      *format,
            bool                       slices,
            const VtrPixelRows        *extent)
{
  const VkBufferImageCopy region = {
    .imageSubresource = { write->aspect, write->mip, write->layer, 1 },
    .imageOffset = { (int32_t)write->x, (int32_t)(write->y / row_divisor (write, format)),
                     (int32_t)write->z },
    .imageExtent = { extent->width, extent->height, extent->depth },
  };
  VkImageLayout layout = write->layout == VK_IMAGE_LAYOUT_GENERAL
                           ? VK_IMAGE_LAYOUT_GENERAL
                           : VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
  VkCommandBuffer commands = vtr_utility_begin (vk, table, 0);

  if (commands == VK_NULL_HANDLE)
    return false;
  write_barrier (vk, table, commands, write, format, slices, layout, false);
  VTR_CALL (vk, table, vkCmdCopyBufferToImage)
  (commands, table->utility.staging, VTR_HANDLE_FROM (VkImage, write->image), layout, 1, &region);
  write_barrier (vk, table, commands, write, format, slices, layout, true);
  return vtr_utility_run (vk, table, 0);
}

static uint32_t
level_size (uint32_t size,
            uint32_t mip)
{
  return size >> mip > 0 ? size >> mip : 1;
}

/* Whether a level of the image has these texels: a trace may say anything. */
static bool
is_inside (const VtrReplayWriteImage *write,
           const VtrPixelFormat      *format,
           const VtrReplayImage      *image)
{
  const uint32_t block = format->block_extent[1], column = format->block_extent[0];
  uint32_t divisor = row_divisor (write, format);
  uint32_t width, height, depth;

  if (write->format != (uint32_t)image->format || write->mip >= image->mips || write->mip > 31 ||
      write->layer >= image->layers || write->sample >= (uint32_t)image->samples)
    return false;
  width = level_size (image->extent.width, write->mip);
  height = level_size (image->extent.height, write->mip);
  depth = level_size (image->extent.depth, write->mip);
  /* In multisampled and planar images, only whole rows are filled. */
  if ((image->samples != VK_SAMPLE_COUNT_1_BIT || vtr_pixel_format_is_planar (format)) &&
      write->width != width)
    return false;
  return write->width > 0 && write->x <= width && write->width <= width - write->x &&
         write->x % column == 0 && write->height > 0 &&
         write->y <= height && write->height <= height - write->y && write->depth > 0 &&
         write->z <= depth && write->depth <= depth - write->z && write->y % block == 0 &&
         write->y % divisor == 0;
}

static bool
write_image (VtrReplayVk               *vk,
             const VtrReplayWriteImage *write,
             const uint8_t             *source,
             uint64_t                   size)
{
  const VtrPixelFormat *format = vtr_vulkan_format_get (write->format);
  VtrReplayObject *image = vtr_objects_need (vk, VTR_HANDLE_VkImage, write->image);
  VtrTable *table = vtr_table_of (vk, VTR_HANDLE_VkDevice, write->device);
  VtrPixelRows extent;
  int known = vtr_vulkan_format_get_rows (write->format, write->aspect, write->width, write->height,
                                          write->depth, &extent);

  if (image == NULL || table == NULL)
    return false;
  if (format == NULL || known <= 0 || extent.size == 0 || extent.size > MAX_WRITE_BYTES ||
      !is_inside (write, format, &image->info.image))
    {
      vtr_vm_fail (vk->vm, VTR_VM_ERROR_PAYLOAD,
                   "An image of format %u, aspect 0x%x, %u × %u × %u cannot be filled.",
                   write->format, write->aspect, write->width, write->height, write->depth);
      return false;
    }
  if (image->info.image.samples == VK_SAMPLE_COUNT_1_BIT &&
      (image->info.image.usage & VK_IMAGE_USAGE_TRANSFER_DST_BIT) == 0)
    {
      vtr_vm_fail (vk->vm, VTR_VM_ERROR_UNSUPPORTED,
                   "An image of format %u cannot be filled on this device.", write->format);
      return false;
    }
  if (!vtr_table_wait (vk, table))
    return false;
  if (!vtr_utility_stage (vk, table, extent.size))
    return false;
  if (!stage_rows (table->utility.staging_map, source, size, write, &extent))
    {
      vtr_vm_fail (vk->vm, VTR_VM_ERROR_TRACE,
                   "The content of an image of %u × %u × %u texels has only %llu bytes.",
                   write->width, write->height, write->depth, (unsigned long long)size);
      return false;
    }
  if (!vtr_utility_deliver (vk, table))
    return false;
  return image->info.image.samples == VK_SAMPLE_COUNT_1_BIT
           ? copy_image (vk, table, write, format, image->info.image.slices, &extent)
           : vtr_write_sample (vk, table, write, &image->info.image);
}

void
vtr_write_texels (void                       *data,
                  const VtrReplayWriteTexels *texels,
                  const void                 *source,
                  uint64_t                    size)
{
  const VtrReplayWriteImage write = vtr_vulkan_image_to_write (texels);

  write_image (data, &write, source, size);
}
