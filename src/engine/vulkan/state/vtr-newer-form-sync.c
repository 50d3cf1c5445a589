/* Makes the second versions of barriers, waits for events and submissions. */
#include "engine/vulkan/state/vtr-newer-form-private.h"

/* --- Barriers -------------------------------------------------------------------------------- */

typedef struct
{
  VkPipelineStageFlags source, destination;
  VkDependencyFlags flags;
  guint32 n_memory, n_buffers, n_images;
  const VkMemoryBarrier *memory;
  const VkBufferMemoryBarrier *buffers;
  const VkImageMemoryBarrier *images;
} OlderBarriers;

static VkMemoryBarrier2 *
read_memory_barriers (VtrNewerForm        *self,
                      const OlderBarriers *from)
{
  VkMemoryBarrier2 *barriers;

  if (from->memory == NULL)
    return NULL;
  barriers = TAKE (self, from->n_memory, VkMemoryBarrier2);
  for (guint32 i = 0; i < from->n_memory; i++)
    barriers[i] = (VkMemoryBarrier2){ .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
                                      .pNext = from->memory[i].pNext,
                                      .srcStageMask = from->source,
                                      .srcAccessMask = from->memory[i].srcAccessMask,
                                      .dstStageMask = from->destination,
                                      .dstAccessMask = from->memory[i].dstAccessMask };
  return barriers;
}

static VkBufferMemoryBarrier2 *
read_buffer_barriers (VtrNewerForm        *self,
                      const OlderBarriers *from)
{
  VkBufferMemoryBarrier2 *barriers;

  if (from->buffers == NULL)
    return NULL;
  barriers = TAKE (self, from->n_buffers, VkBufferMemoryBarrier2);
  for (guint32 i = 0; i < from->n_buffers; i++)
    {
      const VkBufferMemoryBarrier *barrier = &from->buffers[i];

      barriers[i] = (VkBufferMemoryBarrier2){ .sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER_2,
                                              .pNext = barrier->pNext,
                                              .srcStageMask = from->source,
                                              .srcAccessMask = barrier->srcAccessMask,
                                              .dstStageMask = from->destination,
                                              .dstAccessMask = barrier->dstAccessMask,
                                              .srcQueueFamilyIndex = barrier->srcQueueFamilyIndex,
                                              .dstQueueFamilyIndex = barrier->dstQueueFamilyIndex,
                                              .buffer = barrier->buffer,
                                              .offset = barrier->offset,
                                              .size = barrier->size };
    }
  return barriers;
}

static VkImageMemoryBarrier2 *
read_image_barriers (VtrNewerForm        *self,
                     const OlderBarriers *from)
{
  VkImageMemoryBarrier2 *barriers;

  if (from->images == NULL)
    return NULL;
  barriers = TAKE (self, from->n_images, VkImageMemoryBarrier2);
  for (guint32 i = 0; i < from->n_images; i++)
    {
      const VkImageMemoryBarrier *barrier = &from->images[i];

      barriers[i] = (VkImageMemoryBarrier2){ .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2,
                                             .pNext = barrier->pNext,
                                             .srcStageMask = from->source,
                                             .srcAccessMask = barrier->srcAccessMask,
                                             .dstStageMask = from->destination,
                                             .dstAccessMask = barrier->dstAccessMask,
                                             .oldLayout = barrier->oldLayout,
                                             .newLayout = barrier->newLayout,
                                             .srcQueueFamilyIndex = barrier->srcQueueFamilyIndex,
                                             .dstQueueFamilyIndex = barrier->dstQueueFamilyIndex,
                                             .image = barrier->image,
                                             .subresourceRange = barrier->subresourceRange };
    }
  return barriers;
}

