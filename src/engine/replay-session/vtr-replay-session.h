/* What a document keeps of its replayer between requests. */
#pragma once

#include "engine/replay-session/vtr-replay-submission-state.h"
#include "engine/replay-session/vtr-replay-frame-state.h"
#include "engine/vulkan/transforms/vtr-uncertain-writes.h"
#include "engine/vulkan/transforms/vtr-query-plan.h"

G_BEGIN_DECLS

/**
 * VtrReplaySession:
 *
 * Threading: the document's replay worker, but for what says otherwise.
 */
typedef struct
{
  VtrReplayBackend *backend; /* made at the first request */
  VtrReplayPlan *plan;       /* likewise */
  char *identity;            /* of trace, device and programs; NULL until first needed */
  VtrCompatibility *compatibility;
  guint n_deaths;
  GHashTable *kept; /* key → VtrImage */
  VtrDeadWork *dead_work;
  VtrQueryPlan *queries;           /* made at the first request */
  VtrUncertainWrites *doubts;      /* likewise */
  VtrReplayFrameState *kept_state; /* (nullable) */
  VtrReplaySubmissionState *inner; /* (nullable): on top of it */
  GHashTable *refused;             /* where no state can be kept, or resumed; a set of guint64 */
  GHashTable *refused_inner;       /* likewise, submissions */
  char *words;                     /* for the status bar; guarded by the document's replay_lock */
  VtrReplayActivity activity;      /* as .words */
  char *rest_words;                /* what was said before the replay that is running; as .words */
  VtrReplayActivity rest_activity;
  gboolean has_failed;    /* guarded by replay_lock, as is failed_command */
  guint64 failed_command; /* what the last failure blames */
  gboolean is_guessing;   /* guarded by replay_lock: addresses are guessed */
  char *edit_key;         /* of edited streams: which edit .kept_state has */
} VtrReplaySession;

/* That of the request that runs: edited streams have a replayer and a kept state of their own, so
 * that nothing of them gets into the others'. What does not depend on the stream (plan, identity,
 * dead work, images read along) is the main one's. */
VtrReplaySession *vtr_replay_session_get (VtrDocument *document);
VtrReplaySession *vtr_replay_session_get_main (VtrDocument *document);

/* (transfer none) */
VtrReplayBackend *vtr_replay_session_get_backend (VtrDocument      *document,
                                                  VtrReplaySession *session);

/* A replay elsewhere that cannot work does not begin. Errors: VTR_REPLAY_ERROR_DRIVER with the
 * first reason; those of vtr_replay_session_get_compatibility(). */
gboolean vtr_replay_session_check (VtrDocument   *document,
                                   GCancellable  *cancellable,
                                   GError       **error);

/* The key by which a result is kept on disk: @question about this trace, replayed on this device by
 * these programs. (transfer full) (nullable): nothing is kept. */
char *vtr_replay_session_get_key (VtrDocument  *document,
                                  const char   *question,
                                  GCancellable *cancellable);

/* A picture was found on disk: that is all there is to say while nothing was replayed. */
void vtr_replay_session_say_cached (VtrDocument *document);
/* Takes @words. Any thread. */
void vtr_replay_session_say (VtrDocument       *document,
                             VtrReplayActivity  activity,
                             char              *words);

/* Says again what was said before the replay that was running: it was not asked for something that
 * it could have answered. Any thread. */
void vtr_replay_session_say_rest (VtrDocument *document);
void vtr_replay_session_note_failure (VtrDocument *document,
                                      guint64      command);

/* Makes .queries and .doubts, if nobody has. */
gboolean vtr_replay_session_find_facts (VtrDocument   *document,
                                        GCancellable  *cancellable,
                                        GError       **error);

/* After a replay that failed with @failure: whether to run it once more, with addresses that are
 * guessed from now on; clears @failure then. */
gboolean vtr_replay_session_guess_addresses (VtrDocument  *document,
                                             GError      **failure);

/* Forgets what is kept. */
void vtr_replay_session_drop_kept (VtrReplaySession *session);

G_END_DECLS
