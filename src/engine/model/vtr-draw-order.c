/* Finds the next or previous draw or dispatch of a command, across command buffers and
 * submissions. */
#include "vtr-draw-order.h"

#include "vtr-command-tree.h"

#define DRAWS (1u << VTR_COMMAND_KIND_DRAW | 1u << VTR_COMMAND_KIND_DISPATCH)

typedef struct
{
  VtrTimeline *timeline;
  VtrTrace *trace;
  int step;
  guint32 kinds;
  guint64 index; /* found */
  guint32 run;
} Search;

static gboolean
is_wanted (Search *search, guint64 index)
{
  VtrCommandKind kind = vtr_command_kind (vtr_trace_get_command_id (search->trace, index));

  return (search->kinds & 1u << kind) != 0;
}

static gboolean scan_children (Search  *search,
                               guint32  parent,
                               guint64  executed_by,
                               guint32  after);

/* Commands of run @nth from @from (inclusive) to its end or beginning. */
static gboolean
scan_run (Search *search, guint32 nth, guint64 from)
{
  const VtrRun *run = vtr_timeline_get_run (search->timeline, nth);
  const VtrRecording *recording = vtr_timeline_get_recording (search->timeline, run->recording);
  gboolean contiguous = vtr_timeline_is_contiguous (search->timeline);

  if (search->kinds == DRAWS && recording->n_draws + recording->n_dispatches == 0)
    return FALSE;
  for (guint64 i = from; i >= recording->first && i <= recording->last; i += search->step)
    {
      if (!contiguous && vtr_timeline_find_recording (search->timeline, i) != run->recording)
        continue;
      if (is_wanted (search, i))
        {
          search->index = i;
          search->run = nth;
          return TRUE;
        }
      if (run->n_children > 0 && scan_children (search, nth, i, VTR_NO_RUN))
        return TRUE;
      if (i == 0 && search->step < 0)
        break;
    }
  return FALSE;
}

static gboolean
scan_whole_run (Search *search, guint32 nth)
{
  const VtrRun *run = vtr_timeline_get_run (search->timeline, nth);
  const VtrRecording *recording = vtr_timeline_get_recording (search->timeline, run->recording);

  return scan_run (search, nth, search->step > 0 ? recording->first : recording->last);
}

/* The secondary command buffers that @parent executes by its command @executed_by; @after
 * VTR_NO_RUN: all, else those
 * that come after that one in the direction of the search. */
static gboolean
scan_children (Search *search, guint32 parent, guint64 executed_by, guint32 after)
{
  const VtrRun *run = vtr_timeline_get_run (search->timeline, parent);
  gboolean started = after == VTR_NO_RUN;

  for (guint32 i = 0; i < run->n_children; i++)
    {
      guint32 child = run->first_child + (search->step > 0 ? i : run->n_children - 1 - i);

      if (vtr_timeline_get_run (search->timeline, child)->executed_by != executed_by)
        continue;
      if (started && scan_whole_run (search, child))
        return TRUE;
      started |= child == after;
    }
  return FALSE;
}

/* Whether command @index, which is in no list, is what is looked for, or runs it. */
static gboolean
scan_call (Search *search, guint64 index)
{
  guint32 nth = vtr_timeline_find_submission (search->timeline, index);
  const VtrSubmission *submission;

  if (is_wanted (search, index))
    {
      search->index = index;
      search->run = VTR_NO_RUN;
      return TRUE;
    }
  if (nth == VTR_NO_RECORDING)
    return FALSE;
  submission = vtr_timeline_get_submission (search->timeline, nth);
  for (guint32 i = 0; i < submission->n_runs; i++)
    if (scan_whole_run (search, submission->first_run +
                                  (search->step > 0 ? i : submission->n_runs - 1 - i)))
      return TRUE;
  return FALSE;
}

/* Of traces with work outside of lists: the calls from @index (inclusive) to the end or
 * beginning. */
static gboolean
scan_calls (Search *search, guint64 index)
{
  const guint64 n = vtr_trace_get_n_commands (search->trace);

  for (guint64 i = index; i < n; i += (guint64)search->step) /* below 0 wraps, and ends */
    {
      guint32 recording = vtr_timeline_find_recording (search->timeline, i);

      if (recording == VTR_NO_RECORDING)
        {
          if (scan_call (search, i))
            return TRUE;
        }
      else if (vtr_timeline_is_contiguous (search->timeline))
        i = search->step > 0 ? vtr_timeline_get_recording (search->timeline, recording)->last
                             : vtr_timeline_get_recording (search->timeline, recording)->first;
    }
  return FALSE;
}

/* Goes on to the runs around primary run @nth: the other command buffers of its submission, then
 * those of other submissions. */
