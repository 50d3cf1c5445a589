/* Finds equal contents by their XXH3-128 hash, so that each is stored once. */
#include "engine/format/vtr-trace-resources.h"

#include "api/vtr-api-walk.h"
#include "engine/format/vtr-trace-layout.h"
#include "engine/format/vtr-trace-types.h"
#include "wire/vtr-pack-field.h"
#include "wire/vtr-pack.h"

#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>

typedef struct
{
  XXH128_hash_t hash;
  guint64 size;
  guint64 number;
} VtrResourceKey;

static guint
hash_key (gconstpointer data)
{
  return (guint)((const VtrResourceKey *)data)->hash.low64;
}

static gboolean
equal_keys (gconstpointer a,
            gconstpointer b)
{
  const VtrResourceKey *left = a, *right = b;

  return left->size == right->size && XXH128_isEqual (left->hash, right->hash);
}

void
vtr_trace_resources_init (VtrTraceResources *self)
{
  memset (self, 0, sizeof *self);
  self->known = g_hash_table_new_full (hash_key, equal_keys, g_free, NULL);
  self->first_raw = 1;
}

void
vtr_trace_resources_clear (VtrTraceResources *self)
{
  g_clear_pointer (&self->known, g_hash_table_unref);
  vtr_buffer_finish (&self->raw);
}

/* Returns: the number of the resource with this content; a new one is appended to .raw. */
static guint64
add (VtrTraceResources *self,
     const guint8      *data,
     gsize              size)
{
  VtrResourceKey key = { .hash = XXH3_128bits (data, size), .size = size };
  VtrResourceKey *found = g_hash_table_lookup (self->known, &key);
  gsize field = 1 + vtr_varint_size (size) + size;

  if (found != NULL)
    return found->number;
  key.number = ++self->n;
  vtr_pack_begin_object (&self->raw, vtr_trace_types_get_object (VTR_OBJECT_RESOURCE), field);
  vtr_pack_append_bytes (&self->raw, VTR_RESOURCE_DATA, data, size);
  g_hash_table_add (self->known, g_memdup2 (&key, sizeof key));
  return key.number;
}

void
vtr_trace_resources_flushed (VtrTraceResources *self)
{
  vtr_buffer_clear (&self->raw);
  self->first_raw = self->n + 1;
  /* One huge upload must not keep its memory for the rest of the recording. */
  if (self->raw.capacity > 16 * VTR_TRACE_FRAME_BYTES)
    vtr_buffer_finish (&self->raw);
}

static gboolean
replace_observation (VtrTraceResources       *self,
                     const VtrPackFieldValue *observation,
                     VtrBuffer               *to)
{
  const guint8 *at = observation->data, *end = at + observation->size;
  VtrPackFieldValue field, data = { 0 };
  guint64 base = 0, number;
  VtrStatus status;
  gsize size;

  while ((status = vtr_pack_next_field (&at, end, &field)) == VTR_OK)
    if (field.number == VTR_OBSERVATION_BASE)
      base = field.value;
    else if (field.number == VTR_OBSERVATION_DATA && field.wire == VTR_PACK_WIRE_BYTES)
      data = field;
  if (status != VTR_CLOSED)
    return FALSE;
  if (data.size <= VTR_TRACE_INLINE_BYTES)
    {
      vtr_pack_append_bytes (to, observation->number, observation->data, observation->size);
      return TRUE;
    }

  number = add (self, data.data, data.size);
  size = 9 + 1 + vtr_varint_size (number) + 1 + vtr_varint_size (data.size);
  vtr_pack_append_tag (to, observation->number, VTR_PACK_WIRE_BYTES);
  vtr_buffer_append_varint (to, size);
  vtr_pack_append_fixed64 (to, VTR_OBSERVATION_BASE, base);
  vtr_pack_append_varint (to, VTR_OBSERVATION_RESOURCE, number);
  vtr_pack_append_varint (to, VTR_OBSERVATION_SIZE, data.size);
  return TRUE;
}

gboolean
vtr_trace_resources_replace (VtrTraceResources *self,
                             const guint8      *message,
                             gsize              size,
                             VtrBuffer         *to)
{
  const guint8 *at = message, *end = message + size;
  gsize before = to->size;
  VtrPackFieldValue field;
  VtrStatus status;

  for (;;)
    {
      const guint8 *start = at;

      status = vtr_pack_next_field (&at, end, &field);
      if (status != VTR_OK)
        break;
      if ((field.number == VTR_COMMAND_READS || field.number == VTR_COMMAND_WRITES) &&
          field.wire == VTR_PACK_WIRE_BYTES && field.size > VTR_TRACE_INLINE_BYTES)
        {
          if (!replace_observation (self, &field, to))
            break;
        }
      else
        vtr_buffer_append (to, start, (gsize)(at - start));
    }
  if (status == VTR_CLOSED)
    return TRUE;
  to->size = before;
  return FALSE;
}
