#include "engine/transforms/vtr-pending.h"

#include "api/vtr-api-walk.h"
#include "vtr-api-args.h"

#include <string.h>

#define KEY(handle) ((gpointer)(gsize)(handle))
#define VALUE(handle) ((guint64)(gsize)(handle))

/* More would only be searched through: a program that is never told of one does not look. */
#define MOST_SUBMISSIONS 4096

static void
submission_free (gpointer data)
{
  VtrPendingSubmission *submission = data;

  if (submission == NULL)
    return;
  g_clear_pointer (&submission->signals, g_array_unref);
  g_clear_pointer (&submission->waits, g_array_unref);
  g_free (submission);
}

void
vtr_pending_init (VtrPending     *self,
                  VtrPendingDone  done,
                  gpointer        user_data)
{
  self->submissions = g_ptr_array_new_with_free_func (submission_free);
  self->acquires = g_hash_table_new (NULL, NULL);
  self->timelines = g_hash_table_new (NULL, NULL);
  self->serials = g_hash_table_new (NULL, NULL);
  self->host_set = g_hash_table_new (NULL, NULL);
  self->done = done;
  self->user_data = user_data;
}

void
vtr_pending_finish (VtrPending *self)
{
  g_clear_pointer (&self->submissions, g_ptr_array_unref);
  g_clear_pointer (&self->acquires, g_hash_table_unref);
  g_clear_pointer (&self->timelines, g_hash_table_unref);
  g_clear_pointer (&self->serials, g_hash_table_unref);
  g_clear_pointer (&self->host_set, g_hash_table_unref);
}

static VtrPendingSubmission *
get (const VtrPending *self,
     guint             nth)
{
  return g_ptr_array_index (self->submissions, nth);
}

/* --- What is done ----------------------------------------------------------------------------- */

/* Drops what is marked. */
static void
sweep (VtrPending *self)
{
  guint n = 0;

  if (self->submissions->len == 0)
    return;
  for (guint i = 0; i < self->submissions->len; i++)
    {
      VtrPendingSubmission *submission = get (self, i);

      if (!submission->done)
        {
          self->submissions->pdata[n++] = submission;
          continue;
        }
      if (submission->data != NULL)
        self->done (submission->data, self->user_data);
      submission_free (submission);
      self->submissions->pdata[i] = NULL;
    }
  /* What is behind was moved, or is gone. */
  memset (self->submissions->pdata + n, 0, (self->submissions->len - n) * sizeof (gpointer));
  g_ptr_array_set_size (self->submissions, (gint)n);
}

static void mark_signals (VtrPending *self,
                          guint64     semaphore,
                          guint64     value);

/* The @nth is done: with it all earlier ones of its queue, and what they waited for. */
static void
mark (VtrPending *self,
      guint       nth)
{
  const guint64 queue = get (self, nth)->queue;

  for (guint i = nth + 1; i > 0; i--)
    {
      VtrPendingSubmission *submission = get (self, i - 1);

      if (submission->done || submission->queue != queue)
        continue;
      submission->done = TRUE;
      for (guint j = 0; submission->waits != NULL && j < submission->waits->len; j++)
        {
          const VtrPendingPoint *point = &g_array_index (submission->waits, VtrPendingPoint, j);

          mark_signals (self, point->semaphore, point->value);
        }
    }
}

/* The values of a semaphore only grow: whatever was to make it @value or less has done so. */
static void
mark_signals (VtrPending *self,
              guint64     semaphore,
              guint64     value)
{
  for (guint i = self->submissions->len; i > 0; i--)
    {
      const VtrPendingSubmission *submission = get (self, i - 1);

      for (guint j = 0;
           !submission->done && submission->signals != NULL && j < submission->signals->len; j++)
        {
          const VtrPendingPoint *point = &g_array_index (submission->signals, VtrPendingPoint, j);

          if (point->semaphore == semaphore && point->value <= value)
            mark (self, i - 1);
        }
    }
}

static void
drop_all (VtrPending *self)
{
  for (guint i = 0; i < self->submissions->len; i++)
    get (self, i)->done = TRUE;
  sweep (self);
}

/* The last submission that matches is done. @queue 0: any queue; @fence 0: any. */
static void
drop_up_to (VtrPending *self,
            guint64     queue,
            guint64     fence)
{
  for (guint i = self->submissions->len; i > 0; i--)
    {
      const VtrPendingSubmission *last = get (self, i - 1);

      if ((queue != 0 && last->queue != queue) || (fence != 0 && last->fence != fence))
        continue;
      mark (self, i - 1);
      break;
    }
  sweep (self);
}

