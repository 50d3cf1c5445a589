/* vtr-app-demo-robust: null descriptors and vertex buffers, reads beyond the end, texel buffers
 * over parts of a buffer, border colours, samplers that return the greatest texel, and 16-bit
 * images. */
#include "vtr-app-demo.h"

#include "demo_robust_frag.h"
#include "demo_robust_vert.h"

#include <string.h>

#define N_BINDINGS 9u
#define TEXELS_OFFSET 64u
#define TEXELS_SIZE 160u
#define COUNTS_OFFSET 512u
#define COUNTS_SIZE 64u

typedef struct
{
  VtrAppDemo demo;
  VtrAppBuffer *bytes;
  VtrAppPicture *texture, *small; /* .small: of 4 bits a channel */
  VkBufferView texels, counts;
  VkSampler bordered, greatest, plain;
  VkDescriptorSetLayoutBinding bindings[N_BINDINGS];
  VkPipelineLayout layout;
  VkPipeline pipelines[2]; /* to .color, to .small */
  VkDescriptorSet sets[2]; /* one with nulls, one with objects in their place */
} Robust;

static VkBufferView
make_view (Robust       *self,
           VkFormat      format,
           VkDeviceSize  offset,
           VkDeviceSize  size)
{
  const VkBufferViewCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO,
    .buffer = self->bytes->buffer,
    .format = format,
    .offset = offset,
    .range = size,
  };
  VkBufferView view;

  vtr_app_check (vkCreateBufferView (self->demo.scene.gpu.device, &info, NULL, &view),
                 "vkCreateBufferView");
  VTR_APP_KEEP (&self->demo.scene, BUFFER_VIEW, view);
  return view;
}

static void
make_samplers (Robust *self)
{
  const VkSamplerCustomBorderColorCreateInfoEXT color = {
    .sType = VK_STRUCTURE_TYPE_SAMPLER_CUSTOM_BORDER_COLOR_CREATE_INFO_EXT,
    .customBorderColor = { .float32 = { 0.9f, 0.1f, 0.6f, 0.4f } },
    .format = VTR_APP_DEMO_FORMAT,
  };
  const VkSamplerReductionModeCreateInfo most = {
    .sType = VK_STRUCTURE_TYPE_SAMPLER_REDUCTION_MODE_CREATE_INFO,
    .reductionMode = VK_SAMPLER_REDUCTION_MODE_MAX,
  };
  VkSamplerCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
    .pNext = &color,
    .addressModeU = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER,
    .addressModeV = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER,
    .borderColor = VK_BORDER_COLOR_FLOAT_CUSTOM_EXT,
  };

  self->bordered = vtr_app_demo_sampler (&self->demo, &info);
  info.pNext = &most;
  info.borderColor = VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE;
  info.magFilter = info.minFilter = VK_FILTER_LINEAR;
  self->greatest = vtr_app_demo_sampler (&self->demo, &info);
  self->plain = vtr_app_demo_sampler (&self->demo, NULL);
}

static void
make_layout (Robust *self)
{
  static const VkDescriptorType types[N_BINDINGS] = {
    VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER,
    VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER,
    VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
    VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
    VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER,
    VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
    VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
    VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
    VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
  };
  VtrAppDemo *demo = &self->demo;
  VkDescriptorSetLayout layout;

  for (uint32_t i = 0; i < N_BINDINGS; i++)
    self->bindings[i] = (VkDescriptorSetLayoutBinding){ i, types[i], 1,
                                                        VK_SHADER_STAGE_FRAGMENT_BIT, NULL };
  layout = vtr_app_demo_set_layout (demo, self->bindings, N_BINDINGS, 0, NULL);
  self->layout = vtr_app_demo_layout (demo, layout,
                                      VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT);
  for (uint32_t i = 0; i < 2; i++)
    self->sets[i] = vtr_app_demo_set (demo, layout, self->bindings, N_BINDINGS, 0, NULL);
}

