/* Notes on the status page how the replayer died, for the engine to report, and ends a replayer
 * that the engine has left.
 *
 * Threading: any. */
#pragma once

#include <stdbool.h>

#include "wire/vtr-replay-status.h"

/* From here on a fatal signal is noted on @status before it ends the process. */
void vtr_crash_install (VtrReplayStatus *status);

/* Ends the process soon after the other end of @socket is closed, whatever the driver is doing.
 * (PR_SET_PDEATHSIG would not do: it fires when the *thread* that forked ends, and that is one
 * of a pool.) */
void vtr_crash_follow (int socket);

/* Lets exit () in a driver end the process without the destructors of the driver's callers: those
 * of the loader would wait for themselves. @on: from now on; FALSE before an orderly end. */
void vtr_crash_guard_exit (bool on);
