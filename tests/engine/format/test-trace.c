/* Tests that Vitrine traces are read as they were written: by index, by scanning, uncompressed,
 * cut anywhere. */
#include "api/vtr-api-args.h"
#include "base/vtr-log.h"
#include "engine/format/vtr-content-record.h"
#include "engine/format/vtr-trace-layout.h"
#include "engine/format/vtr-trace-writer.h"
#include "engine/format/vtr-trace.h"
#include "engine/vulkan/read/vtr-trace-device.h"
#include "wire/vtr-pack-field.h"
#include "wire/vtr-trace-objects.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define N_FRAMES 40
#define N_DRAWS 500

typedef struct
{
  char *folder;
  char *path;
} Fixture;

static void
set_up (Fixture       *self,
        gconstpointer  data)
{
  self->folder = g_dir_make_tmp ("vitrine-XXXXXX", NULL);
  self->path = g_build_filename (self->folder, "test.gfxtrace", NULL);
}

static void
tear_down (Fixture       *self,
           gconstpointer  data)
{
  g_autoptr (GDir) dir = g_dir_open (self->folder, 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (self->folder, name, NULL);

      g_unlink (path);
    }
  g_rmdir (self->folder);
  g_free (self->folder);
  g_free (self->path);
}

static guint64
append (VtrTraceWriter *writer,
        VtrCmdId        id,
        const void     *args,
        guint64         result,
        guint32         flags,
        gboolean        large)
{
  static VtrBuffer message;
  g_autoptr (GError) error = NULL;
  guint64 index;

  vtr_buffer_clear (&message);
  vtr_api_encode (&message, id, args, result, 77, 0, 0, NULL);
  index =
    vtr_trace_writer_append_command (writer, id, message.data, message.size, flags, large, &error);
  g_assert_no_error (error);
  return index;
}

static void
append_header (VtrTraceWriter *writer)
{
  VtrBuffer message = { 0 };
  VkPhysicalDeviceProperties properties = { .apiVersion = VK_API_VERSION_1_3 };
  VkQueueFamilyProperties family = { .queueCount = 4 };

  vtr_pack_append_string (&message, VTR_HEADER_PRODUCER, "Vitrine test");
  vtr_pack_append_string (&message, VTR_HEADER_EXECUTABLE, "/usr/bin/some program");
  vtr_pack_append_string (&message, VTR_HEADER_ARGUMENT, "some program");
  vtr_pack_append_string (&message, VTR_HEADER_ARGUMENT, "--frames");
  vtr_pack_append_fixed64 (&message, VTR_HEADER_START_TIME, 1234567890);
  g_assert_true (
    vtr_trace_writer_append_object (writer, "vitrine.Header", message.data, message.size, NULL));
  vtr_buffer_clear (&message);
  g_strlcpy (properties.deviceName, "Test Device", sizeof properties.deviceName);
  vtr_pack_append_fixed64 (&message, VTR_DEVICE_INFO_DEVICE, 0xd);
  vtr_pack_append_bytes (&message, VTR_DEVICE_INFO_PROPERTIES, &properties, sizeof properties);
  vtr_pack_append_bytes (&message, VTR_DEVICE_INFO_QUEUE_FAMILIES, &family, sizeof family);
  vtr_pack_append_string (&message, VTR_DEVICE_INFO_DRIVER_NAME, "driver");
  vtr_pack_append_string (&message, VTR_DEVICE_INFO_CHANGE, "TRANSFER_SRC was added to images.");
  vtr_pack_append_string (&message, VTR_DEVICE_INFO_CHANGE, "TRANSFER_SRC was added to images.");
  g_assert_true (vtr_trace_writer_append_object (writer, "vitrine.DeviceInfo", message.data,
                                                 message.size, NULL));
  g_assert_true (
    vtr_trace_writer_append_object (writer, "vitrine.Unheard", message.data, message.size, NULL));
  vtr_buffer_clear (&message);
  vtr_pack_append_varint (&message, VTR_NOTICE_LEVEL, VTR_LOG_WARNING);
  vtr_pack_append_string (&message, VTR_NOTICE_TEXT, "The contents of 2 images are missing.");
  g_assert_true (
    vtr_trace_writer_append_object (writer, "vitrine.Notice", message.data, message.size, NULL));
  vtr_buffer_finish (&message);
}

