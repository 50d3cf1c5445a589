/* Gives objects device addresses, and gives an object the address that it had in another process
 * if it is asked to.
 *
 * With the line `opaque` the driver's addresses have nothing to do with those of the bytes, and
 * what is to be asked for again comes from a range of its own. Opaque ones are no addresses. */
#include "vtr-mock.h"

#define REPLAYABLE_RANGE (UINT64_C (1) << 38) /* behind the other one */
#define GRANULE 0x10000u

/* Low bytes of opaque addresses. */
#define OF_MEMORY 0x0du
#define OF_BUFFER 0x0bu

static uint64_t n_plain, n_replayable, n_buffers;

static const void *
chained (const void *chain,
         int         type)
{
  for (const VkBaseInStructure *link = chain; link != NULL; link = link->pNext)
    if ((int)link->sType == type)
      return link;
  return NULL;
}

void
mock_note_features (MockObject               *device,
                    const VkDeviceCreateInfo *info)
{
  const VkPhysicalDeviceBufferDeviceAddressFeatures *own =
    chained (info->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES);
  const VkPhysicalDeviceVulkan12Features *all =
    chained (info->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);

  const VkPhysicalDeviceAccelerationStructureFeaturesKHR *structures =
    chained (info->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ACCELERATION_STRUCTURE_FEATURES_KHR);
  const VkPhysicalDeviceRayTracingPipelineFeaturesKHR *rays =
    chained (info->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_TRACING_PIPELINE_FEATURES_KHR);

  device->u.owner_data.replays_structures =
    structures != NULL && structures->accelerationStructureCaptureReplay;
  device->u.owner_data.replays_groups =
    rays != NULL && rays->rayTracingPipelineShaderGroupHandleCaptureReplay;
  device->u.owner_data.mixes_groups =
    rays != NULL && rays->rayTracingPipelineShaderGroupHandleCaptureReplayMixed;
  device->u.owner_data.replays = (own != NULL && own->bufferDeviceAddressCaptureReplay) ||
                                 (all != NULL && all->bufferDeviceAddressCaptureReplay);
}

/* Whether an object may be made with this flag and this opaque address. */
static VkResult
check_flag (const MockObject *device,
            const char       *what,
            bool              flagged,
            uint64_t          opaque)
{
  if (flagged && !device->u.owner_data.replays)
    {
      mock_violation ("%s to be asked for again, without the feature", what);
      return VK_ERROR_FEATURE_NOT_PRESENT;
    }
  if (opaque != 0 && !flagged)
    {
      mock_violation ("%s is asked for again without saying so", what);
      return VK_ERROR_FEATURE_NOT_PRESENT;
    }
  if (opaque != 0 && (mock_config.refuse & MOCK_REFUSE_MEMORY) != 0)
    return VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS;
  return VK_SUCCESS;
}

typedef struct
{
  uint64_t begin, size; /* of memory; .begin is the opaque address of a buffer */
  bool taken;
} Taken;

static void
compare_memory (MockObject *object,
                void       *data)
{
  Taken *self = data;

  self->taken |= object->u.memory.address < self->begin + self->size &&
                 self->begin < object->u.memory.address + object->u.memory.size;
}

static void
compare_buffer (MockObject *object,
                void       *data)
{
  Taken *self = data;

  self->taken |= object->u.resource.opaque == self->begin;
}

VkResult
mock_choose_address (MockObject                 *device,
                     const VkMemoryAllocateInfo *info,
                     uint64_t                   *address,
                     bool                       *replayable)
{
  const VkMemoryAllocateFlagsInfo *flags =
    chained (info->pNext, VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO);
  const VkMemoryOpaqueCaptureAddressAllocateInfo *given =
    chained (info->pNext, VK_STRUCTURE_TYPE_MEMORY_OPAQUE_CAPTURE_ADDRESS_ALLOCATE_INFO);
  const uint64_t opaque = given != NULL ? given->opaqueCaptureAddress : 0;
  uint64_t *n;
  Taken taken = { opaque >> 8, info->allocationSize, false };
  VkResult result;

  *address = 0;
  *replayable =
    flags != NULL && (flags->flags & VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT) != 0;
  if (mock_config.opaque == 0)
    return VK_SUCCESS;
  result = check_flag (device, "memory", *replayable, opaque);
  if (result < 0)
    return result;
  mock_lock ();
  if (opaque != 0)
    mock_for_each (device, VK_OBJECT_TYPE_DEVICE_MEMORY, compare_memory, &taken);
  n = *replayable ? &n_replayable : &n_plain;
  *address = opaque != 0
               ? taken.begin
               : mock_config.opaque + (*replayable ? REPLAYABLE_RANGE : 0) + *n;
  if (opaque == 0)
    *n += (info->allocationSize + GRANULE - 1) / GRANULE * GRANULE + GRANULE;
  mock_unlock ();
  if (opaque != 0 && (taken.taken || (opaque & 0xff) != OF_MEMORY))
    return VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS;
  return VK_SUCCESS;
}

