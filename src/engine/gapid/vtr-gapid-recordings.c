/* Makes commands that fill descriptor sets and record command buffers, from GAPID's state. */
#include "engine/gapid/vtr-gapid-builder-private.h"

#include "vtr-config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

/* ---- Descriptor sets ---- */

static gboolean
is_known (VtrGapidBuilder *self,
          VtrHandleId      type,
          guint64          handle)
{
  return handle != 0 && vtr_gapid_is_made (self, type, handle);
}

/* Fills element @i of a write. Returns: FALSE when it holds nothing that is still there. */
static gboolean
fill_descriptor (VtrGapidBuilder      *self,
                 VkWriteDescriptorSet *write,
                 guint32               i,
                 VtrGapidValue        *value)
{
  VkDescriptorImageInfo *image = (VkDescriptorImageInfo *)(gsize)write->pImageInfo;
  VkDescriptorBufferInfo *buffer = (VkDescriptorBufferInfo *)(gsize)write->pBufferInfo;
  VkBufferView *view = (VkBufferView *)(gsize)write->pTexelBufferView;

  if (value == NULL)
    return FALSE;
  if (view != NULL)
    {
      view[i] = VTR_GAPID_HANDLE (VkBufferView, value->number);
      return value->kind == VTR_GAPID_NUMBER &&
             is_known (self, VTR_HANDLE_VkBufferView, value->number);
    }
  if (buffer != NULL)
    {
      guint64 handle = vtr_gapid_get_number (value, "Buffer");

      buffer[i] = (VkDescriptorBufferInfo){ VTR_GAPID_HANDLE (VkBuffer, handle),
                                            vtr_gapid_get_number (value, "Offset"),
                                            vtr_gapid_get_number (value, "Range") };
      return is_known (self, VTR_HANDLE_VkBuffer, handle);
    }
  if (image != NULL)
    {
      guint64 sampler = vtr_gapid_get_number (value, "Sampler");
      guint64 image_view = vtr_gapid_get_number (value, "ImageView");
      gboolean needs_view = write->descriptorType != VK_DESCRIPTOR_TYPE_SAMPLER;
      gboolean has_sampler = is_known (self, VTR_HANDLE_VkSampler, sampler);

      image[i] = (VkDescriptorImageInfo){
        VTR_GAPID_HANDLE (VkSampler, has_sampler ? sampler : 0),
        VTR_GAPID_HANDLE (VkImageView, needs_view ? image_view : 0),
        (VkImageLayout)vtr_gapid_get_number (value, "ImageLayout"),
      };
      if (needs_view && !is_known (self, VTR_HANDLE_VkImageView, image_view))
        return FALSE;
      /* With immutable samplers there is none here. */
      return has_sampler || needs_view;
    }
  return FALSE;
}

/* The map that holds the descriptors of a type, and room for @n of them in @write. */
static VtrGapidValue *
prepare_write (VtrGapidBuilder      *self,
               VtrGapidValue        *binding,
               VkWriteDescriptorSet *write)
{
  VtrArena *arena = &self->arena;
  VtrGapidValue *map;
  gsize n;

  switch (write->descriptorType)
    {
    case VK_DESCRIPTOR_TYPE_SAMPLER:
    case VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER:
    case VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE:
    case VK_DESCRIPTOR_TYPE_STORAGE_IMAGE:
    case VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT:
      map = vtr_gapid_get (binding, "ImageBinding");
      (void)vtr_gapid_list_entries (map, arena, &n);
      write->pImageInfo = vtr_arena_new_array (arena, n + 1, VkDescriptorImageInfo);
      return map;
    case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
    case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER:
      map = vtr_gapid_get (binding, "BufferViewBindings");
      (void)vtr_gapid_list_entries (map, arena, &n);
      write->pTexelBufferView = vtr_arena_new_array (arena, n + 1, VkBufferView);
      return map;
    case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER:
    case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER:
    case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC:
    case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC:
      map = vtr_gapid_get (binding, "BufferBinding");
      (void)vtr_gapid_list_entries (map, arena, &n);
      write->pBufferInfo = vtr_arena_new_array (arena, n + 1, VkDescriptorBufferInfo);
      return map;
    default:
      vtr_gapid_note (self, _ ("descriptors of type %d"), write->descriptorType);
      return NULL;
    }
}

static gboolean
has_immutable_samplers (VtrGapidBuilder      *self,
                        const VtrGapidObject *set,
                        guint64               binding)
{
  gsize n, n_samplers;
  const VtrGapidEntry *bindings = vtr_gapid_list_entries (
    vtr_gapid_get (vtr_gapid_get (set->value, "Layout"), "Bindings"), &self->arena, &n);

  for (gsize i = 0; i < n; i++)
    if (bindings[i].key == binding)
      {
        (void)vtr_gapid_list_entries (vtr_gapid_get (bindings[i].value, "ImmutableSamplers"),
                                      &self->arena, &n_samplers);
        return n_samplers > 0;
      }
  return FALSE;
}

