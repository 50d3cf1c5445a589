/* Looks up the functions of the loader, of instances and of devices when they are first called. */
#include "vtr-vk-objects.h"

#include <dlfcn.h>
#include <stdlib.h>

bool
vtr_replay_vk_load (VtrReplayVk *vk)
{
  if (vk->get_instance_proc_addr != NULL)
    return true;
  if (vk->library == NULL)
    vk->library = dlopen ("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
  if (vk->library != NULL)
    vk->get_instance_proc_addr =
      (PFN_vkGetInstanceProcAddr)dlsym (vk->library, "vkGetInstanceProcAddr");
  if (vk->get_instance_proc_addr == NULL)
    vtr_vm_fail (vk->vm, VTR_VM_ERROR_DRIVER, "Vulkan is not installed (libvulkan.so.1).");
  return vk->get_instance_proc_addr != NULL;
}

PFN_vkVoidFunction
vtr_thunk_find_global (VtrReplayVk *vk,
                       VtrCmdId     cmd)
{
  PFN_vkVoidFunction function;

  if (!vtr_replay_vk_load (vk))
    return NULL;
  function = vk->get_instance_proc_addr (VK_NULL_HANDLE, vtr_cmd_name (cmd));
  if (function == NULL)
    vtr_vm_fail (vk->vm, VTR_VM_ERROR_UNSUPPORTED, "The loader does not offer %s.",
                 vtr_cmd_name (cmd));
  return function;
}

VtrTable *
vtr_table_create (VtrReplayVk *vk)
{
  VtrTable *table = calloc (1, sizeof *table);

  if (table == NULL)
    {
      vtr_vm_fail (vk->vm, VTR_VM_ERROR_MEMORY, "The replayer ran out of memory.");
      return NULL;
    }
  table->next = vk->tables;
  vk->tables = table;
  return table;
}

void
vtr_table_destroy (VtrReplayVk *vk,
                   VtrTable    *table)
{
  VtrTable **link = &vk->tables;

  while (*link != table)
    link = &(*link)->next;
  *link = table->next;
  vtr_objects_forget_table (vk, table);
  vk->forget_table (vk, table);
  for (size_t i = 0; i < sizeof vk->last / sizeof *vk->last; i++)
    if (vk->last[i].table == table)
      vk->last[i] = (VtrLastOwner){ 0 };
  free (table->families);
  free (table->queue_families);
  free (table->queue_flags);
  free (table);
}

static PFN_vkVoidFunction
vtr_table_resolve (VtrReplayVk *vk,
                   VtrTable    *table,
                   VtrCmdId     cmd)
{
  const char *name = vtr_cmd_name (cmd);

  if (table->device == VK_NULL_HANDLE)
    return vk->get_instance_proc_addr (table->instance, name);
  if (cmd == VTR_CMD_vkGetDeviceProcAddr)
    return vk->get_instance_proc_addr (table->instance, name);
  return VTR_CALL (vk, table, vkGetDeviceProcAddr) (table->device, name);
}

PFN_vkVoidFunction
vtr_table_get (VtrReplayVk *vk,
               VtrTable    *table,
               VtrCmdId     cmd)
{
  VtrCmdId name = cmd;

  /* A trace may use the name of an extension, the device offer the core's, or the other way
   * round. */
  while (table->functions[cmd] == NULL)
    {
      table->functions[cmd] = vtr_table_resolve (vk, table, name);
      name = vtr_thunk_other_names[name];
      if (name == cmd)
        break;
    }
  return table->functions[cmd];
}

bool
vtr_table_wait (VtrReplayVk *vk,
                VtrTable    *table)
{
  VkResult result = VTR_CALL (vk, table, vkDeviceWaitIdle) (table->device);

  return result >= 0 || vtr_replay_vk_failed (vk, "Waiting for the device", result);
}

PFN_vkVoidFunction
vtr_table_need (VtrReplayVk *vk,
                VtrTable    *table,
                VtrCmdId     cmd)
{
  PFN_vkVoidFunction function = vtr_table_get (vk, table, cmd);

  if (function == NULL)
    vtr_vm_fail (vk->vm, VTR_VM_ERROR_UNSUPPORTED, "The driver does not offer %s.",
                 vtr_cmd_name (cmd));
  return function;
}

VtrTable *
vtr_table_look_up (VtrReplayVk *vk,
                   unsigned     slot,
                   VtrHandleId  type,
                   uint64_t     handle)
{
  const VtrReplayObject *object = vtr_objects_need (vk, type, handle);

  if (object == NULL)
    return NULL;
  vk->last[slot] = (VtrLastOwner){ handle, object->table };
  return object->table;
}
