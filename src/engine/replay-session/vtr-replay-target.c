/* Finds the image and subresource that a picture's path means, and the command after which it is
 * read. */
#include "engine/replay-session/vtr-replay-target.h"

#include "vtr-config.h"

#include <glib/gi18n-lib.h>

#include "engine/state/vtr-resolve-error.h"
#include "engine/vulkan/state/vtr-pass-references.h"
#include "vtr-api-args.h"
#include "vulkan/vtr-vulkan-formats.h"

static gboolean
nothing (GError     **error,
         const char  *message)
{
  g_set_error_literal (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING, message);
  return FALSE;
}

/* --- The image ------------------------------------------------------------------------------- */

static guint64
device_of (const VtrReplayBasis *basis,
           const VtrObject      *object)
{
  while (object != NULL && object->type != VTR_HANDLE_VkDevice)
    object = object->parent != 0 ? vtr_history_get_object (basis->history, object->parent) : NULL;
  return object != NULL ? object->handle : 0;
}

/* Sets the aspect: the one asked for, or the first that the format has. */
static gboolean
choose_aspect (VkFormat   format,
               guint32    asked,
               guint32   *out,
               GError   **error)
{
  static const VkImageAspectFlagBits order[] = { VK_IMAGE_ASPECT_COLOR_BIT,
                                                 VK_IMAGE_ASPECT_DEPTH_BIT,
                                                 VK_IMAGE_ASPECT_STENCIL_BIT,
                                                 VK_IMAGE_ASPECT_PLANE_0_BIT };
  const char *name = vtr_enum_value_name (VTR_ENUM_VkFormat, format);

  for (guint i = 0; asked == 0 && i < G_N_ELEMENTS (order); i++)
    if (vtr_vulkan_format_get_aspect (format, order[i]) != NULL)
      asked = order[i];
  *out = asked;
  if (vtr_vulkan_format_get_aspect (format, asked) != NULL)
    return TRUE;
  g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING,
               _ ("An image of format %s has no %s aspect."), name != NULL ? name : "?",
               asked != 0 ? vtr_pixel_aspect_get_name (vtr_vulkan_aspect_get (asked)) : "?");
  return FALSE;
}

static gboolean
choose_sample (guint32   asked,
               guint32   samples,
               guint32   aspect,
               guint32  *out,
               GError  **error)
{
  *out = asked;
  if (asked == VTR_SAMPLE_RESOLVE)
    {
      /* Depth and stencil cannot be resolved by a copy: their first sample stands for them. */
      if (samples == 1 || aspect != VK_IMAGE_ASPECT_COLOR_BIT)
        *out = 0;
      return TRUE;
    }
  if (asked < samples)
    return TRUE;
  g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING,
               _ ("The image has no sample %u: it has %u, counted from 0."), asked, samples);
  return FALSE;
}

/* Whether the image lives, and has memory, when the command runs. */
static gboolean
check_alive (const VtrReplayBasis  *basis,
             const VtrObject       *image,
             const VtrImageInfo    *info,
             guint64                stop,
             GError               **error)
{
  if (image->created > stop)
    return nothing (error, _ ("The image does not exist yet when this command runs."));
  if (image->destroyed <= stop)
    return nothing (error, _ ("The image has been destroyed before this command."));
  if (!info->swapchain &&
      vtr_history_get_memory_binding (basis->history, image->id) == VTR_COMMAND_NO_INDEX)
    return nothing (error, _ ("No memory was ever bound to this image, so it has no contents."));
  return TRUE;
}

/* Fills in the part of @image to read, for which .mip, .layer and .slice are set. @aspect, @sample:
 * as requested. */
static gboolean
fill_target (const VtrReplayBasis  *basis,
             guint32                image_id,
             guint64                stop,
             guint32                aspect,
             guint32                sample,
             VtrReplayTarget       *out,
             GError               **error)
{
  const VtrObject *image = vtr_history_get_object (basis->history, image_id);
  guint32 mip = out->read.mip;
  VtrImageInfo info;

  if (image == NULL || !vtr_history_get_image_info (basis->history, image, &info, NULL))
    return nothing (error, _ ("The trace does not contain the creation of this image."));
  if (!check_alive (basis, image, &info, stop, error) ||
      !choose_aspect (info.format, aspect, &out->read.aspect, error) ||
      !choose_sample (sample, info.samples, out->read.aspect, &out->read.sample, error))
    return FALSE;
  out->image = image_id;
  out->created = image->created;
  out->slices = info.slices;
  out->read.device = device_of (basis, image);
  out->read.image = image->handle;
  out->read.format = (guint32)info.format;
  out->read.samples = (guint32)info.samples;
  out->read.width = MAX (1, info.extent.width >> MIN (mip, 31));
  out->read.height = MAX (1, info.extent.height >> MIN (mip, 31));
  out->read.depth = 1;
  return TRUE;
}

/* --- Any image ------------------------------------------------------------------------------- */

