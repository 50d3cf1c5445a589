/* vitrine-cli devices: lists the devices that can replay a trace here. */
#include "vtr-cli.h"

#include "engine/api/vtr-show-api.h"
#include "engine/replay/vtr-replay-backend.h"
#include "engine/replay/vtr-replay-sandbox.h"

#include <stdio.h>

static gboolean json;

static const GOptionEntry entries[] = {
  { "json", 0, 0, G_OPTION_ARG_NONE, &json, N_ ("Print JSON"), NULL },
  { NULL },
};

/* By the API that has versions of devices. (transfer full) */
static char *
format_version (guint32 version)
{
  for (guint i = 0; vtr_apis[i] != NULL; i++)
    if (vtr_apis[i]->show != NULL && vtr_apis[i]->show->format_version != NULL)
      return vtr_apis[i]->show->format_version (version);
  return g_strdup ("?");
}

static void
print_text (const VtrReplayDevice *device)
{
  g_autofree char *version = format_version (device->properties.apiVersion);

  printf ("%u  %s  (%s; Vulkan %s; %s)\n", device->index, device->properties.deviceName,
          vtr_replay_device_get_type (device), version,
          device->driver[0] != '\0' ? device->driver : _ ("unknown driver"));
}

static void
add_number (JsonBuilder *builder,
            const char  *name,
            gint64       value)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_int_value (builder, value);
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
      add_number (builder, "index", device->index);
      json_builder_set_member_name (builder, "name");
      json_builder_add_string_value (builder, device->properties.deviceName);
      json_builder_set_member_name (builder, "type");
      json_builder_add_string_value (builder, vtr_replay_device_get_type (device));
      json_builder_set_member_name (builder, "driver");
      json_builder_add_string_value (builder, device->driver);
      add_number (builder, "vendor", device->properties.vendorID);
      add_number (builder, "device", device->properties.deviceID);
      add_number (builder, "api_version", device->properties.apiVersion);
      add_number (builder, "memory_types", device->memory.memoryTypeCount);
      add_number (builder, "queue_families", device->n_families);
      add_number (builder, "extensions", g_strv_length (device->extensions));
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
