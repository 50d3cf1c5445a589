/* The buffer that the GPU copies contents into for the CPU to read.
 *
 * Making it and having the system give pages to its memory takes longer than a small copy. So it
 * is made in frames before a mid-run capture if there are any (vtr-layer-ahead.h), and kept for
 * some frames after it.
 *
 * Threading: one at a time for each; any for what a device keeps. */
#pragma once

#include "vtr-layer-members.h"

typedef struct VtrLayerDevice VtrLayerDevice;

#define VTR_LAYER_STAGING_SIZE (64u * 1024u * 1024u) /* bytes */

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
