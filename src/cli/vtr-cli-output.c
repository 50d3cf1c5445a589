/* Writes the files of a verb, or standard output instead. */
#include "vtr-cli.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

gboolean
vtr_cli_is_stdout (const char *path)
{
  return g_strcmp0 (path, "-") == 0;
}

gboolean
vtr_cli_may_be_stdout (const GOptionEntry *entry)
{
  return entry->arg_description != NULL && g_str_has_suffix (entry->arg_description, "|-");
}

const char *
vtr_cli_find_stdout_fault (guint    n_files,
                           gboolean json)
{
  if (n_files == 0)
    return NULL;
  if (n_files > 1)
    return _ ("Only one file can be written to standard output.");
  if (json)
    return _ ("--json prints to standard output. Name a file for the data.");
  if (isatty (STDOUT_FILENO))
    return _ ("Standard output is a terminal, which cannot show this data. Name a file, or "
              "redirect the output with “> FILE”.");
  if (fcntl (STDOUT_FILENO, F_GETFD) < 0)
    return _ ("Standard output is closed.");
  return NULL;
}

gboolean
vtr_cli_write (const char  *path,
               GBytes      *bytes,
               GError     **error)
{
  gsize size;
  const char *at = g_bytes_get_data (bytes, &size);

  if (!vtr_cli_is_stdout (path))
    return g_file_set_contents_full (path, at, (gssize)size, G_FILE_SET_CONTENTS_CONSISTENT, 0666,
                                     error);
  /* SIGPIPE is ignored only here, because captured programs would inherit that. */
  signal (SIGPIPE, SIG_IGN);
  while (size > 0)
    {
      ssize_t n = write (STDOUT_FILENO, at, size);
      int reason = errno;

      if (n < 0 && reason == EINTR)
        continue;
      /* The reader closed the pipe, which is no error. */
      if (n < 0 && reason == EPIPE)
        return TRUE;
      if (n < 0)
        {
          g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (reason),
                       _ ("Cannot write to standard output: %s"), g_strerror (reason));
          return FALSE;
        }
      at += n;
      size -= (gsize)n;
    }
  return TRUE;
}
