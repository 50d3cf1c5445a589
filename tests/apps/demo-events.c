/* vtr-app-demo-events: events that the GPU sets and waits for, by both versions of the commands,
 * and one that the program sets; also private data. */
#include "vtr-app-demo.h"

typedef struct
{
  VtrAppDemo demo;
  VkEvent events[3];
  VkPrivateDataSlot slot;
} Events;

static void
start (VtrAppDemo *demo)
{
  Events *self = (Events *)demo;
  const VkEventCreateInfo info = { .sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO };
  const VkPrivateDataSlotCreateInfo slot = {
    .sType = VK_STRUCTURE_TYPE_PRIVATE_DATA_SLOT_CREATE_INFO,
  };

  for (uint32_t i = 0; i < 3; i++)
    {
      vtr_app_check (vkCreateEvent (demo->scene.gpu.device, &info, NULL, &self->events[i]),
                     "vkCreateEvent");
      VTR_APP_KEEP (&demo->scene, EVENT, self->events[i]);
    }
  vtr_app_check (vkCreatePrivateDataSlot (demo->scene.gpu.device, &slot, NULL, &self->slot),
                 "vkCreatePrivateDataSlot");
  VTR_APP_KEEP (&demo->scene, PRIVATE_DATA_SLOT, self->slot);
}

/* The program's own note about an event. */
static void
keep_private (Events *self)
{
  const VkDevice device = self->demo.scene.gpu.device;
  uint64_t number = 0;

  vtr_app_check (vkSetPrivateData (device, VK_OBJECT_TYPE_EVENT, (uint64_t)self->events[2],
                                   self->slot, 40 + self->demo.frame),
                 "vkSetPrivateData");
  vkGetPrivateData (device, VK_OBJECT_TYPE_EVENT, (uint64_t)self->events[2], self->slot, &number);
  if (number != 40 + self->demo.frame)
    vtr_app_fail ("the private data is lost");
}

static void
wait_first (Events  *self,
            VkEvent  event)
{
  const VkMemoryBarrier barrier = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
    .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
    .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
  };

  vkCmdSetEvent (self->demo.commands, event, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
  vkCmdWaitEvents (self->demo.commands, 1, &event, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                   VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 1, &barrier, 0, NULL, 0, NULL);
}

static void
wait_second (Events  *self,
             VkEvent  event)
{
  const VkMemoryBarrier2 barrier = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
    .srcStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
    .srcAccessMask = VK_ACCESS_2_MEMORY_WRITE_BIT,
    .dstStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
    .dstAccessMask = VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT,
  };
  const VkDependencyInfo info = {
    .sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
    .memoryBarrierCount = 1,
    .pMemoryBarriers = &barrier,
  };

  vkCmdSetEvent2 (self->demo.commands, event, &info);
  vkCmdWaitEvents2 (self->demo.commands, 1, &event, &info);
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
  Events *self = (Events *)demo;
  const VkDevice device = demo->scene.gpu.device;

  keep_private (self);
  draw_one (demo, 1);
  wait_first (self, self->events[0]);
  if (!vtr_app_demo_check (demo))
    return;
  draw_one (demo, 3);
  wait_second (self, self->events[1]);
  vkCmdResetEvent (demo->commands, self->events[0], VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
  vkCmdResetEvent2 (demo->commands, self->events[1], VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT);
  if (!vtr_app_demo_check (demo))
    return;
  vtr_app_demo_flush (demo);
  vtr_app_check (vkSetEvent (device, self->events[2]), "vkSetEvent");
  vkCmdWaitEvents (demo->commands, 1, &self->events[2], VK_PIPELINE_STAGE_HOST_BIT,
                   VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, NULL, 0, NULL, 0, NULL);
  draw_one (demo, 5);
  vtr_app_demo_check (demo);
  vtr_app_demo_flush (demo);
  if (vkGetEventStatus (device, self->events[2]) != VK_EVENT_SET)
    vtr_app_fail ("the event is not set");
  vtr_app_check (vkResetEvent (device, self->events[2]), "vkResetEvent");
}

int
main (int    argc,
      char **argv)
{
  Events self = { 0 };

  return vtr_app_demo_run (&self.demo,
                           &(VtrAppDemoInfo){ .what = "private data",
                                              .features13 = { .privateData = VK_TRUE },
                                              .start = start,
                                              .draw = draw },
                           argc, argv);
}
