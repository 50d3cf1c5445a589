/* The pipelines of vtr-app-demo-generated, and the layout of its sequences in memory.
 *
 * Threading: one at a time.
 */
#pragma once

#include "vtr-app-demo-shaders.h"

#ifdef VK_EXT_device_generated_commands

#define STAGES (VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT)
#define MESH_STAGES \
  (VK_SHADER_STAGE_TASK_BIT_EXT | VK_SHADER_STAGE_MESH_BIT_EXT | VK_SHADER_STAGE_FRAGMENT_BIT)
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

/* The data that the device reads for one draw. */
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

/* With --counts. Draws and mesh draws from here on are in a buffer of their own, whose address the
 * sequence has. */
typedef struct __attribute__ ((packed, aligned (4)))
{
  float push[8];
  VkDrawIndirectCountIndirectCommandEXT draws;
  uint32_t unused;
} CountedDraw;

typedef struct __attribute__ ((packed, aligned (4)))
{
  uint32_t index; /* of the sequence; the device's */
  VkBindIndexBufferIndirectCommandEXT indices;
  VkDrawIndirectCountIndirectCommandEXT draws;
} CountedIndexedDraw;

typedef struct
{
  float push[8];
  VkDrawMeshTasksIndirectCommandEXT draw;
} MeshDraw;

enum
{
  DRAWS,
  DISPATCHES,
  OBJECT_DRAWS,
  INDEXED_DRAWS,
  COUNTED_DRAWS,
  COUNTED_INDEXED_DRAWS,
  MESH_DRAWS,
  COUNTED_MESH_DRAWS,
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
  VtrAppBuffer counted;                      /* draws of sequences, with --counts */
  VtrAppDemoNumbers numbers;
  VkBuffer scratch;
  VkDeviceMemory scratch_memory;
  VkDeviceAddress scratch_address;
  VkDeviceSize scratch_size; /* of one execution */
  VkPipelineLayout layout, mesh_layout;
  VkPipeline graphics[3], compute[2], mesh;
  VkShaderEXT shaders[3];        /* vertex, fragment, fragment */
  uint32_t first_kind, end_kind; /* that are drawn */
  VkIndirectCommandsLayoutEXT layouts[N_KINDS];
  VkIndirectExecutionSetEXT sets[INDEXED_DRAWS];
} Generated;

extern const VkVertexInputAttributeDescription demo_generated_attributes[2];

/* Describes programs of @kind: their stages, layout, and the pipeline if no set names it. */
VkShaderStageFlags demo_generated_stages (uint32_t kind);
VkPipelineLayout demo_generated_layout (const Generated *self,
                                        uint32_t         kind);
VkPipeline demo_generated_pipeline (const Generated *self,
                                    uint32_t         kind);

/* Makes pipelines, shaders, execution sets and layouts of sequences; needs the functions. */
void demo_generated_make_programs (Generated *self);
/* A graphics pipeline with vertices from memory, which sequences may use. */
VkPipeline demo_generated_graphics (Generated      *self,
                                    VkShaderModule  fragment);
VkIndirectCommandsLayoutTokenEXT demo_generated_token (VkIndirectCommandsTokenTypeEXT  type,
                                                       const void                     *data,
                                                       uint32_t                        offset);
#define TOKEN(type, data, place) \
  demo_generated_token (VK_INDIRECT_COMMANDS_TOKEN_TYPE_##type##_EXT, data, place)
void demo_generated_make_layout (Generated                              *self,
                                 uint32_t                                kind,
                                 uint32_t                                stride,
                                 uint32_t                                n,
                                 const VkIndirectCommandsLayoutTokenEXT *tokens);

VkDeviceAddress demo_generated_address (Generated          *self,
                                        const VtrAppBuffer *buffer);
VtrAppBuffer demo_generated_buffer (Generated          *self,
                                    VkDeviceSize        size,
                                    VkBufferUsageFlags  usage);
/* The offset of sequences of @kind in .sequences, for @frame. */
uint32_t demo_generated_offset (uint32_t kind,
                                uint32_t frame);
void demo_generated_execute (Generated *self,
                             uint32_t   kind);

/* --counts: draws, indexed draws and mesh draws that are counted in memory. */
void demo_generated_make_counted_programs (Generated *self);
/* Needs the buffers of vertices and indices. */
void demo_generated_make_counted_buffers (Generated *self);
void demo_generated_draw_counted (Generated *self);

#endif
