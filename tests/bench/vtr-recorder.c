/* Records calls into a trace without a program, for generated traces (VtrRecorder). */
#include "vtr-recorder.h"

#include "vulkan/vtr-vulkan-env.h"
#include "wire/vtr-pack-field.h"
#include "wire/vtr-trace-objects.h"

#include <stdlib.h>

struct _VtrRecorder
{
  VtrTraceWriter *writer;
  VtrBuffer message;
  guint32 thread;
  guint64 next_handle;
  GArray *released;
  GHashTable *secondaries;
};

static void
fail_on (GError *error)
{
  if (error == NULL)
    return;
  g_printerr ("%s\n", error->message);
  exit (1);
}

VtrRecorder *
vtr_recorder_new (const char *path)
{
  VtrRecorder *self = g_new0 (VtrRecorder, 1);
  GError *error = NULL;
  VtrBuffer header = { 0 };

  self->thread = 1000;
  self->next_handle = 0x5581a0000000;
  self->released = g_array_new (FALSE, FALSE, sizeof (guint64));
  self->secondaries = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  self->writer = vtr_trace_writer_new (path, &error);
  fail_on (error);
  vtr_pack_append_string (&header, VTR_HEADER_PRODUCER, "Vitrine trace generator");
  vtr_pack_append_string (&header, VTR_HEADER_EXECUTABLE, "generated");
  vtr_trace_writer_append_object (self->writer, "vitrine.Header", header.data, header.size,
                                  &error);
  fail_on (error);
  vtr_buffer_finish (&header);
  return self;
}

guint64
vtr_recorder_finish (VtrRecorder *self)
{
  GError *error = NULL;
  guint64 n = vtr_trace_writer_get_n_commands (self->writer);

  vtr_trace_writer_finish (self->writer, &error);
  fail_on (error);
  vtr_trace_writer_free (self->writer, FALSE);
  vtr_buffer_finish (&self->message);
  g_array_unref (self->released);
  g_hash_table_unref (self->secondaries);
  g_free (self);
  return n;
}

guint64
vtr_recorder_new_handle (VtrRecorder *self)
{
  guint64 handle;

  if (self->released->len > 0)
    {
      handle = g_array_index (self->released, guint64, self->released->len - 1);
      g_array_set_size (self->released, self->released->len - 1);
      return handle;
    }
  handle = self->next_handle;
  self->next_handle += 0x60;
  return handle;
}

void
vtr_recorder_release_handle (VtrRecorder *self,
                             guint64      handle)
{
  g_array_append_val (self->released, handle);
}

void
vtr_recorder_set_thread (VtrRecorder *self,
                         guint32      thread)
{
  self->thread = thread;
}

void
vtr_recorder_set_secondary (VtrRecorder *self,
                            guint64      handle)
{
  g_hash_table_add (self->secondaries, g_memdup2 (&handle, sizeof handle));
}

static VtrTristate
is_secondary (void            *data,
              VkCommandBuffer  command_buffer)
{
  VtrRecorder *self = data;
  guint64 handle = (gsize)command_buffer;

  return g_hash_table_contains (self->secondaries, &handle) ? VTR_YES : VTR_NO;
}

static VtrTristate
has_attachment (void         *data,
                VkRenderPass  render_pass,
                uint32_t      subpass)
{
  return VTR_YES;
}

guint64
vtr_recorder_add (VtrRecorder *self,
                  VtrCmdId     id,
                  const void  *args,
                  guint64      result)
{
  static const VtrVulkanEnv state = {
    .is_secondary = is_secondary,
    .subpass_has_color = has_attachment,
    .subpass_has_depth_stencil = has_attachment,
  };
  const VtrApiEnv env = { .data = self, .state = &state };
  GError *error = NULL;
  guint64 index;

  vtr_buffer_clear (&self->message);
  vtr_api_encode (&self->message, id, args, result, self->thread, 0, 0, &env);
  index = vtr_trace_writer_append_command (self->writer, id, self->message.data,
                                           self->message.size, 0, TRUE, &error);
  fail_on (error);
  return index;
}

static void
add_object (VtrRecorder *self,
            const char  *type,
            VtrBuffer   *message)
{
  GError *error = NULL;

  vtr_trace_writer_append_object (self->writer, type, message->data, message->size, &error);
  fail_on (error);
}

void
vtr_recorder_add_device_info (VtrRecorder *self,
                              guint64      physical_device,
                              guint64      device)
{
  VkPhysicalDeviceProperties properties = {
    .apiVersion = VK_API_VERSION_1_3,
    .deviceType = VK_PHYSICAL_DEVICE_TYPE_CPU,
    .deviceName = "generated",
  };
  VkPhysicalDeviceMemoryProperties memory = {
    .memoryTypeCount = 1,
    .memoryTypes = { { VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                         VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
                       0 } },
    .memoryHeapCount = 1,
    .memoryHeaps = { { (VkDeviceSize)8 << 30, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT } },
  };
  VkQueueFamilyProperties family = {
    .queueFlags = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT,
    .queueCount = 1,
    .timestampValidBits = 64,
    .minImageTransferGranularity = { 1, 1, 1 },
  };
  VtrBuffer message = { 0 };

  vtr_pack_append_fixed64 (&message, VTR_DEVICE_INFO_DEVICE, device);
  vtr_pack_append_fixed64 (&message, VTR_DEVICE_INFO_PHYSICAL_DEVICE, physical_device);
  vtr_pack_append_bytes (&message, VTR_DEVICE_INFO_PROPERTIES, &properties, sizeof properties);
  vtr_pack_append_bytes (&message, VTR_DEVICE_INFO_MEMORY, &memory, sizeof memory);
  vtr_pack_append_bytes (&message, VTR_DEVICE_INFO_QUEUE_FAMILIES, &family, sizeof family);
  add_object (self, "vitrine.DeviceInfo", &message);
  vtr_buffer_finish (&message);
}

void
vtr_recorder_add_write (VtrRecorder   *self,
                        guint64        device,
                        guint64        memory,
                        gconstpointer  address,
                        gsize          offset,
                        gsize          size)
{
  VtrBuffer message = { 0 };

  vtr_pack_append_fixed32 (&message, VTR_MAPPED_WRITES_THREAD, self->thread);
  vtr_api_encode_observation (&message, VTR_COMMAND_READS, (const guint8 *)address + offset,
                              size);
  vtr_pack_append_fixed64 (&message, VTR_MAPPED_WRITES_DEVICE, device);
  vtr_pack_append_fixed64 (&message, VTR_MAPPED_WRITES_MEMORY, memory);
  vtr_pack_append_fixed64 (&message, VTR_MAPPED_WRITES_MAP_OFFSET, 0);
  vtr_pack_append_fixed64 (&message, VTR_MAPPED_WRITES_MAP_ADDRESS, (guint64)(gsize)address);
  add_object (self, "vitrine.MappedWrites", &message);
  vtr_buffer_finish (&message);
}

guint64
vtr_recorder_get_n_commands (VtrRecorder *self)
{
  return vtr_trace_writer_get_n_commands (self->writer);
}
