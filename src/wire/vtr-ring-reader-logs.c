/* Reads the logs of a ring and merges them by ticket; the next record of each log waits in a
 * heap. */
#include "wire/vtr-ring-reader-private.h"

#include <string.h>

/* Streams are taken from the lowest free index; this many may be skipped by racing threads. */
#define STREAM_SLACK 64

static bool
goes_before (const VtrRingReader *self,
             uint32_t             a,
             uint32_t             b)
{
  return self->streams[a].head.ticket < self->streams[b].head.ticket;
}

static void
push_head (VtrRingReader *self,
           uint32_t       stream)
{
  uint32_t at = self->n_heap++;

  while (at > 0 && goes_before (self, stream, self->heap[(at - 1) / 2]))
    {
      self->heap[at] = self->heap[(at - 1) / 2];
      at = (at - 1) / 2;
    }
  self->heap[at] = stream;
}

static uint32_t
pop_head (VtrRingReader *self)
{
  uint32_t top = self->heap[0], last = self->heap[--self->n_heap], at = 0;

  for (;;)
    {
      uint32_t child = 2 * at + 1;

      if (child >= self->n_heap)
        break;
      if (child + 1 < self->n_heap && goes_before (self, self->heap[child + 1], self->heap[child]))
        child++;
      if (!goes_before (self, self->heap[child], last))
        break;
      self->heap[at] = self->heap[child];
      at = child;
    }
  self->heap[at] = last;
  return top;
}

static void
give_up (VtrRingReader    *self,
         VtrRingLogCursor *stream)
{
  stream->damaged = true;
  self->n_damaged++;
}

/* Moves a log's cursor from the end of its segment to the next one. Returns: false when it
 * stays. */
static bool
advance_log (VtrRingReader *self,
             uint32_t       index)
{
  VtrRingLogCursor *stream = &self->streams[index];
  bool closed = atomic_load_explicit (&self->shared_streams[index].state, memory_order_acquire) ==
                VTR_RING_STREAM_CLOSED;
  VtrRingHeld held = { self->next_ticket - 1, stream->segment, index, 0, false };
  uint32_t next;

  /* .next is read before .committed, so that everything appended before the link was made is
   * seen. */
  if (vtr_ring_reader_next_segment (self, stream->segment, &next) != VTR_OK)
    {
      give_up (self, stream);
      return false;
    }
  if (stream->offset < vtr_ring_reader_committed (self, stream->segment))
    return true;
  if (next == 0 && !closed)
    return false;
  /* The segments of a large record are linked before the first is written. Only a chain's very
   * first segment can stay empty forever. */
  if (next != 0 && stream->offset == VTR_RING_SEGMENT_HEADER &&
      vtr_ring_reader_segment (self, stream->segment)->position > 0)
    return false;

  held.next = next;
  if (vtr_ring_reader_hold (self, &held) != VTR_OK)
    return false;
  if (next == 0)
    {
      stream->drained = true;
      return false;
    }
  stream->segment = next;
  stream->offset = VTR_RING_SEGMENT_HEADER;
  return true;
}

static bool
begin_log (VtrRingReader *self,
           uint32_t       index)
{
  VtrRingLogCursor *stream = &self->streams[index];
  VtrRingStream *shared = &self->shared_streams[index];
  uint32_t state = atomic_load_explicit (&shared->state, memory_order_acquire);
  uint32_t first = atomic_load_explicit (&shared->first, memory_order_acquire);
  uint32_t resume;

  if (state != VTR_RING_STREAM_OPEN && state != VTR_RING_STREAM_CLOSED)
    return false;
  if (first == 0)
    {
      /* Closed before anything was logged: nothing to wait for. */
      if (state == VTR_RING_STREAM_CLOSED)
        atomic_store_explicit (&shared->state, VTR_RING_STREAM_FREE, memory_order_release);
      return false;
    }
  if (!vtr_ring_reader_is_segment (self, first, VTR_RING_SEGMENT_LOG))
    {
      give_up (self, stream);
      return false;
    }
  resume = vtr_ring_reader_segment (self, first)->resume;
  if (resume != 0 && (resume < VTR_RING_SEGMENT_HEADER || resume > VTR_RING_SEGMENT_SIZE ||
                      resume % 8 != 0))
    {
      give_up (self, stream);
      return false;
    }
  stream->segment = first;
  stream->offset = resume == 0 ? VTR_RING_SEGMENT_HEADER : resume;
  return true;
}

/* Looks for the next record of a log that has none in the heap. */
static void
load_head (VtrRingReader *self,
           uint32_t       index)
{
  VtrRingLogCursor *stream = &self->streams[index];
  VtrRingRecord record;

  if (stream->segment == 0 && !begin_log (self, index))
    return;
  for (;;)
    {
      uint32_t committed = vtr_ring_reader_committed (self, stream->segment);

      if (committed < stream->offset)
        {
          give_up (self, stream);
          return;
        }
      if (committed == stream->offset)
        {
          if (!advance_log (self, index))
            return;
          continue;
        }
      if (committed - stream->offset < sizeof record)
        {
          give_up (self, stream);
          return;
        }
      memcpy (&record, (uint8_t *)vtr_ring_reader_segment (self, stream->segment) + stream->offset,
              sizeof record);
      stream->head = (VtrRingItem){
        .ticket = record.ticket,
        .thread = vtr_ring_reader_segment (self, stream->segment)->thread,
        .size = record.size,
        .type = record.type,
        .flags = record.flags,
      };
      stream->head_segment = stream->segment;
      stream->has_head = true;
      push_head (self, index);
      return;
    }
}

