/* Prints argument trees as text. */
#include "api/vtr-api-property-private.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#define SHOWN_ELEMENTS 4 /* of an array on one line */
#define SHOWN_BYTES 16
#define MAX_PRINT_DEPTH 64

__attribute__ ((format (printf, 2, 3))) static void
append_format (VtrBuffer *to,
               const char *format,
               ...)
{
  char text[256];
  va_list list;
  int n;

  va_start (list, format);
  n = vsnprintf (text, sizeof text, format, list);
  va_end (list);
  if (n > 0)
    vtr_buffer_append (to, text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}

static void
append_bytes (VtrBuffer         *to,
              const VtrProperty *self)
{
  size_t shown = self->size < SHOWN_BYTES ? self->size : SHOWN_BYTES;

  append_format (to, "%zu bytes:", self->size);
  for (size_t i = 0; i < shown; i++)
    append_format (to, " %02x", self->bytes[i]);
  if (shown < self->size)
    append_format (to, " …");
}

static void
append_array (VtrBuffer         *to,
              const VtrProperty *self)
{
  VtrPropertyNode child;

  for (uint64_t i = 0; i < self->n_children && i < SHOWN_ELEMENTS; i++)
    {
      if (!vtr_property_init_child (&child, (const VtrPropertyNode *)(const void *)self, i))
        break;
      if (child.property.n_children > 0)
        {
          append_format (to, "%s", i == 0 ? "[" : ", ");
          append_format (to, "{…}");
        }
      else
        {
          append_format (to, "%s", i == 0 ? "[" : ", ");
          vtr_property_text (&child.property, to);
        }
    }
  if (self->n_children > SHOWN_ELEMENTS)
    append_format (to, ", … %" PRIu64 " in all", self->n_children);
  append_format (to, "%s", self->n_children == 0 ? "[]" : "]");
}

/* Appends the name of a number that stands for something else. Returns: false where it has none. */
static bool
append_special (VtrBuffer         *to,
                const VtrProperty *self)
{
  const VtrApiModel *api = vtr_scope_api (self->scope);
  const char *member = vtr_api_string (self->field->name);
  const char *type = vtr_field_type_name (self->field);
  const uint32_t version = (uint32_t)self->value;

  for (size_t i = 0; i < api->n_specials; i++)
    {
      const VtrApiSpecial *special = &api->specials[i];

      if (strcmp (type, special->type) != 0 ||
          (special->member != NULL && strcmp (member, special->member) != 0))
        continue;
      if (special->text != NULL && self->value == special->value)
        append_format (to, "%s", special->text);
      else if (special->text == NULL && version != 0)
        append_format (to, "%u.%u.%u", version >> 22 & 0x7f, version >> 12 & 0x3ff,
                       version & 0xfff);
      else
        continue;
      return true;
    }
  return false;
}

/* The word for a truth of the API whose struct or command @scope is. */
static const char *
truth (const VtrScope *scope,
       uint64_t        value)
{
  return vtr_scope_api (scope)->words[value != 0 ? VTR_WORD_TRUE : VTR_WORD_FALSE];
}

void
vtr_property_text (const VtrProperty *self,
                   VtrBuffer         *to)
{
  size_t start = to->size;

  switch (self->kind)
    {
    case VTR_PROPERTY_NUMBER:
      if (append_special (to, self))
        break;
      vtr_property_json (self, to);
      /* JSON quotes what its numbers cannot hold. */
      if (to->size > start && to->data[start] == '"' && !to->failed)
        {
          memmove (to->data + start, to->data + start + 1, to->size - start - 2);
          to->size -= 2;
        }
      break;
    case VTR_PROPERTY_BOOL:
      append_format (to, "%s", truth (self->scope, self->value));
      break;
    case VTR_PROPERTY_ENUM:
    case VTR_PROPERTY_FLAGS:
      vtr_api_append_enum (to, self->type, self->kind == VTR_PROPERTY_FLAGS, self->value);
      break;
    case VTR_PROPERTY_HANDLE:
      if (self->value == 0 &&
          (!vtr_handle_is_known (self->type) || vtr_handle_is_null (self->type, 0)))
        append_format (to, "%s", vtr_scope_api (self->scope)->words[VTR_WORD_NULL]);
      else if (vtr_field_element_size (self->field, self->field->pointers, VTR_ABI_NATIVE) == 4 &&
               vtr_handle_is_known (self->type) && vtr_handle_get (self->type)->size == 4)
        append_format (to, "%" PRIu64, vtr_property_shown_handle (self));
      else
        append_format (to, "0x%" PRIx64, vtr_property_shown_handle (self));
      break;
    case VTR_PROPERTY_ADDRESS:
      append_format (to, "0x%" PRIx64 "%s", self->address, self->ignored ? " (ignored)" : "");
      break;
    case VTR_PROPERTY_NULL:
      append_format (to, "NULL");
      break;
    case VTR_PROPERTY_STRING:
      vtr_json_append_string (to, (const char *)self->bytes, self->size);
      break;
    case VTR_PROPERTY_BYTES:
      append_bytes (to, self);
      break;
    case VTR_PROPERTY_STRUCT:
      append_format (to, "{…}");
      break;
    case VTR_PROPERTY_ARRAY:
      append_array (to, self);
      break;
    case VTR_PROPERTY_CHAIN:
      append_format (to, "%" PRIu64 " structure%s", self->n_children,
                     self->n_children == 1 ? "" : "s");
      break;
    }
}

/* A result that JSON writes as people do, but for its quotation marks. */
static void
append_number (VtrBuffer *to,
               VtrCmdId   cmd,
               uint64_t   result)
{
  const size_t start = to->size;

  vtr_api_json_result (cmd, result, to);
  if (to->size > start + 1 && to->data[start] == '"' && !to->failed)
    {
      memmove (to->data + start, to->data + start + 1, to->size - start - 2);
      to->size -= 2;
    }
}

static void
append_result (VtrBuffer        *to,
               VtrCmdId          cmd,
               const VtrDecoded *decoded)
{
  const VtrApiCommand *command = vtr_cmd_get (cmd);
  const char *text;
  size_t size;

  if (decoded == NULL || !decoded->has_result || command->result == VTR_RESULT_VOID)
    return;
  append_format (to, " = ");
  switch ((VtrApiResultKind)command->result)
    {
    case VTR_RESULT_VOID:
      break;
    case VTR_RESULT_STATUS:
      vtr_api_append_status (to, cmd, decoded->result);
      break;
    case VTR_RESULT_BOOL32:
      append_format (
        to, "%s", vtr_api_of (cmd)->words[decoded->result != 0 ? VTR_WORD_TRUE : VTR_WORD_FALSE]);
      break;
    case VTR_RESULT_U32:
    case VTR_RESULT_I32:
    case VTR_RESULT_F32:
    case VTR_RESULT_ENUM:
      append_number (to, cmd, decoded->result);
      break;
    case VTR_RESULT_STRING:
      text = vtr_decoded_result_text (decoded, &size);
      if (text != NULL)
        {
          vtr_json_append_string (to, text, size);
          break;
        }
      append_format (to, "0x%" PRIx64, decoded->result);
      break;
    case VTR_RESULT_U64:
    case VTR_RESULT_FUNCTION:
    case VTR_RESULT_ADDRESS:
      append_format (to, "0x%" PRIx64, decoded->result);
      break;
    }
}

void
vtr_api_print (VtrCmdId          cmd,
               const void       *args,
               const VtrDecoded *decoded,
               const VtrApiEnv  *env,
               VtrBuffer        *to)
{
  VtrPropertyRoot root = { cmd, decoded, env == NULL ? &vtr_env_of_decoded : env };
  VtrPropertyNode self, child;

  vtr_property_init_args (&self, &root, args);
  append_format (to, "%s(", vtr_cmd_name (cmd));
  for (uint64_t i = 0; vtr_property_init_child (&child, &self, i); i++)
    {
      append_format (to, "%s%s=", i == 0 ? "" : ", ", child.property.name);
      vtr_property_text (&child.property, to);
    }
  append_format (to, ")");
  append_result (to, cmd, decoded);
}

static void
print_children (VtrBuffer             *to,
                const VtrPropertyNode *self,
                unsigned               depth)
{
  VtrPropertyNode child;

  if (depth > MAX_PRINT_DEPTH)
    return;
  for (uint64_t i = 0; vtr_property_init_child (&child, self, i) && !to->failed; i++)
    {
      append_format (to, "%*s%s = ", (int)depth * 2, "", child.property.name);
      if (child.property.kind == VTR_PROPERTY_STRUCT)
        append_format (to, "%s", child.property.type_name);
      else if (child.property.kind == VTR_PROPERTY_ARRAY)
        append_format (to, "%s[%" PRIu64 "]", child.property.type_name, child.property.n_children);
      else
        vtr_property_text (&child.property, to);
      append_format (to, "\n");
      print_children (to, &child, depth + 1);
    }
}

void
vtr_api_print_full (VtrCmdId          cmd,
                    const void       *args,
                    const VtrDecoded *decoded,
                    const VtrApiEnv  *env,
                    VtrBuffer        *to)
{
  VtrPropertyRoot root = { cmd, decoded, env == NULL ? &vtr_env_of_decoded : env };
  VtrPropertyNode self;

  vtr_property_init_args (&self, &root, args);
  append_format (to, "%s", vtr_cmd_name (cmd));
  append_result (to, cmd, decoded);
  append_format (to, "\n");
  print_children (to, &self, 1);
}
