/* The programs of vtr-app-demo-generated: pipelines, shader objects, and sets of both. */
#include "demo-generated.h"

#include "demo_counted_comp.h"
#include "demo_flight_comp.h"
#include "demo_generated_vert.h"
#include "demo_objects_frag.h"

#include <string.h>

#ifdef VK_EXT_device_generated_commands

static const VkPushConstantRange whole = { STAGES, 0, 32 };

static const VkPipelineCreateFlags2CreateInfoKHR bindable = {
  .sType = VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO_KHR,
  .flags = VK_PIPELINE_CREATE_2_INDIRECT_BINDABLE_BIT_EXT,
};

static const VkVertexInputBindingDescription binding = { 0, sizeof (Vertex),
                                                         VK_VERTEX_INPUT_RATE_VERTEX };
const VkVertexInputAttributeDescription demo_generated_attributes[2] = {
  { 0, 0, VK_FORMAT_R32G32_SFLOAT, offsetof (Vertex, place) },
  { 1, 0, VK_FORMAT_R8G8B8A8_UNORM, offsetof (Vertex, color) },
};

typedef struct
{
  Generated *self;
  VkShaderModule fragment; /* VK_NULL_HANDLE: the scene's */
} Wish;

static void
change (VkGraphicsPipelineCreateInfo *create,
        void                         *data)
{
  static const VkDynamicState states[] = { VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR,
                                           VK_DYNAMIC_STATE_VERTEX_INPUT_BINDING_STRIDE };
  static VkPipelineCreateFlags2CreateInfoKHR flags;
  const Wish *wish = data;
  Generated *self = wish->self;
  VkPipelineVertexInputStateCreateInfo *input =
    (VkPipelineVertexInputStateCreateInfo *)create->pVertexInputState;
  VkPipelineDynamicStateCreateInfo *dynamic =
    (VkPipelineDynamicStateCreateInfo *)create->pDynamicState;

  flags = bindable;
  flags.pNext = create->pNext;
  create->pNext = &flags;
  create->layout = self->layout;
  input->vertexBindingDescriptionCount = 1;
  input->pVertexBindingDescriptions = &binding;
  input->vertexAttributeDescriptionCount = 2;
  input->pVertexAttributeDescriptions = demo_generated_attributes;
  dynamic->dynamicStateCount = 3;
  dynamic->pDynamicStates = states;
  vtr_app_demo_set_stage (create, 0,
                          vtr_app_scene_shader (&self->demo.scene, demo_generated_vert,
                                                sizeof demo_generated_vert));
  if (wish->fragment != VK_NULL_HANDLE)
    vtr_app_demo_set_stage (create, 1, wish->fragment);
}

static VkPipeline
make_compute (Generated      *self,
              const uint32_t  code[],
              size_t          size)
{
  VtrAppScene *scene = &self->demo.scene;
  const VkComputePipelineCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
    .pNext = &bindable,
    .stage = { .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
               .stage = VK_SHADER_STAGE_COMPUTE_BIT,
               .module = vtr_app_scene_shader (scene, code, size),
               .pName = "main" },
    .layout = self->numbers.layout,
  };
  VkPipeline pipeline;

  vtr_app_check (
    vkCreateComputePipelines (scene->gpu.device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline),
    "vkCreateComputePipelines");
  VTR_APP_KEEP (scene, PIPELINE, pipeline);
  return pipeline;
}

VkPipeline
demo_generated_graphics (Generated      *self,
                         VkShaderModule  fragment)
{
  Wish wish = { self, fragment };

  return vtr_app_demo_pipeline (&self->demo, change, &wish);
}

static void
make_pipelines (Generated *self)
{
  VtrAppDemo *demo = &self->demo;
  VkShaderModule fragment;

  self->numbers = vtr_app_demo_numbers (demo);
  self->compute[0] = make_compute (self, demo_flight_comp, sizeof demo_flight_comp);
  self->compute[1] = make_compute (self, demo_counted_comp, sizeof demo_counted_comp);

  self->layout = vtr_app_demo_layout (demo, VK_NULL_HANDLE, STAGES);
  self->graphics[0] = demo_generated_graphics (self, VK_NULL_HANDLE);
  fragment = vtr_app_scene_shader (&demo->scene, demo_objects_frag, sizeof demo_objects_frag);
  self->graphics[1] = demo_generated_graphics (self, fragment);
  self->graphics[2] = demo_generated_graphics (self, fragment);
}

