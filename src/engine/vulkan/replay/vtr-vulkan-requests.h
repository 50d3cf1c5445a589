/* Vulkan's answers to requests (engine/replay-session/vtr-request-api.h), and what its replays keep. Threading: the
 * session's worker. */
#pragma once

#include "engine/replay-session/vtr-replay-session-private.h"
#include "engine/replay-session/vtr-request-api.h"
#include "engine/vulkan/replay-builder/vtr-vulkan-builder.h"
#include "engine/vulkan/state/vtr-state.h"
#include "engine/vulkan/transforms/vtr-dead-work.h"
#include "engine/vulkan/transforms/vtr-query-plan.h"
#include "engine/replay-session/vtr-uncertain-writes.h"

G_BEGIN_DECLS

extern const VtrRequestApi vtr_vulkan_requests;

/* What a replayer keeps for Vulkan. */
typedef struct
{
  struct _VtrReplayFrameState *frame_state;           /* (nullable): the snapshot before a frame */
  struct _VtrReplaySubmissionState *submission_state; /* (nullable): the snapshot inside of a submission, on top of it */
  GHashTable *refused_frames;                         /* (nullable): set of guint64: commands before which no snapshot works */
  GHashTable *refused_submissions;                    /* (nullable): set of guint64: submissions in which none works */
} VtrVulkanKept;

VtrVulkanKept *vtr_vulkan_kept (VtrSessionReplayer *replayer);

/* What was found in the trace; made at the first call. (transfer none) Errors: those of the trace. */
VtrDeadWork *vtr_vulkan_get_dead_work (VtrReplaySession  *session,
                                       GCancellable      *cancellable,
                                       GError           **error);
const VtrQueryPlan *vtr_vulkan_get_queries (VtrReplaySession  *session,
                                            GCancellable      *cancellable,
                                            GError           **error);

/* The members of VtrRequestApi. */
gboolean vtr_vulkan_find_place (VtrHistory            *history,
                                guint32                object,
                                guint32                stage,
                                VtrShaderReplacement  *out,
                                GError               **error);
VtrTransform *vtr_vulkan_chain (VtrReplayQuestion  *question,
                                guint64            *end,
                                GCancellable       *cancellable,
                                GError            **error);
gboolean vtr_vulkan_check_space (const VtrReplayQuestion  *question,
                                 GError                  **error);
VtrImage *vtr_vulkan_count_draws (VtrReplaySession  *session,
                                  const VtrPicture  *picture,
                                  const char        *question,
                                  GCancellable      *cancellable,
                                  GError           **error);
gboolean vtr_vulkan_answer_request (VtrReplayRequest    *request,
                                    const VtrPlace      *address,
                                    VtrReplayMakeChain   make,
                                    guint32              flags,
                                    VtrReplayOutcome    *outcome,
                                    GCancellable        *cancellable,
                                    GError             **error);
VtrTimings *vtr_vulkan_measure (VtrReplaySession       *self,
                                const VtrTimingsQuery  *asked,
                                VtrTimingsProgress      progress,
                                gpointer                data,
                                GCancellable           *cancellable,
                                GError                **error);

G_END_DECLS
