/* Remembers which API copied the last picture, and commits it after the end of the recording. */
#include "vtr-layer-thumbnail.h"

#include "vtr-layer-own-thread.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>

#define NICENESS 10           /* of the thread that delivers */
#define STACK_SIZE (1u << 20) /* its; drivers run on it, and some programs lock all memory */

/* The owner of the image that is committed next. The lock also guards everything that copies. */
static struct
{
  pthread_mutex_t lock;
  VtrNamespace *names;
  bool watches_exit;
  bool has_thread; /* which delivers them */
  bool due;        /* it is to deliver one now */
  void (*delivered) (void);
  pthread_cond_t wake;
} taken = { .lock = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER };

void
vtr_layer_thumbnail_lock (void)
{
  pthread_mutex_lock (&taken.lock);
}

void
vtr_layer_thumbnail_unlock (void)
{
  pthread_mutex_unlock (&taken.lock);
}

void
vtr_layer_thumbnail_set (VtrNamespace *names)
{
  taken.names = names;
}

/* With the lock. */
static void
commit (VtrLayerThread *thread)
{
  VtrRingPicture head;
  VtrRingPart parts[2];
  const uint8_t *rows;
  size_t size;

  if (!taken.names->api->get_picture (taken.names, &head, &rows, &size))
    return;
  parts[0] = (VtrRingPart){ (const uint8_t *)&head, sizeof head };
  parts[1] = (VtrRingPart){ rows, size };
  vtr_layer_thread_append_parts (thread, VTR_RECORD_PICTURE, thread->scratch.size, parts, 2);
}

void
vtr_layer_thumbnail_commit (VtrLayerThread *thread)
{
  pthread_mutex_lock (&taken.lock);
  if (taken.names != NULL)
    commit (thread);
  taken.names = NULL;
  pthread_mutex_unlock (&taken.lock);
}

/* ---- Behind the end of the recording ---- */

static void
deliver (void)
{
  setpriority (PRIO_PROCESS, 0, NICENESS); /* this thread's */
  for (;;)
    {
      VtrLayerThread *thread;

      pthread_mutex_lock (&taken.lock);
      while (!taken.due)
        pthread_cond_wait (&taken.wake, &taken.lock);
      taken.due = false;
      pthread_mutex_unlock (&taken.lock);
      thread = vtr_layer_thread_get ();
      if (thread != NULL)
        vtr_layer_thumbnail_commit (thread);
      taken.delivered ();
    }
}

/* Starting a thread takes longer than anything else at the end of a small recording, so it is
 * started before, if there is time, and kept. With the lock held. Returns: whether there is one. */
static bool
start_thread (void)
{
  static const VtrLayerOwnThread deliverer = { "vitrine-picture", deliver, STACK_SIZE };

  taken.has_thread = taken.has_thread || vtr_layer_own_thread_start (&deliverer);
  return taken.has_thread;
}

void
vtr_layer_thumbnail_prepare (void)
{
  (void)start_thread ();
}

/* The program ends without destroying its device. */
static void
deliver_at_exit (void)
{
  VtrLayerThread *thread = vtr_layer_is_live () ? vtr_layer_thread_get () : NULL;

  if (thread != NULL)
    vtr_layer_thumbnail_commit (thread);
}

void
vtr_layer_thumbnail_deliver (VtrLayerThread *thread,
                             void (*delivered) (void))
{
  bool left;

  pthread_mutex_lock (&taken.lock);
  /* After all handlers of the driver, so that it runs before them. */
  if (taken.names != NULL && !taken.watches_exit)
    taken.watches_exit = atexit (deliver_at_exit) == 0;
  taken.due = taken.names != NULL && start_thread ();
  taken.delivered = delivered;
  left = taken.due;
  pthread_cond_signal (&taken.wake);
  pthread_mutex_unlock (&taken.lock);
  if (left)
    return;
  vtr_layer_thumbnail_commit (thread);
  delivered ();
}

/* In the child. */
static void
forked (void)
{
  taken.lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
  taken.wake = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
  taken.names = NULL;
  taken.has_thread = taken.due = false;
}

static __attribute__ ((constructor)) void
watch_forks (void)
{
  vtr_layer_transport_at_fork (forked);
}

void
vtr_layer_thumbnail_forget (VtrNamespace *names)
{
  VtrLayerThread *thread = vtr_layer_is_live () ? vtr_layer_thread_get () : NULL;

  if (taken.names != names)
    return;
  if (thread != NULL)
    commit (thread);
  taken.names = NULL;
}
