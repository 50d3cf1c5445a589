/* Turns the parts of a suspended and resumed dynamic rendering into whole renderings, so that a
 * replay can stop between them. */
#include "engine/vulkan/transforms/vtr-whole-rendering.h"

#include "vtr-api-args.h"

#define SPLIT (VK_RENDERING_SUSPENDING_BIT | VK_RENDERING_RESUMING_BIT)

static void
change_attachment (VkRenderingAttachmentInfo *attachment,
                   VkRenderingFlags           flags)
{
  if (attachment == NULL)
    return;
  if ((flags & VK_RENDERING_RESUMING_BIT) != 0)
    attachment->loadOp = VK_ATTACHMENT_LOAD_OP_LOAD;
  if ((flags & VK_RENDERING_SUSPENDING_BIT) != 0)
    {
      attachment->storeOp = VK_ATTACHMENT_STORE_OP_STORE;
      attachment->resolveMode = VK_RESOLVE_MODE_NONE;
    }
}

/* The next part sees what the last one wrote. */
static gboolean
emit_barrier (VtrTransform      *next,
              const VtrCommand  *command,
              GError           **error)
{
  const VkPipelineStageFlags stages = VK_PIPELINE_STAGE_EARLY_FRAGMENT_TESTS_BIT |
                                      VK_PIPELINE_STAGE_LATE_FRAGMENT_TESTS_BIT |
                                      VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT;
  const VkMemoryBarrier barrier = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
    .srcAccessMask =
      VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT | VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT,
    .dstAccessMask =
      VK_ACCESS_COLOR_ATTACHMENT_READ_BIT | VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT |
      VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_READ_BIT | VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT,
  };
  VtrArgs_vkCmdPipelineBarrier args = {
    .commandBuffer = *(const VkCommandBuffer *)command->args,
    .srcStageMask = stages,
    .dstStageMask = stages,
    .memoryBarrierCount = 1,
    .pMemoryBarriers = &barrier,
  };

  return vtr_transform_emit (next, VTR_CMD_vkCmdPipelineBarrier, &args, command->index, error);
}

static gboolean
change_rendering (VtrTransform  *next,
                  VtrCommand    *command,
                  GError       **error)
{
  VkRenderingInfo *info =
    (VkRenderingInfo *)((VtrArgs_vkCmdBeginRendering *)command->args)->pRenderingInfo;
  VkRenderingFlags flags = info != NULL ? info->flags : 0;

  if ((flags & SPLIT) == 0)
    return TRUE;
  info->flags &= ~(VkRenderingFlags)SPLIT;
  for (guint32 i = 0; info->pColorAttachments != NULL && i < info->colorAttachmentCount; i++)
    change_attachment ((VkRenderingAttachmentInfo *)&info->pColorAttachments[i], flags);
  change_attachment ((VkRenderingAttachmentInfo *)info->pDepthAttachment, flags);
  change_attachment ((VkRenderingAttachmentInfo *)info->pStencilAttachment, flags);
  return (flags & VK_RENDERING_RESUMING_BIT) == 0 || emit_barrier (next, command, error);
}

/* Only secondaries have something to inherit. */
static void
change_begin (const VtrArgs_vkBeginCommandBuffer *args)
{
  VkCommandBufferBeginInfo *info = (VkCommandBufferBeginInfo *)args->pBeginInfo;
  VkCommandBufferInheritanceRenderingInfo *rendering;

  if (info == NULL || info->pInheritanceInfo == NULL)
    return;
  info->flags |= VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT;
  rendering = (gpointer)vtr_api_find_next (
    info->pInheritanceInfo->pNext, VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_RENDERING_INFO);
  if (rendering != NULL)
    rendering->flags &= ~(VkRenderingFlags)SPLIT;
}

gboolean
vtr_whole_rendering_change (VtrTransform  *next,
                            VtrCommand    *command,
                            GError       **error)
{
  switch (vtr_cmd_canonical (command->id))
    {
    case VTR_CMD_vkBeginCommandBuffer:
      change_begin (command->args);
      return TRUE;
    case VTR_CMD_vkCmdBeginRendering:
      return change_rendering (next, command, error);
    default:
      return TRUE;
    }
}
