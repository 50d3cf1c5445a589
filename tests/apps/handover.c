/* vtr-app-handover: objects that one thread creates, another uses and a third one destroys, passed
 * on in the program's own ways: under a mutex, by an atomic variable, by a system call.
 *
 * Handle values come back at once, so that the calls make sense in their order only. A frame is an
 * empty submission, behind which each chain of threads gets on. */
#include "vtr-app.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#define OBJECTS 8u /* of a chain in a frame */

/* A place for one object. */
typedef struct
{
  pthread_mutex_t lock;
  pthread_cond_t changed;
  _Atomic uint32_t full; /* also a futex */
  VkEvent event;
} Place;

typedef enum
{
  BY_MUTEX,
  BY_ATOMIC,
  BY_FUTEX,
  N_WAYS,
} Way;

typedef struct
{
  Way way;
  Place made;
  Place used;
  pthread_t threads[3];
} Chain;

static VtrAppGpu gpu;
static atomic_bool stopping;
static _Atomic uint32_t n_destroyed[N_WAYS];
static _Atomic uint32_t n_allowed = OBJECTS; /* of each */

static void
wait_until (Place    *self,
            Way       way,
            uint32_t  full)
{
  if (way == BY_MUTEX)
    {
      pthread_mutex_lock (&self->lock);
      while (self->full != full)
        pthread_cond_wait (&self->changed, &self->lock);
      pthread_mutex_unlock (&self->lock);
      return;
    }
  while (atomic_load_explicit (&self->full, memory_order_acquire) != full)
    if (way == BY_ATOMIC)
      sched_yield ();
    else
      syscall (SYS_futex, &self->full, FUTEX_WAIT_PRIVATE, !full, NULL, NULL, 0);
}

static void
set_full (Place    *self,
          Way       way,
          uint32_t  full)
{
  if (way == BY_MUTEX)
    {
      pthread_mutex_lock (&self->lock);
      self->full = full;
      pthread_cond_broadcast (&self->changed);
      pthread_mutex_unlock (&self->lock);
      return;
    }
  atomic_store_explicit (&self->full, full, memory_order_release);
  if (way == BY_FUTEX)
    syscall (SYS_futex, &self->full, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void
put (Place   *self,
     Way      way,
     VkEvent  event)
{
  wait_until (self, way, 0);
  self->event = event;
  set_full (self, way, 1);
}

static VkEvent
take (Place *self,
      Way    way)
{
  VkEvent event;

  wait_until (self, way, 1);
  event = self->event;
  set_full (self, way, 0);
  return event;
}

/* Hands nothing on at last. */
static void *
make (void *data)
{
  const VkEventCreateInfo info = { .sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO };
  Chain *self = data;

  for (uint32_t i = 0; !atomic_load (&stopping); i++)
    {
      VkEvent event;

      while (i >= atomic_load (&n_allowed) && !atomic_load (&stopping))
        sched_yield ();

      vtr_app_check (vkCreateEvent (gpu.device, &info, NULL, &event), "vkCreateEvent");
      put (&self->made, self->way, event);
    }
  put (&self->made, self->way, VK_NULL_HANDLE);
  return NULL;
}

static void *
use (void *data)
{
  Chain *self = data;
  VkEvent event;

  do
    {
      event = take (&self->made, self->way);
      if (event != VK_NULL_HANDLE)
        vtr_app_check (vkSetEvent (gpu.device, event), "vkSetEvent");
      put (&self->used, self->way, event);
    }
  while (event != VK_NULL_HANDLE);
  return NULL;
}

static void *
destroy (void *data)
{
  Chain *self = data;
  VkEvent event;

  while ((event = take (&self->used, self->way)) != VK_NULL_HANDLE)
    {
      if (vkGetEventStatus (gpu.device, event) != VK_EVENT_SET)
        vtr_app_fail ("an event is not set");
      vkDestroyEvent (gpu.device, event, NULL);
      atomic_fetch_add (&n_destroyed[self->way], 1);
    }
  return NULL;
}

int
main (int    argc,
      char **argv)
{
  static void *(*const works[]) (void *) = { make, use, destroy };
  static Chain chains[N_WAYS];
  uint32_t n_frames = 60;
  const VtrAppOption options[] = {
    { "--frames", &n_frames, NULL, NULL, "number of frames (60)" },
    { 0 },
  };

  vtr_app_options (argc, argv, options);
  vtr_app_gpu_init (&gpu, NULL, false);
  for (int i = 0; i < N_WAYS; i++)
    {
      chains[i] = (Chain){ .way = i };
      for (Place *place = &chains[i].made; place <= &chains[i].used; place++)
        {
          pthread_mutex_init (&place->lock, NULL);
          pthread_cond_init (&place->changed, NULL);
        }
      for (int j = 0; j < 3; j++)
        if (pthread_create (&chains[i].threads[j], NULL, works[j], &chains[i]) != 0)
          vtr_app_fail ("there is no thread");
    }
  for (uint32_t i = 0; i < n_frames; i++)
    {
      vtr_app_check (vkQueueSubmit (gpu.queue, 0, NULL, VK_NULL_HANDLE), "vkQueueSubmit");
      vtr_app_check (vkQueueWaitIdle (gpu.queue), "vkQueueWaitIdle");
      /* The last two are on their way. */
      for (int j = 0; j < N_WAYS; j++)
        while (atomic_load (&n_destroyed[j]) + 2 < (i + 1) * OBJECTS)
          sched_yield ();
      atomic_fetch_add (&n_allowed, OBJECTS);
    }
  atomic_store (&stopping, true);
  for (int i = 0; i < N_WAYS; i++)
    for (int j = 0; j < 3; j++)
      pthread_join (chains[i].threads[j], NULL);
  vtr_app_gpu_finish (&gpu);
  return 0;
}
