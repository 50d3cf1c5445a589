/* Follows the effects of recordings and submissions on events, so that no wait depends on a later
 * vkSetEvent of the trace. As for semaphores, submitted work counts as done. */
#include "vtr-vk-sync.h"
#include "vtr-overrides.h"
#include "vtr-vk-push.h"

#include <stdlib.h>

typedef enum
{
  ACT_WAIT,
  ACT_SET,
  ACT_RESET,
  ACT_EXECUTE, /* a secondary command buffer */
} ActKind;

typedef struct
{
  ActKind kind;
  uint64_t handle;
} Act;

/* What a recording does to events, in order. */
typedef struct VtrEventActs
{
  size_t n;
  size_t max;
  Act acts[];
} VtrEventActs;

/* --- Recordings ------------------------------------------------------------------------------ */

void
vtr_events_forget (VtrReplayObject *commands)
{
  free (commands->info.commands.acts);
  commands->info.commands.acts = NULL;
}

static void
note_act (VtrReplayVk     *vk,
          VkCommandBuffer  commands,
          ActKind          kind,
          uint64_t         handle)
{
  VtrReplayObject *object =
    vk->has_events
      ? vtr_objects_find (vk, VTR_HANDLE_VkCommandBuffer, VTR_HANDLE_BITS (commands))
      : NULL;
  VtrEventActs *acts;

  if (object == NULL || handle == 0)
    return;
  acts = object->info.commands.acts;
  if (acts == NULL || acts->n == acts->max)
    {
      size_t n = acts != NULL ? acts->n : 0, max = n == 0 ? 8 : n * 2;

      acts = realloc (acts, sizeof *acts + max * sizeof *acts->acts);
      if (acts == NULL)
        return;
      acts->n = n;
      acts->max = max;
      object->info.commands.acts = acts;
    }
  acts->acts[acts->n++] = (Act){ kind, handle };
}