static void
append_mapped_write (VtrTraceWriter *writer,
                     gsize           size,
                     guint8          value)
{
  g_autofree guint8 *bytes = g_malloc (size);
  VtrBuffer message = { 0 };

  memset (bytes, value, size);
  vtr_pack_append_fixed32 (&message, VTR_MAPPED_WRITES_THREAD, 77);
  vtr_api_encode_observation_at (&message, VTR_COMMAND_READS, 0x10100, bytes, size);
  vtr_api_encode_observation_at (&message, VTR_COMMAND_READS, 0x20000, bytes, 16);
  vtr_pack_append_fixed64 (&message, VTR_MAPPED_WRITES_DEVICE, 0xd);
  vtr_pack_append_fixed64 (&message, VTR_MAPPED_WRITES_MEMORY, 0x3e3);
  vtr_pack_append_fixed64 (&message, VTR_MAPPED_WRITES_MAP_OFFSET, 64);
  vtr_pack_append_fixed64 (&message, VTR_MAPPED_WRITES_MAP_ADDRESS, 0x10000);
  g_assert_true (vtr_trace_writer_append_object (writer, "vitrine.MappedWrites", message.data,
                                                 message.size, NULL));
  vtr_buffer_finish (&message);
}

/* One frame: an upload, draws, a submission and a present whose result comes apart. */
static void
append_frame (VtrTraceWriter *writer,
              guint           frame)
{
  static guint32 words[5000];
  VkBuffer buffer = (VkBuffer)(gsize)0xb;
  VkDeviceSize offset = frame;
  VkSubmitInfo submit = { .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO };
  VkPresentInfoKHR present = { .sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR };
  VkShaderModuleCreateInfo shader = { .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                      .codeSize = sizeof words,
                                      .pCode = words };
  VkShaderModule module = (VkShaderModule)(gsize)(0x1000 + frame);
  guint64 index;

  words[0] = frame / 2; /* every content twice */
  append (writer, VTR_CMD_vkCreateShaderModule,
          &(VtrArgs_vkCreateShaderModule){ .pCreateInfo = &shader, .pShaderModule = &module }, 0, 0,
          TRUE);
  append_mapped_write (writer, 3000, (guint8)(frame / 4));
  for (guint i = 0; i < N_DRAWS; i++)
    {
      append (writer, VTR_CMD_vkCmdBindVertexBuffers,
              &(VtrArgs_vkCmdBindVertexBuffers){ .commandBuffer = (VkCommandBuffer)(gsize)0xc,
                                                 .bindingCount = 1,
                                                 .pBuffers = &buffer,
                                                 .pOffsets = &offset },
              0, 0, FALSE);
      append (writer, VTR_CMD_vkCmdDraw,
              &(VtrArgs_vkCmdDraw){ .commandBuffer = (VkCommandBuffer)(gsize)0xc,
                                    .vertexCount = i,
                                    .instanceCount = frame },
              0, i == 7 ? VTR_COMMAND_ABANDONED : 0, FALSE);
    }
  index = append (
    writer, VTR_CMD_vkQueueSubmit,
    &(VtrArgs_vkQueueSubmit){ .queue = (VkQueue)(gsize)0x9, .submitCount = 1, .pSubmits = &submit },
    0, VTR_COMMAND_PENDING, FALSE);
  g_assert_true (
    vtr_trace_writer_append_returned (writer, index, (guint64)(gint64)VK_ERROR_DEVICE_LOST, NULL));
  append (writer, VTR_CMD_vkQueuePresentKHR,
          &(VtrArgs_vkQueuePresentKHR){ .queue = (VkQueue)(gsize)0x9, .pPresentInfo = &present }, 0,
          VTR_COMMAND_PENDING, FALSE);
  vtr_trace_writer_set_ticket (writer, frame + 2);
}

#define PER_FRAME (3 + 2 * N_DRAWS)

static VtrTraceWriter *
write_frames (const char *path)
{
  g_autoptr (GError) error = NULL;
  VtrTraceWriter *writer = vtr_trace_writer_new (path, &error);

  g_assert_no_error (error);
  append_header (writer);
  for (guint i = 0; i < N_FRAMES; i++)
    append_frame (writer, i);
  append (writer, VTR_CMD_vkDestroyDevice,
          &(VtrArgs_vkDestroyDevice){ .device = (VkDevice)(gsize)0xd }, 0, 0, FALSE);
  return writer;
}

