/* vtr-app-demo-queues: two queues of different families: work on each waits for values of a
 * timeline that work on the other signals; a picture and a buffer change families on the way.
 *
 * The signal is always submitted first: drivers that run all queues in one thread would never get
 * to it otherwise.
 */
#include "vtr-app-demo.h"

typedef struct
{
  VtrAppDemo demo;
  VkQueue other;
  uint32_t family;
  VkCommandPool pool;
  VkSemaphore semaphore;
  uint64_t value;
  VtrAppPicture *moved; /* owned by the first family between frames */
  VtrAppBuffer *shared; /* exclusive, too */
  VkFence fences[2];
} Queues;

static void
choose_queue (Queues *self)
{
  const VtrAppGpu *gpu = &self->demo.scene.gpu;
  VkQueueFamilyProperties families[16];
  uint32_t n = 16;

  vkGetPhysicalDeviceQueueFamilyProperties (gpu->physical, &n, families);
  for (self->family = 0; self->family < n; self->family++)
    if (self->family != gpu->family &&
        (families[self->family].queueFlags & VK_QUEUE_COMPUTE_BIT) != 0)
      {
        vkGetDeviceQueue (gpu->device, self->family, families[self->family].queueCount - 1,
                          &self->other);
        return;
      }
  vtr_app_demo_skip ("a second family of queues");
}

static void
start (VtrAppDemo *demo)
{
  Queues *self = (Queues *)demo;
  const VkDevice device = demo->scene.gpu.device;
  const VkSemaphoreTypeCreateInfo type = {
    .sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
    .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE,
    .initialValue = 100,
  };
  const VkSemaphoreCreateInfo semaphore = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
                                            .pNext = &type };
  const VkFenceCreateInfo fence = { .sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO };
  VkCommandPoolCreateInfo pool = { .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO };

  choose_queue (self);
  pool.queueFamilyIndex = self->family;
  vtr_app_check (vkCreateCommandPool (device, &pool, NULL, &self->pool), "vkCreateCommandPool");
  vtr_app_check (vkCreateSemaphore (device, &semaphore, NULL, &self->semaphore),
                 "vkCreateSemaphore");
  VTR_APP_KEEP (&demo->scene, SEMAPHORE, self->semaphore);
  self->value = type.initialValue;
  for (uint32_t i = 0; i < 2; i++)
    vtr_app_check (vkCreateFence (device, &fence, NULL, &self->fences[i]), "vkCreateFence");
  self->moved = vtr_app_demo_texture (demo, "moved", 5);
  self->shared = vtr_app_demo_buffer (demo, "shared", 256, 0);
  for (uint32_t i = 0; i < 256; i++)
    ((uint8_t *)self->shared->mapped)[i] = (uint8_t)(i * 3);
}

/* A release or, on the other side, an acquisition: @commands decide by where they run. */
static void
change_family (Queues          *self,
               VkCommandBuffer  commands,
               uint32_t         from,
               uint32_t         to)
{
  const VkImageMemoryBarrier2 image = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2,
    .srcStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
    .srcAccessMask = VK_ACCESS_2_MEMORY_WRITE_BIT,
    .dstStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
    .dstAccessMask = VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT,
    .oldLayout = VK_IMAGE_LAYOUT_GENERAL,
    .newLayout = VK_IMAGE_LAYOUT_GENERAL,
    .srcQueueFamilyIndex = from,
    .dstQueueFamilyIndex = to,
    .image = self->moved->image,
    .subresourceRange = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1 },
  };
  const VkBufferMemoryBarrier2 buffer = {
    .sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER_2,
    .srcStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
    .srcAccessMask = VK_ACCESS_2_MEMORY_WRITE_BIT,
    .dstStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
    .dstAccessMask = VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT,
    .srcQueueFamilyIndex = from,
    .dstQueueFamilyIndex = to,
    .buffer = self->shared->buffer,
    .size = VK_WHOLE_SIZE,
  };
  const VkDependencyInfo info = {
    .sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
    .bufferMemoryBarrierCount = 1,
    .pBufferMemoryBarriers = &buffer,
    .imageMemoryBarrierCount = 1,
    .pImageMemoryBarriers = &image,
  };

  vkCmdPipelineBarrier2 (commands, &info);
}

/* To run from value @wait on, @signal after it. */
static void
submit (Queues          *self,
        VkQueue          queue,
        VkCommandBuffer  commands,
        uint64_t         wait,
        uint64_t         signal,
        VkFence          fence)
{
  const VkSemaphoreSubmitInfo semaphores[] = {
    { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO,
      .semaphore = self->semaphore,
      .value = wait,
      .stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT },
    { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO,
      .semaphore = self->semaphore,
      .value = signal,
      .stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT },
  };
  const VkCommandBufferSubmitInfo buffer = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO,
    .commandBuffer = commands,
  };
  const VkSubmitInfo2 info = {
    .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
    .waitSemaphoreInfoCount = 1,
    .pWaitSemaphoreInfos = &semaphores[0],
    .commandBufferInfoCount = 1,
    .pCommandBufferInfos = &buffer,
    .signalSemaphoreInfoCount = 1,
    .pSignalSemaphoreInfos = &semaphores[1],
  };

  vtr_app_check (vkEndCommandBuffer (commands), "vkEndCommandBuffer");
  vtr_app_check (vkQueueSubmit2 (queue, 1, &info, fence), "vkQueueSubmit2");
}

