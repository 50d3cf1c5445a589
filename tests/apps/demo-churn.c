/* vtr-app-demo-churn: threads that make what they need for a frame and destroy it after the next:
 * memory, buffers, images, views, samplers, pools, sets, layouts, shaders, pipelines, fences, and
 * command buffers. Each writes to mapped memory of its own and to a ring that all of them share.
 *
 * However many frames there were, as many objects live as after the first.
 */
#include "vtr-app-demo.h"

#include "demo_churn_comp.h"

#include <pthread.h>
#include <string.h>

#define N_WORKERS 3u
#define SIDE 8u /* of the textures */
#define STAGING (256u * 1024u)
#define RING (2u << 20)
#define TINT 256u  /* bytes of the ring a tint */
#define SLICE 256u /* numbers of a worker */

/* What is made for one frame of a worker. */
typedef struct
{
  VkCommandPool pool;
  VkCommandBuffer upload, drawing;
  VtrAppImage texture;
  VtrAppBuffer staging;
  VkBuffer own; /* of memory that was allocated for it */
  VkDeviceMemory own_memory;
  VkSampler sampler;
  VkDescriptorPool descriptors;
  VkDescriptorSet set, numbers_set;
  VkDescriptorSetLayout numbers_set_layout;
  VkPipelineLayout numbers_layout;
  VkFence fence;
  VkSemaphore semaphore;
  VkEvent event;
} Life;

typedef struct _Churn Churn;

typedef struct
{
  Churn *churn;
  uint32_t number;
  pthread_t thread;
  uint64_t random;
  Life lives[2]; /* of this frame and the one before, in turns */
  uint32_t n_frames;
  VkPipeline numbers; /* made anew from time to time */
} Worker;

struct _Churn
{
  VtrAppDemo demo;
  VtrAppDemoInputs inputs;
  VtrAppBuffer ring;
  VtrAppBuffer *numbers;
  pthread_barrier_t begin, end;
  bool done;
  Worker workers[N_WORKERS];
};

/* --- What lives for a frame ------------------------------------------------------------------ */

/* @memory_first: before the buffer that it is for. */
static void
life_finish (Life      *self,
             VtrAppGpu *gpu,
             bool       memory_first)
{
  if (self->pool == VK_NULL_HANDLE)
    return;
  if (memory_first)
    vkFreeMemory (gpu->device, self->own_memory, NULL);
  vkDestroyBuffer (gpu->device, self->own, NULL);
  if (!memory_first)
    vkFreeMemory (gpu->device, self->own_memory, NULL);
  vkDestroyEvent (gpu->device, self->event, NULL);
  vkDestroySemaphore (gpu->device, self->semaphore, NULL);
  vkDestroyFence (gpu->device, self->fence, NULL);
  vkDestroyPipelineLayout (gpu->device, self->numbers_layout, NULL);
  vkDestroyDescriptorSetLayout (gpu->device, self->numbers_set_layout, NULL);
  vkDestroyDescriptorPool (gpu->device, self->descriptors, NULL);
  vkDestroySampler (gpu->device, self->sampler, NULL);
  vtr_app_buffer_finish (gpu, &self->staging);
  vtr_app_image_finish (gpu, &self->texture);
  vkDestroyCommandPool (gpu->device, self->pool, NULL);
  memset (self, 0, sizeof *self);
}

static void
make_commands (Life      *self,
               VtrAppGpu *gpu)
{
  const VkCommandPoolCreateInfo pool = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
    .flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT,
    .queueFamilyIndex = gpu->family,
  };
  VkCommandBufferAllocateInfo allocate = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
    .level = VK_COMMAND_BUFFER_LEVEL_SECONDARY,
    .commandBufferCount = 1,
  };

  vtr_app_check (vkCreateCommandPool (gpu->device, &pool, NULL, &self->pool),
                 "vkCreateCommandPool");
  allocate.commandPool = self->pool;
  vtr_app_check (vkAllocateCommandBuffers (gpu->device, &allocate, &self->upload),
                 "vkAllocateCommandBuffers");
  vtr_app_check (vkAllocateCommandBuffers (gpu->device, &allocate, &self->drawing),
                 "vkAllocateCommandBuffers");
}

static void
make_layouts (Life      *self,
              VtrAppGpu *gpu)
{
  const VkDescriptorSetLayoutBinding binding = { 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1,
                                                 VK_SHADER_STAGE_COMPUTE_BIT, NULL };
  const VkDescriptorSetLayoutCreateInfo set = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
    .bindingCount = 1,
    .pBindings = &binding,
  };
  const VkPushConstantRange range = { VK_SHADER_STAGE_COMPUTE_BIT, 0, 8 };
  const VkPipelineLayoutCreateInfo layout = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
    .setLayoutCount = 1,
    .pSetLayouts = &self->numbers_set_layout,
    .pushConstantRangeCount = 1,
    .pPushConstantRanges = &range,
  };

  vtr_app_check (vkCreateDescriptorSetLayout (gpu->device, &set, NULL, &self->numbers_set_layout),
                 "vkCreateDescriptorSetLayout");
  vtr_app_check (vkCreatePipelineLayout (gpu->device, &layout, NULL, &self->numbers_layout),
                 "vkCreatePipelineLayout");
}

