/* Creates acceleration structures at the addresses, and shader groups with the handles, that they
 * had in the capture (vtr-opaque.h). */
#include "vtr-overrides.h"

#include "vtr-opaque.h"

#include <stdlib.h>
#include <string.h>

/* --- Acceleration structures ----------------------------------------------------------------- */

/* At the address, then anywhere, then as what cannot be asked for again. */
static VkResult
create_structure (VtrReplayVk                                *vk,
                  VtrTable                                   *table,
                  const VkAccelerationStructureCreateInfoKHR *info,
                  const VtrOpaque                            *opaque,
                  VkAccelerationStructureKHR                 *structure)
{
  PFN_vkCreateAccelerationStructureKHR create =
    (PFN_vkCreateAccelerationStructureKHR)vtr_table_need (vk, table,
                                                          VTR_CMD_vkCreateAccelerationStructureKHR);
  VkAccelerationStructureCreateInfoKHR own = *info;
  VkResult result = VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS;

  if (create == NULL)
    return VK_ERROR_DEVICE_LOST;
  if (!opaque->wanted || !table->opaque_structures)
    return create (table->device, info, NULL, structure);
  own.createFlags |= VK_ACCELERATION_STRUCTURE_CREATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT_KHR;
  own.deviceAddress = opaque->address;
  if (opaque->address != 0)
    result = create (table->device, &own, NULL, structure);
  own.deviceAddress = 0;
  if (result < 0)
    result = create (table->device, &own, NULL, structure);
  return result < 0 ? create (table->device, info, NULL, structure) : result;
}

VkResult
vtr_override_vkCreateAccelerationStructureKHR (
  VtrReplayVk *vk,
  VkDevice device,
  const VkAccelerationStructureCreateInfoKHR *pCreateInfo,
  const VkAllocationCallbacks *pAllocator,
  VkAccelerationStructureKHR *pAccelerationStructure)
{
  VtrTable *table = vtr_device_table (vk, device);
  VtrOpaque opaque;
  VkResult result;

  (void)pAllocator;
  if (table == NULL || vtr_replay_vk_output (vk, pAccelerationStructure,
                                             sizeof *pAccelerationStructure) == NULL)
    return VK_ERROR_DEVICE_LOST;
  opaque = vtr_opaque_take (vk, table);
  result = create_structure (vk, table, pCreateInfo, &opaque, pAccelerationStructure);
  if (result >= 0)
    vtr_objects_created (vk, VTR_HANDLE_VkAccelerationStructureKHR,
                         VTR_HANDLE_BITS (*pAccelerationStructure), VTR_HANDLE_BITS (device), 0);
  return result;
}

/* --- Shader groups --------------------------------------------------------------------------- */

/* A call that makes pipelines, with everything that is changed in it. */
typedef struct
{
  PFN_vkCreateRayTracingPipelinesKHR create;
  VkDevice device;
  VkPipelineCache cache;
  uint32_t n;
  const VkRayTracingPipelineCreateInfoKHR *infos; /* of the trace */
  VkRayTracingPipelineCreateInfoKHR *own;         /* with the flag */
  VkRayTracingShaderGroupCreateInfoKHR *groups;   /* with handles, of all */
  uint32_t n_groups;
  VkPipeline *out;
} Making;

static VkResult
make_as (VtrReplayVk                             *vk,
         VtrTable                                *table,
         const Making                            *self,
         const VkRayTracingPipelineCreateInfoKHR *infos)
{
  VkResult result;

  for (uint32_t i = 0; i < self->n; i++)
    self->out[i] = VK_NULL_HANDLE;
  result =
    self->create (self->device, VK_NULL_HANDLE, self->cache, self->n, infos, NULL, self->out);
  for (uint32_t i = 0; i < self->n; i++)
    {
      VtrReplayObject *object;

      if (self->out[i] == VK_NULL_HANDLE)
        continue;
      object = vtr_objects_created (vk, VTR_HANDLE_VkPipeline, VTR_HANDLE_BITS (self->out[i]),
                                    VTR_HANDLE_BITS (self->device), 0);
      if (object != NULL)
        object->info.replayable =
          (infos[i].flags &
           VK_PIPELINE_CREATE_RAY_TRACING_SHADER_GROUP_HANDLE_CAPTURE_REPLAY_BIT_KHR) != 0;
    }
  /* One without handles makes all that follow ones without, on most devices. */
  if (self->n_groups > 0 && (infos != self->own || self->groups == NULL))
    table->has_plain_groups = true;
  return result;
}

