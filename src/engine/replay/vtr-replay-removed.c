#include "vtr-config.h"

#include "engine/replay/vtr-replay-removed.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct _VtrReplayRemoved
{
  char *folder;     /* without links, with a slash behind; NULL: none */
  GHashTable *held; /* guint64 inode → guint64 bytes, of the last time */
};

static GHashTable *
make_table (void)
{
  return g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
}

/* The larger number counts. */
static void
note (GHashTable *table, guint64 inode, guint64 bytes)
{
  const guint64 *before = g_hash_table_lookup (table, &inode);

  if (before == NULL || *before < bytes)
    g_hash_table_insert (table, g_memdup2 (&inode, sizeof inode),
                         g_memdup2 (&bytes, sizeof bytes));
}

VtrReplayRemoved *
vtr_replay_removed_new (const char *folder)
{
  VtrReplayRemoved *self = g_new0 (VtrReplayRemoved, 1);
  char *real = folder != NULL ? realpath (folder, NULL) : NULL;

  self->folder = real != NULL ? g_strconcat (real, "/", NULL) : NULL;
  self->held = make_table ();
  free (real);
  return self;
}

void
vtr_replay_removed_free (VtrReplayRemoved *self)
{
  if (self == NULL)
    return;
  g_hash_table_unref (self->held);
  g_free (self->folder);
  g_free (self);
}

static void
note_open (GHashTable *now, const char *pid)
{
  g_autofree char *path = g_build_filename ("/proc", pid, "fd", NULL);
  g_autoptr (GDir) folder = g_dir_open (path, 0, NULL);
  const char *name;

  while (folder != NULL && (name = g_dir_read_name (folder)) != NULL)
    {
      g_autofree char *entry = g_build_filename (path, name, NULL);
      g_autofree char *target = g_file_read_link (entry, NULL);
      struct stat info;

      if (target != NULL && *target == '/' && !g_str_has_prefix (target, "/memfd:") &&
          stat (entry, &info) == 0 && S_ISREG (info.st_mode) && info.st_nlink == 0)
        note (now, info.st_ino, (guint64)info.st_blocks * 512);
    }
}

/* One line of /proc/PID/maps. */
static void
note_line (VtrReplayRemoved *self, GHashTable *now, GHashTable *open, const char *line)
{
  guint64 begin, end, offset, inode;
  const guint64 *before;
  int name = 0;

  if (sscanf (line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %" SCNu64 " %n", &begin, &end,
              &offset, &inode, &name) != 4 ||
      name == 0 || !g_str_has_prefix (line + name, self->folder) ||
      !g_str_has_suffix (line, " (deleted)\n") || g_hash_table_contains (open, &inode))
    return;
  before = g_hash_table_lookup (self->held, &inode);
  note (now, inode, MAX (offset + (end - begin), before != NULL ? *before : 0));
}

static void
note_mapped (VtrReplayRemoved *self, GHashTable *now, GHashTable *open, const char *pid)
{
  g_autofree char *path = g_build_filename ("/proc", pid, "maps", NULL);
  FILE *file = self->folder != NULL ? fopen (path, "re") : NULL;
  char *line = NULL;
  size_t room = 0;

  while (file != NULL && getline (&line, &room, file) > 0)
    note_line (self, now, open, line);
  free (line);
  if (file != NULL)
    fclose (file);
}

guint64
vtr_replay_removed_measure (VtrReplayRemoved *self, const char *pid)
{
  GHashTable *now = make_table ();
  g_autoptr (GHashTable) open = make_table ();
  GHashTableIter iter;
  gpointer inode, bytes;
  guint64 size = 0;

  note_open (open, pid);
  note_mapped (self, now, open, pid);
  g_hash_table_iter_init (&iter, open);
  while (g_hash_table_iter_next (&iter, &inode, &bytes))
    note (now, *(guint64 *)inode, *(guint64 *)bytes);
  g_hash_table_iter_init (&iter, now);
  while (g_hash_table_iter_next (&iter, NULL, &bytes))
    size += *(guint64 *)bytes;
  g_hash_table_unref (self->held);
  self->held = now;
  return size;
}
