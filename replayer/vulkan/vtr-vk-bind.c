/* Implements the commands that bind memory: scattered memory (vtr-scatter.h), memory of the
 * virtual swapchain, and the driver's own. */
#include "vtr-overrides.h"
#include "vtr-virtual-swapchain.h"
#include "vtr-vk-sync.h"

#include "vtr-scatter.h"

/* Returns: scattered memory, or NULL. */
static VtrReplayObject *
find_scattered (VtrReplayVk    *vk,
                VkDeviceMemory  memory)
{
  VtrReplayObject *object =
    vtr_objects_find (vk, VTR_HANDLE_VkDeviceMemory, VTR_HANDLE_BITS (memory));

  return object != NULL && object->info.memory.scatter != NULL ? object : NULL;
}

/* Bytes before the captured memory, if it was placed at its captured address
 * (vtr-fixed-address.h). */
static uint64_t
memory_bias (VtrReplayVk    *vk,
             VkDeviceMemory  memory)
{
  const VtrReplayObject *object =
    vtr_objects_find (vk, VTR_HANDLE_VkDeviceMemory, VTR_HANDLE_BITS (memory));

  return object != NULL ? object->info.memory.place.bias : 0;
}

/* Where a buffer lies, for writes to memory that cannot be mapped. */
static void
note_place (VtrReplayVk    *vk,
            VkBuffer        buffer,
            VkDeviceMemory  memory,
            VkDeviceSize    offset)
{
  VtrReplayObject *object = vtr_objects_find (vk, VTR_HANDLE_VkBuffer, VTR_HANDLE_BITS (buffer));
  VtrReplayObject *place =
    vtr_objects_find (vk, VTR_HANDLE_VkDeviceMemory, VTR_HANDLE_BITS (memory));

  if (object == NULL || place == NULL)
    return;
  object->info.buffer.memory = place->serial;
  object->info.buffer.offset = offset;
}

VkResult
vtr_override_vkBindBufferMemory (VtrReplayVk    *vk,
                                 VkDevice        device,
                                 VkBuffer        buffer,
                                 VkDeviceMemory  memory,
                                 VkDeviceSize    memoryOffset)
{
  VtrTable *table = vtr_device_table (vk, device);
  VtrReplayObject *scattered = find_scattered (vk, memory);
  VtrReplayObject *object;

  if (table == NULL)
    return VK_ERROR_DEVICE_LOST;
  if (scattered == NULL)
    {
      note_place (vk, buffer, memory, memoryOffset);
      return VTR_CALL (vk, table, vkBindBufferMemory) (device, buffer, memory,
                                                       memoryOffset + memory_bias (vk, memory));
    }
  object = vtr_objects_need (vk, VTR_HANDLE_VkBuffer, VTR_HANDLE_BITS (buffer));
  if (object == NULL)
    return VK_ERROR_DEVICE_LOST;
  return vtr_scatter_bind_buffer (vk, scattered, object, memoryOffset);
}

VkResult
vtr_override_vkBindBufferMemory2 (VtrReplayVk                  *vk,
                                  VkDevice                      device,
                                  uint32_t                      bindInfoCount,
                                  const VkBindBufferMemoryInfo *pBindInfos)
{
  PFN_vkBindBufferMemory2 bind = (PFN_vkBindBufferMemory2)vtr_thunk_find (
    vk, VTR_HANDLE_VkDevice, VTR_HANDLE_BITS (device), VTR_CMD_vkBindBufferMemory2);
  VkResult result = VK_SUCCESS;

  if (bind == NULL || !vtr_replay_vk_has (vk, bindInfoCount, pBindInfos, "pBindInfos"))
    return VK_ERROR_DEVICE_LOST;
  for (uint32_t i = 0; i < bindInfoCount && result >= 0; i++)
    {
      const VkBindBufferMemoryInfo *info = &pBindInfos[i];

      if (find_scattered (vk, info->memory) != NULL)
        result = vtr_override_vkBindBufferMemory (vk, device, info->buffer, info->memory,
                                                  info->memoryOffset);
      else
        {
          VkBindBufferMemoryInfo own = *info;

          own.memoryOffset += memory_bias (vk, info->memory);
          note_place (vk, info->buffer, info->memory, info->memoryOffset);
          result = bind (device, 1, &own);
        }
    }
  return result;
}

