/* The data that a session keeps about its replayers, for the requests that they run. Threading: the
 * session's worker. */
#pragma once

#include "engine/replay-session/vtr-replay-session.h"

G_BEGIN_DECLS

/**
 * VtrSessionReplayer:
 *
 * A replayer, and the snapshots that it keeps. A session has two, so that nothing of an edited trace gets into the
 * replays of the unedited one.
 */
typedef struct
{
  VtrReplayBackend *backend; /* NULL until the first request */
  guint n_deaths;            /* how often it crashed */
  /* (nullable): what .kept_by, an API, keeps for it (VtrRequestApi.answer). */
  gpointer kept;
  const struct _VtrRequestApi *kept_by;
  char *edit_key; /* of edited traces: the edit that the snapshots have; NULL: none yet */
} VtrSessionReplayer;

/* The replayer for @edit (nullable: the unedited trace). Snapshots of another edit are dropped. */
VtrSessionReplayer *vtr_replay_session_get_replayer (VtrReplaySession     *self,
                                                     const VtrPictureEdit *edit);
/* Its back end, made at the first call. (transfer none) */
VtrReplayBackend *vtr_replay_session_get_backend (VtrReplaySession   *self,
                                                  VtrSessionReplayer *replayer);
/* Drops the states that the replayer keeps. */
void vtr_session_replayer_drop_snapshots (VtrSessionReplayer *self);

/* Fails if a replay here cannot work. Errors: VTR_REPLAY_ERROR_DRIVER with the first reason; those of
 * vtr_replay_session_get_compatibility (). */
gboolean vtr_replay_session_check (VtrReplaySession  *self,
                                   GCancellable      *cancellable,
                                   GError           **error);

/* What @api has found out about the trace; NULL: nothing (VtrRequestApi.data_new). */
gpointer vtr_replay_session_get_data (VtrReplaySession *self,
                                      const VtrApi     *api);
/* Whether the trace has commands of @api. */
gboolean vtr_replay_session_concerns (VtrReplaySession *self,
                                      const VtrApi     *api);

/* Sets the status back to what it was before the replay that is running: that replay was asked for something that has
 * no answer. */
void vtr_replay_session_say_previous (VtrReplaySession *self);
/* The last failure blames @command. */
void vtr_replay_session_note_failure (VtrReplaySession *self,
                                      guint64           command);

G_END_DECLS
