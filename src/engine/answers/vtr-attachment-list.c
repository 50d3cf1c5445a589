/* Which pass a command shows, and what the pass refers to, without a replay. */
#include "engine/document/vtr-document-private.h"

#include "vtr-config.h"

#include <glib/gi18n-lib.h>

#include "engine/vulkan/state/vtr-attachments.h"

/* --- Passes ---------------------------------------------------------------------------------- */

guint32
vtr_document_find_run (VtrDocument             *self,
                       const VtrCommandAddress *address)
{
  guint32 nth = vtr_timeline_find_recording (self->timeline, address->index);
  const VtrRun *first;

  if (nth == VTR_NO_RECORDING || address->run != VTR_NO_RECORDING)
    return nth == VTR_NO_RECORDING ? VTR_NO_RECORDING : address->run;
  first = vtr_timeline_find_run (self->timeline, nth, 0);
  return first != NULL ? (guint32)(first - vtr_timeline_get_run (self->timeline, 0))
                       : VTR_NO_RECORDING;
}

/* From a command of a secondary to the vkCmdExecuteCommands that runs it. FALSE: of a primary, or
   nobody does. */
static gboolean
climb (VtrDocument       *self,
       VtrCommandAddress *address)
{
  guint32 nth = vtr_document_find_run (self, address);
  const VtrRun *run = nth != VTR_NO_RECORDING ? vtr_timeline_get_run (self->timeline, nth) : NULL;

  if (run == NULL || run->executed_by == VTR_COMMAND_NO_INDEX || run->parent == VTR_NO_RECORDING)
    return FALSE;
  address->index = run->executed_by;
  address->run = run->parent;
  return TRUE;
}

guint64
vtr_document_find_previous (VtrDocument *self,
                            guint64      index)
{
  guint32 recording = vtr_timeline_find_recording (self->timeline, index);
  guint64 first = recording != VTR_NO_RECORDING
                    ? vtr_timeline_get_recording (self->timeline, recording)->first
                    : index;

  while (index > first)
    if (vtr_timeline_find_recording (self->timeline, --index) == recording)
      return index;
  return VTR_COMMAND_NO_INDEX;
}

gboolean
vtr_document_find_open_pass (VtrDocument       *self,
                             VtrCommandAddress *address,
                             VtrBoundState     *state)
{
  do
    if (!vtr_document_get_bound_state (self, address->index, state, NULL) ||
        state->recording == VTR_NO_RECORDING || !state->in_pass)
      return FALSE;
  while (state->inherited && climb (self, address));
  return !state->inherited;
}

/* The last pass of one recording up to @index, not counting one that is inherited. */
static gboolean
find_in_recording (VtrDocument    *self,
                   guint64         index,
                   VtrBoundState  *state,
                   GError        **error)
{
  if (!vtr_document_get_bound_state (self, index, state, error))
    return FALSE;
  if (state->recording != VTR_NO_RECORDING && !state->in_pass &&
      state->last_pass_end != VTR_COMMAND_NO_INDEX)
    {
      index = vtr_document_find_previous (self, state->last_pass_end);
      if (index == VTR_COMMAND_NO_INDEX ||
          !vtr_document_get_bound_state (self, index, state, error))
        return FALSE;
    }
  return state->recording != VTR_NO_RECORDING && state->in_pass;
}

/* The last pass in the runs [first, end) of a submission, secondaries aside. */
static gboolean
find_in_runs (VtrDocument   *self,
              guint32        first,
              guint32        end,
              VtrBoundState *state)
{
  for (guint32 i = end; i > first; i--)
    {
      const VtrRun *run = vtr_timeline_get_run (self->timeline, i - 1);
      const VtrRecording *recording = vtr_timeline_get_recording (self->timeline, run->recording);

      if (find_in_recording (self, recording->last, state, NULL))
        return TRUE;
    }
  return FALSE;
}

/* The last pass of the submissions up to flat index @index. */
static gboolean
find_submitted (VtrDocument   *self,
                guint64        index,
                VtrBoundState *state)
{
  guint32 low = 0, high = vtr_timeline_get_n_submissions (self->timeline);

  while (low < high)
    {
      guint32 middle = low + (high - low) / 2;

      if (vtr_timeline_get_submission (self->timeline, middle)->submit <= index)
        low = middle + 1;
      else
        high = middle;
    }
  for (guint32 i = low; i > 0; i--)
    {
      const VtrSubmission *submission = vtr_timeline_get_submission (self->timeline, i - 1);

      if (find_in_runs (self, submission->first_run, submission->first_run + submission->n_runs,
                        state))
        return TRUE;
    }
  return FALSE;
}

/* What ran before the primary command buffer of @address. */
static gboolean
find_before (VtrDocument             *self,
             const VtrCommandAddress *address,
             VtrBoundState           *state)
{
  guint32 nth = vtr_document_find_run (self, address);
  guint32 submission = VTR_NO_RECORDING;

  if (nth == VTR_NO_RECORDING)
    return FALSE;
  submission = vtr_timeline_find_submission (self->timeline,
                                             vtr_timeline_get_run (self->timeline, nth)->submit);
  if (submission != VTR_NO_RECORDING)
    {
      const VtrSubmission *info = vtr_timeline_get_submission (self->timeline, submission);

      if (nth >= info->first_run && find_in_runs (self, info->first_run, nth, state))
        return TRUE;
      return info->submit > 0 && find_submitted (self, info->submit - 1, state);
    }
  return FALSE;
}

