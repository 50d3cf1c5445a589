/* vtr-app-demo-states: one extension for dynamic state at a time (--one, --two, --three,
 * --vertices, --writes): pipelines leave exactly the state of that extension to the command
 * buffer, which sets values that no pipeline has. */
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
  VtrAppPicture *second; /* drawn to beside .color */
  VtrAppPicture *depth;
  VkPipeline pipeline;
  VkCommandBuffer secondary; /* the second half, recorded once */
} States;

static bool one, two, three, vertices, writes;

#define SET(self, name, ...) VTR_APP_NEED (&(self)->demo, name) ((self)->demo.commands, __VA_ARGS__)

/* --- What each lets a command buffer set ----------------------------------------------------- */

static const VkDynamicState states_one[] = {
  VK_DYNAMIC_STATE_VIEWPORT_WITH_COUNT,
  VK_DYNAMIC_STATE_SCISSOR_WITH_COUNT,
  VK_DYNAMIC_STATE_CULL_MODE,
  VK_DYNAMIC_STATE_FRONT_FACE,
  VK_DYNAMIC_STATE_PRIMITIVE_TOPOLOGY,
  VK_DYNAMIC_STATE_VERTEX_INPUT_BINDING_STRIDE,
  VK_DYNAMIC_STATE_DEPTH_TEST_ENABLE,
  VK_DYNAMIC_STATE_DEPTH_WRITE_ENABLE,
  VK_DYNAMIC_STATE_DEPTH_COMPARE_OP,
  VK_DYNAMIC_STATE_STENCIL_TEST_ENABLE,
  VK_DYNAMIC_STATE_STENCIL_OP,
  VK_DYNAMIC_STATE_STENCIL_REFERENCE,
};
static const VkDynamicState states_two[] = {
  VK_DYNAMIC_STATE_VIEWPORT,
  VK_DYNAMIC_STATE_SCISSOR,
  VK_DYNAMIC_STATE_RASTERIZER_DISCARD_ENABLE,
  VK_DYNAMIC_STATE_DEPTH_BIAS_ENABLE,
  VK_DYNAMIC_STATE_DEPTH_BIAS,
  VK_DYNAMIC_STATE_PRIMITIVE_RESTART_ENABLE,
  VK_DYNAMIC_STATE_LOGIC_OP_EXT,
};
static const VkDynamicState states_three[] = {
  VK_DYNAMIC_STATE_VIEWPORT,
  VK_DYNAMIC_STATE_SCISSOR,
  VK_DYNAMIC_STATE_DEPTH_CLAMP_ENABLE_EXT,
  VK_DYNAMIC_STATE_POLYGON_MODE_EXT,
  VK_DYNAMIC_STATE_COLOR_BLEND_ENABLE_EXT,
  VK_DYNAMIC_STATE_COLOR_BLEND_EQUATION_EXT,
  VK_DYNAMIC_STATE_COLOR_WRITE_MASK_EXT,
  VK_DYNAMIC_STATE_RASTERIZATION_SAMPLES_EXT,
  VK_DYNAMIC_STATE_SAMPLE_MASK_EXT,
  VK_DYNAMIC_STATE_ALPHA_TO_COVERAGE_ENABLE_EXT,
  VK_DYNAMIC_STATE_DEPTH_CLIP_ENABLE_EXT,
  VK_DYNAMIC_STATE_PROVOKING_VERTEX_MODE_EXT,
};
static const VkDynamicState states_vertices[] = { VK_DYNAMIC_STATE_VIEWPORT,
                                                  VK_DYNAMIC_STATE_SCISSOR,
                                                  VK_DYNAMIC_STATE_VERTEX_INPUT_EXT };
static const VkDynamicState states_writes[] = { VK_DYNAMIC_STATE_VIEWPORT,
                                                VK_DYNAMIC_STATE_SCISSOR,
                                                VK_DYNAMIC_STATE_COLOR_WRITE_ENABLE_EXT };

/* --- The pipeline ---------------------------------------------------------------------------- */

#define LEAVE(dynamic, states) \
  ((dynamic)->dynamicStateCount = sizeof (states) / sizeof (states)[0], \
   (dynamic)->pDynamicStates = (states))

