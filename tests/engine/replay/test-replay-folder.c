/* Tests the folders of replayers: one for each trace, and not more than allowed. */
#include "engine/format/vtr-file-version.h"
#include "engine/replay/vtr-replay-folder.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>

#define MANY (64u << 20)

static char *root;

static void
begin (void)
{
  g_autofree char *cache = g_dir_make_tmp ("vtr-folder-XXXXXX", NULL);

  g_setenv ("XDG_CACHE_HOME", cache, TRUE);
  root = g_build_filename (cache, "vitrine", "driver", NULL);
}

static void
fill (const char *folder, const char *name, gsize size)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autofree char *bytes = g_malloc (size + 1);

  memset (bytes, 0x5a, size);
  g_assert_true (g_file_set_contents (path, bytes, (gssize)size, NULL));
}

static guint
count (void)
{
  g_autoptr (GDir) dir = g_dir_open (root, 0, NULL);
  guint n = 0;

  while (dir != NULL && g_dir_read_name (dir) != NULL)
    n++;
  return n;
}

static void
set_age (VtrReplayFolder *folder, guint days)
{
  g_autofree char *above = g_path_get_dirname (vtr_replay_folder_get_path (folder));
  const struct timespec then = { .tv_sec = g_get_real_time () / G_USEC_PER_SEC -
                                           (gint64)days * 24 * 3600 };
  const struct timespec times[] = { then, then };

  g_assert_cmpint (utimensat (AT_FDCWD, above, times, 0), ==, 0);
}

static gboolean
has (const char *trace, const char *name)
{
  VtrReplayFolder *folder = vtr_replay_folder_open (trace);
  g_autofree char *path = g_build_filename (vtr_replay_folder_get_path (folder), name, NULL);
  gboolean there = g_file_test (path, G_FILE_TEST_EXISTS);

  vtr_replay_folder_close (folder);
  return there;
}

static void
make (const char *trace, gsize size, guint days)
{
  VtrReplayFolder *folder = vtr_replay_folder_open (trace);

  fill (vtr_replay_folder_get_path (folder), "shader", size);
  set_age (folder, days);
  vtr_replay_folder_close (folder);
}

static void
test_apart (void)
{
  VtrReplayFolder *one, *other;

  make ("one", 10, 0);
  g_assert_true (has ("one", "shader"));
  g_assert_false (has ("other", "shader"));
  g_assert_false (has (NULL, "shader"));
  /* Without a trace, two at a time have nothing in common, and leave nothing. */
  one = vtr_replay_folder_open (NULL);
  other = vtr_replay_folder_open (NULL);
  g_assert_cmpstr (vtr_replay_folder_get_path (one), !=, vtr_replay_folder_get_path (other));
  fill (vtr_replay_folder_get_path (one), "shader", 10);
  g_assert_cmpuint (count (), ==, 4);
  vtr_replay_folder_close (one);
  vtr_replay_folder_close (other);
  g_assert_cmpuint (count (), ==, 2);
  vtr_replay_folder_trim (0);
  g_assert_cmpuint (count (), ==, 0);
}

static void
test_trim (void)
{
  VtrReplayFolder *used;

  make ("old", 10, 31);
  make ("third", 1 << 20, 3);
  make ("second", 1 << 20, 2);
  make ("first", 1 << 20, 1);
  /* What the folder for all traces held. */
  fill (root, "index", 10);
  used = vtr_replay_folder_open ("used");
  fill (vtr_replay_folder_get_path (used), "shader", 1 << 20);
  set_age (used, 60);
  vtr_replay_folder_trim (MANY);
  g_assert_cmpuint (count (), ==, 4); /* but for the old one and the file */
  vtr_replay_folder_trim ((3 << 20) + (1 << 19));
  g_assert_cmpuint (count (), ==, 3);
  g_assert_false (has ("third", "shader"));
  g_assert_true (has ("second", "shader"));
  vtr_replay_folder_trim (0);
  g_assert_cmpuint (count (), ==, 1);
  vtr_replay_folder_empty (used);
  g_assert_cmpuint (vtr_replay_folder_measure (used, MANY), <=, 4096);
  vtr_replay_folder_close (used);
  vtr_replay_folder_trim (0);
  g_assert_cmpuint (count (), ==, 0);
}

/* Who empties a folder does not take files away from another replayer. */
static void
test_shared (void)
{
  VtrReplayFolder *one = vtr_replay_folder_open ("shared");
  VtrReplayFolder *other = vtr_replay_folder_open ("shared");

  fill (vtr_replay_folder_get_path (one), "shader", 10);
  vtr_replay_folder_empty (one);
  g_assert_true (has ("shared", "shader"));
  vtr_replay_folder_close (other);
  vtr_replay_folder_empty (one);
  vtr_replay_folder_close (one);
  g_assert_false (has ("shared", "shader"));
  vtr_replay_folder_trim (0);
}

/* A file that replaces another one, or is written again, is another trace. */
static void
test_version (void)
{
  g_autofree char *path = g_build_filename (g_getenv ("XDG_CACHE_HOME"), "trace", NULL);
  g_autofree char *copy = g_strconcat (path, "-copy", NULL);
  g_autofree char *first = NULL;
  g_autofree char *again = NULL;
  g_autofree char *other = NULL;
  g_autofree char *written = NULL;
  FILE *file;

  g_assert_true (g_file_set_contents (path, "trace", -1, NULL));
  g_assert_true (g_file_set_contents (copy, "trace", -1, NULL));
  first = vtr_file_version_get (path);
  again = vtr_file_version_get (path);
  other = vtr_file_version_get (copy);
  g_assert_cmpstr (first, ==, again);
  g_assert_cmpstr (first, !=, other);
  g_usleep (20000); /* the kernel's clock */
  file = g_fopen (path, "r+");
  g_assert_cmpint (fputs ("T", file), >=, 0);
  fclose (file);
  written = vtr_file_version_get (path);
  g_assert_cmpstr (first, !=, written);
  g_unlink (path);
  g_unlink (copy);
  g_assert_null (vtr_file_version_get (path));
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  begin ();
  g_test_add_func ("/replay/folder/apart", test_apart);
  g_test_add_func ("/replay/folder/trim", test_trim);
  g_test_add_func ("/replay/folder/shared", test_shared);
  g_test_add_func ("/replay/folder/version", test_version);
  status = g_test_run ();
  g_free (root);
  return status;
}
