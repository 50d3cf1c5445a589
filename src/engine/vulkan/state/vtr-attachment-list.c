/* Finds the pass that a command shows, and its attachments, without a replay. */
#include "engine/state/vtr-attachment-list.h"

#include "vtr-config.h"

#include <glib/gi18n-lib.h>

#include "engine/state/vtr-resolve-error.h"
#include "engine/state/vtr-api-state.h"
#include "engine/vulkan/state/vtr-attachments.h"
#include "engine/vulkan/state/vtr-pass-references.h"
#include "vulkan/vtr-vulkan-formats.h"

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
    .kind = vtr_pass_reference_get_kind (reference),
    .format = vtr_vulkan_format_get (attachment->format),
    .width = attachment->extent.width,
    .height = attachment->extent.height,
    .image = attachment->image,
    .samples = attachment->samples,
    .mip = attachment->range.baseMipLevel,
    .layer = attachment->range.baseArrayLayer,
    .n_layers = attachment->range.layerCount,
    .aspects = 1u << vtr_vulkan_aspect_get (aspect_of (reference)),
  };

  g_array_append_val (list, info);
}

GArray *
vtr_attachment_list (VtrAnalysis     *analysis,
                     const VtrPlace  *place,
                     gboolean         all,
                     GError         **error)
{
  const VtrPassUse last = all ? VTR_PASS_SHADING_RATE : VTR_PASS_STENCIL;
  g_autoptr (GArray) list = g_array_new (FALSE, FALSE, sizeof (VtrAttachmentInfo));
  g_autofree VtrBoundState *state = g_new (VtrBoundState, 1);
  g_autoptr (GArray) references = NULL;
  g_autoptr (GError) reason = NULL;

  if (vtr_pass_find_shown (vtr_analysis_get_walker (analysis), place, state, &reason))
    {
      references = vtr_pass_list_references (vtr_analysis_get_history (analysis), state);
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
          g_autofree char *number =
            vtr_trace_format_number (vtr_analysis_get_trace (analysis), place->index);

          g_set_error (&reason, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING,
                       _ ("The pass at command %s has no attachments."), number);
        }
      g_propagate_error (error, g_steal_pointer (&reason));
    }
  return g_steal_pointer (&list);
}
