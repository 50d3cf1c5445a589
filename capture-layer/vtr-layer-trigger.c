#include "vtr-layer-trigger.h"

#include "vtr-layer-recorder.h"

static struct
{
  pthread_mutex_t lock; /* one thread begins or ends a recording */
  uint64_t first_frame; /* of the recording under way */
  uint32_t request;     /* that it answers */
} trigger = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* What was asked for has ended. */
static void
answer (uint32_t request)
{
  atomic_store_explicit (&vtr_layer_ring.header->trigger_done, request, memory_order_release);
}

static void
set_mode (VtrRingMode mode)
{
  uint32_t before =
    mode == VTR_RING_MODE_RECORD ? VTR_RING_MODE_IDLE : VTR_RING_MODE_RECORD;

  /* The host may have switched everything off meanwhile. */
  atomic_compare_exchange_strong (&vtr_layer_ring.header->mode, &before, (uint32_t)mode);
}

static void
begin (VtrLayerThread *thread,
       uint32_t        request,
       uint64_t        frames)
{
  if (!vtr_ring_log_start (&thread->log, request, frames))
    return;
  trigger.first_frame = frames;
  trigger.request = request;
  set_mode (VTR_RING_MODE_RECORD);
}

static void
end (VtrLayerThread *thread)
{
  set_mode (VTR_RING_MODE_IDLE);
  vtr_ring_log_pause (&thread->log, VTR_RING_STATE_DONE);
  answer (trigger.request);
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
