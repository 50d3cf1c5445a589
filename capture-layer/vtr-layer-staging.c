#include "vtr-layer-staging.h"

#include "vtr-layer.h"

#include <pthread.h>
#include <string.h>

static bool
may_write (const VtrLayerStaging *self,
           uint32_t               family)
{
  for (uint32_t i = 0; i < self->n_families; i++)
    if (self->families[i] == family)
      return true;
  return false;
}

/* Each once, at most VTR_LAYER_STAGING_FAMILIES of them. */
static void
set_families (VtrLayerStaging *self,
              const uint32_t  *families,
              uint32_t         n_families)
{
  self->n_families = 0;
  for (uint32_t i = 0; i < n_families && self->n_families < VTR_LAYER_STAGING_FAMILIES; i++)
    if (!may_write (self, families[i]))
      self->families[self->n_families++] = families[i];
}

static bool
allocate (VtrLayerStaging *self,
          VtrLayerDevice  *device)
{
  const VtrDeviceDispatch *next = &device->next;
  VkMemoryAllocateInfo info = { .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO };
  VkMemoryRequirements requirements;
  void *bytes;

  next->GetBufferMemoryRequirements (device->handle, self->buffer, &requirements);
  info.allocationSize = requirements.size;
  if (!vtr_layer_choose_readable_type (device, requirements.memoryTypeBits,
                                       &info.memoryTypeIndex) ||
      next->AllocateMemory (device->handle, &info, NULL, &self->memory) != VK_SUCCESS ||
      next->BindBufferMemory (device->handle, self->buffer, self->memory, 0) != VK_SUCCESS ||
      next->MapMemory (device->handle, self->memory, 0, VK_WHOLE_SIZE, 0, &bytes) != VK_SUCCESS)
    return false;
  self->bytes = bytes;
  self->coherent = (device->memory.properties.memoryTypes[info.memoryTypeIndex].propertyFlags &
                    VK_MEMORY_PROPERTY_HOST_COHERENT_BIT) != 0;
  return true;
}

bool
vtr_layer_staging_make (VtrLayerStaging *self,
                        VtrLayerDevice  *device,
                        const uint32_t  *families,
                        uint32_t         n_families)
{
  VkBufferCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
    .size = VTR_LAYER_STAGING_SIZE,
    .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
  };
  bool fits = self->bytes != NULL;

  for (uint32_t i = 0; i < n_families; i++)
    fits = fits && may_write (self, families[i]);
  if (fits)
    return true;
  vtr_layer_staging_free (self, device);
  set_families (self, families, n_families);
  /* Queues of all families write to it, one after the other. */
  if (self->n_families > 1)
    {
      info.sharingMode = VK_SHARING_MODE_CONCURRENT;
      info.queueFamilyIndexCount = self->n_families;
      info.pQueueFamilyIndices = self->families;
    }
  if (device->next.CreateBuffer (device->handle, &info, NULL, &self->buffer) == VK_SUCCESS &&
      allocate (self, device))
    return true;
  vtr_layer_staging_free (self, device);
  return false;
}

void
vtr_layer_staging_populate (VtrLayerStaging *self,
                            uint64_t         size)
{
  if (size > VTR_LAYER_STAGING_SIZE)
    size = VTR_LAYER_STAGING_SIZE;
  if (self->bytes == NULL || size <= self->populated)
    return;
  vtr_layer_populate (self->bytes + self->populated, (size_t)(size - self->populated));
  self->populated = size;
}

void
vtr_layer_staging_free (VtrLayerStaging *self,
                        VtrLayerDevice  *device)
{
  if (self->buffer != VK_NULL_HANDLE)
    device->next.DestroyBuffer (device->handle, self->buffer, NULL);
  if (self->memory != VK_NULL_HANDLE)
    device->next.FreeMemory (device->handle, self->memory, NULL);
  memset (self, 0, sizeof *self);
}

/* ---- What a device keeps ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void
vtr_layer_staging_take (VtrLayerStaging *self,
                        VtrLayerDevice  *device)
{
  pthread_mutex_lock (&lock);
  *self = device->staging;
  memset (&device->staging, 0, sizeof device->staging);
  pthread_mutex_unlock (&lock);
}

void
vtr_layer_staging_give (VtrLayerStaging *self,
                        VtrLayerDevice  *device)
{
  bool keeps;

  pthread_mutex_lock (&lock);
  keeps = device->staging.bytes != NULL;
  if (!keeps)
    device->staging = *self;
  pthread_mutex_unlock (&lock);
  if (keeps)
    vtr_layer_staging_free (self, device);
  else
    memset (self, 0, sizeof *self);
}
