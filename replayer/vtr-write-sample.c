/* Fills one sample of a multisampled image, which nothing can copy to.
 *
 * The texels come into an image with one sample and the same format; a triangle over all of it
 * draws them, and the sample mask lets only the one sample through. Stencil is set bit by bit. */
#include "vtr-replay-vk-private.h"

#include "vulkan/vtr-write-shaders.h"
#include "vulkan/vtr-vulkan-formats.h"

typedef struct
{
  VtrReplayVk *vk;
  VtrTable *table;
  const VtrReplayWriteImage *write;
  const VtrPixelFormat *format;
  VkExtent3D level; /* of the multisampled image */
  VkSampleCountFlagBits samples;
  VkImageAspectFlags all;   /* aspects of the format */
  VkImageLayout attachment; /* layout that is drawn in */

  VkImage source;
  VkDeviceMemory memory;
  VkImageView source_view;
  VkImageView view;
  VkRenderPass pass;
  VkFramebuffer framebuffer;
  VkDescriptorSetLayout set_layout;
  VkPipelineLayout layout;
  VkDescriptorPool pool;
  VkDescriptorSet set;
  VkShaderModule vertex;
  VkShaderModule shader;
  VkPipeline pipeline;
  VkPipeline clear; /* stencil: sets all bits to 0 */
} Writer;

typedef struct
{
  int32_t y;
  uint32_t bit;
} Where;

static void
finish (Writer *self)
{
  VkDevice device = self->table->device;

#define DESTROY(what, member) \
  if (self->member != VK_NULL_HANDLE) \
    VTR_CALL (self->vk, self->table, what) \
  (device, self->member, NULL)
  DESTROY (vkDestroyPipeline, clear);
  DESTROY (vkDestroyPipeline, pipeline);
  DESTROY (vkDestroyShaderModule, shader);
  DESTROY (vkDestroyShaderModule, vertex);
  DESTROY (vkDestroyDescriptorPool, pool);
  DESTROY (vkDestroyPipelineLayout, layout);
  DESTROY (vkDestroyDescriptorSetLayout, set_layout);
  DESTROY (vkDestroyFramebuffer, framebuffer);
  DESTROY (vkDestroyRenderPass, pass);
  DESTROY (vkDestroyImageView, view);
  DESTROY (vkDestroyImageView, source_view);
  DESTROY (vkDestroyImage, source);
  DESTROY (vkFreeMemory, memory);
#undef DESTROY
}

static bool
is_color (const Writer *self)
{
  return self->write->aspect == VK_IMAGE_ASPECT_COLOR_BIT;
}

/* --- What is drawn with ---------------------------------------------------------------------- */

static VkResult
make_view (const Writer       *self,
           VkImage             image,
           VkImageAspectFlags  aspects,
           uint32_t            layer,
           VkImageView        *view)
{
  const VkImageViewCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
    .image = image,
    .viewType = VK_IMAGE_VIEW_TYPE_2D,
    .format = (VkFormat)self->write->format,
    .subresourceRange = { aspects, 0, 1, layer, 1 },
  };

  return VTR_CALL (self->vk, self->table, vkCreateImageView) (self->table->device, &info, NULL,
                                                              view);
}

static VkResult
make_source (Writer *self)
{
  const VkImageCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
    .imageType = VK_IMAGE_TYPE_2D,
    .format = (VkFormat)self->write->format,
    .extent = { self->write->width, self->write->height, 1 },
    .mipLevels = 1,
    .arrayLayers = 1,
    .samples = VK_SAMPLE_COUNT_1_BIT,
    .usage = VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_SAMPLED_BIT,
  };
  VkMemoryAllocateInfo allocate = { .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO };
  VkMemoryRequirements requirements;
  VkDevice device = self->table->device;
  VkResult result =
    VTR_CALL (self->vk, self->table, vkCreateImage) (device, &info, NULL, &self->source);

  if (result < 0)
    return result;
  VTR_CALL (self->vk, self->table, vkGetImageMemoryRequirements)
  (device, self->source, &requirements);
  allocate.allocationSize = requirements.size;
  allocate.memoryTypeIndex = vtr_memory_find_type (self->table, requirements.memoryTypeBits, 0,
                                                   VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
  result = VTR_CALL (self->vk, self->table, vkAllocateMemory) (device, &allocate, NULL,
                                                               &self->memory);
  if (result >= 0)
    result = VTR_CALL (self->vk, self->table, vkBindImageMemory) (device, self->source,
                                                                  self->memory, 0);
  if (result >= 0)
    result = make_view (self, self->source, self->write->aspect, 0, &self->source_view);
  return result;
}

