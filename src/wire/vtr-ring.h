/* The shared capture file: how records get from the layer to the host without a lock.
 *
 * One file per captured process, created by the host in $XDG_RUNTIME_DIR/vitrine/ and mapped by both
 * sides. It outlives either of them, so what was committed can be recovered after any death.
 *
 *   header | stream table | segment reference counts | segment 0 (unused) | segment 1 | ...
 *
 * A *segment* is VTR_RING_SEGMENT_SIZE bytes with a VtrRingSegment at its start. Segments are chained
 * by .next into *chains*; a chain has one writer at a time:
 *
 *  - a *log* chain per thread (VtrRingStream.first): records with tickets;
 *  - a *block* chain per recorded command list: records without tickets, published as a whole by a
 *    VTR_RECORD_BLOCK record in a log. A block may also be a *batch*: calls that one thread has made in one
 *    namespace, and that have returned. It says both once, for all of its records.
 *
 * Records start at 8-byte boundaries with a VtrRingRecord (logs) or a VtrRingBlockRecord (blocks),
 * followed by .size bytes of payload, padded to 8. A record that fits into an empty segment never
 * straddles: the rest of the segment is left unused and the chain goes on at the next one. A larger
 * record starts at the beginning of a fresh segment and continues in the payload of the following
 * ones.
 *
 * Publication: payload first, then a release store of .committed of the segment where the record
 * ends; for a straddling record the earlier segments' marks are stored first, so a reader
 * that sees the header waits for the rest. *Committed* means that the trampoline has returned.
 * A reader at .committed of a segment with a .next goes on there; the rest of the segment is unused.
 *
 * Order: every log record carries a ticket from one fetch_add on .next_ticket. The host merges by
 * ticket. A missing ticket is waited for while the process lives and skipped once it is dead. The
 * writer takes a ticket only when it holds the room for the record, so this wait is short. The exception is
 * a recording that was asked for while idle: tickets in front of its first call may be reserved for contents
 * that are copied later. They come before .trigger_filled is set; until then the host waits without a limit,
 * or until the process is dead.
 *
 * Idle: a ring whose mode is VTR_RING_MODE_IDLE when the layer attaches can be recorded from again and
 * again. To ask for it, the host stores .trigger_frame and .frame_limit, then increments
 * .trigger_request. The layer looks at every frame boundary; .frames counts presents all the time (in
 * programs without a surface: submissions), and frame N begins after N of them. It begins with .state RUNNING, .mode RECORD and VTR_RECORD_START; the
 * state that the frame needs follows as commands flagged initial and blocks flagged
 * VTR_RING_BLOCK_INITIAL, .trigger_begun = .trigger_request once that is whole but for reserved records (a
 * recording without it is worth nothing), .trigger_filled once these have come, perhaps after the frames,
 * then what the program does. At the boundary where .frame_limit
 * frames are recorded (the host may lower it meanwhile; 0: none) come VTR_RECORD_STOP, .mode IDLE, .state DONE,
 * perhaps a VTR_RECORD_PICTURE and, once it is whole, .trigger_done = .trigger_request. If it cannot begin,
 * .state becomes DECLINED instead, a notice says why, and VTR_RECORD_STOP may follow a VTR_RECORD_START. Other
 * records between a STOP and the next START are of calls that were under way: they belong to nothing, but
 * VTR_RECORD_RETURNED of calls before the STOP; blocks among them are to be released as well.
 *
 * The end: VTR_RECORD_STOP says why recording ended, in a segment that the writer kept for it. After
 * VTR_RING_STATE_DONE, VTR_RECORD_RETURNED of calls that were under way may still follow.
 *
 * Lifetime: a segment is free when its reference count is 0. Allocation is a compare-and-swap 0 → 1
 * by the layer. A published block's segments carry one reference for the host, which the layer adds,
 * or leaves to the host when it keeps none itself. A log segment's one reference is the host's to
 * drop, after it has moved past it *and* written what it held to the trace file. Who drops the last
 * reference increments .released and wakes its waiters (FUTEX_WAKE, not private). The host must not
 * punch holes while the layer lives: the layer reserves each segment's pages once. Dropping a block, the
 * host reads .next before it drops the segment.
 *
 * Threading: the two sides are different processes; every shared mutable word is atomic. */
#pragma once

#include "wire/vtr-wire-apis.h"

#include <assert.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdint.h>

#define VTR_RING_MAGIC "VTRRING\0"
#define VTR_RING_VERSION 4
#define VTR_RING_SEGMENT_SIZE (16u * 1024u) /* the least that a command buffer takes */
#define VTR_RING_DEFAULT_SEGMENTS 32768u    /* 512 MiB, sparse: pages are taken when first written */
#define VTR_RING_BACKING (64u * 1024u)      /* what the layer reserves at once; whole pages everywhere */
#define VTR_RING_MAX_STREAMS 2048u
#define VTR_RING_FULL_TIMEOUT_MS 2000

