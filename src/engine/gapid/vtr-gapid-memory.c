/* Restores memory from GAPID's state: bindings, mappings, and the contents of pools. */
#include "engine/gapid/vtr-gapid-builder-private.h"
#include "engine/vulkan/read/vtr-trace-device.h"

#include "vtr-config.h"
#include "vulkan/vtr-vulkan-formats.h"

#include <glib/gi18n-lib.h>
#include <string.h>

/* A slice is read whole where an API wants it whole: code, constants. */
#define MAX_SLICE (64 * 1024 * 1024)

/* ---- Binding ---- */

static void
bind_buffer (VtrGapidBuilder *self,
             VtrGapidObject  *object)
{
  VtrGapidValue *memory = vtr_gapid_get (object->value, "Memory");
  VtrArgs_vkBindBufferMemory args = {
    .device = VTR_GAPID_HANDLE (VkDevice, object->device),
    .buffer = VTR_GAPID_HANDLE (VkBuffer, object->handle),
    .memoryOffset = vtr_gapid_get_number (object->value, "MemoryOffset"),
  };
  guint64 handle =
    memory != NULL ? vtr_gapid_handle_of (self, VTR_HANDLE_VkDeviceMemory, memory) : 0;

  if (handle == 0)
    return;
  args.memory = VTR_GAPID_HANDLE (VkDeviceMemory, handle);
  vtr_gapid_emit (self, VTR_CMD_vkBindBufferMemory, &args);
}

/* The aspect of a plane's key: one of the bits, or its number. */
static VkImageAspectFlagBits
plane_aspect (guint64 key)
{
  switch (key)
    {
    case VK_IMAGE_ASPECT_PLANE_0_BIT:
    case VK_IMAGE_ASPECT_PLANE_1_BIT:
    case VK_IMAGE_ASPECT_PLANE_2_BIT:
      return (VkImageAspectFlagBits)key;
    default:
      return (VkImageAspectFlagBits)(VK_IMAGE_ASPECT_PLANE_0_BIT << MIN (key, 2));
    }
}

static void
bind_plane (VtrGapidBuilder      *self,
            const VtrGapidObject *object,
            const VtrGapidEntry  *entry,
            gboolean              disjoint)
{
  VtrGapidValue *memory = vtr_gapid_get (entry->value, "BoundMemory");
  const VkBindImagePlaneMemoryInfo plane = {
    .sType = VK_STRUCTURE_TYPE_BIND_IMAGE_PLANE_MEMORY_INFO,
    .planeAspect = plane_aspect (entry->key),
  };
  VkBindImageMemoryInfo info = {
    .sType = VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_INFO,
    .pNext = &plane,
    .image = VTR_GAPID_HANDLE (VkImage, object->handle),
    .memoryOffset = vtr_gapid_get_number (entry->value, "BoundMemoryOffset"),
  };
  guint64 handle =
    memory != NULL ? vtr_gapid_handle_of (self, VTR_HANDLE_VkDeviceMemory, memory) : 0;
  VkDevice device = VTR_GAPID_HANDLE (VkDevice, object->device);

  if (handle == 0)
    return;
  info.memory = VTR_GAPID_HANDLE (VkDeviceMemory, handle);
  if (disjoint)
    {
      const VtrArgs_vkBindImageMemory2 args = { device, 1, &info };

      vtr_gapid_emit (self, VTR_CMD_vkBindImageMemory2, &args);
    }
  else
    {
      const VtrArgs_vkBindImageMemory args = { device, info.image, info.memory,
                                               info.memoryOffset };

      vtr_gapid_emit (self, VTR_CMD_vkBindImageMemory, &args);
    }
}

static void
bind_image (VtrGapidBuilder *self,
            VtrGapidObject  *object)
{
  VtrGapidValue *info = vtr_gapid_get (object->value, "Info");
  gboolean disjoint =
    (vtr_gapid_get_number (info, "Flags") & VK_IMAGE_CREATE_DISJOINT_BIT) != 0;
  const VtrGapidEntry *planes;
  gsize n;

  if (vtr_gapid_get_number (object->value, "IsSwapchainImage") != 0)
    return;
  planes = vtr_gapid_list_entries (vtr_gapid_get (object->value, "PlaneMemoryInfo"), &self->arena,
                                   &n);
  for (gsize i = 0; i < MIN (n, 3); i++)
    bind_plane (self, object, &planes[i], disjoint);
}

/* ---- Sparse binding ---- */

