/* Multisampled images, which nothing can copy: sample by sample, by the replayer's shaders.
 *
 * Depth and stencil go through a compute shader as 32-bit words that are packed here; colour goes
 * through a fragment shader into an image with one sample and the same format, which packs
 * exactly. */
#include "vtr-layer-contents-private.h"

#include "vulkan/vtr-read-shaders.h"
#include "vulkan/vtr-vulkan-formats.h"

typedef struct
{
  VtrContents *contents;
  const VtrContentsPart *whole; /* the subresource, sample 0 */
  const VtrPixelFormat *format;
  VkImageAspectFlags aspects; /* of barriers */
  VkImageLayout layout;       /* that it is read in */
  size_t queue;
  bool color;

  VkDescriptorSetLayout set_layout;
  VkPipelineLayout pipeline_layout;
  VkDescriptorPool pool;
  VkDescriptorSet set;
  VkShaderModule vertex;
  VkShaderModule shader;
  VkPipeline pipeline;
  VkImageView view;

  /* Colour only. */
  VkImage target;
  VkDeviceMemory memory;
  VkImageView target_view;
  VkRenderPass pass;
  VkFramebuffer framebuffer;
} Reader;

typedef struct
{
  uint32_t width;
  uint32_t height;
  int32_t sample;
} Which;

static void
finish (Reader *self)
{
  const VtrDeviceDispatch *next = &self->contents->device->next;
  VkDevice device = self->contents->device->handle;

  /* Handles that were not made are null, which is fine. */
  next->DestroyFramebuffer (device, self->framebuffer, NULL);
  next->DestroyRenderPass (device, self->pass, NULL);
  next->DestroyImageView (device, self->target_view, NULL);
  next->DestroyImage (device, self->target, NULL);
  next->FreeMemory (device, self->memory, NULL);
  next->DestroyImageView (device, self->view, NULL);
  next->DestroyPipeline (device, self->pipeline, NULL);
  next->DestroyShaderModule (device, self->shader, NULL);
  next->DestroyShaderModule (device, self->vertex, NULL);
  next->DestroyDescriptorPool (device, self->pool, NULL);
  next->DestroyPipelineLayout (device, self->pipeline_layout, NULL);
  next->DestroyDescriptorSetLayout (device, self->set_layout, NULL);
}

/* ---- Inputs ---- */

static VkResult
make_view (Reader      *self,
           VkImage      image,
           uint32_t     layer,
           VkImageView *view)
{
  const VkImageViewCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
    .image = image,
    .viewType = VK_IMAGE_VIEW_TYPE_2D,
    .format = self->whole->image->info.format,
    .subresourceRange = { self->whole->aspect, 0, 1, layer, 1 },
  };

  return self->contents->device->next.CreateImageView (self->contents->device->handle, &info, NULL,
                                                       view);
}

static VkResult
make_layouts (Reader *self)
{
  const VtrDeviceDispatch *next = &self->contents->device->next;
  VkDevice device = self->contents->device->handle;
  VkShaderStageFlags stage =
    self->color ? VK_SHADER_STAGE_FRAGMENT_BIT : VK_SHADER_STAGE_COMPUTE_BIT;
  const VkDescriptorSetLayoutBinding bindings[] = {
    { 0, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 1, stage, NULL },
    { 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC, 1, stage, NULL },
  };
  const VkDescriptorSetLayoutCreateInfo set_info = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
    .bindingCount = self->color ? 1 : 2,
    .pBindings = bindings,
  };
  const VkPushConstantRange constants = { stage, 0, sizeof (Which) };
  const VkPipelineLayoutCreateInfo layout_info = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
    .setLayoutCount = 1,
    .pSetLayouts = &self->set_layout,
    .pushConstantRangeCount = 1,
    .pPushConstantRanges = &constants,
  };
  VkResult result = next->CreateDescriptorSetLayout (device, &set_info, NULL, &self->set_layout);

  if (result < 0)
    return result;
  return next->CreatePipelineLayout (device, &layout_info, NULL, &self->pipeline_layout);
}

