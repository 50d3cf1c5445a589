/* vtr-app-multiview: two of three layers drawn at once by multiview, colour and depth, in a render
 * pass or (--dynamic) in dynamic rendering; then all layers by one clear of a layered framebuffer.
 */
#include "vtr-app-scene.h"

#include "pictures-multiview.vert.h"

#define WIDTH 32u
#define HEIGHT 24u
#define COLOR VK_FORMAT_R8G8B8A8_UNORM
#define DEPTH VK_FORMAT_D16_UNORM
#define VIEWS 5u /* the first and the third */

typedef struct
{
  VtrAppScene scene;
  bool dynamic;
  VtrAppPicture *color, *depth;
  VkRenderPass pass;
} Multiview;

static const VkFormat format = COLOR;
static const VkClearValue clears[] = { { .color = { .float32 = { 0.2f, 0.4f, 0.6f, 1 } } },
                                       { .depthStencil = { 0.9f, 0 } } };

static VkRenderPass
make_pass (Multiview          *self,
           uint32_t            views,
           VkAttachmentLoadOp  load)
{
  const VkAttachmentDescription attachments[] = {
    { 0, COLOR, VK_SAMPLE_COUNT_1_BIT, load, VK_ATTACHMENT_STORE_OP_STORE,
      VK_ATTACHMENT_LOAD_OP_DONT_CARE, VK_ATTACHMENT_STORE_OP_DONT_CARE, VK_IMAGE_LAYOUT_GENERAL,
      VK_IMAGE_LAYOUT_GENERAL },
    { 0, DEPTH, VK_SAMPLE_COUNT_1_BIT, load, VK_ATTACHMENT_STORE_OP_STORE,
      VK_ATTACHMENT_LOAD_OP_DONT_CARE, VK_ATTACHMENT_STORE_OP_DONT_CARE, VK_IMAGE_LAYOUT_GENERAL,
      VK_IMAGE_LAYOUT_GENERAL },
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
  const VkRenderPassMultiviewCreateInfo multiview = {
    .sType = VK_STRUCTURE_TYPE_RENDER_PASS_MULTIVIEW_CREATE_INFO,
    .subpassCount = 1,
    .pViewMasks = &views,
  };
  const VkRenderPassCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
    .pNext = &multiview,
    .attachmentCount = 2,
    .pAttachments = attachments,
    .subpassCount = 1,
    .pSubpasses = &subpass,
  };
  VkRenderPass pass;

  vtr_app_check (vkCreateRenderPass (self->scene.gpu.device, &info, NULL, &pass),
                 "vkCreateRenderPass");
  VTR_APP_KEEP (&self->scene, RENDER_PASS, pass);
  return pass;
}

static void
begin_render_pass (Multiview       *self,
                   VkCommandBuffer  commands,
                   VkRenderPass     pass,
                   uint32_t         layers)
{
  const VkImageView views[] = { self->color->view, self->depth->view };
  const VkFramebufferCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
    .renderPass = pass,
    .attachmentCount = 2,
    .pAttachments = views,
    .width = WIDTH,
    .height = HEIGHT,
    .layers = layers,
  };
  VkRenderPassBeginInfo begin = {
    .sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
    .renderPass = pass,
    .renderArea = { { 0, 0 }, { WIDTH, HEIGHT } },
    .clearValueCount = 2,
    .pClearValues = clears,
  };

  vtr_app_check (vkCreateFramebuffer (self->scene.gpu.device, &info, NULL, &begin.framebuffer),
                 "vkCreateFramebuffer");
  VTR_APP_KEEP (&self->scene, FRAMEBUFFER, begin.framebuffer);
  vkCmdBeginRenderPass (commands, &begin, VK_SUBPASS_CONTENTS_INLINE);
}

static void
begin_rendering (Multiview          *self,
                 VkCommandBuffer     commands,
                 uint32_t            views,
                 VkAttachmentLoadOp  load)
{
  const VkRenderingAttachmentInfo color = {
    .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
    .imageView = self->color->view,
    .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
    .loadOp = load,
    .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
    .clearValue = clears[0],
  };
  const VkRenderingAttachmentInfo depth = {
    .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
    .imageView = self->depth->view,
    .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
    .loadOp = load,
    .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
    .clearValue = clears[1],
  };
  const VkRenderingInfo rendering = {
    .sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
    .renderArea = { { 0, 0 }, { WIDTH, HEIGHT } },
    .layerCount = views != 0 ? 0 : 3,
    .viewMask = views,
    .colorAttachmentCount = 1,
    .pColorAttachments = &color,
    .pDepthAttachment = &depth,
  };

  vkCmdBeginRendering (commands, &rendering);
}