/* Any queue of a device whose family can do all of @flags. */
static guint64
find_queue (VtrGapidBuilder *self,
            guint64          device,
            VkQueueFlags     flags)
{
  const VtrTraceDevice *described = NULL;
  const VtrGapidEntry *queues;
  guint64 found = 0;
  VtrArena arena;
  gsize n;

  for (guint i = 0; i < self->out->devices->len; i++)
    if (((VtrTraceDevice *)g_ptr_array_index (self->out->devices, i))->device == device)
      described = g_ptr_array_index (self->out->devices, i);
  vtr_arena_init (&arena);
  queues = vtr_gapid_list_entries (vtr_gapid_get (self->state, "Queues"), &arena, &n);
  for (gsize i = 0; i < n && found == 0; i++)
    {
      guint64 family = vtr_gapid_get_number (queues[i].value, "Family");

      if (vtr_gapid_get_number (queues[i].value, "Device") == device &&
          vtr_gapid_is_made (self, VTR_HANDLE_VkQueue, queues[i].key) &&
          (described == NULL || described->n_queue_families == 0 ||
           (family < described->n_queue_families &&
            (described->queue_families[family].queueFlags & flags) == flags)))
        found = queues[i].key;
    }
  vtr_arena_finish (&arena);
  return found;
}

VkQueue
vtr_gapid_find_queue (VtrGapidBuilder *self,
                      guint64          device,
                      VtrGapidValue   *preferred,
                      VkQueueFlags     flags,
                      guint32         *family)
{
  guint64 handle = preferred != NULL ? vtr_gapid_handle_of (self, VTR_HANDLE_VkQueue,
                                                            preferred)
                                     : 0;
  VtrGapidObject *queue;

  if (handle == 0)
    handle = find_queue (self, device, flags);
  queue = handle != 0 ? vtr_gapid_find (self, VTR_HANDLE_VkQueue, handle) : NULL;
  if (queue == NULL || queue->device != device)
    return NULL;
  *family = (guint32)vtr_gapid_get_number (queue->value, "Family");
  return VTR_GAPID_HANDLE (VkQueue, queue->handle);
}

static void
emit_sparse (VtrGapidBuilder        *self,
             const VtrGapidObject   *object,
             const VkBindSparseInfo *info)
{
  guint32 family = 0;
  VtrArgs_vkQueueBindSparse args = { .bindInfoCount = 1, .pBindInfo = info };
  VtrArgs_vkQueueWaitIdle wait;

  args.queue = vtr_gapid_find_queue (self, object->device, NULL, VK_QUEUE_SPARSE_BINDING_BIT,
                                     &family);
  if (args.queue == NULL || self->filler.incomplete)
    {
      vtr_gapid_note (self, _ ("the sparse memory of a %s"),
                      vtr_api_string (vtr_handle_get (object->klass->type)->name));
      return;
    }
  vtr_gapid_emit (self, VTR_CMD_vkQueueBindSparse, &args);
  wait.queue = args.queue;
  vtr_gapid_emit (self, VTR_CMD_vkQueueWaitIdle, &wait);
}

static void
bind_sparse_buffer (VtrGapidBuilder *self,
                    VtrGapidObject  *object)
{
  VkSparseBufferMemoryBindInfo buffer = { .buffer = VTR_GAPID_HANDLE (VkBuffer, object->handle) };
  const VkBindSparseInfo info = {
    .sType = VK_STRUCTURE_TYPE_BIND_SPARSE_INFO,
    .bufferBindCount = 1,
    .pBufferBinds = &buffer,
  };

  buffer.pBinds = vtr_gapid_fill_array (&self->filler, VTR_STRUCT_VkSparseMemoryBind,
                                        vtr_gapid_get (object->value, "SparseMemoryBindings"),
                                        &buffer.bindCount);
  if (buffer.bindCount > 0)
    emit_sparse (self, object, &info);
}

/* The blocks of one level of one layer. */
static void
add_blocks (VtrGapidBuilder *self,
            GArray          *binds,
            guint64          aspect,
            guint64          layer,
            guint64          level,
            VtrGapidValue   *map)
{
  gsize n;
  const VtrGapidEntry *blocks = vtr_gapid_list_entries (map, &self->arena, &n);

  for (gsize i = 0; i < n; i++)
    {
      VkSparseImageMemoryBind bind = {
        .subresource = { (VkImageAspectFlags)aspect, (guint32)level, (guint32)layer },
      };

      if (blocks[i].value == NULL)
        continue;
      vtr_gapid_fill_struct (&self->filler, VTR_STRUCT_VkSparseImageMemoryBind, blocks[i].value,
                             &bind);
      g_array_append_val (binds, bind);
    }
}

