/* Finds the layouts in which copies, blits, resolves and clears expect their images. */
#include "engine/vulkan/state/vtr-state-effects.h"
#include "engine/vulkan/state/vtr-newer-form.h"

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

/* Regions of copies and of resolves name their members alike. */
#define USE_BOTH(info) \
  for (guint32 i = 0; (info)->pRegions != NULL && i < (info)->regionCount; i++) \
    { \
      use_layers (self, (info)->srcImage, (info)->srcImageLayout, \
                  &(info)->pRegions[i].srcSubresource, (info)->pRegions[i].srcOffset.z, \
                  (info)->pRegions[i].extent.depth); \
      use_layers (self, (info)->dstImage, (info)->dstImageLayout, \
                  &(info)->pRegions[i].dstSubresource, (info)->pRegions[i].dstOffset.z, \
                  (info)->pRegions[i].extent.depth); \
    }

static void
use_regions (VtrEffectMaker           *self,
             VkImage                   image,
             VkImageLayout             layout,
             const VkBufferImageCopy2 *regions,
             guint32                   n)
{
  for (guint32 i = 0; regions != NULL && i < n; i++)
    use_layers (self, image, layout, &regions[i].imageSubresource, regions[i].imageOffset.z,
                regions[i].imageExtent.depth);
}

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
add_clear (VtrEffectMaker *self)
{
  switch (self->command.id)
    {
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

/* The structure of @command, which a switch has found. */
#define GET_INFO(name, member) ((const VtrArgs_##name *)command->args)->member

static void
add_copy (VtrEffectMaker   *self,
          const VtrCommand *command)
{
  switch (command->id)
    {
    case VTR_CMD_vkCmdCopyImage2:
      {
        const VkCopyImageInfo2 *info = GET_INFO (vkCmdCopyImage2, pCopyImageInfo);

        if (info != NULL)
          USE_BOTH (info);
        break;
      }
    case VTR_CMD_vkCmdBlitImage2:
      {
        const VkBlitImageInfo2 *info = GET_INFO (vkCmdBlitImage2, pBlitImageInfo);

        for (guint32 i = 0; info != NULL && info->pRegions != NULL && i < info->regionCount; i++)
          {
            use_box (self, info->srcImage, info->srcImageLayout,
                     &info->pRegions[i].srcSubresource, info->pRegions[i].srcOffsets);
            use_box (self, info->dstImage, info->dstImageLayout,
                     &info->pRegions[i].dstSubresource, info->pRegions[i].dstOffsets);
          }
        break;
      }
    case VTR_CMD_vkCmdResolveImage2:
      {
        const VkResolveImageInfo2 *info = GET_INFO (vkCmdResolveImage2, pResolveImageInfo);

        if (info != NULL)
          USE_BOTH (info);
        break;
      }
    case VTR_CMD_vkCmdCopyBufferToImage2:
      {
        const VkCopyBufferToImageInfo2 *info =
          GET_INFO (vkCmdCopyBufferToImage2, pCopyBufferToImageInfo);

        if (info != NULL)
          use_regions (self, info->dstImage, info->dstImageLayout, info->pRegions,
                       info->regionCount);
        break;
      }
    default:
      {
        const VkCopyImageToBufferInfo2 *info =
          GET_INFO (vkCmdCopyImageToBuffer2, pCopyImageToBufferInfo);

        if (info != NULL)
          use_regions (self, info->srcImage, info->srcImageLayout, info->pRegions,
                       info->regionCount);
        break;
      }
    }
}

gboolean
vtr_effect_add_transfer (VtrEffectMaker *self)
{
  switch (vtr_cmd_newer_form (self->command.id))
    {
    case VTR_CMD_vkCmdCopyImage2:
    case VTR_CMD_vkCmdBlitImage2:
    case VTR_CMD_vkCmdResolveImage2:
    case VTR_CMD_vkCmdCopyBufferToImage2:
    case VTR_CMD_vkCmdCopyImageToBuffer2:
      {
        g_auto (VtrNewerForm) form;

        vtr_newer_form_init (&form, &self->command);
        add_copy (self, &form.command);
        return TRUE;
      }
    default:
      return add_clear (self);
    }
}
