/* Applies edits to the stream: leaves out commands, replaces shaders, draws polygons as lines.
 * Comes after all transforms that must see the commands as the program made them. */
#include "engine/vulkan/transforms/vtr-transforms.h"

#include "vtr-config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "vtr-api-args.h"

/* --- VtrStreamEdit --------------------------------------------------------------------------- */

gboolean
vtr_vulkan_can_disable (VtrCmdId id)
{
  return vtr_cmd_is_vulkan (id) && vtr_cmd_is (id, VTR_CLASS_RECORD) &&
         vtr_cmd_is (id, VTR_CLASS_DRAW | VTR_CLASS_DISPATCH | VTR_CLASS_TRACE_RAYS |
                           VTR_CLASS_CLEAR | VTR_CLASS_TRANSFER | VTR_CLASS_EXECUTE |
                           VTR_CLASS_BUILD | VTR_CLASS_GENERATED) &&
         !vtr_cmd_is (id, VTR_CLASS_BEGIN_PASS | VTR_CLASS_END_PASS | VTR_CLASS_NEXT_SUBPASS);
}

/* --- The transform --------------------------------------------------------------------------- */

typedef struct
{
  VtrTransform parent;
  VtrStreamEdit *edit;
  VtrTrace *trace;
  VtrReplayPlan *plan; /* (nullable) */
} TransformEdit;

/* --- Features -------------------------------------------------------------------------------- */

#define FEATURE(name) (offsetof (VkPhysicalDeviceFeatures, name) / sizeof (VkBool32))

/* The capabilities of the device that replaces @physical_device. NULL: unknown. */
static const VkBool32 *
get_features (const TransformEdit *self,
              guint64              physical_device,
              guint               *n)
{
  const VtrVulkanDevice *device =
    self->plan != NULL ? vtr_replay_plan_get_target (self->plan, physical_device) : NULL;

  return device != NULL ? vtr_vulkan_device_get_features (
                            device, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, n)
                        : NULL;
}

static gboolean
has_feature (const VkBool32 *features,
             guint           n,
             gsize           which)
{
  return features == NULL || (which < n && features[which]);
}

