#include "vtr-config.h"

#include "engine/replay/vtr-replay-removals.h"

#include "engine/replay/vtr-replay-held.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define MAX_NAME 64

/* A file without a name in the replayer's folder. */
typedef struct
{
  guint number; /* of its name: PID-NUMBER */
  ino_t inode;
} Removed;

struct _VtrReplayRemovals
{
  const char *pid;
  char *path; /* as the replayer was told it; NULL: none */
  char *real; /* without links (nullable) */
  int files;  /* descriptor of it; -1: none */
  int beside; /* descriptor of VTR_REPLAY_FOLDER_REMOVED; -1: none */
  guint next;
  GArray *removed; /* Removed */
};

/* A name in the folder. */
typedef struct
{
  int parent; /* a descriptor */
  char name[NAME_MAX + 1];
} Place;

VtrReplayRemovals *
vtr_replay_removals_new (const char *pid, VtrReplayFolder *folder)
{
  VtrReplayRemovals *self = g_new0 (VtrReplayRemovals, 1);
  const int how = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  int above;

  self->pid = pid;
  self->files = self->beside = -1;
  self->removed = g_array_new (FALSE, FALSE, sizeof (Removed));
  if (folder == NULL)
    return self;
  above = vtr_replay_folder_get_descriptor (folder);
  self->path = g_strdup (vtr_replay_folder_get_path (folder));
  self->real = realpath (self->path, NULL);
  self->files = open (self->path, how);
  if (mkdirat (above, VTR_REPLAY_FOLDER_REMOVED, 0700) == 0 || errno == EEXIST)
    self->beside = openat (above, VTR_REPLAY_FOLDER_REMOVED, how);
  return self;
}

static void
name_removed (VtrReplayRemovals *self, guint number, char *name)
{
  g_snprintf (name, MAX_NAME, "%s-%u", self->pid, number);
}

static void
remove_for_good (VtrReplayRemovals *self, guint i)
{
  char name[MAX_NAME];

  name_removed (self, g_array_index (self->removed, Removed, i).number, name);
  unlinkat (self->beside, name, 0);
  g_array_remove_index_fast (self->removed, i);
}

void
vtr_replay_removals_free (VtrReplayRemovals *self)
{
  if (self == NULL)
    return;
  while (self->removed->len > 0)
    remove_for_good (self, self->removed->len - 1);
  if (self->files >= 0)
    close (self->files);
  if (self->beside >= 0)
    close (self->beside);
  g_array_unref (self->removed);
  free (self->real);
  g_free (self->path);
  g_free (self);
}

void
vtr_replay_removals_sweep (VtrReplayRemovals *self)
{
  g_autoptr (GHashTable) held = g_hash_table_new (NULL, NULL);
  guint64 zeros;

  if (self->removed->len == 0)
    return;
  vtr_replay_held_add_open (held, self->pid);
  if (!vtr_replay_held_add_mapped (held, self->pid, &zeros))
    return;
  for (guint i = self->removed->len; i-- > 0;)
    if (!g_hash_table_contains (
          held, GSIZE_TO_POINTER (g_array_index (self->removed, Removed, i).inode)))
      remove_for_good (self, i);
}

/* --- Paths ----------------------------------------------------------------------------------- */

/* Copies the text at @address of the replayer. A page at a time: the next one may not be there. */
static int
read_path (VtrReplayRemovals *self, guint64 address, char *path)
{
  const size_t page = (size_t)sysconf (_SC_PAGESIZE);
  size_t n = 0;

  while (n < PATH_MAX)
    {
      size_t part = MIN (page - (address + n) % page, PATH_MAX - n);
      struct iovec ours = { path + n, part };
      struct iovec theirs = { GSIZE_TO_POINTER (address + n), part };
      ssize_t got = process_vm_readv (atoi (self->pid), &ours, 1, &theirs, 1, 0);

      if (got <= 0)
        return got < 0 && errno == EFAULT ? EFAULT : ENOSYS;
      if (memchr (path + n, '\0', (size_t)got) != NULL)
        return 0;
      n += (size_t)got;
    }
  return ENAMETOOLONG;
}

/* What follows @folder and a slash in @path; NULL: it lies elsewhere. */
static const char *
get_below (const char *path, const char *folder)
{
  size_t n = folder != NULL ? strlen (folder) : 0;

  if (n == 0 || strncmp (path, folder, n) != 0 || path[n] != '/')
    return NULL;
  return path + n + strspn (path + n, "/");
}

/* Where a relative path begins: @fd of the replayer, or where it is. */
static char *
find_start (VtrReplayRemovals *self, int fd)
{
  g_autofree char *link = fd == AT_FDCWD ? g_strdup_printf ("/proc/%s/cwd", self->pid)
                                         : g_strdup_printf ("/proc/%s/fd/%d", self->pid, fd);

  return g_file_read_link (link, NULL);
}

