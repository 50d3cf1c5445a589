/* Tests that the blocks of a module, written as memory types, are laid out as the compiler laid
 * them out. */
#include "engine/memory/vtr-memory-type.h"
#include "engine/shader/vtr-spirv-block.h"
#include "engine/vulkan/shader/vtr-shader-modules.h"

#include <string.h>

static const guint32 code_words[] = {
#include "blocks.comp.inc"
};

static VtrSpirvBlocks *
load (void)
{
  g_autoptr (GBytes) code = g_bytes_new_static (code_words, sizeof code_words);
  g_autoptr (GError) error = NULL;
  VtrSpirvBlocks *blocks = vtr_spirv_blocks_new (code, &error);

  g_assert_no_error (error);
  return blocks;
}

static VtrMemoryType *
parse (const char      *text,
       VtrMemoryLayout  layout)
{
  g_autoptr (GError) error = NULL;
  VtrMemoryType *type = vtr_memory_type_parse (text, layout, &error);

  g_assert_no_error (error);
  return type;
}

static void
test_text (void)
{
  g_autoptr (VtrSpirvBlocks) blocks = load ();
  g_autofree char *camera = vtr_spirv_blocks_describe (blocks, "main", 0, 0, 0);
  g_autofree char *particles = vtr_spirv_blocks_describe (blocks, "main", 0, 1, 0);
  g_autofree char *packed = vtr_spirv_blocks_describe (blocks, "main", 1, 0, 0);
  g_autofree char *push = vtr_spirv_blocks_describe_push_constants (blocks, "main", 0, 256);
  g_autofree char *mode = vtr_spirv_blocks_describe_push_constants (blocks, "main", 32, 4);

  g_assert_cmpstr (camera, ==,
                   "block Camera {mat4 stride 16 view @0; row_major mat4x3 stride 16 world @64; "
                   "float weights[3 stride 16] @112; Light {vec3 color @0; float range @12; "
                   "mat2 stride 16 turn @16} lights[2 stride 48] @160; uint enabled @256; "
                   "vec2 grid[2 stride 48][3 stride 16] @272}");
  g_assert_cmpstr (particles, ==,
                   "block Particles {uint count @0; dvec2 origin @16; mat3 stride 16 turn @32; "
                   "vec4 positions[stride 16] @80}");
  g_assert_cmpstr (packed, ==,
                   "block Packed {vec3 a @0; float b @12; u8 bytes[4 stride 1] @16; "
                   "hvec2 halves @20; i16 shorts[2 stride 2] @24; i64 wide @32; hex64 node @40; "
                   "int sized[6 stride 4] @48}");
  g_assert_cmpstr (push, ==, "block Push {vec4 tint @16; uint mode @32}");
  g_assert_cmpstr (mode, ==, "block Push {uint mode @0}");
  g_assert_null (vtr_spirv_blocks_describe (blocks, "main", 0, 2, 0));
  {
    g_autofree char *words = vtr_spirv_blocks_describe (blocks, "main", 2, 3, 0);
    g_autofree char *vectors = vtr_spirv_blocks_describe (blocks, "main", 2, 3, 1);

    g_assert_cmpstr (words, ==, "block Words {uint words[stride 4] @0}");
    g_assert_cmpstr (vectors, ==, "block Vectors {vec4 vectors[stride 16] @0}");
    g_assert_null (vtr_spirv_blocks_describe (blocks, "main", 2, 3, 2));
  }
  g_assert_null (vtr_spirv_blocks_describe (blocks, NULL, 2, 0, 0));
}

/* A length is what the pipeline makes of it. */
static void
test_specialized (void)
{
  static const guint32 value = 5;
  static const VkSpecializationMapEntry entry = { 3, 0, sizeof value };
  static const VkSpecializationInfo info = { 1, &entry, sizeof value, &value };
  g_autoptr (GBytes) plain = g_bytes_new_static (code_words, sizeof code_words);
  g_autoptr (GBytes) code = vtr_shader_code_specialize (plain, &info);
  g_autoptr (VtrSpirvBlocks) blocks = vtr_spirv_blocks_new (code, NULL);
  g_autofree char *packed = vtr_spirv_blocks_describe (blocks, "main", 1, 0, 0);

  g_assert_nonnull (strstr (packed, "int sized[15 stride 4] @48"));
}

static void
put (guint8 *bytes,
     gsize   at,
     float   value)
{
  memcpy (bytes + at, &value, sizeof value);
}

static void
check_member (const VtrMemoryType *type,
              guint64              nth,
              const guint8        *bytes,
              const char          *name,
              guint64              offset,
              const char          *described,
              const char          *value)
{
  const char *got;
  guint64 at;
  const VtrMemoryType *member = vtr_memory_type_get_member (type, nth, &got, &at);
  g_autofree char *text = vtr_memory_type_describe (member);
  g_autofree char *formatted = vtr_memory_type_format (member, bytes + at);

  g_assert_cmpstr (got, ==, name);
  g_assert_cmpuint (at, ==, offset);
  g_assert_cmpstr (text, ==, described);
  if (value != NULL)
    g_assert_cmpstr (formatted, ==, value);
}