static void
semaphore_reached (VtrPending  *self,
                   VkSemaphore  semaphore,
                   guint64      value)
{
  mark_signals (self, VALUE (semaphore), value);
  sweep (self);
}

/* --- Submissions ------------------------------------------------------------------------------ */

static void
add_point (GArray      **points,
           VkSemaphore   semaphore,
           guint64       value)
{
  const VtrPendingPoint point = { VALUE (semaphore), value };

  if (*points == NULL)
    *points = g_array_new (FALSE, FALSE, sizeof point);
  g_array_append_val (*points, point);
}

/* @value: of a timeline semaphore. */
static void
add_wait (VtrPending           *self,
          VtrPendingSubmission *submission,
          VkSemaphore           semaphore,
          guint64               value)
{
  if (!g_hash_table_contains (self->timelines, KEY (semaphore)))
    value = VALUE (g_hash_table_lookup (self->serials, KEY (semaphore)));
  add_point (&submission->waits, semaphore, value);
}

static void
add_signal (VtrPending           *self,
            VtrPendingSubmission *submission,
            VkSemaphore           semaphore,
            guint64               value)
{
  if (!g_hash_table_contains (self->timelines, KEY (semaphore)))
    {
      value = VALUE (g_hash_table_lookup (self->serials, KEY (semaphore))) + 1;
      g_hash_table_insert (self->serials, KEY (semaphore), KEY (value));
    }
  add_point (&submission->signals, semaphore, value);
}

/* Takes @submission. */
static void
add (VtrPending           *self,
     VtrPendingSubmission  submission)
{
  g_hash_table_remove (self->acquires, KEY (submission.fence));
  if (self->submissions->len >= MOST_SUBMISSIONS)
    drop_all (self);
  if (submission.data != NULL || self->submissions->len > 0)
    {
      g_ptr_array_add (self->submissions, g_memdup2 (&submission, sizeof submission));
      return;
    }
  g_clear_pointer (&submission.signals, g_array_unref);
  g_clear_pointer (&submission.waits, g_array_unref);
}

static guint64
value_at (const guint64 *values,
          guint32        n,
          guint32        nth)
{
  return values != NULL && nth < n ? values[nth] : 0;
}

void
vtr_pending_add (VtrPending                  *self,
                 const VtrArgs_vkQueueSubmit *args,
                 guint32                      nth,
                 gpointer                     data)
{
  const VkSubmitInfo *batch =
    args->pSubmits != NULL && nth < args->submitCount ? &args->pSubmits[nth] : NULL;
  const VkTimelineSemaphoreSubmitInfo *values =
    batch != NULL
      ? vtr_api_find_next (batch->pNext, VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO)
      : NULL;
  const VkTimelineSemaphoreSubmitInfo none = { 0 };
  VtrPendingSubmission submission = { .queue = VALUE (args->queue), .data = data };

  if (nth + 1 >= args->submitCount)
    submission.fence = VALUE (args->fence);
  if (values == NULL)
    values = &none;
  for (guint32 i = 0;
       batch != NULL && batch->pWaitSemaphores != NULL && i < batch->waitSemaphoreCount; i++)
    add_wait (self, &submission, batch->pWaitSemaphores[i],
              value_at (values->pWaitSemaphoreValues, values->waitSemaphoreValueCount, i));
  for (guint32 i = 0;
       batch != NULL && batch->pSignalSemaphores != NULL && i < batch->signalSemaphoreCount; i++)
    add_signal (self, &submission, batch->pSignalSemaphores[i],
                value_at (values->pSignalSemaphoreValues, values->signalSemaphoreValueCount, i));
  add (self, submission);
}

void
vtr_pending_add2 (VtrPending                   *self,
                  const VtrArgs_vkQueueSubmit2 *args,
                  guint32                       nth,
                  gpointer                      data)
{
  const VkSubmitInfo2 *batch =
    args->pSubmits != NULL && nth < args->submitCount ? &args->pSubmits[nth] : NULL;
  VtrPendingSubmission submission = { .queue = VALUE (args->queue), .data = data };

  if (nth + 1 >= args->submitCount)
    submission.fence = VALUE (args->fence);
  for (guint32 i = 0; batch != NULL && batch->pWaitSemaphoreInfos != NULL &&
                      i < batch->waitSemaphoreInfoCount;
       i++)
    add_wait (self, &submission, batch->pWaitSemaphoreInfos[i].semaphore,
              batch->pWaitSemaphoreInfos[i].value);
  for (guint32 i = 0; batch != NULL && batch->pSignalSemaphoreInfos != NULL &&
                      i < batch->signalSemaphoreInfoCount;
       i++)
    add_signal (self, &submission, batch->pSignalSemaphoreInfos[i].semaphore,
                batch->pSignalSemaphoreInfos[i].value);
  add (self, submission);
}

