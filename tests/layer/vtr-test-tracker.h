/* Memory that a tracker watches, with the writes that it found, and the tests of
 * vtr-test-tracker-programs.c for the table of test-layer-tracker.c. */
#pragma once

#include "vtr-layer-tracker.h"

#include <glib.h>

#define PAGE VTR_LAYER_PAGE
#define N_PAGES 64

typedef struct
{
  const VtrLayerTrackerChoice *choice;
  VtrLayerOwner owner;
  guint8 *memory; /* the program's */
  guint8 *seen;   /* what was handed over */
  gsize size;
  guint n_calls;
  guint64 n_bytes;
  guint64 n_in_place; /* of these, bytes without a copy */
  gsize largest;
  VtrLayerTracker *tracker;
} VtrTestTracker;

/* Into .seen; the counts are of this time. */
void vtr_test_tracker_collect (VtrTestTracker *self,
                               guint64         offset,
                               guint64         size);
guint8 *vtr_test_map_pages (gsize size);
/* @choice: a VtrLayerTrackerChoice. */
VtrTestTracker *vtr_test_tracker_new_untouched (gconstpointer choice,
                                                guint64       size);
/* Written to, if only with zeros. */
VtrTestTracker *vtr_test_tracker_new (gconstpointer choice,
                                      guint64       size);
void vtr_test_tracker_free (VtrTestTracker *self);
void vtr_test_tracker_check_watched (const VtrTestTracker *self);
/* Whether it is watched without side effects for the program. */
gboolean vtr_test_tracker_is_harmless (const VtrTestTracker *self);
gsize vtr_test_tracker_count_wrong_pages (const VtrTestTracker *self);

/* Tests of what programs do with their mapped memory; @choice: a VtrLayerTrackerChoice. */
void vtr_test_tracker_fork (gconstpointer choice);
void vtr_test_tracker_mapped_over (gconstpointer choice);
void vtr_test_tracker_remapped (gconstpointer choice);
void vtr_test_tracker_threads (gconstpointer choice);
void vtr_test_tracker_closed (gconstpointer choice);
void vtr_test_tracker_handlers (gconstpointer choice);
void vtr_test_tracker_death (gconstpointer choice);
