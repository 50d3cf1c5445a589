/* Finds the contents of a descriptor set: its layout makes the slots, and the updates since its
 * allocation fill them in order. */
#include "engine/vulkan/state/vtr-descriptors.h"

#include "api/vtr-api-args.h"
#include "engine/format/vtr-trace-observations.h"
#include "engine/vulkan/state/vtr-older-form.h"
#include "engine/vulkan/state/vtr-state-facts.h"

#include <glib/gi18n.h>
#include <stdlib.h>
#include <string.h>

/* Updates of one set that are looked at, the newest; sets live on for whole sessions in some
   programs. */
#define MAX_WRITES 4096
/* Copies from sets that were copied to themselves. */
#define MAX_COPY_DEPTH 4

static int
compare_bindings (const void *a, const void *b)
{
  const VtrDescriptorBinding *left = a, *right = b;

  return left->binding < right->binding ? -1 : left->binding > right->binding;
}

static gboolean
fill_layout (VtrHistory                            *history,
             const VkDescriptorSetLayoutCreateInfo *info,
             guint32                                variable_count,
             VtrArena                              *arena,
             VtrDescriptorContents                 *out)
{
  const VkDescriptorSetLayoutBindingFlagsCreateInfo *flags = vtr_api_find_next (
    info->pNext, VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO);

  out->flags = info->flags;
  out->n_bindings = info->pBindings != NULL ? info->bindingCount : 0;
  out->bindings = vtr_arena_new_array (arena, out->n_bindings, VtrDescriptorBinding);
  if (out->bindings == NULL)
    return FALSE;
  for (guint32 i = 0; i < out->n_bindings; i++)
    {
      const VkDescriptorSetLayoutBinding *from = &info->pBindings[i];
      VtrDescriptorBinding *to = &out->bindings[i];
      gboolean variable =
        flags != NULL && flags->pBindingFlags != NULL && i < flags->bindingCount &&
        (flags->pBindingFlags[i] & VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT) != 0;

      to->binding = from->binding;
      to->type = from->descriptorType;
      to->count = variable ? MIN (variable_count, from->descriptorCount) : from->descriptorCount;
      to->stages = from->stageFlags;
      to->n_descriptors = from->descriptorType == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK
                            ? MIN (to->count, 1)
                            : MIN (to->count, VTR_MAX_DESCRIPTORS);
      to->descriptors = vtr_arena_new_array (arena, to->n_descriptors, VtrDescriptor);
      to->immutable_samplers = (const guint64 *)(const void *)from->pImmutableSamplers;
      if (to->descriptors == NULL)
        return FALSE;
    }
  if (out->n_bindings > 1)
    qsort (out->bindings, out->n_bindings, sizeof *out->bindings, compare_bindings);
  return TRUE;
}

static gboolean
fill_layout_by_handle (VtrHistory            *history,
                       guint64                handle,
                       guint64                index,
                       guint32                variable_count,
                       VtrArena              *arena,
                       VtrDescriptorContents *out)
{
  const VtrObject *layout =
    vtr_history_find (history, vtr_vulkan_identity (VTR_HANDLE_VkDescriptorSetLayout, handle),
                      index);
  const VtrArgs_vkCreateDescriptorSetLayout *args;
  VtrCommand command;

  out->layout = layout;
  if (layout == NULL || !vtr_history_decode_creation (history, layout, arena, &command, NULL) ||
      command.id != VTR_CMD_vkCreateDescriptorSetLayout)
    return FALSE;
  args = command.args;
  return args->pCreateInfo != NULL &&
         fill_layout (history, args->pCreateInfo, variable_count, arena, out);
}

static gboolean
fill_allocated (VtrHistory            *history,
                const VtrObject       *set,
                VtrArena              *arena,
                VtrDescriptorContents *out)
{
  const VtrArgs_vkAllocateDescriptorSets *args;
  const VkDescriptorSetVariableDescriptorCountAllocateInfo *variable;
  const VkDescriptorSetAllocateInfo *info;
  guint32 variable_count = 0;
  VtrCommand command;

  if (!vtr_history_decode_creation (history, set, arena, &command, NULL) ||
      command.id != VTR_CMD_vkAllocateDescriptorSets)
    return FALSE;
  args = command.args;
  info = args->pAllocateInfo;
  if (info == NULL || info->pSetLayouts == NULL || set->element >= info->descriptorSetCount)
    return FALSE;

  variable = vtr_api_find_next (
    info->pNext, VK_STRUCTURE_TYPE_DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_ALLOCATE_INFO);
  if (variable != NULL && variable->pDescriptorCounts != NULL &&
      set->element < variable->descriptorSetCount)
    variable_count = variable->pDescriptorCounts[set->element];
  return fill_layout_by_handle (history, (guint64)info->pSetLayouts[set->element], set->created,
                                variable_count, arena, out);
}

