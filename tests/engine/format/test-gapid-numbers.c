/* Tests a real GAPID trace against numbers that an independent reader found in it. */
#include "engine/format/vtr-trace-types.h"
#include "engine/format/vtr-trace.h"
#include "wire/vtr-pack-field.h"
#include "wire/vtr-pack.h"

#include <string.h>

typedef struct
{
  guint chunks, types, objects, ends, groups, roots, commands;
  guint headers, resources, observations, states, void_calls, typed_calls;
  guint reads, writes, initial, app_pool;
  guint64 type_bytes, read_bytes, write_bytes, initial_bytes, resource_bytes, resource_data;
  guint64 header_bytes, state_bytes, largest;
  GArray *sizes;        /* guint64: of resources, in order */
  GHashTable *distinct; /* command names */
  guint max_open;
} Counts;

static char *
read_sample (gsize *size)
{
  const char *path = g_getenv ("VITRINE_SAMPLE_TRACE");
  g_autoptr (GError) error = NULL;
  char *contents = NULL;

  if (path == NULL || !g_file_test (path, G_FILE_TEST_EXISTS))
    {
      g_test_skip ("VITRINE_SAMPLE_TRACE names no file");
      return NULL;
    }
  g_assert_true (g_file_get_contents (path, &contents, size, &error));
  return contents;
}

static guint64
find_number (const VtrPackType  *type,
             const VtrPackChunk *chunk,
             const char         *name)
{
  const VtrPackField *field = vtr_pack_type_find (type, name);
  const guint8 *at = chunk->message, *end = at + chunk->size;
  VtrPackFieldValue value;
  guint64 found = 0;

  while (field != NULL && vtr_pack_next_field (&at, end, &value) == VTR_OK)
    if (value.number == field->number)
      found = field->type == VTR_PACK_SINT64 || field->type == VTR_PACK_SINT32
                ? (guint64)vtr_zigzag_decode (value.value)
                : value.value;
  return found;
}

static void
count_resource (Counts             *counts,
                const VtrPackType  *type,
                const VtrPackChunk *chunk)
{
  const VtrPackField *field = vtr_pack_type_find (type, "data");
  const guint8 *at = chunk->message, *end = at + chunk->size;
  VtrPackFieldValue value;
  guint64 size = 0;

  while (vtr_pack_next_field (&at, end, &value) == VTR_OK)
    if (value.number == field->number)
      size = value.size;
  counts->resources++;
  counts->resource_bytes += chunk->size;
  counts->resource_data += size;
  counts->largest = MAX (counts->largest, size);
  g_array_append_val (counts->sizes, size);
}

static void
count_observation (Counts             *counts,
                   const VtrPackType  *type,
                   const VtrPackChunk *chunk,
                   gboolean            initial,
                   gboolean            called)
{
  guint64 size = find_number (type, chunk, "size");

  counts->observations++;
  counts->app_pool += find_number (type, chunk, "pool") == 0;
  if (initial)
    {
      counts->initial++;
      counts->initial_bytes += size;
    }
  else if (called)
    {
      counts->writes++;
      counts->write_bytes += size;
    }
  else
    {
      counts->reads++;
      counts->read_bytes += size;
    }
}

static void
count_chunks (const guint8 *data,
              gsize         size,
              Counts       *counts)
{
  const guint8 *at = data + VTR_PACK_HEADER_SIZE, *end = data + size;
  g_autoptr (VtrTraceTypes) types = vtr_trace_types_new ();
  gboolean initial = FALSE, called = FALSE;
  guint open = 0;
  VtrPackChunk chunk;

  for (; vtr_pack_read (&at, end, &chunk) == VTR_OK; counts->chunks++)
    {
      const VtrTraceType *type = NULL;
      const char *name = "";

      if (chunk.kind == VTR_PACK_TYPE)
        {
          counts->types++;
          counts->type_bytes +=
            chunk.size + chunk.name_size + vtr_varint_size (chunk.name_size);
          vtr_trace_types_add (types, chunk.name, chunk.name_size, chunk.message, chunk.size);
          continue;
        }
      if (chunk.kind == VTR_PACK_END)
        {
          counts->ends++;
          open--;
          continue;
        }
      type = vtr_trace_types_lookup (types, chunk.type);
      g_assert_nonnull (type);
      name = type->type.name;
      counts->objects++;
      counts->roots += chunk.parent >= 0;
      if (chunk.kind == VTR_PACK_GROUP)
        {
          counts->groups++;
          open++;
          counts->max_open = MAX (counts->max_open, open);
          initial = g_str_equal (name, "capture.GlobalState");
          called = FALSE;
          counts->commands += type->is_command;
          if (type->is_command)
            g_hash_table_add (counts->distinct, g_strdup (name));
        }
      else if (g_str_equal (name, "capture.Header"))
        {
          counts->headers++;
          counts->header_bytes += chunk.size;
        }
      else if (g_str_equal (name, "capture.Resource"))
        count_resource (counts, &type->type, &chunk);
      else if (g_str_equal (name, "memory.Observation"))
        count_observation (counts, &type->type, &chunk, initial, called);
      else if (g_str_equal (name, "vulkan.State"))
        {
          counts->states++;
          counts->state_bytes += chunk.size;
        }
      else if (type->is_call)
        {
          called = TRUE;
          if (g_str_equal (name, "api.CmdCall"))
            counts->void_calls++;
          else
            counts->typed_calls++;
        }
    }
  g_assert_true (at == end);
  g_assert_cmpuint (open, ==, 0);
}

