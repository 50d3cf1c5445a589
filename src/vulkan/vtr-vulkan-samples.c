/* Creates the Vulkan objects (views, descriptor sets, render passes, pipelines) for reading and
 * writing single samples of a multisampled image. */
#include "vtr-vulkan-samples-private.h"

/* ---- Images ---- */

static VkResult
make_view (VtrSamplesObjects       *self,
           VkImage                  image,
           VkFormat                 format,
           VkImageSubresourceRange  range,
           VkImageView             *view)
{
  const VkImageViewCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
    .image = image,
    .viewType = VK_IMAGE_VIEW_TYPE_2D,
    .format = format,
    .subresourceRange = range,
  };

  return self->driver.CreateImageView (self->driver.device, &info, NULL, view);
}

VkResult
vtr_samples_make_view (VtrSamplesObjects    *self,
                       const VtrSamplesPart *part,
                       VkImageAspectFlags    aspects)
{
  const VkImageSubresourceRange range = { aspects, part->mip, 1, part->layer, 1 };

  return make_view (self, part->image, part->format, range, &self->view);
}

/* The first memory type of @bits that is the device's own, or else the first. */
static uint32_t
find_memory_type (const VtrSamplesObjects *self,
                  uint32_t                 bits)
{
  const VkPhysicalDeviceMemoryProperties *memory = self->driver.memory;
  uint32_t found = UINT32_MAX;

  for (uint32_t i = 0; i < memory->memoryTypeCount; i++)
    {
      if ((bits >> i & 1) == 0)
        continue;
      if ((memory->memoryTypes[i].propertyFlags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT) != 0)
        return i;
      if (found == UINT32_MAX)
        found = i;
    }
  return found;
}

static VkResult
allocate_single (VtrSamplesObjects *self)
{
  const VtrSamplesDriver *driver = &self->driver;
  VkMemoryAllocateInfo allocate = { .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO };
  VkMemoryRequirements requirements;
  VkResult result;

  driver->GetImageMemoryRequirements (driver->device, self->single, &requirements);
  allocate.allocationSize = requirements.size;
  allocate.memoryTypeIndex = find_memory_type (self, requirements.memoryTypeBits);
  if (allocate.memoryTypeIndex == UINT32_MAX)
    return VK_ERROR_OUT_OF_DEVICE_MEMORY;
  result = driver->AllocateMemory (driver->device, &allocate, NULL, &self->memory);
  if (result < 0)
    return result;
  return driver->BindImageMemory (driver->device, self->single, self->memory, 0);
}

VkResult
vtr_samples_make_single (VtrSamplesObjects    *self,
                         const VtrSamplesPart *part,
                         uint32_t              width,
                         uint32_t              height,
                         VkImageUsageFlags     usage)
{
  const VkImageCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
    .imageType = VK_IMAGE_TYPE_2D,
    .format = part->format,
    .extent = { width, height, 1 },
    .mipLevels = 1,
    .arrayLayers = 1,
    .samples = VK_SAMPLE_COUNT_1_BIT,
    .usage = usage,
  };
  const VkImageSubresourceRange range = { part->aspect, 0, 1, 0, 1 };
  VkResult result = self->driver.CreateImage (self->driver.device, &info, NULL, &self->single);

  if (result >= 0)
    result = allocate_single (self);
  if (result >= 0)
    result = make_view (self, self->single, part->format, range, &self->single_view);
  return result;
}

/* ---- Descriptors ---- */

static VkResult
make_layouts (VtrSamplesObjects  *self,
              VkShaderStageFlags  stage,
              uint32_t            n_constants,
              uint32_t            n_bindings)
{
  const VtrSamplesDriver *driver = &self->driver;
  const VkDescriptorSetLayoutBinding bindings[] = {
    { 0, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 1, stage, NULL },
    { 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC, 1, stage, NULL },
  };
  const VkDescriptorSetLayoutCreateInfo set_info = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
    .bindingCount = n_bindings,
    .pBindings = bindings,
  };
  const VkPushConstantRange constants = { stage, 0, n_constants };
  const VkPipelineLayoutCreateInfo layout_info = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
    .setLayoutCount = 1,
    .pSetLayouts = &self->set_layout,
    .pushConstantRangeCount = 1,
    .pPushConstantRanges = &constants,
  };
  VkResult result =
    driver->CreateDescriptorSetLayout (driver->device, &set_info, NULL, &self->set_layout);

  if (result < 0)
    return result;
  return driver->CreatePipelineLayout (driver->device, &layout_info, NULL, &self->layout);
}

static VkResult
allocate_set (VtrSamplesObjects *self,
              uint32_t           n_bindings)
{
  const VtrSamplesDriver *driver = &self->driver;
  const VkDescriptorPoolSize sizes[] = { { VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 1 },
                                         { VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC, 1 } };
  const VkDescriptorPoolCreateInfo pool = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
    .maxSets = 1,
    .poolSizeCount = n_bindings,
    .pPoolSizes = sizes,
  };
  VkDescriptorSetAllocateInfo allocate = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
    .descriptorSetCount = 1,
    .pSetLayouts = &self->set_layout,
  };
  VkResult result = driver->CreateDescriptorPool (driver->device, &pool, NULL, &self->pool);

  if (result < 0)
    return result;
  allocate.descriptorPool = self->pool;
  return driver->AllocateDescriptorSets (driver->device, &allocate, &self->set);
}