static void
write_trace (const char *path)
{
  g_autoptr (GError) error = NULL;
  VtrTraceWriter *writer = write_frames (path);

  g_assert_true (vtr_trace_writer_finish (writer, &error));
  g_assert_no_error (error);
  vtr_trace_writer_free (writer, FALSE);
}

static VtrTrace *
open_trace (const char *path)
{
  g_autoptr (GError) error = NULL;
  VtrTrace *trace = vtr_trace_open (path, NULL, NULL, NULL, &error);

  g_assert_no_error (error);
  g_assert_nonnull (trace);
  return trace;
}

static void
check_command (VtrTrace *trace,
               VtrArena *arena,
               guint64   index)
{
  guint64 frame = index / PER_FRAME, at = index % PER_FRAME;
  g_autoptr (GError) error = NULL;
  VtrCommand command;

  vtr_arena_reset (arena);
  g_assert_true (vtr_trace_decode (trace, index, arena, &command, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (command.thread, ==, 77);
  if (at == 0 && frame < N_FRAMES)
    {
      VtrArgs_vkCreateShaderModule *args = command.args;

      g_assert_cmpint (command.id, ==, VTR_CMD_vkCreateShaderModule);
      g_assert_cmpuint (args->pCreateInfo->codeSize, ==, 20000);
      g_assert_cmpuint (args->pCreateInfo->pCode[0], ==, frame / 2);
      g_assert_cmpuint ((gsize)*args->pShaderModule, ==, 0x1000 + frame);
    }
  else if (at > 0 && at % 2 == 0 && at < PER_FRAME - 2)
    {
      VtrArgs_vkCmdDraw *args = command.args;

      g_assert_cmpint (command.id, ==, VTR_CMD_vkCmdDraw);
      g_assert_cmpuint (args->vertexCount, ==, at / 2 - 1);
      g_assert_cmpuint (args->instanceCount, ==, frame);
      g_assert_cmpuint (command.flags, ==,
                        VTR_COMMAND_IN_BLOCK | (at / 2 - 1 == 7 ? VTR_COMMAND_ABANDONED : 0));
    }
  else if (at == PER_FRAME - 2)
    {
      g_assert_cmpint (command.id, ==, VTR_CMD_vkQueueSubmit);
      g_assert_true (command.has_result);
      g_assert_cmpint ((gint64)command.result, ==, VK_ERROR_DEVICE_LOST);
      g_assert_cmpuint (command.flags, ==, VTR_COMMAND_PENDING);
    }
  else if (at == PER_FRAME - 1)
    g_assert_cmpuint (command.flags, ==, VTR_COMMAND_PENDING | VTR_COMMAND_DIED);
}

static void
check_writes (VtrTrace *trace,
              VtrArena *arena,
              guint64   frame)
{
  const VtrContentRecord *writes;

  vtr_arena_reset (arena);
  g_assert_cmpuint (
    vtr_trace_get_contents (trace, frame * PER_FRAME + 1, arena, &writes, NULL), ==, 2);
  g_assert_cmphex (writes[0].object, ==, 0x3e3);
  g_assert_cmphex (writes[0].offset, ==, 64 + 0x100);
  g_assert_cmpuint (writes[0].size, ==, 3000);
  g_assert_cmpuint (writes[0].data[2999], ==, frame / 4);
  g_assert_cmphex (writes[1].offset, ==, 64 + 0x10000);
  g_assert_cmpuint (writes[1].size, ==, 16);
  g_assert_cmpuint (
    vtr_trace_get_contents (trace, frame * PER_FRAME + 2, arena, &writes, NULL), ==, 0);
}

/* @n: how many commands must be there at least. */
static void
check_trace (VtrTrace *trace,
             guint64   n)
{
  guint64 count = vtr_trace_get_n_commands (trace);
  VtrArena arena;

  vtr_arena_init (&arena);
  g_assert_cmpuint (count, >=, n);
  for (guint64 i = 0; i < count; i += i % PER_FRAME < 20 ? 1 : 37)
    check_command (trace, &arena, i);
  check_command (trace, &arena, count - 1);
  for (guint64 frame = 0; (frame + 1) * PER_FRAME < count; frame++)
    check_writes (trace, &arena, frame);
  vtr_arena_finish (&arena);
}

static void
check_whole (VtrTrace *trace)
{
  const VtrTraceInfo *info = vtr_trace_get_info (trace);
  guint64 first, last;

  g_assert_cmpuint (vtr_trace_get_n_commands (trace), ==, N_FRAMES * PER_FRAME + 1);
  g_assert_null (vtr_trace_get_warning (trace));
  g_assert_cmpuint (vtr_trace_get_n_frames (trace), ==, N_FRAMES);
  vtr_trace_get_frame (trace, 0, &first, &last);
  g_assert_cmpuint (first, ==, 0);
  g_assert_cmpuint (last, ==, PER_FRAME - 1);
  vtr_trace_get_frame (trace, N_FRAMES - 1, &first, &last);
  g_assert_cmpuint (last, ==, N_FRAMES * PER_FRAME);
  g_assert_cmpuint (vtr_trace_get_frame_of (trace, 0), ==, 0);
  g_assert_cmpuint (vtr_trace_get_frame_of (trace, PER_FRAME - 1), ==, 0);
  g_assert_cmpuint (vtr_trace_get_frame_of (trace, PER_FRAME), ==, 1);
  g_assert_cmpuint (vtr_trace_get_frame_of (trace, N_FRAMES * PER_FRAME), ==, N_FRAMES - 1);
  g_assert_cmpuint (vtr_trace_get_n_resources (trace), ==, N_FRAMES / 2 + N_FRAMES / 4);
  g_assert_cmpstr (info->producer, ==, "Vitrine test");
  g_assert_cmpstr (info->application, ==, "some program");
  g_assert_cmpstr (info->command_line, ==, "'some program' --frames");
  g_assert_cmpstr (info->device, ==, "Test Device");
  g_assert_cmpstr (info->driver, ==, "driver");
  g_assert_cmpint (info->start_time, ==, 1234567890);
  g_assert_nonnull (info->changes[0]);
  g_assert_null (info->changes[1]);
  g_assert_cmpstr (info->notices[0], ==, "The contents of 2 images are missing.");
  g_assert_null (info->notices[1]);
  g_assert_cmpuint (vtr_trace_get_n_devices (trace), ==, 1);
  g_assert_cmpuint (vtr_trace_get_device (trace, 0)->queue_families[0].queueCount, ==, 4);
  check_trace (trace, N_FRAMES * PER_FRAME + 1);
}

static void
test_round_trip (Fixture       *self,
                 gconstpointer  data)
{
  g_autoptr (VtrTrace) trace = NULL;
  g_autofree char *part = g_strconcat (self->path, ".part", NULL);
  struct stat info;

  write_trace (self->path);
  g_assert_false (g_file_test (part, G_FILE_TEST_EXISTS));
  trace = open_trace (self->path);
  check_whole (trace);
  g_assert_cmpstr (vtr_trace_get_info (trace)->container, ==, "zstd");

  /* The budget: no more than 15 bytes per command in frames of many scalar calls. */
  g_assert_cmpint (g_stat (self->path, &info), ==, 0);
  g_test_message ("%.2f bytes per command",
                  (double)info.st_size / (double)vtr_trace_get_n_commands (trace));
  g_assert_cmpint (info.st_size, <, 15 * (gint64)vtr_trace_get_n_commands (trace));
}

/* The zstd tool decompresses it to plain proto-pack, which can be opened, too. */
static void
test_plain (Fixture       *self,
            gconstpointer  data)
{
  g_autofree char *plain = g_build_filename (self->folder, "plain.gfxtrace", NULL);
  g_autofree char *command = g_strdup_printf ("zstd -q -d -f -o %s %s", plain, self->path);
  g_autoptr (VtrTrace) trace = NULL;
  g_autofree char *contents = NULL;
  gint status = 0;

  write_trace (self->path);
  if (!g_spawn_command_line_sync (command, NULL, NULL, &status, NULL))
    {
      g_test_skip ("zstd is not installed");
      return;
    }
  g_assert_cmpint (status, ==, 0);
  g_assert_true (g_file_get_contents (plain, &contents, NULL, NULL));
  g_assert_cmpmem (contents, 16, "ProtoPack\r\n2.0\n", 16);
  trace = open_trace (plain);
  g_assert_cmpstr (vtr_trace_get_info (trace)->container, ==, "proto-pack");
  check_whole (trace);
}

/* A trace that is truncated anywhere opens with the commands before the cut, or with an error
 * that there are none. */
static void
test_truncated (Fixture       *self,
                gconstpointer  data)
{
  g_autofree char *cut = g_build_filename (self->folder, "cut.gfxtrace", NULL);
  g_autofree char *contents = NULL;
  guint64 before = 0;
  gsize size;

  write_trace (self->path);
  g_assert_true (g_file_get_contents (self->path, &contents, &size, NULL));
  for (gsize at = 1; at < size; at += at < 400 ? 7 : 1 + size / 60)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (VtrTrace) trace = NULL;

      g_assert_true (g_file_set_contents (cut, contents, (gssize)at, NULL));
      trace = vtr_trace_open (cut, NULL, NULL, NULL, &error);
      if (trace == NULL)
        {
          g_assert_cmpuint (before, ==, 0);
          g_assert_true (error->domain == VTR_TRACE_ERROR);
          g_assert_true (g_str_has_suffix (error->message, "."));
          continue;
        }
      g_assert_cmpuint (vtr_trace_get_n_commands (trace), >=, before);
      before = vtr_trace_get_n_commands (trace);
      if (before < N_FRAMES * PER_FRAME + 1)
        {
          g_assert_nonnull (vtr_trace_get_warning (trace));
          g_assert_true (vtr_trace_get_info (trace)->truncated);
        }
      check_trace (trace, 1);
    }
  g_assert_cmpuint (before, ==, N_FRAMES * PER_FRAME + 1);
}

/* The file of a writer that died is continued; everything that it had said to be on disk is
 * there. */
static void
test_resume (Fixture       *self,
             gconstpointer  data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (VtrTrace) trace = NULL;
  g_autofree char *part = g_strconcat (self->path, ".part", NULL);
  VtrTraceWriter *writer = vtr_trace_writer_new (self->path, &error);
  guint64 ticket;

  append_header (writer);
  for (guint i = 0; i < N_FRAMES / 2; i++)
    append_frame (writer, i);
  ticket = vtr_trace_writer_get_written_ticket (writer);
  g_assert_cmpuint (ticket, <=, N_FRAMES / 2 + 1);
  g_assert_null (vtr_trace_writer_resume (part, self->path, NULL, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_BUSY);
  g_clear_error (&error);
  vtr_trace_writer_free (writer, FALSE);

  writer = vtr_trace_writer_resume (part, self->path, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (vtr_trace_writer_get_written_ticket (writer), ==, ticket);
  {
    /* The record that was cut by the end of the file: its first objects are not written twice. */
    guint64 n = vtr_trace_writer_get_n_commands (writer);
    guint frame = (guint)(n / PER_FRAME);

    g_assert_cmpuint (frame, ==, ticket - 1);
    g_test_message ("ticket %u, %u items of it, %u commands", (guint)ticket,
                    vtr_trace_writer_get_ticket_items (writer), (guint)n);
    if (n % PER_FRAME != 0)
      g_assert_cmpuint (vtr_trace_writer_get_ticket_items (writer), >, 0);
  }
  g_assert_true (vtr_trace_writer_finish (writer, &error));
  g_assert_no_error (error);
  vtr_trace_writer_free (writer, FALSE);
  trace = open_trace (self->path);
  g_assert_null (vtr_trace_get_warning (trace));
  check_trace (trace, (ticket - 1) * PER_FRAME);
}

static void
expect_error (const char *path,
              GQuark      domain,
              int         code)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (VtrTrace) trace = vtr_trace_open (path, NULL, NULL, NULL, &error);

  g_assert_null (trace);
  g_assert_error (error, domain, code);
  g_assert_true (g_str_has_suffix (error->message, "."));
  g_test_message ("%s", error->message);
}

static void
expect_content_error (const char    *path,
                      gconstpointer  content,
                      gssize         size,
                      int            code)
{
  g_assert_true (g_file_set_contents (path, content, size, NULL));
  expect_error (path, VTR_TRACE_ERROR, code);
}

static void
test_errors (Fixture       *self,
             gconstpointer  data)
{
  VtrTraceHead head = { VTR_TRACE_HEAD_MAGIC, 16, VTR_TRACE_NAME, 99, 0 };
  guint8 huge[200] = { 0 };

  expect_error (self->path, VTR_TRACE_ERROR, VTR_TRACE_ERROR_FILE);
  expect_error (self->folder, VTR_TRACE_ERROR, VTR_TRACE_ERROR_FILE);
  expect_error ("/dev/null", VTR_TRACE_ERROR, VTR_TRACE_ERROR_FILE);
  expect_content_error (self->path, "", 0, VTR_TRACE_ERROR_EMPTY);
  expect_content_error (self->path, "RDOC and more", -1, VTR_TRACE_ERROR_FOREIGN);
  expect_content_error (self->path, "protopack\x05\x0a\x03\x0a\x01", -1, VTR_TRACE_ERROR_VERSION);
  expect_content_error (self->path, "ProtoPack\r\n3.0\n", 16, VTR_TRACE_ERROR_VERSION);
  expect_content_error (self->path, "ProtoPack\r\n2.0\n", 16, VTR_TRACE_ERROR_EMPTY);
  expect_content_error (self->path, "ProtoPack\r\n2.0\n\0\xff\xff\xff\xff\x0f", 21,
                        VTR_TRACE_ERROR_EMPTY);
  expect_content_error (self->path, &head, sizeof head, VTR_TRACE_ERROR_VERSION);
  head.version = VTR_TRACE_OLDEST_VERSION;
  expect_content_error (self->path, &head, sizeof head, VTR_TRACE_ERROR_EMPTY);
  memcpy (huge, &head, sizeof head);
  memset (huge + sizeof head, 0xff, sizeof huge - sizeof head);
  expect_content_error (self->path, huge, sizeof huge, VTR_TRACE_ERROR_EMPTY);
  if (geteuid () != 0)
    {
      g_assert_cmpint (g_chmod (self->path, 0), ==, 0);
      expect_error (self->path, VTR_TRACE_ERROR, VTR_TRACE_ERROR_FILE);
    }
}

/* Flipped bytes anywhere: an error or a trace; decoding everything never leaves the buffers
 * (ASan). */
static void
test_damaged (Fixture       *self,
              gconstpointer  data)
{
  g_autofree char *contents = NULL;
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);
  g_autofree char *bad = g_build_filename (self->folder, "bad.gfxtrace", NULL);
  VtrArena arena;
  gsize size;

  vtr_arena_init (&arena);
  write_trace (self->path);
  g_assert_true (g_file_get_contents (self->path, &contents, &size, NULL));
  for (guint round = 0; round < 60; round++)
    {
      g_autofree char *copy = g_memdup2 (contents, size);
      g_autoptr (VtrTrace) trace = NULL;

      for (guint i = 0; i < 3; i++)
        copy[g_rand_int_range (rand, 0, (gint32)size)] ^=
          (char)(1 << g_rand_int_range (rand, 0, 8));
      g_assert_true (g_file_set_contents (bad, copy, (gssize)size, NULL));
      trace = vtr_trace_open (bad, NULL, NULL, NULL, NULL);
      if (trace == NULL)
        continue;
      for (guint64 i = 0; i < vtr_trace_get_n_commands (trace); i += 53)
        {
          const VtrContentRecord *writes;
          VtrCommand command;

          vtr_arena_reset (&arena);
          (void)!vtr_trace_decode (trace, i, &arena, &command, NULL);
          (void)!vtr_trace_get_contents (trace, i, &arena, &writes, NULL);
        }
    }
  vtr_arena_finish (&arena);
}

static void
test_out_of_range (Fixture       *self,
                   gconstpointer  data)
{
  g_autoptr (VtrTrace) trace = NULL;
  g_autoptr (GError) error = NULL;
  VtrArena arena;
  VtrCommand command;

  write_trace (self->path);
  trace = open_trace (self->path);
  vtr_arena_init (&arena);
  g_assert_false (vtr_trace_decode (trace, N_FRAMES * PER_FRAME + 1, &arena, &command, &error));
  g_assert_error (error, VTR_TRACE_ERROR, VTR_TRACE_ERROR_RANGE);
  vtr_arena_finish (&arena);
}

static void
write_initial (const char *path,
               guint       n_initial,
               guint       n_others)
{
  VtrTraceWriter *writer = vtr_trace_writer_new (path, NULL);
  VtrArgs_vkQueuePresentKHR args = { 0 };
  VtrBuffer message = { 0 };

  vtr_api_encode (&message, VTR_CMD_vkQueuePresentKHR, &args, 0, 77, 0, 0, NULL);
  for (guint i = 0; i < n_initial + n_others; i++)
    vtr_trace_writer_append_command (writer, VTR_CMD_vkQueuePresentKHR, message.data,
                                     message.size, i < n_initial ? VTR_COMMAND_INITIAL : 0, FALSE,
                                     NULL);
  g_assert_true (vtr_trace_writer_finish (writer, NULL));
  vtr_trace_writer_free (writer, FALSE);
  vtr_buffer_finish (&message);
}

/* Initial commands are part of no frame; a trace has a frame even if it holds nothing else. */
static void
test_initial (Fixture       *self,
              gconstpointer  data)
{
  g_autoptr (VtrTrace) trace = NULL, only = NULL;
  guint64 first, last;

  write_initial (self->path, 3, 1);
  trace = open_trace (self->path);
  g_assert_cmpuint (vtr_trace_get_n_initial_commands (trace), ==, 3);
  g_assert_cmpuint (vtr_trace_get_n_frames (trace), ==, 1);
  vtr_trace_get_frame (trace, 0, &first, &last);
  g_assert_cmpuint (first, ==, 3);
  g_assert_cmpuint (last, ==, 3);

  write_initial (self->path, 3, 0);
  only = open_trace (self->path);
  g_assert_cmpuint (vtr_trace_get_n_initial_commands (only), ==, 0);
  g_assert_cmpuint (vtr_trace_get_n_frames (only), ==, 3);
  vtr_trace_get_frame (only, 2, &first, &last);
  g_assert_cmpuint (first, ==, 2);
  g_assert_cmpuint (last, ==, 2);
}

static gpointer
decode_all (gpointer data)
{
  VtrArena arena;

  vtr_arena_init (&arena);
  for (guint64 i = 0; i < vtr_trace_get_n_commands (data); i += 11)
    check_command (data, &arena, i);
  vtr_arena_finish (&arena);
  return NULL;
}

static void
test_threads (Fixture       *self,
              gconstpointer  data)
{
  g_autoptr (VtrTrace) trace = NULL;
  GThread *threads[4];

  write_trace (self->path);
  trace = open_trace (self->path);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("reader", decode_all, trace);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
}

/* Writing must keep up with a program that records a million calls a second. */
static void
test_speed (Fixture       *self,
            gconstpointer  data)
{
  VtrBuffer message = { 0 };
  VtrTraceWriter *writer = vtr_trace_writer_new (self->path, NULL);
  g_autoptr (GTimer) timer = NULL;
  VtrArgs_vkCmdDrawIndexed args = { .commandBuffer = (VkCommandBuffer)(gsize)0x5555deadbee0,
                                    .indexCount = 36 };
  const guint n = 1000000;
  double seconds;

  timer = g_timer_new ();
  for (guint i = 0; i < n; i++)
    {
      vtr_buffer_clear (&message);
      args.firstIndex = i * 36;
      args.firstInstance = i % 1000;
      vtr_api_encode (&message, VTR_CMD_vkCmdDrawIndexed, &args, 0, 77, 0, 0, NULL);
      vtr_trace_writer_append_command (writer, VTR_CMD_vkCmdDrawIndexed, message.data, message.size,
                                       0, FALSE, NULL);
    }
  g_assert_true (vtr_trace_writer_finish (writer, NULL));
  seconds = g_timer_elapsed (timer, NULL);
  g_test_message ("%.2f million calls per second, %.2f bytes each", n / seconds / 1e6,
                  (double)vtr_trace_writer_get_bytes (writer) / n);
  vtr_trace_writer_free (writer, FALSE);
  vtr_buffer_finish (&message);

  {
    g_autoptr (GTimer) open_timer = g_timer_new ();
    g_autoptr (VtrTrace) trace = open_trace (self->path);

    g_test_message ("opened in %.0f ms", g_timer_elapsed (open_timer, NULL) * 1000);
    g_assert_cmpuint (vtr_trace_get_n_commands (trace), ==, n);
  }
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, G_TEST_OPTION_ISOLATE_DIRS, NULL);
#define ADD(name, function) \
  g_test_add ("/engine/format/trace/" name, Fixture, NULL, set_up, function, tear_down)
  ADD ("round-trip", test_round_trip);
  ADD ("plain", test_plain);
  ADD ("truncated", test_truncated);
  ADD ("resume", test_resume);
  ADD ("errors", test_errors);
  ADD ("damaged", test_damaged);
  ADD ("out-of-range", test_out_of_range);
  ADD ("initial", test_initial);
  ADD ("threads", test_threads);
  ADD ("speed", test_speed);
#undef ADD
  return g_test_run ();
}