/* A place to write: descriptors run on into the next bindings. */
typedef struct
{
  VtrDescriptorContents *contents;
  guint32 binding; /* position in .bindings */
  guint32 element;
} VtrCursor;

static gboolean
cursor_start (VtrCursor *self, VtrDescriptorContents *contents, guint32 binding, guint32 element)
{
  self->contents = contents;
  self->element = element;
  for (self->binding = 0; self->binding < contents->n_bindings; self->binding++)
    if (contents->bindings[self->binding].binding == binding)
      return TRUE;
  return FALSE;
}

/* The slot at the cursor, which moves on. *@out is NULL for slots that are not kept. Returns: FALSE
   at the end. */
static gboolean
cursor_next (VtrCursor *self, VtrDescriptor **out)
{
  const VtrDescriptorContents *contents = self->contents;

  while (self->binding < contents->n_bindings &&
         self->element >= contents->bindings[self->binding].count)
    {
      self->element -= contents->bindings[self->binding].count;
      self->binding++;
    }
  if (self->binding >= contents->n_bindings)
    return FALSE;
  *out = self->element < contents->bindings[self->binding].n_descriptors
           ? &contents->bindings[self->binding].descriptors[self->element]
           : NULL;
  self->element++;
  return TRUE;
}

static void
write_image (VtrDescriptor *to, const VkDescriptorImageInfo *from)
{
  to->sampler = (guint64)from->sampler;
  to->view = (guint64)from->imageView;
  to->image_layout = from->imageLayout;
}

static void
write_buffer (VtrDescriptor *to, const VkDescriptorBufferInfo *from)
{
  to->buffer = (guint64)from->buffer;
  to->offset = from->offset;
  to->range = from->range;
}

/* One descriptor from application memory of the kind that @type takes. */
static void
write_raw (VtrDescriptor *to, VkDescriptorType type, const guint8 *from)
{
  switch ((int)type)
    {
    case VK_DESCRIPTOR_TYPE_SAMPLER:
    case VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER:
    case VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE:
    case VK_DESCRIPTOR_TYPE_STORAGE_IMAGE:
    case VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT:
      {
        VkDescriptorImageInfo info;

        memcpy (&info, from, sizeof info);
        write_image (to, &info);
        break;
      }
    case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
    case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER:
      memcpy (&to->texel_view, from, sizeof to->texel_view);
      break;
    case VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR:
    case VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_NV:
      memcpy (&to->acceleration_structure, from, sizeof to->acceleration_structure);
      break;
    case VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK:
      break;
    default:
      {
        VkDescriptorBufferInfo info;

        memcpy (&info, from, sizeof info);
        write_buffer (to, &info);
        break;
      }
    }
}

static void
apply_write (VtrDescriptorContents *contents, const VkWriteDescriptorSet *write, guint64 index)
{
  const VkWriteDescriptorSetAccelerationStructureKHR *structures = vtr_api_find_next (
    write->pNext, VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_ACCELERATION_STRUCTURE_KHR);
  gboolean bytes = write->descriptorType == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK;
  guint32 n = bytes ? 1 : write->descriptorCount;
  VtrDescriptor *slot;
  VtrCursor cursor;

  if (!cursor_start (&cursor, contents, write->dstBinding, bytes ? 0 : write->dstArrayElement))
    return;
  for (guint32 i = 0; i < n && cursor_next (&cursor, &slot); i++)
    {
      if (slot == NULL)
        continue;
      *slot = (VtrDescriptor){ .written = TRUE, .command = index };
      if (write->pImageInfo != NULL)
        write_image (slot, &write->pImageInfo[i]);
      else if (write->pBufferInfo != NULL)
        write_buffer (slot, &write->pBufferInfo[i]);
      else if (write->pTexelBufferView != NULL)
        slot->texel_view = (guint64)write->pTexelBufferView[i];
      else if (structures != NULL && structures->pAccelerationStructures != NULL &&
               i < structures->accelerationStructureCount)
        slot->acceleration_structure = (guint64)structures->pAccelerationStructures[i];
    }
}

static gboolean get_contents (VtrHistory             *history,
                              const VtrObject        *set,
                              guint64                 index,
                              guint                   depth,
                              VtrArena               *arena,
                              VtrDescriptorContents  *out,
                              GError                **error);

