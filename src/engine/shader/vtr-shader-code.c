/* Loads the SPIR-V, entry point and specialization constants of one shader, and runs the shader
 * tool on them. */
#include "vtr-config.h"

#include "engine/shader/vtr-shader-code.h"

#include "api/vtr-api-args.h"
#include "engine/replay/vtr-own-environment.h"
#include "engine/replay/vtr-own-program.h"
#include "engine/shader/vtr-tool-run.h"

#include <glib/gi18n.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#define TOOL "vitrine-shader-tool"
#define MAX_WORDS 2048 /* of what it says, in a sentence */

/* --- Stages ---------------------------------------------------------------------------------- */

static const struct
{
  VkShaderStageFlagBits stage;
  const char *word;
  const char *label;
} stages[] = {
  { VK_SHADER_STAGE_VERTEX_BIT, "vertex", N_ ("Vertex") },
  { VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT, "tesscontrol", N_ ("Tessellation control") },
  { VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT, "tesseval", N_ ("Tessellation evaluation") },
  { VK_SHADER_STAGE_GEOMETRY_BIT, "geometry", N_ ("Geometry") },
  { VK_SHADER_STAGE_TASK_BIT_EXT, "task", N_ ("Task") },
  { VK_SHADER_STAGE_MESH_BIT_EXT, "mesh", N_ ("Mesh") },
  { VK_SHADER_STAGE_FRAGMENT_BIT, "fragment", N_ ("Fragment") },
  { VK_SHADER_STAGE_COMPUTE_BIT, "compute", N_ ("Compute") },
  { VK_SHADER_STAGE_RAYGEN_BIT_KHR, "raygen", N_ ("Ray generation") },
  { VK_SHADER_STAGE_INTERSECTION_BIT_KHR, "intersection", N_ ("Intersection") },
  { VK_SHADER_STAGE_ANY_HIT_BIT_KHR, "anyhit", N_ ("Any hit") },
  { VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR, "closesthit", N_ ("Closest hit") },
  { VK_SHADER_STAGE_MISS_BIT_KHR, "miss", N_ ("Miss") },
  { VK_SHADER_STAGE_CALLABLE_BIT_KHR, "callable", N_ ("Callable") },
  { VK_SHADER_STAGE_SUBPASS_SHADING_BIT_HUAWEI, "subpass", N_ ("Subpass shading") },
};

const char *
vtr_shader_stage_word (VkShaderStageFlagBits stage)
{
  for (guint i = 0; i < G_N_ELEMENTS (stages); i++)
    if (stages[i].stage == stage)
      return stages[i].word;
  return "";
}

const char *
vtr_shader_stage_label (VkShaderStageFlagBits stage)
{
  for (guint i = 0; i < G_N_ELEMENTS (stages); i++)
    if (stages[i].stage == stage)
      return _ (stages[i].label);
  return _ ("Shader");
}

/* --- Code ------------------------------------------------------------------------------------ */

static GBytes *
take_code (const guint32 *words, gsize size, GError **error)
{
  if (words != NULL && size > 0)
    return g_bytes_new (words, size);
  g_set_error_literal (error, VTR_SHADER_ERROR, VTR_SHADER_ERROR_DAMAGED,
                       _ ("The trace does not hold the code of this shader."));
  return NULL;
}

