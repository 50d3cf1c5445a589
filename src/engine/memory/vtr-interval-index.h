/* Finds the last item of a sequence that touched a byte. */
#pragma once

#include "base/vtr-range-set.h"

#include <glib.h>

G_BEGIN_DECLS

/**
 * VtrIntervalIndex:
 *
 * Items (commands, numbered from 0) each touch any number of byte ranges. The index keeps no item's
 * ranges: it keeps, for every 64 items, then for every 2048, 65536 … of them, the union of what
 * they
 * touch, as varints. Looking backwards for a range enters only those blocks whose union meets what
 * is still looked for, so each block entered finds something: O(log n) blocks for each piece of the
 * answer, however often the bytes were touched before. What an item touches exactly is read again,
 * by the visitor, from where it came. A page that a million items touch costs a byte or two for
 * each 64 of them.
 *
 * Threading: one at a time while it is filled, then any.
 */
typedef struct _VtrIntervalIndex VtrIntervalIndex;

#define VTR_INTERVAL_BLOCK 64

VtrIntervalIndex *vtr_interval_index_new (void);
void vtr_interval_index_free (VtrIntervalIndex *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrIntervalIndex, vtr_interval_index_free)

/* @item touches [begin, end). Items must not descend; empty ranges are ignored. */
void vtr_interval_index_add (VtrIntervalIndex *self,
                             guint64           item,
                             guint64           begin,
                             guint64           end);
/* Nothing more comes. */
void vtr_interval_index_complete (VtrIntervalIndex *self);

/* Gets items in descending order, also such that touch nothing of @wanted; takes from @wanted what
   it has found. Returns: FALSE to end the walk. */
typedef gboolean (*VtrIntervalVisitor) (guint64 item,
                                        VtrRangeSet *wanted,
                                        gpointer data);

/* Walks backwards from item @end (exclusive) until nothing is wanted any more. Returns: FALSE when
   the visitor ended it. */
gboolean vtr_interval_index_walk (const VtrIntervalIndex *self,
                                  guint64                 end,
                                  VtrRangeSet            *wanted,
                                  VtrIntervalVisitor      visit,
                                  gpointer                data);

/* Memory taken. */
gsize vtr_interval_index_get_bytes (const VtrIntervalIndex *self);

G_END_DECLS
