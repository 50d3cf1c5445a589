/* Stands for a captured VkDeviceMemory in a replay on another device, where it cannot be
 * allocated as it was.
 *
 * On another device resources are larger, need other alignments and memory types, and linear
 * images have other rows. So nothing is allocated for the captured memory. Each resource bound
 * to it gets a *block*, a place of its own (vtr-heap.h), chosen by this device's requirements
 * for that resource and by what the captured memory type could do. Bytes written to the captured
 * memory go to the blocks that lie there: 1:1 for buffers, row by row for linear images; and
 * into a host copy for resources that are bound later. Bytes of optimal images are in the
 * captured device's layout and are dropped.
 *
 * If the program knows the memory's address, its buffers share one block at that address, if the
 * driver allows that (vtr-fixed-address.h).
 *
 * Resources that shared bytes in the capture (groups, found by the engine) share one block and
 * keep their distances.
 *
 * Threading: one at a time. */
#pragma once

#include "vtr-heap.h"

#include "base/vtr-range-set.h"

typedef enum
{
  VTR_BLOCK_BYTES,  /* buffers: captured bytes 1:1 */
  VTR_BLOCK_ROWS,   /* one linear image; never planned */
  VTR_BLOCK_OPAQUE, /* optimal images */
} VtrBlockKind;

/* A buffer or image, and which bytes of the captured memory are its own. */
typedef struct
{
  VtrReplayObject *object;
  uint64_t begin, size;
} VtrResident;

/* Memory in which resources lie. It is in its scatter's list, or in none once that memory was
 * freed. */
struct VtrBlock
{
  VtrBlock *next;
  VtrScatter *scatter; /* NULL: its memory was freed */
  VtrTable *table;
  VtrBlockKind kind;
  bool planned;         /* for a group: stays until its memory is freed */
  bool placed;          /* where its memory was in the capture */
  uint64_t begin, size; /* in the captured memory */
  VtrHeapPiece place;
  VtrResident *residents;
  uint32_t n_residents;
};

struct VtrScatter
{
  uint64_t size;
  uint64_t address;            /* that the program knows, of the first byte; 0: none */
  VkMemoryPropertyFlags flags; /* of the captured memory type */
  bool dedicated;
  VtrReplayMemoryGroup *groups; /* disjoint */
  uint32_t n_groups;
  uint8_t *bytes; /* what the trace wrote; NULL until then; for memory the host could see */
  VtrRangeSet written;
  VtrBlock *blocks;
};

/* Makes the next scatter, from the engine's description, the content of @memory. Returns: false
 * when none was announced. */
bool vtr_scatter_take (VtrReplayVk                *vk,
                       VtrReplayObject            *memory,
                       const VkMemoryAllocateInfo *info,
                       uint64_t                    address);

/* Drops a description that no allocation followed. */
void vtr_scatter_drop_next (VtrReplayVk *vk);

/* @object is about to be forgotten: memory, buffer or image. */
void vtr_scatter_forget (VtrReplayVk     *vk,
                         VtrReplayObject *object);

/* Binds to scattered @memory. @plane: VkImageAspectFlagBits of a disjoint image's plane, 0: the
 * whole. */
VkResult vtr_scatter_bind_buffer (VtrReplayVk     *vk,
                                  VtrReplayObject *memory,
                                  VtrReplayObject *buffer,
                                  uint64_t         offset);
VkResult vtr_scatter_bind_image (VtrReplayVk           *vk,
                                 VtrReplayObject       *memory,
                                 VtrReplayObject       *image,
                                 uint64_t               offset,
                                 VkImageAspectFlagBits  plane);

/* Whether @self holds some of these bytes of the captured memory. */
bool vtr_block_touches (const VtrBlock *self,
                        uint64_t        offset,
                        uint64_t        size);

/* Writes to a new block what the trace wrote to its bytes before. */
VkResult vtr_block_fill (VtrReplayVk *vk,
                         VtrBlock    *block);

/* @size bytes at @offset; the caller checked that they lie in the memory. */
VkResult vtr_scatter_write (VtrReplayVk     *vk,
                            VtrReplayObject *memory,
                            uint64_t         offset,
                            const void      *bytes,
                            uint64_t         size);

/* Reads the bytes as in the captured memory; bytes of optimal images are 0. Returns:
 * false after vtr_vm_fail(). */
bool vtr_scatter_read (VtrReplayVk     *vk,
                       VtrReplayObject *memory,
                       uint64_t         offset,
                       void            *bytes,
                       uint64_t         size);

/* (u32 flags, u32 n, pointer VtrReplayMemoryGroup[n]) */
uint64_t vtr_synthetic_scatter_memory (void *context, const uint64_t *args);
/* (u64 image, u32 n, pointer VtrReplayLinearLayout[n]) */
uint64_t vtr_synthetic_linear_layout (void *context, const uint64_t *args);
