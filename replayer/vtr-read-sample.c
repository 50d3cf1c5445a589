/* Read-back of one sample of a multisampled image, and of depth and stencil, which cannot be
 * resolved by a copy.
 *
 * Depth and stencil go through a compute shader, as 32-bit words that are packed here; colour
 * through a fragment shader into a single-sampled image of the same format, which packs exactly. */
#include "vtr-replay-vk-private.h"

#include "vulkan/vtr-read-shaders.h"
#include "vulkan/vtr-vulkan-formats.h"

typedef struct
{
  VkDescriptorSetLayout set_layout;
  VkPipelineLayout layout;
  VkDescriptorPool pool;
  VkDescriptorSet set; /* of .pool */
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

typedef struct
{
  VtrReplayVk *vk;
  VtrTable *table;
  const VtrReplayReadImage *read;
  bool color;
} Job;

static void
reader_finish (Reader    *self,
               const Job *job)
{
  VkDevice device = job->table->device;

#define DESTROY(what, member) \
  if (self->member != VK_NULL_HANDLE) \
    VTR_CALL (job->vk, job->table, what) \
  (device, self->member, NULL)
  DESTROY (vkDestroyFramebuffer, framebuffer);
  DESTROY (vkDestroyRenderPass, pass);
  DESTROY (vkDestroyImageView, target_view);
  DESTROY (vkDestroyImage, target);
  DESTROY (vkFreeMemory, memory);
  DESTROY (vkDestroyImageView, view);
  DESTROY (vkDestroyPipeline, pipeline);
  DESTROY (vkDestroyShaderModule, shader);
  DESTROY (vkDestroyShaderModule, vertex);
  DESTROY (vkDestroyDescriptorPool, pool);
  DESTROY (vkDestroyPipelineLayout, layout);
  DESTROY (vkDestroyDescriptorSetLayout, set_layout);
#undef DESTROY
}

/* --- Inputs ---------------------------------------------------------------------------------- */

static VkResult
make_view (const Job   *job,
           VkImage      image,
           uint32_t     mip,
           uint32_t     layer,
           VkImageView *view)
{
  const VkImageViewCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
    .image = image,
    .viewType = VK_IMAGE_VIEW_TYPE_2D,
    .format = (VkFormat)job->read->format,
    .subresourceRange = { job->read->aspect, mip, 1, layer, 1 },
  };

  return VTR_CALL (job->vk, job->table, vkCreateImageView) (job->table->device, &info, NULL, view);
}

static VkResult
make_layouts (Reader    *self,
              const Job *job)
{
  VkShaderStageFlags stage = job->color ? VK_SHADER_STAGE_FRAGMENT_BIT
                                        : VK_SHADER_STAGE_COMPUTE_BIT;
  const VkDescriptorSetLayoutBinding bindings[] = {
    { 0, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 1, stage, NULL },
    { 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, stage, NULL },
  };
  const VkDescriptorSetLayoutCreateInfo set_info = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
    .bindingCount = job->color ? 1 : 2,
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
  VkResult result = VTR_CALL (job->vk, job->table, vkCreateDescriptorSetLayout) (
    job->table->device, &set_info, NULL, &self->set_layout);

  if (result < 0)
    return result;
  return VTR_CALL (job->vk, job->table, vkCreatePipelineLayout) (job->table->device, &layout_info,
                                                                 NULL, &self->layout);
}

static VkResult
make_set (Reader        *self,
          const Job     *job,
          VkImageLayout  layout)
{
  const VkDescriptorPoolSize sizes[] = { { VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 1 },
                                         { VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1 } };
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
  const VkDescriptorImageInfo image = { .imageView = self->view, .imageLayout = layout };
  const VkDescriptorBufferInfo buffer = { job->table->utility.staging, 0, VK_WHOLE_SIZE };
  VkWriteDescriptorSet writes[2] = {
    { .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
      .descriptorCount = 1,
      .descriptorType = VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,
      .pImageInfo = &image },
    { .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
      .dstBinding = 1,
      .descriptorCount = 1,
      .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
      .pBufferInfo = &buffer },
  };
  VkDevice device = job->table->device;
  VkResult result =
    VTR_CALL (job->vk, job->table, vkCreateDescriptorPool) (device, &pool, NULL, &self->pool);

  if (result < 0)
    return result;
  allocate.descriptorPool = self->pool;
  result = VTR_CALL (job->vk, job->table, vkAllocateDescriptorSets) (device, &allocate, &self->set);
  if (result < 0)
    return result;
  writes[0].dstSet = writes[1].dstSet = self->set;
  VTR_CALL (job->vk, job->table, vkUpdateDescriptorSets)
  (device, job->color ? 1 : 2, writes, 0, NULL);
  return VK_SUCCESS;
}

