/* Notes the writes of copies, fills, clears and builds (VtrMemoryDraft). */
#include "engine/vulkan/memory/vtr-memory-recorder-private.h"

#include "api/vtr-api-args.h"
#include "engine/vulkan/state/vtr-newer-form.h"
#include "vulkan/vtr-vulkan-formats.h"

/* Rows of one copy that are kept singly; more are taken for all that lies between. */
#define MAX_ROWS 8192

#define KEY(handle) ((gpointer)(gsize)(handle))
#define VALUE(handle) ((guint64)(gsize)(handle))

/* Drops the entry begun last if it says nothing. */
static void
end_entry (VtrMemoryDraft *self)
{
  guint n = self->entries->len;

  if (g_array_index (self->entries, VtrMemoryEntry, n - 1).n_refs == 0)
    g_array_set_size (self->entries, n - 1);
}

static void
one_buffer (VtrMemoryDraft     *self,
            VtrMemoryObjects   *objects,
            VtrMemoryEventKind  kind,
            guint64             index,
            VkBuffer            buffer,
            guint64             offset,
            guint64             size)
{
  vtr_memory_draft_begin_entry (self, kind, index);
  vtr_memory_draft_add_buffer (self, objects, buffer, offset, size);
  end_entry (self);
}

/* --- Texels in buffers ----------------------------------------------------------------------- */

/* How the rows of texels are laid out in a buffer. */
typedef struct
{
  guint64 offset;
  guint64 row_bytes, row_stride;
  guint64 layer_stride;
  guint32 rows, layers;
} Rows;

/* Returns: FALSE for formats with texels of unknown size, and for all remaining layers. */
static gboolean
describe_rows (VkFormat                  format,
               const VkBufferImageCopy2 *region,
               Rows                     *out)
{
  const VtrPixelFormat *info =
    vtr_vulkan_format_get_aspect (format, region->imageSubresource.aspectMask);
  guint64 width = region->bufferRowLength != 0 ? region->bufferRowLength
                                               : region->imageExtent.width;
  guint64 height = region->bufferImageHeight != 0 ? region->bufferImageHeight
                                                  : region->imageExtent.height;
  guint64 layers = (guint64)region->imageExtent.depth * region->imageSubresource.layerCount;

  if (!vtr_pixel_format_is_plain (info) || layers > G_MAXUINT32 ||
      region->imageSubresource.layerCount == VK_REMAINING_ARRAY_LAYERS ||
      __builtin_mul_overflow (width, (guint64)info->block_bytes, &out->row_stride) ||
      __builtin_mul_overflow (out->row_stride, height, &out->layer_stride))
    return FALSE;
  out->offset = region->bufferOffset;
  out->row_bytes = (guint64)region->imageExtent.width * info->block_bytes;
  out->rows = region->imageExtent.height;
  out->layers = (guint32)layers;
  return TRUE;
}

static gboolean
is_tight (const Rows *rows)
{
  return rows->row_bytes == rows->row_stride &&
         (rows->layers <= 1 || rows->layer_stride == rows->row_stride * rows->rows);
}

static void
image_to_buffer (VtrMemoryDraft           *self,
                 VtrMemoryObjects         *objects,
                 guint64                   index,
                 VkImage                   handle,
                 VkBuffer                  buffer,
                 const VkBufferImageCopy2 *region)
{
  guint32 image = vtr_memory_objects_find (objects, VTR_HANDLE_VkImage, VALUE (handle));
  VkFormat format = VK_FORMAT_UNDEFINED;
  guint64 all;
  Rows rows;

  /* Images of swapchains are not among the images; the region's size decides, if anything. */
  if (image != VTR_MEMORY_NONE)
    format = g_array_index (objects->images, VtrMemoryImage, image).format;
  if (!describe_rows (format, region, &rows) ||
      __builtin_mul_overflow (rows.layer_stride, (guint64)rows.layers, &all))
    {
      one_buffer (self, objects, VTR_EVENT_MAYBE, index, buffer, region->bufferOffset,
                  VK_WHOLE_SIZE);
      return;
    }
  if (is_tight (&rows))
    one_buffer (self, objects, VTR_EVENT_EXACT, index, buffer, rows.offset, all);
  else if ((guint64)rows.rows * rows.layers > MAX_ROWS)
    one_buffer (self, objects, VTR_EVENT_MAYBE, index, buffer, rows.offset, all);
  else
    {
      vtr_memory_draft_begin_entry (self, VTR_EVENT_EXACT, index);
      for (guint32 layer = 0; layer < rows.layers; layer++)
        for (guint32 row = 0; row < rows.rows; row++)
          vtr_memory_draft_add_buffer (
            self, objects, buffer,
            rows.offset + layer * rows.layer_stride + row * rows.row_stride, rows.row_bytes);
      end_entry (self);
    }
}

