/* The layer's side of the shared ring (vtr-ring.h): segments, chains, logs, blocks.
 *
 * No function aborts the process or blocks for long. When the ring cannot take more records, recording ends:
 * the state in the header says why, a VTR_RECORD_STOP marks the place, and every later append fails at once.
 *
 * Threading: VtrRingWriter: any. A VtrRingChain and a VtrRingLog have one user at a time. */
#pragma once

#include "base/vtr-status.h"
#include "wire/vtr-ring.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define VTR_RING_SEGMENT_PAYLOAD (VTR_RING_SEGMENT_SIZE - (uint32_t)sizeof (VtrRingSegment))
#define VTR_RING_NO_STREAM UINT32_MAX
#define VTR_RING_ALIGN(size) (((size) + 7u) & ~(size_t)7u)

/**
 * VtrRingWriter:
 *
 * One mapping of a ring. Owned by the caller; any thread may use it between vtr_ring_writer_attach () and
 * vtr_ring_writer_detach ().
 */
typedef struct
{
  VtrRingHeader *header; /* start of the mapping */
  size_t size;
  int fd;                 /* owned; -1 without one */
  uint64_t device, inode; /* of the ring's file */
  VtrRingStream *streams;
  _Atomic uint32_t *refs;
  uint8_t *segments;
  uint32_t n_segments;
  uint32_t n_streams;
  uint32_t spare;           /* a segment kept for the VTR_RECORD_STOP */
  _Atomic uint32_t ended;   /* VtrRingState that ended recording, else 0 */
  _Atomic uint64_t *backed; /* bitmap: runs of VTR_RING_BACKING whose pages are reserved */

  /* The fields above are read for every record. The fields below change with every segment, so they are kept in other cache
   * lines. */
  uint8_t apart[64];
  _Atomic uint32_t released_seen; /* header.released when the allocator last began at segment 1 */
  _Atomic uint32_t taken_since;   /* segments taken since then */
  _Atomic uint32_t n_modest;      /* segments of modest chains */
  _Atomic uint32_t n_waiting;     /* threads that wait for a segment */
} VtrRingWriter;

/* The place where a chain is being written. A zero-initialised chain has no segments. */
typedef struct
{
  uint8_t *cursor; /* next record; always 8-aligned */
  uint8_t *end;    /* of the current segment */
  VtrRingSegment *segment;
  VtrRingWriter *ring;
  uint32_t first;   /* index of the first segment, 0: none */
  uint32_t current; /* index of .segment */
  uint64_t bytes;   /* record bytes in the segments before .segment */
  bool modest;      /* leaves a quarter of the ring free, and fails instead of waiting or ending the recording */
} VtrRingChain;

/* A contiguous part of a payload. */
typedef struct
{
  const void *data;
  size_t size;
} VtrRingPart;

/* A thread's log. */
typedef struct
{
  VtrRingChain chain;
  uint32_t stream; /* VTR_RING_NO_STREAM: none yet */
  uint64_t thread;
  uint64_t reserved;   /* the next reserved ticket (vtr_ring_log_reserve ()) */
  uint64_t n_reserved; /* reserved tickets that are left */
} VtrRingLog;

/**
 * vtr_ring_format:
 * @base: a zeroed mapping of @size bytes
 *
 * Lays out an empty ring (host, tests). Errors: VTR_NO_SPACE if @size holds fewer than 4 segments.
 */
VtrStatus vtr_ring_format (void     *base,
                           size_t    size,
                           uint32_t  n_streams) VTR_MUST_CHECK;

/* Bytes that a ring of @n_segments (including the unused first) and @n_streams takes. */
size_t vtr_ring_size_for (uint32_t n_segments,
                          uint32_t n_streams);

/**
 * vtr_ring_writer_attach:
 * @fd: the ring's file; owned by @self on success
 *
 * Maps and validates the ring. Errors: VTR_IO, VTR_CORRUPT, VTR_UNSUPPORTED (version), VTR_NO_MEMORY,
 * VTR_NO_SPACE.
 */
