/* Finds the images of a pass: from the render pass, subpass and framebuffer (or the views given at
 * its beginning) to views and images. */
#include "engine/vulkan/state/vtr-attachments.h"
#include "engine/vulkan/state/vtr-newer-form.h"

#include "api/vtr-api-args.h"
#include "vulkan/vtr-vulkan-formats.h"

gboolean
vtr_format_has_depth (VkFormat format)
{
  return vtr_vulkan_format_get_aspect (format, VK_IMAGE_ASPECT_DEPTH_BIT) != NULL;
}

gboolean
vtr_format_has_stencil (VkFormat format)
{
  return vtr_vulkan_format_get_aspect (format, VK_IMAGE_ASPECT_STENCIL_BIT) != NULL;
}

void
vtr_attachments_describe_view (VtrHistory    *history,
                               guint64        index,
                               guint64        handle,
                               VtrAttachment *out)
{
  const VtrObject *view = vtr_history_find (history,
                                            vtr_vulkan_identity (VTR_HANDLE_VkImageView, handle),
                                            index);
  const VtrArgs_vkCreateImageView *args;
  const VtrObject *image;
  VtrImageInfo info;
  VtrCommand command;
  VtrArena arena;

  if (view == NULL)
    return;

  out->view = view->id;
  out->view_handle = handle;
  vtr_arena_init (&arena);
  if (vtr_history_decode_creation (history, view, &arena, &command, NULL) &&
      command.id == VTR_CMD_vkCreateImageView && (args = command.args)->pCreateInfo != NULL)
    {
      out->image_handle = (guint64)args->pCreateInfo->image;
      out->format = args->pCreateInfo->format;
      out->range = args->pCreateInfo->subresourceRange;
      image = vtr_history_find (history,
                                vtr_vulkan_identity (VTR_HANDLE_VkImage, out->image_handle),
                                view->created);
      if (image != NULL && vtr_history_get_image_info (history, image, &info, NULL))
        {
          guint32 level = MIN (out->range.baseMipLevel, 31);

          out->image = image->id;
          out->samples = info.samples;
          out->swapchain = info.swapchain;
          out->extent.width = MAX (info.extent.width >> level, 1);
          out->extent.height = MAX (info.extent.height >> level, 1);
          out->extent.depth = MAX (info.extent.depth >> level, 1);
          if (out->range.levelCount == VK_REMAINING_MIP_LEVELS)
            out->range.levelCount =
              info.mip_levels - MIN (out->range.baseMipLevel, info.mip_levels);
          if (out->range.layerCount == VK_REMAINING_ARRAY_LAYERS)
            {
              guint32 layers =
                info.type == VK_IMAGE_TYPE_3D ? info.extent.depth : info.array_layers;

              out->range.layerCount = layers - MIN (out->range.baseArrayLayer, layers);
            }
        }
    }
  vtr_arena_finish (&arena);
}

guint32
vtr_attachments_get_pass_views (VtrHistory                   *history,
                                guint64                       index,
                                guint64                       framebuffer_handle,
                                const VkRenderPassBeginInfo  *begin,
                                VtrArena                     *arena,
                                const VkImageView           **views)
{
  const VkRenderPassAttachmentBeginInfo *given =
    begin != NULL
      ? vtr_api_find_next (begin->pNext, VK_STRUCTURE_TYPE_RENDER_PASS_ATTACHMENT_BEGIN_INFO)
      : NULL;
  const VtrArgs_vkCreateFramebuffer *args;
  const VtrObject *framebuffer;
  VtrCommand command;

  *views = NULL;
  framebuffer = vtr_history_find (history,
                                  vtr_vulkan_identity (VTR_HANDLE_VkFramebuffer,
                                                       framebuffer_handle),
                                  index);
  if (framebuffer != NULL &&
      vtr_history_decode_creation (history, framebuffer, arena, &command, NULL) &&
      command.id == VTR_CMD_vkCreateFramebuffer && (args = command.args)->pCreateInfo != NULL &&
      (args->pCreateInfo->flags & VK_FRAMEBUFFER_CREATE_IMAGELESS_BIT) == 0)
    {
      *views = args->pCreateInfo->pAttachments;
      return *views != NULL ? args->pCreateInfo->attachmentCount : 0;
    }
  if (given != NULL && given->pAttachments != NULL)
    {
      *views = given->pAttachments;
      return given->attachmentCount;
    }
  return 0;
}

/* One subpass. */
typedef struct
{
  guint32 n_colors;
  guint32 colors[VTR_MAX_ATTACHMENTS]; /* of the render pass', or VK_ATTACHMENT_UNUSED */
  VkImageLayout color_layouts[VTR_MAX_ATTACHMENTS];
  guint32 depth;
  VkImageLayout depth_layout, stencil_layout;
  guint32 view_mask;
  guint32 n_subpasses; /* of the render pass */
  guint32 n_attachments;
  const VkAttachmentDescription2 *attachments; /* in the arena */
} VtrSubpass;

