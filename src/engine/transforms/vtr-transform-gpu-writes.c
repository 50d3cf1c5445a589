/* Tells CPU writes to mapped memory from what the GPU left there.
 *
 * A dirty page is not a CPU write: software drivers, and any driver over shared memory, dirty
 * mapped pages from the GPU's side. Bytes that a pending submission writes through an exactly
 * known range (copy, fill, update, query results) are the GPU's, and so are those of images with
 * optimal tiling where nothing else lies: attachments, resolves and the rest. Of what shaders may
 * write, bytes that have not changed are left out (vtr-doubts.h). Poisoned, the first
 * goes for ranges that any earlier submission wrote, so that a replay cannot pass by being given
 * its own answers. */
#include "engine/transforms/vtr-transforms.h"

#include "vtr-config.h"

#include <glib/gi18n-lib.h>

#include "engine/resolve/vtr-format-info.h"
#include "engine/transforms/vtr-pending.h"
#include "engine/transforms/vtr-range-set.h"
#include "vtr-api-args.h"

typedef struct
{
  guint64 size;
  guint64 memory; /* 0: not bound */
  guint64 offset;
} Buffer;

typedef struct
{
  VkFormat format;
  gboolean opaque; /* only the GPU knows its way in it */
  guint64 size;    /* 0: not known */
  guint64 memory;  /* 0: not bound */
  guint64 offset;
} Image;

/* Bytes of a memory object that one command writes. */
typedef struct
{
  guint64 memory, begin, end;
} Write;

typedef struct
{
  VtrTransform parent;
  gboolean poison;
  GHashTable *buffers;     /* VkBuffer → Buffer */
  GHashTable *images;      /* VkImage → Image */
  GHashTable *opaque;      /* VkDeviceMemory → VtrRangeSet, where only they lie; made when asked
                           for, dropped when something is bound or destroyed */
  GHashTable *recorded;    /* VkCommandBuffer → GArray of Write */
  GHashTable *written;     /* VkDeviceMemory → VtrRangeSet, by all submissions so far (poison) */
  VtrPending pending;      /* data: GArray of Write */
  const VtrDoubts *doubts; /* (nullable) */
} TransformGpuWrites;

#define MOST_SLICES 4096u /* of one copy that are followed */

#define KEY(handle) ((gpointer)(gsize)(handle))
#define VALUE(handle) ((guint64)(gsize)(handle))

static void
free_writes (gpointer data,
             gpointer user_data)
{
  g_array_unref (data);
}

static void
set_free (gpointer data)
{
  vtr_range_set_finish (data);
  g_free (data);
}

/* --- Buffers --------------------------------------------------------------------------------- */

static void
create_buffer (TransformGpuWrites           *self,
               const VtrArgs_vkCreateBuffer *args)
{
  Buffer *buffer;

  if (args->pCreateInfo == NULL || args->pBuffer == NULL)
    return;
  buffer = g_new0 (Buffer, 1);
  buffer->size = args->pCreateInfo->size;
  g_hash_table_replace (self->buffers, KEY (*args->pBuffer), buffer);
}

/* New contents are expected where a buffer begins its life. */
static void
bind_buffer (TransformGpuWrites *self,
             VkBuffer            handle,
             VkDeviceMemory      memory,
             VkDeviceSize        offset)
{
  Buffer *buffer = g_hash_table_lookup (self->buffers, KEY (handle));
  VtrRangeSet *written = g_hash_table_lookup (self->written, KEY (memory));
  guint64 end;

  if (buffer == NULL || __builtin_add_overflow (offset, buffer->size, &end))
    return;
  buffer->memory = VALUE (memory);
  buffer->offset = offset;
  g_hash_table_remove (self->opaque, KEY (memory));
  if (written != NULL)
    vtr_range_set_remove (written, offset, end);
}

static void
destroy_buffer (TransformGpuWrites *self,
                VkBuffer            handle)
{
  const Buffer *buffer = g_hash_table_lookup (self->buffers, KEY (handle));

  if (buffer == NULL)
    return;
  g_hash_table_remove (self->opaque, KEY (buffer->memory));
  g_hash_table_remove (self->buffers, KEY (handle));
}

/* --- Images ---------------------------------------------------------------------------------- */

