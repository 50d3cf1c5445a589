/* Finds writes to mapped memory by handling the fault of the first write to each page: with
 * mprotect(2) and a signal handler, or with userfaultfd's synchronous write protection and a
 * thread. Both know the pages from the faults alone, so they keep one bit for each page.
 *
 * The order in one critical section: a fault sets the bit and takes the protection off; a scan
 * takes the bit away and protects. A write after the scan then faults; one before it is in the
 * page. */
#include "vtr-layer-watcher.h"

#include "vtr-layer-own-thread.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE 4096u
#define WATCHES_MAX 4096u
#define MESSAGES 16u /* read at once */

/* How pages are protected. */
typedef struct
{
  bool (*begin) (uintptr_t start,
                 uintptr_t end);
  void (*end) (uintptr_t start,
               uintptr_t end);
  bool (*protect) (uintptr_t start,
                   uintptr_t end,
                   bool on);
} Means;

typedef struct
{
  uintptr_t start;
  uintptr_t end;
  const Means *means;
  uint64_t *written; /* a bit for each page that may be written to freely */
} Watch;

/* Also taken by a signal handler, so its owner must not fault on watched memory. Guards: */
static atomic_flag busy = ATOMIC_FLAG_INIT;
static Watch watches[WATCHES_MAX];
static size_t n_watches;

/* ---- The lock ---- */

static void
lock_in_handler (void)
{
  while (atomic_flag_test_and_set_explicit (&busy, memory_order_acquire))
    sched_yield ();
}

static void
unlock_in_handler (void)
{
  atomic_flag_clear_explicit (&busy, memory_order_release);
}

/* A handler of the program that writes to watched memory must not come in between. */
static void
lock (sigset_t *mask)
{
  sigset_t all;

  sigfillset (&all);
  pthread_sigmask (SIG_BLOCK, &all, mask);
  lock_in_handler ();
}

static void
unlock (const sigset_t *mask)
{
  unlock_in_handler ();
  pthread_sigmask (SIG_SETMASK, mask, NULL);
}

/* ---- Pages; all with the lock ---- */

static Watch *
find (uintptr_t at)
{
  for (size_t i = 0; i < n_watches; i++)
    if (at >= watches[i].start && at < watches[i].end)
      return &watches[i];
  return NULL;
}

static size_t
page_of (const Watch *self,
         uintptr_t    at)
{
  return (at - self->start) / PAGE;
}

static bool
is_written (const Watch *self,
            size_t       page)
{
  return (self->written[page / 64] >> (page % 64) & 1) != 0;
}

static size_t
count_words (const Watch *self)
{
  return ((self->end - self->start) / PAGE + 63) / 64;
}

/* Returns: false: the fault was not in watched memory. */
static bool
take_fault (uintptr_t at)
{
  Watch *watch = find (at);
  size_t page;
  uintptr_t start;

  if (watch == NULL)
    return false;
  page = page_of (watch, at);
  start = watch->start + page * PAGE;
  if (watch->means->protect (start, start + PAGE, false))
    watch->written[page / 64] |= UINT64_C (1) << (page % 64);
  else if (watch->means->protect (watch->start, watch->end, false))
    /* The kernel has no room for one more mapping: all of it in one. */
    memset (watch->written, 0xff, count_words (watch) * 8);
  else
    return false;
  return true;
}

/* The run of written pages that begins at or after @page. Returns: where it ends; @end: there is
 * none. */
static size_t
find_run (const Watch *self,
          size_t      *page,
          size_t       end)
{
  size_t stop;

  while (*page < end && !is_written (self, *page))
    *page += *page % 64 == 0 && self->written[*page / 64] == 0 ? 64 : 1;
  if (*page > end)
    *page = end;
  for (stop = *page; stop < end && is_written (self, stop);)
    stop++;
  return stop;
}

static bool
protect_run (Watch  *self,
             size_t  first,
             size_t  stop)
{
  if (!self->means->protect (self->start + first * PAGE, self->start + stop * PAGE, true))
    return false;
  for (size_t page = first; page < stop; page++)
    self->written[page / 64] &= ~(UINT64_C (1) << (page % 64));
  return true;
}

