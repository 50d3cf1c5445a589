/* Measures a frame: replays it in loops with timestamps and statistics queries, and gathers the
 * results of each command. */
#include "engine/vulkan/replay/vtr-vulkan-requests.h"

#include "vtr-config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "base/vtr-number.h"
#include "engine/state/vtr-resolve-error.h"
#include "engine/vulkan/replay/vtr-replay-frame-state.h"
#include "engine/vulkan/replay/vtr-timings-gatherer.h"
#include "engine/vulkan/transforms/vtr-transforms.h"

/* Results are updated at most this often: a loop may be shorter. */
#define TELL_EVERY (G_USEC_PER_SEC / 10)

/* One loop, on the replay worker. */
typedef struct
{
  VtrReplaySession *session;
  const VtrReplayBasis *basis;
  const VtrTimingsQuery *query;
  GCancellable *cancellable;
  VtrProbe *probe;
  VtrReplayRequest *request;
  guint64 from; /* where measuring starts */
  gboolean starts_late;
  gboolean is_whole; /* this loop ran the whole trace, and so should the next */
  gboolean is_software;
  char *device;
  GError *error;
} Loop;

static void
loop_posted (guint64       post,
             const guint8 *bytes,
             gsize         size,
             gpointer      data)
{
  Loop *self = data;

  if (self->probe != NULL)
    vtr_probe_posted (self->probe, post, bytes, size);
}

static VtrProbeKind
detail_of (VtrTimingsBy by)
{
  switch (by)
    {
    case VTR_TIMINGS_BY_DRAW:
      return VTR_PROBE_COMMAND;
    case VTR_TIMINGS_BY_PASS:
      return VTR_PROBE_PASS;
    default:
      return VTR_PROBE_COMMAND_BUFFER;
    }
}

static guint32
what_of (const VtrTimingsQuery *query)
{
  if (query->by == VTR_TIMINGS_BY_FRAME)
    return 0;
  return VTR_PROBE_TIME | (query->statistics ? VTR_PROBE_STATISTICS : 0);
}

static VtrTransform *
loop_chain (gpointer       data,
            guint64       *end,
            GCancellable  *cancellable,
            GError       **error)
{
  Loop *self = data;
  const VtrReplayBasis *basis = self->basis;
  gboolean poison = vtr_replay_session_get_poison (self->session);
  guint64 first, last;
  VtrPlan *plan = vtr_replay_session_get_plan (self->session, cancellable, error);
  VtrTransform *probe;

  if (plan == NULL)
    return NULL;
  vtr_trace_get_frame (basis->trace, self->query->frame, &first, &last);
  *end = last + 1;
  /* A chain may be made twice. */
  g_clear_pointer (&self->probe, vtr_probe_free);
  self->probe = vtr_probe_new ();
  probe = vtr_transform_probe_new (basis->timeline, basis->history,
                                   vtr_plan_get (plan, &vtr_api_vulkan), self->query->frame,
                                   self->from, detail_of (self->query->by), what_of (self->query),
                                   self->probe);
  g_clear_pointer (&self->request->recordings, g_array_unref);
  self->request->recordings = vtr_transform_probe_list_recordings (probe);
  return vtr_transform_chain (vtr_transform_gpu_writes_new (poison), probe, NULL);
}

/* The command before which the stream stops, which is in no command buffer. */
static guint64
find_stop (VtrTimeline *timeline,
           guint64      first,
           guint64      last)
{
  guint64 stop = first;

  if (vtr_timeline_find_recording (timeline, last) == VTR_NO_RECORDING)
    return last;
  for (guint32 i = 0; i < vtr_timeline_get_n_submissions (timeline); i++)
    {
      guint64 submit = vtr_timeline_get_submission (timeline, i)->submit;

      if (submit >= first && submit <= last)
        stop = submit;
    }
  return stop;
}

/* Where measuring starts: with the frame, or, where the state to go back to would be inside of it,
 * with the first work in it. */
static void
choose_start (Loop             *self,
              VtrReplayRequest *request,
              guint64           stop)
{
  const VtrReplayBasis *basis = self->basis;
  guint64 first, last, end;

  vtr_trace_get_frame (basis->trace, self->query->frame, &first, &last);
  self->from = first;
  if (vtr_replay_frame_state_choose (basis, stop, &end) <= first)
    return;
  self->from =
    MAX (first, MIN (vtr_replay_frame_state_find_work (basis, self->query->frame), stop));
  request->keep_first = self->from;
  request->keep_end = last + 1;
}

static void
note_device (Loop *self)
{
  VtrPlan *plan = vtr_replay_session_peek_plan (self->session);
  VtrPlanDevice device;

  if (plan == NULL)
    return;
  vtr_plan_describe (plan, &device);
  self->is_software = device.is_software;
  g_free (self->device);
  self->device = g_strdup (device.name);
}

/* Drops the snapshots of the unedited trace if they are inside commands [@from, @end), but
 * cannot serve all of these. */
static void
drop_between (VtrReplaySession *session,
              guint64           from,
              guint64           end)
{
  VtrSessionReplayer *replayer = vtr_replay_session_get_replayer (session, NULL);
  const VtrReplayFrameState *kept = vtr_vulkan_kept (replayer)->frame_state;

  if (kept != NULL && kept->first < end && kept->end > from &&
      (kept->first > from || kept->end < end))
    vtr_session_replayer_drop_snapshots (replayer);
}

