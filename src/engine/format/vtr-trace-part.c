/* Creates, finds, takes over and renames the .part files that recordings are written to, and never
 * touches a file of another program. */
#include "engine/format/vtr-trace-part.h"

#include "engine/format/vtr-trace-layout.h"
#include "engine/format/vtr-trace-scan.h"
#include "vtr-config.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define SUFFIX ".part"
#define TRACE_SUFFIX ".gfxtrace"
#define MOST_NAMES 100
#define TRIES 3

static void
set_errno (GError     **error,
           const char  *path,
           int          code)
{
  g_set_error (error, G_IO_ERROR, g_io_error_from_errno (code), _ ("“%s” cannot be written: %s."),
               path, g_strerror (code));
}

/* ---- Names ---- */

static char *
name_part (const char *path,
           guint       nth)
{
  return nth <= 1 ? g_strconcat (path, SUFFIX, NULL) : g_strdup_printf ("%s.%u" SUFFIX, path, nth);
}

/* @recovered: whether it is a trace that another process recorded earlier. */
static char *
name_beside (const char *path,
             gboolean    recovered,
             guint       nth)
{
  g_autofree char *addition =
    !recovered ? g_strdup_printf ("-%u", nth + 1)
    : nth <= 1 ? g_strdup ("-recovered")
               : g_strdup_printf ("-recovered-%u", nth);
  gsize stem = strlen (path);
  const char *suffix = "";

  if (g_str_has_suffix (path, TRACE_SUFFIX))
    {
      suffix = TRACE_SUFFIX;
      stem -= strlen (TRACE_SUFFIX);
    }
  return g_strdup_printf ("%.*s%s%s", (int)stem, path, addition, suffix);
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

/* Whether another Vitrine writes @part_path now. */
static gboolean
is_being_written (const char *part_path)
{
  int fd = open_regular (part_path, O_RDONLY);
  gboolean locked = FALSE;
  VtrRecordingId id;
  struct stat info;

  if (fd < 0)
    return FALSE;
  if (flock (fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK && fstat (fd, &info) == 0)
    locked = info.st_size == 0 || read_recording (fd, &id);
  close (fd);
  return locked;
}

/* ---- Beginning ---- */

static void
set_busy (GError     **error,
          const char  *path)
{
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_BUSY,
               _ ("“%s” is being written by another Vitrine."), path);
}

/* Links @fd to @part_path, or opens it where @fd is -1. Returns: a descriptor, or -1 with errno. */
static int
take_name (int         fd,
           const char *part_path)
{
  g_autofree char *itself = g_strdup_printf ("/proc/self/fd/%d", fd);

  if (fd >= 0)
    return linkat (AT_FDCWD, itself, AT_FDCWD, part_path, AT_SYMLINK_FOLLOW) == 0 ? fd : -1;
  do
    fd = open (part_path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
  while (fd < 0 && errno == EINTR);
  return fd;
}

/* The first name that is free. Returns: as take_name(), with @error. */
static int
take_first_name (int          fd,
                 const char  *path,
                 char       **part_path,
                 GError     **error)
{
  for (guint nth = 1; nth <= MOST_NAMES; nth++)
    {
      g_autofree char *part = name_part (path, nth);
      int taken = take_name (fd, part);

      if (taken >= 0)
        {
          *part_path = g_steal_pointer (&part);
          return taken;
        }
      if (errno != EEXIST)
        {
          set_errno (error, path, errno);
          return -1;
        }
      if (is_being_written (part))
        {
          set_busy (error, path);
          return -1;
        }
    }
  set_errno (error, path, EEXIST);
  return -1;
}

int
vtr_trace_part_create (const char  *path,
                       gboolean     hidden,
                       char       **part_path,
                       GError     **error)
{
  g_autofree char *folder = g_path_get_dirname (path);
  int fd = hidden ? open (folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0644) : -1;

  *part_path = NULL;
  if (fd < 0)
    fd = take_first_name (-1, path, part_path, error);
  if (fd >= 0)
    (void)!flock (fd, LOCK_EX | LOCK_NB);
  return fd;
}

gboolean
vtr_trace_part_give_name (int          fd,
                          const char  *path,
                          char       **part_path,
                          GError     **error)
{
  g_autoptr (GError) local = NULL;

  if (take_first_name (fd, path, part_path, &local) >= 0)
    return TRUE;
  /* Whatever a file system says to a link that it cannot make. */
  if (!g_error_matches (local, G_IO_ERROR, G_IO_ERROR_BUSY) &&
      !g_error_matches (local, G_IO_ERROR, G_IO_ERROR_NO_SPACE))
    g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED, local->message);
  else
    g_propagate_error (error, g_steal_pointer (&local));
  return FALSE;
}

/* Whether anybody else has the file open. The kernel tells by granting a lease or not; file systems
 * without leases leave it to the lock. */
static gboolean
is_open_elsewhere (int fd)
{
  gboolean open_elsewhere;

  /* The kernel sends this signal if another program opens the file meanwhile. It is ignored by
   * default. */
  (void)fcntl (fd, F_SETSIG, SIGURG);
  open_elsewhere = fcntl (fd, F_SETLEASE, F_WRLCK) != 0 && (errno == EAGAIN || errno == EBUSY);
  (void)fcntl (fd, F_SETLEASE, F_UNLCK);
  return open_elsewhere;
}

int
vtr_trace_part_open (const char            *part_path,
                     const VtrRecordingId  *recording,
                     GError               **error)
{
  int fd = open_regular (part_path, O_RDWR);
  VtrRecordingId found;

  if (fd < 0)
    {
      set_errno (error, part_path, errno);
      return -1;
    }
  if (flock (fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    set_busy (error, part_path);
  /* The previous owner of the lock may have finished the trace. */
  else if (!vtr_trace_part_is_at (fd, part_path))
    set_errno (error, part_path, ENOENT);
  else if (!read_recording (fd, &found) ||
           (recording != NULL && !vtr_recording_id_equal (&found, recording)))
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
                 _ ("“%s” is not an unfinished trace of this recording. It was not changed."),
                 part_path);
  else if (is_open_elsewhere (fd))
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_PENDING,
                 _ ("Another program has “%s” open. Close it there, then recover again."),
                 part_path);
  else
    return fd;
  close (fd);
  return -1;
}

/* ---- Ending ---- */

static gboolean
copy_bytes (int from,
            int to)
{
  g_autofree guint8 *buffer = g_malloc (1 << 20);
  off_t at = 0;

  for (;;)
    {
      gssize got = pread (from, buffer, 1 << 20, at), put = 0;

      if (got == 0)
        return fsync (to) == 0;
      if (got < 0 && errno == EINTR)
        continue;
      for (gssize n; got > 0 && put < got; put += n)
        {
          n = pwrite (to, buffer + put, (gsize)(got - put), at + put);
          if (n < 0 && errno == EINTR)
            n = 0;
          else if (n <= 0)
            return FALSE;
        }
      if (got < 0)
        return FALSE;
      at += got;
    }
}

/* Gives the file a name of its own beside @path. @fd: (inout): another one when it had to be
 * copied. Returns: (transfer full): NULL with errno. */
static char *
make_name (int        *fd,
           const char *path)
{
  g_autofree char *name = NULL;
  g_autofree char *itself = g_strdup_printf ("/proc/self/fd/%d", *fd);
  VtrRecordingId unique = vtr_recording_id_new ();
  char text[VTR_RECORDING_ID_TEXT];
  int copy, code;

  vtr_recording_id_print (&unique, text);
  name = g_strdup_printf ("%s.%s" SUFFIX, path, text);
  if (linkat (AT_FDCWD, itself, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0)
    return g_steal_pointer (&name);
  copy = open (name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
  if (copy < 0)
    return NULL;
  if (copy_bytes (*fd, copy))
    {
      *fd = copy;
      return g_steal_pointer (&name);
    }
  code = errno;
  unlink (name);
  close (copy);
  errno = code;
  return NULL;
}

void
vtr_trace_part_look (const char     *path,
                     VtrTraceTarget *out)
{
  struct stat info;

  *out = (VtrTraceTarget){ 0 };
  if (lstat (path, &info) != 0)
    return;
  out->exists = TRUE;
  out->device = info.st_dev;
  out->inode = info.st_ino;
  out->size = info.st_size;
  out->changed = info.st_mtim;
}

/* A number of a removed file may be given to a new one. */
static gboolean
is_target (const VtrTraceTarget *target,
           const char           *path)
{
  VtrTraceTarget there;

  vtr_trace_part_look (path, &there);
  return target->exists && there.exists && target->device == there.device &&
         target->inode == there.inode && target->size == there.size &&
         target->changed.tv_sec == there.changed.tv_sec &&
         target->changed.tv_nsec == there.changed.tv_nsec;
}

static gboolean
is_unsupported (int code)
{
  return code == EINVAL || code == ENOSYS || code == EOPNOTSUPP;
}

/* Without replacing anything, also where the file system cannot do that at once. */
static gboolean
move_to_free (const char *from,
              const char *to)
{
  struct stat info;

  if (renameat2 (AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
    return TRUE;
  if (!is_unsupported (errno))
    return FALSE;
  if (lstat (to, &info) == 0)
    {
      errno = EEXIST;
      return FALSE;
    }
  return rename (from, to) == 0;
}

/* Replaces @target, but no other file that has appeared at @to since. The replaced file is
 * checked once nobody else can reach it. */
static gboolean
move_over (const char           *from,
           const char           *to,
           const VtrTraceTarget *target)
{
  if (is_target (target, to))
    {
      if (renameat2 (AT_FDCWD, from, AT_FDCWD, to, RENAME_EXCHANGE) == 0)
        {
          if (is_target (target, from))
            return g_unlink (from) == 0;
          (void)!renameat2 (AT_FDCWD, from, AT_FDCWD, to, RENAME_EXCHANGE);
        }
      else if (is_unsupported (errno))
        return rename (from, to) == 0;
    }
  return move_to_free (from, to);
}

/* Moves @from, which is open as @fd, to @path or a name beside it. Returns: (transfer full): the
 * new name; NULL with errno; ESTALE if another file was moved, which was put back. */
static char *
move_ours (int                   fd,
           const char           *from,
           const char           *path,
           const VtrTraceTarget *target)
{
  struct stat there;

  for (guint nth = 0; nth <= MOST_NAMES; nth++)
    {
      g_autofree char *to = nth == 0 ? g_strdup (path) : name_beside (path, target == NULL, nth);
      gboolean moved =
        nth == 0 && target != NULL ? move_over (from, to, target) : move_to_free (from, to);

      if (!moved)
        {
          if (errno == EEXIST && (target == NULL || !target->only))
            continue;
          return NULL;
        }
      /* A program that waits for traces may have moved it at once. */
      if (vtr_trace_part_is_at (fd, to) || lstat (to, &there) != 0)
        return g_steal_pointer (&to);
      (void)!renameat2 (AT_FDCWD, to, AT_FDCWD, from, RENAME_NOREPLACE);
      errno = ESTALE;
      return NULL;
    }
  return NULL;
}

static char *
place_displaced (int                   fd,
                 const char           *path,
                 const VtrTraceTarget *target)
{
  int ours = fd, code;
  g_autofree char *name = make_name (&ours, path);
  char *placed;

  if (name == NULL)
    return NULL;
  placed = move_ours (ours, name, path, target);
  code = errno;
  if (placed == NULL)
    vtr_trace_part_remove (ours, name);
  if (ours != fd)
    close (ours);
  errno = code;
  return placed;
}

gboolean
vtr_trace_part_place (int                    fd,
                      const char            *part_path,
                      const char            *path,
                      const VtrTraceTarget  *target,
                      char                 **placed,
                      gboolean              *displaced,
                      GError               **error)
{
  char *where = NULL;

  errno = ESTALE;
  for (guint i = 0; i < TRIES && where == NULL && errno == ESTALE; i++)
    {
      *displaced = !vtr_trace_part_is_at (fd, part_path);
      where = *displaced ? place_displaced (fd, path, target)
                         : move_ours (fd, part_path, path, target);
    }
  *displaced &= part_path != NULL;
  if (where == NULL && errno == ESTALE)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED,
                 _ ("Another program replaced “%s”, so the trace could not be saved there."),
                 path);
  else if (where == NULL && errno == EEXIST)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_EXISTS,
                 _ ("Another program wrote “%s” in the meantime. That file was not changed; use "
                    "another name."),
                 path);
  else if (where == NULL)
    set_errno (error, path, errno);
  else
    *placed = where;
  return where != NULL;
}

void
vtr_trace_part_remove (int         fd,
                       const char *part_path)
{
  if (vtr_trace_part_is_at (fd, part_path))
    g_unlink (part_path);
}
