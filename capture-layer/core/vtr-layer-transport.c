/* Connects the captured program to the Vitrine that captures it: says hello, receives the ring,
 * and exchanges notices until the program ends. */
#include "vtr-layer-transport.h"

#include "vtr-layer-own-thread.h"

#include "api/vtr-api-model.h"
#include "base/vtr-log.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define WARM (4u * 1024u * 1024u) /* bytes of the ring */

VtrRingWriter vtr_layer_ring = { .fd = -1 };
uint32_t vtr_layer_options;
bool vtr_layer_live;

static const _Atomic uint32_t mode_off = VTR_RING_MODE_OFF;
const _Atomic uint32_t *_Atomic vtr_layer_mode = &mode_off;

static pthread_once_t start_once = PTHREAD_ONCE_INIT;
static pthread_mutex_t send_lock = PTHREAD_MUTEX_INITIALIZER;
static int connection = -1;
static ino_t connection_inode;
static _Atomic uint32_t rungs_sent;

/* ---- Packets ---- */

/* The program may close our descriptor behind our back, and open something of its own in its
 * place. */
static bool
is_our_connection (void)
{
  struct stat info;

  return connection >= 0 && fstat (connection, &info) == 0 && S_ISSOCK (info.st_mode) &&
         info.st_ino == connection_inode;
}

