/* Copies, blits, resolves and clears: the layouts that they say their images are in. */
#include "engine/vulkan/state/vtr-state-effects.h"

#include "api/vtr-api-args.h"

static void
use_layers (VtrEffectMaker                 *self,
            VkImage                         image,
            VkImageLayout                   layout,
            const VkImageSubresourceLayers *layers,
            gint32                          z,
            guint32                         depth)
{
  VkImageSubresourceRange range = {
    .aspectMask = layers->aspectMask,
    .baseMipLevel = layers->mipLevel,
    .levelCount = 1,
    .baseArrayLayer = layers->baseArrayLayer,
    .layerCount = layers->layerCount,
  };

  vtr_effect_add_use (self, image, &range, (guint32)MAX (z, 0), depth, layout);
}

/* The region of a blit, whose two corners may come in any order. */
static void
use_box (VtrEffectMaker                 *self,
         VkImage                         image,
         VkImageLayout                   layout,
         const VkImageSubresourceLayers *layers,
         const VkOffset3D                corners[2])
{
  const gint32 first = MIN (corners[0].z, corners[1].z), end = MAX (corners[0].z, corners[1].z);

  use_layers (self, image, layout, layers, first, (guint32)end - (guint32)first);
}

/* The regions of every version of these structures name their members alike. */
#define USE_BOTH(args, count, regions) \
  for (guint32 i = 0; (regions) != NULL && i < (count); i++) \
    { \
      use_layers (self, (args)->srcImage, (args)->srcImageLayout, &(regions)[i].srcSubresource, \
                  (regions)[i].srcOffset.z, (regions)[i].extent.depth); \
      use_layers (self, (args)->dstImage, (args)->dstImageLayout, &(regions)[i].dstSubresource, \
                  (regions)[i].dstOffset.z, (regions)[i].extent.depth); \
    }

#define USE_BOXES(args, count, regions) \
  for (guint32 i = 0; (regions) != NULL && i < (count); i++) \
    { \
      use_box (self, (args)->srcImage, (args)->srcImageLayout, &(regions)[i].srcSubresource, \
               (regions)[i].srcOffsets); \
      use_box (self, (args)->dstImage, (args)->dstImageLayout, &(regions)[i].dstSubresource, \
               (regions)[i].dstOffsets); \
    }

#define USE_ONE(image, layout, count, regions) \
  for (guint32 i = 0; (regions) != NULL && i < (count); i++) \
    use_layers (self, (image), (layout), &(regions)[i].imageSubresource, \
                (regions)[i].imageOffset.z, (regions)[i].imageExtent.depth);

static void
use_ranges (VtrEffectMaker                *self,
            VkImage                        image,
            VkImageLayout                  layout,
            const VkImageSubresourceRange *ranges,
            guint32                        n)
{
  for (guint32 i = 0; i < n && ranges != NULL; i++)
    vtr_effect_add_use (self, image, &ranges[i], 0, G_MAXUINT32, layout);
}

static gboolean
add_version1 (VtrEffectMaker *self)
{
  switch (self->command.id)
    {
    case VTR_CMD_vkCmdCopyImage:
      {
        const VtrArgs_vkCmdCopyImage *args = self->command.args;

        USE_BOTH (args, args->regionCount, args->pRegions);
        return TRUE;
      }
    case VTR_CMD_vkCmdBlitImage:
      {
        const VtrArgs_vkCmdBlitImage *args = self->command.args;

        USE_BOXES (args, args->regionCount, args->pRegions);
        return TRUE;
      }
    case VTR_CMD_vkCmdResolveImage:
      {
        const VtrArgs_vkCmdResolveImage *args = self->command.args;

        USE_BOTH (args, args->regionCount, args->pRegions);
        return TRUE;
      }
    case VTR_CMD_vkCmdCopyBufferToImage:
      {
        const VtrArgs_vkCmdCopyBufferToImage *args = self->command.args;

        USE_ONE (args->dstImage, args->dstImageLayout, args->regionCount, args->pRegions);
        return TRUE;
      }
    case VTR_CMD_vkCmdCopyImageToBuffer:
      {
        const VtrArgs_vkCmdCopyImageToBuffer *args = self->command.args;

        USE_ONE (args->srcImage, args->srcImageLayout, args->regionCount, args->pRegions);
        return TRUE;
      }
    case VTR_CMD_vkCmdClearColorImage:
      {
        const VtrArgs_vkCmdClearColorImage *args = self->command.args;

        use_ranges (self, args->image, args->imageLayout, args->pRanges, args->rangeCount);
        return TRUE;
      }
    case VTR_CMD_vkCmdClearDepthStencilImage:
      {
        const VtrArgs_vkCmdClearDepthStencilImage *args = self->command.args;

        use_ranges (self, args->image, args->imageLayout, args->pRanges, args->rangeCount);
        return TRUE;
      }
    default:
      return FALSE;
    }
}

#define WITH_INFO(name, type, member) \
  const type *info = ((const VtrArgs_##name *)self->command.args)->member; \
  if (info == NULL) \
    return TRUE;

static gboolean
add_version2 (VtrEffectMaker *self)
{
  switch (self->command.id)
    {
    case VTR_CMD_vkCmdCopyImage2:
      {
        WITH_INFO (vkCmdCopyImage2, VkCopyImageInfo2, pCopyImageInfo);
        USE_BOTH (info, info->regionCount, info->pRegions);
        return TRUE;
      }
    case VTR_CMD_vkCmdBlitImage2:
      {
        WITH_INFO (vkCmdBlitImage2, VkBlitImageInfo2, pBlitImageInfo);
        USE_BOXES (info, info->regionCount, info->pRegions);
        return TRUE;
      }
    case VTR_CMD_vkCmdResolveImage2:
      {
        WITH_INFO (vkCmdResolveImage2, VkResolveImageInfo2, pResolveImageInfo);
        USE_BOTH (info, info->regionCount, info->pRegions);
        return TRUE;
      }
    case VTR_CMD_vkCmdCopyBufferToImage2:
      {
        WITH_INFO (vkCmdCopyBufferToImage2, VkCopyBufferToImageInfo2, pCopyBufferToImageInfo);
        USE_ONE (info->dstImage, info->dstImageLayout, info->regionCount, info->pRegions);
        return TRUE;
      }
    case VTR_CMD_vkCmdCopyImageToBuffer2:
      {
        WITH_INFO (vkCmdCopyImageToBuffer2, VkCopyImageToBufferInfo2, pCopyImageToBufferInfo);
        USE_ONE (info->srcImage, info->srcImageLayout, info->regionCount, info->pRegions);
        return TRUE;
      }
    default:
      return FALSE;
    }
}

gboolean
vtr_effect_add_transfer (VtrEffectMaker *self)
{
  return add_version1 (self) || add_version2 (self);
}
