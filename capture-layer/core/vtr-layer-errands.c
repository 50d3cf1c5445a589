/* Runs work of the layer on the program's own threads, when they pass the gate. */
#include "vtr-layer-errands.h"

#include "vtr-capture-core.h"

#include <pthread.h>
#include <time.h>

static struct
{
  pthread_mutex_t lock;    /* one thread does its errand */
  _Atomic uint32_t wanted; /* number of the round under way; 0: none */
  uint32_t n_rounds;       /* only the thread that cuts */
} errands = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void
do_errand (VtrLayerThread *thread,
           uint32_t        round)
{
  const VtrNamespace *context = thread->context;

  if (context->api->errand != NULL)
    context->api->errand (thread);
  atomic_store (&thread->place.errand, round);
}

void
vtr_layer_errands_visit (VtrLayerGatePlace *place)
{
  VtrLayerThread *thread = vtr_layer_self;
  uint32_t round = atomic_load (&errands.wanted);

  if (round == 0 || thread == NULL || &thread->place != place || thread->context == NULL ||
      atomic_load (&place->errand) == round)
    return;
  pthread_mutex_lock (&errands.lock);
  /* It may have been given up meanwhile. */
  if (atomic_load (&errands.wanted) == round)
    do_errand (thread, round);
  pthread_mutex_unlock (&errands.lock);
}

bool
vtr_layer_errands_run (VtrLayerThread *thread,
                       int64_t         deadline)
{
  const struct timespec nap = { 0, 100000 };
  const uint32_t round = ++errands.n_rounds;
  bool done;

  if (thread->context != NULL)
    do_errand (thread, round);
  atomic_store (&errands.wanted, round);
  vtr_layer_gate_set (VTR_LAYER_GATE_CLOSED);
  while (!(done = vtr_layer_gate_have_done (round)) && vtr_layer_now_ms () < deadline)
    nanosleep (&nap, NULL);
  pthread_mutex_lock (&errands.lock);
  atomic_store (&errands.wanted, 0);
  pthread_mutex_unlock (&errands.lock);
  return done;
}

/* In the child of a fork(). */
static void
forked (void)
{
  errands.lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
  atomic_store (&errands.wanted, 0);
}

static __attribute__ ((constructor)) void
watch_forks (void)
{
  vtr_layer_transport_at_fork (forked);
}