/* What the host wants. VtrRingHeader.mode */
typedef enum
{
  VTR_RING_MODE_OFF = 0,    /* pass calls through */
  VTR_RING_MODE_IDLE = 1,   /* encode command buffers only, to be able to trigger later */
  VTR_RING_MODE_RECORD = 2, /* record everything */
} VtrRingMode;

/* What became of the recording. VtrRingHeader.state, written by the layer. */
typedef enum
{
  VTR_RING_STATE_STARTING = 0,
  VTR_RING_STATE_RUNNING = 1,
  VTR_RING_STATE_DONE = 2,        /* the wanted number of frames has been recorded */
  VTR_RING_STATE_FULL = 3,        /* the host did not make room in time: recording ended */
  VTR_RING_STATE_NO_SPACE = 4,    /* the ring's file system is full: recording ended */
  VTR_RING_STATE_NO_MEMORY = 5,   /* the process ran out of memory: recording ended */
  VTR_RING_STATE_HOST_GONE = 6,   /* the control connection broke: recording ended */
  VTR_RING_STATE_DECLINED = 7,    /* a triggered recording could not begin; a notice says why */
  VTR_RING_STATE_THREADS = 8,     /* more threads made calls at once than there are streams: recording
                                   ended */
  VTR_RING_STATE_NOT_WRITTEN = 9, /* only in a vitrine.Stopped, by the host: the trace file could not
                                     be written any further */
} VtrRingState;

typedef struct
{
  char magic[8];
  uint32_t version;
  uint32_t segment_size;
  uint32_t n_segments;
  uint32_t n_streams;
  uint64_t streams_offset;            /* VtrRingStream[n_streams] */
  uint64_t refs_offset;               /* _Atomic uint32_t[n_segments] */
  uint64_t segments_offset;           /* segment 0; a multiple of VTR_RING_BACKING */
  VtrWireApi apis[VTR_WIRE_MAX_APIS]; /* of both sides */
  uint64_t host_pid;
  uint64_t layer_pid;
  uint8_t recording[16]; /* VtrRecordingId of the trace that is being filled; host only */
  uint32_t all_written;  /* the file has all that there will be of it; host only */

  alignas (64) _Atomic uint32_t mode;        /* VtrRingMode; host → layer */
  _Atomic uint32_t frame_limit;              /* frames to record, 0: no limit; host → layer */
  alignas (64) _Atomic uint32_t state;       /* VtrRingState; layer → host */
  _Atomic uint32_t released;                 /* futex: counts segments freed by the host */
  alignas (64) _Atomic uint64_t next_ticket; /* first ticket is 1 */
  alignas (64) _Atomic uint32_t alloc_hint;  /* where the last free segment was found */
  alignas (64) _Atomic uint64_t frames;      /* presents so far; statistics, relaxed */
  _Atomic uint64_t draws;                    /* draws recorded so far */
  _Atomic uint64_t written_ticket;           /* all records below are in the trace file; host only */

  /* With VTR_RING_MODE_IDLE; see the top. */
  alignas (64) _Atomic uint32_t trigger_request; /* counts what was asked for; host → layer */
  uint32_t reserved;
  _Atomic uint64_t trigger_frame;             /* not before this one, from 0; host → layer */
  alignas (64) _Atomic uint32_t trigger_done; /* the last request that ended; layer → host */
  _Atomic uint32_t trigger_begun;             /* the last one whose initial state is recorded; layer → host */
  _Atomic uint32_t trigger_filled;            /* the last one whose reserved records have come; layer → host */
} VtrRingHeader;

/* A thread's log. Taken by compare-and-swap of .state FREE → OPEN. */
typedef enum
{
  VTR_RING_STREAM_FREE = 0,
  VTR_RING_STREAM_OPEN = 1,
  VTR_RING_STREAM_CLOSED = 2, /* its thread ended; the host drains it, zeroes .first, sets FREE */
} VtrRingStreamState;

typedef struct
{
  _Atomic uint32_t state;
  _Atomic uint32_t first;  /* first segment; 0 until there is one */
  uint64_t thread;         /* gettid() */
  _Atomic uint32_t inside; /* VtrCmdId + 1 of a call that was entered and has not returned; 0: none.
                              Calls recorded into command lists do not count. For the report of a death */
  uint8_t reserved[44];
} VtrRingStream;

static_assert (sizeof (VtrRingStream) == 64, "one cache line per stream");

typedef enum
{
  VTR_RING_SEGMENT_LOG = 1,
  VTR_RING_SEGMENT_BLOCK = 2,
} VtrRingSegmentKind;

