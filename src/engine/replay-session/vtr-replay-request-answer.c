/* Answering a request: from a state that is kept in the replayer where that can be, else from the
 * beginning of the trace. */
#include "engine/replay-session/vtr-replay-request.h"

#include "vtr-config.h"

#include <string.h>

#include "base/vtr-log.h"
#include "engine/document/vtr-document-private.h"
#include "engine/replay-session/vtr-replay-request-private.h"
#include "engine/replay-session/vtr-replay-session.h"
#include "engine/vulkan/transforms/vtr-transforms.h"

#define MOST_ATTEMPTS 3 /* at one request, when replayers die between two of its parts */

/* All images that commands from @first on may look at. */
static VtrTransform *
skip_dead_before (VtrReplayRequest  *request,
                  guint64            first,
                  GCancellable      *cancellable,
                  GError           **error)
{
  VtrDocument *self = request->document;
  VtrDeadWork *work = vtr_replay_session_get_dead_work (self, cancellable, error);
  g_autoptr (GArray) ids = vtr_history_list (self->history, VTR_HANDLE_VkImage);
  g_autoptr (GArray) images = g_array_new (FALSE, FALSE, sizeof (guint64));

  if (work == NULL)
    return NULL;
  for (guint i = 0; i < ids->len; i++)
    {
      const VtrObject *image =
        vtr_history_get_object (self->history, g_array_index (ids, guint32, i));

      if (image->created < first && image->destroyed >= first)
        g_array_append_val (images, image->handle);
    }
  return vtr_transform_skip_dead_kept_new (work, self->timeline, first - 1,
                                           (const guint64 *)(gpointer)images->data, images->len);
}

/* Runs commands [0, @first) and keeps what is then. Returns: FALSE with @error, or without where no
 * state can be kept. */
static gboolean
keep_state (VtrReplayRequest  *request,
            guint64            first,
            guint64            end,
            GCancellable      *cancellable,
            GError           **error)
{
  VtrDocument *self = request->document;
  VtrReplaySession *session = vtr_replay_session_get (self);
  g_autoptr (VtrReplayFrameState) kept = g_new0 (VtrReplayFrameState, 1);
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
  vtr_replay_session_drop_kept (session);
  kept->first = first;
  kept->end = end;
  request->end = first;
  kept->builder = request->builder = vtr_replay_request_make_builder (request, cancellable, error);
  if (kept->builder == NULL)
    {
      vtr_transform_free (chain);
      return FALSE;
    }
  request->is_restart = TRUE;
  vtr_replay_request_say_kept (request, 0);
  kept->start =
    (VtrTransformStart){ .trace = self->trace, .history = self->history, .index = first };
  chain = vtr_transform_chain (chain, vtr_transform_keeping_new (), NULL);
  kept->start.chain = vtr_replay_request_complete_chain (request, chain, kept->builder);
  if (vtr_replay_request_begin (request, 0, &failure))
    {
      driven = vtr_transform_drive (kept->start.chain, self->trace, 0, first, NULL, NULL,
                                    cancellable, &failure) &&
               vtr_replay_frame_state_copy_sets (kept, self->history, kept->start.chain, &failure);
      if (driven)
        {
          vtr_replay_builder_save (kept->builder);
          driven = vtr_transform_end (kept->start.chain, &failure);
        }
      vtr_replay_request_finish (request, driven, &outcome, cancellable, &failure);
    }
  request->builder = NULL;
  request->is_restart = FALSE;
  if (failure != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&failure));
      return FALSE;
    }
  if (!outcome.kept)
    return FALSE;
  session->kept_state = g_steal_pointer (&kept);
  g_debug ("State kept at command %" G_GUINT64_FORMAT ", for stops before %" G_GUINT64_FORMAT,
           first, end);
  return TRUE;
}

