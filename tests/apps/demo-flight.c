/* vtr-app-demo-flight: two frames in flight over one page that the program and the device both
 * write: each has its own bytes in either of two slots, and one word of each is counted up by the
 * device and set back by the program, always to the same value.
 *
 * --whole: shaders see both slots at once. --gated: work waits until the program has written the
 * other slot, so that it is recorded before there are results.
 */
#include "vtr-app-demo.h"

#include "demo_flight_comp.h"

#define SLOT 1024u   /* bytes */
#define GIVEN 64u    /* words at the beginning of a slot */
#define COUNTED 128u /* the word that is counted up */
#define STEPS 6u     /* of a frame */

typedef struct
{
  VtrAppDemo demo;
  bool whole;
  bool gated;
  VtrAppBuffer *slots;
  VkDescriptorSet sets[2];
  VkPipelineLayout layout;
  VkPipeline pipeline;
  VkCommandBuffer commands[2];
  VkFence fences[2];
  VkSemaphore gate;
  uint64_t submitted, opened; /* values of the gate */
  uint32_t seen;              /* what the device has answered so far */
} Flight;

static void
make_sets (Flight *self)
{
  VtrAppDemo *demo = &self->demo;
  const VkDescriptorSetLayoutBinding binding = { 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1,
                                                 VK_SHADER_STAGE_COMPUTE_BIT, NULL };
  const VkDescriptorSetLayout layout = vtr_app_demo_set_layout (demo, &binding, 1, 0, NULL);

  self->layout = vtr_app_demo_layout (demo, layout, VK_SHADER_STAGE_COMPUTE_BIT);
  self->pipeline =
    vtr_app_demo_compute (demo, demo_flight_comp, sizeof demo_flight_comp, self->layout);
  for (uint32_t i = 0; i < 2; i++)
    {
      const VkDescriptorBufferInfo buffer = { self->slots->buffer, self->whole ? 0 : i * SLOT,
                                              self->whole ? 2 * SLOT : SLOT };
      VkWriteDescriptorSet write = { .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                     .descriptorCount = 1,
                                     .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                     .pBufferInfo = &buffer };

      self->sets[i] = write.dstSet = vtr_app_demo_set (demo, layout, &binding, 1, 0, NULL);
      vkUpdateDescriptorSets (demo->scene.gpu.device, 1, &write, 0, NULL);
    }
}

static void
start (VtrAppDemo *demo)
{
  Flight *self = (Flight *)demo;
  const VkDevice device = demo->scene.gpu.device;
  const VkFenceCreateInfo fence = { .sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO,
                                    .flags = VK_FENCE_CREATE_SIGNALED_BIT };
  const VkSemaphoreTypeCreateInfo type = {
    .sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
    .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE,
  };
  const VkSemaphoreCreateInfo semaphore = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
                                            .pNext = &type };

  self->slots =
    vtr_app_demo_buffer (demo, "slots", 2 * SLOT, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  make_sets (self);
  for (uint32_t i = 0; i < 2; i++)
    {
      vtr_app_check (vkCreateFence (device, &fence, NULL, &self->fences[i]), "vkCreateFence");
      self->commands[i] = vtr_app_commands (&demo->scene.gpu, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    }
  vtr_app_check (vkCreateSemaphore (device, &semaphore, NULL, &self->gate), "vkCreateSemaphore");
  VTR_APP_KEEP (&demo->scene, SEMAPHORE, self->gate);
}

/* Lets the work run that was submitted up to @value. */
static void
open_gate (Flight   *self,
           uint64_t  value)
{
  const VkSemaphoreSignalInfo info = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO,
                                       .semaphore = self->gate,
                                       .value = value };

  if (!self->gated || value <= self->opened)
    return;
  vtr_app_check (vkSignalSemaphore (self->demo.scene.gpu.device, &info), "vkSignalSemaphore");
  self->opened = value;
}

static void
wait_for (Flight   *self,
          uint32_t  slot)
{
  vtr_app_check (
    vkWaitForFences (self->demo.scene.gpu.device, 1, &self->fences[slot], VK_TRUE, UINT64_MAX),
    "vkWaitForFences");
}

