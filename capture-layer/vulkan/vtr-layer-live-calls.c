/* Follows calls that change living objects. */
#include "vtr-layer-live-execution-sets.h"
#include "vtr-layer-live-state.h"

#include <string.h>

/* The parameters of @cmd, which a switch has found. */
#define ARGS(cmd) ((const VtrArgs_##cmd *)args)

/* Which of an object's records is meant; one of a kind. */
typedef enum
{
  RECORD_BIND = 1,
  RECORD_BIND_PLANE_1,
  RECORD_BIND_PLANE_2,
  RECORD_MAP,
  RECORD_OTHERS = 16, /* and the command */
} RecordKey;

/* The record of what @cmd says about a part of an object. */
static uint64_t
key_of_part (VtrCmdId cmd,
             uint32_t part)
{
  return (uint64_t)part << 32 | (RECORD_OTHERS + cmd);
}

static uint64_t
key (const void *handle)
{
  return (uint64_t)(uintptr_t)handle;
}

static void
keep_record (VtrLayerWorld  *world,
             VtrLayerObject *object,
             uint64_t        which,
             VtrCmdId        cmd,
             const void     *args,
             int64_t         result)
{
  VtrLayerRecord *record;

  if (object == NULL)
    return;
  record = vtr_layer_record_new (world, cmd, args, result);
  if (record == NULL)
    {
      vtr_layer_live_fail (VTR_LAYER_NO_MEMORY);
      return;
    }
  vtr_layer_object_set_record (object, which, record);
}

/* ---- Memory ---- */

static void
bind_buffer (VtrLayerWorld  *world,
             uint64_t        handle,
             VkDeviceMemory  memory,
             uint64_t        offset,
             VtrCmdId        cmd,
             const void     *args,
             int64_t         result)
{
  VtrLayerObject *object = vtr_layer_live_find (world, VTR_HANDLE_VkBuffer, handle);
  VtrLayerBuffer *buffer = object != NULL ? object->state : NULL;

  if (buffer == NULL)
    return;
  buffer->memory = memory;
  buffer->offset = offset;
  keep_record (world, object, RECORD_BIND, cmd, args, result);
}

static void
bind_image (VtrLayerWorld               *world,
            const VkBindImageMemoryInfo *info,
            VtrCmdId                     cmd,
            const void                  *args,
            int64_t                      result)
{
  const VkBindImagePlaneMemoryInfo *plane =
    vtr_api_find_next (info->pNext, VK_STRUCTURE_TYPE_BIND_IMAGE_PLANE_MEMORY_INFO);
  VtrLayerObject *object = vtr_layer_live_find (world, VTR_HANDLE_VkImage, key (info->image));
  VtrLayerImage *image = object != NULL ? object->state : NULL;
  uint32_t which = RECORD_BIND;

  if (image == NULL)
    return;
  image->memory = info->memory;
  image->offset = info->memoryOffset;
  if (plane != NULL)
    {
      image->disjoint = true;
      which += plane->planeAspect == VK_IMAGE_ASPECT_PLANE_1_BIT   ? 1
               : plane->planeAspect == VK_IMAGE_ASPECT_PLANE_2_BIT ? 2
                                                                   : 0;
    }
  keep_record (world, object, which, cmd, args, result);
}

static void
bind_buffers (VtrLayerWorld                     *world,
              VtrCmdId                           cmd,
              const VtrArgs_vkBindBufferMemory2 *args,
              int64_t                            result)
{
  for (uint32_t i = 0; i < args->bindInfoCount; i++)
    {
      const VkBindBufferMemoryInfo *info = &args->pBindInfos[i];
      const VtrArgs_vkBindBufferMemory2 one = { args->device, 1, info };

      bind_buffer (world, key (info->buffer), info->memory, info->memoryOffset,
                   cmd, &one, result);
    }
}

static void
bind_images (VtrLayerWorld                    *world,
             VtrCmdId                          cmd,
             const VtrArgs_vkBindImageMemory2 *args,
             int64_t                           result)
{
  for (uint32_t i = 0; i < args->bindInfoCount; i++)
    {
      const VtrArgs_vkBindImageMemory2 one = { args->device, 1, &args->pBindInfos[i] };

      bind_image (world, &args->pBindInfos[i], cmd, &one, result);
    }
}

