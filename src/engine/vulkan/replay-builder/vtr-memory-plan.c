/* Walks a trace's allocations, bindings and image layouts, and groups resources that share
 * bytes, for replays on another device. */
#include "engine/vulkan/replay-builder/vtr-memory-plan.h"

#include <string.h>

#include "engine/format/vtr-trace-walk.h"
#include "engine/vulkan/state/vtr-newer-form.h"
#include "engine/vulkan/state/vtr-older-form.h"
#include "vtr-api-args.h"

/* A resource while it is bound. */
typedef struct
{
  guint64 begin, end;
  guint kind; /* hash of what it was created from, for optimal images; 0: a buffer */
} Tenant;

/* An allocation of the trace. */
typedef struct
{
  GArray *tenants; /* Tenant; NULL once the groups are known */
  GArray *groups;  /* VtrReplayMemoryGroup; (nullable) none */
  gboolean mapped;
} Memory;

/* A resource that is there now. */
typedef struct
{
  guint64 created; /* flat index */
  guint64 size;
  guint kind;      /* as of a tenant */
  gboolean shares; /* its contents mean something to another resource */
  gboolean linear;
} Resource;

struct _VtrMemoryPlan
{
  GHashTable *memories; /* flat index → Memory */
  GHashTable *layouts;  /* flat index → GArray of VtrReplayLinearLayout */
};

typedef struct
{
  VtrMemoryPlan *plan;
  GHashTable *memories;  /* VkDeviceMemory → Memory (the plan's) */
  GHashTable *resources; /* VkBuffer or VkImage, see resource_key() → Resource */
} Pass;

/* --- Keys ------------------------------------------------------------------------------------ */

static gint64 *
index_new (guint64 index)
{
  gint64 *key = g_new (gint64, 1);

  *key = (gint64)index;
  return key;
}

/* Drivers may give a buffer and an image one value. */
static guint64
resource_key (VtrHandleId type,
              guint64     handle)
{
  return handle ^ (guint64)(type == VTR_HANDLE_VkImage) << 63;
}

static Memory *
find_memory (Pass    *pass,
             guint64  handle)
{
  return g_hash_table_lookup (pass->memories, &handle);
}

static Resource *
find_resource (Pass        *pass,
               VtrHandleId  type,
               guint64      handle)
{
  guint64 key = resource_key (type, handle);

  return g_hash_table_lookup (pass->resources, &key);
}

static void
memory_free (gpointer data)
{
  Memory *memory = data;

  g_clear_pointer (&memory->tenants, g_array_unref);
  g_clear_pointer (&memory->groups, g_array_unref);
  g_free (memory);
}

/* --- The pass -------------------------------------------------------------------------------- */

static void
note_allocate (Pass                           *pass,
               guint64                         index,
               const VtrArgs_vkAllocateMemory *args)
{
  Memory *memory;

  if (args->pMemory == NULL || *args->pMemory == VK_NULL_HANDLE)
    return;
  memory = g_new0 (Memory, 1);
  memory->tenants = g_array_new (FALSE, FALSE, sizeof (Tenant));
  g_hash_table_replace (pass->plan->memories, index_new (index), memory);
  g_hash_table_replace (pass->memories, index_new ((guint64)(gsize)*args->pMemory), memory);
}

static Resource *
note_resource (Pass        *pass,
               VtrHandleId  type,
               guint64      handle,
               guint64      index)
{
  Resource *resource = g_new0 (Resource, 1);

  resource->created = index;
  g_hash_table_replace (pass->resources, index_new (resource_key (type, handle)), resource);
  return resource;
}

static void
note_create_buffer (Pass                         *pass,
                    guint64                       index,
                    const VtrArgs_vkCreateBuffer *args)
{
  Resource *resource;

  if (args->pCreateInfo == NULL || args->pBuffer == NULL)
    return;
  resource = note_resource (pass, VTR_HANDLE_VkBuffer, (guint64)(gsize)*args->pBuffer, index);
  resource->size = args->pCreateInfo->size;
  resource->shares = TRUE;
}