/* Runs what comes after the kept state through @chain (transfer full). */
static gboolean
resume_state (VtrReplayRequest         *request,
              const VtrCommandAddress  *address,
              VtrTransform             *chain,
              VtrReplayOutcome         *outcome,
              GCancellable             *cancellable,
              GError                  **error)
{
  VtrDocument *self = request->document;
  VtrReplayFrameState *kept = vtr_replay_session_get (self)->kept_state;
  g_autoptr (VtrTransform) all = NULL;
  g_autoptr (GError) failure = NULL;
  VtrTransform *tail;
  gboolean driven;

  request->cancellable = cancellable;
  /* The replayer gives it up, too. */
  g_clear_pointer (&vtr_replay_session_get (self)->inner, vtr_replay_submission_state_free);
  request->is_inner = FALSE;
  request->builder = vtr_replay_builder_fork (kept->builder, vtr_replay_request_send, request);
  tail = vtr_replay_request_complete_chain (request,
                                            vtr_transform_resumed_new (self->history, kept->first),
                                            request->builder);
  all = vtr_transform_chain (chain, tail, NULL);
  if (vtr_transform_resume (all, &kept->start, &failure) &&
      vtr_replay_request_begin (request, VTR_REPLAY_RESUME, &failure))
    {
      driven = vtr_replay_frame_state_restore_sets (kept, tail->next, &failure) &&
               vtr_replay_frame_state_feed (kept, self, address, all, &failure) &&
               (request->recordings == NULL ||
                vtr_replay_frame_state_feed_recordings (kept, self, request->recordings, all,
                                                        &failure)) &&
               vtr_transform_drive (all, self->trace, kept->first, request->end, NULL, NULL,
                                    cancellable, &failure) &&
               vtr_transform_end (all, &failure);
      vtr_replay_request_finish (request, driven, outcome, cancellable, &failure);
    }
  g_clear_pointer (&request->builder, vtr_replay_builder_free);
  return vtr_replay_request_end_with (&failure, error);
}

static gboolean
is_refused (VtrReplaySession *session,
            guint64           first)
{
  return session->refused != NULL && g_hash_table_contains (session->refused, &first);
}

static void
refuse (VtrReplaySession *session,
        guint64           first,
        const GError     *why)
{
  if (session->refused == NULL)
    session->refused = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  g_hash_table_add (session->refused, g_memdup2 (&first, sizeof first));
  g_info ("No state is kept at command %" G_GUINT64_FORMAT ": %s", first,
          why != NULL ? why->message : "the device does not allow it");
}

/* Makes sure that a state is kept from which a replay can go on that stops at @stop. Returns: FALSE
 * with @error when nothing can be replayed; else *@first is 0 where it cannot be kept. */
