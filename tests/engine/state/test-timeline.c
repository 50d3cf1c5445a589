/* Tests recordings, runs and submissions of purpose-made sequences. */
#include "vtr-test-trace.h"

#define CB 0x1000
#define CB2 0x1001
#define SECONDARY 0x2000
#define SECONDARY2 0x2001

static VtrTimeline *
build (VtrTestTrace *test)
{
  g_autoptr (VtrTrace) trace = vtr_test_trace_open (test);
  g_autoptr (GError) error = NULL;
  VtrTimeline *timeline = vtr_timeline_build (trace, NULL, NULL, NULL, &error);

  g_assert_no_error (error);
  return timeline;
}

static VtrTestTrace *
start (void)
{
  VtrTestTrace *test = vtr_test_trace_new ();

  vtr_test_add_device (test);
  vtr_test_add_pool (test, 0x10, 2);
  vtr_test_allocate_buffer (test, 0x10, CB);
  vtr_test_allocate_buffer (test, 0x10, CB2);
  vtr_test_allocate_buffer (test, 0x10, SECONDARY);
  vtr_test_allocate_buffer (test, 0x10, SECONDARY2);
  return test;
}

static void
execute (VtrTestTrace *test, guint64 buffer, guint64 first, guint64 second)
{
  VkCommandBuffer handles[] = { H (VkCommandBuffer, first), H (VkCommandBuffer, second) };

  ADD (test, vkCmdExecuteCommands, .commandBuffer = H (VkCommandBuffer, buffer),
       .commandBufferCount = second != 0 ? 2 : 1, .pCommandBuffers = handles);
}

static void
record (VtrTestTrace *test, guint64 buffer, guint n_draws)
{
  vtr_test_begin (test, buffer);
  for (guint i = 0; i < n_draws; i++)
    vtr_test_draw (test, buffer);
  vtr_test_end (test, buffer);
}

static void
test_resubmission (void)
{
  g_autoptr (VtrTestTrace) test = start ();
  g_autoptr (VtrTimeline) timeline = NULL;
  const VtrRecording *recording;
  const VtrRun *run;
  guint64 begin, dispatch, end, submits[3];

  begin = vtr_test_begin (test, CB);
  vtr_test_draw (test, CB);
  vtr_test_draw (test, CB);
  dispatch = ADD (test, vkCmdDispatch, .commandBuffer = H (VkCommandBuffer, CB), 1, 1, 1);
  ADD (test, vkCmdFillBuffer, .commandBuffer = H (VkCommandBuffer, CB));
  end = vtr_test_end (test, CB);
  for (guint i = 0; i < 3; i++)
    submits[i] = vtr_test_submit (test, CB);

  timeline = build (test);
  g_assert_true (vtr_timeline_is_contiguous (timeline));
  g_assert_cmpuint (vtr_timeline_get_n_recordings (timeline), ==, 1);
  recording = vtr_timeline_get_recording (timeline, 0);
  g_assert_cmpuint (recording->list, ==, CB);
  g_assert_cmpuint (recording->first, ==, begin);
  g_assert_cmpuint (recording->last, ==, end);
  g_assert_false (recording->nested);
  g_assert_cmpuint (recording->word, ==, 2);
  g_assert_cmpuint (recording->n_draws, ==, 2);
  g_assert_cmpuint (recording->n_dispatches, ==, 1);
  g_assert_cmpuint (recording->n_transfers, ==, 1);
  g_assert_cmpuint (recording->n_runs, ==, 3);
  g_assert_true (recording->complete);
  g_assert_cmpuint (vtr_timeline_find_recording (timeline, dispatch), ==, 0);
  g_assert_cmpuint (vtr_timeline_find_recording (timeline, begin), ==, 0);
  g_assert_cmpuint (vtr_timeline_find_recording (timeline, end), ==, 0);
  g_assert_cmpuint (vtr_timeline_find_recording (timeline, begin - 1), ==, VTR_NO_RECORDING);
  g_assert_cmpuint (vtr_timeline_find_recording (timeline, end + 1), ==, VTR_NO_RECORDING);
  for (guint i = 0; i < 3; i++)
    {
      run = vtr_timeline_find_run (timeline, 0, i);
      g_assert_nonnull (run);
      g_assert_cmpuint (run->submit, ==, submits[i]);
      g_assert_cmpuint (run->executed_by, ==, VTR_COMMAND_NO_INDEX);
      g_assert_cmpuint (vtr_timeline_find_submission (timeline, submits[i]), ==, i);
    }
  g_assert_null (vtr_timeline_find_run (timeline, 0, 3));
  g_assert_cmpuint (vtr_timeline_get_n_draws (timeline), ==, 6);
  g_assert_cmpuint (vtr_timeline_get_n_dispatches (timeline), ==, 3);
  g_assert_cmpuint (vtr_timeline_find_submission (timeline, begin), ==, VTR_NO_RECORDING);
}

