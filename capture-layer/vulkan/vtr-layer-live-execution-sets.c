/* Keeps the last update of each entry of an indirect execution set, so that a mid-run capture
 * can make the set again. Compiled to nothing with Vulkan headers that lack the extension. */
#include "vtr-layer-live-execution-sets.h"

#include "vtr-layer-live-state.h"

#ifdef VK_EXT_device_generated_commands

/* Keys of records: and the index of the entry, which no other record of an execution set has. */
#define ENTRIES (UINT64_C (1) << 32)

static void
keep_entry (VtrLayerWorld             *world,
            VkIndirectExecutionSetEXT  set,
            uint32_t                   index,
            VtrCmdId                   called,
            const void                *args)
{
  VtrLayerObject *object = vtr_layer_live_find (world, VTR_HANDLE_VkIndirectExecutionSetEXT,
                                                (uint64_t)(uintptr_t)set);
  VtrLayerRecord *record;

  if (object == NULL)
    return;
  record = vtr_layer_record_new (world, called, args, 0);
  if (record != NULL)
    vtr_layer_object_set_record (object, ENTRIES | index, record);
  else
    vtr_layer_live_fail (VTR_LAYER_NO_MEMORY);
}

static void
update_pipelines (VtrLayerWorld                                         *world,
                  VtrCmdId                                               called,
                  const VtrArgs_vkUpdateIndirectExecutionSetPipelineEXT *args)
{
  for (uint32_t i = 0; i < args->executionSetWriteCount; i++)
    {
      const VtrArgs_vkUpdateIndirectExecutionSetPipelineEXT one = {
        args->device, args->indirectExecutionSet, 1, &args->pExecutionSetWrites[i]
      };

      keep_entry (world, args->indirectExecutionSet, one.pExecutionSetWrites->index, called, &one);
    }
}

static void
update_shaders (VtrLayerWorld                                       *world,
                VtrCmdId                                             called,
                const VtrArgs_vkUpdateIndirectExecutionSetShaderEXT *args)
{
  for (uint32_t i = 0; i < args->executionSetWriteCount; i++)
    {
      const VtrArgs_vkUpdateIndirectExecutionSetShaderEXT one = {
        args->device, args->indirectExecutionSet, 1, &args->pExecutionSetWrites[i]
      };

      keep_entry (world, args->indirectExecutionSet, one.pExecutionSetWrites->index, called, &one);
    }
}

bool
vtr_layer_updates_execution_set (VtrCmdId cmd)
{
  return cmd == VTR_CMD_vkUpdateIndirectExecutionSetPipelineEXT ||
         cmd == VTR_CMD_vkUpdateIndirectExecutionSetShaderEXT;
}

void
vtr_layer_execution_set_update (VtrLayerWorld *world,
                                VtrCmdId       called,
                                const void    *args)
{
  if (vtr_cmd_canonical (called) == VTR_CMD_vkUpdateIndirectExecutionSetPipelineEXT)
    update_pipelines (world, called, args);
  else
    update_shaders (world, called, args);
}

#else

bool
vtr_layer_updates_execution_set (VtrCmdId cmd)
{
  (void)cmd;
  return false;
}

void
vtr_layer_execution_set_update (VtrLayerWorld *world,
                                VtrCmdId       called,
                                const void    *args)
{
  (void)world, (void)called, (void)args;
}

#endif
