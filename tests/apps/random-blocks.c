/* vtr-app-random: creates images with compressed formats and formats of several planes, each with
 * a set to sample it. */
#include "vtr-app-random.h"

#include "random_comp_sample.h"

#include <string.h>

#define EDGE 16u
#define TEXELS 256u
#define MIPS 2u

typedef VtrRandomBlock Block;

static const struct
{
  VkFormat format;
  uint32_t bytes; /* of a block of 4x4 texels */
} formats[] = {
  { VK_FORMAT_BC1_RGBA_UNORM_BLOCK, 8 },
  { VK_FORMAT_BC2_UNORM_BLOCK, 16 },
  { VK_FORMAT_BC3_SRGB_BLOCK, 16 },
  { VK_FORMAT_BC4_UNORM_BLOCK, 8 },
  { VK_FORMAT_BC5_SNORM_BLOCK, 16 },
  { VK_FORMAT_BC7_UNORM_BLOCK, 16 },
};

void
vtr_random_blocks_init (VtrRandom *self)
{
  const VkDescriptorSetLayoutBinding bindings[] = {
    { 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL },
    { 1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL },
  };
  const VkDescriptorSetLayoutCreateInfo set = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
    .bindingCount = 2,
    .pBindings = bindings,
  };
  const VkPushConstantRange range = { VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof (VtrRandomPush) };
  VkPipelineLayoutCreateInfo layout = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
    .setLayoutCount = 1,
    .pushConstantRangeCount = 1,
    .pPushConstantRanges = &range,
  };
  VkComputePipelineCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
    .stage = { .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
               .stage = VK_SHADER_STAGE_COMPUTE_BIT,
               .pName = "main" },
  };
  const VkSamplerCreateInfo sampler = {
    .sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
    .addressModeU = VK_SAMPLER_ADDRESS_MODE_REPEAT,
    .maxLod = MIPS,
  };
  const VkDevice device = self->gpu.device;

  vtr_app_check (vkCreateDescriptorSetLayout (device, &set, NULL, &self->block_set),
                 "vkCreateDescriptorSetLayout");
  layout.pSetLayouts = &self->block_set;
  vtr_app_check (vkCreatePipelineLayout (device, &layout, NULL, &self->block_layout),
                 "vkCreatePipelineLayout");
  info.layout = self->block_layout;
  info.stage.module = vtr_app_shader (&self->gpu, random_comp_sample, sizeof random_comp_sample);
  vtr_app_check (vkCreateComputePipelines (device, VK_NULL_HANDLE, 1, &info, NULL,
                                           &self->block_pipeline),
                 "vkCreateComputePipelines");
  vkDestroyShaderModule (device, info.stage.module, NULL);
  vtr_app_check (vkCreateSampler (device, &sampler, NULL, &self->block_sampler),
                 "vkCreateSampler");
}

static void
make_image (VtrRandom *self,
            Block     *block)
{
  const VkImageCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
    .imageType = VK_IMAGE_TYPE_2D,
    .format = formats[block->format].format,
    .extent = block->extent,
    .mipLevels = MIPS,
    .arrayLayers = block->n_layers,
    .samples = VK_SAMPLE_COUNT_1_BIT,
    .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
             VK_IMAGE_USAGE_SAMPLED_BIT,
  };
  VkImageViewCreateInfo view = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
    .viewType = VK_IMAGE_VIEW_TYPE_2D_ARRAY,
    .format = info.format,
    .subresourceRange = { VK_IMAGE_ASPECT_COLOR_BIT, 0, MIPS, 0, block->n_layers },
  };
  VkMemoryRequirements needs;
  VkDeviceSize offset;

  vtr_app_check (vkCreateImage (self->gpu.device, &info, NULL, &block->image), "vkCreateImage");
  vkGetImageMemoryRequirements (self->gpu.device, block->image, &needs);
  block->heap = vtr_random_place (self, &needs, NULL, false, &offset);
  vtr_app_check (vkBindImageMemory (self->gpu.device, block->image, block->heap->memory, offset),
                 "vkBindImageMemory");
  view.image = block->image;
  vtr_app_check (vkCreateImageView (self->gpu.device, &view, NULL, &block->view),
                 "vkCreateImageView");
}

