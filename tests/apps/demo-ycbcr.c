/* vtr-app-demo-ycbcr: a picture of three planes (with --two-planes: of two) through an immutable
 * sampler that converts its colours; the planes are filled and copied one at a time, so that each
 * lives from a frame of its own.
 */
#include "vtr-app-demo.h"

#include <string.h>

#define WIDTH 32u
#define HEIGHT 24u

typedef struct
{
  VtrAppDemo demo;
  VkSamplerYcbcrConversion conversion;
  VtrAppPicture *planes;
  VtrAppPicture *luma; /* a copy of the first plane alone */
  VtrAppBuffer *texels, *tint;
  VkPipelineLayout layout;
  VkPipeline pipeline;
  VkDescriptorSet set;
} Ycbcr;

static bool two_planes;

static VkFormat
format (void)
{
  return two_planes ? VK_FORMAT_G8_B8R8_2PLANE_420_UNORM : VK_FORMAT_G8_B8_R8_3PLANE_420_UNORM;
}

static void
need_format (Ycbcr *self)
{
  const VkFormatFeatureFlags needed =
    VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT | VK_FORMAT_FEATURE_TRANSFER_SRC_BIT |
    VK_FORMAT_FEATURE_TRANSFER_DST_BIT | VK_FORMAT_FEATURE_COSITED_CHROMA_SAMPLES_BIT;
  VkFormatProperties properties;

  vkGetPhysicalDeviceFormatProperties (self->demo.scene.gpu.physical, format (), &properties);
  if ((properties.optimalTilingFeatures & needed) != needed)
    vtr_app_demo_skip ("pictures of several planes");
}

static VkSampler
make_sampler (Ycbcr *self)
{
  VtrAppDemo *demo = &self->demo;
  const VkSamplerYcbcrConversionCreateInfo conversion = {
    .sType = VK_STRUCTURE_TYPE_SAMPLER_YCBCR_CONVERSION_CREATE_INFO,
    .format = format (),
    .ycbcrModel = two_planes ? VK_SAMPLER_YCBCR_MODEL_CONVERSION_YCBCR_709
                             : VK_SAMPLER_YCBCR_MODEL_CONVERSION_YCBCR_601,
    .ycbcrRange = two_planes ? VK_SAMPLER_YCBCR_RANGE_ITU_FULL : VK_SAMPLER_YCBCR_RANGE_ITU_NARROW,
    .xChromaOffset = VK_CHROMA_LOCATION_COSITED_EVEN,
    .yChromaOffset = VK_CHROMA_LOCATION_COSITED_EVEN,
    .chromaFilter = VK_FILTER_NEAREST,
  };
  VkSamplerYcbcrConversionInfo used = {
    .sType = VK_STRUCTURE_TYPE_SAMPLER_YCBCR_CONVERSION_INFO,
  };
  const VkSamplerCreateInfo sampler = {
    .sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
    .pNext = &used,
    .addressModeU = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
    .addressModeV = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
    .addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
  };

  vtr_app_check (vkCreateSamplerYcbcrConversion (demo->scene.gpu.device, &conversion, NULL,
                                                 &self->conversion),
                 "vkCreateSamplerYcbcrConversion");
  VTR_APP_KEEP (&demo->scene, SAMPLER_YCBCR_CONVERSION, self->conversion);
  used.conversion = self->conversion;
  return vtr_app_demo_sampler (demo, &sampler);
}

static void
change (VkGraphicsPipelineCreateInfo *create,
        void                         *data)
{
  Ycbcr *self = data;

  create->layout = self->layout;
  vtr_app_demo_set_stage (create, 1, vtr_app_demo_input_shader (&self->demo));
}

static void
make_set (Ycbcr *self)
{
  VtrAppDemo *demo = &self->demo;
  const VkSampler sampler = make_sampler (self);
  VkDescriptorSetLayoutBinding bindings[] = {
    { 0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1, VK_SHADER_STAGE_FRAGMENT_BIT, NULL },
    { 1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, VK_SHADER_STAGE_FRAGMENT_BIT, &sampler },
  };
  const VkDescriptorSetLayout layout = vtr_app_demo_set_layout (demo, bindings, 2, 0, NULL);

  self->layout = vtr_app_demo_layout (
    demo, layout, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT);
  bindings[1].descriptorCount = 3; /* a driver may want one for each plane */
  self->set = vtr_app_demo_set (demo, layout, bindings, 2, 0, NULL);
  self->pipeline = vtr_app_demo_pipeline (demo, change, self);
}