static VkResult
bind_scattered_image (VtrReplayVk           *vk,
                      VtrReplayObject       *scattered,
                      VkImage                image,
                      VkDeviceSize           offset,
                      VkImageAspectFlagBits  plane)
{
  VtrReplayObject *object = vtr_objects_need (vk, VTR_HANDLE_VkImage, VTR_HANDLE_BITS (image));

  return object == NULL ? VK_ERROR_DEVICE_LOST
                        : vtr_scatter_bind_image (vk, scattered, object, offset, plane);
}

VkResult
vtr_override_vkBindImageMemory (VtrReplayVk    *vk,
                                VkDevice        device,
                                VkImage         image,
                                VkDeviceMemory  memory,
                                VkDeviceSize    memoryOffset)
{
  VtrTable *table = vtr_device_table (vk, device);
  VtrReplayObject *scattered = find_scattered (vk, memory);

  if (table == NULL)
    return VK_ERROR_DEVICE_LOST;
  if (scattered == NULL)
    return VTR_CALL (vk, table, vkBindImageMemory) (device, image, memory,
                                                    memoryOffset + memory_bias (vk, memory));
  return bind_scattered_image (vk, scattered, image, memoryOffset, 0);
}

/* An image made from a swapchain gets the memory of the virtual one's. */
static VkResult
bind_to_swapchain (VtrReplayVk                             *vk,
                   VkDevice                                 device,
                   const VkBindImageMemoryInfo             *info,
                   const VkBindImageMemorySwapchainInfoKHR *from,
                   PFN_vkBindImageMemory2                   bind)
{
  static const VkStructureType window[] = {
    VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_SWAPCHAIN_INFO_KHR,
  };
  VkBindImageMemoryInfo own = *info;

  own.memory = vtr_virtual_swapchain_memory (vk, from->swapchain, from->imageIndex);
  if (own.memory == VK_NULL_HANDLE)
    return VK_ERROR_OUT_OF_DEVICE_MEMORY;
  own.memoryOffset = 0;
  vtr_chain_remove (&own.pNext, window, 1);
  return bind (device, 1, &own);
}

VkResult
vtr_override_vkBindImageMemory2 (VtrReplayVk                 *vk,
                                 VkDevice                     device,
                                 uint32_t                     bindInfoCount,
                                 const VkBindImageMemoryInfo *pBindInfos)
{
  PFN_vkBindImageMemory2 bind = (PFN_vkBindImageMemory2)vtr_thunk_find (
    vk, VTR_HANDLE_VkDevice, VTR_HANDLE_BITS (device), VTR_CMD_vkBindImageMemory2);
  VkResult result = VK_SUCCESS;

  if (bind == NULL || !vtr_replay_vk_has (vk, bindInfoCount, pBindInfos, "pBindInfos"))
    return VK_ERROR_DEVICE_LOST;
  for (uint32_t i = 0; i < bindInfoCount && result >= 0; i++)
    {
      const VkBindImageMemoryInfo *info = &pBindInfos[i];
      const VkBindImageMemorySwapchainInfoKHR *from =
        vtr_chain_find (info->pNext, VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_SWAPCHAIN_INFO_KHR);
      const VkBindImagePlaneMemoryInfo *plane =
        vtr_chain_find (info->pNext, VK_STRUCTURE_TYPE_BIND_IMAGE_PLANE_MEMORY_INFO);
      VtrReplayObject *scattered = find_scattered (vk, info->memory);

      if (from != NULL && from->swapchain != VK_NULL_HANDLE)
        result = bind_to_swapchain (vk, device, info, from, bind);
      else if (scattered != NULL)
        result = bind_scattered_image (vk, scattered, info->image, info->memoryOffset,
                                       plane != NULL ? plane->planeAspect : 0);
      else
        {
          VkBindImageMemoryInfo own = *info;

          own.memoryOffset += memory_bias (vk, info->memory);
          result = bind (device, 1, &own);
        }
    }
  return result;
}

void
vtr_override_vkSetDeviceMemoryPriorityEXT (VtrReplayVk    *vk,
                                           VkDevice        device,
                                           VkDeviceMemory  memory,
                                           float           priority)
{
  VtrTable *table = vtr_device_table (vk, device);
  PFN_vkSetDeviceMemoryPriorityEXT set;

  if (table == NULL || find_scattered (vk, memory) != NULL)
    return;
  set = VTR_CALL (vk, table, vkSetDeviceMemoryPriorityEXT);
  if (set != NULL)
    set (device, memory, priority);
}