/* --- Images ---------------------------------------------------------------------------------- */

/* A part of an image. @region: (nullable): no one can tell which. */
static void
write_image (VtrMemoryDraft           *self,
             VtrMemoryObjects         *objects,
             guint64                   index,
             VkImage                   handle,
             const VkBufferImageCopy2 *region)
{
  guint32 at = vtr_memory_objects_find (objects, VTR_HANDLE_VkImage, VALUE (handle));
  const VtrPixelFormat *info = NULL;
  const VtrMemoryImage *image;

  if (at == VTR_MEMORY_NONE)
    return;
  image = &g_array_index (objects->images, VtrMemoryImage, at);
  if (image->tiling != VK_IMAGE_TILING_LINEAR)
    {
      vtr_memory_draft_begin_entry (self, VTR_EVENT_EXACT, index);
      vtr_memory_draft_add_ref (self, (VtrMemoryRef){ .kind = VTR_REF_IMAGE, .object = at });
      return;
    }
  if (region != NULL && image->layout.size != 0 && region->imageSubresource.mipLevel == 0 &&
      region->imageSubresource.baseArrayLayer == 0 && region->imageSubresource.layerCount == 1 &&
      region->imageExtent.depth == 1 && region->imageExtent.height <= MAX_ROWS &&
      region->imageOffset.x >= 0 && region->imageOffset.y >= 0 && region->imageOffset.z == 0)
    info = vtr_vulkan_format_get (image->format);
  if (!vtr_pixel_format_is_plain (info))
    info = NULL;
  vtr_memory_draft_begin_entry (self, info != NULL ? VTR_EVENT_EXACT : VTR_EVENT_MAYBE, index);
  if (info == NULL)
    {
      vtr_memory_draft_add_ref (self, (VtrMemoryRef){ .kind = VTR_REF_IMAGE, .object = at });
      return;
    }
  for (guint32 row = 0; row < region->imageExtent.height; row++)
    vtr_memory_draft_add_ref (
      self, (VtrMemoryRef){
              .kind = VTR_REF_ROW,
              .object = at,
              .offset = image->layout.offset +
                        ((guint64)region->imageOffset.y + row) * image->layout.rowPitch +
                        (guint64)region->imageOffset.x * info->block_bytes,
              .size = (guint64)region->imageExtent.width * info->block_bytes,
            });
}

static VkBufferImageCopy2
target_region (VkImageSubresourceLayers subresource,
               VkOffset3D               offset,
               VkExtent3D               extent)
{
  return (VkBufferImageCopy2){ .imageSubresource = subresource,
                               .imageOffset = offset,
                               .imageExtent = extent };
}

/* --- Anything else --------------------------------------------------------------------------- */

typedef struct
{
  VtrMemoryDraft *draft;
  VtrMemoryObjects *objects;
} AnyHandle;

static void
add_any_handle (gpointer              data,
                const VtrVisitHandle *handle)
{
  AnyHandle *any = data;
  guint64 value;
  guint32 at;

  if (handle->ignored || handle->dispatchable)
    return;
  value = *(const guint64 *)handle->slot;
  switch ((int)handle->type)
    {
    case VTR_HANDLE_VkBuffer:
      vtr_memory_draft_add_buffer (any->draft, any->objects, (VkBuffer)value, 0, VK_WHOLE_SIZE);
      break;
    case VTR_HANDLE_VkAccelerationStructureKHR:
      at = vtr_memory_objects_find (any->objects, VTR_HANDLE_VkAccelerationStructureKHR, value);
      if (at != VTR_MEMORY_NONE)
        {
          const VtrMemoryPart *part = &g_array_index (any->objects->parts, VtrMemoryPart, at);

          vtr_memory_draft_add_ref (any->draft, (VtrMemoryRef){ .kind = VTR_REF_BUFFER,
                                                                .object = part->buffer,
                                                                .offset = part->offset,
                                                                .size = part->size });
        }
      break;
    case VTR_HANDLE_VkImage:
    case VTR_HANDLE_VkImageView:
      at = vtr_memory_objects_find (any->objects, handle->type, value);
      if (at != VTR_MEMORY_NONE)
        vtr_memory_draft_add_ref (any->draft,
                                  (VtrMemoryRef){ .kind = VTR_REF_IMAGE, .object = at });
      break;
    default:
      break;
    }
}