static void
make_shaders (Generated *self)
{
  static const float strength = 0.5f;
  static const VkSpecializationMapEntry entry = { 3, 0, sizeof strength };
  static const VkSpecializationInfo constants = { 1, &entry, sizeof strength, &strength };
  VkShaderCreateInfoEXT infos[3];

  for (uint32_t i = 0; i < 3; i++)
    infos[i] = (VkShaderCreateInfoEXT){
      .sType = VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT,
      .flags = VK_SHADER_CREATE_INDIRECT_BINDABLE_BIT_EXT,
      .stage = i == 0 ? VK_SHADER_STAGE_VERTEX_BIT : VK_SHADER_STAGE_FRAGMENT_BIT,
      .nextStage = i == 0 ? VK_SHADER_STAGE_FRAGMENT_BIT : 0,
      .codeType = VK_SHADER_CODE_TYPE_SPIRV_EXT,
      .codeSize = i == 0 ? sizeof demo_generated_vert : sizeof demo_objects_frag,
      .pCode = i == 0 ? demo_generated_vert : demo_objects_frag,
      .pName = "main",
      .pushConstantRangeCount = 1,
      .pPushConstantRanges = &whole,
      .pSpecializationInfo = i == 2 ? &constants : NULL,
    };
  vtr_app_check (self->objects.create (self->demo.scene.gpu.device, 3, infos, NULL, self->shaders),
                 "vkCreateShadersEXT");
}

static void
make_sets (Generated *self)
{
  const VkDevice device = self->demo.scene.gpu.device;
  const VkIndirectExecutionSetShaderLayoutInfoEXT none[2] = {
    { .sType = VK_STRUCTURE_TYPE_INDIRECT_EXECUTION_SET_SHADER_LAYOUT_INFO_EXT },
    { .sType = VK_STRUCTURE_TYPE_INDIRECT_EXECUTION_SET_SHADER_LAYOUT_INFO_EXT },
  };
  VkIndirectExecutionSetPipelineInfoEXT pipelines = {
    .sType = VK_STRUCTURE_TYPE_INDIRECT_EXECUTION_SET_PIPELINE_INFO_EXT,
    .maxPipelineCount = 8,
  };
  const VkIndirectExecutionSetShaderInfoEXT shaders = {
    .sType = VK_STRUCTURE_TYPE_INDIRECT_EXECUTION_SET_SHADER_INFO_EXT,
    .shaderCount = 2,
    .pInitialShaders = self->shaders,
    .pSetLayoutInfos = none,
    .maxShaderCount = 4,
    .pushConstantRangeCount = 1,
    .pPushConstantRanges = &whole,
  };
  const VkWriteIndirectExecutionSetPipelineEXT second = {
    VK_STRUCTURE_TYPE_WRITE_INDIRECT_EXECUTION_SET_PIPELINE_EXT, NULL, 5, self->compute[1]
  };
  /* The last one stays; the third is another one in each frame. */
  const VkWriteIndirectExecutionSetShaderEXT last[] = {
    { VK_STRUCTURE_TYPE_WRITE_INDIRECT_EXECUTION_SET_SHADER_EXT, NULL, 2, self->shaders[2] },
    { VK_STRUCTURE_TYPE_WRITE_INDIRECT_EXECUTION_SET_SHADER_EXT, NULL, 3, self->shaders[2] },
  };

  for (uint32_t i = 0; i < INDEXED_DRAWS; i++)
    {
      VkIndirectExecutionSetCreateInfoEXT info = {
        .sType = VK_STRUCTURE_TYPE_INDIRECT_EXECUTION_SET_CREATE_INFO_EXT,
        .type = i == OBJECT_DRAWS ? VK_INDIRECT_EXECUTION_SET_INFO_TYPE_SHADER_OBJECTS_EXT
                                  : VK_INDIRECT_EXECUTION_SET_INFO_TYPE_PIPELINES_EXT,
      };

      pipelines.initialPipeline = i == DRAWS ? self->graphics[0] : self->compute[0];
      if (i == OBJECT_DRAWS)
        info.info.pShaderInfo = &shaders;
      else
        info.info.pPipelineInfo = &pipelines;
      vtr_app_check (self->create_set (device, &info, NULL, &self->sets[i]),
                     "vkCreateIndirectExecutionSetEXT");
    }
  self->update_pipelines (device, self->sets[DISPATCHES], 1, &second);
  self->update_shaders (device, self->sets[OBJECT_DRAWS], 2, last);
}

/* ---- Layouts ---- */

VkShaderStageFlags
demo_generated_stages (uint32_t kind)
{
  if (kind == DISPATCHES)
    return VK_SHADER_STAGE_COMPUTE_BIT;
  return kind >= MESH_DRAWS ? MESH_STAGES : STAGES;
}

VkPipelineLayout
demo_generated_layout (const Generated *self,
                       uint32_t         kind)
{
  if (kind == DISPATCHES)
    return self->numbers.layout;
  return kind >= MESH_DRAWS ? self->mesh_layout : self->layout;
}

VkPipeline
demo_generated_pipeline (const Generated *self,
                         uint32_t         kind)
{
  return kind >= MESH_DRAWS ? self->mesh : self->graphics[0];
}