/* @objects: instead of nulls. */
static void
write_set (Robust          *self,
           VkDescriptorSet  set,
           bool             objects)
{
  const VkBuffer buffer = objects ? self->bytes->buffer : VK_NULL_HANDLE;
  const VkBufferView views[] = { self->texels, self->counts,
                                 objects ? self->texels : VK_NULL_HANDLE };
  const VkDescriptorBufferInfo buffers[] = { { buffer, objects ? 1024 : 0,
                                               objects ? 256 : VK_WHOLE_SIZE },
                                             { buffer, objects ? 256 : 0,
                                               objects ? 16 : VK_WHOLE_SIZE } };
  const VkImageView view = objects ? self->texture->view : VK_NULL_HANDLE;
  const VkDescriptorImageInfo images[] = {
    { self->plain, view, objects ? VK_IMAGE_LAYOUT_GENERAL : VK_IMAGE_LAYOUT_UNDEFINED },
    { self->bordered, self->texture->view, VK_IMAGE_LAYOUT_GENERAL },
    { self->greatest, self->texture->view, VK_IMAGE_LAYOUT_GENERAL },
    { VK_NULL_HANDLE, VK_NULL_HANDLE, VK_IMAGE_LAYOUT_UNDEFINED },
  };
  VkWriteDescriptorSet writes[N_BINDINGS];

  for (uint32_t i = 0; i < N_BINDINGS; i++)
    writes[i] = (VkWriteDescriptorSet){ .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                        .dstSet = set,
                                        .dstBinding = i,
                                        .descriptorCount = 1,
                                        .descriptorType = self->bindings[i].descriptorType };
  writes[0].pTexelBufferView = &views[0];
  writes[1].pTexelBufferView = &views[1];
  writes[2].pImageInfo = &images[0];
  writes[3].pBufferInfo = &buffers[0];
  writes[4].pTexelBufferView = &views[2];
  writes[5].pBufferInfo = &buffers[1];
  writes[6].pImageInfo = &images[1];
  writes[7].pImageInfo = &images[2];
  writes[8].pImageInfo = &images[3];
  vkUpdateDescriptorSets (self->demo.scene.gpu.device, N_BINDINGS, writes, 0, NULL);
}

static void
change (VkGraphicsPipelineCreateInfo *create,
        void                         *data)
{
  static const VkVertexInputBindingDescription binding = { 0, 16, VK_VERTEX_INPUT_RATE_VERTEX };
  static const VkVertexInputAttributeDescription attribute = { 0, 0, VK_FORMAT_R32G32B32A32_SFLOAT,
                                                               0 };
  static const VkPipelineVertexInputStateCreateInfo input = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO,
    .vertexBindingDescriptionCount = 1,
    .pVertexBindingDescriptions = &binding,
    .vertexAttributeDescriptionCount = 1,
    .pVertexAttributeDescriptions = &attribute,
  };

  create->pVertexInputState = &input;
}

static void
start (VtrAppDemo *demo)
{
  static const VkFormat formats[] = { VTR_APP_DEMO_FORMAT, VK_FORMAT_A4R4G4B4_UNORM_PACK16 };
  Robust *self = (Robust *)demo;
  const VkShaderModule vertex =
    vtr_app_scene_shader (&demo->scene, demo_robust_vert, sizeof demo_robust_vert);
  const VkShaderModule fragment =
    vtr_app_scene_shader (&demo->scene, demo_robust_frag, sizeof demo_robust_frag);

  vtr_app_demo_need_format (demo, formats[1], VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT);
  self->bytes = vtr_app_demo_buffer (
    demo, "bytes", 2048,
    VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT |
      VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
      VK_BUFFER_USAGE_VERTEX_BUFFER_BIT);
  for (uint32_t i = 0; i < 256; i++)
    ((uint8_t *)self->bytes->mapped)[i] = (uint8_t)(i * 31);
  for (uint32_t i = 0; i < 4; i++)
    ((float *)self->bytes->mapped)[64 + i] = 0.05f * (float)i;
  self->texture = vtr_app_demo_texture (demo, "texture", 3);
  self->small =
    vtr_app_picture (&demo->scene,
                     &(VtrAppPictureInfo){ .name = "small",
                                           .format = formats[1],
                                           .extent = { 33, 17, 1 },
                                           .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT });
  vtr_app_picture_clear (demo->commands, self->small, 0.5f);
  self->texels = make_view (self, VK_FORMAT_R8G8B8A8_UNORM, TEXELS_OFFSET, TEXELS_SIZE);
  self->counts = make_view (self, VK_FORMAT_R32_UINT, COUNTS_OFFSET, COUNTS_SIZE);
  make_samplers (self);
  make_layout (self);
  for (uint32_t i = 0; i < 2; i++)
    {
      write_set (self, self->sets[i], i == 1);
      self->pipelines[i] = vtr_app_pipeline (
        &demo->scene, &(VtrAppPipelineInfo){ .n_colors = 1,
                                             .formats = &formats[i],
                                             .vertex = vertex,
                                             .fragment = fragment,
                                             .layout = self->layout,
                                             .change = change });
    }
}

