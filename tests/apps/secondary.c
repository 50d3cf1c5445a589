/* vtr-app-secondary: a pass whose draws are all in secondary command buffers, one of which runs
 * twice, with labels around them; work outside of passes in another. In a render pass, or
 * (--dynamic) in dynamic rendering.
 */
#include "vtr-app-scene.h"

#define WIDTH 40u
#define HEIGHT 30u
#define DEPTH VK_FORMAT_D32_SFLOAT
#define COLOR VK_FORMAT_R16G16B16A16_SFLOAT

typedef struct
{
  VtrAppScene scene;
  bool dynamic;
  VtrAppPicture *color, *depth, *side;
  VkRenderPass pass;
  VkFramebuffer framebuffer;
  VkPipeline pipeline;
} Secondary;

static const VkFormat format = COLOR;
static const VkClearValue clears[] = { { .color = { .float32 = { 0.1f, 0.2f, 0.3f, 0.4f } } },
                                       { .depthStencil = { 1, 0 } } };

static void
make_pass (Secondary *self)
{
  const VkAttachmentDescription attachments[] = {
    { 0, COLOR, VK_SAMPLE_COUNT_1_BIT, VK_ATTACHMENT_LOAD_OP_LOAD, VK_ATTACHMENT_STORE_OP_STORE,
      VK_ATTACHMENT_LOAD_OP_DONT_CARE, VK_ATTACHMENT_STORE_OP_DONT_CARE, VK_IMAGE_LAYOUT_GENERAL,
      VK_IMAGE_LAYOUT_GENERAL },
    { 0, DEPTH, VK_SAMPLE_COUNT_1_BIT, VK_ATTACHMENT_LOAD_OP_CLEAR,
      VK_ATTACHMENT_STORE_OP_DONT_CARE, VK_ATTACHMENT_LOAD_OP_DONT_CARE,
      VK_ATTACHMENT_STORE_OP_DONT_CARE, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_GENERAL },
  };
  const VkAttachmentReference references[] = {
    { 0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL },
    { 1, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL },
  };
  const VkSubpassDescription subpass = {
    .colorAttachmentCount = 1,
    .pColorAttachments = references,
    .pDepthStencilAttachment = &references[1],
  };
  const VkRenderPassCreateInfo pass_info = {
    .sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
    .attachmentCount = 2,
    .pAttachments = attachments,
    .subpassCount = 1,
    .pSubpasses = &subpass,
  };
  const VkImageView views[] = { self->color->view, self->depth->view };
  VkFramebufferCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
    .attachmentCount = 2,
    .pAttachments = views,
    .width = WIDTH,
    .height = HEIGHT,
    .layers = 1,
  };

  vtr_app_check (vkCreateRenderPass (self->scene.gpu.device, &pass_info, NULL, &self->pass),
                 "vkCreateRenderPass");
  VTR_APP_KEEP (&self->scene, RENDER_PASS, self->pass);
  info.renderPass = self->pass;
  vtr_app_check (vkCreateFramebuffer (self->scene.gpu.device, &info, NULL, &self->framebuffer),
                 "vkCreateFramebuffer");
  VTR_APP_KEEP (&self->scene, FRAMEBUFFER, self->framebuffer);
}

static void
begin_pass (Secondary       *self,
            VkCommandBuffer  commands)
{
  const VkRenderPassBeginInfo begin = {
    .sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
    .renderPass = self->pass,
    .framebuffer = self->framebuffer,
    .renderArea = { { 0, 0 }, { WIDTH, HEIGHT } },
    .clearValueCount = 2,
    .pClearValues = clears,
  };
  const VkRenderingAttachmentInfo color = {
    .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
    .imageView = self->color->view,
    .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
    .loadOp = VK_ATTACHMENT_LOAD_OP_LOAD,
    .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
  };
  const VkRenderingAttachmentInfo depth = {
    .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
    .imageView = self->depth->view,
    .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
    .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
    .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
    .clearValue = clears[1],
  };
  const VkRenderingInfo rendering = {
    .sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
    .flags = VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT,
    .renderArea = { { 0, 0 }, { WIDTH, HEIGHT } },
    .layerCount = 1,
    .colorAttachmentCount = 1,
    .pColorAttachments = &color,
    .pDepthAttachment = &depth,
  };

  if (self->dynamic)
    vkCmdBeginRendering (commands, &rendering);
  else
    vkCmdBeginRenderPass (commands, &begin, VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS);
}

static void
end_pass (Secondary       *self,
          VkCommandBuffer  commands)
{
  if (self->dynamic)
    vkCmdEndRendering (commands);
  else
    vkCmdEndRenderPass (commands);
}

static VkCommandBuffer
begin_secondary (Secondary *self,
                 bool       in_pass)
{
  VkCommandBuffer commands =
    vtr_app_commands (&self->scene.gpu, VK_COMMAND_BUFFER_LEVEL_SECONDARY);
  const VkCommandBufferInheritanceRenderingInfo rendering = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_RENDERING_INFO,
    .colorAttachmentCount = 1,
    .pColorAttachmentFormats = &format,
    .depthAttachmentFormat = DEPTH,
    .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT,
  };
  const VkCommandBufferInheritanceInfo inheritance = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO,
    .pNext = self->dynamic && in_pass ? &rendering : NULL,
    .renderPass = self->dynamic || !in_pass ? VK_NULL_HANDLE : self->pass,
    .framebuffer = self->dynamic || !in_pass ? VK_NULL_HANDLE : self->framebuffer,
  };
  const VkCommandBufferBeginInfo info = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
    .flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT |
             (in_pass ? VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT : 0),
    .pInheritanceInfo = &inheritance,
  };

  vtr_app_check (vkBeginCommandBuffer (commands, &info), "vkBeginCommandBuffer");
  if (in_pass)
    {
      vkCmdBindPipeline (commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->pipeline);
      vtr_app_viewport (commands, WIDTH, HEIGHT);
    }
  return commands;
}

