/* vtr-app-demo-nested: secondary command buffers that execute others, inside a rendering that also
 * draws itself, and outside. */
#include "vtr-app-demo.h"

#include <stdio.h>

#ifdef VK_EXT_nested_command_buffer

typedef struct
{
  VtrAppDemo demo;
  VtrAppBuffer *numbers;
  VkCommandPool pool;
  VkCommandBuffer inner, outer, filling, around;
} Nested;

static void
begin (VkCommandBuffer commands,
       bool            inside)
{
  static const VkFormat format = VTR_APP_DEMO_FORMAT;
  const VkCommandBufferInheritanceRenderingInfo rendering = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_RENDERING_INFO,
    .flags = VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT |
             VK_RENDERING_CONTENTS_INLINE_BIT_EXT,
    .colorAttachmentCount = 1,
    .pColorAttachmentFormats = &format,
    .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT,
  };
  const VkCommandBufferInheritanceInfo inheritance = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO,
    .pNext = inside ? &rendering : NULL,
  };
  const VkCommandBufferBeginInfo info = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
    .flags = inside ? VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT : 0,
    .pInheritanceInfo = &inheritance,
  };

  vtr_app_check (vkBeginCommandBuffer (commands, &info), "vkBeginCommandBuffer");
}

/* Once: executed in every frame. The outer one is begun before the inner one is recorded. */
static void
record_fills (Nested *self)
{
  begin (self->around, false);
  vkCmdFillBuffer (self->around, self->numbers->buffer, 32, 32, 0x2000);
  begin (self->filling, false);
  vkCmdCopyBuffer (self->filling, self->numbers->buffer, self->numbers->buffer, 1,
                   &(VkBufferCopy){ 32, 4, 24 });
  vkCmdFillBuffer (self->filling, self->numbers->buffer, 0, 4, 0x1000);
  vtr_app_check (vkEndCommandBuffer (self->filling), "vkEndCommandBuffer");
  vtr_app_barrier (self->around);
  vkCmdExecuteCommands (self->around, 1, &self->filling);
  vtr_app_check (vkEndCommandBuffer (self->around), "vkEndCommandBuffer");
}

static void
start (VtrAppDemo *demo)
{
  Nested *self = (Nested *)demo;
  VtrAppGpu *gpu = &demo->scene.gpu;
  const VkCommandPoolCreateInfo pool = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
    .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
    .queueFamilyIndex = gpu->family,
  };
  VkCommandBufferAllocateInfo allocate = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
    .level = VK_COMMAND_BUFFER_LEVEL_SECONDARY,
    .commandBufferCount = 1,
  };
  VkCommandBuffer *all[] = { &self->inner, &self->outer, &self->filling, &self->around };

  vtr_app_check (vkCreateCommandPool (gpu->device, &pool, NULL, &self->pool),
                 "vkCreateCommandPool");
  allocate.commandPool = self->pool;
  for (uint32_t i = 0; i < 4; i++)
    vtr_app_check (vkAllocateCommandBuffers (gpu->device, &allocate, all[i]),
                   "vkAllocateCommandBuffers");
  self->numbers = vtr_app_demo_buffer (demo, "numbers", 64,
                                       VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                         VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  record_fills (self);
}

/* Goes on recording into @commands. Returns: what was recorded into. */
static VkCommandBuffer
change_to (Nested          *self,
           VkCommandBuffer  commands)
{
  VkCommandBuffer before = self->demo.commands;

  self->demo.commands = commands;
  return before;
}

static void
prepare (Nested *self)
{
  vtr_app_viewport (self->demo.commands, VTR_APP_DEMO_WIDTH, VTR_APP_DEMO_HEIGHT);
  vkCmdBindPipeline (self->demo.commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->demo.pipeline);
}

/* A triangle, a checkpoint, another one. */
static void
record_inner (Nested *self)
{
  VtrAppDemo *demo = &self->demo;
  VkCommandBuffer before = change_to (self, self->inner);

  begin (self->inner, true);
  prepare (self);
  vtr_app_demo_triangle (demo, 1);
  vtr_app_demo_check (demo);
  vtr_app_demo_triangle (demo, 3);
  vtr_app_check (vkEndCommandBuffer (self->inner), "vkEndCommandBuffer");
  change_to (self, before);
}

static void
record_outer (Nested *self)
{
  VtrAppDemo *demo = &self->demo;
  VkCommandBuffer before = change_to (self, self->outer);

  begin (self->outer, true);
  prepare (self);
  vtr_app_demo_triangle (demo, 5);
  record_inner (self);
  vkCmdExecuteCommands (self->outer, 1, &self->inner);
  if (!demo->scene.stopped)
    {
      prepare (self);
      vtr_app_demo_triangle (demo, 6);
      vtr_app_demo_check (demo);
    }
  vtr_app_check (vkEndCommandBuffer (self->outer), "vkEndCommandBuffer");
  change_to (self, before);
}

static void
draw (VtrAppDemo *demo)
{
  Nested *self = (Nested *)demo;
  const VkRenderingAttachmentInfo color = {
    .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
    .imageView = demo->color->view,
    .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
    .loadOp = VK_ATTACHMENT_LOAD_OP_LOAD,
    .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
  };
  const VkRenderingInfo rendering = {
    .sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
    .flags = VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT |
             VK_RENDERING_CONTENTS_INLINE_BIT_EXT,
    .renderArea = { { 0, 0 }, { VTR_APP_DEMO_WIDTH, VTR_APP_DEMO_HEIGHT } },
    .layerCount = 1,
    .colorAttachmentCount = 1,
    .pColorAttachments = &color,
  };

  vkCmdExecuteCommands (demo->commands, 1, &self->around);
  vtr_app_barrier (demo->commands);
  vkCmdBeginRendering (demo->commands, &rendering);
  prepare (self);
  vtr_app_demo_triangle (demo, 2);
  record_outer (self);
  vkCmdExecuteCommands (demo->commands, 1, &self->outer);
  if (!demo->scene.stopped)
    {
      prepare (self);
      vtr_app_demo_triangle (demo, 8);
      vtr_app_demo_check (demo);
    }
  vkCmdEndRendering (demo->commands);
}

static void
finish (VtrAppDemo *demo)
{
  vkDestroyCommandPool (demo->scene.gpu.device, ((Nested *)demo)->pool, NULL);
}

int
main (int    argc,
      char **argv)
{
  static const char *const extensions[] = { VK_EXT_NESTED_COMMAND_BUFFER_EXTENSION_NAME, NULL };
  static const VkPhysicalDeviceNestedCommandBufferFeaturesEXT features = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_NESTED_COMMAND_BUFFER_FEATURES_EXT,
    .nestedCommandBuffer = VK_TRUE,
    .nestedCommandBufferRendering = VK_TRUE,
  };
  Nested self = { 0 };

  return vtr_app_demo_run (&self.demo,
                           &(VtrAppDemoInfo){ .what = "nested command buffers",
                                              .extensions = extensions,
                                              .more = { { &features, sizeof features } },
                                              .start = start,
                                              .draw = draw,
                                              .finish = finish },
                           argc, argv);
}

#else

int
main (void)
{
  puts ("The Vulkan headers that this was built with do not know VK_EXT_nested_command_buffer.");
  return VTR_APP_SKIPPED;
}

#endif
