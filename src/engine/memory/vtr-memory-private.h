/* What the files that make up VtrMemory share. */
#pragma once

#include "base/vtr-buffer.h"
#include "engine/memory/vtr-interval-index.h"
#include "engine/memory/vtr-memory-events.h"
#include "engine/vulkan/memory/vtr-memory-blocks.h"
#include "engine/vulkan/memory/vtr-memory-objects.h"
#include "engine/memory/vtr-memory.h"

G_BEGIN_DECLS

/* Where a plane of an image lies. */
typedef struct
{
  guint32 image; /* object id */
  guint32 pool;  /* object id of its memory */
  guint64 offset, size;
} VtrMemoryImagePlace;

/* What the pass over the trace leaves. Items of all three indexes are flat indices: a command with
   what was written to mapped memory before it and, if it is a submission, what its runs write. */
typedef struct
{
  VtrIntervalIndex *application; /* by address */
  VtrIntervalIndex *exact;       /* by place in the row of all memory: observed or surely written */
  VtrIntervalIndex *maybe;       /* perhaps written */
  VtrBuffer events;              /* VtrMemoryEvents */
  guint32 *run_events;           /* by run: its position in .events, or VTR_NO_EVENTS */
  guint32 n_runs;
  GArray *pools;  /* VtrMemoryPool, ids ascending */
  GArray *images; /* VtrMemoryImagePlace, ids ascending */
} VtrMemoryIndex;

VtrMemoryIndex *vtr_memory_index_build (VtrTimeline       *timeline,
                                        VtrHistory        *history,
                                        VtrTraceProgress   progress,
                                        gpointer           data,
                                        GCancellable      *cancellable,
                                        GError           **error);
void vtr_memory_index_free (VtrMemoryIndex *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrMemoryIndex, vtr_memory_index_free)
gsize vtr_memory_index_get_bytes (const VtrMemoryIndex *self);
/* NULL: no such pool. O(log n). */
const VtrMemoryPool *vtr_memory_index_find_pool (const VtrMemoryIndex *self,
                                                 guint32               id);
/* The pool that a place in the row belongs to. O(log n). */
const VtrMemoryPool *vtr_memory_index_find_place (const VtrMemoryIndex *self,
                                                  guint64               place);

struct _VtrMemory
{
  VtrTrace *trace;
  VtrTimeline *timeline;
  VtrHistory *history;

  GMutex lock;
  GCond cond;
  gboolean building;     /* guarded by .lock */
  VtrMemoryIndex *index; /* set once, under .lock */
  int thousandths;       /* atomic: progress of whoever builds */

  VtrBoundWalker *walker;

  GMutex blocks_lock;
  VtrMemoryBlocks *blocks; /* of the program that was asked for last; guarded by .blocks_lock */
};

/* What the shaders bound at @point say, looked up as they are at @index. Any thread. (transfer full)
   (nullable): NULL: nothing is bound. */
VtrMemoryBlocks *vtr_memory_get_blocks (VtrMemory           *self,
                                        const VtrBoundState *state,
                                        guint                point,
                                        guint64              index);

/* The state bound at @index. Any thread. */
gboolean vtr_memory_get_bound_state (VtrMemory      *self,
                                     guint64         index,
                                     VtrBoundState  *out,
                                     GError        **error);

/* Fills .accesses of a view. */
gboolean vtr_memory_fill_accesses (VtrMemory      *self,
                                   guint64         index,
                                   guint32         run,
                                   VtrMemoryView  *view,
                                   GCancellable   *cancellable,
                                   GError        **error);

G_END_DECLS
