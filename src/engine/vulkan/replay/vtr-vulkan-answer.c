/* Answers requests from snapshots in the replayer, and makes these snapshots. */
#include "engine/vulkan/replay/vtr-vulkan-requests.h"

#include "vtr-config.h"

#include <string.h>

#include "base/vtr-log.h"
#include "engine/replay-session/vtr-replay-request-private.h"
#include "engine/vulkan/replay/vtr-replay-frame-state.h"
#include "engine/vulkan/replay/vtr-replay-submission-state.h"
#include "engine/vulkan/transforms/vtr-transforms.h"

/* All images that commands from @first on may look at. */
static VtrTransform *
skip_dead_before (VtrReplayRequest  *request,
                  guint64            first,
                  GCancellable      *cancellable,
                  GError           **error)
{
  const VtrReplayBasis *basis = vtr_replay_session_get_basis (request->session);
  VtrDeadWork *work = vtr_vulkan_get_dead_work (request->session, cancellable, error);
  g_autoptr (GArray) ids = vtr_history_list (basis->history, VTR_HANDLE_VkImage);
  g_autoptr (GArray) images = g_array_new (FALSE, FALSE, sizeof (guint64));

  if (work == NULL)
    return NULL;
  for (guint i = 0; i < ids->len; i++)
    {
      const VtrObject *image =
        vtr_history_get_object (basis->history, g_array_index (ids, guint32, i));

      if (image->created < first && image->destroyed >= first)
        g_array_append_val (images, image->handle);
    }
  return vtr_transform_skip_dead_kept_new (work, basis->timeline, first - 1,
                                           (const guint64 *)(gpointer)images->data, images->len);
}

/* Runs commands [0, @first) and makes a snapshot that serves stops in [@first, @end). Returns:
 * FALSE with @error, or without one if no snapshot can be made here. */
static gboolean
make_snapshot (VtrReplayRequest  *request,
               guint64            first,
               guint64            end,
               GCancellable      *cancellable,
               GError           **error)
{
  const VtrReplayBasis *basis = vtr_replay_session_get_basis (request->session);
  VtrSessionReplayer *replayer = vtr_replay_request_get_replayer (request);
  g_autoptr (VtrReplayFrameState) frame_state = g_new0 (VtrReplayFrameState, 1);
  g_autoptr (GError) failure = NULL;
  VtrReplayOutcome outcome = { 0 };
  VtrTransform *chain = vtr_transform_gpu_writes_new (FALSE);
  gboolean driven;

  if (vtr_replay_request_may_skip (request))
    {
      VtrTransform *skip = skip_dead_before (request, first, cancellable, error);

      if (skip == NULL)
        {
          vtr_transform_free (chain);
          return FALSE;
        }
      chain = vtr_transform_chain (skip, chain, NULL);
    }
  vtr_session_replayer_drop_snapshots (replayer);
  frame_state->first = first;
  frame_state->end = end;
  request->end = first;
  frame_state->builder = request->builder =
    vtr_replay_request_make_builder (request, cancellable, error);
  if (frame_state->builder == NULL)
    {
      vtr_transform_free (chain);
      return FALSE;
    }
  request->is_making_snapshot = TRUE;
  vtr_replay_request_say_snapshot (request, 0);
  frame_state->start =
    (VtrTransformStart){ .trace = basis->trace, .history = basis->history, .index = first };
  chain = vtr_transform_chain (chain, vtr_transform_keeping_new (), NULL);
  frame_state->start.chain =
    vtr_replay_request_complete_chain (request, chain, frame_state->builder);
  if (vtr_replay_request_begin (request, 0, &failure))
    {
      driven = vtr_transform_drive (frame_state->start.chain, basis->trace, 0, first, NULL, NULL,
                                    cancellable, &failure) &&
               vtr_replay_frame_state_copy_sets (frame_state, basis->history,
                                                 frame_state->start.chain, &failure);
      if (driven)
        {
          vtr_replay_builder_save (frame_state->builder);
          driven = vtr_transform_end (frame_state->start.chain, &failure);
        }
      vtr_replay_request_finish (request, driven, &outcome, cancellable, &failure);
    }
  request->builder = NULL;
  request->is_making_snapshot = FALSE;
  if (failure != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&failure));
      return FALSE;
    }
  if (!outcome.kept)
    return FALSE;
  vtr_vulkan_kept (replayer)->frame_state = g_steal_pointer (&frame_state);
  g_debug ("Snapshot before command %" G_GUINT64_FORMAT ", for stops before %" G_GUINT64_FORMAT,
           first, end);
  return TRUE;
}

