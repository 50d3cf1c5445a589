/* vtr-app-demo-generated --counts: sequences that hold the number of their draws and the address of
 * a buffer with these, and mesh draws. Addresses lie at odd multiples of 4, too.
 */
#include "demo-generated.h"

#include "demo_mesh_frag.h"
#include "demo_mesh_mesh.h"
#include "demo_mesh_task.h"

#include <string.h>

#ifdef VK_EXT_device_generated_commands

/* In .counted. */
#define INDEXED_AT 256u
#define MESHES_AT 512u

static void
change_to_meshes (VkGraphicsPipelineCreateInfo *create,
                  void                         *data)
{
  static VkPipelineCreateFlags2CreateInfoKHR flags;
  static VkPipelineShaderStageCreateInfo stages[3];
  Generated *self = data;
  const struct
  {
    VkShaderStageFlagBits stage;
    const uint32_t *code;
    size_t size;
  } shaders[3] = {
    { VK_SHADER_STAGE_TASK_BIT_EXT, demo_mesh_task, sizeof demo_mesh_task },
    { VK_SHADER_STAGE_MESH_BIT_EXT, demo_mesh_mesh, sizeof demo_mesh_mesh },
    { VK_SHADER_STAGE_FRAGMENT_BIT, demo_mesh_frag, sizeof demo_mesh_frag },
  };

  for (uint32_t i = 0; i < 3; i++)
    stages[i] = (VkPipelineShaderStageCreateInfo){
      .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
      .stage = shaders[i].stage,
      .module = vtr_app_scene_shader (&self->demo.scene, shaders[i].code, shaders[i].size),
      .pName = "main",
    };
  flags = (VkPipelineCreateFlags2CreateInfoKHR){
    .sType = VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO_KHR,
    .pNext = create->pNext,
    .flags = VK_PIPELINE_CREATE_2_INDIRECT_BINDABLE_BIT_EXT,
  };
  create->pNext = &flags;
  create->stageCount = 3;
  create->pStages = stages;
  create->pVertexInputState = NULL;
  create->pInputAssemblyState = NULL;
  create->layout = self->mesh_layout;
}

void
demo_generated_make_counted_programs (Generated *self)
{
  static const VkIndirectCommandsPushConstantTokenEXT push = { { STAGES, 0, 32 } },
                                                      index = { { STAGES, 28, 4 } },
                                                      mesh_push = { { MESH_STAGES, 0, 32 } };
  static const VkIndirectCommandsIndexBufferTokenEXT indices = {
    VK_INDIRECT_COMMANDS_INPUT_MODE_VULKAN_INDEX_BUFFER_EXT
  };
  const VkIndirectCommandsLayoutTokenEXT draws[] = {
    TOKEN (PUSH_CONSTANT, &push, 0),
    TOKEN (DRAW_COUNT, NULL, offsetof (CountedDraw, draws)),
  };
  const VkIndirectCommandsLayoutTokenEXT indexed[] = {
    TOKEN (SEQUENCE_INDEX, &index, 0),
    TOKEN (INDEX_BUFFER, &indices, offsetof (CountedIndexedDraw, indices)),
    TOKEN (DRAW_INDEXED_COUNT, NULL, offsetof (CountedIndexedDraw, draws)),
  };
  const VkIndirectCommandsLayoutTokenEXT meshes[] = {
    TOKEN (PUSH_CONSTANT, &mesh_push, 0),
    TOKEN (DRAW_MESH_TASKS, NULL, offsetof (MeshDraw, draw)),
  };
  const VkIndirectCommandsLayoutTokenEXT counted_meshes[] = {
    TOKEN (PUSH_CONSTANT, &mesh_push, 0),
    TOKEN (DRAW_MESH_TASKS_COUNT, NULL, offsetof (CountedDraw, draws)),
  };

  self->layout = vtr_app_demo_layout (&self->demo, VK_NULL_HANDLE, STAGES);
  self->mesh_layout = vtr_app_demo_layout (&self->demo, VK_NULL_HANDLE, MESH_STAGES);
  self->graphics[0] = demo_generated_graphics (self, VK_NULL_HANDLE);
  self->mesh = vtr_app_demo_pipeline (&self->demo, change_to_meshes, self);
  demo_generated_make_layout (self, COUNTED_DRAWS, sizeof (CountedDraw), 2, draws);
  demo_generated_make_layout (self, COUNTED_INDEXED_DRAWS, sizeof (CountedIndexedDraw), 3,
                              indexed);
  demo_generated_make_layout (self, MESH_DRAWS, sizeof (MeshDraw), 2, meshes);
  demo_generated_make_layout (self, COUNTED_MESH_DRAWS, sizeof (CountedDraw), 2, counted_meshes);
}

void
demo_generated_make_counted_buffers (Generated *self)
{
  self->counted = demo_generated_buffer (self, 1024, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT);
}

