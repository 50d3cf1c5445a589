/* Measuring a frame: what is measured, and where its queries are. */
#pragma once

#include "engine/replay-session/vtr-timings.h"
#include "engine/vulkan/transforms/vtr-vulkan-transform.h"

G_BEGIN_DECLS

/* Of what a measurement asks for. */
typedef enum
{
  VTR_PROBE_TIME = 1 << 0,
  VTR_PROBE_STATISTICS = 1 << 1, /* of draws and dispatches: pipeline statistics and samples */
} VtrProbeWhat;

typedef struct
{
  VtrProbeKind kind;
  guint64 index, last; /* flat: first and last command of it */
  guint32 run;         /* vtr_timeline_get_run() */
  guint32 parent;      /* row; VTR_PROBE_NONE: none */
  guint32 begin, end;  /* queries */
  guint32 statistics;  /* query; the .n_views - 1 after it belong to it */
  guint32 occlusion;   /* likewise */
  guint32 n_views;
  guint8 time_reason;       /* VtrProbeReason */
  guint8 statistics_reason; /* likewise, for a draw or dispatch */
  guint8 occlusion_reason;
  guint8 valid_bits;                    /* of a timestamp */
  guint8 first_statistic, n_statistics; /* which of the values .statistics counts */
  float period;                         /* nanoseconds of a tick */
} VtrProbeRow;

/* A query by what it asks. */
typedef enum
{
  VTR_PROBE_QUERY_TIME,
  VTR_PROBE_QUERY_GRAPHICS, /* all statistics */
  VTR_PROBE_QUERY_COMPUTE,  /* invocations of compute shaders */
  VTR_PROBE_QUERY_OCCLUSION,
  VTR_PROBE_N_QUERIES,
} VtrProbeQuery;

/* What the queues of a family can do where the replay runs. */
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
  GArray *rows;    /* VtrProbeRow */
  GArray *pools;   /* of vtr-probe-queries.c */
  GArray *results; /* GBytes *, by pool */
  gint64 clock[2]; /* nanoseconds of the replayer, before and after the frame; -1: not yet */
  guint32 expected[VTR_PROBE_N_QUERIES];
} VtrProbe;

VtrProbe *vtr_probe_new (void);
void vtr_probe_free (VtrProbe *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrProbe, vtr_probe_free)

/* Takes what the replay posts. */
void vtr_probe_posted (VtrProbe     *self,
                       guint64       post,
                       const guint8 *bytes,
                       gsize         size);

/* The value of query @id: FALSE when it never ran. */
gboolean vtr_probe_get_value (const VtrProbe *self,
                              guint32         id,
                              guint           value,
                              guint64        *out);

/* --- For the transform --- */

/* Takes @n queries that follow each other, of a pool that @next gets before they are used. */
gboolean vtr_probe_take (VtrProbe       *self,
                         VtrTransform   *next,
                         guint64         device,
                         VtrProbeQuery   kind,
                         guint32         n,
                         guint64         index,
                         guint32        *out,
                         GError        **error);

/* Where a query lies. */
VkQueryPool vtr_probe_get_pool (const VtrProbe *self,
                                guint32         id,
                                guint32        *nth);

/* How many more queries are expected: pools are made that large. */
void vtr_probe_expect (VtrProbe      *self,
                       VtrProbeQuery  kind,
                       guint32        n);

/* Reads all pools of @device (0: of any that was not read yet). */
gboolean vtr_probe_read (VtrProbe      *self,
                         VtrTransform  *next,
                         guint64        device,
                         GError       **error);

/* The frame begins, or is over: posts the clock. */
gboolean vtr_probe_read_clock (VtrProbe      *self,
                               VtrTransform  *next,
                               guint          which,
                               GError       **error);

G_END_DECLS