static void
make_sets (Life  *self,
           Churn *churn)
{
  const VkDevice device = churn->demo.scene.gpu.device;
  const VkDescriptorPoolSize sizes[] = {
    { VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1 },
    { VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1 },
    { VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1 },
  };
  const VkDescriptorPoolCreateInfo pool = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
    .maxSets = 2,
    .poolSizeCount = 3,
    .pPoolSizes = sizes,
  };
  const VkDescriptorSetLayout layouts[] = { churn->inputs.set, self->numbers_set_layout };
  VkDescriptorSetAllocateInfo allocate = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
    .descriptorSetCount = 2,
    .pSetLayouts = layouts,
  };
  VkDescriptorSet sets[2];

  vtr_app_check (vkCreateDescriptorPool (device, &pool, NULL, &self->descriptors),
                 "vkCreateDescriptorPool");
  allocate.descriptorPool = self->descriptors;
  vtr_app_check (vkAllocateDescriptorSets (device, &allocate, sets), "vkAllocateDescriptorSets");
  self->set = sets[0];
  self->numbers_set = sets[1];
}

/* What is made only to be destroyed. */
static void
make_sync (Life      *self,
           VtrAppGpu *gpu)
{
  const VkFenceCreateInfo fence = { .sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO };
  const VkSemaphoreCreateInfo semaphore = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO };
  const VkEventCreateInfo event = { .sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO };

  vtr_app_check (vkCreateFence (gpu->device, &fence, NULL, &self->fence), "vkCreateFence");
  vtr_app_check (vkCreateSemaphore (gpu->device, &semaphore, NULL, &self->semaphore),
                 "vkCreateSemaphore");
  vtr_app_check (vkCreateEvent (gpu->device, &event, NULL, &self->event), "vkCreateEvent");
}

static void
make_own (Life      *self,
          VtrAppGpu *gpu)
{
  const VkBufferCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
    .size = 4096,
    .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT,
  };
  VkMemoryDedicatedAllocateInfo dedicated = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO,
  };
  VkMemoryRequirements wants;

  vtr_app_check (vkCreateBuffer (gpu->device, &info, NULL, &self->own), "vkCreateBuffer");
  vkGetBufferMemoryRequirements (gpu->device, self->own, &wants);
  dedicated.buffer = self->own;
  self->own_memory = vtr_app_allocate_with (gpu, &wants, 0, &dedicated);
  vtr_app_check (vkBindBufferMemory (gpu->device, self->own, self->own_memory, 0),
                 "vkBindBufferMemory");
}

