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

/* exit () in a driver ends the process, without the destructors of whoever called the driver: the
 * loader's would wait for itself. @on: from now on; FALSE before an orderly end. */
void vtr_crash_guard_exit (bool on);
