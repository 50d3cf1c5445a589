/* vtr-app-demo-layouts: images that stay in special layouts from frame to frame: drawn to and read
 * at once, depth and stencil in different layouts, each level and layer in its own, some never
 * used; and several samples drawn to an image with one. */
#include "vtr-app-demo.h"

#include "demo_layouts_frag.h"

#include <string.h>

#define LOOP_WIDTH 16u
#define LOOP_HEIGHT 12u

/* Apart from the demo's pictures: those have one layout. */
typedef struct
{
  VkImage image;
  VkDeviceMemory memory;
  VkImageView view;
} Own;

typedef struct
{
  VtrAppDemo demo;
  Own loop, depths, levels;
  VkPipeline looping, reading, tested, sampled;
  VkPipelineLayout layout;
  VkDescriptorSet set;
  VtrAppPicture *single;
} Layouts;

static Own
make_own (Layouts           *self,
          VkFormat           format,
          uint32_t           size,
          uint32_t           height,
          uint32_t           mips,
          uint32_t           layers,
          VkImageUsageFlags  usage)
{
  const VkDevice device = self->demo.scene.gpu.device;
  const VkImageCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
    .imageType = VK_IMAGE_TYPE_2D,
    .format = format,
    .extent = { size, height, 1 },
    .mipLevels = mips,
    .arrayLayers = layers,
    .samples = VK_SAMPLE_COUNT_1_BIT,
    .usage = usage | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
  };
  VkImageViewCreateInfo view = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
    .viewType = VK_IMAGE_VIEW_TYPE_2D,
    .format = format,
    .subresourceRange = { vtr_app_aspects (format), 0, 1, 0, 1 },
  };
  VkMemoryRequirements requirements;
  Own own;

  vtr_app_check (vkCreateImage (device, &info, NULL, &own.image), "vkCreateImage");
  vkGetImageMemoryRequirements (device, own.image, &requirements);
  own.memory = vtr_app_allocate (&self->demo.scene.gpu, &requirements,
                                 VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
  vtr_app_check (vkBindImageMemory (device, own.image, own.memory, 0), "vkBindImageMemory");
  view.image = own.image;
  vtr_app_check (vkCreateImageView (device, &view, NULL, &own.view), "vkCreateImageView");
  VTR_APP_KEEP (&self->demo.scene, IMAGE_VIEW, own.view);
  return own;
}

static void
change_layout (Layouts            *self,
               const Own          *own,
               VkImageAspectFlags  aspect,
               uint32_t            mip,
               uint32_t            layer,
               VkImageLayout       from,
               VkImageLayout       to)
{
  const VkImageMemoryBarrier barrier = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
    .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
    .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
    .oldLayout = from,
    .newLayout = to,
    .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
    .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
    .image = own->image,
    .subresourceRange = { aspect, mip, 1, layer, 1 },
  };

  vkCmdPipelineBarrier (self->demo.commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                        VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1, &barrier);
}

