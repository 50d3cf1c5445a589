#include "engine/format/vtr-trace-part.h"

#include "engine/format/vtr-trace-layout.h"
#include "engine/format/vtr-trace-scan.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define SUFFIX ".part"
#define MOST_NAMES 100

/* ---- Names ---- */

static char *
name_part (const char *path,
           guint       nth)
{
  return nth <= 1 ? g_strconcat (path, SUFFIX, NULL) : g_strdup_printf ("%s.%u" SUFFIX, path, nth);
}

char *
vtr_trace_part_get_trace_path (const char *part_path)
{
  g_autofree char *path = NULL;
  gsize length, digits;

  if (!g_str_has_suffix (part_path, SUFFIX))
    return NULL;
  length = strlen (part_path) - strlen (SUFFIX);
  for (digits = length; digits > 0 && g_ascii_isdigit (part_path[digits - 1]);)
    digits--;
  if (digits < length && digits > 1 && part_path[digits - 1] == '.')
    length = digits - 1;
  path = g_strndup (part_path, length);
  return *path == '\0' || g_str_has_suffix (path, "/") ? NULL : g_steal_pointer (&path);
}

gboolean
vtr_trace_part_is_at (int         fd,
                      const char *path)
{
  struct stat ours, there;

  return path != NULL && fstat (fd, &ours) == 0 && lstat (path, &there) == 0 &&
         ours.st_dev == there.st_dev && ours.st_ino == there.st_ino;
}

/* ---- What is there ---- */

/* A link is not followed, and a FIFO does not hang. */
static int
open_regular (const char *path,
              int         flags)
{
  struct stat info;
  int fd, code;

  do
    fd = open (path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  while (fd < 0 && errno == EINTR);
  if (fd < 0)
    return -1;
  code = fstat (fd, &info) != 0 ? errno : S_ISREG (info.st_mode) ? 0
                                                                 : EINVAL;
  if (code == 0)
    return fd;
  close (fd);
  errno = code;
  return -1;
}

static gboolean
read_recording (int             fd,
                VtrRecordingId *out)
{
  guint8 head[sizeof (VtrTraceLongHead)];
  gssize got = pread (fd, head, sizeof head, 0);

  if (got < 0 || !vtr_trace_is_vitrine (head, (gsize)got))
    return FALSE;
  *out = vtr_trace_head_recording (head);
  return TRUE;
}

gboolean
vtr_trace_part_read_recording (const char     *path,
                               VtrRecordingId *out)
{
  int fd = open_regular (path, O_RDONLY);
  gboolean good = fd >= 0 && read_recording (fd, out);

  if (fd >= 0)
    close (fd);
  return good;
}

char *
vtr_trace_part_find (const char           *path,
                     const VtrRecordingId *recording)
{
  for (guint nth = 1; nth <= MOST_NAMES; nth++)
    {
      g_autofree char *part = name_part (path, nth);
      VtrRecordingId found;

      if (vtr_trace_part_read_recording (part, &found) &&
          vtr_recording_id_equal (&found, recording))
        return g_steal_pointer (&part);
    }
  return NULL;
}
