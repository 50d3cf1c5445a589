#include "engine/replay/vtr-own-program.h"

#include "vtr-config.h"

/* How far below the root of a build tree a program of ours is. */
#define TREE_LEVELS 5

char *
vtr_own_program_find (const char *name,
                      const char *variable,
                      const char *folder)
{
  const char *from_environment = g_getenv (variable);
  g_autofree char *installed = g_build_filename (VTR_LIBEXECDIR, name, NULL);
  g_autofree char *self = NULL;
  g_autofree char *above = NULL;

  if (from_environment != NULL && *from_environment != '\0')
    return g_strdup (from_environment);
  if (g_file_test (installed, G_FILE_TEST_IS_EXECUTABLE))
    return g_steal_pointer (&installed);

  self = g_file_read_link ("/proc/self/exe", NULL);
  above = self != NULL ? g_path_get_dirname (self) : NULL;
  for (guint i = 0; above != NULL && i < TREE_LEVELS; i++)
    {
      g_autofree char *path = g_build_filename (above, folder, name, NULL);
      char *parent;

      if (g_file_test (path, G_FILE_TEST_IS_EXECUTABLE))
        return g_steal_pointer (&path);
      parent = g_path_get_dirname (above);
      g_free (above);
      above = parent;
    }
  return NULL;
}
