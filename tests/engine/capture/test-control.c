/* Tests the control connection against programs that break its rules. */
#include "engine/capture/vtr-capture-control.h"
#include "engine/capture/vtr-capture-explain.h"

#include <dirent.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <poll.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define DEADLINE_MS 60000
#define N_SILENT 300
#define N_BURST 400
#define N_IMPATIENT 20

typedef struct
{
  VtrCaptureControl *control;
  int ring;     /* given to who says hello */
  int n_hellos; /* atomic, like the others */
  int n_notices;
  int n_hang_ups;
  int n_missed;
  gulong hello_us; /* how long a ring takes */
} Fixture;

static int
on_hello (guint                   peer,
          const VtrCaptureHello  *hello,
          char                  **arguments,
          guint64                *bytes,
          gpointer                data)
{
  Fixture *self = data;

  g_usleep (self->hello_us);
  g_atomic_int_inc (&self->n_hellos);
  *bytes = 4711;
  return self->ring;
}

static void
on_rung (guint                 peer,
         const VtrCaptureRung *rung,
         gpointer              data)
{
}

static void
on_notice (guint                   peer,
           const VtrCaptureNotice *notice,
           gpointer                data)
{
  Fixture *self = data;

  g_atomic_int_inc (&self->n_notices);
}

static void
on_hang_up (guint    peer,
            gpointer data)
{
  Fixture *self = data;

  g_atomic_int_inc (&self->n_hang_ups);
}

static void
on_missed (const VtrCaptureHello  *hello,
           char                  **arguments,
           gpointer                data)
{
  Fixture *self = data;

  g_atomic_int_inc (&self->n_missed);
}

static const VtrCaptureControlEvents events = { on_hello, on_rung, on_notice, on_hang_up,
                                                on_missed };

static void
set_up (Fixture *self)
{
  g_autoptr (GError) error = NULL;

  self->ring = open ("/dev/null", O_RDWR | O_CLOEXEC);
  self->control = vtr_capture_control_new (0, FALSE, &events, self, &error);
  g_assert_no_error (error);
}

static void
tear_down (Fixture *self)
{
  vtr_capture_control_free (self->control);
  close (self->ring);
}

