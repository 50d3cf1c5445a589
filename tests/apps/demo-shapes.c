/* vtr-app-demo-shapes: topologies with restart of strips and lists, 8-bit indices, stippled lines,
 * points, the provoking vertex, instances by divisor, wide lines, wireframe.
 */
#include "vtr-app-demo.h"

#include "demo_divided_vert.h"
#include "demo_flat_frag.h"

#include <string.h>

typedef struct
{
  float place[2];
  uint8_t color[4];
} Vertex;

typedef struct
{
  VkPrimitiveTopology topology;
  uint32_t first, n; /* indices */
  bool restart, lines, last, wire;
} Shape;

static const uint8_t indices[] = {
  0, 1, 2, 3, 255, 4, 5, 6, 255, 1, 6, 7, /* strips */
  0, 4, 6, 255, 7, 2, 5, 255, 1, 3, 0, 0, /* lists */
  3, 0, 5, 6, 7, 1, 255, 2, 4, 6, 3, 3,   /* fans */
};

static const Shape shapes[] = {
  { VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP, 0, 12, true, false, true, false },
  { VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, 12, 11, true, false, false, false },
  { VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN, 24, 11, true, false, false, true },
  { VK_PRIMITIVE_TOPOLOGY_LINE_STRIP, 0, 12, true, true, false, false },
  { VK_PRIMITIVE_TOPOLOGY_LINE_LIST, 12, 9, true, true, true, false },
  { VK_PRIMITIVE_TOPOLOGY_POINT_LIST, 24, 6, false, false, false, false },
};
#define N (sizeof shapes / sizeof shapes[0])

typedef struct
{
  VtrAppDemo demo;
  VtrAppBuffer *vertices, *numbers, *moves;
  VkPipeline pipelines[N];
  PFN_vkCmdSetLineStippleEXT set_stipple;
} Shapes;

typedef struct
{
  const Shape *shape;
  VkShaderModule vertex, fragment;
} Change;

static const VkPipelineVertexInputStateCreateInfo *
divided_input (void)
{
  static const VkVertexInputBindingDescription bindings[] = {
    { 0, sizeof (Vertex), VK_VERTEX_INPUT_RATE_VERTEX },
    { 1, 8, VK_VERTEX_INPUT_RATE_INSTANCE },
  };
  static const VkVertexInputAttributeDescription attributes[] = {
    { 0, 0, VK_FORMAT_R32G32_SFLOAT, 0 },
    { 1, 0, VK_FORMAT_R8G8B8A8_UNORM, offsetof (Vertex, color) },
    { 2, 1, VK_FORMAT_R32G32_SFLOAT, 0 },
  };
  static const VkVertexInputBindingDivisorDescriptionEXT divisor = { 1, 2 };
  static const VkPipelineVertexInputDivisorStateCreateInfoEXT divisors = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_DIVISOR_STATE_CREATE_INFO_EXT,
    .vertexBindingDivisorCount = 1,
    .pVertexBindingDivisors = &divisor,
  };
  static const VkPipelineVertexInputStateCreateInfo input = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO,
    .pNext = &divisors,
    .vertexBindingDescriptionCount = 2,
    .pVertexBindingDescriptions = bindings,
    .vertexAttributeDescriptionCount = 3,
    .pVertexAttributeDescriptions = attributes,
  };

  return &input;
}

static void
change (VkGraphicsPipelineCreateInfo *create,
        void                         *data)
{
  static VkPipelineRasterizationProvokingVertexStateCreateInfoEXT provoking;
  static VkPipelineRasterizationLineStateCreateInfoEXT line;
  static VkDynamicState states[4];
  const Change *info = data;
  VkPipelineInputAssemblyStateCreateInfo *assembly =
    (VkPipelineInputAssemblyStateCreateInfo *)create->pInputAssemblyState;
  VkPipelineRasterizationStateCreateInfo *raster =
    (VkPipelineRasterizationStateCreateInfo *)create->pRasterizationState;
  VkPipelineDynamicStateCreateInfo *dynamic =
    (VkPipelineDynamicStateCreateInfo *)create->pDynamicState;

  memcpy (states, dynamic->pDynamicStates, 3 * sizeof states[0]);
  states[3] = VK_DYNAMIC_STATE_LINE_STIPPLE_EXT;
  dynamic->pDynamicStates = states;
  dynamic->dynamicStateCount = info->shape->lines ? 4 : 3;
  provoking = (VkPipelineRasterizationProvokingVertexStateCreateInfoEXT){
    .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_PROVOKING_VERTEX_STATE_CREATE_INFO_EXT,
    .provokingVertexMode = info->shape->last ? VK_PROVOKING_VERTEX_MODE_LAST_VERTEX_EXT
                                             : VK_PROVOKING_VERTEX_MODE_FIRST_VERTEX_EXT,
  };
  line = (VkPipelineRasterizationLineStateCreateInfoEXT){
    .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_LINE_STATE_CREATE_INFO_EXT,
    .pNext = &provoking,
    .lineRasterizationMode = VK_LINE_RASTERIZATION_MODE_BRESENHAM_EXT,
    .stippledLineEnable = VK_TRUE,
  };
  raster->pNext = info->shape->lines ? (void *)&line : &provoking;
  raster->polygonMode = info->shape->wire ? VK_POLYGON_MODE_LINE : VK_POLYGON_MODE_FILL;
  raster->lineWidth = info->shape->wire ? 3 : 1;
  assembly->topology = info->shape->topology;
  assembly->primitiveRestartEnable = info->shape->restart;
  create->pVertexInputState = divided_input ();
  vtr_app_demo_set_stage (create, 0, info->vertex);
  vtr_app_demo_set_stage (create, 1, info->fragment);
}

