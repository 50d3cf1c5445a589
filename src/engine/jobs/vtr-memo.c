/* VtrMemo: a table of entries that are either being computed, with their waiters, or done. */
#include "engine/jobs/vtr-memo.h"

/* Then it is computed to its end, whatever waits. */
#define MAX_YIELDS 4

typedef struct _VtrEntry VtrEntry;

/* One caller of a computation. */
typedef struct
{
  gatomicrefcount refs; /* of asynchronous ones: the memo's and the cancellable's */
  VtrMemo *memo;
  VtrEntry *entry; /* NULL before it is in one */
  GTask *task;     /* NULL: a thread that waits on VtrMemo.changed */
  gulong cancelled_id;
  gpointer value;
  GError *error;
  gboolean done; /* answered, or left because it was cancelled */
} VtrWaiter;

struct _VtrEntry
{
  VtrMemo *memo;
  char *key;
  gpointer value; /* NULL while it is computed */
  gsize cost;
  guint64 used; /* VtrMemo.clock when last asked for */

  /* While it is computed: */
  guint64 job;
  int priority;
  guint n_yields; /* how often it made room for something more urgent */
  VtrMemoFunc func;
  gpointer data;
  GDestroyNotify data_free;
  GCancellable *cancellable;
  GPtrArray *waiters; /* of VtrWaiter */
  gboolean abandoned; /* its last caller went: no longer in the table */
};

struct _VtrMemo
{
  GMutex lock;
  GCond changed;
  VtrScheduler *pool;
  gpointer (*ref) (gpointer value);
  GDestroyNotify unref;
  GHashTable *entries; /* key → VtrEntry */
  guint running;       /* entries whose function is queued or running, abandoned ones too */
  gsize max_cost, cost;
  guint64 clock;
};

static void
vtr_waiter_unref (VtrWaiter *waiter)
{
  if (!g_atomic_ref_count_dec (&waiter->refs))
    return;

  g_clear_error (&waiter->error);
  if (waiter->task != NULL)
    vtr_scheduler_release_task (waiter->task);
  g_free (waiter);
}

static void
vtr_entry_free (VtrEntry *entry)
{
  if (entry->value != NULL)
    entry->memo->unref (entry->value);
  g_clear_object (&entry->cancellable);
  g_clear_pointer (&entry->waiters, g_ptr_array_unref);
  g_free (entry->key);
  g_free (entry);
}

VtrMemo *
vtr_memo_new (VtrScheduler *pool,
              gpointer (*ref) (gpointer value),
              GDestroyNotify unref,
              gsize max_cost)
{
  VtrMemo *self = g_new0 (VtrMemo, 1);

  g_mutex_init (&self->lock);
  g_cond_init (&self->changed);
  self->pool = pool;
  self->ref = ref;
  self->unref = unref;
  self->max_cost = max_cost;
  self->entries = g_hash_table_new (g_str_hash, g_str_equal);
  return self;
}

/* Drops the entries that were not asked for longest until the rest fits. */
static void
vtr_memo_trim_locked (VtrMemo *self)
{
  while (self->cost > self->max_cost)
    {
      GHashTableIter iter;
      VtrEntry *entry, *oldest = NULL;
      guint n = 0;

      g_hash_table_iter_init (&iter, self->entries);
      while (g_hash_table_iter_next (&iter, NULL, (gpointer *)&entry))
        {
          if (entry->value == NULL)
            continue;
          n++;
          if (oldest == NULL || entry->used < oldest->used)
            oldest = entry;
        }
      /* A single value that is too large alone is still worth keeping: it is what is looked at. */
      if (n < 2)
        return;
      self->cost -= oldest->cost;
      g_hash_table_remove (self->entries, oldest->key);
      vtr_entry_free (oldest);
    }
}

static void
answer_task (GTask          *task,
             gpointer        value,
             GDestroyNotify  unref,
             const GError   *error)
{
  if (value != NULL)
    g_task_return_pointer (task, value, unref);
  else
    g_task_return_error (task, g_error_copy (error));
}