static VkResult
make_pass (Writer *self)
{
  const VkAttachmentDescription attachment = {
    .format = (VkFormat)self->write->format,
    .samples = self->samples,
    .loadOp = VK_ATTACHMENT_LOAD_OP_LOAD,
    .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
    .stencilLoadOp = VK_ATTACHMENT_LOAD_OP_LOAD,
    .stencilStoreOp = VK_ATTACHMENT_STORE_OP_STORE,
    .initialLayout = self->attachment,
    .finalLayout = self->attachment,
  };
  const VkAttachmentReference reference = { 0, self->attachment };
  const VkSubpassDescription subpass = {
    .pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
    .colorAttachmentCount = is_color (self) ? 1 : 0,
    .pColorAttachments = &reference,
    .pDepthStencilAttachment = is_color (self) ? NULL : &reference,
  };
  const VkRenderPassCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
    .attachmentCount = 1,
    .pAttachments = &attachment,
    .subpassCount = 1,
    .pSubpasses = &subpass,
  };
  VkFramebufferCreateInfo framebuffer = {
    .sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
    .attachmentCount = 1,
    .pAttachments = &self->view,
    .width = self->level.width,
    .height = self->level.height,
    .layers = 1,
  };
  VkDevice device = self->table->device;
  VkResult result =
    VTR_CALL (self->vk, self->table, vkCreateRenderPass) (device, &info, NULL, &self->pass);

  if (result < 0)
    return result;
  framebuffer.renderPass = self->pass;
  return VTR_CALL (self->vk, self->table, vkCreateFramebuffer) (device, &framebuffer, NULL,
                                                                &self->framebuffer);
}

static VkResult
make_layouts (Writer *self)
{
  const VkDescriptorSetLayoutBinding binding = { 0, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 1,
                                                 VK_SHADER_STAGE_FRAGMENT_BIT, NULL };
  const VkDescriptorSetLayoutCreateInfo set_info = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
    .bindingCount = 1,
    .pBindings = &binding,
  };
  const VkPushConstantRange constants = { VK_SHADER_STAGE_FRAGMENT_BIT, 0, sizeof (Where) };
  const VkPipelineLayoutCreateInfo layout_info = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
    .setLayoutCount = 1,
    .pSetLayouts = &self->set_layout,
    .pushConstantRangeCount = 1,
    .pPushConstantRanges = &constants,
  };
  VkDevice device = self->table->device;
  VkResult result = VTR_CALL (self->vk, self->table, vkCreateDescriptorSetLayout) (
    device, &set_info, NULL, &self->set_layout);

  if (result < 0)
    return result;
  return VTR_CALL (self->vk, self->table, vkCreatePipelineLayout) (device, &layout_info, NULL,
                                                                   &self->layout);
}