/* Work whose target nothing here knows may write whatever it names. */
static void
write_anything (VtrMemoryDraft   *self,
                VtrMemoryObjects *objects,
                const VtrCommand *command)
{
  static const VtrApiEnv decoded_env = { .decoded = true };
  AnyHandle any = { self, objects };
  const VtrApiVisitor visitor = { .data = &any, .handle = add_any_handle };

  vtr_memory_draft_begin_entry (self, VTR_EVENT_MAYBE, command->index);
  vtr_api_visit (command->id, command->args, &decoded_env, &visitor);
  end_entry (self);
}

static void
add_address (VtrMemoryDraft   *self,
             VtrMemoryObjects *objects,
             guint64           address)
{
  guint64 offset = 0;
  guint32 buffer = vtr_memory_objects_find_address (objects, address, &offset);

  if (address == 0)
    return;
  if (buffer == VTR_MEMORY_NONE)
    vtr_memory_draft_add_ref (self, (VtrMemoryRef){ .kind = VTR_REF_ADDRESSES });
  else
    vtr_memory_draft_add_ref (self, (VtrMemoryRef){ .kind = VTR_REF_BUFFER,
                                                    .object = buffer,
                                                    .offset = offset,
                                                    .size = VK_WHOLE_SIZE });
}

static void
add_acceleration (VtrMemoryDraft             *self,
                  VtrMemoryObjects           *objects,
                  VkAccelerationStructureKHR  handle)
{
  guint32 at =
    vtr_memory_objects_find (objects, VTR_HANDLE_VkAccelerationStructureKHR, VALUE (handle));
  const VtrMemoryPart *part;

  if (at == VTR_MEMORY_NONE)
    return;
  part = &g_array_index (objects->parts, VtrMemoryPart, at);
  if (part->buffer != VTR_MEMORY_NONE)
    vtr_memory_draft_add_ref (self, (VtrMemoryRef){ .kind = VTR_REF_BUFFER,
                                                    .object = part->buffer,
                                                    .offset = part->offset,
                                                    .size = part->size });
}

static void
build (VtrMemoryDraft                                    *self,
       VtrMemoryObjects                                  *objects,
       guint64                                            index,
       const VkAccelerationStructureBuildGeometryInfoKHR *infos,
       guint32                                            n)
{
  vtr_memory_draft_begin_entry (self, VTR_EVENT_MAYBE, index);
  for (guint32 i = 0; infos != NULL && i < n; i++)
    {
      add_acceleration (self, objects, infos[i].dstAccelerationStructure);
      add_address (self, objects, infos[i].scratchData.deviceAddress);
    }
  end_entry (self);
}

/* --- By command ------------------------------------------------------------------------------ */

