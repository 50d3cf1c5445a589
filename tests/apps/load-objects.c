/* Creates thousands of small objects (views, samplers, sets, pipelines, command buffers) that
 * exist during a run of vtr-app-load. */
#include "load-objects.h"

#include "load.comp.h"

#include <stdlib.h>

#define EDGE 16u
#define FORMAT VK_FORMAT_R8G8B8A8_UNORM
#define N_DESCRIPTORS 256u /* of a set */
#define N_BINDS 64u        /* in a command buffer */

static void *
allocate (uint32_t n,
          size_t   size)
{
  void *all = calloc ((size_t)n + 1, size);

  if (all == NULL)
    vtr_app_fail ("out of memory");
  return all;
}

/* What sets and command buffers name. */
static void
make_common (LoadObjects *self,
             VtrAppGpu   *gpu)
{
  const VkSamplerCreateInfo sampler = { .sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO };
  const VkDescriptorSetLayoutBinding binding = {
    0,
    VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
    N_DESCRIPTORS,
    VK_SHADER_STAGE_COMPUTE_BIT,
    NULL,
  };
  const VkDescriptorSetLayoutCreateInfo set_layout = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
    .bindingCount = 1,
    .pBindings = &binding,
  };
  const VkPipelineLayoutCreateInfo layout = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
    .setLayoutCount = 1,
    .pSetLayouts = &self->set_layout,
  };
  const uint32_t n_sets = self->n.n_sets + 1;
  const VkDescriptorPoolSize size = { binding.descriptorType, n_sets * N_DESCRIPTORS };
  const VkDescriptorPoolCreateInfo pool = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
    .maxSets = n_sets,
    .poolSizeCount = 1,
    .pPoolSizes = &size,
  };

  self->image = vtr_app_image (gpu, EDGE, EDGE, FORMAT, VK_IMAGE_USAGE_SAMPLED_BIT);
  self->buffer = vtr_app_buffer (gpu, 4096, VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                 VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
  vtr_app_check (vkCreateSampler (gpu->device, &sampler, NULL, &self->sampler), "vkCreateSampler");
  vtr_app_check (vkCreateDescriptorSetLayout (gpu->device, &set_layout, NULL, &self->set_layout),
                 "vkCreateDescriptorSetLayout");
  vtr_app_check (vkCreatePipelineLayout (gpu->device, &layout, NULL, &self->layout),
                 "vkCreatePipelineLayout");
  vtr_app_check (vkCreateDescriptorPool (gpu->device, &pool, NULL, &self->descriptors),
                 "vkCreateDescriptorPool");
}

static void
make_views (LoadObjects *self,
            VkDevice     device)
{
  const VkImageViewCreateInfo view = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
    .image = self->image.image,
    .viewType = VK_IMAGE_VIEW_TYPE_2D,
    .format = FORMAT,
    .subresourceRange = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1 },
  };

  for (uint32_t i = 0; i < self->n.n_views; i++)
    vtr_app_check (vkCreateImageView (device, &view, NULL, &self->views[i]), "vkCreateImageView");
}

static void
make_samplers (LoadObjects *self,
               VkDevice     device)
{
  for (uint32_t i = 0; i < self->n.n_samplers; i++)
    {
      const VkSamplerCreateInfo sampler = {
        .sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
        .mipLodBias = (float)(i % 16) / 16,
      };

      vtr_app_check (vkCreateSampler (device, &sampler, NULL, &self->samplers[i]),
                     "vkCreateSampler");
    }
}

/* One more than requested, for the command buffers. */
static void
make_sets (LoadObjects *self,
           VkDevice     device)
{
  const VkDescriptorSetAllocateInfo allocation = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
    .descriptorPool = self->descriptors,
    .descriptorSetCount = 1,
    .pSetLayouts = &self->set_layout,
  };
  VkDescriptorImageInfo images[N_DESCRIPTORS];

  for (uint32_t i = 0; i < N_DESCRIPTORS; i++)
    images[i] = (VkDescriptorImageInfo){ self->sampler, self->image.view, VK_IMAGE_LAYOUT_GENERAL };
  for (uint32_t i = 0; i <= self->n.n_sets; i++)
    {
      VkWriteDescriptorSet write = {
        .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
        .descriptorCount = N_DESCRIPTORS,
        .descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
        .pImageInfo = images,
      };

      vtr_app_check (vkAllocateDescriptorSets (device, &allocation, &self->sets[i]),
                     "vkAllocateDescriptorSets");
      write.dstSet = self->sets[i];
      vkUpdateDescriptorSets (device, 1, &write, 0, NULL);
    }
}

