#include "vtr-ring-writer.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <fcntl.h>

#define HEADER_BYTES ((sizeof (VtrRingHeader) + 63) & ~(size_t)63)
#define WAIT_SLICE_MS 100

#define REWIND_AFTER 64 /* segments */

static_assert (VTR_RING_BACKING % VTR_RING_SEGMENT_SIZE == 0, "whole segments are reserved");

/* ---- Layout ---- */

static size_t
segments_offset_for (uint32_t n_segments,
                     uint32_t n_streams)
{
  size_t offset =
    HEADER_BYTES + (size_t)n_streams * sizeof (VtrRingStream) + (size_t)n_segments * 4;

  return (offset + VTR_RING_BACKING - 1) / VTR_RING_BACKING * VTR_RING_BACKING;
}

size_t
vtr_ring_size_for (uint32_t n_segments,
                   uint32_t n_streams)
{
  return segments_offset_for (n_segments, n_streams) + (size_t)n_segments * VTR_RING_SEGMENT_SIZE;
}

VtrStatus
vtr_ring_format (void     *base,
                 size_t    size,
                 uint32_t  n_streams)
{
  VtrRingHeader *header = base;
  size_t n_segments = size / VTR_RING_SEGMENT_SIZE;

  while (n_segments >= 4 && vtr_ring_size_for ((uint32_t)n_segments, n_streams) > size)
    n_segments--;
  if (n_segments < 4 || n_segments > UINT32_MAX / 2)
    return VTR_NO_SPACE;

  memcpy (header->magic, VTR_RING_MAGIC, sizeof header->magic);
  header->version = VTR_RING_VERSION;
  header->segment_size = VTR_RING_SEGMENT_SIZE;
  header->n_segments = (uint32_t)n_segments;
  header->n_streams = n_streams;
  header->streams_offset = HEADER_BYTES;
  header->refs_offset = HEADER_BYTES + (uint64_t)n_streams * sizeof (VtrRingStream);
  header->segments_offset = segments_offset_for ((uint32_t)n_segments, n_streams);
  atomic_store_explicit (&header->next_ticket, 1, memory_order_relaxed);
  atomic_store_explicit (&header->alloc_hint, 1, memory_order_relaxed);
  return VTR_OK;
}

static bool
range_fits (uint64_t offset,
            uint64_t count,
            uint64_t element,
            uint64_t size)
{
  uint64_t bytes;
  uint64_t end;

  return !__builtin_mul_overflow (count, element, &bytes) &&
         !__builtin_add_overflow (offset, bytes, &end) && end <= size;
}

static VtrStatus
check_header (const VtrRingHeader *header,
              uint64_t             size)
{
  if (memcmp (header->magic, VTR_RING_MAGIC, sizeof header->magic) != 0)
    return VTR_CORRUPT;
  if (header->version != VTR_RING_VERSION || header->segment_size != VTR_RING_SEGMENT_SIZE)
    return VTR_UNSUPPORTED;
  if (header->n_segments < 4 || header->n_streams == 0 ||
      header->streams_offset < sizeof (VtrRingHeader) || header->streams_offset % 8 != 0 ||
      header->refs_offset % 8 != 0 || header->segments_offset % VTR_RING_BACKING != 0 ||
      !range_fits (header->streams_offset, header->n_streams, sizeof (VtrRingStream), size) ||
      !range_fits (header->refs_offset, header->n_segments, 4, size) ||
      !range_fits (header->segments_offset, header->n_segments, VTR_RING_SEGMENT_SIZE, size))
    return VTR_CORRUPT;
  return VTR_OK;
}

/* ---- Waiting ---- */

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

/* ---- Segments ---- */

/* Reserves the segment's pages and their neighbours: a store into a hole of a full file system
 * would be SIGBUS. */
