/* Makes the thread that writes a capture sleep between short pieces of work, so that the
 * captured program keeps its frame rate. */
#include "engine/capture/vtr-capture-pace.h"

#include <sched.h>
#include <time.h>

#define SLEEP_PER_WORK 12
#define LONGEST_SLEEP_US 10000

static gint64
get_work (void)
{
  struct timespec now;

  if (clock_gettime (CLOCK_THREAD_CPUTIME_ID, &now) != 0)
    return 0;
  return (gint64)now.tv_sec * G_USEC_PER_SEC + now.tv_nsec / 1000;
}

void
vtr_capture_pace_be_polite (void)
{
  const struct sched_param none = { 0 };

  (void)!sched_setscheduler (0, SCHED_BATCH, &none);
}

void
vtr_capture_pace_start (VtrCapturePace *self)
{
  self->worked = get_work ();
  self->slept = 0;
}

gint64
vtr_capture_pace_rest (VtrCapturePace *self)
{
  gint64 work = get_work () - self->worked, sleep;

  if (work < VTR_CAPTURE_PACE_STEP_US || self->slept >= VTR_CAPTURE_PACE_MOST_US)
    return 0;
  sleep = MIN (work * SLEEP_PER_WORK, LONGEST_SLEEP_US);
  g_usleep ((gulong)sleep);
  self->slept += sleep;
  self->worked = get_work ();
  return sleep;
}