VtrStatus vtr_ring_writer_attach (VtrRingWriter *self,
                                  int            fd) VTR_MUST_CHECK;

/* Unmaps the ring. No other thread may be using it. */
void vtr_ring_writer_detach (VtrRingWriter *self);

/**
 * vtr_ring_writer_forked:
 *
 * For the child of a fork (): replaces the mapping with private zeros. The child cannot disturb the
 * recording of its parent, and reads VTR_RING_MODE_OFF, which is 0, from the header. Async-signal-safe.
 */
void vtr_ring_writer_forked (VtrRingWriter *self);

/**
 * vtr_ring_writer_warm:
 * @n: number of segments
 *
 * Reserves the pages of the first @n segments, which are taken first, and maps them into this process, so
 * that writing to them causes no page faults. Does less if there is no space.
 */
void vtr_ring_writer_warm (VtrRingWriter *self,
                           uint32_t       n);

/* Ends recording with @state and wakes every thread that waits for room. Does nothing if recording has ended before. */
void vtr_ring_writer_end (VtrRingWriter *self,
                          VtrRingState   state);

static inline bool
vtr_ring_writer_has_ended (const VtrRingWriter *self)
{
  return atomic_load_explicit (&((VtrRingWriter *)self)->ended, memory_order_relaxed) != 0;
}

static inline VtrRingSegment *
vtr_ring_writer_segment (const VtrRingWriter *self,
                         uint32_t             index)
{
  return (VtrRingSegment *)(void *)(self->segments + (size_t)index * VTR_RING_SEGMENT_SIZE);
}

/* ---- Logs ---- */

/* Takes a stream for the calling thread. Returns: false when all are taken (recording ends). */
bool vtr_ring_log_open (VtrRingLog    *self,
                        VtrRingWriter *ring,
                        uint64_t       thread);

/* Sets the call that is being made (VtrRingStream.inside: VtrCmdId + 1; 0: none). Returns: the value before. */
static inline uint32_t
vtr_ring_log_set_inside (VtrRingLog *self,
                         uint32_t    call)
{
  _Atomic uint32_t *inside;
  uint32_t before;

  if (self->stream == VTR_RING_NO_STREAM)
    return 0;
  inside = &self->chain.ring->streams[self->stream].inside;
  before = atomic_load_explicit (inside, memory_order_relaxed);
  atomic_store_explicit (inside, call, memory_order_relaxed);
  return before;
}

/* Marks the stream as closed; the host drains and frees it. */
void vtr_ring_log_close (VtrRingLog *self);

/**
 * vtr_ring_log_append:
 * @payload: @size bytes, copied
 * @out_ticket: (optional): the record's ticket
 *
 * Commits one record. Takes the ticket only once there is room for the record, so the host never waits for
 * a ticket whose record waits for room. Errors: VTR_CLOSED if recording has ended or ends now; after an
 * orderly end, VTR_RECORD_RETURNED is still accepted, because its call was recorded before.
 */
VtrStatus vtr_ring_log_append (VtrRingLog *self,
                               uint16_t    type,
                               uint16_t    flags,
                               const void *payload,
                               size_t      size,
                               uint64_t   *out_ticket);

/* Like vtr_ring_log_append (), for a payload that is put together from @n_parts parts. */
VtrStatus vtr_ring_log_append_parts (VtrRingLog        *self,
                                     uint16_t           type,
                                     uint16_t           flags,
                                     const VtrRingPart *parts,
                                     size_t             n_parts,
                                     uint64_t          *out_ticket);

/* Reserves the next @n tickets for the next @n records of this log. The host does not read beyond them until these records
 * have come, so all of them must be written, however late. A log may reserve tickets once. */
void vtr_ring_log_reserve (VtrRingLog *self,
                           uint64_t    n);

/* Writes empty records for the reserved tickets that are left. */
void vtr_ring_log_fill (VtrRingLog *self);

/* Ends recording with VTR_RING_STATE_DONE and marks the place in this log. */
void vtr_ring_log_stop (VtrRingLog *self);

