/* vtr-app-demo-parents: pipelines created with caches, derivation and specialisation, whose
 * module, layouts, pass, base and caches are destroyed before the pipelines are used. */
#include "vtr-app-demo.h"

#include "demo_parents_frag.h"

#include <stdlib.h>

#define N 3u

typedef struct
{
  VtrAppDemo demo;
  VtrAppPicture *texture;
  VkSampler sampler;
  VkRenderPass pass; /* like the one the pipelines were made for */
  VkFramebuffer framebuffer;
  VkPipelineLayout layout; /* like theirs */
  VkPipeline pipelines[N];
  VkDescriptorPool pool;
  VkDescriptorSet set;
} Parents;

typedef struct
{
  float red;
  int32_t turn;
  VkBool32 swap;
} Constants;

/* What a pipeline is made from. */
typedef struct
{
  VkShaderModule module;
  VkDescriptorSetLayout set;
  VkPipelineLayout layout;
  VkRenderPass pass;
  VkPipelineCache caches[2];
  VkPipeline base;
  Constants constants[N];
  VkSpecializationInfo special[N];
} Origin;

static VkDescriptorSetLayout
make_set_layout (VkDevice device)
{
  const VkDescriptorSetLayoutBinding binding = { 0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1,
                                                 VK_SHADER_STAGE_FRAGMENT_BIT, NULL };
  const VkDescriptorSetLayoutCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
    .bindingCount = 1,
    .pBindings = &binding,
  };
  VkDescriptorSetLayout layout;

  vtr_app_check (vkCreateDescriptorSetLayout (device, &info, NULL, &layout),
                 "vkCreateDescriptorSetLayout");
  return layout;
}

static VkPipelineLayout
make_layout (VkDevice              device,
             VkDescriptorSetLayout set)
{
  const VkPushConstantRange range = { VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT,
                                      0, 128 };
  const VkPipelineLayoutCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
    .setLayoutCount = 1,
    .pSetLayouts = &set,
    .pushConstantRangeCount = 1,
    .pPushConstantRanges = &range,
  };
  VkPipelineLayout layout;

  vtr_app_check (vkCreatePipelineLayout (device, &info, NULL, &layout),
                 "vkCreatePipelineLayout");
  return layout;
}

static VkPipelineCache
make_cache (VkDevice        device,
            VkPipelineCache like)
{
  VkPipelineCacheCreateInfo info = { .sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO };
  VkPipelineCache cache;
  size_t size = 0;
  void *data = NULL;

  if (like != VK_NULL_HANDLE)
    {
      vtr_app_check (vkGetPipelineCacheData (device, like, &size, NULL), "vkGetPipelineCacheData");
      data = malloc (size);
      vtr_app_check (vkGetPipelineCacheData (device, like, &size, data), "vkGetPipelineCacheData");
      info.initialDataSize = size;
      info.pInitialData = data;
    }
  vtr_app_check (vkCreatePipelineCache (device, &info, NULL, &cache), "vkCreatePipelineCache");
  free (data);
  return cache;
}

/* --- Pipelines ------------------------------------------------------------------------------- */

typedef struct
{
  Parents *self;
  Origin *origin;
} Change;

/* The base, and the pipelines that are derived from it. */
static void
change (VkGraphicsPipelineCreateInfo *create,
        void                         *data)
{
  const Change *change = data;
  Origin *origin = change->origin;
  VkPipelineShaderStageCreateInfo *stages = (VkPipelineShaderStageCreateInfo *)create->pStages;

  stages[1].module = origin->module;
  stages[1].pSpecializationInfo = &origin->special[0];
  create->layout = origin->layout;
  create->flags = VK_PIPELINE_CREATE_ALLOW_DERIVATIVES_BIT;
  vtr_app_check (vkCreateGraphicsPipelines (change->self->demo.scene.gpu.device,
                                            origin->caches[0], 1, create, NULL, &origin->base),
                 "vkCreateGraphicsPipelines");
  for (uint32_t i = 0; i < N; i++)
    {
      VkPipelineShaderStageCreateInfo own[2] = { stages[0], stages[1] };
      VkGraphicsPipelineCreateInfo derived = *create;

      own[1].pSpecializationInfo = &origin->special[i];
      derived.pStages = own;
      derived.flags = VK_PIPELINE_CREATE_DERIVATIVE_BIT;
      derived.basePipelineHandle = origin->base;
      derived.basePipelineIndex = -1;
      vtr_app_check (vkCreateGraphicsPipelines (change->self->demo.scene.gpu.device,
                                                origin->caches[i % 2], 1, &derived, NULL,
                                                &change->self->pipelines[i]),
                     "vkCreateGraphicsPipelines");
    }
}

static void
make_origin (Parents *self,
             Origin  *origin)
{
  static const VkSpecializationMapEntry entries[] = {
    { 0, offsetof (Constants, red), 4 },
    { 1, offsetof (Constants, turn), 4 },
    { 2, offsetof (Constants, swap), 4 },
  };
  const VkDevice device = self->demo.scene.gpu.device;

  origin->module = vtr_app_shader (&self->demo.scene.gpu, demo_parents_frag,
                                   sizeof demo_parents_frag);
  origin->set = make_set_layout (device);
  origin->layout = make_layout (device, origin->set);
  origin->pass = vtr_app_demo_pass (device);
  origin->caches[0] = make_cache (device, VK_NULL_HANDLE);
  origin->caches[1] = make_cache (device, origin->caches[0]);
  for (uint32_t i = 0; i < N; i++)
    {
      origin->constants[i] = (Constants){ 0.5f * (float)i, (int)i * 7 - 3, i == 2 };
      origin->special[i] = (VkSpecializationInfo){ 3, entries, sizeof (Constants),
                                                   &origin->constants[i] };
    }
}

