/* vtr-app-layers: rectangles on top of each other, so that the number of draws to each pixel is
 * known.
 *
 * Two colour attachments and depth (or depth alone), in a render pass of one subpass or of three,
 * the second of which draws elsewhere, or in dynamic rendering; in secondary command buffers; with
 * more samples; by pipelines linked from libraries; with a pipeline that is bound before the pass
 * begins. */
#include "vtr-app.h"

#include "layers.frag.h"
#include "layers.vert.h"

#include <string.h>

#define SIZE 64u
#define COLOR VK_FORMAT_R8G8B8A8_UNORM
#define OTHER VK_FORMAT_R16G16B16A16_UINT
#define DEPTH VK_FORMAT_D32_SFLOAT
#define N_VIEWS 4u /* two colours, depth, what the second subpass draws to */

typedef struct
{
  float depth;
  uint32_t holes; /* every second pixel is discarded */
} Push;

/* tests/e2e/test-edits.py has the same. */
static const struct
{
  VkRect2D place;
  Push push;
} layers[] = {
  { { { 0, 0 }, { 40, 40 } }, { 0.5f, 0 } },
  { { { 8, 8 }, { 40, 40 } }, { 0.4f, 0 } },
  { { { 16, 16 }, { 40, 40 } }, { 0.45f, 0 } }, /* hidden where the second is */
  { { { 4, 20 }, { 30, 10 } }, { 0.3f, 1 } },
  { { { 0, 0 }, { 64, 64 } }, { 0.9f, 0 } }, /* behind all others */
};

#define N_LAYERS (sizeof layers / sizeof layers[0])

typedef struct
{
  VtrAppGpu gpu;
  VtrAppImage images[N_VIEWS]; /* .image and .format */
  VkImageView views[N_VIEWS];
  VkRenderPass pass;
  VkFramebuffer framebuffer;
  VkPipelineLayout layout;
  VkPipeline pipelines[3]; /* for each subpass */
  VkSampleCountFlagBits samples;
  uint32_t n_samples;
  bool dynamic, secondary, subpasses, depth_only, library, early;
} Layers;

static void
create_view (Layers   *self,
             uint32_t  nth,
             VkFormat  format)
{
  const bool depth = format == DEPTH;
  VkImageCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
    .imageType = VK_IMAGE_TYPE_2D,
    .format = format,
    .extent = { SIZE, SIZE, 1 },
    .mipLevels = 1,
    .arrayLayers = 1,
    .samples = self->samples,
    .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
             (depth ? VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT
                    : VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT),
  };
  VkImageViewCreateInfo view_info = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
    .viewType = VK_IMAGE_VIEW_TYPE_2D,
    .format = format,
    .subresourceRange = { depth ? VK_IMAGE_ASPECT_DEPTH_BIT : VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0,
                          1 },
  };
  VkMemoryRequirements requirements;

  vtr_app_check (vkCreateImage (self->gpu.device, &info, NULL, &view_info.image),
                 "vkCreateImage");
  vkGetImageMemoryRequirements (self->gpu.device, view_info.image, &requirements);
  vtr_app_check (vkBindImageMemory (self->gpu.device, view_info.image,
                                    vtr_app_allocate (&self->gpu, &requirements, 0), 0),
                 "vkBindImageMemory");
  vtr_app_check (vkCreateImageView (self->gpu.device, &view_info, NULL, &self->views[nth]),
                 "vkCreateImageView");
  self->images[nth] = (VtrAppImage){ .image = view_info.image, .format = format };
}

static VkAttachmentDescription
describe (const Layers *self,
          VkFormat      format)
{
  return (VkAttachmentDescription){
    .format = format,
    .samples = self->samples,
    .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
    .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
    .finalLayout = VK_IMAGE_LAYOUT_GENERAL,
  };
}