/* VtrRingSegment.block_flags (first segment of a block chain) */
enum
{
  VTR_RING_BLOCK_PUBLISHED = 1 << 0,  /* a VTR_RECORD_BLOCK names it already */
  VTR_RING_BLOCK_ABANDONED = 1 << 1,  /* reset or freed before vkEndCommandBuffer */
  VTR_RING_BLOCK_UNFINISHED = 1 << 2, /* the process died while recording it */
  VTR_RING_BLOCK_WRITTEN = 1 << 3,    /* its calls are in the trace file; set by the host */
  VTR_RING_BLOCK_INITIAL = 1 << 4,    /* ended before the recording began: re-creates state */
  VTR_RING_BLOCK_KEPT = 1 << 5,       /* ended, and no part of a recording: kept for the next one */
};

typedef struct
{
  _Atomic uint32_t committed; /* bytes of this segment that are valid, header included */
  _Atomic uint32_t next;      /* next segment of the chain; 0: none yet */
  uint32_t kind;              /* VtrRingSegmentKind */
  uint32_t position;          /* 0 for the first segment of a chain, then 1, 2, … */
  uint64_t thread;            /* logs and batches: gettid() */
  uint64_t object;            /* blocks: the command list, or the context of a batch */
  _Atomic uint32_t block_flags;
  uint32_t stream;       /* logs: index of the stream */
  uint64_t begin_ticket; /* blocks: next_ticket when recording began: orders unpublished ones */
  uint32_t resume;       /* logs, host only: where the first record begins if not behind the header */
  uint32_t names;        /* blocks: number of the namespace, if the block is a batch; else 0 */
  uint8_t reserved[8];
} VtrRingSegment;

static_assert (sizeof (VtrRingSegment) == 64, "one cache line");

/* Record types below 0xff00 are VtrCmdId: the payload is the command's message (FORMAT.md). */
typedef enum
{
  VTR_RECORD_RETURNED = 0xff00, /* VtrRingReturned: the result of a call committed before it ran */
  VTR_RECORD_BLOCK = 0xff01,    /* VtrRingBlockRef: a command list's calls, or a batch, in order */
  VTR_RECORD_MEMORY = 0xff02,   /* vitrine.MappedWrites message: CPU writes to mapped memory */
  VTR_RECORD_INFO = 0xff03,     /* vitrine.* message named by its first bytes: {u16 n, name[n]} */
  VTR_RECORD_STOP = 0xff04,     /* VtrRingState (u32): recording ended here */
  VTR_RECORD_PICTURE = 0xff06,  /* VtrRingPicture and its rows: what the last frame of the recording presents */
  VTR_RECORD_START = 0xff05,    /* VtrRingStart: a recording begins here that was asked for while idle */
} VtrRecordType;

enum
{
  VTR_RECORD_LARGE = 1 << 0,   /* holds an observation above 1 KiB: worth deduplicating */
  VTR_RECORD_PENDING = 1 << 1, /* committed before the call: a VTR_RECORD_RETURNED follows */
};

typedef struct
{
  uint32_t size; /* payload bytes, without this header and padding */
  uint16_t type;
  uint16_t flags;
  uint64_t ticket;
} VtrRingRecord;

typedef struct
{
  uint32_t size;
  uint16_t type;
  uint16_t flags;
} VtrRingBlockRecord;

static_assert (sizeof (VtrRingRecord) == 16, "");
static_assert (sizeof (VtrRingBlockRecord) == 8, "");

typedef struct
{
  uint64_t ticket; /* of the call that returned */
  uint64_t result; /* as in field 4 of a command */
} VtrRingReturned;

typedef struct
{
  uint32_t request; /* VtrRingHeader.trigger_request */
  uint32_t reserved;
  uint64_t frame; /* the first that is recorded */
} VtrRingStart;

/* Rows of an image, from the top to the bottom and equally far apart, in texels of .format without
 * padding; VTR_RING_PICTURE_MAX bytes at most. */
typedef struct
{
  uint32_t format; /* the API's number; of colour, without planes or blocks */
  uint32_t width, height;
  uint32_t n_rows; /* .height at most */
} VtrRingPicture;

#define VTR_RING_PICTURE_MAX (2u * 1024u * 1024u)

static_assert (sizeof (VtrRingPicture) == 16, "");

/* Where the @nth row is in the image. */
static inline uint32_t
vtr_ring_picture_row (const VtrRingPicture *self,
                      uint32_t              nth)
{
  return (uint32_t)((uint64_t)nth * self->height / self->n_rows);
}

typedef struct
{
  uint32_t first;  /* first segment of the chain */
  uint32_t flags;  /* VTR_RING_BLOCK_* */
  uint64_t bytes;  /* record bytes over the whole chain, segment headers excluded */
  uint64_t object; /* the command list, or the context */
} VtrRingBlockRef;
