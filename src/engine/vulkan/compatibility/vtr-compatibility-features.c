/* Finds extensions and features that the program asked for and this device lacks, and whether the
 * trace uses them. */
#include "vtr-config.h"

#include "engine/vulkan/compatibility/vtr-compatibility-private.h"
#include "engine/vulkan/state/vtr-newer-form.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "engine/vulkan/replay-builder/vtr-vulkan-rules.h"
#include "vtr-api-args.h"

/* --- Uses ------------------------------------------------------------------------------------ */

static void
use (VtrCompatibilityScan *self,
     const char           *feature,
     gboolean              used)
{
  if (used && !g_hash_table_contains (self->used, feature))
    g_hash_table_insert (self->used, (gpointer)feature,
                         GSIZE_TO_POINTER (self->command->index + 1));
}

void
vtr_compatibility_use (VtrCompatibilityScan *self,
                       const char           *feature,
                       gboolean              used)
{
  use (self, feature, used);
}

/* Features that commands use. */
static const struct
{
  VtrCmdId id; /* canonical */
  const char *feature;
} calls[] = {
  { VTR_CMD_vkCmdBeginConditionalRenderingEXT, "conditionalRendering" },
  { VTR_CMD_vkCmdBeginRendering, "dynamicRendering" },
  { VTR_CMD_vkCmdBeginTransformFeedbackEXT, "transformFeedback" },
  { VTR_CMD_vkCmdBuildAccelerationStructuresKHR, "accelerationStructure" },
  { VTR_CMD_vkCmdDrawIndexedIndirectCount, "drawIndirectCount" },
  { VTR_CMD_vkCmdDrawIndirectCount, "drawIndirectCount" },
  { VTR_CMD_vkCmdDrawMeshTasksEXT, "meshShader" },
  { VTR_CMD_vkCmdDrawMultiEXT, "multiDraw" },
  { VTR_CMD_vkCmdDrawMultiIndexedEXT, "multiDraw" },
  { VTR_CMD_vkCmdPipelineBarrier2, "synchronization2" },
  { VTR_CMD_vkCmdResetEvent2, "synchronization2" },
  { VTR_CMD_vkCmdSetColorWriteEnableEXT, "colorWriteEnable" },
  { VTR_CMD_vkCmdSetEvent2, "synchronization2" },
  { VTR_CMD_vkCmdSetVertexInputEXT, "vertexInputDynamicState" },
  { VTR_CMD_vkCmdTraceRaysKHR, "rayTracingPipeline" },
  { VTR_CMD_vkCmdWaitEvents2, "synchronization2" },
  { VTR_CMD_vkCmdWriteTimestamp2, "synchronization2" },
  { VTR_CMD_vkQueueBindSparse, "sparseBinding" },
  { VTR_CMD_vkQueueSubmit2, "synchronization2" },
  { VTR_CMD_vkResetQueryPool, "hostQueryReset" },
};

/* Features whose use the pass sees beside those above; of others it is not known whether their
 * absence does harm. Compressed textures are found by their images. */
static const char *const seen[] = {
  "alphaToOne",
  "attachmentFeedbackLoopLayout",
  "customBorderColors",
  "depthBiasClamp",
  "depthBounds",
  "depthClamp",
  "dualSrcBlend",
  "fillModeNonSolid",
  "image2DViewOf3D",
  "independentBlend",
  "logicOp",
  "multisampledRenderToSingleSampled",
  "multiview",
  "nonSeamlessCubeMap",
  "nullDescriptor",
  "pipelineStatisticsQuery",
  "primitivesGeneratedQuery",
  "samplerAnisotropy",
  "samplerFilterMinmax",
  "sparseResidencyBuffer",
  "sparseResidencyImage2D",
  "sparseResidencyImage3D",
  "textureCompressionASTC_LDR",
  "textureCompressionBC",
  "textureCompressionETC2",
  "timelineSemaphore",
  "wideLines",
};

