/* Sends and receives packets with file descriptors between engine and replayer, and maps the
 * sealed memfds that carry bulk data. */
#include "vtr-replay-channel.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

/* --- Packets --------------------------------------------------------------------------------- */

static VtrStatus
vtr_replay_channel_wait (int   socket,
                         short events)
{
  struct pollfd poll_fd = { .fd = socket, .events = events };

  while (poll (&poll_fd, 1, -1) < 0)
    if (errno != EINTR)
      return VTR_IO;
  return VTR_OK;
}

static VtrStatus
vtr_replay_channel_status (int error)
{
  switch (error)
    {
    case EPIPE:
    case ECONNRESET:
    case ENOTCONN:
      return VTR_CLOSED;
    case EMSGSIZE:
      return VTR_NO_SPACE;
    default:
      return VTR_IO;
    }
}

VtrStatus
vtr_replay_channel_send (int         socket,
                         const void *bytes,
                         size_t      size,
                         int         fd,
                         bool        wait)
{
  union
  {
    struct cmsghdr header;
    char bytes[CMSG_SPACE (sizeof (int))];
  } control = { 0 };
  struct iovec vector = { (void *)bytes, size };
  struct msghdr message = { .msg_iov = &vector, .msg_iovlen = 1 };

  if (size > VTR_REPLAY_PACKET_BYTES)
    return VTR_NO_SPACE;
  if (fd >= 0)
    {
      message.msg_control = &control;
      message.msg_controllen = sizeof control;
      control.header.cmsg_level = SOL_SOCKET;
      control.header.cmsg_type = SCM_RIGHTS;
      control.header.cmsg_len = CMSG_LEN (sizeof (int));
      memcpy (CMSG_DATA (&control.header), &fd, sizeof fd);
    }
  for (;;)
    {
      if (sendmsg (socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0)
        return VTR_OK;
      if (errno == EINTR)
        continue;
      /* ETOOMANYREFS: descriptors in flight are counted per user; they are taken in soon. */
      if (errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS || errno == ETOOMANYREFS)
        {
          VtrStatus status = VTR_TIMEOUT;

          if (wait && errno == ETOOMANYREFS)
            status = usleep (1000) == 0 || errno == EINTR ? VTR_OK : VTR_IO;
          else if (wait)
            status = vtr_replay_channel_wait (socket, POLLOUT);
          if (status != VTR_OK)
            return status;
          continue;
        }
      return vtr_replay_channel_status (errno);
    }
}

/* Takes the descriptor out of @message. Returns: how many there were; all but the first are
 * closed. */
static unsigned
vtr_replay_channel_take_fd (struct msghdr *message,
                            int           *fd)
{
  unsigned count = 0;

  *fd = -1;
  for (struct cmsghdr *header = CMSG_FIRSTHDR (message); header != NULL;
       header = CMSG_NXTHDR (message, header))
    {
      size_t n;

      if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS)
        continue;
      n = (header->cmsg_len - CMSG_LEN (0)) / sizeof (int);
      for (size_t i = 0; i < n; i++)
        {
          int received;

          memcpy (&received, CMSG_DATA (header) + i * sizeof received, sizeof received);
          if (count++ == 0)
            *fd = received;
          else
            close (received);
        }
    }
  return count;
}

VtrStatus
vtr_replay_channel_receive (int     socket,
                            void   *bytes,
                            size_t *size,
                            int    *fd,
                            bool    wait)
{
  union
  {
    struct cmsghdr header;
    char bytes[CMSG_SPACE (4 * sizeof (int))];
  } control;
  struct iovec vector = { bytes, *size };
  struct msghdr message = {
    .msg_iov = &vector,
    .msg_iovlen = 1,
    .msg_control = &control,
    .msg_controllen = sizeof control,
  };
  ssize_t received;
  unsigned n_fds;

  *fd = -1;
  for (;;)
    {
      VtrStatus status;

      received = recvmsg (socket, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
      if (received >= 0)
        break;
      if (errno == EINTR)
        continue;
      if (errno != EAGAIN && errno != EWOULDBLOCK)
        return vtr_replay_channel_status (errno);
      if (!wait)
        return VTR_TIMEOUT;
      status = vtr_replay_channel_wait (socket, POLLIN);
      if (status != VTR_OK)
        return status;
    }
  n_fds = vtr_replay_channel_take_fd (&message, fd);
  if (received == 0 && n_fds == 0)
    return VTR_CLOSED;
  if (n_fds > 1 || (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0)
    {
      if (*fd >= 0)
        close (*fd);
      *fd = -1;
      return VTR_CORRUPT;
    }
  *size = (size_t)received;
  return VTR_OK;
}

/* --- Bulk data ------------------------------------------------------------------------------- */

static VtrStatus
vtr_replay_bulk_map (VtrReplayBulk *self,
                     int            protection)
{
  void *bytes = mmap (NULL, self->size, protection, MAP_SHARED, self->fd, 0);

  if (bytes == MAP_FAILED)
    return VTR_IO;
  self->bytes = bytes;
  return VTR_OK;
}

VtrStatus
vtr_replay_bulk_create (VtrReplayBulk *self,
                        const char    *name,
                        uint64_t       size)
{
  VtrStatus status;

  *self = (VtrReplayBulk)VTR_REPLAY_BULK_INIT;
  if (size == 0 || size > VTR_REPLAY_MAX_BULK || size > SIZE_MAX)
    return VTR_NO_SPACE;
  self->fd = memfd_create (name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (self->fd < 0)
    return VTR_IO;
  self->size = (size_t)size;
  if (ftruncate (self->fd, (off_t)size) != 0)
    status = VTR_NO_SPACE;
  else
    status = vtr_replay_bulk_map (self, PROT_READ | PROT_WRITE);
  if (status != VTR_OK)
    vtr_replay_bulk_finish (self);
  return status;
}

VtrStatus
vtr_replay_bulk_seal (VtrReplayBulk *self)
{
  return fcntl (self->fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0 ? VTR_OK
                                                                                       : VTR_IO;
}

/* Pages of a file in huge pages may be missing when they are looked at, whatever its seals. */
static bool
vtr_replay_bulk_is_plain (int fd)
{
  const unsigned long huge_pages = 0x958458f6; /* HUGETLBFS_MAGIC */
  struct statfs info;

  return fstatfs (fd, &info) == 0 && (unsigned long)info.f_type != huge_pages;
}

VtrStatus
vtr_replay_bulk_open (VtrReplayBulk *self,
                      int            fd,
                      uint64_t       size)
{
  struct stat info;
  int seals = fd < 0 ? -1 : fcntl (fd, F_GET_SEALS);
  VtrStatus status = VTR_CORRUPT;

  *self = (VtrReplayBulk){ .fd = fd, .size = (size_t)size };
  if (seals >= 0 && (seals & F_SEAL_SHRINK) != 0 && vtr_replay_bulk_is_plain (fd) && size > 0 &&
      size <= VTR_REPLAY_MAX_BULK && size <= SIZE_MAX && fstat (fd, &info) == 0 &&
      (uint64_t)info.st_size >= size)
    status = vtr_replay_bulk_map (self, PROT_READ);
  if (status != VTR_OK)
    vtr_replay_bulk_finish (self);
  return status;
}

void
vtr_replay_bulk_finish (VtrReplayBulk *self)
{
  if (self->bytes != NULL)
    munmap (self->bytes, self->size);
  if (self->fd >= 0)
    close (self->fd);
  *self = (VtrReplayBulk)VTR_REPLAY_BULK_INIT;
}
