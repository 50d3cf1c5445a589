/* vtr-app-random: creates graphics pipelines with any part of their state dynamic. */
#include "vtr-app-random.h"

#include "random_frag.h"
#include "random_frag_input.h"
#include "random_frag_set.h"
#include "random_frag_sint.h"
#include "random_frag_sint_input.h"
#include "random_frag_uint.h"
#include "random_frag_uint_input.h"
#include "random_vert.h"
#include "random_vert_address.h"
#include "random_vert_attributes.h"
#include "random_vert_core.h"
#include "random_vert_core_address.h"
#include "random_vert_core_attributes.h"
#include "random_vert_feedback.h"

#include <string.h>

#define DEPTH VTR_RANDOM_COLORS

static const VkDynamicState states[] = {
  VK_DYNAMIC_STATE_VIEWPORT,
  VK_DYNAMIC_STATE_SCISSOR,
  VK_DYNAMIC_STATE_BLEND_CONSTANTS,
  VK_DYNAMIC_STATE_STENCIL_COMPARE_MASK,
  VK_DYNAMIC_STATE_STENCIL_WRITE_MASK,
  VK_DYNAMIC_STATE_STENCIL_REFERENCE,
  VK_DYNAMIC_STATE_CULL_MODE,
  VK_DYNAMIC_STATE_FRONT_FACE,
  VK_DYNAMIC_STATE_PRIMITIVE_TOPOLOGY,
  VK_DYNAMIC_STATE_DEPTH_TEST_ENABLE,
  VK_DYNAMIC_STATE_DEPTH_WRITE_ENABLE,
  VK_DYNAMIC_STATE_DEPTH_COMPARE_OP,
  VK_DYNAMIC_STATE_STENCIL_TEST_ENABLE,
  VK_DYNAMIC_STATE_STENCIL_OP,
  VK_DYNAMIC_STATE_RASTERIZER_DISCARD_ENABLE,
  VK_DYNAMIC_STATE_PRIMITIVE_RESTART_ENABLE,
  VK_DYNAMIC_STATE_COLOR_BLEND_ENABLE_EXT,
  VK_DYNAMIC_STATE_COLOR_BLEND_EQUATION_EXT,
  VK_DYNAMIC_STATE_COLOR_WRITE_MASK_EXT,
  VK_DYNAMIC_STATE_POLYGON_MODE_EXT,
  VK_DYNAMIC_STATE_VERTEX_INPUT_EXT,
};
#define N_STATES (sizeof states / sizeof states[0])

static const VkPrimitiveTopology topologies[] = {
  VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
  VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
  VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
  VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN,
};

