#include "vtr-layer-gate.h"

#include "api/vtr-api-types.h"

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
  pthread_mutex_t lock;   /* guards the list */
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
passes (uint32_t state,
        VtrCmdId cmd)
{
  if (state == VTR_LAYER_GATE_OPEN)
    return true;
  return state == VTR_LAYER_GATE_SIGNALS && cmd < VTR_CMD_COUNT &&
         (cmd == VTR_CMD_vkSetEvent || cmd == VTR_CMD_vkSignalSemaphore ||
          cmd == VTR_CMD_vkSignalSemaphoreKHR || vtr_cmd_is (cmd, VTR_CLASS_SUBMIT));
}

static void
pass (VtrLayerGatePlace *place,
      VtrCmdId           cmd)
{
  const struct timespec slice = { 1, 0 };

  for (int seconds = 0;; seconds++)
    {
      uint32_t state;

      /* Either we see the gate closed or who closes it sees us inside. */
      atomic_store (&place->inside, 1);
      state = atomic_load (&gate.state);
      /* Who closed it may wait for what we hold, in a callback of the program's: not for ever. */
      if (__builtin_expect (passes (state, cmd) || seconds > LONGEST_WAIT, 1))
        return;
      atomic_store (&place->inside, 0);
      if (syscall (SYS_futex, &gate.state, FUTEX_WAIT_PRIVATE, state, &slice, NULL, 0) == 0 ||
          errno != ETIMEDOUT)
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

void
vtr_layer_gate_set (VtrLayerGateState state)
{
  atomic_store (&gate.state, (uint32_t)state);
  syscall (SYS_futex, &gate.state, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
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
