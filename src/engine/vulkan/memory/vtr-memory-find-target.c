/* Finds the image and subresource that a query's path means, and the command after which it is
 * read. */
#include "engine/vulkan/memory/vtr-memory-model.h"

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

/* Sets the aspect: the one asked for, or the first that the format has. */
static gboolean
choose_aspect (VkFormat         format,
               VtrPixelAspect   asked,
               VtrPixelAspect  *out,
               GError         **error)
{
  static const VtrPixelAspect order[] = { VTR_PIXEL_COLOR, VTR_PIXEL_DEPTH, VTR_PIXEL_STENCIL,
                                          VTR_PIXEL_PLANE_0 };
  const VtrPixelFormat *pixels = vtr_vulkan_format_get (format);
  const char *name = vtr_enum_value_name (VTR_ENUM_VkFormat, format);
  const char *aspect;

  for (guint i = 0; asked == VTR_PIXEL_NO_ASPECT && i < G_N_ELEMENTS (order); i++)
    if (vtr_pixel_format_get_aspect (pixels, order[i]) != NULL)
      asked = order[i];
  *out = asked;
  if (vtr_pixel_format_get_aspect (pixels, asked) != NULL)
    return TRUE;
  aspect = vtr_pixel_aspect_get_name (asked);
  g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING,
               _ ("An image of format %s has no %s aspect."), name != NULL ? name : "?",
               aspect != NULL ? aspect : "?");
  return FALSE;
}

