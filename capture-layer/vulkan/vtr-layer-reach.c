/* Collects the descriptor sets and descriptors that a command buffer uses, to know which
 * resources its shaders may write to. */
#include "vtr-layer-reach.h"

#include "vtr-layer-live.h"
#include "vtr-layer-trampolines.h"

#include "base/vtr-grow.h"
#include "vulkan/vtr-vulkan-env.h"
#include "vulkan/vtr-vulkan-facts.h"

#include <stdlib.h>
#include <string.h>

static uint64_t
key (const void *handle)
{
  return (uint64_t)(uintptr_t)handle;
}

void
vtr_layer_reach_clear (VtrLayerReach *self)
{
  if (self->n == 0)
    return;
  self->n = 0;
  memset (self->recent, 0, sizeof self->recent);
}

void
vtr_layer_reach_finish (VtrLayerReach *self)
{
  free (self->items);
  memset (self, 0, sizeof *self);
}

/* Makes room for @n more, at least one. */
static bool
reserve (VtrLayerReach *self,
         size_t         n)
{
  VtrLayerReached *grown =
    vtr_grow (self->items, &self->n_allocated, self->n + n, sizeof *grown);

  if (grown == NULL)
    {
      vtr_layer_live_fail (VTR_LAYER_NO_MEMORY);
      return false;
    }
  self->items = grown;
  return true;
}

static void
add (VtrLayerReach *self,
     VtrHandleId    type,
     uint64_t       handle)
{
  const uint64_t hash = handle * UINT64_C (0x9e3779b97f4a7c15);
  uint32_t *recent = &self->recent[(hash >> 32) & (VTR_LAYER_REACH_RECENT - 1)];

  if (*recent != 0 && self->items[*recent - 1].handle == handle &&
      self->items[*recent - 1].type == type)
    return;
  if (handle == 0 && type != VTR_VULKAN_N_HANDLES)
    return;
  if (!reserve (self, 1))
    return;
  self->items[self->n++] = (VtrLayerReached){ handle, type };
  *recent = (uint32_t)self->n;
}

void
vtr_layer_reach_append (VtrLayerReach       *self,
                        const VtrLayerReach *from)
{
  if (from->n == 0 || !reserve (self, from->n))
    return;
  memcpy (self->items + self->n, from->items, from->n * sizeof *from->items);
  self->n += from->n;
}

/* ---- Commands ---- */

static void
add_sets (VtrLayerReach         *self,
          uint32_t               n,
          const VkDescriptorSet *sets)
{
  for (uint32_t i = 0; i < n; i++)
    add (self, VTR_HANDLE_VkDescriptorSet, key (sets[i]));
}

static void
add_writes (VtrLayerReach              *self,
            uint32_t                    n,
            const VkWriteDescriptorSet *writes)
{
  for (uint32_t i = 0; i < n; i++)
    {
      const VkWriteDescriptorSet *each = &writes[i];
      VtrHandleId type = vtr_descriptor_get_written (each->descriptorType);

      if (type == VTR_VULKAN_N_HANDLES)
        add (self, type, 0);
      for (uint32_t j = 0; type < VTR_VULKAN_N_HANDLES && j < each->descriptorCount; j++)
        if (type == VTR_HANDLE_VkImageView)
          add (self, type, key (each->pImageInfo[j].imageView));
        else if (type == VTR_HANDLE_VkBufferView)
          add (self, type, key (each->pTexelBufferView[j]));
        else
          add (self, type, key (each->pBufferInfo[j].buffer));
    }
}

static void
add_entry (VtrLayerReach                         *self,
           const VkDescriptorUpdateTemplateEntry *entry,
           const void                            *data)
{
  VtrHandleId type = vtr_descriptor_get_written (entry->descriptorType);

  if (type == VTR_VULKAN_N_HANDLES)
    add (self, type, 0);
  for (uint32_t i = 0; type < VTR_VULKAN_N_HANDLES && i < entry->descriptorCount; i++)
    {
      const uint8_t *from = (const uint8_t *)data + entry->offset + i * entry->stride;
      uint64_t handle;

      if (type == VTR_HANDLE_VkImageView)
        from += offsetof (VkDescriptorImageInfo, imageView);
      else if (type == VTR_HANDLE_VkBuffer)
        from += offsetof (VkDescriptorBufferInfo, buffer);
      memcpy (&handle, from, sizeof handle);
      add (self, type, handle);
    }
}

