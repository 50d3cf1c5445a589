/* Finds and starts Vitrine's own helper programs, from a thread that never ends, because the
 * kernel kills them when that thread does. */
#include "engine/replay/vtr-own-program.h"

#include "vtr-config.h"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

/* The depth of helper programs below the root of a build tree. */
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

/* --- Starting -------------------------------------------------------------------------------- */

typedef struct
{
  GSubprocessLauncher *launcher;
  const char *path;
  GSubprocess *process;
  GError *error;
} Start;

static GMutex lock;
static GCond changed;
static gboolean working; /* the thread lives */
static Start *asked;     /* the next one; the thread takes it */
static Start *done;      /* what the thread has started */

void
vtr_own_program_set_up (gpointer data)
{
  setsid ();
  prctl (PR_SET_PDEATHSIG, SIGKILL);
  /* The engine may have ended before the kernel knew. */
  if (getppid () != GPOINTER_TO_INT (data))
    _exit (1);
}

static gpointer
start_all (gpointer data)
{
  (void)data;
  g_mutex_lock (&lock);
  for (;;)
    {
      Start *start = g_steal_pointer (&asked);

      if (start == NULL)
        {
          g_cond_wait (&changed, &lock);
          continue;
        }
      g_cond_broadcast (&changed);
      g_mutex_unlock (&lock);
      start->process =
        g_subprocess_launcher_spawn (start->launcher, &start->error, start->path, NULL);
      g_mutex_lock (&lock);
      /* The caller takes the result before the next one is done. */
      while (done != NULL)
        g_cond_wait (&changed, &lock);
      done = start;
      g_cond_broadcast (&changed);
    }
  return NULL;
}

/* The kernel kills a program when the thread that started it ends: this one never does. Called with
 * the lock. */
static gboolean
begin_thread (GError **error)
{
  GThread *thread = working ? NULL : g_thread_try_new ("starter", start_all, NULL, error);

  working = working || thread != NULL;
  g_clear_pointer (&thread, g_thread_unref);
  return working;
}

GSubprocess *
vtr_own_program_start (GSubprocessLauncher  *launcher,
                       const char           *path,
                       GError              **error)
{
  Start start = { launcher, path, NULL, NULL };

  g_subprocess_launcher_set_child_setup (launcher, vtr_own_program_set_up,
                                         GINT_TO_POINTER (getpid ()), NULL);
  g_mutex_lock (&lock);
  if (!begin_thread (error))
    {
      g_mutex_unlock (&lock);
      return NULL;
    }
  while (asked != NULL)
    g_cond_wait (&changed, &lock);
  asked = &start;
  g_cond_broadcast (&changed);
  while (done != &start)
    g_cond_wait (&changed, &lock);
  done = NULL;
  g_cond_broadcast (&changed);
  g_mutex_unlock (&lock);
  if (start.error != NULL)
    g_propagate_error (error, start.error);
  return start.process;
}
