/* Compares the limits of this device with what the calls of a trace need. The registry knows what
 * each limit bounds (vtr-device-tables.h). */
#include "vtr-config.h"

#include "base/vtr-number.h"
#include "engine/vulkan/compatibility/vtr-compatibility-private.h"
#include "engine/vulkan/state/vtr-newer-form.h"
#include "engine/vulkan/compatibility/vtr-device-tables.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "vtr-api-args.h"

/* --- One limit ------------------------------------------------------------------------------- */

static gboolean
is_within (const VtrLimit *limit,
           double          have,
           double          needed)
{
  if ((limit->flags & (VTR_LIMIT_BITMASK | VTR_LIMIT_BITS)) != 0)
    return ((guint64)needed & ~(guint64)have) == 0;
  if ((limit->flags & VTR_LIMIT_MAX) != 0)
    return needed <= have;
  if ((limit->flags & VTR_LIMIT_MIN) == 0)
    return TRUE;
  if ((limit->flags & (VTR_LIMIT_MUL | VTR_LIMIT_POT)) != 0)
    return have <= 1 || fmod (needed, have) == 0.0;
  return needed >= have;
}

/* Zero where nothing is known, or the feature that a limit belongs to is not there. Of the limits
 * that every device has it is meant, unless all are. */
static gboolean
is_told (const VtrLimit                   *limit,
         const VkPhysicalDeviceProperties *properties,
         double                            value)
{
  return value != 0.0 || (limit->stype == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2 &&
                          properties->limits.maxImageDimension2D != 0);
}

void
vtr_compatibility_check_limit (VtrCompatibilityScan  *self,
                               VtrCompatibilityLevel  level,
                               const char            *name,
                               guint                  nth,
                               double                 needed)
{
  const VtrLimit *limit = vtr_limit_find (self->target, name);
  const char *device = self->target->properties.deviceName;
  VtrNumber want, has;
  double have, had;

  if (limit == NULL || !vtr_limit_get (limit, self->target, nth, &have) ||
      !is_told (limit, &self->target->properties, have) || is_within (limit, have, needed))
    return;
  /* The captured device was asked for more than it said, and did it. */
  if (level == VTR_COMPATIBILITY_ERROR &&
      vtr_limit_get_captured (limit, &self->captured->properties, nth, &had) &&
      is_told (limit, &self->captured->properties, had) && !is_within (limit, had, needed))
    level = VTR_COMPATIBILITY_WARNING;
  want = vtr_number_real (needed, 15);
  has = vtr_number_real (have, 15);
  if ((limit->flags & (VTR_LIMIT_MUL | VTR_LIMIT_POT)) != 0 &&
      (limit->flags & VTR_LIMIT_MAX) == 0)
    vtr_compatibility_add (self->findings, level, "limit", self->command->index,
                           _ ("An offset or size in the trace is not a multiple of %s of %s, "
                              "which is %s."),
                           name, device, has.text);
  else
    vtr_compatibility_add (self->findings, level, "limit", self->command->index,
                           _ ("The trace needs a %s of %s, but that of %s is %s."), name,
                           want.text, device, has.text);
}

static void
check (VtrCompatibilityScan *self,
       const char           *name,
       double                needed)
{
  vtr_compatibility_check_limit (self, VTR_COMPATIBILITY_ERROR, name, 0, needed);
}

static void
check_mildly (VtrCompatibilityScan *self,
              const char           *name,
              double                needed)
{
  vtr_compatibility_check_limit (self, VTR_COMPATIBILITY_WARNING, name, 0, needed);
}

/* Elements that differ in name by being elements. */
static void
check_three (VtrCompatibilityScan *self,
             const char           *name,
             const guint32         needed[3])
{
  for (guint i = 0; i < 3; i++)
    vtr_compatibility_check_limit (self, VTR_COMPATIBILITY_ERROR, name, i, needed[i]);
}

