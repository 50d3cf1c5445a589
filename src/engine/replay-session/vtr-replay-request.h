/* One request to a session's replayer. */
#pragma once

#include "engine/replay-session/vtr-replay-session.h"
#include "engine/replay-builder/vtr-transform.h"

G_BEGIN_DECLS

/**
 * VtrReplayRequest:
 *
 * What a replay is asked, and its state while it runs. Set .session, the callbacks and .data, and where they matter the
 * other fields up to .is_whole; leave the rest zero. Threading: the session's worker, which also makes the callbacks.
 */
typedef struct
{
  VtrReplaySession *session;
  const VtrPictureEdit *edit; /* (nullable): the trace is replayed as it is */
  guint64 end;                /* commands [0, .end) are driven through the chain */
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
  /* (nullable): guint32: recordings that the chain needs, also if they were recorded before the snapshot. Borrowed. */
  GArray *recordings;

  /* The snapshot to start from is made before command .keep_first, and serves all stops before .keep_end. 0: it is
   * chosen by the stop. */
  guint64 keep_first, keep_end;
  gboolean never_inside; /* the request must not start inside its submission */

  /* (out), for the code that makes the chain: the request starts inside its submission. Everything
   * before has run, so the chain must leave nothing out. */
  gboolean starts_inside;
  gboolean is_whole; /* (out): it ran from the beginning of the trace */

  /* private */
  VtrReplayBackend *backend;
  VtrReplayBuilder *builder;
  GCancellable *cancellable;   /* (nullable): of what runs now */
  gboolean is_making_snapshot; /* it runs up to the frame of .stop; the requested commands come
                                  after that */
  guint64 stop;                /* flat index of the command at which the request stops */
  guint64 mark[2];             /* what the last mark took: bytes, microseconds */
} VtrReplayRequest;

/* Drives the trace from its beginning through @chain into the replayer, and waits for the end. Starts the replayer if
 * need be. @chain: (transfer full): without the transforms that every replay needs. Errors: VTR_REPLAY_ERROR_DIED,
 * _VULKAN or _PAYLOAD, naming the command; else those of the transforms and the builder. */
gboolean vtr_replay_request_run (VtrReplayRequest  *request,
                                 VtrTransform      *chain,
                                 guint32            flags,
                                 VtrReplayOutcome  *outcome,
                                 GCancellable      *cancellable,
                                 GError           **error);

/* Whether work may be left out on which the answer does not depend. VITRINE_REPLAY_DEAD=1 (for tests) forbids it. */
gboolean vtr_replay_request_may_skip (const VtrReplayRequest *request);

/* Makes the chain of a request and sets *@end, which becomes VtrReplayRequest.end. @data: VtrReplayRequest.data.
 * (transfer full): NULL with @error. */
typedef VtrTransform *(*VtrReplayMakeChain) (gpointer       data,
                                             guint64       *end,
                                             GCancellable  *cancellable,
                                             GError       **error);

/**
 * vtr_replay_request_answer:
 * @address: where the chain cuts
 * @make: may be called twice
 *
 * Like vtr_replay_request_run (), but starts from a snapshot in the replayer if that is possible. The first request of a
 * frame runs the trace up to that frame and makes the snapshot. Each request then runs only the
 * commands after it, and undoes its changes. If something cannot be restored, the request runs from
 * the beginning of the trace.
 */
gboolean vtr_replay_request_answer (VtrReplayRequest    *request,
                                    const VtrPlace      *address,
                                    VtrReplayMakeChain   make,
                                    guint32              flags,
                                    VtrReplayOutcome    *outcome,
                                    GCancellable        *cancellable,
                                    GError             **error);

G_END_DECLS