static void
create_pass (Layers *self)
{
  const uint32_t first = self->depth_only ? 2 : 0;
  const uint32_t n = self->subpasses ? 4 - first : 3 - first;
  VkAttachmentDescription descriptions[N_VIEWS] = {
    describe (self, COLOR), describe (self, COLOR), describe (self, DEPTH), describe (self, OTHER)
  };
  const VkAttachmentReference colors[] = { { 0, VK_IMAGE_LAYOUT_GENERAL },
                                           { 1, VK_IMAGE_LAYOUT_GENERAL } };
  const VkAttachmentReference depth = { 2 - first, VK_IMAGE_LAYOUT_GENERAL };
  const VkAttachmentReference other = { 3 - first, VK_IMAGE_LAYOUT_GENERAL };
  const VkSubpassDescription all = {
    .colorAttachmentCount = self->depth_only ? 0 : 2,
    .pColorAttachments = colors,
    .pDepthStencilAttachment = &depth,
  };
  const uint32_t kept[] = { 0, 1, 2 };
  const VkSubpassDescription subpasses[] = {
    all,
    { .colorAttachmentCount = 1,
      .pColorAttachments = &other,
      .preserveAttachmentCount = 3 - first,
      .pPreserveAttachments = kept },
    all,
  };
  const VkSubpassDependency dependencies[] = {
    { 0, 2, VK_PIPELINE_STAGE_ALL_GRAPHICS_BIT, VK_PIPELINE_STAGE_ALL_GRAPHICS_BIT,
      VK_ACCESS_MEMORY_WRITE_BIT, VK_ACCESS_MEMORY_READ_BIT, VK_DEPENDENCY_BY_REGION_BIT },
  };
  VkRenderPassCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
    .attachmentCount = n,
    .pAttachments = &descriptions[first],
    .subpassCount = self->subpasses ? 3 : 1,
    .pSubpasses = subpasses,
    .dependencyCount = self->subpasses ? 1 : 0,
    .pDependencies = dependencies,
  };
  VkFramebufferCreateInfo framebuffer = {
    .sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
    .attachmentCount = n,
    .pAttachments = &self->views[first],
    .width = SIZE,
    .height = SIZE,
    .layers = 1,
  };

  vtr_app_check (vkCreateRenderPass (self->gpu.device, &info, NULL, &self->pass),
                 "vkCreateRenderPass");
  framebuffer.renderPass = self->pass;
  vtr_app_check (vkCreateFramebuffer (self->gpu.device, &framebuffer, NULL, &self->framebuffer),
                 "vkCreateFramebuffer");
}

/* One whole pipeline, or four libraries linked into one. */
static VkPipeline
create_pipeline (Layers                             *self,
                 const VkGraphicsPipelineCreateInfo *whole)
{
  static const VkGraphicsPipelineLibraryFlagsEXT parts[] = {
    VK_GRAPHICS_PIPELINE_LIBRARY_VERTEX_INPUT_INTERFACE_BIT_EXT,
    VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT,
    VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT,
    VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT,
  };
  VkPipeline libraries[4], pipeline;
  VkPipelineLibraryCreateInfoKHR list = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR,
    .libraryCount = 4,
    .pLibraries = libraries,
  };
  const VkGraphicsPipelineCreateInfo linked = {
    .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
    .pNext = &list,
    .layout = whole->layout,
  };

  for (uint32_t i = 0; self->library && i < 4; i++)
    {
      VkGraphicsPipelineLibraryCreateInfoEXT what = {
        .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT,
        .pNext = (void *)whole->pNext,
        .flags = parts[i],
      };
      VkGraphicsPipelineCreateInfo part = *whole;

      part.pNext = &what;
      part.flags |= VK_PIPELINE_CREATE_LIBRARY_BIT_KHR;
      part.stageCount = i == 1 || i == 2 ? 1 : 0;
      part.pStages = &whole->pStages[i == 2 ? 1 : 0];
      vtr_app_check (vkCreateGraphicsPipelines (self->gpu.device, VK_NULL_HANDLE, 1, &part, NULL,
                                                &libraries[i]),
                     "vkCreateGraphicsPipelines");
    }
  vtr_app_check (vkCreateGraphicsPipelines (self->gpu.device, VK_NULL_HANDLE, 1,
                                            self->library ? &linked : whole, NULL, &pipeline),
                 "vkCreateGraphicsPipelines");
  /* The libraries stay: Mesa 22.3's lavapipe goes on using them. */
  return pipeline;
}

