/* Finds pages of the process's private anonymous memory that were never touched, from the
 * kernel's pagemap (Documentation/admin-guide/mm/pagemap.rst). Such pages hold zeros. Reading
 * them would cost a page fault each and make write tracking report them as written.
 *
 * Threading: one at a time per object. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero-initialised it knows nothing. */
typedef struct
{
  /* Memory whose kind was asked, and whether it is private and anonymous. */
  const uint8_t *start;
  const uint8_t *end;
  bool anonymous;

  uint64_t window_start; /* number of the first page in .window */
  uint32_t window_size;  /* entries; 0: none */
  uint64_t *window;      /* pagemap entries */
} VtrLayerPagemap;

void vtr_layer_pagemap_finish (VtrLayerPagemap *self);

/* Drops the data read from the pagemap, which may have changed. */
void vtr_layer_pagemap_forget (VtrLayerPagemap *self);

/* Whether the pages of [@bytes, @bytes + @size), which lie in the memory [@start, @end), were never
 * touched. The kind of the memory is looked up once for many calls, and not for a few pages.
 * Returns: false also when it is unknown. */
bool vtr_layer_pagemap_is_untouched (VtrLayerPagemap *self,
                                     const uint8_t   *start,
                                     const uint8_t   *end,
                                     const uint8_t   *bytes,
                                     size_t           size);
