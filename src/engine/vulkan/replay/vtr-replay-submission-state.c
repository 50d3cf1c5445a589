/* Makes snapshots inside a long submission, so that pictures of its later commands need not replay
 * it from its start. */
#include "engine/vulkan/replay/vtr-replay-submission-state.h"

#include "vtr-config.h"

#include <glib/gi18n-lib.h>

#include "engine/replay-session/vtr-replay-request-private.h"
#include "engine/vulkan/replay/vtr-vulkan-requests.h"
#include "engine/vulkan/replay/vtr-replay-frame-state.h"
#include "engine/vulkan/transforms/vtr-layout-tracker.h"
#include "engine/vulkan/transforms/vtr-transforms.h"

/* Fewer commands after the snapshot before the frame are as fast without. */
#define LEAST_COMMANDS 150

/* Commands between two marks */
#define LEAST_STEP 48
#define MOST_STEP 4096
#define FIRST_STEP 1024

/* The shortest time of a step in microseconds: a mark itself takes some 400. */
#define STEP_TIME 2000.0

/* Even a short recording is worth that many, however quick it is. */
#define LEAST_MARKS 8

/* Most that the marks of a submission take in the replayer. */
#define MARK_BYTES (256u << 20)

#define NOWHERE G_MAXUINT64

/* Commands after which a copy of the recording may begin. */
#define PLACE_CLASSES \
  (VTR_CLASS_DRAW | VTR_CLASS_DISPATCH | VTR_CLASS_TRACE_RAYS | VTR_CLASS_CLEAR | \
   VTR_CLASS_TRANSFER | VTR_CLASS_END_PASS | VTR_CLASS_EXECUTE | VTR_CLASS_GENERATED)

static void
mark_free (gpointer data)
{
  VtrReplayMark *mark = data;

  vtr_state_commands_free (mark->state_commands);
  g_free (mark);
}

void
vtr_replay_submission_state_free (VtrReplaySubmissionState *self)
{
  if (self == NULL)
    return;
  g_clear_pointer (&self->builder, vtr_replay_builder_free);
  g_clear_pointer (&self->start.chain, vtr_transform_free);
  g_clear_pointer (&self->start.known, g_hash_table_unref);
  g_ptr_array_unref (self->marks);
  g_array_unref (self->forgotten);
  g_free (self);
}

/* VITRINE_REPLAY_MARKS: commands between two marks, for tests; 0: none are made. */
static guint64
get_fixed_step (void)
{
  const char *text = g_getenv ("VITRINE_REPLAY_MARKS");

  return text != NULL ? g_ascii_strtoull (text, NULL, 10) : G_MAXUINT64;
}

/* --- Where it is worth it -------------------------------------------------------------------- */

/* Effects of a command buffer on events are not in memory. */
static gboolean
has_events (const VtrReplayBasis *basis,
            guint64               index)
{
  g_autoptr (GArray) ids = vtr_history_list (basis->history, VTR_HANDLE_VkEvent);

  for (guint i = 0; i < ids->len; i++)
    {
      const VtrObject *event =
        vtr_history_get_object (basis->history, g_array_index (ids, guint32, i));

      if (event->created < index && event->destroyed > index)
        return TRUE;
    }
  return FALSE;
}

gboolean
vtr_replay_submission_state_find (const VtrReplayRequest *request,
                                  const VtrPlace         *address,
                                  VtrSubmissionPlace     *out)
{
  const VtrReplayBasis *basis = vtr_replay_session_get_basis (request->session);
  VtrSessionReplayer *replayer = vtr_replay_request_get_replayer (request);
  guint64 least = MIN (get_fixed_step (), LEAST_COMMANDS);
  VtrTimeline *timeline = basis->timeline;
  guint32 nth = vtr_timeline_get_run_of (timeline, address);
  const VtrRun *run = nth != VTR_NO_RECORDING ? vtr_timeline_get_run (timeline, nth) : NULL;

  if (run == NULL || least == 0 || vtr_vulkan_kept (replayer)->frame_state == NULL)
    return FALSE;
  *out = (VtrSubmissionPlace){ { address->index, nth }, nth, run->submit, address->index };
  while (run->parent != VTR_NO_RUN)
    {
      out->run = run->parent;
      out->position = run->executed_by;
      run = vtr_timeline_get_run (timeline, run->parent);
    }
  return out->submit >= vtr_vulkan_kept (replayer)->frame_state->first + least &&
         !has_events (basis, out->submit) &&
         (vtr_vulkan_kept (replayer)->refused_submissions == NULL ||
          !g_hash_table_contains (vtr_vulkan_kept (replayer)->refused_submissions, &out->submit));
}