static gboolean
choose_sample (guint32          asked,
               guint32          samples,
               VtrPixelAspect   aspect,
               guint32         *out,
               GError         **error)
{
  *out = asked;
  if (asked == VTR_SAMPLE_RESOLVE)
    {
      /* A copy cannot resolve depth and stencil, so their first sample is shown. */
      if (samples == 1 || aspect != VTR_PIXEL_COLOR)
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
check_alive (VtrVulkanMemory     *self,
             const VtrObject     *image,
             const VtrImageInfo  *info,
             guint64              stop,
             GError             **error)
{
  if (image->created > stop)
    return nothing (error, _ ("The image does not exist yet when this command runs."));
  if (image->destroyed <= stop)
    return nothing (error, _ ("The image has been destroyed before this command."));
  if (!info->swapchain &&
      vtr_history_get_memory_binding (self->history, image->id) == VTR_COMMAND_NO_INDEX)
    return nothing (error, _ ("No memory was ever bound to this image, so it has no contents."));
  return TRUE;
}

/* What is read of @image, for which .level, .layer, .slice are set. @asked: the aspect and the
   sample. */
static gboolean
fill_target (VtrVulkanMemory     *self,
             guint32              image_id,
             guint64              stop,
             const VtrImagePart  *asked,
             VtrTarget           *out,
             GError             **error)
{
  const VtrObject *image = vtr_history_get_object (self->history, image_id);
  const guint32 level = MIN (out->part.level, 31);
  VtrImageInfo info;

  if (image == NULL || !vtr_history_get_image_info (self->history, image, &info, NULL))
    return nothing (error, _ ("The trace does not contain the creation of this image."));
  if (!check_alive (self, image, &info, stop, error) ||
      !choose_aspect (info.format, asked->aspect, &out->part.aspect, error) ||
      !choose_sample (asked->sample, info.samples, out->part.aspect, &out->part.sample, error))
    return FALSE;
  out->object = image_id;
  out->samples = (guint32)info.samples;
  out->width = MAX (1, info.extent.width >> level);
  out->height = MAX (1, info.extent.height >> level);
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
target_of_image (VtrVulkanMemory       *self,
                 const VtrTargetQuery  *query,
                 guint64                stop,
                 VtrTarget             *out,
                 GError               **error)
{
  const VtrObject *image = vtr_history_get_object (self->history, query->object);
  VtrImageInfo info;

  if (image == NULL || !vtr_history_get_image_info (self->history, image, &info, NULL))
    return nothing (error, _ ("The trace does not contain the creation of this image."));
  if (!check_range (query->part.level, info.mip_levels, _ ("mip level"), error) ||
      !check_range (query->part.layer, info.array_layers, _ ("layer"), error) ||
      !check_range (query->part.slice,
                    info.type == VK_IMAGE_TYPE_3D
                      ? MAX (1, info.extent.depth >> MIN (query->part.level, 31))
                      : 1,
                    _ ("slice"), error))
    return FALSE;
  out->part = query->part;
  out->format = vtr_vulkan_format_get (info.format);
  return fill_target (self, query->object, stop, &query->part, out, error);
}

/* --- Attachments ----------------------------------------------------------------------------- */

/* The reference of the pass that @kind means; its subpass is the current one. */
static gboolean
find_reference (VtrVulkanMemory     *self,
                const VtrBoundState *state,
                VtrAttachmentKind    kind,
                VtrAttachment       *out)
{
  g_autoptr (GArray) list = vtr_pass_list_references (self->history, state);

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

static VtrPixelAspect
aspect_of_kind (VtrAttachmentKind kind,
                VtrPixelAspect    asked)
{
  switch (kind)
    {
    case VTR_ATTACHMENT_DEPTH:
    case VTR_ATTACHMENT_DEPTH_RESOLVE:
      return VTR_PIXEL_DEPTH;
    case VTR_ATTACHMENT_STENCIL:
    case VTR_ATTACHMENT_STENCIL_RESOLVE:
      return VTR_PIXEL_STENCIL;
    default:
      return asked;
    }
}

static gboolean
target_of_attachment (VtrVulkanMemory       *self,
                      const VtrBoundState   *state,
                      const VtrTargetQuery  *query,
                      guint64                stop,
                      VtrTarget             *out,
                      GError               **error)
{
  VtrImagePart asked = query->part;
  VtrAttachment attachment;
  const VtrObject *image;
  VtrImageInfo info;
  guint32 n_layers;

  if (!find_reference (self, state, query->kind, &attachment))
    {
      g_autofree char *name = vtr_attachment_kind_to_string (query->kind);

      g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING,
                   _ ("The pass has no attachment %s."), name);
      return FALSE;
    }
  image = vtr_history_get_object (self->history, attachment.image);
  if (image == NULL || !vtr_history_get_image_info (self->history, image, &info, NULL))
    return nothing (error, _ ("The trace does not contain the creation of this image."));
  n_layers = attachment.range.layerCount;
  if (!check_range (query->part.layer, MAX (1, n_layers), _ ("layer"), error))
    return FALSE;
  asked.aspect = aspect_of_kind (query->kind, asked.aspect);
  out->format = vtr_vulkan_format_get (attachment.format);
  out->word = attachment.layout;
  out->part.level = attachment.range.baseMipLevel;
  if (info.type == VK_IMAGE_TYPE_3D)
    out->part.slice = attachment.range.baseArrayLayer + query->part.layer;
  else
    out->part.layer = attachment.range.baseArrayLayer + query->part.layer;
  return fill_target (self, attachment.image, stop, &asked, out, error);
}

/* --- Presents -------------------------------------------------------------------------------- */

/* The object that is image @nth of a swapchain. */
static guint32
find_swapchain_image (VtrVulkanMemory *self,
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
target_of_present (VtrVulkanMemory       *self,
                   const VtrTargetQuery  *query,
                   VtrTarget             *out,
                   GError               **error)
{
  guint64 index = query->place.index;
  const VkPresentInfoKHR *info;
  VtrTargetQuery presented = *query;
  VtrCommand command;
  VtrArena arena;
  gboolean ok;

  presented.object = 0;
  vtr_arena_init (&arena);
  ok = vtr_trace_decode (self->trace, index, &arena, &command, error);
  info = ok ? ((const VtrArgs_vkQueuePresentKHR *)command.args)->pPresentInfo : NULL;
  if (info != NULL && info->swapchainCount > 0 && info->pSwapchains != NULL &&
      info->pImageIndices != NULL)
    {
      const VtrObject *swapchain =
        vtr_history_find (self->history,
                          vtr_vulkan_identity (VTR_HANDLE_VkSwapchainKHR,
                                               (guint64)(gsize)info->pSwapchains[0]),
                          index);

      if (swapchain != NULL)
        presented.object = find_swapchain_image (self, swapchain, info->pImageIndices[0]);
    }
  vtr_arena_finish (&arena);
  if (!ok)
    return FALSE;
  if (presented.object == 0)
    return nothing (error, _ ("The trace does not contain the creation of the presented "
                              "swapchain"));
  return target_of_image (self, &presented, index, out, error);
}

/* --- Passes that have to be looked at from before -------------------------------------------- */

static gboolean
covers (const VtrAttachment *attachment,
        const VtrTarget     *target)
{
  const VkImageSubresourceRange *range = &attachment->range;
  guint32 layer = target->part.layer + target->part.slice;

  return attachment->image == target->object && target->part.level >= range->baseMipLevel &&
         target->part.level - range->baseMipLevel < range->levelCount &&
         layer >= range->baseArrayLayer && layer - range->baseArrayLayer < range->layerCount;
}

/* A pass that is cut runs to its end without further commands. Attachments that only later
 * subpasses use, or into which it resolves, are read from before the pass, because the pass has
 * not changed them. (A cut pass does not resolve into attachments that it has used.) */
static gboolean
look_before_pass (VtrVulkanMemory  *self,
                  VtrTarget        *out,
                  GError          **error)
{
  g_autofree VtrBoundState *state = g_new (VtrBoundState, 1);
  g_autoptr (GArray) list = NULL;
  VtrPlace in = out->read_at;
  gboolean reached = FALSE, ahead = FALSE;

  if (!vtr_pass_find_open (self->walker, &in, state) || state->dynamic_rendering)
    return TRUE;
  list = vtr_pass_list_references (self->history, state);
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
  in.index = vtr_timeline_find_previous (self->timeline, state->pass_begin);
  if (in.index != VTR_COMMAND_NO_INDEX)
    out->read_at = in;
  return TRUE;
}

/* --- Answers --------------------------------------------------------------------------------- */

gboolean
vtr_vulkan_memory_find_target (gpointer               data,
                               const VtrTargetQuery  *query,
                               VtrTarget             *out,
                               GError               **error)
{
  VtrVulkanMemory *self = data;
  const guint64 index = query->place.index;
  const guint64 stop = vtr_timeline_get_stop (self->timeline, &query->place);
  g_autofree VtrBoundState *state = NULL;

  out->kind = query->kind;
  out->n_layers = 1;
  if (!query->is_attachment)
    return target_of_image (self, query, stop, out, error) && look_before_pass (self, out, error);
  if (query->kind == VTR_ATTACHMENT_COLOR0 &&
      vtr_cmd_is (vtr_trace_get_command_id (self->trace, index), VTR_CLASS_FRAME_END))
    return target_of_present (self, query, out, error);
  state = g_new (VtrBoundState, 1);
  return vtr_pass_find_shown (self->walker, &query->place, state, error) &&
         target_of_attachment (self, state, query, stop, out, error) &&
         look_before_pass (self, out, error);
}

/* Before the first destruction after the last submission of its life. */
guint64
vtr_vulkan_memory_find_last_readable (gpointer data,
                                      guint32  id)
{
  VtrVulkanMemory *self = data;
  const VtrObject *object = vtr_history_get_object (self->history, id);
  const guint64 at = MIN (object->destroyed, vtr_trace_get_n_commands (self->trace));
  guint64 submit = at;

  while (submit > object->created &&
         !vtr_cmd_is (vtr_trace_get_command_id (self->trace, submit - 1), VTR_CLASS_SUBMIT))
    submit--;
  for (guint64 i = submit; i < at; i++)
    if (vtr_cmd_is (vtr_trace_get_command_id (self->trace, i), VTR_CLASS_DESTROY))
      return i;
  return at;
}
