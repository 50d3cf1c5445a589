/* Changes several numbers of a trace at once, because a single wrong number is caught by the first
 * check: chains that never end, addresses that wrap, bytes that overlap, objects that share a
 * handle, calls in an impossible order. */
#include "vtr-mutant-private.h"

#include "api/vtr-api-walk.h"

#include <string.h>

#define MAX_STRETCH 40
#define MAX_CHAIN 5000
#define SEARCHED 4096 /* bytes of an observation that are looked at for handles */

/* --- Observations ---------------------------------------------------------------------------- */

typedef struct
{
  guint64 base;
  GByteArray *data; /* (nullable): owned by its field */
  GArray *fields;
} Observation;

static gboolean
is_observation (const Field *field)
{
  return field->wire == VTR_PACK_WIRE_BYTES &&
         (field->number == VTR_COMMAND_READS || field->number == VTR_COMMAND_WRITES);
}

static Observation
open_observation (const Field *field)
{
  Observation self = { 0 };

  self.fields = vtr_mutant_split (field->bytes->data, field->bytes->len);
  for (guint i = 0; i < self.fields->len; i++)
    {
      const Field *part = &g_array_index (self.fields, Field, i);

      if (part->number == VTR_OBSERVATION_BASE)
        self.base = part->value;
      if (part->number == VTR_OBSERVATION_DATA && part->wire == VTR_PACK_WIRE_BYTES)
        self.data = part->bytes;
    }
  return self;
}

static void
close_observation (Observation *self,
                   Field       *field)
{
  Chunk whole = { .message = g_bytes_new (NULL, 0) };
  gsize size;
  const guint8 *data;

  for (guint i = 0; i < self->fields->len; i++)
    if (g_array_index (self->fields, Field, i).number == VTR_OBSERVATION_BASE)
      g_array_index (self->fields, Field, i).value = self->base;
  vtr_mutant_replace (&whole, self->fields);
  data = g_bytes_get_data (whole.message, &size);
  g_byte_array_set_size (field->bytes, 0);
  g_byte_array_append (field->bytes, data, (guint)size);
  g_bytes_unref (whole.message);
  g_array_unref (self->fields);
}

static Field *
choose_observation (Mutator *self,
                    GArray  *fields)
{
  guint n = 0, nth;

  for (guint i = 0; i < fields->len; i++)
    n += is_observation (&g_array_index (fields, Field, i));
  if (n == 0)
    return NULL;
  nth = vtr_mutant_below (self, n);
  for (guint i = 0; i < fields->len; i++)
    if (is_observation (&g_array_index (fields, Field, i)) && nth-- == 0)
      return &g_array_index (fields, Field, i);
  return NULL;
}

static void
append_observation (GArray       *fields,
                    guint64       base,
                    const guint8 *data,
                    gsize         size)
{
  VtrBuffer message = { 0 };
  Field field = { VTR_COMMAND_READS, VTR_PACK_WIRE_BYTES, 0, g_byte_array_new () };

  vtr_pack_append_fixed64 (&message, VTR_OBSERVATION_BASE, base);
  vtr_pack_append_bytes (&message, VTR_OBSERVATION_DATA, data, size);
  g_byte_array_append (field.bytes, message.data, (guint)message.size);
  vtr_buffer_finish (&message);
  g_array_append_val (fields, field);
}

/* --- Of one call ----------------------------------------------------------------------------- */