/* --- The state before the submission --------------------------------------------------------- */

/* The recording that no request runs as it is: of the last command buffer of the submission there
 * is always a copy. Returns: NULL when it has to be recorded. */
static const VtrRecording *
find_needless (const VtrReplayBasis      *basis,
               const VtrReplayFrameState *frame_state,
               guint64                    submit)
{
  VtrTimeline *timeline = basis->timeline;
  guint32 nth = vtr_timeline_find_submission (timeline, submit);
  const VtrSubmission *submission =
    nth != VTR_NO_RECORDING ? vtr_timeline_get_submission (timeline, nth) : NULL;
  const VtrRecording *recording;

  if (submission == NULL || submission->n_runs == 0 || !vtr_timeline_is_contiguous (timeline))
    return NULL;
  nth = vtr_timeline_get_run (timeline, submission->first_run + submission->n_runs - 1)->recording;
  if (nth == VTR_NO_RECORDING)
    return NULL;
  recording = vtr_timeline_get_recording (timeline, nth);
  return recording->n_runs == 1 && recording->first >= frame_state->first &&
             recording->last < submit
           ? recording
           : NULL;
}

static gboolean
drive_to_submission (VtrReplayRequest           *request,
                     const VtrReplayFrameState  *frame_state,
                     VtrTransform               *chain,
                     guint64                     submit,
                     GCancellable               *cancellable,
                     GError                    **error)
{
  const VtrReplayBasis *basis = vtr_replay_session_get_basis (request->session);
  const VtrRecording *needless = find_needless (basis, frame_state, submit);
  guint64 begin = frame_state->first;

  if (needless != NULL &&
      !vtr_transform_drive (chain, basis->trace, begin, needless->first, NULL, NULL, cancellable,
                            error))
    return FALSE;
  if (needless != NULL)
    begin = needless->last + 1;
  return vtr_transform_drive (chain, basis->trace, begin, submit, NULL, NULL, cancellable, error) &&
         vtr_transform_drive_writes (chain, basis->trace, submit, error);
}

static VtrReplaySubmissionState *
submission_state_new (VtrReplayRequest    *request,
                      VtrReplayFrameState *frame_state,
                      guint64              submit)
{
  const VtrReplayBasis *basis = vtr_replay_session_get_basis (request->session);
  VtrReplaySubmissionState *self = g_new0 (VtrReplaySubmissionState, 1);

  self->submit = submit;
  self->next_id = 1;
  self->marks = g_ptr_array_new_with_free_func (mark_free);
  self->forgotten = g_array_new (FALSE, FALSE, sizeof (guint64));
  self->start = (VtrTransformStart){ .trace = basis->trace,
                                     .history = basis->history,
                                     .index = submit,
                                     .earlier = &frame_state->start };
  self->builder = vtr_replay_builder_fork (frame_state->builder, vtr_replay_request_send, request);
  return self;
}

/* Runs from the snapshot before the frame to @submit, and makes another one there. */
static gboolean
make_snapshot (VtrReplayRequest  *request,
               guint64            submit,
               GCancellable      *cancellable,
               GError           **error)
{
  const VtrReplayBasis *basis = vtr_replay_session_get_basis (request->session);
  VtrSessionReplayer *replayer = vtr_replay_request_get_replayer (request);
  VtrReplayFrameState *frame_state = vtr_vulkan_kept (replayer)->frame_state;
  g_autoptr (VtrReplaySubmissionState) snapshot = NULL;
  g_autoptr (GError) failure = NULL;
  VtrReplayOutcome outcome = { 0 };
  VtrTransform *tail;

  g_clear_pointer (&vtr_vulkan_kept (replayer)->submission_state, vtr_replay_submission_state_free);
  snapshot = submission_state_new (request, frame_state, submit);
  request->builder = snapshot->builder;
  request->cancellable = cancellable;
  request->end = submit;
  tail = vtr_replay_request_complete_chain (
    request, vtr_transform_resumed_new (basis->history, frame_state->first), snapshot->builder);
  snapshot->start.chain = vtr_transform_chain (vtr_transform_gpu_writes_new (FALSE), tail, NULL);
  if (vtr_transform_resume (snapshot->start.chain, &frame_state->start, &failure) &&
      vtr_replay_request_begin (request, VTR_REPLAY_RESUME, &failure))
    {
      gboolean driven = vtr_replay_frame_state_restore_sets (frame_state, tail->next, &failure) &&
                        drive_to_submission (request, frame_state, snapshot->start.chain, submit,
                                             cancellable, &failure);

      if (driven)
        {
          vtr_replay_builder_mark (snapshot->builder, 0, VTR_REPLAY_MARK_POST);
          driven = vtr_transform_end (snapshot->start.chain, &failure);
        }
      vtr_replay_request_finish (request, driven, &outcome, cancellable, &failure);
    }
  request->builder = NULL;
  if (failure != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&failure));
      return FALSE;
    }
  snapshot->overhead = (double)request->mark[1];
  vtr_vulkan_kept (replayer)->submission_state = g_steal_pointer (&snapshot);
  return TRUE;
}

