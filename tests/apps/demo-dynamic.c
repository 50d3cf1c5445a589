/* vtr-app-demo-dynamic: all pipeline state that the extensions for dynamic state and vertex input
 * let a command buffer set. */
#include "vtr-app-demo.h"

#include "demo_vertices_vert.h"

#include <string.h>

typedef struct
{
  float place[2];
  uint8_t color[4];
} Vertex;

typedef struct
{
  VtrAppDemo demo;
  VtrAppBuffer *vertices;
  VtrAppPicture *depth;
  VkPipeline pipeline;
  PFN_vkCmdSetVertexInputEXT set_vertex_input;
  PFN_vkCmdSetColorWriteEnableEXT set_color_write;
  PFN_vkCmdSetLogicOpEXT set_logic_op;
  PFN_vkCmdSetColorBlendEnableEXT set_blend;
  PFN_vkCmdSetColorBlendEquationEXT set_equation;
  PFN_vkCmdSetColorWriteMaskEXT set_mask;
  PFN_vkCmdSetPolygonModeEXT set_polygon;
  PFN_vkCmdSetLogicOpEnableEXT set_logic_enable;
  PFN_vkCmdSetDepthClampEnableEXT set_clamp;
} Dynamic;

static void
change (VkGraphicsPipelineCreateInfo *create,
        void                         *data)
{
  static const VkDynamicState states[] = {
    VK_DYNAMIC_STATE_VIEWPORT_WITH_COUNT,
    VK_DYNAMIC_STATE_SCISSOR_WITH_COUNT,
    VK_DYNAMIC_STATE_STENCIL_REFERENCE,
    VK_DYNAMIC_STATE_CULL_MODE,
    VK_DYNAMIC_STATE_FRONT_FACE,
    VK_DYNAMIC_STATE_PRIMITIVE_TOPOLOGY,
    VK_DYNAMIC_STATE_DEPTH_TEST_ENABLE,
    VK_DYNAMIC_STATE_DEPTH_WRITE_ENABLE,
    VK_DYNAMIC_STATE_DEPTH_COMPARE_OP,
    VK_DYNAMIC_STATE_RASTERIZER_DISCARD_ENABLE,
    VK_DYNAMIC_STATE_DEPTH_BIAS_ENABLE,
    VK_DYNAMIC_STATE_DEPTH_BIAS,
    VK_DYNAMIC_STATE_PRIMITIVE_RESTART_ENABLE,
    VK_DYNAMIC_STATE_LOGIC_OP_EXT,
    VK_DYNAMIC_STATE_VERTEX_INPUT_EXT,
    VK_DYNAMIC_STATE_COLOR_WRITE_ENABLE_EXT,
    VK_DYNAMIC_STATE_COLOR_BLEND_ENABLE_EXT,
    VK_DYNAMIC_STATE_COLOR_BLEND_EQUATION_EXT,
    VK_DYNAMIC_STATE_COLOR_WRITE_MASK_EXT,
    VK_DYNAMIC_STATE_POLYGON_MODE_EXT,
    VK_DYNAMIC_STATE_LOGIC_OP_ENABLE_EXT,
    VK_DYNAMIC_STATE_DEPTH_CLAMP_ENABLE_EXT,
  };
  VkPipelineDynamicStateCreateInfo *dynamic =
    (VkPipelineDynamicStateCreateInfo *)create->pDynamicState;
  VkPipelineViewportStateCreateInfo *viewports =
    (VkPipelineViewportStateCreateInfo *)create->pViewportState;

  dynamic->dynamicStateCount = sizeof states / sizeof states[0];
  dynamic->pDynamicStates = states;
  viewports->viewportCount = viewports->scissorCount = 0;
  create->pVertexInputState = NULL;
  vtr_app_demo_set_stage (create, 0, data);
}

