/* Lists all shaders of a trace with the pipelines that use them, and those bound at a command. */
#include "engine/vulkan/show/vtr-shader-rows.h"

#include "api/vtr-api-args.h"
#include "engine/model/vtr-shader-list-private.h"
#include "engine/state/vtr-resolve-error.h"
#include "engine/vulkan/shader/vtr-shader-modules.h"

#include <glib/gi18n.h>
#include <xxhash.h>

#define CANCEL_STEP 64

/* The stage of a pipeline in a path: its word, or its number where two stages share the word.
   (transfer full) */
static char *
format_stage (const VtrPipelineInfo *info, guint32 nth)
{
  const char *word = vtr_shader_stage_word ((VtrShaderStage)info->stages[nth].stage);

  for (guint32 i = 0; i < info->n_stages; i++)
    if (i != nth && info->stages[i].stage == info->stages[nth].stage)
      return g_strdup_printf ("%u", nth);
  return *word != '\0' ? g_strdup (word) : g_strdup_printf ("%u", nth);
}

/* --- All of a trace -------------------------------------------------------------------------- */

typedef struct
{
  VtrShaderList *list;
  VtrHistory *history;
  VtrUses *uses;
  GHashTable *carried; /* hash of code → VtrShader that a pipeline carries */
} Builder;

/* The stage of a shader object, whose code need not be SPIR-V. */
static VkShaderStageFlags
get_stage (VtrHistory *history, const VtrObject *object)
{
  VkShaderStageFlags stage = 0;
  VtrPipelineInfo info;
  VtrArena arena;

  vtr_arena_init (&arena);
  if (vtr_history_get_pipeline_info (history, object, &arena, &info, NULL) && info.is_shader)
    stage = info.stages[0].stage;
  vtr_arena_finish (&arena);
  return stage;
}

static void
add_object (Builder *self, const VtrObject *object)
{
  GError *error = NULL;
  g_autoptr (GBytes) code = vtr_shader_code_of_object (self->history, object, &error);
  VtrShader *shader = vtr_shader_list_add (self->list, self->history, object, VTR_SHADER_MODULE,
                                           NULL, g_strdup_printf ("objects/%u/shader", object->id));

  vtr_shader_set_code (shader, code, error);
  if (object->type != VTR_HANDLE_VkShaderModule)
    {
      const VtrPipelineUses *uses = vtr_uses_get_pipeline (self->uses, object->id);

      vtr_shader_add_stages (shader, get_stage (self->history, object));
      vtr_shader_set_alone (shader, uses->draws + uses->dispatches);
    }
}

/* The shader that a stage without a module runs: a new one, or that of the library it comes
   from. */
static VtrShader *
get_carried (Builder *self, const VtrObject *pipeline, const VtrPipelineInfo *info, guint32 nth)
{
  GError *error = NULL;
  guint32 module;
  g_autoptr (GBytes) code = vtr_shader_code_of_stage (self->history, &info->stages[nth],
                                                      pipeline->created, &module, &error);
  g_autofree char *word = format_stage (info, nth);
  VtrShader *shader;
  gsize size = 0;
  guint64 hash = 0;

  if (code != NULL)
    {
      gconstpointer bytes = g_bytes_get_data (code, &size);

      hash = XXH3_64bits (bytes, size);
      shader = g_hash_table_lookup (self->carried, &hash);
      if (shader != NULL && vtr_shader_get_size (shader) == size)
        {
          g_clear_error (&error);
          return shader;
        }
    }
  shader = vtr_shader_list_add (self->list, self->history, pipeline, nth,
                                vtr_shader_stage_label ((VtrShaderStage)info->stages[nth].stage),
                                g_strdup_printf ("objects/%u/shader/%s", pipeline->id, word));
  vtr_shader_set_code (shader, code, error);
  if (code != NULL)
    g_hash_table_insert (self->carried, g_memdup2 (&hash, sizeof hash), shader);
  return shader;
}

static void
add_user (
  Builder *self, VtrShader *shader, const VtrObject *pipeline, guint32 nth, guint32 stage)
{
  const VtrPipelineUses *uses = vtr_uses_get_pipeline (self->uses, pipeline->id);
  const VtrShaderUser user = { pipeline->id, nth, (VtrShaderStage)stage, uses->draws,
                               uses->dispatches };

  vtr_shader_list_add_user (self->list, shader, &user);
}

static void
add_pipeline (Builder *self, const VtrObject *pipeline)
{
  VtrPipelineInfo info;
  VtrArena arena;

  vtr_arena_init (&arena);
  if (vtr_history_get_pipeline_info (self->history, pipeline, &arena, &info, NULL))
    for (guint32 i = 0; i < info.n_stages; i++)
      {
        const VkPipelineShaderStageCreateInfo *stage = &info.stages[i];
        const VtrObject *module =
          stage->module != VK_NULL_HANDLE
            ? vtr_history_find (self->history,
                                vtr_vulkan_identity (VTR_HANDLE_VkShaderModule,
                                                     (guint64)stage->module),
                                pipeline->created)
            : NULL;
        VtrShader *shader =
          module != NULL ? vtr_shader_list_find (self->list, module->id, VTR_SHADER_MODULE)
                         : get_carried (self, pipeline, &info, i);

        if (shader == NULL)
          continue;
        add_user (self, shader, pipeline, i, stage->stage);
      }
  vtr_arena_finish (&arena);
}