static void
change_others (VkGraphicsPipelineCreateInfo *create)
{
  VkPipelineDynamicStateCreateInfo *dynamic =
    (VkPipelineDynamicStateCreateInfo *)create->pDynamicState;
  VkPipelineColorBlendStateCreateInfo *blend =
    (VkPipelineColorBlendStateCreateInfo *)create->pColorBlendState;
  VkPipelineViewportStateCreateInfo *viewports =
    (VkPipelineViewportStateCreateInfo *)create->pViewportState;

  if (one)
    {
      LEAVE (dynamic, states_one);
      viewports->viewportCount = viewports->scissorCount = 0;
    }
  else if (two)
    {
      LEAVE (dynamic, states_two);
      blend->logicOpEnable = VK_TRUE;
    }
  else if (three)
    LEAVE (dynamic, states_three);
  else if (vertices)
    LEAVE (dynamic, states_vertices);
  else
    LEAVE (dynamic, states_writes);
}

static void
change (VkGraphicsPipelineCreateInfo *create,
        void                         *data)
{
  static const VkVertexInputBindingDescription binding = { 0, sizeof (Vertex),
                                                           VK_VERTEX_INPUT_RATE_VERTEX };
  static const VkVertexInputAttributeDescription attributes[] = {
    { 0, 0, VK_FORMAT_R32G32_SFLOAT, offsetof (Vertex, place) },
    { 1, 0, VK_FORMAT_R8G8B8A8_UNORM, offsetof (Vertex, color) },
  };
  static const VkPipelineVertexInputStateCreateInfo input = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO,
    .vertexBindingDescriptionCount = 1,
    .pVertexBindingDescriptions = &binding,
    .vertexAttributeDescriptionCount = 2,
    .pVertexAttributeDescriptions = attributes,
  };

  create->pVertexInputState = vertices ? NULL : &input;
  ((VkPipelineInputAssemblyStateCreateInfo *)create->pInputAssemblyState)->topology =
    VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP;
  vtr_app_demo_set_stage (create, 0, data);
  change_others (create);
}

static void
make_pictures (States *self)
{
  VtrAppDemo *demo = &self->demo;
  VtrAppPictureInfo info = {
    .name = "second",
    .format = VTR_APP_DEMO_FORMAT,
    .extent = { VTR_APP_DEMO_WIDTH, VTR_APP_DEMO_HEIGHT, 1 },
    .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
  };

  self->second = vtr_app_picture (&demo->scene, &info);
  vtr_app_picture_clear (demo->commands, self->second, 0.5f);
  info.name = "depth";
  info.format = VK_FORMAT_D32_SFLOAT_S8_UINT;
  info.usage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
  self->depth = vtr_app_picture (&demo->scene, &info);
  vtr_app_picture_clear (demo->commands, self->depth, 0.75f);
}

/* --- What is set ----------------------------------------------------------------------------- */

/* Of two sets of values the @nth. */
static void
set_one (States   *self,
         uint32_t  nth)
{
  const VkCommandBuffer commands = self->demo.commands;
  const VkViewport viewport = { nth * 9.0f, 3, 50, 44, 0.125f * (float)nth, 0.9f };
  const VkRect2D scissor = { { 4, 2 + (int)nth * 5 }, { 55, 40 } };
  /* All that draws read, the last one at 4 * stride: drivers differ in what lies behind it. */
  const VkDeviceSize offset = nth * sizeof (Vertex), size = (6 + 3 * nth) * sizeof (Vertex);
  const VkDeviceSize stride = (1 + nth) * sizeof (Vertex);

  vkCmdSetViewportWithCount (commands, 1, &viewport);
  vkCmdSetScissorWithCount (commands, 1, &scissor);
  vkCmdSetCullMode (commands, nth == 0 ? VK_CULL_MODE_BACK_BIT : VK_CULL_MODE_NONE);
  vkCmdSetFrontFace (commands,
                     nth == 0 ? VK_FRONT_FACE_CLOCKWISE : VK_FRONT_FACE_COUNTER_CLOCKWISE);
  vkCmdSetPrimitiveTopology (commands, nth == 0 ? VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST
                                                : VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP);
  vkCmdSetDepthTestEnable (commands, VK_TRUE);
  vkCmdSetDepthWriteEnable (commands, nth);
  vkCmdSetDepthCompareOp (commands, nth == 0 ? VK_COMPARE_OP_LESS : VK_COMPARE_OP_ALWAYS);
  vkCmdSetStencilTestEnable (commands, VK_TRUE);
  vkCmdSetStencilOp (commands, VK_STENCIL_FACE_FRONT_AND_BACK, VK_STENCIL_OP_KEEP,
                     nth == 0 ? VK_STENCIL_OP_INCREMENT_AND_WRAP : VK_STENCIL_OP_INVERT,
                     VK_STENCIL_OP_REPLACE, VK_COMPARE_OP_ALWAYS);
  vkCmdSetStencilReference (commands, VK_STENCIL_FACE_FRONT_AND_BACK, 7 + nth);
  vkCmdBindVertexBuffers2 (commands, 0, 1, &self->vertices->buffer, &offset, &size, &stride);
}