/* Features that are used with and without shaders that declare it. */
static const char *const beside[] = {
  "attachmentFragmentShadingRate",
  "bufferDeviceAddress",
  "fragmentDensityMap",
  "pipelineFragmentShadingRate",
  "primitiveFragmentShadingRate",
  "shadingRateImage",
};

static gboolean
is_dual_source (VkBlendFactor factor)
{
  return factor >= VK_BLEND_FACTOR_SRC1_COLOR && factor <= VK_BLEND_FACTOR_ONE_MINUS_SRC1_ALPHA;
}

static void
scan_blend (VtrCompatibilityScan                      *self,
            const VkPipelineColorBlendStateCreateInfo *blend)
{
  if (blend == NULL)
    return;
  use (self, "logicOp", blend->logicOpEnable);
  for (guint32 i = 0; blend->pAttachments != NULL && i < blend->attachmentCount; i++)
    {
      const VkPipelineColorBlendAttachmentState *a = &blend->pAttachments[i];

      use (self, "dualSrcBlend",
           a->blendEnable &&
             (is_dual_source (a->srcColorBlendFactor) || is_dual_source (a->dstColorBlendFactor) ||
              is_dual_source (a->srcAlphaBlendFactor) || is_dual_source (a->dstAlphaBlendFactor)));
      use (self, "independentBlend", memcmp (a, blend->pAttachments, sizeof *a) != 0);
    }
}

static void
scan_lines (VtrCompatibilityScan                         *self,
            const VkPipelineRasterizationStateCreateInfo *raster)
{
  const VkPipelineRasterizationLineStateCreateInfoEXT *lines = vtr_api_find_next (
    raster->pNext, VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_LINE_STATE_CREATE_INFO_EXT);

  if (lines == NULL)
    return;
  switch (lines->lineRasterizationMode)
    {
    case VK_LINE_RASTERIZATION_MODE_RECTANGULAR_EXT:
      use (self, lines->stippledLineEnable ? "stippledRectangularLines" : "rectangularLines", TRUE);
      break;
    case VK_LINE_RASTERIZATION_MODE_BRESENHAM_EXT:
      use (self, lines->stippledLineEnable ? "stippledBresenhamLines" : "bresenhamLines", TRUE);
      break;
    case VK_LINE_RASTERIZATION_MODE_RECTANGULAR_SMOOTH_EXT:
      use (self, lines->stippledLineEnable ? "stippledSmoothLines" : "smoothLines", TRUE);
      break;
    default:
      use (self, "stippledRectangularLines", lines->stippledLineEnable);
      break;
    }
}

static void
scan_divisors (VtrCompatibilityScan                       *self,
               const VkPipelineVertexInputStateCreateInfo *info)
{
  const VkPipelineVertexInputDivisorStateCreateInfoEXT *divisors =
    info != NULL
      ? vtr_api_find_next (
          info->pNext, VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_DIVISOR_STATE_CREATE_INFO_EXT)
      : NULL;

  for (guint32 i = 0; divisors != NULL && divisors->pVertexBindingDivisors != NULL &&
                      i < divisors->vertexBindingDivisorCount;
       i++)
    {
      guint32 divisor = divisors->pVertexBindingDivisors[i].divisor;

      use (self, "vertexAttributeInstanceRateDivisor", divisor != 1);
      use (self, "vertexAttributeInstanceRateZeroDivisor", divisor == 0);
    }
}

