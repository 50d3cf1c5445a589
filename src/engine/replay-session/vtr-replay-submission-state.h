/* Places inside a submission from which the replayer can go on: the kept state (vtr-replay-frame-state.h) is
 * that before a frame; on top of it an inner one is kept right before the submission that is looked
 * at, and marks on the way through its command buffers say what memory held there. A request then
 * records and runs only what comes after the nearest mark. */
#pragma once

#include "engine/answers/vtr-path.h"
#include "engine/replay-session/vtr-replay-request.h"
#include "engine/vulkan/transforms/vtr-state-commands.h"

G_BEGIN_DECLS

/* A place inside a submission. */
typedef struct
{
  VtrCommandAddress address;
  guint32 run;      /* of the primary command buffer */
  guint64 submit;   /* flat index */
  guint64 position; /* in the primary: what is looked at, or executes it */
} VtrReplayPlace;

typedef struct
{
  guint64 id;
  guint32 run;
  guint64 bytes;
  guint64 used; /* when, by VtrReplaySubmissionState.clock */
  VtrCutStart start;
  VtrStateCommands *prelude;
} VtrReplayMark;

/**
 * VtrReplaySubmissionState:
 *
 * Threading: the document's replay worker.
 */
typedef struct
{
  guint64 submit; /* commands before it have run */
  VtrReplayBuilder *builder;
  VtrTransformStart start;
  GPtrArray *marks;  /* VtrReplayMark */
  GArray *forgotten; /* guint64: marks the replayer still has */
  guint64 bytes;     /* of all marks */
  guint64 at;        /* mark whose contents memory has; G_MAXUINT64: none's */
  guint64 next_id;
  guint64 clock;
  double cost;     /* of a command, microseconds */
  double overhead; /* of a mark, likewise */
} VtrReplaySubmissionState;

void vtr_replay_submission_state_free (VtrReplaySubmissionState *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrReplaySubmissionState, vtr_replay_submission_state_free)

/* Whether what runs at @address is better reached by marks, from the state that is kept now. */
gboolean vtr_replay_submission_state_find (VtrDocument             *document,
                                           const VtrCommandAddress *address,
                                           VtrReplayPlace          *out);

/* As vtr_replay_request_answer(). Errors: VTR_REPLAY_ERROR_UNSUPPORTED, and all others, when it has to
 * be tried another way. */
gboolean vtr_replay_submission_state_answer (VtrReplayRequest      *request,
                                             const VtrReplayPlace  *place,
                                             VtrReplayMakeChain     make,
                                             VtrReplayOutcome      *outcome,
                                             GCancellable          *cancellable,
                                             GError               **error);

/* It went another way: the submission of @place is not tried again. */
void vtr_replay_submission_state_refuse (VtrDocument          *document,
                                         const VtrReplayPlace *place,
                                         const GError         *why);

G_END_DECLS
