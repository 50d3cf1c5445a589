/* What calls of OpenGL, EGL and GLX read and write: sizes of pixels, values of parameters, lists,
 * texts and offsets. */
#include "api/vtr-api-print.h"
#include "api/vtr-api-walk.h"
#include "api/vtr-api-types.h"
#include "api/vtr-gl-enums.h"
#include "gl/vtr-gl-pixels.h"
#include "vtr-gl-args.h"

#include <glib.h>
#include <string.h>

/* --- Pixels ---------------------------------------------------------------------------------- */

static gint64
pixel_bytes (VtrGlPixelStore store,
             guint32         format,
             guint32         type,
             guint           n_dimensions,
             gint64          width,
             gint64          height,
             gint64          depth)
{
  const int64_t extent[3] = { width, height, depth };
  int64_t size;

  return vtr_gl_pixel_bytes (&store, format, type, n_dimensions, extent, &size) ? size : -1;
}

static void
test_pixels (void)
{
  const VtrGlPixelStore usual = { .alignment = 4 }, tight = { .alignment = 1 };
  const VtrGlPixelStore part = {
    .alignment = 4, .row_length = 10, .skip_pixels = 2, .skip_rows = 1
  };
  const VtrGlPixelStore layer = { .alignment = 1, .image_height = 5, .skip_images = 2 };

  g_assert_cmpint (pixel_bytes (usual, GL_RGBA, GL_UNSIGNED_BYTE, 2, 3, 2, 1), ==, 24);
  /* The last row has no padding. */
  g_assert_cmpint (pixel_bytes (usual, GL_RGB, GL_UNSIGNED_BYTE, 2, 3, 2, 1), ==, 12 + 9);
  g_assert_cmpint (pixel_bytes (tight, GL_RGB, GL_UNSIGNED_BYTE, 2, 3, 2, 1), ==, 18);
  g_assert_cmpint (pixel_bytes (part, GL_RGBA, GL_UNSIGNED_BYTE, 2, 3, 2, 1), ==,
                   2 * 40 + (2 + 3) * 4);
  g_assert_cmpint (pixel_bytes (layer, GL_RED, GL_UNSIGNED_BYTE, 3, 4, 4, 2), ==,
                   3 * 20 + 3 * 4 + 4);
  /* Images have no height in two dimensions. */
  g_assert_cmpint (pixel_bytes (layer, GL_RED, GL_UNSIGNED_BYTE, 2, 4, 4, 1), ==, 16);
  g_assert_cmpint (pixel_bytes (usual, GL_COLOR_INDEX, GL_BITMAP, 2, 32, 32, 1), ==, 128);
  g_assert_cmpint (pixel_bytes (usual, GL_COLOR_INDEX, GL_BITMAP, 2, 9, 2, 1), ==, 4 + 2);
  g_assert_cmpint (pixel_bytes (usual, GL_RGB, GL_UNSIGNED_SHORT_5_6_5, 2, 3, 1, 1), ==, 6);
  g_assert_cmpint (
    pixel_bytes (usual, GL_DEPTH_STENCIL, GL_FLOAT_32_UNSIGNED_INT_24_8_REV, 2, 1, 1, 1), ==, 8);
  g_assert_cmpint (pixel_bytes (usual, GL_RGBA, GL_HALF_FLOAT_OES, 1, 5, 1, 1), ==, 40);
  g_assert_cmpint (pixel_bytes (usual, GL_RGBA, GL_FLOAT, 2, 0, 7, 1), ==, 0);
  g_assert_cmpint (pixel_bytes (usual, GL_RGBA, GL_TEXTURE_2D, 2, 1, 1, 1), ==, -1);
  g_assert_cmpint (pixel_bytes (usual, GL_RGBA, GL_FLOAT, 2, -1, 1, 1), ==, -1);
  g_assert_cmpint (pixel_bytes (usual, GL_RGBA, GL_FLOAT, 3, G_MAXINT32, G_MAXINT32, G_MAXINT32),
                   ==, -1);
}