static void
begin (Multiview          *self,
       VkCommandBuffer     commands,
       uint32_t            views,
       VkAttachmentLoadOp  load)
{
  vtr_app_barrier (commands);
  if (self->dynamic)
    begin_rendering (self, commands, views, load);
  else
    {
      VkRenderPass pass = views != 0 ? self->pass : make_pass (self, views, load);

      begin_render_pass (self, commands, pass, views != 0 ? 1 : 3);
    }
}

static void
end (Multiview       *self,
     VkCommandBuffer  commands)
{
  if (self->dynamic)
    vkCmdEndRendering (commands);
  else
    vkCmdEndRenderPass (commands);
}

static void
record (Multiview       *self,
        VkCommandBuffer  commands,
        VkPipeline       pipeline)
{
  VtrAppScene *scene = &self->scene;
  const VkClearAttachment cleared = {
    .aspectMask = VK_IMAGE_ASPECT_COLOR_BIT,
    .clearValue = { .color = { .float32 = { 1, 0, 1, 1 } } },
  };
  const VkClearRect rect = { { { 3, 4 }, { 5, 6 } }, 1, 2 };

  vtr_app_picture_clear (commands, self->color, 0.5f);
  vtr_app_picture_clear (commands, self->depth, 0.25f);
  begin (self, commands, VIEWS, VK_ATTACHMENT_LOAD_OP_CLEAR);
  vkCmdBindPipeline (commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
  vtr_app_viewport (commands, WIDTH, HEIGHT);
  for (uint32_t i = 0; i < 3 && !vtr_app_scene_check (scene, commands); i++)
    vtr_app_triangle (scene, commands, -0.9f + 0.3f * (float)i, -0.8f, 1.1f, 0.8f - 0.2f * (float)i,
                      i + 3);
  end (self, commands);
  if (vtr_app_scene_check (scene, commands))
    return;
  begin (self, commands, 0, VK_ATTACHMENT_LOAD_OP_LOAD);
  vkCmdClearAttachments (commands, 1, &cleared, 1, &rect);
  vtr_app_scene_check (scene, commands);
  end (self, commands);
}

int
main (int    argc,
      char **argv)
{
  Multiview self = { 0 };
  VtrAppScene *scene = &self.scene;
  const VtrAppOption options[] = {
    { "--dynamic", NULL, NULL, &self.dynamic, "use dynamic rendering" },
    { 0 },
  };
  VkPhysicalDeviceVulkan13Features features13 = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
    .dynamicRendering = VK_TRUE,
  };
  VkPhysicalDeviceVulkan11Features features11 = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
    .pNext = &features13,
    .multiview = VK_TRUE,
  };
  const VkPhysicalDeviceFeatures2 features = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
    .pNext = &features11,
  };
  const VkExtent3D extent = { WIDTH, HEIGHT, 1 };
  VtrAppPipelineInfo info = {
    .n_colors = 1,
    .formats = &format,
    .depth = DEPTH,
    .view_mask = VIEWS,
    .depth_test = true,
  };
  VkCommandBuffer commands;
  VkPipeline pipeline;

  vtr_app_scene_init (scene, argc, argv, options, &features);
  self.color = vtr_app_picture (
    scene, &(VtrAppPictureInfo){ .name = "color",
                                 .format = COLOR,
                                 .extent = extent,
                                 .layers = 3,
                                 .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT });
  self.depth = vtr_app_picture (
    scene, &(VtrAppPictureInfo){ .name = "depth",
                                 .format = DEPTH,
                                 .extent = extent,
                                 .layers = 3,
                                 .usage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT });
  if (!self.dynamic)
    self.pass = make_pass (&self, VIEWS, VK_ATTACHMENT_LOAD_OP_CLEAR);
  info.vertex =
    vtr_app_scene_shader (scene, pictures_multiview_vert, sizeof pictures_multiview_vert);
  info.pass = self.pass;
  pipeline = vtr_app_pipeline (scene, &info);
  commands = vtr_app_scene_begin (scene);
  record (&self, commands, pipeline);
  vtr_app_scene_submit (scene, commands);
  vtr_app_scene_finish (scene);

  return 0;
}
