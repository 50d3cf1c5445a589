/* Life of the replayer's Vulkan side, and what its parts share. */
#include "vtr-opaque.h"
#include "vtr-fixed-address.h"
#include "vtr-scatter.h"
#include "vtr-vk-offers.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_CHAIN 64

const VtrVmCall vtr_synthetics[VTR_N_SYNTHETICS] = {
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

VtrReplayVk *
vtr_replay_vk_create (VtrVm                 *vm,
                      const VtrReplayVkHost *host)
{
  VtrReplayVk *self = calloc (1, sizeof *self);
  VtrVmFunctions functions = { .context = self };

  if (self == NULL)
    return NULL;
  self->vm = vm;
  self->host = *host;
  vtr_thunks_fill (self->functions, vtr_thunks, NULL);
  vtr_thunks_fill_synthetics (self->synthetics, vtr_synthetics, NULL);
  functions.functions = self->functions;
  functions.n = VTR_CMD_COUNT;
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
  vtr_objects_destroy_all (self);
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
  if (function < VTR_CMD_COUNT)
    return vtr_cmd_name ((VtrCmdId)function);
  if (function - VTR_REPLAY_FIRST_SYNTHETIC < VTR_N_SYNTHETICS)
    return vtr_synthetic_names[function - VTR_REPLAY_FIRST_SYNTHETIC];
  return NULL;
}

bool
vtr_replay_vk_failed (VtrReplayVk *vk,
                      const char  *what,
                      VkResult     result)
{
  const char *name = vtr_enum_value_name (VTR_ENUM_VkResult, result);

  vk->vm->error.vk_result = result;
  vtr_vm_fail (vk->vm, VTR_VM_ERROR_VULKAN, "%s failed: %s.", what,
               name != NULL ? name : "unknown");
  return false;
}

/* --- Words ----------------------------------------------------------------------------------- */

void
vtr_replay_vk_message (VtrReplayVk *vk,
                       VtrLogLevel level,
                       const char *format,
                       ...)
{
  char text[1024];
  va_list args;

  va_start (args, format);
  vsnprintf (text, sizeof text, format, args);
  va_end (args);
  vk->host.message (vk->host.data, level, text);
}

#define MAX_HANDLES 16

static void
complain (VtrReplayVk                                *vk,
          VtrLogLevel                                 level,
          const VkDebugUtilsMessengerCallbackDataEXT *data)
{
  uint64_t handles[MAX_HANDLES];
  uint32_t n = data->objectCount < MAX_HANDLES ? data->objectCount : MAX_HANDLES;

  for (uint32_t i = 0; i < n; i++)
    handles[i] = data->pObjects[i].objectHandle;
  vk->host.complain (vk->host.data, level,
                     data->pMessageIdName != NULL ? data->pMessageIdName : "",
                     data->pMessage != NULL ? data->pMessage : "", handles, n);
}

VKAPI_ATTR VkBool32 VKAPI_CALL
vtr_replay_vk_debug (VkDebugUtilsMessageSeverityFlagBitsEXT      severity,
                     VkDebugUtilsMessageTypeFlagsEXT             types,
                     const VkDebugUtilsMessengerCallbackDataEXT *data,
                     void                                       *user)
{
  VtrReplayVk *vk = user;
  VtrLogLevel level = VTR_LOG_DEBUG;

  if ((severity & VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT) != 0)
    level = VTR_LOG_ERROR;
  else if ((severity & VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT) != 0)
    level = VTR_LOG_WARNING;
  else if ((severity & VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT) != 0)
    level = VTR_LOG_INFO;
  /* The loader warns of what we ask of it: that layers are off. */
  if (level == VTR_LOG_WARNING && types == VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT)
    level = VTR_LOG_INFO;
  if ((vk->flags & VTR_REPLAY_VALIDATE) != 0 &&
      (types & VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT) != 0 && level <= VTR_LOG_WARNING)
    complain (vk, level, data);
  else if (data->pMessage != NULL)
    vk->host.message (vk->host.data, level, data->pMessage);
  return VK_FALSE;
}

/* --- pNext chains ---------------------------------------------------------------------------- */

const void *
vtr_chain_find (const void      *next,
                VkStructureType  s_type)
{
  const VkBaseInStructure *link = next;

  for (unsigned i = 0; link != NULL && i < MAX_CHAIN; i++, link = link->pNext)
    if (link->sType == s_type)
      return link;
  return NULL;
}

void
vtr_chain_remove (const void            **next,
                  const VkStructureType  *s_types,
                  size_t                  n)
{
  for (unsigned i = 0; *next != NULL && i < MAX_CHAIN; i++)
    {
      const VkBaseInStructure *link = *next;
      bool remove = false;

      for (size_t type = 0; type < n; type++)
        remove |= link->sType == s_types[type];
      if (remove)
        *next = link->pNext;
      else
        next = (const void **)&((VkBaseOutStructure *)(uintptr_t)link)->pNext;
    }
}
