/* One selection, its history, and paths. */
#include "vtr-test-ui.h"

#include "engine/replay/vtr-replay-backend.h"

static void
count_cb (VtrSession *session, guint *n)
{
  (*n)++;
}

static void
test_history (void)
{
  g_autoptr (VtrSession) session = vtr_test_ui_session (3);
  gboolean back, forward;
  guint n = 0;

  g_signal_connect (session, "selection-changed", G_CALLBACK (count_cb), &n);
  g_assert_cmpuint (vtr_session_get_command (session), ==, VTR_COMMAND_NO_INDEX);
  vtr_session_select (session, 2, VTR_SELECT_JUMP);
  vtr_session_select (session, 3, VTR_SELECT_STEP);
  vtr_session_select (session, 4, VTR_SELECT_STEP);
  vtr_session_select (session, 9, VTR_SELECT_JUMP);
  vtr_session_select (session, 9, VTR_SELECT_JUMP);
  g_assert_cmpuint (n, ==, 4);

  /* Steps leave no trace of their own: one goes back to where they ended. */
  vtr_session_go_back (session);
  g_assert_cmpuint (vtr_session_get_command (session), ==, 4);
  g_object_get (session, "can-go-back", &back, "can-go-forward", &forward, NULL);
  g_assert_false (back);
  g_assert_true (forward);
  vtr_session_go_back (session);
  g_assert_cmpuint (vtr_session_get_command (session), ==, 4);
  vtr_session_go_forward (session);
  g_assert_cmpuint (vtr_session_get_command (session), ==, 9);

  /* A jump from the middle forgets what was ahead. */
  vtr_session_go_back (session);
  vtr_session_select (session, 1, VTR_SELECT_JUMP);
  g_object_get (session, "can-go-forward", &forward, NULL);
  g_assert_false (forward);

  vtr_session_select (session, 1u << 30, VTR_SELECT_JUMP);
  g_assert_cmpuint (vtr_session_get_command (session), ==, 1);
}

static void
test_paths (void)
{
  static const char *const bad[] = { "", "commands", "commands/",
                                     "commands/x", "commands/-1", "commands/999999",
                                     "frames/99", "objects/0", "objects/99999",
                                     "memory/3", "12abc" };
  g_autoptr (VtrSession) session = vtr_test_ui_session (2);
  guint64 first, last;

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_false (vtr_session_select_path (session, bad[i], &error));
      g_assert_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH);
    }
  g_assert_null (vtr_session_get_path (session));

  g_assert_true (vtr_session_select_path (session, "commands/3/parameters/device", NULL));
  g_assert_cmpuint (vtr_session_get_command (session), ==, 3);
  g_assert_cmpstr (vtr_session_get_path (session), ==, "commands/3");
  g_assert_true (vtr_session_select_path (session, "5", NULL));
  g_assert_cmpstr (vtr_session_get_path (session), ==, "commands/5");
  g_assert_true (vtr_session_select_path (session, "frames/0", NULL));
  vtr_trace_get_frame (vtr_session_get_trace (session), 0, &first, &last);
  g_assert_cmpuint (vtr_session_get_command (session), ==, last);
  g_assert_true (vtr_session_select_path (session, "objects/1", NULL));
  g_assert_cmpuint (
    vtr_session_get_command (session), ==,
    vtr_history_get_object (vtr_document_get_history (vtr_session_get_document (session)), 1)
      ->created);
}

static void
test_draws (void)
{
  g_autoptr (VtrSession) session = vtr_test_ui_session (2);
  guint n = 0;

  while (vtr_session_step_draw (session, 1))
    n++;
  g_assert_cmpuint (n, ==, 4);
  for (n = 0; vtr_session_step_draw (session, -1);)
    n++;
  g_assert_cmpuint (n, ==, 3);
  vtr_session_select_frame_end (session, 0);
  g_assert_false (vtr_session_step_frame (session, -1));
  g_assert_true (vtr_session_step_frame (session, 1));
  g_assert_cmpuint (vtr_session_get_frame (session), ==, 1);
  g_assert_false (vtr_session_step_frame (session, 1));
}

static void
test_numbers (void)
{
  static const struct
  {
    guint64 number;
    const char *text;
  } cases[] = {
    { 0, "0" },
    { 999, "999" },
    { 1138, "1\u2009138" },
    { 21306412, "21\u2009306\u2009412" },
    { G_MAXUINT64, "18\u2009446\u2009744\u2009073\u2009709\u2009551\u2009615" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = vtr_format_number (cases[i].number);

      g_assert_cmpstr (text, ==, cases[i].text);
    }
}

static void
test_failures (void)
{
  g_autoptr (VtrSession) session = vtr_test_ui_session (1);
  g_autoptr (GError) error = g_error_new (VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_DIED, "It died");
  guint before = g_list_model_get_n_items (vtr_session_get_report (session));

  vtr_session_report_replay_failure (session, 4, error);
  vtr_session_report_replay_failure (session, 4, error);
  g_assert_true (vtr_session_get_command_failed (session, 4));
  g_assert_false (vtr_session_get_command_failed (session, 5));
  g_assert_cmpuint (g_list_model_get_n_items (vtr_session_get_report (session)), ==, before + 1);
}

int
main (int argc, char *argv[])
{
  vtr_test_ui_init (&argc, &argv);
  g_test_add_func ("/widgets/session/history", test_history);
  g_test_add_func ("/widgets/session/paths", test_paths);
  g_test_add_func ("/widgets/session/draws", test_draws);
  g_test_add_func ("/widgets/session/numbers", test_numbers);
  g_test_add_func ("/widgets/session/failures", test_failures);
  return g_test_run ();
}