static VkResult
make_set (Reader *self)
{
  const VtrDeviceDispatch *next = &self->contents->device->next;
  VkDevice device = self->contents->device->handle;
  const VkDescriptorPoolSize sizes[] = { { VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 1 },
                                         { VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC, 1 } };
  const VkDescriptorPoolCreateInfo pool = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
    .maxSets = 1,
    .poolSizeCount = 2,
    .pPoolSizes = sizes,
  };
  VkDescriptorSetAllocateInfo allocate = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
    .descriptorSetCount = 1,
    .pSetLayouts = &self->set_layout,
  };
  const VkDescriptorImageInfo image = { .imageView = self->view, .imageLayout = self->layout };
  const VkDescriptorBufferInfo buffer = { self->contents->gpu.staging.readback.buffer, 0,
                                          self->whole->size };
  VkWriteDescriptorSet writes[2] = {
    { .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
      .descriptorCount = 1,
      .descriptorType = VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,
      .pImageInfo = &image },
    { .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
      .dstBinding = 1,
      .descriptorCount = 1,
      .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC,
      .pBufferInfo = &buffer },
  };
  VkResult result = next->CreateDescriptorPool (device, &pool, NULL, &self->pool);

  if (result < 0)
    return result;
  allocate.descriptorPool = self->pool;
  result = next->AllocateDescriptorSets (device, &allocate, &self->set);
  if (result < 0)
    return result;
  writes[0].dstSet = writes[1].dstSet = self->set;
  next->UpdateDescriptorSets (device, self->color ? 1 : 2, writes, 0, NULL);
  return VK_SUCCESS;
}

static VkResult
make_shader (Reader         *self,
             const uint32_t *words,
             size_t          size,
             VkShaderModule *module)
{
  const VkShaderModuleCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
    .codeSize = size,
    .pCode = words,
  };

  return self->contents->device->next.CreateShaderModule (self->contents->device->handle, &info,
                                                          NULL, module);
}

/* ---- Depth and stencil ---- */

static VkResult
make_compute (Reader *self)
{
  const VtrDeviceDispatch *next = &self->contents->device->next;
  VkComputePipelineCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
    .stage = { .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
               .stage = VK_SHADER_STAGE_COMPUTE_BIT,
               .pName = "main" },
    .layout = self->pipeline_layout,
  };
  VkResult result = self->whole->aspect == VK_IMAGE_ASPECT_DEPTH_BIT
                      ? make_shader (self, read_depth, sizeof read_depth, &self->shader)
                      : make_shader (self, read_stencil, sizeof read_stencil, &self->shader);

  if (result < 0)
    return result;
  info.stage.module = self->shader;
  return next->CreateComputePipelines (self->contents->device->handle, VK_NULL_HANDLE, 1, &info,
                                       NULL, &self->pipeline);
}

static void
record_compute (Reader                *self,
                VkCommandBuffer        commands,
                const VtrContentsPart *part)
{
  const VtrDeviceDispatch *next = &self->contents->device->next;
  const Which which = { part->width, part->height, (int32_t)part->sample };
  uint32_t offset = (uint32_t)part->at;

  next->CmdBindPipeline (commands, VK_PIPELINE_BIND_POINT_COMPUTE, self->pipeline);
  next->CmdBindDescriptorSets (commands, VK_PIPELINE_BIND_POINT_COMPUTE, self->pipeline_layout, 0,
                               1, &self->set, 1, &offset);
  next->CmdPushConstants (commands, self->pipeline_layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                          sizeof which, &which);
  next->CmdDispatch (commands, (which.width + 7) / 8, (which.height + 7) / 8, 1);
}

void
vtr_contents_pack_samples (VtrContentsPart *part,
                           uint8_t         *bytes)
{
  const VtrPixelFormat *info = vtr_vulkan_format_get (part->image->info.format);
  uint64_t n = (uint64_t)part->width * part->height;
  const unsigned depth_bits = vtr_pixel_format_get_bits (info, 'D');
  uint64_t texel = 4;

  for (uint64_t i = 0; i < n; i++)
    {
      uint32_t word;
      uint16_t half;
      float depth;

      memcpy (&word, bytes + i * 4, 4);
      memcpy (&depth, &word, 4);
      if (part->aspect == VK_IMAGE_ASPECT_STENCIL_BIT)
        {
          bytes[i] = (uint8_t)word;
          texel = 1;
        }
      else if (depth_bits == 16)
        {
          half = (uint16_t)(depth * 65535.0f + 0.5f);
          memcpy (bytes + i * 2, &half, 2);
          texel = 2;
        }
      else if (depth_bits == 24)
        {
          /* A float holds 24 bits, but not their product with 2^24 - 1. */
          word = (uint32_t)((double)depth * 16777215.0 + 0.5);
          memcpy (bytes + i * 4, &word, 4);
        }
    }
  part->size = n * texel;
  part->words = false;
}

/* ---- Colour ---- */

