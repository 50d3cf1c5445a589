#include "engine/resolve/vtr-replay-target.h"

#include "vtr-config.h"

#include <glib/gi18n-lib.h>

#include "engine/resolve/vtr-document-private.h"
#include "engine/resolve/vtr-format-info.h"
#include "vtr-api-args.h"

static gboolean
nothing (GError     **error,
         const char  *message)
{
  g_set_error_literal (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING, message);
  return FALSE;
}

/* --- The image ------------------------------------------------------------------------------- */

static guint64
device_of (VtrDocument     *self,
           const VtrObject *object)
{
  while (object != NULL && object->type != VTR_HANDLE_VkDevice)
    object = object->parent != 0 ? vtr_history_get_object (self->history, object->parent) : NULL;
  return object != NULL ? object->handle : 0;
}

/* Format and samples as the image was made; what the view says when it was not made by
 * vkCreateImage. */
static void
refine_by_creation (VtrDocument     *self,
                    const VtrObject *image,
                    VtrReplayTarget *out)
{
  VtrCommand creation;
  VtrArena arena;

  vtr_arena_init (&arena);
  if (vtr_history_decode_creation (self->history, image, &arena, &creation, NULL) &&
      creation.id == VTR_CMD_vkCreateImage)
    {
      const VkImageCreateInfo *info = ((const VtrArgs_vkCreateImage *)creation.args)->pCreateInfo;

      if (info != NULL)
        {
          out->read.format = (guint32)info->format;
          out->read.samples = (guint32)info->samples;
        }
    }
  vtr_arena_finish (&arena);
}

static gboolean
fill_target (VtrDocument      *self,
             guint32           image_id,
             guint64           index,
             VtrReplayTarget  *out,
             GError          **error)
{
  const VtrObject *image = vtr_history_get_object (self->history, image_id);

  if (image == NULL)
    return nothing (error, _ ("The trace does not hold the creation of this image"));
  if (image->destroyed <= index)
    return nothing (error, _ ("The image last drawn into has been destroyed before this command"));
  out->image = image_id;
  out->created = image->created;
  out->read.device = device_of (self, image);
  out->read.image = image->handle;
  out->read.depth = 1;
  refine_by_creation (self, image, out);
  out->read.sample =
    out->read.samples > 1 && out->read.aspect == VK_IMAGE_ASPECT_COLOR_BIT ? G_MAXUINT32 : 0;
  return TRUE;
}

static gboolean
target_of_attachment (VtrDocument          *self,
                      const VtrBoundState  *state,
                      VtrAttachmentKind     kind,
                      guint64               index,
                      VtrReplayTarget      *out,
                      GError              **error)
{
  const VtrAttachment *attachment = NULL;

  out->read.aspect = VK_IMAGE_ASPECT_COLOR_BIT;
  if (kind == VTR_ATTACHMENT_DEPTH && state->has_depth)
    {
      attachment = &state->depth;
      out->read.aspect = VK_IMAGE_ASPECT_DEPTH_BIT;
    }
  else if (kind == VTR_ATTACHMENT_STENCIL && state->has_stencil)
    {
      attachment = &state->stencil;
      out->read.aspect = VK_IMAGE_ASPECT_STENCIL_BIT;
    }
  else if ((guint)kind < state->n_colors)
    attachment = &state->colors[kind];

  if (attachment == NULL || attachment->image == 0)
    return nothing (error, _ ("The pass has no such attachment"));
  out->format = attachment->format;
  out->read.format = (guint32)attachment->format;
  out->read.samples = MAX (1, (guint32)attachment->samples);
  out->read.width = attachment->extent.width;
  out->read.height = attachment->extent.height;
  out->read.mip = attachment->range.baseMipLevel;
  out->read.layer = attachment->range.baseArrayLayer;
  return fill_target (self, attachment->image, index, out, error);
}

/* --- Presents -------------------------------------------------------------------------------- */

/* The object that is image @nth of a swapchain. */
static guint32
find_swapchain_image (VtrDocument     *self,
                      const VtrObject *swapchain,
                      guint32          nth)
{
  guint32 found = 0;

  for (guint32 id = swapchain->id + 1; id <= vtr_history_get_n_objects (self->history); id++)
    {
      const VtrObject *object = vtr_history_get_object (self->history, id);

      if (object->type == VTR_HANDLE_VkImage && object->parent == swapchain->id &&
          object->element == nth)
        found = id;
    }
  return found;
}