static void
map_memory (VtrLayerWorld  *world,
            VkDeviceMemory  memory,
            uint64_t        offset,
            uint64_t        size,
            void           *address,
            VtrCmdId        cmd,
            const void     *args)
{
  VtrLayerObject *object = vtr_layer_live_find (world, VTR_HANDLE_VkDeviceMemory, key (memory));
  VtrLayerDeviceMemory *self = object != NULL ? object->state : NULL;

  if (self == NULL || offset > self->size)
    return;
  self->mapped = address;
  self->map_offset = offset;
  self->map_size = size > self->size - offset ? self->size - offset : size;
  keep_record (world, object, RECORD_MAP, cmd, args, VK_SUCCESS);
}

static void
unmap_memory (VtrLayerWorld  *world,
              VkDeviceMemory  memory)
{
  VtrLayerObject *object = vtr_layer_live_find (world, VTR_HANDLE_VkDeviceMemory, key (memory));
  VtrLayerDeviceMemory *self = object != NULL ? object->state : NULL;

  if (self == NULL)
    return;
  self->mapped = NULL;
  vtr_layer_object_set_record (object, RECORD_MAP, NULL);
}

/* ---- Submissions ---- */

static uint32_t
get_family (VtrLayerWorld *world,
            VkQueue        queue)
{
  const VtrLayerQueue *self = vtr_layer_live_state (world, VTR_HANDLE_VkQueue, key (queue));

  return self != NULL ? self->family : VK_QUEUE_FAMILY_IGNORED;
}

static void
run_command_buffer (VtrLayerWorld   *world,
                    VkQueue          queue,
                    VkCommandBuffer  handle)
{
  VtrLayerCommandBuffer *self = vtr_layer_command_buffer (handle);

  if (self == NULL)
    return;
  vtr_layer_live_apply (world, &self->effects, get_family (world, queue));
  vtr_layer_live_note_reach (world, &self->reach);
  if (!self->one_time)
    return;
  vtr_ring_block_drop (&self->batch.kept);
  self->batch.lost = false;
}

static void
signal_semaphore (VtrLayerWorld *world,
                  VkSemaphore    handle,
                  bool           signalled,
                  uint64_t       acquire)
{
  VtrLayerSemaphore *self = vtr_layer_live_state (world, VTR_HANDLE_VkSemaphore, key (handle));

  if (self == NULL)
    return;
  self->signalled = signalled;
  self->acquire = acquire;
}

static void
submit (VtrLayerWorld               *world,
        const VtrArgs_vkQueueSubmit *args)
{
  for (uint32_t i = 0; i < args->submitCount; i++)
    {
      const VkSubmitInfo *each = &args->pSubmits[i];

      for (uint32_t j = 0; j < each->waitSemaphoreCount; j++)
        signal_semaphore (world, each->pWaitSemaphores[j], false, 0);
      for (uint32_t j = 0; j < each->commandBufferCount; j++)
        run_command_buffer (world, args->queue, each->pCommandBuffers[j]);
      for (uint32_t j = 0; j < each->signalSemaphoreCount; j++)
        signal_semaphore (world, each->pSignalSemaphores[j], true, 0);
    }
}

static void
submit2 (VtrLayerWorld                *world,
         const VtrArgs_vkQueueSubmit2 *args)
{
  for (uint32_t i = 0; i < args->submitCount; i++)
    {
      const VkSubmitInfo2 *each = &args->pSubmits[i];

      for (uint32_t j = 0; j < each->waitSemaphoreInfoCount; j++)
        signal_semaphore (world, each->pWaitSemaphoreInfos[j].semaphore, false, 0);
      for (uint32_t j = 0; j < each->commandBufferInfoCount; j++)
        run_command_buffer (world, args->queue, each->pCommandBufferInfos[j].commandBuffer);
      for (uint32_t j = 0; j < each->signalSemaphoreInfoCount; j++)
        signal_semaphore (world, each->pSignalSemaphoreInfos[j].semaphore, true, 0);
    }
}

static void
bind_sparse (VtrLayerWorld                   *world,
             const VtrArgs_vkQueueBindSparse *args)
{
  for (uint32_t i = 0; i < args->bindInfoCount; i++)
    {
      const VkBindSparseInfo *each = &args->pBindInfo[i];

      for (uint32_t j = 0; j < each->waitSemaphoreCount; j++)
        signal_semaphore (world, each->pWaitSemaphores[j], false, 0);
      for (uint32_t j = 0; j < each->signalSemaphoreCount; j++)
        signal_semaphore (world, each->pSignalSemaphores[j], true, 0);
      vtr_layer_live_bind_sparse (world, each);
    }
}

