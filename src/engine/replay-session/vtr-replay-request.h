/* One replay on a document's replay worker. */
#pragma once

#include "engine/answers/vtr-path.h"
#include "engine/vulkan/transforms/vtr-dead-work.h"
#include "engine/vulkan/transforms/vtr-transform.h"

G_BEGIN_DECLS

/**
 * VtrReplayRequest:
 *
 * What a replay is asked. Fill .document, .end and the callbacks; the rest is its own.
 * Threading: the document's replay worker, which also makes the callbacks.
 */
typedef struct
{
  VtrDocument *document;
  guint64 end; /* commands that are driven through the chain */
  void (*posted) (guint64 post,
                  const guint8 *bytes,
                  gsize size,
                  gpointer data);
  void (*progress) (guint64 command,
                    guint64 total,
                    gpointer data);
  /* With VTR_REPLAY_VALIDATE. @objects: ids, of what the message is about. */
  void (*complained) (guint64 command,
                      const VtrReplayComplaint *complaint,
                      const guint32 *objects,
                      guint n_objects,
                      gpointer data);
  gpointer data;
  GArray *recordings; /* (nullable): of guint32: those of before a kept state that the chain needs; its
                         owner's */

  /* The state to start from, for all stops before .keep_end. 0: what suits the stop. */
  guint64 keep_first, keep_end;

  /* For whoever makes the chain: the request starts inside its submission, and everything before has
   * run; nothing is to be left out. */
  gboolean is_inner;
  gboolean no_inner; /* it does not start inside its submission */
  gboolean is_whole; /* (out): it ran from the beginning of the trace */

  /* private */
  VtrReplayBackend *backend;
  VtrReplayBuilder *builder;
  GCancellable *cancellable; /* (nullable): of what runs now */
  gboolean is_restart;       /* it runs up to the frame of .stop */
  guint64 stop;              /* flat index of what is asked for, where it runs */
  guint64 mark[2];           /* what the last mark took: bytes, microseconds */
} VtrReplayRequest;

/* Drives the trace through @chain (transfer full; without the transforms that every replay needs)
 * into the replayer and waits for the end. Starts the replayer if need be. A failure names the
 * command: VTR_REPLAY_ERROR_DIED, _VULKAN, _PAYLOAD; else the errors of the transforms and the
 * builder. */
gboolean vtr_replay_request_run (VtrReplayRequest  *request,
                                 VtrTransform      *chain,
                                 guint32            flags,
                                 VtrReplayOutcome  *outcome,
                                 GCancellable      *cancellable,
                                 GError           **error);

/* Whether work that the answer does not depend on may be left out. VITRINE_REPLAY_DEAD=1: it runs, for
 * tests. */
gboolean vtr_replay_request_may_skip (const VtrReplayRequest *request);

/* Which devices the document replays on; made at the first question. (transfer none) Errors: those
 * of the backend and vtr_replay_plan_new(). On the replay worker only. */
VtrReplayPlan *vtr_replay_session_get_plan (VtrDocument   *document,
                                            GCancellable  *cancellable,
                                            GError       **error);

/* Makes the chain of a request. *@end: as VtrReplayRequest.end. (transfer full) (nullable) */
typedef VtrTransform *(*VtrReplayMakeChain) (gpointer       data,
                                             guint64       *end,
                                             GCancellable  *cancellable,
                                             GError       **error);

/**
 * vtr_replay_request_answer:
 * @address: where the chain cuts
 * @make: gets request->data; may be called twice
 *
 * As vtr_replay_request_run(), but from a state that is kept in the replayer, where that can be:
 * first the trace runs up to the frame that @address runs in, then each request runs only what comes
 * after and puts back what it changed. What cannot be put back runs from the beginning of the trace
 * instead.
 */
gboolean vtr_replay_request_answer (VtrReplayRequest         *request,
                                    const VtrCommandAddress  *address,
                                    VtrReplayMakeChain        make,
                                    guint32                   flags,
                                    VtrReplayOutcome         *outcome,
                                    GCancellable             *cancellable,
                                    GError                  **error);

/* Whether the trace can replay on them; made at the first question. (transfer none) Errors and
 * thread as above. */
VtrCompatibility *vtr_replay_session_get_compatibility (VtrDocument   *document,
                                                        GCancellable  *cancellable,
                                                        GError       **error);

/* Which work an image does not depend on; made at the first question. (transfer none) On the replay
 * worker only. */
VtrDeadWork *vtr_replay_session_get_dead_work (VtrDocument   *document,
                                               GCancellable  *cancellable,
                                               GError       **error);

/* Images that the last framebuffer request read beside the one it was asked for, by key. On the
 * replay worker only. */
void vtr_replay_session_forget (VtrDocument *document);
/* Takes both. */
void vtr_replay_session_keep (VtrDocument *document,
                              char        *key,
                              VtrImage    *image);
/* (transfer full) (nullable) */
VtrImage *vtr_replay_session_take (VtrDocument *document,
                                   const char  *key);

G_END_DECLS
