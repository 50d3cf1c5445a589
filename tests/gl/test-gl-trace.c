/* A trace with every command of OpenGL, EGL and GLX: written, opened, and each listed by its name;
 * a replay of it fails with a sentence. */
#include "../api/vtr-random-tree.h"

#include "api/vtr-api-walk.h"
#include "engine/api/vtr-api.h"
#include "engine/api/vtr-build-api.h"
#include "engine/format/vtr-trace-writer.h"
#include "engine/format/vtr-trace.h"
#include "engine/replay-builder/vtr-replay-rule.h"

#include <glib/gstdio.h>

static char *
write_trace (const char *folder)
{
  char *path = g_build_filename (folder, "gl.gfxtrace", NULL);
  VtrTraceWriter *writer = vtr_trace_writer_new (path, NULL);

  for (guint i = 0; i < VTR_GL_N_COMMANDS; i++)
    {
      const VtrCmdId cmd = (VtrCmdId)(VTR_GL_FIRST_ID + i);
      VtrBuffer message = { 0 };
      VtrRandomTree tree;

      vtr_random_tree_init (&tree, cmd, i);
      vtr_api_encode (&message, cmd, tree.args, 0, 100, 0, 0, tree.env);
      g_assert_cmpuint (
        vtr_trace_writer_append_command (writer, cmd, message.data, message.size, 0, FALSE, NULL),
        ==, i);
      vtr_random_tree_finish (&tree);
      vtr_buffer_finish (&message);
    }
  g_assert_true (vtr_trace_writer_finish (writer, NULL));
  vtr_trace_writer_free (writer, FALSE);
  return path;
}

static void
check_trace (VtrTrace *trace)
{
  g_assert_cmpuint (vtr_trace_get_n_commands (trace), ==, VTR_GL_N_COMMANDS);
  for (guint i = 0; i < VTR_GL_N_COMMANDS; i++)
    {
      const VtrCmdId id = vtr_trace_get_command_id (trace, i);
      g_autoptr (GError) error = NULL;
      char where[256];
      VtrRandomTree tree;
      VtrCommand command;
      VtrArena arena;

      g_assert_cmpuint (id, ==, VTR_GL_FIRST_ID + i);
      vtr_arena_init (&arena);
      g_assert_true (vtr_trace_decode (trace, i, &arena, &command, &error));
      g_assert_no_error (error);
      g_assert_cmpint (command.id, ==, id);
      vtr_random_tree_init (&tree, id, i);
      if (!vtr_api_compare (id, tree.args, command.args,
                            VTR_COMPARE_HANDLES | VTR_COMPARE_ADDRESSES, tree.env, where,
                            sizeof where))
        g_error ("%s differs at %s", vtr_cmd_name (id), where);
      vtr_random_tree_finish (&tree);
      vtr_arena_finish (&arena);
    }
}

static void
test_trace (void)
{
  g_autofree char *folder = g_dir_make_tmp ("vtr-gl-XXXXXX", NULL);
  g_autofree char *path = write_trace (folder);
  g_autoptr (GError) error = NULL;
  VtrTrace *trace = vtr_trace_open (path, NULL, NULL, NULL, &error);

  g_assert_no_error (error);
  check_trace (trace);
  vtr_trace_unref (trace);
  g_unlink (path);
  g_rmdir (folder);
}

/* No command is replayed yet, and the reason is a sentence. */
static void
test_replay_is_declined (void)
{
  for (guint i = 0; i < VTR_GL_N_COMMANDS; i++)
    {
      const VtrCmdId cmd = (VtrCmdId)(VTR_GL_FIRST_ID + i);
      const VtrApi *api = vtr_api_get (cmd);
      const VtrReplayRule *rule;

      g_assert_nonnull (api);
      g_assert_cmpstr (api->name, ==, "gl");
      rule = api->build->rule (cmd);
      g_assert_cmpint (rule->action, ==, VTR_REPLAY_DECLINE);
      g_assert_nonnull (rule->reason);
    }
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/gl/trace/every-command", test_trace);
  g_test_add_func ("/gl/trace/replay-is-declined", test_replay_is_declined);
  return g_test_run ();
}
