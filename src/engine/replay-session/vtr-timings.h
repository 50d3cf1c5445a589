/* The times of a measured frame, row by row. */
#pragma once

#include <glib.h>

#include "engine/state/vtr-place.h"

G_BEGIN_DECLS

typedef enum
{
  VTR_PROBE_COMMAND_BUFFER, /* a run of a recording, secondaries too */
  VTR_PROBE_PASS,           /* a render pass or dynamic rendering */
  VTR_PROBE_COMMAND,        /* a draw, dispatch, copy, clear, …, by itself */
  VTR_PROBE_N_KINDS,
} VtrProbeKind;

/* Why a row has no number. */
typedef enum
{
  VTR_PROBE_FINE,
  VTR_PROBE_NO_TIMESTAMPS,  /* its queue family writes none */
  VTR_PROBE_NO_STATISTICS,  /* the device, or its queue family, counts none */
  VTR_PROBE_OWN_STATISTICS, /* the program counts there itself, which no second query may */
} VtrProbeReason;

#define VTR_PROBE_NONE G_MAXUINT32

/* The values of a query of pipeline statistics, in the order of the bits. */
#define VTR_PROBE_N_STATISTICS 11

typedef enum
{
  VTR_TIMINGS_BY_FRAME, /* only how long it took as a whole; nothing is written into it */
  VTR_TIMINGS_BY_COMMAND_BUFFER,
  VTR_TIMINGS_BY_PASS,
  VTR_TIMINGS_BY_DRAW,
} VtrTimingsBy;

/* "frame", "command-buffer", "pass", "draw". */
const char *vtr_timings_by_to_string (VtrTimingsBy by);
gboolean vtr_timings_by_from_string (const char   *text,
                                     VtrTimingsBy *out);

/* Statistics over all loops. Nanoseconds. */
typedef struct
{
  guint64 minimum, median, maximum, mean;
} VtrSpread;

typedef struct
{
  VtrProbeKind kind;
  guint64 index, last;        /* flat: its first and last command */
  guint32 run;                /* vtr_timeline_get_run() */
  guint32 parent;             /* row; VTR_PROBE_NONE: none */
  guint32 depth;              /* of parents */
  guint32 executor;           /* object id of what ran it, a queue; 0: unknown */
  VtrProbeReason time_reason; /* why .is_timed is not set; FINE: it did not run */
  gboolean is_timed;          /* .begin and .time are valid */
  guint64 begin;              /* after the queue's first timestamp, in the last loop; nanoseconds */
  VtrSpread time;
  guint32 first_statistic, n_statistics;      /* which of .statistics are valid; 0: none */
  guint64 statistics[VTR_PROBE_N_STATISTICS]; /* of a row with others below: their sum */
  gboolean has_samples;
  guint64 samples;                  /* that passed all tests */
  guint32 n_skipped;                /* draws and dispatches without statistics, below or itself */
  VtrProbeReason statistics_reason; /* of the first of these */
} VtrTimingRow;

/**
 * VtrTimings:
 *
 * Rows come in the order in which they ran, those inside another after it. Threading: any
 * (immutable); atomically reference-counted.
 */
typedef struct
{
  guint64 frame;
  VtrTimingsBy by;
  gboolean has_statistics;
  guint n_loops;                  /* measured */
  guint n_warm;                   /* run before, and left out */
  GArray *rows;                   /* VtrTimingRow */
  VtrSpread wall;                 /* of the whole frame: from its first command until all queues are idle */
  GArray *samples;                /* guint64: .wall in the order of the loops, the newest at the end */
  guint64 gpu;                    /* sum of the medians of what was submitted; nanoseconds */
  guint64 from;                   /* flat: where .wall begins; 0: with the frame */
  gboolean is_software, is_whole; /* a software driver's; each loop ran the whole trace */
  char *device;
  /* private */
  GHashTable *by_index; /* index → first row + 1 */
  gatomicrefcount references;
} VtrTimings;

VtrTimings *vtr_timings_ref (VtrTimings *self);
void vtr_timings_unref (VtrTimings *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrTimings, vtr_timings_unref)

/* The row of command @index (of the pass that it begins, of the recording that it begins) in @run;
 * VTR_NO_RUN: in the first. VTR_PROBE_NONE: there is none. */
guint32 vtr_timings_find (const VtrTimings *self,
                          guint64           index,
                          guint32           run);

/* Row numbers by median, the slowest first, of those of @kind: a GArray of guint32. (transfer full)
 */
GArray *vtr_timings_sort (const VtrTimings *self,
                          VtrProbeKind      kind);

/* Caveats about the numbers: sentences. (transfer full) */
GStrv vtr_timings_list_caveats (const VtrTimings *self);

/* Why a row has no time, or no statistics: a sentence; NULL: it has. */
const char *vtr_timings_explain_time (const VtrTimingRow *row);
const char *vtr_timings_explain_statistics (const VtrTimingRow *row);

/* "input assembly vertices", …, as the bit of VkQueryPipelineStatisticFlags @nth is called; @key:
 * "inputAssemblyVertices". */
const char *vtr_timings_statistic_name (guint nth);
const char *vtr_timings_statistic_key (guint nth);

G_END_DECLS
