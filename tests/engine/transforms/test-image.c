/* Texels of every format the registry describes. */
#include <glib/gstdio.h>
#include <math.h>
#include <png.h>
#include <string.h>

#include "engine/resolve/vtr-format-info.h"
#include "engine/resolve/vtr-image.h"

static VtrImage *
image (VkFormat               format,
       VkImageAspectFlagBits  aspect,
       guint32                width,
       guint32                height,
       const void            *texels,
       gsize                  size)
{
  g_autoptr (GBytes) bytes = g_bytes_new (texels, size);
  g_autoptr (GError) error = NULL;
  VtrImage *self = vtr_image_new (format, aspect, width, height, bytes, &error);

  g_assert_no_error (error);
  return self;
}

static void
expect (VkFormat               format,
        VkImageAspectFlagBits  aspect,
        const void            *texel,
        gsize                  size,
        guint                  n,
        double                 r,
        double                 g,
        double                 b,
        double                 a)
{
  g_autoptr (VtrImage) self = image (format, aspect, 1, 1, texel, size);
  const double wanted[4] = { r, g, b, a };
  double got[4];

  g_assert_cmpuint (vtr_image_read_texel (self, 0, 0, got), ==, n);
  for (guint i = 0; i < 4; i++)
    g_assert_cmpfloat_with_epsilon (got[i], wanted[i], 1e-6);
}

#define COLOR VK_IMAGE_ASPECT_COLOR_BIT
#define EXPECT(format, aspect, n, r, g, b, a, ...) \
  G_STMT_START \
  { \
    const guint8 bytes[] = { __VA_ARGS__ }; \
    expect (format, aspect, bytes, sizeof bytes, n, r, g, b, a); \
  } \
  G_STMT_END

static void
test_texels (void)
{
  EXPECT (VK_FORMAT_R8G8B8A8_UNORM, COLOR, 4, 1, 0, 51 / 255.0, 0, 255, 0, 51, 0);
  EXPECT (VK_FORMAT_B8G8R8A8_UNORM, COLOR, 4, 51 / 255.0, 0, 1, 1, 255, 0, 51, 255);
  EXPECT (VK_FORMAT_R8G8_SNORM, COLOR, 2, -1, 1, 0, 1, 0x80, 0x7f);
  EXPECT (VK_FORMAT_R16G16_SINT, COLOR, 2, -2, 258, 0, 1, 0xfe, 0xff, 2, 1);
  EXPECT (VK_FORMAT_R32_SFLOAT, COLOR, 1, -1.5, 0, 0, 1, 0, 0, 0xc0, 0xbf);
  EXPECT (VK_FORMAT_R16_SFLOAT, COLOR, 1, -2, 0, 0, 1, 0, 0xc0);
  EXPECT (VK_FORMAT_R5G6B5_UNORM_PACK16, COLOR, 3, 1, 0, 1, 1, 0x1f, 0xf8);
  EXPECT (VK_FORMAT_A2B10G10R10_UNORM_PACK32, COLOR, 4, 1, 0, 0, 1, 0xff, 3, 0, 0xc0);
  EXPECT (VK_FORMAT_A2R10G10B10_UNORM_PACK32, COLOR, 4, 0, 0, 1, 1, 0xff, 3, 0, 0xc0);
  /* 1.0 has exponent 15 and no fraction: 0x3c0 with 6 bits of it, 0x1e0 with 5. */
  EXPECT (VK_FORMAT_B10G11R11_UFLOAT_PACK32, COLOR, 3, 1, 0, 1, 1, 0xc0, 3, 0, 0x78);
  /* Exponent 16: 2^(16-15-9) times the mantissas 256, 0, 128. */
  EXPECT (VK_FORMAT_E5B9G9R9_UFLOAT_PACK32, COLOR, 3, 1, 0, 0.5, 1, 0, 1, 0, 0x82);
  EXPECT (VK_FORMAT_R10X6G10X6_UNORM_2PACK16, COLOR, 2, 1, 0, 0, 1, 0xc0, 0xff, 0, 0);
  EXPECT (VK_FORMAT_R64_UINT, COLOR, 1, 1099511627776.0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0);
  EXPECT (VK_FORMAT_R8_SRGB, COLOR, 1, 1, 0, 0, 1, 0xff);
  EXPECT (VK_FORMAT_D16_UNORM, VK_IMAGE_ASPECT_DEPTH_BIT, 1, 1, 0, 0, 1, 0xff, 0xff);
  EXPECT (VK_FORMAT_D24_UNORM_S8_UINT, VK_IMAGE_ASPECT_DEPTH_BIT, 1, 1, 0, 0, 1, 0xff, 0xff, 0xff,
          0x12);
  EXPECT (VK_FORMAT_D24_UNORM_S8_UINT, VK_IMAGE_ASPECT_STENCIL_BIT, 1, 7, 0, 0, 1, 7);
  EXPECT (VK_FORMAT_D32_SFLOAT_S8_UINT, VK_IMAGE_ASPECT_DEPTH_BIT, 1, 0.5, 0, 0, 1, 0, 0, 0, 0x3f);
}

