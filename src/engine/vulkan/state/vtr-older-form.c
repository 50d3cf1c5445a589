/* Translates later bind and push commands (such as vkCmdBindDescriptorSets2) into the older ones,
 * so that analysers need to know only those. */
#include "engine/vulkan/state/vtr-older-form.h"

#include "api/vtr-api-walk.h"

#define GRAPHICS_STAGES \
  (VK_SHADER_STAGE_ALL_GRAPHICS | VK_SHADER_STAGE_TASK_BIT_EXT | VK_SHADER_STAGE_MESH_BIT_EXT)
#define RAY_STAGES \
  (VK_SHADER_STAGE_RAYGEN_BIT_KHR | VK_SHADER_STAGE_ANY_HIT_BIT_KHR | \
   VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR | VK_SHADER_STAGE_MISS_BIT_KHR | \
   VK_SHADER_STAGE_INTERSECTION_BIT_KHR | VK_SHADER_STAGE_CALLABLE_BIT_KHR)

static const struct
{
  VkPipelineBindPoint point;
  VkShaderStageFlags stages;
} points[] = {
  { VK_PIPELINE_BIND_POINT_GRAPHICS, GRAPHICS_STAGES },
  { VK_PIPELINE_BIND_POINT_COMPUTE, VK_SHADER_STAGE_COMPUTE_BIT },
  { VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR, RAY_STAGES },
};

VtrCmdId
vtr_cmd_older_form (VtrCmdId id)
{
  switch (vtr_cmd_canonical (id))
    {
#ifdef VK_KHR_map_memory2
    case VTR_CMD_vkMapMemory2KHR:
      return VTR_CMD_vkMapMemory;
    case VTR_CMD_vkUnmapMemory2KHR:
      return VTR_CMD_vkUnmapMemory;
#endif
#ifdef VK_KHR_maintenance5
    case VTR_CMD_vkCmdBindIndexBuffer2KHR:
      return VTR_CMD_vkCmdBindIndexBuffer;
#endif
#ifdef VK_KHR_maintenance6
    case VTR_CMD_vkCmdBindDescriptorSets2KHR:
      return VTR_CMD_vkCmdBindDescriptorSets;
    case VTR_CMD_vkCmdPushConstants2KHR:
      return VTR_CMD_vkCmdPushConstants;
    case VTR_CMD_vkCmdPushDescriptorSet2KHR:
      return VTR_CMD_vkCmdPushDescriptorSetKHR;
    case VTR_CMD_vkCmdPushDescriptorSetWithTemplate2KHR:
      return VTR_CMD_vkCmdPushDescriptorSetWithTemplateKHR;
    case VTR_CMD_vkCmdSetDescriptorBufferOffsets2EXT:
      return VTR_CMD_vkCmdSetDescriptorBufferOffsetsEXT;
#endif
    default:
      return vtr_cmd_canonical (id);
    }
}

#ifdef VK_KHR_map_memory2
static void
read_mapping (VtrOlderForms *self)
{
  if (vtr_cmd_canonical (self->source->id) == VTR_CMD_vkMapMemory2KHR)
    {
      const VtrArgs_vkMapMemory2KHR *args = self->source->args;
      const VkMemoryMapInfoKHR *info = args->pMemoryMapInfo;

      self->args.map.device = args->device;
      self->args.map.ppData = args->ppData;
      if (info == NULL)
        return;
      self->args.map.memory = info->memory;
      self->args.map.offset = info->offset;
      self->args.map.size = info->size;
      self->args.map.flags = info->flags;
    }
  else
    {
      const VtrArgs_vkUnmapMemory2KHR *args = self->source->args;

      self->args.unmap.device = args->device;
      if (args->pMemoryUnmapInfo != NULL)
        self->args.unmap.memory = args->pMemoryUnmapInfo->memory;
    }
}
#endif

#ifdef VK_KHR_maintenance5
static void
read_index_buffer (VtrOlderForms *self)
{
  const VtrArgs_vkCmdBindIndexBuffer2KHR *args = self->source->args;

  self->args.index_buffer.commandBuffer = args->commandBuffer;
  self->args.index_buffer.buffer = args->buffer;
  self->args.index_buffer.offset = args->offset;
  self->args.index_buffer.indexType = args->indexType;
}
#endif

#ifdef VK_KHR_maintenance6
static guint32
points_of (VkShaderStageFlags stages)
{
  guint32 bits = 0;

  for (guint i = 0; i < G_N_ELEMENTS (points); i++)
    if ((stages & points[i].stages) != 0)
      bits |= 1u << i;
  /* Stages that nothing above names are drawn with. */
  return bits != 0 ? bits : 1;
}

static void
read_sets (VtrOlderForms *self)
{
  const VtrArgs_vkCmdBindDescriptorSets2KHR *args = self->source->args;
  const VkBindDescriptorSetsInfoKHR *info = args->pBindDescriptorSetsInfo;

  self->args.sets.commandBuffer = args->commandBuffer;
  if (info == NULL)
    return;
  self->points = points_of (info->stageFlags);
  self->args.sets.layout = info->layout;
  self->args.sets.firstSet = info->firstSet;
  self->args.sets.descriptorSetCount = info->descriptorSetCount;
  self->args.sets.pDescriptorSets = info->pDescriptorSets;
  self->args.sets.dynamicOffsetCount = info->dynamicOffsetCount;
  self->args.sets.pDynamicOffsets = info->pDynamicOffsets;
}

