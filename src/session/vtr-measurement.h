/* Measures the frame that a window shows, and keeps the latest result. */
#pragma once

#include "session/vtr-session.h"

#include "engine/document/vtr-document-timings.h"

G_BEGIN_DECLS

/**
 * VtrMeasurement:
 *
 * One of a session, and as long-lived. What is measured is the frame of the selection. While it runs,
 * what there is so far is there; when it is stopped that stays.
 *
 * Signal: "changed" (): it began, went on, or ended. Threading: main.
 */
#define VTR_TYPE_MEASUREMENT (vtr_measurement_get_type ())
G_DECLARE_FINAL_TYPE (VtrMeasurement, vtr_measurement, VTR, MEASUREMENT, GObject)

/* (transfer none) */
VtrMeasurement *vtr_measurement_of (VtrSession *session);

/* What the next start asks for; .frame is of no account. */
const VtrTimingsQuery *vtr_measurement_get_wish (VtrMeasurement *self);
void vtr_measurement_set_wish (VtrMeasurement        *self,
                               const VtrTimingsQuery *wish);

/* Does nothing while one runs. */
void vtr_measurement_start (VtrMeasurement *self);
void vtr_measurement_stop (VtrMeasurement *self);

/* @total 0: until it is stopped. */
gboolean vtr_measurement_is_running (VtrMeasurement *self,
                                     guint          *done,
                                     guint          *total);
/* NULL: nothing was measured. (transfer none) */
const VtrTimings *vtr_measurement_get_timings (VtrMeasurement *self);
/* In place of what was measured (transfer full). */
void vtr_measurement_take_timings (VtrMeasurement *self,
                                   VtrTimings     *timings);
/* Why the last one failed: a sentence; NULL: it did not. */
const char *vtr_measurement_get_error (VtrMeasurement *self);

/* The time of a row of the command tree: measured itself, or the sum of what it consists of. Returns:
 * FALSE where there is none. Only .median of a sum is filled. */
gboolean vtr_measurement_get_time (VtrMeasurement    *self,
                                   const VtrTreeNode *node,
                                   VtrSpread         *out);
/* Of the sum of all that ran: 0 to 1. */
double vtr_measurement_get_share (VtrMeasurement *self,
                                  guint64         nanoseconds);

/* "12.3 µs", "1.04 ms". (transfer full) */
char *vtr_format_duration (guint64 nanoseconds);

G_END_DECLS
