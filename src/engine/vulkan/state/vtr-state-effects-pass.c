/* Finds the effects of render pass instances on their attachments. */
#include "engine/vulkan/state/vtr-state-effects.h"

#include "api/vtr-api-args.h"

static VtrStatePass *
pass_new (VtrEffectMaker *self,
          guint32         n)
{
  VtrStatePass *pass = g_new0 (VtrStatePass, 1);

  g_atomic_ref_count_init (&pass->refs);
  pass->begin = (guint32)self->command.index;
  pass->n_images = n;
  pass->images = g_new0 (VtrPassImage, MAX (n, 1));
  return pass;
}

/* An attachment is all aspects of its image, whatever its view shows. */
static void
fill_image (VtrEffectMaker *self,
            guint32         view,
            VtrPassImage   *out)
{
  const VtrViewFact *fact = vtr_state_facts_get_view (vtr_vulkan_facts (self->shared), view);
  const VtrImageFact *image;

  out->view = view;
  if (fact == NULL)
    return;
  image = vtr_state_facts_get_image (vtr_vulkan_facts (self->shared), fact->image);
  out->image = fact->image;
  out->range = fact->range;
  if (image != NULL && (image->aspects & VK_IMAGE_ASPECT_COLOR_BIT) == 0)
    out->range.aspectMask = image->aspects;
}

void
vtr_effect_begin_pass (VtrEffectMaker              *self,
                       const VkRenderPassBeginInfo *info)
{
  const VkRenderPassAttachmentBeginInfo *given =
    vtr_api_find_next (info->pNext, VK_STRUCTURE_TYPE_RENDER_PASS_ATTACHMENT_BEGIN_INFO);
  guint32 id = vtr_effect_find (self, VTR_HANDLE_VkFramebuffer, (guint64)info->framebuffer);
  const VtrFramebufferFact *framebuffer =
    vtr_state_facts_get_framebuffer (vtr_vulkan_facts (self->shared), id);
  gboolean imageless = (framebuffer == NULL || framebuffer->n == 0) && given != NULL &&
                       given->pAttachments != NULL;
  VtrStatePass *pass = pass_new (
    self, imageless ? given->attachmentCount : framebuffer != NULL ? framebuffer->n
                                                                   : 0);

  pass->framebuffer = id;
  pass->render_pass =
    vtr_effect_find (self, VTR_HANDLE_VkRenderPass, (guint64)info->renderPass);
  pass->fact = vtr_state_facts_get_render_pass (vtr_vulkan_facts (self->shared), pass->render_pass);
  for (guint32 i = 0; i < pass->n_images; i++)
    fill_image (self,
                imageless ? vtr_effect_find (self, VTR_HANDLE_VkImageView,
                                             (guint64)given->pAttachments[i])
                          : framebuffer->views[i],
                &pass->images[i]);
  vtr_effect_add (self, VTR_EFFECT_PASS_BEGIN, pass->render_pass)->pass = pass;
}

static void
add_rendered (VtrEffectMaker     *self,
              VtrStatePass       *pass,
              VkImageView         view,
              guint32             layout,
              VkImageAspectFlags  aspect)
{
  guint32 id = vtr_effect_find (self, VTR_HANDLE_VkImageView, (guint64)view);
  VtrPassImage *image = &pass->images[pass->n_images];

  if (id == 0)
    return;
  fill_image (self, id, image);
  if (aspect != 0)
    image->range.aspectMask = aspect;
  pass->layouts[pass->n_images++] = layout;
}

static void
add_attachment (VtrEffectMaker                  *self,
                VtrStatePass                    *pass,
                const VkRenderingAttachmentInfo *info,
                VkImageAspectFlags               aspect)
{
  if (info == NULL)
    return;
  add_rendered (self, pass, info->imageView, info->imageLayout, aspect);
  if (info->resolveMode != VK_RESOLVE_MODE_NONE)
    add_rendered (self, pass, info->resolveImageView, info->resolveImageLayout, aspect);
}

void
vtr_effect_begin_rendering (VtrEffectMaker        *self,
                            const VkRenderingInfo *info)
{
  guint32 n = info->pColorAttachments != NULL ? MIN (info->colorAttachmentCount, 64) : 0;
  VtrStatePass *pass = pass_new (self, 2 * (n + 2));

  pass->n_images = 0;
  pass->layouts = g_new0 (guint32, 2 * (n + 2));
  pass->dynamic = TRUE;
  pass->suspending = (info->flags & VK_RENDERING_SUSPENDING_BIT) != 0;
  pass->resuming = (info->flags & VK_RENDERING_RESUMING_BIT) != 0;
  for (guint32 i = 0; i < n; i++)
    add_attachment (self, pass, &info->pColorAttachments[i], 0);
  add_attachment (self, pass, info->pDepthAttachment, VK_IMAGE_ASPECT_DEPTH_BIT);
  add_attachment (self, pass, info->pStencilAttachment, VK_IMAGE_ASPECT_STENCIL_BIT);
  vtr_effect_add (self, VTR_EFFECT_PASS_BEGIN, 0)->pass = pass;
}