/* Components fill what the format's name says, without overlap. */
static void
test_table (void)
{
  guint n = 0;

  for (guint format = 1; format < 200; format++)
    {
      const VtrFormatInfo *info = vtr_format_info_get ((VkFormat)format);
      guint8 bits[256] = { 0 };

      if (info == NULL)
        continue;
      n++;
      for (guint i = 0; i < info->n_components; i++)
        for (guint bit = 0; bit < info->components[i].bits; bit++)
          {
            guint at = info->components[i].offset + bit;

            g_assert_cmpuint (at, <, info->texel_bytes * 8u);
            g_assert_cmpuint (bits[at]++, ==, 0);
          }
    }
  g_assert_cmpuint (n, >, 120);
  g_assert_null (vtr_format_info_get (VK_FORMAT_BC7_UNORM_BLOCK));
  g_assert_null (vtr_format_info_get_aspect (VK_FORMAT_D32_SFLOAT, VK_IMAGE_ASPECT_STENCIL_BIT));
}

static void
test_pixels (void)
{
  const guint8 bgra[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
  const guint8 wanted[] = { 3, 2, 1, 4, 7, 6, 5, 8 };
  const float depths[] = { 0.25f, 0.75f };
  g_autoptr (VtrImage) color = image (VK_FORMAT_B8G8R8A8_SRGB, COLOR, 2, 1, bgra, sizeof bgra);
  g_autoptr (VtrImage) depth =
    image (VK_FORMAT_D32_SFLOAT, VK_IMAGE_ASPECT_DEPTH_BIT, 2, 1, depths, sizeof depths);
  g_autoptr (GBytes) color_pixels = vtr_image_to_rgba8 (color, 0, 1);
  g_autoptr (GBytes) slow_pixels = vtr_image_to_rgba8 (color, 0, 1.0000001);
  g_autoptr (GBytes) depth_pixels = vtr_image_to_rgba8 (depth, 0.25, 0.75);
  const guint8 greys[] = { 0, 0, 0, 255, 255, 255, 255, 255 };

  g_assert_cmpmem (g_bytes_get_data (color_pixels, NULL), 8, wanted, 8);
  g_assert_true (g_bytes_equal (color_pixels, slow_pixels));
  g_assert_cmpmem (g_bytes_get_data (depth_pixels, NULL), 8, greys, 8);
}

static void
test_png (void)
{
  const guint8 bgra[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
  const guint16 depths[] = { 0x1234, 0xffff };
  g_autoptr (VtrImage) color = image (VK_FORMAT_B8G8R8A8_UNORM, COLOR, 1, 2, bgra, sizeof bgra);
  g_autoptr (VtrImage) depth =
    image (VK_FORMAT_D16_UNORM, VK_IMAGE_ASPECT_DEPTH_BIT, 2, 1, depths, sizeof depths);
  g_autofree char *path = g_build_filename (g_get_tmp_dir (), "vtr-test-image.png", NULL);
  g_autoptr (GError) error = NULL;
  png_image png = { .version = PNG_IMAGE_VERSION };
  guint8 pixels[8];

  g_assert_true (vtr_image_save_png (color, path, &error));
  g_assert_true (png_image_begin_read_from_file (&png, path));
  g_assert_cmpuint (png.width, ==, 1);
  g_assert_cmpuint (png.height, ==, 2);
  png.format = PNG_FORMAT_BGRA;
  g_assert_true (png_image_finish_read (&png, NULL, pixels, 0, NULL));
  g_assert_cmpmem (pixels, 8, bgra, 8);

  g_assert_true (vtr_image_save_png (depth, path, &error));
  memset (&png, 0, sizeof png);
  png.version = PNG_IMAGE_VERSION;
  g_assert_true (png_image_begin_read_from_file (&png, path));
  g_assert_true ((png.format & PNG_FORMAT_FLAG_LINEAR) != 0); /* 16 bits */
  png_image_free (&png);
  g_assert_false (vtr_image_save_png (color, "/nonexistent/x.png", &error));
  g_assert_nonnull (error);
  g_unlink (path);
}

static void
test_errors (void)
{
  const guint8 bytes[15] = { 0 };
  g_autoptr (GBytes) texels = g_bytes_new_static (bytes, sizeof bytes);
  g_autoptr (GError) error = NULL;

  g_assert_null (vtr_image_new (VK_FORMAT_R8G8B8A8_UNORM, COLOR, 2, 2, texels, &error));
  g_assert_error (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_PAYLOAD);
  g_clear_error (&error);
  g_assert_null (
    vtr_image_new (VK_FORMAT_R64G64B64A64_UINT, COLOR, 0xffffffff, 0xffffffff, texels, &error));
  g_clear_error (&error);
  g_assert_null (vtr_image_new (VK_FORMAT_ASTC_4x4_SFLOAT_BLOCK, COLOR, 4, 4, texels, &error));
  g_assert_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, G_TEST_OPTION_ISOLATE_DIRS, NULL);
  g_test_add_func ("/engine/resolve/image/texels", test_texels);
  g_test_add_func ("/engine/resolve/image/table", test_table);
  g_test_add_func ("/engine/resolve/image/pixels", test_pixels);
  g_test_add_func ("/engine/resolve/image/png", test_png);
  g_test_add_func ("/engine/resolve/image/errors", test_errors);
  return g_test_run ();
}
