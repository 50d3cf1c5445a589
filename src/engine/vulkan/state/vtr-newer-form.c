/* Makes the second versions of calls from the first ones, so that analysers need to know only
 * those. */
#include "engine/vulkan/state/vtr-newer-form-private.h"

#include <string.h>

VtrCmdId
vtr_cmd_newer_form (VtrCmdId id)
{
  switch (vtr_cmd_canonical (id))
    {
    case VTR_CMD_vkBindBufferMemory:
      return VTR_CMD_vkBindBufferMemory2;
    case VTR_CMD_vkBindImageMemory:
      return VTR_CMD_vkBindImageMemory2;
    case VTR_CMD_vkGetBufferMemoryRequirements:
      return VTR_CMD_vkGetBufferMemoryRequirements2;
    case VTR_CMD_vkGetImageMemoryRequirements:
      return VTR_CMD_vkGetImageMemoryRequirements2;
    case VTR_CMD_vkCreateRenderPass:
      return VTR_CMD_vkCreateRenderPass2;
    case VTR_CMD_vkQueueSubmit:
      return VTR_CMD_vkQueueSubmit2;
    case VTR_CMD_vkCmdCopyBuffer:
      return VTR_CMD_vkCmdCopyBuffer2;
    case VTR_CMD_vkCmdCopyImage:
      return VTR_CMD_vkCmdCopyImage2;
    case VTR_CMD_vkCmdBlitImage:
      return VTR_CMD_vkCmdBlitImage2;
    case VTR_CMD_vkCmdResolveImage:
      return VTR_CMD_vkCmdResolveImage2;
    case VTR_CMD_vkCmdCopyBufferToImage:
      return VTR_CMD_vkCmdCopyBufferToImage2;
    case VTR_CMD_vkCmdCopyImageToBuffer:
      return VTR_CMD_vkCmdCopyImageToBuffer2;
    case VTR_CMD_vkCmdPipelineBarrier:
      return VTR_CMD_vkCmdPipelineBarrier2;
    case VTR_CMD_vkCmdWaitEvents:
      return VTR_CMD_vkCmdWaitEvents2;
    case VTR_CMD_vkCmdBeginRenderPass:
      return VTR_CMD_vkCmdBeginRenderPass2;
    case VTR_CMD_vkCmdNextSubpass:
      return VTR_CMD_vkCmdNextSubpass2;
    case VTR_CMD_vkCmdEndRenderPass:
      return VTR_CMD_vkCmdEndRenderPass2;
    default:
      return vtr_cmd_canonical (id);
    }
}

/* --- Memory ---------------------------------------------------------------------------------- */

gpointer
vtr_newer_form_take (VtrNewerForm *self,
                     gsize         n,
                     gsize         size)
{
  gpointer memory = NULL;
  gsize bytes;

  if (__builtin_mul_overflow (n, size, &bytes) || bytes > G_MAXSSIZE)
    g_error ("%" G_GSIZE_FORMAT " × %" G_GSIZE_FORMAT " bytes of a call", n, size);
  bytes = (bytes + 7) & ~(gsize)7;
  if (bytes <= sizeof self->room - self->used)
    {
      memory = memset ((guint8 *)self->room + self->used, 0, bytes);
      self->used += bytes;
    }
  else
    memory = vtr_arena_alloc (&self->arena, bytes);
  if (memory == NULL)
    g_error ("no memory for %" G_GSIZE_FORMAT " bytes of a call", bytes);
  return memory;
}

gpointer
vtr_newer_form_widen (VtrNewerForm    *self,
                      gconstpointer    from,
                      guint32          n,
                      gsize            size,
                      gsize            wide,
                      VkStructureType  type)
{
  guint8 *to;

  if (from == NULL)
    return NULL;
  to = vtr_newer_form_take (self, n, wide);
  for (guint32 i = 0; i < n; i++)
    {
      ((VkBaseInStructure *)(gpointer)(to + i * wide))->sType = type;
      memcpy (to + i * wide + sizeof (VkBaseInStructure), (const guint8 *)from + i * size, size);
    }
  return to;
}

