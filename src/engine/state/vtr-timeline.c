/* Answers questions about what ran when, from arrays that vtr-timeline-builder.c fills. */
#include "engine/state/vtr-timeline-private.h"

guint32
vtr_timeline_find_execute (VtrTimeline *self, guint64 index)
{
  guint32 low = 0, high = self->executes->len;

  while (low < high)
    {
      guint32 middle = low + (high - low) / 2;

      if (g_array_index (self->executes, VtrExecute, middle).index < index)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

VtrTimeline *
vtr_timeline_ref (VtrTimeline *self)
{
  g_atomic_ref_count_inc (&self->refs);
  return self;
}

void
vtr_timeline_unref (VtrTimeline *self)
{
  if (!g_atomic_ref_count_dec (&self->refs))
    return;

  vtr_trace_unref (self->trace);
  g_array_unref (self->recordings);
  g_array_unref (self->executes);
  g_array_unref (self->executed);
  g_array_unref (self->submissions);
  g_array_unref (self->runs);
  g_hash_table_unref (self->by_list);
  g_free (self->run_order);
  g_free (self->run_start);
  g_free (self->membership);
  g_free (self);
}

VtrTrace *
vtr_timeline_get_trace (VtrTimeline *self)
{
  return self->trace;
}

gboolean
vtr_timeline_is_contiguous (VtrTimeline *self)
{
  return self->membership == NULL;
}

guint32
vtr_timeline_get_n_recordings (VtrTimeline *self)
{
  return self->recordings->len;
}

const VtrRecording *
vtr_timeline_get_recording (VtrTimeline *self, guint32 nth)
{
  g_return_val_if_fail (nth < self->recordings->len, NULL);

  return vtr_timeline_recording_at (self, nth);
}

guint32
vtr_timeline_find_recording (VtrTimeline *self, guint64 index)
{
  guint32 low = 0, high = self->recordings->len;

  if (self->membership != NULL)
    return index < vtr_trace_get_n_commands (self->trace) ? self->membership[index]
                                                          : VTR_NO_RECORDING;
  while (low < high)
    {
      guint32 middle = low + (high - low) / 2;
      const VtrRecording *recording = vtr_timeline_recording_at (self, middle);

      if (index < recording->first)
        high = middle;
      else if (index > recording->last)
        low = middle + 1;
      else
        return middle;
    }
  return VTR_NO_RECORDING;
}

guint32
vtr_timeline_find_recording_at (VtrTimeline *self, guint64 list, guint64 submit)
{
  GArray *of_list = g_hash_table_lookup (self->by_list, &list);
  guint32 low = 0, high = of_list != NULL ? of_list->len : 0;

  /* First recording that starts after the submission. */
  while (low < high)
    {
      guint32 middle = low + (high - low) / 2;
      guint32 nth = g_array_index (of_list, guint32, middle);

      if (vtr_timeline_recording_at (self, nth)->first < submit)
        low = middle + 1;
      else
        high = middle;
    }
  for (; low > 0; low--)
    {
      guint32 nth = g_array_index (of_list, guint32, low - 1);
      const VtrRecording *recording = vtr_timeline_recording_at (self, nth);

      if (recording->complete && recording->last < submit)
        return nth;
    }
  return VTR_NO_RECORDING;
}

const guint32 *
vtr_timeline_get_executed (VtrTimeline *self, guint64 index, guint32 *n)
{
  guint32 nth = vtr_timeline_find_execute (self, index);
  const VtrExecute *execute;

  *n = 0;
  if (nth >= self->executes->len)
    return NULL;
  execute = &g_array_index (self->executes, VtrExecute, nth);
  if (execute->index != index)
    return NULL;
  *n = execute->count;
  return &g_array_index (self->executed, guint32, execute->first);
}

guint32
vtr_timeline_get_n_submissions (VtrTimeline *self)
{
  return self->submissions->len;
}

guint32
vtr_timeline_get_n_initial_submissions (VtrTimeline *self)
{
  return self->n_initial_submissions;
}

const VtrSubmission *
vtr_timeline_get_submission (VtrTimeline *self, guint32 nth)
{
  g_return_val_if_fail (nth < self->submissions->len, NULL);

  return &g_array_index (self->submissions, VtrSubmission, nth);
}

guint32
vtr_timeline_find_submission (VtrTimeline *self, guint64 index)
{
  guint32 low = 0, high = self->submissions->len;

  while (low < high)
    {
      guint32 middle = low + (high - low) / 2;
      guint64 submit = g_array_index (self->submissions, VtrSubmission, middle).submit;

      if (submit == index)
        return middle;
      if (submit < index)
        low = middle + 1;
      else
        high = middle;
    }
  return VTR_NO_RECORDING;
}

guint32
vtr_timeline_get_n_runs (VtrTimeline *self)
{
  return self->runs->len;
}

const VtrRun *
vtr_timeline_get_run (VtrTimeline *self, guint32 nth)
{
  g_return_val_if_fail (nth < self->runs->len, NULL);

  return vtr_timeline_run_at (self, nth);
}

guint32
vtr_timeline_find_run_in (VtrTimeline *self, guint64 submit, guint64 batch, guint64 position)
{
  guint32 nth = vtr_timeline_find_submission (self, submit);
  const VtrSubmission *submission;

  if (nth == VTR_NO_RECORDING)
    return VTR_NO_RUN;
  submission = vtr_timeline_get_submission (self, nth);
  for (guint32 i = 0; i < submission->n_runs; i++)
    {
      const VtrRun *run = vtr_timeline_run_at (self, submission->first_run + i);

      if (run->batch == batch && run->position == position)
        return submission->first_run + i;
    }
  return VTR_NO_RUN;
}

guint32
vtr_timeline_find_run_index (VtrTimeline *self, guint32 recording, guint32 k)
{
  g_return_val_if_fail (recording < self->recordings->len, VTR_NO_RUN);

  if (k >= vtr_timeline_recording_at (self, recording)->n_runs)
    return VTR_NO_RUN;
  return self->run_order[self->run_start[recording] + k];
}

const VtrRun *
vtr_timeline_find_run (VtrTimeline *self, guint32 recording, guint32 k)
{
  guint32 run = vtr_timeline_find_run_index (self, recording, k);

  return run != VTR_NO_RUN ? vtr_timeline_run_at (self, run) : NULL;
}

guint32
vtr_timeline_get_run_number (VtrTimeline *self,
                             guint32      nth)
{
  guint32 recording, low, high;

  g_return_val_if_fail (nth < self->runs->len, 0);

  recording = vtr_timeline_run_at (self, nth)->recording;
  low = self->run_start[recording];
  high = self->run_start[recording + 1];
  while (low < high)
    {
      guint32 middle = low + (high - low) / 2;

      if (self->run_order[middle] < nth)
        low = middle + 1;
      else
        high = middle;
    }
  return low - self->run_start[recording];
}

guint64
vtr_timeline_get_n_draws (VtrTimeline *self)
{
  return self->n_draws;
}

guint64
vtr_timeline_get_n_dispatches (VtrTimeline *self)
{
  return self->n_dispatches;
}

gboolean
vtr_timeline_has_direct_work (VtrTimeline *self)
{
  return self->has_direct_work;
}

/* --- Places ---------------------------------------------------------------------------------- */

guint32
vtr_timeline_get_run_of (VtrTimeline    *self,
                         const VtrPlace *address)
{
  guint32 nth = vtr_timeline_find_recording (self, address->index);

  if (nth == VTR_NO_RECORDING)
    return VTR_NO_RUN;
  return address->run != VTR_NO_RUN ? address->run
                                    : vtr_timeline_find_run_index (self, nth, 0);
}

guint64
vtr_timeline_get_stop (VtrTimeline    *self,
                       const VtrPlace *address)
{
  guint32 run = vtr_timeline_get_run_of (self, address);

  return run != VTR_NO_RUN ? vtr_timeline_get_run (self, run)->submit : address->index;
}

guint64
vtr_timeline_find_previous (VtrTimeline *self,
                            guint64      index)
{
  guint32 recording = vtr_timeline_find_recording (self, index);
  guint64 first = recording != VTR_NO_RECORDING
                    ? vtr_timeline_get_recording (self, recording)->first
                    : index;

  while (index > first)
    if (vtr_timeline_find_recording (self, --index) == recording)
      return index;
  return VTR_COMMAND_NO_INDEX;
}
