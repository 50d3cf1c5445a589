/* vtr-app-stencil: depth and stencil in every format that the driver draws to, every stencil
 * operation, both faces.
 */
#include "vtr-app-scene.h"

#define WIDTH 32u
#define HEIGHT 24u

static const VkFormat formats[] = {
  VK_FORMAT_D16_UNORM,
  VK_FORMAT_X8_D24_UNORM_PACK32,
  VK_FORMAT_D32_SFLOAT,
  VK_FORMAT_S8_UINT,
  VK_FORMAT_D16_UNORM_S8_UINT,
  VK_FORMAT_D24_UNORM_S8_UINT,
  VK_FORMAT_D32_SFLOAT_S8_UINT,
};
static const char *const names[] = { "d16", "x8d24", "d32", "s8", "d16s8", "d24s8", "d32s8" };

static VkPipeline
make_pipeline (VtrAppScene *scene,
               VkFormat     format,
               VkStencilOp  pass,
               VkStencilOp  fail)
{
  VtrAppPipelineInfo info = {
    .depth = format,
    .depth_test = (vtr_app_aspects (format) & VK_IMAGE_ASPECT_DEPTH_BIT) != 0,
    .stencil_test = (vtr_app_aspects (format) & VK_IMAGE_ASPECT_STENCIL_BIT) != 0,
    .front = { fail, pass, fail, VK_COMPARE_OP_LESS_OR_EQUAL, 0x7f, 0xff, 0 },
    .back = { pass, fail, VK_STENCIL_OP_INVERT, VK_COMPARE_OP_NOT_EQUAL, 0xff, 0x3f, 0 },
  };

  return vtr_app_pipeline (scene, &info);
}

static void
clear_corner (VkCommandBuffer commands,
              VkFormat        format)
{
  const VkClearAttachment attachment = {
    .aspectMask = vtr_app_aspects (format),
    .clearValue = { .depthStencil = { 0.125f, 0x99 } },
  };
  const VkClearRect rect = { { { 20, 12 }, { 9, 9 } }, 0, 1 };

  vkCmdClearAttachments (commands, 1, &attachment, 1, &rect);
}

static void
draw (VtrAppScene     *scene,
      VkCommandBuffer  commands,
      VtrAppPicture   *picture)
{
  static const VkStencilOp ops[] = {
    VK_STENCIL_OP_REPLACE,
    VK_STENCIL_OP_INCREMENT_AND_CLAMP,
    VK_STENCIL_OP_INVERT,
    VK_STENCIL_OP_DECREMENT_AND_WRAP,
    VK_STENCIL_OP_INCREMENT_AND_WRAP,
    VK_STENCIL_OP_DECREMENT_AND_CLAMP,
    VK_STENCIL_OP_ZERO,
    VK_STENCIL_OP_KEEP,
  };
  const VkFormat format = picture->info.format;
  const VkImageAspectFlags aspects = vtr_app_aspects (format);
  const VkRenderingAttachmentInfo attachment = {
    .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
    .imageView = picture->view,
    .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
    .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
    .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
    .clearValue = { .depthStencil = { 0.9f, 0xfe } },
  };
  const VkRenderingInfo rendering = {
    .sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
    .renderArea = { { 0, 0 }, { WIDTH, HEIGHT } },
    .layerCount = 1,
    .pDepthAttachment = (aspects & VK_IMAGE_ASPECT_DEPTH_BIT) != 0 ? &attachment : NULL,
    .pStencilAttachment = (aspects & VK_IMAGE_ASPECT_STENCIL_BIT) != 0 ? &attachment : NULL,
  };

  vtr_app_barrier (commands);
  vkCmdBeginRendering (commands, &rendering);
  vtr_app_viewport (commands, WIDTH, HEIGHT);
  for (uint32_t i = 0; i < 8 && !scene->stopped; i++)
    {
      vkCmdBindPipeline (commands, VK_PIPELINE_BIND_POINT_GRAPHICS,
                         make_pipeline (scene, format, ops[i], ops[(i + 3) % 8]));
      vkCmdSetStencilReference (commands, VK_STENCIL_FACE_FRONT_BIT, 0x31 * i);
      vkCmdSetStencilReference (commands, VK_STENCIL_FACE_BACK_BIT, 0xf0 - i);
      /* Every other one has its back to us. */
      vtr_app_triangle (scene, commands, i % 2 != 0 ? 0.9f - 0.2f * (float)i : -0.9f,
                        -0.9f + 0.15f * (float)i, i % 2 != 0 ? -1.4f : 1.3f,
                        0.8f - 0.09f * (float)i, i);
      if (i % 2 != 0)
        vtr_app_scene_check (scene, commands);
    }
  if (!scene->stopped)
    {
      clear_corner (commands, format);
      vtr_app_scene_check (scene, commands);
    }
  vkCmdEndRendering (commands);
}

int
main (int    argc,
      char **argv)
{
  VtrAppScene scene = { 0 };
  VkPhysicalDeviceVulkan13Features features13 = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
    .dynamicRendering = VK_TRUE,
  };
  const VkPhysicalDeviceFeatures2 features = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
    .pNext = &features13,
  };
  VkCommandBuffer commands;

  vtr_app_scene_init (&scene, argc, argv, NULL, &features);
  for (uint32_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
    {
      VkFormatProperties properties;

      vkGetPhysicalDeviceFormatProperties (scene.gpu.physical, formats[i], &properties);
      if ((properties.optimalTilingFeatures & VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT) != 0)
        vtr_app_picture (&scene, &(VtrAppPictureInfo){
                                   .name = names[i],
                                   .format = formats[i],
                                   .extent = { WIDTH, HEIGHT, 1 },
                                   .usage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT });
    }
  commands = vtr_app_scene_begin (&scene);
  for (uint32_t i = 0; i < scene.n_pictures; i++)
    vtr_app_picture_clear (commands, &scene.pictures[i], 0.25f);
  for (uint32_t i = 0; i < scene.n_pictures && !scene.stopped; i++)
    draw (&scene, commands, &scene.pictures[i]);
  vtr_app_scene_submit (&scene, commands);
  vtr_app_scene_finish (&scene);

  return 0;
}
