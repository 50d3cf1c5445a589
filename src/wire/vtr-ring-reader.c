/* Merging reader of the shared ring. */
#include "wire/vtr-ring-reader.h"

#include "base/vtr-buffer.h"

#include <limits.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define HEADER_SIZE ((uint32_t)sizeof (VtrRingSegment))
#define ALIGN8(size) (((uint64_t)(size) + 7u) & ~(uint64_t)7u)
#define MAX_SEGMENTS (1u << 20)
/* Streams are taken from the lowest free index; this many may be skipped by racing threads. */
#define STREAM_SLACK 64

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
} Stream;

/* Something the host holds until what it has read from it is on disk. */
typedef struct
{
  uint64_t ticket;
  uint32_t segment;
  uint32_t stream; /* of a log segment */
  uint32_t next;   /* log segments: what the stream begins with afterwards; 0: the stream is free */
  bool block;
} Held;

struct VtrRingReader
{
  VtrRingHeader *header;
  VtrRingStream *shared_streams;
  _Atomic uint32_t *refs;
  uint8_t *segments;
  uint32_t n_segments;
  uint32_t n_streams;

  Stream *streams;  /* [n_streams] */
  uint32_t n_known; /* streams at and above were never seen open */
  uint32_t *heap;   /* streams with a head, smallest ticket first */
  uint32_t n_heap;

  Held *held; /* a queue: [first_held, n_held) */
  size_t first_held, n_held, held_capacity;

  uint64_t first_ticket; /* records below are already in the file */
  uint64_t next_ticket;
  unsigned n_damaged;
  VtrBuffer scratch; /* a straddling record, made whole */
};

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