static void
start (VtrAppDemo *demo)
{
  static const Vertex vertices[] = {
    { { -0.9f, -0.9f }, { 255, 0, 64, 255 } },
    { { 0.1f, -0.8f }, { 0, 255, 0, 128 } },
    { { -0.7f, 0.1f }, { 64, 32, 255, 255 } },
    { { 0.3f, 0.2f }, { 255, 255, 0, 64 } },
    { { -0.5f, 0.5f }, { 0, 128, 255, 200 } },
    { { 0.4f, -0.3f }, { 90, 0, 90, 255 } },
    { { -0.2f, 0.3f }, { 255, 128, 0, 255 } },
    { { 0.2f, 0.6f }, { 10, 200, 30, 255 } },
  };
  Shapes *self = (Shapes *)demo;
  Change change_with;

  change_with.vertex =
    vtr_app_scene_shader (&demo->scene, demo_divided_vert, sizeof demo_divided_vert);
  change_with.fragment =
    vtr_app_scene_shader (&demo->scene, demo_flat_frag, sizeof demo_flat_frag);
  self->vertices = vtr_app_demo_buffer (demo, "vertices", sizeof vertices,
                                        VK_BUFFER_USAGE_VERTEX_BUFFER_BIT);
  self->numbers =
    vtr_app_demo_buffer (demo, "numbers", sizeof indices, VK_BUFFER_USAGE_INDEX_BUFFER_BIT);
  self->moves = vtr_app_demo_buffer (demo, "moves", 64, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT);
  memcpy (self->vertices->mapped, vertices, sizeof vertices);
  memcpy (self->numbers->mapped, indices, sizeof indices);
  memcpy (self->moves->mapped, (const float[]){ 0, 0, 0.4f, 0.1f, 0.2f, 0.4f }, 24);
  for (uint32_t i = 0; i < N; i++)
    {
      change_with.shape = &shapes[i];
      self->pipelines[i] = vtr_app_demo_pipeline (demo, change, &change_with);
    }
  self->set_stipple = VTR_APP_NEED (demo, vkCmdSetLineStippleEXT);
}

static void
draw (VtrAppDemo *demo)
{
  Shapes *self = (Shapes *)demo;
  const VkDeviceSize offsets[2] = { 0, 8 * (demo->frame % 2) };

  vtr_app_demo_begin_rendering (demo);
  vkCmdBindVertexBuffers (demo->commands, 0, 2,
                          (VkBuffer[]){ self->vertices->buffer, self->moves->buffer }, offsets);
  vkCmdBindIndexBuffer (demo->commands, self->numbers->buffer, 0, VK_INDEX_TYPE_UINT8_EXT);
  for (uint32_t i = 0; i < N && !demo->scene.stopped; i++)
    {
      const Shape *shape = &shapes[(i + demo->frame) % N];

      vkCmdBindPipeline (demo->commands, VK_PIPELINE_BIND_POINT_GRAPHICS,
                         self->pipelines[(i + demo->frame) % N]);
      if (shape->lines)
        self->set_stipple (demo->commands, 2 + demo->frame, 0x5f3a);
      vkCmdDrawIndexed (demo->commands, shape->n, 3, shape->first, 0, 0);
      if (i % 2 == 1)
        vtr_app_demo_check (demo);
    }
  vtr_app_demo_end_rendering (demo);
}

int
main (int    argc,
      char **argv)
{
  static const char *const extensions[] = {
    VK_EXT_INDEX_TYPE_UINT8_EXTENSION_NAME,
    VK_EXT_LINE_RASTERIZATION_EXTENSION_NAME,
    VK_EXT_PRIMITIVE_TOPOLOGY_LIST_RESTART_EXTENSION_NAME,
    VK_EXT_PROVOKING_VERTEX_EXTENSION_NAME,
    VK_EXT_VERTEX_ATTRIBUTE_DIVISOR_EXTENSION_NAME,
    NULL,
  };
  static const VkPhysicalDeviceIndexTypeUint8FeaturesEXT bytes = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_INDEX_TYPE_UINT8_FEATURES_EXT,
    .indexTypeUint8 = VK_TRUE,
  };
  static const VkPhysicalDeviceLineRasterizationFeaturesEXT lines = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_LINE_RASTERIZATION_FEATURES_EXT,
    .bresenhamLines = VK_TRUE,
    .stippledBresenhamLines = VK_TRUE,
  };
  static const VkPhysicalDevicePrimitiveTopologyListRestartFeaturesEXT restart = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRIMITIVE_TOPOLOGY_LIST_RESTART_FEATURES_EXT,
    .primitiveTopologyListRestart = VK_TRUE,
  };
  static const VkPhysicalDeviceProvokingVertexFeaturesEXT provoking = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROVOKING_VERTEX_FEATURES_EXT,
    .provokingVertexLast = VK_TRUE,
  };
  static const VkPhysicalDeviceVertexAttributeDivisorFeaturesEXT divisor = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VERTEX_ATTRIBUTE_DIVISOR_FEATURES_EXT,
    .vertexAttributeInstanceRateDivisor = VK_TRUE,
  };
  Shapes self = { 0 };

  return vtr_app_demo_run (
    &self.demo,
    &(VtrAppDemoInfo){ .what = "topologies of all kinds",
                       .extensions = extensions,
                       .features = { .fillModeNonSolid = VK_TRUE, .wideLines = VK_TRUE },
                       .more = { { &bytes, sizeof bytes },
                                 { &lines, sizeof lines },
                                 { &restart, sizeof restart },
                                 { &provoking, sizeof provoking },
                                 { &divisor, sizeof divisor } },
                       .start = start,
                       .draw = draw },
    argc, argv);
}
