/* SIGBUS handler for mapped files that somebody else may truncate: it maps zeros in place of the
 * missing page and remembers that the mapping is damaged. */
#include "vtr-map-guard.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#define MAX_GUARDS 1024

/* .start is set last and cleared first, so that an entry with a start is valid. */
typedef struct
{
  _Atomic uintptr_t start; /* 0: free */
  _Atomic size_t size;
  _Atomic bool lost;
} Guard;

static Guard guards[MAX_GUARDS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct sigaction before;
static uintptr_t page_size;

static Guard *
find (uintptr_t address)
{
  for (size_t i = 0; i < MAX_GUARDS; i++)
    {
      uintptr_t start = atomic_load (&guards[i].start);

      if (start != 0 && address >= start && address - start < atomic_load (&guards[i].size))
        return &guards[i];
    }
  return NULL;
}

/* Async-signal-safe: atomics without locks, and mmap(). */
static bool
replace_page (const siginfo_t *info)
{
  uintptr_t address = (uintptr_t)info->si_addr;
  Guard *guard = info->si_code > 0 ? find (address) : NULL;
  int code = errno;
  void *page;

  if (guard == NULL)
    return false;
  page = mmap ((void *)(address & ~(page_size - 1)), page_size, PROT_READ | PROT_WRITE,
               MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  atomic_store (&guard->lost, true);
  errno = code;
  return page != MAP_FAILED;
}

static void
handle (int        number,
        siginfo_t *info,
        void      *context)
{
  if (replace_page (info))
    return;
  if ((before.sa_flags & SA_SIGINFO) != 0)
    before.sa_sigaction (number, info, context);
  else if (before.sa_handler == SIG_DFL || before.sa_handler == SIG_IGN)
    {
      /* The access is repeated, and ends the process as without a guard. */
      sigaction (SIGBUS, &before, NULL);
      if (info->si_code <= 0)
        raise (number);
    }
  else
    before.sa_handler (number);
}

static void
install (void)
{
  struct sigaction action = { .sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_ONSTACK };

  page_size = (uintptr_t)sysconf (_SC_PAGESIZE);
  sigemptyset (&action.sa_mask);
  sigaction (SIGBUS, &action, &before);
}

int
vtr_map_guard_add (const void *start,
                   size_t      size)
{
  int found = -1;

  if (start == NULL || size == 0)
    return -1;
  pthread_once (&once, install);
  pthread_mutex_lock (&lock);
  for (int i = 0; i < MAX_GUARDS && found < 0; i++)
    if (atomic_load (&guards[i].start) == 0)
      found = i;
  if (found >= 0)
    {
      atomic_store (&guards[found].size, size);
      atomic_store (&guards[found].lost, false);
      atomic_store (&guards[found].start, (uintptr_t)start);
    }
  pthread_mutex_unlock (&lock);
  return found;
}

void
vtr_map_guard_remove (int guard)
{
  if (guard >= 0)
    atomic_store (&guards[guard].start, 0);
}

bool
vtr_map_guard_is_lost (int guard)
{
  return guard >= 0 && atomic_load (&guards[guard].lost);
}