gboolean
vtr_vulkan_list_code (VtrHistory     *history,
                      VtrUses        *uses,
                      VtrShaderList  *list,
                      GCancellable   *cancellable,
                      GError        **error)
{
  g_autoptr (GHashTable) carried =
    g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  Builder builder = { list, history, uses, carried };
  /* Not in every registry. */
  VtrHandleId shader_object = vtr_handle_from_name ("VkShaderEXT");
  guint32 n = vtr_history_get_n_objects (history);

  for (guint32 id = 1; id <= n; id++)
    {
      const VtrObject *object = vtr_history_get_object (history, id);

      if (id % CANCEL_STEP == 0 && g_cancellable_set_error_if_cancelled (cancellable, error))
        return FALSE;
      if (object->type == VTR_HANDLE_VkShaderModule ||
          (shader_object != VTR_HANDLE_NONE && object->type == shader_object))
        add_object (&builder, object);
      /* Its modules and libraries were made before it. */
      else if (object->type == VTR_HANDLE_VkPipeline)
        add_pipeline (&builder, object);
    }
  return TRUE;
}

/* --- Others ---------------------------------------------------------------------------------- */

static void
clear_stage (gpointer data)
{
  VtrBoundShader *self = data;

  g_free (self->entry);
  g_free (self->word);
}

static GArray *
new_stages (void)
{
  GArray *list = g_array_new (FALSE, TRUE, sizeof (VtrBoundShader));

  g_array_set_clear_func (list, clear_stage);
  return list;
}

static void
add_stage (GArray *list, const VtrPipelineInfo *info, guint32 i, const VtrObject *object)
{
  const char *name = info->stages[i].pName;
  const VtrBoundShader shader = {
    .pipeline = object->id,
    .nth = info->is_shader ? VTR_SHADER_MODULE : i,
    .stage = (VtrShaderStage)info->stages[i].stage,
    .entry = g_utf8_make_valid (name != NULL ? name : "", -1),
    .word = format_stage (info, i),
  };

  g_array_append_val (list, shader);
}

GArray *
vtr_vulkan_list_bound_code (VtrAnalysis *analysis, guint64 index, GError **error)
{
  VtrHistory *history = vtr_analysis_get_history (analysis);
  g_autofree VtrBoundState *state = g_new (VtrBoundState, 1);
  VtrProgram program = { 0 };
  GArray *list = NULL;
  VtrPipelineInfo info;
  VtrArena arena;

  if (!vtr_bound_walker_get (vtr_analysis_get_walker (analysis), index, state, error))
    return NULL;
  if (state->recording != VTR_NO_RECORDING)
    vtr_program_choose (history, state, index, &program);
  if (program.n == 0)
    {
      g_set_error_literal (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING,
                           _ ("No pipeline is bound at this command. Select a draw or dispatch."));
      return NULL;
    }
  vtr_arena_init (&arena);
  if (vtr_program_get_info (&program, history, &arena, &info, error))
    {
      list = new_stages ();
      for (guint32 i = 0; i < info.n_stages; i++)
        add_stage (list, &info, i, program.objects[info.is_shader ? i : 0]);
    }
  vtr_arena_finish (&arena);
  return list;
}

GArray *
vtr_vulkan_list_stages (VtrHistory *history, const VtrObject *object, GError **error)
{
  GArray *list = NULL;
  VtrPipelineInfo info;
  VtrArena arena;

  if (object->type == VTR_HANDLE_VkShaderModule ||
      object->type == vtr_handle_from_name ("VkShaderEXT"))
    {
      const VtrBoundShader itself = { .pipeline = object->id, .nth = VTR_SHADER_MODULE };

      list = new_stages ();
      g_array_append_val (list, itself);
      return list;
    }
  if (object->type != VTR_HANDLE_VkPipeline)
    return NULL;
  vtr_arena_init (&arena);
  if (vtr_history_get_pipeline_info (history, object, &arena, &info, error))
    {
      list = new_stages ();
      for (guint32 i = 0; i < info.n_stages; i++)
        add_stage (list, &info, i, object);
    }
  vtr_arena_finish (&arena);
  return list;
}

/* Id of the object of this type and handle that lived last; 0: there is none. */
static guint32
find_last (VtrHistory *history, VtrHandleId type, guint64 handle)
{
  const VtrObject *found = vtr_history_find (history, vtr_vulkan_identity (type, handle),
                                             VTR_COMMAND_NO_INDEX - 1);
  g_autoptr (GArray) ids = vtr_history_list (history, type);
  guint32 last = 0;

  if (found != NULL)
    return found->id;
  for (guint i = 0; i < ids->len; i++)
    if (vtr_history_get_object (history, g_array_index (ids, guint32, i))->handle == handle)
      last = g_array_index (ids, guint32, i);
  return last;
}

guint32
vtr_vulkan_find_code (VtrHistory *history, guint64 name)
{
  const VtrHandleId shader_object = vtr_handle_from_name ("VkShaderEXT");
  guint32 found = find_last (history, VTR_HANDLE_VkShaderModule, name);

  if (found == 0 && shader_object != VTR_HANDLE_NONE)
    found = find_last (history, shader_object, name);
  return found;
}
