/* vitrine-cli get: anything that has a path. */
#include "vtr-cli.h"

#include "engine/resolve/vtr-document.h"

#include <stdio.h>

static gboolean json;

static const GOptionEntry entries[] = {
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
print_scalar (JsonNode *node)
{
  GType type = json_node_get_value_type (node);

  if (type == G_TYPE_STRING)
    puts (json_node_get_string (node));
  else
    vtr_cli_print_json (node, TRUE);
}

VtrCliStatus
vtr_cli_get (int    argc,
             char **argv)
{
  g_autoptr (VtrDocument) document = NULL;
  g_autoptr (JsonNode) node = NULL;
  g_autoptr (GError) error = NULL;
  VtrCliStatus status;

  if (!vtr_cli_parse ("get", "FILE PATH",
                      _ ("Prints what a path names. Paths: info, report, frames/N, objects, "
                         "objects/N, commands/N, commands/N/parameters/pCreateInfo/…, "
                         "commands/N/result, commands/N/state, commands/N/bound, "
                         "commands/N/shaders, commands/N/textures, shaders, textures, objects/N/shader/glsl."),
                      entries, 2, 2, &argc, &argv, &status))
    return status;

  document = vtr_document_open (argv[1], on_progress, NULL, vtr_cli_get_cancellable (), &error);
  if (document == NULL)
    return vtr_cli_fail (error);
  node = vtr_document_get (document, argv[2], vtr_cli_get_cancellable (), &error);
  if (node == NULL)
    return vtr_cli_fail (error);

  vtr_cli_progress_end ();
  if (json)
    vtr_cli_print_json (node, FALSE);
  else if (JSON_NODE_HOLDS_VALUE (node))
    print_scalar (node);
  else
    vtr_cli_print_json (node, TRUE);
  return VTR_CLI_OK;
}
