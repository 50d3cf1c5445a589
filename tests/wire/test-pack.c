/* Tests proto-pack framing and type definitions. */
#include "wire/vtr-pack-field.h"
#include "wire/vtr-pack-type.h"
#include "wire/vtr-pack.h"

#include <glib.h>

static void
test_sniff (void)
{
  unsigned major = 99, minor = 99;

  g_assert_cmpint (vtr_pack_sniff ((const guint8 *)"ProtoPack\r\n2.0\n", 16, &major, &minor), ==,
                   VTR_PACK_MAGIC_2);
  g_assert_cmpuint (major, ==, 2);
  g_assert_cmpuint (minor, ==, 0);
  g_assert_cmpint (vtr_pack_sniff ((const guint8 *)"ProtoPack\r\n3.1\n", 16, &major, &minor), ==,
                   VTR_PACK_MAGIC_NEW);
  g_assert_cmpint (vtr_pack_sniff ((const guint8 *)"protopack\x08\x0a\x02", 12, &major, &minor), ==,
                   VTR_PACK_MAGIC_OLD);
  g_assert_cmpuint (major, ==, 1);
  g_assert_cmpint (vtr_pack_sniff ((const guint8 *)"ProtoPack\r\n2.0\n", 15, &major, &minor), ==,
                   VTR_PACK_MAGIC_NONE);
  g_assert_cmpint (vtr_pack_sniff ((const guint8 *)"ProtoPack\n2.0\n\0\0", 16, &major, &minor), ==,
                   VTR_PACK_MAGIC_NONE);
  g_assert_cmpint (vtr_pack_sniff (NULL, 0, &major, &minor), ==, VTR_PACK_MAGIC_NONE);
}

static void
test_chunks (void)
{
  VtrBuffer stream = { 0 };
  const guint8 *at, *end;
  VtrPackChunk chunk;

  vtr_pack_write_type (&stream, "a.B", (const guint8 *)"\x0a\x01"
                                                       "B",
                       3);
  vtr_pack_write_object (&stream, 70, (const guint8 *)"xyz", 3);
  vtr_pack_write_object (&stream, 1, NULL, 0);
  vtr_pack_write_chunk (&stream, 0, -2, (const guint8 *)"g", 1);
  vtr_pack_write_chunk (&stream, -1, 1, (const guint8 *)"c", 1);
  vtr_pack_write_chunk (&stream, -2, 0, NULL, 0);
  g_assert_false (stream.failed);

  at = stream.data;
  end = at + stream.size;
  g_assert_cmpint (vtr_pack_read (&at, end, &chunk), ==, VTR_OK);
  g_assert_cmpint (chunk.kind, ==, VTR_PACK_TYPE);
  g_assert_cmpmem (chunk.name, chunk.name_size, "a.B", 3);
  g_assert_cmpuint (chunk.size, ==, 3);
  g_assert_cmpint (vtr_pack_read (&at, end, &chunk), ==, VTR_OK);
  g_assert_cmpint (chunk.kind, ==, VTR_PACK_OBJECT);
  g_assert_cmpuint (chunk.type, ==, 70);
  g_assert_cmpmem (chunk.message, chunk.size, "xyz", 3);
  g_assert_cmpint (vtr_pack_read (&at, end, &chunk), ==, VTR_OK);
  g_assert_cmpuint (chunk.size, ==, 0);
  g_assert_cmpint (vtr_pack_read (&at, end, &chunk), ==, VTR_OK);
  g_assert_cmpint (chunk.kind, ==, VTR_PACK_GROUP);
  g_assert_cmpuint (chunk.type, ==, 2);
  g_assert_cmpint (vtr_pack_read (&at, end, &chunk), ==, VTR_OK);
  g_assert_cmpint (chunk.parent, ==, -1);
  g_assert_cmpint (vtr_pack_read (&at, end, &chunk), ==, VTR_OK);
  g_assert_cmpint (chunk.kind, ==, VTR_PACK_END);
  g_assert_cmpint (chunk.parent, ==, -2);
  g_assert_true (at == end);
  g_assert_cmpint (vtr_pack_read (&at, end, &chunk), ==, VTR_CLOSED);

  /* Any cut inside a chunk is seen as such, and moves nothing. */
  for (gsize cut = 1; cut < stream.size; cut++)
    {
      VtrStatus status;

      at = stream.data;
      end = at + cut;
      while ((status = vtr_pack_read (&at, end, &chunk)) == VTR_OK)
        ;
      g_assert_true (at == end ? status == VTR_CLOSED : status == VTR_TRUNCATED);
    }
  vtr_buffer_finish (&stream);
}

static void
test_hostile_chunks (void)
{
  static const guint8 huge[] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 0 };
  static const guint8 endless[] = {
    0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80
  };
  static const guint8 long_name[] = { 0x05, 0x7f, 'a', 'b' };
  static const guint8 zero[] = { 0, 1, 2 };
  const guint8 *at = huge;
  VtrPackChunk chunk;

  g_assert_cmpint (vtr_pack_read (&at, huge + sizeof huge, &chunk), ==, VTR_TRUNCATED);
  at = endless;
  g_assert_cmpint (vtr_pack_read (&at, endless + sizeof endless, &chunk), ==, VTR_CORRUPT);
  at = long_name;
  g_assert_cmpint (vtr_pack_read (&at, long_name + sizeof long_name, &chunk), ==, VTR_CORRUPT);
  at = zero;
  g_assert_cmpint (vtr_pack_read (&at, zero + sizeof zero, &chunk), ==, VTR_CLOSED);
}

