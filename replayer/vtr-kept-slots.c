/* Saves and restores the machine's slots for snapshots, together with what drivers keep. */
#include "vtr-kept-slots.h"

#include <stdlib.h>
#include <string.h>

bool
vtr_kept_slots_keep (VtrKeptSlots *self,
                     const void   *slots,
                     uint64_t      size)
{
  vtr_kept_slots_drop (self);
  self->bytes = malloc ((size_t)size + 1);
  if (self->bytes == NULL)
    return false;
  memcpy (self->bytes, slots, (size_t)size);
  self->at = (uintptr_t)slots;
  self->size = size;
  return true;
}

void
vtr_kept_slots_drop (VtrKeptSlots *self)
{
  free (self->bytes);
  *self = (VtrKeptSlots){ 0 };
}

void
vtr_kept_slots_restore (const VtrKeptSlots *self)
{
  if (self->bytes != NULL)
    memcpy ((void *)(uintptr_t)self->at, self->bytes, (size_t)self->size);
}

bool
vtr_kept_slots_rename (VtrKeptSlots *self,
                       uint64_t      from,
                       uint64_t      to)
{
  unsigned n = 0;

  for (uint64_t at = 0; at + 8 <= self->size; at += 8)
    {
      uint64_t value;

      memcpy (&value, self->bytes + at, sizeof value);
      if (value != from)
        continue;
      memcpy (self->bytes + at, &to, sizeof to);
      n++;
    }
  return n == 1;
}
