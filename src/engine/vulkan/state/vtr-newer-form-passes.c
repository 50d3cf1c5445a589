/* Makes the second versions of calls that create, begin, continue and end render passes. */
#include "engine/vulkan/state/vtr-newer-form-private.h"

#include "engine/vulkan/state/vtr-attachments.h"

/* The aspects of @attachment that a subpass reads if the program does not say it: all of them. */
static VkImageAspectFlags
find_aspects (const VkRenderPassCreateInfo *info,
              guint32                       attachment)
{
  VkImageAspectFlags aspects = 0;
  VkFormat format;

  if (info->pAttachments == NULL || attachment >= info->attachmentCount)
    return 0;
  format = info->pAttachments[attachment].format;
  if (vtr_format_has_depth (format))
    aspects |= VK_IMAGE_ASPECT_DEPTH_BIT;
  if (vtr_format_has_stencil (format))
    aspects |= VK_IMAGE_ASPECT_STENCIL_BIT;
  return aspects != 0 ? aspects : VK_IMAGE_ASPECT_COLOR_BIT;
}

static VkAttachmentReference2 *
read_references (VtrNewerForm                *self,
                 const VkAttachmentReference *from,
                 guint32                      n)
{
  return WIDEN (self, from, n, VkAttachmentReference, VkAttachmentReference2, attachment,
                VK_STRUCTURE_TYPE_ATTACHMENT_REFERENCE_2);
}

static VkAttachmentReference2 *
read_inputs (VtrNewerForm                 *self,
             const VkRenderPassCreateInfo *info,
             guint32                       subpass)
{
  const VkRenderPassInputAttachmentAspectCreateInfo *said = vtr_api_find_next (
    info->pNext, VK_STRUCTURE_TYPE_RENDER_PASS_INPUT_ATTACHMENT_ASPECT_CREATE_INFO);
  const guint32 n_said =
    said != NULL && said->pAspectReferences != NULL ? said->aspectReferenceCount : 0;
  const guint32 n = info->pSubpasses[subpass].inputAttachmentCount;
  VkAttachmentReference2 *inputs =
    read_references (self, info->pSubpasses[subpass].pInputAttachments, n);

  for (guint32 i = 0; inputs != NULL && i < n; i++)
    inputs[i].aspectMask = find_aspects (info, inputs[i].attachment);
  for (guint32 i = 0; inputs != NULL && i < n_said; i++)
    if (said->pAspectReferences[i].subpass == subpass &&
        said->pAspectReferences[i].inputAttachmentIndex < n)
      inputs[said->pAspectReferences[i].inputAttachmentIndex].aspectMask =
        said->pAspectReferences[i].aspectMask;
  return inputs;
}

static VkSubpassDescription2 *
read_subpasses (VtrNewerForm                          *self,
                const VkRenderPassCreateInfo          *info,
                const VkRenderPassMultiviewCreateInfo *views)
{
  VkSubpassDescription2 *subpasses;

  if (info->pSubpasses == NULL)
    return NULL;
  subpasses = TAKE (self, info->subpassCount, VkSubpassDescription2);
  for (guint32 i = 0; i < info->subpassCount; i++)
    {
      const VkSubpassDescription *from = &info->pSubpasses[i];
      VkSubpassDescription2 *to = &subpasses[i];

      to->sType = VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_2;
      to->flags = from->flags;
      to->pipelineBindPoint = from->pipelineBindPoint;
      if (views != NULL && views->pViewMasks != NULL && i < views->subpassCount)
        to->viewMask = views->pViewMasks[i];
      to->inputAttachmentCount = from->inputAttachmentCount;
      to->pInputAttachments = read_inputs (self, info, i);
      to->colorAttachmentCount = from->colorAttachmentCount;
      to->pColorAttachments =
        read_references (self, from->pColorAttachments, from->colorAttachmentCount);
      to->pResolveAttachments =
        read_references (self, from->pResolveAttachments, from->colorAttachmentCount);
      to->pDepthStencilAttachment = read_references (self, from->pDepthStencilAttachment, 1);
      to->preserveAttachmentCount = from->preserveAttachmentCount;
      to->pPreserveAttachments = from->pPreserveAttachments;
    }
  return subpasses;
}

