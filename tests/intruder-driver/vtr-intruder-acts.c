#include "vtr-intruder-acts.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/io_uring.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

/* Each returns whether it was possible; else errno says why not. */

static const char *
setting (const char *name)
{
  const char *value = getenv (name);

  return value != NULL ? value : "";
}

static pid_t
victim (void)
{
  return (pid_t)atoi (setting ("INTRUDER_VICTIM"));
}

static const char *
in_folder (const char *name)
{
  static char path[4096];

  snprintf (path, sizeof path, "%s/%s", setting ("INTRUDER_FOLDER"), name);
  return path;
}

static bool
opened (int fd)
{
  if (fd < 0)
    return false;
  close (fd);
  return true;
}

/* --- Files ----------------------------------------------------------------------------------- */

static bool
read_secret (void)
{
  char byte;
  int fd = open (setting ("INTRUDER_SECRET"), O_RDONLY);
  bool done = fd >= 0 && read (fd, &byte, 1) == 1;

  if (fd >= 0)
    close (fd);
  return done;
}

/* By another way to the same file. */
static bool
read_secret_by_root (void)
{
  char path[4096];

  snprintf (path, sizeof path, "/proc/self/root%s", setting ("INTRUDER_SECRET"));
  return opened (open (path, O_RDONLY));
}

static bool
list_home (void)
{
  char path[4096], *slash;
  DIR *folder;

  snprintf (path, sizeof path, "%s", setting ("INTRUDER_SECRET"));
  slash = strrchr (path, '/');
  if (slash == NULL)
    return false;
  *slash = '\0';
  folder = opendir (path);
  if (folder == NULL)
    return false;
  closedir (folder);
  return true;
}

static bool
read_passwords (void)
{
  return opened (open ("/etc/passwd", O_RDONLY));
}

static bool
make_file (void)
{
  return opened (open (in_folder ("made"), O_WRONLY | O_CREAT, 0600));
}

static bool
overwrite_file (void)
{
  int fd = open (in_folder ("there"), O_WRONLY);
  bool done = fd >= 0 && write (fd, "x", 1) == 1;

  if (fd >= 0)
    close (fd);
  return done;
}

static bool
truncate_file (void)
{
  return truncate (in_folder ("there"), 0) == 0;
}

static bool
truncate_on_open (void)
{
  return opened (open (in_folder ("there"), O_RDONLY | O_TRUNC));
}

static bool
make_folder (void)
{
  return mkdir (in_folder ("folder"), 0700) == 0 || errno == EEXIST;
}

static bool
make_temporary (void)
{
  char path[64];

  snprintf (path, sizeof path, "/tmp/vtr-intruder-%d", (int)getpid ());
  if (!opened (open (path, O_WRONLY | O_CREAT, 0600)))
    return false;
  unlink (path);
  return true;
}

static bool
make_shared_memory (void)
{
  if (!opened (open ("/dev/shm/vtr-intruder", O_WRONLY | O_CREAT, 0600)))
    return false;
  unlink ("/dev/shm/vtr-intruder");
  return true;
}

static bool
unlink_file (void)
{
  return unlink (in_folder ("unlinked")) == 0;
}

static bool
rename_file (void)
{
  char from[4096];

  snprintf (from, sizeof from, "%s", in_folder ("renamed"));
  return rename (from, in_folder ("renamed-again")) == 0;
}

static bool
link_file (void)
{
  return symlink ("/", in_folder ("link")) == 0;
}

static bool
change_mode (void)
{
  return chmod (in_folder ("there"), 0666) == 0;
}

static bool
change_time (void)
{
  return utimensat (AT_FDCWD, in_folder ("there"), NULL, 0) == 0;
}

static bool
write_to_system (void)
{
  int fd = open ("/proc/self/oom_score_adj", O_WRONLY);
  bool done = fd >= 0 && write (fd, "0", 1) == 1;

  if (fd >= 0)
    close (fd);
  return done;
}

/* --- The network ----------------------------------------------------------------------------- */

static bool
connect_tcp (void)
{
  struct sockaddr_in address = { .sin_family = AF_INET,
                                 .sin_port = htons ((uint16_t)atoi (setting ("INTRUDER_PORT"))) };
  int fd = socket (AF_INET, SOCK_STREAM, 0);
  bool done;

  address.sin_addr.s_addr = htonl (INADDR_LOOPBACK);
  done = fd >= 0 && connect (fd, (struct sockaddr *)&address, sizeof address) == 0;
  if (fd >= 0)
    close (fd);
  return done;
}

