/* vtr-app-sparse: a buffer and an image whose pages are bound one by one, moved and unbound, by
 * vkQueueBindSparse with semaphores and a fence, between submissions that fill them. */
#include "vtr-app.h"

#define PAGE 65536u
#define PAGES 4u
#define SIDE 256u

typedef struct
{
  VtrAppGpu gpu;
  VkDeviceMemory memory;
  VkBuffer buffer;
  VkImage image;
  VkDeviceSize tail_offset; /* of the image's mip tail */
  VkExtent3D granularity;
  VkSemaphore bound, drawn;
  VkFence fence;
} Sparse;

static void
make_resources (Sparse *self)
{
  const VkBufferCreateInfo buffer = {
    .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
    .flags = VK_BUFFER_CREATE_SPARSE_BINDING_BIT | VK_BUFFER_CREATE_SPARSE_RESIDENCY_BIT,
    .size = PAGES * PAGE,
    .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT,
  };
  const VkImageCreateInfo image = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
    .flags = VK_IMAGE_CREATE_SPARSE_BINDING_BIT | VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT,
    .imageType = VK_IMAGE_TYPE_2D,
    .format = VK_FORMAT_R8G8B8A8_UNORM,
    .extent = { SIDE, SIDE, 1 },
    .mipLevels = 2,
    .arrayLayers = 1,
    .samples = VK_SAMPLE_COUNT_1_BIT,
    .usage = VK_IMAGE_USAGE_TRANSFER_DST_BIT,
  };
  VkSparseImageMemoryRequirements sparse = { 0 };
  VkMemoryRequirements requirements;
  uint32_t n = 1;

  vtr_app_check (vkCreateBuffer (self->gpu.device, &buffer, NULL, &self->buffer), "vkCreateBuffer");
  vtr_app_check (vkCreateImage (self->gpu.device, &image, NULL, &self->image), "vkCreateImage");
  vkGetBufferMemoryRequirements (self->gpu.device, self->buffer, &requirements);
  vkGetImageMemoryRequirements (self->gpu.device, self->image, &requirements);
  vkGetImageSparseMemoryRequirements (self->gpu.device, self->image, &n, &sparse);
  self->tail_offset = sparse.imageMipTailOffset;
  self->granularity = sparse.formatProperties.imageGranularity;
  if (self->granularity.width == 0)
    self->granularity = (VkExtent3D){ SIDE / 2, SIDE / 2, 1 };
  requirements.size = 8 * PAGE;
  self->memory = vtr_app_allocate (&self->gpu, &requirements, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
}

static VkSparseImageMemoryBind
tile (const Sparse *self,
      uint32_t      nth,
      uint32_t      page)
{
  return (VkSparseImageMemoryBind){
    .subresource.aspectMask = VK_IMAGE_ASPECT_COLOR_BIT,
    .offset.x = (int32_t)(nth * self->granularity.width),
    .extent = self->granularity,
    .memory = self->memory,
    .memoryOffset = (VkDeviceSize)page * PAGE,
  };
}

