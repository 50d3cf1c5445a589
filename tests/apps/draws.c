/* vtr-app-draws: one frame with draws of every kind, each in its own part of the image.
 *
 * Two colour attachments and depth with stencil, in a render pass or (--dynamic) in dynamic
 * rendering. With --draws N only the first N are recorded: what the program then reads back is what
 * the framebuffer of a cut after the Nth draw of the whole frame must show. --line, --flat, --skip
 * and --no-tests are what pictures with an edit must show: lines, another fragment shader, draws
 * left out. */
#include "vtr-app.h"

#include "draws-flat.frag.h"
#include "draws.frag.h"
#include "draws.vert.h"

#include <stdio.h>
#include <string.h>

#define WIDTH 192u
#define HEIGHT 128u
#define N_ATTACHMENTS 3u
#define COLOR0 VK_FORMAT_R8G8B8A8_UNORM
#define COLOR1 VK_FORMAT_R16G16B16A16_SFLOAT
#define DEPTH VK_FORMAT_D32_SFLOAT_S8_UINT

typedef struct
{
  float place[4]; /* x, y, z, scale */
  float color[4];
} Push;

typedef struct
{
  float position[2];
  float hue[3];
} Vertex;

typedef enum
{
  DRAW,
  DRAW_INDEXED,
  DRAW_INSTANCED,
  DRAW_INDIRECT,
  DRAW_INDEXED_INDIRECT,
  DRAW_INDEXED_OFFSETS,
  CLEAR_ATTACHMENTS,
} Kind;

/* In order. The last but one lies wholly behind the first: it must change stencil only. */
static const struct
{
  Kind kind;
  Push push;
  uint32_t stencil;
} steps[] = {
  { DRAW, { { -0.9f, -0.9f, 0.5f, 0.5f }, { 1, 1, 1, 1 } }, 1 },
  { DRAW_INDEXED, { { -0.25f, -0.9f, 0.4f, 0.5f }, { 1, 0.5f, 1, 1 } }, 2 },
  { DRAW_INSTANCED, { { 0.35f, -0.9f, 0.9f, 0.3f }, { 1, 1, 0.5f, 1 } }, 3 },
  { DRAW_INDIRECT, { { -0.9f, 0.1f, 0.3f, 0.5f }, { 0.5f, 1, 1, 1 } }, 4 },
  { DRAW_INDEXED_INDIRECT, { { -0.25f, 0.1f, 0.7f, 0.3f }, { 1, 0.7f, 0.2f, 1 } }, 5 },
  { DRAW_INDEXED_OFFSETS, { { 0.2f, 0.05f, 0.6f, 0.5f }, { 0.2f, 0.7f, 1, 1 } }, 6 },
  { DRAW, { { -0.88f, -0.88f, 0.8f, 0.2f }, { 1, 0, 0, 1 } }, 7 },
  { CLEAR_ATTACHMENTS, { { 0 }, { 0 } }, 8 },
};

#define N_STEPS (sizeof steps / sizeof steps[0])

typedef struct
{
  VtrAppGpu gpu;
  VtrAppImage attachments[N_ATTACHMENTS]; /* colour 0, colour 1, depth and stencil */
  VtrAppBuffer vertices;
  VtrAppBuffer indices;
  VtrAppBuffer indirect;
  VkRenderPass pass;
  VkFramebuffer framebuffer;
  VkPipelineLayout layout;
  VkPipeline pipeline;
  bool dynamic;
  bool line, flat, no_tests; /* how the one pipeline draws; without tests of depth and stencil */
  uint32_t skip;             /* steps that are left out, a bit each */
} Draws;

static const VkFormat formats[N_ATTACHMENTS] = { COLOR0, COLOR1, DEPTH };

static VkImageLayout
attachment_layout (uint32_t index)
{
  return index < 2 ? VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL
                   : VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL;
}

static void
create_attachments (Draws *self)
{
  for (uint32_t i = 0; i < N_ATTACHMENTS; i++)
    self->attachments[i] =
      vtr_app_image (&self->gpu, WIDTH, HEIGHT, formats[i],
                     VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
                       (i < 2 ? VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT
                              : VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT));
}