static void
create_image (TransformGpuWrites          *self,
              const VtrArgs_vkCreateImage *args)
{
  const VkImageCreateInfo *info = args->pCreateInfo;
  Image *image;

  if (info == NULL || args->pImage == NULL)
    return;
  image = g_new0 (Image, 1);
  image->format = info->format;
  /* What transient ones hold when a recording begins in a run is nowhere but in memory. */
  image->opaque =
    info->tiling == VK_IMAGE_TILING_OPTIMAL &&
    (info->usage & VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT) == 0 &&
    (info->flags & (VK_IMAGE_CREATE_DISJOINT_BIT | VK_IMAGE_CREATE_SPARSE_BINDING_BIT)) == 0;
  g_hash_table_replace (self->images, KEY (*args->pImage), image);
}

static void
note_requirements (TransformGpuWrites         *self,
                   VkImage                     handle,
                   const VkMemoryRequirements *requirements)
{
  Image *image = g_hash_table_lookup (self->images, KEY (handle));

  if (image != NULL && requirements != NULL)
    image->size = requirements->size;
}

static void
bind_image (TransformGpuWrites *self,
            VkImage             handle,
            VkDeviceMemory      memory,
            VkDeviceSize        offset)
{
  Image *image = g_hash_table_lookup (self->images, KEY (handle));

  if (image == NULL)
    return;
  image->memory = VALUE (memory);
  image->offset = offset;
  g_hash_table_remove (self->opaque, KEY (memory));
}

static void
destroy_image (TransformGpuWrites *self,
               VkImage             handle)
{
  const Image *image = g_hash_table_lookup (self->images, KEY (handle));

  if (image == NULL)
    return;
  g_hash_table_remove (self->opaque, KEY (image->memory));
  g_hash_table_remove (self->images, KEY (handle));
}

static void
free_memory (TransformGpuWrites *self,
             VkDeviceMemory      memory)
{
  GHashTableIter iter;
  gpointer value;

  g_hash_table_remove (self->written, KEY (memory));
  g_hash_table_remove (self->opaque, KEY (memory));
  /* The handle may come back for memory that they have no part in. */
  g_hash_table_iter_init (&iter, self->images);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    if (((Image *)value)->memory == VALUE (memory))
      ((Image *)value)->memory = 0;
  g_hash_table_iter_init (&iter, self->buffers);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    if (((Buffer *)value)->memory == VALUE (memory))
      ((Buffer *)value)->memory = 0;
}

/* Where images with optimal tiling lie in @memory, and nothing that the program may write to. */
static const VtrRangeSet *
opaque_ranges (TransformGpuWrites *self,
               guint64             memory)
{
  VtrRangeSet *set = g_hash_table_lookup (self->opaque, KEY (memory));
  GHashTableIter iter;
  gpointer value;

  if (set != NULL)
    return set;
  set = g_new0 (VtrRangeSet, 1);
  g_hash_table_insert (self->opaque, KEY (memory), set);
  g_hash_table_iter_init (&iter, self->images);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      const Image *image = value;

      if (image->memory == memory && image->opaque && image->size <= G_MAXUINT64 - image->offset)
        vtr_range_set_add (set, image->offset, image->offset + image->size);
    }
  g_hash_table_iter_init (&iter, self->images);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      const Image *image = value;

      if (image->memory == memory && !image->opaque)
        vtr_range_set_remove (set, image->offset,
                              image->size == 0 || image->size > G_MAXUINT64 - image->offset
                                ? G_MAXUINT64
                                : image->offset + image->size);
    }
  g_hash_table_iter_init (&iter, self->buffers);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      const Buffer *buffer = value;

      if (buffer->memory == memory)
        vtr_range_set_remove (set, buffer->offset, buffer->offset + buffer->size);
    }
  return set;
}

/* --- What command buffers write --------------------------------------------------------------- */

static GArray *
writes_of (TransformGpuWrites *self,
           VkCommandBuffer     command_buffer)
{
  GArray *writes = g_hash_table_lookup (self->recorded, command_buffer);

  if (writes == NULL)
    {
      writes = g_array_new (FALSE, FALSE, sizeof (Write));
      g_hash_table_insert (self->recorded, command_buffer, writes);
    }
  return writes;
}

static void
add_write (TransformGpuWrites *self,
           VkCommandBuffer     command_buffer,
           VkBuffer            handle,
           VkDeviceSize        offset,
           VkDeviceSize        size)
{
  const Buffer *buffer = g_hash_table_lookup (self->buffers, KEY (handle));
  Write write;

  if (buffer == NULL || buffer->memory == 0 || offset >= buffer->size)
    return;
  size = MIN (size, buffer->size - offset);
  write = (Write){ buffer->memory, buffer->offset + offset, buffer->offset + offset + size };
  g_array_append_val (writes_of (self, command_buffer), write);
}

