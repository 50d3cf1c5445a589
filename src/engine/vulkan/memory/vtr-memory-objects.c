/* Follows allocations, bindings, views and render passes. Descriptors are in vtr-memory-sets.c,
 * shaders in vtr-memory-addressing.c. */
#include "engine/vulkan/memory/vtr-memory-objects-private.h"
#include "engine/vulkan/state/vtr-newer-form.h"

#include "engine/vulkan/read/vtr-sparse-binds.h"
#include "api/vtr-api-args.h"
#include "vulkan/vtr-vulkan-facts.h"

#include <string.h>

#define KEY(handle) ((gpointer)(gsize)(handle))
#define VALUE(handle) ((guint64)(gsize)(handle))

VtrMemoryObjects *
vtr_memory_objects_new (VtrHistory *history,
                        VtrEffects *effects)
{
  VtrMemoryObjects *self = g_new0 (VtrMemoryObjects, 1);

  self->history = history;
  self->effects = effects;
  self->pools = g_array_ref (vtr_effects_get_spaces (effects));
  self->paged = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->buffers = g_array_new (FALSE, FALSE, sizeof (VtrMemoryBuffer));
  self->images = g_array_new (FALSE, FALSE, sizeof (VtrMemoryImage));
  self->parts = g_array_new (FALSE, FALSE, sizeof (VtrMemoryPart));
  self->sets = g_ptr_array_new_with_free_func (vtr_memory_set_free);
  self->kept = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < VTR_VULKAN_N_HANDLES; i++)
    self->by_handle[i] = g_hash_table_new (NULL, NULL);
  self->layouts = g_hash_table_new (NULL, NULL);
  self->framebuffers = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  self->render_passes = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  self->addressing = g_hash_table_new (NULL, NULL);
  self->query_bytes = g_hash_table_new (NULL, NULL);
  self->writes = vtr_memory_writes_new (history);
  self->clock = self->addresses_clock = 1;
  return self;
}

void
vtr_memory_objects_free (VtrMemoryObjects *self)
{
  g_array_unref (self->pools);
  g_array_unref (self->paged);
  g_array_unref (self->buffers);
  g_array_unref (self->images);
  g_array_unref (self->parts);
  g_ptr_array_unref (self->sets);
  for (guint i = 0; i < VTR_VULKAN_N_HANDLES; i++)
    g_hash_table_unref (self->by_handle[i]);
  g_hash_table_unref (self->layouts);
  g_hash_table_unref (self->framebuffers);
  g_hash_table_unref (self->render_passes);
  g_hash_table_unref (self->addressing);
  g_hash_table_unref (self->query_bytes);
  vtr_memory_writes_free (self->writes);
  g_ptr_array_unref (self->kept);
  g_free (self);
}

guint32
vtr_memory_objects_find (VtrMemoryObjects *self,
                         VtrHandleId       type,
                         guint64           handle)
{
  guint position = GPOINTER_TO_UINT (g_hash_table_lookup (self->by_handle[type], KEY (handle)));

  return position != 0 ? position - 1 : VTR_MEMORY_NONE;
}

void
vtr_memory_objects_name (VtrMemoryObjects *self,
                         VtrHandleId       type,
                         guint64           handle,
                         guint32           position)
{
  if (position == VTR_MEMORY_NONE)
    g_hash_table_remove (self->by_handle[type], KEY (handle));
  else
    g_hash_table_insert (self->by_handle[type], KEY (handle), GUINT_TO_POINTER (position + 1));
}

/* --- Memory and buffers ---------------------------------------------------------------------- */

