/* Tests the sizes, aspects, planes, blocks and component limits that the replayer uses for each
 * Vulkan format. */
#include "vulkan/vtr-vulkan-formats.h"

#include <glib.h>

static void
expect (VkFormat              format,
        VkImageAspectFlagBits aspect,
        guint32               width,
        guint32               height,
        guint32               depth,
        guint64               size)
{
  VtrPixelRows extent;

  g_assert_cmpint (vtr_vulkan_format_get_rows (format, aspect, width, height, depth, &extent), ==,
                   1);
  g_assert_cmpuint (extent.size, ==, size);
}

static void
test_sizes (void)
{
  expect (VK_FORMAT_R8_UNORM, VK_IMAGE_ASPECT_COLOR_BIT, 3, 5, 1, 15);
  expect (VK_FORMAT_B8G8R8A8_SRGB, VK_IMAGE_ASPECT_COLOR_BIT, 3, 5, 2, 120);
  expect (VK_FORMAT_R8G8B8_UNORM, VK_IMAGE_ASPECT_COLOR_BIT, 4, 1, 1, 12);
  expect (VK_FORMAT_R64G64B64A64_SFLOAT, VK_IMAGE_ASPECT_COLOR_BIT, 1, 1, 1, 32);
  expect (VK_FORMAT_A2B10G10R10_UNORM_PACK32, VK_IMAGE_ASPECT_COLOR_BIT, 7, 7, 1, 196);
  expect (VK_FORMAT_E5B9G9R9_UFLOAT_PACK32, VK_IMAGE_ASPECT_COLOR_BIT, 2, 2, 1, 16);
}

static void
test_depth_stencil (void)
{
  VtrPixelRows extent;

  expect (VK_FORMAT_D16_UNORM, VK_IMAGE_ASPECT_DEPTH_BIT, 4, 4, 1, 32);
  expect (VK_FORMAT_X8_D24_UNORM_PACK32, VK_IMAGE_ASPECT_DEPTH_BIT, 4, 4, 1, 64);
  expect (VK_FORMAT_D32_SFLOAT, VK_IMAGE_ASPECT_DEPTH_BIT, 4, 4, 1, 64);
  expect (VK_FORMAT_D16_UNORM_S8_UINT, VK_IMAGE_ASPECT_DEPTH_BIT, 4, 4, 1, 32);
  expect (VK_FORMAT_D24_UNORM_S8_UINT, VK_IMAGE_ASPECT_DEPTH_BIT, 4, 4, 1, 64);
  expect (VK_FORMAT_D32_SFLOAT_S8_UINT, VK_IMAGE_ASPECT_DEPTH_BIT, 4, 4, 1, 64);
  expect (VK_FORMAT_D32_SFLOAT_S8_UINT, VK_IMAGE_ASPECT_STENCIL_BIT, 4, 4, 1, 16);
  expect (VK_FORMAT_S8_UINT, VK_IMAGE_ASPECT_STENCIL_BIT, 4, 4, 1, 16);
  g_assert_cmpint (vtr_vulkan_format_get_rows (VK_FORMAT_D16_UNORM, VK_IMAGE_ASPECT_STENCIL_BIT, 4,
                                               4, 1, &extent),
                   ==, 0);
  g_assert_cmpint (vtr_vulkan_format_get_rows (VK_FORMAT_D16_UNORM, VK_IMAGE_ASPECT_COLOR_BIT, 4, 4,
                                               1, &extent),
                   ==, 0);
}

static void
test_blocks (void)
{
  expect (VK_FORMAT_BC1_RGB_UNORM_BLOCK, VK_IMAGE_ASPECT_COLOR_BIT, 4, 4, 1, 8);
  expect (VK_FORMAT_BC7_SRGB_BLOCK, VK_IMAGE_ASPECT_COLOR_BIT, 5, 1, 1, 32);
  expect (VK_FORMAT_ASTC_10x6_UNORM_BLOCK, VK_IMAGE_ASPECT_COLOR_BIT, 11, 7, 1, 64);
  expect (VK_FORMAT_ETC2_R8G8B8A8_UNORM_BLOCK, VK_IMAGE_ASPECT_COLOR_BIT, 1, 1, 1, 16);
  /* One block is two texels. */
  expect (VK_FORMAT_G8B8G8R8_422_UNORM, VK_IMAGE_ASPECT_COLOR_BIT, 4, 1, 1, 8);
}

static void
test_planes (void)
{
  VtrPixelRows extent;

  expect (VK_FORMAT_G8_B8R8_2PLANE_420_UNORM, VK_IMAGE_ASPECT_PLANE_0_BIT, 8, 6, 1, 48);
  expect (VK_FORMAT_G8_B8R8_2PLANE_420_UNORM, VK_IMAGE_ASPECT_PLANE_1_BIT, 8, 6, 1, 24);
  expect (VK_FORMAT_G16_B16_R16_3PLANE_422_UNORM, VK_IMAGE_ASPECT_PLANE_2_BIT, 8, 6, 1, 48);
  g_assert_cmpint (vtr_vulkan_format_get_rows (VK_FORMAT_G8_B8R8_2PLANE_420_UNORM,
                                               VK_IMAGE_ASPECT_PLANE_1_BIT, 8, 6, 1, &extent),
                   ==, 1);
  g_assert_cmpuint (extent.width, ==, 4);
  g_assert_cmpuint (extent.height, ==, 3);
  g_assert_cmpint (vtr_vulkan_format_get_rows (VK_FORMAT_G8_B8R8_2PLANE_420_UNORM,
                                               VK_IMAGE_ASPECT_PLANE_2_BIT, 8, 6, 1, &extent),
                   ==, 0);
  g_assert_cmpint (vtr_vulkan_format_get_rows (VK_FORMAT_G8_B8R8_2PLANE_420_UNORM,
                                               VK_IMAGE_ASPECT_COLOR_BIT, 8, 6, 1, &extent),
                   ==, 0);
}

