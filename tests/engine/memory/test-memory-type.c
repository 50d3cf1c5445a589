/* Tests memory types: which texts parse, how they are laid out, and how values look. */
#include "engine/memory/vtr-memory-type.h"

#include <string.h>

static VtrMemoryType *
parse (const char      *text,
       VtrMemoryLayout  layout)
{
  g_autoptr (GError) error = NULL;
  VtrMemoryType *type = vtr_memory_type_parse (text, layout, &error);

  g_assert_no_error (error);
  g_assert_nonnull (type);
  return type;
}

static guint64
offset_of (const VtrMemoryType *type,
           guint64              nth)
{
  const char *name;
  guint64 offset;

  g_assert_nonnull (vtr_memory_type_get_member (type, nth, &name, &offset));
  return offset;
}

static void
test_layouts (void)
{
  static const struct
  {
    const char *text;
    guint64 strides[3];    /* scalar, std430, std140 */
    guint64 offsets[3][3]; /* of members 0 to 2 */
  } cases[] = {
    { "float", { 4, 4, 4 }, { { 0 } } },
    { "vec3", { 12, 16, 16 }, { { 0 } } },
    { "vec2", { 8, 8, 8 }, { { 0 } } },
    { "mat4", { 64, 64, 64 }, { { 0, 16, 32 }, { 0, 16, 32 }, { 0, 16, 32 } } },
    { "mat3", { 36, 48, 48 }, { { 0, 12, 24 }, { 0, 16, 32 }, { 0, 16, 32 } } },
    { "mat2x3", { 24, 32, 32 }, { { 0, 12, 0 }, { 0, 16, 0 }, { 0, 16, 0 } } },
    { "float[3]", { 12, 12, 48 }, { { 0, 4, 8 }, { 0, 4, 8 }, { 0, 16, 32 } } },
    { "{float a; vec3 b; float c}",
      { 20, 32, 32 },
      { { 0, 4, 16 }, { 0, 16, 28 }, { 0, 16, 28 } } },
    { "{u8 a; double b; u16 c}", { 24, 24, 32 }, { { 0, 8, 16 }, { 0, 8, 16 }, { 0, 8, 16 } } },
    { "{vec2 a; float b[2]; float c}",
      { 20, 24, 64 },
      { { 0, 8, 16 }, { 0, 8, 16 }, { 0, 16, 48 } } },
    { "{vec3 a @4; vec2 b @20; f16 c; stride 40}",
      { 40, 40, 40 },
      { { 4, 20, 28 }, { 4, 20, 28 }, { 4, 20, 28 } } },
    { "{mat3 stride 20 a; float b[2 stride 12]; u32 c}",
      { 72, 80, 96 },
      { { 0, 52, 68 }, { 0, 52, 68 }, { 0, 64, 80 } } },
    { "row_major mat3x2", { 24, 32, 32 }, { { 0, 4, 8 }, { 0, 4, 8 }, { 0, 4, 8 } } },
    { "float[2][3]", { 24, 24, 96 }, { { 0, 12, 0 }, { 0, 12, 0 }, { 0, 48, 0 } } },
    { "{{vec3 p; float w} s[2]; vec2 t; float u}",
      { 44, 48, 48 },
      { { 0, 32, 40 }, { 0, 32, 40 }, { 0, 32, 40 } } },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    for (guint layout = 0; layout < 3; layout++)
      {
        g_autoptr (VtrMemoryType) type = parse (cases[i].text, (VtrMemoryLayout)layout);

        g_test_message ("%s, layout %u", cases[i].text, layout);
        g_assert_cmpuint (vtr_memory_type_get_stride (type), ==, cases[i].strides[layout]);
        for (guint64 k = 0; k < MIN (vtr_memory_type_get_n_members (type), 3); k++)
          g_assert_cmpuint (offset_of (type, k), ==, cases[i].offsets[layout][k]);
      }
}

static void
test_values (void)
{
  static const struct
  {
    const char *type;
    guint8 bytes[32];
    const char *text;
  } cases[] = {
    { "u8", { 255 }, "255" },
    { "i8", { 255 }, "-1" },
    { "i16", { 0x00, 0x80 }, "-32768" },
    { "u32", { 1, 2, 3, 4 }, "67305985" },
    { "hex32", { 1, 2, 3, 4 }, "0x04030201" },
    { "i64", { 0xfe, 255, 255, 255, 255, 255, 255, 255 }, "-2" },
    { "u64", { 255, 255, 255, 255, 255, 255, 255, 255 }, "18446744073709551615" },
    { "float", { 0, 0, 0x80, 0x3f }, "1" },
    { "float", { 0xcd, 0xcc, 0xcc, 0x3d }, "0.1" },
    { "float", { 0, 0, 0xc0, 0x7f }, "nan" },
    { "float", { 0, 0, 0x80, 0xff }, "-inf" },
    { "half", { 0x00, 0x3c }, "1" },
    { "half", { 0x01, 0x00 }, "5.9604645e-08" },
    { "half", { 0x00, 0xfc }, "-inf" },
    { "double", { 0, 0, 0, 0, 0, 0, 0xf0, 0x3f }, "1" },
    { "bool", { 1, 0, 0, 0 }, "true" },
    { "bool", { 2, 0, 0, 0 }, "true (2)" },
    { "unorm8x4", { 0, 255, 51, 0 }, "(0, 1, 0.2, 0)" },
    { "snorm8", { 0x80 }, "-1" },
    { "uvec2", { 1, 0, 0, 0, 2, 0, 0, 0 }, "(1, 2)" },
    { "{u8 a; u8 b[2]}", { 1, 2, 3 }, "{1, [2, 3]}" },
    { "{u8 a[2][3]}", { 1, 2, 3, 4, 5, 6 }, "{[[1, 2, 3], [4, 5, 6]]}" },
    { "{u8 a[3 stride 2]; u8 stride}", { 1, 9, 2, 9, 3, 4 }, "{[1, 2, 3], 4}" },
    { "block Name {u8 a @1; u8 b[]}", { 1, 2, 3 }, "{2, []}" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (VtrMemoryType) type = parse (cases[i].type, VTR_MEMORY_LAYOUT_SCALAR);
      g_autofree char *text = vtr_memory_type_format (type, cases[i].bytes);

      g_assert_cmpuint (vtr_memory_type_get_size (type), <=, sizeof cases[i].bytes);
      g_assert_cmpstr (text, ==, cases[i].text);
    }
}

static void
test_bad (void)
{
  static const char *const texts[] = {
    "",
    "flot",
    "vec5",
    "vec1",
    "mat5",
    "mat4x",
    "u33",
    "u32x",
    "u32x0",
    "u32x99",
    "float[",
    "float[0]",
    "float[-1]",
    "float[999999999999]",
    "float]",
    "float float",
    "{",
    "{}",
    "{float a",
    "{float a @}",
    "{float a; stride}",
    "{float a; stride 99999999999999}",
    "{float a @9999999999999}",
    "{float[1000000][1000000] a}",
    "{float a[]; float b}",
    "{float a[][]}",
    "{float a[3][]}",
    "{{float a[]} b}",
    "{float a[3 stride]}",
    "{float a[stride 99999999999]}",
    "row_major vec3",
    "vec3 stride 16",
    "block",
    "block float",
    "block block",
    "{{{{{{{{{{{{{{{{{{{{float a}}}}}}}}}}}}}}}}}}}}",
    "€",
  };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (GError) error = NULL;
      VtrMemoryType *type = vtr_memory_type_parse (texts[i], VTR_MEMORY_LAYOUT_STD140, &error);

      g_test_message ("%s", texts[i]);
      g_assert_null (type);
      g_assert_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT);
      g_assert_true (g_str_has_suffix (error->message, "."));
    }
}