static void
emit_write (VtrGapidBuilder            *self,
            const VtrGapidObject       *set,
            const VkWriteDescriptorSet *write)
{
  const VtrArgs_vkUpdateDescriptorSets args = {
    .device = VTR_GAPID_HANDLE (VkDevice, set->device),
    .descriptorWriteCount = 1,
    .pDescriptorWrites = write,
  };

  if (write->descriptorCount > 0)
    vtr_gapid_emit (self, VTR_CMD_vkUpdateDescriptorSets, &args);
}

/* Runs of elements that still mean something. */
static void
write_binding (VtrGapidBuilder      *self,
               const VtrGapidObject *set,
               const VtrGapidEntry  *binding)
{
  VkWriteDescriptorSet write = {
    .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
    .dstSet = VTR_GAPID_HANDLE (VkDescriptorSet, set->handle),
    .dstBinding = (guint32)binding->key,
    .descriptorType = (VkDescriptorType)vtr_gapid_get_number (binding->value, "BindingType"),
  };
  VtrGapidValue *map = prepare_write (self, binding->value, &write);
  const VtrGapidEntry *entries;
  gsize n;

  if (write.descriptorType == VK_DESCRIPTOR_TYPE_SAMPLER &&
      has_immutable_samplers (self, set, binding->key))
    return;
  entries = vtr_gapid_list_entries (map, &self->arena, &n);
  for (gsize i = 0; i < n; i++)
    {
      if (write.descriptorCount > 0 &&
          entries[i].key != (guint64)write.dstArrayElement + write.descriptorCount)
        {
          emit_write (self, set, &write);
          write.descriptorCount = 0;
        }
      if (!fill_descriptor (self, &write, write.descriptorCount, entries[i].value))
        continue;
      if (write.descriptorCount++ == 0)
        write.dstArrayElement = (guint32)entries[i].key;
    }
  emit_write (self, set, &write);
}

static void
write_set (VtrGapidBuilder *self,
           VtrGapidObject  *set)
{
  gsize n;
  const VtrGapidEntry *bindings =
    vtr_gapid_list_entries (vtr_gapid_get (set->value, "Bindings"), &self->arena, &n);

  for (gsize i = 0; i < n; i++)
    if (bindings[i].value != NULL)
      write_binding (self, set, &bindings[i]);
}

void
vtr_gapid_write_descriptors (VtrGapidBuilder *self)
{
  vtr_gapid_each (self, VTR_HANDLE_VkDescriptorSet, write_set);
}

/* ---- Command buffers ---- */

enum
{
  NOT_STARTED = 0,
  RECORDING = 1,
  COMPLETED = 2,
  TO_BE_RESET = 3, /* submitted once and not usable again, or of a destroyed object */
};

static void
emit_begin (VtrGapidBuilder *self,
            VtrGapidObject  *object,
            VtrGapidValue   *begin)
{
  guint64 pass = vtr_gapid_get_number (begin, "InheritedRenderPass");
  guint64 framebuffer = vtr_gapid_get_number (begin, "InheritedFramebuffer");
  const VkCommandBufferInheritanceInfo inheritance = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO,
    .renderPass = VTR_GAPID_HANDLE (VkRenderPass,
                                    is_known (self, VTR_HANDLE_VkRenderPass, pass) ? pass : 0),
    .subpass = (guint32)vtr_gapid_get_number (begin, "InheritedSubpass"),
    .framebuffer = VTR_GAPID_HANDLE (
      VkFramebuffer, is_known (self, VTR_HANDLE_VkFramebuffer, framebuffer) ? framebuffer : 0),
    .occlusionQueryEnable = vtr_gapid_get_number (begin, "InheritedOcclusionQuery") != 0,
    .queryFlags = (guint32)vtr_gapid_get_number (begin, "InheritedQueryFlags"),
    .pipelineStatistics = (guint32)vtr_gapid_get_number (begin, "InheritedPipelineStatsFlags"),
  };
  VkDeviceGroupCommandBufferBeginInfo group = {
    .sType = VK_STRUCTURE_TYPE_DEVICE_GROUP_COMMAND_BUFFER_BEGIN_INFO,
    .deviceMask =
      (guint32)vtr_gapid_get_number (vtr_gapid_get (begin, "DeviceGroupBegin"), "DeviceMask"),
  };
  const VkCommandBufferBeginInfo info = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
    .pNext = group.deviceMask != 0 ? &group : NULL,
    .flags = (guint32)vtr_gapid_get_number (begin, "Flags"),
    .pInheritanceInfo = vtr_gapid_get_number (begin, "Inherited") != 0 ? &inheritance : NULL,
  };
  const VtrArgs_vkBeginCommandBuffer args = { VTR_GAPID_HANDLE (VkCommandBuffer, object->handle),
                                              &info };

  vtr_gapid_emit (self, VTR_CMD_vkBeginCommandBuffer, &args);
}

/* The arguments of a recording by command; CommandReference.Type counts the fields. */
typedef struct
{
  const VtrGapidValue *commands; /* BufferCommands */
  const VtrGapidEntry **entries; /* of each field, once asked for */
  gsize *n;
} CommandTable;

