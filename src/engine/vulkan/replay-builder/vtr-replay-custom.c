/* Builds commands that a replay has to run differently from the captured program. All other
 * commands follow their class (vtr-replay-rule.c). */
#include "vtr-config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "engine/vulkan/read/vtr-trace-device.h"
#include "engine/vulkan/replay-builder/vtr-token-patcher.h"
#include "engine/vulkan/replay-builder/vtr-vulkan-builder-private.h"
#include "engine/vulkan/replay-builder/vtr-replay-custom-memory.h"
#include "engine/vulkan/replay-builder/vtr-replay-generated.h"
#include "engine/vulkan/replay-builder/vtr-replay-opaque.h"
#include "vulkan/vtr-vulkan-facts.h"
#include "vtr-api-args.h"

/* --- Physical devices ------------------------------------------------------------------------ */

/* Replaces every VkPhysicalDevice by the one in the plan, or by the best fit. */
static gboolean
build_physical_device (VtrReplayBuilder  *self,
                       VkInstance         instance,
                       VkPhysicalDevice   physical_device,
                       guint32            nth,
                       GError           **error)
{
  VtrTrace *trace = vtr_replay_builder_get_trace (self);
  VtrReplayPlan *plan = vtr_vulkan_plan (self);
  VtrBuffer *code = vtr_replay_builder_get_code (self);
  const VkPhysicalDeviceProperties *properties = NULL;
  char name[VK_MAX_PHYSICAL_DEVICE_NAME_SIZE] = "";
  guint64 value = (guint64)(gsize)physical_device;
  guint64 name_at;
  guint64 slot;

  if (value == 0)
    return TRUE;
  if (plan != NULL)
    {
      const VtrVulkanDevice *device = vtr_replay_plan_get_target (plan, value);

      properties = &device->properties;
      nth = device->base.index;
    }
  for (guint i = 0; plan == NULL && i < vtr_trace_get_n_devices (trace); i++)
    if (vtr_trace_get_device (trace, i)->physical_device == value)
      properties = &vtr_trace_get_device (trace, i)->properties;
  if (properties != NULL)
    g_strlcpy (name, properties->deviceName, sizeof name);

  slot = vtr_replay_slots_ensure (vtr_replay_builder_get_slots (self),
                                  vtr_vulkan_identity (VTR_HANDLE_VkPhysicalDevice, value));
  name_at = vtr_replay_builder_scratch (self, name, (guint32)strlen (name) + 1);
  vtr_replay_builder_push_handle (self, VTR_HANDLE_VkInstance, (guint64)(gsize)instance);
  vtr_asm_push (code, VTR_VM_UINT32, properties != NULL ? properties->vendorID : 0);
  vtr_asm_push (code, VTR_VM_UINT32, properties != NULL ? properties->deviceID : 0);
  vtr_asm_push (code, VTR_VM_UINT32, nth);
  vtr_asm_push (code, VTR_VM_VOLATILE, name_at);
  vtr_asm_push (code, VTR_VM_VOLATILE, slot);
  vtr_replay_builder_call_synthetic (self, VTR_REPLAY_GET_PHYSICAL_DEVICE);
  return TRUE;
}

static gboolean
custom_enumerate_physical_devices (VtrReplayBuilder  *self,
                                   const VtrCommand  *command,
                                   GError           **error)
{
  const VtrArgs_vkEnumeratePhysicalDevices *args = command->args;

  if (args->pPhysicalDevices == NULL || args->pPhysicalDeviceCount == NULL)
    return TRUE;
  for (guint32 i = 0; i < *args->pPhysicalDeviceCount; i++)
    if (!build_physical_device (self, args->instance, args->pPhysicalDevices[i], i, error))
      return FALSE;
  return TRUE;
}

