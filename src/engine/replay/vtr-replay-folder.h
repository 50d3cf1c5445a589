/* The folder that replayers may write to: how much it holds.
 *
 * Threading: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Bytes on the disk of what lies in @path, every file and folder counted as 4096 at least. Stops
 * counting above @enough. */
guint64 vtr_replay_folder_measure (const char *path,
                                   guint64     enough);

/* Removes what lies in @path, and not @path itself. Links are not followed. */
void vtr_replay_folder_empty (const char *path);

G_END_DECLS