static void
set_two (States   *self,
         uint32_t  nth)
{
  const VkCommandBuffer commands = self->demo.commands;

  vkCmdSetRasterizerDiscardEnable (commands, VK_FALSE);
  vkCmdSetDepthBiasEnable (commands, nth);
  vkCmdSetDepthBias (commands, 40000.0f * (float)nth, 0, 0.5f);
  vkCmdSetPrimitiveRestartEnable (commands, VK_FALSE);
  SET (self, vkCmdSetLogicOpEXT, nth == 0 ? VK_LOGIC_OP_XOR : VK_LOGIC_OP_NAND);
  if (nth == 1)
    {
      vkCmdSetRasterizerDiscardEnable (commands, VK_TRUE);
      vkCmdDraw (commands, 4, 1, 0, 0);
      vkCmdSetRasterizerDiscardEnable (commands, VK_FALSE);
    }
}

static void
set_three (States   *self,
           uint32_t  nth)
{
  const VkBool32 blend[] = { nth, VK_TRUE };
  const VkColorBlendEquationEXT equation = {
    VK_BLEND_FACTOR_SRC_ALPHA,
    nth == 0 ? VK_BLEND_FACTOR_ONE : VK_BLEND_FACTOR_DST_COLOR,
    nth == 0 ? VK_BLEND_OP_ADD : VK_BLEND_OP_REVERSE_SUBTRACT,
    VK_BLEND_FACTOR_ONE,
    VK_BLEND_FACTOR_ZERO,
    VK_BLEND_OP_ADD,
  };
  const VkColorBlendEquationEXT equations[] = { equation, equation };
  const VkColorComponentFlags masks[] = { nth == 0 ? 0xf : 0xd, 0x7 };
  const VkSampleMask mask = 1;

  SET (self, vkCmdSetDepthClampEnableEXT, VK_FALSE);
  SET (self, vkCmdSetPolygonModeEXT, nth == 0 ? VK_POLYGON_MODE_FILL : VK_POLYGON_MODE_LINE);
  SET (self, vkCmdSetColorBlendEnableEXT, 0, 2, blend);
  SET (self, vkCmdSetColorBlendEquationEXT, 0, 2, equations);
  SET (self, vkCmdSetColorWriteMaskEXT, 0, 2, masks);
  SET (self, vkCmdSetRasterizationSamplesEXT, VK_SAMPLE_COUNT_1_BIT);
  SET (self, vkCmdSetSampleMaskEXT, VK_SAMPLE_COUNT_1_BIT, &mask);
  SET (self, vkCmdSetAlphaToCoverageEnableEXT, VK_FALSE);
  SET (self, vkCmdSetDepthClipEnableEXT, VK_TRUE);
  SET (self, vkCmdSetProvokingVertexModeEXT,
       nth == 0 ? VK_PROVOKING_VERTEX_MODE_FIRST_VERTEX_EXT
                : VK_PROVOKING_VERTEX_MODE_LAST_VERTEX_EXT);
}

