/* Device memory: finding a type, mapping, flushing, filling.
 *
 * Threading: one at a time. */
#pragma once

#include "vtr-vk-objects.h"

/* Maps @memory whole, once. Returns: its first byte, or NULL after vtr_vm_fail(). */
uint8_t *vtr_memory_map (VtrReplayVk     *vk,
                         VtrReplayObject *memory);

bool vtr_memory_is_host_visible (const VtrReplayObject *memory);

/* Makes @size bytes at @offset visible to the other side, where memory is not coherent. */
VkResult vtr_memory_flush (VtrReplayVk     *vk,
                           VtrReplayObject *memory,
                           uint64_t         offset,
                           uint64_t         size);
VkResult vtr_memory_invalidate (VtrReplayVk     *vk,
                                VtrReplayObject *memory,
                                uint64_t         offset,
                                uint64_t         size);

/* Index of a memory type of @bits that has @wanted, preferably also @liked; UINT32_MAX: none. */
uint32_t vtr_memory_find_type (const VtrTable        *table,
                               uint32_t               bits,
                               VkMemoryPropertyFlags  wanted,
                               VkMemoryPropertyFlags  liked);

/* Returns: a buffer of our own over the whole of @memory, to be destroyed; VK_NULL_HANDLE where memory of
 * this type, or made for one resource, takes none. */
VkBuffer vtr_memory_cover (VtrReplayVk           *vk,
                           const VtrReplayObject *memory);

/* Fills fresh memory with VTR_POISON_BYTE where that is possible. */
#define VTR_POISON_BYTE 0xa5
void vtr_poison_memory (VtrReplayVk     *vk,
                        VtrReplayObject *memory);

/* (pointer VtrReplayReadImage) */
uint64_t vtr_synthetic_back_image (void *context, const uint64_t *args);
