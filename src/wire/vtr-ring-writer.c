/* Writes records into the shared ring from inside the captured program: links segments into chains
 * and takes tickets, without blocking the program for long. */
#include "vtr-ring-writer-private.h"

/* Takes @n segments and links them to each other, ready to follow @after. Returns: the first,
 * or 0. */
static uint32_t
take_run (VtrRingWriter        *ring,
          const VtrRingSegment *after,
          size_t                n,
          bool                  modest)
{
  uint32_t first = 0;
  VtrRingSegment *last = NULL;

  for (size_t i = 0; i < n; i++)
    {
      uint32_t index = modest ? vtr_ring_writer_take_modestly (ring) : vtr_ring_writer_take (ring);
      VtrRingSegment *segment;

      if (index == 0)
        {
          while (first != 0)
            {
              uint32_t next = vtr_ring_writer_segment (ring, first)->next;

              vtr_ring_writer_drop (ring, first);
              if (modest)
                atomic_fetch_sub_explicit (&ring->n_modest, 1, memory_order_relaxed);
              first = next;
            }
          return 0;
        }
      segment = vtr_ring_writer_segment (ring, index);
      vtr_ring_segment_init (segment, (VtrRingSegmentKind)after->kind,
                             after->position + 1 + (uint32_t)i,
                             after->thread, after->object, after->stream, after->begin_ticket);
      if (last != NULL)
        atomic_store_explicit (&last->next, index, memory_order_relaxed);
      else
        first = index;
      last = segment;
    }
  return first;
}

bool
vtr_ring_chain_advance (VtrRingChain *self)
{
  uint32_t index;

  if (self->segment == NULL)
    return false;
  index = take_run (self->ring, self->segment, 1, self->modest);
  if (index == 0)
    return false;
  atomic_store_explicit (&self->segment->next, index, memory_order_release);
  vtr_ring_chain_enter (self, index);
  return true;
}

/* ---- Records of any size ---- */

/* Where a record will go: the chain's cursor, or a run of fresh segments not yet linked. */
typedef struct
{
  size_t total; /* bytes of the record, padded */
  uint32_t run; /* first fresh segment of a straddling record, else 0 */
} Place;

static bool
find_place (VtrRingChain *self,
            size_t        total,
            Place        *place)
{
  place->total = total;
  place->run = 0;
  if (total <= (size_t)(self->end - self->cursor))
    return true;
  if (total <= VTR_RING_SEGMENT_PAYLOAD)
    return vtr_ring_chain_advance (self);
  place->run = take_run (self->ring, self->segment,
                         (total + VTR_RING_SEGMENT_PAYLOAD - 1) / VTR_RING_SEGMENT_PAYLOAD,
                         self->modest);
  return place->run != 0;
}

static void
commit_cursor (VtrRingChain *self)
{
  atomic_store_explicit (&self->segment->committed,
                         (uint32_t)(self->cursor - (uint8_t *)self->segment), memory_order_release);
}

/* Goes on in the next segments when there is no room left in one. */
static void
write_part (VtrRingChain      *self,
            const VtrRingPart *part)
{
  const uint8_t *data = part->data;
  size_t left = part->size;

  while (left > 0)
    {
      size_t room = (size_t)(self->end - self->cursor);
      size_t n = left < room ? left : room;

      if (room == 0)
        {
          commit_cursor (self);
          vtr_ring_chain_enter (self, atomic_load_explicit (&self->segment->next,
                                                            memory_order_relaxed));
          continue;
        }
      memcpy (self->cursor, data, n);
      data += n;
      left -= n;
      self->cursor += n;
    }
}

static void
write_straddling (VtrRingChain      *self,
                  uint32_t           run,
                  const void        *header,
                  size_t             header_size,
                  const VtrRingPart *parts,
                  size_t             n_parts)
{
  atomic_store_explicit (&self->segment->next, run, memory_order_release);
  vtr_ring_chain_enter (self, run);
  memcpy (self->cursor, header, header_size);
  self->cursor += header_size;
  for (size_t i = 0; i < n_parts; i++)
    write_part (self, &parts[i]);
  self->cursor += VTR_RING_ALIGN ((uintptr_t)self->cursor) - (uintptr_t)self->cursor;
  commit_cursor (self);
}

