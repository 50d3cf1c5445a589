/* Reads the common fields of a command message without decoding the rest. */
#include "engine/format/vtr-trace-message.h"

#include "api/vtr-api-walk.h"
#include "wire/vtr-pack-field.h"

static gboolean
is_text (const VtrPackFieldValue *field,
         const char              *text)
{
  return field->size == strlen (text) && memcmp (field->data, text, field->size) == 0;
}

/* What the recorder, or the host, has added for readers of streams. */
static void
take_extra (VtrTraceFacts           *facts,
            const VtrPackFieldValue *extra)
{
  const guint8 *at = extra->data, *end = at + extra->size;
  VtrPackFieldValue field, type = { 0 }, data = { 0 };

  while (vtr_pack_next_field (&at, end, &field) == VTR_OK)
    if (field.number == 1 && field.wire == VTR_PACK_WIRE_BYTES)
      type = field;
    else if (field.number == 2 && field.wire == VTR_PACK_WIRE_BYTES)
      data = field;
  if (facts->ticket == 0 && data.size == sizeof facts->ticket &&
      is_text (&type, VTR_TRACE_TICKET_EXTRA))
    memcpy (&facts->ticket, data.data, sizeof facts->ticket);
  else if (data.size == sizeof facts->namespace && is_text (&type, VTR_EXTRA_NAMESPACE))
    memcpy (&facts->namespace, data.data, sizeof facts->namespace);
}

VtrTraceFacts
vtr_trace_survey (const guint8 *message,
                  gsize         size)
{
  const guint8 *at = message, *end = message + size;
  VtrTraceFacts facts = { 0 };
  VtrPackFieldValue field;
  VtrStatus status;

  while ((status = vtr_pack_next_field (&at, end, &field)) == VTR_OK)
    switch (field.number)
      {
      case VTR_COMMAND_THREAD:
        facts.thread = field.value;
        break;
      case VTR_COMMAND_READS:
      case VTR_COMMAND_WRITES:
        facts.n_observations++;
        break;
      case VTR_COMMAND_EXTRAS:
        if (field.wire == VTR_PACK_WIRE_BYTES)
          take_extra (&facts, &field);
        break;
      case VTR_COMMAND_FLAGS:
        facts.flags |= (guint32)field.value;
        break;
      default:
        break;
      }
  facts.damaged = status != VTR_CLOSED;
  return facts;
}