/* One region of an image of a format whose texel size is known. */
static void
add_image_copy (TransformGpuWrites      *self,
                VkCommandBuffer          command_buffer,
                VkImage                  image,
                VkBuffer                 buffer,
                const VkBufferImageCopy *region)
{
  const Image *source = g_hash_table_lookup (self->images, KEY (image));
  const VtrFormatInfo *info =
    source == NULL ? NULL
                   : vtr_format_info_get_aspect (
                       source->format, (VkImageAspectFlagBits)region->imageSubresource.aspectMask);
  guint64 width = region->imageExtent.width;
  guint64 height = region->imageExtent.height;
  guint64 row = region->bufferRowLength != 0 ? region->bufferRowLength : width;
  guint64 rows = region->bufferImageHeight != 0 ? region->bufferImageHeight : height;
  guint64 n_slices;

  /* What a block of several texels covers is left to the program's bytes. */
  if (info == NULL || info->texel_bytes == 0 || row < width || rows < height ||
      region->imageSubresource.layerCount == VK_REMAINING_ARRAY_LAYERS ||
      __builtin_mul_overflow ((guint64)region->imageExtent.depth,
                              region->imageSubresource.layerCount, &n_slices) ||
      n_slices > MOST_SLICES || row > G_MAXUINT32 || rows > G_MAXUINT32)
    return;
  for (guint64 slice = 0; slice < n_slices; slice++)
    {
      guint64 from = region->bufferOffset + slice * row * rows * info->texel_bytes;

      if (row == width)
        add_write (self, command_buffer, buffer, from, width * height * info->texel_bytes);
      else
        for (guint64 y = 0; y < height; y++)
          add_write (self, command_buffer, buffer, from + y * row * info->texel_bytes,
                     width * info->texel_bytes);
    }
}

static void
copy_buffer2 (TransformGpuWrites      *self,
              VkCommandBuffer          command_buffer,
              const VkCopyBufferInfo2 *info)
{
  for (guint32 i = 0; info != NULL && info->pRegions != NULL && i < info->regionCount; i++)
    add_write (self, command_buffer, info->dstBuffer, info->pRegions[i].dstOffset,
               info->pRegions[i].size);
}

static void
copy_image2 (TransformGpuWrites             *self,
             VkCommandBuffer                 command_buffer,
             const VkCopyImageToBufferInfo2 *info)
{
  for (guint32 i = 0; info != NULL && info->pRegions != NULL && i < info->regionCount; i++)
    {
      const VkBufferImageCopy2 *r = &info->pRegions[i];
      const VkBufferImageCopy region = { r->bufferOffset, r->bufferRowLength, r->bufferImageHeight,
                                         r->imageSubresource, r->imageOffset, r->imageExtent };

      add_image_copy (self, command_buffer, info->srcImage, info->dstBuffer, &region);
    }
}

