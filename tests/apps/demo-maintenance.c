/* vtr-app-demo-maintenance: the later forms of older commands (VK_KHR_map_memory2, maintenance5 and
 * maintenance6): memory that is mapped and unmapped in every frame, sets bound, descriptors and
 * constants pushed for several bind points at once, indices of a part of a buffer, usages and flags
 * in chains. Shaders write to one buffer, which only the usage in the chain says.
 */
#include "vtr-app-demo.h"

#include "demo_flight_comp.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#if defined VK_KHR_map_memory2 && defined VK_KHR_maintenance5 && defined VK_KHR_maintenance6

#define STAGES (VK_SHADER_STAGE_ALL_GRAPHICS | VK_SHADER_STAGE_COMPUTE_BIT)

typedef struct
{
  VkDescriptorBufferInfo tint;
  VkDescriptorImageInfo texture;
} Data;

typedef struct
{
  VtrAppDemo demo;
  VtrAppDemoInputs inputs; /* pushed */
  VkDescriptorSetLayout bound_layout;
  VkPipelineLayout bound_pipeline_layout;
  VkPipeline bound_pipeline;
  VkDescriptorSet set;
  VkDescriptorUpdateTemplate template;
  VkBuffer buffer; /* two tints, and indices behind them */
  VkDeviceMemory memory;
  VkDeviceSize size;
  VkBuffer counted; /* what a shader writes in each frame, and the next one shows */
  VkDeviceMemory counted_memory;
  VkPipelineLayout count_layout;
  VkPipeline count_pipeline;
  VkDescriptorSet count_set;
  PFN_vkMapMemory2KHR map;
  PFN_vkUnmapMemory2KHR unmap;
  PFN_vkCmdBindIndexBuffer2KHR bind_indices;
  PFN_vkCmdBindDescriptorSets2KHR bind_sets;
  PFN_vkCmdPushConstants2KHR push_constants;
  PFN_vkCmdPushDescriptorSet2KHR push;
  PFN_vkCmdPushDescriptorSetWithTemplate2KHR push_template;
} Maintenance;

#define INDICES 512u /* where they begin in the buffer */

#define COUNTED_SIZE 4096u
#define COUNTED_WORDS 64u /* that the shader counts, behind as many that it only reads */

/* The usages are @wide, those of the structure in the chain. */
static VkBuffer
make_bound_buffer (Maintenance            *self,
                   VkDeviceSize            size,
                   VkBufferUsageFlags      narrow,
                   VkBufferUsageFlags2KHR  wide,
                   VkMemoryPropertyFlags   wanted,
                   VkDeviceMemory         *memory)
{
  VtrAppGpu *gpu = &self->demo.scene.gpu;
  const VkBufferUsageFlags2CreateInfoKHR usage = {
    .sType = VK_STRUCTURE_TYPE_BUFFER_USAGE_FLAGS_2_CREATE_INFO_KHR,
    .usage = wide,
  };
  const VkBufferCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
    .pNext = &usage,
    .size = size,
    .usage = narrow,
  };
  VkMemoryRequirements needs;
  VkResult status = VK_NOT_READY;
  const VkBindMemoryStatusKHR told = { .sType = VK_STRUCTURE_TYPE_BIND_MEMORY_STATUS_KHR,
                                       .pResult = &status };
  VkBindBufferMemoryInfo bind = { .sType = VK_STRUCTURE_TYPE_BIND_BUFFER_MEMORY_INFO,
                                  .pNext = &told };

  vtr_app_check (vkCreateBuffer (gpu->device, &info, NULL, &bind.buffer), "vkCreateBuffer");
  vkGetBufferMemoryRequirements (gpu->device, bind.buffer, &needs);
  bind.memory = *memory = vtr_app_allocate_with (gpu, &needs, wanted, NULL);
  vtr_app_check (vkBindBufferMemory2 (gpu->device, 1, &bind), "vkBindBufferMemory2");
  vtr_app_check (status, "the status of a bind");
  return bind.buffer;
}

static void
make_buffers (Maintenance *self)
{
  self->buffer = make_bound_buffer (
    self, 1024, 0,
    VK_BUFFER_USAGE_2_UNIFORM_BUFFER_BIT_KHR | VK_BUFFER_USAGE_2_INDEX_BUFFER_BIT_KHR,
    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT, &self->memory);
  /* .usage means nothing beside the structure. */
  self->counted = make_bound_buffer (
    self, COUNTED_SIZE, VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
    VK_BUFFER_USAGE_2_TRANSFER_SRC_BIT_KHR | VK_BUFFER_USAGE_2_TRANSFER_DST_BIT_KHR |
      VK_BUFFER_USAGE_2_STORAGE_BUFFER_BIT_KHR,
    VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, &self->counted_memory);
}

