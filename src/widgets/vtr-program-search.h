/* Finds programs by name in $PATH, or by a typed path.
 *
 * Threading: main. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Absolute paths of executable files for @word. With a slash in it, or "~" before it, it is a path: one file or none.
 * Else the files in the folders of @search_path ($PATH) whose names contain it, whatever their case: the one of that name
 * first, then those that begin with it. Of files of one name the first folder's counts. At most @max. Never NULL;
 * (transfer full), free with g_strfreev(). */
char **vtr_program_search (const char *word,
                           const char *search_path,
                           guint       max);

G_END_DECLS
