/* vtr-app-demo-sync: the second version of synchronisation, and state that one frame leaves for
 * the next: an event that is set, a semaphore that is signalled, a fence that is not reset, a
 * timeline that the program and the queue advance in turn. */
#include "vtr-app-demo.h"

typedef struct
{
  VtrAppDemo demo;
  VkEvent events[3]; /* the last is set and waited for by the GPU; one frame later */
  VkSemaphore left;  /* binary; signalled at the end of a frame */
  VkSemaphore timelines[2];
  uint64_t value;
  VkFence fences[3]; /* made signalled; two that take turns */
} Sync;

static void
make_semaphores (Sync *self)
{
  VtrAppDemo *demo = &self->demo;
  const VkSemaphoreTypeCreateInfo type = {
    .sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
    .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE,
    .initialValue = 10,
  };
  VkSemaphoreCreateInfo info = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO };

  vtr_app_check (vkCreateSemaphore (demo->scene.gpu.device, &info, NULL, &self->left),
                 "vkCreateSemaphore");
  VTR_APP_KEEP (&demo->scene, SEMAPHORE, self->left);
  info.pNext = &type;
  self->value = type.initialValue;
  for (uint32_t i = 0; i < 2; i++)
    {
      vtr_app_check (vkCreateSemaphore (demo->scene.gpu.device, &info, NULL, &self->timelines[i]),
                     "vkCreateSemaphore");
      VTR_APP_KEEP (&demo->scene, SEMAPHORE, self->timelines[i]);
    }
}

static void
start (VtrAppDemo *demo)
{
  Sync *self = (Sync *)demo;
  const VkEventCreateInfo event = { .sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO,
                                    .flags = VK_EVENT_CREATE_DEVICE_ONLY_BIT };
  VkFenceCreateInfo fence = { .sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO,
                              .flags = VK_FENCE_CREATE_SIGNALED_BIT };

  make_semaphores (self);
  for (uint32_t i = 0; i < 3; i++)
    {
      vtr_app_check (vkCreateEvent (demo->scene.gpu.device, &event, NULL, &self->events[i]),
                     "vkCreateEvent");
      VTR_APP_KEEP (&demo->scene, EVENT, self->events[i]);
      vtr_app_check (vkCreateFence (demo->scene.gpu.device, &fence, NULL, &self->fences[i]),
                     "vkCreateFence");
      fence.flags = 0;
    }
}

static VkDependencyInfo
dependency (const VkMemoryBarrier2 *barrier)
{
  return (VkDependencyInfo){ .sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
                             .memoryBarrierCount = 1,
                             .pMemoryBarriers = barrier };
}

static void
draw_one (VtrAppDemo *demo,
          uint32_t    nth)
{
  vtr_app_demo_begin_rendering (demo);
  vtr_app_demo_triangle (demo, nth);
  vtr_app_demo_end_rendering (demo);
}

/* Two events waited for at once, one of another dependency; then one that is left for the next
 * frame. */
static void
record_events (Sync *self)
{
  VtrAppDemo *demo = &self->demo;
  const VkMemoryBarrier2 barriers[] = {
    { .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
      .srcStageMask = VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT,
      .srcAccessMask = VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT,
      .dstStageMask = VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT,
      .dstAccessMask =
        VK_ACCESS_2_COLOR_ATTACHMENT_READ_BIT | VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT },
    { .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
      .srcStageMask = VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT,
      .srcAccessMask = VK_ACCESS_2_TRANSFER_WRITE_BIT,
      .dstStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
      .dstAccessMask = VK_ACCESS_2_MEMORY_READ_BIT },
  };
  const VkDependencyInfo infos[] = { dependency (&barriers[0]), dependency (&barriers[1]),
                                     dependency (&barriers[0]) };

  if (demo->frame > 0)
    {
      vkCmdWaitEvents2 (demo->commands, 1, &self->events[2], &infos[2]);
      vkCmdResetEvent2 (demo->commands, self->events[2], VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT);
    }
  draw_one (demo, 1);
  vkCmdSetEvent2 (demo->commands, self->events[0], &infos[0]);
  vkCmdSetEvent2 (demo->commands, self->events[1], &infos[1]);
  vkCmdWaitEvents2 (demo->commands, 2, self->events, infos);
  draw_one (demo, 3);
  for (uint32_t i = 0; i < 2; i++)
    vkCmdResetEvent2 (demo->commands, self->events[i], VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT);
  vkCmdPipelineBarrier2 (demo->commands, &infos[0]);
  vkCmdSetEvent2 (demo->commands, self->events[2], &infos[2]);
}

static VkSemaphoreSubmitInfo
at (VkSemaphore semaphore,
    uint64_t    value)
{
  return (VkSemaphoreSubmitInfo){ .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO,
                                  .semaphore = semaphore,
                                  .value = value,
                                  .stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT };
}

