/* Creates the shared ring files that layers write to, adopts those of an earlier session, and
 * removes what is left over. */
#include "vtr-capture-ring.h"

#include "base/vtr-map-guard.h"
#include "engine/api/vtr-capture-error.h"
#include "wire/vtr-ring-writer.h"
#include "vtr-config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Bytes of segments; the lowest ones are taken first. */
#define PREPARED (8u * 1024u * 1024u)
#define MOST_NOTE_BYTES (4 * PATH_MAX)

static gboolean
is_private_folder (const char *path)
{
  struct stat info;

  return g_lstat (path, &info) == 0 && S_ISDIR (info.st_mode) && info.st_uid == geteuid ();
}

char *
vtr_capture_ring_get_folder (GError **error)
{
  const char *runtime = g_getenv ("XDG_RUNTIME_DIR");
  g_autofree char *path = NULL;

  if (runtime != NULL && *runtime == '/' && g_file_test (runtime, G_FILE_TEST_IS_DIR))
    path = g_build_filename (runtime, "vitrine", NULL);
  else
    path = g_strdup_printf ("/dev/shm/vitrine-%u", (guint)geteuid ());

  if (g_mkdir (path, 0700) != 0 && errno != EEXIST)
    g_set_error (error, VTR_CAPTURE_ERROR, VTR_CAPTURE_ERROR_SPACE,
                 _ ("Cannot create the folder “%s” for recordings: %s"), path, g_strerror (errno));
  else if (!is_private_folder (path))
    g_set_error (error, VTR_CAPTURE_ERROR, VTR_CAPTURE_ERROR_FAILED,
                 _ ("“%s” does not belong to you. Remove it, or set XDG_RUNTIME_DIR."), path);
  else
    return g_steal_pointer (&path);
  return NULL;
}

static gboolean
fail (GError     **error,
      const char  *path)
{
  int code = errno;

  g_set_error (error, VTR_CAPTURE_ERROR,
               code == ENOSPC ||
                   code == EDQUOT
                 ? VTR_CAPTURE_ERROR_SPACE
                 : VTR_CAPTURE_ERROR_FAILED,
               _ ("Cannot use the recording buffer “%s”: %s"), path, g_strerror (code));
  return FALSE;
}

static gboolean
is_file_at (int         fd,
            const char *path)
{
  struct stat ours, there;

  return fstat (fd, &ours) == 0 && g_lstat (path, &there) == 0 && ours.st_ino == there.st_ino &&
         ours.st_dev == there.st_dev;
}

/* Takes the lock. @fresh: makes its file. Returns: FALSE without @error when another host holds it,
 * or when it is not there. */
static gboolean
lock (VtrCaptureRing  *self,
      gboolean         fresh,
      GError         **error)
{
  struct stat info;

  self->lock_fd = g_open (self->lock_path,
                          O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK |
                            (fresh ? O_CREAT | O_EXCL : 0),
                          0600);
  if (self->lock_fd < 0)
    return fresh ? fail (error, self->lock_path) : FALSE;
  if (fresh)
    self->made = TRUE;
  else if (fstat (self->lock_fd, &info) != 0 || !S_ISREG (info.st_mode))
    return FALSE;
  if (flock (self->lock_fd, LOCK_EX | LOCK_NB) != 0)
    return errno == EWOULDBLOCK ? FALSE : fail (error, self->lock_path);
  /* Before it was locked, it was what vtr_capture_ring_clean() removes. */
  if (is_file_at (self->lock_fd, self->lock_path))
    return TRUE;
  errno = EAGAIN;
  return fresh ? fail (error, self->lock_path) : FALSE;
}

static gboolean
map (VtrCaptureRing  *self,
     gsize            size,
     GError         **error)
{
  void *mapping = mmap (NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, self->fd, 0);

  if (mapping == MAP_FAILED)
    return fail (error, self->path);
  self->header = mapping;
  self->size = size;
  self->guard = vtr_map_guard_add (mapping, size);
  return TRUE;
}

static VtrCaptureRing *
ring_alloc (const char *path)
{
  VtrCaptureRing *self = g_new0 (VtrCaptureRing, 1);
  gsize stem = strlen (path) - strlen (".ring");

  self->path = g_strdup (path);
  self->lock_path = g_strdup_printf ("%.*s.lock", (int)stem, path);
  self->fd = self->lock_fd = self->guard = -1;
  return self;
}

