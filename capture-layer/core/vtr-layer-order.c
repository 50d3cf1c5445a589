/* Counts the changes of followed objects, and remembers why no recording can begin. */
#include "vtr-layer-order.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>

static _Atomic uint64_t last_order;
static _Atomic bool failed;
static char failure[256];

uint64_t
vtr_layer_live_next_order (void)
{
  return atomic_fetch_add_explicit (&last_order, 1, memory_order_relaxed) + 1;
}

/* Orders at the last frame boundaries. */
#define FRAMES VTR_LAYER_RECENT_FRAMES
static _Atomic uint64_t frame_orders[FRAMES];
static _Atomic uint32_t n_frames;

void
vtr_layer_live_note_frame (void)
{
  uint32_t n = atomic_fetch_add_explicit (&n_frames, 1, memory_order_relaxed);

  atomic_store_explicit (&frame_orders[n % FRAMES],
                         atomic_load_explicit (&last_order, memory_order_relaxed),
                         memory_order_relaxed);
}

uint32_t
vtr_layer_live_count_frames (void)
{
  return atomic_load_explicit (&n_frames, memory_order_relaxed);
}

uint64_t
vtr_layer_live_get_recent_order (void)
{
  uint32_t n = atomic_load_explicit (&n_frames, memory_order_relaxed);

  return n < FRAMES ? 0
                    : atomic_load_explicit (&frame_orders[n % FRAMES], memory_order_relaxed);
}

const char *
vtr_layer_live_get_failure (void)
{
  return atomic_load_explicit (&failed, memory_order_acquire) ? failure : "";
}

void
vtr_layer_live_fail (const char *format,
                     ...)
{
  static atomic_flag taken = ATOMIC_FLAG_INIT;
  va_list args;

  if (atomic_flag_test_and_set (&taken))
    return;
  va_start (args, format);
  vsnprintf (failure, sizeof failure, format, args);
  va_end (args);
  atomic_store_explicit (&failed, true, memory_order_release);
}