/* An imported sync file is a single signal that moves with its semaphore. Every other import is
 * shared from then on, and has to be in the recording. */
static void
import_semaphore (VtrLayerWorld *world,
                  VtrCmdId       called,
                  const void    *args,
                  int64_t        result)
{
  const VkImportSemaphoreFdInfoKHR *info =
    ARGS (vkImportSemaphoreFdKHR)->pImportSemaphoreFdInfo;

  if (info->handleType == VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT)
    signal_semaphore (world, info->semaphore, true, 0);
  else
    keep_record (world,
                 vtr_layer_live_find (world, VTR_HANDLE_VkSemaphore, key (info->semaphore)),
                 RECORD_OTHERS + VTR_CMD_vkImportSemaphoreFdKHR, called, args, result);
}

static void
import_fence (VtrLayerWorld *world,
              VtrCmdId       called,
              const void    *args,
              int64_t        result)
{
  const VkImportFenceFdInfoKHR *info = ARGS (vkImportFenceFdKHR)->pImportFenceFdInfo;

  if (info->handleType != VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT)
    keep_record (world, vtr_layer_live_find (world, VTR_HANDLE_VkFence, key (info->fence)),
                 RECORD_OTHERS + VTR_CMD_vkImportFenceFdKHR, called, args, result);
}

static void
export_semaphore (VtrLayerWorld                 *world,
                  const VkSemaphoreGetFdInfoKHR *info)
{
  if (info->handleType == VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT)
    signal_semaphore (world, info->semaphore, false, 0);
}

/* ---- Swapchains ---- */

static VtrLayerImage *
get_swapchain_image (VtrLayerWorld  *world,
                     VkSwapchainKHR  handle,
                     uint32_t        index,
                     uint64_t       *out)
{
  const VtrLayerSwapchain *self =
    vtr_layer_live_state (world, VTR_HANDLE_VkSwapchainKHR, key (handle));

  if (self == NULL || index >= self->n_images)
    return NULL;
  *out = key (self->images[index]);
  return vtr_layer_live_state (world, VTR_HANDLE_VkImage, *out);
}

static void
acquire (VtrLayerWorld  *world,
         VkSwapchainKHR  swapchain,
         VkSemaphore     semaphore,
         const uint32_t *index,
         int64_t         result)
{
  uint64_t handle = 0;
  VtrLayerImage *image;

  if (result != VK_SUCCESS && result != VK_SUBOPTIMAL_KHR)
    return;
  image = get_swapchain_image (world, swapchain, *index, &handle);
  if (image != NULL)
    image->acquired = true;
  signal_semaphore (world, semaphore, true, handle);
}

static void
present (VtrLayerWorld          *world,
         const VkPresentInfoKHR *info)
{
  for (uint32_t i = 0; i < info->waitSemaphoreCount; i++)
    signal_semaphore (world, info->pWaitSemaphores[i], false, 0);
  for (uint32_t i = 0; i < info->swapchainCount; i++)
    {
      uint64_t handle;
      VtrLayerImage *image =
        get_swapchain_image (world, info->pSwapchains[i], info->pImageIndices[i], &handle);

      if (image != NULL)
        image->acquired = false;
    }
}

static void
release_images (VtrLayerWorld                         *world,
                const VkReleaseSwapchainImagesInfoEXT *info)
{
  for (uint32_t i = 0; i < info->imageIndexCount; i++)
    {
      uint64_t handle;
      VtrLayerImage *image =
        get_swapchain_image (world, info->swapchain, info->pImageIndices[i], &handle);

      if (image != NULL)
        image->acquired = false;
    }
}

/* ---- Others ---- */

/* Facts about one object that are useful when it is inspected (names, addresses, layouts of rows)
 * or replayed (the bytes of an image, so that none of them is taken for the CPU's). */