/* --- Pipelines ------------------------------------------------------------------------------- */

static void
scan_attributes (VtrCompatibilityScan                       *self,
                 const VkPipelineVertexInputStateCreateInfo *info)
{
  const char *device = self->target->properties.deviceName;

  for (guint32 i = 0;
       info->pVertexAttributeDescriptions != NULL && i < info->vertexAttributeDescriptionCount; i++)
    {
      const VkVertexInputAttributeDescription *attribute = &info->pVertexAttributeDescriptions[i];

      check (self, "maxVertexInputAttributeOffset", attribute->offset);
      if ((vtr_vulkan_device_get_format (self->target, attribute->format).bufferFeatures &
           VK_FORMAT_FEATURE_VERTEX_BUFFER_BIT) == 0)
        vtr_compatibility_add (self->findings, VTR_COMPATIBILITY_ERROR, "format",
                               self->command->index,
                               _ ("%s does not support vertex attributes of format %s."), device,
                               vtr_compatibility_format_name (attribute->format));
    }
}

static void
scan_vertex_input (VtrCompatibilityScan                       *self,
                   const VkPipelineVertexInputStateCreateInfo *info)
{
  const VkPipelineVertexInputDivisorStateCreateInfoEXT *divisors;

  if (info == NULL)
    return;
  check (self, "maxVertexInputBindings", info->vertexBindingDescriptionCount);
  check (self, "maxVertexInputAttributes", info->vertexAttributeDescriptionCount);
  for (guint32 i = 0;
       info->pVertexBindingDescriptions != NULL && i < info->vertexBindingDescriptionCount; i++)
    check (self, "maxVertexInputBindingStride", info->pVertexBindingDescriptions[i].stride);
  scan_attributes (self, info);
  divisors = vtr_api_find_next (
    info->pNext, VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_DIVISOR_STATE_CREATE_INFO_EXT);
  for (guint32 i = 0; divisors != NULL && divisors->pVertexBindingDivisors != NULL &&
                      i < divisors->vertexBindingDivisorCount;
       i++)
    check (self, "maxVertexAttribDivisor", divisors->pVertexBindingDivisors[i].divisor);
}

static void
scan_viewports (VtrCompatibilityScan *self,
                guint32               first,
                guint32               n,
                const VkViewport     *viewports)
{
  check (self, "maxViewports", (double)first + n);
  for (guint32 i = 0; viewports != NULL && i < n; i++)
    {
      vtr_compatibility_check_limit (self, VTR_COMPATIBILITY_WARNING, "maxViewportDimensions", 0,
                                     (double)fabsf (viewports[i].width));
      vtr_compatibility_check_limit (self, VTR_COMPATIBILITY_WARNING, "maxViewportDimensions", 1,
                                     (double)fabsf (viewports[i].height));
    }
}

static void
scan_pipeline (VtrCompatibilityScan               *self,
               const VkGraphicsPipelineCreateInfo *info)
{
  scan_vertex_input (self, info->pVertexInputState);
  if (info->pViewportState != NULL)
    scan_viewports (self, 0, info->pViewportState->viewportCount,
                    info->pViewportState->pViewports);
  if (info->pColorBlendState != NULL)
    check (self, "maxColorAttachments", info->pColorBlendState->attachmentCount);
  if (info->pTessellationState != NULL)
    check (self, "maxTessellationPatchSize", info->pTessellationState->patchControlPoints);
}

static void
scan_stage (VtrCompatibilityScan                  *self,
            const VkPipelineShaderStageCreateInfo *stage)
{
  const VkPipelineShaderStageRequiredSubgroupSizeCreateInfo *subgroup = vtr_api_find_next (
    stage->pNext, VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO);

  if (subgroup == NULL)
    return;
  check (self, "maxSubgroupSize", subgroup->requiredSubgroupSize);
  check (self, "minSubgroupSize", subgroup->requiredSubgroupSize);
}

