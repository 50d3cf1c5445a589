/* Creates and destroys the layer's data for each device. */
#include "vtr-layer-changes.h"
#include "vtr-layer-hidden.h"
#include "vtr-layer-instance.h"
#include "vtr-layer-live.h"
#include "vtr-layer-objects.h"
#include "vtr-layer-picture.h"
#include "vtr-layer-marks.h"
#include "vtr-layer-staging.h"
#include "vtr-layer-trampolines.h"

#include "vulkan/vtr-vulkan-facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static VkLayerDeviceCreateInfo *
find_link (const VkDeviceCreateInfo *info)
{
  const VkLayerDeviceCreateInfo *each = info->pNext;

  while (each != NULL && !(each->sType == VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO &&
                           each->function == VK_LAYER_LINK_INFO))
    each = each->pNext;
  /* The loader made it for the layers to advance. */
  return (VkLayerDeviceCreateInfo *)each;
}

static void
destroy_device (VtrLayerDevice *self)
{
  vtr_layer_command_pools_finish (self);
  vtr_layer_objects_finish (self);
  vtr_layer_memory_finish (&self->memory);
  vtr_layer_world_free (self->live);
  vtr_layer_picture_free (self->picture);
  free (self);
}

static VtrLayerDevice *
adopt_device (VkDevice                 handle,
              VtrLayerInstance        *instance,
              VkPhysicalDevice         physical,
              PFN_vkGetDeviceProcAddr  get_proc_addr)
{
  VtrLayerDevice *self = calloc (1, sizeof *self);
  VkPhysicalDeviceMemoryProperties memory;

  if (self == NULL)
    return NULL;
  self->handle = handle;
  self->physical = physical;
  self->instance = instance;
  vtr_device_dispatch_load (&self->next, handle, get_proc_addr);
  instance->next.GetPhysicalDeviceMemoryProperties (physical, &memory);
  vtr_layer_memory_init (&self->memory, handle, &memory, vtr_layer_is_recording ());
  if (vtr_layer_is_encoding ())
    vtr_layer_memory_probe (&self->memory, &self->next);
  vtr_layer_map_init (&self->command_pools);
  vtr_layer_objects_init (self);
  self->live = vtr_layer_world_new (instance->live, self);
  if (!vtr_layer_map_set (&vtr_layer_devices, vtr_layer_key (handle), self))
    {
      destroy_device (self);
      return NULL;
    }
  vtr_namespace_begin (&self->names, &vtr_layer_vulkan_api);
  return self;
}

static void
report_device (VtrLayerInstance *instance,
               VkPhysicalDevice  physical,
               VkResult          result)
{
  VkPhysicalDeviceProperties properties;
  char fact[VK_MAX_PHYSICAL_DEVICE_NAME_SIZE + 64];

  instance->next.GetPhysicalDeviceProperties (physical, &properties);
  if (result == VK_SUCCESS)
    snprintf (fact, sizeof fact, "%s", properties.deviceName);
  else
    snprintf (fact, sizeof fact, "vkCreateDevice failed (%d) on %s", result, properties.deviceName);
  vtr_layer_transport_rung (VTR_CAPTURE_RUNG_DEVICE, result, fact);
}