/* The driver's function for what is recorded into @commands. */
#define FIND(name) \
  ((PFN_##name)vtr_thunk_find (vk, VTR_HANDLE_VkCommandBuffer, VTR_HANDLE_BITS (commandBuffer), \
                               VTR_CMD_##name))

VkResult
vtr_override_vkBeginCommandBuffer (VtrReplayVk                    *vk,
                                   VkCommandBuffer                 commandBuffer,
                                   const VkCommandBufferBeginInfo *pBeginInfo)
{
  PFN_vkBeginCommandBuffer call = FIND (vkBeginCommandBuffer);
  VtrReplayObject *object;

  if (call == NULL)
    return VK_ERROR_DEVICE_LOST;
  object =
    vk->has_events || vk->has_pushes
      ? vtr_objects_find (vk, VTR_HANDLE_VkCommandBuffer, VTR_HANDLE_BITS (commandBuffer))
      : NULL;
  if (object != NULL)
    {
      vtr_events_forget (object);
      vtr_push_restart (vk, object);
    }
  return call (commandBuffer, pBeginInfo);
}

void
vtr_override_vkCmdExecuteCommands (VtrReplayVk           *vk,
                                   VkCommandBuffer        commandBuffer,
                                   uint32_t               commandBufferCount,
                                   const VkCommandBuffer *pCommandBuffers)
{
  PFN_vkCmdExecuteCommands call = FIND (vkCmdExecuteCommands);

  if (call == NULL || !vtr_replay_vk_has (vk, commandBufferCount, pCommandBuffers,
                                          "pCommandBuffers"))
    return;
  for (uint32_t i = 0; i < commandBufferCount; i++)
    note_act (vk, commandBuffer, ACT_EXECUTE, VTR_HANDLE_BITS (pCommandBuffers[i]));
  call (commandBuffer, commandBufferCount, pCommandBuffers);
}

/* Notes what is done to one event, and has the driver record it. */
#define RECORD_ACT(name, kind, last) \
  do \
    { \
      PFN_##name call = FIND (name); \
\
      if (call == NULL) \
        return; \
      note_act (vk, commandBuffer, kind, VTR_HANDLE_BITS (event)); \
      call (commandBuffer, event, last); \
    } \
  while (0)

void
vtr_override_vkCmdSetEvent (VtrReplayVk          *vk,
                            VkCommandBuffer       commandBuffer,
                            VkEvent               event,
                            VkPipelineStageFlags  stageMask)
{
  RECORD_ACT (vkCmdSetEvent, ACT_SET, stageMask);
}

void
vtr_override_vkCmdSetEvent2 (VtrReplayVk            *vk,
                             VkCommandBuffer         commandBuffer,
                             VkEvent                 event,
                             const VkDependencyInfo *pDependencyInfo)
{
  RECORD_ACT (vkCmdSetEvent2, ACT_SET, pDependencyInfo);
}

void
vtr_override_vkCmdResetEvent (VtrReplayVk          *vk,
                              VkCommandBuffer       commandBuffer,
                              VkEvent               event,
                              VkPipelineStageFlags  stageMask)
{
  RECORD_ACT (vkCmdResetEvent, ACT_RESET, stageMask);
}

void
vtr_override_vkCmdResetEvent2 (VtrReplayVk           *vk,
                               VkCommandBuffer        commandBuffer,
                               VkEvent                event,
                               VkPipelineStageFlags2  stageMask)
{
  RECORD_ACT (vkCmdResetEvent2, ACT_RESET, stageMask);
}

void
vtr_override_vkCmdWaitEvents (VtrReplayVk                 *vk,
                              VkCommandBuffer              commandBuffer,
                              uint32_t                     eventCount,
                              const VkEvent               *pEvents,
                              VkPipelineStageFlags         srcStageMask,
                              VkPipelineStageFlags         dstStageMask,
                              uint32_t                     memoryBarrierCount,
                              const VkMemoryBarrier       *pMemoryBarriers,
                              uint32_t                     bufferMemoryBarrierCount,
                              const VkBufferMemoryBarrier *pBufferMemoryBarriers,
                              uint32_t                     imageMemoryBarrierCount,
                              const VkImageMemoryBarrier  *pImageMemoryBarriers)
{
  PFN_vkCmdWaitEvents call = FIND (vkCmdWaitEvents);

  if (call == NULL || !vtr_replay_vk_has (vk, eventCount, pEvents, "pEvents"))
    return;
  for (uint32_t i = 0; i < eventCount; i++)
    note_act (vk, commandBuffer, ACT_WAIT, VTR_HANDLE_BITS (pEvents[i]));
  call (commandBuffer, eventCount, pEvents, srcStageMask, dstStageMask, memoryBarrierCount,
        pMemoryBarriers, bufferMemoryBarrierCount, pBufferMemoryBarriers, imageMemoryBarrierCount,
        pImageMemoryBarriers);
}

void
vtr_override_vkCmdWaitEvents2 (VtrReplayVk            *vk,
                               VkCommandBuffer         commandBuffer,
                               uint32_t                eventCount,
                               const VkEvent          *pEvents,
                               const VkDependencyInfo *pDependencyInfos)
{
  PFN_vkCmdWaitEvents2 call = FIND (vkCmdWaitEvents2);

  if (call == NULL || !vtr_replay_vk_has (vk, eventCount, pEvents, "pEvents"))
    return;
  for (uint32_t i = 0; i < eventCount; i++)
    note_act (vk, commandBuffer, ACT_WAIT, VTR_HANDLE_BITS (pEvents[i]));
  call (commandBuffer, eventCount, pEvents, pDependencyInfos);
}

/* --- Submissions ----------------------------------------------------------------------------- */

void
vtr_events_note (VtrReplayVk     *vk,
                 VtrReplayObject *event,
                 bool             set)
{
  uint64_t first = UINT64_MAX;
  size_t n = 0;

  if (!set)
    {
      event->info.event.was_set |= event->info.event.set;
      event->info.event.set = false;
      event->info.event.n_resets++;
      return;
    }
  for (size_t i = 0; i < vk->n_blocked; i++)
    if (vk->blocked[i].type == VTR_HANDLE_VkEvent && vk->blocked[i].handle == event->handle &&
        vk->blocked[i].value < first)
      first = vk->blocked[i].value;
  /* Resets that were submitted behind the waits come only then. */
  event->info.event.set |= first == UINT64_MAX || first == event->info.event.n_resets;
  for (size_t i = 0; i < vk->n_blocked; i++)
    if (vk->blocked[i].type != VTR_HANDLE_VkEvent || vk->blocked[i].handle != event->handle ||
        vk->blocked[i].value != first)
      vk->blocked[n++] = vk->blocked[i];
  vk->n_blocked = n;
}

static void
run_act (VtrReplayVk *vk,
         const Act   *act)
{
  VtrReplayObject *event = vtr_objects_find (vk, VTR_HANDLE_VkEvent, act->handle);

  if (event == NULL)
    return;
  if (act->kind == ACT_SET)
    event->info.event.set = true; /* behind what waits already */
  else if (act->kind == ACT_RESET)
    vtr_events_note (vk, event, false);
  else if (!event->info.event.set)
    vtr_sync_block (vk, event, event->info.event.n_resets);
}

static void
run_acts (VtrReplayVk *vk,
          uint64_t     commands,
          bool         secondary)
{
  const VtrReplayObject *object = vtr_objects_find (vk, VTR_HANDLE_VkCommandBuffer, commands);
  const VtrEventActs *acts = object != NULL ? object->info.commands.acts : NULL;

  for (size_t i = 0; acts != NULL && i < acts->n; i++)
    if (acts->acts[i].kind != ACT_EXECUTE)
      run_act (vk, &acts->acts[i]);
    else if (!secondary)
      run_acts (vk, acts->acts[i].handle, true);
}

void
vtr_events_submitted (VtrReplayVk     *vk,
                      VkCommandBuffer  commands)
{
  if (vk->has_events)
    run_acts (vk, VTR_HANDLE_BITS (commands), false);
}

/* --- The host -------------------------------------------------------------------------------- */

VkResult
vtr_override_vkCreateEvent (VtrReplayVk                 *vk,
                            VkDevice                     device,
                            const VkEventCreateInfo     *pCreateInfo,
                            const VkAllocationCallbacks *pAllocator,
                            VkEvent                     *pEvent)
{
  VtrTable *table = vtr_device_table (vk, device);
  VkResult result;

  (void)pAllocator;
  if (table == NULL || vtr_replay_vk_output (vk, pEvent, sizeof *pEvent) == NULL)
    return VK_ERROR_DEVICE_LOST;
  result = VTR_CALL (vk, table, vkCreateEvent) (device, pCreateInfo, NULL, pEvent);
  if (result < 0)
    return result;
  vtr_objects_created (vk, VTR_HANDLE_VkEvent, VTR_HANDLE_BITS (*pEvent), VTR_HANDLE_BITS (device),
                       0);
  vk->has_events = true;
  return result;
}

static void
note_host (VtrReplayVk *vk,
           VkEvent      event,
           bool         set)
{
  VtrReplayObject *object = vtr_objects_find (vk, VTR_HANDLE_VkEvent, VTR_HANDLE_BITS (event));

  if (object != NULL)
    vtr_events_note (vk, object, set);
}

VkResult
vtr_override_vkSetEvent (VtrReplayVk *vk,
                         VkDevice     device,
                         VkEvent      event)
{
  VtrTable *table = vtr_device_table (vk, device);
  VkResult result;

  if (table == NULL)
    return VK_ERROR_DEVICE_LOST;
  result = VTR_CALL (vk, table, vkSetEvent) (device, event);
  if (result >= 0)
    note_host (vk, event, true);
  return result;
}

VkResult
vtr_override_vkResetEvent (VtrReplayVk *vk,
                           VkDevice     device,
                           VkEvent      event)
{
  VtrTable *table = vtr_device_table (vk, device);
  VkResult result;

  if (table == NULL)
    return VK_ERROR_DEVICE_LOST;
  result = VTR_CALL (vk, table, vkResetEvent) (device, event);
  if (result >= 0)
    note_host (vk, event, false);
  return result;
}
