/* Notes the ranges of memory that a command buffer is known to write exactly. */
#include "engine/vulkan/transforms/vtr-gpu-writes-private.h"
#include "engine/vulkan/state/vtr-newer-form.h"
#include "vulkan/vtr-vulkan-formats.h"


#define MOST_SLICES 4096u /* of one copy that are followed */

static GArray *
writes_of (VtrGpuWrites    *self,
           VkCommandBuffer  command_buffer)
{
  GArray *writes = g_hash_table_lookup (self->recorded, command_buffer);

  if (writes == NULL)
    {
      writes = g_array_new (FALSE, FALSE, sizeof (VtrGpuWrite));
      g_hash_table_insert (self->recorded, command_buffer, writes);
    }
  return writes;
}

static void
add_write (VtrGpuWrites    *self,
           VkCommandBuffer  command_buffer,
           VkBuffer         handle,
           VkDeviceSize     offset,
           VkDeviceSize     size)
{
  const VtrGpuBuffer *buffer = g_hash_table_lookup (self->buffers, VTR_GPU_KEY (handle));
  VtrGpuWrite write;

  if (buffer == NULL || buffer->memory == 0 || offset >= buffer->size)
    return;
  size = MIN (size, buffer->size - offset);
  write = (VtrGpuWrite){ buffer->memory, buffer->offset + offset, buffer->offset + offset + size };
  g_array_append_val (writes_of (self, command_buffer), write);
}

/* One region of an image of a format whose texel size is known. */
static void
add_image_copy (VtrGpuWrites             *self,
                VkCommandBuffer           command_buffer,
                VkImage                   image,
                VkBuffer                  buffer,
                const VkBufferImageCopy2 *region)
{
  const VtrGpuImage *source = g_hash_table_lookup (self->images, VTR_GPU_KEY (image));
  const VtrPixelFormat *info =
    source == NULL ? NULL
                   : vtr_vulkan_format_get_aspect (source->format,
                                                   region->imageSubresource.aspectMask);
  guint64 width = region->imageExtent.width;
  guint64 height = region->imageExtent.height;
  guint64 row = region->bufferRowLength != 0 ? region->bufferRowLength : width;
  guint64 rows = region->bufferImageHeight != 0 ? region->bufferImageHeight : height;
  guint64 n_slices;

  /* In blocks of several texels, the program's bytes are kept. */
  if (!vtr_pixel_format_is_plain (info) || row < width || rows < height ||
      region->imageSubresource.layerCount == VK_REMAINING_ARRAY_LAYERS ||
      __builtin_mul_overflow ((guint64)region->imageExtent.depth,
                              region->imageSubresource.layerCount, &n_slices) ||
      n_slices > MOST_SLICES || row > G_MAXUINT32 || rows > G_MAXUINT32)
    return;
  for (guint64 slice = 0; slice < n_slices; slice++)
    {
      guint64 from = region->bufferOffset + slice * row * rows * info->block_bytes;

      if (row == width)
        add_write (self, command_buffer, buffer, from, width * height * info->block_bytes);
      else
        for (guint64 y = 0; y < height; y++)
          add_write (self, command_buffer, buffer, from + y * row * info->block_bytes,
                     width * info->block_bytes);
    }
}

static void
copy_buffer (VtrGpuWrites     *self,
             const VtrCommand *command)
{
  const VtrArgs_vkCmdCopyBuffer2 *args;
  const VkCopyBufferInfo2 *info;
  g_auto (VtrNewerForm) form;

  vtr_newer_form_init (&form, command);
  args = form.command.args;
  info = args->pCopyBufferInfo;
  for (guint32 i = 0; info != NULL && info->pRegions != NULL && i < info->regionCount; i++)
    add_write (self, args->commandBuffer, info->dstBuffer, info->pRegions[i].dstOffset,
               info->pRegions[i].size);
}

static void
copy_image (VtrGpuWrites     *self,
            const VtrCommand *command)
{
  const VtrArgs_vkCmdCopyImageToBuffer2 *args;
  const VkCopyImageToBufferInfo2 *info;
  g_auto (VtrNewerForm) form;

  vtr_newer_form_init (&form, command);
  args = form.command.args;
  info = args->pCopyImageToBufferInfo;
  for (guint32 i = 0; info != NULL && info->pRegions != NULL && i < info->regionCount; i++)
    add_image_copy (self, args->commandBuffer, info->srcImage, info->dstBuffer,
                    &info->pRegions[i]);
}

void
vtr_gpu_writes_record (VtrGpuWrites     *self,
                       const VtrCommand *command)
{
  switch (vtr_cmd_newer_form (command->id))
    {
    case VTR_CMD_vkCmdCopyBuffer2:
      copy_buffer (self, command);
      break;
    case VTR_CMD_vkCmdFillBuffer:
      {
        const VtrArgs_vkCmdFillBuffer *a = command->args;

        add_write (self, a->commandBuffer, a->dstBuffer, a->dstOffset, a->size);
        break;
      }
    case VTR_CMD_vkCmdUpdateBuffer:
      {
        const VtrArgs_vkCmdUpdateBuffer *a = command->args;

        add_write (self, a->commandBuffer, a->dstBuffer, a->dstOffset, a->dataSize);
        break;
      }
    case VTR_CMD_vkCmdCopyImageToBuffer2:
      copy_image (self, command);
      break;
    case VTR_CMD_vkCmdCopyQueryPoolResults:
      {
        const VtrArgs_vkCmdCopyQueryPoolResults *a = command->args;
        guint64 size = (a->flags & VK_QUERY_RESULT_64_BIT) != 0 ? 8 : 4;

        if (a->stride == size || (a->flags & VK_QUERY_RESULT_WITH_AVAILABILITY_BIT) != 0)
          add_write (self, a->commandBuffer, a->dstBuffer, a->dstOffset, a->stride * a->queryCount);
        break;
      }
    case VTR_CMD_vkCmdExecuteCommands:
      {
        const VtrArgs_vkCmdExecuteCommands *a = command->args;

        for (guint32 i = 0; a->pCommandBuffers != NULL && i < a->commandBufferCount; i++)
          {
            const GArray *writes = g_hash_table_lookup (self->recorded, a->pCommandBuffers[i]);

            if (writes != NULL && a->pCommandBuffers[i] != a->commandBuffer)
              g_array_append_vals (writes_of (self, a->commandBuffer), writes->data, writes->len);
          }
        break;
      }
    default:
      break;
    }
}