static gboolean
scan_submissions (Search *search, guint32 submission, guint32 nth)
{
  guint32 n = vtr_timeline_get_n_submissions (search->timeline);

  for (guint32 s = submission; s < n; s += (guint32)search->step) /* below 0 wraps, and ends */
    {
      const gboolean direct = vtr_timeline_has_direct_work (search->timeline);
      const VtrSubmission *item = vtr_timeline_get_submission (search->timeline, s);
      guint32 first = search->step > 0 ? item->first_run : item->first_run + item->n_runs - 1;

      if (s == submission && nth != VTR_NO_RECORDING)
        first = nth + (guint32)search->step;
      for (guint32 i = first; i >= item->first_run && i < item->first_run + item->n_runs;
           i += (guint32)search->step)
        if (scan_whole_run (search, i))
          return TRUE;
      if (direct)
        return scan_calls (search, item->submit + (guint64)search->step);
    }
  return FALSE;
}

static gboolean
step_from_run (Search *search, guint32 nth, guint64 index)
{
  if ((search->step > 0 || index > 0) && scan_run (search, nth, index + (guint64)search->step))
    return TRUE;
  for (;;)
    {
      const VtrRun *run = vtr_timeline_get_run (search->timeline, nth);

      if (run->parent == VTR_NO_RUN)
        return scan_submissions (
          search, vtr_timeline_find_submission (search->timeline, run->submit), nth);
      if (scan_children (search, run->parent, run->executed_by, nth) ||
          scan_run (search, run->parent, run->executed_by + (guint64)search->step))
        return TRUE;
      nth = run->parent;
    }
}

/* The first submission after @index, or the last before or at it. */
static guint32
find_submission_near (Search *search, guint64 index)
{
  guint32 low = 0;
  guint32 high = vtr_timeline_get_n_submissions (search->timeline);

  while (low < high)
    {
      guint32 middle = low + (high - low) / 2;

      if (vtr_timeline_get_submission (search->timeline, middle)->submit <= index)
        low = middle + 1;
      else
        high = middle;
    }
  return search->step > 0 ? low : low - 1; /* below 0 wraps: there is none */
}

static gboolean
step_flat (Search *search, guint32 nth, guint64 index)
{
  const VtrRecording *recording = vtr_timeline_get_recording (search->timeline, nth);

  for (guint64 i = index; search->step > 0 ? i < recording->last : i > recording->first;)
    {
      i += (guint64)search->step;
      if (vtr_timeline_find_recording (search->timeline, i) == nth && is_wanted (search, i))
        {
          search->index = i;
          search->run = VTR_NO_RUN;
          return TRUE;
        }
    }
  return FALSE;
}

/* From a call that is in no list, the command lists that it runs come first. */
static gboolean
find_from_call (Search *search, guint64 index)
{
  const guint32 nth = vtr_timeline_find_submission (search->timeline, index);

  if (search->step < 0 && nth != VTR_NO_RECORDING && scan_call (search, index))
    return TRUE;
  return scan_calls (search, index + (guint64)search->step);
}

static gboolean
find (Search *search, guint64 index, guint32 run)
{
  guint32 n = vtr_timeline_get_n_submissions (search->timeline);
  guint32 recording;

  if (index == VTR_COMMAND_NO_INDEX && vtr_timeline_has_direct_work (search->timeline))
    return scan_calls (search,
                       search->step > 0 ? 0 : vtr_trace_get_n_commands (search->trace) - 1);
  if (index == VTR_COMMAND_NO_INDEX)
    return scan_submissions (search, search->step > 0 ? 0 : n - 1, VTR_NO_RUN);
  recording = vtr_timeline_find_recording (search->timeline, index);
  if (recording == VTR_NO_RECORDING && vtr_timeline_has_direct_work (search->timeline))
    return find_from_call (search, index);
  if (recording == VTR_NO_RECORDING)
    return scan_submissions (search, find_submission_near (search, index), VTR_NO_RUN);
  if (run == VTR_NO_RUN)
    run = vtr_timeline_get_recording (search->timeline, recording)->first_run;
  if (run == VTR_NO_RUN)
    return step_flat (search, recording, index);
  return step_from_run (search, run, index);
}

gboolean
vtr_draw_order_step_kinds (VtrTimeline *timeline,
                           guint64     *index,
                           guint32     *run,
                           int          step,
                           guint32      kinds)
{
  Search search = { timeline, vtr_timeline_get_trace (timeline), step, kinds, 0, 0 };

  g_return_val_if_fail (step == 1 || step == -1, FALSE);

  if (!find (&search, *index, *run))
    return FALSE;
  *index = search.index;
  *run = search.run;
  return TRUE;
}

gboolean
vtr_draw_order_step (VtrTimeline *timeline,
                     guint64     *index,
                     guint32     *run,
                     int          step)
{
  return vtr_draw_order_step_kinds (timeline, index, run, step, DRAWS);
}