/* Two images are alike, and their bytes have the same meaning, if these fields are equal. */
static guint
image_kind (const VkImageCreateInfo *info)
{
  const guint32 numbers[] = {
    info->flags,
    info->imageType,
    (guint32)info->format,
    info->extent.width,
    info->extent.height,
    info->extent.depth,
    info->mipLevels,
    info->arrayLayers,
    info->samples,
    info->tiling,
    info->usage,
  };
  g_autoptr (GBytes) bytes = g_bytes_new_static (numbers, sizeof numbers);
  guint hash = g_bytes_hash (bytes);

  return hash != 0 ? hash : 1;
}

static void
note_create_image (Pass                        *pass,
                   guint64                      index,
                   const VtrArgs_vkCreateImage *args)
{
  const VkImageCreateInfo *info = args->pCreateInfo;
  Resource *resource;

  if (info == NULL || args->pImage == NULL)
    return;
  resource = note_resource (pass, VTR_HANDLE_VkImage, (guint64)(gsize)*args->pImage, index);
  resource->linear = info->tiling == VK_IMAGE_TILING_LINEAR;
  resource->shares = !resource->linear && (info->flags & VK_IMAGE_CREATE_ALIAS_BIT) != 0;
  resource->kind = image_kind (info);
  resource->size = 1;
}

static void
note_bind (Pass        *pass,
           VtrHandleId  type,
           guint64      handle,
           guint64      memory_handle,
           guint64      offset)
{
  Memory *memory = find_memory (pass, memory_handle);
  const Resource *resource = find_resource (pass, type, handle);
  Tenant tenant = { .begin = offset };

  if (memory == NULL || resource == NULL || !resource->shares ||
      __builtin_add_overflow (offset, resource->size, &tenant.end))
    return;
  tenant.kind = resource->kind;
  g_array_append_val (memory->tenants, tenant);
}

static void
note_layout (Pass                      *pass,
             VkImage                    image,
             const VkImageSubresource  *subresource,
             const VkSubresourceLayout *layout)
{
  const Resource *resource =
    find_resource (pass, VTR_HANDLE_VkImage, (guint64)(gsize)image);
  GArray *layouts;
  VtrReplayLinearLayout entry;
  gint64 key;

  if (resource == NULL || !resource->linear || subresource == NULL || layout == NULL)
    return;
  key = (gint64)resource->created;
  layouts = g_hash_table_lookup (pass->plan->layouts, &key);
  if (layouts == NULL)
    {
      layouts = g_array_new (FALSE, FALSE, sizeof entry);
      g_hash_table_insert (pass->plan->layouts, index_new (resource->created), layouts);
    }
  entry = (VtrReplayLinearLayout){
    .aspect = subresource->aspectMask,
    .mip = subresource->mipLevel,
    .layer = subresource->arrayLayer,
    .offset = layout->offset,
    .size = layout->size,
    .row_pitch = layout->rowPitch,
    .depth_pitch = layout->depthPitch,
  };
  for (guint i = 0; i < layouts->len; i++)
    if (memcmp (&g_array_index (layouts, VtrReplayLinearLayout, i), &entry, sizeof entry) == 0)
      return;
  g_array_append_val (layouts, entry);
}

static void
note_destroy (Pass        *pass,
              VtrHandleId  type,
              guint64      handle)
{
  guint64 key = resource_key (type, handle);

  g_hash_table_remove (pass->resources, &key);
}

static gboolean
is_of_interest (guint64  index,
                VtrCmdId id,
                gpointer data)
{
  switch (vtr_cmd_newer_form (vtr_cmd_older_form (id)))
    {
    case VTR_CMD_vkAllocateMemory:
    case VTR_CMD_vkFreeMemory:
    case VTR_CMD_vkMapMemory:
    case VTR_CMD_vkCreateBuffer:
    case VTR_CMD_vkCreateImage:
    case VTR_CMD_vkDestroyBuffer:
    case VTR_CMD_vkDestroyImage:
    case VTR_CMD_vkBindBufferMemory2:
    case VTR_CMD_vkBindImageMemory2:
    case VTR_CMD_vkGetImageSubresourceLayout:
    case VTR_CMD_vkGetImageSubresourceLayout2EXT:
      return TRUE;
    default:
      return FALSE;
    }
}