static void
read_subpass (const VkRenderPassCreateInfo2 *info, guint32 nth, VtrSubpass *out)
{
  const VkSubpassDescription2 *subpass;

  out->n_subpasses = info->pSubpasses != NULL ? info->subpassCount : 0;
  if (nth >= info->subpassCount || info->pSubpasses == NULL)
    return;

  subpass = &info->pSubpasses[nth];
  out->view_mask = subpass->viewMask;
  if (subpass->pColorAttachments != NULL)
    out->n_colors = MIN (subpass->colorAttachmentCount, VTR_MAX_ATTACHMENTS);
  for (guint32 i = 0; i < out->n_colors; i++)
    {
      out->colors[i] = subpass->pColorAttachments[i].attachment;
      out->color_layouts[i] = subpass->pColorAttachments[i].layout;
    }
  if (subpass->pDepthStencilAttachment != NULL)
    {
      const VkAttachmentReference2 *reference = subpass->pDepthStencilAttachment;
      const VkAttachmentReferenceStencilLayout *stencil = vtr_api_find_next (
        reference->pNext, VK_STRUCTURE_TYPE_ATTACHMENT_REFERENCE_STENCIL_LAYOUT);

      out->depth = reference->attachment;
      out->depth_layout = reference->layout;
      out->stencil_layout = stencil != NULL ? stencil->stencilLayout : reference->layout;
    }
}

static gboolean
find_subpass (VtrHistory *history,
              guint64     index,
              guint64     render_pass,
              guint32     nth,
              VtrArena   *arena,
              VtrSubpass *out)
{
  const VtrObject *object =
    vtr_history_find (history, vtr_vulkan_identity (VTR_HANDLE_VkRenderPass, render_pass), index);
  const VtrArgs_vkCreateRenderPass2 *args;
  g_auto (VtrNewerForm) form = { 0 };
  VtrCommand command;

  *out = (VtrSubpass){ .depth = VK_ATTACHMENT_UNUSED };
  if (object == NULL || !vtr_history_decode_creation (history, object, arena, &command, NULL))
    return FALSE;
  vtr_newer_form_init (&form, &command);
  args = form.command.args;
  if (form.command.id != VTR_CMD_vkCreateRenderPass2 || args->pCreateInfo == NULL)
    return FALSE;
  read_subpass (args->pCreateInfo, nth, out);
  if (args->pCreateInfo->pAttachments != NULL)
    out->attachments = vtr_arena_memdup (arena, args->pCreateInfo->pAttachments,
                                         args->pCreateInfo->attachmentCount *
                                           sizeof *out->attachments);
  out->n_attachments = out->attachments != NULL ? args->pCreateInfo->attachmentCount : 0;
  return TRUE;
}

/* Attachment @nth of the render pass: what the pass says of it, then what its view says. */
static void
describe_attachment (VtrHistory        *history,
                     guint64            index,
                     const VtrSubpass  *subpass,
                     guint32            nth,
                     guint32            n_views,
                     const VkImageView *views,
                     VkImageLayout      layout,
                     VtrAttachment     *out)
{
  if (nth == VK_ATTACHMENT_UNUSED || nth >= subpass->n_attachments)
    return;

  out->format = subpass->attachments[nth].format;
  out->samples = subpass->attachments[nth].samples;
  if (nth < n_views)
    vtr_attachments_describe_view (history, index, (guint64)views[nth], out);
  out->layout = layout;
}

static void
fill_from_render_pass (VtrHistory                  *history,
                       guint64                      index,
                       const VkRenderPassBeginInfo *begin,
                       VtrArena                    *arena,
                       VtrBoundState               *state)
{
  const VkImageView *views;
  VtrSubpass subpass;
  guint32 n_views;
  VkFormat format;

  if (!find_subpass (history, index, state->render_pass, state->subpass, arena, &subpass))
    return;

  n_views = vtr_attachments_get_pass_views (history, index, state->framebuffer, begin, arena,
                                            &views);
  state->view_mask = subpass.view_mask;
  state->n_colors = subpass.n_colors;
  for (guint32 i = 0; i < subpass.n_colors; i++)
    describe_attachment (history, index, &subpass, subpass.colors[i], n_views, views,
                         subpass.color_layouts[i], &state->colors[i]);
  if (subpass.depth == VK_ATTACHMENT_UNUSED || subpass.depth >= subpass.n_attachments)
    return;

  describe_attachment (history, index, &subpass, subpass.depth, n_views, views,
                       subpass.depth_layout, &state->depth);
  format = state->depth.format;
  state->stencil = state->depth;
  state->stencil.layout = subpass.stencil_layout;
  state->has_depth = vtr_format_has_depth (format);
  state->has_stencil = vtr_format_has_stencil (format);
}

