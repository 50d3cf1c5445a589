/* VtrScheduler: worker threads over one queue sorted by priority, then by age. */
#include "engine/jobs/vtr-scheduler.h"

/* A long time for a user at the screen, and for a thumbnail. */
#define PATIENCE (8 * G_USEC_PER_SEC)

typedef struct
{
  guint64 id;
  int priority;
  GFunc func;
  gpointer data;
  gint64 pushed_at;
  GCancellable *stop; /* (nullable): it cannot yield, or is told to already */
} VtrJob;

struct _VtrScheduler
{
  GMutex lock;
  GCond changed;
  GQueue jobs;        /* of VtrJob, next to run first */
  GPtrArray *running; /* of VtrJob */
  gint64 patience;
  gint64 favoured_at; /* when a job last went before more urgent ones */
  GPtrArray *threads;
  guint max_threads;
  guint idle; /* threads waiting for a job */
  guint64 last_id;
  gboolean stopping;
  char *name;
};

/* The pool whose worker the thread is. */
static GPrivate current_pool;

VtrScheduler *
vtr_scheduler_new (const char *name,
                   guint       n_threads)
{
  VtrScheduler *self = g_new0 (VtrScheduler, 1);

  g_mutex_init (&self->lock);
  g_cond_init (&self->changed);
  g_queue_init (&self->jobs);
  self->running = g_ptr_array_new ();
  self->patience = PATIENCE;
  self->threads = g_ptr_array_new ();
  self->max_threads = n_threads > 0 ? n_threads : MAX (1, (int)g_get_num_processors () - 1);
  self->name = g_strdup (name);
  return self;
}

static void
vtr_job_free (VtrJob *job)
{
  g_clear_object (&job->stop);
  g_free (job);
}

/* Returns: (nullable): the most urgent job, or one that has waited for too long. */
static VtrJob *
vtr_scheduler_take_locked (VtrScheduler *self)
{
  GList *oldest = self->jobs.head;
  gint64 now;
  VtrJob *job;

  if (self->jobs.length < 2)
    return g_queue_pop_head (&self->jobs);
  now = g_get_monotonic_time ();
  for (GList *link = oldest->next; link != NULL; link = link->next)
    if (((VtrJob *)link->data)->pushed_at < ((VtrJob *)oldest->data)->pushed_at)
      oldest = link;
  job = oldest->data;
  if (oldest == self->jobs.head || now - job->pushed_at < self->patience ||
      now - self->favoured_at < self->patience)
    return g_queue_pop_head (&self->jobs);
  self->favoured_at = now;
  g_queue_delete_link (&self->jobs, oldest);
  g_clear_object (&job->stop);
  return job;
}

static gpointer
vtr_scheduler_work (gpointer data)
{
  VtrScheduler *self = data;

  g_private_set (&current_pool, self);
  g_mutex_lock (&self->lock);
  for (;;)
    {
      VtrJob *job = vtr_scheduler_take_locked (self);

      if (job != NULL)
        {
          g_ptr_array_add (self->running, job);
          g_mutex_unlock (&self->lock);
          job->func (job->data, self);
          g_mutex_lock (&self->lock);
          g_ptr_array_remove_fast (self->running, job);
          vtr_job_free (job);
          continue;
        }
      if (self->stopping)
        break;
      self->idle++;
      g_cond_wait (&self->changed, &self->lock);
      self->idle--;
    }
  g_mutex_unlock (&self->lock);
  return NULL;
}

void
vtr_scheduler_free (VtrScheduler *self)
{
  if (self == NULL)
    return;

  g_return_if_fail (!vtr_scheduler_is_worker (self));

  g_mutex_lock (&self->lock);
  self->stopping = TRUE;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
  for (guint i = 0; i < self->threads->len; i++)
    g_thread_join (self->threads->pdata[i]);

  g_ptr_array_unref (self->threads);
  g_ptr_array_unref (self->running);
  g_cond_clear (&self->changed);
  g_mutex_clear (&self->lock);
  g_free (self->name);
  g_free (self);
}

VtrScheduler *
vtr_scheduler_get_resolve (void)
{
  static gsize pool;

  if (g_once_init_enter (&pool))
    g_once_init_leave (&pool, GPOINTER_TO_SIZE (vtr_scheduler_new ("vtr-resolve", 0)));
  return GSIZE_TO_POINTER (pool);
}

VtrScheduler *
vtr_scheduler_get_io (void)
{
  static gsize pool;

  if (g_once_init_enter (&pool))
    g_once_init_leave (&pool, GPOINTER_TO_SIZE (vtr_scheduler_new ("vtr-io", 2)));
  return GSIZE_TO_POINTER (pool);
}

