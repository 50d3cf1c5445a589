/* Tests that the capture thread leaves most of the processor's time to other programs, but not
 * for too long in a large capture. */
#include "engine/capture/vtr-capture-pace.h"

#include <sched.h>
#include <time.h>

/* Processor time of this thread, in microseconds. */
static gint64
get_work (void)
{
  struct timespec now;

  g_assert_cmpint (clock_gettime (CLOCK_THREAD_CPUTIME_ID, &now), ==, 0);
  return (gint64)now.tv_sec * G_USEC_PER_SEC + now.tv_nsec / 1000;
}

static void
work (gint64 microseconds)
{
  gint64 end = get_work () + microseconds;

  while (get_work () < end)
    ;
}

/* Hardly anything was done since @before; but a busy machine's interrupts count as this thread's
 * work. */
static void
check_goes_on (VtrCapturePace *pace,
               gint64          before)
{
  gint64 slept = vtr_capture_pace_rest (pace);

  if (get_work () - before < VTR_CAPTURE_PACE_STEP_US)
    g_assert_cmpint (slept, ==, 0);
}

/* Who has hardly worked does not sleep; who has leaves most of the time to others. */
static void
test_share (void)
{
  VtrCapturePace pace = { 0 };
  gint64 worked = get_work ();

  vtr_capture_pace_start (&pace);
  check_goes_on (&pace, worked);
  for (guint i = 0; i < 5; i++)
    {
      gint64 before = g_get_monotonic_time (), slept;

      work (1000);
      worked = get_work ();
      slept = vtr_capture_pace_rest (&pace);
      g_assert_cmpint (slept, >=, 9000);
      g_assert_cmpint (g_get_monotonic_time () - before, >=, 1000 + slept);
      check_goes_on (&pace, worked);
    }
}

/* A large capture does not take much longer. The next one is paced again. */
static void
test_limit (void)
{
  VtrCapturePace pace = { 0 };
  gint64 slept = 0;

  for (guint i = 0; i < 60; i++)
    {
      work (5000);
      slept += vtr_capture_pace_rest (&pace);
    }
  g_assert_cmpint (slept, >=, VTR_CAPTURE_PACE_MOST_US);
  g_assert_cmpint (slept, <, 2 * VTR_CAPTURE_PACE_MOST_US);
  work (5000);
  g_assert_cmpint (vtr_capture_pace_rest (&pace), ==, 0);
  vtr_capture_pace_start (&pace);
  work (5000);
  g_assert_cmpint (vtr_capture_pace_rest (&pace), >, 0);
}

static void
test_polite (void)
{
  vtr_capture_pace_be_polite ();
  g_assert_cmpint (sched_getscheduler (0), ==, SCHED_BATCH);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/capture/pace/share", test_share);
  g_test_add_func ("/engine/capture/pace/limit", test_limit);
  g_test_add_func ("/engine/capture/pace/polite", test_polite);
  return g_test_run ();
}
