/* Keeps states inside a long submission, so that pictures of its later commands need not replay
 * it from its start. */
#include "engine/replay-session/vtr-replay-submission-state.h"

#include "vtr-config.h"

#include <glib/gi18n-lib.h>

#include "engine/document/vtr-document-private.h"
#include "engine/replay-session/vtr-replay-request-private.h"
#include "engine/replay-session/vtr-replay-session.h"
#include "engine/vulkan/transforms/vtr-layout-tracker.h"
#include "engine/vulkan/transforms/vtr-transforms.h"

/* Fewer commands from the kept state on are as fast without. */
#define LEAST_COMMANDS 150

/* Commands between two marks */
#define LEAST_STEP 48
#define MOST_STEP 4096
#define FIRST_STEP 1024

/* What a step should take at least, microseconds: a mark itself takes some 400. */
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

  vtr_state_commands_free (mark->prelude);
  g_free (mark);
}

void
vtr_replay_submission_state_free (VtrReplaySubmissionState *self)
{
  if (self == NULL)
    return;
  g_clear_pointer (&self->builder, vtr_replay_builder_free);
  g_clear_pointer (&self->start.chain, vtr_transform_free);
  g_clear_pointer (&self->start.layouts, g_hash_table_unref);
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

/* What a command buffer does to an event is not in memory. */
static gboolean
has_events (VtrDocument *document,
            guint64      index)
{
  g_autoptr (GArray) ids = vtr_history_list (document->history, VTR_HANDLE_VkEvent);

  for (guint i = 0; i < ids->len; i++)
    {
      const VtrObject *event =
        vtr_history_get_object (document->history, g_array_index (ids, guint32, i));

      if (event->created < index && event->destroyed > index)
        return TRUE;
    }
  return FALSE;
}

gboolean
vtr_replay_submission_state_find (VtrDocument             *document,
                                  const VtrCommandAddress *address,
                                  VtrReplayPlace          *out)
{
  const VtrReplaySession *session = vtr_replay_session_get (document);
  guint64 least = MIN (get_fixed_step (), LEAST_COMMANDS);
  VtrTimeline *timeline = document->timeline;
  guint32 nth = vtr_timeline_get_run_of (timeline, address);
  const VtrRun *run = nth != VTR_NO_RECORDING ? vtr_timeline_get_run (timeline, nth) : NULL;

  if (run == NULL || least == 0 || session->kept_state == NULL)
    return FALSE;
  *out = (VtrReplayPlace){ { address->index, nth }, nth, run->submit, address->index };
  while (run->parent != VTR_NO_RECORDING)
    {
      out->run = run->parent;
      out->position = run->executed_by;
      run = vtr_timeline_get_run (timeline, run->parent);
    }
  return out->submit >= session->kept_state->first + least &&
         !has_events (document, out->submit) &&
         (session->refused_inner == NULL ||
          !g_hash_table_contains (session->refused_inner, &out->submit));
}

/* --- The state before the submission --------------------------------------------------------- */

/* The recording that no request runs as it is: of the last command buffer of the submission there
 * is always a copy. Returns: NULL when it has to be recorded. */
static const VtrRecording *
find_needless (VtrDocument               *document,
               const VtrReplayFrameState *kept,
               guint64                    submit)
{
  VtrTimeline *timeline = document->timeline;
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
  return recording->n_runs == 1 && recording->first >= kept->first && recording->last < submit
           ? recording
           : NULL;
}

static gboolean
drive_to_submission (VtrReplayRequest           *request,
                     const VtrReplayFrameState  *kept,
                     VtrTransform               *chain,
                     guint64                     submit,
                     GCancellable               *cancellable,
                     GError                    **error)
{
  VtrDocument *self = request->document;
  const VtrRecording *needless = find_needless (self, kept, submit);
  guint64 begin = kept->first;

  if (needless != NULL &&
      !vtr_transform_drive (chain, self->trace, begin, needless->first, NULL, NULL, cancellable,
                            error))
    return FALSE;
  if (needless != NULL)
    begin = needless->last + 1;
  return vtr_transform_drive (chain, self->trace, begin, submit, NULL, NULL, cancellable, error) &&
         vtr_transform_drive_writes (chain, self->trace, submit, error);
}

static VtrReplaySubmissionState *
inner_new (VtrReplayRequest    *request,
           VtrReplayFrameState *kept,
           guint64              submit)
{
  VtrReplaySubmissionState *self = g_new0 (VtrReplaySubmissionState, 1);

  self->submit = submit;
  self->next_id = 1;
  self->marks = g_ptr_array_new_with_free_func (mark_free);
  self->forgotten = g_array_new (FALSE, FALSE, sizeof (guint64));
  self->start = (VtrTransformStart){ .trace = request->document->trace,
                                     .history = request->document->history,
                                     .index = submit,
                                     .earlier = &kept->start };
  self->builder = vtr_replay_builder_fork (kept->builder, vtr_replay_request_send, request);
  return self;
}

/* Runs from the kept state to @submit and keeps what is then. */
static gboolean
make_inner (VtrReplayRequest  *request,
            guint64            submit,
            GCancellable      *cancellable,
            GError           **error)
{
  VtrReplaySession *session = vtr_replay_session_get (request->document);
  VtrReplayFrameState *kept = session->kept_state;
  g_autoptr (VtrReplaySubmissionState) inner = NULL;
  g_autoptr (GError) failure = NULL;
  VtrReplayOutcome outcome = { 0 };
  VtrTransform *tail;

  g_clear_pointer (&session->inner, vtr_replay_submission_state_free);
  inner = inner_new (request, kept, submit);
  request->builder = inner->builder;
  request->cancellable = cancellable;
  request->end = submit;
  tail = vtr_replay_request_complete_chain (
    request, vtr_transform_resumed_new (request->document->history, kept->first), inner->builder);
  inner->start.chain = vtr_transform_chain (vtr_transform_gpu_writes_new (FALSE), tail, NULL);
  if (vtr_transform_resume (inner->start.chain, &kept->start, &failure) &&
      vtr_replay_request_begin (request, VTR_REPLAY_RESUME, &failure))
    {
      gboolean driven = vtr_replay_frame_state_restore_sets (kept, tail->next, &failure) &&
                        drive_to_submission (request, kept, inner->start.chain, submit,
                                             cancellable, &failure);

      if (driven)
        {
          vtr_replay_builder_mark (inner->builder, 0, VTR_REPLAY_MARK_POST);
          driven = vtr_transform_end (inner->start.chain, &failure);
        }
      vtr_replay_request_finish (request, driven, &outcome, cancellable, &failure);
    }
  request->builder = NULL;
  if (failure != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&failure));
      return FALSE;
    }
  inner->overhead = (double)request->mark[1];
  session->inner = g_steal_pointer (&inner);
  return TRUE;
}

