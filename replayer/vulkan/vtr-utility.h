/* Our own work on a device: a queue, a command buffer and a staging buffer.
 *
 * Threading: one at a time. */
#pragma once

#include "vtr-vk-objects.h"

/* A queue that can copy. Returns: false after vtr_vm_fail(). */
bool vtr_utility_queue (VtrReplayVk *vk,
                        VtrTable    *table);

/* Starts recording for @queue (0: our own). Returns: NULL after vtr_vm_fail(). */
VkCommandBuffer vtr_utility_begin (VtrReplayVk *vk,
                                   VtrTable    *table,
                                   uint64_t     queue);

/* Submits the recorded commands and waits. Returns: false after vtr_vm_fail(). */
bool vtr_utility_run (VtrReplayVk *vk,
                      VtrTable    *table,
                      uint64_t     queue);

/* Makes the staging buffer at least @size bytes large. Returns: false after vtr_vm_fail(). */
bool vtr_utility_stage (VtrReplayVk *vk,
                        VtrTable    *table,
                        uint64_t     size);

/* Makes what we wrote to the staging buffer visible to the device. */
bool vtr_utility_deliver (VtrReplayVk *vk,
                          VtrTable    *table);

/* Makes what the device wrote to the staging buffer visible to us. */
bool vtr_utility_collect (VtrReplayVk *vk,
                          VtrTable    *table);

void vtr_utility_finish (VtrReplayVk *vk,
                         VtrTable    *table);