static void
scan_pipeline (VtrCompatibilityScan               *self,
               const VkGraphicsPipelineCreateInfo *info)
{
  const VkPipelineRasterizationStateCreateInfo *raster = info->pRasterizationState;
  const VkPipelineMultisampleStateCreateInfo *samples = info->pMultisampleState;

  for (guint32 i = 0; info->pStages != NULL && i < info->stageCount; i++)
    {
      use (self, "geometryShader", info->pStages[i].stage == VK_SHADER_STAGE_GEOMETRY_BIT);
      use (self, "tessellationShader",
           info->pStages[i].stage == VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT);
    }
  if (raster != NULL)
    {
      use (self, "depthClamp", raster->depthClampEnable);
      use (self, "depthBiasClamp",
           raster->depthBiasEnable && !(raster->depthBiasClamp == 0.0f));
      use (self, "fillModeNonSolid", raster->polygonMode != VK_POLYGON_MODE_FILL);
      use (self, "wideLines", raster->lineWidth > 1.0f);
      scan_lines (self, raster);
    }
  if (samples != NULL)
    {
      use (self, "sampleRateShading", samples->sampleShadingEnable);
      use (self, "alphaToOne", samples->alphaToOneEnable);
    }
  if (info->pDepthStencilState != NULL)
    use (self, "depthBounds", info->pDepthStencilState->depthBoundsTestEnable);
  if (info->pViewportState != NULL)
    use (self, "multiViewport",
         info->pViewportState->viewportCount > 1 || info->pViewportState->scissorCount > 1);
  scan_blend (self, info->pColorBlendState);
  scan_divisors (self, info->pVertexInputState);
}

static void
scan_views (VtrCompatibilityScan *self)
{
  g_auto (VtrNewerForm) form;

  vtr_newer_form_init (&form, self->command);
  if (form.command.id == VTR_CMD_vkCreateRenderPass2)
    {
      const VkRenderPassCreateInfo2 *info =
        ((const VtrArgs_vkCreateRenderPass2 *)form.command.args)->pCreateInfo;

      for (guint32 i = 0; info != NULL && info->pSubpasses != NULL && i < info->subpassCount; i++)
        use (self, "multiview", info->pSubpasses[i].viewMask != 0);
    }
  else
    {
      const VkRenderingInfo *info =
        ((const VtrArgs_vkCmdBeginRendering *)form.command.args)->pRenderingInfo;

      use (self, "multiview", info != NULL && info->viewMask != 0);
    }
}

static void
scan_image (VtrCompatibilityScan    *self,
            const VkImageCreateInfo *info)
{
  use (self, "image2DViewOf3D",
       (info->flags & VK_IMAGE_CREATE_2D_VIEW_COMPATIBLE_BIT_EXT) != 0);
  use (self, "multisampledRenderToSingleSampled",
       (info->flags & VK_IMAGE_CREATE_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_BIT_EXT) != 0);
  use (self, "attachmentFeedbackLoopLayout",
       (info->usage & VK_IMAGE_USAGE_ATTACHMENT_FEEDBACK_LOOP_BIT_EXT) != 0);
}

static void
scan_sampler (VtrCompatibilityScan      *self,
              const VkSamplerCreateInfo *info)
{
  const VkSamplerReductionModeCreateInfo *reduction =
    vtr_api_find_next (info->pNext, VK_STRUCTURE_TYPE_SAMPLER_REDUCTION_MODE_CREATE_INFO);

  use (self, "samplerFilterMinmax",
       reduction != NULL &&
         reduction->reductionMode != VK_SAMPLER_REDUCTION_MODE_WEIGHTED_AVERAGE);
  use (self, "samplerAnisotropy", info->anisotropyEnable);
  use (self, "nonSeamlessCubeMap",
       (info->flags & VK_SAMPLER_CREATE_NON_SEAMLESS_CUBE_MAP_BIT_EXT) != 0);
  use (self, "customBorderColors",
       info->borderColor == VK_BORDER_COLOR_FLOAT_CUSTOM_EXT ||
         info->borderColor == VK_BORDER_COLOR_INT_CUSTOM_EXT);
}

static gboolean
has_null (const VkWriteDescriptorSet *write)
{
  for (guint32 i = 0; i < write->descriptorCount; i++)
    switch (write->descriptorType)
      {
      case VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER:
      case VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE:
      case VK_DESCRIPTOR_TYPE_STORAGE_IMAGE:
      case VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT:
        if (write->pImageInfo != NULL && write->pImageInfo[i].imageView == VK_NULL_HANDLE)
          return TRUE;
        break;
      case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
      case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER:
        if (write->pTexelBufferView != NULL && write->pTexelBufferView[i] == VK_NULL_HANDLE)
          return TRUE;
        break;
      case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER:
      case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER:
      case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC:
      case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC:
        if (write->pBufferInfo != NULL && write->pBufferInfo[i].buffer == VK_NULL_HANDLE)
          return TRUE;
        break;
      default:
        break;
      }
  return FALSE;
}

