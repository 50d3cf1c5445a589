/* vtr-app-windows: two devices of two instances, each with a window, a thread that acquires its
 * images and one that presents them.
 *
 * The first thread is ahead of the second as far as it can: it waits for the next image nearly
 * always, for as long as it takes (some drivers do not wait, but say so). Every frame is of a
 * colour of its own. */
#include "vtr-app-window.h"

#include <pthread.h>
#include <sched.h>

#define N_WINDOWS 2u
#define N_AHEAD 8u

typedef struct
{
  uint32_t index; /* of the image */
  VkSemaphore acquired;
  VkSemaphore drawn;
  VkFence fence; /* of the last use of all this */
  VkCommandBuffer commands;
} Frame;

typedef struct
{
  uint32_t number;
  VtrAppGpu gpu;
  VtrAppWindow window;
  pthread_mutex_t lock; /* of the counts and of the swapchain */
  pthread_cond_t changed;
  uint32_t n_acquired;
  uint32_t n_presented;
  Frame frames[N_AHEAD];
  pthread_t threads[2];
} Window;

static uint32_t n_frames = 60;

static void
window_init (Window           *self,
             uint32_t          number,
             xcb_connection_t *connection)
{
  const VkSemaphoreCreateInfo semaphore = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO };
  const VkFenceCreateInfo fence = { .sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO,
                                    .flags = VK_FENCE_CREATE_SIGNALED_BIT };

  self->number = number;
  pthread_mutex_init (&self->lock, NULL);
  pthread_cond_init (&self->changed, NULL);
  vtr_app_gpu_init (&self->gpu, NULL, true);
  self->window.width = 64 + 32 * number;
  self->window.height = 48;
  self->window.format = VK_FORMAT_B8G8R8A8_UNORM;
  vtr_app_window_init (&self->window, &self->gpu, connection, (int16_t)(10 + 200 * number));
  for (uint32_t i = 0; i < N_AHEAD; i++)
    {
      Frame *frame = &self->frames[i];

      vtr_app_check (vkCreateSemaphore (self->gpu.device, &semaphore, NULL, &frame->acquired),
                     "vkCreateSemaphore");
      vtr_app_check (vkCreateSemaphore (self->gpu.device, &semaphore, NULL, &frame->drawn),
                     "vkCreateSemaphore");
      vtr_app_check (vkCreateFence (self->gpu.device, &fence, NULL, &frame->fence),
                     "vkCreateFence");
      frame->commands = vtr_app_commands (&self->gpu, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    }
}

static void
window_finish (Window *self)
{
  vtr_app_check (vkDeviceWaitIdle (self->gpu.device), "vkDeviceWaitIdle");
  for (uint32_t i = 0; i < N_AHEAD; i++)
    {
      vkDestroySemaphore (self->gpu.device, self->frames[i].acquired, NULL);
      vkDestroySemaphore (self->gpu.device, self->frames[i].drawn, NULL);
      vkDestroyFence (self->gpu.device, self->frames[i].fence, NULL);
    }
  vtr_app_window_finish (&self->window, &self->gpu);
  vtr_app_gpu_finish (&self->gpu);
}

static void
acquire_next (Window *self,
              Frame  *frame)
{
  VkResult result;

  do
    {
      result = vkAcquireNextImageKHR (self->gpu.device, self->window.swapchain, UINT64_MAX,
                                      frame->acquired, VK_NULL_HANDLE, &frame->index);
      if (result == VK_NOT_READY)
        sched_yield ();
    }
  while (result == VK_NOT_READY);
  vtr_app_check (result, "vkAcquireNextImageKHR");
}

static void *
acquire (void *data)
{
  Window *self = data;

  for (uint32_t i = 0; i < n_frames; i++)
    {
      Frame *frame = &self->frames[i % N_AHEAD];

      pthread_mutex_lock (&self->lock);
      while (i >= self->n_presented + N_AHEAD)
        pthread_cond_wait (&self->changed, &self->lock);
      pthread_mutex_unlock (&self->lock);
      vtr_app_check (vkWaitForFences (self->gpu.device, 1, &frame->fence, VK_TRUE, UINT64_MAX),
                     "vkWaitForFences");
      acquire_next (self, frame);
      pthread_mutex_lock (&self->lock);
      self->n_acquired++;
      pthread_cond_broadcast (&self->changed);
      pthread_mutex_unlock (&self->lock);
    }
  return NULL;
}