/* --- Running from a mark --------------------------------------------------------------------- */

typedef struct
{
  VtrReplayRequest *request;
  VtrReplaySubmissionState *snapshot;
  const VtrSubmissionPlace *place;
  const VtrReplayMark *from; /* NULL: the beginning of the submission */
  VtrTransform *chain;       /* owned by the caller that made this */
  VtrArena arena;
  GCancellable *cancellable;
} Run;

static const VtrReplayBasis *
basis_of (const Run *self)
{
  return vtr_replay_session_get_basis (self->request->session);
}

static gboolean
feed (Run      *self,
      guint64   index,
      GError  **error)
{
  vtr_arena_reset (&self->arena);
  return vtr_replay_frame_state_feed_one (basis_of (self), index, self->snapshot->submit,
                                          &self->arena, self->chain, error);
}

/* Commands [first, last] of @recording. */
static gboolean
feed_range (Run      *self,
            guint32   recording,
            guint64   first,
            guint64   last,
            GError  **error)
{
  VtrTimeline *timeline = basis_of (self)->timeline;
  gboolean contiguous = vtr_timeline_is_contiguous (timeline);

  for (guint64 i = first; i <= last; i++)
    {
      if (i % 512 == 0 && g_cancellable_set_error_if_cancelled (self->cancellable, error))
        return FALSE;
      if ((contiguous || vtr_timeline_find_recording (timeline, i) == recording) &&
          !feed (self, i, error))
        return FALSE;
    }
  return TRUE;
}

/* The chain knows of what changed layouts before the mark. */
static gboolean
tell_skipped (Run      *self,
              guint32   recording,
              guint64   first,
              GError  **error)
{
  const VtrReplayBasis *basis = basis_of (self);
  gboolean contiguous = vtr_timeline_is_contiguous (basis->timeline);
  guint64 end = MIN (self->from->start.after + 1, self->from->start.pass_begin);

  for (guint64 i = first; i < end; i++)
    {
      VtrCommand command;

      if (!vtr_layout_tracker_follows (vtr_trace_get_command_id (basis->trace, i)) ||
          (!contiguous && vtr_timeline_find_recording (basis->timeline, i) != recording))
        continue;
      vtr_arena_reset (&self->arena);
      if (!vtr_trace_decode (basis->trace, i, &self->arena, &command, error))
        return FALSE;
      vtr_transform_skipped (self->chain, &command);
    }
  return TRUE;
}

/* The copy of the primary goes on at the mark. */
static gboolean
feed_from_mark (Run      *self,
                guint32   recording,
                guint64   first,
                GError  **error)
{
  g_autoptr (GArray) state_commands = vtr_state_commands_list (self->from->state_commands);
  gboolean ok = feed (self, first, error) && tell_skipped (self, recording, first + 1, error);

  for (guint i = 0; ok && i < state_commands->len; i++)
    ok = feed (self, g_array_index (state_commands, guint64, i), error);
  return ok && feed_range (self, recording, self->from->start.after + 1, self->place->position,
                           error);
}

