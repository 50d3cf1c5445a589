#include "vtr-layer-still.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LOOK_S 1      /* how often the child looks whether its parent is there */
#define ENDING_MAX 16 /* children that nobody has waited for yet */

typedef struct
{
  uintptr_t begin;
  uintptr_t end;
} Region;

struct VtrLayerStill
{
  Region *regions; /* of private memory; in order, apart from each other */
  size_t n_regions;
  size_t n_allocated;
  pid_t child; /* 0: none */
  int leash;   /* closed when the child is to end */
};

/* ---- What can be kept ---- */

static bool
append_region (VtrLayerStill *self,
               uintptr_t      begin,
               uintptr_t      end)
{
  if (self->n_regions > 0 && self->regions[self->n_regions - 1].end == begin)
    {
      self->regions[self->n_regions - 1].end = end;
      return true;
    }
  if (self->n_regions == self->n_allocated)
    {
      size_t n = self->n_allocated * 2 + 64;
      Region *regions = realloc (self->regions, n * sizeof *regions);

      if (regions == NULL)
        return false;
      self->regions = regions;
      self->n_allocated = n;
    }
  self->regions[self->n_regions++] = (Region){ begin, end };
  return true;
}

/* @line: of /proc/self/maps */
static bool
add_line (VtrLayerStill *self,
          const char    *line)
{
  unsigned long begin, end, inode;
  char access[5], name[16] = "";

  if (sscanf (line, "%lx-%lx %4s %*x %*x:%*x %lu %15s", &begin, &end, access, &inode, name) < 4)
    return true;
  /* Other names in brackets are the kernel's. */
  if (inode != 0 || access[0] != 'r' || access[3] != 'p' ||
      (name[0] == '[' && strcmp (name, "[heap]") != 0 && strncmp (name, "[anon:", 6) != 0) ||
      name[0] == '/')
    return true;
  return append_region (self, begin, end);
}

VtrLayerStill *
vtr_layer_still_new (void)
{
  VtrLayerStill *self = calloc (1, sizeof *self);
  FILE *maps = self != NULL ? fopen ("/proc/self/maps", "re") : NULL;
  char *line = NULL;
  size_t size = 0;
  bool ok = maps != NULL;

  while (ok && getline (&line, &size, maps) > 0)
    ok = add_line (self, line);
  free (line);
  if (maps != NULL)
    fclose (maps);
  if (ok && self->n_regions > 0)
    return self;
  vtr_layer_still_free (self);
  return NULL;
}

bool
vtr_layer_still_can_keep (const VtrLayerStill *self,
                          const void          *bytes,
                          uint64_t             size)
{
  uintptr_t begin = (uintptr_t)bytes;
  size_t low = 0, high = self->n_regions;

  while (low < high)
    {
      size_t middle = (low + high) / 2;

      if (self->regions[middle].end <= begin)
        low = middle + 1;
      else
        high = middle;
    }
  return low < self->n_regions && self->regions[low].begin <= begin &&
         size <= self->regions[low].end - begin;
}

uint64_t
vtr_layer_still_measure (void)
{
  unsigned long all, resident, shared;
  FILE *file = fopen ("/proc/self/statm", "re");
  int n = file != NULL ? fscanf (file, "%lu %lu %lu", &all, &resident, &shared) : 0;

  if (file != NULL)
    fclose (file);
  if (n != 3 || resident <= shared)
    return 0;
  return (uint64_t)(resident - shared) * (uint64_t)sysconf (_SC_PAGESIZE);
}

/* ---- The child ---- */

/* The runtimes of sanitizers have locks, too. */
#define PLAIN __attribute__ ((no_sanitize_address, no_sanitize_thread))

/* All of the child. Other threads may have had any lock: nothing but system calls. */
PLAIN static void
stand_still (int   leash,
             int   other_end,
             pid_t parent)
{
  struct pollfd waits[1] = { { .fd = leash, .events = POLLIN } };
  struct timespec limit[1] = { { .tv_sec = LOOK_S } };
  long n;

  syscall (SYS_close, other_end);
#ifdef SYS_close_range
  /* Whoever waits for the other end of the program's pipes must not wait for us. */
  if (leash > 0)
    syscall (SYS_close_range, 0u, (unsigned)leash - 1, 0u);
  syscall (SYS_close_range, (unsigned)leash + 1, ~0u, 0u);
#endif
  do
    n = syscall (SYS_ppoll, waits, 1, limit, NULL, 0);
  while ((n == 0 || (n < 0 && errno == EINTR)) && syscall (SYS_getppid) == parent);
  for (;;)
    syscall (SYS_exit_group, 0);
}

