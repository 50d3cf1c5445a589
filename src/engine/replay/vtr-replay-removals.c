/* Removes and renames files for a replayer, setting files aside that it still has open, so that
 * they count against its limit. */
#include "vtr-config.h"

#include "engine/replay/vtr-replay-removals.h"

#include "engine/replay/vtr-replay-held.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define MAX_NAME 64
#define MAX_REMOVED 4096
#define MAX_TRIES 64                           /* of a rename whose target comes and goes */
#define STOP_MICROSECONDS (2 * G_USEC_PER_SEC) /* until all threads stand still */

/* A file without a name in the replayer's folder. */
typedef struct
{
  guint number; /* of its name */
  ino_t inode;
} Removed;

struct _VtrReplayRemovals
{
  const char *pid;
  int connection;
  guint32 mark; /* begins names: other replayers have the same folder, and perhaps the same pid */
  char *path;   /* as the replayer was told it; NULL: none */
  char *real;   /* without links (nullable) */
  int files;    /* descriptor of it; -1: none */
  int beside;   /* descriptor of VTR_REPLAY_FOLDER_REMOVED; -1: none */
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
vtr_replay_removals_new (const char *pid, int connection, VtrReplayFolder *folder)
{
  VtrReplayRemovals *self = g_new0 (VtrReplayRemovals, 1);
  const int how = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  int above;

  self->pid = pid;
  self->connection = connection;
  self->mark = g_random_int ();
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
  g_snprintf (name, MAX_NAME, "%s-%08x-%u", self->pid, self->mark, number);
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

/* Whether all threads have stopped. */
static gboolean
is_still (VtrReplayRemovals *self)
{
  g_autofree char *path = g_build_filename ("/proc", self->pid, "task", NULL);
  g_autoptr (GDir) folder = g_dir_open (path, 0, NULL);
  gboolean still = folder != NULL;
  const char *name;

  while (still && (name = g_dir_read_name (folder)) != NULL)
    {
      g_autofree char *file = g_build_filename (path, name, "stat", NULL);
      g_autofree char *stat = NULL;
      const char *state = NULL;

      if (g_file_get_contents (file, &stat, NULL, NULL))
        state = strrchr (stat, ')');
      still = state == NULL || state[1] == '\0' || strchr ("TtZX", state[2]) != NULL;
    }
  return still;
}

/* Files go from hand to hand while one looks: to another descriptor, into the connection. */
static gboolean
stand_still (VtrReplayRemovals *self)
{
  gint64 end = g_get_monotonic_time () + STOP_MICROSECONDS;
  struct pollfd sent = { .fd = self->connection, .events = POLLIN };

  if (kill (atoi (self->pid), SIGSTOP) != 0)
    return FALSE;
  while (!is_still (self) || poll (&sent, 1, 0) != 0)
    {
      if (g_get_monotonic_time () > end)
        return FALSE;
      g_usleep (500);
    }
  return TRUE;
}

void
vtr_replay_removals_sweep (VtrReplayRemovals *self)
{
  g_autoptr (GHashTable) held = g_hash_table_new (NULL, NULL);
  guint64 zeros;

  if (self->removed->len == 0)
    return;
  if (stand_still (self) && vtr_replay_held_add_open (held, self->pid) &&
      vtr_replay_held_add_mapped (held, self->pid, &zeros))
    for (guint i = self->removed->len; i-- > 0;)
      if (!g_hash_table_contains (
            held, GSIZE_TO_POINTER (g_array_index (self->removed, Removed, i).inode)))
        remove_for_good (self, i);
  kill (atoi (self->pid), SIGCONT);
}

gboolean
vtr_replay_removals_is_full (VtrReplayRemovals *self)
{
  return self->removed->len >= MAX_REMOVED;
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
        return got < 0 && (errno == EPERM || errno == ENOSYS) ? ENOSYS : EFAULT;
      if (memchr (path + n, '\0', (size_t)got) != NULL)
        return 0;
      n += (size_t)got;
    }
  return ENAMETOOLONG;
}

/* The rest of @path after @folder and a slash; NULL: it is elsewhere. */
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
  if (vtr_replay_removals_is_full (self))
    return ENOSPC;
  name_removed (self, removed.number, name);
  if (renameat (place->parent, place->name, self->beside, name) != 0)
    return errno;
  self->next++;
  if (fstatat (self->beside, name, &info, AT_SYMLINK_NOFOLLOW) == 0)
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

/* Gives the name of @to to the file of @from. The names change places, so that there is a file of
 * that name at every moment; what @to was is set aside under the other. Returns: 0, or an errno.
 * ENOENT: one of them is gone */
static int
replace (VtrReplayRemovals *self, const Place *from, const Place *to)
{
  struct stat source, target;
  int why;

  if (fstatat (from->parent, from->name, &source, AT_SYMLINK_NOFOLLOW) != 0 ||
      fstatat (to->parent, to->name, &target, AT_SYMLINK_NOFOLLOW) != 0)
    return errno;
  if (source.st_ino == target.st_ino)
    return 0;
  /* No driver needs that, and the contents of folders are not kept together. */
  if (S_ISDIR (source.st_mode) || S_ISDIR (target.st_mode))
    return S_ISDIR (target.st_mode) ? EISDIR : ENOTDIR;
  if (renameat2 (from->parent, from->name, to->parent, to->name, RENAME_EXCHANGE) != 0)
    return errno;
  why = set_aside (self, from);
  if (why != 0)
    renameat2 (from->parent, from->name, to->parent, to->name, RENAME_EXCHANGE);
  return why;
}

/* Never takes a name from a file but by replace(): others make files meanwhile. */
static int
rename_place (VtrReplayRemovals *self, const Place *from, const Place *to, guint flags)
{
  int why = EAGAIN;

  if ((flags & ~(guint)(RENAME_NOREPLACE | RENAME_EXCHANGE)) != 0)
    return EINVAL;
  if (flags != 0)
    return renameat2 (from->parent, from->name, to->parent, to->name, flags) == 0 ? 0 : errno;
  for (guint i = 0; i < MAX_TRIES; i++)
    {
      if (renameat2 (from->parent, from->name, to->parent, to->name, RENAME_NOREPLACE) == 0)
        return 0;
      if (errno != EEXIST)
        return errno;
      why = replace (self, from, to);
      if (why != ENOENT)
        return why;
    }
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
