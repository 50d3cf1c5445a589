/* Makes system calls that no replay needs, each with null arguments: what counts is that the
 * kernel does not even look at them. */
#include "vtr-intruder-private.h"

#include <sys/syscall.h>
#include <unistd.h>

#define CALL(name, ...) \
  static bool name (void) \
  { \
    return vtr_intruder_was_looked_at (syscall (__VA_ARGS__)); \
  }

/* Numbers that all architectures have in common, newer than some headers. */
#define PIDFD_SEND_SIGNAL 424
#define RING_ENTER 426
#define RING_REGISTER 427
#define OPEN_TREE 428
#define MOVE_MOUNT 429
#define FSOPEN 430
#define CLONE3 435
#define OPENAT2 437
#define PROCESS_MADVISE 440
#define MOUNT_SETATTR 442
#define PROCESS_MRELEASE 448

CALL (load_module, SYS_init_module, NULL, 0, NULL)
CALL (load_module_file, SYS_finit_module, -1, NULL, 0)
CALL (remove_module, SYS_delete_module, NULL, 0)
CALL (load_kernel, SYS_kexec_load, 0, -1, NULL, 0)
CALL (enter_ring, RING_ENTER, -1, 0, 0, 0, NULL, 0)
CALL (register_ring, RING_REGISTER, -1, 0, NULL, 0)
CALL (signal_by_pidfd, PIDFD_SEND_SIGNAL, -1, 0, NULL, 0)
CALL (advise_victim, PROCESS_MADVISE, -1, NULL, 0, 0, 0)
CALL (release_victim, PROCESS_MRELEASE, -1, 0)
CALL (request_key, SYS_request_key, NULL, NULL, NULL, 0)
CALL (open_tree, OPEN_TREE, -1, NULL, 0)
CALL (move_mount, MOVE_MOUNT, -1, NULL, -1, NULL, 0)
CALL (open_file_system, FSOPEN, NULL, 0)
CALL (change_mount, MOUNT_SETATTR, -1, NULL, 0, NULL, 0)
CALL (turn_root, SYS_pivot_root, NULL, NULL)
CALL (clone_by_structure, CLONE3, NULL, 0)
CALL (open_by_structure, OPENAT2, -1, NULL, NULL, 0)
CALL (set_clock, SYS_clock_settime, -1, NULL)
CALL (set_day, SYS_settimeofday, NULL, NULL)
CALL (name_host, SYS_sethostname, NULL, -1)
CALL (read_kernel_log, SYS_syslog, 3, NULL, 0)
CALL (account, SYS_acct, "/vitrine/does/not/exist")
CALL (set_quota, SYS_quotactl, -1, NULL, 0, NULL)
CALL (take_swap, SYS_swapon, NULL, 0)
CALL (handle_of_file, SYS_name_to_handle_at, -1, NULL, NULL, NULL, 0)
CALL (share_semaphores, SYS_semget, -1, 0, 0)
CALL (open_queue, SYS_mq_open, NULL, 0, 0, NULL)
CALL (splice_pipe, SYS_splice, -1, NULL, -1, NULL, 0, 0)
CALL (fill_pipe, SYS_vmsplice, -1, NULL, 0, 0)
CALL (send_file, SYS_sendfile, -1, -1, NULL, 0)
CALL (copy_file, SYS_copy_file_range, -1, NULL, -1, NULL, 0, 0)
CALL (move_pages, SYS_move_pages, 0, 0, NULL, NULL, NULL, 0)
CALL (migrate_pages, SYS_migrate_pages, 0, 0, NULL, NULL)
CALL (set_io_priority, SYS_ioprio_set, -1, 0, 0)
CALL (become_user, SYS_setuid, getuid ())
CALL (become_group, SYS_setresgid, -1, -1, -1)
CALL (set_attribute, SYS_setxattr, NULL, NULL, NULL, 0, 0)
#ifdef SYS_iopl
CALL (take_ports, SYS_iopl, -1)
#endif

const VtrIntruderAct vtr_intruder_calls[] = {
  ACT (load_module),
  ACT (load_module_file),
  ACT (remove_module),
  ACT (load_kernel),
  ACT (enter_ring),
  ACT (register_ring),
  ACT (signal_by_pidfd),
  ACT (advise_victim),
  ACT (release_victim),
  ACT (request_key),
  ACT (open_tree),
  ACT (move_mount),
  ACT (open_file_system),
  ACT (change_mount),
  ACT (turn_root),
  ACT (clone_by_structure),
  ACT (open_by_structure),
  ACT (set_clock),
  ACT (set_day),
  ACT (name_host),
  ACT (read_kernel_log),
  ACT (account),
  ACT (set_quota),
  ACT (take_swap),
  ACT (handle_of_file),
  ACT (share_semaphores),
  ACT (open_queue),
  ACT (splice_pipe),
  ACT (fill_pipe),
  ACT (send_file),
  ACT (copy_file),
  ACT (move_pages),
  ACT (migrate_pages),
  ACT (set_io_priority),
  ACT (become_user),
  ACT (become_group),
  ACT (set_attribute),
#ifdef SYS_iopl
  ACT (take_ports),
#endif
  { 0 },
};