static void
write_draws (Generated *self)
{
  const uint32_t frame = self->demo.frame;
  uint8_t *counted = self->counted.mapped;

  for (uint32_t i = 0; i < N_SEQUENCES + 1; i++)
    {
      const VkDrawIndirectCommand draw = { 3, 1, (i + frame) % 5, i };
      const VkDrawIndexedIndirectCommand indexed = { 3, 1, 3 * (i % 2), (int32_t)(frame % 2), 0 };
      const VkDrawMeshTasksIndirectCommandEXT meshes = { 1 + i % 2, 1, 1 };

      memcpy (counted + i * sizeof draw, &draw, sizeof draw);
      memcpy (counted + INDEXED_AT + i * sizeof indexed, &indexed, sizeof indexed);
      memcpy (counted + MESHES_AT + i * sizeof meshes, &meshes, sizeof meshes);
    }
}

/* Number @i begins at the @i-th of the draws at @offset of .counted, and has one or two. */
static VkDrawIndirectCountIndirectCommandEXT
describe_draws (Generated *self,
                uint32_t   offset,
                uint32_t   stride,
                uint32_t   i)
{
  return (VkDrawIndirectCountIndirectCommandEXT){
    demo_generated_address (self, &self->counted) + offset + i * stride, stride,
    1 + (i + self->demo.frame) % 2
  };
}

static void
write_sequences (Generated *self)
{
  const uint32_t frame = self->demo.frame;
  const float hue = 0.25f * (float)(frame % 4);
  uint8_t *sequences = self->sequences.mapped;

  for (uint32_t i = 0; i < N_SEQUENCES; i++)
    {
      const float at = 0.5f * (float)i;
      const CountedDraw draw = {
        .push = { 1, 0.75f, hue, 1, at - 0.5f, -0.5f, 0.4f },
        .draws = describe_draws (self, 0, sizeof (VkDrawIndirectCommand), i),
      };
      const CountedIndexedDraw indexed = {
        .indices = { demo_generated_address (self, &self->indices) + 2 * i, 18 - 2 * i,
                     VK_INDEX_TYPE_UINT16 },
        .draws = describe_draws (self, INDEXED_AT, sizeof (VkDrawIndexedIndirectCommand), i),
      };
      const MeshDraw mesh = { { -0.9f, at - 0.8f, 0.1f, 0.2f, 0.25f, hue, 0.5f, 1 },
                              { 1 + (i + frame) % 2, 1, 1 } };
      const CountedDraw meshes = {
        .push = { 0, at - 0.8f, 0.1f, 0.2f, 1, hue, 0.5f, 1 },
        .draws = describe_draws (self, MESHES_AT, sizeof (VkDrawMeshTasksIndirectCommandEXT), i),
      };

      memcpy (sequences + demo_generated_offset (COUNTED_DRAWS, frame) + i * sizeof draw, &draw,
              sizeof draw);
      memcpy (sequences + demo_generated_offset (COUNTED_INDEXED_DRAWS, frame) +
                i * sizeof indexed,
              &indexed, sizeof indexed);
      memcpy (sequences + demo_generated_offset (MESH_DRAWS, frame) + i * sizeof mesh, &mesh,
              sizeof mesh);
      memcpy (sequences + demo_generated_offset (COUNTED_MESH_DRAWS, frame) + i * sizeof meshes,
              &meshes, sizeof meshes);
    }
}

static void
draw_vertices (Generated *self)
{
  const float push[8] = { 0.5f, 1, 1, 1, 0.5f, 0.5f, 0.4f };
  const VkDeviceSize zero = 0, stride = sizeof (Vertex);
  const VkCommandBuffer commands = self->demo.commands;

  vkCmdBindPipeline (commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->graphics[0]);
  vkCmdBindVertexBuffers2 (commands, 0, 1, &self->vertices.buffer, &zero, NULL, &stride);
  demo_generated_execute (self, COUNTED_DRAWS);
  if (!vtr_app_demo_check (&self->demo))
    return;
  /* What sequences leave bound is not defined. */
  vkCmdBindPipeline (commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->graphics[0]);
  vkCmdBindVertexBuffers2 (commands, 0, 1, &self->vertices.buffer, &zero, NULL, &stride);
  vkCmdPushConstants (commands, self->layout, STAGES, 0, sizeof push, push);
  demo_generated_execute (self, COUNTED_INDEXED_DRAWS);
}

void
demo_generated_draw_counted (Generated *self)
{
  VtrAppDemo *demo = &self->demo;

  write_draws (self);
  write_sequences (self);
  vtr_app_demo_begin_rendering (demo);
  vtr_app_viewport (demo->commands, VTR_APP_DEMO_WIDTH, VTR_APP_DEMO_HEIGHT);
  draw_vertices (self);
  for (uint32_t kind = MESH_DRAWS; kind <= COUNTED_MESH_DRAWS && vtr_app_demo_check (demo); kind++)
    {
      vkCmdBindPipeline (demo->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->mesh);
      demo_generated_execute (self, kind);
    }
  vtr_app_demo_check (demo);
  vtr_app_demo_end_rendering (demo);
}

#endif
