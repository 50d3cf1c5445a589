/* vitrine-cli report: lists the problems of a trace. */
#include "vtr-cli.h"
#include "engine/document/vtr-document.h"

#include "engine/state/vtr-path.h"

#include <stdio.h>

static gboolean json;
static gboolean replay;

static const GOptionEntry entries[] = {
  { "replay", 0, 0, G_OPTION_ARG_NONE, &replay,
    N_ ("Replay the trace with VK_LAYER_KHRONOS_validation"), NULL },
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
print_entry (JsonArray *array,
             guint      i,
             JsonNode  *node,
             gpointer   data)
{
  VtrDocument *document = data;
  JsonObject *entry = json_node_get_object (node);
  const char *level = json_object_get_string_member (entry, "level");
  const char *rule = json_object_get_string_member_with_default (entry, "rule", NULL);
  VtrTrace *trace = vtr_document_get_trace (document);
  guint64 index = vtr_path_read_json_command (trace, json_object_get_member (entry, "command"));

  printf ("%-8s", level);
  if (index != VTR_COMMAND_NO_INDEX)
    {
      g_autofree char *number = vtr_trace_format_number (trace, index);

      printf ("%-9s %s: ", number, json_object_get_string_member (entry, "name"));
    }
  printf ("%s", json_object_get_string_member (entry, "text"));
  if (rule != NULL)
    printf (" [%s]", rule);
  putchar ('\n');
}

VtrCliStatus
vtr_cli_report (int    argc,
                char **argv)
{
  g_autoptr (VtrDocument) document = NULL;
  g_autoptr (JsonNode) node = NULL;
  g_autoptr (GError) error = NULL;
  JsonObject *report;
  VtrCliStatus status;

  if (!vtr_cli_parse ("report", "FILE",
                      _ ("Lists the problems of a trace: calls that failed or never returned, "
                         "and command buffers that were cut off. With --replay, also lists the "
                         "messages of the validation layer, each with its command. The exit "
                         "status is 7 if the report lists errors."),
                      entries, 1, 1, &argc, &argv, &status))
    return status;

  document = vtr_document_open (argv[1], on_progress, NULL, vtr_cli_get_cancellable (), &error);
  if (document == NULL)
    return vtr_cli_fail (error);
  node = vtr_document_get (document, replay ? "report?replay=1" : "report",
                           vtr_cli_get_cancellable (), &error);
  if (node == NULL)
    return vtr_cli_fail (error);

  vtr_cli_progress_end ();
  report = json_node_get_object (node);
  if (json)
    vtr_cli_print_json (node, FALSE);
  else
    json_array_foreach_element (json_object_get_array_member (report, "entries"), print_entry,
                                document);
  return json_object_get_int_member (report, "errors") > 0 ? VTR_CLI_FAULTS : VTR_CLI_OK;
}
