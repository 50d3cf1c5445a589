/* Tests reading images through the real replayer, on the machine's driver (lavapipe in CI). */
#include "fixture.h"

/* --- Images ---------------------------------------------------------------------------------- */

static void
test_clear_color (Fixture       *self,
                  gconstpointer  data)
{
  const VkImageCreateInfo info = image_info (VK_FORMAT_R8G8B8A8_UNORM, 65, 33, 0);
  const VkClearColorValue color = { .float32 = { 1, 0, 0.2f, 1 } };
  VtrReplayReadImage read = { .format = VK_FORMAT_R8G8B8A8_UNORM,
                              .aspect = VK_IMAGE_ASPECT_COLOR_BIT,
                              .layout = VK_IMAGE_LAYOUT_PRESENT_SRC_KHR,
                              .samples = 1,
                              .width = 65,
                              .height = 33,
                              .depth = 1,
                              .post = 5 };
  g_autoptr (GError) error = NULL;
  guint32 memory;
  guint32 image = payload_make_image (&self->payload, &self->device, &info, 1 << 20, &memory);
  const guint8 *texels;
  gsize size;

  clear_image (self, image, &color, &whole_color, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR);
  payload_read_image (&self->payload, &self->device, image, &read);
  read.post = 6;
  payload_read_image (&self->payload, &self->device, image, &read); /* the layout is as it was */

  g_assert_true (fixture_run (self, 0, &error));
  g_assert_no_error (error);
  g_assert_false (self->outcome.failed);
  g_assert_cmpuint (self->outcome.n_calls, >, 15);
  texels = g_bytes_get_data (log_get (&self->log, 5), &size);
  g_assert_cmpuint (size, ==, 65 * 33 * 4);
  for (gsize i = 0; i < size; i += 4)
    g_assert_cmpmem (texels + i, 4, "\xff\x00\x33\xff", 4);
  g_assert_true (g_bytes_equal (log_get (&self->log, 5), log_get (&self->log, 6)));
}

