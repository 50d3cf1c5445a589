/* Tests texels of every format that the registry describes. */
#include <glib/gstdio.h>
#include <math.h>
#include <png.h>
#include <string.h>

#include "engine/picture/vtr-image-file.h"
#include "engine/picture/vtr-image.h"
#include "vulkan/vtr-vulkan-formats.h"

static VtrImage *
make (VkFormat                format,
      VkImageAspectFlagBits   aspect,
      guint32                 width,
      guint32                 height,
      GBytes                 *texels,
      GError                **error)
{
  return vtr_image_new (vtr_vulkan_format_get (format), vtr_vulkan_aspect_get (aspect), width,
                        height, texels, error);
}

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
  VtrImage *self = make (format, aspect, width, height, bytes, &error);

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
  EXPECT (VK_FORMAT_R10X6G10X6B10X6A10X6_UNORM_4PACK16, COLOR, 4, 1, 0, 1, 1, 0xc0, 0xff, 0, 0,
          0xc0, 0xff, 0xc0, 0xff);
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
      const VtrPixelFormat *info = vtr_vulkan_format_get ((VkFormat)format);
      guint8 bits[256] = { 0 };

      if (!vtr_pixel_format_is_plain (info))
        continue;
      n++;
      for (guint i = 0; i < info->n_components; i++)
        for (guint bit = 0; bit < info->components[i].bits; bit++)
          {
            guint at = info->components[i].offset + bit;

            g_assert_cmpuint (at, <, info->block_bytes * 8u);
            g_assert_cmpuint (bits[at]++, ==, 0);
          }
    }
  g_assert_cmpuint (n, >, 120);
  g_assert_false (
    vtr_pixel_format_is_plain (vtr_vulkan_format_get (VK_FORMAT_BC7_UNORM_BLOCK)));
  g_assert_null (vtr_vulkan_format_get_aspect (VK_FORMAT_D32_SFLOAT, VK_IMAGE_ASPECT_STENCIL_BIT));
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

  g_assert_true (vtr_image_save (color, path, &error));
  g_assert_true (png_image_begin_read_from_file (&png, path));
  g_assert_cmpuint (png.width, ==, 1);
  g_assert_cmpuint (png.height, ==, 2);
  png.format = PNG_FORMAT_BGRA;
  g_assert_true (png_image_finish_read (&png, NULL, pixels, 0, NULL));
  g_assert_cmpmem (pixels, 8, bgra, 8);

  g_assert_true (vtr_image_save (depth, path, &error));
  memset (&png, 0, sizeof png);
  png.version = PNG_IMAGE_VERSION;
  g_assert_true (png_image_begin_read_from_file (&png, path));
  g_assert_true ((png.format & PNG_FORMAT_FLAG_LINEAR) != 0); /* 16 bits */
  png_image_free (&png);
  g_assert_false (vtr_image_save (color, "/nonexistent/x.png", &error));
  g_assert_nonnull (error);
  g_unlink (path);
}

/* The samples of @self as PNG, which has 16 bits for each. (transfer full) */
static guint16 *
read_png_16 (VtrImage *self,
             guint     channels)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) png = vtr_image_to_png (self, &error);
  const guint8 *bytes = g_bytes_get_data (png, NULL);
  png_image file = { .version = PNG_IMAGE_VERSION };
  guint16 *samples = g_new (guint16, (gsize)self->width * self->height * channels);

  g_assert_no_error (error);
  g_assert_cmpuint (bytes[24], ==, 16); /* IHDR: bits of a sample */
  g_assert_true (png_image_begin_read_from_memory (&file, bytes, g_bytes_get_size (png)));
  file.format = channels == 1 ? PNG_FORMAT_LINEAR_Y : PNG_FORMAT_LINEAR_RGB;
  g_assert_true (png_image_finish_read (&file, NULL, samples, 0, NULL));
  return samples;
}

/* Whether the file holds @text, as a comment does. */
static void
expect_comment (VtrImage   *self,
                const char *text)
{
  g_autoptr (GBytes) png = vtr_image_to_png (self, NULL);
  gsize size;
  const char *bytes = g_bytes_get_data (png, &size);

  g_assert_nonnull (memmem (bytes, size, text, strlen (text)));
}

