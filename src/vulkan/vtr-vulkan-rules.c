/* Implements the rules of the specification that need more than one structure. Each belongs to an
 * entry of src/vulkan/gen/overlay_vk.py, which says where it applies. */
#include "vulkan/vtr-vulkan-rules.h"

#include "api/vtr-api-args.h"
#include "vulkan/vtr-vulkan-facts.h"

typedef VtrProgramResult Answer;

static const Answer unknown = { 0, false };

static Answer
answer (int64_t value)
{
  return (Answer){ value, true };
}

static Answer
from_tristate (VtrTristate value)
{
  return value == VTR_UNKNOWN ? unknown : answer (value == VTR_YES);
}

static const void *
enclosing (const VtrScope *scope,
           VtrStructId     id)
{
  for (; scope != NULL; scope = scope->parent)
    if (scope->struct_id == id)
      return scope->base;
  return NULL;
}

/* The walk's data about Vulkan's objects; NULL: none. */
static const VtrVulkanEnv *
env_of (const VtrApiWalk *walk)
{
  return walk->env == NULL ? NULL : walk->env->state;
}

/* --- Graphics pipelines ---------------------------------------------------------------------- */

static bool
has_dynamic (const VkGraphicsPipelineCreateInfo *pipeline,
             VkDynamicState                      state)
{
  const VkPipelineDynamicStateCreateInfo *dynamic = pipeline->pDynamicState;

  if (dynamic == NULL || dynamic->pDynamicStates == NULL)
    return false;
  for (uint32_t i = 0; i < dynamic->dynamicStateCount; i++)
    if (dynamic->pDynamicStates[i] == state)
      return true;
  return false;
}

/* Parts of the pipeline that this create info is to define. */
static VkGraphicsPipelineLibraryFlagsEXT
subsets (const VkGraphicsPipelineCreateInfo *pipeline)
{
  const VkGraphicsPipelineLibraryCreateInfoEXT *parts;
  const VkPipelineLibraryCreateInfoKHR *libraries;

  parts = vtr_api_find_next (pipeline->pNext,
                             VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT);
  if (parts != NULL)
    return parts->flags;
  libraries = vtr_api_find_next (pipeline->pNext,
                                 VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR);
  if ((vtr_pipeline_get_flags (pipeline->pNext, pipeline->flags) &
       VK_PIPELINE_CREATE_LIBRARY_BIT_KHR) != 0 ||
      (libraries != NULL && libraries->libraryCount > 0))
    return 0;
  return ~0u;
}

/* For pipelines of every kind, whose structures begin alike. */
static Answer
has_pipeline_flag (const VtrScope *scope,
                   int64_t         flag)
{
  const VkComputePipelineCreateInfo *pipeline = (const void *)scope->base;

  return answer (
    (vtr_pipeline_get_flags (pipeline->pNext, pipeline->flags) & (uint64_t)flag) != 0);
}

static Answer
has_subset (const VtrScope *scope,
            int64_t         part)
{
  const VkGraphicsPipelineCreateInfo *pipeline =
    enclosing (scope, VTR_STRUCT_VkGraphicsPipelineCreateInfo);

  return pipeline == NULL ? unknown : answer ((subsets (pipeline) & (uint32_t)part) != 0);
}

static Answer
any_stage (const VkPipelineShaderStageCreateInfo *stages,
           uint32_t                               n_stages,
           int64_t                                mask)
{
  for (uint32_t i = 0; stages != NULL && i < n_stages; i++)
    if ((stages[i].stage & (uint32_t)mask) != 0)
      return answer (1);
  return answer (0);
}

static Answer
has_stage (const VtrScope *scope,
           int64_t         mask)
{
  const VkGraphicsShaderGroupCreateInfoNV *group =
    enclosing (scope, VTR_STRUCT_VkGraphicsShaderGroupCreateInfoNV);
  const VkGraphicsPipelineCreateInfo *pipeline =
    enclosing (scope, VTR_STRUCT_VkGraphicsPipelineCreateInfo);

  if (group != NULL)
    return any_stage (group->pStages, group->stageCount, mask);
  if (pipeline == NULL)
    return unknown;
  if ((subsets (pipeline) & (VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT |
                             VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT)) == 0)
    return answer (0);
  return any_stage (pipeline->pStages, pipeline->stageCount, mask);
}

