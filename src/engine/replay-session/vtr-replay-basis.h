/* The data that replays are made from. */
#pragma once

#include "engine/format/vtr-trace.h"
#include "engine/state/vtr-history.h"
#include "engine/state/vtr-timeline.h"

G_BEGIN_DECLS

/* Of the rooms of the API's state and memory. */
typedef struct _VtrBoundWalker VtrBoundWalker;
typedef struct _VtrMemory VtrMemory;

/**
 * VtrReplayBasis:
 *
 * A trace and the data derived from it. All of it is borrowed: the caller keeps it until the
 * session is freed. Threading: any.
 */
typedef struct
{
  VtrTrace *trace;
  VtrTimeline *timeline;
  VtrHistory *history;
  VtrBoundWalker *walker;
  VtrMemory *memory;
} VtrReplayBasis;

G_END_DECLS
