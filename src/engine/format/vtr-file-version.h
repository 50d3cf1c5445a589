/* Identifies a file in its current version among all files on this machine.
 *
 * Unlike a hash in the file, its author cannot choose it: it consists of the place on the disk, the
 * size and the time of the last change, which the kernel sets. A copy is another file.
 *
 * Threading: any. */
#pragma once

#include <glib.h>
#include <sys/stat.h>

G_BEGIN_DECLS

/* (transfer full) */
char *vtr_file_version_from_stat (const struct stat *info);

/* Of the file at @path. Returns: (transfer full) (nullable): there is none */
char *vtr_file_version_get (const char *path);

G_END_DECLS