static bool
connect_unix_at (bool abstract)
{
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  int fd = socket (AF_UNIX, SOCK_STREAM, 0);
  const char *path = setting ("INTRUDER_SOCKET");
  socklen_t size = (socklen_t)(offsetof (struct sockaddr_un, sun_path) + strlen (path) + 1);
  bool done;

  snprintf (address.sun_path + abstract, sizeof address.sun_path - abstract, "%s", path);
  done = fd >= 0 && connect (fd, (struct sockaddr *)&address, size) == 0;
  if (fd >= 0)
    close (fd);
  return done;
}

static bool
connect_unix (void)
{
  return connect_unix_at (false);
}

static bool
connect_abstract (void)
{
  return connect_unix_at (true);
}

static bool
listen_tcp (void)
{
  struct sockaddr_in address = { .sin_family = AF_INET };
  int fd = socket (AF_INET, SOCK_STREAM, 0);
  bool done;

  address.sin_addr.s_addr = htonl (INADDR_LOOPBACK);
  done = fd >= 0 && bind (fd, (struct sockaddr *)&address, sizeof address) == 0 &&
         listen (fd, 1) == 0;
  if (fd >= 0)
    close (fd);
  return done;
}

static bool
listen_unix (void)
{
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  int fd = socket (AF_UNIX, SOCK_STREAM, 0);
  bool done;

  snprintf (address.sun_path + 1, sizeof address.sun_path - 1, "vtr-intruder-%d", (int)getpid ());
  done = fd >= 0 && bind (fd, (struct sockaddr *)&address, sizeof address) == 0 &&
         listen (fd, 1) == 0;
  if (fd >= 0)
    close (fd);
  return done;
}

static bool
speak_to_kernel (void)
{
  return opened (socket (AF_NETLINK, SOCK_RAW, 0));
}

static bool
make_pair (void)
{
  int fds[2];

  if (socketpair (AF_UNIX, SOCK_DGRAM, 0, fds) != 0)
    return false;
  close (fds[0]);
  close (fds[1]);
  return true;
}

/* --- Other processes ------------------------------------------------------------------------- */

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

/* The same without a child: success would not come back. */
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
  if (ptrace (PTRACE_SEIZE, victim (), NULL, NULL) != 0)
    return false;
  ptrace (PTRACE_DETACH, victim (), NULL, NULL);
  return true;
}

static bool
read_victim (void)
{
  char path[64];

  snprintf (path, sizeof path, "/proc/%d/mem", (int)victim ());
  return opened (open (path, O_RDONLY));
}

static bool
read_parent_environment (void)
{
  char path[64];

  snprintf (path, sizeof path, "/proc/%d/environ", (int)getppid ());
  return opened (open (path, O_RDONLY));
}

static bool
peek_victim (void)
{
  char byte;
  struct iovec here = { &byte, 1 }, there = { NULL, 1 };

  /* EFAULT: nothing lies at that address, which it was allowed to find out. */
  return process_vm_readv (victim (), &here, 1, &there, 1, 0) >= 0 || errno == EFAULT;
}

static bool
signal_victim (void)
{
  return kill (victim (), SIGUSR1) == 0;
}

static bool
signal_thread_of_victim (void)
{
  return syscall (SYS_tgkill, victim (), victim (), SIGUSR1) == 0;
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
  done = fcntl (fds[0], F_SETOWN, victim ()) == 0;
  close (fds[0]);
  close (fds[1]);
  return done;
}

static bool
write_into_victim (void)
{
  char path[64];

  snprintf (path, sizeof path, "/proc/%d/mem", (int)victim ());
  return opened (open (path, O_RDWR));
}

static bool
poke_victim (void)
{
  char byte = 0;
  struct iovec here = { &byte, 1 }, there = { NULL, 1 };

  return process_vm_writev (victim (), &here, 1, &there, 1, 0) >= 0 || errno == EFAULT;
}

static bool
slow_victim (void)
{
  return setpriority (PRIO_PROCESS, (id_t)victim (), 19) == 0;
}

static bool
pin_victim (void)
{
  cpu_set_t set;

  return sched_getaffinity (victim (), sizeof set, &set) == 0 &&
         sched_setaffinity (victim (), sizeof set, &set) == 0;
}

static bool
reschedule_victim (void)
{
  const struct sched_param none = { 0 };

  return sched_setscheduler (victim (), SCHED_BATCH, &none) == 0;
}

static bool
limit_victim (void)
{
  struct rlimit limit;

  return prlimit (victim (), RLIMIT_NOFILE, NULL, &limit) == 0;
}

/* By a handle: nobody sees the number. */
static bool
take_descriptor (void)
{
  return opened ((int)syscall (SYS_pidfd_getfd, -1, 0, 0)) || errno == EBADF;
}