/* On the other queue: what is shared, changed. */
static VkCommandBuffer
record_other (Queues *self)
{
  const VkCommandBufferAllocateInfo allocate = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
    .commandPool = self->pool,
    .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
    .commandBufferCount = 1,
  };
  const VkBufferImageCopy row = {
    .bufferOffset = 32 * (self->demo.frame % 4),
    .imageSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
    .imageOffset = { 0, (int)self->demo.frame % 8, 0 },
    .imageExtent = { 8, 1, 1 },
  };
  const uint32_t first = self->demo.scene.gpu.family;
  VkCommandBuffer commands;

  vtr_app_check (vkAllocateCommandBuffers (self->demo.scene.gpu.device, &allocate, &commands),
                 "vkAllocateCommandBuffers");
  vtr_app_begin (commands);
  change_family (self, commands, first, self->family);
  vkCmdCopyBufferToImage (commands, self->shared->buffer, self->moved->image,
                          VK_IMAGE_LAYOUT_GENERAL, 1, &row);
  vtr_app_barrier (commands);
  vkCmdFillBuffer (commands, self->shared->buffer, 16 * (self->demo.frame % 8), 16,
                   0x11223344 * (1 + self->demo.frame));
  change_family (self, commands, self->family, first);
  return commands;
}

/* The picture, somewhere in .color. */
static void
show (Queues *self)
{
  VtrAppDemo *demo = &self->demo;
  const int x = 4 + 9 * (int)(demo->frame % 5);
  const VkImageBlit blit = {
    .srcSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
    .srcOffsets = { { 0 }, { 8, 8, 1 } },
    .dstSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
    .dstOffsets = { { x, 3, 0 }, { x + 16, 40, 1 } },
  };

  vtr_app_barrier (demo->commands);
  vkCmdBlitImage (demo->commands, self->moved->image, VK_IMAGE_LAYOUT_GENERAL,
                  demo->color->image, VK_IMAGE_LAYOUT_GENERAL, 1, &blit, VK_FILTER_NEAREST);
  vtr_app_barrier (demo->commands);
}

static void
draw (VtrAppDemo *demo)
{
  Queues *self = (Queues *)demo;
  const VkDevice device = demo->scene.gpu.device;
  const VkQueue queue = demo->scene.gpu.queue;
  const uint64_t value = self->value;
  const VkSemaphore both[] = { self->semaphore, self->semaphore };
  const uint64_t values[] = { value + 1000, value + 3 };
  const VkSemaphoreWaitInfo any = {
    .sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
    .flags = VK_SEMAPHORE_WAIT_ANY_BIT,
    .semaphoreCount = 2,
    .pSemaphores = both,
    .pValues = values,
  };
  const VkSemaphoreSignalInfo signal = {
    .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO,
    .semaphore = self->semaphore,
    .value = value + 4,
  };

  change_family (self, demo->commands, demo->scene.gpu.family, self->family);
  submit (self, queue, demo->commands, value, value + 1, VK_NULL_HANDLE);
  submit (self, self->other, record_other (self), value + 1, value + 2, self->fences[0]);
  demo->commands = vtr_app_scene_begin (&demo->scene);
  change_family (self, demo->commands, self->family, demo->scene.gpu.family);
  show (self);
  vtr_app_demo_check (demo);
  submit (self, queue, demo->commands, value + 2, value + 3, self->fences[1]);
  vtr_app_check (vkWaitSemaphores (device, &any, UINT64_MAX), "vkWaitSemaphores");
  vtr_app_check (vkWaitForFences (device, 2, self->fences, VK_TRUE, UINT64_MAX),
                 "vkWaitForFences");
  vtr_app_check (vkResetFences (device, 2, self->fences), "vkResetFences");
  vtr_app_check (vkSignalSemaphore (device, &signal), "vkSignalSemaphore");
  self->value = value + 4;
  demo->commands = vtr_app_scene_begin (&demo->scene);
}

static void
finish (VtrAppDemo *demo)
{
  Queues *self = (Queues *)demo;

  vkDestroyCommandPool (demo->scene.gpu.device, self->pool, NULL);
  for (uint32_t i = 0; i < 2; i++)
    vkDestroyFence (demo->scene.gpu.device, self->fences[i], NULL);
}

int
main (int    argc,
      char **argv)
{
  Queues self = { .demo = { .scene = { .gpu = { .all_queues = true } } } };

  return vtr_app_demo_run (&self.demo,
                           &(VtrAppDemoInfo){ .what = "timeline semaphores",
                                              .features12 = { .timelineSemaphore = VK_TRUE },
                                              .start = start,
                                              .draw = draw,
                                              .finish = finish },
                           argc, argv);
}
