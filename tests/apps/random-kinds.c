/* vtr-app-random: creates set layouts, pools for them, and a compute pipeline for each layout. */
#include "vtr-app-random.h"

#include "random_comp.h"
#include "random_comp_address.h"
#include "random_comp_image.h"
#include "random_comp_texels.h"

#define STAGES \
  (VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT | VK_SHADER_STAGE_COMPUTE_BIT)

static void
add_binding (VtrRandomKind    *kind,
             VkDescriptorType  type,
             uint32_t          count)
{
  kind->bindings[kind->n_bindings] = (VkDescriptorSetLayoutBinding){
    kind->n_bindings, type, count,
    kind->shape == VTR_RANDOM_DRAW ? VK_SHADER_STAGE_FRAGMENT_BIT : VK_SHADER_STAGE_COMPUTE_BIT,
    NULL
  };
  kind->n_bindings++;
  kind->n_dynamic += type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC ||
                     type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC;
}

static void
add_bindings (VtrRandom     *self,
              VtrRandomKind *kind)
{
  const VkDescriptorType storage = !kind->push && vtr_random_chance (self, 40)
                                     ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC
                                     : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  const uint32_t uniform = kind->push ? 0 : vtr_random_below (self, 3);

  if (kind->shape != VTR_RANDOM_DRAW)
    {
      add_binding (kind, storage, 1);
      if (kind->shape == VTR_RANDOM_COPY)
        add_binding (kind, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1);
      else if (kind->shape == VTR_RANDOM_IMAGE)
        add_binding (kind, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 1);
      else
        {
          add_binding (kind, VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, 1);
          add_binding (kind, VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, 1);
        }
      return;
    }
  if (uniform == 2)
    add_binding (kind, VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK, 64);
  else
    add_binding (kind,
                 uniform == 1 ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC
                              : VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
                 1);
  add_binding (kind, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 2);
  add_binding (kind, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 1);
  add_binding (kind, VK_DESCRIPTOR_TYPE_SAMPLER, 1);
  add_binding (kind, storage, 1);
  add_binding (kind, VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, 1);
  if (vtr_random_chance (self, 40))
    {
      kind->sampler = self->samplers[0];
      kind->bindings[3].pImmutableSamplers = &kind->sampler;
    }
}

static VkPipeline
make_compute (VtrRandom        *self,
              VkShaderModule    module,
              VkPipelineLayout  layout,
              VkPipeline        base)
{
  const uint32_t factor = vtr_random_between (self, 1, 9);
  const VkSpecializationMapEntry entry = { 0, 0, 4 };
  const VkSpecializationInfo special = { 1, &entry, 4, &factor };
  const VkComputePipelineCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
    .flags = base != VK_NULL_HANDLE
               ? VK_PIPELINE_CREATE_DERIVATIVE_BIT | VK_PIPELINE_CREATE_DISPATCH_BASE_BIT
               : VK_PIPELINE_CREATE_ALLOW_DERIVATIVES_BIT,
    .stage = { .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
               .stage = VK_SHADER_STAGE_COMPUTE_BIT,
               .module = module,
               .pName = "main",
               .pSpecializationInfo = &special },
    .layout = layout,
    .basePipelineHandle = base,
    .basePipelineIndex = -1,
  };
  VkPipeline pipeline;

  vtr_app_check (vkCreateComputePipelines (self->gpu.device,
                                           vtr_random_chance (self, 50) ? self->cache
                                                                        : VK_NULL_HANDLE,
                                           1, &info, NULL, &pipeline),
                 "vkCreateComputePipelines");
  return pipeline;
}

static void
make_kind (VtrRandom     *self,
           VtrRandomKind *kind)
{
  const VkPushConstantRange range = { STAGES, 0, sizeof (VtrRandomPush) };
  VkDescriptorSetLayoutCreateInfo set = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
  };
  const VkPipelineLayoutCreateInfo layout = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
    .setLayoutCount = 1,
    .pSetLayouts = &kind->set,
    .pushConstantRangeCount = 1,
    .pPushConstantRanges = &range,
  };

  add_bindings (self, kind);
  set.flags = kind->push ? VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR : 0;
  set.bindingCount = kind->n_bindings;
  set.pBindings = kind->bindings;
  vtr_app_check (vkCreateDescriptorSetLayout (self->gpu.device, &set, NULL, &kind->set),
                 "vkCreateDescriptorSetLayout");
  vtr_app_check (vkCreatePipelineLayout (self->gpu.device, &layout, NULL, &kind->layout),
                 "vkCreatePipelineLayout");
  if (!kind->push)
    vtr_app_check (vkAllocateDescriptorSets (
                     self->gpu.device,
                     &(VkDescriptorSetAllocateInfo){
                       .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                       .descriptorPool = self->pools[3],
                       .descriptorSetCount = 1,
                       .pSetLayouts = &kind->set },
                     &kind->scratch),
                   "vkAllocateDescriptorSets");
  if (kind->shape != VTR_RANDOM_DRAW)
    for (uint32_t i = 0; i < 2; i++)
      kind->pipelines[i] = make_compute (self, self->computes[kind->shape - 1], kind->layout,
                                         i > 0 ? kind->pipelines[0] : VK_NULL_HANDLE);
}