/* Destroys the objects that a call made before it failed. */
static void
unmake (VtrReplayVk  *vk,
        VtrTable     *table,
        const Making *self)
{
  for (uint32_t i = 0; i < self->n; i++)
    {
      if (self->out[i] == VK_NULL_HANDLE)
        continue;
      vtr_objects_destroying (vk, VTR_HANDLE_VkPipeline, VTR_HANDLE_BITS (self->out[i]));
      VTR_CALL (vk, table, vkDestroyPipeline)
      (self->device, self->out[i], NULL);
      self->out[i] = VK_NULL_HANDLE;
    }
}

/* Libraries must be as what they become part of. */
static bool
has_replayable_libraries (VtrReplayVk                             *vk,
                          const VkRayTracingPipelineCreateInfoKHR *info)
{
  const VkPipelineLibraryCreateInfoKHR *libraries = info->pLibraryInfo;

  for (uint32_t i = 0; libraries != NULL && i < libraries->libraryCount; i++)
    {
      const VtrReplayObject *object = vtr_objects_find (vk, VTR_HANDLE_VkPipeline,
                                                        VTR_HANDLE_BITS (libraries->pLibraries[i]));

      if (object == NULL || !object->info.replayable)
        return false;
    }
  return true;
}

/* Returns: false when nothing can be given back, or the trace is damaged. */
static bool
add_flags (VtrReplayVk *vk,
           Making      *self)
{
  self->own = calloc (self->n + 1, sizeof *self->own);
  for (uint32_t i = 0; self->own != NULL && i < self->n; i++)
    {
      self->own[i] = self->infos[i];
      if (!has_replayable_libraries (vk, &self->infos[i]))
        return false;
      self->own[i].flags |=
        VK_PIPELINE_CREATE_RAY_TRACING_SHADER_GROUP_HANDLE_CAPTURE_REPLAY_BIT_KHR;
    }
  return self->own != NULL;
}

static void
add_handles (const VtrReplayGroupHandles *handles,
             Making                      *self)
{
  VkRayTracingShaderGroupCreateInfoKHR *to;
  const uint8_t *from = handles->bytes;

  if (from == NULL || handles->n_bytes / handles->size != self->n_groups)
    return;
  self->groups = to = calloc (self->n_groups + 1u, sizeof *self->groups);
  for (uint32_t i = 0; to != NULL && i < self->n; i++)
    {
      self->own[i].pGroups = to;
      for (uint32_t k = 0; k < self->own[i].groupCount; k++, to++, from += handles->size)
        {
          *to = self->infos[i].pGroups[k];
          to->pShaderGroupCaptureReplayHandle = from;
        }
    }
}

/* With the handles, then as what could be asked for again, then plainly. */
static VkResult
make (VtrReplayVk                 *vk,
      VtrTable                    *table,
      const VtrReplayGroupHandles *handles,
      Making                      *self)
{
  VkResult result;

  if (!handles->wanted || handles->size != table->group_handle_size || !add_flags (vk, self))
    return make_as (vk, table, self, self->infos);
  if (table->mixes_groups || !table->has_plain_groups)
    add_handles (handles, self);
  result = make_as (vk, table, self, self->own);
  if (result < 0 && self->groups != NULL)
    {
      unmake (vk, table, self);
      for (uint32_t i = 0; i < self->n; i++)
        self->own[i].pGroups = self->infos[i].pGroups;
      free (self->groups);
      self->groups = NULL;
      result = make_as (vk, table, self, self->own);
    }
  if (result >= 0)
    return result;
  unmake (vk, table, self);
  return make_as (vk, table, self, self->infos);
}

