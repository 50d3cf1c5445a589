/* vtr-app-compute: a headless program whose result is one buffer.
 *
 * Each round the host writes part of the input through mapped memory, two dispatches (the second
 * indirect) pass it back and forth with push constants and a changing uniform, and copies, a fill
 * and an update touch the rest. What round n reads depends on what the GPU wrote in round n - 1.
 */
#include "vtr-app.h"

#include "compute.comp.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define COUNT 4096u
#define SIZE (COUNT * sizeof (uint32_t))
#define GROUP 64u
#define SALT_STRIDE 256u

typedef struct
{
  uint32_t count;
  uint32_t round;
  uint32_t shift;
} Push;

typedef struct
{
  VtrAppGpu gpu;
  VtrAppBuffer input;    /* mapped; the host writes some of it each round */
  VtrAppBuffer a;        /* device local */
  VtrAppBuffer b;        /* device local */
  VtrAppBuffer salt;     /* mapped uniform, one block per round modulo 4 */
  VtrAppBuffer indirect; /* mapped */
  VtrAppBuffer result;   /* mapped; only the GPU writes it */
  VkDescriptorSetLayout set_layout;
  VkPipelineLayout layout;
  VkPipeline pipeline;
  VkDescriptorPool descriptors;
  VkDescriptorSet sets[2]; /* a to b, b to a */
  VkCommandBuffer commands;
} Compute;

static void
create_buffers (Compute *self)
{
  const VkMemoryPropertyFlags host =
    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  const VkBufferUsageFlags storage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                                     VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                     VK_BUFFER_USAGE_TRANSFER_DST_BIT;

  self->input = vtr_app_buffer (&self->gpu, SIZE, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, host);
  self->a = vtr_app_buffer (&self->gpu, SIZE, storage, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
  self->b = vtr_app_buffer (&self->gpu, SIZE, storage, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
  self->salt = vtr_app_buffer (&self->gpu, 4 * SALT_STRIDE, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT,
                               host);
  self->indirect = vtr_app_buffer (&self->gpu, sizeof (VkDispatchIndirectCommand),
                                   VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT, host);
  self->result = vtr_app_buffer (&self->gpu, SIZE, storage, host);
  memset (self->input.mapped, 0, SIZE);
}

static void
create_pipeline (Compute *self)
{
  VkDescriptorSetLayoutBinding bindings[] = {
    { 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL },
    { 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL },
    { 2, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL },
  };
  VkDescriptorSetLayoutCreateInfo set_info = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
    .bindingCount = 3,
    .pBindings = bindings,
  };
  VkPushConstantRange range = { VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof (Push) };
  VkPipelineLayoutCreateInfo layout_info = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
    .setLayoutCount = 1,
    .pSetLayouts = &self->set_layout,
    .pushConstantRangeCount = 1,
    .pPushConstantRanges = &range,
  };
  uint32_t constants[] = { GROUP, 2654435761u };
  VkSpecializationMapEntry entries[] = { { 0, 0, 4 }, { 1, 4, 4 } };
  VkSpecializationInfo specialization = { 2, entries, sizeof constants, constants };
  VkComputePipelineCreateInfo pipeline_info = {
    .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
    .stage = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
      .stage = VK_SHADER_STAGE_COMPUTE_BIT,
      .pName = "main",
      .pSpecializationInfo = &specialization,
    },
  };
  VkDevice device = self->gpu.device;

  vtr_app_check (vkCreateDescriptorSetLayout (device, &set_info, NULL, &self->set_layout),
                 "vkCreateDescriptorSetLayout");
  vtr_app_check (vkCreatePipelineLayout (device, &layout_info, NULL, &self->layout),
                 "vkCreatePipelineLayout");
  pipeline_info.layout = self->layout;
  pipeline_info.stage.module = vtr_app_shader (&self->gpu, compute_comp, sizeof compute_comp);
  vtr_app_check (vkCreateComputePipelines (device, VK_NULL_HANDLE, 1, &pipeline_info, NULL,
                                           &self->pipeline),
                 "vkCreateComputePipelines");
  vkDestroyShaderModule (device, pipeline_info.stage.module, NULL);
}

static void
create_sets (Compute *self)
{
  VkDescriptorPoolSize sizes[] = {
    { VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 4 },
    { VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, 2 },
  };
  VkDescriptorPoolCreateInfo pool_info = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
    .maxSets = 2,
    .poolSizeCount = 2,
    .pPoolSizes = sizes,
  };
  VkDescriptorSetLayout layouts[] = { self->set_layout, self->set_layout };
  VkDescriptorSetAllocateInfo allocate_info = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
    .descriptorSetCount = 2,
    .pSetLayouts = layouts,
  };
  VkDescriptorBufferInfo infos[] = {
    { self->a.buffer, 0, VK_WHOLE_SIZE },
    { self->b.buffer, 0, VK_WHOLE_SIZE },
    { self->salt.buffer, 0, 16 },
  };
  VkWriteDescriptorSet writes[6];

  vtr_app_check (vkCreateDescriptorPool (self->gpu.device, &pool_info, NULL, &self->descriptors),
                 "vkCreateDescriptorPool");
  allocate_info.descriptorPool = self->descriptors;
  vtr_app_check (vkAllocateDescriptorSets (self->gpu.device, &allocate_info, self->sets),
                 "vkAllocateDescriptorSets");
  for (uint32_t i = 0; i < 6; i++)
    {
      uint32_t binding = i % 3;

      writes[i] = (VkWriteDescriptorSet){
        .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
        .dstSet = self->sets[i / 3],
        .dstBinding = binding,
        .descriptorCount = 1,
        .descriptorType = binding == 2 ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC
                                       : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
        .pBufferInfo = binding == 2 ? &infos[2] : &infos[(binding + i / 3) % 2],
      };
    }
  vkUpdateDescriptorSets (self->gpu.device, 6, writes, 0, NULL);
}

