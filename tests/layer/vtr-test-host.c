/* A capture host for the tests of the layer: starts a program with the layer and keeps every
 * record that it sends. */
#include "vtr-test-host.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <glib/gstdio.h>

#define BUSY_SECONDS (VTR_CAPTURE_HELLO_TIMEOUT_MS / 1000 + 2)

/* ---- The control connection ---- */

static int
listen_at (const char *path)
{
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  int fd = socket (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

  g_assert_cmpint (fd, >=, 0);
  g_assert_cmpuint (strlen (path), <, sizeof address.sun_path);
  strcpy (address.sun_path, path);
  g_assert_cmpint (bind (fd, (struct sockaddr *)&address, sizeof address), ==, 0);
  g_assert_cmpint (listen (fd, 8), ==, 0);
  return fd;
}

static void
send_welcome_with (VtrTestHost *self,
                   int          to,
                   int          file,
                   gsize        cut)
{
  struct
  {
    VtrCaptureMessage head;
    VtrCaptureWelcome welcome;
  } message = { { VTR_CAPTURE_WELCOME, sizeof (VtrCaptureWelcome) }, { self->ring->size, 0, 0 } };
  union
  {
    struct cmsghdr head;
    char bytes[CMSG_SPACE (sizeof (int))];
  } control = { 0 };
  struct iovec part = { &message, sizeof message - cut };
  struct msghdr out = {
    .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control
  };
  struct cmsghdr *head = CMSG_FIRSTHDR (&out);

  if (file < 0)
    out.msg_controllen = 0;
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN (sizeof (int));
  memcpy (CMSG_DATA (head), &file, sizeof (int));
  g_assert_cmpint (sendmsg (to, &out, MSG_NOSIGNAL), ==, sizeof message - cut);
}

static void
send_welcome (VtrTestHost       *self,
              VtrTestHostManner  manner,
              int                to)
{
  int file;

  switch (manner)
    {
    case VTR_TEST_HOST_NO_FILE:
      send_welcome_with (self, to, -1, 0);
      break;
    case VTR_TEST_HOST_DEVICE:
      file = open ("/dev/zero", O_RDWR | O_CLOEXEC);
      send_welcome_with (self, to, file, 0);
      close (file);
      break;
    case VTR_TEST_HOST_CUT_FILE:
      file = memfd_create ("cut", MFD_CLOEXEC);
      g_assert_cmpint (write (file, self->ring->header, 8192), ==, 8192);
      send_welcome_with (self, to, file, 0);
      close (file);
      break;
    case VTR_TEST_HOST_SHORT:
      send_welcome_with (self, to, self->ring->fd, 8);
      break;
    case VTR_TEST_HOST_BUSY:
      for (guint i = 0; i < BUSY_SECONDS; i++)
        {
          const VtrCaptureMessage wait = { VTR_CAPTURE_WAIT, 0 };

          g_assert_cmpint (send (to, &wait, sizeof wait, MSG_NOSIGNAL), ==, sizeof wait);
          g_usleep (G_USEC_PER_SEC);
        }
      send_welcome_with (self, to, self->ring->fd, 0);
      break;
    case VTR_TEST_HOST_WELCOME:
      send_welcome_with (self, to, self->ring->fd, 0);
      break;
    case VTR_TEST_HOST_DECLINE:
    case VTR_TEST_HOST_SILENT:
    case VTR_TEST_HOST_ABSENT:
    default:
      break;
    }
}

static void
take_message (VtrTestHost              *self,
              const VtrTestHostOptions *options,
              int                       from,
              const guint8             *bytes,
              gsize                     size)
{
  VtrCaptureMessage head;
  const guint8 *body = bytes + sizeof head;

  g_assert_cmpuint (size, >=, sizeof head);
  memcpy (&head, bytes, sizeof head);
  g_assert_cmpuint (size, ==, sizeof head + head.size);
  switch (head.type)
    {
    case VTR_CAPTURE_HELLO:
      g_assert_cmpuint (head.size, ==, sizeof self->hello);
      memcpy (&self->hello, body, sizeof self->hello);
      g_assert_cmpuint (self->hello.protocol, ==, VTR_CAPTURE_PROTOCOL);
      self->n_hellos++;
      memcpy (self->ring->header->apis, self->hello.apis, sizeof self->hello.apis);
      if (options->manner == VTR_TEST_HOST_DECLINE || self->n_hellos > 1)
        {
          const VtrCaptureMessage decline = { VTR_CAPTURE_DECLINE, 0 };

          g_assert_cmpint (send (from, &decline, sizeof decline, MSG_NOSIGNAL), ==, sizeof decline);
        }
      else
        send_welcome (self, options->manner, from);
      break;

    case VTR_CAPTURE_RUNG:
      {
        VtrCaptureRung rung;

        g_assert_cmpuint (head.size, ==, sizeof rung);
        memcpy (&rung, body, sizeof rung);
        g_assert_cmpuint (rung.rung, <, VTR_CAPTURE_N_RUNGS);
        if (rung.result >= 0)
          self->rungs |= 1u << rung.rung;
        g_strlcpy (self->facts[rung.rung], rung.fact, sizeof rung.fact);
        break;
      }

    case VTR_CAPTURE_NOTICE:
      {
        VtrCaptureNotice notice;

        g_assert_cmpuint (head.size, ==, sizeof notice);
        memcpy (&notice, body, sizeof notice);
        g_ptr_array_add (self->notices, g_strndup (notice.text, sizeof notice.text));
        break;
      }

    case VTR_CAPTURE_WITHHELD:
      g_assert_cmpuint (head.size, ==, sizeof (VtrCaptureWithheld));
      break;

    case VTR_CAPTURE_BYE:
      self->bye = TRUE;
      break;

    default:
      g_assert_not_reached ();
    }
}

/* Returns: FALSE if the other side has closed the connection. */
static gboolean
read_messages (VtrTestHost              *self,
               const VtrTestHostOptions *options,
               int                       from)
{
  guint8 bytes[VTR_CAPTURE_MAX_MESSAGE];

  for (;;)
    {
      ssize_t got = recv (from, bytes, sizeof bytes, MSG_DONTWAIT);

      if (got < 0)
        return TRUE;
      if (got == 0)
        return FALSE;
      take_message (self, options, from, bytes, (gsize)got);
    }
}

/* ---- The program ---- */

static char **
make_environment (const VtrTestHostOptions *options,
                  const char               *path)
{
  char **environment = g_get_environ ();
  g_autofree char *layers = NULL;

  environment = g_environ_unsetenv (environment, "VK_INSTANCE_LAYERS");
  environment = g_environ_unsetenv (environment, "VITRINE_SOCKET");
  /* The driver leaks; in a sanitised build the programs that we run are sanitised, too. */
  environment = g_environ_setenv (environment, "ASAN_OPTIONS", "detect_leaks=0", TRUE);
  if (options->layers != NULL || !options->no_layer)
    {
      layers =
        g_strjoin (":", options->layers != NULL ? options->layers : VTR_LAYER_NAME,
                   options->layers != NULL && !options->no_layer ? VTR_LAYER_NAME : NULL, NULL);
      environment = g_environ_setenv (environment, "VK_INSTANCE_LAYERS", layers, TRUE);
    }
  if (options->no_layer)
    return environment;
  environment = g_environ_setenv (environment, "VK_ADD_LAYER_PATH", VTR_TEST_LAYER_DIR, TRUE);
  return g_environ_setenv (environment, "VITRINE_SOCKET", path, TRUE);
}

/* What a test starts does not outlive it, also when an assertion ends it. */
static void
die_with_parent (gpointer data)
{
  prctl (PR_SET_PDEATHSIG, SIGKILL);
}

static GPid
spawn (const VtrTestHostOptions        *options,
       const char               *const *argv,
       const char                      *path,
       int                             *output)
{
  g_auto (GStrv) environment = make_environment (options, path);
  g_autoptr (GError) error = NULL;
  GPid pid;
  int pipes[2];

  g_assert_cmpint (pipe2 (pipes, O_CLOEXEC), ==, 0);
  fcntl (pipes[0], F_SETFL, O_NONBLOCK);
  if (!g_spawn_async_with_fds (NULL, (char **)argv, environment,
                               G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD,
                               die_with_parent, NULL, &pid,
                               -1, pipes[1], pipes[1], &error))
    g_error ("%s", error->message);
  close (pipes[1]);
  *output = pipes[0];
  return pid;
}

static void
read_output (GString *to,
             int      from)
{
  char bytes[4096];
  ssize_t got;

  while ((got = read (from, bytes, sizeof bytes)) > 0)
    g_string_append_len (to, bytes, got);
}

static void
serve (VtrTestHost              *self,
       const VtrTestHostOptions *options,
       GPid                      pid,
       int                       listener,
       int                       output,
       guint                     milliseconds)
{
  /* What a quiet machine needs, and as much again three times for a busy one. */
  gint64 deadline = g_get_monotonic_time () + milliseconds * G_GINT64_CONSTANT (4000);
  GString *text = g_string_new (NULL);
  g_autoptr (GArray) connections = g_array_new (FALSE, FALSE, sizeof (int));
  gboolean vanished = FALSE;
  gboolean killed = FALSE;

  while (waitpid (pid, &self->status, WNOHANG) == 0)
    {
      int fd = listener < 0 ? -1 : accept4 (listener, NULL, NULL, SOCK_CLOEXEC);

      if (fd >= 0)
        g_array_append_val (connections, fd);
      for (guint i = 0; i < connections->len; i++)
        read_messages (self, options, g_array_index (connections, int, i));
      vtr_test_ring_drain (self->ring);
      if (options->discard)
        vtr_test_ring_discard (self->ring);
      read_output (text, output);

      if (options->vanish_after > 0 && !vanished &&
          atomic_load (&self->ring->header->frames) >= options->vanish_after)
        {
          for (guint i = 0; i < connections->len; i++)
            close (g_array_index (connections, int, i));
          g_array_set_size (connections, 0);
          vanished = TRUE;
        }
      if (options->kill_now != NULL && !killed && options->kill_now (options->kill_data))
        {
          kill (pid, SIGKILL);
          killed = TRUE;
        }
      if (g_get_monotonic_time () > deadline)
        {
          self->timed_out = TRUE;
          kill (pid, deadline + 3000000 < g_get_monotonic_time () ? SIGKILL : SIGTERM);
        }
      g_usleep (1000);
    }

  for (guint i = 0; i < connections->len; i++)
    {
      read_messages (self, options, g_array_index (connections, int, i));
      close (g_array_index (connections, int, i));
    }
  vtr_test_ring_drain (self->ring);
  read_output (text, output);
  self->output = g_string_free (text, FALSE);
}

VtrTestHost *
vtr_test_host_run (const VtrTestHostOptions        *options,
                   const char               *const *argv,
                   guint                            milliseconds)
{
  VtrTestHost *self = g_new0 (VtrTestHost, 1);
  g_autofree char *folder = g_dir_make_tmp ("vitrine-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "socket", NULL);
  int listener = -1;
  int output;
  GPid pid;

  self->ring =
    vtr_test_ring_new (options->n_segments > 0 ? options->n_segments : VTR_RING_DEFAULT_SEGMENTS,
                       64, options->release || options->discard);
  self->notices = g_ptr_array_new_with_free_func (g_free);
  atomic_store (&self->ring->header->mode, options->mode);
  atomic_store (&self->ring->header->frame_limit, options->frame_limit);
  atomic_store (&self->ring->header->trigger_frame, options->trigger_frame);
  atomic_store (&self->ring->header->trigger_request, options->trigger);
  if (options->manner != VTR_TEST_HOST_ABSENT)
    listener = listen_at (path);

  pid = spawn (options, argv, path, &output);
  serve (self, options, pid, listener, output, milliseconds);
  close (output);
  if (listener >= 0)
    close (listener);
  g_unlink (path);
  g_rmdir (folder);
  return self;
}

void
vtr_test_host_free (VtrTestHost *self)
{
  vtr_test_ring_free (self->ring);
  g_ptr_array_unref (self->notices);
  g_free (self->output);
  g_free (self);
}

/* ---- The display ---- */

static GPid display_pid;

gboolean
vtr_test_display_start (void)
{
  const char *const argv[] = { "Xvfb", "-displayfd", "3", "-noreset", "-nolisten", "tcp",
                               "-screen", "0", "1024x768x24", NULL };
  const int target[] = { 3 };
  char number[16] = { 0 };
  char name[32];
  int pipes[2];
  gsize got = 0;

  g_assert_cmpint (pipe2 (pipes, O_CLOEXEC), ==, 0);
  if (!g_spawn_async_with_pipes_and_fds (
        NULL, argv, NULL,
        G_SPAWN_SEARCH_PATH | G_SPAWN_STDOUT_TO_DEV_NULL | G_SPAWN_STDERR_TO_DEV_NULL |
          G_SPAWN_DO_NOT_REAP_CHILD,
        die_with_parent, NULL, -1, -1, -1, &pipes[1], target, 1, &display_pid, NULL, NULL, NULL,
        NULL))
    {
      close (pipes[0]);
      close (pipes[1]);
      return FALSE;
    }
  close (pipes[1]);
  while (got < sizeof number - 1)
    {
      ssize_t n = read (pipes[0], number + got, 1);

      if (n <= 0 || number[got] == '\n')
        break;
      got++;
    }
  close (pipes[0]);
  g_assert_cmpuint (got, >, 0);
  g_snprintf (name, sizeof name, ":%d", atoi (number));
  g_setenv ("DISPLAY", name, TRUE);
  return TRUE;
}

void
vtr_test_display_stop (void)
{
  if (display_pid == 0)
    return;
  kill (display_pid, SIGTERM);
  waitpid (display_pid, NULL, 0);
  display_pid = 0;
}
