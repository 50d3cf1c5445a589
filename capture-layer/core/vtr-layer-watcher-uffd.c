/* Finds writes to mapped memory with userfaultfd's asynchronous write protection and PAGEMAP_SCAN.
 * The first write to a protected page removes the protection, whether the program, a thread of a
 * software driver, or the kernel in read(2) writes. A scan protects each page again in the same
 * step. A child process after fork() is not watched. */
#include "vtr-layer-watcher.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Definitions of kernels that are newer than the oldest headers that this builds with. */
#define WANTED_FEATURES (UINT64_C (1) << 15) /* UFFD_FEATURE_WP_ASYNC */

typedef struct
{
  uint64_t size; /* of this structure */
  uint64_t flags;
  uint64_t start;
  uint64_t end;
  uint64_t walk_end; /* out: where the scan ended */
  uint64_t regions;
  uint64_t n_regions;
  uint64_t max_pages;
  uint64_t category_inverted;
  uint64_t category_mask;
  uint64_t category_anyof_mask;
  uint64_t return_mask;
} ScanArgument; /* struct pm_scan_arg */

#define SCAN _IOWR ('f', 16, ScanArgument) /* PAGEMAP_SCAN */
#define SCAN_PROTECT (UINT64_C (1) << 0)   /* PM_SCAN_WP_MATCHING */
#define SCAN_CHECK (UINT64_C (1) << 1)     /* PM_SCAN_CHECK_WPASYNC */
#define PAGE_WRITTEN (UINT64_C (1) << 1)   /* PAGE_IS_WRITTEN */
#define PAGE_PRESENT (UINT64_C (1) << 3)   /* PAGE_IS_PRESENT */
#define PAGE_SWAPPED (UINT64_C (1) << 4)   /* PAGE_IS_SWAPPED */

/* Each range may split a mapping in three, and the kernel allows 65530 mappings. */
#define WATCHES_MAX 4096u

typedef struct
{
  uintptr_t start;
  uintptr_t end;
} Watch;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const char *problem; /* set once */
static int uffd = -1;
static int pagemap = -1;
static atomic_bool lost; /* in a child process: the watched memory is the parent's */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards: */
static Watch watches[WATCHES_MAX];
static size_t n_watches;

static void
forked (void)
{
  atomic_store_explicit (&lost, true, memory_order_relaxed);
}

/* Returns: why it does not work, or NULL. */
static const char *
open_both (void)
{
  struct uffdio_api api = { .api = UFFD_API, .features = WANTED_FEATURES };
  ScanArgument nothing = { .size = sizeof nothing };

  if (sysconf (_SC_PAGESIZE) != 4096)
    return "pages are not of 4 KiB";
  /* Page faults of the program alone would be enough, and are what a plain user may ask for; in
   * asynchronous mode the kernel's own faults are handled anyway. */
  uffd = (int)syscall (SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | UFFD_USER_MODE_ONLY);
  if (uffd < 0)
    return errno == ENOSYS ? "the kernel has no userfaultfd" : "userfaultfd is forbidden here";
  if (ioctl (uffd, UFFDIO_API, &api) != 0 ||
      (api.features & WANTED_FEATURES) != WANTED_FEATURES)
    return "the kernel has no asynchronous write protection";
  pagemap = open ("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  if (pagemap < 0)
    return "/proc/self/pagemap cannot be read";
  if (ioctl (pagemap, SCAN, &nothing) < 0)
    return "the kernel cannot list written pages";
  if (pthread_atfork (NULL, NULL, forked) != 0)
    return "no memory";
  return NULL;
}

static void
open_once (void)
{
  problem = open_both ();
  if (problem == NULL)
    return;
  if (pagemap >= 0)
    close (pagemap);
  if (uffd >= 0)
    close (uffd);
  uffd = pagemap = -1;
}

static const char *
open_uffd (void)
{
  pthread_once (&once, open_once);
  return problem;
}

static bool
works (void)
{
  return open_uffd () == NULL && !atomic_load_explicit (&lost, memory_order_relaxed);
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
watch_uffd (uintptr_t start,
            uintptr_t end)
{
  struct uffdio_register argument = {
    .range = { start, end - start },
    .mode = UFFDIO_REGISTER_MODE_WP,
  };
  bool done;

  if (start >= end || !works ())
    return false;
  pthread_mutex_lock (&lock);
  /* A scan of a page takes its notes, so other scans do not see them. */
  done = is_free (start, end) && ioctl (uffd, UFFDIO_REGISTER, &argument) == 0;
  if (done)
    watches[n_watches++] = (Watch){ start, end };
  pthread_mutex_unlock (&lock);
  return done;
}

static void
unwatch_uffd (uintptr_t start,
              uintptr_t end)
{
  struct uffdio_range range = { start, end - start };

  if (!works ())
    return;
  pthread_mutex_lock (&lock);
  for (size_t i = 0; i < n_watches; i++)
    if (watches[i].start == start && watches[i].end >= end)
      {
        if (watches[i].end == end)
          watches[i] = watches[--n_watches];
        else
          watches[i].start = end;
        /* Fails where the driver has unmapped it: nothing is left to do then. */
        (void)!ioctl (uffd, UFFDIO_UNREGISTER, &range);
        break;
      }
  pthread_mutex_unlock (&lock);
}

static int
scan_uffd (uintptr_t      *start,
           uintptr_t       end,
           bool            exact,
           VtrLayerRegion *regions,
           size_t          n_regions)
{
  ScanArgument argument = {
    .size = sizeof argument,
    .flags = SCAN_PROTECT | SCAN_CHECK,
    .start = *start,
    .end = end,
    .regions = (uintptr_t)regions,
    .n_regions = n_regions,
    .category_mask = PAGE_WRITTEN,
    .category_anyof_mask = exact ? PAGE_PRESENT | PAGE_SWAPPED : 0,
    .return_mask = PAGE_WRITTEN,
  };
  int n;

  if (!works ())
    return -1;
  do
    n = ioctl (pagemap, SCAN, &argument);
  while (n < 0 && errno == EINTR && argument.walk_end <= *start);
  if (n < 0 || argument.walk_end <= *start)
    return -1;
  *start = argument.walk_end;
  return n;
}

const VtrLayerWatcher vtr_layer_watcher_uffd = {
  .wish = "uffd",
  .name = "userfaultfd",
  .is_harmless = true,
  .knows_untouched = true,
  .open = open_uffd,
  .watch = watch_uffd,
  .unwatch = unwatch_uffd,
  .scan = scan_uffd,
};