/* Integers, floats and signed values are scaled to a range that is reported; nothing is
 * truncated to 8 bits. */
static void
test_ranges (void)
{
  const guint16 ids[] = { 0, 5000, 20000, 10000 };
  const guint8 stencils[] = { 0, 1, 2, 1 };
  const gint32 signs[] = { -100, 100 };
  const float floats[] = { 0.5f, 2.0f, -1.0f, NAN };
  const guint8 snorms[] = { 0x81, 0x7f, 0, 0 };
  g_autoptr (VtrImage) id = image (VK_FORMAT_R16_UINT, COLOR, 2, 2, ids, sizeof ids);
  g_autoptr (VtrImage) stencil =
    image (VK_FORMAT_S8_UINT, VK_IMAGE_ASPECT_STENCIL_BIT, 2, 2, stencils, sizeof stencils);
  g_autoptr (VtrImage) sign = image (VK_FORMAT_R32_SINT, COLOR, 2, 1, signs, sizeof signs);
  g_autoptr (VtrImage) number = image (VK_FORMAT_R32_SFLOAT, COLOR, 4, 1, floats, sizeof floats);
  g_autoptr (VtrImage) snorm = image (VK_FORMAT_R8G8_SNORM, COLOR, 2, 1, snorms, sizeof snorms);
  g_autofree char *words = vtr_image_describe_range (number);
  VtrImageRange range = vtr_image_find_range (id);
  g_autoptr (GBytes) pixels = vtr_image_to_rgba8 (id, range.low, range.high);

  g_assert_cmpfloat (range.low, ==, 0);
  g_assert_cmpfloat (range.high, ==, 20000);
  g_assert_cmpuint (((const guint8 *)g_bytes_get_data (pixels, NULL))[4], ==, 64);
  expect_comment (id, "Range: 0 to 20000");
  range = vtr_image_find_range (stencil);
  g_assert_cmpfloat (range.high, ==, 2);
  range = vtr_image_find_range (sign);
  g_assert_cmpfloat (range.low, ==, -100);
  g_assert_cmpfloat (range.high, ==, 100);
  range = vtr_image_find_range (number);
  g_assert_cmpfloat (range.low, ==, 0);
  g_assert_cmpfloat (range.high, ==, 1);
  g_assert_cmpfloat (range.least, ==, -1);
  g_assert_cmpfloat (range.most, ==, 2);
  g_assert_nonnull (strstr (words, "clipped"));
  expect_comment (number, "Range: 0 to 1");
  range = vtr_image_find_range (snorm);
  g_assert_cmpfloat (range.low, ==, -1);
}

static void
test_png_16 (void)
{
  const guint16 ids[] = { 0, 20000, 10000 };
  const guint16 norms[] = { 0, 0x0102, 0xfffe, 0xffff };
  const float floats[] = { 0, 1.0f / 512, 1 };
  g_autoptr (VtrImage) id = image (VK_FORMAT_R16_UINT, COLOR, 3, 1, ids, sizeof ids);
  g_autoptr (VtrImage) norm =
    image (VK_FORMAT_D16_UNORM, VK_IMAGE_ASPECT_DEPTH_BIT, 4, 1, norms, sizeof norms);
  g_autoptr (VtrImage) number = image (VK_FORMAT_R32_SFLOAT, COLOR, 3, 1, floats, sizeof floats);
  g_autofree guint16 *got = read_png_16 (id, 3);

  g_assert_cmpuint (got[0], ==, 0);
  g_assert_cmpuint (got[3], ==, 65535);
  g_clear_pointer (&got, g_free);
  got = read_png_16 (number, 3);
  g_assert_cmpuint (got[6], ==, 65535);
  g_clear_pointer (&got, g_free);
  got = read_png_16 (norm, 1);
  g_assert_cmpuint (got[3], ==, 65535);
}

static guint32
word_at (GBytes *file,
         gsize   at)
{
  guint32 word;

  g_assert_cmpuint (at + 4, <=, g_bytes_get_size (file));
  memcpy (&word, (const guint8 *)g_bytes_get_data (file, NULL) + at, sizeof word);
  return GUINT32_FROM_LE (word);
}