static void
test_values (void)
{
  g_autoptr (VtrSpirvBlocks) blocks = load ();
  g_autofree char *text = vtr_spirv_blocks_describe (blocks, "main", 0, 0, 0);
  guint8 bytes[512] = { 0 };

  for (guint i = 0; i < 16; i++)
    put (bytes, i * 4, (float)i);
  /* Three rows of four; columns are what a shader sees. */
  for (guint row = 0; row < 3; row++)
    for (guint column = 0; column < 4; column++)
      put (bytes, 64 + row * 16 + column * 4, (float)(10 * column + row));
  for (guint i = 0; i < 3; i++)
    put (bytes, 112 + i * 16, (float)(i + 7));
  put (bytes, 160 + 48 + 12, 2.5f);
  bytes[256] = 1;
  put (bytes, 272 + 48 + 32, 9);
  /* Members with explicit offsets keep them in every layout. */
  for (guint layout = 0; layout < 3; layout++)
    {
      g_autoptr (VtrMemoryType) type = parse (text, (VtrMemoryLayout)layout);

      g_assert_true (vtr_memory_type_is_single (type));
      g_assert_cmpuint (vtr_memory_type_get_size (type), <=, 368);
      check_member (type, 0, bytes, "view", 0, "mat4x4",
                    "[(0, 1, 2, 3), (4, 5, 6, 7), (8, 9, 10, 11), (12, 13, 14, 15)]");
      check_member (type, 1, bytes, "world", 64, "row_major mat4x3",
                    "[(0, 1, 2), (10, 11, 12), (20, 21, 22), (30, 31, 32)]");
      check_member (type, 2, bytes, "weights", 112, "float[3]", "[7, 8, 9]");
      check_member (type, 3, bytes, "lights", 160, "Light[2]",
                    "[{(0, 0, 0), 0, [(0, 0), (0, 0)]}, {(0, 0, 0), 2.5, [(0, 0), (0, 0)]}]");
      check_member (type, 4, bytes, "enabled", 256, "uint", "1");
      check_member (type, 5, bytes, "grid", 272, "vec2[2][3]",
                    "[[(0, 0), (0, 0), (0, 0)], [(0, 0), (0, 0), (9, 0)]]");
    }
}

/* An array without a length goes on to the end of the range. */
static void
test_open (void)
{
  g_autoptr (VtrSpirvBlocks) blocks = load ();
  g_autofree char *text = vtr_spirv_blocks_describe (blocks, "main", 0, 1, 0);
  g_autoptr (VtrMemoryType) type = parse (text, VTR_MEMORY_LAYOUT_STD430);
  static const struct
  {
    guint64 size;
    const char *described;
  } cases[] = {
    { 0, "vec4[]" },
    { 80, "vec4[]" },
    { 95, "vec4[]" },
    { 96, "vec4[1]" },
    { 127, "vec4[2]" },
    { 128, "vec4[3]" },
    { 1 << 30, "vec4[67108859]" },
  };

  g_assert_true (vtr_memory_type_is_single (type));
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (VtrMemoryType) fitted = vtr_memory_type_fit (type, cases[i].size);
      const char *name;
      guint64 offset;
      const VtrMemoryType *member = vtr_memory_type_get_member (fitted, 3, &name, &offset);
      g_autofree char *described = vtr_memory_type_describe (member);

      g_assert_cmpstr (name, ==, "positions");
      g_assert_cmpuint (offset, ==, 80);
      g_assert_cmpstr (described, ==, cases[i].described);
      g_assert_cmpuint (vtr_memory_type_get_size (fitted), <=, MAX (cases[i].size, 80));
    }
}

/* Damaged modules give wrong types or none; every result can be parsed, or is refused. */
static void
test_hostile (void)
{
  for (guint i = 0; i < 4000; i++)
    {
      g_autofree guint32 *words = g_memdup2 (code_words, sizeof code_words);
      g_autoptr (VtrSpirvBlocks) blocks = NULL;
      g_autoptr (GBytes) code = NULL;
      gsize n = G_N_ELEMENTS (code_words);

      for (gint k = g_test_rand_int_range (1, 20); k > 0; k--)
        words[g_test_rand_int_range (5, (gint)n)] ^= 1u << g_test_rand_int_range (0, 32);
      if (i % 3 == 0)
        n = (gsize)g_test_rand_int_range (5, (gint)n);
      if (i % 2 == 0)
        words[g_test_rand_int_range (5, (gint)n + 1) - 1] = (guint32)g_test_rand_int_range (0, 200);
      code = g_bytes_new (words, n * 4);
      blocks = vtr_spirv_blocks_new (code, NULL);
      for (guint set = 0; blocks != NULL && set < 2; set++)
        for (guint binding = 0; binding < 2; binding++)
          {
            g_autofree char *text = vtr_spirv_blocks_describe (blocks, "main", set, binding, 0);
            g_autoptr (VtrMemoryType) type =
              text != NULL ? vtr_memory_type_parse (text, VTR_MEMORY_LAYOUT_STD140, NULL) : NULL;
            g_autoptr (VtrMemoryType) fitted =
              type != NULL ? vtr_memory_type_fit (type, 4096) : NULL;
            guint64 size = fitted != NULL ? vtr_memory_type_get_size (fitted) : 0;
            g_autofree guint8 *bytes = g_malloc0 (MIN (size, 1 << 20));
            g_autofree char *value =
              size > 0 && size <= 1 << 20 ? vtr_memory_type_format (fitted, bytes) : NULL;

            g_assert_true (value != NULL || size == 0 || size > 1 << 20);
          }
    }
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, G_TEST_OPTION_ISOLATE_DIRS, NULL);
  g_test_add_func ("/engine/shader/block/text", test_text);
  g_test_add_func ("/engine/shader/block/specialized", test_specialized);
  g_test_add_func ("/engine/shader/block/values", test_values);
  g_test_add_func ("/engine/shader/block/open", test_open);
  g_test_add_func ("/engine/shader/block/hostile", test_hostile);
  return g_test_run ();
}