static void
scan_writes (VtrCompatibilityScan                 *self,
             const VtrArgs_vkUpdateDescriptorSets *args)
{
  for (guint32 i = 0; args->pDescriptorWrites != NULL && i < args->descriptorWriteCount; i++)
    use (self, "nullDescriptor", has_null (&args->pDescriptorWrites[i]));
}

static void
note_struct (void                 *data,
             const VtrVisitStruct *structure)
{
  VtrCompatibilityScan *self = data;
  guint16 extension;

  if (structure->id == VTR_STRUCT_NONE || !structure->in_chain)
    return;
  extension = vtr_struct_get (structure->id)->extension;
  if (extension != VTR_API_NO_INDEX &&
      !g_hash_table_contains (self->structs, GUINT_TO_POINTER (extension)))
    g_hash_table_insert (self->structs, GUINT_TO_POINTER (extension),
                         GSIZE_TO_POINTER (self->command->index + 1));
}

void
vtr_compatibility_scan_features (VtrCompatibilityScan *self)
{
  const VtrApiEnv env = { .decoded = true };
  const VtrApiVisitor visitor = { .data = self, .structure = note_struct };
  const VtrCommand *command = self->command;

  vtr_api_visit (command->id, command->args, &env, &visitor);
  vtr_compatibility_scan_maintenance (self);
  switch (vtr_cmd_newer_form (command->id))
    {
    case VTR_CMD_vkCmdBeginRendering:
    case VTR_CMD_vkCreateRenderPass2:
      scan_views (self);
      break;
    case VTR_CMD_vkCreateGraphicsPipelines:
      {
        const VtrArgs_vkCreateGraphicsPipelines *args = command->args;

        for (guint32 i = 0; args->pCreateInfos != NULL && i < args->createInfoCount; i++)
          scan_pipeline (self, &args->pCreateInfos[i]);
        break;
      }
    case VTR_CMD_vkCreateSampler:
      {
        const VtrArgs_vkCreateSampler *args = command->args;

        if (args->pCreateInfo != NULL)
          scan_sampler (self, args->pCreateInfo);
        break;
      }
    case VTR_CMD_vkCreateImage:
      {
        const VtrArgs_vkCreateImage *args = command->args;

        if (args->pCreateInfo != NULL)
          scan_image (self, args->pCreateInfo);
        break;
      }
    case VTR_CMD_vkUpdateDescriptorSets:
      scan_writes (self, command->args);
      break;
    case VTR_CMD_vkCreateQueryPool:
      {
        const VtrArgs_vkCreateQueryPool *args = command->args;

        if (args->pCreateInfo == NULL)
          break;
        use (self, "pipelineStatisticsQuery",
             args->pCreateInfo->queryType == VK_QUERY_TYPE_PIPELINE_STATISTICS);
        use (self, "primitivesGeneratedQuery",
             args->pCreateInfo->queryType == VK_QUERY_TYPE_PRIMITIVES_GENERATED_EXT);
        break;
      }
    case VTR_CMD_vkCreateSemaphore:
      {
        const VtrArgs_vkCreateSemaphore *args = command->args;
        const VkSemaphoreTypeCreateInfo *type =
          args->pCreateInfo != NULL
            ? vtr_api_find_next (args->pCreateInfo->pNext,
                                 VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO)
            : NULL;

        use (self, "timelineSemaphore",
             type != NULL && type->semaphoreType == VK_SEMAPHORE_TYPE_TIMELINE);
        break;
      }
    case VTR_CMD_vkCmdSetLineWidth:
      use (self, "wideLines",
           ((const VtrArgs_vkCmdSetLineWidth *)command->args)->lineWidth > 1.0f);
      break;
    case VTR_CMD_vkCmdSetDepthBoundsTestEnable:
      use (self, "depthBounds",
           ((const VtrArgs_vkCmdSetDepthBoundsTestEnable *)command->args)->depthBoundsTestEnable);
      break;
    default:
      break;
    }
}

