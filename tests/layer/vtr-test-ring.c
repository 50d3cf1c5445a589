/* Reads the records of a ring in shared memory, for the tests of the code that writes them. */
#include "vtr-test-ring.h"

#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef struct
{
  guint32 segment;
  guint32 offset;
} Cursor;

static void
clear_record (gpointer data)
{
  g_free (((VtrTestRecord *)data)->payload);
}

static void
clear_cursor (VtrTestRing *self,
              guint        stream)
{
  g_array_index (self->cursors, Cursor, stream) = (Cursor){ 0, 0 };
}

VtrTestRing *
vtr_test_ring_new (guint32  n_segments,
                   guint32  n_streams,
                   gboolean release)
{
  VtrTestRing *self = g_new0 (VtrTestRing, 1);

  self->size = vtr_ring_size_for (n_segments, n_streams);
  self->fd = memfd_create ("vitrine-test-ring", MFD_CLOEXEC);
  g_assert_cmpint (self->fd, >=, 0);
  g_assert_cmpint (ftruncate (self->fd, (off_t)self->size), ==, 0);
  self->header = mmap (NULL, self->size, PROT_READ | PROT_WRITE, MAP_SHARED, self->fd, 0);
  g_assert_true (self->header != MAP_FAILED);
  g_assert_cmpint (vtr_ring_format (self->header, self->size, n_streams), ==, VTR_OK);
  g_assert_cmpuint (self->header->n_segments, >=, n_segments);

  self->records = g_array_new (FALSE, TRUE, sizeof (VtrTestRecord));
  g_array_set_clear_func (self->records, clear_record);
  self->cursors = g_array_new (FALSE, TRUE, sizeof (Cursor));
  g_array_set_size (self->cursors, n_streams);
  self->release = release;
  return self;
}

void
vtr_test_ring_free (VtrTestRing *self)
{
  munmap (self->header, self->size);
  close (self->fd);
  g_array_unref (self->records);
  g_array_unref (self->cursors);
  g_free (self);
}

int
vtr_test_ring_dup (VtrTestRing *self)
{
  return dup (self->fd);
}

static VtrRingSegment *
get_segment (VtrTestRing *self,
             guint32      index)
{
  g_assert_cmpuint (index, >, 0);
  g_assert_cmpuint (index, <, self->header->n_segments);
  return (VtrRingSegment *)(gpointer)((guint8 *)self->header + self->header->segments_offset +
                                      (gsize)index * VTR_RING_SEGMENT_SIZE);
}

static _Atomic guint32 *
get_refs (VtrTestRing *self)
{
  return (_Atomic guint32 *)(gpointer)((guint8 *)self->header + self->header->refs_offset);
}

static void
unref_segment (VtrTestRing *self,
               guint32      index)
{
  guint32 before = atomic_fetch_sub (&get_refs (self)[index], 1);

  g_assert_cmpuint (before, >, 0);
  if (before == 1)
    {
      atomic_fetch_add (&self->header->released, 1);
      syscall (SYS_futex, &self->header->released, FUTEX_WAKE, G_MAXINT, NULL, NULL, 0);
    }
}

/* Copies @size bytes from *@at on, following the chain. Returns: FALSE if they are not all
 * committed. */
static gboolean
copy_chain (VtrTestRing *self,
            Cursor       at,
            guint8      *to,
            gsize        size,
            Cursor      *after)
{
  for (;;)
    {
      VtrRingSegment *segment = get_segment (self, at.segment);
      guint32 committed = atomic_load_explicit (&segment->committed, memory_order_acquire);
      gsize part = MIN (size, VTR_RING_SEGMENT_SIZE - at.offset);

      if (at.offset + part > committed)
        return FALSE;
      memcpy (to, (guint8 *)segment + at.offset, part);
      to += part;
      size -= part;
      at.offset += (guint32)VTR_RING_ALIGN (part);
      if (size == 0)
        break;
      at.segment = atomic_load_explicit (&segment->next, memory_order_acquire);
      at.offset = sizeof (VtrRingSegment);
      if (at.segment == 0)
        return FALSE;
    }
  *after = at;
  return TRUE;
}

/* Reads one record of either kind. Returns: FALSE if there is none complete. */
static gboolean
read_record (VtrTestRing   *self,
             Cursor        *at,
             gboolean       in_log,
             VtrTestRecord *out)
{
  gsize head = in_log ? sizeof (VtrRingRecord) : sizeof (VtrRingBlockRecord);
  VtrRingRecord record = { 0 };
  VtrRingSegment *segment = get_segment (self, at->segment);
  guint32 next = atomic_load_explicit (&segment->next, memory_order_acquire);
  guint32 committed = atomic_load_explicit (&segment->committed, memory_order_acquire);
  g_autofree guint8 *bytes = NULL;
  Cursor after;

  if (at->offset == committed)
    {
      /* The segments of a large record are linked before the first is written to. Only a chain's
       * very first segment can stay empty. */
      if (next == 0 || (at->offset == sizeof *segment && segment->position > 0))
        return FALSE;
      at->segment = next;
      at->offset = sizeof (VtrRingSegment);
      segment = get_segment (self, next);
      committed = atomic_load_explicit (&segment->committed, memory_order_acquire);
      if (at->offset == committed)
        return FALSE;
    }

  g_assert_cmpuint (at->offset % 8, ==, 0);
  g_assert_cmpuint (at->offset + head, <=, committed);
  memcpy (&record, (guint8 *)segment + at->offset, head);
  bytes = g_malloc (head + record.size);
  if (!copy_chain (self, *at, bytes, head + record.size, &after))
    return FALSE;

  *out = (VtrTestRecord){ .type = record.type,
                          .flags = record.flags,
                          .ticket = record.ticket,
                          .thread = segment->thread,
                          .size = record.size,
                          .payload = g_memdup2 (bytes + head, record.size) };
  *at = after;
  return TRUE;
}

