/* Stops the program's threads between two calls, without deadlocks among them, so that a
 * mid-run capture can write down a state that does not change. */
#include "vtr-layer-gate.h"

#include "vtr-capture-core.h"
#include "vtr-layer-errands.h"
#include "vtr-layer-transport.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define LONGEST_WAIT 60 /* seconds at the gate */

static struct
{
  _Atomic uint32_t state; /* VtrLayerGateState; a futex */
  atomic_bool forced;
  bool paused;          /* by a thread that has not continued */
  pthread_mutex_t lock; /* guards the list, .paused, and changes of .state */
  VtrLayerGatePlace *first;
} gate = { .lock = PTHREAD_MUTEX_INITIALIZER };

int64_t
vtr_layer_now_ms (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void
vtr_layer_gate_add (VtrLayerGatePlace *place)
{
  pthread_mutex_lock (&gate.lock);
  place->previous = NULL;
  place->next = gate.first;
  if (gate.first != NULL)
    gate.first->previous = place;
  gate.first = place;
  pthread_mutex_unlock (&gate.lock);
}

void
vtr_layer_gate_remove (VtrLayerGatePlace *place)
{
  pthread_mutex_lock (&gate.lock);
  if (place->previous != NULL)
    place->previous->next = place->next;
  else
    gate.first = place->next;
  if (place->next != NULL)
    place->next->previous = place->previous;
  pthread_mutex_unlock (&gate.lock);
}

static bool
passes (const VtrLayerGatePlace *place,
        uint32_t                 state,
        VtrCmdId                 cmd)
{
  const VtrCaptureApi *api;

  if (state == VTR_LAYER_GATE_OPEN)
    return true;
  if (state == VTR_LAYER_GATE_CLOSED || state == VTR_LAYER_GATE_PAUSED)
    return false;
  /* One that comes back from a wait may be about to signal. */
  if (cmd == VTR_CMD_NONE)
    return true;
  api = vtr_capture_core_find_api (cmd);
  return api != NULL && api->may_pass != NULL && api->may_pass (state, cmd, place->args);
}

static void
pass (VtrLayerGatePlace *place,
      VtrCmdId           cmd)
{
  const struct timespec slice = { 1, 0 }, glance = { 0, 500000 };

  for (int seconds = 0;; seconds++)
    {
      uint32_t state;
      bool looks;

      /* Either we see the gate closed or who closes it sees us inside. */
      atomic_store (&place->inside, 1);
      state = atomic_load (&gate.state);
      if (__builtin_expect (passes (place, state, cmd), 1))
        return;
      /* The thread that closed the gate may wait, in a callback of the program, for something that
       * we hold, so the wait ends after a while. */
      if (seconds > LONGEST_WAIT)
        {
          atomic_store (&gate.forced, true);
          return;
        }
      atomic_store (&place->inside, 0);
      vtr_layer_errands_visit (place);
      /* The awaited values change with every submitted wait. */
      looks = state == VTR_LAYER_GATE_AWAITED;
      if (syscall (SYS_futex, &gate.state, FUTEX_WAIT_PRIVATE, state, looks ? &glance : &slice,
                   NULL, 0) == 0 ||
          errno != ETIMEDOUT || looks)
        seconds--;
    }
}

void
vtr_layer_gate_enter (VtrLayerGatePlace *place,
                      VtrCmdId           cmd)
{
  if (place->depth++ == 0)
    pass (place, cmd);
}

void
vtr_layer_gate_enter_signaller (VtrLayerGatePlace *place,
                                VtrCmdId           cmd,
                                const void        *args)
{
  if (place->depth++ > 0)
    return;
  place->args = args;
  pass (place, cmd);
  place->args = NULL;
}

void
vtr_layer_gate_leave (VtrLayerGatePlace *place)
{
  if (--place->depth == 0)
    atomic_store_explicit (&place->inside, 0, memory_order_release);
}

void
vtr_layer_gate_rest (VtrLayerGatePlace *place)
{
  if (place->depth == 1)
    atomic_store_explicit (&place->inside, 0, memory_order_release);
}

void
vtr_layer_gate_resume (VtrLayerGatePlace *place)
{
  if (place->depth == 1)
    pass (place, VTR_CMD_NONE);
}

static void
wake (void)
{
  syscall (SYS_futex, &gate.state, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

void
vtr_layer_gate_set (VtrLayerGateState state)
{
  if (state == VTR_LAYER_GATE_OPEN)
    atomic_store (&gate.forced, false);
  pthread_mutex_lock (&gate.lock);
  if (state == VTR_LAYER_GATE_OPEN && gate.paused)
    state = VTR_LAYER_GATE_PAUSED;
  atomic_store (&gate.state, (uint32_t)state);
  pthread_mutex_unlock (&gate.lock);
  wake ();
}

static bool
pause_if_open (void)
{
  bool open;

  pthread_mutex_lock (&gate.lock);
  open = atomic_load (&gate.state) == VTR_LAYER_GATE_OPEN;
  if (open)
    {
      gate.paused = true;
      atomic_store (&gate.state, VTR_LAYER_GATE_PAUSED);
    }
  pthread_mutex_unlock (&gate.lock);
  return open;
}

bool
vtr_layer_gate_pause (VtrLayerGatePlace *place,
                      int64_t            deadline)
{
  const struct timespec nap = { 0, 100000 };

  for (;;)
    {
      /* Inside first: who closes the gate from now on waits for us. */
      pass (place, VTR_CMD_NONE);
      if (pause_if_open ())
        break;
      atomic_store (&place->inside, 0);
      if (vtr_layer_now_ms () >= deadline)
        return false;
      nanosleep (&nap, NULL);
    }
  if (vtr_layer_gate_wait (place, deadline))
    return true;
  vtr_layer_gate_go_on (place);
  return false;
}

void
vtr_layer_gate_go_on (VtrLayerGatePlace *place)
{
  pthread_mutex_lock (&gate.lock);
  gate.paused = false;
  if (atomic_load (&gate.state) == VTR_LAYER_GATE_PAUSED)
    atomic_store (&gate.state, VTR_LAYER_GATE_OPEN);
  pthread_mutex_unlock (&gate.lock);
  atomic_store (&place->inside, 0);
  wake ();
}

/* In the child there is one thread. */
static void
forked (void)
{
  /* Another thread of the parent may have had the lock. */
  gate.lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
  gate.paused = false;
  atomic_store (&gate.forced, false);
  atomic_store (&gate.state, VTR_LAYER_GATE_OPEN);
}

static __attribute__ ((constructor)) void
watch_forks (void)
{
  vtr_layer_transport_at_fork (forked);
}

bool
vtr_layer_gate_was_forced (void)
{
  return atomic_load (&gate.forced);
}

static bool
is_empty (const VtrLayerGatePlace *self)
{
  bool empty = true;

  pthread_mutex_lock (&gate.lock);
  for (const VtrLayerGatePlace *each = gate.first; each != NULL && empty; each = each->next)
    empty = each == self || atomic_load (&((VtrLayerGatePlace *)each)->inside) == 0;
  pthread_mutex_unlock (&gate.lock);
  return empty;
}

bool
vtr_layer_gate_have_done (uint32_t round)
{
  bool done = true;

  pthread_mutex_lock (&gate.lock);
  for (VtrLayerGatePlace *each = gate.first; each != NULL && done; each = each->next)
    done = !atomic_load (&each->has_errand) || atomic_load (&each->errand) == round;
  pthread_mutex_unlock (&gate.lock);
  return done;
}

bool
vtr_layer_gate_wait (const VtrLayerGatePlace *self,
                     int64_t                  deadline)
{
  const struct timespec nap = { 0, 100000 };

  while (!is_empty (self))
    {
      if (vtr_layer_now_ms () >= deadline)
        return false;
      nanosleep (&nap, NULL);
    }
  return true;
}
