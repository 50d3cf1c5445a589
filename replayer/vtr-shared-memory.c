/* Replaces mmap () in the whole process, so that anonymous shared memory lies in a memory file.
 * The engine limits the memory of a replayer. It can count the pages of memory files
 * (engine/replay/vtr-replay-warden.h), but not those of anonymous shared memory, which stay when
 * they are partly unmapped or given up (MADV_DONTNEED). So the filter of system calls refuses
 * anonymous shared memory. A few drivers use it nevertheless; the linker binds their calls to
 * this function. */
#undef _FILE_OFFSET_BITS /* it gives both functions one name */

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

#define EXPORT __attribute__ ((visibility ("default")))

static void *
map (void    *address,
     size_t   size,
     int      protection,
     int      flags,
     int      fd,
     off64_t  offset)
{
#ifdef SYS_mmap2
  return (void *)syscall (SYS_mmap2, address, size, protection, flags, fd, (long)(offset >> 12));
#else
  return (void *)syscall (SYS_mmap, address, size, protection, flags, fd, offset);
#endif
}

static void *
map_file (void   *address,
          size_t  size,
          int     protection,
          int     flags)
{
  int fd = memfd_create ("shared", MFD_CLOEXEC);
  void *memory = MAP_FAILED;

  if (fd < 0)
    return MAP_FAILED;
  if (ftruncate (fd, (off_t)size) == 0)
    memory = map (address, size, protection, flags & ~MAP_ANONYMOUS, fd, 0);
  close (fd);
  return memory;
}

EXPORT void *
mmap64 (void    *address,
        size_t   size,
        int      protection,
        int      flags,
        int      fd,
        off64_t  offset)
{
  if ((flags & MAP_ANONYMOUS) != 0 && (flags & MAP_TYPE) != MAP_PRIVATE)
    return map_file (address, size, protection, flags);
  return map (address, size, protection, flags, fd, offset);
}

EXPORT void *
mmap (void   *address,
      size_t  size,
      int     protection,
      int     flags,
      int     fd,
      off_t   offset)
{
  return mmap64 (address, size, protection, flags, fd, offset);
}

#endif
