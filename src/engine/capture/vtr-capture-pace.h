/* Paces the thread that writes a capture while the captured program goes on.
 *
 * Read, compressed and written in one go, a capture would take a processor from several frames in a row. So
 * the thread works for a tenth of a millisecond and then sleeps for twelve times that. After
 * VTR_CAPTURE_PACE_MOST_US of sleep it goes on at full speed, so large captures do not take much longer.
 *
 * Threading: one thread uses a VtrCapturePace. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define VTR_CAPTURE_PACE_STEP_US 100
#define VTR_CAPTURE_PACE_MOST_US (300 * 1000)

/* Zero-initialised is a pace that has slept for nothing yet. All in microseconds. */
typedef struct
{
  gint64 worked; /* processor time of the thread when it last slept, or when the pace was started */
  gint64 slept;  /* since it was started */
} VtrCapturePace;

/* The calling thread no longer interrupts other threads when it wakes. */
void vtr_capture_pace_be_polite (void);

/* A capture is about to be written. */
void vtr_capture_pace_start (VtrCapturePace *self);

/* Sleeps if the calling thread has worked for VTR_CAPTURE_PACE_STEP_US. Returns: for how long. */
gint64 vtr_capture_pace_rest (VtrCapturePace *self);

G_END_DECLS
