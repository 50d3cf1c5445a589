/* Questions other than pictures that a session answers by a replay. All functions block: they run on the session's worker
 * and wait for it. Threading: any. */
#pragma once

#include "engine/replay-session/vtr-replay-session.h"
#include "engine/replay-session/vtr-uncertain-writes.h"
#include "engine/state/vtr-place.h"
#include "engine/state/vtr-state-message.h"

G_BEGIN_DECLS

/* Reads bytes [@offset, @offset + @size) of @object after the command at @place. @object: the id of a buffer or of device
 * memory. @place: its .run is a run of the command list that contains the command; VTR_NO_RUN: the first. @edit:
 * (nullable). Returns: (transfer full). Errors: VTR_RESOLVE_ERROR_NOTHING with the reason, those of a replay. */
GBytes *vtr_replay_session_read_object (VtrReplaySession      *self,
                                        const VtrPlace        *place,
                                        guint32                object,
                                        guint64                offset,
                                        guint64                size,
                                        const VtrPictureEdit  *edit,
                                        GCancellable          *cancellable,
                                        GError               **error);

/* Options for a replay of the whole trace. */
typedef struct
{
  guint64 to;      /* the last command to run; VTR_COMMAND_NO_INDEX: the whole trace */
  gboolean poison; /* as for vtr_replay_session_set_poison () */
  gboolean images; /* read the presented images back */
  /* (nullable): called on the worker with each image that is read back. */
  void (*frame) (guint64 frame, VtrImage *image, gpointer data);
  void (*progress) (guint64 command, guint64 total, gpointer data);
  gpointer data;
  const VtrPictureEdit *edit;  /* (nullable): NULL for the unedited trace */
  const guint64 *read_objects; /* handles of buffers or device memory, to read at the end */
  guint n_read_objects;
  GBytes **read_results; /* (out): one for each of .read_objects */
} VtrReplayAllOptions;

/* Runs the trace up to .to. @outcome: (out) (nullable). Errors: those of a replay. */
gboolean vtr_replay_session_replay_all (VtrReplaySession           *self,
                                        const VtrReplayAllOptions  *options,
                                        VtrReplayOutcome           *outcome,
                                        GCancellable               *cancellable,
                                        GError                    **error);

/* Finds out whether the trace can replay on the session's device, without running it. @plan: (out) (nullable) (transfer
 * full). Returns: (transfer full). Errors: VTR_REPLAY_ERROR_START, _DRIVER; those of the trace. */
VtrCompatibility *vtr_replay_session_find_compatibility (VtrReplaySession  *self,
                                                         VtrPlan          **plan,
                                                         GCancellable      *cancellable,
                                                         GError           **error);

/* The recorded writes that may have been made by the GPU. Returns: (transfer none): valid as long as the session; NULL
 * without an error if no API of the trace can tell. Errors: those of the trace. */
const VtrUncertainWrites *vtr_replay_session_find_uncertain_writes (VtrReplaySession  *self,
                                                                    GCancellable      *cancellable,
                                                                    GError           **error);

/* What a replay does not repeat as captured, known without one: of VtrStateMessage (transfer full), with .check NULL.
 * Errors: those of the trace, G_IO_ERROR_CANCELLED. */
GArray *vtr_replay_session_find_unrepeatable (VtrReplaySession  *self,
                                              GCancellable      *cancellable,
                                              GError           **error);

/* A sentence about protections against drivers and traces that replays here lack. (transfer full) (nullable): they lack
 * none. Does not block. */
char *vtr_replay_session_explain_protection (void);

G_END_DECLS
