/* Runs a compiler or the shader tool: gives it input, reads its output, and stops it if it is
 * cancelled or writes too much. */
#include "vtr-config.h"

#include "engine/shader/vtr-tool-run.h"

#include "engine/replay/vtr-own-program.h"
#include "engine/replay/vtr-replay-outcome.h"
#include "engine/shader/vtr-spirv.h"

#include <errno.h>
#include <glib-unix.h>
#include <glib/gi18n-lib.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_OUT (96u << 20) /* the tool of ours stops at 64 MiB by itself */
#define MAX_WORDS (64u << 10)
#define SPAWN_FLAGS (G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_CLOEXEC_PIPES)
#define LONGEST_PAUSE 20 /* ms */

enum
{
  OUT,
  WORDS,
  N_PIPES
};

typedef struct
{
  GPid pid; /* 0: reaped */
  int status;
  int pipes[N_PIPES]; /* -1: it will write no more */
  GByteArray *read[N_PIPES];
} VtrTool;

/* --- Beginning and end ----------------------------------------------------------------------- */

/* Returns: -1 with errno set. A file, not a pipe, so that no thread must write while the program
 * reads, and unread input does no harm. */
static int
make_input (GBytes *input)
{
  int fd = memfd_create ("vitrine-input", MFD_CLOEXEC);
  gsize size, done = 0;
  const char *bytes = g_bytes_get_data (input, &size);

  while (fd >= 0 && done < size)
    {
      gssize n = pwrite (fd, bytes + done, size - done, (off_t)done);

      if (n > 0)
        done += (gsize)n;
      else if (n == 0 || errno != EINTR)
        {
          int why = n == 0 ? EIO : errno;

          close (fd);
          errno = why;
          return -1;
        }
    }
  return fd;
}

static gboolean
vtr_tool_start (VtrTool           *self,
                const char *const *argv,
                char             **environment,
                GBytes            *input,
                GError           **error)
{
  int fd = input != NULL ? make_input (input) : -1;
  gboolean started;

  if (input != NULL && fd < 0)
    {
      g_set_error_literal (error, G_IO_ERROR, g_io_error_from_errno (errno), g_strerror (errno));
      return FALSE;
    }
  /* The calling thread lives until the program has ended. */
  started = g_spawn_async_with_pipes_and_fds (
    NULL, argv, (const char *const *)environment, SPAWN_FLAGS, vtr_own_program_set_up,
    GINT_TO_POINTER (getpid ()), fd, -1, -1, NULL, NULL, 0, &self->pid, NULL, &self->pipes[OUT],
    &self->pipes[WORDS], error);
  if (fd >= 0)
    close (fd);
  for (guint i = 0; started && i < N_PIPES; i++)
    {
      g_unix_set_fd_nonblocking (self->pipes[i], TRUE, NULL);
      self->read[i] = g_byte_array_new ();
    }
  return started;
}

/* Returns: whether it has ended. */
static gboolean
vtr_tool_reap (VtrTool *self,
               int      flags)
{
  pid_t ended;

  do
    ended = waitpid (self->pid, &self->status, flags);
  while (ended < 0 && errno == EINTR);
  if (ended == 0)
    return FALSE;
  self->pid = 0;
  return TRUE;
}

static void
vtr_tool_close (VtrTool *self,
                guint    pipe)
{
  if (self->pipes[pipe] >= 0)
    close (self->pipes[pipe]);
  self->pipes[pipe] = -1;
}

static void
vtr_tool_finish (VtrTool *self)
{
  if (self->pid != 0)
    {
      kill (self->pid, SIGKILL);
      vtr_tool_reap (self, 0);
    }
  for (guint i = 0; i < N_PIPES; i++)
    {
      vtr_tool_close (self, i);
      g_clear_pointer (&self->read[i], g_byte_array_unref);
    }
}

/* --- What it writes -------------------------------------------------------------------------- */

