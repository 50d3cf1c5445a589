/* vtr-app-subpasses: three subpasses: two colours and depth; a third colour from the first two as
 * input attachments; four samples resolved into a picture that is touched nowhere else. With
 * --second by vkCreateRenderPass2 and an imageless framebuffer.
 *
 * A cut run makes a pass of only as many subpasses as it gets to, whose last one resolves nothing.
 */
#include "vtr-app-scene.h"

#include "pictures-input.frag.h"

#define WIDTH 36u
#define HEIGHT 28u
#define N 6u
#define N_SUBPASSES 3u

enum
{
  FIRST,
  SECOND,
  DEPTH,
  MIXED,
  SAMPLED,
  RESOLVED,
};

typedef struct
{
  VtrAppScene scene;
  bool second;
  uint32_t n_subpasses; /* of the pass; fewer in cut runs */
  VtrAppPicture *pictures[N];
  VkRenderPass pass;
  VkFramebuffer framebuffer;
  VkDescriptorSetLayout set_layout;
  VkPipelineLayout input_layout;
  VkDescriptorSet set;
  VkPipeline pipelines[N_SUBPASSES];
} Subpasses;

static const struct
{
  const char *name;
  VkFormat format;
  VkSampleCountFlagBits samples;
  uint32_t used_in; /* first */
  VkAttachmentLoadOp load;
} kinds[N] = {
  { "first", VK_FORMAT_R8G8B8A8_UNORM, VK_SAMPLE_COUNT_1_BIT, 0, VK_ATTACHMENT_LOAD_OP_CLEAR },
  { "second", VK_FORMAT_R16G16B16A16_SFLOAT, VK_SAMPLE_COUNT_1_BIT, 0, VK_ATTACHMENT_LOAD_OP_LOAD },
  { "depth", VK_FORMAT_D32_SFLOAT_S8_UINT, VK_SAMPLE_COUNT_1_BIT, 0, VK_ATTACHMENT_LOAD_OP_CLEAR },
  { "mixed", VK_FORMAT_R8G8B8A8_UNORM, VK_SAMPLE_COUNT_1_BIT, 1, VK_ATTACHMENT_LOAD_OP_CLEAR },
  { "sampled", VK_FORMAT_R8G8B8A8_UNORM, VK_SAMPLE_COUNT_4_BIT, 2, VK_ATTACHMENT_LOAD_OP_CLEAR },
  { "resolved", VK_FORMAT_R8G8B8A8_UNORM, VK_SAMPLE_COUNT_1_BIT, 2,
    VK_ATTACHMENT_LOAD_OP_DONT_CARE },
};

/* How many subpasses the run gets to: it has checkpoints 1 before, 2-4, 5-6, 7-9 in them. */
static uint32_t
count_subpasses (const Subpasses *self)
{
  const uint32_t stop = self->scene.stop;

  return stop == 0 || stop > 6 ? 3 : stop > 4 ? 2
                                              : 1;
}

static bool
is_cut_inside (const Subpasses *self)
{
  return self->scene.stop > 1 && self->scene.stop < 10;
}

static VkAttachmentLoadOp
load_op (const Subpasses *self,
         uint32_t         i)
{
  if (kinds[i].used_in >= self->n_subpasses || (i == RESOLVED && is_cut_inside (self)))
    return VK_ATTACHMENT_LOAD_OP_LOAD;
  return kinds[i].load;
}

