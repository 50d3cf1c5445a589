#include "vtr-layer-places.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/sysmacros.h>

typedef struct
{
  uintptr_t start;
  uintptr_t end;
  VtrLayerPlace place;
} Mapping;

/* In order. */
typedef struct
{
  Mapping *mappings;
  size_t n;
  size_t n_allocated;
} Mappings;

static _Thread_local Mappings *held; /* NULL: they are read for each question */

/* Those that lie in [@start, @end). Returns: false: they cannot be read. */
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
      Mapping *each;

      if (sscanf (line, "%lx-%lx %4s %*s %x:%x %lu", &from, &to, mode, &major, &minor, &inode) !=
            6 ||
          to <= start)
        continue;
      if (from >= end)
        break;
      if (self->n == self->n_allocated)
        {
          size_t n = self->n_allocated * 2 + 16;
          Mapping *grown = realloc (self->mappings, n * sizeof *grown);

          if (grown == NULL)
            {
              ok = false;
              break;
            }
          self->mappings = grown;
          self->n_allocated = n;
        }
      each = &self->mappings[self->n++];
      *each = (Mapping){ from, to, { .shared = mode[3] != 'p' } };
      each->place.anonymous = !each->place.shared && inode == 0;
      each->place.file = inode == 0 ? 0 : makedev (major, minor);
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
vtr_layer_places_hold (void)
{
  static _Thread_local Mappings mappings;

  if (held == NULL && read_mappings (&mappings, 0, UINTPTR_MAX))
    held = &mappings;
  else if (held == NULL)
    free_mappings (&mappings);
}

void
vtr_layer_places_release (void)
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
find_place (const Mappings *self,
            uintptr_t       start,
            uintptr_t       end,
            VtrLayerPlace  *place)
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
vtr_layer_find_place (uintptr_t      start,
                      uintptr_t      end,
                      VtrLayerPlace *place)
{
  Mappings mappings = { 0 };
  bool found;

  if (held != NULL)
    return find_place (held, start, end, place);
  found = read_mappings (&mappings, start, end) && find_place (&mappings, start, end, place);
  free_mappings (&mappings);
  return found;
}
