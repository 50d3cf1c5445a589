/* A session of replays of one trace: the worker that runs them, and the data that it keeps between
 * replays. */
#pragma once

#include "engine/jobs/vtr-scheduler.h"
#include "engine/picture/vtr-image.h"
#include "engine/replay-builder/vtr-compatibility.h"
#include "engine/replay-builder/vtr-plan.h"
#include "engine/replay-builder/vtr-replay-addresses.h"
#include "engine/replay-session/vtr-picture-edit.h"
#include "engine/replay-session/vtr-replay-basis.h"
#include "engine/replay-session/vtr-replay-waiters.h"
#include "engine/replay/vtr-replay-backend.h"

G_BEGIN_DECLS

/**
 * VtrReplaySession:
 *
 * Owns the replay worker, which runs one request at a time; the replayer and the snapshots that it keeps; a second
 * replayer for edited traces; the plan for the available devices, the compatibility report and
 * other findings in the trace; and the status text for the user.
 *
 * Threading: any, for what is listed under "Any thread"; the rest is for functions that run on the worker.
 */
typedef struct _VtrReplaySession VtrReplaySession;

/* The subject of the status. */
typedef enum
{
  VTR_REPLAY_IS_IDLE,    /* nothing was replayed yet */
  VTR_REPLAY_IS_WORKING, /* the status tells how far it is */
  VTR_REPLAY_IS_READY,   /* a replay has worked */
  VTR_REPLAY_IS_BROKEN,  /* the last one did not */
} VtrReplayActivity;

/* The status may have changed. Called on any thread, without locks of the session, until vtr_replay_session_free ()
 * returns. */
typedef void (*VtrReplaySessionChanged) (gpointer data);

/* --- Any thread ------------------------------------------------------------------------------ */

/* @basis is copied; its contents must outlive the session. @changed: (nullable). */
VtrReplaySession *vtr_replay_session_new (const VtrReplayBasis    *basis,
                                          VtrReplaySessionChanged  changed,
                                          gpointer                 data);
/* Runs to its end what the worker was given, then ends the replayers, which may take seconds. Not on the worker. Who
 * wants running requests to end sooner cancels them, or frees the memo that made them, before. */
void vtr_replay_session_free (VtrReplaySession *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrReplaySession, vtr_replay_session_free)

/* The session will be freed soon: a snapshot whose request is cancelled is not finished any more. */
void vtr_replay_session_close (VtrReplaySession *self);
/* Whether the worker was ever given something to do, so that ending it may take time. */
gboolean vtr_replay_session_is_started (VtrReplaySession *self);

/* (transfer none) */
const VtrReplayBasis *vtr_replay_session_get_basis (VtrReplaySession *self);
VtrScheduler *vtr_replay_session_get_worker (VtrReplaySession *self);
VtrReplayWaiters *vtr_replay_session_get_waiters (VtrReplaySession *self);
VtrPictureEdits *vtr_replay_session_get_edits (VtrReplaySession *self);

/* Before the first replay: the device to replay on, by its name, a part of the name, or its place. NULL: the captured
 * one, else the best. */
void vtr_replay_session_set_device (VtrReplaySession *self,
                                    const char       *device);
/* Before the first replay. AUTO: exact addresses, and guessed ones if that turns out to be impossible. */
void vtr_replay_session_set_addresses (VtrReplaySession   *self,
                                       VtrReplayAddresses  addresses);
/* Before the first replay: pictures are replayed with memory that the trace does not tell of filled with a pattern. */
void vtr_replay_session_set_poison (VtrReplaySession *self,
                                    gboolean          poison);
gboolean vtr_replay_session_get_poison (VtrReplaySession *self);
/* Before the first replay: takes @backend, to replay the unedited trace with, in place of a replayer process. */
void vtr_replay_session_set_backend (VtrReplaySession *self,
                                     VtrReplayBackend *backend);

/* Starts the replayer in the background, so that the first request does not wait for that. A failure is reported by the
 * first request that needs it. */
void vtr_replay_session_prepare (VtrReplaySession *self);

/* Runs @func on the worker and waits for it. On the worker itself, calls it at once. */
void vtr_replay_session_run (VtrReplaySession *self,
                             void (*func) (gpointer data),
                             gpointer data);

/* Whether addresses are guessed: then the results of replays are not guaranteed. */
gboolean vtr_replay_session_guesses_addresses (VtrReplaySession *self);

/* The status, as a sentence for the status bar: "Replay on llvmpipe". (transfer full) */
char *vtr_replay_session_dup_status (VtrReplaySession *self);
VtrReplayActivity vtr_replay_session_get_activity (VtrReplaySession *self);
/* Sets the status. Takes @status. */
void vtr_replay_session_say (VtrReplaySession  *self,
                             VtrReplayActivity  activity,
                             char              *status);
/* The command that the last failed replay blames. VTR_COMMAND_NO_INDEX: none failed at a command. */
guint64 vtr_replay_session_get_failed_command (VtrReplaySession *self);

/* --- On the worker --------------------------------------------------------------------------- */

/* A result was found on disk. Becomes the status if nothing was replayed yet. */
void vtr_replay_session_say_cached (VtrReplaySession *self);

/* The devices that the session replays on; made at the first call. (transfer none) Errors: those of the backend and of
 * vtr_plan_new (). */
VtrPlan *vtr_replay_session_get_plan (VtrReplaySession  *self,
                                      GCancellable      *cancellable,
                                      GError           **error);
/* (nullable): it was not made yet. */
VtrPlan *vtr_replay_session_peek_plan (VtrReplaySession *self);
/* Whether the trace can replay on them; made at the first call. (transfer none) Errors: as above, and those of
 * vtr_compatibility_new (). */
VtrCompatibility *vtr_replay_session_get_compatibility (VtrReplaySession  *self,
                                                        GCancellable      *cancellable,
                                                        GError           **error);
/* The key under which a result is kept on disk: @question about this trace, replayed on this device by these programs.
 * (transfer full) (nullable): nothing is kept. */
char *vtr_replay_session_get_key (VtrReplaySession *self,
                                  const char       *question,
                                  GCancellable     *cancellable);

/* Call after a replay that failed with *@failure. Returns: TRUE if it is to be run once more, with addresses that are
 * guessed from now on; *@failure is cleared then. */
gboolean vtr_replay_session_guess_addresses (VtrReplaySession  *self,
                                             GError           **failure);

/* Images that the last picture's request read beside the one that it was asked for, by key. */
void vtr_replay_session_forget_images (VtrReplaySession *self);
/* Takes both. */
void vtr_replay_session_keep_image (VtrReplaySession *self,
                                    char             *key,
                                    VtrImage         *image);
/* (transfer full) (nullable) */
VtrImage *vtr_replay_session_find_image (VtrReplaySession *self,
                                         const char       *key);

G_END_DECLS
