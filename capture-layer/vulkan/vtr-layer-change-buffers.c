/* Changes the creation of buffers so that their contents can be copied, and of buffers and memory
 * so that a replay can ask for the same addresses. */
#include "vtr-layer-changes.h"

#include "vtr-layer-trampolines.h"

#include "vulkan/vtr-vulkan-facts.h"

/* ---- Device addresses that replay can ask for again ---- */

bool
vtr_layer_change_allocation (const VtrLayerDevice       *device,
                             const VkMemoryAllocateInfo *info,
                             VkMemoryAllocateInfo       *out,
                             VtrArena                   *arena)
{
  VkMemoryAllocateFlagsInfo *flags;

  *out = *info;
  if (!device->address_replay)
    return false;
  flags = vtr_layer_clone_chain_to (arena, &out->pNext,
                                    VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO);
  if (flags == NULL || (flags->flags & VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT) == 0)
    return false;
  flags->flags |= VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT;
  return true;
}

void
vtr_layer_record_memory_address (VtrLayerDevice *device,
                                 VkDeviceMemory  memory)
{
  const VkDeviceMemoryOpaqueCaptureAddressInfo info = {
    .sType = VK_STRUCTURE_TYPE_DEVICE_MEMORY_OPAQUE_CAPTURE_ADDRESS_INFO,
    .memory = memory,
  };
  PFN_vkGetDeviceMemoryOpaqueCaptureAddress get = device->next.GetDeviceMemoryOpaqueCaptureAddress;
  uint64_t address;

  if (get == NULL)
    get = device->next.GetDeviceMemoryOpaqueCaptureAddressKHR;
  if (get == NULL)
    return;
  address = get (device->handle, &info);
  vtr_layer_call_add_extra (VTR_EXTRA_OPAQUE_ADDRESS, &address, sizeof address);
}

static void
record_buffer_address (VtrLayerDevice *device,
                       VkBuffer        buffer)
{
  const VkBufferDeviceAddressInfo info = {
    .sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
    .buffer = buffer,
  };
  PFN_vkGetBufferOpaqueCaptureAddress get = device->next.GetBufferOpaqueCaptureAddress;
  uint64_t address;

  if (get == NULL)
    get = device->next.GetBufferOpaqueCaptureAddressKHR;
  if (get == NULL)
    return;
  address = get (device->handle, &info);
  vtr_layer_call_add_extra (VTR_EXTRA_OPAQUE_ADDRESS, &address, sizeof address);
}

/* ---- Buffers ---- */

/* Adds to what the driver gets to see of the buffer's usage; @arena: where a chain is copied. */
static void
add_buffer_usage (VkBufferCreateInfo *info,
                  VtrArena           *arena,
                  VkBufferUsageFlags  usage)
{
#ifdef VK_KHR_maintenance5
  VkBufferUsageFlags2CreateInfoKHR *wide = vtr_layer_clone_chain_to (
    arena, &info->pNext, VK_STRUCTURE_TYPE_BUFFER_USAGE_FLAGS_2_CREATE_INFO_KHR);

  if (wide != NULL)
    wide->usage |= usage;
#else
  (void)arena;
#endif
  info->usage |= usage;
}

static VkBufferCreateInfo
change_buffer (const VtrLayerDevice     *device,
               const VkBufferCreateInfo *info,
               VtrArena                 *arena)
{
  VkBufferCreateInfo changed = *info;

  add_buffer_usage (&changed, arena, VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
  if (device->address_replay &&
      (vtr_buffer_get_usage (info) & VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT))
    changed.flags |= VK_BUFFER_CREATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT;
  return changed;
}

VkResult
vtr_layer_hook_CreateBuffer (VtrLayerDevice              *self,
                             VkDevice                     device,
                             const VkBufferCreateInfo    *pCreateInfo,
                             const VkAllocationCallbacks *pAllocator,
                             VkBuffer                    *pBuffer)
{
  VkBufferCreateInfo info;
  VtrArena arena;
  VkResult result;

  vtr_arena_init (&arena);
  info = change_buffer (self, pCreateInfo, &arena);
  result = self->next.CreateBuffer (device, &info, pAllocator, pBuffer);
  vtr_arena_finish (&arena);
  if (result < 0)
    {
      info = *pCreateInfo;
      result = self->next.CreateBuffer (device, pCreateInfo, pAllocator, pBuffer);
    }
  if (result == VK_SUCCESS)
    vtr_layer_memory_buffer_created (&self->memory, *pBuffer, pCreateInfo);
  if (result == VK_SUCCESS && (info.flags & VK_BUFFER_CREATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT))
    {
      if (vtr_buffer_get_usage (pCreateInfo) &
          VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_STORAGE_BIT_KHR)
        vtr_layer_memory_buffer_replayable (&self->memory, *pBuffer);
      if (vtr_layer_is_encoding ())
        record_buffer_address (self, *pBuffer);
    }
  return result;
}

/* Asks with the buffer as it will be made. */
#define WITH_BUFFER_REQUIREMENTS(get) \
  VkDeviceBufferMemoryRequirements changed = *pInfo; \
  VkBufferCreateInfo buffer; \
  VtrArena arena; \
\
  vtr_arena_init (&arena); \
  buffer = change_buffer (self, pInfo->pCreateInfo, &arena); \
  changed.pCreateInfo = &buffer; \
  get (device, &changed, pOut); \
  vtr_arena_finish (&arena)

void
vtr_layer_hook_GetDeviceBufferMemoryRequirements (VtrLayerDevice                         *self,
                                                  VkDevice                                device,
                                                  const VkDeviceBufferMemoryRequirements *pInfo,
                                                  VkMemoryRequirements2                  *pOut)
{
  WITH_BUFFER_REQUIREMENTS (self->next.GetDeviceBufferMemoryRequirements);
}

void
vtr_layer_hook_GetDeviceBufferMemoryRequirementsKHR (VtrLayerDevice                         *self,
                                                     VkDevice                                device,
                                                     const VkDeviceBufferMemoryRequirements *pInfo,
                                                     VkMemoryRequirements2                  *pOut)
{
  WITH_BUFFER_REQUIREMENTS (self->next.GetDeviceBufferMemoryRequirementsKHR);
}
