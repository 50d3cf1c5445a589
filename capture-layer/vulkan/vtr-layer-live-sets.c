/* Follows the contents of descriptor sets. */
#include "vtr-layer-live-sets-private.h"

#include "base/vtr-grow.h"
#include "vulkan/vtr-vulkan-env.h"

#include <stdlib.h>
#include <string.h>

typedef struct
{
  uint32_t n;
  VtrLayerSetBinding bindings[]; /* by number */
} Layout;

static uint64_t
key (const void *handle)
{
  return (uint64_t)(uintptr_t)handle;
}

/* ---- Layouts ---- */

static int
compare_bindings (const void *a,
                  const void *b)
{
  const VtrLayerSetBinding *left = a, *right = b;

  return left->number < right->number ? -1 : left->number > right->number;
}

void *
vtr_layer_set_layout_new (const VkDescriptorSetLayoutCreateInfo *info)
{
  Layout *self = calloc (1, sizeof *self + info->bindingCount * sizeof self->bindings[0]);

  if (self == NULL)
    {
      vtr_layer_live_fail (VTR_LAYER_NO_MEMORY);
      return NULL;
    }
  self->n = info->bindingCount;
  for (uint32_t i = 0; i < self->n; i++)
    {
      const VkDescriptorSetLayoutBinding *each = &info->pBindings[i];
      bool samples = each->descriptorType == VK_DESCRIPTOR_TYPE_SAMPLER ||
                     each->descriptorType == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;

      self->bindings[i] = (VtrLayerSetBinding){
        .number = each->binding,
        .type = each->descriptorType,
        .count = each->descriptorCount,
        .immutable = samples && each->pImmutableSamplers != NULL,
      };
    }
  qsort (self->bindings, self->n, sizeof self->bindings[0], compare_bindings);
  return self;
}

void
vtr_layer_set_layout_free (void *state)
{
  free (state);
}

/* ---- Sets ---- */

void *
vtr_layer_set_new (VtrLayerWorld                     *world,
                   const VkDescriptorSetAllocateInfo *info,
                   uint32_t                           index)
{
  const VkDescriptorSetVariableDescriptorCountAllocateInfo *counts = vtr_api_find_next (
    info->pNext, VK_STRUCTURE_TYPE_DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_ALLOCATE_INFO);
  const Layout *layout = vtr_layer_live_state (world, VTR_HANDLE_VkDescriptorSetLayout,
                                               key (info->pSetLayouts[index]));
  VtrLayerSet *self;

  if (layout == NULL)
    return NULL;
  self = calloc (1, sizeof *self + layout->n * sizeof self->slots[0]);
  if (self == NULL)
    {
      vtr_layer_live_fail (VTR_LAYER_NO_MEMORY);
      return NULL;
    }
  self->n = layout->n;
  for (uint32_t i = 0; i < self->n; i++)
    self->slots[i].binding = layout->bindings[i];
  /* Only the last binding may have a variable size; where it has, it can only be smaller. */
  if (counts != NULL && index < counts->descriptorSetCount && self->n > 0 &&
      counts->pDescriptorCounts[index] < self->slots[self->n - 1].binding.count &&
      counts->pDescriptorCounts[index] > 0)
    self->slots[self->n - 1].binding.count = counts->pDescriptorCounts[index];
  return self;
}

void
vtr_layer_set_free (void *state)
{
  VtrLayerSet *self = state;

  for (uint32_t i = 0; self != NULL && i < self->n; i++)
    {
      free (self->slots[i].elements);
      free (self->slots[i].bytes);
    }
  free (self);
}

uint64_t
vtr_layer_set_get_order (const void *state)
{
  const VtrLayerSet *self = state;

  return self != NULL ? self->order : 0;
}

/* ---- Places in a set ---- */

typedef struct
{
  VtrLayerSet *set;
  uint32_t slot;
  uint32_t element;
} Place;

