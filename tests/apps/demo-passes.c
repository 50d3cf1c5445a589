/* vtr-app-demo-passes: render passes of the first version (with --second: of the second, which can
 * name aspects): two subpasses with dependencies between them and on themselves, in which
 * fragments read the colour that they write, and depth and stencil of the subpass before; then a
 * pass with stencil alone. */
#include "vtr-app-demo.h"

#include "demo_passes_input_frag.h"

#define DEPTH_FORMAT VK_FORMAT_D32_SFLOAT_S8_UINT

typedef struct
{
  VtrAppDemo demo;
  VkRenderPass pass, stencil_pass;
  VkFramebuffer framebuffer, stencil_framebuffer;
  VtrAppPicture *depth;
  VkDescriptorSetLayout set_layout;
  VkDescriptorSet set;
  VkPipelineLayout layout;
  VkPipeline first, second, masked;
} Passes;

static bool second_kind;

static const VkAttachmentDescription attachments[] = {
  { 0, VTR_APP_DEMO_FORMAT, VK_SAMPLE_COUNT_1_BIT, VK_ATTACHMENT_LOAD_OP_LOAD,
    VK_ATTACHMENT_STORE_OP_STORE, VK_ATTACHMENT_LOAD_OP_DONT_CARE,
    VK_ATTACHMENT_STORE_OP_DONT_CARE, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_GENERAL },
  { 0, DEPTH_FORMAT, VK_SAMPLE_COUNT_1_BIT, VK_ATTACHMENT_LOAD_OP_LOAD,
    VK_ATTACHMENT_STORE_OP_STORE, VK_ATTACHMENT_LOAD_OP_LOAD, VK_ATTACHMENT_STORE_OP_STORE,
    VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_GENERAL },
};

#define FRAGMENTS \
  (VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT | VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT | \
   VK_PIPELINE_STAGE_EARLY_FRAGMENT_TESTS_BIT | VK_PIPELINE_STAGE_LATE_FRAGMENT_TESTS_BIT)
#define WRITES \
  (VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT | VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT)
#define READS \
  (VK_ACCESS_INPUT_ATTACHMENT_READ_BIT | VK_ACCESS_COLOR_ATTACHMENT_READ_BIT | \
   VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT | VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_READ_BIT | \
   VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT)

static const VkSubpassDependency dependencies[] = {
  { 0, 1, FRAGMENTS, FRAGMENTS, WRITES, READS, VK_DEPENDENCY_BY_REGION_BIT },
  { 1, 1, VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT, VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT,
    VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT, VK_ACCESS_INPUT_ATTACHMENT_READ_BIT,
    VK_DEPENDENCY_BY_REGION_BIT },
};

/* Colour 0, depth and stencil 1; the second subpass reads all. */
static VkRenderPass
make_first_kind (VkDevice device,
                 bool     stencil_only)
{
  static const VkAttachmentReference color = { 0, VK_IMAGE_LAYOUT_GENERAL };
  static const VkAttachmentReference depth = { 1, VK_IMAGE_LAYOUT_GENERAL };
  static const VkAttachmentReference inputs[] = { { 0, VK_IMAGE_LAYOUT_GENERAL },
                                                  { 1, VK_IMAGE_LAYOUT_GENERAL },
                                                  { 1, VK_IMAGE_LAYOUT_GENERAL } };
  static const VkInputAttachmentAspectReference aspects[] = {
    { 1, 0, VK_IMAGE_ASPECT_COLOR_BIT },
    { 1, 1, VK_IMAGE_ASPECT_DEPTH_BIT },
    { 1, 2, VK_IMAGE_ASPECT_STENCIL_BIT },
  };
  static const VkRenderPassInputAttachmentAspectCreateInfo aspect_info = {
    .sType = VK_STRUCTURE_TYPE_RENDER_PASS_INPUT_ATTACHMENT_ASPECT_CREATE_INFO,
    .aspectReferenceCount = 3,
    .pAspectReferences = aspects,
  };
  static const VkSubpassDescription subpasses[] = {
    { .colorAttachmentCount = 1, .pColorAttachments = &color, .pDepthStencilAttachment = &depth },
    { .inputAttachmentCount = 3,
      .pInputAttachments = inputs,
      .colorAttachmentCount = 1,
      .pColorAttachments = &color },
  };
  VkAttachmentDescription own[2] = { attachments[0], attachments[1] };
  const VkRenderPassCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
    .pNext = stencil_only ? NULL : &aspect_info,
    .attachmentCount = 2,
    .pAttachments = own,
    .subpassCount = stencil_only ? 1 : 2,
    .pSubpasses = subpasses,
    .dependencyCount = stencil_only ? 0 : 2,
    .pDependencies = dependencies,
  };
  VkRenderPass pass;

  if (stencil_only)
    own[1].loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
  vtr_app_check (vkCreateRenderPass (device, &info, NULL, &pass), "vkCreateRenderPass");
  return pass;
}