static void
create_pipelines (Layers *self)
{
  const VkPushConstantRange range = { VK_SHADER_STAGE_ALL_GRAPHICS, 0, sizeof (Push) };
  const VkPipelineLayoutCreateInfo layout_info = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
    .pushConstantRangeCount = 1,
    .pPushConstantRanges = &range,
  };
  const VkPipelineShaderStageCreateInfo stages[] = {
    { .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
      .stage = VK_SHADER_STAGE_VERTEX_BIT,
      .module = vtr_app_shader (&self->gpu, layers_vert, sizeof layers_vert),
      .pName = "main" },
    { .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
      .stage = VK_SHADER_STAGE_FRAGMENT_BIT,
      .module = vtr_app_shader (&self->gpu, layers_frag, sizeof layers_frag),
      .pName = "main" },
  };
  const VkPipelineDepthStencilStateCreateInfo depth = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO,
    .depthTestEnable = VK_TRUE,
    .depthWriteEnable = VK_TRUE,
    .depthCompareOp = VK_COMPARE_OP_LESS,
  };
  const VkPipelineColorBlendAttachmentState blends[] = { { .colorWriteMask = 0xf },
                                                         { .colorWriteMask = 0xf } };
  VkPipelineColorBlendStateCreateInfo blend = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
    .attachmentCount = self->depth_only ? 0 : 2,
    .pAttachments = blends,
  };
  static const VkFormat formats[] = { COLOR, COLOR };
  const VkPipelineRenderingCreateInfo rendering = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
    .colorAttachmentCount = self->depth_only ? 0 : 2,
    .pColorAttachmentFormats = formats,
    .depthAttachmentFormat = DEPTH,
  };
  VtrAppTriangles triangles;

  vtr_app_check (vkCreatePipelineLayout (self->gpu.device, &layout_info, NULL, &self->layout),
                 "vkCreatePipelineLayout");
  vtr_app_triangles (&triangles, SIZE, self->samples);
  triangles.info.pNext = self->dynamic ? &rendering : NULL;
  triangles.info.pStages = stages;
  triangles.info.pDepthStencilState = &depth;
  triangles.info.pColorBlendState = &blend;
  triangles.info.layout = self->layout;
  triangles.info.renderPass = self->pass;
  for (uint32_t i = 0; i < (self->subpasses ? 3 : 1); i++)
    {
      triangles.info.subpass = i;
      blend.attachmentCount = i == 1 ? 1 : self->depth_only ? 0
                                                            : 2;
      triangles.info.stageCount = i == 1 ? 1 : 2; /* the second subpass draws nothing that shows */
      self->pipelines[i] = create_pipeline (self, &triangles.info);
    }
  vkDestroyShaderModule (self->gpu.device, stages[0].module, NULL);
  vkDestroyShaderModule (self->gpu.device, stages[1].module, NULL);
}

static void
draw_layer (const Layers    *self,
            VkCommandBuffer  commands,
            uint32_t         nth)
{
  vkCmdSetScissor (commands, 0, 1, &layers[nth].place);
  vkCmdPushConstants (commands, self->layout, VK_SHADER_STAGE_ALL_GRAPHICS, 0, sizeof (Push),
                      &layers[nth].push);
  vkCmdDraw (commands, 3, 1, 0, 0);
}

/* Layers [first, end) by the pipeline of @subpass. */
static void
draw_layers (const Layers    *self,
             VkCommandBuffer  commands,
             uint32_t         subpass,
             uint32_t         first,
             uint32_t         end)
{
  if (!self->early || subpass > 0)
    vkCmdBindPipeline (commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->pipelines[subpass]);
  for (uint32_t i = first; i < end; i++)
    draw_layer (self, commands, i);
}

/* A secondary command buffer with one layer. */
static VkCommandBuffer
record_secondary (Layers   *self,
                  uint32_t  nth)
{
  static const VkFormat formats[] = { COLOR, COLOR };
  const VkCommandBufferInheritanceRenderingInfo rendering = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_RENDERING_INFO,
    .colorAttachmentCount = self->depth_only ? 0 : 2,
    .pColorAttachmentFormats = formats,
    .depthAttachmentFormat = DEPTH,
    .rasterizationSamples = self->samples,
  };
  const VkCommandBufferInheritanceInfo inheritance = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO,
    .pNext = self->dynamic ? &rendering : NULL,
    .renderPass = self->pass,
    .framebuffer = self->framebuffer,
  };
  const VkCommandBufferBeginInfo begin = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
    .flags = VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT,
    .pInheritanceInfo = &inheritance,
  };
  VkCommandBuffer commands = vtr_app_commands (&self->gpu, VK_COMMAND_BUFFER_LEVEL_SECONDARY);

  vtr_app_check (vkBeginCommandBuffer (commands, &begin), "vkBeginCommandBuffer");
  draw_layers (self, commands, 0, nth, nth + 1);
  vtr_app_check (vkEndCommandBuffer (commands), "vkEndCommandBuffer");
  return commands;
}

static void
begin_rendering (Layers          *self,
                 VkCommandBuffer  commands)
{
  VkRenderingAttachmentInfo infos[3];
  const VkRenderingInfo info = {
    .sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
    .flags = self->secondary ? VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT : 0,
    .renderArea = { { 0, 0 }, { SIZE, SIZE } },
    .layerCount = 1,
    .colorAttachmentCount = self->depth_only ? 0 : 2,
    .pColorAttachments = infos,
    .pDepthAttachment = &infos[2],
  };

  for (uint32_t i = 0; i < 3; i++)
    vtr_app_transition (commands, &self->images[i], VK_IMAGE_LAYOUT_UNDEFINED,
                        VK_IMAGE_LAYOUT_GENERAL);
  for (uint32_t i = 0; i < 3; i++)
    infos[i] = (VkRenderingAttachmentInfo){
      .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
      .imageView = self->views[i],
      .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
      .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
      .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
      .clearValue = { .depthStencil = { 1, 0 } },
    };
  vkCmdBeginRendering (commands, &info);
}

