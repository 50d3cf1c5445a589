/* Finds where the code of a shader enters the stream of commands, for edits that replace it. */
#include "engine/vulkan/replay/vtr-vulkan-requests.h"

#include "vtr-config.h"

#include <glib/gi18n-lib.h>

#include "engine/shader/vtr-shader-code.h"
#include "engine/state/vtr-resolve-error.h"
#include "vtr-api-args.h"

#define CODE_TYPE VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO

/* Whether stage @nth of the pipeline is one that its own creation carries the code of, not one of a
 * library. */
static gboolean
carries_stage (VtrHistory       *history,
               const VtrObject  *pipeline,
               guint32           nth,
               GError          **error)
{
  const VkPipelineShaderStageCreateInfo *stage = NULL;
  VtrCommand command;
  VtrArena arena;
  gboolean carries;

  vtr_arena_init (&arena);
  if (!vtr_history_decode_creation (history, pipeline, &arena, &command, error))
    {
      vtr_arena_finish (&arena);
      return FALSE;
    }
  if (command.id == VTR_CMD_vkCreateGraphicsPipelines)
    {
      const VtrArgs_vkCreateGraphicsPipelines *args = command.args;
      const VkGraphicsPipelineCreateInfo *info = &args->pCreateInfos[pipeline->element];

      if (info->pStages != NULL && nth < info->stageCount)
        stage = &info->pStages[nth];
    }
  else if (command.id == VTR_CMD_vkCreateRayTracingPipelinesKHR)
    {
      const VtrArgs_vkCreateRayTracingPipelinesKHR *args = command.args;
      const VkRayTracingPipelineCreateInfoKHR *info = &args->pCreateInfos[pipeline->element];

      if (info->pStages != NULL && nth < info->stageCount)
        stage = &info->pStages[nth];
    }
  else if (command.id == VTR_CMD_vkCreateComputePipelines && nth == 0)
    stage = &((const VtrArgs_vkCreateComputePipelines *)command.args)
               ->pCreateInfos[pipeline->element]
               .stage;
  carries = stage != NULL && vtr_api_find_next (stage->pNext, CODE_TYPE) != NULL;
  vtr_arena_finish (&arena);
  if (!carries)
    g_set_error_literal (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH,
                         _ ("This stage comes from a pipeline library. Replace it there."));
  return carries;
}

static gboolean
is_shader (const VtrObject *object)
{
#ifdef VK_EXT_shader_object
  if (object->type == VTR_HANDLE_VkShaderEXT)
    return TRUE;
#endif
  return object->type == VTR_HANDLE_VkShaderModule;
}

gboolean
vtr_vulkan_find_place (VtrHistory            *history,
                       guint32                object,
                       guint32                stage,
                       VtrShaderReplacement  *out,
                       GError               **error)
{
  g_autoptr (VtrShaderCode) code = NULL;
  const VtrObject *info;

  if (stage != VTR_REPLACE_OBJECT)
    {
      code = vtr_shader_code_load (history, object, stage, error);
      if (code == NULL)
        return FALSE;
      if (code->module != 0)
        {
          object = code->module;
          stage = VTR_REPLACE_OBJECT;
        }
    }
  info = vtr_history_get_object (history, object);
  if (stage == VTR_REPLACE_OBJECT && !is_shader (info))
    {
      g_autofree char *name = vtr_history_describe (history, info);

      g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH,
                   _ ("The %s has no shader code of its own. Give a shader module, or "
                      "PIPELINE.STAGE."),
                   name);
      return FALSE;
    }
  if (stage != VTR_REPLACE_OBJECT && !carries_stage (history, info, stage, error))
    return FALSE;
  *out = (VtrShaderReplacement){
    .object = object, .stage = stage, .created = info->created, .element = info->element
  };
  return TRUE;
}
