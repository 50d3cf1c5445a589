/* What the files of the ring's writer share: segments.
 *
 * Threading: VtrRingWriter: any. */
#pragma once

#include "vtr-ring-writer.h"

/* Whether .fd is still the ring: the program may have closed it behind our back (daemons close all
 * they do not know) and opened something of its own in its place. */
bool vtr_ring_writer_has_file (const VtrRingWriter *self);

/* Reserves the segment's pages and their neighbours: a store into a hole of a full file system
 * would be SIGBUS. Returns: false when there is no space. */
bool vtr_ring_writer_back (VtrRingWriter *self,
                           uint32_t       index);

/* Returns: a segment with one reference, or 0 when there is none now. Its pages are not
 * reserved. */
uint32_t vtr_ring_writer_try_take (VtrRingWriter *self);

/* Returns: a reserved segment, waiting for the host if need be, or 0 when recording has ended. */
uint32_t vtr_ring_writer_take (VtrRingWriter *self);

/* The same for what can be done without. Returns: 0 when there is no room now. */
uint32_t vtr_ring_writer_take_modestly (VtrRingWriter *self);

/* Drops a reference; the last one gives the segment back. */
void vtr_ring_writer_drop (VtrRingWriter *self,
                           uint32_t       index);

/* Makes it an empty segment that nobody is linked to. */
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

/* The chain is written on at the start of this segment. */
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