/* ---- Watching ---- */

static bool
is_free (uintptr_t start,
         uintptr_t end)
{
  for (size_t i = 0; i < n_watches; i++)
    if (start < watches[i].end && watches[i].start < end)
      return false;
  return n_watches < WATCHES_MAX;
}

static bool
watch_by (const Means *means,
          uintptr_t    start,
          uintptr_t    end)
{
  Watch watch = { start, end, means, NULL };
  sigset_t mask;
  bool done;

  if (start >= end)
    return false;
  watch.written = malloc (count_words (&watch) * 8);
  if (watch.written == NULL)
    return false;
  memset (watch.written, 0xff, count_words (&watch) * 8);
  lock (&mask);
  done = is_free (start, end) && means->begin (start, end);
  if (done)
    watches[n_watches++] = watch;
  unlock (&mask);
  if (!done)
    free (watch.written);
  return done;
}

static void
unwatch (uintptr_t start,
         uintptr_t end)
{
  uint64_t *written = NULL;
  sigset_t mask;

  lock (&mask);
  for (size_t i = 0; i < n_watches; i++)
    if (watches[i].start == start && watches[i].end == end)
      {
        written = watches[i].written;
        watches[i].means->end (start, end);
        watches[i] = watches[--n_watches];
        break;
      }
  unlock (&mask);
  free (written);
}

static int
scan (uintptr_t      *start,
      uintptr_t       end,
      bool            exact,
      VtrLayerRegion *regions,
      size_t          n_regions)
{
  size_t n = 0;
  size_t page;
  size_t last;
  sigset_t mask;
  Watch *self;

  (void)exact;
  lock (&mask);
  self = find (*start);
  if (self == NULL || end > self->end)
    {
      unlock (&mask);
      return -1;
    }
  page = page_of (self, *start);
  last = page_of (self, end);
  while (page < last && n < n_regions)
    {
      size_t stop = find_run (self, &page, last);

      if (stop == page)
        break;
      if (!protect_run (self, page, stop))
        {
          unlock (&mask);
          return -1;
        }
      regions[n++] =
        (VtrLayerRegion){ self->start + page * PAGE, self->start + stop * PAGE, 0 };
      page = stop;
    }
  *start = self->start + page * PAGE;
  unlock (&mask);
  return (int)n;
}

/* ---- mprotect(2) ---- */

static struct sigaction first;    /* the handler before ours was ever installed; set before that */
static struct sigaction previous; /* what is not ours goes there; set before ours is in place */

/* The fault that this thread has handed on, and from where: a handler may jump out of it. */
static _Thread_local const siginfo_t *handed;
static _Thread_local uintptr_t handed_at;

static void
hand_to (const struct sigaction *action,
         int                     number,
         siginfo_t              *info,
         void                   *context)
{
  const struct sigaction plain = { .sa_handler = SIG_DFL };

  if ((action->sa_flags & SA_SIGINFO) != 0)
    action->sa_sigaction (number, info, context);
  else if (action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN)
    action->sa_handler (number);
  else
    sigaction (number, &plain, NULL); /* the instruction is tried again, and that is the end */
}

/* A handler that was installed after ours may call ours, deeper in the same frame. */
static void
hand_on (int        number,
         siginfo_t *info,
         void      *context)
{
  uintptr_t here = (uintptr_t)__builtin_frame_address (0);
  bool again = handed == info && here < handed_at;

  if (again)
    {
      hand_to (&first, number, info, context);
      return;
    }
  handed = info;
  handed_at = here;
  hand_to (&previous, number, info, context);
  handed = NULL;
}

static void
signalled (int        number,
           siginfo_t *info,
           void      *context)
{
  int saved = errno;
  bool ours = false;

  if (info->si_code == SEGV_ACCERR)
    {
      lock_in_handler ();
      ours = take_fault ((uintptr_t)info->si_addr);
      unlock_in_handler ();
    }
  if (!ours)
    hand_on (number, info, context);
  errno = saved;
}

