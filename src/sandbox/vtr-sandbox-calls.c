/* Limits system calls by seccomp to those that libraries, drivers and their compilers need.
 * Calls that are not listed fail with EPERM or, if they are newer than the list, with ENOSYS, so
 * that libc does what it does on an older kernel. They do not end the process, because drivers
 * try many calls. The filter also refuses what Landlock does not cover: changing modes, owners
 * and times of files, sockets, starting programs, other processes and signals to them,
 * terminals. Calls of another ABI (32-bit calls of a 64-bit process) end the process. */
#include "sandbox/vtr-sandbox-private.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#define FOREIGN_BIT 0x40000000u /* x32 */
#elif defined(__i386__)
#define ARCHITECTURE AUDIT_ARCH_I386
#elif defined(__AARCH64EL__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#elif defined(__arm__)
#define ARCHITECTURE AUDIT_ARCH_ARM
#elif defined(__riscv) && __riscv_xlen == 64
#define ARCHITECTURE AUDIT_ARCH_RISCV64
#endif

#ifdef ARCHITECTURE

#ifndef SECCOMP_FILTER_FLAG_SPEC_ALLOW
#define SECCOMP_FILTER_FLAG_SPEC_ALLOW (1UL << 2)
#endif
#ifndef SECCOMP_FILTER_FLAG_NEW_LISTENER
#define SECCOMP_FILTER_FLAG_NEW_LISTENER (1UL << 3)
#define SECCOMP_RET_USER_NOTIF 0x7fc00000u
#endif
#ifndef SECCOMP_RET_KILL_PROCESS
#define SECCOMP_RET_KILL_PROCESS SECCOMP_RET_KILL
#endif

/* The first of those that all architectures number alike; newer than it is newer than the list. */
#define FIRST_NEW 424

#define MAX_PROGRAM 1024
#define CLONE_NEW (CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | \
                   CLONE_NEWPID | CLONE_NEWNET)
#define IOCTL_TYPE 0x0000ff00u /* the byte that says whose request it is; above it are size and
                                * direction */
#define SET_SIGNAL 10          /* F_SETSIG */
#define SET_OWNER_EX 15        /* F_SETOWN_EX */
#define SET_PIPE_SIZE 1031     /* F_SETPIPE_SZ */
#define UNSHARE 2u             /* CLOSE_RANGE_UNSHARE */
#define NAMELESS (O_TMPFILE & ~O_DIRECTORY)

#ifndef PR_SET_VMA
#define PR_SET_VMA 0x53564d41
#endif

