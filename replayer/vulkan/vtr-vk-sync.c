/* Follows which semaphores and events (with vtr-vk-events.c) will be signalled, so that no wait
 * depends on the rest of the trace, and ends waits of a cancelled request. */
#include "vtr-vk-sync.h"
#include "vtr-overrides.h"
#include "vtr-save.h"

#include "base/vtr-grow.h"

#include <stdlib.h>
#include <string.h>

/* How long a wait lasts before it looks whether the request was cancelled. */
#define WAIT_NANOSECONDS (20 * 1000 * 1000ull)

/* --- Semaphores ------------------------------------------------------------------------------ */

VkResult
vtr_override_vkCreateSemaphore (VtrReplayVk                 *vk,
                                VkDevice                     device,
                                const VkSemaphoreCreateInfo *pCreateInfo,
                                const VkAllocationCallbacks *pAllocator,
                                VkSemaphore                 *pSemaphore)
{
  VtrTable *table = vtr_device_table (vk, device);
  const VkSemaphoreTypeCreateInfo *type =
    vtr_chain_find (pCreateInfo->pNext, VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO);
  VtrReplayObject *object;
  VkResult result;

  (void)pAllocator;
  if (table == NULL || vtr_replay_vk_output (vk, pSemaphore, sizeof *pSemaphore) == NULL)
    return VK_ERROR_DEVICE_LOST;
  result = VTR_CALL (vk, table, vkCreateSemaphore) (device, pCreateInfo, NULL, pSemaphore);
  if (result < 0)
    return result;
  object = vtr_objects_created (vk, VTR_HANDLE_VkSemaphore, VTR_HANDLE_BITS (*pSemaphore),
                                VTR_HANDLE_BITS (device), 0);
  if (object != NULL && type != NULL && type->semaphoreType == VK_SEMAPHORE_TYPE_TIMELINE)
    object->info.semaphore = (VtrSemaphoreInfo){ .timeline = true, .reach = type->initialValue };
  return result;
}

/* Drops the waits that are satisfied now. */
static void
sync_settle (VtrReplayVk *vk)
{
  size_t n = 0;

  for (size_t i = 0; i < vk->n_blocked; i++)
    {
      const VtrReplayObject *object =
        vtr_objects_find (vk, vk->blocked[i].type, vk->blocked[i].handle);

      /* vtr-vk-events.c removes the waits for an event that was set. */
      if (object != NULL && (object->type == VTR_HANDLE_VkEvent ||
                             object->info.semaphore.reach < vk->blocked[i].value))
        vk->blocked[n++] = vk->blocked[i];
    }
  vk->n_blocked = n;
}

void
vtr_sync_block (VtrReplayVk           *vk,
                const VtrReplayObject *object,
                uint64_t               value)
{
  VtrBlockedWait *blocked =
    vtr_grow (vk->blocked, &vk->max_blocked, vk->n_blocked + 1, sizeof *blocked);

  if (blocked == NULL)
    return;
  vk->blocked = blocked;
  vk->blocked[vk->n_blocked++] = (VtrBlockedWait){ object->type, object->handle, value };
}

static void
sync_wait (VtrReplayVk *vk,
           VkSemaphore  semaphore,
           uint64_t     value)
{
  VtrReplayObject *object =
    vtr_objects_find (vk, VTR_HANDLE_VkSemaphore, VTR_HANDLE_BITS (semaphore));

  if (object == NULL)
    return;
  if (!object->info.semaphore.timeline)
    {
      object->info.semaphore.signaled = false;
      return;
    }
  if (value > object->info.semaphore.reach)
    vtr_sync_block (vk, object, value);
}

static void
sync_signal (VtrReplayVk *vk,
             VkSemaphore  semaphore,
             uint64_t     value)
{
  VtrReplayObject *object =
    vtr_objects_find (vk, VTR_HANDLE_VkSemaphore, VTR_HANDLE_BITS (semaphore));

  if (object == NULL)
    return;
  if (!object->info.semaphore.timeline)
    object->info.semaphore.signaled = true;
  else if (value > object->info.semaphore.reach)
    object->info.semaphore.reach = value;
}

void
vtr_sync_note_signal (VtrReplayVk *vk,
                      uint64_t     semaphore,
                      bool         signaled)
{
  VtrReplayObject *object = vtr_objects_find (vk, VTR_HANDLE_VkSemaphore, semaphore);

  if (object != NULL && !object->info.semaphore.timeline)
    object->info.semaphore.signaled = signaled;
}

bool
vtr_sync_is_blocked (VtrReplayVk *vk)
{
  sync_settle (vk);
  return vk->n_blocked > 0;
}

