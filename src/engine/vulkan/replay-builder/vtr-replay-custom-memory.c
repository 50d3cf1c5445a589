/* Builds the commands that allocate and bind memory, create what lies in it, and tell addresses:
 * all lies where the captured program had it, or where another device wants it. */
#include "engine/vulkan/replay-builder/vtr-replay-custom-memory.h"

#include <string.h>

#include "engine/vulkan/replay-builder/vtr-address-patcher.h"
#include "engine/vulkan/replay-builder/vtr-replay-opaque.h"
#include "engine/vulkan/replay-builder/vtr-token-patcher.h"
#include "engine/vulkan/replay-builder/vtr-vulkan-builder-private.h"
#include "vtr-api-args.h"

/* More than any program has of one memory, and less than scratch holds. */
#define MAX_GROUPS 16384
#define MAX_LAYOUTS 4096

static void
build_scatter (VtrReplayBuilder               *self,
               VtrReplayPlan                  *plan,
               const VtrTraceDevice           *captured,
               guint64                         index,
               const VtrArgs_vkAllocateMemory *args)
{
  VtrBuffer *code = vtr_replay_builder_get_code (self);
  VtrMemoryPlan *memory = vtr_replay_plan_get_memory (plan);
  const VtrReplayMemoryGroup *groups = NULL;
  gsize n = vtr_memory_plan_get_groups (memory, index, &groups);
  guint32 type = args->pAllocateInfo->memoryTypeIndex;
  VkMemoryPropertyFlags flags = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
  guint64 at = 0;

  /* GAPID's traces may not say what the types were. */
  if (type < MIN (captured->memory.memoryTypeCount, VK_MAX_MEMORY_TYPES))
    flags = captured->memory.memoryTypes[type].propertyFlags;
  if (vtr_memory_plan_is_mapped (memory, index))
    flags |= VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT;
  n = MIN (n, MAX_GROUPS);
  if (n > 0)
    at = vtr_replay_builder_scratch (self, groups, (guint32)(n * sizeof *groups));
  vtr_asm_push (code, VTR_VM_UINT32, flags);
  vtr_asm_push (code, VTR_VM_UINT32, n);
  if (n > 0)
    vtr_asm_push (code, VTR_VM_VOLATILE, at);
  else
    vtr_asm_push (code, VTR_VM_ABSOLUTE, 0);
  vtr_replay_builder_call_synthetic (self, VTR_REPLAY_SCATTER_MEMORY);
}

/* The memory that is allocated next is to be where it was. */
static void
build_place (VtrReplayBuilder *self,
             guint64           address)
{
  if (address == 0)
    return;
  vtr_asm_push (vtr_replay_builder_get_code (self), VTR_VM_UINT64, address);
  vtr_replay_builder_call_synthetic (self, VTR_REPLAY_PLACE_MEMORY);
}

static void
build_address (VtrReplayBuilder *self,
               const VtrCommand *command,
               VtrHandleId       type,
               guint64           object)
{
  VtrBuffer *code = vtr_replay_builder_get_code (self);

  if (command->result == 0)
    return;
  if (vtr_vulkan_part (self)->patcher != NULL)
    {
      vtr_address_patcher_tell (self, command, type, object);
      return;
    }
  vtr_asm_push (code, VTR_VM_UINT32, type);
  vtr_replay_builder_push_handle (self, type, object);
  vtr_asm_push (code, VTR_VM_UINT64, command->result);
  vtr_replay_builder_call_synthetic (self, VTR_REPLAY_CHECK_ADDRESS);
}

gboolean
vtr_replay_custom_get_address (VtrReplayBuilder  *self,
                               const VtrCommand  *command,
                               GError           **error)
{
  const VtrArgs_vkGetBufferDeviceAddress *args = command->args;

  if (args->pInfo != NULL)
    build_address (self, command, VTR_HANDLE_VkBuffer, (guint64)(gsize)args->pInfo->buffer);
  return TRUE;
}

gboolean
vtr_replay_custom_get_structure_address (VtrReplayBuilder  *self,
                                         const VtrCommand  *command,
                                         GError           **error)
{
  const VtrArgs_vkGetAccelerationStructureDeviceAddressKHR *args = command->args;

  if (args->pInfo != NULL)
    build_address (self, command, VTR_HANDLE_VkAccelerationStructureKHR,
                   (guint64)(gsize)args->pInfo->accelerationStructure);
  return TRUE;
}

gboolean
vtr_replay_custom_allocate_memory (VtrReplayBuilder  *self,
                                   const VtrCommand  *command,
                                   GError           **error)
{
  const VtrArgs_vkAllocateMemory *args = command->args;
  VtrReplayPlan *plan = vtr_vulkan_plan (self);
  const VtrTraceDevice *captured;
  const VtrVulkanDevice *target;

  if (plan != NULL && args->pAllocateInfo != NULL &&
      vtr_replay_plan_is_elsewhere (plan, (guint64)(gsize)args->device, command->index, &captured,
                                    &target))
    build_scatter (self, plan, captured, command->index, args);
  if (plan != NULL)
    build_place (self, vtr_replay_plan_get_address (plan, command->index));
  if (args->pAllocateInfo != NULL &&
      (vtr_replay_builder_give_back (self, command, args->device, 0) ||
       vtr_vulkan_part (self)->patcher != NULL))
    vtr_address_forget_in_memory ((VkMemoryAllocateInfo *)(gpointer)args->pAllocateInfo);
  if (vtr_vulkan_part (self)->patcher != NULL && args->pAllocateInfo != NULL &&
      args->pMemory != NULL)
    vtr_address_patcher_allocate (self, (guint64)(gsize)*args->pMemory);
  if (args->pMemory != NULL)
    vtr_token_patcher_allocate (self, (guint64)(gsize)*args->pMemory, command->index);
  return vtr_replay_builder_call (self, command->id, args, command->id, error);
}

