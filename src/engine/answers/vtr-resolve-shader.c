/* Answers shaders, objects/ID/shader/… and commands/N/shaders. */
#include "engine/answers/vtr-resolve.h"

#include "engine/api/vtr-show-api.h"
#include "base/vtr-number.h"
#include "engine/shader/vtr-shader-run.h"

#include <glib/gi18n.h>
#include <string.h>

/* --- Lists ----------------------------------------------------------------------------------- */

static JsonNode *
make_stage_words (guint32 stages)
{
  JsonArray *array = json_array_new ();

  for (guint32 bit = 1; bit != 0; bit <<= 1)
    if ((stages & bit) != 0)
      json_array_add_string_element (array,
                                     vtr_shader_stage_word ((VtrShaderStage)bit));
  return vtr_json_take_array (array);
}

/* The facts about the module that need no compiler. */
static void
add_spirv (JsonObject *json, VtrSpirv *spirv)
{
  JsonArray *entries = json_array_new (), *sources = json_array_new ();
  JsonArray *constants = json_array_new ();
  g_autofree char *version = g_strdup_printf ("%u.%u", vtr_spirv_get_version_major (spirv),
                                              vtr_spirv_get_version_minor (spirv));
  const char *generator = vtr_spirv_get_generator (spirv);

  for (guint i = 0; i < vtr_spirv_get_n_entries (spirv); i++)
    {
      const VtrSpirvEntry *entry = vtr_spirv_get_entry (spirv, i);
      JsonObject *object = json_object_new ();

      json_object_set_string_member (object, "name", entry->name);
      json_object_set_string_member (
        object, "stage", vtr_shader_stage_word ((VtrShaderStage)entry->stage));
      json_array_add_object_element (entries, object);
    }
  for (guint i = 0; i < vtr_spirv_get_n_sources (spirv); i++)
    {
      const VtrSpirvSource *source = vtr_spirv_get_source (spirv, i);
      JsonObject *object = json_object_new ();

      json_object_set_string_member (object, "file", source->file);
      json_object_set_string_member (object, "language", source->language);
      json_object_set_int_member (object, "version", source->version);
      json_object_set_boolean_member (object, "text", source->text != NULL);
      json_array_add_object_element (sources, object);
    }
  for (guint i = 0; i < vtr_spirv_get_n_constants (spirv); i++)
    {
      const VtrSpirvConstant *constant = vtr_spirv_get_constant (spirv, i);
      JsonObject *object = json_object_new ();

      json_object_set_int_member (object, "id", constant->constant);
      json_object_set_string_member (object, "name", constant->name);
      json_array_add_object_element (constants, object);
    }
  json_object_set_string_member (json, "spirvVersion", version);
  if (generator != NULL)
    json_object_set_string_member (json, "generator", generator);
  else
    json_object_set_null_member (json, "generator");
  json_object_set_int_member (json, "instructions", vtr_spirv_get_n_instructions (spirv));
  json_object_set_array_member (json, "entryPoints", entries);
  json_object_set_array_member (json, "sources", sources);
  json_object_set_array_member (json, "specializationConstants", constants);
}

static JsonArray *
make_users (VtrHistory *history, VtrShader *shader)
{
  JsonArray *users = json_array_new ();

  for (guint i = 0; i < vtr_shader_get_n_users (shader); i++)
    {
      const VtrShaderUser *user = vtr_shader_get_user (shader, i);
      JsonObject *object = json_object_new ();

      json_object_set_member (
        object, "pipeline",
        vtr_json_object_ref (history, vtr_history_get_object (history, user->pipeline)));
      json_object_set_string_member (object, "stage", vtr_shader_stage_word (user->stage));
      json_object_set_int_member (object, "draws", (gint64)user->draws);
      json_object_set_int_member (object, "dispatches", (gint64)user->dispatches);
      json_array_add_object_element (users, object);
    }
  return users;
}

