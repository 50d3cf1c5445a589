/* Ray tracing whose launches the device generates from memory
 * (VK_EXT_device_generated_commands), for vtr-app-demo-rays --generated. */
#include "demo-rays-generated.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool
vtr_app_rays_want_generated (int    argc,
                             char **argv)
{
  for (int i = 1; i < argc; i++)
    if (strcmp (argv[i], "--generated") == 0)
      {
#ifndef VK_EXT_device_generated_commands
        puts ("The Vulkan headers that this was built with do not know "
              "VK_EXT_device_generated_commands.");
        exit (VTR_APP_SKIPPED);
#endif
        return true;
      }
  return false;
}

#ifdef VK_EXT_device_generated_commands

#define STAGES \
  (VK_SHADER_STAGE_RAYGEN_BIT_KHR | VK_SHADER_STAGE_MISS_BIT_KHR | \
   VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR | VK_SHADER_STAGE_INTERSECTION_BIT_KHR)
#define N_SEQUENCES 2u

typedef struct
{
  float push[4];
  VkTraceRaysIndirectCommand2KHR trace;
} Sequence;

static struct
{
  VkPipeline pipeline;
  VkIndirectCommandsLayoutEXT layout;
  VtrAppBuffer sequences;
  VkBuffer scratch;
  VkDeviceMemory scratch_memory;
  VkDeviceSize scratch_size;
  PFN_vkCmdExecuteGeneratedCommandsEXT execute;
} self;

const char *const vtr_app_rays_generated_extensions[VTR_APP_RAYS_N_GENERATED] = {
  VK_EXT_DEVICE_GENERATED_COMMANDS_EXTENSION_NAME,
  VK_KHR_MAINTENANCE_5_EXTENSION_NAME,
  VK_KHR_RAY_TRACING_MAINTENANCE_1_EXTENSION_NAME,
};

const void *
vtr_app_rays_generated_feature (uint32_t  nth,
                                size_t   *size)
{
  static const VkPhysicalDeviceDeviceGeneratedCommandsFeaturesEXT generated = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEVICE_GENERATED_COMMANDS_FEATURES_EXT,
    .deviceGeneratedCommands = VK_TRUE,
  };
  static const VkPhysicalDeviceMaintenance5FeaturesKHR maintenance = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_5_FEATURES_KHR,
    .maintenance5 = VK_TRUE,
  };
  static const VkPhysicalDeviceRayTracingMaintenance1FeaturesKHR rays = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_TRACING_MAINTENANCE_1_FEATURES_KHR,
    .rayTracingMaintenance1 = VK_TRUE,
    .rayTracingPipelineTraceRaysIndirect2 = VK_TRUE,
  };
  const struct
  {
    const void *structure;
    size_t size;
  } features[VTR_APP_RAYS_N_GENERATED] = {
    { &generated, sizeof generated },
    { &maintenance, sizeof maintenance },
    { &rays, sizeof rays },
  };

  *size = features[nth].size;
  return features[nth].structure;
}

const void *
vtr_app_rays_generated_flags (VkPipelineCreateFlags flags)
{
  static VkPipelineCreateFlags2CreateInfoKHR info;

  info = (VkPipelineCreateFlags2CreateInfoKHR){
    .sType = VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO_KHR,
    .flags = VK_PIPELINE_CREATE_2_INDIRECT_BINDABLE_BIT_EXT | flags,
  };
  return &info;
}

static void
make_layout (VtrAppDemo       *demo,
             VkPipelineLayout  layout)
{
  const VkIndirectCommandsPushConstantTokenEXT push = { { VK_SHADER_STAGE_ALL, 0, 16 } };
  const VkIndirectCommandsLayoutTokenEXT tokens[] = {
    { .sType = VK_STRUCTURE_TYPE_INDIRECT_COMMANDS_LAYOUT_TOKEN_EXT,
      .type = VK_INDIRECT_COMMANDS_TOKEN_TYPE_PUSH_CONSTANT_EXT,
      .data.pPushConstant = &push },
    { .sType = VK_STRUCTURE_TYPE_INDIRECT_COMMANDS_LAYOUT_TOKEN_EXT,
      .type = VK_INDIRECT_COMMANDS_TOKEN_TYPE_TRACE_RAYS2_EXT,
      .offset = offsetof (Sequence, trace) },
  };
  const VkIndirectCommandsLayoutCreateInfoEXT info = {
    .sType = VK_STRUCTURE_TYPE_INDIRECT_COMMANDS_LAYOUT_CREATE_INFO_EXT,
    .shaderStages = STAGES,
    .indirectStride = sizeof (Sequence),
    .pipelineLayout = layout,
    .tokenCount = 2,
    .pTokens = tokens,
  };

  vtr_app_check (VTR_APP_NEED (demo, vkCreateIndirectCommandsLayoutEXT) (
                   demo->scene.gpu.device, &info, NULL, &self.layout),
                 "vkCreateIndirectCommandsLayoutEXT");
}

static VkGeneratedCommandsPipelineInfoEXT
describe_pipeline (void)
{
  return (VkGeneratedCommandsPipelineInfoEXT){
    .sType = VK_STRUCTURE_TYPE_GENERATED_COMMANDS_PIPELINE_INFO_EXT,
    .pipeline = self.pipeline,
  };
}

