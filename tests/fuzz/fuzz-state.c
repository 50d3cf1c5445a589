/* Fuzzes the initial state of a GAPID trace: the message of its vulkan.State, in a stream with the
 * definitions and the header of a real one ($VITRINE_SAMPLE_TRACE). */
#include "vtr-fuzz-trace.h"
#include "vtr-fuzz.h"

#include "wire/vtr-pack-field.h"
#include "wire/vtr-pack.h"

#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct
{
  VtrBuffer prefix; /* magic, definitions, header, the group that is open */
  VtrBuffer state;  /* the real message */
  guint64 type;     /* of vulkan.State */
} Sample;

static guint64
find_type (GPtrArray  *names,
           const char *name)
{
  guint at = 0;

  g_assert_true (g_ptr_array_find_with_equal_func (names, name, g_str_equal, &at));
  return at + 1;
}

static Sample *
read_sample (void)
{
  static Sample sample;
  const char *path = g_getenv ("VITRINE_SAMPLE_TRACE");
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;
  g_autoptr (GMappedFile) file = NULL;
  const guint8 *at, *end;
  VtrPackChunk chunk;
  guint64 header = 0;

  if (sample.type != 0)
    return &sample;
  if (path == NULL || (file = g_mapped_file_new (path, FALSE, &error)) == NULL)
    {
      fprintf (stderr, "VITRINE_SAMPLE_TRACE names no file that can be read\n");
      exit (77);
    }
  at = (const guint8 *)g_mapped_file_get_contents (file) + VTR_PACK_HEADER_SIZE;
  end = at - VTR_PACK_HEADER_SIZE + g_mapped_file_get_length (file);
  vtr_pack_write_header (&sample.prefix);
  while (sample.state.size == 0 && vtr_pack_read (&at, end, &chunk) == VTR_OK)
    if (chunk.kind == VTR_PACK_TYPE)
      {
        g_ptr_array_add (names, g_strndup ((const char *)chunk.name, chunk.name_size));
        vtr_buffer_append (&sample.prefix, at - chunk.chunk_size, chunk.chunk_size);
      }
    else if (chunk.kind == VTR_PACK_OBJECT && header == 0 &&
             chunk.type == find_type (names, "capture.Header"))
      {
        header = chunk.type;
        vtr_pack_write_object (&sample.prefix, header, chunk.message, chunk.size);
      }
    else if (chunk.kind == VTR_PACK_OBJECT &&
             g_strcmp0 (g_ptr_array_index (names, chunk.type - 1), "vulkan.State") == 0)
      {
        sample.type = chunk.type;
        vtr_buffer_append (&sample.state, chunk.message, chunk.size);
      }
  g_assert_cmpuint (sample.state.size, >, 0);
  vtr_pack_write_chunk (&sample.prefix, 0, -(gint64)find_type (names, "capture.GlobalState"), NULL,
                        0);
  return &sample;
}

int
LLVMFuzzerTestOneInput (const uint8_t *data,
                        size_t         size)
{
  const Sample *sample = read_sample ();
  VtrBuffer file = { 0 };

  vtr_buffer_append (&file, sample->prefix.data, sample->prefix.size);
  vtr_pack_write_chunk (&file, -1, (gint64)sample->type, data, size);
  vtr_pack_write_chunk (&file, -2, 0, NULL, 0);
  vtr_fuzz_read_trace (file.data, file.size);
  vtr_buffer_finish (&file);
  return 0;
}

/* The whole of it, and each of its parts with the devices that it needs. */
void
vtr_fuzz_make_seeds (VtrFuzzAdd  add,
                     void       *user)
{
  const Sample *sample = read_sample ();
  VtrBuffer parts[64] = { 0 };
  const guint8 *at = sample->state.data, *end = at + sample->state.size;
  VtrPackFieldValue value;

  add (user, sample->state.data, sample->state.size);
  while (at < end)
    {
      const guint8 *begin = at;

      if (vtr_pack_next_field (&at, end, &value) != VTR_OK)
        break;
      for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
        if (value.number == i || value.number <= 4)
          vtr_buffer_append (&parts[i], begin, (gsize)(at - begin));
    }
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    {
      if (i > 4 && parts[i].size > parts[0].size)
        add (user, parts[i].data, parts[i].size);
      vtr_buffer_finish (&parts[i]);
    }
}
