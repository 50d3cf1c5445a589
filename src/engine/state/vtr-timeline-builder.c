/* Fills a VtrTimeline in one pass over the trace; the APIs say what their commands mean. */
#include "engine/format/vtr-trace-walk.h"
#include "engine/state/vtr-command-class.h"
#include "engine/state/vtr-timeline-builder.h"
#include "engine/state/vtr-timeline-private.h"

/* How deep lists may run lists; a damaged file could make a loop. */
#define MAX_DEPTH 8
/* How many runs one file may make of nested lists, before it is taken for hostile. */
#define MAX_RUNS (64u << 20)

struct _VtrTimelineBuilder
{
  VtrTimeline *timeline;
  gpointer scans[VTR_MAX_APIS]; /* of each API; NULL: no command of it yet */
  gboolean mixed;
  VtrSubmission submission; /* under way */
};

VtrTrace *
vtr_timeline_builder_get_trace (VtrTimelineBuilder *self)
{
  return self->timeline->trace;
}

gboolean
vtr_timeline_builder_is_mixed (VtrTimelineBuilder *self)
{
  return self->mixed;
}

guint32
vtr_timeline_builder_begin (VtrTimelineBuilder *self,
                            guint64             list,
                            guint64             index,
                            gboolean            nested,
                            guint32             word)
{
  VtrTimeline *timeline = self->timeline;
  VtrRecording recording = {
    .list = list,
    .first = index,
    .last = index,
    .nested = nested,
    .word = word,
    .first_run = VTR_NO_RUN,
  };
  guint32 nth = timeline->recordings->len;
  GArray *of_list = g_hash_table_lookup (timeline->by_list, &list);

  g_array_append_val (timeline->recordings, recording);
  if (of_list == NULL)
    {
      of_list = g_array_new (FALSE, FALSE, sizeof (guint32));
      g_hash_table_insert (timeline->by_list, g_memdup2 (&list, sizeof list), of_list);
    }
  g_array_append_val (of_list, nth);
  return nth;
}

void
vtr_timeline_builder_extend (VtrTimelineBuilder *self,
                             guint32             nth,
                             guint64             index,
                             VtrCommandCount     count)
{
  VtrRecording *recording = vtr_timeline_recording_at (self->timeline, nth);

  recording->last = index;
  switch (count)
    {
    case VTR_COUNT_DRAW:
      recording->n_draws++;
      break;
    case VTR_COUNT_DISPATCH:
      recording->n_dispatches++;
      break;
    case VTR_COUNT_TRANSFER:
      recording->n_transfers++;
      break;
    case VTR_COUNT_PASS:
      recording->n_passes++;
      break;
    case VTR_COUNT_NOTHING:
      break;
    }
  if (self->timeline->membership != NULL)
    self->timeline->membership[index] = nth;
}

void
vtr_timeline_builder_count (VtrTimelineBuilder *self,
                            guint64             index,
                            VtrCommandCount     count)
{
  VtrTimeline *timeline = self->timeline;

  if (count != VTR_COUNT_DRAW && count != VTR_COUNT_DISPATCH)
    return;
  timeline->has_direct_work = TRUE;
  if (index < vtr_trace_get_n_initial_commands (timeline->trace))
    return;
  if (count == VTR_COUNT_DRAW)
    timeline->n_draws++;
  else
    timeline->n_dispatches++;
}

guint64
vtr_timeline_builder_get_list (VtrTimelineBuilder *self,
                               guint32             nth)
{
  return vtr_timeline_recording_at (self->timeline, nth)->list;
}

void
vtr_timeline_builder_end (VtrTimelineBuilder *self,
                          guint32             nth)
{
  VtrRecording *recording = vtr_timeline_recording_at (self->timeline, nth);

  recording->complete = (vtr_trace_get_flags (self->timeline->trace, recording->last) &
                         (VTR_COMMAND_ABANDONED | VTR_COMMAND_UNFINISHED)) == 0;
}

