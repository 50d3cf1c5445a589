/* Notes the writes of passes to attachments, from the first command of the pass to the last
 * (VtrMemoryDraft). */
#include "engine/vulkan/memory/vtr-memory-recorder-private.h"

#include "api/vtr-api-args.h"

#define KEY(handle) ((gpointer)(gsize)(handle))
#define VALUE(handle) ((guint64)(gsize)(handle))

/* The pass' attachments are written until @index. */
void
vtr_memory_draft_extend_pass (VtrMemoryDraft *self,
                              guint64         index)
{
  if (self->pass_exact != 0)
    vtr_memory_draft_get_entry (self, self->pass_exact)->last = index;
  if (self->pass_maybe != 0)
    vtr_memory_draft_get_entry (self, self->pass_maybe)->last = index;
}

static void
add_attachment (VtrMemoryDraft *self,
                guint32         image)
{
  for (guint i = 0; i < self->attachments->len; i++)
    if (g_array_index (self->attachments, guint32, i) == image)
      return;
  if (image != VTR_MEMORY_NONE)
    g_array_append_val (self->attachments, image);
}

/* Only the GPU knows the layout of an optimal image in its bytes, so each access counts for all of
   them. Of a linear image a draw touches a part. */
static void
begin_pass_entries (VtrMemoryDraft   *self,
                    VtrMemoryObjects *objects,
                    guint64           index)
{
  self->pass_exact = self->pass_maybe = 0;
  for (guint linear = 0; linear < 2; linear++)
    {
      guint before = self->entries->len;

      vtr_memory_draft_begin_entry (self, linear != 0 ? VTR_EVENT_MAYBE : VTR_EVENT_EXACT, index);
      for (guint i = 0; i < self->attachments->len; i++)
        {
          guint32 image = g_array_index (self->attachments, guint32, i);
          gboolean is_linear = g_array_index (objects->images, VtrMemoryImage, image).tiling ==
                               VK_IMAGE_TILING_LINEAR;

          if (is_linear == (linear != 0))
            vtr_memory_draft_add_ref (self, (VtrMemoryRef){ .kind = VTR_REF_IMAGE,
                                                            .object = image });
        }
      if (vtr_memory_draft_get_entry (self, self->entries->len)->n_refs == 0)
        g_array_set_size (self->entries, before);
      else if (linear != 0)
        self->pass_maybe = self->entries->len;
      else
        self->pass_exact = self->entries->len;
    }
  self->points[0].dirty = TRUE;
}

void
vtr_memory_draft_begin_render_pass (VtrMemoryDraft              *self,
                                    VtrMemoryObjects            *objects,
                                    guint64                      index,
                                    const VkRenderPassBeginInfo *info)
{
  const VkRenderPassAttachmentBeginInfo *imageless;
  const VtrMemoryFramebuffer *framebuffer;
  const VtrMemoryRenderPass *pass;

  g_array_set_size (self->attachments, 0);
  if (info == NULL)
    return;
  imageless =
    vtr_api_find_next (info->pNext, VK_STRUCTURE_TYPE_RENDER_PASS_ATTACHMENT_BEGIN_INFO);
  framebuffer = g_hash_table_lookup (objects->framebuffers, KEY (info->framebuffer));
  pass = g_hash_table_lookup (objects->render_passes, KEY (info->renderPass));
  for (guint32 i = 0; pass != NULL && i < pass->n; i++)
    if (!pass->written[i])
      continue;
    else if (framebuffer != NULL && i < framebuffer->n)
      add_attachment (self, framebuffer->images[i]);
    else if (imageless != NULL && imageless->pAttachments != NULL && i < imageless->attachmentCount)
      add_attachment (
        self, vtr_memory_objects_find_view_image (objects, VALUE (imageless->pAttachments[i])));
  begin_pass_entries (self, objects, index);
}

static void
add_rendering (VtrMemoryDraft                  *self,
               VtrMemoryObjects                *objects,
               const VkRenderingAttachmentInfo *attachment)
{
  if (attachment == NULL)
    return;
  if (attachment->imageLayout != VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL &&
      attachment->imageLayout != VK_IMAGE_LAYOUT_DEPTH_READ_ONLY_OPTIMAL &&
      attachment->imageLayout != VK_IMAGE_LAYOUT_STENCIL_READ_ONLY_OPTIMAL &&
      attachment->imageLayout != VK_IMAGE_LAYOUT_READ_ONLY_OPTIMAL)
    add_attachment (self,
                    vtr_memory_objects_find_view_image (objects, VALUE (attachment->imageView)));
  add_attachment (
    self, vtr_memory_objects_find_view_image (objects, VALUE (attachment->resolveImageView)));
}

void
vtr_memory_draft_begin_rendering (VtrMemoryDraft        *self,
                                  VtrMemoryObjects      *objects,
                                  guint64                index,
                                  const VkRenderingInfo *info)
{
  g_array_set_size (self->attachments, 0);
  if (info == NULL)
    return;
  for (guint32 i = 0; info->pColorAttachments != NULL && i < info->colorAttachmentCount; i++)
    add_rendering (self, objects, &info->pColorAttachments[i]);
  add_rendering (self, objects, info->pDepthAttachment);
  add_rendering (self, objects, info->pStencilAttachment);
  begin_pass_entries (self, objects, index);
}

void
vtr_memory_draft_end_pass (VtrMemoryDraft *self,
                           guint64         index)
{
  vtr_memory_draft_extend_pass (self, index);
  self->pass_exact = self->pass_maybe = 0;
  g_array_set_size (self->attachments, 0);
}