void
vtr_sync_settle (void *data)
{
  VtrReplayVk *vk = data;

  for (VtrTable *table = vk->tables; table != NULL; table = table->next)
    if (table->device != VK_NULL_HANDLE && !vtr_sync_is_blocked (vk) && !vtr_table_wait (vk, table))
      break;
}

bool
vtr_sync_check (VtrReplayVk *vk)
{
  if (!vtr_sync_is_blocked (vk))
    return true;
  if (vk->blocked[0].type == VTR_HANDLE_VkEvent)
    vtr_vm_fail (vk->vm, VTR_VM_ERROR_UNSUPPORTED,
                 "What runs here waits for an event that the program sets later (vkSetEvent): "
                 "select a later command, or capture more frames if the trace ends before.");
  else
    vtr_vm_fail (vk->vm, VTR_VM_ERROR_UNSUPPORTED,
                 "What runs here waits for a semaphore (value %llu) that the program signals "
                 "later: select a later command, or capture more frames if the trace ends before.",
                 (unsigned long long)vk->blocked[0].value);
  return false;
}

static void
sync_unblock_semaphore (VtrReplayVk     *vk,
                        VtrReplayObject *object,
                        uint64_t         value)
{
  const VkSemaphoreSignalInfo info = {
    .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO,
    .semaphore = VTR_HANDLE_FROM (VkSemaphore, object->handle),
    .value = value,
  };
  PFN_vkSignalSemaphore call = VTR_CALL (vk, object->table, vkSignalSemaphore);

  if (call == NULL || value <= object->info.semaphore.reach)
    return;
  call (object->table->device, &info);
  object->info.semaphore.reach = value;
  vtr_save_drop (vk);
}

static void
sync_unblock_event (VtrReplayVk     *vk,
                    VtrReplayObject *object)
{
  VTR_CALL (vk, object->table, vkSetEvent)
  (object->table->device, VTR_HANDLE_FROM (VkEvent, object->handle));
  vtr_events_note (vk, object, true);
  vtr_save_drop (vk);
}

void
vtr_sync_unblock (VtrReplayVk *vk)
{
  while (vtr_sync_is_blocked (vk))
    {
      const VtrBlockedWait first = vk->blocked[0];
      VtrReplayObject *object = vtr_objects_find (vk, first.type, first.handle);

      if (first.type == VTR_HANDLE_VkEvent)
        sync_unblock_event (vk, object);
      else
        sync_unblock_semaphore (vk, object, first.value);
      /* Where it cannot be signalled, too. */
      if (vk->n_blocked > 0 && vk->blocked[0].type == first.type &&
          vk->blocked[0].handle == first.handle && vk->blocked[0].value == first.value)
        memmove (vk->blocked, vk->blocked + 1, --vk->n_blocked * sizeof *vk->blocked);
    }
}

bool
vtr_sync_wait_for_devices (VtrReplayVk *vk)
{
  bool done = true;

  vtr_sync_unblock (vk);
  for (VtrTable *table = vk->tables; table != NULL; table = table->next)
    if (table->device != VK_NULL_HANDLE)
      done &= vtr_table_wait (vk, table);
  return done;
}

/* --- Submissions ----------------------------------------------------------------------------- */

static void
sync_note_batch (VtrReplayVk        *vk,
                 const VkSubmitInfo *batch)
{
  const VkTimelineSemaphoreSubmitInfo *values =
    vtr_chain_find (batch->pNext, VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO);

  for (uint32_t i = 0; i < batch->waitSemaphoreCount; i++)
    sync_wait (vk, batch->pWaitSemaphores[i],
               values != NULL && values->pWaitSemaphoreValues != NULL &&
                   i < values->waitSemaphoreValueCount
                 ? values->pWaitSemaphoreValues[i]
                 : 0);
  for (uint32_t i = 0; i < batch->commandBufferCount; i++)
    vtr_events_submitted (vk, batch->pCommandBuffers[i]);
  for (uint32_t i = 0; i < batch->signalSemaphoreCount; i++)
    sync_signal (vk, batch->pSignalSemaphores[i],
                 values != NULL && values->pSignalSemaphoreValues != NULL &&
                     i < values->signalSemaphoreValueCount
                   ? values->pSignalSemaphoreValues[i]
                   : 0);
}

static bool
batch_is_whole (VtrReplayVk        *vk,
                const VkSubmitInfo *batch)
{
  return vtr_replay_vk_has (vk, batch->waitSemaphoreCount, batch->pWaitSemaphores,
                            "pWaitSemaphores") &&
         vtr_replay_vk_has (vk, batch->waitSemaphoreCount, batch->pWaitDstStageMask,
                            "pWaitDstStageMask") &&
         vtr_replay_vk_has (vk, batch->commandBufferCount, batch->pCommandBuffers,
                            "pCommandBuffers") &&
         vtr_replay_vk_has (vk, batch->signalSemaphoreCount, batch->pSignalSemaphores,
                            "pSignalSemaphores");
}

