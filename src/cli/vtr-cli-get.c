/* vitrine-cli get: prints the answer to a path. */
#include "vtr-cli-edit.h"
#include "vtr-cli.h"

#include "engine/answers/vtr-memory-path.h"
#include "engine/document/vtr-document.h"

#include <stdio.h>
#include <string.h>

static gboolean json;
static gboolean raw;
static char *output;

static const GOptionEntry entries[] = {
  { "json", 0, 0, G_OPTION_ARG_NONE, &json, N_ ("Print one line of JSON"), NULL },
  { "raw", 0, 0, G_OPTION_ARG_NONE, &raw,
    N_ ("Write the raw bytes of a memory range to --output"), NULL },
  VTR_CLI_EDIT_ENTRIES,
  { "output", 'o', 0, G_OPTION_ARG_FILENAME, &output,
    N_ ("Write to FILE; “-” is standard output"), N_ ("FILE|-") },
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

/* Writes the bytes of commands/N/memory/POOL/RANGE. The file is written completely or not at
 * all. */
static VtrCliStatus
write_raw (VtrDocument *document,
           const char  *path)
{
  g_autoptr (VtrMemoryView) view = NULL;
  g_autoptr (GError) error = NULL;
  VtrMemoryTypeQuery type = { 0 };
  VtrMemoryQuery query;

  if (!vtr_memory_query_parse (vtr_document_get_replay_session (document), path, &query, &type,
                               &error))
    return vtr_cli_fail (error);
  vtr_memory_type_query_clear (&type);
  view = vtr_replay_session_get_memory_view (vtr_document_get_replay_session (document), &query,
                                             vtr_cli_get_cancellable (), &error);
  if (view == NULL)
    return vtr_cli_fail (error);
  vtr_cli_progress_end ();
  if (!vtr_cli_write (output, view->bytes, &error))
    return vtr_cli_fail (error);
  return VTR_CLI_OK;
}

/* @path with the requested edits. Edits change only bytes that a replay reads back. */
static char *
add_edits (VtrDocument  *document,
           const char   *path,
           GError      **error)
{
  g_autofree char *options = vtr_cli_edit_format (document, error);

  if (options == NULL)
    return NULL;
  if (*options != '\0' && strstr (path, "/memory/") == NULL && strstr (path, "/buffers/") == NULL)
    {
      g_set_error_literal (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH,
                           _ ("With edits, only bytes that a replay reads back are available: "
                              "commands/N/memory/POOL/RANGE and commands/N/buffers/ID."));
      return NULL;
    }
  return vtr_cli_edit_append (path, options);
}

VtrCliStatus
vtr_cli_get (int    argc,
             char **argv)
{
  g_autoptr (VtrDocument) document = NULL;
  g_autoptr (JsonNode) node = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *path = NULL;
  const char *fault;
  VtrCliStatus status;

  if (!vtr_cli_parse ("get", "FILE PATH",
                      _ ("Prints the call, parameter or state that a path names. Paths: info, "
                         "report, report?replay=1, compatibility, devices, resources, shaders, "
                         "textures, objects, objects/N, objects/N/shader/glsl, frames/N, "
                         "frames/N/timings, frames/N/statistics, submits/N, commands/N; after "
                         "commands/N: /parameters/pCreateInfo/…, /result, /runs, /state, /bound, "
                         "/shaders, /textures, /framebuffer, /images/ID, /buffers/ID, /timings, "
                         "/memory, /memory/POOL/0xFIRST-0xEND?read=replay&type=vec4 (type=auto: "
                         "as the bound shaders declare it). initial/N takes the same paths, for "
                         "the calls that restore the state before the first call."),
                      entries, 2, 2, &argc, &argv, &status))
    return status;

  if (raw && output == NULL)
    return vtr_cli_complain (VTR_CLI_USAGE, _ ("--raw needs a file to write to: --output FILE."));
  if (!raw && output != NULL)
    return vtr_cli_complain (VTR_CLI_USAGE, _ ("Use --output only with --raw."));
  fault = vtr_cli_find_stdout_fault (vtr_cli_is_stdout (output), FALSE);
  if (fault != NULL)
    return vtr_cli_complain (VTR_CLI_USAGE, "%s", fault);
  document = vtr_document_open (argv[1], on_progress, NULL, vtr_cli_get_cancellable (), &error);
  if (document == NULL)
    return vtr_cli_fail (error);
  path = add_edits (document, argv[2], &error);
  if (path == NULL)
    return vtr_cli_fail (error);
  if (raw)
    return write_raw (document, path);
  node = vtr_document_get (document, path, vtr_cli_get_cancellable (), &error);
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