static void
test_names (void)
{
  static const struct
  {
    const char *type, *text;
  } cases[] = {
    { "f32x3", "vec3" },
    { "u32", "uint" },
    { "ivec2", "ivec2" },
    { "double", "double" },
    { "hvec4", "hvec4" },
    { "unorm8x4", "unorm8x4" },
    { "u16x2", "u16x2" },
    { "f32x8", "f32x8" },
    { "hex64", "hex64" },
    { "mat4", "mat4x4" },
    { "row_major dmat2x3", "row_major dmat2x3" },
    { "Light {vec3 a}", "Light" },
    { "{vec3 a}", "{…}" },
    { "Light {vec3 a}[2][3]", "Light[2][3]" },
    { "float[]", "float[]" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (VtrMemoryType) type = parse (cases[i].type, VTR_MEMORY_LAYOUT_SCALAR);
      g_autofree char *text = vtr_memory_type_describe (type);

      g_assert_cmpstr (text, ==, cases[i].text);
    }
}

/* Whatever parses reads no byte beyond its size. */
static void
test_random (void)
{
  static const char pieces[] = "u8 f32 vec3 mat4 {}[];@ 0123456789 stride row_major block x";

  for (guint i = 0; i < 20000; i++)
    {
      char text[40];
      gint n = g_test_rand_int_range (1, (gint)sizeof text);
      g_autoptr (VtrMemoryType) type = NULL;
      g_autofree guint8 *bytes = NULL;
      g_autofree char *value = NULL;

      for (gint k = 0; k + 1 < n; k++)
        text[k] = pieces[g_test_rand_int_range (0, sizeof pieces - 1)];
      text[n - 1] = '\0';
      type = vtr_memory_type_parse (text, (VtrMemoryLayout)(i % 3), NULL);
      if (type == NULL || vtr_memory_type_get_size (type) > 65536)
        continue;
      bytes = g_malloc0 (vtr_memory_type_get_size (type));
      value = vtr_memory_type_format (type, bytes);
      g_assert_nonnull (value);
    }
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, G_TEST_OPTION_ISOLATE_DIRS, NULL);
  g_test_add_func ("/engine/memory/type/layouts", test_layouts);
  g_test_add_func ("/engine/memory/type/values", test_values);
  g_test_add_func ("/engine/memory/type/bad", test_bad);
  g_test_add_func ("/engine/memory/type/names", test_names);
  g_test_add_func ("/engine/memory/type/random", test_random);
  return g_test_run ();
}
