/* A thread that answers programs one after the other: makes each a ring and a trace, and asks
 * those in the queue to keep waiting. */
#include "vtr-capture-greeter.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct _VtrCaptureGreeter
{
  VtrCaptureControlEvents events;
  gpointer data;
  guint32 options;

  GMutex lock;
  GCond wake;
  GQueue line;             /* of VtrCapturePeer, with a reference each */
  VtrCapturePeer *current; /* the one that is being answered; borrowed */
  gboolean ending;
  GThread *thread;
};

/* ---- Peers ---- */

VtrCapturePeer *
vtr_capture_peer_new (int   fd,
                      guint id,
                      pid_t pid)
{
  VtrCapturePeer *self = g_new0 (VtrCapturePeer, 1);

  g_atomic_ref_count_init (&self->refs);
  self->fd = fd;
  self->id = id;
  self->pid = pid;
  return self;
}

void
vtr_capture_peer_unref (VtrCapturePeer *self)
{
  if (!g_atomic_ref_count_dec (&self->refs))
    return;
  close (self->fd);
  g_free (self->hello);
  g_free (self);
}

/* Never waits: the socket has room for the answer even if the program does not read. */
static gboolean
send_answer (VtrCapturePeer *to,
             guint32         type,
             const void     *body,
             gsize           size,
             int             ring)
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
  return sendmsg (to->fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT) == (gssize)(sizeof head + size);
}

/* ---- Hello ---- */

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
answer (VtrCaptureGreeter *self,
        VtrCapturePeer    *peer,
        VtrCaptureHello   *hello)
{
  g_auto (GStrv) arguments = split_command_line (hello);
  VtrCaptureWelcome welcome = { .options = self->options };
  guint64 bytes = 0;
  int ring;

  ring = self->events.hello (peer->id, hello, arguments, &bytes, self->data);
  welcome.ring_bytes = bytes;
  if (ring >= 0)
    send_answer (peer, VTR_CAPTURE_WELCOME, &welcome, sizeof welcome, ring);
  else
    send_answer (peer, VTR_CAPTURE_DECLINE, NULL, 0, -1);
}

/* A program that has ended in the meantime gets no ring, but is still reported. */
static void
greet (VtrCaptureGreeter *self,
       VtrCapturePeer    *peer)
{
  g_autofree VtrCaptureHello *hello = g_steal_pointer (&peer->hello);
  gboolean gone;

  if (peer->pid > 0)
    hello->pid = (guint32)peer->pid;
  hello->executable[sizeof hello->executable - 1] = '\0';
  g_mutex_lock (&self->lock);
  gone = peer->gone;
  g_mutex_unlock (&self->lock);
  if (gone)
    {
      g_auto (GStrv) arguments = split_command_line (hello);

      self->events.missed (hello, arguments, self->data);
      return;
    }
  answer (self, peer, hello);
  g_mutex_lock (&self->lock);
  peer->answered = TRUE;
  gone = peer->gone;
  g_mutex_unlock (&self->lock);
  if (gone)
    self->events.hang_up (peer->id, self->data);
}

static gpointer
run (gpointer data)
{
  VtrCaptureGreeter *self = data;

  g_mutex_lock (&self->lock);
  while (!self->ending)
    {
      VtrCapturePeer *peer = g_queue_pop_head (&self->line);

      if (peer == NULL)
        {
          g_cond_wait (&self->wake, &self->lock);
          continue;
        }
      self->current = peer;
      g_mutex_unlock (&self->lock);
      greet (self, peer);
      g_mutex_lock (&self->lock);
      self->current = NULL;
      vtr_capture_peer_unref (peer);
    }
  g_mutex_unlock (&self->lock);
  return NULL;
}

/* ---- The control thread ---- */

VtrCaptureGreeter *
vtr_capture_greeter_new (guint32                        options,
                         const VtrCaptureControlEvents *events,
                         gpointer                       data)
{
  VtrCaptureGreeter *self = g_new0 (VtrCaptureGreeter, 1);

  self->events = *events;
  self->data = data;
  self->options = options;
  g_mutex_init (&self->lock);
  g_cond_init (&self->wake);
  g_queue_init (&self->line);
  self->thread = g_thread_new ("greeter", run, self);
  return self;
}

void
vtr_capture_greeter_free (VtrCaptureGreeter *self)
{
  if (self == NULL)
    return;
  g_mutex_lock (&self->lock);
  self->ending = TRUE;
  g_cond_signal (&self->wake);
  g_mutex_unlock (&self->lock);
  g_thread_join (self->thread);
  g_queue_clear_full (&self->line, (GDestroyNotify)vtr_capture_peer_unref);
  g_cond_clear (&self->wake);
  g_mutex_clear (&self->lock);
  g_free (self);
}

void
vtr_capture_greeter_push (VtrCaptureGreeter     *self,
                          VtrCapturePeer        *peer,
                          const VtrCaptureHello *hello)
{
  peer->hello = g_memdup2 (hello, sizeof *hello);
  g_atomic_ref_count_inc (&peer->refs);
  g_mutex_lock (&self->lock);
  g_queue_push_tail (&self->line, peer);
  g_cond_signal (&self->wake);
  g_mutex_unlock (&self->lock);
}

void
vtr_capture_greeter_hang_up (VtrCaptureGreeter *self,
                             VtrCapturePeer    *peer)
{
  gboolean answered;

  g_mutex_lock (&self->lock);
  peer->gone = TRUE;
  answered = peer->answered;
  g_mutex_unlock (&self->lock);
  if (answered)
    self->events.hang_up (peer->id, self->data);
}

static guint
get_length_locked (VtrCaptureGreeter *self)
{
  return self->line.length + (self->current != NULL);
}

guint
vtr_capture_greeter_get_length (VtrCaptureGreeter *self)
{
  guint length;

  g_mutex_lock (&self->lock);
  length = get_length_locked (self);
  g_mutex_unlock (&self->lock);
  return length;
}

gboolean
vtr_capture_greeter_ask_for_patience (VtrCaptureGreeter *self)
{
  gboolean any;

  g_mutex_lock (&self->lock);
  any = get_length_locked (self) > 0;
  if (self->current != NULL)
    send_answer (self->current, VTR_CAPTURE_WAIT, NULL, 0, -1);
  for (GList *l = self->line.head; l != NULL; l = l->next)
    if (!((VtrCapturePeer *)l->data)->gone)
      send_answer (l->data, VTR_CAPTURE_WAIT, NULL, 0, -1);
  g_mutex_unlock (&self->lock);
  return any;
}
