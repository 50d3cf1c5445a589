/* The thread that listens on the control socket, accepts programs with the layer and reads their
 * messages. */
#include "vtr-capture-control.h"

#include "engine/capture/vtr-capture-greeter.h"
#include "engine/capture/vtr-capture-ring.h"
#include "engine/api/vtr-capture-error.h"
#include "engine/capture/vtr-capture-socket.h"
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
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define MAX_PEERS 4096
/* As many as the kernel queues. A program whose connection finds no place waits without an
 * answer. */
#define BACKLOG SOMAXCONN
#define AT_ONCE 64

struct _VtrCaptureControl
{
  VtrCaptureControlEvents events;
  gpointer data;
  VtrCaptureGreeter *greeter;
  char *path;
  VtrCaptureSocket own; /* not at home */
  int listener;
  int nameless; /* another one, without a path; -1: there is none */
  int home;     /* the lock of who listens at home; -1: not this one */
  int wake;
  GPtrArray *peers; /* of VtrCapturePeer, in the order in which they came; the thread's alone */
  GArray *polls;    /* of struct pollfd, for each of .peers; the thread's alone */
  guint next_id;
  int n_peers; /* atomic: those that said who they are, answered or not */
  int ending;  /* atomic */
  GThread *thread;
};

static void
take_hello (VtrCaptureControl     *self,
            VtrCapturePeer        *peer,
            const VtrCaptureHello *hello)
{
  if (peer->said_hello)
    return;
  peer->said_hello = TRUE;
  g_atomic_int_inc (&self->n_peers);
  vtr_capture_greeter_push (self->greeter, peer, hello);
}

static void
take_message (VtrCaptureControl *self,
              VtrCapturePeer    *peer,
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

      take_hello (self, peer, hello);
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
  else if (head.type == VTR_CAPTURE_WITHHELD && size >= sizeof (VtrCaptureWithheld))
    {
      g_autofree VtrCaptureWithheld *withheld = g_memdup2 (bytes, sizeof *withheld);

      withheld->names[sizeof withheld->names - 1] = '\0';
      if (self->events.withheld != NULL)
        self->events.withheld (peer->id, withheld->names, self->data);
    }
}

/* Returns: FALSE if the peer has closed the connection. */
static gboolean
read_peer (VtrCaptureControl *self,
           VtrCapturePeer    *peer)
{
  guint8 buffer[VTR_CAPTURE_MAX_MESSAGE];
  gssize got;

  do
    got = recv (peer->fd, buffer, sizeof buffer, MSG_DONTWAIT);
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
  VtrCapturePeer *peer = g_ptr_array_steal_index (self->peers, nth);

  if (peer->said_hello)
    {
      g_atomic_int_add (&self->n_peers, -1);
      vtr_capture_greeter_hang_up (self->greeter, peer);
    }
  vtr_capture_peer_unref (peer);
}

/* Programs say hello right after connecting. If there are too many connections, the oldest one
 * without a hello is closed. */
static gboolean
make_room (VtrCaptureControl *self)
{
  for (guint i = 0; self->peers->len >= MAX_PEERS && i < self->peers->len; i++)
    {
      VtrCapturePeer *peer = g_ptr_array_index (self->peers, i);

      if (!peer->said_hello && (!read_peer (self, peer) || !peer->said_hello))
        drop_peer (self, i);
    }
  return self->peers->len < MAX_PEERS;
}

/* Returns: FALSE if no program is connecting. */
static gboolean
accept_peer (VtrCaptureControl *self,
             int                listener)
{
  const int fd = accept4 (listener, NULL, NULL, SOCK_CLOEXEC);
  struct ucred who;
  socklen_t size = sizeof who;

  if (fd < 0)
    {
      /* The program keeps waiting, and poll() returns at once until a descriptor is free. */
      if (errno == EMFILE || errno == ENFILE)
        g_usleep (10 * G_TIME_SPAN_MILLISECOND);
      return errno == ECONNABORTED || errno == EINTR;
    }
  if (getsockopt (fd, SOL_SOCKET, SO_PEERCRED, &who, &size) != 0 ||
      who.uid != geteuid () || !make_room (self))
    {
      close (fd);
      return TRUE;
    }
  g_ptr_array_add (self->peers, vtr_capture_peer_new (fd, self->next_id++, who.pid));
  return TRUE;
}

/* A burst of programs comes in together. */
static void
accept_peers (VtrCaptureControl *self,
              int                listener)
{
  for (guint i = 0; i < AT_ONCE && accept_peer (self, listener); i++)
    ;
}

static void
add_poll (VtrCaptureControl *self,
          int                fd)
{
  struct pollfd wanted = { .fd = fd, .events = POLLIN };

  g_array_append_val (self->polls, wanted);
}

/* Waits for news, and keeps those in line waiting. @n: of the peers that were looked at. */
static gboolean
wait_for_news (VtrCaptureControl *self,
               gint64            *next_patience,
               guint             *n)
{
  gint64 now = g_get_monotonic_time ();
  gboolean waiting = TRUE;

  if (now >= *next_patience)
    {
      waiting = vtr_capture_greeter_ask_for_patience (self->greeter);
      *next_patience = now + VTR_CAPTURE_WAIT_MS * G_TIME_SPAN_MILLISECOND / 2;
    }
  g_array_set_size (self->polls, 0);
  add_poll (self, self->wake);
  add_poll (self, self->listener);
  add_poll (self, self->nameless);
  *n = self->peers->len;
  for (guint i = 0; i < *n; i++)
    add_poll (self, ((VtrCapturePeer *)g_ptr_array_index (self->peers, i))->fd);
  return poll ((struct pollfd *)(void *)self->polls->data, self->polls->len,
               waiting ? VTR_CAPTURE_WAIT_MS / 2 : -1) > 0;
}

