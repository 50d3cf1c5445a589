/* Finds programs by name in $PATH, or by a typed path.
 *
 * Threading: main. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Absolute paths of executable files that match @word. A word with a slash, or "~" at its start, is
 * a path: one file or none. Otherwise finds files in the folders of @search_path ($PATH) whose
 * names contain the word, ignoring case: first the file of that name, then names that begin with
 * it. Of files with one name, the first folder's counts. Returns at most @max. Never NULL;
 * (transfer full), free with g_strfreev(). */
char **vtr_program_search (const char *word,
                           const char *search_path,
                           guint       max);

G_END_DECLS
