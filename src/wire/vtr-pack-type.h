/* Type definitions of a proto-pack stream: the part of google.protobuf.DescriptorProto that they
 * use. Threading: one at a time; a finished VtrPackType may be read by any thread. */
#pragma once

#include "base/vtr-arena.h"
#include "base/vtr-buffer.h"
#include "base/vtr-status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* FieldDescriptorProto.Type */
typedef enum
{
  VTR_PACK_DOUBLE = 1,
  VTR_PACK_FLOAT = 2,
  VTR_PACK_INT64 = 3,
  VTR_PACK_UINT64 = 4,
  VTR_PACK_INT32 = 5,
  VTR_PACK_FIXED64 = 6,
  VTR_PACK_FIXED32 = 7,
  VTR_PACK_BOOL = 8,
  VTR_PACK_STRING = 9,
  VTR_PACK_MESSAGE = 11,
  VTR_PACK_BYTES = 12,
  VTR_PACK_UINT32 = 13,
  VTR_PACK_ENUM = 14,
  VTR_PACK_SFIXED32 = 15,
  VTR_PACK_SFIXED64 = 16,
  VTR_PACK_SINT32 = 17,
  VTR_PACK_SINT64 = 18,
} VtrPackFieldType;

typedef enum
{
  VTR_PACK_OPTIONAL = 1,
  VTR_PACK_REQUIRED = 2,
  VTR_PACK_REPEATED = 3,
} VtrPackLabel;

typedef struct
{
  const char *name;
  const char *type_name; /* of a message or enum, with its leading dot; NULL otherwise */
  uint32_t number;
  uint8_t label; /* VtrPackLabel */
  uint8_t type;  /* VtrPackFieldType */
} VtrPackField;

typedef struct VtrPackType VtrPackType;

/**
 * VtrPackType:
 *
 * A message type. Strings and arrays belong to the arena given to vtr_pack_type_parse(), or are
 * static.
 */
struct VtrPackType
{
  const char *name; /* full dotted name; of a nested type: its own name */
  const VtrPackField *fields;
  uint32_t n_fields;
  uint32_t n_nested;
  const VtrPackType *nested; /* [n_nested] */
};

/* Appends the DescriptorProto of @type (its name reduced to the last component). */
void vtr_pack_type_encode (const VtrPackType *type,
                           VtrBuffer         *to);

/**
 * vtr_pack_type_parse:
 * @name: full name, as in the chunk (not NUL-terminated)
 *
 * Reads a DescriptorProto; unknown parts of it are skipped. Errors: VTR_TRUNCATED, VTR_CORRUPT
 * (also: nested deeper than 16), VTR_NO_MEMORY.
 */
VtrStatus vtr_pack_type_parse (const uint8_t *name,
                               size_t         name_size,
                               const uint8_t *descriptor,
                               size_t         size,
                               VtrArena      *arena,
                               VtrPackType   *out) VTR_MUST_CHECK;

/* Returns: NULL when there is no field of that name. O(n). */
const VtrPackField *vtr_pack_type_find (const VtrPackType *self,
                                        const char        *name);