/* Every format is found by its value, and all of its aspects can be copied. */
static void
test_map (void)
{
  for (gsize i = 0; i < vtr_vulkan_n_formats; i++)
    {
      const VtrPixelFormat *format = vtr_vulkan_format_get (vtr_vulkan_formats[i]);

      g_assert_nonnull (format);
      g_assert_cmpint (vtr_vulkan_format_of (format), ==, vtr_vulkan_formats[i]);
      g_assert_cmpuint (format->n_planes, >=, 1);
      for (guint j = 0; j < format->n_planes; j++)
        {
          const VtrPixelAspect aspect = (VtrPixelAspect)format->planes[j].kind;
          const VtrPixelFormat *alone = vtr_pixel_format_get_aspect (format, aspect);

          g_assert_cmpint (vtr_vulkan_aspect_get (vtr_vulkan_aspect_of (aspect)), ==, aspect);
          g_assert_cmpuint (alone->n_planes, ==, 1);
          expect (vtr_vulkan_formats[i], vtr_vulkan_aspect_of (aspect), 1, 1, 1,
                  alone->block_bytes);
        }
    }
}

static void
expect_numbers (VkFormat      format,
                VtrPixelClass seen,
                gboolean      plain,
                guint         word_bytes)
{
  const VtrPixelFormat *self = vtr_vulkan_format_get (format);

  g_assert_cmpint (vtr_pixel_format_get_class (self), ==, seen);
  g_assert_cmpint (vtr_pixel_format_is_plain (self), ==, plain);
  g_assert_cmpuint (self->word_bytes, ==, word_bytes);
}

static void
test_components (void)
{
  const VtrPixelFormat *depth = vtr_vulkan_format_get (VK_FORMAT_D24_UNORM_S8_UINT);
  const VtrPixelFormat *packed = vtr_vulkan_format_get (VK_FORMAT_R5G6B5_UNORM_PACK16);

  expect_numbers (VK_FORMAT_R8G8B8A8_UINT, VTR_PIXEL_UINT, TRUE, 0);
  expect_numbers (VK_FORMAT_R32_SINT, VTR_PIXEL_SINT, TRUE, 0);
  expect_numbers (VK_FORMAT_R16G16_SSCALED, VTR_PIXEL_FLOAT, TRUE, 0);
  expect_numbers (VK_FORMAT_S8_UINT, VTR_PIXEL_UINT, TRUE, 0);
  expect_numbers (VK_FORMAT_D24_UNORM_S8_UINT, VTR_PIXEL_FLOAT, TRUE, 0);
  expect_numbers (VK_FORMAT_A2R10G10B10_SINT_PACK32, VTR_PIXEL_SINT, TRUE, 4);
  expect_numbers (VK_FORMAT_BC7_SRGB_BLOCK, VTR_PIXEL_FLOAT, FALSE, 0);
  expect_numbers (VK_FORMAT_G8B8G8R8_422_UNORM, VTR_PIXEL_FLOAT, FALSE, 0);
  expect_numbers (VK_FORMAT_G8_B8R8_2PLANE_420_UNORM, VTR_PIXEL_FLOAT, FALSE, 0);
  g_assert_false (vtr_pixel_format_is_plain (NULL));
  g_assert_cmpuint (vtr_pixel_format_get_bits (depth, 'D'), ==, 24);
  g_assert_cmpuint (vtr_pixel_format_get_bits (depth, 'S'), ==, 8);
  g_assert_cmpuint (vtr_pixel_format_get_bits (depth, 'R'), ==, 0);
  g_assert_cmpint (packed->components[0].channel, ==, 'R');
  g_assert_cmpuint (packed->components[0].offset, ==, 11);
  g_assert_false (vtr_pixel_format_is_planar (depth));
  g_assert_true (
    vtr_pixel_format_is_planar (vtr_vulkan_format_get (VK_FORMAT_G8_B8R8_2PLANE_420_UNORM)));
}

static void
test_limits (void)
{
  VtrPixelRows extent;

  g_assert_null (vtr_vulkan_format_get (0));
  g_assert_cmpint (vtr_vulkan_format_of (NULL), ==, VK_FORMAT_UNDEFINED);
  g_assert_null (vtr_vulkan_format_get (0x7fffffff));
  g_assert_cmpint (vtr_vulkan_format_get_rows (VK_FORMAT_R8_UNORM, VK_IMAGE_ASPECT_COLOR_BIT,
                                               UINT32_MAX, UINT32_MAX, UINT32_MAX, &extent),
                   ==, -1);
  g_assert_cmpint (vtr_vulkan_format_get_rows (VK_FORMAT_R8_UNORM, VK_IMAGE_ASPECT_METADATA_BIT, 1,
                                               1, 1, &extent),
                   ==, 0);
  g_assert_cmpuint (vtr_vulkan_n_formats, >, 200);
  for (gsize i = 1; i < vtr_vulkan_n_formats; i++)
    g_assert_cmpuint (vtr_vulkan_formats[i - 1], <, vtr_vulkan_formats[i]);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/replayer/formats/sizes", test_sizes);
  g_test_add_func ("/replayer/formats/depth-stencil", test_depth_stencil);
  g_test_add_func ("/replayer/formats/blocks", test_blocks);
  g_test_add_func ("/replayer/formats/planes", test_planes);
  g_test_add_func ("/replayer/formats/map", test_map);
  g_test_add_func ("/replayer/formats/components", test_components);
  g_test_add_func ("/replayer/formats/limits", test_limits);
  return g_test_run ();
}