static VkResult
make_set (Writer *self)
{
  const VkDescriptorPoolSize size = { VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 1 };
  const VkDescriptorPoolCreateInfo pool = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
    .maxSets = 1,
    .poolSizeCount = 1,
    .pPoolSizes = &size,
  };
  VkDescriptorSetAllocateInfo allocate = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
    .descriptorSetCount = 1,
    .pSetLayouts = &self->set_layout,
  };
  const VkDescriptorImageInfo image = {
    .imageView = self->source_view,
    .imageLayout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
  };
  VkWriteDescriptorSet write = {
    .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
    .descriptorCount = 1,
    .descriptorType = VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,
    .pImageInfo = &image,
  };
  VkDevice device = self->table->device;
  VkResult result =
    VTR_CALL (self->vk, self->table, vkCreateDescriptorPool) (device, &pool, NULL, &self->pool);

  if (result < 0)
    return result;
  allocate.descriptorPool = self->pool;
  result =
    VTR_CALL (self->vk, self->table, vkAllocateDescriptorSets) (device, &allocate, &self->set);
  if (result < 0)
    return result;
  write.dstSet = self->set;
  VTR_CALL (self->vk, self->table, vkUpdateDescriptorSets)
  (device, 1, &write, 0, NULL);
  return VK_SUCCESS;
}

/* --- Pipelines ------------------------------------------------------------------------------- */

static VkResult
make_shader (const Writer   *self,
             const uint32_t *words,
             size_t          size,
             VkShaderModule *module)
{
  const VkShaderModuleCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
    .codeSize = size,
    .pCode = words,
  };

  return VTR_CALL (self->vk, self->table, vkCreateShaderModule) (self->table->device, &info, NULL,
                                                                 module);
}

static VkResult
make_shaders (Writer *self)
{
  VkResult result = make_shader (self, write_everywhere, sizeof write_everywhere, &self->vertex);

  if (result < 0)
    return result;
  if (self->write->aspect == VK_IMAGE_ASPECT_DEPTH_BIT)
    return make_shader (self, write_depth, sizeof write_depth, &self->shader);
  if (self->write->aspect == VK_IMAGE_ASPECT_STENCIL_BIT)
    return make_shader (self, write_stencil, sizeof write_stencil, &self->shader);
  switch (vtr_pixel_format_get_class (self->format))
    {
    case VTR_PIXEL_UINT:
      return make_shader (self, write_color_uint, sizeof write_color_uint, &self->shader);
    case VTR_PIXEL_SINT:
      return make_shader (self, write_color_sint, sizeof write_color_sint, &self->shader);
    case VTR_PIXEL_FLOAT:
      break;
    }
  return make_shader (self, write_color_float, sizeof write_color_float, &self->shader);
}

/* @op: what becomes of stencil where a fragment is drawn. @shader: VK_NULL_HANDLE: everywhere. */
static VkResult
make_pipeline (const Writer   *self,
               VkShaderModule  shader,
               VkStencilOp     op,
               VkPipeline     *pipeline)
{
  const VkPipelineShaderStageCreateInfo stages[2] = {
    { .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
      .stage = VK_SHADER_STAGE_VERTEX_BIT,
      .module = self->vertex,
      .pName = "main" },
    { .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
      .stage = VK_SHADER_STAGE_FRAGMENT_BIT,
      .module = shader,
      .pName = "main" },
  };
  const VkPipelineVertexInputStateCreateInfo vertices = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO,
  };
  const VkPipelineInputAssemblyStateCreateInfo assembly = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
    .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
  };
  const VkViewport viewport = { 0, 0, (float)self->level.width, (float)self->level.height, 0, 1 };
  const VkRect2D scissor = { { 0, (int32_t)self->write->y },
                             { self->write->width, self->write->height } };
  const VkPipelineViewportStateCreateInfo viewports = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
    .viewportCount = 1,
    .pViewports = &viewport,
    .scissorCount = 1,
    .pScissors = &scissor,
  };
  const VkPipelineRasterizationStateCreateInfo rasterization = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO,
    .lineWidth = 1,
  };
  const VkSampleMask mask[2] = {
    self->write->sample < 32 ? 1u << self->write->sample : 0,
    self->write->sample < 32 ? 0 : 1u << (self->write->sample - 32),
  };
  const VkPipelineMultisampleStateCreateInfo multisample = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
    .rasterizationSamples = self->samples,
    .pSampleMask = mask,
  };
  const VkStencilOpState stencil = {
    .failOp = op,
    .passOp = op,
    .depthFailOp = op,
    .compareOp = VK_COMPARE_OP_ALWAYS,
    .reference = 0xff,
  };
  const VkPipelineDepthStencilStateCreateInfo depth = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO,
    .depthTestEnable = self->write->aspect == VK_IMAGE_ASPECT_DEPTH_BIT,
    .depthWriteEnable = self->write->aspect == VK_IMAGE_ASPECT_DEPTH_BIT,
    .depthCompareOp = VK_COMPARE_OP_ALWAYS,
    .stencilTestEnable = self->write->aspect == VK_IMAGE_ASPECT_STENCIL_BIT,
    .front = stencil,
    .back = stencil,
  };
  const VkPipelineColorBlendAttachmentState all = { .colorWriteMask = 0xf };
  const VkPipelineColorBlendStateCreateInfo blend = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
    .attachmentCount = is_color (self) ? 1 : 0,
    .pAttachments = &all,
  };
  const VkDynamicState dynamic = VK_DYNAMIC_STATE_STENCIL_WRITE_MASK;
  const VkPipelineDynamicStateCreateInfo dynamics = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO,
    .dynamicStateCount = 1,
    .pDynamicStates = &dynamic,
  };
  const VkGraphicsPipelineCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
    .stageCount = shader == VK_NULL_HANDLE ? 1 : 2,
    .pStages = stages,
    .pVertexInputState = &vertices,
    .pInputAssemblyState = &assembly,
    .pViewportState = &viewports,
    .pRasterizationState = &rasterization,
    .pMultisampleState = &multisample,
    .pDepthStencilState = &depth,
    .pColorBlendState = &blend,
    .pDynamicState = &dynamics,
    .layout = self->layout,
    .renderPass = self->pass,
  };

  return VTR_CALL (self->vk, self->table, vkCreateGraphicsPipelines) (
    self->table->device, VK_NULL_HANDLE, 1, &info, NULL, pipeline);
}