void
vtr_random_pipelines_init (VtrRandom *self)
{
  VtrAppGpu *gpu = &self->gpu;

#define VERTICES(plain, other) \
  (self->core ? vtr_app_shader (gpu, random_vert_##plain, sizeof random_vert_##plain) \
              : vtr_app_shader (gpu, random_vert##other, sizeof random_vert##other))
  self->vertices[0] = VERTICES (core, );
  self->vertices[1] = VERTICES (core_attributes, _attributes);
  self->vertices[2] = VERTICES (core_address, _address);
  if (!self->core)
    self->vertices[3] =
      vtr_app_shader (gpu, random_vert_feedback, sizeof random_vert_feedback);
#undef VERTICES
  self->fragments[0] = vtr_app_shader (gpu, random_frag, sizeof random_frag);
  self->fragments[1] = vtr_app_shader (gpu, random_frag_uint, sizeof random_frag_uint);
  self->fragments[2] = vtr_app_shader (gpu, random_frag_sint, sizeof random_frag_sint);
  self->fragments[3] = vtr_app_shader (gpu, random_frag_input, sizeof random_frag_input);
  self->fragments[4] =
    vtr_app_shader (gpu, random_frag_uint_input, sizeof random_frag_uint_input);
  self->fragments[5] =
    vtr_app_shader (gpu, random_frag_sint_input, sizeof random_frag_sint_input);
  self->fragments[6] = vtr_app_shader (gpu, random_frag_set, sizeof random_frag_set);
}

void
vtr_random_pipelines_finish (VtrRandom *self)
{
  for (uint32_t i = 0; i < 4; i++)
    vkDestroyShaderModule (self->gpu.device, self->vertices[i], NULL);
  for (uint32_t i = 0; i < 7; i++)
    vkDestroyShaderModule (self->gpu.device, self->fragments[i], NULL);
}

/* --- Values, for pipelines and for commands -------------------------------------------------- */

static VkStencilOpState
choose_stencil (VtrRandom *self)
{
  return (VkStencilOpState){
    .failOp = (VkStencilOp)vtr_random_below (self, 8),
    .passOp = (VkStencilOp)vtr_random_below (self, 8),
    .depthFailOp = (VkStencilOp)vtr_random_below (self, 8),
    .compareOp = (VkCompareOp)vtr_random_below (self, 8),
    .compareMask = vtr_random_below (self, 256),
    .writeMask = vtr_random_below (self, 256),
    .reference = vtr_random_below (self, 256),
  };
}

static VkCompareOp
choose_compare (VtrRandom *self)
{
  return vtr_random_chance (self, 40) ? VK_COMPARE_OP_ALWAYS
                                      : (VkCompareOp)vtr_random_below (self, 8);
}

static const VkBlendFactor factors[] = {
  VK_BLEND_FACTOR_ZERO,
  VK_BLEND_FACTOR_ONE,
  VK_BLEND_FACTOR_SRC_COLOR,
  VK_BLEND_FACTOR_ONE_MINUS_DST_COLOR,
  VK_BLEND_FACTOR_SRC_ALPHA,
  VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA,
  VK_BLEND_FACTOR_CONSTANT_COLOR,
  VK_BLEND_FACTOR_ONE_MINUS_CONSTANT_ALPHA,
};

static VkColorBlendEquationEXT
choose_equation (VtrRandom *self)
{
  return (VkColorBlendEquationEXT){
    VTR_RANDOM_PICK (self, factors), VTR_RANDOM_PICK (self, factors),
    (VkBlendOp)vtr_random_below (self, 3), VTR_RANDOM_PICK (self, factors),
    VTR_RANDOM_PICK (self, factors), (VkBlendOp)vtr_random_below (self, 3)
  };
}

static bool
can_blend (VtrRandom             *self,
           const VtrRandomTarget *target,
           uint32_t               nth)
{
  VkFormatProperties offered;

  vkGetPhysicalDeviceFormatProperties (self->gpu.physical, target->formats[nth], &offered);
  return (offered.optimalTilingFeatures & VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BLEND_BIT) != 0;
}

static VkColorComponentFlags
choose_mask (VtrRandom *self)
{
  return vtr_random_chance (self, 70) ? 15 : vtr_random_below (self, 16);
}

static VkViewport
choose_viewport (VtrRandom             *self,
                 const VtrRandomTarget *target)
{
  return (VkViewport){ 0, 0, (float)target->extent.width,
                       (float)target->extent.height * (0.5f + vtr_random_float (self) * 0.5f), 0,
                       1 };
}

static VkRect2D
choose_scissor (VtrRandom             *self,
                const VtrRandomTarget *target)
{
  VkRect2D scissor = { { 0, 0 }, target->extent };

  if (vtr_random_chance (self, 30))
    scissor.extent.width = vtr_random_between (self, 1, scissor.extent.width);
  return scissor;
}

/* --- Pipelines ------------------------------------------------------------------------------- */

static const VkVertexInputBindingDescription vertex_bindings[] = {
  { 0, 8, VK_VERTEX_INPUT_RATE_VERTEX },
  { 1, 4, VK_VERTEX_INPUT_RATE_INSTANCE },
};
static const VkVertexInputAttributeDescription vertex_attributes[] = {
  { 0, 0, VK_FORMAT_R8G8B8A8_UNORM, 4 },
  { 1, 1, VK_FORMAT_R8G8B8A8_UNORM, 0 },
};

typedef struct
{
  VkPipelineShaderStageCreateInfo stages[2];
  VkSpecializationInfo special;
  VkSpecializationMapEntry entries[2];
  uint32_t values[2];
  VkPipelineVertexInputStateCreateInfo input;
  VkPipelineInputAssemblyStateCreateInfo assembly;
  VkViewport viewport;
  VkRect2D scissor;
  VkPipelineViewportStateCreateInfo viewports;
  VkPipelineRasterizationStateCreateInfo raster;
  VkPipelineMultisampleStateCreateInfo samples;
  VkPipelineDepthStencilStateCreateInfo depth;
  VkPipelineColorBlendAttachmentState blends[DEPTH];
  VkPipelineColorBlendStateCreateInfo blend;
  VkDynamicState dynamic[N_STATES];
  VkPipelineDynamicStateCreateInfo dynamics;
  VkPipelineRenderingCreateInfo rendering;
  VkGraphicsPipelineCreateInfo create;
} Parts;

static void
choose_fixed (VtrRandom             *self,
              const VtrRandomTarget *target,
              Parts                 *parts)
{
  const VkImageAspectFlags aspects =
    target->images[DEPTH] != NULL ? target->images[DEPTH]->aspects : 0;
  const float scale = 0.5f + vtr_random_float (self) * 0.5f;

  parts->values[0] = vtr_random_between (self, 1, 9);
  memcpy (&parts->values[1], &scale, sizeof scale);
  parts->entries[0] = (VkSpecializationMapEntry){ 0, 0, 4 };
  parts->entries[1] = (VkSpecializationMapEntry){ 1, 4, 4 };
  parts->special = (VkSpecializationInfo){ 2, parts->entries, 8, parts->values };
  parts->viewport = choose_viewport (self, target);
  parts->scissor = choose_scissor (self, target);
  parts->viewports = (VkPipelineViewportStateCreateInfo){
    .sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
    .viewportCount = 1,
    .pViewports = &parts->viewport,
    .scissorCount = 1,
    .pScissors = &parts->scissor,
  };
  parts->raster = (VkPipelineRasterizationStateCreateInfo){
    .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO,
    .polygonMode = vtr_random_chance (self, 85) ? VK_POLYGON_MODE_FILL : VK_POLYGON_MODE_LINE,
    .cullMode = vtr_random_chance (self, 80) ? 0 : VK_CULL_MODE_BACK_BIT,
    .frontFace = (VkFrontFace)vtr_random_below (self, 2),
    .depthBiasEnable = vtr_random_chance (self, 20),
    .depthBiasConstantFactor = 0.25f,
    .lineWidth = 1,
  };
  parts->samples = (VkPipelineMultisampleStateCreateInfo){
    .sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
    .rasterizationSamples = target->samples,
  };
  parts->depth = (VkPipelineDepthStencilStateCreateInfo){
    .sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO,
    .depthTestEnable =
      (aspects & VK_IMAGE_ASPECT_DEPTH_BIT) != 0 && vtr_random_chance (self, 80),
    .depthWriteEnable = vtr_random_chance (self, 80),
    .depthCompareOp = choose_compare (self),
    .stencilTestEnable =
      (aspects & VK_IMAGE_ASPECT_STENCIL_BIT) != 0 && vtr_random_chance (self, 80),
    .front = choose_stencil (self),
    .back = choose_stencil (self),
  };
}

static void
choose_blend (VtrRandom             *self,
              const VtrRandomTarget *target,
              Parts                 *parts)
{
  for (uint32_t i = 0; i < target->n_colors; i++)
    {
      const VkColorBlendEquationEXT equation = choose_equation (self);

      parts->blends[i] = (VkPipelineColorBlendAttachmentState){
        vtr_random_chance (self, 40) && can_blend (self, target, i),
        equation.srcColorBlendFactor, equation.dstColorBlendFactor, equation.colorBlendOp,
        equation.srcAlphaBlendFactor, equation.dstAlphaBlendFactor, equation.alphaBlendOp,
        choose_mask (self)
      };
    }
  parts->blend = (VkPipelineColorBlendStateCreateInfo){
    .sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
    .attachmentCount = target->n_colors,
    .pAttachments = parts->blends,
    .blendConstants = { 0.25f, 0.5f, 0.75f, 1 },
  };
}

static void
choose_stages (VtrRandom             *self,
               const VtrRandomTarget *target,
               VtrRandomPipeline     *pipeline,
               Parts                 *parts)
{
  const uint32_t vertex = vtr_random_below (self, self->core ? 3 : 4);
  uint32_t fragment = (uint32_t)target->class;

  pipeline->attributes = vertex == 1;
  pipeline->address = vertex == 2;
  pipeline->feedback = vertex == 3;
  pipeline->input = target->inputs && pipeline->subpass == 1;
  if (pipeline->input)
    {
      fragment += 3;
    }
  else if (target->class == VTR_RANDOM_FLOAT && vtr_random_chance (self, 60))
    {
      pipeline->kind = &self->kinds[vtr_random_below (self, 5)];
      fragment = 6;
    }
  parts->stages[0] = (VkPipelineShaderStageCreateInfo){
    .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
    .stage = VK_SHADER_STAGE_VERTEX_BIT,
    .module = self->vertices[vertex],
    .pName = "main",
    .pSpecializationInfo = &parts->special,
  };
  parts->stages[1] = (VkPipelineShaderStageCreateInfo){
    .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
    .stage = VK_SHADER_STAGE_FRAGMENT_BIT,
    .module = self->fragments[fragment],
    .pName = "main",
  };
  parts->input = (VkPipelineVertexInputStateCreateInfo){
    .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO,
    .vertexBindingDescriptionCount = vertex == 1 ? 2 : 0,
    .pVertexBindingDescriptions = vertex_bindings,
    .vertexAttributeDescriptionCount = vertex == 1 ? 2 : 0,
    .pVertexAttributeDescriptions = vertex_attributes,
  };
  parts->assembly = (VkPipelineInputAssemblyStateCreateInfo){
    .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
    .topology = pipeline->topology,
    .primitiveRestartEnable = pipeline->topology != VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST &&
                              vtr_random_chance (self, 30),
  };
}

static bool
is_extension (VkDynamicState state)
{
  return state == VK_DYNAMIC_STATE_VERTEX_INPUT_EXT ||
         state > VK_DYNAMIC_STATE_PRIMITIVE_RESTART_ENABLE;
}

static void
choose_dynamic (VtrRandom         *self,
                VtrRandomPipeline *pipeline,
                Parts             *parts)
{
  const uint32_t percent =
    vtr_random_may (self, 70, "dynamic") ? vtr_random_between (self, 10, 90) : 0;
  uint32_t n = 0;

  for (uint32_t i = 0; i < N_STATES; i++)
    if (vtr_random_chance (self, percent) &&
        (states[i] != VK_DYNAMIC_STATE_VERTEX_INPUT_EXT || pipeline->attributes) &&
        !(self->core && is_extension (states[i])))
      {
        pipeline->dynamic |= UINT64_C (1) << i;
        parts->dynamic[n++] = states[i];
      }
  parts->dynamics = (VkPipelineDynamicStateCreateInfo){
    .sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO,
    .dynamicStateCount = n,
    .pDynamicStates = parts->dynamic,
  };
}

static VkPipeline
create (VtrRandom                          *self,
        const VkGraphicsPipelineCreateInfo *info)
{
  VkPipeline pipeline;

  vtr_app_check (vkCreateGraphicsPipelines (self->gpu.device,
                                            vtr_random_chance (self, 50) ? self->cache
                                                                         : VK_NULL_HANDLE,
                                            1, info, NULL, &pipeline),
                 "vkCreateGraphicsPipelines");
  return pipeline;
}

/* In two parts that are linked. */
static VkPipeline
create_linked (VtrRandom   *self,
               const Parts *parts,
               VkPipeline   libraries[2])
{
  const VkGraphicsPipelineLibraryFlagsEXT split[] = {
    VK_GRAPHICS_PIPELINE_LIBRARY_VERTEX_INPUT_INTERFACE_BIT_EXT |
      VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT,
    VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT |
      VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT,
  };
  VkPipeline linked;
  const VkPipelineLibraryCreateInfoKHR link = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR,
    .libraryCount = 2,
    .pLibraries = libraries,
  };
  const VkGraphicsPipelineCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
    .pNext = &link,
    .pDepthStencilState = &parts->depth,
    .pColorBlendState = &parts->blend,
    .layout = parts->create.layout,
    .basePipelineIndex = -1,
  };

  for (uint32_t i = 0; i < 2; i++)
    {
      const VkGraphicsPipelineLibraryCreateInfoEXT library = {
        .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT,
        /* Formats are no matter of the first. */
        .pNext = i == 1 ? (void *)(uintptr_t)parts->create.pNext : NULL,
        .flags = split[i],
      };
      VkGraphicsPipelineCreateInfo part = parts->create;

      part.pNext = &library;
      part.flags = VK_PIPELINE_CREATE_LIBRARY_BIT_KHR;
      part.stageCount = 1;
      part.pStages = &parts->stages[i];
      libraries[i] = create (self, &part);
    }
  linked = create (self, &info);
  return linked;
}

static void
make_pipeline (VtrRandom         *self,
               VtrRandomTarget   *target,
               VtrRandomPipeline *pipeline,
               uint32_t           subpass)
{
  Parts parts = { 0 };

  memset (pipeline, 0, sizeof *pipeline);
  pipeline->subpass = subpass;
  pipeline->topology = VTR_RANDOM_PICK (self, topologies);
  choose_fixed (self, target, &parts);
  choose_blend (self, target, &parts);
  choose_stages (self, target, pipeline, &parts);
  choose_dynamic (self, pipeline, &parts);
  if (pipeline->input)
    parts.blends[0].blendEnable = VK_FALSE;
  parts.rendering = (VkPipelineRenderingCreateInfo){
    .sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
    .colorAttachmentCount = target->n_colors,
    .pColorAttachmentFormats = target->formats,
  };
  if (target->images[DEPTH] != NULL)
    {
      if ((target->images[DEPTH]->aspects & VK_IMAGE_ASPECT_DEPTH_BIT) != 0)
        parts.rendering.depthAttachmentFormat = target->formats[DEPTH];
      if ((target->images[DEPTH]->aspects & VK_IMAGE_ASPECT_STENCIL_BIT) != 0)
        parts.rendering.stencilAttachmentFormat = target->formats[DEPTH];
    }
  parts.create = (VkGraphicsPipelineCreateInfo){
    .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
    .pNext = target->pass == VK_NULL_HANDLE ? &parts.rendering : NULL,
    .stageCount = 2,
    .pStages = parts.stages,
    .pVertexInputState = &parts.input,
    .pInputAssemblyState = &parts.assembly,
    .pViewportState = &parts.viewports,
    .pRasterizationState = &parts.raster,
    .pMultisampleState = &parts.samples,
    .pDepthStencilState = &parts.depth,
    .pColorBlendState = &parts.blend,
    .pDynamicState = &parts.dynamics,
    .layout = pipeline->input          ? target->input_layout
              : pipeline->kind != NULL ? pipeline->kind->layout
                                       : self->plain,
    .renderPass = target->pass,
    .subpass = subpass,
    .basePipelineIndex = -1,
  };
  if (target->pass == VK_NULL_HANDLE && !self->core && vtr_random_may (self, 30, "libraries"))
    pipeline->pipeline = create_linked (self, &parts, pipeline->libraries);
  else
    pipeline->pipeline = create (self, &parts.create);
}

VtrRandomPipeline *
vtr_random_pipeline (VtrRandom       *self,
                     VtrRandomTarget *target,
                     uint32_t         subpass)
{
  const uint32_t first = vtr_random_below (self, VTR_RANDOM_PIPELINES);
  VtrRandomPipeline *free_place = NULL, *found = NULL;

  for (uint32_t i = 0; i < VTR_RANDOM_PIPELINES; i++)
    {
      VtrRandomPipeline *at = &target->pipelines[(first + i) % VTR_RANDOM_PIPELINES];

      if (at->pipeline == VK_NULL_HANDLE)
        free_place = at;
      else if (at->subpass == subpass)
        found = at;
    }
  if (self->beside || free_place == NULL || (found != NULL && vtr_random_chance (self, 50)))
    return found;
  make_pipeline (self, target, free_place, subpass);
  return free_place;
}

/* --- Dynamic state --------------------------------------------------------------------------- */

static void
set_vertex_input (VtrRandom *self)
{
  const VkVertexInputBindingDescription2EXT bindings[] = {
    { VK_STRUCTURE_TYPE_VERTEX_INPUT_BINDING_DESCRIPTION_2_EXT, NULL, 0, 8,
      VK_VERTEX_INPUT_RATE_VERTEX, 1 },
    { VK_STRUCTURE_TYPE_VERTEX_INPUT_BINDING_DESCRIPTION_2_EXT, NULL, 1, 4,
      VK_VERTEX_INPUT_RATE_INSTANCE, 1 },
  };
  const VkVertexInputAttributeDescription2EXT attributes[] = {
    { VK_STRUCTURE_TYPE_VERTEX_INPUT_ATTRIBUTE_DESCRIPTION_2_EXT, NULL, 0, 0,
      VK_FORMAT_R8G8B8A8_UNORM, 0 },
    { VK_STRUCTURE_TYPE_VERTEX_INPUT_ATTRIBUTE_DESCRIPTION_2_EXT, NULL, 1, 1,
      VK_FORMAT_R8G8B8A8_UNORM, 0 },
  };

  self->vkCmdSetVertexInputEXT (self->commands, 2, bindings, 2, attributes);
}

static void
set_blending (VtrRandom             *self,
              const VtrRandomTarget *target,
              VkDynamicState         state)
{
  const VkCommandBuffer commands = self->commands;
  VkColorBlendEquationEXT equations[DEPTH];
  VkColorComponentFlags masks[DEPTH];
  VkBool32 enables[DEPTH];

  for (uint32_t i = 0; i < target->n_colors; i++)
    {
      equations[i] = choose_equation (self);
      masks[i] = choose_mask (self);
      enables[i] = vtr_random_chance (self, 40) && can_blend (self, target, i);
    }
  if (state == VK_DYNAMIC_STATE_COLOR_BLEND_ENABLE_EXT)
    self->vkCmdSetColorBlendEnableEXT (commands, 0, target->n_colors, enables);
  else if (state == VK_DYNAMIC_STATE_COLOR_BLEND_EQUATION_EXT)
    self->vkCmdSetColorBlendEquationEXT (commands, 0, target->n_colors, equations);
  else
    self->vkCmdSetColorWriteMaskEXT (commands, 0, target->n_colors, masks);
}

static void
set_stencil (VtrRandom      *self,
             VkDynamicState  state)
{
  const VkStencilOpState value = choose_stencil (self);
  const VkStencilFaceFlags both = VK_STENCIL_FACE_FRONT_AND_BACK;

  if (state == VK_DYNAMIC_STATE_STENCIL_COMPARE_MASK)
    vkCmdSetStencilCompareMask (self->commands, both, value.compareMask);
  else if (state == VK_DYNAMIC_STATE_STENCIL_WRITE_MASK)
    vkCmdSetStencilWriteMask (self->commands, both, value.writeMask);
  else if (state == VK_DYNAMIC_STATE_STENCIL_REFERENCE)
    vkCmdSetStencilReference (self->commands, both, value.reference);
  else
    vkCmdSetStencilOp (self->commands, both, value.failOp, value.passOp, value.depthFailOp,
                       value.compareOp);
}

static void
set_state (VtrRandom               *self,
           const VtrRandomTarget   *target,
           const VtrRandomPipeline *pipeline,
           VkDynamicState           state)
{
  const VkImageAspectFlags aspects =
    target->images[DEPTH] != NULL ? target->images[DEPTH]->aspects : 0;
  const VkCommandBuffer commands = self->commands;
  const VkViewport viewport = choose_viewport (self, target);
  const VkRect2D scissor = choose_scissor (self, target);
  const float constants[] = { 0.5f, 0.25f, vtr_random_float (self), 1 };

  switch ((int)state)
    {
    case VK_DYNAMIC_STATE_VIEWPORT:
      vkCmdSetViewport (commands, 0, 1, &viewport);
      break;
    case VK_DYNAMIC_STATE_SCISSOR:
      vkCmdSetScissor (commands, 0, 1, &scissor);
      break;
    case VK_DYNAMIC_STATE_BLEND_CONSTANTS:
      vkCmdSetBlendConstants (commands, constants);
      break;
    case VK_DYNAMIC_STATE_STENCIL_COMPARE_MASK:
    case VK_DYNAMIC_STATE_STENCIL_WRITE_MASK:
    case VK_DYNAMIC_STATE_STENCIL_REFERENCE:
    case VK_DYNAMIC_STATE_STENCIL_OP:
      set_stencil (self, state);
      break;
    case VK_DYNAMIC_STATE_CULL_MODE:
      vkCmdSetCullMode (commands, vtr_random_chance (self, 70) ? 0 : VK_CULL_MODE_FRONT_BIT);
      break;
    case VK_DYNAMIC_STATE_FRONT_FACE:
      vkCmdSetFrontFace (commands, (VkFrontFace)vtr_random_below (self, 2));
      break;
    case VK_DYNAMIC_STATE_PRIMITIVE_TOPOLOGY:
      vkCmdSetPrimitiveTopology (commands, pipeline->topology);
      break;
    case VK_DYNAMIC_STATE_DEPTH_TEST_ENABLE:
      vkCmdSetDepthTestEnable (commands, (aspects & VK_IMAGE_ASPECT_DEPTH_BIT) != 0 &&
                                           vtr_random_chance (self, 70));
      break;
    case VK_DYNAMIC_STATE_DEPTH_WRITE_ENABLE:
      vkCmdSetDepthWriteEnable (commands, vtr_random_chance (self, 70));
      break;
    case VK_DYNAMIC_STATE_DEPTH_COMPARE_OP:
      vkCmdSetDepthCompareOp (commands, choose_compare (self));
      break;
    case VK_DYNAMIC_STATE_STENCIL_TEST_ENABLE:
      vkCmdSetStencilTestEnable (commands, (aspects & VK_IMAGE_ASPECT_STENCIL_BIT) != 0 &&
                                             vtr_random_chance (self, 70));
      break;
    case VK_DYNAMIC_STATE_RASTERIZER_DISCARD_ENABLE:
      vkCmdSetRasterizerDiscardEnable (commands, vtr_random_chance (self, 15));
      break;
    case VK_DYNAMIC_STATE_PRIMITIVE_RESTART_ENABLE:
      vkCmdSetPrimitiveRestartEnable (commands,
                                      pipeline->topology != VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST &&
                                        vtr_random_chance (self, 30));
      break;
    case VK_DYNAMIC_STATE_POLYGON_MODE_EXT:
      self->vkCmdSetPolygonModeEXT (commands, (VkPolygonMode)vtr_random_below (self, 2));
      break;
    case VK_DYNAMIC_STATE_VERTEX_INPUT_EXT:
      set_vertex_input (self);
      break;
    default:
      set_blending (self, target, state);
      break;
    }
}

void
vtr_random_set_states (VtrRandom               *self,
                       const VtrRandomTarget   *target,
                       const VtrRandomPipeline *pipeline)
{
  for (uint32_t i = 0; i < N_STATES; i++)
    if ((pipeline->dynamic & (UINT64_C (1) << i)) != 0)
      set_state (self, target, pipeline, states[i]);
}
