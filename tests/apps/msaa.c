/* vtr-app-msaa: four samples a texel in two colours, depth and stencil; resolved at the end of a
 * pass and by vkCmdResolveImage. In a render pass, one of the second kind, which also resolves
 * depth
 * and stencil (--second), or dynamic rendering (--dynamic).
 */
#include "vtr-app-scene.h"

#include "pictures-uint.frag.h"

#define WIDTH 40u
#define HEIGHT 24u
#define SAMPLES VK_SAMPLE_COUNT_4_BIT
#define DEPTH VK_FORMAT_D32_SFLOAT_S8_UINT

typedef struct
{
  VtrAppScene scene;
  bool dynamic, second;
  bool resolves; /* the pass about to begin; not one that a cut ends */
  VtrAppPicture *color, *numbers, *depth, *resolved, *resolved_depth, *copied;
  VkPipeline pipeline;
} Msaa;

static const VkFormat formats[] = { VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R32_UINT };

static VkAttachmentDescription2
describe (VkFormat              format,
          VkSampleCountFlagBits samples,
          VkAttachmentLoadOp    load)
{
  return (VkAttachmentDescription2){
    .sType = VK_STRUCTURE_TYPE_ATTACHMENT_DESCRIPTION_2,
    .format = format,
    .samples = samples,
    .loadOp = load,
    .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
    .stencilLoadOp = load,
    .stencilStoreOp = VK_ATTACHMENT_STORE_OP_STORE,
    .initialLayout = VK_IMAGE_LAYOUT_GENERAL,
    .finalLayout = VK_IMAGE_LAYOUT_GENERAL,
  };
}

static VkRenderPass
make_pass (Msaa               *self,
           VkAttachmentLoadOp  load)
{
  const VkAttachmentDescription2 attachments[] = {
    describe (formats[0], SAMPLES, load),
    describe (formats[1], SAMPLES, load),
    describe (DEPTH, SAMPLES, load),
    describe (formats[0], VK_SAMPLE_COUNT_1_BIT, VK_ATTACHMENT_LOAD_OP_DONT_CARE),
    describe (DEPTH, VK_SAMPLE_COUNT_1_BIT, VK_ATTACHMENT_LOAD_OP_DONT_CARE),
  };
  VkAttachmentReference2 references[5];
  VkAttachmentReference2 resolves[2];
  VkSubpassDescriptionDepthStencilResolve depth_resolve = {
    .sType = VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_DEPTH_STENCIL_RESOLVE,
    .depthResolveMode = VK_RESOLVE_MODE_SAMPLE_ZERO_BIT,
    .stencilResolveMode = VK_RESOLVE_MODE_SAMPLE_ZERO_BIT,
    .pDepthStencilResolveAttachment = &references[4],
  };
  VkSubpassDescription2 subpass = {
    .sType = VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_2,
    .pNext = self->resolves ? &depth_resolve : NULL,
    .colorAttachmentCount = 2,
    .pColorAttachments = references,
    .pResolveAttachments = self->resolves ? resolves : NULL,
    .pDepthStencilAttachment = &references[2],
  };
  const VkRenderPassCreateInfo2 info = {
    .sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO_2,
    .attachmentCount = self->resolves ? 5 : 3,
    .pAttachments = attachments,
    .subpassCount = 1,
    .pSubpasses = &subpass,
  };
  VkRenderPass pass;

  for (uint32_t i = 0; i < 5; i++)
    references[i] = (VkAttachmentReference2){
      .sType = VK_STRUCTURE_TYPE_ATTACHMENT_REFERENCE_2,
      .attachment = i,
      .layout = i == 2 || i == 4 ? VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL
                                 : VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
      .aspectMask = VK_IMAGE_ASPECT_COLOR_BIT,
    };
  resolves[0] = references[3];
  resolves[1] = (VkAttachmentReference2){
    .sType = VK_STRUCTURE_TYPE_ATTACHMENT_REFERENCE_2,
    .attachment = VK_ATTACHMENT_UNUSED,
  };
  vtr_app_check (vkCreateRenderPass2 (self->scene.gpu.device, &info, NULL, &pass),
                 "vkCreateRenderPass2");
  VTR_APP_KEEP (&self->scene, RENDER_PASS, pass);
  return pass;
}

