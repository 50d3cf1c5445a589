/* Reads the replayer's standard output and error on a thread, and prints its lines without
 * control characters. */
#include "vtr-config.h"

#include "engine/replay/vtr-replay-output.h"

#include "engine/replay/vtr-replay-outcome.h"

#include <errno.h>
#include <fcntl.h>
#include <glib-unix.h>
#include <glib/gi18n-lib.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* A longer line is printed as several. */
#define MAX_LINE (1u << 20)

/* Most bytes of one replayer that are printed: no trace fills a log or a disk with words. */
#define MAX_PRINTED (64u << 20)

struct _VtrReplayOutput
{
  GThread *thread;
  int reader; /* non-blocking */
  int end;    /* eventfd: readable when the thread is to end */
  gsize printed;
  GString *line;
};

static void
print (const char *words)
{
  gsize n = strlen (words);

  while (n > 0)
    {
      gssize done = write (STDERR_FILENO, words, n);

      if (done < 0 && errno != EINTR)
        return;
      words += MAX (done, 0);
      n -= (gsize)MAX (done, 0);
    }
}

/* Prints the line read so far. */
static void
print_line (VtrReplayOutput *self)
{
  g_autofree char *words = NULL;
  g_autofree char *line = NULL;

  if (self->printed > MAX_PRINTED)
    return;
  words = vtr_replay_words_of (self->line->str, self->line->len);
  line = g_strconcat (words, "\n", NULL);
  self->printed += strlen (line);
  if (self->printed <= MAX_PRINTED)
    print (line);
  else
    {
      g_autofree char *rest =
        g_strdup_printf (_ ("The replayer printed more than %u MiB; the rest is not shown."),
                         MAX_PRINTED >> 20);

      print (rest);
      print ("\n");
    }
}

static void
take (VtrReplayOutput *self,
      char             byte)
{
  if (byte != '\n')
    g_string_append_c (self->line, byte != '\0' ? byte : ' ');
  if (byte != '\n' && self->line->len < MAX_LINE)
    return;
  print_line (self);
  g_string_truncate (self->line, 0);
}

/* Returns: FALSE when all writers have closed the pipe. */
static gboolean
read_all (VtrReplayOutput *self)
{
  char block[16384];
  gssize n;

  while ((n = read (self->reader, block, sizeof block)) != 0)
    {
      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0)
        return errno == EAGAIN;
      for (gssize i = 0; i < n; i++)
        take (self, block[i]);
      /* A process that writes without end does not keep the thread from ending. */
      if (self->printed > MAX_PRINTED)
        return TRUE;
    }
  return FALSE;
}

static gpointer
work (gpointer data)
{
  VtrReplayOutput *self = data;
  struct pollfd fds[] = { { .fd = self->reader, .events = POLLIN },
                          { .fd = self->end, .events = POLLIN } };
  gboolean open = TRUE;

  while (open && fds[1].revents == 0)
    {
      poll (fds, G_N_ELEMENTS (fds), -1);
      open = read_all (self);
    }
  if (self->line->len > 0)
    print_line (self);
  return NULL;
}

VtrReplayOutput *
vtr_replay_output_new (int *writer)
{
  VtrReplayOutput *self = g_new0 (VtrReplayOutput, 1);
  int fds[2] = { -1, -1 };
  int why;

  self->line = g_string_new (NULL);
  self->end = eventfd (0, EFD_CLOEXEC);
  if (self->end < 0 || !g_unix_open_pipe (fds, FD_CLOEXEC, NULL))
    goto failed;
  self->reader = fds[0];
  if (fcntl (self->reader, F_SETFL, O_NONBLOCK) != 0)
    goto failed;
  self->thread = g_thread_try_new ("replayer-words", work, self, NULL);
  if (self->thread == NULL)
    {
      errno = EAGAIN;
      goto failed;
    }
  *writer = fds[1];
  return self;

failed:
  why = errno;
  for (guint i = 0; i < 2; i++)
    if (fds[i] >= 0)
      close (fds[i]);
  if (self->end >= 0)
    close (self->end);
  g_string_free (self->line, TRUE);
  g_free (self);
  errno = why;
  return NULL;
}

void
vtr_replay_output_free (VtrReplayOutput *self)
{
  const guint64 one = 1;

  if (self == NULL)
    return;
  while (write (self->end, &one, sizeof one) < 0 && errno == EINTR)
    ;
  g_thread_join (self->thread);
  close (self->reader);
  close (self->end);
  g_string_free (self->line, TRUE);
  g_free (self);
}