/* @below: relative to the folder. Links are not followed: drivers cannot make any. */
static int
open_parent (VtrReplayRemovals *self, const char *below, Place *place)
{
  struct open_how how = { .flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
                          .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS };
  const char *slash = strrchr (below, '/');
  const char *name = slash != NULL ? slash + 1 : below;
  g_autofree char *parent = slash != NULL ? g_strndup (below, (gsize)(slash - below)) : NULL;

  if (*name == '\0' || strcmp (name, ".") == 0 || strcmp (name, "..") == 0)
    return EINVAL;
  if (strlen (name) > NAME_MAX)
    return ENAMETOOLONG;
  strcpy (place->name, name);
  place->parent = (int)syscall (SYS_openat2, self->files, parent != NULL ? parent : ".", &how,
                                sizeof how);
  return place->parent >= 0 ? 0 : errno == EXDEV || errno == ELOOP ? EACCES
                                                                   : errno;
}

static int
find_place (VtrReplayRemovals *self, int fd, guint64 address, Place *place)
{
  char text[PATH_MAX];
  g_autofree char *start = NULL;
  g_autofree char *path = NULL;
  const char *below;
  int why = read_path (self, address, text);

  place->parent = -1;
  if (why != 0)
    return why;
  if (*text == '\0')
    return ENOENT;
  if (*text != '/' && (start = find_start (self, fd)) == NULL)
    return EBADF;
  path = start != NULL ? g_build_filename (start, text, NULL) : g_strdup (text);
  below = get_below (path, self->path);
  if (below == NULL)
    below = get_below (path, self->real);
  if (below == NULL || self->files < 0)
    return EACCES;
  return open_parent (self, below, place);
}

/* --- The calls ------------------------------------------------------------------------------- */

/* Takes the name of the file at @place away, and keeps the file where it is measured. */
static int
set_aside (VtrReplayRemovals *self, const Place *place)
{
  Removed removed = { .number = self->next };
  char name[MAX_NAME];
  struct stat info;

  if (fstatat (place->parent, place->name, &info, AT_SYMLINK_NOFOLLOW) != 0)
    return errno;
  if (S_ISDIR (info.st_mode))
    return EISDIR;
  name_removed (self, removed.number, name);
  if (renameat (place->parent, place->name, self->beside, name) != 0)
    return errno;
  self->next++;
  removed.inode = info.st_ino;
  g_array_append_val (self->removed, removed);
  return 0;
}

static int
remove_place (VtrReplayRemovals *self, int fd, guint64 address)
{
  Place place;
  int why = find_place (self, fd, address, &place);

  if (why == 0)
    why = set_aside (self, &place);
  if (place.parent >= 0)
    close (place.parent);
  return why;
}

static int
rename_place (VtrReplayRemovals *self, const Place *from, const Place *to, guint flags)
{
  struct stat source, target;
  int why = 0;

  if ((flags & ~(guint)(RENAME_NOREPLACE | RENAME_EXCHANGE)) != 0)
    return EINVAL;
  /* Only this loses a file its name; of two names of one file the kernel keeps both. */
  if (flags == 0 && fstatat (from->parent, from->name, &source, AT_SYMLINK_NOFOLLOW) == 0 &&
      fstatat (to->parent, to->name, &target, AT_SYMLINK_NOFOLLOW) == 0 &&
      !S_ISDIR (source.st_mode) && !S_ISDIR (target.st_mode) && source.st_ino != target.st_ino)
    why = set_aside (self, to);
  if (why == 0 && renameat2 (from->parent, from->name, to->parent, to->name, flags) != 0)
    why = errno;
  return why;
}

static int
rename_paths (VtrReplayRemovals *self,
              int                from_fd,
              guint64            from_address,
              int                to_fd,
              guint64            to_address,
              guint              flags)
{
  Place from, to = { .parent = -1 };
  int why = find_place (self, from_fd, from_address, &from);

  if (why == 0)
    why = find_place (self, to_fd, to_address, &to);
  if (why == 0)
    why = rename_place (self, &from, &to, flags);
  if (from.parent >= 0)
    close (from.parent);
  if (to.parent >= 0)
    close (to.parent);
  return why;
}

int
vtr_replay_removals_run (VtrReplayRemovals *self, const struct seccomp_data *call)
{
  const __u64 *args = call->args;

  switch (call->nr)
    {
#ifdef SYS_unlink
    case SYS_unlink:
      return remove_place (self, AT_FDCWD, args[0]);
#endif
    case SYS_unlinkat:
      return remove_place (self, (int)args[0], args[1]);
#ifdef SYS_rename
    case SYS_rename:
      return rename_paths (self, AT_FDCWD, args[0], AT_FDCWD, args[1], 0);
#endif
#ifdef SYS_renameat
    case SYS_renameat:
      return rename_paths (self, (int)args[0], args[1], (int)args[2], args[3], 0);
#endif
    case SYS_renameat2:
      return rename_paths (self, (int)args[0], args[1], (int)args[2], args[3], (guint)args[4]);
    default:
      return EPERM;
    }
}
