/* Reads the handles of an encoded message without decoding it. */
#include "api/vtr-api-slot-private.h"
#include "api/vtr-api-walk.h"
#include "base/vtr-grow.h"
#include "base/vtr-varint.h"

#include <stdlib.h>

#define WIRE_FIXED64 1
#define WIRE_BYTES 2
#define WIRE_FIXED32 5

#define MOST_PLACES 12
#define MOST_ARRAYS 4

typedef enum
{
  PLACE_HANDLE,
  PLACE_ARRAY,   /* the address of handles */
  PLACE_POINTER, /* another address */
  PLACE_OBSTACLE /* the address of what holds handles in another way; null in a simple message */
} PlaceKind;

/* Where a message has the value of a parameter. */
typedef struct
{
  uint16_t offset;
  uint16_t type; /* VtrHandleId */
  uint8_t tag[2];
  uint8_t kind; /* PlaceKind */
} Place;

/* The fields of a command's messages that contain handles. */
typedef struct
{
  Place places[MOST_PLACES];
  uint16_t size; /* of what stands before the observations */
  uint8_t n_places;
  bool decode; /* handles of this command are not that simple */
} Plan;

/* Programs use few of all commands, and a table of plans would take pages. */
struct VtrHandleReader
{
  uint16_t nth[VTR_N_COMMANDS + 1]; /* of the plans, from 1; 0: not made yet */
  Plan *plans;
  size_t n_plans;
  size_t n_allocated;
};

VtrHandleReader *
vtr_handle_reader_new (void)
{
  return calloc (1, sizeof (VtrHandleReader));
}

void
vtr_handle_reader_free (VtrHandleReader *self)
{
  if (self != NULL)
    free (self->plans);
  free (self);
}

/* ---- Plans ---- */

/* Whether the driver always looks at the handles of @field, which are all in its slot or in an
 * array behind it. */
static bool
is_simple_handle (const VtrApiField *field)
{
  return field->live == 0 && field->pointers <= 1 && field->array == 1 &&
         (field->flags & VTR_FIELD_OUT) == 0 && vtr_handle_is_known (field->type);
}

static bool
may_hold_handles (const VtrApiField *field)
{
  return (field->flags & (VTR_FIELD_OBJECT | VTR_FIELD_SIZED)) != 0 ||
         ((field->kind == VTR_KIND_STRUCT || field->kind == VTR_KIND_UNION) &&
          (vtr_struct_get (field->type)->flags & VTR_STRUCT_PLAIN) == 0) ||
         (field->kind == VTR_KIND_HANDLE && !is_simple_handle (field));
}

/* Returns: whether messages can be asked about @field at all. @offset: of its tag. */
static bool
add_place (Plan              *self,
           const VtrApiField *field,
           uint32_t           tag,
           uint32_t           offset)
{
  const bool two = tag >= 0x80;
  Place place = { .offset = (uint16_t)offset,
                  .type = field->type,
                  .tag = { (uint8_t)(two ? tag | 0x80 : tag), (uint8_t)(two ? tag >> 7 : 0) } };

  if (may_hold_handles (field))
    {
      if (field->pointers == 0)
        return false;
      place.kind = PLACE_OBSTACLE;
    }
  else if (field->kind == VTR_KIND_HANDLE)
    place.kind = field->pointers > 0 ? PLACE_ARRAY : PLACE_HANDLE;
  else if (field->pointers > 0)
    place.kind = PLACE_POINTER;
  else
    return true;
  if (self->n_places == MOST_PLACES)
    return false;
  self->places[self->n_places++] = place;
  return true;
}

static void
make_plan (Plan     *self,
           VtrCmdId  cmd)
{
  const VtrApiCommand *command = vtr_cmd_get (cmd);
  const VtrApiField *fields = &vtr_api_fields[command->first_field];
  uint32_t offset = 1 + 4; /* the thread */
  bool ok = true;

  for (unsigned i = 0; i < command->n_params; i++)
    {
      const bool wide = fields[i].size[VTR_ABI_LP64] > 4;
      const uint32_t tag =
        (VTR_COMMAND_PARAMS + i) << 3 | (wide ? WIRE_FIXED64 : WIRE_FIXED32);

      /* The first one is the handle by which the call is dispatched. */
      if (i > 0 || command->dispatch == VTR_HANDLE_NONE)
        ok = ok && add_place (self, &fields[i], tag, offset);
      offset += (tag < 0x80 ? 1 : 2) + (wide ? 8 : 4);
    }
  self->size = (uint16_t)offset;
  self->decode = !ok || offset > UINT16_MAX;
}

