/* Starts a program with the entry libraries of all APIs in its environment, and finds the program
 * and a name for the trace. */
#include "vtr-capture-launch.h"

#include "engine/api/vtr-host-api.h"
#include "vtr-config.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* The limit of open files that the user set, which the program gets. */
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

/* VITRINE_CAPTURE_APIS has the names of those to be captured, with commas between them. */
static gboolean
wants_api (char         **environment,
           const VtrApi  *api)
{
  const char *list = g_environ_getenv (environment, "VITRINE_CAPTURE_APIS");
  g_auto (GStrv) names = NULL;

  if (list == NULL || *list == '\0')
    return !api->host->on_request;
  names = g_strsplit (list, ",", -1);
  return g_strv_contains ((const char *const *)names, api->name);
}

/* NULL with @error. */
static char **
make_environment (const VtrCaptureOptions  *options,
                  const char               *socket_path,
                  GError                  **error)
{
  char **environment = g_get_environ ();

  for (guint i = 0; options->environment != NULL && options->environment[i] != NULL; i++)
    {
      g_auto (GStrv) pair = g_strsplit (options->environment[i], "=", 2);

      if (pair[0] != NULL && pair[1] != NULL)
        environment = g_environ_setenv (environment, pair[0], pair[1], TRUE);
    }
  environment = g_environ_setenv (environment, "VITRINE_SOCKET", socket_path, TRUE);
  for (guint i = 0; environment != NULL && vtr_apis[i] != NULL; i++)
    if (vtr_apis[i]->host != NULL && vtr_apis[i]->host->prepare != NULL &&
        wants_api (environment, vtr_apis[i]))
      environment = vtr_apis[i]->host->prepare (environment, error);
  return environment;
}

GPid
vtr_capture_launch (const VtrCaptureOptions  *options,
                    const char               *socket_path,
                    GError                  **error)
{
  g_autofree char *program = NULL;
  g_auto (GStrv) environment = NULL;
  g_auto (GStrv) argv = NULL;
  g_autoptr (GError) local = NULL;
  gboolean spawned;
  int output = -1;
  GPid pid = 0;

  environment = make_environment (options, socket_path, error);
  if (environment == NULL)
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

  argv = g_strdupv ((char **)options->argv);
  g_free (argv[0]);
  argv[0] = g_strdup (program);
  /* A copy, because spawning closes the descriptors that it gets. */
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