/* --- Running from a mark --------------------------------------------------------------------- */

typedef struct
{
  VtrReplayRequest *request;
  VtrReplaySubmissionState *inner;
  const VtrReplayPlace *place;
  const VtrReplayMark *from; /* NULL: the beginning of the submission */
  VtrTransform *chain;       /* owned by whoever made this */
  VtrArena arena;
  GCancellable *cancellable;
} Run;

static gboolean
feed (Run      *self,
      guint64   index,
      GError  **error)
{
  vtr_arena_reset (&self->arena);
  return vtr_replay_frame_state_feed_one (self->request->document, index, self->inner->submit,
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
  VtrTimeline *timeline = self->request->document->timeline;
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
  VtrDocument *document = self->request->document;
  gboolean contiguous = vtr_timeline_is_contiguous (document->timeline);
  guint64 end = MIN (self->from->start.after + 1, self->from->start.pass_begin);

  for (guint64 i = first; i < end; i++)
    {
      VtrCommand command;

      if (!vtr_layout_tracker_follows (vtr_trace_get_command_id (document->trace, i)) ||
          (!contiguous && vtr_timeline_find_recording (document->timeline, i) != recording))
        continue;
      vtr_arena_reset (&self->arena);
      if (!vtr_trace_decode (document->trace, i, &self->arena, &command, error))
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
  g_autoptr (GArray) prelude = vtr_state_commands_list (self->from->prelude);
  gboolean ok = feed (self, first, error) && tell_skipped (self, recording, first + 1, error);

  for (guint i = 0; ok && i < prelude->len; i++)
    ok = feed (self, g_array_index (prelude, guint64, i), error);
  return ok && feed_range (self, recording, self->from->start.after + 1, self->place->position,
                           error);
}

/* Secondaries first: their copies are executed by that of the primary. */
static gboolean
feed_all (Run     *self,
          GError **error)
{
  VtrTimeline *timeline = self->request->document->timeline;
  guint64 target = self->place->address.index;
  const VtrRun *run = vtr_timeline_get_run (timeline, self->place->address.run);
  guint64 first;

  while (run->parent != VTR_NO_RECORDING)
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
         vtr_transform_feed (self->chain, self->request->document->trace, self->place->submit,
                             error);
}

/* Has memory as it was at the mark. */
static void
go_to_mark (Run *self)
{
  guint64 id = self->from != NULL ? self->from->id : 0;

  for (guint i = 0; i < self->inner->forgotten->len; i++)
    vtr_replay_builder_forget_mark (self->request->builder,
                                    g_array_index (self->inner->forgotten, guint64, i));
  if (self->inner->at != id)
    vtr_replay_builder_go_to_mark (self->request->builder, id);
  self->inner->at = NOWHERE;
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
  request->builder = vtr_replay_builder_fork (self->inner->builder, vtr_replay_request_send,
                                              request);
  all = self->chain = vtr_transform_chain (
    chain,
    vtr_replay_request_complete_chain (
      request, vtr_transform_resumed_new (request->document->history, self->inner->submit),
      request->builder),
    NULL);
  if (self->from != NULL)
    vtr_transform_cut_start_at (all, &self->from->start);
  if (vtr_transform_resume (all, &self->inner->start, &failure) &&
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
        g_array_set_size (self->inner->forgotten, 0);
    }
  g_clear_pointer (&request->builder, vtr_replay_builder_free);
  if (failure == NULL)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&failure));
  return FALSE;
}

