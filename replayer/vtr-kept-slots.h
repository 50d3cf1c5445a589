/* The machine's slots as they were when a state was kept: requests that start from it find them so again.
 *
 * Threading: one at a time. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef struct
{
  uint8_t *bytes; /* NULL: nothing is kept */
  uint64_t at;    /* absolute address */
  uint64_t size;
} VtrKeptSlots;

/* Keeps @size bytes at @slots. Returns: false when out of memory; nothing is kept then. */
bool vtr_kept_slots_keep (VtrKeptSlots *self,
                          const void   *slots,
                          uint64_t      size);
void vtr_kept_slots_drop (VtrKeptSlots *self);

/* Writes them back to where they were. */
void vtr_kept_slots_restore (const VtrKeptSlots *self);

/* Kept slots that hold @from hold @to from now on. Returns: whether exactly one did. */
bool vtr_kept_slots_rename (VtrKeptSlots *self,
                            uint64_t      from,
                            uint64_t      to);
