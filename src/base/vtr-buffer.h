/* A growable byte buffer. Threading: one at a time. */
#pragma once

#include "vtr-status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/**
 * VtrBuffer:
 *
 * Zero-initialised is empty. A failed growth sets @failed and makes later appends no-ops, so a
 * producer checks once, at the end.
 */
typedef struct
{
  uint8_t *data;
  size_t size;
  size_t capacity;
  bool failed;
  bool borrowed; /* .data is the caller's until the buffer grows */
} VtrBuffer;

/* An empty buffer that starts in @storage, which belongs to the caller, must outlive the buffer,
 * and must be aligned for its content. vtr_buffer_finish() is still needed. */
#define VTR_BUFFER_IN(storage) \
  ((VtrBuffer){ .data = (uint8_t *)(storage), .capacity = sizeof (storage), .borrowed = true })

void vtr_buffer_finish (VtrBuffer *self);

/* Grows the buffer so that @extra more bytes fit. Returns: false (and sets @failed) if that is
 * impossible. */
bool vtr_buffer_grow (VtrBuffer *self,
                      size_t     extra);

/* Ensures room for @extra more bytes. Returns: as vtr_buffer_grow (). */
static inline bool
vtr_buffer_reserve (VtrBuffer *self,
                    size_t     extra)
{
  if (!self->failed && extra <= self->capacity - self->size)
    return true;
  return vtr_buffer_grow (self, extra);
}

/* Appends @extra uninitialised bytes. Returns: where they start, or NULL on failure. */
static inline uint8_t *
vtr_buffer_extend (VtrBuffer *self,
                   size_t     extra)
{
  if (!vtr_buffer_reserve (self, extra))
    return NULL;
  self->size += extra;
  return self->data + (self->size - extra);
}

/* Inline, because most appended values are numbers, whose copy becomes a store. */
static inline void
vtr_buffer_append (VtrBuffer  *self,
                   const void *data,
                   size_t      size)
{
  if (size == 0 || !vtr_buffer_reserve (self, size))
    return;
  memcpy (self->data + self->size, data, size);
  self->size += size;
}

static inline void
vtr_buffer_append_u8 (VtrBuffer *self,
                      uint8_t    value)
{
  vtr_buffer_append (self, &value, sizeof value);
}

static inline void
vtr_buffer_append_u32 (VtrBuffer *self,
                       uint32_t   value)
{
  vtr_buffer_append (self, &value, sizeof value);
}

static inline void
vtr_buffer_append_u64 (VtrBuffer *self,
                       uint64_t   value)
{
  vtr_buffer_append (self, &value, sizeof value);
}

/* Base-128 varint, least significant group first. */
void vtr_buffer_append_varint (VtrBuffer *self,
                               uint64_t   value);

/* Zigzag varint. */
void vtr_buffer_append_zigzag (VtrBuffer *self,
                               int64_t    value);

static inline void
vtr_buffer_clear (VtrBuffer *self)
{
  self->size = 0;
  self->failed = false;
}