static const int allowed[] = {
  /* Memory. */
  SYS_brk,
  SYS_madvise,
  SYS_mincore,
  SYS_mlock,
  SYS_mprotect,
  SYS_mremap,
  SYS_msync,
  SYS_munlock,
  SYS_munmap,
  SYS_membarrier,
  SYS_mbind,
  SYS_get_mempolicy,
  SYS_set_mempolicy,
  SYS_memfd_create,
  SYS_mlock2,
  SYS_pkey_alloc,
  SYS_pkey_free,
  SYS_pkey_mprotect,
  /* Files that are open, or that Landlock lets one open. */
  SYS_close,
  SYS_dup,
  SYS_dup3,
  SYS_faccessat,
  SYS_fallocate,
  SYS_fdatasync,
  SYS_flock,
  SYS_fsync,
  SYS_fstatfs,
  SYS_ftruncate,
  SYS_getcwd,
  SYS_getdents64,
  SYS_lseek,
  SYS_mkdirat,
  SYS_pread64,
  SYS_preadv,
  SYS_preadv2,
  SYS_pwrite64,
  SYS_pwritev,
  SYS_pwritev2,
  SYS_read,
  SYS_readahead,
  SYS_readlinkat,
  SYS_readv,
  SYS_statfs,
  SYS_umask,
  SYS_unlinkat,
  SYS_write,
  SYS_writev,
#ifdef SYS_fadvise64
  SYS_fadvise64,
#endif
#ifdef SYS_fstat
  SYS_fstat,
#endif
#ifdef SYS_newfstatat
  SYS_newfstatat,
#endif
#ifdef SYS_statx
  SYS_statx,
#endif
#ifdef SYS_renameat
  SYS_renameat,
#endif
#ifdef SYS_renameat2
  SYS_renameat2,
#endif
#ifdef SYS_open /* what newer architectures leave out */
  SYS_access,
  SYS_dup2,
  SYS_epoll_create,
  SYS_epoll_wait,
  SYS_eventfd,
  SYS_getdents,
  SYS_lstat,
  SYS_mkdir,
  SYS_pipe,
  SYS_poll,
  SYS_readlink,
  SYS_rename,
  SYS_rmdir,
  SYS_stat,
  SYS_unlink,
  SYS_getpgrp,
  SYS_pause,
#endif
#ifdef SYS_select
  SYS_select,
#endif
#ifdef SYS__newselect
  SYS__newselect,
#endif
#ifdef SYS_faccessat2
  SYS_faccessat2,
#endif
  /* The engine's connection, and waiting. */
  SYS_epoll_create1,
  SYS_epoll_ctl,
  SYS_epoll_pwait,
  SYS_eventfd2,
  SYS_getsockopt,
  SYS_pipe2,
  SYS_ppoll,
  SYS_pselect6,
  SYS_recvmsg,
  SYS_sendmsg,
  SYS_shutdown,
  SYS_signalfd4,
  /* Threads. */
  SYS_exit,
  SYS_exit_group,
  SYS_futex,
  SYS_get_robust_list,
  SYS_getcpu,
  SYS_getpriority,
  SYS_gettid,
  SYS_restart_syscall,
  SYS_rseq,
  SYS_sched_get_priority_max,
  SYS_sched_get_priority_min,
  SYS_sched_getaffinity,
  SYS_sched_getattr,
  SYS_sched_getparam,
  SYS_sched_getscheduler,
  SYS_sched_yield,
  SYS_set_robust_list,
  SYS_set_tid_address,
#ifdef SYS_arch_prctl
  SYS_arch_prctl,
#endif
#ifdef SYS_set_thread_area
  SYS_set_thread_area,
#endif
#ifdef SYS_futex_waitv
  SYS_futex_waitv,
#endif
#ifdef SYS_riscv_flush_icache
  SYS_riscv_flush_icache,
#endif
#ifdef SYS_riscv_hwprobe
  SYS_riscv_hwprobe,
#endif
#ifdef __ARM_NR_cacheflush
  __ARM_NR_cacheflush,
  __ARM_NR_set_tls,
#endif
  /* Time, signals, and questions. */
  SYS_capget,
  SYS_clock_getres,
  SYS_clock_gettime,
  SYS_clock_nanosleep,
  SYS_getegid,
  SYS_geteuid,
  SYS_getgid,
  SYS_getgroups,
  SYS_getitimer,
  SYS_getpgid,
  SYS_getpid,
  SYS_getppid,
  SYS_getrandom,
  SYS_getrusage,
  SYS_getsid,
  SYS_gettimeofday,
  SYS_getuid,
  SYS_nanosleep,
  SYS_rt_sigaction,
  SYS_rt_sigpending,
  SYS_rt_sigprocmask,
  SYS_rt_sigreturn,
  SYS_rt_sigsuspend,
  SYS_rt_sigtimedwait,
  SYS_setitimer,
  SYS_sigaltstack,
  SYS_sysinfo,
  SYS_timer_create,
  SYS_timer_delete,
  SYS_timer_getoverrun,
  SYS_timer_gettime,
  SYS_timer_settime,
  SYS_timerfd_create,
  SYS_timerfd_gettime,
  SYS_timerfd_settime,
  SYS_times,
  SYS_uname,
#ifdef SYS_alarm
  SYS_alarm,
#endif
#ifdef SYS_time
  SYS_time,
#endif
#ifdef SYS_getrlimit
  SYS_getrlimit,
#endif
#ifdef SYS_setrlimit
  SYS_setrlimit,
#endif
/* Variants with wider arguments, on 32-bit machines. */
#ifdef SYS_fstat64
  SYS__llseek,
  SYS_fstat64,
  SYS_fstatat64,
  SYS_fstatfs64,
  SYS_ftruncate64,
  SYS_getegid32,
  SYS_geteuid32,
  SYS_getgid32,
  SYS_getgroups32,
  SYS_getuid32,
  SYS_lstat64,
  SYS_sigreturn,
  SYS_stat64,
  SYS_statfs64,
  SYS_ugetrlimit,
#endif
#ifdef SYS_clock_gettime64
  SYS_clock_getres_time64,
  SYS_clock_gettime64,
  SYS_clock_nanosleep_time64,
  SYS_futex_time64,
  SYS_ppoll_time64,
  SYS_pselect6_time64,
  SYS_rt_sigtimedwait_time64,
  SYS_timer_gettime64,
  SYS_timer_settime64,
  SYS_timerfd_gettime64,
  SYS_timerfd_settime64,
#endif
#if defined(__SANITIZE_ADDRESS__) /* the search for leaks stops the threads from outside */
  SYS_ptrace,
  SYS_wait4,
#endif
};