static void
test_types (void)
{
  static const VtrPackField inner_fields[] = { { "v", NULL, 1, VTR_PACK_REPEATED,
                                                 VTR_PACK_FIXED32 } };
  static const VtrPackType inner[] = { { "Inner", inner_fields, 1, 0, NULL } };
  static const VtrPackField fields[] = {
    { "thread", NULL, 1, VTR_PACK_OPTIONAL, VTR_PACK_SINT64 },
    { "inner", ".a.Outer.Inner", 300, VTR_PACK_REPEATED, VTR_PACK_MESSAGE },
  };
  static const VtrPackType outer = { "a.Outer", fields, 2, 1, inner };
  VtrBuffer descriptor = { 0 };
  VtrArena arena;
  VtrPackType read;
  const VtrPackField *field;

  vtr_arena_init (&arena);
  vtr_pack_type_encode (&outer, &descriptor);
  g_assert_cmpint (vtr_pack_type_parse ((const guint8 *)"a.Outer", 7, descriptor.data,
                                        descriptor.size, &arena, &read),
                   ==, VTR_OK);
  g_assert_cmpstr (read.name, ==, "a.Outer");
  g_assert_cmpuint (read.n_fields, ==, 2);
  field = vtr_pack_type_find (&read, "inner");
  g_assert_nonnull (field);
  g_assert_cmpuint (field->number, ==, 300);
  g_assert_cmpuint (field->label, ==, VTR_PACK_REPEATED);
  g_assert_cmpuint (field->type, ==, VTR_PACK_MESSAGE);
  g_assert_cmpstr (field->type_name, ==, ".a.Outer.Inner");
  g_assert_cmpuint (read.n_nested, ==, 1);
  g_assert_cmpstr (read.nested[0].name, ==, "Inner");
  g_assert_cmpuint (read.nested[0].fields[0].type, ==, VTR_PACK_FIXED32);
  g_assert_null (vtr_pack_type_find (&read, "nothing"));

  /* Cut anywhere, it is refused or read as less; never out of bounds (ASan). */
  for (gsize cut = 0; cut < descriptor.size; cut++)
    {
      g_autofree guint8 *copy = g_memdup2 (descriptor.data, cut);
      VtrStatus status = vtr_pack_type_parse ((const guint8 *)"a", 1, copy, cut, &arena, &read);

      g_assert_true (status == VTR_OK || status == VTR_TRUNCATED || status == VTR_CORRUPT);
    }
  vtr_buffer_finish (&descriptor);
  vtr_arena_finish (&arena);
}

static void
test_fields (void)
{
  VtrBuffer message = { 0 };
  VtrPackFieldValue field;
  const guint8 *at, *end;

  vtr_pack_append_varint (&message, 1, G_MAXUINT64);
  vtr_pack_append_fixed32 (&message, 16, 0xdeadbeef);
  vtr_pack_append_fixed64 (&message, 3, 0x0123456789abcdef);
  vtr_pack_append_string (&message, 4, "text");
  at = message.data;
  end = at + message.size;
  g_assert_cmpint (vtr_pack_next_field (&at, end, &field), ==, VTR_OK);
  g_assert_cmpuint (field.value, ==, G_MAXUINT64);
  g_assert_cmpint (vtr_pack_next_field (&at, end, &field), ==, VTR_OK);
  g_assert_cmpuint (field.number, ==, 16);
  g_assert_cmphex (field.value, ==, 0xdeadbeef);
  g_assert_cmpint (vtr_pack_next_field (&at, end, &field), ==, VTR_OK);
  g_assert_cmphex (field.value, ==, 0x0123456789abcdef);
  g_assert_cmpint (vtr_pack_next_field (&at, end, &field), ==, VTR_OK);
  g_assert_cmpmem (field.data, field.size, "text", 4);
  g_assert_cmpint (vtr_pack_next_field (&at, end, &field), ==, VTR_CLOSED);

  at = (const guint8 *)"\x0b"; /* a group, which proto3 does not have */
  g_assert_cmpint (vtr_pack_next_field (&at, at + 1, &field), ==, VTR_CORRUPT);
  at = (const guint8 *)"\x00\x01"; /* field 0 */
  g_assert_cmpint (vtr_pack_next_field (&at, at + 2, &field), ==, VTR_CORRUPT);
  at = (const guint8 *)"\x0a\x05"
                       "ab";
  g_assert_cmpint (vtr_pack_next_field (&at, at + 4, &field), ==, VTR_TRUNCATED);
  vtr_buffer_finish (&message);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, G_TEST_OPTION_ISOLATE_DIRS, NULL);
  g_test_add_func ("/wire/pack/sniff", test_sniff);
  g_test_add_func ("/wire/pack/chunks", test_chunks);
  g_test_add_func ("/wire/pack/hostile-chunks", test_hostile_chunks);
  g_test_add_func ("/wire/pack/types", test_types);
  g_test_add_func ("/wire/pack/fields", test_fields);
  return g_test_run ();
}