GBytes *
vtr_shader_code_of_object (VtrHistory *history, const VtrObject *object, GError **error)
{
  VtrCommand command;
  VtrArena arena;
  GBytes *code = NULL;

  vtr_arena_init (&arena);
  if (!vtr_history_decode_creation (history, object, &arena, &command, error))
    {
      vtr_arena_finish (&arena);
      return NULL;
    }
  if (command.id == VTR_CMD_vkCreateShaderModule)
    {
      const VtrArgs_vkCreateShaderModule *args = command.args;

      code = args->pCreateInfo != NULL
               ? take_code (args->pCreateInfo->pCode, args->pCreateInfo->codeSize, error)
               : take_code (NULL, 0, error);
    }
#ifdef VK_EXT_shader_object
  else if (command.id == VTR_CMD_vkCreateShadersEXT)
    {
      const VtrArgs_vkCreateShadersEXT *args = command.args;
      const VkShaderCreateInfoEXT *info =
        args->pCreateInfos != NULL && object->element < args->createInfoCount
          ? &args->pCreateInfos[object->element]
          : NULL;

      if (info != NULL && info->codeType == VK_SHADER_CODE_TYPE_SPIRV_EXT)
        code = take_code (info->pCode, info->codeSize, error);
      else
        g_set_error_literal (error, VTR_SHADER_ERROR, VTR_SHADER_ERROR_UNSUPPORTED,
                             _ ("The program created this shader from the driver's own binary "
                                "code, not from SPIR-V."));
    }
#endif
  else
    g_set_error_literal (error, VTR_SHADER_ERROR, VTR_SHADER_ERROR_UNSUPPORTED,
                         _ ("This object is not a shader."));
  vtr_arena_finish (&arena);
  return code;
}

GBytes *
vtr_shader_code_of_stage (VtrHistory                             *history,
                          const VkPipelineShaderStageCreateInfo  *stage,
                          guint64                                 created,
                          guint32                                *module,
                          GError                                **error)
{
  const VkShaderModuleCreateInfo *carried =
    vtr_api_find_next (stage->pNext, VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);

  *module = 0;
  if (stage->module != VK_NULL_HANDLE)
    {
      const VtrObject *object =
        vtr_history_find (history,
                          vtr_vulkan_identity (VTR_HANDLE_VkShaderModule, (guint64)stage->module),
                          created);

      if (object != NULL)
        {
          *module = object->id;
          return vtr_shader_code_of_object (history, object, error);
        }
    }
  else if (carried != NULL)
    return take_code (carried->pCode, carried->codeSize, error);
  else if (vtr_api_find_next (
             stage->pNext,
             VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_MODULE_IDENTIFIER_CREATE_INFO_EXT) != NULL)
    {
      g_set_error_literal (error, VTR_SHADER_ERROR, VTR_SHADER_ERROR_UNSUPPORTED,
                           _ ("The program named this shader by its identifier in the driver's "
                              "cache, so its code is not in the trace."));
      return NULL;
    }
  return take_code (NULL, 0, error);
}

static VtrShaderCode *
finish (VtrShaderCode *self, GError **error)
{
  self->spirv = self->code != NULL ? vtr_spirv_new (self->code, error) : NULL;
  if (self->spirv != NULL)
    return self;
  vtr_shader_code_free (self);
  return NULL;
}

static VtrShaderCode *
load_stage (VtrHistory *history, const VtrObject *object, guint32 nth, GError **error)
{
  VtrShaderCode *self = g_new0 (VtrShaderCode, 1);
  g_autoptr (GBytes) plain = NULL;
  VtrPipelineInfo info;
  VtrArena arena;

  self->object = object->id;
  self->nth = nth;
  vtr_arena_init (&arena);
  if (vtr_history_get_pipeline_info (history, object, &arena, &info, error))
    {
      if (nth < info.n_stages || info.is_shader)
        {
          const VkPipelineShaderStageCreateInfo *stage = &info.stages[info.is_shader ? 0 : nth];

          self->stage = stage->stage;
          self->entry = g_utf8_make_valid (stage->pName != NULL ? stage->pName : "", -1);
          plain = info.is_shader
                    ? vtr_shader_code_of_object (history, object, error)
                    : vtr_shader_code_of_stage (history, stage, object->created, &self->module,
                                                error);
          if (plain != NULL)
            self->code = vtr_spirv_specialize (plain, stage->pSpecializationInfo);
        }
      else
        g_set_error (error, VTR_SHADER_ERROR, VTR_SHADER_ERROR_UNSUPPORTED,
                     _ ("This pipeline has %u stages."), info.n_stages);
    }
  vtr_arena_finish (&arena);
  return finish (self, error);
}

