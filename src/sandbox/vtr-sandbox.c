/* Locks the process down with Landlock, seccomp and resource limits before it reads untrusted
 * data. */
#include "sandbox/vtr-sandbox-private.h"

#include "wire/vtr-replay-channel.h"
#include "wire/vtr-replay-status.h"

#include <linux/capability.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Descriptors, each of which may be a full pipe; signals and timers that wait. */
#define MAX_OPEN 8192
#define MAX_SIGNALS 1024

static void
lower (int    resource,
       rlim_t most)
{
  struct rlimit limit;

  if (getrlimit (resource, &limit) != 0)
    return;
  if (limit.rlim_max != RLIM_INFINITY && limit.rlim_max < most)
    return;
  limit.rlim_cur = limit.rlim_max = most;
  setrlimit (resource, &limit);
}

static rlim_t
physical_memory (void)
{
  return (rlim_t)sysconf (_SC_PHYS_PAGES) * (rlim_t)sysconf (_SC_PAGESIZE);
}

static void
limit_files (void)
{
  rlim_t memory = physical_memory ();

  signal (SIGXFSZ, SIG_IGN); /* EFBIG says as much */
  lower (RLIMIT_NOFILE, MAX_OPEN);
  /* These are counted for the user, not for the process: the user's other programs need theirs. */
  lower (RLIMIT_SIGPENDING, MAX_SIGNALS);
  lower (RLIMIT_MSGQUEUE, 0);
  lower (RLIMIT_FSIZE, memory > VTR_REPLAY_MAX_BULK ? memory : VTR_REPLAY_MAX_BULK);
}

void
vtr_sandbox_limit_memory (uint64_t reserved)
{
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  const char *wish = getenv ("VITRINE_REPLAY_MEMORY");
  uint64_t memory = wish != NULL ? strtoull (wish, NULL, 10) << 20 : 0;
  rlim_t most;

  if (memory == 0)
    memory = physical_memory ();
  if (!__builtin_add_overflow (memory, reserved, &most))
    lower (RLIMIT_DATA, most);
#endif
}

#ifdef __SANITIZE_ADDRESS__
static bool locked;

/* Looking for leaks takes calls and files that a locked process does not have. */
__attribute__ ((visibility ("default"))) int __lsan_is_turned_off (void);
int
__lsan_is_turned_off (void)
{
  return locked;
}
#endif

/* Closes all descriptors from @first on that the parent left open. */
static void
close_others (unsigned first)
{
#ifdef SYS_close_range
  syscall (SYS_close_range, first, ~0u, 0);
#endif
}

/* Drops root's capabilities, such as raising limits again, reading all files, and loading code into
 * the kernel. */
static void
drop_rights (void)
{
  struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
  const struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { { 0, 0, 0 } };

  syscall (SYS_capset, &header, none);
}

/* Gives the engine the descriptor at which seccomp asks. Returns: whether. */
static bool
send_listener (int warden,
               int listener)
{
  union
  {
    struct cmsghdr header;
    char bytes[CMSG_SPACE (sizeof (int))];
  } control = { 0 };
  char byte = 0;
  struct iovec bytes = { &byte, 1 };
  struct msghdr message = { .msg_iov = &bytes,
                            .msg_iovlen = 1,
                            .msg_control = &control,
                            .msg_controllen = sizeof control };
  struct cmsghdr *header = CMSG_FIRSTHDR (&message);
  bool sent;

  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN (sizeof (int));
  memcpy (CMSG_DATA (header), &listener, sizeof listener);
  sent = sendmsg (warden, &message, MSG_NOSIGNAL) == 1;
  close (listener);
  return sent;
}

/* @first: descriptor that is closed, with those after it; @visit: (nullable): visits the files that
 * may be opened; @warden: socket of the warden, which makes files in memory; -1: none. */
static VtrSandbox
enter (unsigned        first,
       VtrSandboxVisit visit,
       int             warden)
{
  int listener = -1;
  const char *wish = getenv ("VITRINE_SANDBOX");
  VtrSandbox self = { 0 };

  if (wish != NULL && strcmp (wish, "0") == 0)
    return self;
  self.on = true;
#ifdef __SANITIZE_ADDRESS__
  locked = true;
#endif
  close_others (first);
  limit_files ();
  if (prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    return self;
  drop_rights ();
  self.files = vtr_sandbox_guard_files (visit);
  self.calls = vtr_sandbox_filter_calls (visit != NULL, warden >= 0 ? &listener : NULL);
  if (listener >= 0)
    self.counted = send_listener (warden, listener);
  return self;
}

VtrSandbox
vtr_sandbox_enter (VtrSandboxVisit visit)
{
  struct stat info;
  int warden = fstat (VTR_REPLAY_WARDEN_FD, &info) == 0 && S_ISSOCK (info.st_mode)
                 ? VTR_REPLAY_WARDEN_FD
                 : -1;
  VtrSandbox self = enter (warden >= 0 ? VTR_REPLAY_WARDEN_FD + 1 : VTR_REPLAY_STATUS_FD + 1, visit,
                           warden);

  if (warden >= 0)
    close (warden);
  return self;
}

VtrSandbox
vtr_sandbox_enter_tool (void)
{
  return enter (STDERR_FILENO + 1, NULL, -1);
}