static void
make_pictures (Ycbcr *self)
{
  VtrAppDemo *demo = &self->demo;
  const VkSamplerYcbcrConversionInfo used = {
    .sType = VK_STRUCTURE_TYPE_SAMPLER_YCBCR_CONVERSION_INFO,
    .conversion = self->conversion,
  };
  const VtrAppPictureInfo luma = {
    .name = "luma",
    .format = VK_FORMAT_R8_UNORM,
    .extent = { WIDTH, HEIGHT, 1 },
  };

  self->planes = vtr_app_picture (&demo->scene,
                                  &(VtrAppPictureInfo){ .name = "planes",
                                                        .view_next = &used,
                                                        .format = format (),
                                                        .extent = { WIDTH, HEIGHT, 1 },
                                                        .usage = VK_IMAGE_USAGE_SAMPLED_BIT });
  self->luma = vtr_app_picture (&demo->scene, &luma);
  vtr_app_picture_to (demo->commands, self->planes, VK_IMAGE_LAYOUT_GENERAL);
  vtr_app_picture_clear (demo->commands, self->luma, 0.5f);
}

static void
write_set (Ycbcr *self)
{
  const VkDescriptorBufferInfo tint = { self->tint->buffer, 0, 16 };
  const VkDescriptorImageInfo image = { VK_NULL_HANDLE, self->planes->view,
                                        VK_IMAGE_LAYOUT_GENERAL };
  const VkWriteDescriptorSet writes[] = {
    { .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
      .dstSet = self->set,
      .descriptorCount = 1,
      .descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
      .pBufferInfo = &tint },
    { .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
      .dstSet = self->set,
      .dstBinding = 1,
      .descriptorCount = 1,
      .descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
      .pImageInfo = &image },
  };

  vkUpdateDescriptorSets (self->demo.scene.gpu.device, 2, writes, 0, NULL);
}

/* Other texels into one plane. */
static void
fill_plane (Ycbcr    *self,
            uint32_t  plane)
{
  const VkCommandBuffer commands = self->demo.commands;
  const uint32_t half = plane == 0 ? 1 : 2;
  const VkBufferImageCopy region = {
    .bufferOffset = 64 * self->demo.frame,
    .imageSubresource = { VK_IMAGE_ASPECT_PLANE_0_BIT << plane, 0, 0, 1 },
    .imageExtent = { WIDTH / half, HEIGHT / half, 1 },
  };

  vtr_app_barrier (commands);
  vkCmdCopyBufferToImage (commands, self->texels->buffer, self->planes->image,
                          VK_IMAGE_LAYOUT_GENERAL, 1, &region);
  vtr_app_barrier (commands);
}

static void
start (VtrAppDemo *demo)
{
  Ycbcr *self = (Ycbcr *)demo;
  const uint32_t n = WIDTH * HEIGHT + 1024;

  need_format (self);
  make_set (self);
  make_pictures (self);
  self->texels = vtr_app_demo_buffer (demo, "texels", n, 0);
  for (uint32_t i = 0; i < n; i++)
    ((uint8_t *)self->texels->mapped)[i] = (uint8_t)(40 + i * 11 % 171 + i / 64);
  self->tint = vtr_app_demo_buffer (demo, "tint", 256, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT);
  memcpy (self->tint->mapped, (const float[]){ 0.5f, 0.25f, 0.125f, 1 }, 16);
  write_set (self);
  for (uint32_t i = 0; i < (two_planes ? 2 : 3); i++)
    fill_plane (self, i);
}

static void
copy_luma (Ycbcr *self)
{
  const VkImageCopy copy = {
    .srcSubresource = { VK_IMAGE_ASPECT_PLANE_0_BIT, 0, 0, 1 },
    .dstSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
    .dstOffset = { 8, 0, 0 },
    .extent = { WIDTH - 8, HEIGHT / 2, 1 },
  };

  vkCmdCopyImage (self->demo.commands, self->planes->image, VK_IMAGE_LAYOUT_GENERAL,
                  self->luma->image, VK_IMAGE_LAYOUT_GENERAL, 1, &copy);
}

static void
draw (VtrAppDemo *demo)
{
  Ycbcr *self = (Ycbcr *)demo;

  fill_plane (self, demo->frame % (two_planes ? 2 : 3));
  vtr_app_demo_begin_rendering (demo);
  vkCmdBindPipeline (demo->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->pipeline);
  vkCmdBindDescriptorSets (demo->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->layout, 0, 1,
                           &self->set, 0, NULL);
  vtr_app_triangle (&demo->scene, demo->commands, -1, -1 + 0.125f * (float)(demo->frame % 4), 2,
                    0.5f, 2);
  vtr_app_demo_check (demo);
  vtr_app_demo_end_rendering (demo);
  if (demo->scene.stopped)
    return;
  copy_luma (self);
  vtr_app_demo_check (demo);
}

int
main (int    argc,
      char **argv)
{
  const VtrAppOption options[] = {
    { "--two-planes", NULL, NULL, &two_planes, "both chroma values in one plane" },
    { 0 },
  };
  Ycbcr self = { 0 };
  const VtrAppDemoInfo info = {
    .what = "conversion of colours by samplers",
    .options = options,
    .features11 = { .samplerYcbcrConversion = VK_TRUE },
    .start = start,
    .draw = draw,
  };

  return vtr_app_demo_run (&self.demo, &info, argc, argv);
}
