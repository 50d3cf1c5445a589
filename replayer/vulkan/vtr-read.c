/* Reads images, buffers and memory in their current state, and posts them to the engine. */
#include "vtr-vk-transfer.h"
#include "vtr-scatter.h"
#include "vtr-utility.h"
#include "vtr-vk-memory.h"
#include "vtr-vk-sync.h"

#include "vulkan/vtr-vulkan-formats.h"

#define MAX_READ_BYTES (4ull << 30)

static VtrTable *
read_device (VtrReplayVk *vk,
             uint64_t     device)
{
  VtrTable *table = vtr_table_of (vk, VTR_HANDLE_VkDevice, device);

  return table != NULL && vtr_sync_check (vk) && vtr_table_wait (vk, table) ? table : NULL;
}

/* Posts the first @size bytes of the staging buffer. */
static bool
read_post_staging (VtrReplayVk *vk,
                   VtrTable    *table,
                   uint64_t     id,
                   uint64_t     size)
{
  uint8_t *to;

  if (!vtr_utility_collect (vk, table))
    return false;
  to = vk->host.post (vk->host.data, id, size);
  if (to == NULL)
    return false;
  memcpy (to, table->utility.staging_map, (size_t)size);
  return true;
}

/* --- Images ---------------------------------------------------------------------------------- */

/* Layouts are per aspect only where a layout names the aspect. */
static VkImageAspectFlags
barrier_aspects (const VtrReplayReadImage *read)
{
  const VtrPixelFormat *info = vtr_vulkan_format_get (read->format);
  const bool depth = vtr_pixel_format_find_plane (info, VTR_PIXEL_DEPTH) != NULL;
  const bool stencil = vtr_pixel_format_find_plane (info, VTR_PIXEL_STENCIL) != NULL;
  VkImageAspectFlags both = 0;

  if (!depth && !stencil)
    return VK_IMAGE_ASPECT_COLOR_BIT; /* of all planes, unless they are disjoint */
  switch (read->layout)
    {
    case VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL:
    case VK_IMAGE_LAYOUT_DEPTH_READ_ONLY_OPTIMAL:
    case VK_IMAGE_LAYOUT_STENCIL_ATTACHMENT_OPTIMAL:
    case VK_IMAGE_LAYOUT_STENCIL_READ_ONLY_OPTIMAL:
      return read->aspect;
    default:
      both |= depth ? VK_IMAGE_ASPECT_DEPTH_BIT : 0;
      both |= stencil ? VK_IMAGE_ASPECT_STENCIL_BIT : 0;
      return both;
    }
}

/* In which @read's image is copied from. */
static VkImageLayout
layout_to_read (const VtrReplayReadImage *read)
{
  return read->layout == VK_IMAGE_LAYOUT_GENERAL ||
             read->layout == VK_IMAGE_LAYOUT_SHARED_PRESENT_KHR
           ? (VkImageLayout)read->layout
           : VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
}

void
vtr_read_barrier (VtrReplayVk              *vk,
                  VtrTable                 *table,
                  VkCommandBuffer           commands,
                  const VtrReplayReadImage *read,
                  VkImageLayout             layout,
                  bool                      back)
{
  const VtrReplayObject *image = vtr_objects_find (vk, VTR_HANDLE_VkImage, read->image);
  const bool slices = image != NULL && image->info.image.slices;
  VkImageMemoryBarrier barrier = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
    .srcAccessMask = back ? 0 : VK_ACCESS_MEMORY_WRITE_BIT,
    .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | (back ? VK_ACCESS_MEMORY_WRITE_BIT : 0),
    .oldLayout = back ? layout : (VkImageLayout)read->layout,
    .newLayout = back ? (VkImageLayout)read->layout : layout,
    .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
    .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
    .image = VTR_HANDLE_FROM (VkImage, read->image),
    .subresourceRange = { barrier_aspects (read), read->mip, 1,
                          slices ? read->slice : read->layer, slices ? read->depth : 1 },
  };

  /* No transition can go back to these layouts; one that starts from them ignores the contents, or
   * needs only the host's writes. */
  if (back && (read->layout == VK_IMAGE_LAYOUT_UNDEFINED ||
               read->layout == VK_IMAGE_LAYOUT_PREINITIALIZED))
    return;
  VTR_CALL (vk, table, vkCmdPipelineBarrier)
  (commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0,
   NULL, 1, &barrier);
}

