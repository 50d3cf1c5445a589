/* vtr-app-demo-indexing: a runtime array of textures with a variable count and gaps, one of them
 * through a view that was destroyed, indexed by numbers from buffers that differ from texel to
 * texel. Descriptors are written after they were bound, and unused ones while the GPU works. */
#include "vtr-app-demo.h"

#include "demo_indexing_frag.h"

#define MOST 64u
#define COUNT 48u
#define FIRST_SPARE 24u /* from here on, no slot is used when it is written */
#define N_TEXTURES 4u

static const uint32_t slots[N_TEXTURES] = { 1, 7, 12, 23 };

typedef struct
{
  VtrAppDemo demo;
  VkPipelineLayout layout;
  VkPipeline pipeline;
  VkDescriptorSet set;
  VkSampler sampler;
  VtrAppPicture *textures[N_TEXTURES];
  VtrAppBuffer *places[2];
  VkImageView stale;
  VkCommandBuffer recorded; /* once, and submitted in every frame */
} Indexing;

static void
write_texture (Indexing    *self,
               uint32_t     slot,
               VkImageView  view)
{
  const VkDescriptorImageInfo image = { self->sampler, view, VK_IMAGE_LAYOUT_GENERAL };
  const VkWriteDescriptorSet write = {
    .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
    .dstSet = self->set,
    .dstBinding = 1,
    .dstArrayElement = slot,
    .descriptorCount = 1,
    .descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
    .pImageInfo = &image,
  };

  vkUpdateDescriptorSets (self->demo.scene.gpu.device, 1, &write, 0, NULL);
}

/* @first: the buffer of element 0; the other is that of element 1. */
static void
write_places (Indexing *self,
              uint32_t  first)
{
  const VkDescriptorBufferInfo buffers[] = {
    { self->places[first]->buffer, 0, VK_WHOLE_SIZE },
    { self->places[1 - first]->buffer, 0, VK_WHOLE_SIZE },
  };
  const VkWriteDescriptorSet write = {
    .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
    .dstSet = self->set,
    .descriptorCount = 2,
    .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
    .pBufferInfo = buffers,
  };

  vkUpdateDescriptorSets (self->demo.scene.gpu.device, 1, &write, 0, NULL);
}

static void
make_set (Indexing *self)
{
  VtrAppDemo *demo = &self->demo;
  const VkDescriptorBindingFlags flags[] = {
    VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT,
    VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT | VK_DESCRIPTOR_BINDING_PARTIALLY_BOUND_BIT |
      VK_DESCRIPTOR_BINDING_UPDATE_UNUSED_WHILE_PENDING_BIT |
      VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT,
  };
  const VkDescriptorSetLayoutBindingFlagsCreateInfo binding_flags = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO,
    .bindingCount = 2,
    .pBindingFlags = flags,
  };
  const VkDescriptorSetLayoutBinding bindings[] = {
    { 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2, VK_SHADER_STAGE_FRAGMENT_BIT, NULL },
    { 1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, MOST, VK_SHADER_STAGE_FRAGMENT_BIT, NULL },
  };
  const VkDescriptorPoolSize sizes[] = { { VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2 },
                                         { VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, COUNT } };
  const VkDescriptorPoolCreateInfo pool = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
    .flags = VK_DESCRIPTOR_POOL_CREATE_UPDATE_AFTER_BIND_BIT,
    .maxSets = 1,
    .poolSizeCount = 2,
    .pPoolSizes = sizes,
  };
  const uint32_t count = COUNT;
  const VkDescriptorSetVariableDescriptorCountAllocateInfo variable = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_ALLOCATE_INFO,
    .descriptorSetCount = 1,
    .pDescriptorCounts = &count,
  };
  const VkDescriptorSetLayout layout = vtr_app_demo_set_layout (
    demo, bindings, 2, VK_DESCRIPTOR_SET_LAYOUT_CREATE_UPDATE_AFTER_BIND_POOL_BIT,
    &binding_flags);
  VkDescriptorSetAllocateInfo allocate = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
    .pNext = &variable,
    .descriptorSetCount = 1,
    .pSetLayouts = &layout,
  };

  vtr_app_check (vkCreateDescriptorPool (demo->scene.gpu.device, &pool, NULL,
                                         &allocate.descriptorPool),
                 "vkCreateDescriptorPool");
  VTR_APP_KEEP (&demo->scene, DESCRIPTOR_POOL, allocate.descriptorPool);
  vtr_app_check (vkAllocateDescriptorSets (demo->scene.gpu.device, &allocate, &self->set),
                 "vkAllocateDescriptorSets");
  self->layout = vtr_app_demo_layout (
    demo, layout, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT);
}

static void
change (VkGraphicsPipelineCreateInfo *create,
        void                         *data)
{
  Indexing *self = data;

  create->layout = self->layout;
  vtr_app_demo_set_stage (create, 1,
                          vtr_app_scene_shader (&self->demo.scene, demo_indexing_frag,
                                                sizeof demo_indexing_frag));
}

static void
draw_with (Indexing *self,
           uint32_t  nth,
           uint32_t  which,
           uint32_t  add)
{
  VtrAppDemo *demo = &self->demo;
  const struct
  {
    float place[4], color[4];
    uint32_t which[4];
  } push = { { -1 + 0.25f * (float)nth, -1, 1.5f, 0.5f },
             { 0.25f, 0.5f, 0.75f, 1 },
             { which, add, 0, 0 } };

  vkCmdBindPipeline (demo->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->pipeline);
  vkCmdBindDescriptorSets (demo->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->layout, 0, 1,
                           &self->set, 0, NULL);
  vkCmdPushConstants (demo->commands, self->layout,
                      VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0, sizeof push,
                      &push);
  vkCmdDraw (demo->commands, 3, 1, 0, 0);
}

