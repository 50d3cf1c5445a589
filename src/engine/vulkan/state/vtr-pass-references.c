/* Lists the attachments that the subpasses of a pass refer to. The two versions of
 * VkSubpassDescription have different layouts but the same meaning here. */
#include "engine/vulkan/state/vtr-pass-references.h"
#include "engine/vulkan/state/vtr-newer-form.h"

#include "api/vtr-api-args.h"
#include "engine/vulkan/state/vtr-attachments.h"

typedef struct
{
  VtrHistory *history;
  guint64 index; /* of the command that began the pass */
  guint32 n_views;
  const VkImageView *views;
  GArray *list;
} Listing;

static void
add_view (Listing       *self,
          guint32        subpass,
          VtrPassUse     use,
          guint32        nth,
          VkImageView    view,
          VkImageLayout  layout)
{
  VtrPassReference reference = { .subpass = subpass, .use = use, .nth = nth };

  if (view == VK_NULL_HANDLE)
    return;
  vtr_attachments_describe_view (self->history, self->index, (guint64)view, &reference.attachment);
  reference.attachment.layout = layout;
  if (reference.attachment.image != 0)
    g_array_append_val (self->list, reference);
}

static void
add (Listing       *self,
     guint32        subpass,
     VtrPassUse     use,
     guint32        nth,
     guint32        attachment,
     VkImageLayout  layout)
{
  if (attachment < self->n_views)
    add_view (self, subpass, use, nth, self->views[attachment], layout);
}

/* --- Render passes --------------------------------------------------------------------------- */

/* One attachment that is both, as far as its format has them. */
static void
add_depth (Listing       *self,
           guint32        subpass,
           VtrPassUse     depth,
           VtrPassUse     stencil,
           guint32        attachment,
           VkImageLayout  layout,
           VkImageLayout  stencil_layout)
{
  guint first = self->list->len;
  VtrPassReference reference;

  add (self, subpass, depth, 0, attachment, layout);
  if (self->list->len == first)
    return;
  reference = g_array_index (self->list, VtrPassReference, first);
  if (!vtr_format_has_depth (reference.attachment.format))
    g_array_set_size (self->list, first);
  if (!vtr_format_has_stencil (reference.attachment.format))
    return;
  reference.use = stencil;
  reference.attachment.layout = stencil_layout;
  g_array_append_val (self->list, reference);
}

static VkImageLayout
stencil_layout (const VkAttachmentReference2 *reference)
{
  const VkAttachmentReferenceStencilLayout *stencil =
    vtr_api_find_next (reference->pNext, VK_STRUCTURE_TYPE_ATTACHMENT_REFERENCE_STENCIL_LAYOUT);

  return stencil != NULL ? stencil->stencilLayout : reference->layout;
}

static void
add_subpass (Listing                     *self,
             guint32                      nth,
             const VkSubpassDescription2 *subpass)
{
  const VkSubpassDescriptionDepthStencilResolve *resolve = vtr_api_find_next (
    subpass->pNext, VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_DEPTH_STENCIL_RESOLVE);
  const VkFragmentShadingRateAttachmentInfoKHR *rate = vtr_api_find_next (
    subpass->pNext, VK_STRUCTURE_TYPE_FRAGMENT_SHADING_RATE_ATTACHMENT_INFO_KHR);
  const VkAttachmentReference2 *depth = subpass->pDepthStencilAttachment;
  const VkAttachmentReference2 *list = subpass->pColorAttachments;

  for (guint32 i = 0; list != NULL && i < subpass->colorAttachmentCount; i++)
    add (self, nth, VTR_PASS_COLOR, i, list[i].attachment, list[i].layout);
  if (depth != NULL)
    add_depth (self, nth, VTR_PASS_DEPTH, VTR_PASS_STENCIL, depth->attachment, depth->layout,
               stencil_layout (depth));
  list = subpass->pInputAttachments;
  for (guint32 i = 0; list != NULL && i < subpass->inputAttachmentCount; i++)
    add (self, nth, VTR_PASS_INPUT, i, list[i].attachment, list[i].layout);
  list = subpass->pResolveAttachments;
  for (guint32 i = 0; list != NULL && i < subpass->colorAttachmentCount; i++)
    add (self, nth, VTR_PASS_RESOLVE, i, list[i].attachment, list[i].layout);
  if (resolve != NULL && resolve->pDepthStencilResolveAttachment != NULL)
    add_depth (self, nth, VTR_PASS_DEPTH_RESOLVE, VTR_PASS_STENCIL_RESOLVE,
               resolve->pDepthStencilResolveAttachment->attachment,
               resolve->pDepthStencilResolveAttachment->layout,
               stencil_layout (resolve->pDepthStencilResolveAttachment));
  if (rate != NULL && rate->pFragmentShadingRateAttachment != NULL)
    add (self, nth, VTR_PASS_SHADING_RATE, 0, rate->pFragmentShadingRateAttachment->attachment,
         rate->pFragmentShadingRateAttachment->layout);
}

