#include "vtr-layer-watcher.h"

#include <stdio.h>
#include <sys/sysmacros.h>

bool
vtr_layer_find_place (uintptr_t      start,
                      uintptr_t      end,
                      VtrLayerPlace *place)
{
  FILE *maps = fopen ("/proc/self/maps", "re");
  char line[512];
  bool first = true;
  bool fits = true;

  while (maps != NULL && fits && start < end && fgets (line, sizeof line, maps) != NULL)
    {
      unsigned long from;
      unsigned long to;
      unsigned major;
      unsigned minor;
      unsigned long inode;
      char mode[5];
      VtrLayerPlace found;

      if (sscanf (line, "%lx-%lx %4s %*s %x:%x %lu", &from, &to, mode, &major, &minor, &inode) !=
            6 ||
          to <= start)
        continue;
      found.shared = mode[3] != 'p';
      found.anonymous = !found.shared && inode == 0;
      found.file = inode == 0 ? 0 : makedev (major, minor);
      fits = from <= start &&
             (first || (found.anonymous == place->anonymous && found.shared == place->shared &&
                        found.file == place->file));
      *place = found;
      first = false;
      start = to;
    }
  if (maps != NULL)
    fclose (maps);
  return fits && !first && start >= end;
}