static void
barrier_to_host (VtrReplayVk     *vk,
                 VtrTable        *table,
                 VkCommandBuffer  commands)
{
  VkMemoryBarrier barrier = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
    .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
    .dstAccessMask = VK_ACCESS_HOST_READ_BIT,
  };

  VTR_CALL (vk, table, vkCmdPipelineBarrier)
  (commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0, NULL, 0,
   NULL);
}

/* A single-sampled copy of a multisampled level. */
typedef struct
{
  VkImage image;
  VkDeviceMemory memory;
} Resolved;

static VkResult
resolved_init (Resolved                 *self,
               VtrReplayVk              *vk,
               VtrTable                 *table,
               const VtrReplayReadImage *read)
{
  VkImageCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
    .imageType = VK_IMAGE_TYPE_2D,
    .format = (VkFormat)read->format,
    .extent = { read->width, read->height, 1 },
    .mipLevels = 1,
    .arrayLayers = 1,
    .samples = VK_SAMPLE_COUNT_1_BIT,
    .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
  };
  VkMemoryRequirements requirements;
  VkMemoryAllocateInfo allocate = { .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO };
  VkResult result = VTR_CALL (vk, table, vkCreateImage) (table->device, &info, NULL, &self->image);

  if (result < 0)
    return result;
  VTR_CALL (vk, table, vkGetImageMemoryRequirements)
  (table->device, self->image, &requirements);
  allocate.allocationSize = requirements.size;
  allocate.memoryTypeIndex = vtr_memory_find_type (table, requirements.memoryTypeBits, 0,
                                                   VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
  result = VTR_CALL (vk, table, vkAllocateMemory) (table->device, &allocate, NULL, &self->memory);
  if (result < 0)
    return result;
  return VTR_CALL (vk, table, vkBindImageMemory) (table->device, self->image, self->memory, 0);
}

static void
resolved_finish (Resolved    *self,
                 VtrReplayVk *vk,
                 VtrTable    *table)
{
  if (self->image != VK_NULL_HANDLE)
    VTR_CALL (vk, table, vkDestroyImage)
  (table->device, self->image, NULL);
  if (self->memory != VK_NULL_HANDLE)
    VTR_CALL (vk, table, vkFreeMemory)
  (table->device, self->memory, NULL);
}

static void
resolved_record (Resolved                 *self,
                 VtrReplayVk              *vk,
                 VtrTable                 *table,
                 VkCommandBuffer           commands,
                 const VtrReplayReadImage *read)
{
  VkImageMemoryBarrier barrier = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
    .dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
    .newLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
    .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
    .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
    .image = self->image,
    .subresourceRange = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1 },
  };
  VkImageResolve region = {
    .srcSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, read->mip, read->layer, 1 },
    .dstSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
    .extent = { read->width, read->height, 1 },
  };

  VTR_CALL (vk, table, vkCmdPipelineBarrier)
  (commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, NULL, 0, NULL,
   1, &barrier);
  VTR_CALL (vk, table, vkCmdResolveImage)
  (commands, VTR_HANDLE_FROM (VkImage, read->image), layout_to_read (read), self->image,
   VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
  barrier.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
  barrier.dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT;
  barrier.oldLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
  barrier.newLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
  VTR_CALL (vk, table, vkCmdPipelineBarrier)
  (commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, NULL, 0, NULL, 1,
   &barrier);
}

