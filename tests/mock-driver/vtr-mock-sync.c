/* Implements submissions and waits. A submission is done when everything that it waits for is
 * signalled, usually inside the call that makes it. */
#include "vtr-mock.h"

#include <stdlib.h>

typedef struct
{
  MockObject *object;
  uint64_t value;
} Point;

typedef struct Pending
{
  struct Pending *next;
  MockObject *device;
  MockObject *queue;
  MockObject *fence;
  uint32_t n_waits, n_signals, n_commands;
  Point *waits, *signals;
  MockObject **commands;
} Pending;

static Pending *pending;

/* --- Submissions ----------------------------------------------------------------------------- */

static bool
is_reached (const Point *point)
{
  return point->object == NULL || (point->object->u.sync.timeline
                                     ? point->object->u.sync.value >= point->value
                                     : point->object->u.sync.signaled);
}

static void
execute (Pending *self)
{
  for (uint32_t i = 0; i < self->n_waits; i++)
    if (self->waits[i].object != NULL && !self->waits[i].object->u.sync.timeline)
      self->waits[i].object->u.sync.signaled = false;
  for (uint32_t i = 0; i < self->n_commands; i++)
    for (uint32_t j = 0; j < self->commands[i]->u.recording.n_events; j++)
      self->commands[i]->u.recording.events[j]->u.sync.signaled =
        self->commands[i]->u.recording.set[j];
  for (uint32_t i = 0; i < self->n_signals; i++)
    if (self->signals[i].object != NULL)
      {
        self->signals[i].object->u.sync.signaled = true;
        self->signals[i].object->u.sync.value = self->signals[i].value;
      }
  if (self->fence != NULL)
    self->fence->u.sync.signaled = true;
}

/* With the lock: whatever can be done now, in the order of each queue. */
static void
progress (void)
{
  bool done;

  do
    {
      done = false;
      for (Pending **at = &pending; *at != NULL && !done; at = &(*at)->next)
        {
          Pending *self = *at;
          bool ready = true;

          for (const Pending *before = pending; before != self; before = before->next)
            ready &= before->queue != self->queue;
          for (uint32_t i = 0; i < self->n_waits; i++)
            ready &= is_reached (&self->waits[i]);
          if (!ready)
            continue;
          execute (self);
          *at = self->next;
          free (self->waits);
          free (self->signals);
          free (self->commands);
          free (self);
          done = true;
          break;
        }
    }
  while (done);
  mock_wake ();
}

static Pending *
new_pending (VkQueue  queue,
             uint32_t n_waits,
             uint32_t n_signals,
             uint32_t n_commands)
{
  Pending *self = calloc (1, sizeof *self);

  self->queue = (MockObject *)queue;
  self->device = mock_owner (queue);
  self->n_waits = n_waits;
  self->n_signals = n_signals;
  self->n_commands = n_commands;
  self->waits = calloc (n_waits + 1, sizeof *self->waits);
  self->signals = calloc (n_signals + 1, sizeof *self->signals);
  self->commands = calloc (n_commands + 1, sizeof (MockObject *));
  return self;
}

static void
append (Pending *self)
{
  Pending **at = &pending;

  while (*at != NULL)
    at = &(*at)->next;
  *at = self;
}

static Point
point (VkQueue     queue,
       VkSemaphore semaphore,
       uint64_t    value)
{
  return (Point){ mock_find (queue, VK_OBJECT_TYPE_SEMAPHORE, (uint64_t)semaphore), value };
}

static void
finish (VkQueue queue,
        VkFence fence)
{
  if (fence != VK_NULL_HANDLE)
    {
      Pending *last = new_pending (queue, 0, 0, 0);

      last->fence = mock_find (queue, VK_OBJECT_TYPE_FENCE, (uint64_t)fence);
      append (last);
    }
  progress ();
  mock_unlock ();
}

static const VkTimelineSemaphoreSubmitInfo *
timeline_of (const void *chain)
{
  for (const VkBaseInStructure *link = chain; link != NULL; link = link->pNext)
    if (link->sType == VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO)
      return (const void *)link;
  return NULL;
}

static void
submit_points (VkQueue            queue,
               const void        *chain,
               uint32_t           n_waits,
               const VkSemaphore *waits,
               uint32_t           n_signals,
               const VkSemaphore *signals,
               Pending           *self)
{
  const VkTimelineSemaphoreSubmitInfo *timeline = timeline_of (chain);

  for (uint32_t i = 0; i < n_waits; i++)
    self->waits[i] = point (queue, waits[i],
                            timeline != NULL && i < timeline->waitSemaphoreValueCount
                              ? timeline->pWaitSemaphoreValues[i]
                              : 0);
  for (uint32_t i = 0; i < n_signals; i++)
    self->signals[i] = point (queue, signals[i],
                              timeline != NULL && i < timeline->signalSemaphoreValueCount
                                ? timeline->pSignalSemaphoreValues[i]
                                : 0);
}