/* --- Marks ----------------------------------------------------------------------------------- */

static VtrReplayMark *
find_mark (VtrReplaySubmissionState *inner,
           const VtrReplayPlace     *place)
{
  VtrReplayMark *best = NULL;

  for (guint i = 0; i < inner->marks->len; i++)
    {
      VtrReplayMark *mark = g_ptr_array_index (inner->marks, i);

      if (mark->run == place->run && mark->start.after < place->position &&
          (best == NULL || mark->start.after > best->start.after))
        best = mark;
    }
  if (best != NULL)
    best->used = ++inner->clock;
  return best;
}

/* Not a render pass with more than one subpass and resolves: going through it again would resolve
 * again. */
static gboolean
may_be_left (VtrDocument            *document,
             const VtrStateCommands *prelude)
{
  g_autofree VtrBoundState *state = NULL;
  g_autoptr (GArray) references = NULL;
  gboolean resolves = FALSE;
  guint32 last = 0;
  VtrCutStart start;

  vtr_state_commands_get_start (prelude, &start);
  if (start.pass_begin == VTR_COMMAND_NO_INDEX)
    return TRUE;
  state = g_new (VtrBoundState, 1);
  if (!vtr_document_get_bound_state (document, start.pass_begin, state, NULL) || !state->in_pass)
    return FALSE;
  references = vtr_pass_list_references (document->history, state);
  for (guint i = 0; i < references->len; i++)
    {
      const VtrPassReference *reference = &g_array_index (references, VtrPassReference, i);

      resolves = resolves || vtr_pass_use_is_resolve (reference->use);
      last = MAX (last, reference->subpass);
    }
  return !resolves || last == 0;
}

/* How far from a mark to the next in @recording. */
static guint64
get_step (const VtrReplaySubmissionState *inner,
          const VtrRecording             *recording)
{
  guint64 fixed = get_fixed_step ();
  double time = MAX (STEP_TIME, 2 * inner->overhead);
  double step = inner->cost > 0 ? time / inner->cost : FIRST_STEP;

  if (fixed != G_MAXUINT64)
    return fixed;
  step = MIN (step, (double)(recording->last - recording->first) / LEAST_MARKS);
  return (guint64)CLAMP (step, LEAST_STEP, MOST_STEP);
}

