/* Finds executable files in $PATH by part of their name, for the window that chooses a program. */
#include "vtr-config.h"

#include "widgets/vtr-program-search.h"

#include <string.h>

typedef struct
{
  char *path;
  char *name; /* case-folded */
  guint rank; /* 0: the same name; 1: begins with the word; 2: contains the word */
} Match;

static void
match_clear (gpointer data)
{
  g_free (((Match *)data)->path);
  g_free (((Match *)data)->name);
}

static int
compare_matches (gconstpointer a, gconstpointer b)
{
  const Match *x = a, *y = b;

  return x->rank != y->rank ? (x->rank > y->rank) - (x->rank < y->rank) : strcmp (x->name, y->name);
}

static gboolean
is_program (const char *path)
{
  return g_file_test (path, G_FILE_TEST_IS_REGULAR) &&
         g_file_test (path, G_FILE_TEST_IS_EXECUTABLE);
}

/* "~/games/x", "./x", "/usr/bin/x". */
static char *
find_path (const char *word)
{
  g_autofree char *expanded = g_str_has_prefix (word, "~/")
                                ? g_build_filename (g_get_home_dir (), word + 2, NULL)
                                : g_strdup (word);
  g_autofree char *path = g_canonicalize_filename (expanded, NULL);

  return is_program (path) ? g_steal_pointer (&path) : NULL;
}

static void
search_folder (const char *folder, const char *needle, GHashTable *seen, GArray *matches)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *shown = g_filename_display_name (name);
      g_autofree char *folded = g_utf8_casefold (shown, -1);
      g_autofree char *path = NULL;
      Match match;

      if (strstr (folded, needle) == NULL || g_hash_table_contains (seen, name))
        continue;
      path = g_build_filename (folder, name, NULL);
      if (!is_program (path))
        continue;
      g_hash_table_add (seen, g_strdup (name));
      match.rank = g_str_equal (folded, needle) ? 0 : g_str_has_prefix (folded, needle) ? 1
                                                                                        : 2;
      match.path = g_steal_pointer (&path);
      match.name = g_steal_pointer (&folded);
      g_array_append_val (matches, match);
    }
}

char **
vtr_program_search (const char *word, const char *search_path, guint max)
{
  g_autoptr (GArray) matches = g_array_new (FALSE, FALSE, sizeof (Match));
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GPtrArray) paths = g_ptr_array_new ();
  g_autofree char *needle = g_utf8_casefold (word, -1);
  g_auto (GStrv) folders = g_strsplit (search_path != NULL ? search_path : "", ":", -1);

  g_array_set_clear_func (matches, match_clear);
  if (strchr (word, '/') != NULL)
    {
      char *path = find_path (word);

      if (path != NULL)
        g_ptr_array_add (paths, path);
    }
  else if (*word != '\0')
    {
      for (guint i = 0; folders[i] != NULL; i++)
        if (g_path_is_absolute (folders[i]))
          search_folder (folders[i], needle, seen, matches);
      g_array_sort (matches, compare_matches);
      for (guint i = 0; i < MIN (matches->len, max); i++)
        g_ptr_array_add (paths, g_strdup (g_array_index (matches, Match, i).path));
    }
  g_ptr_array_add (paths, NULL);
  return (char **)g_ptr_array_free (g_steal_pointer (&paths), FALSE);
}
