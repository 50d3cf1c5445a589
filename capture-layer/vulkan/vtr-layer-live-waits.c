/* Follows which values of timeline semaphores are waited for, and which are still to come. At a
 * cut, the GPU finishes its work only if the values that it waits for are submitted or signalled;
 * only such calls are let through the gate. */
#include "vtr-layer-live-state.h"


/* One operation on a semaphore. Returns: whether to go on. */
typedef bool (*Visit) (VtrLayerWorld *world,
                       VkSemaphore semaphore,
                       uint64_t value,
                       bool signals);

static VtrLayerSemaphore *
find_timeline (VtrLayerWorld *world,
               VkSemaphore    semaphore)
{
  VtrLayerSemaphore *self =
    vtr_layer_live_state (world, VTR_HANDLE_VkSemaphore, (uint64_t)(uintptr_t)semaphore);

  return self != NULL && self->timeline ? self : NULL;
}

static uint64_t
get_value (uint32_t        n,
           const uint64_t *values,
           uint32_t        i)
{
  return values != NULL && i < n ? values[i] : 0;
}

static bool
visit_semaphores (VtrLayerWorld     *world,
                  const void        *next,
                  uint32_t           n_waits,
                  const VkSemaphore *waits,
                  uint32_t           n_signals,
                  const VkSemaphore *signals,
                  Visit              visit)
{
  const VkTimelineSemaphoreSubmitInfo *info =
    vtr_api_find_next (next, VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO);

  if (info == NULL)
    return true;
  for (uint32_t i = 0; i < n_waits; i++)
    if (!visit (world, waits[i],
                get_value (info->waitSemaphoreValueCount, info->pWaitSemaphoreValues, i), false))
      return false;
  for (uint32_t i = 0; i < n_signals; i++)
    if (!visit (world, signals[i],
                get_value (info->signalSemaphoreValueCount, info->pSignalSemaphoreValues, i), true))
      return false;
  return true;
}

static bool
visit_submit (VtrLayerWorld               *world,
              const VtrArgs_vkQueueSubmit *args,
              Visit                        visit)
{
  for (uint32_t i = 0; i < args->submitCount; i++)
    {
      const VkSubmitInfo *each = &args->pSubmits[i];

      if (!visit_semaphores (world, each->pNext, each->waitSemaphoreCount, each->pWaitSemaphores,
                             each->signalSemaphoreCount, each->pSignalSemaphores, visit))
        return false;
    }
  return true;
}

static bool
visit_submit2 (VtrLayerWorld                *world,
               const VtrArgs_vkQueueSubmit2 *args,
               Visit                         visit)
{
  for (uint32_t i = 0; i < args->submitCount; i++)
    {
      const VkSubmitInfo2 *each = &args->pSubmits[i];

      for (uint32_t j = 0; j < each->waitSemaphoreInfoCount; j++)
        if (!visit (world, each->pWaitSemaphoreInfos[j].semaphore,
                    each->pWaitSemaphoreInfos[j].value, false))
          return false;
      for (uint32_t j = 0; j < each->signalSemaphoreInfoCount; j++)
        if (!visit (world, each->pSignalSemaphoreInfos[j].semaphore,
                    each->pSignalSemaphoreInfos[j].value, true))
          return false;
    }
  return true;
}

static bool
visit_bind_sparse (VtrLayerWorld                   *world,
                   const VtrArgs_vkQueueBindSparse *args,
                   Visit                            visit)
{
  for (uint32_t i = 0; i < args->bindInfoCount; i++)
    {
      const VkBindSparseInfo *each = &args->pBindInfo[i];

      if (!visit_semaphores (world, each->pNext, each->waitSemaphoreCount, each->pWaitSemaphores,
                             each->signalSemaphoreCount, each->pSignalSemaphores, visit))
        return false;
    }
  return true;
}

/* Returns: FALSE when @visit said so; the canonical @cmd is one that can be visited. */
static bool
visit_call (VtrLayerWorld *world,
            VtrCmdId       cmd,
            const void    *args,
            Visit          visit)
{
  const VkSemaphoreSignalInfo *info;

  switch (cmd)
    {
    case VTR_CMD_vkQueueSubmit:
      return visit_submit (world, args, visit);
    case VTR_CMD_vkQueueSubmit2:
      return visit_submit2 (world, args, visit);
    case VTR_CMD_vkQueueBindSparse:
      return visit_bind_sparse (world, args, visit);
    case VTR_CMD_vkSignalSemaphore:
      info = ((const VtrArgs_vkSignalSemaphore *)args)->pSignalInfo;
      return visit (world, info->semaphore, info->value, true);
    default:
      return true;
    }
}

static bool
note (VtrLayerWorld *world,
      VkSemaphore    semaphore,
      uint64_t       value,
      bool           signals)
{
  VtrLayerSemaphore *self = find_timeline (world, semaphore);
  uint64_t *top;

  if (self == NULL)
    return true;
  top = signals ? &self->promised : &self->awaited;
  if (value > *top)
    *top = value;
  return true;
}

void
vtr_layer_live_note_waits (VtrLayerWorld *world,
                           VtrCmdId       cmd,
                           const void    *args)
{
  visit_call (world, cmd, args, note);
}

/* Ends the visit when it is found. */
static bool
is_idle (VtrLayerWorld *world,
         VkSemaphore    semaphore,
         uint64_t       value,
         bool           signals)
{
  const VtrLayerSemaphore *self = signals ? find_timeline (world, semaphore) : NULL;

  return self == NULL || self->awaited <= self->promised;
}

bool
vtr_layer_live_is_awaited (VtrLayerDevice *device,
                           VtrCmdId        called,
                           const void     *args)
{
  const VtrCmdId cmd = vtr_cmd_canonical (called);
  bool awaited;

  if (device->live == NULL)
    return true;
  vtr_layer_live_lock ();
  awaited = !visit_call (device->live, cmd, args, is_idle);
  vtr_layer_live_unlock ();
  return awaited;
}