static void
add_subpasses (Listing          *self,
               const VtrCommand *creation)
{
  const VkRenderPassCreateInfo2 *info;
  g_auto (VtrNewerForm) form;

  vtr_newer_form_init (&form, creation);
  if (form.command.id != VTR_CMD_vkCreateRenderPass2)
    return;
  info = ((const VtrArgs_vkCreateRenderPass2 *)form.command.args)->pCreateInfo;
  for (guint32 i = 0; info != NULL && info->pSubpasses != NULL && i < info->subpassCount; i++)
    add_subpass (self, i, &info->pSubpasses[i]);
}

static void
list_render_pass (Listing             *self,
                  const VtrBoundState *state,
                  VtrArena            *arena)
{
  const VtrObject *object =
    vtr_history_find (self->history,
                      vtr_vulkan_identity (VTR_HANDLE_VkRenderPass, state->render_pass),
                      self->index);
  VtrCommand creation;

  if (object == NULL || !vtr_history_decode_creation (self->history, object, arena, &creation,
                                                      NULL))
    return;
  add_subpasses (self, &creation);
}

/* --- Dynamic rendering ----------------------------------------------------------------------- */

static void
add_rendered (Listing                         *self,
              VtrPassUse                       use,
              VtrPassUse                       resolve,
              guint32                          nth,
              const VkRenderingAttachmentInfo *info)
{
  if (info == NULL)
    return;
  add_view (self, 0, use, nth, info->imageView, info->imageLayout);
  if (info->imageView != VK_NULL_HANDLE && info->resolveMode != VK_RESOLVE_MODE_NONE)
    add_view (self, 0, resolve, nth, info->resolveImageView, info->resolveImageLayout);
}

static void
list_rendering (Listing               *self,
                const VkRenderingInfo *info)
{
  const VkRenderingFragmentShadingRateAttachmentInfoKHR *rate = vtr_api_find_next (
    info->pNext, VK_STRUCTURE_TYPE_RENDERING_FRAGMENT_SHADING_RATE_ATTACHMENT_INFO_KHR);

  for (guint32 i = 0; info->pColorAttachments != NULL && i < info->colorAttachmentCount; i++)
    add_rendered (self, VTR_PASS_COLOR, VTR_PASS_RESOLVE, i, &info->pColorAttachments[i]);
  add_rendered (self, VTR_PASS_DEPTH, VTR_PASS_DEPTH_RESOLVE, 0, info->pDepthAttachment);
  add_rendered (self, VTR_PASS_STENCIL, VTR_PASS_STENCIL_RESOLVE, 0, info->pStencilAttachment);
  if (rate != NULL)
    add_view (self, 0, VTR_PASS_SHADING_RATE, 0, rate->imageView, rate->imageLayout);
}

/* --- What a reference means ------------------------------------------------------------------ */

gboolean
vtr_pass_use_is_resolve (VtrPassUse use)
{
  return use == VTR_PASS_RESOLVE || use == VTR_PASS_DEPTH_RESOLVE ||
         use == VTR_PASS_STENCIL_RESOLVE;
}

gboolean
vtr_pass_reference_is_to_come (const VtrPassReference *self,
                               guint32                 subpass)
{
  return self->subpass > subpass ||
         (self->subpass == subpass && vtr_pass_use_is_resolve (self->use));
}

static gboolean
ranges_overlap (guint32 a,
                guint32 n_a,
                guint32 b,
                guint32 n_b)
{
  return a < b ? b - a < n_a : a - b < n_b;
}

gboolean
vtr_attachment_overlaps (const VtrAttachment *a,
                         const VtrAttachment *b)
{
  return a->image == b->image &&
         ranges_overlap (a->range.baseMipLevel, a->range.levelCount, b->range.baseMipLevel,
                         b->range.levelCount) &&
         ranges_overlap (a->range.baseArrayLayer, a->range.layerCount, b->range.baseArrayLayer,
                         b->range.layerCount);
}

GArray *
vtr_pass_list_references (VtrHistory          *history,
                          const VtrBoundState *state)
{
  Listing self = { .history = history,
                   .index = state->pass_begin,
                   .list = g_array_new (FALSE, FALSE, sizeof (VtrPassReference)) };
  VtrCommand command;
  VtrArena arena;

  vtr_arena_init (&arena);
  if (vtr_trace_decode (vtr_history_get_trace (history), state->pass_begin, &arena, &command,
                        NULL))
    switch (vtr_cmd_newer_form (command.id))
      {
      case VTR_CMD_vkCmdBeginRenderPass2:
        /* The first two parameters of both are the same. */
        self.n_views = vtr_attachments_get_pass_views (
          history, state->pass_begin, state->framebuffer,
          ((const VtrArgs_vkCmdBeginRenderPass *)command.args)->pRenderPassBegin, &arena,
          &self.views);
        list_render_pass (&self, state, &arena);
        break;
      case VTR_CMD_vkCmdBeginRendering:
        if (((const VtrArgs_vkCmdBeginRendering *)command.args)->pRenderingInfo != NULL)
          list_rendering (&self,
                          ((const VtrArgs_vkCmdBeginRendering *)command.args)->pRenderingInfo);
        break;
      default:
        break;
      }
  vtr_arena_finish (&arena);
  return self.list;
}
