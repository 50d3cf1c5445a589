/* Creates, keeps and reuses the buffer through which the layer reads contents of GPU resources. */
#include "vtr-layer-staging.h"

#include "vtr-layer-readback.h"
#include "vtr-layer.h"

#include <pthread.h>
#include <string.h>

bool
vtr_layer_staging_make (VtrLayerStaging *self,
                        VtrLayerDevice  *device,
                        const uint32_t  *families,
                        uint32_t         n_families)
{
  bool fits = self->readback.bytes != NULL;

  for (uint32_t i = 0; i < n_families; i++)
    fits = fits && vtr_layer_readback_is_for (&self->readback, families[i]);
  if (fits)
    return true;
  vtr_layer_staging_free (self, device);
  return vtr_layer_readback_make (
           &self->readback, device, VTR_LAYER_STAGING_SIZE,
           VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, families,
           n_families) == VK_SUCCESS;
}

void
vtr_layer_staging_populate (VtrLayerStaging *self,
                            uint64_t         size)
{
  if (size > VTR_LAYER_STAGING_SIZE)
    size = VTR_LAYER_STAGING_SIZE;
  if (self->readback.bytes == NULL || size <= self->populated)
    return;
  vtr_layer_populate (self->readback.bytes + self->populated, (size_t)(size - self->populated));
  self->populated = size;
}

void
vtr_layer_staging_free (VtrLayerStaging *self,
                        VtrLayerDevice  *device)
{
  vtr_layer_readback_free (&self->readback, device);
  self->populated = 0;
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
  keeps = device->staging.readback.bytes != NULL;
  if (!keeps)
    device->staging = *self;
  pthread_mutex_unlock (&lock);
  if (keeps)
    vtr_layer_staging_free (self, device);
  else
    memset (self, 0, sizeof *self);
}