static VkResult
make_all (Writer *self)
{
  VkResult result = make_source (self);

  if (result >= 0)
    result = make_view (self, VTR_HANDLE_FROM (VkImage, self->write->image), self->all,
                        self->write->layer, &self->view);
  if (result >= 0)
    result = make_pass (self);
  if (result >= 0)
    result = make_layouts (self);
  if (result >= 0)
    result = make_set (self);
  if (result >= 0)
    result = make_shaders (self);
  if (result >= 0)
    result = make_pipeline (self, self->shader, VK_STENCIL_OP_REPLACE, &self->pipeline);
  if (result >= 0 && self->write->aspect == VK_IMAGE_ASPECT_STENCIL_BIT)
    result = make_pipeline (self, VK_NULL_HANDLE, VK_STENCIL_OP_ZERO, &self->clear);
  return result;
}

/* --- Drawing --------------------------------------------------------------------------------- */

static void
put_barrier (const Writer       *self,
             VkCommandBuffer     commands,
             VkImage             image,
             VkImageAspectFlags  aspects,
             uint32_t            layer,
             VkImageLayout       from,
             VkImageLayout       to)
{
  const VkImageMemoryBarrier barrier = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
    .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
    .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
    .oldLayout = from,
    .newLayout = to,
    .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
    .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
    .image = image,
    .subresourceRange = { aspects, 0, 1, layer, 1 },
  };

  VTR_CALL (self->vk, self->table, vkCmdPipelineBarrier)
  (commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0,
   NULL, 1, &barrier);
}