static VkResult
make_shader (const Job      *job,
             const uint32_t *words,
             size_t          size,
             VkShaderModule *module)
{
  const VkShaderModuleCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
    .codeSize = size,
    .pCode = words,
  };

  return VTR_CALL (job->vk, job->table, vkCreateShaderModule) (job->table->device, &info, NULL,
                                                               module);
}

/* --- Depth and stencil ----------------------------------------------------------------------- */

static VkResult
make_compute (Reader    *self,
              const Job *job)
{
  VkComputePipelineCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
    .stage = { .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
               .stage = VK_SHADER_STAGE_COMPUTE_BIT,
               .pName = "main" },
    .layout = self->layout,
  };
  VkResult result;

  if (job->read->aspect == VK_IMAGE_ASPECT_DEPTH_BIT)
    result = make_shader (job, read_depth, sizeof read_depth, &self->shader);
  else
    result = make_shader (job, read_stencil, sizeof read_stencil, &self->shader);
  if (result < 0)
    return result;
  info.stage.module = self->shader;
  return VTR_CALL (job->vk, job->table, vkCreateComputePipelines) (
    job->table->device, VK_NULL_HANDLE, 1, &info, NULL, &self->pipeline);
}

static void
record_compute (Reader          *self,
                const Job       *job,
                VkCommandBuffer  commands,
                const Which     *which)
{
  VkMemoryBarrier barrier = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
    .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
    .dstAccessMask = VK_ACCESS_HOST_READ_BIT,
  };

  VTR_CALL (job->vk, job->table, vkCmdBindPipeline)
  (commands, VK_PIPELINE_BIND_POINT_COMPUTE, self->pipeline);
  VTR_CALL (job->vk, job->table, vkCmdBindDescriptorSets)
  (commands, VK_PIPELINE_BIND_POINT_COMPUTE, self->layout, 0, 1, &self->set, 0, NULL);
  VTR_CALL (job->vk, job->table, vkCmdPushConstants)
  (commands, self->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof *which, which);
  VTR_CALL (job->vk, job->table, vkCmdDispatch)
  (commands, (which->width + 7) / 8, (which->height + 7) / 8, 1);
  VTR_CALL (job->vk, job->table, vkCmdPipelineBarrier)
  (commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0,
   NULL, 0, NULL);
}

/* Turns the words in the staging buffer into the texels that a copy would give, in place. */
static void
pack_texels (const Job *job)
{
  const VtrPixelFormat *info = vtr_vulkan_format_get (job->read->format);
  const unsigned depth_bits = vtr_pixel_format_get_bits (info, 'D');
  uint8_t *bytes = job->table->utility.staging_map;
  uint64_t n = (uint64_t)job->read->width * job->read->height;

  for (uint64_t i = 0; i < n; i++)
    {
      uint32_t word;
      uint16_t half;
      float depth;

      memcpy (&word, bytes + i * 4, 4);
      memcpy (&depth, &word, 4);
      if (job->read->aspect == VK_IMAGE_ASPECT_STENCIL_BIT)
        bytes[i] = (uint8_t)word;
      else if (depth_bits == 16)
        {
          half = (uint16_t)(depth * 65535.0f + 0.5f);
          memcpy (bytes + i * 2, &half, 2);
        }
      else if (depth_bits == 24)
        {
          /* A float holds 24 bits, but not their product with 2^24 - 1. */
          word = (uint32_t)((double)depth * 16777215.0 + 0.5);
          memcpy (bytes + i * 4, &word, 4);
        }
    }
}

/* --- Colour ---------------------------------------------------------------------------------- */

static VkResult
make_target (Reader    *self,
             const Job *job)
{
  const VkImageCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
    .imageType = VK_IMAGE_TYPE_2D,
    .format = (VkFormat)job->read->format,
    .extent = { job->read->width, job->read->height, 1 },
    .mipLevels = 1,
    .arrayLayers = 1,
    .samples = VK_SAMPLE_COUNT_1_BIT,
    .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
  };
  VkMemoryAllocateInfo allocate = { .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO };
  VkMemoryRequirements requirements;
  VkDevice device = job->table->device;
  VkResult result =
    VTR_CALL (job->vk, job->table, vkCreateImage) (device, &info, NULL, &self->target);

  if (result < 0)
    return result;
  VTR_CALL (job->vk, job->table, vkGetImageMemoryRequirements)
  (device, self->target, &requirements);
  allocate.allocationSize = requirements.size;
  allocate.memoryTypeIndex = vtr_memory_find_type (job->table, requirements.memoryTypeBits, 0,
                                                   VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
  result = VTR_CALL (job->vk, job->table, vkAllocateMemory) (device, &allocate, NULL,
                                                             &self->memory);
  if (result >= 0)
    result = VTR_CALL (job->vk, job->table, vkBindImageMemory) (device, self->target, self->memory,
                                                                0);
  if (result >= 0)
    result = make_view (job, self->target, 0, 0, &self->target_view);
  return result;
}

