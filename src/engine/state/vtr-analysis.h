/* A trace and the data derived from it without a replay. */
#pragma once

#include "engine/format/vtr-trace.h"

G_BEGIN_DECLS

/* Of this room, and the last of the room of memory. */
typedef struct _VtrTimeline VtrTimeline;
typedef struct _VtrHistory VtrHistory;
typedef struct _VtrBoundWalker VtrBoundWalker;
typedef struct _VtrStateStore VtrStateStore;
typedef struct _VtrMemory VtrMemory;

/**
 * VtrAnalysis:
 *
 * Immutable, except for data that is computed at the first request and kept. Atomically
 * reference-counted. Threading: any.
 */
typedef struct _VtrAnalysis VtrAnalysis;

/* Takes a reference to each. */
VtrAnalysis *vtr_analysis_new (VtrTimeline *timeline,
                               VtrHistory  *history);
VtrAnalysis *vtr_analysis_ref (VtrAnalysis *self);
void vtr_analysis_unref (VtrAnalysis *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrAnalysis, vtr_analysis_unref)

/* (transfer none), as everything below: it lives as long as @self. */
VtrTrace *vtr_analysis_get_trace (VtrAnalysis *self);
/* Which commands each command list holds, and when it runs. */
VtrTimeline *vtr_analysis_get_timeline (VtrAnalysis *self);
/* The objects of the trace, by lifetime. */
VtrHistory *vtr_analysis_get_history (VtrAnalysis *self);
/* The bound state at a command. */
VtrBoundWalker *vtr_analysis_get_walker (VtrAnalysis *self);
/* The whole state after any command. Made at the first call, when its pass over the trace begins in the background. */
VtrStateStore *vtr_analysis_get_states (VtrAnalysis *self);
/* The bytes of memory at any command. Made at the first call; its index at the first request for
 * memory. */
VtrMemory *vtr_analysis_get_memory (VtrAnalysis *self);

/* Computes the data that one reader of the trace needs. May block as long as a pass over the trace.
 * NULL: not available. */
typedef gpointer (*VtrAnalysisMake) (VtrAnalysis *self);

/* The result of the first call of @make; concurrent callers wait for it. NULL is not kept: the next
 * call tries again. @destroy: called when @self ends. */
gpointer vtr_analysis_keep (VtrAnalysis     *self,
                            VtrAnalysisMake  make,
                            GDestroyNotify   destroy);
/* Like vtr_analysis_keep (), for data that is computed at once and needs no other data of this kind from @self:
 * never waits for a long computation. */
gpointer vtr_analysis_keep_quick (VtrAnalysis     *self,
                                  VtrAnalysisMake  make,
                                  GDestroyNotify   destroy);

G_END_DECLS
