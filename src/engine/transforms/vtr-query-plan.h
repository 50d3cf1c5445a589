/* Results of queries that a replay cannot count again, and the copies that need them. */
#pragma once

#include "engine/state/vtr-timeline.h"

G_BEGIN_DECLS

#define VTR_QUERY_MOST_VALUES 16u

/* What one query said. */
typedef struct
{
  guint n;                               /* values; 0: not known */
  gboolean has_wide, has_narrow;         /* which of the following are known */
  gboolean earlier;                      /* the query ended before the recording began */
  guint64 wide[VTR_QUERY_MOST_VALUES];   /* as 64-bit numbers */
  guint32 narrow[VTR_QUERY_MOST_VALUES]; /* as 32-bit numbers */
} VtrQueryValue;

/* What one vkCmdCopyQueryPoolResults copies, whenever it runs. */
typedef struct
{
  guint32 n;                     /* queries */
  gboolean unlike;               /* a query that ended earlier, in some of its runs only */
  gboolean times;                /* there are time stamps that nobody knows */
  const VtrQueryValue *values[]; /* NULL: the replay's own */
} VtrQueryCopy;

/**
 * VtrQueryPlan:
 *
 * Made by one pass over the commands that have to do with queries, in the order in which they ran;
 * none of it when nobody copies results on the GPU. Known are the results of queries that ended
 * before a recording began in the middle of a run (FORMAT.md §5), and time stamps that the program
 * asked for after they had been copied. Threading: any (immutable).
 */
typedef struct _VtrQueryPlan VtrQueryPlan;

/* Blocks. Errors: those of the trace, G_IO_ERROR_CANCELLED. */
VtrQueryPlan *vtr_query_plan_build (VtrTrace      *trace,
                                    VtrTimeline   *timeline,
                                    GCancellable  *cancellable,
                                    GError       **error);
void vtr_query_plan_free (VtrQueryPlan *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrQueryPlan, vtr_query_plan_free)

/* What the vkCmdCopyQueryPoolResults @index copies. (nullable): nothing that is known, or that nobody
 * could know. */
const VtrQueryCopy *vtr_query_plan_find (const VtrQueryPlan *self,
                                         guint64             index);

/* Calls @each for all of them, in no order. */
void vtr_query_plan_foreach (const VtrQueryPlan *self,
                             void (*each) (guint64 index,
                                           const VtrQueryCopy *copy,
                                           gpointer data),
                             gpointer data);

G_END_DECLS
