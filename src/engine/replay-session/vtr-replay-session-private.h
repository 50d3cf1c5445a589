/* The replayers of a session, for the code that runs requests on them. Threading: the session's worker. */
#pragma once

#include "engine/replay-session/vtr-replay-session.h"

G_BEGIN_DECLS

/**
 * VtrSessionReplayer:
 *
 * A replayer and the snapshots that it keeps. A session has two, so that snapshots of an edited trace are never used for
 * the unedited one.
 */
typedef struct
{
  VtrReplayBackend *backend; /* NULL until the first request */
  guint n_deaths;            /* number of its crashes */
  /* (nullable): the snapshots, owned by the API .kept_by (VtrRequestApi.answer). */
  gpointer kept;
  const struct _VtrRequestApi *kept_by;
  char *edit_key; /* of edited traces: the key of the edit in the snapshots; NULL: none yet */
} VtrSessionReplayer;

/* The replayer for @edit (nullable: the unedited trace). Snapshots of another edit are dropped. */
VtrSessionReplayer *vtr_replay_session_get_replayer (VtrReplaySession     *self,
                                                     const VtrPictureEdit *edit);
/* The back end of @replayer, made at the first call. (transfer none) */
VtrReplayBackend *vtr_replay_session_get_backend (VtrReplaySession   *self,
                                                  VtrSessionReplayer *replayer);
/* Drops the snapshots of the replayer. */
void vtr_session_replayer_drop_snapshots (VtrSessionReplayer *self);

/* Fails if the trace cannot replay on the session's device. Errors: VTR_REPLAY_ERROR_DRIVER with the first reason; those of
 * vtr_replay_session_get_compatibility (). */
gboolean vtr_replay_session_check (VtrReplaySession  *self,
                                   GCancellable      *cancellable,
                                   GError           **error);

/* What VtrRequestApi.data_new of @api has found out about the trace. (transfer none) (nullable). */
gpointer vtr_replay_session_get_data (VtrReplaySession *self,
                                      const VtrApi     *api);
/* Whether the trace has commands of @api. */
gboolean vtr_replay_session_concerns (VtrReplaySession *self,
                                      const VtrApi     *api);

/* Sets the status back to what it was before the running replay, if that was asked for something that has no answer. */
void vtr_replay_session_say_previous (VtrReplaySession *self);
/* Sets the result of vtr_replay_session_get_failed_command (). */
void vtr_replay_session_note_failure (VtrReplaySession *self,
                                      guint64           command);

G_END_DECLS
