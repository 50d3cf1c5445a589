/* Questions that a session answers by a replay, other than pictures. All block: they run on the session's worker, or
 * wait for it. Threading: any. */
#pragma once

#include "engine/replay-session/vtr-replay-session.h"
#include "engine/replay-session/vtr-uncertain-writes.h"
#include "engine/state/vtr-place.h"

G_BEGIN_DECLS

/* Bytes [@offset, @offset + @size) of object @object, an id of a buffer or of device memory, after the command at
 * @place. .run: of the command list that holds the command; VTR_NO_RUN: its first. @edit: (nullable). Returns:
 * (transfer full). Errors: VTR_RESOLVE_ERROR_NOTHING with the reason, those of a replay. */
GBytes *vtr_replay_session_read_object (VtrReplaySession      *self,
                                        const VtrPlace        *place,
                                        guint32                object,
                                        guint64                offset,
                                        guint64                size,
                                        const VtrPictureEdit  *edit,
                                        GCancellable          *cancellable,
                                        GError               **error);

/* A replay of the whole trace, or up to @to, inclusive. For every present @frame is called with the presented image,
 * on the worker. */
typedef struct
{
  guint64 to; /* VTR_COMMAND_NO_INDEX: all */
  gboolean poison;
  gboolean images; /* read back presented images */
  void (*frame) (guint64 frame, VtrImage *image, gpointer data);
  void (*progress) (guint64 command, guint64 total, gpointer data);
  gpointer data;
  const VtrPictureEdit *edit;  /* (nullable): as the trace has it */
  const guint64 *read_objects; /* handles of buffers or device memory, to read at the end */
  guint n_read_objects;
  GBytes **read_results; /* (out) one each */
} VtrReplayAllOptions;

/* @outcome: (out) (nullable). Errors: those of a replay. */
gboolean vtr_replay_session_replay_all (VtrReplaySession           *self,
                                        const VtrReplayAllOptions  *options,
                                        VtrReplayOutcome           *outcome,
                                        GCancellable               *cancellable,
                                        GError                    **error);

/* Whether the trace can replay on its device, found without running it. @plan: (out) (nullable) (transfer full).
 * Returns: (transfer full). Errors: VTR_REPLAY_ERROR_START, _DRIVER; those of the trace. */
VtrCompatibility *vtr_replay_session_find_compatibility (VtrReplaySession  *self,
                                                         VtrPlan          **plan,
                                                         GCancellable      *cancellable,
                                                         GError           **error);

/* What of the memory that the program maps may be the GPU's; (transfer none): lives as long as the session; NULL without an error:
 * no API of the trace says. Errors: those of the trace. */
const VtrUncertainWrites *vtr_replay_session_find_uncertain_writes (VtrReplaySession  *self,
                                                                    GCancellable      *cancellable,
                                                                    GError           **error);

G_END_DECLS
