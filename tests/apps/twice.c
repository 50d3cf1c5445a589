/* vtr-app-twice: destroys objects that are already destroyed. Only a driver that does not care
 * survives it (tests/mock-driver).
 *
 * A fence and a buffer are destroyed twice, memory is freed twice, a descriptor set twice in one
 * call, after its pool was reset and after it was destroyed. */
#include "vtr-app.h"

static void
free_sets_late (VtrAppGpu *gpu)
{
  const VkDescriptorPoolSize size = { VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1 };
  const VkDescriptorPoolCreateInfo pool_info = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
    .flags = VK_DESCRIPTOR_POOL_CREATE_FREE_DESCRIPTOR_SET_BIT,
    .maxSets = 1,
    .poolSizeCount = 1,
    .pPoolSizes = &size,
  };
  const VkDescriptorSetLayoutCreateInfo layout_info = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
  };
  VkDescriptorSetAllocateInfo info = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
    .descriptorSetCount = 1,
  };
  VkDescriptorSetLayout layout;
  VkDescriptorPool pool;
  VkDescriptorSet sets[2];

  vtr_app_check (vkCreateDescriptorPool (gpu->device, &pool_info, NULL, &pool),
                 "vkCreateDescriptorPool");
  vtr_app_check (vkCreateDescriptorSetLayout (gpu->device, &layout_info, NULL, &layout),
                 "vkCreateDescriptorSetLayout");
  info.descriptorPool = pool;
  info.pSetLayouts = &layout;
  vtr_app_check (vkAllocateDescriptorSets (gpu->device, &info, sets), "vkAllocateDescriptorSets");
  sets[1] = sets[0];
  vkFreeDescriptorSets (gpu->device, pool, 2, sets);
  vtr_app_check (vkAllocateDescriptorSets (gpu->device, &info, sets), "vkAllocateDescriptorSets");
  vkResetDescriptorPool (gpu->device, pool, 0);
  vkFreeDescriptorSets (gpu->device, pool, 1, sets);
  vkDestroyDescriptorPool (gpu->device, pool, NULL);
  vkFreeDescriptorSets (gpu->device, pool, 1, sets);
  vkDestroyDescriptorSetLayout (gpu->device, layout, NULL);
}

int
main (void)
{
  const VkFenceCreateInfo info = { .sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO };
  VtrAppGpu gpu;
  VtrAppBuffer buffer;
  VkFence fence;

  vtr_app_gpu_init (&gpu, NULL, false);
  vtr_app_check (vkCreateFence (gpu.device, &info, NULL, &fence), "vkCreateFence");
  vkDestroyFence (gpu.device, fence, NULL);
  vkDestroyFence (gpu.device, fence, NULL);
  buffer = vtr_app_buffer (&gpu, 256, VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
                           VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT);
  vkDestroyBuffer (gpu.device, buffer.buffer, NULL);
  vkDestroyBuffer (gpu.device, buffer.buffer, NULL);
  vkFreeMemory (gpu.device, buffer.memory, NULL);
  vkFreeMemory (gpu.device, buffer.memory, NULL);
  free_sets_late (&gpu);
  vtr_app_gpu_finish (&gpu);
  return 0;
}