/* Gives every waiter the value or the error, outside the lock where that may call back. */
static void
vtr_memo_complete (VtrMemo  *self,
                   VtrEntry *entry,
                   gpointer  value,
                   gsize     cost,
                   GError   *error)
{
  g_autoptr (GPtrArray) tasks = g_ptr_array_new ();
  g_autoptr (GPtrArray) waiters = NULL;

  g_mutex_lock (&self->lock);
  waiters = g_steal_pointer (&entry->waiters);
  for (guint i = 0; i < waiters->len; i++)
    {
      VtrWaiter *waiter = waiters->pdata[i];

      waiter->done = TRUE;
      if (value != NULL)
        waiter->value = self->ref (value);
      else
        waiter->error = g_error_copy (error);
      if (waiter->task != NULL)
        g_ptr_array_add (tasks, waiter);
    }
  if (entry->abandoned)
    {
      if (value != NULL)
        self->unref (value);
      vtr_entry_free (entry);
    }
  else if (value == NULL)
    {
      g_hash_table_remove (self->entries, entry->key);
      vtr_entry_free (entry);
    }
  else
    {
      entry->value = value;
      entry->cost = cost;
      self->cost += cost;
      g_clear_object (&entry->cancellable);
      vtr_memo_trim_locked (self);
    }
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);

  for (guint i = 0; i < tasks->len; i++)
    {
      VtrWaiter *waiter = tasks->pdata[i];
      GCancellable *cancellable = g_task_get_cancellable (waiter->task);

      /* Waits for a handler that runs just now; it finds the waiter done. */
      if (waiter->cancelled_id != 0)
        g_cancellable_disconnect (cancellable, waiter->cancelled_id);
      answer_task (waiter->task, waiter->value, self->unref, waiter->error);
      vtr_waiter_unref (waiter);
    }

  g_mutex_lock (&self->lock);
  self->running--;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
}

static void vtr_memo_run (gpointer data, gpointer pool);

/* Queues @entry. One that has made room often enough runs to its end. */
static void
vtr_memo_push_locked (VtrMemo  *self,
                      VtrEntry *entry)
{
  entry->cancellable = g_cancellable_new ();
  entry->job = vtr_scheduler_push_yielding (self->pool, entry->priority, vtr_memo_run, entry,
                                            entry->n_yields < MAX_YIELDS ? entry->cancellable
                                                                         : NULL);
}

/* Whether @entry ended because it was to make room, and is queued again. */
static gboolean
vtr_memo_yielded (VtrMemo      *self,
                  VtrEntry     *entry,
                  const GError *error)
{
  gboolean yielded;

  g_mutex_lock (&self->lock);
  yielded = !entry->abandoned && g_cancellable_is_cancelled (entry->cancellable) &&
            g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  if (yielded)
    {
      entry->n_yields++;
      g_clear_object (&entry->cancellable);
      vtr_memo_push_locked (self, entry);
    }
  g_mutex_unlock (&self->lock);
  return yielded;
}

static void
vtr_memo_run (gpointer data,
              gpointer pool)
{
  VtrEntry *entry = data;
  VtrMemo *self = entry->memo;
  g_autoptr (GError) error = NULL;
  gpointer value = NULL;
  gsize cost = 1;

  if (!g_cancellable_set_error_if_cancelled (entry->cancellable, &error))
    value = entry->func (entry->data, entry->cancellable, &cost, &error);
  if (value == NULL && vtr_memo_yielded (self, entry, error))
    return;
  if (entry->data_free != NULL)
    entry->data_free (entry->data);
  if (value == NULL && error == NULL)
    g_set_error_literal (&error, G_IO_ERROR, G_IO_ERROR_FAILED, "No value");
  vtr_memo_complete (self, entry, value, cost, error);
}

/* Returns: (nullable): a reference to the value if it is computed already; otherwise *@out_entry
 * is the entry that is being computed. *@used: whether it took @data. */
static gpointer
vtr_memo_enter_locked (VtrMemo         *self,
                       const char      *key,
                       int              priority,
                       VtrMemoFunc      func,
                       gpointer         data,
                       GDestroyNotify   data_free,
                       VtrEntry       **out_entry,
                       gboolean        *used)
{
  VtrEntry *entry = g_hash_table_lookup (self->entries, key);

  *used = entry == NULL;
  if (entry != NULL)
    {
      entry->used = ++self->clock;
      *out_entry = entry;
      if (entry->value == NULL && priority < entry->priority)
        {
          entry->priority = priority;
          vtr_scheduler_raise (self->pool, entry->job, priority);
        }
      return entry->value != NULL ? self->ref (entry->value) : NULL;
    }

  entry = g_new0 (VtrEntry, 1);
  entry->memo = self;
  entry->key = g_strdup (key);
  entry->used = ++self->clock;
  entry->func = func;
  entry->data = data;
  entry->data_free = data_free;
  entry->priority = priority;
  entry->waiters = g_ptr_array_new ();
  g_hash_table_insert (self->entries, entry->key, entry);
  self->running++;
  vtr_memo_push_locked (self, entry);
  *out_entry = entry;
  return NULL;
}

