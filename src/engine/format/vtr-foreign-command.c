/* Reads and shows commands of APIs that this build lacks, by the definitions in their trace. */
#include "engine/format/vtr-foreign-command.h"

#include "api/vtr-api-print.h"
#include "wire/vtr-pack-field.h"

#include <math.h>
#include <string.h>

#define SHOWN_BYTES 16

/* ---- Reading ---- */

/* What all commands have, and no parameter. */
static gboolean
is_common (guint32 number)
{
  return number < VTR_COMMAND_PARAMS && number != VTR_COMMAND_RESULT;
}

/* Fields that a message does not have stay 0. */
static gboolean
read_values (const VtrPackType *type,
             const guint8      *message,
             gsize              size,
             VtrForeignField   *fields,
             gboolean          *has_result)
{
  const guint8 *at = message, *end = message + size;
  VtrForeignField *by_number[VTR_FOREIGN_FIELDS] = { NULL };
  VtrPackFieldValue value;
  VtrStatus status;

  for (guint i = 0; i < type->n_fields; i++)
    by_number[type->fields[i].number] = &fields[i];
  while ((status = vtr_pack_next_field (&at, end, &value)) == VTR_OK)
    {
      VtrForeignField *field = value.number < VTR_FOREIGN_FIELDS ? by_number[value.number] : NULL;

      if (field == NULL || is_common (value.number))
        continue;
      *has_result |= value.number == VTR_COMMAND_RESULT;
      field->value = value.value;
      field->data = value.data;
      field->size = value.size;
    }
  return status == VTR_CLOSED;
}

const VtrForeignCommand *
vtr_foreign_command_read (const VtrTraceType *type,
                          const guint8       *message,
                          gsize               size,
                          const guint64      *returned,
                          VtrArena           *arena)
{
  VtrForeignCommand *self = vtr_arena_new (arena, VtrForeignCommand);
  VtrForeignField *all = vtr_arena_new_array (arena, type->type.n_fields + 1, VtrForeignField);
  VtrForeignField *shown = vtr_arena_new_array (arena, type->type.n_fields + 1, VtrForeignField);
  gboolean has_result = FALSE;

  if (self == NULL || all == NULL || shown == NULL)
    return NULL;
  for (guint i = 0; i < type->type.n_fields; i++)
    {
      all[i].name = type->type.fields[i].name;
      all[i].type = (VtrPackFieldType)type->type.fields[i].type;
    }
  if (!read_values (&type->type, message, size, all, &has_result))
    return NULL;
  self->name = type->foreign_name;
  self->fields = shown;
  for (guint i = 0; i < type->type.n_fields; i++)
    if (type->type.fields[i].number == VTR_COMMAND_RESULT)
      {
        if (returned != NULL)
          all[i].value = *returned;
        self->result = has_result || returned != NULL ? &all[i] : NULL;
      }
    else if (!is_common (type->type.fields[i].number))
      shown[self->n_fields++] = all[i];
  return self;
}

/* ---- Showing ---- */

static void
append (VtrBuffer  *to,
        const char *text)
{
  vtr_buffer_append (to, text, strlen (text));
}

/* A number as text. Returns: whether JSON has it as a number, not as a string. */
static gboolean
format_number (const VtrForeignField *self,
               char                   text[G_ASCII_DTOSTR_BUF_SIZE])
{
  const gsize size = G_ASCII_DTOSTR_BUF_SIZE;
  const guint32 narrow = (guint32)self->value;
  const gint64 zigzag = (gint64)(self->value >> 1) ^ -(gint64)(self->value & 1);
  double number;
  float small;

  switch (self->type)
    {
    case VTR_PACK_FLOAT:
      memcpy (&small, &narrow, sizeof small);
      g_ascii_formatd (text, (gint)size, "%.9g", (double)small);
      return isfinite (small);
    case VTR_PACK_DOUBLE:
      memcpy (&number, &self->value, sizeof number);
      g_ascii_dtostr (text, (gint)size, number);
      return isfinite (number);
    case VTR_PACK_FIXED64: /* most are addresses */
      g_snprintf (text, size, "0x%" G_GINT64_MODIFIER "x", self->value);
      return FALSE;
    case VTR_PACK_INT32:
    case VTR_PACK_SFIXED32:
    case VTR_PACK_ENUM:
      g_snprintf (text, size, "%d", (gint32)narrow);
      return TRUE;
    case VTR_PACK_INT64:
    case VTR_PACK_SFIXED64:
      g_snprintf (text, size, "%" G_GINT64_FORMAT, (gint64)self->value);
      return FALSE;
    case VTR_PACK_SINT32:
    case VTR_PACK_SINT64:
      g_snprintf (text, size, "%" G_GINT64_FORMAT, zigzag);
      return FALSE;
    case VTR_PACK_BOOL:
      g_strlcpy (text, self->value != 0 ? "true" : "false", size);
      return TRUE;
    case VTR_PACK_UINT64:
    case VTR_PACK_FIXED32:
    case VTR_PACK_UINT32:
    case VTR_PACK_STRING:
    case VTR_PACK_MESSAGE:
    case VTR_PACK_BYTES:
    default:
      g_snprintf (text, size, "%" G_GUINT64_FORMAT, self->value);
      return self->value <= G_MAXUINT32;
    }
}

