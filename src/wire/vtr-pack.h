/* Proto-pack 2.0: a stream of self-describing protobuf messages (FORMAT.md §2).
 *
 *   "ProtoPack\r\n2.0\n\0" chunk*
 *   chunk := zigzag(size) body
 *     size < 0   type definition: varint(length) name DescriptorProto
 *     size > 0   zigzag(parent) zigzag(type) message
 *                type > 0 a leaf object, < 0 an object that opens a group, 0 the end of group
 *   .parent
 *     size == 0  end of the stream
 *
 * Threading: any; nothing here keeps state of its own. */
#pragma once

#include "base/vtr-buffer.h"
#include "base/vtr-status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VTR_PACK_HEADER_SIZE 16
#define VTR_PACK_HEADER "ProtoPack\r\n2.0\n" /* and its NUL */

/* ---- Header ---- */

typedef enum
{
  VTR_PACK_MAGIC_NONE, /* something else */
  VTR_PACK_MAGIC_OLD,  /* version 1.x */
  VTR_PACK_MAGIC_2,    /* readable */
  VTR_PACK_MAGIC_NEW,  /* version 3 or later */
} VtrPackMagic;

/* Looks at the first bytes of a stream. @major, @minor: set unless NONE. */
VtrPackMagic vtr_pack_sniff (const uint8_t *data,
                             size_t         size,
                             unsigned      *major,
                             unsigned      *minor);

/* ---- Reading chunks ---- */

typedef enum
{
  VTR_PACK_TYPE,   /* a type definition */
  VTR_PACK_OBJECT, /* a leaf object */
  VTR_PACK_GROUP,  /* an object that may have children */
  VTR_PACK_END,    /* the end of group .parent */
} VtrPackChunkKind;

typedef struct
{
  VtrPackChunkKind kind;
  int64_t parent;      /* < 0: chunks back; otherwise a root */
  uint64_t type;       /* of an object or group: type index, from 1 */
  const uint8_t *name; /* of a type definition; not NUL-terminated */
  size_t name_size;
  const uint8_t *message; /* the object, or the DescriptorProto */
  size_t size;
  size_t chunk_size; /* the whole chunk with its framing */
} VtrPackChunk;

/**
 * vtr_pack_read:
 * @at: (inout): where the chunk starts; moved past it on success
 *
 * Errors: VTR_TRUNCATED (it does not end before @end), VTR_CORRUPT, VTR_CLOSED (the end of the
 * stream: no more bytes, or a chunk of size 0).
 */
VtrStatus vtr_pack_read (const uint8_t **at,
                         const uint8_t  *end,
                         VtrPackChunk   *out) VTR_MUST_CHECK;

/* ---- Writing chunks ---- */

/* Errors show in @to->failed. */
void vtr_pack_write_header (VtrBuffer *to);
void vtr_pack_write_type (VtrBuffer     *to,
                          const char    *name,
                          const uint8_t *descriptor,
                          size_t         size);

/* A root leaf object of type index @type. */
void vtr_pack_write_object (VtrBuffer     *to,
                            uint64_t       type,
                            const uint8_t *message,
                            size_t         size);

/* Any object, group (@type < 0) or end marker (@type 0, without message). @parent: 0, or chunks
 * back. */
void vtr_pack_write_chunk (VtrBuffer     *to,
                           int64_t        parent,
                           int64_t        type,
                           const uint8_t *message,
                           size_t         size);

/* Starts a root leaf object whose message of exactly @size bytes the caller appends. */
void vtr_pack_begin_object (VtrBuffer *to,
                            uint64_t   type,
                            size_t     size);