static VtrLayerObject *
get_subject (VtrLayerWorld *world,
             VtrCmdId       cmd,
             const void    *args)
{
  const VkDebugUtilsObjectNameInfoEXT *name;

  switch (cmd)
    {
    case VTR_CMD_vkSetDebugUtilsObjectNameEXT:
      name = ARGS (vkSetDebugUtilsObjectNameEXT)->pNameInfo;
      return vtr_layer_live_find (
        world, vtr_handle_from_object_type (vtr_api_of (cmd), (uint32_t)name->objectType),
        name->objectHandle);
    case VTR_CMD_vkGetBufferDeviceAddress:
      return vtr_layer_live_find (world, VTR_HANDLE_VkBuffer,
                                  key (ARGS (vkGetBufferDeviceAddress)->pInfo->buffer));
    case VTR_CMD_vkGetAccelerationStructureDeviceAddressKHR:
      return vtr_layer_live_find (
        world, VTR_HANDLE_VkAccelerationStructureKHR,
        key (ARGS (vkGetAccelerationStructureDeviceAddressKHR)->pInfo->accelerationStructure));
    case VTR_CMD_vkGetRayTracingShaderGroupHandlesKHR:
      return vtr_layer_live_find (
        world, VTR_HANDLE_VkPipeline,
        key (ARGS (vkGetRayTracingShaderGroupHandlesKHR)->pipeline));
    case VTR_CMD_vkGetImageSubresourceLayout:
      return vtr_layer_live_find (world, VTR_HANDLE_VkImage,
                                  key (ARGS (vkGetImageSubresourceLayout)->image));
    case VTR_CMD_vkGetImageMemoryRequirements:
      return vtr_layer_live_find (world, VTR_HANDLE_VkImage,
                                  key (ARGS (vkGetImageMemoryRequirements)->image));
    case VTR_CMD_vkGetImageMemoryRequirements2:
      return vtr_layer_live_find (world, VTR_HANDLE_VkImage,
                                  key (ARGS (vkGetImageMemoryRequirements2)->pInfo->image));
    default:
      return NULL;
    }
}

/* The part of an object that the call is about. */
static uint32_t
get_part (VtrCmdId    cmd,
          const void *args)
{
  return cmd == VTR_CMD_vkGetRayTracingShaderGroupHandlesKHR
           ? ARGS (vkGetRayTracingShaderGroupHandlesKHR)->firstGroup
           : 0;
}

/* Addresses that the program was told: descriptors name them. */
static void
note_address (VtrLayerWorld *world,
              VtrCmdId       cmd,
              const void    *args,
              int64_t        result)
{
  VtrLayerObject *object = get_subject (world, cmd, args);

  if (object == NULL || object->state == NULL)
    return;
  if (object->type == VTR_HANDLE_VkBuffer)
    ((VtrLayerBuffer *)object->state)->address = (uint64_t)result;
  else if (object->type == VTR_HANDLE_VkAccelerationStructureKHR)
    ((VtrLayerStructure *)object->state)->address = (uint64_t)result;
}

static void
tell_descriptor (VtrLayerWorld                    *world,
                 VtrCmdId                          called,
                 const VtrArgs_vkGetDescriptorEXT *args)
{
  uint32_t part;
  VtrLayerObject *object = vtr_layer_descriptor_get_subject (world, args->pDescriptorInfo, &part);

  if (object != NULL)
    keep_record (world, object, key_of_part (VTR_CMD_vkGetDescriptorEXT, part),
                 called, args, 0);
  else
    vtr_layer_descriptors_note (world, args);
}

static void
build_structures (VtrLayerWorld                                  *world,
                  const VtrArgs_vkBuildAccelerationStructuresKHR *args)
{
  for (uint32_t i = 0; i < args->infoCount; i++)
    vtr_layer_live_set_built (world, args->pInfos[i].dstAccelerationStructure);
}

static void
reset_descriptor_pool (VtrLayerWorld    *world,
                       VkDescriptorPool  pool)
{
  VtrLayerObject *object = vtr_layer_live_find (world, VTR_HANDLE_VkDescriptorPool, key (pool));

  if (object != NULL)
    vtr_layer_object_end_owned (world, object);
}

static void
reset_queries (VtrLayerWorld *world,
               VkQueryPool    pool)
{
  VtrLayerQueryPool *self = vtr_layer_live_state (world, VTR_HANDLE_VkQueryPool, key (pool));

  if (self != NULL)
    self->reset = true;
}

static void
change_buffer_or_image (VtrLayerWorld *world,
                        VtrCmdId       cmd,
                        const void    *args,
                        int64_t        result)
{
  if (cmd == VTR_CMD_vkBindBufferMemory)
    bind_buffer (world, key (ARGS (vkBindBufferMemory)->buffer), ARGS (vkBindBufferMemory)->memory,
                 ARGS (vkBindBufferMemory)->memoryOffset, cmd, args, result);
  else
    {
      const VtrArgs_vkBindImageMemory *bind = args;
      const VkBindImageMemoryInfo info = { VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_INFO, NULL,
                                           bind->image, bind->memory, bind->memoryOffset };

      bind_image (world, &info, cmd, args, result);
    }
}

