/* Applies updates of descriptor sets, by writes, copies and templates, to the state. */
#include "engine/vulkan/state/vtr-state-mutator.h"

#include "api/vtr-api-args.h"
#include "engine/format/vtr-trace-observations.h"

#include <glib/gi18n.h>
#include <string.h>

/* Inline uniform data is limited to some hundred bytes by every driver. */
#define MAX_INLINE (1u << 16)

static VtrStateSet *
edit_set (VtrMutator      *self,
          VkDescriptorSet  set)
{
  VtrStateSet *record = vtr_mutator_edit (self, VTR_HANDLE_VkDescriptorSet, (guint64)set);

  return record != NULL && record->layout != NULL ? record : NULL;
}

/* Like edit_set (), to read from: only a set that nothing was written to yet gets a record by
 * that. */
static const VtrStateSet *
peek_set (VtrMutator      *self,
          VkDescriptorSet  set)
{
  guint32 id = vtr_mutator_find (self, VTR_HANDLE_VkDescriptorSet, (guint64)set);
  const VtrStateSet *record =
    (const VtrStateSet *)(gconstpointer)vtr_api_state_peek (self->state, id);

  if (record == NULL)
    return edit_set (self, set);
  return record->layout != NULL ? record : NULL;
}

/* Position in the set of element @element of binding @binding; says so when there is none. */
static guint32
find_slot (VtrMutator        *self,
           const VtrStateSet *set,
           guint32            binding,
           guint32            element,
           guint32            count)
{
  guint32 nth = vtr_set_layout_find (set->layout, binding);
  guint64 at;

  if (nth == G_MAXUINT32)
    {
      vtr_mutator_say (self, VTR_STATE_ERROR, self->command.index, "descriptor-binding",
                       _ ("The descriptor set's layout has no binding %u."), binding);
      return G_MAXUINT32;
    }
  at = (guint64)set->layout->bindings[nth].first + element;
  if (at + count > set->layout->n_slots)
    {
      vtr_mutator_say (self, VTR_STATE_ERROR, self->command.index, "descriptor-element",
                       _ ("Binding %u has %u descriptors, and the bindings after it cannot take "
                          "the rest: elements %u to %u are written."),
                       binding, set->layout->bindings[nth].count, element, element + count - 1);
      if (at >= set->layout->n_slots)
        return G_MAXUINT32;
    }
  return (guint32)at;
}

static VtrStateDescriptor *
start_descriptor (VtrMutator  *self,
                  VtrStateSet *set,
                  guint32      at,
                  guint32      type)
{
  VtrStateDescriptor *descriptor =
    at < set->layout->n_slots ? vtr_state_set_edit (set, at) : NULL;

  if (descriptor != NULL)
    *descriptor = (VtrStateDescriptor){
      .type = type,
      .command = (guint32)self->command.index,
      .written = TRUE,
    };
  return descriptor;
}

static void
write_image (VtrMutator                  *self,
             VtrStateDescriptor          *to,
             const VkDescriptorImageInfo *from)
{
  gboolean sampler = to->type == VK_DESCRIPTOR_TYPE_SAMPLER ||
                     to->type == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;

  if (sampler)
    to->sampler = vtr_mutator_find (self, VTR_HANDLE_VkSampler, (guint64)from->sampler);
  if (to->type == VK_DESCRIPTOR_TYPE_SAMPLER)
    return;
  to->object = vtr_mutator_find (self, VTR_HANDLE_VkImageView, (guint64)from->imageView);
  to->image_layout = from->imageLayout;
}

static void
write_buffer (VtrMutator                   *self,
              VtrStateDescriptor           *to,
              const VkDescriptorBufferInfo *from)
{
  to->object = vtr_mutator_find (self, VTR_HANDLE_VkBuffer, (guint64)from->buffer);
  to->offset = from->offset;
  to->range = from->range;
}

/* One descriptor from bytes of the kind that its type takes. */
static void
write_raw (VtrMutator         *self,
           VtrStateDescriptor *to,
           const guint8       *from)
{
  guint64 handle;

  switch ((int)to->type)
    {
    case VK_DESCRIPTOR_TYPE_SAMPLER:
    case VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER:
    case VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE:
    case VK_DESCRIPTOR_TYPE_STORAGE_IMAGE:
    case VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT:
      {
        VkDescriptorImageInfo info;

        memcpy (&info, from, sizeof info);
        write_image (self, to, &info);
        break;
      }
    case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
    case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER:
      memcpy (&handle, from, sizeof handle);
      to->object = vtr_mutator_find (self, VTR_HANDLE_VkBufferView, handle);
      break;
    case VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR:
      memcpy (&handle, from, sizeof handle);
      to->object = vtr_mutator_find (self, VTR_HANDLE_VkAccelerationStructureKHR, handle);
      break;
    case VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_NV:
      memcpy (&handle, from, sizeof handle);
      to->object = vtr_mutator_find (self, VTR_HANDLE_VkAccelerationStructureNV, handle);
      break;
    default:
      {
        VkDescriptorBufferInfo info;

        memcpy (&info, from, sizeof info);
        write_buffer (self, to, &info);
        break;
      }
    }
}

