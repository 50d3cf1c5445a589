/* Measures and empties a folder whose contents may be hostile, without following links or
 * depending on its depth. */
#include "vtr-config.h"

#include "engine/replay/vtr-folder-tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LEAST 4096   /* a file without content takes an inode and a name */
#define MAX_DEPTH 32 /* drivers nest theirs three deep */
#define MAX_PASSES 100000

static gboolean
is_dot (const char *name)
{
  return strcmp (name, ".") == 0 || strcmp (name, "..") == 0;
}

/* Opens the folder @name, even if its maker removed all permissions. */
static DIR *
open_folder (int parent, const char *name)
{
  const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  int fd = openat (parent, name, flags);
  DIR *folder;

  if (fd < 0 && errno == EACCES && fchmodat (parent, name, 0700, 0) == 0)
    fd = openat (parent, name, flags);
  folder = fd >= 0 ? fdopendir (fd) : NULL;
  if (folder == NULL && fd >= 0)
    close (fd);
  return folder;
}

/* --- Measuring ------------------------------------------------------------------------------- */

/* Takes @folder. */
static guint64
measure (DIR *folder, dev_t device, guint depth, guint64 enough)
{
  const struct dirent *entry;
  guint64 size = 0;

  while (folder != NULL && size <= enough && (entry = readdir (folder)) != NULL)
    {
      struct stat info;

      if (is_dot (entry->d_name) ||
          fstatat (dirfd (folder), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0)
        continue;
      size += MAX ((guint64)info.st_blocks * 512, LEAST);
      if (!S_ISDIR (info.st_mode) || info.st_dev != device)
        continue;
      if (depth == MAX_DEPTH)
        size = enough + 1;
      else if (size <= enough)
        size +=
          measure (open_folder (dirfd (folder), entry->d_name), device, depth + 1, enough - size);
    }
  if (folder != NULL)
    closedir (folder);
  return size;
}

guint64
vtr_folder_tree_measure (int fd, guint64 enough)
{
  struct stat info;

  enough = MIN (enough, G_MAXUINT64 / 4);
  return fstat (fd, &info) == 0 ? measure (open_folder (fd, "."), info.st_dev, 0, enough) : 0;
}

/* --- Emptying -------------------------------------------------------------------------------- */

/* Returns: whether @name was removed. */
static gboolean
remove_one (int parent, const char *name)
{
  return unlinkat (parent, name, 0) == 0 || unlinkat (parent, name, AT_REMOVEDIR) == 0;
}

/* Removes the files in folder @name and moves its folders up into @top, so that two descriptors
 * are enough for any depth. Returns: whether anything has changed. */
static gboolean
flatten (int top, const char *name, guint *n_moved)
{
  DIR *folder = open_folder (top, name);
  const struct dirent *entry;
  gboolean changed = FALSE;

  if (folder != NULL)
    fchmod (dirfd (folder), 0700);
  while (folder != NULL && (entry = readdir (folder)) != NULL)
    {
      char moved[64];

      if (is_dot (entry->d_name))
        continue;
      snprintf (moved, sizeof moved, "removed-%08x-%u", g_random_int (), (*n_moved)++);
      if (remove_one (dirfd (folder), entry->d_name))
        changed = TRUE;
      else if (fchmodat (dirfd (folder), entry->d_name, 0700, 0) == 0)
        changed |= renameat (dirfd (folder), entry->d_name, top, moved) == 0;
    }
  if (folder != NULL)
    closedir (folder);
  return remove_one (top, name) || changed;
}

void
vtr_folder_tree_empty (int fd)
{
  gboolean changed = TRUE;
  guint n_moved = 0;

  for (guint i = 0; i < MAX_PASSES && changed; i++)
    {
      DIR *folder = open_folder (fd, ".");
      const struct dirent *entry;

      changed = FALSE;
      while (folder != NULL && (entry = readdir (folder)) != NULL)
        if (!is_dot (entry->d_name))
          changed |= remove_one (fd, entry->d_name) || flatten (fd, entry->d_name, &n_moved);
      if (folder != NULL)
        closedir (folder);
    }
}