static gboolean
custom_enumerate_groups (VtrReplayBuilder  *self,
                         const VtrCommand  *command,
                         GError           **error)
{
  const VtrArgs_vkEnumeratePhysicalDeviceGroups *args = command->args;
  guint32 nth = 0;

  if (args->pPhysicalDeviceGroupProperties == NULL || args->pPhysicalDeviceGroupCount == NULL)
    return TRUE;
  for (guint32 i = 0; i < *args->pPhysicalDeviceGroupCount; i++)
    {
      const VkPhysicalDeviceGroupProperties *group = &args->pPhysicalDeviceGroupProperties[i];

      for (guint32 j = 0; j < MIN (group->physicalDeviceCount, VK_MAX_DEVICE_GROUP_SIZE); j++)
        if (!build_physical_device (self, args->instance, group->physicalDevices[j], nth++, error))
          return FALSE;
    }
  return TRUE;
}

/* --- Swapchain ------------------------------------------------------------------------------- */

/* A count query makes no images. */
static gboolean
custom_get_swapchain_images (VtrReplayBuilder  *self,
                             const VtrCommand  *command,
                             GError           **error)
{
  const VtrArgs_vkGetSwapchainImagesKHR *args = command->args;

  if (args->pSwapchainImages == NULL)
    return TRUE;
  return vtr_replay_builder_call (self, command->id, args, command->id, error);
}

static void
build_acquire (VtrReplayBuilder *self,
               VkDevice          device,
               VkSwapchainKHR    swapchain,
               VkSemaphore       semaphore,
               VkFence           fence,
               guint32           image)
{
  vtr_replay_builder_push_handle (self, VTR_HANDLE_VkDevice, (guint64)(gsize)device);
  vtr_replay_builder_push_handle (self, VTR_HANDLE_VkSwapchainKHR, (guint64)(gsize)swapchain);
  vtr_replay_builder_push_handle (self, VTR_HANDLE_VkSemaphore, (guint64)(gsize)semaphore);
  vtr_replay_builder_push_handle (self, VTR_HANDLE_VkFence, (guint64)(gsize)fence);
  vtr_asm_push (vtr_replay_builder_get_code (self), VTR_VM_UINT32, image);
  vtr_replay_builder_call_synthetic (self, VTR_REPLAY_ACQUIRE);
}

static gboolean
custom_acquire (VtrReplayBuilder  *self,
                const VtrCommand  *command,
                GError           **error)
{
  const VtrArgs_vkAcquireNextImageKHR *args = command->args;

  build_acquire (self, args->device, args->swapchain, args->semaphore, args->fence,
                 args->pImageIndex != NULL ? *args->pImageIndex : 0);
  return TRUE;
}

static gboolean
custom_acquire2 (VtrReplayBuilder  *self,
                 const VtrCommand  *command,
                 GError           **error)
{
  const VtrArgs_vkAcquireNextImage2KHR *args = command->args;
  const VkAcquireNextImageInfoKHR *info = args->pAcquireInfo;

  if (info != NULL)
    build_acquire (self, args->device, info->swapchain, info->semaphore, info->fence,
                   args->pImageIndex != NULL ? *args->pImageIndex : 0);
  return TRUE;
}

/* Also after VK_ERROR_OUT_OF_DATE_KHR and its kin: the semaphores have been waited for anyway. */
static gboolean
custom_present (VtrReplayBuilder  *self,
                const VtrCommand  *command,
                GError           **error)
{
  switch ((gint32)command->result)
    {
    case VK_ERROR_OUT_OF_HOST_MEMORY:
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
    case VK_ERROR_DEVICE_LOST:
      return TRUE;
    default:
      return vtr_replay_builder_call (self, command->id, command->args, VTR_REPLAY_PRESENT, error);
    }
}

/* --- Waits: for what the capture saw --------------------------------------------------------- */

static gboolean
custom_get_fence_status (VtrReplayBuilder  *self,
                         const VtrCommand  *command,
                         GError           **error)
{
  const VtrArgs_vkGetFenceStatus *args = command->args;
  const VtrArgs_vkWaitForFences wait = {
    .device = args->device,
    .fenceCount = 1,
    .pFences = &args->fence,
    .waitAll = VK_TRUE,
    .timeout = G_MAXUINT64,
  };

  return vtr_replay_builder_call (self, VTR_CMD_vkWaitForFences, &wait, VTR_CMD_vkWaitForFences,
                                  error);
}

