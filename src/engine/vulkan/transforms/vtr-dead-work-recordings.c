/* Finds what a command buffer does to images, to decide whether it can be left out. */
#include "engine/vulkan/transforms/vtr-dead-work-private.h"
#include "engine/vulkan/state/vtr-newer-form.h"
#include "engine/vulkan/state/vtr-older-form.h"

static void
use_image (VtrDeadBuild     *build,
           VtrDeadRecording *recording,
           guint32           image,
           gboolean          overwrites)
{
  const VtrDeadUse use = { build->index, image, overwrites };

  if (!g_array_index (build->result->images, VtrDeadImage, image).plain)
    recording->plain = FALSE;
  if (recording->uses == NULL)
    recording->uses = g_array_new (FALSE, FALSE, sizeof (VtrDeadUse));
  for (guint i = 0; i < recording->uses->len; i++)
    if (g_array_index (recording->uses, VtrDeadUse, i).image == image)
      return;
  g_array_append_val (recording->uses, use);
}

static void
use_view (VtrDeadBuild     *build,
          VtrDeadRecording *recording,
          guint64           handle,
          VkRect2D          area,
          gboolean          fresh)
{
  const VtrDeadView *view = g_hash_table_lookup (build->views, VTR_DEAD_KEY (handle));
  const VtrDeadImage *image;

  if (handle == 0)
    return;
  if (view == NULL)
    {
      recording->plain = FALSE;
      return;
    }
  image = &g_array_index (build->result->images, VtrDeadImage, view->image);
  use_image (build, recording, view->image,
             fresh && view->single && area.offset.x == 0 && area.offset.y == 0 &&
               area.extent.width == image->extent.width &&
               area.extent.height == image->extent.height);
}

static void
begin_render_pass (VtrDeadBuild                *build,
                   VtrDeadRecording            *recording,
                   const VkRenderPassBeginInfo *info)
{
  const VtrDeadFramebuffer *framebuffer;
  const VtrDeadRenderPass *pass;

  if (info == NULL)
    {
      recording->plain = FALSE;
      return;
    }
  framebuffer = g_hash_table_lookup (build->framebuffers, VTR_DEAD_KEY (info->framebuffer));
  pass = g_hash_table_lookup (build->render_passes, VTR_DEAD_KEY (info->renderPass));
  if (framebuffer == NULL || pass == NULL || framebuffer->imageless || pass->n != framebuffer->n)
    {
      recording->plain = FALSE;
      return;
    }
  for (guint32 i = 0; i < pass->n; i++)
    use_view (build, recording, framebuffer->views[i], info->renderArea, pass->fresh[i]);
}

static void
use_rendering (VtrDeadBuild                    *build,
               VtrDeadRecording                *recording,
               const VkRenderingInfo           *info,
               const VkRenderingAttachmentInfo *attachment)
{
  if (attachment == NULL)
    return;
  use_view (build, recording, (guint64)(gsize)attachment->imageView, info->renderArea, FALSE);
  use_view (build, recording, (guint64)(gsize)attachment->resolveImageView, info->renderArea,
            FALSE);
}

static void
begin_rendering (VtrDeadBuild          *build,
                 VtrDeadRecording      *recording,
                 const VkRenderingInfo *info)
{
  if (info == NULL || info->flags != 0)
    {
      recording->plain = FALSE;
      return;
    }
  for (guint32 i = 0; info->pColorAttachments != NULL && i < info->colorAttachmentCount; i++)
    use_rendering (build, recording, info, &info->pColorAttachments[i]);
  use_rendering (build, recording, info, info->pDepthAttachment);
  use_rendering (build, recording, info, info->pStencilAttachment);
}

static void
barrier (VtrDeadBuild     *build,
         VtrDeadRecording *recording,
         VkImage           handle,
         VkImageLayout     from)
{
  guint image = GPOINTER_TO_UINT (g_hash_table_lookup (build->images, VTR_DEAD_KEY (handle)));

  if (image == 0)
    recording->plain = FALSE;
  else
    use_image (build, recording, image - 1,
               from == VK_IMAGE_LAYOUT_UNDEFINED &&
                 g_array_index (build->result->images, VtrDeadImage, image - 1).single);
}

