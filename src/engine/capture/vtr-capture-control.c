#include "vtr-capture-control.h"

#include "engine/capture/vtr-capture-ring.h"
#include "engine/capture/vtr-capture-session.h"
#include "vtr-config.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>
#include <poll.h>
#include <stddef.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define MAX_PEERS 256

typedef struct
{
  int fd;
  guint id;
  pid_t pid; /* as it is here: a sandbox counts its own; 0: not to be seen from here */
  gboolean greeted;
} Peer;

struct _VtrCaptureControl
{
  VtrCaptureControlEvents events;
  gpointer data;
  guint32 options;
  char *path;
  int listener;
  int nameless; /* another one, without a path; -1: there is none */
  int home;     /* the lock of who listens at home; -1: not this one */
  int wake;
  GArray *peers; /* of Peer, in the order in which they came; the thread's alone */
  guint next_id;
  int n_peers; /* atomic: those that said who they are */
  int ending;  /* atomic */
  GThread *thread;
};

static gboolean
send_answer (int         fd,
             guint32     type,
             const void *body,
             gsize       size,
             int         ring)
{
  VtrCaptureMessage head = { type, (guint32)size };
  struct iovec parts[2] = { { &head, sizeof head }, { (void *)body, size } };
  union
  {
    struct cmsghdr head;
    char bytes[CMSG_SPACE (sizeof (int))];
  } control = { 0 };
  struct msghdr message = { .msg_iov = parts, .msg_iovlen = size > 0 ? 2 : 1 };

  if (ring >= 0)
    {
      struct cmsghdr *rights;

      message.msg_control = &control;
      message.msg_controllen = sizeof control;
      rights = CMSG_FIRSTHDR (&message);
      rights->cmsg_level = SOL_SOCKET;
      rights->cmsg_type = SCM_RIGHTS;
      rights->cmsg_len = CMSG_LEN (sizeof ring);
      memcpy (CMSG_DATA (rights), &ring, sizeof ring);
    }
  return sendmsg (fd, &message, MSG_NOSIGNAL) == (gssize)(sizeof head + size);
}

/* NUL-separated, ended by two; whatever comes. */
static char **
split_command_line (const VtrCaptureHello *hello)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  gsize at = 0;

  while (at < sizeof hello->command_line && hello->command_line[at] != '\0')
    {
      gsize left = sizeof hello->command_line - at;
      gsize length = strnlen (hello->command_line + at, left);
      g_autofree char *raw = g_strndup (hello->command_line + at, length);
      g_autofree char *text = g_utf8_make_valid (raw, -1);

      g_strv_builder_add (builder, text);
      at += length + 1;
    }
  return g_strv_builder_end (builder);
}

static void
greet (VtrCaptureControl *self,
       Peer              *peer,
       VtrCaptureHello   *hello)
{
  g_auto (GStrv) arguments = NULL;
  VtrCaptureWelcome welcome = { .options = self->options };
  guint64 bytes = 0;
  int ring = -1;

  if (peer->greeted)
    return;
  peer->greeted = TRUE;
  g_atomic_int_inc (&self->n_peers);
  if (peer->pid > 0)
    hello->pid = (guint32)peer->pid;
  hello->executable[sizeof hello->executable - 1] = '\0';
  arguments = split_command_line (hello);
  ring = self->events.hello (peer->id, hello, arguments, &bytes, self->data);
  welcome.ring_bytes = bytes;
  if (ring >= 0)
    send_answer (peer->fd, VTR_CAPTURE_WELCOME, &welcome, sizeof welcome, ring);
  else
    send_answer (peer->fd, VTR_CAPTURE_DECLINE, NULL, 0, -1);
}

static void
take_message (VtrCaptureControl *self,
              Peer              *peer,
              const guint8      *bytes,
              gsize              size)
{
  VtrCaptureMessage head;

  if (size < sizeof head)
    return;
  memcpy (&head, bytes, sizeof head);
  bytes += sizeof head;
  size -= sizeof head;

  if (head.type == VTR_CAPTURE_HELLO && size >= sizeof (VtrCaptureHello))
    {
      g_autofree VtrCaptureHello *hello = g_memdup2 (bytes, sizeof *hello);

      greet (self, peer, hello);
    }
  else if (head.type == VTR_CAPTURE_RUNG && size >= sizeof (VtrCaptureRung))
    {
      VtrCaptureRung rung;

      memcpy (&rung, bytes, sizeof rung);
      rung.fact[sizeof rung.fact - 1] = '\0';
      if (rung.rung < VTR_CAPTURE_N_RUNGS)
        self->events.rung (peer->id, &rung, self->data);
    }
  else if (head.type == VTR_CAPTURE_NOTICE && size >= sizeof (VtrCaptureNotice))
    {
      VtrCaptureNotice notice;

      memcpy (&notice, bytes, sizeof notice);
      notice.text[sizeof notice.text - 1] = '\0';
      self->events.notice (peer->id, &notice, self->data);
    }
}