static void
make_old_pass (Subpasses *self)
{
  const VkImageLayout color = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
  const VkImageLayout read = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
  const VkAttachmentReference colors[] = { { FIRST, color }, { SECOND, color } };
  const VkAttachmentReference depth = { DEPTH, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL };
  const VkAttachmentReference inputs[] = { { FIRST, read }, { SECOND, read } };
  const VkAttachmentReference mixed = { MIXED, color };
  const VkAttachmentReference sampled = { SAMPLED, color };
  const VkAttachmentReference resolved = { RESOLVED, color };
  const uint32_t kept[] = { FIRST, SECOND, DEPTH, MIXED };
  const uint32_t kept_depth = DEPTH;
  const VkSubpassDescription subpasses[] = {
    { .colorAttachmentCount = 2, .pColorAttachments = colors, .pDepthStencilAttachment = &depth },
    { .inputAttachmentCount = 2,
      .pInputAttachments = inputs,
      .colorAttachmentCount = 1,
      .pColorAttachments = &mixed,
      .preserveAttachmentCount = 1,
      .pPreserveAttachments = &kept_depth },
    { .colorAttachmentCount = 1,
      .pColorAttachments = &sampled,
      .pResolveAttachments = is_cut_inside (self) ? NULL : &resolved,
      .preserveAttachmentCount = 4,
      .pPreserveAttachments = kept },
  };
  const VkSubpassDependency dependencies[] = {
    { 0, 1, VK_PIPELINE_STAGE_ALL_GRAPHICS_BIT, VK_PIPELINE_STAGE_ALL_GRAPHICS_BIT,
      VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT, VK_ACCESS_INPUT_ATTACHMENT_READ_BIT,
      VK_DEPENDENCY_BY_REGION_BIT },
  };
  VkAttachmentDescription attachments[N];
  const VkRenderPassCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
    .attachmentCount = N,
    .pAttachments = attachments,
    .subpassCount = self->n_subpasses,
    .pSubpasses = subpasses,
    .dependencyCount = self->n_subpasses > 1 ? 1 : 0,
    .pDependencies = dependencies,
  };

  for (uint32_t i = 0; i < N; i++)
    attachments[i] = (VkAttachmentDescription){
      .format = kinds[i].format,
      .samples = kinds[i].samples,
      .loadOp = load_op (self, i),
      .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
      .stencilLoadOp = load_op (self, i),
      .stencilStoreOp = VK_ATTACHMENT_STORE_OP_STORE,
      .initialLayout = VK_IMAGE_LAYOUT_GENERAL,
      .finalLayout = VK_IMAGE_LAYOUT_GENERAL,
    };
  vtr_app_check (vkCreateRenderPass (self->scene.gpu.device, &info, NULL, &self->pass),
                 "vkCreateRenderPass");
  VTR_APP_KEEP (&self->scene, RENDER_PASS, self->pass);
}

static VkAttachmentReference2
refer (uint32_t           attachment,
       VkImageLayout      layout,
       VkImageAspectFlags aspect)
{
  return (VkAttachmentReference2){
    .sType = VK_STRUCTURE_TYPE_ATTACHMENT_REFERENCE_2,
    .attachment = attachment,
    .layout = layout,
    .aspectMask = aspect,
  };
}

