/* Applies the use of fences, semaphores, events and queries by the program to the state. */
#include "engine/vulkan/state/vtr-state-mutator.h"

#include "api/vtr-api-args.h"

#include <glib/gi18n.h>

/* Work remembered as pending on one queue. Programs that only ever wait by other means get
 * there. */
#define MAX_PENDING 4096

#define ARGS(name) const VtrArgs_##name *args = self->command.args

static guint32
now (VtrMutator *self)
{
  return (guint32)self->command.index;
}

/* --- What is done --- */

static void
retire_object (VtrMutator *self,
               guint32     id)
{
  const VtrStateRecord *record = vtr_api_state_peek (self->state, id);

  if (record == NULL)
    return;
  if (record->type == VTR_HANDLE_VkFence)
    {
      if (((const VtrStateFence *)record)->status == VTR_FENCE_PENDING)
        ((VtrStateFence *)vtr_mutator_edit_id (self, id))->status = VTR_FENCE_SIGNALED;
    }
  else if (record->type == VTR_HANDLE_VkCommandBuffer &&
           ((const VtrStateCommandBuffer *)record)->status == VTR_BUFFER_PENDING)
    {
      VtrStateCommandBuffer *buffer = vtr_mutator_edit_id (self, id);

      buffer->status = (buffer->usage & VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT) != 0
                         ? VTR_BUFFER_INVALID
                         : VTR_BUFFER_EXECUTABLE;
    }
}

/* The program knows now that @queue (object id) is done with @submit and what came before. */
static void
retire (VtrMutator *self,
        guint32     queue_id,
        guint32     submit)
{
  const VtrStateQueue *queue =
    (const VtrStateQueue *)(gconstpointer)vtr_api_state_peek (self->state, queue_id);
  GArray *pending;
  guint kept = 0;

  if (queue == NULL || queue->pending == NULL || queue->pending->len == 0 ||
      g_array_index (queue->pending, VtrPendingObject, 0).submit > submit)
    return;
  pending = ((VtrStateQueue *)vtr_mutator_edit_id (self, queue_id))->pending;
  for (guint i = 0; i < pending->len; i++)
    {
      VtrPendingObject at = g_array_index (pending, VtrPendingObject, i);

      if (at.submit <= submit)
        retire_object (self, at.object);
      else
        g_array_index (pending, VtrPendingObject, kept++) = at;
    }
  g_array_set_size (pending, kept);
}

void
vtr_mutator_add_pending (VtrMutator *self,
                         guint32     queue_id,
                         guint32     object)
{
  VtrStateQueue *queue = vtr_mutator_edit_id (self, queue_id);
  VtrPendingObject entry = { object, now (self) };

  if (queue == NULL)
    return;
  if (queue->pending == NULL)
    queue->pending = g_array_new (FALSE, FALSE, sizeof (VtrPendingObject));
  if (queue->pending->len >= MAX_PENDING)
    g_array_remove_range (queue->pending, 0, MAX_PENDING / 2);
  g_array_append_val (queue->pending, entry);
}

/* --- Fences --- */

void
vtr_mutator_use_fence (VtrMutator *self,
                       VkFence     handle,
                       guint32     queue)
{
  guint32 id = vtr_mutator_find (self, VTR_HANDLE_VkFence, (guint64)handle);
  VtrStateFence *fence = vtr_mutator_edit_id (self, id);

  if (fence == NULL)
    return;
  fence->status = VTR_FENCE_PENDING;
  fence->queue = queue;
  fence->command = now (self);
  if (queue != 0)
    vtr_mutator_add_pending (self, queue, id);
}

static void
fence_is_signaled (VtrMutator *self,
                   VkFence     handle)
{
  guint32 id = vtr_mutator_find (self, VTR_HANDLE_VkFence, (guint64)handle);
  const VtrStateFence *known =
    (const VtrStateFence *)(gconstpointer)vtr_api_state_peek (self->state, id);
  guint32 queue, submit;

  if (known == NULL || known->status == VTR_FENCE_SIGNALED)
    return;
  queue = known->queue;
  submit = known->command;
  ((VtrStateFence *)vtr_mutator_edit_id (self, id))->status = VTR_FENCE_SIGNALED;
  if (queue != 0)
    retire (self, queue, submit);
}

static void
reset_fence (VtrMutator *self,
             VkFence     handle)
{
  VtrStateFence *fence = vtr_mutator_edit (self, VTR_HANDLE_VkFence, (guint64)handle);

  if (fence == NULL)
    return;
  fence->status = VTR_FENCE_UNSIGNALED;
  fence->queue = fence->command = 0;
}