static Answer
is_dynamic (const VtrScope *scope,
            int64_t         state)
{
  const VkGraphicsPipelineCreateInfo *pipeline =
    enclosing (scope, VTR_STRUCT_VkGraphicsPipelineCreateInfo);

  return pipeline == NULL ? unknown : answer (has_dynamic (pipeline, (VkDynamicState)state));
}

static Answer
rasterizes (const VtrScope *scope)
{
  const VkGraphicsPipelineCreateInfo *pipeline =
    enclosing (scope, VTR_STRUCT_VkGraphicsPipelineCreateInfo);

  if (pipeline == NULL)
    return unknown;
  if ((subsets (pipeline) & VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT) == 0)
    return answer (1);
  if (has_dynamic (pipeline, VK_DYNAMIC_STATE_RASTERIZER_DISCARD_ENABLE))
    return answer (1);
  if (pipeline->pRasterizationState == NULL)
    return unknown;
  return answer (!pipeline->pRasterizationState->rasterizerDiscardEnable);
}

static Answer
rendering_has (const VkGraphicsPipelineCreateInfo *pipeline,
               bool                                color)
{
  const VkPipelineRenderingCreateInfo *formats =
    vtr_api_find_next (pipeline->pNext, VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO);

  /* A fragment library made for dynamic rendering does not know its attachments yet. */
  if ((subsets (pipeline) & VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT) == 0)
    return answer (1);
  if (formats == NULL)
    return answer (0);
  if (color)
    return answer (formats->colorAttachmentCount > 0);
  return answer (formats->depthAttachmentFormat != VK_FORMAT_UNDEFINED ||
                 formats->stencilAttachmentFormat != VK_FORMAT_UNDEFINED);
}

static Answer
has_attachment (const VtrApiWalk *walk,
                bool              color)
{
  const VtrVulkanEnv *env = env_of (walk);
  const VkGraphicsPipelineCreateInfo *pipeline =
    enclosing (walk->scope, VTR_STRUCT_VkGraphicsPipelineCreateInfo);
  VtrTristate (*ask) (void *, VkRenderPass, uint32_t);

  if (pipeline == NULL)
    return unknown;
  if (pipeline->renderPass == VK_NULL_HANDLE)
    return rendering_has (pipeline, color);
  if (env == NULL)
    return unknown;
  ask = color ? env->subpass_has_color : env->subpass_has_depth_stencil;
  if (ask == NULL)
    return unknown;
  return from_tristate (ask (walk->env->data, pipeline->renderPass, pipeline->subpass));
}

/* Whether a pipeline takes something from libraries. */
static Answer
links (const VtrScope *scope)
{
  const VkGraphicsPipelineCreateInfo *pipeline =
    enclosing (scope, VTR_STRUCT_VkGraphicsPipelineCreateInfo);
  const VkPipelineLibraryCreateInfoKHR *libraries;

  if (pipeline == NULL)
    return unknown;
  libraries = vtr_api_find_next (pipeline->pNext,
                                 VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR);
  return answer (libraries != NULL && libraries->libraryCount > 0);
}

/* Whether formats of attachments in a pipeline's or secondary's chain mean anything: with a render
 * pass they are its own. Where they are parameters of a call, they do. */
static Answer
dynamic_rendering (const VtrScope *scope)
{
  const VkGraphicsPipelineCreateInfo *pipeline =
    enclosing (scope, VTR_STRUCT_VkGraphicsPipelineCreateInfo);
  const VkCommandBufferInheritanceInfo *inheritance =
    enclosing (scope, VTR_STRUCT_VkCommandBufferInheritanceInfo);
  const VkCommandBufferBeginInfo *begin =
    enclosing (scope, VTR_STRUCT_VkCommandBufferBeginInfo);

  if (pipeline != NULL)
    return answer ((subsets (pipeline) &
                    VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT) != 0 &&
                   pipeline->renderPass == VK_NULL_HANDLE);
  if (inheritance == NULL)
    return answer (1);
  if (begin == NULL)
    return unknown;
  return answer ((begin->flags & VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT) != 0 &&
                 inheritance->renderPass == VK_NULL_HANDLE);
}

/* --- Descriptors ----------------------------------------------------------------------------- */