static void
allocate (VtrMemoryObjects               *self,
          const VtrCommand               *command,
          const VtrArgs_vkAllocateMemory *args)
{
  const VtrObject *object;

  if (args->pAllocateInfo == NULL || args->pMemory == NULL)
    return;
  object = vtr_history_find (self->history,
                             vtr_vulkan_identity (VTR_HANDLE_VkDeviceMemory,
                                                  VALUE (*args->pMemory)),
                             command->index);
  if (object == NULL || !vtr_effects_add_space (self->effects, object->id,
                                                args->pAllocateInfo->allocationSize))
    return;
  vtr_memory_objects_name (self, VTR_HANDLE_VkDeviceMemory, object->handle, self->pools->len - 1);
}

static void
create_buffer (VtrMemoryObjects             *self,
               const VtrArgs_vkCreateBuffer *args)
{
  VtrMemoryBuffer buffer = { .pool = VTR_MEMORY_NONE };

  if (args->pCreateInfo == NULL || args->pBuffer == NULL)
    return;
  buffer.handle = VALUE (*args->pBuffer);
  buffer.size = args->pCreateInfo->size;
  buffer.usage = vtr_buffer_get_usage (args->pCreateInfo);
  buffer.sparse = (args->pCreateInfo->flags & VK_BUFFER_CREATE_SPARSE_BINDING_BIT) != 0;
  g_array_append_val (self->buffers, buffer);
  vtr_memory_objects_name (self, VTR_HANDLE_VkBuffer, buffer.handle, self->buffers->len - 1);
  if ((buffer.usage & VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT) != 0)
    self->addresses_clock = ++self->clock;
}

static void
destroy_buffer (VtrMemoryObjects *self,
                guint64           handle)
{
  guint32 at = vtr_memory_objects_find (self, VTR_HANDLE_VkBuffer, handle);
  VtrMemoryBuffer *buffer;

  if (at == VTR_MEMORY_NONE)
    return;
  buffer = &g_array_index (self->buffers, VtrMemoryBuffer, at);
  buffer->destroyed = TRUE;
  if ((buffer->usage & VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT) != 0)
    self->addresses_clock = ++self->clock;
  vtr_memory_objects_name (self, VTR_HANDLE_VkBuffer, handle, VTR_MEMORY_NONE);
}

static void
bind_buffer (VtrMemoryObjects *self,
             VkBuffer          handle,
             VkDeviceMemory    memory,
             VkDeviceSize      offset)
{
  guint32 at = vtr_memory_objects_find (self, VTR_HANDLE_VkBuffer, VALUE (handle));

  if (at == VTR_MEMORY_NONE)
    return;
  g_array_index (self->buffers, VtrMemoryBuffer, at).pool =
    vtr_memory_objects_find (self, VTR_HANDLE_VkDeviceMemory, VALUE (memory));
  g_array_index (self->buffers, VtrMemoryBuffer, at).offset = offset;
  self->clock++;
  self->addresses_clock = self->clock;
}

gboolean
vtr_memory_objects_locate_buffer (VtrMemoryObjects *self,
                                  guint32           buffer,
                                  guint64           offset,
                                  guint64           size,
                                  VtrRange         *out)
{
  const VtrMemoryBuffer *from;
  const VtrMemorySpace *pool;
  guint64 rest;

  if (buffer >= self->buffers->len)
    return FALSE;
  from = &g_array_index (self->buffers, VtrMemoryBuffer, buffer);
  if (from->pool == VTR_MEMORY_NONE || offset >= from->size)
    return FALSE;
  pool = &g_array_index (self->pools, VtrMemorySpace, from->pool);
  if (from->offset >= pool->size || offset >= pool->size - from->offset)
    return FALSE;
  rest = MIN (from->size - offset, pool->size - from->offset - offset);
  out->begin = pool->base + from->offset + offset;
  out->end = out->begin + MIN (size, rest);
  return out->begin < out->end;
}

guint32
vtr_memory_objects_find_address (VtrMemoryObjects *self,
                                 guint64           address,
                                 guint64          *offset)
{
  for (guint32 i = self->buffers->len; i > 0; i--)
    {
      const VtrMemoryBuffer *buffer = &g_array_index (self->buffers, VtrMemoryBuffer, i - 1);

      if (!buffer->destroyed && buffer->address != 0 && address >= buffer->address &&
          address - buffer->address < buffer->size)
        {
          *offset = address - buffer->address;
          return i - 1;
        }
    }
  return VTR_MEMORY_NONE;
}