static void
create_pass (Draws *self)
{
  VkAttachmentDescription descriptions[N_ATTACHMENTS];
  VkAttachmentReference references[N_ATTACHMENTS];
  VkImageView views[N_ATTACHMENTS];
  VkSubpassDescription subpass = {
    .pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
    .colorAttachmentCount = 2,
    .pColorAttachments = references,
    .pDepthStencilAttachment = &references[2],
  };
  VkRenderPassCreateInfo pass_info = {
    .sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
    .attachmentCount = N_ATTACHMENTS,
    .pAttachments = descriptions,
    .subpassCount = 1,
    .pSubpasses = &subpass,
  };
  VkFramebufferCreateInfo framebuffer_info = {
    .sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
    .attachmentCount = N_ATTACHMENTS,
    .pAttachments = views,
    .width = WIDTH,
    .height = HEIGHT,
    .layers = 1,
  };

  for (uint32_t i = 0; i < N_ATTACHMENTS; i++)
    {
      descriptions[i] = (VkAttachmentDescription){
        .format = formats[i],
        .samples = VK_SAMPLE_COUNT_1_BIT,
        .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
        .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
        .stencilLoadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
        .stencilStoreOp = VK_ATTACHMENT_STORE_OP_STORE,
        .initialLayout = VK_IMAGE_LAYOUT_UNDEFINED,
        .finalLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
      };
      references[i] = (VkAttachmentReference){ i, attachment_layout (i) };
      views[i] = self->attachments[i].view;
    }

  vtr_app_check (vkCreateRenderPass (self->gpu.device, &pass_info, NULL, &self->pass),
                 "vkCreateRenderPass");
  framebuffer_info.renderPass = self->pass;
  vtr_app_check (vkCreateFramebuffer (self->gpu.device, &framebuffer_info, NULL,
                                      &self->framebuffer),
                 "vkCreateFramebuffer");
}

static void
create_buffers (Draws *self)
{
  static const Vertex vertices[] = {
    { { 0, 0 }, { 1, 0, 0 } },
    { { 1, 0 }, { 0, 1, 0 } },
    { { 0, 1 }, { 0, 0, 1 } },
    { { 1, 1 }, { 1, 1, 0 } },
    { { 0, 0 }, { 0, 1, 1 } },
    { { 0.8f, 0.2f }, { 1, 0, 1 } },
    { { 0.2f, 0.8f }, { 1, 1, 1 } },
    { { 0.9f, 0.9f }, { 0, 0, 0 } },
  };
  static const uint16_t indices[] = { 0, 1, 2, 2, 1, 3 };
  struct
  {
    VkDrawIndirectCommand draw;
    VkDrawIndexedIndirectCommand indexed[2];
  } indirect = {
    { 3, 1, 1, 0 },
    { { 3, 1, 0, 0, 0 }, { 3, 1, 3, 0, 2 } },
  };
  const VkMemoryPropertyFlags host =
    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;

  self->vertices =
    vtr_app_buffer (&self->gpu, sizeof vertices, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, host);
  self->indices =
    vtr_app_buffer (&self->gpu, sizeof indices, VK_BUFFER_USAGE_INDEX_BUFFER_BIT, host);
  self->indirect =
    vtr_app_buffer (&self->gpu, sizeof indirect, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT, host);
  memcpy (self->vertices.mapped, vertices, sizeof vertices);
  memcpy (self->indices.mapped, indices, sizeof indices);
  memcpy (self->indirect.mapped, &indirect, sizeof indirect);
}