/* Secondaries first: their copies are executed by that of the primary. */
static gboolean
feed_all (Run     *self,
          GError **error)
{
  VtrTimeline *timeline = basis_of (self)->timeline;
  guint64 target = self->place->address.index;
  const VtrRun *run = vtr_timeline_get_run (timeline, self->place->address.run);
  guint64 first;

  while (run->parent != VTR_NO_RUN)
    {
      first = vtr_timeline_get_recording (timeline, run->recording)->first;
      if (!feed_range (self, run->recording, first, target, error))
        return FALSE;
      target = run->executed_by;
      run = vtr_timeline_get_run (timeline, run->parent);
    }
  first = vtr_timeline_get_recording (timeline, run->recording)->first;
  return (self->from != NULL ? feed_from_mark (self, run->recording, first, error)
                             : feed_range (self, run->recording, first, target, error)) &&
         vtr_transform_feed (self->chain, basis_of (self)->trace, self->place->submit,
                             error);
}

/* Restores memory as it was at the mark. */
static void
go_to_mark (Run *self)
{
  guint64 id = self->from != NULL ? self->from->id : 0;

  for (guint i = 0; i < self->snapshot->forgotten->len; i++)
    vtr_replay_builder_forget_mark (self->request->builder,
                                    g_array_index (self->snapshot->forgotten, guint64, i));
  if (self->snapshot->at != id)
    vtr_replay_builder_go_to_mark (self->request->builder, id);
  self->snapshot->at = NOWHERE;
}

/* Runs to the place through @chain (transfer full), then makes mark @mark (0: none). */
static gboolean
run_from_mark (Run               *self,
               VtrTransform      *chain,
               guint64            mark,
               VtrReplayOutcome  *outcome,
               GError           **error)
{
  VtrReplayRequest *request = self->request;
  g_autoptr (VtrTransform) all = NULL;
  g_autoptr (GError) failure = NULL;

  request->cancellable = self->cancellable;
  request->end = self->place->submit + 1;
  request->builder = vtr_replay_builder_fork (self->snapshot->builder, vtr_replay_request_send,
                                              request);
  all = self->chain = vtr_transform_chain (
    chain,
    vtr_replay_request_complete_chain (
      request, vtr_transform_resumed_new (basis_of (self)->history, self->snapshot->submit),
      request->builder),
    NULL);
  if (self->from != NULL)
    vtr_transform_cut_start_at (all, &self->from->start);
  if (vtr_transform_resume (all, &self->snapshot->start, &failure) &&
      vtr_replay_request_begin (request, VTR_REPLAY_RESUME | VTR_REPLAY_INNER, &failure))
    {
      gboolean driven;

      go_to_mark (self);
      driven = feed_all (self, &failure);
      if (driven && mark != 0)
        vtr_replay_builder_mark (request->builder, mark, VTR_REPLAY_MARK_POST);
      driven = driven && vtr_transform_end (all, &failure);
      vtr_replay_request_finish (request, driven, outcome, self->cancellable, &failure);
      if (failure == NULL)
        g_array_set_size (self->snapshot->forgotten, 0);
    }
  g_clear_pointer (&request->builder, vtr_replay_builder_free);
  if (failure == NULL)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&failure));
  return FALSE;
}

/* --- Marks ----------------------------------------------------------------------------------- */

static VtrReplayMark *
find_mark (VtrReplaySubmissionState *snapshot,
           const VtrSubmissionPlace *place)
{
  VtrReplayMark *best = NULL;

  for (guint i = 0; i < snapshot->marks->len; i++)
    {
      VtrReplayMark *mark = g_ptr_array_index (snapshot->marks, i);

      if (mark->run == place->run && mark->start.after < place->position &&
          (best == NULL || mark->start.after > best->start.after))
        best = mark;
    }
  if (best != NULL)
    best->used = ++snapshot->clock;
  return best;
}

/* How far from a mark to the next in @recording. */
static guint64
get_step (const VtrReplaySubmissionState *snapshot,
          const VtrRecording             *recording)
{
  guint64 fixed = get_fixed_step ();
  double time = MAX (STEP_TIME, 2 * snapshot->overhead);
  double step = snapshot->cost > 0 ? time / snapshot->cost : FIRST_STEP;

  if (fixed != G_MAXUINT64)
    return fixed;
  step = MIN (step, (double)(recording->last - recording->first) / LEAST_MARKS);
  return (guint64)CLAMP (step, LEAST_STEP, MOST_STEP);
}

/* Whether command buffers run before this one in its submission. */
static gboolean
is_first_run (const VtrReplayBasis     *basis,
              const VtrSubmissionPlace *place)
{
  guint32 nth = vtr_timeline_find_submission (basis->timeline, place->submit);

  return nth != VTR_NO_RECORDING &&
         vtr_timeline_get_submission (basis->timeline, nth)->first_run == place->run;
}

