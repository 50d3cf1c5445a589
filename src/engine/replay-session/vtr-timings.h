/* The results of measuring a frame: a row of times and statistics for each command buffer, pass and command. */
#pragma once

#include <glib.h>

#include "engine/state/vtr-place.h"

G_BEGIN_DECLS

typedef enum
{
  VTR_PROBE_COMMAND_BUFFER, /* a run of a recording, also of a secondary */
  VTR_PROBE_PASS,           /* a render pass or dynamic rendering */
  VTR_PROBE_COMMAND,        /* a single draw, dispatch, copy, clear, … */
  VTR_PROBE_N_KINDS,
} VtrProbeKind;

/* Why a row has no time or no statistics. */
typedef enum
{
  VTR_PROBE_FINE,
  VTR_PROBE_NO_TIMESTAMPS,  /* the queue family does not support timestamps */
  VTR_PROBE_NO_STATISTICS,  /* the device or the queue family does not support statistics */
  VTR_PROBE_OWN_STATISTICS, /* a query of the program is active there, and a second one is not allowed */
} VtrProbeReason;

#define VTR_PROBE_NONE G_MAXUINT32

/* The number of pipeline statistics. They are ordered by their bits in VkQueryPipelineStatisticFlags. */
#define VTR_PROBE_N_STATISTICS 11

/* The granularity of a measurement. */
typedef enum
{
  VTR_TIMINGS_BY_FRAME, /* only the time of the whole frame; its commands are not changed */
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
  guint64 index, last;        /* flat indices of its first and last command */
  guint32 run;                /* vtr_timeline_get_run () */
  guint32 parent;             /* number of the parent row; VTR_PROBE_NONE: none */
  guint32 depth;              /* number of rows above it */
  guint32 executor;           /* object id of the queue that ran it; 0: unknown */
  VtrProbeReason time_reason; /* why .is_timed is FALSE; FINE: the row did not run */
  gboolean is_timed;          /* .begin and .time are valid */
  guint64 begin;              /* nanoseconds after the queue's first timestamp, in the last loop */
  VtrSpread time;
  guint32 first_statistic, n_statistics;      /* the valid ones of .statistics; 0: none */
  guint64 statistics[VTR_PROBE_N_STATISTICS]; /* of a row with rows below it: their sum */
  gboolean has_samples;
  guint64 samples;                  /* samples that passed all tests */
  guint32 n_skipped;                /* draws and dispatches in this row without statistics */
  VtrProbeReason statistics_reason; /* of the first of these */
} VtrTimingRow;

/**
 * VtrTimings:
 *
 * Rows are in the order in which they ran; rows inside another row follow it. Threading: any (immutable);
 * atomically reference-counted.
 */
typedef struct
{
  guint64 frame;
  VtrTimingsBy by;
  gboolean has_statistics;
  guint n_loops;                  /* measured loops */
  guint n_warm;                   /* loops that ran before these and are not counted */
  GArray *rows;                   /* VtrTimingRow */
  VtrSpread wall;                 /* of the whole frame: from its first command until all queues are idle */
  GArray *samples;                /* guint64: the wall time of each loop in nanoseconds, the newest last */
  guint64 gpu;                    /* sum of the median times of all submitted command buffers; nanoseconds */
  guint64 from;                   /* flat index of the command where .wall begins; 0: with the frame */
  gboolean is_software, is_whole; /* measured on a software driver; each loop ran the whole trace */
  char *device;
  /* private */
  GHashTable *by_index; /* index → first row + 1 */
  gatomicrefcount references;
} VtrTimings;

VtrTimings *vtr_timings_ref (VtrTimings *self);
void vtr_timings_unref (VtrTimings *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrTimings, vtr_timings_unref)

/* The row of command @index, or of the pass or recording that it begins, in @run; VTR_NO_RUN: in the first run. Returns:
 * VTR_PROBE_NONE if there is none. */
guint32 vtr_timings_find (const VtrTimings *self,
                          guint64           index,
                          guint32           run);

/* The rows of @kind by their median times, the slowest first. Returns: (transfer full): GArray of guint32. */
GArray *vtr_timings_sort (const VtrTimings *self,
                          VtrProbeKind      kind);

/* Sentences for the user that say how far the numbers can be trusted. (transfer full) */
GStrv vtr_timings_list_caveats (const VtrTimings *self);

/* A sentence for the user that says why the row has no time, or no statistics; NULL if it has. */
const char *vtr_timings_explain_time (const VtrTimingRow *row);
const char *vtr_timings_explain_statistics (const VtrTimingRow *row);

/* The name of bit @nth of VkQueryPipelineStatisticFlags: "input assembly vertices"; in JSON: "inputAssemblyVertices". */
const char *vtr_timings_statistic_name (guint nth);
const char *vtr_timings_statistic_key (guint nth);

G_END_DECLS