/* A host that does not read loses what is said; the program never waits for it. */
static bool
send_message (uint32_t    type,
              const void *body,
              uint32_t    size)
{
  VtrCaptureMessage head = { type, size };
  struct iovec parts[2] = { { &head, sizeof head }, { (void *)body, size } };
  struct msghdr message = { .msg_iov = parts, .msg_iovlen = size > 0 ? 2 : 1 };
  ssize_t sent = -1;

  pthread_mutex_lock (&send_lock);
  if (is_our_connection ())
    do
      sent = sendmsg (connection, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    while (sent < 0 && errno == EINTR);
  pthread_mutex_unlock (&send_lock);
  return sent == (ssize_t)(sizeof head + size);
}

/* Returns: bytes read, 0 at the end, -1 on errors. @fd: a descriptor that came along, or -1. */
static ssize_t
receive_message (int     from,
                 void   *buffer,
                 size_t  size,
                 int    *fd)
{
  union
  {
    struct cmsghdr head;
    char bytes[CMSG_SPACE (sizeof (int))];
  } control = { 0 };
  struct iovec part = { buffer, size };
  struct msghdr message = {
    .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control
  };
  ssize_t got;

  *fd = -1;
  do
    got = recvmsg (from, &message, MSG_CMSG_CLOEXEC);
  while (got < 0 && errno == EINTR);
  if (got < 0)
    return -1;
  for (struct cmsghdr *head = CMSG_FIRSTHDR (&message); head != NULL;
       head = CMSG_NXTHDR (&message, head))
    if (head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS &&
        head->cmsg_len == CMSG_LEN (sizeof (int)))
      memcpy (fd, CMSG_DATA (head), sizeof *fd);
  return got;
}

/* ---- Hello ---- */

static void
read_file (const char *path,
           char       *to,
           size_t      size)
{
  int fd = open (path, O_RDONLY | O_CLOEXEC);
  size_t n = 0;

  while (fd >= 0 && n < size)
    {
      ssize_t got = read (fd, to + n, size - n);

      if (got <= 0)
        break;
      n += (size_t)got;
    }
  if (fd >= 0)
    close (fd);
}

static void
fill_hello (VtrCaptureHello *hello)
{
  memset (hello, 0, sizeof *hello);
  hello->protocol = VTR_CAPTURE_PROTOCOL;
  hello->pid = (uint32_t)getpid ();
  hello->parent_pid = (uint32_t)getppid ();
  for (unsigned i = 0; i < VTR_N_MODELS && i < VTR_WIRE_MAX_APIS; i++)
    {
      memcpy (hello->apis[i].prefix, vtr_api_models[i].name, sizeof hello->apis[i].prefix);
      hello->apis[i].hash = vtr_api_models[i].hash;
    }
  if (readlink ("/proc/self/exe", hello->executable, sizeof hello->executable - 1) < 0)
    hello->executable[0] = '\0';
  read_file ("/proc/self/cmdline", hello->command_line, sizeof hello->command_line - 2);
}

static int64_t
now_ms (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Returns: the descriptor, or -1. */
static int
connect_to (const struct sockaddr_un *address,
            socklen_t                 size)
{
  const struct timeval patience = { .tv_sec = VTR_CAPTURE_HELLO_TIMEOUT_MS / 1000 };
  const int64_t deadline = now_ms () + VTR_CAPTURE_HELLO_TIMEOUT_MS;
  int fd;

  fd = socket (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (fd < 0)
    return -1;
  /* One that does not accept lets connections pile up until the next one waits. */
  setsockopt (fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  /* With a time-out it is not begun again after a signal, whatever its handler says. */
  while (connect (fd, (const struct sockaddr *)address, size) != 0)
    if (errno != EINTR || now_ms () > deadline)
      {
        close (fd);
        return -1;
      }
  return fd;
}

static int
connect_to_host (const char *path)
{
  struct sockaddr_un address = { .sun_family = AF_UNIX };

  if (strlen (path) >= sizeof address.sun_path)
    return -1;
  memcpy (address.sun_path, path, strlen (path));
  return connect_to (&address, sizeof address);
}

/* Connects from a sandbox that has its own file system. Any process may use such a name, so data
 * goes only to a host of the same user. */
static int
connect_without_path (const char *path)
{
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  const size_t length = strlen (path);
  struct ucred who;
  socklen_t size = sizeof who;
  int fd;

  if (length >= sizeof address.sun_path)
    return -1;
  memcpy (address.sun_path + 1, path, length);
  fd = connect_to (&address,
                   (socklen_t)(offsetof (struct sockaddr_un, sun_path) + 1 + length));
  if (fd < 0)
    return -1;
  if (getsockopt (fd, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0 && who.uid == geteuid ())
    return fd;
  close (fd);
  return -1;
}

/* The host's answer to a hello. */
typedef union
{
  VtrCaptureMessage head;
  char bytes[VTR_CAPTURE_MAX_MESSAGE];
} VtrCaptureAnswer;

static bool
wait_readable (int     fd,
               int64_t deadline)
{
  for (;;)
    {
      struct pollfd wait = { .fd = fd, .events = POLLIN };
      int64_t left = deadline - now_ms ();
      int n;

      if (left <= 0)
        return false;
      n = poll (&wait, 1, (int)left);
      if (n > 0)
        return true;
      if (n < 0 && errno != EINTR)
        return false;
    }
}

/* Waits for the host's answer. The limit is one of silence: a host that has many programs to greet
 * says that it has not forgotten this one. Returns: as receive_message(). */
static ssize_t
wait_for_answer (VtrCaptureAnswer *answer,
                 int              *fd)
{
  for (;;)
    {
      ssize_t got;

      *fd = -1;
      if (!wait_readable (connection, now_ms () + VTR_CAPTURE_HELLO_TIMEOUT_MS))
        {
          vtr_log (VTR_LOG_WARNING, "the capture host does not answer; running uncaptured");
          return -1;
        }
      got = receive_message (connection, answer, sizeof *answer, fd);
      if (got < (ssize_t)sizeof answer->head || answer->head.type != VTR_CAPTURE_WAIT)
        return got;
      if (*fd >= 0)
        close (*fd);
    }
}

/* Whether the ring is for all APIs that this library records. */
static bool
have_same_registries (void)
{
  for (unsigned i = 0; i < VTR_N_MODELS; i++)
    if (!vtr_wire_apis_have (vtr_layer_ring.header->apis, vtr_api_models[i].name,
                             vtr_api_models[i].hash))
      return false;
  return true;
}

/* Takes the host's answer. Returns: whether a ring came with it and could be attached. */
static bool
take_answer (void)
{
  VtrCaptureAnswer buffer;
  VtrCaptureWelcome welcome;
  VtrStatus status;
  int fd;
  ssize_t got = wait_for_answer (&buffer, &fd);

  if (got < (ssize_t)(sizeof buffer.head + sizeof welcome) ||
      buffer.head.type != VTR_CAPTURE_WELCOME || fd < 0)
    {
      if (fd >= 0)
        close (fd);
      return false;
    }
  memcpy (&welcome, buffer.bytes + sizeof buffer.head, sizeof welcome);

  status = vtr_ring_writer_attach (&vtr_layer_ring, fd);
  if (status != VTR_OK)
    {
      close (fd);
      vtr_layer_transport_notice (VTR_LOG_ERROR, "The recording buffer cannot be used: %s",
                                  vtr_status_to_string (status));
      return false;
    }
  if (!have_same_registries ())
    {
      vtr_layer_transport_notice (
        VTR_LOG_ERROR, "The capture layer and Vitrine were built from different registries");
      vtr_ring_writer_detach (&vtr_layer_ring);
      return false;
    }
  vtr_layer_options = welcome.options;
  return true;
}

/* ---- While it runs ---- */

/* Waits for the host to go away, because then the ring gets no more room. */
static void
watch_host (void)
{
  char buffer[VTR_CAPTURE_MAX_MESSAGE];
  int from = connection;
  int fd;

  /* A capture in the middle of the run writes its state while the program waits. */
  if (atomic_load (&vtr_layer_ring.header->mode) == VTR_RING_MODE_IDLE)
    vtr_ring_writer_warm (&vtr_layer_ring, WARM / VTR_RING_SEGMENT_SIZE);
  while (is_our_connection () && receive_message (from, buffer, sizeof buffer, &fd) > 0)
    if (fd >= 0)
      close (fd);

  /* In this order: who sees that nothing is recorded any more is to see why. */
  vtr_ring_writer_end (&vtr_layer_ring, VTR_RING_STATE_HOST_GONE);
  vtr_layer_transport_stop ();
}

static const VtrLayerOwnThread watcher = { "vitrine-layer", watch_host, 128 * 1024 };

static void (*fork_handlers[VTR_LAYER_FORK_HANDLERS]) (void);
static unsigned n_fork_handlers;

void
vtr_layer_transport_at_fork (void (*forked) (void))
{
  assert (n_fork_handlers < VTR_LAYER_FORK_HANDLERS);
  fork_handlers[n_fork_handlers++] = forked;
}

/* A child without exec is not captured, and must not keep the host from seeing the parent's
 * end. Who has locks or threads of the layer's has a handler. */
static void
forked (void)
{
  vtr_layer_transport_stop ();
  vtr_layer_live = false;
  for (unsigned i = 0; i < n_fork_handlers; i++)
    fork_handlers[i]();
  vtr_ring_writer_forked (&vtr_layer_ring);
  if (is_our_connection ())
    close (connection);
  connection = -1;
}

static void
disconnect (void)
{
  if (connection >= 0)
    close (connection);
  connection = -1;
}

/* The path where a host waits for programs started elsewhere. */
static int
connect_to_waiting_host (void)
{
  const char *runtime = secure_getenv ("XDG_RUNTIME_DIR");
  char path[sizeof ((struct sockaddr_un *)NULL)->sun_path];
  struct stat info;
  int length;

  if (runtime != NULL && runtime[0] == '/' && stat (runtime, &info) == 0 &&
      S_ISDIR (info.st_mode))
    length = snprintf (path, sizeof path, "%s/vitrine/" VTR_CAPTURE_HOME_SOCKET, runtime);
  else
    length = snprintf (path, sizeof path, "/dev/shm/vitrine-%u/" VTR_CAPTURE_HOME_SOCKET,
                       (unsigned)geteuid ());
  if (length < 0 || (size_t)length >= sizeof path)
    return -1;
  /* Only a host of the same user: it gets data of this program. */
  if (lstat (path, &info) != 0 || !S_ISSOCK (info.st_mode) || info.st_uid != geteuid ())
    return -1;
  return connect_to_host (path);
}

/* The host that started the program, or, for one started elsewhere with VITRINE_CAPTURE, the one
 * that waits, if any: without it everything is as it always is. */
static int
find_host (void)
{
  const char *path = secure_getenv ("VITRINE_SOCKET");
  const char *wanted = secure_getenv ("VITRINE_CAPTURE");
  int found = -1;

  if (path != NULL && path[0] != '\0')
    {
      found = connect_to_host (path);
      if (found < 0)
        found = connect_without_path (path);
      if (found < 0)
        vtr_log (VTR_LOG_WARNING, "there is no capture host at %s; running uncaptured", path);
    }
  else if (wanted != NULL && wanted[0] != '\0' && strcmp (wanted, "0") != 0)
    found = connect_to_waiting_host ();
  return found;
}

static void
start (void)
{
  VtrCaptureHello *hello;
  struct stat info;
  bool sent;

  connection = find_host ();
  if (connection < 0)
    return;
  if (fstat (connection, &info) == 0)
    connection_inode = info.st_ino;
  hello = malloc (sizeof *hello);
  if (hello == NULL)
    {
      disconnect ();
      return;
    }
  fill_hello (hello);
  sent = send_message (VTR_CAPTURE_HELLO, hello, sizeof *hello);
  free (hello);
  if (!sent || !take_answer ())
    {
      disconnect ();
      return;
    }

  if (pthread_atfork (NULL, NULL, forked) != 0 || !vtr_layer_own_thread_start (&watcher))
    {
      vtr_layer_transport_notice (VTR_LOG_ERROR, "The program cannot start another thread");
      vtr_ring_writer_detach (&vtr_layer_ring);
      disconnect ();
      return;
    }
  vtr_layer_live = atomic_load (&vtr_layer_ring.header->mode) == VTR_RING_MODE_IDLE;
  atomic_store_explicit (&vtr_layer_mode, &vtr_layer_ring.header->mode, memory_order_release);
  vtr_layer_transport_rung (VTR_CAPTURE_RUNG_LOADED, 0, "");
}

bool
vtr_layer_transport_start (void)
{
  pthread_once (&start_once, start);
  return vtr_layer_ring.header != NULL;
}

void
vtr_layer_transport_stop (void)
{
  atomic_store_explicit (&vtr_layer_mode, &mode_off, memory_order_release);
}

void
vtr_layer_transport_rung (VtrCaptureRungKind  kind,
                          int32_t             result,
                          const char         *fact)
{
  uint32_t bit = UINT32_C (1) << kind;
  VtrCaptureRung rung = { kind, result, "" };

  if (connection < 0 || (atomic_load_explicit (&rungs_sent, memory_order_relaxed) & bit))
    return;
  /* A failure may be followed by a success, a success by nothing new. */
  if (result >= 0 && (atomic_fetch_or (&rungs_sent, bit) & bit))
    return;
  snprintf (rung.fact, sizeof rung.fact, "%s", fact);
  send_message (VTR_CAPTURE_RUNG, &rung, sizeof rung);
}

void
vtr_layer_transport_withheld (const VtrCaptureWithheld *withheld)
{
  send_message (VTR_CAPTURE_WITHHELD, withheld, sizeof *withheld);
}

void
vtr_layer_transport_notice (uint32_t level,
                            const char *format,
                            ...)
{
  VtrCaptureNotice notice = { level, "" };
  va_list args;

  va_start (args, format);
  vsnprintf (notice.text, sizeof notice.text, format, args);
  va_end (args);
  vtr_log ((VtrLogLevel)level, "%s", notice.text);
  send_message (VTR_CAPTURE_NOTICE, &notice, sizeof notice);
}

__attribute__ ((destructor)) static void
say_bye (void)
{
  if (is_our_connection ())
    send_message (VTR_CAPTURE_BYE, NULL, 0);
}
