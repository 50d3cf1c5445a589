/* The living heap blocks by address, and their sums.
 *
 * Threading: any. */
#pragma once

#include "vtr-heap-sites.h"

void heap_blocks_init (void);

void heap_blocks_add (const void *block,
                      size_t      size,
                      HeapSite   *site);

/* Returns: whether the block was known. @size, @site: (out) (optional): of the block. */
bool heap_blocks_take (const void  *block,
                       size_t      *size,
                       HeapSite   **site);

/* @all: bytes of all blocks; @owned: of the owner's. */
void heap_blocks_count (size_t *all,
                        size_t *owned);
