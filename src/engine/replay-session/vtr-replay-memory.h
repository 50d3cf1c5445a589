/* Memory at a command, with what only a replay can tell of it. */
#pragma once

#include "engine/replay-session/vtr-replay-session.h"
#include "engine/state/vtr-place.h"
#include "engine/memory/vtr-memory.h"

G_BEGIN_DECLS

/* Which bytes. */
typedef struct
{
  VtrPlace address;
  guint32 space; /* VTR_SPACE_PROGRAM, or an object id */
  guint64 offset, size;
  gboolean replay;            /* what only the GPU knows is read back by replay */
  const VtrPictureEdit *edit; /* (nullable): of that replay */
} VtrMemoryQuery;

/* Blocks. With .replay, spans that were GPU_WRITTEN or GPU_MAYBE come back as REPLAYED with their bytes. (transfer full).
 * Errors: those of vtr_memory_read () and of a replay. Threading: any. */
VtrMemoryView *vtr_replay_session_get_memory_view (VtrReplaySession      *self,
                                                   const VtrMemoryQuery  *query,
                                                   GCancellable          *cancellable,
                                                   GError               **error);

G_END_DECLS