/* Three batches: after what the last frame left, the drawing, what the next one will find. */
static void
submit (Sync *self)
{
  VtrAppDemo *demo = &self->demo;
  const VkSemaphoreSubmitInfo found = at (self->left, 0);
  const VkSemaphoreSubmitInfo moved = at (self->timelines[0], self->value + 1);
  const VkSemaphoreSubmitInfo ends[] = { at (self->timelines[1], self->value + 2),
                                         at (self->left, 0) };
  const VkCommandBufferSubmitInfo buffer = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO,
    .commandBuffer = demo->commands,
  };
  const VkSubmitInfo2 batches[] = {
    { .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
      .waitSemaphoreInfoCount = demo->frame > 0,
      .pWaitSemaphoreInfos = &found,
      .signalSemaphoreInfoCount = 1,
      .pSignalSemaphoreInfos = &moved },
    { .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
      .waitSemaphoreInfoCount = 1,
      .pWaitSemaphoreInfos = &moved,
      .commandBufferInfoCount = 1,
      .pCommandBufferInfos = &buffer },
    { .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
      .signalSemaphoreInfoCount = 2,
      .pSignalSemaphoreInfos = ends },
  };

  vtr_app_check (vkEndCommandBuffer (demo->commands), "vkEndCommandBuffer");
  vtr_app_check (vkQueueSubmit2 (demo->scene.gpu.queue, 3, batches,
                                 self->fences[1 + demo->frame % 2]),
                 "vkQueueSubmit2");
}

static void
wait (Sync *self)
{
  const VkDevice device = self->demo.scene.gpu.device;
  const uint64_t far[] = { self->value + 100, self->value + 2 };
  const uint64_t near[] = { self->value + 1, self->value + 2 };
  const VkSemaphoreWaitInfo any = {
    .sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
    .flags = VK_SEMAPHORE_WAIT_ANY_BIT,
    .semaphoreCount = 2,
    .pSemaphores = self->timelines,
    .pValues = far,
  };
  const VkSemaphoreWaitInfo all = {
    .sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
    .semaphoreCount = 2,
    .pSemaphores = self->timelines,
    .pValues = near,
  };
  uint64_t reached = 0;

  vtr_app_check (vkWaitSemaphores (device, &any, UINT64_MAX), "vkWaitSemaphores");
  vtr_app_check (vkWaitSemaphores (device, &all, UINT64_MAX), "vkWaitSemaphores");
  vtr_app_check (vkGetSemaphoreCounterValue (device, self->timelines[1], &reached),
                 "vkGetSemaphoreCounterValue");
  if (reached != self->value + 2)
    vtr_app_fail ("the timeline is at %u", (unsigned)reached);
}

/* The program's own moves. The fence of this frame is left signalled for the next one. */
static void
move_on (Sync *self)
{
  VtrAppDemo *demo = &self->demo;
  const VkDevice device = demo->scene.gpu.device;
  const VkFence other = self->fences[2 - demo->frame % 2];
  const VkSemaphoreSignalInfo signals[] = {
    { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO,
      .semaphore = self->timelines[0],
      .value = self->value + 3 },
    { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO,
      .semaphore = self->timelines[1],
      .value = self->value + 3 },
  };

  vtr_app_check (vkWaitForFences (device, 3, self->fences, VK_FALSE, UINT64_MAX),
                 "vkWaitForFences");
  vtr_app_check (vkWaitForFences (device, 1, &self->fences[1 + demo->frame % 2], VK_TRUE,
                                  UINT64_MAX),
                 "vkWaitForFences");
  if (vkGetFenceStatus (device, self->fences[0]) != VK_SUCCESS)
    vtr_app_fail ("the fence that was made signalled is not");
  if (demo->frame > 0)
    {
      if (vkGetFenceStatus (device, other) != VK_SUCCESS)
        vtr_app_fail ("the fence of the last frame is not signalled any more");
      vtr_app_check (vkResetFences (device, 1, &other), "vkResetFences");
    }
  for (uint32_t i = 0; i < 2; i++)
    vtr_app_check (vkSignalSemaphore (device, &signals[i]), "vkSignalSemaphore");
  self->value += 3;
}

static void
draw (VtrAppDemo *demo)
{
  Sync *self = (Sync *)demo;

  record_events (self);
  vtr_app_demo_check (demo);
  submit (self);
  wait (self);
  move_on (self);
  demo->commands = vtr_app_scene_begin (&demo->scene);
  if (demo->scene.stopped)
    return;
  draw_one (demo, 5);
  vtr_app_demo_check (demo);
}

static void
finish (VtrAppDemo *demo)
{
  for (uint32_t i = 0; i < 3; i++)
    vkDestroyFence (demo->scene.gpu.device, ((Sync *)demo)->fences[i], NULL);
}

int
main (int    argc,
      char **argv)
{
  Sync self = { 0 };

  return vtr_app_demo_run (&self.demo,
                           &(VtrAppDemoInfo){ .what = "timeline semaphores",
                                              .features12 = { .timelineSemaphore = VK_TRUE },
                                              .start = start,
                                              .draw = draw,
                                              .finish = finish },
                           argc, argv);
}
