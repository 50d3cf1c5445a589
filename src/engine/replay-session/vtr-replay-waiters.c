/* Lists the requests that wait for the replay worker, and cancels the making of a snapshot that
 * none of them needs. */
#include "engine/replay-session/vtr-replay-waiters.h"

typedef struct
{
  guint64 id;
  guint64 stop;
  int priority;
} VtrWaiter;

struct _VtrReplayWaiters
{
  GMutex lock;
  GArray *waiting; /* of VtrWaiter, oldest first */
  guint64 last_id;
  gboolean closed;

  /* While a snapshot is made: */
  GCancellable *making; /* cancels that; NULL: none is made */
  GCancellable *request;
  gulong cancelled_id; /* of .request; only the worker uses it */
  guint64 first, end;
};

VtrReplayWaiters *
vtr_replay_waiters_new (void)
{
  VtrReplayWaiters *self = g_new0 (VtrReplayWaiters, 1);

  g_mutex_init (&self->lock);
  self->waiting = g_array_new (FALSE, FALSE, sizeof (VtrWaiter));
  return self;
}

void
vtr_replay_waiters_free (VtrReplayWaiters *self)
{
  g_assert (self->making == NULL);
  g_array_unref (self->waiting);
  g_mutex_clear (&self->lock);
  g_free (self);
}

guint64
vtr_replay_waiters_add (VtrReplayWaiters *self,
                        guint64           stop,
                        int               priority)
{
  VtrWaiter waiter = { .stop = stop, .priority = priority };

  g_mutex_lock (&self->lock);
  waiter.id = ++self->last_id;
  g_array_append_val (self->waiting, waiter);
  g_mutex_unlock (&self->lock);
  return waiter.id;
}

void
vtr_replay_waiters_remove (VtrReplayWaiters *self,
                           guint64           waiter)
{
  g_mutex_lock (&self->lock);
  for (guint i = 0; waiter != 0 && i < self->waiting->len; i++)
    if (g_array_index (self->waiting, VtrWaiter, i).id == waiter)
      {
        g_array_remove_index (self->waiting, i);
        break;
      }
  g_mutex_unlock (&self->lock);
}

/* Whether the snapshot is needed by the request that runs next. TRUE while none waits. */
static gboolean
is_needed_locked (const VtrReplayWaiters *self)
{
  const VtrWaiter *next = NULL;

  if (self->closed)
    return FALSE;
  for (guint i = 0; i < self->waiting->len; i++)
    {
      const VtrWaiter *waiter = &g_array_index (self->waiting, VtrWaiter, i);

      if (next == NULL || waiter->priority < next->priority)
        next = waiter;
    }
  return next == NULL || (next->stop >= self->first && next->stop < self->end);
}

void
vtr_replay_waiters_end_unneeded (VtrReplayWaiters *self)
{
  g_autoptr (GCancellable) unneeded = NULL;

  g_mutex_lock (&self->lock);
  if (self->making != NULL && g_cancellable_is_cancelled (self->request) &&
      !is_needed_locked (self))
    unneeded = g_object_ref (self->making);
  g_mutex_unlock (&self->lock);
  if (unneeded != NULL)
    g_cancellable_cancel (unneeded);
}

void
vtr_replay_waiters_close (VtrReplayWaiters *self)
{
  g_mutex_lock (&self->lock);
  self->closed = TRUE;
  g_mutex_unlock (&self->lock);
  vtr_replay_waiters_end_unneeded (self);
}

static void
request_cancelled (GCancellable *cancellable,
                   gpointer      data)
{
  vtr_replay_waiters_end_unneeded (data);
}

GCancellable *
vtr_replay_waiters_begin (VtrReplayWaiters *self,
                          guint64           first,
                          guint64           end,
                          GCancellable     *cancellable)
{
  GCancellable *making = g_cancellable_new ();

  g_mutex_lock (&self->lock);
  self->making = g_object_ref (making);
  g_set_object (&self->request, cancellable);
  self->first = first;
  self->end = end;
  g_mutex_unlock (&self->lock);
  /* Calls the handler at once if it is cancelled already. */
  if (cancellable != NULL)
    self->cancelled_id =
      g_cancellable_connect (cancellable, G_CALLBACK (request_cancelled), self, NULL);
  return making;
}

void
vtr_replay_waiters_end (VtrReplayWaiters *self)
{
  g_cancellable_disconnect (self->request, self->cancelled_id);
  self->cancelled_id = 0;
  g_mutex_lock (&self->lock);
  g_clear_object (&self->making);
  g_clear_object (&self->request);
  g_mutex_unlock (&self->lock);
}
