/* Changes the creation of acceleration structures and ray tracing pipelines so that a replay can
 * ask for the same addresses and shader group handles (vtr-layer-changes.h). */
#include "vtr-layer-changes.h"
#include "vtr-layer-instance.h"
#include "vtr-layer-calls.h"
#include "vtr-layer-trampolines.h"

#include "api/vtr-api-walk.h"
#include "base/vtr-buffer.h"
#include "vulkan/vtr-vulkan-facts.h"

#include <stdlib.h>

/* ---- Acceleration structures ---- */

static void
record_structure_address (VtrLayerDevice             *device,
                          VkAccelerationStructureKHR  structure,
                          bool                        bound)
{
  const VkAccelerationStructureDeviceAddressInfoKHR info = {
    .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_DEVICE_ADDRESS_INFO_KHR,
    .accelerationStructure = structure,
  };
  uint64_t address = 0;

  /* One whose buffer has no memory has no address yet; what the program asks later tells it. */
  if (bound && device->next.GetAccelerationStructureDeviceAddressKHR != NULL)
    address = device->next.GetAccelerationStructureDeviceAddressKHR (device->handle, &info);
  vtr_layer_call_add_extra (VTR_EXTRA_OPAQUE_ADDRESS, &address, sizeof address);
}

VkResult
vtr_layer_hook_CreateAccelerationStructureKHR (
  VtrLayerDevice *self,
  VkDevice device,
  const VkAccelerationStructureCreateInfoKHR *pCreateInfo,
  const VkAllocationCallbacks *pAllocator,
  VkAccelerationStructureKHR *pAccelerationStructure)
{
  VkAccelerationStructureCreateInfoKHR info = *pCreateInfo;
  bool bound = false;
  bool replayable =
    self->structure_replay &&
    vtr_layer_memory_is_replayable (&self->memory, pCreateInfo->buffer, &bound);
  VkResult result;

  if (replayable)
    info.createFlags |= VK_ACCELERATION_STRUCTURE_CREATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT_KHR;
  result =
    self->next.CreateAccelerationStructureKHR (device, &info, pAllocator, pAccelerationStructure);
  if (result < 0 && info.createFlags != pCreateInfo->createFlags)
    {
      replayable = false;
      result = self->next.CreateAccelerationStructureKHR (device, pCreateInfo, pAllocator,
                                                          pAccelerationStructure);
    }
  if (result == VK_SUCCESS && replayable && vtr_layer_is_encoding ())
    record_structure_address (self, *pAccelerationStructure, bound);
  return result;
}

/* ---- Shader groups ---- */

uint32_t
vtr_layer_get_group_handle_size (const VtrLayerDevice *device)
{
  PFN_vkGetPhysicalDeviceProperties2 get =
    vtr_layer_get_properties2 (device->instance, device->physical);
  VkPhysicalDeviceRayTracingPipelinePropertiesKHR rays = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_TRACING_PIPELINE_PROPERTIES_KHR,
  };
  VkPhysicalDeviceProperties2 properties = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
    .pNext = &rays,
  };

  if (get == NULL || device->next.GetRayTracingCaptureReplayShaderGroupHandlesKHR == NULL)
    return 0;
  get (device->physical, &properties);
  return rays.shaderGroupHandleCaptureReplaySize;
}

/* The known facts about a library: its number of groups, and whether it was created so that its
 * handles can be given back. Values of a map, which are never NULL. */
#define KNOWN 1u
#define REPLAYABLE 2u
#define COUNT_SHIFT 2

static uintptr_t
library_of (VtrLayerDevice *self,
            VkPipeline      pipeline)
{
  return (uintptr_t)vtr_layer_map_get (&self->ray_libraries, (uint64_t)(uintptr_t)pipeline);
}

