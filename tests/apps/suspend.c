/* vtr-app-suspend: one dynamic rendering in parts: suspended and resumed in one command buffer, in
 * the next of its submission, and with its last draws in a secondary. Four samples, resolved at the
 * very end.
 */
#include "vtr-app-scene.h"

#define WIDTH 32u
#define HEIGHT 24u
#define DEPTH VK_FORMAT_D32_SFLOAT
#define COLOR VK_FORMAT_R8G8B8A8_UNORM
#define SAMPLES VK_SAMPLE_COUNT_4_BIT

typedef struct
{
  VtrAppScene scene;
  VtrAppPicture *color, *depth, *resolved;
  VkPipeline pipeline;
} Suspend;

static const VkFormat format = COLOR;

/* Cut runs render in whole parts that load what the last one stored, and resolve nothing. */
static void
begin (Suspend          *self,
       VkCommandBuffer   commands,
       VkRenderingFlags  flags)
{
  const bool cut = self->scene.stop != 0;
  const VkRenderingFlags split = VK_RENDERING_SUSPENDING_BIT | VK_RENDERING_RESUMING_BIT;
  const bool resumed = (flags & VK_RENDERING_RESUMING_BIT) != 0;
  VkRenderingAttachmentInfo color = {
    .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
    .imageView = self->color->view,
    .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
    .resolveMode = VK_RESOLVE_MODE_AVERAGE_BIT,
    .resolveImageView = self->resolved->view,
    .resolveImageLayout = VK_IMAGE_LAYOUT_GENERAL,
    .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
    .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
    .clearValue = { .color = { .float32 = { 0.5f, 0.25f, 0, 1 } } },
  };
  VkRenderingAttachmentInfo depth = {
    .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
    .imageView = self->depth->view,
    .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
    .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
    .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
    .clearValue = { .depthStencil = { 0.875f, 0 } },
  };
  const VkRenderingInfo rendering = {
    .sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
    .flags = cut ? flags & ~split : flags,
    .renderArea = { { 0, 0 }, { WIDTH, HEIGHT } },
    .layerCount = 1,
    .colorAttachmentCount = 1,
    .pColorAttachments = &color,
    .pDepthAttachment = &depth,
  };

  if (cut)
    color.resolveMode = VK_RESOLVE_MODE_NONE;
  if (cut && resumed)
    {
      color.loadOp = depth.loadOp = VK_ATTACHMENT_LOAD_OP_LOAD;
      vtr_app_barrier (commands);
    }
  vkCmdBeginRendering (commands, &rendering);
}

static void
draw (Suspend         *self,
      VkCommandBuffer  commands,
      uint32_t         first)
{
  vkCmdBindPipeline (commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->pipeline);
  vtr_app_viewport (commands, WIDTH, HEIGHT);
  for (uint32_t i = 0; i < 2 && !self->scene.stopped; i++)
    {
      vtr_app_triangle (&self->scene, commands, -0.9f + 0.2f * (float)first,
                        -0.8f + 0.5f * (float)i, 1.1f, 0.8f - 0.1f * (float)(first + i), first + i);
      vtr_app_scene_check (&self->scene, commands);
    }
}

/* One part of the rendering; nothing, if the scene has ended. */
static void
part (Suspend          *self,
      VkCommandBuffer   commands,
      VkRenderingFlags  flags,
      uint32_t          first)
{
  if (self->scene.stopped)
    return;
  begin (self, commands, flags);
  draw (self, commands, first);
  vkCmdEndRendering (commands);
}