static void
make_pass (Subpasses *self)
{
  const VkImageLayout color = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
  const VkAttachmentReference2 colors[] = {
    refer (FIRST, color, VK_IMAGE_ASPECT_COLOR_BIT),
    refer (SECOND, color, VK_IMAGE_ASPECT_COLOR_BIT),
  };
  const VkAttachmentReference2 depth =
    refer (DEPTH, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL, VK_IMAGE_ASPECT_DEPTH_BIT);
  const VkAttachmentReference2 inputs[] = {
    refer (FIRST, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_ASPECT_COLOR_BIT),
    refer (SECOND, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, VK_IMAGE_ASPECT_COLOR_BIT),
  };
  const VkAttachmentReference2 mixed = refer (MIXED, color, VK_IMAGE_ASPECT_COLOR_BIT);
  const VkAttachmentReference2 sampled = refer (SAMPLED, color, VK_IMAGE_ASPECT_COLOR_BIT);
  const VkAttachmentReference2 resolved = refer (RESOLVED, color, VK_IMAGE_ASPECT_COLOR_BIT);
  const uint32_t kept[] = { FIRST, SECOND, DEPTH, MIXED };
  const uint32_t kept_depth = DEPTH;
  const VkSubpassDescription2 subpasses[] = {
    { .sType = VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_2,
      .colorAttachmentCount = 2,
      .pColorAttachments = colors,
      .pDepthStencilAttachment = &depth },
    { .sType = VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_2,
      .inputAttachmentCount = 2,
      .pInputAttachments = inputs,
      .colorAttachmentCount = 1,
      .pColorAttachments = &mixed,
      .preserveAttachmentCount = 1,
      .pPreserveAttachments = &kept_depth },
    { .sType = VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_2,
      .colorAttachmentCount = 1,
      .pColorAttachments = &sampled,
      .pResolveAttachments = is_cut_inside (self) ? NULL : &resolved,
      .preserveAttachmentCount = 4,
      .pPreserveAttachments = kept },
  };
  const VkSubpassDependency2 dependency = {
    .sType = VK_STRUCTURE_TYPE_SUBPASS_DEPENDENCY_2,
    .srcSubpass = 0,
    .dstSubpass = 1,
    .srcStageMask = VK_PIPELINE_STAGE_ALL_GRAPHICS_BIT,
    .dstStageMask = VK_PIPELINE_STAGE_ALL_GRAPHICS_BIT,
    .srcAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
    .dstAccessMask = VK_ACCESS_INPUT_ATTACHMENT_READ_BIT,
    .dependencyFlags = VK_DEPENDENCY_BY_REGION_BIT,
  };
  VkAttachmentDescription2 attachments[N];
  const VkRenderPassCreateInfo2 info = {
    .sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO_2,
    .attachmentCount = N,
    .pAttachments = attachments,
    .subpassCount = self->n_subpasses,
    .pSubpasses = subpasses,
    .dependencyCount = self->n_subpasses > 1 ? 1 : 0,
    .pDependencies = &dependency,
  };

  for (uint32_t i = 0; i < N; i++)
    attachments[i] = (VkAttachmentDescription2){
      .sType = VK_STRUCTURE_TYPE_ATTACHMENT_DESCRIPTION_2,
      .format = kinds[i].format,
      .samples = kinds[i].samples,
      .loadOp = load_op (self, i),
      .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
      .stencilLoadOp = load_op (self, i),
      .stencilStoreOp = VK_ATTACHMENT_STORE_OP_STORE,
      .initialLayout = VK_IMAGE_LAYOUT_GENERAL,
      .finalLayout = VK_IMAGE_LAYOUT_GENERAL,
    };
  vtr_app_check (vkCreateRenderPass2 (self->scene.gpu.device, &info, NULL, &self->pass),
                 "vkCreateRenderPass2");
  VTR_APP_KEEP (&self->scene, RENDER_PASS, self->pass);
}

static VkImageUsageFlags
usage_of (uint32_t i)
{
  VkImageUsageFlags usage = i == DEPTH ? VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT
                                       : VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;

  return i <= SECOND ? usage | VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT : usage;
}

static void
make_framebuffer (Subpasses *self)
{
  VkImageView views[N];
  VkFramebufferAttachmentImageInfo images[N];
  const VkFramebufferAttachmentsCreateInfo imageless = {
    .sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_ATTACHMENTS_CREATE_INFO,
    .attachmentImageInfoCount = N,
    .pAttachmentImageInfos = images,
  };
  const VkFramebufferCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
    .pNext = self->second ? &imageless : NULL,
    .flags = self->second ? VK_FRAMEBUFFER_CREATE_IMAGELESS_BIT : 0,
    .renderPass = self->pass,
    .attachmentCount = N,
    .pAttachments = self->second ? NULL : views,
    .width = WIDTH,
    .height = HEIGHT,
    .layers = 1,
  };

  for (uint32_t i = 0; i < N; i++)
    {
      views[i] = self->pictures[i]->view;
      images[i] = (VkFramebufferAttachmentImageInfo){
        .sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_ATTACHMENT_IMAGE_INFO,
        .usage = usage_of (i) | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
                 (i == SAMPLED ? VK_IMAGE_USAGE_SAMPLED_BIT : 0),
        .width = WIDTH,
        .height = HEIGHT,
        .layerCount = 1,
        .viewFormatCount = 1,
        .pViewFormats = &kinds[i].format,
      };
    }
  vtr_app_check (vkCreateFramebuffer (self->scene.gpu.device, &info, NULL, &self->framebuffer),
                 "vkCreateFramebuffer");
  VTR_APP_KEEP (&self->scene, FRAMEBUFFER, self->framebuffer);
}

