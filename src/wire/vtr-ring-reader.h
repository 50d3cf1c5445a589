/* The host's side of the shared ring (vtr-ring.h): merges the logs by ticket, walks blocks,
 * gives segments back.
 *
 * The other side is another process, which may have died or be hostile. Every index, size and link is
 * checked against the header values copied at the beginning; a chain that breaks the rules is not read any
 * further. A hostile writer may change the bytes behind VtrRingItem.data at any time: copy them, then check
 * the copy.
 *
 * Threading: one at a time. */
#pragma once

#include "base/vtr-status.h"
#include "wire/vtr-ring.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct VtrRingReader VtrRingReader;

typedef struct
{
  uint64_t ticket;     /* 0 inside blocks */
  uint64_t thread;     /* gettid(); 0 inside blocks (each message says it itself) */
  const uint8_t *data; /* valid until the next call on the reader */
  uint32_t size;
  uint16_t type;  /* VtrRecordType or a command id */
  uint16_t flags; /* VTR_RECORD_LARGE, VTR_RECORD_PENDING */
} VtrRingItem;

/**
 * vtr_ring_reader_new:
 * @mapping: (transfer none): the whole file, shared and writable; must outlive the reader
 * @first_ticket: 1, or for recovery the first ticket that the trace file does not have
 *
 * Errors: VTR_CORRUPT, VTR_UNSUPPORTED (version), VTR_NO_MEMORY.
 */
VtrStatus vtr_ring_reader_new (void           *mapping,
                               size_t          size,
                               uint64_t        first_ticket,
                               VtrRingReader **out) VTR_MUST_CHECK;
void vtr_ring_reader_free (VtrRingReader *self);

/**
 * vtr_ring_reader_next:
 * @skip: do not wait for missing tickets, because the writer is dead or had enough time
 *
 * The next log record in the order of tickets. Errors: VTR_TIMEOUT (no record is ready), VTR_NO_MEMORY.
 */
VtrStatus vtr_ring_reader_next (VtrRingReader *self,
                                bool           skip,
                                VtrRingItem   *out) VTR_MUST_CHECK;

/* Whether a record is ready that only waits for a record with a smaller ticket. */
bool vtr_ring_reader_has_gap (VtrRingReader *self);

/* The lowest ticket that vtr_ring_reader_next() has not returned. */
uint64_t vtr_ring_reader_get_next_ticket (const VtrRingReader *self);

/* The number of chains that are no longer read because they broke the rules. */
unsigned vtr_ring_reader_get_n_damaged (const VtrRingReader *self);

/* ---- Blocks ---- */

/* A position in a block. Plain data, no clean-up. */
typedef struct
{
  VtrRingReader *reader;
  uint64_t thread;
  uint32_t names; /* number of the batch's namespace; 0: the block is not a batch */
  uint64_t bytes_left;
  uint32_t segment;
  uint32_t offset;
} VtrRingBlock;

/**
 * vtr_ring_reader_open_block:
 * @item: a VTR_RECORD_BLOCK that vtr_ring_reader_next () has just returned
 * @flags: (out): VTR_RING_BLOCK_*
 *
 * The block's segments are kept until vtr_ring_reader_release () is called for the item's ticket.
 * Errors: VTR_CORRUPT, VTR_NO_MEMORY.
 */
VtrStatus vtr_ring_reader_open_block (VtrRingReader     *self,
                                      const VtrRingItem *item,
                                      VtrRingBlock      *out,
                                      uint32_t          *flags) VTR_MUST_CHECK;

/* The next record of @block. Errors: VTR_CLOSED (the end of the block), VTR_CORRUPT, VTR_NO_MEMORY. */
VtrStatus vtr_ring_reader_next_in_block (VtrRingBlock *block,
                                         VtrRingItem  *out) VTR_MUST_CHECK;

/**
 * vtr_ring_reader_list_unfinished:
 * @out: (transfer full) (array length=n): free() it
 *
 * The blocks that no VTR_RECORD_BLOCK names, the oldest first. Only once the writer is dead. Errors:
 * VTR_NO_MEMORY.
 */
VtrStatus vtr_ring_reader_list_unfinished (VtrRingReader  *self,
                                           VtrRingBlock  **out,
                                           size_t         *n) VTR_MUST_CHECK;

/* ---- Giving back ---- */

/* Says that all records with tickets below @ticket are on disk. Frees the segments that contain nothing else, and wakes
 * writers that wait for room. */
void vtr_ring_reader_release (VtrRingReader *self,
                              uint64_t       ticket);

/* Frees the buffer for straddling records. Invalidates VtrRingItem.data. */
void vtr_ring_reader_trim (VtrRingReader *self);
