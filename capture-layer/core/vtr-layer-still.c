/* Keeps a copy-on-write snapshot of the process's private memory in a child process, so that a
 * capture can read memory as it was while the program goes on. */
#include "vtr-layer-still.h"

#include "base/vtr-grow.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LOOK_S 1      /* how often the child looks whether its parent is there */
#define ENDING_MAX 16 /* children that were not waited for yet */

typedef struct
{
  uintptr_t begin;
  uintptr_t end;
} Region;

/* In order. */
typedef struct
{
  Region *regions;
  size_t n;
  size_t n_allocated;
} Regions;

struct VtrLayerStill
{
  Regions kept;  /* private memory: mappings of this process, then of the child */
  Regions wiped; /* what of it the child has zeros of */
  bool wiped_known;
  pid_t child; /* 0: none */
  int leash;   /* closed when the child is to end */
  dev_t leash_device;
  ino_t leash_inode;
  uint8_t mark; /* 1: what a child that can be looked into has, too */
};

/* ---- What can be kept ---- */

static bool
append_region (Regions *self,
               Region   region)
{
  Region *regions = vtr_grow (self->regions, &self->n_allocated, self->n + 1, sizeof *regions);

  if (regions == NULL)
    return false;
  self->regions = regions;
  self->regions[self->n++] = region;
  return true;
}

/* The last one that begins at @address or before it. Returns: NULL: none */
static const Region *
find_region (const Regions *self,
             uintptr_t      address)
{
  size_t low = 0, high = self->n;

  while (low < high)
    {
      size_t middle = (low + high) / 2;

      if (self->regions[middle].begin <= address)
        low = middle + 1;
      else
        high = middle;
    }
  return low > 0 ? &self->regions[low - 1] : NULL;
}

/* @line: the first one of a mapping in /proc/PID/maps or smaps. Returns: whether that is private
 * memory without a file. Private huge pages have one: they may be too few for two of each. */
static bool
parse_line (const char *line,
            Region     *region)
{
  unsigned long begin, end, inode;
  char access[5], name[16] = "";

  if (sscanf (line, "%lx-%lx %4s %*x %*x:%*x %lu %15s", &begin, &end, access, &inode, name) < 4)
    return false;
  *region = (Region){ begin, end };
  /* Other names in brackets are the kernel's. */
  return inode == 0 && access[0] == 'r' && access[3] == 'p' && name[0] != '/' &&
         (name[0] != '[' || strcmp (name, "[heap]") == 0 || strncmp (name, "[anon:", 6) == 0);
}

/* Calls add (@self, line, @region) for each line of a file in /proc. */
static bool
read_lines (Regions *self,
            const char *path,
            bool (*add) (Regions *self, const char *line, Region *region))
{
  FILE *file = fopen (path, "re");
  Region region = { 0 };
  char *line = NULL;
  size_t size = 0;
  bool ok = file != NULL;

  self->n = 0;
  while (ok && getline (&line, &size, file) > 0)
    ok = add (self, line, &region);
  free (line);
  if (file != NULL)
    fclose (file);
  return ok;
}

static bool
add_map (Regions    *self,
         const char *line,
         Region     *region)
{
  return !parse_line (line, region) || append_region (self, *region);
}

/* The flags come behind the other lines of a mapping, which begin with a capital. */
static bool
add_wiped (Regions    *self,
           const char *line,
           Region     *region)
{
  static const char flags[] = "VmFlags:";

  if (strncmp (line, flags, sizeof flags - 1) == 0)
    return region->end == 0 || strstr (line, " wf") == NULL || append_region (self, *region);
  if ((line[0] < 'A' || line[0] > 'Z') && !parse_line (line, region))
    *region = (Region){ 0 };
  return true;
}

VtrLayerStill *
vtr_layer_still_new (void)
{
  VtrLayerStill *self = calloc (1, sizeof *self);

  if (self != NULL && read_lines (&self->kept, "/proc/self/maps", add_map) && self->kept.n > 0)
    return self;
  vtr_layer_still_free (self);
  return NULL;
}