static gpointer
run (gpointer data)
{
  VtrCaptureControl *self = data;
  gint64 next_patience = 0;

  while (!g_atomic_int_get (&self->ending))
    {
      const struct pollfd *polls;
      guint n;

      if (!wait_for_news (self, &next_patience, &n))
        continue;
      polls = (const struct pollfd *)(void *)self->polls->data;
      for (guint i = n; i-- > 0;)
        if (polls[i + 3].revents != 0 && !read_peer (self, g_ptr_array_index (self->peers, i)))
          drop_peer (self, i);
      if ((polls[1].revents & POLLIN) != 0)
        accept_peers (self, self->listener);
      if ((polls[2].revents & POLLIN) != 0)
        accept_peers (self, self->nameless);
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

/* Whether a host listens there. If not, a dead host has left the file. */
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

static gboolean
fail_to_listen (const char  *path,
                GError     **error)
{
  g_set_error (error, VTR_CAPTURE_ERROR, VTR_CAPTURE_ERROR_FAILED, _ ("Cannot listen at “%s”: %s"),
               path, g_strerror (errno));
  return FALSE;
}

static gboolean
listen_at_home (VtrCaptureControl  *self,
                const char         *folder,
                GError            **error)
{
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  g_autofree char *path = g_build_filename (folder, VTR_CAPTURE_HOME_SOCKET, NULL);
  struct stat info;

  if (strlen (path) >= sizeof address.sun_path)
    {
      g_set_error (error, VTR_CAPTURE_ERROR, VTR_CAPTURE_ERROR_FAILED,
                   _ ("The path “%s” is too long for a socket. Set XDG_RUNTIME_DIR to a shorter "
                      "one."),
                   path);
      return FALSE;
    }
  memcpy (address.sun_path, path, strlen (path));
  if (!take_home (self, path) || is_listening (&address))
    {
      g_set_error_literal (error, VTR_CAPTURE_ERROR, VTR_CAPTURE_ERROR_FAILED,
                           _ ("Another Vitrine is already waiting for a program. Stop it first."));
      return FALSE;
    }
  /* Removes the socket of a dead host; anything but a socket is not Vitrine's. */
  if (g_lstat (path, &info) == 0 && S_ISSOCK (info.st_mode))
    g_unlink (path);
  self->listener = socket (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (self->listener < 0 ||
      bind (self->listener, (struct sockaddr *)&address, sizeof address) != 0)
    return fail_to_listen (path, error);
  self->path = g_steal_pointer (&path);
  return listen (self->listener, BACKLOG) == 0 || fail_to_listen (self->path, error);
}

static gboolean
listen_at (VtrCaptureControl  *self,
           gboolean            at_home,
           GError            **error)
{
  g_autofree char *folder = vtr_capture_ring_get_folder (error);

  if (folder == NULL)
    return FALSE;
  vtr_capture_socket_clean (folder);
  if (at_home)
    return listen_at_home (self, folder, error);
  if (!vtr_capture_socket_open (&self->own, folder, ".socket", SOCK_SEQPACKET, error))
    return FALSE;
  self->path = g_strdup (self->own.path);
  return listen (self->own.fd, BACKLOG) == 0 || fail_to_listen (self->path, error);
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
       listen (self->nameless, BACKLOG) == 0))
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
  self->listener = self->nameless = self->home = -1;
  self->own = (VtrCaptureSocket){ .fd = -1, .lock_fd = -1 };
  self->next_id = 1;
  self->peers = g_ptr_array_new_with_free_func ((GDestroyNotify)vtr_capture_peer_unref);
  self->polls = g_array_new (FALSE, FALSE, sizeof (struct pollfd));
  self->wake = eventfd (0, EFD_CLOEXEC);
  if (!listen_at (self, at_home, error))
    {
      vtr_capture_control_free (self);
      return NULL;
    }
  if (!at_home)
    {
      self->listener = self->own.fd;
      listen_without_path (self);
    }
  fcntl (self->listener, F_SETFL, O_NONBLOCK);
  if (self->nameless >= 0)
    fcntl (self->nameless, F_SETFL, O_NONBLOCK);
  self->greeter = vtr_capture_greeter_new (options, events, data);
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
  return (guint)g_atomic_int_get (&self->n_peers) +
         vtr_capture_greeter_get_length (self->greeter);
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
  vtr_capture_greeter_free (self->greeter);
  g_ptr_array_unref (self->peers);
  g_array_unref (self->polls);
  if (self->listener >= 0 && self->listener != self->own.fd)
    close (self->listener);
  if (self->nameless >= 0)
    close (self->nameless);
  if (self->wake >= 0)
    close (self->wake);
  if (self->path != NULL && self->home >= 0)
    g_unlink (self->path);
  vtr_capture_socket_close (&self->own);
  if (self->home >= 0)
    close (self->home);
  g_free (self->path);
  g_free (self);
}
