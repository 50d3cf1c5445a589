/* vtr-app-demo-depths: depth bias with slope and clamp, clamping instead of clipping, clipping
 * turned off, depth from -1 to 1, stencil operations with masks of two faces, in every format of
 * depth; several samples, resolved where the pass ends.
 */
#include "vtr-app-demo.h"

#include <string.h>

#define N_FORMATS 4u
#define N 5u /* pipelines of a format */

static const VkFormat formats[N_FORMATS] = { VK_FORMAT_D16_UNORM, VK_FORMAT_X8_D24_UNORM_PACK32,
                                             VK_FORMAT_D32_SFLOAT, VK_FORMAT_D32_SFLOAT_S8_UINT };

typedef struct
{
  VtrAppDemo demo;
  VtrAppPicture *depths[N_FORMATS];
  VkPipeline pipelines[N_FORMATS][N];
  VtrAppPicture *samples, *resolved[3];
  VkPipeline sampled;
} Depths;

static void
change (VkGraphicsPipelineCreateInfo *create,
        void                         *data)
{
  static const VkPipelineRasterizationDepthClipStateCreateInfoEXT unclipped = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_DEPTH_CLIP_STATE_CREATE_INFO_EXT,
    .depthClipEnable = VK_FALSE,
  };
  static const VkPipelineViewportDepthClipControlCreateInfoEXT both_sides = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_DEPTH_CLIP_CONTROL_CREATE_INFO_EXT,
    .negativeOneToOne = VK_TRUE,
  };
  static VkDynamicState states[4];
  const uint32_t nth = *(const uint32_t *)data;
  VkPipelineRasterizationStateCreateInfo *raster =
    (VkPipelineRasterizationStateCreateInfo *)create->pRasterizationState;
  VkPipelineDynamicStateCreateInfo *dynamic =
    (VkPipelineDynamicStateCreateInfo *)create->pDynamicState;
  VkPipelineDepthStencilStateCreateInfo *depth =
    (VkPipelineDepthStencilStateCreateInfo *)create->pDepthStencilState;

  raster->depthBiasEnable = nth == 1 || nth == 4;
  raster->depthBiasConstantFactor = 40;
  raster->depthBiasSlopeFactor = -1.5f;
  raster->depthBiasClamp = 0.01f;
  raster->depthClampEnable = nth == 2;
  if (nth == 3)
    raster->pNext = &unclipped;
  if (nth == 0)
    ((VkPipelineViewportStateCreateInfo *)create->pViewportState)->pNext = &both_sides;
  memcpy (states, dynamic->pDynamicStates, 3 * sizeof states[0]);
  states[3] = VK_DYNAMIC_STATE_DEPTH_BIAS;
  dynamic->pDynamicStates = states;
  dynamic->dynamicStateCount = nth == 4 ? 4 : 3;
  depth->depthCompareOp = (VkCompareOp[]){ VK_COMPARE_OP_LESS, VK_COMPARE_OP_GREATER_OR_EQUAL,
                                           VK_COMPARE_OP_ALWAYS, VK_COMPARE_OP_NOT_EQUAL,
                                           VK_COMPARE_OP_LESS_OR_EQUAL }[nth];
  depth->front = (VkStencilOpState){ VK_STENCIL_OP_INVERT,
                                     VK_STENCIL_OP_INCREMENT_AND_WRAP,
                                     VK_STENCIL_OP_DECREMENT_AND_CLAMP,
                                     VK_COMPARE_OP_NOT_EQUAL,
                                     0x3f,
                                     0xf0 >> (nth % 2),
                                     5 };
  depth->back = depth->front;
  depth->back.passOp = VK_STENCIL_OP_REPLACE;
}

static void
make_samples (Depths *self)
{
  static const char *const names[] = { "first", "second", "third" };
  VtrAppDemo *demo = &self->demo;
  VtrAppPictureInfo info = { .name = "samples",
                             .format = VK_FORMAT_D32_SFLOAT_S8_UINT,
                             .extent = { VTR_APP_DEMO_WIDTH, VTR_APP_DEMO_HEIGHT, 1 },
                             .samples = VK_SAMPLE_COUNT_4_BIT,
                             .usage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT };

  self->samples = vtr_app_picture (&demo->scene, &info);
  vtr_app_picture_clear (demo->commands, self->samples, 0.9f);
  info.samples = VK_SAMPLE_COUNT_1_BIT;
  for (uint32_t i = 0; i < 3; i++)
    {
      info.name = names[i];
      self->resolved[i] = vtr_app_picture (&demo->scene, &info);
      vtr_app_picture_clear (demo->commands, self->resolved[i], 0.1f);
    }
  self->sampled = vtr_app_pipeline (&demo->scene,
                                    &(VtrAppPipelineInfo){ .depth = info.format,
                                                           .samples = VK_SAMPLE_COUNT_4_BIT,
                                                           .depth_test = true,
                                                           .stencil_test = true,
                                                           .change = change,
                                                           .data = &(uint32_t){ 4 } });
}

static void
start (VtrAppDemo *demo)
{
  static const char *const names[] = { "d16", "d24", "d32", "d32s8" };
  const VkFormat color = VTR_APP_DEMO_FORMAT;
  Depths *self = (Depths *)demo;

  for (uint32_t i = 0; i < N_FORMATS; i++)
    {
      vtr_app_demo_need_format (demo, formats[i], VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT);
      self->depths[i] =
        vtr_app_picture (&demo->scene,
                         &(VtrAppPictureInfo){
                           .name = names[i],
                           .format = formats[i],
                           .extent = { VTR_APP_DEMO_WIDTH, VTR_APP_DEMO_HEIGHT, 1 },
                           .usage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT });
      vtr_app_picture_clear (demo->commands, self->depths[i], 0.6f);
      for (uint32_t j = 0; j < N; j++)
        self->pipelines[i][j] = vtr_app_pipeline (
          &demo->scene, &(VtrAppPipelineInfo){ .n_colors = 1,
                                               .formats = &color,
                                               .depth = formats[i],
                                               .depth_test = true,
                                               .stencil_test = i == 3,
                                               .change = change,
                                               .data = &j });
    }
  make_samples (self);
}

