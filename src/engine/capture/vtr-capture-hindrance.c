/* Reads a program's ELF file and mode to find out why the layer cannot be loaded into it:
 * static, of another machine, or with privileges. */
#include "engine/capture/vtr-capture-hindrance.h"

#include <elf.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#define MAX_SEGMENTS 512

static gboolean
read_at (int      fd,
         void    *to,
         gsize    size,
         guint64  offset)
{
  return offset <= G_MAXINT32 && pread (fd, to, size, (off_t)offset) == (gssize)size;
}

/* Whether one of the @n segments is of @type; in doubt, it is. */
static gboolean
has_segment (int     fd,
             guint64 table,
             guint   n,
             gsize   size,
             guint32 type)
{
  for (guint i = 0; i < MIN (n, MAX_SEGMENTS); i++)
    {
      guint32 found;

      /* The type comes first in both classes. */
      if (!read_at (fd, &found, sizeof found, table + i * size) || found == type)
        return TRUE;
    }
  return FALSE;
}

/* An executable of this machine's byte order. */
static gboolean
read_ident (int    fd,
            guint8 ident[static EI_NIDENT])
{
  return read_at (fd, ident, EI_NIDENT, 0) && memcmp (ident, ELFMAG, SELFMAG) == 0 &&
         ident[EI_DATA] == (G_BYTE_ORDER == G_LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB);
}

/* The machine for which it was built; 0: unknown. At the same place in 32-bit and 64-bit files. */
static guint
read_machine (int fd)
{
  guint8 ident[EI_NIDENT];
  Elf64_Half machine;

  if (!read_ident (fd, ident) ||
      !read_at (fd, &machine, sizeof machine, G_STRUCT_OFFSET (Elf64_Ehdr, e_machine)))
    return 0;
  return machine;
}

static gboolean
is_foreign (int fd)
{
  int ours = g_open ("/proc/self/exe", O_RDONLY | O_CLOEXEC, 0);
  guint machine = read_machine (fd), here = ours >= 0 ? read_machine (ours) : 0;

  if (ours >= 0)
    close (ours);
  return machine != 0 && here != 0 && machine != here;
}

/* Without an interpreter. */
static gboolean
is_static (int fd)
{
  guint8 ident[EI_NIDENT];
  Elf64_Ehdr wide;
  Elf32_Ehdr narrow;

  if (!read_ident (fd, ident))
    return FALSE;
  if (ident[EI_CLASS] == ELFCLASS64)
    return read_at (fd, &wide, sizeof wide, 0) && wide.e_phentsize == sizeof (Elf64_Phdr) &&
           !has_segment (fd, wide.e_phoff, wide.e_phnum, sizeof (Elf64_Phdr), PT_INTERP);
  return ident[EI_CLASS] == ELFCLASS32 && read_at (fd, &narrow, sizeof narrow, 0) &&
         narrow.e_phentsize == sizeof (Elf32_Phdr) &&
         !has_segment (fd, narrow.e_phoff, narrow.e_phnum, sizeof (Elf32_Phdr), PT_INTERP);
}

/* Root has those that a file gives already, and gets no secure environment for them. */
static gboolean
gives_capabilities (const char *path)
{
  return getuid () != 0 && getxattr (path, "security.capability", NULL, 0) > 0;
}

VtrCaptureHindrance
vtr_capture_find_hindrance (const char *path)
{
  VtrCaptureHindrance found = VTR_CAPTURE_HINDRANCE_NONE;
  struct stat info;
  int fd = g_open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);

  if (g_stat (path, &info) == 0 && S_ISREG (info.st_mode) &&
      (((info.st_mode & S_ISUID) != 0 && info.st_uid != getuid ()) ||
       ((info.st_mode & S_ISGID) != 0 && info.st_gid != getgid ()) || gives_capabilities (path)))
    found = VTR_CAPTURE_HINDRANCE_RIGHTS;
  else if (fd >= 0 && is_static (fd))
    found = VTR_CAPTURE_HINDRANCE_STATIC;
  else if (fd >= 0 && is_foreign (fd))
    found = VTR_CAPTURE_HINDRANCE_MACHINE;
  if (fd >= 0)
    close (fd);
  return found;
}
