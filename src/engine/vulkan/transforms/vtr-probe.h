/* The queries that measure a frame: what they measure, and where their results are. */
#pragma once

#include "engine/replay-session/vtr-timings.h"
#include "engine/vulkan/transforms/vtr-vulkan-transform.h"

G_BEGIN_DECLS

/* What a measurement measures. Flags. */
typedef enum
{
  VTR_PROBE_TIME = 1 << 0,
  VTR_PROBE_STATISTICS = 1 << 1, /* of draws and dispatches: pipeline statistics and samples */
} VtrProbeWhat;

/* A row of the results (VtrTimingRow), with its queries. */
typedef struct
{
  VtrProbeKind kind;
  guint64 index, last; /* flat indices of its first and last command */
  guint32 run;         /* vtr_timeline_get_run () */
  guint32 parent;      /* number of the parent row; VTR_PROBE_NONE: none */
  guint32 begin, end;  /* queries of timestamps; VTR_PROBE_NONE: none */
  guint32 statistics;  /* query, the first of .n_views; VTR_PROBE_NONE: none */
  guint32 occlusion;   /* query, the first of .n_views; VTR_PROBE_NONE: none */
  guint32 n_views;
  guint8 time_reason;       /* VtrProbeReason */
  guint8 statistics_reason; /* VtrProbeReason, for a draw or dispatch */
  guint8 occlusion_reason;
  guint8 valid_bits;                    /* of a timestamp */
  guint8 first_statistic, n_statistics; /* the statistics that .statistics counts */
  float period;                         /* nanoseconds per tick of a timestamp */
} VtrProbeRow;

/* Kinds of queries. */
typedef enum
{
  VTR_PROBE_QUERY_TIME,
  VTR_PROBE_QUERY_GRAPHICS, /* all statistics */
  VTR_PROBE_QUERY_COMPUTE,  /* invocations of compute shaders */
  VTR_PROBE_QUERY_OCCLUSION,
  VTR_PROBE_N_QUERIES,
} VtrProbeQuery;

/* What a queue family of the replaying device supports. */
typedef struct
{
  VkQueueFlags flags;
  guint32 valid_bits;
  float period;
  gboolean statistics, precise; /* features of the device */
  gboolean is_software;
} VtrProbeFamily;

/**
 * VtrProbe:
 *
 * One measurement of a frame. Rows come in the order in which they were recorded. Threading: one at
 * a time.
 */
typedef struct
{
  GArray *rows;                          /* VtrProbeRow */
  GArray *pools;                         /* of vtr-probe-queries.c */
  GArray *results;                       /* GBytes *, by pool */
  gint64 clock[2];                       /* nanoseconds on the replayer's clock before and after the frame; -1: not yet */
  guint32 expected[VTR_PROBE_N_QUERIES]; /* see vtr_probe_expect () */
} VtrProbe;

VtrProbe *vtr_probe_new (void);
void vtr_probe_free (VtrProbe *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrProbe, vtr_probe_free)

/* Gives the probe a post of the replay. */
void vtr_probe_posted (VtrProbe     *self,
                       guint64       post,
                       const guint8 *bytes,
                       gsize         size);

/* Gets number @value of the result of query @id. Returns: FALSE if the query never ran. */
gboolean vtr_probe_get_value (const VtrProbe *self,
                              guint32         id,
                              guint           value,
                              guint64        *out);

/* --- For the transform --- */

/* Takes @n consecutive queries of one pool. If a new pool is needed, @next gets its creation. @index: the command that needs
 * them. @out: the first of them. Errors: those of @next. */
gboolean vtr_probe_take (VtrProbe       *self,
                         VtrTransform   *next,
                         guint64         device,
                         VtrProbeQuery   kind,
                         guint32         n,
                         guint64         index,
                         guint32        *out,
                         GError        **error);

/* The pool of query @id, and its number in the pool. */
VkQueryPool vtr_probe_get_pool (const VtrProbe *self,
                                guint32         id,
                                guint32        *nth);

/* Announces that @n more queries will be taken, so that pools are created large enough. */
void vtr_probe_expect (VtrProbe      *self,
                       VtrProbeQuery  kind,
                       guint32        n);

/* Reads the results of all pools of @device that were not read yet; 0: of all devices. */
gboolean vtr_probe_read (VtrProbe      *self,
                         VtrTransform  *next,
                         guint64        device,
                         GError       **error);

/* Posts the replayer's clock at the beginning (@which is 0) or the end (1) of the frame. */
gboolean vtr_probe_read_clock (VtrProbe      *self,
                               VtrTransform  *next,
                               guint          which,
                               GError       **error);

G_END_DECLS
