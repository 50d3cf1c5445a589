/* vtr-app-mips: passes into every mip level and layer of an array, every face of a cube and every
 * slice of a volume; chains of blits and copies between them. */
#include "vtr-app-scene.h"

#define FORMAT VK_FORMAT_R8G8B8A8_UNORM

typedef struct
{
  VtrAppScene scene;
  VtrAppPicture *array, *cube, *volume;
  VkPipeline pipeline;
} Mips;

static void
begin (Mips                *self,
       VkCommandBuffer      commands,
       const VtrAppPicture *picture,
       uint32_t             mip,
       uint32_t             layer)
{
  const VkRenderingAttachmentInfo color = {
    .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
    .imageView =
      vtr_app_picture_view (&self->scene, picture, VK_IMAGE_VIEW_TYPE_2D, mip, layer, 1),
    .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
    .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
    .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
    .clearValue = { .color = { .float32 = { (float)mip / 4, (float)layer / 8, 0.5f, 1 } } },
  };
  const uint32_t width = picture->info.extent.width >> mip;
  const uint32_t height = picture->info.extent.height >> mip;
  const VkRenderingInfo rendering = {
    .sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
    .renderArea = { { 0, 0 }, { width, height } },
    .layerCount = 1,
    .colorAttachmentCount = 1,
    .pColorAttachments = &color,
  };

  vtr_app_barrier (commands);
  vkCmdBeginRendering (commands, &rendering);
  vkCmdBindPipeline (commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->pipeline);
  vtr_app_viewport (commands, width, height);
}

/* One pass into each of the first @n_mips levels and every layer, with a checkpoint in some. */
static void
draw_all (Mips                *self,
          VkCommandBuffer      commands,
          const VtrAppPicture *picture,
          uint32_t             n_mips,
          uint32_t             n_layers)
{
  VtrAppScene *scene = &self->scene;

  for (uint32_t mip = 0; mip < n_mips && !scene->stopped; mip++)
    for (uint32_t layer = 0; layer < n_layers && !scene->stopped; layer++)
      {
        begin (self, commands, picture, mip, layer);
        vtr_app_triangle (scene, commands, -0.9f, -0.8f, 1.2f + 0.1f * (float)layer, 0.5f,
                          1 + mip * 3 + layer);
        if (layer + 1 == n_layers)
          vtr_app_scene_check (scene, commands);
        if (!scene->stopped)
          vtr_app_triangle (scene, commands, -0.2f, -0.1f, 0.9f, 0.5f, 2 + mip * 5 + layer);
        vkCmdEndRendering (commands);
      }
}

static void
blit_down (Mips                *self,
           VkCommandBuffer      commands,
           const VtrAppPicture *picture,
           uint32_t             first)
{
  const VkExtent3D *extent = &picture->info.extent;

  for (uint32_t mip = first; mip < picture->info.mips && !self->scene.stopped; mip++)
    {
      const VkImageBlit region = {
        .srcSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, mip - 1, 0, picture->info.layers },
        .srcOffsets = { { 0, 0, 0 },
                        { (int32_t)(extent->width >> (mip - 1)),
                          (int32_t)(extent->height >> (mip - 1)),
                          extent->depth >> (mip - 1) > 0 ? (int32_t)(extent->depth >> (mip - 1))
                                                         : 1 } },
        .dstSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, mip, 0, picture->info.layers },
        .dstOffsets = { { 0, 0, 0 },
                        { (int32_t)(extent->width >> mip), (int32_t)(extent->height >> mip),
                          extent->depth >> mip > 0 ? (int32_t)(extent->depth >> mip) : 1 } },
      };

      vtr_app_barrier (commands);
      vkCmdBlitImage (commands, picture->image, VK_IMAGE_LAYOUT_GENERAL, picture->image,
                      VK_IMAGE_LAYOUT_GENERAL, 1, &region, VK_FILTER_NEAREST);
      vtr_app_scene_check (&self->scene, commands);
    }
}

static void
record (Mips            *self,
        VkCommandBuffer  commands)
{
  VtrAppScene *scene = &self->scene;
  const VkImageCopy copy = {
    .srcSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 1 },
    .dstSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 4, 1 },
    .extent = { 16, 16, 1 },
  };

  if (vtr_app_scene_check (scene, commands)) /* nothing has been touched */
    return;
  vtr_app_picture_clear (commands, self->array, 0.25f);
  vtr_app_picture_clear (commands, self->cube, 0.5f);
  if (vtr_app_scene_check (scene, commands)) /* the volume has not */
    return;
  vtr_app_picture_clear (commands, self->volume, 0.75f);
  draw_all (self, commands, self->array, 2, 3);
  blit_down (self, commands, self->array, 2);
  draw_all (self, commands, self->cube, 1, 6);
  blit_down (self, commands, self->cube, 1);
  draw_all (self, commands, self->volume, 1, 8);
  blit_down (self, commands, self->volume, 1);
  if (scene->stopped)
    return;
  vtr_app_barrier (commands);
  vkCmdCopyImage (commands, self->array->image, VK_IMAGE_LAYOUT_GENERAL, self->cube->image,
                  VK_IMAGE_LAYOUT_GENERAL, 1, &copy);
  vtr_app_picture_to (commands, self->cube, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
  vtr_app_scene_check (scene, commands);
}

int
main (int    argc,
      char **argv)
{
  Mips self = { 0 };
  VtrAppScene *scene = &self.scene;
  const VkFormat format = FORMAT;
  VkPhysicalDeviceVulkan13Features features13 = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
    .dynamicRendering = VK_TRUE,
  };
  const VkPhysicalDeviceFeatures2 features = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
    .pNext = &features13,
  };
  VkCommandBuffer commands;

  vtr_app_scene_init (scene, argc, argv, NULL, &features);
  self.array = vtr_app_picture (
    scene, &(VtrAppPictureInfo){ .name = "array",
                                 .format = FORMAT,
                                 .extent = { 36, 20, 1 },
                                 .mips = 4,
                                 .layers = 3,
                                 .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT });
  self.cube = vtr_app_picture (
    scene, &(VtrAppPictureInfo){ .name = "cube",
                                 .format = FORMAT,
                                 .extent = { 16, 16, 1 },
                                 .mips = 3,
                                 .layers = 6,
                                 .flags = VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT,
                                 .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT });
  self.volume = vtr_app_picture (
    scene, &(VtrAppPictureInfo){ .name = "volume",
                                 .format = FORMAT,
                                 .type = VK_IMAGE_TYPE_3D,
                                 .extent = { 16, 12, 8 },
                                 .mips = 3,
                                 .flags = VK_IMAGE_CREATE_2D_ARRAY_COMPATIBLE_BIT,
                                 .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT });
  self.pipeline =
    vtr_app_pipeline (scene, &(VtrAppPipelineInfo){ .n_colors = 1, .formats = &format });
  commands = vtr_app_scene_begin (scene);
  record (&self, commands);
  vtr_app_scene_submit (scene, commands);
  vtr_app_scene_finish (scene);

  return 0;
}