/* --- Devices --------------------------------------------------------------------------------- */

/* Whether the core of the device has the command by some name. */
static gboolean
is_core (const VtrCompatibilityScan *self,
         VtrCmdId                    id)
{
  for (guint i = 0; i < VTR_VULKAN_N_COMMANDS; i++)
    if (vtr_cmd_canonical ((VtrCmdId)i) == vtr_cmd_canonical (id) &&
        vtr_cmd_get (i)->version != 0 &&
        vtr_cmd_get (i)->version <= self->target->properties.apiVersion)
      return TRUE;
  return FALSE;
}

/* Whether the program enabled it where this was asked, and the device offers it. */
static gboolean
is_enabled (const VtrCompatibilityScan *self,
            guint16                     extension)
{
  const VtrArgs_vkCreateDevice *args = self->command->args;
  const char *name = vtr_api_string (vtr_api_extensions[extension].name);

  for (guint32 i = 0; i < args->pCreateInfo->enabledExtensionCount; i++)
    if (g_strcmp0 (args->pCreateInfo->ppEnabledExtensionNames[i], name) == 0)
      return vtr_vulkan_device_has_extension (self->target, name);
  return FALSE;
}

/* Whether @extension brings the command, and no other one does that is left. */
static gboolean
needs_extension (const VtrCompatibilityScan *self,
                 VtrCmdId                    id,
                 guint16                     extension)
{
  gboolean brings = FALSE;
  guint16 each;

  for (guint i = 0; (each = vtr_cmd_extension (id, i)) != VTR_API_NO_INDEX; i++)
    {
      if (each != extension && is_enabled (self, each))
        return FALSE;
      brings |= each == extension;
    }
  return brings;
}

/* Finds a command of the extension that the replay would call; commands that it leaves out are not
 * missed. */
static gboolean
find_call (const VtrCompatibilityScan *self,
           guint16                     extension,
           VtrCmdId                   *id)
{
  for (guint i = 0; i < VTR_VULKAN_N_COMMANDS; i++)
    {
      if (self->first[i] == VTR_COMMAND_NO_INDEX ||
          !needs_extension (self, (VtrCmdId)i, extension))
        continue;
      if (is_core (self, (VtrCmdId)i))
        continue;
      if (vtr_vulkan_rule_get ((VtrCmdId)i)->action == VTR_REPLAY_LEAVE)
        continue;
      *id = (VtrCmdId)i;
      return TRUE;
    }
  return FALSE;
}

/* The virtual swapchain needs no extension. */
static gboolean
is_of_window_system (const char *name)
{
  return strcmp (name, VK_KHR_SWAPCHAIN_EXTENSION_NAME) == 0 ||
         strcmp (name, VK_KHR_INCREMENTAL_PRESENT_EXTENSION_NAME) == 0 ||
         strcmp (name, VK_KHR_SWAPCHAIN_MUTABLE_FORMAT_EXTENSION_NAME) == 0 ||
         strcmp (name, VK_GOOGLE_DISPLAY_TIMING_EXTENSION_NAME) == 0;
}

/* Extensions that the replayer replaces by other means if a driver lacks them. */
static gboolean
is_replaced (const char *name)
{
  return strcmp (name, VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME) == 0;
}

