/* Tries to start, read and change other processes. */
#include "vtr-intruder-private.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

/* The whole of it: a child that runs a program. */
static bool
run_program (void)
{
  int status;
  pid_t child = fork ();

  if (child == 0)
    {
      execl ("/bin/true", "true", NULL);
      _exit (1);
    }
  return child > 0 && waitpid (child, &status, 0) == child && status == 0;
}

/* What a thread then opens is in no table that others look at. */
static bool
unshare_files (void)
{
  return syscall (SYS_close_range, ~0u, ~0u, 2u) == 0;
}

/* A program that is nowhere in the file system; its file can be made, and not run. */
static bool
run_memory (void)
{
  static char *const argv[] = { (char *)"true", NULL };
  int file = memfd_create ("program", MFD_CLOEXEC);
  int from = open ("/bin/true", O_RDONLY | O_CLOEXEC);
  char bytes[65536];
  ssize_t n;
  int status;
  pid_t child;

  while (from >= 0 && (n = read (from, bytes, sizeof bytes)) > 0)
    if (write (file, bytes, (size_t)n) != n)
      break;
  if (from >= 0)
    close (from);
  child = fork ();
  if (child == 0)
    {
      fexecve (file, argv, argv + 1);
      _exit (1);
    }
  close (file);
  return child > 0 && waitpid (child, &status, 0) == child && status == 0;
}

/* Like run_memory (), without a child: success would not come back. */
static bool
become_memory (void)
{
  static char *const argv[] = { (char *)"nothing", NULL };
  int file = memfd_create ("nothing", MFD_CLOEXEC);

  syscall (SYS_execveat, file, "", argv, NULL, AT_EMPTY_PATH);
  close (file);
  return errno == ENOEXEC;
}

/* Fails for another reason where it is not forbidden: success would not come back. */
static bool
become_program (void)
{
  static char *const argv[] = { (char *)"nothing", NULL };

  execve ("/vitrine/does/not/exist", argv, NULL);
  return errno == ENOENT;
}

static bool
spawn_by_vfork (void)
{
  int status;
  long child = syscall (SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);

  if (child == 0)
    _exit (0);
  return child > 0 && waitpid ((pid_t)child, &status, 0) == (pid_t)child;
}

static bool
trace_victim (void)
{
  if (ptrace (PTRACE_SEIZE, vtr_intruder_victim (), NULL, NULL) != 0)
    return false;
  ptrace (PTRACE_DETACH, vtr_intruder_victim (), NULL, NULL);
  return true;
}

static bool
read_victim (void)
{
  char path[64];

  snprintf (path, sizeof path, "/proc/%d/mem", (int)vtr_intruder_victim ());
  return vtr_intruder_opened (open (path, O_RDONLY));
}

static bool
read_parent_environment (void)
{
  char path[64];

  snprintf (path, sizeof path, "/proc/%d/environ", (int)getppid ());
  return vtr_intruder_opened (open (path, O_RDONLY));
}

static bool
peek_victim (void)
{
  char byte;
  struct iovec here = { &byte, 1 }, there = { NULL, 1 };

  /* EFAULT: nothing lies at that address, which it was allowed to find out. */
  return process_vm_readv (vtr_intruder_victim (), &here, 1, &there, 1, 0) >= 0 || errno == EFAULT;
}

static bool
signal_victim (void)
{
  return kill (vtr_intruder_victim (), SIGUSR1) == 0;
}

static bool
signal_thread_of_victim (void)
{
  return syscall (SYS_tgkill, vtr_intruder_victim (), vtr_intruder_victim (), SIGUSR1) == 0;
}

static bool
signal_parent (void)
{
  return kill (getppid (), 0) == 0;
}

/* A file's news become somebody else's signals. */
static bool
signal_by_owner (void)
{
  int fds[2];
  bool done;

  if (pipe (fds) != 0)
    return false;
  done = fcntl (fds[0], F_SETOWN, vtr_intruder_victim ()) == 0;
  close (fds[0]);
  close (fds[1]);
  return done;
}

static bool
write_into_victim (void)
{
  char path[64];

  snprintf (path, sizeof path, "/proc/%d/mem", (int)vtr_intruder_victim ());
  return vtr_intruder_opened (open (path, O_RDWR));
}

static bool
poke_victim (void)
{
  char byte = 0;
  struct iovec here = { &byte, 1 }, there = { NULL, 1 };

  return process_vm_writev (vtr_intruder_victim (), &here, 1, &there, 1, 0) >= 0 || errno == EFAULT;
}

static bool
slow_victim (void)
{
  return setpriority (PRIO_PROCESS, (id_t)vtr_intruder_victim (), 19) == 0;
}

static bool
pin_victim (void)
{
  cpu_set_t set;

  return sched_getaffinity (vtr_intruder_victim (), sizeof set, &set) == 0 &&
         sched_setaffinity (vtr_intruder_victim (), sizeof set, &set) == 0;
}

static bool
reschedule_victim (void)
{
  const struct sched_param none = { 0 };

  return sched_setscheduler (vtr_intruder_victim (), SCHED_BATCH, &none) == 0;
}

static bool
limit_victim (void)
{
  struct rlimit limit;

  return prlimit (vtr_intruder_victim (), RLIMIT_NOFILE, NULL, &limit) == 0;
}

/* By a file handle, so that the process id is not needed. */
static bool
take_descriptor (void)
{
  return vtr_intruder_opened ((int)syscall (SYS_pidfd_getfd, -1, 0, 0)) || errno == EBADF;
}

/* Any descriptor that the starter of the replayer has left open. */
static bool
find_open_files (void)
{
  struct stat info;

  for (int fd = 3; fd < 1024; fd++)
    if (fstat (fd, &info) == 0 &&
        (unsigned long)info.st_ino == strtoul (vtr_intruder_setting ("INTRUDER_OPEN"), NULL, 10))
      return true;
  errno = ENOENT;
  return false;
}

static bool
open_process (void)
{
  return vtr_intruder_opened ((int)syscall (SYS_pidfd_open, vtr_intruder_victim (), 0));
}

/* What the user's session has in its environment. */
static bool
read_environment_secrets (void)
{
  static const char *const names[] = { "SSH_AUTH_SOCK", "DBUS_SESSION_BUS_ADDRESS",
                                       "AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN",
                                       "NVIDIA_API_KEY", "INNOCENT_VARIABLE" };

  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (getenv (names[i]) != NULL)
      return true;
  errno = ENOENT;
  return false;
}

const VtrIntruderAct vtr_intruder_processes[] = {
  ACT (unshare_files),
  ACT (read_environment_secrets),
  ACT (run_program),
  ACT (become_program),
  ACT (run_memory),
  ACT (become_memory),
  ACT (spawn_by_vfork),
  ACT (trace_victim),
  ACT (read_victim),
  ACT (read_parent_environment),
  ACT (peek_victim),
  ACT (signal_victim),
  ACT (signal_thread_of_victim),
  ACT (signal_parent),
  ACT (signal_by_owner),
  ACT (write_into_victim),
  ACT (poke_victim),
  ACT (slow_victim),
  ACT (pin_victim),
  ACT (reschedule_victim),
  ACT (limit_victim),
  ACT (take_descriptor),
  ACT (find_open_files),
  ACT (open_process),
  { 0 },
};
