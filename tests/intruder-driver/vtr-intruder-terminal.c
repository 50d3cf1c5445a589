/* Tries to use the terminal from which Vitrine was started, and what a process may change of
 * itself and of files without a descriptor for writing. */
#include "vtr-intruder-private.h"

#include <asm/termbits.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/fs.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The kernel takes the lower half of a request; a filter that compares all of it is led astray. */
#define WIDE (1ul << 32)

/* Reads what is typed, and writes escape sequences. */
static bool
hold_terminal (void)
{
  struct termios settings;

  for (int fd = 0; fd < 3; fd++)
    if (syscall (SYS_ioctl, fd, TCGETS, &settings) == 0)
      return true;
  return false;
}

static bool
open_terminal (void)
{
  return vtr_intruder_opened (open ("/dev/tty", O_RDWR));
}

/* Signals of the keyboard and of the kernel's job control come with it. */
static bool
share_session (void)
{
  errno = ENOENT;
  return getsid (0) != getpid ();
}

/* Escape sequences: what they change on a terminal, a test sees there. */
static bool
write_escapes (void)
{
  fputs ("escapes of the intruder \033]0;taken\007\033[8m\x9b"
         "31m\x85 \xc2\x9b 5n\n",
         stderr);
  errno = ENOENT;
  return false;
}

/* ENOTTY: standard error is none, but the question was allowed. */
static bool
type_into_terminal (void)
{
  char byte = ' ';

  return vtr_intruder_was_looked_at (ioctl (STDERR_FILENO, TIOCSTI, &byte));
}

static bool
type_widely (void)
{
  char byte = ' ';

  return vtr_intruder_was_looked_at (syscall (SYS_ioctl, STDERR_FILENO, TIOCSTI | WIDE, &byte));
}

static bool
change_terminal (void)
{
  struct termios2 settings = { 0 };

  return vtr_intruder_was_looked_at (syscall (SYS_ioctl, STDERR_FILENO, TCSETS2, &settings));
}

static bool
change_terminal_widely (void)
{
  struct termios2 settings = { 0 };

  return vtr_intruder_was_looked_at (
    syscall (SYS_ioctl, STDERR_FILENO, TCSETSF2 | WIDE << 8, &settings));
}

static bool
take_terminal (void)
{
  return vtr_intruder_was_looked_at (syscall (SYS_ioctl, STDERR_FILENO, TIOCSCTTY | WIDE, 0));
}

/* A file that may be read is made immutable, or sealed by fs-verity, without writing to it. */
static bool
change_flags (void)
{
  int fd = open ("/proc/self/exe", O_RDONLY);
  bool done = fd >= 0 && vtr_intruder_was_looked_at (ioctl (fd, FS_IOC_SETFLAGS, NULL));

  if (fd >= 0)
    close (fd);
  return done;
}

/* When Vitrine is killed. */
static bool
stay_behind (void)
{
  if (prctl (PR_SET_PDEATHSIG, 0) != 0)
    return false;
  prctl (PR_SET_PDEATHSIG, SIGKILL);
  return true;
}

static bool
hide_from_parent (void)
{
  if (prctl (PR_SET_DUMPABLE, 0) != 0)
    return false;
  prctl (PR_SET_DUMPABLE, 1);
  return true;
}

static bool
hold_rights (void)
{
  struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
  struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { { 0, 0, 0 } };

  if (syscall (SYS_capget, &header, data) != 0)
    return true;
  errno = EPERM;
  return (data[0].permitted | data[1].permitted) != 0;
}

/* Root may, unless it has given that up. */
static bool
raise_limits (void)
{
  const struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };

  return setrlimit (RLIMIT_CORE, &all) == 0;
}

const VtrIntruderAct vtr_intruder_terminal[] = {
  ACT (hold_terminal),
  ACT (open_terminal),
  ACT (share_session),
  ACT (write_escapes),
  ACT (type_into_terminal),
  ACT (type_widely),
  ACT (change_terminal),
  ACT (change_terminal_widely),
  ACT (take_terminal),
  ACT (change_flags),
  ACT (stay_behind),
  ACT (hide_from_parent),
  ACT (hold_rights),
  ACT (raise_limits),
  { 0 },
};
