/* The snapshot that a session's replayer keeps right before a submission, on top of the one before the frame
 * (vtr-replay-frame-state.h). Marks on the way through the submission's command buffers hold what memory held there. A
 * request then records and runs only what comes after the nearest mark. */
#pragma once

#include "engine/replay-session/vtr-replay-request.h"
#include "engine/vulkan/transforms/vtr-state-commands.h"

G_BEGIN_DECLS

/* A command, as it runs in a submission. */
typedef struct
{
  VtrPlace address;
  guint32 run;      /* of the primary command buffer */
  guint64 submit;   /* flat index */
  guint64 position; /* in the primary: flat index of the command, or of the vkCmdExecuteCommands that runs it */
} VtrSubmissionPlace;

typedef struct
{
  guint64 id;
  guint32 run;
  guint64 bytes;
  guint64 used; /* when, by VtrReplaySubmissionState.clock */
  VtrCutStart start;
  VtrStateCommands *state_commands; /* set the state again that the recording has here */
} VtrReplayMark;

/**
 * VtrReplaySubmissionState:
 *
 * Threading: the session's worker.
 */
typedef struct _VtrReplaySubmissionState
{
  guint64 submit; /* commands before it have run */
  VtrReplayBuilder *builder;
  VtrTransformStart start;
  GPtrArray *marks;  /* VtrReplayMark */
  GArray *forgotten; /* guint64: marks that were dropped here, but not yet in the replayer */
  guint64 bytes;     /* of all marks */
  guint64 at;        /* the mark as of which the replayer's memory is; G_MAXUINT64: none */
  guint64 next_id;
  guint64 clock;
  double cost;     /* µs for a command */
  double overhead; /* µs for a mark */
} VtrReplaySubmissionState;

void vtr_replay_submission_state_free (VtrReplaySubmissionState *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrReplaySubmissionState, vtr_replay_submission_state_free)

/* Whether a request that stops at @address is answered sooner from a mark inside its submission. Needs the snapshot
 * before the frame. */
gboolean vtr_replay_submission_state_find (const VtrReplayRequest *request,
                                           const VtrPlace         *address,
                                           VtrSubmissionPlace     *out);

/* Answers @request like vtr_replay_request_answer (), from a mark. Errors: VTR_REPLAY_ERROR_UNSUPPORTED and all others but
 * cancelling: the request has to be answered another way. */
gboolean vtr_replay_submission_state_answer (VtrReplayRequest          *request,
                                             const VtrSubmissionPlace  *place,
                                             VtrReplayMakeChain         make,
                                             VtrReplayOutcome          *outcome,
                                             GCancellable              *cancellable,
                                             GError                   **error);

/* The request was answered another way: marks are not tried again in the submission of @place. */
void vtr_replay_submission_state_refuse (const VtrReplayRequest   *request,
                                         const VtrSubmissionPlace *place,
                                         const GError             *why);

G_END_DECLS