/* --- Memory of resources --------------------------------------------------------------------- */

static void
read_buffer_binding (VtrNewerForm                     *self,
                     const VtrArgs_vkBindBufferMemory *from)
{
  VtrArgs_vkBindBufferMemory2 *args = TAKE (self, 1, VtrArgs_vkBindBufferMemory2);
  VkBindBufferMemoryInfo *info = TAKE (self, 1, VkBindBufferMemoryInfo);

  info->sType = VK_STRUCTURE_TYPE_BIND_BUFFER_MEMORY_INFO;
  info->buffer = from->buffer;
  info->memory = from->memory;
  info->memoryOffset = from->memoryOffset;
  args->device = from->device;
  args->bindInfoCount = 1;
  args->pBindInfos = info;
  self->command.args = args;
}

static void
read_image_binding (VtrNewerForm                    *self,
                    const VtrArgs_vkBindImageMemory *from)
{
  VtrArgs_vkBindImageMemory2 *args = TAKE (self, 1, VtrArgs_vkBindImageMemory2);
  VkBindImageMemoryInfo *info = TAKE (self, 1, VkBindImageMemoryInfo);

  info->sType = VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_INFO;
  info->image = from->image;
  info->memory = from->memory;
  info->memoryOffset = from->memoryOffset;
  args->device = from->device;
  args->bindInfoCount = 1;
  args->pBindInfos = info;
  self->command.args = args;
}

static VkMemoryRequirements2 *
read_answer (VtrNewerForm               *self,
             const VkMemoryRequirements *from)
{
  VkMemoryRequirements2 *answer = NULL;

  if (from != NULL)
    {
      answer = TAKE (self, 1, VkMemoryRequirements2);
      answer->sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2;
      answer->memoryRequirements = *from;
    }
  return answer;
}

static void
read_buffer_requirements (VtrNewerForm                                *self,
                          const VtrArgs_vkGetBufferMemoryRequirements *from)
{
  VtrArgs_vkGetBufferMemoryRequirements2 *args =
    TAKE (self, 1, VtrArgs_vkGetBufferMemoryRequirements2);
  VkBufferMemoryRequirementsInfo2 *info = TAKE (self, 1, VkBufferMemoryRequirementsInfo2);

  info->sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_REQUIREMENTS_INFO_2;
  info->buffer = from->buffer;
  args->device = from->device;
  args->pInfo = info;
  args->pMemoryRequirements = read_answer (self, from->pMemoryRequirements);
  self->command.args = args;
}

static void
read_image_requirements (VtrNewerForm                               *self,
                         const VtrArgs_vkGetImageMemoryRequirements *from)
{
  VtrArgs_vkGetImageMemoryRequirements2 *args =
    TAKE (self, 1, VtrArgs_vkGetImageMemoryRequirements2);
  VkImageMemoryRequirementsInfo2 *info = TAKE (self, 1, VkImageMemoryRequirementsInfo2);

  info->sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_REQUIREMENTS_INFO_2;
  info->image = from->image;
  args->device = from->device;
  args->pInfo = info;
  args->pMemoryRequirements = read_answer (self, from->pMemoryRequirements);
  self->command.args = args;
}

/* --- Transfers ------------------------------------------------------------------------------- */

static void
read_copy_buffer (VtrNewerForm                  *self,
                  const VtrArgs_vkCmdCopyBuffer *from)
{
  VtrArgs_vkCmdCopyBuffer2 *args = TAKE (self, 1, VtrArgs_vkCmdCopyBuffer2);
  VkCopyBufferInfo2 *info = TAKE (self, 1, VkCopyBufferInfo2);

  info->sType = VK_STRUCTURE_TYPE_COPY_BUFFER_INFO_2;
  info->srcBuffer = from->srcBuffer;
  info->dstBuffer = from->dstBuffer;
  info->regionCount = from->regionCount;
  info->pRegions = WIDEN (self, from->pRegions, from->regionCount, VkBufferCopy, VkBufferCopy2,
                          srcOffset, VK_STRUCTURE_TYPE_BUFFER_COPY_2);
  args->commandBuffer = from->commandBuffer;
  args->pCopyBufferInfo = info;
  self->command.args = args;
}

