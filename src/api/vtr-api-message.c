/* Reads command messages in protobuf's wire format, also from untrusted files. */
#include "api/vtr-api-slot-private.h"
#include "api/vtr-api-walk.h"
#include "base/vtr-varint.h"

typedef struct
{
  uint32_t field;
  uint64_t value;       /* of varint, fixed32 and fixed64 */
  const uint8_t *bytes; /* of length-delimited ones, else NULL */
  size_t size;
} WireField;

static inline VtrStatus
read_fixed (const uint8_t **at,
            const uint8_t  *end,
            unsigned        size,
            uint64_t       *out)
{
  if ((size_t)(end - *at) < size)
    return VTR_TRUNCATED;
  *out = vtr_slot_load (*at, size);
  *at += size;
  return VTR_OK;
}

static VtrStatus
read_bytes (const uint8_t **at,
            const uint8_t  *end,
            WireField      *out)
{
  uint64_t size;
  VtrStatus status = vtr_varint_read (at, end, &size);

  if (status != VTR_OK)
    return status;
  if (size > (uint64_t)(end - *at))
    return VTR_TRUNCATED;
  out->bytes = *at;
  out->size = (size_t)size;
  *at += size;
  return VTR_OK;
}

static inline VtrStatus
read_field (const uint8_t **at,
            const uint8_t  *end,
            WireField      *out)
{
  uint64_t tag;

  /* Nearly all tags are of one byte. */
  if (*at < end && **at < 0x80)
    tag = *(*at)++;
  else
    {
      VtrStatus status = vtr_varint_read (at, end, &tag);

      if (status != VTR_OK)
        return status;
    }
  if (tag >> 3 == 0 || tag >> 3 > UINT32_MAX)
    return VTR_CORRUPT;
  out->field = (uint32_t)(tag >> 3);
  out->bytes = NULL;
  out->size = 0;
  out->value = 0;
  switch (tag & 7)
    {
    case 0:
      return vtr_varint_read (at, end, &out->value);
    case 1:
      return read_fixed (at, end, 8, &out->value);
    case 2:
      return read_bytes (at, end, out);
    case 5:
      return read_fixed (at, end, 4, &out->value);
    default:
      return VTR_CORRUPT;
    }
}

static VtrStatus
read_observation (const WireField        *message,
                  const VtrDecodeOptions *options,
                  VtrObservation         *out)
{
  const uint8_t *at = message->bytes, *end = at + message->size;
  VtrObservation result = { .write = message->field == VTR_COMMAND_WRITES };
  uint64_t size = 0;
  WireField field;

  while (at < end)
    {
      VtrStatus status = read_field (&at, end, &field);

      if (status != VTR_OK)
        return status;
      if (field.field == VTR_OBSERVATION_BASE)
        result.base = field.value;
      else if (field.field == VTR_OBSERVATION_RESOURCE)
        result.resource = field.value;
      else if (field.field == VTR_OBSERVATION_SIZE)
        size = field.value;
      else if (field.field == VTR_OBSERVATION_DATA && field.bytes != NULL)
        {
          result.data = field.bytes;
          result.size = field.size;
        }
    }
  if (result.resource != 0)
    {
      size_t available = 0;

      result.data = NULL;
      result.size = size;
      if (options != NULL && options->resolve != NULL &&
          options->resolve (options->resolve_data, result.resource, &result.data, &available) &&
          (size == 0 || available <= size))
        result.size = available;
      else if (available < size)
        result.data = NULL;
    }
  *out = result;
  return VTR_OK;
}

static VtrStatus
read_extra (const WireField *message,
            VtrCommandExtra *out)
{
  const uint8_t *at = message->bytes, *end = at + message->size;
  VtrCommandExtra result = { 0 };
  WireField field;

  while (at < end)
    {
      VtrStatus status = read_field (&at, end, &field);

      if (status != VTR_OK)
        return status;
      if (field.field == 1 && field.bytes != NULL)
        {
          result.type = field.bytes;
          result.type_size = field.size;
        }
      else if (field.field == 2 && field.bytes != NULL)
        {
          result.data = field.bytes;
          result.size = field.size;
        }
    }
  *out = result;
  return VTR_OK;
}

/* Index of the parameter in message field @number, or -1. @next: the one after the last, which it
 * mostly is. */
