/* Checks and maps the parts of a ring for its reader, and gives segments back to the writer. */
#include "wire/vtr-ring-reader-private.h"

#include "base/vtr-grow.h"

#include <limits.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAX_SEGMENTS (1u << 20)

/* ---- Set-up ---- */

static bool
region_fits (uint64_t offset,
             uint64_t bytes,
             uint64_t size)
{
  return offset <= size && bytes <= size - offset;
}

static VtrStatus
check_header (const VtrRingHeader *header,
              size_t               size)
{
  if (memcmp (header->magic, VTR_RING_MAGIC, sizeof header->magic) != 0)
    return VTR_CORRUPT;
  if (header->version != VTR_RING_VERSION || header->segment_size != VTR_RING_SEGMENT_SIZE)
    return VTR_UNSUPPORTED;
  return VTR_OK;
}

static VtrStatus
adopt_layout (VtrRingReader *self,
              size_t         size)
{
  uint64_t streams = self->header->streams_offset, refs = self->header->refs_offset;
  uint64_t segments = self->header->segments_offset;

  self->n_segments = self->header->n_segments;
  self->n_streams = self->header->n_streams;
  if (self->n_segments < 2 || self->n_segments > MAX_SEGMENTS || self->n_streams == 0 ||
      self->n_streams > VTR_RING_MAX_STREAMS || streams % 8 != 0 || refs % 8 != 0 ||
      segments % VTR_RING_SEGMENT_SIZE != 0 || streams < sizeof (VtrRingHeader) ||
      refs < sizeof (VtrRingHeader) || segments < sizeof (VtrRingHeader) ||
      !region_fits (streams, (uint64_t)self->n_streams * sizeof (VtrRingStream), size) ||
      !region_fits (refs, (uint64_t)self->n_segments * sizeof (uint32_t), size) ||
      !region_fits (segments, (uint64_t)self->n_segments * VTR_RING_SEGMENT_SIZE, size))
    return VTR_CORRUPT;

  self->shared_streams = (VtrRingStream *)(void *)((uint8_t *)self->header + streams);
  self->refs = (_Atomic uint32_t *)(void *)((uint8_t *)self->header + refs);
  self->segments = (uint8_t *)self->header + segments;
  return VTR_OK;
}

VtrStatus
vtr_ring_reader_new (void           *mapping,
                     size_t          size,
                     uint64_t        first_ticket,
                     VtrRingReader **out)
{
  VtrRingReader *self;
  VtrStatus status;

  if (size < sizeof (VtrRingHeader) || (uintptr_t)mapping % alignof (VtrRingHeader) != 0)
    return VTR_CORRUPT;
  status = check_header (mapping, size);
  if (status != VTR_OK)
    return status;

  self = calloc (1, sizeof *self);
  if (self == NULL)
    return VTR_NO_MEMORY;
  self->header = mapping;
  self->first_ticket = self->next_ticket = first_ticket == 0 ? 1 : first_ticket;
  status = adopt_layout (self, size);
  if (status == VTR_OK)
    {
      self->streams = calloc (self->n_streams, sizeof *self->streams);
      self->heap = calloc (self->n_streams, sizeof *self->heap);
      if (self->streams == NULL || self->heap == NULL)
        status = VTR_NO_MEMORY;
    }
  if (status != VTR_OK)
    {
      vtr_ring_reader_free (self);
      return status;
    }
  *out = self;
  return VTR_OK;
}

void
vtr_ring_reader_free (VtrRingReader *self)
{
  if (self == NULL)
    return;
  vtr_buffer_finish (&self->scratch);
  free (self->streams);
  free (self->heap);
  free (self->held);
  free (self);
}

uint64_t
vtr_ring_reader_get_next_ticket (const VtrRingReader *self)
{
  return self->next_ticket;
}

unsigned
vtr_ring_reader_get_n_damaged (const VtrRingReader *self)
{
  return self->n_damaged;
}

/* ---- Segments ---- */

VtrStatus
vtr_ring_reader_next_segment (const VtrRingReader *self,
                              uint32_t             index,
                              uint32_t            *out)
{
  const VtrRingSegment *segment = vtr_ring_reader_segment (self, index);
  uint32_t next = atomic_load_explicit ((_Atomic uint32_t *)&segment->next, memory_order_acquire);

  if (next != 0 && (!vtr_ring_reader_is_segment (self, next, (VtrRingSegmentKind)segment->kind) ||
                    vtr_ring_reader_segment (self, next)->position != segment->position + 1))
    return VTR_CORRUPT;
  *out = next;
  return VTR_OK;
}

VtrStatus
vtr_ring_reader_hold (VtrRingReader     *self,
                      const VtrRingHeld *held)
{
  VtrRingHeld *grown;

  if (self->n_held == self->held_capacity && self->first_held > self->n_held / 2)
    {
      self->n_held -= self->first_held;
      memmove (self->held, self->held + self->first_held, self->n_held * sizeof *self->held);
      self->first_held = 0;
    }
  grown = vtr_grow (self->held, &self->held_capacity, self->n_held + 1, sizeof *grown);
  if (grown == NULL)
    return VTR_NO_MEMORY;
  self->held = grown;
  self->held[self->n_held++] = *held;
  return VTR_OK;
}