/* A structure's pNext leads to itself, to another one of the call, or to thousands. */
static void
chain (Mutator *self,
       GArray  *fields)
{
  Field *field = choose_observation (self, fields), *other = choose_observation (self, fields);
  Observation from, to;
  guint64 next, far = 0x10000;
  guint kind = vtr_mutant_below (self, 3);

  if (field == NULL)
    return;
  to = open_observation (other);
  next = to.base;
  g_array_unref (to.fields);
  from = open_observation (field);
  if (kind == 0)
    next = from.base;
  if (from.data == NULL || from.data->len < 16)
    {
      g_array_unref (from.fields);
      return;
    }
  if (kind == 2)
    next = far;
  memcpy (from.data->data + 8, &next, sizeof next);
  close_observation (&from, field);
  if (kind == 2)
    for (guint i = 0, n = vtr_mutant_below (self, MAX_CHAIN); i < n; i++)
      {
        guint64 structure[2] = { 1000000000 + vtr_mutant_below (self, 400) * 1000,
                                 i + 1 < n ? far + 16 * (i + 1) : far };

        append_observation (fields, far + 16 * i, (guint8 *)structure, sizeof structure);
      }
  g_string_append_printf (self->story, " chain of kind %u;", kind);
}

static void
replace_in (GByteArray *bytes,
            guint64     was,
            guint64     is,
            gsize       searched)
{
  for (gsize at = 0; at + 8 <= MIN (bytes->len, searched); at += 4)
    if (memcmp (bytes->data + at, &was, sizeof was) == 0)
      memcpy (bytes->data + at, &is, sizeof is);
}

static void
replace_value (GArray  *fields,
               guint64  was,
               guint64  is)
{
  for (guint i = 0; i < fields->len; i++)
    {
      Field *field = &g_array_index (fields, Field, i);

      if (field->wire == VTR_PACK_WIRE_FIXED64 && field->value == was)
        field->value = is;
      else if (is_observation (field))
        {
          Observation observation = open_observation (field);

          if (observation.base == was)
            observation.base = is;
          if (observation.data != NULL)
            replace_in (observation.data, was, is, SEARCHED);
          close_observation (&observation, field);
        }
    }
}

/* What lies at an address lies elsewhere, as all pointers to it say: at the very end of all
 * addresses, beyond it, at none, or in the middle of something else. */
static void
move (Mutator *self,
      GArray  *fields)
{
  Field *field = choose_observation (self, fields);
  Observation observation;
  guint64 was, to;
  guint size;

  if (field == NULL)
    return;
  observation = open_observation (field);
  was = observation.base;
  size = observation.data != NULL ? observation.data->len : 8;
  g_array_unref (observation.fields);
  switch (vtr_mutant_below (self, 6))
    {
    case 0:
      to = 0 - (guint64)size;
      break;
    case 1:
      to = 0 - (guint64)(size / 2 + 1);
      break;
    case 2:
      to = 0;
      break;
    case 3:
      to = was + 1 + vtr_mutant_below (self, 7);
      break;
    case 4:
      to = G_GUINT64_CONSTANT (1) << (31 + vtr_mutant_below (self, 33));
      break;
    default:
      to = vtr_mutant_pick_number (self) + vtr_mutant_below (self, 64);
      break;
    }
  replace_value (fields, was, to);
  g_string_append_printf (self->story,
                          " 0x%" G_GINT64_MODIFIER "x is at 0x%" G_GINT64_MODIFIER "x;",
                          was, to);
}

/* The same bytes are said to be something else as well. */
static void
overlap (Mutator *self,
         GArray  *fields)
{
  Field *field = choose_observation (self, fields);
  Observation observation;
  guint8 bytes[256];
  guint size = 1 + vtr_mutant_below (self, sizeof bytes);

  if (field == NULL)
    return;
  observation = open_observation (field);
  for (guint i = 0; i < size; i++)
    bytes[i] = (guint8)vtr_mutant_below (self, 256);
  append_observation (fields, observation.base + vtr_mutant_below (self, 64) - 16, bytes, size);
  g_array_unref (observation.fields);
  g_string_append_printf (self->story, " %u bytes over others;", size);
}

