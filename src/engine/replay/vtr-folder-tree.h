/* The contents of a folder that a hostile process may have filled: names as long and folders as
 * deep as the kernel allows, modes that deny access. Links are not followed.
 *
 * Threading: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The bytes on disk of everything in the folder @fd; each entry counts as at least 4096. Stops
 * counting above @enough; the result is also above @enough if folders are nested too deeply to
 * be measured. */
guint64 vtr_folder_tree_measure (int     fd,
                                 guint64 enough);

/* Removes everything in the folder @fd, but not the folder. Nobody else may change it at the
 * same time. */
void vtr_folder_tree_empty (int fd);

G_END_DECLS
