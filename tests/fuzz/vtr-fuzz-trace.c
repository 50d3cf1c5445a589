/* Writes the small valid trace that the fuzzers damage, and reads all of a damaged one. */
#include "vtr-fuzz-trace.h"

#include "api/vtr-api-args.h"
#include "engine/format/vtr-command.h"
#include "engine/format/vtr-content-record.h"
#include "engine/format/vtr-foreign-command.h"
#include "engine/format/vtr-trace-writer.h"
#include "engine/format/vtr-trace.h"
#include "engine/vulkan/read/vtr-trace-device.h"
#include "wire/vtr-pack-field.h"
#include "wire/vtr-trace-objects.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MAX_COMMANDS 300
#define ARENA_LIMIT (16u << 20)

static void
append (VtrTraceWriter *writer,
        VtrCmdId        id,
        const void     *args,
        guint32         flags)
{
  VtrBuffer message = { 0 };

  vtr_api_encode (&message, id, args, 0, 77, 0, 0, NULL);
  vtr_trace_writer_append_command (writer, id, message.data, message.size, flags, TRUE, NULL);
  vtr_buffer_finish (&message);
}

static void
append_objects (VtrTraceWriter *writer)
{
  VkPhysicalDeviceProperties properties = { .deviceName = "Device" };
  VkQueueFamilyProperties family = { .queueCount = 4 };
  guint8 bytes[2000] = { 1, 2, 3 };
  VtrBuffer message = { 0 };

  vtr_pack_append_string (&message, VTR_HEADER_PRODUCER, "Vitrine");
  vtr_pack_append_string (&message, VTR_HEADER_ARGUMENT, "program");
  vtr_pack_append_varint (&message, VTR_HEADER_ABI, 0);
  vtr_trace_writer_append_object (writer, "vitrine.Header", message.data, message.size, NULL);
  vtr_buffer_clear (&message);
  vtr_pack_append_bytes (&message, VTR_DEVICE_INFO_PROPERTIES, &properties, sizeof properties);
  vtr_pack_append_bytes (&message, VTR_DEVICE_INFO_QUEUE_FAMILIES, &family, sizeof family);
  vtr_pack_append_string (&message, VTR_DEVICE_INFO_CHANGE, "A change.");
  vtr_trace_writer_append_object (writer, "vitrine.DeviceInfo", message.data, message.size, NULL);
  vtr_buffer_clear (&message);
  vtr_api_encode_observation_at (&message, VTR_COMMAND_READS, 0x10100, bytes, sizeof bytes);
  vtr_api_encode_observation_at (&message, VTR_COMMAND_READS, 0x20000, bytes, 16);
  vtr_pack_append_fixed64 (&message, VTR_MAPPED_WRITES_MEMORY, 0x3e3);
  vtr_trace_writer_append_object (writer, "vitrine.MappedWrites", message.data, message.size, NULL);
  vtr_buffer_finish (&message);
}

char *
vtr_fuzz_write_trace (void)
{
  char *path = g_strdup_printf ("%s/vtr-fuzz-%d.gfxtrace", g_get_tmp_dir (), (int)getpid ());
  VtrTraceWriter *writer = vtr_trace_writer_new (path, NULL);
  guint32 words[400] = { 7 };
  VkShaderModuleCreateInfo shader = { .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                      .codeSize = sizeof words,
                                      .pCode = words };
  VkShaderModule module = (VkShaderModule)(gsize)0x1000;
  VkSubmitInfo submit = { .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO };
  VkPresentInfoKHR present = { .sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR };

  g_assert_nonnull (writer);
  append_objects (writer);
  append (writer, VTR_CMD_vkCreateShaderModule,
          &(VtrArgs_vkCreateShaderModule){ .pCreateInfo = &shader, .pShaderModule = &module }, 0);
  for (guint i = 0; i < 5; i++)
    append (writer, VTR_CMD_vkCmdDraw, &(VtrArgs_vkCmdDraw){ .vertexCount = i },
            VTR_COMMAND_ABANDONED);
  append (writer, VTR_CMD_vkQueueSubmit,
          &(VtrArgs_vkQueueSubmit){ .submitCount = 1, .pSubmits = &submit }, VTR_COMMAND_PENDING);
  vtr_trace_writer_append_returned (writer, 6, 0, NULL);
  append (writer, VTR_CMD_vkQueuePresentKHR,
          &(VtrArgs_vkQueuePresentKHR){ .pPresentInfo = &present }, VTR_COMMAND_PENDING);
  g_assert_true (vtr_trace_writer_finish (writer, NULL));
  vtr_trace_writer_free (writer, FALSE);
  return path;
}

static void
show (VtrTrace         *trace,
      const VtrCommand *command)
{
  const VtrApiEnv env = vtr_trace_get_env (trace);
  VtrBuffer text = { 0 };

  vtr_command_print (command, &env, &text);
  vtr_command_json (command, &env, &text);
  vtr_command_json_result (command, &text);
  vtr_buffer_finish (&text);
}

static void
ask_everything (VtrTrace *trace)
{
  guint64 n = MIN (vtr_trace_get_n_commands (trace), MAX_COMMANDS);
  VtrArena arena;

  vtr_arena_init (&arena);
  arena.limit = ARENA_LIMIT;
  for (guint64 i = 0; i < n; i++)
    {
      const VtrContentRecord *writes;
      VtrCommand command;

      vtr_arena_reset (&arena);
      (void)vtr_trace_get_thread (trace, i);
      (void)vtr_trace_get_flags (trace, i);
      g_assert_cmpuint (vtr_trace_get_frame_of (trace, i), <, vtr_trace_get_n_frames (trace));
      g_assert_true (g_utf8_validate (vtr_trace_get_command_name (trace, i), -1, NULL));
      if (vtr_trace_decode (trace, i, &arena, &command, NULL))
        show (trace, &command);
      (void)vtr_trace_get_contents (trace, i, &arena, &writes, NULL);
    }
  for (guint64 i = 0; i < MIN (vtr_trace_get_n_frames (trace), MAX_COMMANDS); i++)
    {
      guint64 first, last;

      vtr_trace_get_frame (trace, i, &first, &last);
      g_assert_cmpuint (first, <=, last);
      g_assert_cmpuint (last, <, vtr_trace_get_n_commands (trace));
    }
  for (guint i = 0; i < vtr_trace_get_n_devices (trace); i++)
    g_assert_true (g_utf8_validate (vtr_trace_get_info (trace)->device, -1, NULL));
  vtr_arena_finish (&arena);
}

void
vtr_fuzz_read_trace (const guint8 *data,
                     gsize         size)
{
  static int fd = -1;
  static char path[64];
  g_autoptr (VtrTrace) trace = NULL;
  g_autoptr (GError) error = NULL;

  if (fd < 0)
    {
      fd = memfd_create ("fuzz", MFD_CLOEXEC);
      g_snprintf (path, sizeof path, "/proc/self/fd/%d", fd);
    }
  if (ftruncate (fd, 0) != 0 || pwrite (fd, data, size, 0) != (gssize)size)
    return;
  trace = vtr_trace_open (path, NULL, NULL, NULL, &error);
  if (trace != NULL)
    ask_everything (trace);
  else
    g_assert_true (g_utf8_validate (error->message, -1, NULL));
}
