/* vtr-app-demo-offsets: dynamic offsets into arrays of buffers, in the order of their bindings;
 * immutable samplers, separate samplers and images; a gap between sets, sets that stay bound while
 * pipelines and other sets change. */
#include "vtr-app-demo.h"

#include "demo_offsets_frag.h"

#include <string.h>

#define STAGES (VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT)
#define STEP 256u

typedef struct
{
  VtrAppDemo demo;
  VkDescriptorSetLayout layouts[3]; /* the second is empty */
  VkPipelineLayout layout;
  VkPipeline pipelines[2];
  VkDescriptorSet sets[2]; /* the first, the third */
  VtrAppPicture *textures[2];
  VtrAppBuffer *tints, *counts;
} Offsets;

static void
make_layouts (Offsets         *self,
              const VkSampler  samplers[3])
{
  VtrAppDemo *demo = &self->demo;
  const VkDescriptorSetLayoutBinding fixed[] = {
    { 0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, VK_SHADER_STAGE_FRAGMENT_BIT, &samplers[2] },
    { 2, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 2, VK_SHADER_STAGE_FRAGMENT_BIT, NULL },
    { 5, VK_DESCRIPTOR_TYPE_SAMPLER, 2, VK_SHADER_STAGE_FRAGMENT_BIT, samplers },
  };
  const VkDescriptorSetLayoutBinding moved[] = {
    { 3, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC, 1, VK_SHADER_STAGE_FRAGMENT_BIT, NULL },
    { 1, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, 2, VK_SHADER_STAGE_FRAGMENT_BIT, NULL },
  };
  const VkPushConstantRange range = { STAGES, 0, 128 };
  const VkPipelineLayoutCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
    .setLayoutCount = 3,
    .pSetLayouts = self->layouts,
    .pushConstantRangeCount = 1,
    .pPushConstantRanges = &range,
  };

  self->layouts[0] = vtr_app_demo_set_layout (demo, fixed, 3, 0, NULL);
  self->layouts[1] = vtr_app_demo_set_layout (demo, NULL, 0, 0, NULL);
  self->layouts[2] = vtr_app_demo_set_layout (demo, moved, 2, 0, NULL);
  vtr_app_check (vkCreatePipelineLayout (demo->scene.gpu.device, &info, NULL, &self->layout),
                 "vkCreatePipelineLayout");
  VTR_APP_KEEP (&demo->scene, PIPELINE_LAYOUT, self->layout);
  self->sets[0] = vtr_app_demo_set (demo, self->layouts[0], fixed, 3, 0, NULL);
  self->sets[1] = vtr_app_demo_set (demo, self->layouts[2], moved, 2, 0, NULL);
}

static void
write_sets (Offsets *self)
{
  const VkDescriptorImageInfo images[] = {
    { VK_NULL_HANDLE, self->textures[1]->view, VK_IMAGE_LAYOUT_GENERAL },
    { VK_NULL_HANDLE, self->textures[0]->view, VK_IMAGE_LAYOUT_GENERAL },
    { VK_NULL_HANDLE, self->textures[1]->view, VK_IMAGE_LAYOUT_GENERAL },
  };
  const VkDescriptorBufferInfo buffers[] = { { self->counts->buffer, 0, 64 },
                                             { self->tints->buffer, 0, 16 },
                                             { self->tints->buffer, STEP, 16 } };
  const VkWriteDescriptorSet writes[] = {
    { .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
      .dstSet = self->sets[0],
      .descriptorCount = 1,
      .descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
      .pImageInfo = &images[0] },
    { .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
      .dstSet = self->sets[0],
      .dstBinding = 2,
      .descriptorCount = 2,
      .descriptorType = VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,
      .pImageInfo = &images[1] },
    { .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
      .dstSet = self->sets[1],
      .dstBinding = 3,
      .descriptorCount = 1,
      .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC,
      .pBufferInfo = &buffers[0] },
    { .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
      .dstSet = self->sets[1],
      .dstBinding = 1,
      .descriptorCount = 2,
      .descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC,
      .pBufferInfo = &buffers[1] },
  };

  vkUpdateDescriptorSets (self->demo.scene.gpu.device, 4, writes, 0, NULL);
}