static void
make_counter (Maintenance *self)
{
  VtrAppDemo *demo = &self->demo;
  const VkDescriptorSetLayoutBinding binding = { 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1,
                                                 VK_SHADER_STAGE_COMPUTE_BIT, NULL };
  const VkDescriptorSetLayout layout = vtr_app_demo_set_layout (demo, &binding, 1, 0, NULL);
  const VkDescriptorBufferInfo buffer = { self->counted, 0, VK_WHOLE_SIZE };
  const VkWriteDescriptorSet write = {
    .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
    .dstSet = self->count_set = vtr_app_demo_set (demo, layout, &binding, 1, 0, NULL),
    .descriptorCount = 1,
    .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
    .pBufferInfo = &buffer,
  };

  vkUpdateDescriptorSets (demo->scene.gpu.device, 1, &write, 0, NULL);
  self->count_layout = vtr_app_demo_layout (demo, layout, VK_SHADER_STAGE_COMPUTE_BIT);
  self->count_pipeline =
    vtr_app_demo_compute (demo, demo_flight_comp, sizeof demo_flight_comp, self->count_layout);
  vkCmdFillBuffer (demo->commands, self->counted, 0, VK_WHOLE_SIZE, 0x01020305u);
  vtr_app_barrier (demo->commands);
}

/* No command names the buffer that changes. */
static void
count (Maintenance *self)
{
  const VkCommandBuffer commands = self->demo.commands;
  const uint32_t push[8] = { 0 };
  const VkBufferImageCopy shown = {
    .bufferOffset = COUNTED_WORDS * 4,
    .imageSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
    .imageExtent = { COUNTED_WORDS, 1, 1 },
  };

  vkCmdCopyBufferToImage (commands, self->counted, self->demo.color->image,
                          VK_IMAGE_LAYOUT_GENERAL, 1, &shown);
  vtr_app_barrier (commands);
  vkCmdBindPipeline (commands, VK_PIPELINE_BIND_POINT_COMPUTE, self->count_pipeline);
  vkCmdBindDescriptorSets (commands, VK_PIPELINE_BIND_POINT_COMPUTE, self->count_layout, 0, 1,
                           &self->count_set, 0, NULL);
  vkCmdPushConstants (commands, self->count_layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof push,
                      push);
  vkCmdDispatch (commands, 1, 1, 1);
  vtr_app_barrier (commands);
}

static void
make_template (Maintenance *self)
{
  const VkDescriptorUpdateTemplateEntry entries[] = {
    { 0, 0, 1, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, offsetof (Data, tint), 0 },
    { 1, 0, 1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, offsetof (Data, texture), 0 },
  };
  const VkDescriptorUpdateTemplateCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_UPDATE_TEMPLATE_CREATE_INFO,
    .descriptorUpdateEntryCount = 2,
    .pDescriptorUpdateEntries = entries,
    .templateType = VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_PUSH_DESCRIPTORS_KHR,
    .pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
    .pipelineLayout = self->inputs.layout,
  };

  vtr_app_check (vkCreateDescriptorUpdateTemplate (self->demo.scene.gpu.device, &info, NULL,
                                                   &self->template),
                 "vkCreateDescriptorUpdateTemplate");
  VTR_APP_KEEP (&self->demo.scene, DESCRIPTOR_UPDATE_TEMPLATE, self->template);
}

static Data
data_of (Maintenance *self,
         uint32_t     tint,
         uint32_t     texture)
{
  return (Data){ .tint = { self->buffer, tint * 256, 16 },
                 .texture = { self->inputs.sampler, self->inputs.textures[texture]->view,
                              VK_IMAGE_LAYOUT_GENERAL } };
}

static void
write_both (const Data           *data,
            VkDescriptorSet       set,
            VkWriteDescriptorSet  out[2])
{
  out[0] = (VkWriteDescriptorSet){ .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                   .dstSet = set,
                                   .descriptorCount = 1,
                                   .descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
                                   .pBufferInfo = &data->tint };
  out[1] = (VkWriteDescriptorSet){ .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                   .dstSet = set,
                                   .dstBinding = 1,
                                   .descriptorCount = 1,
                                   .descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
                                   .pImageInfo = &data->texture };
}