/* Returns: FALSE when the peer is gone. */
static gboolean
read_peer (VtrCaptureControl *self,
           Peer              *peer)
{
  guint8 buffer[VTR_CAPTURE_MAX_MESSAGE];
  gssize got;

  do
    got = recv (peer->fd, buffer, sizeof buffer, 0);
  while (got < 0 && errno == EINTR);
  if (got <= 0)
    return got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
  take_message (self, peer, buffer, (gsize)got);
  return TRUE;
}

static void
drop_peer (VtrCaptureControl *self,
           guint              nth)
{
  Peer peer = g_array_index (self->peers, Peer, nth);

  g_array_remove_index (self->peers, nth);
  close (peer.fd);
  if (!peer.greeted)
    return;
  g_atomic_int_add (&self->n_peers, -1);
  self->events.hang_up (peer.id, self->data);
}

/* Who connects says hello at once: of those that did not, the first makes room. */
static gboolean
make_room (VtrCaptureControl *self)
{
  for (guint i = 0; self->peers->len >= MAX_PEERS && i < self->peers->len; i++)
    if (!g_array_index (self->peers, Peer, i).greeted)
      drop_peer (self, i);
  return self->peers->len < MAX_PEERS;
}

static void
accept_peer (VtrCaptureControl *self,
             int                listener)
{
  Peer peer = { .fd = accept4 (listener, NULL, NULL, SOCK_CLOEXEC) };
  struct ucred who;
  socklen_t size = sizeof who;

  if (peer.fd < 0)
    {
      /* Whoever waits goes on waiting, and poll() returns at once until a descriptor is free. */
      if (errno == EMFILE || errno == ENFILE)
        g_usleep (10 * G_TIME_SPAN_MILLISECOND);
      return;
    }
  if (getsockopt (peer.fd, SOL_SOCKET, SO_PEERCRED, &who, &size) != 0 ||
      who.uid != geteuid () || !make_room (self))
    {
      close (peer.fd);
      return;
    }
  peer.id = self->next_id++;
  peer.pid = who.pid;
  g_array_append_val (self->peers, peer);
}

static gpointer
run (gpointer data)
{
  VtrCaptureControl *self = data;

  while (!g_atomic_int_get (&self->ending))
    {
      struct pollfd polls[MAX_PEERS + 3];
      guint n = self->peers->len;

      polls[0] = (struct pollfd){ .fd = self->wake, .events = POLLIN };
      polls[1] = (struct pollfd){ .fd = self->listener, .events = POLLIN };
      polls[2] = (struct pollfd){ .fd = self->nameless, .events = POLLIN };
      for (guint i = 0; i < n; i++)
        polls[i + 3] = (struct pollfd){ .fd = g_array_index (self->peers, Peer, i).fd,
                                        .events = POLLIN };
      if (poll (polls, n + 3, -1) < 0)
        continue;
      for (guint i = n; i-- > 0;)
        if (polls[i + 3].revents != 0 && !read_peer (self, &g_array_index (self->peers, Peer, i)))
          drop_peer (self, i);
      if ((polls[1].revents & POLLIN) != 0)
        accept_peer (self, self->listener);
      if ((polls[2].revents & POLLIN) != 0)
        accept_peer (self, self->nameless);
    }
  return NULL;
}

/* One host waits at home at a time, from before its socket is there until after that is gone. The
 * socket alone cannot tell: between bind() and listen() it looks like what a dead one left. The
 * kernel gives the lock back, however a host ends. Returns: FALSE when another one has it. */
