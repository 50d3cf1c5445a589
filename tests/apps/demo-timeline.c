/* vtr-app-demo-timeline: work that waits for values of a timeline before they are signalled: by
 * the program, and by work that is submitted later. */
#include "vtr-app-demo.h"

typedef struct
{
  VtrAppDemo demo;
  VkSemaphore semaphore;
  uint64_t value; /* that it will have reached */
} Timeline;

static void
start (VtrAppDemo *demo)
{
  Timeline *self = (Timeline *)demo;
  const VkSemaphoreTypeCreateInfo type = {
    .sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
    .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE,
    .initialValue = 3,
  };
  const VkSemaphoreCreateInfo info = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
                                       .pNext = &type };

  self->value = type.initialValue;
  vtr_app_check (vkCreateSemaphore (demo->scene.gpu.device, &info, NULL, &self->semaphore),
                 "vkCreateSemaphore");
  VTR_APP_KEEP (&demo->scene, SEMAPHORE, self->semaphore);
}

/* Submits the recorded commands, to run once value @wait is reached; signals @signal. Begins a
 * new recording. */
static void
submit (Timeline *self,
        uint64_t  wait,
        uint64_t  signal)
{
  VtrAppDemo *demo = &self->demo;
  const VkSemaphoreSubmitInfo waits = {
    .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO,
    .semaphore = self->semaphore,
    .value = wait,
    .stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
  };
  const VkSemaphoreSubmitInfo signals = {
    .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO,
    .semaphore = self->semaphore,
    .value = signal,
    .stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
  };
  const VkCommandBufferSubmitInfo buffer = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO,
    .commandBuffer = demo->commands,
  };
  const VkSubmitInfo2 info = {
    .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
    .waitSemaphoreInfoCount = 1,
    .pWaitSemaphoreInfos = &waits,
    .commandBufferInfoCount = 1,
    .pCommandBufferInfos = &buffer,
    .signalSemaphoreInfoCount = 1,
    .pSignalSemaphoreInfos = &signals,
  };

  vtr_app_check (vkEndCommandBuffer (demo->commands), "vkEndCommandBuffer");
  vtr_app_check (vkQueueSubmit2 (demo->scene.gpu.queue, 1, &info, VK_NULL_HANDLE),
                 "vkQueueSubmit2");
  demo->commands = vtr_app_scene_begin (&demo->scene);
}

static void
draw_one (VtrAppDemo *demo,
          uint32_t    nth)
{
  vtr_app_demo_begin_rendering (demo);
  vtr_app_demo_triangle (demo, nth);
  vtr_app_demo_end_rendering (demo);
}

static void
draw (VtrAppDemo *demo)
{
  Timeline *self = (Timeline *)demo;
  const VkDevice device = demo->scene.gpu.device;
  const VkSemaphoreSignalInfo signal = {
    .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO,
    .semaphore = self->semaphore,
    .value = self->value + 1,
  };
  const uint64_t last = self->value + 3;
  const VkSemaphoreWaitInfo wait = {
    .sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
    .semaphoreCount = 1,
    .pSemaphores = &self->semaphore,
    .pValues = &last,
  };

  draw_one (demo, 2);
  submit (self, signal.value, self->value + 2);
  draw_one (demo, 4);
  submit (self, self->value + 2, last);
  /* Both wait. */
  vtr_app_check (vkSignalSemaphore (device, &signal), "vkSignalSemaphore");
  vtr_app_check (vkWaitSemaphores (device, &wait, UINT64_MAX), "vkWaitSemaphores");
  self->value = last;
  vtr_app_demo_check (demo);
  draw_one (demo, 6);
  vtr_app_demo_check (demo);
}

int
main (int    argc,
      char **argv)
{
  Timeline self = { 0 };

  return vtr_app_demo_run (&self.demo,
                           &(VtrAppDemoInfo){ .what = "timeline semaphores",
                                              .features12 = { .timelineSemaphore = VK_TRUE },
                                              .start = start,
                                              .draw = draw },
                           argc, argv);
}
