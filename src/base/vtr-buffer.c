/* Growable byte buffer, with the varint encoders that messages are written with. */
#include "vtr-buffer.h"

#include "vtr-varint.h"

#include <stdlib.h>

#define FIRST_CAPACITY 256

void
vtr_buffer_finish (VtrBuffer *self)
{
  if (!self->borrowed)
    free (self->data);
  memset (self, 0, sizeof *self);
}

bool
vtr_buffer_grow (VtrBuffer *self,
                 size_t     extra)
{
  size_t need, capacity;
  uint8_t *data;

  if (self->failed)
    return false;

  capacity = self->capacity == 0 ? FIRST_CAPACITY : self->capacity;
  if (__builtin_add_overflow (self->size, extra, &need))
    goto fail;
  while (capacity < need)
    if (__builtin_mul_overflow (capacity, (size_t)2, &capacity))
      goto fail;

  data = realloc (self->borrowed ? NULL : self->data, capacity);
  if (data == NULL)
    goto fail;
  if (self->borrowed && self->size > 0)
    memcpy (data, self->data, self->size);
  self->borrowed = false;
  self->data = data;
  self->capacity = capacity;
  return true;

fail:
  self->failed = true;
  return false;
}

void
vtr_buffer_append_varint (VtrBuffer *self,
                          uint64_t   value)
{
  uint8_t bytes[VTR_VARINT_MAX];

  vtr_buffer_append (self, bytes, vtr_varint_write (bytes, value));
}

void
vtr_buffer_append_zigzag (VtrBuffer *self,
                          int64_t    value)
{
  vtr_buffer_append_varint (self, vtr_zigzag_encode (value));
}