static void
change (VkGraphicsPipelineCreateInfo *create,
        void                         *data)
{
  static const VkSpecializationMapEntry entry = { 0, 0, 4 };
  static VkSpecializationInfo info = { 1, &entry, 4, NULL };

  info.pData = data;
  ((VkPipelineShaderStageCreateInfo *)create->pStages)[1].pSpecializationInfo = &info;
}

static void
start (VtrAppDemo *demo)
{
  const VkFormat format = VTR_APP_DEMO_FORMAT;
  Offsets *self = (Offsets *)demo;
  VkSamplerCreateInfo info = { .sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO };
  VkSampler samplers[3];
  VkShaderModule fragment;

  for (uint32_t i = 0; i < 3; i++)
    {
      info.magFilter = i == 1 ? VK_FILTER_LINEAR : VK_FILTER_NEAREST;
      info.addressModeU = (VkSamplerAddressMode)i;
      info.addressModeV = (VkSamplerAddressMode)(2 - i);
      samplers[i] = vtr_app_demo_sampler (demo, &info);
    }
  self->textures[0] = vtr_app_demo_texture (demo, "texture0", 7);
  self->textures[1] = vtr_app_demo_texture (demo, "texture1", 2);
  self->tints = vtr_app_demo_buffer (demo, "tints", 8 * STEP, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT);
  self->counts =
    vtr_app_demo_buffer (demo, "counts", 4 * STEP, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  for (uint32_t i = 0; i < 8; i++)
    memcpy ((char *)self->tints->mapped + i * STEP,
            (const float[]){ 0.2f * (float)(i % 4), 1 - 0.1f * (float)i, 0.5f, 1 }, 16);
  make_layouts (self, samplers);
  write_sets (self);
  fragment = vtr_app_scene_shader (&demo->scene, demo_offsets_frag, sizeof demo_offsets_frag);
  for (int32_t i = 0; i < 2; i++)
    self->pipelines[i] =
      vtr_app_pipeline (&demo->scene, &(VtrAppPipelineInfo){ .n_colors = 1,
                                                             .formats = &format,
                                                             .fragment = fragment,
                                                             .layout = self->layout,
                                                             .change = change,
                                                             .data = &i });
}

/* The offsets: of both tints, then of the counts, whose binding has a higher number. */
static void
bind_third (Offsets  *self,
            uint32_t  first,
            uint32_t  second,
            uint32_t  counts)
{
  const uint32_t offsets[] = { first * STEP, second * STEP, counts * STEP };

  vkCmdBindDescriptorSets (self->demo.commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->layout, 2,
                           1, &self->sets[1], 3, offsets);
}

static void
draw (VtrAppDemo *demo)
{
  Offsets *self = (Offsets *)demo;
  const uint32_t f = demo->frame % 3;

  vtr_app_demo_begin_rendering (demo);
  vkCmdBindPipeline (demo->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->pipelines[0]);
  bind_third (self, 1 + f, 5 - f, f);
  vkCmdBindDescriptorSets (demo->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->layout, 0, 1,
                           &self->sets[0], 0, NULL);
  vtr_app_demo_triangle (demo, 2);
  vtr_app_demo_check (demo);
  /* Another pipeline, the same sets; then other offsets. */
  vkCmdBindPipeline (demo->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->pipelines[1]);
  vtr_app_demo_triangle (demo, 4);
  bind_third (self, 6, f, 3);
  vtr_app_demo_triangle (demo, 6);
  vtr_app_demo_check (demo);
  vtr_app_demo_end_rendering (demo);
}

int
main (int    argc,
      char **argv)
{
  Offsets self = { 0 };

  return vtr_app_demo_run (
    &self.demo,
    &(VtrAppDemoInfo){ .what = "stores by fragment shaders",
                       .features = { .fragmentStoresAndAtomics = VK_TRUE },
                       .start = start,
                       .draw = draw },
    argc, argv);
}