static void
render (Depths                    *self,
        VtrAppPicture             *depth,
        bool                       color,
        VkRenderingAttachmentInfo *more)
{
  VtrAppDemo *demo = &self->demo;
  const VkRenderingAttachmentInfo plain = {
    .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
    .imageView = demo->color->view,
    .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
    .loadOp = VK_ATTACHMENT_LOAD_OP_LOAD,
    .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
  };
  VkRenderingAttachmentInfo depths = more != NULL ? *more : plain;
  const VkRenderingInfo info = {
    .sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
    .renderArea = { { 0, 0 }, { VTR_APP_DEMO_WIDTH, VTR_APP_DEMO_HEIGHT } },
    .layerCount = 1,
    .colorAttachmentCount = color ? 1 : 0,
    .pColorAttachments = &plain,
    .pDepthAttachment = &depths,
    .pStencilAttachment = vtr_app_aspects (depth->info.format) & VK_IMAGE_ASPECT_STENCIL_BIT
                            ? &depths
                            : NULL,
  };

  depths.imageView = depth->view;
  vtr_app_barrier (demo->commands);
  vkCmdBeginRendering (demo->commands, &info);
  vtr_app_viewport (demo->commands, VTR_APP_DEMO_WIDTH, VTR_APP_DEMO_HEIGHT);
  vkCmdSetStencilReference (demo->commands, VK_STENCIL_FACE_FRONT_BIT, 0x25 + demo->frame);
  vkCmdSetStencilReference (demo->commands, VK_STENCIL_FACE_BACK_BIT, 0x91);
}

/* Slanted ones need depth by corner, so they are drawn at depths that differ. */
static void
triangle (Depths   *self,
          uint32_t  nth,
          float     size)
{
  VtrAppDemo *demo = &self->demo;

  if (!demo->scene.stopped)
    vtr_app_triangle (&demo->scene, demo->commands, -0.9f + 0.15f * (float)(nth % 8),
                      0.9f - 0.2f * (float)(nth % 5), size, -0.3f + 0.17f * (float)(nth % 9),
                      nth + demo->frame);
}

static void
resolve (Depths *self)
{
  VtrAppDemo *demo = &self->demo;

  for (uint32_t i = 0; i < 3 && !demo->scene.stopped; i++)
    {
      VkRenderingAttachmentInfo attachment = {
        .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
        .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
        .resolveMode = VK_RESOLVE_MODE_SAMPLE_ZERO_BIT, /* what every driver has */
        .resolveImageView = self->resolved[i]->view,
        .resolveImageLayout = VK_IMAGE_LAYOUT_GENERAL,
        .loadOp = VK_ATTACHMENT_LOAD_OP_LOAD,
        .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
      };

      render (self, self->samples, false, &attachment);
      vkCmdBindPipeline (demo->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->sampled);
      vkCmdSetDepthBias (demo->commands, -20.0f * (float)i, 0.05f, 0.75f);
      triangle (self, 3 + i, -0.7f);
      triangle (self, 5 + i, 0.9f);
      vtr_app_demo_end_rendering (demo);
      if (i == 1)
        vtr_app_demo_check (demo);
    }
}

static void
draw (VtrAppDemo *demo)
{
  Depths *self = (Depths *)demo;

  for (uint32_t i = 0; i < N_FORMATS && !demo->scene.stopped; i++)
    {
      render (self, self->depths[i], true, NULL);
      for (uint32_t j = 0; j < N; j++)
        {
          vkCmdBindPipeline (demo->commands, VK_PIPELINE_BIND_POINT_GRAPHICS,
                             self->pipelines[i][j]);
          if (j == 4)
            vkCmdSetDepthBias (demo->commands, 100.0f * (float)(demo->frame + 1), 0, 2);
          triangle (self, i + 2 * j, j % 2 == 0 ? 0.8f : -0.8f);
        }
      if (i == 2)
        vtr_app_demo_check (demo);
      vtr_app_demo_end_rendering (demo);
    }
  resolve (self);
}

int
main (int    argc,
      char **argv)
{
  static const char *const extensions[] = { VK_EXT_DEPTH_CLIP_ENABLE_EXTENSION_NAME,
                                            VK_EXT_DEPTH_CLIP_CONTROL_EXTENSION_NAME, NULL };
  static const VkPhysicalDeviceDepthClipEnableFeaturesEXT clip = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEPTH_CLIP_ENABLE_FEATURES_EXT,
    .depthClipEnable = VK_TRUE,
  };
  static const VkPhysicalDeviceDepthClipControlFeaturesEXT control = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEPTH_CLIP_CONTROL_FEATURES_EXT,
    .depthClipControl = VK_TRUE,
  };
  Depths self = { 0 };

  return vtr_app_demo_run (
    &self.demo,
    &(VtrAppDemoInfo){ .what = "depth of all kinds",
                       .extensions = extensions,
                       .features = { .depthClamp = VK_TRUE, .depthBiasClamp = VK_TRUE },
                       .more = { { &clip, sizeof clip }, { &control, sizeof control } },
                       .start = start,
                       .draw = draw },
    argc, argv);
}