static void
copy_query_results (VtrMemoryDraft                          *self,
                    VtrMemoryObjects                        *objects,
                    guint64                                  index,
                    const VtrArgs_vkCmdCopyQueryPoolResults *args)
{
  guint n = GPOINTER_TO_UINT (g_hash_table_lookup (objects->query_bytes, KEY (args->queryPool)));
  guint64 width = (args->flags & VK_QUERY_RESULT_64_BIT) != 0 ? 8 : 4;
  guint64 size = width * (n + ((args->flags & VK_QUERY_RESULT_WITH_AVAILABILITY_BIT) != 0 ? 1 : 0));
  guint64 all;

  if (args->queryCount == 0 ||
      __builtin_mul_overflow (args->stride, (guint64)args->queryCount - 1, &all) ||
      __builtin_add_overflow (all, size, &all))
    return;
  /* Without waiting, unavailable results are not written. */
  if (n == 0 || (args->flags & VK_QUERY_RESULT_WAIT_BIT) == 0)
    one_buffer (self, objects, VTR_EVENT_MAYBE, index, args->dstBuffer, args->dstOffset,
                n == 0 ? args->stride * args->queryCount : all);
  else if (args->stride == size || args->queryCount == 1)
    one_buffer (self, objects, VTR_EVENT_EXACT, index, args->dstBuffer, args->dstOffset, all);
  else
    {
      vtr_memory_draft_begin_entry (self, VTR_EVENT_EXACT, index);
      for (guint32 i = 0; i < args->queryCount && i < MAX_ROWS; i++)
        vtr_memory_draft_add_buffer (self, objects, args->dstBuffer,
                                     args->dstOffset + i * args->stride, size);
      end_entry (self);
    }
}

static gboolean
transfer_buffers (VtrMemoryDraft   *self,
                  VtrMemoryObjects *objects,
                  const VtrCommand *command)
{
  guint64 index = command->index;

  switch (vtr_cmd_canonical (command->id))
    {
    case VTR_CMD_vkCmdFillBuffer:
      {
        const VtrArgs_vkCmdFillBuffer *a = command->args;

        one_buffer (self, objects, VTR_EVENT_KNOWN, index, a->dstBuffer, a->dstOffset,
                    a->size == VK_WHOLE_SIZE ? VK_WHOLE_SIZE : a->size);
        return TRUE;
      }
    case VTR_CMD_vkCmdUpdateBuffer:
      {
        const VtrArgs_vkCmdUpdateBuffer *a = command->args;

        one_buffer (self, objects, a->pData != NULL ? VTR_EVENT_KNOWN : VTR_EVENT_EXACT, index,
                    a->dstBuffer, a->dstOffset, a->dataSize);
        return TRUE;
      }
    case VTR_CMD_vkCmdCopyQueryPoolResults:
      copy_query_results (self, objects, index, command->args);
      return TRUE;
    case VTR_CMD_vkCmdWriteBufferMarkerAMD:
      {
        const VtrArgs_vkCmdWriteBufferMarkerAMD *a = command->args;

        one_buffer (self, objects, VTR_EVENT_EXACT, index, a->dstBuffer, a->dstOffset, 4);
        return TRUE;
      }
    case VTR_CMD_vkCmdWriteBufferMarker2AMD:
      {
        const VtrArgs_vkCmdWriteBufferMarker2AMD *a = command->args;

        one_buffer (self, objects, VTR_EVENT_EXACT, index, a->dstBuffer, a->dstOffset, 4);
        return TRUE;
      }
    case VTR_CMD_vkCmdBuildAccelerationStructuresKHR:
      {
        const VtrArgs_vkCmdBuildAccelerationStructuresKHR *a = command->args;

        build (self, objects, index, a->pInfos, a->infoCount);
        return TRUE;
      }
    case VTR_CMD_vkCmdBuildAccelerationStructuresIndirectKHR:
      {
        const VtrArgs_vkCmdBuildAccelerationStructuresIndirectKHR *a = command->args;

        build (self, objects, index, a->pInfos, a->infoCount);
        return TRUE;
      }
    default:
      return FALSE;
    }
}

static void
copy_buffer (VtrMemoryDraft          *self,
             VtrMemoryObjects        *objects,
             guint64                  index,
             const VkCopyBufferInfo2 *info)
{
  vtr_memory_draft_begin_entry (self, VTR_EVENT_EXACT, index);
  for (guint32 i = 0; info->pRegions != NULL && i < info->regionCount; i++)
    vtr_memory_draft_add_buffer (self, objects, info->dstBuffer, info->pRegions[i].dstOffset,
                                 info->pRegions[i].size);
  end_entry (self);
}

static void
copy_from_image (VtrMemoryDraft                 *self,
                 VtrMemoryObjects               *objects,
                 guint64                         index,
                 const VkCopyImageToBufferInfo2 *info)
{
  for (guint32 i = 0; info->pRegions != NULL && i < info->regionCount; i++)
    image_to_buffer (self, objects, index, info->srcImage, info->dstBuffer, &info->pRegions[i]);
}