static void
upload (const Writer    *self,
        VkCommandBuffer  commands)
{
  const VkBufferImageCopy region = {
    .imageSubresource = { self->write->aspect, 0, 0, 1 },
    .imageExtent = { self->write->width, self->write->height, 1 },
  };

  put_barrier (self, commands, self->source, self->all, 0, VK_IMAGE_LAYOUT_UNDEFINED,
               VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
  VTR_CALL (self->vk, self->table, vkCmdCopyBufferToImage)
  (commands, self->table->utility.staging, self->source, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1,
   &region);
  put_barrier (self, commands, self->source, self->all, 0, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
               VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
}

static void
draw_once (const Writer    *self,
           VkCommandBuffer  commands,
           VkPipeline       pipeline,
           uint32_t         bits)
{
  const Where where = { (int32_t)self->write->y, bits };

  VTR_CALL (self->vk, self->table, vkCmdBindPipeline)
  (commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
  VTR_CALL (self->vk, self->table, vkCmdSetStencilWriteMask)
  (commands, VK_STENCIL_FACE_FRONT_AND_BACK, bits);
  VTR_CALL (self->vk, self->table, vkCmdPushConstants)
  (commands, self->layout, VK_SHADER_STAGE_FRAGMENT_BIT, 0, sizeof where, &where);
  VTR_CALL (self->vk, self->table, vkCmdDraw)
  (commands, 3, 1, 0, 0);
}

static void
draw (const Writer    *self,
      VkCommandBuffer  commands)
{
  const VkRenderPassBeginInfo begin = {
    .sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
    .renderPass = self->pass,
    .framebuffer = self->framebuffer,
    .renderArea = { { 0, (int32_t)self->write->y }, { self->write->width, self->write->height } },
  };

  VTR_CALL (self->vk, self->table, vkCmdBeginRenderPass)
  (commands, &begin, VK_SUBPASS_CONTENTS_INLINE);
  VTR_CALL (self->vk, self->table, vkCmdBindDescriptorSets)
  (commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->layout, 0, 1, &self->set, 0, NULL);
  if (self->clear == VK_NULL_HANDLE)
    draw_once (self, commands, self->pipeline, 0);
  else
    {
      draw_once (self, commands, self->clear, 0xff);
      for (uint32_t bit = 1; bit < 0x100; bit <<= 1)
        draw_once (self, commands, self->pipeline, bit);
    }
  VTR_CALL (self->vk, self->table, vkCmdEndRenderPass)
  (commands);
}

static bool
run (const Writer *self)
{
  VkImage image = VTR_HANDLE_FROM (VkImage, self->write->image);
  VkImageLayout layout = (VkImageLayout)self->write->layout;
  VkCommandBuffer commands = vtr_utility_begin (self->vk, self->table, 0);

  if (commands == VK_NULL_HANDLE)
    return false;
  upload (self, commands);
  put_barrier (self, commands, image, self->all, self->write->layer, layout, self->attachment);
  draw (self, commands);
  put_barrier (self, commands, image, self->all, self->write->layer, self->attachment, layout);
  return vtr_utility_run (self->vk, self->table, 0);
}

bool
vtr_write_sample (VtrReplayVk               *vk,
                  VtrTable                  *table,
                  const VtrReplayWriteImage *write,
                  const VtrImageInfo        *image)
{
  bool color = write->aspect == VK_IMAGE_ASPECT_COLOR_BIT;
  Writer self = {
    .vk = vk,
    .table = table,
    .write = write,
    .format = vtr_vulkan_format_get (write->format),
    .level = image->extent,
    .samples = image->samples,
    .attachment = color ? VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL
                        : VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
  };
  VkImageUsageFlags needed = color ? VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT
                                   : VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
  VkResult result;
  bool ok;

  if ((image->usage & needed) == 0)
    {
      vtr_vm_fail (vk->vm, VTR_VM_ERROR_UNSUPPORTED,
                   "A multisampled image of format %u cannot be filled: it is no attachment.",
                   write->format);
      return false;
    }
  if (color)
    self.all = VK_IMAGE_ASPECT_COLOR_BIT;
  if (vtr_pixel_format_find_plane (self.format, VTR_PIXEL_DEPTH) != NULL)
    self.all |= VK_IMAGE_ASPECT_DEPTH_BIT;
  if (vtr_pixel_format_find_plane (self.format, VTR_PIXEL_STENCIL) != NULL)
    self.all |= VK_IMAGE_ASPECT_STENCIL_BIT;
  result = make_all (&self);
  ok = result >= 0 ? run (&self) : vtr_replay_vk_failed (vk, "Preparing to fill a sample", result);
  finish (&self);
  return ok;
}
