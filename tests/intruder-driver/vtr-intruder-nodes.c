/* Tries to create special files (named pipes, sockets, device nodes), and to enter the folders of
 * other traces. */
#include "vtr-intruder-private.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

/* In the only folder that a replayer may write to. */
static const char *
in_home (const char *name)
{
  static char path[4096];

  snprintf (path, sizeof path, "%s/%s", vtr_intruder_setting ("HOME"), name);
  return path;
}

/* Returns: whether it was @made, which is removed then. */
static bool
was_made (bool        made,
          const char *path)
{
  if (made)
    unlink (path);
  return made;
}

static bool
make_pipe_with_name (void)
{
  return was_made (mkfifo (in_home ("pipe"), 0600) == 0, in_home ("pipe"));
}

static bool
make_device (void)
{
  const dev_t null = makedev (1, 3);

  return was_made (mknod (in_home ("null"), S_IFCHR | 0600, null) == 0, in_home ("null"));
}

static bool
make_socket_node (void)
{
  return was_made (mknod (in_home ("socket"), S_IFSOCK | 0600, 0) == 0, in_home ("socket"));
}

static bool
listen_at_home (void)
{
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  int fd = socket (AF_UNIX, SOCK_STREAM, 0);
  bool done;

  snprintf (address.sun_path, sizeof address.sun_path, "%.100s", in_home ("listens"));
  done = fd >= 0 && bind (fd, (struct sockaddr *)&address, sizeof address) == 0;
  if (fd >= 0)
    close (fd);
  return was_made (done, address.sun_path);
}

static bool
make_hard_link (void)
{
  bool made = link (vtr_intruder_setting ("INTRUDER_SECRET"), in_home ("linked")) == 0;

  return was_made (made, in_home ("linked"));
}

static bool
list_folder (const char *path)
{
  DIR *folder = opendir (path);

  if (folder == NULL)
    return false;
  closedir (folder);
  return true;
}

/* What the drivers of other traces keep. */
static bool
list_neighbours (void)
{
  return list_folder (in_home ("..")) || list_folder (in_home ("../.."));
}

static bool
write_beside_home (void)
{
  const char *path = in_home ("../beside");

  return was_made (vtr_intruder_opened (open (path, O_WRONLY | O_CREAT, 0600)), path);
}

/* ENOENT: there is no such device here. */
static bool
open_first (const char *const *nodes)
{
  int why = ENOENT;

  for (; *nodes != NULL; nodes++)
    {
      if (vtr_intruder_opened (open (*nodes, O_RDONLY | O_NONBLOCK | O_NOCTTY)))
        return true;
      why = errno != ENOENT ? errno : why;
    }
  errno = why;
  return false;
}

static bool
open_disks (void)
{
  static const char *const nodes[] = { "/dev/vda", "/dev/sda", "/dev/nvme0n1", "/dev/loop-control",
                                       "/dev/loop0", "/dev/mapper/control", NULL };

  return open_first (nodes);
}

static bool
open_memory (void)
{
  static const char *const nodes[] = { "/dev/mem", "/dev/port", "/dev/kmsg", "/proc/kcore",
                                       "/proc/kmsg", "/dev/cpu/0/msr", NULL };

  return open_first (nodes);
}

static bool
open_machinery (void)
{
  static const char *const nodes[] = { "/dev/kvm", "/dev/vhost-net", "/dev/vsock",
                                       "/dev/net/tun", "/dev/fuse", "/dev/userfaultfd",
                                       "/dev/vfio/vfio", NULL };

  return open_first (nodes);
}

static bool
open_input (void)
{
  static const char *const nodes[] = { "/dev/uinput", "/dev/uhid", "/dev/input/event0", "/dev/tty0",
                                       "/dev/console", "/dev/ptmx", "/dev/snd/timer", "/dev/rtc0",
                                       NULL };

  return open_first (nodes);
}

const VtrIntruderAct vtr_intruder_nodes[] = {
  ACT (make_pipe_with_name),
  ACT (make_device),
  ACT (make_socket_node),
  ACT (listen_at_home),
  ACT (make_hard_link),
  ACT (list_neighbours),
  ACT (write_beside_home),
  ACT (open_disks),
  ACT (open_memory),
  ACT (open_machinery),
  ACT (open_input),
  { 0 },
};