/* Where the next mark after @from on the way to @place may be. Returns: what to record again there;
 * NULL: there is none. */
static VtrStateCommands *
find_next (const VtrReplayBasis            *basis,
           const VtrReplaySubmissionState  *snapshot,
           const VtrReplayMark             *from,
           const VtrSubmissionPlace        *place,
           GError                         **error)
{
  VtrTimeline *timeline = basis->timeline;
  guint32 nth = vtr_timeline_get_run (timeline, place->run)->recording;
  const VtrRecording *recording = vtr_timeline_get_recording (timeline, nth);
  guint64 at = recording->first, step = get_step (snapshot, recording);
  g_autoptr (VtrStateCommands) state_commands = NULL;
  gboolean found = FALSE, ok = TRUE;
  VtrArena arena;
  guint64 least;

  if (from != NULL)
    at = from->start.after + 1;
  least = at + step;
  if (from == NULL && !is_first_run (basis, place))
    least = at;
  else if (place->position < at + step + step / 2)
    return NULL;
  state_commands =
    from != NULL ? vtr_state_commands_copy (from->state_commands) : vtr_state_commands_new ();
  vtr_arena_init (&arena);
  for (; ok && !found && at < place->position; at++)
    {
      VtrCommand command;

      if (vtr_timeline_find_recording (timeline, at) != nth)
        continue;
      vtr_arena_reset (&arena);
      ok = vtr_trace_decode (basis->trace, at, &arena, &command, error);
      if (!ok)
        break;
      vtr_state_commands_add (state_commands, &command);
      found = at >= least && vtr_cmd_is (command.id, PLACE_CLASSES) &&
              vtr_state_commands_is_complete (state_commands) &&
              vtr_state_commands_may_begin_again (state_commands, basis->walker, basis->history);
    }
  vtr_arena_finish (&arena);
  return found ? g_steal_pointer (&state_commands) : NULL;
}

/* The marks that were not used for longest go, but for the last two. */
static void
make_room (VtrReplaySubmissionState *snapshot)
{
  while (snapshot->bytes > MARK_BYTES && snapshot->marks->len > 2)
    {
      guint oldest = 0;
      const VtrReplayMark *mark;

      for (guint i = 1; i < snapshot->marks->len; i++)
        if (((VtrReplayMark *)g_ptr_array_index (snapshot->marks, i))->used <
            ((VtrReplayMark *)g_ptr_array_index (snapshot->marks, oldest))->used)
          oldest = i;
      mark = g_ptr_array_index (snapshot->marks, oldest);
      snapshot->bytes -= mark->bytes;
      g_array_append_val (snapshot->forgotten, mark->id);
      g_ptr_array_remove_index_fast (snapshot->marks, oldest);
    }
}

static VtrReplayMark *
add_mark (VtrReplaySubmissionState *snapshot,
          const VtrSubmissionPlace *place,
          VtrStateCommands         *state_commands,
          const guint64             taken[2])
{
  VtrReplayMark *mark = g_new0 (VtrReplayMark, 1);

  mark->id = snapshot->at = snapshot->next_id - 1;
  mark->run = place->run;
  mark->bytes = taken[0];
  mark->used = ++snapshot->clock;
  mark->state_commands = state_commands;
  vtr_state_commands_get_start (state_commands, &mark->start);
  g_ptr_array_add (snapshot->marks, mark);
  snapshot->bytes += mark->bytes;
  snapshot->overhead = (double)taken[1];
  g_debug ("Mark %" G_GUINT64_FORMAT " after command %" G_GUINT64_FORMAT ": %" G_GUINT64_FORMAT
           " bytes, %.0f us; %.2f us a command",
           mark->id, mark->start.after, taken[0], snapshot->overhead, snapshot->cost);
  make_room (snapshot);
  return mark;
}

/* Sets self->from to a new mark on the way, or leaves it when there can be none. Returns: FALSE
 * with @error when the replay failed. */
