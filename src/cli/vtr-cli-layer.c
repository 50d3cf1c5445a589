/* vitrine-cli layer: the capture layer for programs that launchers start. */
#include "vtr-cli.h"

#include "engine/capture/vtr-capture-implicit.h"

#include <stdio.h>

static gboolean json;

static const char *
describe (VtrHostInstallState state)
{
  switch (state)
    {
    case VTR_HOST_INSTALLED:
      return _ ("The layer is installed. Start programs with VITRINE_CAPTURE=1 while Vitrine "
                "waits.");
    case VTR_HOST_OTHER:
      return _ ("The installed layer belongs to another copy of Vitrine. Replace it with "
                "“vitrine-cli layer install”.");
    case VTR_HOST_ABSENT:
    default:
      return _ ("The layer is not installed.");
    }
}

static void
print_state (void)
{
  static const char *const names[] = { "absent", "other", "installed" };
  VtrHostInstallState state = vtr_capture_implicit_get_state ();
  g_autofree char *path = vtr_capture_implicit_get_path ();
  g_autoptr (JsonBuilder) builder = NULL;
  g_autoptr (JsonNode) node = NULL;

  if (!json)
    {
      puts (describe (state));
      return;
    }
  builder = json_builder_new ();
  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "state");
  json_builder_add_string_value (builder, names[state]);
  json_builder_set_member_name (builder, "manifest");
  json_builder_add_string_value (builder, path);
  json_builder_end_object (builder);
  node = json_builder_get_root (builder);
  vtr_cli_print_json (node, FALSE);
}

VtrCliStatus
vtr_cli_layer (int    argc,
               char **argv)
{
  static const GOptionEntry entries[] = {
    { "json", 0, 0, G_OPTION_ARG_NONE, &json, N_ ("Print the state as JSON"), NULL },
    { NULL },
  };
  g_autoptr (GError) error = NULL;
  gboolean done = TRUE;
  VtrCliStatus status;

  if (!vtr_cli_parse ("layer", "install|remove|status",
                      _ ("Installs or removes the capture layer for programs that are started "
                         "elsewhere, such as by Steam with “VITRINE_CAPTURE=1 %command%”. The "
                         "layer is loaded only with that variable, and records only while "
                         "Vitrine waits (vitrine-cli capture --wait)."),
                      entries, 1, 1, &argc, &argv, &status))
    return status;
  if (g_str_equal (argv[1], "install"))
    done = vtr_capture_implicit_install (&error);
  else if (g_str_equal (argv[1], "remove"))
    done = vtr_capture_implicit_remove (&error);
  else if (!g_str_equal (argv[1], "status"))
    return vtr_cli_complain (VTR_CLI_USAGE,
                             _ ("“%s” is not valid. Use install, remove or status."), argv[1]);
  if (!done)
    return vtr_cli_complain (VTR_CLI_FAILED, "%s", error->message);
  print_state ();
  return VTR_CLI_OK;
}