/* Replaces bytes [offset, offset + size) of an inline block. @data NULL: not known; zeroes. */
static void
write_inline (VtrMutator    *self,
              VtrStateSet   *set,
              guint32        binding,
              guint32        offset,
              guint32        size,
              gconstpointer  data)
{
  guint32 nth = vtr_set_layout_find (set->layout, binding);
  VtrStateDescriptor *descriptor;
  const VtrSetBinding *layout;
  guint32 total;
  guint8 *bytes;

  if (nth == G_MAXUINT32 || set->inline_data == NULL)
    return;
  layout = &set->layout->bindings[nth];
  total = MIN (layout->count, MAX_INLINE);
  if (layout->type != VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK || offset > total ||
      size > total - offset)
    {
      vtr_mutator_say (self, VTR_STATE_ERROR, self->command.index, "descriptor-element",
                       _ ("Binding %u is not an inline uniform block with bytes %u to %u."),
                       binding,
                       offset,
                       offset + size);
      return;
    }
  bytes = g_malloc0 (MAX (total, 1));
  if (set->inline_data[nth] != NULL)
    memcpy (bytes, g_bytes_get_data (set->inline_data[nth], NULL), total);
  if (data != NULL)
    memcpy (bytes + offset, data, size);
  g_clear_pointer (&set->inline_data[nth], g_bytes_unref);
  set->inline_data[nth] = g_bytes_new_take (bytes, total);
  descriptor = start_descriptor (self, set, layout->first, layout->type);
  if (descriptor != NULL)
    descriptor->range = total;
}

static void
apply_write (VtrMutator                 *self,
             const VkWriteDescriptorSet *write)
{
  const VkWriteDescriptorSetAccelerationStructureKHR *structures = vtr_api_find_next (
    write->pNext, VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_ACCELERATION_STRUCTURE_KHR);
  const VkWriteDescriptorSetInlineUniformBlock *block =
    vtr_api_find_next (write->pNext, VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_INLINE_UNIFORM_BLOCK);
  VtrStateSet *set = edit_set (self, write->dstSet);
  guint32 at;

  if (set == NULL)
    return;
  if (write->descriptorType == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK)
    {
      write_inline (self, set, write->dstBinding, write->dstArrayElement, write->descriptorCount,
                    block != NULL && block->dataSize >= write->descriptorCount ? block->pData
                                                                               : NULL);
      return;
    }
  at = find_slot (self, set, write->dstBinding, write->dstArrayElement, write->descriptorCount);
  for (guint32 i = 0; at != G_MAXUINT32 && i < write->descriptorCount; i++)
    {
      VtrStateDescriptor *to = start_descriptor (self, set, at + i, write->descriptorType);

      if (to == NULL)
        break;
      if (write->pImageInfo != NULL)
        write_image (self, to, &write->pImageInfo[i]);
      else if (write->pBufferInfo != NULL)
        write_buffer (self, to, &write->pBufferInfo[i]);
      else if (write->pTexelBufferView != NULL)
        to->object = vtr_mutator_find (self, VTR_HANDLE_VkBufferView,
                                       (guint64)write->pTexelBufferView[i]);
      else if (structures != NULL && structures->pAccelerationStructures != NULL &&
               i < structures->accelerationStructureCount)
        to->object = vtr_mutator_find (self, VTR_HANDLE_VkAccelerationStructureKHR,
                                       (guint64)structures->pAccelerationStructures[i]);
    }
}

static void
copy_inline (VtrMutator                *self,
             VtrStateSet               *to,
             const VtrStateSet         *from,
             const VkCopyDescriptorSet *copy)
{
  guint32 nth = vtr_set_layout_find (from->layout, copy->srcBinding);
  GBytes *bytes =
    nth != G_MAXUINT32 && from->inline_data != NULL ? from->inline_data[nth] : NULL;
  gsize size = 0;
  const guint8 *data = bytes != NULL ? g_bytes_get_data (bytes, &size) : NULL;

  if (data == NULL || copy->srcArrayElement > size ||
      copy->descriptorCount > size - copy->srcArrayElement)
    return;
  write_inline (self, to, copy->dstBinding, copy->dstArrayElement, copy->descriptorCount,
                data + copy->srcArrayElement);
}