static inline int
param_of_field (VtrCmdId        cmd,
                const uint32_t *field_numbers,
                uint32_t        number,
                unsigned        next)
{
  unsigned n_params = vtr_cmd_get (cmd)->n_params;

  if (field_numbers != NULL && next < n_params && field_numbers[next] == number)
    return (int)next;
  if (field_numbers == NULL)
    {
      if (number < VTR_COMMAND_PARAMS || number - VTR_COMMAND_PARAMS >= n_params)
        return -1;
      return (int)(number - VTR_COMMAND_PARAMS);
    }
  for (unsigned i = 0; i < n_params; i++)
    if (field_numbers[i] == number)
      return (int)i;
  return -1;
}

typedef struct
{
  uint64_t *params;
  unsigned next_param;
  uint64_t time;
  uint64_t result;
  uint32_t thread;
  uint32_t flags;
  bool has_result;
  VtrObservation *observations;
  size_t n_observations; /* in the message; as many as there is room for are stored */
  size_t max_observations;
  VtrCommandExtra *extras;
  size_t n_extras, max_extras;
} Message;

static VtrStatus
read_part (Message                *self,
           VtrCmdId                cmd,
           const VtrDecodeOptions *options,
           const uint32_t         *numbers,
           const WireField        *field)
{
  VtrStatus status = VTR_OK;
  int param;

  if (field->bytes != NULL && field->field == VTR_COMMAND_EXTRAS)
    {
      if (self->n_extras < self->max_extras)
        status = read_extra (field, &self->extras[self->n_extras]);
      self->n_extras++;
      return status;
    }
  if (field->bytes != NULL &&
      (field->field == VTR_COMMAND_READS || field->field == VTR_COMMAND_WRITES))
    {
      if (self->n_observations < self->max_observations)
        status = read_observation (field, options, &self->observations[self->n_observations]);
      self->n_observations++;
      return status;
    }
  if (field->bytes != NULL)
    return VTR_OK;
  switch (field->field)
    {
    case VTR_COMMAND_THREAD:
      self->thread = (uint32_t)field->value;
      return VTR_OK;
    case VTR_COMMAND_TIME:
      self->time = field->value;
      return VTR_OK;
    case VTR_COMMAND_FLAGS:
      self->flags = (uint32_t)field->value;
      return VTR_OK;
    case VTR_COMMAND_RESULT:
      self->result = field->value;
      self->has_result = true;
      return VTR_OK;
    default:
      param = param_of_field (cmd, numbers, field->field, self->next_param);
      if (param >= 0)
        {
          self->params[param] = field->value;
          self->next_param = (unsigned)param + 1;
        }
      return VTR_OK;
    }
}

/* Reads the next parameter if it has a fixed size and a tag of one byte, like most of a message.
 * Returns: false, without reading anything, for other fields. */
static inline bool
read_next_number (Message         *self,
                  VtrCmdId         cmd,
                  const uint32_t  *numbers,
                  const uint8_t  **at,
                  const uint8_t   *end)
{
  unsigned next = self->next_param;
  size_t left = (size_t)(end - *at);
  uint32_t tag = **at, number;

  if (next >= vtr_cmd_get (cmd)->n_params)
    return false;
  number = numbers != NULL ? numbers[next] : VTR_COMMAND_PARAMS + next;
  if (tag >= 0x80)
    return false;
  if (tag == (number << 3 | 5) && left >= 5)
    {
      self->params[next] = vtr_slot_load (*at + 1, 4);
      *at += 5;
    }
  else if (tag == (number << 3 | 1) && left >= 9)
    {
      self->params[next] = vtr_slot_load (*at + 1, 8);
      *at += 9;
    }
  else
    return false;
  self->next_param = next + 1;
  return true;
}

static VtrStatus
read_message (Message                *self,
              VtrCmdId                cmd,
              const void             *message,
              size_t                  size,
              const VtrDecodeOptions *options,
              const uint32_t         *numbers)
{
  const uint8_t *at = message, *end = at + size;
  WireField field;

  self->n_observations = 0;
  self->n_extras = 0;
  self->next_param = 0;
  while (at < end)
    {
      VtrStatus status;

      if (read_next_number (self, cmd, numbers, &at, end))
        continue;
      status = read_field (&at, end, &field);
      if (status == VTR_OK)
        status = read_part (self, cmd, options, numbers, &field);
      if (status != VTR_OK)
        return status;
    }
  if (vtr_cmd_get (cmd)->result == VTR_RESULT_STATUS)
    self->result = (uint64_t)(int64_t)(int32_t)self->result;
  return VTR_OK;
}

#define ROOM_OBSERVATIONS 8
#define ROOM_EXTRAS 2

/* Large enough for most messages. */
typedef struct
{
  VtrObservation observations[ROOM_OBSERVATIONS];
  VtrCommandExtra extras[ROOM_EXTRAS];
} Room;

