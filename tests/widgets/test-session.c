/* Tests the selection of a session, its history, and paths. */
#include "vtr-test-ui.h"

#include "engine/replay-session/vtr-replay-request-private.h"
#include "engine/replay-session/vtr-replay-session.h"
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
    { 1138, "1\u202f138" },
    { 21306412, "21\u202f306\u202f412" },
    { G_MAXUINT64, "18\u202f446\u202f744\u202f073\u202f709\u202f551\u202f615" },
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

typedef struct
{
  gboolean done, found;
} Step;

static void
stepped_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  Step *step = data;
  g_autoptr (GError) error = NULL;

  step->found = vtr_session_step_write_finish (VTR_SESSION (source), result, &error);
  g_assert_no_error (error);
  step->done = TRUE;
}

static gboolean
is_done (gpointer data)
{
  return ((Step *)data)->done;
}

static gboolean
step_write (VtrSession *session, guint32 image, int step)
{
  Step wait = { 0 };

  vtr_session_step_write_async (session, image, step, NULL, stepped_cb, &wait);
  vtr_test_ui_wait (is_done, &wait);
  return wait.found;
}

static guint64
clear (VtrTestTrace *test, guint64 buffer, guint64 image)
{
  VkClearColorValue color = { .float32 = { 1 } };
  VkImageSubresourceRange all = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1 };

  return ADD (test, vkCmdClearColorImage, .commandBuffer = H (VkCommandBuffer, buffer),
              .image = H (VkImage, image), .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
              .pColor = &color, .rangeCount = 1, .pRanges = &all);
}

/* From one write of an image to the next, past those of another one, and into another run. */
static void
test_writes (void)
{
  g_autoptr (VtrTestTrace) test = vtr_test_trace_new ();
  g_autoptr (VtrDocument) document = NULL;
  g_autoptr (VtrSession) session = NULL;
  g_autoptr (GArray) images = NULL;
  guint64 first, second;
  guint32 image;

  vtr_test_add_device (test);
  vtr_test_add_pool (test, 0x10, 0);
  vtr_test_allocate_buffer (test, 0x10, 0x1000);
  vtr_test_add_image (test, 0xa1, 0xb1, VK_FORMAT_R8G8B8A8_UNORM, 8, 8);
  vtr_test_add_image (test, 0xa2, 0xb2, VK_FORMAT_R8G8B8A8_UNORM, 8, 8);
  vtr_test_begin (test, 0x1000);
  first = clear (test, 0x1000, 0xa1);
  clear (test, 0x1000, 0xa2);
  second = clear (test, 0x1000, 0xa1);
  clear (test, 0x1000, 0xa2);
  vtr_test_end (test, 0x1000);
  vtr_test_submit (test, 0x1000);
  vtr_test_submit (test, 0x1000);
  document = vtr_test_trace_open_document (test);
  session = vtr_session_new (document);
  images = vtr_history_list (vtr_document_get_history (document), VTR_HANDLE_VkImage);
  g_assert_cmpuint (images->len, ==, 2);
  image = g_array_index (images, guint32, 0);

  vtr_session_select (session, first, VTR_SELECT_JUMP);
  g_assert_true (step_write (session, image, 1));
  g_assert_cmpuint (vtr_session_get_command (session), ==, second);
  g_assert_true (step_write (session, image, 1));
  g_assert_cmpuint (vtr_session_get_command (session), ==, first);
  g_assert_cmpuint (vtr_session_get_address (session).run, ==, 1);
  g_assert_true (step_write (session, image, 1));
  g_assert_false (step_write (session, image, 1));
  g_assert_cmpuint (vtr_session_get_command (session), ==, second);
  for (guint i = 0; i < 3; i++)
    g_assert_true (step_write (session, image, -1));
  g_assert_false (step_write (session, image, -1));
  g_assert_cmpuint (vtr_session_get_command (session), ==, first);
}

/* The status bar tells how far a replay is; the log, what it came to. */
static void
test_log (void)
{
  g_autoptr (VtrSession) session = vtr_test_ui_session (1);
  VtrReplaySession *replays =
    vtr_document_get_replay_session (vtr_session_get_document (session));
  GListModel *log = vtr_session_get_log (session);
  guint n, n_told = 0;

  vtr_test_ui_spin (20);
  n = g_list_model_get_n_items (log);
  g_signal_connect (session, "replay-changed", G_CALLBACK (count_cb), &n_told);
  for (guint percent = 0; percent < 100; percent += 10)
    {
      vtr_replay_session_say (replays, VTR_REPLAY_IS_WORKING,
                              g_strdup_printf ("Replaying up to frame 0… %u %%", percent));
      vtr_test_ui_spin (5);
    }
  g_assert_cmpuint (n_told, >, 1);
  g_assert_cmpuint (g_list_model_get_n_items (log), ==, n);
  vtr_replay_session_say (replays, VTR_REPLAY_IS_READY, g_strdup ("Ready"));
  vtr_test_ui_spin (20);
  g_assert_cmpuint (g_list_model_get_n_items (log), ==, n + 1);
}

/* While the state before a frame is made: the frame that is asked for, and what is waited for. */
static void
test_progress (void)
{
  g_autoptr (VtrSession) session = vtr_test_ui_session (4);
  VtrDocument *document = vtr_session_get_document (session);
  VtrReplayRequest request = { .session = vtr_document_get_replay_session (document),
                               .is_making_snapshot = TRUE };
  GListModel *log = vtr_session_get_log (session);
  guint64 first, last;
  guint n;

  vtr_test_ui_spin (20);
  n = g_list_model_get_n_items (log);
  /* The state is that of the end of frame 1; the picture is of frame 3. */
  vtr_trace_get_frame (vtr_session_get_trace (session), 1, &first, &last);
  request.end = last + 1;
  vtr_trace_get_frame (vtr_session_get_trace (session), 3, &first, &last);
  request.stop = first;
  for (guint64 done = 0; done < request.end; done++)
    {
      g_autofree char *said = NULL;

      vtr_replay_request_say_snapshot (&request, done);
      said = vtr_document_describe_replay (document);
      g_assert_true (g_str_has_prefix (said, "Replaying up to frame 3…"));
      /* All was given to the device: how long that takes, no count of commands tells. */
      g_assert_cmpint (strchr (said, '%') == NULL, ==, done == 0 || done + 1 == request.end);
      g_assert_null (strstr (said, " 99 %"));
      g_assert_cmpint (g_str_has_suffix (said, "waiting for the device"), ==,
                       done + 1 == request.end);
    }
  vtr_test_ui_spin (20);
  g_assert_cmpuint (g_list_model_get_n_items (log), ==, n);
}

int
main (int argc, char *argv[])
{
  vtr_test_ui_init (&argc, &argv);
  g_test_add_func ("/widgets/session/history", test_history);
  g_test_add_func ("/widgets/session/paths", test_paths);
  g_test_add_func ("/widgets/session/draws", test_draws);
  g_test_add_func ("/widgets/session/writes", test_writes);
  g_test_add_func ("/widgets/session/numbers", test_numbers);
  g_test_add_func ("/widgets/session/progress", test_progress);
  g_test_add_func ("/widgets/session/failures", test_failures);
  g_test_add_func ("/widgets/session/log", test_log);
  return g_test_run ();
}