static void
life_init (Life  *self,
           Churn *churn)
{
  const VkSamplerCreateInfo sampler = { .sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO };
  VtrAppGpu *gpu = &churn->demo.scene.gpu;

  make_commands (self, gpu);
  make_layouts (self, gpu);
  make_sets (self, churn);
  make_sync (self, gpu);
  make_own (self, gpu);
  self->texture = vtr_app_image (gpu, SIDE, SIDE, VTR_APP_DEMO_FORMAT,
                                 VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT);
  self->staging = vtr_app_buffer (gpu, STAGING, VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
                                  VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                    VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
  vtr_app_check (vkCreateSampler (gpu->device, &sampler, NULL, &self->sampler), "vkCreateSampler");
}

/* --- A frame of a worker ---------------------------------------------------------------------- */

/* Where the worker writes this frame's tint. */
static VkDeviceSize
place_in_ring (const Worker *self)
{
  return (VkDeviceSize)((self->n_frames * N_WORKERS + self->number) % (RING / TINT)) * TINT;
}

static VkDeviceSize
write_memory (Worker *self,
              Life   *life)
{
  const float tint[4] = { (float)(vtr_app_random (&self->random) % 16) / 16,
                          (float)(vtr_app_random (&self->random) % 16) / 16, 0.5f, 1 };
  const VkDeviceSize at = vtr_app_random (&self->random) % (STAGING / 1024) * 1024;
  uint8_t *texels = (uint8_t *)life->staging.mapped + at;

  memcpy ((uint8_t *)self->churn->ring.mapped + place_in_ring (self), tint, sizeof tint);
  for (uint32_t i = 0; i < SIDE * SIDE * 4; i++)
    texels[i] = (uint8_t)(vtr_app_random (&self->random) >> 5);
  return at;
}

static void
write_sets (Worker *self,
            Life   *life)
{
  Churn *churn = self->churn;
  const VkDescriptorBufferInfo tint = { churn->ring.buffer, place_in_ring (self), 16 };
  const VkDescriptorBufferInfo numbers = { churn->numbers->buffer, self->number * SLICE * 4,
                                           SLICE * 4 };
  const VkDescriptorImageInfo texture = { life->sampler, life->texture.view,
                                          VK_IMAGE_LAYOUT_GENERAL };
  const VkWriteDescriptorSet writes[] = {
    { .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
      .dstSet = life->set,
      .descriptorCount = 1,
      .descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
      .pBufferInfo = &tint },
    { .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
      .dstSet = life->set,
      .dstBinding = 1,
      .descriptorCount = 1,
      .descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
      .pImageInfo = &texture },
    { .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
      .dstSet = life->numbers_set,
      .descriptorCount = 1,
      .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
      .pBufferInfo = &numbers },
  };

  vkUpdateDescriptorSets (churn->demo.scene.gpu.device, 3, writes, 0, NULL);
}

/* From a shader module that is destroyed before the pipeline runs. */
static void
make_pipeline (Worker *self,
               Life   *life)
{
  VtrAppGpu *gpu = &self->churn->demo.scene.gpu;
  const VkComputePipelineCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
    .stage = { .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
               .stage = VK_SHADER_STAGE_COMPUTE_BIT,
               .module = vtr_app_shader (gpu, demo_churn_comp, sizeof demo_churn_comp),
               .pName = "main" },
    .layout = life->numbers_layout,
  };

  vkDestroyPipeline (gpu->device, self->numbers, NULL);
  vtr_app_check (
    vkCreateComputePipelines (gpu->device, VK_NULL_HANDLE, 1, &info, NULL, &self->numbers),
    "vkCreateComputePipelines");
  vkDestroyShaderModule (gpu->device, info.stage.module, NULL);
}

static void
begin_secondary (VkCommandBuffer commands,
                 bool            inside)
{
  static const VkFormat format = VTR_APP_DEMO_FORMAT;
  const VkCommandBufferInheritanceRenderingInfo rendering = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_RENDERING_INFO,
    .colorAttachmentCount = 1,
    .pColorAttachmentFormats = &format,
    .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT,
  };
  const VkCommandBufferInheritanceInfo inheritance = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO,
    .pNext = inside ? &rendering : NULL,
  };
  const VkCommandBufferBeginInfo info = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
    .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT |
             (inside ? VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT : 0),
    .pInheritanceInfo = &inheritance,
  };

  vtr_app_check (vkBeginCommandBuffer (commands, &info), "vkBeginCommandBuffer");
}

