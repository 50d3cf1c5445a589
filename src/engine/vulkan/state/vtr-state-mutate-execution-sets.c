/* Applies updates of execution sets (VK_EXT_device_generated_commands) to the state. */
#include "engine/vulkan/state/vtr-state-mutator.h"

#include "api/vtr-api-args.h"

#include <glib/gi18n.h>

#ifdef VK_EXT_device_generated_commands

static void
write_entry (VtrMutator           *self,
             VtrStateExecutionSet *set,
             guint32               index,
             guint32               type,
             guint64               handle)
{
  if (!vtr_state_execution_set_write (set, index, vtr_mutator_find (self, type, handle),
                                      (guint32)self->command.index))
    vtr_mutator_say (self, VTR_STATE_ERROR, self->command.index, "execution-set-index",
                     _ ("The execution set has %u entries; entry %u is written."), set->limit,
                     index);
}

static void
apply_pipelines (VtrMutator                                            *self,
                 const VtrArgs_vkUpdateIndirectExecutionSetPipelineEXT *args)
{
  VtrStateExecutionSet *set = vtr_mutator_edit (self, VTR_HANDLE_VkIndirectExecutionSetEXT,
                                                (guint64)args->indirectExecutionSet);

  if (set == NULL || args->pExecutionSetWrites == NULL)
    return;
  for (guint32 i = 0; i < args->executionSetWriteCount; i++)
    write_entry (self, set, args->pExecutionSetWrites[i].index, VTR_HANDLE_VkPipeline,
                 (guint64)args->pExecutionSetWrites[i].pipeline);
}

static void
apply_shaders (VtrMutator                                          *self,
               const VtrArgs_vkUpdateIndirectExecutionSetShaderEXT *args)
{
  VtrStateExecutionSet *set = vtr_mutator_edit (self, VTR_HANDLE_VkIndirectExecutionSetEXT,
                                                (guint64)args->indirectExecutionSet);

  if (set == NULL || args->pExecutionSetWrites == NULL)
    return;
  for (guint32 i = 0; i < args->executionSetWriteCount; i++)
    write_entry (self, set, args->pExecutionSetWrites[i].index, VTR_HANDLE_VkShaderEXT,
                 (guint64)args->pExecutionSetWrites[i].shader);
}

gboolean
vtr_mutator_apply_execution_sets (VtrMutator *self)
{
  switch (self->command.id)
    {
    case VTR_CMD_vkUpdateIndirectExecutionSetPipelineEXT:
      apply_pipelines (self, self->command.args);
      return TRUE;
    case VTR_CMD_vkUpdateIndirectExecutionSetShaderEXT:
      apply_shaders (self, self->command.args);
      return TRUE;
    default:
      return FALSE;
    }
}

#else

gboolean
vtr_mutator_apply_execution_sets (VtrMutator *self)
{
  (void)self;
  return FALSE;
}

#endif
