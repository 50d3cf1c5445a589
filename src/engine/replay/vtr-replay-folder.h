/* A folder that a replayer may write to: home, temporary folder and shader cache of its driver.
 *
 * Each trace has its own, $XDG_CACHE_HOME/vitrine/driver/HASH/files, so that what one trace makes a
 * driver write is never read for another one. Whoever uses a folder holds a lock on the folder above
 * it, which the replayer cannot open.
 *
 * Threading: any, one at a time. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Beside the folder, in the one above: files that a replayer has removed and still holds. */
#define VTR_REPLAY_FOLDER_REMOVED "removed"

typedef struct _VtrReplayFolder VtrReplayFolder;

/* That of @trace, a file's version (vtr-file-version.h), made if there is none. NULL: a new one that
 * is removed in the end. Returns: (transfer full) (nullable): none can be made */
VtrReplayFolder *vtr_replay_folder_open (const char *trace);

/* Call it when no process writes to it any more. */
void vtr_replay_folder_close (VtrReplayFolder *self);

/* (transfer none) */
const char *vtr_replay_folder_get_path (VtrReplayFolder *self);

/* Of the folder above it, which the replayer cannot open and which is measured with it. Borrowed. */
int vtr_replay_folder_get_descriptor (VtrReplayFolder *self);

/* Bytes on the disk of what lies in it, every file and folder counted as 4096 at least. Stops counting
 * above @enough. More than @enough if folders are nested deeper than any driver does it. */
guint64 vtr_replay_folder_measure (VtrReplayFolder *self,
                                   guint64          enough);

/* Removes its files and the files that were removed from it, unless another process uses it,
 * too. */
void vtr_replay_folder_empty (VtrReplayFolder *self);

/* Removes folders that are not in use: those unused for a month, then the least recently used until
 * all together have at most @most bytes; and all other files beside them. */
void vtr_replay_folder_trim (guint64 most);

G_END_DECLS