static VtrGapidValue *
find_arguments (VtrGapidBuilder     *self,
                CommandTable        *table,
                const VtrGapidValue *reference,
                VtrCmdId            *id)
{
  const VtrGapidValue *commands = table->commands;
  guint64 type = vtr_gapid_get_number (reference, "Type");
  guint64 key = vtr_gapid_get_number (reference, "MapIndex");

  if (commands == NULL || commands->kind != VTR_GAPID_MESSAGE || type >= commands->n ||
      commands->fields[type] == NULL || table->entries == NULL || table->n == NULL)
    return NULL;
  *id = vtr_cmd_from_name (commands->type->fields[type].name);
  if (*id == VTR_CMD_NONE)
    return NULL;
  if (table->entries[type] == NULL)
    table->entries[type] =
      vtr_gapid_list_entries (commands->fields[type], &self->arena, &table->n[type]);
  /* Keys are dense, but for damage. */
  return key < table->n[type] && table->entries[type][key].key == key
           ? table->entries[type][key].value
           : NULL;
}

/* The arguments in native form; NULL if an object that they need was destroyed. */
static void *
fill_call (VtrGapidBuilder *self,
           guint64          buffer,
           VtrCmdId         id,
           VtrGapidValue   *from)
{
  void *args = vtr_arena_alloc (&self->arena, MAX (vtr_cmd_get (id)->args_size, 8));

  if (args == NULL)
    return NULL;
  self->filler.incomplete = FALSE;
  vtr_gapid_fill_args (&self->filler, id, from, args);
  memcpy (args, &buffer, sizeof buffer);
  if (id == VTR_CMD_vkCmdSetBlendConstants)
    {
      static const char *const names[] = { "R", "G", "B", "A" };
      VtrArgs_vkCmdSetBlendConstants *blend = args;
      float *constants = vtr_arena_new_array (&self->arena, 4, float);

      for (guint i = 0; constants != NULL && i < 4; i++)
        {
          const VtrGapidValue *value = vtr_gapid_get (from, names[i]);

          constants[i] = value != NULL && value->kind == VTR_GAPID_REAL ? (float)value->real : 0;
        }
      blend->blendConstants = constants;
    }
  return self->filler.incomplete || !vtr_gapid_knows_handles (self, id, args) ? NULL : args;
}

typedef struct
{
  VtrCmdId id;
  void *args;
} Recorded;

/* All calls of a recording, or none. */
static GArray *
list_calls (VtrGapidBuilder      *self,
            const VtrGapidObject *object)
{
  CommandTable table = { .commands = vtr_gapid_get (object->value, "BufferCommands") };
  g_autoptr (GArray) calls = g_array_new (FALSE, FALSE, sizeof (Recorded));
  gsize n;
  const VtrGapidEntry *references = vtr_gapid_list_entries (
    vtr_gapid_get (object->value, "CommandReferences"), &self->arena, &n);

  if (table.commands != NULL)
    {
      table.entries = vtr_arena_new_array (&self->arena, table.commands->n, const VtrGapidEntry *);
      table.n = vtr_arena_new_array (&self->arena, table.commands->n, gsize);
    }
  for (gsize i = 0; i < n; i++)
    {
      Recorded call = { VTR_CMD_NONE, NULL };
      VtrGapidValue *from = find_arguments (self, &table, references[i].value, &call.id);

      if (from != NULL)
        call.args = fill_call (self, object->handle, call.id, from);
      if (call.args == NULL)
        {
          vtr_gapid_note (self, call.id == VTR_CMD_NONE
                                  ? _ ("a command buffer with an unknown command")
                                  : _ ("a command buffer that refers to a destroyed object"));
          return NULL;
        }
      g_array_append_val (calls, call);
    }
  return g_steal_pointer (&calls);
}

static void
record (VtrGapidBuilder *self,
        VtrGapidObject  *object)
{
  guint64 state = vtr_gapid_get_number (object->value, "Recording");
  VtrGapidValue *begin = vtr_gapid_get (object->value, "BeginInfo");
  g_autoptr (GArray) calls = NULL;

  /* One that was submitted for its one time can only be reset. */
  if ((state != COMPLETED && state != RECORDING) || begin == NULL ||
      vtr_gapid_get_number (object->value, "Level") != self->level)
    return;
  calls = list_calls (self, object);
  if (calls == NULL)
    return;
  emit_begin (self, object, begin);
  for (guint i = 0; i < calls->len; i++)
    vtr_gapid_emit (self, g_array_index (calls, Recorded, i).id,
                    g_array_index (calls, Recorded, i).args);
  if (state == COMPLETED)
    vtr_gapid_emit (self, VTR_CMD_vkEndCommandBuffer,
                    &(VtrArgs_vkEndCommandBuffer){
                      VTR_GAPID_HANDLE (VkCommandBuffer, object->handle) });
}

void
vtr_gapid_record_all (VtrGapidBuilder *self)
{
  self->level = VK_COMMAND_BUFFER_LEVEL_SECONDARY;
  vtr_gapid_each (self, VTR_HANDLE_VkCommandBuffer, record);
  self->level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  vtr_gapid_each (self, VTR_HANDLE_VkCommandBuffer, record);
}
