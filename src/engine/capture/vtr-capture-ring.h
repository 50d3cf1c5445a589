/* The ring files of captured processes: creates, finds and removes them. */
#pragma once

#include <gio/gio.h>

#include "engine/capture/vtr-capture-journal.h"
#include "wire/vtr-ring.h"

G_BEGIN_DECLS

/**
 * VtrCaptureRing:
 *
 * "NAME.ring" in vtr_capture_ring_get_folder(), mapped; "NAME.lock" beside it is locked as long
 * as this host lives, so that recovery never takes a ring that is still in use. (A lock on the
 * ring itself would be shared with the layer, which gets its descriptor.)
 *
 * Threading: one at a time.
 */
typedef struct
{
  char *path; /* of the ring */
  char *lock_path;
  int fd;
  int lock_fd;
  VtrRingHeader *header; /* the mapping */
  gsize size;
  int guard;     /* of the mapping: the program can cut the file */
  gboolean made; /* the files are ours to remove */
} VtrCaptureRing;

/* $XDG_RUNTIME_DIR/vitrine, or a private folder in /dev/shm. Made when missing. (transfer full) */
char *vtr_capture_ring_get_folder (GError **error);

/* A fresh, empty ring. */
VtrCaptureRing *vtr_capture_ring_new (GError **error);

/* Opens the ring of a dead host. NULL without @error when its host lives, or when the file is no
 * ring of Vitrine's, which is left as it is. */
VtrCaptureRing *vtr_capture_ring_adopt (const char  *path,
                                        GError     **error);

/* The recording that recovery completes from this ring; @id NULL: none is under way. It is kept in
 * the lock file, which the program has no descriptor of, and its identity in the ring as well: one
 * without the other is no recording. @part, @trace: as in VtrCaptureNote. FALSE with @error when it
 * cannot be written. */
gboolean vtr_capture_ring_set_recording (VtrCaptureRing        *self,
                                         const VtrRecordingId  *id,
                                         const char            *part,
                                         const char            *trace,
                                         GError               **error);
/* (transfer full) (nullable) */
VtrCaptureNote *vtr_capture_ring_dup_recording (VtrCaptureRing *self);
/* Like vtr_capture_ring_dup_recording (), for a ring that another process may hold, by the path of its lock
 * file. */
VtrCaptureNote *vtr_capture_ring_peek_recording (const char *lock_path);

/* Takes memory for what a capture writes first, so that the program does not wait for it in the frame of
 * the trigger. Where there is none, the layer finds out itself. */
void vtr_capture_ring_prepare (VtrCaptureRing *self);

/* Whether the program has truncated the file. Its contents are lost, and no more records will
 * come. */
gboolean vtr_capture_ring_is_lost (VtrCaptureRing *self);

/* Removes the files of hosts that died between making a lock and formatting its ring, or between
 * removing the ring and its lock. */
void vtr_capture_ring_clean (const char *folder);

/* Unmaps; @remove: deletes the files too. */
void vtr_capture_ring_free (VtrCaptureRing *self,
                            gboolean        remove);

G_END_DECLS