static bool
back_segment (VtrRingWriter *self,
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
  int result;

  if (atomic_load_explicit (word, memory_order_relaxed) & bit)
    return true;

  do
    result = fallocate (self->fd, 0, (off_t)(start - (uint8_t *)self->header), (off_t)size);
  while (result != 0 && errno == EINTR);
  reserved = result == 0;
  /* The program may have closed our descriptor behind our back (daemons close them all). */
  if (!reserved && errno != EBADF && errno != EOPNOTSUPP && errno != ENODEV && errno != EINVAL)
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

/* Returns: a segment with one reference, or 0 when there is none now. */
static uint32_t
try_take_segment (VtrRingWriter *self)
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

/* Returns: a reserved segment, waiting for the host if need be, or 0 when recording has ended. */
static uint32_t
take_segment (VtrRingWriter *self)
{
  int64_t deadline = 0;

  for (;;)
    {
      uint32_t released = atomic_load_explicit (&self->header->released, memory_order_acquire);
      uint32_t index;
      int64_t left;

      if (vtr_ring_writer_has_ended (self))
        return 0;
      index = try_take_segment (self);
      if (index != 0)
        {
          if (back_segment (self, index))
            return index;
          atomic_store_explicit (&self->refs[index], 0, memory_order_release);
          vtr_ring_writer_end (self, VTR_RING_STATE_NO_SPACE);
          return 0;
        }

      if (deadline == 0)
        deadline = now_ms () + VTR_RING_FULL_TIMEOUT_MS;
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

/* The same for what can be done without. Returns: 0 when there is no room now. */
static uint32_t
take_segment_modestly (VtrRingWriter *self)
{
  uint32_t n = atomic_fetch_add_explicit (&self->n_modest, 1, memory_order_relaxed);
  uint32_t index = 0;

  if (!vtr_ring_writer_has_ended (self) && n < self->n_segments / 4 * 3)
    index = try_take_segment (self);
  if (index != 0 && !back_segment (self, index))
    {
      atomic_store_explicit (&self->refs[index], 0, memory_order_release);
      index = 0;
    }
  if (index == 0)
    atomic_fetch_sub_explicit (&self->n_modest, 1, memory_order_relaxed);
  return index;
}

static void
drop_segment (VtrRingWriter *self,
              uint32_t       index)
{
  if (atomic_fetch_sub_explicit (&self->refs[index], 1, memory_order_acq_rel) == 1)
    {
      /* Our own releases count as well: a thread may be waiting for room. */
      atomic_fetch_add_explicit (&self->header->released, 1, memory_order_release);
      syscall (SYS_futex, &self->header->released, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
    }
}

static void
init_segment (VtrRingSegment     *segment,
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
  memset (segment->reserved, 0, sizeof segment->reserved);
  atomic_store_explicit (&segment->committed, (uint32_t)sizeof *segment, memory_order_release);
}

static void
enter_segment (VtrRingChain *self,
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
      uint32_t index = modest ? take_segment_modestly (ring) : take_segment (ring);
      VtrRingSegment *segment;

      if (index == 0)
        {
          while (first != 0)
            {
              uint32_t next = vtr_ring_writer_segment (ring, first)->next;

              drop_segment (ring, first);
              if (modest)
                atomic_fetch_sub_explicit (&ring->n_modest, 1, memory_order_relaxed);
              first = next;
            }
          return 0;
        }
      segment = vtr_ring_writer_segment (ring, index);
      init_segment (segment, (VtrRingSegmentKind)after->kind, after->position + 1 + (uint32_t)i,
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
  enter_segment (self, index);
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

static void
write_straddling (VtrRingChain  *self,
                  uint32_t       run,
                  const void    *header,
                  size_t         header_size,
                  const uint8_t *payload,
                  size_t         size)
{
  atomic_store_explicit (&self->segment->next, run, memory_order_release);
  enter_segment (self, run);
  memcpy (self->cursor, header, header_size);
  self->cursor += header_size;

  for (;;)
    {
      size_t room = (size_t)(self->end - self->cursor);
      size_t part = size < room ? size : room;

      memcpy (self->cursor, payload, part);
      payload += part;
      size -= part;
      self->cursor += VTR_RING_ALIGN (part);
      if (size == 0)
        break;
      commit_cursor (self);
      enter_segment (self, atomic_load_explicit (&self->segment->next, memory_order_relaxed));
    }
  commit_cursor (self);
}

static void
write_record (VtrRingChain *self,
              const Place  *place,
              const void   *header,
              size_t        header_size,
              const void   *payload,
              size_t        size)
{
  if (place->run != 0)
    {
      write_straddling (self, place->run, header, header_size, payload, size);
      return;
    }
  memcpy (self->cursor, header, header_size);
  if (size > 0)
    memcpy (self->cursor + header_size, payload, size);
  self->cursor += place->total;
  commit_cursor (self);
}

/* ---- Attaching ---- */

static VtrStatus
map_ring (VtrRingWriter *self,
          int            fd)
{
  struct stat info;
  VtrRingHeader *header;
  VtrStatus status;

  if (fstat (fd, &info) != 0)
    return VTR_IO;
  if (info.st_size < (off_t)sizeof (VtrRingHeader))
    return VTR_CORRUPT;

  header = mmap (NULL, (size_t)info.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (header == MAP_FAILED)
    return VTR_IO;
  status = check_header (header, (uint64_t)info.st_size);
  if (status != VTR_OK)
    {
      munmap (header, (size_t)info.st_size);
      return status;
    }
  self->header = header;
  self->size = (size_t)info.st_size;
  return VTR_OK;
}

VtrStatus
vtr_ring_writer_attach (VtrRingWriter *self,
                        int            fd)
{
  VtrStatus status;
  uint8_t *base;

  memset (self, 0, sizeof *self);
  self->fd = -1;
  status = map_ring (self, fd);
  if (status != VTR_OK)
    return status;

  base = (uint8_t *)self->header;
  self->n_segments = self->header->n_segments;
  self->n_streams = self->header->n_streams;
  self->streams = (VtrRingStream *)(void *)(base + self->header->streams_offset);
  self->refs = (_Atomic uint32_t *)(void *)(base + self->header->refs_offset);
  self->segments = base + self->header->segments_offset;
  self->backed = calloc (self->n_segments / 64 + 1, sizeof *self->backed);
  if (self->backed == NULL)
    {
      vtr_ring_writer_detach (self);
      return VTR_NO_MEMORY;
    }

  self->fd = fd;
  self->spare = try_take_segment (self);
  if (self->spare == 0 || !back_segment (self, self->spare))
    {
      self->fd = -1;
      vtr_ring_writer_detach (self);
      return VTR_NO_SPACE;
    }
  self->header->layer_pid = (uint64_t)getpid ();
  atomic_store_explicit (&self->header->state, VTR_RING_STATE_RUNNING, memory_order_release);
  return VTR_OK;
}

void
vtr_ring_writer_detach (VtrRingWriter *self)
{
  free ((void *)self->backed);
  if (self->header != NULL)
    munmap (self->header, self->size);
  if (self->fd >= 0)
    close (self->fd);
  memset (self, 0, sizeof *self);
  self->fd = -1;
}

void
vtr_ring_writer_forked (VtrRingWriter *self)
{
  if (self->header == NULL)
    return;
  /* Failing leaves the shared mapping; .ended still keeps the child from appending to it. */
  (void)!mmap (self->header, self->size, PROT_READ | PROT_WRITE,
               MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  atomic_store (&self->ended, VTR_RING_STATE_DONE);
}

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
  vtr_ring_writer_end (ring, VTR_RING_STATE_NO_MEMORY);
  return false;
}

void
vtr_ring_log_close (VtrRingLog *self)
{
  VtrRingWriter *ring = self->chain.ring;

  if (ring == NULL || self->stream == VTR_RING_NO_STREAM || ring->header == NULL)
    return;
  /* Where nothing was logged, nobody has to read anything first. */
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

  init_segment (vtr_ring_writer_segment (chain->ring, index), VTR_RING_SEGMENT_LOG, 0, self->thread,
                0, self->stream, 0);
  chain->first = index;
  enter_segment (chain, index);
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
  index = take_segment (self->chain.ring);
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

      init_segment (vtr_ring_writer_segment (ring, spare), VTR_RING_SEGMENT_LOG,
                    after->position + 1, self->thread, 0, self->stream, 0);
      atomic_store_explicit (&self->chain.segment->next, spare, memory_order_release);
      enter_segment (&self->chain, spare);
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

VtrStatus
vtr_ring_log_append (VtrRingLog *self,
                     uint16_t    type,
                     uint16_t    flags,
                     const void *payload,
                     size_t      size,
                     uint64_t   *out_ticket)
{
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

  record.ticket = atomic_fetch_add_explicit (&ring->header->next_ticket, 1, memory_order_acq_rel);
  write_record (&self->chain, &place, &record, sizeof record, payload, size);
  if (out_ticket != NULL)
    *out_ticket = record.ticket;
  return VTR_OK;
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

static bool
begin_block (VtrRingChain  *self,
             VtrRingWriter *ring,
             uint64_t       object,
             uint32_t       index,
             bool           modest)
{
  uint64_t ticket;

  memset (self, 0, sizeof *self);
  self->modest = modest;
  if (index == 0)
    return false;
  ticket = atomic_load_explicit (&ring->header->next_ticket, memory_order_relaxed);
  init_segment (vtr_ring_writer_segment (ring, index), VTR_RING_SEGMENT_BLOCK, 0, 0, object, 0,
                ticket);
  self->ring = ring;
  self->first = index;
  enter_segment (self, index);
  return true;
}

bool
vtr_ring_block_begin (VtrRingChain  *self,
                      VtrRingWriter *ring,
                      uint64_t       object)
{
  return begin_block (self, ring, object, take_segment (ring), false);
}

bool
vtr_ring_block_begin_modest (VtrRingChain  *self,
                             VtrRingWriter *ring,
                             uint64_t       object)
{
  return begin_block (self, ring, object, take_segment_modestly (ring), true);
}

VtrStatus
vtr_ring_block_append (VtrRingChain *self,
                       uint16_t      type,
                       uint16_t      flags,
                       const void   *payload,
                       size_t        size)
{
  VtrRingBlockRecord record = { (uint32_t)size, type, flags };
  Place place;

  if (self->segment == NULL || size > UINT32_MAX - 4096 ||
      !find_place (self, VTR_RING_ALIGN (sizeof record + size), &place))
    return VTR_CLOSED;
  write_record (self, &place, &record, sizeof record, payload, size);
  return VTR_OK;
}

/* The chain's segments are the host's now. */
static void
count_modest_off (const VtrRingChain *self)
{
  for (uint32_t index = self->modest ? self->first : 0; index != 0;
       index = atomic_load_explicit (&vtr_ring_writer_segment (self->ring, index)->next,
                                     memory_order_relaxed))
    atomic_fetch_sub_explicit (&self->ring->n_modest, 1, memory_order_relaxed);
}

static void
add_host_references (const VtrRingChain *self)
{
  for (uint32_t index = self->first; index != 0;
       index = atomic_load_explicit (&vtr_ring_writer_segment (self->ring, index)->next,
                                     memory_order_relaxed))
    atomic_fetch_add_explicit (&self->ring->refs[index], 1, memory_order_relaxed);
}

VtrStatus
vtr_ring_block_publish (VtrRingChain *self,
                        VtrRingLog   *log,
                        uint32_t      flags,
                        bool          keep)
{
  VtrRingBlockRef ref = { self->first, flags, 0, 0 };
  VtrRingSegment *first;
  VtrStatus status;

  if (self->segment == NULL)
    return VTR_CLOSED;
  first = vtr_ring_writer_segment (self->ring, self->first);
  ref.bytes = self->bytes + (uint64_t)(self->cursor - (uint8_t *)self->segment) - sizeof *first;
  ref.command_buffer = first->object;

  if (keep)
    add_host_references (self);
  else
    count_modest_off (self);
  atomic_store_explicit (&first->block_flags, flags | VTR_RING_BLOCK_PUBLISHED,
                         memory_order_release);
  status = vtr_ring_log_append (log, VTR_RECORD_BLOCK, 0, &ref, sizeof ref, NULL);
  if (status != VTR_OK)
    {
      /* Not announced: recovery finds it as an unpublished block, with all its calls. */
      atomic_store_explicit (&first->block_flags, flags, memory_order_release);
      if (keep)
        vtr_ring_block_drop (&(VtrRingChain){ .ring = self->ring, .first = self->first });
    }
  if (!keep)
    memset (self, 0, sizeof *self);
  return status;
}

/* Where a block is read. */
typedef struct
{
  const VtrRingChain *chain;
  uint32_t index;
  uint32_t offset;
} BlockCursor;

static VtrRingSegment *
next_of (const VtrRingChain *chain,
         uint32_t           *index)
{
  *index = atomic_load_explicit (&vtr_ring_writer_segment (chain->ring, *index)->next,
                                 memory_order_relaxed);
  return *index != 0 ? vtr_ring_writer_segment (chain->ring, *index) : NULL;
}

/* Copies a record that goes on in the following segments, and moves behind it. */
static uint8_t *
gather_payload (BlockCursor *self,
                size_t       size)
{
  VtrRingSegment *segment = vtr_ring_writer_segment (self->chain->ring, self->index);
  uint8_t *whole = malloc (size), *to = whole;
  size_t at = self->offset + sizeof (VtrRingBlockRecord);

  while (whole != NULL && segment != NULL)
    {
      size_t room = VTR_RING_SEGMENT_SIZE - at, part = size < room ? size : room;

      memcpy (to, (uint8_t *)segment + at, part);
      to += part;
      size -= part;
      self->offset = (uint32_t)(at + VTR_RING_ALIGN (part));
      if (size == 0)
        return whole;
      segment = next_of (self->chain, &self->index);
      at = sizeof *segment;
    }
  free (whole);
  return NULL;
}

bool
vtr_ring_block_for_each (const VtrRingChain  *self,
                         VtrRingBlockVisitor  each,
                         void                *data)
{
  BlockCursor cursor = { self, self->first, sizeof (VtrRingSegment) };

  while (cursor.index != 0)
    {
      const VtrRingSegment *segment = vtr_ring_writer_segment (self->ring, cursor.index);
      uint32_t committed = atomic_load_explicit (&((VtrRingSegment *)segment)->committed,
                                                 memory_order_relaxed);
      VtrRingBlockRecord record;
      const uint8_t *payload;
      uint8_t *whole = NULL;
      bool more;

      if (cursor.offset >= committed)
        {
          next_of (self, &cursor.index);
          cursor.offset = sizeof *segment;
          continue;
        }
      memcpy (&record, (const uint8_t *)segment + cursor.offset, sizeof record);
      payload = (const uint8_t *)segment + cursor.offset + sizeof record;
      if (cursor.offset + VTR_RING_ALIGN (sizeof record + record.size) <= VTR_RING_SEGMENT_SIZE)
        cursor.offset += (uint32_t)VTR_RING_ALIGN (sizeof record + record.size);
      else
        {
          whole = gather_payload (&cursor, record.size);
          if (whole == NULL)
            return false;
          payload = whole;
        }
      more = each (record.type, payload, record.size, data);
      free (whole);
      if (!more)
        return true;
    }
  return true;
}

void
vtr_ring_block_mark_kept (VtrRingChain *self)
{
  if (self->first != 0)
    atomic_fetch_or_explicit (&vtr_ring_writer_segment (self->ring, self->first)->block_flags,
                              VTR_RING_BLOCK_KEPT, memory_order_release);
}

void
vtr_ring_block_drop (VtrRingChain *self)
{
  uint32_t index = self->first;

  count_modest_off (self);
  while (index != 0)
    {
      uint32_t next = atomic_load_explicit (&vtr_ring_writer_segment (self->ring, index)->next,
                                            memory_order_relaxed);

      drop_segment (self->ring, index);
      index = next;
    }
  memset (self, 0, sizeof *self);
}