/* Cleared, and then in @layout. */
static void
fill (Layouts       *self,
      const Own     *own,
      uint32_t       mip,
      uint32_t       layer,
      float          value,
      VkImageLayout  layout)
{
  const VkClearColorValue color = { .float32 = { value, 1 - value, 0.5f, 1 } };
  const VkImageSubresourceRange range = { VK_IMAGE_ASPECT_COLOR_BIT, mip, 1, layer, 1 };

  change_layout (self, own, VK_IMAGE_ASPECT_COLOR_BIT, mip, layer, VK_IMAGE_LAYOUT_UNDEFINED,
                 VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
  vkCmdClearColorImage (self->demo.commands, own->image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                        &color, 1, &range);
  change_layout (self, own, VK_IMAGE_ASPECT_COLOR_BIT, mip, layer,
                 VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, layout);
}

static void
fill_depths (Layouts *self)
{
  const VkClearDepthStencilValue value = { 0.6f, 7 };
  const VkImageAspectFlags both = VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT;
  const VkImageSubresourceRange range = { both, 0, 1, 0, 1 };

  change_layout (self, &self->depths, both, 0, 0, VK_IMAGE_LAYOUT_UNDEFINED,
                 VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
  vkCmdClearDepthStencilImage (self->demo.commands, self->depths.image,
                               VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, &value, 1, &range);
  change_layout (self, &self->depths, VK_IMAGE_ASPECT_DEPTH_BIT, 0, 0,
                 VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL);
  change_layout (self, &self->depths, VK_IMAGE_ASPECT_STENCIL_BIT, 0, 0,
                 VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_STENCIL_ATTACHMENT_OPTIMAL);
}

static void
make_images (Layouts *self)
{
  VtrAppDemo *demo = &self->demo;

  self->loop = make_own (self, VTR_APP_DEMO_FORMAT, LOOP_WIDTH, LOOP_HEIGHT, 1, 1,
                         VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT |
                           VK_IMAGE_USAGE_ATTACHMENT_FEEDBACK_LOOP_BIT_EXT);
  self->depths =
    make_own (self, VK_FORMAT_D32_SFLOAT_S8_UINT, VTR_APP_DEMO_WIDTH, VTR_APP_DEMO_HEIGHT, 1, 1,
              VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT);
  self->levels =
    make_own (self, VTR_APP_DEMO_FORMAT, 16, 16, 4, 2, VK_IMAGE_USAGE_SAMPLED_BIT);
  fill (self, &self->loop, 0, 0, 0.25f, VK_IMAGE_LAYOUT_ATTACHMENT_FEEDBACK_LOOP_OPTIMAL_EXT);
  fill_depths (self);
  /* The other levels and layers are never used. */
  fill (self, &self->levels, 0, 0, 0.5f, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
  fill (self, &self->levels, 1, 0, 0.75f, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
  fill (self, &self->levels, 2, 1, 1, VK_IMAGE_LAYOUT_GENERAL);
  fill (self, &self->levels, 0, 1, 0.125f, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
  self->single = vtr_app_picture (
    &demo->scene,
    &(VtrAppPictureInfo){
      .name = "single",
      .format = VTR_APP_DEMO_FORMAT,
      .extent = { 40, 30, 1 },
      .flags = VK_IMAGE_CREATE_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_BIT_EXT,
      .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT });
  vtr_app_picture_clear (demo->commands, self->single, 0.5f);
}

static void
make_set (Layouts *self)
{
  VtrAppDemo *demo = &self->demo;
  const VkDescriptorSetLayoutBinding bindings[] = {
    { 0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, VK_SHADER_STAGE_FRAGMENT_BIT, NULL },
    { 1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, VK_SHADER_STAGE_FRAGMENT_BIT, NULL },
  };
  const VkSampler sampler = vtr_app_demo_sampler (demo, NULL);
  const VkDescriptorImageInfo images[] = {
    { sampler, self->loop.view, VK_IMAGE_LAYOUT_ATTACHMENT_FEEDBACK_LOOP_OPTIMAL_EXT },
    { sampler, self->levels.view, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL },
  };
  const VkDescriptorSetLayout layout = vtr_app_demo_set_layout (demo, bindings, 2, 0, NULL);
  VkWriteDescriptorSet write = { .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                 .descriptorCount = 1,
                                 .descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER };

  self->layout = vtr_app_demo_layout (demo, layout,
                                      VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT);
  self->set = write.dstSet = vtr_app_demo_set (demo, layout, bindings, 2, 0, NULL);
  for (uint32_t i = 0; i < 2; i++)
    {
      write.dstBinding = i;
      write.pImageInfo = &images[i];
      vkUpdateDescriptorSets (demo->scene.gpu.device, 1, &write, 0, NULL);
    }
}

static void
change (VkGraphicsPipelineCreateInfo *create,
        void                         *data)
{
  if (data != NULL)
    create->flags |= VK_PIPELINE_CREATE_COLOR_ATTACHMENT_FEEDBACK_LOOP_BIT_EXT;
}

static void
start (VtrAppDemo *demo)
{
  const VkFormat format = VTR_APP_DEMO_FORMAT;
  Layouts *self = (Layouts *)demo;
  const VkStencilOpState counting = { .failOp = VK_STENCIL_OP_INVERT,
                                      .passOp = VK_STENCIL_OP_INCREMENT_AND_WRAP,
                                      .depthFailOp = VK_STENCIL_OP_DECREMENT_AND_WRAP,
                                      .compareOp = VK_COMPARE_OP_LESS_OR_EQUAL,
                                      .compareMask = 0xf,
                                      .writeMask = 0xff };
  VtrAppPipelineInfo info = { .n_colors = 1, .formats = &format };

  make_images (self);
  make_set (self);
  info.samples = VK_SAMPLE_COUNT_4_BIT;
  self->sampled = vtr_app_pipeline (&demo->scene, &info);
  info.samples = VK_SAMPLE_COUNT_1_BIT;
  info.fragment =
    vtr_app_scene_shader (&demo->scene, demo_layouts_frag, sizeof demo_layouts_frag);
  info.layout = self->layout;
  info.change = change;
  self->reading = vtr_app_pipeline (&demo->scene, &info);
  info.data = self;
  self->looping = vtr_app_pipeline (&demo->scene, &info);
  info.data = NULL;
  info.depth = VK_FORMAT_D32_SFLOAT_S8_UINT;
  info.depth_test = info.stencil_test = true;
  info.front = info.back = counting;
  self->tested = vtr_app_pipeline (&demo->scene, &info);
}

/* --- Frames ---------------------------------------------------------------------------------- */

static void
bind (Layouts    *self,
      VkPipeline  pipeline)
{
  vkCmdBindPipeline (self->demo.commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
  vkCmdBindDescriptorSets (self->demo.commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->layout, 0,
                           1, &self->set, 0, NULL);
}

/* Each texel of the triangle becomes something of itself. */
static void
draw_loop (Layouts *self)
{
  VtrAppDemo *demo = &self->demo;
  const VkRenderingAttachmentInfo attachment = {
    .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
    .imageView = self->loop.view,
    .imageLayout = VK_IMAGE_LAYOUT_ATTACHMENT_FEEDBACK_LOOP_OPTIMAL_EXT,
    .loadOp = VK_ATTACHMENT_LOAD_OP_LOAD,
    .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
  };
  const VkRenderingInfo info = {
    .sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
    .renderArea = { { 0, 0 }, { LOOP_WIDTH, LOOP_HEIGHT } },
    .layerCount = 1,
    .colorAttachmentCount = 1,
    .pColorAttachments = &attachment,
  };

  vtr_app_barrier (demo->commands);
  vkCmdBeginRendering (demo->commands, &info);
  vtr_app_viewport (demo->commands, LOOP_WIDTH, LOOP_HEIGHT);
  bind (self, self->looping);
  vtr_app_demo_triangle (demo, 2);
  vkCmdEndRendering (demo->commands);
}

/* With depth and stencil, each in a layout of its own. */
static void
draw_tested (Layouts *self)
{
  VtrAppDemo *demo = &self->demo;
  const VkRenderingAttachmentInfo color = {
    .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
    .imageView = demo->color->view,
    .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
    .loadOp = VK_ATTACHMENT_LOAD_OP_LOAD,
    .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
  };
  VkRenderingAttachmentInfo depth = color, stencil;
  const VkRenderingInfo info = {
    .sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
    .renderArea = { { 0, 0 }, { VTR_APP_DEMO_WIDTH, VTR_APP_DEMO_HEIGHT } },
    .layerCount = 1,
    .colorAttachmentCount = 1,
    .pColorAttachments = &color,
    .pDepthAttachment = &depth,
    .pStencilAttachment = &stencil,
  };

  depth.imageView = self->depths.view;
  depth.imageLayout = VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL;
  stencil = depth;
  stencil.imageLayout = VK_IMAGE_LAYOUT_STENCIL_ATTACHMENT_OPTIMAL;
  vtr_app_barrier (demo->commands);
  vkCmdBeginRendering (demo->commands, &info);
  vtr_app_viewport (demo->commands, VTR_APP_DEMO_WIDTH, VTR_APP_DEMO_HEIGHT);
  vkCmdSetStencilReference (demo->commands, VK_STENCIL_FACE_FRONT_AND_BACK, 6);
  bind (self, self->tested);
  vtr_app_demo_triangle (demo, 1);
  vtr_app_demo_check (demo);
  vtr_app_demo_triangle (demo, 3);
  vkCmdEndRendering (demo->commands);
}

static void
draw_single (Layouts *self)
{
  VtrAppDemo *demo = &self->demo;
  const VkMultisampledRenderToSingleSampledInfoEXT samples = {
    .sType = VK_STRUCTURE_TYPE_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_INFO_EXT,
    .multisampledRenderToSingleSampledEnable = VK_TRUE,
    .rasterizationSamples = VK_SAMPLE_COUNT_4_BIT,
  };
  const VkRenderingAttachmentInfo attachment = {
    .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
    .imageView = self->single->view,
    .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
    .loadOp = VK_ATTACHMENT_LOAD_OP_LOAD,
    .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
  };
  const VkRenderingInfo info = {
    .sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
    .pNext = &samples,
    .renderArea = { { 0, 0 }, { 40, 30 } },
    .layerCount = 1,
    .colorAttachmentCount = 1,
    .pColorAttachments = &attachment,
  };

  vtr_app_barrier (demo->commands);
  vkCmdBeginRendering (demo->commands, &info);
  vtr_app_viewport (demo->commands, 40, 30);
  vkCmdBindPipeline (demo->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->sampled);
  vtr_app_demo_triangle (demo, 4);
  vtr_app_demo_triangle (demo, 6);
  vkCmdEndRendering (demo->commands);
}

/* One level, as it is, and all samples of the other. */
static void
show (Layouts *self)
{
  VtrAppDemo *demo = &self->demo;
  VkImageCopy region = {
    .srcSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 1, 0, 1 },
    .dstSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
    .dstOffset = { 4 + 7 * (int32_t)(demo->frame % 7), 38, 0 },
    .extent = { 8, 8, 1 },
  };

  vtr_app_barrier (demo->commands);
  vkCmdCopyImage (demo->commands, self->levels.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                  demo->color->image, VK_IMAGE_LAYOUT_GENERAL, 1, &region);
  region.srcSubresource.mipLevel = 0;
  region.srcOffset = (VkOffset3D){ 8, 6, 0 };
  region.dstOffset = (VkOffset3D){ 36, 2, 0 };
  region.extent = (VkExtent3D){ 24, 16, 1 };
  vkCmdCopyImage (demo->commands, self->single->image, VK_IMAGE_LAYOUT_GENERAL,
                  demo->color->image, VK_IMAGE_LAYOUT_GENERAL, 1, &region);
}

static void
draw (VtrAppDemo *demo)
{
  Layouts *self = (Layouts *)demo;

  draw_loop (self);
  draw_tested (self);
  if (demo->scene.stopped)
    return;
  draw_single (self);
  show (self);
  vtr_app_demo_render_to (demo, 1, &demo->color, NULL, false);
  bind (self, self->reading);
  vtr_app_demo_triangle (demo, 12);
  vtr_app_demo_end_rendering (demo);
  vtr_app_demo_check (demo);
}

static void
finish (VtrAppDemo *demo)
{
  Layouts *self = (Layouts *)demo;
  const Own *all[] = { &self->loop, &self->depths, &self->levels };

  for (uint32_t i = 0; i < 3; i++)
    {
      vkDestroyImage (demo->scene.gpu.device, all[i]->image, NULL);
      vkFreeMemory (demo->scene.gpu.device, all[i]->memory, NULL);
    }
}

int
main (int    argc,
      char **argv)
{
  static const char *const extensions[] = {
    VK_EXT_ATTACHMENT_FEEDBACK_LOOP_LAYOUT_EXTENSION_NAME,
    VK_EXT_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_EXTENSION_NAME, NULL
  };
  static const VkPhysicalDeviceAttachmentFeedbackLoopLayoutFeaturesEXT loop = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ATTACHMENT_FEEDBACK_LOOP_LAYOUT_FEATURES_EXT,
    .attachmentFeedbackLoopLayout = VK_TRUE,
  };
  static const VkPhysicalDeviceMultisampledRenderToSingleSampledFeaturesEXT single = {
    .sType =
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_FEATURES_EXT,
    .multisampledRenderToSingleSampled = VK_TRUE,
  };
  Layouts self = { 0 };

  return vtr_app_demo_run (
    &self.demo,
    &(VtrAppDemoInfo){ .what = "layouts of all kinds",
                       .extensions = extensions,
                       .features12 = { .separateDepthStencilLayouts = VK_TRUE },
                       .more = { { &loop, sizeof loop }, { &single, sizeof single } },
                       .start = start,
                       .draw = draw,
                       .finish = finish },
    argc, argv);
}
