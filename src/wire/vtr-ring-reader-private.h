/* What the files of the ring's reader share.
 *
 * Threading: as VtrRingReader. */
#pragma once

#include "wire/vtr-ring-reader.h"

#include "base/vtr-buffer.h"

#define VTR_RING_SEGMENT_HEADER ((uint32_t)sizeof (VtrRingSegment))
/* Bytes that @size takes in a segment. */
#define VTR_RING_PADDED(size) (((uint64_t)(size) + 7u) & ~(uint64_t)7u)

/* A log as far as it was read. */
typedef struct
{
  uint32_t segment; /* 0: not begun */
  uint32_t offset;  /* of the next record */
  bool has_head;    /* .head waits in the heap */
  bool damaged;
  bool drained; /* closed and read to its end; its last segment waits to be released */
  VtrRingItem head;
  uint32_t head_segment; /* where it begins */
} VtrRingLogCursor;

/* Something the host holds until what it has read from it is on disk. */
typedef struct
{
  uint64_t ticket;
  uint32_t segment;
  uint32_t stream; /* of a log segment */
  uint32_t next;   /* log segments: what the stream begins with afterwards; 0: the stream is free */
  bool block;
} VtrRingHeld;

struct VtrRingReader
{
  VtrRingHeader *header;
  VtrRingStream *shared_streams;
  _Atomic uint32_t *refs;
  uint8_t *segments;
  uint32_t n_segments;
  uint32_t n_streams;

  VtrRingLogCursor *streams; /* [n_streams] */
  uint32_t n_known;          /* streams at and above were never seen open */
  uint32_t *heap;            /* streams with a head, smallest ticket first */
  uint32_t n_heap;

  VtrRingHeld *held; /* a queue: [first_held, n_held) */
  size_t first_held, n_held, held_capacity;

  uint64_t first_ticket; /* records below are already in the file */
  uint64_t next_ticket;
  unsigned n_damaged;
  VtrBuffer scratch; /* a straddling record, made whole */
};

static inline VtrRingSegment *
vtr_ring_reader_segment (const VtrRingReader *self,
                         uint32_t             index)
{
  return (VtrRingSegment *)(void *)(self->segments + (size_t)index * VTR_RING_SEGMENT_SIZE);
}

static inline bool
vtr_ring_reader_is_segment (const VtrRingReader *self,
                            uint32_t             index,
                            VtrRingSegmentKind   kind)
{
  return index != 0 && index < self->n_segments &&
         vtr_ring_reader_segment (self, index)->kind == kind;
}

/* Valid bytes of a segment. Returns: 0 if the mark is nonsense. */
static inline uint32_t
vtr_ring_reader_committed (const VtrRingReader *self,
                           uint32_t             index)
{
  uint32_t value =
    atomic_load_explicit (&vtr_ring_reader_segment (self, index)->committed, memory_order_acquire);

  return value < VTR_RING_SEGMENT_HEADER || value > VTR_RING_SEGMENT_SIZE ? 0 : value;
}

/* The segment after @index in its chain; 0 at the end. Errors: VTR_CORRUPT if the link is bad. */
VtrStatus vtr_ring_reader_next_segment (const VtrRingReader *self,
                                        uint32_t             index,
                                        uint32_t            *out);

/* Keeps @held (copied) until vtr_ring_reader_release(). Errors: VTR_NO_MEMORY. */
VtrStatus vtr_ring_reader_hold (VtrRingReader     *self,
                                const VtrRingHeld *held);

/**
 * vtr_ring_reader_read:
 * @index: (inout): the segment of the record; afterwards where the next one is
 * @offset: (inout): where in it the record begins
 * @size: bytes after its header
 * @out: (transfer none): those bytes, until the next call
 *
 * Reads a record of any size. Errors: VTR_TIMEOUT while it is not wholly committed, VTR_CORRUPT,
 * VTR_NO_MEMORY.
 */
VtrStatus vtr_ring_reader_read (VtrRingReader  *self,
                                uint32_t       *index,
                                uint32_t       *offset,
                                uint32_t        header_size,
                                uint32_t        size,
                                const uint8_t **out);