static void
barrier (const Window  *self,
         const Frame   *frame,
         VkImageLayout  from,
         VkImageLayout  to)
{
  const VkImageMemoryBarrier image = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
    .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
    .dstAccessMask = VK_ACCESS_MEMORY_WRITE_BIT | VK_ACCESS_MEMORY_READ_BIT,
    .oldLayout = from,
    .newLayout = to,
    .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
    .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
    .image = self->window.images[frame->index],
    .subresourceRange = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1 },
  };

  vkCmdPipelineBarrier (frame->commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                        VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1, &image);
}

static void
draw (const Window *self,
      const Frame  *frame,
      uint32_t      n)
{
  const VkImageSubresourceRange range = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1 };
  const VkClearColorValue color = {
    .float32 = { (float)self->number, (float)(n % 256) / 255.0f, (float)(n / 256) / 255.0f, 1.0f },
  };
  const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  const VkSubmitInfo submit = {
    .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
    .waitSemaphoreCount = 1,
    .pWaitSemaphores = &frame->acquired,
    .pWaitDstStageMask = &stage,
    .commandBufferCount = 1,
    .pCommandBuffers = &frame->commands,
    .signalSemaphoreCount = 1,
    .pSignalSemaphores = &frame->drawn,
  };

  vtr_app_begin (frame->commands);
  barrier (self, frame, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
  vkCmdClearColorImage (frame->commands, self->window.images[frame->index],
                        VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, &color, 1, &range);
  barrier (self, frame, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR);
  vtr_app_check (vkEndCommandBuffer (frame->commands), "vkEndCommandBuffer");
  vtr_app_check (vkResetFences (self->gpu.device, 1, &frame->fence), "vkResetFences");
  vtr_app_check (vkQueueSubmit (self->gpu.queue, 1, &submit, frame->fence), "vkQueueSubmit");
}

static void *
present (void *data)
{
  Window *self = data;

  for (uint32_t i = 0; i < n_frames; i++)
    {
      Frame *frame = &self->frames[i % N_AHEAD];
      const VkPresentInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
        .waitSemaphoreCount = 1,
        .pWaitSemaphores = &frame->drawn,
        .swapchainCount = 1,
        .pSwapchains = &self->window.swapchain,
        .pImageIndices = &frame->index,
      };

      pthread_mutex_lock (&self->lock);
      while (self->n_acquired <= i)
        pthread_cond_wait (&self->changed, &self->lock);
      pthread_mutex_unlock (&self->lock);
      draw (self, frame, i);
      vtr_app_check (vkQueuePresentKHR (self->gpu.queue, &info), "vkQueuePresentKHR");
      pthread_mutex_lock (&self->lock);
      self->n_presented++;
      pthread_cond_broadcast (&self->changed);
      pthread_mutex_unlock (&self->lock);
    }
  return NULL;
}

int
main (int    argc,
      char **argv)
{
  static Window windows[N_WINDOWS];
  const VtrAppOption options[] = {
    { "--frames", &n_frames, NULL, NULL, "of each window (60)" },
    { 0 },
  };
  xcb_connection_t *connection;

  vtr_app_options (argc, argv, options);
  connection = vtr_app_connect ();
  for (uint32_t i = 0; i < N_WINDOWS; i++)
    window_init (&windows[i], i, connection);
  for (uint32_t i = 0; i < N_WINDOWS; i++)
    if (pthread_create (&windows[i].threads[0], NULL, acquire, &windows[i]) != 0 ||
        pthread_create (&windows[i].threads[1], NULL, present, &windows[i]) != 0)
      vtr_app_fail ("there is no thread");
  for (uint32_t i = 0; i < N_WINDOWS; i++)
    for (int j = 0; j < 2; j++)
      pthread_join (windows[i].threads[j], NULL);
  for (uint32_t i = 0; i < N_WINDOWS; i++)
    window_finish (&windows[i]);
  xcb_disconnect (connection);
  return 0;
}