static VkAttachmentReference2
reference (uint32_t           attachment,
           VkImageAspectFlags aspect)
{
  return (VkAttachmentReference2){ .sType = VK_STRUCTURE_TYPE_ATTACHMENT_REFERENCE_2,
                                   .attachment = attachment,
                                   .layout = VK_IMAGE_LAYOUT_GENERAL,
                                   .aspectMask = aspect };
}

static VkRenderPass
make_second_kind (VkDevice device,
                  bool     stencil_only)
{
  const VkAttachmentReference2 color = reference (0, 0), depth = reference (1, 0);
  const VkAttachmentReference2 inputs[] = { reference (0, VK_IMAGE_ASPECT_COLOR_BIT),
                                            reference (1, VK_IMAGE_ASPECT_DEPTH_BIT),
                                            reference (1, VK_IMAGE_ASPECT_STENCIL_BIT) };
  const VkSubpassDescription2 subpasses[] = {
    { .sType = VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_2,
      .colorAttachmentCount = 1,
      .pColorAttachments = &color,
      .pDepthStencilAttachment = &depth },
    { .sType = VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_2,
      .inputAttachmentCount = 3,
      .pInputAttachments = inputs,
      .colorAttachmentCount = 1,
      .pColorAttachments = &color },
  };
  VkMemoryBarrier2 barriers[2];
  VkSubpassDependency2 depends[2];
  VkAttachmentDescription2 own[2];
  const VkRenderPassCreateInfo2 info = {
    .sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO_2,
    .attachmentCount = 2,
    .pAttachments = own,
    .subpassCount = stencil_only ? 1 : 2,
    .pSubpasses = subpasses,
    .dependencyCount = stencil_only ? 0 : 2,
    .pDependencies = depends,
  };
  VkRenderPass pass;

  for (uint32_t i = 0; i < 2; i++)
    {
      const VkAttachmentDescription *from = &attachments[i];

      own[i] = (VkAttachmentDescription2){ VK_STRUCTURE_TYPE_ATTACHMENT_DESCRIPTION_2,
                                           NULL,
                                           0,
                                           from->format,
                                           from->samples,
                                           from->loadOp,
                                           from->storeOp,
                                           from->stencilLoadOp,
                                           from->stencilStoreOp,
                                           from->initialLayout,
                                           from->finalLayout };
      barriers[i] = (VkMemoryBarrier2){ .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
                                        .srcStageMask = dependencies[i].srcStageMask,
                                        .srcAccessMask = dependencies[i].srcAccessMask,
                                        .dstStageMask = dependencies[i].dstStageMask,
                                        .dstAccessMask = dependencies[i].dstAccessMask };
      depends[i] = (VkSubpassDependency2){ .sType = VK_STRUCTURE_TYPE_SUBPASS_DEPENDENCY_2,
                                           .pNext = &barriers[i],
                                           .srcSubpass = dependencies[i].srcSubpass,
                                           .dstSubpass = dependencies[i].dstSubpass,
                                           .dependencyFlags = dependencies[i].dependencyFlags };
    }
  if (stencil_only)
    own[1].loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
  vtr_app_check (vkCreateRenderPass2 (device, &info, NULL, &pass), "vkCreateRenderPass2");
  return pass;
}

static VkFramebuffer
make_framebuffer (Passes       *self,
                  VkRenderPass  pass)
{
  const VkImageView views[] = { self->demo.color->view, self->depth->view };
  const VkFramebufferCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
    .renderPass = pass,
    .attachmentCount = 2,
    .pAttachments = views,
    .width = VTR_APP_DEMO_WIDTH,
    .height = VTR_APP_DEMO_HEIGHT,
    .layers = 1,
  };
  VkFramebuffer framebuffer;

  vtr_app_check (vkCreateFramebuffer (self->demo.scene.gpu.device, &info, NULL, &framebuffer),
                 "vkCreateFramebuffer");
  VTR_APP_KEEP (&self->demo.scene, FRAMEBUFFER, framebuffer);
  return framebuffer;
}

