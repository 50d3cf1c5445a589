/* vtr-app-demo-latest: the additions of VK_KHR_maintenance10, VK_KHR_maintenance11 and
 * VK_KHR_unified_image_layouts: renderings with structures for their end and attachments, copies
 * that resolve depth, sample masks that are left out, images of one layer that shaders read as
 * arrays. */
#include "vtr-app-demo.h"

#include <stdio.h>

#if defined VK_KHR_maintenance10 && defined VK_KHR_maintenance11 && \
  defined VK_KHR_unified_image_layouts

typedef struct
{
  VtrAppDemo demo;
  VkPipeline pipeline;             /* .SAMPLE_MASK is dynamic */
  VtrAppPicture *samples, *depths; /* of the same size; the first has four samples */
  PFN_vkCmdEndRendering2KHR end_rendering;
  PFN_vkCmdSetSampleMaskEXT set_mask;
} Latest;

static void
change (VkGraphicsPipelineCreateInfo *create,
        void                         *data)
{
  static const VkDynamicState states[] = { VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR,
                                           VK_DYNAMIC_STATE_SAMPLE_MASK_EXT };
  static const VkPipelineDynamicStateCreateInfo dynamic = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO,
    .dynamicStateCount = 3,
    .pDynamicStates = states,
  };

  (void)data;
  create->pDynamicState = &dynamic;
}

static void
start (VtrAppDemo *demo)
{
  Latest *self = (Latest *)demo;
  VtrAppPictureInfo picture = { .name = "samples",
                                .format = VK_FORMAT_D32_SFLOAT,
                                .samples = VK_SAMPLE_COUNT_4_BIT,
                                .extent = { 8, 8, 1 },
                                .usage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT };

  self->end_rendering = VTR_APP_NEED (demo, vkCmdEndRendering2KHR);
  self->set_mask = VTR_APP_NEED (demo, vkCmdSetSampleMaskEXT);
  self->pipeline = vtr_app_demo_pipeline (demo, change, self);
  self->samples = vtr_app_picture (&demo->scene, &picture);
  picture.name = "depths";
  picture.samples = VK_SAMPLE_COUNT_1_BIT;
  picture.flags = VK_IMAGE_CREATE_ALIAS_SINGLE_LAYER_DESCRIPTOR_BIT_KHR;
  self->depths = vtr_app_picture (&demo->scene, &picture);
  vtr_app_picture_clear (demo->commands, self->depths, 0.5f);
}

/* A part of the depths of this frame. */
static void
resolve (Latest *self)
{
  const int32_t at = (int32_t)self->demo.frame % 4;
  const VkImageResolve2 region = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_RESOLVE_2,
    .srcSubresource = { VK_IMAGE_ASPECT_DEPTH_BIT, 0, 0, 1 },
    .srcOffset = { at, 0, 0 },
    .dstSubresource = { VK_IMAGE_ASPECT_DEPTH_BIT, 0, 0, 1 },
    .dstOffset = { at, at, 0 },
    .extent = { 4, 4, 1 },
  };
  const VkResolveImageModeInfoKHR mode = {
    .sType = VK_STRUCTURE_TYPE_RESOLVE_IMAGE_MODE_INFO_KHR,
    .resolveMode = VK_RESOLVE_MODE_SAMPLE_ZERO_BIT,
  };
  const VkResolveImageInfo2 info = {
    .sType = VK_STRUCTURE_TYPE_RESOLVE_IMAGE_INFO_2,
    .pNext = &mode,
    .srcImage = self->samples->image,
    .srcImageLayout = VK_IMAGE_LAYOUT_GENERAL,
    .dstImage = self->depths->image,
    .dstImageLayout = VK_IMAGE_LAYOUT_GENERAL,
    .regionCount = 1,
    .pRegions = &region,
  };

  vtr_app_picture_clear (self->demo.commands, self->samples, 0.125f * (float)(at + 1));
  vtr_app_barrier (self->demo.commands);
  vkCmdResolveImage2 (self->demo.commands, &info);
  vtr_app_barrier (self->demo.commands);
}