static int
compare_jobs (gconstpointer a,
              gconstpointer b,
              gpointer      data)
{
  const VtrJob *left = a, *right = b;

  if (left->priority != right->priority)
    return left->priority < right->priority ? -1 : 1;
  return left->id < right->id ? -1 : 1;
}

guint64
vtr_scheduler_push (VtrScheduler *self,
                    int           priority,
                    GFunc         func,
                    gpointer      data)
{
  return vtr_scheduler_push_yielding (self, priority, func, data, NULL);
}

guint64
vtr_scheduler_push_yielding (VtrScheduler *self,
                             int           priority,
                             GFunc         func,
                             gpointer      data,
                             GCancellable *stop)
{
  VtrJob *job = g_new0 (VtrJob, 1);
  guint64 id;

  g_mutex_lock (&self->lock);
  g_assert (!self->stopping);
  id = job->id = ++self->last_id;
  job->priority = priority;
  job->func = func;
  job->data = data;
  job->pushed_at = g_get_monotonic_time ();
  g_set_object (&job->stop, stop);
  g_queue_insert_sorted (&self->jobs, job, compare_jobs, NULL);
  if (self->idle < self->jobs.length && self->threads->len < self->max_threads)
    g_ptr_array_add (self->threads, g_thread_new (self->name, vtr_scheduler_work, self));
  g_cond_signal (&self->changed);
  g_mutex_unlock (&self->lock);
  return id;
}

gboolean
vtr_scheduler_remove (VtrScheduler *self,
                      guint64       job)
{
  gboolean found = FALSE;

  g_mutex_lock (&self->lock);
  for (GList *link = self->jobs.head; link != NULL && !found; link = link->next)
    {
      VtrJob *queued = link->data;

      if (queued->id != job)
        continue;
      found = TRUE;
      g_queue_delete_link (&self->jobs, link);
      vtr_job_free (queued);
      break;
    }
  g_mutex_unlock (&self->lock);
  return found;
}

void
vtr_scheduler_raise (VtrScheduler *self,
                     guint64       job,
                     int           priority)
{
  g_mutex_lock (&self->lock);
  for (guint i = 0; i < self->running->len; i++)
    {
      VtrJob *running = self->running->pdata[i];

      if (running->id == job)
        running->priority = MIN (running->priority, priority);
    }
  for (GList *link = self->jobs.head; link != NULL; link = link->next)
    {
      VtrJob *queued = link->data;

      if (queued->id != job)
        continue;
      if (priority < queued->priority)
        {
          queued->priority = priority;
          g_queue_delete_link (&self->jobs, link);
          g_queue_insert_sorted (&self->jobs, queued, compare_jobs, NULL);
        }
      break;
    }
  g_mutex_unlock (&self->lock);
}

/* Returns: (transfer full) (nullable): what stops the running job that matters least, where one has
   to make room. */
static GCancellable *
vtr_scheduler_find_stop_locked (VtrScheduler *self)
{
  const VtrJob *next = g_queue_peek_head (&self->jobs);
  VtrJob *least = NULL;

  if (next == NULL || next->priority >= VTR_PRIORITY_THUMBNAIL ||
      self->running->len < self->max_threads)
    return NULL;
  for (guint i = 0; i < self->running->len; i++)
    {
      VtrJob *job = self->running->pdata[i];

      if (job->priority >= VTR_PRIORITY_THUMBNAIL && job->stop != NULL &&
          (least == NULL || job->priority > least->priority))
        least = job;
    }
  return least != NULL ? g_steal_pointer (&least->stop) : NULL;
}

void
vtr_scheduler_make_room (VtrScheduler *self)
{
  g_autoptr (GCancellable) stop = NULL;

  g_mutex_lock (&self->lock);
  stop = vtr_scheduler_find_stop_locked (self);
  g_mutex_unlock (&self->lock);
  if (stop != NULL)
    g_cancellable_cancel (stop);
}

void
vtr_scheduler_set_patience (VtrScheduler *self,
                            gint64        microseconds)
{
  g_mutex_lock (&self->lock);
  self->patience = microseconds;
  g_mutex_unlock (&self->lock);
}

static gboolean
release_task (gpointer data)
{
  return G_SOURCE_REMOVE;
}

void
vtr_scheduler_release_task (GTask *task)
{
  g_autoptr (GSource) source = g_idle_source_new ();

  g_source_set_priority (source, G_PRIORITY_DEFAULT);
  g_source_set_callback (source, release_task, task, g_object_unref);
  g_source_attach (source, g_task_get_context (task));
}

gboolean
vtr_scheduler_is_started (VtrScheduler *self)
{
  gboolean is_started;

  g_mutex_lock (&self->lock);
  is_started = self->last_id > 0;
  g_mutex_unlock (&self->lock);
  return is_started;
}

gboolean
vtr_scheduler_is_worker (VtrScheduler *self)
{
  return g_private_get (&current_pool) == self;
}