static VkCommandBuffer
make_secondary (Suspend          *self,
                VkRenderingFlags  flags,
                uint32_t          first)
{
  VkCommandBuffer commands =
    vtr_app_commands (&self->scene.gpu, VK_COMMAND_BUFFER_LEVEL_SECONDARY);
  const VkCommandBufferInheritanceRenderingInfo rendering = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_RENDERING_INFO,
    .flags = self->scene.stop != 0 ? 0 : flags,
    .colorAttachmentCount = 1,
    .pColorAttachmentFormats = &format,
    .depthAttachmentFormat = DEPTH,
    .rasterizationSamples = SAMPLES,
  };
  const VkCommandBufferInheritanceInfo inheritance = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO,
    .pNext = &rendering,
  };
  const VkCommandBufferBeginInfo info = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
    .flags = VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT,
    .pInheritanceInfo = &inheritance,
  };

  vtr_app_check (vkBeginCommandBuffer (commands, &info), "vkBeginCommandBuffer");
  draw (self, commands, first);
  vtr_app_check (vkEndCommandBuffer (commands), "vkEndCommandBuffer");
  return commands;
}

static void
record (Suspend         *self,
        VkCommandBuffer *commands)
{
  const VkRenderingFlags suspending = VK_RENDERING_SUSPENDING_BIT;
  const VkRenderingFlags resuming = VK_RENDERING_RESUMING_BIT;
  VkCommandBuffer secondary;

  vtr_app_picture_clear (commands[0], self->color, 0.125f);
  vtr_app_picture_clear (commands[0], self->depth, 0.5f);
  vtr_app_picture_clear (commands[0], self->resolved, 0.75f);
  vtr_app_barrier (commands[0]);
  part (self, commands[0], suspending, 1);
  part (self, commands[0], suspending | resuming, 2);
  part (self, commands[1], suspending | resuming, 3);
  if (!self->scene.stopped)
    {
      secondary = make_secondary (self, resuming, 4);
      begin (self, commands[2],
             resuming | VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT);
      vkCmdExecuteCommands (commands[2], 1, &secondary);
      vkCmdEndRendering (commands[2]);
    }
}

int
main (int    argc,
      char **argv)
{
  Suspend self = { 0 };
  VtrAppScene *scene = &self.scene;
  VkPhysicalDeviceVulkan13Features features13 = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
    .dynamicRendering = VK_TRUE,
  };
  const VkPhysicalDeviceFeatures2 features = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
    .pNext = &features13,
  };
  const VkExtent3D extent = { WIDTH, HEIGHT, 1 };
  VkCommandBuffer commands[3];
  const VkSubmitInfo submit = {
    .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
    .commandBufferCount = 3,
    .pCommandBuffers = commands,
  };

  vtr_app_scene_init (scene, argc, argv, NULL, &features);
  self.color = vtr_app_picture (
    scene, &(VtrAppPictureInfo){ .name = "color",
                                 .format = COLOR,
                                 .extent = extent,
                                 .samples = SAMPLES,
                                 .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT });
  self.depth = vtr_app_picture (
    scene, &(VtrAppPictureInfo){ .name = "depth",
                                 .format = DEPTH,
                                 .extent = extent,
                                 .samples = SAMPLES,
                                 .usage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT });
  self.resolved = vtr_app_picture (
    scene, &(VtrAppPictureInfo){ .name = "resolved",
                                 .format = COLOR,
                                 .extent = extent,
                                 .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT });
  self.pipeline = vtr_app_pipeline (scene, &(VtrAppPipelineInfo){ .n_colors = 1,
                                                                  .formats = &format,
                                                                  .depth = DEPTH,
                                                                  .samples = SAMPLES,
                                                                  .depth_test = true });
  for (int i = 0; i < 3; i++)
    commands[i] = vtr_app_scene_begin (scene);
  record (&self, commands);
  for (int i = 0; i < 3; i++)
    vtr_app_check (vkEndCommandBuffer (commands[i]), "vkEndCommandBuffer");
  vtr_app_check (vkQueueSubmit (scene->gpu.queue, 1, &submit, VK_NULL_HANDLE), "vkQueueSubmit");
  vtr_app_check (vkQueueWaitIdle (scene->gpu.queue), "vkQueueWaitIdle");
  vtr_app_scene_finish (scene);

  return 0;
}
