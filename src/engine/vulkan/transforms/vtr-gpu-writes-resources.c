/* Follows where buffers and images lie in memory, to find what the GPU writes. */
#include "engine/vulkan/transforms/vtr-gpu-writes-private.h"
#include "engine/vulkan/state/vtr-newer-form.h"

#include "base/vtr-must.h"
#include "engine/vulkan/read/vtr-sparse-binds.h"

static void
create_buffer (VtrGpuWrites                 *self,
               const VtrArgs_vkCreateBuffer *args)
{
  VtrGpuBuffer *buffer;

  if (args->pCreateInfo == NULL || args->pBuffer == NULL)
    return;
  buffer = g_new0 (VtrGpuBuffer, 1);
  buffer->size = args->pCreateInfo->size;
  g_hash_table_replace (self->buffers, VTR_GPU_KEY (*args->pBuffer), buffer);
}

/* New contents are expected where a buffer begins its life. */
static void
bind_buffer (VtrGpuWrites   *self,
             VkBuffer        handle,
             VkDeviceMemory  memory,
             VkDeviceSize    offset)
{
  VtrGpuBuffer *buffer = g_hash_table_lookup (self->buffers, VTR_GPU_KEY (handle));
  VtrRangeSet *written = g_hash_table_lookup (self->written, VTR_GPU_KEY (memory));
  guint64 end;

  if (buffer == NULL || __builtin_add_overflow (offset, buffer->size, &end))
    return;
  buffer->memory = VTR_GPU_VALUE (memory);
  buffer->offset = offset;
  g_hash_table_remove (self->opaque, VTR_GPU_KEY (memory));
  if (written != NULL)
    vtr_must (vtr_range_set_remove (written, offset, end));
}

static void
destroy_buffer (VtrGpuWrites *self,
                VkBuffer      handle)
{
  const VtrGpuBuffer *buffer = g_hash_table_lookup (self->buffers, VTR_GPU_KEY (handle));

  if (buffer == NULL)
    return;
  g_hash_table_remove (self->opaque, VTR_GPU_KEY (buffer->memory));
  g_hash_table_remove (self->buffers, VTR_GPU_KEY (handle));
}

static void
create_image (VtrGpuWrites                *self,
              const VtrArgs_vkCreateImage *args)
{
  const VkImageCreateInfo *info = args->pCreateInfo;
  VtrGpuImage *image;

  if (info == NULL || args->pImage == NULL)
    return;
  image = g_new0 (VtrGpuImage, 1);
  image->format = info->format;
  /* In a mid-run capture, the contents of transient images exist only in memory. */
  image->opaque =
    info->tiling == VK_IMAGE_TILING_OPTIMAL &&
    (info->usage & VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT) == 0 &&
    (info->flags & (VK_IMAGE_CREATE_DISJOINT_BIT | VK_IMAGE_CREATE_SPARSE_BINDING_BIT)) == 0;
  g_hash_table_replace (self->images, VTR_GPU_KEY (*args->pImage), image);
}

static void
note_requirements (VtrGpuWrites               *self,
                   VkImage                     handle,
                   const VkMemoryRequirements *requirements)
{
  VtrGpuImage *image = g_hash_table_lookup (self->images, VTR_GPU_KEY (handle));

  if (image != NULL && requirements != NULL)
    image->size = requirements->size;
}

static void
bind_image (VtrGpuWrites   *self,
            VkImage         handle,
            VkDeviceMemory  memory,
            VkDeviceSize    offset)
{
  VtrGpuImage *image = g_hash_table_lookup (self->images, VTR_GPU_KEY (handle));

  if (image == NULL)
    return;
  image->memory = VTR_GPU_VALUE (memory);
  image->offset = offset;
  g_hash_table_remove (self->opaque, VTR_GPU_KEY (memory));
}

static void
destroy_image (VtrGpuWrites *self,
               VkImage       handle)
{
  const VtrGpuImage *image = g_hash_table_lookup (self->images, VTR_GPU_KEY (handle));

  if (image == NULL)
    return;
  g_hash_table_remove (self->opaque, VTR_GPU_KEY (image->memory));
  g_hash_table_remove (self->images, VTR_GPU_KEY (handle));
}

static void
free_memory (VtrGpuWrites   *self,
             VkDeviceMemory  memory)
{
  GHashTableIter iter;
  gpointer value;

  g_hash_table_remove (self->paged, VTR_GPU_KEY (memory));
  g_hash_table_remove (self->written, VTR_GPU_KEY (memory));
  g_hash_table_remove (self->opaque, VTR_GPU_KEY (memory));
  /* The handle may come back for memory that they have no part in. */
  g_hash_table_iter_init (&iter, self->images);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    if (((VtrGpuImage *)value)->memory == VTR_GPU_VALUE (memory))
      ((VtrGpuImage *)value)->memory = 0;
  g_hash_table_iter_init (&iter, self->buffers);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    if (((VtrGpuBuffer *)value)->memory == VTR_GPU_VALUE (memory))
      ((VtrGpuBuffer *)value)->memory = 0;
}

