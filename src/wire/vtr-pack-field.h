/* Fields of a protobuf message, one after the other, with every length checked. Threading: any. */
#pragma once

#include "base/vtr-buffer.h"
#include "base/vtr-varint.h"

#include <stdint.h>
#include <string.h>

typedef enum
{
  VTR_PACK_WIRE_VARINT = 0,
  VTR_PACK_WIRE_FIXED64 = 1,
  VTR_PACK_WIRE_BYTES = 2,
  VTR_PACK_WIRE_FIXED32 = 5,
} VtrPackWire;

typedef struct
{
  uint32_t number;
  VtrPackWire wire;
  uint64_t value;      /* a number's bits, fixed32 zero-extended; 0 for bytes */
  const uint8_t *data; /* bytes, strings, messages, packed numbers */
  size_t size;
} VtrPackFieldValue;

/**
 * vtr_pack_next_field:
 * @at: (inout): moved past the field on success
 *
 * Errors: VTR_CLOSED (no more fields), VTR_TRUNCATED, VTR_CORRUPT (field number 0 or above 2^29,
 * or a wire type that proto3 does not have).
 */
static inline VtrStatus
vtr_pack_next_field (const uint8_t     **at,
                     const uint8_t      *end,
                     VtrPackFieldValue  *out)
{
  const uint8_t *p = *at;
  VtrPackFieldValue field = { 0 };
  VtrStatus status;
  uint64_t tag;
  size_t width;

  if (p >= end)
    return VTR_CLOSED;
  status = vtr_varint_read (&p, end, &tag);
  if (status != VTR_OK)
    return status;
  if (tag >> 3 == 0 || tag >> 3 >= 1u << 29)
    return VTR_CORRUPT;
  field.number = (uint32_t)(tag >> 3);
  field.wire = (VtrPackWire)(tag & 7);

  switch (tag & 7)
    {
    case VTR_PACK_WIRE_VARINT:
      status = vtr_varint_read (&p, end, &field.value);
      if (status != VTR_OK)
        return status;
      break;

    case VTR_PACK_WIRE_FIXED64:
    case VTR_PACK_WIRE_FIXED32:
      width = (tag & 7) == VTR_PACK_WIRE_FIXED64 ? 8 : 4;
      if ((size_t)(end - p) < width)
        return VTR_TRUNCATED;
      for (size_t i = 0; i < width; i++)
        field.value |= (uint64_t)p[i] << (8 * i);
      p += width;
      break;

    case VTR_PACK_WIRE_BYTES:
      {
        uint64_t size;

        status = vtr_varint_read (&p, end, &size);
        if (status != VTR_OK)
          return status;
        if (size > (size_t)(end - p))
          return VTR_TRUNCATED;
        field.data = p;
        field.size = (size_t)size;
        p += size;
        break;
      }

    default:
      return VTR_CORRUPT;
    }

  *at = p;
  *out = field;
  return VTR_OK;
}

static inline void
vtr_pack_append_tag (VtrBuffer   *to,
                     uint32_t     number,
                     VtrPackWire  wire)
{
  vtr_buffer_append_varint (to, (uint64_t)number << 3 | (unsigned)wire);
}

static inline void
vtr_pack_append_varint (VtrBuffer *to,
                        uint32_t   number,
                        uint64_t   value)
{
  vtr_pack_append_tag (to, number, VTR_PACK_WIRE_VARINT);
  vtr_buffer_append_varint (to, value);
}

static inline void
vtr_pack_append_fixed32 (VtrBuffer *to,
                         uint32_t   number,
                         uint32_t   value)
{
  vtr_pack_append_tag (to, number, VTR_PACK_WIRE_FIXED32);
  for (int i = 0; i < 4; i++)
    vtr_buffer_append_u8 (to, (uint8_t)(value >> (8 * i)));
}

static inline void
vtr_pack_append_fixed64 (VtrBuffer *to,
                         uint32_t   number,
                         uint64_t   value)
{
  vtr_pack_append_tag (to, number, VTR_PACK_WIRE_FIXED64);
  for (int i = 0; i < 8; i++)
    vtr_buffer_append_u8 (to, (uint8_t)(value >> (8 * i)));
}

static inline void
vtr_pack_append_bytes (VtrBuffer  *to,
                       uint32_t    number,
                       const void *data,
                       size_t      size)
{
  vtr_pack_append_tag (to, number, VTR_PACK_WIRE_BYTES);
  vtr_buffer_append_varint (to, size);
  if (size > 0)
    vtr_buffer_append (to, data, size);
}

static inline void
vtr_pack_append_string (VtrBuffer  *to,
                        uint32_t    number,
                        const char *text)
{
  vtr_pack_append_bytes (to, number, text, strlen (text));
}
