/* Writes the file of one presented image that the witness layer has copied. */
#include "vtr-witness-frame.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/uio.h>
#include <unistd.h>

/* VkFormat numbers its formats in groups of one texel size; each row is the last of its group. */
static const struct
{
  uint8_t last;
  uint8_t size;
} texel_sizes[] = {
  { 0, 0 },    /* UNDEFINED */
  { 1, 1 },    /* R4G4 */
  { 8, 2 },    /* 16-bit packed */
  { 15, 1 },   /* R8 */
  { 22, 2 },   /* R8G8 */
  { 36, 3 },   /* R8G8B8, B8G8R8 */
  { 69, 4 },   /* 8-bit quads and 10-bit packed */
  { 76, 2 },   /* R16 */
  { 83, 4 },   /* R16G16 */
  { 90, 6 },   /* R16G16B16 */
  { 97, 8 },   /* R16G16B16A16 */
  { 100, 4 },  /* R32 */
  { 103, 8 },  /* R32G32 */
  { 106, 12 }, /* R32G32B32 */
  { 109, 16 }, /* R32G32B32A32 */
  { 112, 8 },  /* R64 */
  { 115, 16 }, /* R64G64 */
  { 118, 24 }, /* R64G64B64 */
  { 121, 32 }, /* R64G64B64A64 */
  { 123, 4 },  /* B10G11R11, E5B9G9R9 */
};

uint32_t
vtr_witness_texel_size (uint32_t format)
{
  for (size_t i = 0; i < sizeof texel_sizes / sizeof texel_sizes[0]; i++)
    {
      if (format <= texel_sizes[i].last)
        return texel_sizes[i].size;
    }

  return 0;
}

static bool
write_all (int           fd,
           struct iovec *parts,
           int           n_parts)
{
  while (n_parts > 0)
    {
      ssize_t written = writev (fd, parts, n_parts);

      if (written < 0 && errno == EINTR)
        continue;
      if (written < 0)
        return false;

      while (n_parts > 0 && (size_t)written >= parts->iov_len)
        {
          written -= (ssize_t)parts->iov_len;
          parts++;
          n_parts--;
        }

      if (n_parts > 0)
        {
          parts->iov_base = (char *)parts->iov_base + written;
          parts->iov_len -= (size_t)written;
        }
    }

  return true;
}

bool
vtr_witness_write_frame (const char             *directory,
                         uint32_t                number,
                         const VtrWitnessHeader *header,
                         const void             *data)
{
  struct iovec parts[] = {
    { (void *)header, sizeof *header },
    { (void *)data, header->size },
  };
  char temporary[PATH_MAX];
  char final[PATH_MAX];
  bool ok;
  int fd;

  if (snprintf (final, sizeof final, "%s/frame-%06u.raw", directory, number) >= (int)sizeof final ||
      snprintf (temporary, sizeof temporary, "%s/.frame-%06u.%ld", directory, number,
                (long)getpid ()) >= (int)sizeof temporary)
    {
      errno = ENAMETOOLONG;
      return false;
    }

  fd = open (temporary, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0666);
  if (fd < 0)
    return false;

  ok = write_all (fd, parts, 2);
  ok = close (fd) == 0 && ok;
  ok = ok && rename (temporary, final) == 0;
  if (!ok)
    unlink (temporary);

  return ok;
}
