/* Sockets in the folder of the rings. Beside each is a ".lock" file, which the owner keeps
 * locked while it runs. A socket whose lock is free is left over; a socket without a lock file
 * belongs to another program.
 *
 * Threading: any. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct
{
  char *path;      /* NULL: there is no file */
  char *lock_path; /* NULL: it is not ours to remove */
  int fd;
  int lock_fd;
  guint64 inode;
} VtrCaptureSocket;

/* Binds a socket of @type (SOCK_SEQPACKET, SOCK_DGRAM) to "<folder>/<pid>-<n><suffix>", with the
 * first number whose names are free. FALSE with @error. */
gboolean vtr_capture_socket_open (VtrCaptureSocket  *self,
                                  const char        *folder,
                                  const char        *suffix,
                                  int                type,
                                  GError           **error);
void vtr_capture_socket_close (VtrCaptureSocket *self);

/* Whether @name in @folder is a socket of vtr_capture_socket_open() with @suffix, and its owner
 * lives. */
gboolean vtr_capture_socket_is_live (const char *folder,
                                     const char *name,
                                     const char *suffix);

/* Removes what dead owners left in @folder. */
void vtr_capture_socket_clean (const char *folder);

G_END_DECLS