static void
note_page (VkDeviceMemory memory,
           gpointer       data)
{
  VtrMemoryObjects *self = data;
  guint32 at = vtr_memory_objects_find (self, VTR_HANDLE_VkDeviceMemory, VALUE (memory));

  if (at == VTR_MEMORY_NONE)
    return;
  for (guint i = 0; i < self->paged->len; i++)
    if (g_array_index (self->paged, guint32, i) == at)
      return;
  g_array_append_val (self->paged, at);
  self->clock++;
  self->addresses_clock = self->clock;
}

static void
note_address (VtrMemoryObjects                       *self,
              const VtrCommand                       *command,
              const VtrArgs_vkGetBufferDeviceAddress *args)
{
  guint32 at;

  if (args->pInfo == NULL || !command->has_result)
    return;
  at = vtr_memory_objects_find (self, VTR_HANDLE_VkBuffer, VALUE (args->pInfo->buffer));
  if (at != VTR_MEMORY_NONE)
    g_array_index (self->buffers, VtrMemoryBuffer, at).address = command->result;
}

static void
create_buffer_view (VtrMemoryObjects                 *self,
                    const VtrArgs_vkCreateBufferView *args)
{
  VtrMemoryPart part;

  if (args->pCreateInfo == NULL || args->pView == NULL)
    return;
  part.buffer =
    vtr_memory_objects_find (self, VTR_HANDLE_VkBuffer, VALUE (args->pCreateInfo->buffer));
  part.offset = args->pCreateInfo->offset;
  part.size = args->pCreateInfo->range;
  g_array_append_val (self->parts, part);
  vtr_memory_objects_name (self, VTR_HANDLE_VkBufferView, VALUE (*args->pView),
                           self->parts->len - 1);
}

static void
create_acceleration (VtrMemoryObjects                               *self,
                     const VtrArgs_vkCreateAccelerationStructureKHR *args)
{
  VtrMemoryPart part;

  if (args->pCreateInfo == NULL || args->pAccelerationStructure == NULL)
    return;
  part.buffer =
    vtr_memory_objects_find (self, VTR_HANDLE_VkBuffer, VALUE (args->pCreateInfo->buffer));
  part.offset = args->pCreateInfo->offset;
  part.size = args->pCreateInfo->size;
  g_array_append_val (self->parts, part);
  vtr_memory_objects_name (self, VTR_HANDLE_VkAccelerationStructureKHR,
                           VALUE (*args->pAccelerationStructure), self->parts->len - 1);
}

/* --- Images ---------------------------------------------------------------------------------- */

static void
destroy_image (VtrMemoryObjects *self,
               guint64           handle)
{
  const guint32 at = vtr_memory_objects_find (self, VTR_HANDLE_VkImage, handle);

  if (at < self->images->len)
    {
      if (g_array_index (self->images, VtrMemoryImage, at).storage)
        self->addresses_clock = ++self->clock;
      g_array_index (self->images, VtrMemoryImage, at).storage = FALSE;
    }
  vtr_memory_objects_name (self, VTR_HANDLE_VkImage, handle, VTR_MEMORY_NONE);
}