static void
write_record (VtrRingChain      *self,
              const Place       *place,
              const void        *header,
              size_t             header_size,
              const VtrRingPart *parts,
              size_t             n_parts)
{
  uint8_t *to = self->cursor + header_size;

  if (place->run != 0)
    {
      write_straddling (self, place->run, header, header_size, parts, n_parts);
      return;
    }
  memcpy (self->cursor, header, header_size);
  for (size_t i = 0; i < n_parts; i++)
    {
      if (parts[i].size > 0)
        memcpy (to, parts[i].data, parts[i].size);
      to += parts[i].size;
    }
  self->cursor += place->total;
  commit_cursor (self);
}

/* ---- Attaching ---- */

/* ---- Logs ---- */

bool
vtr_ring_log_open (VtrRingLog    *self,
                   VtrRingWriter *ring,
                   uint64_t       thread)
{
  memset (self, 0, sizeof *self);
  self->stream = VTR_RING_NO_STREAM;
  self->thread = thread;
  self->chain.ring = ring;

  for (uint32_t i = 0; i < ring->n_streams; i++)
    {
      VtrRingStream *stream = &ring->streams[i];
      uint32_t expected = VTR_RING_STREAM_FREE;

      if (atomic_load_explicit (&stream->state, memory_order_relaxed) != VTR_RING_STREAM_FREE ||
          !atomic_compare_exchange_strong (&stream->state, &expected, VTR_RING_STREAM_OPEN))
        continue;
      stream->thread = thread;
      atomic_store_explicit (&stream->inside, 0, memory_order_relaxed);
      self->stream = i;
      return true;
    }
  vtr_ring_writer_end (ring, VTR_RING_STATE_THREADS);
  return false;
}

void
vtr_ring_log_close (VtrRingLog *self)
{
  VtrRingWriter *ring = self->chain.ring;

  if (ring == NULL || self->stream == VTR_RING_NO_STREAM || ring->header == NULL)
    return;
  /* If nothing was logged, no reader has to read anything first. */
  atomic_store_explicit (&ring->streams[self->stream].state,
                         self->chain.segment == NULL ? VTR_RING_STREAM_FREE
                                                     : VTR_RING_STREAM_CLOSED,
                         memory_order_release);
  self->stream = VTR_RING_NO_STREAM;
}

static void
publish_first_log_segment (VtrRingLog *self,
                           uint32_t    index)
{
  VtrRingChain *chain = &self->chain;

  vtr_ring_segment_init (vtr_ring_writer_segment (chain->ring, index), VTR_RING_SEGMENT_LOG, 0,
                         self->thread,
                         0, self->stream, 0);
  chain->first = index;
  vtr_ring_chain_enter (chain, index);
  atomic_store_explicit (&chain->ring->streams[self->stream].first, index, memory_order_release);
}

static bool
ensure_log (VtrRingLog *self)
{
  uint32_t index;

  if (self->chain.segment != NULL)
    return true;
  if (self->stream == VTR_RING_NO_STREAM)
    return false;
  index = vtr_ring_writer_take (self->chain.ring);
  if (index == 0)
    return false;
  publish_first_log_segment (self, index);
  return true;
}

/* Says in the log why it ends here, in the segment kept for this. */
static void
mark_stop (VtrRingLog *self)
{
  VtrRingWriter *ring = self->chain.ring;
  struct
  {
    VtrRingRecord record;
    uint32_t state;
    uint32_t padding;
  } stop = { { 4, VTR_RECORD_STOP, 0, 0 }, 0, 0 };
  const Place here = { sizeof stop, 0 };
  uint32_t spare = __atomic_exchange_n (&ring->spare, 0, __ATOMIC_ACQ_REL);

  if (spare == 0 || self->stream == VTR_RING_NO_STREAM)
    return;
  if (self->chain.segment == NULL)
    publish_first_log_segment (self, spare);
  else
    {
      const VtrRingSegment *after = self->chain.segment;

      vtr_ring_segment_init (vtr_ring_writer_segment (ring, spare), VTR_RING_SEGMENT_LOG,
                             after->position + 1, self->thread, 0, self->stream, 0);
      atomic_store_explicit (&self->chain.segment->next, spare, memory_order_release);
      vtr_ring_chain_enter (&self->chain, spare);
    }
  stop.state = atomic_load (&ring->ended);
  stop.record.ticket = atomic_fetch_add (&ring->header->next_ticket, 1);
  write_record (&self->chain, &here, &stop, sizeof stop, NULL, 0);
}

static bool
accepts (const VtrRingWriter *ring,
         uint16_t             type)
{
  uint32_t ended = atomic_load_explicit (&((VtrRingWriter *)ring)->ended, memory_order_relaxed);

  return ended == 0 || (ended == VTR_RING_STATE_DONE && type == VTR_RECORD_RETURNED);
}