/* @first: number of the checkpoint after its first draw. @whole: do not stop. */
static VkCommandBuffer
make_secondary (Secondary *self,
                uint32_t   first,
                bool       whole)
{
  VkCommandBuffer commands = begin_secondary (self, true);
  VtrAppScene *scene = &self->scene;
  const VkDebugUtilsLabelEXT label = {
    .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT,
    .pLabelName = "draws",
  };

  scene->n_checks = first - 1;
  scene->begin_label (commands, &label);
  for (uint32_t i = 0; i < 2; i++)
    {
      vtr_app_triangle (scene, commands, -0.9f + 0.3f * (float)(first % 5), -0.7f + 0.4f * (float)i,
                        0.9f, 0.9f - 0.1f * (float)first, first + i);
      if (whole)
        scene->n_checks++;
      else if (vtr_app_scene_check (scene, commands))
        break;
    }
  scene->end_label (commands);
  vtr_app_check (vkEndCommandBuffer (commands), "vkEndCommandBuffer");
  return commands;
}

static VkCommandBuffer
make_clear (Secondary *self,
            uint32_t   check)
{
  VkCommandBuffer commands = begin_secondary (self, false);

  vtr_app_picture_clear (commands, self->side, 0.6f);
  self->scene.n_checks = check - 1;
  if (!vtr_app_scene_check (&self->scene, commands))
    vtr_app_picture_clear (commands, self->side, 0.3f);
  vtr_app_check (vkEndCommandBuffer (commands), "vkEndCommandBuffer");
  return commands;
}

/* Checkpoints 1 and 2 are in a secondary that runs twice, 3 and 4 in one between these two runs,
 * 5 in one outside of the pass. A cut run records a shorter secondary where the whole run runs
 * the same one again. */
static void
record (Secondary       *self,
        VkCommandBuffer  commands)
{
  VtrAppScene *scene = &self->scene;
  const bool again = scene->stop != 0 && scene->stop <= 2 && scene->run > 0;
  VkCommandBuffer secondary;
  VkCommandBuffer twice;

  scene->run = 0;
  vtr_app_picture_clear (commands, self->color, 0.125f);
  vtr_app_picture_clear (commands, self->depth, 0.5f);
  vtr_app_picture_clear (commands, self->side, 0.9f);
  vtr_app_barrier (commands);
  begin_pass (self, commands);
  twice = make_secondary (self, 1, again);
  vkCmdExecuteCommands (commands, 1, &twice);
  if (!scene->stopped)
    {
      secondary = make_secondary (self, 3, false);
      if (again)
        twice = make_secondary (self, 1, false);
      if (scene->stopped && !again)
        vkCmdExecuteCommands (commands, 1, &secondary);
      else
        vkCmdExecuteCommands (commands, 2, (VkCommandBuffer[]){ secondary, twice });
    }
  end_pass (self, commands);
  if (!scene->stopped)
    {
      secondary = make_clear (self, 5);
      vkCmdExecuteCommands (commands, 1, &secondary);
    }
}

int
main (int    argc,
      char **argv)
{
  Secondary self = { 0 };
  VtrAppScene *scene = &self.scene;
  const VtrAppOption options[] = {
    { "--dynamic", NULL, NULL, &self.dynamic, "use dynamic rendering" },
    { 0 },
  };
  VkPhysicalDeviceVulkan13Features features13 = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
    .dynamicRendering = VK_TRUE,
  };
  const VkPhysicalDeviceFeatures2 features = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
    .pNext = &features13,
  };
  const VkExtent3D extent = { WIDTH, HEIGHT, 1 };
  VkCommandBuffer commands;

  vtr_app_scene_init (scene, argc, argv, options, &features);
  self.color = vtr_app_picture (
    scene, &(VtrAppPictureInfo){ .name = "color",
                                 .format = COLOR,
                                 .extent = extent,
                                 .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT });
  self.depth = vtr_app_picture (
    scene, &(VtrAppPictureInfo){ .name = "depth",
                                 .format = DEPTH,
                                 .extent = extent,
                                 .usage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT });
  self.side = vtr_app_picture (scene, &(VtrAppPictureInfo){ .name = "side",
                                                            .format = VK_FORMAT_R8G8_UNORM,
                                                            .extent = { 17, 9, 1 } });
  if (!self.dynamic)
    make_pass (&self);
  self.pipeline = vtr_app_pipeline (scene, &(VtrAppPipelineInfo){ .pass = self.pass,
                                                                  .n_colors = 1,
                                                                  .formats = &format,
                                                                  .depth = DEPTH,
                                                                  .depth_test = true,
                                                                  .blend = true });
  commands = vtr_app_scene_begin (scene);
  record (&self, commands);
  vtr_app_scene_submit (scene, commands);
  vtr_app_scene_finish (scene);

  return 0;
}
