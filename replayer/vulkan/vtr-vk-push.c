/* Descriptors that are pushed into command buffers, on drivers without VK_KHR_push_descriptor.
 *
 * Layouts lose their flag, and what is pushed becomes a descriptor set that is bound in the place
 * of the push. It comes from pools of the command buffer, which end with it and are used again when
 * it is recorded anew. What a push leaves out stays as the push before it to the same set of the
 * same bind point left it. */
#include "vtr-vk-push.h"
#include "vtr-overrides.h"

#include <stdlib.h>

#define FIRST_SETS 16u /* of a command buffer's first pool */
#define MAX_SETS 1024u /* of any of its pools */

/* --- Layouts --------------------------------------------------------------------------------- */

typedef struct
{
  uint32_t number;
  VkDescriptorType type;
  uint32_t n;
  uint32_t first;  /* of all descriptors of the set */
  bool is_written; /* false: its samplers are the layout's */
} Binding;

/* A layout outlives the object that it was made for: pipeline layouts and templates go on with it.
 */
typedef struct VtrPushLayout
{
  unsigned n_users;
  VtrTable *table;
  VkDescriptorSetLayout handle; /* our own */
  uint32_t n_descriptors;
  uint32_t n_bindings;
  Binding bindings[]; /* by number */
} VtrPushLayout;

/* The sets of a pipeline layout; NULL: not pushed. */
typedef struct VtrPushSets
{
  uint32_t n;
  VtrPushLayout *layouts[];
} VtrPushSets;

typedef struct VtrPushTemplate
{
  VkPipelineBindPoint point;
  VtrPushLayout *layout;
  uint32_t n_entries;
  VkDescriptorUpdateTemplateEntry entries[];
} VtrPushTemplate;

static int
compare_bindings (const void *a,
                  const void *b)
{
  const Binding *x = a, *y = b;

  return (x->number > y->number) - (x->number < y->number);
}

static void
layout_unref (VtrReplayVk   *vk,
              VtrPushLayout *self)
{
  if (self == NULL || --self->n_users > 0)
    return;
  VTR_CALL (vk, self->table, vkDestroyDescriptorSetLayout)
  (self->table->device, self->handle, NULL);
  free (self);
}

