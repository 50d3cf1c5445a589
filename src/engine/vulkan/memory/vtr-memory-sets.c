/* Follows the descriptors in sets to which shaders may store (VtrMemoryObjects). */
#include "engine/vulkan/memory/vtr-memory-objects-private.h"

#include "api/vtr-api-args.h"
#include "engine/format/vtr-trace-observations.h"

#include <string.h>

/* Elements of one binding that are followed. */
#define MAX_ELEMENTS (1u << 20)

#define KEY(handle) ((gpointer)(gsize)(handle))
#define VALUE(handle) ((guint64)(gsize)(handle))

/* A descriptor that shaders may store to. */
static gboolean
is_storage (VkDescriptorType type)
{
  switch ((int)type)
    {
    case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER:
    case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC:
    case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER:
    case VK_DESCRIPTOR_TYPE_STORAGE_IMAGE:
    case VK_DESCRIPTOR_TYPE_MUTABLE_VALVE:
      return TRUE;
    default:
      return FALSE;
    }
}

gboolean
vtr_memory_is_dynamic (VkDescriptorType type)
{
  return type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC ||
         type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC;
}

void
vtr_memory_set_free (gpointer data)
{
  VtrMemorySet *set = data;

  for (guint32 i = 0; set->slots != NULL && i < set->layout->n; i++)
    g_clear_pointer (&set->slots[i], g_array_unref);
  g_free (set->slots);
  g_free (set);
}

/* --- Layouts and sets ------------------------------------------------------------------------ */

static gint
compare_bindings (gconstpointer a,
                  gconstpointer b)
{
  const VtrMemoryLayoutBinding *left = a, *right = b;

  return left->binding < right->binding ? -1 : left->binding > right->binding;
}

static void
create_layout (VtrMemoryObjects                          *self,
               const VtrArgs_vkCreateDescriptorSetLayout *args)
{
  const VkDescriptorSetLayoutCreateInfo *info = args->pCreateInfo;
  VtrMemorySetLayout *layout;
  guint32 n, dynamic = 0;

  if (info == NULL || args->pSetLayout == NULL)
    return;
  n = info->pBindings != NULL ? info->bindingCount : 0;
  layout = g_malloc0 (sizeof *layout + (gsize)n * sizeof layout->bindings[0]);
  layout->n = n;
  for (guint32 i = 0; i < n; i++)
    {
      layout->bindings[i].binding = info->pBindings[i].binding;
      layout->bindings[i].type = info->pBindings[i].descriptorType;
      layout->bindings[i].count = info->pBindings[i].descriptorCount;
      layout->bindings[i].stages = info->pBindings[i].stageFlags;
      if (is_storage (info->pBindings[i].descriptorType))
        layout->writable = self->stores = TRUE;
    }
  if (n > 0)
    qsort (layout->bindings, n, sizeof layout->bindings[0], compare_bindings);
  for (guint32 i = 0; i < n; i++)
    {
      layout->bindings[i].first_dynamic = dynamic;
      if (vtr_memory_is_dynamic (layout->bindings[i].type))
        dynamic += layout->bindings[i].count;
    }
  g_ptr_array_add (self->kept, layout);
  g_hash_table_insert (self->layouts, KEY (*args->pSetLayout), layout);
}

static void
allocate_sets (VtrMemoryObjects                       *self,
               const VtrArgs_vkAllocateDescriptorSets *args)
{
  const VkDescriptorSetAllocateInfo *info = args->pAllocateInfo;

  if (info == NULL || info->pSetLayouts == NULL || args->pDescriptorSets == NULL)
    return;
  for (guint32 i = 0; i < info->descriptorSetCount; i++)
    {
      VtrMemorySetLayout *layout = g_hash_table_lookup (self->layouts, KEY (info->pSetLayouts[i]));
      VtrMemorySet *set;

      vtr_memory_objects_name (self, VTR_HANDLE_VkDescriptorSet, VALUE (args->pDescriptorSets[i]),
                               VTR_MEMORY_NONE);
      if (layout == NULL || !layout->writable)
        continue;
      set = g_new0 (VtrMemorySet, 1);
      set->layout = layout;
      set->version = ++self->clock;
      g_ptr_array_add (self->sets, set);
      vtr_memory_objects_name (self, VTR_HANDLE_VkDescriptorSet, VALUE (args->pDescriptorSets[i]),
                               self->sets->len - 1);
    }
}