static void
create_pipeline (Draws *self)
{
  VkPushConstantRange range = { VK_SHADER_STAGE_VERTEX_BIT, 0, sizeof (Push) };
  VkPipelineLayoutCreateInfo layout_info = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
    .pushConstantRangeCount = 1,
    .pPushConstantRanges = &range,
  };
  VkPipelineShaderStageCreateInfo stages[] = {
    {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
      .stage = VK_SHADER_STAGE_VERTEX_BIT,
      .module = vtr_app_shader (&self->gpu, draws_vert, sizeof draws_vert),
      .pName = "main",
    },
    {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
      .stage = VK_SHADER_STAGE_FRAGMENT_BIT,
      .module = self->flat ? vtr_app_shader (&self->gpu, draws_flat_frag, sizeof draws_flat_frag)
                           : vtr_app_shader (&self->gpu, draws_frag, sizeof draws_frag),
      .pName = "main",
    },
  };
  VkVertexInputBindingDescription binding = { 0, sizeof (Vertex), VK_VERTEX_INPUT_RATE_VERTEX };
  VkVertexInputAttributeDescription attributes[] = {
    { 0, 0, VK_FORMAT_R32G32_SFLOAT, offsetof (Vertex, position) },
    { 1, 0, VK_FORMAT_R32G32B32_SFLOAT, offsetof (Vertex, hue) },
  };
  VkPipelineVertexInputStateCreateInfo vertex_input = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO,
    .vertexBindingDescriptionCount = 1,
    .pVertexBindingDescriptions = &binding,
    .vertexAttributeDescriptionCount = 2,
    .pVertexAttributeDescriptions = attributes,
  };
  VkPipelineInputAssemblyStateCreateInfo assembly = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
    .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
  };
  VkViewport viewport = { 0, 0, WIDTH, HEIGHT, 0, 1 };
  VkRect2D scissor = { { 0, 0 }, { WIDTH, HEIGHT } };
  VkPipelineViewportStateCreateInfo viewport_state = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
    .viewportCount = 1,
    .pViewports = &viewport,
    .scissorCount = 1,
    .pScissors = &scissor,
  };
  VkPipelineRasterizationStateCreateInfo raster = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO,
    .polygonMode = self->line ? VK_POLYGON_MODE_LINE : VK_POLYGON_MODE_FILL,
    .cullMode = VK_CULL_MODE_NONE,
    .lineWidth = 1,
  };
  VkPipelineMultisampleStateCreateInfo samples = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
    .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT,
  };
  VkStencilOpState stencil = {
    .failOp = VK_STENCIL_OP_KEEP,
    .passOp = VK_STENCIL_OP_REPLACE,
    .depthFailOp = VK_STENCIL_OP_INVERT,
    .compareOp = VK_COMPARE_OP_ALWAYS,
    .compareMask = 0xff,
    .writeMask = 0xff,
  };
  VkPipelineDepthStencilStateCreateInfo depth = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO,
    .depthTestEnable = !self->no_tests,
    .depthWriteEnable = VK_TRUE,
    .depthCompareOp = VK_COMPARE_OP_LESS,
    .stencilTestEnable = !self->no_tests,
    .front = stencil,
    .back = stencil,
  };
  VkPipelineColorBlendAttachmentState blends[] = { { .colorWriteMask = 0xf },
                                                   { .colorWriteMask = 0xf } };
  VkPipelineColorBlendStateCreateInfo blend_state = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
    .attachmentCount = 2,
    .pAttachments = blends,
  };
  VkDynamicState dynamic = VK_DYNAMIC_STATE_STENCIL_REFERENCE;
  VkPipelineDynamicStateCreateInfo dynamic_state = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO,
    .dynamicStateCount = 1,
    .pDynamicStates = &dynamic,
  };
  VkPipelineRenderingCreateInfo rendering = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
    .colorAttachmentCount = 2,
    .pColorAttachmentFormats = formats,
    .depthAttachmentFormat = DEPTH,
    .stencilAttachmentFormat = DEPTH,
  };
  VkGraphicsPipelineCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
    .pNext = self->dynamic ? &rendering : NULL,
    .stageCount = 2,
    .pStages = stages,
    .pVertexInputState = &vertex_input,
    .pInputAssemblyState = &assembly,
    .pViewportState = &viewport_state,
    .pRasterizationState = &raster,
    .pMultisampleState = &samples,
    .pDepthStencilState = &depth,
    .pColorBlendState = &blend_state,
    .pDynamicState = &dynamic_state,
    .renderPass = self->pass,
  };
  VkDevice device = self->gpu.device;

  vtr_app_check (vkCreatePipelineLayout (device, &layout_info, NULL, &self->layout),
                 "vkCreatePipelineLayout");
  info.layout = self->layout;
  vtr_app_check (vkCreateGraphicsPipelines (device, VK_NULL_HANDLE, 1, &info, NULL,
                                            &self->pipeline),
                 "vkCreateGraphicsPipelines");
  vkDestroyShaderModule (device, stages[0].module, NULL);
  vkDestroyShaderModule (device, stages[1].module, NULL);
}

static const VkClearValue clears[N_ATTACHMENTS] = {
  { .color = { .float32 = { 0.1f, 0.2f, 0.3f, 1.0f } } },
  { .color = { .float32 = { -1.0f, 0.5f, 0.0f, 0.0f } } },
  { .depthStencil = { 1.0f, 0x11 } },
};

