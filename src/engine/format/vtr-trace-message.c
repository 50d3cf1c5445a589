/* A look at the common fields of a command message. */
#include "engine/format/vtr-trace-message.h"

#include "api/vtr-api-walk.h"
#include "wire/vtr-pack-field.h"

static guint64
read_ticket (const VtrPackFieldValue *extra)
{
  const guint8 *at = extra->data, *end = at + extra->size;
  gboolean named = FALSE;
  VtrPackFieldValue field;
  guint64 ticket = 0;

  while (vtr_pack_next_field (&at, end, &field) == VTR_OK)
    if (field.number == 1 && field.wire == VTR_PACK_WIRE_BYTES)
      named = field.size == strlen (VTR_TRACE_TICKET_EXTRA) &&
              memcmp (field.data, VTR_TRACE_TICKET_EXTRA, field.size) == 0;
    else if (field.number == 2 && field.wire == VTR_PACK_WIRE_BYTES && field.size == sizeof ticket)
      memcpy (&ticket, field.data, sizeof ticket);
  return named ? ticket : 0;
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
        if (facts.ticket == 0 && field.wire == VTR_PACK_WIRE_BYTES)
          facts.ticket = read_ticket (&field);
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
