/* Runs the replays of one trace, and keeps what later replays can use. */
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
 * Owns the worker thread, which runs one request at a time; the replayer and its snapshots; a second replayer for edited
 * traces; the plan for the available devices, the compatibility report and other findings about the trace; and the status
 * text for the user.
 *
 * Threading: any for the functions under "Any thread"; the others are only called on the worker.
 */
typedef struct _VtrReplaySession VtrReplaySession;

/* What the session is doing. */
typedef enum
{
  VTR_REPLAY_IS_IDLE,    /* nothing was replayed yet */
  VTR_REPLAY_IS_WORKING, /* a replay runs; the status tells its progress */
  VTR_REPLAY_IS_READY,   /* the last replay succeeded */
  VTR_REPLAY_IS_BROKEN,  /* the last replay failed */
} VtrReplayActivity;

/* Called when the status may have changed, on any thread, without locks of the session, until vtr_replay_session_free ()
 * returns. */
typedef void (*VtrReplaySessionChanged) (gpointer data);

/* --- Any thread ------------------------------------------------------------------------------ */

/* @basis is copied; its contents must outlive the session. @changed: (nullable). */
VtrReplaySession *vtr_replay_session_new (const VtrReplayBasis    *basis,
                                          VtrReplaySessionChanged  changed,
                                          gpointer                 data);
/* Waits until all requests to the worker have ended, then ends the replayers; this may take seconds. To end requests
 * sooner, cancel them or free the memo that made them first. Must not be called on the worker. */
void vtr_replay_session_free (VtrReplaySession *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrReplaySession, vtr_replay_session_free)

/* Announces that the session will be freed soon: snapshots of cancelled requests are no longer finished. */
void vtr_replay_session_close (VtrReplaySession *self);
/* Whether the worker ever got a request. If not, vtr_replay_session_free () returns at once. */
gboolean vtr_replay_session_is_started (VtrReplaySession *self);

/* (transfer none) */
const VtrReplayBasis *vtr_replay_session_get_basis (VtrReplaySession *self);
VtrScheduler *vtr_replay_session_get_worker (VtrReplaySession *self);
VtrReplayWaiters *vtr_replay_session_get_waiters (VtrReplaySession *self);
VtrPictureEdits *vtr_replay_session_get_edits (VtrReplaySession *self);

/* Chooses the device to replay on, before the first replay. @device: its name, a part of the name, or its number in the
 * list of devices; NULL: the captured device if there is one, else the best. */
void vtr_replay_session_set_device (VtrReplaySession *self,
                                    const char       *device);
/* Chooses how device addresses are replayed, before the first replay. AUTO: exactly, or by estimated addresses if that
 * turns out to be impossible. */
void vtr_replay_session_set_addresses (VtrReplaySession   *self,
                                       VtrReplayAddresses  addresses);
/* Before the first replay: fills memory whose contents the trace does not have with a pattern when pictures are replayed. */
void vtr_replay_session_set_poison (VtrReplaySession *self,
                                    gboolean          poison);
gboolean vtr_replay_session_get_poison (VtrReplaySession *self);
/* Before the first replay: replays the unedited trace with @backend (transfer full) instead of a replayer process. */
void vtr_replay_session_set_backend (VtrReplaySession *self,
                                     VtrReplayBackend *backend);

/* Starts the replayer in the background, so that the first request does not wait for that. A failure is reported by the
 * first request that needs it. */
void vtr_replay_session_prepare (VtrReplaySession *self);

/* Runs @func on the worker and waits for it. On the worker itself, calls it at once. */
void vtr_replay_session_run (VtrReplaySession *self,
                             void (*func) (gpointer data),
                             gpointer data);

/* Whether device addresses are estimated. The results of replays are then not guaranteed. */
gboolean vtr_replay_session_guesses_addresses (VtrReplaySession *self);

/* The status, as a sentence for the status bar: "Replay on llvmpipe". (transfer full) */
char *vtr_replay_session_dup_status (VtrReplaySession *self);
VtrReplayActivity vtr_replay_session_get_activity (VtrReplaySession *self);
/* Sets the status. @status: (transfer full). */
void vtr_replay_session_say (VtrReplaySession  *self,
                             VtrReplayActivity  activity,
                             char              *status);
/* The command at which the last failed replay failed; VTR_COMMAND_NO_INDEX: no replay failed at a command. */
guint64 vtr_replay_session_get_failed_command (VtrReplaySession *self);

/* --- On the worker --------------------------------------------------------------------------- */

/* Says in the status that cached results are shown, if nothing was replayed yet. */
void vtr_replay_session_say_cached (VtrReplaySession *self);

/* The devices that the session replays on; made at the first call. (transfer none) Errors: those of the backend and of
 * vtr_plan_new (). */
VtrPlan *vtr_replay_session_get_plan (VtrReplaySession  *self,
                                      GCancellable      *cancellable,
                                      GError           **error);
/* (nullable): it was not made yet. */
VtrPlan *vtr_replay_session_peek_plan (VtrReplaySession *self);
/* Whether the trace can replay on them; made at the first call. (transfer none) Errors: those of
 * vtr_replay_session_get_plan () and vtr_compatibility_new (). */
VtrCompatibility *vtr_replay_session_get_compatibility (VtrReplaySession  *self,
                                                        GCancellable      *cancellable,
                                                        GError           **error);
/* The key under which a result is kept on disk: @question about this trace, replayed on this device by these programs.
 * (transfer full) (nullable): nothing is kept. */
char *vtr_replay_session_get_key (VtrReplaySession *self,
                                  const char       *question,
                                  GCancellable     *cancellable);

/* Call after a replay that failed with *@failure. Returns: TRUE if the replay should be run once more with estimated
 * addresses, which the session uses from now on; *@failure is then cleared. */
gboolean vtr_replay_session_guess_addresses (VtrReplaySession  *self,
                                             GError           **failure);

/* --- Images that a request has read besides the one that it was asked for, by key. On the worker --- */

void vtr_replay_session_forget_images (VtrReplaySession *self);
/* @key, @image: (transfer full). */
void vtr_replay_session_keep_image (VtrReplaySession *self,
                                    char             *key,
                                    VtrImage         *image);
/* (transfer full) (nullable) */
VtrImage *vtr_replay_session_find_image (VtrReplaySession *self,
                                         const char       *key);

G_END_DECLS
