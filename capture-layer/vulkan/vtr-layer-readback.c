/* Creates and frees host-visible buffers into which the GPU copies contents for the layer. */
#include "vtr-layer-readback.h"

#include "vtr-layer.h"

#include <string.h>

bool
vtr_layer_readback_is_for (const VtrLayerReadback *self,
                           uint32_t                family)
{
  for (uint32_t i = 0; i < self->n_families; i++)
    if (self->families[i] == family)
      return true;
  return false;
}

static void
set_families (VtrLayerReadback *self,
              const uint32_t   *families,
              uint32_t          n_families)
{
  for (uint32_t i = 0; i < n_families && self->n_families < VTR_LAYER_READBACK_FAMILIES; i++)
    if (!vtr_layer_readback_is_for (self, families[i]))
      self->families[self->n_families++] = families[i];
}

static VkResult
create_buffer (VtrLayerReadback   *self,
               VtrLayerDevice     *device,
               uint64_t            size,
               VkBufferUsageFlags  usage)
{
  VkBufferCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
    .size = size,
    .usage = usage,
  };

  /* Queues of all families write to it, one after the other. */
  if (self->n_families > 1)
    {
      info.sharingMode = VK_SHARING_MODE_CONCURRENT;
      info.queueFamilyIndexCount = self->n_families;
      info.pQueueFamilyIndices = self->families;
    }
  return device->next.CreateBuffer (device->handle, &info, NULL, &self->buffer);
}

/* Cached memory where there is such. */
static bool
choose_type (const VtrLayerDevice *device,
             uint32_t              allowed,
             uint32_t             *type)
{
  const VkPhysicalDeviceMemoryProperties *properties = &device->memory.properties;
  const VkMemoryPropertyFlags wishes[] = {
    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT |
      VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT,
  };

  for (size_t w = 0; w < sizeof wishes / sizeof wishes[0]; w++)
    for (uint32_t i = 0; i < properties->memoryTypeCount; i++)
      if ((allowed & 1u << i) != 0 &&
          (properties->memoryTypes[i].propertyFlags & wishes[w]) == wishes[w])
        {
          *type = i;
          return true;
        }
  return false;
}

static VkResult
allocate (VtrLayerReadback *self,
          VtrLayerDevice   *device,
          bool              addressed)
{
  const VtrDeviceDispatch *next = &device->next;
  const VkMemoryAllocateFlagsInfo flags = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
    .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT,
  };
  VkMemoryAllocateInfo info = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
    .pNext = addressed ? &flags : NULL,
  };
  VkMemoryRequirements requirements;
  void *bytes = NULL;
  VkResult result;

  next->GetBufferMemoryRequirements (device->handle, self->buffer, &requirements);
  info.allocationSize = requirements.size;
  if (!choose_type (device, requirements.memoryTypeBits, &info.memoryTypeIndex))
    return VK_ERROR_OUT_OF_DEVICE_MEMORY;
  result = next->AllocateMemory (device->handle, &info, NULL, &self->memory);
  if (result == VK_SUCCESS)
    result = next->BindBufferMemory (device->handle, self->buffer, self->memory, 0);
  if (result == VK_SUCCESS)
    result = next->MapMemory (device->handle, self->memory, 0, VK_WHOLE_SIZE, 0, &bytes);
  self->bytes = bytes;
  self->coherent = (device->memory.properties.memoryTypes[info.memoryTypeIndex].propertyFlags &
                    VK_MEMORY_PROPERTY_HOST_COHERENT_BIT) != 0;
  return result;
}

VkResult
vtr_layer_readback_make (VtrLayerReadback   *self,
                         VtrLayerDevice     *device,
                         uint64_t            size,
                         VkBufferUsageFlags  usage,
                         const uint32_t     *families,
                         uint32_t            n_families)
{
  VkResult result;

  set_families (self, families, n_families);
  result = create_buffer (self, device, size, usage);
  if (result == VK_SUCCESS)
    result =
      allocate (self, device, (usage & VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT) != 0);
  if (result != VK_SUCCESS)
    vtr_layer_readback_free (self, device);
  return result;
}

VkResult
vtr_layer_readback_invalidate (const VtrLayerReadback *self,
                               VtrLayerDevice         *device)
{
  const VkMappedMemoryRange range = {
    .sType = VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE,
    .memory = self->memory,
    .size = VK_WHOLE_SIZE,
  };

  return self->coherent ? VK_SUCCESS
                        : device->next.InvalidateMappedMemoryRanges (device->handle, 1, &range);
}

void
vtr_layer_readback_free (VtrLayerReadback *self,
                         VtrLayerDevice   *device)
{
  if (self->buffer != VK_NULL_HANDLE)
    device->next.DestroyBuffer (device->handle, self->buffer, NULL);
  if (self->memory != VK_NULL_HANDLE)
    device->next.FreeMemory (device->handle, self->memory, NULL);
  memset (self, 0, sizeof *self);
}