VkIndirectCommandsLayoutTokenEXT
demo_generated_token (VkIndirectCommandsTokenTypeEXT  type,
                      const void                     *data,
                      uint32_t                        offset)
{
  VkIndirectCommandsLayoutTokenEXT self = {
    .sType = VK_STRUCTURE_TYPE_INDIRECT_COMMANDS_LAYOUT_TOKEN_EXT,
    .type = type,
    .offset = offset,
  };

  memcpy (&self.data, &data, sizeof data);
  return self;
}

void
demo_generated_make_layout (Generated                              *self,
                            uint32_t                                kind,
                            uint32_t                                stride,
                            uint32_t                                n,
                            const VkIndirectCommandsLayoutTokenEXT *tokens)
{
  const VkIndirectCommandsLayoutCreateInfoEXT info = {
    .sType = VK_STRUCTURE_TYPE_INDIRECT_COMMANDS_LAYOUT_CREATE_INFO_EXT,
    .flags = kind == DISPATCHES ? VK_INDIRECT_COMMANDS_LAYOUT_USAGE_EXPLICIT_PREPROCESS_BIT_EXT : 0,
    .shaderStages = demo_generated_stages (kind),
    .indirectStride = stride,
    .pipelineLayout = demo_generated_layout (self, kind),
    .tokenCount = n,
    .pTokens = tokens,
  };

  vtr_app_check (self->create_layout (self->demo.scene.gpu.device, &info, NULL,
                                      &self->layouts[kind]),
                 "vkCreateIndirectCommandsLayoutEXT");
}

static void
make_layouts (Generated *self)
{
  static const VkIndirectCommandsExecutionSetTokenEXT
    graphics = { VK_INDIRECT_EXECUTION_SET_INFO_TYPE_PIPELINES_EXT, STAGES },
    objects = { VK_INDIRECT_EXECUTION_SET_INFO_TYPE_SHADER_OBJECTS_EXT, STAGES },
    compute = { VK_INDIRECT_EXECUTION_SET_INFO_TYPE_PIPELINES_EXT, VK_SHADER_STAGE_COMPUTE_BIT };
  static const VkIndirectCommandsPushConstantTokenEXT
    push = { { STAGES, 0, 32 } },
    index = { { STAGES, 28, 4 } },
    first = { { VK_SHADER_STAGE_COMPUTE_BIT, 0, 4 } };
  static const VkIndirectCommandsVertexBufferTokenEXT vertices = { 0 };
  static const VkIndirectCommandsIndexBufferTokenEXT indices = {
    VK_INDIRECT_COMMANDS_INPUT_MODE_VULKAN_INDEX_BUFFER_EXT
  };
  const VkIndirectCommandsLayoutTokenEXT draws[] = {
    TOKEN (EXECUTION_SET, &graphics, 0),
    TOKEN (PUSH_CONSTANT, &push, offsetof (Draw, push)),
    TOKEN (VERTEX_BUFFER, &vertices, offsetof (Draw, vertices)),
    TOKEN (DRAW, NULL, offsetof (Draw, draw)),
  };
  const VkIndirectCommandsLayoutTokenEXT object_draws[] = {
    TOKEN (EXECUTION_SET, &objects, 0),
    TOKEN (PUSH_CONSTANT, &push, offsetof (ObjectDraw, push)),
    TOKEN (VERTEX_BUFFER, &vertices, offsetof (ObjectDraw, vertices)),
    TOKEN (DRAW, NULL, offsetof (ObjectDraw, draw)),
  };
  const VkIndirectCommandsLayoutTokenEXT indexed[] = {
    TOKEN (SEQUENCE_INDEX, &index, 0),
    TOKEN (INDEX_BUFFER, &indices, offsetof (IndexedDraw, indices)),
    TOKEN (DRAW_INDEXED, NULL, offsetof (IndexedDraw, draw)),
  };
  const VkIndirectCommandsLayoutTokenEXT dispatches[] = {
    TOKEN (EXECUTION_SET, &compute, 0),
    TOKEN (PUSH_CONSTANT, &first, offsetof (Dispatch, first)),
    TOKEN (DISPATCH, NULL, offsetof (Dispatch, dispatch)),
  };

  demo_generated_make_layout (self, DRAWS, sizeof (Draw), 4, draws);
  demo_generated_make_layout (self, OBJECT_DRAWS, sizeof (ObjectDraw), 4, object_draws);
  demo_generated_make_layout (self, INDEXED_DRAWS, sizeof (IndexedDraw), 3, indexed);
  demo_generated_make_layout (self, DISPATCHES, sizeof (Dispatch), 3, dispatches);
}

void
demo_generated_make_programs (Generated *self)
{
  make_pipelines (self);
  make_shaders (self);
  make_sets (self);
  make_layouts (self);
}

#endif