/* Runs what comes after the snapshot through @chain (transfer full). */
static gboolean
resume_snapshot (VtrReplayRequest  *request,
                 const VtrPlace    *address,
                 VtrTransform      *chain,
                 VtrReplayOutcome  *outcome,
                 GCancellable      *cancellable,
                 GError           **error)
{
  const VtrReplayBasis *basis = vtr_replay_session_get_basis (request->session);
  VtrSessionReplayer *replayer = vtr_replay_request_get_replayer (request);
  VtrReplayFrameState *frame_state = vtr_vulkan_kept (replayer)->frame_state;
  g_autoptr (VtrTransform) all = NULL;
  g_autoptr (GError) failure = NULL;
  VtrTransform *tail;
  gboolean driven;

  request->cancellable = cancellable;
  /* The replayer drops its part of this snapshot as well. */
  g_clear_pointer (&vtr_vulkan_kept (replayer)->submission_state, vtr_replay_submission_state_free);
  request->starts_inside = FALSE;
  request->builder =
    vtr_replay_builder_fork (frame_state->builder, vtr_replay_request_send, request);
  tail = vtr_replay_request_complete_chain (
    request, vtr_transform_resumed_new (basis->history, frame_state->first), request->builder);
  all = vtr_transform_chain (chain, tail, NULL);
  if (vtr_transform_resume (all, &frame_state->start, &failure) &&
      vtr_replay_request_begin (request, VTR_REPLAY_RESUME, &failure))
    {
      driven = vtr_replay_frame_state_restore_sets (frame_state, tail->next, &failure) &&
               vtr_replay_frame_state_feed (frame_state, basis, address, all, &failure) &&
               (request->recordings == NULL ||
                vtr_replay_frame_state_feed_recordings (frame_state, basis, request->recordings,
                                                        all, &failure)) &&
               vtr_transform_drive (all, basis->trace, frame_state->first, request->end, NULL, NULL,
                                    cancellable, &failure) &&
               vtr_transform_end (all, &failure);
      vtr_replay_request_finish (request, driven, outcome, cancellable, &failure);
    }
  g_clear_pointer (&request->builder, vtr_replay_builder_free);
  return vtr_replay_request_end_with (&failure, error);
}

static gboolean
is_refused (VtrSessionReplayer *replayer,
            guint64             first)
{
  return vtr_vulkan_kept (replayer)->refused_frames != NULL &&
         g_hash_table_contains (vtr_vulkan_kept (replayer)->refused_frames, &first);
}

static void
refuse (VtrSessionReplayer *replayer,
        guint64             first,
        const GError       *why)
{
  VtrVulkanKept *kept = vtr_vulkan_kept (replayer);

  if (kept->refused_frames == NULL)
    kept->refused_frames = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  g_hash_table_add (kept->refused_frames, g_memdup2 (&first, sizeof first));
  g_info ("No snapshot is made before command %" G_GUINT64_FORMAT ": %s", first,
          why != NULL ? why->message : "the device does not allow it");
}

/* Makes sure that there is a snapshot for a replay that stops at @stop, and sets *@first to the
 * command before which it was made. 0: none can be made. Returns: FALSE with @error when nothing
 * can be replayed. */