static void
test_rerecording (void)
{
  g_autoptr (VtrTestTrace) test = start ();
  g_autoptr (VtrTimeline) timeline = NULL;
  guint64 first, second, before;

  before = vtr_test_submit (test, CB); /* nothing recorded yet */
  record (test, CB, 1);
  first = vtr_test_submit (test, CB);
  record (test, CB, 5);
  second = vtr_test_submit (test, CB);

  timeline = build (test);
  g_assert_cmpuint (vtr_timeline_find_recording_at (timeline, CB, before), ==, VTR_NO_RECORDING);
  g_assert_cmpuint (vtr_timeline_find_recording_at (timeline, CB, first), ==, 0);
  g_assert_cmpuint (vtr_timeline_find_recording_at (timeline, CB, second), ==, 1);
  g_assert_cmpuint (vtr_timeline_find_recording_at (timeline, CB2, second), ==, VTR_NO_RECORDING);
  g_assert_cmpuint (vtr_timeline_find_run (timeline, 0, 0)->submit, ==, first);
  g_assert_cmpuint (vtr_timeline_find_run (timeline, 1, 0)->submit, ==, second);
  g_assert_cmpuint (vtr_timeline_get_submission (timeline, 0)->n_runs, ==, 0);
  g_assert_cmpuint (vtr_timeline_get_n_draws (timeline), ==, 6);
}

static void
test_submit2 (void)
{
  g_autoptr (VtrTestTrace) test = start ();
  g_autoptr (VtrTimeline) timeline = NULL;
  VkCommandBufferSubmitInfo infos[] = {
    { .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO,
      .commandBuffer = H (VkCommandBuffer, CB) },
    { .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO,
      .commandBuffer = H (VkCommandBuffer, CB2) },
  };
  VkSubmitInfo2 batches[] = {
    { .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
      .commandBufferInfoCount = 1,
      .pCommandBufferInfos = infos },
    { .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
      .commandBufferInfoCount = 2,
      .pCommandBufferInfos = infos },
  };
  const VtrSubmission *submission;
  const VtrRun *run;

  record (test, CB, 1);
  record (test, CB2, 2);
  ADD (test, vkQueueSubmit2, .queue = H (VkQueue, 4), .submitCount = 2, .pSubmits = batches);
  vtr_test_trace_add (
    test, VTR_CMD_vkQueueSubmit2KHR,
    &(VtrArgs_vkQueueSubmit2){ .queue = H (VkQueue, 4), .submitCount = 1, .pSubmits = batches },
    0, 0);

  timeline = build (test);
  g_assert_cmpuint (vtr_timeline_get_n_submissions (timeline), ==, 2);
  submission = vtr_timeline_get_submission (timeline, 0);
  g_assert_cmpuint (submission->executor, ==, 4);
  g_assert_cmpuint (submission->n_runs, ==, 3);
  run = vtr_timeline_get_run (timeline, submission->first_run + 2);
  g_assert_cmpuint (run->batch, ==, 1);
  g_assert_cmpuint (run->position, ==, 1);
  g_assert_cmpuint (run->recording, ==, 1);
  g_assert_cmpuint (vtr_timeline_get_submission (timeline, 1)->n_runs, ==, 1);
  g_assert_cmpuint (vtr_timeline_get_recording (timeline, 0)->n_runs, ==, 3);
}

