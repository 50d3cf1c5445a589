/* Tests whether memory of this process is readable by letting the kernel copy one byte of each
 * page, so that a bad pointer costs an error code instead of a crash. */
#include "vtr-readable.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/uio.h>
#include <unistd.h>

#define PAGE 4096u /* the smallest there is: smaller steps than needed do no harm */
#define BATCH 64

/* Copies a byte of each page. Returns: how many; -1: see errno. */
static ssize_t
peek (const struct iovec *pages,
      size_t              n)
{
  char bytes[BATCH];
  const struct iovec to = { bytes, n };

  return process_vm_readv (getpid (), &to, 1, pages, n, 0);
}

/* Does the same where that call is forbidden: writing unreadable memory to a pipe fails. */
static bool
write_to_pipe (const struct iovec *pages,
               size_t              n)
{
  int ends[2];
  bool all = true;

  if (pipe2 (ends, O_CLOEXEC | O_NONBLOCK) != 0)
    return false;
  for (size_t i = 0; all && i < n; i++)
    all = write (ends[1], pages[i].iov_base, 1) == 1;
  close (ends[0]);
  close (ends[1]);
  return all;
}

static bool
are_readable (const struct iovec *pages,
              size_t              n)
{
  ssize_t seen = peek (pages, n);

  if (seen < 0 && errno != EFAULT)
    return write_to_pipe (pages, n);
  return seen == (ssize_t)n;
}

bool
vtr_memory_is_readable (const void *address,
                        size_t      size)
{
  uintptr_t at = (uintptr_t)address;
  struct iovec pages[BATCH];
  uintptr_t end;
  int kept = errno;
  bool readable = true;

  if (size == 0)
    return true;
  if (__builtin_add_overflow (at, size, &end))
    return false;
  while (readable && at < end)
    {
      size_t n = 0;

      for (; n < BATCH && at < end; n++, at = (at / PAGE + 1) * PAGE)
        {
          pages[n] = (struct iovec){ (void *)at, 1 };
          if (at > UINTPTR_MAX - PAGE)
            {
              readable = false;
              break;
            }
        }
      readable = readable && are_readable (pages, n);
    }
  errno = kept;
  return readable;
}
