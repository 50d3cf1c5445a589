/* Device memory at the address that it had in the capture.
 *
 * Some drivers, mostly software ones, use the process address of a buffer's bytes as its device
 * address. For them, memory whose address the program queried is allocated at the captured
 * address and imported (VK_EXT_external_memory_host), so the addresses in the program's data
 * stay right. That is checked for every buffer, on all drivers. Imports are whole pages: memory
 * that does not begin at one starts some bytes into it (.bias), and neighbours share pages.
 *
 * Threading: that of VtrReplayVk. */
#pragma once

#include "vtr-vk-objects.h"

/* Allocates as @info says, so that @address is the address of byte place->bias of *@memory.
 * Returns: VK_SUCCESS, or why the driver can not; the caller then allocates plainly. */
VkResult vtr_fixed_address_allocate (VtrReplayVk                *vk,
                                     VtrTable                   *table,
                                     const VkMemoryAllocateInfo *info,
                                     uint64_t                    address,
                                     VkDeviceMemory             *memory,
                                     VtrFixedAddress            *place);
/* After the driver has freed the memory. Nothing for a place of nothing. */
void vtr_fixed_address_free (VtrReplayVk     *vk,
                             VtrFixedAddress *place);

/* Whether a buffer in memory that is imported has the address of its bytes; tries it. */
bool vtr_fixed_address_is_address (VtrReplayVk *vk,
                                   VtrTable    *table);

/* (u64 address) */
uint64_t vtr_synthetic_place_memory (void           *context,
                                     const uint64_t *args);
/* (u32 type, u64 object, u64 address) */
uint64_t vtr_synthetic_check_address (void           *context,
                                      const uint64_t *args);
/* (u32 type, u64 object, u64 address, pointer out) */
uint64_t vtr_synthetic_find_address (void           *context,
                                     const uint64_t *args);