/* --- Passes ---------------------------------------------------------------------------------- */

static void
scan_views (VtrCompatibilityScan *self,
            guint32               mask)
{
  if (mask != 0)
    check (self, "maxMultiviewViewCount", g_bit_storage (mask));
}

static void
scan_render_pass (VtrCompatibilityScan *self)
{
  const VkRenderPassCreateInfo2 *info;
  g_auto (VtrNewerForm) form;

  vtr_newer_form_init (&form, self->command);
  info = ((const VtrArgs_vkCreateRenderPass2 *)form.command.args)->pCreateInfo;
  for (guint32 i = 0; info != NULL && info->pSubpasses != NULL && i < info->subpassCount; i++)
    {
      check (self, "maxColorAttachments", info->pSubpasses[i].colorAttachmentCount);
      scan_views (self, info->pSubpasses[i].viewMask);
    }
}

static void
scan_rendering (VtrCompatibilityScan  *self,
                const VkRenderingInfo *info)
{
  if (info == NULL)
    return;
  check (self, "maxColorAttachments", info->colorAttachmentCount);
  check (self, "maxFramebufferLayers", info->layerCount);
  scan_views (self, info->viewMask);
}

static void
scan_framebuffer (VtrCompatibilityScan          *self,
                  const VkFramebufferCreateInfo *info)
{
  if (info == NULL)
    return;
  check (self, "maxFramebufferWidth", info->width);
  check (self, "maxFramebufferHeight", info->height);
  check (self, "maxFramebufferLayers", info->layers);
}

/* --- Buffers, views and samplers ------------------------------------------------------------- */

static void
scan_buffer_view (VtrCompatibilityScan         *self,
                  const VkBufferViewCreateInfo *info)
{
  const VkFormatFeatureFlags texels = VK_FORMAT_FEATURE_UNIFORM_TEXEL_BUFFER_BIT |
                                      VK_FORMAT_FEATURE_STORAGE_TEXEL_BUFFER_BIT;

  if (info == NULL)
    return;
  if ((vtr_vulkan_device_get_format (self->target, info->format).bufferFeatures & texels) == 0)
    vtr_compatibility_add (self->findings, VTR_COMPATIBILITY_ERROR, "format", self->command->index,
                           _ ("%s does not support texel buffers of format %s."),
                           self->target->properties.deviceName,
                           vtr_compatibility_format_name (info->format));
  check_mildly (self, "minTexelBufferOffsetAlignment", (double)info->offset);
}

static void
scan_sampler (VtrCompatibilityScan      *self,
              const VkSamplerCreateInfo *info)
{
  if (info == NULL)
    return;
  check (self, "maxSamplerAllocationCount", ++self->n_samplers);
  if (info->anisotropyEnable)
    check_mildly (self, "maxSamplerAnisotropy", (double)info->maxAnisotropy);
  check_mildly (self, "maxSamplerLodBias", (double)fabsf (info->mipLodBias));
}

/* --- Commands -------------------------------------------------------------------------------- */

static void
scan_dispatch (VtrCompatibilityScan        *self,
               const VtrArgs_vkCmdDispatch *args)
{
  const guint32 groups[] = { args->groupCountX, args->groupCountY, args->groupCountZ };

  check_three (self, "maxComputeWorkGroupCount", groups);
}