static GBytes *
save_as (VtrImage   *self,
         const char *name)
{
  g_autofree char *path = g_build_filename (g_get_tmp_dir (), name, NULL);
  g_autoptr (GError) error = NULL;
  char *contents = NULL;
  gsize size = 0;

  vtr_image_save (self, path, &error);
  g_assert_no_error (error);
  g_assert_true (g_file_get_contents (path, &contents, &size, NULL));
  g_unlink (path);
  return g_bytes_new_take (contents, size);
}

/* KTX2: the texels as they are, where the level says, and the descriptor of their format. */
static void
expect_ktx2 (VkFormat              format,
             VkImageAspectFlagBits aspect,
             VkFormat              written,
             guint32               type_bytes,
             guint8                model,
             guint                 n_samples)
{
  guint8 texels[4 * 4 * 16];
  VtrImage *self;
  g_autoptr (GBytes) file = NULL;
  gsize size, data, descriptor;

  for (guint i = 0; i < sizeof texels; i++)
    texels[i] = (guint8)(i * 7);
  self = image (format, aspect, 4, 4, texels, sizeof texels);
  file = save_as (self, "vtr-test-image.ktx2");
  size = g_bytes_get_size (self->texels);
  data = word_at (file, 80);
  descriptor = word_at (file, 48);
  g_test_message ("format %d", (int)format);
  g_assert_cmpmem (g_bytes_get_data (file, NULL), 12, "\xabKTX 20\xbb\r\n\x1a\n", 12);
  g_assert_cmpuint (word_at (file, 12), ==, written);
  g_assert_cmpuint (word_at (file, 16), ==, type_bytes);
  g_assert_cmpuint (word_at (file, 20), ==, 4);
  g_assert_cmpuint (word_at (file, 24), ==, 4);
  g_assert_cmpuint (word_at (file, 40), ==, 1);
  g_assert_cmpuint (word_at (file, 88), ==, size);
  g_assert_cmpuint (data % 4, ==, 0);
  g_assert_cmpuint (data + size, ==, g_bytes_get_size (file));
  g_assert_cmpmem ((const guint8 *)g_bytes_get_data (file, NULL) + data, size, texels, size);
  g_assert_cmpuint (word_at (file, descriptor), ==, word_at (file, 52));
  g_assert_cmpuint (word_at (file, descriptor), ==, 28 + 16 * n_samples);
  g_assert_cmpuint (word_at (file, descriptor + 12) & 255, ==, model);
  vtr_image_unref (self);
}

static void
test_ktx2 (void)
{
  expect_ktx2 (VK_FORMAT_B8G8R8A8_SRGB, COLOR, VK_FORMAT_B8G8R8A8_SRGB, 1, 1, 4);
  expect_ktx2 (VK_FORMAT_R16G16B16A16_SFLOAT, COLOR, VK_FORMAT_R16G16B16A16_SFLOAT, 2, 1, 4);
  expect_ktx2 (VK_FORMAT_R32_UINT, COLOR, VK_FORMAT_R32_UINT, 4, 1, 1);
  expect_ktx2 (VK_FORMAT_R8G8B8_USCALED, COLOR, VK_FORMAT_R8G8B8_UINT, 1, 1, 3);
  expect_ktx2 (VK_FORMAT_A8B8G8R8_UNORM_PACK32, COLOR, VK_FORMAT_R8G8B8A8_UNORM, 1, 1, 4);
  expect_ktx2 (VK_FORMAT_A2B10G10R10_UNORM_PACK32, COLOR, VK_FORMAT_A2B10G10R10_UNORM_PACK32, 4, 1,
               4);
  expect_ktx2 (VK_FORMAT_E5B9G9R9_UFLOAT_PACK32, COLOR, VK_FORMAT_E5B9G9R9_UFLOAT_PACK32, 4, 1, 6);
  expect_ktx2 (VK_FORMAT_D24_UNORM_S8_UINT, VK_IMAGE_ASPECT_DEPTH_BIT,
               VK_FORMAT_X8_D24_UNORM_PACK32, 4, 1, 1);
  expect_ktx2 (VK_FORMAT_D24_UNORM_S8_UINT, VK_IMAGE_ASPECT_STENCIL_BIT, VK_FORMAT_S8_UINT, 1, 1,
               1);
  expect_ktx2 (VK_FORMAT_BC1_RGBA_UNORM_BLOCK, COLOR, VK_FORMAT_BC1_RGBA_UNORM_BLOCK, 1, 128, 1);
  expect_ktx2 (VK_FORMAT_BC3_SRGB_BLOCK, COLOR, VK_FORMAT_BC3_SRGB_BLOCK, 1, 130, 2);
  expect_ktx2 (VK_FORMAT_BC7_UNORM_BLOCK, COLOR, VK_FORMAT_BC7_UNORM_BLOCK, 1, 134, 1);
  expect_ktx2 (VK_FORMAT_ETC2_R8G8B8A8_UNORM_BLOCK, COLOR, VK_FORMAT_ETC2_R8G8B8A8_UNORM_BLOCK, 1,
               161, 2);
  expect_ktx2 (VK_FORMAT_ASTC_4x4_UNORM_BLOCK, COLOR, VK_FORMAT_ASTC_4x4_UNORM_BLOCK, 1, 162, 1);
}