static VkImageView
aspect_view (Passes                *self,
             VkImageAspectFlagBits  aspect)
{
  const VkImageViewCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
    .image = self->depth->image,
    .viewType = VK_IMAGE_VIEW_TYPE_2D,
    .format = DEPTH_FORMAT,
    .subresourceRange = { aspect, 0, 1, 0, 1 },
  };
  VkImageView view;

  vtr_app_check (vkCreateImageView (self->demo.scene.gpu.device, &info, NULL, &view),
                 "vkCreateImageView");
  VTR_APP_KEEP (&self->demo.scene, IMAGE_VIEW, view);
  return view;
}

static void
make_set (Passes *self)
{
  VtrAppDemo *demo = &self->demo;
  const VkImageView views[] = { demo->color->view, aspect_view (self, VK_IMAGE_ASPECT_DEPTH_BIT),
                                aspect_view (self, VK_IMAGE_ASPECT_STENCIL_BIT) };
  VkDescriptorSetLayoutBinding bindings[3];
  VkDescriptorImageInfo images[3];
  VkWriteDescriptorSet writes[3];

  for (uint32_t i = 0; i < 3; i++)
    bindings[i] = (VkDescriptorSetLayoutBinding){ i, VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, 1,
                                                  VK_SHADER_STAGE_FRAGMENT_BIT, NULL };
  self->set_layout = vtr_app_demo_set_layout (demo, bindings, 3, 0, NULL);
  self->set = vtr_app_demo_set (demo, self->set_layout, bindings, 3, 0, NULL);
  self->layout = vtr_app_demo_layout (
    demo, self->set_layout, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT);
  for (uint32_t i = 0; i < 3; i++)
    {
      images[i] =
        (VkDescriptorImageInfo){ VK_NULL_HANDLE, views[i], VK_IMAGE_LAYOUT_GENERAL };
      writes[i] = (VkWriteDescriptorSet){ .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                          .dstSet = self->set,
                                          .dstBinding = i,
                                          .descriptorCount = 1,
                                          .descriptorType = VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT,
                                          .pImageInfo = &images[i] };
    }
  vkUpdateDescriptorSets (demo->scene.gpu.device, 3, writes, 0, NULL);
}

static void
make_pipelines (Passes *self)
{
  VtrAppDemo *demo = &self->demo;
  const VkStencilOpState count = { .passOp = VK_STENCIL_OP_INCREMENT_AND_CLAMP,
                                   .failOp = VK_STENCIL_OP_INCREMENT_AND_CLAMP,
                                   .depthFailOp = VK_STENCIL_OP_KEEP,
                                   .compareOp = VK_COMPARE_OP_ALWAYS,
                                   .compareMask = 0xff,
                                   .writeMask = 0xff };
  VkStencilOpState odd = count;
  VtrAppPipelineInfo info = { .pass = self->pass,
                              .n_colors = 1,
                              .depth = DEPTH_FORMAT,
                              .depth_test = true,
                              .stencil_test = true,
                              .front = count,
                              .back = count };

  self->first = vtr_app_pipeline (&demo->scene, &info);
  odd.compareOp = VK_COMPARE_OP_NOT_EQUAL;
  odd.compareMask = 1;
  info.pass = self->stencil_pass;
  info.front = info.back = odd;
  self->masked = vtr_app_pipeline (&demo->scene, &info);
  self->second =
    vtr_app_pipeline (&demo->scene, &(VtrAppPipelineInfo){
                                      .pass = self->pass,
                                      .subpass = 1,
                                      .n_colors = 1,
                                      .layout = self->layout,
                                      .fragment = vtr_app_scene_shader (
                                        &demo->scene, demo_passes_input_frag,
                                        sizeof demo_passes_input_frag) });
}

static void
start (VtrAppDemo *demo)
{
  Passes *self = (Passes *)demo;
  const VkDevice device = demo->scene.gpu.device;

  self->depth = vtr_app_picture (&demo->scene,
                                 &(VtrAppPictureInfo){
                                   .name = "depth",
                                   .format = DEPTH_FORMAT,
                                   .extent = { VTR_APP_DEMO_WIDTH, VTR_APP_DEMO_HEIGHT, 1 },
                                   .usage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT |
                                            VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT });
  vtr_app_picture_clear (demo->commands, self->depth, 0.0f);
  self->pass = second_kind ? make_second_kind (device, false) : make_first_kind (device, false);
  VTR_APP_KEEP (&demo->scene, RENDER_PASS, self->pass);
  self->stencil_pass =
    second_kind ? make_second_kind (device, true) : make_first_kind (device, true);
  VTR_APP_KEEP (&demo->scene, RENDER_PASS, self->stencil_pass);
  self->framebuffer = make_framebuffer (self, self->pass);
  self->stencil_framebuffer = make_framebuffer (self, self->stencil_pass);
  make_set (self);
  make_pipelines (self);
}

