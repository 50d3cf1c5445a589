/* The steps of a request, for the snapshots, which run them in another order. Threading: the session's worker. */
#pragma once

#include "engine/replay-session/vtr-replay-request.h"
#include "engine/replay-session/vtr-replay-session-private.h"

G_BEGIN_DECLS

/* The replayer posts the size and the duration of a mark under this id. */
#define VTR_REPLAY_MARK_POST (G_MAXUINT64 - 1)

/* The VtrReplaySend of the request's builder. @data: the request. */
gboolean vtr_replay_request_send (const VtrReplaySegment  *segment,
                                  gpointer                 data,
                                  GError                 **error);

/* Appends the transforms that every replay needs to @chain (transfer full), then @builder. (transfer full) */
VtrTransform *vtr_replay_request_complete_chain (const VtrReplayRequest *request,
                                                 VtrTransform           *chain,
                                                 VtrReplayBuilder       *builder);

/* The replayer of the request's session and edit. */
VtrSessionReplayer *vtr_replay_request_get_replayer (const VtrReplayRequest *request);

/* Begins the request in the replayer. @flags: VTR_REPLAY_*. Errors: those of VtrReplayBackend.begin (). */
gboolean vtr_replay_request_begin (VtrReplayRequest  *request,
                                   guint32            flags,
                                   GError           **error);

/* Call after the commands were driven through the chain (@driven), or that failed. Waits for the end. Sets *@failure if
 * either failed. */
void vtr_replay_request_finish (VtrReplayRequest  *request,
                                gboolean           driven,
                                VtrReplayOutcome  *outcome,
                                GCancellable      *cancellable,
                                GError           **failure);

/* A builder for the device at hand. (transfer full): NULL with @error, also if a replay here cannot work. */
VtrReplayBuilder *vtr_replay_request_make_builder (VtrReplayRequest  *request,
                                                   GCancellable      *cancellable,
                                                   GError           **error);

/* Sets the status to say that the trace runs up to a frame, for a snapshot. @done: commands so
 * far. */
void vtr_replay_request_say_snapshot (VtrReplayRequest *request,
                                      guint64           done);

/* Sets the status at the end of the request. @error: (nullable): its error. */
void vtr_replay_request_note_end (VtrReplayRequest *request,
                                  const GError     *error);

/* Runs the chain that @make makes from the beginning of the trace. */
gboolean vtr_replay_request_run_whole (VtrReplayRequest    *request,
                                       VtrReplayMakeChain   make,
                                       guint32              flags,
                                       VtrReplayOutcome    *outcome,
                                       GCancellable        *cancellable,
                                       GError             **error);

/* Moves *@failure, if there is one, to @error. Returns: whether there is none. */
gboolean vtr_replay_request_end_with (GError **failure,
                                      GError **error);

G_END_DECLS