static void
pipeline_barrier (VtrDeadBuild     *build,
                  VtrDeadRecording *recording,
                  const VtrCommand *command)
{
  const VkDependencyInfo *info;
  g_auto (VtrNewerForm) form;

  vtr_newer_form_init (&form, command);
  info = ((const VtrArgs_vkCmdPipelineBarrier2 *)form.command.args)->pDependencyInfo;
  if (info == NULL || info->memoryBarrierCount > 0 || info->bufferMemoryBarrierCount > 0 ||
      info->imageMemoryBarrierCount == 0 || info->pImageMemoryBarriers == NULL)
    {
      recording->plain = FALSE;
      return;
    }
  for (guint32 i = 0; i < info->imageMemoryBarrierCount; i++)
    barrier (build, recording, info->pImageMemoryBarriers[i].image,
             info->pImageMemoryBarriers[i].oldLayout);
}

gboolean
vtr_dead_work_is_harmless (VtrCmdId id)
{
  if (vtr_cmd_is (id, VTR_CLASS_DRAW | VTR_CLASS_DYNAMIC | VTR_CLASS_END_PASS |
                        VTR_CLASS_NEXT_SUBPASS | VTR_CLASS_BEGIN_LABEL | VTR_CLASS_END_LABEL))
    return TRUE;
  switch (vtr_cmd_older_form (id))
    {
    case VTR_CMD_vkBeginCommandBuffer:
    case VTR_CMD_vkEndCommandBuffer:
    case VTR_CMD_vkCmdBindPipeline:
#ifdef VK_EXT_shader_object
    case VTR_CMD_vkCmdBindShadersEXT:
#endif
    case VTR_CMD_vkCmdBindVertexBuffers:
    case VTR_CMD_vkCmdBindVertexBuffers2:
    case VTR_CMD_vkCmdBindIndexBuffer:
    case VTR_CMD_vkCmdPushConstants:
    case VTR_CMD_vkCmdClearAttachments:
    case VTR_CMD_vkCmdInsertDebugUtilsLabelEXT:
      return TRUE;
    default:
      return FALSE;
    }
}

/* Whether drawing with what this binds may store somewhere. */
static gboolean
binds_storage (VtrDeadBuild     *build,
               const VtrCommand *command)
{
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VtrOlderForms forms;

  if (!build->stores)
    return FALSE;
  vtr_older_forms_init (&forms, command);
  switch (forms.command.id)
    {
    case VTR_CMD_vkCmdBindDescriptorSets:
      layout = ((const VtrArgs_vkCmdBindDescriptorSets *)forms.command.args)->layout;
      break;
    case VTR_CMD_vkCmdPushDescriptorSetKHR:
      layout = ((const VtrArgs_vkCmdPushDescriptorSetKHR *)forms.command.args)->layout;
      break;
    default:
      break;
    }
  return layout == VK_NULL_HANDLE || g_hash_table_contains (build->storing, VTR_DEAD_KEY (layout));
}

void
vtr_dead_work_note_recorded (VtrDeadBuild     *build,
                             VtrDeadRecording *recording,
                             const VtrCommand *command)
{
  const void *args = command->args;

  switch (vtr_cmd_newer_form (vtr_cmd_older_form (command->id)))
    {
    case VTR_CMD_vkCmdBeginRenderPass2:
      /* The first two parameters of both versions are the same. */
      begin_render_pass (build, recording,
                         ((const VtrArgs_vkCmdBeginRenderPass2 *)args)->pRenderPassBegin);
      break;
    case VTR_CMD_vkCmdBeginRendering:
      begin_rendering (build, recording,
                       ((const VtrArgs_vkCmdBeginRendering *)args)->pRenderingInfo);
      break;
    case VTR_CMD_vkCmdPipelineBarrier2:
      pipeline_barrier (build, recording, command);
      break;
    case VTR_CMD_vkCmdBindDescriptorSets:
    case VTR_CMD_vkCmdPushDescriptorSetKHR:
      if (binds_storage (build, command))
        recording->plain = FALSE;
      break;
    default:
      recording->plain = FALSE;
    }
}
