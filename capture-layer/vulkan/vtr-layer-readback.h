/* A buffer that the GPU writes to and the CPU reads. It has its own memory, which stays mapped.
 *
 * Threading: one at a time for each. */
#pragma once

#include "vtr-layer-members.h"

typedef struct VtrLayerDevice VtrLayerDevice;

/* Makes one of @size bytes for queues of @n_families @families, which may name one several times; no more than
 * VTR_LAYER_READBACK_FAMILIES are taken. @usage with VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT: it has an address.
 * @self has none before. Returns: what failed, VK_ERROR_OUT_OF_DEVICE_MEMORY if no type of memory can be read; there
 * is none then. */
VkResult vtr_layer_readback_make (VtrLayerReadback   *self,
                                  VtrLayerDevice     *device,
                                  uint64_t            size,
                                  VkBufferUsageFlags  usage,
                                  const uint32_t     *families,
                                  uint32_t            n_families);

/* Whether queues of @family may write to it. */
bool vtr_layer_readback_is_for (const VtrLayerReadback *self,
                                uint32_t                family);

/* Has the CPU see what the GPU has written. */
VkResult vtr_layer_readback_invalidate (const VtrLayerReadback *self,
                                        VtrLayerDevice         *device);

/* Nothing works on it any more. @self has none afterwards. */
void vtr_layer_readback_free (VtrLayerReadback *self,
                              VtrLayerDevice   *device);