static JsonNode *
make_shader (VtrHistory *history, VtrShader *shader)
{
  const VtrObject *object = vtr_history_get_object (history, vtr_shader_get_object (shader));
  g_autofree char *hash =
    g_strdup_printf ("%016" G_GINT64_MODIFIER "x", vtr_shader_get_hash (shader));
  JsonObject *json = json_object_new ();

  json_object_set_string_member (json, "name", vtr_shader_get_name (shader));
  json_object_set_string_member (json, "path", vtr_shader_get_path (shader));
  json_object_set_member (json, "object", vtr_json_object_ref (history, object));
  json_object_set_member (json, "stages", make_stage_words (vtr_shader_get_stages (shader)));
  json_object_set_int_member (json, "bytes", (gint64)vtr_shader_get_size (shader));
  json_object_set_string_member (json, "hash", hash);
  if (vtr_shader_get_spirv (shader) != NULL)
    add_spirv (json, vtr_shader_get_spirv (shader));
  if (vtr_shader_get_problem (shader) != NULL)
    json_object_set_string_member (json, "problem", vtr_shader_get_problem (shader));
  json_object_set_int_member (json, "uses", (gint64)vtr_shader_get_work (shader));
  json_object_set_array_member (json, "users", make_users (history, shader));
  return vtr_json_take_object (json);
}

JsonNode *
vtr_resolve_shaders (VtrAnswers *answers, GCancellable *cancellable, GError **error)
{
  g_autoptr (VtrShaderList) list = vtr_trace_lists_get_shaders (answers->lists, cancellable, error);
  JsonArray *array;

  if (list == NULL)
    return NULL;
  array = json_array_new ();
  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (list)); i++)
    json_array_add_element (array, make_shader (vtr_analysis_get_history (answers->analysis),
                                                vtr_shader_list_get (list, i)));
  return vtr_json_take_array (array);
}

JsonNode *
vtr_resolve_shaders_at (VtrAnswers *answers, guint64 index, GError **error)
{
  VtrHistory *history = vtr_analysis_get_history (answers->analysis);
  g_autoptr (GArray) list = vtr_bound_shaders_list_at (answers->analysis, index, error);
  JsonArray *array;

  if (list == NULL)
    return NULL;
  array = json_array_new ();
  for (guint i = 0; i < list->len; i++)
    {
      const VtrBoundShader *shader = &g_array_index (list, VtrBoundShader, i);
      g_autoptr (GError) reason = NULL;
      g_autoptr (VtrShaderCode) code =
        vtr_shader_code_load (history, shader->pipeline, shader->nth, &reason);
      gboolean is_object = shader->nth == VTR_SHADER_MODULE;
      g_autofree char *path =
        is_object ? g_strdup_printf ("objects/%u/shader", shader->pipeline)
                  : g_strdup_printf ("objects/%u/shader/%u", shader->pipeline, shader->nth);
      JsonObject *object = json_object_new ();

      json_object_set_string_member (object, "stage", vtr_shader_stage_word (shader->stage));
      json_object_set_string_member (object, "entryPoint", shader->entry);
      json_object_set_string_member (object, "path", path);
      json_object_set_member (
        object, is_object ? "shader" : "pipeline",
        vtr_json_object_ref (history, vtr_history_get_object (history, shader->pipeline)));
      json_object_set_member (
        object, "module",
        code != NULL && code->module != 0 && !is_object
          ? vtr_json_object_ref (history, vtr_history_get_object (history, code->module))
          : json_node_new (JSON_NODE_NULL));
      if (code == NULL)
        json_object_set_string_member (object, "problem", reason->message);
      json_array_add_object_element (array, object);
    }
  return vtr_json_take_array (array);
}

/* --- One shader ------------------------------------------------------------------------------ */

static gboolean
is_by_itself (const GArray *stages)
{
  return stages->len == 1 && g_array_index (stages, VtrBoundShader, 0).nth == VTR_SHADER_MODULE;
}

