/* Finds the pass that a command shows, and its attachments, without a replay. */
#include "engine/vulkan/memory/vtr-memory-model.h"
#include "engine/vulkan/state/vtr-attachments.h"
#include "engine/vulkan/state/vtr-pass-references.h"
#include "vulkan/vtr-vulkan-formats.h"

static VtrPixelAspect
aspect_of (const VtrPassReference *reference)
{
  switch (reference->use)
    {
    case VTR_PASS_DEPTH:
    case VTR_PASS_DEPTH_RESOLVE:
      return VTR_PIXEL_DEPTH;
    case VTR_PASS_STENCIL:
    case VTR_PASS_STENCIL_RESOLVE:
      return VTR_PIXEL_STENCIL;
    default:
      if (vtr_format_has_depth (reference->attachment.format))
        return VTR_PIXEL_DEPTH;
      return vtr_format_has_stencil (reference->attachment.format) ? VTR_PIXEL_STENCIL
                                                                   : VTR_PIXEL_COLOR;
    }
}

static void
append_reference (GArray                 *list,
                  const VtrPassReference *reference,
                  const VtrPlace         *place)
{
  const VtrAttachment *attachment = &reference->attachment;
  const VtrTarget target = {
    .kind = vtr_pass_reference_get_kind (reference),
    .object = attachment->image,
    .part = {
      .aspect = aspect_of (reference),
      .level = attachment->range.baseMipLevel,
      .layer = attachment->range.baseArrayLayer,
    },
    .n_layers = attachment->range.layerCount,
    .format = vtr_vulkan_format_get (attachment->format),
    .width = attachment->extent.width,
    .height = attachment->extent.height,
    .samples = attachment->samples,
    .read_at = *place,
    .word = attachment->layout,
  };

  g_array_append_val (list, target);
}

gboolean
vtr_vulkan_memory_list_targets (gpointer         data,
                                const VtrPlace  *place,
                                gboolean         all,
                                GArray          *list,
                                GError         **error)
{
  VtrVulkanMemory *self = data;
  const VtrPassUse last = all ? VTR_PASS_SHADING_RATE : VTR_PASS_STENCIL;
  g_autofree VtrBoundState *state = g_new (VtrBoundState, 1);
  g_autoptr (GArray) references = NULL;

  if (!vtr_pass_find_shown (self->walker, place, state, error))
    return FALSE;
  references = vtr_pass_list_references (self->history, state);
  for (VtrPassUse use = VTR_PASS_COLOR; use <= last; use++)
    for (guint i = 0; i < references->len; i++)
      {
        const VtrPassReference *reference = &g_array_index (references, VtrPassReference, i);

        if (reference->use == use && reference->subpass == state->subpass)
          append_reference (list, reference, place);
      }
  return TRUE;
}