/* Bytes of all parts; SIZE_MAX: more than there can be. */
static size_t
sum_parts (const VtrRingPart *parts,
           size_t             n_parts)
{
  size_t size = 0;

  for (size_t i = 0; i < n_parts; i++)
    if (__builtin_add_overflow (size, parts[i].size, &size))
      return SIZE_MAX;
  return size;
}

static uint64_t
take_ticket (VtrRingLog *self)
{
  if (self->n_reserved == 0)
    return atomic_fetch_add_explicit (&self->chain.ring->header->next_ticket, 1,
                                      memory_order_acq_rel);
  self->n_reserved--;
  return self->reserved++;
}

VtrStatus
vtr_ring_log_append_parts (VtrRingLog        *self,
                           uint16_t           type,
                           uint16_t           flags,
                           const VtrRingPart *parts,
                           size_t             n_parts,
                           uint64_t          *out_ticket)
{
  size_t size = sum_parts (parts, n_parts);
  VtrRingRecord record = { (uint32_t)size, type, flags, 0 };
  VtrRingWriter *ring = self->chain.ring;
  Place place;

  if (!accepts (ring, type))
    {
      mark_stop (self);
      return VTR_CLOSED;
    }
  if (size > UINT32_MAX - 4096 || !ensure_log (self) ||
      !find_place (&self->chain, VTR_RING_ALIGN (sizeof record + size), &place))
    {
      vtr_ring_writer_end (ring, VTR_RING_STATE_NO_MEMORY);
      mark_stop (self);
      return VTR_CLOSED;
    }

  record.ticket = take_ticket (self);
  write_record (&self->chain, &place, &record, sizeof record, parts, n_parts);
  if (out_ticket != NULL)
    *out_ticket = record.ticket;
  return VTR_OK;
}

VtrStatus
vtr_ring_log_append (VtrRingLog *self,
                     uint16_t    type,
                     uint16_t    flags,
                     const void *payload,
                     size_t      size,
                     uint64_t   *out_ticket)
{
  return vtr_ring_log_append_parts (self, type, flags, &(const VtrRingPart){ payload, size }, 1,
                                    out_ticket);
}

void
vtr_ring_log_reserve (VtrRingLog *self,
                      uint64_t    n)
{
  self->reserved =
    atomic_fetch_add_explicit (&self->chain.ring->header->next_ticket, n, memory_order_acq_rel);
  self->n_reserved = n;
}

void
vtr_ring_log_fill (VtrRingLog *self)
{
  /* Without a ticket in it, such a record is about no call. */
  while (self->n_reserved > 0 &&
         vtr_ring_log_append (self, VTR_RECORD_RETURNED, 0, NULL, 0, NULL) == VTR_OK)
    ;
}

void
vtr_ring_log_stop (VtrRingLog *self)
{
  vtr_ring_writer_end (self->chain.ring, VTR_RING_STATE_DONE);
  mark_stop (self);
}

bool
vtr_ring_log_start (VtrRingLog *self,
                    uint32_t    request,
                    uint64_t    frame)
{
  const VtrRingStart start = { request, 0, frame };

  if (vtr_ring_log_append (self, VTR_RECORD_START, 0, &start, sizeof start, NULL) != VTR_OK)
    return false;
  atomic_store_explicit (&self->chain.ring->header->state, VTR_RING_STATE_RUNNING,
                         memory_order_release);
  return true;
}

void
vtr_ring_log_pause (VtrRingLog   *self,
                    VtrRingState  state)
{
  const uint32_t stop = state;

  if (vtr_ring_log_append (self, VTR_RECORD_STOP, 0, &stop, sizeof stop, NULL) == VTR_OK)
    atomic_store_explicit (&self->chain.ring->header->state, stop, memory_order_release);
}

/* ---- Blocks ---- */

VtrStatus
vtr_ring_block_append (VtrRingChain *self,
                       uint16_t      type,
                       uint16_t      flags,
                       const void   *payload,
                       size_t        size)
{
  VtrRingBlockRecord record = { (uint32_t)size, type, flags };
  const VtrRingPart part = { payload, size };
  Place place;

  if (self->segment == NULL || size > UINT32_MAX - 4096 ||
      !find_place (self, VTR_RING_ALIGN (sizeof record + size), &place))
    return VTR_CLOSED;
  write_record (self, &place, &record, sizeof record, &part, 1);
  return VTR_OK;
}
