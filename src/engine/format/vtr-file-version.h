/* Tells a file, as it is now, from every other file on this machine.
 *
 * Unlike a hash that lies in the file, whoever made the file has no say in it: it is its place on the
 * disk, its size and the time of its last change, which the kernel sets. A copy is another file.
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
