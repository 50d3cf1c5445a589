/* Lists the requests that wait for the replay worker, and cancels the making of a state that
 * none of them needs. */
#include "engine/replay-session/vtr-replay-waiters.h"

typedef struct
{
  guint64 id;
  guint64 stop;
  int priority;
} VtrWish;

struct _VtrReplayWishes
{
  GMutex lock;
  GArray *waiting; /* of VtrWish, oldest first */
  guint64 last_id;
  gboolean closed;

  /* While a state is made: */
  GCancellable *making; /* cancels it; NULL: none is made */
  GCancellable *request;
  gulong cancelled_id; /* of .request; only the worker uses it */
  guint64 first, end;
};

VtrReplayWaiters *
vtr_replay_waiters_new (void)
{
  VtrReplayWaiters *self = g_new0 (VtrReplayWaiters, 1);

  g_mutex_init (&self->lock);
  self->waiting = g_array_new (FALSE, FALSE, sizeof (VtrWish));
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
  VtrWish wish = { .stop = stop, .priority = priority };

  g_mutex_lock (&self->lock);
  wish.id = ++self->last_id;
  g_array_append_val (self->waiting, wish);
  g_mutex_unlock (&self->lock);
  return wish.id;
}

void
vtr_replay_waiters_remove (VtrReplayWaiters *self,
                           guint64           wish)
{
  g_mutex_lock (&self->lock);
  for (guint i = 0; wish != 0 && i < self->waiting->len; i++)
    if (g_array_index (self->waiting, VtrWish, i).id == wish)
      {
        g_array_remove_index (self->waiting, i);
        break;
      }
  g_mutex_unlock (&self->lock);
}

/* Whether the state is of use to what runs next, as far as that is known. */
static gboolean
is_wanted_locked (const VtrReplayWaiters *self)
{
  const VtrWish *next = NULL;

  if (self->closed)
    return FALSE;
  for (guint i = 0; i < self->waiting->len; i++)
    {
      const VtrWish *wish = &g_array_index (self->waiting, VtrWish, i);

      if (next == NULL || wish->priority < next->priority)
        next = wish;
    }
  return next == NULL || (next->stop >= self->first && next->stop < self->end);
}

void
vtr_replay_waiters_end_unneeded (VtrReplayWaiters *self)
{
  g_autoptr (GCancellable) unwanted = NULL;

  g_mutex_lock (&self->lock);
  if (self->making != NULL && g_cancellable_is_cancelled (self->request) &&
      !is_wanted_locked (self))
    unwanted = g_object_ref (self->making);
  g_mutex_unlock (&self->lock);
  if (unwanted != NULL)
    g_cancellable_cancel (unwanted);
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
  /* Calls at once where it is cancelled already. */
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
