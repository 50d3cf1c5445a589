/* Measures the times of a frame by replaying it. */
#pragma once

#include "engine/replay-session/vtr-replay-session.h"
#include "engine/replay-session/vtr-timings.h"

G_BEGIN_DECLS

#define VTR_TIMINGS_FOR_EVER 0

typedef struct
{
  guint64 frame;
  VtrTimingsBy by;
  guint n_loops;       /* measured; VTR_TIMINGS_FOR_EVER: until it is cancelled */
  guint n_warm;        /* run before: compiles, fills caches; at least one is wise */
  gboolean statistics; /* .by is then DRAW */
} VtrTimingsQuery;

#define VTR_TIMINGS_LOOPS 5

/* Called after each loop with the recent timings (transfer none); NULL while there are none. */
typedef void (*VtrTimingsProgress) (VtrTimings *timings,
                                    guint n_done,
                                    guint n_loops,
                                    gpointer data);

/**
 * vtr_replay_session_measure:
 * @progress: (nullable): on the calling thread
 *
 * Replays the frame again and again, each time from the same state, and reads the results of its
 * queries. Other requests to the replayer get their turn between two loops. Blocks. When a
 * measurement with VTR_TIMINGS_FOR_EVER is cancelled after its first loop, the timings so far are
 * the answer.
 * Returns: (transfer full). Errors: VTR_RESOLVE_ERROR_NOTHING for a frame without work for a GPU,
 * those of a replay. Threading: any.
 */
VtrTimings *vtr_replay_session_measure (VtrReplaySession       *self,
                                        const VtrTimingsQuery  *query,
                                        VtrTimingsProgress      progress,
                                        gpointer                data,
                                        GCancellable           *cancellable,
                                        GError                **error);

G_END_DECLS