static void
put_slot (VtrMemoryObjects    *self,
          VtrMemorySet        *set,
          guint32              at,
          guint32              element,
          const VtrMemorySlot *slot)
{
  static const VtrMemorySlot empty = { VTR_SLOT_EMPTY, 0, 0, 0 };
  VtrMemorySlot *old;
  GArray *slots;

  if (element >= MAX_ELEMENTS)
    return;
  if (set->slots == NULL)
    set->slots = g_new0 (GArray *, MAX (set->layout->n, 1));
  if (set->slots[at] == NULL)
    set->slots[at] = g_array_new (FALSE, FALSE, sizeof (VtrMemorySlot));
  slots = set->slots[at];
  while (slots->len <= element)
    g_array_append_val (slots, empty);
  old = &g_array_index (slots, VtrMemorySlot, element);
  if (old->kind == slot->kind && old->object == slot->object && old->offset == slot->offset &&
      old->range == slot->range)
    return;
  *old = *slot;
  set->version = ++self->clock;
}

/* Descriptors run on into the next bindings. Returns: FALSE at the end. */
static gboolean
normalise (const VtrMemorySetLayout *layout,
           guint32                   binding,
           guint32                   element,
           guint32                  *at,
           guint32                  *out)
{
  for (guint32 i = 0; i < layout->n; i++)
    {
      if (layout->bindings[i].binding < binding)
        continue;
      if (element < layout->bindings[i].count)
        {
          *at = i;
          *out = element;
          return TRUE;
        }
      element -= layout->bindings[i].count;
    }
  return FALSE;
}

typedef struct
{
  VtrMemoryObjects *objects;
  VtrMemorySet *set;
} SetWriter;

static void
write_slot (guint32              binding,
            guint32              element,
            const VtrMemorySlot *slot,
            gpointer             data)
{
  SetWriter *writer = data;
  guint32 at, normal;

  if (normalise (writer->set->layout, binding, element, &at, &normal))
    put_slot (writer->objects, writer->set, at, normal, slot);
}

static VtrMemorySet *
find_set (VtrMemoryObjects *self,
          guint64           handle)
{
  guint32 at = vtr_memory_objects_find (self, VTR_HANDLE_VkDescriptorSet, handle);

  return at != VTR_MEMORY_NONE ? g_ptr_array_index (self->sets, at) : NULL;
}

/* --- Reading what is written ----------------------------------------------------------------- */

static VtrMemorySlot
buffer_slot (VtrMemoryObjects             *self,
             const VkDescriptorBufferInfo *info)
{
  VtrMemorySlot slot = { VTR_SLOT_EMPTY, 0, 0, 0 };
  guint32 buffer = vtr_memory_objects_find (self, VTR_HANDLE_VkBuffer, VALUE (info->buffer));

  if (buffer != VTR_MEMORY_NONE)
    slot = (VtrMemorySlot){ VTR_SLOT_BUFFER, buffer, info->offset, info->range };
  return slot;
}

static VtrMemorySlot
texel_slot (VtrMemoryObjects *self,
            guint64           view)
{
  VtrMemorySlot slot = { VTR_SLOT_EMPTY, 0, 0, 0 };
  guint32 at = vtr_memory_objects_find (self, VTR_HANDLE_VkBufferView, view);

  if (at != VTR_MEMORY_NONE)
    {
      const VtrMemoryPart *part = &g_array_index (self->parts, VtrMemoryPart, at);

      if (part->buffer != VTR_MEMORY_NONE)
        slot = (VtrMemorySlot){ VTR_SLOT_BUFFER, part->buffer, part->offset, part->size };
    }
  return slot;
}

