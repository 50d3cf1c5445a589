/* The shared fields and functions of the files that make up VtrMemory. */
#pragma once

#include "base/vtr-buffer.h"
#include "engine/api/vtr-memory-api.h"
#include "engine/memory/vtr-effects.h"
#include "engine/memory/vtr-interval-index.h"
#include "engine/memory/vtr-memory-events.h"
#include "engine/memory/vtr-memory.h"
#include "engine/state/vtr-analysis.h"

G_BEGIN_DECLS

/* A command outside of lists that writes. */
typedef struct
{
  guint64 index;
  guint32 events; /* position in the store */
} VtrMemoryWriter;

/* Program memory that the driver may write for a while. */
typedef struct
{
  VtrRange range;
  guint64 first, last; /* flat indices */
} VtrMemoryWindow;

/* The result of the pass over the trace. Items of all three indexes are flat indices: a command
 * with
   what was written to its spaces before it, what it writes and, if it is a submission, what its runs write. */
typedef struct
{
  VtrIntervalIndex *program; /* by address */
  VtrIntervalIndex *exact;   /* by place in the row of all spaces: observed or surely written */
  VtrIntervalIndex *maybe;   /* perhaps written */
  VtrBuffer events;          /* VtrMemoryEvents */
  guint32 *run_events;       /* by run: its position in .events, or VTR_NO_EVENTS */
  guint32 n_runs;
  GArray *writers; /* VtrMemoryWriter, ascending */
  GArray *windows; /* VtrMemoryWindow */
  GArray *spaces;  /* VtrMemorySpace, ids ascending */
} VtrMemoryIndex;

VtrMemoryIndex *vtr_memory_index_build (VtrMemory         *memory,
                                        VtrTraceProgress   progress,
                                        gpointer           data,
                                        GCancellable      *cancellable,
                                        GError           **error);
void vtr_memory_index_free (VtrMemoryIndex *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrMemoryIndex, vtr_memory_index_free)
gsize vtr_memory_index_get_bytes (const VtrMemoryIndex *self);
/* NULL: no such space. O(log n). */
const VtrMemorySpace *vtr_memory_index_find_space (const VtrMemoryIndex *self,
                                                   guint32               id);
/* The space that a place in the row belongs to. O(log n). */
const VtrMemorySpace *vtr_memory_index_find_place (const VtrMemoryIndex *self,
                                                   guint64               place);
/* Position of what command @index writes outside of lists, or VTR_NO_EVENTS. O(log n). */
guint32 vtr_memory_index_find_writer (const VtrMemoryIndex *self,
                                      guint64               index);

/* An API and its data about the trace. */
typedef struct
{
  const VtrMemoryApi *api;
  gpointer self;
} VtrMemoryModel;

struct _VtrMemory
{
  VtrTrace *trace;
  VtrTimeline *timeline;
  VtrHistory *history;
  VtrMemoryModel *models; /* of each API that says something of memory, in the order of vtr_apis */
  guint n_models;
  const VtrMemoryModel *by_page[VTR_API_N_PAGES]; /* of the API of each page of ids, or NULL */

  GMutex lock;
  GCond cond;
  gboolean building;     /* guarded by .lock */
  VtrMemoryIndex *index; /* set once, under .lock */
  int thousandths;       /* atomic: progress of the build */
};

/* Of the API that a command or a kind of objects belongs to. Returns: (nullable). O(1). */
static inline const VtrMemoryModel *
vtr_memory_find_model (const VtrMemory *self,
                       guint32          id)
{
  const guint32 page = id >> VTR_API_PAGE_BITS;

  return page < VTR_API_N_PAGES ? self->by_page[page] : NULL;
}

/* The space that a content in front of @index means by @name; 0: none. */
guint32 vtr_memory_find_space (VtrMemory *self,
                               guint64    name,
                               guint64    index);

/* Fills .accesses of a view. */
gboolean vtr_memory_fill_accesses (VtrMemory      *self,
                                   guint64         index,
                                   guint32         run,
                                   VtrMemoryView  *view,
                                   GCancellable   *cancellable,
                                   GError        **error);

G_END_DECLS
