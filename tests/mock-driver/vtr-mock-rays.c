/* Implements acceleration structures and shader groups, and gives them the addresses and handles
 * that they had in another process if it is asked to.
 *
 * With the line `opaque` neither has anything to do with where bytes lie or which pipeline came
 * first: both depend on the run, and are given back by the rules of Vulkan. What is wrong is a
 * violation. */
#include "vtr-mock.h"

#include <stdlib.h>

#define STRUCTURES (UINT64_C (1) << 39) /* ranges of addresses behind those of memory */
#define REPLAYABLE_STRUCTURES (UINT64_C (1) << 40)
#define GRANULE 0x20000u
#define OFFSET_BITS 0x1ff00u /* of a structure in its buffer, kept in its address */

#define HANDLE 32u
/* capture replay data of a handle: the handle and this value */
#define CAPTURED UINT64_C (0xa5a5a5a5a5a5a5a5)

static uint64_t n_plain, n_replayable, n_groups;

static bool
refuses (unsigned what)
{
  return (mock_config.refuse & what) != 0;
}

/* --- Acceleration structures ----------------------------------------------------------------- */

typedef struct
{
  uint64_t address;
  bool taken;
} Taken;

static void
compare_structure (MockObject *object,
                   void       *data)
{
  Taken *self = data;

  self->taken |= object->u.structure.address == self->address;
}

static VkResult
check_structure (const MockObject                           *device,
                 const VkAccelerationStructureCreateInfoKHR *info,
                 bool                                        flagged)
{
  const MockObject *buffer = mock_find (device, VK_OBJECT_TYPE_BUFFER, (uint64_t)info->buffer);

  if (flagged && !device->u.owner_data.replays_structures)
    {
      mock_violation ("a structure to be asked for again, without the feature");
      return VK_ERROR_FEATURE_NOT_PRESENT;
    }
  if (info->deviceAddress == 0)
    return VK_SUCCESS;
  if (!flagged)
    mock_violation ("a structure is asked for again without saying so");
  if (buffer == NULL || buffer->u.resource.opaque == 0)
    mock_violation ("a structure is asked for again in another buffer");
  if ((info->deviceAddress & OFFSET_BITS) != (info->offset & OFFSET_BITS))
    mock_violation ("a structure is asked for again at another offset");
  return refuses (MOCK_REFUSE_STRUCTURES) ? VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS : VK_SUCCESS;
}

static VkResult
choose_structure (MockObject                                 *device,
                  const VkAccelerationStructureCreateInfoKHR *info,
                  uint64_t                                   *address)
{
  const bool flagged =
    (info->createFlags & VK_ACCELERATION_STRUCTURE_CREATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT_KHR) !=
    0;
  Taken taken = { info->deviceAddress, false };
  VkResult result;

  *address = 0;
  if (mock_config.opaque == 0)
    return VK_SUCCESS;
  result = check_structure (device, info, flagged);
  mock_lock ();
  if (taken.address != 0)
    mock_for_each (device, VK_OBJECT_TYPE_ACCELERATION_STRUCTURE_KHR, compare_structure, &taken);
  *address = taken.address;
  if (taken.address == 0 && flagged)
    *address = mock_config.opaque + REPLAYABLE_STRUCTURES + GRANULE * ++n_replayable;
  else if (taken.address == 0)
    *address = mock_config.opaque + STRUCTURES + GRANULE * ++n_plain;
  mock_unlock ();
  if (taken.address == 0)
    *address |= info->offset & OFFSET_BITS;
  return taken.taken ? VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS : result;
}

VkResult
mock_do_vkCreateAccelerationStructureKHR (VkDevice                                    device,
                                          const VkAccelerationStructureCreateInfoKHR *info,
                                          const VkAllocationCallbacks                *allocator,
                                          VkAccelerationStructureKHR                 *out)
{
  MockObject *structure;
  uint64_t address;
  VkResult result = choose_structure (mock_owner (device), info, &address);

  if (result < 0)
    return result;
  structure =
    mock_new_object (mock_owner (device), VK_OBJECT_TYPE_ACCELERATION_STRUCTURE_KHR, NULL);
  structure->u.structure.buffer = info->buffer;
  structure->u.structure.offset = info->offset;
  structure->u.structure.address = address;
  *out = (VkAccelerationStructureKHR)structure->value;
  return VK_SUCCESS;
}