static VtrPushLayout *
layout_ref (VtrPushLayout *self)
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

      self->bindings[i] = (Binding){ .number = binding->binding,
                                     .type = binding->descriptorType,
                                     .n = binding->descriptorCount,
                                     .is_written =
                                       binding->descriptorType != VK_DESCRIPTOR_TYPE_SAMPLER ||
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
static bool
layouts_are_alike (const VtrPushLayout *a,
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
    sets->layouts[i] = layout_ref (find_layout (vk, info->pSetLayouts[i]));
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
static VtrPushLayout *
find_set (VtrReplayVk      *vk,
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
  template->layout = layout_ref (layout);
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
      layout = find_set (vk, info.pipelineLayout, info.set);
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

/* --- What a command buffer has --------------------------------------------------------------- */

typedef struct Pool
{
  struct Pool *next;
  VkDescriptorPool handle;
  VtrPushLayout *layout; /* of all its sets */
  uint32_t n_sets;
  uint32_t n_used;
} Pool;

/* What was pushed last, to one set of one bind point. */
typedef struct Pushed
{
  struct Pushed *next;
  VkPipelineBindPoint point;
  uint32_t set;
  VtrPushLayout *layout;
  VkDescriptorSet handle;
  bool written[]; /* by descriptor */
} Pushed;

typedef struct VtrPushes
{
  Pool *pools;
  Pushed *pushed;
} VtrPushes;

static void
drop_pushed (VtrReplayVk *vk,
             VtrPushes   *self)
{
  while (self->pushed != NULL)
    {
      Pushed *pushed = self->pushed;

      self->pushed = pushed->next;
      layout_unref (vk, pushed->layout);
      free (pushed);
    }
}

void
vtr_push_restart (VtrReplayVk     *vk,
                  VtrReplayObject *commands)
{
  VtrPushes *self = commands->info.commands.pushes;

  if (self == NULL)
    return;
  drop_pushed (vk, self);
  for (Pool *pool = self->pools; pool != NULL; pool = pool->next)
    {
      VTR_CALL (vk, commands->table, vkResetDescriptorPool)
      (commands->table->device, pool->handle, 0);
      pool->n_used = 0;
    }
}

static void
forget_commands (VtrReplayVk     *vk,
                 VtrReplayObject *commands)
{
  VtrPushes *self = commands->info.commands.pushes;

  if (self == NULL)
    return;
  drop_pushed (vk, self);
  while (self->pools != NULL)
    {
      Pool *pool = self->pools;

      self->pools = pool->next;
      VTR_CALL (vk, commands->table, vkDestroyDescriptorPool)
      (commands->table->device, pool->handle, NULL);
      layout_unref (vk, pool->layout);
      free (pool);
    }
  free (self);
  commands->info.commands.pushes = NULL;
}

static void
forget_sets (VtrReplayVk *vk,
             VtrPushSets *sets)
{
  for (uint32_t i = 0; sets != NULL && i < sets->n; i++)
    layout_unref (vk, sets->layouts[i]);
  free (sets);
}

void
vtr_push_forget (VtrReplayVk     *vk,
                 VtrReplayObject *object)
{
  switch (object->type)
    {
    case VTR_HANDLE_VkCommandBuffer:
      forget_commands (vk, object);
      break;
    case VTR_HANDLE_VkDescriptorSetLayout:
      layout_unref (vk, object->info.push_layout);
      break;
    case VTR_HANDLE_VkPipelineLayout:
      forget_sets (vk, object->info.push_sets);
      break;
    case VTR_HANDLE_VkDescriptorUpdateTemplate:
      if (object->info.push_template != NULL)
        layout_unref (vk, object->info.push_template->layout);
      free (object->info.push_template);
      break;
    default:
      break;
    }
}

static bool
create_pool (VtrReplayVk   *vk,
             VtrPushLayout *layout,
             Pool          *self)
{
  VkDescriptorPoolSize *sizes = calloc (layout->n_bindings + 1, sizeof *sizes);
  VkDescriptorPoolCreateInfo info = { .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                      .maxSets = self->n_sets,
                                      .pPoolSizes = sizes };
  VkResult result;

  if (sizes == NULL)
    return false;
  for (uint32_t i = 0; i < layout->n_bindings; i++)
    if (layout->bindings[i].n > 0)
      sizes[info.poolSizeCount++] =
        (VkDescriptorPoolSize){ layout->bindings[i].type, layout->bindings[i].n * self->n_sets };
  if (info.poolSizeCount == 0)
    sizes[info.poolSizeCount++] = (VkDescriptorPoolSize){ VK_DESCRIPTOR_TYPE_SAMPLER, 1 };
  result = VTR_CALL (vk, layout->table, vkCreateDescriptorPool) (layout->table->device, &info,
                                                                 NULL, &self->handle);
  free (sizes);
  return result == VK_SUCCESS;
}

/* Returns: a pool with room for a set; NULL after vtr_vm_fail(). */
static Pool *
find_pool (VtrReplayVk   *vk,
           VtrPushes     *self,
           VtrPushLayout *layout)
{
  uint32_t n_sets = FIRST_SETS;
  Pool *pool;

  for (pool = self->pools; pool != NULL; pool = pool->next)
    if (pool->layout == layout && pool->n_used < pool->n_sets)
      return pool;
    else if (pool->layout == layout && n_sets <= pool->n_sets && n_sets < MAX_SETS)
      n_sets = pool->n_sets * 2;
  pool = calloc (1, sizeof *pool);
  if (pool != NULL)
    pool->n_sets = n_sets;
  if (pool == NULL || !create_pool (vk, layout, pool))
    {
      free (pool);
      vtr_vm_fail (vk->vm, VTR_VM_ERROR_MEMORY,
                   "There is no room for the descriptors that the trace pushes.");
      return NULL;
    }
  pool->layout = layout_ref (layout);
  pool->next = self->pools;
  self->pools = pool;
  return pool;
}

/* --- Pushes ---------------------------------------------------------------------------------- */

/* What has been pushed to @set so far; made when nothing was. */
static Pushed *
find_pushed (VtrReplayVk         *vk,
             VtrPushes           *self,
             VkPipelineBindPoint  point,
             uint32_t             set,
             VtrPushLayout       *layout)
{
  Pushed **link = &self->pushed, *pushed;

  while (*link != NULL && ((*link)->point != point || (*link)->set != set))
    link = &(*link)->next;
  pushed = *link;
  if (pushed != NULL && layouts_are_alike (pushed->layout, layout))
    return pushed;
  if (pushed != NULL)
    {
      *link = pushed->next;
      layout_unref (vk, pushed->layout);
      free (pushed);
    }
  pushed = calloc (1, sizeof *pushed + layout->n_descriptors * sizeof *pushed->written);
  if (pushed == NULL)
    return NULL;
  pushed->point = point;
  pushed->set = set;
  pushed->layout = layout_ref (layout);
  pushed->next = self->pushed;
  self->pushed = pushed;
  return pushed;
}

/* What was pushed before, into the new set @to. */
static void
copy_pushed (VtrReplayVk     *vk,
             const Pushed    *from,
             VkDescriptorSet  to)
{
  VtrTable *table = from->layout->table;

  for (uint32_t i = 0; i < from->layout->n_bindings; i++)
    {
      const Binding *binding = &from->layout->bindings[i];

      for (uint32_t j = 0; binding->is_written && j < binding->n; j++)
        {
          VkCopyDescriptorSet copy = { .sType = VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET,
                                       .srcSet = from->handle,
                                       .srcBinding = binding->number,
                                       .srcArrayElement = j,
                                       .dstSet = to,
                                       .dstBinding = binding->number,
                                       .dstArrayElement = j };

          while (j < binding->n && from->written[binding->first + j])
            {
              copy.descriptorCount++;
              j++;
            }
          if (copy.descriptorCount > 0)
            VTR_CALL (vk, table, vkUpdateDescriptorSets)
          (table->device, 0, NULL, 1, &copy);
        }
    }
}

static VtrPushes *
find_pushes (VtrReplayVk     *vk,
             VkCommandBuffer  commands)
{
  VtrReplayObject *object =
    vtr_objects_need (vk, VTR_HANDLE_VkCommandBuffer, VTR_HANDLE_BITS (commands));

  if (object == NULL)
    return NULL;
  if (object->info.commands.pushes == NULL)
    {
      object->info.commands.pushes = calloc (1, sizeof *object->info.commands.pushes);
      vk->has_pushes = true;
    }
  return object->info.commands.pushes;
}

/* Returns: what the next push to @set goes to, a new set with what was pushed before; NULL after
 * vtr_vm_fail(). */
static Pushed *
begin_push (VtrReplayVk         *vk,
            VkCommandBuffer      commands,
            VkPipelineBindPoint  point,
            VkPipelineLayout     pipeline_layout,
            uint32_t             set)
{
  VtrPushLayout *layout = find_set (vk, pipeline_layout, set);
  VtrPushes *self = layout != NULL ? find_pushes (vk, commands) : NULL;
  Pushed *pushed = self != NULL ? find_pushed (vk, self, point, set, layout) : NULL;
  Pool *pool = pushed != NULL ? find_pool (vk, self, layout) : NULL;
  VkDescriptorSetAllocateInfo info = { .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                       .descriptorSetCount = 1 };
  VkDescriptorSet handle;

  if (pool == NULL)
    return NULL;
  info.descriptorPool = pool->handle;
  info.pSetLayouts = &layout->handle;
  pool->n_used++;
  if (VTR_CALL (vk, layout->table, vkAllocateDescriptorSets) (layout->table->device, &info,
                                                              &handle) != VK_SUCCESS)
    {
      vtr_vm_fail (vk->vm, VTR_VM_ERROR_MEMORY,
                   "There is no room for the descriptors that the trace pushes.");
      return NULL;
    }
  if (pushed->handle != VK_NULL_HANDLE)
    copy_pushed (vk, pushed, handle);
  pushed->handle = handle;
  return pushed;
}

static void
note_written (Pushed   *self,
              uint32_t  binding,
              uint32_t  element,
              uint32_t  n)
{
  const VtrPushLayout *layout = self->layout;
  uint64_t first = UINT64_MAX;

  for (uint32_t i = 0; i < layout->n_bindings; i++)
    if (layout->bindings[i].number == binding)
      first = (uint64_t)layout->bindings[i].first + element;
  /* More than a binding has goes on in the next. */
  for (uint64_t i = 0; i < n && first < layout->n_descriptors; i++, first++)
    self->written[first] = true;
}

static void
end_push (VtrReplayVk      *vk,
          const Pushed     *self,
          VkCommandBuffer   commands,
          VkPipelineLayout  layout)
{
  VTR_CALL (vk, self->layout->table, vkCmdBindDescriptorSets)
  (commands, self->point, layout, self->set, 1, &self->handle, 0, NULL);
}

void
vtr_override_vkCmdPushDescriptorSetKHR (VtrReplayVk                *vk,
                                        VkCommandBuffer             commandBuffer,
                                        VkPipelineBindPoint         pipelineBindPoint,
                                        VkPipelineLayout            layout,
                                        uint32_t                    set,
                                        uint32_t                    descriptorWriteCount,
                                        const VkWriteDescriptorSet *pDescriptorWrites)
{
  VtrTable *table =
    vtr_table_of (vk, VTR_HANDLE_VkCommandBuffer, VTR_HANDLE_BITS (commandBuffer));
  PFN_vkCmdPushDescriptorSetKHR call;
  Pushed *pushed;

  if (table == NULL ||
      !vtr_replay_vk_has (vk, descriptorWriteCount, pDescriptorWrites, "pDescriptorWrites"))
    return;
  if (!table->emulates_push)
    {
      call = (PFN_vkCmdPushDescriptorSetKHR)vtr_table_need (vk, table,
                                                            VTR_CMD_vkCmdPushDescriptorSetKHR);
      if (call != NULL)
        call (commandBuffer, pipelineBindPoint, layout, set, descriptorWriteCount,
              pDescriptorWrites);
      return;
    }
  pushed = begin_push (vk, commandBuffer, pipelineBindPoint, layout, set);
  for (uint32_t i = 0; pushed != NULL && i < descriptorWriteCount; i++)
    {
      VkWriteDescriptorSet write = pDescriptorWrites[i];

      write.dstSet = pushed->handle;
      VTR_CALL (vk, table, vkUpdateDescriptorSets)
      (table->device, 1, &write, 0, NULL);
      note_written (pushed, write.dstBinding, write.dstArrayElement, write.descriptorCount);
    }
  if (pushed != NULL)
    end_push (vk, pushed, commandBuffer, layout);
}

void
vtr_override_vkCmdPushDescriptorSetWithTemplateKHR (
  VtrReplayVk *vk,
  VkCommandBuffer commandBuffer,
  VkDescriptorUpdateTemplate descriptorUpdateTemplate,
  VkPipelineLayout layout,
  uint32_t set,
  const void *pData)
{
  VtrTable *table =
    vtr_table_of (vk, VTR_HANDLE_VkCommandBuffer, VTR_HANDLE_BITS (commandBuffer));
  const VtrReplayObject *object =
    vtr_objects_find (vk, VTR_HANDLE_VkDescriptorUpdateTemplate,
                      VTR_HANDLE_BITS (descriptorUpdateTemplate));
  const VtrPushTemplate *template = object != NULL ? object->info.push_template : NULL;
  PFN_vkUpdateDescriptorSetWithTemplate update;
  PFN_vkCmdPushDescriptorSetWithTemplateKHR call;
  Pushed *pushed;

  if (table == NULL)
    return;
  if (!table->emulates_push || template == NULL)
    {
      call = (PFN_vkCmdPushDescriptorSetWithTemplateKHR)vtr_table_need (
        vk, table, VTR_CMD_vkCmdPushDescriptorSetWithTemplateKHR);
      if (call != NULL)
        call (commandBuffer, descriptorUpdateTemplate, layout, set, pData);
      return;
    }
  update = VTR_CALL (vk, table, vkUpdateDescriptorSetWithTemplate);
  pushed = begin_push (vk, commandBuffer, template->point, layout, set);
  if (pushed == NULL || update == NULL)
    return;
  update (table->device, pushed->handle, descriptorUpdateTemplate, pData);
  for (uint32_t i = 0; i < template->n_entries; i++)
    note_written (pushed, template->entries[i].dstBinding, template->entries[i].dstArrayElement,
                  template->entries[i].descriptorCount);
  end_push (vk, pushed, commandBuffer, layout);
}

#ifdef VK_KHR_maintenance6
static const struct
{
  VkPipelineBindPoint point;
  VkShaderStageFlags stages;
} points[] = {
  { VK_PIPELINE_BIND_POINT_GRAPHICS, VK_SHADER_STAGE_ALL_GRAPHICS | VK_SHADER_STAGE_TASK_BIT_EXT |
                                       VK_SHADER_STAGE_MESH_BIT_EXT },
  { VK_PIPELINE_BIND_POINT_COMPUTE, VK_SHADER_STAGE_COMPUTE_BIT },
  { VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR,
    VK_SHADER_STAGE_RAYGEN_BIT_KHR | VK_SHADER_STAGE_ANY_HIT_BIT_KHR |
      VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR | VK_SHADER_STAGE_MISS_BIT_KHR |
      VK_SHADER_STAGE_INTERSECTION_BIT_KHR | VK_SHADER_STAGE_CALLABLE_BIT_KHR },
};

/* Where the driver has the command it is called; else there is an older one for each bind point. */
void
vtr_override_vkCmdPushDescriptorSet2KHR (VtrReplayVk                      *vk,
                                         VkCommandBuffer                   commandBuffer,
                                         const VkPushDescriptorSetInfoKHR *pPushDescriptorSetInfo)
{
  const VkPushDescriptorSetInfoKHR *info = pPushDescriptorSetInfo;
  VtrTable *table =
    vtr_table_of (vk, VTR_HANDLE_VkCommandBuffer, VTR_HANDLE_BITS (commandBuffer));
  PFN_vkCmdPushDescriptorSet2KHR call;

  if (table == NULL)
    return;
  call = (PFN_vkCmdPushDescriptorSet2KHR)vtr_table_get (vk, table,
                                                        VTR_CMD_vkCmdPushDescriptorSet2KHR);
  if (call != NULL && !table->emulates_push)
    {
      call (commandBuffer, info);
      return;
    }
  for (size_t i = 0; i < sizeof points / sizeof points[0]; i++)
    if ((info->stageFlags & points[i].stages) != 0)
      vtr_override_vkCmdPushDescriptorSetKHR (vk, commandBuffer, points[i].point, info->layout,
                                              info->set, info->descriptorWriteCount,
                                              info->pDescriptorWrites);
}

void
vtr_override_vkCmdPushDescriptorSetWithTemplate2KHR (
  VtrReplayVk *vk,
  VkCommandBuffer commandBuffer,
  const VkPushDescriptorSetWithTemplateInfoKHR *pPushDescriptorSetWithTemplateInfo)
{
  const VkPushDescriptorSetWithTemplateInfoKHR *info = pPushDescriptorSetWithTemplateInfo;
  VtrTable *table =
    vtr_table_of (vk, VTR_HANDLE_VkCommandBuffer, VTR_HANDLE_BITS (commandBuffer));
  PFN_vkCmdPushDescriptorSetWithTemplate2KHR call;

  if (table == NULL)
    return;
  call = (PFN_vkCmdPushDescriptorSetWithTemplate2KHR)vtr_table_get (
    vk, table, VTR_CMD_vkCmdPushDescriptorSetWithTemplate2KHR);
  if (call != NULL && !table->emulates_push)
    call (commandBuffer, info);
  else
    vtr_override_vkCmdPushDescriptorSetWithTemplateKHR (
      vk, commandBuffer, info->descriptorUpdateTemplate, info->layout, info->set, info->pData);
}
#endif