static void
create_image (VtrMemoryObjects            *self,
              const VtrCommand            *command,
              const VtrArgs_vkCreateImage *args)
{
  VtrMemoryImage image = { 0 };
  const VtrObject *object;

  if (args->pCreateInfo == NULL || args->pImage == NULL)
    return;
  object = vtr_history_find (self->history,
                             vtr_vulkan_identity (VTR_HANDLE_VkImage, VALUE (*args->pImage)),
                             command->index);
  image.id = object != NULL ? object->id : 0;
  image.format = args->pCreateInfo->format;
  image.sparse = (args->pCreateInfo->flags & VK_IMAGE_CREATE_SPARSE_BINDING_BIT) != 0;
  image.storage = (args->pCreateInfo->usage & VK_IMAGE_USAGE_STORAGE_BIT) != 0;
  image.tiling = args->pCreateInfo->tiling;
  image.mip_levels = args->pCreateInfo->mipLevels;
  image.array_layers = args->pCreateInfo->arrayLayers;
  for (guint i = 0; i < VTR_MEMORY_PLANES; i++)
    image.planes[i].pool = VTR_MEMORY_NONE;
  g_array_append_val (self->images, image);
  vtr_memory_objects_name (self, VTR_HANDLE_VkImage, VALUE (*args->pImage), self->images->len - 1);
}

static VtrMemoryImage *
find_image (VtrMemoryObjects *self,
            VkImage           handle)
{
  guint32 at = vtr_memory_objects_find (self, VTR_HANDLE_VkImage, VALUE (handle));

  return at != VTR_MEMORY_NONE ? &g_array_index (self->images, VtrMemoryImage, at) : NULL;
}

static guint
plane_of (VkImageAspectFlagBits aspect)
{
  return aspect == VK_IMAGE_ASPECT_PLANE_1_BIT ? 1 : aspect == VK_IMAGE_ASPECT_PLANE_2_BIT ? 2
                                                                                           : 0;
}

static void
bind_image (VtrMemoryObjects *self,
            VkImage           handle,
            VkDeviceMemory    memory,
            VkDeviceSize      offset,
            guint             plane)
{
  VtrMemoryImage *image = find_image (self, handle);

  if (image == NULL)
    return;
  image->planes[plane].pool =
    vtr_memory_objects_find (self, VTR_HANDLE_VkDeviceMemory, VALUE (memory));
  image->planes[plane].offset = offset;
  self->clock++;
  if (image->storage)
    self->addresses_clock = self->clock;
}

static void
bind_image_of (VtrMemoryObjects            *self,
               const VkBindImageMemoryInfo *info)
{
  const VkBindImagePlaneMemoryInfo *plane =
    vtr_api_find_next (info->pNext, VK_STRUCTURE_TYPE_BIND_IMAGE_PLANE_MEMORY_INFO);

  bind_image (self, info->image, info->memory, info->memoryOffset,
              plane != NULL ? plane_of (plane->planeAspect) : 0);
}

static void
note_requirements (VtrMemoryObjects                            *self,
                   const VtrArgs_vkGetImageMemoryRequirements2 *args)
{
  const VkImagePlaneMemoryRequirementsInfo *plane;
  VtrMemoryImage *image;

  if (args->pInfo == NULL || args->pMemoryRequirements == NULL)
    return;
  image = find_image (self, args->pInfo->image);
  plane = vtr_api_find_next (args->pInfo->pNext,
                             VK_STRUCTURE_TYPE_IMAGE_PLANE_MEMORY_REQUIREMENTS_INFO);
  if (image != NULL)
    image->planes[plane != NULL ? plane_of (plane->planeAspect) : 0].size =
      args->pMemoryRequirements->memoryRequirements.size;
}

static void
note_layout (VtrMemoryObjects                          *self,
             const VtrArgs_vkGetImageSubresourceLayout *args)
{
  VtrMemoryImage *image = find_image (self, args->image);

  if (image != NULL && args->pSubresource != NULL && args->pLayout != NULL &&
      args->pSubresource->mipLevel == 0 && args->pSubresource->arrayLayer == 0)
    image->layout = *args->pLayout;
}

