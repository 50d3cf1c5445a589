/* Recordings of command buffers that copy different query results in different runs. */
#pragma once

#include "engine/state/vtr-timeline.h"

G_BEGIN_DECLS

#define VTR_QUERY_MOST_VALUES 16u

/* The result of one query. */
typedef struct
{
  guint n;                               /* number of values; 0: unknown */
  gboolean has_wide, has_narrow;         /* which of the following are known */
  gboolean earlier;                      /* the query ended before the recording began */
  guint64 wide[VTR_QUERY_MOST_VALUES];   /* as 64-bit numbers */
  guint32 narrow[VTR_QUERY_MOST_VALUES]; /* as 32-bit numbers */
} VtrQueryValue;

/* The results that one vkCmdCopyQueryPoolResults copies. */
typedef struct
{
  guint32 n;                     /* number of queries */
  gboolean times;                /* some are timestamps whose values are unknown */
  const VtrQueryValue *values[]; /* NULL: the replay produces the result */
} VtrQueryCopy;

/* A command of a recording that differs in a variant. */
typedef struct
{
  guint64 index;            /* of the vkCmdCopyQueryPoolResults or the vkCmdExecuteCommands */
  guint32 position;         /* of the secondary in the vkCmdExecuteCommands */
  guint32 variant;          /* of that secondary; 0: the change is .copy */
  const VtrQueryCopy *copy; /* (nullable): the results that are copied; owned by the plan */
} VtrQueryChange;

/* A run of a copy command that found results from before the recording of the trace began. */
typedef struct
{
  guint32 run;        /* of the command buffer that contains it: number in the timeline */
  guint64 index;      /* of the vkCmdCopyQueryPoolResults */
  VtrQueryCopy *copy; /* only these results; several runs may share it */
} VtrQueryRunCopy;

/**
 * VtrQueryVariants:
 *
 * A command buffer that is submitted several times may, in its first run, copy a result from before the
 * recording of the trace and then reset the query. Later runs copy results that the replay produces. A run
 * that needs different results gets a *variant* of the command buffer's commands; the variants of a
 * recording are numbered from 1. A primary whose secondary needs a variant has a variant, too.
 *
 * Threading: any (immutable).
 */
typedef struct _VtrQueryVariants VtrQueryVariants;

/* @earlier: VtrQueryRunCopy, in the order in which they ran; their .copy must outlive the result, and is completed with the
 * other queries of @copies. @copies: index → VtrQueryCopy, for runs without a variant. Returns: (transfer full). */
VtrQueryVariants *vtr_query_variants_new (VtrTimeline *timeline,
                                          GArray      *earlier,
                                          GHashTable  *copies);
void vtr_query_variants_free (VtrQueryVariants *self);

/* The variant that run @run needs; 0: none. @self: (nullable). */
guint32 vtr_query_variants_get (const VtrQueryVariants *self,
                                guint32                 run);
/* The number of variants of @recording. */
guint32 vtr_query_variants_count (const VtrQueryVariants *self,
                                  guint32                 recording);
/* The change that @variant makes to command @index of @recording; NULL: none. @position: of a secondary; 0 for copies. */
const VtrQueryChange *vtr_query_variants_find (const VtrQueryVariants *self,
                                               guint32                 recording,
                                               guint32                 variant,
                                               guint64                 index,
                                               guint32                 position);

G_END_DECLS
