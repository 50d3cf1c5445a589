/* Prints argument trees as JSON. */
#include "api/vtr-api-property-private.h"
#include "base/vtr-number.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_SAFE_INTEGER (INT64_C (1) << 53)
#define MAX_JSON_DEPTH 64

static void
append_text (VtrBuffer  *to,
             const char *text)
{
  vtr_buffer_append (to, text, strlen (text));
}

static void
append_hex (VtrBuffer *to,
            uint64_t   value)
{
  char text[24];

  snprintf (text, sizeof text, "\"0x%" PRIx64 "\"", value);
  append_text (to, text);
}

/* Bytes of the UTF-8 sequence at @at, 0 when there is no valid one. */
static size_t
utf8_length (const uint8_t *at,
             size_t         size)
{
  size_t length = at[0] < 0x80 ? 1 : at[0] >= 0xc2 && at[0] < 0xe0 ? 2
                                   : at[0] >= 0xe0 && at[0] < 0xf0 ? 3
                                   : at[0] >= 0xf0 && at[0] < 0xf5 ? 4
                                                                   : 0;

  if (length == 0 || length > size)
    return 0;
  for (size_t i = 1; i < length; i++)
    if ((at[i] & 0xc0) != 0x80)
      return 0;
  if ((at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xed && at[1] >= 0xa0) ||
      (at[0] == 0xf0 && at[1] < 0x90) || (at[0] == 0xf4 && at[1] >= 0x90))
    return 0;
  return length;
}

void
vtr_json_append_string (VtrBuffer  *to,
                        const char *text,
                        size_t      size)
{
  const uint8_t *at = (const uint8_t *)text, *end = at + size;

  vtr_buffer_append_u8 (to, '"');
  while (at < end)
    {
      size_t length = utf8_length (at, (size_t)(end - at));

      if (length == 0)
        {
          append_text (to, "\xef\xbf\xbd");
          at++;
          continue;
        }
      if (*at < 0x20 || *at == '"' || *at == '\\' || *at == 0x7f)
        {
          char escape[8];

          snprintf (escape, sizeof escape, "\\u%04x", *at);
          append_text (to, escape);
        }
      else
        vtr_buffer_append (to, at, length);
      at += length;
    }
  vtr_buffer_append_u8 (to, '"');
}