static void
test_container (void)
{
  static const guint64 sizes[] = {
    0,
    768,
    128,
    144,
    128,
    263056,
    262144,
    1572864,
    1572864,
    1068,
    1772,
    4,
    8,
    32,
    176,
    8,
    8,
    8,
    4096,
    40,
    56,
    176,
    8,
    8,
    8,
    4,
    104,
    72,
    132,
    8,
    64,
    4,
    8,
    176,
    8,
    4096,
    40,
    56,
    176,
    8,
    104,
    72,
    132,
    8,
    64,
  };
  g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (guint64));
  g_autoptr (GHashTable) distinct = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  Counts n = { .sizes = found, .distinct = distinct };
  g_autofree char *md5 = NULL, *data = NULL;
  gsize size;

  data = read_sample (&size);
  if (data == NULL)
    return;
  md5 = g_compute_checksum_for_data (G_CHECKSUM_MD5, (const guint8 *)data, size);
  g_assert_cmpuint (size, ==, 3852938);
  g_assert_cmpstr (md5, ==, "c4ac0230500ec59809210b6f06063499");
  count_chunks ((const guint8 *)data, size, &n);
  g_assert_cmpuint (n.chunks, ==, 804);
  g_assert_cmpuint (n.types, ==, 561);
  g_assert_cmpuint (n.type_bytes, ==, 130243);
  g_assert_cmpuint (n.objects, ==, 200);
  g_assert_cmpuint (n.ends, ==, 43);
  g_assert_cmpuint (n.groups, ==, 43);
  g_assert_cmpuint (n.roots, ==, 90);
  g_assert_cmpuint (n.max_open, ==, 1);
  g_assert_cmpuint (n.headers, ==, 2);
  g_assert_cmpuint (n.header_bytes, ==, 22515);
  g_assert_cmpuint (n.resources, ==, 45);
  g_assert_cmpuint (n.resource_bytes, ==, 3685108);
  g_assert_cmpuint (n.resource_data, ==, 3684908);
  g_assert_cmpuint (n.largest, ==, 1572864);
  g_assert_cmpmem (found->data, found->len * sizeof (guint64), sizes, sizeof sizes);
  g_assert_cmpuint (n.observations, ==, 67);
  g_assert_cmpuint (n.reads, ==, 36);
  g_assert_cmpuint (n.read_bytes, ==, 10016);
  g_assert_cmpuint (n.writes, ==, 8);
  g_assert_cmpuint (n.write_bytes, ==, 48);
  g_assert_cmpuint (n.initial, ==, 23);
  g_assert_cmpuint (n.initial_bytes, ==, 3674936);
  g_assert_cmpuint (n.app_pool, ==, 44);
  g_assert_cmpuint (n.states, ==, 1);
  g_assert_cmpuint (n.state_bytes, ==, 11504);
  g_assert_cmpuint (n.void_calls, ==, 20);
  g_assert_cmpuint (n.typed_calls, ==, 22);
  g_assert_cmpuint (n.commands, ==, 42);
  g_assert_cmpuint (g_hash_table_size (distinct), ==, 21);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, G_TEST_OPTION_ISOLATE_DIRS, NULL);
  g_test_add_func ("/engine/format/gapid-numbers/container", test_container);
  return g_test_run ();
}