/* Also if the program has installed a handler since, which is then called after this one. With the
 * lock. */
static bool
install_handler (void)
{
  static bool installed;
  struct sigaction mine = { .sa_flags = SA_SIGINFO | SA_ONSTACK };
  struct sigaction now;

  if (sigaction (SIGSEGV, NULL, &now) != 0)
    return false;
  if ((now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == signalled)
    return true;
  previous = now;
  if (!installed)
    first = now;
  installed = true;
  mine.sa_sigaction = signalled;
  sigfillset (&mine.sa_mask);
  return sigaction (SIGSEGV, &mine, NULL) == 0;
}

static bool
begin_mprotect (uintptr_t start,
                uintptr_t end)
{
  (void)start;
  (void)end;
  return install_handler ();
}

static bool
set_protection (uintptr_t start,
                uintptr_t end,
                bool      on)
{
  return mprotect ((void *)start, end - start, on ? PROT_READ : PROT_READ | PROT_WRITE) == 0;
}

static void
end_mprotect (uintptr_t start,
              uintptr_t end)
{
  set_protection (start, end, false);
}

static const Means by_mprotect = { begin_mprotect, end_mprotect, set_protection };

static pthread_once_t fork_once = PTHREAD_ONCE_INIT;
static sigset_t fork_mask; /* of the thread that has the lock for fork() */

static void
lock_for_fork (void)
{
  sigset_t mask;

  lock (&mask);
  fork_mask = mask;
}

/* In the parent and in the child, where faults go on to be taken as long as pages are protected. */
static void
unlock_after_fork (void)
{
  sigset_t mask = fork_mask;

  unlock (&mask);
}

static void
care_for_forks (void)
{
  pthread_atfork (lock_for_fork, unlock_after_fork, unlock_after_fork);
}

static const char *
open_mprotect (void)
{
  pthread_once (&fork_once, care_for_forks);
  return sysconf (_SC_PAGESIZE) == PAGE ? NULL : "pages are not of 4 KiB";
}

static bool
watch_mprotect (uintptr_t start,
                uintptr_t end)
{
  return watch_by (&by_mprotect, start, end);
}

static int
scan_mprotect (uintptr_t      *start,
               uintptr_t       end,
               bool            exact,
               VtrLayerRegion *regions,
               size_t          n_regions)
{
  sigset_t mask;
  bool installed;

  lock (&mask);
  installed = install_handler ();
  unlock (&mask);
  return installed ? scan (start, end, exact, regions, n_regions) : -1;
}

const VtrLayerWatcher vtr_layer_watcher_mprotect = {
  .wish = "mprotect",
  .name = "mprotect",
  .open = open_mprotect,
  .watch = watch_mprotect,
  .unwatch = unwatch,
  .scan = scan_mprotect,
};

/* ---- userfaultfd, synchronous ---- */

static pthread_once_t uffd_once = PTHREAD_ONCE_INIT;
static const char *uffd_problem; /* set once */
static int uffd = -1;
static atomic_bool lost; /* in a child, or if the program has closed the file descriptor */

static bool
set_write_protection (uintptr_t start,
                      uintptr_t end,
                      bool      on)
{
  struct uffdio_writeprotect argument = {
    .range = { start, end - start },
    .mode = on ? UFFDIO_WRITEPROTECT_MODE_WP : 0,
  };

  if (atomic_load_explicit (&lost, memory_order_relaxed))
    return false;
  /* Pages that do not exist cannot be protected in private memory: the kernel would make them
   * writable. */
  if (on)
    (void)!madvise ((void *)start, end - start, MADV_POPULATE_READ);
  return ioctl (uffd, UFFDIO_WRITEPROTECT, &argument) == 0;
}

static bool
begin_uffd (uintptr_t start,
            uintptr_t end)
{
  struct uffdio_register argument = {
    .range = { start, end - start },
    .mode = UFFDIO_REGISTER_MODE_WP,
  };

  return !atomic_load_explicit (&lost, memory_order_relaxed) &&
         ioctl (uffd, UFFDIO_REGISTER, &argument) == 0;
}

/* Wakes who waits there, too. */
static void
end_uffd (uintptr_t start,
          uintptr_t end)
{
  struct uffdio_range range = { start, end - start };

  if (!atomic_load_explicit (&lost, memory_order_relaxed))
    (void)!ioctl (uffd, UFFDIO_UNREGISTER, &range);
}

static const Means by_uffd = { begin_uffd, end_uffd, set_write_protection };

/* Handles the faults. Ends when the program has closed the file descriptor: the kernel then lets
 * all waiting threads continue, and protects nothing any more. */
static void
serve (void)
{
  for (;;)
    {
      struct uffd_msg messages[MESSAGES];
      ssize_t n = read (uffd, messages, sizeof messages);
      bool ok = n > 0 || errno == EINTR || errno == EAGAIN;

      for (ssize_t i = 0; n > 0 && i < n / (ssize_t)sizeof messages[0]; i++)
        {
          uintptr_t at = messages[i].arg.pagefault.address & ~(uintptr_t)(PAGE - 1);
          struct uffdio_range range = { at, PAGE };

          if (messages[i].event != UFFD_EVENT_PAGEFAULT)
            continue;
          lock_in_handler ();
          if (!take_fault (at))
            ok = ioctl (uffd, UFFDIO_WAKE, &range) == 0;
          unlock_in_handler ();
        }
      if (!ok)
        {
          atomic_store_explicit (&lost, true, memory_order_relaxed);
          return;
        }
    }
}

static const VtrLayerOwnThread server = { "vitrine-faults", serve, 0 };

static void
forked (void)
{
  atomic_store_explicit (&lost, true, memory_order_relaxed);
}

/* Faults of the kernel itself are for those with privileges, or where a sysctl says so. */
static int
open_userfaultfd (void)
{
  int fd = (int)syscall (SYS_userfaultfd, O_CLOEXEC);

  return fd >= 0 ? fd : (int)syscall (SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY);
}

static void
open_uffd_once (void)
{
  struct uffdio_api api = { .api = UFFD_API,
                            .features = UFFD_FEATURE_PAGEFAULT_FLAG_WP |
                                        UFFD_FEATURE_WP_HUGETLBFS_SHMEM };

  if (sysconf (_SC_PAGESIZE) != PAGE)
    uffd_problem = "pages are not of 4 KiB";
  else if ((uffd = open_userfaultfd ()) < 0)
    uffd_problem =
      errno == ENOSYS ? "the kernel has no userfaultfd" : "userfaultfd is forbidden here";
  else if (ioctl (uffd, UFFDIO_API, &api) != 0)
    uffd_problem = "the kernel has no write protection of shared memory";
  else if (pthread_atfork (NULL, NULL, forked) != 0 ||
           !vtr_layer_own_thread_start (&server))
    uffd_problem = "no memory";
  if (uffd_problem != NULL && uffd >= 0)
    {
      close (uffd);
      uffd = -1;
    }
}

static const char *
open_uffd (void)
{
  pthread_once (&uffd_once, open_uffd_once);
  return uffd_problem;
}

static bool
watch_uffd (uintptr_t start,
            uintptr_t end)
{
  return open_uffd () == NULL && watch_by (&by_uffd, start, end);
}

static int
scan_uffd (uintptr_t      *start,
           uintptr_t       end,
           bool            exact,
           VtrLayerRegion *regions,
           size_t          n_regions)
{
  if (atomic_load_explicit (&lost, memory_order_relaxed))
    return -1;
  return scan (start, end, exact, regions, n_regions);
}

const VtrLayerWatcher vtr_layer_watcher_uffd_sync = {
  .wish = "uffd-sync",
  .name = "synchronous userfaultfd",
  .open = open_uffd,
  .watch = watch_uffd,
  .unwatch = unwatch,
  .scan = scan_uffd,
};
