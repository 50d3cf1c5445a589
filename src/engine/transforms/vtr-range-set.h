/* Sets of byte ranges. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  guint64 begin, end; /* [begin, end) */
} VtrRange;

/**
 * VtrRangeSet:
 *
 * Disjoint ranges in ascending order. Zero-initialised is empty. Threading: one at a time.
 */
typedef struct
{
  GArray *ranges; /* VtrRange */
} VtrRangeSet;

void vtr_range_set_finish (VtrRangeSet *self);
void vtr_range_set_add (VtrRangeSet *self,
                        guint64      begin,
                        guint64      end);
void vtr_range_set_remove (VtrRangeSet *self,
                           guint64      begin,
                           guint64      end);

/* The next part of [*@begin, @end) that is not in the set. Returns: FALSE when there is none;
 * else *@begin and *@stop bound it. */
gboolean vtr_range_set_next_gap (const VtrRangeSet *self,
                                 guint64           *begin,
                                 guint64            end,
                                 guint64           *stop);

G_END_DECLS
