/* Creates the parts of demos: buffers, pipelines, layouts, sets, textures. */
#include "vtr-app-demo.h"

#include "demo_set_frag.h"

#include <string.h>

VtrAppBuffer *
vtr_app_demo_buffer (VtrAppDemo         *self,
                     const char         *name,
                     VkDeviceSize        size,
                     VkBufferUsageFlags  usage)
{
  VtrAppBuffer *buffer = &self->buffers[self->n_buffers].buffer;
  VkDebugUtilsObjectNameInfoEXT named = {
    .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
    .objectType = VK_OBJECT_TYPE_BUFFER,
    .pObjectName = name,
  };

  if (self->n_buffers == sizeof self->buffers / sizeof self->buffers[0])
    vtr_app_fail ("too many buffers");
  self->buffers[self->n_buffers++].name = name;
  *buffer = vtr_app_buffer (&self->scene.gpu, size,
                            usage | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                              VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                            VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                              VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
  memset (buffer->mapped, 0, size);
  named.objectHandle = (uint64_t)buffer->buffer;
  vtr_app_check (self->scene.set_name (self->scene.gpu.device, &named),
                 "vkSetDebugUtilsObjectNameEXT");
  return buffer;
}

VkPipeline
vtr_app_demo_pipeline (VtrAppDemo *self,
                       void (*change) (VkGraphicsPipelineCreateInfo *create,
                                       void *data),
                       void *data)
{
  const VkFormat format = VTR_APP_DEMO_FORMAT;

  return vtr_app_pipeline (&self->scene, &(VtrAppPipelineInfo){ .n_colors = 1,
                                                                .formats = &format,
                                                                .change = change,
                                                                .data = data });
}

VkRenderPass
vtr_app_demo_pass (VkDevice device)
{
  const VkAttachmentDescription attachment = {
    .format = VTR_APP_DEMO_FORMAT,
    .samples = VK_SAMPLE_COUNT_1_BIT,
    .loadOp = VK_ATTACHMENT_LOAD_OP_LOAD,
    .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
    .initialLayout = VK_IMAGE_LAYOUT_GENERAL,
    .finalLayout = VK_IMAGE_LAYOUT_GENERAL,
  };
  const VkAttachmentReference color = { 0, VK_IMAGE_LAYOUT_GENERAL };
  const VkSubpassDescription subpass = { .colorAttachmentCount = 1, .pColorAttachments = &color };
  const VkRenderPassCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
    .attachmentCount = 1,
    .pAttachments = &attachment,
    .subpassCount = 1,
    .pSubpasses = &subpass,
  };
  VkRenderPass pass;

  vtr_app_check (vkCreateRenderPass (device, &info, NULL, &pass), "vkCreateRenderPass");
  return pass;
}

VkFramebuffer
vtr_app_demo_framebuffer (VtrAppDemo   *self,
                          VkRenderPass  pass)
{
  const VkFramebufferCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
    .renderPass = pass,
    .attachmentCount = 1,
    .pAttachments = &self->color->view,
    .width = VTR_APP_DEMO_WIDTH,
    .height = VTR_APP_DEMO_HEIGHT,
    .layers = 1,
  };
  VkFramebuffer framebuffer;

  vtr_app_check (vkCreateFramebuffer (self->scene.gpu.device, &info, NULL, &framebuffer),
                 "vkCreateFramebuffer");
  VTR_APP_KEEP (&self->scene, FRAMEBUFFER, framebuffer);
  return framebuffer;
}

VkPipeline
vtr_app_demo_compute (VtrAppDemo       *self,
                      const uint32_t    code[],
                      size_t            size,
                      VkPipelineLayout  layout)
{
  const VkComputePipelineCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
    .stage = { .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
               .stage = VK_SHADER_STAGE_COMPUTE_BIT,
               .module = vtr_app_scene_shader (&self->scene, code, size),
               .pName = "main" },
    .layout = layout,
  };
  VkPipeline pipeline;

  vtr_app_check (vkCreateComputePipelines (self->scene.gpu.device, VK_NULL_HANDLE, 1, &info, NULL,
                                           &pipeline),
                 "vkCreateComputePipelines");
  VTR_APP_KEEP (&self->scene, PIPELINE, pipeline);
  return pipeline;
}

