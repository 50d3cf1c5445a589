/* vtr-app-random: uses events and a timeline. */
#include "vtr-app-random.h"

static const VkMemoryBarrier2 all = {
  .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
  .srcStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
  .srcAccessMask = VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT,
  .dstStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
  .dstAccessMask = VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT,
};
static const VkDependencyInfo dependency = {
  .sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
  .memoryBarrierCount = 1,
  .pMemoryBarriers = &all,
};

static void
make_event (VtrRandom      *self,
            VtrRandomEvent *event)
{
  const VkEventCreateInfo info = { .sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO };

  *event = (VtrRandomEvent){ 0 };
  vtr_app_check (vkCreateEvent (self->gpu.device, &info, NULL, &event->event), "vkCreateEvent");
}

void
vtr_random_sync_init (VtrRandom *self)
{
  const VkSemaphoreTypeCreateInfo type = {
    .sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
    .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE,
    .initialValue = self->value = self->host_value = vtr_random_below (self, 100),
  };
  const VkSemaphoreCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
    .pNext = &type,
  };

  for (uint32_t i = 0; i < VTR_RANDOM_EVENTS; i++)
    make_event (self, &self->events[i]);
  vtr_app_check (vkCreateSemaphore (self->gpu.device, &info, NULL, &self->timeline),
                 "vkCreateSemaphore");
  vtr_app_check (vkCreateSemaphore (self->gpu.device, &info, NULL, &self->host_timeline),
                 "vkCreateSemaphore");
}

void
vtr_random_sync_finish (VtrRandom *self)
{
  for (uint32_t i = 0; i < VTR_RANDOM_EVENTS; i++)
    vkDestroyEvent (self->gpu.device, self->events[i].event, NULL);
  vkDestroySemaphore (self->gpu.device, self->timeline, NULL);
  vkDestroySemaphore (self->gpu.device, self->host_timeline, NULL);
}

/* --- Events ---------------------------------------------------------------------------------- */

static void
wait_event (VtrRandom      *self,
            VtrRandomEvent *event)
{
  const VkMemoryBarrier barrier = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
    .srcAccessMask = event->how == VTR_RANDOM_SET_BY_HOST
                       ? VK_ACCESS_HOST_WRITE_BIT
                       : VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
    .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
  };

  event->last_use = self->frame;
  if (event->how == VTR_RANDOM_SET_BY_COMMAND2)
    vkCmdWaitEvents2 (self->commands, 1, &event->event, &dependency);
  else
    vkCmdWaitEvents (self->commands, 1, &event->event,
                     event->how == VTR_RANDOM_SET_BY_HOST ? VK_PIPELINE_STAGE_HOST_BIT
                                                          : VTR_RANDOM_ALL,
                     VTR_RANDOM_ALL, 1, &barrier, 0, NULL, 0, NULL);
}

static void
set_event (VtrRandom *self)
{
  VtrRandomEvent *event = &VTR_RANDOM_PICK (self, self->events);

  if (event->how != VTR_RANDOM_UNSET)
    return;
  if (vtr_random_is_idle (self, event->last_use) && vtr_random_chance (self, 50))
    {
      vtr_app_check (vkSetEvent (self->gpu.device, event->event), "vkSetEvent");
      event->how = VTR_RANDOM_SET_BY_HOST;
      return;
    }
  event->last_use = self->frame;
  if (vtr_random_chance (self, 50))
    {
      vkCmdSetEvent2 (self->commands, event->event, &dependency);
      event->how = VTR_RANDOM_SET_BY_COMMAND2;
    }
  else
    {
      vkCmdSetEvent (self->commands, event->event, VTR_RANDOM_ALL);
      event->how = VTR_RANDOM_SET_BY_COMMAND;
    }
}

/* May be waited for more than once. */
static void
use_event (VtrRandom *self)
{
  VtrRandomEvent *event = &VTR_RANDOM_PICK (self, self->events);

  if (event->how == VTR_RANDOM_UNSET)
    return;
  wait_event (self, event);
  if (vtr_random_chance (self, 40))
    return;
  vtr_random_barrier (self);
  if (vtr_random_chance (self, 50))
    vkCmdResetEvent2 (self->commands, event->event, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT);
  else
    vkCmdResetEvent (self->commands, event->event, VTR_RANDOM_ALL);
  vtr_random_barrier (self);
  event->how = VTR_RANDOM_UNSET;
}

/* Submits work that waits for what the program does only then. */
static void
late_event (VtrRandom *self)
{
  VtrRandomEvent *event = &VTR_RANDOM_PICK (self, self->events);

  if (event->how != VTR_RANDOM_UNSET || !vtr_random_is_idle (self, event->last_use))
    return;
  event->how = VTR_RANDOM_SET_BY_HOST;
  wait_event (self, event);
  vtr_random_submit (self);
  vtr_app_check (vkSetEvent (self->gpu.device, event->event), "vkSetEvent");
}