static void
add_template (VtrLayerCommandBuffer      *self,
              VkDescriptorUpdateTemplate  handle,
              const void                 *data)
{
  const VtrApiEnv *env = &self->device->names.env;
  const VtrVulkanEnv *state = env->state;
  VtrUpdateTemplate template;

  if (!state->update_template (env->data, handle, &template))
    add (&self->reach, VTR_VULKAN_N_HANDLES, 0);
  else
    for (uint32_t i = 0; i < template.n_entries; i++)
      add_entry (&self->reach, &template.entries[i], data);
}

/* For a command that is known from the registry only: notes every handle that may be a
 * descriptor. */
static void
add_handle (void                 *data,
            const VtrVisitHandle *handle)
{
  VtrLayerReach *self = data;
  uint64_t value = 0;

  memcpy (&value, handle->slot, handle->dispatchable ? sizeof (void *) : sizeof value);
  if (handle->ignored || value == 0)
    return;
  switch (handle->type)
    {
    case VTR_HANDLE_VkDescriptorSet:
    case VTR_HANDLE_VkImageView:
    case VTR_HANDLE_VkBufferView:
    case VTR_HANDLE_VkBuffer:
      add (self, handle->type, value);
      break;
    case VTR_HANDLE_VkDescriptorUpdateTemplate:
      add (self, VTR_VULKAN_N_HANDLES, 0);
      break;
    default:
      break;
    }
}

/* The parameters of @cmd, which the switch has found. */
#define ARGS(cmd) ((const VtrArgs_##cmd *)args)

void
vtr_layer_note_descriptors (VtrLayerCommandBuffer *self,
                            VtrCmdId               cmd,
                            const void            *args)
{
  const VtrApiVisitor visitor = { .data = &self->reach, .handle = add_handle };

  switch (cmd)
    {
    case VTR_CMD_vkCmdBindDescriptorSets:
      add_sets (&self->reach, ARGS (vkCmdBindDescriptorSets)->descriptorSetCount,
                ARGS (vkCmdBindDescriptorSets)->pDescriptorSets);
      break;
    case VTR_CMD_vkCmdPushDescriptorSetKHR:
      add_writes (&self->reach, ARGS (vkCmdPushDescriptorSetKHR)->descriptorWriteCount,
                  ARGS (vkCmdPushDescriptorSetKHR)->pDescriptorWrites);
      break;
    case VTR_CMD_vkCmdPushDescriptorSetWithTemplateKHR:
      add_template (self, ARGS (vkCmdPushDescriptorSetWithTemplateKHR)->descriptorUpdateTemplate,
                    ARGS (vkCmdPushDescriptorSetWithTemplateKHR)->pData);
      break;
#ifdef VK_KHR_maintenance6
    case VTR_CMD_vkCmdBindDescriptorSets2KHR:
      add_sets (
        &self->reach,
        ARGS (vkCmdBindDescriptorSets2KHR)->pBindDescriptorSetsInfo->descriptorSetCount,
        ARGS (vkCmdBindDescriptorSets2KHR)->pBindDescriptorSetsInfo->pDescriptorSets);
      break;
    case VTR_CMD_vkCmdPushDescriptorSet2KHR:
      add_writes (
        &self->reach,
        ARGS (vkCmdPushDescriptorSet2KHR)->pPushDescriptorSetInfo->descriptorWriteCount,
        ARGS (vkCmdPushDescriptorSet2KHR)->pPushDescriptorSetInfo->pDescriptorWrites);
      break;
    case VTR_CMD_vkCmdPushDescriptorSetWithTemplate2KHR:
      add_template (self,
                    ARGS (vkCmdPushDescriptorSetWithTemplate2KHR)
                      ->pPushDescriptorSetWithTemplateInfo->descriptorUpdateTemplate,
                    ARGS (vkCmdPushDescriptorSetWithTemplate2KHR)
                      ->pPushDescriptorSetWithTemplateInfo->pData);
      break;
#endif
    default:
      vtr_api_visit (cmd, (void *)args, &self->device->names.env, &visitor);
      break;
    }
}
