/* Ends a program by SIGKILL right before one of its changes to files, for tests.
 *
 * Preloaded into vitrine-cli. VTR_KILL_AT=N: the N-th call of those below that makes, moves,
 * writes, cuts, locks or removes a file is not made. Other programs that inherit the preload are
 * left alone.
 *
 * Threading: any. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static void
reach_point (void)
{
  static atomic_int count;
  static atomic_int wanted = -1;

  if (wanted < 0)
    {
      const char *text = getenv ("VTR_KILL_AT");

      wanted = text != NULL && strcmp (program_invocation_short_name, "vitrine-cli") == 0
                 ? atoi (text)
                 : 0;
    }
  if (wanted > 0 && atomic_fetch_add (&count, 1) + 1 == wanted)
    kill (getpid (), SIGKILL);
}

static void *
find_next (const char *name)
{
  void *function = dlsym (RTLD_NEXT, name);

  if (function == NULL)
    abort ();
  return function;
}

#define NEXT(name) ((__typeof__ (&name))find_next (#name))

static mode_t
take_mode (int     flags,
           va_list arguments)
{
  return (flags & (O_CREAT | __O_TMPFILE)) != 0 ? va_arg (arguments, mode_t) : 0;
}

#define DEFINE_OPEN(name) \
  int name (const char *path, int flags, ...) \
  { \
    va_list arguments; \
    mode_t mode; \
\
    va_start (arguments, flags); \
    mode = take_mode (flags, arguments); \
    va_end (arguments); \
    if ((flags & (O_CREAT | __O_TMPFILE | O_TRUNC)) != 0) \
      reach_point (); \
    return NEXT (name) (path, flags, mode); \
  }

#define DEFINE(type, name, declared, given) \
  type name declared \
  { \
    reach_point (); \
    return NEXT (name) given; \
  }

DEFINE_OPEN (open);
DEFINE_OPEN (open64);
DEFINE (int, mkdir, (const char *path, mode_t mode), (path, mode));
DEFINE (int, unlink, (const char *path), (path));
DEFINE (int, rename, (const char *from, const char *to), (from, to));
DEFINE (int,
        renameat2,
        (int a, const char *from, int b, const char *to, unsigned int flags),
        (a, from, b, to, flags));
DEFINE (int,
        linkat,
        (int a, const char *from, int b, const char *to, int flags),
        (a, from, b, to, flags));
DEFINE (int, flock, (int fd, int operation), (fd, operation));
DEFINE (int, fsync, (int fd), (fd));
DEFINE (int, bind, (int fd, const struct sockaddr *address, socklen_t size), (fd, address, size));
DEFINE (int, ftruncate64, (int fd, off64_t size), (fd, size));
DEFINE (int, fallocate64, (int fd, int mode, off64_t at, off64_t size), (fd, mode, at, size));
DEFINE (int, posix_fallocate64, (int fd, off64_t at, off64_t size), (fd, at, size));
DEFINE (ssize_t,
        pwrite64,
        (int fd, const void *data, size_t size, off64_t at),
        (fd, data, size, at));
