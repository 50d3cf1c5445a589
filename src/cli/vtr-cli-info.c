/* vitrine-cli info: shows what a trace contains. */
#include "vtr-cli.h"

#include "engine/answers/vtr-json-text.h"
#include "engine/document/vtr-document.h"
#include "engine/format/vtr-trace-header.h"
#include "engine/picture/vtr-image-file.h"

#include <stdio.h>
#include <string.h>

static gboolean json;
static gboolean check;
static char *thumbnail;

static const GOptionEntry entries[] = {
  { "check", 0, 0, G_OPTION_ARG_NONE, &check,
    N_ ("Also show what prevents a replay here"), NULL },
  { "thumbnail", 0, 0, G_OPTION_ARG_FILENAME, &thumbnail,
    N_ ("Also save a thumbnail of the last frame to FILE (PNG)"),
    N_ ("FILE") },
  { "json", 0, 0, G_OPTION_ARG_NONE, &json, N_ ("Print one line of JSON"), NULL },
  { NULL },
};

static void
on_progress (guint64  done,
             guint64  total,
             gpointer data)
{
  vtr_cli_progress (_ ("Reading commands"), done, total);
}

static void
add_string (JsonBuilder *builder,
            const char  *name,
            const char  *value)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_string_value (builder, value != NULL ? value : "");
}

static void
add_int (JsonBuilder *builder,
         const char  *name,
         guint64      value)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_int_value (builder, (gint64)value);
}

static void
add_strings (JsonBuilder        *builder,
             const char         *name,
             const char  *const *values)
{
  json_builder_set_member_name (builder, name);
  json_builder_begin_array (builder);
  for (; values != NULL && *values != NULL; values++)
    json_builder_add_string_value (builder, *values);
  json_builder_end_array (builder);
}

static JsonNode *
describe (VtrTrace    *trace,
          VtrTimeline *timeline)
{
  const VtrTraceInfo *info = vtr_trace_get_info (trace);
  const char *warning = vtr_trace_get_warning (trace);
  g_autoptr (JsonBuilder) builder = json_builder_new ();

  json_builder_begin_object (builder);
  add_string (builder, "path", vtr_trace_get_path (trace));
  add_string (builder, "producer", info->producer);
  add_string (builder, "container", info->container);
  add_string (builder, "apis", info->apis);
  add_string (builder, "application", info->application);
  add_string (builder, "command_line", info->command_line);
  add_string (builder, "device", info->device);
  add_string (builder, "driver", info->driver);
  add_int (builder, "commands",
           vtr_trace_get_n_commands (trace) - vtr_trace_get_n_initial_commands (trace));
  add_int (builder, "frames", vtr_trace_get_n_frames (trace));
  add_int (builder, "submits",
           vtr_timeline_get_n_submissions (timeline) -
             vtr_timeline_get_n_initial_submissions (timeline));
  add_int (builder, "draws", vtr_timeline_get_n_draws (timeline));
  add_int (builder, "dispatches", vtr_timeline_get_n_dispatches (timeline));
  add_int (builder, "resources", vtr_trace_get_n_resources (trace));
  add_int (builder, "observations", vtr_trace_get_n_observations (trace));
  add_int (builder, "initial_commands", vtr_trace_get_n_initial_commands (trace));
  json_builder_set_member_name (builder, "truncated");
  json_builder_add_boolean_value (builder, info->truncated);
  json_builder_set_member_name (builder, "warning");
  if (warning != NULL)
    json_builder_add_string_value (builder, warning);
  else
    json_builder_add_null_value (builder);
  add_int (builder, "bytes", info->bytes);
  add_strings (builder, "changes", info->changes);
  add_strings (builder, "hidden_extensions", info->hidden_extensions);
  add_strings (builder, "trackers", info->trackers);
  add_strings (builder, "notices", info->notices);
  json_builder_end_object (builder);
  return json_builder_get_root (builder);
}