#ifdef VK_EXT_host_image_copy
/* At once: the host does it itself. */
static void
move_layouts (VtrLayerWorld                            *world,
              const VtrArgs_vkTransitionImageLayoutEXT *args)
{
  for (uint32_t i = 0; i < args->transitionCount; i++)
    vtr_layer_live_set_layout (world, (uint64_t)(uintptr_t)args->pTransitions[i].image,
                               &args->pTransitions[i].subresourceRange,
                               args->pTransitions[i].newLayout, VK_QUEUE_FAMILY_IGNORED);
}
#endif

bool
vtr_layer_live_changes (VtrCmdId cmd)
{
  switch (cmd)
    {
    case VTR_CMD_vkBindBufferMemory:
    case VTR_CMD_vkBindBufferMemory2:
    case VTR_CMD_vkBindImageMemory:
    case VTR_CMD_vkBindImageMemory2:
    case VTR_CMD_vkMapMemory:
    case VTR_CMD_vkUnmapMemory:
#ifdef VK_KHR_map_memory2
    case VTR_CMD_vkMapMemory2KHR:
    case VTR_CMD_vkUnmapMemory2KHR:
#endif
    case VTR_CMD_vkQueueSubmit:
    case VTR_CMD_vkQueueSubmit2:
    case VTR_CMD_vkQueueBindSparse:
    case VTR_CMD_vkQueuePresentKHR:
    case VTR_CMD_vkAcquireNextImageKHR:
    case VTR_CMD_vkAcquireNextImage2KHR:
    case VTR_CMD_vkReleaseSwapchainImagesEXT:
    case VTR_CMD_vkImportFenceFdKHR:
    case VTR_CMD_vkImportSemaphoreFdKHR:
    case VTR_CMD_vkGetSemaphoreFdKHR:
    case VTR_CMD_vkUpdateDescriptorSets:
    case VTR_CMD_vkUpdateDescriptorSetWithTemplate:
    case VTR_CMD_vkResetDescriptorPool:
    case VTR_CMD_vkResetQueryPool:
    case VTR_CMD_vkBuildAccelerationStructuresKHR:
    case VTR_CMD_vkCopyAccelerationStructureKHR:
    case VTR_CMD_vkCopyMemoryToAccelerationStructureKHR:
    case VTR_CMD_vkSetDebugUtilsObjectNameEXT:
    case VTR_CMD_vkGetBufferDeviceAddress:
    case VTR_CMD_vkGetAccelerationStructureDeviceAddressKHR:
    case VTR_CMD_vkGetRayTracingShaderGroupHandlesKHR:
    case VTR_CMD_vkGetDescriptorEXT:
    case VTR_CMD_vkGetImageSubresourceLayout:
    case VTR_CMD_vkGetImageMemoryRequirements:
    case VTR_CMD_vkGetImageMemoryRequirements2:
#ifdef VK_EXT_host_image_copy
    case VTR_CMD_vkTransitionImageLayoutEXT:
#endif
      return true;
    default:
      return vtr_layer_updates_execution_set (cmd);
    }
}

/* Calls that take effect whatever their result is. */
static void
change_synchronisation (VtrLayerWorld *world,
                        VtrCmdId       cmd,
                        const void    *args,
                        int64_t        result)
{
  switch (cmd)
    {
    case VTR_CMD_vkQueueSubmit:
      submit (world, args);
      vtr_layer_live_note_waits (world, cmd, args);
      break;
    case VTR_CMD_vkQueueSubmit2:
      submit2 (world, args);
      vtr_layer_live_note_waits (world, cmd, args);
      break;
    case VTR_CMD_vkQueueBindSparse:
      bind_sparse (world, args);
      vtr_layer_live_note_waits (world, cmd, args);
      break;
    case VTR_CMD_vkQueuePresentKHR:
      present (world, ARGS (vkQueuePresentKHR)->pPresentInfo);
      break;
    case VTR_CMD_vkAcquireNextImageKHR:
      acquire (world, ARGS (vkAcquireNextImageKHR)->swapchain,
               ARGS (vkAcquireNextImageKHR)->semaphore, ARGS (vkAcquireNextImageKHR)->pImageIndex,
               result);
      break;
    case VTR_CMD_vkAcquireNextImage2KHR:
      acquire (world, ARGS (vkAcquireNextImage2KHR)->pAcquireInfo->swapchain,
               ARGS (vkAcquireNextImage2KHR)->pAcquireInfo->semaphore,
               ARGS (vkAcquireNextImage2KHR)->pImageIndex, result);
      break;
    case VTR_CMD_vkReleaseSwapchainImagesEXT:
      release_images (world, ARGS (vkReleaseSwapchainImagesEXT)->pReleaseInfo);
      break;
    case VTR_CMD_vkSignalSemaphore:
      vtr_layer_live_note_waits (world, cmd, args);
      break;
    default:
      break;
    }
}

