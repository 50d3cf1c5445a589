/* Follows fences, semaphores and waits to know which submissions the program cannot yet assume
 * to be finished. */
#include "engine/vulkan/transforms/vtr-pending-private.h"

#include "api/vtr-api-walk.h"
#include "base/vtr-must.h"
#include "base/vtr-range-set.h"
#include "vtr-api-args.h"

#include <string.h>

#define KEY VTR_PENDING_KEY
#define VALUE VTR_PENDING_VALUE
#define get vtr_pending_nth

/* The most pending submissions: a program that never learns that one is done does not look, and
 * more would only cost time to search. */
#define MOST_SUBMISSIONS 4096

static void
submission_free (gpointer data)
{
  VtrPendingSubmission *submission = data;

  if (submission == NULL)
    return;
  g_clear_pointer (&submission->signals, g_array_unref);
  g_clear_pointer (&submission->waits, g_array_unref);
  g_clear_pointer (&submission->marks, g_array_unref);
  g_clear_pointer (&submission->commands, g_array_unref);
  g_free (submission);
}

static void
range_set_free (gpointer data)
{
  vtr_range_set_finish (data);
  g_free (data);
}

void
vtr_pending_init (VtrPending     *self,
                  VtrPendingDone  done,
                  gpointer        user_data)
{
  self->submissions = g_ptr_array_new_with_free_func (submission_free);
  self->timelines = g_hash_table_new (NULL, NULL);
  self->serials = g_hash_table_new (NULL, NULL);
  self->host_set = g_hash_table_new (NULL, NULL);
  self->recorded = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify)g_array_unref);
  self->seen = g_hash_table_new_full (NULL, NULL, NULL, range_set_free);
  self->presents = g_ptr_array_new_with_free_func (vtr_pending_present_free);
  self->done = done;
  self->user_data = user_data;
}

void
vtr_pending_finish (VtrPending *self)
{
  g_clear_pointer (&self->submissions, g_ptr_array_unref);
  g_clear_pointer (&self->timelines, g_hash_table_unref);
  g_clear_pointer (&self->serials, g_hash_table_unref);
  g_clear_pointer (&self->host_set, g_hash_table_unref);
  g_clear_pointer (&self->recorded, g_hash_table_unref);
  g_clear_pointer (&self->seen, g_hash_table_unref);
  g_clear_pointer (&self->presents, g_ptr_array_unref);
}

/* --- What is done ----------------------------------------------------------------------------- */

void
vtr_pending_sweep (VtrPending *self)
{
  guint n = 0;

  if (self->submissions->len == 0)
    return;
  for (guint i = 0; i < self->submissions->len; i++)
    {
      VtrPendingSubmission *submission = get (self, i);

      if (submission->told != VTR_PENDING_DONE)
        {
          self->submissions->pdata[n++] = submission;
          continue;
        }
      if (submission->data != NULL)
        self->done (submission->data, self->user_data);
      submission_free (submission);
      self->submissions->pdata[i] = NULL;
    }
  /* The entries after it were moved or removed. */
  memset (self->submissions->pdata + n, 0, (self->submissions->len - n) * sizeof (gpointer));
  g_ptr_array_set_size (self->submissions, (gint)n);
}

void
vtr_pending_tell (VtrPending     *self,
                  guint           nth,
                  VtrPendingTold  told)
{
  const guint64 queue = get (self, nth)->queue;

  for (guint i = nth + 1; i > 0; i--)
    {
      VtrPendingSubmission *submission = get (self, i - 1);

      if (submission->told >= told ||
          (i - 1 != nth && (queue == 0 || submission->queue != queue)))
        continue;
      submission->told = told;
      vtr_pending_tell_points (self, submission->waits, told);
    }
}