static bool
find_place (VtrLayerSet *set,
            uint32_t     binding,
            uint32_t     element,
            Place       *place)
{
  for (uint32_t i = 0; set != NULL && i < set->n; i++)
    if (set->slots[i].binding.number == binding)
      {
        *place = (Place){ set, i, element };
        return true;
      }
  return false;
}

/* Returns: the descriptor at @place, moved into the following bindings if need be; or NULL. */
static VtrLayerSetElement *
get_element (Place *place,
             bool   create)
{
  VtrLayerSetSlot *slot;

  while (place->slot < place->set->n &&
         place->element >= place->set->slots[place->slot].binding.count)
    {
      place->element -= place->set->slots[place->slot].binding.count;
      place->slot++;
    }
  if (place->slot >= place->set->n)
    return NULL;
  slot = &place->set->slots[place->slot];
  if (slot->elements == NULL && create)
    {
      slot->elements = calloc (slot->binding.count, sizeof *slot->elements);
      if (slot->elements == NULL)
        vtr_layer_live_fail (VTR_LAYER_NO_MEMORY);
    }
  return slot->elements != NULL ? &slot->elements[place->element] : NULL;
}

static void
write_bytes (const Place *place,
             const void  *bytes,
             uint32_t     size,
             uint64_t     order)
{
  VtrLayerSetSlot *slot = &place->set->slots[place->slot];

  if (place->element > slot->binding.count || size > slot->binding.count - place->element)
    return;
  if (slot->bytes == NULL)
    slot->bytes = calloc (1, slot->binding.count);
  if (slot->bytes == NULL)
    {
      vtr_layer_live_fail (VTR_LAYER_NO_MEMORY);
      return;
    }
  memcpy (slot->bytes + place->element, bytes, size);
  slot->order = order;
}

static bool
is_image (VkDescriptorType type)
{
  switch (type)
    {
    case VK_DESCRIPTOR_TYPE_SAMPLER:
    case VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER:
    case VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE:
    case VK_DESCRIPTOR_TYPE_STORAGE_IMAGE:
    case VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT:
    case VK_DESCRIPTOR_TYPE_SAMPLE_WEIGHT_IMAGE_QCOM:
    case VK_DESCRIPTOR_TYPE_BLOCK_MATCH_IMAGE_QCOM:
      return true;
    default:
      return false;
    }
}

/* Reads one descriptor from @from, as a template or an array of a write has it. */
static void
write_element (VtrLayerSetElement *element,
               VkDescriptorType    type,
               const void         *from,
               uint64_t            order)
{
  if (element == NULL)
    return;
  element->order = order;
  element->type = type;
  if (is_image (type))
    memcpy (&element->image, from, sizeof element->image);
  else if (type == VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER ||
           type == VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER)
    memcpy (&element->view, from, sizeof element->view);
  else if (type == VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR)
    memcpy (&element->structure, from, sizeof element->structure);
  else if (type == VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_NV)
    memcpy (&element->structure_nv, from, sizeof element->structure_nv);
  else
    memcpy (&element->buffer, from, sizeof element->buffer);
}

/* ---- Updates ---- */

static VtrLayerSet *
get_set (VtrLayerWorld   *world,
         VkDescriptorSet  handle)
{
  return vtr_layer_live_state (world, VTR_HANDLE_VkDescriptorSet, key (handle));
}

static void
write_inline (const VkWriteDescriptorSet *write,
              const Place                *place,
              uint64_t                    order)
{
  const VkWriteDescriptorSetInlineUniformBlock *block =
    vtr_api_find_next (write->pNext, VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_INLINE_UNIFORM_BLOCK);

  if (block != NULL)
    write_bytes (place, block->pData, block->dataSize, order);
}