static gboolean
advance (Run       *self,
         gboolean  *moved,
         GError   **error)
{
  const VtrReplayBasis *basis = basis_of (self);
  const VtrSubmissionPlace *whole = self->place;
  g_autoptr (GError) failure = NULL;
  g_autoptr (VtrStateCommands) state_commands =
    find_next (basis, self->snapshot, self->from, whole, &failure);
  gint64 begun = g_get_monotonic_time ();
  VtrReplayOutcome outcome = { 0 };
  VtrSubmissionPlace place = *whole;
  VtrTransform *cut;
  VtrCutStart next;
  guint64 before, end;
  gboolean ok;

  *moved = FALSE;
  if (failure != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&failure));
      return FALSE;
    }
  if (state_commands == NULL)
    return TRUE;
  vtr_state_commands_get_start (state_commands, &next);
  before = self->from != NULL
             ? self->from->start.after
             : vtr_timeline_get_recording (
                 basis->timeline,
                 vtr_timeline_get_run (basis->timeline, place.run)->recording)
                 ->first;
  place.address = (VtrPlace){ next.after, place.run };
  place.position = next.after;
  cut = vtr_transform_cut_new (basis->timeline, basis->history, next.after, place.run, &end,
                               error);
  if (cut == NULL)
    return FALSE;
  self->place = &place;
  ok = run_from_mark (self, vtr_transform_chain (cut, vtr_transform_gpu_writes_new (FALSE), NULL),
                      self->snapshot->next_id++, &outcome, error);
  self->place = whole;
  if (!ok)
    return FALSE;
  if (self->from != NULL || is_first_run (basis, whole))
    self->snapshot->cost = (double)(g_get_monotonic_time () - begun) /
                           (double)MAX (1, next.after - before);
  self->from =
    add_mark (self->snapshot, whole, g_steal_pointer (&state_commands), self->request->mark);
  *moved = TRUE;
  return TRUE;
}

static gboolean
answer (Run                 *self,
        VtrReplayMakeChain   make,
        VtrReplayOutcome    *outcome,
        GError             **error)
{
  gboolean moved = TRUE;
  VtrTransform *chain;

  self->from = find_mark (self->snapshot, self->place);
  while (moved)
    if (!advance (self, &moved, error))
      return FALSE;
  chain = make (self->request->data, &self->request->end, self->cancellable, error);
  return chain != NULL && run_from_mark (self, chain, 0, outcome, error);
}

gboolean
vtr_replay_submission_state_answer (VtrReplayRequest          *request,
                                    const VtrSubmissionPlace  *place,
                                    VtrReplayMakeChain         make,
                                    VtrReplayOutcome          *outcome,
                                    GCancellable              *cancellable,
                                    GError                   **error)
{
  VtrVulkanKept *kept = vtr_vulkan_kept (vtr_replay_request_get_replayer (request));
  Run run = { .request = request, .place = place, .cancellable = cancellable };
  g_autoptr (GError) why = NULL;
  gboolean ok = TRUE;

  request->starts_inside = TRUE;
  if (kept->submission_state == NULL || kept->submission_state->submit != place->submit)
    {
      VtrReplayWaiters *waiters = vtr_replay_session_get_waiters (request->session);
      g_autoptr (GCancellable) making =
        vtr_replay_waiters_begin (waiters, place->submit, place->submit + 1, cancellable);

      ok = make_snapshot (request, place->submit, making, &why);
      vtr_replay_waiters_end (waiters);
      ok = ok && !g_cancellable_set_error_if_cancelled (cancellable, &why);
    }
  if (ok)
    {
      vtr_arena_init (&run.arena);
      run.snapshot = kept->submission_state;
      ok = answer (&run, make, outcome, &why);
      vtr_arena_finish (&run.arena);
    }
  request->starts_inside = FALSE;
  if (ok)
    return TRUE;
  if (!g_error_matches (why, G_IO_ERROR, G_IO_ERROR_CANCELLED) ||
      kept->submission_state == NULL)
    g_clear_pointer (&kept->submission_state, vtr_replay_submission_state_free);
  g_propagate_error (error, g_steal_pointer (&why));
  return FALSE;
}

void
vtr_replay_submission_state_refuse (const VtrReplayRequest   *request,
                                    const VtrSubmissionPlace *place,
                                    const GError             *why)
{
  VtrSessionReplayer *replayer = vtr_replay_request_get_replayer (request);

  if (vtr_vulkan_kept (replayer)->refused_submissions == NULL)
    vtr_vulkan_kept (replayer)->refused_submissions =
      g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  g_hash_table_add (vtr_vulkan_kept (replayer)->refused_submissions,
                    g_memdup2 (&place->submit, sizeof place->submit));
  g_info ("No snapshot is made in submission %" G_GUINT64_FORMAT ": %s", place->submit,
          why->message);
}