static void
append_base64 (VtrBuffer     *to,
               const uint8_t *bytes,
               size_t         size)
{
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

  for (size_t i = 0; i < size; i += 3)
    {
      size_t rest = size - i;
      uint32_t group = (uint32_t)bytes[i] << 16 | (rest > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
                       (rest > 2 ? bytes[i + 2] : 0);
      char text[4] = { digits[group >> 18], digits[group >> 12 & 63],
                       rest > 1 ? digits[group >> 6 & 63] : '=',
                       rest > 2 ? digits[group & 63] : '=' };

      vtr_buffer_append (to, text, sizeof text);
    }
}

static void
append_double (VtrBuffer *to,
               double     value,
               bool       is_float)
{
  char text[40];

  if (isnan (value) || isinf (value))
    {
      append_text (to, isnan (value) ? "\"NaN\"" : value > 0 ? "\"Infinity\""
                                                             : "\"-Infinity\"");
      return;
    }
  /* The shortest text that reads back as the same number. */
  for (int digits = is_float ? 6 : 15; digits <= (is_float ? 9 : 17); digits++)
    {
      snprintf (text, sizeof text, "%.*g", digits, value);
      if (is_float ? (float)strtod (text, NULL) == (float)value : strtod (text, NULL) == value)
        break;
    }
  vtr_number_put_dot (text);
  append_text (to, text);
}

static void
append_integer (VtrBuffer *to,
                uint64_t   value,
                bool       is_signed)
{
  char text[32];
  bool safe = is_signed ? (int64_t)value <= MAX_SAFE_INTEGER && (int64_t)value >= -MAX_SAFE_INTEGER
                        : value <= (uint64_t)MAX_SAFE_INTEGER;

  if (is_signed)
    snprintf (text, sizeof text, safe ? "%" PRId64 : "\"%" PRId64 "\"", (int64_t)value);
  else
    snprintf (text, sizeof text, safe ? "%" PRIu64 : "\"%" PRIu64 "\"", value);
  append_text (to, text);
}

static void
append_number (VtrBuffer         *to,
               const VtrProperty *self)
{
  uint32_t narrow = (uint32_t)self->value;
  double wide;
  float single;

  switch ((VtrApiKind)self->field->kind)
    {
    case VTR_KIND_F32:
      memcpy (&single, &narrow, sizeof single);
      append_double (to, (double)single, true);
      break;
    case VTR_KIND_F64:
      memcpy (&wide, &self->value, sizeof wide);
      append_double (to, wide, false);
      break;
    case VTR_KIND_I8:
    case VTR_KIND_I16:
    case VTR_KIND_I32:
    case VTR_KIND_I64:
    case VTR_KIND_SSIZE:
      append_integer (to, self->value, true);
      break;
    default:
      if ((self->field->flags & VTR_FIELD_HEX) != 0)
        append_hex (to, self->value);
      else
        append_integer (to, self->value, false);
      break;
    }
}

void
vtr_api_append_enum (VtrBuffer *to,
                     VtrEnumId  id,
                     bool       flags,
                     uint64_t   value)
{
  const char *name;
  char text[24];
  uint64_t rest = value;
  bool first = true;

  name = vtr_enum_value_name (id, (int64_t)value);
  if (name == NULL && !flags)
    name = vtr_enum_value_name (id, (int32_t)value);
  if (name != NULL)
    {
      append_text (to, name);
      return;
    }
  if (!flags)
    {
      snprintf (text, sizeof text, "%" PRId64, (int64_t)value);
      append_text (to, text);
      return;
    }
  for (unsigned bit = 0; bit < 64; bit++)
    if ((value & UINT64_C (1) << bit) != 0)
      {
        name = vtr_enum_value_name (id, (int64_t)(UINT64_C (1) << bit));
        if (name == NULL)
          continue;
        if (!first)
          vtr_buffer_append_u8 (to, '|');
        append_text (to, name);
        first = false;
        rest &= ~(UINT64_C (1) << bit);
      }
  if (rest != 0)
    {
      snprintf (text, sizeof text, "%s0x%" PRIx64, first ? "" : "|", rest);
      append_text (to, text);
    }
  else if (first)
    append_text (to, "0");
}

void
vtr_api_append_status (VtrBuffer *to,
                       VtrCmdId   cmd,
                       uint64_t   result)
{
  vtr_api_append_enum (to, vtr_api_of (cmd)->status_enum, false,
                       (uint64_t)(int64_t)(int32_t)result);
}

static void append_node (VtrBuffer             *to,
                         const VtrPropertyNode *self,
                         unsigned               depth);

static void
append_members (VtrBuffer             *to,
                const VtrPropertyNode *self,
                unsigned               depth)
{
  bool object = self->property.kind == VTR_PROPERTY_STRUCT;
  bool chained = self->property.kind == VTR_PROPERTY_CHAIN;

  vtr_buffer_append_u8 (to, object ? '{' : '[');
  for (uint64_t i = 0; i < self->property.n_children && !to->failed; i++)
    {
      VtrPropertyNode child;

      if (!vtr_property_init_child (&child, self, i))
        break;
      if (i > 0)
        vtr_buffer_append_u8 (to, ',');
      if (object)
        {
          vtr_json_append_string (to, child.property.name, strlen (child.property.name));
          vtr_buffer_append_u8 (to, ':');
        }
      if (chained && child.property.kind != VTR_PROPERTY_STRUCT)
        {
          append_text (to, "{\"sType\":");
          vtr_json_append_string (to, child.property.name + 6, strlen (child.property.name) - 6);
          append_text (to, ",\"unknown\":true}");
        }
      else
        append_node (to, &child, depth + 1);
    }
  vtr_buffer_append_u8 (to, object ? '}' : ']');
}

static void
append_bytes (VtrBuffer         *to,
              const VtrProperty *self)
{
  char text[40];

  snprintf (text, sizeof text, "{\"size\":%zu,\"base64\":\"", self->size);
  append_text (to, text);
  append_base64 (to, self->bytes, self->size);
  append_text (to, "\"}");
}

static void
append_node (VtrBuffer             *to,
             const VtrPropertyNode *self,
             unsigned               depth)
{
  const VtrProperty *property = &self->property;

  if (depth > MAX_JSON_DEPTH)
    {
      append_text (to, "null");
      return;
    }
  switch (property->kind)
    {
    case VTR_PROPERTY_NUMBER:
      append_number (to, property);
      break;
    case VTR_PROPERTY_BOOL:
      append_text (to, property->value != 0 ? "true" : "false");
      break;
    case VTR_PROPERTY_ENUM:
    case VTR_PROPERTY_FLAGS:
      vtr_buffer_append_u8 (to, '"');
      vtr_api_append_enum (to, property->type, property->kind == VTR_PROPERTY_FLAGS,
                           property->value);
      vtr_buffer_append_u8 (to, '"');
      break;
    case VTR_PROPERTY_HANDLE:
      append_hex (to, vtr_property_shown_handle (property));
      break;
    case VTR_PROPERTY_ADDRESS:
      append_text (to, "{\"address\":");
      append_hex (to, property->address);
      append_text (to, property->ignored ? ",\"ignored\":true}" : "}");
      break;
    case VTR_PROPERTY_NULL:
      append_text (to, "null");
      break;
    case VTR_PROPERTY_STRING:
      vtr_json_append_string (to, (const char *)property->bytes, property->size);
      break;
    case VTR_PROPERTY_BYTES:
      append_bytes (to, property);
      break;
    case VTR_PROPERTY_STRUCT:
    case VTR_PROPERTY_ARRAY:
    case VTR_PROPERTY_CHAIN:
      append_members (to, self, depth);
      break;
    }
}

void
vtr_property_json (const VtrProperty *self,
                   VtrBuffer         *to)
{
  append_node (to, (const VtrPropertyNode *)(const void *)self, 0);
}

void
vtr_api_json (VtrCmdId          cmd,
              const void       *args,
              const VtrDecoded *decoded,
              const VtrApiEnv  *env,
              VtrBuffer        *to)
{
  VtrPropertyRoot root = { cmd, decoded, env == NULL ? &vtr_env_of_decoded : env };
  VtrPropertyNode self;

  vtr_property_init_args (&self, &root, args);
  append_node (to, &self, 0);
}

static float
single_of (uint64_t bits)
{
  const uint32_t narrow = (uint32_t)bits;
  float value;

  memcpy (&value, &narrow, sizeof value);
  return value;
}

void
vtr_api_json_result (VtrCmdId   cmd,
                     uint64_t   result,
                     VtrBuffer *to)
{
  switch ((VtrApiResultKind)vtr_cmd_get (cmd)->result)
    {
    case VTR_RESULT_VOID:
      append_text (to, "null");
      break;
    case VTR_RESULT_STATUS:
      vtr_buffer_append_u8 (to, '"');
      vtr_api_append_status (to, cmd, result);
      vtr_buffer_append_u8 (to, '"');
      break;
    case VTR_RESULT_BOOL32:
      append_text (to, (uint32_t)result != 0 ? "true" : "false");
      break;
    case VTR_RESULT_U32:
      append_integer (to, (uint32_t)result, false);
      break;
    case VTR_RESULT_I32:
      append_integer (to, (uint64_t)(int64_t)(int32_t)result, true);
      break;
    case VTR_RESULT_F32:
      append_double (to, (double)single_of (result), true);
      break;
    case VTR_RESULT_ENUM:
      vtr_buffer_append_u8 (to, '"');
      vtr_api_append_enum (to, vtr_cmd_get (cmd)->result_type,
                           vtr_enum_is_known (vtr_cmd_get (cmd)->result_type) &&
                             vtr_enum_get (vtr_cmd_get (cmd)->result_type)->is_bitmask,
                           (uint32_t)result);
      vtr_buffer_append_u8 (to, '"');
      break;
    case VTR_RESULT_U64:
      append_integer (to, result, false);
      break;
    case VTR_RESULT_FUNCTION:
    case VTR_RESULT_ADDRESS:
    case VTR_RESULT_STRING:
      append_hex (to, result);
      break;
    }
}