/* Room for what the host writes itself: where there is none, that is said before anybody writes.
 * Fails with errno, as ftruncate() does and posix_fallocate() does not. */
static gboolean
reserve (int   fd,
         gsize size)
{
  int code;

  do
    code = posix_fallocate (fd, 0, (off_t)size);
  while (code == EINTR);
  errno = code;
  return code == 0;
}

VtrCaptureRing *
vtr_capture_ring_new (GError **error)
{
  static guint serial;
  gsize size = vtr_ring_size_for (VTR_RING_DEFAULT_SEGMENTS, VTR_RING_MAX_STREAMS);
  g_autofree char *folder = vtr_capture_ring_get_folder (error);
  g_autofree char *name = NULL;
  g_autofree char *path = NULL;
  VtrCaptureRing *self;

  if (folder == NULL)
    return NULL;
  name = g_strdup_printf ("%d-%" G_GINT64_FORMAT "-%u.ring", (int)getpid (), g_get_real_time (),
                          (guint)g_atomic_int_add ((int *)&serial, 1));
  path = g_build_filename (folder, name, NULL);
  self = ring_alloc (path);

  if (!lock (self, TRUE, error))
    goto fail;
  self->fd = g_open (path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (self->fd < 0 || ftruncate (self->fd, (off_t)size) != 0 ||
      !reserve (self->fd, size - (gsize)VTR_RING_DEFAULT_SEGMENTS * VTR_RING_SEGMENT_SIZE))
    {
      fail (error, path);
      goto fail;
    }
  if (!map (self, size, error))
    goto fail;
  if (vtr_ring_format (self->header, size, VTR_RING_MAX_STREAMS) != VTR_OK)
    {
      errno = ENOSPC;
      fail (error, path);
      goto fail;
    }
  self->header->host_pid = (guint64)getpid ();
  return self;

fail:
  vtr_capture_ring_free (self, TRUE);
  return NULL;
}

/* Whether a dead host's ring is in the file, whose lock is held. */
static gboolean
is_ring (VtrCaptureRing    *self,
         const struct stat *info)
{
  char magic[sizeof self->header->magic];

  return S_ISREG (info->st_mode) && info->st_size >= (off_t)sizeof (VtrRingHeader) &&
         pread (self->fd, magic, sizeof magic, 0) == sizeof magic &&
         memcmp (magic, VTR_RING_MAGIC, sizeof magic) == 0 &&
         /* Another process may have completed and removed it just now. */
         is_file_at (self->fd, self->path);
}

VtrCaptureRing *
vtr_capture_ring_adopt (const char  *path,
                        GError     **error)
{
  VtrCaptureRing *self = ring_alloc (path);
  struct stat info;

  if (!lock (self, FALSE, error))
    goto fail;
  self->fd = g_open (path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0);
  if (self->fd < 0 || fstat (self->fd, &info) != 0 || !is_ring (self, &info) ||
      !map (self, (gsize)info.st_size, error))
    goto fail;
  self->made = TRUE;
  return self;

fail:
  vtr_capture_ring_free (self, FALSE);
  return NULL;
}

gboolean
vtr_capture_ring_set_recording (VtrCaptureRing        *self,
                                const VtrRecordingId  *id,
                                const char            *part,
                                const char            *trace,
                                GError               **error)
{
  static const VtrRecordingId none;
  g_autoptr (GBytes) bytes = id != NULL ? vtr_capture_note_to_bytes (id, part, trace) : NULL;
  gsize size = 1;
  const char *data = id != NULL ? g_bytes_get_data (bytes, &size) : "";

  if (id == NULL)
    id = &none;
  memcpy (self->header->recording, id->bytes, sizeof id->bytes);
  self->header->all_written = FALSE;
  /* In one piece, over what is there: a death leaves the old note or the new one. */
  if (pwrite (self->lock_fd, data, size, 0) == (gssize)size)
    return TRUE;
  return fail (error, self->lock_path);
}

static VtrCaptureNote *
read_note (int lock_fd)
{
  g_autofree char *data = g_malloc0 (MOST_NOTE_BYTES + 1);
  gssize got = pread (lock_fd, data, MOST_NOTE_BYTES, 0);
  VtrCaptureNote *note;

  if (got <= 0 || data[0] != '/')
    return got > 0 ? vtr_capture_note_parse (data, (gsize)got) : NULL;
  /* A note of a Vitrine whose recordings had no identity consists of the path alone. */
  note = g_new0 (VtrCaptureNote, 1);
  note->part = g_strdup (data);
  note->trace = g_strdup (data);
  return note;
}

VtrCaptureNote *
vtr_capture_ring_peek_recording (const char *lock_path)
{
  int fd = g_open (lock_path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0);
  VtrCaptureNote *note = fd >= 0 ? read_note (fd) : NULL;

  if (fd >= 0)
    close (fd);
  return note;
}

VtrCaptureNote *
vtr_capture_ring_dup_recording (VtrCaptureRing *self)
{
  g_autoptr (VtrCaptureNote) note = read_note (self->lock_fd);

  if (note == NULL ||
      memcmp (note->id.bytes, self->header->recording, sizeof note->id.bytes) != 0)
    return NULL;
  return g_steal_pointer (&note);
}

void
vtr_capture_ring_prepare (VtrCaptureRing *self)
{
  guint64 start = self->header->segments_offset;

  if (start < self->size)
    (void)!fallocate (self->fd, FALLOC_FL_KEEP_SIZE, (off_t)start,
                      (off_t)MIN (PREPARED, self->size - start));
}

gboolean
vtr_capture_ring_is_lost (VtrCaptureRing *self)
{
  return vtr_map_guard_is_lost (self->guard);
}

void
vtr_capture_ring_free (VtrCaptureRing *self,
                       gboolean        remove)
{
  if (self == NULL)
    return;
  vtr_map_guard_remove (self->guard);
  if (self->header != NULL)
    munmap (self->header, self->size);
  if (remove && self->made)
    {
      if (self->fd >= 0)
        g_unlink (self->path);
      g_unlink (self->lock_path);
    }
  if (self->fd >= 0)
    close (self->fd);
  if (self->lock_fd >= 0)
    close (self->lock_fd);
  g_free (self->path);
  g_free (self->lock_path);
  g_free (self);
}

/* Whether it is a lock's name as vtr_capture_ring_new() makes it. */
static gboolean
is_lock_name (const char *name)
{
  gsize digits = strspn (name, "0123456789");

  for (guint i = 0; i < 2; i++)
    {
      if (digits == 0 || name[digits] != '-')
        return FALSE;
      name += digits + 1;
      digits = strspn (name, "0123456789");
    }
  return digits > 0 && g_str_equal (name + digits, ".lock");
}

/* Whether a host has written it. */
static gboolean
is_lock (int fd)
{
  g_autoptr (VtrCaptureNote) note = read_note (fd);
  char first = 0;

  return note != NULL || pread (fd, &first, 1, 0) == 0 || first == '\0';
}

/* Whether there is no ring, or one that its host did not come to format. */
static gboolean
is_unborn (const char *path)
{
  static const char zeroes[sizeof ((VtrRingHeader *)NULL)->magic];
  char magic[sizeof zeroes] = { 0 };
  int fd = g_open (path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0);
  struct stat info;
  gboolean unborn;

  if (fd < 0)
    return errno == ENOENT;
  unborn = fstat (fd, &info) == 0 && S_ISREG (info.st_mode) &&
           pread (fd, magic, sizeof magic, 0) >= 0 && memcmp (magic, zeroes, sizeof zeroes) == 0;
  close (fd);
  return unborn;
}

static void
clean_lock (const char *lock_path)
{
  g_autofree char *path =
    g_strdup_printf ("%.*s.ring", (int)(strlen (lock_path) - strlen (".lock")), lock_path);
  int fd = g_open (lock_path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0);
  struct stat info;

  if (fd < 0)
    return;
  if (fstat (fd, &info) == 0 && S_ISREG (info.st_mode) && is_lock (fd) &&
      flock (fd, LOCK_EX | LOCK_NB) == 0 && is_file_at (fd, lock_path) && is_unborn (path))
    {
      g_unlink (path);
      g_unlink (lock_path);
    }
  close (fd);
}

void
vtr_capture_ring_clean (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    if (is_lock_name (name))
      {
        g_autofree char *path = g_build_filename (folder, name, NULL);

        clean_lock (path);
      }
}