/* The path "compatibility" becomes a member of @node. */
static gboolean
add_compatibility (JsonNode    *node,
                   const char  *path,
                   GError     **error)
{
  g_autoptr (VtrDocument) document =
    vtr_document_open (path, on_progress, NULL, vtr_cli_get_cancellable (), error);
  JsonNode *answer;

  vtr_cli_progress_end ();
  if (document == NULL)
    return FALSE;
  answer = vtr_document_get (document, "compatibility", vtr_cli_get_cancellable (), error);
  if (answer == NULL)
    return FALSE;
  json_object_set_member (json_node_get_object (node), "compatibility", answer);
  return TRUE;
}

static void
print_compatibility (JsonObject *compatibility)
{
  JsonArray *findings = json_object_get_array_member (compatibility, "findings");

  printf ("%-18s %s\n", "replays on", json_object_get_string_member (compatibility, "device"));
  for (guint i = 0; i < json_array_get_length (findings); i++)
    {
      JsonObject *finding = json_array_get_object_element (findings, i);

      printf ("%-18s %s\n", json_object_get_string_member (finding, "level"),
              json_object_get_string_member (finding, "text"));
    }
}

static void
print_text (JsonNode *node)
{
  JsonObject *object = json_node_get_object (node);
  JsonObjectIter iter;
  const char *name;
  JsonNode *value;

  json_object_iter_init_ordered (&iter, object);
  while (json_object_iter_next_ordered (&iter, &name, &value))
    {
      g_autofree char *text = NULL;

      if (JSON_NODE_HOLDS_NULL (value))
        continue;
      if (strcmp (name, "compatibility") == 0)
        {
          print_compatibility (json_node_get_object (value));
          continue;
        }
      if (JSON_NODE_HOLDS_VALUE (value) && json_node_get_value_type (value) == G_TYPE_STRING)
        text = json_node_dup_string (value);
      else
        text = vtr_json_to_text (value, FALSE);
      if (*text != '\0')
        printf ("%-18s %s\n", name, text);
    }
}

/* The thumbnail in the trace, otherwise one that a replay makes. (transfer full) */
static GBytes *
get_thumbnail (VtrTrace  *trace,
               GError   **error)
{
  GBytes *picture = vtr_trace_dup_thumbnail (trace);
  g_autoptr (VtrDocument) document = NULL;

  if (picture != NULL)
    return picture;
  document = vtr_document_open (vtr_trace_get_path (trace), on_progress, NULL,
                                vtr_cli_get_cancellable (), error);
  vtr_cli_progress_end ();
  if (document == NULL)
    return NULL;
  return vtr_document_make_thumbnail (document, vtr_cli_get_cancellable (), error);
}

static VtrCliStatus
write_thumbnail (VtrTrace *trace)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) picture = get_thumbnail (trace, &error);

  if (picture == NULL)
    return vtr_cli_fail (error);
  if (!g_file_set_contents (thumbnail, g_bytes_get_data (picture, NULL),
                            (gssize)g_bytes_get_size (picture), &error))
    return vtr_cli_fail (error);
  return VTR_CLI_OK;
}

VtrCliStatus
vtr_cli_info (int    argc,
              char **argv)
{
  g_autoptr (VtrTrace) trace = NULL;
  g_autoptr (VtrTimeline) timeline = NULL;
  g_autoptr (JsonNode) node = NULL;
  g_autoptr (GError) error = NULL;
  VtrCliStatus status;

  if (!vtr_cli_parse ("info", "FILE", _ ("Shows what a trace contains and where it comes from."),
                      entries, 1, 1, &argc, &argv, &status))
    return status;

  if (thumbnail != NULL && !vtr_image_is_png (thumbnail))
    return vtr_cli_complain (VTR_CLI_USAGE, _ ("--thumbnail writes a PNG: name the file *.png."));

  trace = vtr_trace_open (argv[1], on_progress, NULL, vtr_cli_get_cancellable (), &error);
  if (trace != NULL)
    timeline = vtr_timeline_build (trace, on_progress, NULL, vtr_cli_get_cancellable (), &error);
  if (timeline == NULL)
    return vtr_cli_fail (error);

  vtr_cli_progress_end ();
  node = describe (trace, timeline);
  if (check && !add_compatibility (node, argv[1], &error))
    return vtr_cli_fail (error);
  if (json)
    vtr_cli_print_json (node, FALSE);
  else
    print_text (node);
  return thumbnail != NULL ? write_thumbnail (trace) : VTR_CLI_OK;
}
