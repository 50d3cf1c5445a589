/* Answers commands/N and everything below it, except for the bound state. */
#include "engine/answers/vtr-resolve.h"

#include "engine/format/vtr-content-record.h"
#include "engine/format/vtr-foreign-command.h"
#include "engine/api/vtr-show-api.h"
#include "engine/state/vtr-bound-json.h"

#include "api/vtr-api-print.h"

#include <glib/gi18n.h>
#include <string.h>

static JsonNode *
make_parameters (VtrTrace         *trace,
                 const VtrCommand *command)
{
  const VtrApiEnv env = vtr_trace_get_env (trace);
  VtrBuffer text = { 0 };
  JsonNode *node;

  vtr_command_json (command, &env, &text);
  node = vtr_json_parse (&text);
  vtr_buffer_finish (&text);
  return node;
}

static JsonNode *
make_result (const VtrCommand *command)
{
  VtrBuffer text = { 0 };
  JsonNode *node;

  if (!command->has_result)
    return json_node_new (JSON_NODE_NULL);
  vtr_command_json_result (command, &text);
  /* A bare value is no JSON document for the parser: wrap it. */
  {
    VtrBuffer wrapped = { 0 };
    g_autoptr (JsonNode) array = NULL;

    vtr_buffer_append (&wrapped, "[", 1);
    vtr_buffer_append (&wrapped, text.data, text.size);
    vtr_buffer_append (&wrapped, "]", 1);
    array = vtr_json_parse (&wrapped);
    vtr_buffer_finish (&wrapped);
    node = JSON_NODE_HOLDS_ARRAY (array)
             ? json_node_ref (json_array_get_element (json_node_get_array (array), 0))
             : json_node_new (JSON_NODE_NULL);
  }
  vtr_buffer_finish (&text);
  return node;
}

static JsonNode *
make_flags (guint32 flags)
{
  static const struct
  {
    guint32 bit;
    const char *name;
  } names[] = {
    { VTR_COMMAND_ABANDONED, "abandoned" },
    { VTR_COMMAND_UNFINISHED, "unfinished" },
    { VTR_COMMAND_PENDING, "pending" },
    { VTR_COMMAND_IN_BLOCK, "recorded" },
    { VTR_COMMAND_DIED, "died" },
    { VTR_COMMAND_DAMAGED, "damaged" },
    { VTR_COMMAND_INITIAL, "initial" },
    { VTR_COMMAND_OPAQUE, "opaque" },
    { VTR_COMMAND_UNREADABLE, "unreadable" },
  };
  JsonArray *array = json_array_new ();

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if ((flags & names[i].bit) != 0)
      json_array_add_string_element (array, names[i].name);
  return vtr_json_take_array (array);
}

static JsonNode *
make_observations (const VtrCommand *command)
{
  JsonArray *array = json_array_new ();

  for (gsize i = 0; command->decoded != NULL && i < command->decoded->n_observations; i++)
    {
      const VtrObservation *observation = &command->decoded->observations[i];
      JsonObject *object = json_object_new ();

      vtr_json_set_hex (object, "base", observation->base);
      json_object_set_int_member (object, "size", (gint64)observation->size);
      json_object_set_boolean_member (object, "write", observation->write);
      if (observation->resource != 0)
        json_object_set_int_member (object, "resource", (gint64)observation->resource);
      else
        json_object_set_null_member (object, "resource");
      json_object_set_boolean_member (object, "missing", observation->data == NULL);
      json_array_add_object_element (array, object);
    }
  return vtr_json_take_array (array);
}

