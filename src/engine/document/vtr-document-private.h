/* VtrDocument itself. */
#pragma once

#include "engine/state/vtr-path.h"
#include "engine/document/vtr-document.h"
#include "engine/jobs/vtr-memo.h"
#include "engine/memory/vtr-memory.h"

G_BEGIN_DECLS

struct _VtrDocument
{
  GObject parent_instance;

  VtrAnalysis *analysis;
  VtrTrace *trace;
  VtrTimeline *timeline; /* .timeline, .history and .walker are the analysis' */
  VtrHistory *history;
  VtrBoundWalker *walker;

  GMainContext *context; /* the context that opened it; "replay-changed" is emitted there */

  VtrReplaySession *session; /* as the rest, NULL until the trace is open */
  VtrTraceLists *lists;
  VtrAnswers *answers;
  VtrMemo *images;           /* path ("commands/12/framebuffer/color0") → VtrImage, on the session's worker */
  int replay_change_pending; /* atomic */
  gboolean disposed;         /* a thread drops the last reference */
  gboolean closed;           /* "replay-changed" is emitted no more; guarded by the lock of all documents */
};

G_END_DECLS