/* Copies the level, resolved if it is multisampled, into the staging buffer. */
static bool
read_image_copy (VtrReplayVk              *vk,
                 VtrTable                 *table,
                 const VtrReplayReadImage *read,
                 const VtrPixelRows       *extent)
{
  bool resolve = read->samples > 1;
  Resolved resolved = { 0 };
  VkBufferImageCopy region = {
    .imageSubresource = { read->aspect, read->mip, read->layer, 1 },
    .imageOffset = { 0, 0, (int32_t)read->slice },
    .imageExtent = { extent->width, extent->height, extent->depth },
  };
  VkImage from = VTR_HANDLE_FROM (VkImage, read->image);
  VkImageLayout layout = layout_to_read (read);
  VkCommandBuffer commands;
  bool fine = false;
  VkResult result;

  if (resolve)
    {
      result = resolved_init (&resolved, vk, table, read);
      if (result < 0)
        {
          vtr_replay_vk_failed (vk, "Preparing to resolve an image", result);
          goto out;
        }
    }
  commands = vtr_utility_begin (vk, table, read->queue);
  if (commands == VK_NULL_HANDLE)
    goto out;
  vtr_read_barrier (vk, table, commands, read, layout, false);
  if (resolve)
    {
      resolved_record (&resolved, vk, table, commands, read);
      from = resolved.image;
      region.imageSubresource.mipLevel = region.imageSubresource.baseArrayLayer = 0;
    }
  VTR_CALL (vk, table, vkCmdCopyImageToBuffer)
  (commands, from, resolve ? VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL : layout, table->utility.staging,
   1, &region);
  vtr_read_barrier (vk, table, commands, read, layout, true);
  barrier_to_host (vk, table, commands);
  fine = vtr_utility_run (vk, table, read->queue);

out:
  resolved_finish (&resolved, vk, table);
  return fine;
}

static bool
read_image (VtrReplayVk              *vk,
            const VtrReplayReadImage *read)
{
  VtrPixelRows extent;
  VtrTable *table;
  int known;

  known = vtr_vulkan_format_get_rows (read->format, read->aspect, read->width, read->height,
                                      read->depth, &extent);
  if (known == 0)
    {
      vtr_vm_fail (vk->vm, VTR_VM_ERROR_UNSUPPORTED, "Images of format %u have no aspect 0x%x.",
                   read->format, read->aspect);
      return false;
    }
  if (known < 0 || extent.size > MAX_READ_BYTES || extent.size == 0)
    {
      vtr_vm_fail (vk->vm, VTR_VM_ERROR_PAYLOAD, "An image of %u × %u × %u cannot be read.",
                   read->width, read->height, read->depth);
      return false;
    }
  if (vtr_objects_need (vk, VTR_HANDLE_VkImage, read->image) == NULL)
    return false;
  table = read_device (vk, read->device);
  if (table == NULL)
    return false;
  if (read->samples > 1 &&
      (read->sample != UINT32_MAX || read->aspect != VK_IMAGE_ASPECT_COLOR_BIT))
    return vtr_read_sample (vk, table, read, extent.size) &&
           read_post_staging (vk, table, read->post, extent.size);
  return vtr_utility_stage (vk, table, extent.size) &&
         read_image_copy (vk, table, read, &extent) &&
         read_post_staging (vk, table, read->post, extent.size);
}

void
vtr_read_texels (void                      *data,
                 const VtrReplayReadTexels *texels)
{
  const VtrReplayReadImage read = vtr_vulkan_image_to_read (texels);

  read_image (data, &read);
}

/* --- Buffers and memory ---------------------------------------------------------------------- */

/* Resolves .size of UINT64_MAX and checks the range. Returns: false after vtr_vm_fail(). */
static bool
read_clip (VtrReplayVk        *vk,
           VtrReplayReadBytes *read,
           uint64_t            size)
{
  if (read->offset <= size && read->size == UINT64_MAX)
    read->size = size - read->offset;
  if (read->offset <= size && read->size <= size - read->offset && read->size <= MAX_READ_BYTES)
    return true;
  vtr_vm_fail (vk->vm, VTR_VM_ERROR_PAYLOAD,
               "%llu bytes at offset %llu lie outside an object of %llu bytes.",
               (unsigned long long)read->size, (unsigned long long)read->offset,
               (unsigned long long)size);
  return false;
}

static bool
read_copy_buffer (VtrReplayVk              *vk,
                  VtrTable                 *table,
                  VkBuffer                  buffer,
                  const VtrReplayReadBytes *read)
{
  VkBufferCopy region = { read->offset, 0, read->size };
  VkMemoryBarrier barrier = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
    .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
    .dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT,
  };
  VkCommandBuffer commands;

  if (!vtr_utility_stage (vk, table, read->size))
    return false;
  commands = vtr_utility_begin (vk, table, read->stream);
  if (commands == VK_NULL_HANDLE)
    return false;
  VTR_CALL (vk, table, vkCmdPipelineBarrier)
  (commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 1, &barrier, 0,
   NULL, 0, NULL);
  VTR_CALL (vk, table, vkCmdCopyBuffer)
  (commands, buffer, table->utility.staging, 1, &region);
  barrier_to_host (vk, table, commands);
  return vtr_utility_run (vk, table, read->stream) &&
         read_post_staging (vk, table, read->post, read->size);
}

