/* Looks up the mapping that an address belongs to, with PROCMAP_QUERY where the kernel has it
 * and from /proc/self/maps elsewhere. */
#include "vtr-layer-mappings.h"

#include "base/vtr-grow.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* A question about one mapping (Linux 6.11; Documentation/filesystems/proc.rst): struct
 * procmap_query, of kernels newer than the headers that this is to be built with. */
typedef struct
{
  uint64_t size; /* of this structure */
  uint64_t query_flags;
  uint64_t query_address;
  uint64_t start; /* out, and all that follows */
  uint64_t end;
  uint64_t flags;
  uint64_t page_size;
  uint64_t offset;
  uint64_t inode;
  uint32_t major;
  uint32_t minor;
  uint32_t name_size; /* 0: no name is wanted */
  uint32_t build_id_size;
  uint64_t name;
  uint64_t build_id;
} Query;

#define QUERY _IOWR ('f', 17, Query)     /* PROCMAP_QUERY */
#define QUERY_SHARED (UINT64_C (1) << 3) /* PROCMAP_QUERY_VMA_SHARED */

typedef struct
{
  uintptr_t start;
  uintptr_t end;
  VtrLayerMapping place;
} Mapping;

/* In order. */
typedef struct
{
  Mapping *mappings;
  size_t n;
  size_t n_allocated;
} Mappings;

static _Thread_local Mappings *held; /* NULL: they are read for each question */

static VtrLayerMapping
describe (bool     shared,
          unsigned major,
          unsigned minor,
          uint64_t inode)
{
  return (VtrLayerMapping){
    .anonymous = !shared && inode == 0,
    .shared = shared,
    .file = inode == 0 ? 0 : makedev (major, minor),
  };
}

static bool
append (Mappings      *self,
        const Mapping *mapping)
{
  Mapping *grown = vtr_grow (self->mappings, &self->n_allocated, self->n + 1, sizeof *grown);

  if (grown == NULL)
    return false;
  self->mappings = grown;
  self->mappings[self->n++] = *mapping;
  return true;
}

/* Asks the kernel for the mappings in [@start, @end), up to the first gap. Returns: false if the
 * kernel does not answer. */
static bool
query_mappings (Mappings  *self,
                uintptr_t  start,
                uintptr_t  end)
{
  int maps = open ("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  bool ok = maps >= 0;

  while (ok && start < end)
    {
      Query query = { .size = sizeof query, .query_address = start };

      if (ioctl (maps, QUERY, &query) != 0)
        {
          ok = errno == ENOENT; /* nothing lies there */
          break;
        }
      ok = append (self, &(Mapping){ query.start, query.end,
                                     describe ((query.flags & QUERY_SHARED) != 0, query.major,
                                               query.minor, query.inode) });
      start = query.end;
    }
  if (maps >= 0)
    close (maps);
  return ok;
}

/* Reads the mappings in [@start, @end). Returns: false if they cannot be read. */
static bool
read_mappings (Mappings  *self,
               uintptr_t  start,
               uintptr_t  end)
{
  FILE *maps = fopen ("/proc/self/maps", "re");
  bool ok = maps != NULL;
  char line[512];

  while (ok && fgets (line, sizeof line, maps) != NULL)
    {
      unsigned long from, to, inode;
      unsigned major, minor;
      char mode[5];

      if (sscanf (line, "%lx-%lx %4s %*s %x:%x %lu", &from, &to, mode, &major, &minor, &inode) !=
            6 ||
          to <= start)
        continue;
      if (from >= end)
        break;
      ok = append (self,
                   &(Mapping){ from, to, describe (mode[3] != 'p', major, minor, inode) });
    }
  if (maps != NULL)
    fclose (maps);
  return ok;
}

static void
free_mappings (Mappings *self)
{
  free (self->mappings);
  *self = (Mappings){ 0 };
}

void
vtr_layer_mappings_hold (void)
{
  static _Thread_local Mappings mappings;

  if (held == NULL && read_mappings (&mappings, 0, UINTPTR_MAX))
    held = &mappings;
  else if (held == NULL)
    free_mappings (&mappings);
}

void
vtr_layer_mappings_release (void)
{
  if (held != NULL)
    free_mappings (held);
  held = NULL;
}

/* The number of the first one that ends behind @start. */
static size_t
find_first (const Mappings *self,
            uintptr_t       start)
{
  size_t low = 0, high = self->n;

  while (low < high)
    {
      size_t middle = (low + high) / 2;

      if (self->mappings[middle].end <= start)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

static bool
find_place (const Mappings  *self,
            uintptr_t        start,
            uintptr_t        end,
            VtrLayerMapping *place)
{
  size_t first = find_first (self, start);

  for (size_t i = first; start < end && i < self->n; i++)
    {
      const Mapping *each = &self->mappings[i];

      if (each->start > start ||
          (i > first && (each->place.anonymous != place->anonymous ||
                         each->place.shared != place->shared || each->place.file != place->file)))
        return false;
      *place = each->place;
      start = each->end;
    }
  return first < self->n && start >= end;
}

bool
vtr_layer_find_mapping (uintptr_t        start,
                        uintptr_t        end,
                        VtrLayerMapping *place)
{
  Mappings mappings = { 0 };
  bool found;

  if (held != NULL)
    return find_place (held, start, end, place);
  found = query_mappings (&mappings, start, end);
  if (!found)
    {
      mappings.n = 0;
      found = read_mappings (&mappings, start, end);
    }
  found = found && find_place (&mappings, start, end, place);
  free_mappings (&mappings);
  return found;
}