static void
start (VtrAppDemo *demo)
{
  static const Vertex vertices[] = {
    { { -0.9f, -0.9f }, { 255, 0, 64, 255 } },
    { { 0.4f, -0.8f }, { 0, 255, 0, 128 } },
    { { -0.7f, 0.5f }, { 64, 32, 255, 255 } },
    { { 0.8f, 0.7f }, { 255, 255, 0, 64 } },
    { { -0.1f, 0.9f }, { 0, 128, 255, 200 } },
    { { 0.9f, -0.3f }, { 90, 0, 90, 255 } },
    { { -0.95f, 0.1f }, { 255, 128, 0, 255 } },
    { { 0.2f, 0.3f }, { 10, 200, 30, 255 } },
  };
  Dynamic *self = (Dynamic *)demo;
  const VkFormat format = VTR_APP_DEMO_FORMAT;

  self->vertices = vtr_app_demo_buffer (demo, "vertices", sizeof vertices,
                                        VK_BUFFER_USAGE_VERTEX_BUFFER_BIT);
  memcpy (self->vertices->mapped, vertices, sizeof vertices);
  self->depth = vtr_app_picture (&demo->scene,
                                 &(VtrAppPictureInfo){
                                   .name = "depth",
                                   .format = VK_FORMAT_D16_UNORM,
                                   .extent = { VTR_APP_DEMO_WIDTH, VTR_APP_DEMO_HEIGHT, 1 },
                                   .usage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT });
  vtr_app_picture_clear (demo->commands, self->depth, 0.75f);
  self->pipeline = vtr_app_pipeline (
    &demo->scene,
    &(VtrAppPipelineInfo){
      .n_colors = 1,
      .formats = &format,
      .depth = VK_FORMAT_D16_UNORM,
      .change = change,
      .data = vtr_app_scene_shader (&demo->scene, demo_vertices_vert, sizeof demo_vertices_vert) });
  self->set_vertex_input = VTR_APP_NEED (demo, vkCmdSetVertexInputEXT);
  self->set_color_write = VTR_APP_NEED (demo, vkCmdSetColorWriteEnableEXT);
  self->set_logic_op = VTR_APP_NEED (demo, vkCmdSetLogicOpEXT);
  self->set_blend = VTR_APP_NEED (demo, vkCmdSetColorBlendEnableEXT);
  self->set_equation = VTR_APP_NEED (demo, vkCmdSetColorBlendEquationEXT);
  self->set_mask = VTR_APP_NEED (demo, vkCmdSetColorWriteMaskEXT);
  self->set_polygon = VTR_APP_NEED (demo, vkCmdSetPolygonModeEXT);
  self->set_logic_enable = VTR_APP_NEED (demo, vkCmdSetLogicOpEnableEXT);
  self->set_clamp = VTR_APP_NEED (demo, vkCmdSetDepthClampEnableEXT);
}

static void
set_vertex_input (Dynamic  *self,
                  uint32_t  stride)
{
  const VkVertexInputBindingDescription2EXT binding = {
    .sType = VK_STRUCTURE_TYPE_VERTEX_INPUT_BINDING_DESCRIPTION_2_EXT,
    .stride = stride,
    .inputRate = VK_VERTEX_INPUT_RATE_VERTEX,
    .divisor = 1,
  };
  const VkVertexInputAttributeDescription2EXT attributes[] = {
    { .sType = VK_STRUCTURE_TYPE_VERTEX_INPUT_ATTRIBUTE_DESCRIPTION_2_EXT,
      .location = 0,
      .format = VK_FORMAT_R32G32_SFLOAT,
      .offset = offsetof (Vertex, place) },
    { .sType = VK_STRUCTURE_TYPE_VERTEX_INPUT_ATTRIBUTE_DESCRIPTION_2_EXT,
      .location = 1,
      .format = VK_FORMAT_R8G8B8A8_UNORM,
      .offset = offsetof (Vertex, color) },
  };

  self->set_vertex_input (self->demo.commands, 1, &binding, 2, attributes);
}

/* Everything that a command buffer has to set before it draws. */
static void
set_all (Dynamic *self)
{
  const VkCommandBuffer commands = self->demo.commands;
  const VkViewport viewport = { 0, 0, VTR_APP_DEMO_WIDTH, VTR_APP_DEMO_HEIGHT, 0, 1 };
  const VkRect2D scissor = { { 2, 1 }, { VTR_APP_DEMO_WIDTH - 3, VTR_APP_DEMO_HEIGHT - 2 } };
  const VkBool32 on = VK_TRUE, off = VK_FALSE;
  const VkColorBlendEquationEXT equation = { VK_BLEND_FACTOR_SRC_ALPHA, VK_BLEND_FACTOR_ONE,
                                             VK_BLEND_OP_ADD, VK_BLEND_FACTOR_ONE,
                                             VK_BLEND_FACTOR_ZERO, VK_BLEND_OP_ADD };
  const VkColorComponentFlags mask = 0xf;

  vkCmdSetViewportWithCount (commands, 1, &viewport);
  vkCmdSetScissorWithCount (commands, 1, &scissor);
  vkCmdSetCullMode (commands, VK_CULL_MODE_NONE);
  vkCmdSetFrontFace (commands, VK_FRONT_FACE_CLOCKWISE);
  vkCmdSetPrimitiveTopology (commands, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST);
  vkCmdSetDepthTestEnable (commands, VK_TRUE);
  vkCmdSetDepthWriteEnable (commands, VK_FALSE);
  vkCmdSetDepthCompareOp (commands, VK_COMPARE_OP_LESS_OR_EQUAL);
  vkCmdSetRasterizerDiscardEnable (commands, VK_FALSE);
  vkCmdSetDepthBiasEnable (commands, VK_FALSE);
  vkCmdSetDepthBias (commands, 0, 0, 0);
  vkCmdSetPrimitiveRestartEnable (commands, VK_FALSE);
  self->set_logic_op (commands, VK_LOGIC_OP_XOR);
  self->set_logic_enable (commands, VK_FALSE);
  self->set_color_write (commands, 1, &on);
  self->set_blend (commands, 0, 1, &off);
  self->set_equation (commands, 0, 1, &equation);
  self->set_mask (commands, 0, 1, &mask);
  self->set_polygon (commands, VK_POLYGON_MODE_FILL);
  self->set_clamp (commands, VK_FALSE);
  set_vertex_input (self, sizeof (Vertex));
}

