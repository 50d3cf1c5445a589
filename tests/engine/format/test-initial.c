/* Tests traces of mid-run captures: initial commands, and contents of memory and images. */
#include "api/vtr-api-args.h"
#include "engine/format/vtr-content-record.h"
#include "engine/format/vtr-trace-observations.h"
#include "engine/format/vtr-trace-writer.h"
#include "engine/format/vtr-trace.h"
#include "wire/vtr-pack-field.h"
#include "wire/vtr-trace-objects.h"

#include <glib/gstdio.h>
#include <string.h>

#define N_INITIAL 5
#define N_LEVELS 12
#define LEVEL_BYTES 300000u

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

/* --- Writing --------------------------------------------------------------------------------- */

static void
append_command (VtrTraceWriter *writer,
                VtrCmdId        id,
                const void     *args,
                guint32         flags)
{
  VtrBuffer message = { 0 };
  g_autoptr (GError) error = NULL;

  vtr_api_encode (&message, id, args, 0, 77, 0, flags, NULL);
  vtr_trace_writer_append_command (writer, id, message.data, message.size, 0, FALSE, &error);
  g_assert_no_error (error);
  vtr_buffer_finish (&message);
}

static void
append_object (VtrTraceWriter *writer,
               const char     *name,
               VtrBuffer      *message)
{
  g_autoptr (GError) error = NULL;

  vtr_trace_writer_append_object (writer, name, message->data, message->size, &error);
  g_assert_no_error (error);
  vtr_buffer_finish (message);
}

/* An observation that consists of zeros only. */
static void
put_zeros (VtrBuffer *to,
           guint64    base,
           guint64    size)
{
  VtrBuffer inner = { 0 };

  vtr_pack_append_fixed64 (&inner, VTR_OBSERVATION_BASE, base);
  vtr_pack_append_varint (&inner, VTR_OBSERVATION_SIZE, size);
  vtr_pack_append_bytes (to, VTR_COMMAND_READS, inner.data, inner.size);
  vtr_buffer_finish (&inner);
}

static void
append_memory (VtrTraceWriter *writer,
               guint64         zeros)
{
  VtrBuffer message = { 0 };
  guint8 bytes[5000];

  memset (bytes, 3, sizeof bytes);
  vtr_pack_append_fixed32 (&message, VTR_MAPPED_WRITES_THREAD, 77);
  vtr_api_encode_observation_at (&message, VTR_COMMAND_READS, 0x1000, bytes, sizeof bytes);
  put_zeros (&message, 0x3000, zeros);
  vtr_pack_append_fixed64 (&message, VTR_MAPPED_WRITES_DEVICE, 0xd);
  vtr_pack_append_fixed64 (&message, VTR_MAPPED_WRITES_MEMORY, 0x3e3);
  append_object (writer, "vitrine.MappedWrites", &message);
}

/* Levels are alike in pairs. */
static void
append_level (VtrTraceWriter *writer,
              guint64         image,
              guint           level)
{
  g_autofree guint8 *bytes = g_malloc (LEVEL_BYTES);
  VtrBuffer message = { 0 };

  memset (bytes, (int)(level / 2 + 1), LEVEL_BYTES);
  vtr_pack_append_fixed32 (&message, VTR_IMAGE_CONTENTS_THREAD, 77);
  vtr_api_encode_observation_at (&message, VTR_COMMAND_READS, 0, bytes, LEVEL_BYTES);
  vtr_pack_append_fixed64 (&message, VTR_IMAGE_CONTENTS_DEVICE, 0xd);
  vtr_pack_append_fixed64 (&message, VTR_IMAGE_CONTENTS_IMAGE, image);
  vtr_pack_append_fixed32 (&message, VTR_IMAGE_CONTENTS_ASPECT, VK_IMAGE_ASPECT_COLOR_BIT);
  vtr_pack_append_fixed32 (&message, VTR_IMAGE_CONTENTS_MIP, level);
  vtr_pack_append_fixed32 (&message, VTR_IMAGE_CONTENTS_LAYER, 2);
  vtr_pack_append_fixed32 (&message, VTR_IMAGE_CONTENTS_LAYOUT, VK_IMAGE_LAYOUT_GENERAL);
  vtr_pack_append_fixed32 (&message, VTR_IMAGE_CONTENTS_FORMAT, VK_FORMAT_R8G8B8A8_UNORM);
  vtr_pack_append_fixed32 (&message, VTR_IMAGE_CONTENTS_WIDTH, 300);
  vtr_pack_append_fixed32 (&message, VTR_IMAGE_CONTENTS_HEIGHT, 250);
  vtr_pack_append_fixed32 (&message, VTR_IMAGE_CONTENTS_DEPTH, 1);
  vtr_pack_append_fixed32 (&message, VTR_IMAGE_CONTENTS_SAMPLE, 3);
  vtr_pack_append_fixed32 (&message, VTR_IMAGE_CONTENTS_Y, 40);
  vtr_pack_append_fixed32 (&message, VTR_IMAGE_CONTENTS_Z, 5);
  append_object (writer, "vitrine.ImageContents", &message);
}

