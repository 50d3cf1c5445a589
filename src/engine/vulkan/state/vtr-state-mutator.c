/* Passes each command of Vulkan to the part of the mutator that applies it. */
#include "engine/vulkan/state/vtr-state-mutator.h"
#include "engine/vulkan/state/vtr-facts.h"
#include "engine/vulkan/state/vtr-newer-form.h"

#include "api/vtr-api-args.h"

#include <string.h>

gpointer
vtr_vulkan_mutator_new (void)
{
  VtrVulkanMutator *self = g_new0 (VtrVulkanMutator, 1);

  self->queue_family = VK_QUEUE_FAMILY_IGNORED;
  return self;
}

/* Calls that set something in an object and have no semantics here beyond that. */
static gboolean
is_setter (VtrCmdId id)
{
  return g_str_has_prefix (vtr_cmd_name (id), "vkSet") &&
         !vtr_cmd_is (id, VTR_CLASS_RECORD | VTR_CLASS_CREATE | VTR_CLASS_DESTROY) &&
         id != VTR_CMD_vkSetDebugUtilsObjectNameEXT;
}

gboolean
vtr_vulkan_wants (VtrCmdId id)
{
  if (id == VTR_CMD_vkBeginCommandBuffer || id == VTR_CMD_vkEndCommandBuffer)
    return TRUE;
  if (vtr_cmd_is (id, VTR_CLASS_RECORD))
    return FALSE;
  if (vtr_cmd_is (id, VTR_CLASS_MAP | VTR_CLASS_UNMAP | VTR_CLASS_SUBMIT | VTR_CLASS_FRAME_END |
                        VTR_CLASS_ACQUIRE | VTR_CLASS_WAIT | VTR_CLASS_POOL_RESET))
    return TRUE;
  switch (id)
    {
    case VTR_CMD_vkUpdateDescriptorSets:
    case VTR_CMD_vkUpdateDescriptorSetWithTemplate:
#ifdef VK_EXT_device_generated_commands
    case VTR_CMD_vkUpdateIndirectExecutionSetPipelineEXT:
    case VTR_CMD_vkUpdateIndirectExecutionSetShaderEXT:
#endif
    case VTR_CMD_vkResetCommandBuffer:
    case VTR_CMD_vkResetCommandPool:
    case VTR_CMD_vkResetFences:
    case VTR_CMD_vkGetFenceStatus:
    case VTR_CMD_vkGetSemaphoreCounterValue:
    case VTR_CMD_vkSignalSemaphore:
    case VTR_CMD_vkResetEvent:
    case VTR_CMD_vkResetQueryPool:
    case VTR_CMD_vkCreateSwapchainKHR:
    case VTR_CMD_vkGetSwapchainImagesKHR:
    case VTR_CMD_vkDeviceWaitIdle:
    case VTR_CMD_vkQueueWaitIdle:
    case VTR_CMD_vkWaitForFences:
    case VTR_CMD_vkWaitSemaphores:
      return TRUE;
    default:
      return is_setter (id) || vtr_facts_wants (id) || vtr_mutator_wants_host_images (id) ||
             g_str_has_prefix (vtr_cmd_name (id), "vkImportSemaphore") ||
             g_str_has_prefix (vtr_cmd_name (id), "vkImportFence") ||
             g_str_has_prefix (vtr_cmd_name (id), "vkGetSemaphoreFd");
    }
}

static void
note_setter (VtrStateOther *self,
             guint32        id,
             guint32        command)
{
  VtrStateSetter setter = { id, command };

  if (self->setters == NULL)
    self->setters = g_array_new (FALSE, FALSE, sizeof (VtrStateSetter));
  for (guint i = 0; i < self->setters->len; i++)
    {
      VtrStateSetter *at = &g_array_index (self->setters, VtrStateSetter, i);

      if (at->id == id)
        {
          at->command = command;
          return;
        }
      if (at->id > id)
        {
          g_array_insert_val (self->setters, i, setter);
          return;
        }
    }
  g_array_append_val (self->setters, setter);
}

static void
on_set_handle (gpointer              data,
               const VtrVisitHandle *handle)
{
  VtrMutator *self = data;
  guint64 value = vtr_visit_handle_get (handle);
  VtrStateRecord *record;
  guint32 id;

  if (handle->ignored || value == 0 || handle->type == VTR_HANDLE_VkDevice)
    return;
  id = vtr_mutator_find (self, handle->type, value);
  if (id == 0)
    return;
  record = vtr_mutator_edit_id (self, id);
  if (record != NULL && vtr_state_record_is_other (handle->type))
    note_setter ((VtrStateOther *)(gpointer)record, self->command.id,
                 (guint32)self->command.index);
}

static void
apply_setter (VtrMutator *self)
{
  static const VtrApiEnv env = { .decoded = true };
  VtrApiVisitor visitor = { .data = self, .handle = on_set_handle };

  if (is_setter (self->command.id))
    vtr_api_visit (self->command.id, self->command.args, &env, &visitor);
}

static gboolean
is_submission (VtrCmdId id)
{
  return vtr_cmd_newer_form (id) == VTR_CMD_vkQueueSubmit2;
}

void
vtr_vulkan_run (VtrMutator             *self,
                const VtrStatePosition *from,
                const VtrStatePosition *to)
{
  if (is_submission (self->command.id))
    vtr_mutator_submit (self, self->command.index, from, to);
}

void
vtr_vulkan_mutate (VtrMutator *self)
{
  if (is_submission (self->command.id))
    vtr_mutator_submit (self, self->command.index, NULL, NULL);
  else if (!vtr_mutator_apply_buffers (self) && !vtr_mutator_apply_sets (self) &&
           !vtr_mutator_apply_execution_sets (self) && !vtr_mutator_apply_memory (self) &&
           !vtr_mutator_apply_sync (self) && !vtr_mutator_apply_swapchain (self) &&
           !vtr_mutator_apply_host_images (self))
    apply_setter (self);
}
