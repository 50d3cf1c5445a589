/* Life of the replayer's Vulkan side, which joins its parts. */
#include "vtr-replay-vk.h"
#include "vtr-fixed-address.h"
#include "vtr-heap.h"
#include "vtr-opaque.h"
#include "vtr-save.h"
#include "vtr-scatter.h"
#include "vtr-virtual-swapchain.h"
#include "vtr-vk-memory.h"
#include "vtr-vk-offers.h"
#include "vtr-vk-push.h"
#include "vtr-vk-sync.h"
#include "vtr-vk-transfer.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static const VtrVmCall vtr_synthetics[VTR_N_SYNTHETICS] = {
#define AT(name) [VTR_REPLAY_##name - VTR_REPLAY_FIRST_SYNTHETIC]
  AT (GET_PHYSICAL_DEVICE) = vtr_synthetic_get_physical_device,
  AT (ACQUIRE) = vtr_synthetic_acquire,
  AT (PRESENT) = vtr_synthetic_present,
  AT (WAIT_EVENT) = vtr_synthetic_wait_event,
  AT (WRITE_MEMORY) = vtr_synthetic_write_memory,
  AT (READ_IMAGE) = vtr_synthetic_read_image,
  AT (READ_BUFFER) = vtr_synthetic_read_buffer,
  AT (READ_MEMORY) = vtr_synthetic_read_memory,
  AT (SCATTER_MEMORY) = vtr_synthetic_scatter_memory,
  AT (PLACE_MEMORY) = vtr_synthetic_place_memory,
  AT (KEEP_ADDRESS) = vtr_synthetic_keep_address,
  AT (KEEP_GROUPS) = vtr_synthetic_keep_groups,
  AT (COMPARE_GROUPS) = vtr_synthetic_compare_groups,
  AT (CHECK_ADDRESS) = vtr_synthetic_check_address,
  AT (FIND_ADDRESS) = vtr_synthetic_find_address,
  AT (LINEAR_LAYOUT) = vtr_synthetic_linear_layout,
  AT (SAVE) = vtr_synthetic_save,
  AT (WRITE_IMAGE) = vtr_synthetic_write_image,
  AT (MARK) = vtr_synthetic_mark,
  AT (GO_TO_MARK) = vtr_synthetic_go_to_mark,
  AT (FORGET_MARK) = vtr_synthetic_forget_mark,
  AT (RESET_QUERIES) = vtr_synthetic_reset_queries,
  AT (READ_QUERIES) = vtr_synthetic_read_queries,
  AT (READ_CLOCK) = vtr_synthetic_read_clock,
  AT (BACK_IMAGE) = vtr_synthetic_back_image,
  AT (SETTLE) = vtr_synthetic_settle,
  AT (WRITE_STRUCTURE) = vtr_synthetic_write_structure,
};

static void
forget_object (VtrReplayVk     *vk,
               VtrReplayObject *object)
{
  vtr_save_lost (vk, object);
  if (object->type == VTR_HANDLE_VkDeviceMemory && object->info.memory.map != NULL)
    vtr_vm_memory_remove_window (&vk->vm->memory, object->info.memory.map);
  if (object->type == VTR_HANDLE_VkDeviceMemory)
    vtr_fixed_address_free (vk, &object->info.memory.place);
  if (object->type == VTR_HANDLE_VkCommandBuffer)
    vtr_events_forget (object);
  vtr_push_forget (vk, object);
  vtr_scatter_forget (vk, object);
  if (object->type == VTR_HANDLE_VkSwapchainKHR)
    vtr_virtual_swapchain_finish (vk, object);
}

VtrReplayVk *
vtr_replay_vk_create (VtrVm                 *vm,
                      const VtrReplayerHost *host)
{
  VtrReplayVk *self = calloc (1, sizeof *self);
  VtrVmFunctions functions = { .context = self };

  if (self == NULL)
    return NULL;
  self->vm = vm;
  self->host = *host;
  self->forget_object = forget_object;
  self->forget_table = vtr_heap_finish;
  vtr_thunks_fill (self->functions, vtr_thunks, NULL);
  vtr_thunks_fill_synthetics (self->synthetics, vtr_synthetics, NULL);
  functions.functions = self->functions;
  functions.n = VTR_VULKAN_N_COMMANDS;
  vtr_vm_set_functions (vm, VTR_VM_API_VULKAN, &functions);
  functions.functions = self->synthetics;
  functions.first = VTR_REPLAY_FIRST_SYNTHETIC;
  functions.n = VTR_N_SYNTHETICS;
  vtr_vm_set_functions (vm, VTR_VM_API_VULKAN, &functions);
  return self;
}

void
vtr_replay_vk_destroy (VtrReplayVk *self)
{
  if (self == NULL)
    return;
  vtr_parked_instance_destroy (self, self->parked);
  vtr_describer_close (self);
  vtr_offers_finish (self);
  vtr_serialised_finish (&self->serialised);
  if (self->library != NULL)
    dlclose (self->library);
  free (self->buckets);
  free (self->blocked);
  free (self);
}

void
vtr_replay_vk_begin (VtrReplayVk *self,
                     uint32_t     flags,
                     const char  *driver)
{
  self->flags = flags;
  self->n_addresses = self->n_groups = self->n_other_groups = 0;
  snprintf (self->driver, sizeof self->driver, "%s", driver);
}

void
vtr_replay_vk_end (VtrReplayVk *self)
{
  /* The request's; what fails from here on does not count. */
  const VtrVmError error = self->vm->error;

  vtr_save_drop (self);
  vtr_sync_wait_for_devices (self);
  vtr_objects_destroy_since (self, 0);
  self->vm->error = error;
  while (self->tables != NULL)
    vtr_table_destroy (self, self->tables);
  self->n_blocked = 0;
  self->has_events = false;
  self->has_pushes = false;
  self->next_opaque = (VtrOpaque){ 0 };
  vtr_groups_drop_next (self);
  memset (self->last, 0, sizeof self->last);
  vtr_scatter_drop_next (self);
}

bool
vtr_replay_vk_is_kept (const VtrReplayVk *self)
{
  return self->save != NULL;
}

bool
vtr_replay_vk_rewind (VtrReplayVk *self)
{
  return vtr_save_rewind (self);
}

bool
vtr_replay_vk_resume (VtrReplayVk *self,
                      uint32_t     flags)
{
  return vtr_save_resume (self, flags);
}

uint64_t
vtr_replay_vk_get_n_addresses (const VtrReplayVk *self)
{
  return self->n_addresses;
}

uint64_t
vtr_replay_vk_get_n_groups (const VtrReplayVk *self,
                            uint64_t          *n_others)
{
  *n_others = self->n_other_groups;
  return self->n_groups;
}

const char *
vtr_replay_vk_function_name (uint32_t function)
{
  if (vtr_cmd_is_vulkan (function))
    return vtr_cmd_name ((VtrCmdId)function);
  if (function - VTR_REPLAY_FIRST_SYNTHETIC < VTR_N_SYNTHETICS)
    return vtr_synthetic_names[function - VTR_REPLAY_FIRST_SYNTHETIC];
  return NULL;
}