/* Whether command buffers run before this one in its submission. */
static gboolean
is_first_run (VtrDocument          *document,
              const VtrReplayPlace *place)
{
  guint32 nth = vtr_timeline_find_submission (document->timeline, place->submit);

  return nth != VTR_NO_RECORDING &&
         vtr_timeline_get_submission (document->timeline, nth)->first_run == place->run;
}

/* Where the next mark after @from on the way to @place may be. Returns: what to record again there;
 * NULL: there is none. */
static VtrStateCommands *
find_next (VtrDocument                     *document,
           const VtrReplaySubmissionState  *inner,
           const VtrReplayMark             *from,
           const VtrReplayPlace            *place,
           GError                         **error)
{
  VtrTimeline *timeline = document->timeline;
  guint32 nth = vtr_timeline_get_run (timeline, place->run)->recording;
  const VtrRecording *recording = vtr_timeline_get_recording (timeline, nth);
  guint64 at = recording->first, step = get_step (inner, recording);
  g_autoptr (VtrStateCommands) prelude = NULL;
  gboolean found = FALSE, ok = TRUE;
  VtrArena arena;
  guint64 least;

  if (from != NULL)
    at = from->start.after + 1;
  least = at + step;
  if (from == NULL && !is_first_run (document, place))
    least = at;
  else if (place->position < at + step + step / 2)
    return NULL;
  prelude = from != NULL ? vtr_state_commands_copy (from->prelude) : vtr_state_commands_new ();
  vtr_arena_init (&arena);
  for (; ok && !found && at < place->position; at++)
    {
      VtrCommand command;

      if (vtr_timeline_find_recording (timeline, at) != nth)
        continue;
      vtr_arena_reset (&arena);
      ok = vtr_trace_decode (document->trace, at, &arena, &command, error);
      if (!ok)
        break;
      vtr_state_commands_add (prelude, &command);
      found = at >= least && vtr_cmd_is (command.id, PLACE_CLASSES) &&
              vtr_state_commands_is_complete (prelude) && may_be_left (document, prelude);
    }
  vtr_arena_finish (&arena);
  return found ? g_steal_pointer (&prelude) : NULL;
}

/* The marks that were not used for longest go, but for the last two. */
static void
make_room (VtrReplaySubmissionState *inner)
{
  while (inner->bytes > MARK_BYTES && inner->marks->len > 2)
    {
      guint oldest = 0;
      const VtrReplayMark *mark;

      for (guint i = 1; i < inner->marks->len; i++)
        if (((VtrReplayMark *)g_ptr_array_index (inner->marks, i))->used <
            ((VtrReplayMark *)g_ptr_array_index (inner->marks, oldest))->used)
          oldest = i;
      mark = g_ptr_array_index (inner->marks, oldest);
      inner->bytes -= mark->bytes;
      g_array_append_val (inner->forgotten, mark->id);
      g_ptr_array_remove_index_fast (inner->marks, oldest);
    }
}

static VtrReplayMark *
add_mark (VtrReplaySubmissionState *inner,
          const VtrReplayPlace     *place,
          VtrStateCommands         *prelude,
          const guint64             taken[2])
{
  VtrReplayMark *mark = g_new0 (VtrReplayMark, 1);

  mark->id = inner->at = inner->next_id - 1;
  mark->run = place->run;
  mark->bytes = taken[0];
  mark->used = ++inner->clock;
  mark->prelude = prelude;
  vtr_state_commands_get_start (prelude, &mark->start);
  g_ptr_array_add (inner->marks, mark);
  inner->bytes += mark->bytes;
  inner->overhead = (double)taken[1];
  g_debug ("Mark %" G_GUINT64_FORMAT " after command %" G_GUINT64_FORMAT ": %" G_GUINT64_FORMAT
           " bytes, %.0f us; %.2f us a command",
           mark->id, mark->start.after, taken[0], inner->overhead, inner->cost);
  make_room (inner);
  return mark;
}

