/* A growable run of bytes. Threading: one at a time. */
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
} VtrBuffer;

void vtr_buffer_finish (VtrBuffer *self);

/* Ensures room for @extra more bytes. Returns: false (and sets @failed) when that is impossible. */
bool vtr_buffer_reserve (VtrBuffer *self,
                         size_t     extra);

/* Appends @extra uninitialised bytes. Returns: where they start, or NULL on failure. */
uint8_t *vtr_buffer_extend (VtrBuffer *self,
                            size_t     extra);

void vtr_buffer_append (VtrBuffer  *self,
                        const void *data,
                        size_t      size);

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
