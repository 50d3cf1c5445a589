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
  VtrReplayBackend *backend;                          /* NULL until the first request */
  guint n_deaths;                                     /* how often it crashed */
  struct _VtrReplayFrameState *frame_state;           /* (nullable): the snapshot before a frame */
  struct _VtrReplaySubmissionState *submission_state; /* (nullable): the snapshot inside of a submission, on top of it */
  GHashTable *refused_frames;                         /* (nullable): set of guint64: commands before which no snapshot works */
  GHashTable *refused_submissions;                    /* (nullable): set of guint64: submissions in which none works */
  char *edit_key;                                     /* of edited traces: the edit that the snapshots have; NULL: none yet */
} VtrSessionReplayer;

/* The replayer for @edit (nullable: the unedited trace). Snapshots of another edit are dropped. */
VtrSessionReplayer *vtr_replay_session_get_replayer (VtrReplaySession     *self,
                                                     const VtrPictureEdit *edit);
/* Its back end, made at the first call. (transfer none) */
VtrReplayBackend *vtr_replay_session_get_backend (VtrReplaySession   *self,
                                                  VtrSessionReplayer *replayer);
/* Drops both snapshots. */
void vtr_session_replayer_drop_snapshots (VtrSessionReplayer *self);

/* Fails if a replay here cannot work. Errors: VTR_REPLAY_ERROR_DRIVER with the first reason; those of
 * vtr_replay_session_get_compatibility (). */
gboolean vtr_replay_session_check (VtrReplaySession  *self,
                                   GCancellable      *cancellable,
                                   GError           **error);

/* The plan for results of queries; made at the first call. (transfer none) Errors: those of the
 * trace. */
const VtrQueryPlan *vtr_replay_session_get_queries (VtrReplaySession  *self,
                                                    GCancellable      *cancellable,
                                                    GError           **error);

/* Sets the status back to what it was before the replay that is running: that replay was asked for something that has
 * no answer. */
void vtr_replay_session_say_previous (VtrReplaySession *self);
/* The last failure blames @command. */
void vtr_replay_session_note_failure (VtrReplaySession *self,
                                      guint64           command);

G_END_DECLS