static void
wait_device (VtrMutator *self,
             VkDevice    handle)
{
  guint32 id = vtr_mutator_find (self, VTR_HANDLE_VkDevice, (guint64)(guintptr)handle), n = 0;
  const guint32 *children = vtr_state_shared_get_children (self->shared, id, &n);

  if (id == 0)
    return;
  for (guint32 i = 0; i < n; i++)
    {
      const VtrObject *child = vtr_history_get_object (self->shared->history, children[i]);

      if (child->created > self->command.index)
        break;
      if (child->type == VTR_HANDLE_VkQueue)
        retire (self, child->id, G_MAXUINT32);
    }
}

static gboolean
apply_fences (VtrMutator *self)
{
  gboolean success = !self->command.has_result || self->command.result == 0;

  switch (self->command.id)
    {
    case VTR_CMD_vkWaitForFences:
      {
        ARGS (vkWaitForFences);
        /* Any one of several may have been signalled. */
        for (guint32 i = 0; success && (args->waitAll || args->fenceCount == 1) &&
                            i < args->fenceCount && args->pFences != NULL;
             i++)
          fence_is_signaled (self, args->pFences[i]);
        return TRUE;
      }
    case VTR_CMD_vkGetFenceStatus:
      if (success)
        fence_is_signaled (self, ((const VtrArgs_vkGetFenceStatus *)self->command.args)->fence);
      return TRUE;
    case VTR_CMD_vkResetFences:
      {
        ARGS (vkResetFences);
        for (guint32 i = 0; i < args->fenceCount && args->pFences != NULL; i++)
          reset_fence (self, args->pFences[i]);
        return TRUE;
      }
    case VTR_CMD_vkQueueWaitIdle:
      {
        ARGS (vkQueueWaitIdle);
        if (success)
          retire (
            self, vtr_mutator_find (self, VTR_HANDLE_VkQueue, (guint64)(guintptr)args->queue),
            G_MAXUINT32);
        return TRUE;
      }
    case VTR_CMD_vkDeviceWaitIdle:
      if (success)
        wait_device (self, ((const VtrArgs_vkDeviceWaitIdle *)self->command.args)->device);
      return TRUE;
    default:
      return FALSE;
    }
}

/* --- Semaphores --- */

void
vtr_mutator_wait_semaphore (VtrMutator  *self,
                            VkSemaphore  handle,
                            guint64      value)
{
  guint32 id = vtr_mutator_find (self, VTR_HANDLE_VkSemaphore, (guint64)handle);
  VtrStateSemaphore *semaphore = vtr_mutator_edit_id (self, id);

  if (semaphore == NULL)
    return;
  if (!semaphore->timeline && !semaphore->signaled && !semaphore->imported)
    {
      g_autofree char *name = vtr_mutator_describe (self, id);

      vtr_mutator_say (self, VTR_STATE_ERROR, self->command.index, "semaphore",
                       _ ("It waits for %s, which nothing before it signals."), name);
    }
  if (semaphore->timeline && value > semaphore->queued)
    self->unordered = TRUE;
  semaphore->signaled = FALSE;
  semaphore->waited_by = now (self);
}

void
vtr_mutator_signal_semaphore (VtrMutator  *self,
                              VkSemaphore  handle,
                              guint64      value,
                              guint32      queue)
{
  VtrStateSemaphore *semaphore = vtr_mutator_edit (self, VTR_HANDLE_VkSemaphore, (guint64)handle);
  VtrQueuedSignal signal = { value, queue, now (self) };

  if (semaphore == NULL)
    return;
  semaphore->signaled_by = now (self);
  if (!semaphore->timeline)
    {
      semaphore->signaled = TRUE;
      return;
    }
  semaphore->queued = MAX (semaphore->queued, value);
  if (queue == 0)
    return;
  if (semaphore->signals == NULL)
    semaphore->signals = g_array_new (FALSE, FALSE, sizeof (VtrQueuedSignal));
  if (semaphore->signals->len >= MAX_PENDING)
    g_array_remove_range (semaphore->signals, 0, MAX_PENDING / 2);
  g_array_append_val (semaphore->signals, signal);
}

/* The program knows that a timeline semaphore has reached @value, hence what signalled it is
 * done. */
static void
semaphore_has_reached (VtrMutator  *self,
                       VkSemaphore  handle,
                       guint64      value)
{
  guint32 id = vtr_mutator_find (self, VTR_HANDLE_VkSemaphore, (guint64)handle);
  VtrStateSemaphore *semaphore = vtr_mutator_edit_id (self, id);
  guint kept = 0;

  if (semaphore == NULL || !semaphore->timeline)
    return;
  semaphore->value = MAX (semaphore->value, value);
  semaphore->queued = MAX (semaphore->queued, value);
  if (semaphore->signals == NULL)
    return;
  for (guint i = 0; i < semaphore->signals->len; i++)
    {
      VtrQueuedSignal at = g_array_index (semaphore->signals, VtrQueuedSignal, i);

      if (at.value <= value)
        retire (self, at.queue, at.submit);
      else
        g_array_index (semaphore->signals, VtrQueuedSignal, kept++) = at;
    }
  g_array_set_size (semaphore->signals, kept);
}

