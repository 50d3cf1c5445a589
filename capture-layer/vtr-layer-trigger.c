#include "vtr-layer-trigger.h"

#include "vtr-layer-initial.h"

#include "base/vtr-log.h"

#include <stdio.h>
#include <stdlib.h>

#define TRIES 4        /* frame boundaries at which a recording may fail to begin */
#define WAIT_MS 500    /* for the program to come to rest, each time */
#define SIGNALS_MS 400 /* of these: threads may signal what others wait for */

static struct
{
  pthread_mutex_t lock; /* one thread begins or ends a recording */
  uint64_t first_frame; /* of the recording under way */
  uint32_t request;     /* that it answers */
  uint32_t n_tries;     /* of the request that has not begun */
} trigger = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* What was asked for has ended. */
static void
answer (uint32_t request)
{
  trigger.n_tries = 0;
  atomic_store_explicit (&vtr_layer_ring.header->trigger_done, request, memory_order_release);
}

static void
set_mode (VtrRingMode mode)
{
  uint32_t before = mode == VTR_RING_MODE_RECORD ? VTR_RING_MODE_IDLE : VTR_RING_MODE_RECORD;

  /* The host may have switched everything off meanwhile. */
  atomic_compare_exchange_strong (&vtr_layer_ring.header->mode, &before, (uint32_t)mode);
}

/* ---- Coming to rest ---- */

typedef struct
{
  int64_t deadline;
  bool idle;
} Drain;

/* Waits until a queue has done its work. An empty submission ends after all that were before it. */
static bool
drain_queue (VtrLayerDevice *device,
             VkQueue         queue,
             int64_t         deadline)
{
  const VkFenceCreateInfo info = { .sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO };
  VkDevice handle = device->handle;
  int64_t left = deadline - vtr_layer_now_ms ();
  VkFence fence;
  VkResult result;

  if (device->next.CreateFence (handle, &info, NULL, &fence) != VK_SUCCESS)
    return false;
  result = device->next.QueueSubmit (queue, 0, NULL, fence);
  if (result == VK_SUCCESS)
    result = device->next.WaitForFences (handle, 1, &fence, VK_TRUE,
                                         left > 0 ? (uint64_t)left * 1000000u : 0);
  /* One that is still to be signalled cannot go: it stays until its device does. */
  if (result != VK_TIMEOUT)
    device->next.DestroyFence (handle, fence, NULL);
  return result == VK_SUCCESS;
}

static bool
drain_device (uint64_t  key,
              void     *value,
              void     *data)
{
  VtrLayerDevice *device = value;
  Drain *self = data;

  if (device->live == NULL)
    return false;
  for (const VtrLayerCreation *each = device->live->first; each != NULL && self->idle;
       each = each->next)
    for (const VtrLayerObject *object = each->objects; object != NULL; object = object->sibling)
      if (object->type == VTR_HANDLE_VkQueue && !object->dead)
        self->idle = self->idle &&
                     drain_queue (device, (VkQueue)(uintptr_t)object->handle, self->deadline);
  return false;
}

/* Stops the threads and lets the GPU finish. Returns: NULL, or why it does not. */
static const char *
come_to_rest (VtrLayerThread *thread)
{
  int64_t deadline = vtr_layer_now_ms () + WAIT_MS;
  Drain drain = { deadline, true };

  vtr_layer_gate_set (VTR_LAYER_GATE_CLOSED);
  if (!vtr_layer_gate_wait (&thread->place, deadline))
    return "a thread of the program did not come out of a call";
  vtr_layer_map_sweep (&vtr_layer_devices, drain_device, &drain);
  return drain.idle ? NULL : "the program's work on the GPU did not come to an end";
}

/* ---- Beginning and ending ---- */

static void
decline (VtrLayerThread *thread,
         uint32_t        request,
         bool            started,
         const char     *why)
{
  vtr_layer_transport_notice (VTR_LOG_ERROR, "No capture could be made here: %s", why);
  if (started)
    vtr_ring_log_pause (&thread->log, VTR_RING_STATE_DECLINED);
  else
    atomic_store_explicit (&vtr_layer_ring.header->state, VTR_RING_STATE_DECLINED,
                           memory_order_release);
  answer (request);
}

static bool
end_memory (uint64_t  key,
            void     *value,
            void     *data)
{
  vtr_layer_memory_end (&((VtrLayerDevice *)value)->memory);
  return false;
}

/* All threads rest. */
static void
begin_at_rest (VtrLayerThread *thread,
               uint32_t        request,
               uint64_t        frames)
{
  char why[VTR_LAYER_WHY_MAX];

  if (!vtr_ring_log_start (&thread->log, request, frames))
    return;
  if (!vtr_layer_initial_write (thread, why))
    {
      vtr_layer_map_sweep (&vtr_layer_devices, end_memory, NULL);
      decline (thread, request, true, why);
      return;
    }
  trigger.first_frame = frames;
  trigger.request = request;
  trigger.n_tries = 0;
  set_mode (VTR_RING_MODE_RECORD);
}

static void
begin (VtrLayerThread *thread,
       uint32_t        request,
       uint64_t        frames)
{
  const char *why = vtr_layer_live_get_failure ();
  char sentence[VTR_LAYER_WHY_MAX];

  if (why[0] != '\0')
    {
      snprintf (sentence, sizeof sentence, "%s.", why);
      decline (thread, request, false, sentence);
      return;
    }
  /* Calls that the driver makes back into the program pass the gate. */
  thread->place.depth++;
  why = come_to_rest (thread);
  if (why == NULL)
    begin_at_rest (thread, request, frames);
  else if (++trigger.n_tries >= TRIES)
    {
      snprintf (sentence, sizeof sentence, "%s, %u frames in a row.", why, trigger.n_tries);
      decline (thread, request, false, sentence);
    }
  vtr_layer_gate_set (VTR_LAYER_GATE_OPEN);
  thread->place.depth--;
}

static void
end (VtrLayerThread *thread)
{
  thread->place.depth++;
  vtr_layer_gate_set (VTR_LAYER_GATE_CLOSED);
  /* If someone does not come out, what it does is merely recorded behind the end. */
  vtr_layer_gate_wait (&thread->place, vtr_layer_now_ms () + WAIT_MS);
  set_mode (VTR_RING_MODE_IDLE);
  vtr_layer_map_sweep (&vtr_layer_devices, end_memory, NULL);
  vtr_ring_log_pause (&thread->log, VTR_RING_STATE_DONE);
  answer (trigger.request);
  vtr_layer_gate_set (VTR_LAYER_GATE_OPEN);
  thread->place.depth--;
}

void
vtr_layer_trigger_boundary (uint64_t frames)
{
  VtrRingHeader *header = vtr_layer_ring.header;
  VtrLayerThread *thread = vtr_layer_thread_get ();
  uint32_t request, limit;

  if (thread == NULL || pthread_mutex_trylock (&trigger.lock) != 0)
    return;
  request = atomic_load_explicit (&header->trigger_request, memory_order_acquire);
  limit = atomic_load_explicit (&header->frame_limit, memory_order_relaxed);
  if (vtr_layer_is_recording () && limit != 0 && frames - trigger.first_frame >= limit)
    end (thread);
  else if (vtr_layer_get_mode () == VTR_RING_MODE_IDLE &&
           request != atomic_load_explicit (&header->trigger_done, memory_order_relaxed) &&
           frames >= atomic_load_explicit (&header->trigger_frame, memory_order_relaxed))
    begin (thread, request, frames);
  pthread_mutex_unlock (&trigger.lock);
}