static void
add_aspect (VtrGapidBuilder     *self,
            GArray              *binds,
            const VtrGapidEntry *aspect)
{
  gsize n_layers, n_levels;
  const VtrGapidEntry *layers =
    vtr_gapid_list_entries (vtr_gapid_get (aspect->value, "Layers"), &self->arena, &n_layers);

  for (gsize i = 0; i < n_layers; i++)
    {
      const VtrGapidEntry *levels =
        vtr_gapid_list_entries (vtr_gapid_get (layers[i].value, "Levels"), &self->arena, &n_levels);

      for (gsize k = 0; k < n_levels; k++)
        add_blocks (self, binds, aspect->key, layers[i].key, levels[k].key,
                    vtr_gapid_get (levels[k].value, "Blocks"));
    }
}

static void
bind_sparse_image (VtrGapidBuilder *self,
                   VtrGapidObject  *object)
{
  VkImage image = VTR_GAPID_HANDLE (VkImage, object->handle);
  VkSparseImageOpaqueMemoryBindInfo opaque = { .image = image };
  VkSparseImageMemoryBindInfo blocks = { .image = image };
  g_autoptr (GArray) binds = g_array_new (FALSE, TRUE, sizeof (VkSparseImageMemoryBind));
  VkBindSparseInfo info = {
    .sType = VK_STRUCTURE_TYPE_BIND_SPARSE_INFO,
    .pImageOpaqueBinds = &opaque,
    .pImageBinds = &blocks,
  };
  const VtrGapidEntry *aspects;
  gsize n;

  opaque.pBinds =
    vtr_gapid_fill_array (&self->filler, VTR_STRUCT_VkSparseMemoryBind,
                          vtr_gapid_get (object->value, "OpaqueSparseMemoryBindings"),
                          &opaque.bindCount);
  aspects = vtr_gapid_list_entries (vtr_gapid_get (object->value, "SparseImageMemoryBindings"),
                                    &self->arena, &n);
  for (gsize i = 0; i < n; i++)
    add_aspect (self, binds, &aspects[i]);
  blocks.bindCount = binds->len;
  blocks.pBinds = (const VkSparseImageMemoryBind *)(gpointer)binds->data;
  info.imageOpaqueBindCount = opaque.bindCount > 0;
  info.imageBindCount = blocks.bindCount > 0;
  if (info.imageOpaqueBindCount + info.imageBindCount > 0)
    emit_sparse (self, object, &info);
}

void
vtr_gapid_bind_all (VtrGapidBuilder *self)
{
  vtr_gapid_each (self, VTR_HANDLE_VkBuffer, bind_buffer);
  vtr_gapid_each (self, VTR_HANDLE_VkImage, bind_image);
  vtr_gapid_each (self, VTR_HANDLE_VkBuffer, bind_sparse_buffer);
  vtr_gapid_each (self, VTR_HANDLE_VkImage, bind_sparse_image);
}

/* ---- Mapping ---- */

static void
map_memory (VtrGapidBuilder *self,
            VtrGapidObject  *object)
{
  guint64 location = vtr_gapid_get_number (object->value, "MappedLocation");
  void *address = VTR_GAPID_HANDLE (void *, location);
  const VtrArgs_vkMapMemory args = {
    .device = VTR_GAPID_HANDLE (VkDevice, object->device),
    .memory = VTR_GAPID_HANDLE (VkDeviceMemory, object->handle),
    .offset = vtr_gapid_get_number (object->value, "MappedOffset"),
    .size = vtr_gapid_get_number (object->value, "MappedSize"),
    .ppData = &address,
  };

  if (location != 0)
    vtr_gapid_emit (self, VTR_CMD_vkMapMemory, &args);
}

void
vtr_gapid_map_all (VtrGapidBuilder *self)
{
  vtr_gapid_each (self, VTR_HANDLE_VkDeviceMemory, map_memory);
}

/* ---- Content ---- */

static const GArray *
find_pool (VtrGapidBuilder *self,
           guint64          pool)
{
  return pool != 0 && pool <= G_MAXUINT32
           ? g_hash_table_lookup (self->pools, GUINT_TO_POINTER ((guint32)pool))
           : NULL;
}

const guint8 *
vtr_gapid_read_slice (VtrGapidBuilder     *self,
                      const VtrGapidValue *slice,
                      gsize               *size)
{
  guint64 pool = 0, base = 0, length = 0, known = 0;
  const GArray *parts;
  guint8 *bytes;

  *size = 0;
  if (!vtr_gapid_get_slice (slice, &pool, &base, &length))
    return NULL;
  *size = (gsize)length;
  parts = find_pool (self, pool);
  if (parts == NULL || length == 0 || length > MAX_SLICE)
    return NULL;
  bytes = vtr_arena_alloc (&self->arena, (gsize)length);
  for (guint i = 0; bytes != NULL && i < parts->len; i++)
    {
      const VtrGapidPoolPart *part = &g_array_index (parts, VtrGapidPoolPart, i);
      guint64 from = MAX (part->base, base), end;
      const guint8 *data;
      gsize n;

      if (part->size > G_MAXUINT64 - part->base || length > G_MAXUINT64 - base)
        return NULL;
      end = MIN (part->base + part->size, base + length);
      if (from >= end || self->read == NULL ||
          !self->read (self->read_data, part->resource, &self->arena, &data, &n) ||
          n < end - part->base)
        continue;
      memcpy (bytes + (from - base), data + (from - part->base), end - from);
      known += end - from;
    }
  return known >= length ? bytes : NULL;
}

