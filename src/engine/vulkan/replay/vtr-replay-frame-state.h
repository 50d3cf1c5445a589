/* The snapshot that a session's replayer keeps before a frame: the trace up to a command has run. Each
 * request runs only the commands after it, and undoes its changes. */
#pragma once

#include "engine/replay-session/vtr-replay-request.h"

G_BEGIN_DECLS

/**
 * VtrReplayFrameState:
 *
 * Threading: the session's worker.
 */
typedef struct _VtrReplayFrameState
{
  guint64 first; /* commands before it have run */
  guint64 end;   /* requests that stop before it may start here: the end of the frame */
  VtrReplayBuilder *builder;
  VtrTransformStart start;
  GArray *sets; /* VtrSavedSet */
} VtrReplayFrameState;

void vtr_replay_frame_state_free (VtrReplayFrameState *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrReplayFrameState, vtr_replay_frame_state_free)

/* A descriptor set that commands after the snapshot write, and the copy that it is restored from. */
typedef struct
{
  guint64 device, set, copy;
  GArray *bindings; /* VkCopyDescriptorSet without the sets */
} VtrSavedSet;

/* Where to make the snapshot for requests that stop at @stop. *@end: requests that stop before it can use it, too.
 * Returns: the command before which to make it; 0: there are no commands before. */
guint64 vtr_replay_frame_state_choose (const VtrReplayBasis *basis,
                                       guint64               stop,
                                       guint64              *end);
/* Where the recording of the first submission of @frame that has command buffers begins. In the first frame of a program,
 * the commands before it create objects. VTR_COMMAND_NO_INDEX: nothing is submitted. */
guint64 vtr_replay_frame_state_find_work (const VtrReplayBasis *basis,
                                          guint64               frame);

/* Emits copies of all descriptor sets that commands [self->first, self->end) write. Errors:
 * VTR_REPLAY_ERROR_UNSUPPORTED when one cannot be copied. */
gboolean vtr_replay_frame_state_copy_sets (VtrReplayFrameState  *self,
                                           VtrHistory           *history,
                                           VtrTransform         *chain,
                                           GError              **error);

/* Emits copies back into these sets. */
gboolean vtr_replay_frame_state_restore_sets (VtrReplayFrameState  *self,
                                              VtrTransform         *chain,
                                              GError              **error);

/* Gives @chain the recorded command @index, when commands before @now have run. Errors: VTR_REPLAY_ERROR_UNSUPPORTED, if
 * a handle in it means another object by then. */
gboolean vtr_replay_frame_state_feed_one (const VtrReplayBasis  *basis,
                                          guint64                index,
                                          guint64                now,
                                          VtrArena              *arena,
                                          VtrTransform          *chain,
                                          GError               **error);

/* Gives @chain those commands of the recordings that hold @address that were recorded before the snapshot, because a cut
 * copies them. Errors: those of vtr_replay_frame_state_feed_one (). */
gboolean vtr_replay_frame_state_feed (VtrReplayFrameState   *self,
                                      const VtrReplayBasis  *basis,
                                      const VtrPlace        *address,
                                      VtrTransform          *chain,
                                      GError               **error);

/* Like vtr_replay_frame_state_feed (), for all of @recordings (guint32), in the order of their first commands. */
gboolean vtr_replay_frame_state_feed_recordings (VtrReplayFrameState   *self,
                                                 const VtrReplayBasis  *basis,
                                                 GArray                *recordings,
                                                 VtrTransform          *chain,
                                                 GError               **error);

G_END_DECLS
