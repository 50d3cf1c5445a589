/* Replaces descriptors that are pushed into command buffers by descriptor sets, for drivers
 * without VK_KHR_push_descriptor.  The flag is removed from set layouts. A push allocates a
 * descriptor set, fills it and binds it. Its pool belongs to the command buffer: it is destroyed
 * with it, and reset when it is recorded again. Descriptors that a push does not name are copied
 * from the push before it to the same set of the same bind point. */
#include "vtr-vk-push-private.h"
#include "vtr-overrides.h"

void
vtr_override_vkCmdPushDescriptorSetKHR (VtrReplayVk                *vk,
                                        VkCommandBuffer             commandBuffer,
                                        VkPipelineBindPoint         pipelineBindPoint,
                                        VkPipelineLayout            layout,
                                        uint32_t                    set,
                                        uint32_t                    descriptorWriteCount,
                                        const VkWriteDescriptorSet *pDescriptorWrites)
{
  VtrTable *table =
    vtr_table_of (vk, VTR_HANDLE_VkCommandBuffer, VTR_HANDLE_BITS (commandBuffer));
  PFN_vkCmdPushDescriptorSetKHR call;
  VtrPushed *pushed;

  if (table == NULL ||
      !vtr_replay_vk_has (vk, descriptorWriteCount, pDescriptorWrites, "pDescriptorWrites"))
    return;
  if (!table->emulates_push)
    {
      call = (PFN_vkCmdPushDescriptorSetKHR)vtr_table_need (vk, table,
                                                            VTR_CMD_vkCmdPushDescriptorSetKHR);
      if (call != NULL)
        call (commandBuffer, pipelineBindPoint, layout, set, descriptorWriteCount,
              pDescriptorWrites);
      return;
    }
  pushed = vtr_push_begin (vk, commandBuffer, pipelineBindPoint, layout, set);
  for (uint32_t i = 0; pushed != NULL && i < descriptorWriteCount; i++)
    {
      VkWriteDescriptorSet write = pDescriptorWrites[i];

      write.dstSet = pushed->handle;
      VTR_CALL (vk, table, vkUpdateDescriptorSets)
      (table->device, 1, &write, 0, NULL);
      vtr_push_note_written (pushed, write.dstBinding, write.dstArrayElement,
                             write.descriptorCount);
    }
  if (pushed != NULL)
    vtr_push_end (vk, pushed, commandBuffer, layout);
}

void
vtr_override_vkCmdPushDescriptorSetWithTemplateKHR (
  VtrReplayVk *vk,
  VkCommandBuffer commandBuffer,
  VkDescriptorUpdateTemplate descriptorUpdateTemplate,
  VkPipelineLayout layout,
  uint32_t set,
  const void *pData)
{
  VtrTable *table =
    vtr_table_of (vk, VTR_HANDLE_VkCommandBuffer, VTR_HANDLE_BITS (commandBuffer));
  const VtrReplayObject *object =
    vtr_objects_find (vk, VTR_HANDLE_VkDescriptorUpdateTemplate,
                      VTR_HANDLE_BITS (descriptorUpdateTemplate));
  const VtrPushTemplate *template = object != NULL ? object->info.push_template : NULL;
  PFN_vkUpdateDescriptorSetWithTemplate update;
  PFN_vkCmdPushDescriptorSetWithTemplateKHR call;
  VtrPushed *pushed;

  if (table == NULL)
    return;
  if (!table->emulates_push || template == NULL)
    {
      call = (PFN_vkCmdPushDescriptorSetWithTemplateKHR)vtr_table_need (
        vk, table, VTR_CMD_vkCmdPushDescriptorSetWithTemplateKHR);
      if (call != NULL)
        call (commandBuffer, descriptorUpdateTemplate, layout, set, pData);
      return;
    }
  update = VTR_CALL (vk, table, vkUpdateDescriptorSetWithTemplate);
  pushed = vtr_push_begin (vk, commandBuffer, template->point, layout, set);
  if (pushed == NULL || update == NULL)
    return;
  update (table->device, pushed->handle, descriptorUpdateTemplate, pData);
  for (uint32_t i = 0; i < template->n_entries; i++)
    vtr_push_note_written (pushed, template->entries[i].dstBinding,
                           template->entries[i].dstArrayElement,
                           template->entries[i].descriptorCount);
  vtr_push_end (vk, pushed, commandBuffer, layout);
}

