/* Lists the files that a replayer has open or mapped, from /proc. */
#include "vtr-config.h"

#include "engine/replay/vtr-replay-held.h"

#include <stdio.h>
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

gboolean
vtr_replay_held_add_mapped (GHashTable *inodes, const char *pid, guint64 *zeros)
{
  g_autofree char *path = g_build_filename ("/proc", pid, "maps", NULL);
  FILE *file = fopen (path, "re");
  char line[512], sharing;
  unsigned long begin, end, inode;
  gboolean is_rest = FALSE; /* of a line with a long name */
  gboolean is_there = FALSE;
  int name;

  if (file == NULL)
    return FALSE;
  *zeros = 0;
  for (; fgets (line, sizeof line, file) != NULL; is_rest = strchr (line, '\n') == NULL)
    {
      is_there = TRUE;
      if (is_rest || sscanf (line, "%lx-%lx %*3s%c %*s %*s %lu %n", &begin, &end, &sharing, &inode,
                             &name) != 4)
        continue;
      if (inode != 0)
        g_hash_table_add (inodes, GSIZE_TO_POINTER (inode));
      if (sharing == 's' && g_str_has_prefix (line + name, "/dev/zero"))
        *zeros += end - begin;
    }
  fclose (file);
  return is_there;
}
