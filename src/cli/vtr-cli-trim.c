/* vitrine-cli trim: removes objects that the frames of a mid-run capture do not need. */
#include "vtr-cli.h"

#include "engine/trim/vtr-trim.h"

#include <stdio.h>

static char *output;
static gboolean as_json;

static const GOptionEntry entries[] = {
  { "output", 'o', 0, G_OPTION_ARG_FILENAME, &output,
    N_ ("Save the trimmed trace here (default: replace FILE)"), N_ ("OUT") },
  { "json", 0, 0, G_OPTION_ARG_NONE, &as_json, N_ ("Print the omitted objects as JSON"), NULL },
  { NULL },
};

static void
add_pair (JsonObject *object,
          const char *name,
          guint64     before,
          guint64     after)
{
  JsonObject *pair = json_object_new ();

  json_object_set_int_member (pair, "before", (gint64)before);
  json_object_set_int_member (pair, "after", (gint64)after);
  json_object_set_object_member (object, name, pair);
}

static void
print_facts (const VtrTrimFacts *facts)
{
  g_autofree char *before = g_format_size (facts->bytes_before);
  g_autofree char *after = g_format_size (facts->bytes_after);

  if (as_json)
    {
      g_autoptr (JsonNode) node = json_node_new (JSON_NODE_OBJECT);
      JsonObject *object = json_object_new ();

      add_pair (object, "objects", facts->objects_before, facts->objects_after);
      add_pair (object, "commands", facts->commands_before, facts->commands_after);
      add_pair (object, "bytes", facts->bytes_before, facts->bytes_after);
      json_node_take_object (node, object);
      vtr_cli_print_json (node, FALSE);
    }
  else if (facts->commands_before == 0)
    puts (_ ("The trace begins at the program’s launch, so nothing in it can be left out."));
  else
    printf (_ ("Kept %s of %s objects; %s became %s.\n"), VTR_NUMBER (facts->objects_after),
            VTR_NUMBER (facts->objects_before), before, after);
}

VtrCliStatus
vtr_cli_trim (int    argc,
              char **argv)
{
  g_autoptr (GError) error = NULL;
  VtrTrimFacts facts = { 0 };
  VtrCliStatus status;

  if (!vtr_cli_parse ("trim", "FILE",
                      _ ("Removes the objects that the frames do not need from a trace captured "
                         "in the middle of a run."),
                      entries, 1, 1, &argc, &argv, &status))
    return status;
  if (!vtr_trim (argv[1], output != NULL ? output : argv[1], &facts, vtr_cli_get_cancellable (),
                 &error))
    return vtr_cli_fail (error);
  print_facts (&facts);
  return VTR_CLI_OK;
}