static void
begin_pass (Draws           *self,
            VkCommandBuffer  commands)
{
  VkRenderPassBeginInfo begin = {
    .sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
    .renderPass = self->pass,
    .framebuffer = self->framebuffer,
    .renderArea = { { 0, 0 }, { WIDTH, HEIGHT } },
    .clearValueCount = N_ATTACHMENTS,
    .pClearValues = clears,
  };

  vkCmdBeginRenderPass (commands, &begin, VK_SUBPASS_CONTENTS_INLINE);
}

static void
begin_rendering (Draws           *self,
                 VkCommandBuffer  commands)
{
  VkRenderingAttachmentInfo infos[N_ATTACHMENTS];
  VkRenderingInfo rendering = {
    .sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
    .renderArea = { { 0, 0 }, { WIDTH, HEIGHT } },
    .layerCount = 1,
    .colorAttachmentCount = 2,
    .pColorAttachments = infos,
    .pDepthAttachment = &infos[2],
    .pStencilAttachment = &infos[2],
  };

  for (uint32_t i = 0; i < N_ATTACHMENTS; i++)
    {
      vtr_app_transition (commands, &self->attachments[i], VK_IMAGE_LAYOUT_UNDEFINED,
                          attachment_layout (i));
      infos[i] = (VkRenderingAttachmentInfo){
        .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
        .imageView = self->attachments[i].view,
        .imageLayout = attachment_layout (i),
        .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
        .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
        .clearValue = clears[i],
      };
    }
  vkCmdBeginRendering (commands, &rendering);
}

static void
record_clear (VkCommandBuffer commands)
{
  VkClearAttachment attachments[] = {
    { VK_IMAGE_ASPECT_COLOR_BIT, 1, { .color = { .float32 = { 8, 9, 10, 11 } } } },
    { VK_IMAGE_ASPECT_STENCIL_BIT, 0, { .depthStencil = { 0, 0x77 } } },
  };
  VkClearRect rect = { { { 170, 100 }, { 20, 20 } }, 0, 1 };

  vkCmdClearAttachments (commands, 2, attachments, 1, &rect);
}

static void
record_step (Draws           *self,
             VkCommandBuffer  commands,
             uint32_t         step)
{
  const VkDeviceSize indexed = sizeof (VkDrawIndirectCommand);

  vkCmdPushConstants (commands, self->layout, VK_SHADER_STAGE_VERTEX_BIT, 0, sizeof (Push),
                      &steps[step].push);
  vkCmdSetStencilReference (commands, VK_STENCIL_FACE_FRONT_AND_BACK, steps[step].stencil);
  switch (steps[step].kind)
    {
    case DRAW:
      vkCmdDraw (commands, 3, 1, 0, 0);
      break;
    case DRAW_INDEXED:
      vkCmdDrawIndexed (commands, 6, 1, 0, 0, 0);
      break;
    case DRAW_INSTANCED:
      vkCmdDraw (commands, 3, 4, 1, 0);
      break;
    case DRAW_INDIRECT:
      vkCmdDrawIndirect (commands, self->indirect.buffer, 0, 1, sizeof (VkDrawIndirectCommand));
      break;
    case DRAW_INDEXED_INDIRECT:
      vkCmdDrawIndexedIndirect (commands, self->indirect.buffer, indexed, 2,
                                sizeof (VkDrawIndexedIndirectCommand));
      break;
    case DRAW_INDEXED_OFFSETS:
      vkCmdDrawIndexed (commands, 3, 2, 3, 4, 1);
      break;
    case CLEAR_ATTACHMENTS:
      record_clear (commands);
      break;
    }
}

