/* Installs and removes the manifest of the implicit layer in the user's data folder. */
#include "engine/vulkan/host/vtr-vulkan-host.h"

#include "vtr-config.h"

#include <errno.h>
#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>
#include <json-glib/json-glib.h>
#include <string.h>

#define IMPLICIT_MANIFEST "VkLayer_vitrine_implicit.json"

/* The loader searches $XDG_DATA_HOME. In a sandbox that is the sandbox's own folder, so the
 * user's has to be asked for. */
static const char *
get_data_folder (void)
{
  const char *host = g_getenv ("HOST_XDG_DATA_HOME");

  return host != NULL && *host == '/' ? host : g_get_user_data_dir ();
}

char *
vtr_vulkan_get_install_path (void)
{
  return g_build_filename (get_data_folder (), "vulkan", "implicit_layer.d", IMPLICIT_MANIFEST,
                           NULL);
}

/* Where others find what we see at @path: in a Flatpak, /app is a folder of the host. (transfer
 * full) */
static char *
path_outside (const char *path)
{
  g_autoptr (GKeyFile) info = g_key_file_new ();
  g_autofree char *app = NULL;

  if (g_str_has_prefix (path, "/app/") &&
      g_key_file_load_from_file (info, "/.flatpak-info", G_KEY_FILE_NONE, NULL))
    app = g_key_file_get_string (info, "Instance", "app-path", NULL);
  return app != NULL ? g_strconcat (app, path + strlen ("/app"), NULL) : g_strdup (path);
}

/* "./libVkLayer_vitrine.so" as the manifest in @folder means it. (transfer full) */
static char *
find_library (JsonObject *layer,
              const char *folder)
{
  const char *name = json_object_get_string_member_with_default (layer, "library_path", "");
  g_autofree char *path = g_canonicalize_filename (name, folder);

  return path_outside (path);
}

/* The layer of a manifest. (nullable) (transfer none) */
static JsonObject *
get_layer (JsonParser *parser)
{
  JsonNode *root = json_parser_get_root (parser);
  JsonObject *object;

  if (root == NULL || !JSON_NODE_HOLDS_OBJECT (root))
    return NULL;
  object = json_node_get_object (root);
  if (!json_object_has_member (object, "layer") ||
      !JSON_NODE_HOLDS_OBJECT (json_object_get_member (object, "layer")))
    return NULL;
  return json_object_get_object_member (object, "layer");
}

/* The installed explicit manifest, made into an implicit one. (transfer full) */
static char *
make_manifest (GError **error)
{
  g_autofree char *folder = vtr_vulkan_find_layer (error);
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autoptr (JsonNode) root = NULL;
  g_autofree char *path = NULL;
  g_autofree char *library = NULL;
  JsonObject *layer, *enable, *disable;

  if (folder == NULL)
    return NULL;
  path = g_build_filename (folder, "VkLayer_vitrine.json", NULL);
  if (!json_parser_load_from_file (parser, path, error))
    return NULL;
  layer = get_layer (parser);
  if (layer == NULL)
    {
      g_set_error (error, VTR_CAPTURE_ERROR, VTR_CAPTURE_ERROR_LAYER,
                   _ ("“%s” does not describe a layer. Install Vitrine again."), path);
      return NULL;
    }
  library = find_library (layer, folder);
  enable = json_object_new ();
  disable = json_object_new ();
  json_object_set_string_member (enable, "VITRINE_CAPTURE", "1");
  json_object_set_string_member (disable, "VITRINE_CAPTURE_DISABLE", "1");
  json_object_set_string_member (layer, "library_path", library);
  json_object_set_object_member (layer, "enable_environment", enable);
  json_object_set_object_member (layer, "disable_environment", disable);
  root = json_parser_steal_root (parser);
  return json_to_string (root, TRUE);
}

VtrHostInstallState
vtr_vulkan_get_installed (void)
{
  g_autofree char *path = vtr_vulkan_get_install_path ();
  g_autofree char *wanted = make_manifest (NULL);
  g_autofree char *contents = NULL;

  if (!g_file_get_contents (path, &contents, NULL, NULL))
    return VTR_HOST_ABSENT;
  return g_strcmp0 (contents, wanted) == 0 ? VTR_HOST_INSTALLED
                                           : VTR_HOST_OTHER;
}

static gboolean
put_manifest (GError **error)
{
  g_autofree char *manifest = make_manifest (error);
  g_autofree char *path = vtr_vulkan_get_install_path ();
  g_autofree char *folder = g_path_get_dirname (path);

  if (manifest == NULL)
    return FALSE;
  if (g_mkdir_with_parents (folder, 0755) != 0)
    {
      g_set_error (error, VTR_CAPTURE_ERROR, VTR_CAPTURE_ERROR_FAILED,
                   _ ("The folder “%s” cannot be created: %s"), folder, g_strerror (errno));
      return FALSE;
    }
  return g_file_set_contents (path, manifest, -1, error);
}

/* It is not an error if there is nothing to remove. */
static gboolean
remove_manifest (GError **error)
{
  g_autofree char *path = vtr_vulkan_get_install_path ();

  if (g_unlink (path) == 0 || errno == ENOENT)
    return TRUE;
  g_set_error (error, VTR_CAPTURE_ERROR, VTR_CAPTURE_ERROR_FAILED,
               _ ("“%s” cannot be removed: %s"), path, g_strerror (errno));
  return FALSE;
}

gboolean
vtr_vulkan_install (gboolean   on,
                    GError   **error)
{
  return on ? put_manifest (error) : remove_manifest (error);
}
