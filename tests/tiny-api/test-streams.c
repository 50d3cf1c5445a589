/* Tests to which stream and namespace each command of a trace belongs, with the index, without it,
 * and in a trace that was written again. */
#include "engine/format/vtr-trace-rewrite.h"
#include "engine/format/vtr-content-record.h"
#include "engine/format/vtr-trace-writer.h"
#include "engine/state/vtr-identity.h"

#include "api/vtr-tiny-args.h"
#include "wire/vtr-pack-field.h"
#include "wire/vtr-trace-objects.h"

#include <glib/gstdio.h>

enum
{
  PROCESS = 1,
  GROUP = 2,
  FIRST = 3, /* contexts of the group */
  SECOND = 4,
};

static const char *
name_scope (guint number)
{
  return number == PROCESS ? "process" : number == GROUP ? "group"
                                                         : "context";
}

static void
add_namespace (VtrTraceWriter *writer,
               guint           number)
{
  VtrBuffer message = { 0 };

  vtr_pack_append_fixed32 (&message, VTR_NAMESPACE_NUMBER, number);
  vtr_pack_append_bytes (&message, VTR_NAMESPACE_API, "tiny", 4);
  vtr_pack_append_bytes (&message, VTR_NAMESPACE_SCOPE, name_scope (number),
                         strlen (name_scope (number)));
  if (number != PROCESS)
    vtr_pack_append_fixed32 (&message, VTR_NAMESPACE_PARENT, MIN (number - 1, GROUP));
  g_assert_true (vtr_trace_writer_append_object (writer, "vitrine.Namespace", message.data,
                                                 message.size, NULL));
  vtr_buffer_finish (&message);
}

/* @thread, @names: in the message itself; 0: its batch says it */
static void
add_pen (VtrTraceWriter *writer,
         guint32         rgba,
         guint32         thread,
         guint32         names)
{
  const VtrArgs_tnPen args = { rgba };
  VtrBuffer message = { 0 };

  vtr_api_encode (&message, VTR_CMD_tnPen, &args, 0, thread, 0, 0, NULL);
  if (names != 0)
    vtr_api_encode_extra (&message, VTR_EXTRA_NAMESPACE, &names, sizeof names);
  g_assert_cmpuint (vtr_trace_writer_append_command (writer, VTR_CMD_tnPen, message.data,
                                                     message.size, 0, FALSE, NULL),
                    ==, rgba);
  vtr_buffer_finish (&message);
}

static void
add_contents (VtrTraceWriter *writer,
              const guint8   *texels,
              gsize           size)
{
  VtrBuffer message = { 0 };

  vtr_api_encode_observation_at (&message, (VtrCommandField)VTR_TEXEL_CONTENTS_READS, 0, texels,
                                 size);
  vtr_pack_append_fixed32 (&message, VTR_TEXEL_CONTENTS_NAMESPACE, SECOND);
  vtr_pack_append_bytes (&message, VTR_TEXEL_CONTENTS_KIND, "picture", 7);
  vtr_pack_append_bytes (&message, VTR_TEXEL_CONTENTS_FORMAT, "RGBA8_UNORM", 11);
  vtr_pack_append_fixed32 (&message, VTR_TEXEL_CONTENTS_WIDTH, 32);
  g_assert_true (vtr_trace_writer_append_object (writer, "vitrine.TexelContents", message.data,
                                                 message.size, NULL));
  vtr_buffer_finish (&message);
}

/* Command @i of the trace; batches go on over frames of the file, and mix with commands outside. */
static guint32
stream_of (guint    i,
           guint64 *thread)
{
  *thread = i < 8 ? 100 : i < 16 ? 101
                                 : 102;
  return i < 8 ? FIRST : i < 16  ? SECOND
                       : i == 16 ? 0
                                 : PROCESS;
}

#define N_COMMANDS 20u

static char *
write_trace (const char *folder)
{
  char *path = g_build_filename (folder, "streams.gfxtrace", NULL);
  VtrTraceWriter *writer = vtr_trace_writer_new (path, NULL);
  static const guint8 texels[4096] = { 7 };

  for (guint i = 0; i < N_COMMANDS; i++)
    {
      guint64 thread;
      const guint32 names = stream_of (i, &thread);

      /* Numbers may come in another order than they were given. */
      for (guint n = 0; i == 0 && n < 4; n++)
        add_namespace (writer, (const guint[]){ PROCESS, SECOND, GROUP, FIRST }[n]);
      if (i == 5)
        add_contents (writer, texels, sizeof texels);
      vtr_trace_writer_set_stream (writer, i < 16 ? thread : 0, i < 16 ? names : 0);
      add_pen (writer, i, i < 16 ? 0 : (guint32)thread, i < 16 ? 0 : names);
      if (i % 3 == 0)
        g_assert_true (vtr_trace_writer_flush (writer, TRUE, NULL));
    }
  g_assert_true (vtr_trace_writer_finish (writer, NULL));
  vtr_trace_writer_free (writer, FALSE);
  return path;
}

