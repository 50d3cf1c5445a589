/* Reads /proc/self/pagemap to find pages that were never touched, which a capture can record as
 * zeros without reading them. */
#include "vtr-layer-pagemap.h"

#include "vtr-layer-mappings.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#define PAGE 4096u   /* other sizes are not asked about */
#define WORTH_IT 16u /* pages; for fewer, asking takes longer than reading them */
#define WINDOW 512u  /* entries read at once */

void
vtr_layer_pagemap_finish (VtrLayerPagemap *self)
{
  free (self->window);
  *self = (VtrLayerPagemap){ 0 };
}

void
vtr_layer_pagemap_forget (VtrLayerPagemap *self)
{
  self->window_size = 0;
}

static bool
ask_anonymous (VtrLayerPagemap *self,
               const uint8_t   *start,
               const uint8_t   *end)
{
  VtrLayerMapping place;

  if (start < self->start || end > self->end)
    {
      self->start = start;
      self->end = end;
      self->anonymous = sysconf (_SC_PAGESIZE) == PAGE &&
                        vtr_layer_find_mapping ((uintptr_t)start, (uintptr_t)end, &place) &&
                        place.anonymous;
    }
  return self->anonymous;
}

/* Reads the pagemap from page @number on. */
static bool
load_window (VtrLayerPagemap *self,
             uint64_t         number)
{
  int fd;
  ssize_t got = -1;

  if (self->window == NULL)
    self->window = malloc (WINDOW * sizeof *self->window);
  fd = self->window == NULL ? -1 : open ("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  if (fd >= 0)
    {
      got = pread (fd, self->window, WINDOW * sizeof *self->window,
                   (off_t)(number * sizeof (uint64_t)));
      close (fd);
    }
  self->window_start = number;
  self->window_size = got < 0 ? 0 : (uint32_t)((size_t)got / sizeof (uint64_t));
  if (self->window_size == 0)
    self->anonymous = false;
  return self->window_size > 0;
}

bool
vtr_layer_pagemap_is_untouched (VtrLayerPagemap *self,
                                const uint8_t   *start,
                                const uint8_t   *end,
                                const uint8_t   *bytes,
                                size_t           size)
{
  const uint64_t first = (uintptr_t)bytes / PAGE;
  const uint64_t last = ((uintptr_t)bytes + size - 1) / PAGE;

  if (size == 0 || (size_t)(end - start) < WORTH_IT * PAGE || !ask_anonymous (self, start, end))
    return false;
  for (uint64_t number = first; number <= last; number++)
    {
      if ((number < self->window_start || number >= self->window_start + self->window_size) &&
          !load_window (self, number))
        return false;
      /* Bit 63: present, bit 62: swapped. */
      if (self->window[number - self->window_start] >> 62 != 0)
        return false;
    }
  return true;
}