/* Without any barrier, stages still wait for stages: a barrier of all memory without an access. */
static void
read_dependency (VtrNewerForm        *self,
                 const OlderBarriers *from,
                 VkDependencyInfo    *to)
{
  static const VkMemoryBarrier execution = { VK_STRUCTURE_TYPE_MEMORY_BARRIER };
  OlderBarriers barriers = *from;

  if (from->n_memory == 0 && from->n_buffers == 0 && from->n_images == 0)
    {
      barriers.n_memory = 1;
      barriers.memory = &execution;
    }
  to->sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO;
  to->dependencyFlags = barriers.flags;
  to->memoryBarrierCount = barriers.n_memory;
  to->pMemoryBarriers = read_memory_barriers (self, &barriers);
  to->bufferMemoryBarrierCount = barriers.n_buffers;
  to->pBufferMemoryBarriers = read_buffer_barriers (self, &barriers);
  to->imageMemoryBarrierCount = barriers.n_images;
  to->pImageMemoryBarriers = read_image_barriers (self, &barriers);
}

static void
read_waits (VtrNewerForm                  *self,
            const VtrArgs_vkCmdWaitEvents *from)
{
  const OlderBarriers barriers = { from->srcStageMask,
                                   from->dstStageMask,
                                   0,
                                   from->memoryBarrierCount,
                                   from->bufferMemoryBarrierCount,
                                   from->imageMemoryBarrierCount,
                                   from->pMemoryBarriers,
                                   from->pBufferMemoryBarriers,
                                   from->pImageMemoryBarriers };
  const OlderBarriers nothing = { from->srcStageMask, from->dstStageMask };
  VtrArgs_vkCmdWaitEvents2 *args = TAKE (self, 1, VtrArgs_vkCmdWaitEvents2);
  VkDependencyInfo *dependencies = TAKE (self, from->eventCount, VkDependencyInfo);

  for (guint32 i = 0; i < from->eventCount; i++)
    read_dependency (self, i == 0 ? &barriers : &nothing, &dependencies[i]);
  args->commandBuffer = from->commandBuffer;
  args->eventCount = from->eventCount;
  args->pEvents = from->pEvents;
  args->pDependencyInfos = dependencies;
  self->command.args = args;
}

void
vtr_newer_form_read_barriers (VtrNewerForm     *self,
                              const VtrCommand *command)
{
  if (self->command.id == VTR_CMD_vkCmdWaitEvents2)
    read_waits (self, command->args);
  else
    {
      const VtrArgs_vkCmdPipelineBarrier *from = command->args;
      const OlderBarriers barriers = { from->srcStageMask,
                                       from->dstStageMask,
                                       from->dependencyFlags,
                                       from->memoryBarrierCount,
                                       from->bufferMemoryBarrierCount,
                                       from->imageMemoryBarrierCount,
                                       from->pMemoryBarriers,
                                       from->pBufferMemoryBarriers,
                                       from->pImageMemoryBarriers };
      VtrArgs_vkCmdPipelineBarrier2 *args = TAKE (self, 1, VtrArgs_vkCmdPipelineBarrier2);
      VkDependencyInfo *dependency = TAKE (self, 1, VkDependencyInfo);

      read_dependency (self, &barriers, dependency);
      args->commandBuffer = from->commandBuffer;
      args->pDependencyInfo = dependency;
      self->command.args = args;
    }
}

/* --- Submissions ----------------------------------------------------------------------------- */

/* Reads the data about a submission's semaphores from chained structures. */
typedef struct
{
  guint32 n, n_values, n_devices;
  const VkSemaphore *semaphores;
  const VkPipelineStageFlags *stages; /* NULL: all */
  const guint64 *values;
  const guint32 *devices;
} OlderSemaphores;

static VkSemaphoreSubmitInfo *
read_semaphores (VtrNewerForm          *self,
                 const OlderSemaphores *from)
{
  VkSemaphoreSubmitInfo *infos;

  if (from->semaphores == NULL)
    return NULL;
  infos = TAKE (self, from->n, VkSemaphoreSubmitInfo);
  for (guint32 i = 0; i < from->n; i++)
    {
      infos[i].sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO;
      infos[i].semaphore = from->semaphores[i];
      infos[i].stageMask =
        from->stages != NULL ? from->stages[i] : VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
      if (from->values != NULL && i < from->n_values)
        infos[i].value = from->values[i];
      if (from->devices != NULL && i < from->n_devices)
        infos[i].deviceIndex = from->devices[i];
    }
  return infos;
}

