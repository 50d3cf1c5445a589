/* Taking, filling and giving back the segments of a ring, for its logs and blocks.
 *
 * Threading: any; a chain and a segment that was just taken have one user. */
#pragma once

#include "vtr-ring-writer.h"

/* Whether .fd is still the ring's file. The program may have closed the descriptor (daemons close all that they do not know)
 * and opened a file of its own with the same number. */
bool vtr_ring_writer_has_file (const VtrRingWriter *self);

/* Reserves the pages of the segment and of its neighbours in the file system, because a store to an unreserved page of a full
 * file system raises SIGBUS. Returns: false if there is no space. */
bool vtr_ring_writer_back (VtrRingWriter *self,
                           uint32_t       index);

/* Takes a free segment, without waiting and without reserving its pages. Returns: its index, with one reference; 0 if no
 * segment is free. */
uint32_t vtr_ring_writer_try_take (VtrRingWriter *self);

/* Takes a free segment with reserved pages. Waits until the host frees one if need be. Returns: its index; 0 once recording
 * has ended. */
uint32_t vtr_ring_writer_take (VtrRingWriter *self);

/* Takes a free segment with reserved pages for a modest chain: leaves a quarter of the ring free, and neither waits nor ends
 * the recording. Returns: its index; 0 if there is no room. */
uint32_t vtr_ring_writer_take_modestly (VtrRingWriter *self);

/* Drops a reference to a segment. The segment is free when the last one is dropped. */
void vtr_ring_writer_drop (VtrRingWriter *self,
                           uint32_t       index);

/* Makes @segment empty, without a next segment. */
static inline void
vtr_ring_segment_init (VtrRingSegment     *segment,
                       VtrRingSegmentKind  kind,
                       uint32_t            position,
                       uint64_t            thread,
                       uint64_t            object,
                       uint32_t            stream,
                       uint64_t            begin_ticket)
{
  atomic_store_explicit (&segment->next, 0, memory_order_relaxed);
  atomic_store_explicit (&segment->block_flags, 0, memory_order_relaxed);
  segment->kind = kind;
  segment->position = position;
  segment->thread = thread;
  segment->object = object;
  segment->stream = stream;
  segment->begin_ticket = begin_ticket;
  segment->resume = 0;
  segment->names = 0;
  memset (segment->reserved, 0, sizeof segment->reserved);
  atomic_store_explicit (&segment->committed, (uint32_t)sizeof *segment, memory_order_release);
}

/* Continues the chain at the start of segment @index. */
static inline void
vtr_ring_chain_enter (VtrRingChain *self,
                      uint32_t      index)
{
  VtrRingSegment *segment = vtr_ring_writer_segment (self->ring, index);

  if (self->segment != NULL)
    self->bytes += (uint64_t)(self->cursor - (uint8_t *)self->segment) - sizeof *segment;
  self->segment = segment;
  self->current = index;
  self->cursor = (uint8_t *)(segment + 1);
  self->end = (uint8_t *)segment + VTR_RING_SEGMENT_SIZE;
}