VkResult
mock_do_vkQueueSubmit (VkQueue             queue,
                       uint32_t            n,
                       const VkSubmitInfo *infos,
                       VkFence             fence)
{
  mock_lock ();
  for (uint32_t i = 0; i < n; i++)
    {
      const VkSubmitInfo *info = &infos[i];
      Pending *self = new_pending (queue, info->waitSemaphoreCount, info->signalSemaphoreCount,
                                   info->commandBufferCount);

      submit_points (queue, info->pNext, info->waitSemaphoreCount, info->pWaitSemaphores,
                     info->signalSemaphoreCount, info->pSignalSemaphores, self);
      for (uint32_t j = 0; j < info->commandBufferCount; j++)
        self->commands[j] = (MockObject *)info->pCommandBuffers[j];
      append (self);
    }
  finish (queue, fence);
  return VK_SUCCESS;
}

VkResult
mock_do_vkQueueSubmit2 (VkQueue              queue,
                        uint32_t             n,
                        const VkSubmitInfo2 *infos,
                        VkFence              fence)
{
  mock_lock ();
  for (uint32_t i = 0; i < n; i++)
    {
      const VkSubmitInfo2 *info = &infos[i];
      Pending *self = new_pending (queue, info->waitSemaphoreInfoCount,
                                   info->signalSemaphoreInfoCount, info->commandBufferInfoCount);

      for (uint32_t j = 0; j < info->waitSemaphoreInfoCount; j++)
        self->waits[j] = point (queue, info->pWaitSemaphoreInfos[j].semaphore,
                                info->pWaitSemaphoreInfos[j].value);
      for (uint32_t j = 0; j < info->signalSemaphoreInfoCount; j++)
        self->signals[j] = point (queue, info->pSignalSemaphoreInfos[j].semaphore,
                                  info->pSignalSemaphoreInfos[j].value);
      for (uint32_t j = 0; j < info->commandBufferInfoCount; j++)
        self->commands[j] = (MockObject *)info->pCommandBufferInfos[j].commandBuffer;
      append (self);
    }
  finish (queue, fence);
  return VK_SUCCESS;
}

VkResult
mock_do_vkQueueBindSparse (VkQueue                 queue,
                           uint32_t                n,
                           const VkBindSparseInfo *infos,
                           VkFence                 fence)
{
  mock_lock ();
  for (uint32_t i = 0; i < n; i++)
    {
      const VkBindSparseInfo *info = &infos[i];
      Pending *self =
        new_pending (queue, info->waitSemaphoreCount, info->signalSemaphoreCount, 0);

      submit_points (queue, info->pNext, info->waitSemaphoreCount, info->pWaitSemaphores,
                     info->signalSemaphoreCount, info->pSignalSemaphores, self);
      append (self);
    }
  finish (queue, fence);
  return VK_SUCCESS;
}

static VkResult
wait_idle (const MockObject *device,
           const MockObject *queue)
{
  const uint64_t deadline = mock_deadline (UINT64_C (5) * 1000000000);
  bool busy;

  mock_lock ();
  do
    {
      busy = false;
      for (const Pending *at = pending; at != NULL; at = at->next)
        busy |= at->device == device && (queue == NULL || at->queue == queue);
    }
  while (busy && !device->lost && mock_wait_change (deadline));
  mock_unlock ();
  return device->lost ? VK_ERROR_DEVICE_LOST : VK_SUCCESS;
}

VkResult
mock_do_vkQueueWaitIdle (VkQueue queue)
{
  return wait_idle (mock_owner (queue), (MockObject *)queue);
}

VkResult
mock_do_vkDeviceWaitIdle (VkDevice device)
{
  return wait_idle ((MockObject *)device, NULL);
}

/* --- Fences ---------------------------------------------------------------------------------- */

VkResult
mock_do_vkCreateFence (VkDevice                     device,
                       const VkFenceCreateInfo     *info,
                       const VkAllocationCallbacks *allocator,
                       VkFence                     *out)
{
  MockObject *fence = mock_new_object (mock_owner (device), VK_OBJECT_TYPE_FENCE, NULL);

  fence->u.sync.signaled = (info->flags & VK_FENCE_CREATE_SIGNALED_BIT) != 0;
  *out = (VkFence)fence->value;
  return VK_SUCCESS;
}

VkResult
mock_do_vkResetFences (VkDevice       device,
                       uint32_t       n,
                       const VkFence *fences)
{
  mock_lock ();
  for (uint32_t i = 0; i < n; i++)
    {
      MockObject *fence = mock_find (device, VK_OBJECT_TYPE_FENCE, (uint64_t)fences[i]);

      if (fence != NULL)
        fence->u.sync.signaled = false;
    }
  mock_unlock ();
  return VK_SUCCESS;
}