static void
record_upload (Worker       *self,
               Life         *life,
               VkDeviceSize  at)
{
  const uint32_t push[] = { 0, self->n_frames };
  const VkBufferImageCopy region = {
    .bufferOffset = at,
    .imageSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
    .imageExtent = { SIDE, SIDE, 1 },
  };
  VkCommandBuffer commands = life->upload;

  begin_secondary (commands, false);
  vtr_app_transition (commands, &life->texture, VK_IMAGE_LAYOUT_UNDEFINED,
                      VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
  vkCmdCopyBufferToImage (commands, life->staging.buffer, life->texture.image,
                          VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
  vtr_app_transition (commands, &life->texture, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                      VK_IMAGE_LAYOUT_GENERAL);
  vkCmdBindPipeline (commands, VK_PIPELINE_BIND_POINT_COMPUTE, self->numbers);
  vkCmdBindDescriptorSets (commands, VK_PIPELINE_BIND_POINT_COMPUTE, life->numbers_layout, 0, 1,
                           &life->numbers_set, 0, NULL);
  vkCmdPushConstants (commands, life->numbers_layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof push,
                      push);
  vkCmdDispatch (commands, SLICE / 64, 1, 1);
  vtr_app_check (vkEndCommandBuffer (commands), "vkEndCommandBuffer");
}

static void
record_drawing (Worker *self,
                Life   *life)
{
  Churn *churn = self->churn;
  VkCommandBuffer commands = life->drawing;

  begin_secondary (commands, true);
  vtr_app_viewport (commands, VTR_APP_DEMO_WIDTH, VTR_APP_DEMO_HEIGHT);
  vkCmdBindPipeline (commands, VK_PIPELINE_BIND_POINT_GRAPHICS, churn->inputs.pipeline);
  vkCmdBindDescriptorSets (commands, VK_PIPELINE_BIND_POINT_GRAPHICS, churn->inputs.layout, 0, 1,
                           &life->set, 0, NULL);
  for (uint32_t i = 0; i < 4; i++)
    vtr_app_triangle (&churn->demo.scene, commands, -0.95f + 0.65f * (float)self->number,
                      -0.9f + 0.4f * (float)i, 0.6f, 0.5f, self->n_frames + i);
  vtr_app_check (vkEndCommandBuffer (commands), "vkEndCommandBuffer");
}

static void
work_frame (Worker *self)
{
  Churn *churn = self->churn;
  Life *life = &self->lives[self->n_frames % 2];
  VkDeviceSize at;

  life_finish (life, &churn->demo.scene.gpu, self->n_frames % 4 < 2);
  life_init (life, churn);
  at = write_memory (self, life);
  write_sets (self, life);
  if (self->numbers == VK_NULL_HANDLE || self->n_frames % (2 * N_WORKERS) == self->number)
    make_pipeline (self, life);
  record_upload (self, life, at);
  record_drawing (self, life);
}

static void *
work (void *data)
{
  Worker *self = data;
  Churn *churn = self->churn;

  for (;;)
    {
      pthread_barrier_wait (&churn->begin);
      if (churn->done)
        return NULL;
      work_frame (self);
      pthread_barrier_wait (&churn->end);
    }
}

/* --- The demo --------------------------------------------------------------------------------- */

static void
start (VtrAppDemo *demo)
{
  Churn *self = (Churn *)demo;

  vtr_app_demo_inputs (demo, &self->inputs, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 0);
  self->ring = vtr_app_buffer (&demo->scene.gpu, RING, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT,
                               VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                 VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
  self->numbers = vtr_app_demo_buffer (demo, "numbers", N_WORKERS * SLICE * 4,
                                       VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  pthread_barrier_init (&self->begin, NULL, N_WORKERS + 1);
  pthread_barrier_init (&self->end, NULL, N_WORKERS + 1);
  for (uint32_t i = 0; i < N_WORKERS; i++)
    {
      self->workers[i].churn = self;
      self->workers[i].number = i;
      self->workers[i].random = 17 + i;
      if (pthread_create (&self->workers[i].thread, NULL, work, &self->workers[i]) != 0)
        vtr_app_fail ("there are no threads");
    }
}

static void
draw (VtrAppDemo *demo)
{
  Churn *self = (Churn *)demo;
  VkCommandBuffer uploads[N_WORKERS], drawings[N_WORKERS];
  const VkRenderingAttachmentInfo attachment = {
    .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
    .imageView = demo->color->view,
    .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
    .loadOp = VK_ATTACHMENT_LOAD_OP_LOAD,
    .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
  };
  const VkRenderingInfo info = {
    .sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
    .flags = VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT,
    .renderArea = { { 0, 0 }, { VTR_APP_DEMO_WIDTH, VTR_APP_DEMO_HEIGHT } },
    .layerCount = 1,
    .colorAttachmentCount = 1,
    .pColorAttachments = &attachment,
  };

  pthread_barrier_wait (&self->begin);
  pthread_barrier_wait (&self->end);
  for (uint32_t i = 0; i < N_WORKERS; i++)
    {
      const Worker *worker = &self->workers[i];

      uploads[i] = worker->lives[worker->n_frames % 2].upload;
      drawings[i] = worker->lives[worker->n_frames % 2].drawing;
      self->workers[i].n_frames++;
    }
  vtr_app_barrier (demo->commands);
  vkCmdExecuteCommands (demo->commands, N_WORKERS, uploads);
  vtr_app_barrier (demo->commands);
  if (!vtr_app_demo_check (demo))
    return;
  vkCmdBeginRendering (demo->commands, &info);
  vkCmdExecuteCommands (demo->commands, N_WORKERS, drawings);
  vkCmdEndRendering (demo->commands);
  vtr_app_demo_check (demo);
}

static void
finish (VtrAppDemo *demo)
{
  Churn *self = (Churn *)demo;
  VtrAppGpu *gpu = &demo->scene.gpu;

  self->done = true;
  pthread_barrier_wait (&self->begin);
  for (uint32_t i = 0; i < N_WORKERS; i++)
    {
      Worker *worker = &self->workers[i];

      pthread_join (worker->thread, NULL);
      for (uint32_t j = 0; j < 2; j++)
        life_finish (&worker->lives[j], gpu, false);
      vkDestroyPipeline (gpu->device, worker->numbers, NULL);
    }
  pthread_barrier_destroy (&self->begin);
  pthread_barrier_destroy (&self->end);
  vtr_app_buffer_finish (gpu, &self->ring);
}

int
main (int    argc,
      char **argv)
{
  Churn self = { 0 };

  return vtr_app_demo_run (&self.demo,
                           &(VtrAppDemoInfo){ .what = "threads that make and destroy objects",
                                              .features13 = { .maintenance4 = VK_TRUE },
                                              .start = start,
                                              .draw = draw,
                                              .finish = finish },
                           argc, argv);
}