static void
fill_from_rendering_info (VtrHistory            *history,
                          guint64                index,
                          const VkRenderingInfo *info,
                          VtrBoundState         *state)
{
  const VkRenderingAttachmentInfo *depth = info->pDepthAttachment;
  const VkRenderingAttachmentInfo *stencil = info->pStencilAttachment;

  state->render_area = info->renderArea;
  state->view_mask = info->viewMask;
  state->n_colors =
    info->pColorAttachments != NULL ? MIN (info->colorAttachmentCount, VTR_MAX_ATTACHMENTS) : 0;
  for (guint32 i = 0; i < state->n_colors; i++)
    {
      vtr_attachments_describe_view (history, index, (guint64)info->pColorAttachments[i].imageView,
                                     &state->colors[i]);
      state->colors[i].layout = info->pColorAttachments[i].imageLayout;
    }
  if (depth != NULL && depth->imageView != VK_NULL_HANDLE)
    {
      state->has_depth = TRUE;
      vtr_attachments_describe_view (history, index, (guint64)depth->imageView, &state->depth);
      state->depth.layout = depth->imageLayout;
    }
  if (stencil != NULL && stencil->imageView != VK_NULL_HANDLE)
    {
      state->has_stencil = TRUE;
      vtr_attachments_describe_view (history, index, (guint64)stencil->imageView, &state->stencil);
      state->stencil.layout = stencil->imageLayout;
    }
}

void
vtr_attachments_fill (VtrHistory *history, VtrBoundState *state)
{
  VtrCommand command;
  VtrArena arena;

  vtr_arena_init (&arena);
  if (vtr_trace_decode (vtr_history_get_trace (history), state->pass_begin, &arena, &command,
                        NULL))
    switch (vtr_cmd_newer_form (command.id))
      {
      case VTR_CMD_vkCmdBeginRenderPass2:
        {
          /* The first two parameters of both are the same. */
          const VtrArgs_vkCmdBeginRenderPass *args = command.args;

          fill_from_render_pass (history, command.index, args->pRenderPassBegin, &arena, state);
          break;
        }
      case VTR_CMD_vkCmdBeginRendering:
        {
          const VtrArgs_vkCmdBeginRendering *args = command.args;

          if (args->pRenderingInfo != NULL)
            fill_from_rendering_info (history, command.index, args->pRenderingInfo, state);
          break;
        }
      default:
        break;
      }
  vtr_arena_finish (&arena);
}

static void
fill_from_formats (const VkCommandBufferInheritanceRenderingInfo *info, VtrBoundState *state)
{
  state->view_mask = info->viewMask;
  state->n_colors = info->pColorAttachmentFormats != NULL
                      ? MIN (info->colorAttachmentCount, VTR_MAX_ATTACHMENTS)
                      : 0;
  for (guint32 i = 0; i < state->n_colors; i++)
    {
      state->colors[i].format = info->pColorAttachmentFormats[i];
      state->colors[i].samples = info->rasterizationSamples;
    }
  state->has_depth = info->depthAttachmentFormat != VK_FORMAT_UNDEFINED;
  state->depth.format = info->depthAttachmentFormat;
  state->depth.samples = info->rasterizationSamples;
  state->has_stencil = info->stencilAttachmentFormat != VK_FORMAT_UNDEFINED;
  state->stencil.format = info->stencilAttachmentFormat;
  state->stencil.samples = info->rasterizationSamples;
}

void
vtr_attachments_fill_inherited (VtrHistory *history, guint64 begin, VtrBoundState *state)
{
  const VtrArgs_vkBeginCommandBuffer *args;
  const VkCommandBufferInheritanceRenderingInfo *rendering;
  VtrCommand command;
  VtrArena arena;

  vtr_arena_init (&arena);
  if (state->render_pass != 0)
    fill_from_render_pass (history, begin, NULL, &arena, state);
  else if (vtr_trace_decode (vtr_history_get_trace (history), begin, &arena, &command, NULL) &&
           (args = command.args)->pBeginInfo != NULL &&
           args->pBeginInfo->pInheritanceInfo != NULL)
    {
      rendering = vtr_api_find_next (args->pBeginInfo->pInheritanceInfo->pNext,
                                     VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_RENDERING_INFO);
      if (rendering != NULL)
        fill_from_formats (rendering, state);
    }
  vtr_arena_finish (&arena);
}

/* --- Load operations ------------------------------------------------------------------------- */