VtrRingHeader *
vtr_ring_reader_get_header (VtrRingReader *self)
{
  return self->header;
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

static VtrRingSegment *
get_segment (const VtrRingReader *self,
             uint32_t             index)
{
  return (VtrRingSegment *)(void *)(self->segments + (size_t)index * VTR_RING_SEGMENT_SIZE);
}

static bool
is_segment (const VtrRingReader *self,
            uint32_t             index,
            VtrRingSegmentKind   kind)
{
  return index != 0 && index < self->n_segments && get_segment (self, index)->kind == kind;
}

/* Valid bytes of a segment. Returns: 0 if the mark is nonsense. */
static uint32_t
get_committed (const VtrRingReader *self,
               uint32_t             index)
{
  uint32_t value =
    atomic_load_explicit (&get_segment (self, index)->committed, memory_order_acquire);

  return value < HEADER_SIZE || value > VTR_RING_SEGMENT_SIZE ? 0 : value;
}

/* The segment after @index in its chain. Returns: 0 at the end; VTR_CORRUPT status if the link
 * is bad. */
static VtrStatus
get_next_segment (const VtrRingReader *self,
                  uint32_t             index,
                  uint32_t            *out)
{
  const VtrRingSegment *segment = get_segment (self, index);
  uint32_t next = atomic_load_explicit ((_Atomic uint32_t *)&segment->next, memory_order_acquire);

  if (next != 0 && (!is_segment (self, next, (VtrRingSegmentKind)segment->kind) ||
                    get_segment (self, next)->position != segment->position + 1))
    return VTR_CORRUPT;
  *out = next;
  return VTR_OK;
}

static VtrStatus
hold (VtrRingReader *self,
      const Held    *held)
{
  if (self->n_held == self->held_capacity && self->first_held > self->n_held / 2)
    {
      self->n_held -= self->first_held;
      memmove (self->held, self->held + self->first_held, self->n_held * sizeof *self->held);
      self->first_held = 0;
    }
  if (self->n_held == self->held_capacity)
    {
      size_t capacity = self->held_capacity == 0 ? 64 : self->held_capacity * 2;
      Held *grown = realloc (self->held, capacity * sizeof *grown);

      if (grown == NULL)
        return VTR_NO_MEMORY;
      self->held = grown;
      self->held_capacity = capacity;
    }
  self->held[self->n_held++] = *held;
  return VTR_OK;
}

/* ---- Records of any size ---- */

/* Reads the bytes after a record's header at @offset of @index, and finds where the record ends.
 * Returns: VTR_TIMEOUT while it is not wholly committed. */
static VtrStatus
read_payload (VtrRingReader  *self,
              uint32_t       *index,
              uint32_t       *offset,
              uint32_t        header_size,
              uint32_t        size,
              const uint8_t **out)
{
  uint64_t total = ALIGN8 ((uint64_t)header_size + size);
  uint32_t at = *index, part, left = size;

  if (*offset + total <= VTR_RING_SEGMENT_SIZE)
    {
      if (*offset + total > get_committed (self, at))
        return VTR_CORRUPT;
      *out = (uint8_t *)get_segment (self, at) + *offset + header_size;
      *offset += (uint32_t)total;
      return VTR_OK;
    }

  /* A larger record begins a segment and has the following ones for itself. */
  if (*offset != HEADER_SIZE || size / (VTR_RING_SEGMENT_SIZE - HEADER_SIZE) >= self->n_segments)
    return VTR_CORRUPT;
  if (get_committed (self, at) != VTR_RING_SEGMENT_SIZE)
    return VTR_TIMEOUT;
  vtr_buffer_clear (&self->scratch);
  part = VTR_RING_SEGMENT_SIZE - HEADER_SIZE - header_size;
  vtr_buffer_append (&self->scratch, (uint8_t *)get_segment (self, at) + HEADER_SIZE + header_size,
                     part);
  left -= part;
  while (left > 0)
    {
      VtrStatus status = get_next_segment (self, at, &at);

      if (status != VTR_OK)
        return status;
      part =
        left < VTR_RING_SEGMENT_SIZE - HEADER_SIZE ? left : VTR_RING_SEGMENT_SIZE - HEADER_SIZE;
      if (at == 0 || get_committed (self, at) < HEADER_SIZE + ALIGN8 (part))
        return VTR_TIMEOUT;
      vtr_buffer_append (&self->scratch, (uint8_t *)get_segment (self, at) + HEADER_SIZE, part);
      left -= part;
    }
  if (self->scratch.failed)
    return VTR_NO_MEMORY;
  *index = at;
  *offset = HEADER_SIZE + (uint32_t)ALIGN8 (part);
  *out = self->scratch.data;
  return VTR_OK;
}

/* ---- Logs: heads and the heap that merges them ---- */

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
give_up (VtrRingReader *self,
         Stream        *stream)
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
  Stream *stream = &self->streams[index];
  bool closed = atomic_load_explicit (&self->shared_streams[index].state, memory_order_acquire) ==
                VTR_RING_STREAM_CLOSED;
  Held held = { self->next_ticket - 1, stream->segment, index, 0, false };
  uint32_t next;

  /* .next is read before .committed: what was appended before the link was made is seen. */
  if (get_next_segment (self, stream->segment, &next) != VTR_OK)
    {
      give_up (self, stream);
      return false;
    }
  if (stream->offset < get_committed (self, stream->segment))
    return true;
  if (next == 0 && !closed)
    return false;
  /* The segments of a large record are linked before the first is written. Only a chain's very
   * first segment can be left empty for good. */
  if (next != 0 && stream->offset == HEADER_SIZE &&
      get_segment (self, stream->segment)->position > 0)
    return false;

  held.next = next;
  if (hold (self, &held) != VTR_OK)
    return false;
  if (next == 0)
    {
      stream->drained = true;
      return false;
    }
  stream->segment = next;
  stream->offset = HEADER_SIZE;
  return true;
}

static bool
begin_log (VtrRingReader *self,
           uint32_t       index)
{
  Stream *stream = &self->streams[index];
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
  if (!is_segment (self, first, VTR_RING_SEGMENT_LOG))
    {
      give_up (self, stream);
      return false;
    }
  resume = get_segment (self, first)->resume;
  if (resume != 0 && (resume < HEADER_SIZE || resume > VTR_RING_SEGMENT_SIZE || resume % 8 != 0))
    {
      give_up (self, stream);
      return false;
    }
  stream->segment = first;
  stream->offset = resume == 0 ? HEADER_SIZE : resume;
  return true;
}