static void
write_inputs (Compute  *self,
              uint32_t  round,
              uint64_t *random)
{
  uint32_t *input = self->input.mapped;
  uint32_t *salt = (uint32_t *)self->salt.mapped + (round % 4) * (SALT_STRIDE / sizeof (uint32_t));
  VkMappedMemoryRange range = {
    .sType = VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE,
    .memory = self->indirect.memory,
    .size = VK_WHOLE_SIZE,
  };

  for (uint32_t i = 0; i < 200; i++)
    input[vtr_app_random (random) % COUNT] = vtr_app_random (random);
  for (uint32_t i = 0; i < 4; i++)
    salt[i] = vtr_app_random (random);
  *(VkDispatchIndirectCommand *)self->indirect.mapped =
    (VkDispatchIndirectCommand){ COUNT / GROUP - round % 3, 1, 1 };
  vtr_app_check (vkFlushMappedMemoryRanges (self->gpu.device, 1, &range),
                 "vkFlushMappedMemoryRanges");
}

static void
record_round (Compute  *self,
              uint32_t  round)
{
  VkCommandBuffer commands = self->commands;
  VkBufferCopy whole = { 0, 0, SIZE };
  VkBufferCopy half = { SIZE / 2, 0, SIZE / 2 };
  Push push = { COUNT, round, 5 };
  uint32_t update[4] = { round, ~round, round * 7, 42 };
  uint32_t offset = (round % 4) * SALT_STRIDE;

  vtr_app_begin (commands);
  vtr_app_barrier (commands);
  vkCmdCopyBuffer (commands, self->input.buffer, self->a.buffer, 1, round == 0 ? &whole : &half);
  if (round == 0)
    vkCmdFillBuffer (commands, self->b.buffer, 0, VK_WHOLE_SIZE, 0x5a5a5a5a);
  vtr_app_barrier (commands);
  vkCmdUpdateBuffer (commands, self->a.buffer, 256, sizeof update, update);
  vtr_app_barrier (commands);

  for (uint32_t i = 0; i < 2; i++)
    {
      push.shift = 5 + i;
      vkCmdBindDescriptorSets (commands, VK_PIPELINE_BIND_POINT_COMPUTE, self->layout, 0, 1,
                               &self->sets[i], 1, &offset);
      vkCmdPushConstants (commands, self->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof push,
                          &push);
      /* Constants may come before the pipeline that reads them. */
      if (i == 0)
        vkCmdBindPipeline (commands, VK_PIPELINE_BIND_POINT_COMPUTE, self->pipeline);
      if (i == 0)
        vkCmdDispatch (commands, COUNT / GROUP, 1, 1);
      else
        vkCmdDispatchIndirect (commands, self->indirect.buffer, 0);
      vtr_app_barrier (commands);
    }

  vkCmdCopyBuffer (commands, self->a.buffer, self->result.buffer, 1, &whole);
  vtr_app_barrier (commands);
}

static void
compute_finish (Compute *self)
{
  VkDevice device = self->gpu.device;

  vkDestroyDescriptorPool (device, self->descriptors, NULL);
  vkDestroyPipeline (device, self->pipeline, NULL);
  vkDestroyPipelineLayout (device, self->layout, NULL);
  vkDestroyDescriptorSetLayout (device, self->set_layout, NULL);
  vtr_app_buffer_finish (&self->gpu, &self->input);
  vtr_app_buffer_finish (&self->gpu, &self->a);
  vtr_app_buffer_finish (&self->gpu, &self->b);
  vtr_app_buffer_finish (&self->gpu, &self->salt);
  vtr_app_buffer_finish (&self->gpu, &self->indirect);
  vtr_app_buffer_finish (&self->gpu, &self->result);
  vtr_app_gpu_finish (&self->gpu);
}

int
main (int    argc,
      char **argv)
{
  Compute self = { 0 };
  const char *output = NULL;
  uint32_t n_rounds = 60;
  uint64_t random = 1;
  const VtrAppOption options[] = {
    { "--rounds", &n_rounds, NULL, NULL, "how often to submit (60)" },
    { "--output", NULL, &output, NULL, "file to write the result buffer to" },
    { 0 },
  };

  vtr_app_options (argc, argv, options);
  vtr_app_gpu_init (&self.gpu, NULL, false);
  create_buffers (&self);
  create_pipeline (&self);
  create_sets (&self);
  self.commands = vtr_app_commands (&self.gpu, VK_COMMAND_BUFFER_LEVEL_PRIMARY);

  for (uint32_t round = 0; round < n_rounds; round++)
    {
      write_inputs (&self, round, &random);
      record_round (&self, round);
      vtr_app_run (&self.gpu, self.commands);
    }

  if (output != NULL)
    vtr_app_write_file (output, self.result.mapped, SIZE);

  /* The handles are what a replay is asked for. */
  printf ("{\"result_buffer\": \"0x%" PRIx64 "\", \"device_buffer\": \"0x%" PRIx64 "\", "
          "\"bytes\": %zu, \"first\": %u, \"last\": %u}\n",
          (uint64_t)(uintptr_t)self.result.buffer, (uint64_t)(uintptr_t)self.a.buffer,
          (size_t)SIZE, ((uint32_t *)self.result.mapped)[0],
          ((uint32_t *)self.result.mapped)[COUNT - 1]);
  compute_finish (&self);

  return 0;
}