static void
test_plain_files (void)
{
  const float floats[] = { 0.5f, 2.0f, -1.0f, 4.0f };
  const char header[] = "Pf\n2 2\n-1.0\n";
  g_autoptr (VtrImage) number = image (VK_FORMAT_R32_SFLOAT, COLOR, 2, 2, floats, sizeof floats);
  g_autoptr (GBytes) pfm = save_as (number, "vtr-test-image.pfm");
  g_autoptr (GBytes) raw = save_as (number, "vtr-test-image.RAW");
  const guint8 *data = g_bytes_get_data (pfm, NULL);
  gsize length = strlen (header);

  g_assert_cmpuint (g_bytes_get_size (pfm), ==, length + sizeof floats);
  g_assert_cmpmem (data, length, header, length);
  g_assert_cmpmem (data + length, 8, floats + 2, 8); /* the last row first */
  g_assert_cmpmem (data + length + 8, 8, floats, 8);
  g_assert_cmpmem (g_bytes_get_data (raw, NULL), g_bytes_get_size (raw), floats, sizeof floats);
}

static void
test_suffixes (void)
{
  static const char *const good[] = { "a.png", "a.PNG", "a.b/c", "/dev/stdout", "x.ktx2", "x.pfm",
                                      "a.png.raw" };
  static const char *const bad[] = { "a.jpg", "a.exr", "a.dds", "a.ktx", "a.png~", "b/a.png.bak" };

  for (guint i = 0; i < G_N_ELEMENTS (good); i++)
    g_assert_true (vtr_image_check_suffix (good[i], NULL));
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_false (vtr_image_check_suffix (bad[i], &error));
      g_assert_error (error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED);
      g_assert_nonnull (strstr (error->message, ".ktx2"));
    }
}

static void
test_errors (void)
{
  const guint8 bytes[15] = { 0 };
  g_autoptr (GBytes) texels = g_bytes_new_static (bytes, sizeof bytes);
  g_autoptr (GError) error = NULL;

  g_assert_null (make (VK_FORMAT_R8G8B8A8_UNORM, COLOR, 2, 2, texels, &error));
  g_assert_error (error, VTR_IMAGE_ERROR, VTR_IMAGE_ERROR_BYTES);
  g_clear_error (&error);
  g_assert_null (
    make (VK_FORMAT_R64G64B64A64_UINT, COLOR, 0xffffffff, 0xffffffff, texels, &error));
  g_clear_error (&error);
  g_assert_null (make (VK_FORMAT_ASTC_4x4_SFLOAT_BLOCK, COLOR, 4, 4, texels, &error));
  g_assert_error (error, VTR_IMAGE_ERROR, VTR_IMAGE_ERROR_FORMAT);
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
  g_test_add_func ("/engine/resolve/image/ranges", test_ranges);
  g_test_add_func ("/engine/resolve/image/png-16", test_png_16);
  g_test_add_func ("/engine/resolve/image/ktx2", test_ktx2);
  g_test_add_func ("/engine/resolve/image/plain-files", test_plain_files);
  g_test_add_func ("/engine/resolve/image/suffixes", test_suffixes);
  g_test_add_func ("/engine/resolve/image/errors", test_errors);
  return g_test_run ();
}
