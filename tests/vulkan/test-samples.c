/* The reader and the writer of single samples, over a driver that makes nothing but handles. */
#include "vtr-fake-driver.h"

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

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/vulkan/samples/failures", test_failures);
  return g_test_run ();
}