/* What the driver makes of the sequences. */
static void
make_scratch (VtrAppDemo *demo)
{
  VtrAppGpu *gpu = &demo->scene.gpu;
  const VkGeneratedCommandsPipelineInfoEXT pipeline = describe_pipeline ();
  const VkGeneratedCommandsMemoryRequirementsInfoEXT wish = {
    .sType = VK_STRUCTURE_TYPE_GENERATED_COMMANDS_MEMORY_REQUIREMENTS_INFO_EXT,
    .pNext = &pipeline,
    .indirectCommandsLayout = self.layout,
    .maxSequenceCount = N_SEQUENCES,
  };
  const VkBufferUsageFlags2CreateInfoKHR usage = {
    .sType = VK_STRUCTURE_TYPE_BUFFER_USAGE_FLAGS_2_CREATE_INFO_KHR,
    .usage = VK_BUFFER_USAGE_2_PREPROCESS_BUFFER_BIT_EXT |
             VK_BUFFER_USAGE_2_SHADER_DEVICE_ADDRESS_BIT_KHR,
  };
  const VkMemoryAllocateFlagsInfo addresses = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
    .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT,
  };
  VkBufferCreateInfo info = { .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .pNext = &usage };
  VkMemoryRequirements2 size = { .sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2 };
  VkMemoryRequirements needs;

  VTR_APP_NEED (demo, vkGetGeneratedCommandsMemoryRequirementsEXT)
  (gpu->device, &wish, &size);
  self.scratch_size = info.size = size.memoryRequirements.size;
  if (info.size == 0)
    return;
  vtr_app_check (vkCreateBuffer (gpu->device, &info, NULL, &self.scratch), "vkCreateBuffer");
  vkGetBufferMemoryRequirements (gpu->device, self.scratch, &needs);
  self.scratch_memory =
    vtr_app_allocate_with (gpu, &needs, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, &addresses);
  vtr_app_check (vkBindBufferMemory (gpu->device, self.scratch, self.scratch_memory, 0),
                 "vkBindBufferMemory");
}

void
vtr_app_rays_generated_start (VtrAppDemo       *demo,
                              VkPipeline        pipeline,
                              VkPipelineLayout  layout)
{
  self.pipeline = pipeline;
  self.execute = VTR_APP_NEED (demo, vkCmdExecuteGeneratedCommandsEXT);
  make_layout (demo, layout);
  make_scratch (demo);
  self.sequences = vtr_app_buffer (
    &demo->scene.gpu, N_SEQUENCES * sizeof (Sequence),
    VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT,
    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
}

void
vtr_app_rays_generated_trace (VtrAppDemo                            *demo,
                              const VkStridedDeviceAddressRegionKHR *raygen,
                              const VkStridedDeviceAddressRegionKHR *miss,
                              const VkStridedDeviceAddressRegionKHR *hit)
{
  VtrAppGpu *gpu = &demo->scene.gpu;
  const float turn = 0.1f * (float)demo->frame;
  const VkGeneratedCommandsPipelineInfoEXT pipeline = describe_pipeline ();
  const VkGeneratedCommandsInfoEXT info = {
    .sType = VK_STRUCTURE_TYPE_GENERATED_COMMANDS_INFO_EXT,
    .pNext = &pipeline,
    .shaderStages = STAGES,
    .indirectCommandsLayout = self.layout,
    .indirectAddress = vtr_app_address (gpu, self.sequences.buffer),
    .indirectAddressSize = N_SEQUENCES * sizeof (Sequence),
    .preprocessAddress = self.scratch_size > 0 ? vtr_app_address (gpu, self.scratch) : 0,
    .preprocessSize = self.scratch_size,
    .maxSequenceCount = N_SEQUENCES,
  };

  for (uint32_t i = 0; i < N_SEQUENCES; i++)
    {
      const Sequence sequence = {
        .push = { turn, 0.2f * (float)i, 4 + 32 * (float)i, 6 },
        .trace = { raygen->deviceAddress, raygen->size, miss->deviceAddress, miss->size,
                   miss->stride, hit->deviceAddress, hit->size, hit->stride, 0, 0, 0,
                   VTR_APP_DEMO_WIDTH / 4, VTR_APP_DEMO_HEIGHT / (2 + i), 1 },
      };

      memcpy ((uint8_t *)self.sequences.mapped + i * sizeof sequence, &sequence, sizeof sequence);
    }
  self.execute (demo->commands, VK_FALSE, &info);
}

void
vtr_app_rays_generated_finish (VtrAppDemo *demo)
{
  VtrAppGpu *gpu = &demo->scene.gpu;

  VTR_APP_NEED (demo, vkDestroyIndirectCommandsLayoutEXT)
  (gpu->device, self.layout, NULL);
  vkDestroyBuffer (gpu->device, self.scratch, NULL);
  vkFreeMemory (gpu->device, self.scratch_memory, NULL);
  vtr_app_buffer_finish (gpu, &self.sequences);
}

#else

const char *const vtr_app_rays_generated_extensions[VTR_APP_RAYS_N_GENERATED] = { NULL };

const void *
vtr_app_rays_generated_feature (uint32_t  nth,
                                size_t   *size)
{
  (void)nth;
  *size = 0;
  return NULL;
}

const void *
vtr_app_rays_generated_flags (VkPipelineCreateFlags flags)
{
  (void)flags;
  return NULL;
}

void
vtr_app_rays_generated_start (VtrAppDemo       *demo,
                              VkPipeline        pipeline,
                              VkPipelineLayout  layout)
{
  (void)demo, (void)pipeline, (void)layout;
}

void
vtr_app_rays_generated_trace (VtrAppDemo                            *demo,
                              const VkStridedDeviceAddressRegionKHR *raygen,
                              const VkStridedDeviceAddressRegionKHR *miss,
                              const VkStridedDeviceAddressRegionKHR *hit)
{
  (void)demo, (void)raygen, (void)miss, (void)hit;
}

void
vtr_app_rays_generated_finish (VtrAppDemo *demo)
{
  (void)demo;
}

#endif