/* Where the descriptors of a write are, and how far they are apart. */
static const uint8_t *
get_source (const VkWriteDescriptorSet *write,
            size_t                     *stride)
{
  const VkWriteDescriptorSetAccelerationStructureKHR *structures;
  const VkWriteDescriptorSetAccelerationStructureNV *structures_nv;

  *stride = sizeof (uint64_t);
  switch (write->descriptorType)
    {
    case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
    case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER:
      return (const uint8_t *)write->pTexelBufferView;
    case VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR:
      structures = vtr_api_find_next (
        write->pNext, VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_ACCELERATION_STRUCTURE_KHR);
      return structures != NULL ? (const uint8_t *)structures->pAccelerationStructures : NULL;
    case VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_NV:
      structures_nv = vtr_api_find_next (
        write->pNext, VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_ACCELERATION_STRUCTURE_NV);
      return structures_nv != NULL ? (const uint8_t *)structures_nv->pAccelerationStructures : NULL;
    default:
      if (is_image (write->descriptorType))
        {
          *stride = sizeof (VkDescriptorImageInfo);
          return (const uint8_t *)write->pImageInfo;
        }
      *stride = sizeof (VkDescriptorBufferInfo);
      return (const uint8_t *)write->pBufferInfo;
    }
}

static void
write_set (VtrLayerWorld              *world,
           const VkWriteDescriptorSet *write,
           uint64_t                    order)
{
  VtrLayerSet *set = get_set (world, write->dstSet);
  const uint8_t *from;
  size_t stride;
  Place place;

  if (!find_place (set, write->dstBinding, write->dstArrayElement, &place))
    return;
  set->order = order;
  if (write->descriptorType == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK)
    {
      write_inline (write, &place, order);
      return;
    }
  from = get_source (write, &stride);
  for (uint32_t i = 0; from != NULL && i < write->descriptorCount; i++, place.element++)
    write_element (get_element (&place, true), write->descriptorType, from + i * stride, order);
}

static void
copy_set (VtrLayerWorld             *world,
          const VkCopyDescriptorSet *copy,
          uint64_t                   order)
{
  VtrLayerSet *source = get_set (world, copy->srcSet), *set = get_set (world, copy->dstSet);
  Place from, to;

  if (!find_place (source, copy->srcBinding, copy->srcArrayElement, &from) ||
      !find_place (set, copy->dstBinding, copy->dstArrayElement, &to))
    return;
  set->order = order;
  if (source->slots[from.slot].binding.type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK)
    {
      const VtrLayerSetSlot *slot = &source->slots[from.slot];

      if (slot->bytes != NULL && from.element <= slot->binding.count &&
          copy->descriptorCount <= slot->binding.count - from.element)
        write_bytes (&to, slot->bytes + from.element, copy->descriptorCount, order);
      return;
    }
  for (uint32_t i = 0; i < copy->descriptorCount; i++, from.element++, to.element++)
    {
      const VtrLayerSetElement *element = get_element (&from, false);
      VtrLayerSetElement *target = get_element (&to, element != NULL);

      if (target == NULL)
        continue;
      *target = element != NULL ? *element : (VtrLayerSetElement){ 0 };
      if (target->order != 0)
        target->order = order;
    }
}

void
vtr_layer_set_update (VtrLayerWorld                        *world,
                      const VtrArgs_vkUpdateDescriptorSets *args)
{
  uint64_t order = vtr_layer_live_next_order ();

  for (uint32_t i = 0; i < args->descriptorWriteCount; i++)
    write_set (world, &args->pDescriptorWrites[i], order);
  for (uint32_t i = 0; i < args->descriptorCopyCount; i++)
    copy_set (world, &args->pDescriptorCopies[i], order);
}

void
vtr_layer_set_update_with_template (VtrLayerWorld                                   *world,
                                    const VtrArgs_vkUpdateDescriptorSetWithTemplate *args)
{
  const VtrApiEnv *env = &world->device->names.env;
  const VtrVulkanEnv *state = env->state;
  VtrLayerSet *set = get_set (world, args->descriptorSet);
  VtrUpdateTemplate template;

  if (set == NULL || !state->update_template (env->data, args->descriptorUpdateTemplate, &template))
    return;
  set->order = vtr_layer_live_next_order ();
  for (uint32_t i = 0; i < template.n_entries; i++)
    {
      const VkDescriptorUpdateTemplateEntry *entry = &template.entries[i];
      const uint8_t *from = (const uint8_t *)args->pData + entry->offset;
      Place place;

      if (!find_place (set, entry->dstBinding, entry->dstArrayElement, &place))
        continue;
      if (entry->descriptorType == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK)
        {
          write_bytes (&place, from, entry->descriptorCount, set->order);
          continue;
        }
      for (uint32_t j = 0; j < entry->descriptorCount; j++, place.element++)
        write_element (get_element (&place, true), entry->descriptorType,
                       from + j * entry->stride, set->order);
    }
}

