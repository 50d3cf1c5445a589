/* Tests that everything a hostile driver may put into a folder is measured and removed. */
#include "engine/replay/vtr-folder-tree.h"

#include <fcntl.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define MANY (64u << 20)
#define NOBODY 65534
#define BLOCK (1u << 20)

/* Continues as a user without access. Returns: a folder that this user owns. */
static int
begin (char **path)
{
  int fd;

  *path = g_dir_make_tmp ("vtr-tree-XXXXXX", NULL);
  if (geteuid () == 0)
    {
      g_assert_cmpint (chown (*path, NOBODY, NOBODY), ==, 0);
      g_assert_cmpint (setegid (NOBODY), ==, 0);
      g_assert_cmpint (seteuid (NOBODY), ==, 0);
    }
  fd = open (*path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  g_assert_cmpint (fd, >=, 0);
  return fd;
}

static void
end (int fd, char *path)
{
  vtr_folder_tree_empty (fd);
  g_assert_cmpuint (vtr_folder_tree_measure (fd, MANY), ==, 0);
  close (fd);
  g_assert_cmpint (rmdir (path), ==, 0);
  g_free (path);
  if (getuid () == 0)
    {
      g_assert_cmpint (seteuid (0), ==, 0);
      g_assert_cmpint (setegid (0), ==, 0);
      /* LeakSanitizer cannot inspect a process that has changed its user. */
      g_assert_cmpint (prctl (PR_SET_DUMPABLE, 1), ==, 0);
    }
}

/* Returns: the new folder. */
static int
make_folder (int parent, const char *name)
{
  int fd;

  g_assert_cmpint (mkdirat (parent, name, 0700), ==, 0);
  fd = openat (parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  g_assert_cmpint (fd, >=, 0);
  return fd;
}

static void
make_file (int parent, const char *name)
{
  int fd = openat (parent, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  g_autofree char *bytes = g_malloc (BLOCK);

  memset (bytes, 0x5a, BLOCK);
  g_assert_cmpint (write (fd, bytes, BLOCK), ==, BLOCK);
  close (fd);
}

static void
test_plain (void)
{
  char *path;
  int fd = begin (&path);
  int sub = make_folder (fd, "sub");

  g_assert_cmpuint (vtr_folder_tree_measure (fd, MANY), ==, 4096);
  make_file (sub, "file");
  close (openat (fd, "nothing", O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  g_assert_cmpuint (vtr_folder_tree_measure (fd, MANY), >=, BLOCK + 2 * 4096);
  g_assert_cmpuint (vtr_folder_tree_measure (fd, MANY), <, 2 * BLOCK);
  g_assert_cmpuint (vtr_folder_tree_measure (fd, BLOCK / 2), >, BLOCK / 2);
  /* The target of a link does not count. */
  g_assert_cmpint (symlinkat ("/", fd, "link"), ==, 0);
  g_assert_cmpuint (vtr_folder_tree_measure (fd, MANY), <, 2 * BLOCK);
  close (sub);
  end (fd, path);
}

/* Deeper than a path may be long. */
static void
test_deep (void)
{
  g_autofree char *name = g_strnfill (200, 'x');
  char *path;
  int top = begin (&path);
  int fd = make_folder (top, name);

  for (guint i = 0; i < 60; i++)
    {
      int next = make_folder (fd, name);

      close (fd);
      fd = next;
    }
  make_file (fd, "hidden");
  close (fd);
  g_assert_cmpuint (vtr_folder_tree_measure (top, MANY), >, MANY);
  end (top, path);
}

/* Folders without permission to list them. */
static void
test_modes (void)
{
  static const mode_t modes[] = { 0, 0300, 0500, 0100 };
  char *path;
  int fd = begin (&path);

  for (guint i = 0; i < 2 * G_N_ELEMENTS (modes); i++)
    {
      const mode_t mode = modes[i % G_N_ELEMENTS (modes)];
      g_autofree char *name = g_strdup_printf ("folder%u", i);
      int sub = make_folder (fd, name);
      int below = make_folder (sub, "below");

      make_file (below, "shader");
      g_assert_cmpint (fchmod (below, mode), ==, 0);
      g_assert_cmpint (fchmod (sub, mode), ==, 0);
      close (below);
      close (sub);
      /* Also if nobody has measured them before. */
      if (i == G_N_ELEMENTS (modes) - 1)
        g_assert_cmpuint (vtr_folder_tree_measure (fd, MANY), >=, (i + 1) * BLOCK);
    }
  end (fd, path);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/replay/tree/plain", test_plain);
  g_test_add_func ("/replay/tree/deep", test_deep);
  g_test_add_func ("/replay/tree/modes", test_modes);
  return g_test_run ();
}