void
vtr_timeline_builder_execute (VtrTimelineBuilder *self,
                              guint32             nth,
                              guint64             index,
                              const guint32      *executed,
                              guint32             n)
{
  VtrTimeline *timeline = self->timeline;
  VtrRecording *recording = vtr_timeline_recording_at (timeline, nth);
  VtrExecute execute = {
    .index = index,
    .recording = nth,
    .first = timeline->executed->len,
    .count = n,
  };

  for (guint32 i = 0; i < n; i++)
    if (executed[i] != VTR_NO_RECORDING)
      {
        const VtrRecording *other = vtr_timeline_recording_at (timeline, executed[i]);

        recording->n_draws += other->n_draws;
        recording->n_dispatches += other->n_dispatches;
        recording->n_transfers += other->n_transfers;
        recording->n_passes += other->n_passes;
      }
  if (n > 0)
    g_array_append_vals (timeline->executed, executed, n);
  g_array_append_val (timeline->executes, execute);
}

void
vtr_timeline_builder_submit (VtrTimelineBuilder *self,
                             guint64             index,
                             guint64             executor)
{
  self->submission = (VtrSubmission){
    .submit = index,
    .executor = executor,
    .first_run = self->timeline->runs->len,
  };
}

void
vtr_timeline_builder_add_run (VtrTimelineBuilder *self,
                              guint32             recording,
                              guint32             batch,
                              guint32             position)
{
  VtrTimeline *timeline = self->timeline;
  VtrRun run = {
    .recording = recording,
    .submit = self->submission.submit,
    .batch = batch,
    .position = position,
    .executed_by = VTR_COMMAND_NO_INDEX,
    .parent = VTR_NO_RUN,
  };

  if (recording == VTR_NO_RECORDING)
    return;
  if (run.submit >= vtr_trace_get_n_initial_commands (timeline->trace))
    {
      timeline->n_draws += vtr_timeline_recording_at (timeline, recording)->n_draws;
      timeline->n_dispatches += vtr_timeline_recording_at (timeline, recording)->n_dispatches;
    }
  g_array_append_val (timeline->runs, run);
  self->submission.n_runs++;
}

/* Appends the runs of the lists that run @nth runs itself. */
static void
builder_add_children (VtrTimelineBuilder *self, guint32 nth)
{
  VtrTimeline *timeline = self->timeline;
  const VtrRun parent = *vtr_timeline_run_at (timeline, nth);
  const VtrRecording *recording = vtr_timeline_recording_at (timeline, parent.recording);
  guint32 first = timeline->runs->len;

  for (guint32 i = vtr_timeline_find_execute (timeline,
                                              recording->first);
       i < timeline->executes->len; i++)
    {
      const VtrExecute *execute = &g_array_index (timeline->executes, VtrExecute, i);

      if (execute->index > recording->last)
        break;
      if (execute->recording != parent.recording)
        continue;
      for (guint32 k = 0; k < execute->count && timeline->runs->len < MAX_RUNS; k++)
        {
          VtrRun run = {
            .recording = g_array_index (timeline->executed, guint32, execute->first + k),
            .submit = parent.submit,
            .batch = parent.batch,
            .position = k,
            .executed_by = execute->index,
            .parent = nth,
          };

          if (run.recording != VTR_NO_RECORDING && run.recording != parent.recording)
            g_array_append_val (timeline->runs, run);
        }
    }
  vtr_timeline_run_at (timeline, nth)->first_child = first;
  vtr_timeline_run_at (timeline, nth)->n_children = timeline->runs->len - first;
}

/* Level by level, so that the children of each run lie together. */
static void
builder_add_nested (VtrTimelineBuilder *self, guint32 first)
{
  guint32 end = self->timeline->runs->len;

  for (guint depth = 0; depth < MAX_DEPTH && first < end; depth++)
    {
      for (guint32 i = first; i < end; i++)
        builder_add_children (self, i);
      first = end;
      end = self->timeline->runs->len;
    }
}

void
vtr_timeline_builder_end_submission (VtrTimelineBuilder *self)
{
  VtrTimeline *timeline = self->timeline;

  builder_add_nested (self, self->submission.first_run);
  g_array_append_val (timeline->submissions, self->submission);
  if (self->submission.submit < vtr_trace_get_n_initial_commands (timeline->trace))
    timeline->n_initial_submissions = timeline->submissions->len;
}

/* --- The pass --- */

static void
builder_free_scans (VtrTimelineBuilder *self)
{
  for (guint i = 0; i < VTR_MAX_APIS; i++)
    if (self->scans[i] != NULL)
      {
        vtr_apis[i]->scopes->scan_free (self->scans[i]);
        self->scans[i] = NULL;
      }
}

