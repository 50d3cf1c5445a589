/* Encodes command messages directly in protobuf's wire format. */
#include "api/vtr-api-slot-private.h"
#include "api/vtr-api-walk.h"
#include "base/vtr-varint.h"

#define WIRE_FIXED64 1
#define WIRE_BYTES 2
#define WIRE_FIXED32 5

/* Most that precedes the data of an observation. */
#define OBSERVATION_HEAD (2 * VTR_VARINT_MAX + 16)

#define TAG(field, wire) ((uint32_t)(field) << 3 | (wire))

/* Two bytes hold every tag of a command: no command has over 2000 parameters. */
static uint8_t *
put_tag (uint8_t  *to,
         uint32_t  tag)
{
  if (tag < 0x80)
    {
      *to++ = (uint8_t)tag;
      return to;
    }
  *to++ = (uint8_t)(tag | 0x80);
  *to++ = (uint8_t)(tag >> 7);
  return to;
}

static uint8_t *
put_fixed32 (uint8_t  *to,
             unsigned  field,
             uint32_t  value)
{
  to = put_tag (to, TAG (field, WIRE_FIXED32));
  memcpy (to, &value, sizeof value);
  return to + sizeof value;
}

static uint8_t *
put_fixed64 (uint8_t  *to,
             unsigned  field,
             uint64_t  value)
{
  to = put_tag (to, TAG (field, WIRE_FIXED64));
  memcpy (to, &value, sizeof value);
  return to + sizeof value;
}

void
vtr_api_encode_observation_at (VtrBuffer       *to,
                               VtrCommandField  field,
                               uint64_t         base,
                               const void      *data,
                               size_t           size)
{
  size_t body = 1 + sizeof base + 1 + vtr_varint_size (size) + size;
  uint8_t *start, *at;

  if (body < size || OBSERVATION_HEAD > SIZE_MAX - size)
    {
      to->failed = true;
      return;
    }
  if (!vtr_buffer_reserve (to, OBSERVATION_HEAD + size))
    return;
  start = to->data + to->size;
  at = put_tag (start, TAG (field, WIRE_BYTES));
  at += vtr_varint_write (at, body);
  at = put_fixed64 (at, VTR_OBSERVATION_BASE, base);
  at = put_tag (at, TAG (VTR_OBSERVATION_DATA, WIRE_BYTES));
  at += vtr_varint_write (at, size);
  memcpy (at, data, size);
  to->size += (size_t)(at - start) + size;
}

void
vtr_api_encode_observation (VtrBuffer       *to,
                            VtrCommandField  field,
                            const void      *base,
                            size_t           size)
{
  vtr_api_encode_observation_at (to, field, (uint64_t)(uintptr_t)base, base, size);
}

void
vtr_api_encode_extra (VtrBuffer  *to,
                      const char *type,
                      const void *data,
                      size_t      size)
{
  size_t type_size = strlen (type);

  vtr_buffer_append_u8 (to, TAG (VTR_COMMAND_EXTRAS, WIRE_BYTES));
  vtr_buffer_append_varint (to, 1 + vtr_varint_size (type_size) + type_size + 1 +
                                  vtr_varint_size (size) + size);
  vtr_buffer_append_u8 (to, TAG (1, WIRE_BYTES));
  vtr_buffer_append_varint (to, type_size);
  vtr_buffer_append (to, type, type_size);
  vtr_buffer_append_u8 (to, TAG (2, WIRE_BYTES));
  vtr_buffer_append_varint (to, size);
  vtr_buffer_append (to, data, size);
}

static void
read_sink (void       *data,
           const void *base,
           size_t      size)
{
  vtr_api_encode_observation (data, VTR_COMMAND_READS, base, size);
}

static void
write_sink (void       *data,
            const void *base,
            size_t      size)
{
  vtr_api_encode_observation (data, VTR_COMMAND_WRITES, base, size);
}

static uint32_t
message_flags (unsigned observed)
{
  return ((observed & VTR_OBSERVE_OPAQUE_NEXT) != 0 ? VTR_COMMAND_FLAG_OPAQUE_NEXT : 0) |
         ((observed & VTR_OBSERVE_TOO_DEEP) != 0 ? VTR_COMMAND_FLAG_TOO_DEEP : 0) |
         ((observed & VTR_OBSERVE_UNREADABLE) != 0 ? VTR_COMMAND_FLAG_UNREADABLE : 0);
}

