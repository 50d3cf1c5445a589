/* The contents of a folder that a hostile process may have filled: names as long and folders as
 * deep as the kernel allows, modes that deny access. Links are not followed.
 *
 * Threading: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Bytes on the disk of what lies in the folder @fd, every entry counted as 4096 at least. Stops
 * counting above @enough; more than that also for folders nested too deeply to be looked into. */
guint64 vtr_folder_tree_measure (int     fd,
                                 guint64 enough);

/* Removes all of it, but not the folder @fd. Nobody else may change it meanwhile. */
void vtr_folder_tree_empty (int fd);

G_END_DECLS
