/* Preloaded into a program: says every quarter of a second how much memory is allocated in it, in
 * the file $HEAP_METER.PID, a line each time of seconds, all bytes, and those that the module
 * allocated whose file name begins with $HEAP_METER_OWNER. They are medians: a program that makes
 * and frees much while it draws is mostly waiting, with as much as after any other frame.
 *
 * Every block is counted when it is made and when it is freed; so are the owner's anonymous
 * mappings. Under a sanitizer this library has to be loaded first, with verify_asan_link_order=0.
 *
 * With HEAP_METER_SITES blocks are told apart by the calls that made them, and SIGRTMAX writes them
 * to $HEAP_METER.PID.NUMBER, for compare-sites.py. That is slow.
 *
 * With HEAP_METER_STAY libraries stay loaded to the end, so that a leak checker finds names for
 * what was allocated in them.
 *
 * Threading: a thread of its own.
 */
#include "vtr-heap-blocks.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define N_TICKS 25 /* of 10 ms for a line */

/* Of the sanitizers' allocator, if that is the program's. */
int __sanitizer_install_malloc_and_free_hooks (void (*made) (const volatile void *block,
                                                             size_t size),
                                               void (*gone) (const volatile void *block))
  __attribute__ ((weak));
void *__interceptor_malloc (size_t size) __attribute__ ((weak));
void *__interceptor_calloc (size_t n,
                            size_t size) __attribute__ ((weak));
void *__interceptor_realloc (void   *block,
                             size_t  size) __attribute__ ((weak));
void *__interceptor_memalign (size_t alignment,
                              size_t size) __attribute__ ((weak));
void __interceptor_free (void *block) __attribute__ ((weak));

/* Of the C library's. */
void *__libc_malloc (size_t size);
void *__libc_calloc (size_t n,
                     size_t size);
void *__libc_realloc (void   *block,
                      size_t  size);
void *__libc_memalign (size_t alignment,
                       size_t size);
void __libc_free (void *block);