static gboolean
is_bytes (const VtrForeignField *self)
{
  return self->type == VTR_PACK_BYTES || self->type == VTR_PACK_MESSAGE || self->data != NULL;
}

void
vtr_foreign_field_json (const VtrForeignField *self,
                        VtrBuffer             *to)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  g_autofree char *coded = NULL;
  gboolean plain;

  if (self->type == VTR_PACK_STRING)
    {
      vtr_json_append_string (to, (const char *)self->data, self->size);
      return;
    }
  if (is_bytes (self))
    {
      g_autofree char *head = g_strdup_printf ("{\"size\":%" G_GSIZE_FORMAT ",\"base64\":\"",
                                               self->size);

      coded = g_base64_encode (self->data, self->size);
      append (to, head);
      append (to, coded);
      append (to, "\"}");
      return;
    }
  plain = format_number (self, text);
  append (to, plain ? "" : "\"");
  append (to, text);
  append (to, plain ? "" : "\"");
}

void
vtr_foreign_field_text (const VtrForeignField *self,
                        VtrBuffer             *to)
{
  char text[MAX (G_ASCII_DTOSTR_BUF_SIZE, 64)];

  if (self->type == VTR_PACK_STRING)
    {
      vtr_json_append_string (to, (const char *)self->data, self->size);
      return;
    }
  if (!is_bytes (self))
    {
      (void)format_number (self, text);
      append (to, text);
      return;
    }
  g_snprintf (text, sizeof text, "%" G_GSIZE_FORMAT " bytes:", self->size);
  append (to, text);
  for (gsize i = 0; i < MIN (self->size, SHOWN_BYTES); i++)
    {
      g_snprintf (text, sizeof text, " %02x", self->data[i]);
      append (to, text);
    }
  append (to, self->size > SHOWN_BYTES ? " …" : "");
}

/* ---- Commands of any API ---- */

void
vtr_command_json (const VtrCommand *self,
                  const VtrApiEnv  *env,
                  VtrBuffer        *to)
{
  const VtrForeignCommand *foreign = self->foreign;

  if (foreign == NULL)
    {
      vtr_api_json (self->id, self->args, self->decoded, env, to);
      return;
    }
  append (to, "{");
  for (gsize i = 0; i < foreign->n_fields; i++)
    {
      append (to, i == 0 ? "" : ",");
      vtr_json_append_string (to, foreign->fields[i].name, strlen (foreign->fields[i].name));
      append (to, ":");
      vtr_foreign_field_json (&foreign->fields[i], to);
    }
  append (to, "}");
}

void
vtr_command_json_result (const VtrCommand *self,
                         VtrBuffer        *to)
{
  if (self->foreign != NULL && self->foreign->result != NULL)
    vtr_foreign_field_json (self->foreign->result, to);
  else if (self->foreign == NULL && self->has_result)
    vtr_api_json_result (self->id, self->result, to);
  else
    append (to, "null");
}

void
vtr_command_print (const VtrCommand *self,
                   const VtrApiEnv  *env,
                   VtrBuffer        *to)
{
  const VtrForeignCommand *foreign = self->foreign;

  if (foreign == NULL)
    {
      vtr_api_print (self->id, self->args, self->decoded, env, to);
      return;
    }
  append (to, foreign->name);
  append (to, "(");
  for (gsize i = 0; i < foreign->n_fields; i++)
    {
      append (to, i == 0 ? "" : ", ");
      append (to, foreign->fields[i].name);
      append (to, "=");
      vtr_foreign_field_text (&foreign->fields[i], to);
    }
  append (to, ")");
  if (foreign->result != NULL)
    {
      append (to, " = ");
      vtr_foreign_field_text (foreign->result, to);
    }
}
