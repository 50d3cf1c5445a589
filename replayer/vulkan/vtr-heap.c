/* Allocates device memory for replays on another device, where the captured memory types and
 * offsets do not apply. */
#include "vtr-heap.h"

#include "vtr-fixed-address.h"
#include "vtr-vk-memory.h"

#include "base/vtr-range-set.h"

#include <stdlib.h>

/* Resources above a quarter of this get an allocation of their own. */
#define CHUNK_BYTES (16ull << 20)

struct VtrChunk
{
  VtrChunk *next;
  VtrReplayObject object; /* as the functions for device memory take it; in no list */
  VtrRangeSet used;
  uint32_t n_places;
  bool linear;
  bool address;
  bool solo;
};

/* --- Memory types ---------------------------------------------------------------------------- */

#define AMD_FLAGS \
  (VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD | VK_MEMORY_PROPERTY_DEVICE_UNCACHED_BIT_AMD)

/* How well a memory type does what the captured one did; 0: not at all. */
static unsigned
heap_score (const VtrHeapWish     *wish,
            VkMemoryPropertyFlags  flags)
{
  const VkMemoryPropertyFlags odd = flags & ~wish->liked;
  const VkMemoryPropertyFlags same = ~(flags ^ wish->liked);
  unsigned score = 1;

  if ((flags & wish->wanted) != wish->wanted ||
      (odd & (VK_MEMORY_PROPERTY_PROTECTED_BIT | AMD_FLAGS)) != 0)
    return 0;
  if ((same & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT) != 0)
    score += 16;
  if ((same & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) != 0)
    score += 8;
  if ((same & VK_MEMORY_PROPERTY_HOST_CACHED_BIT) != 0)
    score += 4;
  if ((same & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT) != 0)
    score += 2;
  if ((odd & VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT) != 0)
    score = 1;
  return score;
}

/* The best type of @bits, which loses it; UINT32_MAX: none is left. */
static uint32_t
heap_take_type (const VtrTable    *table,
                const VtrHeapWish *wish,
                uint32_t          *bits)
{
  uint32_t found = UINT32_MAX;
  unsigned best = 0;

  for (uint32_t i = 0; i < table->memory.memoryTypeCount; i++)
    {
      unsigned score = heap_score (wish, table->memory.memoryTypes[i].propertyFlags);

      if ((*bits >> i & 1) == 0 || score <= best)
        continue;
      best = score;
      found = i;
    }
  if (found != UINT32_MAX)
    *bits &= ~(1u << found);
  return found;
}

/* --- Allocations ----------------------------------------------------------------------------- */

static void
chunk_free (VtrReplayVk *vk,
            VtrTable    *table,
            VtrChunk    *chunk)
{
  if (chunk->object.info.memory.map != NULL)
    vtr_vm_memory_remove_window (&vk->vm->memory, chunk->object.info.memory.map);
  VTR_CALL (vk, table, vkFreeMemory)
  (table->device, VTR_HANDLE_FROM (VkDeviceMemory, chunk->object.handle), NULL);
  vtr_fixed_address_free (vk, &chunk->object.info.memory.place);
  vtr_range_set_finish (&chunk->used);
  free (chunk);
}