static void
make_pipelines (LoadObjects *self,
                VtrAppGpu   *gpu)
{
  VkComputePipelineCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
    .stage = { .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
               .stage = VK_SHADER_STAGE_COMPUTE_BIT,
               .pName = "main" },
    .layout = self->layout,
  };

  for (uint32_t i = 0; i < self->n.n_pipelines; i++)
    {
      self->modules[i] = vtr_app_shader (gpu, load_comp, sizeof load_comp);
      info.stage.module = self->modules[i];
      vtr_app_check (vkCreateComputePipelines (gpu->device, VK_NULL_HANDLE, 1, &info, NULL,
                                               &self->pipelines[i]),
                     "vkCreateComputePipelines");
    }
}

/* Command buffers outlive the pipeline layout that they were recorded with, as they may. */
static void
record (LoadObjects *self,
        VtrAppGpu   *gpu)
{
  const VkPipelineLayoutCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
    .setLayoutCount = 1,
    .pSetLayouts = &self->set_layout,
  };

  for (uint32_t i = 0; i < self->n.n_recorded; i++)
    {
      const VkCommandBuffer commands = vtr_app_commands (gpu, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
      const VkCommandBufferBeginInfo begin = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
      };
      VkPipelineLayout layout;

      vtr_app_check (vkCreatePipelineLayout (gpu->device, &info, NULL, &layout),
                     "vkCreatePipelineLayout");
      vtr_app_check (vkBeginCommandBuffer (commands, &begin), "vkBeginCommandBuffer");
      for (uint32_t j = 0; j < N_BINDS; j++)
        vkCmdBindDescriptorSets (commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, self->sets,
                                 0, NULL);
      vkCmdFillBuffer (commands, self->buffer.buffer, 0, 4096, i);
      vtr_app_check (vkEndCommandBuffer (commands), "vkEndCommandBuffer");
      vkDestroyPipelineLayout (gpu->device, layout, NULL);
    }
}

void
load_objects_init (LoadObjects           *self,
                   VtrAppGpu             *gpu,
                   const LoadObjectsWish *wish)
{
  self->n = *wish;
  if (wish->n_views + wish->n_samplers + wish->n_sets + wish->n_pipelines + wish->n_recorded == 0)
    return;
  self->views = allocate (wish->n_views, sizeof *self->views);
  self->samplers = allocate (wish->n_samplers, sizeof *self->samplers);
  self->sets = allocate (wish->n_sets, sizeof *self->sets);
  self->modules = allocate (wish->n_pipelines, sizeof *self->modules);
  self->pipelines = allocate (wish->n_pipelines, sizeof *self->pipelines);
  make_common (self, gpu);
  make_views (self, gpu->device);
  make_samplers (self, gpu->device);
  make_sets (self, gpu->device);
  make_pipelines (self, gpu);
  record (self, gpu);
}

void
load_objects_finish (LoadObjects *self,
                     VtrAppGpu   *gpu)
{
  const VkDevice device = gpu->device;

  if (self->views == NULL)
    return;
  for (uint32_t i = 0; i < self->n.n_views; i++)
    vkDestroyImageView (device, self->views[i], NULL);
  for (uint32_t i = 0; i < self->n.n_samplers; i++)
    vkDestroySampler (device, self->samplers[i], NULL);
  for (uint32_t i = 0; i < self->n.n_pipelines; i++)
    {
      vkDestroyPipeline (device, self->pipelines[i], NULL);
      vkDestroyShaderModule (device, self->modules[i], NULL);
    }
  vkDestroyDescriptorPool (device, self->descriptors, NULL);
  vkDestroyPipelineLayout (device, self->layout, NULL);
  vkDestroyDescriptorSetLayout (device, self->set_layout, NULL);
  vkDestroySampler (device, self->sampler, NULL);
  vtr_app_buffer_finish (gpu, &self->buffer);
  vtr_app_image_finish (gpu, &self->image);
  free (self->views);
  free (self->samplers);
  free (self->sets);
  free (self->modules);
  free (self->pipelines);
}