/* Returns: as VtrScopeApi.scan. */
static gboolean
builder_command (VtrTimelineBuilder *self,
                 guint64             index)
{
  const VtrCmdId id = vtr_trace_get_command_id (self->timeline->trace, index);
  const guint nth = vtr_api_get_number (id);
  const VtrScopeApi *scopes;

  if (nth >= VTR_MAX_APIS || !vtr_cmd_is_known (id))
    return TRUE;
  scopes = vtr_apis[nth]->scopes;
  if (scopes == NULL || scopes->scan == NULL)
    {
      vtr_timeline_builder_count (self, index, vtr_command_count (self->timeline->trace, index));
      return TRUE;
    }
  if (self->scans[nth] == NULL)
    self->scans[nth] = scopes->scan_new (self);
  return scopes->scan (self->scans[nth], index, id);
}

static void
vtr_timeline_clear (VtrTimeline *self)
{
  g_array_set_size (self->recordings, 0);
  g_array_set_size (self->executes, 0);
  g_array_set_size (self->executed, 0);
  g_array_set_size (self->submissions, 0);
  g_array_set_size (self->runs, 0);
  g_hash_table_remove_all (self->by_list);
  self->n_draws = self->n_dispatches = 0;
  self->has_direct_work = FALSE;
  self->n_initial_submissions = 0;
}

/* Runs by recording: a counting sort keeps their order. */
static void
vtr_timeline_sort_runs (VtrTimeline *self)
{
  guint32 n = self->recordings->len;
  guint32 *fill;

  self->run_start = g_new0 (guint32, (gsize)n + 1);
  self->run_order = g_new (guint32, MAX (self->runs->len, 1));
  for (guint32 i = 0; i < self->runs->len; i++)
    self->run_start[vtr_timeline_run_at (self, i)->recording + 1]++;
  for (guint32 i = 0; i < n; i++)
    self->run_start[i + 1] += self->run_start[i];

  fill = g_memdup2 (self->run_start, sizeof (guint32) * ((gsize)n + 1));
  for (guint32 i = 0; i < self->runs->len; i++)
    self->run_order[fill[vtr_timeline_run_at (self, i)->recording]++] = i;
  g_free (fill);

  for (guint32 i = 0; i < n; i++)
    {
      VtrRecording *recording = vtr_timeline_recording_at (self, i);

      recording->n_runs = self->run_start[i + 1] - self->run_start[i];
      if (recording->n_runs > 0)
        recording->first_run = self->run_order[self->run_start[i]];
    }
}

static gboolean
builder_pass (VtrTimelineBuilder  *self,
              VtrTraceProgress     progress,
              gpointer             data,
              GCancellable        *cancellable,
              GError             **error)
{
  guint64 n = vtr_trace_get_n_commands (self->timeline->trace);

  for (guint64 i = 0; i < n; i++)
    {
      if (!vtr_trace_walk_goes_on (i, n, progress, data, cancellable, error))
        return FALSE;
      if (builder_command (self, i))
        continue;

      /* A command outside every block: this file lists calls as they were made. Start again, asking
         each whose it is. */
      vtr_timeline_clear (self->timeline);
      builder_free_scans (self);
      self->mixed = TRUE;
      self->timeline->membership = g_new (guint32, n);
      memset (self->timeline->membership, 0xff, sizeof (guint32) * n);
      i = G_MAXUINT64;
    }
  return TRUE;
}

VtrTimeline *
vtr_timeline_build (VtrTrace          *trace,
                    VtrTraceProgress   progress,
                    gpointer           data,
                    GCancellable      *cancellable,
                    GError           **error)
{
  g_autoptr (VtrTimeline) self = g_new0 (VtrTimeline, 1);
  VtrTimelineBuilder builder = { .timeline = self };
  gboolean done;

  g_atomic_ref_count_init (&self->refs);
  self->trace = vtr_trace_ref (trace);
  self->recordings = g_array_new (FALSE, FALSE, sizeof (VtrRecording));
  self->executes = g_array_new (FALSE, FALSE, sizeof (VtrExecute));
  self->executed = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->submissions = g_array_new (FALSE, FALSE, sizeof (VtrSubmission));
  self->runs = g_array_new (FALSE, FALSE, sizeof (VtrRun));
  self->by_list = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free,
                                         (GDestroyNotify)g_array_unref);

  done = builder_pass (&builder, progress, data, cancellable, error);
  builder_free_scans (&builder);
  if (!done)
    return NULL;

  vtr_timeline_sort_runs (self);
  return g_steal_pointer (&self);
}