/* @frame: what is where changes with it; page 3 of the buffer goes in the last one. */
static void
bind (Sparse   *self,
      uint32_t  frame)
{
  const VkSparseMemoryBind pages[] = {
    { 0, 2 * PAGE, self->memory, (frame % 2) * PAGE, 0 },
    { 3 * PAGE, PAGE, frame > 1 ? VK_NULL_HANDLE : self->memory, 3 * PAGE, 0 },
  };
  const VkSparseMemoryBind tail = { self->tail_offset, PAGE, self->memory, 4 * PAGE, 0 };
  const VkSparseImageMemoryBind tiles[] = { tile (self, 0, 5), tile (self, 1, 6) };
  const VkSparseBufferMemoryBindInfo buffers = { self->buffer, 2, pages };
  const VkSparseImageOpaqueMemoryBindInfo opaque = { self->image, 1, &tail };
  const VkSparseImageMemoryBindInfo images = { self->image, 2, tiles };
  const VkBindSparseInfo infos[] = {
    {
      .sType = VK_STRUCTURE_TYPE_BIND_SPARSE_INFO,
      .waitSemaphoreCount = frame > 0,
      .pWaitSemaphores = &self->drawn,
      .bufferBindCount = 1,
      .pBufferBinds = &buffers,
    },
    {
      .sType = VK_STRUCTURE_TYPE_BIND_SPARSE_INFO,
      .imageOpaqueBindCount = 1,
      .pImageOpaqueBinds = &opaque,
      .imageBindCount = 1,
      .pImageBinds = &images,
      .signalSemaphoreCount = 1,
      .pSignalSemaphores = &self->bound,
    },
  };

  vtr_app_check (vkQueueBindSparse (self->gpu.queue, 2, infos, self->fence), "vkQueueBindSparse");
  vtr_app_check (vkWaitForFences (self->gpu.device, 1, &self->fence, VK_TRUE, UINT64_MAX),
                 "vkWaitForFences");
  vtr_app_check (vkResetFences (self->gpu.device, 1, &self->fence), "vkResetFences");
}

static void
fill (Sparse   *self,
      uint32_t  frame)
{
  const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  VkCommandBuffer commands = vtr_app_commands (&self->gpu, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
  const VkSubmitInfo submit = {
    .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
    .waitSemaphoreCount = 1,
    .pWaitSemaphores = &self->bound,
    .pWaitDstStageMask = &stage,
    .commandBufferCount = 1,
    .pCommandBuffers = &commands,
    .signalSemaphoreCount = 1,
    .pSignalSemaphores = &self->drawn,
  };

  vtr_app_begin (commands);
  vkCmdFillBuffer (commands, self->buffer, 0, PAGE, frame);
  vtr_app_check (vkEndCommandBuffer (commands), "vkEndCommandBuffer");
  vtr_app_check (vkQueueSubmit (self->gpu.queue, 1, &submit, VK_NULL_HANDLE), "vkQueueSubmit");
}

int
main (int    argc,
      char **argv)
{
  Sparse self = { 0 };
  uint32_t n_frames = 3;
  const VtrAppOption options[] = {
    { "--frames", &n_frames, NULL, NULL, "how many (3), a submission each" },
    { 0 },
  };
  const VkPhysicalDeviceFeatures2 features = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
    .features = { .sparseBinding = VK_TRUE,
                  .sparseResidencyBuffer = VK_TRUE,
                  .sparseResidencyImage2D = VK_TRUE },
  };
  const VkSemaphoreCreateInfo semaphore = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO };
  const VkFenceCreateInfo fence = { .sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO };

  vtr_app_options (argc, argv, options);
  vtr_app_gpu_init (&self.gpu, &features, false);
  make_resources (&self);
  vtr_app_check (vkCreateSemaphore (self.gpu.device, &semaphore, NULL, &self.bound),
                 "vkCreateSemaphore");
  vtr_app_check (vkCreateSemaphore (self.gpu.device, &semaphore, NULL, &self.drawn),
                 "vkCreateSemaphore");
  vtr_app_check (vkCreateFence (self.gpu.device, &fence, NULL, &self.fence), "vkCreateFence");
  for (uint32_t frame = 0; frame < n_frames; frame++)
    {
      bind (&self, frame);
      fill (&self, frame);
    }
  vkDeviceWaitIdle (self.gpu.device);
  vkDestroyFence (self.gpu.device, self.fence, NULL);
  vkDestroySemaphore (self.gpu.device, self.bound, NULL);
  vkDestroySemaphore (self.gpu.device, self.drawn, NULL);
  vkDestroyImage (self.gpu.device, self.image, NULL);
  vkDestroyBuffer (self.gpu.device, self.buffer, NULL);
  vkFreeMemory (self.gpu.device, self.memory, NULL);
  vtr_app_gpu_finish (&self.gpu);

  return 0;
}
