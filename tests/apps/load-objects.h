/* Thousands of small objects that exist during a run of vtr-app-load.
 *
 * Threading: one at a time. */
#pragma once

#include "vtr-app.h"

/* How many are to live. */
typedef struct
{
  uint32_t n_views;     /* of one image */
  uint32_t n_samplers;  /* drivers need not allow more than 4000 */
  uint32_t n_sets;      /* of 256 descriptors each */
  uint32_t n_pipelines; /* each with a shader module of its own */
  uint32_t n_recorded;  /* command buffers with 65 commands each, whose pipeline layout is destroyed */
} LoadObjectsWish;

typedef struct
{
  VtrAppImage image;
  VtrAppBuffer buffer;
  VkSampler sampler;
  VkDescriptorSetLayout set_layout;
  VkDescriptorPool descriptors;
  VkDescriptorSet *sets;
  VkPipelineLayout layout;
  VkImageView *views;
  VkSampler *samplers;
  VkShaderModule *modules;
  VkPipeline *pipelines;
  LoadObjectsWish n;
} LoadObjects;

void load_objects_init (LoadObjects           *self,
                        VtrAppGpu             *gpu,
                        const LoadObjectsWish *wish);
void load_objects_finish (LoadObjects *self,
                          VtrAppGpu   *gpu);
