/* Tests that draws are stepped through in the order in which they ran, not in which they were
 * recorded. */
#include "vtr-test-trace.h"

#include "engine/model/vtr-draw-order.h"

#define A 0x1000
#define B 0x1001
#define UNUSED 0x1002

typedef struct
{
  guint64 index;
  guint32 k;
} Step;

static void
assert_walk (VtrTimeline *timeline, const Step *steps, guint n)
{
  guint64 index = VTR_COMMAND_NO_INDEX;
  guint32 run = VTR_NO_RUN;

  for (guint i = 0; i < n; i++)
    {
      g_assert_true (vtr_draw_order_step (timeline, &index, &run, 1));
      g_assert_cmpuint (index, ==, steps[i].index);
      g_assert_cmpuint (vtr_timeline_get_run_number (timeline, run), ==, steps[i].k);
    }
  g_assert_false (vtr_draw_order_step (timeline, &index, &run, 1));
  g_assert_cmpuint (index, ==, steps[n - 1].index);
  for (guint i = n - 1; i-- > 0;)
    {
      g_assert_true (vtr_draw_order_step (timeline, &index, &run, -1));
      g_assert_cmpuint (index, ==, steps[i].index);
      g_assert_cmpuint (vtr_timeline_get_run_number (timeline, run), ==, steps[i].k);
    }
  g_assert_false (vtr_draw_order_step (timeline, &index, &run, -1));

  index = VTR_COMMAND_NO_INDEX;
  run = VTR_NO_RUN;
  g_assert_true (vtr_draw_order_step (timeline, &index, &run, -1));
  g_assert_cmpuint (index, ==, steps[n - 1].index);
}

static void
test_resubmitted (void)
{
  g_autoptr (VtrTestTrace) test = vtr_test_trace_new ();
  g_autoptr (VtrDocument) document = NULL;
  VtrTimeline *timeline;
  guint64 a1, a2, b1, never, submit, index;
  guint32 run = VTR_NO_RUN;

  vtr_test_add_device (test);
  vtr_test_add_pool (test, 0x10, 0);
  vtr_test_allocate_buffer (test, 0x10, A);
  vtr_test_allocate_buffer (test, 0x10, B);
  vtr_test_allocate_buffer (test, 0x10, UNUSED);
  vtr_test_begin (test, A);
  a1 = vtr_test_draw (test, A);
  a2 = vtr_test_draw (test, A);
  vtr_test_end (test, A);
  vtr_test_begin (test, B);
  b1 = vtr_test_draw (test, B);
  vtr_test_end (test, B);
  vtr_test_begin (test, UNUSED);
  never = vtr_test_draw (test, UNUSED);
  vtr_test_draw (test, UNUSED);
  vtr_test_end (test, UNUSED);
  /* Recorded A, B; run B, A, A, B. */
  vtr_test_submit (test, B);
  submit = vtr_test_submit (test, A);
  vtr_test_submit (test, A);
  vtr_test_submit (test, B);
  document = vtr_test_trace_open_document (test);
  timeline = vtr_document_get_timeline (document);
  {
    const Step steps[] = { { b1, 0 }, { a1, 0 }, { a2, 0 }, { a1, 1 }, { a2, 1 }, { b1, 1 } };

    assert_walk (timeline, steps, G_N_ELEMENTS (steps));
  }

  /* From a submission, what comes after it or was run up to it. */
  index = submit;
  g_assert_true (vtr_draw_order_step (timeline, &index, &run, 1));
  g_assert_cmpuint (index, ==, a1);
  g_assert_cmpuint (vtr_timeline_get_run_number (timeline, run), ==, 1);
  index = submit;
  run = VTR_NO_RUN;
  g_assert_true (vtr_draw_order_step (timeline, &index, &run, -1));
  g_assert_cmpuint (index, ==, a2);
  g_assert_cmpuint (vtr_timeline_get_run_number (timeline, run), ==, 0);

  /* Recordings that never ran are stepped through as recorded. */
  index = never;
  run = VTR_NO_RUN;
  g_assert_true (vtr_draw_order_step (timeline, &index, &run, 1));
  g_assert_cmpuint (index, ==, never + 1);
  g_assert_false (vtr_draw_order_step (timeline, &index, &run, 1));
}

static void
test_nothing (void)
{
  g_autoptr (VtrTestTrace) test = vtr_test_trace_new ();
  g_autoptr (VtrDocument) document = NULL;
  guint64 index = VTR_COMMAND_NO_INDEX;
  guint32 run = VTR_NO_RUN;

  vtr_test_add_device (test);
  document = vtr_test_trace_open_document (test);
  g_assert_false (vtr_draw_order_step (vtr_document_get_timeline (document), &index, &run, 1));
  g_assert_false (vtr_draw_order_step (vtr_document_get_timeline (document), &index, &run, -1));
  index = 1;
  g_assert_false (vtr_draw_order_step (vtr_document_get_timeline (document), &index, &run, -1));
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/model/draw-order/resubmitted", test_resubmitted);
  g_test_add_func ("/engine/model/draw-order/nothing", test_nothing);
  return g_test_run ();
}
