/* Tests the reader and the writer of single samples, over a driver that only makes handles. */
#include "vtr-fake-driver.h"

#include <string.h>

static VtrSamplesPart
describe (VkImageAspectFlagBits aspect)
{
  return (VtrSamplesPart){
    .format = aspect == VK_IMAGE_ASPECT_COLOR_BIT ? VK_FORMAT_R8G8B8A8_UNORM
                                                  : VK_FORMAT_D24_UNORM_S8_UINT,
    .aspect = aspect,
    .width = 9,
    .height = 5,
  };
}

static VkResult
read_once (VkImageAspectFlagBits aspect)
{
  const VtrSamplesPart part = describe (aspect);
  VtrSamplesReader reader;
  VkResult result = vtr_samples_reader_init (&reader, &vtr_fake_driver, &part,
                                             VK_IMAGE_LAYOUT_GENERAL, VK_NULL_HANDLE);

  if (result >= 0)
    vtr_samples_reader_record (&reader, VK_NULL_HANDLE, 1, 2, 3, 256);
  vtr_samples_reader_finish (&reader);
  return result;
}

static VkResult
write_once (VkImageAspectFlagBits aspect)
{
  const VtrSamplesRows rows = {
    .part = describe (aspect),
    .samples = VK_SAMPLE_COUNT_64_BIT,
    .sample = 33,
    .width = 9,
    .height = 5,
  };
  VtrSamplesWriter writer;
  VkResult result = vtr_samples_writer_init (&writer, &vtr_fake_driver, &rows);

  if (result >= 0)
    vtr_samples_writer_record (&writer, VK_NULL_HANDLE, VK_NULL_HANDLE);
  vtr_samples_writer_finish (&writer);
  return result;
}

/* Whatever fails, nothing stays and nothing is destroyed that was not made. */
static void
check_failures (VkResult (*run) (VkImageAspectFlagBits),
                VkImageAspectFlagBits aspect)
{
  guint n;

  vtr_fake_begin (0);
  g_assert_cmpint (run (aspect), ==, VK_SUCCESS);
  n = vtr_fake.n_made;
  vtr_fake_end ();
  g_assert_cmpuint (n, >, 5);
  for (guint i = 1; i <= n; i++)
    {
      vtr_fake_begin (i);
      g_assert_cmpint (run (aspect), <, 0);
      g_assert_cmpuint (vtr_fake.n_made, ==, i);
      g_assert_cmpuint (vtr_fake.n_draws + vtr_fake.n_dispatches, ==, 0);
      vtr_fake_end ();
    }
}

static void
test_failures (void)
{
  const VkImageAspectFlagBits aspects[] = { VK_IMAGE_ASPECT_COLOR_BIT, VK_IMAGE_ASPECT_DEPTH_BIT,
                                            VK_IMAGE_ASPECT_STENCIL_BIT };

  for (gsize i = 0; i < G_N_ELEMENTS (aspects); i++)
    {
      check_failures (read_once, aspects[i]);
      check_failures (write_once, aspects[i]);
    }
}

static void
test_read (void)
{
  vtr_fake_begin (0);
  g_assert_cmpint (read_once (VK_IMAGE_ASPECT_COLOR_BIT), ==, VK_SUCCESS);
  g_assert_cmpuint (vtr_fake.memory_type, ==, 2);
  g_assert_cmpuint (vtr_fake.n_draws, ==, 1);
  g_assert_cmpuint (vtr_fake.n_copies, ==, 1);
  g_assert_cmpuint (vtr_fake.dynamic_offset, ==, UINT32_MAX);
  vtr_fake_end ();
  vtr_fake_begin (0);
  g_assert_cmpint (read_once (VK_IMAGE_ASPECT_DEPTH_BIT), ==, VK_SUCCESS);
  g_assert_cmpuint (vtr_fake.n_dispatches, ==, 1);
  g_assert_cmpuint (vtr_fake.dynamic_offset, ==, 256);
  vtr_fake_end ();
}

static void
test_write (void)
{
  vtr_fake_begin (0);
  g_assert_cmpint (write_once (VK_IMAGE_ASPECT_DEPTH_BIT), ==, VK_SUCCESS);
  g_assert_cmpuint (vtr_fake.n_draws, ==, 1);
  g_assert_cmphex (vtr_fake.mask[0], ==, 0);
  g_assert_cmphex (vtr_fake.mask[1], ==, 2);
  vtr_fake_end ();
  /* Once for all bits, and once for each. */
  vtr_fake_begin (0);
  g_assert_cmpint (write_once (VK_IMAGE_ASPECT_STENCIL_BIT), ==, VK_SUCCESS);
  g_assert_cmpuint (vtr_fake.n_draws, ==, 9);
  vtr_fake_end ();
}

static void
check_pack (VkFormat              format,
            VkImageAspectFlagBits aspect,
            gconstpointer         words,
            gconstpointer         texels,
            guint                 texel_size)
{
  guint8 bytes[3 * 4];

  memcpy (bytes, words, sizeof bytes);
  g_assert_cmpuint (vtr_samples_pack (format, aspect, 3, bytes), ==, texel_size);
  g_assert_cmpmem (bytes, 3 * texel_size, texels, 3 * texel_size);
}

static void
test_pack (void)
{
  const float depths[] = { 0.0f, 0.5f, 1.0f };
  const guint16 d16[] = { 0, 0x8000, 0xffff };
  const guint32 d24[] = { 0, 0x800000, 0xffffff };
  const guint32 stencils[] = { 0, 0x7f, 0xff };
  const guint8 s8[] = { 0, 0x7f, 0xff };

  check_pack (VK_FORMAT_D32_SFLOAT_S8_UINT, VK_IMAGE_ASPECT_DEPTH_BIT, depths, depths, 4);
  check_pack (VK_FORMAT_D16_UNORM_S8_UINT, VK_IMAGE_ASPECT_DEPTH_BIT, depths, d16, 2);
  check_pack (VK_FORMAT_D16_UNORM, VK_IMAGE_ASPECT_DEPTH_BIT, depths, d16, 2);
  check_pack (VK_FORMAT_X8_D24_UNORM_PACK32, VK_IMAGE_ASPECT_DEPTH_BIT, depths, d24, 4);
  check_pack (VK_FORMAT_D24_UNORM_S8_UINT, VK_IMAGE_ASPECT_DEPTH_BIT, depths, d24, 4);
  check_pack (VK_FORMAT_D24_UNORM_S8_UINT, VK_IMAGE_ASPECT_STENCIL_BIT, stencils, s8, 1);
  check_pack (VK_FORMAT_S8_UINT, VK_IMAGE_ASPECT_STENCIL_BIT, stencils, s8, 1);
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/vulkan/samples/failures", test_failures);
  g_test_add_func ("/vulkan/samples/read", test_read);
  g_test_add_func ("/vulkan/samples/write", test_write);
  g_test_add_func ("/vulkan/samples/pack", test_pack);
  return g_test_run ();
}
