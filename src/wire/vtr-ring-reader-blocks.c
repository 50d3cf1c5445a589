/* Reads the blocks of a ring: those that a log announced, and those that were left unfinished. */
#include "wire/vtr-ring-reader-private.h"

#include <stdlib.h>
#include <string.h>

static VtrRingBlock
open_block (VtrRingReader *self,
            uint32_t       segment,
            uint64_t       bytes)
{
  const VtrRingSegment *first = vtr_ring_reader_segment (self, segment);
  const uint32_t names = first->names;

  return (VtrRingBlock){ self, names != 0 ? first->thread : 0, names, bytes, segment,
                         VTR_RING_SEGMENT_HEADER };
}

VtrStatus
vtr_ring_reader_open_block (VtrRingReader     *self,
                            const VtrRingItem *item,
                            VtrRingBlock      *out,
                            uint32_t          *flags)
{
  VtrRingBlockRef ref;
  VtrRingHeld held = { .ticket = self->next_ticket - 1, .block = true };
  VtrStatus status;

  if (item->type != VTR_RECORD_BLOCK || item->size != sizeof ref)
    return VTR_CORRUPT;
  memcpy (&ref, item->data, sizeof ref);
  if (!vtr_ring_reader_is_segment (self, ref.first, VTR_RING_SEGMENT_BLOCK) ||
      vtr_ring_reader_segment (self, ref.first)->position != 0)
    return VTR_CORRUPT;

  held.segment = ref.first;
  status = vtr_ring_reader_hold (self, &held);
  if (status != VTR_OK)
    return status;
  *flags = ref.flags;
  *out = open_block (self, ref.first, ref.bytes);
  if (out->names == 0)
    out->thread = item->thread;
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

  while (block->offset == (committed = vtr_ring_reader_committed (self, block->segment)))
    {
      status = vtr_ring_reader_next_segment (self, block->segment, &next);
      if (status != VTR_OK)
        return status;
      if (next == 0 || block->bytes_left == 0)
        return VTR_CLOSED;
      block->segment = next;
      block->offset = VTR_RING_SEGMENT_HEADER;
    }
  if (block->bytes_left == 0)
    return VTR_CLOSED;
  if (committed < block->offset || committed - block->offset < sizeof record)
    return VTR_CORRUPT;

  memcpy (&record, (uint8_t *)vtr_ring_reader_segment (self, block->segment) + block->offset,
          sizeof record);
  status =
    vtr_ring_reader_read (self, &block->segment, &block->offset, sizeof record, record.size,
                          &out->data);
  if (status == VTR_TIMEOUT)
    return VTR_CLOSED;
  if (status != VTR_OK)
    return status;
  if (block->bytes_left != UINT64_MAX)
    {
      uint64_t total = VTR_RING_PADDED (sizeof record + (uint64_t)record.size);

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
  const VtrRingSegment *segment = vtr_ring_reader_segment (self, index);

  return atomic_load_explicit (&self->refs[index], memory_order_acquire) > 0 &&
         segment->kind == VTR_RING_SEGMENT_BLOCK && segment->position == 0 &&
         (atomic_load ((_Atomic uint32_t *)&segment->block_flags) &
          (VTR_RING_BLOCK_WRITTEN | VTR_RING_BLOCK_KEPT)) == 0 &&
         vtr_ring_reader_committed (self, index) > VTR_RING_SEGMENT_HEADER &&
         !is_held (self, index);
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
      found[n_found++] = (Unfinished){ vtr_ring_reader_segment (self, i)->begin_ticket, i };
  qsort (found, n_found, sizeof *found, compare_unfinished);

  blocks = calloc (n_found + 1, sizeof *blocks);
  for (size_t i = 0; blocks != NULL && i < n_found; i++)
    blocks[i] = open_block (self, found[i].segment, UINT64_MAX);
  free (found);
  if (blocks == NULL)
    return VTR_NO_MEMORY;
  *out = blocks;
  *n = n_found;
  return VTR_OK;
}
