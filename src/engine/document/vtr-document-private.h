/* What the files that make up VtrDocument share. */
#pragma once

#include "engine/answers/vtr-path.h"
#include "engine/document/vtr-document.h"
#include "engine/jobs/vtr-memo.h"
#include "engine/replay-session/vtr-replay-waiters.h"
#include "engine/vulkan/memory/vtr-memory.h"
#include "engine/vulkan/state/vtr-pass-references.h"
#include "engine/vulkan/transforms/vtr-stream-edit.h"

G_BEGIN_DECLS

struct _VtrDocument
{
  GObject parent_instance;

  VtrTrace *trace;
  VtrTimeline *timeline;
  VtrHistory *history;

  GMainContext *context; /* of whoever opened it; "replay-changed" is emitted there */
  VtrMemo *json;         /* path → JsonNode (sealed), on the resolve pool */
  VtrMemo *surveys;      /* the same for answers that take a pass over the trace, on the I/O pool */
  VtrMemo *lists;        /* "uses", "textures", "shaders" → GObject (vtr-document-lists.c) */
  VtrBoundWalker *walker;
  GMutex memory_lock;
  VtrMemory *memory; /* made on first use; guarded by memory_lock */

  GMutex states_lock;
  VtrStateStore *states;            /* made on first use; guarded by states_lock, then only read */
  GCancellable *states_cancellable; /* of its background pass */

  /* Replay (vtr-document-replay.c). One worker: what runs there owns the backend and needs no lock.
     */
  VtrScheduler *replay_pool;
  VtrMemo *images; /* path ("commands/12/framebuffer/color0") → VtrImage, on the replay pool */
  VtrReplayWaiters *wishes;
  GMutex replay_lock;
  gpointer replay;                     /* made on first use by vtr-document-replay.c; guarded by replay_lock */
  char *replay_device;                 /* (nullable) what was asked for; guarded by replay_lock */
  VtrReplayAddresses replay_addresses; /* likewise */
  int replay_change_pending;           /* atomic */
  gboolean poison;                     /* pictures are replayed with unknown memory poisoned */
  gboolean prepared;                   /* the session may be made any time */
  gboolean disposed;                   /* a thread drops the last reference */
  gboolean closed;                     /* nothing is told of it any more; under a lock */
  GDestroyNotify replay_free;          /* called on the replay worker when the document goes */
  gpointer replay_edited;              /* the same for edited streams, in a replayer of its own */
  gpointer edits;                      /* of vtr-picture-edit.c; guarded by replay_lock */
  VtrStreamEdit *edit;                 /* borrowed: of the request that runs; the replay worker's */
  const char *edit_key;                /* likewise */
};

/* Emits "replay-changed" in the document's main context, soon, coalesced. Any thread. */
void vtr_document_replay_changed (VtrDocument *self);

/* Runs @func on the replay worker and waits for it. Any thread. */
void vtr_document_run_on_replay_worker (VtrDocument *self,
                                        void (*func) (gpointer data),
                                        gpointer data);

G_END_DECLS
