/* Frames the chunks of proto-pack 2.0. */
#include "wire/vtr-pack.h"

#include "base/vtr-varint.h"

VtrPackMagic
vtr_pack_sniff (const uint8_t *data,
                size_t         size,
                unsigned      *major,
                unsigned      *minor)
{
  /* Version 1 had its numbers in a message behind nine letters; no reader for it exists any
   * more. */
  if (size >= 9 && memcmp (data, "protopack", 9) == 0)
    {
      *major = 1;
      *minor = 0;
      return VTR_PACK_MAGIC_OLD;
    }
  if (size < VTR_PACK_HEADER_SIZE || memcmp (data, "ProtoPack\r\n", 11) != 0 || data[11] < '0' ||
      data[12] != '.' || data[13] < '0' || data[14] != '\n' || data[15] != 0)
    return VTR_PACK_MAGIC_NONE;

  *major = data[11] - (unsigned)'0';
  *minor = data[13] - (unsigned)'0';
  if (*major < 2)
    return VTR_PACK_MAGIC_OLD;
  return *major == 2 ? VTR_PACK_MAGIC_2 : VTR_PACK_MAGIC_NEW;
}

static VtrStatus
read_type (const uint8_t *at,
           const uint8_t *end,
           VtrPackChunk  *out)
{
  uint64_t name_size;

  if (vtr_varint_read (&at, end, &name_size) != VTR_OK || name_size > (size_t)(end - at))
    return VTR_CORRUPT;
  out->kind = VTR_PACK_TYPE;
  out->name = at;
  out->name_size = (size_t)name_size;
  out->message = at + name_size;
  out->size = (size_t)(end - out->message);
  return VTR_OK;
}

static VtrStatus
read_object (const uint8_t *at,
             const uint8_t *end,
             VtrPackChunk  *out)
{
  uint64_t parent = 0, type = 0;
  int64_t signed_type;

  /* Either may be missing at the end of the body and is 0 then. */
  if (at < end && vtr_varint_read (&at, end, &parent) != VTR_OK)
    return VTR_CORRUPT;
  if (at < end && vtr_varint_read (&at, end, &type) != VTR_OK)
    return VTR_CORRUPT;

  out->parent = vtr_zigzag_decode (parent);
  signed_type = vtr_zigzag_decode (type);
  if (signed_type == 0)
    out->kind = VTR_PACK_END;
  else
    out->kind = signed_type > 0 ? VTR_PACK_OBJECT : VTR_PACK_GROUP;
  out->type = signed_type < 0 ? -(uint64_t)signed_type : (uint64_t)signed_type;
  out->message = at;
  out->size = (size_t)(end - at);
  return VTR_OK;
}

VtrStatus
vtr_pack_read (const uint8_t **at,
               const uint8_t  *end,
               VtrPackChunk   *out)
{
  const uint8_t *p = *at;
  VtrPackChunk chunk = { 0 };
  VtrStatus status;
  uint64_t raw, size;
  int64_t value;

  if (p >= end)
    return VTR_CLOSED;
  status = vtr_varint_read (&p, end, &raw);
  if (status != VTR_OK)
    return status;
  value = vtr_zigzag_decode (raw);
  if (value == 0)
    return VTR_CLOSED;
  size = value < 0 ? -(uint64_t)value : (uint64_t)value;
  if (size > (size_t)(end - p))
    return VTR_TRUNCATED;

  status = value < 0 ? read_type (p, p + size, &chunk) : read_object (p, p + size, &chunk);
  if (status != VTR_OK)
    return status;
  p += size;
  chunk.chunk_size = (size_t)(p - *at);
  *at = p;
  *out = chunk;
  return VTR_OK;
}

void
vtr_pack_write_header (VtrBuffer *to)
{
  vtr_buffer_append (to, VTR_PACK_HEADER, VTR_PACK_HEADER_SIZE);
}

void
vtr_pack_write_type (VtrBuffer     *to,
                     const char    *name,
                     const uint8_t *descriptor,
                     size_t         size)
{
  size_t length = strlen (name);

  vtr_buffer_append_zigzag (to, -(int64_t)(vtr_varint_size (length) + length + size));
  vtr_buffer_append_varint (to, length);
  vtr_buffer_append (to, name, length);
  vtr_buffer_append (to, descriptor, size);
}

void
vtr_pack_write_chunk (VtrBuffer     *to,
                      int64_t        parent,
                      int64_t        type,
                      const uint8_t *message,
                      size_t         size)
{
  uint64_t parent_bits = vtr_zigzag_encode (parent), type_bits = vtr_zigzag_encode (type);
  size_t body =
    vtr_varint_size (parent_bits) + (type == 0 ? 0 : vtr_varint_size (type_bits)) + size;

  vtr_buffer_append_zigzag (to, (int64_t)body);
  vtr_buffer_append_varint (to, parent_bits);
  if (type != 0)
    vtr_buffer_append_varint (to, type_bits);
  if (size > 0)
    vtr_buffer_append (to, message, size);
}

void
vtr_pack_begin_object (VtrBuffer *to,
                       uint64_t   type,
                       size_t     size)
{
  uint8_t head[2 * VTR_VARINT_MAX + 1];
  uint64_t type_bits = vtr_zigzag_encode ((int64_t)type);
  size_t n;

  n =
    vtr_varint_write (head, vtr_zigzag_encode ((int64_t)(1 + vtr_varint_size (type_bits) + size)));
  head[n++] = 0; /* a root */
  n += vtr_varint_write (head + n, type_bits);
  vtr_buffer_append (to, head, n);
}

void
vtr_pack_write_object (VtrBuffer     *to,
                       uint64_t       type,
                       const uint8_t *message,
                       size_t         size)
{
  vtr_pack_begin_object (to, type, size);
  if (size > 0)
    vtr_buffer_append (to, message, size);
}