static gboolean
custom_wait_for_fences (VtrReplayBuilder  *self,
                        const VtrCommand  *command,
                        GError           **error)
{
  VtrArgs_vkWaitForFences wait = *(const VtrArgs_vkWaitForFences *)command->args;

  wait.timeout = G_MAXUINT64;
  return vtr_replay_builder_call (self, command->id, &wait, command->id, error);
}

static gboolean
custom_wait_semaphores (VtrReplayBuilder  *self,
                        const VtrCommand  *command,
                        GError           **error)
{
  VtrArgs_vkWaitSemaphores wait = *(const VtrArgs_vkWaitSemaphores *)command->args;

  wait.timeout = G_MAXUINT64;
  return vtr_replay_builder_call (self, command->id, &wait, command->id, error);
}

static gboolean
custom_get_counter (VtrReplayBuilder  *self,
                    const VtrCommand  *command,
                    GError           **error)
{
  const VtrArgs_vkGetSemaphoreCounterValue *args = command->args;
  VtrCmdId id = command->id == VTR_CMD_vkGetSemaphoreCounterValue ? VTR_CMD_vkWaitSemaphores
                                                                  : VTR_CMD_vkWaitSemaphoresKHR;
  VkSemaphoreWaitInfo info = { VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO };
  const VtrArgs_vkWaitSemaphores wait = { args->device, &info, G_MAXUINT64 };

  if (args->pValue == NULL || *args->pValue == 0)
    return TRUE;
  info.semaphoreCount = 1;
  info.pSemaphores = &args->semaphore;
  info.pValues = args->pValue;
  return vtr_replay_builder_call (self, id, &wait, id, error);
}

static gboolean
custom_get_event_status (VtrReplayBuilder  *self,
                         const VtrCommand  *command,
                         GError           **error)
{
  const VtrArgs_vkGetEventStatus *args = command->args;

  if ((gint32)command->result != VK_EVENT_SET)
    return TRUE;
  vtr_replay_builder_push_handle (self, VTR_HANDLE_VkDevice, (guint64)(gsize)args->device);
  vtr_replay_builder_push_handle (self, VTR_HANDLE_VkEvent, (guint64)(gsize)args->event);
  vtr_replay_builder_call_synthetic (self, VTR_REPLAY_WAIT_EVENT);
  return TRUE;
}

/* Results that were there are waited for; a question that may be answered with "not yet" is left
 * out. */
static gboolean
custom_get_query_results (VtrReplayBuilder  *self,
                          const VtrCommand  *command,
                          GError           **error)
{
  VtrArgs_vkGetQueryPoolResults args = *(const VtrArgs_vkGetQueryPoolResults *)command->args;

  if ((args.flags & (VK_QUERY_RESULT_WITH_AVAILABILITY_BIT | VK_QUERY_RESULT_PARTIAL_BIT)) != 0)
    return TRUE;
  args.flags |= VK_QUERY_RESULT_WAIT_BIT;
  return vtr_replay_builder_call (self, command->id, &args, command->id, error);
}

/* --- Descriptors ----------------------------------------------------------------------------- */

static gboolean
custom_create_template (VtrReplayBuilder  *self,
                        const VtrCommand  *command,
                        GError           **error)
{
  const VtrArgs_vkCreateDescriptorUpdateTemplate *args = command->args;

  if (args->pCreateInfo != NULL && args->pDescriptorUpdateTemplate != NULL)
    vtr_replay_builder_add_template (self, (guint64)(gsize)*args->pDescriptorUpdateTemplate,
                                     args->pCreateInfo);
  return vtr_replay_builder_call (self, command->id, args, command->id, error);
}

static gboolean
custom_get_group_handles (VtrReplayBuilder  *self,
                          const VtrCommand  *command,
                          GError           **error)
{
  return vtr_token_patcher_tell_groups (self, command, error);
}