/* They name their entry point and constants themselves. */
static gboolean
is_shader_object (const VtrObject *object)
{
#ifdef VK_EXT_shader_object
  return object->type == VTR_HANDLE_VkShaderEXT;
#else
  (void)object;
  return FALSE;
#endif
}

VtrShaderCode *
vtr_shader_code_load (VtrHistory *history, guint32 object, guint32 nth, GError **error)
{
  const VtrObject *info = vtr_history_get_object (history, object);
  VtrShaderCode *self;
  const VtrSpirvEntry *entry;

  g_return_val_if_fail (info != NULL, NULL);

  if (nth != VTR_SHADER_MODULE || is_shader_object (info))
    return load_stage (history, info, nth, error);
  self = g_new0 (VtrShaderCode, 1);
  self->object = self->module = object;
  self->nth = nth;
  self->code = vtr_shader_code_of_object (history, info, error);
  self = finish (self, error);
  if (self == NULL)
    return NULL;
  entry = vtr_spirv_find_entry (self->spirv, NULL, 0);
  self->stage = entry != NULL ? entry->stage : 0;
  self->entry = g_strdup (entry != NULL ? entry->name : "");
  return self;
}

void
vtr_shader_code_free (VtrShaderCode *self)
{
  g_clear_pointer (&self->spirv, vtr_spirv_unref);
  g_clear_pointer (&self->code, g_bytes_unref);
  g_free (self->entry);
  g_free (self);
}

/* --- The tool -------------------------------------------------------------------------------- */

static void
set_tool_failure (const VtrToolRun *run, GError **error)
{
  int signal = WIFSIGNALED (run->status) ? WTERMSIG (run->status) : 0;
  g_autofree char *words =
    g_utf8_make_valid (run->words, (gssize)MIN (strlen (run->words), MAX_WORDS));

  if (signal == SIGALRM || signal == SIGXCPU || signal == SIGKILL)
    g_set_error_literal (error, VTR_SHADER_ERROR, VTR_SHADER_ERROR_TOOL,
                         _ ("Disassembling this shader took too long."));
  else if (signal != 0)
    g_set_error (error, VTR_SHADER_ERROR, VTR_SHADER_ERROR_TOOL,
                 _ ("Disassembling this shader crashed (%s). The module may be damaged."),
                 g_strsignal (signal));
  else
    g_set_error (error, VTR_SHADER_ERROR, VTR_SHADER_ERROR_UNSUPPORTED,
                 _ ("This shader cannot be disassembled: %s"),
                 *words != '\0' ? words : _ ("it gave no reason."));
}

GBytes *
vtr_shader_run_tool (const char             *verb,
                     GBytes                 *input,
                     VkShaderStageFlagBits   stage,
                     const char             *entry,
                     GCancellable           *cancellable,
                     GError                **error)
{
  g_autofree char *path = vtr_own_program_find (TOOL, "VITRINE_SHADER_TOOL", "src/engine/shader");
  g_autofree char *number = g_strdup_printf ("%u", (guint)stage);
  const char *const argv[] = { path, verb, number, entry, NULL };
  g_auto (GStrv) environment = vtr_own_environment_get ();
  g_auto (VtrToolRun) run = { 0 };
  g_autoptr (GError) reason = NULL;

  if (path != NULL && vtr_tool_run (argv, environment, input, &run, cancellable, &reason))
    {
      if (vtr_tool_run_is_success (&run))
        return g_steal_pointer (&run.out);
      set_tool_failure (&run, error);
    }
  else if (reason != NULL && (reason->domain == VTR_SHADER_ERROR ||
                              g_error_matches (reason, G_IO_ERROR, G_IO_ERROR_CANCELLED)))
    g_propagate_error (error, g_steal_pointer (&reason));
  else
    g_set_error (error, VTR_SHADER_ERROR, VTR_SHADER_ERROR_TOOL,
                 _ ("vitrine-shader-tool cannot be started: %s"),
                 reason != NULL ? reason->message : _ ("it is not installed."));
  return NULL;
}