static void
destroy_origin (Parents *self,
                Origin  *origin)
{
  const VkDevice device = self->demo.scene.gpu.device;
  const VkPipelineCache merged = make_cache (device, origin->caches[1]);

  vtr_app_check (vkMergePipelineCaches (device, merged, 2, origin->caches),
                 "vkMergePipelineCaches");
  for (uint32_t i = 0; i < 2; i++)
    vkDestroyPipelineCache (device, origin->caches[i], NULL);
  VTR_APP_KEEP (&self->demo.scene, PIPELINE_CACHE, merged);
  vkDestroyPipeline (device, origin->base, NULL);
  vkDestroyShaderModule (device, origin->module, NULL);
  vkDestroyRenderPass (device, origin->pass, NULL);
  vkDestroyPipelineLayout (device, origin->layout, NULL);
  vkDestroyDescriptorSetLayout (device, origin->set, NULL);
}

static void
make_set (Parents *self)
{
  VtrAppDemo *demo = &self->demo;
  const VkDevice device = demo->scene.gpu.device;
  const VkDescriptorPoolSize size = { VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1 };
  const VkDescriptorPoolCreateInfo pool = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
    .maxSets = 1,
    .poolSizeCount = 1,
    .pPoolSizes = &size,
  };
  const VkDescriptorSetLayout layout = make_set_layout (device);
  VkDescriptorSetAllocateInfo allocate = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
    .descriptorSetCount = 1,
    .pSetLayouts = &layout,
  };
  VkDescriptorImageInfo image = { VK_NULL_HANDLE, self->texture->view, VK_IMAGE_LAYOUT_GENERAL };
  VkWriteDescriptorSet write = {
    .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
    .descriptorCount = 1,
    .descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
    .pImageInfo = &image,
  };

  self->sampler = image.sampler = vtr_app_demo_sampler (demo, NULL);
  vtr_app_check (vkCreateDescriptorPool (device, &pool, NULL, &self->pool),
                 "vkCreateDescriptorPool");
  VTR_APP_KEEP (&demo->scene, DESCRIPTOR_POOL, self->pool);
  allocate.descriptorPool = self->pool;
  for (uint32_t i = 0; i < 3; i++) /* the last that a pool gives counts */
    {
      vtr_app_check (vkResetDescriptorPool (device, self->pool, 0), "vkResetDescriptorPool");
      vtr_app_check (vkAllocateDescriptorSets (device, &allocate, &self->set),
                     "vkAllocateDescriptorSets");
    }
  write.dstSet = self->set;
  vkUpdateDescriptorSets (device, 1, &write, 0, NULL);
  self->layout = make_layout (device, layout);
  VTR_APP_KEEP (&demo->scene, PIPELINE_LAYOUT, self->layout);
  vkDestroyDescriptorSetLayout (device, layout, NULL);
}

static void
start (VtrAppDemo *demo)
{
  Parents *self = (Parents *)demo;
  const VkDevice device = demo->scene.gpu.device;
  Origin origin;
  Change how = { self, &origin };

  self->texture = vtr_app_demo_texture (demo, "texture", 9);
  make_set (self);
  make_origin (self, &origin);
  self->framebuffer = vtr_app_demo_framebuffer (demo, origin.pass);
  vtr_app_pipeline (&demo->scene, &(VtrAppPipelineInfo){ .pass = origin.pass,
                                                         .n_colors = 1,
                                                         .change = change,
                                                         .data = &how });
  for (uint32_t i = 0; i < N; i++)
    VTR_APP_KEEP (&demo->scene, PIPELINE, self->pipelines[i]);
  destroy_origin (self, &origin);
  self->pass = vtr_app_demo_pass (device);
  VTR_APP_KEEP (&demo->scene, RENDER_PASS, self->pass);
}

static void
draw (VtrAppDemo *demo)
{
  Parents *self = (Parents *)demo;
  const VkRenderPassBeginInfo begin = {
    .sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
    .renderPass = self->pass,
    .framebuffer = self->framebuffer,
    .renderArea = { { 0, 0 }, { VTR_APP_DEMO_WIDTH, VTR_APP_DEMO_HEIGHT } },
  };

  vtr_app_barrier (demo->commands);
  vkCmdBeginRenderPass (demo->commands, &begin, VK_SUBPASS_CONTENTS_INLINE);
  vtr_app_viewport (demo->commands, VTR_APP_DEMO_WIDTH, VTR_APP_DEMO_HEIGHT);
  for (uint32_t i = 0; i < N && !demo->scene.stopped; i++)
    {
      vkCmdBindPipeline (demo->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->pipelines[i]);
      vkCmdBindDescriptorSets (demo->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->layout, 0,
                               1, &self->set, 0, NULL);
      vtr_app_demo_triangle (demo, 1 + 3 * i);
      if (i != 1)
        vtr_app_demo_check (demo);
    }
  vkCmdEndRenderPass (demo->commands);
}

int
main (int    argc,
      char **argv)
{
  Parents self = { 0 };

  return vtr_app_demo_run (&self.demo,
                           &(VtrAppDemoInfo){ .what = "layouts that die early",
                                              .features13 = { .maintenance4 = VK_TRUE },
                                              .start = start,
                                              .draw = draw },
                           argc, argv);
}
