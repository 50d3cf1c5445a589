/* Recordings of command buffers that copy other results of queries in some of their runs. */
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

/* What one vkCmdCopyQueryPoolResults copies. */
typedef struct
{
  guint32 n;                     /* queries */
  gboolean times;                /* there are time stamps that nobody knows */
  const VtrQueryValue *values[]; /* NULL: the replay's own */
} VtrQueryCopy;

/* One command of a recording that is different in a variant of it. */
typedef struct
{
  guint64 index;            /* of the vkCmdCopyQueryPoolResults or the vkCmdExecuteCommands */
  guint32 position;         /* of the secondary in the vkCmdExecuteCommands */
  guint32 variant;          /* of that secondary; 0: .copy tells */
  const VtrQueryCopy *copy; /* (nullable), the plan's: what is copied */
} VtrQueryChange;

/* A run of a copy that found results of before the trace's recording began. */
typedef struct
{
  guint32 run;        /* of the command buffer that holds it; number in the timeline */
  guint64 index;      /* of the vkCmdCopyQueryPoolResults */
  VtrQueryCopy *copy; /* these results, nothing else; several runs may share it */
} VtrQueryRunCopy;

/**
 * VtrQueryVariants:
 *
 * A command buffer that is submitted several times may copy a result of before the trace's
 * recording in its first run, and then reset the query. Later runs copy results that the replay
 * counts. A run that needs other results than the others has a *variant* of the command buffer's
 * commands, numbered from 1 for each of them. A primary whose secondary needs a variant has one,
 * too.
 *
 * Threading: any (immutable).
 */
typedef struct _VtrQueryVariants VtrQueryVariants;

/* @earlier: VtrQueryRunCopy, in the order in which they ran; their .copy gets what @copies (index →
 * VtrQueryCopy, of runs without a variant) says of other queries, and has to outlive this. */
VtrQueryVariants *vtr_query_variants_new (VtrTimeline *timeline,
                                          GArray      *earlier,
                                          GHashTable  *copies);
void vtr_query_variants_free (VtrQueryVariants *self);

/* The variant of its recording that the run @run needs; 0: none. @self: NULL: there are none. */
guint32 vtr_query_variants_get (const VtrQueryVariants *self,
                                guint32                 run);
/* How many variants @recording has. */
guint32 vtr_query_variants_count (const VtrQueryVariants *self,
                                  guint32                 recording);
/* What is different in one of them; NULL: nothing at this place. @position: 0 for copies. */
const VtrQueryChange *vtr_query_variants_find (const VtrQueryVariants *self,
                                               guint32                 recording,
                                               guint32                 variant,
                                               guint64                 index,
                                               guint32                 position);

G_END_DECLS