static void
note_binds (Pass             *pass,
            const VtrCommand *command)
{
  g_auto (VtrNewerForm) form;

  vtr_newer_form_init (&form, command);
  if (form.command.id == VTR_CMD_vkBindBufferMemory2)
    {
      const VtrArgs_vkBindBufferMemory2 *args = form.command.args;

      for (guint32 i = 0; args->pBindInfos != NULL && i < args->bindInfoCount; i++)
        note_bind (pass, VTR_HANDLE_VkBuffer, (guint64)(gsize)args->pBindInfos[i].buffer,
                   (guint64)(gsize)args->pBindInfos[i].memory, args->pBindInfos[i].memoryOffset);
    }
  else
    {
      const VtrArgs_vkBindImageMemory2 *args = form.command.args;

      for (guint32 i = 0; args->pBindInfos != NULL && i < args->bindInfoCount; i++)
        note_bind (pass, VTR_HANDLE_VkImage, (guint64)(gsize)args->pBindInfos[i].image,
                   (guint64)(gsize)args->pBindInfos[i].memory, args->pBindInfos[i].memoryOffset);
    }
}

static void
note_layouts (Pass             *pass,
              const VtrCommand *command)
{
  if (vtr_cmd_canonical (command->id) == VTR_CMD_vkGetImageSubresourceLayout)
    {
      const VtrArgs_vkGetImageSubresourceLayout *args = command->args;

      note_layout (pass, args->image, args->pSubresource, args->pLayout);
    }
  else
    {
      const VtrArgs_vkGetImageSubresourceLayout2EXT *args = command->args;

      if (args->pSubresource != NULL && args->pLayout != NULL)
        note_layout (pass, args->image, &args->pSubresource->imageSubresource,
                     &args->pLayout->subresourceLayout);
    }
}

static void
note_map (Pass    *pass,
          guint64  memory_handle)
{
  Memory *memory = find_memory (pass, memory_handle);

  if (memory != NULL)
    memory->mapped = TRUE;
}

static void
note_command (Pass             *pass,
              const VtrCommand *command)
{
  VtrOlderForms forms;

  vtr_older_forms_init (&forms, command);
  switch (vtr_cmd_newer_form (forms.command.id))
    {
    case VTR_CMD_vkAllocateMemory:
      note_allocate (pass, command->index, command->args);
      break;
    case VTR_CMD_vkFreeMemory:
      {
        guint64 memory = (guint64)(gsize)((const VtrArgs_vkFreeMemory *)command->args)->memory;

        g_hash_table_remove (pass->memories, &memory);
        break;
      }
    case VTR_CMD_vkMapMemory:
      note_map (pass, (guint64)(gsize)((const VtrArgs_vkMapMemory *)forms.command.args)->memory);
      break;
    case VTR_CMD_vkCreateBuffer:
      note_create_buffer (pass, command->index, command->args);
      break;
    case VTR_CMD_vkCreateImage:
      note_create_image (pass, command->index, command->args);
      break;
    case VTR_CMD_vkDestroyBuffer:
      note_destroy (pass, VTR_HANDLE_VkBuffer,
                    (guint64)(gsize)((const VtrArgs_vkDestroyBuffer *)command->args)->buffer);
      break;
    case VTR_CMD_vkDestroyImage:
      note_destroy (pass, VTR_HANDLE_VkImage,
                    (guint64)(gsize)((const VtrArgs_vkDestroyImage *)command->args)->image);
      break;
    case VTR_CMD_vkBindBufferMemory2:
    case VTR_CMD_vkBindImageMemory2:
      note_binds (pass, command);
      break;
    default:
      note_layouts (pass, command);
      break;
    }
}

/* --- Groups ---------------------------------------------------------------------------------- */