static VkResult
create_device (VtrLayerInstance             *instance,
               VkPhysicalDevice              physical,
               const VkDeviceCreateInfo     *info,
               const VkAllocationCallbacks  *allocator,
               VkDevice                     *device,
               VtrLayerDevice              **out)
{
  VkLayerDeviceCreateInfo *link = find_link (info);
  PFN_vkGetInstanceProcAddr get_instance_proc_addr;
  PFN_vkGetDeviceProcAddr get_proc_addr;
  PFN_vkCreateDevice create;
  VtrLayerFeatureChange change;
  VkResult result;

  if (link == NULL || link->u.pLayerInfo == NULL)
    return VK_ERROR_INITIALIZATION_FAILED;
  get_instance_proc_addr = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
  get_proc_addr = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
  create = (PFN_vkCreateDevice)get_instance_proc_addr (instance->handle, "vkCreateDevice");
  if (create == NULL)
    return VK_ERROR_INITIALIZATION_FAILED;

  link->u.pLayerInfo = link->u.pLayerInfo->pNext;
  vtr_layer_change_features (&change, instance, physical, info);
  result = create (physical, &change.info, allocator, device);
  /* Layers below have taken their part of the loader's list, but in the copy. */
  if (result < 0 && vtr_layer_change_features_drop (&change))
    result = create (physical, info, allocator, device);
  vtr_layer_change_features_finish (&change);
  if (result != VK_SUCCESS)
    return result;

  *out = adopt_device (*device, instance, physical, get_proc_addr);
  if (*out == NULL)
    {
      PFN_vkDestroyDevice destroy = (PFN_vkDestroyDevice)get_proc_addr (*device, "vkDestroyDevice");

      destroy (*device, allocator);
      *device = VK_NULL_HANDLE;
      return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
  (*out)->picture = vtr_layer_picture_new (info);
  (*out)->address_replay = change.address_replay;
  (*out)->structure_replay = change.structure_replay;
  (*out)->maintenance9 = vtr_device_has_maintenance9 (info);
  if (change.group_replay)
    (*out)->group_handle_size = vtr_layer_get_group_handle_size (*out);
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL
vtr_vk_CreateDevice (VkPhysicalDevice             physicalDevice,
                     const VkDeviceCreateInfo    *pCreateInfo,
                     const VkAllocationCallbacks *pAllocator,
                     VkDevice                    *pDevice)
{
  VtrLayerInstance *const instance = vtr_layer_instance (physicalDevice);
  /* As the program passed it, without the structures that the loader puts in front of the chain. */
  VkDeviceCreateInfo own = *pCreateInfo;
  const VtrArgs_vkCreateDevice args = { physicalDevice, &own, pAllocator, pDevice };
  /* Records about the device belong to its creation, so no recording may begin in between. */
  VtrLayerThread *const thread = vtr_layer_thread_enter (VTR_CMD_vkCreateDevice);
  VtrLayerDevice *device = NULL;
  VtrLayerCall call = { 0 };
  VkResult result;

  own.pNext = vtr_layer_skip_loader_structs (own.pNext);
  if (vtr_layer_is_encoding ())
    vtr_layer_call_enter (&call, &instance->names, VTR_CMD_vkCreateDevice, &args);
  result = create_device (instance, physicalDevice, pCreateInfo, pAllocator, pDevice, &device);
  vtr_layer_call_leave (&call, &args, (uint64_t)(int64_t)result);
  if (device != NULL)
    vtr_layer_record_device_info (device, &own);
  if (device != NULL || result == VK_ERROR_EXTENSION_NOT_PRESENT)
    vtr_layer_report_unfollowed (instance, physicalDevice, device, &own);
  vtr_layer_thread_leave (thread);
  report_device (instance, physicalDevice, result);
  return result;
}

void
vtr_layer_hook_DestroyDevice (VtrLayerDevice              *self,
                              VkDevice                     device,
                              const VkAllocationCallbacks *pAllocator)
{
  vtr_layer_map_take (&vtr_layer_devices, vtr_layer_key (device));
  vtr_namespace_end (&self->names);
  /* Before the driver gives back what the program has not freed. */
  vtr_layer_memory_end (&self->memory);
  vtr_layer_marks_forget (self);
  vtr_layer_picture_end (self);
  vtr_layer_staging_free (&self->staging, self);
  self->next.DestroyDevice (device, pAllocator);
  destroy_device (self);
}

/* ---- Device memory ---- */

void
vtr_layer_populate (const void *bytes,
                    size_t      size)
{
#ifdef MADV_POPULATE_WRITE
  const uintptr_t in_page = (uintptr_t)bytes % (uintptr_t)sysconf (_SC_PAGESIZE);

  /* Other kernels, and memory of devices, go without. */
  (void)!madvise ((void *)((uintptr_t)bytes - in_page), size + in_page, MADV_POPULATE_WRITE);
#else
  (void)bytes;
  (void)size;
#endif
}

VkResult
vtr_layer_hook_AllocateMemory (VtrLayerDevice              *self,
                               VkDevice                     device,
                               const VkMemoryAllocateInfo  *pAllocateInfo,
                               const VkAllocationCallbacks *pAllocator,
                               VkDeviceMemory              *pMemory)
{
  VkMemoryAllocateInfo info;
  VtrArena arena;
  VkResult result;
  bool replayable;

  vtr_arena_init (&arena);
  replayable = vtr_layer_change_allocation (self, pAllocateInfo, &info, &arena);
  result = self->next.AllocateMemory (device, &info, pAllocator, pMemory);
  vtr_arena_finish (&arena);
  if (result < 0 && replayable)
    {
      replayable = false;
      result = self->next.AllocateMemory (device, pAllocateInfo, pAllocator, pMemory);
    }
  if (result != VK_SUCCESS)
    return result;

  vtr_layer_memory_allocated (&self->memory, *pMemory, pAllocateInfo);
  if (replayable && vtr_layer_is_encoding ())
    vtr_layer_record_memory_address (self, *pMemory);
  return result;
}

void
vtr_layer_hook_FreeMemory (VtrLayerDevice              *self,
                           VkDevice                     device,
                           VkDeviceMemory               memory,
                           const VkAllocationCallbacks *pAllocator)
{
  vtr_layer_memory_free (&self->memory, memory);
  self->next.FreeMemory (device, memory, pAllocator);
}

VkResult
vtr_layer_hook_MapMemory (VtrLayerDevice    *self,
                          VkDevice           device,
                          VkDeviceMemory     memory,
                          VkDeviceSize       offset,
                          VkDeviceSize       size,
                          VkMemoryMapFlags   flags,
                          void             **ppData)
{
  VkResult result = self->next.MapMemory (device, memory, offset, size, flags, ppData);

  if (result == VK_SUCCESS)
    vtr_layer_memory_mapped (&self->memory, memory, offset, size, *ppData);
  return result;
}

#ifdef VK_KHR_map_memory2
static VkResult
map_memory2 (VtrLayerDevice            *self,
             PFN_vkMapMemory2KHR        map,
             const VkMemoryMapInfoKHR  *info,
             void                     **data)
{
  VkResult result = map (self->handle, info, data);

  if (result == VK_SUCCESS)
    vtr_layer_memory_mapped (&self->memory, info->memory, info->offset, info->size, *data);
  return result;
}

VkResult
vtr_layer_hook_MapMemory2KHR (VtrLayerDevice            *self,
                              VkDevice                   device,
                              const VkMemoryMapInfoKHR  *pMemoryMapInfo,
                              void                     **ppData)
{
  (void)device;
  return map_memory2 (self, self->next.MapMemory2KHR, pMemoryMapInfo, ppData);
}
#endif

#ifdef VK_VERSION_1_4
VkResult
vtr_layer_hook_MapMemory2 (VtrLayerDevice         *self,
                           VkDevice                device,
                           const VkMemoryMapInfo  *pMemoryMapInfo,
                           void                  **ppData)
{
  (void)device;
  return map_memory2 (self, self->next.MapMemory2, pMemoryMapInfo, ppData);
}
#endif

/* ---- What is bound to it ---- */

VkResult
vtr_layer_hook_BindImageMemory (VtrLayerDevice *self,
                                VkDevice        device,
                                VkImage         image,
                                VkDeviceMemory  memory,
                                VkDeviceSize    memoryOffset)
{
  VkResult result = self->next.BindImageMemory (device, image, memory, memoryOffset);

  if (result == VK_SUCCESS)
    vtr_layer_memory_image_bound (&self->memory, &self->next, image, memory, memoryOffset);
  return result;
}

VkResult
vtr_layer_hook_BindBufferMemory (VtrLayerDevice *self,
                                 VkDevice        device,
                                 VkBuffer        buffer,
                                 VkDeviceMemory  memory,
                                 VkDeviceSize    memoryOffset)
{
  VkResult result = self->next.BindBufferMemory (device, buffer, memory, memoryOffset);

  if (result == VK_SUCCESS)
    vtr_layer_memory_buffer_bound (&self->memory, &self->next, buffer, memory, memoryOffset);
  return result;
}

static VkResult
bind_images (VtrLayerDevice              *self,
             PFN_vkBindImageMemory2       bind,
             uint32_t                     n,
             const VkBindImageMemoryInfo *infos)
{
  VkResult result = bind (self->handle, n, infos);

  for (uint32_t i = 0; result == VK_SUCCESS && i < n; i++)
    vtr_layer_memory_image_bound (&self->memory, &self->next, infos[i].image, infos[i].memory,
                                  infos[i].memoryOffset);
  return result;
}

static VkResult
bind_buffers (VtrLayerDevice               *self,
              PFN_vkBindBufferMemory2       bind,
              uint32_t                      n,
              const VkBindBufferMemoryInfo *infos)
{
  VkResult result = bind (self->handle, n, infos);

  for (uint32_t i = 0; result == VK_SUCCESS && i < n; i++)
    vtr_layer_memory_buffer_bound (&self->memory, &self->next, infos[i].buffer, infos[i].memory,
                                   infos[i].memoryOffset);
  return result;
}

VkResult
vtr_layer_hook_BindImageMemory2 (VtrLayerDevice              *self,
                                 VkDevice                     device,
                                 uint32_t                     bindInfoCount,
                                 const VkBindImageMemoryInfo *pBindInfos)
{
  (void)device;
  return bind_images (self, self->next.BindImageMemory2, bindInfoCount, pBindInfos);
}

VkResult
vtr_layer_hook_BindImageMemory2KHR (VtrLayerDevice              *self,
                                    VkDevice                     device,
                                    uint32_t                     bindInfoCount,
                                    const VkBindImageMemoryInfo *pBindInfos)
{
  (void)device;
  return bind_images (self, self->next.BindImageMemory2KHR, bindInfoCount, pBindInfos);
}

VkResult
vtr_layer_hook_BindBufferMemory2 (VtrLayerDevice               *self,
                                  VkDevice                      device,
                                  uint32_t                      bindInfoCount,
                                  const VkBindBufferMemoryInfo *pBindInfos)
{
  (void)device;
  return bind_buffers (self, self->next.BindBufferMemory2, bindInfoCount, pBindInfos);
}

VkResult
vtr_layer_hook_BindBufferMemory2KHR (VtrLayerDevice               *self,
                                     VkDevice                      device,
                                     uint32_t                      bindInfoCount,
                                     const VkBindBufferMemoryInfo *pBindInfos)
{
  (void)device;
  return bind_buffers (self, self->next.BindBufferMemory2KHR, bindInfoCount, pBindInfos);
}