static void
test_secondaries (void)
{
  g_autoptr (VtrTestTrace) test = start ();
  g_autoptr (VtrTimeline) timeline = NULL;
  const guint32 *executed;
  const VtrRun *primary, *child;
  guint64 first;
  guint32 n;

  record (test, SECONDARY, 3);
  record (test, SECONDARY2, 4);
  first = vtr_test_begin (test, CB);
  execute (test, CB, SECONDARY, SECONDARY2);
  vtr_test_draw (test, CB);
  execute (test, CB, SECONDARY, 0);
  vtr_test_end (test, CB);
  vtr_test_submit (test, CB);
  vtr_test_submit (test, CB);

  timeline = build (test);
  g_assert_true (vtr_timeline_get_recording (timeline, 0)->nested);
  g_assert_cmpuint (vtr_timeline_get_recording (timeline, 2)->n_draws, ==, 11);
  g_assert_cmpuint (vtr_timeline_get_n_draws (timeline), ==, 22);
  g_assert_cmpuint (vtr_timeline_get_recording (timeline, 0)->n_runs, ==, 4);
  g_assert_cmpuint (vtr_timeline_get_recording (timeline, 1)->n_runs, ==, 2);
  executed = vtr_timeline_get_executed (timeline, first + 1, &n);
  g_assert_cmpuint (n, ==, 2);
  g_assert_cmpuint (executed[0], ==, 0);
  g_assert_cmpuint (executed[1], ==, 1);
  g_assert_null (vtr_timeline_get_executed (timeline, first + 2, &n));

  primary = vtr_timeline_find_run (timeline, 2, 1);
  g_assert_cmpuint (primary->n_children, ==, 3);
  child = vtr_timeline_get_run (timeline, primary->first_child + 1);
  g_assert_cmpuint (child->recording, ==, 1);
  g_assert_cmpuint (child->position, ==, 1);
  g_assert_cmpuint (child->executed_by, ==, first + 1);
  g_assert_cmpuint (child->submit, ==, primary->submit);
  child = vtr_timeline_get_run (timeline, primary->first_child + 2);
  g_assert_cmpuint (child->recording, ==, 0);
  g_assert_cmpuint (child->executed_by, ==, first + 3);
  /* Submissions list primaries only. */
  g_assert_cmpuint (vtr_timeline_get_submission (timeline, 1)->n_runs, ==, 1);
}

static void
test_abandoned (void)
{
  g_autoptr (VtrTestTrace) test = start ();
  g_autoptr (VtrTimeline) timeline = NULL;
  guint64 lost;

  record (test, CB, 1);
  /* The command buffer was reset before its end: the block was published without an end. */
  ADD_FLAGS (test, VTR_COMMAND_ABANDONED, vkBeginCommandBuffer,
             .commandBuffer = H (VkCommandBuffer, CB2));
  lost =
    ADD_FLAGS (test, VTR_COMMAND_ABANDONED, vkCmdDraw, .commandBuffer = H (VkCommandBuffer, CB2));
  ADD (test, vkResetCommandBuffer, .commandBuffer = H (VkCommandBuffer, CB2));
  vtr_test_submit (test, CB2);
  record (test, CB2, 2);
  vtr_test_submit (test, CB2);

  timeline = build (test);
  g_assert_true (vtr_timeline_is_contiguous (timeline));
  g_assert_cmpuint (vtr_timeline_get_n_recordings (timeline), ==, 3);
  g_assert_cmpuint (vtr_timeline_find_recording (timeline, lost), ==, 1);
  g_assert_false (vtr_timeline_get_recording (timeline, 1)->complete);
  g_assert_cmpuint (vtr_timeline_get_recording (timeline, 1)->n_runs, ==, 0);
  g_assert_cmpuint (vtr_timeline_get_recording (timeline, 1)->first_run, ==, VTR_NO_RUN);
  g_assert_cmpuint (vtr_timeline_get_recording (timeline, 1)->last, ==, lost);
  g_assert_cmpuint (vtr_timeline_get_recording (timeline, 2)->n_runs, ==, 1);
}

static void
test_failed_calls (void)
{
  g_autoptr (VtrTestTrace) test = start ();
  g_autoptr (VtrTimeline) timeline = NULL;
  VkCommandBuffer handle = H (VkCommandBuffer, CB);
  VkSubmitInfo info = { .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                        .commandBufferCount = 1,
                        .pCommandBuffers = &handle };

  record (test, CB, 1);
  ADD_RESULT (test, VK_ERROR_OUT_OF_HOST_MEMORY, vkQueueSubmit, .queue = H (VkQueue, 4),
              .submitCount = 1, .pSubmits = &info);
  ADD_RESULT (test, VK_ERROR_DEVICE_LOST, vkQueueSubmit, .queue = H (VkQueue, 4),
              .submitCount = 1, .pSubmits = &info);

  timeline = build (test);
  /* One that lost the device may have run. */
  g_assert_cmpuint (vtr_timeline_get_submission (timeline, 0)->n_runs, ==, 0);
  g_assert_cmpuint (vtr_timeline_get_submission (timeline, 1)->n_runs, ==, 1);
}

