/* Changes single variables of an environment, and finds the folder of entry libraries. */
#include "engine/api/vtr-launch-environment.h"

#include "vtr-config.h"

gboolean
vtr_environment_is_set (char       **environment,
                        const char  *variable)
{
  const char *value = g_environ_getenv (environment, variable);

  return value != NULL && *value != '\0';
}

char **
vtr_environment_prepend (char       **environment,
                         const char  *variable,
                         const char  *separator,
                         const char  *value)
{
  const char *old = g_environ_getenv (environment, variable);
  g_autofree char *joined = NULL;

  if (old != NULL && *old != '\0')
    joined = g_strconcat (value, separator, old, NULL);
  else
    joined = g_strdup (value);
  return g_environ_setenv (environment, variable, joined, TRUE);
}

static char *
check_folder (const char *folder,
              const char *file)
{
  g_autofree char *path = g_build_filename (folder, file, NULL);

  return g_file_test (path, G_FILE_TEST_IS_REGULAR) ? g_strdup (folder) : NULL;
}

/* The build tree's, for a program run from there: DIR/src/cli/vitrine-cli, DIR/src/vitrine. */
static char *
find_beside_program (const char *file)
{
  g_autofree char *program = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree char *folder = program != NULL ? g_path_get_dirname (program) : NULL;

  for (int i = 0; folder != NULL && i < 3; i++)
    {
      g_autofree char *libraries = g_build_filename (folder, "capture-layer", NULL);
      char *found = check_folder (libraries, file);
      char *parent;

      if (found != NULL)
        return found;
      parent = g_path_get_dirname (folder);
      g_free (folder);
      folder = parent;
    }
  return NULL;
}

char *
vtr_launch_find_folder (const char *file)
{
  const char *wish = g_getenv ("VITRINE_LAYER_DIR");
  char *found;

  if (wish != NULL && *wish != '\0')
    return check_folder (wish, file);
  found = check_folder (VTR_LAYER_DIR, file);
  return found != NULL ? found : find_beside_program (file);
}

const char *
vtr_launch_get_searched_folder (void)
{
  const char *wish = g_getenv ("VITRINE_LAYER_DIR");

  return wish != NULL && *wish != '\0' ? wish : VTR_LAYER_DIR;
}