static void
release_between (VtrTestRing *self,
                 guint32      from,
                 guint32      to)
{
  while (self->release && from != to && from != 0)
    {
      guint32 next = atomic_load (&get_segment (self, from)->next);

      unref_segment (self, from);
      from = next;
    }
}

guint
vtr_test_ring_drain (VtrTestRing *self)
{
  VtrRingStream *streams = (VtrRingStream *)(gpointer)((guint8 *)self->header +
                                                       self->header->streams_offset);
  guint found = 0;

  for (guint i = 0; i < self->header->n_streams; i++)
    {
      Cursor *cursor = &g_array_index (self->cursors, Cursor, i);
      guint32 state = atomic_load_explicit (&streams[i].state, memory_order_acquire);
      guint32 before;
      VtrTestRecord record;

      if (cursor->segment == 0)
        *cursor = (Cursor){ atomic_load_explicit (&streams[i].first, memory_order_acquire),
                            sizeof (VtrRingSegment) };
      before = cursor->segment;
      while (cursor->segment != 0 && read_record (self, cursor, TRUE, &record))
        {
          g_array_append_val (self->records, record);
          found++;
        }
      release_between (self, before, cursor->segment);
      if (state == VTR_RING_STREAM_CLOSED)
        {
          if (self->release && cursor->segment != 0)
            unref_segment (self, cursor->segment);
          clear_cursor (self, i);
          atomic_store (&streams[i].first, 0);
          atomic_store_explicit (&streams[i].state, VTR_RING_STREAM_FREE, memory_order_release);
        }
    }
  return found;
}

GArray *
vtr_test_ring_read_block (VtrTestRing           *self,
                          const VtrRingBlockRef *ref)
{
  GArray *records = g_array_new (FALSE, TRUE, sizeof (VtrTestRecord));
  Cursor cursor = { ref->first, sizeof (VtrRingSegment) };
  VtrTestRecord record;
  guint64 bytes = 0;

  g_array_set_clear_func (records, clear_record);
  while (read_record (self, &cursor, FALSE, &record))
    {
      bytes += VTR_RING_ALIGN (sizeof (VtrRingBlockRecord) + record.size);
      g_array_append_val (records, record);
    }
  if (ref->bytes != 0)
    g_assert_cmpuint (bytes, ==, ref->bytes);
  return records;
}

void
vtr_test_ring_discard (VtrTestRing *self)
{
  for (guint i = 0; i < self->records->len; i++)
    {
      const VtrTestRecord *record = &g_array_index (self->records, VtrTestRecord, i);
      VtrRingBlockRef ref;

      if (record->type != VTR_RECORD_BLOCK)
        continue;
      memcpy (&ref, record->payload, sizeof ref);
      for (guint32 segment = ref.first; segment != 0;)
        {
          guint32 next = atomic_load (&get_segment (self, segment)->next);

          unref_segment (self, segment);
          segment = next;
        }
    }
  g_array_set_size (self->records, 0);
}

static gint
compare_tickets (gconstpointer a,
                 gconstpointer b)
{
  guint64 left = ((const VtrTestRecord *)a)->ticket;
  guint64 right = ((const VtrTestRecord *)b)->ticket;

  return left < right ? -1 : left > right;
}

GArray *
vtr_test_ring_sorted (VtrTestRing *self,
                      gboolean     unfold)
{
  GArray *sorted = g_array_new (FALSE, TRUE, sizeof (VtrTestRecord));
  GArray *result = g_array_new (FALSE, TRUE, sizeof (VtrTestRecord));

  g_array_append_vals (sorted, self->records->data, self->records->len);
  g_array_sort (sorted, compare_tickets);
  g_array_set_clear_func (result, clear_record);
  for (guint i = 0; i < sorted->len; i++)
    {
      VtrTestRecord record = g_array_index (sorted, VtrTestRecord, i);

      record.payload = g_memdup2 (record.payload, record.size);
      g_array_append_val (result, record);
      if (unfold && record.type == VTR_RECORD_BLOCK)
        {
          g_autoptr (GArray) block = vtr_test_ring_read_block (
            self, (const VtrRingBlockRef *)(gpointer)record.payload);

          for (guint j = 0; j < block->len; j++)
            {
              VtrTestRecord inner = g_array_index (block, VtrTestRecord, j);

              inner.payload = g_memdup2 (inner.payload, inner.size);
              inner.ticket = record.ticket;
              g_array_append_val (result, inner);
            }
        }
    }
  g_array_unref (sorted);
  return result;
}

guint
vtr_test_ring_count_taken (VtrTestRing *self)
{
  guint taken = 0;

  for (guint32 i = 1; i < self->header->n_segments; i++)
    if (atomic_load (&get_refs (self)[i]) != 0)
      taken++;
  return taken;
}
