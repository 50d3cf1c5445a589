/* Finds the vendors of EGL as glvnd does. */
#include "engine/gl/host/vtr-gl-vendors.h"

#include "engine/gl/host/vtr-gl-host.h"

#include <json-glib/json-glib.h>

/* Where Debian's glvnd looks without variables. */
#define DEFAULT_FOLDERS "/etc/glvnd/egl_vendor.d:/usr/share/glvnd/egl_vendor.d"

/* Adds the library that the manifest @path names. A manifest that glvnd cannot read names none. */
static void
add_vendor (GPtrArray  *libraries,
            const char *path)
{
  g_autoptr (JsonParser) parser = json_parser_new ();
  JsonNode *root;
  JsonObject *object, *icd;
  const char *library;

  if (!json_parser_load_from_file (parser, path, NULL))
    return;
  root = json_parser_get_root (parser);
  object = root != NULL && JSON_NODE_HOLDS_OBJECT (root) ? json_node_get_object (root) : NULL;
  root = object != NULL ? json_object_get_member (object, "ICD") : NULL;
  icd = root != NULL && JSON_NODE_HOLDS_OBJECT (root) ? json_node_get_object (root) : NULL;
  library = icd != NULL ? json_object_get_string_member_with_default (icd, "library_path", NULL)
                        : NULL;
  if (library != NULL && *library != '\0' && strchr (library, ':') == NULL)
    g_ptr_array_add (libraries, g_strdup (library));
}

static int
compare_names (gconstpointer a,
               gconstpointer b)
{
  return strcmp (*(const char *const *)a, *(const char *const *)b);
}

/* The manifests of a folder, in the order of their names. */
static void
add_folder (GPtrArray  *libraries,
            const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_suffix (name, ".json"))
      g_ptr_array_add (names, g_build_filename (folder, name, NULL));
  g_ptr_array_sort (names, compare_names);
  for (guint i = 0; i < names->len; i++)
    add_vendor (libraries, g_ptr_array_index (names, i));
}

char **
vtr_gl_list_egl_vendors (char **environment)
{
  const char *files = g_environ_getenv (environment, "__EGL_VENDOR_LIBRARY_FILENAMES");
  const char *folders = g_environ_getenv (environment, "__EGL_VENDOR_LIBRARY_DIRS");
  g_autoptr (GPtrArray) libraries = g_ptr_array_new_with_free_func (g_free);
  g_auto (GStrv) parts = NULL;

  /* A variable that is set counts, even to nothing. */
  parts = g_strsplit (files != NULL     ? files
                      : folders != NULL ? folders
                                        : DEFAULT_FOLDERS,
                      ":", -1);
  for (char **part = parts; *part != NULL; part++)
    {
      if (**part == '\0')
        continue;
      if (files != NULL)
        add_vendor (libraries, *part);
      else
        add_folder (libraries, *part);
    }
  g_ptr_array_add (libraries, NULL);
  return (char **)g_ptr_array_steal (libraries, NULL);
}
