/* Tells CPU writes to mapped memory from what the GPU left there.
 *
 * A dirty page is not a CPU write: software drivers, and any driver over shared memory, dirty
 * mapped pages from the GPU's side. Bytes that a pending submission writes through an exactly
 * known range (copy, fill, update, query results) are the GPU's, and so are those of images with
 * optimal tiling where nothing else lies: attachments, resolves and the rest. Poisoned, the same
 * goes for ranges that any earlier submission wrote, so that a replay cannot pass by being given
 * its own answers. */
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
  GHashTable *images;   /* VkImage → Image */
  GHashTable *opaque;   /* VkDeviceMemory → VtrRangeSet, where only they lie; made when asked
                           for, dropped when something is bound or destroyed */
  GHashTable *recorded; /* VkCommandBuffer → GArray of Write */
  GHashTable *written;  /* VkDeviceMemory → VtrRangeSet, by all submissions so far (poison) */
  GPtrArray *pending;   /* Pending, oldest first */
  GHashTable *acquires; /* VkFence that an acquire was given last, not a submission */
} TransformGpuWrites;

#define MOST_SLICES 4096u /* of one copy that are followed */

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
  image->opaque =
    info->tiling == VK_IMAGE_TILING_OPTIMAL &&
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
begin_submission (TransformGpuWrites *self,
                  VkQueue             queue,
                  VkFence             fence)
{
  Pending *pending = g_new0 (Pending, 1);

  g_hash_table_remove (self->acquires, KEY (fence));

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
  Pending *pending = begin_submission (self, args->queue, args->fence);

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
  Pending *pending = begin_submission (self, args->queue, args->fence);

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

/* @fence is signalled. One that an acquire was given tells that a present is done, and with it some
 * submission: which, is not followed, and nothing is dropped then. */
static void
fence_done (TransformGpuWrites *self,
            VkFence             fence)
{
  if (g_hash_table_contains (self->acquires, KEY (fence)))
    g_ptr_array_set_size (self->pending, 0);
  else
    done (self, 0, VALUE (fence));
}

/* Whatever tells the program that the GPU is done. */
static void
note_wait (TransformGpuWrites *self,
           const VtrCommand   *command)
{
  gint32 result = command->has_result ? (gint32)command->result : VK_SUCCESS;

  switch (vtr_cmd_canonical (command->id))
    {
    /* What a value, an event, a query or a present stands for is not followed either. */
    case VTR_CMD_vkGetEventStatus:
      if (result == VK_EVENT_SET)
        g_ptr_array_set_size (self->pending, 0);
      break;
    case VTR_CMD_vkDeviceWaitIdle:
    case VTR_CMD_vkWaitSemaphores:
    case VTR_CMD_vkGetSemaphoreCounterValue:
    case VTR_CMD_vkGetQueryPoolResults:
    case VTR_CMD_vkWaitForPresentKHR:
      if (result == VK_SUCCESS)
        g_ptr_array_set_size (self->pending, 0);
      break;
    case VTR_CMD_vkQueueWaitIdle:
      if (result == VK_SUCCESS)
        done (self, VALUE (((const VtrArgs_vkQueueWaitIdle *)command->args)->queue), 0);
      break;
    case VTR_CMD_vkGetFenceStatus:
      if (result == VK_SUCCESS)
        fence_done (self, ((const VtrArgs_vkGetFenceStatus *)command->args)->fence);
      break;
    case VTR_CMD_vkWaitForFences:
      {
        const VtrArgs_vkWaitForFences *a = command->args;

        for (guint32 i = 0; result == VK_SUCCESS && a->pFences != NULL && i < a->fenceCount; i++)
          fence_done (self, a->pFences[i]);
        break;
      }
    case VTR_CMD_vkAcquireNextImageKHR:
      g_hash_table_add (self->acquires,
                        KEY (((const VtrArgs_vkAcquireNextImageKHR *)command->args)->fence));
      break;
    case VTR_CMD_vkAcquireNextImage2KHR:
      {
        const VtrArgs_vkAcquireNextImage2KHR *a = command->args;

        if (a->pAcquireInfo != NULL)
          g_hash_table_add (self->acquires, KEY (a->pAcquireInfo->fence));
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
  note_wait (self, command);
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
  for (guint i = 0; i < self->pending->len; i++)
    {
      const GArray *writes = ((const Pending *)g_ptr_array_index (self->pending, i))->writes;

      for (guint j = 0; j < writes->len; j++)
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
  g_ptr_array_unref (self->pending);
  g_hash_table_unref (self->acquires);
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
  g_hash_table_iter_init (&iter, known->images);
  while (g_hash_table_iter_next (&iter, &key, &value))
    g_hash_table_insert (self->images, key, g_memdup2 (value, sizeof (Image)));
  g_hash_table_iter_init (&iter, known->recorded);
  while (g_hash_table_iter_next (&iter, &key, &value))
    g_hash_table_insert (self->recorded, key, g_array_copy (value));
  g_hash_table_iter_init (&iter, known->acquires);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    g_hash_table_add (self->acquires, key);
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
  self->images = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  self->opaque = g_hash_table_new_full (NULL, NULL, NULL, set_free);
  self->recorded = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify)g_array_unref);
  self->written = g_hash_table_new_full (NULL, NULL, NULL, set_free);
  self->pending = g_ptr_array_new_with_free_func (pending_free);
  self->acquires = g_hash_table_new (NULL, NULL);
  return &self->parent;
}
