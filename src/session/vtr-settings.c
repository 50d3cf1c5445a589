/* Opens the application's GSettings, also in a build tree where the schema is not installed. */
#include "vtr-config.h"

#include "session/vtr-settings.h"

static GSettingsSchema *
look_up (const char *folder)
{
  g_autoptr (GSettingsSchemaSource) source = NULL;

  if (folder == NULL)
    return g_settings_schema_source_lookup (g_settings_schema_source_get_default (), APPLICATION_ID,
                                            TRUE);
  source = g_settings_schema_source_new_from_directory (
    folder, g_settings_schema_source_get_default (), FALSE, NULL);
  return source ? g_settings_schema_source_lookup (source, APPLICATION_ID, FALSE) : NULL;
}

GSettings *
vtr_settings_new (void)
{
  g_autoptr (GSettingsSchema) schema = NULL;

  if (g_settings_schema_source_get_default () != NULL)
    schema = look_up (NULL);
  if (schema == NULL)
    {
      g_autofree char *program = g_file_read_link ("/proc/self/exe", NULL);
      g_autofree char *folder = g_path_get_dirname (program ? program : ".");
      g_autofree char *data = g_build_filename (folder, "..", "data", NULL);

      schema = look_up (data);
    }
  if (schema == NULL)
    g_error (
      "The settings schema %s is not installed: install Vitrine, or run it by “meson devenv”",
      APPLICATION_ID);
  return g_settings_new_full (schema, NULL, NULL);
}

char *
vtr_settings_dup_capture_folder (void)
{
  g_autoptr (GSettings) settings = vtr_settings_new ();
  g_autofree char *folder = g_settings_get_string (settings, "capture-folder");

  if (*folder)
    return g_steal_pointer (&folder);
  return g_build_filename (g_get_home_dir (), "Traces", NULL);
}
