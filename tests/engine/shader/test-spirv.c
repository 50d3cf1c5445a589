/* Tests reading SPIR-V, and the shader tool, with valid, specialized and hostile modules. */
#include "engine/shader/vtr-shader-run.h"
#include "engine/vulkan/shader/vtr-shader-modules.h"
#include "engine/shader/vtr-spirv-output.h"

#include <json-glib/json-glib.h>
#include <string.h>

static const guint32 fragment[] = {
#include "sample.frag.inc"
};
static const guint32 compute[] = {
#include "sample.comp.inc"
};

static GBytes *
get_fragment (void)
{
  return g_bytes_new_static (fragment, sizeof fragment);
}

static GBytes *
get_compute (void)
{
  return g_bytes_new_static (compute, sizeof compute);
}

static void
test_entries (void)
{
  g_autoptr (GBytes) code = get_fragment ();
  g_autoptr (GError) error = NULL;
  g_autoptr (VtrSpirv) spirv = vtr_spirv_new (code, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (vtr_spirv_get_n_entries (spirv), ==, 1);
  g_assert_cmpstr (vtr_spirv_get_entry (spirv, 0)->name, ==, "main");
  g_assert_cmpuint (vtr_spirv_get_entry (spirv, 0)->stage, ==, VK_SHADER_STAGE_FRAGMENT_BIT);
  g_assert_nonnull (vtr_spirv_find_entry (spirv, "main", VK_SHADER_STAGE_FRAGMENT_BIT));
  g_assert_null (vtr_spirv_find_entry (spirv, "main", VK_SHADER_STAGE_VERTEX_BIT));
  g_assert_null (vtr_spirv_find_entry (spirv, "other", 0));
  g_assert_cmpstr (vtr_spirv_get_generator (spirv), ==, "glslang");
  g_assert_cmpuint (vtr_spirv_get_version_major (spirv), ==, 1);
  g_assert_cmpuint (vtr_spirv_get_version_minor (spirv), ==, 3);
}

/* NonSemantic.Shader.DebugInfo.100, as glslang -gVS writes it. */
static void
test_source (void)
{
  g_autoptr (GBytes) code = get_fragment ();
  g_autoptr (VtrSpirv) spirv = vtr_spirv_new (code, NULL);
  const VtrSpirvSource *source = NULL;

  g_assert_true (vtr_spirv_has_source (spirv));
  for (guint i = 0; i < vtr_spirv_get_n_sources (spirv); i++)
    if (vtr_spirv_get_source (spirv, i)->text != NULL)
      source = vtr_spirv_get_source (spirv, i);
  g_assert_nonnull (source);
  g_assert_true (g_str_has_suffix (source->file, "sample.frag"));
  g_assert_cmpstr (source->language, ==, "GLSL");
  g_assert_nonnull (strstr (source->text, "vec4 sum = texture (albedo"));
}

static const VtrSpirvResource *
find_resource (VtrSpirv *spirv, guint32 set, guint32 binding)
{
  for (guint i = 0; i < vtr_spirv_get_n_resources (spirv); i++)
    {
      const VtrSpirvResource *resource = vtr_spirv_get_resource (spirv, i);

      if (resource->set == set && resource->binding == binding)
        return resource;
    }
  return NULL;
}

static void
test_resources (void)
{
  g_autoptr (GBytes) code = get_compute ();
  g_autoptr (VtrSpirv) spirv = vtr_spirv_new (code, NULL);
  const VtrSpirvResource *target = find_resource (spirv, 0, 1);
  const VtrSpirvResource *source = find_resource (spirv, 0, 2);

  g_assert_cmpuint (vtr_spirv_get_n_resources (spirv), ==, 3);
  g_assert_true (target->written && !target->read);
  g_assert_true (source->read && !source->written);
  g_assert_nonnull (find_resource (spirv, 2, 0));
}

static void
add_op (GArray *words, guint32 opcode, guint n, ...)
{
  guint32 word = (n + 1) << 16 | opcode;
  va_list operands;

  g_array_append_val (words, word);
  va_start (operands, n);
  for (guint i = 0; i < n; i++)
    {
      word = va_arg (operands, guint32);
      g_array_append_val (words, word);
    }
  va_end (operands);
}

/* A storage block: a variable and the pointer to its type. */
static void
add_block (GArray *words, guint32 variable, guint32 type)
{
  add_op (words, 32, 3, variable + 100, 12, type); /* OpTypePointer StorageBuffer */
  add_op (words, 59, 3, variable + 100, variable, 12);
}

/* Blocks of which all, some or none of the members are NonWritable, and what is done with them. */
static GBytes *
make_blocks (void)
{
  static const guint32 header[] = { 0x07230203, 0x00010300, 0, 200, 0 };
  GArray *words = g_array_new (FALSE, FALSE, sizeof (guint32));
  gsize size;

  g_array_append_vals (words, header, G_N_ELEMENTS (header));
  for (guint32 i = 0; i < 9; i++)
    {
      add_op (words, 71, 3, 20 + i, 34, 0);
      add_op (words, 71, 3, 20 + i, 33, i); /* Binding */
    }
  add_op (words, 71, 2, 28, 24);    /* NonWritable, the variable */
  add_op (words, 72, 3, 10, 0, 24); /* NonWritable, the only member */
  add_op (words, 72, 3, 11, 1, 24); /* the second of two */
  add_op (words, 72, 3, 11, 1, 24); /* said twice, still one of two */
  add_op (words, 19, 1, 1);         /* void */
  add_op (words, 33, 2, 2, 1);      /* function */
  add_op (words, 21, 3, 3, 32, 0);  /* uint */
  add_op (words, 29, 2, 4, 3);      /* uint[] */
  add_op (words, 30, 2, 10, 4);     /* { readonly uint[] } */
  add_op (words, 30, 3, 11, 3, 3);  /* { uint; readonly uint } */
  add_op (words, 30, 2, 12, 3);     /* { uint } */
  add_op (words, 43, 3, 3, 6, 0);   /* 0 */
  add_op (words, 43, 3, 3, 7, 1);   /* 1 */
  add_op (words, 28, 3, 13, 11, 7); /* an array of blocks */
  add_op (words, 30, 2, 14, 10);    /* { { readonly uint[] } } */
  for (guint32 i = 0; i < 9; i++)
    {
      static const guint32 types[] = { 10, 11, 11, 12, 12, 13, 14, 11, 12 };

      add_block (words, 20 + i, types[i]);
    }
  add_op (words, 54, 4, 1, 40, 0, 2);     /* OpFunction */
  add_op (words, 65, 5, 3, 50, 20, 6, 6); /* OpAccessChain of a readonly member */
  add_op (words, 65, 4, 3, 51, 21, 7);    /* the readonly one of two */
  add_op (words, 65, 4, 3, 52, 22, 6);    /* the other */
  add_op (words, 57, 4, 1, 53, 40, 24);   /* the whole is passed on */
  add_op (words, 65, 5, 3, 54, 25, 6, 7); /* the readonly one in an array */
  add_op (words, 65, 6, 3, 55, 26, 6, 6, 6);
  add_op (words, 65, 4, 3, 56, 27, 51); /* an index that is not known */
  add_op (words, 65, 4, 3, 57, 28, 6);
  add_op (words, 56, 0); /* OpFunctionEnd */
  size = words->len * sizeof (guint32);
  return g_bytes_new_take (g_array_free (words, FALSE), size);
}

static void
test_writable (void)
{
  static const gboolean written[] = { FALSE, FALSE, TRUE, FALSE, TRUE, FALSE, FALSE, TRUE, FALSE };
  g_autoptr (GBytes) code = make_blocks ();
  g_autoptr (GError) error = NULL;
  g_autoptr (VtrSpirv) spirv = vtr_spirv_new (code, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (vtr_spirv_get_n_resources (spirv), ==, G_N_ELEMENTS (written));
  for (guint32 i = 0; i < G_N_ELEMENTS (written); i++)
    if (find_resource (spirv, 0, i)->written != written[i])
      g_error ("Binding %u counts as %s", i, written[i] ? "not written" : "written");
}

/* OpSource with OpSourceContinued, names, and the other byte order: words by hand. */
static void
test_words (void)
{
  static const guint32 words[] = {
    0x07230203, 0x00010000, 0x000d0001, 10, 0,
    0x00020011, 1,                        /* OpCapability Shader */
    0x0005000f, 5, 3, 0x6e69616d, 0,      /* OpEntryPoint GLCompute %3 "main" */
    0x00040007, 4, 0x632e61, 0,           /* OpString "a.c" (with a word to spare) */
    0x00060003, 2, 460, 4, 0x64696f76, 0, /* OpSource GLSL 460 %4 "void" */
    0x00030002, 0x2120, 0,                /* OpSourceContinued " !" */
    0x00040047, 5, 1, 42,                 /* OpDecorate %5 SpecId 42 */
    0x00030005, 5, 0x4e,                  /* OpName %5 "N" */
    0x00040032, 6, 5, 99,                 /* OpSpecConstant %6 %5 99 */
  };
  guint32 swapped[G_N_ELEMENTS (words)];
  g_autoptr (GBytes) code = g_bytes_new_static (words, sizeof words);
  g_autoptr (GBytes) other = NULL;
  GBytes *both[2];

  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    swapped[i] = GUINT32_SWAP_LE_BE (words[i]);
  other = g_bytes_new_static (swapped, sizeof swapped);
  both[0] = code;
  both[1] = other;
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (VtrSpirv) spirv = vtr_spirv_new (both[i], &error);

      g_assert_no_error (error);
      g_assert_cmpstr (vtr_spirv_get_entry (spirv, 0)->name, ==, "main");
      g_assert_cmpuint (vtr_spirv_get_entry (spirv, 0)->stage, ==, VK_SHADER_STAGE_COMPUTE_BIT);
      g_assert_cmpuint (vtr_spirv_get_n_sources (spirv), ==, 1);
      g_assert_cmpstr (vtr_spirv_get_source (spirv, 0)->file, ==, "a.c");
      g_assert_cmpstr (vtr_spirv_get_source (spirv, 0)->text, ==, "void !");
      g_assert_cmpuint (vtr_spirv_get_source (spirv, 0)->version, ==, 460);
      g_assert_cmpuint (vtr_spirv_get_n_constants (spirv), ==, 1);
      g_assert_cmpuint (vtr_spirv_get_constant (spirv, 0)->constant, ==, 42);
      g_assert_cmpstr (vtr_spirv_get_constant (spirv, 0)->name, ==, "N");
      g_assert_cmpstr (vtr_spirv_get_generator (spirv), ==, "shaderc");
    }
}

static void
test_damaged (void)
{
  static const guint8 odd[] = { 3, 2, 0x23, 7, 1 };
  static const guint32 foreign[] = { 1, 2, 3, 4, 5, 6 };
  static const guint32 endless[] = { 0x07230203, 0x00010000, 0, 10, 0, 0x00ff0003, 1 };
  static const guint32 still[] = { 0x07230203, 0x00010000, 0, 10, 0, 0x00000003, 1 };
  const struct
  {
    gconstpointer bytes;
    gsize size;
  } cases[] = {
    { odd, sizeof odd },
    { foreign, sizeof foreign },
    { endless, sizeof endless },
    { still, sizeof still },
    { "", 0 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GBytes) code = g_bytes_new_static (cases[i].bytes, cases[i].size);
      g_autoptr (GError) error = NULL;

      g_assert_null (vtr_spirv_new (code, &error));
      g_assert_error (error, VTR_SHADER_ERROR, VTR_SHADER_ERROR_DAMAGED);
    }
}

/* --- The tool -------------------------------------------------------------------------------- */

static char *
run (const char *verb, GBytes *code, const char *entry, GError **error)
{
  g_autoptr (GBytes) out = vtr_shader_run_tool (verb, code, 0, entry, NULL, error);
  gsize size;
  const char *bytes = out != NULL ? g_bytes_get_data (out, &size) : NULL;

  return out != NULL ? g_strndup (bytes != NULL ? bytes : "", bytes != NULL ? size : 0) : NULL;
}

static void
test_glsl (void)
{
  g_autoptr (GBytes) code = get_fragment ();
  g_autoptr (GError) error = NULL;
  g_autofree char *text = run ("glsl", code, "main", &error);

  g_assert_no_error (error);
  g_assert_nonnull (strstr (text, "uniform sampler2D albedo"));
  g_assert_nonnull (strstr (text, "layout(constant_id = 7) const int COUNT = 2;"));
  g_assert_nonnull (strstr (text, "layout(push_constant, std430) uniform Push"));
  g_clear_pointer (&text, g_free);
  g_assert_null (run ("glsl", code, "elsewhere", &error));
  g_assert_error (error, VTR_SHADER_ERROR, VTR_SHADER_ERROR_UNSUPPORTED);
}

static void
test_specialize (void)
{
  static const VkSpecializationMapEntry map[] = { { 7, 0, 4 }, { 8, 4, 4 }, { 99, 4, 64 } };
  static const guint32 values[] = { 13, 1 };
  VkSpecializationInfo info = { G_N_ELEMENTS (map), map, sizeof values, values };
  g_autoptr (GBytes) code = get_fragment ();
  g_autoptr (GBytes) special = vtr_shader_code_specialize (code, &info);
  g_autoptr (GError) error = NULL;
  g_autofree char *text = run ("glsl", special, "main", &error);

  g_assert_no_error (error);
  g_assert_nonnull (strstr (text, "const int COUNT = 13;"));
  g_assert_nonnull (strstr (text, "const bool FLIP = true;"));
}

static void
test_disassemble (void)
{
  g_autoptr (GBytes) code = get_fragment ();
  g_autoptr (GError) error = NULL;
  g_autofree char *text = run ("disassemble", code, NULL, &error);
  g_autoptr (GBytes) assembly = NULL, again = NULL;
  g_autoptr (VtrSpirv) spirv = NULL;

  g_assert_no_error (error);
  g_assert_nonnull (strstr (text, "OpEntryPoint Fragment %main \"main\""));
  /* The text can be assembled again. */
  assembly = g_bytes_new_static (text, strlen (text));
  again = vtr_shader_run_tool ("assemble", assembly, 0, NULL, NULL, &error);
  g_assert_no_error (error);
  spirv = vtr_spirv_new (again, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (vtr_spirv_get_n_entries (spirv), ==, 1);
}

static JsonObject *
get_member (JsonObject *json, const char *list, guint nth)
{
  return json_array_get_object_element (json_object_get_array_member (json, list), nth);
}

static void
test_reflect (void)
{
  g_autoptr (GBytes) code = get_fragment ();
  g_autoptr (GError) error = NULL;
  g_autofree char *text = run ("reflect", code, "main", &error);
  g_autoptr (JsonNode) node = NULL;
  JsonObject *json, *block, *lights;

  g_assert_no_error (error);
  node = json_from_string (text, &error);
  g_assert_no_error (error);
  json = json_node_get_object (node);
  g_assert_cmpint (json_array_get_length (json_object_get_array_member (json, "inputs")), ==, 2);
  g_assert_cmpstr (
    json_object_get_string_member (get_member (json, "outputs", 0), "type"), ==, "vec4");
  block = get_member (json, "descriptors", 0);
  g_assert_cmpstr (json_object_get_string_member (block, "kind"), ==, "uniform buffer");
  g_assert_cmpint (json_object_get_int_member (block, "set"), ==, 1);
  g_assert_cmpint (json_object_get_int_member (block, "binding"), ==, 3);
  g_assert_cmpint (json_object_get_int_member (block, "size"), ==, 64 + 4 * 32 + 8);
  g_assert_cmpstr (json_object_get_string_member (get_member (block, "members", 0), "type"), ==,
                   "mat4");
  lights = get_member (block, "members", 1);
  g_assert_cmpstr (json_object_get_string_member (lights, "type"), ==, "Light[4]");
  g_assert_cmpint (json_object_get_int_member (lights, "offset"), ==, 64);
  g_assert_cmpint (json_object_get_int_member (lights, "arrayStride"), ==, 32);
  g_assert_cmpint (json_object_get_int_member (get_member (lights, "members", 1), "offset"), ==,
                   16);
  g_assert_cmpint (json_object_get_int_member (get_member (json, "pushConstants", 0), "size"), ==,
                   16);
  g_assert_cmpint (json_array_get_length (
                     json_object_get_array_member (json, "specializationConstants")),
                   ==, 2);
}

static void
test_reflect_compute (void)
{
  static const VkSpecializationMapEntry map[] = { { 1, 0, 4 } };
  static const guint32 value = 16;
  VkSpecializationInfo info = { 1, map, sizeof value, &value };
  g_autoptr (GBytes) code = get_compute ();
  g_autoptr (GBytes) special = vtr_shader_code_specialize (code, &info);
  g_autoptr (GError) error = NULL;
  g_autofree char *text = run ("reflect", special, "main", &error);
  g_autoptr (JsonNode) node = NULL;
  JsonArray *size;

  g_assert_no_error (error);
  node = json_from_string (text, &error);
  g_assert_no_error (error);
  size = json_object_get_array_member (json_node_get_object (node), "workgroupSize");
  g_assert_cmpint (json_array_get_int_element (size, 0), ==, 16);
  g_assert_cmpint (json_array_get_int_element (size, 1), ==, 4);
  g_assert_cmpint (json_array_get_int_element (size, 2), ==, 1);
}

/* Whatever the module holds, there is an answer or a sentence; and we are still here. */
static void
test_hostile (void)
{
  static const char *const verbs[] = { "disassemble", "glsl", "reflect", "validate" };
  g_autoptr (GRand) random = g_rand_new_with_seed (20261121);
  guint failed = 0;

  for (guint i = 0; i < 60; i++)
    {
      g_autofree guint32 *words = g_memdup2 (fragment, sizeof fragment);
      gsize n = G_N_ELEMENTS (fragment);
      g_autoptr (GBytes) code = NULL;
      g_autoptr (GBytes) out = NULL;
      g_autoptr (GError) error = NULL;
      g_autoptr (VtrSpirv) spirv = NULL;

      for (guint k = 0; k < 1 + i % 4; k++)
        words[g_rand_int_range (random, 0, (int)n)] ^= 1u << g_rand_int_range (random, 0, 32);
      if (i % 7 == 0)
        n = (gsize)g_rand_int_range (random, 0, (int)n);
      code = g_bytes_new (words, n * 4);
      spirv = vtr_spirv_new (code, NULL);
      out = vtr_shader_run_tool (verbs[i % G_N_ELEMENTS (verbs)], code, 0, NULL, NULL, &error);
      if (out != NULL)
        continue;
      failed++;
      g_assert_nonnull (error);
      g_assert_cmpint (error->domain, ==, VTR_SHADER_ERROR);
      g_assert_cmpuint (strlen (error->message), >, 10);
    }
  g_assert_cmpuint (failed, >, 0);
}

static void
test_no_tool (void)
{
  g_autofree char *path = g_strdup (g_getenv ("VITRINE_SHADER_TOOL"));
  g_autoptr (GBytes) code = get_fragment ();
  g_autoptr (GError) error = NULL;

  g_setenv ("VITRINE_SHADER_TOOL", "/nonexistent", TRUE);
  g_assert_null (run ("glsl", code, NULL, &error));
  g_assert_error (error, VTR_SHADER_ERROR, VTR_SHADER_ERROR_TOOL);
  if (path != NULL)
    g_setenv ("VITRINE_SHADER_TOOL", path, TRUE);
  else
    g_unsetenv ("VITRINE_SHADER_TOOL");
}

/* One more output: still valid, with the entry point, where there is one already, too. */
static void
test_output (void)
{
  g_autoptr (GBytes) code = get_fragment ();
  g_autoptr (GBytes) other = get_compute ();
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) changed = vtr_spirv_add_output (code, "main", 7, 1, &error);
  g_autoptr (GBytes) empty = NULL;
  g_autoptr (GBytes) again = NULL;
  g_autoptr (GBytes) twice = NULL;
  g_autoptr (GBytes) said = NULL;
  g_autoptr (GBytes) said_of_again = NULL;
  g_autoptr (GBytes) said_of_empty = NULL;

  g_assert_no_error (error);
  g_assert_cmpuint (g_bytes_get_size (changed), >, g_bytes_get_size (code));
  said = vtr_shader_run_tool ("validate", changed, 0, NULL, NULL, &error);
  g_assert_no_error (error);
  empty = vtr_spirv_add_output (NULL, "main", 0, 1, &error);
  g_assert_no_error (error);
  said_of_empty = vtr_shader_run_tool ("validate", empty, 0, NULL, NULL, &error);
  g_assert_no_error (error);
  /* Again, and for the colour that the shader writes: what was there makes place. */
  again = vtr_spirv_add_output (changed, "main", 7, 0.5f, &error);
  g_assert_no_error (error);
  twice = vtr_spirv_add_output (again, "main", 0, 0.5f, &error);
  g_assert_no_error (error);
  said_of_again = vtr_shader_run_tool ("validate", twice, 0, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_null (vtr_spirv_add_output (code, "nothing", 7, 1, NULL));
  g_assert_null (vtr_spirv_add_output (other, "main", 7, 1, NULL));
}

/* Cut short anywhere, or with a word changed: an answer or none, and nothing is read beyond. */
static void
test_output_hostile (void)
{
  for (gsize i = 0; i < sizeof fragment / 4; i += 7)
    {
      guint32 *copy = g_memdup2 (fragment, sizeof fragment);
      g_autoptr (GBytes) cut = g_bytes_new (fragment, i * 4);
      g_autoptr (GBytes) of_cut = NULL;
      g_autoptr (GBytes) wrong = NULL;
      g_autoptr (GBytes) of_wrong = NULL;

      of_cut = vtr_spirv_add_output (cut, "main", 7, 1, NULL);
      copy[i] ^= 0x00ff0013u << i % 9;
      wrong = g_bytes_new_take (copy, sizeof fragment);
      of_wrong = vtr_spirv_add_output (wrong, "main", 7, 1, NULL);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/shader/spirv/entries", test_entries);
  g_test_add_func ("/engine/shader/spirv/source", test_source);
  g_test_add_func ("/engine/shader/spirv/resources", test_resources);
  g_test_add_func ("/engine/shader/spirv/writable", test_writable);
  g_test_add_func ("/engine/shader/spirv/words", test_words);
  g_test_add_func ("/engine/shader/spirv/damaged", test_damaged);
  g_test_add_func ("/engine/shader/spirv/output", test_output);
  g_test_add_func ("/engine/shader/spirv/output/hostile", test_output_hostile);
  g_test_add_func ("/engine/shader/tool/glsl", test_glsl);
  g_test_add_func ("/engine/shader/tool/specialize", test_specialize);
  g_test_add_func ("/engine/shader/tool/disassemble", test_disassemble);
  g_test_add_func ("/engine/shader/tool/reflect", test_reflect);
  g_test_add_func ("/engine/shader/tool/reflect-compute", test_reflect_compute);
  g_test_add_func ("/engine/shader/tool/hostile", test_hostile);
  g_test_add_func ("/engine/shader/tool/missing", test_no_tool);
  return g_test_run ();
}
