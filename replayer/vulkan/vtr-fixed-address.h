/* Memory at the address that it had in the capture.
 *
 * Some drivers, software ones above all, give a buffer the address that its bytes have in the
 * process. There, memory whose address the program asked for is allocated by us where it was, and
 * imported (VK_EXT_external_memory_host); the numbers in the program's data then mean the same.
 * Whether they do is checked buffer by buffer, on all drivers. What is imported is whole pages;
 * memory that does not begin with one lies some bytes behind (.bias), and neighbours share pages.
 *
 * Threading: that of VtrReplayVk. */
#pragma once

#include "vtr-replay-vk-private.h"

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
