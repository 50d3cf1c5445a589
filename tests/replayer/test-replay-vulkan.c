/* Payloads through the real replayer on the machine's Vulkan driver (lavapipe in CI). */
#include "payload.h"

#include <string.h>

typedef struct
{
  GHashTable *posts; /* id → GBytes */
  GString *messages;
} Log;

static void
log_posted (guint64       post,
            const guint8 *bytes,
            gsize         size,
            gpointer      data)
{
  Log *log = data;

  g_hash_table_replace (log->posts, g_memdup2 (&post, sizeof post), g_bytes_new (bytes, size));
}

static void
log_message (int         level,
             guint64     label,
             const char *text,
             gpointer    data)
{
  Log *log = data;

  g_string_append_printf (log->messages, "%d %" G_GUINT64_FORMAT " %s\n", level, label, text);
  g_test_message ("level %d, command %" G_GUINT64_FORMAT ": %s", level, label, text);
}

static const VtrReplayEvents log_events = { .posted = log_posted, .message = log_message };

static void
log_init (Log *self)
{
  self->posts = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free,
                                       (GDestroyNotify)g_bytes_unref);
  self->messages = g_string_new (NULL);
}

static void
log_clear (Log *self)
{
  g_hash_table_unref (self->posts);
  g_string_free (self->messages, TRUE);
}

static GBytes *
log_get (Log     *self,
         guint64  post)
{
  return g_hash_table_lookup (self->posts, &post);
}

typedef struct
{
  VtrReplayBackend *backend;
  Payload payload;
  Device device;
  Log log;
  VtrReplayOutcome outcome;
} Fixture;

static void
fixture_set_up (Fixture       *self,
                gconstpointer  data)
{
  self->backend = vtr_replay_process_new (NULL);
  payload_init (&self->payload);
  payload_make_device (&self->payload, &self->device);
  log_init (&self->log);
}

static void
fixture_tear_down (Fixture       *self,
                   gconstpointer  data)
{
  log_clear (&self->log);
  payload_clear (&self->payload);
  self->backend->klass->free (self->backend);
}

static gboolean
fixture_run (Fixture  *self,
             guint32   flags,
             GError  **error)
{
  return payload_run (&self->payload, self->backend, flags, &log_events, &self->log, &self->outcome,
                      error);
}

static VkImageCreateInfo
image_info (VkFormat          format,
            guint32           width,
            guint32           height,
            VkImageUsageFlags usage)
{
  return (VkImageCreateInfo){
    .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
    .imageType = VK_IMAGE_TYPE_2D,
    .format = format,
    .extent = { width, height, 1 },
    .mipLevels = 1,
    .arrayLayers = 1,
    .samples = VK_SAMPLE_COUNT_1_BIT,
    .usage = usage | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
  };
}