static bool
batch2_is_whole (VtrReplayVk         *vk,
                 const VkSubmitInfo2 *batch)
{
  return vtr_replay_vk_has (vk, batch->waitSemaphoreInfoCount, batch->pWaitSemaphoreInfos,
                            "pWaitSemaphoreInfos") &&
         vtr_replay_vk_has (vk, batch->commandBufferInfoCount, batch->pCommandBufferInfos,
                            "pCommandBufferInfos") &&
         vtr_replay_vk_has (vk, batch->signalSemaphoreInfoCount, batch->pSignalSemaphoreInfos,
                            "pSignalSemaphoreInfos");
}

VkResult
vtr_override_vkQueueSubmit (VtrReplayVk        *vk,
                            VkQueue             queue,
                            uint32_t            submitCount,
                            const VkSubmitInfo *pSubmits,
                            VkFence             fence)
{
  PFN_vkQueueSubmit call = (PFN_vkQueueSubmit)vtr_thunk_find (
    vk, VTR_HANDLE_VkQueue, VTR_HANDLE_BITS (queue), VTR_CMD_vkQueueSubmit);
  VkResult result;

  if (call == NULL || !vtr_replay_vk_has (vk, submitCount, pSubmits, "pSubmits"))
    return VK_ERROR_DEVICE_LOST;
  for (uint32_t i = 0; i < submitCount; i++)
    if (!batch_is_whole (vk, &pSubmits[i]))
      return VK_ERROR_DEVICE_LOST;
  result = call (queue, submitCount, pSubmits, fence);
  for (uint32_t i = 0; result >= 0 && i < submitCount; i++)
    sync_note_batch (vk, &pSubmits[i]);
  return result;
}

VkResult
vtr_override_vkQueueSubmit2 (VtrReplayVk         *vk,
                             VkQueue              queue,
                             uint32_t             submitCount,
                             const VkSubmitInfo2 *pSubmits,
                             VkFence              fence)
{
  PFN_vkQueueSubmit2 call = (PFN_vkQueueSubmit2)vtr_thunk_find (
    vk, VTR_HANDLE_VkQueue, VTR_HANDLE_BITS (queue), VTR_CMD_vkQueueSubmit2);
  VkResult result;

  if (call == NULL || !vtr_replay_vk_has (vk, submitCount, pSubmits, "pSubmits"))
    return VK_ERROR_DEVICE_LOST;
  for (uint32_t i = 0; i < submitCount; i++)
    if (!batch2_is_whole (vk, &pSubmits[i]))
      return VK_ERROR_DEVICE_LOST;
  result = call (queue, submitCount, pSubmits, fence);
  for (uint32_t i = 0; result >= 0 && i < submitCount; i++)
    {
      for (uint32_t j = 0; j < pSubmits[i].waitSemaphoreInfoCount; j++)
        sync_wait (vk, pSubmits[i].pWaitSemaphoreInfos[j].semaphore,
                   pSubmits[i].pWaitSemaphoreInfos[j].value);
      for (uint32_t j = 0; j < pSubmits[i].commandBufferInfoCount; j++)
        vtr_events_submitted (vk, pSubmits[i].pCommandBufferInfos[j].commandBuffer);
      for (uint32_t j = 0; j < pSubmits[i].signalSemaphoreInfoCount; j++)
        sync_signal (vk, pSubmits[i].pSignalSemaphoreInfos[j].semaphore,
                     pSubmits[i].pSignalSemaphoreInfos[j].value);
    }
  return result;
}

void
vtr_sync_note_sparse (VtrReplayVk            *vk,
                      uint32_t                n,
                      const VkBindSparseInfo *infos)
{
  for (uint32_t i = 0; i < n; i++)
    {
      const VkSubmitInfo batch = {
        .pNext = infos[i].pNext,
        .waitSemaphoreCount = infos[i].waitSemaphoreCount,
        .pWaitSemaphores = infos[i].pWaitSemaphores,
        .signalSemaphoreCount = infos[i].signalSemaphoreCount,
        .pSignalSemaphores = infos[i].pSignalSemaphores,
      };

      sync_note_batch (vk, &batch);
    }
}

VkResult
vtr_override_vkSignalSemaphore (VtrReplayVk                 *vk,
                                VkDevice                     device,
                                const VkSemaphoreSignalInfo *pSignalInfo)
{
  PFN_vkSignalSemaphore call = (PFN_vkSignalSemaphore)vtr_thunk_find (
    vk, VTR_HANDLE_VkDevice, VTR_HANDLE_BITS (device), VTR_CMD_vkSignalSemaphore);
  VkResult result;

  if (call == NULL)
    return VK_ERROR_DEVICE_LOST;
  result = call (device, pSignalInfo);
  if (result >= 0)
    sync_signal (vk, pSignalInfo->semaphore, pSignalInfo->value);
  return result;
}