/* Removes @waiter from its entry; if it was the last one, the computation is dropped. Returns:
 * (nullable): an entry that will not run, to be passed to vtr_entry_discard () without the lock;
 * otherwise *@stop may be set to what has to be cancelled without the lock (transfer full). */
static VtrEntry *
vtr_memo_leave_locked (VtrMemo       *self,
                       VtrWaiter     *waiter,
                       GCancellable **stop)
{
  VtrEntry *entry = waiter->entry;

  waiter->done = TRUE;
  g_ptr_array_remove (entry->waiters, waiter);
  if (entry->waiters->len > 0)
    return NULL;

  g_hash_table_remove (self->entries, entry->key);
  if (vtr_scheduler_remove (self->pool, entry->job))
    {
      self->running--;
      g_cond_broadcast (&self->changed);
      return entry;
    }
  entry->abandoned = TRUE;
  *stop = g_object_ref (entry->cancellable);
  return NULL;
}

static void
vtr_entry_discard (VtrEntry     *entry,
                   GCancellable *stop)
{
  if (stop != NULL)
    g_cancellable_cancel (stop);
  if (entry == NULL)
    return;
  if (entry->data_free != NULL)
    entry->data_free (entry->data);
  vtr_entry_free (entry);
}

static gpointer
vtr_memo_get_inline (VtrMemo         *self,
                     const char      *key,
                     VtrMemoFunc      func,
                     gpointer         data,
                     GDestroyNotify   data_free,
                     GCancellable    *cancellable,
                     GError         **error)
{
  gpointer value = vtr_memo_peek (self, key);
  gsize cost = 1;

  if (value == NULL)
    value = func (data, cancellable, &cost, error);
  if (data_free != NULL)
    data_free (data);
  return value;
}

static void
wake_waiters (GCancellable *cancellable,
              gpointer      data)
{
  VtrMemo *self = data;

  g_mutex_lock (&self->lock);
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
}

gpointer
vtr_memo_get (VtrMemo         *self,
              const char      *key,
              int              priority,
              VtrMemoFunc      func,
              gpointer         data,
              GDestroyNotify   data_free,
              GCancellable    *cancellable,
              GError         **error)
{
  VtrWaiter waiter = { 0 };
  VtrEntry *discard = NULL;
  g_autoptr (GCancellable) stop = NULL;
  gboolean used;
  gulong cancelled_id = 0;

  if (vtr_scheduler_is_worker (self->pool))
    return vtr_memo_get_inline (self, key, func, data, data_free, cancellable, error);

  if (cancellable != NULL)
    cancelled_id = g_cancellable_connect (cancellable, G_CALLBACK (wake_waiters), self, NULL);

  g_mutex_lock (&self->lock);
  waiter.value = vtr_memo_enter_locked (self, key, priority, func, data, data_free,
                                        &waiter.entry, &used);
  if (waiter.value == NULL)
    {
      g_ptr_array_add (waiter.entry->waiters, &waiter);
      g_mutex_unlock (&self->lock);
      vtr_scheduler_make_room (self->pool);
      g_mutex_lock (&self->lock);
      while (!waiter.done && !g_cancellable_is_cancelled (cancellable))
        g_cond_wait (&self->changed, &self->lock);
      if (!waiter.done)
        {
          discard = vtr_memo_leave_locked (self, &waiter, &stop);
          g_cancellable_set_error_if_cancelled (cancellable, &waiter.error);
        }
    }
  g_mutex_unlock (&self->lock);

  if (!used && data_free != NULL)
    data_free (data);
  vtr_entry_discard (discard, stop);
  g_cancellable_disconnect (cancellable, cancelled_id);
  if (waiter.error != NULL)
    g_propagate_error (error, waiter.error);
  return waiter.value;
}