VkResult
vtr_override_vkCreateRayTracingPipelinesKHR (VtrReplayVk                             *vk,
                                             VkDevice                                 device,
                                             VkDeferredOperationKHR                   operation,
                                             VkPipelineCache                          cache,
                                             uint32_t                                 n,
                                             const VkRayTracingPipelineCreateInfoKHR *pCreateInfos,
                                             const VkAllocationCallbacks             *allocator,
                                             VkPipeline                              *pipelines)
{
  VtrTable *table = vtr_device_table (vk, device);
  VtrReplayGroupHandles handles = vk->next_groups;
  Making making = {
    .device = device,
    .cache = cache,
    .n = n,
    .infos = pCreateInfos,
    .out = pipelines,
  };
  VkResult result = VK_ERROR_DEVICE_LOST;
  uint64_t n_groups = 0;

  /* The next command of the trace needs them. */
  (void)operation;
  (void)allocator;
  vk->next_groups = (VtrReplayGroupHandles){ 0 };
  if (table != NULL && vtr_replay_vk_has (vk, n, pCreateInfos, "pCreateInfos") &&
      (n == 0 ||
       vtr_replay_vk_output (vk, pipelines, n * sizeof *pipelines) != NULL))
    making.create = (PFN_vkCreateRayTracingPipelinesKHR)vtr_table_need (
      vk, table, VTR_CMD_vkCreateRayTracingPipelinesKHR);
  for (uint32_t i = 0; making.create != NULL && i < n; i++)
    {
      const VkPipelineLibraryCreateInfoKHR *libraries = pCreateInfos[i].pLibraryInfo;

      n_groups += pCreateInfos[i].groupCount;
      if (n_groups > UINT32_MAX ||
          !vtr_replay_vk_has (vk, pCreateInfos[i].groupCount, pCreateInfos[i].pGroups, "pGroups") ||
          (libraries != NULL && !vtr_replay_vk_has (vk, libraries->libraryCount,
                                                    libraries->pLibraries, "pLibraries")))
        making.create = NULL;
    }
  making.n_groups = (uint32_t)n_groups;
  if (making.create != NULL)
    result = make (vk, table, &handles, &making);
  free (making.own);
  free (making.groups);
  free (handles.bytes);
  return result;
}

/* --- What the trace says of them ------------------------------------------------------------- */

/* Returns: NULL after vtr_vm_fail(). */
static const void *
need_bytes (VtrReplayVk *vk,
            uint64_t     at,
            uint64_t     size)
{
  const void *bytes =
    vtr_vm_memory_resolve (&vk->vm->memory, VTR_VM_ABSOLUTE, at, size, VTR_VM_READ);

  if (bytes == NULL)
    vtr_vm_fail (vk->vm, VTR_VM_ERROR_PAYLOAD,
                 "Handles of shader groups lie outside the machine's memory.");
  return bytes;
}

uint64_t
vtr_synthetic_keep_groups (void           *context,
                           const uint64_t *args)
{
  VtrReplayVk *vk = context;
  VtrReplayGroupHandles handles = { .wanted = true, .n_bytes = args[0], .size = (uint32_t)args[2] };
  const void *bytes;

  vtr_groups_drop_next (vk);
  if (handles.size == 0 || handles.n_bytes % handles.size != 0)
    return 0;
  if (handles.n_bytes != 0)
    {
      bytes = need_bytes (vk, args[1], handles.n_bytes);
      handles.bytes = bytes != NULL ? malloc (handles.n_bytes) : NULL;
      if (handles.bytes == NULL)
        return 0;
      memcpy (handles.bytes, bytes, handles.n_bytes);
    }
  vk->next_groups = handles;
  return 0;
}

void
vtr_groups_drop_next (VtrReplayVk *vk)
{
  free (vk->next_groups.bytes);
  vk->next_groups = (VtrReplayGroupHandles){ 0 };
}

uint64_t
vtr_synthetic_compare_groups (void           *context,
                              const uint64_t *args)
{
  VtrReplayVk *vk = context;
  const uint64_t n_bytes = args[0], size = args[3];
  const uint8_t *captured = need_bytes (vk, args[1], n_bytes);
  const uint8_t *here = captured != NULL ? need_bytes (vk, args[2], n_bytes) : NULL;

  for (uint64_t at = 0; here != NULL && size != 0 && n_bytes - at >= size; at += size)
    if (memcmp (captured + at, here + at, size) == 0)
      vk->n_groups++;
    else
      vk->n_other_groups++;
  return 0;
}
