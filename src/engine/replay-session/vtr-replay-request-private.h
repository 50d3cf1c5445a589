/* The steps of a request, for those who run one in their own way. Threading: the document's replay
 * worker. */
#pragma once

#include "engine/replay-session/vtr-replay-request.h"

G_BEGIN_DECLS

/* What a mark takes is posted under this id. */
#define VTR_REPLAY_MARK_POST (G_MAXUINT64 - 1)

/* VtrReplaySend of the request's builder; @data: the request. */
gboolean vtr_replay_request_send (const VtrReplaySegment  *segment,
                                  gpointer                 data,
                                  GError                 **error);

/* Puts what every chain needs behind @chain (transfer full), and @builder behind that. */
VtrTransform *vtr_replay_request_complete_chain (const VtrReplayRequest *request,
                                                 VtrTransform           *chain,
                                                 VtrReplayBuilder       *builder);

gboolean vtr_replay_request_begin (VtrReplayRequest  *request,
                                   guint32            flags,
                                   GError           **error);

/* After the stream was driven, or failed to be (@driven): waits for the end. Sets @failure. */
void vtr_replay_request_finish (VtrReplayRequest  *request,
                                gboolean           driven,
                                VtrReplayOutcome  *outcome,
                                GCancellable      *cancellable,
                                GError           **failure);

/* A builder that knows the device at hand. */
VtrReplayBuilder *vtr_replay_request_make_builder (VtrReplayRequest  *request,
                                                   GCancellable      *cancellable,
                                                   GError           **error);

/* Says that the trace runs up to a frame that is to be kept; @done: commands so far. */
void vtr_replay_request_say_kept (VtrReplayRequest *request,
                                  guint64           done);

/* Says how the request ended; @error: (nullable): what it failed with. */
void vtr_replay_request_note_end (VtrReplayRequest *request,
                                  const GError     *error);

/* Hands *@failure on, if there is one. Returns: whether there is none. */
gboolean vtr_replay_request_end_with (GError **failure,
                                      GError **error);

G_END_DECLS