#define NEXT(function) \
  (__interceptor_##function != NULL ? __interceptor_##function : __libc_##function)

static volatile sig_atomic_t wanted; /* dumps */

/* --- What is counted -------------------------------------------------------------------------- */

/* The sanitizers' allocator says itself what it makes, also what does not come through the
 * functions here (new, strdup ()): they only find who asks. */
static __thread HeapSite *asking __attribute__ ((tls_model ("initial-exec")));

static void
made (const volatile void *block,
      size_t               size)
{
  heap_blocks_add ((const void *)block, size, asking != NULL ? asking : heap_site_unknown ());
}

static void
gone (const volatile void *block)
{
  heap_blocks_take ((const void *)block, NULL, NULL);
}

static bool
is_said (void)
{
  return __sanitizer_install_malloc_and_free_hooks != NULL;
}

static void
begin_asking (const void *caller)
{
  asking = heap_site_here (caller);
}

/* Returns: @block. */
static void *
end_asking (void   *block,
            size_t  size)
{
  if (block != NULL && !is_said ())
    heap_blocks_add (block, size, asking);
  asking = NULL;
  return block;
}

void *
malloc (size_t size)
{
  begin_asking (__builtin_return_address (0));
  return end_asking (NEXT (malloc) (size), size);
}

void *
calloc (size_t n,
        size_t size)
{
  begin_asking (__builtin_return_address (0));
  return end_asking (NEXT (calloc) (n, size), n * size);
}

static void *
resize (void       *block,
        size_t      size,
        const void *caller)
{
  size_t old = 0;
  HeapSite *site = NULL;
  bool known = block != NULL && !is_said () && heap_blocks_take (block, &old, &site);
  void *grown;

  begin_asking (caller);
  grown = NEXT (realloc) (block, size);
  if (grown == NULL && size != 0 && known)
    heap_blocks_add (block, old, site);
  return end_asking (grown, size);
}

void *
realloc (void   *block,
         size_t  size)
{
  return resize (block, size, __builtin_return_address (0));
}

void *
reallocarray (void   *block,
              size_t  n,
              size_t  size)
{
  size_t whole;

  if (__builtin_mul_overflow (n, size, &whole))
    {
      errno = ENOMEM;
      return NULL;
    }
  return resize (block, whole, __builtin_return_address (0));
}

void *
memalign (size_t alignment,
          size_t size)
{
  begin_asking (__builtin_return_address (0));
  return end_asking (NEXT (memalign) (alignment, size), size);
}

void *
aligned_alloc (size_t alignment,
               size_t size)
{
  begin_asking (__builtin_return_address (0));
  return end_asking (NEXT (memalign) (alignment, size), size);
}

int
posix_memalign (void   **block,
                size_t   alignment,
                size_t   size)
{
  void *memory;

  begin_asking (__builtin_return_address (0));
  memory = end_asking (NEXT (memalign) (alignment, size), size);
  if (memory == NULL)
    return ENOMEM;
  *block = memory;
  return 0;
}

void
free (void *block)
{
  if (block != NULL && !is_said ())
    gone (block);
  NEXT (free)
  (block);
}

/* Of mappings only the owner's count, of memory and nothing else. */
static void *
map (void       *address,
     size_t      size,
     int         protection,
     int         flags,
     int         fd,
     off_t       offset,
     const void *caller)
{
  void *mapping = (void *)syscall (SYS_mmap, address, size, protection, flags, fd, offset);

  if (mapping != MAP_FAILED && (flags & MAP_ANONYMOUS) != 0 && (flags & MAP_FIXED) == 0)
    {
      HeapSite *site = heap_site_here (caller);

      if (site->owned)
        heap_blocks_add (mapping, size, site);
    }
  return mapping;
}

void *
mmap (void   *address,
      size_t  size,
      int     protection,
      int     flags,
      int     fd,
      off_t   offset)
{
  return map (address, size, protection, flags, fd, offset, __builtin_return_address (0));
}

void *
mmap64 (void   *address,
        size_t  size,
        int     protection,
        int     flags,
        int     fd,
        off_t   offset)
{
  return map (address, size, protection, flags, fd, offset, __builtin_return_address (0));
}

int
munmap (void   *address,
        size_t  size)
{
  heap_blocks_take (address, NULL, NULL);
  return (int)syscall (SYS_munmap, address, size);
}

int
dlclose (void *handle)
{
  static int (*real) (void *handle);

  if (getenv ("HEAP_METER_STAY") != NULL)
    return 0;
  if (real == NULL)
    *(void **)&real = dlsym (RTLD_NEXT, "dlclose");
  return real (handle);
}

/* --- What is said ----------------------------------------------------------------------------- */

typedef struct
{
  char path[4096];
  int fd;
  bool sites;
} Meter;

static void
dump (const Meter *self,
      int          number)
{
  char path[sizeof self->path + 16];
  FILE *file;

  snprintf (path, sizeof path, "%s.%d", self->path, number);
  file = fopen (path, "we");
  if (file == NULL)
    return;
  heap_sites_write (file);
  fclose (file);
}

static int
compare (const void *a,
         const void *b)
{
  const size_t *left = a, *right = b;

  return (*left > *right) - (*left < *right);
}

static size_t
median (size_t values[N_TICKS])
{
  qsort (values, N_TICKS, sizeof values[0], compare);
  return values[N_TICKS / 2];
}

static bool
write_line (const Meter *self,
            size_t       all[N_TICKS],
            size_t       owned[N_TICKS])
{
  struct timespec now;
  char line[128];
  int length;

  clock_gettime (CLOCK_MONOTONIC, &now);
  length = snprintf (line, sizeof line, "%ld.%03ld %zu %zu\n", (long)now.tv_sec,
                     now.tv_nsec / 1000000, median (all), median (owned));
  return write (self->fd, line, (size_t)length) == length;
}

static void *
work (void *data)
{
  static const struct timespec tick = { 0, 10000000 };
  const Meter *self = data;
  size_t all[N_TICKS], owned[N_TICKS];
  int n_dumped = 0;

  for (;;)
    {
      for (unsigned i = 0; i < N_TICKS; i++)
        {
          heap_blocks_count (&all[i], &owned[i]);
          if (self->sites)
            heap_sites_sample ();
          if (n_dumped < wanted)
            dump (self, ++n_dumped);
          nanosleep (&tick, NULL);
        }
      if (!write_line (self, all, owned))
        return NULL;
    }
}

static void
want (int number)
{
  (void)number;
  wanted++;
}

__attribute__ ((constructor)) static void
begin (void)
{
  static Meter self;
  const char *stem = getenv ("HEAP_METER");
  sigset_t all, before;
  pthread_t thread;

  if (stem == NULL)
    return;
  self.sites = getenv ("HEAP_METER_SITES") != NULL;
  heap_sites_init (getenv ("HEAP_METER_OWNER"), self.sites);
  heap_blocks_init ();
  if (is_said ())
    __sanitizer_install_malloc_and_free_hooks (made, gone);
  snprintf (self.path, sizeof self.path, "%s.%d", stem, (int)getpid ());
  self.fd = open (self.path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (self.fd < 0)
    return;
  if (self.sites)
    signal (SIGRTMAX, want);
  /* The program's signals are for the program's threads. */
  sigfillset (&all);
  pthread_sigmask (SIG_SETMASK, &all, &before);
  if (pthread_create (&thread, NULL, work, &self) == 0)
    pthread_detach (thread);
  pthread_sigmask (SIG_SETMASK, &before, NULL);
}