gboolean
vtr_memory_objects_locate_image (VtrMemoryObjects *self,
                                 guint32           image,
                                 guint             plane,
                                 VtrRange         *out)
{
  const VtrMemoryBinding *binding;
  const VtrMemorySpace *pool;
  guint64 size;

  if (image >= self->images->len || plane >= VTR_MEMORY_PLANES)
    return FALSE;
  binding = &g_array_index (self->images, VtrMemoryImage, image).planes[plane];
  if (binding->pool == VTR_MEMORY_NONE)
    return FALSE;
  pool = &g_array_index (self->pools, VtrMemorySpace, binding->pool);
  if (binding->offset >= pool->size)
    return FALSE;
  /* Without requirements: all that is left of the allocation. */
  size = pool->size - binding->offset;
  if (binding->size != 0)
    size = MIN (size, binding->size);
  out->begin = pool->base + binding->offset;
  out->end = out->begin + size;
  return TRUE;
}

guint32
vtr_memory_objects_find_view_image (VtrMemoryObjects *self,
                                    guint64           view)
{
  return vtr_memory_objects_find (self, VTR_HANDLE_VkImageView, view);
}

static void
create_image_view (VtrMemoryObjects                *self,
                   const VtrArgs_vkCreateImageView *args)
{
  if (args->pCreateInfo != NULL && args->pView != NULL)
    vtr_memory_objects_name (
      self, VTR_HANDLE_VkImageView, VALUE (*args->pView),
      vtr_memory_objects_find (self, VTR_HANDLE_VkImage, VALUE (args->pCreateInfo->image)));
}

/* --- Queries --------------------------------------------------------------------------------- */

/* Values that one query of a pool gives. */
static void
create_query_pool (VtrMemoryObjects                *self,
                   const VtrArgs_vkCreateQueryPool *args)
{
  const VkQueryPoolCreateInfo *info = args->pCreateInfo;
  guint n = 1;

  if (info == NULL || args->pQueryPool == NULL)
    return;
  if (info->queryType == VK_QUERY_TYPE_PIPELINE_STATISTICS)
    n = (guint)__builtin_popcount (info->pipelineStatistics);
  else if (info->queryType == VK_QUERY_TYPE_TRANSFORM_FEEDBACK_STREAM_EXT)
    n = 2;
  else if (info->queryType == VK_QUERY_TYPE_PERFORMANCE_QUERY_KHR)
    n = 0; /* as many as counters: not followed */
  g_hash_table_insert (self->query_bytes, KEY (*args->pQueryPool), GUINT_TO_POINTER (n));
}

/* --- All of it ------------------------------------------------------------------------------- */

gboolean
vtr_memory_objects_wants (VtrCmdId id)
{
  switch (vtr_cmd_newer_form (id))
    {
    case VTR_CMD_vkAllocateMemory:
    case VTR_CMD_vkFreeMemory:
    case VTR_CMD_vkCreateBuffer:
    case VTR_CMD_vkDestroyBuffer:
    case VTR_CMD_vkBindBufferMemory2:
    case VTR_CMD_vkQueueBindSparse:
    case VTR_CMD_vkGetBufferDeviceAddress:
    case VTR_CMD_vkCreateBufferView:
    case VTR_CMD_vkCreateAccelerationStructureKHR:
    case VTR_CMD_vkCreateImage:
    case VTR_CMD_vkDestroyImage:
    case VTR_CMD_vkBindImageMemory2:
    case VTR_CMD_vkGetImageMemoryRequirements2:
    case VTR_CMD_vkGetImageSubresourceLayout:
    case VTR_CMD_vkCreateImageView:
    case VTR_CMD_vkCreateFramebuffer:
    case VTR_CMD_vkCreateRenderPass2:
    case VTR_CMD_vkCreateQueryPool:
      return TRUE;
    default:
      return vtr_memory_sets_want (id) || vtr_memory_addressing_wants (id);
    }
}

/* The pass has to know when a resource gets its memory, because ranges that it resolved before
 * are then stale. Facts that hold for the whole life of an object do not tell that. */