/* Sets self->from to a new mark on the way, or leaves it when there can be none. Returns: FALSE
 * with @error when the replay failed. */
static gboolean
advance (Run       *self,
         gboolean  *moved,
         GError   **error)
{
  VtrDocument *document = self->request->document;
  const VtrReplayPlace *whole = self->place;
  g_autoptr (GError) failure = NULL;
  g_autoptr (VtrStateCommands) prelude =
    find_next (document, self->inner, self->from, whole, &failure);
  gint64 begun = g_get_monotonic_time ();
  VtrReplayOutcome outcome = { 0 };
  VtrReplayPlace place = *whole;
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
  if (prelude == NULL)
    return TRUE;
  vtr_state_commands_get_start (prelude, &next);
  before = self->from != NULL
             ? self->from->start.after
             : vtr_timeline_get_recording (
                 document->timeline,
                 vtr_timeline_get_run (document->timeline, place.run)->recording)
                 ->first;
  place.address = (VtrCommandAddress){ next.after, place.run };
  place.position = next.after;
  cut = vtr_transform_cut_new (document->timeline, document->history, next.after, place.run, &end,
                               error);
  if (cut == NULL)
    return FALSE;
  self->place = &place;
  ok = run_from_mark (self, vtr_transform_chain (cut, vtr_transform_gpu_writes_new (FALSE), NULL),
                      self->inner->next_id++, &outcome, error);
  self->place = whole;
  if (!ok)
    return FALSE;
  if (self->from != NULL || is_first_run (document, whole))
    self->inner->cost = (double)(g_get_monotonic_time () - begun) /
                        (double)MAX (1, next.after - before);
  self->from = add_mark (self->inner, whole, g_steal_pointer (&prelude), self->request->mark);
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

  self->from = find_mark (self->inner, self->place);
  while (moved)
    if (!advance (self, &moved, error))
      return FALSE;
  chain = make (self->request->data, &self->request->end, self->cancellable, error);
  return chain != NULL && run_from_mark (self, chain, 0, outcome, error);
}

gboolean
vtr_replay_submission_state_answer (VtrReplayRequest      *request,
                                    const VtrReplayPlace  *place,
                                    VtrReplayMakeChain     make,
                                    VtrReplayOutcome      *outcome,
                                    GCancellable          *cancellable,
                                    GError               **error)
{
  VtrReplaySession *session = vtr_replay_session_get (request->document);
  Run run = { .request = request, .place = place, .cancellable = cancellable };
  g_autoptr (GError) why = NULL;
  gboolean ok = TRUE;

  request->is_inner = TRUE;
  if (session->inner == NULL || session->inner->submit != place->submit)
    {
      VtrReplayWaiters *wishes = request->document->wishes;
      g_autoptr (GCancellable) making =
        vtr_replay_waiters_begin (wishes, place->submit, place->submit + 1, cancellable);

      ok = make_inner (request, place->submit, making, &why);
      vtr_replay_waiters_end (wishes);
      ok = ok && !g_cancellable_set_error_if_cancelled (cancellable, &why);
    }
  if (ok)
    {
      vtr_arena_init (&run.arena);
      run.inner = session->inner;
      ok = answer (&run, make, outcome, &why);
      vtr_arena_finish (&run.arena);
    }
  request->is_inner = FALSE;
  if (ok)
    return TRUE;
  if (!g_error_matches (why, G_IO_ERROR, G_IO_ERROR_CANCELLED) || session->inner == NULL)
    g_clear_pointer (&session->inner, vtr_replay_submission_state_free);
  g_propagate_error (error, g_steal_pointer (&why));
  return FALSE;
}

void
vtr_replay_submission_state_refuse (VtrDocument          *document,
                                    const VtrReplayPlace *place,
                                    const GError         *why)
{
  VtrReplaySession *session = vtr_replay_session_get (document);

  if (session->refused_inner == NULL)
    session->refused_inner = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  g_hash_table_add (session->refused_inner, g_memdup2 (&place->submit, sizeof place->submit));
  g_info ("No state is kept before submission %" G_GUINT64_FORMAT ": %s", place->submit,
          why->message);
}