static gboolean
target_of_present (VtrDocument      *self,
                   guint64           index,
                   VtrReplayTarget  *out,
                   GError          **error)
{
  const VkPresentInfoKHR *info;
  const VtrObject *swapchain = NULL;
  guint32 nth = 0;
  VtrCommand command;
  VtrCommand creation;
  VtrArena arena;
  gboolean ok;

  vtr_arena_init (&arena);
  ok = vtr_trace_decode (self->trace, index, &arena, &command, error);
  info = ok ? ((const VtrArgs_vkQueuePresentKHR *)command.args)->pPresentInfo : NULL;
  if (info != NULL && info->swapchainCount > 0 && info->pSwapchains != NULL &&
      info->pImageIndices != NULL)
    {
      nth = info->pImageIndices[0];
      swapchain = vtr_history_find (self->history, VTR_HANDLE_VkSwapchainKHR,
                                    (guint64)(gsize)info->pSwapchains[0], index);
    }
  if (ok && swapchain != NULL &&
      (ok = vtr_history_decode_creation (self->history, swapchain, &arena, &creation, error)) &&
      creation.id == VTR_CMD_vkCreateSwapchainKHR &&
      ((const VtrArgs_vkCreateSwapchainKHR *)creation.args)->pCreateInfo != NULL)
    {
      const VkSwapchainCreateInfoKHR *made =
        ((const VtrArgs_vkCreateSwapchainKHR *)creation.args)->pCreateInfo;

      out->format = made->imageFormat;
      out->read.format = (guint32)made->imageFormat;
      out->read.aspect = VK_IMAGE_ASPECT_COLOR_BIT;
      out->read.samples = 1;
      out->read.width = made->imageExtent.width;
      out->read.height = made->imageExtent.height;
      ok = fill_target (self, find_swapchain_image (self, swapchain, nth), index, out, error);
    }
  else if (ok)
    ok = nothing (error, _ ("The trace does not hold the creation of the presented swapchain"));
  vtr_arena_finish (&arena);
  return ok;
}

/* The flat index at which the cut takes place: the submission, for what is inside a command
 * buffer. */
static guint64
stop_of (VtrDocument *self,
         guint64      index,
         guint32      run)
{
  guint32 nth = vtr_timeline_find_recording (self->timeline, index);
  const VtrRun *found = NULL;

  if (nth == VTR_NO_RECORDING)
    return index;
  found = run != VTR_NO_RECORDING ? vtr_timeline_get_run (self->timeline, run)
                                  : vtr_timeline_find_run (self->timeline, nth, 0);
  return found != NULL ? found->submit : index;
}

/* The state of the pass that command @index shows. */
static gboolean
find_pass (VtrDocument    *self,
           guint64         index,
           guint64         stop,
           VtrBoundState  *state,
           GError        **error)
{
  g_autoptr (GError) reason = NULL;

  if (stop == index)
    return vtr_document_find_drawn_command (self, index, state, error) != VTR_COMMAND_NO_INDEX;
  if (vtr_document_find_pass_command (self, index, state, &reason) != VTR_COMMAND_NO_INDEX)
    return TRUE;
  /* Nothing in this command buffer yet: what was drawn before it is submitted. */
  if (stop > 0 && g_error_matches (reason, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING))
    return vtr_document_find_drawn_command (self, stop - 1, state, error) != VTR_COMMAND_NO_INDEX;
  g_propagate_error (error, g_steal_pointer (&reason));
  return FALSE;
}

gboolean
vtr_replay_target_find (VtrDocument        *self,
                        guint64             index,
                        guint32             run,
                        VtrAttachmentKind   attachment,
                        VtrReplayTarget    *out,
                        GError            **error)
{
  g_autofree VtrBoundState *state = NULL;
  guint64 stop;

  memset (out, 0, sizeof *out);
  if (index >= vtr_trace_get_n_commands (self->trace))
    {
      g_autofree char *number = vtr_trace_format_number (self->trace, index);

      g_set_error (error, VTR_TRACE_ERROR, VTR_TRACE_ERROR_RANGE,
                   _ ("The trace has no command %s"), number);
      return FALSE;
    }
  if (attachment == VTR_ATTACHMENT_COLOR0 &&
      vtr_cmd_is (vtr_trace_get_command_id (self->trace, index), VTR_CLASS_PRESENT))
    return target_of_present (self, index, out, error);
  stop = stop_of (self, index, run);
  state = g_new (VtrBoundState, 1);
  return find_pass (self, index, stop, state, error) &&
         target_of_attachment (self, state, attachment, stop, out, error);
}
