/* Base-128 varints and zigzag numbers as in protobuf. Threading: any. */
#pragma once

#include "vtr-status.h"

#include <stddef.h>
#include <stdint.h>

#define VTR_VARINT_MAX 10

static inline uint64_t
vtr_zigzag_encode (int64_t value)
{
  return ((uint64_t)value << 1) ^ (uint64_t)(value >> 63);
}

static inline int64_t
vtr_zigzag_decode (uint64_t value)
{
  return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

/* Writes at most VTR_VARINT_MAX bytes to @to. Returns: how many. */
static inline size_t
vtr_varint_write (uint8_t  *to,
                  uint64_t  value)
{
  size_t n = 0;

  while (value >= 0x80)
    {
      to[n++] = (uint8_t)(value | 0x80);
      value >>= 7;
    }
  to[n++] = (uint8_t)value;
  return n;
}

static inline size_t
vtr_varint_size (uint64_t value)
{
  size_t n = 1;

  while (value >= 0x80)
    {
      value >>= 7;
      n++;
    }
  return n;
}

/* Reads one varint at *@at and moves *@at past it. Errors: VTR_TRUNCATED, VTR_CORRUPT (too long). */
static inline VtrStatus
vtr_varint_read (const uint8_t **at,
                 const uint8_t  *end,
                 uint64_t       *out)
{
  const uint8_t *p = *at;
  uint64_t value = 0;

  for (unsigned shift = 0; shift < 70; shift += 7)
    {
      uint8_t byte;

      if (p >= end)
        return VTR_TRUNCATED;
      byte = *p++;
      if (shift == 63 && byte > 1)
        return VTR_CORRUPT;
      value |= (uint64_t)(byte & 0x7f) << shift;
      if ((byte & 0x80) == 0)
        {
          *at = p;
          *out = value;
          return VTR_OK;
        }
    }

  return VTR_CORRUPT;
}
