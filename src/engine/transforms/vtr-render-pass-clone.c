#include "engine/transforms/vtr-render-pass-clone.h"

#include "vtr-api-args.h"

/* The two generations of VkSubpassDescription and VkAttachmentDescription differ in layout, not in
 * what matters here. */

static gboolean
uses1 (const VkSubpassDescription *subpass,
       guint32                     attachment)
{
  for (guint32 i = 0; subpass->pColorAttachments != NULL && i < subpass->colorAttachmentCount; i++)
    {
      if (subpass->pColorAttachments[i].attachment == attachment)
        return TRUE;
      if (subpass->pResolveAttachments != NULL &&
          subpass->pResolveAttachments[i].attachment == attachment)
        return TRUE;
    }
  for (guint32 i = 0; subpass->pInputAttachments != NULL && i < subpass->inputAttachmentCount; i++)
    if (subpass->pInputAttachments[i].attachment == attachment)
      return TRUE;
  return subpass->pDepthStencilAttachment != NULL &&
         subpass->pDepthStencilAttachment->attachment == attachment;
}

static gboolean
uses2 (const VkSubpassDescription2 *subpass,
       guint32                      attachment)
{
  for (guint32 i = 0; subpass->pColorAttachments != NULL && i < subpass->colorAttachmentCount; i++)
    {
      if (subpass->pColorAttachments[i].attachment == attachment)
        return TRUE;
      if (subpass->pResolveAttachments != NULL &&
          subpass->pResolveAttachments[i].attachment == attachment)
        return TRUE;
    }
  for (guint32 i = 0; subpass->pInputAttachments != NULL && i < subpass->inputAttachmentCount; i++)
    if (subpass->pInputAttachments[i].attachment == attachment)
      return TRUE;
  return subpass->pDepthStencilAttachment != NULL &&
         subpass->pDepthStencilAttachment->attachment == attachment;
}

static void
keep (VkAttachmentLoadOp  *load,
      VkAttachmentStoreOp *store,
      gboolean             reached,
      VkImageLayout        initial)
{
  *store = VK_ATTACHMENT_STORE_OP_STORE;
  if (!reached && initial != VK_IMAGE_LAYOUT_UNDEFINED)
    *load = VK_ATTACHMENT_LOAD_OP_LOAD;
}

static guint32
clone1 (VkRenderPassCreateInfo *info,
        guint32                 subpass)
{
  VkAttachmentDescription *attachments = (VkAttachmentDescription *)info->pAttachments;
  VkSubpassDescription *subpasses = (VkSubpassDescription *)info->pSubpasses;

  if (subpasses == NULL)
    return 0;
  for (guint32 i = 0; attachments != NULL && i < info->attachmentCount; i++)
    {
      gboolean reached = FALSE;

      for (guint32 j = 0; j <= subpass && j < info->subpassCount; j++)
        reached = reached || uses1 (&subpasses[j], i);
      keep (&attachments[i].loadOp, &attachments[i].storeOp, reached, attachments[i].initialLayout);
      keep (&attachments[i].stencilLoadOp, &attachments[i].stencilStoreOp, reached,
            attachments[i].initialLayout);
    }
  if (info->subpassCount == 1)
    subpasses[0].pResolveAttachments = NULL;
  return info->subpassCount;
}

static guint32
clone2 (VkRenderPassCreateInfo2 *info,
        guint32                  subpass)
{
  VkAttachmentDescription2 *attachments = (VkAttachmentDescription2 *)info->pAttachments;
  VkSubpassDescription2 *subpasses = (VkSubpassDescription2 *)info->pSubpasses;

  if (subpasses == NULL)
    return 0;
  for (guint32 i = 0; attachments != NULL && i < info->attachmentCount; i++)
    {
      gboolean reached = FALSE;

      for (guint32 j = 0; j <= subpass && j < info->subpassCount; j++)
        reached = reached || uses2 (&subpasses[j], i);
      keep (&attachments[i].loadOp, &attachments[i].storeOp, reached, attachments[i].initialLayout);
      keep (&attachments[i].stencilLoadOp, &attachments[i].stencilStoreOp, reached,
            attachments[i].initialLayout);
    }
  if (info->subpassCount == 1)
    {
      VkSubpassDescriptionDepthStencilResolve *resolve = (gpointer)vtr_api_find_next (
        subpasses[0].pNext, VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_DEPTH_STENCIL_RESOLVE);

      subpasses[0].pResolveAttachments = NULL;
      if (resolve != NULL)
        resolve->pDepthStencilResolveAttachment = NULL;
    }
  return info->subpassCount;
}

guint32
vtr_render_pass_clone (VtrCommand *creation,
                       guint32     subpass,
                       guint64    *handle)
{
  switch (vtr_cmd_canonical (creation->id))
    {
    case VTR_CMD_vkCreateRenderPass:
      {
        VtrArgs_vkCreateRenderPass *args = creation->args;

        if (args->pCreateInfo == NULL)
          return 0;
        args->pRenderPass = (VkRenderPass *)(gpointer)handle;
        return clone1 ((VkRenderPassCreateInfo *)args->pCreateInfo, subpass);
      }
    case VTR_CMD_vkCreateRenderPass2:
      {
        VtrArgs_vkCreateRenderPass2 *args = creation->args;

        if (args->pCreateInfo == NULL)
          return 0;
        args->pRenderPass = (VkRenderPass *)(gpointer)handle;
        return clone2 ((VkRenderPassCreateInfo2 *)args->pCreateInfo, subpass);
      }
    default:
      return 0;
    }
}