static gboolean
is_load_clear (VkFormat           format,
               VkAttachmentLoadOp load,
               VkAttachmentLoadOp stencil_load)
{
  gboolean only_stencil = vtr_format_has_stencil (format) && !vtr_format_has_depth (format);

  return (!only_stencil && load == VK_ATTACHMENT_LOAD_OP_CLEAR) ||
         (vtr_format_has_stencil (format) && stencil_load == VK_ATTACHMENT_LOAD_OP_CLEAR);
}

static gboolean
is_attachment_cleared (const VtrSubpass *pass, guint32 nth)
{
  return is_load_clear (pass->attachments[nth].format, pass->attachments[nth].loadOp,
                        pass->attachments[nth].stencilLoadOp);
}

/* A load operation runs with the first subpass that draws to its attachment. */
static gboolean
is_drawn_to (const VtrSubpass *subpass, guint32 nth)
{
  for (guint32 i = 0; i < subpass->n_colors; i++)
    if (subpass->colors[i] == nth)
      return TRUE;
  return subpass->depth == nth;
}

static void
visit_view (VtrHistory     *history,
            guint64         index,
            VkImageView     view,
            VtrClearedFunc  func,
            gpointer        data)
{
  VtrAttachment attachment = { 0 };

  vtr_attachments_describe_view (history, index, (guint64)view, &attachment);
  if (attachment.image != 0)
    func (attachment.image, data);
}

static void
visit_render_pass (VtrHistory                  *history,
                   guint64                      index,
                   const VkRenderPassBeginInfo *begin,
                   VtrArena                    *arena,
                   VtrClearedFunc               func,
                   gpointer                     data)
{
  const VkImageView *views;
  guint32 n_views = vtr_attachments_get_pass_views (
    history, index, (guint64)begin->framebuffer, begin, arena, &views);
  g_autofree gboolean *visited = g_new0 (gboolean, (gsize)n_views + 1);
  VtrSubpass subpass;
  guint32 n_subpasses = 1;

  for (guint32 nth = 0; nth < n_subpasses; nth++)
    {
      if (!find_subpass (history, index, (guint64)begin->renderPass, nth, arena, &subpass))
        return;
      n_subpasses = subpass.n_subpasses;
      for (guint32 i = 0; i < MIN (n_views, subpass.n_attachments); i++)
        if (!visited[i] && is_drawn_to (&subpass, i) && is_attachment_cleared (&subpass, i))
          {
            visited[i] = TRUE;
            visit_view (history, index, views[i], func, data);
          }
    }
}

static void
visit_rendering (VtrHistory            *history,
                 guint64                index,
                 const VkRenderingInfo *info,
                 VtrClearedFunc         func,
                 gpointer               data)
{
  const VkRenderingAttachmentInfo *depth = info->pDepthAttachment;
  const VkRenderingAttachmentInfo *stencil = info->pStencilAttachment;
  gboolean depth_cleared = depth != NULL && depth->loadOp == VK_ATTACHMENT_LOAD_OP_CLEAR;

  /* A pass that goes on with a suspended one loads nothing. */
  if ((info->flags & VK_RENDERING_RESUMING_BIT) != 0)
    return;
  for (guint32 i = 0; info->pColorAttachments != NULL && i < info->colorAttachmentCount; i++)
    if (info->pColorAttachments[i].loadOp == VK_ATTACHMENT_LOAD_OP_CLEAR)
      visit_view (history, index, info->pColorAttachments[i].imageView, func, data);
  if (depth_cleared)
    visit_view (history, index, depth->imageView, func, data);
  /* Usually one view of both aspects, cleared once. */
  if (stencil != NULL && stencil->loadOp == VK_ATTACHMENT_LOAD_OP_CLEAR &&
      !(depth_cleared && depth->imageView == stencil->imageView))
    visit_view (history, index, stencil->imageView, func, data);
}

void
vtr_attachments_visit_cleared (VtrHistory     *history,
                               guint64         begin,
                               VtrClearedFunc  func,
                               gpointer        data)
{
  VtrCommand command;
  VtrArena arena;

  vtr_arena_init (&arena);
  if (!vtr_trace_decode (vtr_history_get_trace (history), begin, &arena, &command, NULL))
    {
      vtr_arena_finish (&arena);
      return;
    }
  if (vtr_cmd_canonical (command.id) == VTR_CMD_vkCmdBeginRendering)
    {
      const VtrArgs_vkCmdBeginRendering *args = command.args;

      if (args->pRenderingInfo != NULL)
        visit_rendering (history, begin, args->pRenderingInfo, func, data);
    }
  else if (vtr_cmd_is (command.id, VTR_CLASS_BEGIN_PASS))
    {
      /* The first two parameters of both are the same. */
      const VtrArgs_vkCmdBeginRenderPass *args = command.args;

      if (args->pRenderPassBegin != NULL)
        visit_render_pass (history, begin, args->pRenderPassBegin, &arena, func, data);
    }
  vtr_arena_finish (&arena);
}
