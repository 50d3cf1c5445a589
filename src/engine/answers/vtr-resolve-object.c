/* Answers objects and objects/ID; shader and texture below it are answered elsewhere. */
#include "engine/answers/vtr-resolve.h"
#include "engine/api/vtr-show-api.h"
#include "base/vtr-number.h"
#include "engine/state/vtr-image-facts.h"

#include "api/vtr-api-print.h"

#include <glib/gi18n.h>
#include <string.h>

/* How many objects of each type. */
static JsonNode *
make_summary (VtrHistory *history)
{
  guint32 n = vtr_history_get_n_objects (history);
  g_autofree guint32 *counts = g_new0 (guint32, VTR_N_HANDLES);
  JsonObject *object = json_object_new (), *types = json_object_new ();

  for (guint32 id = 1; id <= n; id++)
    counts[vtr_handle_index (vtr_history_get_object (history, id)->type)]++;
  for (guint i = 0; i < VTR_N_HANDLES; i++)
    if (counts[i] > 0)
      json_object_set_int_member (
        types, vtr_api_string (vtr_handle_get (vtr_handle_at (i))->name), counts[i]);
  json_object_set_int_member (object, "count", n);
  json_object_set_object_member (object, "types", types);
  return vtr_json_take_object (object);
}

static JsonNode *
make_list (VtrHistory *history, GArray *ids)
{
  JsonArray *array = json_array_new ();

  for (guint i = 0; i < ids->len; i++)
    json_array_add_element (
      array, vtr_json_object_ref (
               history, vtr_history_get_object (history, g_array_index (ids, guint32, i))));
  return vtr_json_take_array (array);
}

static JsonNode *
make_creation (VtrHistory *history, const VtrObject *object)
{
  VtrTrace *trace = vtr_history_get_trace (history);
  const VtrApiEnv env = vtr_trace_get_env (trace);
  VtrBuffer text = { 0 };
  JsonObject *json = json_object_new ();
  VtrCommand command;
  VtrArena arena;

  vtr_arena_init (&arena);
  json_object_set_member (json, "index", vtr_json_command (trace, object->created));
  json_object_set_int_member (json, "element", object->element);
  if (vtr_history_decode_creation (history, object, &arena, &command, NULL))
    {
      json_object_set_string_member (json, "name", vtr_command_name (command.id));
      vtr_api_json (command.id, command.args, command.decoded, &env, &text);
    }
  json_object_set_member (json, "parameters", vtr_json_parse (&text));
  vtr_buffer_finish (&text);
  vtr_arena_finish (&arena);
  return vtr_json_take_object (json);
}

static JsonNode *
make_object (VtrHistory *history, const VtrObject *object)
{
  VtrTrace *trace = vtr_history_get_trace (history);
  JsonNode *node = vtr_json_object_ref (history, object);
  JsonObject *json = json_node_get_object (node);
  const VtrObject *parent = vtr_history_get_object (history, object->parent);
  g_autoptr (GArray) children = vtr_history_list_children (history, object->id);
  const VtrShowApi *show = vtr_show_api_get (object->type);
  VtrImageFacts image;

  json_object_set_member (json, "created", vtr_json_command (trace, object->created));
  json_object_set_member (json, "destroyed", vtr_json_command (trace, object->destroyed));
  json_object_set_member (json, "parent",
                          parent != NULL ? vtr_json_object_ref (history, parent)
                                         : json_node_new (JSON_NODE_NULL));
  json_object_set_member (
    json, "memoryBoundBy",
    vtr_json_command (trace, show->find_binding != NULL ? show->find_binding (history, object)
                                                        : VTR_COMMAND_NO_INDEX));
  json_object_set_member (json, "creation", make_creation (history, object));
  json_object_set_member (json, "children", make_list (history, children));
  if (vtr_image_facts_get (history, object, &image, NULL))
    {
      JsonObject *info = json_object_new ();

      if (image.format != NULL)
        json_object_set_string_member (info, "format", image.format);
      json_object_set_int_member (info, "width", image.width);
      json_object_set_int_member (info, "height", image.height);
      json_object_set_int_member (info, "depth", image.depth);
      json_object_set_int_member (info, "mipLevels", image.mip_levels);
      json_object_set_int_member (info, "arrayLayers", image.array_layers);
      json_object_set_int_member (info, "samples", image.samples);
      json_object_set_boolean_member (info, "swapchain", image.presented);
      json_object_set_object_member (json, "image", info);
    }
  return node;
}

JsonNode *
vtr_resolve_objects (
  VtrAnswers *answers, char **steps, GCancellable *cancellable, GError **error)
{
  VtrHistory *history = vtr_analysis_get_history (answers->analysis);
  const VtrObject *object;
  VtrHandleId type;
  guint64 id;

  if (steps[0] == NULL)
    return make_summary (history);

  type = vtr_handle_from_name (steps[0]);
  if (type != VTR_HANDLE_NONE)
    {
      g_autoptr (GArray) ids = vtr_history_list (history, type);

      return vtr_json_walk (make_list (history, ids), steps + 1, steps[0], error);
    }
  if (!vtr_parse_number (steps[0], 10, 1, vtr_history_get_n_objects (history), &id))
    {
      g_set_error (
        error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH,
        _ ("“%s” is not a valid object. Use a number from 1 to %u, or a type such as VkImage."),
        steps[0], vtr_history_get_n_objects (history));
      return NULL;
    }
  object = vtr_history_get_object (history, (guint32)id);
  if (steps[1] != NULL && strcmp (steps[1], "shader") == 0)
    return vtr_resolve_object_shader (answers, object, steps + 2, cancellable, error);
  if (steps[1] != NULL && strcmp (steps[1], "texture") == 0)
    {
      JsonNode *node = vtr_resolve_object_texture (answers, object, cancellable, error);

      return node != NULL ? vtr_json_walk (node, steps + 2, "texture", error) : NULL;
    }
  return vtr_json_walk (make_object (history, object), steps + 1, "objects", error);
}
