/* The part of VtrMemoryObjects about render passes and framebuffers. */
#include "engine/vulkan/memory/vtr-memory-objects-private.h"

#define KEY(handle) ((gpointer)(gsize)(handle))
#define VALUE(handle) ((guint64)(gsize)(handle))

/* --- Passes ---------------------------------------------------------------------------------- */

void
vtr_memory_objects_create_framebuffer (VtrMemoryObjects                  *self,
                                       const VtrArgs_vkCreateFramebuffer *args)
{
  const VkFramebufferCreateInfo *info = args->pCreateInfo;
  VtrMemoryFramebuffer *framebuffer;
  guint32 n;

  if (info == NULL || args->pFramebuffer == NULL)
    return;
  n = info->pAttachments != NULL ? info->attachmentCount : 0;
  framebuffer = g_malloc (sizeof *framebuffer + (gsize)n * sizeof (guint32));
  framebuffer->n = n;
  framebuffer->images = (guint32 *)(void *)(framebuffer + 1);
  for (guint32 i = 0; i < n; i++)
    framebuffer->images[i] =
      vtr_memory_objects_find_view_image (self, VALUE (info->pAttachments[i]));
  g_hash_table_replace (self->framebuffers, KEY (*args->pFramebuffer), framebuffer);
}

static gboolean
is_written_in (VkImageLayout layout)
{
  return layout != VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL &&
         layout != VK_IMAGE_LAYOUT_DEPTH_READ_ONLY_OPTIMAL &&
         layout != VK_IMAGE_LAYOUT_STENCIL_READ_ONLY_OPTIMAL &&
         layout != VK_IMAGE_LAYOUT_READ_ONLY_OPTIMAL;
}

static void
mark (VtrMemoryRenderPass *pass,
      guint32              attachment,
      VkImageLayout        layout)
{
  if (attachment < pass->n && is_written_in (layout))
    pass->written[attachment] = TRUE;
}

static VtrMemoryRenderPass *
pass_new (guint32 n)
{
  VtrMemoryRenderPass *pass = g_malloc0 (sizeof *pass + (gsize)n * sizeof pass->written[0]);

  pass->n = n;
  return pass;
}

/* Both versions of a subpass have these members. */
#define MARK_SUBPASS(pass, s) \
  G_STMT_START \
  { \
    for (guint32 c = 0; c < (s)->colorAttachmentCount; c++) \
      { \
        if ((s)->pColorAttachments != NULL) \
          mark (pass, (s)->pColorAttachments[c].attachment, (s)->pColorAttachments[c].layout); \
        if ((s)->pResolveAttachments != NULL) \
          mark (pass, (s)->pResolveAttachments[c].attachment, (s)->pResolveAttachments[c].layout); \
      } \
    if ((s)->pDepthStencilAttachment != NULL) \
      mark (pass, (s)->pDepthStencilAttachment->attachment, \
            (s)->pDepthStencilAttachment->layout); \
  } \
  G_STMT_END

void
vtr_memory_objects_create_render_pass (VtrMemoryObjects                 *self,
                                       const VtrArgs_vkCreateRenderPass *args)
{
  const VkRenderPassCreateInfo *info = args->pCreateInfo;
  VtrMemoryRenderPass *pass;

  if (info == NULL || args->pRenderPass == NULL)
    return;
  pass = pass_new (info->pAttachments != NULL ? info->attachmentCount : 0);
  for (guint32 i = 0; info->pSubpasses != NULL && i < info->subpassCount; i++)
    MARK_SUBPASS (pass, &info->pSubpasses[i]);
  g_hash_table_replace (self->render_passes, KEY (*args->pRenderPass), pass);
}

void
vtr_memory_objects_create_render_pass2 (VtrMemoryObjects                  *self,
                                        const VtrArgs_vkCreateRenderPass2 *args)
{
  const VkRenderPassCreateInfo2 *info = args->pCreateInfo;
  VtrMemoryRenderPass *pass;

  if (info == NULL || args->pRenderPass == NULL)
    return;
  pass = pass_new (info->pAttachments != NULL ? info->attachmentCount : 0);
  for (guint32 i = 0; info->pSubpasses != NULL && i < info->subpassCount; i++)
    {
      const VkSubpassDescription2 *subpass = &info->pSubpasses[i];
      const VkSubpassDescriptionDepthStencilResolve *resolve = vtr_api_find_next (
        subpass->pNext, VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_DEPTH_STENCIL_RESOLVE);

      MARK_SUBPASS (pass, subpass);
      if (resolve != NULL && resolve->pDepthStencilResolveAttachment != NULL)
        mark (pass, resolve->pDepthStencilResolveAttachment->attachment,
              resolve->pDepthStencilResolveAttachment->layout);
    }
  g_hash_table_replace (self->render_passes, KEY (*args->pRenderPass), pass);
}
