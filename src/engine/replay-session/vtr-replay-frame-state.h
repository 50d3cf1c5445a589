/* The state that a document's replayer keeps: the trace up to a command has run, and each request
 * runs only what comes after and puts back what it changed. */
#pragma once

#include "engine/answers/vtr-path.h"
#include "engine/replay-session/vtr-replay-request.h"

G_BEGIN_DECLS

/**
 * VtrReplayFrameState:
 *
 * Threading: the document's replay worker.
 */
typedef struct
{
  guint64 first; /* commands before it have run */
  guint64 end;   /* requests that stop before it may start here: end of the frame */
  VtrReplayBuilder *builder;
  VtrTransformStart start;
  GArray *sets; /* VtrKeptSet */
} VtrReplayFrameState;

void vtr_replay_frame_state_free (VtrReplayFrameState *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrReplayFrameState, vtr_replay_frame_state_free)

/* A descriptor set that commands after the kept state write: its copy, to be copied back. */
typedef struct
{
  guint64 device, set, copy;
  GArray *bindings; /* VkCopyDescriptorSet, but for the sets */
} VtrKeptSet;

/* Where requests that stop at @stop should start, and up to which stop that holds. Returns: 0 when
 * there is nothing before. */
guint64 vtr_replay_frame_state_choose (VtrDocument *document,
                                       guint64      stop,
                                       guint64     *end);
/* Where the first submission of a frame that gives the GPU something to do was begun to be recorded:
 * before it, the first frame of a program makes things. VTR_COMMAND_NO_INDEX: nothing is submitted. */
guint64 vtr_replay_frame_state_find_work (VtrDocument *document,
                                          guint64      frame);

/* Emits copies of all descriptor sets that commands [self->first, self->end) write. Errors:
 * VTR_REPLAY_ERROR_UNSUPPORTED when one cannot be copied. */
gboolean vtr_replay_frame_state_copy_sets (VtrReplayFrameState  *self,
                                           VtrHistory           *history,
                                           VtrTransform         *chain,
                                           GError              **error);

/* Emits the way back. */
gboolean vtr_replay_frame_state_restore_sets (VtrReplayFrameState  *self,
                                              VtrTransform         *chain,
                                              GError              **error);

/* Gives @chain the recorded command @index, when commands before @now have run. Errors:
 * VTR_REPLAY_ERROR_UNSUPPORTED when a handle in it means something else by now. */
gboolean vtr_replay_frame_state_feed_one (VtrDocument   *document,
                                          guint64        index,
                                          guint64        now,
                                          VtrArena      *arena,
                                          VtrTransform  *chain,
                                          GError       **error);

/* Gives @chain the recordings that hold @address, as far as they were made before the kept state: a
 * cut copies them. Errors: VTR_REPLAY_ERROR_UNSUPPORTED when a handle in them means something else
 * by now. */
gboolean vtr_replay_frame_state_feed (VtrReplayFrameState      *self,
                                      VtrDocument              *document,
                                      const VtrCommandAddress  *address,
                                      VtrTransform             *chain,
                                      GError                  **error);

/* The same for all of @recordings (guint32), in the order of their first commands. */
gboolean vtr_replay_frame_state_feed_recordings (VtrReplayFrameState  *self,
                                                 VtrDocument          *document,
                                                 GArray               *recordings,
                                                 VtrTransform         *chain,
                                                 GError              **error);

G_END_DECLS
