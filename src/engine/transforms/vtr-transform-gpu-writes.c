/* Tells CPU writes to mapped memory from what the GPU left there.
 *
 * A dirty page is not a CPU write: software drivers, and any driver over shared memory, dirty
 * mapped pages from the GPU's side. Bytes that a pending submission writes through an exactly
 * known range (copy, fill, update, query results) are the GPU's. Poisoned, the same goes for
 * ranges that any earlier submission wrote, so that a replay cannot pass by being given its own
 * answers. */
#include "engine/transforms/vtr-transforms.h"

#include "vtr-config.h"

#include <glib/gi18n-lib.h>

#include "engine/resolve/vtr-format-info.h"
#include "engine/transforms/vtr-range-set.h"
#include "vtr-api-args.h"

typedef struct
{
  guint64 size;
  guint64 memory; /* 0: not bound */
  guint64 offset;
} Buffer;

/* Bytes of a memory object that one command writes. */
typedef struct
{
  guint64 memory, begin, end;
} Write;

/* A submission that nobody has waited for yet. */
typedef struct
{
  guint64 queue, fence;
  GArray *writes; /* Write */
} Pending;

typedef struct
{
  VtrTransform parent;
  gboolean poison;
  GHashTable *buffers;  /* VkBuffer → Buffer */
  GHashTable *formats;  /* VkImage → VkFormat */
  GHashTable *recorded; /* VkCommandBuffer → GArray of Write */
  GHashTable *written;  /* VkDeviceMemory → VtrRangeSet, by all submissions so far (poison) */
  GPtrArray *pending;   /* Pending, oldest first */
} TransformGpuWrites;

#define KEY(handle) ((gpointer)(gsize)(handle))
#define VALUE(handle) ((guint64)(gsize)(handle))