static VkResult
heap_allocate (VtrReplayVk        *vk,
               VtrTable           *table,
               const VtrHeapWish  *wish,
               uint32_t            type,
               uint64_t            size,
               uint64_t            address,
               VtrChunk          **out)
{
  VkMemoryDedicatedAllocateInfo dedicated = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO,
    .buffer = wish->buffer,
    .image = wish->image,
  };
  VkMemoryAllocateFlagsInfo flags = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
    .pNext = wish->solo ? &dedicated : NULL,
    .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT,
  };
  VkMemoryAllocateInfo info = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
    .pNext = wish->address ? &flags : flags.pNext,
    .allocationSize = size,
    .memoryTypeIndex = type,
  };
  VtrChunk *chunk = calloc (1, sizeof *chunk);
  VkDeviceMemory memory;
  VkResult result;

  if (chunk == NULL)
    return VK_ERROR_OUT_OF_HOST_MEMORY;
  result = address != 0
             ? vtr_fixed_address_allocate (vk, table, &info, address, &memory,
                                           &chunk->object.info.memory.place)
             : VTR_CALL (vk, table, vkAllocateMemory) (table->device, &info, NULL, &memory);
  if (result < 0)
    {
      free (chunk);
      return result;
    }
  chunk->object.type = VTR_HANDLE_VkDeviceMemory;
  chunk->object.handle = VTR_HANDLE_BITS (memory);
  chunk->object.table = table;
  chunk->object.info.memory.size = size;
  chunk->object.info.memory.type = type;
  chunk->object.info.memory.dedicated = wish->solo;
  chunk->linear = wish->linear;
  chunk->address = wish->address;
  chunk->solo = wish->solo;
  chunk->next = table->chunks;
  table->chunks = chunk;
  if ((vk->flags & VTR_REPLAY_POISON) != 0)
    vtr_poison_memory (vk, &chunk->object);
  *out = chunk;
  return VK_SUCCESS;
}

static bool
chunk_fits (const VtrChunk    *chunk,
            const VtrHeapWish *wish,
            uint32_t           type)
{
  return chunk->object.info.memory.type == type &&
         chunk->object.info.memory.place.at == NULL &&
         chunk->linear == wish->linear &&
         chunk->address == wish->address && !chunk->solo && !wish->solo;
}

/* Size and alignment of a place: whole atoms, so that flushing one resource leaves its neighbours
 * alone. */
static void
heap_measure (const VtrTable    *table,
              const VtrHeapWish *wish,
              uint64_t          *size,
              uint64_t          *alignment,
              uint64_t          *residue)
{
  uint64_t atom = table->atom > 16 ? table->atom : 16;

  *alignment = wish->requirements.alignment > atom ? wish->requirements.alignment : atom;
  *residue = 0;
  if (wish->keep_residue)
    {
      *alignment = *alignment > VTR_HEAP_STEP ? *alignment : VTR_HEAP_STEP;
      *residue = wish->residue % *alignment;
    }
  if (__builtin_add_overflow (wish->requirements.size, atom - 1, size))
    *size = UINT64_MAX;
  *size = *size / atom * atom;
}

static bool
chunk_take (VtrChunk     *chunk,
            uint64_t      size,
            uint64_t      alignment,
            uint64_t      residue,
            VtrHeapPiece *out)
{
  uint64_t at;

  if (!vtr_range_set_find_room (&chunk->used, size, alignment, residue,
                                chunk->object.info.memory.size, &at) ||
      !vtr_range_set_add (&chunk->used, at, at + size))
    return false;
  chunk->n_places++;
  *out = (VtrHeapPiece){ chunk, at, size };
  return true;
}

VkResult
vtr_heap_place (VtrReplayVk       *vk,
                VtrTable          *table,
                const VtrHeapWish *wish,
                VtrHeapPiece      *out)
{
  uint32_t bits = wish->requirements.memoryTypeBits;
  VkResult result = VK_ERROR_OUT_OF_DEVICE_MEMORY;
  uint64_t size, alignment, residue, total;
  uint32_t type;

  heap_measure (table, wish, &size, &alignment, &residue);
  while ((type = heap_take_type (table, wish, &bits)) != UINT32_MAX)
    {
      VtrChunk *chunk = table->chunks;

      while (chunk != NULL &&
             (!chunk_fits (chunk, wish, type) ||
              !chunk_take (chunk, size, alignment, residue, out)))
        chunk = chunk->next;
      if (chunk != NULL)
        return VK_SUCCESS;
      /* A dedicated allocation has exactly the required size. */
      total = wish->solo ? wish->requirements.size : size + residue;
      if (!wish->solo && total < CHUNK_BYTES / 4)
        total = CHUNK_BYTES;
      result = heap_allocate (vk, table, wish, type, total, 0, &chunk);
      if (result == VK_SUCCESS && wish->solo)
        size = total;
      if (result == VK_SUCCESS)
        return chunk_take (chunk, size, alignment, residue, out) ? VK_SUCCESS
                                                                 : VK_ERROR_OUT_OF_HOST_MEMORY;
    }
  return result;
}