static VkResult
make_target (Reader *self)
{
  const VtrDeviceDispatch *next = &self->contents->device->next;
  const VkPhysicalDeviceMemoryProperties *properties = &self->contents->device->memory.properties;
  VkDevice device = self->contents->device->handle;
  const VkImageCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
    .imageType = VK_IMAGE_TYPE_2D,
    .format = self->whole->image->info.format,
    .extent = { self->whole->width, self->whole->height, 1 },
    .mipLevels = 1,
    .arrayLayers = 1,
    .samples = VK_SAMPLE_COUNT_1_BIT,
    .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
  };
  VkMemoryAllocateInfo allocate = { .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO };
  VkMemoryRequirements requirements;
  VkResult result = next->CreateImage (device, &info, NULL, &self->target);

  if (result < 0)
    return result;
  next->GetImageMemoryRequirements (device, self->target, &requirements);
  allocate.allocationSize = requirements.size;
  while (allocate.memoryTypeIndex < properties->memoryTypeCount &&
         (requirements.memoryTypeBits & 1u << allocate.memoryTypeIndex) == 0)
    allocate.memoryTypeIndex++;
  result = next->AllocateMemory (device, &allocate, NULL, &self->memory);
  if (result >= 0)
    result = next->BindImageMemory (device, self->target, self->memory, 0);
  return result < 0 ? result : make_view (self, self->target, 0, &self->target_view);
}

static VkResult
make_pass (Reader *self)
{
  const VtrDeviceDispatch *next = &self->contents->device->next;
  VkDevice device = self->contents->device->handle;
  const VkAttachmentDescription attachment = {
    .format = self->whole->image->info.format,
    .samples = VK_SAMPLE_COUNT_1_BIT,
    .loadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
    .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
    .stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
    .stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
    .finalLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
  };
  const VkAttachmentReference reference = { 0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL };
  const VkSubpassDescription subpass = {
    .pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
    .colorAttachmentCount = 1,
    .pColorAttachments = &reference,
  };
  /* The copy of the sample before has to be over, this one's has to wait. */
  const VkSubpassDependency dependencies[] = {
    { VK_SUBPASS_EXTERNAL, 0, VK_PIPELINE_STAGE_TRANSFER_BIT,
      VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT, VK_ACCESS_TRANSFER_READ_BIT,
      VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT, 0 },
    { 0, VK_SUBPASS_EXTERNAL, VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
      VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
      VK_ACCESS_TRANSFER_READ_BIT, 0 },
  };
  const VkRenderPassCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
    .attachmentCount = 1,
    .pAttachments = &attachment,
    .subpassCount = 1,
    .pSubpasses = &subpass,
    .dependencyCount = 2,
    .pDependencies = dependencies,
  };
  VkFramebufferCreateInfo framebuffer = {
    .sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
    .attachmentCount = 1,
    .pAttachments = &self->target_view,
    .width = self->whole->width,
    .height = self->whole->height,
    .layers = 1,
  };
  VkResult result = next->CreateRenderPass (device, &info, NULL, &self->pass);

  if (result < 0)
    return result;
  framebuffer.renderPass = self->pass;
  return next->CreateFramebuffer (device, &framebuffer, NULL, &self->framebuffer);
}

static VkResult
make_shaders (Reader *self)
{
  VkResult result = make_shader (self, read_everywhere, sizeof read_everywhere, &self->vertex);

  if (result < 0)
    return result;
  switch (vtr_pixel_format_get_class (self->format))
    {
    case VTR_PIXEL_UINT:
      return make_shader (self, read_color_uint, sizeof read_color_uint, &self->shader);
    case VTR_PIXEL_SINT:
      return make_shader (self, read_color_sint, sizeof read_color_sint, &self->shader);
    case VTR_PIXEL_FLOAT:
      break;
    }
  return make_shader (self, read_color_float, sizeof read_color_float, &self->shader);
}

static VkResult
make_pipeline (Reader *self)
{
  const VkPipelineShaderStageCreateInfo stages[2] = {
    { .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
      .stage = VK_SHADER_STAGE_VERTEX_BIT,
      .module = self->vertex,
      .pName = "main" },
    { .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
      .stage = VK_SHADER_STAGE_FRAGMENT_BIT,
      .module = self->shader,
      .pName = "main" },
  };
  const VkPipelineVertexInputStateCreateInfo vertices = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO,
  };
  const VkPipelineInputAssemblyStateCreateInfo assembly = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
    .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
  };
  const VkViewport viewport = { 0, 0, (float)self->whole->width, (float)self->whole->height, 0, 1 };
  const VkRect2D scissor = { { 0, 0 }, { self->whole->width, self->whole->height } };
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
  const VkPipelineMultisampleStateCreateInfo multisample = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
    .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT,
  };
  const VkPipelineColorBlendAttachmentState all = { .colorWriteMask = 0xf };
  const VkPipelineColorBlendStateCreateInfo blend = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
    .attachmentCount = 1,
    .pAttachments = &all,
  };
  const VkGraphicsPipelineCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
    .stageCount = 2,
    .pStages = stages,
    .pVertexInputState = &vertices,
    .pInputAssemblyState = &assembly,
    .pViewportState = &viewports,
    .pRasterizationState = &rasterization,
    .pMultisampleState = &multisample,
    .pColorBlendState = &blend,
    .layout = self->pipeline_layout,
    .renderPass = self->pass,
  };

  return self->contents->device->next.CreateGraphicsPipelines (
    self->contents->device->handle, VK_NULL_HANDLE, 1, &info, NULL, &self->pipeline);
}

