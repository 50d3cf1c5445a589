/* Tells whether a command draws, dispatches or traces rays, and which bind point it uses. */
#include "engine/vulkan/state/vtr-work.h"

#include "vtr-api-args.h"

#define WORK (VTR_CLASS_DRAW | VTR_CLASS_DISPATCH | VTR_CLASS_TRACE_RAYS)

#ifdef VK_EXT_device_generated_commands
static VtrApiClass
work_of_stages (VkShaderStageFlags stages)
{
  const VkShaderStageFlags rays = VK_SHADER_STAGE_RAYGEN_BIT_KHR | VK_SHADER_STAGE_ANY_HIT_BIT_KHR |
                                  VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR |
                                  VK_SHADER_STAGE_MISS_BIT_KHR |
                                  VK_SHADER_STAGE_INTERSECTION_BIT_KHR |
                                  VK_SHADER_STAGE_CALLABLE_BIT_KHR;

  if (stages == VK_SHADER_STAGE_COMPUTE_BIT)
    return VTR_CLASS_DISPATCH;
  return (stages & rays) != 0 ? VTR_CLASS_TRACE_RAYS : VTR_CLASS_DRAW;
}
#endif

static VtrApiClass
work_of_point (VkPipelineBindPoint point)
{
  if (point == VK_PIPELINE_BIND_POINT_COMPUTE)
    return VTR_CLASS_DISPATCH;
  return point == VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR ? VTR_CLASS_TRACE_RAYS : VTR_CLASS_DRAW;
}

VtrApiClass
vtr_work_of (VtrCmdId    id,
             const void *args)
{
  if (!vtr_cmd_is_vulkan (id))
    return 0;
  if (!vtr_cmd_is (id, VTR_CLASS_GENERATED))
    return vtr_cmd_get (id)->classes & WORK;
  switch (id)
    {
#ifdef VK_EXT_device_generated_commands
    case VTR_CMD_vkCmdExecuteGeneratedCommandsEXT:
      {
        const VtrArgs_vkCmdExecuteGeneratedCommandsEXT *a = args;

        return a->pGeneratedCommandsInfo != NULL
                 ? work_of_stages (a->pGeneratedCommandsInfo->shaderStages)
                 : 0;
      }
#endif
    case VTR_CMD_vkCmdExecuteGeneratedCommandsNV:
      {
        const VtrArgs_vkCmdExecuteGeneratedCommandsNV *a = args;

        return a->pGeneratedCommandsInfo != NULL
                 ? work_of_point (a->pGeneratedCommandsInfo->pipelineBindPoint)
                 : 0;
      }
    default:
      return 0;
    }
}

VtrApiClass
vtr_work_at (VtrTrace *trace,
             guint64   index)
{
  const VtrCmdId id = vtr_trace_get_command_id (trace, index);
  VtrCommand command;
  VtrArena arena;
  VtrApiClass work = 0;

  if (!vtr_cmd_is_vulkan (id) || !vtr_cmd_is (id, VTR_CLASS_GENERATED))
    return vtr_work_of (id, NULL);
  vtr_arena_init (&arena);
  if (vtr_trace_decode (trace, index, &arena, &command, NULL) && command.args != NULL)
    work = vtr_work_of (id, command.args);
  vtr_arena_finish (&arena);
  return work;
}

guint
vtr_work_get_point (VtrApiClass work)
{
  if ((work & VTR_CLASS_DRAW) != 0)
    return 0;
  if ((work & VTR_CLASS_DISPATCH) != 0)
    return 1;
  return (work & VTR_CLASS_TRACE_RAYS) != 0 ? 2 : 3;
}