static void
draw_blended (Dynamic *self)
{
  const VkCommandBuffer commands = self->demo.commands;
  const VkBool32 on = VK_TRUE;
  const VkColorComponentFlags mask = VK_COLOR_COMPONENT_R_BIT | VK_COLOR_COMPONENT_B_BIT;

  self->set_blend (commands, 0, 1, &on);
  self->set_mask (commands, 0, 1, &mask);
  vkCmdSetPrimitiveTopology (commands, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP);
  vkCmdSetCullMode (commands, VK_CULL_MODE_BACK_BIT);
  vkCmdDraw (commands, 5, 1, 2 + self->demo.frame, 0);
}

static void
draw_others (Dynamic *self)
{
  const VkCommandBuffer commands = self->demo.commands;
  const VkBool32 off = VK_FALSE;
  const VkColorComponentFlags mask = 0xf;

  self->set_blend (commands, 0, 1, &off);
  self->set_mask (commands, 0, 1, &mask);
  self->set_logic_enable (commands, VK_TRUE);
  self->set_polygon (commands, VK_POLYGON_MODE_LINE);
  vkCmdSetCullMode (commands, VK_CULL_MODE_NONE);
  vkCmdSetDepthWriteEnable (commands, VK_TRUE);
  set_vertex_input (self, 2 * sizeof (Vertex));
  vkCmdDraw (commands, 4, 1, 0, 0);
  vkCmdSetRasterizerDiscardEnable (commands, VK_TRUE);
  vkCmdDraw (commands, 3, 1, 1, 0);
  vkCmdSetRasterizerDiscardEnable (commands, VK_FALSE);
  self->set_color_write (commands, 1, &off);
  self->set_polygon (commands, VK_POLYGON_MODE_FILL);
  vkCmdDraw (commands, 4, 1, 0, 0);
}

static void
draw (VtrAppDemo *demo)
{
  Dynamic *self = (Dynamic *)demo;
  const VkDeviceSize zero = 0;

  vtr_app_demo_render_to (demo, 1, &demo->color, self->depth, false);
  vkCmdBindPipeline (demo->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->pipeline);
  vkCmdBindVertexBuffers (demo->commands, 0, 1, &self->vertices->buffer, &zero);
  set_all (self);
  vkCmdDraw (demo->commands, 3, 1, demo->frame, 0);
  if (vtr_app_demo_check (demo))
    draw_blended (self);
  if (vtr_app_demo_check (demo))
    draw_others (self);
  vtr_app_demo_check (demo);
  vtr_app_demo_end_rendering (demo);
}

int
main (int    argc,
      char **argv)
{
  static const char *const extensions[] = { VK_EXT_EXTENDED_DYNAMIC_STATE_2_EXTENSION_NAME,
                                            VK_EXT_EXTENDED_DYNAMIC_STATE_3_EXTENSION_NAME,
                                            VK_EXT_VERTEX_INPUT_DYNAMIC_STATE_EXTENSION_NAME,
                                            VK_EXT_COLOR_WRITE_ENABLE_EXTENSION_NAME, NULL };
  static const VkPhysicalDeviceExtendedDynamicState2FeaturesEXT dynamic2 = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTENDED_DYNAMIC_STATE_2_FEATURES_EXT,
    .extendedDynamicState2LogicOp = VK_TRUE,
  };
  static const VkPhysicalDeviceExtendedDynamicState3FeaturesEXT dynamic3 = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTENDED_DYNAMIC_STATE_3_FEATURES_EXT,
    .extendedDynamicState3ColorBlendEnable = VK_TRUE,
    .extendedDynamicState3ColorBlendEquation = VK_TRUE,
    .extendedDynamicState3ColorWriteMask = VK_TRUE,
    .extendedDynamicState3PolygonMode = VK_TRUE,
    .extendedDynamicState3LogicOpEnable = VK_TRUE,
    .extendedDynamicState3DepthClampEnable = VK_TRUE,
  };
  static const VkPhysicalDeviceVertexInputDynamicStateFeaturesEXT vertex_input = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VERTEX_INPUT_DYNAMIC_STATE_FEATURES_EXT,
    .vertexInputDynamicState = VK_TRUE,
  };
  static const VkPhysicalDeviceColorWriteEnableFeaturesEXT color_write = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COLOR_WRITE_ENABLE_FEATURES_EXT,
    .colorWriteEnable = VK_TRUE,
  };
  Dynamic self = { 0 };

  return vtr_app_demo_run (&self.demo,
                           &(VtrAppDemoInfo){ .what = "all that is dynamic state",
                                              .extensions = extensions,
                                              .features = { .logicOp = VK_TRUE,
                                                            .fillModeNonSolid = VK_TRUE,
                                                            .depthClamp = VK_TRUE },
                                              .more = { { &dynamic2, sizeof dynamic2 },
                                                        { &dynamic3, sizeof dynamic3 },
                                                        { &vertex_input, sizeof vertex_input },
                                                        { &color_write, sizeof color_write } },
                                              .start = start,
                                              .draw = draw },
                           argc, argv);
}
