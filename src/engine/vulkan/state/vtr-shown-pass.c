/* Finds the pass that a command is in, or whose attachments are shown for it. */
#include "engine/vulkan/state/vtr-pass-references.h"

#include "vtr-config.h"

#include <glib/gi18n-lib.h>

#include "engine/state/vtr-resolve-error.h"

/* Goes from a command of a secondary to the vkCmdExecuteCommands that runs it. FALSE: it is in a
   primary, or never executed. */
static gboolean
climb (VtrBoundWalker *self,
       VtrPlace       *address)
{
  VtrTimeline *timeline = vtr_bound_walker_get_timeline (self);
  guint32 nth = vtr_timeline_get_run_of (timeline, address);
  const VtrRun *run = nth != VTR_NO_RECORDING ? vtr_timeline_get_run (timeline, nth) : NULL;

  if (run == NULL || run->executed_by == VTR_COMMAND_NO_INDEX || run->parent == VTR_NO_RUN)
    return FALSE;
  address->index = run->executed_by;
  address->run = run->parent;
  return TRUE;
}

gboolean
vtr_pass_find_open (VtrBoundWalker *self,
                    VtrPlace       *address,
                    VtrBoundState  *state)
{
  do
    if (!vtr_bound_walker_get (self, address->index, state, NULL) ||
        state->recording == VTR_NO_RECORDING || !state->in_pass)
      return FALSE;
  while (state->inherited && climb (self, address));
  return !state->inherited;
}

/* The last pass of one recording up to @index, not counting one that is inherited. */
static gboolean
find_in_recording (VtrBoundWalker  *self,
                   guint64          index,
                   VtrBoundState   *state,
                   GError         **error)
{
  VtrTimeline *timeline = vtr_bound_walker_get_timeline (self);

  if (!vtr_bound_walker_get (self, index, state, error))
    return FALSE;
  if (state->recording != VTR_NO_RECORDING && !state->in_pass &&
      state->last_pass_end != VTR_COMMAND_NO_INDEX)
    {
      index = vtr_timeline_find_previous (timeline, state->last_pass_end);
      if (index == VTR_COMMAND_NO_INDEX ||
          !vtr_bound_walker_get (self, index, state, error))
        return FALSE;
    }
  return state->recording != VTR_NO_RECORDING && state->in_pass;
}

/* The last pass in the runs [first, end) of a submission, secondaries aside. */
static gboolean
find_in_runs (VtrBoundWalker *self,
              guint32         first,
              guint32         end,
              VtrBoundState  *state)
{
  VtrTimeline *timeline = vtr_bound_walker_get_timeline (self);

  for (guint32 i = end; i > first; i--)
    {
      const VtrRun *run = vtr_timeline_get_run (timeline, i - 1);
      const VtrRecording *recording = vtr_timeline_get_recording (timeline, run->recording);

      if (find_in_recording (self, recording->last, state, NULL))
        return TRUE;
    }
  return FALSE;
}

/* The last pass of the submissions up to flat index @index. */
static gboolean
find_submitted (VtrBoundWalker *self,
                guint64         index,
                VtrBoundState  *state)
{
  VtrTimeline *timeline = vtr_bound_walker_get_timeline (self);
  guint32 low = 0, high = vtr_timeline_get_n_submissions (timeline);

  while (low < high)
    {
      guint32 middle = low + (high - low) / 2;

      if (vtr_timeline_get_submission (timeline, middle)->submit <= index)
        low = middle + 1;
      else
        high = middle;
    }
  for (guint32 i = low; i > 0; i--)
    {
      const VtrSubmission *submission = vtr_timeline_get_submission (timeline, i - 1);

      if (find_in_runs (self, submission->first_run, submission->first_run + submission->n_runs,
                        state))
        return TRUE;
    }
  return FALSE;
}

/* Finds the work that ran before the primary command buffer of @address. */
static gboolean
find_before (VtrBoundWalker *self,
             const VtrPlace *address,
             VtrBoundState  *state)
{
  VtrTimeline *timeline = vtr_bound_walker_get_timeline (self);
  guint32 nth = vtr_timeline_get_run_of (timeline, address);
  guint32 submission = VTR_NO_RECORDING;

  if (nth == VTR_NO_RECORDING)
    return FALSE;
  submission = vtr_timeline_find_submission (timeline,
                                             vtr_timeline_get_run (timeline, nth)->submit);
  if (submission != VTR_NO_RECORDING)
    {
      const VtrSubmission *info = vtr_timeline_get_submission (timeline, submission);

      if (nth >= info->first_run && find_in_runs (self, info->first_run, nth, state))
        return TRUE;
      return info->submit > 0 && find_submitted (self, info->submit - 1, state);
    }
  return FALSE;
}

gboolean
vtr_pass_find_shown (VtrBoundWalker  *self,
                     const VtrPlace  *address,
                     VtrBoundState   *state,
                     GError         **error)
{
  VtrTimeline *timeline = vtr_bound_walker_get_timeline (self);
  VtrTrace *trace = vtr_timeline_get_trace (timeline);
  g_autoptr (GError) reason = NULL;
  VtrPlace at = *address;
  g_autofree char *number = vtr_trace_format_number (trace, address->index);

  if (vtr_timeline_find_recording (timeline, at.index) == VTR_NO_RECORDING &&
      at.index < vtr_trace_get_n_commands (trace))
    {
      if (find_submitted (self, at.index, state))
        return TRUE;
    }
  else
    {
      do
        if (find_in_recording (self, at.index, state, &reason) && !state->inherited)
          return TRUE;
      while (reason == NULL && climb (self, &at));
      if (reason == NULL && state->recording != VTR_NO_RECORDING && state->in_pass)
        return TRUE; /* inherited, and never executed */
      if (reason == NULL && find_before (self, &at, state))
        return TRUE;
    }
  if (reason != NULL)
    g_propagate_error (error, g_steal_pointer (&reason));
  else if (vtr_timeline_get_n_draws (timeline) == 0)
    g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING,
                 _ ("This trace has no draws."));
  else
    g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING,
                 _ ("Command %s comes before the first draw."), number);
  return FALSE;
}

VtrAttachmentKind
vtr_pass_reference_get_kind (const VtrPassReference *self)
{
  switch (self->use)
    {
    case VTR_PASS_DEPTH:
      return VTR_ATTACHMENT_DEPTH;
    case VTR_PASS_STENCIL:
      return VTR_ATTACHMENT_STENCIL;
    case VTR_PASS_INPUT:
      return (VtrAttachmentKind)(VTR_ATTACHMENT_INPUT0 + self->nth);
    case VTR_PASS_RESOLVE:
      return (VtrAttachmentKind)(VTR_ATTACHMENT_RESOLVE0 + self->nth);
    case VTR_PASS_DEPTH_RESOLVE:
      return VTR_ATTACHMENT_DEPTH_RESOLVE;
    case VTR_PASS_STENCIL_RESOLVE:
      return VTR_ATTACHMENT_STENCIL_RESOLVE;
    case VTR_PASS_SHADING_RATE:
      return VTR_ATTACHMENT_SHADING_RATE;
    case VTR_PASS_COLOR:
    default:
      return (VtrAttachmentKind)(VTR_ATTACHMENT_COLOR0 + self->nth);
    }
}