static void
record_once (Indexing *self)
{
  VtrAppDemo *demo = &self->demo;
  const VkCommandBufferBeginInfo begin = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
  };
  const VkCommandBuffer usual = demo->commands;

  demo->commands = self->recorded =
    vtr_app_commands (&demo->scene.gpu, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
  vtr_app_check (vkBeginCommandBuffer (self->recorded, &begin), "vkBeginCommandBuffer");
  vtr_app_demo_begin_rendering (demo);
  draw_with (self, 0, 1, 5);
  vtr_app_demo_end_rendering (demo);
  vtr_app_barrier (demo->commands);
  vtr_app_check (vkEndCommandBuffer (self->recorded), "vkEndCommandBuffer");
  demo->commands = usual;
}

static void
start (VtrAppDemo *demo)
{
  static const char *const names[][2] = { { "texture0", "places0" },
                                          { "texture1", "places1" },
                                          { "texture2", NULL },
                                          { "texture3", NULL } };
  Indexing *self = (Indexing *)demo;

  make_set (self);
  self->sampler = vtr_app_demo_sampler (demo, NULL);
  for (uint32_t i = 0; i < N_TEXTURES; i++)
    self->textures[i] = vtr_app_demo_texture (demo, names[i][0], 3 + 4 * i);
  for (uint32_t i = 0; i < 2; i++)
    {
      self->places[i] =
        vtr_app_demo_buffer (demo, names[i][1], 64, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
      for (uint32_t j = 0; j < 16; j++)
        ((uint32_t *)self->places[i]->mapped)[j] = slots[(j * (3 + i) + j / 5) % N_TEXTURES];
    }
  self->pipeline = vtr_app_demo_pipeline (demo, change, self);
  for (uint32_t i = 0; i < N_TEXTURES; i++)
    write_texture (self, slots[i], self->textures[i]->view);
  write_places (self, 0);
  record_once (self);
}

/* An unused descriptor, of a view that lives for one frame. */
static void
leave_stale (Indexing *self)
{
  const VtrAppGpu *gpu = &self->demo.scene.gpu;
  const VkImageViewCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
    .image = self->textures[0]->image,
    .viewType = VK_IMAGE_VIEW_TYPE_2D,
    .format = VTR_APP_DEMO_FORMAT,
    .subresourceRange = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1 },
  };

  vtr_app_check (vkCreateImageView (gpu->device, &info, NULL, &self->stale),
                 "vkCreateImageView");
  write_texture (self, 3 + self->demo.frame % 2, self->stale);
}

/* The places name it for 16 frames. */
static uint32_t
get_spare (Indexing *self)
{
  return FIRST_SPARE + self->demo.frame % (COUNT - FIRST_SPARE);
}

/* The recorded draw; while it is pending, textures go to slots that it does not use. */
static void
submit_recorded (Indexing *self)
{
  const VtrAppGpu *gpu = &self->demo.scene.gpu;
  const VkSubmitInfo submit = {
    .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
    .commandBufferCount = 1,
    .pCommandBuffers = &self->recorded,
  };

  vtr_app_check (vkQueueSubmit (gpu->queue, 1, &submit, VK_NULL_HANDLE), "vkQueueSubmit");
  write_texture (self, get_spare (self), self->textures[self->demo.frame % N_TEXTURES]->view);
  leave_stale (self);
  vtr_app_check (vkQueueWaitIdle (gpu->queue), "vkQueueWaitIdle");
  vkDestroyImageView (gpu->device, self->stale, NULL);
}

static void
draw (VtrAppDemo *demo)
{
  Indexing *self = (Indexing *)demo;
  const uint32_t f = demo->frame;

  vtr_app_demo_begin_rendering (demo);
  draw_with (self, 2, 0, f);
  vtr_app_demo_check (demo);
  vtr_app_demo_end_rendering (demo);
  /* After it was recorded, before it is submitted. */
  write_places (self, f % 2);
  write_texture (self, slots[f % N_TEXTURES], self->textures[(f + 1) % N_TEXTURES]->view);
  vtr_app_demo_flush (demo);
  if (demo->scene.stopped)
    return;
  submit_recorded (self);
  ((uint32_t *)self->places[0]->mapped)[f % 16] = get_spare (self); /* what was written meanwhile */
  vtr_app_demo_begin_rendering (demo);
  draw_with (self, 4, f % 2, 9);
  vtr_app_demo_check (demo);
  vtr_app_demo_end_rendering (demo);
}

int
main (int    argc,
      char **argv)
{
  Indexing self = { 0 };
  const VtrAppDemoInfo info = {
    .what = "descriptor indexing",
    .features12 = { .descriptorIndexing = VK_TRUE,
                    .runtimeDescriptorArray = VK_TRUE,
                    .shaderSampledImageArrayNonUniformIndexing = VK_TRUE,
                    .descriptorBindingPartiallyBound = VK_TRUE,
                    .descriptorBindingVariableDescriptorCount = VK_TRUE,
                    .descriptorBindingSampledImageUpdateAfterBind = VK_TRUE,
                    .descriptorBindingStorageBufferUpdateAfterBind = VK_TRUE,
                    .descriptorBindingUpdateUnusedWhilePending = VK_TRUE },
    .start = start,
    .draw = draw,
  };

  return vtr_app_demo_run (&self.demo, &info, argc, argv);
}
