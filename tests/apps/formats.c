/* vtr-app-formats: texels of every colour format that the driver can copy to, also compressed
 * ones, from one fixed sequence; two uploads each, the second to a part of the image. */
#include "vtr-app-scene.h"

#include <stdio.h>
#include <string.h>

#define WIDTH 24u
#define HEIGHT 16u
#define BYTES (WIDTH * HEIGHT * 32u)

static char names[VTR_APP_MAX_PICTURES][16];

static void
make_pictures (VtrAppScene *scene)
{
  for (uint32_t i = 1; i <= VK_FORMAT_ASTC_12x12_SRGB_BLOCK; i++)
    {
      const VkFormat format = (VkFormat)i;
      const VkFormatFeatureFlags need =
        VK_FORMAT_FEATURE_TRANSFER_DST_BIT | VK_FORMAT_FEATURE_TRANSFER_SRC_BIT |
        VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT;
      VkFormatProperties properties;

      vkGetPhysicalDeviceFormatProperties (scene->gpu.physical, format, &properties);
      if ((properties.optimalTilingFeatures & need) != need ||
          vtr_app_aspects (format) != VK_IMAGE_ASPECT_COLOR_BIT)
        continue;
      snprintf (names[scene->n_pictures], sizeof names[0], "f%u", i);
      vtr_app_picture (scene, &(VtrAppPictureInfo){ .name = names[scene->n_pictures],
                                                    .format = format,
                                                    .extent = { WIDTH, HEIGHT, 1 },
                                                    .mips = 2,
                                                    .usage = VK_IMAGE_USAGE_SAMPLED_BIT });
    }
}

static void
upload (VkCommandBuffer      commands,
        const VtrAppPicture *picture,
        const VtrAppBuffer  *from,
        uint32_t             mip,
        int32_t              at)
{
  const VkBufferImageCopy region = {
    .bufferOffset = mip * 3072 + (VkDeviceSize)at * 96, /* multiples of any texel */
    .imageSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, mip, 0, 1 },
    .imageOffset = { at, at / 2, 0 },
    .imageExtent = { (WIDTH >> mip) - (uint32_t)at, (HEIGHT >> mip) - (uint32_t)at / 2, 1 },
  };

  vkCmdCopyBufferToImage (commands, from->buffer, picture->image,
                          VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
}

int
main (int    argc,
      char **argv)
{
  VtrAppScene scene = { 0 };
  const VkPhysicalDeviceFeatures2 features = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
    .features = { .textureCompressionBC = VK_TRUE },
  };
  VkCommandBuffer commands;
  VtrAppBuffer buffer;
  uint64_t seed = 1;

  vtr_app_scene_init (&scene, argc, argv, NULL, &features);
  make_pictures (&scene);
  buffer = vtr_app_buffer (&scene.gpu, BYTES, VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
                           VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                             VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
  for (uint32_t i = 0; i < BYTES; i++)
    ((uint8_t *)buffer.mapped)[i] = (uint8_t)vtr_app_random (&seed);
  commands = vtr_app_scene_begin (&scene);
  for (uint32_t i = 0; i < scene.n_pictures; i++)
    {
      vtr_app_picture_to (commands, &scene.pictures[i], VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
      upload (commands, &scene.pictures[i], &buffer, 0, 0);
      upload (commands, &scene.pictures[i], &buffer, 1, 0);
    }
  if (!vtr_app_scene_check (&scene, commands))
    {
      vtr_app_barrier (commands);
      for (uint32_t i = 0; i < scene.n_pictures; i++)
        upload (commands, &scene.pictures[i], &buffer, 0, 8);
      vtr_app_scene_check (&scene, commands);
    }
  vtr_app_scene_submit (&scene, commands);
  vtr_app_buffer_finish (&scene.gpu, &buffer);
  vtr_app_scene_finish (&scene);
  return 0;
}