static gboolean
ensure_kept (VtrReplayRequest  *request,
             guint64            stop,
             guint64           *first,
             GCancellable      *cancellable,
             GError           **error)
{
  VtrReplaySession *session = vtr_replay_session_get (request->document);
  const VtrReplayFrameState *kept = session->kept_state;
  VtrReplayPlan *plan = vtr_replay_session_get_plan (request->document, cancellable, error);
  g_autoptr (GCancellable) making = NULL;
  g_autoptr (GError) why = NULL;
  gboolean made;
  guint64 end;

  if (plan == NULL)
    return FALSE;
  /* Memory of another device is no state that can be kept. */
  if (!vtr_replay_plan_is_same (plan))
    {
      *first = 0;
      return TRUE;
    }
  if (kept != NULL && kept->first <= stop && stop < kept->end &&
      (request->keep_end == 0 ||
       (kept->first <= request->keep_first && kept->end >= request->keep_end)) &&
      session->backend->klass->is_kept (session->backend))
    {
      *first = kept->first;
      return TRUE;
    }
  *first = vtr_replay_frame_state_choose (request->document, stop, &end);
  if (request->keep_end != 0)
    {
      *first = request->keep_first;
      end = request->keep_end;
    }
  if (*first == 0 || is_refused (session, *first))
    {
      *first = 0;
      return TRUE;
    }
  making = vtr_replay_waiters_begin (request->document->wishes, *first, end, cancellable);
  request->cancellable = making;
  request->stop = stop;
  made = keep_state (request, *first, end, making, &why);
  vtr_replay_waiters_end (request->document->wishes);
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
  refuse (session, *first, why);
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

static gboolean
run_whole (VtrReplayRequest    *request,
           VtrReplayMakeChain   make,
           guint32              flags,
           VtrReplayOutcome    *outcome,
           GCancellable        *cancellable,
           GError             **error)
{
  VtrTransform *chain = make (request->data, &request->end, cancellable, error);

  request->is_whole = TRUE;
  return chain != NULL &&
         vtr_replay_request_run (request, chain, flags, outcome, cancellable, error);
}

static gboolean
answer (VtrReplayRequest         *request,
        const VtrCommandAddress  *address,
        VtrReplayMakeChain        make,
        guint32                   flags,
        VtrReplayOutcome         *outcome,
        GCancellable             *cancellable,
        GError                  **error)
{
  VtrDocument *self = request->document;
  guint64 stop = vtr_timeline_get_stop (self->timeline, address);
  g_autoptr (GError) why_not_inner = NULL;
  g_autoptr (GError) why = NULL;
  VtrReplayPlace place;
  guint64 first = 0;
  gboolean ok;

  memset (outcome, 0, sizeof *outcome);
  request->is_inner = FALSE;
  request->is_whole = FALSE;
  if (may_be_split (flags) && !ensure_kept (request, stop, &first, cancellable, error))
    return FALSE;
  if (first > 0 && !request->no_inner && vtr_replay_submission_state_find (self, address, &place))
    {
      ok = vtr_replay_submission_state_answer (request, &place, make, outcome, cancellable,
                                               &why_not_inner);
      if (ok)
        vtr_replay_request_note_end (request, NULL);
      if (ok || end_finally (request, &why_not_inner, error))
        return ok;
      /* The state may be gone with what failed. */
      if (!ensure_kept (request, stop, &first, cancellable, error))
        return FALSE;
    }
  ok = FALSE;
  if (first > 0)
    {
      VtrTransform *chain = make (request->data, &request->end, cancellable, error);

      if (chain == NULL)
        return FALSE;
      ok = resume_state (request, address, chain, outcome, cancellable, &why);
      if (ok)
        vtr_replay_request_note_end (request, NULL);
      else if (end_finally (request, &why, error))
        return FALSE;
    }
  if (!ok && !run_whole (request, make, flags, outcome, cancellable, error))
    return FALSE;
  /* What works another way only is not tried again. */
  if (why != NULL && request->recordings == NULL)
    refuse (vtr_replay_session_get (self), first, why);
  if (why_not_inner != NULL)
    vtr_replay_submission_state_refuse (self, &place, why_not_inner);
  return TRUE;
}

/* A replayer that dies while nobody waits for it may be found dead as late as when a request is to
 * go on from its state: a process being killed holds its socket for a while. That is nobody's
 * fault, and a new one makes the state again. */
static gboolean
answer_with_new_state (VtrReplayRequest         *request,
                       const VtrCommandAddress  *address,
                       VtrReplayMakeChain        make,
                       guint32                   flags,
                       VtrReplayOutcome         *outcome,
                       GCancellable             *cancellable,
                       GError                  **error)
{
  g_autoptr (GError) failure = NULL;

  for (guint attempt = 0; attempt < MOST_ATTEMPTS; attempt++)
    {
      g_clear_error (&failure);
      if (answer (request, address, make, flags, outcome, cancellable, &failure))
        return TRUE;
      if (!g_error_matches (failure, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_LOST))
        break;
    }
  if (g_error_matches (failure, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_LOST))
    vtr_replay_request_note_end (request, failure);
  g_propagate_error (error, g_steal_pointer (&failure));
  return FALSE;
}

gboolean
vtr_replay_request_answer (VtrReplayRequest         *request,
                           const VtrCommandAddress  *address,
                           VtrReplayMakeChain        make,
                           guint32                   flags,
                           VtrReplayOutcome         *outcome,
                           GCancellable             *cancellable,
                           GError                  **error)
{
  g_autoptr (GError) failure = NULL;

  if (answer_with_new_state (request, address, make, flags, outcome, cancellable, &failure) ||
      (vtr_replay_session_guess_addresses (request->document, &failure) &&
       answer_with_new_state (request, address, make, flags, outcome, cancellable, &failure)))
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&failure));
  return FALSE;
}
