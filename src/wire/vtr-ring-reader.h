/* The host's side of the shared ring (vtr-ring.h): merges the logs by ticket, walks blocks,
 * gives segments back.
 *
 * The other side is another process, perhaps dead, perhaps hostile: every index, size and link
 * is checked against the header values copied at the beginning, and a chain that breaks the
 * rules is left alone from there on. Bytes behind VtrRingItem.data may change under a hostile
 * writer: copy them first, then look at the copy.
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
 * @skip: do not wait for missing tickets: the writer is dead, or was given time enough
 *
 * The next log record in ticket order. Errors: VTR_TIMEOUT (nothing to be had now), VTR_NO_MEMORY.
 */
VtrStatus vtr_ring_reader_next (VtrRingReader *self,
                                bool           skip,
                                VtrRingItem   *out) VTR_MUST_CHECK;

/* Whether some record is there that only waits for one with a lower ticket. */
bool vtr_ring_reader_has_gap (VtrRingReader *self);

/* The lowest ticket that vtr_ring_reader_next() has not returned. */
uint64_t vtr_ring_reader_get_next_ticket (const VtrRingReader *self);

/* How many chains were given up because they broke the rules. */
unsigned vtr_ring_reader_get_n_damaged (const VtrRingReader *self);

/* ---- Blocks ---- */

/* A position in a block. Plain data, no clean-up. */
typedef struct
{
  VtrRingReader *reader;
  uint64_t thread;
  uint32_t names; /* number of the namespace of a batch; 0: it is none */
  uint64_t bytes_left;
  uint32_t segment;
  uint32_t offset;
} VtrRingBlock;

/**
 * vtr_ring_reader_open_block:
 * @item: a VTR_RECORD_BLOCK just returned
 * @flags: (out): VTR_RING_BLOCK_*
 *
 * Its segments are kept until vtr_ring_reader_release() is called for the item's ticket.
 * Errors: VTR_CORRUPT, VTR_NO_MEMORY.
 */
VtrStatus vtr_ring_reader_open_block (VtrRingReader     *self,
                                      const VtrRingItem *item,
                                      VtrRingBlock      *out,
                                      uint32_t          *flags) VTR_MUST_CHECK;

/* Errors: VTR_CLOSED (the end), VTR_CORRUPT, VTR_NO_MEMORY. */
VtrStatus vtr_ring_reader_next_in_block (VtrRingBlock *block,
                                         VtrRingItem  *out) VTR_MUST_CHECK;

/**
 * vtr_ring_reader_list_unfinished:
 * @out: (transfer full) (array length=n): free() it
 *
 * The blocks that were never announced, oldest first. Only for dead writers. Errors: VTR_NO_MEMORY.
 */
VtrStatus vtr_ring_reader_list_unfinished (VtrRingReader  *self,
                                           VtrRingBlock  **out,
                                           size_t         *n) VTR_MUST_CHECK;

/* ---- Giving back ---- */

/* Everything below @ticket is safe on disk: frees what held only that and wakes writers that
 * wait for room. */
void vtr_ring_reader_release (VtrRingReader *self,
                              uint64_t       ticket);

/* Frees the memory that the largest record took. Its bytes are gone. */
void vtr_ring_reader_trim (VtrRingReader *self);
