/* The fields of VtrRingReader, and reading records of any size, for logs (vtr-ring-reader-logs.c) and blocks
 * (vtr-ring-reader-blocks.c).
 *
 * Threading: as VtrRingReader. */
#pragma once

#include "wire/vtr-ring-reader.h"

#include "base/vtr-buffer.h"

#define VTR_RING_SEGMENT_HEADER ((uint32_t)sizeof (VtrRingSegment))
/* Bytes that @size takes in a segment. */
#define VTR_RING_PADDED(size) (((uint64_t)(size) + 7u) & ~(uint64_t)7u)

/* How far a log was read. */
typedef struct
{
  uint32_t segment;      /* 0: reading has not begun */
  uint32_t offset;       /* of the next record in .segment */
  bool has_head;         /* .head is valid and waits in the heap */
  bool damaged;          /* the log broke the rules; nothing more is read from it */
  bool drained;          /* closed and read to its end; its last segment waits to be released */
  VtrRingItem head;      /* the next record */
  uint32_t head_segment; /* where .head begins */
} VtrRingLogCursor;

/* A segment or block that the host may give back once everything read from it is on disk. */
typedef struct
{
  uint64_t ticket;  /* of the last record that was read from it */
  uint32_t segment; /* of blocks: the first segment */
  uint32_t stream;  /* log segments: index of the stream */
  uint32_t next;    /* log segments: the first segment of the stream afterwards; 0: the stream is free */
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
  uint32_t n_known;          /* streams from this one on were never seen open */
  uint32_t *heap;            /* streams with a head, smallest ticket first */
  uint32_t n_heap;

  VtrRingHeld *held; /* a queue: [first_held, n_held) */
  size_t first_held, n_held, held_capacity;

  uint64_t first_ticket; /* records with smaller tickets are already in the file */
  uint64_t next_ticket;
  unsigned n_damaged;
  VtrBuffer scratch; /* a straddling record in one piece */
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

/* Valid bytes of a segment. Returns: 0 if .committed is out of range. */
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
 * @index: (inout): the segment where the record begins; afterwards that of the next record
 * @offset: (inout): where in the segment the record begins; afterwards where the next one does
 * @size: bytes after the record's header
 * @out: (transfer none): these bytes; valid until the next call
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
