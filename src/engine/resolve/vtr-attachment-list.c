/* Which attachments a command can show, without a replay. */
#include "engine/resolve/vtr-document-private.h"

#include <glib/gi18n.h>

static void
append_attachment (GArray *list, VtrAttachmentKind kind, const VtrAttachment *attachment)
{
  VtrAttachmentInfo info = {
    .kind = kind,
    .format = attachment->format,
    .width = attachment->extent.width,
    .height = attachment->extent.height,
    .image = attachment->image,
    .samples = attachment->samples,
  };

  if (attachment->image != 0)
    g_array_append_val (list, info);
}

static void
append_pass (GArray *list, const VtrBoundState *state)
{
  for (guint32 i = 0; i < state->n_colors; i++)
    append_attachment (list, (VtrAttachmentKind)(VTR_ATTACHMENT_COLOR0 + i), &state->colors[i]);
  if (state->has_depth)
    append_attachment (list, VTR_ATTACHMENT_DEPTH, &state->depth);
  if (state->has_stencil)
    append_attachment (list, VTR_ATTACHMENT_STENCIL, &state->stencil);
}

/* The command before @index in the same recording. */
static guint64
previous_in_recording (VtrTimeline *timeline, guint32 recording, guint64 index)
{
  guint64 first = vtr_timeline_get_recording (timeline, recording)->first;

  while (index > first)
    if (vtr_timeline_find_recording (timeline, --index) == recording)
      return index;
  return VTR_COMMAND_NO_INDEX;
}

guint64
vtr_document_find_pass_command (VtrDocument    *self,
                                guint64         index,
                                VtrBoundState  *state,
                                GError        **error)
{
  g_autofree char *number = NULL;
  VtrTimeline *timeline = self->timeline;

  if (!vtr_document_get_bound_state (self, index, state, error))
    return VTR_COMMAND_NO_INDEX;
  if (state->recording != VTR_NO_RECORDING && !state->in_pass &&
      state->last_pass_end != VTR_COMMAND_NO_INDEX)
    {
      index = previous_in_recording (timeline, state->recording, state->last_pass_end);
      if (index == VTR_COMMAND_NO_INDEX ||
          !vtr_document_get_bound_state (self, index, state, error))
        return VTR_COMMAND_NO_INDEX;
    }
  if (state->recording != VTR_NO_RECORDING && state->in_pass)
    return index;
  number = vtr_trace_format_number (self->trace, index);
  g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING,
               _ ("Nothing was drawn before command %s in its command buffer."), number);
  return VTR_COMMAND_NO_INDEX;
}

/* The last pass in the runs of a submission, secondaries aside. */
static guint64
find_in_submission (VtrDocument *self, guint32 submission, VtrBoundState *state)
{
  const VtrSubmission *info = vtr_timeline_get_submission (self->timeline, submission);

  for (guint32 i = info->n_runs; i > 0; i--)
    {
      const VtrRun *run = vtr_timeline_get_run (self->timeline, info->first_run + i - 1);
      const VtrRecording *recording = vtr_timeline_get_recording (self->timeline, run->recording);
      guint64 index = vtr_document_find_pass_command (self, recording->last, state, NULL);

      if (index != VTR_COMMAND_NO_INDEX)
        return index;
    }
  return VTR_COMMAND_NO_INDEX;
}

guint64
vtr_document_find_drawn_command (VtrDocument    *self,
                                 guint64         index,
                                 VtrBoundState  *state,
                                 GError        **error)
{
  guint32 low = 0, high = vtr_timeline_get_n_submissions (self->timeline);
  guint64 found = VTR_COMMAND_NO_INDEX;

  if (index >= vtr_trace_get_n_commands (self->trace) ||
      vtr_timeline_find_recording (self->timeline, index) != VTR_NO_RECORDING)
    {
      g_autoptr (GError) reason = NULL;

      found = vtr_document_find_pass_command (self, index, state, &reason);
      if (found != VTR_COMMAND_NO_INDEX)
        return found;
      if (!g_error_matches (reason, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING))
        {
          g_propagate_error (error, g_steal_pointer (&reason));
          return VTR_COMMAND_NO_INDEX;
        }
    }

  while (low < high)
    {
      guint32 middle = low + (high - low) / 2;

      if (vtr_timeline_get_submission (self->timeline, middle)->submit <= index)
        low = middle + 1;
      else
        high = middle;
    }
  for (guint32 i = low; i > 0 && found == VTR_COMMAND_NO_INDEX; i--)
    found = find_in_submission (self, i - 1, state);
  if (found == VTR_COMMAND_NO_INDEX)
    {
      g_autofree char *number = vtr_trace_format_number (self->trace, index);

      g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING,
                   _ ("Command %s comes before the first draw."), number);
    }
  return found;
}

GArray *
vtr_document_list_attachments (VtrDocument *self, guint64 index, GError **error)
{
  g_autoptr (GArray) list = g_array_new (FALSE, FALSE, sizeof (VtrAttachmentInfo));
  g_autofree VtrBoundState *state = g_new (VtrBoundState, 1);
  g_autoptr (GError) reason = NULL;

  if (vtr_document_find_drawn_command (self, index, state, &reason) != VTR_COMMAND_NO_INDEX)
    append_pass (list, state);
  else if (!g_error_matches (reason, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING))
    {
      g_propagate_error (error, g_steal_pointer (&reason));
      return NULL;
    }
  if (list->len == 0)
    {
      g_autofree char *number = vtr_trace_format_number (self->trace, index);

      if (reason == NULL)
        g_set_error (&reason, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING,
                     _ ("The pass at command %s has no attachments."), number);
      g_propagate_error (error, g_steal_pointer (&reason));
    }
  return g_steal_pointer (&list);
}
