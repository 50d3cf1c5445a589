/* Creates a variant of a render pass that stores all its attachments, so that each can be read
 * in the middle of the pass. */
#include "engine/vulkan/transforms/vtr-render-pass-clone.h"

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
keep (const VtrRenderPassClone *what,
      VkAttachmentLoadOp       *load,
      VkAttachmentStoreOp      *store,
      gboolean                  reached,
      gboolean                  used_before,
      VkImageLayout             initial)
{
  if (what->cut)
    *store = VK_ATTACHMENT_STORE_OP_STORE;
  if ((what->cut && !reached && initial != VK_IMAGE_LAYOUT_UNDEFINED) || used_before)
    *load = VK_ATTACHMENT_LOAD_OP_LOAD;
}

/* Where an attachment of a pass that ran before and goes on now is. */
static VkImageLayout
layout_again (const VtrRenderPassClone *what,
              gboolean                  used_before,
              VkImageLayout             initial,
              VkImageLayout             final)
{
  return what->resumed && (used_before || initial != VK_IMAGE_LAYOUT_UNDEFINED) ? final : initial;
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
clone1 (VkRenderPassCreateInfo   *info,
        const VtrRenderPassClone *what,
        VtrArena                 *arena)
{
  VkAttachmentDescription *attachments = (VkAttachmentDescription *)info->pAttachments;
  VkSubpassDescription *subpasses = (VkSubpassDescription *)info->pSubpasses;

  if (subpasses == NULL)
    return 0;
  for (guint32 i = 0; attachments != NULL && i < info->attachmentCount; i++)
    {
      VkAttachmentDescription *attachment = &attachments[i];
      gboolean reached = FALSE, used_before = FALSE;

      for (guint32 j = 0; j < info->subpassCount; j++)
        if (uses1 (&subpasses[j], i))
          {
            reached = reached || j <= what->subpass;
            used_before = used_before || (what->resumed && j <= what->resumed_subpass);
          }
      keep (what, &attachment->loadOp, &attachment->storeOp, reached, used_before,
            attachment->initialLayout);
      keep (what, &attachment->stencilLoadOp, &attachment->stencilStoreOp, reached, used_before,
            attachment->initialLayout);
      attachment->initialLayout =
        layout_again (what, used_before, attachment->initialLayout, attachment->finalLayout);
    }
  if (what->cut && info->subpassCount == 1)
    subpasses[0].pResolveAttachments = NULL;
  for (guint32 i = 0; what->spared != NULL && i < info->subpassCount; i++)
    if (!spare1 (&subpasses[i], i, what->spared, arena))
      return 0;
  return info->subpassCount;
}

static guint32
clone2 (VkRenderPassCreateInfo2  *info,
        const VtrRenderPassClone *what,
        VtrArena                 *arena)
{
  VkAttachmentDescription2 *attachments = (VkAttachmentDescription2 *)info->pAttachments;
  VkSubpassDescription2 *subpasses = (VkSubpassDescription2 *)info->pSubpasses;

  if (subpasses == NULL)
    return 0;
  for (guint32 i = 0; attachments != NULL && i < info->attachmentCount; i++)
    {
      VkAttachmentDescription2 *attachment = &attachments[i];
      gboolean reached = FALSE, used_before = FALSE;
      VkAttachmentDescriptionStencilLayout *stencil;

      for (guint32 j = 0; j < info->subpassCount; j++)
        if (uses2 (&subpasses[j], i))
          {
            reached = reached || j <= what->subpass;
            used_before = used_before || (what->resumed && j <= what->resumed_subpass);
          }
      keep (what, &attachment->loadOp, &attachment->storeOp, reached, used_before,
            attachment->initialLayout);
      keep (what, &attachment->stencilLoadOp, &attachment->stencilStoreOp, reached, used_before,
            attachment->initialLayout);
      attachment->initialLayout =
        layout_again (what, used_before, attachment->initialLayout, attachment->finalLayout);
      stencil = (gpointer)vtr_api_find_next (
        attachments[i].pNext, VK_STRUCTURE_TYPE_ATTACHMENT_DESCRIPTION_STENCIL_LAYOUT);
      if (stencil != NULL)
        stencil->stencilInitialLayout =
          layout_again (what, used_before, stencil->stencilInitialLayout,
                        stencil->stencilFinalLayout);
    }
  if (what->cut && info->subpassCount == 1)
    {
      VkSubpassDescriptionDepthStencilResolve *resolve = depth_resolve_of (&subpasses[0]);

      subpasses[0].pResolveAttachments = NULL;
      if (resolve != NULL)
        resolve->pDepthStencilResolveAttachment = NULL;
    }
  for (guint32 i = 0; what->spared != NULL && i < info->subpassCount; i++)
    if (!spare2 (&subpasses[i], i, what->spared, arena))
      return 0;
  return info->subpassCount;
}

guint32
vtr_render_pass_clone (VtrCommand               *creation,
                       VtrArena                 *arena,
                       const VtrRenderPassClone *what,
                       guint64                  *handle)
{
  creation->found = 0;
  switch (vtr_cmd_canonical (creation->id))
    {
    case VTR_CMD_vkCreateRenderPass:
      {
        VtrArgs_vkCreateRenderPass *args = creation->args;

        if (args->pCreateInfo == NULL)
          return 0;
        args->pRenderPass = (VkRenderPass *)(gpointer)handle;
        return clone1 ((VkRenderPassCreateInfo *)args->pCreateInfo, what, arena);
      }
    case VTR_CMD_vkCreateRenderPass2:
      {
        VtrArgs_vkCreateRenderPass2 *args = creation->args;

        if (args->pCreateInfo == NULL)
          return 0;
        args->pRenderPass = (VkRenderPass *)(gpointer)handle;
        return clone2 ((VkRenderPassCreateInfo2 *)args->pCreateInfo, what, arena);
      }
    default:
      return 0;
    }
}
