/* Follows render passes and framebuffers (VtrMemoryObjects). */
#include "engine/vulkan/memory/vtr-memory-objects-private.h"
#include "engine/vulkan/state/vtr-newer-form.h"

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

static void
mark_subpass (VtrMemoryRenderPass         *pass,
              const VkSubpassDescription2 *subpass)
{
  const VkSubpassDescriptionDepthStencilResolve *resolve = vtr_api_find_next (
    subpass->pNext, VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_DEPTH_STENCIL_RESOLVE);
  const VkAttachmentReference2 *colors = subpass->pColorAttachments;
  const VkAttachmentReference2 *resolves = subpass->pResolveAttachments;
  const VkAttachmentReference2 *depth = subpass->pDepthStencilAttachment;

  for (guint32 i = 0; i < subpass->colorAttachmentCount; i++)
    {
      if (colors != NULL)
        mark (pass, colors[i].attachment, colors[i].layout);
      if (resolves != NULL)
        mark (pass, resolves[i].attachment, resolves[i].layout);
    }
  if (depth != NULL)
    mark (pass, depth->attachment, depth->layout);
  if (resolve != NULL && resolve->pDepthStencilResolveAttachment != NULL)
    mark (pass, resolve->pDepthStencilResolveAttachment->attachment,
          resolve->pDepthStencilResolveAttachment->layout);
}

void
vtr_memory_objects_create_render_pass (VtrMemoryObjects *self,
                                       const VtrCommand *command)
{
  const VtrArgs_vkCreateRenderPass2 *args;
  const VkRenderPassCreateInfo2 *info;
  VtrMemoryRenderPass *pass;
  g_auto (VtrNewerForm) form;
  guint32 n;

  vtr_newer_form_init (&form, command);
  args = form.command.args;
  info = args->pCreateInfo;
  if (info == NULL || args->pRenderPass == NULL)
    return;
  n = info->pAttachments != NULL ? info->attachmentCount : 0;
  pass = g_malloc0 (sizeof *pass + (gsize)n * sizeof pass->written[0]);
  pass->n = n;
  for (guint32 i = 0; info->pSubpasses != NULL && i < info->subpassCount; i++)
    mark_subpass (pass, &info->pSubpasses[i]);
  g_hash_table_replace (self->render_passes, KEY (*args->pRenderPass), pass);
}