/* It must not be built into its caller, which is checked. */
PLAIN __attribute__ ((noinline)) static pid_t
make_child (int leash,
            int other_end)
{
  const pid_t parent = getpid ();
  /* No signal tells of its end, and no handler is run before. */
  const long child = syscall (SYS_clone, 0ul, NULL, NULL, NULL, 0ul);

  if (child == 0)
    stand_still (leash, other_end, parent);
  return (pid_t)child;
}

/* Children that are about to end. */
static struct
{
  pthread_mutex_t lock;
  pid_t children[ENDING_MAX];
  size_t n;
} ending = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* @options: of waitpid() */
static void
reap (int options)
{
  pid_t children[ENDING_MAX];
  size_t n, kept = 0;

  /* Without the lock while it waits. */
  pthread_mutex_lock (&ending.lock);
  n = ending.n;
  memcpy (children, ending.children, n * sizeof *children);
  ending.n = 0;
  pthread_mutex_unlock (&ending.lock);
  for (size_t i = 0; i < n; i++)
    {
      pid_t got;

      do
        got = waitpid (children[i], NULL, options | __WALL);
      while (got < 0 && errno == EINTR);
      if (got == 0)
        children[kept++] = children[i];
    }
  pthread_mutex_lock (&ending.lock);
  for (size_t i = 0; i < kept && ending.n < ENDING_MAX; i++)
    ending.children[ending.n++] = children[i];
  pthread_mutex_unlock (&ending.lock);
}

void
vtr_layer_still_reap (void)
{
  reap (0);
}

static void
end_child (VtrLayerStill *self)
{
  bool noted;

  if (self->child <= 0)
    return;
  close (self->leash);
  kill (self->child, SIGKILL);
  pthread_mutex_lock (&ending.lock);
  noted = ending.n < ENDING_MAX;
  if (noted)
    ending.children[ending.n++] = self->child;
  pthread_mutex_unlock (&ending.lock);
  if (noted)
    reap (WNOHANG);
  else
    while (waitpid (self->child, NULL, __WALL) < 0 && errno == EINTR)
      ;
  self->child = 0;
}

/* Whether the child is there and can be looked into, and has what it should have. */
static bool
can_look (const VtrLayerStill *self)
{
  uint64_t seen = 0;

  return vtr_layer_still_read (self, &seen, &self->n_regions, sizeof self->n_regions) &&
         memcmp (&seen, &self->n_regions, sizeof self->n_regions) == 0;
}

bool
vtr_layer_still_keep (VtrLayerStill *self)
{
  sigset_t all, before;
  int ends[2];

  if (pipe2 (ends, O_CLOEXEC) != 0)
    return false;
  sigfillset (&all);
  pthread_sigmask (SIG_SETMASK, &all, &before);
  self->child = make_child (ends[0], ends[1]);
  pthread_sigmask (SIG_SETMASK, &before, NULL);
  close (ends[0]);
  self->leash = ends[1];
  if (self->child < 0)
    close (self->leash);
  if (self->child > 0 && can_look (self))
    return true;
  end_child (self);
  return false;
}

bool
vtr_layer_still_read (const VtrLayerStill *self,
                      void                *to,
                      const void          *from,
                      size_t               size)
{
  while (size > 0)
    {
      const struct iovec local = { to, size }, remote = { (void *)from, size };
      ssize_t n = process_vm_readv (self->child, &local, 1, &remote, 1, 0);

      if (n <= 0)
        return false;
      to = (uint8_t *)to + n;
      from = (const uint8_t *)from + n;
      size -= (size_t)n;
    }
  return true;
}

void
vtr_layer_still_free (VtrLayerStill *self)
{
  if (self == NULL)
    return;
  end_child (self);
  free (self->regions);
  free (self);
}
