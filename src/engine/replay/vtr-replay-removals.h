/* Removes and renames the files of a replayer's folder for it.
 *
 * A file that is removed while it is open or mapped still takes room on the disk, and no walk through
 * the folder finds it. So seccomp hands each unlink and rename of the replayer to the warden, which
 * moves a file that would lose its name into a folder beside, where it is counted when the folder
 * is measured. Files that the replayer no longer holds are removed when space is needed, the rest
 * when the replayer has ended.
 *
 * Threading: one at a time. Source: seccomp_unotify(2), openat2(2). */
#pragma once

#include "engine/replay/vtr-replay-folder.h"

#include <linux/seccomp.h>

G_BEGIN_DECLS

typedef struct _VtrReplayRemovals VtrReplayRemovals;

/* @pid: the replayer's. @connection: the engine's end of the connection. @folder: (nullable): the only
 * one in which it may remove files. All borrowed. */
VtrReplayRemovals *vtr_replay_removals_new (const char      *pid,
                                            int              connection,
                                            VtrReplayFolder *folder);

/* Once the replayer has ended. */
void vtr_replay_removals_free (VtrReplayRemovals *self);

/* Whether nothing more can be removed before a sweep. */
gboolean vtr_replay_removals_is_full (VtrReplayRemovals *self);

/* Does what @call asks for. Returns: 0, or an errno. ENOSYS: this system does not allow us to; the
 * kernel has to do it */
int vtr_replay_removals_run (VtrReplayRemovals         *self,
                             const struct seccomp_data *call);

/* Deletes the files that the replayer neither has open nor maps. Stops the replayer meanwhile. */
void vtr_replay_removals_sweep (VtrReplayRemovals *self);

G_END_DECLS
