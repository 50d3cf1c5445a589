/* Finds the pipeline or the shader objects that a draw, dispatch or trace runs. */
#include "engine/vulkan/state/vtr-state.h"
#include "engine/vulkan/state/vtr-work.h"

#include "api/vtr-api-args.h"

#include <string.h>
#include <xxhash.h>

#define COMPUTE_POINT 1

/* By number of the stage's bit. */
static guint
get_point (guint stage)
{
  return 1u << stage == VK_SHADER_STAGE_COMPUTE_BIT ? COMPUTE_POINT : 0;
}

static guint32
bind_pipeline (const VtrArgs_vkCmdBindPipeline *args,
               guint64                          pipelines[3],
               guint64                          shaders[VTR_MAX_SHADERS])
{
  guint point = vtr_bind_point_index (args->pipelineBindPoint);

  pipelines[point] = (guint64)args->pipeline;
  for (guint i = 0; i < VTR_MAX_SHADERS; i++)
    if (get_point (i) == point)
      shaders[i] = 0;
  return 1u << point;
}

#ifdef VK_EXT_shader_object
static guint32
bind_shaders (const VtrArgs_vkCmdBindShadersEXT *args,
              guint64                            pipelines[3],
              guint64                            shaders[VTR_MAX_SHADERS])
{
  guint32 changed = 0;

  for (guint32 i = 0; args->pStages != NULL && i < args->stageCount; i++)
    for (guint stage = 0; stage < VTR_MAX_SHADERS; stage++)
      {
        if (args->pStages[i] != 1u << stage)
          continue;
        shaders[stage] = args->pShaders != NULL ? (guint64)args->pShaders[i] : 0;
        pipelines[get_point (stage)] = 0;
        changed |= 1u << get_point (stage);
      }
  return changed;
}
#endif

guint32
vtr_bind_shaders (const VtrCommand *command,
                  guint64           pipelines[3],
                  guint64           shaders[VTR_MAX_SHADERS])
{
  switch (vtr_cmd_canonical (command->id))
    {
    case VTR_CMD_vkCmdBindPipeline:
      return bind_pipeline (command->args, pipelines, shaders);
#ifdef VK_EXT_shader_object
    case VTR_CMD_vkCmdBindShadersEXT:
      return bind_shaders (command->args, pipelines, shaders);
#endif
    default:
      return 0;
    }
}

void
vtr_program_find (VtrHistory    *history,
                  guint          point,
                  guint64        pipeline,
                  const guint64  shaders[VTR_MAX_SHADERS],
                  guint64        index,
                  VtrProgram    *out)
{
  memset (out, 0, sizeof *out);
  out->index = index;
  if (pipeline != 0)
    {
      out->objects[0] = vtr_history_find (history,
                                          vtr_vulkan_identity (VTR_HANDLE_VkPipeline, pipeline),
                                          index);
      out->n = out->objects[0] != NULL;
      return;
    }
#ifdef VK_EXT_shader_object
  for (guint i = 0; i < VTR_MAX_SHADERS; i++)
    {
      if (shaders[i] == 0 || get_point (i) != point)
        continue;
      out->objects[out->n] = vtr_history_find (history,
                                               vtr_vulkan_identity (VTR_HANDLE_VkShaderEXT,
                                                                    shaders[i]),
                                               index);
      out->n += out->objects[out->n] != NULL;
    }
#else
  (void)point;
  (void)shaders;
#endif
}

void
vtr_program_find_bound (VtrHistory          *history,
                        const VtrBoundState *state,
                        guint                point,
                        guint64              index,
                        VtrProgram          *out)
{
  vtr_program_find (history, point, state->bind_points[point].pipeline, state->shaders, index, out);
  out->layout = state->bind_points[point].layout;
  if (out->layout == 0)
    out->layout = state->push_layout;
}

guint
vtr_program_choose (VtrHistory          *history,
                    const VtrBoundState *state,
                    guint64              index,
                    VtrProgram          *out)
{
  guint point = vtr_work_get_point (vtr_work_at (vtr_history_get_trace (history), index));

  if (point == G_N_ELEMENTS (state->bind_points))
    for (point = 0; point < G_N_ELEMENTS (state->bind_points); point++)
      {
        vtr_program_find_bound (history, state, point, index, out);
        if (out->n > 0)
          return point;
      }
  point %= G_N_ELEMENTS (state->bind_points);
  vtr_program_find_bound (history, state, point, index, out);
  return point;
}

guint64
vtr_program_hash (const VtrProgram *self)
{
  guint32 ids[VTR_MAX_SHADERS];

  for (guint i = 0; i < self->n; i++)
    ids[i] = self->objects[i]->id;
  return XXH3_64bits (ids, self->n * sizeof *ids);
}

/* Describes the shader objects as a pipeline with these stages. */
static void
join_stages (const VtrProgram                *self,
             VkPipelineShaderStageCreateInfo *stages,
             VtrArena                        *arena,
             VtrPipelineInfo                 *out)
{
  out->stages = stages;
  out->n_stages = self->n;
  out->layout = (VkPipelineLayout)self->layout;
  out->layout_named = self->index;
  if (out->bind_point == VK_PIPELINE_BIND_POINT_GRAPHICS)
    {
      VkGraphicsPipelineCreateInfo *info = vtr_arena_new (arena, VkGraphicsPipelineCreateInfo);

      info->sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO;
      info->stageCount = self->n;
      info->pStages = stages;
      out->graphics = info;
    }
}

gboolean
vtr_program_get_info (const VtrProgram  *self,
                      VtrHistory        *history,
                      VtrArena          *arena,
                      VtrPipelineInfo   *out,
                      GError           **error)
{
  VkPipelineShaderStageCreateInfo *stages;
  VtrPipelineInfo first;

  g_return_val_if_fail (self->n > 0, FALSE);

  if (!vtr_history_get_pipeline_info (history, self->objects[0], arena, &first, error))
    return FALSE;
  if (first.is_shader)
    {
      stages = vtr_arena_new_array (arena, self->n, VkPipelineShaderStageCreateInfo);
      stages[0] = first.stages[0];
      for (guint i = 1; i < self->n; i++)
        {
          VtrPipelineInfo other;

          if (!vtr_history_get_pipeline_info (history, self->objects[i], arena, &other, error))
            return FALSE;
          stages[i] = other.stages[0];
        }
      join_stages (self, stages, arena, &first);
    }
  *out = first;
  return TRUE;
}