static void
apply_copy (VtrHistory                *history,
            VtrDescriptorContents     *contents,
            const VkCopyDescriptorSet *copy,
            guint64                    index,
            guint                      depth,
            VtrArena                  *arena)
{
  const VtrObject *source =
    vtr_history_find (history,
                      vtr_vulkan_identity (VTR_HANDLE_VkDescriptorSet, (guint64)copy->srcSet),
                      index);
  VtrDescriptorContents other = { 0 };
  VtrCursor from, to;
  VtrDescriptor *read, *slot;

  /* The contents of the source before this command. */
  if (source == NULL || depth >= MAX_COPY_DEPTH || index == 0 ||
      !get_contents (history, source, index - 1, depth + 1, arena, &other, NULL) ||
      !cursor_start (&from, &other, copy->srcBinding, copy->srcArrayElement) ||
      !cursor_start (&to, contents, copy->dstBinding, copy->dstArrayElement))
    return;
  for (guint32 i = 0; i < copy->descriptorCount; i++)
    {
      if (!cursor_next (&from, &read) || !cursor_next (&to, &slot))
        break;
      if (slot == NULL || read == NULL)
        continue;
      *slot = *read;
      slot->command = index;
    }
}

static void
apply_template (VtrHistory                        *history,
                VtrDescriptorContents             *contents,
                VkDescriptorUpdateTemplate         handle,
                const VtrCommand                  *update,
                const void                 *const *data_slot,
                VtrArena                          *arena)
{
  const VtrObject *object =
    vtr_history_find (history,
                      vtr_vulkan_identity (VTR_HANDLE_VkDescriptorUpdateTemplate, (guint64)handle),
                      update->index);
  const VtrArgs_vkCreateDescriptorUpdateTemplate *args;
  const VkDescriptorUpdateTemplateCreateInfo *info;
  const guint8 *data = *data_slot;
  gsize size = 0;
  VtrCommand command;

  if (object == NULL || data == NULL ||
      !vtr_history_decode_creation (history, object, arena, &command, NULL) ||
      vtr_cmd_canonical (command.id) != VTR_CMD_vkCreateDescriptorUpdateTemplate)
    return;
  args = command.args;
  info = args->pCreateInfo;
  if (info == NULL || info->pDescriptorUpdateEntries == NULL)
    return;

  size = vtr_command_get_observed_size (update, data_slot);
  for (guint32 i = 0; i < info->descriptorUpdateEntryCount; i++)
    {
      const VkDescriptorUpdateTemplateEntry *entry = &info->pDescriptorUpdateEntries[i];
      gboolean bytes = entry->descriptorType == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK;
      guint32 n = bytes ? 1 : entry->descriptorCount;
      VtrDescriptor *slot;
      VtrCursor cursor;

      if (!cursor_start (&cursor, contents, entry->dstBinding,
                         bytes ? 0 : entry->dstArrayElement))
        continue;
      for (guint32 k = 0; k < n && cursor_next (&cursor, &slot); k++)
        {
          guint64 at;

          if (__builtin_mul_overflow ((guint64)entry->stride, (guint64)k, &at) ||
              __builtin_add_overflow (at, (guint64)entry->offset, &at) || at > size ||
              size - at < vtr_descriptor_raw_size (entry->descriptorType))
            break;
          if (slot == NULL)
            continue;
          *slot = (VtrDescriptor){ .written = TRUE, .command = update->index };
          write_raw (slot, entry->descriptorType, data + at);
        }
    }
}

static void
apply_command (VtrHistory            *history,
               VtrDescriptorContents *contents,
               guint64                index,
               guint                  depth,
               VtrArena              *arena)
{
  VtrCommand command;

  if (!vtr_trace_decode (vtr_history_get_trace (history), index, arena, &command, NULL))
    return;
  if (vtr_cmd_canonical (command.id) == VTR_CMD_vkUpdateDescriptorSets)
    {
      const VtrArgs_vkUpdateDescriptorSets *args = command.args;

      for (guint32 i = 0; i < args->descriptorWriteCount && args->pDescriptorWrites != NULL; i++)
        if ((guint64)args->pDescriptorWrites[i].dstSet == contents->set->handle)
          apply_write (contents, &args->pDescriptorWrites[i], index);
      for (guint32 i = 0; i < args->descriptorCopyCount && args->pDescriptorCopies != NULL; i++)
        if ((guint64)args->pDescriptorCopies[i].dstSet == contents->set->handle)
          apply_copy (history, contents, &args->pDescriptorCopies[i], index, depth, arena);
    }
  else if (vtr_cmd_canonical (command.id) == VTR_CMD_vkUpdateDescriptorSetWithTemplate)
    {
      const VtrArgs_vkUpdateDescriptorSetWithTemplate *args = command.args;

      apply_template (history, contents, args->descriptorUpdateTemplate, &command, &args->pData,
                      arena);
    }
}