static VkResult
make_graphics (Reader *self)
{
  VkResult result = make_target (self);

  if (result >= 0)
    result = make_pass (self);
  if (result >= 0)
    result = make_shaders (self);
  return result < 0 ? result : make_pipeline (self);
}

static void
record_graphics (Reader                *self,
                 VkCommandBuffer        commands,
                 const VtrContentsPart *part)
{
  const VtrDeviceDispatch *next = &self->contents->device->next;
  const Which which = { self->whole->width, self->whole->height, (int32_t)part->sample };
  const VkRenderPassBeginInfo begin = {
    .sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
    .renderPass = self->pass,
    .framebuffer = self->framebuffer,
    .renderArea = { { 0, 0 }, { which.width, which.height } },
  };
  const VkBufferImageCopy region = {
    .bufferOffset = part->at,
    .imageSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
    .imageOffset = { 0, (int32_t)part->y, 0 },
    .imageExtent = { part->width, part->height, 1 },
  };

  next->CmdBeginRenderPass (commands, &begin, VK_SUBPASS_CONTENTS_INLINE);
  next->CmdBindPipeline (commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->pipeline);
  next->CmdBindDescriptorSets (commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->pipeline_layout, 0,
                               1, &self->set, 0, NULL);
  next->CmdPushConstants (commands, self->pipeline_layout, VK_SHADER_STAGE_FRAGMENT_BIT, 0,
                          sizeof which, &which);
  next->CmdDraw (commands, 3, 1, 0, 0);
  next->CmdEndRenderPass (commands);
  next->CmdCopyImageToBuffer (commands, self->target, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                              self->contents->gpu.staging.readback.buffer, 1, &region);
}

/* ---- Both ---- */

static bool
read_part (Reader                *self,
           const VtrContentsPart *wanted)
{
  VtrContentsPart part = *wanted;
  VkCommandBuffer commands = vtr_contents_begin (self->contents, self->queue, &part);

  if (commands == VK_NULL_HANDLE)
    return false;
  vtr_contents_put_barrier (self->contents, commands, &part, self->aspects, part.layout,
                            self->layout);
  if (self->color)
    record_graphics (self, commands, &part);
  else
    record_compute (self, commands, &part);
  vtr_contents_put_barrier (self->contents, commands, &part, self->aspects, self->layout,
                            part.layout);
  return true;
}

static bool
read_all (Reader *self)
{
  for (uint32_t i = 0; i < (uint32_t)self->whole->image->info.samples; i++)
    {
      VtrContentsPart sample = *self->whole;
      VtrContentsPart part = { 0 };

      sample.sample = i;
      sample.words = !self->color;
      while (vtr_contents_next_part (&sample, VTR_CONTENTS_STAGING, &part))
        if (!read_part (self, &part))
          return false;
    }
  return vtr_contents_run (self->contents);
}

bool
vtr_contents_read_samples (VtrContents           *contents,
                           size_t                 queue,
                           const VtrContentsPart *whole,
                           VkImageAspectFlags     aspects)
{
  VtrContentsPart wide = *whole;
  Reader self = {
    .contents = contents,
    .whole = &wide,
    .format = vtr_vulkan_format_get (whole->image->info.format),
    .aspects = aspects,
    .layout = whole->layout == VK_IMAGE_LAYOUT_GENERAL ? VK_IMAGE_LAYOUT_GENERAL
                                                       : VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
    .queue = queue,
    .color = whole->aspect == VK_IMAGE_ASPECT_COLOR_BIT,
  };
  VkResult result;
  bool ok = true;

  /* The shader writes a word for each texel, all of them at once. */
  if (!self.color)
    wide.size = (uint64_t)whole->width * whole->height * 4;
  if (!self.color && wide.size > VTR_CONTENTS_STAGING)
    {
      vtr_contents_leave_out (contents, "it is too large to be read by sample");
      return true;
    }
  if (!vtr_contents_prepare (contents))
    return false;
  result = make_view (&self, whole->image->image, whole->layer, &self.view);
  if (result >= 0)
    result = make_layouts (&self);
  if (result >= 0)
    result = make_set (&self);
  if (result >= 0)
    result = self.color ? make_graphics (&self) : make_compute (&self);
  if (result >= 0)
    ok = read_all (&self);
  else
    vtr_contents_leave_out (contents, "the driver could not make what reads single samples");
  if (!contents->gpu.lost)
    finish (&self);
  return ok;
}
