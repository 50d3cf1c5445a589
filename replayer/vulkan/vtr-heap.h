/* Allocates places for resources in device memory whose layout the replay chooses itself.
 *
 * Small resources share allocations ("chunks"), by memory type. Buffers and optimal images never
 * share one, so bufferImageGranularity does not matter. An allocation is freed with its last
 * resource.
 *
 * Threading: one at a time. */
#pragma once

#include "vtr-vk-objects.h"

typedef struct VtrChunk VtrChunk;

/* A place in an allocation. */
typedef struct
{
  VtrChunk *chunk; /* NULL: none */
  uint64_t at;
  uint64_t size;
} VtrHeapPiece;

typedef struct
{
  VkMemoryRequirements requirements;
  uint64_t residue; /* .at % VTR_HEAP_STEP, when .keep_residue */
  bool keep_residue;
  VkMemoryPropertyFlags wanted; /* must have */
  VkMemoryPropertyFlags liked;  /* the captured type's */
  bool linear;                  /* a buffer or a linear image */
  bool address;                 /* a buffer whose address is asked for */
  bool solo;                    /* an allocation of its own, for: */
  VkBuffer buffer;
  VkImage image;
} VtrHeapWish;

/* Distances between resources that share bytes are kept modulo this. */
#define VTR_HEAP_STEP 65536u

/* Returns: VK_SUCCESS, or why there is no place. */
VkResult vtr_heap_place (VtrReplayVk       *vk,
                         VtrTable          *table,
                         const VtrHeapWish *wish,
                         VtrHeapPiece      *out);
/* Like vtr_heap_place (), in an allocation of its own whose bytes are at @address in the process
 * (vtr-fixed-address.h). */
VkResult vtr_heap_place_at (VtrReplayVk       *vk,
                            VtrTable          *table,
                            const VtrHeapWish *wish,
                            uint64_t           address,
                            VtrHeapPiece      *out);
void vtr_heap_release (VtrReplayVk  *vk,
                       VtrTable     *table,
                       VtrHeapPiece *place);

/* The memory of a place, and where it begins there, as the driver counts. */
VkDeviceMemory vtr_heap_piece_memory (const VtrHeapPiece *place);
uint64_t vtr_heap_piece_offset (const VtrHeapPiece *place);
uint32_t vtr_heap_piece_type (const VtrHeapPiece *place);
bool vtr_heap_piece_is_host_visible (const VtrHeapPiece *place);

/* First byte of the place. Returns: NULL after vtr_vm_fail(). */
uint8_t *vtr_heap_piece_map (VtrReplayVk        *vk,
                             const VtrHeapPiece *place);
VkResult vtr_heap_piece_flush (VtrReplayVk        *vk,
                               const VtrHeapPiece *place,
                               uint64_t            offset,
                               uint64_t            size);
VkResult vtr_heap_piece_invalidate (VtrReplayVk        *vk,
                                    const VtrHeapPiece *place,
                                    uint64_t            offset,
                                    uint64_t            size);

/* Frees all of a device. */
void vtr_heap_finish (VtrReplayVk *vk,
                      VtrTable    *table);
