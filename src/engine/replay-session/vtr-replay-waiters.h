/* What waits for a document's replay worker, and whether it needs what is being made. */
#pragma once

#include "engine/document/vtr-document.h"

G_BEGIN_DECLS

/**
 * VtrReplayWaiters:
 *
 * Making the state that requests start from takes longer than the requests. Whoever travels through
 * a frame gives up one request for the next, and all of them want the same state: making it goes
 * on when its request is cancelled, until something else waits that does not need it. Threading: any,
 * but for what says otherwise.
 */
typedef struct _VtrReplayWishes VtrReplayWaiters;

VtrReplayWaiters *vtr_replay_waiters_new (void);
void vtr_replay_waiters_free (VtrReplayWaiters *self);

/* A request waits that stops at command @stop (VTR_COMMAND_NO_INDEX: it needs no state). Returns: a
 * number to take the wish back by. */
guint64 vtr_replay_waiters_add (VtrReplayWaiters *self,
                                guint64           stop,
                                int               priority);
/* It runs, or will not. 0: none. */
void vtr_replay_waiters_remove (VtrReplayWaiters *self,
                                guint64           wish);
/* Ends what a cancelled request began and nobody wants. After an add, without locks: handlers of
 * cancellables run in it. */
void vtr_replay_waiters_end_unneeded (VtrReplayWaiters *self);
/* From now on nothing is made of which the request is cancelled. */
void vtr_replay_waiters_close (VtrReplayWaiters *self);

/* On the replay worker: a state for stops in [@first, @end) is made for a request that @cancellable
 * (nullable) cancels. Returns: (transfer full): what cancels the making. */
GCancellable *vtr_replay_waiters_begin (VtrReplayWaiters *self,
                                        guint64           first,
                                        guint64           end,
                                        GCancellable     *cancellable);
/* It is made, or is not. */
void vtr_replay_waiters_end (VtrReplayWaiters *self);

G_END_DECLS