/* Returns: where the blob of vkGetDescriptorEXT's @args has the descriptor; 0: it is not wanted. */
static guint32
find_descriptor (VtrReplayBuilder                 *self,
                 const VtrArgs_vkGetDescriptorEXT *args)
{
  guint64 at;

  if (vtr_vulkan_part (self)->tokens[VTR_TOKEN_DESCRIPTOR] == NULL || args->pDescriptor == NULL)
    return 0;
  memcpy (&at, self->flat.blob.data + G_STRUCT_OFFSET (VtrArgs_vkGetDescriptorEXT, pDescriptor),
          sizeof at);
  return (guint32)at;
}

/* Drivers need not write every byte of a descriptor: the others stay as they were captured. */
static void
fill_descriptor (VtrReplayBuilder                 *self,
                 const VtrArgs_vkGetDescriptorEXT *args)
{
  const guint32 at = find_descriptor (self, args);

  if (at != 0)
    memcpy (self->flat.blob.data + at, args->pDescriptor, args->dataSize);
}

/* Returns: a number that is the same as long as the arguments and the objects among them are. */
static guint64
identify_arguments (VtrReplayBuilder *self,
                    guint32           first)
{
  const VtrFlatHandle *handles = (const VtrFlatHandle *)(const void *)self->flat.handles.data;
  const guint64 prime = G_GUINT64_CONSTANT (0x100000001b3);
  guint64 hash = G_GUINT64_CONSTANT (0xcbf29ce484222325);

  for (gsize i = first; i < self->flat.blob.size; i++)
    hash = (hash ^ self->flat.blob.data[i]) * prime;
  for (gsize i = 0; i < self->flat.n_handles; i++)
    {
      guint64 slot = vtr_replay_slots_find (&self->slots,
                                            vtr_vulkan_identity (handles[i].type,
                                                                 handles[i].value));

      hash = (hash ^ vtr_replay_slots_get_life (&self->slots, slot)) * prime;
    }
  /* Addresses that are guessed may have come to mean another buffer. */
  return vtr_vulkan_part (self)->patcher != NULL && self->flat.n_places > 0 ? hash ^ self->label
                                                                            : hash;
}

static gboolean
custom_get_descriptor (VtrReplayBuilder  *self,
                       const VtrCommand  *command,
                       GError           **error)
{
  const VtrArgs_vkGetDescriptorEXT *args = command->args;
  VtrReplayPlan *plan = vtr_vulkan_plan (self);
  VtrReplayPlacement placement;
  guint32 at;

  if (args->pDescriptor == NULL || args->pDescriptorInfo == NULL ||
      (plan != NULL && !vtr_replay_plan_is_same (plan)))
    return TRUE;
  if (!vtr_replay_builder_flatten (self, command->id, args, error))
    return FALSE;
  fill_descriptor (self, args);
  if (!vtr_replay_builder_place (self, command->id, &placement, error))
    return FALSE;
  vtr_replay_builder_finish_call (self, command->id, command->id, &placement);
  at = find_descriptor (self, args);
  return at == 0 || vtr_token_patcher_tell_descriptor (
                      self, args, identify_arguments (self, placement.first),
                      vtr_replay_placed (&placement, at), error);
}

/* Tokens in the bytes are changed where they were laid out. */
static gboolean
custom_update_buffer (VtrReplayBuilder  *self,
                      const VtrCommand  *command,
                      GError           **error)
{
  const VtrArgs_vkCmdUpdateBuffer *args = command->args;
  VtrReplayPlacement placement;
  guint64 offset;

  if (!vtr_replay_builder_flatten (self, command->id, args, error) ||
      !vtr_replay_builder_place (self, command->id, &placement, error))
    return FALSE;
  memcpy (&offset, self->flat.blob.data + G_STRUCT_OFFSET (VtrArgs_vkCmdUpdateBuffer, pData),
          sizeof offset);
  if (offset != 0 && args->pData != NULL)
    vtr_token_patcher_change_update (self, args, vtr_replay_placed (&placement, (guint32)offset));
  vtr_replay_builder_finish_call (self, command->id, command->id, &placement);
  return TRUE;
}

