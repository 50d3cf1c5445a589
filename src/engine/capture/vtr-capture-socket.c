/* Creates sockets with a lock file beside each, and removes those whose owner has died. */
#include "vtr-capture-socket.h"

#include "engine/api/vtr-capture-error.h"
#include "vtr-config.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define LOCK ".lock"
#define TRIES 1000

static const char *const suffixes[] = { ".socket", ".trigger" };

/* Returns: FALSE with errno; EEXIST when one of the names is taken. */
static gboolean
open_at (VtrCaptureSocket *self,
         const char       *path,
         int               type)
{
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  struct stat info, there;
  int code;

  memcpy (address.sun_path, path, strlen (path));
  self->lock_path = g_strconcat (path, LOCK, NULL);
  self->lock_fd = open (self->lock_path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (self->lock_fd < 0)
    {
      g_clear_pointer (&self->lock_path, g_free);
      return FALSE;
    }
  /* Before it is locked, it is what vtr_capture_socket_clean() removes. */
  if (flock (self->lock_fd, LOCK_EX | LOCK_NB) != 0 || fstat (self->lock_fd, &info) != 0 ||
      g_lstat (self->lock_path, &there) != 0 || info.st_ino != there.st_ino)
    {
      close (self->lock_fd);
      self->lock_fd = -1;
      g_clear_pointer (&self->lock_path, g_free);
      errno = EEXIST;
      return FALSE;
    }
  self->fd = socket (AF_UNIX, type | SOCK_CLOEXEC, 0);
  if (self->fd >= 0 && bind (self->fd, (struct sockaddr *)&address, sizeof address) == 0)
    {
      self->path = g_strdup (path);
      self->inode = g_lstat (path, &info) == 0 ? info.st_ino : 0;
      return TRUE;
    }
  code = errno;
  vtr_capture_socket_close (self);
  errno = code == EADDRINUSE ? EEXIST : code;
  return FALSE;
}

gboolean
vtr_capture_socket_open (VtrCaptureSocket  *self,
                         const char        *folder,
                         const char        *suffix,
                         int                type,
                         GError           **error)
{
  static int serial;
  g_autofree char *path = NULL;

  *self = (VtrCaptureSocket){ .fd = -1, .lock_fd = -1 };
  for (guint i = 0; i < TRIES; i++)
    {
      g_free (path);
      path = g_strdup_printf ("%s/%d-%d%s", folder, (int)getpid (),
                              g_atomic_int_add (&serial, 1), suffix);
      if (strlen (path) >= sizeof ((struct sockaddr_un *)NULL)->sun_path)
        {
          g_set_error (error, VTR_CAPTURE_ERROR, VTR_CAPTURE_ERROR_FAILED,
                       _ ("The path “%s” is too long for a socket. Set XDG_RUNTIME_DIR to a "
                          "shorter one."),
                       path);
          return FALSE;
        }
      if (open_at (self, path, type))
        return TRUE;
      if (errno != EEXIST)
        break;
    }
  g_set_error (error, VTR_CAPTURE_ERROR,
               errno == ENOSPC ? VTR_CAPTURE_ERROR_SPACE : VTR_CAPTURE_ERROR_FAILED,
               _ ("Cannot listen at “%s”: %s"), path, g_strerror (errno));
  return FALSE;
}

void
vtr_capture_socket_close (VtrCaptureSocket *self)
{
  struct stat info;

  if (self->path != NULL && g_lstat (self->path, &info) == 0 && info.st_ino == self->inode)
    g_unlink (self->path);
  if (self->lock_path != NULL)
    g_unlink (self->lock_path);
  if (self->fd >= 0)
    close (self->fd);
  if (self->lock_fd >= 0)
    close (self->lock_fd);
  g_free (self->path);
  g_free (self->lock_path);
  *self = (VtrCaptureSocket){ .fd = -1, .lock_fd = -1 };
}

/* ---- Cleaning ---- */

/* Whether a name is one that vtr_capture_socket_open() gives to a lock. */
static gboolean
is_lock_name (const char *name)
{
  gsize digits = strspn (name, "0123456789-");

  for (guint i = 0; digits > 2 && i < G_N_ELEMENTS (suffixes); i++)
    {
      gsize length = strlen (suffixes[i]);

      if (strncmp (name + digits, suffixes[i], length) == 0 &&
          strcmp (name + digits + length, LOCK) == 0)
        return TRUE;
    }
  return FALSE;
}

gboolean
vtr_capture_socket_is_live (const char *folder,
                            const char *name,
                            const char *suffix)
{
  g_autofree char *lock_name = g_strconcat (name, LOCK, NULL);
  g_autofree char *lock_path = g_build_filename (folder, lock_name, NULL);
  gboolean live;
  int fd;

  if (!g_str_has_suffix (name, suffix) || !is_lock_name (lock_name))
    return FALSE;
  fd = open (lock_path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  live = fd >= 0 && flock (fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  if (fd >= 0)
    close (fd);
  return live;
}

static void
clean_one (const char *lock_path)
{
  g_autofree char *path = g_strndup (lock_path, strlen (lock_path) - strlen (LOCK));
  int fd = open (lock_path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  struct stat info, there;

  /* The lock is an empty file; its name alone proves nothing. */
  if (fd >= 0 && fstat (fd, &info) == 0 && S_ISREG (info.st_mode) && info.st_size == 0 &&
      flock (fd, LOCK_EX | LOCK_NB) == 0 && g_lstat (lock_path, &there) == 0 &&
      there.st_ino == info.st_ino)
    {
      if (g_lstat (path, &there) == 0 && S_ISSOCK (there.st_mode))
        g_unlink (path);
      g_unlink (lock_path);
    }
  if (fd >= 0)
    close (fd);
}

void
vtr_capture_socket_clean (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    if (is_lock_name (name))
      {
        g_autofree char *path = g_build_filename (folder, name, NULL);

        clean_one (path);
      }
}
