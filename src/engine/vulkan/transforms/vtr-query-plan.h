/* Finds query results that a replay cannot produce again, and the commands that copy them. */
#pragma once

#include "engine/vulkan/state/vtr-state.h"
#include "engine/vulkan/transforms/vtr-query-variants.h"

G_BEGIN_DECLS

/**
 * VtrQueryPlan:
 *
 * Built by one pass over the commands on queries, in the order in which they ran; empty if no command
 * copies results on the GPU. It knows the results of queries that ended before the recording began in the
 * middle of a run (FORMAT.md §5), and timestamps that the program read after they had been copied.
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

/* The results that the vkCmdCopyQueryPoolResults @index copies in runs without a variant. (transfer none) (nullable): NULL if
 * the replay produces them all. */
const VtrQueryCopy *vtr_query_plan_find (const VtrQueryPlan *self,
                                         guint64             index);

/* The variants of recordings. (transfer none) (nullable): NULL if there are none. */
const VtrQueryVariants *vtr_query_plan_get_variants (const VtrQueryPlan *self);

/* Whether @recording, or a secondary that it runs, copies results of queries that it has not reset before. */
gboolean vtr_query_plan_copies (const VtrQueryPlan *self,
                                guint32             recording);

/* Calls @each for every result of vtr_query_plan_find (), in no particular order. */
void vtr_query_plan_foreach (const VtrQueryPlan *self,
                             void (*each) (guint64 index,
                                           const VtrQueryCopy *copy,
                                           gpointer data),
                             gpointer data);

G_END_DECLS