/* --- The program ----------------------------------------------------------------------------- */

typedef struct
{
  struct sock_filter code[MAX_PROGRAM];
  unsigned short n;
} Program;

static void
add (Program  *self,
     uint16_t  code,
     uint32_t  k,
     uint8_t   yes,
     uint8_t   no)
{
  if (self->n < MAX_PROGRAM)
    self->code[self->n++] = (struct sock_filter){ code, yes, no, k };
}

static void
load (Program *self,
      size_t   offset)
{
  add (self, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

/* The lower half of an argument; flags and requests have no other. */
static void
load_argument (Program  *self,
               unsigned  i)
{
  load (self, offsetof (struct seccomp_data, args) + i * sizeof (uint64_t));
}

static void
answer (Program  *self,
        uint32_t  what)
{
  add (self, BPF_RET | BPF_K, what, 0, 0);
}

#define REFUSE (SECCOMP_RET_ERRNO | EPERM)
#define UNKNOWN (SECCOMP_RET_ERRNO | ENOSYS)

/* If the number that is loaded is @number, the next @n instructions decide. */
static void
when (Program *self,
      int      number,
      uint8_t  n)
{
  add (self, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, n);
}

/* @number, if the bits of @mask in argument @i are @value: @then, else the other. */
static void
when_bits (Program  *self,
           int       number,
           unsigned  i,
           uint32_t  mask,
           uint32_t  value,
           bool      then)
{
  when (self, number, 5);
  load_argument (self, i);
  add (self, BPF_ALU | BPF_AND | BPF_K, mask, 0, 0);
  add (self, BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
  answer (self, then ? SECCOMP_RET_ALLOW : REFUSE);
  answer (self, then ? REFUSE : SECCOMP_RET_ALLOW);
}

/* Of process @pid, the caller itself, only. */
static void
when_self (Program  *self,
           int       number,
           uint32_t  pid)
{
  when_bits (self, number, 0, 0xffffffffu, pid, true);
}

/* Of the caller, named or not. What drivers ask for their other threads is refused with what others
 * would ask for other processes: the two are not told apart by number. */
static void
when_mine (Program  *self,
           int       number,
           uint32_t  pid)
{
  when (self, number, 5);
  load_argument (self, 0);
  add (self, BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0);
  add (self, BPF_JMP | BPF_JEQ | BPF_K, pid, 0, 1);
  answer (self, SECCOMP_RET_ALLOW);
  answer (self, REFUSE);
}

/* PRIO_PROCESS of the caller. */
static void
add_priority (Program *self)
{
  when (self, SYS_setpriority, 6);
  load_argument (self, 0);
  add (self, BPF_JMP | BPF_JEQ | BPF_K, PRIO_PROCESS, 0, 3);
  load_argument (self, 1);
  add (self, BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1);
  answer (self, SECCOMP_RET_ALLOW);
  answer (self, REFUSE);
}

/* Threads, but no processes and no namespaces. All threads have one table of descriptors: who
 * looks at what is open sees that of the first thread only. */
static void
add_clone (Program *self)
{
#if defined(__SANITIZE_ADDRESS__)
  const uint32_t needed = CLONE_VM | CLONE_FILES;
#else
  const uint32_t needed = CLONE_THREAD | CLONE_FILES;
#endif

  when_bits (self, SYS_clone, 0, needed | CLONE_NEW, needed, true);
#ifdef SYS_close_range
  when_bits (self, SYS_close_range, 2, UNSHARE, 0, true);
#endif
}

/* Requests to drivers, but none that terminals, sockets or file systems take. The kernel looks at
 * 32 bits of a request only, as this does. */
static void
add_ioctl (Program *self)
{
  static const uint32_t harmless[] = { TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIOCLEX, FIONCLEX };
  /* Terminals; sockets; flags of files and fs-verity ('f', 'v', 'X', 'r'), which need no
   * descriptor for writing; btrfs and clones; block devices. */
  static const uint8_t refused[] = { 'T', 0x89, 'f', 'v', 'X', 'r', 0x94, 0x12 };
  const unsigned n = sizeof harmless / sizeof *harmless;
  const unsigned m = sizeof refused / sizeof *refused;

  when (self, SYS_ioctl, (uint8_t)(n + m + 4));
  load_argument (self, 1);
  for (unsigned i = 0; i < n; i++)
    add (self, BPF_JMP | BPF_JEQ | BPF_K, harmless[i], (uint8_t)(n - i + m), 0);
  add (self, BPF_ALU | BPF_AND | BPF_K, IOCTL_TYPE, 0, 0);
  for (unsigned i = 0; i < m; i++)
    add (self, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)refused[i] << 8, (uint8_t)(m - i), 0);
  answer (self, SECCOMP_RET_ALLOW);
  answer (self, REFUSE);
}

/* Calls with which a process reads and changes itself. It may not stay behind when the engine ends
 * (PR_SET_PDEATHSIG), nor hide from it (PR_SET_DUMPABLE). */
static void
add_prctl (Program *self)
{
  static const uint32_t harmless[] = {
    PR_SET_NAME,
    PR_GET_NAME,
    PR_SET_VMA,
    PR_SET_TIMERSLACK,
    PR_GET_TIMERSLACK,
    PR_GET_DUMPABLE,
    PR_CAPBSET_READ,
    PR_GET_SECCOMP,
    PR_SET_SECCOMP,
    PR_GET_PDEATHSIG,
    PR_GET_THP_DISABLE,
    PR_SET_THP_DISABLE,
    PR_GET_KEEPCAPS,
    PR_GET_SECUREBITS,
    PR_SET_NO_NEW_PRIVS,
    PR_GET_TSC,
    PR_GET_TID_ADDRESS,
    PR_GET_NO_NEW_PRIVS,
    PR_GET_FP_MODE,
    PR_SVE_GET_VL,
    PR_GET_SPECULATION_CTRL,
    PR_GET_UNALIGN,
    PR_GET_FPEXC,
    PR_GET_TAGGED_ADDR_CTRL,
  };
  const unsigned n = sizeof harmless / sizeof *harmless;

  when (self, SYS_prctl, (uint8_t)(n + 3));
  load_argument (self, 0);
  for (unsigned i = 0; i < n; i++)
    add (self, BPF_JMP | BPF_JEQ | BPF_K, harmless[i], (uint8_t)(n - i), 0);
  answer (self, REFUSE);
  answer (self, SECCOMP_RET_ALLOW);
}

/* Notifications about a file are signals, which may go to another process. Large pipes use up what
 * the user may have of them in all processes. */
static void
add_fcntl (Program *self,
           int      number)
{
  when (self, number, 7);
  load_argument (self, 1);
  add (self, BPF_JMP | BPF_JEQ | BPF_K, F_SETOWN, 3, 0);
  add (self, BPF_JMP | BPF_JEQ | BPF_K, SET_SIGNAL, 2, 0);
  add (self, BPF_JMP | BPF_JEQ | BPF_K, SET_PIPE_SIZE, 1, 0);
  add (self, BPF_JMP | BPF_JEQ | BPF_K, SET_OWNER_EX, 0, 1);
  answer (self, REFUSE);
  answer (self, SECCOMP_RET_ALLOW);
}

/* Shared anonymous memory stays when it is unmapped in part, and cannot be counted
 * (vtr-shared-memory.c). The older call of 32-bit machines has its arguments in memory. */
static void
add_mmap (Program *self)
{
#ifdef SYS_mmap2
  const int number = SYS_mmap2;
#else
  const int number = SYS_mmap;
#endif

  when (self, number, 6);
  load_argument (self, 3);
  add (self, BPF_ALU | BPF_AND | BPF_K, MAP_TYPE | MAP_ANONYMOUS, 0, 0);
  add (self, BPF_JMP | BPF_JEQ | BPF_K, MAP_SHARED | MAP_ANONYMOUS, 1, 0);
  add (self, BPF_JMP | BPF_JEQ | BPF_K, MAP_SHARED_VALIDATE | MAP_ANONYMOUS, 0, 1);
  answer (self, REFUSE);
  answer (self, SECCOMP_RET_ALLOW);
}

/* Reading does not truncate; Landlock knows that since its third version only. A file that never
 * had a name cannot be measured: programs make another one then. @i: the argument of the flags. */
static void
add_open (Program  *self,
          int       number,
          unsigned  i)
{
  when (self, number, 7);
  load_argument (self, i);
  add (self, BPF_JMP | BPF_JSET | BPF_K, NAMELESS, 3, 0);
  add (self, BPF_ALU | BPF_AND | BPF_K, O_ACCMODE | O_TRUNC, 0, 0);
  add (self, BPF_JMP | BPF_JEQ | BPF_K, O_TRUNC, 2, 0);
  answer (self, SECCOMP_RET_ALLOW);
  answer (self, SECCOMP_RET_ERRNO | EOPNOTSUPP);
  answer (self, REFUSE);
}

static void
add_opens (Program *self)
{
  add_open (self, SYS_openat, 2);
#ifdef SYS_open
  add_open (self, SYS_open, 1);
#endif
}

/* Calls that the engine makes for us, so that it can count their effects (vtr-replay-warden.h). */
static void
add_questions (Program *self)
{
  static const int asked[] = {
    SYS_memfd_create,
    SYS_renameat2,
#ifdef SYS_renameat
    SYS_renameat,
#endif
#ifdef SYS_rename
    SYS_rename,
    SYS_unlink,
#endif
  };

  for (size_t i = 0; i < sizeof asked / sizeof *asked; i++)
    {
      when (self, asked[i], 1);
      answer (self, SECCOMP_RET_USER_NOTIF);
    }
  /* Folders hold nothing once they can be removed. */
  when (self, SYS_unlinkat, 4);
  load_argument (self, 2);
  add (self, BPF_JMP | BPF_JSET | BPF_K, AT_REMOVEDIR, 1, 0);
  answer (self, SECCOMP_RET_USER_NOTIF);
  answer (self, SECCOMP_RET_ALLOW);
}

/* For who has all its files open. */
static void
add_no_opens (Program *self)
{
  static const int opens[] = {
    SYS_openat,
    SYS_memfd_create,
#ifdef SYS_open
    SYS_open,
#endif
  };

  for (size_t i = 0; i < sizeof opens / sizeof *opens; i++)
    {
      when (self, opens[i], 1);
      answer (self, REFUSE);
    }
}

static void
build (Program *self,
       bool     opens,
       bool     asks)
{
  const uint32_t pid = (uint32_t)getpid ();

  load (self, offsetof (struct seccomp_data, arch));
  add (self, BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0);
  answer (self, SECCOMP_RET_KILL_PROCESS);
  load (self, offsetof (struct seccomp_data, nr));
#ifdef FOREIGN_BIT
  add (self, BPF_JMP | BPF_JGE | BPF_K, FOREIGN_BIT, 0, 1);
  answer (self, UNKNOWN);
#endif
  add_clone (self);
  add_ioctl (self);
  add_prctl (self);
  add_fcntl (self, SYS_fcntl);
#ifdef SYS_fcntl64
  add_fcntl (self, SYS_fcntl64);
#endif
  if (!opens)
    add_no_opens (self);
  if (asks)
    add_questions (self);
  add_mmap (self);
  add_opens (self);
  when_self (self, SYS_kill, pid);
  when_self (self, SYS_tgkill, pid);
  when_self (self, SYS_kcmp, pid);
  when_bits (self, SYS_prlimit64, 0, 0xffffffffu, 0, true);
  when_mine (self, SYS_sched_setaffinity, pid);
  when_mine (self, SYS_sched_setparam, pid);
  when_mine (self, SYS_sched_setscheduler, pid);
  add_priority (self);
  for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++)
    {
      when (self, allowed[i], 1);
      answer (self, SECCOMP_RET_ALLOW);
    }
  add (self, BPF_JMP | BPF_JGE | BPF_K, FIRST_NEW, 0, 1);
  answer (self, UNKNOWN);
  answer (self, REFUSE);
}

/* Returns: what seccomp(2) does. */
static long
install (bool          opens,
         bool          asks,
         unsigned long flags)
{
  Program self = { .n = 0 };
  struct sock_fprog program = { .filter = self.code };

  build (&self, opens, asks);
  program.len = self.n;
  if (self.n >= MAX_PROGRAM)
    return -1;
  return syscall (SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
}

bool
vtr_sandbox_filter_calls (bool  opens,
                          int  *listener)
{
  if (listener != NULL)
    {
      *listener = (int)install (
        opens, true, SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_SPEC_ALLOW);
      if (*listener >= 0)
        return true;
    }
  /* Without the flag, older kernels make generated code slow (speculative store bypass). */
  return install (opens, false, SECCOMP_FILTER_FLAG_SPEC_ALLOW) == 0 ||
         install (opens, false, 0) == 0;
}

#else /* an architecture whose calls we do not know */

bool
vtr_sandbox_filter_calls (bool  opens,
                          int  *listener)
{
  (void)opens;
  if (listener != NULL)
    *listener = -1;
  return false;
}

#endif
