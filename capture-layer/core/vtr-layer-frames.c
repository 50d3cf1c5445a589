/* Counts frames, and ends a recording from launch once it has all its frames. */
#include "vtr-layer-frames.h"

#include "vtr-layer-thumbnail.h"
#include "vtr-layer-trigger.h"

void
vtr_layer_count_frame (int32_t result)
{
  VtrRingHeader *header = vtr_layer_ring.header;
  VtrLayerThread *thread;
  uint64_t frames;
  uint32_t limit;

  /* Runs in the same stay inside as the call that ends the frame, because a recording counts the
   * frames that it contains. */
  if (header == NULL || vtr_layer_get_mode () == VTR_RING_MODE_OFF)
    return;
  frames = atomic_fetch_add_explicit (&header->frames, 1, memory_order_relaxed) + 1;
  if (frames == 1)
    vtr_layer_transport_rung (VTR_CAPTURE_RUNG_FIRST_FRAME, result, "");
  if (vtr_layer_is_live ())
    {
      vtr_layer_trigger_count (vtr_layer_self);
      return;
    }
  limit = atomic_load_explicit (&header->frame_limit, memory_order_relaxed);
  if (limit == 0 || frames < limit || !vtr_layer_is_recording ())
    return;
  thread = vtr_layer_thread_get ();
  if (thread != NULL)
    {
      vtr_layer_thumbnail_commit (thread);
      vtr_ring_log_stop (&thread->log);
    }
  vtr_layer_transport_stop ();
}

/* Submissions after which a program that may present, but has made no surface, is taken for one
 * that does not. */
#define SUBMISSIONS_WITHOUT_SURFACE 64

static _Atomic bool has_surface;
static _Atomic uint32_t n_presenters;
static _Atomic uint32_t n_submissions;

void
vtr_layer_count_surface (void)
{
  atomic_store_explicit (&has_surface, true, memory_order_relaxed);
}

void
vtr_layer_count_presenter (bool made)
{
  if (made)
    atomic_fetch_add_explicit (&n_presenters, 1, memory_order_relaxed);
  else
    atomic_fetch_sub_explicit (&n_presenters, 1, memory_order_relaxed);
}

void
vtr_layer_count_submission (void)
{
  VtrRingHeader *header = vtr_layer_ring.header;

  if (!vtr_layer_is_live () || header == NULL || !vtr_layer_is_encoding () ||
      atomic_load_explicit (&has_surface, memory_order_relaxed))
    return;
  if (atomic_load_explicit (&n_presenters, memory_order_relaxed) > 0 &&
      atomic_fetch_add_explicit (&n_submissions, 1, memory_order_relaxed) <
        SUBMISSIONS_WITHOUT_SURFACE)
    return;
  atomic_fetch_add_explicit (&header->frames, 1, memory_order_relaxed);
  vtr_layer_trigger_count (vtr_layer_self);
}