/* The values of a semaphore only grow: whatever was to make it @value or less has done so. */
static void
tell_signals (VtrPending            *self,
              const VtrPendingPoint *reached,
              VtrPendingTold         told)
{
  for (guint i = self->submissions->len; i > 0; i--)
    {
      const VtrPendingSubmission *submission = get (self, i - 1);

      for (guint j = 0;
           submission->told < told && submission->signals != NULL && j < submission->signals->len;
           j++)
        {
          const VtrPendingPoint *point = &g_array_index (submission->signals, VtrPendingPoint, j);

          if (point->semaphore == reached->semaphore && point->value <= reached->value)
            vtr_pending_tell (self, i - 1, told);
        }
    }
}

void
vtr_pending_tell_points (VtrPending     *self,
                         const GArray   *points,
                         VtrPendingTold  told)
{
  for (guint i = 0; points != NULL && i < points->len; i++)
    tell_signals (self, &g_array_index (points, VtrPendingPoint, i), told);
}

static void
drop_all (VtrPending *self)
{
  for (guint i = 0; i < self->submissions->len; i++)
    get (self, i)->told = VTR_PENDING_DONE;
  vtr_pending_sweep (self);
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
      vtr_pending_tell (self, i - 1, VTR_PENDING_DONE);
      break;
    }
  vtr_pending_sweep (self);
}

static void
semaphore_reached (VtrPending  *self,
                   VkSemaphore  semaphore,
                   guint64      value)
{
  const VtrPendingPoint point = { VALUE (semaphore), value };

  tell_signals (self, &point, VTR_PENDING_DONE);
  vtr_pending_sweep (self);
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
void
vtr_pending_add_wait (VtrPending   *self,
                      GArray      **points,
                      VkSemaphore   semaphore,
                      guint64       value)
{
  if (!g_hash_table_contains (self->timelines, KEY (semaphore)))
    value = VALUE (g_hash_table_lookup (self->serials, KEY (semaphore)));
  add_point (points, semaphore, value);
}

void
vtr_pending_add_signal (VtrPending   *self,
                        GArray      **points,
                        VkSemaphore   semaphore,
                        guint64       value)
{
  if (!g_hash_table_contains (self->timelines, KEY (semaphore)))
    {
      value = VALUE (g_hash_table_lookup (self->serials, KEY (semaphore))) + 1;
      g_hash_table_insert (self->serials, KEY (semaphore), KEY (value));
    }
  add_point (points, semaphore, value);
}

void
vtr_pending_take (VtrPending           *self,
                  VtrPendingSubmission  submission)
{
  if (self->submissions->len >= MOST_SUBMISSIONS)
    drop_all (self);
  if (submission.data != NULL || self->submissions->len > 0)
    {
      g_ptr_array_add (self->submissions, g_memdup2 (&submission, sizeof submission));
      return;
    }
  g_clear_pointer (&submission.signals, g_array_unref);
  g_clear_pointer (&submission.waits, g_array_unref);
  g_clear_pointer (&submission.marks, g_array_unref);
  g_clear_pointer (&submission.commands, g_array_unref);
}

guint64
vtr_pending_value_at (const guint64 *values,
                      guint32        n,
                      guint32        nth)
{
  return values != NULL && nth < n ? values[nth] : 0;
}

void
vtr_pending_add (VtrPending                   *self,
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
    vtr_pending_add_wait (self, &submission.waits, batch->pWaitSemaphoreInfos[i].semaphore,
                          batch->pWaitSemaphoreInfos[i].value);
  for (guint32 i = 0; batch != NULL && batch->pSignalSemaphoreInfos != NULL &&
                      i < batch->signalSemaphoreInfoCount;
       i++)
    vtr_pending_add_signal (self, &submission.signals, batch->pSignalSemaphoreInfos[i].semaphore,
                            batch->pSignalSemaphoreInfos[i].value);
  for (guint32 i = 0;
       batch != NULL && batch->pCommandBufferInfos != NULL && i < batch->commandBufferInfoCount;
       i++)
    vtr_pending_add_commands (self, &submission, batch->pCommandBufferInfos[i].commandBuffer);
  vtr_pending_take (self, submission);
}

/* --- What tells ------------------------------------------------------------------------------- */

/* One that is not known was of a submission, or an acquire, that is dropped already. */
static void
fence_done (VtrPending *self,
            VkFence     fence)
{
  if (fence != VK_NULL_HANDLE)
    drop_up_to (self, 0, VALUE (fence));
}

static void
fences_done (VtrPending    *self,
             const VkFence *fences,
             guint32        n)
{
  for (guint32 i = 0; fences != NULL && i < n; i++)
    fence_done (self, fences[i]);
}

gboolean
vtr_pending_wants (VtrCmdId id)
{
  switch (vtr_cmd_canonical (id))
    {
    case VTR_CMD_vkCreateSemaphore:
    case VTR_CMD_vkDestroySemaphore:
    case VTR_CMD_vkDeviceWaitIdle:
    case VTR_CMD_vkWaitSemaphores:
    case VTR_CMD_vkGetSemaphoreCounterValue:
    case VTR_CMD_vkQueueWaitIdle:
    case VTR_CMD_vkGetFenceStatus:
    case VTR_CMD_vkWaitForFences:
    case VTR_CMD_vkResetFences:
    case VTR_CMD_vkDestroyFence:
      return TRUE;
    default:
      return vtr_pending_wants_mark (id) || vtr_pending_wants_present (id);
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
  /* Any one of several may be done; the program reads values to know which. */
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
      /* It must not be used any more. */
      semaphore_reached (self, ((const VtrArgs_vkDestroySemaphore *)command->args)->semaphore,
                         G_MAXUINT64);
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

        /* Any one of several may be done; the program queries each to know which, or resets it. */
        if (result == VK_SUCCESS && (a->waitAll != VK_FALSE || a->fenceCount == 1))
          fences_done (self, a->pFences, a->fenceCount);
        break;
      }
    case VTR_CMD_vkResetFences:
      {
        const VtrArgs_vkResetFences *a = command->args;

        /* Nothing may be pending with them. */
        fences_done (self, a->pFences, a->fenceCount);
        break;
      }
    case VTR_CMD_vkDestroyFence:
      fence_done (self, ((const VtrArgs_vkDestroyFence *)command->args)->fence);
      break;
    default:
      if (!vtr_pending_note_mark (self, command, result))
        vtr_pending_note_present (self, command, result);
      break;
    }
}

