#include "vtr-layer-trigger.h"

#include "vtr-layer-initial.h"
#include "vtr-layer-rest.h"

#include "base/vtr-log.h"

#include <stdio.h>
#include <stdlib.h>

#define TRIES 4    /* frame boundaries at which a recording may fail to begin */
#define END_MS 500 /* for threads to come out of their calls, at the end */

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
  why = vtr_layer_rest_begin (thread);
  if (why == NULL)
    begin_at_rest (thread, request, frames);
  else if (++trigger.n_tries >= TRIES)
    {
      snprintf (sentence, sizeof sentence, "%s, at %u frames in a row.", why, trigger.n_tries);
      decline (thread, request, false, sentence);
    }
  vtr_layer_rest_end (thread);
}

static void
end (VtrLayerThread *thread)
{
  /* If someone does not come out, what it does is merely recorded behind the end. */
  vtr_layer_rest_begin_threads (thread, END_MS);
  set_mode (VTR_RING_MODE_IDLE);
  vtr_layer_map_sweep (&vtr_layer_devices, end_memory, NULL);
  vtr_ring_log_pause (&thread->log, VTR_RING_STATE_DONE);
  answer (trigger.request);
  vtr_layer_rest_end (thread);
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