/* The groups of a pipeline: its own, then those of its libraries. */
static uint32_t
count_groups (VtrLayerDevice                          *self,
              const VkRayTracingPipelineCreateInfoKHR *info)
{
  const VkPipelineLibraryCreateInfoKHR *libraries = info->pLibraryInfo;
  uint32_t n = info->groupCount;

  for (uint32_t i = 0; libraries != NULL && i < libraries->libraryCount; i++)
    n += (uint32_t)(library_of (self, libraries->pLibraries[i]) >> COUNT_SHIFT);
  return n;
}

/* A library needs the same flags as the pipeline that it becomes part of. Flags in the chain are
 * left alone. */
static bool
can_be_replayable (VtrLayerDevice                          *self,
                   const VkRayTracingPipelineCreateInfoKHR *info)
{
  const VkPipelineLibraryCreateInfoKHR *libraries = info->pLibraryInfo;

#ifdef VK_KHR_maintenance5
  if (vtr_api_find_next (info->pNext, VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO_KHR) !=
      NULL)
    return false;
#endif
  for (uint32_t i = 0; libraries != NULL && i < libraries->libraryCount; i++)
    if ((library_of (self, libraries->pLibraries[i]) & REPLAYABLE) == 0)
      return false;
  return true;
}

static bool
is_replayable (const VkRayTracingPipelineCreateInfoKHR *info)
{
  return (vtr_pipeline_get_flags (info->pNext, info->flags) &
          VK_PIPELINE_CREATE_RAY_TRACING_SHADER_GROUP_HANDLE_CAPTURE_REPLAY_BIT_KHR) != 0;
}

static bool
is_library (const VkRayTracingPipelineCreateInfoKHR *info)
{
  return (vtr_pipeline_get_flags (info->pNext, info->flags) &
          VK_PIPELINE_CREATE_LIBRARY_BIT_KHR) != 0;
}

/* Returns: NULL where nothing changes. */
static VkRayTracingPipelineCreateInfoKHR *
change_pipelines (VtrLayerDevice                          *self,
                  uint32_t                                 n,
                  const VkRayTracingPipelineCreateInfoKHR *infos)
{
  VkRayTracingPipelineCreateInfoKHR *changed =
    self->group_handle_size != 0 ? calloc (n + 1, sizeof *changed) : NULL;

  for (uint32_t i = 0; changed != NULL && i < n; i++)
    {
      changed[i] = infos[i];
      if (can_be_replayable (self, &infos[i]))
        changed[i].flags |=
          VK_PIPELINE_CREATE_RAY_TRACING_SHADER_GROUP_HANDLE_CAPTURE_REPLAY_BIT_KHR;
    }
  return changed;
}

static void
note_libraries (VtrLayerDevice                          *self,
                uint32_t                                 n,
                const VkRayTracingPipelineCreateInfoKHR *infos,
                const VkPipeline                        *pipelines)
{
  for (uint32_t i = 0; i < n; i++)
    {
      const uintptr_t known = (uintptr_t)count_groups (self, &infos[i]) << COUNT_SHIFT |
                              (is_replayable (&infos[i]) ? REPLAYABLE : 0) | KNOWN;

      if (pipelines[i] != VK_NULL_HANDLE && is_library (&infos[i]))
        (void)!vtr_layer_map_set (&self->ray_libraries, (uint64_t)(uintptr_t)pipelines[i],
                                  (void *)known);
    }
}

/* The handles of one pipeline. Libraries have none that could be asked for: theirs are those of
 * what they become part of. */
static void
add_handles (VtrLayerDevice                          *self,
             const VkRayTracingPipelineCreateInfoKHR *info,
             VkPipeline                               pipeline,
             VtrBuffer                               *out)
{
  const uint32_t size = self->group_handle_size;
  const bool wanted = pipeline != VK_NULL_HANDLE && is_replayable (info) &&
                      !is_library (info);
  const uint32_t n = wanted ? count_groups (self, info) : 0;
  uint8_t *handles = n != 0 ? calloc (n, size) : NULL;

  if (handles == NULL ||
      self->next.GetRayTracingCaptureReplayShaderGroupHandlesKHR (
        self->handle, pipeline, 0, n, (size_t)n * size, handles) != VK_SUCCESS)
    vtr_buffer_append_u32 (out, 0);
  else
    {
      vtr_buffer_append_u32 (out, n);
      vtr_buffer_append (out, handles, (size_t)n * size);
    }
  free (handles);
}