static void
make_set (VtrRandom *self,
          Block     *block)
{
  const VkDescriptorPoolSize sizes[] = {
    { VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1 },
    { VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1 },
  };
  const VkDescriptorBufferInfo buffer = { block->results.buffer, 0, VK_WHOLE_SIZE };
  const VkDescriptorImageInfo image = { self->block_sampler, block->view,
                                        VK_IMAGE_LAYOUT_GENERAL };
  VkWriteDescriptorSet writes[] = {
    { .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
      .dstBinding = 0,
      .descriptorCount = 1,
      .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
      .pBufferInfo = &buffer },
    { .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
      .dstBinding = 1,
      .descriptorCount = 1,
      .descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
      .pImageInfo = &image },
  };

  block->set = vtr_app_set (&self->gpu, self->block_set, 2, sizes, &block->pool);
  writes[0].dstSet = writes[1].dstSet = block->set;
  vkUpdateDescriptorSets (self->gpu.device, 2, writes, 0, NULL);
}

/* The bytes of a level. */
static VkExtent3D
level_of (const Block *block,
          uint32_t     mip,
          uint32_t    *size)
{
  const VkExtent3D extent = { block->extent.width >> mip, block->extent.height >> mip, 1 };

  *size = (extent.width + 3) / 4 * ((extent.height + 3) / 4) * formats[block->format].bytes;
  return extent;
}

/* Of any bytes at all: no block is without meaning. */
static void
fill (VtrRandom *self,
      Block     *block,
      uint32_t   mip,
      uint32_t   layer)
{
  VtrRandomBuffer *buffer = vtr_random_buffer (self, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, 0, NULL);
  uint32_t size;
  const VkExtent3D extent = level_of (block, mip, &size);

  if (buffer == NULL || buffer->size < size)
    {
      vkCmdFillBuffer (self->commands, block->results.buffer, 0, VK_WHOLE_SIZE,
                       vtr_random_number (self));
      vtr_random_barrier (self);
    }
  else
    {
      vtr_random_use_buffer (self, buffer);
    }
  vkCmdCopyBufferToImage (self->commands,
                          buffer == NULL || buffer->size < size ? block->results.buffer
                                                                : buffer->buffer,
                          block->image, VK_IMAGE_LAYOUT_GENERAL, 1,
                          &(VkBufferImageCopy){
                            .imageSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, mip, layer, 1 },
                            .imageExtent = extent });
  vtr_random_barrier (self);
}

static void
make_block (VtrRandom *self)
{
  Block *block = NULL;
  VkImageMemoryBarrier barrier = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
    .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
    .newLayout = VK_IMAGE_LAYOUT_GENERAL,
    .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
    .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
    .subresourceRange = { VK_IMAGE_ASPECT_COLOR_BIT, 0, VK_REMAINING_MIP_LEVELS, 0,
                          VK_REMAINING_ARRAY_LAYERS },
  };

  for (uint32_t i = 0; i < VTR_RANDOM_BLOCKS && block == NULL; i++)
    if (self->blocks[i].image == VK_NULL_HANDLE)
      block = &self->blocks[i];
  if (block == NULL || self->core)
    return;
  memset (block, 0, sizeof *block);
  block->format = vtr_random_below (self, sizeof formats / sizeof formats[0]);
  block->n_layers = vtr_random_between (self, 1, 2);
  block->extent = (VkExtent3D){ 4 * vtr_random_between (self, 1, EDGE / 4), EDGE, 1 };
  if (vtr_random_chance (self, 40))
    block->extent.width += 2; /* less than whole blocks */
  make_image (self, block);
  block->results = vtr_app_buffer (&self->gpu, TEXELS * 4,
                                   VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                                     VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                     VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                   VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
  make_set (self, block);
  block->last_use = self->frame;
  barrier.image = block->image;
  vkCmdPipelineBarrier (self->commands, VTR_RANDOM_ALL, VTR_RANDOM_ALL, 0, 0, NULL, 0, NULL, 1,
                        &barrier);
  for (uint32_t mip = 0; mip < MIPS; mip++)
    for (uint32_t layer = 0; layer < block->n_layers; layer++)
      fill (self, block, mip, layer);
}

static Block *
choose (VtrRandom *self)
{
  Block *block = &VTR_RANDOM_PICK (self, self->blocks);

  if (block->image == VK_NULL_HANDLE)
    return NULL;
  vtr_random_barrier (self);
  block->last_use = self->frame;
  return block;
}