static VtrTraceWriter *
write_initial (const char *path,
               guint64     zeros,
               guint64     image)
{
  const VkPresentInfoKHR present = { .sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR };
  g_autoptr (GError) error = NULL;
  VtrTraceWriter *writer = vtr_trace_writer_new (path, &error);

  g_assert_no_error (error);
  for (guint i = 0; i < N_INITIAL; i++)
    append_command (writer, VTR_CMD_vkDestroyDevice,
                    &(VtrArgs_vkDestroyDevice){ .device = (VkDevice)(gsize)(0xd0 + i) },
                    VTR_COMMAND_FLAG_INITIAL);
  append_memory (writer, zeros);
  for (guint i = 0; i < N_LEVELS; i++)
    append_level (writer, image, i);
  for (guint i = 0; i < 2; i++)
    {
      append_command (writer, VTR_CMD_vkDeviceWaitIdle,
                      &(VtrArgs_vkDeviceWaitIdle){ .device = (VkDevice)(gsize)0xd }, 0);
      append_command (writer, VTR_CMD_vkQueuePresentKHR,
                      &(VtrArgs_vkQueuePresentKHR){ .pPresentInfo = &present }, 0);
    }
  return writer;
}

static void
write_trace (const char *path,
             guint64     zeros,
             guint64     image)
{
  VtrTraceWriter *writer = write_initial (path, zeros, image);
  g_autoptr (GError) error = NULL;

  vtr_trace_writer_finish (writer, &error);
  g_assert_no_error (error);
  vtr_trace_writer_free (writer, FALSE);
}

static VtrTrace *
open_trace (const char *path)
{
  g_autoptr (GError) error = NULL;
  VtrTrace *trace = vtr_trace_open (path, NULL, NULL, NULL, &error);

  g_assert_no_error (error);
  return trace;
}

/* --- Reading --------------------------------------------------------------------------------- */

static void
check_memory (const VtrContentRecord *writes,
              guint64                 zeros)
{
  g_assert_cmphex (writes[0].object, ==, 0x3e3);
  g_assert_cmphex (writes[0].offset, ==, 0x1000);
  g_assert_cmpuint (writes[0].size, ==, 5000);
  g_assert_cmpuint (writes[0].data[4999], ==, 3);
  g_assert_cmphex (writes[1].object, ==, 0x3e3);
  g_assert_cmphex (writes[1].offset, ==, 0x3000);
  g_assert_cmpuint (writes[1].size, ==, zeros);
  for (guint64 i = 0; i < zeros; i += 97)
    g_assert_cmpuint (writes[1].data[i], ==, 0);
}

static void
check_level (const VtrContentRecord *write,
             guint                   level)
{
  g_assert_cmpuint (write->what, ==, VTR_CONTENT_TEXELS);
  g_assert_cmphex (write->owner, ==, 0xd);
  g_assert_cmpuint (write->kind, ==, VTR_HANDLE_VkImage);
  g_assert_cmphex (write->object, ==, 0x1a);
  g_assert_cmpuint (write->aspect, ==, VTR_PIXEL_COLOR);
  g_assert_cmpuint (write->level, ==, level);
  g_assert_cmpuint (write->layer, ==, 2);
  g_assert_cmpuint (write->word, ==, VK_IMAGE_LAYOUT_GENERAL);
  g_assert_cmpuint (write->format, ==, VK_FORMAT_R8G8B8A8_UNORM);
  g_assert_cmpuint (write->width, ==, 300);
  g_assert_cmpuint (write->height, ==, 250);
  g_assert_cmpuint (write->depth, ==, 1);
  g_assert_cmpuint (write->sample, ==, 3);
  g_assert_cmpuint (write->y, ==, 40);
  g_assert_cmpuint (write->z, ==, 5);
  g_assert_cmpuint (write->size, ==, LEVEL_BYTES);
  if (write->data != NULL)
    g_assert_cmpuint (write->data[LEVEL_BYTES - 1], ==, level / 2 + 1);
}

static gboolean
count_write (const VtrContentRecord  *write,
             gsize                    nth,
             gpointer                 data,
             GError                 **error)
{
  gsize *n = data;

  g_assert_cmpuint (nth, ==, *n);
  if (nth >= 2)
    check_level (write, (guint)nth - 2);
  *n += 1;
  return TRUE;
}

static gboolean
count_bytes (const VtrTraceObservation *observation,
             gpointer                   data)
{
  g_assert_cmphex (observation->memory, ==, 0x3e3);
  *(guint64 *)data += observation->size;
  return TRUE;
}