static void
begin_rendering (Latest *self)
{
  const VkAttachmentFeedbackLoopInfoEXT loop = {
    .sType = VK_STRUCTURE_TYPE_ATTACHMENT_FEEDBACK_LOOP_INFO_EXT,
  };
  const VkRenderingAttachmentFlagsInfoKHR flags = {
    .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_FLAGS_INFO_KHR,
    .pNext = &loop,
  };
  const VkRenderingAttachmentInfo color = {
    .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
    .pNext = &flags,
    .imageView = self->demo.color->view,
    .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
    .loadOp = VK_ATTACHMENT_LOAD_OP_LOAD,
    .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
  };
  const VkRenderingInfo info = {
    .sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
    .renderArea = { { 0, 0 }, { VTR_APP_DEMO_WIDTH, VTR_APP_DEMO_HEIGHT } },
    .layerCount = 1,
    .colorAttachmentCount = 1,
    .pColorAttachments = &color,
  };

  vkCmdBeginRendering (self->demo.commands, &info);
}

static void
draw (VtrAppDemo *demo)
{
  Latest *self = (Latest *)demo;
  const VkSampleMask none = 0;
  const VkRenderingEndInfoKHR end = { .sType = VK_STRUCTURE_TYPE_RENDERING_END_INFO_KHR };

  resolve (self);
  if (!vtr_app_demo_check (demo))
    return;
  begin_rendering (self);
  vtr_app_viewport (demo->commands, VTR_APP_DEMO_WIDTH, VTR_APP_DEMO_HEIGHT);
  vkCmdBindPipeline (demo->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->pipeline);
  self->set_mask (demo->commands, VK_SAMPLE_COUNT_1_BIT, NULL);
  vtr_app_demo_triangle (demo, 1 + demo->frame);
  vtr_app_demo_check (demo);
  /* Without this triangle. */
  self->set_mask (demo->commands, VK_SAMPLE_COUNT_1_BIT, &none);
  vtr_app_demo_triangle (demo, 5);
  vtr_app_demo_check (demo);
  self->end_rendering (demo->commands, &end);
  vtr_app_barrier (demo->commands);
  if (demo->scene.stopped)
    return;
  begin_rendering (self);
  self->set_mask (demo->commands, VK_SAMPLE_COUNT_1_BIT, NULL);
  vtr_app_demo_triangle (demo, 4 + demo->frame);
  vtr_app_demo_check (demo);
  self->end_rendering (demo->commands, NULL);
}

int
main (int    argc,
      char **argv)
{
  static const char *const extensions[] = {
    VK_KHR_MAINTENANCE_10_EXTENSION_NAME, VK_KHR_MAINTENANCE_11_EXTENSION_NAME,
    VK_KHR_UNIFIED_IMAGE_LAYOUTS_EXTENSION_NAME, VK_EXT_EXTENDED_DYNAMIC_STATE_3_EXTENSION_NAME,
    VK_EXT_ATTACHMENT_FEEDBACK_LOOP_LAYOUT_EXTENSION_NAME, NULL
  };
  static const VkPhysicalDeviceMaintenance10FeaturesKHR tenth = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_10_FEATURES_KHR,
    .maintenance10 = VK_TRUE,
  };
  static const VkPhysicalDeviceMaintenance11FeaturesKHR eleventh = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_11_FEATURES_KHR,
    .maintenance11 = VK_TRUE,
  };
  static const VkPhysicalDeviceUnifiedImageLayoutsFeaturesKHR layouts = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_UNIFIED_IMAGE_LAYOUTS_FEATURES_KHR,
    .unifiedImageLayouts = VK_TRUE,
  };
  static const VkPhysicalDeviceExtendedDynamicState3FeaturesEXT states = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTENDED_DYNAMIC_STATE_3_FEATURES_EXT,
    .extendedDynamicState3SampleMask = VK_TRUE,
  };
  static const VkPhysicalDeviceAttachmentFeedbackLoopLayoutFeaturesEXT loops = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ATTACHMENT_FEEDBACK_LOOP_LAYOUT_FEATURES_EXT,
    .attachmentFeedbackLoopLayout = VK_TRUE,
  };
  Latest self = { 0 };

  return vtr_app_demo_run (&self.demo,
                           &(VtrAppDemoInfo){ .what = "maintenance10 and 11, unified layouts",
                                              .extensions = extensions,
                                              .more = { { &tenth, sizeof tenth },
                                                        { &eleventh, sizeof eleventh },
                                                        { &layouts, sizeof layouts },
                                                        { &states, sizeof states },
                                                        { &loops, sizeof loops } },
                                              .start = start,
                                              .draw = draw },
                           argc, argv);
}

#else

int
main (void)
{
  puts ("The Vulkan headers that this was built with do not know VK_KHR_maintenance10 and 11.");
  return VTR_APP_SKIPPED;
}

#endif
