/* A look at the common fields of a command message. */
#include "engine/format/vtr-trace-message.h"

#include "api/vtr-api-walk.h"
#include "wire/vtr-pack-field.h"

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
      case VTR_COMMAND_FLAGS:
        facts.flags |= (guint32)field.value;
        break;
      default:
        break;
      }
  facts.damaged = status != VTR_CLOSED;
  return facts;
}
