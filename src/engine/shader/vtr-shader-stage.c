/* Names the stages that run shader code. */
#include "engine/shader/vtr-shader-stage.h"

#include <glib/gi18n.h>

static const struct
{
  VtrShaderStage stage;
  const char *word;
  const char *label;
} stages[] = {
  { VTR_SHADER_STAGE_VERTEX, "vertex", N_ ("Vertex") },
  { VTR_SHADER_STAGE_TESSELLATION_CONTROL, "tesscontrol", N_ ("Tessellation control") },
  { VTR_SHADER_STAGE_TESSELLATION_EVALUATION, "tesseval", N_ ("Tessellation evaluation") },
  { VTR_SHADER_STAGE_GEOMETRY, "geometry", N_ ("Geometry") },
  { VTR_SHADER_STAGE_TASK, "task", N_ ("Task") },
  { VTR_SHADER_STAGE_MESH, "mesh", N_ ("Mesh") },
  { VTR_SHADER_STAGE_FRAGMENT, "fragment", N_ ("Fragment") },
  { VTR_SHADER_STAGE_COMPUTE, "compute", N_ ("Compute") },
  { VTR_SHADER_STAGE_RAYGEN, "raygen", N_ ("Ray generation") },
  { VTR_SHADER_STAGE_INTERSECTION, "intersection", N_ ("Intersection") },
  { VTR_SHADER_STAGE_ANY_HIT, "anyhit", N_ ("Any hit") },
  { VTR_SHADER_STAGE_CLOSEST_HIT, "closesthit", N_ ("Closest hit") },
  { VTR_SHADER_STAGE_MISS, "miss", N_ ("Miss") },
  { VTR_SHADER_STAGE_CALLABLE, "callable", N_ ("Callable") },
  { VTR_SHADER_STAGE_SUBPASS, "subpass", N_ ("Subpass shading") },
};

const char *
vtr_shader_stage_word (VtrShaderStage stage)
{
  for (guint i = 0; i < G_N_ELEMENTS (stages); i++)
    if (stages[i].stage == stage)
      return stages[i].word;
  return "";
}

const char *
vtr_shader_stage_label (VtrShaderStage stage)
{
  for (guint i = 0; i < G_N_ELEMENTS (stages); i++)
    if (stages[i].stage == stage)
      return _ (stages[i].label);
  return _ ("Shader");
}
