/* Tests trimming a trace of two APIs: unused objects of Vulkan go; the tiny API does not tell what
 * is unused, so all of it stays. */
#include "engine/trim/vtr-trim.h"

#include "api/vtr-api-args.h"
#include "api/vtr-tiny-args.h"
#include "engine/format/vtr-trace-writer.h"

#include <glib/gstdio.h>

static void
append (VtrTraceWriter *writer,
        VtrCmdId        id,
        gconstpointer   args,
        guint64         result,
        gboolean        initial)
{
  g_autoptr (GError) error = NULL;
  VtrBuffer message = { 0 };

  vtr_api_encode (&message, id, args, result, 7, 0, initial ? VTR_COMMAND_FLAG_INITIAL : 0, NULL);
  vtr_trace_writer_append_command (writer, id, message.data, message.size, 0, FALSE, &error);
  g_assert_no_error (error);
  vtr_buffer_finish (&message);
}

/* Two fences, of which a call uses one, and a context with which the program goes on. */
static void
write_trace (const char *path)
{
  g_autoptr (GError) error = NULL;
  VtrTraceWriter *writer = vtr_trace_writer_new (path, &error);
  VkDevice device = (VkDevice)(gsize)0xd0;
  const VkFenceCreateInfo info = { VK_STRUCTURE_TYPE_FENCE_CREATE_INFO };
  VkFence used = (VkFence)(gsize)0xf1, unused = (VkFence)(gsize)0xf2;

  g_assert_no_error (error);
  append (writer, VTR_CMD_vkCreateFence,
          &(VtrArgs_vkCreateFence){ device, &info, NULL, &used }, 0, TRUE);
  append (writer, VTR_CMD_tnCreateContext,
          &(VtrArgs_tnCreateContext){ .width = 8, .height = 8 }, 0xc0, TRUE);
  append (writer, VTR_CMD_vkCreateFence,
          &(VtrArgs_vkCreateFence){ device, &info, NULL, &unused }, 0, TRUE);
  append (writer, VTR_CMD_tnPen, &(VtrArgs_tnPen){ .rgba = 5 }, 0, TRUE);
  append (writer, VTR_CMD_vkGetFenceStatus, &(VtrArgs_vkGetFenceStatus){ device, used }, 0, FALSE);
  append (writer, VTR_CMD_tnSwap, NULL, 0, FALSE);
  g_assert_true (vtr_trace_writer_finish (writer, &error));
  g_assert_no_error (error);
  vtr_trace_writer_free (writer, FALSE);
}

static void
test_trim (void)
{
  static const VtrCmdId expected[] = { VTR_CMD_vkCreateFence, VTR_CMD_tnCreateContext,
                                       VTR_CMD_tnPen, VTR_CMD_vkGetFenceStatus, VTR_CMD_tnSwap };
  g_autofree char *folder = g_dir_make_tmp ("vtr-tiny-trim-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "two.gfxtrace", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (VtrTrace) trace = NULL;
  VtrTrimFacts facts;
  VtrCommand command;
  VtrArena arena;

  write_trace (path);
  vtr_trim (path, path, &facts, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (facts.commands_before, ==, 4);
  g_assert_cmpuint (facts.commands_after, ==, 3);
  trace = vtr_trace_open (path, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (vtr_trace_get_n_commands (trace), ==, G_N_ELEMENTS (expected));
  for (guint i = 0; i < G_N_ELEMENTS (expected); i++)
    g_assert_cmpuint (vtr_trace_get_command_id (trace, i), ==, expected[i]);
  vtr_arena_init (&arena);
  g_assert_true (vtr_trace_decode (trace, 2, &arena, &command, &error));
  g_assert_cmpuint (((const VtrArgs_tnPen *)command.args)->rgba, ==, 5);
  g_assert_true (vtr_trace_decode (trace, 1, &arena, &command, &error));
  g_assert_cmphex (command.result, ==, 0xc0);
  vtr_arena_finish (&arena);
  g_unlink (path);
  g_rmdir (folder);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tiny/trim", test_trim);
  return g_test_run ();
}