static void
record_handles (VtrLayerDevice                          *self,
                uint32_t                                 n,
                const VkRayTracingPipelineCreateInfoKHR *infos,
                const VkPipeline                        *pipelines)
{
  VtrBuffer extra = { 0 };

  vtr_buffer_append_u32 (&extra, self->group_handle_size);
  vtr_buffer_append_u32 (&extra, n);
  for (uint32_t i = 0; i < n; i++)
    add_handles (self, &infos[i], pipelines[i], &extra);
  if (!extra.failed)
    vtr_layer_call_add_extra (VTR_EXTRA_GROUP_HANDLES, extra.data, extra.size);
  vtr_buffer_finish (&extra);
}

/* Destroys the objects that a call made before it failed. */
static void
destroy_pipelines (VtrLayerDevice              *self,
                   uint32_t                     n,
                   VkPipeline                  *pipelines,
                   const VkAllocationCallbacks *allocator)
{
  for (uint32_t i = 0; i < n; i++)
    {
      if (pipelines[i] != VK_NULL_HANDLE)
        self->next.DestroyPipeline (self->handle, pipelines[i], allocator);
      pipelines[i] = VK_NULL_HANDLE;
    }
}

/* Nothing is deferred, because the new handles must be known when the call is recorded. A driver
 * may always say that there was nothing to defer. */
VkResult
vtr_layer_hook_CreateRayTracingPipelinesKHR (VtrLayerDevice                          *self,
                                             VkDevice                                 device,
                                             VkDeferredOperationKHR                   operation,
                                             VkPipelineCache                          cache,
                                             uint32_t                                 n,
                                             const VkRayTracingPipelineCreateInfoKHR *pCreateInfos,
                                             const VkAllocationCallbacks             *allocator,
                                             VkPipeline                              *pipelines)
{
  VkRayTracingPipelineCreateInfoKHR *changed;
  const VkRayTracingPipelineCreateInfoKHR *infos;
  VkResult result;

  if (!vtr_layer_is_encoding () && self->group_handle_size == 0)
    return self->next.CreateRayTracingPipelinesKHR (device, operation, cache,
                                                    n, pCreateInfos, allocator,
                                                    pipelines);
  changed = change_pipelines (self, n, pCreateInfos);
  infos = changed != NULL ? changed : pCreateInfos;
  for (uint32_t i = 0; i < n; i++)
    pipelines[i] = VK_NULL_HANDLE;
  result =
    self->next.CreateRayTracingPipelinesKHR (device, VK_NULL_HANDLE, cache, n,
                                             infos, allocator, pipelines);
  if (result < 0 && changed != NULL)
    {
      destroy_pipelines (self, n, pipelines, allocator);
      infos = pCreateInfos;
      result = self->next.CreateRayTracingPipelinesKHR (
        device, VK_NULL_HANDLE, cache, n, infos, allocator, pipelines);
    }
  if (self->group_handle_size != 0)
    note_libraries (self, n, infos, pipelines);
  if (result >= 0 && changed != NULL && infos == changed && vtr_layer_is_encoding ())
    record_handles (self, n, infos, pipelines);
  free (changed);
  return result == VK_SUCCESS && operation != VK_NULL_HANDLE ? VK_OPERATION_NOT_DEFERRED_KHR
                                                             : result;
}

void
vtr_layer_forget_library (VtrLayerDevice *device,
                          VkPipeline      pipeline)
{
  if (device->group_handle_size != 0 && pipeline != VK_NULL_HANDLE)
    (void)vtr_layer_map_take (&device->ray_libraries, (uint64_t)(uintptr_t)pipeline);
}