static void
copy_to_image (VtrMemoryDraft                 *self,
               VtrMemoryObjects               *objects,
               guint64                         index,
               const VkCopyBufferToImageInfo2 *info)
{
  for (guint32 i = 0; info->pRegions != NULL && i < info->regionCount; i++)
    write_image (self, objects, index, info->dstImage, &info->pRegions[i]);
}

static void
copy_image (VtrMemoryDraft         *self,
            VtrMemoryObjects       *objects,
            guint64                 index,
            const VkCopyImageInfo2 *info)
{
  for (guint32 i = 0; info->pRegions != NULL && i < info->regionCount; i++)
    {
      const VkBufferImageCopy2 region =
        target_region (info->pRegions[i].dstSubresource, info->pRegions[i].dstOffset,
                       info->pRegions[i].extent);

      write_image (self, objects, index, info->dstImage, &region);
    }
}

/* The info structure of a transfer in its second version, the second argument of each. */
#define INFO(name, member) (((const VtrArgs_##name *)command->args)->member)

/* Copies, and clears of images. */
static gboolean
transfer_images (VtrMemoryDraft   *self,
                 VtrMemoryObjects *objects,
                 const VtrCommand *older)
{
  g_auto (VtrNewerForm) newer;
  const VtrCommand *command = &newer.command;
  const guint64 index = older->index;

  vtr_newer_form_init (&newer, older);
  switch (command->id)
    {
    case VTR_CMD_vkCmdCopyBuffer2:
      if (INFO (vkCmdCopyBuffer2, pCopyBufferInfo) != NULL)
        copy_buffer (self, objects, index, INFO (vkCmdCopyBuffer2, pCopyBufferInfo));
      return TRUE;
    case VTR_CMD_vkCmdCopyImageToBuffer2:
      if (INFO (vkCmdCopyImageToBuffer2, pCopyImageToBufferInfo) != NULL)
        copy_from_image (self, objects, index,
                         INFO (vkCmdCopyImageToBuffer2, pCopyImageToBufferInfo));
      return TRUE;
    case VTR_CMD_vkCmdCopyBufferToImage2:
      if (INFO (vkCmdCopyBufferToImage2, pCopyBufferToImageInfo) != NULL)
        copy_to_image (self, objects, index,
                       INFO (vkCmdCopyBufferToImage2, pCopyBufferToImageInfo));
      return TRUE;
    case VTR_CMD_vkCmdCopyImage2:
      if (INFO (vkCmdCopyImage2, pCopyImageInfo) != NULL)
        copy_image (self, objects, index, INFO (vkCmdCopyImage2, pCopyImageInfo));
      return TRUE;
    case VTR_CMD_vkCmdBlitImage2:
      if (INFO (vkCmdBlitImage2, pBlitImageInfo) != NULL)
        write_image (self, objects, index, INFO (vkCmdBlitImage2, pBlitImageInfo)->dstImage, NULL);
      return TRUE;
    case VTR_CMD_vkCmdResolveImage2:
      if (INFO (vkCmdResolveImage2, pResolveImageInfo) != NULL)
        write_image (self, objects, index, INFO (vkCmdResolveImage2, pResolveImageInfo)->dstImage,
                     NULL);
      return TRUE;
    case VTR_CMD_vkCmdClearColorImage:
      write_image (self, objects, index, INFO (vkCmdClearColorImage, image), NULL);
      return TRUE;
    case VTR_CMD_vkCmdClearDepthStencilImage:
      write_image (self, objects, index, INFO (vkCmdClearDepthStencilImage, image), NULL);
      return TRUE;
    default:
      return FALSE;
    }
}

gboolean
vtr_memory_draft_transfer (VtrMemoryDraft   *self,
                           VtrMemoryObjects *objects,
                           const VtrCommand *command)
{
  if (transfer_buffers (self, objects, command))
    return TRUE;
  if (!vtr_cmd_is (command->id, VTR_CLASS_TRANSFER | VTR_CLASS_BUILD | VTR_CLASS_CLEAR))
    return FALSE;
  if (!transfer_images (self, objects, command))
    write_anything (self, objects, command);
  return TRUE;
}