static void
check_finding (VtrTrace *trace)
{
  VtrContentCursor cursor = { 0 };
  g_autoptr (GError) error = NULL;
  VtrContentRecord write;
  VtrArena arena;

  vtr_arena_init (&arena);
  for (guint i = 0; i < N_LEVELS; i++)
    {
      g_assert_true (
        vtr_trace_find_content (trace, N_INITIAL, i + 2, &cursor, &arena, &write, &error));
      check_level (&write, i);
    }
  g_assert_true (
    vtr_trace_find_content (trace, N_INITIAL, 4, &cursor, &arena, &write, &error));
  check_level (&write, 2);
  g_assert_false (vtr_trace_find_content (trace, N_INITIAL, N_LEVELS + 2, &cursor, &arena,
                                          &write, &error));
  g_assert_no_error (error);
  vtr_arena_finish (&arena);
}

static void
check_trace (VtrTrace *trace,
             guint64   zeros)
{
  g_autoptr (GError) error = NULL;
  const VtrContentRecord *writes;
  guint64 first, last, bytes = 0;
  VtrArena arena;
  gsize n = 0;

  g_assert_cmpuint (vtr_trace_get_n_commands (trace), ==, N_INITIAL + 4);
  g_assert_cmpuint (vtr_trace_get_n_initial_commands (trace), ==, N_INITIAL);
  g_assert_cmpuint (vtr_trace_get_n_frames (trace), ==, 2);
  vtr_trace_get_frame (trace, 0, &first, &last);
  g_assert_cmpuint (first, ==, N_INITIAL);
  g_assert_cmpuint (last, ==, N_INITIAL + 1);
  g_assert_cmpuint (vtr_trace_get_n_resources (trace), ==, 1 + N_LEVELS / 2);

  vtr_arena_init (&arena);
  g_assert_cmpuint (vtr_trace_get_contents (trace, N_INITIAL, &arena, &writes, &error), ==,
                    2 + N_LEVELS);
  g_assert_no_error (error);
  check_memory (writes, zeros);
  for (guint i = 0; i < N_LEVELS; i++)
    check_level (&writes[2 + i], i);
  g_assert_cmpuint (vtr_trace_get_contents (trace, N_INITIAL + 1, &arena, &writes, &error), ==,
                    0);
  vtr_arena_finish (&arena);

  g_assert_true (
    vtr_trace_each_content (trace, N_INITIAL, FALSE, count_write, &n, &error));
  g_assert_cmpuint (n, ==, 2 + N_LEVELS);
  g_assert_true (
    vtr_trace_visit_mapped_writes (trace, N_INITIAL, count_bytes, &bytes, &error));
  g_assert_cmpuint (bytes, ==, 5000 + zeros);
  check_finding (trace);
}

/* --- Tests ----------------------------------------------------------------------------------- */

static void
test_round_trip (Fixture       *self,
                 gconstpointer  data)
{
  g_autoptr (VtrTrace) trace = NULL;

  write_trace (self->path, VTR_TRACE_MAX_ZEROS, 0x1a);
  trace = open_trace (self->path);
  g_assert_null (vtr_trace_get_warning (trace));
  check_trace (trace, VTR_TRACE_MAX_ZEROS);
}

/* Without the index, as after a death. */
static void
test_scanned (Fixture       *self,
              gconstpointer  data)
{
  VtrTraceWriter *writer = write_initial (self->path, 8192, 0x1a);
  g_autofree char *part = g_strconcat (self->path, ".part", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (VtrTrace) trace = NULL;

  vtr_trace_writer_flush (writer, TRUE, &error);
  g_assert_no_error (error);
  vtr_trace_writer_free (writer, FALSE);
  trace = open_trace (part);
  g_assert_nonnull (vtr_trace_get_warning (trace));
  check_trace (trace, 8192);
}

/* Numbers that no recorder writes are named, not believed. */
static void
test_hostile (Fixture       *self,
              gconstpointer  data)
{
  static const struct
  {
    guint64 zeros;
    guint64 image;
  } cases[] = { { VTR_TRACE_MAX_ZEROS + 1, 0x1a }, { G_MAXUINT64, 0x1a }, { 16, 0 } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (VtrTrace) trace = NULL;
      const VtrContentRecord *writes;
      VtrArena arena;

      write_trace (self->path, cases[i].zeros, cases[i].image);
      trace = open_trace (self->path);
      vtr_arena_init (&arena);
      g_assert_cmpuint (vtr_trace_get_contents (trace, N_INITIAL, &arena, &writes, &error),
                        ==, G_MAXSIZE);
      g_assert_error (error, VTR_TRACE_ERROR, VTR_TRACE_ERROR_DAMAGED);
      vtr_arena_finish (&arena);
    }
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(path, func) \
  g_test_add ("/engine/format/initial/" path, Fixture, NULL, set_up, func, tear_down)
  ADD ("round-trip", test_round_trip);
  ADD ("scanned", test_scanned);
  ADD ("hostile", test_hostile);
#undef ADD
  return g_test_run ();
}
