/* vtr-app-demo-group: a device group of one device: memory, bindings, submissions, passes and
 * dispatches that name devices, and a dispatch that does not begin at 0. */
#include "vtr-app-demo.h"

#include "demo_group_comp.h"

#define NUMBERS 64u

typedef struct
{
  VtrAppDemo demo;
  VtrAppBuffer *numbers;
  VkBuffer bound; /* the second half of the memory of .memory, bound with a list of devices */
  VkDeviceMemory memory;
  VkDescriptorSet set;
  VkPipelineLayout layout;
  VkPipeline pipeline;
  VkSemaphore semaphore;
} Group;

static void
make_memory (Group *self)
{
  VtrAppDemo *demo = &self->demo;
  const VkDevice device = demo->scene.gpu.device;
  const VkBufferCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
    .size = NUMBERS * 4,
    .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
             VK_BUFFER_USAGE_TRANSFER_DST_BIT,
  };
  const VkMemoryAllocateFlagsInfo flags = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
    .flags = VK_MEMORY_ALLOCATE_DEVICE_MASK_BIT,
    .deviceMask = 1,
  };
  const uint32_t zero = 0;
  const VkBindBufferMemoryDeviceGroupInfo devices = {
    .sType = VK_STRUCTURE_TYPE_BIND_BUFFER_MEMORY_DEVICE_GROUP_INFO,
    .deviceIndexCount = 1,
    .pDeviceIndices = &zero,
  };
  VkBindBufferMemoryInfo bind = { .sType = VK_STRUCTURE_TYPE_BIND_BUFFER_MEMORY_INFO,
                                  .pNext = &devices };
  VkMemoryRequirements requirements;

  vtr_app_check (vkCreateBuffer (device, &info, NULL, &self->bound), "vkCreateBuffer");
  vkGetBufferMemoryRequirements (device, self->bound, &requirements);
  bind.memoryOffset = requirements.size;
  requirements.size *= 2;
  self->memory = vtr_app_allocate_with (&demo->scene.gpu, &requirements,
                                        VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, &flags);
  bind.buffer = self->bound;
  bind.memory = self->memory;
  vtr_app_check (vkBindBufferMemory2 (device, 1, &bind), "vkBindBufferMemory2");
  vkCmdFillBuffer (demo->commands, self->bound, 0, VK_WHOLE_SIZE, 0x01000003);
}

static void
make_set (Group *self)
{
  VtrAppDemo *demo = &self->demo;
  const VkDescriptorSetLayoutBinding bindings[] = {
    { 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL },
    { 1, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL },
  };
  const VkDescriptorSetLayout layout = vtr_app_demo_set_layout (demo, bindings, 2, 0, NULL);
  const VkDescriptorBufferInfo buffer = { self->bound, 0, VK_WHOLE_SIZE };
  const VkDescriptorImageInfo image = { VK_NULL_HANDLE, demo->color->view,
                                        VK_IMAGE_LAYOUT_GENERAL };
  VkWriteDescriptorSet writes[] = {
    { .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
      .descriptorCount = 1,
      .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
      .pBufferInfo = &buffer },
    { .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
      .dstBinding = 1,
      .descriptorCount = 1,
      .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
      .pImageInfo = &image },
  };
  const VkPipelineLayout pipeline_layout =
    vtr_app_demo_layout (demo, layout, VK_SHADER_STAGE_COMPUTE_BIT);
  const VkComputePipelineCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
    .flags = VK_PIPELINE_CREATE_DISPATCH_BASE_BIT,
    .stage = { .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
               .stage = VK_SHADER_STAGE_COMPUTE_BIT,
               .module =
                 vtr_app_scene_shader (&demo->scene, demo_group_comp, sizeof demo_group_comp),
               .pName = "main" },
    .layout = pipeline_layout,
  };

  self->layout = pipeline_layout;
  self->set = writes[0].dstSet = writes[1].dstSet =
    vtr_app_demo_set (demo, layout, bindings, 2, 0, NULL);
  vkUpdateDescriptorSets (demo->scene.gpu.device, 2, writes, 0, NULL);
  vtr_app_check (vkCreateComputePipelines (demo->scene.gpu.device, VK_NULL_HANDLE, 1, &info, NULL,
                                           &self->pipeline),
                 "vkCreateComputePipelines");
  VTR_APP_KEEP (&demo->scene, PIPELINE, self->pipeline);
}

static void
start (VtrAppDemo *demo)
{
  Group *self = (Group *)demo;
  const VkSemaphoreCreateInfo info = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO };
  VkPhysicalDeviceGroupProperties group = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GROUP_PROPERTIES,
  };
  uint32_t n = 1;

  if (vkEnumeratePhysicalDeviceGroups (demo->scene.gpu.instance, &n, &group) < 0 ||
      group.physicalDevices[0] != demo->scene.gpu.physical)
    vtr_app_fail ("the device is in no group");
  self->numbers = vtr_app_demo_buffer (demo, "numbers", NUMBERS * 4, 0);
  make_memory (self);
  make_set (self);
  vtr_app_check (vkCreateSemaphore (demo->scene.gpu.device, &info, NULL, &self->semaphore),
                 "vkCreateSemaphore");
  VTR_APP_KEEP (&demo->scene, SEMAPHORE, self->semaphore);
}