/* --- Copies ----------------------------------------------------------------------------------- */

static GArray *
copy_array (GArray *array)
{
  return array != NULL ? g_array_copy (array) : NULL;
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

static void
copy_sets (VtrPending       *self,
           const VtrPending *other)
{
  GHashTableIter iter;
  gpointer key, value;

  g_hash_table_iter_init (&iter, other->recorded);
  while (g_hash_table_iter_next (&iter, &key, &value))
    g_hash_table_insert (self->recorded, key, g_array_copy (value));
  g_hash_table_iter_init (&iter, other->seen);
  while (g_hash_table_iter_next (&iter, &key, &value))
    {
      VtrRangeSet *set = g_new0 (VtrRangeSet, 1);

      vtr_must (vtr_range_set_copy (set, value));
      g_hash_table_insert (self->seen, key, set);
    }
  for (guint i = 0; i < other->presents->len; i++)
    {
      VtrPendingPresent *present =
        g_memdup2 (g_ptr_array_index (other->presents, i), sizeof *present);

      present->waits = copy_array (present->waits);
      g_ptr_array_add (self->presents, present);
    }
}

void
vtr_pending_copy (VtrPending *self,
                  const VtrPending *other,
                  gpointer (*copy) (gpointer data))
{
  copy_table (self->timelines, other->timelines);
  copy_table (self->serials, other->serials);
  copy_table (self->host_set, other->host_set);
  copy_sets (self, other);
  for (guint i = 0; i < other->submissions->len; i++)
    {
      VtrPendingSubmission *known = g_memdup2 (get (other, i), sizeof (VtrPendingSubmission));

      known->signals = copy_array (known->signals);
      known->waits = copy_array (known->waits);
      known->marks = copy_array (known->marks);
      known->commands = copy_array (known->commands);
      if (known->data != NULL)
        known->data = copy (known->data);
      g_ptr_array_add (self->submissions, known);
    }
}
