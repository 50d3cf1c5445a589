/* vtr-app-wrong: breaks rules of Vulkan that drivers do not check: one at a recorded call, one
 * that only a submission shows, and one at a plain call.
 *
 * A copy that reaches past the end of its target is recorded, but never submitted; a barrier says
 * that an image is in a layout it is not in; a fence is created with a flag that does not exist. */
#include "vtr-app.h"

#define SIZE 256

static void
record_wrong_copy (VtrAppGpu    *gpu,
                   VtrAppBuffer *from,
                   VtrAppBuffer *to)
{
  VkCommandBuffer commands = vtr_app_commands (gpu, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
  VkBufferCopy region = { .srcOffset = 0, .dstOffset = to->size - 4, .size = 8 };

  vtr_app_begin (commands);
  vkCmdCopyBuffer (commands, from->buffer, to->buffer, 1, &region);
  vtr_app_check (vkEndCommandBuffer (commands), "vkEndCommandBuffer");
}

static void
submit_wrong_layout (VtrAppGpu   *gpu,
                     VtrAppImage *image)
{
  VkCommandBuffer commands = vtr_app_commands (gpu, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
  VkImageMemoryBarrier barrier = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
    .oldLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
    .newLayout = VK_IMAGE_LAYOUT_GENERAL,
    .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
    .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
    .image = image->image,
    .subresourceRange = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1 },
  };

  vtr_app_begin (commands);
  vkCmdPipelineBarrier (commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                        VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1, &barrier);
  vtr_app_run (gpu, commands);
}

static void
create_wrong_fence (VtrAppGpu *gpu)
{
  VkFenceCreateInfo info = { .sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, .flags = 0x40 };
  VkFence fence;

  vtr_app_check (vkCreateFence (gpu->device, &info, NULL, &fence), "vkCreateFence");
  vkDestroyFence (gpu->device, fence, NULL);
}

int
main (void)
{
  VtrAppGpu gpu;
  VtrAppBuffer from, to;
  VtrAppImage image;

  vtr_app_gpu_init (&gpu, NULL, false);
  from = vtr_app_buffer (&gpu, SIZE, VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
                         VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT);
  to = vtr_app_buffer (&gpu, SIZE, VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                       VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT);
  image = vtr_app_image (&gpu, 16, 16, VK_FORMAT_R8G8B8A8_UNORM,
                         VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_SAMPLED_BIT);
  record_wrong_copy (&gpu, &from, &to);
  submit_wrong_layout (&gpu, &image);
  create_wrong_fence (&gpu);
  vtr_app_image_finish (&gpu, &image);
  vtr_app_buffer_finish (&gpu, &to);
  vtr_app_buffer_finish (&gpu, &from);
  vtr_app_gpu_finish (&gpu);

  return 0;
}
