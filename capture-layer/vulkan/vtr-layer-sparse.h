/* The current sparse bindings of a resource: byte ranges of buffers and of the opaque parts of
 * images, and tiles of images. A new binding replaces the old one, so a program that streams
 * pages through a resource for hours costs a look-up for each, and no memory.
 *
 * Vulkan 1.3, 33: Sparse Resources.
 *
 * Threading: with the lock of vtr-layer-live.h. */
#pragma once

#include "base/vtr-buffer.h"
#include "vulkan/vtr-vulkan.h"

typedef struct VtrLayerSparse VtrLayerSparse;

/* The requirements of a driver for an image, for vtr_layer_sparse_new(). */
#define VTR_LAYER_SPARSE_MAX_ASPECTS 8u

/**
 * vtr_layer_sparse_new:
 * @info: (nullable): of an image; NULL: a buffer
 * @wants: (nullable): of the resource; of a buffer NULL
 * @aspects: of images with residency; @n_aspects: 0 of others
 *
 * Returns: NULL without memory.
 */
VtrLayerSparse *vtr_layer_sparse_new (const VkImageCreateInfo               *info,
                                      const VkMemoryRequirements            *wants,
                                      const VkSparseImageMemoryRequirements *aspects,
                                      uint32_t                               n_aspects);
void vtr_layer_sparse_free (VtrLayerSparse *self);

/* Binds bytes, or takes them off. @made: says which memory of that handle it is. Returns: false without
 * memory. */
bool vtr_layer_sparse_bind (VtrLayerSparse           *self,
                            const VkSparseMemoryBind *bind,
                            uint64_t                  made);

/* Like vtr_layer_sparse_bind (), for tiles of an image. */
bool vtr_layer_sparse_bind_tiles (VtrLayerSparse                *self,
                                  const VkSparseImageMemoryBind *bind,
                                  uint64_t                       made);

/* Whether the memory is still there. */
typedef bool (*VtrLayerSparseAsk) (VkDeviceMemory memory,
                                   uint64_t made,
                                   void *data);

/* Appends the bindings to memory for which @ask returns true: VkSparseMemoryBind to @ranges, in
 * order, and VkSparseImageMemoryBind, one for each tile, to @tiles (of an image). */
void vtr_layer_sparse_list (const VtrLayerSparse *self,
                            VtrLayerSparseAsk     ask,
                            void                 *data,
                            VtrBuffer            *ranges,
                            VtrBuffer            *tiles);

/* Bytes of a tile in memory; 0: of a buffer. */
uint64_t vtr_layer_sparse_tile_size (const VtrLayerSparse *self);

/* Bytes of the resource. */
uint64_t vtr_layer_sparse_size (const VtrLayerSparse *self);

/* Whether pages of it may be missing while it is used. */
bool vtr_layer_sparse_may_have_holes (const VtrLayerSparse *self);

/* The first level of an aspect that lies in the mip tail. UINT32_MAX: none does. 0: it is not known that
 * it has tiles. */
uint32_t vtr_layer_sparse_get_tail (const VtrLayerSparse *self,
                                    VkImageAspectFlags    aspect);

/* Whether a range is of a mip tail or of metadata. */
bool vtr_layer_sparse_is_tail (const VtrLayerSparse     *self,
                               const VkSparseMemoryBind *range);