static void
check_extension (VtrCompatibilityScan *self,
                 const char           *name)
{
  guint16 extension = vtr_extension_from_name (name);
  const char *device = self->target->properties.deviceName;
  VtrCmdId id;

  if (vtr_vulkan_device_has_extension (self->target, name) || is_of_window_system (name))
    return;
  if (extension != VTR_API_NO_INDEX && is_replaced (name) && find_call (self, extension, &id))
    vtr_compatibility_add (self->findings, VTR_COMPATIBILITY_NOTE, "extension", self->first[id],
                           _ ("%s does not support %s. The replay uses equivalent calls instead."),
                           device, name);
  else if (extension != VTR_API_NO_INDEX && find_call (self, extension, &id))
    {
      guint64 index = self->first[id];

      vtr_compatibility_add (self->findings, VTR_COMPATIBILITY_ERROR, "extension", index,
                             _ ("%s does not support %s, but the trace calls its function %s."),
                             device, name, vtr_cmd_name (id));
    }
  else if (extension != VTR_API_NO_INDEX &&
           g_hash_table_contains (self->structs, GUINT_TO_POINTER (extension)))
    vtr_compatibility_add (self->findings, VTR_COMPATIBILITY_WARNING, "extension",
                           self->command->index,
                           _ ("%s does not support %s; the replay does not need it."), device,
                           name);
  else
    vtr_compatibility_add (self->findings, VTR_COMPATIBILITY_NOTE, "extension",
                           self->command->index,
                           _ ("%s does not support %s, which the program enabled but did not "
                              "use."),
                           device, name);
}

static void
check_features (VtrCompatibilityScan *self,
                VkStructureType       s_type,
                const VkBool32       *wanted)
{
  VtrStructId id = s_type == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2
                     ? VTR_STRUCT_VkPhysicalDeviceFeatures
                     : vtr_struct_from_stype (s_type);
  guint skip = s_type == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2 ? 0 : 2;
  const VtrApiStruct *info;
  const VkBool32 *offered;
  guint n_offered;

  if (id == VTR_STRUCT_NONE)
    return;
  info = vtr_struct_get (id);
  offered = vtr_vulkan_device_get_features (self->target, s_type, &n_offered);
  for (guint i = skip; i < info->n_fields; i++)
    {
      const VtrApiField *field = &vtr_api_fields[info->first_field + i];

      if (wanted[i - skip] && (offered == NULL || i - skip >= n_offered || !offered[i - skip]))
        g_hash_table_insert (self->missing, (gpointer)vtr_api_string (field->name),
                             GSIZE_TO_POINTER (self->command->index + 1));
    }
}

/* Whether all that a structure holds is features. */
static gboolean
is_feature_struct (VtrStructId id)
{
  return id != VTR_STRUCT_NONE && vtr_struct_extends (id, VTR_STRUCT_VkPhysicalDeviceFeatures2) &&
         g_str_has_prefix (vtr_api_string (vtr_struct_get (id)->name), "VkPhysicalDevice");
}

void
vtr_compatibility_scan_device (VtrCompatibilityScan *self)
{
  const VtrArgs_vkCreateDevice *args = self->command->args;
  const VkDeviceCreateInfo *info = args->pCreateInfo;

  if (info == NULL || self->captured == NULL)
    return;
  for (guint32 i = 0; info->ppEnabledExtensionNames != NULL && i < info->enabledExtensionCount; i++)
    if (info->ppEnabledExtensionNames[i] != NULL)
      check_extension (self, info->ppEnabledExtensionNames[i]);
  if (info->pEnabledFeatures != NULL)
    check_features (self, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                    (const VkBool32 *)info->pEnabledFeatures);
  for (const VkBaseInStructure *link = info->pNext; link != NULL; link = link->pNext)
    if (link->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2)
      check_features (self, link->sType,
                      (const VkBool32 *)&((const VkPhysicalDeviceFeatures2 *)link)->features);
    else if (is_feature_struct (vtr_struct_from_stype ((guint32)link->sType)))
      check_features (self, link->sType, (const VkBool32 *)(gconstpointer)(link + 1));
}

static gboolean
use_is_seen (VtrCompatibilityScan *self,
             const char           *feature)
{
  for (gsize i = 0; i < G_N_ELEMENTS (seen); i++)
    if (strcmp (seen[i], feature) == 0)
      return TRUE;
  for (gsize i = 0; i < G_N_ELEMENTS (calls); i++)
    if (strcmp (calls[i].feature, feature) == 0)
      return TRUE;
  for (gsize i = 0; i < G_N_ELEMENTS (beside); i++)
    if (strcmp (beside[i], feature) == 0)
      return FALSE;
  return vtr_compatibility_shaders_tell (self, feature);
}