static void
read_constants (VtrOlderForms *self)
{
  const VtrArgs_vkCmdPushConstants2KHR *args = self->source->args;
  const VkPushConstantsInfoKHR *info = args->pPushConstantsInfo;

  self->args.constants.commandBuffer = args->commandBuffer;
  if (info == NULL)
    return;
  self->args.constants.layout = info->layout;
  self->args.constants.stageFlags = info->stageFlags;
  self->args.constants.offset = info->offset;
  self->args.constants.size = info->size;
  self->args.constants.pValues = info->pValues;
}

static void
read_pushed (VtrOlderForms *self)
{
  const VtrArgs_vkCmdPushDescriptorSet2KHR *args = self->source->args;
  const VkPushDescriptorSetInfoKHR *info = args->pPushDescriptorSetInfo;

  self->args.pushed.commandBuffer = args->commandBuffer;
  if (info == NULL)
    return;
  self->points = points_of (info->stageFlags);
  self->args.pushed.layout = info->layout;
  self->args.pushed.set = info->set;
  self->args.pushed.descriptorWriteCount = info->descriptorWriteCount;
  self->args.pushed.pDescriptorWrites = info->pDescriptorWrites;
}

static void
read_offsets (VtrOlderForms *self)
{
  const VtrArgs_vkCmdSetDescriptorBufferOffsets2EXT *args = self->source->args;
  const VkSetDescriptorBufferOffsetsInfoEXT *info = args->pSetDescriptorBufferOffsetsInfo;

  self->args.offsets.commandBuffer = args->commandBuffer;
  if (info == NULL)
    return;
  self->points = points_of (info->stageFlags);
  self->args.offsets.layout = info->layout;
  self->args.offsets.firstSet = info->firstSet;
  self->args.offsets.setCount = info->setCount;
  self->args.offsets.pBufferIndices = info->pBufferIndices;
  self->args.offsets.pOffsets = info->pOffsets;
}

static void
read_pushed_template (VtrOlderForms *self)
{
  const VtrArgs_vkCmdPushDescriptorSetWithTemplate2KHR *args = self->source->args;
  const VkPushDescriptorSetWithTemplateInfoKHR *info = args->pPushDescriptorSetWithTemplateInfo;

  self->args.pushed_template.commandBuffer = args->commandBuffer;
  if (info == NULL)
    return;
  self->args.pushed_template.descriptorUpdateTemplate = info->descriptorUpdateTemplate;
  self->args.pushed_template.layout = info->layout;
  self->args.pushed_template.set = info->set;
  self->args.pushed_template.pData = info->pData;
  self->template_data = &info->pData;
}
#endif

void
vtr_older_forms_init (VtrOlderForms    *self,
                      const VtrCommand *command)
{
  *self = (VtrOlderForms){ .command = *command, .source = command, .points = 1 };
  self->command.id = vtr_cmd_older_form (command->id);
  if (self->command.id == VTR_CMD_vkCmdPushDescriptorSetWithTemplateKHR && command->args != NULL)
    self->template_data =
      &((const VtrArgs_vkCmdPushDescriptorSetWithTemplateKHR *)command->args)->pData;
  if (self->command.id == vtr_cmd_canonical (command->id) || command->args == NULL)
    return;
  self->command.args = &self->args;
  self->template_data = NULL;
  switch (self->command.id)
    {
#ifdef VK_KHR_map_memory2
    case VTR_CMD_vkMapMemory:
    case VTR_CMD_vkUnmapMemory:
      read_mapping (self);
      break;
#endif
#ifdef VK_KHR_maintenance5
    case VTR_CMD_vkCmdBindIndexBuffer:
      read_index_buffer (self);
      break;
#endif
#ifdef VK_KHR_maintenance6
    case VTR_CMD_vkCmdBindDescriptorSets:
      read_sets (self);
      break;
    case VTR_CMD_vkCmdPushConstants:
      read_constants (self);
      break;
    case VTR_CMD_vkCmdPushDescriptorSetKHR:
      read_pushed (self);
      break;
    case VTR_CMD_vkCmdPushDescriptorSetWithTemplateKHR:
      read_pushed_template (self);
      break;
    case VTR_CMD_vkCmdSetDescriptorBufferOffsetsEXT:
      read_offsets (self);
      break;
#endif
    default:
      break;
    }
}

gboolean
vtr_older_forms_next (VtrOlderForms *self)
{
  guint at = 0;

  if (self->points == 0)
    return FALSE;
  while ((self->points & 1u << at) == 0)
    at++;
  self->points &= ~(1u << at);
  if (self->command.args != &self->args)
    return TRUE;
  if (self->command.id == VTR_CMD_vkCmdBindDescriptorSets)
    self->args.sets.pipelineBindPoint = points[at].point;
  else if (self->command.id == VTR_CMD_vkCmdPushDescriptorSetKHR)
    self->args.pushed.pipelineBindPoint = points[at].point;
  else if (self->command.id == VTR_CMD_vkCmdSetDescriptorBufferOffsetsEXT)
    self->args.offsets.pipelineBindPoint = points[at].point;
  return TRUE;
}