static void
read_copy_image (VtrNewerForm                 *self,
                 const VtrArgs_vkCmdCopyImage *from)
{
  VtrArgs_vkCmdCopyImage2 *args = TAKE (self, 1, VtrArgs_vkCmdCopyImage2);
  VkCopyImageInfo2 *info = TAKE (self, 1, VkCopyImageInfo2);

  info->sType = VK_STRUCTURE_TYPE_COPY_IMAGE_INFO_2;
  info->srcImage = from->srcImage;
  info->srcImageLayout = from->srcImageLayout;
  info->dstImage = from->dstImage;
  info->dstImageLayout = from->dstImageLayout;
  info->regionCount = from->regionCount;
  info->pRegions = WIDEN (self, from->pRegions, from->regionCount, VkImageCopy, VkImageCopy2,
                          srcSubresource, VK_STRUCTURE_TYPE_IMAGE_COPY_2);
  args->commandBuffer = from->commandBuffer;
  args->pCopyImageInfo = info;
  self->command.args = args;
}

static void
read_blit_image (VtrNewerForm                 *self,
                 const VtrArgs_vkCmdBlitImage *from)
{
  VtrArgs_vkCmdBlitImage2 *args = TAKE (self, 1, VtrArgs_vkCmdBlitImage2);
  VkBlitImageInfo2 *info = TAKE (self, 1, VkBlitImageInfo2);

  info->sType = VK_STRUCTURE_TYPE_BLIT_IMAGE_INFO_2;
  info->srcImage = from->srcImage;
  info->srcImageLayout = from->srcImageLayout;
  info->dstImage = from->dstImage;
  info->dstImageLayout = from->dstImageLayout;
  info->regionCount = from->regionCount;
  info->pRegions = WIDEN (self, from->pRegions, from->regionCount, VkImageBlit, VkImageBlit2,
                          srcSubresource, VK_STRUCTURE_TYPE_IMAGE_BLIT_2);
  info->filter = from->filter;
  args->commandBuffer = from->commandBuffer;
  args->pBlitImageInfo = info;
  self->command.args = args;
}

static void
read_resolve_image (VtrNewerForm                    *self,
                    const VtrArgs_vkCmdResolveImage *from)
{
  VtrArgs_vkCmdResolveImage2 *args = TAKE (self, 1, VtrArgs_vkCmdResolveImage2);
  VkResolveImageInfo2 *info = TAKE (self, 1, VkResolveImageInfo2);

  info->sType = VK_STRUCTURE_TYPE_RESOLVE_IMAGE_INFO_2;
  info->srcImage = from->srcImage;
  info->srcImageLayout = from->srcImageLayout;
  info->dstImage = from->dstImage;
  info->dstImageLayout = from->dstImageLayout;
  info->regionCount = from->regionCount;
  info->pRegions = WIDEN (self, from->pRegions, from->regionCount, VkImageResolve, VkImageResolve2,
                          srcSubresource, VK_STRUCTURE_TYPE_IMAGE_RESOLVE_2);
  args->commandBuffer = from->commandBuffer;
  args->pResolveImageInfo = info;
  self->command.args = args;
}

static void
read_copy_to_image (VtrNewerForm                         *self,
                    const VtrArgs_vkCmdCopyBufferToImage *from)
{
  VtrArgs_vkCmdCopyBufferToImage2 *args = TAKE (self, 1, VtrArgs_vkCmdCopyBufferToImage2);
  VkCopyBufferToImageInfo2 *info = TAKE (self, 1, VkCopyBufferToImageInfo2);

  info->sType = VK_STRUCTURE_TYPE_COPY_BUFFER_TO_IMAGE_INFO_2;
  info->srcBuffer = from->srcBuffer;
  info->dstImage = from->dstImage;
  info->dstImageLayout = from->dstImageLayout;
  info->regionCount = from->regionCount;
  info->pRegions = WIDEN (self, from->pRegions, from->regionCount, VkBufferImageCopy,
                          VkBufferImageCopy2, bufferOffset, VK_STRUCTURE_TYPE_BUFFER_IMAGE_COPY_2);
  args->commandBuffer = from->commandBuffer;
  args->pCopyBufferToImageInfo = info;
  self->command.args = args;
}