/* Whether the device has a command of a later version by the name of an extension. */
static gboolean
has_by_extension (const VtrVulkanDevice *device,
                  VtrCmdId               id)
{
  guint16 extension;

  for (guint i = 0; i < VTR_VULKAN_N_COMMANDS; i++)
    if (vtr_cmd_canonical ((VtrCmdId)i) == vtr_cmd_canonical (id))
      for (guint nth = 0;
           (extension = vtr_cmd_extension ((VtrCmdId)i, nth)) != VTR_API_NO_INDEX; nth++)
        if (vtr_vulkan_device_has_extension (
              device, vtr_api_string (vtr_api_extensions[extension].name)))
          return TRUE;
  return FALSE;
}

/* Commands of a version of Vulkan that the device does not have. */
static void
check_versions (VtrCompatibilityScan  *self,
                const VtrVulkanDevice *device)
{
  for (guint i = 0; i < VTR_VULKAN_N_COMMANDS; i++)
    {
      const VtrApiCommand *command = vtr_cmd_get (i);

      if (self->first[i] == VTR_COMMAND_NO_INDEX || command->level != VTR_LEVEL_DEVICE ||
          command->version <= device->properties.apiVersion ||
          vtr_vulkan_rule_get ((VtrCmdId)i)->action == VTR_REPLAY_LEAVE ||
          has_by_extension (device, (VtrCmdId)i))
        continue;
      vtr_compatibility_add (self->findings, VTR_COMPATIBILITY_ERROR, "version", self->first[i],
                             _ ("%s supports only Vulkan %u.%u, which lacks %s, but the trace "
                                "calls it."),
                             device->properties.deviceName,
                             VK_API_VERSION_MAJOR (device->properties.apiVersion),
                             VK_API_VERSION_MINOR (device->properties.apiVersion),
                             vtr_cmd_name ((VtrCmdId)i));
    }
}

void
vtr_compatibility_end_features (VtrCompatibilityScan *self)
{
  const VtrVulkanDevice *target = vtr_replay_plan_get_target (self->plan, 0);
  const char *device = target->properties.deviceName;
  GHashTableIter iter;
  gpointer name, created;

  if (!vtr_replay_plan_is_same (self->plan))
    check_versions (self, target);
  for (guint i = 0; i < VTR_VULKAN_N_COMMANDS; i++)
    for (gsize j = 0; self->first[i] != VTR_COMMAND_NO_INDEX && j < G_N_ELEMENTS (calls); j++)
      if (calls[j].id == vtr_cmd_canonical ((VtrCmdId)i) &&
          !g_hash_table_contains (self->used, calls[j].feature))
        g_hash_table_insert (self->used, (gpointer)calls[j].feature,
                             GSIZE_TO_POINTER (self->first[i] + 1));
  g_hash_table_iter_init (&iter, self->missing);
  while (g_hash_table_iter_next (&iter, &name, &created))
    {
      guint64 used = GPOINTER_TO_SIZE (g_hash_table_lookup (self->used, name));
      guint64 index = GPOINTER_TO_SIZE (created) - 1;

      if (used > 0)
        vtr_compatibility_add (self->findings, VTR_COMPATIBILITY_ERROR, "feature", used - 1,
                               _ ("%s lacks the feature %s, which the trace uses."), device,
                               (const char *)name);
      else if (use_is_seen (self, name))
        vtr_compatibility_add (self->findings, VTR_COMPATIBILITY_NOTE, "feature", index,
                               _ ("%s lacks the feature %s, which the program enabled but did "
                                  "not use."),
                               device, (const char *)name);
      else
        vtr_compatibility_add (self->findings, VTR_COMPATIBILITY_WARNING, "feature", index,
                               _ ("%s lacks the feature %s, which the program enabled. The "
                                  "replay runs without it."),
                               device, (const char *)name);
    }
}