VkResult
mock_choose_opaque (MockObject               *device,
                    const VkBufferCreateInfo *info,
                    uint64_t                 *opaque)
{
  const VkBufferOpaqueCaptureAddressCreateInfo *given =
    chained (info->pNext, VK_STRUCTURE_TYPE_BUFFER_OPAQUE_CAPTURE_ADDRESS_CREATE_INFO);
  const bool flagged = (info->flags & VK_BUFFER_CREATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT) != 0;
  Taken taken = { given != NULL ? given->opaqueCaptureAddress : 0, 0, false };
  VkResult result;

  *opaque = 0;
  if (mock_config.opaque == 0)
    return VK_SUCCESS;
  result = check_flag (device, "a buffer", flagged, taken.begin);
  if (result < 0 || !flagged)
    return result;
  mock_lock ();
  if (taken.begin != 0)
    mock_for_each (device, VK_OBJECT_TYPE_BUFFER, compare_buffer, &taken);
  *opaque = taken.begin != 0 ? taken.begin : (mock_config.opaque + ++n_buffers) << 8 | OF_BUFFER;
  mock_unlock ();
  if (taken.begin != 0 && (taken.taken || (taken.begin & 0xff) != OF_BUFFER))
    return VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS;
  return VK_SUCCESS;
}

void
mock_check_replayable (const MockObject *buffer,
                       const MockObject *memory)
{
  if (buffer->u.resource.opaque != 0 && memory != NULL && !memory->u.memory.replayable)
    mock_violation ("a buffer that can be asked for again in memory that cannot");
}

uint64_t
mock_do_vkGetDeviceMemoryOpaqueCaptureAddress (VkDevice                                      device,
                                               const VkDeviceMemoryOpaqueCaptureAddressInfo *info)
{
  const MockObject *memory =
    mock_find (device, VK_OBJECT_TYPE_DEVICE_MEMORY, (uint64_t)info->memory);

  return memory != NULL && mock_config.opaque != 0 ? memory->u.memory.address << 8 | OF_MEMORY : 0;
}

uint64_t
mock_do_vkGetBufferOpaqueCaptureAddress (VkDevice                         device,
                                         const VkBufferDeviceAddressInfo *info)
{
  const MockObject *buffer = mock_find (device, VK_OBJECT_TYPE_BUFFER, (uint64_t)info->buffer);

  if (buffer != NULL && mock_config.opaque != 0 && buffer->u.resource.opaque == 0)
    mock_violation ("the opaque address of a buffer that cannot be asked for again");
  return buffer != NULL ? buffer->u.resource.opaque : 0;
}

/* --- Addresses ------------------------------------------------------------------------------- */

VkDeviceAddress
mock_do_vkGetBufferDeviceAddress (VkDevice                         device,
                                  const VkBufferDeviceAddressInfo *info)
{
  const MockObject *buffer = mock_find (device, VK_OBJECT_TYPE_BUFFER, (uint64_t)info->buffer);
  const MockObject *memory;

  if (buffer == NULL)
    return 0;
  memory = buffer->u.resource.memory;
  if (memory == NULL)
    return (UINT64_C (1) << 40) + buffer->value * 0x10000;
  if (mock_config.opaque != 0)
    return memory->u.memory.address + buffer->u.resource.offset;
  return mock_config.addresses + (uintptr_t)memory->u.memory.bytes + buffer->u.resource.offset;
}
