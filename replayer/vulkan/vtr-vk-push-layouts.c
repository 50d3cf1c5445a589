/* Keeps the creation of set layouts and templates for pushed descriptors as long as a push needs
 * them. */
#include "vtr-vk-push-private.h"
#include "vtr-overrides.h"

#include <stdlib.h>

static int
compare_bindings (const void *a,
                  const void *b)
{
  const VtrPushBinding *x = a, *y = b;

  return (x->number > y->number) - (x->number < y->number);
}

void
vtr_push_layout_unref (VtrReplayVk   *vk,
                       VtrPushLayout *self)
{
  if (self == NULL || --self->n_users > 0)
    return;
  VTR_CALL (vk, self->table, vkDestroyDescriptorSetLayout)
  (self->table->device, self->handle, NULL);
  free (self);
}

VtrPushLayout *
vtr_push_layout_ref (VtrPushLayout *self)
{
  if (self != NULL)
    self->n_users++;
  return self;
}

/* Returns: a layout as @info says; NULL after vtr_vm_fail(). */
static VtrPushLayout *
layout_new (VtrReplayVk                           *vk,
            VtrTable                              *table,
            const VkDescriptorSetLayoutCreateInfo *info)
{
  VtrPushLayout *self = calloc (1, sizeof *self + info->bindingCount * sizeof *self->bindings);

  if (self == NULL || VTR_CALL (vk, table, vkCreateDescriptorSetLayout) (
                        table->device, info, NULL, &self->handle) != VK_SUCCESS)
    {
      free (self);
      vtr_vm_fail (vk->vm, VTR_VM_ERROR_MEMORY, "The replayer ran out of memory.");
      return NULL;
    }
  self->n_users = 1;
  self->table = table;
  self->n_bindings = info->bindingCount;
  for (uint32_t i = 0; i < info->bindingCount; i++)
    {
      const VkDescriptorSetLayoutBinding *binding = &info->pBindings[i];

      self->bindings[i] =
        (VtrPushBinding){ .number = binding->binding,
                          .type = binding->descriptorType,
                          .n = binding->descriptorCount,
                          .is_written = binding->descriptorType != VK_DESCRIPTOR_TYPE_SAMPLER ||
                                        binding->pImmutableSamplers == NULL };
    }
  qsort (self->bindings, self->n_bindings, sizeof *self->bindings, compare_bindings);
  for (uint32_t i = 0; i < self->n_bindings; i++)
    {
      self->bindings[i].first = self->n_descriptors;
      self->n_descriptors += self->bindings[i].n;
    }
  return self;
}

/* Whether what was pushed with one stays with the other. */
bool
vtr_push_layouts_are_alike (const VtrPushLayout *a,
                            const VtrPushLayout *b)
{
  return a == b || (a->n_bindings == b->n_bindings &&
                    memcmp (a->bindings, b->bindings, a->n_bindings * sizeof *a->bindings) == 0);
}

VkResult
vtr_override_vkCreateDescriptorSetLayout (VtrReplayVk                           *vk,
                                          VkDevice                               device,
                                          const VkDescriptorSetLayoutCreateInfo *pCreateInfo,
                                          const VkAllocationCallbacks           *pAllocator,
                                          VkDescriptorSetLayout                 *pSetLayout)
{
  const VkDescriptorSetLayoutCreateFlags flag =
    VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR;
  VtrTable *table = vtr_device_table (vk, device);
  VkDescriptorSetLayoutCreateInfo info = *pCreateInfo;
  bool pushed = table != NULL && table->emulates_push && (info.flags & flag) != 0;
  VtrReplayObject *object;
  VkResult result;

  (void)pAllocator;
  if (table == NULL || vtr_replay_vk_output (vk, pSetLayout, sizeof *pSetLayout) == NULL ||
      !vtr_replay_vk_has (vk, info.bindingCount, info.pBindings, "pBindings"))
    return VK_ERROR_DEVICE_LOST;
  if (pushed)
    info.flags &= ~flag;
  result = VTR_CALL (vk, table, vkCreateDescriptorSetLayout) (device, &info, NULL, pSetLayout);
  if (result < 0)
    return result;
  object = vtr_objects_created (vk, VTR_HANDLE_VkDescriptorSetLayout,
                                VTR_HANDLE_BITS (*pSetLayout), VTR_HANDLE_BITS (device), 0);
  if (object != NULL && pushed)
    object->info.push_layout = layout_new (vk, table, &info);
  return result;
}

static VtrPushLayout *
find_layout (VtrReplayVk           *vk,
             VkDescriptorSetLayout  handle)
{
  const VtrReplayObject *object =
    vtr_objects_find (vk, VTR_HANDLE_VkDescriptorSetLayout, VTR_HANDLE_BITS (handle));

  return object != NULL ? object->info.push_layout : NULL;
}

static void
note_sets (VtrReplayVk                      *vk,
           VtrReplayObject                  *object,
           const VkPipelineLayoutCreateInfo *info)
{
  VtrPushSets *sets = calloc (1, sizeof *sets + info->setLayoutCount * sizeof *sets->layouts);

  if (sets == NULL)
    return;
  sets->n = info->setLayoutCount;
  for (uint32_t i = 0; i < sets->n; i++)
    sets->layouts[i] = vtr_push_layout_ref (find_layout (vk, info->pSetLayouts[i]));
  object->info.push_sets = sets;
}