static guint32
identify (const VtrCommand *command,
          VtrHandleId       kind,
          guint64           name)
{
  return vtr_identity_of (command, kind, name).namespace;
}

static void
check_names (const VtrCommand *command,
             guint32           names)
{
  const gboolean inside = names == FIRST || names == SECOND;

  g_assert_cmpuint (identify (command, VTR_HANDLE_picture, 5), ==, inside ? GROUP : 0);
  g_assert_cmpuint (identify (command, VTR_HANDLE_picture, 0), ==, inside ? names : 0);
  g_assert_cmpuint (identify (command, VTR_HANDLE_store, 5), ==, inside ? GROUP : 0);
  g_assert_cmpuint (identify (command, VTR_HANDLE_array, 5), ==, inside ? names : 0);
  g_assert_cmpuint (identify (command, VTR_HANDLE_TnContext, 5), ==, names != 0 ? PROCESS : 0);
  g_assert_cmpuint (identify (command, VTR_HANDLE_VkImage, 5), ==, 0);
}

static void
check_contents (VtrTrace *trace)
{
  const VtrContentRecord *contents;
  VtrArena arena;

  vtr_arena_init (&arena);
  g_assert_cmpuint (vtr_trace_get_contents (trace, 4, &arena, &contents, NULL), ==, 0);
  g_assert_cmpuint (vtr_trace_get_contents (trace, 5, &arena, &contents, NULL), ==, 1);
  g_assert_cmpuint (contents->kind, ==, VTR_HANDLE_picture);
  g_assert_nonnull (contents->texels);
  g_assert_cmpuint (contents->what, ==, VTR_CONTENT_TEXELS);
  g_assert_cmpuint (contents->texels->namespace, ==, SECOND);
  g_assert_cmpstr (contents->texels->format, ==, "RGBA8_UNORM");
  g_assert_cmpuint (contents->size, ==, 4096);
  g_assert_cmpuint (contents->data[0], ==, 7);
  vtr_arena_finish (&arena);
}

static void
check_trace (const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (VtrTrace) trace = vtr_trace_open (path, NULL, NULL, NULL, &error);
  VtrArena arena;

  g_assert_no_error (error);
  g_assert_cmpuint (vtr_trace_get_n_commands (trace), ==, N_COMMANDS);
  g_assert_cmpuint (vtr_trace_get_n_namespaces (trace), ==, 4);
  g_assert_cmpstr (vtr_trace_get_info (trace)->apis, ==, "Tiny");
  vtr_arena_init (&arena);
  for (guint i = 0; i < N_COMMANDS; i++)
    {
      guint64 thread;
      const guint32 names = stream_of (i, &thread);
      VtrCommand command;

      g_assert_true (vtr_trace_decode (trace, i, &arena, &command, &error));
      g_assert_cmpuint (((const VtrArgs_tnPen *)command.args)->rgba, ==, i);
      g_assert_cmpuint (command.thread, ==, thread);
      g_assert_cmpuint (command.namespace == NULL ? 0 : command.namespace->number, ==, names);
      check_names (&command, names);
      vtr_arena_reset (&arena);
    }
  vtr_arena_finish (&arena);
  check_contents (trace);
}

/* The end of the file, with its index, is missing. */
static void
cut (const char *path,
     const char *cut_path)
{
  g_autofree char *bytes = NULL;
  gsize size;

  g_assert_true (g_file_get_contents (path, &bytes, &size, NULL));
  g_assert_true (g_file_set_contents (cut_path, bytes, (gssize)size - 40, NULL));
}

static VtrRewriteAnswer
keep_command (gpointer    data,
              guint64     index,
              VtrBuffer  *message,
              GError    **error)
{
  return VTR_REWRITE_KEEP;
}

static void
test_streams (void)
{
  g_autofree char *folder = g_dir_make_tmp ("streams-XXXXXX", NULL);
  g_autofree char *path = write_trace (folder);
  g_autofree char *other = g_build_filename (folder, "other.gfxtrace", NULL);
  const VtrTraceFilter filter = { .command = keep_command };
  g_autoptr (GError) error = NULL;
  g_autoptr (VtrTrace) trace = NULL;

  check_trace (path);
  cut (path, other);
  check_trace (other);

  trace = vtr_trace_open (path, NULL, NULL, NULL, &error);
  g_assert_true (vtr_trace_rewrite (trace, &filter, other, NULL, &error));
  g_assert_no_error (error);
  check_trace (other);
  g_unlink (path);
  g_unlink (other);
  g_rmdir (folder);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tiny/streams", test_streams);
  return g_test_run ();
}