static VkRenderPass
make_old_pass (Msaa               *self,
               VkAttachmentLoadOp  load)
{
  VkAttachmentDescription attachments[4];
  const VkAttachmentReference references[] = {
    { 0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL },
    { 1, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL },
    { 2, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL },
  };
  const VkAttachmentReference resolves[] = {
    { 3, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL },
    { VK_ATTACHMENT_UNUSED, VK_IMAGE_LAYOUT_UNDEFINED },
  };
  const VkSubpassDescription subpass = {
    .colorAttachmentCount = 2,
    .pColorAttachments = references,
    .pResolveAttachments = self->resolves ? resolves : NULL,
    .pDepthStencilAttachment = &references[2],
  };
  const VkRenderPassCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
    .attachmentCount = self->resolves ? 4 : 3,
    .pAttachments = attachments,
    .subpassCount = 1,
    .pSubpasses = &subpass,
  };
  VkRenderPass pass;

  for (uint32_t i = 0; i < 4; i++)
    {
      VkAttachmentDescription2 d =
        describe (i == 2 ? DEPTH : formats[i % 3], i < 3 ? SAMPLES : VK_SAMPLE_COUNT_1_BIT,
                  i < 3 ? load : VK_ATTACHMENT_LOAD_OP_DONT_CARE);

      attachments[i] = (VkAttachmentDescription){
        0,
        d.format,
        d.samples,
        d.loadOp,
        d.storeOp,
        d.stencilLoadOp,
        d.stencilStoreOp,
        d.initialLayout,
        d.finalLayout,
      };
    }
  vtr_app_check (vkCreateRenderPass (self->scene.gpu.device, &info, NULL, &pass),
                 "vkCreateRenderPass");
  VTR_APP_KEEP (&self->scene, RENDER_PASS, pass);
  return pass;
}

static const VkClearValue clears[3] = {
  { .color = { .float32 = { 0.25f, 0.5f, 0.125f, 1 } } },
  { .color = { .uint32 = { 4000000000u, 0, 0, 0 } } },
  { .depthStencil = { 0.875f, 0x21 } },
};

static void
begin_render_pass (Msaa            *self,
                   VkCommandBuffer  commands,
                   VkRenderPass     pass)
{
  const VkImageView views[] = { self->color->view, self->numbers->view, self->depth->view,
                                self->resolved->view, self->resolved_depth->view };
  const VkFramebufferCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
    .renderPass = pass,
    .attachmentCount = !self->resolves ? 3 : self->second ? 5
                                                          : 4,
    .pAttachments = views,
    .width = WIDTH,
    .height = HEIGHT,
    .layers = 1,
  };
  VkRenderPassBeginInfo begin = {
    .sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
    .renderPass = pass,
    .renderArea = { { 0, 0 }, { WIDTH, HEIGHT } },
    .clearValueCount = 3,
    .pClearValues = clears,
  };

  vtr_app_check (vkCreateFramebuffer (self->scene.gpu.device, &info, NULL, &begin.framebuffer),
                 "vkCreateFramebuffer");
  VTR_APP_KEEP (&self->scene, FRAMEBUFFER, begin.framebuffer);
  vkCmdBeginRenderPass (commands, &begin, VK_SUBPASS_CONTENTS_INLINE);
}

static void
begin_rendering (Msaa               *self,
                 VkCommandBuffer     commands,
                 VkAttachmentLoadOp  load)
{
  VkRenderingAttachmentInfo infos[3];
  const VkRenderingInfo rendering = {
    .sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
    .renderArea = { { 0, 0 }, { WIDTH, HEIGHT } },
    .layerCount = 1,
    .colorAttachmentCount = 2,
    .pColorAttachments = infos,
    .pDepthAttachment = &infos[2],
    .pStencilAttachment = &infos[2],
  };

  for (uint32_t i = 0; i < 3; i++)
    infos[i] = (VkRenderingAttachmentInfo){
      .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
      .imageView = i == 0 ? self->color->view : i == 1 ? self->numbers->view
                                                       : self->depth->view,
      .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
      .loadOp = load,
      .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
      .clearValue = clears[i],
    };
  if (self->resolves)
    {
      infos[0].resolveMode = VK_RESOLVE_MODE_AVERAGE_BIT;
      infos[0].resolveImageView = self->resolved->view;
      infos[2].resolveMode = VK_RESOLVE_MODE_SAMPLE_ZERO_BIT;
      infos[2].resolveImageView = self->resolved_depth->view;
    }
  infos[0].resolveImageLayout = infos[2].resolveImageLayout = VK_IMAGE_LAYOUT_GENERAL;
  vkCmdBeginRendering (commands, &rendering);
}