/* The value that the program reads decides what follows. */
static void
look_at_event (VtrRandom *self)
{
  VtrRandomEvent *event = &VTR_RANDOM_PICK (self, self->events);

  if (!vtr_random_is_idle (self, event->last_use))
    return;
  self->mood += vkGetEventStatus (self->gpu.device, event->event) == VK_EVENT_SET;
  if (vtr_random_chance (self, 50))
    {
      vtr_app_check (vkResetEvent (self->gpu.device, event->event), "vkResetEvent");
      event->how = VTR_RANDOM_UNSET;
    }
  else if (vtr_random_chance (self, 50))
    {
      vkDestroyEvent (self->gpu.device, event->event, NULL);
      make_event (self, event);
    }
}

/* --- Timelines: one that the GPU signals, one that the program does -------------------------- */

static void
submit (VtrRandom   *self,
        VkSemaphore  awaited,
        uint64_t     wait,
        uint64_t     signal)
{
  const VkSemaphoreSubmitInfo infos[] = {
    { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO,
      .semaphore = awaited,
      .value = wait,
      .stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT },
    { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO,
      .semaphore = self->timeline,
      .value = signal,
      .stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT },
  };
  const VkCommandBufferSubmitInfo commands = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO,
    .commandBuffer = self->commands,
  };
  const VkSubmitInfo2 two = {
    .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
    .waitSemaphoreInfoCount = 1,
    .pWaitSemaphoreInfos = &infos[0],
    .commandBufferInfoCount = 1,
    .pCommandBufferInfos = &commands,
    .signalSemaphoreInfoCount = 1,
    .pSignalSemaphoreInfos = &infos[1],
  };
  const VkTimelineSemaphoreSubmitInfo values = {
    .sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
    .waitSemaphoreValueCount = 1,
    .pWaitSemaphoreValues = &wait,
    .signalSemaphoreValueCount = 1,
    .pSignalSemaphoreValues = &signal,
  };
  const VkPipelineStageFlags stage = VTR_RANDOM_ALL;
  const VkSubmitInfo one = {
    .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
    .pNext = &values,
    .waitSemaphoreCount = 1,
    .pWaitSemaphores = &awaited,
    .pWaitDstStageMask = &stage,
    .commandBufferCount = 1,
    .pCommandBuffers = &self->commands,
    .signalSemaphoreCount = 1,
    .pSignalSemaphores = &self->timeline,
  };

  vtr_app_check (vkEndCommandBuffer (self->commands), "vkEndCommandBuffer");
  if (vtr_random_chance (self, 50))
    vtr_app_check (vkQueueSubmit2 (self->gpu.queue, 1, &two, VK_NULL_HANDLE), "vkQueueSubmit2");
  else
    vtr_app_check (vkQueueSubmit (self->gpu.queue, 1, &one, VK_NULL_HANDLE), "vkQueueSubmit");
  vtr_random_begin_commands (self);
}

static void
wait (VtrRandom *self)
{
  const VkSemaphoreWaitInfo info = {
    .sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
    .semaphoreCount = 1,
    .pSemaphores = &self->timeline,
    .pValues = &self->value,
  };

  vtr_app_check (vkWaitSemaphores (self->gpu.device, &info, UINT64_MAX), "vkWaitSemaphores");
}

static void
use_timeline (VtrRandom *self)
{
  const uint64_t before = self->value;

  self->value += vtr_random_between (self, 1, 5);
  if (before > 0 && vtr_random_chance (self, 50))
    submit (self, self->timeline, before - 1, self->value);
  else
    submit (self, self->timeline, before, self->value);
  if (vtr_random_chance (self, 20))
    wait (self);
}

/* Submits work that waits for a value that the program signals only then. */
static void
late_timeline (VtrRandom *self)
{
  const VkSemaphoreSignalInfo info = {
    .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO,
    .semaphore = self->host_timeline,
    .value = self->host_value + vtr_random_between (self, 1, 3),
  };
  uint64_t value;

  self->host_value = info.value;
  self->value += vtr_random_between (self, 1, 3);
  submit (self, self->host_timeline, info.value, self->value);
  vtr_app_check (vkGetSemaphoreCounterValue (self->gpu.device, self->host_timeline, &value),
                 "vkGetSemaphoreCounterValue");
  self->mood += value;
  vtr_app_check (vkSignalSemaphore (self->gpu.device, &info), "vkSignalSemaphore");
}

/* The GPU may be about to set it, or not: that is not looked at. */
static void
poll_event (VtrRandom *self)
{
  vkGetEventStatus (self->gpu.device, VTR_RANDOM_PICK (self, self->events).event);
}

const VtrRandomOperation vtr_random_sync_polls[] = {
  { "poll-event", "polls", 8, poll_event },
  { 0 },
};

const VtrRandomOperation vtr_random_sync_operations[] = {
  { "set-event", "events", 4, set_event },
  { "use-event", "events", 5, use_event },
  { "late-event", "late", 1, late_event },
  { "look-at-event", "events", 2, look_at_event },
  { "use-timeline", "timelines", 3, use_timeline },
  { "late-timeline", "late", 1, late_timeline },
  { 0 },
};