/* @all: also those far beyond the known ones, as after many threads have started and ended. */
static void
load_heads (VtrRingReader *self,
            bool           all)
{
  uint32_t limit = all ? self->n_streams : self->n_known + STREAM_SLACK;

  if (limit > self->n_streams)
    limit = self->n_streams;
  for (uint32_t i = 0; i < limit; i++)
    {
      VtrRingLogCursor *stream = &self->streams[i];

      if (stream->has_head || stream->damaged || stream->drained)
        continue;
      load_head (self, i);
      if (stream->segment != 0 && i >= self->n_known)
        self->n_known = i + 1;
    }
}

/* Holds the segments that a straddling record left behind. A reader that starts in the middle of
 * them, after the host's death, must know where the next record begins. */
static VtrStatus
hold_between (VtrRingReader *self,
              uint32_t       index,
              uint32_t       from,
              uint32_t       to)
{
  /* The chain was sound when it was read; it may be another by now. */
  for (uint32_t i = 0; from != to; i++)
    {
      VtrRingHeld held = { self->next_ticket - 1, from, index, 0, false };
      VtrStatus status = vtr_ring_reader_next_segment (self, from, &held.next);

      if (status == VTR_OK && (held.next == 0 || i == self->n_segments))
        status = VTR_CORRUPT;
      if (status == VTR_OK)
        status = vtr_ring_reader_hold (self, &held);
      if (status != VTR_OK)
        return status;
      vtr_ring_reader_segment (self, held.next)->resume =
        held.next == to ? self->streams[index].offset : VTR_RING_SEGMENT_SIZE;
      from = held.next;
    }
  return VTR_OK;
}

/* Takes the record at the top of the heap. Returns: VTR_TIMEOUT if it is not complete yet. */
static VtrStatus
take_head (VtrRingReader *self,
           VtrRingItem   *out)
{
  uint32_t index = self->heap[0];
  VtrRingLogCursor *stream = &self->streams[index];
  uint32_t from = stream->segment;
  VtrStatus status;

  status = vtr_ring_reader_read (self, &stream->segment, &stream->offset, sizeof (VtrRingRecord),
                                 stream->head.size, &stream->head.data);
  if (status == VTR_TIMEOUT || status == VTR_NO_MEMORY)
    return status;
  pop_head (self);
  stream->has_head = false;
  if (status == VTR_OK && stream->head.ticket == UINT64_MAX)
    status = VTR_CORRUPT;
  if (status == VTR_OK)
    {
      if (stream->head.ticket >= self->next_ticket)
        self->next_ticket = stream->head.ticket + 1;
      status = hold_between (self, index, from, stream->segment);
    }
  if (status != VTR_OK)
    {
      give_up (self, stream);
      return VTR_CORRUPT;
    }
  *out = stream->head;
  return VTR_OK;
}

/* Whether the record that comes next is at the top of the heap. */
static bool
has_next (const VtrRingReader *self,
          bool                 skip)
{
  return self->n_heap > 0 &&
         (skip || self->streams[self->heap[0]].head.ticket <= self->next_ticket);
}

/* Whether the block that a record announces is still where it says. Once it was given back, another
 * may have begun there; that one began after the record. */
static bool
is_in_place (const VtrRingReader *self,
             const VtrRingItem   *item)
{
  VtrRingBlockRef ref;

  if (item->size != sizeof ref)
    return false;
  memcpy (&ref, item->data, sizeof ref);
  return vtr_ring_reader_is_segment (self, ref.first, VTR_RING_SEGMENT_BLOCK) &&
         vtr_ring_reader_segment (self, ref.first)->begin_ticket <= item->ticket;
}

/* A record that the file has already. A block it announces is not left over. */
static VtrStatus
pass_over (VtrRingReader     *self,
           const VtrRingItem *item)
{
  VtrRingBlock block;
  uint32_t flags;

  if (item->type == VTR_RECORD_BLOCK && is_in_place (self, item) &&
      vtr_ring_reader_open_block (self, item, &block, &flags) == VTR_NO_MEMORY)
    return VTR_NO_MEMORY;
  return VTR_OK;
}

VtrStatus
vtr_ring_reader_next (VtrRingReader *self,
                      bool           skip,
                      VtrRingItem   *out)
{
  enum
  {
    NOT_LOADED,
    LOADED_KNOWN,
    LOADED_ALL,
  } loaded = NOT_LOADED;

  for (;;)
    {
      uint32_t index;
      VtrStatus status;

      /* Before a gap is skipped, every log must have been looked at. */
      if (!has_next (self, skip && loaded == LOADED_ALL))
        {
          if (loaded == LOADED_ALL)
            return VTR_TIMEOUT;
          load_heads (self, loaded == LOADED_KNOWN);
          loaded++;
          continue;
        }

      index = self->heap[0];
      status = take_head (self, out);
      if (status == VTR_TIMEOUT && skip)
        {
          /* The writer died inside: the record was never committed, nor is anything after it. */
          pop_head (self);
          self->streams[index].has_head = false;
          self->streams[index].damaged = true;
          continue;
        }
      if (status == VTR_CORRUPT)
        continue;
      if (status != VTR_OK)
        return status;
      load_head (self, index);
      if (out->ticket >= self->first_ticket)
        return VTR_OK;
      status = pass_over (self, out);
      if (status != VTR_OK)
        return status;
    }
}

bool
vtr_ring_reader_has_gap (VtrRingReader *self)
{
  return self->n_heap > 0 && self->streams[self->heap[0]].head.ticket > self->next_ticket;
}