static VkCommandBufferSubmitInfo *
read_command_buffers (VtrNewerForm                  *self,
                      const VkSubmitInfo            *from,
                      const VkDeviceGroupSubmitInfo *group)
{
  VkCommandBufferSubmitInfo *infos;

  if (from->pCommandBuffers == NULL)
    return NULL;
  infos = TAKE (self, from->commandBufferCount, VkCommandBufferSubmitInfo);
  for (guint32 i = 0; i < from->commandBufferCount; i++)
    {
      infos[i].sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO;
      infos[i].commandBuffer = from->pCommandBuffers[i];
      if (group != NULL && group->pCommandBufferDeviceMasks != NULL &&
          i < group->commandBufferCount)
        infos[i].deviceMask = group->pCommandBufferDeviceMasks[i];
    }
  return infos;
}

static void
read_submit (VtrNewerForm       *self,
             const VkSubmitInfo *from,
             VkSubmitInfo2      *to)
{
  const VkTimelineSemaphoreSubmitInfo *values =
    vtr_api_find_next (from->pNext, VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO);
  const VkDeviceGroupSubmitInfo *group =
    vtr_api_find_next (from->pNext, VK_STRUCTURE_TYPE_DEVICE_GROUP_SUBMIT_INFO);
  const VkProtectedSubmitInfo *protection =
    vtr_api_find_next (from->pNext, VK_STRUCTURE_TYPE_PROTECTED_SUBMIT_INFO);
  OlderSemaphores waits = { .n = from->waitSemaphoreCount,
                            .semaphores = from->pWaitSemaphores,
                            .stages = from->pWaitDstStageMask };
  OlderSemaphores signals = { .n = from->signalSemaphoreCount,
                              .semaphores = from->pSignalSemaphores };

  if (values != NULL)
    {
      waits.n_values = values->waitSemaphoreValueCount;
      waits.values = values->pWaitSemaphoreValues;
      signals.n_values = values->signalSemaphoreValueCount;
      signals.values = values->pSignalSemaphoreValues;
    }
  if (group != NULL)
    {
      waits.n_devices = group->waitSemaphoreCount;
      waits.devices = group->pWaitSemaphoreDeviceIndices;
      signals.n_devices = group->signalSemaphoreCount;
      signals.devices = group->pSignalSemaphoreDeviceIndices;
    }
  to->sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2;
  to->pNext = from->pNext;
  to->flags = protection != NULL && protection->protectedSubmit ? VK_SUBMIT_PROTECTED_BIT : 0;
  to->waitSemaphoreInfoCount = from->waitSemaphoreCount;
  to->pWaitSemaphoreInfos = read_semaphores (self, &waits);
  to->commandBufferInfoCount = from->commandBufferCount;
  to->pCommandBufferInfos = read_command_buffers (self, from, group);
  to->signalSemaphoreInfoCount = from->signalSemaphoreCount;
  to->pSignalSemaphoreInfos = read_semaphores (self, &signals);
}

void
vtr_newer_form_read_submission (VtrNewerForm                *self,
                                const VtrArgs_vkQueueSubmit *from)
{
  VtrArgs_vkQueueSubmit2 *args = TAKE (self, 1, VtrArgs_vkQueueSubmit2);
  VkSubmitInfo2 *submits = NULL;

  if (from->pSubmits != NULL)
    {
      submits = TAKE (self, from->submitCount, VkSubmitInfo2);
      for (guint32 i = 0; i < from->submitCount; i++)
        read_submit (self, &from->pSubmits[i], &submits[i]);
    }
  args->queue = from->queue;
  args->submitCount = from->submitCount;
  args->pSubmits = submits;
  args->fence = from->fence;
  self->command.args = args;
}
