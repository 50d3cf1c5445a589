/* What the files that make up VtrDocument share. */
#pragma once

#include "engine/resolve/vtr-document.h"
#include "engine/resolve/vtr-memo.h"

G_BEGIN_DECLS

struct _VtrDocument
{
  GObject parent_instance;

  VtrTrace *trace;
  VtrTimeline *timeline;
  VtrHistory *history;

  GMainContext *context; /* of whoever opened it; "replay-changed" is emitted there */
  VtrMemo *json;         /* path → JsonNode (sealed), on the resolve pool */
  GMutex walker_lock;
  VtrBoundWalker *walker; /* guarded by walker_lock */

  /* Replay (vtr-document-replay.c). One worker: what runs there owns the backend and needs no lock.
     */
  VtrScheduler *replay_pool;
  VtrMemo *images; /* path ("commands/12/framebuffer/color0") → VtrImage, on the replay pool */
  GMutex replay_lock;
  gpointer replay;            /* made on first use by vtr-document-replay.c; guarded by replay_lock */
  int replay_change_pending;  /* atomic */
  GDestroyNotify replay_free; /* called on the replay worker when the document goes */
};

/* Emits "replay-changed" in the document's main context, soon, coalesced. Any thread. */
void vtr_document_replay_changed (VtrDocument *self);

/* The command whose attachments command @index shows: itself inside a pass, else the last command
   of the last pass before it in its recording. @state is filled for it. VTR_COMMAND_NO_INDEX with
   @error: NOTHING, when no pass came before. */
guint64 vtr_document_find_pass_command (VtrDocument    *self,
                                        guint64         index,
                                        VtrBoundState  *state,
                                        GError        **error);
/* The same, looking on in the submissions before @index (at it, when it is one), last command
   buffer first. */
guint64 vtr_document_find_drawn_command (VtrDocument    *self,
                                         guint64         index,
                                         VtrBoundState  *state,
                                         GError        **error);

G_END_DECLS
