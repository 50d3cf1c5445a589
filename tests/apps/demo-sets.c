/* vtr-app-demo-sets: descriptor sets that are filled by writes, copies and a template, and changed
 * between submissions. --inline: with inline uniform data. */
#include "vtr-app-demo.h"

#include <stddef.h>

typedef struct
{
  float tint[4];
  VkDescriptorBufferInfo buffer;
  VkDescriptorImageInfo texture;
} Data;

typedef struct
{
  VtrAppDemo demo;
  VtrAppDemoInputs inputs;
  VkDescriptorUpdateTemplate template;
  VkDescriptorSet sets[3];
} Sets;

static bool inlined;

static VkDescriptorType
tint_type (void)
{
  return inlined ? VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK : VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
}

static void
make_template (Sets *self)
{
  const VkDescriptorUpdateTemplateEntry entries[] = {
    { 0, 0, inlined ? 16 : 1, tint_type (),
      inlined ? offsetof (Data, tint) : offsetof (Data, buffer), 0 },
    { 1, 0, 1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, offsetof (Data, texture), 0 },
  };
  const VkDescriptorUpdateTemplateCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_UPDATE_TEMPLATE_CREATE_INFO,
    .descriptorUpdateEntryCount = 2,
    .pDescriptorUpdateEntries = entries,
    .templateType = VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_DESCRIPTOR_SET,
    .descriptorSetLayout = self->inputs.set,
  };

  vtr_app_check (vkCreateDescriptorUpdateTemplate (self->demo.scene.gpu.device, &info, NULL,
                                                   &self->template),
                 "vkCreateDescriptorUpdateTemplate");
  VTR_APP_KEEP (&self->demo.scene, DESCRIPTOR_UPDATE_TEMPLATE, self->template);
}

static Data
data_of (Sets     *self,
         uint32_t  tint,
         uint32_t  texture)
{
  return (Data){ .tint = { 0.25f + 0.5f * (float)tint, 1, 0.5f, 1 },
                 .buffer = { self->inputs.tints->buffer, tint * 256, 16 },
                 .texture = { self->inputs.sampler, self->inputs.textures[texture]->view,
                              VK_IMAGE_LAYOUT_GENERAL } };
}

static void
write_set (Sets       *self,
           uint32_t    set,
           const Data *data)
{
  const VkWriteDescriptorSetInlineUniformBlock block = {
    .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_INLINE_UNIFORM_BLOCK,
    .dataSize = sizeof data->tint,
    .pData = data->tint,
  };
  const VkWriteDescriptorSet writes[] = {
    { .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
      .pNext = inlined ? &block : NULL,
      .dstSet = self->sets[set],
      .descriptorCount = inlined ? 16 : 1,
      .descriptorType = tint_type (),
      .pBufferInfo = &data->buffer },
    { .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
      .dstSet = self->sets[set],
      .dstBinding = 1,
      .descriptorCount = 1,
      .descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
      .pImageInfo = &data->texture },
  };

  vkUpdateDescriptorSets (self->demo.scene.gpu.device, 2, writes, 0, NULL);
}

/* The texture of one set, the tint (the second half of it, if it is inline) of the other. */
static void
copy_sets (Sets *self)
{
  const VkCopyDescriptorSet copies[] = {
    { .sType = VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET,
      .srcSet = self->sets[0],
      .srcArrayElement = inlined ? 8 : 0,
      .dstSet = self->sets[2],
      .dstArrayElement = inlined ? 8 : 0,
      .descriptorCount = inlined ? 8 : 1 },
    { .sType = VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET,
      .srcSet = self->sets[1],
      .srcBinding = 1,
      .dstSet = self->sets[2],
      .dstBinding = 1,
      .descriptorCount = 1 },
  };

  vkUpdateDescriptorSets (self->demo.scene.gpu.device, 0, NULL, 2, copies);
}

static void
start (VtrAppDemo *demo)
{
  Sets *self = (Sets *)demo;
  const VkDescriptorPoolInlineUniformBlockCreateInfo blocks = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_INLINE_UNIFORM_BLOCK_CREATE_INFO,
    .maxInlineUniformBlockBindings = 1,
  };

  vtr_app_demo_inputs (demo, &self->inputs, tint_type (), 0);
  make_template (self);
  for (uint32_t i = 0; i < 3; i++)
    self->sets[i] = vtr_app_demo_set (demo, self->inputs.set, self->inputs.bindings, 2, 0,
                                      inlined ? &blocks : NULL);
}

static void
draw_with (Sets     *self,
           uint32_t  set,
           uint32_t  nth)
{
  VtrAppDemo *demo = &self->demo;

  vkCmdBindDescriptorSets (demo->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->inputs.layout, 0,
                           1, &self->sets[set], 0, NULL);
  vtr_app_demo_triangle (demo, nth);
}

static void
draw (VtrAppDemo *demo)
{
  Sets *self = (Sets *)demo;
  const uint32_t f = demo->frame % 2;
  const Data first = data_of (self, f, 0), second = data_of (self, 1, 1 - f);

  write_set (self, 0, &first);
  vkUpdateDescriptorSetWithTemplate (demo->scene.gpu.device, self->sets[1], self->template,
                                     &second);
  write_set (self, 2, &second);
  copy_sets (self);
  vtr_app_demo_begin_rendering (demo);
  vkCmdBindPipeline (demo->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->inputs.pipeline);
  draw_with (self, 0, 1);
  vtr_app_demo_check (demo);
  draw_with (self, 1, 4);
  draw_with (self, 2, 6);
  vtr_app_demo_check (demo);
  vtr_app_demo_end_rendering (demo);
}

int
main (int    argc,
      char **argv)
{
  const VtrAppOption options[] = {
    { "--inline", NULL, NULL, &inlined, "the tint is inline uniform data" },
    { 0 },
  };
  Sets self = { 0 };

  return vtr_app_demo_run (&self.demo,
                           &(VtrAppDemoInfo){ .what = "inline uniform blocks",
                                              .options = options,
                                              .features13 = { .inlineUniformBlock = VK_TRUE },
                                              .start = start,
                                              .draw = draw },
                           argc, argv);
}