/* All sets of the pool were freed. */
static gboolean
custom_reset_pool (VtrReplayBuilder  *self,
                   const VtrCommand  *command,
                   GError           **error)
{
  const VtrArgs_vkResetDescriptorPool *args = command->args;
  const gboolean ok = vtr_replay_builder_call (self, command->id, args, command->id, error);
  guint64 slot = 0;

  if (args->descriptorPool != VK_NULL_HANDLE)
    slot = vtr_replay_slots_find (&self->slots,
                                  vtr_vulkan_identity (VTR_HANDLE_VkDescriptorPool,
                                                       (guint64)args->descriptorPool));
  if (slot != 0)
    vtr_replay_slots_end_children (&self->slots, slot);
  return ok;
}

static gboolean
custom_bind_descriptor_buffers (VtrReplayBuilder  *self,
                                const VtrCommand  *command,
                                GError           **error)
{
  if (!vtr_token_patcher_has_lost_descriptors (self))
    return vtr_replay_builder_call (self, command->id, command->args, command->id, error);
  g_set_error (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_UNSUPPORTED,
               _ ("The program keeps descriptors in buffers. A replay has to replace them, but "
                  "this driver's descriptors are too short or too long to be found there."));
  return FALSE;
}

/* --- Objects --------------------------------------------------------------------------------- */

/* Its data belongs to the captured driver. */
static gboolean
custom_create_pipeline_cache (VtrReplayBuilder  *self,
                              const VtrCommand  *command,
                              GError           **error)
{
  VtrArgs_vkCreatePipelineCache args = *(const VtrArgs_vkCreatePipelineCache *)command->args;
  VkPipelineCacheCreateInfo info = { VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO };

  if (args.pCreateInfo != NULL)
    info.flags = args.pCreateInfo->flags;
  args.pCreateInfo = &info;
  return vtr_replay_builder_call (self, command->id, &args, command->id, error);
}

#define CUSTOM(name, function) \
  { \
    VTR_CMD_##name, { VTR_REPLAY_CUSTOM, FALSE, function, NULL, NULL } \
  }
/* Only on the device and with the driver of the capture. */
#define CUSTOM_HERE(name, function, why) \
  { \
    VTR_CMD_##name, { VTR_REPLAY_CUSTOM, FALSE, function, NULL, why } \
  }
#define CUSTOM_ALWAYS(name, function) \
  { \
    VTR_CMD_##name, { VTR_REPLAY_CUSTOM, TRUE, function, NULL, NULL } \
  }
#define LEAVE(name, why) \
  { \
    VTR_CMD_##name, { VTR_REPLAY_LEAVE, FALSE, NULL, why, NULL } \
  }
#define DECLINE(name, why) \
  { \
    VTR_CMD_##name, { VTR_REPLAY_DECLINE, FALSE, NULL, why, NULL } \
  }

static const char others_descriptors[] =
  N_ ("descriptors in buffers are the driver's own bytes and need the device and driver of the "
      "capture");

static const char in_execution[] = "the execution does the preprocessing";