static void
draw_with (Robust   *self,
           uint32_t  set,
           bool      vertices)
{
  const VkBuffer buffer = vertices ? self->bytes->buffer : VK_NULL_HANDLE;
  const VkDeviceSize offset = vertices ? 256 : 0, size = 16;
  VtrAppDemo *demo = &self->demo;

  if (demo->scene.stopped)
    return;
  vkCmdBindDescriptorSets (demo->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->layout, 0, 1,
                           &self->sets[set], 0, NULL);
  /* The second and third corner are beyond the end. */
  vkCmdBindVertexBuffers2 (demo->commands, 0, 1, &buffer, &offset, vertices ? &size : NULL, NULL);
  vtr_app_demo_triangle (demo, 1 + set * 3);
}

/* The sets change places: descriptors that are null now were valid in the last frame. */
static void
draw (VtrAppDemo *demo)
{
  Robust *self = (Robust *)demo;
  const uint32_t second = demo->frame % 2;

  write_set (self, self->sets[0], second == 1);
  write_set (self, self->sets[1], second == 0);
  vtr_app_demo_render_to (demo, 1, &demo->color, NULL, false);
  vkCmdBindPipeline (demo->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->pipelines[0]);
  draw_with (self, 0, false);
  vtr_app_demo_check (demo);
  draw_with (self, 1, true);
  vtr_app_demo_end_rendering (demo);
  if (demo->scene.stopped)
    return;
  vtr_app_demo_render_to (demo, 1, &self->small, NULL, false);
  vkCmdBindPipeline (demo->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->pipelines[1]);
  draw_with (self, second, true);
  vtr_app_demo_check (demo);
  vtr_app_demo_end_rendering (demo);
}

int
main (int    argc,
      char **argv)
{
  static const char *const extensions[] = { VK_EXT_ROBUSTNESS_2_EXTENSION_NAME,
                                            VK_EXT_CUSTOM_BORDER_COLOR_EXTENSION_NAME,
                                            VK_EXT_4444_FORMATS_EXTENSION_NAME, NULL };
  static const VkPhysicalDeviceRobustness2FeaturesEXT robust = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT,
    .robustBufferAccess2 = VK_TRUE,
    .robustImageAccess2 = VK_TRUE,
    .nullDescriptor = VK_TRUE,
  };
  static const VkPhysicalDeviceCustomBorderColorFeaturesEXT borders = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CUSTOM_BORDER_COLOR_FEATURES_EXT,
    .customBorderColors = VK_TRUE,
  };
  static const VkPhysicalDevice4444FormatsFeaturesEXT small = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_4444_FORMATS_FEATURES_EXT,
    .formatA4R4G4B4 = VK_TRUE,
  };
  Robust self = { 0 };

  return vtr_app_demo_run (
    &self.demo,
    &(VtrAppDemoInfo){ .what = "robust access",
                       .extensions = extensions,
                       .features = { .robustBufferAccess = VK_TRUE,
                                     .fragmentStoresAndAtomics = VK_TRUE },
                       .features12 = { .samplerFilterMinmax = VK_TRUE },
                       .more = { { &robust, sizeof robust },
                                 { &borders, sizeof borders },
                                 { &small, sizeof small } },
                       .start = start,
                       .draw = draw },
    argc, argv);
}
