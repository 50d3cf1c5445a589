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

  payload_begin_commands (payload, &self->device);
  payload_barrier (payload, &self->device, image, range->aspectMask, VK_IMAGE_LAYOUT_UNDEFINED,
                   VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
  vtr_asm_label (&payload->code, 77);
  payload_call (payload,
                range->aspectMask == VK_IMAGE_ASPECT_COLOR_BIT ? VTR_CMD_vkCmdClearColorImage
                                                               : VTR_CMD_vkCmdClearDepthStencilImage,
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

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(path, function) \
  g_test_add ("/replayer/vulkan/" path, Fixture, NULL, fixture_set_up, function, fixture_tear_down)
  ADD ("clear-color", test_clear_color);
  return g_test_run ();
}