void
vtr_random_make_pool (VtrRandom *self,
                      uint32_t   nth)
{
  const VkDescriptorPoolInlineUniformBlockCreateInfo blocks = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_INLINE_UNIFORM_BLOCK_CREATE_INFO,
    .maxInlineUniformBlockBindings = 32,
  };
  const VkDescriptorPoolSize sizes[] = {
    { VK_DESCRIPTOR_TYPE_SAMPLER, 64 },
    { VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 64 },
    { VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 64 },
    { VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 64 },
    { VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, 64 },
    { VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, 64 },
    { VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 64 },
    { VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 64 },
    { VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, 64 },
    { VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC, 64 },
    { VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK, 2048 },
  };
  const VkDescriptorPoolCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
    .pNext = &blocks,
    .flags = self->pool_free[nth] ? VK_DESCRIPTOR_POOL_CREATE_FREE_DESCRIPTOR_SET_BIT : 0,
    .maxSets = 32,
    .poolSizeCount = sizeof sizes / sizeof sizes[0],
    .pPoolSizes = sizes,
  };

  vtr_app_check (vkCreateDescriptorPool (self->gpu.device, &info, NULL, &self->pools[nth]),
                 "vkCreateDescriptorPool");
}

static void
make_samplers (VtrRandom *self)
{
  for (uint32_t i = 0; i < 6; i++)
    {
      const VkSamplerCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
        .magFilter = (VkFilter)(i & 1),
        .minFilter = (VkFilter)(i & 1),
        .mipmapMode = (VkSamplerMipmapMode)vtr_random_below (self, 2),
        .addressModeU = (VkSamplerAddressMode)vtr_random_below (self, 4),
        .addressModeV = (VkSamplerAddressMode)vtr_random_below (self, 4),
        .addressModeW = (VkSamplerAddressMode)vtr_random_below (self, 4),
        .maxLod = vtr_random_chance (self, 50) ? VK_LOD_CLAMP_NONE : 0,
        .borderColor = (VkBorderColor)(vtr_random_below (self, 3) * 2),
      };

      vtr_app_check (vkCreateSampler (self->gpu.device, &info, NULL, &self->samplers[i]),
                     "vkCreateSampler");
    }
}

void
vtr_random_kinds_init (VtrRandom *self)
{
  const VkPushConstantRange range = { STAGES, 0, sizeof (VtrRandomPush) };
  const VkPipelineLayoutCreateInfo plain = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
    .pushConstantRangeCount = 1,
    .pPushConstantRanges = &range,
  };
  const VkPipelineCacheCreateInfo cache = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO,
  };

  self->computes[0] = vtr_app_shader (&self->gpu, random_comp, sizeof random_comp);
  self->computes[1] = vtr_app_shader (&self->gpu, random_comp_image, sizeof random_comp_image);
  self->computes[2] = vtr_app_shader (&self->gpu, random_comp_texels, sizeof random_comp_texels);
  self->computes[3] = vtr_app_shader (&self->gpu, random_comp_address, sizeof random_comp_address);
  vtr_app_check (vkCreatePipelineCache (self->gpu.device, &cache, NULL, &self->cache),
                 "vkCreatePipelineCache");
  vtr_app_check (vkCreatePipelineLayout (self->gpu.device, &plain, NULL, &self->plain),
                 "vkCreatePipelineLayout");
  make_samplers (self);
  for (uint32_t i = 0; i < 4; i++)
    {
      self->pool_free[i] = i < 2;
      vtr_random_make_pool (self, i);
    }
  for (uint32_t i = 0; i < VTR_RANDOM_KINDS; i++)
    {
      self->kinds[i].shape =
        i < 5 ? VTR_RANDOM_DRAW : (VtrRandomShape)(1 + i % (VTR_RANDOM_N_SHAPES - 1));
      self->kinds[i].push = !self->core && (i == 4 || i == 9);
      make_kind (self, &self->kinds[i]);
    }
  self->address_pipeline = make_compute (self, self->computes[3], self->plain, VK_NULL_HANDLE);
}

void
vtr_random_kinds_finish (VtrRandom *self)
{
  const VkDevice device = self->gpu.device;

  for (uint32_t i = 0; i < 4; i++)
    vkDestroyDescriptorPool (device, self->pools[i], NULL);
  for (uint32_t i = 0; i < VTR_RANDOM_KINDS; i++)
    {
      for (uint32_t j = 0; j < 2; j++)
        vkDestroyPipeline (device, self->kinds[i].pipelines[j], NULL);
      vkDestroyPipelineLayout (device, self->kinds[i].layout, NULL);
      vkDestroyDescriptorSetLayout (device, self->kinds[i].set, NULL);
    }
  vkDestroyPipeline (device, self->address_pipeline, NULL);
  vkDestroyPipelineLayout (device, self->plain, NULL);
  vkDestroyPipelineCache (device, self->cache, NULL);
  for (uint32_t i = 0; i < 6; i++)
    vkDestroySampler (device, self->samplers[i], NULL);
  for (uint32_t i = 0; i < 4; i++)
    vkDestroyShaderModule (device, self->computes[i], NULL);
}