static gboolean
check_range (guint32      asked,
             guint32      end,
             const char  *what,
             GError     **error)
{
  if (asked < end)
    return TRUE;
  g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING,
               _ ("The image has no %s %u: it has %u, counted from 0."), what, asked, end);
  return FALSE;
}

static gboolean
target_of_image (const VtrReplayBasis  *basis,
                 const VtrPicture      *picture,
                 guint64                stop,
                 VtrReplayTarget       *out,
                 GError               **error)
{
  const VtrObject *image = vtr_history_get_object (basis->history, picture->object);
  VtrImageInfo info;

  if (image == NULL || !vtr_history_get_image_info (basis->history, image, &info, NULL))
    return nothing (error, _ ("The trace does not contain the creation of this image."));
  if (!check_range (picture->mip, info.mip_levels, _ ("mip level"), error) ||
      !check_range (picture->layer, info.array_layers, _ ("layer"), error) ||
      !check_range (picture->slice,
                    info.type == VK_IMAGE_TYPE_3D
                      ? MAX (1, info.extent.depth >> MIN (picture->mip, 31))
                      : 1,
                    _ ("slice"), error))
    return FALSE;
  out->read.mip = picture->mip;
  out->read.layer = picture->layer;
  out->read.slice = picture->slice;
  out->format = info.format;
  return fill_target (basis, picture->object, stop, picture->aspects, picture->sample, out, error);
}

/* --- Attachments ----------------------------------------------------------------------------- */

/* The reference of the pass that @kind means; its subpass is the current one. */
static gboolean
find_reference (const VtrReplayBasis *basis,
                const VtrBoundState  *state,
                VtrAttachmentKind     kind,
                VtrAttachment        *out)
{
  g_autoptr (GArray) list = vtr_pass_list_references (basis->history, state);

  for (guint i = 0; i < list->len; i++)
    {
      const VtrPassReference *reference = &g_array_index (list, VtrPassReference, i);

      if (reference->subpass == state->subpass &&
          vtr_pass_reference_get_kind (reference) == kind)
        {
          *out = reference->attachment;
          return TRUE;
        }
    }
  return FALSE;
}

static guint32
aspect_of_kind (VtrAttachmentKind kind,
                guint32           asked)
{
  switch (kind)
    {
    case VTR_ATTACHMENT_DEPTH:
    case VTR_ATTACHMENT_DEPTH_RESOLVE:
      return VK_IMAGE_ASPECT_DEPTH_BIT;
    case VTR_ATTACHMENT_STENCIL:
    case VTR_ATTACHMENT_STENCIL_RESOLVE:
      return VK_IMAGE_ASPECT_STENCIL_BIT;
    default:
      return asked;
    }
}

static gboolean
target_of_attachment (const VtrReplayBasis  *basis,
                      const VtrBoundState   *state,
                      const VtrPicture      *picture,
                      guint64                stop,
                      VtrReplayTarget       *out,
                      GError               **error)
{
  VtrAttachment attachment;
  const VtrObject *image;
  VtrImageInfo info;
  guint32 n_layers;

  if (!find_reference (basis, state, picture->kind, &attachment))
    {
      g_autofree char *name = vtr_attachment_kind_to_string (picture->kind);

      g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING,
                   _ ("The pass has no attachment %s."), name);
      return FALSE;
    }
  image = vtr_history_get_object (basis->history, attachment.image);
  if (image == NULL || !vtr_history_get_image_info (basis->history, image, &info, NULL))
    return nothing (error, _ ("The trace does not contain the creation of this image."));
  n_layers = attachment.range.layerCount;
  if (!check_range (picture->layer, MAX (1, n_layers), _ ("layer"), error))
    return FALSE;
  out->format = attachment.format;
  out->read.mip = attachment.range.baseMipLevel;
  if (info.type == VK_IMAGE_TYPE_3D)
    out->read.slice = attachment.range.baseArrayLayer + picture->layer;
  else
    out->read.layer = attachment.range.baseArrayLayer + picture->layer;
  return fill_target (basis, attachment.image, stop,
                      aspect_of_kind (picture->kind, picture->aspects), picture->sample, out,
                      error);
}

/* --- Presents -------------------------------------------------------------------------------- */

/* The object that is image @nth of a swapchain. */
static guint32
find_swapchain_image (const VtrReplayBasis *basis,
                      const VtrObject      *swapchain,
                      guint32               nth)
{
  guint32 found = 0;

  for (guint32 id = swapchain->id + 1; id <= vtr_history_get_n_objects (basis->history); id++)
    {
      const VtrObject *object = vtr_history_get_object (basis->history, id);

      if (object->type == VTR_HANDLE_VkImage && object->parent == swapchain->id &&
          object->element == nth)
        found = id;
    }
  return found;
}