/* --- Waits ----------------------------------------------------------------------------------- */

static void
sync_idle (VtrReplayVk *vk,
           uint64_t     timeout)
{
  if (timeout > 0)
    vk->host.idle (vk->host.data);
}

static uint64_t
sync_slice (uint64_t timeout)
{
  return timeout < WAIT_NANOSECONDS ? timeout : WAIT_NANOSECONDS;
}

/* Whether a wait that ran into its time limit goes on. */
static bool
sync_wait_on (VtrReplayVk *vk,
              uint64_t    *timeout)
{
  if (__atomic_load_n (&vk->vm->status->cancel, __ATOMIC_RELAXED) != 0)
    {
      vtr_vm_fail (vk->vm, VTR_VM_ERROR_CANCELLED, "The request was cancelled.");
      return false;
    }
  if (*timeout != UINT64_MAX)
    *timeout -= *timeout < WAIT_NANOSECONDS ? *timeout : WAIT_NANOSECONDS;
  return *timeout > 0;
}

/* A driver whose device is lost may let every wait run into its limit, and tell who asks. */
static VkResult
sync_wait_fences (VtrReplayVk   *vk,
                  VtrTable      *table,
                  uint32_t       n,
                  const VkFence *fences,
                  VkBool32       all,
                  uint64_t       timeout)
{
  VkResult result =
    VTR_CALL (vk, table, vkWaitForFences) (table->device, n, fences, all, sync_slice (timeout));

  if (result == VK_TIMEOUT && n > 0 &&
      VTR_CALL (vk, table, vkGetFenceStatus) (table->device, fences[0]) == VK_ERROR_DEVICE_LOST)
    result = VK_ERROR_DEVICE_LOST;
  return result;
}

VkResult
vtr_override_vkWaitForFences (VtrReplayVk   *vk,
                              VkDevice       device,
                              uint32_t       fenceCount,
                              const VkFence *pFences,
                              VkBool32       waitAll,
                              uint64_t       timeout)
{
  VtrTable *table = vtr_device_table (vk, device);
  VkResult result;

  if (table == NULL || !vtr_replay_vk_has (vk, fenceCount, pFences, "pFences"))
    return VK_ERROR_DEVICE_LOST;
  sync_idle (vk, timeout);
  do
    result = sync_wait_fences (vk, table, fenceCount, pFences, waitAll, timeout);
  while (result == VK_TIMEOUT && sync_wait_on (vk, &timeout));
  return result;
}

VkResult
vtr_override_vkWaitSemaphores (VtrReplayVk               *vk,
                               VkDevice                   device,
                               const VkSemaphoreWaitInfo *pWaitInfo,
                               uint64_t                   timeout)
{
  PFN_vkWaitSemaphores call = (PFN_vkWaitSemaphores)vtr_thunk_find (
    vk, VTR_HANDLE_VkDevice, VTR_HANDLE_BITS (device), VTR_CMD_vkWaitSemaphores);
  bool any = (pWaitInfo->flags & VK_SEMAPHORE_WAIT_ANY_BIT) != 0;
  uint32_t n_promised = 0;
  VkResult result;

  if (call == NULL ||
      !vtr_replay_vk_has (vk, pWaitInfo->semaphoreCount, pWaitInfo->pSemaphores, "pSemaphores") ||
      !vtr_replay_vk_has (vk, pWaitInfo->semaphoreCount, pWaitInfo->pValues, "pValues"))
    return VK_ERROR_DEVICE_LOST;
  for (uint32_t i = 0; i < pWaitInfo->semaphoreCount; i++)
    {
      const VtrReplayObject *object =
        vtr_objects_find (vk, VTR_HANDLE_VkSemaphore, VTR_HANDLE_BITS (pWaitInfo->pSemaphores[i]));

      n_promised +=
        object == NULL || object->info.semaphore.reach >= pWaitInfo->pValues[i] ? 1 : 0;
    }
  if (pWaitInfo->semaphoreCount > 0 && n_promised < (any ? 1 : pWaitInfo->semaphoreCount))
    {
      vtr_vm_fail (vk->vm, VTR_VM_ERROR_UNSUPPORTED,
                   "The trace waits for a semaphore that nothing in it signals.");
      return VK_TIMEOUT;
    }
  sync_idle (vk, timeout);
  do
    result = call (device, pWaitInfo, sync_slice (timeout));
  while (result == VK_TIMEOUT && sync_wait_on (vk, &timeout));
  return result;
}