void
vtr_newer_form_read_render_pass (VtrNewerForm                     *self,
                                 const VtrArgs_vkCreateRenderPass *from)
{
  VtrArgs_vkCreateRenderPass2 *args = TAKE (self, 1, VtrArgs_vkCreateRenderPass2);
  const VkRenderPassCreateInfo *info = from->pCreateInfo;
  const VkRenderPassMultiviewCreateInfo *views;
  VkSubpassDependency2 *dependencies;
  VkRenderPassCreateInfo2 *to;

  args->device = from->device;
  args->pAllocator = from->pAllocator;
  args->pRenderPass = from->pRenderPass;
  self->command.args = args;
  if (info == NULL)
    return;
  views = vtr_api_find_next (info->pNext, VK_STRUCTURE_TYPE_RENDER_PASS_MULTIVIEW_CREATE_INFO);
  dependencies = WIDEN (self, info->pDependencies, info->dependencyCount, VkSubpassDependency,
                        VkSubpassDependency2, srcSubpass, VK_STRUCTURE_TYPE_SUBPASS_DEPENDENCY_2);
  to = TAKE (self, 1, VkRenderPassCreateInfo2);
  to->sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO_2;
  to->pNext = info->pNext;
  to->flags = info->flags;
  to->attachmentCount = info->attachmentCount;
  to->pAttachments =
    WIDEN (self, info->pAttachments, info->attachmentCount, VkAttachmentDescription,
           VkAttachmentDescription2, flags, VK_STRUCTURE_TYPE_ATTACHMENT_DESCRIPTION_2);
  to->subpassCount = info->subpassCount;
  to->pSubpasses = read_subpasses (self, info, views);
  to->dependencyCount = info->dependencyCount;
  to->pDependencies = dependencies;
  if (views != NULL)
    {
      for (guint32 i = 0; dependencies != NULL && views->pViewOffsets != NULL &&
                          i < MIN (info->dependencyCount, views->dependencyCount);
           i++)
        dependencies[i].viewOffset = views->pViewOffsets[i];
      to->correlatedViewMaskCount = views->correlationMaskCount;
      to->pCorrelatedViewMasks = views->pCorrelationMasks;
    }
  args->pCreateInfo = to;
}

void
vtr_newer_form_read_subpass (VtrNewerForm     *self,
                             const VtrCommand *command)
{
  VkSubpassBeginInfo *begin = TAKE (self, 1, VkSubpassBeginInfo);
  VkSubpassEndInfo *end = TAKE (self, 1, VkSubpassEndInfo);

  begin->sType = VK_STRUCTURE_TYPE_SUBPASS_BEGIN_INFO;
  end->sType = VK_STRUCTURE_TYPE_SUBPASS_END_INFO;
  if (self->command.id == VTR_CMD_vkCmdBeginRenderPass2)
    {
      const VtrArgs_vkCmdBeginRenderPass *from = command->args;
      VtrArgs_vkCmdBeginRenderPass2 *args = TAKE (self, 1, VtrArgs_vkCmdBeginRenderPass2);

      begin->contents = from->contents;
      *args = (VtrArgs_vkCmdBeginRenderPass2){ from->commandBuffer, from->pRenderPassBegin, begin };
      self->command.args = args;
    }
  else if (self->command.id == VTR_CMD_vkCmdNextSubpass2)
    {
      const VtrArgs_vkCmdNextSubpass *from = command->args;
      VtrArgs_vkCmdNextSubpass2 *args = TAKE (self, 1, VtrArgs_vkCmdNextSubpass2);

      begin->contents = from->contents;
      *args = (VtrArgs_vkCmdNextSubpass2){ from->commandBuffer, begin, end };
      self->command.args = args;
    }
  else
    {
      const VtrArgs_vkCmdEndRenderPass *from = command->args;
      VtrArgs_vkCmdEndRenderPass2 *args = TAKE (self, 1, VtrArgs_vkCmdEndRenderPass2);

      *args = (VtrArgs_vkCmdEndRenderPass2){ from->commandBuffer, end };
      self->command.args = args;
    }
}