static void
test_parameters (void)
{
  g_assert_cmpuint (vtr_gl_parameter_values (GL_TEXTURE_MIN_FILTER), ==, 1);
  g_assert_cmpuint (vtr_gl_parameter_values (GL_TEXTURE_BORDER_COLOR), ==, 4);
  g_assert_cmpuint (vtr_gl_parameter_values (GL_TEXTURE_SWIZZLE_RGBA), ==, 4);
  g_assert_cmpuint (vtr_gl_parameter_values (GL_MAX_VIEWPORT_DIMS), ==, 2);
  g_assert_cmpuint (vtr_gl_parameter_values (GL_MODELVIEW_MATRIX), ==, 16);
  g_assert_cmpuint (vtr_gl_parameter_values (GL_MATRIX7_ARB), ==, 16);
  g_assert_cmpuint (vtr_gl_parameter_values (GL_COMPRESSED_TEXTURE_FORMATS), ==, 0);
  g_assert_cmpuint (vtr_gl_parameter_values (GL_COMPUTE_WORK_GROUP_SIZE), ==, 3);
  g_assert_cmpuint (vtr_gl_type_size (GL_UNSIGNED_SHORT), ==, 2);
  g_assert_cmpuint (vtr_gl_type_size (GL_3_BYTES), ==, 3);
  g_assert_cmpuint (vtr_gl_type_size (GL_RGBA), ==, 0);
  g_assert_cmpuint (vtr_gl_map_values (GL_MAP2_VERTEX_3), ==, 3);
  g_assert_cmpuint (vtr_gl_map_values (GL_MAP1_INDEX), ==, 1);
}

/* --- Observations ---------------------------------------------------------------------------- */

typedef struct
{
  const void *base;
  gsize size; /* 0: not observed */
} Range;

static void
find_range (void       *data,
            const void *base,
            size_t      size)
{
  Range *range = data;

  if (base == range->base)
    range->size = size;
}

/* Bytes at @base that the call reads. */
static gsize
reads (VtrCmdId        cmd,
       const void     *args,
       const VtrGlEnv *state,
       const void     *base)
{
  const VtrApiEnv env = { .state = state };
  Range range = { base, 0 };

  vtr_api_observe (cmd, args, VTR_PHASE_BEFORE, 0, &env, find_range, &range);
  return range.size;
}

static const VtrGlEnv unbound = { .stores_known = true,
                                  .pack = { .alignment = 4 },
                                  .unpack = { .alignment = 4 } };
static const VtrGlEnv bound = { .stores_known = true,
                                .pack = { .alignment = 4 },
                                .unpack = { .alignment = 4 },
                                .bound = { VTR_YES, VTR_YES, VTR_YES, VTR_YES, VTR_YES } };

static void
test_uploads (void)
{
  static const guint8 pixels[64] = { 1 };
  const VtrArgs_glTexImage2D args = { GL_TEXTURE_2D, 0, GL_RGBA, 2, 4, 0, GL_RGBA,
                                      GL_UNSIGNED_BYTE, pixels };
  const VtrGlEnv unknown = { .bound = { VTR_UNKNOWN, VTR_UNKNOWN, VTR_UNKNOWN, VTR_UNKNOWN,
                                        VTR_UNKNOWN } };

  g_assert_cmpuint (reads (VTR_CMD_glTexImage2D, &args, &unbound, pixels), ==, 32);
  g_assert_cmpuint (reads (VTR_CMD_glTexImage2D, &args, &bound, pixels), ==, 0);
  g_assert_cmpuint (reads (VTR_CMD_glTexImage2D, &args, &unknown, pixels), ==, 0);
}

static void
test_indices (void)
{
  static const guint16 indices[8] = { 1 };
  const VtrArgs_glDrawElements args = { GL_TRIANGLES, 6, GL_UNSIGNED_SHORT, indices };

  g_assert_cmpuint (reads (VTR_CMD_glDrawElements, &args, &unbound, indices), ==, 12);
  g_assert_cmpuint (reads (VTR_CMD_glDrawElements, &args, &bound, indices), ==, 0);
}