static void
fill_block (VtrRandom *self)
{
  Block *block = choose (self);

  if (block != NULL)
    fill (self, block, vtr_random_below (self, MIPS), vtr_random_below (self, block->n_layers));
}

/* Its blocks go to a buffer. */
static void
read_block (VtrRandom *self)
{
  Block *block = choose (self);
  const uint32_t mip = vtr_random_below (self, MIPS);
  VtrRandomBuffer *buffer;
  VkExtent3D extent;
  uint32_t size;

  if (block == NULL)
    return;
  extent = level_of (block, mip, &size);
  buffer = vtr_random_buffer (self, VK_BUFFER_USAGE_TRANSFER_DST_BIT, size, NULL);
  if (buffer == NULL)
    return;
  vtr_random_use_buffer (self, buffer);
  vkCmdCopyImageToBuffer (self->commands, block->image, VK_IMAGE_LAYOUT_GENERAL, buffer->buffer, 1,
                          &(VkBufferImageCopy){
                            .imageSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, mip,
                                                  vtr_random_below (self, block->n_layers), 1 },
                            .imageExtent = extent });
}

/* What is seen of it goes to a buffer. */
static void
sample_block (VtrRandom *self)
{
  Block *block = choose (self);
  VtrRandomBuffer *buffer =
    vtr_random_buffer (self, VK_BUFFER_USAGE_TRANSFER_DST_BIT, TEXELS * 4, NULL);
  VtrRandomPush push = vtr_random_push (self);

  if (block == NULL || buffer == NULL)
    return;
  push.n = TEXELS;
  push.color[0] = (float)vtr_random_below (self, block->n_layers);
  push.color[1] = (float)vtr_random_below (self, MIPS);
  vkCmdBindPipeline (self->commands, VK_PIPELINE_BIND_POINT_COMPUTE, self->block_pipeline);
  vkCmdBindDescriptorSets (self->commands, VK_PIPELINE_BIND_POINT_COMPUTE, self->block_layout, 0, 1,
                           &block->set, 0, NULL);
  vkCmdPushConstants (self->commands, self->block_layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                      sizeof push, &push);
  vkCmdDispatch (self->commands, TEXELS / 8, 1, 1);
  vtr_random_barrier (self);
  vtr_random_use_buffer (self, buffer);
  vkCmdCopyBuffer (self->commands, block->results.buffer, buffer->buffer, 1,
                   &(VkBufferCopy){ .size = TEXELS * 4 });
}

static void
finish_block (VtrRandom *self,
              Block     *block)
{
  vkDestroyDescriptorPool (self->gpu.device, block->pool, NULL);
  vkDestroyImageView (self->gpu.device, block->view, NULL);
  vkDestroyImage (self->gpu.device, block->image, NULL);
  block->image = VK_NULL_HANDLE;
  vtr_random_release_heap (self, block->heap);
  vtr_app_buffer_finish (&self->gpu, &block->results);
}

static void
drop_block (VtrRandom *self)
{
  Block *block = &VTR_RANDOM_PICK (self, self->blocks);

  if (block->image != VK_NULL_HANDLE && vtr_random_is_idle (self, block->last_use))
    finish_block (self, block);
}

void
vtr_random_blocks_finish (VtrRandom *self)
{
  for (uint32_t i = 0; i < VTR_RANDOM_BLOCKS; i++)
    if (self->blocks[i].image != VK_NULL_HANDLE)
      finish_block (self, &self->blocks[i]);
  vkDestroyPipeline (self->gpu.device, self->block_pipeline, NULL);
  vkDestroyPipelineLayout (self->gpu.device, self->block_layout, NULL);
  vkDestroyDescriptorSetLayout (self->gpu.device, self->block_set, NULL);
  vkDestroySampler (self->gpu.device, self->block_sampler, NULL);
}

const VtrRandomOperation vtr_random_block_operations[] = {
  { "make-block", "blocks", 5, make_block },
  { "fill-block", "blocks", 5, fill_block },
  { "read-block", "blocks", 4, read_block },
  { "sample-block", "blocks", 8, sample_block },
  { "drop-block", "blocks", 1, drop_block },
  { 0 },
};