/* Looks for the next record of a log that has none in the heap. */
static void
load_head (VtrRingReader *self,
           uint32_t       index)
{
  Stream *stream = &self->streams[index];
  VtrRingRecord record;

  if (stream->segment == 0 && !begin_log (self, index))
    return;
  for (;;)
    {
      uint32_t committed = get_committed (self, stream->segment);

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
      memcpy (&record, (uint8_t *)get_segment (self, stream->segment) + stream->offset,
              sizeof record);
      stream->head = (VtrRingItem){
        .ticket = record.ticket,
        .thread = get_segment (self, stream->segment)->thread,
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

/* @all: also those far behind the ones that are known, as when many threads have come and gone. */
static void
load_heads (VtrRingReader *self,
            bool           all)
{
  uint32_t limit = all ? self->n_streams : self->n_known + STREAM_SLACK;

  if (limit > self->n_streams)
    limit = self->n_streams;
  for (uint32_t i = 0; i < limit; i++)
    {
      Stream *stream = &self->streams[i];

      if (stream->has_head || stream->damaged || stream->drained)
        continue;
      load_head (self, i);
      if (stream->segment != 0 && i >= self->n_known)
        self->n_known = i + 1;
    }
}

/* Holds the segments that a straddling record left behind. Whoever begins to read in the middle
 * of them, after the host's death, must know where the next record begins. */
static VtrStatus
hold_between (VtrRingReader *self,
              uint32_t       index,
              uint32_t       from,
              uint32_t       to)
{
  /* The chain was sound when it was read; it may be another by now. */
  for (uint32_t i = 0; from != to; i++)
    {
      Held held = { self->next_ticket - 1, from, index, 0, false };
      VtrStatus status = get_next_segment (self, from, &held.next);

      if (status == VTR_OK)
        status = held.next == 0 || i == self->n_segments ? VTR_CORRUPT : hold (self, &held);
      if (status != VTR_OK)
        return status;
      get_segment (self, held.next)->resume =
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
  Stream *stream = &self->streams[index];
  uint32_t from = stream->segment;
  VtrStatus status;

  status = read_payload (self, &stream->segment, &stream->offset, sizeof (VtrRingRecord),
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
  return is_segment (self, ref.first, VTR_RING_SEGMENT_BLOCK) &&
         get_segment (self, ref.first)->begin_ticket <= item->ticket;
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

/* ---- Blocks ---- */

VtrStatus
vtr_ring_reader_open_block (VtrRingReader     *self,
                            const VtrRingItem *item,
                            VtrRingBlock      *out,
                            uint32_t          *flags)
{
  VtrRingBlockRef ref;
  Held held = { .ticket = self->next_ticket - 1, .block = true };
  VtrStatus status;

  if (item->type != VTR_RECORD_BLOCK || item->size != sizeof ref)
    return VTR_CORRUPT;
  memcpy (&ref, item->data, sizeof ref);
  if (!is_segment (self, ref.first, VTR_RING_SEGMENT_BLOCK) ||
      get_segment (self, ref.first)->position != 0)
    return VTR_CORRUPT;

  held.segment = ref.first;
  status = hold (self, &held);
  if (status != VTR_OK)
    return status;
  *flags = ref.flags;
  *out = (VtrRingBlock){ self, item->thread, ref.bytes, ref.first, HEADER_SIZE };
  return VTR_OK;
}

VtrStatus
vtr_ring_reader_next_in_block (VtrRingBlock *block,
                               VtrRingItem  *out)
{
  VtrRingReader *self = block->reader;
  VtrRingBlockRecord record;
  uint32_t committed, next;
  VtrStatus status;

  while (block->offset == (committed = get_committed (self, block->segment)))
    {
      status = get_next_segment (self, block->segment, &next);
      if (status != VTR_OK)
        return status;
      if (next == 0 || block->bytes_left == 0)
        return VTR_CLOSED;
      block->segment = next;
      block->offset = HEADER_SIZE;
    }
  if (block->bytes_left == 0)
    return VTR_CLOSED;
  if (committed < block->offset || committed - block->offset < sizeof record)
    return VTR_CORRUPT;

  memcpy (&record, (uint8_t *)get_segment (self, block->segment) + block->offset, sizeof record);
  status =
    read_payload (self, &block->segment, &block->offset, sizeof record, record.size, &out->data);
  if (status == VTR_TIMEOUT)
    return VTR_CLOSED;
  if (status != VTR_OK)
    return status;
  if (block->bytes_left != UINT64_MAX)
    {
      uint64_t total = ALIGN8 (sizeof record + (uint64_t)record.size);

      block->bytes_left -= total < block->bytes_left ? total : block->bytes_left;
    }
  out->ticket = 0;
  out->thread = block->thread;
  out->size = record.size;
  out->type = record.type;
  out->flags = record.flags;
  return VTR_OK;
}

static bool
is_held (const VtrRingReader *self,
         uint32_t             segment)
{
  for (size_t i = self->first_held; i < self->n_held; i++)
    if (self->held[i].block && self->held[i].segment == segment)
      return true;
  return false;
}

typedef struct
{
  uint64_t ticket;
  uint32_t segment;
} Unfinished;

static int
compare_unfinished (const void *a,
                    const void *b)
{
  const Unfinished *left = a, *right = b;

  return left->ticket < right->ticket ? -1 : left->ticket > right->ticket;
}

/* A block is left over if nothing said that it is in the file: the PUBLISHED mark alone does not
 * count, as the writer may have died between making it and announcing the block. */
static bool
is_left_over (const VtrRingReader *self,
              uint32_t             index)
{
  const VtrRingSegment *segment = get_segment (self, index);

  return atomic_load_explicit (&self->refs[index], memory_order_acquire) > 0 &&
         segment->kind == VTR_RING_SEGMENT_BLOCK && segment->position == 0 &&
         (atomic_load ((_Atomic uint32_t *)&segment->block_flags) &
          (VTR_RING_BLOCK_WRITTEN | VTR_RING_BLOCK_KEPT)) == 0 &&
         get_committed (self, index) > HEADER_SIZE && !is_held (self, index);
}

VtrStatus
vtr_ring_reader_list_unfinished (VtrRingReader  *self,
                                 VtrRingBlock  **out,
                                 size_t         *n)
{
  Unfinished *found = calloc (self->n_segments, sizeof *found);
  VtrRingBlock *blocks;
  size_t n_found = 0;

  if (found == NULL)
    return VTR_NO_MEMORY;
  for (uint32_t i = 1; i < self->n_segments; i++)
    if (is_left_over (self, i))
      found[n_found++] = (Unfinished){ get_segment (self, i)->begin_ticket, i };
  qsort (found, n_found, sizeof *found, compare_unfinished);

  blocks = calloc (n_found + 1, sizeof *blocks);
  for (size_t i = 0; blocks != NULL && i < n_found; i++)
    blocks[i] = (VtrRingBlock){ self, 0, UINT64_MAX, found[i].segment, HEADER_SIZE };
  free (found);
  if (blocks == NULL)
    return VTR_NO_MEMORY;
  *out = blocks;
  *n = n_found;
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

  atomic_fetch_or (&get_segment (self, first)->block_flags, VTR_RING_BLOCK_WRITTEN);
  for (uint32_t i = 0; index != 0 && i < self->n_segments; i++)
    {
      uint32_t next;

      if (get_next_segment (self, index, &next) != VTR_OK)
        next = 0;
      freed += drop_reference (self, index);
      index = next;
    }
  return freed;
}

static uint32_t
release_log_segment (VtrRingReader *self,
                     const Held    *held)
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
      const Held *held = &self->held[self->first_held++];

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
