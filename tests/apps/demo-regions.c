/* vtr-app-demo-regions: layers and viewports that a geometry or vertex shader chooses, and clip
 * and cull distances, for an array and for the slices of a volume. */
#include "vtr-app-demo.h"

#include "demo_regions_geom.h"
#include "demo_regions_vert.h"

#include <string.h>

#define N_LAYERS 3u

typedef struct
{
  VtrAppDemo demo;
  VtrAppPicture *layers, *volume;
  VkImageView slices;
  VkPipeline pipelines[2];
} Regions;

typedef struct
{
  VkShaderModule vertex, geometry;
  VkPipelineShaderStageCreateInfo stages[3];
} Change;

static void
change (VkGraphicsPipelineCreateInfo *create,
        void                         *data)
{
  VkPipelineViewportStateCreateInfo *viewports =
    (VkPipelineViewportStateCreateInfo *)create->pViewportState;
  Change *info = data;

  viewports->viewportCount = viewports->scissorCount = 3;
  if (info->vertex != VK_NULL_HANDLE)
    vtr_app_demo_set_stage (create, 0, info->vertex);
  if (info->geometry == VK_NULL_HANDLE)
    return;
  memcpy (info->stages, create->pStages, 2 * sizeof info->stages[0]);
  info->stages[2] = info->stages[0];
  info->stages[2].stage = VK_SHADER_STAGE_GEOMETRY_BIT;
  info->stages[2].module = info->geometry;
  create->pStages = info->stages;
  create->stageCount = 3;
}

static void
start (VtrAppDemo *demo)
{
  Regions *self = (Regions *)demo;
  Change by_geometry = {
    .geometry = vtr_app_scene_shader (&demo->scene, demo_regions_geom, sizeof demo_regions_geom),
  };
  Change by_vertex = {
    .vertex = vtr_app_scene_shader (&demo->scene, demo_regions_vert, sizeof demo_regions_vert),
  };

  self->layers =
    vtr_app_picture (&demo->scene,
                     &(VtrAppPictureInfo){ .name = "layers",
                                           .format = VTR_APP_DEMO_FORMAT,
                                           .extent = { VTR_APP_DEMO_WIDTH, VTR_APP_DEMO_HEIGHT, 1 },
                                           .layers = N_LAYERS,
                                           .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT });
  self->volume = vtr_app_picture (
    &demo->scene,
    &(VtrAppPictureInfo){ .name = "volume",
                          .format = VTR_APP_DEMO_FORMAT,
                          .type = VK_IMAGE_TYPE_3D,
                          .extent = { VTR_APP_DEMO_WIDTH, VTR_APP_DEMO_HEIGHT, 5 },
                          .flags = VK_IMAGE_CREATE_2D_ARRAY_COMPATIBLE_BIT,
                          .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT });
  vtr_app_picture_clear (demo->commands, self->layers, 0.375f);
  vtr_app_picture_clear (demo->commands, self->volume, 0.5f);
  self->slices = vtr_app_picture_view (&demo->scene, self->volume, VK_IMAGE_VIEW_TYPE_2D_ARRAY, 0,
                                       1, N_LAYERS);
  self->pipelines[0] = vtr_app_demo_pipeline (demo, change, &by_geometry);
  self->pipelines[1] = vtr_app_demo_pipeline (demo, change, &by_vertex);
}

static void
render (Regions     *self,
        VkImageView  view,
        uint32_t     pipeline)
{
  VtrAppDemo *demo = &self->demo;
  const VkRenderingAttachmentInfo color = {
    .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
    .imageView = view,
    .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
    .loadOp = VK_ATTACHMENT_LOAD_OP_LOAD,
    .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
  };
  const VkRenderingInfo info = {
    .sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
    .renderArea = { { 0, 0 }, { VTR_APP_DEMO_WIDTH, VTR_APP_DEMO_HEIGHT } },
    .layerCount = N_LAYERS,
    .colorAttachmentCount = 1,
    .pColorAttachments = &color,
  };
  const VkViewport viewports[3] = {
    { 0, 0, 32, 48, 0, 1 },
    { 24, 44, 40, -40, 0, 1 }, /* upside down */
    { 30.5f, 20.25f, 33, 27, 0.25f, 0.75f },
  };
  const VkRect2D scissors[3] = { { { 3, 0 }, { 40, 33 } },
                                 { { 20, 8 }, { 44, 30 } },
                                 { { 0, 0 }, { 64, 48 } } };

  vtr_app_barrier (demo->commands);
  vkCmdBeginRendering (demo->commands, &info);
  vkCmdBindPipeline (demo->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->pipelines[pipeline]);
  vkCmdSetViewport (demo->commands, 0, 1, &viewports[0]);
  vkCmdSetViewport (demo->commands, 1, 2, &viewports[1]);
  vkCmdSetScissor (demo->commands, 0, 3, scissors);
  vkCmdSetStencilReference (demo->commands, VK_STENCIL_FACE_FRONT_AND_BACK, 0);
}

static void
show (Regions *self)
{
  VtrAppDemo *demo = &self->demo;
  VkImageCopy region = {
    .srcSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 1 + demo->frame % 2, 1 },
    .dstSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
    .extent = { VTR_APP_DEMO_WIDTH, VTR_APP_DEMO_HEIGHT / 2, 1 },
  };

  vtr_app_barrier (demo->commands);
  vkCmdCopyImage (demo->commands, self->layers->image, VK_IMAGE_LAYOUT_GENERAL, demo->color->image,
                  VK_IMAGE_LAYOUT_GENERAL, 1, &region);
  region.srcSubresource.baseArrayLayer = 0;
  region.srcOffset = (VkOffset3D){ 0, 24, 3 };
  region.dstOffset.y = 24;
  vkCmdCopyImage (demo->commands, self->volume->image, VK_IMAGE_LAYOUT_GENERAL, demo->color->image,
                  VK_IMAGE_LAYOUT_GENERAL, 1, &region);
  vtr_app_barrier (demo->commands);
}

static void
draw (VtrAppDemo *demo)
{
  Regions *self = (Regions *)demo;

  for (uint32_t i = 0; i < 2 && !demo->scene.stopped; i++)
    {
      render (self, i == 0 ? self->layers->view : self->slices, (i + demo->frame) % 2);
      for (uint32_t j = 0; j < 4; j++)
        {
          vtr_app_demo_triangle (demo, i + 2 * j + demo->frame);
          if (j == 1)
            vtr_app_demo_check (demo);
        }
      vtr_app_demo_end_rendering (demo);
    }
  if (!demo->scene.stopped)
    show (self);
}

int
main (int    argc,
      char **argv)
{
  Regions self = { 0 };

  return vtr_app_demo_run (&self.demo,
                           &(VtrAppDemoInfo){ .what = "layers and viewports chosen by shaders",
                                              .features = { .geometryShader = VK_TRUE,
                                                            .multiViewport = VK_TRUE,
                                                            .shaderClipDistance = VK_TRUE,
                                                            .shaderCullDistance = VK_TRUE },
                                              .features12 = { .shaderOutputLayer = VK_TRUE,
                                                              .shaderOutputViewportIndex =
                                                                VK_TRUE },
                                              .start = start,
                                              .draw = draw },
                           argc, argv);
}