static gboolean
target_of_present (const VtrReplayBasis  *basis,
                   const VtrPicture      *picture,
                   VtrReplayTarget       *out,
                   GError               **error)
{
  guint64 index = picture->address.index;
  const VkPresentInfoKHR *info;
  VtrPicture presented = *picture;
  VtrCommand command;
  VtrArena arena;
  gboolean ok;

  presented.object = 0;
  vtr_arena_init (&arena);
  ok = vtr_trace_decode (basis->trace, index, &arena, &command, error);
  info = ok ? ((const VtrArgs_vkQueuePresentKHR *)command.args)->pPresentInfo : NULL;
  if (info != NULL && info->swapchainCount > 0 && info->pSwapchains != NULL &&
      info->pImageIndices != NULL)
    {
      const VtrObject *swapchain =
        vtr_history_find (basis->history,
                          vtr_vulkan_identity (VTR_HANDLE_VkSwapchainKHR,
                                               (guint64)(gsize)info->pSwapchains[0]),
                          index);

      if (swapchain != NULL)
        presented.object = find_swapchain_image (basis, swapchain, info->pImageIndices[0]);
    }
  vtr_arena_finish (&arena);
  if (!ok)
    return FALSE;
  if (presented.object == 0)
    return nothing (error, _ ("The trace does not contain the creation of the presented "
                              "swapchain"));
  return target_of_image (basis, &presented, index, out, error);
}

/* --- Passes that have to be looked at from before -------------------------------------------- */

static gboolean
covers (const VtrAttachment   *attachment,
        const VtrReplayTarget *target)
{
  const VkImageSubresourceRange *range = &attachment->range;
  guint32 layer = target->read.layer + target->read.slice;

  return attachment->image == target->image && target->read.mip >= range->baseMipLevel &&
         target->read.mip - range->baseMipLevel < range->levelCount &&
         layer >= range->baseArrayLayer && layer - range->baseArrayLayer < range->layerCount;
}

/* A pass that is cut runs to its end, empty. What it only uses in subpasses to come, or resolves
 * into, is read from before the pass began: nothing of the pass has changed it. (What it has used
 * already, the cut pass does not resolve into.) */
static gboolean
look_before_pass (const VtrReplayBasis  *basis,
                  VtrReplayTarget       *out,
                  GError               **error)
{
  g_autofree VtrBoundState *state = g_new (VtrBoundState, 1);
  g_autoptr (GArray) list = NULL;
  VtrPlace in = out->cut;
  gboolean reached = FALSE, ahead = FALSE;

  if (!vtr_pass_find_open (basis->walker, &in, state) || state->dynamic_rendering)
    return TRUE;
  list = vtr_pass_list_references (basis->history, state);
  for (guint i = 0; i < list->len; i++)
    {
      const VtrPassReference *reference = &g_array_index (list, VtrPassReference, i);

      if (!covers (&reference->attachment, out))
        continue;
      if (vtr_pass_reference_is_to_come (reference, state->subpass))
        ahead = TRUE;
      else
        reached = TRUE;
    }
  if (!ahead || reached)
    return TRUE;
  in.index = vtr_timeline_find_previous (basis->timeline, state->pass_begin);
  if (in.index != VTR_COMMAND_NO_INDEX)
    out->cut = in;
  return TRUE;
}

/* --- Answers --------------------------------------------------------------------------------- */

gboolean
vtr_replay_target_find (const VtrReplayBasis  *basis,
                        const VtrPicture      *picture,
                        VtrReplayTarget       *out,
                        GError               **error)
{
  guint64 index = picture->address.index;
  g_autofree VtrBoundState *state = NULL;
  guint64 stop;

  memset (out, 0, sizeof *out);
  out->cut = picture->address;
  if (index >= vtr_trace_get_n_commands (basis->trace))
    {
      g_autofree char *number = vtr_trace_format_number (basis->trace, index);

      g_set_error (error, VTR_TRACE_ERROR, VTR_TRACE_ERROR_RANGE, _ ("The trace has no command %s"),
                   number);
      return FALSE;
    }
  stop = vtr_timeline_get_stop (basis->timeline, &picture->address);
  if (!picture->is_attachment)
    return target_of_image (basis, picture, stop, out, error) &&
           look_before_pass (basis, out, error);
  if (picture->kind == VTR_ATTACHMENT_COLOR0 &&
      vtr_cmd_is (vtr_trace_get_command_id (basis->trace, index), VTR_CLASS_FRAME_END))
    return target_of_present (basis, picture, out, error);
  state = g_new (VtrBoundState, 1);
  return vtr_pass_find_shown (basis->walker, &picture->address, state, error) &&
         target_of_attachment (basis, state, picture, stop, out, error) &&
         look_before_pass (basis, out, error);
}

guint64
vtr_replay_find_last_readable (VtrTrace        *trace,
                               const VtrObject *object)
{
  guint64 at = MIN (object->destroyed, vtr_trace_get_n_commands (trace));
  guint64 submit = at;

  while (submit > object->created &&
         !vtr_cmd_is (vtr_trace_get_command_id (trace, submit - 1), VTR_CLASS_SUBMIT))
    submit--;
  for (guint64 i = submit; i < at; i++)
    if (vtr_cmd_is (vtr_trace_get_command_id (trace, i), VTR_CLASS_DESTROY))
      return i;
  return at;
}