/* Without the line, that of its bytes. */
VkDeviceAddress
mock_do_vkGetAccelerationStructureDeviceAddressKHR (
  VkDevice device, const VkAccelerationStructureDeviceAddressInfoKHR *info)
{
  const MockObject *structure = mock_find (device, VK_OBJECT_TYPE_ACCELERATION_STRUCTURE_KHR,
                                           (uint64_t)info->accelerationStructure);
  const MockObject *buffer;
  VkBufferDeviceAddressInfo whole = {
    .sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
  };

  if (structure == NULL)
    return 0;
  whole.buffer = structure->u.structure.buffer;
  buffer = mock_find (device, VK_OBJECT_TYPE_BUFFER, (uint64_t)whole.buffer);
  if (mock_config.opaque != 0 && buffer != NULL && buffer->u.resource.memory == NULL)
    mock_violation ("the address of a structure in a buffer without memory");
  if (mock_config.opaque != 0)
    return structure->u.structure.address;
  return mock_do_vkGetBufferDeviceAddress (device, &whole) + structure->u.structure.offset;
}

/* --- Shader groups --------------------------------------------------------------------------- */

/* Sticks to the device: without the feature for it, none can have its handle after one had not. */
static bool has_plain_groups;

static void
check_pipeline (const MockObject                        *device,
                const VkRayTracingPipelineCreateInfoKHR *info,
                bool                                     flagged)
{
  const VkPipelineLibraryCreateInfoKHR *libraries = info->pLibraryInfo;

  if (flagged && !device->u.owner_data.replays_groups)
    mock_violation ("groups to be asked for again, without the feature");
  for (uint32_t i = 0; libraries != NULL && i < libraries->libraryCount; i++)
    {
      const MockObject *library =
        mock_find (device, VK_OBJECT_TYPE_PIPELINE, (uint64_t)libraries->pLibraries[i]);

      if (flagged && library != NULL && !library->u.rays.replayable)
        mock_violation ("groups to be asked for again, with a library that cannot be");
    }
}

/* Returns: whether the driver would give the group its handle back. */
static bool
check_group (const MockObject                           *device,
             const VkRayTracingShaderGroupCreateInfoKHR *info,
             bool                                        flagged,
             bool                                        after_plain)
{
  const uint64_t *said = info->pShaderGroupCaptureReplayHandle;

  if (said == NULL)
    return true;
  if (!flagged)
    mock_violation ("a group is asked for again without saying so");
  if (after_plain && !device->u.owner_data.mixes_groups)
    mock_violation ("a group is asked for again after one that was not");
  return !refuses (MOCK_REFUSE_GROUPS) && (said[1] ^ CAPTURED) == ~(said[0] ^ CAPTURED);
}

static bool
check_groups (MockObject                              *device,
              uint32_t                                 n,
              const VkRayTracingPipelineCreateInfoKHR *infos)
{
  const bool after_plain = has_plain_groups;
  bool possible = true;

  for (uint32_t i = 0; i < n; i++)
    {
      const bool flagged =
        (infos[i].flags &
         VK_PIPELINE_CREATE_RAY_TRACING_SHADER_GROUP_HANDLE_CAPTURE_REPLAY_BIT_KHR) != 0;

      check_pipeline (device, &infos[i], flagged);
      for (uint32_t k = 0; k < infos[i].groupCount; k++)
        {
          possible = check_group (device, &infos[i].pGroups[k], flagged, after_plain) && possible;
          has_plain_groups |= infos[i].pGroups[k].pShaderGroupCaptureReplayHandle == NULL;
        }
    }
  return possible;
}

static void
add_group (MockObject *pipeline,
           uint64_t    number)
{
  if (pipeline->u.rays.n == MOCK_MAX_GROUPS)
    abort ();
  pipeline->u.rays.groups[pipeline->u.rays.n++] = number;
}