static VtrMemorySlot
image_slot (VtrMemoryObjects *self,
            guint64           view)
{
  VtrMemorySlot slot = { VTR_SLOT_EMPTY, 0, 0, 0 };
  guint32 image = vtr_memory_objects_find_view_image (self, view);

  if (image != VTR_MEMORY_NONE)
    slot = (VtrMemorySlot){ VTR_SLOT_IMAGE, image, 0, VK_WHOLE_SIZE };
  return slot;
}

void
vtr_memory_objects_read_write (VtrMemoryObjects           *self,
                               const VkWriteDescriptorSet *write,
                               VtrMemorySlotFunc           put,
                               gpointer                    data)
{
  if (!is_storage (write->descriptorType))
    return;
  for (guint32 i = 0; i < write->descriptorCount; i++)
    {
      VtrMemorySlot slot;

      if (write->pBufferInfo != NULL)
        slot = buffer_slot (self, &write->pBufferInfo[i]);
      else if (write->pTexelBufferView != NULL)
        slot = texel_slot (self, VALUE (write->pTexelBufferView[i]));
      else if (write->pImageInfo != NULL)
        slot = image_slot (self, VALUE (write->pImageInfo[i].imageView));
      else
        return;
      put (write->dstBinding, write->dstArrayElement + i, &slot, data);
    }
}

static VtrMemorySlot
raw_slot (VtrMemoryObjects *self,
          VkDescriptorType  type,
          const guint8     *from)
{
  VkDescriptorBufferInfo buffer;
  VkDescriptorImageInfo image;
  guint64 view;

  switch ((int)type)
    {
    case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER:
      memcpy (&view, from, sizeof view);
      return texel_slot (self, view);
    case VK_DESCRIPTOR_TYPE_STORAGE_IMAGE:
      memcpy (&image, from, sizeof image);
      return image_slot (self, VALUE (image.imageView));
    default:
      memcpy (&buffer, from, sizeof buffer);
      return buffer_slot (self, &buffer);
    }
}

static void
read_entry (VtrMemoryObjects                      *self,
            const VkDescriptorUpdateTemplateEntry *entry,
            const guint8                          *bytes,
            gsize                                  size,
            VtrMemorySlotFunc                      put,
            gpointer                               data)
{
  gsize need = entry->descriptorType == VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER ? 8 : 24;

  if (!is_storage (entry->descriptorType))
    return;
  for (guint32 i = 0; i < entry->descriptorCount; i++)
    {
      VtrMemorySlot slot;
      guint64 at;

      if (__builtin_mul_overflow ((guint64)entry->stride, (guint64)i, &at) ||
          __builtin_add_overflow (at, (guint64)entry->offset, &at) || at > size || size - at < need)
        return;
      slot = raw_slot (self, entry->descriptorType, bytes + at);
      put (entry->dstBinding, entry->dstArrayElement + i, &slot, data);
    }
}

void
vtr_memory_objects_read_template (VtrMemoryObjects                  *self,
                                  const VtrCommand                  *command,
                                  VkDescriptorUpdateTemplate         handle,
                                  const void                 *const *data_slot,
                                  VtrMemorySlotFunc                  put,
                                  gpointer                           data)
{
  const VtrObject *object =
    vtr_history_find (self->history,
                      vtr_vulkan_identity (VTR_HANDLE_VkDescriptorUpdateTemplate, VALUE (handle)),
                      command->index);
  const VtrArgs_vkCreateDescriptorUpdateTemplate *args;
  gsize size = vtr_command_get_observed_size (command, data_slot);
  VtrCommand creation;
  VtrArena arena;

  vtr_arena_init (&arena);
  if (object != NULL && *data_slot != NULL &&
      vtr_history_decode_creation (self->history, object, &arena, &creation, NULL) &&
      vtr_cmd_canonical (creation.id) == VTR_CMD_vkCreateDescriptorUpdateTemplate &&
      (args = creation.args)->pCreateInfo != NULL &&
      args->pCreateInfo->pDescriptorUpdateEntries != NULL)
    for (guint32 i = 0; i < args->pCreateInfo->descriptorUpdateEntryCount; i++)
      read_entry (self, &args->pCreateInfo->pDescriptorUpdateEntries[i], *data_slot, size, put,
                  data);
  vtr_arena_finish (&arena);
}

