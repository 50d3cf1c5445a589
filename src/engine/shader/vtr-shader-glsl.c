/* Converts SPIR-V to GLSL with SPIRV-Cross. */
#include "engine/shader/vtr-shader-cross.h"

#include <string.h>

VtrShaderStage
vtr_shader_cross_stage (SpvExecutionModel model)
{
  static const struct
  {
    SpvExecutionModel model;
    VtrShaderStage stage;
  } stages[] = {
    { SpvExecutionModelVertex, VTR_SHADER_STAGE_VERTEX },
    { SpvExecutionModelTessellationControl, VTR_SHADER_STAGE_TESSELLATION_CONTROL },
    { SpvExecutionModelTessellationEvaluation, VTR_SHADER_STAGE_TESSELLATION_EVALUATION },
    { SpvExecutionModelGeometry, VTR_SHADER_STAGE_GEOMETRY },
    { SpvExecutionModelFragment, VTR_SHADER_STAGE_FRAGMENT },
    { SpvExecutionModelGLCompute, VTR_SHADER_STAGE_COMPUTE },
    { SpvExecutionModelTaskEXT, VTR_SHADER_STAGE_TASK },
    { SpvExecutionModelMeshEXT, VTR_SHADER_STAGE_MESH },
    { SpvExecutionModelTaskNV, VTR_SHADER_STAGE_TASK },
    { SpvExecutionModelMeshNV, VTR_SHADER_STAGE_MESH },
    { SpvExecutionModelRayGenerationKHR, VTR_SHADER_STAGE_RAYGEN },
    { SpvExecutionModelIntersectionKHR, VTR_SHADER_STAGE_INTERSECTION },
    { SpvExecutionModelAnyHitKHR, VTR_SHADER_STAGE_ANY_HIT },
    { SpvExecutionModelClosestHitKHR, VTR_SHADER_STAGE_CLOSEST_HIT },
    { SpvExecutionModelMissKHR, VTR_SHADER_STAGE_MISS },
    { SpvExecutionModelCallableKHR, VTR_SHADER_STAGE_CALLABLE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (stages); i++)
    if (stages[i].model == model)
      return stages[i].stage;
  return 0;
}

gboolean
vtr_shader_cross_fail (VtrShaderCross *self, char **message)
{
  const char *text = self->context != NULL ? spvc_context_get_last_error_string (self->context)
                                           : NULL;

  *message = g_strdup (text != NULL && *text != '\0' ? text : "SPIRV-Cross gave no reason");
  return FALSE;
}

/* The entry point that the job names. */
static gboolean
choose_entry (VtrShaderCross *self, const VtrShaderJob *job, char **message)
{
  const spvc_entry_point *entries = NULL;
  size_t n = 0;

  if (spvc_compiler_get_entry_points (self->compiler, &entries, &n) != SPVC_SUCCESS)
    return vtr_shader_cross_fail (self, message);
  for (size_t i = 0; i < n; i++)
    {
      if (job->entry != NULL && strcmp (entries[i].name, job->entry) != 0)
        continue;
      if (job->stage != 0 && vtr_shader_cross_stage (entries[i].execution_model) != job->stage)
        continue;
      self->model = entries[i].execution_model;
      self->entry = entries[i].name;
      if (spvc_compiler_set_entry_point (self->compiler, self->entry, self->model) !=
          SPVC_SUCCESS)
        return vtr_shader_cross_fail (self, message);
      return TRUE;
    }
  *message = g_strdup_printf ("there is no entry point “%s”",
                              job->entry != NULL ? job->entry : "");
  return FALSE;
}

gboolean
vtr_shader_cross_init (VtrShaderCross      *self,
                       const VtrShaderJob  *job,
                       spvc_backend         backend,
                       char               **message)
{
  spvc_parsed_ir ir = NULL;

  memset (self, 0, sizeof *self);
  if (spvc_context_create (&self->context) != SPVC_SUCCESS)
    return vtr_shader_cross_fail (self, message);
  if (spvc_context_parse_spirv (self->context, job->words, job->n_words, &ir) != SPVC_SUCCESS ||
      spvc_context_create_compiler (self->context, backend, ir, SPVC_CAPTURE_MODE_TAKE_OWNERSHIP,
                                    &self->compiler) != SPVC_SUCCESS)
    return vtr_shader_cross_fail (self, message);
  return choose_entry (self, job, message);
}

void
vtr_shader_cross_finish (VtrShaderCross *self)
{
  if (self->context != NULL)
    spvc_context_destroy (self->context);
  memset (self, 0, sizeof *self);
}

static gboolean
compile (VtrShaderCross *cross, GString *out, char **message)
{
  spvc_compiler_options options = NULL;
  const char *text = NULL;

  if (spvc_compiler_create_compiler_options (cross->compiler, &options) != SPVC_SUCCESS)
    return vtr_shader_cross_fail (cross, message);
  spvc_compiler_options_set_uint (options, SPVC_COMPILER_OPTION_GLSL_VERSION, 460);
  spvc_compiler_options_set_bool (options, SPVC_COMPILER_OPTION_GLSL_ES, SPVC_FALSE);
  spvc_compiler_options_set_bool (options, SPVC_COMPILER_OPTION_GLSL_VULKAN_SEMANTICS, SPVC_TRUE);
  if (spvc_compiler_install_compiler_options (cross->compiler, options) != SPVC_SUCCESS ||
      spvc_compiler_compile (cross->compiler, &text) != SPVC_SUCCESS || text == NULL)
    return vtr_shader_cross_fail (cross, message);
  g_string_append (out, text);
  return TRUE;
}

gboolean
vtr_shader_tool_glsl (const VtrShaderJob *job, GString *out, char **message)
{
  VtrShaderCross cross;
  gboolean done = vtr_shader_cross_init (&cross, job, SPVC_BACKEND_GLSL, message) &&
                  compile (&cross, out, message);

  vtr_shader_cross_finish (&cross);
  return done;
}
