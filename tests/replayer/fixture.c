/* Starts a device for the replayer's tests on a real driver: the messages it sends back, images
 * and buffers. */
#include "fixture.h"

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

const VtrReplayEvents log_events = { .posted = log_posted, .message = log_message };

void
log_init (Log *self)
{
  self->posts = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free,
                                       (GDestroyNotify)g_bytes_unref);
  self->messages = g_string_new (NULL);
}

void
log_clear (Log *self)
{
  g_hash_table_unref (self->posts);
  g_string_free (self->messages, TRUE);
}

GBytes *
log_get (Log     *self,
         guint64  post)
{
  return g_hash_table_lookup (self->posts, &post);
}

void
fixture_set_up (Fixture       *self,
                gconstpointer  data)
{
  self->backend = vtr_replay_process_new (NULL);
  payload_init (&self->payload);
  payload_make_device (&self->payload, &self->device);
  log_init (&self->log);
}

void
fixture_tear_down (Fixture       *self,
                   gconstpointer  data)
{
  log_clear (&self->log);
  payload_clear (&self->payload);
  self->backend->klass->free (self->backend);
}

gboolean
fixture_run (Fixture  *self,
             guint32   flags,
             GError  **error)
{
  return payload_run (&self->payload, self->backend, flags, &log_events, &self->log, &self->outcome,
                      error);
}

VkImageCreateInfo
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
void
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

const VkImageSubresourceRange whole_color = { VK_IMAGE_ASPECT_COLOR_BIT, 0,
                                              VK_REMAINING_MIP_LEVELS, 0,
                                              VK_REMAINING_ARRAY_LAYERS };

Buffer
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

void
read_bytes (Fixture *self,
            guint    kind,
            guint32  object,
            guint64  offset,
            guint64  size,
            guint64  post)
{
  const VtrReplayReadBytes read = { .kind = kind, .offset = offset, .size = size, .post = post };
  guint32 at = payload_put (&self->payload, &read, sizeof read);

  payload_copy_handle (&self->payload, at, self->device.device);
  payload_copy_handle (&self->payload,
                       at + (guint32)G_STRUCT_OFFSET (VtrReplayReadBytes, object), object);
  payload_call (&self->payload, VTR_REPLAY_READ_BYTES, AT (at));
}
