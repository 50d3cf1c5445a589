/* The replayer as a child process: its path, its start, and the report of its end.
 *
 * Threading: one at a time. */
#pragma once

#include "engine/replay/vtr-replay-output.h"
#include "engine/replay/vtr-replay-warden.h"
#include "wire/vtr-replay-status.h"

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct
{
  GSubprocess *process;           /* NULL: not running */
  int socket;                     /* -1: not running */
  VtrReplayStatus *status;        /* shared with the child; kept after its end */
  VtrReplayOutput *output;        /* prints its output; NULL: not running */
  VtrReplayWarden *warden;        /* watches its use of memory and disk; NULL: not running */
  VtrReplayFolder *folder;        /* that it writes to; NULL: not running, or none */
  const char *trace;              /* version of the file it replays, not owned; NULL: none */
  const char *const *environment; /* "NAME=value" besides ours, not owned; NULL: any child will do */
} VtrReplayChild;

#define VTR_REPLAY_CHILD_INIT \
  { \
    NULL, -1, NULL, NULL, NULL, NULL, NULL, NULL \
  }

/* Path of the program: VITRINE_REPLAYER, else the installed one, else the one of the build tree
 * this program runs from. Returns: (transfer full) (nullable) */
char *vtr_replay_child_find (void);

/* Takes the child that vtr_replay_process_prepare() started for the same trace, or starts one. Errors:
 * VTR_REPLAY_ERROR_START. */
gboolean vtr_replay_child_start (VtrReplayChild  *self,
                                 GError         **error);

/* Lets the child go, or makes it: closes the connection and, after a second, kills it. */
void vtr_replay_child_stop (VtrReplayChild *self);

/* After the connection broke: waits for the child's end (kills it if need be) and closes.
 * Returns: VTR_REPLAY_ERROR_DIED with a sentence that says inside what it ended. (transfer full) */
GError *vtr_replay_child_explain (VtrReplayChild *self);

/* The child's current work, for a sentence: "running vkCmdDraw". (transfer full) */
char *vtr_replay_child_describe (const VtrReplayChild *self);

/* A name for the function of a CALL. Returns: (transfer none) (nullable) */
const char *vtr_replay_function_name (guint32 function);

G_END_DECLS