static gboolean
get_contents (VtrHistory             *history,
              const VtrObject        *set,
              guint64                 index,
              guint                   depth,
              VtrArena               *arena,
              VtrDescriptorContents  *out,
              GError                **error)
{
  VtrDescriptorContents contents = { .set = set };
  gsize n = 0, first = 0, end = 0;
  const guint64 *writes = vtr_history_get_set_writes (history, set->id, &n);

  if (!fill_allocated (history, set, arena, &contents))
    {
      g_set_error (error, VTR_TRACE_ERROR, VTR_TRACE_ERROR_DAMAGED,
                   _ ("The trace does not contain the layout of descriptor set %u."), set->id);
      return FALSE;
    }
  while (end < n && writes[end] <= index)
    end++;
  first = end > MAX_WRITES ? end - MAX_WRITES : 0;
  for (gsize i = first; i < end; i++)
    apply_command (history, &contents, writes[i], depth, arena);
  *out = contents;
  return TRUE;
}

gboolean
vtr_descriptors_get (VtrHistory             *history,
                     const VtrObject        *set,
                     guint64                 index,
                     VtrArena               *arena,
                     VtrDescriptorContents  *out,
                     GError                **error)
{
  return get_contents (history, set, index, 0, arena, out, error);
}

guint32
vtr_pipeline_layout_get_sets (
  VtrHistory *history, guint64 layout, guint64 index, VtrArena *arena, const guint64 **sets)
{
  const VtrObject *object =
    vtr_history_find (history, vtr_vulkan_identity (VTR_HANDLE_VkPipelineLayout, layout), index);
  const VtrArgs_vkCreatePipelineLayout *args;
  VtrCommand command;

  *sets = NULL;
  if (object == NULL || !vtr_history_decode_creation (history, object, arena, &command, NULL) ||
      command.id != VTR_CMD_vkCreatePipelineLayout)
    return 0;
  args = command.args;
  if (args->pCreateInfo == NULL || args->pCreateInfo->pSetLayouts == NULL)
    return 0;
  *sets = (const guint64 *)(const void *)args->pCreateInfo->pSetLayouts;
  return args->pCreateInfo->setLayoutCount;
}

static gboolean
fill_pushed_layout (VtrHistory            *history,
                    VkPipelineLayout       layout,
                    guint32                set,
                    guint64                index,
                    VtrArena              *arena,
                    VtrDescriptorContents *out)
{
  const guint64 *sets;
  guint32 n = vtr_pipeline_layout_get_sets (history, (guint64)layout, index, arena, &sets);

  return set < n && fill_layout_by_handle (history, sets[set], index, 0, arena, out);
}

gboolean
vtr_descriptors_get_pushed (
  VtrHistory *history, guint64 index, VtrArena *arena, VtrDescriptorContents *out, GError **error)
{
  VtrDescriptorContents contents = { 0 };
  gboolean known = FALSE;
  VtrOlderForms forms;
  VtrCommand command;

  if (!vtr_trace_decode (vtr_history_get_trace (history), index, arena, &command, error))
    return FALSE;
  /* All forms push the same. */
  vtr_older_forms_init (&forms, &command);
  if (forms.command.id == VTR_CMD_vkCmdPushDescriptorSetKHR)
    {
      const VtrArgs_vkCmdPushDescriptorSetKHR *args = forms.command.args;

      known = fill_pushed_layout (history, args->layout, args->set, index, arena, &contents);
      for (guint32 i = 0;
           known && i < args->descriptorWriteCount && args->pDescriptorWrites != NULL; i++)
        apply_write (&contents, &args->pDescriptorWrites[i], index);
    }
  else if (forms.command.id == VTR_CMD_vkCmdPushDescriptorSetWithTemplateKHR)
    {
      const VtrArgs_vkCmdPushDescriptorSetWithTemplateKHR *args = forms.command.args;

      known = fill_pushed_layout (history, args->layout, args->set, index, arena, &contents);
      if (known && forms.template_data != NULL)
        apply_template (history, &contents, args->descriptorUpdateTemplate, &command,
                        forms.template_data, arena);
    }
  if (!known)
    {
      g_autofree char *number = vtr_trace_format_number (vtr_history_get_trace (history), index);

      g_set_error (error, VTR_TRACE_ERROR, VTR_TRACE_ERROR_DAMAGED,
                   _ ("The trace does not contain the layout of the descriptors pushed by "
                      "command %s."),
                   number);
      return FALSE;
    }
  *out = contents;
  return TRUE;
}

gboolean
vtr_descriptors_get_layout (VtrHistory            *history,
                            guint64                handle,
                            guint64                index,
                            VtrArena              *arena,
                            VtrDescriptorContents *out)
{
  *out = (VtrDescriptorContents){ 0 };
  return fill_layout_by_handle (history, handle, index, G_MAXUINT32, arena, out);
}
