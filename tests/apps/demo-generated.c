/* vtr-app-demo-generated: commands that the device generates (VK_EXT_device_generated_commands):
 * draws by sets of pipelines and of shader objects, with vertex buffers, indices and constants from
 * memory; dispatches that are preprocessed a frame before they run.
 *
 * Sequences are 68 bytes long, so that every second address in them is not aligned to 8.
 */
#include "vtr-app-demo-shaders.h"

#include "demo_counted_comp.h"
#include "demo_flight_comp.h"
#include "demo_generated_vert.h"
#include "demo_objects_frag.h"

#include <stdio.h>
#include <string.h>

#ifdef VK_EXT_device_generated_commands

#define STAGES (VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT)
#define N_SEQUENCES 3u
#define COMPUTE 1024u /* where dispatches of even frames begin */
#define OBJECTS 2048u /* draws by shader objects */
#define INDEXED 3072u
#define COUNT 4092u

typedef struct
{
  float place[2];
  uint8_t color[4];
} Vertex;

/* What the device reads for one draw. */
typedef struct __attribute__ ((packed, aligned (4)))
{
  uint32_t program;
  float push[8];
  VkBindVertexBufferIndirectCommandEXT vertices;
  VkDrawIndirectCommand draw;
} Draw;

typedef struct __attribute__ ((packed, aligned (4)))
{
  uint32_t programs[2]; /* vertex, fragment */
  float push[8];
  VkBindVertexBufferIndirectCommandEXT vertices;
  VkDrawIndirectCommand draw;
} ObjectDraw;

typedef struct __attribute__ ((packed, aligned (4)))
{
  uint32_t index; /* of the sequence; the device's */
  VkBindIndexBufferIndirectCommandEXT indices;
  VkDrawIndexedIndirectCommand draw;
} IndexedDraw;

typedef struct
{
  uint32_t program;
  uint32_t first;
  VkDispatchIndirectCommand dispatch;
} Dispatch;

enum
{
  DRAWS,
  DISPATCHES,
  OBJECT_DRAWS,
  INDEXED_DRAWS,
  N_KINDS
};

typedef struct
{
  VtrAppDemo demo;
  PFN_vkCreateIndirectCommandsLayoutEXT create_layout;
  PFN_vkDestroyIndirectCommandsLayoutEXT destroy_layout;
  PFN_vkCreateIndirectExecutionSetEXT create_set;
  PFN_vkDestroyIndirectExecutionSetEXT destroy_set;
  PFN_vkUpdateIndirectExecutionSetPipelineEXT update_pipelines;
  PFN_vkUpdateIndirectExecutionSetShaderEXT update_shaders;
  PFN_vkGetGeneratedCommandsMemoryRequirementsEXT get_size;
  PFN_vkCmdPreprocessGeneratedCommandsEXT preprocess;
  PFN_vkCmdExecuteGeneratedCommandsEXT execute;
  VtrAppDemoShaders objects;
  VtrAppBuffer sequences, vertices, indices; /* with addresses that differ from run to run */
  VtrAppDemoNumbers numbers;
  VkBuffer scratch;
  VkDeviceMemory scratch_memory;
  VkDeviceAddress scratch_address;
  VkDeviceSize scratch_size; /* of one execution */
  VkPipelineLayout layout;
  VkPipeline graphics[3], compute[2];
  VkShaderEXT shaders[3]; /* vertex, fragment, fragment */
  VkIndirectCommandsLayoutEXT layouts[N_KINDS];
  VkIndirectExecutionSetEXT sets[INDEXED_DRAWS];
} Generated;

static const VkPushConstantRange whole = { STAGES, 0, 32 };

/* ---- Programs ---- */

static const VkPipelineCreateFlags2CreateInfoKHR bindable = {
  .sType = VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO_KHR,
  .flags = VK_PIPELINE_CREATE_2_INDIRECT_BINDABLE_BIT_EXT,
};