/* Begins a recording that was asked for while idle: VTR_RECORD_START, .state RUNNING. Returns: false when
 * recording has ended for good. */
bool vtr_ring_log_start (VtrRingLog *self,
                         uint32_t    request,
                         uint64_t    frame);

/* Ends a recording that was asked for while idle: VTR_RECORD_STOP, .state @state. Another one may begin later. */
void vtr_ring_log_pause (VtrRingLog   *self,
                         VtrRingState  state);

/* ---- Blocks ---- */

/* Starts a block for @object. Returns: false when recording has ended. */
bool vtr_ring_block_begin (VtrRingChain  *self,
                           VtrRingWriter *ring,
                           uint64_t       object);

/* Like vtr_ring_block_begin (), for a modest chain, while nothing is recorded. Returns: false if there is no room. */
bool vtr_ring_block_begin_modest (VtrRingChain  *self,
                                  VtrRingWriter *ring,
                                  uint64_t       object);

/* Starts a block for @object in the first segment of @old, and drops the rest of @old. This saves taking a segment, which
 * other threads would notice. Returns: false if the host still reads @old or recording has ended; @old is unchanged then. */
bool vtr_ring_block_begin_over (VtrRingChain *self,
                                VtrRingChain *old,
                                uint64_t      object,
                                bool          modest);

/* Makes a block that was just begun a batch of the calls that @thread makes in namespace @names. */
void vtr_ring_block_set_stream (VtrRingChain *self,
                                uint64_t      thread,
                                uint32_t      names);

/* Continues the chain in a new segment. Returns: false if recording has ended or the chain has no segments. */
bool vtr_ring_chain_advance (VtrRingChain *self);

/**
 * vtr_ring_block_reserve:
 * @size: bytes of the whole record, at most VTR_RING_SEGMENT_PAYLOAD
 *
 * Returns: where to write them, or NULL when recording has ended. Not visible until committed.
 */
static inline uint8_t *
vtr_ring_block_reserve (VtrRingChain *self,
                        size_t        size)
{
  if (__builtin_expect (size > (size_t)(self->end - self->cursor), 0))
    if (!vtr_ring_chain_advance (self))
      return NULL;
  return self->cursor;
}

/* Publishes the record that was written at the cursor. @size: as reserved; a multiple of 8. */
static inline void
vtr_ring_block_commit (VtrRingChain *self,
                       size_t        size)
{
  self->cursor += size;
  atomic_store_explicit (&self->segment->committed,
                         (uint32_t)(self->cursor - (uint8_t *)self->segment),
                         memory_order_release);
}

/* Appends a record of any size. Errors: VTR_CLOSED when recording has ended or ends here. */
VtrStatus vtr_ring_block_append (VtrRingChain *self,
                                 uint16_t      type,
                                 uint16_t      flags,
                                 const void   *payload,
                                 size_t        size);

/**
 * vtr_ring_block_publish:
 * @flags: VTR_RING_BLOCK_ABANDONED or 0
 * @keep: whether the layer keeps its reference, too
 *
 * Announces the block in @log and gives the host its reference. Without @keep, @self is emptied.
 */
VtrStatus vtr_ring_block_publish (VtrRingChain *self,
                                  VtrRingLog   *log,
                                  uint32_t      flags,
                                  bool          keep);

/* Called for each record of a block. Returns: whether to go on. */
typedef bool (*VtrRingBlockVisitor) (uint16_t type,
                                     const uint8_t *payload,
                                     size_t size,
                                     void *data);

/* Calls @each for every record of a block to which nobody writes. Returns: false if memory has run out. */
bool vtr_ring_block_for_each (const VtrRingChain  *self,
                              VtrRingBlockVisitor  each,
                              void                *data);

/* Marks the block as complete and part of no recording, so that it is not recovered if the process dies. */
void vtr_ring_block_mark_kept (VtrRingChain *self);

/* Drops the layer's reference to every segment of the block and empties @self. */
void vtr_ring_block_drop (VtrRingChain *self);