VkResult
vtr_override_vkCreatePipelineLayout (VtrReplayVk                      *vk,
                                     VkDevice                          device,
                                     const VkPipelineLayoutCreateInfo *pCreateInfo,
                                     const VkAllocationCallbacks      *pAllocator,
                                     VkPipelineLayout                 *pPipelineLayout)
{
  VtrTable *table = vtr_device_table (vk, device);
  VtrReplayObject *object;
  VkResult result;

  (void)pAllocator;
  if (table == NULL ||
      vtr_replay_vk_output (vk, pPipelineLayout, sizeof *pPipelineLayout) == NULL ||
      !vtr_replay_vk_has (vk, pCreateInfo->setLayoutCount, pCreateInfo->pSetLayouts,
                          "pSetLayouts"))
    return VK_ERROR_DEVICE_LOST;
  result =
    VTR_CALL (vk, table, vkCreatePipelineLayout) (device, pCreateInfo, NULL, pPipelineLayout);
  if (result < 0)
    return result;
  object = vtr_objects_created (vk, VTR_HANDLE_VkPipelineLayout,
                                VTR_HANDLE_BITS (*pPipelineLayout), VTR_HANDLE_BITS (device), 0);
  if (object != NULL && table->emulates_push)
    note_sets (vk, object, pCreateInfo);
  return result;
}

/* Set @set of a pipeline layout. Returns: NULL after vtr_vm_fail(). */
VtrPushLayout *
vtr_push_find_set (VtrReplayVk      *vk,
                   VkPipelineLayout  handle,
                   uint32_t          set)
{
  const VtrReplayObject *object =
    vtr_objects_need (vk, VTR_HANDLE_VkPipelineLayout, VTR_HANDLE_BITS (handle));
  const VtrPushSets *sets = object != NULL ? object->info.push_sets : NULL;

  if (object == NULL)
    return NULL;
  if (sets != NULL && set < sets->n && sets->layouts[set] != NULL)
    return sets->layouts[set];
  vtr_vm_fail (vk->vm, VTR_VM_ERROR_TRACE, "Set %u of this pipeline layout is not one to push to.",
               set);
  return NULL;
}

/* --- Templates ------------------------------------------------------------------------------- */

static void
note_template (VtrReplayObject                            *object,
               const VkDescriptorUpdateTemplateCreateInfo *info,
               VtrPushLayout                              *layout)
{
  size_t size = info->descriptorUpdateEntryCount * sizeof *info->pDescriptorUpdateEntries;
  VtrPushTemplate *template = malloc (sizeof *template + size);

  if (template == NULL)
    return;
  template->point = info->pipelineBindPoint;
  template->layout = vtr_push_layout_ref (layout);
  template->n_entries = info->descriptorUpdateEntryCount;
  if (size > 0)
    memcpy (template->entries, info->pDescriptorUpdateEntries, size);
  object->info.push_template = template;
}

VkResult
vtr_override_vkCreateDescriptorUpdateTemplate (
  VtrReplayVk *vk,
  VkDevice device,
  const VkDescriptorUpdateTemplateCreateInfo *pCreateInfo,
  const VkAllocationCallbacks *pAllocator,
  VkDescriptorUpdateTemplate *pDescriptorUpdateTemplate)
{
  VtrTable *table = vtr_device_table (vk, device);
  PFN_vkCreateDescriptorUpdateTemplate call = (PFN_vkCreateDescriptorUpdateTemplate)vtr_thunk_find (
    vk, VTR_HANDLE_VkDevice, VTR_HANDLE_BITS (device), VTR_CMD_vkCreateDescriptorUpdateTemplate);
  VkDescriptorUpdateTemplateCreateInfo info = *pCreateInfo;
  VtrPushLayout *layout = NULL;
  VtrReplayObject *object;
  VkResult result;

  (void)pAllocator;
  if (table == NULL || call == NULL ||
      vtr_replay_vk_output (vk, pDescriptorUpdateTemplate, sizeof *pDescriptorUpdateTemplate) ==
        NULL ||
      !vtr_replay_vk_has (vk, info.descriptorUpdateEntryCount, info.pDescriptorUpdateEntries,
                          "pDescriptorUpdateEntries"))
    return VK_ERROR_DEVICE_LOST;
  if (table->emulates_push &&
      info.templateType == VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_PUSH_DESCRIPTORS_KHR)
    {
      layout = vtr_push_find_set (vk, info.pipelineLayout, info.set);
      if (layout == NULL)
        return VK_ERROR_DEVICE_LOST;
      info.templateType = VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_DESCRIPTOR_SET;
      info.descriptorSetLayout = layout->handle;
    }
  result = call (device, &info, NULL, pDescriptorUpdateTemplate);
  if (result < 0)
    return result;
  object = vtr_objects_created (vk, VTR_HANDLE_VkDescriptorUpdateTemplate,
                                VTR_HANDLE_BITS (*pDescriptorUpdateTemplate),
                                VTR_HANDLE_BITS (device), 0);
  if (object != NULL && layout != NULL)
    note_template (object, &info, layout);
  return result;
}

/* --- Ends ------------------------------------------------------------------------------------ */

static void
forget_sets (VtrReplayVk *vk,
             VtrPushSets *sets)
{
  for (uint32_t i = 0; sets != NULL && i < sets->n; i++)
    vtr_push_layout_unref (vk, sets->layouts[i]);
  free (sets);
}

void
vtr_push_forget (VtrReplayVk     *vk,
                 VtrReplayObject *object)
{
  switch (object->type)
    {
    case VTR_HANDLE_VkCommandBuffer:
      vtr_push_forget_commands (vk, object);
      break;
    case VTR_HANDLE_VkDescriptorSetLayout:
      vtr_push_layout_unref (vk, object->info.push_layout);
      break;
    case VTR_HANDLE_VkPipelineLayout:
      forget_sets (vk, object->info.push_sets);
      break;
    case VTR_HANDLE_VkDescriptorUpdateTemplate:
      if (object->info.push_template != NULL)
        vtr_push_layout_unref (vk, object->info.push_template->layout);
      free (object->info.push_template);
      break;
    default:
      break;
    }
}