static void
set_vertices (States   *self,
              uint32_t  nth)
{
  const VkVertexInputBindingDescription2EXT binding = {
    .sType = VK_STRUCTURE_TYPE_VERTEX_INPUT_BINDING_DESCRIPTION_2_EXT,
    .stride = (1 + nth) * sizeof (Vertex),
    .inputRate = VK_VERTEX_INPUT_RATE_VERTEX,
    .divisor = 1,
  };
  const VkVertexInputAttributeDescription2EXT attributes[] = {
    { .sType = VK_STRUCTURE_TYPE_VERTEX_INPUT_ATTRIBUTE_DESCRIPTION_2_EXT,
      .location = nth, /* the other way round */
      .format = nth == 0 ? VK_FORMAT_R32G32_SFLOAT : VK_FORMAT_R8G8B8A8_UNORM,
      .offset = nth == 0 ? offsetof (Vertex, place) : offsetof (Vertex, color) },
    { .sType = VK_STRUCTURE_TYPE_VERTEX_INPUT_ATTRIBUTE_DESCRIPTION_2_EXT,
      .location = 1 - nth,
      .format = nth == 0 ? VK_FORMAT_R8G8B8A8_UNORM : VK_FORMAT_R32G32_SFLOAT,
      .offset = nth == 0 ? offsetof (Vertex, color) : offsetof (Vertex, place) },
  };

  SET (self, vkCmdSetVertexInputEXT, 1, &binding, 2, attributes);
}

static void
set_writes (States   *self,
            uint32_t  nth)
{
  const VkBool32 enables[] = { nth == 0, nth == 1 };

  SET (self, vkCmdSetColorWriteEnableEXT, 2, enables);
}

static void
set (States   *self,
     uint32_t  nth)
{
  const VkDeviceSize zero = 0;
  const VkViewport viewport = { 0, 0, VTR_APP_DEMO_WIDTH, VTR_APP_DEMO_HEIGHT, 0, 1 };
  const VkRect2D scissor = { { 1, 2 }, { VTR_APP_DEMO_WIDTH - 3, VTR_APP_DEMO_HEIGHT - 3 } };

  if (one)
    {
      set_one (self, nth);
      return;
    }
  vkCmdBindVertexBuffers (self->demo.commands, 0, 1, &self->vertices->buffer, &zero);
  vkCmdSetViewport (self->demo.commands, 0, 1, &viewport);
  vkCmdSetScissor (self->demo.commands, 0, 1, &scissor);
  if (two)
    set_two (self, nth);
  else if (three)
    set_three (self, nth);
  else if (vertices)
    set_vertices (self, nth);
  else
    set_writes (self, nth);
}

/* --- Frames ---------------------------------------------------------------------------------- */

static void
record_secondary (States *self)
{
  VtrAppDemo *demo = &self->demo;
  const VkCommandBuffer usual = demo->commands;
  const VkFormat formats[] = { VTR_APP_DEMO_FORMAT, VTR_APP_DEMO_FORMAT };
  const VkCommandBufferInheritanceRenderingInfo rendering = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_RENDERING_INFO,
    .colorAttachmentCount = 2,
    .pColorAttachmentFormats = formats,
    .depthAttachmentFormat = self->depth->info.format,
    .stencilAttachmentFormat = self->depth->info.format,
    .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT,
  };
  const VkCommandBufferInheritanceInfo inheritance = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO,
    .pNext = &rendering,
  };
  const VkCommandBufferBeginInfo begin = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
    .flags = VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT,
    .pInheritanceInfo = &inheritance,
  };

  demo->commands = self->secondary =
    vtr_app_commands (&demo->scene.gpu, VK_COMMAND_BUFFER_LEVEL_SECONDARY);
  vtr_app_check (vkBeginCommandBuffer (demo->commands, &begin), "vkBeginCommandBuffer");
  vkCmdBindPipeline (demo->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->pipeline);
  set (self, 1);
  vkCmdDraw (demo->commands, 4, 1, 1, 0);
  vtr_app_check (vkEndCommandBuffer (demo->commands), "vkEndCommandBuffer");
  demo->commands = usual;
}