/* Pages of scattered memory are nowhere as a whole. */
static bool
sparse_is_scattered (VtrReplayVk              *vk,
                     const VkSparseMemoryBind *binds,
                     uint32_t                  n)
{
  for (uint32_t i = 0; i < n; i++)
    if (find_scattered (vk, binds[i].memory) != NULL)
      return true;
  return false;
}

/* Whether all lists of it are there. */
static bool
info_is_whole (VtrReplayVk            *vk,
               const VkBindSparseInfo *info)
{
  bool whole = vtr_replay_vk_has (vk, info->bufferBindCount, info->pBufferBinds, "pBufferBinds") &&
               vtr_replay_vk_has (vk, info->imageOpaqueBindCount, info->pImageOpaqueBinds,
                                  "pImageOpaqueBinds") &&
               vtr_replay_vk_has (vk, info->imageBindCount, info->pImageBinds, "pImageBinds") &&
               vtr_replay_vk_has (vk, info->waitSemaphoreCount, info->pWaitSemaphores,
                                  "pWaitSemaphores") &&
               vtr_replay_vk_has (vk, info->signalSemaphoreCount, info->pSignalSemaphores,
                                  "pSignalSemaphores");

  for (uint32_t i = 0; whole && i < info->bufferBindCount; i++)
    whole = vtr_replay_vk_has (vk, info->pBufferBinds[i].bindCount, info->pBufferBinds[i].pBinds,
                               "pBinds");
  for (uint32_t i = 0; whole && i < info->imageOpaqueBindCount; i++)
    whole = vtr_replay_vk_has (vk, info->pImageOpaqueBinds[i].bindCount,
                               info->pImageOpaqueBinds[i].pBinds, "pBinds");
  for (uint32_t i = 0; whole && i < info->imageBindCount; i++)
    whole = vtr_replay_vk_has (vk, info->pImageBinds[i].bindCount, info->pImageBinds[i].pBinds,
                               "pBinds");
  return whole;
}

static bool
info_is_scattered (VtrReplayVk            *vk,
                   const VkBindSparseInfo *info)
{
  for (uint32_t i = 0; i < info->bufferBindCount; i++)
    if (sparse_is_scattered (vk, info->pBufferBinds[i].pBinds, info->pBufferBinds[i].bindCount))
      return true;
  for (uint32_t i = 0; i < info->imageOpaqueBindCount; i++)
    if (sparse_is_scattered (vk, info->pImageOpaqueBinds[i].pBinds,
                             info->pImageOpaqueBinds[i].bindCount))
      return true;
  for (uint32_t i = 0; i < info->imageBindCount; i++)
    for (uint32_t j = 0; j < info->pImageBinds[i].bindCount; j++)
      if (find_scattered (vk, info->pImageBinds[i].pBinds[j].memory) != NULL)
        return true;
  return false;
}

VkResult
vtr_override_vkQueueBindSparse (VtrReplayVk            *vk,
                                VkQueue                 queue,
                                uint32_t                bindInfoCount,
                                const VkBindSparseInfo *pBindInfo,
                                VkFence                 fence)
{
  PFN_vkQueueBindSparse bind = (PFN_vkQueueBindSparse)vtr_thunk_find (
    vk, VTR_HANDLE_VkQueue, VTR_HANDLE_BITS (queue), VTR_CMD_vkQueueBindSparse);

  if (bind == NULL || !vtr_replay_vk_has (vk, bindInfoCount, pBindInfo, "pBindInfo"))
    return VK_ERROR_DEVICE_LOST;
  for (uint32_t i = 0; i < bindInfoCount; i++)
    if (!info_is_whole (vk, &pBindInfo[i]))
      return VK_ERROR_DEVICE_LOST;
  for (uint32_t i = 0; i < bindInfoCount; i++)
    if (info_is_scattered (vk, &pBindInfo[i]))
      {
        vtr_vm_fail (vk->vm, VTR_VM_ERROR_UNSUPPORTED,
                     "The trace places pages of sparse resources, which only its own device can "
                     "repeat.");
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
      }
  vtr_sync_note_sparse (vk, bindInfoCount, pBindInfo);
  return bind (queue, bindInfoCount, pBindInfo, fence);
}