static int
connect_to (Fixture *self)
{
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  int fd = socket (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

  g_strlcpy (address.sun_path, vtr_capture_control_get_path (self->control),
             sizeof address.sun_path);
  g_assert_cmpint (connect (fd, (struct sockaddr *)&address, sizeof address), ==, 0);
  return fd;
}

static void
say (int         fd,
     guint32     type,
     guint32     claimed,
     const void *body,
     gsize       size)
{
  VtrCaptureMessage head = { type, claimed };
  struct iovec parts[2] = { { &head, sizeof head }, { (void *)body, size } };
  struct msghdr message = { .msg_iov = parts, .msg_iovlen = 2 };

  g_assert_cmpint (sendmsg (fd, &message, MSG_NOSIGNAL), ==, sizeof head + size);
}

static void
say_hello (int fd)
{
  VtrCaptureHello hello = { .protocol = VTR_CAPTURE_PROTOCOL, .pid = 1 };

  /* No terminator anywhere. */
  memset (hello.executable, 'x', sizeof hello.executable);
  memset (hello.command_line, 'y', sizeof hello.command_line);
  say (fd, VTR_CAPTURE_HELLO, sizeof hello, &hello, sizeof hello);
}

/* Returns: what came, with a descriptor or without. @deadline: of silence. */
static guint32
take_message (int       fd,
              int       deadline_ms,
              gboolean *with_ring)
{
  struct
  {
    VtrCaptureMessage head;
    VtrCaptureWelcome welcome;
  } answer = { 0 };
  union
  {
    struct cmsghdr head;
    char bytes[CMSG_SPACE (sizeof (int))];
  } control = { 0 };
  struct iovec part = { &answer, sizeof answer };
  struct msghdr message = {
    .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control
  };
  struct pollfd wait = { .fd = fd, .events = POLLIN };
  struct cmsghdr *head;

  g_assert_cmpint (poll (&wait, 1, deadline_ms), ==, 1);
  g_assert_cmpint (recvmsg (fd, &message, MSG_CMSG_CLOEXEC), >=, sizeof answer.head);
  head = CMSG_FIRSTHDR (&message);
  *with_ring = head != NULL;
  if (head != NULL)
    close (*(int *)(void *)CMSG_DATA (head));
  return answer.head.type;
}

static guint32
take_answer (int       fd,
             gboolean *with_ring)
{
  guint32 type;

  do
    type = take_message (fd, DEADLINE_MS, with_ring);
  while (type == VTR_CAPTURE_WAIT);
  return type;
}

static void
check_hello (Fixture *self)
{
  int fd = connect_to (self);
  gboolean with_ring;

  say_hello (fd);
  g_assert_cmpuint (take_answer (fd, &with_ring), ==, VTR_CAPTURE_WELCOME);
  g_assert_true (with_ring);
  close (fd);
}

static guint
count_files (void)
{
  DIR *folder = opendir ("/proc/self/fd");
  guint n = 0;

  while (readdir (folder) != NULL)
    n++;
  closedir (folder);
  return n;
}

static void
wait_for (const int *number,
          int        value)
{
  gint64 end = g_get_monotonic_time () + DEADLINE_MS * 1000;

  while (g_atomic_int_get (number) < value)
    {
      g_assert_cmpint (g_get_monotonic_time (), <, end);
      g_usleep (1000);
    }
}

static void
wait_for_peers (Fixture *self,
                guint    n)
{
  gint64 end = g_get_monotonic_time () + DEADLINE_MS * 1000;

  while (vtr_capture_control_get_n_peers (self->control) != n)
    {
      g_assert_cmpint (g_get_monotonic_time (), <, end);
      g_usleep (1000);
    }
}

/* Silent connections do not block others, and do not count as programs. */
static void
test_silent (void)
{
  Fixture self = { 0 };
  int silent[N_SILENT];

  set_up (&self);
  for (guint i = 0; i < N_SILENT; i++)
    silent[i] = connect_to (&self);
  check_hello (&self);
  wait_for (&self.n_hang_ups, 1);
  wait_for_peers (&self, 0);
  for (guint i = 0; i < N_SILENT; i++)
    close (silent[i]);
  check_hello (&self);
  tear_down (&self);
}

/* Hundreds of programs start at once, and each takes longer than its share of anybody's patience.
 * All are let in at once, told to wait, and answered. Those that leave meanwhile are counted. */
static void
test_burst (void)
{
  const int silence_ms = VTR_CAPTURE_HELLO_TIMEOUT_MS / 2;
  Fixture self = { .hello_us = 10 * 1000 };
  int fds[N_BURST];
  guint n_waits = 0;

  set_up (&self);
  for (guint i = 0; i < N_BURST; i++)
    {
      gint64 before = g_get_monotonic_time ();

      fds[i] = connect_to (&self);
      say_hello (fds[i]);
      g_assert_cmpint (g_get_monotonic_time () - before, <, silence_ms * 1000);
    }
  for (guint i = N_BURST - N_IMPATIENT; i < N_BURST; i++)
    close (fds[i]);
  for (guint i = 0; i < N_BURST - N_IMPATIENT; i++)
    {
      gboolean with_ring;
      guint32 type;

      while ((type = take_message (fds[i], silence_ms, &with_ring)) == VTR_CAPTURE_WAIT)
        n_waits++;
      g_assert_cmpuint (type, ==, VTR_CAPTURE_WELCOME);
      g_assert_true (with_ring);
    }
  wait_for (&self.n_missed, N_IMPATIENT);
  g_assert_cmpint (g_atomic_int_get (&self.n_hellos), ==, N_BURST - N_IMPATIENT);
  g_assert_cmpuint (n_waits, >, N_BURST);
  wait_for_peers (&self, N_BURST - N_IMPATIENT);
  for (guint i = 0; i < N_BURST - N_IMPATIENT; i++)
    close (fds[i]);
  wait_for (&self.n_hang_ups, N_BURST - N_IMPATIENT);
  tear_down (&self);
}

/* Messages that are cut, that lie about their size, of no kind; hellos again and again. */
static void
test_nonsense (void)
{
  static const guint8 zeroes[VTR_CAPTURE_MAX_MESSAGE];
  Fixture self = { 0 };
  gboolean with_ring;
  int fd;

  set_up (&self);
  fd = connect_to (&self);
  g_assert_cmpint (send (fd, "", 1, MSG_NOSIGNAL), ==, 1);
  g_assert_cmpint (send (fd, "abc", 3, MSG_NOSIGNAL), ==, 3);
  say (fd, VTR_CAPTURE_HELLO, sizeof (VtrCaptureHello), zeroes, 100);
  say (fd, VTR_CAPTURE_NOTICE, G_MAXUINT32, zeroes, 8);
  say (fd, VTR_CAPTURE_RUNG, 0, zeroes, sizeof (VtrCaptureRung) - 1);
  say (fd, 12345, 77, zeroes, 1000);
  say (fd, VTR_CAPTURE_WELCOME, sizeof (VtrCaptureWelcome), zeroes, sizeof (VtrCaptureWelcome));
  say (fd, VTR_CAPTURE_NOTICE, 0, zeroes, sizeof zeroes);
  say_hello (fd);
  g_assert_cmpuint (take_answer (fd, &with_ring), ==, VTR_CAPTURE_WELCOME);
  say_hello (fd);
  say_hello (fd);
  say (fd, VTR_CAPTURE_NOTICE, 0, zeroes, sizeof (VtrCaptureNotice));
  wait_for (&self.n_notices, 2);
  g_assert_cmpint (g_atomic_int_get (&self.n_hellos), ==, 1);
  close (fd);
  wait_for (&self.n_hang_ups, 1);
  tear_down (&self);
}

/* Descriptors that the host did not ask for are closed. */
static void
test_descriptors (void)
{
  VtrCaptureMessage head = { VTR_CAPTURE_BYE, 0 };
  union
  {
    struct cmsghdr head;
    char bytes[CMSG_SPACE (4 * sizeof (int))];
  } control = { 0 };
  struct iovec part = { &head, sizeof head };
  struct msghdr message = {
    .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control
  };
  struct cmsghdr *rights = CMSG_FIRSTHDR (&message);
  int fds[4] = { 0, 1, 2, 0 };
  Fixture self = { 0 };
  guint n;
  int fd;

  set_up (&self);
  fd = connect_to (&self);
  say_hello (fd);
  wait_for (&self.n_hellos, 1);
  n = count_files ();
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN (sizeof fds);
  memcpy (CMSG_DATA (rights), fds, sizeof fds);
  for (guint i = 0; i < 50; i++)
    g_assert_cmpint (sendmsg (fd, &message, MSG_NOSIGNAL), ==, sizeof head);
  say (fd, VTR_CAPTURE_NOTICE, 0, &(VtrCaptureNotice){ 0 }, sizeof (VtrCaptureNotice));
  wait_for (&self.n_notices, 1);
  g_assert_cmpuint (count_files (), ==, n);
  close (fd);
  tear_down (&self);
}

/* A layer of another version: that is what is said while the program runs, and in the end. */
static void
test_version (void)
{
  const VtrCaptureOptions options = { 0 };
  VtrCaptureHello hello = { .protocol = VTR_CAPTURE_PROTOCOL + 1, .executable = "/bin/game" };
  VtrCaptureRegistry registry = { 0 };
  VtrCaptureSituation situation = { .registry = &registry, .program = "game" };
  char *arguments[] = { (char *)"game", NULL };
  g_autoptr (GError) error = NULL;
  g_autofree char *before = NULL;
  g_autofree char *while_running = NULL;
  guint64 bytes = 0;

  vtr_capture_registry_init (&registry, &options);
  before = vtr_capture_explain_rungs (&situation);
  g_assert_null (strstr (before, "another version"));
  g_assert_cmpint (vtr_capture_registry_events.hello (1, &hello, arguments, &bytes, &registry), ==,
                   -1);
  while_running = vtr_capture_explain_rungs (&situation);
  error = vtr_capture_explain_silence (&situation);
  g_assert_nonnull (strstr (while_running, "another version"));
  g_assert_cmpstr (while_running, ==, error->message);
  vtr_capture_registry_clear (&registry);
}

/* A killed host leaves a socket behind on which nobody listens. */
static void
leave_socket (const char *path)
{
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  int fd = socket (AF_UNIX, SOCK_STREAM, 0);

  g_assert_cmpint (fd, >=, 0);
  g_assert_cmpuint (g_strlcpy (address.sun_path, path, sizeof address.sun_path), <,
                    sizeof address.sun_path);
  g_assert_cmpint (bind (fd, (const struct sockaddr *)&address, sizeof address), ==, 0);
  close (fd);
}

/* One waits at home: not beside one that has not come as far as listening, and after its death. */
static void
test_home (void)
{
  g_autofree char *folder = g_build_filename (g_getenv ("XDG_RUNTIME_DIR"), "vitrine", NULL);
  g_autofree char *lock = g_build_filename (folder, VTR_CAPTURE_HOME_SOCKET ".lock", NULL);
  g_autofree char *path = g_build_filename (folder, VTR_CAPTURE_HOME_SOCKET, NULL);
  g_autoptr (GError) error = NULL;
  Fixture self = { 0 };
  int other;

  self.control = vtr_capture_control_new (0, TRUE, &events, &self, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (vtr_capture_control_get_path (self.control), ==, path);
  g_assert_null (vtr_capture_control_new (0, TRUE, &events, &self, &error));
  g_assert_nonnull (strstr (error->message, "already waiting for a program"));
  g_clear_error (&error);
  g_assert_true (g_file_test (path, G_FILE_TEST_EXISTS));
  vtr_capture_control_free (self.control);
  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));

  other = open (lock, O_RDWR | O_CLOEXEC);
  g_assert_cmpint (other, >=, 0);
  g_assert_cmpint (flock (other, LOCK_EX | LOCK_NB), ==, 0);
  leave_socket (path);
  g_assert_null (vtr_capture_control_new (0, TRUE, &events, &self, &error));
  g_assert_nonnull (strstr (error->message, "already waiting for a program"));
  g_clear_error (&error);
  g_assert_true (g_file_test (path, G_FILE_TEST_EXISTS));
  close (other);

  self.control = vtr_capture_control_new (0, TRUE, &events, &self, &error);
  g_assert_no_error (error);
  vtr_capture_control_free (self.control);
  g_unlink (lock);
}

int
main (int    argc,
      char **argv)
{
  g_autofree char *runtime = g_dir_make_tmp ("vtr-run-XXXXXX", NULL);
  g_autofree char *folder = g_build_filename (runtime, "vitrine", NULL);
  int status;

  g_test_init (&argc, &argv, NULL);
  g_setenv ("XDG_RUNTIME_DIR", runtime, TRUE);
  g_test_add_func ("/engine/capture/control/silent", test_silent);
  g_test_add_func ("/engine/capture/control/burst", test_burst);
  g_test_add_func ("/engine/capture/control/nonsense", test_nonsense);
  g_test_add_func ("/engine/capture/control/descriptors", test_descriptors);
  g_test_add_func ("/engine/capture/control/version", test_version);
  g_test_add_func ("/engine/capture/control/home", test_home);
  status = g_test_run ();
  g_rmdir (folder);
  g_rmdir (runtime);
  return status;
}