static VkResult
make_pass (Reader    *self,
           const Job *job)
{
  const VkAttachmentDescription attachment = {
    .format = (VkFormat)job->read->format,
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
  const VkSubpassDependency dependency = {
    .srcSubpass = 0,
    .dstSubpass = VK_SUBPASS_EXTERNAL,
    .srcStageMask = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
    .dstStageMask = VK_PIPELINE_STAGE_TRANSFER_BIT,
    .srcAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
    .dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT,
  };
  const VkRenderPassCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
    .attachmentCount = 1,
    .pAttachments = &attachment,
    .subpassCount = 1,
    .pSubpasses = &subpass,
    .dependencyCount = 1,
    .pDependencies = &dependency,
  };
  VkFramebufferCreateInfo framebuffer = {
    .sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
    .attachmentCount = 1,
    .pAttachments = &self->target_view,
    .width = job->read->width,
    .height = job->read->height,
    .layers = 1,
  };
  VkDevice device = job->table->device;
  VkResult result =
    VTR_CALL (job->vk, job->table, vkCreateRenderPass) (device, &info, NULL, &self->pass);

  if (result < 0)
    return result;
  framebuffer.renderPass = self->pass;
  return VTR_CALL (job->vk, job->table, vkCreateFramebuffer) (device, &framebuffer, NULL,
                                                              &self->framebuffer);
}

static VkResult
make_shaders (Reader    *self,
              const Job *job)
{
  VkResult result = make_shader (job, read_everywhere, sizeof read_everywhere, &self->vertex);

  if (result < 0)
    return result;
  switch (vtr_pixel_format_get_class (vtr_vulkan_format_get (job->read->format)))
    {
    case VTR_PIXEL_UINT:
      return make_shader (job, read_color_uint, sizeof read_color_uint, &self->shader);
    case VTR_PIXEL_SINT:
      return make_shader (job, read_color_sint, sizeof read_color_sint, &self->shader);
    case VTR_PIXEL_FLOAT:
      break;
    }
  return make_shader (job, read_color_float, sizeof read_color_float, &self->shader);
}

static VkResult
make_graphics (Reader    *self,
               const Job *job)
{
  VkPipelineShaderStageCreateInfo stages[2] = {
    { .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
      .stage = VK_SHADER_STAGE_VERTEX_BIT,
      .pName = "main" },
    { .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
      .stage = VK_SHADER_STAGE_FRAGMENT_BIT,
      .pName = "main" },
  };
  const VkPipelineVertexInputStateCreateInfo vertices = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO,
  };
  const VkPipelineInputAssemblyStateCreateInfo assembly = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
    .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
  };
  const VkViewport viewport = { 0, 0, (float)job->read->width, (float)job->read->height, 0, 1 };
  const VkRect2D scissor = { { 0, 0 }, { job->read->width, job->read->height } };
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
  VkGraphicsPipelineCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
    .stageCount = 2,
    .pStages = stages,
    .pVertexInputState = &vertices,
    .pInputAssemblyState = &assembly,
    .pViewportState = &viewports,
    .pRasterizationState = &rasterization,
    .pMultisampleState = &multisample,
    .pColorBlendState = &blend,
    .layout = self->layout,
  };
  VkResult result = make_target (self, job);

  if (result >= 0)
    result = make_pass (self, job);
  if (result >= 0)
    result = make_shaders (self, job);
  if (result < 0)
    return result;
  info.renderPass = self->pass;
  stages[0].module = self->vertex;
  stages[1].module = self->shader;
  return VTR_CALL (job->vk, job->table, vkCreateGraphicsPipelines) (
    job->table->device, VK_NULL_HANDLE, 1, &info, NULL, &self->pipeline);
}

