/* Writes the blocks of a ring: the commands of a command list, until they are announced in a
 * log. */
#include "vtr-ring-writer-private.h"

#include <stdlib.h>

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
  vtr_ring_segment_init (vtr_ring_writer_segment (ring, index), VTR_RING_SEGMENT_BLOCK, 0, 0,
                         object, 0,
                         ticket);
  self->ring = ring;
  self->first = index;
  vtr_ring_chain_enter (self, index);
  return true;
}

bool
vtr_ring_block_begin (VtrRingChain  *self,
                      VtrRingWriter *ring,
                      uint64_t       object)
{
  return begin_block (self, ring, object, vtr_ring_writer_take (ring), false);
}

bool
vtr_ring_block_begin_modest (VtrRingChain  *self,
                             VtrRingWriter *ring,
                             uint64_t       object)
{
  return begin_block (self, ring, object, vtr_ring_writer_take_modestly (ring), true);
}

bool
vtr_ring_block_begin_over (VtrRingChain *self,
                           VtrRingChain *old,
                           uint64_t      object,
                           bool          modest)
{
  VtrRingWriter *ring = old->ring;
  VtrRingChain rest = { .ring = ring, .modest = old->modest };
  uint32_t first = old->first;

  /* A second reference is the host's, which still reads the block. */
  if (first == 0 || vtr_ring_writer_has_ended (ring) ||
      atomic_load_explicit (&ring->refs[first], memory_order_acquire) != 1)
    return false;
  rest.first = atomic_load_explicit (&vtr_ring_writer_segment (ring, first)->next,
                                     memory_order_relaxed);
  vtr_ring_block_drop (&rest);
  if (old->modest && !modest)
    atomic_fetch_sub_explicit (&ring->n_modest, 1, memory_order_relaxed);
  else if (modest && !old->modest)
    atomic_fetch_add_explicit (&ring->n_modest, 1, memory_order_relaxed);
  memset (old, 0, sizeof *old);
  return begin_block (self, ring, object, first, modest);
}

void
vtr_ring_block_set_stream (VtrRingChain *self,
                           uint64_t      thread,
                           uint32_t      names)
{
  VtrRingSegment *first = vtr_ring_writer_segment (self->ring, self->first);

  first->thread = thread;
  first->names = names;
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
  ref.object = first->object;

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

      vtr_ring_writer_drop (self->ring, index);
      index = next;
    }
  memset (self, 0, sizeof *self);
}