/* What was recorded, to device 0, in two submissions with a semaphore between them. */
static void
submit (Group *self)
{
  VtrAppDemo *demo = &self->demo;
  const uint32_t mask = 1, zero = 0;
  const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  const VkDeviceGroupSubmitInfo groups[] = {
    { .sType = VK_STRUCTURE_TYPE_DEVICE_GROUP_SUBMIT_INFO,
      .commandBufferCount = 1,
      .pCommandBufferDeviceMasks = &mask,
      .signalSemaphoreCount = 1,
      .pSignalSemaphoreDeviceIndices = &zero },
    { .sType = VK_STRUCTURE_TYPE_DEVICE_GROUP_SUBMIT_INFO,
      .waitSemaphoreCount = 1,
      .pWaitSemaphoreDeviceIndices = &zero },
  };
  const VkSubmitInfo infos[] = {
    { .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
      .pNext = &groups[0],
      .commandBufferCount = 1,
      .pCommandBuffers = &demo->commands,
      .signalSemaphoreCount = 1,
      .pSignalSemaphores = &self->semaphore },
    { .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
      .pNext = &groups[1],
      .waitSemaphoreCount = 1,
      .pWaitSemaphores = &self->semaphore,
      .pWaitDstStageMask = &stage },
  };

  vtr_app_check (vkEndCommandBuffer (demo->commands), "vkEndCommandBuffer");
  vtr_app_check (vkQueueSubmit (demo->scene.gpu.queue, 2, infos, VK_NULL_HANDLE),
                 "vkQueueSubmit");
  vtr_app_check (vkQueueWaitIdle (demo->scene.gpu.queue), "vkQueueWaitIdle");
}

static void
begin (Group *self)
{
  const VkDeviceGroupCommandBufferBeginInfo group = {
    .sType = VK_STRUCTURE_TYPE_DEVICE_GROUP_COMMAND_BUFFER_BEGIN_INFO,
    .deviceMask = 1,
  };
  const VkCommandBufferBeginInfo info = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
    .pNext = &group,
    .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
  };

  self->demo.commands =
    vtr_app_commands (&self->demo.scene.gpu, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
  vtr_app_check (vkBeginCommandBuffer (self->demo.commands, &info), "vkBeginCommandBuffer");
}

static void
dispatch (Group *self)
{
  const VkCommandBuffer commands = self->demo.commands;
  const uint32_t add = 17 * (1 + self->demo.frame);

  vtr_app_barrier (commands);
  vkCmdSetDeviceMask (commands, 1);
  vkCmdBindPipeline (commands, VK_PIPELINE_BIND_POINT_COMPUTE, self->pipeline);
  vkCmdBindDescriptorSets (commands, VK_PIPELINE_BIND_POINT_COMPUTE, self->layout, 0, 1,
                           &self->set, 0, NULL);
  vkCmdPushConstants (commands, self->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 4, &add);
  vkCmdDispatchBase (commands, 1 + self->demo.frame % 3, 2, 0, 3, 2, 1);
  vtr_app_barrier (commands);
}

/* Of the left half and, in the next frame, of the right. */
static void
render (Group *self)
{
  const VkRect2D area = { { (int)(self->demo.frame % 2) * 32, 0 }, { 32, VTR_APP_DEMO_HEIGHT } };
  const VkDeviceGroupRenderPassBeginInfo group = {
    .sType = VK_STRUCTURE_TYPE_DEVICE_GROUP_RENDER_PASS_BEGIN_INFO,
    .deviceMask = 1,
    .deviceRenderAreaCount = 1,
    .pDeviceRenderAreas = &area,
  };
  const VkRenderingAttachmentInfo attachment = {
    .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
    .imageView = self->demo.color->view,
    .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
    .loadOp = VK_ATTACHMENT_LOAD_OP_LOAD,
    .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
  };
  const VkRenderingInfo info = {
    .sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
    .pNext = &group,
    .renderArea = area,
    .layerCount = 1,
    .colorAttachmentCount = 1,
    .pColorAttachments = &attachment,
  };

  vkCmdBeginRendering (self->demo.commands, &info);
  vtr_app_viewport (self->demo.commands, VTR_APP_DEMO_WIDTH, VTR_APP_DEMO_HEIGHT);
  vkCmdSetScissor (self->demo.commands, 0, 1, &area);
  vkCmdBindPipeline (self->demo.commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->demo.pipeline);
  vtr_app_demo_triangle (&self->demo, 2);
  vtr_app_demo_triangle (&self->demo, 4);
  vtr_app_demo_check (&self->demo);
  vkCmdEndRendering (self->demo.commands);
}

static void
draw (VtrAppDemo *demo)
{
  Group *self = (Group *)demo;
  const VkBufferCopy all = { 0, 0, NUMBERS * 4 };

  vtr_app_demo_flush (demo);
  vkEndCommandBuffer (demo->commands);
  begin (self);
  dispatch (self);
  if (vtr_app_demo_check (demo))
    render (self);
  if (!demo->scene.stopped)
    {
      vtr_app_barrier (demo->commands);
      vkCmdCopyBuffer (demo->commands, self->bound, self->numbers->buffer, 1, &all);
      vtr_app_barrier (demo->commands);
    }
  submit (self);
  demo->commands = vtr_app_scene_begin (&demo->scene);
}

static void
finish (VtrAppDemo *demo)
{
  Group *self = (Group *)demo;

  vkDestroyBuffer (demo->scene.gpu.device, self->bound, NULL);
  vkFreeMemory (demo->scene.gpu.device, self->memory, NULL);
}

int
main (int    argc,
      char **argv)
{
  Group self = { .demo = { .scene = { .gpu = { .group = true } } } };

  return vtr_app_demo_run (&self.demo,
                           &(VtrAppDemoInfo){ .what = "groups of devices",
                                              .features13 = { .maintenance4 = VK_TRUE },
                                              .start = start,
                                              .draw = draw,
                                              .finish = finish },
                           argc, argv);
}
