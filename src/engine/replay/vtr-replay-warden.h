/* Watches a replayer's use of memory, disk and threads.
 *
 * The kernel limits a process' private memory and the size of a file (src/sandbox/vtr-sandbox.h), but
 * not files in memory that no process maps, the size of a folder, or the number of threads. The
 * warden is a thread of the engine that looks at them every few dozen milliseconds and ends the
 * replayer when it uses too much. Files in memory are made by the warden itself: seccomp hands it
 * each memfd_create() of the replayer, so that it has a descriptor of each and can tell its size
 * after the replayer has closed it. It removes and renames files for the replayer as well
 * (vtr-replay-removals.h).
 *
 * Threading: any, one at a time. Source: seccomp_unotify(2). */
#pragma once

#include "engine/replay/vtr-replay-folder.h"

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct _VtrReplayWarden VtrReplayWarden;

/* @socket: taken; the replayer has the other end (VTR_REPLAY_WARDEN_FD), and sends the descriptor there
 * at which seccomp asks. @connection: the engine's end of the connection, borrowed until the end.
 * @folder: (nullable): the only one that the replayer may write to, borrowed until the end. */
VtrReplayWarden *vtr_replay_warden_new (GSubprocess     *process,
                                        int              socket,
                                        int              connection,
                                        VtrReplayFolder *folder);

/* Ends the watching. To be called before the connection is closed. */
void vtr_replay_warden_stop (VtrReplayWarden *self);

/* Once it has stopped: why it ended the replayer, as a part of a sentence: "it took more than …". NULL:
 * it did not. */
const char *vtr_replay_warden_get_reason (VtrReplayWarden *self);

/* Once the replayer has ended. Empties the folder if that was the reason. */
void vtr_replay_warden_free (VtrReplayWarden *self);

G_END_DECLS
