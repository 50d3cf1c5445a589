/* vitrine-cli devices: lists the devices that can replay a trace here. */
#include "vtr-cli.h"

#include "engine/api/vtr-build-api.h"
#include "engine/replay/vtr-replay-backend.h"
#include "engine/replay/vtr-replay-sandbox.h"

#include <stdio.h>

static gboolean json;

static const GOptionEntry entries[] = {
  { "json", 0, 0, G_OPTION_ARG_NONE, &json, N_ ("Print JSON"), NULL },
  { NULL },
};

static void
print_text (const VtrReplayDevice *device)
{
  printf ("%u  %s  (%s; %s; %s)\n", device->index, device->name,
          vtr_replay_device_get_kind_name (device), device->version,
          device->driver[0] != '\0' ? device->driver : _ ("unknown driver"));
}

static void
print_json (GPtrArray              *devices,
            const VtrReplaySandbox *sandbox)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  g_autoptr (JsonNode) node = NULL;

  json_builder_begin_array (builder);
  for (guint i = 0; i < devices->len; i++)
    {
      const VtrReplayDevice *device = g_ptr_array_index (devices, i);

      json_builder_begin_object (builder);
      json_builder_set_member_name (builder, "index");
      json_builder_add_int_value (builder, device->index);
      json_builder_set_member_name (builder, "name");
      json_builder_add_string_value (builder, device->name);
      json_builder_set_member_name (builder, "type");
      json_builder_add_string_value (builder, vtr_replay_device_get_kind_name (device));
      json_builder_set_member_name (builder, "driver");
      json_builder_add_string_value (builder, device->driver);
      if (device->api->build->describe_device != NULL)
        device->api->build->describe_device (device, builder);
      json_builder_set_member_name (builder, "sandbox");
      json_builder_add_string_value (builder, vtr_replay_sandbox_name (sandbox));
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
  node = json_builder_get_root (builder);
  vtr_cli_print_json (node, FALSE);
}

VtrCliStatus
vtr_cli_devices (int    argc,
                 char **argv)
{
  g_autoptr (GPtrArray) devices = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *warning = NULL;
  VtrReplaySandbox sandbox;
  VtrReplayBackend *backend;
  VtrCliStatus status;

  if (!vtr_cli_parse ("devices", "", _ ("Lists the devices that a trace can replay on here."),
                      entries, 0, 0, &argc, &argv, &status))
    return status;
  backend = vtr_replay_process_new (NULL);
  devices = vtr_replay_device_list (backend, vtr_cli_get_cancellable (), &error);
  backend->klass->free (backend);
  if (devices == NULL)
    return vtr_cli_fail (error);
  sandbox = vtr_replay_sandbox_get ();
  warning = vtr_replay_sandbox_explain (&sandbox);
  if (warning != NULL)
    fprintf (stderr, "%s\n", warning);
  if (json)
    print_json (devices, &sandbox);
  for (guint i = 0; !json && i < devices->len; i++)
    print_text (g_ptr_array_index (devices, i));
  return VTR_CLI_OK;
}