static void
begin (Msaa               *self,
       VkCommandBuffer     commands,
       VkAttachmentLoadOp  load,
       uint32_t            n_checks)
{
  VtrAppPipelineInfo info = {
    .n_colors = 2,
    .formats = formats,
    .depth = DEPTH,
    .samples = SAMPLES,
    .depth_test = true,
    .stencil_test = true,
    .front = { .passOp = VK_STENCIL_OP_INCREMENT_AND_CLAMP,
               .compareOp = VK_COMPARE_OP_ALWAYS,
               .compareMask = 0xff,
               .writeMask = 0xff },
    .fragment =
      vtr_app_scene_shader (&self->scene, pictures_uint_frag, sizeof pictures_uint_frag),
  };

  info.back = info.front;
  self->resolves = self->scene.stop <= self->scene.n_checks ||
                   self->scene.stop > self->scene.n_checks + n_checks;
  vtr_app_barrier (commands);
  if (self->dynamic)
    begin_rendering (self, commands, load);
  else
    {
      info.pass = self->second ? make_pass (self, load) : make_old_pass (self, load);
      begin_render_pass (self, commands, info.pass);
    }
  if (self->pipeline == VK_NULL_HANDLE)
    self->pipeline = vtr_app_pipeline (&self->scene, &info);
  vkCmdBindPipeline (commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->pipeline);
  vtr_app_viewport (commands, WIDTH, HEIGHT);
}

static void
end (Msaa            *self,
     VkCommandBuffer  commands)
{
  if (self->dynamic)
    vkCmdEndRendering (commands);
  else
    vkCmdEndRenderPass (commands);
  vtr_app_barrier (commands);
}

static void
resolve (Msaa            *self,
         VkCommandBuffer  commands,
         VtrAppPicture   *to)
{
  const VkImageResolve region = {
    .srcSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
    .dstSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
    .extent = { WIDTH, HEIGHT, 1 },
  };

  vkCmdResolveImage (commands, self->color->image, self->color->layout, to->image, to->layout, 1,
                     &region);
  vtr_app_barrier (commands);
}

static void
record (Msaa            *self,
        VkCommandBuffer  commands)
{
  VtrAppScene *scene = &self->scene;

  vtr_app_picture_clear (commands, self->color, 0);
  vtr_app_picture_clear (commands, self->numbers, 0);
  vtr_app_picture_clear (commands, self->depth, 0.5f);
  vtr_app_picture_clear (commands, self->resolved, 0.75f);
  vtr_app_picture_clear (commands, self->resolved_depth, 0.375f);
  if (vtr_app_scene_check (scene, commands))
    return;
  begin (self, commands, VK_ATTACHMENT_LOAD_OP_CLEAR, 4);
  for (uint32_t i = 0; i < 3 && !vtr_app_scene_check (scene, commands); i++)
    vtr_app_triangle (scene, commands, -0.95f + 0.5f * (float)i, -0.9f, 1.3f,
                      0.7f - 0.2f * (float)i,
                      i + 1);
  vtr_app_scene_check (scene, commands);
  end (self, commands);
  if (scene->stopped)
    return;
  if (vtr_app_scene_check (scene, commands))
    return;
  vtr_app_picture_to (commands, self->copied, VK_IMAGE_LAYOUT_GENERAL);
  resolve (self, commands, self->copied);
  if (vtr_app_scene_check (scene, commands))
    return;
  begin (self, commands, VK_ATTACHMENT_LOAD_OP_LOAD, 2);
  for (uint32_t i = 0; i < 2 && !scene->stopped; i++)
    {
      vtr_app_triangle (scene, commands, -0.5f + 0.6f * (float)i, -0.2f - 0.5f * (float)i, 1.1f,
                        0.1f, i + 7);
      vtr_app_scene_check (scene, commands);
    }
  end (self, commands);
}

int
main (int    argc,
      char **argv)
{
  Msaa self = { 0 };
  VtrAppScene *scene = &self.scene;
  const VtrAppOption options[] = {
    { "--dynamic", NULL, NULL, &self.dynamic, "use dynamic rendering" },
    { "--second", NULL, NULL, &self.second, "use vkCreateRenderPass2" },
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
                                 .format = formats[0],
                                 .extent = extent,
                                 .samples = SAMPLES,
                                 .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT });
  self.numbers = vtr_app_picture (
    scene, &(VtrAppPictureInfo){ .name = "numbers",
                                 .format = formats[1],
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
                                 .format = formats[0],
                                 .extent = extent,
                                 .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT });
  self.resolved_depth = vtr_app_picture (
    scene, &(VtrAppPictureInfo){ .name = "resolved depth",
                                 .format = DEPTH,
                                 .extent = extent,
                                 .usage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT });
  self.copied = vtr_app_picture (
    scene, &(VtrAppPictureInfo){ .name = "copied",
                                 .format = formats[0],
                                 .extent = extent,
                                 .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT });
  commands = vtr_app_scene_begin (scene);
  record (&self, commands);
  vtr_app_scene_submit (scene, commands);
  vtr_app_scene_finish (scene);

  return 0;
}
