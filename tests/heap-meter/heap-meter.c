/* Preloaded into a program: says every quarter of a second how much memory is allocated in it, in
 * the file $HEAP_METER.PID, a line of seconds and bytes each time.
 *
 * With HEAP_METER_STAY libraries stay loaded to the end, so that a leak checker finds names for
 * what was allocated in them.
 *
 * Threading: a thread of its own.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* Of the sanitizers' allocator, if that is the program's. */
size_t __sanitizer_get_current_allocated_bytes (void) __attribute__ ((weak));

static size_t
allocated (void)
{
  struct mallinfo2 info;

  if (__sanitizer_get_current_allocated_bytes != NULL)
    return __sanitizer_get_current_allocated_bytes ();
  info = mallinfo2 ();
  return info.uordblks + info.hblkhd;
}

static void *
work (void *data)
{
  int fd = (int)(intptr_t)data;
  const struct timespec quarter = { 0, 250000000 };
  struct timespec now;
  char line[64];
  int length;

  for (;;)
    {
      clock_gettime (CLOCK_MONOTONIC, &now);
      length = snprintf (line, sizeof line, "%ld.%03ld %zu\n", (long)now.tv_sec,
                         now.tv_nsec / 1000000, allocated ());
      if (write (fd, line, (size_t)length) != length)
        return NULL;
      nanosleep (&quarter, NULL);
    }
}

__attribute__ ((constructor)) static void
begin (void)
{
  const char *stem = getenv ("HEAP_METER");
  sigset_t all, before;
  pthread_t thread;
  char path[4096];
  int fd;

  if (stem == NULL)
    return;
  snprintf (path, sizeof path, "%s.%d", stem, (int)getpid ());
  fd = open (path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (fd < 0)
    return;
  /* The program's signals are for the program's threads. */
  sigfillset (&all);
  pthread_sigmask (SIG_SETMASK, &all, &before);
  if (pthread_create (&thread, NULL, work, (void *)(intptr_t)fd) == 0)
    pthread_detach (thread);
  pthread_sigmask (SIG_SETMASK, &before, NULL);
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