/* Strings end nowhere. */
static void
unterminate (Mutator *self,
             GArray  *fields)
{
  for (guint i = 0; i < fields->len; i++)
    {
      Field *field = &g_array_index (fields, Field, i);
      Observation observation;
      GByteArray *data;

      if (!is_observation (field))
        continue;
      observation = open_observation (field);
      data = observation.data;
      if (data != NULL && data->len > 2 && data->data[data->len - 1] == 0 &&
          g_ascii_isprint ((char)data->data[0]) && g_ascii_isprint ((char)data->data[1]))
        data->data[data->len - 1] = 0xff;
      close_observation (&observation, field);
    }
  g_string_append (self->story, " strings without ends;");
}

/* Something of another call of the kind: its object, its count, its bytes. */
static void
exchange (Mutator      *self,
          GArray       *fields,
          const GArray *chunks,
          const char   *name)
{
  const GArray *kind = g_hash_table_lookup (self->source->kinds_by_name, name);
  guint place;
  const Chunk *chunk;
  gsize size;
  const guint8 *data;
  g_autoptr (GArray) others = NULL;

  if (kind == NULL || fields->len == 0)
    return;
  place = g_array_index (kind, guint, vtr_mutant_below (self, kind->len));
  chunk = &g_array_index (chunks, Chunk, MIN (place, chunks->len - 1));
  data = g_bytes_get_data (chunk->message, &size);
  others = vtr_mutant_split (data, size);
  for (guint i = 0, at = vtr_mutant_below (self, fields->len); i < others->len; i++)
    {
      Field *to = &g_array_index (fields, Field, at), *from = &g_array_index (others, Field, i);

      if (to->number != from->number || to->wire != from->wire)
        continue;
      to->value = from->value;
      if (to->bytes != NULL)
        {
          g_byte_array_set_size (to->bytes, 0);
          g_byte_array_append (to->bytes, from->bytes->data, from->bytes->len);
        }
      g_string_append_printf (self->story, " field %u of another;", to->number);
      return;
    }
}

/* --- Of many calls --------------------------------------------------------------------------- */

/* From here on, whatever was one object is another. */
static void
confuse (Mutator *self,
         GArray  *chunks,
         guint    place)
{
  guint64 was = vtr_mutant_pick_number (self), is = vtr_mutant_pick_number (self);

  for (guint i = place; i < chunks->len; i++)
    {
      Chunk *chunk = &g_array_index (chunks, Chunk, i);
      g_autoptr (GArray) fields = NULL;
      gsize size;
      const guint8 *data = g_bytes_get_data (chunk->message, &size);

      if (!chunk->is_command || size == 0 || memmem (data, size, &was, sizeof was) == NULL)
        continue;
      fields = vtr_mutant_split (data, size);
      replace_value (fields, was, is);
      vtr_mutant_replace (chunk, fields);
    }
  g_string_append_printf (self->story,
                          "0x%" G_GINT64_MODIFIER "x is 0x%" G_GINT64_MODIFIER "x from %u on;", was,
                          is, place);
}

/* A stretch of calls in the reverse order, or in none. */
static void
shuffle (Mutator *self,
         GArray  *chunks,
         guint    place)
{
  guint n = 0, end = place + 2 + vtr_mutant_below (self, MAX_STRETCH);
  gboolean reverse = vtr_mutant_below (self, 2) == 0;

  end = MIN (end, chunks->len);
  while (place + n < end && vtr_mutant_is_movable (&g_array_index (chunks, Chunk, place + n)))
    n++;
  for (guint i = 0; i < (reverse ? n / 2 : n); i++)
    {
      guint other = reverse ? n - 1 - i : vtr_mutant_below (self, n);
      Chunk chunk = g_array_index (chunks, Chunk, place + i);

      g_array_index (chunks, Chunk, place + i) = g_array_index (chunks, Chunk, place + other);
      g_array_index (chunks, Chunk, place + other) = chunk;
    }
  g_string_append_printf (self->story, "%u calls from %u %s;", n, place,
                          reverse ? "backwards" : "in disorder");
}