/* Two mip levels, two layers: each is read alone. */
static void
test_subresources (Fixture       *self,
                   gconstpointer  data)
{
  VkImageCreateInfo info = image_info (VK_FORMAT_R32_UINT, 8, 4, 0);
  VtrReplayReadImage read = { .format = VK_FORMAT_R32_UINT,
                              .aspect = VK_IMAGE_ASPECT_COLOR_BIT,
                              .layout = VK_IMAGE_LAYOUT_GENERAL,
                              .samples = 1,
                              .depth = 1 };
  g_autoptr (GError) error = NULL;
  guint32 memory, image;

  info.mipLevels = 2;
  info.arrayLayers = 2;
  image = payload_make_image (&self->payload, &self->device, &info, 1 << 20, &memory);
  payload_begin_commands (&self->payload, &self->device);
  payload_barrier (&self->payload, &self->device, image, VK_IMAGE_ASPECT_COLOR_BIT,
                   VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
  for (guint i = 0; i < 4; i++)
    {
      const VkClearColorValue color = { .uint32 = { i + 100 } };
      const VkImageSubresourceRange range = { VK_IMAGE_ASPECT_COLOR_BIT, i / 2, 1, i % 2, 1 };

      payload_call (&self->payload, VTR_CMD_vkCmdClearColorImage, SLOT (self->device.commands),
                    SLOT (image), U32 (VK_IMAGE_LAYOUT_GENERAL),
                    AT (payload_put (&self->payload, &color, sizeof color)), U32 (1),
                    AT (payload_put (&self->payload, &range, sizeof range)));
    }
  payload_submit_commands (&self->payload, &self->device);
  for (guint i = 0; i < 4; i++)
    {
      read.mip = i / 2;
      read.layer = i % 2;
      read.width = 8u >> read.mip;
      read.height = 4u >> read.mip;
      read.post = i;
      payload_read_image (&self->payload, &self->device, image, &read);
    }

  g_assert_true (fixture_run (self, 0, &error));
  g_assert_no_error (error);
  for (guint i = 0; i < 4; i++)
    {
      gsize size;
      const guint32 *texels = g_bytes_get_data (log_get (&self->log, i), &size);

      g_assert_cmpuint (size, ==, i < 2 ? 128 : 32);
      for (gsize j = 0; j < size / 4; j++)
        g_assert_cmpuint (texels[j], ==, i + 100);
    }
}

static void
test_volume (Fixture       *self,
             gconstpointer  data)
{
  VkImageCreateInfo info = image_info (VK_FORMAT_R8_UNORM, 5, 3, 0);
  const VkClearColorValue color = { .float32 = { 1 } };
  const VtrReplayReadImage read = { .format = VK_FORMAT_R8_UNORM,
                                    .aspect = VK_IMAGE_ASPECT_COLOR_BIT,
                                    .layout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
                                    .samples = 1,
                                    .width = 5,
                                    .height = 3,
                                    .depth = 7 };
  g_autoptr (GError) error = NULL;
  const guint8 *texels;
  guint32 memory, image;
  gsize size;

  info.imageType = VK_IMAGE_TYPE_3D;
  info.extent.depth = 7;
  info.usage |= VK_IMAGE_USAGE_SAMPLED_BIT;
  image = payload_make_image (&self->payload, &self->device, &info, 1 << 20, &memory);
  clear_image (self, image, &color, &whole_color, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
  payload_read_image (&self->payload, &self->device, image, &read);
  g_assert_true (fixture_run (self, 0, &error));
  texels = g_bytes_get_data (log_get (&self->log, 0), &size);
  g_assert_cmpuint (size, ==, 5 * 3 * 7);
  for (gsize i = 0; i < size; i++)
    g_assert_cmpuint (texels[i], ==, 255);
}

/* Both aspects of a combined image, one after the other. */
static void
test_depth_stencil (Fixture       *self,
                    gconstpointer  data)
{
  const VkImageCreateInfo info = image_info (VK_FORMAT_D32_SFLOAT_S8_UINT, 16, 16,
                                             VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT);
  const VkImageSubresourceRange both = { VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT, 0,
                                         1, 0, 1 };
  const VkClearDepthStencilValue depth_stencil = { 0.25f, 0x5a };
  VkClearColorValue value = { .uint32 = { 0 } };
  VtrReplayReadImage read = { .format = VK_FORMAT_D32_SFLOAT_S8_UINT,
                              .aspect = VK_IMAGE_ASPECT_DEPTH_BIT,
                              .layout = VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
                              .samples = 1,
                              .width = 16,
                              .height = 16,
                              .depth = 1 };
  g_autoptr (GError) error = NULL;
  const float *depths;
  const guint8 *stencils;
  guint32 memory, image;
  gsize size;

  memcpy (&value, &depth_stencil, sizeof depth_stencil);
  image = payload_make_image (&self->payload, &self->device, &info, 1 << 20, &memory);
  clear_image (self, image, &value, &both, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL);
  payload_read_image (&self->payload, &self->device, image, &read);
  read.aspect = VK_IMAGE_ASPECT_STENCIL_BIT;
  read.post = 1;
  payload_read_image (&self->payload, &self->device, image, &read);
  g_assert_true (fixture_run (self, 0, &error));
  depths = g_bytes_get_data (log_get (&self->log, 0), &size);
  g_assert_cmpuint (size, ==, 1024);
  g_assert_cmpfloat (depths[255], ==, 0.25f);
  stencils = g_bytes_get_data (log_get (&self->log, 1), &size);
  g_assert_cmpuint (size, ==, 256);
  g_assert_cmpuint (stencils[255], ==, 0x5a);
}

/* --- Multisampled ---------------------------------------------------------------------------- */

typedef struct
{
  VkFormat format;
  VkClearColorValue color;
  guint size;
  const char *texel;
} ColorCase;

static void
test_multisampled_color (Fixture       *self,
                         gconstpointer  data)
{
  static const ColorCase cases[] = {
    { VK_FORMAT_R8G8B8A8_UNORM, { .float32 = { 0.2f, 0, 1, 1 } }, 4, "\x33\x00\xff\xff" },
    { VK_FORMAT_R16_UINT, { .uint32 = { 0x1234 } }, 2, "\x34\x12" },
    { VK_FORMAT_R32_SINT, { .int32 = { -2 } }, 4, "\xfe\xff\xff\xff" },
  };
  VtrReplayReadImage read = { .aspect = VK_IMAGE_ASPECT_COLOR_BIT,
                              .layout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                              .samples = 4,
                              .width = 19,
                              .height = 7,
                              .depth = 1 };
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      VkImageCreateInfo info = image_info (cases[i].format, 19, 7,
                                           VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
      guint32 memory, image;

      info.samples = VK_SAMPLE_COUNT_4_BIT;
      image = payload_make_image (&self->payload, &self->device, &info, 1 << 20, &memory);
      clear_image (self, image, &cases[i].color, &whole_color,
                   VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
      read.format = cases[i].format;
      for (guint sample = 0; sample < 5; sample++)
        {
          read.sample = sample < 4 ? sample : UINT32_MAX;
          read.post = i * 10 + sample;
          payload_read_image (&self->payload, &self->device, image, &read);
        }
    }
  g_assert_true (fixture_run (self, 0, &error));
  g_assert_no_error (error);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    for (guint sample = 0; sample < 5; sample++)
      {
        gsize size;
        const guint8 *texels = g_bytes_get_data (log_get (&self->log, i * 10 + sample), &size);

        g_assert_cmpuint (size, ==, 19 * 7 * cases[i].size);
        for (gsize at = 0; at < size; at += cases[i].size)
          g_assert_cmpmem (texels + at, cases[i].size, cases[i].texel, cases[i].size);
      }
}

static void
test_multisampled_depth (Fixture       *self,
                         gconstpointer  data)
{
  VkImageCreateInfo info = image_info (VK_FORMAT_D32_SFLOAT_S8_UINT, 17, 9,
                                       VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT);
  const VkImageSubresourceRange both = { VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT, 0,
                                         1, 0, 1 };
  const VkClearDepthStencilValue depth_stencil = { 0.3f, 0xa1 };
  VkClearColorValue value = { .uint32 = { 0 } };
  VtrReplayReadImage read = { .format = VK_FORMAT_D32_SFLOAT_S8_UINT,
                              .aspect = VK_IMAGE_ASPECT_DEPTH_BIT,
                              .layout = VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
                              .samples = 4,
                              .width = 17,
                              .height = 9,
                              .depth = 1,
                              .sample = UINT32_MAX };
  g_autoptr (GError) error = NULL;
  const float *depths;
  const guint8 *stencils;
  guint32 memory, image;
  gsize size;

  memcpy (&value, &depth_stencil, sizeof depth_stencil);
  info.samples = VK_SAMPLE_COUNT_4_BIT;
  image = payload_make_image (&self->payload, &self->device, &info, 1 << 20, &memory);
  clear_image (self, image, &value, &both, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL);
  payload_read_image (&self->payload, &self->device, image, &read);
  read.aspect = VK_IMAGE_ASPECT_STENCIL_BIT;
  read.sample = 3;
  read.post = 1;
  payload_read_image (&self->payload, &self->device, image, &read);
  g_assert_true (fixture_run (self, 0, &error));
  g_assert_no_error (error);
  depths = g_bytes_get_data (log_get (&self->log, 0), &size);
  g_assert_cmpuint (size, ==, 17 * 9 * 4);
  for (gsize i = 0; i < size / 4; i++)
    g_assert_cmpfloat (depths[i], ==, 0.3f);
  stencils = g_bytes_get_data (log_get (&self->log, 1), &size);
  g_assert_cmpuint (size, ==, 17 * 9);
  for (gsize i = 0; i < size; i++)
    g_assert_cmphex (stencils[i], ==, 0xa1);
}

/* Blocks come back as they went in. */
static void
test_compressed (Fixture       *self,
                 gconstpointer  data)
{
  Payload *payload = &self->payload;
  VkImageCreateInfo info = image_info (VK_FORMAT_BC1_RGB_UNORM_BLOCK, 6, 5,
                                       VK_IMAGE_USAGE_SAMPLED_BIT);
  const VkBufferImageCopy region = { .imageSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
                                     .imageExtent = { 6, 5, 1 } };
  const VtrReplayReadImage read = { .format = VK_FORMAT_BC1_RGB_UNORM_BLOCK,
                                    .aspect = VK_IMAGE_ASPECT_COLOR_BIT,
                                    .layout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
                                    .samples = 1,
                                    .width = 6,
                                    .height = 5,
                                    .depth = 1 };
  const char *blocks = "block 00block 01block 10block 11";
  g_autoptr (GError) error = NULL;
  Buffer buffer = make_buffer (self, 64);
  guint32 memory, image;

  payload_call (payload, VTR_REPLAY_WRITE_BYTES, U32 (VTR_HANDLE_VkDeviceMemory),
                SLOT (buffer.memory), U64 (0),
                AT (payload_put (payload, blocks, 32)), U64 (32));
  image = payload_make_image (payload, &self->device, &info, 1 << 20, &memory);
  payload_begin_commands (payload, &self->device);
  payload_barrier (payload, &self->device, image, VK_IMAGE_ASPECT_COLOR_BIT,
                   VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
  payload_call (payload, VTR_CMD_vkCmdCopyBufferToImage, SLOT (self->device.commands),
                SLOT (buffer.buffer), SLOT (image), U32 (VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL),
                U32 (1), AT (payload_put (payload, &region, sizeof region)));
  payload_barrier (payload, &self->device, image, VK_IMAGE_ASPECT_COLOR_BIT,
                   VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
  payload_submit_commands (payload, &self->device);
  payload_read_image (payload, &self->device, image, &read);
  g_assert_true (fixture_run (self, 0, &error));
  g_assert_no_error (error);
  g_assert_cmpmem (g_bytes_get_data (log_get (&self->log, 0), NULL),
                   g_bytes_get_size (log_get (&self->log, 0)), blocks, 32);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(path, function) \
  g_test_add ("/replayer/images/" path, Fixture, NULL, fixture_set_up, function, fixture_tear_down)
  ADD ("clear-color", test_clear_color);
  ADD ("subresources", test_subresources);
  ADD ("volume", test_volume);
  ADD ("depth-stencil", test_depth_stencil);
  ADD ("multisampled-color", test_multisampled_color);
  ADD ("multisampled-depth", test_multisampled_depth);
  ADD ("compressed", test_compressed);
  return g_test_run ();
}