/* Where pages are bound, by anything that may lie anywhere, no place is an image's alone. */
static void
note_page (VkDeviceMemory memory,
           gpointer       data)
{
  VtrGpuWrites *self = data;

  if (memory != VK_NULL_HANDLE && g_hash_table_add (self->paged, VTR_GPU_KEY (memory)))
    g_hash_table_remove (self->opaque, VTR_GPU_KEY (memory));
}

const VtrRangeSet *
vtr_gpu_writes_opaque_ranges (VtrGpuWrites *self,
                              guint64       memory)
{
  VtrRangeSet *set = g_hash_table_lookup (self->opaque, VTR_GPU_KEY (memory));
  GHashTableIter iter;
  gpointer value;

  if (set != NULL)
    return set;
  set = g_new0 (VtrRangeSet, 1);
  g_hash_table_insert (self->opaque, VTR_GPU_KEY (memory), set);
  if (g_hash_table_contains (self->paged, VTR_GPU_KEY (memory)))
    return set;
  g_hash_table_iter_init (&iter, self->images);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      const VtrGpuImage *image = value;

      if (image->memory == memory && image->opaque && image->size <= G_MAXUINT64 - image->offset)
        vtr_must (vtr_range_set_add (set, image->offset, image->offset + image->size));
    }
  g_hash_table_iter_init (&iter, self->images);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      const VtrGpuImage *image = value;

      if (image->memory == memory && !image->opaque)
        vtr_must (vtr_range_set_remove (
          set, image->offset,
          image->size == 0 || image->size > G_MAXUINT64 - image->offset
            ? G_MAXUINT64
            : image->offset + image->size));
    }
  g_hash_table_iter_init (&iter, self->buffers);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      const VtrGpuBuffer *buffer = value;

      if (buffer->memory == memory)
        vtr_must (
          vtr_range_set_remove (set, buffer->offset, buffer->offset + buffer->size));
    }
  return set;
}

/* What a call says of where resources lie, and how long they are there. Of the replay's own stream,
 * which may differ from the trace: facts of the trace do not answer. */
static void
note_place (VtrGpuWrites     *self,
            const VtrCommand *command)
{
  g_auto (VtrNewerForm) form;

  vtr_newer_form_init (&form, command);
  if (form.command.id == VTR_CMD_vkGetImageMemoryRequirements2)
    {
      const VtrArgs_vkGetImageMemoryRequirements2 *args = form.command.args;

      if (args->pInfo != NULL && args->pMemoryRequirements != NULL)
        note_requirements (self, args->pInfo->image,
                           &args->pMemoryRequirements->memoryRequirements);
    }
  else if (form.command.id == VTR_CMD_vkBindImageMemory2)
    {
      const VtrArgs_vkBindImageMemory2 *args = form.command.args;

      for (guint32 i = 0; args->pBindInfos != NULL && i < args->bindInfoCount; i++)
        bind_image (self, args->pBindInfos[i].image, args->pBindInfos[i].memory,
                    args->pBindInfos[i].memoryOffset);
    }
  else
    {
      const VtrArgs_vkBindBufferMemory2 *args = form.command.args;

      for (guint32 i = 0; args->pBindInfos != NULL && i < args->bindInfoCount; i++)
        bind_buffer (self, args->pBindInfos[i].buffer, args->pBindInfos[i].memory,
                     args->pBindInfos[i].memoryOffset);
    }
}

void
vtr_gpu_writes_note (VtrGpuWrites     *self,
                     const VtrCommand *command)
{
  switch (vtr_cmd_newer_form (command->id))
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
    case VTR_CMD_vkGetImageMemoryRequirements2:
    case VTR_CMD_vkBindImageMemory2:
    case VTR_CMD_vkBindBufferMemory2:
      note_place (self, command);
      break;
    case VTR_CMD_vkQueueBindSparse:
      {
        const VtrArgs_vkQueueBindSparse *a = command->args;

        for (guint32 i = 0; a->pBindInfo != NULL && i < a->bindInfoCount; i++)
          vtr_sparse_binds_foreach_memory (&a->pBindInfo[i], note_page, self);
        break;
      }
    case VTR_CMD_vkFreeMemory:
      free_memory (self, ((const VtrArgs_vkFreeMemory *)command->args)->memory);
      break;
    default:
      break;
    }
}