/* --- What tells ------------------------------------------------------------------------------- */

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
    case VTR_CMD_vkCreateSemaphore:
    case VTR_CMD_vkDestroySemaphore:
    case VTR_CMD_vkSetEvent:
    case VTR_CMD_vkResetEvent:
    case VTR_CMD_vkDestroyEvent:
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

static void
note_creation (VtrPending                      *self,
               const VtrArgs_vkCreateSemaphore *args)
{
  const VkSemaphoreTypeCreateInfo *type =
    args->pCreateInfo != NULL
      ? vtr_api_find_next (args->pCreateInfo->pNext, VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO)
      : NULL;

  if (args->pSemaphore == NULL)
    return;
  if (type != NULL && type->semaphoreType == VK_SEMAPHORE_TYPE_TIMELINE)
    g_hash_table_add (self->timelines, KEY (*args->pSemaphore));
  else
    g_hash_table_remove (self->timelines, KEY (*args->pSemaphore));
}

static void
note_wait (VtrPending                *self,
           const VkSemaphoreWaitInfo *info)
{
  /* Of several, any one: the program asks for values to know which. */
  if (info == NULL || info->pSemaphores == NULL || info->pValues == NULL ||
      ((info->flags & VK_SEMAPHORE_WAIT_ANY_BIT) != 0 && info->semaphoreCount > 1))
    return;
  for (guint32 i = 0; i < info->semaphoreCount; i++)
    semaphore_reached (self, info->pSemaphores[i], info->pValues[i]);
}

void
vtr_pending_note (VtrPending       *self,
                  const VtrCommand *command)
{
  const gint32 result = command->has_result ? (gint32)command->result : VK_SUCCESS;

  switch (vtr_cmd_canonical (command->id))
    {
    case VTR_CMD_vkCreateSemaphore:
      if (result == VK_SUCCESS)
        note_creation (self, command->args);
      break;
    case VTR_CMD_vkDestroySemaphore:
      /* Nobody may use it any more. */
      semaphore_reached (self, ((const VtrArgs_vkDestroySemaphore *)command->args)->semaphore,
                         G_MAXUINT64);
      break;
    case VTR_CMD_vkSetEvent:
      g_hash_table_add (self->host_set, KEY (((const VtrArgs_vkSetEvent *)command->args)->event));
      break;
    case VTR_CMD_vkResetEvent:
      g_hash_table_remove (self->host_set,
                           KEY (((const VtrArgs_vkResetEvent *)command->args)->event));
      break;
    case VTR_CMD_vkDestroyEvent:
      g_hash_table_remove (self->host_set,
                           KEY (((const VtrArgs_vkDestroyEvent *)command->args)->event));
      break;
    case VTR_CMD_vkGetEventStatus:
      if (result == VK_EVENT_SET &&
          !g_hash_table_contains (self->host_set,
                                  KEY (((const VtrArgs_vkGetEventStatus *)command->args)->event)))
        drop_all (self);
      break;
    case VTR_CMD_vkWaitSemaphores:
      if (result == VK_SUCCESS)
        note_wait (self, ((const VtrArgs_vkWaitSemaphores *)command->args)->pWaitInfo);
      break;
    case VTR_CMD_vkGetSemaphoreCounterValue:
      {
        const VtrArgs_vkGetSemaphoreCounterValue *a = command->args;

        if (result == VK_SUCCESS && a->pValue != NULL)
          semaphore_reached (self, a->semaphore, *a->pValue);
        break;
      }
    case VTR_CMD_vkDeviceWaitIdle:
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

static void
copy_table (GHashTable *to,
            GHashTable *from)
{
  GHashTableIter iter;
  gpointer key, value;

  g_hash_table_iter_init (&iter, from);
  while (g_hash_table_iter_next (&iter, &key, &value))
    g_hash_table_insert (to, key, value);
}

void
vtr_pending_copy (VtrPending *self,
                  const VtrPending *other,
                  gpointer (*copy) (gpointer data))
{
  copy_table (self->acquires, other->acquires);
  copy_table (self->timelines, other->timelines);
  copy_table (self->serials, other->serials);
  copy_table (self->host_set, other->host_set);
  for (guint i = 0; i < other->submissions->len; i++)
    {
      VtrPendingSubmission *known = g_memdup2 (get (other, i), sizeof (VtrPendingSubmission));

      if (known->signals != NULL)
        known->signals = g_array_copy (known->signals);
      if (known->waits != NULL)
        known->waits = g_array_copy (known->waits);
      if (known->data != NULL)
        known->data = copy (known->data);
      g_ptr_array_add (self->submissions, known);
    }
}