static void
record (TransformGpuWrites *self,
        const VtrCommand   *command)
{
  switch (vtr_cmd_canonical (command->id))
    {
    case VTR_CMD_vkCmdCopyBuffer:
      {
        const VtrArgs_vkCmdCopyBuffer *a = command->args;

        for (guint32 i = 0; a->pRegions != NULL && i < a->regionCount; i++)
          add_write (self, a->commandBuffer, a->dstBuffer, a->pRegions[i].dstOffset,
                     a->pRegions[i].size);
        break;
      }
    case VTR_CMD_vkCmdCopyBuffer2:
      copy_buffer2 (self, *(VkCommandBuffer *)command->args,
                    ((const VtrArgs_vkCmdCopyBuffer2 *)command->args)->pCopyBufferInfo);
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
    case VTR_CMD_vkCmdCopyImageToBuffer:
      {
        const VtrArgs_vkCmdCopyImageToBuffer *a = command->args;

        for (guint32 i = 0; a->pRegions != NULL && i < a->regionCount; i++)
          add_image_copy (self, a->commandBuffer, a->srcImage, a->dstBuffer, &a->pRegions[i]);
        break;
      }
    case VTR_CMD_vkCmdCopyImageToBuffer2:
      copy_image2 (
        self, *(VkCommandBuffer *)command->args,
        ((const VtrArgs_vkCmdCopyImageToBuffer2 *)command->args)->pCopyImageToBufferInfo);
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

/* --- Submissions ----------------------------------------------------------------------------- */

static void
run (TransformGpuWrites *self,
     GArray             *pending,
     VkCommandBuffer     command_buffer)
{
  const GArray *writes = g_hash_table_lookup (self->recorded, command_buffer);

  if (writes == NULL)
    return;
  g_array_append_vals (pending, writes->data, writes->len);
  for (guint i = 0; self->poison && i < writes->len; i++)
    {
      const Write *write = &g_array_index (writes, Write, i);
      VtrRangeSet *set = g_hash_table_lookup (self->written, KEY (write->memory));

      if (set == NULL)
        {
          set = g_new0 (VtrRangeSet, 1);
          g_hash_table_insert (self->written, KEY (write->memory), set);
        }
      vtr_range_set_add (set, write->begin, write->end);
    }
}

/* Takes @writes. */
static void
end_submission (TransformGpuWrites *self,
                VkQueue             queue,
                VkFence             fence,
                GArray             *writes)
{
  if (writes->len == 0)
    g_clear_pointer (&writes, g_array_unref);
  vtr_pending_add (&self->pending, queue, fence, writes);
}

static void
submit (TransformGpuWrites          *self,
        const VtrArgs_vkQueueSubmit *args)
{
  GArray *pending = g_array_new (FALSE, FALSE, sizeof (Write));

  for (guint32 i = 0; args->pSubmits != NULL && i < args->submitCount; i++)
    for (guint32 j = 0;
         args->pSubmits[i].pCommandBuffers != NULL && j < args->pSubmits[i].commandBufferCount;
         j++)
      run (self, pending, args->pSubmits[i].pCommandBuffers[j]);
  end_submission (self, args->queue, args->fence, pending);
}

static void
submit2 (TransformGpuWrites           *self,
         const VtrArgs_vkQueueSubmit2 *args)
{
  GArray *pending = g_array_new (FALSE, FALSE, sizeof (Write));

  for (guint32 i = 0; args->pSubmits != NULL && i < args->submitCount; i++)
    for (guint32 j = 0; args->pSubmits[i].pCommandBufferInfos != NULL &&
                        j < args->pSubmits[i].commandBufferInfoCount;
         j++)
      run (self, pending, args->pSubmits[i].pCommandBufferInfos[j].commandBuffer);
  end_submission (self, args->queue, args->fence, pending);
}

static gboolean
gpu_writes_command (VtrTransform  *transform,
                    VtrCommand    *command,
                    GError       **error)
{
  TransformGpuWrites *self = (TransformGpuWrites *)transform;

  if (vtr_cmd_is (command->id, VTR_CLASS_RECORD))
    {
      if (vtr_cmd_is (command->id, VTR_CLASS_TRANSFER | VTR_CLASS_EXECUTE))
        record (self, command);
      return vtr_transform_command (self->parent.next, command, error);
    }
  vtr_pending_note (&self->pending, command);
  switch (vtr_cmd_canonical (command->id))
    {
    case VTR_CMD_vkCreateBuffer:
      create_buffer (self, command->args);
      break;
    case VTR_CMD_vkDestroyBuffer:
      destroy_buffer (self, ((const VtrArgs_vkDestroyBuffer *)command->args)->buffer);
      break;
    case VTR_CMD_vkCreateImage:
      create_image (self, command->args);
      break;
    case VTR_CMD_vkDestroyImage:
      destroy_image (self, ((const VtrArgs_vkDestroyImage *)command->args)->image);
      break;
    case VTR_CMD_vkGetImageMemoryRequirements:
      {
        const VtrArgs_vkGetImageMemoryRequirements *a = command->args;

        note_requirements (self, a->image, a->pMemoryRequirements);
        break;
      }
    case VTR_CMD_vkGetImageMemoryRequirements2:
      {
        const VtrArgs_vkGetImageMemoryRequirements2 *a = command->args;

        if (a->pInfo != NULL && a->pMemoryRequirements != NULL)
          note_requirements (self, a->pInfo->image, &a->pMemoryRequirements->memoryRequirements);
        break;
      }
    case VTR_CMD_vkBindImageMemory:
      {
        const VtrArgs_vkBindImageMemory *a = command->args;

        bind_image (self, a->image, a->memory, a->memoryOffset);
        break;
      }
    case VTR_CMD_vkBindImageMemory2:
      {
        const VtrArgs_vkBindImageMemory2 *a = command->args;

        for (guint32 i = 0; a->pBindInfos != NULL && i < a->bindInfoCount; i++)
          bind_image (self, a->pBindInfos[i].image, a->pBindInfos[i].memory,
                      a->pBindInfos[i].memoryOffset);
        break;
      }
    case VTR_CMD_vkBindBufferMemory:
      {
        const VtrArgs_vkBindBufferMemory *a = command->args;

        bind_buffer (self, a->buffer, a->memory, a->memoryOffset);
        break;
      }
    case VTR_CMD_vkBindBufferMemory2:
      {
        const VtrArgs_vkBindBufferMemory2 *a = command->args;

        for (guint32 i = 0; a->pBindInfos != NULL && i < a->bindInfoCount; i++)
          bind_buffer (self, a->pBindInfos[i].buffer, a->pBindInfos[i].memory,
                       a->pBindInfos[i].memoryOffset);
        break;
      }
    case VTR_CMD_vkFreeMemory:
      free_memory (self, ((const VtrArgs_vkFreeMemory *)command->args)->memory);
      break;
    case VTR_CMD_vkBeginCommandBuffer:
      g_hash_table_remove (self->recorded,
                           ((const VtrArgs_vkBeginCommandBuffer *)command->args)->commandBuffer);
      break;
    case VTR_CMD_vkQueueSubmit:
      submit (self, command->args);
      break;
    case VTR_CMD_vkQueueSubmit2:
      submit2 (self, command->args);
      break;
    default:
      break;
    }
  return vtr_transform_command (self->parent.next, command, error);
}

/* --- Mapped writes --------------------------------------------------------------------------- */

static void
add_pending (TransformGpuWrites *self,
             guint64             memory,
             guint64             begin,
             guint64             end,
             VtrRangeSet        *set)
{
  for (guint i = 0; i < self->pending.submissions->len; i++)
    {
      const GArray *writes = vtr_pending_get (&self->pending, i);

      for (guint j = 0; writes != NULL && j < writes->len; j++)
        {
          const Write *write = &g_array_index (writes, Write, j);

          if (write->memory == memory && write->begin < end && begin < write->end)
            vtr_range_set_add (set, write->begin, write->end);
        }
    }
}

/* What of @other lies in [@begin, @end). */
static void
add_overlap (VtrRangeSet       *set,
             const VtrRangeSet *other,
             guint64            begin,
             guint64            end)
{
  guint64 at = begin;
  guint64 stop;

  while (other != NULL && vtr_range_set_next_gap (other, &at, end, &stop))
    {
      vtr_range_set_add (set, begin, at);
      begin = at = stop;
    }
  if (other != NULL)
    vtr_range_set_add (set, begin, end);
}

/* What is left as it is, or as the GPU makes it: the program did not write it. What has changed is
 * written when the GPU is done. */
static gboolean
add_doubts (TransformGpuWrites    *self,
            guint64                index,
            const VtrMappedWrite  *write,
            VtrRangeSet           *set,
            GError               **error)
{
  VtrTransformRead settle = { .function = VTR_REPLAY_SETTLE };
  gboolean changed = FALSE;
  gsize n = 0;
  const VtrDoubt *doubts =
    self->doubts != NULL ? vtr_doubts_find (self->doubts, index, &n) : NULL;

  for (gsize i = 0; i < n; i++)
    {
      if (doubts[i].memory != write->memory || doubts[i].offset >= write->offset + write->size ||
          write->offset >= doubts[i].offset + doubts[i].size)
        continue;
      if (doubts[i].same)
        vtr_range_set_add (set, doubts[i].offset, doubts[i].offset + doubts[i].size);
      else
        changed = TRUE;
    }
  return !changed || !vtr_doubts_may_settle (self->doubts) ||
         vtr_transform_read (self->parent.next, &settle, error);
}

static gboolean
gpu_writes_write (VtrTransform    *transform,
                  guint64          index,
                  gsize            nth,
                  VtrMappedWrite  *write,
                  GError         **error)
{
  TransformGpuWrites *self = (TransformGpuWrites *)transform;
  const VtrRangeSet *written = g_hash_table_lookup (self->written, KEY (write->memory));
  VtrRangeSet set = { NULL };
  guint64 begin = write->offset;
  guint64 end = write->offset + write->size;
  guint64 stop;
  gboolean ok = TRUE;

  if (write->image != 0)
    return vtr_transform_write (self->parent.next, index, nth, write, error);
  add_pending (self, write->memory, begin, end, &set);
  add_overlap (&set, opaque_ranges (self, write->memory), begin, end);
  add_overlap (&set, written, begin, end);
  ok = add_doubts (self, index, write, &set, error);
  while (ok && vtr_range_set_next_gap (&set, &begin, end, &stop))
    {
      VtrMappedWrite part = *write;
      gboolean whole = begin == write->offset && stop == end;

      part.offset = begin;
      part.data += begin - write->offset;
      part.size = stop - begin;
      ok = vtr_transform_write (self->parent.next, whole ? index : VTR_COMMAND_NO_INDEX, nth,
                                &part, error);
      begin = stop;
    }
  vtr_range_set_finish (&set);
  return ok;
}

static void
gpu_writes_free (VtrTransform *transform)
{
  TransformGpuWrites *self = (TransformGpuWrites *)transform;

  g_hash_table_unref (self->buffers);
  g_hash_table_unref (self->images);
  g_hash_table_unref (self->opaque);
  g_hash_table_unref (self->recorded);
  g_hash_table_unref (self->written);
  for (guint i = 0; i < self->pending.submissions->len; i++)
    if (vtr_pending_get (&self->pending, i) != NULL)
      g_array_unref (vtr_pending_get (&self->pending, i));
  vtr_pending_finish (&self->pending);
  g_free (self);
}

static gboolean gpu_writes_resume (VtrTransform       *transform,
                                   VtrTransformStart  *start,
                                   GError            **error);

static const VtrTransformClass gpu_writes_class = {
  .name = "gpu-writes",
  .command = gpu_writes_command,
  .write = gpu_writes_write,
  .free = gpu_writes_free,
  .resume = gpu_writes_resume,
};

static gpointer
copy_writes (gpointer data)
{
  return g_array_copy (data);
}

/* What the one that saw the trace up to @start knows. */
static gboolean
gpu_writes_resume (VtrTransform       *transform,
                   VtrTransformStart  *start,
                   GError            **error)
{
  TransformGpuWrites *self = (TransformGpuWrites *)transform;
  const TransformGpuWrites *known =
    (const TransformGpuWrites *)vtr_transform_find (start->chain, &gpu_writes_class);
  GHashTableIter iter;
  gpointer key;
  gpointer value;

  if (known == NULL || known->poison != self->poison || g_hash_table_size (known->written) > 0)
    {
      g_set_error_literal (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_UNSUPPORTED,
                           _ ("Poisoned replays need the whole trace"));
      return FALSE;
    }
  g_hash_table_iter_init (&iter, known->buffers);
  while (g_hash_table_iter_next (&iter, &key, &value))
    g_hash_table_insert (self->buffers, key, g_memdup2 (value, sizeof (Buffer)));
  g_hash_table_iter_init (&iter, known->images);
  while (g_hash_table_iter_next (&iter, &key, &value))
    g_hash_table_insert (self->images, key, g_memdup2 (value, sizeof (Image)));
  g_hash_table_iter_init (&iter, known->recorded);
  while (g_hash_table_iter_next (&iter, &key, &value))
    g_hash_table_insert (self->recorded, key, g_array_copy (value));
  vtr_pending_copy (&self->pending, &known->pending, copy_writes);
  self->doubts = known->doubts;
  return TRUE;
}

VtrTransform *
vtr_transform_gpu_writes_new (gboolean poison)
{
  TransformGpuWrites *self = g_new0 (TransformGpuWrites, 1);

  self->parent.klass = &gpu_writes_class;
  self->poison = poison;
  self->buffers = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  self->images = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  self->opaque = g_hash_table_new_full (NULL, NULL, NULL, set_free);
  self->recorded = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify)g_array_unref);
  self->written = g_hash_table_new_full (NULL, NULL, NULL, set_free);
  vtr_pending_init (&self->pending, free_writes, NULL);
  return &self->parent;
}

void
vtr_transform_gpu_writes_set_doubts (VtrTransform    *chain,
                                     const VtrDoubts *doubts)
{
  TransformGpuWrites *self =
    (TransformGpuWrites *)vtr_transform_find (chain, &gpu_writes_class);

  if (self != NULL)
    self->doubts = doubts;
}