static gboolean
list_contents (const VtrContentRecord *write, gsize nth, gpointer data, GError **error)
{
  const VtrTexelContents *texels = write->texels;
  g_autofree char *text = NULL;
  JsonObject *object;

  if (texels == NULL)
    return TRUE;
  text = g_base64_encode (write->data, write->size);
  object = json_object_new ();
  json_object_set_string_member (
    object, "kind",
    write->kind == VTR_HANDLE_NONE
      ? ""
      : vtr_api_string (vtr_handle_get ((VtrHandleId)write->kind)->name));
  json_object_set_int_member (object, "namespace", texels->namespace);
  vtr_json_set_hex (object, "name", texels->name);
  json_object_set_string_member (object, "format", texels->format);
  json_object_set_int_member (object, "width", texels->width);
  json_object_set_int_member (object, "height", texels->height);
  json_object_set_string_member (object, "base64", text);
  json_array_add_object_element (data, object);
  return TRUE;
}

/* Contents of images that stand before the command, of APIs whose contents are neutral. */
static JsonNode *
make_contents (VtrTrace *trace, const VtrCommand *command, GError **error)
{
  JsonArray *array = json_array_new ();

  if (vtr_trace_each_content (trace, command->index, TRUE, list_contents, array, error))
    return vtr_json_take_array (array);
  json_array_unref (array);
  return NULL;
}

/* Bytes of one observation, for the memory view. */
static JsonNode *
make_observation_bytes (const VtrCommand *command, guint64 nth)
{
  const VtrObservation *observation = &command->decoded->observations[nth];
  g_autofree char *text = NULL;

  if (observation->data == NULL)
    return json_node_new (JSON_NODE_NULL);
  text = g_base64_encode (observation->data, observation->size);
  return json_node_init_string (json_node_alloc (), text);
}

static JsonNode *
make_runs (VtrAnswers *answers, guint64 index)
{
  VtrTimeline *timeline = vtr_analysis_get_timeline (answers->analysis);
  guint32 recording = vtr_timeline_find_recording (timeline, index);
  JsonArray *array = json_array_new ();
  const VtrRun *run;

  for (guint32 k = 0; recording != VTR_NO_RECORDING && k < 1000 &&
                      (run = vtr_timeline_find_run (timeline, recording, k)) != NULL;
       k++)
    {
      VtrPlace address = {
        .index = index,
        .run = (guint32)(run - vtr_timeline_get_run (timeline, 0)),
      };
      g_autofree char *text = vtr_path_format_command (timeline, &address);

      json_array_add_string_element (array, text);
    }
  return vtr_json_take_array (array);
}

/* The contents are of the first API that has any to tell. */
static JsonNode *
make_mapped_writes (VtrAnswers *answers, guint64 index, GError **error)
{
  for (guint i = 0; vtr_apis[i] != NULL; i++)
    if (vtr_apis[i]->show != NULL && vtr_apis[i]->show->describe_writes != NULL)
      return vtr_apis[i]->show->describe_writes (answers->analysis, index, error);
  return vtr_json_take_array (json_array_new ());
}

/* The namespace of the command; nothing for commands that are in none. */
static void
set_namespace (const VtrCommand *command, JsonObject *object)
{
  JsonArray *array;

  if (command->namespace == NULL)
    return;
  array = json_array_new ();
  for (const VtrNamespaceInfo *info = command->namespace; info != NULL; info = info->parent)
    {
      JsonObject *level = json_object_new ();

      json_object_set_int_member (level, "number", info->number);
      json_object_set_string_member (level, "scope", vtr_namespace_name_scope (info->scope));
      if (info->name != 0)
        vtr_json_set_hex (level, "name", info->name);
      json_array_add_object_element (array, level);
    }
  json_object_set_array_member (object, "namespaces", array);
}

static void
set_recording (VtrAnswers *answers, guint64 index, JsonObject *object)
{
  VtrTimeline *timeline = vtr_analysis_get_timeline (answers->analysis);
  guint32 nth = vtr_timeline_find_recording (timeline, index);
  const VtrShowApi *show = vtr_show_api_get (
    vtr_trace_get_command_id (vtr_analysis_get_trace (answers->analysis), index));
  const VtrRecording *recording;

  if (nth == VTR_NO_RECORDING)
    {
      json_object_set_null_member (object, "commandBuffer");
      return;
    }
  recording = vtr_timeline_get_recording (timeline, nth);
  json_object_set_member (object, "commandBuffer",
                          vtr_json_handle (vtr_analysis_get_history (answers->analysis),
                                           show->list_kind, recording->list, index));
  json_object_set_int_member (object, "submissions", recording->n_runs);
}

