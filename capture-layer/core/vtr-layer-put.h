/* Encodes calls in place, in the bytes of a block: for generated code.
 *
 * Threading: any. */
#pragma once

#include "api/vtr-api-walk.h"
#include "wire/vtr-ring-writer.h"

#include <assert.h>
#include <string.h>

#define VTR_LAYER_INLINE_MAX 4096u /* bytes of array content that a trampoline encodes itself */

static_assert (VTR_LAYER_INLINE_MAX + 512 < VTR_RING_SEGMENT_PAYLOAD, "fits into one segment");

/* Bytes that an observation of @size bytes takes (@size < 2^21). */
static inline size_t
vtr_layer_observation_size (size_t size)
{
  return size == 0 ? 0 : size + 1 + 3 + 9 + 1 + 3;
}

static inline uint8_t *
vtr_layer_put_u8 (uint8_t *to,
                  uint8_t  value)
{
  *to = value;
  return to + 1;
}

static inline uint8_t *
vtr_layer_put_u32 (uint8_t  *to,
                   uint32_t  value)
{
  memcpy (to, &value, sizeof value);
  return to + sizeof value;
}

static inline uint8_t *
vtr_layer_put_u64 (uint8_t  *to,
                   uint64_t  value)
{
  memcpy (to, &value, sizeof value);
  return to + sizeof value;
}

static inline uint32_t
vtr_layer_bits_f32 (float value)
{
  uint32_t bits;

  memcpy (&bits, &value, sizeof bits);
  return bits;
}

/* memcpy() for what command buffers are given: nearly always a few words. */
static inline void
vtr_layer_copy (uint8_t       *to,
                const uint8_t *from,
                size_t         size)
{
  if (__builtin_expect (size > 128, 0))
    {
      memcpy (to, from, size);
      return;
    }
  for (; size >= 8; size -= 8, from += 8, to += 8)
    memcpy (to, from, 8);
  if (size & 4)
    {
      memcpy (to, from, 4);
      from += 4;
      to += 4;
    }
  for (size &= 3; size > 0; size--)
    *to++ = *from++;
}

/* A number below 2^21 as a varint of always three bytes: no branches, and zstd removes the slack. */
static inline uint32_t
vtr_layer_varint3 (size_t value)
{
  return (uint32_t)((value & 0x7f) | 0x80 | (value & 0x3f80) << 1 | 0x8000 | (value & 0x1fc000) << 2);
}

/* A read observation; nothing for @size 0. */
static inline uint8_t *
vtr_layer_put_observation (uint8_t    *to,
                           const void *base,
                           size_t      size)
{
  if (size == 0)
    return to;
  /* Tag, length, tag of the base. */
  to = vtr_layer_put_u32 (to, VTR_COMMAND_READS << 3 | 2 | vtr_layer_varint3 (9 + 1 + 3 + size) << 8);
  to = vtr_layer_put_u8 (to, VTR_OBSERVATION_BASE << 3 | 1);
  to = vtr_layer_put_u64 (to, (uint64_t)(uintptr_t)base);
  to = vtr_layer_put_u32 (to, VTR_OBSERVATION_DATA << 3 | 2 | vtr_layer_varint3 (size) << 8);
  vtr_layer_copy (to, base, size);
  return to + size;
}