gboolean
vtr_replay_custom_bind_buffer (VtrReplayBuilder  *self,
                               const VtrCommand  *command,
                               GError           **error)
{
  const VtrArgs_vkBindBufferMemory *args = command->args;

  vtr_token_patcher_bind (self, (guint64)(gsize)args->buffer, (guint64)(gsize)args->memory,
                          args->memoryOffset);
  return vtr_replay_builder_call (self, command->id, args, command->id, error);
}

gboolean
vtr_replay_custom_bind_buffers (VtrReplayBuilder  *self,
                                const VtrCommand  *command,
                                GError           **error)
{
  const VtrArgs_vkBindBufferMemory2 *args = command->args;

  for (guint32 i = 0; args->pBindInfos != NULL && i < args->bindInfoCount; i++)
    vtr_token_patcher_bind (self, (guint64)(gsize)args->pBindInfos[i].buffer,
                            (guint64)(gsize)args->pBindInfos[i].memory,
                            args->pBindInfos[i].memoryOffset);
  return vtr_replay_builder_call (self, command->id, args, command->id, error);
}

/* A buffer says beforehand that its memory is imported. */
gboolean
vtr_replay_custom_create_buffer (VtrReplayBuilder  *self,
                                 const VtrCommand  *command,
                                 GError           **error)
{
  VtrArgs_vkCreateBuffer args = *(const VtrArgs_vkCreateBuffer *)command->args;
  VtrReplayPlan *plan = vtr_vulkan_plan (self);
  VkExternalMemoryBufferCreateInfo external = {
    .sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
    .handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT,
  };
  VkBufferCreateInfo info;

  if (args.pCreateInfo != NULL &&
      (vtr_replay_builder_give_back (self, command, args.device, 0) ||
       vtr_vulkan_part (self)->patcher != NULL))
    vtr_address_forget_in_buffer ((VkBufferCreateInfo *)(gpointer)args.pCreateInfo);
  if (args.pCreateInfo != NULL && plan != NULL &&
      vtr_replay_plan_is_imported (plan, (guint64)(gsize)args.device, command->index))
    {
      info = *args.pCreateInfo;
      external.pNext = info.pNext;
      info.pNext = &external;
      args.pCreateInfo = &info;
    }
  return vtr_replay_builder_call (self, command->id, &args, command->id, error);
}

/* Like custom_create_buffer (), for an image. @info, @external: room for what changes. */
static void
import_image (VtrReplayPlan                   *plan,
              guint64                          index,
              VtrArgs_vkCreateImage           *args,
              VkImageCreateInfo               *info,
              VkExternalMemoryImageCreateInfo *external)
{
  if (args->pCreateInfo == NULL || plan == NULL ||
      !vtr_replay_plan_is_imported (plan, (guint64)(gsize)args->device, index))
    return;
  *info = *args->pCreateInfo;
  *external = (VkExternalMemoryImageCreateInfo){
    .sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO,
    .pNext = info->pNext,
    .handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT,
  };
  info->pNext = external;
  args->pCreateInfo = info;
}

/* A linear image comes with what the program knows of its rows. */
gboolean
vtr_replay_custom_create_image (VtrReplayBuilder  *self,
                                const VtrCommand  *command,
                                GError           **error)
{
  VtrArgs_vkCreateImage copy = *(const VtrArgs_vkCreateImage *)command->args, *args = &copy;
  VtrReplayPlan *plan = vtr_vulkan_plan (self);
  const VtrReplayLinearLayout *layouts = NULL;
  const VtrTraceDevice *captured;
  const VtrVulkanDevice *target;
  VkExternalMemoryImageCreateInfo external;
  VkImageCreateInfo info;
  guint64 at;
  gsize n;

  import_image (plan, command->index, args, &info, &external);
  if (!vtr_replay_builder_call (self, command->id, args, command->id, error))
    return FALSE;
  if (plan == NULL || args->pImage == NULL ||
      !vtr_replay_plan_is_elsewhere (plan, (guint64)(gsize)args->device, command->index, &captured,
                                     &target))
    return TRUE;
  n = MIN (vtr_memory_plan_get_layouts (vtr_replay_plan_get_memory (plan), command->index,
                                        &layouts),
           MAX_LAYOUTS);
  if (n == 0)
    return TRUE;
  at = vtr_replay_builder_scratch (self, layouts, (guint32)(n * sizeof *layouts));
  vtr_replay_builder_push_handle (self, VTR_HANDLE_VkImage, (guint64)(gsize)*args->pImage);
  vtr_asm_push (vtr_replay_builder_get_code (self), VTR_VM_UINT32, n);
  vtr_asm_push (vtr_replay_builder_get_code (self), VTR_VM_VOLATILE, at);
  vtr_replay_builder_call_synthetic (self, VTR_REPLAY_LINEAR_LAYOUT);
  return TRUE;
}