static void
record_graphics (Reader          *self,
                 const Job       *job,
                 VkCommandBuffer  commands,
                 const Which     *which)
{
  const VkRenderPassBeginInfo begin = {
    .sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
    .renderPass = self->pass,
    .framebuffer = self->framebuffer,
    .renderArea = { { 0, 0 }, { which->width, which->height } },
  };
  const VkBufferImageCopy region = {
    .imageSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
    .imageExtent = { which->width, which->height, 1 },
  };
  const VkMemoryBarrier barrier = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
    .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
    .dstAccessMask = VK_ACCESS_HOST_READ_BIT,
  };

  VTR_CALL (job->vk, job->table, vkCmdBeginRenderPass)
  (commands, &begin, VK_SUBPASS_CONTENTS_INLINE);
  VTR_CALL (job->vk, job->table, vkCmdBindPipeline)
  (commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->pipeline);
  VTR_CALL (job->vk, job->table, vkCmdBindDescriptorSets)
  (commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->layout, 0, 1, &self->set, 0, NULL);
  VTR_CALL (job->vk, job->table, vkCmdPushConstants)
  (commands, self->layout, VK_SHADER_STAGE_FRAGMENT_BIT, 0, sizeof *which, which);
  VTR_CALL (job->vk, job->table, vkCmdDraw)
  (commands, 3, 1, 0, 0);
  VTR_CALL (job->vk, job->table, vkCmdEndRenderPass)
  (commands);
  VTR_CALL (job->vk, job->table, vkCmdCopyImageToBuffer)
  (commands, self->target, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, job->table->utility.staging, 1,
   &region);
  VTR_CALL (job->vk, job->table, vkCmdPipelineBarrier)
  (commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0, NULL, 0,
   NULL);
}

/* --- Both ------------------------------------------------------------------------------------ */

/* The asked-for queue if its family can run the shader, else our own. */
static uint64_t
choose_queue (const Job *job)
{
  const VtrObject *queue = vtr_objects_find (job->vk, VTR_HANDLE_VkQueue, job->read->queue);
  VkQueueFlags need = job->color ? VK_QUEUE_GRAPHICS_BIT : VK_QUEUE_COMPUTE_BIT;

  if (queue == NULL || queue->table != job->table ||
      queue->info.queue_family >= job->table->n_families ||
      (job->table->families[queue->info.queue_family].queueFlags & need) == 0)
    return 0;
  return job->read->queue;
}

static bool
read_through (Reader    *self,
              const Job *job)
{
  const VtrReplayReadImage *read = job->read;
  const Which which = { read->width, read->height,
                        read->sample == UINT32_MAX ? 0 : (int32_t)read->sample };
  VkImageLayout layout = read->layout == VK_IMAGE_LAYOUT_GENERAL
                           ? VK_IMAGE_LAYOUT_GENERAL
                           : VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
  uint64_t queue = choose_queue (job);
  VkCommandBuffer commands;
  VkResult result =
    make_view (job, VTR_HANDLE_FROM (VkImage, read->image), read->mip, read->layer, &self->view);

  if (result >= 0)
    result = make_layouts (self, job);
  if (result >= 0)
    result = make_set (self, job, layout);
  if (result >= 0)
    result = job->color ? make_graphics (self, job) : make_compute (self, job);
  if (result < 0)
    return vtr_replay_vk_failed (job->vk, "Preparing to read a sample", result);
  commands = vtr_utility_begin (job->vk, job->table, queue);
  if (commands == VK_NULL_HANDLE)
    return false;
  vtr_read_barrier (job->vk, job->table, commands, read, layout, false);
  if (job->color)
    record_graphics (self, job, commands, &which);
  else
    record_compute (self, job, commands, &which);
  vtr_read_barrier (job->vk, job->table, commands, read, layout, true);
  return vtr_utility_run (job->vk, job->table, queue);
}

bool
vtr_read_sample (VtrReplayVk              *vk,
                 VtrTable                 *table,
                 const VtrReplayReadImage *read,
                 uint64_t                  size)
{
  const Job job = { vk, table, read, read->aspect == VK_IMAGE_ASPECT_COLOR_BIT };
  const VtrObject *image = vtr_objects_find (vk, VTR_HANDLE_VkImage, read->image);
  uint64_t words = (uint64_t)read->width * read->height * 4;
  Reader reader = { 0 };
  bool fine;

  if (image == NULL || (image->info.image.usage & VK_IMAGE_USAGE_SAMPLED_BIT) == 0)
    {
      vtr_vm_fail (vk->vm, VTR_VM_ERROR_UNSUPPORTED,
                   "Single samples of this image cannot be read: its format cannot be sampled.");
      return false;
    }
  if (read->sample != UINT32_MAX && read->sample >= read->samples)
    {
      vtr_vm_fail (vk->vm, VTR_VM_ERROR_PAYLOAD, "The image has no sample %u.", read->sample);
      return false;
    }
  if (!vtr_utility_stage (vk, table, words > size ? words : size))
    return false;
  fine = read_through (&reader, &job) && vtr_utility_collect (vk, table);
  if (fine && !job.color)
    pack_texels (&job);
  reader_finish (&reader, &job);
  return fine;
}
