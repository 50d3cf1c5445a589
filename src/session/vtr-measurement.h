/* Measures the frame that a window shows, and keeps the latest result. */
#pragma once

#include "session/vtr-session.h"

#include "engine/document/vtr-document-timings.h"

G_BEGIN_DECLS

/**
 * VtrMeasurement:
 *
 * Each session has one. It measures the frame of the selection. Results are available while it
 * runs, and stay when it is stopped.
 *
 * Signal: "changed" (): it started, made progress, or ended. Threading: main.
 */
#define VTR_TYPE_MEASUREMENT (vtr_measurement_get_type ())
G_DECLARE_FINAL_TYPE (VtrMeasurement, vtr_measurement, VTR, MEASUREMENT, GObject)

/* (transfer none) */
VtrMeasurement *vtr_measurement_of (VtrSession *session);

/* The options of the next measurement; .frame is ignored. */
const VtrTimingsQuery *vtr_measurement_get_wish (VtrMeasurement *self);
void vtr_measurement_set_wish (VtrMeasurement        *self,
                               const VtrTimingsQuery *wish);

/* Starts a measurement, unless one is running. */
void vtr_measurement_start (VtrMeasurement *self);
void vtr_measurement_stop (VtrMeasurement *self);

/* The progress, in loops. @total 0: it runs until it is stopped. */
gboolean vtr_measurement_is_running (VtrMeasurement *self,
                                     guint          *done,
                                     guint          *total);
/* The latest results; NULL: nothing was measured. (transfer none) */
const VtrTimings *vtr_measurement_get_timings (VtrMeasurement *self);
/* Replaces the results by @timings (transfer full); for tests. */
void vtr_measurement_take_timings (VtrMeasurement *self,
                                   VtrTimings     *timings);
/* Why the last measurement failed: a sentence; NULL: it did not fail. */
const char *vtr_measurement_get_error (VtrMeasurement *self);

/* The time of a row of the command tree, measured, or the sum of its parts. Returns: FALSE if there
 * is none. A sum has only .median. */
gboolean vtr_measurement_get_time (VtrMeasurement    *self,
                                   const VtrTreeNode *node,
                                   VtrSpread         *out);
/* The share of the whole frame, 0 to 1. */
double vtr_measurement_get_share (VtrMeasurement *self,
                                  guint64         nanoseconds);

/* "12.3 µs", "1.04 ms". (transfer full) */
char *vtr_format_duration (guint64 nanoseconds);

G_END_DECLS