static void
place_resource (VtrMemoryObjects *self,
                const VtrCommand *command)
{
  g_auto (VtrNewerForm) form;

  vtr_newer_form_init (&form, command);
  if (form.command.id == VTR_CMD_vkBindBufferMemory2)
    {
      const VtrArgs_vkBindBufferMemory2 *args = form.command.args;

      for (guint32 i = 0; args->pBindInfos != NULL && i < args->bindInfoCount; i++)
        bind_buffer (self, args->pBindInfos[i].buffer, args->pBindInfos[i].memory,
                     args->pBindInfos[i].memoryOffset);
    }
  else if (form.command.id == VTR_CMD_vkBindImageMemory2)
    {
      const VtrArgs_vkBindImageMemory2 *args = form.command.args;

      for (guint32 i = 0; args->pBindInfos != NULL && i < args->bindInfoCount; i++)
        bind_image_of (self, &args->pBindInfos[i]);
    }
  else
    note_requirements (self, form.command.args);
}

static void
apply_image_or_pass (VtrMemoryObjects *self,
                     const VtrCommand *command)
{
  switch (vtr_cmd_newer_form (command->id))
    {
    case VTR_CMD_vkCreateImage:
      create_image (self, command, command->args);
      break;
    case VTR_CMD_vkDestroyImage:
      destroy_image (self, VALUE (((const VtrArgs_vkDestroyImage *)command->args)->image));
      break;
    case VTR_CMD_vkBindImageMemory2:
    case VTR_CMD_vkGetImageMemoryRequirements2:
      place_resource (self, command);
      break;
    case VTR_CMD_vkGetImageSubresourceLayout:
      note_layout (self, command->args);
      break;
    case VTR_CMD_vkCreateImageView:
      create_image_view (self, command->args);
      break;
    case VTR_CMD_vkCreateFramebuffer:
      vtr_memory_objects_create_framebuffer (self, command->args);
      break;
    case VTR_CMD_vkCreateRenderPass2:
      vtr_memory_objects_create_render_pass (self, command);
      break;
    case VTR_CMD_vkCreateQueryPool:
      create_query_pool (self, command->args);
      break;
    default:
      vtr_memory_addressing_apply (self, command);
      break;
    }
}

void
vtr_memory_objects_apply (VtrMemoryObjects *self,
                          const VtrCommand *command)
{
  switch (vtr_cmd_newer_form (command->id))
    {
    case VTR_CMD_vkAllocateMemory:
      allocate (self, command, command->args);
      break;
    case VTR_CMD_vkFreeMemory:
      vtr_memory_objects_name (self, VTR_HANDLE_VkDeviceMemory,
                               VALUE (((const VtrArgs_vkFreeMemory *)command->args)->memory),
                               VTR_MEMORY_NONE);
      break;
    case VTR_CMD_vkCreateBuffer:
      create_buffer (self, command->args);
      break;
    case VTR_CMD_vkDestroyBuffer:
      destroy_buffer (self, VALUE (((const VtrArgs_vkDestroyBuffer *)command->args)->buffer));
      break;
    case VTR_CMD_vkBindBufferMemory2:
      place_resource (self, command);
      break;
    case VTR_CMD_vkQueueBindSparse:
      {
        const VtrArgs_vkQueueBindSparse *a = command->args;

        for (guint32 i = 0; a->pBindInfo != NULL && i < a->bindInfoCount; i++)
          vtr_sparse_binds_foreach_memory (&a->pBindInfo[i], note_page, self);
        break;
      }
    case VTR_CMD_vkGetBufferDeviceAddress:
      note_address (self, command, command->args);
      break;
    case VTR_CMD_vkCreateBufferView:
      create_buffer_view (self, command->args);
      break;
    case VTR_CMD_vkCreateAccelerationStructureKHR:
      create_acceleration (self, command->args);
      break;
    default:
      if (!vtr_memory_sets_apply (self, command))
        apply_image_or_pass (self, command);
      break;
    }
}