static void
loop_run (gpointer data)
{
  Loop *self = data;
  VtrReplayRequest request = { .session = self->session, .posted = loop_posted, .data = self };
  VtrPlace address = { 0, VTR_NO_RUN };
  VtrReplayOutcome outcome;
  guint64 first, last;

  if (g_cancellable_set_error_if_cancelled (self->cancellable, &self->error))
    return;
  self->request = &request;
  vtr_trace_get_frame (self->basis->trace, self->query->frame, &first, &last);
  address.index = find_stop (self->basis->timeline, first, last);
  choose_start (self, &request, address.index);
  self->starts_late = self->from > first;
  drop_between (self->session, self->from, last + 1);
  if (!self->is_whole)
    {
      vtr_replay_request_answer (&request, &address, loop_chain, 0, &outcome, self->cancellable,
                                 &self->error);
      self->is_whole = request.is_whole;
    }
  else
    {
      VtrTransform *chain =
        loop_chain (self, &request.end, self->cancellable, &self->error);

      self->is_whole = TRUE;
      if (chain != NULL)
        vtr_replay_request_run (&request, chain, 0, &outcome, self->cancellable, &self->error);
    }
  g_clear_pointer (&request.recordings, g_array_unref);
  self->request = NULL;
  note_device (self);
}

/* --- Loops ----------------------------------------------------------------------------------- */

/* Adds one more loop to @gatherer unless it is one to warm up. */
static gboolean
measure_once (Loop                *loop,
              VtrTimingsGatherer  *gatherer,
              gboolean             counts,
              GError             **error)
{
  gboolean ok;

  vtr_replay_session_run (loop->session, loop_run, loop);
  ok = loop->error == NULL;
  if (!ok)
    g_propagate_error (error, g_steal_pointer (&loop->error));
  else if (counts)
    ok = vtr_timings_gatherer_add (gatherer, loop->probe, error);
  g_clear_pointer (&loop->probe, vtr_probe_free);
  return ok;
}

static VtrTimings *
get_timings (const Loop            *loop,
             VtrTimingsGatherer    *gatherer,
             const VtrTimingsQuery *query)
{
  VtrTimings *timings = vtr_timings_gatherer_get (gatherer);

  timings->n_warm = query->n_warm;
  timings->is_software = loop->is_software;
  timings->is_whole = loop->is_whole;
  timings->from = loop->starts_late ? loop->from : 0;
  timings->device = g_strdup (loop->device);
  return timings;
}

static gboolean
check_frame (const VtrReplayBasis  *basis,
             guint64                frame,
             GError               **error)
{
  guint64 first, last;

  if (frame >= vtr_trace_get_n_parts (basis->trace))
    {
      g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH,
                   _ ("There is no frame %s: the trace has %s."), VTR_NUMBER (frame),
                   VTR_NUMBER (vtr_trace_get_n_frames (basis->trace)));
      return FALSE;
    }
  vtr_trace_get_frame (basis->trace, frame, &first, &last);
  for (guint32 i = 0; i < vtr_timeline_get_n_submissions (basis->timeline); i++)
    {
      const VtrSubmission *submission = vtr_timeline_get_submission (basis->timeline, i);

      if (submission->submit >= first && submission->submit <= last && submission->n_runs > 0)
        return TRUE;
    }
  g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING,
               _ ("Frame %s has no GPU work."), VTR_NUMBER (frame));
  return FALSE;
}

VtrTimings *
vtr_vulkan_measure (VtrReplaySession       *self,
                    const VtrTimingsQuery  *asked,
                    VtrTimingsProgress      progress,
                    gpointer                data,
                    GCancellable           *cancellable,
                    GError                **error)
{
  VtrTimingsQuery own = *asked;
  const VtrTimingsQuery *query = &own;
  const gboolean endless = query->n_loops == VTR_TIMINGS_FOR_EVER;
  const guint total = endless ? 0 : query->n_warm + query->n_loops;
  const VtrReplayBasis *basis = vtr_replay_session_get_basis (self);
  Loop loop = {
    .session = self, .basis = basis, .query = query, .cancellable = cancellable
  };
  g_autoptr (VtrTimingsGatherer) gatherer = NULL;
  g_autoptr (VtrTimings) timings = NULL;
  g_autoptr (GError) failure = NULL;
  gboolean measured = FALSE;
  gint64 told = 0;

  /* Counted draw by draw, and summed. */
  if (own.statistics)
    own.by = VTR_TIMINGS_BY_DRAW;
  if (!check_frame (basis, query->frame, error))
    return NULL;
  gatherer = vtr_timings_gatherer_new (basis->timeline, basis->history, query->frame, query->by,
                                       query->statistics);
  for (guint i = 0; endless || i < total; i++)
    {
      if (!measure_once (&loop, gatherer, i >= query->n_warm, &failure))
        break;
      measured = measured || i >= query->n_warm;
      if (measured && progress != NULL && g_get_monotonic_time () - told >= TELL_EVERY)
        {
          told = g_get_monotonic_time ();
          g_clear_pointer (&timings, vtr_timings_unref);
          timings = get_timings (&loop, gatherer, query);
        }
      if (progress != NULL)
        progress (timings, i + 1, total, data);
    }
  g_clear_pointer (&timings, vtr_timings_unref);
  if (measured)
    timings = get_timings (&loop, gatherer, query);
  g_free (loop.device);
  /* Ctrl+C may end the replayer before this process hears of it: its death is no failure then. */
  if (failure != NULL &&
      !(endless && measured && g_cancellable_is_cancelled (cancellable)))
    {
      g_propagate_error (error, g_steal_pointer (&failure));
      return NULL;
    }
  return g_steal_pointer (&timings);
}