/* The flags of the pipeline are those of the structure in its chain. */
static void
use_bound (VkGraphicsPipelineCreateInfo *create,
           void                         *data)
{
  static VkPipelineCreateFlags2CreateInfoKHR flags = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO_KHR,
    .flags = VK_PIPELINE_CREATE_2_DISABLE_OPTIMIZATION_BIT_KHR |
             VK_PIPELINE_CREATE_2_ALLOW_DERIVATIVES_BIT_KHR,
  };
  Maintenance *self = data;

  create->layout = self->bound_pipeline_layout;
  flags.pNext = (void *)create->pNext;
  create->pNext = &flags;
}

static void
start (VtrAppDemo *demo)
{
  Maintenance *self = (Maintenance *)demo;
  const VkFormat format = VTR_APP_DEMO_FORMAT;
  const VkShaderStageFlags stages = VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;
  VkWriteDescriptorSet writes[2];
  Data data;

  self->map = VTR_APP_NEED (demo, vkMapMemory2KHR);
  self->unmap = VTR_APP_NEED (demo, vkUnmapMemory2KHR);
  self->bind_indices = VTR_APP_NEED (demo, vkCmdBindIndexBuffer2KHR);
  self->bind_sets = VTR_APP_NEED (demo, vkCmdBindDescriptorSets2KHR);
  self->push_constants = VTR_APP_NEED (demo, vkCmdPushConstants2KHR);
  self->push = VTR_APP_NEED (demo, vkCmdPushDescriptorSet2KHR);
  self->push_template = VTR_APP_NEED (demo, vkCmdPushDescriptorSetWithTemplate2KHR);

  make_buffers (self);
  make_counter (self);
  vtr_app_demo_inputs (demo, &self->inputs, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
                       VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR);
  make_template (self);
  self->bound_layout = vtr_app_demo_set_layout (demo, self->inputs.bindings, 2, 0, NULL);
  self->bound_pipeline_layout = vtr_app_demo_layout (demo, self->bound_layout, stages);
  self->bound_pipeline =
    vtr_app_pipeline (&demo->scene,
                      &(VtrAppPipelineInfo){ .n_colors = 1,
                                             .formats = &format,
                                             .fragment = vtr_app_demo_input_shader (demo),
                                             .change = use_bound,
                                             .data = self });
  self->set =
    vtr_app_demo_set (demo, self->bound_layout, self->inputs.bindings, 2, 0, NULL);
  data = data_of (self, 0, 1);
  write_both (&data, self->set, writes);
  vkUpdateDescriptorSets (demo->scene.gpu.device, 2, writes, 0, NULL);
}

/* New contents, in memory that is mapped for that only. */
static void
fill_buffer (Maintenance *self)
{
  VkDevice device = self->demo.scene.gpu.device;
  const uint32_t frame = self->demo.frame;
  const VkMemoryMapInfoKHR map = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_MAP_INFO_KHR,
    .memory = self->memory,
    .size = VK_WHOLE_SIZE,
  };
  const VkMemoryUnmapInfoKHR unmap = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_UNMAP_INFO_KHR,
    .memory = self->memory,
  };
  const uint16_t indices[] = { 0, 1, 2, (uint16_t)(frame % 3), 2, 1 };
  void *data;

  vtr_app_check (self->map (device, &map, &data), "vkMapMemory2KHR");
  for (uint32_t i = 0; i < 2; i++)
    memcpy ((char *)data + i * 256,
            (const float[]){ 1.5f - (float)i, 0.25f + 0.25f * (float)(frame % 3), 0.75f, 1 }, 16);
  memcpy ((char *)data + INDICES, indices, sizeof indices);
  vtr_app_check (self->unmap (device, &unmap), "vkUnmapMemory2KHR");
}

static void
triangle (Maintenance      *self,
          VkPipelineLayout  layout,
          uint32_t          nth)
{
  const uint32_t color = nth + self->demo.frame;
  const float push[8] = { -1 + 0.2f * (float)(nth % 9),
                          -0.9f + 0.12f * (float)(nth % 7),
                          0.8f,
                          0.5f,
                          (float)(color * 37 % 11) / 10,
                          (float)(color * 53 % 7) / 6,
                          (float)(color * 29 % 5) / 4,
                          0.75f };
  const VkPushConstantsInfoKHR info = {
    .sType = VK_STRUCTURE_TYPE_PUSH_CONSTANTS_INFO_KHR,
    .layout = layout,
    .stageFlags = VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT,
    .size = sizeof push,
    .pValues = push,
  };

  if (self->demo.scene.stopped)
    return;
  self->push_constants (self->demo.commands, &info);
  vkCmdDrawIndexed (self->demo.commands, 3, 1, 0, 0, 0);
}