/* The descriptor type that says how the image info in @scope is used. */
static Answer
image_info_type (const VtrScope *scope)
{
  const VkWriteDescriptorSet *write = enclosing (scope, VTR_STRUCT_VkWriteDescriptorSet);
  const VkDescriptorGetInfoEXT *get = enclosing (scope, VTR_STRUCT_VkDescriptorGetInfoEXT);

  if (write != NULL)
    return answer (write->descriptorType);
  if (get != NULL)
    return answer (get->type);
  return unknown;
}

static Answer
image_info_uses (const VtrScope *scope,
                 bool            sampler)
{
  Answer type = image_info_type (scope);

  if (!type.known)
    return unknown;
  if (sampler)
    return answer (type.value == VK_DESCRIPTOR_TYPE_SAMPLER ||
                   type.value == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER);
  return answer (type.value != VK_DESCRIPTOR_TYPE_SAMPLER);
}

static size_t
descriptor_size (VkDescriptorType type)
{
  switch (type)
    {
    case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER:
    case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER:
    case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC:
    case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC:
      return sizeof (VkDescriptorBufferInfo);
    case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
    case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER:
      return sizeof (VkBufferView);
    case VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR:
    case VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_NV:
      return sizeof (VkAccelerationStructureKHR);
    default:
      return sizeof (VkDescriptorImageInfo);
    }
}

/* Bytes from the start of the data to the end of the last descriptor in it. */
static Answer
template_extent (const VtrUpdateTemplate *shape)
{
  size_t extent = 0;

  for (uint32_t i = 0; i < shape->n_entries; i++)
    {
      const VkDescriptorUpdateTemplateEntry *entry = &shape->entries[i];
      bool is_block = entry->descriptorType == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK;
      size_t size = is_block ? entry->descriptorCount : descriptor_size (entry->descriptorType);
      size_t end;

      if (entry->descriptorCount == 0)
        continue;
      if (!is_block &&
          (__builtin_mul_overflow (entry->stride, (size_t)entry->descriptorCount - 1, &end) ||
           __builtin_add_overflow (size, end, &size)))
        return unknown;
      if (__builtin_add_overflow (entry->offset, size, &end) || end > INT64_MAX)
        return unknown;
      if (end > extent)
        extent = end;
    }
  return answer ((int64_t)extent);
}

static Answer
template_size (const VtrApiWalk *walk)
{
  VtrUpdateTemplate shape;

  return vtr_vulkan_template_of_call (walk, &shape) ? template_extent (&shape) : unknown;
}

static Answer
capture_data_size (const VtrApiWalk *walk)
{
  static const struct
  {
    uint16_t cmd;
    VkObjectType type;
  } kinds[] = {
    { VTR_CMD_vkCreateBuffer, VK_OBJECT_TYPE_BUFFER },
    { VTR_CMD_vkCreateImage, VK_OBJECT_TYPE_IMAGE },
    { VTR_CMD_vkCreateImageView, VK_OBJECT_TYPE_IMAGE_VIEW },
    { VTR_CMD_vkCreateSampler, VK_OBJECT_TYPE_SAMPLER },
    { VTR_CMD_vkCreateAccelerationStructureKHR, VK_OBJECT_TYPE_ACCELERATION_STRUCTURE_KHR },
    { VTR_CMD_vkCreateAccelerationStructureNV, VK_OBJECT_TYPE_ACCELERATION_STRUCTURE_KHR },
    { VTR_CMD_vkGetBufferOpaqueCaptureDescriptorDataEXT, VK_OBJECT_TYPE_BUFFER },
    { VTR_CMD_vkGetImageOpaqueCaptureDescriptorDataEXT, VK_OBJECT_TYPE_IMAGE },
    { VTR_CMD_vkGetImageViewOpaqueCaptureDescriptorDataEXT, VK_OBJECT_TYPE_IMAGE_VIEW },
    { VTR_CMD_vkGetSamplerOpaqueCaptureDescriptorDataEXT, VK_OBJECT_TYPE_SAMPLER },
    { VTR_CMD_vkGetAccelerationStructureOpaqueCaptureDescriptorDataEXT,
      VK_OBJECT_TYPE_ACCELERATION_STRUCTURE_KHR },
  };
  const VtrScope *root = vtr_scope_root (walk->scope);
  const VtrVulkanEnv *env = env_of (walk);

  if (env == NULL || env->capture_data_size == NULL)
    return unknown;
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
    if (kinds[i].cmd == root->cmd)
      {
        size_t size = env->capture_data_size (walk->env->data, kinds[i].type);

        return size == 0 ? unknown : answer ((int64_t)size);
      }
  return unknown;
}

