/* Keeps the lists of APIs that are recorded in this process, and of their namespaces. */
#include "vtr-capture-core.h"

#include "vtr-layer-transport.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static struct
{
  pthread_mutex_t lock; /* of those who add */
  const VtrCaptureApi *apis[VTR_CAPTURE_MAX_APIS];
  atomic_uint n;
} known = { .lock = PTHREAD_MUTEX_INITIALIZER };

bool
vtr_capture_core_add_api (const VtrCaptureApi *api)
{
  unsigned n;

  pthread_mutex_lock (&known.lock);
  n = atomic_load_explicit (&known.n, memory_order_relaxed);
  if (n < VTR_CAPTURE_MAX_APIS)
    {
      known.apis[n] = api;
      atomic_store_explicit (&known.n, n + 1, memory_order_release);
    }
  pthread_mutex_unlock (&known.lock);
  return n < VTR_CAPTURE_MAX_APIS;
}

const VtrCaptureApi *
vtr_capture_core_get_api (unsigned nth)
{
  return nth < atomic_load_explicit (&known.n, memory_order_acquire) ? known.apis[nth] : NULL;
}

const VtrCaptureApi *
vtr_capture_core_find_api (VtrCmdId cmd)
{
  const VtrCaptureApi *api;

  for (unsigned i = 0; (api = vtr_capture_core_get_api (i)) != NULL; i++)
    if ((uint32_t)cmd - (uint32_t)api->first_command < api->n_commands)
      return api;
  return NULL;
}

/* ---- Namespaces ---- */

static struct
{
  pthread_mutex_t lock;
  VtrNamespace *first;
} namespaces = { .lock = PTHREAD_MUTEX_INITIALIZER };

void
vtr_namespace_begin (VtrNamespace        *self,
                     const VtrCaptureApi *api)
{
  self->api = api;
  self->previous = NULL;
  pthread_mutex_lock (&namespaces.lock);
  self->next = namespaces.first;
  if (self->next != NULL)
    self->next->previous = self;
  namespaces.first = self;
  pthread_mutex_unlock (&namespaces.lock);
}

void
vtr_namespace_end (VtrNamespace *self)
{
  pthread_mutex_lock (&namespaces.lock);
  if (self->previous != NULL)
    self->previous->next = self->next;
  else
    namespaces.first = self->next;
  if (self->next != NULL)
    self->next->previous = self->previous;
  pthread_mutex_unlock (&namespaces.lock);
}

void
vtr_namespace_for_each (const VtrCaptureApi *api,
                        void (*each) (VtrNamespace *self,
                                      void *data),
                        void *data)
{
  pthread_mutex_lock (&namespaces.lock);
  for (VtrNamespace *self = namespaces.first; self != NULL; self = self->next)
    if (api == NULL || self->api == api)
      each (self, data);
  pthread_mutex_unlock (&namespaces.lock);
}

/* In the child of a fork(): another thread of the parent may have had the lock. */
static void
forked (void)
{
  namespaces.lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}

static __attribute__ ((constructor)) void
watch_forks (void)
{
  vtr_layer_transport_at_fork (forked);
}
