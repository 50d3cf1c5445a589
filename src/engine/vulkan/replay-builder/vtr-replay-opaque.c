/* Makes the replay ask the driver for captured addresses and shader group handles before it
 * makes the objects that had them. */
#include "engine/vulkan/replay-builder/vtr-replay-opaque.h"

#include "engine/vulkan/read/vtr-trace-device.h"
#include "engine/vulkan/replay-builder/vtr-address-patcher.h"
#include "engine/vulkan/replay-builder/vtr-vulkan-builder-private.h"
#include "vtr-api-args.h"

/* Less than scratch holds. */
#define MAX_HANDLES ((1u << 20) - 1u)

static gboolean
is_elsewhere (VtrReplayBuilder *self,
              const VtrCommand *command,
              VkDevice          device)
{
  VtrReplayPlan *plan = vtr_vulkan_plan (self);
  const VtrTraceDevice *captured;
  const VtrVulkanDevice *target;

  return plan != NULL &&
         vtr_replay_plan_is_elsewhere (plan, (guint64)(gsize)device, command->index, &captured,
                                       &target);
}

gboolean
vtr_replay_builder_give_back (VtrReplayBuilder *self,
                              const VtrCommand *command,
                              VkDevice          device,
                              guint64           told)
{
  guint64 address;

  if (vtr_vulkan_part (self)->patcher != NULL || vtr_vulkan_plan (self) == NULL ||
      is_elsewhere (self, command, device) ||
      !vtr_decoded_find_extra (command->decoded, VTR_EXTRA_OPAQUE_ADDRESS, &address,
                               sizeof address))
    return FALSE;
  vtr_asm_push (vtr_replay_builder_get_code (self), VTR_VM_UINT64, address != 0 ? address : told);
  vtr_replay_builder_call_synthetic (self, VTR_REPLAY_KEEP_ADDRESS);
  return TRUE;
}

/* --- Ray tracing ----------------------------------------------------------------------------- */

gboolean
vtr_replay_custom_create_structure (VtrReplayBuilder  *self,
                                    const VtrCommand  *command,
                                    GError           **error)
{
  const VtrArgs_vkCreateAccelerationStructureKHR *args = command->args;
  VtrReplayPlan *plan = vtr_vulkan_plan (self);
  const guint64 told =
    plan != NULL ? vtr_replay_plan_get_structure_address (plan, command->index) : 0;

  if (args->pCreateInfo != NULL &&
      (vtr_replay_builder_give_back (self, command, args->device, told) ||
       vtr_vulkan_part (self)->patcher != NULL ||
       is_elsewhere (self, command, args->device)))
    vtr_address_forget_in_structure (
      (VkAccelerationStructureCreateInfoKHR *)(gpointer)args->pCreateInfo);
  return vtr_replay_builder_call (self, command->id, args, command->id, error);
}

/* Whether addresses are estimated in the inputs of the pipelines, which then differ from the
 * captured ones. */
static gboolean
is_changed (VtrReplayBuilder                             *self,
            const VtrArgs_vkCreateRayTracingPipelinesKHR *args)
{
  for (guint32 i = 0; vtr_vulkan_part (self)->patcher != NULL && i < args->createInfoCount; i++)
    for (guint32 k = 0; k < args->pCreateInfos[i].stageCount; k++)
      if (args->pCreateInfos[i].pStages != NULL &&
          args->pCreateInfos[i].pStages[k].pSpecializationInfo != NULL)
        return TRUE;
  return FALSE;
}

/* The groups of the pipelines that are made next are to get their handles back. Returns: whether
 * the trace has them, and this is the device that gave them. */
static gboolean
build_keep_groups (VtrReplayBuilder                             *self,
                   const VtrCommand                             *command,
                   const VtrArgs_vkCreateRayTracingPipelinesKHR *args)
{
  VtrBuffer *code = vtr_replay_builder_get_code (self);
  VtrReplayPlan *plan = vtr_vulkan_plan (self);
  g_autoptr (GByteArray) handles = NULL;
  guint64 at = 0;
  guint32 size;

  if (plan != NULL && !is_elsewhere (self, command, args->device) && !is_changed (self, args))
    handles =
      vtr_group_handles_find (vtr_replay_plan_get_group_handles (plan), command, &size);
  if (handles == NULL)
    return FALSE;
  if (handles->len > MAX_HANDLES)
    g_byte_array_set_size (handles, 0);
  if (handles->len > 0)
    at = vtr_replay_builder_scratch (self, handles->data, handles->len);
  vtr_asm_push (code, VTR_VM_UINT64, handles->len);
  if (handles->len > 0)
    vtr_asm_push (code, VTR_VM_VOLATILE, at);
  else
    vtr_asm_push (code, VTR_VM_ABSOLUTE, 0);
  vtr_asm_push (code, VTR_VM_UINT32, size);
  vtr_replay_builder_call_synthetic (self, VTR_REPLAY_KEEP_GROUPS);
  return TRUE;
}

/* Handles that the program gives back itself lie at addresses of its own. @flags: they could not be
 * given back here. */
static void
forget_groups (const VtrArgs_vkCreateRayTracingPipelinesKHR *args,
               gboolean                                      flags)
{
  const VkPipelineCreateFlags replayable =
    VK_PIPELINE_CREATE_RAY_TRACING_SHADER_GROUP_HANDLE_CAPTURE_REPLAY_BIT_KHR;
  VkRayTracingPipelineCreateInfoKHR *infos =
    (VkRayTracingPipelineCreateInfoKHR *)(gpointer)args->pCreateInfos;

  for (guint32 i = 0; i < args->createInfoCount; i++)
    {
#ifdef VK_KHR_maintenance5
      VkPipelineCreateFlags2CreateInfoKHR *wide =
        (VkPipelineCreateFlags2CreateInfoKHR *)vtr_api_find_next (
          infos[i].pNext, VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO_KHR);
#endif
      VkRayTracingShaderGroupCreateInfoKHR *groups =
        (VkRayTracingShaderGroupCreateInfoKHR *)(gpointer)infos[i].pGroups;

      if (flags)
        infos[i].flags &= ~replayable;
#ifdef VK_KHR_maintenance5
      if (flags && wide != NULL)
        wide->flags &= ~(VkPipelineCreateFlags2KHR)replayable;
#endif
      for (guint32 k = 0; groups != NULL && k < infos[i].groupCount; k++)
        groups[k].pShaderGroupCaptureReplayHandle = NULL;
    }
}

/* A call that made nothing is left out: what it would make here had no handles. */
gboolean
vtr_replay_custom_create_ray_tracing (VtrReplayBuilder  *self,
                                      const VtrCommand  *command,
                                      GError           **error)
{
  VtrArgs_vkCreateRayTracingPipelinesKHR args =
    *(const VtrArgs_vkCreateRayTracingPipelinesKHR *)command->args;
  gboolean made = FALSE;

  for (guint32 i = 0; args.pPipelines != NULL && i < args.createInfoCount; i++)
    made = made || args.pPipelines[i] != VK_NULL_HANDLE;
  if (!made)
    return TRUE;
  if (args.pCreateInfos != NULL)
    forget_groups (&args, build_keep_groups (self, command, &args) ||
                            is_elsewhere (self, command, args.device) || is_changed (self, &args));
  args.deferredOperation = VK_NULL_HANDLE;
  return vtr_replay_builder_call (self, command->id, &args, command->id, error);
}