static void
make_set (Subpasses *self)
{
  const VkDevice device = self->scene.gpu.device;
  const VkDescriptorSetLayoutBinding bindings[] = {
    { 0, VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, 1, VK_SHADER_STAGE_FRAGMENT_BIT, NULL },
    { 1, VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, 1, VK_SHADER_STAGE_FRAGMENT_BIT, NULL },
  };
  const VkDescriptorSetLayoutCreateInfo set_info = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
    .bindingCount = 2,
    .pBindings = bindings,
  };
  const VkPushConstantRange range = { VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0,
                                      128 };
  const VkPipelineLayoutCreateInfo layout_info = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
    .setLayoutCount = 1,
    .pSetLayouts = &self->set_layout,
    .pushConstantRangeCount = 1,
    .pPushConstantRanges = &range,
  };
  const VkDescriptorPoolSize size = { VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, 2 };
  VkWriteDescriptorSet writes[2];
  VkDescriptorImageInfo images[2];
  VkDescriptorPool pool;

  vtr_app_check (vkCreateDescriptorSetLayout (device, &set_info, NULL, &self->set_layout),
                 "vkCreateDescriptorSetLayout");
  VTR_APP_KEEP (&self->scene, DESCRIPTOR_SET_LAYOUT, self->set_layout);
  vtr_app_check (vkCreatePipelineLayout (device, &layout_info, NULL, &self->input_layout),
                 "vkCreatePipelineLayout");
  VTR_APP_KEEP (&self->scene, PIPELINE_LAYOUT, self->input_layout);
  self->set = vtr_app_set (&self->scene.gpu, self->set_layout, 1, &size, &pool);
  VTR_APP_KEEP (&self->scene, DESCRIPTOR_POOL, pool);
  for (uint32_t i = 0; i < 2; i++)
    {
      images[i] = (VkDescriptorImageInfo){
        .imageView = self->pictures[i]->view,
        .imageLayout = self->second && i == 0 ? VK_IMAGE_LAYOUT_GENERAL
                                              : VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
      };
      writes[i] = (VkWriteDescriptorSet){
        .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
        .dstSet = self->set,
        .dstBinding = i,
        .descriptorCount = 1,
        .descriptorType = VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT,
        .pImageInfo = &images[i],
      };
    }
  vkUpdateDescriptorSets (device, 2, writes, 0, NULL);
}

static void
make_pipelines (Subpasses *self)
{
  const VkStencilOpState stencil = { .passOp = VK_STENCIL_OP_INCREMENT_AND_WRAP,
                                     .compareOp = VK_COMPARE_OP_ALWAYS,
                                     .compareMask = 0xff,
                                     .writeMask = 0xff };
  const VtrAppPipelineInfo infos[] = {
    { .n_colors = 2,
      .depth_test = true,
      .stencil_test = true,
      .front = stencil,
      .back = stencil },
    { .n_colors = 1,
      .fragment =
        vtr_app_scene_shader (&self->scene, pictures_input_frag, sizeof pictures_input_frag),
      .layout = self->input_layout },
    { .n_colors = 1, .samples = VK_SAMPLE_COUNT_4_BIT },
  };

  for (uint32_t i = 0; i < self->n_subpasses; i++)
    {
      VtrAppPipelineInfo info = infos[i];

      info.pass = self->pass;
      info.subpass = i;
      self->pipelines[i] = vtr_app_pipeline (&self->scene, &info);
    }
}