/* --- Updates --------------------------------------------------------------------------------- */

static void
copy_set (VtrMemoryObjects          *self,
          const VkCopyDescriptorSet *copy)
{
  VtrMemorySet *from = find_set (self, VALUE (copy->srcSet));
  VtrMemorySet *to = find_set (self, VALUE (copy->dstSet));

  if (from == NULL || to == NULL)
    return;
  for (guint32 i = 0; i < copy->descriptorCount; i++)
    {
      guint32 source, source_element, target, target_element;
      VtrMemorySlot slot = { VTR_SLOT_EMPTY, 0, 0, 0 };

      if (!normalise (from->layout, copy->srcBinding, copy->srcArrayElement + i, &source,
                      &source_element) ||
          !normalise (to->layout, copy->dstBinding, copy->dstArrayElement + i, &target,
                      &target_element))
        return;
      if (!is_storage (to->layout->bindings[target].type))
        continue;
      if (from->slots != NULL && from->slots[source] != NULL &&
          source_element < from->slots[source]->len)
        slot = g_array_index (from->slots[source], VtrMemorySlot, source_element);
      put_slot (self, to, target, target_element, &slot);
    }
}

static void
update_sets (VtrMemoryObjects                     *self,
             const VtrArgs_vkUpdateDescriptorSets *args)
{
  for (guint32 i = 0; args->pDescriptorWrites != NULL && i < args->descriptorWriteCount; i++)
    {
      SetWriter writer = { self, find_set (self, VALUE (args->pDescriptorWrites[i].dstSet)) };

      if (writer.set != NULL)
        vtr_memory_objects_read_write (self, &args->pDescriptorWrites[i], write_slot, &writer);
    }
  for (guint32 i = 0; args->pDescriptorCopies != NULL && i < args->descriptorCopyCount; i++)
    copy_set (self, &args->pDescriptorCopies[i]);
}

gboolean
vtr_memory_sets_want (VtrCmdId id)
{
  switch (vtr_cmd_canonical (id))
    {
    case VTR_CMD_vkCreateDescriptorSetLayout:
    case VTR_CMD_vkAllocateDescriptorSets:
    case VTR_CMD_vkUpdateDescriptorSets:
    case VTR_CMD_vkUpdateDescriptorSetWithTemplate:
      return TRUE;
    default:
      return FALSE;
    }
}

gboolean
vtr_memory_sets_apply (VtrMemoryObjects *self,
                       const VtrCommand *command)
{
  switch (vtr_cmd_canonical (command->id))
    {
    case VTR_CMD_vkCreateDescriptorSetLayout:
      create_layout (self, command->args);
      return TRUE;
    case VTR_CMD_vkAllocateDescriptorSets:
      allocate_sets (self, command->args);
      return TRUE;
    case VTR_CMD_vkUpdateDescriptorSets:
      update_sets (self, command->args);
      return TRUE;
    case VTR_CMD_vkUpdateDescriptorSetWithTemplate:
      {
        const VtrArgs_vkUpdateDescriptorSetWithTemplate *args = command->args;
        SetWriter writer = { self, find_set (self, VALUE (args->descriptorSet)) };

        if (writer.set != NULL)
          vtr_memory_objects_read_template (self, command, args->descriptorUpdateTemplate,
                                            &args->pData, write_slot, &writer);
        return TRUE;
      }
    default:
      return FALSE;
    }
}
