/* vtr-app-timeline: submits, twice, work that waits for a value which the program signals later. */
#include "vtr-app.h"

static VkCommandBuffer
record_clear (VtrAppGpu         *gpu,
              const VtrAppImage *image,
              VkImageLayout      from,
              float              red)
{
  VkCommandBuffer commands = vtr_app_commands (gpu, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
  VkImageSubresourceRange range = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1 };
  VkClearColorValue color = { .float32 = { red, 0.25f, 0.5f, 1.0f } };

  vtr_app_begin (commands);
  vtr_app_transition (commands, image, from, VK_IMAGE_LAYOUT_GENERAL);
  vkCmdClearColorImage (commands, image->image, VK_IMAGE_LAYOUT_GENERAL, &color, 1, &range);
  vtr_app_check (vkEndCommandBuffer (commands), "vkEndCommandBuffer");

  return commands;
}

static void
submit_waiting (VtrAppGpu       *gpu,
                VkCommandBuffer  commands,
                VkSemaphore      semaphore,
                uint64_t         value)
{
  VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  VkTimelineSemaphoreSubmitInfo values = {
    .sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
    .waitSemaphoreValueCount = 1,
    .pWaitSemaphoreValues = &value,
  };
  VkSubmitInfo submit = {
    .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
    .pNext = &values,
    .waitSemaphoreCount = 1,
    .pWaitSemaphores = &semaphore,
    .pWaitDstStageMask = &stage,
    .commandBufferCount = 1,
    .pCommandBuffers = &commands,
  };

  vtr_app_check (vkQueueSubmit (gpu->queue, 1, &submit, VK_NULL_HANDLE), "vkQueueSubmit");
}

static void
signal_value (VtrAppGpu   *gpu,
              VkSemaphore  semaphore,
              uint64_t     value)
{
  VkSemaphoreSignalInfo info = {
    .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO,
    .semaphore = semaphore,
    .value = value,
  };

  vtr_app_check (vkSignalSemaphore (gpu->device, &info), "vkSignalSemaphore");
  vtr_app_check (vkQueueWaitIdle (gpu->queue), "vkQueueWaitIdle");
}

int
main (void)
{
  VkPhysicalDeviceTimelineSemaphoreFeatures timeline = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES,
    .timelineSemaphore = VK_TRUE,
  };
  VkPhysicalDeviceFeatures2 features = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
    .pNext = &timeline,
  };
  VkSemaphoreTypeCreateInfo type = {
    .sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
    .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE,
  };
  VkSemaphoreCreateInfo info = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
                                 .pNext = &type };
  VkSemaphore semaphore;
  VkCommandBuffer first, second;
  VtrAppImage image;
  VtrAppGpu gpu;

  vtr_app_gpu_init (&gpu, &features, false);
  image = vtr_app_image (&gpu, 16, 16, VK_FORMAT_R8G8B8A8_UNORM,
                         VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
                           VK_IMAGE_USAGE_SAMPLED_BIT);
  vtr_app_check (vkCreateSemaphore (gpu.device, &info, NULL, &semaphore), "vkCreateSemaphore");
  first = record_clear (&gpu, &image, VK_IMAGE_LAYOUT_UNDEFINED, 0.75f);
  submit_waiting (&gpu, first, semaphore, 1);
  signal_value (&gpu, semaphore, 1);
  second = record_clear (&gpu, &image, VK_IMAGE_LAYOUT_GENERAL, 0.5f);
  submit_waiting (&gpu, second, semaphore, 2);
  signal_value (&gpu, semaphore, 2);
  vkDestroySemaphore (gpu.device, semaphore, NULL);
  vtr_app_image_finish (&gpu, &image);
  vtr_app_gpu_finish (&gpu);

  return 0;
}
