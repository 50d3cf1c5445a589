/* Takes segments of a ring, waits for free ones, and gives them back. */
#include "vtr-ring-writer-private.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define WAIT_SLICE_MS 100
#define REWIND_AFTER 64 /* segments */

static_assert (VTR_RING_BACKING % VTR_RING_SEGMENT_SIZE == 0, "whole segments are reserved");

static int64_t
now_ms (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void
futex_wait (_Atomic uint32_t *word,
            uint32_t          expected,
            int               timeout_ms)
{
  struct timespec timeout = { timeout_ms / 1000, timeout_ms % 1000 * 1000000L };

  syscall (SYS_futex, word, FUTEX_WAIT, expected, &timeout, NULL, 0);
}

void
vtr_ring_writer_end (VtrRingWriter *self,
                     VtrRingState   state)
{
  uint32_t none = 0;

  if (!atomic_compare_exchange_strong (&self->ended, &none, (uint32_t)state))
    return;
  atomic_store_explicit (&self->header->state, (uint32_t)state, memory_order_release);
  syscall (SYS_futex, &self->header->released, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* Returns: 0, or an errno. */
static int
reserve (const VtrRingWriter *self,
         const uint8_t       *start,
         size_t               size)
{
  off_t offset = (off_t)(start - (const uint8_t *)self->header);

  if (!vtr_ring_writer_has_file (self))
    return EBADF;
  while (fallocate (self->fd, 0, offset, (off_t)size) != 0)
    if (errno != EINTR)
      return errno;
  return 0;
}

bool
vtr_ring_writer_back (VtrRingWriter *self,
                      uint32_t       index)
{
  size_t offset = (size_t)index * VTR_RING_SEGMENT_SIZE / VTR_RING_BACKING * VTR_RING_BACKING;
  size_t left = (size_t)self->n_segments * VTR_RING_SEGMENT_SIZE - offset;
  size_t size = left < VTR_RING_BACKING ? left : VTR_RING_BACKING;
  size_t run = offset / VTR_RING_BACKING;
  _Atomic uint64_t *word = &self->backed[run / 64];
  uint64_t bit = UINT64_C (1) << (run % 64);
  uint8_t *start = self->segments + offset;
  bool reserved;
  int code;

  if (atomic_load_explicit (word, memory_order_relaxed) & bit)
    return true;

  code = reserve (self, start, size);
  reserved = code == 0;
  if (!reserved && code != EBADF && code != EOPNOTSUPP && code != ENODEV && code != EINVAL)
    return false;

#ifdef MADV_POPULATE_WRITE
  /* One call instead of a fault per page. */
  if (madvise (start, size, MADV_POPULATE_WRITE) == 0)
    reserved = true;
#endif
  if (reserved)
    atomic_fetch_or_explicit (word, bit, memory_order_relaxed);
  return reserved;
}

void
vtr_ring_writer_warm (VtrRingWriter *self,
                      uint32_t       n)
{
  for (uint32_t i = 0; i < n && i < self->n_segments; i++)
    if (!vtr_ring_writer_back (self, i))
      return;
}

uint32_t
vtr_ring_writer_try_take (VtrRingWriter *self)
{
  VtrRingHeader *header = self->header;
  uint32_t released = atomic_load_explicit (&header->released, memory_order_relaxed);
  uint32_t from = atomic_load_explicit (&header->alloc_hint, memory_order_relaxed);
  uint32_t n = self->n_segments;

  /* Low segments first: their pages are mapped and warm. */
  if (atomic_load_explicit (&self->released_seen, memory_order_relaxed) != released &&
      (atomic_fetch_add_explicit (&self->taken_since, 1, memory_order_relaxed) >= REWIND_AFTER))
    {
      atomic_store_explicit (&self->released_seen, released, memory_order_relaxed);
      atomic_store_explicit (&self->taken_since, 0, memory_order_relaxed);
      from = 1;
    }
  if (from == 0 || from >= n)
    from = 1;

  for (uint32_t i = 0; i < n; i++)
    {
      uint32_t index = from + i < n ? from + i : from + i - n;
      uint32_t none = 0;

      if (index == 0 || atomic_load_explicit (&self->refs[index], memory_order_relaxed) != 0)
        continue;
      if (!atomic_compare_exchange_strong_explicit (&self->refs[index], &none, 1,
                                                    memory_order_acquire, memory_order_relaxed))
        continue;
      atomic_store_explicit (&header->alloc_hint, index + 1, memory_order_relaxed);
      return index;
    }
  return 0;
}

/* Waits until a segment is free. Returns: 0 when recording has ended. */
static uint32_t
wait_for_segment (VtrRingWriter *self)
{
  int64_t deadline = now_ms () + VTR_RING_FULL_TIMEOUT_MS;

  for (;;)
    {
      uint32_t released = atomic_load (&self->header->released);
      uint32_t index;
      int64_t left;

      if (vtr_ring_writer_has_ended (self))
        return 0;
      index = vtr_ring_writer_try_take (self);
      if (index != 0)
        return index;
      left = deadline - now_ms ();
      if (left <= 0)
        {
          vtr_ring_writer_end (self, VTR_RING_STATE_FULL);
          return 0;
        }
      futex_wait (&self->header->released, released,
                  (int)(left < WAIT_SLICE_MS ? left : WAIT_SLICE_MS));
    }
}

uint32_t
vtr_ring_writer_take (VtrRingWriter *self)
{
  uint32_t index;

  if (vtr_ring_writer_has_ended (self))
    return 0;
  index = vtr_ring_writer_try_take (self);
  if (index == 0)
    {
      /* Counted before it looks again, so that a thread that frees a segment after that look wakes
       * it. */
      atomic_fetch_add (&self->n_waiting, 1);
      index = wait_for_segment (self);
      atomic_fetch_sub (&self->n_waiting, 1);
    }
  if (index != 0 && !vtr_ring_writer_back (self, index))
    {
      atomic_store_explicit (&self->refs[index], 0, memory_order_release);
      vtr_ring_writer_end (self, VTR_RING_STATE_NO_SPACE);
      index = 0;
    }
  return index;
}

uint32_t
vtr_ring_writer_take_modestly (VtrRingWriter *self)
{
  uint32_t n = atomic_fetch_add_explicit (&self->n_modest, 1, memory_order_relaxed);
  uint32_t index = 0;

  if (!vtr_ring_writer_has_ended (self) && n < self->n_segments / 4 * 3)
    index = vtr_ring_writer_try_take (self);
  if (index != 0 && !vtr_ring_writer_back (self, index))
    {
      atomic_store_explicit (&self->refs[index], 0, memory_order_release);
      index = 0;
    }
  if (index == 0)
    atomic_fetch_sub_explicit (&self->n_modest, 1, memory_order_relaxed);
  return index;
}

void
vtr_ring_writer_drop (VtrRingWriter *self,
                      uint32_t       index)
{
  if (atomic_fetch_sub_explicit (&self->refs[index], 1, memory_order_acq_rel) == 1)
    {
      /* Our own releases count as well: a thread may be waiting for room. */
      atomic_fetch_add (&self->header->released, 1);
      if (atomic_load (&self->n_waiting) > 0)
        syscall (SYS_futex, &self->header->released, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
    }
}