/* What the program puts into the slot depends on what the device has left there. */
static void
write_slot (Flight   *self,
            uint32_t  slot)
{
  uint32_t *words = (uint32_t *)self->slots->mapped + slot * SLOT / 4;

  self->seen = self->seen * 5 + words[COUNTED] + words[GIVEN + self->seen % 64];
  for (uint32_t i = 0; i < GIVEN; i += 3)
    words[i] = self->seen + i;
  words[COUNTED] = 0;
}

static void
submit (Flight   *self,
        uint32_t  slot)
{
  const VkDevice device = self->demo.scene.gpu.device;
  const VkCommandBuffer commands = self->commands[slot];
  const uint32_t first = slot * SLOT / 4 * self->whole;
  const uint64_t value = ++self->submitted;
  const VkTimelineSemaphoreSubmitInfo values = {
    .sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
    .waitSemaphoreValueCount = 1,
    .pWaitSemaphoreValues = &value,
  };
  const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  const VkSubmitInfo info = { .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                              .pNext = self->gated ? &values : NULL,
                              .waitSemaphoreCount = self->gated,
                              .pWaitSemaphores = &self->gate,
                              .pWaitDstStageMask = &stage,
                              .commandBufferCount = 1,
                              .pCommandBuffers = &commands };

  vtr_app_begin (commands);
  vtr_app_barrier (commands);
  vkCmdBindPipeline (commands, VK_PIPELINE_BIND_POINT_COMPUTE, self->pipeline);
  vkCmdBindDescriptorSets (commands, VK_PIPELINE_BIND_POINT_COMPUTE, self->layout, 0, 1,
                           &self->sets[slot], 0, NULL);
  vkCmdPushConstants (commands, self->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 4, &first);
  vkCmdDispatch (commands, 1, 1, 1);
  vtr_app_barrier (commands);
  vtr_app_check (vkEndCommandBuffer (commands), "vkEndCommandBuffer");
  vtr_app_check (vkResetFences (device, 1, &self->fences[slot]), "vkResetFences");
  vtr_app_check (vkQueueSubmit (self->demo.scene.gpu.queue, 1, &info, self->fences[slot]),
                 "vkQueueSubmit");
}

static void
draw (VtrAppDemo *demo)
{
  Flight *self = (Flight *)demo;
  const VkBufferImageCopy region = {
    .imageSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
    .imageOffset = { 0, 8 * (int32_t)(demo->frame % 6), 0 },
    .imageExtent = { VTR_APP_DEMO_WIDTH, 8, 1 },
  };

  for (uint32_t i = 0; i < STEPS; i++)
    {
      const uint32_t slot = i % 2;

      wait_for (self, slot);
      write_slot (self, slot);
      submit (self, slot);
      open_gate (self, self->submitted - 1);
    }
  wait_for (self, STEPS % 2);
  open_gate (self, self->submitted);
  wait_for (self, (STEPS - 1) % 2);
  if (!vtr_app_demo_check (demo))
    return;
  vtr_app_barrier (demo->commands);
  vkCmdCopyBufferToImage (demo->commands, self->slots->buffer, demo->color->image,
                          VK_IMAGE_LAYOUT_GENERAL, 1, &region);
  vtr_app_barrier (demo->commands);
  vtr_app_demo_check (demo);
}

static void
finish (VtrAppDemo *demo)
{
  Flight *self = (Flight *)demo;

  for (uint32_t i = 0; i < 2; i++)
    vkDestroyFence (demo->scene.gpu.device, self->fences[i], NULL);
}

int
main (int    argc,
      char **argv)
{
  Flight self = { 0 };
  const VtrAppOption options[] = {
    { "--whole", NULL, NULL, &self.whole, "shaders see both slots at once" },
    { "--gated", NULL, NULL, &self.gated, "work waits for the program to write the other slot" },
    { 0 },
  };

  return vtr_app_demo_run (&self.demo,
                           &(VtrAppDemoInfo){ .what = "frames in flight",
                                              .options = options,
                                              .features12 = { .timelineSemaphore = VK_TRUE },
                                              .features13 = { .maintenance4 = VK_TRUE },
                                              .start = start,
                                              .draw = draw,
                                              .finish = finish },
                           argc, argv);
}