/* The caller of an asynchronous request gave up. Any thread. */
static void
on_waiter_cancelled (GCancellable *cancellable,
                     gpointer      data)
{
  VtrWaiter *waiter = data;
  VtrEntry *discard = NULL;
  g_autoptr (GCancellable) stop = NULL;
  gboolean left;

  g_mutex_lock (&waiter->memo->lock);
  left = !waiter->done;
  if (left && waiter->entry != NULL)
    {
      discard = vtr_memo_leave_locked (waiter->memo, waiter, &stop);
      vtr_waiter_unref (waiter); /* the memo's; the connection still holds one */
    }
  waiter->done = TRUE;
  g_mutex_unlock (&waiter->memo->lock);

  if (left)
    {
      /* The connection keeps the waiter as long as the cancellable lives, not the task. */
      g_task_return_error_if_cancelled (waiter->task);
      vtr_scheduler_release_task (g_steal_pointer (&waiter->task));
    }
  vtr_entry_discard (discard, stop);
}

void
vtr_memo_get_async (VtrMemo             *self,
                    const char          *key,
                    int                  priority,
                    VtrMemoFunc          func,
                    gpointer             data,
                    GDestroyNotify       data_free,
                    gpointer             source,
                    GCancellable        *cancellable,
                    GAsyncReadyCallback  callback,
                    gpointer             user_data)
{
  VtrWaiter *waiter = g_new0 (VtrWaiter, 1);
  gpointer value = NULL;
  gboolean used = FALSE, done;
  gulong cancelled_id = 0;

  g_atomic_ref_count_init (&waiter->refs);
  waiter->memo = self;
  waiter->task = g_task_new (source, cancellable, callback, user_data);
  g_task_set_source_tag (waiter->task, vtr_memo_get_async);
  if (cancellable != NULL)
    {
      g_atomic_ref_count_inc (&waiter->refs);
      cancelled_id = g_cancellable_connect (cancellable, G_CALLBACK (on_waiter_cancelled), waiter,
                                            (GDestroyNotify)vtr_waiter_unref);
    }

  g_mutex_lock (&self->lock);
  waiter->cancelled_id = cancelled_id;
  done = waiter->done;
  if (!done)
    {
      value = vtr_memo_enter_locked (self, key, priority, func, data, data_free,
                                     &waiter->entry, &used);
      if (value == NULL)
        g_ptr_array_add (waiter->entry->waiters, waiter);
      else
        waiter->done = done = TRUE;
    }
  g_mutex_unlock (&self->lock);

  if (!used && data_free != NULL)
    data_free (data);
  if (!done)
    vtr_scheduler_make_room (self->pool);
  if (value != NULL)
    {
      g_cancellable_disconnect (cancellable, cancelled_id);
      g_task_return_pointer (waiter->task, value, self->unref);
    }
  if (done)
    vtr_waiter_unref (waiter);
}

gpointer
vtr_memo_get_finish (GAsyncResult  *result,
                     GError       **error)
{
  g_return_val_if_fail (g_async_result_is_tagged (result, vtr_memo_get_async), NULL);

  return g_task_propagate_pointer (G_TASK (result), error);
}

gpointer
vtr_memo_peek (VtrMemo    *self,
               const char *key)
{
  VtrEntry *entry;
  gpointer value = NULL;

  g_mutex_lock (&self->lock);
  entry = g_hash_table_lookup (self->entries, key);
  if (entry != NULL && entry->value != NULL)
    {
      entry->used = ++self->clock;
      value = self->ref (entry->value);
    }
  g_mutex_unlock (&self->lock);
  return value;
}

void
vtr_memo_free (VtrMemo *self)
{
  GHashTableIter iter;
  VtrEntry *entry;

  if (self == NULL)
    return;

  g_mutex_lock (&self->lock);
  /* Callers hold the owner until they are answered, so jobs that still run were cancelled by all
   * callers. */
  while (self->running > 0)
    g_cond_wait (&self->changed, &self->lock);
  g_mutex_unlock (&self->lock);

  g_hash_table_iter_init (&iter, self->entries);
  while (g_hash_table_iter_next (&iter, NULL, (gpointer *)&entry))
    vtr_entry_free (entry);
  g_hash_table_unref (self->entries);
  g_cond_clear (&self->changed);
  g_mutex_clear (&self->lock);
  g_free (self);
}