static JsonNode *
make_command (VtrAnswers *answers, const VtrCommand *command)
{
  JsonObject *object = json_object_new ();
  VtrTrace *trace = vtr_analysis_get_trace (answers->analysis);

  json_object_set_member (object, "index", vtr_json_command (trace, command->index));
  json_object_set_string_member (object, "name",
                                 vtr_trace_get_command_name (trace, command->index));
  json_object_set_int_member (object, "thread", (gint64)command->thread);
  json_object_set_int_member (object, "frame",
                              (gint64)vtr_trace_get_frame_of (trace, command->index));
  json_object_set_member (object, "parameters", make_parameters (trace, command));
  json_object_set_member (object, "result", make_result (command));
  json_object_set_member (
    object, "flags", make_flags (command->flags | vtr_trace_get_flags (trace, command->index)));
  json_object_set_int_member (object, "time", (gint64)command->time);
  set_recording (answers, command->index, object);
  set_namespace (command, object);
  return vtr_json_take_object (object);
}

static JsonNode *
resolve_observations (const VtrCommand *command, char **steps, const char *path, GError **error)
{
  gsize n = command->decoded != NULL ? command->decoded->n_observations : 0;
  guint64 nth;

  if (steps[0] == NULL || steps[1] == NULL || strcmp (steps[1], "bytes") != 0)
    return vtr_json_walk (make_observations (command), steps, path, error);
  if (!vtr_path_parse_number (steps[0], _ ("observation of this command"), n, &nth, error))
    return NULL;
  return vtr_json_walk (make_observation_bytes (command, nth), steps + 2, path, error);
}

static JsonNode *
make_attachments (VtrAnswers *answers, const VtrPlace *address, GError **error)
{
  g_autoptr (GArray) list =
    vtr_targets_list (vtr_analysis_get_memory (answers->analysis), address, TRUE, error);
  JsonArray *array;

  if (list == NULL || list->len == 0)
    return NULL;
  array = json_array_new ();
  for (guint i = 0; i < list->len; i++)
    {
      const VtrTarget *info = &g_array_index (list, VtrTarget, i);
      const VtrObject *image =
        vtr_history_get_object (vtr_analysis_get_history (answers->analysis), info->object);
      g_autofree char *name = vtr_attachment_kind_to_string (info->kind);
      JsonObject *object = json_object_new ();

      json_object_set_string_member (object, "attachment", name);
      if (info->format != NULL)
        json_object_set_string_member (object, "format", info->format->name);
      else
        json_object_set_null_member (object, "format");
      json_object_set_int_member (object, "width", info->width);
      json_object_set_int_member (object, "height", info->height);
      json_object_set_int_member (object, "samples", info->samples);
      json_object_set_int_member (object, "mip", info->part.level);
      json_object_set_int_member (object, "layer", info->part.layer);
      json_object_set_int_member (object, "layers", info->n_layers);
      json_object_set_member (
        object, "image",
        image != NULL ? vtr_json_object_ref (vtr_analysis_get_history (answers->analysis), image)
                      : json_node_new (JSON_NODE_NULL));
      json_array_add_object_element (array, object);
    }
  return vtr_json_take_array (array);
}

