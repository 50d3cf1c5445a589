#include "engine/transforms/vtr-pending.h"

#include "vtr-api-args.h"

#define KEY(handle) ((gpointer)(gsize)(handle))
#define VALUE(handle) ((guint64)(gsize)(handle))

void
vtr_pending_init (VtrPending     *self,
                  VtrPendingDone  done,
                  gpointer        user_data)
{
  self->submissions = g_ptr_array_new_with_free_func (g_free);
  self->acquires = g_hash_table_new (NULL, NULL);
  self->done = done;
  self->user_data = user_data;
}

void
vtr_pending_finish (VtrPending *self)
{
  g_clear_pointer (&self->submissions, g_ptr_array_unref);
  g_clear_pointer (&self->acquires, g_hash_table_unref);
}

void
vtr_pending_add (VtrPending *self,
                 VkQueue     queue,
                 VkFence     fence,
                 gpointer    data)
{
  const VtrPendingSubmission submission = { VALUE (queue), VALUE (fence), data };

  g_hash_table_remove (self->acquires, KEY (fence));
  if (data != NULL || (fence != VK_NULL_HANDLE && self->submissions->len > 0))
    g_ptr_array_add (self->submissions, g_memdup2 (&submission, sizeof submission));
}

static void
drop (VtrPending *self,
      guint       nth)
{
  gpointer data = vtr_pending_get (self, nth);

  if (data != NULL)
    self->done (data, self->user_data);
  g_ptr_array_remove_index (self->submissions, nth);
}

static void
drop_all (VtrPending *self)
{
  while (self->submissions->len > 0)
    drop (self, 0);
}

/* The last submission that matches is done, and with it all earlier ones of its queue. @queue 0:
 * any queue; @fence 0: any. */
static void
drop_up_to (VtrPending *self,
            guint64     queue,
            guint64     fence)
{
  for (guint i = self->submissions->len; i > 0; i--)
    {
      const VtrPendingSubmission *last = g_ptr_array_index (self->submissions, i - 1);
      const guint64 its_queue = last->queue;

      if ((queue != 0 && its_queue != queue) || (fence != 0 && last->fence != fence))
        continue;
      for (guint j = i; j > 0; j--)
        if (((const VtrPendingSubmission *)g_ptr_array_index (self->submissions, j - 1))->queue ==
            its_queue)
          drop (self, j - 1);
      return;
    }
}

/* @fence is signalled. One that an acquire was given tells that a present is done, and with it some
 * submission: which, is not followed, and all count as done then. */
static void
fence_done (VtrPending *self,
            VkFence     fence)
{
  if (g_hash_table_contains (self->acquires, KEY (fence)))
    drop_all (self);
  else
    drop_up_to (self, 0, VALUE (fence));
}

static void
note_acquire (VtrPending *self,
              VkFence     fence)
{
  g_hash_table_add (self->acquires, KEY (fence));
}

gboolean
vtr_pending_wants (VtrCmdId id)
{
  switch (vtr_cmd_canonical (id))
    {
    case VTR_CMD_vkGetEventStatus:
    case VTR_CMD_vkDeviceWaitIdle:
    case VTR_CMD_vkWaitSemaphores:
    case VTR_CMD_vkGetSemaphoreCounterValue:
    case VTR_CMD_vkGetQueryPoolResults:
    case VTR_CMD_vkWaitForPresentKHR:
    case VTR_CMD_vkQueueWaitIdle:
    case VTR_CMD_vkGetFenceStatus:
    case VTR_CMD_vkWaitForFences:
    case VTR_CMD_vkAcquireNextImageKHR:
    case VTR_CMD_vkAcquireNextImage2KHR:
      return TRUE;
    default:
      return FALSE;
    }
}

void
vtr_pending_note (VtrPending       *self,
                  const VtrCommand *command)
{
  const gint32 result = command->has_result ? (gint32)command->result : VK_SUCCESS;

  switch (vtr_cmd_canonical (command->id))
    {
    case VTR_CMD_vkGetEventStatus:
      if (result == VK_EVENT_SET)
        drop_all (self);
      break;
    case VTR_CMD_vkDeviceWaitIdle:
    case VTR_CMD_vkWaitSemaphores:
    case VTR_CMD_vkGetSemaphoreCounterValue:
    case VTR_CMD_vkGetQueryPoolResults:
    case VTR_CMD_vkWaitForPresentKHR:
      if (result == VK_SUCCESS)
        drop_all (self);
      break;
    case VTR_CMD_vkQueueWaitIdle:
      if (result == VK_SUCCESS)
        drop_up_to (self, VALUE (((const VtrArgs_vkQueueWaitIdle *)command->args)->queue), 0);
      break;
    case VTR_CMD_vkGetFenceStatus:
      if (result == VK_SUCCESS)
        fence_done (self, ((const VtrArgs_vkGetFenceStatus *)command->args)->fence);
      break;
    case VTR_CMD_vkWaitForFences:
      {
        const VtrArgs_vkWaitForFences *a = command->args;

        for (guint32 i = 0; result == VK_SUCCESS && a->pFences != NULL && i < a->fenceCount; i++)
          fence_done (self, a->pFences[i]);
        break;
      }
    case VTR_CMD_vkAcquireNextImageKHR:
      note_acquire (self, ((const VtrArgs_vkAcquireNextImageKHR *)command->args)->fence);
      break;
    case VTR_CMD_vkAcquireNextImage2KHR:
      {
        const VtrArgs_vkAcquireNextImage2KHR *a = command->args;

        if (a->pAcquireInfo != NULL)
          note_acquire (self, a->pAcquireInfo->fence);
        break;
      }
    default:
      break;
    }
}

void
vtr_pending_copy (VtrPending *self,
                  const VtrPending *other,
                  gpointer (*copy) (gpointer data))
{
  GHashTableIter iter;
  gpointer key;

  g_hash_table_iter_init (&iter, other->acquires);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    g_hash_table_add (self->acquires, key);
  for (guint i = 0; i < other->submissions->len; i++)
    {
      VtrPendingSubmission *known = g_memdup2 (g_ptr_array_index (other->submissions, i),
                                               sizeof (VtrPendingSubmission));

      if (known->data != NULL)
        known->data = copy (known->data);
      g_ptr_array_add (self->submissions, known);
    }
}