static bool
is_signaled (const void *device,
             uint32_t    type,
             uint64_t    value)
{
  MockObject *object = mock_find (device, type, value);

  return object == NULL || object->u.sync.signaled;
}

VkResult
mock_do_vkGetFenceStatus (VkDevice device,
                          VkFence  fence)
{
  return is_signaled (device, VK_OBJECT_TYPE_FENCE, (uint64_t)fence) ? VK_SUCCESS : VK_NOT_READY;
}

VkResult
mock_do_vkWaitForFences (VkDevice       device,
                         uint32_t       n,
                         const VkFence *fences,
                         VkBool32       all,
                         uint64_t       timeout)
{
  const uint64_t deadline = mock_deadline (timeout);
  VkResult result = VK_SUCCESS;

  mock_lock ();
  for (;;)
    {
      uint32_t n_signaled = 0;

      for (uint32_t i = 0; i < n; i++)
        n_signaled += is_signaled (device, VK_OBJECT_TYPE_FENCE, (uint64_t)fences[i]);
      if (n_signaled == n || (!all && n_signaled > 0))
        break;
      if (!mock_wait_change (deadline))
        {
          result = VK_TIMEOUT;
          break;
        }
    }
  mock_unlock ();
  return result;
}

/* --- Semaphores ------------------------------------------------------------------------------ */

VkResult
mock_do_vkCreateSemaphore (VkDevice                     device,
                           const VkSemaphoreCreateInfo *info,
                           const VkAllocationCallbacks *allocator,
                           VkSemaphore                 *out)
{
  MockObject *semaphore = mock_new_object (mock_owner (device), VK_OBJECT_TYPE_SEMAPHORE, NULL);

  for (const VkBaseInStructure *link = info->pNext; link != NULL; link = link->pNext)
    if (link->sType == VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO)
      {
        const VkSemaphoreTypeCreateInfo *type = (const void *)link;

        semaphore->u.sync.timeline = type->semaphoreType == VK_SEMAPHORE_TYPE_TIMELINE;
        semaphore->u.sync.value = type->initialValue;
      }
  *out = (VkSemaphore)semaphore->value;
  return VK_SUCCESS;
}

VkResult
mock_do_vkGetSemaphoreCounterValue (VkDevice     device,
                                    VkSemaphore  handle,
                                    uint64_t    *out)
{
  MockObject *semaphore = mock_find (device, VK_OBJECT_TYPE_SEMAPHORE, (uint64_t)handle);

  *out = semaphore == NULL ? 0 : semaphore->u.sync.value;
  return VK_SUCCESS;
}

VkResult
mock_do_vkSignalSemaphore (VkDevice                     device,
                           const VkSemaphoreSignalInfo *info)
{
  MockObject *semaphore = mock_find (device, VK_OBJECT_TYPE_SEMAPHORE, (uint64_t)info->semaphore);

  mock_lock ();
  if (semaphore != NULL)
    semaphore->u.sync.value = info->value;
  progress ();
  mock_unlock ();
  return VK_SUCCESS;
}

VkResult
mock_do_vkWaitSemaphores (VkDevice                   device,
                          const VkSemaphoreWaitInfo *info,
                          uint64_t                   timeout)
{
  const uint64_t deadline = mock_deadline (timeout);
  VkResult result = VK_SUCCESS;

  mock_lock ();
  for (;;)
    {
      uint32_t n_reached = 0;

      for (uint32_t i = 0; i < info->semaphoreCount; i++)
        {
          MockObject *semaphore =
            mock_find (device, VK_OBJECT_TYPE_SEMAPHORE, (uint64_t)info->pSemaphores[i]);

          n_reached += semaphore == NULL || semaphore->u.sync.value >= info->pValues[i];
        }
      if (n_reached == info->semaphoreCount ||
          ((info->flags & VK_SEMAPHORE_WAIT_ANY_BIT) != 0 && n_reached > 0))
        break;
      if (!mock_wait_change (deadline))
        {
          result = VK_TIMEOUT;
          break;
        }
    }
  mock_unlock ();
  return result;
}

/* --- Events ---------------------------------------------------------------------------------- */

static VkResult
set_event (VkDevice device,
           VkEvent  handle,
           bool     set)
{
  MockObject *event = mock_find (device, VK_OBJECT_TYPE_EVENT, (uint64_t)handle);

  if (event != NULL)
    event->u.sync.signaled = set;
  return VK_SUCCESS;
}

VkResult
mock_do_vkSetEvent (VkDevice device,
                    VkEvent  event)
{
  return set_event (device, event, true);
}

VkResult
mock_do_vkResetEvent (VkDevice device,
                      VkEvent  event)
{
  return set_event (device, event, false);
}

VkResult
mock_do_vkGetEventStatus (VkDevice device,
                          VkEvent  event)
{
  bool set = is_signaled (device, VK_OBJECT_TYPE_EVENT, (uint64_t)event);

  return set ? VK_EVENT_SET : VK_EVENT_RESET;
}
