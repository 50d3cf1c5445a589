/* The requests that wait for a session's replay worker. They decide whether the snapshot that is being made is still
 * needed. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/**
 * VtrReplayWaiters:
 *
 * Requests start from a snapshot: a state that the replayer keeps. Making one takes longer than the requests. A
 * user who steps through a frame cancels one request for the next, and all of them need the same
 * snapshot. So making it continues when its request is cancelled, until another request waits that
 * does not need it.
 *
 * Threading: any, unless a function says otherwise.
 */
typedef struct _VtrReplayWaiters VtrReplayWaiters;

VtrReplayWaiters *vtr_replay_waiters_new (void);
void vtr_replay_waiters_free (VtrReplayWaiters *self);

/* Adds a request that stops at command @stop. VTR_COMMAND_NO_INDEX: it needs no snapshot. @priority: VtrPriority.
 * Returns: a number for vtr_replay_waiters_remove (), never 0. */
guint64 vtr_replay_waiters_add (VtrReplayWaiters *self,
                                guint64           stop,
                                int               priority);
/* Call when the request begins to run, or will not run. @waiter: 0 for none. A request that was removed already is
 * ignored. */
void vtr_replay_waiters_remove (VtrReplayWaiters *self,
                                guint64           waiter);
/* Cancels the snapshot that is being made, if its request was cancelled and the next waiting request does not need it.
 * Call after each add, without locks: handlers of cancellables run inside. */
void vtr_replay_waiters_end_unneeded (VtrReplayWaiters *self);
/* From now on, a snapshot whose request is cancelled is never finished. */
void vtr_replay_waiters_close (VtrReplayWaiters *self);

/* Call before a snapshot for stops in [@first, @end) is made. @cancellable: (nullable): of the request that it is made
 * for. Returns: (transfer full): what cancels the making. Threading: the replay worker. */
GCancellable *vtr_replay_waiters_begin (VtrReplayWaiters *self,
                                        guint64           first,
                                        guint64           end,
                                        GCancellable     *cancellable);
/* Call when the snapshot is made, or making it failed. Threading: the replay worker. */
void vtr_replay_waiters_end (VtrReplayWaiters *self);

G_END_DECLS