/* As GAPID writes: calls in the order they were made, recordings of two threads mixed with others.
   */
static void
test_interleaved (void)
{
  g_autoptr (VtrTestTrace) test = start ();
  g_autoptr (VtrTimeline) timeline = NULL;
  guint64 a, b, foreign, other, end;

  vtr_test_begin (test, CB);
  a = vtr_test_draw (test, CB);
  vtr_test_begin (test, CB2);
  foreign = ADD (test, vkDeviceWaitIdle, .device = H (VkDevice, 3));
  b = vtr_test_draw (test, CB);
  other = vtr_test_draw (test, CB2);
  end = vtr_test_end (test, CB);
  vtr_test_end (test, CB2);
  vtr_test_submit (test, CB);

  timeline = build (test);
  g_assert_false (vtr_timeline_is_contiguous (timeline));
  g_assert_cmpuint (vtr_timeline_get_n_recordings (timeline), ==, 2);
  g_assert_cmpuint (vtr_timeline_find_recording (timeline, a), ==, 0);
  g_assert_cmpuint (vtr_timeline_find_recording (timeline, b), ==, 0);
  g_assert_cmpuint (vtr_timeline_find_recording (timeline, end), ==, 0);
  g_assert_cmpuint (vtr_timeline_find_recording (timeline, other), ==, 1);
  g_assert_cmpuint (vtr_timeline_find_recording (timeline, foreign), ==, VTR_NO_RECORDING);
  g_assert_cmpuint (vtr_timeline_get_recording (timeline, 0)->n_draws, ==, 2);
  g_assert_cmpuint (vtr_timeline_get_recording (timeline, 1)->n_draws, ==, 1);
  g_assert_true (vtr_timeline_get_recording (timeline, 1)->complete);
}

/* Recordings that execute each other cannot be, but a file can say so. */
static void
test_hostile_nesting (void)
{
  g_autoptr (VtrTestTrace) test = start ();
  g_autoptr (VtrTimeline) timeline = NULL;

  record (test, SECONDARY, 1);
  for (guint i = 0; i < 20; i++)
    {
      guint64 from = i % 2 == 0 ? SECONDARY : SECONDARY2,
              to = i % 2 == 0 ? SECONDARY2 : SECONDARY;

      vtr_test_begin (test, to);
      execute (test, to, from, from);
      vtr_test_end (test, to);
    }
  vtr_test_begin (test, CB);
  execute (test, CB, SECONDARY, SECONDARY2);
  vtr_test_end (test, CB);
  vtr_test_submit (test, CB);

  timeline = build (test);
  g_assert_cmpuint (vtr_timeline_get_n_runs (timeline), <, 2000);
}

static void
test_cancelled (void)
{
  g_autoptr (VtrTestTrace) test = start ();
  g_autoptr (VtrTrace) trace = vtr_test_trace_open (test);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;

  g_cancellable_cancel (cancellable);
  g_assert_null (vtr_timeline_build (trace, NULL, NULL, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, G_TEST_OPTION_ISOLATE_DIRS, NULL);
  g_test_add_func ("/engine/state/timeline/resubmission", test_resubmission);
  g_test_add_func ("/engine/state/timeline/rerecording", test_rerecording);
  g_test_add_func ("/engine/state/timeline/submit2", test_submit2);
  g_test_add_func ("/engine/state/timeline/secondaries", test_secondaries);
  g_test_add_func ("/engine/state/timeline/abandoned", test_abandoned);
  g_test_add_func ("/engine/state/timeline/failed-calls", test_failed_calls);
  g_test_add_func ("/engine/state/timeline/interleaved", test_interleaved);
  g_test_add_func ("/engine/state/timeline/hostile-nesting", test_hostile_nesting);
  g_test_add_func ("/engine/state/timeline/cancelled", test_cancelled);
  return g_test_run ();
}
