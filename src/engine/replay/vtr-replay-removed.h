/* Files that a replayer has removed from its folder and still holds: they take room on the disk, but no
 * walk through the folder finds them.
 *
 * What is open can be looked at; of a file that is only mapped the kernel tells its place, and not how
 * large it is: it counts as what it held when it was last seen open, or as far as it is mapped.
 *
 * Threading: one at a time. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _VtrReplayRemoved VtrReplayRemoved;

/* @folder: its path (nullable): what is mapped from elsewhere is not counted. */
VtrReplayRemoved *vtr_replay_removed_new (const char *folder);
void vtr_replay_removed_free (VtrReplayRemoved *self);

/* Bytes of what the process @pid holds now. */
guint64 vtr_replay_removed_measure (VtrReplayRemoved *self,
                                    const char       *pid);

G_END_DECLS
