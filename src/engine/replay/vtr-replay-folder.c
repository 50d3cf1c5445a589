#include "vtr-config.h"

#include "engine/replay/vtr-replay-folder.h"

#include <fts.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define LEAST 4096 /* a file without content takes an inode and a name */

static FTS *
open_folder (const char *path)
{
  char *real = realpath (path, NULL); /* the folder itself may be a link */
  char *const roots[] = { real, NULL };
  FTS *walk = real != NULL ? fts_open (roots, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV, NULL) : NULL;

  free (real);
  return walk;
}

guint64
vtr_replay_folder_measure (const char *path, guint64 enough)
{
  FTS *walk = open_folder (path);
  guint64 size = 0;
  FTSENT *entry;

  while (walk != NULL && size <= enough && (entry = fts_read (walk)) != NULL)
    if (entry->fts_info != FTS_DP && entry->fts_level > 0)
      size += entry->fts_info == FTS_NS || entry->fts_info == FTS_ERR
                ? LEAST
                : MAX ((guint64)entry->fts_statp->st_blocks * 512, LEAST);
  if (walk != NULL)
    fts_close (walk);
  return size;
}

void
vtr_replay_folder_empty (const char *path)
{
  FTS *walk = open_folder (path);
  FTSENT *entry;

  while (walk != NULL && (entry = fts_read (walk)) != NULL)
    if (entry->fts_level > 0 && entry->fts_info == FTS_DP)
      rmdir (entry->fts_accpath);
    else if (entry->fts_level > 0 && entry->fts_info != FTS_D)
      unlink (entry->fts_accpath);
  if (walk != NULL)
    fts_close (walk);
}