bool
vtr_layer_still_can_keep (const VtrLayerStill *self,
                          const void          *bytes,
                          uint64_t             size)
{
  const Region *const end = self->kept.regions + self->kept.n;
  const Region *region = find_region (&self->kept, (uintptr_t)bytes);
  uintptr_t at = (uintptr_t)bytes;

  /* An allocation may lie in several mappings. */
  for (; region != NULL && region < end && region->begin <= at && region->end > at; region++)
    {
      if (size <= region->end - at)
        return true;
      size -= region->end - at;
      at = region->end;
    }
  return false;
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
  long n, score;

  syscall (SYS_close, other_end);
  /* Where memory runs out, the kernel is to end this process and not the program. */
  score = syscall (SYS_openat, AT_FDCWD, "/proc/self/oom_score_adj", O_WRONLY, 0);
  if (score >= 0)
    {
      syscall (SYS_write, score, "1000", 4);
      syscall (SYS_close, score);
    }
#ifdef SYS_close_range
  /* Readers of the program's pipes must not wait for us. */
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
  /* Its end sends no signal, and no handler runs before it. */
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

/* A program that waits for all its children with __WALL or __WCLONE takes ours, too, and the number
 * may then be another's. With __WCLONE none of the children that it makes with fork() is meant.
 *
 * @options: of waitpid() */
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
        got = waitpid (children[i], NULL, options | __WCLONE);
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

/* Whether the child has not ended, and no other process has its number. */
static bool
is_alive (const VtrLayerStill *self)
{
  siginfo_t info = { 0 };

  return waitid (P_PID, (id_t)self->child, &info, WEXITED | WNOHANG | WNOWAIT | __WCLONE) == 0 &&
         info.si_pid == 0;
}

/* The program may have closed it behind our back, and have opened something of its own in its
 * place. */
static void
close_leash (VtrLayerStill *self)
{
  struct stat info;

  if (fstat (self->leash, &info) == 0 && info.st_dev == self->leash_device &&
      info.st_ino == self->leash_inode)
    close (self->leash);
}

static void
end_child (VtrLayerStill *self)
{
  bool noted;

  if (self->child <= 0)
    return;
  if (is_alive (self))
    kill (self->child, SIGKILL);
  close_leash (self);
  pthread_mutex_lock (&ending.lock);
  noted = ending.n < ENDING_MAX;
  if (noted)
    ending.children[ending.n++] = self->child;
  pthread_mutex_unlock (&ending.lock);
  if (noted)
    reap (WNOHANG);
  else
    while (waitpid (self->child, NULL, __WCLONE) < 0 && errno == EINTR)
      ;
  self->child = 0;
}

/* The number behind @name in a file of /proc. Returns: false: it is not there. */
static bool
read_number (const char *path,
             const char *name,
             uint64_t   *number)
{
  FILE *file = fopen (path, "re");
  char line[256];
  bool found = false;

  while (file != NULL && !found && fgets (line, sizeof line, file) != NULL)
    if (strncmp (line, name, strlen (name)) == 0)
      {
        *number = strtoull (line + strlen (name), NULL, 10);
        found = true;
      }
  if (file != NULL)
    fclose (file);
  return found;
}

/* Whether a child can be made that does no harm. */
static bool
may_keep (void)
{
  uint64_t mode = 0, free_kib = 0;

  /* Without it the child would keep the program's files open. */
#ifdef SYS_close_range
  if (syscall (SYS_close_range, ~0u, ~0u, 0u) != 0)
    return false;
#else
  return false;
#endif
  /* A filter of the program may end it for a system call that it does not know. */
  if (read_number ("/proc/self/status", "Seccomp:", &mode) && mode != 0)
    return false;
  /* The program may write to all of its memory, so that there are two of each page. */
  return read_number ("/proc/meminfo", "MemAvailable:", &free_kib) &&
         free_kib > vtr_layer_still_measure () / 1024;
}

/* ---- Reading the child ---- */

/* The child's memory as a file: process_vm_readv() gives the child a copy of each page that it
 * shares with this process, so that reading takes as much memory again as is read. It is opened
 * each time: a program that closes all descriptors would close one that is kept. Returns: -1: it
 * cannot be. */
static int
open_memory (const VtrLayerStill *self)
{
  char path[64];
  int fd;

  snprintf (path, sizeof path, "/proc/%d/mem", (int)self->child);
  fd = open (path, O_RDONLY | O_CLOEXEC);
  /* The file stays the child's, even if its number becomes another's later. */
  if (fd >= 0 && !is_alive (self))
    {
      close (fd);
      return -1;
    }
  return fd;
}

/* Returns: false: it cannot be read this way. */
static bool
read_file (int         fd,
           void       *to,
           const void *from,
           size_t      size)
{
  off_t at = (off_t)(uintptr_t)from;
  ssize_t n = 1;

  while (fd >= 0 && n > 0 && size > 0)
    {
      n = pread (fd, to, size, at);
      if (n > 0)
        {
          to = (uint8_t *)to + n;
          at += n;
          size -= (size_t)n;
        }
    }
  return size == 0;
}

/* Where the file cannot be opened. Memory that is wiped for children reads as zeros either way. */
static bool
read_process (const VtrLayerStill *self,
              void                *to,
              const void          *from,
              size_t               size)
{
  while (size > 0)
    {
      const struct iovec local = { to, size }, remote = { (void *)from, size };
      ssize_t n = process_vm_readv (self->child, &local, 1, &remote, 1, 0);

      /* It was there, and no other process, if it still is. */
      if (n <= 0 || !is_alive (self))
        return false;
      to = (uint8_t *)to + n;
      from = (const uint8_t *)from + n;
      size -= (size_t)n;
    }
  return true;
}

/* Whether the child is there and can be looked into, and has what it should have. A mapping is
 * wiped as a whole, and a byte that is zero anyway does not tell: one look at each is enough. */
static bool
can_look (const VtrLayerStill        *self,
          const uint8_t       *const *bytes,
          size_t                      n)
{
  const int fd = open_memory (self);
  const Region *looked = NULL;
  bool same = true;

  for (size_t i = 0; same && i < n; i++)
    {
      const Region *region = find_region (&self->kept, (uintptr_t)bytes[i]);
      uint8_t seen;

      if (*bytes[i] == 0 || (region != NULL && region == looked))
        continue;
      /* The program may write at the same time; wiped memory is zero. */
      same = (read_file (fd, &seen, bytes[i], 1) || read_process (self, &seen, bytes[i], 1)) &&
             (seen != 0 || *bytes[i] == 0);
      looked = region;
    }
  if (fd >= 0)
    close (fd);
  return same;
}

/* Memory that the program excludes from its children (MADV_DONTFORK) is missing. */
static bool
read_child_maps (VtrLayerStill *self)
{
  char path[64];

  snprintf (path, sizeof path, "/proc/%d/maps", (int)self->child);
  return read_lines (&self->kept, path, add_map) && is_alive (self);
}

bool
vtr_layer_still_keep (VtrLayerStill        *self,
                      const uint8_t *const *bytes,
                      size_t                n)
{
  const uint8_t *const own = &self->mark;
  sigset_t all, before;
  struct stat info;
  int ends[2];

  if (!may_keep () || pipe2 (ends, O_CLOEXEC) != 0)
    return false;
  if (fstat (ends[1], &info) != 0)
    {
      close (ends[0]);
      close (ends[1]);
      return false;
    }
  sigfillset (&all);
  pthread_sigmask (SIG_SETMASK, &all, &before);
  self->mark = 1;
  self->child = make_child (ends[0], ends[1]);
  pthread_sigmask (SIG_SETMASK, &before, NULL);
  close (ends[0]);
  self->leash = ends[1];
  self->leash_device = info.st_dev;
  self->leash_inode = info.st_ino;
  if (self->child < 0)
    close (self->leash);
  if (self->child > 0 && can_look (self, &own, 1) && can_look (self, bytes, n) &&
      read_child_maps (self))
    return true;
  end_child (self);
  return false;
}

/* Looks what of the child's memory was wiped (MADV_WIPEONFORK): that takes as long as making the
 * child, but the program need not wait for it. */
static bool
know_wiped (VtrLayerStill *self)
{
  char path[64];

  snprintf (path, sizeof path, "/proc/%d/smaps", (int)self->child);
  if (!self->wiped_known)
    self->wiped_known = read_lines (&self->wiped, path, add_wiped) && is_alive (self);
  return self->wiped_known;
}

bool
vtr_layer_still_read (VtrLayerStill *self,
                      void          *to,
                      const void    *from,
                      size_t         size)
{
  const Region *wiped;
  bool whole;
  int fd;

  if (size == 0)
    return true;
  if (!know_wiped (self))
    return false;
  wiped = find_region (&self->wiped, (uintptr_t)from + size - 1);
  if (wiped != NULL && wiped->end > (uintptr_t)from)
    return false;
  fd = open_memory (self);
  whole = read_file (fd, to, from, size);
  if (fd >= 0)
    close (fd);
  return whole || read_process (self, to, from, size);
}

void
vtr_layer_still_free (VtrLayerStill *self)
{
  if (self == NULL)
    return;
  end_child (self);
  free (self->kept.regions);
  free (self->wiped.regions);
  free (self);
}
