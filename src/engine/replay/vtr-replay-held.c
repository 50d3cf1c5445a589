/* Lists the files that a replayer has open or mapped, from /proc. */
#include "vtr-config.h"

#include "engine/replay/vtr-replay-held.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

gboolean
vtr_replay_held_add_open (GHashTable *inodes, const char *pid)
{
  g_autofree char *path = g_build_filename ("/proc", pid, "fd", NULL);
  g_autoptr (GDir) folder = g_dir_open (path, 0, NULL);
  gboolean is_there = FALSE;
  const char *name;

  while (folder != NULL && (name = g_dir_read_name (folder)) != NULL)
    {
      g_autofree char *entry = g_build_filename (path, name, NULL);
      struct stat info;

      is_there = TRUE;
      if (stat (entry, &info) == 0)
        g_hash_table_add (inodes, GSIZE_TO_POINTER (info.st_ino));
    }
  return is_there;
}

/* A line of /proc/PID/maps. sscanf () would take most of the time of a look at some hundred lines.
 *
 * Returns: (nullable) the name; NULL: it is no such line */
static const char *
parse_mapping (const char *line,
               gulong     *size,
               char       *sharing,
               gulong     *inode)
{
  char *at;
  const gulong begin = strtoul (line, &at, 16);

  if (*at != '-')
    return NULL;
  *size = strtoul (at + 1, &at, 16) - begin;
  /* " rwxs OFFSET DEVICE INODE NAME" */
  if (strnlen (at, 6) < 6)
    return NULL;
  *sharing = at[4];
  at += 5;
  for (guint i = 0; i < 2; i++)
    {
      at += strspn (at, " ");
      at += strcspn (at, " ");
    }
  *inode = strtoul (at, &at, 10);
  return at + strspn (at, " ");
}

gboolean
vtr_replay_held_add_mapped (GHashTable *inodes, const char *pid, guint64 *zeros)
{
  g_autofree char *path = g_build_filename ("/proc", pid, "maps", NULL);
  FILE *file = fopen (path, "re");
  char line[512], sharing;
  gulong size, inode;
  gboolean is_rest = FALSE; /* of a line with a long name */
  gboolean is_there = FALSE;

  if (file == NULL)
    return FALSE;
  *zeros = 0;
  for (; fgets (line, sizeof line, file) != NULL; is_rest = strchr (line, '\n') == NULL)
    {
      const char *name = is_rest ? NULL : parse_mapping (line, &size, &sharing, &inode);

      is_there = TRUE;
      if (name == NULL)
        continue;
      if (inode != 0)
        g_hash_table_add (inodes, GSIZE_TO_POINTER (inode));
      if (sharing == 's' && g_str_has_prefix (name, "/dev/zero"))
        *zeros += size;
    }
  fclose (file);
  return is_there;
}