void
vtr_layer_live_changed (VtrLayerWorld *world,
                        VtrCmdId       called,
                        const void    *args,
                        int64_t        result)
{
  const VtrCmdId cmd = vtr_cmd_canonical (called);

  change_synchronisation (world, cmd, args, result);
  if (result < 0)
    return;
  switch (cmd)
    {
    case VTR_CMD_vkBindBufferMemory:
    case VTR_CMD_vkBindImageMemory:
      change_buffer_or_image (world, called, args, result);
      break;
    case VTR_CMD_vkBindBufferMemory2:
      bind_buffers (world, called, args, result);
      break;
    case VTR_CMD_vkBindImageMemory2:
      bind_images (world, called, args, result);
      break;
    case VTR_CMD_vkMapMemory:
      map_memory (world, ARGS (vkMapMemory)->memory, ARGS (vkMapMemory)->offset,
                  ARGS (vkMapMemory)->size, *ARGS (vkMapMemory)->ppData, called, args);
      break;
    case VTR_CMD_vkUnmapMemory:
      unmap_memory (world, ARGS (vkUnmapMemory)->memory);
      break;
#ifdef VK_KHR_map_memory2
    case VTR_CMD_vkMapMemory2KHR:
      map_memory (world, ARGS (vkMapMemory2KHR)->pMemoryMapInfo->memory,
                  ARGS (vkMapMemory2KHR)->pMemoryMapInfo->offset,
                  ARGS (vkMapMemory2KHR)->pMemoryMapInfo->size, *ARGS (vkMapMemory2KHR)->ppData,
                  called, args);
      break;
    case VTR_CMD_vkUnmapMemory2KHR:
      unmap_memory (world, ARGS (vkUnmapMemory2KHR)->pMemoryUnmapInfo->memory);
      break;
#endif
    case VTR_CMD_vkImportSemaphoreFdKHR:
      import_semaphore (world, called, args, result);
      break;
    case VTR_CMD_vkImportFenceFdKHR:
      import_fence (world, called, args, result);
      break;
    case VTR_CMD_vkGetSemaphoreFdKHR:
      export_semaphore (world, ARGS (vkGetSemaphoreFdKHR)->pGetFdInfo);
      break;
    case VTR_CMD_vkUpdateDescriptorSets:
      vtr_layer_set_update (world, args);
      break;
    case VTR_CMD_vkUpdateDescriptorSetWithTemplate:
      vtr_layer_set_update_with_template (world, args);
      break;
    case VTR_CMD_vkResetDescriptorPool:
      reset_descriptor_pool (world, ARGS (vkResetDescriptorPool)->descriptorPool);
      break;
    case VTR_CMD_vkResetQueryPool:
      reset_queries (world, ARGS (vkResetQueryPool)->queryPool);
      break;
#ifdef VK_EXT_host_image_copy
    case VTR_CMD_vkTransitionImageLayoutEXT:
      move_layouts (world, args);
      break;
#endif
    case VTR_CMD_vkBuildAccelerationStructuresKHR:
      build_structures (world, args);
      break;
    case VTR_CMD_vkCopyAccelerationStructureKHR:
      vtr_layer_live_set_built (world, ARGS (vkCopyAccelerationStructureKHR)->pInfo->dst);
      break;
    case VTR_CMD_vkCopyMemoryToAccelerationStructureKHR:
      vtr_layer_live_set_built (world, ARGS (vkCopyMemoryToAccelerationStructureKHR)->pInfo->dst);
      break;
    case VTR_CMD_vkGetDescriptorEXT:
      tell_descriptor (world, called, args);
      break;
    default:
      if (vtr_layer_updates_execution_set (cmd))
        {
          vtr_layer_execution_set_update (world, called, args);
          break;
        }
      note_address (world, cmd, args, result);
      keep_record (world, get_subject (world, cmd, args),
                   key_of_part (cmd, get_part (cmd, args)), called, args, result);
      break;
    }
}
