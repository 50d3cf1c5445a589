/* Allocates the descriptor sets that replace pushes from pools of the command buffer, and
 * remembers what was pushed to each set last. */
#include "vtr-vk-push-private.h"

#include <stdlib.h>

#define FIRST_SETS 16u /* of a command buffer's first pool */
#define MAX_SETS 1024u /* of any of its pools */

static void
drop_pushed (VtrReplayVk *vk,
             VtrPushes   *self)
{
  while (self->pushed != NULL)
    {
      VtrPushed *pushed = self->pushed;

      self->pushed = pushed->next;
      vtr_push_layout_unref (vk, pushed->layout);
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
  for (VtrPushPool *pool = self->pools; pool != NULL; pool = pool->next)
    {
      VTR_CALL (vk, commands->table, vkResetDescriptorPool)
      (commands->table->device, pool->handle, 0);
      pool->n_used = 0;
    }
}

void
vtr_push_forget_commands (VtrReplayVk     *vk,
                          VtrReplayObject *commands)
{
  VtrPushes *self = commands->info.commands.pushes;

  if (self == NULL)
    return;
  drop_pushed (vk, self);
  while (self->pools != NULL)
    {
      VtrPushPool *pool = self->pools;

      self->pools = pool->next;
      VTR_CALL (vk, commands->table, vkDestroyDescriptorPool)
      (commands->table->device, pool->handle, NULL);
      vtr_push_layout_unref (vk, pool->layout);
      free (pool);
    }
  free (self);
  commands->info.commands.pushes = NULL;
}

static bool
create_pool (VtrReplayVk   *vk,
             VtrPushLayout *layout,
             VtrPushPool   *self)
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
static VtrPushPool *
find_pool (VtrReplayVk   *vk,
           VtrPushes     *self,
           VtrPushLayout *layout)
{
  uint32_t n_sets = FIRST_SETS;
  VtrPushPool *pool;

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
  pool->layout = vtr_push_layout_ref (layout);
  pool->next = self->pools;
  self->pools = pool;
  return pool;
}

/* The descriptors that were pushed to @set so far. Makes an empty list if there are none. */
static VtrPushed *
find_pushed (VtrReplayVk         *vk,
             VtrPushes           *self,
             VkPipelineBindPoint  point,
             uint32_t             set,
             VtrPushLayout       *layout)
{
  VtrPushed **link = &self->pushed, *pushed;

  while (*link != NULL && ((*link)->point != point || (*link)->set != set))
    link = &(*link)->next;
  pushed = *link;
  if (pushed != NULL && vtr_push_layouts_are_alike (pushed->layout, layout))
    return pushed;
  if (pushed != NULL)
    {
      *link = pushed->next;
      vtr_push_layout_unref (vk, pushed->layout);
      free (pushed);
    }
  pushed = calloc (1, sizeof *pushed + layout->n_descriptors * sizeof *pushed->written);
  if (pushed == NULL)
    return NULL;
  pushed->point = point;
  pushed->set = set;
  pushed->layout = vtr_push_layout_ref (layout);
  pushed->next = self->pushed;
  self->pushed = pushed;
  return pushed;
}

/* Copies the descriptors that were pushed before into the new set @to. */
static void
copy_pushed (VtrReplayVk     *vk,
             const VtrPushed *from,
             VkDescriptorSet  to)
{
  VtrTable *table = from->layout->table;

  for (uint32_t i = 0; i < from->layout->n_bindings; i++)
    {
      const VtrPushBinding *binding = &from->layout->bindings[i];

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

/* Returns: a new set for the next push to @set, with the descriptors pushed before; NULL after
 * vtr_vm_fail (). */
VtrPushed *
vtr_push_begin (VtrReplayVk         *vk,
                VkCommandBuffer      commands,
                VkPipelineBindPoint  point,
                VkPipelineLayout     pipeline_layout,
                uint32_t             set)
{
  VtrPushLayout *layout = vtr_push_find_set (vk, pipeline_layout, set);
  VtrPushes *self = layout != NULL ? find_pushes (vk, commands) : NULL;
  VtrPushed *pushed = self != NULL ? find_pushed (vk, self, point, set, layout) : NULL;
  VtrPushPool *pool = pushed != NULL ? find_pool (vk, self, layout) : NULL;
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

void
vtr_push_note_written (VtrPushed *self,
                       uint32_t   binding,
                       uint32_t   element,
                       uint32_t   n)
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

void
vtr_push_end (VtrReplayVk      *vk,
              const VtrPushed  *self,
              VkCommandBuffer   commands,
              VkPipelineLayout  layout)
{
  VTR_CALL (vk, self->layout->table, vkCmdBindDescriptorSets)
  (commands, self->point, layout, self->set, 1, &self->handle, 0, NULL);
}