static void
pending_free (gpointer data)
{
  Pending *pending = data;

  g_array_unref (pending->writes);
  g_free (pending);
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
  if (written != NULL)
    vtr_range_set_remove (written, offset, end);
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

/* One tightly packed region of an image of a format whose texel size is known. */
static void
add_image_copy (TransformGpuWrites      *self,
                VkCommandBuffer          command_buffer,
                VkImage                  image,
                VkBuffer                 buffer,
                const VkBufferImageCopy *region)
{
  VkFormat format = (VkFormat)GPOINTER_TO_UINT (g_hash_table_lookup (self->formats, KEY (image)));
  const VtrFormatInfo *info =
    vtr_format_info_get_aspect (format, (VkImageAspectFlagBits)region->imageSubresource.aspectMask);
  gboolean tight =
    (region->bufferRowLength == 0 || region->bufferRowLength == region->imageExtent.width) &&
    (region->bufferImageHeight == 0 || region->bufferImageHeight == region->imageExtent.height);
  guint64 size;

  if (info == NULL || !tight ||
      __builtin_mul_overflow ((guint64)region->imageExtent.width * region->imageExtent.height,
                              (guint64)region->imageExtent.depth * info->texel_bytes, &size) ||
      __builtin_mul_overflow (size, region->imageSubresource.layerCount, &size))
    return;
  add_write (self, command_buffer, buffer, region->bufferOffset, size);
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
     Pending            *pending,
     VkCommandBuffer     command_buffer)
{
  const GArray *writes = g_hash_table_lookup (self->recorded, command_buffer);

  if (writes == NULL)
    return;
  g_array_append_vals (pending->writes, writes->data, writes->len);
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

static Pending *
begin_submission (VkQueue queue,
                  VkFence fence)
{
  Pending *pending = g_new0 (Pending, 1);

  pending->queue = VALUE (queue);
  pending->fence = VALUE (fence);
  pending->writes = g_array_new (FALSE, FALSE, sizeof (Write));
  return pending;
}

/* Submissions without such writes are kept where a fence may tell of earlier ones. */
static void
end_submission (TransformGpuWrites *self,
                Pending            *pending)
{
  if (pending->writes->len > 0 || (pending->fence != 0 && self->pending->len > 0))
    g_ptr_array_add (self->pending, pending);
  else
    pending_free (pending);
}

static void
submit (TransformGpuWrites          *self,
        const VtrArgs_vkQueueSubmit *args)
{
  Pending *pending = begin_submission (args->queue, args->fence);

  for (guint32 i = 0; args->pSubmits != NULL && i < args->submitCount; i++)
    for (guint32 j = 0;
         args->pSubmits[i].pCommandBuffers != NULL && j < args->pSubmits[i].commandBufferCount;
         j++)
      run (self, pending, args->pSubmits[i].pCommandBuffers[j]);
  end_submission (self, pending);
}

static void
submit2 (TransformGpuWrites           *self,
         const VtrArgs_vkQueueSubmit2 *args)
{
  Pending *pending = begin_submission (args->queue, args->fence);

  for (guint32 i = 0; args->pSubmits != NULL && i < args->submitCount; i++)
    for (guint32 j = 0; args->pSubmits[i].pCommandBufferInfos != NULL &&
                        j < args->pSubmits[i].commandBufferInfoCount;
         j++)
      run (self, pending, args->pSubmits[i].pCommandBufferInfos[j].commandBuffer);
  end_submission (self, pending);
}

/* The last submission that matches is done, and with it all earlier ones of its queue. @queue 0:
 * any queue; @fence 0: any. */
static void
done (TransformGpuWrites *self,
      guint64             queue,
      guint64             fence)
{
  for (guint i = self->pending->len; i > 0; i--)
    {
      const Pending *last = g_ptr_array_index (self->pending, i - 1);
      guint64 its_queue = last->queue;

      if ((queue != 0 && its_queue != queue) || (fence != 0 && last->fence != fence))
        continue;
      for (guint j = i; j > 0; j--)
        if (((const Pending *)g_ptr_array_index (self->pending, j - 1))->queue == its_queue)
          g_ptr_array_remove_index (self->pending, j - 1);
      return;
    }
}

static void
note_wait (TransformGpuWrites *self,
           const VtrCommand   *command)
{
  switch (vtr_cmd_canonical (command->id))
    {
    case VTR_CMD_vkDeviceWaitIdle:
    case VTR_CMD_vkWaitSemaphores: /* what a timeline value stands for is not followed: nothing is
                                      dropped then */
      g_ptr_array_set_size (self->pending, 0);
      break;
    case VTR_CMD_vkQueueWaitIdle:
      done (self, VALUE (((const VtrArgs_vkQueueWaitIdle *)command->args)->queue), 0);
      break;
    case VTR_CMD_vkGetFenceStatus:
      done (self, 0, VALUE (((const VtrArgs_vkGetFenceStatus *)command->args)->fence));
      break;
    case VTR_CMD_vkWaitForFences:
      {
        const VtrArgs_vkWaitForFences *a = command->args;

        for (guint32 i = 0; a->pFences != NULL && i < a->fenceCount; i++)
          done (self, 0, VALUE (a->pFences[i]));
        break;
      }
    default:
      break;
    }
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
  if (vtr_cmd_is (command->id, VTR_CLASS_WAIT) &&
      (!command->has_result || command->result == VK_SUCCESS))
    note_wait (self, command);
  switch (vtr_cmd_canonical (command->id))
    {
    case VTR_CMD_vkCreateBuffer:
      create_buffer (self, command->args);
      break;
    case VTR_CMD_vkCreateImage:
      {
        const VtrArgs_vkCreateImage *a = command->args;

        if (a->pCreateInfo != NULL && a->pImage != NULL)
          g_hash_table_insert (self->formats, KEY (*a->pImage),
                               GUINT_TO_POINTER (a->pCreateInfo->format));
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
      g_hash_table_remove (self->written,
                           KEY (((const VtrArgs_vkFreeMemory *)command->args)->memory));
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
             VtrRangeSet        *set)
{
  for (guint i = 0; i < self->pending->len; i++)
    {
      const GArray *writes = ((const Pending *)g_ptr_array_index (self->pending, i))->writes;

      for (guint j = 0; j < writes->len; j++)
        {
          const Write *write = &g_array_index (writes, Write, j);

          if (write->memory == memory)
            vtr_range_set_add (set, write->begin, write->end);
        }
    }
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

  add_pending (self, write->memory, &set);
  for (guint i = 0; written != NULL && written->ranges != NULL && i < written->ranges->len; i++)
    vtr_range_set_add (&set, g_array_index (written->ranges, VtrRange, i).begin,
                       g_array_index (written->ranges, VtrRange, i).end);
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
  g_hash_table_unref (self->formats);
  g_hash_table_unref (self->recorded);
  g_hash_table_unref (self->written);
  g_ptr_array_unref (self->pending);
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
  g_hash_table_iter_init (&iter, known->formats);
  while (g_hash_table_iter_next (&iter, &key, &value))
    g_hash_table_insert (self->formats, key, value);
  g_hash_table_iter_init (&iter, known->recorded);
  while (g_hash_table_iter_next (&iter, &key, &value))
    g_hash_table_insert (self->recorded, key, g_array_copy (value));
  for (guint i = 0; i < known->pending->len; i++)
    {
      const Pending *pending = g_ptr_array_index (known->pending, i);
      Pending *copy = g_memdup2 (pending, sizeof *pending);

      copy->writes = g_array_copy (pending->writes);
      g_ptr_array_add (self->pending, copy);
    }
  return TRUE;
}

VtrTransform *
vtr_transform_gpu_writes_new (gboolean poison)
{
  TransformGpuWrites *self = g_new0 (TransformGpuWrites, 1);

  self->parent.klass = &gpu_writes_class;
  self->poison = poison;
  self->buffers = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  self->formats = g_hash_table_new (NULL, NULL);
  self->recorded = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify)g_array_unref);
  self->written = g_hash_table_new_full (NULL, NULL, NULL, set_free);
  self->pending = g_ptr_array_new_with_free_func (pending_free);
  return &self->parent;
}