/* Whatever is destroyed, freed or reset somewhere is so here. */
static void
destroy_early (Mutator *self,
               GArray  *chunks,
               guint    place)
{
  guint from = vtr_mutant_below (self, chunks->len);

  for (guint i = 0; i < chunks->len; i++)
    {
      const Chunk *chunk = &g_array_index (chunks, Chunk, (from + i) % chunks->len);

      if (chunk->is_command && vtr_mutant_is_movable (chunk) &&
          (strstr (chunk->name, "vkDestroy") != NULL || strstr (chunk->name, "vkFree") != NULL ||
           strstr (chunk->name, "vkReset") != NULL))
        {
          Chunk copy = vtr_mutant_copy (chunk);

          g_string_append_printf (self->story, "%s at %u;", copy.name, place);
          g_array_insert_val (chunks, place, copy);
          return;
        }
    }
}

/* A stretch is left out, or everything that follows. */
static void
leave_out (Mutator *self,
           GArray  *chunks,
           guint    place)
{
  guint n = vtr_mutant_below (self, 4) == 0 ? G_MAXUINT : 1 + vtr_mutant_below (self, MAX_STRETCH);
  guint left = 0;

  while (n-- > 0 && place < chunks->len)
    if (vtr_mutant_is_movable (&g_array_index (chunks, Chunk, place)))
      {
        g_array_remove_index (chunks, place);
        left++;
      }
    else
      place++;
  g_string_append_printf (self->story, "%u objects are left out;", left);
}

/* What the file says of the fields of its own messages. */
static void
redefine (Mutator *self,
          GArray  *chunks)
{
  guint from = vtr_mutant_below (self, chunks->len);

  for (guint i = 0; i < chunks->len; i++)
    {
      Chunk *chunk = &g_array_index (chunks, Chunk, (from + i) % chunks->len);
      g_autofree guint8 *data = NULL;
      gsize size;

      if (chunk->kind != VTR_PACK_TYPE || g_bytes_get_size (chunk->message) == 0)
        continue;
      data = g_memdup2 (g_bytes_get_data (chunk->message, &size),
                        g_bytes_get_size (chunk->message));
      size = g_bytes_get_size (chunk->message);
      for (guint n = 1 + vtr_mutant_below (self, 3); n > 0; n--)
        data[vtr_mutant_below (self, (guint)size)] = (guint8)vtr_mutant_below (self, 256);
      g_bytes_unref (chunk->message);
      chunk->message = g_bytes_new (data, size);
      g_string_append_printf (self->story, "%s is defined otherwise;", chunk->name);
      return;
    }
}

/* --- All ------------------------------------------------------------------------------------- */

static void
act_on_call (Mutator *self,
             GArray  *chunks,
             guint    place,
             guint    act)
{
  Chunk *chunk = &g_array_index (chunks, Chunk, place);
  gsize size;
  const guint8 *data = g_bytes_get_data (chunk->message, &size);
  g_autoptr (GArray) fields = vtr_mutant_split (data, size);

  g_string_append_printf (self->story, "%s:", chunk->name);
  if (act < 2)
    chain (self, fields);
  else if (act < 4)
    move (self, fields);
  else if (act < 6)
    overlap (self, fields);
  else if (act < 8)
    exchange (self, fields, chunks, chunk->name);
  else
    unterminate (self, fields);
  vtr_mutant_replace (chunk, fields);
}

void
vtr_mutant_act (Mutator *self,
                GArray  *chunks,
                guint    place)
{
  guint act = vtr_mutant_below (self, 18);

  if (act < 9)
    act_on_call (self, chunks, place, act);
  else if (act < 12)
    confuse (self, chunks, place);
  else if (act < 14)
    shuffle (self, chunks, place);
  else if (act < 16)
    destroy_early (self, chunks, place);
  else if (act < 17)
    leave_out (self, chunks, place);
  else
    redefine (self, chunks);
}
