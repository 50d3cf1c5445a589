/* A buffer that the GPU copies contents into for the CPU to read.
 *
 * Making one and having the system give pages to its memory takes longer than copying little: it is made in frames
 * before the cut where there are any (vtr-layer-ahead.h), and kept for some frames behind it.
 *
 * Threading: one at a time for each; any for what a device keeps. */
#pragma once

#include "api/vtr-vulkan.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct VtrLayerDevice VtrLayerDevice;

#define VTR_LAYER_STAGING_SIZE (64u * 1024u * 1024u) /* bytes */
#define VTR_LAYER_STAGING_FAMILIES 16u

/* Zero-initialised there is none. */
typedef struct
{
  VkBuffer buffer;
  VkDeviceMemory memory;
  uint8_t *bytes;     /* NULL: there is none */
  uint64_t populated; /* of them, from the beginning */
  bool coherent;
  uint32_t families[VTR_LAYER_STAGING_FAMILIES]; /* of the queues that may write to it */
  uint32_t n_families;
} VtrLayerStaging;

/* Makes it for queues of @n_families @families, or leaves it as it is if these may write to it already. Returns:
 * false when the device has no memory left; there is none then. */
bool vtr_layer_staging_make (VtrLayerStaging *self,
                             VtrLayerDevice  *device,
                             const uint32_t  *families,
                             uint32_t         n_families);

/* Has the system give pages to the first @size bytes. */
void vtr_layer_staging_populate (VtrLayerStaging *self,
                                 uint64_t         size);

/* Takes the one that @device keeps, if there is one: @self has none before. */
void vtr_layer_staging_take (VtrLayerStaging *self,
                             VtrLayerDevice  *device);

/* Has @device keep it for later, or frees it. @self has none afterwards. Nothing works on it any more. */
void vtr_layer_staging_give (VtrLayerStaging *self,
                             VtrLayerDevice  *device);

/* Nothing works on it any more. */
void vtr_layer_staging_free (VtrLayerStaging *self,
                             VtrLayerDevice  *device);
