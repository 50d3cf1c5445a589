/* Applies copies and layout transitions on the host (VK_EXT_host_image_copy) to the state. */
#include "engine/vulkan/state/vtr-state-mutator.h"

#include "api/vtr-api-args.h"

#ifdef VK_EXT_host_image_copy

static void
use (VtrMutator                     *self,
     VkImage                         image,
     const VkImageSubresourceLayers *layers,
     gint32                          z,
     guint32                         depth,
     VkImageLayout                   layout)
{
  const VkImageSubresourceRange range = { layers->aspectMask, layers->mipLevel, 1,
                                          layers->baseArrayLayer, layers->layerCount };
  VtrEffect effect;

  if (vtr_effect_init_use (&effect, vtr_vulkan_facts (self->shared),
                           vtr_mutator_find (self, VTR_HANDLE_VkImage, (guint64)image), &range,
                           (guint32)MAX (z, 0), depth, layout))
    vtr_mutator_apply_effect (self, &effect, self->command.index);
}

static void
copy_to_image (VtrMutator                       *self,
               const VkCopyMemoryToImageInfoEXT *info)
{
  for (guint32 i = 0; info != NULL && info->pRegions != NULL && i < info->regionCount; i++)
    use (self, info->dstImage, &info->pRegions[i].imageSubresource,
         info->pRegions[i].imageOffset.z, info->pRegions[i].imageExtent.depth,
         info->dstImageLayout);
}

static void
copy_from_image (VtrMutator                       *self,
                 const VkCopyImageToMemoryInfoEXT *info)
{
  for (guint32 i = 0; info != NULL && info->pRegions != NULL && i < info->regionCount; i++)
    use (self, info->srcImage, &info->pRegions[i].imageSubresource,
         info->pRegions[i].imageOffset.z, info->pRegions[i].imageExtent.depth,
         info->srcImageLayout);
}

static void
copy_images (VtrMutator                      *self,
             const VkCopyImageToImageInfoEXT *info)
{
  for (guint32 i = 0; info != NULL && info->pRegions != NULL && i < info->regionCount; i++)
    {
      const VkImageCopy2 *region = &info->pRegions[i];

      use (self, info->srcImage, &region->srcSubresource, region->srcOffset.z,
           region->extent.depth, info->srcImageLayout);
      use (self, info->dstImage, &region->dstSubresource, region->dstOffset.z,
           region->extent.depth, info->dstImageLayout);
    }
}

static void
move_layouts (VtrMutator                               *self,
              const VtrArgs_vkTransitionImageLayoutEXT *args)
{
  for (guint32 i = 0; args->pTransitions != NULL && i < args->transitionCount; i++)
    {
      const VkHostImageLayoutTransitionInfoEXT *info = &args->pTransitions[i];
      VtrEffect effect;

      if (vtr_effect_init_layout (
            &effect, vtr_vulkan_facts (self->shared),
            vtr_mutator_find (self, VTR_HANDLE_VkImage, (guint64)info->image),
            &info->subresourceRange, info->oldLayout, info->newLayout))
        vtr_mutator_apply_effect (self, &effect, self->command.index);
    }
}

gboolean
vtr_mutator_wants_host_images (VtrCmdId id)
{
  return id == VTR_CMD_vkTransitionImageLayoutEXT || id == VTR_CMD_vkCopyMemoryToImageEXT ||
         id == VTR_CMD_vkCopyImageToMemoryEXT || id == VTR_CMD_vkCopyImageToImageEXT;
}

gboolean
vtr_mutator_apply_host_images (VtrMutator *self)
{
  gconstpointer args = self->command.args;

  if (!vtr_mutator_wants_host_images (self->command.id))
    return FALSE;
  if (self->command.has_result && self->command.result != 0)
    return TRUE;
  if (self->command.id == VTR_CMD_vkCopyMemoryToImageEXT)
    copy_to_image (self,
                   ((const VtrArgs_vkCopyMemoryToImageEXT *)args)->pCopyMemoryToImageInfo);
  else if (self->command.id == VTR_CMD_vkCopyImageToMemoryEXT)
    copy_from_image (self,
                     ((const VtrArgs_vkCopyImageToMemoryEXT *)args)->pCopyImageToMemoryInfo);
  else if (self->command.id == VTR_CMD_vkCopyImageToImageEXT)
    copy_images (self, ((const VtrArgs_vkCopyImageToImageEXT *)args)->pCopyImageToImageInfo);
  else
    move_layouts (self, args);
  return TRUE;
}

#else

gboolean
vtr_mutator_wants_host_images (VtrCmdId id)
{
  (void)id;
  return FALSE;
}

gboolean
vtr_mutator_apply_host_images (VtrMutator *self)
{
  (void)self;
  return FALSE;
}

#endif