/* ---- Writing them down ---- */

/* Whether the object is still the one that was there when the descriptor was written. */
static bool
is_there (VtrLayerWorld *world,
          VtrHandleId    type,
          uint64_t       handle,
          uint64_t       order)
{
  const VtrLayerObject *object = vtr_layer_live_find (world, type, handle);

  return handle == 0 || (object != NULL && object->order < order);
}

static bool
uses_sampler (const VtrLayerSetElement *element)
{
  return element->type == VK_DESCRIPTOR_TYPE_SAMPLER ||
         element->type == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
}

static bool
is_valid (VtrLayerWorld         *world,
          const VtrLayerSetSlot *slot,
          VtrLayerSetElement    *element)
{
  if (element->order == 0)
    return false;
  if (is_image (element->type))
    {
      /* Ignored members may have any value. */
      if (!uses_sampler (element) || slot->binding.immutable)
        element->image.sampler = VK_NULL_HANDLE;
      if (element->type == VK_DESCRIPTOR_TYPE_SAMPLER)
        element->image.imageView = VK_NULL_HANDLE;
      if (element->type == VK_DESCRIPTOR_TYPE_SAMPLER && slot->binding.immutable)
        return false;
      return is_there (world, VTR_HANDLE_VkSampler, key (element->image.sampler), element->order) &&
             is_there (world, VTR_HANDLE_VkImageView, key (element->image.imageView),
                       element->order);
    }
  switch (element->type)
    {
    case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
    case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER:
      return is_there (world, VTR_HANDLE_VkBufferView, key (element->view), element->order);
    case VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR:
      return is_there (world, VTR_HANDLE_VkAccelerationStructureKHR, key (element->structure),
                       element->order);
    case VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_NV:
      return false;
    default:
      return is_there (world, VTR_HANDLE_VkBuffer, key (element->buffer.buffer), element->order);
    }
}

/* The writes of one set, and the arrays they point to. */
typedef struct
{
  VtrArena arena;
  VkDescriptorSet set;
  VkWriteDescriptorSet *writes;
  uint32_t n;
  size_t n_allocated;
} Writer;

static VkWriteDescriptorSet *
add_write (Writer                *self,
           const VtrLayerSetSlot *slot,
           uint32_t               element,
           uint32_t               count,
           VkDescriptorType       type)
{
  VkWriteDescriptorSet *grown =
    vtr_grow (self->writes, &self->n_allocated, (size_t)self->n + 1, sizeof *grown);

  if (grown == NULL)
    return NULL;
  self->writes = grown;
  self->writes[self->n] = (VkWriteDescriptorSet){
    .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
    .dstSet = self->set,
    .dstBinding = slot->binding.number,
    .dstArrayElement = element,
    .descriptorCount = count,
    .descriptorType = type,
  };
  return &self->writes[self->n++];
}

static bool
write_structures (Writer                   *self,
                  VkWriteDescriptorSet     *write,
                  const VtrLayerSetElement *elements)
{
  VkWriteDescriptorSetAccelerationStructureKHR *chained =
    vtr_arena_alloc (&self->arena, sizeof *chained);
  VkAccelerationStructureKHR *structures =
    vtr_arena_alloc (&self->arena, write->descriptorCount * sizeof *structures);

  if (chained == NULL || structures == NULL)
    return false;
  for (uint32_t i = 0; i < write->descriptorCount; i++)
    structures[i] = elements[i].structure;
  *chained = (VkWriteDescriptorSetAccelerationStructureKHR){
    .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_ACCELERATION_STRUCTURE_KHR,
    .accelerationStructureCount = write->descriptorCount,
    .pAccelerationStructures = structures,
  };
  write->pNext = chained;
  return true;
}