VkResult
vtr_samples_make_set (VtrSamplesObjects           *self,
                      VkShaderStageFlags           stage,
                      uint32_t                     n_constants,
                      const VkDescriptorImageInfo *image,
                      VkBuffer                     buffer,
                      VkDeviceSize                 range)
{
  const VkDescriptorBufferInfo words = { buffer, 0, range };
  const uint32_t n_bindings = range > 0 ? 2 : 1;
  VkWriteDescriptorSet writes[2] = {
    { .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
      .descriptorCount = 1,
      .descriptorType = VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,
      .pImageInfo = image },
    { .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
      .dstBinding = 1,
      .descriptorCount = 1,
      .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC,
      .pBufferInfo = &words },
  };
  VkResult result = make_layouts (self, stage, n_constants, n_bindings);

  if (result >= 0)
    result = allocate_set (self, n_bindings);
  if (result < 0)
    return result;
  writes[0].dstSet = writes[1].dstSet = self->set;
  self->driver.UpdateDescriptorSets (self->driver.device, n_bindings, writes, 0, NULL);
  return VK_SUCCESS;
}

/* ---- Drawing ---- */

VkResult
vtr_samples_make_pass (VtrSamplesObjects             *self,
                       const VkAttachmentDescription *attachment,
                       bool                           color,
                       const VkSubpassDependency     *dependencies,
                       uint32_t                       n_dependencies,
                       VkImageView                    view,
                       uint32_t                       width,
                       uint32_t                       height)
{
  const VtrSamplesDriver *driver = &self->driver;
  const VkAttachmentReference reference = {
    0, color ? VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL
             : VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL
  };
  const VkSubpassDescription subpass = {
    .pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
    .colorAttachmentCount = color ? 1 : 0,
    .pColorAttachments = &reference,
    .pDepthStencilAttachment = color ? NULL : &reference,
  };
  const VkRenderPassCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
    .attachmentCount = 1,
    .pAttachments = attachment,
    .subpassCount = 1,
    .pSubpasses = &subpass,
    .dependencyCount = n_dependencies,
    .pDependencies = dependencies,
  };
  VkFramebufferCreateInfo framebuffer = {
    .sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
    .attachmentCount = 1,
    .pAttachments = &view,
    .width = width,
    .height = height,
    .layers = 1,
  };
  VkResult result = driver->CreateRenderPass (driver->device, &info, NULL, &self->pass);

  if (result < 0)
    return result;
  framebuffer.renderPass = self->pass;
  return driver->CreateFramebuffer (driver->device, &framebuffer, NULL, &self->framebuffer);
}

VkResult
vtr_samples_make_shader (VtrSamplesObjects *self,
                         const uint32_t    *words,
                         size_t             size,
                         VkShaderModule    *module)
{
  const VkShaderModuleCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
    .codeSize = size,
    .pCode = words,
  };

  return self->driver.CreateShaderModule (self->driver.device, &info, NULL, module);
}

VkResult
vtr_samples_make_triangle (VtrSamplesObjects        *self,
                           const VtrSamplesTriangle *triangle,
                           VkPipeline               *pipeline)
{
  const VkPipelineShaderStageCreateInfo stages[2] = {
    { .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
      .stage = VK_SHADER_STAGE_VERTEX_BIT,
      .module = self->vertex,
      .pName = "main" },
    { .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
      .stage = VK_SHADER_STAGE_FRAGMENT_BIT,
      .module = triangle->fragment,
      .pName = "main" },
  };
  const VkPipelineVertexInputStateCreateInfo vertices = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO,
  };
  const VkPipelineInputAssemblyStateCreateInfo assembly = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
    .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
  };
  const VkViewport viewport = { 0, 0, (float)triangle->width, (float)triangle->height, 0, 1 };
  const VkPipelineViewportStateCreateInfo viewports = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
    .viewportCount = 1,
    .pViewports = &viewport,
    .scissorCount = 1,
    .pScissors = &triangle->scissor,
  };
  const VkPipelineRasterizationStateCreateInfo rasterization = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO,
    .lineWidth = 1,
  };
  const VkPipelineColorBlendAttachmentState all = { .colorWriteMask = 0xf };
  const VkPipelineColorBlendStateCreateInfo blend = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
    .attachmentCount = triangle->color ? 1 : 0,
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
    .stageCount = triangle->fragment == VK_NULL_HANDLE ? 1 : 2,
    .pStages = stages,
    .pVertexInputState = &vertices,
    .pInputAssemblyState = &assembly,
    .pViewportState = &viewports,
    .pRasterizationState = &rasterization,
    .pMultisampleState = &triangle->multisample,
    .pDepthStencilState = triangle->color ? NULL : &triangle->depth,
    .pColorBlendState = &blend,
    .pDynamicState = triangle->stencil_mask ? &dynamics : NULL,
    .layout = self->layout,
    .renderPass = self->pass,
  };

  return self->driver.CreateGraphicsPipelines (self->driver.device, VK_NULL_HANDLE, 1, &info, NULL,
                                               pipeline);
}

/* ---- The end ---- */

void
vtr_samples_destroy (VtrSamplesObjects *self)
{
  const VtrSamplesDriver *driver = &self->driver;

#define DESTROY(function, member) \
  if (self->member != VK_NULL_HANDLE) \
    driver->function (driver->device, self->member, NULL); \
  self->member = VK_NULL_HANDLE
  DESTROY (DestroyPipeline, clear);
  DESTROY (DestroyPipeline, pipeline);
  DESTROY (DestroyShaderModule, shader);
  DESTROY (DestroyShaderModule, vertex);
  DESTROY (DestroyFramebuffer, framebuffer);
  DESTROY (DestroyRenderPass, pass);
  DESTROY (DestroyDescriptorPool, pool);
  DESTROY (DestroyPipelineLayout, layout);
  DESTROY (DestroyDescriptorSetLayout, set_layout);
  DESTROY (DestroyImageView, single_view);
  DESTROY (DestroyImage, single);
  DESTROY (FreeMemory, memory);
  DESTROY (DestroyImageView, view);
#undef DESTROY
}