/* Returns: %FALSE when it is too much. */
static gboolean
vtr_tool_read (VtrTool  *self,
               guint     pipe,
               GError  **error)
{
  static const guint most[N_PIPES] = { [OUT] = MAX_OUT, [WORDS] = MAX_WORDS };
  GByteArray *read_yet = self->read[pipe];
  guint8 block[65536];
  gssize n = read (self->pipes[pipe], block, sizeof block);

  if (n < 0 && (errno == EINTR || errno == EAGAIN))
    return TRUE;
  if (n <= 0)
    vtr_tool_close (self, pipe);
  else if (pipe == WORDS)
    g_byte_array_append (read_yet, block, MIN ((guint)n, most[pipe] - read_yet->len));
  else if ((guint)n <= most[pipe] - read_yet->len)
    g_byte_array_append (read_yet, block, (guint)n);
  else
    {
      g_set_error (error, VTR_SHADER_ERROR, VTR_SHADER_ERROR_TOOL,
                   _ ("The compiler wrote more than %u MiB."), most[pipe] >> 20);
      return FALSE;
    }
  return TRUE;
}

/* Until both pipes are closed and it has ended. */
static gboolean
vtr_tool_wait (VtrTool       *self,
               GCancellable  *cancellable,
               GPollFD       *stop,
               GError       **error)
{
  int pause = 1;

  while (!g_cancellable_set_error_if_cancelled (cancellable, error))
    {
      GPollFD fds[N_PIPES + 1];
      guint owners[N_PIPES], n = 0, n_open;

      for (guint i = 0; i < N_PIPES; i++)
        if (self->pipes[i] >= 0)
          {
            owners[n] = i;
            fds[n++] = (GPollFD){ .fd = self->pipes[i], .events = G_IO_IN };
          }
      n_open = n;
      if (stop != NULL)
        fds[n++] = (GPollFD){ .fd = stop->fd, .events = stop->events };
      if (n_open == 0 && vtr_tool_reap (self, WNOHANG))
        return TRUE;
      /* Without a descriptor for @cancellable, there being too many, it is asked now and then. */
      g_poll (fds, n, n_open > 0 && (stop != NULL || cancellable == NULL) ? -1 : pause);
      pause = MIN (2 * pause, LONGEST_PAUSE);
      for (guint i = 0; i < n_open; i++)
        if (fds[i].revents != 0 && !vtr_tool_read (self, owners[i], error))
          return FALSE;
    }
  return FALSE;
}

/* --- The whole ------------------------------------------------------------------------------- */

gboolean
vtr_tool_run (const char   *const *argv,
              char               **environment,
              GBytes              *input,
              VtrToolRun          *self,
              GCancellable        *cancellable,
              GError             **error)
{
  VtrTool tool = { .pipes = { -1, -1 } };
  gboolean done, stoppable;
  GPollFD stop;

  if (g_cancellable_set_error_if_cancelled (cancellable, error) ||
      !vtr_tool_start (&tool, argv, environment, input, error))
    return FALSE;
  stoppable = cancellable != NULL && g_cancellable_make_pollfd (cancellable, &stop);
  done = vtr_tool_wait (&tool, cancellable, stoppable ? &stop : NULL, error);
  if (stoppable)
    g_cancellable_release_fd (cancellable);
  if (done)
    {
      g_byte_array_append (tool.read[WORDS], (const guint8 *)"", 1);
      self->words = vtr_replay_words ((const char *)tool.read[WORDS]->data);
      g_strstrip (self->words);
      self->out = g_byte_array_free_to_bytes (g_steal_pointer (&tool.read[OUT]));
      self->status = tool.status;
    }
  vtr_tool_finish (&tool);
  return done;
}

void
vtr_tool_run_clear (VtrToolRun *self)
{
  g_clear_pointer (&self->out, g_bytes_unref);
  g_clear_pointer (&self->words, g_free);
}

gboolean
vtr_tool_run_is_success (const VtrToolRun *self)
{
  return WIFEXITED (self->status) && WEXITSTATUS (self->status) == 0;
}