/* Clears an image to @color and leaves it in @layout. */
static void
clear_image (Fixture                       *self,
             guint32                        image,
             const VkClearColorValue       *color,
             const VkImageSubresourceRange *range,
             VkImageLayout                  layout)
{
  Payload *payload = &self->payload;
  guint clear = range->aspectMask == VK_IMAGE_ASPECT_COLOR_BIT
                  ? VTR_CMD_vkCmdClearColorImage
                  : VTR_CMD_vkCmdClearDepthStencilImage;

  payload_begin_commands (payload, &self->device);
  payload_barrier (payload, &self->device, image, range->aspectMask, VK_IMAGE_LAYOUT_UNDEFINED,
                   VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
  vtr_asm_label (&payload->code, 77);
  payload_call (payload, clear,
                SLOT (self->device.commands), SLOT (image),
                U32 (VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL),
                AT (payload_put (payload, color, sizeof *color)), U32 (1),
                AT (payload_put (payload, range, sizeof *range)));
  payload_barrier (payload, &self->device, image, range->aspectMask,
                   VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, layout);
  payload_submit_commands (payload, &self->device);
}

static const VkImageSubresourceRange whole_color = { VK_IMAGE_ASPECT_COLOR_BIT, 0,
                                                     VK_REMAINING_MIP_LEVELS, 0,
                                                     VK_REMAINING_ARRAY_LAYERS };

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

/* --- Memory and buffers ---------------------------------------------------------------------- */

typedef struct
{
  guint32 buffer, memory;
} Buffer;

static Buffer
make_buffer (Fixture *self,
             guint64  size)
{
  Payload *payload = &self->payload;
  VkBufferCreateInfo info = { VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO };
  VkMemoryAllocateInfo allocate = { VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO };
  Buffer buffer = { payload_room (payload, 8), payload_room (payload, 8) };

  info.size = size;
  info.usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  allocate.allocationSize = (size + 4095) & ~4095ull;
  payload_call (payload, VTR_CMD_vkCreateBuffer, SLOT (self->device.device),
                AT (payload_put (payload, &info, sizeof info)), NOTHING, AT (buffer.buffer));
  payload_call (payload, VTR_CMD_vkAllocateMemory, SLOT (self->device.device),
                AT (payload_put (payload, &allocate, sizeof allocate)), NOTHING,
                AT (buffer.memory));
  payload_call (payload, VTR_CMD_vkBindBufferMemory, SLOT (self->device.device),
                SLOT (buffer.buffer), SLOT (buffer.memory), U64 (0));
  return buffer;
}

static void
read_bytes (Fixture *self,
            guint    function,
            guint32  object,
            guint64  offset,
            guint64  size,
            guint64  post)
{
  const VtrReplayReadBytes read = { .offset = offset, .size = size, .post = post };
  guint32 at = payload_put (&self->payload, &read, sizeof read);

  payload_copy_handle (&self->payload, at, self->device.device);
  payload_copy_handle (&self->payload,
                       at + (guint32)G_STRUCT_OFFSET (VtrReplayReadBytes, object), object);
  payload_call (&self->payload, function, AT (at));
}

static void
test_write_memory (Fixture       *self,
                   gconstpointer  data)
{
  Buffer buffer = make_buffer (self, 100);
  guint32 words = payload_put (&self->payload, "some words", 10);
  guint32 mapped = payload_room (&self->payload, 8);
  g_autoptr (GError) error = NULL;

  payload_call (&self->payload, VTR_REPLAY_WRITE_MEMORY, SLOT (buffer.memory), U64 (20), AT (words),
                U64 (10));
  read_bytes (self, VTR_REPLAY_READ_BUFFER, buffer.buffer, 20, 10, 1);
  read_bytes (self, VTR_REPLAY_READ_MEMORY, buffer.memory, 22, 4, 2);
  read_bytes (self, VTR_REPLAY_READ_BUFFER, buffer.buffer, 0, UINT64_MAX, 3);
  read_bytes (self, VTR_REPLAY_READ_MEMORY, buffer.memory, 4000, UINT64_MAX, 4);
  /* Through the trace's own mapping: what the machine stores there arrives. */
  payload_call (&self->payload, VTR_CMD_vkMapMemory, SLOT (self->device.device),
                SLOT (buffer.memory), U64 (16), U64 (VK_WHOLE_SIZE), U32 (0), AT (mapped));
  vtr_asm_push (&self->payload.code, VTR_VM_UINT32, 0x64636261);
  vtr_asm_load (&self->payload.code, VTR_VM_ABSOLUTE, mapped);
  vtr_asm_x (&self->payload.code, VTR_OP_STORE, 0);
  payload_call (&self->payload, VTR_CMD_vkUnmapMemory, SLOT (self->device.device),
                SLOT (buffer.memory));
  read_bytes (self, VTR_REPLAY_READ_BUFFER, buffer.buffer, 16, 4, 5);

  g_assert_true (fixture_run (self, 0, &error));
  g_assert_no_error (error);
  g_assert_cmpmem (g_bytes_get_data (log_get (&self->log, 1), NULL), 10, "some words", 10);
  g_assert_cmpuint (g_bytes_get_size (log_get (&self->log, 1)), ==, 10);
  g_assert_cmpmem (g_bytes_get_data (log_get (&self->log, 2), NULL), 4, "me w", 4);
  g_assert_cmpuint (g_bytes_get_size (log_get (&self->log, 3)), ==, 100);
  g_assert_cmpuint (g_bytes_get_size (log_get (&self->log, 4)), ==, 96);
  g_assert_cmpmem (g_bytes_get_data (log_get (&self->log, 5), NULL), 4, "abcd", 4);
}

static void
test_poison (Fixture       *self,
             gconstpointer  data)
{
  Buffer buffer = make_buffer (self, 64);
  g_autoptr (GError) error = NULL;
  const guint8 *bytes;

  read_bytes (self, VTR_REPLAY_READ_MEMORY, buffer.memory, 0, 4096, 1);
  g_assert_true (fixture_run (self, VTR_REPLAY_POISON, &error));
  bytes = g_bytes_get_data (log_get (&self->log, 1), NULL);
  for (gsize i = 0; i < 4096; i++)
    g_assert_cmphex (bytes[i], ==, 0xa5);
}

static void
test_ranges (Fixture       *self,
             gconstpointer  data)
{
  Buffer buffer = make_buffer (self, 100);
  guint32 words = payload_put (&self->payload, "words", 5);
  g_autoptr (GError) error = NULL;

  vtr_asm_label (&self->payload.code, 41);
  payload_call (&self->payload, VTR_REPLAY_WRITE_MEMORY, SLOT (buffer.memory), U64 (4094),
                AT (words), U64 (5));
  g_assert_false (fixture_run (self, 0, &error));
  g_assert_error (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_PAYLOAD);
  g_assert_true (self->outcome.failed);
  g_assert_cmpuint (self->outcome.label, ==, 41);
}

/* --- Swapchain ------------------------------------------------------------------------------- */

static guint32
make_semaphore (Fixture *self)
{
  const VkSemaphoreCreateInfo info = { VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO };
  guint32 semaphore = payload_room (&self->payload, 8);

  payload_call (&self->payload, VTR_CMD_vkCreateSemaphore, SLOT (self->device.device),
                AT (payload_put (&self->payload, &info, sizeof info)), NOTHING, AT (semaphore));
  return semaphore;
}

static void
present (Fixture *self,
         guint32  semaphore,
         guint32  swapchain)
{
  Payload *payload = &self->payload;
  const guint32 index = 1;
  VkPresentInfoKHR info = { VK_STRUCTURE_TYPE_PRESENT_INFO_KHR };
  guint32 at;

  info.waitSemaphoreCount = 1;
  info.swapchainCount = 1;
  at = payload_put (payload, &info, sizeof info);
  payload_point (payload, at + (guint32)G_STRUCT_OFFSET (VkPresentInfoKHR, pWaitSemaphores),
                 semaphore);
  payload_point (payload, at + (guint32)G_STRUCT_OFFSET (VkPresentInfoKHR, pSwapchains), swapchain);
  payload_point (payload, at + (guint32)G_STRUCT_OFFSET (VkPresentInfoKHR, pImageIndices),
                 payload_put (payload, &index, sizeof index));
  payload_call (payload, VTR_REPLAY_PRESENT, SLOT (self->device.queue), AT (at));
}

static void
test_swapchain (Fixture       *self,
                gconstpointer  data)
{
  Payload *payload = &self->payload;
  const VkSwapchainCreateInfoKHR info = {
    .sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR,
    .minImageCount = 2,
    .imageFormat = VK_FORMAT_B8G8R8A8_UNORM,
    .imageExtent = { 32, 16 },
    .imageArrayLayers = 1,
    .imageUsage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
  };
  const guint32 four = 4;
  const VkClearColorValue color = { .float32 = { 1, 0.2f, 0, 1 } };
  const VtrReplayReadImage read = { .format = VK_FORMAT_B8G8R8A8_UNORM,
                                    .aspect = VK_IMAGE_ASPECT_COLOR_BIT,
                                    .layout = VK_IMAGE_LAYOUT_GENERAL,
                                    .samples = 1,
                                    .width = 32,
                                    .height = 16,
                                    .depth = 1 };
  guint32 swapchain = payload_room (payload, 8);
  guint32 images = payload_room (payload, 32);
  guint32 surface = payload_room (payload, 8);
  guint32 semaphore;
  g_autoptr (GError) error = NULL;

  vtr_asm_label (&payload->code, 30);
  payload_call (payload, VTR_CMD_vkCreateXcbSurfaceKHR, SLOT (self->device.instance), NOTHING,
                NOTHING, AT (surface));
  payload_call (payload, VTR_CMD_vkCreateSwapchainKHR, SLOT (self->device.device),
                AT (payload_put (payload, &info, sizeof info)), NOTHING, AT (swapchain));
  payload_call (payload, VTR_CMD_vkGetSwapchainImagesKHR, SLOT (self->device.device),
                SLOT (swapchain), AT (payload_put (payload, &four, sizeof four)), AT (images));
  semaphore = make_semaphore (self);
  for (guint frame = 0; frame < 3; frame++)
    {
      payload_call (payload, VTR_REPLAY_ACQUIRE, SLOT (self->device.device), SLOT (swapchain),
                    SLOT (semaphore), U64 (0), U32 (1));
      present (self, semaphore, swapchain);
    }
  clear_image (self, images + 24, &color, &whole_color, VK_IMAGE_LAYOUT_GENERAL);
  payload_read_image (payload, &self->device, images + 24, &read);
  payload_call (payload, VTR_CMD_vkDestroySurfaceKHR, SLOT (self->device.instance), SLOT (surface),
                NOTHING);

  g_assert_true (fixture_run (self, 0, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (g_bytes_get_size (log_get (&self->log, 0)), ==, 32 * 16 * 4);
  g_assert_cmpmem (g_bytes_get_data (log_get (&self->log, 0), NULL), 4, "\x00\x33\xff\xff", 4);
}

/* --- Failures -------------------------------------------------------------------------------- */

static void
test_vulkan_error (Fixture       *self,
                   gconstpointer  data)
{
  VkMemoryAllocateInfo allocate = { VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO };
  guint32 memory = payload_room (&self->payload, 8);
  g_autoptr (GError) error = NULL;

  allocate.allocationSize = 1ull << 60;
  vtr_asm_label (&self->payload.code, 1234);
  payload_call (&self->payload, VTR_CMD_vkAllocateMemory, SLOT (self->device.device),
                AT (payload_put (&self->payload, &allocate, sizeof allocate)), NOTHING,
                AT (memory));
  vtr_asm_label (&self->payload.code, 1235);
  g_assert_false (fixture_run (self, 0, &error));
  g_assert_error (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_VULKAN);
  g_assert_cmpstr (error->message, ==, "vkAllocateMemory failed: VK_ERROR_OUT_OF_DEVICE_MEMORY.");
  g_assert_cmpuint (self->outcome.label, ==, 1234);
  g_assert_cmpint (self->outcome.vk_result, ==, VK_ERROR_OUT_OF_DEVICE_MEMORY);
}

/* A handle that does not exist is told, and harms nobody. */
static void
test_dead_handle (Fixture       *self,
                  gconstpointer  data)
{
  g_autoptr (GError) error = NULL;

  payload_call (&self->payload, VTR_CMD_vkEndCommandBuffer, U64 (0xdead));
  g_assert_false (fixture_run (self, 0, &error));
  g_assert_error (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_PAYLOAD);
  g_assert_nonnull (strstr (error->message, "no live VkCommandBuffer"));
}

static void
test_no_such_device (void)
{
  VtrReplayBackend *backend = vtr_replay_process_new ("No Such Device");
  Payload payload;
  Device device;
  Log log;
  g_autoptr (GError) error = NULL;
  VtrReplayOutcome outcome;

  log_init (&log);
  payload_init (&payload);
  payload_make_device (&payload, &device);
  g_assert_false (payload_run (&payload, backend, 0, &log_events, &log, &outcome, &error));
  g_assert_error (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_DRIVER);
  g_assert_nonnull (strstr (error->message, "No Such Device"));
  payload_clear (&payload);
  log_clear (&log);
  backend->klass->free (backend);
}

/* A crash inside the driver names the call; the next request has a new replayer. */
static void
test_crash (Fixture       *self,
            gconstpointer  data)
{
  gsize good = self->payload.code.size;
  g_autoptr (GError) error = NULL;

  vtr_asm_label (&self->payload.code, 4321);
  payload_call (&self->payload, VTR_CMD_vkCreateFence, SLOT (self->device.device), U64 (8), NOTHING,
                AT (16));
  g_assert_false (fixture_run (self, 0, &error));
  g_assert_error (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_DIED);
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, "vkCreateFence"));
  g_assert_cmpuint (self->outcome.label, ==, 4321);
  g_clear_error (&error);
  self->payload.code.size = good;
  g_assert_true (fixture_run (self, 0, &error));
  g_assert_no_error (error);
}

/* --- Again and again ------------------------------------------------------------------------- */

static void
test_repeat (Fixture       *self,
             gconstpointer  data)
{
  const VkImageCreateInfo info = image_info (VK_FORMAT_R8G8B8A8_UNORM, 64, 64, 0);
  const VkClearColorValue color = { .float32 = { 0, 1, 0, 1 } };
  const VtrReplayReadImage read = { .format = VK_FORMAT_R8G8B8A8_UNORM,
                                    .aspect = VK_IMAGE_ASPECT_COLOR_BIT,
                                    .layout = VK_IMAGE_LAYOUT_GENERAL,
                                    .samples = 1,
                                    .width = 64,
                                    .height = 64,
                                    .depth = 1,
                                    .post = 9 };
  guint32 memory;
  guint32 image = payload_make_image (&self->payload, &self->device, &info, 1 << 20, &memory);
  gint64 start;

  clear_image (self, image, &color, &whole_color, VK_IMAGE_LAYOUT_GENERAL);
  payload_read_image (&self->payload, &self->device, image, &read);
  start = g_get_monotonic_time ();
  for (guint i = 0; i < 30; i++)
    {
      g_autoptr (GError) error = NULL;

      g_hash_table_remove_all (self->log.posts);
      g_assert_true (fixture_run (self, i % 2 == 0 ? 0 : VTR_REPLAY_POISON, &error));
      g_assert_no_error (error);
      g_assert_cmpmem (g_bytes_get_data (log_get (&self->log, 9), NULL), 4, "\0\xff\0\xff", 4);
    }
  g_test_message ("%.1f ms per request", (double)(g_get_monotonic_time () - start) / 30000);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(path, function) \
  g_test_add ("/replayer/vulkan/" path, Fixture, NULL, fixture_set_up, function, fixture_tear_down)
  ADD ("clear-color", test_clear_color);
  ADD ("subresources", test_subresources);
  ADD ("volume", test_volume);
  ADD ("depth-stencil", test_depth_stencil);
  ADD ("multisampled-color", test_multisampled_color);
  ADD ("multisampled-depth", test_multisampled_depth);
  ADD ("write-memory", test_write_memory);
  ADD ("poison", test_poison);
  ADD ("ranges", test_ranges);
  ADD ("swapchain", test_swapchain);
  ADD ("vulkan-error", test_vulkan_error);
  ADD ("dead-handle", test_dead_handle);
  ADD ("crash", test_crash);
  ADD ("repeat", test_repeat);
  g_test_add_func ("/replayer/vulkan/no-such-device", test_no_such_device);
  return g_test_run ();
}
