/* Arrays that grow.
 *
 * Threading: one at a time for each array. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define VTR_GROW_FIRST 16u /* items */

/* Makes room for @n items, at least one, of @size bytes each. @items: from malloc() or NULL, with room for
 * *@n_allocated. It grows to twice the room at least: adding items one by one takes linear time.
 * Returns: the array, which may have moved, to be kept instead of @items; NULL without memory: then nothing has
 * changed. */
static inline void *
vtr_grow (void   *items,
          size_t *n_allocated,
          size_t  n,
          size_t  size)
{
  size_t room = n, bytes;
  void *grown;

  if (n <= *n_allocated)
    return items;
  if (room < VTR_GROW_FIRST)
    room = VTR_GROW_FIRST;
  if (*n_allocated > room / 2 && __builtin_mul_overflow (*n_allocated, (size_t)2, &room))
    return NULL;
  if (__builtin_mul_overflow (room, size, &bytes))
    return NULL;
  grown = realloc (items, bytes);
  if (grown != NULL)
    *n_allocated = room;
  return grown;
}