static gboolean
create_device (TransformEdit  *self,
               VtrCommand     *command,
               GError        **error)
{
  VtrArgs_vkCreateDevice *args = command->args;
  VkDeviceCreateInfo *info = (VkDeviceCreateInfo *)args->pCreateInfo;
  VkPhysicalDeviceFeatures own = { 0 };
  VkPhysicalDeviceFeatures *wanted = &own;
  VkPhysicalDeviceFeatures2 *chained;
  const VkBool32 *features;
  guint n = 0;

  if (info == NULL)
    return vtr_transform_command (self->parent.next, command, error);
  features = get_features (self, (guint64)(gsize)args->physicalDevice, &n);
  if (self->edit->lines && !has_feature (features, n, FEATURE (fillModeNonSolid)))
    {
      g_set_error_literal (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_UNSUPPORTED,
                           _ ("This device cannot draw triangles as lines (fillModeNonSolid), so "
                              "it cannot show wireframes."));
      return FALSE;
    }
  chained = (VkPhysicalDeviceFeatures2 *)vtr_api_find_next (
    info->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
  if (chained != NULL)
    wanted = &chained->features;
  else if (info->pEnabledFeatures != NULL)
    wanted = (VkPhysicalDeviceFeatures *)info->pEnabledFeatures;
  else
    info->pEnabledFeatures = &own;
  if (has_feature (features, n, FEATURE (fillModeNonSolid)))
    wanted->fillModeNonSolid = VK_TRUE;
  if (has_feature (features, n, FEATURE (independentBlend)))
    wanted->independentBlend = VK_TRUE;
  return vtr_transform_command (self->parent.next, command, error);
}

/* --- Lines ----------------------------------------------------------------------------------- */

/* Changes a creation: polygons are drawn as lines. */
static void
draw_lines (VkGraphicsPipelineCreateInfo *info)
{
  VkPipelineRasterizationStateCreateInfo *raster =
    (VkPipelineRasterizationStateCreateInfo *)info->pRasterizationState;

  if (raster == NULL || raster->polygonMode == VK_POLYGON_MODE_LINE ||
      raster->polygonMode == VK_POLYGON_MODE_POINT)
    return;
  raster->polygonMode = VK_POLYGON_MODE_LINE;
  if (raster->lineWidth == 0)
    raster->lineWidth = 1; /* what draws no lines may leave it out */
}

/* --- Shaders --------------------------------------------------------------------------------- */

static const VtrShaderReplacement *
find_replacement (const TransformEdit *self,
                  guint64              index,
                  guint32              element,
                  guint32              stage)
{
  for (guint i = 0; i < self->edit->shaders->len; i++)
    {
      const VtrShaderReplacement *shader =
        &g_array_index (self->edit->shaders, VtrShaderReplacement, i);

      if (shader->created == index && shader->element == element && shader->stage == stage)
        return shader;
    }
  return NULL;
}

static void
replace_code (const VtrShaderReplacement *shader,
              VkShaderModuleCreateInfo   *info)
{
  gsize size;

  if (shader == NULL || info == NULL)
    return;
  info->pCode = g_bytes_get_data (shader->code, &size);
  info->codeSize = size;
}

static void
replace_stages (const TransformEdit             *self,
                guint64                          index,
                guint32                          element,
                guint32                          n,
                VkPipelineShaderStageCreateInfo *stages)
{
  for (guint32 i = 0; stages != NULL && i < n; i++)
    replace_code (find_replacement (self, index, element, i),
                  (gpointer)vtr_api_find_next (stages[i].pNext,
                                               VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO));
}

static void
create_graphics (const TransformEdit *self,
                 VtrCommand          *command)
{
  const VtrArgs_vkCreateGraphicsPipelines *args = command->args;
  VkGraphicsPipelineCreateInfo *infos = (VkGraphicsPipelineCreateInfo *)args->pCreateInfos;

  for (guint32 i = 0; infos != NULL && i < args->createInfoCount; i++)
    {
      if (self->edit->lines)
        draw_lines (&infos[i]);
      replace_stages (self, command->index, i, infos[i].stageCount,
                      (VkPipelineShaderStageCreateInfo *)infos[i].pStages);
    }
}

static void
create_compute (const TransformEdit *self,
                VtrCommand          *command)
{
  const VtrArgs_vkCreateComputePipelines *args = command->args;
  VkComputePipelineCreateInfo *infos = (VkComputePipelineCreateInfo *)args->pCreateInfos;

  for (guint32 i = 0; infos != NULL && i < args->createInfoCount; i++)
    replace_stages (self, command->index, i, 1, &infos[i].stage);
}

/* With another shader somewhere they are not what they were, and cannot have the handles of the
 * capture, which the decoded command still knows. */
static void
create_ray_tracing (const TransformEdit *self,
                    VtrCommand          *command)
{
  const VtrArgs_vkCreateRayTracingPipelinesKHR *args = command->args;
  VkRayTracingPipelineCreateInfoKHR *infos =
    (VkRayTracingPipelineCreateInfoKHR *)args->pCreateInfos;

  for (guint32 i = 0; infos != NULL && i < args->createInfoCount; i++)
    replace_stages (self, command->index, i, infos[i].stageCount,
                    (VkPipelineShaderStageCreateInfo *)infos[i].pStages);
  if (self->edit->shaders->len > 0)
    command->decoded = NULL;
}

#ifdef VK_EXT_shader_object
/* Draws with shader objects that draw no lines need not have set a width. */
static gboolean
bind_shaders (TransformEdit  *self,
              VtrCommand     *command,
              GError        **error)
{
  const VtrArgs_vkCmdBindShadersEXT *args = command->args;
  VtrArgs_vkCmdSetLineWidth width = { .commandBuffer = args->commandBuffer, .lineWidth = 1 };

  return vtr_transform_command (self->parent.next, command, error) &&
         vtr_transform_emit (self->parent.next, VTR_CMD_vkCmdSetLineWidth, &width, command->index,
                             error);
}

static void
create_shaders (const TransformEdit *self,
                VtrCommand          *command)
{
  const VtrArgs_vkCreateShadersEXT *args = command->args;
  VkShaderCreateInfoEXT *infos = (VkShaderCreateInfoEXT *)args->pCreateInfos;

  for (guint32 i = 0; infos != NULL && i < args->createInfoCount; i++)
    {
      const VtrShaderReplacement *shader =
        find_replacement (self, command->index, i, VTR_REPLACE_OBJECT);
      gsize size;

      if (shader == NULL)
        continue;
      infos[i].pCode = g_bytes_get_data (shader->code, &size);
      infos[i].codeSize = size;
    }
}
#endif

/* --- Commands -------------------------------------------------------------------------------- */

/* Not of what others put in beside the command of this index. */
static gboolean
is_left_out (const TransformEdit *self,
             const VtrCommand    *command)
{
  return self->edit->disabled->len > 0 && vtr_stream_edit_can_disable (command->id) &&
         command->index < vtr_trace_get_n_commands (self->trace) &&
         vtr_stream_edit_is_disabled (self->edit, command->index) &&
         vtr_trace_get_command_id (self->trace, command->index) == command->id;
}

static gboolean
edit_command (VtrTransform  *transform,
              VtrCommand    *command,
              GError       **error)
{
  TransformEdit *self = (TransformEdit *)transform;

  if (is_left_out (self, command))
    return TRUE;
  switch (vtr_cmd_canonical (command->id))
    {
    case VTR_CMD_vkCreateDevice:
      if (self->edit->lines || self->edit->features)
        return create_device (self, command, error);
      break;
    case VTR_CMD_vkCreateShaderModule:
      replace_code (
        find_replacement (self, command->index, 0, VTR_REPLACE_OBJECT),
        (gpointer)((const VtrArgs_vkCreateShaderModule *)command->args)->pCreateInfo);
      break;
    case VTR_CMD_vkCreateGraphicsPipelines:
      create_graphics (self, command);
      break;
    case VTR_CMD_vkCreateComputePipelines:
      create_compute (self, command);
      break;
    case VTR_CMD_vkCreateRayTracingPipelinesKHR:
      create_ray_tracing (self, command);
      break;
#ifdef VK_EXT_shader_object
    case VTR_CMD_vkCreateShadersEXT:
      create_shaders (self, command);
      break;
    case VTR_CMD_vkCmdBindShadersEXT:
      if (self->edit->lines)
        return bind_shaders (self, command, error);
      break;
#endif
    case VTR_CMD_vkCmdSetPolygonModeEXT:
      if (self->edit->lines)
        ((VtrArgs_vkCmdSetPolygonModeEXT *)command->args)->polygonMode = VK_POLYGON_MODE_LINE;
      break;
    default:
      break;
    }
  if (self->edit->shaders->len > 0 && vtr_cmd_is (command->id, VTR_CLASS_CREATE))
    command->found = 0;
  return vtr_transform_command (self->parent.next, command, error);
}

static void
edit_free (VtrTransform *transform)
{
  TransformEdit *self = (TransformEdit *)transform;

  vtr_stream_edit_unref (self->edit);
  g_clear_pointer (&self->plan, vtr_replay_plan_unref);
  g_free (self);
}

static const VtrTransformClass edit_class = {
  .name = "edit",
  .command = edit_command,
  .free = edit_free,
  .resume = vtr_transform_resume_plain,
};

VtrTransform *
vtr_transform_edit_new (VtrStreamEdit *edit,
                        VtrTrace      *trace,
                        VtrReplayPlan *plan)
{
  TransformEdit *self = g_new0 (TransformEdit, 1);

  self->parent.klass = &edit_class;
  self->edit = vtr_stream_edit_ref (edit);
  self->trace = trace;
  self->plan = plan != NULL ? vtr_replay_plan_ref (plan) : NULL;
  return &self->parent;
}