static void
start (VtrAppDemo *demo)
{
  static const Vertex corners[] = {
    { { -0.9f, -0.9f }, { 255, 0, 64, 255 } },
    { { 0.4f, -0.8f }, { 0, 255, 0, 128 } },
    { { -0.7f, 0.5f }, { 64, 32, 255, 255 } },
    { { 0.8f, 0.7f }, { 255, 255, 0, 64 } },
    { { -0.1f, 0.9f }, { 0, 128, 255, 200 } },
    { { 0.9f, -0.3f }, { 90, 0, 90, 255 } },
    { { -0.95f, 0.1f }, { 255, 128, 0, 255 } },
    { { 0.2f, 0.3f }, { 10, 200, 30, 255 } },
    { { -0.5f, -0.6f }, { 200, 100, 50, 90 } },
    { { 0.6f, -0.95f }, { 5, 80, 160, 255 } },
    { { -0.3f, 0.95f }, { 120, 220, 20, 128 } },
    { { 0.95f, 0.1f }, { 33, 66, 99, 255 } },
  };
  States *self = (States *)demo;
  const VkFormat formats[] = { VTR_APP_DEMO_FORMAT, VTR_APP_DEMO_FORMAT };

  self->vertices = vtr_app_demo_buffer (demo, "vertices", sizeof corners,
                                        VK_BUFFER_USAGE_VERTEX_BUFFER_BIT);
  memcpy (self->vertices->mapped, corners, sizeof corners);
  make_pictures (self);
  self->pipeline = vtr_app_pipeline (
    &demo->scene,
    &(VtrAppPipelineInfo){
      .n_colors = 2,
      .formats = formats,
      .depth = self->depth->info.format,
      .depth_test = true,
      .change = change,
      .data = vtr_app_scene_shader (&demo->scene, demo_vertices_vert, sizeof demo_vertices_vert) });
  record_secondary (self);
}

static void
begin_rendering (States           *self,
                 VkRenderingFlags  flags)
{
  VkRenderingAttachmentInfo attachments[3] = { 0 };
  const VkImageView views[] = { self->demo.color->view, self->second->view, self->depth->view };
  const VkRenderingInfo info = {
    .sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
    .flags = flags,
    .renderArea = { { 0, 0 }, { VTR_APP_DEMO_WIDTH, VTR_APP_DEMO_HEIGHT } },
    .layerCount = 1,
    .colorAttachmentCount = 2,
    .pColorAttachments = attachments,
    .pDepthAttachment = &attachments[2],
    .pStencilAttachment = &attachments[2],
  };

  for (uint32_t i = 0; i < 3; i++)
    attachments[i] = (VkRenderingAttachmentInfo){
      .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
      .imageView = views[i],
      .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
      .loadOp = VK_ATTACHMENT_LOAD_OP_LOAD,
      .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
    };
  vtr_app_barrier (self->demo.commands);
  vkCmdBeginRendering (self->demo.commands, &info);
}

static void
draw (VtrAppDemo *demo)
{
  States *self = (States *)demo;

  begin_rendering (self, 0);
  vkCmdBindPipeline (demo->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->pipeline);
  set (self, 0);
  vkCmdDraw (demo->commands, 3, 1, demo->frame % 4, 0);
  if (vtr_app_demo_check (demo))
    {
      set (self, 1);
      vkCmdDraw (demo->commands, 4, 1, demo->frame % 2, 0);
    }
  vkCmdEndRendering (demo->commands);
  if (demo->scene.stopped)
    return;
  begin_rendering (self, VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT);
  vkCmdExecuteCommands (demo->commands, 1, &self->secondary);
  vkCmdEndRendering (demo->commands);
  vtr_app_demo_check (demo);
}

static bool
wants (int          argc,
       char       **argv,
       const char  *option)
{
  for (int i = 1; i < argc; i++)
    if (strcmp (argv[i], option) == 0)
      return true;
  return false;
}