static void
read_copy_to_buffer (VtrNewerForm                         *self,
                     const VtrArgs_vkCmdCopyImageToBuffer *from)
{
  VtrArgs_vkCmdCopyImageToBuffer2 *args = TAKE (self, 1, VtrArgs_vkCmdCopyImageToBuffer2);
  VkCopyImageToBufferInfo2 *info = TAKE (self, 1, VkCopyImageToBufferInfo2);

  info->sType = VK_STRUCTURE_TYPE_COPY_IMAGE_TO_BUFFER_INFO_2;
  info->srcImage = from->srcImage;
  info->srcImageLayout = from->srcImageLayout;
  info->dstBuffer = from->dstBuffer;
  info->regionCount = from->regionCount;
  info->pRegions = WIDEN (self, from->pRegions, from->regionCount, VkBufferImageCopy,
                          VkBufferImageCopy2, bufferOffset, VK_STRUCTURE_TYPE_BUFFER_IMAGE_COPY_2);
  args->commandBuffer = from->commandBuffer;
  args->pCopyImageToBufferInfo = info;
  self->command.args = args;
}

/* --- All of it ------------------------------------------------------------------------------- */

static void
read_transfer (VtrNewerForm     *self,
               const VtrCommand *command)
{
  switch (self->command.id)
    {
    case VTR_CMD_vkCmdCopyBuffer2:
      read_copy_buffer (self, command->args);
      break;
    case VTR_CMD_vkCmdCopyImage2:
      read_copy_image (self, command->args);
      break;
    case VTR_CMD_vkCmdBlitImage2:
      read_blit_image (self, command->args);
      break;
    case VTR_CMD_vkCmdResolveImage2:
      read_resolve_image (self, command->args);
      break;
    case VTR_CMD_vkCmdCopyBufferToImage2:
      read_copy_to_image (self, command->args);
      break;
    default:
      read_copy_to_buffer (self, command->args);
      break;
    }
}

static void
read_older (VtrNewerForm     *self,
            const VtrCommand *command)
{
  switch (self->command.id)
    {
    case VTR_CMD_vkBindBufferMemory2:
      read_buffer_binding (self, command->args);
      break;
    case VTR_CMD_vkBindImageMemory2:
      read_image_binding (self, command->args);
      break;
    case VTR_CMD_vkGetBufferMemoryRequirements2:
      read_buffer_requirements (self, command->args);
      break;
    case VTR_CMD_vkGetImageMemoryRequirements2:
      read_image_requirements (self, command->args);
      break;
    case VTR_CMD_vkCreateRenderPass2:
      vtr_newer_form_read_render_pass (self, command->args);
      break;
    case VTR_CMD_vkQueueSubmit2:
      vtr_newer_form_read_submission (self, command->args);
      break;
    case VTR_CMD_vkCmdPipelineBarrier2:
    case VTR_CMD_vkCmdWaitEvents2:
      vtr_newer_form_read_barriers (self, command);
      break;
    case VTR_CMD_vkCmdBeginRenderPass2:
    case VTR_CMD_vkCmdNextSubpass2:
    case VTR_CMD_vkCmdEndRenderPass2:
      vtr_newer_form_read_subpass (self, command);
      break;
    default:
      read_transfer (self, command);
      break;
    }
}

void
vtr_newer_form_init (VtrNewerForm     *self,
                     const VtrCommand *command)
{
  const VtrCmdId canonical = vtr_cmd_canonical (command->id);

  self->command = *command;
  self->command.id = vtr_cmd_newer_form (canonical);
  vtr_arena_init (&self->arena);
  self->used = 0;
  if (self->command.id != canonical && command->args != NULL)
    read_older (self, command);
}

void
vtr_newer_form_clear (VtrNewerForm *self)
{
  vtr_arena_finish (&self->arena);
}