static void
semaphore_comes_from_elsewhere (VtrMutator *self)
{
  ARGS (vkImportSemaphoreFdKHR);
  VtrStateSemaphore *semaphore;

  if (args->pImportSemaphoreFdInfo == NULL)
    return;
  semaphore = vtr_mutator_edit (self, VTR_HANDLE_VkSemaphore,
                                (guint64)args->pImportSemaphoreFdInfo->semaphore);
  if (semaphore != NULL)
    semaphore->imported = TRUE;
}

/* Copying the payload out resets it. */
static void
semaphore_is_exported (VtrMutator *self)
{
  ARGS (vkGetSemaphoreFdKHR);
  VtrStateSemaphore *semaphore;

  if (args->pGetFdInfo == NULL ||
      args->pGetFdInfo->handleType != VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT)
    return;
  semaphore =
    vtr_mutator_edit (self, VTR_HANDLE_VkSemaphore, (guint64)args->pGetFdInfo->semaphore);
  if (semaphore != NULL)
    semaphore->signaled = FALSE;
}

static gboolean
apply_semaphores (VtrMutator *self)
{
  gboolean success = !self->command.has_result || self->command.result == 0;

  switch (self->command.id)
    {
    case VTR_CMD_vkSignalSemaphore:
      {
        ARGS (vkSignalSemaphore);
        if (success && args->pSignalInfo != NULL)
          {
            vtr_mutator_signal_semaphore (self, args->pSignalInfo->semaphore,
                                          args->pSignalInfo->value, 0);
            semaphore_has_reached (self, args->pSignalInfo->semaphore, args->pSignalInfo->value);
          }
        return TRUE;
      }
    case VTR_CMD_vkWaitSemaphores:
      {
        ARGS (vkWaitSemaphores);
        const VkSemaphoreWaitInfo *info = args->pWaitInfo;

        if (!success || info == NULL || info->pSemaphores == NULL || info->pValues == NULL ||
            ((info->flags & VK_SEMAPHORE_WAIT_ANY_BIT) != 0 && info->semaphoreCount != 1))
          return TRUE;
        for (guint32 i = 0; i < info->semaphoreCount; i++)
          semaphore_has_reached (self, info->pSemaphores[i], info->pValues[i]);
        return TRUE;
      }
    case VTR_CMD_vkGetSemaphoreCounterValue:
      {
        ARGS (vkGetSemaphoreCounterValue);
        if (success && args->pValue != NULL)
          semaphore_has_reached (self, args->semaphore, *args->pValue);
        return TRUE;
      }
    case VTR_CMD_vkImportSemaphoreFdKHR:
      if (success)
        semaphore_comes_from_elsewhere (self);
      return TRUE;
    case VTR_CMD_vkGetSemaphoreFdKHR:
      if (success)
        semaphore_is_exported (self);
      return TRUE;
    default:
      return FALSE;
    }
}

/* --- Events and queries --- */

static void
set_event (VtrMutator *self,
           VkEvent     handle,
           gboolean    set)
{
  VtrStateEvent *event = vtr_mutator_edit (self, VTR_HANDLE_VkEvent, (guint64)handle);

  if (event == NULL)
    return;
  event->set = set;
  event->by_host = TRUE;
  event->stages = 0;
}

static void
reset_queries (VtrMutator *self)
{
  ARGS (vkResetQueryPool);
  VtrStateQueryPool *pool =
    vtr_mutator_edit (self, VTR_HANDLE_VkQueryPool, (guint64)args->queryPool);

  if (pool == NULL)
    return;
  if ((guint64)args->firstQuery + args->queryCount > pool->n)
    vtr_mutator_say (self, VTR_STATE_ERROR, self->command.index, "query",
                     _ ("Queries %u to %u are not all in the pool, which has %u."),
                     args->firstQuery, args->firstQuery + args->queryCount - 1, pool->n);
  for (guint32 i = 0; i < args->queryCount && (guint64)args->firstQuery + i < pool->n; i++)
    pool->queries[args->firstQuery + i] = (VtrStateQuery){ VTR_QUERY_RESET, now (self) };
}

static gboolean
apply_events (VtrMutator *self)
{
  switch (self->command.id)
    {
    case VTR_CMD_vkSetEvent:
      set_event (self, ((const VtrArgs_vkSetEvent *)self->command.args)->event, TRUE);
      return TRUE;
    case VTR_CMD_vkResetEvent:
      set_event (self, ((const VtrArgs_vkResetEvent *)self->command.args)->event, FALSE);
      return TRUE;
    case VTR_CMD_vkResetQueryPool:
      reset_queries (self);
      return TRUE;
    default:
      return FALSE;
    }
}

gboolean
vtr_mutator_apply_sync (VtrMutator *self)
{
  return apply_fences (self) || apply_semaphores (self) || apply_events (self);
}