VkResult
vtr_heap_place_at (VtrReplayVk       *vk,
                   VtrTable          *table,
                   const VtrHeapWish *wish,
                   uint64_t           address,
                   VtrHeapPiece      *out)
{
  uint32_t bits = wish->requirements.memoryTypeBits;
  VkResult result = VK_ERROR_OUT_OF_DEVICE_MEMORY;
  VtrChunk *chunk;
  uint32_t type;

  while ((type = heap_take_type (table, wish, &bits)) != UINT32_MAX)
    {
      result =
        heap_allocate (vk, table, wish, type, wish->requirements.size, address, &chunk);
      if (result < 0)
        continue;
      chunk->n_places = 1;
      *out = (VtrHeapPiece){ chunk, 0, wish->requirements.size };
      return vtr_range_set_add (&chunk->used, 0, out->size)
               ? VK_SUCCESS
               : VK_ERROR_OUT_OF_HOST_MEMORY;
    }
  return result;
}

void
vtr_heap_release (VtrReplayVk  *vk,
                  VtrTable     *table,
                  VtrHeapPiece *place)
{
  VtrChunk *chunk = place->chunk;
  VtrChunk **link = &table->chunks;

  if (chunk == NULL)
    return;
  /* Poison is written only once, so with it, memory that was used before is not handed out
   * again. */
  if ((vk->flags & VTR_REPLAY_POISON) == 0)
    (void)!vtr_range_set_remove (&chunk->used, place->at, place->at + place->size);
  place->chunk = NULL;
  if (--chunk->n_places > 0)
    return;
  while (*link != chunk)
    link = &(*link)->next;
  *link = chunk->next;
  chunk_free (vk, table, chunk);
}

void
vtr_heap_finish (VtrReplayVk *vk,
                 VtrTable    *table)
{
  while (table->chunks != NULL)
    {
      VtrChunk *chunk = table->chunks;

      table->chunks = chunk->next;
      chunk_free (vk, table, chunk);
    }
}

/* --- Places ---------------------------------------------------------------------------------- */

VkDeviceMemory
vtr_heap_piece_memory (const VtrHeapPiece *place)
{
  return VTR_HANDLE_FROM (VkDeviceMemory, place->chunk->object.handle);
}

uint64_t
vtr_heap_piece_offset (const VtrHeapPiece *place)
{
  return place->at + place->chunk->object.info.memory.place.bias;
}

uint32_t
vtr_heap_piece_type (const VtrHeapPiece *place)
{
  return place->chunk->object.info.memory.type;
}

bool
vtr_heap_piece_is_host_visible (const VtrHeapPiece *place)
{
  return vtr_memory_is_host_visible (&place->chunk->object);
}

uint8_t *
vtr_heap_piece_map (VtrReplayVk        *vk,
                    const VtrHeapPiece *place)
{
  uint8_t *map = vtr_memory_map (vk, &place->chunk->object);

  return map != NULL ? map + place->at : NULL;
}

VkResult
vtr_heap_piece_flush (VtrReplayVk        *vk,
                      const VtrHeapPiece *place,
                      uint64_t            offset,
                      uint64_t            size)
{
  return vtr_memory_flush (vk, &place->chunk->object, place->at + offset, size);
}

VkResult
vtr_heap_piece_invalidate (VtrReplayVk        *vk,
                           const VtrHeapPiece *place,
                           uint64_t            offset,
                           uint64_t            size)
{
  return vtr_memory_invalidate (vk, &place->chunk->object, place->at + offset, size);
}
