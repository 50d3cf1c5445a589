/* vtr-app-random: records barriers, and follows the layouts of images. */
#include "vtr-app-random.h"

#define ACCESS (VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT)

void
vtr_random_barrier (VtrRandom *self)
{
  const VkMemoryBarrier2 barrier = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
    .srcStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
    .srcAccessMask = VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT,
    .dstStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
    .dstAccessMask = VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT,
  };
  const VkDependencyInfo info = {
    .sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
    .memoryBarrierCount = 1,
    .pMemoryBarriers = &barrier,
  };

  if (vtr_random_chance (self, 50))
    vkCmdPipelineBarrier2 (self->commands, &info);
  else
    vtr_app_barrier (self->commands);
}

static void
transition (VtrRandom                     *self,
            const VtrRandomImage          *image,
            const VkImageSubresourceRange *range,
            VkImageLayout                  from,
            VkImageLayout                  to)
{
  const VkImageMemoryBarrier one = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
    .srcAccessMask = ACCESS,
    .dstAccessMask = ACCESS,
    .oldLayout = from,
    .newLayout = to,
    .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
    .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
    .image = image->image,
    .subresourceRange = *range,
  };
  const VkImageMemoryBarrier2 two = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2,
    .srcStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
    .srcAccessMask = ACCESS,
    .dstStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
    .dstAccessMask = ACCESS,
    .oldLayout = from,
    .newLayout = to,
    .srcQueueFamilyIndex = self->gpu.family,
    .dstQueueFamilyIndex = self->gpu.family,
    .image = image->image,
    .subresourceRange = *range,
  };
  const VkDependencyInfo info = {
    .sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
    .imageMemoryBarrierCount = 1,
    .pImageMemoryBarriers = &two,
  };

  if (vtr_random_chance (self, 50))
    vkCmdPipelineBarrier2 (self->commands, &info);
  else
    vkCmdPipelineBarrier (self->commands, VTR_RANDOM_ALL, VTR_RANDOM_ALL, 0, 0, NULL, 0, NULL, 1,
                          &one);
}

/* Whether all of @range is in one layout. */
static bool
is_uniform (const VtrRandomImage          *image,
            const VkImageSubresourceRange *range)
{
  const uint32_t mips = image->info.mipLevels;
  const VkImageLayout first = image->layouts[range->baseArrayLayer * mips + range->baseMipLevel];

  for (uint32_t i = 0; i < range->layerCount; i++)
    for (uint32_t j = 0; j < range->levelCount; j++)
      if (image->layouts[(range->baseArrayLayer + i) * mips + range->baseMipLevel + j] != first)
        return false;
  return true;
}

void
vtr_random_use_part (VtrRandom                     *self,
                     VtrRandomImage                *image,
                     const VkImageSubresourceRange *range,
                     VkImageLayout                  layout)
{
  const uint32_t mips = image->info.mipLevels;
  bool at_once;

  vtr_random_record_image (self, image);
  at_once = is_uniform (image, range) && vtr_random_chance (self, 80);

  image->last_use = self->frame;
  image->place->owner = image->id;
  if (at_once)
    transition (self, image, range,
                image->layouts[range->baseArrayLayer * mips + range->baseMipLevel], layout);
  for (uint32_t i = 0; i < range->layerCount; i++)
    for (uint32_t j = 0; j < range->levelCount; j++)
      {
        const uint32_t layer = range->baseArrayLayer + i, mip = range->baseMipLevel + j;

        if (!at_once)
          transition (self, image,
                      &(VkImageSubresourceRange){ image->aspects, mip, 1, layer, 1 },
                      image->layouts[layer * mips + mip], layout);
        image->layouts[layer * mips + mip] = layout;
      }
}

void
vtr_random_use_image (VtrRandom      *self,
                      VtrRandomImage *image,
                      VkImageLayout   layout)
{
  const VkImageSubresourceRange all = { image->aspects, 0, image->info.mipLevels, 0,
                                        image->info.arrayLayers };

  vtr_random_use_part (self, image, &all, layout);
}