static void
test_sources (void)
{
  static const char first[] = "void main () {}garbage", second[] = "// ends with NUL";
  const char *const texts[] = { first, second };
  const gint32 lengths[] = { 15, -1 };
  const VtrArgs_glShaderSource args = { 1, 2, texts, lengths }, plain = { 1, 2, texts, NULL };

  g_assert_cmpuint (reads (VTR_CMD_glShaderSource, &args, &unbound, first), ==, 15);
  g_assert_cmpuint (reads (VTR_CMD_glShaderSource, &args, &unbound, second), ==, sizeof second);
  g_assert_cmpuint (reads (VTR_CMD_glShaderSource, &args, &unbound, lengths), ==, sizeof lengths);
  g_assert_cmpuint (reads (VTR_CMD_glShaderSource, &plain, &unbound, first), ==, sizeof first);
}

static void
test_lists (void)
{
  const gint32 pairs[] = { 0x3024, EGL_NONE, 0x3025, 8, EGL_NONE, 77 };
  const gintptr wide[] = { 0x3024, 5, EGL_NONE, 77 };
  gint32 visual[] = { GLX_RGBA, GLX_DEPTH_SIZE, 0, GLX_DOUBLEBUFFER, 0, 77 };
  const VtrArgs_eglCreateContext context = { NULL, NULL, NULL, pairs };
  const VtrArgs_eglCreateImage image = { NULL, NULL, 0, NULL, wide };
  const VtrArgs_glXChooseVisual choose = { NULL, 0, visual };

  /* A value may equal the end. */
  g_assert_cmpuint (reads (VTR_CMD_eglCreateContext, &context, &unbound, pairs), ==, 5 * 4);
  g_assert_cmpuint (reads (VTR_CMD_eglCreateImage, &image, &unbound, wide), ==, 3 * sizeof wide[0]);
  g_assert_cmpuint (reads (VTR_CMD_glXChooseVisual, &choose, &unbound, visual), ==, 5 * 4);
}

/* A list is read again up to its end, whatever lies behind it. */
static void
test_decoded_lists (void)
{
  const struct
  {
    gint32 list[3];
    gint32 behind[4];
  } memory = { { 0x3098, 3, EGL_NONE }, { 1, 2, 3, 4 } };
  const VtrArgs_eglCreateContext args = { NULL, NULL, NULL, memory.list };
  VtrBuffer message = { 0 }, text = { 0 };
  VtrDecoded decoded;
  VtrArena arena;
  const VtrProperty *list;

  vtr_arena_init (&arena);
  vtr_api_encode (&message, VTR_CMD_eglCreateContext, &args, 0, 1, 0, 0, NULL);
  vtr_api_encode_observation (&message, VTR_COMMAND_READS, memory.behind, sizeof memory.behind);
  g_assert_cmpint (
    vtr_api_decode (VTR_CMD_eglCreateContext, message.data, message.size, NULL, &arena, &decoded),
    ==, VTR_OK);
  list = vtr_property_find (
    &arena, vtr_property_root (&arena, VTR_CMD_eglCreateContext, decoded.args, &decoded, NULL),
    "attrib_list");
  g_assert_nonnull (list);
  g_assert_cmpuint (list->n_children, ==, 3);
  vtr_api_print (VTR_CMD_eglCreateContext, decoded.args, &decoded, NULL, &text);
  vtr_buffer_append_u8 (&text, 0);
  g_assert_nonnull (strstr ((const char *)text.data,
                            "attrib_list=[EGL_CONTEXT_CLIENT_VERSION, 3, EGL_NONE]"));
  vtr_buffer_finish (&text);
  vtr_arena_finish (&arena);
  vtr_buffer_finish (&message);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/gl/rules/pixels", test_pixels);
  g_test_add_func ("/gl/rules/parameters", test_parameters);
  g_test_add_func ("/gl/rules/uploads", test_uploads);
  g_test_add_func ("/gl/rules/indices", test_indices);
  g_test_add_func ("/gl/rules/sources", test_sources);
  g_test_add_func ("/gl/rules/lists", test_lists);
  g_test_add_func ("/gl/rules/decoded-lists", test_decoded_lists);
  return g_test_run ();
}