VkDescriptorSetLayout
vtr_app_demo_set_layout (VtrAppDemo                         *self,
                         const VkDescriptorSetLayoutBinding *bindings,
                         uint32_t                            n,
                         VkDescriptorSetLayoutCreateFlags    flags,
                         const void                         *next)
{
  const VkDescriptorSetLayoutCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
    .pNext = next,
    .flags = flags,
    .bindingCount = n,
    .pBindings = bindings,
  };
  VkDescriptorSetLayout layout;

  vtr_app_check (vkCreateDescriptorSetLayout (self->scene.gpu.device, &info, NULL, &layout),
                 "vkCreateDescriptorSetLayout");
  VTR_APP_KEEP (&self->scene, DESCRIPTOR_SET_LAYOUT, layout);
  return layout;
}

VkPipelineLayout
vtr_app_demo_layout (VtrAppDemo            *self,
                     VkDescriptorSetLayout  set,
                     VkShaderStageFlags     stages)
{
  const VkPushConstantRange range = { stages, 0, 128 };
  const VkPipelineLayoutCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
    .setLayoutCount = set != VK_NULL_HANDLE ? 1 : 0,
    .pSetLayouts = &set,
    .pushConstantRangeCount = 1,
    .pPushConstantRanges = &range,
  };
  VkPipelineLayout layout;

  vtr_app_check (vkCreatePipelineLayout (self->scene.gpu.device, &info, NULL, &layout),
                 "vkCreatePipelineLayout");
  VTR_APP_KEEP (&self->scene, PIPELINE_LAYOUT, layout);
  return layout;
}

VkDescriptorSet
vtr_app_demo_set (VtrAppDemo                         *self,
                  VkDescriptorSetLayout               layout,
                  const VkDescriptorSetLayoutBinding *bindings,
                  uint32_t                            n,
                  VkDescriptorPoolCreateFlags         flags,
                  const void                         *next)
{
  VkDescriptorPoolSize sizes[8];
  const VkDescriptorPoolCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
    .pNext = next,
    .flags = flags,
    .maxSets = 1,
    .poolSizeCount = n,
    .pPoolSizes = sizes,
  };
  VkDescriptorSetAllocateInfo allocate = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
    .descriptorSetCount = 1,
    .pSetLayouts = &layout,
  };
  VkDescriptorSet set;

  for (uint32_t i = 0; i < n; i++)
    sizes[i] =
      (VkDescriptorPoolSize){ bindings[i].descriptorType, bindings[i].descriptorCount };
  vtr_app_check (vkCreateDescriptorPool (self->scene.gpu.device, &info, NULL,
                                         &allocate.descriptorPool),
                 "vkCreateDescriptorPool");
  VTR_APP_KEEP (&self->scene, DESCRIPTOR_POOL, allocate.descriptorPool);
  vtr_app_check (vkAllocateDescriptorSets (self->scene.gpu.device, &allocate, &set),
                 "vkAllocateDescriptorSets");
  return set;
}

