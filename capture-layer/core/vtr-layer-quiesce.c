/* Waits until no thread is inside a call and the device is idle, and lets single calls through on
 * which others wait. */
#include "vtr-layer-quiesce.h"

#include "vtr-capture-core.h"

#include <stddef.h>

/* From the beginning, in milliseconds. */
#define STILL_MS 100   /* threads are out of their calls, or some are let through */
#define QUIET_MS 150   /* the device is idle, or some are let through */
#define AWAITED_MS 270 /* idle with what their work waited for */
#define OPEN_MS 300    /* idle with what their work waited for, or all others are let through */
#define CLOSED_MS 400  /* no thread is let through any more */
#define OUT_MS 440     /* all threads are outside */
#define DEADLINE_MS 500

#define SETTLED_MS 10 /* for work that has nothing to wait for */
#define MIN(a, b) ((a) < (b) ? (a) : (b))

static atomic_bool has_host_waits;

/* Whether every API does @step. */
static bool
all_do (VtrQuiesceStep step,
        int64_t        deadline)
{
  const VtrCaptureApi *api;
  bool done = true;

  for (unsigned i = 0; (api = vtr_capture_core_get_api (i)) != NULL; i++)
    if (api->quiesce != NULL && !api->quiesce (step, deadline))
      done = false;
  return done;
}

static bool
mark_work (void)
{
  return all_do (VTR_QUIESCE_MARK, 0);
}

/* Returns: whether all marks were reached. */
static bool
wait_for_marks (int64_t deadline)
{
  return all_do (VTR_QUIESCE_WAIT, deadline);
}

/* Lets only calls through for which the current work waits, until that work is done. Returns:
 * whether it is; the gate is closed then. */
static bool
try_awaited (VtrLayerThread *thread,
             int64_t         start)
{
  const int64_t end = start + AWAITED_MS;

  while (vtr_layer_now_ms () < end)
    {
      vtr_layer_gate_set (VTR_LAYER_GATE_AWAITED);
      if (!wait_for_marks (end))
        return false;
      /* Calls that were let through meanwhile may wait for something themselves. */
      vtr_layer_gate_set (VTR_LAYER_GATE_CLOSED);
      if (!vtr_layer_gate_wait (&thread->place, end))
        return false;
      if (!mark_work ())
        return false;
      if (wait_for_marks (MIN (end, vtr_layer_now_ms () + SETTLED_MS)))
        return true;
    }
  return false;
}

/* Returns: whether the device came to rest with only the calls for which its work waited. If
 * not, others are let through for a while: first calls that may end waits, then all calls. */
static bool
try_quietly (VtrLayerThread *thread,
             int64_t         start)
{
  static const struct
  {
    VtrLayerGateState state;
    int64_t end;
  } steps[] = { { VTR_LAYER_GATE_SIGNALS, OPEN_MS }, { VTR_LAYER_GATE_OPEN, CLOSED_MS } };
  bool out;

  vtr_layer_gate_set (VTR_LAYER_GATE_CLOSED);
  out = vtr_layer_gate_wait (&thread->place, start + STILL_MS);
  if (out && mark_work () &&
      (wait_for_marks (start + QUIET_MS) || try_awaited (thread, start)))
    return true;
  for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++)
    {
      vtr_layer_gate_set (steps[i].state);
      if (out ? wait_for_marks (start + steps[i].end)
              : vtr_layer_gate_wait (&thread->place, start + steps[i].end))
        break;
    }
  return false;
}

const char *
vtr_layer_quiesce_begin (VtrLayerThread *thread)
{
  int64_t start = vtr_layer_now_ms ();

  /* Calls that the driver makes back into the program on this thread pass. */
  thread->place.depth++;
  if (try_quietly (thread, start))
    return NULL;
  vtr_layer_gate_set (VTR_LAYER_GATE_CLOSED);
  if (!vtr_layer_gate_wait (&thread->place, start + OUT_MS))
    return "A thread of the program did not come out of a call";
  if (!mark_work ())
    return "The driver did not accept another submission";
  if (!wait_for_marks (start + DEADLINE_MS))
    return "The program's work on the GPU did not come to an end";
  return NULL;
}

void
vtr_layer_quiesce_note_host_waits (void)
{
  atomic_store_explicit (&has_host_waits, true, memory_order_relaxed);
}

bool
vtr_layer_quiesce_begin_last (VtrLayerThread *thread)
{
  if (atomic_load_explicit (&has_host_waits, memory_order_relaxed))
    return vtr_layer_quiesce_begin (thread) == NULL;
  thread->place.depth++;
  vtr_layer_gate_set (VTR_LAYER_GATE_CLOSED);
  /* Threads that do not come out are only recorded after the end. */
  vtr_layer_gate_wait (&thread->place, vtr_layer_now_ms () + DEADLINE_MS);
  return true;
}

void
vtr_layer_quiesce_end (VtrLayerThread *thread)
{
  vtr_layer_gate_set (VTR_LAYER_GATE_OPEN);
  thread->place.depth--;
}