static const VtrReplayCustomEntry table[] = {
  CUSTOM (vkEnumeratePhysicalDevices, custom_enumerate_physical_devices),
  CUSTOM (vkEnumeratePhysicalDeviceGroups, custom_enumerate_groups),

  CUSTOM (vkGetSwapchainImagesKHR, custom_get_swapchain_images),
  CUSTOM (vkAcquireNextImageKHR, custom_acquire),
  CUSTOM (vkAcquireNextImage2KHR, custom_acquire2),
  CUSTOM_ALWAYS (vkQueuePresentKHR, custom_present),
  LEAVE (vkGetSwapchainStatusKHR, "the replay shows nothing"),
  DECLINE (vkCreateSharedSwapchainsKHR, N_ ("swapchains that share a display are not supported")),

  CUSTOM (vkGetFenceStatus, custom_get_fence_status),
  CUSTOM (vkWaitForFences, custom_wait_for_fences),
  CUSTOM (vkWaitSemaphores, custom_wait_semaphores),
  CUSTOM (vkGetSemaphoreCounterValue, custom_get_counter),
  CUSTOM (vkGetEventStatus, custom_get_event_status),
  CUSTOM (vkGetQueryPoolResults, custom_get_query_results),

  CUSTOM (vkCreateDescriptorUpdateTemplate, custom_create_template),
  CUSTOM (vkCreatePipelineCache, custom_create_pipeline_cache),
  CUSTOM (vkAllocateMemory, vtr_replay_custom_allocate_memory),
  CUSTOM_ALWAYS (vkGetBufferDeviceAddress, vtr_replay_custom_get_address),
  CUSTOM_ALWAYS (vkGetAccelerationStructureDeviceAddressKHR,
                 vtr_replay_custom_get_structure_address),
  CUSTOM (vkGetRayTracingShaderGroupHandlesKHR, custom_get_group_handles),
  CUSTOM (vkGetDescriptorEXT, custom_get_descriptor),
  CUSTOM (vkCmdUpdateBuffer, custom_update_buffer),
  CUSTOM (vkResetDescriptorPool, custom_reset_pool),
  CUSTOM_HERE (vkCmdBindDescriptorBuffersEXT, custom_bind_descriptor_buffers, others_descriptors),
  CUSTOM (vkBindBufferMemory, vtr_replay_custom_bind_buffer),
  CUSTOM (vkBindBufferMemory2, vtr_replay_custom_bind_buffers),
  CUSTOM (vkCreateBuffer, vtr_replay_custom_create_buffer),
  CUSTOM (vkCreateImage, vtr_replay_custom_create_image),
  CUSTOM (vkCreateAccelerationStructureKHR, vtr_replay_custom_create_structure),
  CUSTOM (vkCreateRayTracingPipelinesKHR, vtr_replay_custom_create_ray_tracing),

  CUSTOM (vkCreateIndirectCommandsLayoutNV, vtr_replay_custom_create_commands_layout),
  CUSTOM (vkCmdExecuteGeneratedCommandsNV, vtr_replay_custom_execute_generated),
  LEAVE (vkCmdPreprocessGeneratedCommandsNV, in_execution),
#ifdef VK_EXT_device_generated_commands
  CUSTOM (vkCreateIndirectCommandsLayoutEXT, vtr_replay_custom_create_commands_layout),
  CUSTOM (vkCmdExecuteGeneratedCommandsEXT, vtr_replay_custom_execute_generated),
  LEAVE (vkCmdPreprocessGeneratedCommandsEXT, in_execution),
#endif

  /* The replayer maps memory itself, for each write of the trace (VTR_REPLAY_WRITE_BYTES), and
     flushes it. */
  LEAVE (vkMapMemory, "the replayer maps memory itself"),
  LEAVE (vkUnmapMemory, "the replayer maps memory itself"),
  LEAVE (vkFlushMappedMemoryRanges, "the replayer maps memory itself"),
  LEAVE (vkInvalidateMappedMemoryRanges, "the replay does not look at what the GPU wrote"),

  LEAVE (vkGetInstanceProcAddr, "functions of the captured process"),
  LEAVE (vkGetDeviceProcAddr, "functions of the captured process"),
  LEAVE (vkCreatePrivateDataSlot, "data of the program's own"),
  LEAVE (vkDestroyPrivateDataSlot, "data of the program's own"),
  LEAVE (vkSetPrivateData, "data of the program's own"),
  LEAVE (vkAcquireProfilingLockKHR, "the replay does not count what the program counted"),
  LEAVE (vkReleaseProfilingLockKHR, "the replay does not count what the program counted"),
  LEAVE (vkGetMemoryFdKHR, "nobody imports it"),
  LEAVE (vkGetFenceFdKHR, "nobody imports it"),
  LEAVE (vkGetSemaphoreFdKHR, "nobody imports it"),
  LEAVE (vkRegisterDeviceEventEXT, "the replay shows nothing"),
  DECLINE (vkImportFenceFdKHR,
           N_ ("it imports a fence that another part of the program or another process made")),
  DECLINE (vkImportSemaphoreFdKHR,
           N_ ("it imports a semaphore that another part of the program or another process made")),
};

const VtrReplayCustomEntry *
vtr_replay_custom_table (gsize *n)
{
  *n = G_N_ELEMENTS (table);
  return table;
}