static Answer
host_copy_size (const VtrApiWalk *walk)
{
#ifdef VK_EXT_host_image_copy
  const void *info = enclosing (walk->scope, VTR_STRUCT_VkCopyMemoryToImageInfoEXT);
  const void *region = enclosing (walk->scope, VTR_STRUCT_VkMemoryToImageCopyEXT);
  const VtrVulkanEnv *env = env_of (walk);
  size_t size = info != NULL && region != NULL && env != NULL && env->host_copy_size != NULL
                  ? env->host_copy_size (walk->env->data, info, region)
                  : 0;

  return size == 0 ? unknown : answer ((int64_t)size);
#else
  (void)walk;
  return unknown;
#endif
}

static Answer
is_secondary (const VtrApiWalk *walk)
{
  const VtrScope *root = vtr_scope_root (walk->scope);
  const VtrArgs_vkBeginCommandBuffer *args = (const void *)root->base;
  const VtrVulkanEnv *env = env_of (walk);

  if (env == NULL || env->is_secondary == NULL || root->cmd != VTR_CMD_vkBeginCommandBuffer)
    return unknown;
  return from_tristate (env->is_secondary (walk->env->data, args->commandBuffer));
}

static Answer
answer_question (const VtrApiWalk *walk,
                 unsigned          question,
                 int64_t           operand)
{
  const VtrScope *scope = walk->scope;
  const VtrCmdId cmd = vtr_scope_root (scope)->cmd;

  switch ((VtrVulkanQuestion)question)
    {
    case VTR_VULKAN_ASK_DYNAMIC:
      return is_dynamic (scope, operand);
    case VTR_VULKAN_ASK_STAGE:
      return has_stage (scope, operand);
    case VTR_VULKAN_ASK_SUBSET:
      return has_subset (scope, operand);
    case VTR_VULKAN_ASK_RASTERIZES:
      return rasterizes (scope);
    case VTR_VULKAN_ASK_HAS_COLOR:
      return has_attachment (walk, true);
    case VTR_VULKAN_ASK_HAS_DEPTH_STENCIL:
      return has_attachment (walk, false);
    case VTR_VULKAN_ASK_IS_SECONDARY:
      return is_secondary (walk);
    case VTR_VULKAN_ASK_TEMPLATE_SIZE:
      return template_size (walk);
    case VTR_VULKAN_ASK_CAPTURE_DATA_SIZE:
      return capture_data_size (walk);
    case VTR_VULKAN_ASK_IS_PUSH:
      /* Recorded writes are pushed; all others go to a set. */
      return answer (cmd != VTR_CMD_NONE && vtr_cmd_is (cmd, VTR_CLASS_RECORD));
    case VTR_VULKAN_ASK_IMAGE_INFO_SAMPLER:
      return image_info_uses (scope, true);
    case VTR_VULKAN_ASK_IMAGE_INFO_VIEW:
      return image_info_uses (scope, false);
    case VTR_VULKAN_ASK_DYNAMIC_RENDERING:
      return dynamic_rendering (scope);
    case VTR_VULKAN_ASK_LINKS:
      return links (scope);
    case VTR_VULKAN_ASK_ASKS_SIZES:
      return answer (cmd == VTR_CMD_vkGetAccelerationStructureBuildSizesKHR ||
                     cmd == VTR_CMD_vkGetMicromapBuildSizesEXT);
    case VTR_VULKAN_ASK_PIPELINE_FLAG:
      return has_pipeline_flag (scope, operand);
    case VTR_VULKAN_ASK_HOST_COPY_SIZE:
      return host_copy_size (walk);
    }
  return unknown;
}

bool
vtr_vulkan_answer (const VtrApiWalk *walk,
                   unsigned          question,
                   int64_t           operand,
                   int64_t          *out)
{
  Answer found = answer_question (walk, question, operand);

  if (found.known)
    *out = found.value;
  return found.known;
}