static void
record (Draws           *self,
        VkCommandBuffer  commands,
        uint32_t         n_steps)
{
  VkDeviceSize offset = 0;

  vtr_app_begin (commands);
  if (self->dynamic)
    begin_rendering (self, commands);
  else
    begin_pass (self, commands);

  vkCmdBindPipeline (commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->pipeline);
  vkCmdBindVertexBuffers (commands, 0, 1, &self->vertices.buffer, &offset);
  vkCmdBindIndexBuffer (commands, self->indices.buffer, 0, VK_INDEX_TYPE_UINT16);
  for (uint32_t i = 0; i < n_steps; i++)
    if ((self->skip >> i & 1) == 0)
      record_step (self, commands, i);

  if (!self->dynamic)
    {
      vkCmdEndRenderPass (commands);
      return;
    }

  vkCmdEndRendering (commands);
  for (uint32_t i = 0; i < N_ATTACHMENTS; i++)
    vtr_app_transition (commands, &self->attachments[i], attachment_layout (i),
                        VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
}

static void
read_back (Draws           *self,
           VkCommandBuffer  commands,
           const char      *directory)
{
  static const struct
  {
    const char *name;
    uint32_t attachment;
    VkImageAspectFlags aspect;
    VkFormat format; /* of the one aspect */
    uint32_t texel;
  } parts[] = {
    { "color0", 0, VK_IMAGE_ASPECT_COLOR_BIT, COLOR0, 4 },
    { "color1", 1, VK_IMAGE_ASPECT_COLOR_BIT, COLOR1, 8 },
    { "depth", 2, VK_IMAGE_ASPECT_DEPTH_BIT, VK_FORMAT_D32_SFLOAT, 4 },
    { "stencil", 2, VK_IMAGE_ASPECT_STENCIL_BIT, VK_FORMAT_S8_UINT, 1 },
  };

  for (uint32_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
    {
      VkBufferImageCopy region = {
        .imageSubresource = { parts[i].aspect, 0, 0, 1 },
        .imageExtent = { WIDTH, HEIGHT, 1 },
      };
      VtrAppBuffer buffer = vtr_app_buffer (&self->gpu, WIDTH * HEIGHT * parts[i].texel,
                                            VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                            VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                              VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);

      vtr_app_begin (commands);
      vtr_app_barrier (commands);
      vkCmdCopyImageToBuffer (commands, self->attachments[parts[i].attachment].image,
                              VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, buffer.buffer, 1, &region);
      vtr_app_barrier (commands);
      vtr_app_run (&self->gpu, commands);
      vtr_app_write_image (directory, parts[i].name, WIDTH, HEIGHT, parts[i].format, buffer.mapped,
                           buffer.size);
      vtr_app_buffer_finish (&self->gpu, &buffer);
    }
}

static void
draws_finish (Draws *self)
{
  VkDevice device = self->gpu.device;

  vkDestroyPipeline (device, self->pipeline, NULL);
  vkDestroyPipelineLayout (device, self->layout, NULL);
  vkDestroyFramebuffer (device, self->framebuffer, NULL);
  vkDestroyRenderPass (device, self->pass, NULL);
  for (uint32_t i = 0; i < N_ATTACHMENTS; i++)
    vtr_app_image_finish (&self->gpu, &self->attachments[i]);
  vtr_app_buffer_finish (&self->gpu, &self->vertices);
  vtr_app_buffer_finish (&self->gpu, &self->indices);
  vtr_app_buffer_finish (&self->gpu, &self->indirect);
  vtr_app_gpu_finish (&self->gpu);
}

int
main (int    argc,
      char **argv)
{
  Draws self = { 0 };
  const char *output = NULL;
  uint32_t n_steps = N_STEPS;
  VkCommandBuffer commands;
  VkPhysicalDeviceVulkan13Features features13 = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
  };
  VkPhysicalDeviceFeatures2 features = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
    .pNext = &features13,
    .features = { .multiDrawIndirect = VK_TRUE, .drawIndirectFirstInstance = VK_TRUE },
  };
  const VtrAppOption options[] = {
    { "--draws", &n_steps, NULL, NULL, "record only the first N" },
    { "--dynamic", NULL, NULL, &self.dynamic, "use dynamic rendering" },
    { "--line", NULL, NULL, &self.line, "draw polygons as lines" },
    { "--flat", NULL, NULL, &self.flat, "use another fragment shader" },
    { "--no-tests", NULL, NULL, &self.no_tests, "no depth and stencil test" },
    { "--skip", &self.skip, NULL, NULL, "leave out these draws, a bit each" },
    { "--output", NULL, &output, NULL, "folder to write the attachments to" },
    { 0 },
  };

  vtr_app_options (argc, argv, options);
  if (n_steps > N_STEPS)
    vtr_app_fail ("there are only %zu draws", N_STEPS);

  features13.dynamicRendering = self.dynamic;
  features.features.fillModeNonSolid = self.line;
  vtr_app_gpu_init (&self.gpu, &features, false);
  create_attachments (&self);
  if (!self.dynamic)
    create_pass (&self);
  create_buffers (&self);
  create_pipeline (&self);
  commands = vtr_app_commands (&self.gpu, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
  record (&self, commands, n_steps);
  vtr_app_run (&self.gpu, commands);
  if (output != NULL)
    read_back (&self, commands, output);
  draws_finish (&self);

  return 0;
}
