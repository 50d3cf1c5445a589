/* Creates, locks, measures and removes the cache folders that replayers may write to, one for
 * each trace. */
#include "vtr-config.h"

#include "engine/replay/vtr-replay-folder.h"

#include "engine/replay/vtr-folder-tree.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILES "files"
#define PRIVATE "private-"
#define HASH_CHARACTERS 32
#define MAX_TRIES 10 /* to lock a folder that others remove at the same time */
#define KEPT_SECONDS (30 * 24 * 3600)

struct _VtrReplayFolder
{
  char *above; /* …/HASH */
  char *path;  /* …/HASH/files */
  int lock;    /* descriptor of .above, locked */
  gboolean is_private;
};

static char *
get_root (void)
{
  return g_build_filename (g_get_user_cache_dir (), "vitrine", "driver", NULL);
}

/* --- One folder ------------------------------------------------------------------------------ */

static char *
make_path (const char *root, const char *trace)
{
  g_autofree char *hash = NULL;
  g_autofree char *path = NULL;

  if (trace == NULL)
    {
      path = g_build_filename (root, PRIVATE "XXXXXX", NULL);
      return g_mkdtemp (path) != NULL ? g_steal_pointer (&path) : NULL;
    }
  hash = g_compute_checksum_for_string (G_CHECKSUM_SHA256, trace, -1);
  hash[HASH_CHARACTERS] = '\0';
  path = g_build_filename (root, hash, NULL);
  return g_mkdir (path, 0700) == 0 || errno == EEXIST ? g_steal_pointer (&path) : NULL;
}

/* Returns: a descriptor of the folder at @path, which is still there; -1: none. */
static int
lock_folder (const char *path, int how)
{
  int fd = open (path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  struct stat ours, there;

  if (fd >= 0 && flock (fd, how) == 0 && fstat (fd, &ours) == 0 && lstat (path, &there) == 0 &&
      ours.st_dev == there.st_dev && ours.st_ino == there.st_ino)
    return fd;
  if (fd >= 0)
    close (fd);
  return -1;
}

VtrReplayFolder *
vtr_replay_folder_open (const char *trace)
{
  g_autofree char *root = get_root ();
  VtrReplayFolder *self = g_new0 (VtrReplayFolder, 1);

  self->lock = -1;
  self->is_private = trace == NULL;
  if (g_mkdir_with_parents (root, 0700) == 0)
    for (guint i = 0; i < MAX_TRIES && self->lock < 0; i++)
      {
        g_free (self->above);
        self->above = make_path (root, trace);
        if (self->above != NULL)
          self->lock = lock_folder (self->above, LOCK_SH);
      }
  if (self->lock >= 0 && (mkdirat (self->lock, FILES, 0700) == 0 || errno == EEXIST))
    {
      futimens (self->lock, NULL); /* used just now */
      self->path = g_build_filename (self->above, FILES, NULL);
      return self;
    }
  vtr_replay_folder_close (self);
  return NULL;
}

void
vtr_replay_folder_close (VtrReplayFolder *self)
{
  if (self == NULL)
    return;
  if (self->is_private && self->lock >= 0)
    {
      vtr_folder_tree_empty (self->lock);
      rmdir (self->above);
    }
  if (self->lock >= 0)
    close (self->lock);
  g_free (self->above);
  g_free (self->path);
  g_free (self);
}

const char *
vtr_replay_folder_get_path (VtrReplayFolder *self)
{
  return self->path;
}

int
vtr_replay_folder_get_descriptor (VtrReplayFolder *self)
{
  return self->lock;
}

guint64
vtr_replay_folder_measure (VtrReplayFolder *self, guint64 enough)
{
  return vtr_folder_tree_measure (self->lock, enough);
}

static void
empty_part (VtrReplayFolder *self, const char *name)
{
  int fd = openat (self->lock, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

  if (fd < 0)
    return;
  vtr_folder_tree_empty (fd);
  close (fd);
}

void
vtr_replay_folder_empty (VtrReplayFolder *self)
{
  if (flock (self->lock, LOCK_EX | LOCK_NB) == 0)
    {
      empty_part (self, FILES);
      empty_part (self, VTR_REPLAY_FOLDER_REMOVED);
    }
  flock (self->lock, LOCK_SH);
}

/* --- All of them ----------------------------------------------------------------------------- */

typedef struct
{
  char *path;
  guint64 size;
  gint64 used; /* seconds */
} Entry;

static void
entry_clear (gpointer data)
{
  g_free (((Entry *)data)->path);
}

static int
compare_entries (gconstpointer a, gconstpointer b)
{
  const Entry *left = a;
  const Entry *right = b;

  return (left->used > right->used) - (left->used < right->used);
}

static gboolean
is_of_a_trace (const char *name)
{
  return strlen (name) == HASH_CHARACTERS &&
         strspn (name, "0123456789abcdef") == HASH_CHARACTERS;
}

/* Returns: whether it was removed. */
static gboolean
remove_unused (const char *path)
{
  int fd = lock_folder (path, LOCK_EX | LOCK_NB);

  if (fd < 0)
    return g_unlink (path) == 0;
  vtr_folder_tree_empty (fd);
  close (fd);
  return g_rmdir (path) == 0;
}

static guint64
measure_entry (const char *path, guint64 enough)
{
  int fd = open (path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  guint64 size = fd >= 0 ? vtr_folder_tree_measure (fd, enough) : 0;

  if (fd >= 0)
    close (fd);
  return size;
}

void
vtr_replay_folder_trim (guint64 most)
{
  g_autofree char *root = get_root ();
  g_autoptr (GDir) dir = g_dir_open (root, 0, NULL);
  g_autoptr (GArray) entries = g_array_new (FALSE, FALSE, sizeof (Entry));
  gint64 old = g_get_real_time () / G_USEC_PER_SEC - KEPT_SECONDS;
  guint64 total = 0;
  const char *name;

  g_array_set_clear_func (entries, entry_clear);
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      Entry entry = { g_build_filename (root, name, NULL), 0, 0 };
      GStatBuf info;
      gboolean keep = is_of_a_trace (name) && g_lstat (entry.path, &info) == 0 &&
                      S_ISDIR (info.st_mode) && info.st_mtim.tv_sec >= old;

      /* Others were left by a program that was ended, or by versions with one folder for all. */
      if (!keep && remove_unused (entry.path))
        {
          g_free (entry.path);
          continue;
        }
      entry.used = keep ? (gint64)info.st_mtim.tv_sec : 0;
      entry.size = measure_entry (entry.path, most);
      total += entry.size;
      g_array_append_val (entries, entry);
    }
  g_array_sort (entries, compare_entries);
  for (guint i = 0; i < entries->len && total > most; i++)
    if (remove_unused (g_array_index (entries, Entry, i).path))
      total -= g_array_index (entries, Entry, i).size;
}
