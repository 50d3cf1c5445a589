/* vtr-app-demo-pointers: pointers that the GPU stores: a list that a dispatch links in the first
 * frame and that others follow in every frame. The shaders get the addresses by specialisation and
 * by push constants. */
#include "vtr-app-demo.h"

#include "demo_address_vert.h"
#include "demo_pointers_comp.h"

#define NODES 8u

enum
{
  GAP,
  LIST,
  HEAD,
  FOUND,
  N
};

typedef struct
{
  VtrAppDemo demo;
  VtrAppBuffer own[FOUND]; /* with addresses in them, which differ from run to run */
  uint64_t addresses[N];
  VkPipelineLayout layout;
  VkPipeline link, follow, graphics;
} Pointers;

static VkPipeline
make_compute (Pointers *self,
              VkBool32  build)
{
  VtrAppDemo *demo = &self->demo;
  const struct
  {
    uint64_t nodes;
    VkBool32 build;
  } constants = { self->addresses[LIST], build };
  const VkSpecializationMapEntry entries[] = { { 0, 0, 8 }, { 1, 8, 4 } };
  const VkSpecializationInfo special = { 2, entries, sizeof constants, &constants };
  const VkComputePipelineCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
    .stage = { .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
               .stage = VK_SHADER_STAGE_COMPUTE_BIT,
               .module = vtr_app_scene_shader (&demo->scene, demo_pointers_comp,
                                               sizeof demo_pointers_comp),
               .pName = "main",
               .pSpecializationInfo = &special },
    .layout = self->layout,
  };
  VkPipeline pipeline;

  vtr_app_check (vkCreateComputePipelines (demo->scene.gpu.device, VK_NULL_HANDLE, 1, &info, NULL,
                                           &pipeline),
                 "vkCreateComputePipelines");
  VTR_APP_KEEP (&demo->scene, PIPELINE, pipeline);
  return pipeline;
}

static void
change (VkGraphicsPipelineCreateInfo *create,
        void                         *data)
{
  Pointers *self = data;

  create->layout = self->layout;
  vtr_app_demo_set_stage (create, 0,
                          vtr_app_scene_shader (&self->demo.scene, demo_address_vert,
                                                sizeof demo_address_vert));
}

static void
start (VtrAppDemo *demo)
{
  Pointers *self = (Pointers *)demo;
  const VkBufferUsageFlags usage =
    VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
    VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  VtrAppBuffer *found = vtr_app_demo_buffer (demo, "found", 128, usage);

  for (uint32_t i = 0; i < FOUND; i++)
    {
      self->own[i] =
        vtr_app_buffer (&demo->scene.gpu, i == GAP ? 4096 : 16 * NODES, usage,
                        i == LIST ? VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT
                                  : VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                      VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
      self->addresses[i] = vtr_app_address (&self->demo.scene.gpu, self->own[i].buffer);
    }
  self->addresses[FOUND] = vtr_app_address (&self->demo.scene.gpu, found->buffer);
  self->layout = vtr_app_demo_layout (demo, VK_NULL_HANDLE, VK_SHADER_STAGE_ALL);
  self->link = make_compute (self, VK_TRUE);
  self->follow = make_compute (self, VK_FALSE);
  self->graphics = vtr_app_demo_pipeline (demo, change, self);
}

static void
dispatch (Pointers   *self,
          VkPipeline  pipeline)
{
  const VkCommandBuffer commands = self->demo.commands;
  const struct
  {
    uint64_t head, found;
    uint32_t n, add;
  } push = { self->addresses[HEAD], self->addresses[FOUND], NODES, 3 + self->demo.frame };

  vtr_app_barrier (commands);
  vkCmdBindPipeline (commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
  vkCmdPushConstants (commands, self->layout, VK_SHADER_STAGE_ALL, 0, sizeof push, &push);
  vkCmdDispatch (commands, 1, 1, 1);
  vtr_app_barrier (commands);
}

static void
draw (VtrAppDemo *demo)
{
  Pointers *self = (Pointers *)demo;
  const struct
  {
    uint64_t corners, gap;
    float color[4];
  } push = { self->addresses[FOUND], 0, { 0.25f, 0.5f, 0.125f, 1 } };

  if (demo->frame == 0)
    {
      vkCmdFillBuffer (demo->commands, self->own[LIST].buffer, 0, VK_WHOLE_SIZE, 0);
      dispatch (self, self->link);
    }
  dispatch (self, self->follow);
  if (!vtr_app_demo_check (demo))
    return;
  vtr_app_demo_begin_rendering (demo);
  vkCmdBindPipeline (demo->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->graphics);
  vkCmdPushConstants (demo->commands, self->layout, VK_SHADER_STAGE_ALL, 0, sizeof push, &push);
  vkCmdDraw (demo->commands, 3, 1, demo->frame % 2, 0);
  vtr_app_demo_check (demo);
  vtr_app_demo_end_rendering (demo);
}

static void
finish (VtrAppDemo *demo)
{
  Pointers *self = (Pointers *)demo;

  for (uint32_t i = 0; i < FOUND; i++)
    vtr_app_buffer_finish (&demo->scene.gpu, &self->own[i]);
}

int
main (int    argc,
      char **argv)
{
  Pointers self = { 0 };
  const VtrAppDemoInfo info = {
    .what = "device addresses and 64-bit integers in shaders",
    .features = { .shaderInt64 = VK_TRUE },
    .features12 = { .bufferDeviceAddress = VK_TRUE },
    .features13 = { .maintenance4 = VK_TRUE },
    .start = start,
    .draw = draw,
    .finish = finish,
  };

  return vtr_app_demo_run (&self.demo, &info, argc, argv);
}