/* Parts of a pool, as contents of @write's object; .offset 0 is the start of the slice. */
static gboolean
add_parts (VtrGapidBuilder        *self,
           const VtrGapidValue    *slice,
           const VtrContentRecord *write)
{
  guint64 pool, base, size;
  gboolean any = FALSE;
  const GArray *parts;

  if (!vtr_gapid_get_slice (slice, &pool, &base, &size))
    return FALSE;
  parts = find_pool (self, pool);
  for (guint i = 0; parts != NULL && i < parts->len; i++)
    {
      const VtrGapidPoolPart *part = &g_array_index (parts, VtrGapidPoolPart, i);
      guint64 from = MAX (part->base, base), end;
      VtrGapidContent content = { .write = *write, .resource = part->resource };

      if (part->size > G_MAXUINT64 - part->base || size > G_MAXUINT64 - base)
        continue;
      end = MIN (part->base + part->size, base + size);
      if (from >= end)
        continue;
      content.from = from - part->base;
      content.write.offset += from - base;
      content.write.size = end - from;
      g_array_append_val (self->out->contents, content);
      any = TRUE;
    }
  return any;
}

static void
add_memory (VtrGapidBuilder *self,
            VtrGapidObject  *object)
{
  const VtrContentRecord write = { .owner = object->device,
                                   .object = object->handle,
                                   .kind = VTR_HANDLE_VkDeviceMemory };

  add_parts (self, vtr_gapid_get (object->value, "Data"), &write);
}

static void
add_level (VtrGapidBuilder      *self,
           const VtrGapidObject *object,
           guint64               aspect,
           guint64               layer,
           const VtrGapidEntry  *level)
{
  VtrGapidValue *linear = vtr_gapid_get (level->value, "LinearLayout");
  VtrContentRecord write = {
    .what = VTR_CONTENT_TEXELS,
    .owner = object->device,
    .object = object->handle,
    .kind = VTR_HANDLE_VkImage,
    .aspect = vtr_vulkan_aspect_get ((VkImageAspectFlags)aspect),
    .level = (guint32)level->key,
    .layer = (guint32)layer,
    .word = (guint32)vtr_gapid_get_number (level->value, "Layout"),
    .width = (guint32)vtr_gapid_get_number (level->value, "Width"),
    .height = (guint32)vtr_gapid_get_number (level->value, "Height"),
    .depth = MAX ((guint32)vtr_gapid_get_number (level->value, "Depth"), 1),
    .format = (guint32)vtr_gapid_get_number (vtr_gapid_get (object->value, "Info"), "Format"),
    .row_pitch = vtr_gapid_get_number (linear, "rowPitch"),
    .depth_pitch = vtr_gapid_get_number (linear, "depthPitch"),
  };

  if (write.word == VK_IMAGE_LAYOUT_UNDEFINED || write.width == 0 ||
      write.height == 0)
    return;
  add_parts (self, vtr_gapid_get (level->value, "Data"), &write);
}

static void
add_image (VtrGapidBuilder *self,
           VtrGapidObject  *object)
{
  gsize n_aspects, n_layers, n_levels;
  const VtrGapidEntry *aspects = vtr_gapid_list_entries (vtr_gapid_get (object->value, "Aspects"),
                                                         &self->arena, &n_aspects);

  for (gsize i = 0; i < n_aspects; i++)
    {
      const VtrGapidEntry *layers = vtr_gapid_list_entries (
        vtr_gapid_get (aspects[i].value, "Layers"), &self->arena, &n_layers);

      for (gsize j = 0; j < n_layers; j++)
        {
          const VtrGapidEntry *levels = vtr_gapid_list_entries (
            vtr_gapid_get (layers[j].value, "Levels"), &self->arena, &n_levels);

          for (gsize k = 0; k < n_levels; k++)
            add_level (self, object, aspects[i].key, layers[j].key, &levels[k]);
        }
    }
  if (vtr_gapid_get_number (vtr_gapid_get (object->value, "Info"), "Samples") > 1)
    vtr_gapid_note (self, _ ("the content of a multisampled image"));
}

void
vtr_gapid_add_contents (VtrGapidBuilder *self)
{
  vtr_gapid_each (self, VTR_HANDLE_VkDeviceMemory, add_memory);
  vtr_gapid_each (self, VTR_HANDLE_VkImage, add_image);
}
