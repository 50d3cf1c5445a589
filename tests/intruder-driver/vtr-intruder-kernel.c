/* Tries kernel features that no replay needs. */
#include "vtr-intruder-private.h"

#include <fcntl.h>
#include <linux/io_uring.h>
#include <sched.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool
make_ring (void)
{
  struct io_uring_params parameters = { 0 };

  return vtr_intruder_opened ((int)syscall (SYS_io_uring_setup, 1, &parameters));
}

static bool
load_bpf (void)
{
  return vtr_intruder_was_looked_at (syscall (SYS_bpf, -1, NULL, 0));
}

static bool
count_events (void)
{
  return vtr_intruder_was_looked_at (syscall (SYS_perf_event_open, NULL, 0, -1, -1, 0));
}

static bool
look_for_keys (void)
{
  return vtr_intruder_was_looked_at (syscall (SYS_keyctl, 0, 0xfffffffdu, 1));
}

static bool
leave_namespaces (void)
{
  return unshare (CLONE_FS) == 0;
}

static bool
mount_something (void)
{
  return vtr_intruder_was_looked_at (syscall (SYS_mount, NULL, NULL, NULL, 0, NULL));
}

static bool
unmount_something (void)
{
  return vtr_intruder_was_looked_at (syscall (SYS_umount2, NULL, -1));
}

static bool
change_root (void)
{
  return vtr_intruder_was_looked_at (syscall (SYS_chroot, NULL));
}

static bool
join_namespace (void)
{
  return vtr_intruder_was_looked_at (syscall (SYS_setns, -1, 0));
}

static bool
catch_faults (void)
{
  return vtr_intruder_was_looked_at (syscall (SYS_userfaultfd, -1));
}

static bool
watch_files (void)
{
  return vtr_intruder_opened (inotify_init1 (IN_CLOEXEC));
}

static bool
open_by_handle (void)
{
  return vtr_intruder_was_looked_at (syscall (SYS_open_by_handle_at, -1, NULL, 0));
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

static bool
hide_memory (void)
{
  return vtr_intruder_opened ((int)syscall (447 /* memfd_secret */, 0));
}

static bool
change_personality (void)
{
  return syscall (SYS_personality, 0xffffffffu) >= 0;
}

static bool
queue_messages (void)
{
  return vtr_intruder_was_looked_at (syscall (SYS_msgget, 0, 0));
}

static bool
add_key (void)
{
  return vtr_intruder_was_looked_at (syscall (SYS_add_key, NULL, NULL, NULL, 0, 0));
}

static bool
watch_all_files (void)
{
  return vtr_intruder_was_looked_at (syscall (SYS_fanotify_init, -1, 0));
}

static bool
take_reboot (void)
{
  return vtr_intruder_was_looked_at (syscall (SYS_reboot, 0, 0, 0, NULL));
}

static bool
enlarge_pipe (void)
{
  int ends[2];
  bool done;

  if (pipe (ends) != 0)
    return false;
  done = fcntl (ends[0], F_SETPIPE_SZ, 1 << 20) > 0;
  close (ends[0]);
  close (ends[1]);
  return done;
}

/* Memory that stays allocated when it is given up, so that it cannot be counted. */
static bool
share_anonymous (void)
{
#ifdef SYS_mmap
  void *memory = (void *)syscall (SYS_mmap, NULL, 4096, PROT_READ | PROT_WRITE,
                                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);

  return memory != MAP_FAILED && munmap (memory, 4096) == 0;
#else
  return false;
#endif
}

const VtrIntruderAct vtr_intruder_kernel[] = {
  ACT (share_anonymous),
  ACT (hide_memory),
  ACT (change_personality),
  ACT (queue_messages),
  ACT (add_key),
  ACT (watch_all_files),
  ACT (take_reboot),
  ACT (enlarge_pipe),
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
  { 0 },
};