/* Answers that need the decoded command. */
static JsonNode *
resolve_decoded (VtrAnswers      *answers,
                 const VtrPlace  *address,
                 char           **steps,
                 const char      *path,
                 GError         **error)
{
  VtrTrace *trace = vtr_analysis_get_trace (answers->analysis);
  JsonNode *node = NULL;
  VtrCommand command;
  VtrArena arena;

  vtr_arena_init (&arena);
  if (vtr_trace_decode (trace, address->index, &arena, &command, error))
    {
      if (steps[0] == NULL)
        node = make_command (answers, &command);
      else if (strcmp (steps[0], "parameters") == 0)
        node = vtr_json_walk (make_parameters (trace, &command), steps + 1, path, error);
      else if (strcmp (steps[0], "result") == 0)
        node = vtr_json_walk (make_result (&command), steps + 1, path, error);
      else if (strcmp (steps[0], "observations") == 0)
        node = resolve_observations (&command, steps + 1, path, error);
      else if (strcmp (steps[0], "contents") == 0)
        {
          node = make_contents (trace, &command, error);
          if (node != NULL)
            node = vtr_json_walk (node, steps + 1, path, error);
        }
      else
        {
          g_autofree char *whole =
            vtr_trace_format_command (trace, address->index);
          g_autoptr (GError) reason = NULL;

          node = vtr_json_walk (make_command (answers, &command), steps, whole, &reason);
          if (node == NULL)
            g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH,
                         _ ("%s Also: state, bound, observations, runs, framebuffer, "
                            "memory, shaders, textures, mapped-writes."),
                         reason->message);
        }
    }
  vtr_arena_finish (&arena);
  return node;
}

static JsonNode *
resolve_below (VtrAnswers      *answers,
               const VtrPlace  *address,
               char           **steps,
               const char      *path,
               GCancellable    *cancellable,
               GError         **error)
{
  JsonNode *node;

  if (steps[0] == NULL)
    return resolve_decoded (answers, address, steps, path, error);
  if (strcmp (steps[0], "images") == 0)
    return vtr_resolve_images_at (answers, address, steps + 1, error);
  if (strcmp (steps[0], "buffers") == 0)
    return vtr_resolve_buffers_at (answers, address, steps + 1, cancellable, error);
  if (strcmp (steps[0], "memory") == 0)
    return vtr_resolve_memory (answers, address, steps + 1, path, cancellable, error);
  if (vtr_path_is_timings (steps[0]))
    return vtr_resolve_timings_at (answers, address, steps, cancellable, error);
  if (strcmp (steps[0], "state") == 0)
    return vtr_resolve_state (answers, address, steps + 1, cancellable, error);
  if (strcmp (steps[0], "bound") == 0)
    node = vtr_bound_to_json (answers->analysis, address, error);
  else if (strcmp (steps[0], "runs") == 0)
    node = make_runs (answers, address->index);
  else if (strcmp (steps[0], "framebuffer") == 0)
    node = make_attachments (answers, address, error);
  else if (strcmp (steps[0], "shaders") == 0)
    node = vtr_resolve_shaders_at (answers, address->index, error);
  else if (strcmp (steps[0], "textures") == 0)
    node = vtr_resolve_textures_at (answers, address, cancellable, error);
  else if (strcmp (steps[0], "mapped-writes") == 0)
    node = make_mapped_writes (answers, address->index, error);
  else
    return resolve_decoded (answers, address, steps, path, error);
  return node != NULL ? vtr_json_walk (node, steps + 1, path, error) : NULL;
}

JsonNode *
vtr_resolve_command (
  VtrAnswers *answers, char **steps, GCancellable *cancellable, gsize *cost, GError **error)
{
  VtrTrace *trace = vtr_analysis_get_trace (answers->analysis);
  guint64 n_initial = vtr_trace_get_n_initial_commands (trace);
  VtrPlace address;
  g_autofree char *path = NULL;

  if (steps[1] == NULL)
    {
      JsonObject *object = json_object_new ();
      guint64 count = strcmp (steps[0], "initial") == 0
                        ? n_initial
                        : vtr_trace_get_n_commands (trace) - n_initial;

      json_object_set_int_member (object, "count", (gint64)count);
      return vtr_json_take_object (object);
    }
  if (!vtr_path_parse_command_steps (vtr_analysis_get_timeline (answers->analysis), steps, &address,
                                     error))
    return NULL;
  path = steps[2] != NULL ? g_strdup_printf ("%s/%s/%s", steps[0], steps[1], steps[2])
                          : g_strdup_printf ("%s/%s", steps[0], steps[1]);
  return resolve_below (answers, &address, steps + 2, path, cancellable, error);
}
