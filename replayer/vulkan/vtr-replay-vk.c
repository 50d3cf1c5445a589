/* Implements VtrReplayerApi for Vulkan, and keeps what lives from request to request. */
#include "vtr-describe.h"
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

static const VtrVmCall synthetics[VTR_N_SYNTHETICS] = {
#define AT(name) [VTR_REPLAY_##name - VTR_REPLAY_FIRST_SYNTHETIC]
  AT (GET_PHYSICAL_DEVICE) = vtr_synthetic_get_physical_device,
  AT (ACQUIRE) = vtr_synthetic_acquire,
  AT (PRESENT) = vtr_synthetic_present,
  AT (WAIT_EVENT) = vtr_synthetic_wait_event,
  AT (SCATTER_MEMORY) = vtr_synthetic_scatter_memory,
  AT (PLACE_MEMORY) = vtr_synthetic_place_memory,
  AT (KEEP_ADDRESS) = vtr_synthetic_keep_address,
  AT (KEEP_GROUPS) = vtr_synthetic_keep_groups,
  AT (COMPARE_GROUPS) = vtr_synthetic_compare_groups,
  AT (CHECK_ADDRESS) = vtr_synthetic_check_address,
  AT (FIND_ADDRESS) = vtr_synthetic_find_address,
  AT (LINEAR_LAYOUT) = vtr_synthetic_linear_layout,
  AT (RESET_QUERIES) = vtr_synthetic_reset_queries,
  AT (READ_QUERIES) = vtr_synthetic_read_queries,
  AT (BACK_IMAGE) = vtr_synthetic_back_image,
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

static void *
vulkan_create (VtrVm                 *vm,
               const VtrReplayerHost *host)
{
  VtrReplayVk *self = calloc (1, sizeof *self);

  if (self == NULL)
    return NULL;
  self->vm = vm;
  self->host = *host;
  self->forget_object = forget_object;
  self->forget_table = vtr_heap_finish;
  vtr_vm_signature_fill (self->functions, vtr_thunk_signatures, VTR_VULKAN_N_COMMANDS, vtr_thunks,
                         NULL);
  vtr_vm_signature_fill (self->synthetics, vtr_synthetic_signatures, VTR_N_SYNTHETICS, synthetics,
                         NULL);
  return self;
}

static void
vulkan_destroy (void *data)
{
  VtrReplayVk *self = data;

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

static void
vulkan_functions (void           *data,
                  VtrVmFunctions *calls,
                  VtrVmFunctions *own)
{
  VtrReplayVk *self = data;

  *calls = (VtrVmFunctions){ .functions = self->functions,
                             .n = VTR_VULKAN_N_COMMANDS,
                             .context = self };
  *own = (VtrVmFunctions){ .functions = self->synthetics,
                           .first = VTR_REPLAY_FIRST_SYNTHETIC,
                           .n = VTR_N_SYNTHETICS,
                           .context = self };
}

static void
vulkan_begin (void       *data,
              uint32_t    flags,
              const char *device)
{
  VtrReplayVk *self = data;

  self->flags = flags;
  self->n_addresses = self->n_groups = self->n_other_groups = 0;
  snprintf (self->driver, sizeof self->driver, "%s", device);
}

static void
vulkan_end (void *data)
{
  VtrReplayVk *self = data;
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

static void
vulkan_count (const void        *data,
              VtrReplayerCounts *counts)
{
  const VtrReplayVk *self = data;

  counts->n_addresses += self->n_addresses;
  counts->n_groups += self->n_groups;
  counts->n_other_groups += self->n_other_groups;
}

static void
vulkan_drop (void *data)
{
  vtr_save_drop (data);
}

static void
vulkan_prepare (void *data)
{
  vtr_describe_prepare (data);
}

static const char *
vulkan_describe (void            *data,
                 VtrDescribeSink  sink,
                 void            *sink_data)
{
  return vtr_describe_devices (data, sink, sink_data);
}

static bool
vulkan_ask (void            *data,
            const void      *question,
            size_t           size,
            VtrDescribeSink  sink,
            void            *sink_data)
{
  return vtr_describe_images (data, question, size, sink, sink_data);
}

const VtrReplayerApi vtr_replayer_vulkan = {
  .create = vulkan_create,
  .destroy = vulkan_destroy,
  .functions = vulkan_functions,
  .begin = vulkan_begin,
  .end = vulkan_end,
  .count = vulkan_count,
  .save = vtr_save_keep,
  .drop = vulkan_drop,
  .rewind = vtr_save_rewind,
  .mark = vtr_marks_set,
  .go_to_mark = vtr_marks_go_to,
  .forget_mark = vtr_marks_forget,
  .read_texels = vtr_read_texels,
  .read_bytes = vtr_read_bytes,
  .write_texels = vtr_write_texels,
  .write_bytes = vtr_write_bytes,
  .settle = vtr_sync_settle,
  .prepare = vulkan_prepare,
  .describe = vulkan_describe,
  .ask = vulkan_ask,
  .visit_files = vtr_vulkan_visit_files,
  .judge = vtr_vulkan_judge,
};