/* Returns: NULL without memory. */
static const Plan *
find_plan (VtrHandleReader *self,
           VtrCmdId         cmd)
{
  if (self->nth[vtr_cmd_index (cmd)] == 0)
    {
      Plan *plans =
        vtr_grow (self->plans, &self->n_allocated, self->n_plans + 1, sizeof *plans);

      if (plans == NULL)
        return NULL;
      self->plans = plans;
      plans[self->n_plans] = (Plan){ 0 };
      make_plan (&plans[self->n_plans], cmd);
      self->nth[vtr_cmd_index (cmd)] = (uint16_t)++self->n_plans;
    }
  return &self->plans[self->nth[vtr_cmd_index (cmd)] - 1];
}

/* ---- Messages ---- */

typedef struct
{
  const uint8_t *bytes;
  size_t size;
  uint64_t address;
  VtrHandleId type;
} Array;

static bool
read_place (const Place   *self,
            const uint8_t *message,
            uint64_t      *out)
{
  const uint8_t *at = message + self->offset;
  const bool two = self->tag[0] >= 0x80;

  if (at[0] != self->tag[0] || (two && at[1] != self->tag[1]))
    return false;
  at += two ? 2 : 1;
  *out = (self->tag[0] & 7) == WIRE_FIXED64 ? vtr_slot_load (at, 8) : vtr_slot_load (at, 4);
  return true;
}

/* Finds the observation of an array. @at: behind the parameters, where reads come first. */
static bool
find_array (Array         *self,
            const uint8_t *at,
            const uint8_t *end)
{
  while (at < end && *at++ == (VTR_COMMAND_READS << 3 | WIRE_BYTES))
    {
      uint64_t length, size;
      const uint8_t *data;

      if (vtr_varint_read (&at, end, &length) != VTR_OK || length > (size_t)(end - at) ||
          length < 1 + 8 + 1 || at[0] != (VTR_OBSERVATION_BASE << 3 | WIRE_FIXED64))
        return false;
      if (vtr_slot_load (at + 1, 8) != self->address)
        {
          at += length;
          continue;
        }
      data = at + 1 + 8;
      end = at + length;
      if (*data++ != (VTR_OBSERVATION_DATA << 3 | WIRE_BYTES) ||
          vtr_varint_read (&data, end, &size) != VTR_OK || size != (size_t)(end - data))
        return false;
      self->bytes = data;
      self->size = (size_t)size;
      return true;
    }
  return false;
}

/* Whether some other parameter has the address of the array at @nth, so that what was read there
 * may be longer than the array. */
static bool
is_shared (const Plan     *plan,
           const uint64_t *values,
           unsigned        nth)
{
  for (unsigned i = 0; i < plan->n_places; i++)
    if (i != nth && plan->places[i].kind != PLACE_HANDLE && values[i] == values[nth])
      return true;
  return false;
}

static void
pass_array (const Array   *self,
            VtrHandleSink  sink,
            void          *data)
{
  const VtrApiHandle *kind = vtr_handle_get (self->type);
  const unsigned size = kind->size != 0 ? kind->size : sizeof (void *);

  for (size_t at = 0; at + size <= self->size; at += size)
    sink (data, self->type, vtr_slot_load (self->bytes + at, size));
}

/* Nothing is passed before it is certain that everything can be. */
static bool
read_message (const Plan    *plan,
              const uint8_t *message,
              size_t         size,
              VtrHandleSink  sink,
              void          *data)
{
  uint64_t values[MOST_PLACES];
  Array arrays[MOST_ARRAYS];
  unsigned n_arrays = 0;

  if (size < plan->size || message[0] != (VTR_COMMAND_THREAD << 3 | WIRE_FIXED32))
    return false;
  for (unsigned i = 0; i < plan->n_places; i++)
    if (!read_place (&plan->places[i], message, &values[i]) ||
        (plan->places[i].kind == PLACE_OBSTACLE && values[i] != 0))
      return false;
  for (unsigned i = 0; i < plan->n_places; i++)
    {
      Array *array = &arrays[n_arrays];

      if (plan->places[i].kind != PLACE_ARRAY || values[i] == 0)
        continue;
      if (n_arrays == MOST_ARRAYS || is_shared (plan, values, i))
        return false;
      *array = (Array){ .address = values[i], .type = plan->places[i].type };
      if (!find_array (array, message + plan->size, message + size))
        return false;
      n_arrays++;
    }
  for (unsigned i = 0; i < plan->n_places; i++)
    if (plan->places[i].kind == PLACE_HANDLE)
      sink (data, plan->places[i].type, values[i]);
  for (unsigned i = 0; i < n_arrays; i++)
    pass_array (&arrays[i], sink, data);
  return true;
}

bool
vtr_handle_reader_read (VtrHandleReader *self,
                        VtrCmdId         cmd,
                        const void      *message,
                        size_t           size,
                        VtrHandleSink    sink,
                        void            *data)
{
  const Plan *plan = vtr_cmd_is_known (cmd) ? find_plan (self, cmd) : NULL;

  return plan != NULL && !plan->decode && read_message (plan, message, size, sink, data);
}