static void
apply_copy (VtrMutator                *self,
            const VkCopyDescriptorSet *copy)
{
  VtrStateSet *to = edit_set (self, copy->dstSet);
  const VtrStateSet *from = peek_set (self, copy->srcSet);
  guint32 read_at, write_at, nth;

  if (to == NULL || from == NULL)
    return;
  nth = vtr_set_layout_find (from->layout, copy->srcBinding);
  if (nth != G_MAXUINT32 &&
      from->layout->bindings[nth].type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK)
    {
      copy_inline (self, to, from, copy);
      return;
    }
  read_at =
    find_slot (self, from, copy->srcBinding, copy->srcArrayElement, copy->descriptorCount);
  write_at = find_slot (self, to, copy->dstBinding, copy->dstArrayElement, copy->descriptorCount);
  if (read_at == G_MAXUINT32 || write_at == G_MAXUINT32)
    return;
  for (guint32 i = 0; i < copy->descriptorCount; i++)
    {
      const VtrStateDescriptor *source =
        read_at + i < from->layout->n_slots ? vtr_state_set_peek (from, read_at + i) : NULL;
      VtrStateDescriptor value = source != NULL ? *source : (VtrStateDescriptor){ 0 };
      VtrStateDescriptor *slot = start_descriptor (self, to, write_at + i, value.type);

      if (slot == NULL)
        break;
      value.command = (guint32)self->command.index;
      *slot = value;
    }
}

static void
apply_entry (VtrMutator                            *self,
             VtrStateSet                           *set,
             const VkDescriptorUpdateTemplateEntry *entry,
             const guint8                          *data,
             gsize                                  size)
{
  guint32 at;

  if (entry->descriptorType == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK)
    {
      if (entry->offset <= size && entry->descriptorCount <= size - entry->offset)
        write_inline (self, set, entry->dstBinding, entry->dstArrayElement,
                      entry->descriptorCount, data + entry->offset);
      return;
    }
  at = find_slot (self, set, entry->dstBinding, entry->dstArrayElement, entry->descriptorCount);
  for (guint32 i = 0; at != G_MAXUINT32 && i < entry->descriptorCount; i++)
    {
      VtrStateDescriptor *to;
      guint64 from;

      if (__builtin_mul_overflow ((guint64)entry->stride, (guint64)i, &from) ||
          __builtin_add_overflow (from, (guint64)entry->offset, &from) || from > size ||
          size - from < vtr_descriptor_raw_size (entry->descriptorType))
        return;
      to = start_descriptor (self, set, at + i, entry->descriptorType);
      if (to == NULL)
        return;
      write_raw (self, to, data + from);
    }
}

static void
apply_template (VtrMutator *self)
{
  const VtrArgs_vkUpdateDescriptorSetWithTemplate *args = self->command.args;
  const VtrTemplateFact *fact = vtr_state_facts_get_template (
    vtr_vulkan_facts (self->shared), vtr_mutator_find (self, VTR_HANDLE_VkDescriptorUpdateTemplate,
                                                       (guint64)args->descriptorUpdateTemplate));
  VtrStateSet *set = edit_set (self, args->descriptorSet);
  gsize size = vtr_command_get_observed_size (&self->command, &args->pData);

  if (fact == NULL || set == NULL || args->pData == NULL)
    return;
  for (guint32 i = 0; i < fact->n_entries; i++)
    apply_entry (self, set, &fact->entries[i], args->pData, size);
}

gboolean
vtr_mutator_apply_sets (VtrMutator *self)
{
  switch (self->command.id)
    {
    case VTR_CMD_vkUpdateDescriptorSets:
      {
        const VtrArgs_vkUpdateDescriptorSets *args = self->command.args;

        for (guint32 i = 0; i < args->descriptorWriteCount && args->pDescriptorWrites != NULL; i++)
          apply_write (self, &args->pDescriptorWrites[i]);
        for (guint32 i = 0; i < args->descriptorCopyCount && args->pDescriptorCopies != NULL; i++)
          apply_copy (self, &args->pDescriptorCopies[i]);
        return TRUE;
      }
    case VTR_CMD_vkUpdateDescriptorSetWithTemplate:
      apply_template (self);
      return TRUE;
    default:
      return FALSE;
    }
}