/* ---- Records of any size ---- */

VtrStatus
vtr_ring_reader_read (VtrRingReader  *self,
                      uint32_t       *index,
                      uint32_t       *offset,
                      uint32_t        header_size,
                      uint32_t        size,
                      const uint8_t **out)
{
  const uint32_t payload = VTR_RING_SEGMENT_SIZE - VTR_RING_SEGMENT_HEADER;
  uint64_t total = VTR_RING_PADDED ((uint64_t)header_size + size);
  uint32_t at = *index, part, left = size;
  const uint8_t *segment;

  if (*offset + total <= VTR_RING_SEGMENT_SIZE)
    {
      if (*offset + total > vtr_ring_reader_committed (self, at))
        return VTR_CORRUPT;
      *out = (uint8_t *)vtr_ring_reader_segment (self, at) + *offset + header_size;
      *offset += (uint32_t)total;
      return VTR_OK;
    }

  /* A larger record begins a segment and has the following ones for itself. */
  if (*offset != VTR_RING_SEGMENT_HEADER || size / (VTR_RING_SEGMENT_SIZE -
                                                    VTR_RING_SEGMENT_HEADER) >=
                                              self->n_segments)
    return VTR_CORRUPT;
  if (vtr_ring_reader_committed (self, at) != VTR_RING_SEGMENT_SIZE)
    return VTR_TIMEOUT;
  vtr_buffer_clear (&self->scratch);
  part = payload - header_size;
  segment = (uint8_t *)vtr_ring_reader_segment (self, at);
  vtr_buffer_append (&self->scratch, segment + VTR_RING_SEGMENT_HEADER + header_size, part);
  left -= part;
  while (left > 0)
    {
      VtrStatus status = vtr_ring_reader_next_segment (self, at, &at);

      if (status != VTR_OK)
        return status;
      part = left < payload ? left : payload;
      if (at == 0 || vtr_ring_reader_committed (self, at) <
                       VTR_RING_SEGMENT_HEADER + VTR_RING_PADDED (part))
        return VTR_TIMEOUT;
      segment = (uint8_t *)vtr_ring_reader_segment (self, at);
      vtr_buffer_append (&self->scratch, segment + VTR_RING_SEGMENT_HEADER, part);
      left -= part;
    }
  if (self->scratch.failed)
    return VTR_NO_MEMORY;
  *index = at;
  *offset = VTR_RING_SEGMENT_HEADER + (uint32_t)VTR_RING_PADDED (part);
  *out = self->scratch.data;
  return VTR_OK;
}

/* ---- Giving back ---- */

/* Returns: 1 if the segment became free. */
static uint32_t
drop_reference (VtrRingReader *self,
                uint32_t       index)
{
  uint32_t refs = atomic_load_explicit (&self->refs[index], memory_order_relaxed);

  while (refs > 0)
    if (atomic_compare_exchange_weak_explicit (&self->refs[index], &refs, refs - 1,
                                               memory_order_acq_rel, memory_order_relaxed))
      return refs == 1;
  return 0;
}

static uint32_t
release_block (VtrRingReader *self,
               uint32_t       first)
{
  uint32_t freed = 0, index = first;

  atomic_fetch_or (&vtr_ring_reader_segment (self, first)->block_flags, VTR_RING_BLOCK_WRITTEN);
  for (uint32_t i = 0; index != 0 && i < self->n_segments; i++)
    {
      uint32_t next;

      if (vtr_ring_reader_next_segment (self, index, &next) != VTR_OK)
        next = 0;
      freed += drop_reference (self, index);
      index = next;
    }
  return freed;
}

static uint32_t
release_log_segment (VtrRingReader     *self,
                     const VtrRingHeld *held)
{
  VtrRingStream *shared = &self->shared_streams[held->stream];
  uint32_t freed;

  /* Recovery after the host's death begins at .first: move it before the segment can be reused. */
  atomic_store_explicit (&shared->first, held->next, memory_order_release);
  freed = drop_reference (self, held->segment);
  if (held->next == 0)
    {
      memset (&self->streams[held->stream], 0, sizeof *self->streams);
      atomic_store_explicit (&shared->state, VTR_RING_STREAM_FREE, memory_order_release);
    }
  return freed;
}

void
vtr_ring_reader_release (VtrRingReader *self,
                         uint64_t       ticket)
{
  uint32_t freed = 0;

  while (self->first_held < self->n_held && self->held[self->first_held].ticket < ticket)
    {
      const VtrRingHeld *held = &self->held[self->first_held++];

      freed += held->block ? release_block (self, held->segment) : release_log_segment (self, held);
    }
  if (self->first_held == self->n_held)
    self->first_held = self->n_held = 0;

  atomic_store_explicit (&self->header->written_ticket, ticket, memory_order_release);
  if (freed > 0)
    {
      atomic_fetch_add_explicit (&self->header->released, freed, memory_order_acq_rel);
      syscall (SYS_futex, &self->header->released, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
    }
}

void
vtr_ring_reader_trim (VtrRingReader *self)
{
  vtr_buffer_finish (&self->scratch);
}