static VkPipeline
create_pipeline (VkDevice                                 device,
                 const VkRayTracingPipelineCreateInfoKHR *info)
{
  MockObject *self = mock_new_object (mock_owner (device), VK_OBJECT_TYPE_PIPELINE, NULL);
  const VkPipelineLibraryCreateInfoKHR *libraries = info->pLibraryInfo;

  if (mock_config.opaque == 0)
    return (VkPipeline)self->value;
  self->u.rays.library = (info->flags & VK_PIPELINE_CREATE_LIBRARY_BIT_KHR) != 0;
  self->u.rays.replayable =
    (info->flags & VK_PIPELINE_CREATE_RAY_TRACING_SHADER_GROUP_HANDLE_CAPTURE_REPLAY_BIT_KHR) != 0;
  for (uint32_t i = 0; i < info->groupCount; i++)
    {
      const uint64_t *said = info->pGroups[i].pShaderGroupCaptureReplayHandle;

      mock_lock ();
      add_group (self, said != NULL ? said[0] ^ CAPTURED : mock_config.opaque + ++n_groups);
      mock_unlock ();
    }
  for (uint32_t i = 0; libraries != NULL && i < libraries->libraryCount; i++)
    {
      const MockObject *library =
        mock_find (device, VK_OBJECT_TYPE_PIPELINE, (uint64_t)libraries->pLibraries[i]);

      for (uint32_t k = 0; library != NULL && k < library->u.rays.n; k++)
        add_group (self, library->u.rays.groups[k]);
    }
  return (VkPipeline)self->value;
}

/* Drivers that defer the operation write the handles when it is joined. This one never defers,
 * and says so. */
VkResult
mock_do_vkCreateRayTracingPipelinesKHR (VkDevice                                 device,
                                        VkDeferredOperationKHR                   operation,
                                        VkPipelineCache                          cache,
                                        uint32_t                                 n,
                                        const VkRayTracingPipelineCreateInfoKHR *infos,
                                        const VkAllocationCallbacks             *allocator,
                                        VkPipeline                              *out)
{
  if (mock_config.opaque != 0 && !check_groups (mock_owner (device), n, infos))
    {
      memset (out, 0, n * sizeof *out);
      return VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS;
    }
  for (uint32_t i = 0; i < n; i++)
    out[i] = create_pipeline (device, &infos[i]);
  return operation != VK_NULL_HANDLE ? VK_OPERATION_NOT_DEFERRED_KHR : VK_SUCCESS;
}

/* 32 bytes each: the group's number, its complement, twice; with @mask over them. */
static VkResult
write_handles (VkDevice    device,
               VkPipeline  pipeline,
               uint32_t    first,
               uint32_t    n,
               size_t      size,
               uint64_t    mask,
               void       *data)
{
  const MockObject *self = mock_find (device, VK_OBJECT_TYPE_PIPELINE, (uint64_t)pipeline);
  uint64_t *out = data;

  if (mock_config.opaque == 0 || self == NULL)
    {
      mock_pattern (data, size);
      return VK_SUCCESS;
    }
  if (first + n > self->u.rays.n || size < n * HANDLE || self->u.rays.library)
    {
      mock_violation ("handles of groups that there are not, or of a library");
      return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t k = 0; k < HANDLE / sizeof *out; k++)
      *out++ = (self->u.rays.groups[first + i] ^ (k % 2 == 0 ? 0 : UINT64_MAX)) ^ mask;
  return VK_SUCCESS;
}

VkResult
mock_do_vkGetRayTracingShaderGroupHandlesKHR (VkDevice    device,
                                              VkPipeline  pipeline,
                                              uint32_t    first,
                                              uint32_t    n,
                                              size_t      size,
                                              void       *data)
{
  return write_handles (device, pipeline, first, n, size, 0, data);
}

VkResult
mock_do_vkGetRayTracingCaptureReplayShaderGroupHandlesKHR (VkDevice    device,
                                                           VkPipeline  pipeline,
                                                           uint32_t    first,
                                                           uint32_t    n,
                                                           size_t      size,
                                                           void       *data)
{
  const MockObject *self = mock_find (device, VK_OBJECT_TYPE_PIPELINE, (uint64_t)pipeline);

  if (mock_config.opaque != 0 && self != NULL && !self->u.rays.replayable)
    mock_violation ("what gives groups back of a pipeline that cannot be asked for again");
  return write_handles (device, pipeline, first, n, size, CAPTURED, data);
}