static gboolean
ensure_snapshot (VtrReplayRequest  *request,
                 guint64            stop,
                 guint64           *first,
                 GCancellable      *cancellable,
                 GError           **error)
{
  VtrSessionReplayer *replayer = vtr_replay_request_get_replayer (request);
  const VtrReplayFrameState *frame_state = vtr_vulkan_kept (replayer)->frame_state;
  VtrReplayWaiters *waiters = vtr_replay_session_get_waiters (request->session);
  VtrPlan *plan = vtr_replay_session_get_plan (request->session, cancellable, error);
  g_autoptr (GCancellable) making = NULL;
  g_autoptr (GError) why = NULL;
  gboolean made;
  guint64 end;

  if (plan == NULL)
    return FALSE;
  /* On another device, memory cannot be restored. */
  if (!vtr_plan_is_same (plan))
    {
      *first = 0;
      return TRUE;
    }
  if (frame_state != NULL && frame_state->first <= stop && stop < frame_state->end &&
      (request->keep_end == 0 ||
       (frame_state->first <= request->keep_first && frame_state->end >= request->keep_end)) &&
      replayer->backend->klass->is_kept (replayer->backend))
    {
      *first = frame_state->first;
      return TRUE;
    }
  *first =
    vtr_replay_frame_state_choose (vtr_replay_session_get_basis (request->session), stop, &end);
  if (request->keep_end != 0)
    {
      *first = request->keep_first;
      end = request->keep_end;
    }
  if (*first == 0 || is_refused (replayer, *first))
    {
      *first = 0;
      return TRUE;
    }
  making = vtr_replay_waiters_begin (waiters, *first, end, cancellable);
  request->cancellable = making;
  request->stop = stop;
  made = make_snapshot (request, *first, end, making, &why);
  vtr_replay_waiters_end (waiters);
  if (made)
    return !g_cancellable_set_error_if_cancelled (cancellable, error);
  if (g_error_matches (why, G_IO_ERROR, G_IO_ERROR_CANCELLED) ||
      g_error_matches (why, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_START) ||
      g_error_matches (why, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_DRIVER) ||
      g_error_matches (why, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_ADDRESS) ||
      g_error_matches (why, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_DIED))
    {
      vtr_replay_request_note_end (request, why);
      g_propagate_error (error, g_steal_pointer (&why));
      return FALSE;
    }
  refuse (replayer, *first, why);
  *first = 0;
  return TRUE;
}

static gboolean
may_be_split (guint32 flags)
{
  return flags == 0 && g_strcmp0 (g_getenv ("VITRINE_REPLAY_SPLIT"), "0") != 0;
}

/* Whether trying another way is of no use. */
static gboolean
is_final (const GError *error)
{
  return g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED) ||
         g_error_matches (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_DIED) ||
         g_error_matches (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_LOST);
}

/* Ends with @failure where another way is of no use. Returns: whether that is so. */
static gboolean
end_finally (VtrReplayRequest  *request,
             GError           **failure,
             GError           **error)
{
  if (!is_final (*failure))
    return FALSE;
  if (!g_error_matches (*failure, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_LOST))
    vtr_replay_request_note_end (request, *failure);
  g_propagate_error (error, g_steal_pointer (failure));
  return TRUE;
}

gboolean
vtr_vulkan_answer_request (VtrReplayRequest    *request,
                           const VtrPlace      *address,
                           VtrReplayMakeChain   make,
                           guint32              flags,
                           VtrReplayOutcome    *outcome,
                           GCancellable        *cancellable,
                           GError             **error)
{
  const VtrReplayBasis *basis = vtr_replay_session_get_basis (request->session);
  guint64 stop = vtr_timeline_get_stop (basis->timeline, address);
  g_autoptr (GError) why_not_inside = NULL;
  g_autoptr (GError) why = NULL;
  VtrSubmissionPlace place;
  guint64 first = 0;
  gboolean ok;

  if (may_be_split (flags) && !ensure_snapshot (request, stop, &first, cancellable, error))
    return FALSE;
  if (first > 0 && !request->never_inside &&
      vtr_replay_submission_state_find (request, address, &place))
    {
      ok = vtr_replay_submission_state_answer (request, &place, make, outcome, cancellable,
                                               &why_not_inside);
      if (ok)
        vtr_replay_request_note_end (request, NULL);
      if (ok || end_finally (request, &why_not_inside, error))
        return ok;
      /* What failed may have taken the snapshot with it. */
      if (!ensure_snapshot (request, stop, &first, cancellable, error))
        return FALSE;
    }
  ok = FALSE;
  if (first > 0)
    {
      VtrTransform *chain = make (request->data, &request->end, cancellable, error);

      if (chain == NULL)
        return FALSE;
      ok = resume_snapshot (request, address, chain, outcome, cancellable, &why);
      if (ok)
        vtr_replay_request_note_end (request, NULL);
      else if (end_finally (request, &why, error))
        return FALSE;
    }
  if (!ok && !vtr_replay_request_run_whole (request, make, flags, outcome, cancellable, error))
    return FALSE;
  /* A way that failed where another one worked is not tried again. */
  if (why != NULL && request->recordings == NULL)
    refuse (vtr_replay_request_get_replayer (request), first, why);
  if (why_not_inside != NULL)
    vtr_replay_submission_state_refuse (request, &place, why_not_inside);
  return TRUE;
}