/* Checks the limits that recorded commands need. */
static void
scan_recorded (VtrCompatibilityScan *self)
{
  const void *args = self->command->args;

  switch (vtr_cmd_canonical (self->command->id))
    {
    case VTR_CMD_vkCmdBeginRendering:
      scan_rendering (self, ((const VtrArgs_vkCmdBeginRendering *)args)->pRenderingInfo);
      break;
    case VTR_CMD_vkCmdBindVertexBuffers:
      check (self, "maxVertexInputBindings",
             (double)((const VtrArgs_vkCmdBindVertexBuffers *)args)->firstBinding +
               ((const VtrArgs_vkCmdBindVertexBuffers *)args)->bindingCount);
      break;
    case VTR_CMD_vkCmdDispatch:
      scan_dispatch (self, args);
      break;
    case VTR_CMD_vkCmdDrawIndexedIndirect:
      check (self, "maxDrawIndirectCount",
             ((const VtrArgs_vkCmdDrawIndexedIndirect *)args)->drawCount);
      break;
    case VTR_CMD_vkCmdDrawIndirect:
      check (self, "maxDrawIndirectCount", ((const VtrArgs_vkCmdDrawIndirect *)args)->drawCount);
      break;
    case VTR_CMD_vkCmdDrawMultiEXT:
      check (self, "maxMultiDrawCount", ((const VtrArgs_vkCmdDrawMultiEXT *)args)->drawCount);
      break;
    case VTR_CMD_vkCmdDrawMultiIndexedEXT:
      check (self, "maxMultiDrawCount",
             ((const VtrArgs_vkCmdDrawMultiIndexedEXT *)args)->drawCount);
      break;
    case VTR_CMD_vkCmdSetViewport:
      scan_viewports (self, ((const VtrArgs_vkCmdSetViewport *)args)->firstViewport,
                      ((const VtrArgs_vkCmdSetViewport *)args)->viewportCount,
                      ((const VtrArgs_vkCmdSetViewport *)args)->pViewports);
      break;
    default:
      break;
    }
}

static void
scan_pipelines (VtrCompatibilityScan *self)
{
  if (vtr_cmd_canonical (self->command->id) == VTR_CMD_vkCreateComputePipelines)
    {
      const VtrArgs_vkCreateComputePipelines *args = self->command->args;

      for (guint32 i = 0; args->pCreateInfos != NULL && i < args->createInfoCount; i++)
        scan_stage (self, &args->pCreateInfos[i].stage);
      return;
    }
  const VtrArgs_vkCreateGraphicsPipelines *args = self->command->args;

  for (guint32 i = 0; args->pCreateInfos != NULL && i < args->createInfoCount; i++)
    {
      const VkGraphicsPipelineCreateInfo *info = &args->pCreateInfos[i];

      scan_pipeline (self, info);
      for (guint32 j = 0; info->pStages != NULL && j < info->stageCount; j++)
        scan_stage (self, &info->pStages[j]);
    }
}

void
vtr_compatibility_scan_limits (VtrCompatibilityScan *self)
{
  const void *args = self->command->args;

  switch (vtr_cmd_newer_form (self->command->id))
    {
    case VTR_CMD_vkCreateBuffer:
      if (((const VtrArgs_vkCreateBuffer *)args)->pCreateInfo != NULL)
        check (self, "maxBufferSize",
               (double)((const VtrArgs_vkCreateBuffer *)args)->pCreateInfo->size);
      break;
    case VTR_CMD_vkCreateBufferView:
      scan_buffer_view (self, ((const VtrArgs_vkCreateBufferView *)args)->pCreateInfo);
      break;
    case VTR_CMD_vkCreateComputePipelines:
    case VTR_CMD_vkCreateGraphicsPipelines:
      scan_pipelines (self);
      break;
    case VTR_CMD_vkCreateFramebuffer:
      scan_framebuffer (self, ((const VtrArgs_vkCreateFramebuffer *)args)->pCreateInfo);
      break;
    case VTR_CMD_vkCreateRenderPass2:
      scan_render_pass (self);
      break;
    case VTR_CMD_vkCreateSampler:
      scan_sampler (self, ((const VtrArgs_vkCreateSampler *)args)->pCreateInfo);
      break;
    case VTR_CMD_vkDestroySampler:
      self->n_samplers -= self->n_samplers > 0 ? 1 : 0;
      break;
    default:
      scan_recorded (self);
      break;
    }
}
