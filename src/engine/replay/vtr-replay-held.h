/* Which files a replayer holds, open or mapped. /proc tells both, and neither changes the replayer.
 *
 * Ask for open files before mapped ones: a file that is mapped and closed in between is then seen at least
 * once. All threads of a replayer share their open files (src/sandbox/vtr-sandbox.h).
 *
 * Threading: any. Source: proc(5). */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Adds the inode number of each open file of process @pid as a key of @inodes (g_direct_hash). Returns:
 * whether that could be read: of a process whose first thread has ended nothing can be. */
gboolean vtr_replay_held_add_open (GHashTable *inodes,
                                   const char *pid);

/* Like vtr_replay_held_add_open (), for mapped files. @zeros: (out): bytes of /dev/zero mapped to be
 * shared, which are memory. Returns: whether that could be read */
gboolean vtr_replay_held_add_mapped (GHashTable *inodes,
                                     const char *pid,
                                     guint64    *zeros);

G_END_DECLS