static const VkVertexInputBindingDescription binding = { 0, sizeof (Vertex),
                                                         VK_VERTEX_INPUT_RATE_VERTEX };
static const VkVertexInputAttributeDescription attributes[] = {
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
  input->pVertexAttributeDescriptions = attributes;
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

static void
make_programs (Generated *self)
{
  VtrAppDemo *demo = &self->demo;
  Wish wish = { self, VK_NULL_HANDLE };

  self->numbers = vtr_app_demo_numbers (demo);
  self->compute[0] = make_compute (self, demo_flight_comp, sizeof demo_flight_comp);
  self->compute[1] = make_compute (self, demo_counted_comp, sizeof demo_counted_comp);

  self->layout = vtr_app_demo_layout (demo, VK_NULL_HANDLE, STAGES);
  self->graphics[0] = vtr_app_demo_pipeline (demo, change, &wish);
  wish.fragment =
    vtr_app_scene_shader (&demo->scene, demo_objects_frag, sizeof demo_objects_frag);
  self->graphics[1] = vtr_app_demo_pipeline (demo, change, &wish);
  self->graphics[2] = vtr_app_demo_pipeline (demo, change, &wish);
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

static VkIndirectCommandsLayoutTokenEXT
token (VkIndirectCommandsTokenTypeEXT  type,
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

static void
make_layout (Generated                              *self,
             uint32_t                                kind,
             uint32_t                                stride,
             uint32_t                                n,
             const VkIndirectCommandsLayoutTokenEXT *tokens)
{
  const VkIndirectCommandsLayoutCreateInfoEXT info = {
    .sType = VK_STRUCTURE_TYPE_INDIRECT_COMMANDS_LAYOUT_CREATE_INFO_EXT,
    .flags = kind == DISPATCHES ? VK_INDIRECT_COMMANDS_LAYOUT_USAGE_EXPLICIT_PREPROCESS_BIT_EXT : 0,
    .shaderStages = kind == DISPATCHES ? VK_SHADER_STAGE_COMPUTE_BIT : STAGES,
    .indirectStride = stride,
    .pipelineLayout = kind == DISPATCHES ? self->numbers.layout : self->layout,
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
#define TOKEN(type, data, place) token (VK_INDIRECT_COMMANDS_TOKEN_TYPE_##type##_EXT, data, place)
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

  make_layout (self, DRAWS, sizeof (Draw), 4, draws);
  make_layout (self, OBJECT_DRAWS, sizeof (ObjectDraw), 4, object_draws);
  make_layout (self, INDEXED_DRAWS, sizeof (IndexedDraw), 3, indexed);
  make_layout (self, DISPATCHES, sizeof (Dispatch), 3, dispatches);
}

/* ---- Memory ---- */

static VkDeviceAddress
address_of (Generated          *self,
            const VtrAppBuffer *buffer)
{
  return vtr_app_address (&self->demo.scene.gpu, buffer->buffer);
}

/* Where an execution keeps what the driver makes of its sequences. */
static uint32_t
scratch_of (const Generated *self,
            uint32_t         kind,
            uint32_t         frame)
{
  (void)self;
  return kind == DISPATCHES && frame % 2 != 0 ? N_KINDS : kind;
}

static void
make_scratch (Generated *self)
{
  VtrAppGpu *gpu = &self->demo.scene.gpu;
  const VkBufferUsageFlags2CreateInfoKHR usage = {
    .sType = VK_STRUCTURE_TYPE_BUFFER_USAGE_FLAGS_2_CREATE_INFO_KHR,
    .usage = VK_BUFFER_USAGE_2_PREPROCESS_BUFFER_BIT_EXT |
             VK_BUFFER_USAGE_2_SHADER_DEVICE_ADDRESS_BIT_KHR,
  };
  VkBufferCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
    .pNext = &usage,
  };
  const VkMemoryAllocateFlagsInfo addresses = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
    .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT,
  };
  VkMemoryRequirements needs;

  for (uint32_t kind = 0; kind < N_KINDS; kind++)
    {
      const VkGeneratedCommandsPipelineInfoEXT pipeline = {
        .sType = VK_STRUCTURE_TYPE_GENERATED_COMMANDS_PIPELINE_INFO_EXT,
        .pipeline = self->graphics[0],
      };
      const VkGeneratedCommandsMemoryRequirementsInfoEXT wish = {
        .sType = VK_STRUCTURE_TYPE_GENERATED_COMMANDS_MEMORY_REQUIREMENTS_INFO_EXT,
        .pNext = kind == INDEXED_DRAWS ? &pipeline : NULL,
        .indirectExecutionSet = kind < INDEXED_DRAWS ? self->sets[kind] : VK_NULL_HANDLE,
        .indirectCommandsLayout = self->layouts[kind],
        .maxSequenceCount = N_SEQUENCES,
        .maxDrawCount = 1,
      };
      VkMemoryRequirements2 size = { .sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2 };

      self->get_size (gpu->device, &wish, &size);
      if (self->scratch_size < size.memoryRequirements.size)
        self->scratch_size = size.memoryRequirements.size;
    }
  self->scratch_size = (self->scratch_size + 4095) / 4096 * 4096;
  info.size = (N_KINDS + 1) * self->scratch_size;
  vtr_app_check (vkCreateBuffer (gpu->device, &info, NULL, &self->scratch), "vkCreateBuffer");
  vkGetBufferMemoryRequirements (gpu->device, self->scratch, &needs);
  self->scratch_memory =
    vtr_app_allocate_with (gpu, &needs, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, &addresses);
  vtr_app_check (vkBindBufferMemory (gpu->device, self->scratch, self->scratch_memory, 0),
                 "vkBindBufferMemory");
  self->scratch_address = vtr_app_address (gpu, self->scratch);
}

static VtrAppBuffer
make_buffer (Generated          *self,
             VkDeviceSize        size,
             VkBufferUsageFlags  usage)
{
  return vtr_app_buffer (&self->demo.scene.gpu, size,
                         usage | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT,
                         VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                           VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
}

static void
make_buffers (Generated *self)
{
  static const Vertex vertices[] = {
    { { -0.9f, -0.9f }, { 255, 0, 64, 255 } },
    { { 0.4f, -0.8f }, { 0, 255, 0, 128 } },
    { { -0.7f, 0.5f }, { 64, 32, 255, 255 } },
    { { 0.8f, 0.7f }, { 255, 255, 0, 64 } },
    { { -0.1f, 0.9f }, { 0, 128, 255, 200 } },
    { { 0.9f, -0.3f }, { 90, 0, 90, 255 } },
    { { -0.9f, 0.1f }, { 255, 128, 0, 255 } },
  };
  static const uint16_t indices[] = { 0, 1, 3, 4, 2, 5, 6, 1, 4 };

  self->sequences = make_buffer (self, 4096, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT);
  self->vertices = make_buffer (self, sizeof vertices, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT);
  self->indices = make_buffer (self, sizeof indices, VK_BUFFER_USAGE_INDEX_BUFFER_BIT);
  memcpy (self->vertices.mapped, vertices, sizeof vertices);
  memcpy (self->indices.mapped, indices, sizeof indices);
}

/* ---- Sequences ---- */

static uint8_t *
sequence (Generated *self,
          uint32_t   offset)
{
  return (uint8_t *)self->sequences.mapped + offset;
}

static void
write_draws (Generated *self)
{
  const uint32_t frame = self->demo.frame, n = 1 + frame % N_SEQUENCES;
  const VkDeviceAddress vertices = address_of (self, &self->vertices);

  for (uint32_t i = 0; i < N_SEQUENCES; i++)
    {
      const uint32_t first = (i + frame) % 4;
      const VkBindVertexBufferIndirectCommandEXT source = {
        vertices + first * sizeof (Vertex), (uint32_t)(7 - first) * sizeof (Vertex),
        sizeof (Vertex)
      };
      const Draw draw = { .program = i % 2,
                          .push = { 1, 0.75f, 0.5f, 1, 0.25f * (float)i, -0.5f, 0.5f },
                          .vertices = source,
                          .draw = { 3, 1, i % 2, i } };
      const ObjectDraw object = { .programs = { 0, 1 + i },
                                  .push = { 0.5f, 1, 0.75f, 1, -0.5f, 0.25f * (float)i, 0.5f },
                                  .vertices = source,
                                  .draw = { 3, 1, 0, i } };
      const IndexedDraw indexed = {
        .indices = { address_of (self, &self->indices) + 2 * i, 18 - 2 * i,
                     VK_INDEX_TYPE_UINT16 },
        .draw = { 3, 1, 3 * (frame % 2), 0, 0 },
      };

      memcpy (sequence (self, (uint32_t)(i * sizeof draw)), &draw, sizeof draw);
      memcpy (sequence (self, OBJECTS + (uint32_t)(i * sizeof object)), &object, sizeof object);
      memcpy (sequence (self, INDEXED + (uint32_t)(i * sizeof indexed)), &indexed,
              sizeof indexed);
    }
  memcpy (sequence (self, COUNT), &n, sizeof n);
}

static uint32_t
dispatches_of (uint32_t frame)
{
  return COMPUTE + frame % 2 * 512;
}

static void
write_dispatches (Generated *self,
                  uint32_t   frame)
{
  for (uint32_t i = 0; i < 2; i++)
    {
      const Dispatch dispatch = { 5 * ((i + frame) % 2), 128 * i, { 1, 1, 1 } };

      memcpy (sequence (self, dispatches_of (frame) + (uint32_t)(i * sizeof dispatch)), &dispatch,
              sizeof dispatch);
    }
}

static VkGeneratedCommandsInfoEXT
describe (Generated *self,
          uint32_t   kind,
          uint32_t   frame)
{
  const VkDeviceAddress sequences = address_of (self, &self->sequences);
  const uint32_t offsets[N_KINDS] = { 0, dispatches_of (frame), OBJECTS, INDEXED };

  return (VkGeneratedCommandsInfoEXT){
    .sType = VK_STRUCTURE_TYPE_GENERATED_COMMANDS_INFO_EXT,
    .shaderStages = kind == DISPATCHES ? VK_SHADER_STAGE_COMPUTE_BIT : STAGES,
    .indirectExecutionSet = kind < INDEXED_DRAWS ? self->sets[kind] : VK_NULL_HANDLE,
    .indirectCommandsLayout = self->layouts[kind],
    .indirectAddress = sequences + offsets[kind],
    .indirectAddressSize = 512,
    .preprocessAddress =
      self->scratch_address + scratch_of (self, kind, frame) * self->scratch_size,
    .preprocessSize = self->scratch_size,
    .maxSequenceCount = kind == DISPATCHES ? 2 : N_SEQUENCES,
    .sequenceCountAddress = kind == DRAWS ? sequences + COUNT : 0,
    .maxDrawCount = 1,
  };
}

static void
bind_compute (Generated *self)
{
  const VkCommandBuffer commands = self->demo.commands;

  vkCmdBindPipeline (commands, VK_PIPELINE_BIND_POINT_COMPUTE, self->compute[0]);
  vkCmdBindDescriptorSets (commands, VK_PIPELINE_BIND_POINT_COMPUTE, self->numbers.layout, 0, 1,
                           &self->numbers.set, 0, NULL);
}

/* The dispatches of @frame, for a later submission. */
static void
prepare_dispatches (Generated *self,
                    uint32_t   frame)
{
  const VkGeneratedCommandsInfoEXT info = describe (self, DISPATCHES, frame);

  write_dispatches (self, frame);
  bind_compute (self);
  self->preprocess (self->demo.commands, &info, self->demo.commands);
  vtr_app_barrier (self->demo.commands);
}

static void
execute (Generated *self,
         uint32_t   kind)
{
  const VkGeneratedCommandsInfoEXT info = describe (self, kind, self->demo.frame);
  const VkGeneratedCommandsPipelineInfoEXT pipeline = {
    .sType = VK_STRUCTURE_TYPE_GENERATED_COMMANDS_PIPELINE_INFO_EXT,
    .pipeline = self->graphics[0],
  };
  VkGeneratedCommandsInfoEXT with = info;

  if (kind == INDEXED_DRAWS)
    with.pNext = &pipeline;
  if (!self->demo.scene.stopped)
    self->execute (self->demo.commands, kind == DISPATCHES, &with);
}

static void
bind_objects (Generated *self)
{
  const VkCommandBuffer commands = self->demo.commands;
  const VkVertexInputBindingDescription2EXT vertex = {
    VK_STRUCTURE_TYPE_VERTEX_INPUT_BINDING_DESCRIPTION_2_EXT, NULL, 0, sizeof (Vertex),
    VK_VERTEX_INPUT_RATE_VERTEX, 1
  };
  VkVertexInputAttributeDescription2EXT inputs[2];

  for (uint32_t i = 0; i < 2; i++)
    inputs[i] = (VkVertexInputAttributeDescription2EXT){
      VK_STRUCTURE_TYPE_VERTEX_INPUT_ATTRIBUTE_DESCRIPTION_2_EXT, NULL,
      attributes[i].location, attributes[i].binding, attributes[i].format, attributes[i].offset
    };
  vtr_app_demo_shaders_set_state (&self->objects, commands);
  self->objects.vertex_input (commands, 1, &vertex, 2, inputs);
  vtr_app_demo_shaders_bind (&self->objects, commands, self->shaders);
}

/* ---- The demo ---- */

static void
start (VtrAppDemo *demo)
{
  Generated *self = (Generated *)demo;

  self->create_layout = VTR_APP_NEED (demo, vkCreateIndirectCommandsLayoutEXT);
  self->destroy_layout = VTR_APP_NEED (demo, vkDestroyIndirectCommandsLayoutEXT);
  self->create_set = VTR_APP_NEED (demo, vkCreateIndirectExecutionSetEXT);
  self->destroy_set = VTR_APP_NEED (demo, vkDestroyIndirectExecutionSetEXT);
  self->update_pipelines = VTR_APP_NEED (demo, vkUpdateIndirectExecutionSetPipelineEXT);
  self->update_shaders = VTR_APP_NEED (demo, vkUpdateIndirectExecutionSetShaderEXT);
  self->get_size = VTR_APP_NEED (demo, vkGetGeneratedCommandsMemoryRequirementsEXT);
  self->preprocess = VTR_APP_NEED (demo, vkCmdPreprocessGeneratedCommandsEXT);
  self->execute = VTR_APP_NEED (demo, vkCmdExecuteGeneratedCommandsEXT);
  vtr_app_demo_shaders_init (&self->objects, demo);
  make_programs (self);
  make_shaders (self);
  make_sets (self);
  make_layouts (self);
  make_buffers (self);
  make_scratch (self);
  prepare_dispatches (self, 0);
  vtr_app_demo_flush (demo);
}

static void
draw (VtrAppDemo *demo)
{
  Generated *self = (Generated *)demo;
  const VkWriteIndirectExecutionSetPipelineEXT second = {
    VK_STRUCTURE_TYPE_WRITE_INDIRECT_EXECUTION_SET_PIPELINE_EXT, NULL, 1,
    self->graphics[1 + demo->frame % 2]
  };
  const VkWriteIndirectExecutionSetShaderEXT third = {
    VK_STRUCTURE_TYPE_WRITE_INDIRECT_EXECUTION_SET_SHADER_EXT, NULL, 2,
    self->shaders[2 - demo->frame % 2]
  };
  const VkDeviceSize zero = 0, stride = sizeof (Vertex);

  self->update_pipelines (demo->scene.gpu.device, self->sets[DRAWS], 1, &second);
  self->update_shaders (demo->scene.gpu.device, self->sets[OBJECT_DRAWS], 1, &third);
  write_draws (self);
  bind_compute (self);
  execute (self, DISPATCHES);
  vtr_app_barrier (demo->commands);
  vtr_app_demo_check (demo);
  vtr_app_demo_begin_rendering (demo);
  vtr_app_viewport (demo->commands, VTR_APP_DEMO_WIDTH, VTR_APP_DEMO_HEIGHT);
  vkCmdBindPipeline (demo->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->graphics[0]);
  execute (self, DRAWS);
  if (vtr_app_demo_check (demo))
    {
      const float push[8] = { 1, 1, 0.5f, 1, 0.5f, 0.5f, 0.4f };

      vkCmdBindPipeline (demo->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->graphics[0]);
      vkCmdPushConstants (demo->commands, self->layout, STAGES, 0, sizeof push, push);
      vkCmdBindVertexBuffers2 (demo->commands, 0, 1, &self->vertices.buffer, &zero, NULL, &stride);
      execute (self, INDEXED_DRAWS);
    }
  if (vtr_app_demo_check (demo))
    {
      bind_objects (self);
      execute (self, OBJECT_DRAWS);
      vtr_app_demo_check (demo);
    }
  vtr_app_demo_end_rendering (demo);
  if (!demo->scene.stopped)
    prepare_dispatches (self, demo->frame + 1);
}

static void
finish (VtrAppDemo *demo)
{
  Generated *self = (Generated *)demo;
  VtrAppGpu *gpu = &demo->scene.gpu;

  for (uint32_t i = 0; i < N_KINDS; i++)
    self->destroy_layout (gpu->device, self->layouts[i], NULL);
  for (uint32_t i = 0; i < INDEXED_DRAWS; i++)
    self->destroy_set (gpu->device, self->sets[i], NULL);
  for (uint32_t i = 0; i < 3; i++)
    self->objects.destroy (gpu->device, self->shaders[i], NULL);
  vkDestroyBuffer (gpu->device, self->scratch, NULL);
  vkFreeMemory (gpu->device, self->scratch_memory, NULL);
  vtr_app_buffer_finish (gpu, &self->sequences);
  vtr_app_buffer_finish (gpu, &self->vertices);
  vtr_app_buffer_finish (gpu, &self->indices);
}

int
main (int    argc,
      char **argv)
{
  static const char *const extensions[] = { VK_EXT_DEVICE_GENERATED_COMMANDS_EXTENSION_NAME,
                                            VK_KHR_MAINTENANCE_5_EXTENSION_NAME,
                                            VK_EXT_SHADER_OBJECT_EXTENSION_NAME, NULL };
  static const VkPhysicalDeviceDeviceGeneratedCommandsFeaturesEXT generated = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEVICE_GENERATED_COMMANDS_FEATURES_EXT,
    .deviceGeneratedCommands = VK_TRUE,
  };
  static const VkPhysicalDeviceMaintenance5FeaturesKHR maintenance = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_5_FEATURES_KHR,
    .maintenance5 = VK_TRUE,
  };
  static const VkPhysicalDeviceShaderObjectFeaturesEXT objects = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_OBJECT_FEATURES_EXT,
    .shaderObject = VK_TRUE,
  };
  Generated self = { 0 };

  return vtr_app_demo_run (&self.demo,
                           &(VtrAppDemoInfo){ .what = "commands that the device generates",
                                              .extensions = extensions,
                                              .features12 = { .bufferDeviceAddress = VK_TRUE },
                                              .more = { { &generated, sizeof generated },
                                                        { &maintenance, sizeof maintenance },
                                                        { &objects, sizeof objects } },
                                              .start = start,
                                              .draw = draw,
                                              .finish = finish },
                           argc, argv);
}

#else

int
main (void)
{
  puts ("The Vulkan headers that this was built with do not know "
        "VK_EXT_device_generated_commands.");
  return VTR_APP_SKIPPED;
}

#endif
