/* vitrine-cli recover: completes traces of interrupted captures. */
#include "vtr-cli.h"

#include "engine/capture/vtr-capture-recover.h"
#include "engine/format/vtr-trace-part.h"

#include <stdio.h>
#include <unistd.h>

static void
print_json (char **paths)
{
  g_autoptr (JsonNode) node = json_node_new (JSON_NODE_ARRAY);
  JsonArray *array = json_array_new ();

  for (char **path = paths; *path != NULL; path++)
    json_array_add_string_element (array, *path);
  json_node_take_array (node, array);
  vtr_cli_print_json (node, FALSE);
}

/* Lists unfinished files in the working folder that no ring or journal names: from an older
 * Vitrine, or another computer. They are completed only if the user names them. */
static void
tell_strangers (void)
{
  g_autoptr (GDir) dir = g_dir_open (".", 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      VtrRecordingId id;

      if (g_str_has_suffix (name, ".part") && vtr_trace_part_read_recording (name, &id))
        fprintf (stderr,
                 _ ("vitrine-cli: “%s” was left as it is. To complete it: vitrine-cli recover "
                    "FILE\n"),
                 name);
    }
}

VtrCliStatus
vtr_cli_recover (int    argc,
                 char **argv)
{
  static gboolean as_json;
  static const GOptionEntry recover_entries[] = {
    { "json", 0, 0, G_OPTION_ARG_NONE, &as_json, N_ ("List the traces as JSON"), NULL },
    { NULL },
  };
  g_autoptr (GError) error = NULL;
  g_autoptr (VtrCaptureRecovery) recovery = NULL;
  VtrCliStatus status;

  if (!vtr_cli_parse ("recover", "[FILE…]",
                      _ ("Completes your traces that are unfinished because Vitrine or the "
                         "program ended unexpectedly. With FILE, completes those unfinished "
                         "files, even from another computer."),
                      recover_entries, 0, G_MAXINT, &argc, &argv, &status))
    return status;

  recovery = argc > 1 ? vtr_capture_recover_files ((const char *const *)argv + 1, &error)
                      : vtr_capture_recover (&error);
  if (recovery == NULL)
    return vtr_cli_fail (error);

  if (as_json)
    print_json (recovery->paths);
  else if (recovery->paths[0] == NULL && recovery->n_failed == 0)
    puts (_ ("Nothing to recover."));
  else
    for (char **path = recovery->paths; *path != NULL; path++)
      printf (_ ("Recovered %s\n"), *path);
  for (guint i = 0; i < recovery->notices->len; i++)
    fprintf (stderr, "vitrine-cli: %s\n", (char *)g_ptr_array_index (recovery->notices, i));
  if (argc <= 1)
    tell_strangers ();
  return recovery->n_failed > 0 ? VTR_CLI_FAILED : VTR_CLI_OK;
}
