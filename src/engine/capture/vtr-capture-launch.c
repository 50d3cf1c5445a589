/* Starts a program with the capture layer in its environment, and finds the layer, the program
 * and a name for the trace. */
#include "vtr-capture-launch.h"

#include "engine/capture/vtr-capture-error.h"
#include "vtr-config.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define MANIFEST "VkLayer_vitrine.json"

static char *
check_layer_folder (const char *folder)
{
  g_autofree char *manifest = g_build_filename (folder, MANIFEST, NULL);

  return g_file_test (manifest, G_FILE_TEST_IS_REGULAR) ? g_strdup (folder) : NULL;
}

/* The build tree's layer, for a program run from there: DIR/src/cli/vitrine-cli,
DIR/src/vitrine. */
static char *
find_layer_beside_program (void)
{
  g_autofree char *program = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree char *folder = program != NULL ? g_path_get_dirname (program) : NULL;

  for (int i = 0; folder != NULL && i < 3; i++)
    {
      g_autofree char *layer = g_build_filename (folder, "capture-layer", NULL);
      char *found = check_layer_folder (layer);
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
vtr_capture_find_layer (GError **error)
{
  const char *wish = g_getenv ("VITRINE_LAYER_DIR");
  char *found = NULL;

  if (wish != NULL && *wish != '\0')
    found = check_layer_folder (wish);
  else
    {
      found = check_layer_folder (VTR_LAYER_DIR);
      if (found == NULL)
        found = find_layer_beside_program ();
    }
  if (found == NULL)
    g_set_error (error, VTR_CAPTURE_ERROR, VTR_CAPTURE_ERROR_LAYER,
                 _ ("The capture layer is missing: there is no %s in “%s”. Install Vitrine again, "
                    "or set "
                    "VITRINE_LAYER_DIR."),
                 MANIFEST, wish != NULL && *wish != '\0' ? wish : VTR_LAYER_DIR);
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

gboolean
vtr_capture_has_driver (void)
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

char *
vtr_capture_find_program (const VtrCaptureOptions  *options,
                          GError                  **error)
{
  const char *name = options->argv[0];
  g_autofree char *path = NULL;
  struct stat info;

  if (strchr (name, '/') == NULL)
    {
      path = g_find_program_in_path (name);
      if (path == NULL)
        {
          g_set_error (error, VTR_CAPTURE_ERROR, VTR_CAPTURE_ERROR_PROGRAM,
                       _ ("Program “%s” not found. Check the spelling, or give its full path."),
                       name);
          return NULL;
        }
    }
  else
    path = g_canonicalize_filename (name, options->directory);

  if (g_stat (path, &info) != 0)
    g_set_error (error, VTR_CAPTURE_ERROR, VTR_CAPTURE_ERROR_PROGRAM, _ ("Cannot run “%s”: %s"),
                 path,
                 g_strerror (errno));
  else if (S_ISDIR (info.st_mode))
    g_set_error (error, VTR_CAPTURE_ERROR, VTR_CAPTURE_ERROR_PROGRAM,
                 _ ("“%s” is a folder, not a program."), path);
  else if (g_access (path, X_OK) != 0)
    g_set_error (error, VTR_CAPTURE_ERROR, VTR_CAPTURE_ERROR_PROGRAM,
                 _ ("“%s” is not executable. Make it so with chmod +x."),
                 path);
  else if ((info.st_mode & (S_ISUID | S_ISGID)) != 0 && info.st_uid != geteuid ())
    g_set_error (error, VTR_CAPTURE_ERROR, VTR_CAPTURE_ERROR_PROGRAM,
                 _ ("“%s” runs with another user's privileges (setuid), so Vulkan loads no "
                    "layers. Capture a copy without them."),
                 path);
  else
    return g_steal_pointer (&path);
  return NULL;
}

/* What the program may have open, as the user set it. */
static struct rlimit files_before;

void
vtr_capture_raise_file_limit (void)
{
  struct rlimit files;

  if (files_before.rlim_max != 0 || getrlimit (RLIMIT_NOFILE, &files) != 0)
    return;
  files_before = files;
  files.rlim_cur = files.rlim_max;
  setrlimit (RLIMIT_NOFILE, &files);
}

static void
in_child (gpointer data)
{
  setpgid (0, 0);
  if (files_before.rlim_max != 0)
    setrlimit (RLIMIT_NOFILE, &files_before);
}

static char **
prepend (char       **environment,
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

static gboolean
is_set (char       **environment,
        const char  *variable)
{
  const char *value = g_environ_getenv (environment, variable);

  return value != NULL && *value != '\0';
}

/* Variables that have the loader find no layer but those they name, or load none. What other layers
 * the program has stays as it is. */
static char **
get_past_filters (char       **environment,
                  const char  *layer)
{
  if (is_set (environment, "VK_LAYER_PATH"))
    environment = prepend (environment, "VK_LAYER_PATH", ":", layer);
  if (!is_set (environment, "VK_LOADER_LAYERS_DISABLE"))
    return environment;
  /* Which of the two has the last word depends on the loader. */
  environment = prepend (environment, "VK_LOADER_LAYERS_ENABLE", ",", VTR_LAYER_NAME);
  return prepend (environment, "VK_LOADER_LAYERS_ALLOW", ",", VTR_LAYER_NAME);
}

static char **
make_environment (const VtrCaptureOptions *options,
                  const char              *layer,
                  const char              *socket_path)
{
  char **environment = g_get_environ ();

  for (guint i = 0; options->environment != NULL && options->environment[i] != NULL; i++)
    {
      g_auto (GStrv) pair = g_strsplit (options->environment[i], "=", 2);

      if (pair[0] != NULL && pair[1] != NULL)
        environment = g_environ_setenv (environment, pair[0], pair[1], TRUE);
    }
  environment = g_environ_setenv (environment, "VITRINE_SOCKET", socket_path, TRUE);
  /* One of the two is enough. */
  environment = g_environ_setenv (environment, "VITRINE_CAPTURE_DISABLE", "1", TRUE);
  environment = get_past_filters (environment, layer);
  environment = prepend (environment, "VK_ADD_LAYER_PATH", ":", layer);
  return prepend (environment, "VK_INSTANCE_LAYERS", ":", VTR_LAYER_NAME);
}

GPid
vtr_capture_launch (const VtrCaptureOptions  *options,
                    const char               *socket_path,
                    GError                  **error)
{
  g_autofree char *layer = vtr_capture_find_layer (error);
  g_autofree char *program = NULL;
  g_auto (GStrv) environment = NULL;
  g_auto (GStrv) argv = NULL;
  g_autoptr (GError) local = NULL;
  gboolean spawned;
  int output = -1;
  GPid pid = 0;

  if (layer == NULL)
    return 0;
  program = vtr_capture_find_program (options, error);
  if (program == NULL)
    return 0;
  if (options->directory != NULL && !g_file_test (options->directory, G_FILE_TEST_IS_DIR))
    {
      g_set_error (error, VTR_CAPTURE_ERROR, VTR_CAPTURE_ERROR_PROGRAM,
                   _ ("The working directory “%s” does not exist."), options->directory);
      return 0;
    }

  environment = make_environment (options, layer, socket_path);
  argv = g_strdupv ((char **)options->argv);
  g_free (argv[0]);
  argv[0] = g_strdup (program);
  /* A copy, because the spawned child closes what it is given. */
  if (options->stdout_to_stderr)
    output = fcntl (STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
  /* Not GSubprocess: a program that ends at once would leave us without its process group. */
  spawned = g_spawn_async_with_pipes_and_fds (
    options->directory, (const char *const *)argv, (const char *const *)environment,
    G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_CHILD_INHERITS_STDIN, in_child, NULL, -1, output, -1, NULL,
    NULL, 0, &pid, NULL, NULL, NULL, &local);
  if (output >= 0)
    close (output);
  if (!spawned)
    {
      g_set_error (error, VTR_CAPTURE_ERROR, VTR_CAPTURE_ERROR_PROGRAM,
                   _ ("“%s” could not be started: %s"), program, local->message);
      return 0;
    }
  return pid;
}

char *
vtr_capture_default_output (const char *program)
{
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();
  g_autofree char *date = g_date_time_format (now, "%Y-%m-%d-%H%M%S");
  g_autofree char *base = g_path_get_basename (program);
  g_autofree char *name = g_strdup_printf ("%s-%s.gfxtrace", base, date);
  g_autofree char *here = g_get_current_dir ();

  if (g_access (here, W_OK) == 0)
    return g_build_filename (here, name, NULL);
  return g_build_filename (g_get_home_dir (), name, NULL);
}