/* Elements @from to @to of a slot, all valid and of one type. */
static bool
write_run (Writer                *self,
           const VtrLayerSetSlot *slot,
           uint32_t               from,
           uint32_t               to)
{
  const VtrLayerSetElement *elements = &slot->elements[from];
  VkDescriptorType type = elements[0].type;
  VkWriteDescriptorSet *write = add_write (self, slot, from, to - from, type);
  size_t n = to - from;

  if (write == NULL)
    return false;
  if (type == VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR)
    return write_structures (self, write, elements);
  if (is_image (type))
    {
      VkDescriptorImageInfo *infos = vtr_arena_alloc (&self->arena, n * sizeof *infos);

      for (size_t i = 0; infos != NULL && i < n; i++)
        infos[i] = elements[i].image;
      write->pImageInfo = infos;
      return infos != NULL;
    }
  if (type == VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER ||
      type == VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER)
    {
      VkBufferView *views = vtr_arena_alloc (&self->arena, n * sizeof *views);

      for (size_t i = 0; views != NULL && i < n; i++)
        views[i] = elements[i].view;
      write->pTexelBufferView = views;
      return views != NULL;
    }
  VkDescriptorBufferInfo *infos = vtr_arena_alloc (&self->arena, n * sizeof *infos);

  for (size_t i = 0; infos != NULL && i < n; i++)
    infos[i] = elements[i].buffer;
  write->pBufferInfo = infos;
  return infos != NULL;
}

static bool
write_inline_block (Writer                *self,
                    const VtrLayerSetSlot *slot)
{
  VkWriteDescriptorSetInlineUniformBlock *block =
    vtr_arena_alloc (&self->arena, sizeof *block);
  VkWriteDescriptorSet *write =
    add_write (self, slot, 0, slot->binding.count, VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK);

  if (block == NULL || write == NULL)
    return false;
  *block = (VkWriteDescriptorSetInlineUniformBlock){
    .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_INLINE_UNIFORM_BLOCK,
    .dataSize = slot->binding.count,
    .pData = slot->bytes,
  };
  write->pNext = block;
  return true;
}

static bool
write_slot (VtrLayerWorld         *world,
            Writer                *self,
            const VtrLayerSetSlot *slot)
{
  uint32_t from = 0;

  if (slot->bytes != NULL)
    return write_inline_block (self, slot);
  while (slot->elements != NULL && from < slot->binding.count)
    {
      uint32_t to = from;

      while (to < slot->binding.count && is_valid (world, slot, &slot->elements[to]) &&
             slot->elements[to].type == slot->elements[from].type)
        to++;
      if (to > from && !write_run (self, slot, from, to))
        return false;
      from = to > from ? to : from + 1;
    }
  return true;
}

bool
vtr_layer_set_encode (VtrLayerWorld        *world,
                      const VtrLayerObject *object,
                      VtrLayerThread       *thread)
{
  const VtrLayerSet *set = object->state;
  Writer writer = { .set = VK_NULL_HANDLE };
  bool done = true;

  if (set == NULL || set->order == 0)
    return false;
  vtr_arena_init (&writer.arena);
  memcpy (&writer.set, &object->handle, sizeof writer.set);
  for (uint32_t i = 0; i < set->n && done; i++)
    done = write_slot (world, &writer, &set->slots[i]);
  if (!done)
    vtr_layer_live_fail (VTR_LAYER_NO_MEMORY);
  if (done && writer.n > 0)
    {
      const VtrArgs_vkUpdateDescriptorSets args = { world->device->handle, writer.n, writer.writes,
                                                    0, NULL };

      vtr_api_encode (&thread->scratch, VTR_CMD_vkUpdateDescriptorSets, &args, 0, thread->id, 0,
                      VTR_COMMAND_FLAG_INITIAL, &world->device->names.env);
    }
  free (writer.writes);
  vtr_arena_finish (&writer.arena);
  return done && writer.n > 0;
}
