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

static gboolean
is_spared (const GArray *spared,
           guint32       subpass,
           VtrPassUse    use,
           guint32       nth)
{
  for (guint i = 0; spared != NULL && i < spared->len; i++)
    {
      const VtrPassReference *reference = &g_array_index (spared, VtrPassReference, i);

      if (reference->subpass == subpass && reference->use == use && reference->nth == nth)
        return TRUE;
    }
  return FALSE;
}

/* Subpasses may share their arrays, so what is changed is a copy. */
static gboolean
spare1 (VkSubpassDescription *subpass,
        guint32               nth,
        const GArray         *spared,
        VtrArena             *arena)
{
  const guint32 n = subpass->colorAttachmentCount;
  VkAttachmentReference *copy;

  if (subpass->pResolveAttachments == NULL || n == 0)
    return TRUE;
  copy = vtr_arena_memdup (arena, subpass->pResolveAttachments, n * sizeof *copy);
  if (copy == NULL)
    return FALSE;
  for (guint32 i = 0; i < n; i++)
    if (is_spared (spared, nth, VTR_PASS_RESOLVE, i))
      copy[i].attachment = VK_ATTACHMENT_UNUSED;
  subpass->pResolveAttachments = copy;
  return TRUE;
}

static VkSubpassDescriptionDepthStencilResolve *
depth_resolve_of (const VkSubpassDescription2 *subpass)
{
  return (gpointer)vtr_api_find_next (
    subpass->pNext, VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_DEPTH_STENCIL_RESOLVE);
}

static gboolean
spare2 (VkSubpassDescription2 *subpass,
        guint32                nth,
        const GArray          *spared,
        VtrArena              *arena)
{
  const guint32 n = subpass->pResolveAttachments != NULL ? subpass->colorAttachmentCount : 0;
  VkSubpassDescriptionDepthStencilResolve *resolve = depth_resolve_of (subpass);
  VkAttachmentReference2 *copy = vtr_arena_alloc_array (arena, n + 1, sizeof *copy);

  if (copy == NULL)
    return FALSE;
  for (guint32 i = 0; i < n; i++)
    {
      copy[i] = subpass->pResolveAttachments[i];
      if (is_spared (spared, nth, VTR_PASS_RESOLVE, i))
        copy[i].attachment = VK_ATTACHMENT_UNUSED;
    }
  if (n > 0)
    subpass->pResolveAttachments = copy;
  if (resolve != NULL && resolve->pDepthStencilResolveAttachment != NULL &&
      (is_spared (spared, nth, VTR_PASS_DEPTH_RESOLVE, 0) ||
       is_spared (spared, nth, VTR_PASS_STENCIL_RESOLVE, 0)))
    {
      copy[n] = *resolve->pDepthStencilResolveAttachment;
      copy[n].attachment = VK_ATTACHMENT_UNUSED;
      resolve->pDepthStencilResolveAttachment = &copy[n];
    }
  return TRUE;
}

static guint32
clone1 (VkRenderPassCreateInfo *info,
        VtrArena               *arena,
        guint32                 subpass,
        const GArray           *spared)
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
  for (guint32 i = 0; spared != NULL && i < info->subpassCount; i++)
    if (!spare1 (&subpasses[i], i, spared, arena))
      return 0;
  return info->subpassCount;
}

static guint32
clone2 (VkRenderPassCreateInfo2 *info,
        VtrArena                *arena,
        guint32                  subpass,
        const GArray            *spared)
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
      VkSubpassDescriptionDepthStencilResolve *resolve = depth_resolve_of (&subpasses[0]);

      subpasses[0].pResolveAttachments = NULL;
      if (resolve != NULL)
        resolve->pDepthStencilResolveAttachment = NULL;
    }
  for (guint32 i = 0; spared != NULL && i < info->subpassCount; i++)
    if (!spare2 (&subpasses[i], i, spared, arena))
      return 0;
  return info->subpassCount;
}

guint32
vtr_render_pass_clone (VtrCommand   *creation,
                       VtrArena     *arena,
                       guint32       subpass,
                       const GArray *spared,
                       guint64      *handle)
{
  switch (vtr_cmd_canonical (creation->id))
    {
    case VTR_CMD_vkCreateRenderPass:
      {
        VtrArgs_vkCreateRenderPass *args = creation->args;

        if (args->pCreateInfo == NULL)
          return 0;
        args->pRenderPass = (VkRenderPass *)(gpointer)handle;
        return clone1 ((VkRenderPassCreateInfo *)args->pCreateInfo, arena, subpass, spared);
      }
    case VTR_CMD_vkCreateRenderPass2:
      {
        VtrArgs_vkCreateRenderPass2 *args = creation->args;

        if (args->pCreateInfo == NULL)
          return 0;
        args->pRenderPass = (VkRenderPass *)(gpointer)handle;
        return clone2 ((VkRenderPassCreateInfo2 *)args->pCreateInfo, arena, subpass, spared);
      }
    default:
      return 0;
    }
}