gboolean
vtr_document_find_shown_pass (VtrDocument              *self,
                              const VtrCommandAddress  *address,
                              VtrBoundState            *state,
                              GError                  **error)
{
  g_autoptr (GError) reason = NULL;
  VtrCommandAddress at = *address;
  g_autofree char *number = vtr_trace_format_number (self->trace, address->index);

  if (vtr_timeline_find_recording (self->timeline, at.index) == VTR_NO_RECORDING &&
      at.index < vtr_trace_get_n_commands (self->trace))
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
        return TRUE; /* inherited, and nobody executes it */
      if (reason == NULL && find_before (self, &at, state))
        return TRUE;
    }
  if (reason != NULL)
    g_propagate_error (error, g_steal_pointer (&reason));
  else if (vtr_timeline_get_n_draws (self->timeline) == 0)
    g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING,
                 _ ("This trace has no draws."));
  else
    g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING,
                 _ ("Command %s comes before the first draw."), number);
  return FALSE;
}

/* --- Attachments ----------------------------------------------------------------------------- */

VtrAttachmentKind
vtr_document_kind_of_reference (const VtrPassReference *reference)
{
  switch (reference->use)
    {
    case VTR_PASS_DEPTH:
      return VTR_ATTACHMENT_DEPTH;
    case VTR_PASS_STENCIL:
      return VTR_ATTACHMENT_STENCIL;
    case VTR_PASS_INPUT:
      return (VtrAttachmentKind)(VTR_ATTACHMENT_INPUT0 + reference->nth);
    case VTR_PASS_RESOLVE:
      return (VtrAttachmentKind)(VTR_ATTACHMENT_RESOLVE0 + reference->nth);
    case VTR_PASS_DEPTH_RESOLVE:
      return VTR_ATTACHMENT_DEPTH_RESOLVE;
    case VTR_PASS_STENCIL_RESOLVE:
      return VTR_ATTACHMENT_STENCIL_RESOLVE;
    case VTR_PASS_SHADING_RATE:
      return VTR_ATTACHMENT_SHADING_RATE;
    case VTR_PASS_COLOR:
    default:
      return (VtrAttachmentKind)(VTR_ATTACHMENT_COLOR0 + reference->nth);
    }
}

static VkImageAspectFlagBits
aspect_of (const VtrPassReference *reference)
{
  switch (reference->use)
    {
    case VTR_PASS_DEPTH:
    case VTR_PASS_DEPTH_RESOLVE:
      return VK_IMAGE_ASPECT_DEPTH_BIT;
    case VTR_PASS_STENCIL:
    case VTR_PASS_STENCIL_RESOLVE:
      return VK_IMAGE_ASPECT_STENCIL_BIT;
    default:
      if (vtr_format_has_depth (reference->attachment.format))
        return VK_IMAGE_ASPECT_DEPTH_BIT;
      return vtr_format_has_stencil (reference->attachment.format) ? VK_IMAGE_ASPECT_STENCIL_BIT
                                                                   : VK_IMAGE_ASPECT_COLOR_BIT;
    }
}

static void
append_reference (GArray                 *list,
                  const VtrPassReference *reference)
{
  const VtrAttachment *attachment = &reference->attachment;
  const VtrAttachmentInfo info = {
    .kind = vtr_document_kind_of_reference (reference),
    .format = attachment->format,
    .width = attachment->extent.width,
    .height = attachment->extent.height,
    .image = attachment->image,
    .samples = attachment->samples,
    .mip = attachment->range.baseMipLevel,
    .layer = attachment->range.baseArrayLayer,
    .n_layers = attachment->range.layerCount,
    .aspect = aspect_of (reference),
  };

  g_array_append_val (list, info);
}

static GArray *
list_attachments (VtrDocument              *self,
                  const VtrCommandAddress  *address,
                  VtrPassUse                last,
                  GError                  **error)
{
  g_autoptr (GArray) list = g_array_new (FALSE, FALSE, sizeof (VtrAttachmentInfo));
  g_autofree VtrBoundState *state = g_new (VtrBoundState, 1);
  g_autoptr (GArray) references = NULL;
  g_autoptr (GError) reason = NULL;

  if (vtr_document_find_shown_pass (self, address, state, &reason))
    {
      references = vtr_pass_list_references (self->history, state);
      for (VtrPassUse use = VTR_PASS_COLOR; use <= last; use++)
        for (guint i = 0; i < references->len; i++)
          {
            const VtrPassReference *reference = &g_array_index (references, VtrPassReference, i);

            if (reference->use == use && reference->subpass == state->subpass)
              append_reference (list, reference);
          }
    }
  else if (!g_error_matches (reason, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING))
    {
      g_propagate_error (error, g_steal_pointer (&reason));
      return NULL;
    }
  if (list->len == 0)
    {
      if (reason == NULL)
        {
          g_autofree char *number = vtr_trace_format_number (self->trace, address->index);

          g_set_error (&reason, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING,
                       _ ("The pass at command %s has no attachments."), number);
        }
      g_propagate_error (error, g_steal_pointer (&reason));
    }
  return g_steal_pointer (&list);
}

GArray *
vtr_document_list_attachments (VtrDocument  *self,
                               guint64       index,
                               GError      **error)
{
  const VtrCommandAddress address = { index, VTR_NO_RECORDING };

  return list_attachments (self, &address, VTR_PASS_STENCIL, error);
}

GArray *
vtr_document_list_all_attachments (VtrDocument  *self,
                                   guint64       index,
                                   guint32       run,
                                   GError      **error)
{
  const VtrCommandAddress address = { index, run };

  return list_attachments (self, &address, VTR_PASS_SHADING_RATE, error);
}