static gboolean
take_home (VtrCaptureControl *self,
           const char        *path)
{
  g_autofree char *name = g_strconcat (path, ".lock", NULL);

  self->home = open (name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  return self->home < 0 || flock (self->home, LOCK_EX | LOCK_NB) == 0;
}

/* Whether a host listens there; else the file is what a dead one left. */
static gboolean
is_listening (const struct sockaddr_un *address)
{
  int fd = socket (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  gboolean connected = fd >= 0 && connect (fd, (const struct sockaddr *)address,
                                           sizeof *address) == 0;

  if (fd >= 0)
    close (fd);
  return connected;
}

static char *
make_path (gboolean   at_home,
           GError   **error)
{
  static int serial;
  g_autofree char *folder = vtr_capture_ring_get_folder (error);
  g_autofree char *name = NULL;

  if (folder == NULL)
    return NULL;
  if (at_home)
    return g_build_filename (folder, VTR_CAPTURE_HOME_SOCKET, NULL);
  name = g_strdup_printf ("%d-%d.socket", (int)getpid (), g_atomic_int_add (&serial, 1));
  return g_build_filename (folder, name, NULL);
}

static gboolean
listen_at (VtrCaptureControl  *self,
           gboolean            at_home,
           GError            **error)
{
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  g_autofree char *path = make_path (at_home, error);

  if (path == NULL)
    return FALSE;
  if (strlen (path) >= sizeof address.sun_path)
    {
      g_set_error (error, VTR_CAPTURE_ERROR, VTR_CAPTURE_ERROR_FAILED,
                   _ ("The path “%s” is too long for a socket. Set XDG_RUNTIME_DIR to a shorter "
                      "one."),
                   path);
      return FALSE;
    }
  memcpy (address.sun_path, path, strlen (path));
  if (at_home && (!take_home (self, path) || is_listening (&address)))
    {
      g_set_error_literal (error, VTR_CAPTURE_ERROR, VTR_CAPTURE_ERROR_FAILED,
                           _ ("Another Vitrine waits for a program already. Stop it first."));
      return FALSE;
    }
  g_unlink (path);
  self->listener = socket (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (self->listener < 0 ||
      bind (self->listener, (struct sockaddr *)&address, sizeof address) != 0 ||
      listen (self->listener, 16) != 0)
    {
      g_set_error (error, VTR_CAPTURE_ERROR, VTR_CAPTURE_ERROR_FAILED,
                   _ ("Cannot listen at “%s”: %s"), path, g_strerror (errno));
      return FALSE;
    }
  self->path = g_steal_pointer (&path);
  return TRUE;
}

/* Programs whose sandbox has folders of its own do not find the path, but this. Without it they are
 * not captured, and others are. */
static void
listen_without_path (VtrCaptureControl *self)
{
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  const gsize length = strlen (self->path);

  memcpy (address.sun_path + 1, self->path, MIN (length, sizeof address.sun_path - 1));
  self->nameless = socket (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (self->nameless < 0 ||
      (bind (self->nameless, (struct sockaddr *)&address,
             (socklen_t)(offsetof (struct sockaddr_un, sun_path) + 1 + length)) == 0 &&
       listen (self->nameless, 16) == 0))
    return;
  close (self->nameless);
  self->nameless = -1;
}

VtrCaptureControl *
vtr_capture_control_new (guint32                         options,
                         gboolean                        at_home,
                         const VtrCaptureControlEvents  *events,
                         gpointer                        data,
                         GError                        **error)
{
  VtrCaptureControl *self = g_new0 (VtrCaptureControl, 1);

  self->events = *events;
  self->data = data;
  self->options = options;
  self->listener = self->nameless = self->home = -1;
  self->next_id = 1;
  self->peers = g_array_new (FALSE, FALSE, sizeof (Peer));
  self->wake = eventfd (0, EFD_CLOEXEC);
  if (!listen_at (self, at_home, error))
    {
      vtr_capture_control_free (self);
      return NULL;
    }
  if (!at_home)
    listen_without_path (self);
  self->thread = g_thread_new ("control", run, self);
  return self;
}

const char *
vtr_capture_control_get_path (VtrCaptureControl *self)
{
  return self->path;
}

guint
vtr_capture_control_get_n_peers (VtrCaptureControl *self)
{
  return (guint)g_atomic_int_get (&self->n_peers);
}

void
vtr_capture_control_free (VtrCaptureControl *self)
{
  guint64 one = 1;

  if (self == NULL)
    return;
  g_atomic_int_set (&self->ending, TRUE);
  if (self->thread != NULL)
    {
      if (write (self->wake, &one, sizeof one) != sizeof one)
        g_warning ("cannot wake the control thread");
      g_thread_join (self->thread);
    }
  for (guint i = 0; i < self->peers->len; i++)
    close (g_array_index (self->peers, Peer, i).fd);
  g_array_unref (self->peers);
  if (self->listener >= 0)
    close (self->listener);
  if (self->nameless >= 0)
    close (self->nameless);
  if (self->wake >= 0)
    close (self->wake);
  if (self->path != NULL)
    g_unlink (self->path);
  if (self->home >= 0)
    close (self->home);
  g_free (self->path);
  g_free (self);
}