/* The stage of a pipeline that @step names: its word or its number. @stages: VtrBoundShader. */
static gboolean
parse_stage (const GArray  *stages,
             const char    *step,
             guint32       *nth,
             GError       **error)
{
  g_autoptr (GString) words = g_string_new (NULL);
  guint64 number;

  if (step != NULL && stages->len > 0 &&
      vtr_parse_number (step, 10, 0, stages->len - 1, &number))
    {
      *nth = (guint32)number;
      return TRUE;
    }
  for (guint i = 0; i < stages->len; i++)
    {
      const VtrBoundShader *stage = &g_array_index (stages, VtrBoundShader, i);

      g_string_append_printf (words, "%s%s", words->len > 0 ? ", " : "", stage->word);
      if (g_strcmp0 (step, vtr_shader_stage_word (stage->stage)) != 0)
        continue;
      *nth = i;
      return TRUE;
    }
  if (step != NULL)
    g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH,
                 _ ("“%s” is not a stage of this pipeline. Use %s."), step, words->str);
  else
    g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH,
                 _ ("A pipeline has several shaders. Choose one of %s."), words->str);
  return FALSE;
}

static JsonNode *
make_sources (VtrShaderCode *code, GError **error)
{
  JsonArray *array;

  if (!vtr_spirv_has_source (code->spirv))
    {
      g_set_error_literal (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING,
                           _ ("This shader contains no source text."));
      return NULL;
    }
  array = json_array_new ();
  for (guint i = 0; i < vtr_spirv_get_n_sources (code->spirv); i++)
    {
      const VtrSpirvSource *source = vtr_spirv_get_source (code->spirv, i);
      JsonObject *object;

      if (source->text == NULL)
        continue;
      object = json_object_new ();
      json_object_set_string_member (object, "file", source->file);
      json_object_set_string_member (object, "language", source->language);
      json_object_set_int_member (object, "version", source->version);
      json_object_set_string_member (object, "text", source->text);
      json_array_add_object_element (array, object);
    }
  return vtr_json_take_array (array);
}

static JsonNode *
make_text (VtrShaderCode *code, const char *verb, GCancellable *cancellable, GError **error)
{
  g_autoptr (GBytes) out =
    vtr_shader_run_tool (verb, code->code, code->stage, *code->entry != '\0' ? code->entry : NULL,
                         cancellable, error);
  g_autofree char *text = NULL;
  gsize size;
  const char *bytes;

  if (out == NULL)
    return NULL;
  bytes = g_bytes_get_data (out, &size);
  text = g_utf8_make_valid (bytes != NULL ? bytes : "", (gssize)size);
  return json_node_init_string (json_node_alloc (), text);
}

static int
compare_descriptors (gconstpointer a, gconstpointer b)
{
  JsonObject *x = json_node_get_object (*(JsonNode *const *)a);
  JsonObject *y = json_node_get_object (*(JsonNode *const *)b);
  gint64 sets = json_object_get_int_member_with_default (x, "set", 0) -
                json_object_get_int_member_with_default (y, "set", 0);
  gint64 bindings = json_object_get_int_member_with_default (x, "binding", 0) -
                    json_object_get_int_member_with_default (y, "binding", 0);

  return sets != 0 ? (sets < 0 ? -1 : 1) : bindings < 0 ? -1
                                                        : bindings > 0;
}

/* The compiler lists them by kind; people look for set and binding. */
static void
sort_descriptors (JsonObject *json)
{
  JsonArray *array = json_object_has_member (json, "descriptors")
                       ? json_object_get_array_member (json, "descriptors")
                       : NULL;
  JsonArray *sorted = json_array_new ();
  g_autoptr (GPtrArray) nodes = g_ptr_array_new ();

  for (guint i = 0; array != NULL && i < json_array_get_length (array); i++)
    g_ptr_array_add (nodes, json_array_get_element (array, i));
  g_ptr_array_sort (nodes, compare_descriptors);
  for (guint i = 0; i < nodes->len; i++)
    json_array_add_element (sorted, json_node_copy (g_ptr_array_index (nodes, i)));
  json_object_set_array_member (json, "descriptors", sorted);
}

static JsonNode *
make_reflection (VtrShaderCode *code, GCancellable *cancellable, GError **error)
{
  g_autoptr (JsonNode) text = make_text (code, "reflect", cancellable, error);
  g_autoptr (JsonNode) node = NULL;
  JsonObject *json;

  if (text == NULL)
    return NULL;
  node = json_from_string (json_node_get_string (text), error);
  if (node == NULL || !JSON_NODE_HOLDS_OBJECT (node))
    return NULL;
  json = json_node_get_object (node);
  json_object_set_string_member (json, "stage", vtr_shader_stage_word (code->stage));
  sort_descriptors (json);
  return g_steal_pointer (&node);
}