uint32_t
vtr_api_encode_begin (VtrBuffer       *to,
                      VtrCmdId         cmd,
                      const void      *args,
                      uint32_t         thread,
                      uint64_t         time,
                      const VtrApiEnv *env)
{
  const VtrApiCommand *command = vtr_cmd_get (cmd);
  const VtrApiField *field = &vtr_api_fields[command->first_field];
  size_t start = to->size;
  uint8_t *first, *at;

  first = vtr_buffer_extend (to, 5 + 9 + (size_t)command->n_params * 10);
  if (first == NULL)
    return 0;
  at = put_fixed32 (first, VTR_COMMAND_THREAD, thread);
  if (__builtin_expect (thread == 0, 0))
    at = first;
  if (time != 0)
    at = put_fixed64 (at, VTR_COMMAND_TIME, time);
  for (unsigned i = 0; i < command->n_params; i++, field++)
    {
      const uint8_t *slot = (const uint8_t *)args + field->offset[VTR_ABI_NATIVE];
      uint64_t value = vtr_slot_load (slot, field->size[VTR_ABI_NATIVE]);

      if (sizeof (void *) < 8 && field->kind == VTR_KIND_SSIZE && field->pointers == 0)
        value = (uint64_t)(int64_t)(int32_t)value;
      /* Wide where any ABI is wide, so that one descriptor serves all. */
      if (field->size[VTR_ABI_LP64] > 4)
        at = put_fixed64 (at, VTR_COMMAND_PARAMS + i, value);
      else
        at = put_fixed32 (at, VTR_COMMAND_PARAMS + i, (uint32_t)value);
    }
  to->size = start + (size_t)(at - first);
  return message_flags (vtr_api_observe (cmd, args, VTR_PHASE_BEFORE, 0, env, read_sink, to));
}

void
vtr_api_encode_end (VtrBuffer       *to,
                    VtrCmdId         cmd,
                    const void      *args,
                    uint64_t         result,
                    uint32_t         flags,
                    const VtrApiEnv *env)
{
  const VtrApiCommand *command = vtr_cmd_get (cmd);
  uint8_t tail[9 + 5];
  uint8_t *at = tail;

  flags |= message_flags (vtr_api_observe (cmd, args, VTR_PHASE_AFTER, (int64_t)result, env,
                                           write_sink, to));
  switch ((VtrApiResultKind)command->result)
    {
    case VTR_RESULT_VOID:
      break;
    case VTR_RESULT_STATUS:
    case VTR_RESULT_BOOL32:
    case VTR_RESULT_U32:
    case VTR_RESULT_I32:
    case VTR_RESULT_F32:
    case VTR_RESULT_ENUM:
      at = put_fixed32 (at, VTR_COMMAND_RESULT, (uint32_t)result);
      break;
    case VTR_RESULT_STRING:
      if (result != 0)
        write_sink (to, (const void *)(uintptr_t)result,
                    strlen ((const char *)(uintptr_t)result) + 1);
      at = put_fixed64 (at, VTR_COMMAND_RESULT, result);
      break;
    case VTR_RESULT_U64:
    case VTR_RESULT_FUNCTION:
    case VTR_RESULT_ADDRESS:
      at = put_fixed64 (at, VTR_COMMAND_RESULT, result);
      break;
    }
  if (flags != 0)
    at = put_fixed32 (at, VTR_COMMAND_FLAGS, flags);
  vtr_buffer_append (to, tail, (size_t)(at - tail));
}

void
vtr_api_encode (VtrBuffer       *to,
                VtrCmdId         cmd,
                const void      *args,
                uint64_t         result,
                uint32_t         thread,
                uint64_t         time,
                uint32_t         flags,
                const VtrApiEnv *env)
{
  flags |= vtr_api_encode_begin (to, cmd, args, thread, time, env);
  vtr_api_encode_end (to, cmd, args, result, flags, env);
}

static void
measure_sink (void       *data,
              const void *base,
              size_t      size)
{
  size_t *total = data;

  if (__builtin_add_overflow (*total, size, total) ||
      __builtin_add_overflow (*total, (size_t)OBSERVATION_HEAD, total))
    *total = SIZE_MAX;
}

size_t
vtr_api_measure (VtrCmdId         cmd,
                 const void      *args,
                 uint64_t         result,
                 const VtrApiEnv *env)
{
  /* Thread, time, result, flags and parameters. */
  size_t total = 5 + 9 + 9 + 5 + (size_t)vtr_cmd_get (cmd)->n_params * 10;

  vtr_api_observe (cmd, args, VTR_PHASE_BEFORE, 0, env, measure_sink, &total);
  vtr_api_observe (cmd, args, VTR_PHASE_AFTER, (int64_t)result, env, measure_sink, &total);
  if (vtr_cmd_get (cmd)->result == VTR_RESULT_STRING && result != 0)
    measure_sink (&total, NULL, strlen ((const char *)(uintptr_t)result) + 1);
  return total;
}