static void
begin (Passes        *self,
       VkRenderPass   pass,
       VkFramebuffer  framebuffer,
       VkPipeline     pipeline)
{
  const VkClearValue clears[] = { { { { 0 } } }, { .depthStencil = { 0.875f, 0 } } };
  const VkRenderPassBeginInfo info = {
    .sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
    .renderPass = pass,
    .framebuffer = framebuffer,
    .renderArea = { { 0, 0 }, { VTR_APP_DEMO_WIDTH, VTR_APP_DEMO_HEIGHT } },
    .clearValueCount = 2,
    .pClearValues = clears,
  };
  const VkSubpassBeginInfo how = { .sType = VK_STRUCTURE_TYPE_SUBPASS_BEGIN_INFO };

  vtr_app_barrier (self->demo.commands);
  if (second_kind)
    vkCmdBeginRenderPass2 (self->demo.commands, &info, &how);
  else
    vkCmdBeginRenderPass (self->demo.commands, &info, VK_SUBPASS_CONTENTS_INLINE);
  vtr_app_viewport (self->demo.commands, VTR_APP_DEMO_WIDTH, VTR_APP_DEMO_HEIGHT);
  vkCmdBindPipeline (self->demo.commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
}

static void
next (Passes *self)
{
  const VkSubpassBeginInfo how = { .sType = VK_STRUCTURE_TYPE_SUBPASS_BEGIN_INFO };
  const VkSubpassEndInfo end = { .sType = VK_STRUCTURE_TYPE_SUBPASS_END_INFO };

  if (second_kind)
    vkCmdNextSubpass2 (self->demo.commands, &how, &end);
  else
    vkCmdNextSubpass (self->demo.commands, VK_SUBPASS_CONTENTS_INLINE);
}

static void
end (Passes *self)
{
  const VkSubpassEndInfo end_info = { .sType = VK_STRUCTURE_TYPE_SUBPASS_END_INFO };

  if (second_kind)
    vkCmdEndRenderPass2 (self->demo.commands, &end_info);
  else
    vkCmdEndRenderPass (self->demo.commands);
}

/* Reads what it will write, twice. */
static void
draw_inputs (Passes *self)
{
  VtrAppDemo *demo = &self->demo;
  const VkMemoryBarrier barrier = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
    .srcAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
    .dstAccessMask = VK_ACCESS_INPUT_ATTACHMENT_READ_BIT,
  };

  vkCmdBindPipeline (demo->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->second);
  vkCmdBindDescriptorSets (demo->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->layout, 0, 1,
                           &self->set, 0, NULL);
  for (uint32_t i = 0; i < 2 && !demo->scene.stopped; i++)
    {
      vkCmdPipelineBarrier (demo->commands, VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
                            VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT, VK_DEPENDENCY_BY_REGION_BIT, 1,
                            &barrier, 0, NULL, 0, NULL);
      vtr_app_demo_triangle (demo, 2 + i);
    }
}

static void
draw (VtrAppDemo *demo)
{
  Passes *self = (Passes *)demo;

  begin (self, self->stencil_pass, self->stencil_framebuffer, self->masked);
  vtr_app_demo_triangle (demo, 1 + demo->frame);
  vtr_app_demo_check (demo);
  end (self);
  if (demo->scene.stopped)
    return;
  begin (self, self->pass, self->framebuffer, self->first);
  vtr_app_demo_triangle (demo, 4);
  vtr_app_demo_triangle (demo, 5);
  next (self);
  draw_inputs (self);
  vtr_app_demo_check (demo);
  end (self);
}

int
main (int    argc,
      char **argv)
{
  const VtrAppOption options[] = {
    { "--second", NULL, NULL, &second_kind, "vkCreateRenderPass2 and its commands" },
    { 0 },
  };
  Passes self = { 0 };
  const VtrAppDemoInfo info = { .what = "render passes",
                                .options = options,
                                .start = start,
                                .draw = draw };

  return vtr_app_demo_run (&self.demo, &info, argc, argv);
}
