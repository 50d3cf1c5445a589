/* Takes more of something than a replay should get. INTRUDER_GREED says of what: "memory" (files in
 * memory, each closed and mapped by one page), "shared" (anonymous memory that is shared, given up
 * page by page and still there), "both" (half of it files, half of it shared), "tables" (of pages,
 * which hold nothing), "disk" (files in the home), "blind" (those, once nobody has descriptors left
 * to look), "removed" (files in the home, removed while they are open), "mapped" (removed, closed
 * and mapped), "page" (removed, and one page of each mapped), "replaced" (likewise, and another
 * file takes the name), "threads"; "brief" (files in the home, each removed before the next) takes
 * nothing that lasts. "leader" takes files in memory once the first thread has ended, without which
 * /proc tells nothing. */
#include "vtr-intruder-acts.h"
#include "vtr-intruder-private.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BLOCK (1u << 20)
#define BLOCKS 64u /* of a file */
#define FILES 32u
#define THREADS 6000
#define BLIND 5000 /* descriptors */

static bool
fill (int fd)
{
  static char block[BLOCK];

  memset (block, 0x5a, sizeof block);
  for (unsigned i = 0; fd >= 0 && i < BLOCKS; i++)
    if (write (fd, block, sizeof block) != (ssize_t)sizeof block)
      return false;
  return fd >= 0;
}

static bool
take_files (unsigned n)
{
  for (unsigned i = 0; i < n; i++)
    {
      int fd = (int)memfd_create ("greed", MFD_CLOEXEC);

      if (!fill (fd) || mmap (NULL, 4096, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED)
        return false;
      close (fd);
    }
  return true;
}

/* As zeros, which are pages as well. */
static bool
take_shared (unsigned n,
             bool     give_up)
{
  for (unsigned i = 0; i < n; i++)
    {
      const size_t size = (size_t)BLOCK * BLOCKS;
      char *memory = mmap (NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

      if (memory == MAP_FAILED)
        return false;
      memset (memory, 0x5a, size);
      if (give_up)
        madvise (memory, size, MADV_DONTNEED);
    }
  return true;
}

/* A page of zeros in each two megabytes, which is the kernel's own one, takes a page of a table. */
static bool
take_tables (void)
{
  const size_t step = 2u << 20, n = 256 << 10;
  volatile char *memory =
    mmap (NULL, n * step, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  char sum = 0;

  if (memory == MAP_FAILED)
    return false;
  madvise ((void *)memory, n * step, MADV_NOHUGEPAGE);
  for (size_t i = 0; i < n; i++)
    sum = (char)(sum + memory[i * step]);
  return sum == 0;
}

/* Files in the home, which are removed and then only mapped. */
static bool
take_mapped (void)
{
  const size_t size = (size_t)BLOCK * BLOCKS;

  for (unsigned i = 0; i < FILES; i++)
    {
      char path[4096];
      char *memory;
      int fd;

      snprintf (path, sizeof path, "%s/greed%u", vtr_intruder_setting ("HOME"), i);
      fd = open (path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
      if (fd < 0 || ftruncate (fd, (off_t)size) != 0)
        return false;
      memory = mmap (NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
      unlink (path);
      close (fd);
      if (memory == MAP_FAILED)
        return false;
      memset (memory, 0x5a, size);
    }
  return true;
}

/* Files in the home that lose their names, of which one page stays mapped. Room on the disk is had
 * at once, and each file is closed before anybody can look. @rename_over: another file takes the
 * name. */
static bool
take_pages (bool rename_over)
{
  const off_t size = (off_t)BLOCK * BLOCKS;

  for (unsigned i = 0; i < FILES; i++)
    {
      char path[4096], other[4096];
      int fd, done;

      snprintf (path, sizeof path, "%s/greed", vtr_intruder_setting ("HOME"));
      snprintf (other, sizeof other, "%s/other", vtr_intruder_setting ("HOME"));
      fd = open (path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
      if (fd < 0 || posix_fallocate (fd, 0, size) != 0 ||
          mmap (NULL, 4096, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED)
        return false;
      close (fd);
      if (rename_over)
        {
          close (open (other, O_RDWR | O_CREAT | O_CLOEXEC, 0600));
          done = rename (other, path);
        }
      else
        done = unlink (path);
      if (done != 0)
        return false;
      unlink (path);
    }
  return true;
}

static bool
take_disk (bool removed)
{
  for (unsigned i = 0; i < FILES; i++)
    {
      char path[4096];
      int fd;

      snprintf (path, sizeof path, "%s/greed%u", vtr_intruder_setting ("HOME"), i);
      fd = open (path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
      if (removed)
        unlink (path);
      if (!fill (fd))
        return false;
      if (!removed)
        close (fd);
    }
  return true;
}

static bool
take_briefly (void)
{
  for (unsigned i = 0; i < FILES; i++)
    {
      char path[4096];
      int fd;

      snprintf (path, sizeof path, "%s/greed", vtr_intruder_setting ("HOME"));
      fd = open (path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
      if (!fill (fd))
        return false;
      close (fd);
      if (unlink (path) != 0 || access (path, F_OK) == 0)
        return false;
    }
  return true;
}

static void *
idle (void *data)
{
  for (;;)
    pause ();
  return data;
}

static bool
take_threads (void)
{
  pthread_attr_t attributes;
  pthread_t thread;

  pthread_attr_init (&attributes);
  pthread_attr_setstacksize (&attributes, 64 << 10);
  for (unsigned i = 0; i < THREADS; i++)
    if ((errno = pthread_create (&thread, &attributes, idle, NULL)) != 0)
      return false;
  return true;
}

static void *
take_as_another (void *data)
{
  bool done;

  usleep (200000);
  done = take_files (FILES);
  fprintf (stderr, "greed for leader: %s\n", done ? "done" : strerror (errno));
  return data;
}

static bool
end_first_thread (void)
{
  pthread_t thread;

  if (getpid () != gettid () || pthread_create (&thread, NULL, take_as_another, NULL) != 0)
    return false;
  syscall (SYS_exit, 0);
  return false;
}

void
vtr_intruder_be_greedy (void)
{
  const char *what = vtr_intruder_setting ("INTRUDER_GREED");
  bool done = false;

  if (*what == '\0')
    return;
  errno = 0;
  if (strcmp (what, "memory") == 0)
    done = take_files (FILES);
  else if (strcmp (what, "shared") == 0)
    done = take_shared (FILES, true);
  else if (strcmp (what, "both") == 0)
    done = take_files (7) && take_shared (7, false);
  else if (strcmp (what, "tables") == 0)
    done = take_tables ();
  else if (strcmp (what, "threads") == 0)
    done = take_threads ();
  else if (strcmp (what, "mapped") == 0)
    done = take_mapped ();
  else if (strcmp (what, "page") == 0 || strcmp (what, "replaced") == 0)
    done = take_pages (*what == 'r');
  else if (strcmp (what, "leader") == 0)
    done = end_first_thread ();
  else if (strcmp (what, "brief") == 0)
    done = take_briefly ();
  else if (strcmp (what, "blind") == 0)
    {
      for (unsigned i = 0; i < BLIND; i++)
        if (memfd_create ("blind", MFD_CLOEXEC) < 0)
          break;
      done = take_disk (false);
    }
  else
    done = take_disk (strcmp (what, "removed") == 0);
  /* Leaves the watcher some time. */
  if (done)
    sleep (2);
  fprintf (stderr, "greed for %s: %s\n", what, done ? "done" : strerror (errno));
}
