/* Vulkan under the replay machine: finds the driver's functions, knows what a request created,
 * and destroys it.
 *
 * Threading: one at a time. */
#pragma once

#include "vtr-vk-objects.h"

/* Registers its functions with @vm. Returns: NULL when out of memory. */
VtrReplayVk *vtr_replay_vk_create (VtrVm                 *vm,
                                   const VtrReplayerHost *host);
void vtr_replay_vk_destroy (VtrReplayVk *self);

/* @flags: VTR_REPLAY_…; @driver: name of the device to use, empty for the best fit. */
void vtr_replay_vk_begin (VtrReplayVk *self,
                          uint32_t     flags,
                          const char  *driver);

/* Waits for the devices, then destroys everything the request created and left, newest first. */
void vtr_replay_vk_end (VtrReplayVk *self);

/* Addresses that the request was to check and found as they were captured. */
uint64_t vtr_replay_vk_get_n_addresses (const VtrReplayVk *self);

/* The same of handles of shader groups. *@n_others: those that are others here. */
uint64_t vtr_replay_vk_get_n_groups (const VtrReplayVk *self,
                                     uint64_t          *n_others);

/* Whether VTR_REPLAY_SAVE has kept a state. */
bool vtr_replay_vk_is_kept (const VtrReplayVk *self);

/* Waits for the devices, destroys what was made since the state was kept, the inner one if there is
 * one, and puts it back; memory of an inner state is left for VTR_REPLAY_GO_TO_MARK. Returns: false
 * when that cannot be done: end then. */
bool vtr_replay_vk_rewind (VtrReplayVk *self);

/* Gets ready for a request with VTR_REPLAY_RESUME and @flags: gives up the inner state when it is
 * not the one to resume. Returns: whether there is what to resume. */
bool vtr_replay_vk_resume (VtrReplayVk *self,
                           uint32_t     flags);

/* Name of a function of API VTR_VM_API_VULKAN, NULL when there is none. */
const char *vtr_replay_vk_function_name (uint32_t function);