/* Reads the whole message; a second time when it holds more than @room. Afterwards .extras is in
 * @arena, .observations there or in @room. */
static VtrStatus
read_whole_message (Message                *self,
                    VtrCmdId                cmd,
                    const void             *bytes,
                    size_t                  size,
                    const VtrDecodeOptions *options,
                    Room                   *room,
                    VtrArena               *arena)
{
  const uint32_t *numbers = options == NULL ? NULL : options->field_numbers;
  VtrStatus status;

  self->observations = room->observations;
  self->max_observations = ROOM_OBSERVATIONS;
  self->extras = room->extras;
  self->max_extras = ROOM_EXTRAS;
  status = read_message (self, cmd, bytes, size, options, numbers);
  if (status != VTR_OK)
    return status;
  if (self->n_observations <= self->max_observations && self->n_extras <= self->max_extras)
    {
      self->extras = NULL;
      if (self->n_extras == 0)
        return VTR_OK;
      self->extras =
        vtr_arena_memdup (arena, room->extras, self->n_extras * sizeof *self->extras);
      return self->extras != NULL ? VTR_OK : VTR_NO_MEMORY;
    }

  self->max_observations = self->n_observations;
  self->max_extras = self->n_extras;
  self->observations = vtr_arena_new_array (arena, self->max_observations, VtrObservation);
  self->extras = vtr_arena_new_array (arena, self->max_extras, VtrCommandExtra);
  if (self->observations == NULL || self->extras == NULL)
    return VTR_NO_MEMORY;
  return read_message (self, cmd, bytes, size, options, numbers);
}

/* A copy in which reads come before writes, whatever the order in the message. */
static VtrObservation *
reads_first (VtrArena             *arena,
             const VtrObservation *from,
             size_t                count)
{
  VtrObservation *to = vtr_arena_new_array (arena, count, VtrObservation);
  size_t n = 0;

  if (to == NULL)
    return NULL;
  for (unsigned write = 0; write < 2 && n < count; write++)
    for (size_t i = 0; i < count; i++)
      if (from[i].write == (write == 1))
        to[n++] = from[i];
  return to;
}

VtrStatus
vtr_api_decode (VtrCmdId                cmd,
                const void             *bytes,
                size_t                  size,
                const VtrDecodeOptions *options,
                VtrArena               *arena,
                VtrDecoded             *out)
{
  VtrAbi abi = options == NULL ? VTR_ABI_NATIVE : options->abi;
  VtrObservation *observations;
  Message message = { 0 };
  VtrStatus status;
  Room room;

  if (!vtr_cmd_is_known (cmd) && !vtr_cmd_is_foreign (cmd))
    return VTR_UNSUPPORTED;
  message.params = vtr_arena_new_array (arena, vtr_cmd_get (cmd)->n_params, uint64_t);
  if (message.params == NULL)
    return VTR_NO_MEMORY;
  status = read_whole_message (&message, cmd, bytes, size, options, &room, arena);
  if (status != VTR_OK)
    return status;
  observations = message.n_observations == 0
                   ? NULL
                   : reads_first (arena, message.observations, message.n_observations);
  if (observations == NULL && message.n_observations > 0)
    return VTR_NO_MEMORY;
  status = vtr_api_rebuild (cmd, abi, message.params, observations, message.n_observations, arena,
                            out);
  if (status != VTR_OK)
    return status;
  out->thread = message.thread;
  out->time = message.time;
  out->command_flags = message.flags;
  out->result = message.result;
  out->has_result = message.has_result;
  out->extras = message.extras;
  out->n_extras = message.n_extras;
  return VTR_OK;
}

VtrStatus
vtr_api_decode_scalars (VtrCmdId        cmd,
                        const void     *bytes,
                        size_t          size,
                        const uint32_t *field_numbers,
                        uint64_t       *params,
                        uint32_t       *thread,
                        uint32_t       *flags,
                        uint64_t       *result)
{
  Message message = { .params = params };
  VtrStatus status;

  if (!vtr_cmd_is_known (cmd))
    return VTR_UNSUPPORTED;
  memset (params, 0, vtr_cmd_get (cmd)->n_params * sizeof *params);
  status = read_message (&message, cmd, bytes, size, NULL, field_numbers);
  if (status != VTR_OK)
    return status;
  if (thread != NULL)
    *thread = message.thread;
  if (flags != NULL)
    *flags = message.flags;
  if (result != NULL)
    *result = message.result;
  return VTR_OK;
}