static void
begin (Subpasses       *self,
       VkCommandBuffer  commands)
{
  const VkClearValue clears[N] = {
    [FIRST] = { .color = { .float32 = { 0.9f, 0.1f, 0.4f, 1 } } },
    [DEPTH] = { .depthStencil = { 0.95f, 0x40 } },
    [MIXED] = { .color = { .float32 = { 0.3f, 0.3f, 0.1f, 1 } } },
    [SAMPLED] = { .color = { .float32 = { 0, 0.6f, 0.2f, 1 } } },
  };
  VkImageView views[N];
  const VkRenderPassAttachmentBeginInfo attachments = {
    .sType = VK_STRUCTURE_TYPE_RENDER_PASS_ATTACHMENT_BEGIN_INFO,
    .attachmentCount = N,
    .pAttachments = views,
  };
  const VkRenderPassBeginInfo info = {
    .sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
    .pNext = self->second ? &attachments : NULL,
    .renderPass = self->pass,
    .framebuffer = self->framebuffer,
    .renderArea = { { 0, 0 }, { WIDTH, HEIGHT } },
    .clearValueCount = N,
    .pClearValues = clears,
  };

  for (uint32_t i = 0; i < N; i++)
    views[i] = self->pictures[i]->view;
  vtr_app_barrier (commands);
  vkCmdBeginRenderPass (commands, &info, VK_SUBPASS_CONTENTS_INLINE);
  vtr_app_viewport (commands, WIDTH, HEIGHT);
}

/* A draw after each of @n checkpoints. */
static void
draw (Subpasses       *self,
      VkCommandBuffer  commands,
      uint32_t         subpass,
      uint32_t         n)
{
  vkCmdBindPipeline (commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->pipelines[subpass]);
  if (subpass == 1)
    vkCmdBindDescriptorSets (commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->input_layout, 0, 1,
                             &self->set, 0, NULL);
  for (uint32_t i = 0; i < n && !vtr_app_scene_check (&self->scene, commands); i++)
    vtr_app_triangle (&self->scene, commands, -0.9f + 0.3f * (float)i,
                      -0.8f + 0.2f * (float)subpass,
                      1.3f, 0.7f - 0.2f * (float)i, 1 + subpass * 3 + i);
}

static void
record (Subpasses       *self,
        VkCommandBuffer  commands)
{
  static const uint32_t n_draws[N_SUBPASSES] = { 3, 2, 3 };
  VtrAppScene *scene = &self->scene;

  for (uint32_t i = 0; i < N; i++)
    vtr_app_picture_clear (commands, self->pictures[i], 0.125f * (float)(i + 1));
  if (vtr_app_scene_check (scene, commands))
    return;
  begin (self, commands);
  for (uint32_t i = 0; i < self->n_subpasses && !scene->stopped; i++)
    {
      if (i > 0)
        vkCmdNextSubpass (commands, VK_SUBPASS_CONTENTS_INLINE);
      draw (self, commands, i, n_draws[i]);
    }
  vkCmdEndRenderPass (commands);
  vtr_app_scene_check (scene, commands);
}

int
main (int    argc,
      char **argv)
{
  Subpasses self = { 0 };
  const VtrAppOption options[] = {
    { "--second", NULL, NULL, &self.second, "use vkCreateRenderPass2, and no images in the "
                                            "framebuffer" },
    { 0 },
  };
  VkPhysicalDeviceVulkan12Features features12 = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
    .imagelessFramebuffer = VK_TRUE,
  };
  const VkPhysicalDeviceFeatures2 features = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
    .pNext = &features12,
  };
  VkCommandBuffer commands;

  vtr_app_scene_init (&self.scene, argc, argv, options, &features);
  self.n_subpasses = count_subpasses (&self);
  for (uint32_t i = 0; i < N; i++)
    self.pictures[i] = vtr_app_picture (&self.scene, &(VtrAppPictureInfo){
                                                       .name = kinds[i].name,
                                                       .format = kinds[i].format,
                                                       .extent = { WIDTH, HEIGHT, 1 },
                                                       .samples = kinds[i].samples,
                                                       .usage = usage_of (i) });
  if (self.second)
    make_pass (&self);
  else
    make_old_pass (&self);
  make_framebuffer (&self);
  make_set (&self);
  make_pipelines (&self);
  commands = vtr_app_scene_begin (&self.scene);
  record (&self, commands);
  vtr_app_scene_submit (&self.scene, commands);
  vtr_app_scene_finish (&self.scene);

  return 0;
}