static void
need_three (VtrAppDemoInfo *info)
{
  static const VkPhysicalDeviceExtendedDynamicState3FeaturesEXT dynamic = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTENDED_DYNAMIC_STATE_3_FEATURES_EXT,
    .extendedDynamicState3DepthClampEnable = VK_TRUE,
    .extendedDynamicState3PolygonMode = VK_TRUE,
    .extendedDynamicState3ColorBlendEnable = VK_TRUE,
    .extendedDynamicState3ColorBlendEquation = VK_TRUE,
    .extendedDynamicState3ColorWriteMask = VK_TRUE,
    .extendedDynamicState3RasterizationSamples = VK_TRUE,
    .extendedDynamicState3SampleMask = VK_TRUE,
    .extendedDynamicState3AlphaToCoverageEnable = VK_TRUE,
    .extendedDynamicState3DepthClipEnable = VK_TRUE,
    .extendedDynamicState3ProvokingVertexMode = VK_TRUE,
  };
  static const VkPhysicalDeviceDepthClipEnableFeaturesEXT clip = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEPTH_CLIP_ENABLE_FEATURES_EXT,
    .depthClipEnable = VK_TRUE,
  };
  static const VkPhysicalDeviceProvokingVertexFeaturesEXT provoking = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROVOKING_VERTEX_FEATURES_EXT,
    .provokingVertexLast = VK_TRUE,
  };
  static const char *const extensions[] = { VK_EXT_EXTENDED_DYNAMIC_STATE_3_EXTENSION_NAME,
                                            VK_EXT_DEPTH_CLIP_ENABLE_EXTENSION_NAME,
                                            VK_EXT_PROVOKING_VERTEX_EXTENSION_NAME, NULL };

  info->what = "extended dynamic state 3";
  info->extensions = extensions;
  info->features.depthClamp = info->features.fillModeNonSolid = VK_TRUE;
  info->features.independentBlend = VK_TRUE;
  info->more[0].structure = &dynamic;
  info->more[0].size = sizeof dynamic;
  info->more[1].structure = &clip;
  info->more[1].size = sizeof clip;
  info->more[2].structure = &provoking;
  info->more[2].size = sizeof provoking;
}

static void
need_two (VtrAppDemoInfo *info)
{
  static const VkPhysicalDeviceExtendedDynamicState2FeaturesEXT dynamic = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTENDED_DYNAMIC_STATE_2_FEATURES_EXT,
    .extendedDynamicState2LogicOp = VK_TRUE,
  };
  static const char *const extensions[] = { VK_EXT_EXTENDED_DYNAMIC_STATE_2_EXTENSION_NAME, NULL };

  info->what = "operations as dynamic state";
  info->extensions = extensions;
  info->features.logicOp = VK_TRUE;
  info->more[0].structure = &dynamic;
  info->more[0].size = sizeof dynamic;
}

static void
need_vertices (VtrAppDemoInfo *info)
{
  static const VkPhysicalDeviceVertexInputDynamicStateFeaturesEXT input = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VERTEX_INPUT_DYNAMIC_STATE_FEATURES_EXT,
    .vertexInputDynamicState = VK_TRUE,
  };
  static const char *const extensions[] = { VK_EXT_VERTEX_INPUT_DYNAMIC_STATE_EXTENSION_NAME,
                                            NULL };

  info->what = "vertex input as dynamic state";
  info->extensions = extensions;
  info->more[0].structure = &input;
  info->more[0].size = sizeof input;
}

static void
need_writes (VtrAppDemoInfo *info)
{
  static const VkPhysicalDeviceColorWriteEnableFeaturesEXT enable = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COLOR_WRITE_ENABLE_FEATURES_EXT,
    .colorWriteEnable = VK_TRUE,
  };
  static const char *const extensions[] = { VK_EXT_COLOR_WRITE_ENABLE_EXTENSION_NAME, NULL };

  info->what = "writes of colours as dynamic state";
  info->extensions = extensions;
  info->more[0].structure = &enable;
  info->more[0].size = sizeof enable;
}

int
main (int    argc,
      char **argv)
{
  const VtrAppOption options[] = {
    { "--one", NULL, NULL, &one, "VK_EXT_extended_dynamic_state" },
    { "--two", NULL, NULL, &two, "VK_EXT_extended_dynamic_state2" },
    { "--three", NULL, NULL, &three, "VK_EXT_extended_dynamic_state3" },
    { "--vertices", NULL, NULL, &vertices, "VK_EXT_vertex_input_dynamic_state" },
    { "--writes", NULL, NULL, &writes, "VK_EXT_color_write_enable" },
    { 0 },
  };
  VtrAppDemoInfo info = { .what = "dynamic state",
                          .options = options,
                          .start = start,
                          .draw = draw };
  States self = { 0 };

  /* The options are read after the required features are known. */
  if (wants (argc, argv, "--two"))
    need_two (&info);
  else if (wants (argc, argv, "--three"))
    need_three (&info);
  else if (wants (argc, argv, "--vertices"))
    need_vertices (&info);
  else if (wants (argc, argv, "--writes"))
    need_writes (&info);
  return vtr_app_demo_run (&self.demo, &info, argc, argv);
}
