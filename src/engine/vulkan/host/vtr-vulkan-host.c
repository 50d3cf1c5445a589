/* Gets the capture layer into programs that are launched, and says why it may not get there. */
#include "engine/vulkan/host/vtr-vulkan-host.h"

#include "engine/api/vtr-launch-environment.h"
#include "vtr-config.h"
#include "vulkan/vtr-vulkan-formats.h"

#include <glib/gi18n-lib.h>

#define MANIFEST "VkLayer_vitrine.json"

char *
vtr_vulkan_find_layer (GError **error)
{
  char *found = vtr_launch_find_folder (MANIFEST);

  if (found == NULL)
    g_set_error (error, VTR_CAPTURE_ERROR, VTR_CAPTURE_ERROR_LAYER,
                 _ ("The capture layer is missing: there is no %s in “%s”. Install Vitrine again, "
                    "or set "
                    "VITRINE_LAYER_DIR."),
                 MANIFEST, vtr_launch_get_searched_folder ());
  return found;
}

static gboolean
has_manifest (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_suffix (name, ".json"))
      return TRUE;
  return FALSE;
}

static gboolean
has_manifest_in (const char *const *bases)
{
  for (; *bases != NULL; bases++)
    {
      g_autofree char *folder = g_build_filename (*bases, "vulkan", "icd.d", NULL);

      if (has_manifest (folder))
        return TRUE;
    }
  return FALSE;
}

/* Whether the loader will find a driver's manifest. */
static gboolean
has_driver (void)
{
  static const char *const variables[] = { "VK_DRIVER_FILES", "VK_ICD_FILENAMES" };
  static const char *const fixed[] = { "/etc", "/usr/local/etc", "/usr/local/share", "/usr/share",
                                       NULL };
  const char *const users[] = { g_get_user_config_dir (), g_get_user_data_dir (), NULL };

  for (guint i = 0; i < G_N_ELEMENTS (variables); i++)
    {
      const char *value = g_getenv (variables[i]);
      g_auto (GStrv) files = NULL;

      if (value == NULL || *value == '\0')
        continue;
      files = g_strsplit (value, ":", -1);
      for (char **file = files; *file != NULL; file++)
        if (g_file_test (*file, G_FILE_TEST_EXISTS))
          return TRUE;
      return FALSE;
    }
  return has_manifest_in (fixed) || has_manifest_in (users) ||
         has_manifest_in ((const char *const *)g_get_system_data_dirs ()) ||
         has_manifest_in ((const char *const *)g_get_system_config_dirs ());
}

/* Variables that have the loader find no layer but those they name, or load none. What other layers
 * the program has stays as it is. */
static char **
get_past_filters (char       **environment,
                  const char  *layer)
{
  if (vtr_environment_is_set (environment, "VK_LAYER_PATH"))
    environment = vtr_environment_prepend (environment, "VK_LAYER_PATH", ":", layer);
  if (!vtr_environment_is_set (environment, "VK_LOADER_LAYERS_DISABLE"))
    return environment;
  /* Which of the two has the last word depends on the loader. */
  environment = vtr_environment_prepend (environment, "VK_LOADER_LAYERS_ENABLE", ",",
                                         VTR_LAYER_NAME);
  return vtr_environment_prepend (environment, "VK_LOADER_LAYERS_ALLOW", ",", VTR_LAYER_NAME);
}

static char **
prepare (char   **environment,
         GError **error)
{
  g_autofree char *layer = vtr_vulkan_find_layer (error);

  if (layer == NULL)
    {
      g_strfreev (environment);
      return NULL;
    }
  /* One of the two is enough. */
  environment = g_environ_setenv (environment, "VITRINE_CAPTURE_DISABLE", "1", TRUE);
  environment = get_past_filters (environment, layer);
  environment = vtr_environment_prepend (environment, "VK_ADD_LAYER_PATH", ":", layer);
  return vtr_environment_prepend (environment, "VK_INSTANCE_LAYERS", ":", VTR_LAYER_NAME);
}

static char *
explain (const char *program,
         const char *end)
{
  if (has_driver ())
    return NULL;
  if (end == NULL)
    return g_strdup (_ ("The capture layer is not loaded: no Vulkan driver is installed."));
  return g_strdup_printf (_ ("“%s” %s, and no Vulkan driver is installed. Install one (on Debian: "
                             "mesa-vulkan-drivers), or check VK_DRIVER_FILES."),
                          program, end);
}

/* Only variables that say how Vulkan was set up; others may be private. */
static const char *const *
get_environment_names (void)
{
  static const char *const names[] = {
    "VK_INSTANCE_LAYERS",
    "VK_DRIVER_FILES",
    "VK_ICD_FILENAMES",
    "MESA_VK_DEVICE_SELECT",
    "LP_NUM_THREADS",
    NULL,
  };

  return names;
}

static const VtrPixelFormat *
get_picture_format (guint32 format)
{
  return vtr_vulkan_format_get ((VkFormat)format);
}

const VtrHostApi vtr_vulkan_host_api = {
  .prepare = prepare,
  .explain = explain,
  .environment_names = get_environment_names,
  .install = vtr_vulkan_install,
  .get_installed = vtr_vulkan_get_installed,
  .get_install_path = vtr_vulkan_get_install_path,
  .get_picture_format = get_picture_format,
};