VtrAppDemoNumbers
vtr_app_demo_numbers (VtrAppDemo *self)
{
  const VkDescriptorSetLayoutBinding binding = { 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1,
                                                 VK_SHADER_STAGE_COMPUTE_BIT, NULL };
  VtrAppDemoNumbers numbers;
  VkDescriptorBufferInfo buffer = { .range = VK_WHOLE_SIZE };
  VkWriteDescriptorSet write = { .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                 .descriptorCount = 1,
                                 .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                 .pBufferInfo = &buffer };

  numbers.buffer = vtr_app_demo_buffer (self, "numbers", 2048, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  for (uint32_t i = 0; i < 512; i++)
    ((uint32_t *)numbers.buffer->mapped)[i] = i * 77;
  numbers.set_layout = vtr_app_demo_set_layout (self, &binding, 1, 0, NULL);
  numbers.layout = vtr_app_demo_layout (self, numbers.set_layout, VK_SHADER_STAGE_COMPUTE_BIT);
  numbers.set = vtr_app_demo_set (self, numbers.set_layout, &binding, 1, 0, NULL);
  buffer.buffer = numbers.buffer->buffer;
  write.dstSet = numbers.set;
  vkUpdateDescriptorSets (self->scene.gpu.device, 1, &write, 0, NULL);
  return numbers;
}

VtrAppPicture *
vtr_app_demo_texture (VtrAppDemo *self,
                      const char *name,
                      uint32_t    seed)
{
  VtrAppPicture *picture =
    vtr_app_picture (&self->scene, &(VtrAppPictureInfo){ .name = name,
                                                         .format = VTR_APP_DEMO_FORMAT,
                                                         .extent = { 8, 8, 1 },
                                                         .usage = VK_IMAGE_USAGE_SAMPLED_BIT });
  VtrAppBuffer *texels =
    vtr_app_demo_buffer (self, name, 256, VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
  const VkBufferImageCopy region = {
    .imageSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
    .imageExtent = { 8, 8, 1 },
  };

  for (uint32_t i = 0; i < 256; i++)
    ((uint8_t *)texels->mapped)[i] = (uint8_t)(i * (37 + 2 * seed) + seed);
  vtr_app_picture_to (self->commands, picture, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
  vkCmdCopyBufferToImage (self->commands, texels->buffer, picture->image, picture->layout, 1,
                          &region);
  vtr_app_picture_to (self->commands, picture, VK_IMAGE_LAYOUT_GENERAL);
  return picture;
}

VkSampler
vtr_app_demo_sampler (VtrAppDemo                *self,
                      const VkSamplerCreateInfo *change)
{
  const VkSamplerCreateInfo plain = { .sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO };
  VkSampler sampler;

  vtr_app_check (vkCreateSampler (self->scene.gpu.device, change != NULL ? change : &plain, NULL,
                                  &sampler),
                 "vkCreateSampler");
  VTR_APP_KEEP (&self->scene, SAMPLER, sampler);
  return sampler;
}

void
vtr_app_demo_set_stage (VkGraphicsPipelineCreateInfo *create,
                        uint32_t                      nth,
                        VkShaderModule                module)
{
  ((VkPipelineShaderStageCreateInfo *)create->pStages)[nth].module = module;
}

static void
use_inputs (VkGraphicsPipelineCreateInfo *create,
            void                         *data)
{
  VtrAppDemoInputs *inputs = data;

  create->layout = inputs->layout;
}

VkShaderModule
vtr_app_demo_input_shader (VtrAppDemo *self)
{
  return vtr_app_scene_shader (&self->scene, demo_set_frag, sizeof demo_set_frag);
}

void
vtr_app_demo_inputs (VtrAppDemo                       *self,
                     VtrAppDemoInputs                 *inputs,
                     VkDescriptorType                  tint,
                     VkDescriptorSetLayoutCreateFlags  flags)
{
  const VkFormat format = VTR_APP_DEMO_FORMAT;
  const VkShaderStageFlags stages = VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;

  inputs->bindings[0] = (VkDescriptorSetLayoutBinding){
    0, tint, tint == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK ? 16 : 1, VK_SHADER_STAGE_FRAGMENT_BIT,
    NULL
  };
  inputs->bindings[1] = (VkDescriptorSetLayoutBinding){
    1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, VK_SHADER_STAGE_FRAGMENT_BIT, NULL
  };
  inputs->set = vtr_app_demo_set_layout (self, inputs->bindings, 2, flags, NULL);
  inputs->layout = vtr_app_demo_layout (self, inputs->set, stages);
  inputs->pipeline = vtr_app_pipeline (
    &self->scene,
    &(VtrAppPipelineInfo){
      .n_colors = 1,
      .formats = &format,
      .fragment = vtr_app_demo_input_shader (self),
      .change = use_inputs,
      .data = inputs });
  inputs->textures[0] = vtr_app_demo_texture (self, "texture0", 1);
  inputs->textures[1] = vtr_app_demo_texture (self, "texture1", 5);
  inputs->sampler = vtr_app_demo_sampler (self, NULL);
  inputs->tints =
    vtr_app_demo_buffer (self, "tints", 512, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT);
  for (uint32_t i = 0; i < 2; i++)
    memcpy ((char *)inputs->tints->mapped + i * 256,
            (const float[]){ 1.5f - (float)i, 0.5f, 0.75f, 1 }, 16);
}
