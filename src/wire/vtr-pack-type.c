/* Encodes and parses type definitions (a small part of protobuf's DescriptorProto). */
#include "wire/vtr-pack-type.h"

#include "wire/vtr-pack-field.h"

#define MAX_DEPTH 16

/* Field numbers of google/protobuf/descriptor.proto. */
enum
{
  MESSAGE_NAME = 1,
  MESSAGE_FIELD = 2,
  MESSAGE_NESTED = 3,
  FIELD_NAME = 1,
  FIELD_NUMBER = 3,
  FIELD_LABEL = 4,
  FIELD_TYPE = 5,
  FIELD_TYPE_NAME = 6,
};

static void
append_message (VtrBuffer *to,
                uint32_t   number,
                VtrBuffer *message)
{
  vtr_pack_append_bytes (to, number, message->data, message->size);
  to->failed |= message->failed;
  vtr_buffer_finish (message);
}

void
vtr_pack_type_encode (const VtrPackType *type,
                      VtrBuffer         *to)
{
  const char *dot = strrchr (type->name, '.');

  vtr_pack_append_string (to, MESSAGE_NAME, dot == NULL ? type->name : dot + 1);
  for (uint32_t i = 0; i < type->n_fields; i++)
    {
      const VtrPackField *field = &type->fields[i];
      VtrBuffer message = { 0 };

      vtr_pack_append_string (&message, FIELD_NAME, field->name);
      vtr_pack_append_varint (&message, FIELD_NUMBER, field->number);
      vtr_pack_append_varint (&message, FIELD_LABEL, field->label);
      vtr_pack_append_varint (&message, FIELD_TYPE, field->type);
      if (field->type_name != NULL)
        vtr_pack_append_string (&message, FIELD_TYPE_NAME, field->type_name);
      append_message (to, MESSAGE_FIELD, &message);
    }
  for (uint32_t i = 0; i < type->n_nested; i++)
    {
      VtrBuffer message = { 0 };

      vtr_pack_type_encode (&type->nested[i], &message);
      append_message (to, MESSAGE_NESTED, &message);
    }
}

/* Copies @size bytes as a string; cut at an embedded NUL. */
static const char *
copy_string (VtrArena      *arena,
             const uint8_t *data,
             size_t         size)
{
  char *copy = vtr_arena_alloc (arena, size + 1);

  if (copy != NULL && size > 0)
    memcpy (copy, data, size);
  return copy;
}

static VtrStatus
parse_field (const uint8_t *at,
             size_t         size,
             VtrArena      *arena,
             VtrPackField  *out)
{
  const uint8_t *end = at + size;
  VtrPackField field = { .name = "", .label = VTR_PACK_OPTIONAL };
  VtrPackFieldValue value;
  VtrStatus status;

  while ((status = vtr_pack_next_field (&at, end, &value)) == VTR_OK)
    {
      bool text = value.wire == VTR_PACK_WIRE_BYTES;

      if (value.number == FIELD_NAME && text)
        field.name = copy_string (arena, value.data, value.size);
      else if (value.number == FIELD_TYPE_NAME && text)
        field.type_name = copy_string (arena, value.data, value.size);
      else if (value.number == FIELD_NUMBER && value.value < 1u << 29)
        field.number = (uint32_t)value.value;
      else if (value.number == FIELD_LABEL && value.value <= VTR_PACK_REPEATED)
        field.label = (uint8_t)value.value;
      else if (value.number == FIELD_TYPE && value.value <= VTR_PACK_SINT64)
        field.type = (uint8_t)value.value;
      if (field.name == NULL)
        return VTR_NO_MEMORY;
    }
  if (status != VTR_CLOSED)
    return status;
  *out = field;
  return VTR_OK;
}

/* How many fields and nested types there are, so that the arrays can be allocated at once. */
static VtrStatus
count_parts (const uint8_t *at,
             size_t         size,
             uint32_t      *n_fields,
             uint32_t      *n_nested)
{
  const uint8_t *end = at + size;
  VtrPackFieldValue value;
  VtrStatus status;

  *n_fields = *n_nested = 0;
  while ((status = vtr_pack_next_field (&at, end, &value)) == VTR_OK)
    if (value.wire == VTR_PACK_WIRE_BYTES)
      {
        *n_fields += value.number == MESSAGE_FIELD;
        *n_nested += value.number == MESSAGE_NESTED;
      }
  return status == VTR_CLOSED ? VTR_OK : status;
}

static VtrStatus
parse_message (const uint8_t *at,
               size_t         size,
               unsigned       depth,
               VtrArena      *arena,
               VtrPackType   *out)
{
  const uint8_t *end = at + size;
  VtrPackFieldValue value;
  VtrPackField *fields;
  VtrPackType *nested;
  uint32_t n_fields, n_nested, field = 0, child = 0;
  VtrStatus status;

  if (depth > MAX_DEPTH)
    return VTR_CORRUPT;
  status = count_parts (at, size, &n_fields, &n_nested);
  if (status != VTR_OK)
    return status;
  fields = vtr_arena_new_array (arena, n_fields, VtrPackField);
  nested = vtr_arena_new_array (arena, n_nested, VtrPackType);
  if (fields == NULL || nested == NULL)
    return VTR_NO_MEMORY;

  while (status == VTR_OK && vtr_pack_next_field (&at, end, &value) == VTR_OK)
    {
      if (value.wire != VTR_PACK_WIRE_BYTES)
        continue;
      if (value.number == MESSAGE_NAME && out->name == NULL)
        out->name = copy_string (arena, value.data, value.size);
      else if (value.number == MESSAGE_FIELD)
        status = parse_field (value.data, value.size, arena, &fields[field++]);
      else if (value.number == MESSAGE_NESTED)
        status = parse_message (value.data, value.size, depth + 1, arena, &nested[child++]);
    }
  if (status != VTR_OK)
    return status;
  if (out->name == NULL)
    out->name = "";
  out->fields = fields;
  out->n_fields = n_fields;
  out->nested = nested;
  out->n_nested = n_nested;
  return VTR_OK;
}

VtrStatus
vtr_pack_type_parse (const uint8_t *name,
                     size_t         name_size,
                     const uint8_t *descriptor,
                     size_t         size,
                     VtrArena      *arena,
                     VtrPackType   *out)
{
  VtrPackType type = { .name = copy_string (arena, name, name_size) };
  VtrStatus status;

  if (type.name == NULL)
    return VTR_NO_MEMORY;
  status = parse_message (descriptor, size, 0, arena, &type);
  if (status == VTR_OK)
    *out = type;
  return status;
}

const VtrPackField *
vtr_pack_type_find (const VtrPackType *self,
                    const char        *name)
{
  for (uint32_t i = 0; i < self->n_fields; i++)
    if (strcmp (self->fields[i].name, name) == 0)
      return &self->fields[i];
  return NULL;
}