static void
draw_bound (Maintenance *self)
{
  const VkBindDescriptorSetsInfoKHR info = {
    .sType = VK_STRUCTURE_TYPE_BIND_DESCRIPTOR_SETS_INFO_KHR,
    .stageFlags = STAGES,
    .layout = self->bound_pipeline_layout,
    .descriptorSetCount = 1,
    .pDescriptorSets = &self->set,
  };

  vkCmdBindPipeline (self->demo.commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->bound_pipeline);
  self->bind_sets (self->demo.commands, &info);
  triangle (self, self->bound_pipeline_layout, 1);
}

static void
draw_pushed (Maintenance *self)
{
  const Data data = data_of (self, 1, 1), other = data_of (self, 0, 0);
  VkWriteDescriptorSet writes[2];
  VkPushDescriptorSetInfoKHR info = {
    .sType = VK_STRUCTURE_TYPE_PUSH_DESCRIPTOR_SET_INFO_KHR,
    .stageFlags = STAGES,
    .layout = self->inputs.layout,
    .descriptorWriteCount = 2,
    .pDescriptorWrites = writes,
  };
  const VkPushDescriptorSetWithTemplateInfoKHR by_template = {
    .sType = VK_STRUCTURE_TYPE_PUSH_DESCRIPTOR_SET_WITH_TEMPLATE_INFO_KHR,
    .descriptorUpdateTemplate = self->template,
    .layout = self->inputs.layout,
    .pData = &other,
  };

  write_both (&data, VK_NULL_HANDLE, writes);
  vkCmdBindPipeline (self->demo.commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->inputs.pipeline);
  self->push (self->demo.commands, &info);
  triangle (self, self->inputs.layout, 3);
  if (!vtr_app_demo_check (&self->demo))
    return;
  self->push_template (self->demo.commands, &by_template);
  triangle (self, self->inputs.layout, 5);
  vtr_app_demo_check (&self->demo);
}

static void
draw (VtrAppDemo *demo)
{
  Maintenance *self = (Maintenance *)demo;

  fill_buffer (self);
  count (self);
  vtr_app_demo_begin_rendering (demo);
  self->bind_indices (demo->commands, self->buffer, INDICES, 6 * sizeof (uint16_t),
                      VK_INDEX_TYPE_UINT16);
  draw_bound (self);
  if (vtr_app_demo_check (demo))
    draw_pushed (self);
  vtr_app_demo_end_rendering (demo);
}

static void
finish (VtrAppDemo *demo)
{
  Maintenance *self = (Maintenance *)demo;

  vkDestroyBuffer (demo->scene.gpu.device, self->counted, NULL);
  vkFreeMemory (demo->scene.gpu.device, self->counted_memory, NULL);
  vkDestroyBuffer (demo->scene.gpu.device, self->buffer, NULL);
  vkFreeMemory (demo->scene.gpu.device, self->memory, NULL);
}

int
main (int    argc,
      char **argv)
{
  static const char *const extensions[] = {
    VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME,
    VK_KHR_MAP_MEMORY_2_EXTENSION_NAME,
    VK_KHR_MAINTENANCE_5_EXTENSION_NAME,
    VK_KHR_MAINTENANCE_6_EXTENSION_NAME,
    NULL,
  };
  static const VkPhysicalDeviceMaintenance5FeaturesKHR five = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_5_FEATURES_KHR,
    .maintenance5 = VK_TRUE,
  };
  static const VkPhysicalDeviceMaintenance6FeaturesKHR six = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_6_FEATURES_KHR,
    .maintenance6 = VK_TRUE,
  };
  Maintenance self = { 0 };

  return vtr_app_demo_run (&self.demo,
                           &(VtrAppDemoInfo){
                             .what = "map_memory2, maintenance5 and maintenance6",
                             .extensions = extensions,
                             .more = { { &five, sizeof five }, { &six, sizeof six } },
                             .start = start,
                             .draw = draw,
                             .finish = finish,
                           },
                           argc, argv);
}

#else

int
main (void)
{
  puts ("The Vulkan headers that this was built with do not know VK_KHR_maintenance6.");
  return VTR_APP_SKIPPED;
}

#endif