static void
begin_pass (Layers          *self,
            VkCommandBuffer  commands)
{
  VkClearValue clears[N_VIEWS];
  const VkRenderPassBeginInfo info = {
    .sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
    .renderPass = self->pass,
    .framebuffer = self->framebuffer,
    .renderArea = { { 0, 0 }, { SIZE, SIZE } },
    .clearValueCount = N_VIEWS,
    .pClearValues = clears,
  };

  for (uint32_t i = 0; i < N_VIEWS; i++)
    clears[i] = (VkClearValue){ .depthStencil = { 1, 0 } };
  vkCmdBeginRenderPass (commands, &info,
                        self->secondary ? VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS
                                        : VK_SUBPASS_CONTENTS_INLINE);
}

static void
draw_inside (Layers          *self,
             VkCommandBuffer  commands,
             VkCommandBuffer *secondaries)
{
  if (self->secondary)
    {
      vkCmdExecuteCommands (commands, 2, secondaries);
      vkCmdExecuteCommands (commands, N_LAYERS - 2, secondaries + 2);
    }
  else if (self->subpasses)
    {
      draw_layers (self, commands, 0, 0, 2);
      vkCmdNextSubpass (commands, VK_SUBPASS_CONTENTS_INLINE);
      draw_layers (self, commands, 1, 0, 1);
      vkCmdNextSubpass (commands, VK_SUBPASS_CONTENTS_INLINE);
      draw_layers (self, commands, 2, 2, N_LAYERS);
    }
  else
    draw_layers (self, commands, 0, 0, N_LAYERS);
}

static void
record (Layers          *self,
        VkCommandBuffer  commands)
{
  VkCommandBuffer secondaries[N_LAYERS] = { NULL };

  /* Another order than that in which they run. */
  for (uint32_t i = N_LAYERS; self->secondary && i > 0; i--)
    secondaries[i - 1] = record_secondary (self, i - 1);
  vtr_app_begin (commands);
  if (self->early)
    vkCmdBindPipeline (commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->pipelines[0]);
  if (self->dynamic)
    begin_rendering (self, commands);
  else
    begin_pass (self, commands);
  draw_inside (self, commands, secondaries);
  if (self->dynamic)
    vkCmdEndRendering (commands);
  else
    vkCmdEndRenderPass (commands);
}

static void
check_options (const Layers *self)
{
  if (self->dynamic && self->subpasses)
    vtr_app_fail ("dynamic rendering has no subpasses");
  if (self->secondary && (self->subpasses || self->early))
    vtr_app_fail ("--secondary goes with neither --subpasses nor --early");
}

int
main (int    argc,
      char **argv)
{
  Layers self = { .n_samples = 1 };
  static const char *const extensions[] = { VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME,
                                            VK_EXT_GRAPHICS_PIPELINE_LIBRARY_EXTENSION_NAME,
                                            NULL };
  VkPhysicalDeviceGraphicsPipelineLibraryFeaturesEXT libraries = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GRAPHICS_PIPELINE_LIBRARY_FEATURES_EXT,
    .graphicsPipelineLibrary = VK_TRUE,
  };
  VkPhysicalDeviceVulkan13Features features13 = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
  };
  VkPhysicalDeviceFeatures2 features = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
    .pNext = &features13,
  };
  const VtrAppOption options[] = {
    { "--dynamic", NULL, NULL, &self.dynamic, "use dynamic rendering" },
    { "--secondary", NULL, NULL, &self.secondary, "in secondary command buffers" },
    { "--subpasses", NULL, NULL, &self.subpasses, "in three subpasses" },
    { "--depth-only", NULL, NULL, &self.depth_only, "no colour attachments" },
    { "--library", NULL, NULL, &self.library, "link pipelines from libraries" },
    { "--early", NULL, NULL, &self.early, "bind the pipeline before the pass" },
    { "--samples", &self.n_samples, NULL, NULL, "samples of each pixel" },
    { 0 },
  };
  VkCommandBuffer commands;

  vtr_app_options (argc, argv, options);
  check_options (&self);
  self.samples = (VkSampleCountFlagBits)self.n_samples;
  features13.dynamicRendering = self.dynamic;
  if (self.library)
    {
      features13.pNext = &libraries;
      self.gpu.extensions = extensions;
    }
  vtr_app_gpu_init (&self.gpu, &features, false);
  for (uint32_t i = 0; i < N_VIEWS; i++)
    create_view (&self, i, i < 2 ? COLOR : i == 2 ? DEPTH
                                                  : OTHER);
  if (!self.dynamic)
    create_pass (&self);
  create_pipelines (&self);
  commands = vtr_app_commands (&self.gpu, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
  record (&self, commands);
  vtr_app_run (&self.gpu, commands);
  return 0;
}
