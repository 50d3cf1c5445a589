/* Keeps the list of APIs that are recorded in this process. */
#include "vtr-capture-core.h"

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
