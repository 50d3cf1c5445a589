/* Searches /proc for processes that a launched program has left running, by a variable in their
 * environment. */
#include "vtr-capture-descendants.h"

#include <string.h>

/* A program that becomes another one has no environment for a moment. */
#define TRIES 5
#define PAUSE_US 2000

/* Kernel threads and ended processes have none. */
static gboolean
has_program (const char *pid)
{
  g_autofree char *path = g_build_filename ("/proc", pid, "exe", NULL);
  g_autofree char *program = g_file_read_link (path, NULL);

  return program != NULL;
}

/* Whether /proc/@pid/environ has @wanted. Of others' processes it cannot be read. */
static gboolean
has_variable (const char *pid,
              const char *wanted)
{
  g_autofree char *path = g_build_filename ("/proc", pid, "environ", NULL);
  g_autofree char *contents = NULL;
  gsize size = 0;

  for (int i = 0; size == 0 && i < TRIES; i++)
    {
      if (i > 0 && !has_program (pid))
        return FALSE;
      if (i > 0)
        g_usleep (PAUSE_US);
      g_free (g_steal_pointer (&contents));
      if (!g_file_get_contents (path, &contents, &size, NULL))
        return FALSE;
    }
  /* g_file_get_contents() ends it with another NUL. */
  for (gsize at = 0; at < size; at += strlen (contents + at) + 1)
    if (g_str_equal (contents + at, wanted))
      return TRUE;
  return FALSE;
}

gboolean
vtr_capture_has_descendants (const char *socket_path)
{
  g_autofree char *wanted = g_strconcat ("VITRINE_SOCKET=", socket_path, NULL);
  g_autoptr (GDir) processes = g_dir_open ("/proc", 0, NULL);
  const char *name;

  while (processes != NULL && (name = g_dir_read_name (processes)) != NULL)
    if (g_ascii_isdigit (*name) && has_variable (name, wanted))
      return TRUE;
  return FALSE;
}