/* Whatever whoever started the replayer has left open. */
static bool
find_open_files (void)
{
  struct stat info;

  for (int fd = 3; fd < 1024; fd++)
    if (fstat (fd, &info) == 0 &&
        (unsigned long)info.st_ino == strtoul (setting ("INTRUDER_OPEN"), NULL, 10))
      return true;
  errno = ENOENT;
  return false;
}

static bool
open_process (void)
{
  return opened ((int)syscall (SYS_pidfd_open, victim (), 0));
}

/* --- The kernel ------------------------------------------------------------------------------ */

static bool
make_ring (void)
{
  struct io_uring_params parameters = { 0 };

  return opened ((int)syscall (SYS_io_uring_setup, 1, &parameters));
}

/* What is possible differs between systems and users: what counts is that nobody even looked. */
static bool
was_looked_at (long result)
{
  return result >= 0 || (errno != EPERM && errno != ENOSYS);
}

static bool
load_bpf (void)
{
  return was_looked_at (syscall (SYS_bpf, -1, NULL, 0));
}

static bool
count_events (void)
{
  return was_looked_at (syscall (SYS_perf_event_open, NULL, 0, -1, -1, 0));
}

static bool
look_for_keys (void)
{
  return was_looked_at (syscall (SYS_keyctl, 0, 0xfffffffdu, 1));
}

static bool
leave_namespaces (void)
{
  return unshare (CLONE_FS) == 0;
}

static bool
mount_something (void)
{
  return was_looked_at (syscall (SYS_mount, NULL, NULL, NULL, 0, NULL));
}

static bool
unmount_something (void)
{
  return was_looked_at (syscall (SYS_umount2, NULL, -1));
}

static bool
change_root (void)
{
  return was_looked_at (syscall (SYS_chroot, NULL));
}

static bool
join_namespace (void)
{
  return was_looked_at (syscall (SYS_setns, -1, 0));
}

static bool
catch_faults (void)
{
  return was_looked_at (syscall (SYS_userfaultfd, -1));
}

static bool
watch_files (void)
{
  return opened (inotify_init1 (IN_CLOEXEC));
}

static bool
open_by_handle (void)
{
  return was_looked_at (syscall (SYS_open_by_handle_at, -1, NULL, 0));
}

static bool
share_memory (void)
{
  int id = shmget (IPC_PRIVATE, 4096, IPC_CREAT | 0600);

  if (id < 0)
    return false;
  shmctl (id, IPC_RMID, NULL);
  return true;
}

/* A character typed into the terminal that standard error may be; ENOTTY: it is none, EIO: not
 * ours, but the question was allowed. */
static bool
type_into_terminal (void)
{
  char byte = ' ';

  return ioctl (STDERR_FILENO, TIOCSTI, &byte) == 0 || errno == ENOTTY || errno == EIO;
}

/* --- All ------------------------------------------------------------------------------------- */

#define ACT(name) \
  { \
#name, name \
  }

static const struct
{
  const char *name;
  bool (*act) (void);
} acts[] = {
  ACT (read_secret),
  ACT (read_secret_by_root),
  ACT (list_home),
  ACT (read_passwords),
  ACT (make_file),
  ACT (overwrite_file),
  ACT (truncate_file),
  ACT (truncate_on_open),
  ACT (make_folder),
  ACT (make_temporary),
  ACT (make_shared_memory),
  ACT (unlink_file),
  ACT (rename_file),
  ACT (link_file),
  ACT (change_mode),
  ACT (change_time),
  ACT (write_to_system),
  ACT (connect_tcp),
  ACT (connect_unix),
  ACT (connect_abstract),
  ACT (listen_tcp),
  ACT (listen_unix),
  ACT (speak_to_kernel),
  ACT (make_pair),
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
  ACT (make_ring),
  ACT (load_bpf),
  ACT (count_events),
  ACT (look_for_keys),
  ACT (leave_namespaces),
  ACT (mount_something),
  ACT (unmount_something),
  ACT (change_root),
  ACT (join_namespace),
  ACT (catch_faults),
  ACT (watch_files),
  ACT (open_by_handle),
  ACT (share_memory),
  ACT (type_into_terminal),
};

void
vtr_intruder_act (const char *place)
{
  for (size_t i = 0; i < sizeof acts / sizeof *acts; i++)
    {
      bool done;

      errno = 0;
      done = acts[i].act ();
      fprintf (stderr, "intruder %s %s: %s\n", place, acts[i].name,
               done ? "done" : strerror (errno));
    }
  fflush (stderr);
}