static gint
compare_tenants (gconstpointer a,
                 gconstpointer b)
{
  const Tenant *x = a;
  const Tenant *y = b;

  if ((x->kind != 0) != (y->kind != 0))
    return x->kind != 0 ? 1 : -1;
  if (x->begin != y->begin)
    return x->begin < y->begin ? -1 : 1;
  return (x->kind > y->kind) - (x->kind < y->kind);
}

static void
memory_add_group (Memory   *memory,
                  guint64   begin,
                  guint64   end,
                  gboolean  images)
{
  const VtrReplayMemoryGroup group = { .begin = begin, .end = end, .images = images };

  if (memory->groups == NULL)
    memory->groups = g_array_new (FALSE, FALSE, sizeof group);
  g_array_append_val (memory->groups, group);
}

/* Buffers that overlap, whether at one time or one after the other, form a group; so do images
 * that are alike and begin at the same byte. */
static void
memory_group (Memory *memory)
{
  guint i = 0;

  g_array_sort (memory->tenants, compare_tenants);
  while (i < memory->tenants->len)
    {
      const Tenant *first = &g_array_index (memory->tenants, Tenant, i);
      guint64 end = first->end;
      guint n = 1;

      for (; i + n < memory->tenants->len; n++)
        {
          const Tenant *next = &g_array_index (memory->tenants, Tenant, i + n);

          if (next->kind != first->kind || next->begin >= end)
            break;
          end = MAX (end, next->end);
        }
      if (n > 1)
        memory_add_group (memory, first->begin, end, first->kind != 0);
      i += n;
    }
  g_clear_pointer (&memory->tenants, g_array_unref);
}

/* --- The plan -------------------------------------------------------------------------------- */

static void
note_good (const VtrCommand *command,
           gpointer          data)
{
  if (!command->has_result || (gint32)command->result >= 0 ||
      vtr_cmd_get (command->id)->result != VTR_RESULT_STATUS)
    note_command (data, command);
}

VtrMemoryPlan *
vtr_memory_plan_new (VtrTrace      *trace,
                     GCancellable  *cancellable,
                     GError       **error)
{
  g_autoptr (VtrMemoryPlan) self = g_new0 (VtrMemoryPlan, 1);
  Pass pass = {
    .plan = self,
    .memories = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL),
    .resources = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free),
  };
  GHashTableIter iter;
  gpointer memory;
  gboolean ok;

  self->memories = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, memory_free);
  self->layouts = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free,
                                         (GDestroyNotify)g_array_unref);
  ok = vtr_trace_walk (trace, is_of_interest, note_good, &pass, cancellable, error);
  g_hash_table_unref (pass.memories);
  g_hash_table_unref (pass.resources);
  g_hash_table_iter_init (&iter, self->memories);
  while (g_hash_table_iter_next (&iter, NULL, &memory))
    memory_group (memory);
  return ok ? g_steal_pointer (&self) : NULL;
}

void
vtr_memory_plan_free (VtrMemoryPlan *self)
{
  g_hash_table_unref (self->memories);
  g_hash_table_unref (self->layouts);
  g_free (self);
}

gsize
vtr_memory_plan_get_groups (VtrMemoryPlan               *self,
                            guint64                      index,
                            const VtrReplayMemoryGroup **groups)
{
  const Memory *memory = g_hash_table_lookup (self->memories, &index);

  if (memory == NULL || memory->groups == NULL)
    return 0;
  *groups = (const VtrReplayMemoryGroup *)(gpointer)memory->groups->data;
  return memory->groups->len;
}

gboolean
vtr_memory_plan_is_mapped (VtrMemoryPlan *self,
                           guint64        index)
{
  const Memory *memory = g_hash_table_lookup (self->memories, &index);

  return memory != NULL && memory->mapped;
}

gsize
vtr_memory_plan_get_layouts (VtrMemoryPlan                *self,
                             guint64                       index,
                             const VtrReplayLinearLayout **layouts)
{
  const GArray *array = g_hash_table_lookup (self->layouts, &index);

  if (array == NULL)
    return 0;
  *layouts = (const VtrReplayLinearLayout *)(gconstpointer)array->data;
  return array->len;
}
