/* Keeps the lists of APIs that are recorded in this process, and of their namespaces. */
#include "vtr-capture-core.h"

#include "vtr-layer-transport.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static struct
{
  pthread_mutex_t lock; /* of those who add */
  const VtrCaptureApi *apis[VTR_CAPTURE_MAX_APIS];
  uint8_t *traits[VTR_CAPTURE_MAX_APIS]; /* VtrCallTraits by command */
  atomic_uint n;
} known = { .lock = PTHREAD_MUTEX_INITIALIZER };

bool
vtr_capture_core_add_api (const VtrCaptureApi *api)
{
  uint8_t *traits = calloc (api->n_commands, 1);
  unsigned n;
  bool added;

  for (uint32_t i = 0; traits != NULL && api->get_traits != NULL && i < api->n_commands; i++)
    traits[i] = api->get_traits ((VtrCmdId)(api->first_command + i));
  pthread_mutex_lock (&known.lock);
  n = atomic_load_explicit (&known.n, memory_order_relaxed);
  added = traits != NULL && n < VTR_CAPTURE_MAX_APIS;
  if (added)
    {
      known.apis[n] = api;
      known.traits[n] = traits;
      atomic_store_explicit (&known.n, n + 1, memory_order_release);
    }
  pthread_mutex_unlock (&known.lock);
  if (!added)
    free (traits);
  return added;
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
  for (unsigned i = 0; vtr_capture_core_get_api (i) != NULL; i++)
    if (known.apis[i] == api)
      self->traits = known.traits[i];
  self->first_command = api->first_command;
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