static void
read_buffer (VtrReplayVk        *vk,
             VtrReplayReadBytes *read)
{
  const VtrReplayObject *buffer = vtr_objects_need (vk, VTR_HANDLE_VkBuffer, read->object);
  VtrTable *table;

  if (buffer == NULL || !read_clip (vk, read, buffer->info.buffer.size) || read->size == 0)
    return;
  table = read_device (vk, read->owner);
  if (table != NULL)
    read_copy_buffer (vk, table, VTR_HANDLE_FROM (VkBuffer, read->object), read);
}

static bool
read_mapped_memory (VtrReplayVk              *vk,
                    VtrReplayObject          *memory,
                    const VtrReplayReadBytes *read)
{
  const uint8_t *map = vtr_memory_map (vk, memory);
  VkResult result;
  uint8_t *to;

  if (map == NULL)
    return false;
  result = vtr_memory_invalidate (vk, memory, read->offset, read->size);
  if (result < 0)
    return vtr_replay_vk_failed (vk, "Reading memory", result);
  to = vk->host.post (vk->host.data, read->post, read->size);
  if (to == NULL)
    return false;
  memcpy (to, map + read->offset, (size_t)read->size);
  return true;
}

static bool
read_scattered_memory (VtrReplayVk              *vk,
                       VtrReplayObject          *memory,
                       const VtrReplayReadBytes *read)
{
  uint8_t *to = vk->host.post (vk->host.data, read->post, read->size);

  return to != NULL && vtr_scatter_read (vk, memory, read->offset, to, read->size);
}

/* Lays a buffer over memory that cannot be mapped. */
static bool
read_device_memory (VtrReplayVk              *vk,
                    VtrTable                 *table,
                    VtrReplayObject          *memory,
                    const VtrReplayReadBytes *read)
{
  VkBufferCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
    .size = memory->info.memory.size,
    .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
  };
  VkBuffer buffer = VK_NULL_HANDLE;
  VkMemoryRequirements requirements;
  bool fine = false;
  VkResult result = VTR_CALL (vk, table, vkCreateBuffer) (table->device, &info, NULL, &buffer);

  if (result < 0)
    return vtr_replay_vk_failed (vk, "Reading memory", result);
  VTR_CALL (vk, table, vkGetBufferMemoryRequirements)
  (table->device, buffer, &requirements);
  if (memory->info.memory.dedicated || requirements.size > memory->info.memory.size ||
      (requirements.memoryTypeBits >> memory->info.memory.type & 1) == 0)
    vtr_vm_fail (vk->vm, VTR_VM_ERROR_UNSUPPORTED,
                 "This memory belongs to one image and cannot be read as bytes.");
  else
    {
      result = VTR_CALL (vk, table, vkBindBufferMemory) (
        table->device, buffer, VTR_HANDLE_FROM (VkDeviceMemory, memory->handle), 0);
      fine = result < 0 ? vtr_replay_vk_failed (vk, "Reading memory", result)
                        : read_copy_buffer (vk, table, buffer, read);
    }
  VTR_CALL (vk, table, vkDestroyBuffer)
  (table->device, buffer, NULL);
  return fine;
}

static void
read_memory (VtrReplayVk        *vk,
             VtrReplayReadBytes *read)
{
  VtrReplayObject *memory = vtr_objects_need (vk, VTR_HANDLE_VkDeviceMemory, read->object);
  VtrTable *table;

  if (memory == NULL || !read_clip (vk, read, memory->info.memory.size) || read->size == 0)
    return;
  table = read_device (vk, read->owner);
  if (table == NULL)
    return;
  if (memory->info.memory.scatter != NULL)
    read_scattered_memory (vk, memory, read);
  else if (vtr_memory_is_host_visible (memory))
    read_mapped_memory (vk, memory, read);
  else
    read_device_memory (vk, table, memory, read);
}

void
vtr_read_bytes (void                     *data,
                const VtrReplayReadBytes *bytes)
{
  VtrReplayReadBytes read = *bytes;

  if (read.kind == VTR_HANDLE_VkBuffer)
    read_buffer (data, &read);
  else
    read_memory (data, &read);
}
