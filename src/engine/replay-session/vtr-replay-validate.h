/* Replays a trace under the validation layer: which rules of Vulkan the program broke, and in
 * which command. */
#pragma once

#include "engine/replay-session/vtr-replay-session.h"

G_BEGIN_DECLS

typedef struct
{
  gboolean error; /* else a warning */
  guint64 index;  /* flat index of the command, or of the submission that ran it */
  char *rule;     /* "VUID-vkCmdDraw-None-02700" */
  char *text;
  GArray *objects; /* ids (guint32) of what it is about, as far as known */
} VtrValidationMessage;

/* The violations of the Vulkan specification in a trace, in the order of the trace; equal sentences
 * about one command come once. Blocks. @progress: commands done, of how many; on the replay worker.
 * Returns: (transfer full): a GPtrArray of VtrValidationMessage. Errors: those of a replay;
 * UNSUPPORTED, when the layer is not installed. */
GPtrArray *vtr_replay_session_validate (VtrReplaySession  *self,
                                        VtrTraceProgress   progress,
                                        gpointer           progress_data,
                                        GCancellable      *cancellable,
                                        GError           **error);

G_END_DECLS
