/* Results of queries that a replay cannot count again, and the copies that need them. */
#pragma once

#include "engine/vulkan/state/vtr-state.h"
#include "engine/vulkan/transforms/vtr-query-variants.h"

G_BEGIN_DECLS

/**
 * VtrQueryPlan:
 *
 * Made by one pass over the commands that have to do with queries, in the order in which they ran;
 * none of it when nobody copies results on the GPU. Known are the results of queries that ended
 * before a recording began in the middle of a run (FORMAT.md §5), and time stamps that the program
 * asked for after they had been copied.
 *
 * Threading: any (immutable).
 */
typedef struct _VtrQueryPlan VtrQueryPlan;

/* Blocks. Errors: those of the trace, G_IO_ERROR_CANCELLED. */
VtrQueryPlan *vtr_query_plan_build (VtrTrace      *trace,
                                    VtrTimeline   *timeline,
                                    GCancellable  *cancellable,
                                    GError       **error);
void vtr_query_plan_free (VtrQueryPlan *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrQueryPlan, vtr_query_plan_free)

/* What the vkCmdCopyQueryPoolResults @index copies in runs without a variant. (nullable): nothing
 * that is known, or that nobody could know. */
const VtrQueryCopy *vtr_query_plan_find (const VtrQueryPlan *self,
                                         guint64             index);

/* The variants of recordings. (transfer none) (nullable): there are none. */
const VtrQueryVariants *vtr_query_plan_get_variants (const VtrQueryPlan *self);

/* Whether a run of @recording copies results of queries that it did not reset before, itself or in a
 * secondary. */
gboolean vtr_query_plan_copies (const VtrQueryPlan *self,
                                guint32             recording);

/* Calls @each for all of them, in no order. */
void vtr_query_plan_foreach (const VtrQueryPlan *self,
                             void (*each) (guint64 index,
                                           const VtrQueryCopy *copy,
                                           gpointer data),
                             gpointer data);

G_END_DECLS