static JsonNode *
make_binary (VtrShaderCode *code)
{
  JsonObject *json = json_object_new ();
  gsize size;
  const guint8 *bytes = g_bytes_get_data (code->code, &size);
  g_autofree char *text = g_base64_encode (bytes, size);

  json_object_set_int_member (json, "bytes", (gint64)size);
  json_object_set_string_member (json, "base64", text);
  return vtr_json_take_object (json);
}

/* "glsl?entry=other": another entry point of the module than its first. */
static gboolean
choose_entry (VtrShaderCode *code, const char *query, GError **error)
{
  const VtrSpirvEntry *entry;

  if (query == NULL)
    return TRUE;
  if (!g_str_has_prefix (query, "entry="))
    {
      g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH,
                   _ ("“%s” is not an option of a shader. Use entry=NAME."), query);
      return FALSE;
    }
  entry = vtr_spirv_find_entry (code->spirv, query + strlen ("entry="), 0);
  if (entry == NULL)
    {
      g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH,
                   _ ("This module has no entry point “%s”."), query + strlen ("entry="));
      return FALSE;
    }
  g_free (code->entry);
  code->entry = g_strdup (entry->name);
  code->stage = (VtrShaderStage)entry->stage;
  return TRUE;
}

static JsonNode *
make_form (VtrShaderCode *code, const char *step, GCancellable *cancellable, GError **error)
{
  g_auto (GStrv) parts = g_strsplit (step, "?", 2);

  if (!choose_entry (code, parts[1], error))
    return NULL;
  if (strcmp (parts[0], "glsl") == 0)
    return make_text (code, "glsl", cancellable, error);
  if (strcmp (parts[0], "disassembly") == 0)
    return make_text (code, "disassemble", cancellable, error);
  if (strcmp (parts[0], "reflection") == 0)
    return make_reflection (code, cancellable, error);
  if (strcmp (parts[0], "source") == 0)
    return make_sources (code, error);
  if (strcmp (parts[0], "spirv") == 0)
    return make_binary (code);
  g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH,
               _ ("A shader has no “%s”. Use glsl, disassembly, source, reflection or spirv."),
               step);
  return NULL;
}

JsonNode *
vtr_resolve_object_shader (VtrAnswers       *answers,
                           const VtrObject  *object,
                           char            **steps,
                           GCancellable     *cancellable,
                           GError          **error)
{
  VtrHistory *history = vtr_analysis_get_history (answers->analysis);
  const VtrShowApi *show = vtr_show_api_get (object->type);
  guint32 nth = VTR_SHADER_MODULE;
  g_autoptr (VtrShaderCode) code = NULL;
  g_autoptr (GArray) stages = NULL;
  g_autoptr (GError) reason = NULL;
  JsonNode *node;

  if (show->list_stages != NULL)
    stages = show->list_stages (history, object, &reason);
  if (reason != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&reason));
      return NULL;
    }
  if (stages == NULL)
    {
      g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH,
                   _ ("Object %u is neither a shader nor a pipeline."), object->id);
      return NULL;
    }
  if (!is_by_itself (stages))
    {
      if (!parse_stage (stages, steps[0], &nth, error))
        return NULL;
      steps++;
    }

  if (steps[0] == NULL)
    {
      g_autoptr (VtrShaderList) list =
        vtr_trace_lists_get_shaders (answers->lists, cancellable, error);
      VtrShader *shader = list != NULL ? vtr_shader_list_find (list, object->id, nth) : NULL;

      if (list != NULL && shader == NULL)
        g_set_error_literal (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING,
                             _ ("The trace does not contain this shader."));
      return shader != NULL ? make_shader (history, shader) : NULL;
    }
  code = vtr_shader_code_load (history, object->id, nth, error);
  if (code == NULL)
    return NULL;
  node = make_form (code, steps[0], cancellable, error);
  return node != NULL ? vtr_json_walk (node, steps + 1, "shader", error) : NULL;
}