#ifdef VK_KHR_maintenance6
static const struct
{
  VkPipelineBindPoint point;
  VkShaderStageFlags stages;
} points[] = {
  { VK_PIPELINE_BIND_POINT_GRAPHICS, VK_SHADER_STAGE_ALL_GRAPHICS | VK_SHADER_STAGE_TASK_BIT_EXT |
                                       VK_SHADER_STAGE_MESH_BIT_EXT },
  { VK_PIPELINE_BIND_POINT_COMPUTE, VK_SHADER_STAGE_COMPUTE_BIT },
  { VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR,
    VK_SHADER_STAGE_RAYGEN_BIT_KHR | VK_SHADER_STAGE_ANY_HIT_BIT_KHR |
      VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR | VK_SHADER_STAGE_MISS_BIT_KHR |
      VK_SHADER_STAGE_INTERSECTION_BIT_KHR | VK_SHADER_STAGE_CALLABLE_BIT_KHR },
};

/* The command is called if the driver has it; otherwise an older one for each bind point. */
void
vtr_override_vkCmdPushDescriptorSet2KHR (VtrReplayVk                      *vk,
                                         VkCommandBuffer                   commandBuffer,
                                         const VkPushDescriptorSetInfoKHR *pPushDescriptorSetInfo)
{
  const VkPushDescriptorSetInfoKHR *info = pPushDescriptorSetInfo;
  VtrTable *table =
    vtr_table_of (vk, VTR_HANDLE_VkCommandBuffer, VTR_HANDLE_BITS (commandBuffer));
  PFN_vkCmdPushDescriptorSet2KHR call;

  if (table == NULL)
    return;
  call = (PFN_vkCmdPushDescriptorSet2KHR)vtr_table_get (vk, table,
                                                        VTR_CMD_vkCmdPushDescriptorSet2KHR);
  if (call != NULL && !table->emulates_push)
    {
      call (commandBuffer, info);
      return;
    }
  for (size_t i = 0; i < sizeof points / sizeof points[0]; i++)
    if ((info->stageFlags & points[i].stages) != 0)
      vtr_override_vkCmdPushDescriptorSetKHR (vk, commandBuffer, points[i].point, info->layout,
                                              info->set, info->descriptorWriteCount,
                                              info->pDescriptorWrites);
}

void
vtr_override_vkCmdPushDescriptorSetWithTemplate2KHR (
  VtrReplayVk *vk,
  VkCommandBuffer commandBuffer,
  const VkPushDescriptorSetWithTemplateInfoKHR *pPushDescriptorSetWithTemplateInfo)
{
  const VkPushDescriptorSetWithTemplateInfoKHR *info = pPushDescriptorSetWithTemplateInfo;
  VtrTable *table =
    vtr_table_of (vk, VTR_HANDLE_VkCommandBuffer, VTR_HANDLE_BITS (commandBuffer));
  PFN_vkCmdPushDescriptorSetWithTemplate2KHR call;

  if (table == NULL)
    return;
  call = (PFN_vkCmdPushDescriptorSetWithTemplate2KHR)vtr_table_get (
    vk, table, VTR_CMD_vkCmdPushDescriptorSetWithTemplate2KHR);
  if (call != NULL && !table->emulates_push)
    call (commandBuffer, info);
  else
    vtr_override_vkCmdPushDescriptorSetWithTemplateKHR (
      vk, commandBuffer, info->descriptorUpdateTemplate, info->layout, info->set, info->pData);
}
#endif
