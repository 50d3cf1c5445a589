/* What vtr-app-demo-generated draws with, and how its sequences lie in memory.
 *
 * Threading: one at a time.
 */
#pragma once

#include "vtr-app-demo-shaders.h"

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

extern const VkVertexInputAttributeDescription demo_generated_attributes[2];

/* Makes pipelines, shaders, execution sets and layouts of sequences; needs the functions. */
void demo_generated_make_programs (Generated *self);

#endif
