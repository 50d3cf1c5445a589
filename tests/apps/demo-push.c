/* vtr-app-demo-push: descriptors that are pushed into the command buffer, by writes and by a
 * template, completely and in part. */
#include "vtr-app-demo.h"

#include <stddef.h>

typedef struct
{
  VkDescriptorBufferInfo tint;
  uint32_t gap; /* a stride of its own */
  VkDescriptorImageInfo texture;
} Data;

typedef struct
{
  VtrAppDemo demo;
  VtrAppDemoInputs inputs;
  VkDescriptorUpdateTemplate template;
  PFN_vkCmdPushDescriptorSetKHR push;
  PFN_vkCmdPushDescriptorSetWithTemplateKHR push_template;
} Push;

static void
start (VtrAppDemo *demo)
{
  Push *self = (Push *)demo;
  const VkDescriptorUpdateTemplateEntry entries[] = {
    { 0, 0, 1, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, offsetof (Data, tint), 0 },
    { 1, 0, 1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, offsetof (Data, texture), 0 },
  };
  VkDescriptorUpdateTemplateCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_UPDATE_TEMPLATE_CREATE_INFO,
    .descriptorUpdateEntryCount = 2,
    .pDescriptorUpdateEntries = entries,
    .templateType = VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_PUSH_DESCRIPTORS_KHR,
    .pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
  };

  vtr_app_demo_inputs (demo, &self->inputs, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
                       VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR);
  info.pipelineLayout = self->inputs.layout;
  vtr_app_check (vkCreateDescriptorUpdateTemplate (demo->scene.gpu.device, &info, NULL,
                                                   &self->template),
                 "vkCreateDescriptorUpdateTemplate");
  VTR_APP_KEEP (&demo->scene, DESCRIPTOR_UPDATE_TEMPLATE, self->template);
  self->push = VTR_APP_NEED (demo, vkCmdPushDescriptorSetKHR);
  self->push_template = VTR_APP_NEED (demo, vkCmdPushDescriptorSetWithTemplateKHR);
}

static Data
data_of (Push     *self,
         uint32_t  tint,
         uint32_t  texture)
{
  return (Data){ .tint = { self->inputs.tints->buffer, tint * 256, 16 },
                 .texture = { self->inputs.sampler, self->inputs.textures[texture]->view,
                              VK_IMAGE_LAYOUT_GENERAL } };
}

/* @first, @n: of the two bindings. */
static void
push (Push       *self,
      const Data *data,
      uint32_t    first,
      uint32_t    n)
{
  const VkWriteDescriptorSet writes[] = {
    { .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
      .descriptorCount = 1,
      .descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
      .pBufferInfo = &data->tint },
    { .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
      .dstBinding = 1,
      .descriptorCount = 1,
      .descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
      .pImageInfo = &data->texture },
  };

  self->push (self->demo.commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->inputs.layout, 0, n,
              writes + first);
}

static void
draw (VtrAppDemo *demo)
{
  Push *self = (Push *)demo;
  const Data first = data_of (self, 0, 0), second = data_of (self, 1, 1);

  vtr_app_demo_begin_rendering (demo);
  vkCmdBindPipeline (demo->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->inputs.pipeline);
  push (self, &first, 0, 2);
  vtr_app_demo_triangle (demo, 1);
  vtr_app_demo_check (demo);
  push (self, &second, 1, 1);
  vtr_app_demo_triangle (demo, 3);
  vtr_app_demo_check (demo);
  self->push_template (demo->commands, self->template, self->inputs.layout, 0, &second);
  vtr_app_demo_triangle (demo, 5);
  push (self, &first, 0, 1);
  vtr_app_demo_triangle (demo, 7);
  vtr_app_demo_check (demo);
  vtr_app_demo_end_rendering (demo);
}

int
main (int    argc,
      char **argv)
{
  static const char *const extensions[] = { VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME, NULL };
  Push self = { 0 };

  return vtr_app_demo_run (&self.demo,
                           &(VtrAppDemoInfo){ .what = "push descriptors",
                                              .extensions = extensions,
                                              .start = start,
                                              .draw = draw },
                           argc, argv);
}
