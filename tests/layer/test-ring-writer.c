/* Tests the writer of the shared ring: records of every size, many threads, and every way to run
 * out of something. */
#include "vtr-test-ring.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static gint refuse_space; /* fallocate() of this program fails with ENOSPC while it is set */

int
fallocate (int   fd,
           int   mode,
           off_t offset,
           off_t size)
{
  if (g_atomic_int_get (&refuse_space))
    {
      errno = ENOSPC;
      return -1;
    }
  return (int)syscall (SYS_fallocate, fd, mode, offset, size);
}

static void
fill (guint8  *bytes,
      gsize    size,
      guint32  seed)
{
  for (gsize i = 0; i < size; i++)
    bytes[i] = (guint8)((seed * 2654435761u + i * 31) >> 3);
}

static void
assert_filled (const VtrTestRecord *record,
               guint32              seed)
{
  for (gsize i = 0; i < record->size; i++)
    g_assert_cmpuint (record->payload[i], ==, (guint8)((seed * 2654435761u + i * 31) >> 3));
}

static void
attach (VtrTestRing   *ring,
        VtrRingWriter *writer)
{
  g_assert_cmpint (vtr_ring_writer_attach (writer, vtr_test_ring_dup (ring)), ==, VTR_OK);
}

static void
test_log_sizes (void)
{
  static const gsize sizes[] = { 0,
                                 1,
                                 7,
                                 8,
                                 9,
                                 100,
                                 4096,
                                 VTR_RING_SEGMENT_PAYLOAD - 16,
                                 3,
                                 VTR_RING_SEGMENT_PAYLOAD - 15,
                                 5,
                                 200000,
                                 1 << 20,
                                 11,
                                 2 * VTR_RING_SEGMENT_PAYLOAD - 16,
                                 2 * VTR_RING_SEGMENT_PAYLOAD - 15,
                                 1 };
  VtrTestRing *ring = vtr_test_ring_new (512, 4, FALSE);
  VtrRingWriter writer;
  VtrRingLog log;
  g_autofree guint8 *bytes = g_malloc (1 << 20);
  g_autoptr (GArray) records = NULL;

  attach (ring, &writer);
  g_assert_true (vtr_ring_log_open (&log, &writer, 42));
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      guint64 ticket = 0;

      fill (bytes, sizes[i], i);
      g_assert_cmpint (
        vtr_ring_log_append (&log, (guint16)i, (guint16)(i & 3), bytes, sizes[i], &ticket), ==,
        VTR_OK);
      g_assert_cmpuint (ticket, ==, i + 1);
      g_assert_cmpuint (vtr_test_ring_drain (ring), ==, 1);
    }
  vtr_ring_log_close (&log);

  records = vtr_test_ring_sorted (ring, FALSE);
  g_assert_cmpuint (records->len, ==, G_N_ELEMENTS (sizes));
  for (guint i = 0; i < records->len; i++)
    {
      const VtrTestRecord *record = &g_array_index (records, VtrTestRecord, i);

      g_assert_cmpuint (record->type, ==, i);
      g_assert_cmpuint (record->flags, ==, i & 3);
      g_assert_cmpuint (record->thread, ==, 42);
      g_assert_cmpuint (record->size, ==, sizes[i]);
      assert_filled (record, i);
    }
  vtr_ring_writer_detach (&writer);
  vtr_test_ring_free (ring);
}

/* A payload in parts gives the same record as one piece, wherever segments end. */
static void
test_log_parts (void)
{
  static const gsize cuts[][4] = {
    { 0, 0, 0, 0 },
    { 0, 1, 8, 9 },
    { 13, 4096, 4096, 8191 },
    { 7, VTR_RING_SEGMENT_PAYLOAD - 16, VTR_RING_SEGMENT_PAYLOAD - 16,
      VTR_RING_SEGMENT_PAYLOAD - 15 },
    { 3, VTR_RING_SEGMENT_PAYLOAD - 19, 2 * VTR_RING_SEGMENT_PAYLOAD - 16, 100000 },
    { 0, 99999, 100001, 300007 },
  };
  VtrTestRing *ring = vtr_test_ring_new (512, 4, FALSE);
  VtrRingWriter writer;
  VtrRingLog log;
  g_autofree guint8 *bytes = g_malloc (300007);
  g_autoptr (GArray) records = NULL;

  attach (ring, &writer);
  g_assert_true (vtr_ring_log_open (&log, &writer, 42));
  for (guint i = 0; i < G_N_ELEMENTS (cuts); i++)
    {
      VtrRingPart parts[4];
      guint64 ticket = 0;

      fill (bytes, 300007, i);
      for (guint k = 0; k < G_N_ELEMENTS (parts); k++)
        {
          gsize start = k > 0 ? cuts[i][k - 1] : 0;

          parts[k] = (VtrRingPart){ bytes + start, cuts[i][k] - start };
        }
      g_assert_cmpint (vtr_ring_log_append_parts (&log, (guint16)i, 2, parts, G_N_ELEMENTS (parts),
                                                  &ticket),
                       ==, VTR_OK);
      g_assert_cmpuint (ticket, ==, i + 1);
      g_assert_cmpuint (vtr_test_ring_drain (ring), ==, 1);
    }
  g_assert_cmpint (vtr_ring_log_append_parts (&log, 1, 0,
                                              (const VtrRingPart[]){ { bytes, SIZE_MAX },
                                                                     { bytes, 2 } },
                                              2, NULL),
                   ==, VTR_CLOSED);
  vtr_ring_log_close (&log);

  records = vtr_test_ring_sorted (ring, FALSE);
  for (guint i = 0; i < G_N_ELEMENTS (cuts); i++)
    {
      const VtrTestRecord *record = &g_array_index (records, VtrTestRecord, i);

      g_assert_cmpuint (record->type, ==, i);
      g_assert_cmpuint (record->size, ==, cuts[i][3]);
      assert_filled (record, i);
    }
  vtr_ring_writer_detach (&writer);
  vtr_test_ring_free (ring);
}

static void
write_block (VtrRingChain *block,
             guint         n)
{
  g_autofree guint8 *bytes = g_malloc (150000);

  for (guint i = 0; i < n; i++)
    {
      gsize size = i % 50 == 49 ? 150000 : (i * 7) % 90;

      fill (bytes, size, i);
      if (i % 2 == 0)
        {
          g_assert_cmpint (vtr_ring_block_append (block, (guint16)i, 0, bytes, size), ==, VTR_OK);
        }
      else if (size < 4096)
        {
          VtrRingBlockRecord head = { (guint32)size, (guint16)i, 0 };
          gsize total = VTR_RING_ALIGN (sizeof head + size);
          guint8 *to = vtr_ring_block_reserve (block, total);

          g_assert_nonnull (to);
          memcpy (to, &head, sizeof head);
          memcpy (to + sizeof head, bytes, size);
          vtr_ring_block_commit (block, total);
        }
      else
        g_assert_cmpint (vtr_ring_block_append (block, (guint16)i, 0, bytes, size), ==, VTR_OK);
    }
}

static void
test_block (void)
{
  VtrTestRing *ring = vtr_test_ring_new (1024, 4, FALSE);
  VtrRingWriter writer;
  VtrRingLog log;
  VtrRingChain block;
  g_autoptr (GArray) records = NULL;

  attach (ring, &writer);
  g_assert_true (vtr_ring_log_open (&log, &writer, 1));
  g_assert_true (vtr_ring_block_begin (&block, &writer, 0x1234));
  write_block (&block, 1000);
  g_assert_cmpint (vtr_ring_block_publish (&block, &log, 0, FALSE), ==, VTR_OK);
  g_assert_null (block.segment);

  vtr_test_ring_drain (ring);
  records = vtr_test_ring_sorted (ring, TRUE);
  g_assert_cmpuint (records->len, ==, 1001);
  for (guint i = 1; i < records->len; i++)
    {
      const VtrTestRecord *record = &g_array_index (records, VtrTestRecord, i);

      g_assert_cmpuint (record->type, ==, i - 1);
      assert_filled (record, i - 1);
    }
  vtr_ring_writer_detach (&writer);
  vtr_test_ring_free (ring);
}

static void
test_block_references (void)
{
  VtrTestRing *ring = vtr_test_ring_new (512, 4, FALSE);
  VtrRingWriter writer;
  VtrRingLog log;
  VtrRingChain block;
  VtrRingBlockRef ref;

  attach (ring, &writer);
  g_assert_true (vtr_ring_log_open (&log, &writer, 1));
  g_assert_cmpuint (vtr_test_ring_count_taken (ring), ==, 1);

  g_assert_true (vtr_ring_block_begin (&block, &writer, 1));
  write_block (&block, 60);
  vtr_ring_block_drop (&block);
  g_assert_cmpuint (vtr_test_ring_count_taken (ring), ==, 1);

  g_assert_true (vtr_ring_block_begin (&block, &writer, 1));
  write_block (&block, 60);
  g_assert_cmpint (vtr_ring_block_publish (&block, &log, 0, TRUE), ==, VTR_OK);
  vtr_test_ring_drain (ring);
  memcpy (&ref, g_array_index (ring->records, VtrTestRecord, 0).payload, sizeof ref);
  for (guint32 i = ref.first; i != 0;)
    {
      VtrRingSegment *segment = vtr_ring_writer_segment (&writer, i);

      g_assert_cmpuint (atomic_load (&writer.refs[i]), ==, 2);
      g_assert_cmpuint (segment->object, ==, 1);
      i = segment->next;
    }
  vtr_ring_block_drop (&block);
  for (guint32 i = ref.first; i != 0; i = vtr_ring_writer_segment (&writer, i)->next)
    g_assert_cmpuint (atomic_load (&writer.refs[i]), ==, 1);
  vtr_ring_writer_detach (&writer);
  vtr_test_ring_free (ring);
}

static void
test_block_over (void)
{
  VtrTestRing *ring = vtr_test_ring_new (512, 4, TRUE);
  VtrRingWriter writer;
  VtrRingLog log;
  VtrRingChain block, again;
  guint32 first;

  attach (ring, &writer);
  g_assert_true (vtr_ring_log_open (&log, &writer, 1));
  g_assert_true (vtr_ring_block_begin_modest (&block, &writer, 1));
  write_block (&block, 60);
  vtr_ring_block_mark_kept (&block);
  first = block.first;
  g_assert_cmpuint (vtr_test_ring_count_taken (ring), >, 10);

  /* Only the first segment stays, as if it had just been taken. */
  g_assert_true (vtr_ring_block_begin_over (&again, &block, 2, TRUE));
  g_assert_cmpuint (block.first, ==, 0);
  g_assert_cmpuint (again.first, ==, first);
  g_assert_cmpuint (again.segment->object, ==, 2);
  g_assert_cmpuint (again.segment->next, ==, 0);
  g_assert_cmpuint (atomic_load (&again.segment->block_flags), ==, 0);
  g_assert_cmpuint (vtr_test_ring_count_taken (ring), ==, 2);
  g_assert_cmpuint (atomic_load (&writer.n_modest), ==, 1);

  /* While something is recorded it may take all the ring. */
  g_assert_true (vtr_ring_block_begin_over (&block, &again, 3, FALSE));
  g_assert_cmpuint (atomic_load (&writer.n_modest), ==, 0);
  write_block (&block, 60);
  g_assert_cmpint (vtr_ring_block_publish (&block, &log, 0, TRUE), ==, VTR_OK);

  /* Not before the host has read it. */
  g_assert_false (vtr_ring_block_begin_over (&again, &block, 4, TRUE));
  g_assert_cmpuint (block.first, ==, first);
  vtr_test_ring_drain (ring);
  vtr_test_ring_discard (ring);
  g_assert_true (vtr_ring_block_begin_over (&again, &block, 4, TRUE));
  g_assert_cmpuint (again.first, ==, first);
  g_assert_cmpuint (atomic_load (&writer.n_modest), ==, 1);

  vtr_ring_writer_end (&writer, VTR_RING_STATE_DONE);
  g_assert_false (vtr_ring_block_begin_over (&block, &again, 5, TRUE));
  vtr_ring_block_drop (&again);
  g_assert_cmpuint (atomic_load (&writer.n_modest), ==, 0);
  g_assert_false (vtr_ring_block_begin_over (&block, &again, 5, TRUE));
  vtr_ring_writer_detach (&writer);
  vtr_test_ring_free (ring);
}

static void
test_full (void)
{
  VtrTestRing *ring = vtr_test_ring_new (32, 4, FALSE);
  VtrRingWriter writer;
  VtrRingLog log;
  guint8 bytes[4096] = { 0 };
  VtrStatus status = VTR_OK;
  guint n = 0;
  gint64 start = g_get_monotonic_time ();
  gint64 waited;
  const VtrTestRecord *last;

  attach (ring, &writer);
  g_assert_true (vtr_ring_log_open (&log, &writer, 1));
  for (; n < 1000 && status == VTR_OK; n++)
    status = vtr_ring_log_append (&log, 1, 0, bytes, sizeof bytes, NULL);
  waited = g_get_monotonic_time () - start;
  g_assert_cmpint (status, ==, VTR_CLOSED);
  g_assert_cmpint (waited, >=, VTR_RING_FULL_TIMEOUT_MS * 900);
  g_assert_cmpint (waited, <=, VTR_RING_FULL_TIMEOUT_MS * 20000);
  g_assert_cmpuint (atomic_load (&ring->header->state), ==, VTR_RING_STATE_FULL);
  g_assert_cmpint (vtr_ring_log_append (&log, 1, 0, bytes, 8, NULL), ==, VTR_CLOSED);

  vtr_test_ring_drain (ring);
  g_assert_cmpuint (ring->records->len, ==, n);
  last = &g_array_index (ring->records, VtrTestRecord, n - 1);
  g_assert_cmpuint (last->type, ==, VTR_RECORD_STOP);
  g_assert_cmpuint (*(guint32 *)(gpointer)last->payload, ==, VTR_RING_STATE_FULL);
  g_assert_cmpuint (last->ticket, ==, n);
  vtr_ring_writer_detach (&writer);
  vtr_test_ring_free (ring);
}

/* Each thread gets a stream, and an error if there are no more. */
static void
test_too_many_threads (void)
{
  VtrTestRing *ring = vtr_test_ring_new (32, 4, FALSE);
  VtrRingWriter writer;
  VtrRingLog logs[4];
  VtrRingLog one_more;

  attach (ring, &writer);
  for (guint i = 0; i < G_N_ELEMENTS (logs); i++)
    g_assert_true (vtr_ring_log_open (&logs[i], &writer, i + 1));
  g_assert_cmpuint (atomic_load (&ring->header->state), ==, VTR_RING_STATE_RUNNING);
  g_assert_false (vtr_ring_log_open (&one_more, &writer, 5));
  g_assert_cmpuint (atomic_load (&ring->header->state), ==, VTR_RING_STATE_THREADS);
  vtr_ring_writer_detach (&writer);
  vtr_test_ring_free (ring);
}

static void
test_straddling_does_not_fit (void)
{
  VtrTestRing *ring = vtr_test_ring_new (32, 4, FALSE);
  VtrRingWriter writer;
  VtrRingLog log;
  g_autofree guint8 *bytes = g_malloc0 (1 << 20);

  attach (ring, &writer);
  g_assert_true (vtr_ring_log_open (&log, &writer, 1));
  g_assert_cmpint (vtr_ring_log_append (&log, 1, 0, bytes, 100, NULL), ==, VTR_OK);
  g_assert_cmpint (vtr_ring_log_append (&log, 1, 0, bytes, 1 << 20, NULL), ==, VTR_CLOSED);
  vtr_test_ring_drain (ring);
  g_assert_cmpuint (ring->records->len, ==, 2);
  g_assert_cmpuint (atomic_load (&ring->header->next_ticket), ==, 3);
  vtr_ring_writer_detach (&writer);
  vtr_test_ring_free (ring);
}

static void
test_no_space (void)
{
  VtrTestRing *ring = vtr_test_ring_new (32, 4, FALSE);
  VtrRingWriter writer;
  VtrRingLog log;
  VtrRingChain block;
  guint8 bytes[VTR_RING_SEGMENT_SIZE - 1000] = { 0 };
  guint n = 1;

  attach (ring, &writer);
  g_assert_true (vtr_ring_log_open (&log, &writer, 1));
  g_assert_cmpint (vtr_ring_log_append (&log, 1, 0, bytes, sizeof bytes, NULL), ==, VTR_OK);
  g_atomic_int_set (&refuse_space, 1);
  /* A few segments are reserved already. */
  while (vtr_ring_log_append (&log, 1, 0, bytes, sizeof bytes, NULL) == VTR_OK)
    g_assert_cmpuint (++n, <, VTR_RING_BACKING / VTR_RING_SEGMENT_SIZE);
  g_assert_false (vtr_ring_block_begin (&block, &writer, 1));
  g_atomic_int_set (&refuse_space, 0);
  g_assert_cmpuint (atomic_load (&ring->header->state), ==, VTR_RING_STATE_NO_SPACE);
  vtr_test_ring_drain (ring);
  g_assert_cmpuint (ring->records->len, ==, n + 1);
  g_assert_cmpuint (g_array_index (ring->records, VtrTestRecord, n).type, ==, VTR_RECORD_STOP);
  vtr_ring_writer_detach (&writer);
  vtr_test_ring_free (ring);
}

/* Returns: how many pages of the first @size bytes of segments are mapped into this process. */
static guint
count_mapped (const VtrRingWriter *writer,
              gsize                size)
{
  g_autofree guint64 *entries = g_new0 (guint64, size / 4096);
  const gsize bytes = size / 4096 * sizeof *entries;
  const off_t at = (off_t)((guintptr)writer->segments / 4096 * sizeof *entries);
  int fd = open ("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  guint n = 0;

  g_assert_cmpint (fd, >=, 0);
  g_assert_cmpint (pread (fd, entries, bytes, at), ==, bytes);
  close (fd);
  for (gsize i = 0; i < size / 4096; i++)
    n += entries[i] >> 63;
  return n;
}

static void
test_warm (void)
{
  VtrTestRing *ring = vtr_test_ring_new (32, 4, FALSE);
  const guint pages = VTR_RING_BACKING / 4096;
  VtrRingWriter writer;

  attach (ring, &writer);
  vtr_ring_writer_warm (&writer, 2 * VTR_RING_BACKING / VTR_RING_SEGMENT_SIZE);
  g_assert_cmpuint (count_mapped (&writer, 4 * VTR_RING_BACKING), >=, 2 * pages);
  g_assert_cmpuint (count_mapped (&writer, 4 * VTR_RING_BACKING), <, 4 * pages);

  /* It is no end that there is no space. */
  g_atomic_int_set (&refuse_space, 1);
  vtr_ring_writer_warm (&writer, 1000);
  g_atomic_int_set (&refuse_space, 0);
  g_assert_cmpuint (atomic_load (&writer.ended), ==, 0);
  vtr_ring_writer_warm (&writer, 1000);
  g_assert_cmpuint (count_mapped (&writer, 32 * VTR_RING_SEGMENT_SIZE), ==,
                    32 * VTR_RING_SEGMENT_SIZE / 4096);
  vtr_ring_writer_detach (&writer);
  vtr_test_ring_free (ring);
}

static void
test_done (void)
{
  VtrTestRing *ring = vtr_test_ring_new (32, 4, FALSE);
  VtrRingWriter writer;
  VtrRingLog log;

  attach (ring, &writer);
  g_assert_true (vtr_ring_log_open (&log, &writer, 1));
  g_assert_cmpint (vtr_ring_log_append (&log, 1, 0, "x", 1, NULL), ==, VTR_OK);
  vtr_ring_log_stop (&log);
  g_assert_cmpint (vtr_ring_log_append (&log, 1, 0, "x", 1, NULL), ==, VTR_CLOSED);
  g_assert_cmpint (vtr_ring_log_append (&log, VTR_RECORD_RETURNED, 0, "0123456789abcdef", 16, NULL),
                   ==, VTR_OK);
  vtr_test_ring_drain (ring);
  g_assert_cmpuint (ring->records->len, ==, 3);
  g_assert_cmpuint (g_array_index (ring->records, VtrTestRecord, 1).type, ==, VTR_RECORD_STOP);
  g_assert_cmpuint (atomic_load (&ring->header->state), ==, VTR_RING_STATE_DONE);
  vtr_ring_writer_detach (&writer);
  vtr_test_ring_free (ring);
}

static void
test_foreign_files (void)
{
  VtrRingWriter writer;
  VtrTestRing *ring = vtr_test_ring_new (32, 4, FALSE);
  int fd = memfd_create ("empty", MFD_CLOEXEC);

  g_assert_cmpint (vtr_ring_writer_attach (&writer, fd), ==, VTR_CORRUPT);
  g_assert_cmpint (ftruncate (fd, 1 << 20), ==, 0);
  g_assert_cmpint (vtr_ring_writer_attach (&writer, fd), ==, VTR_CORRUPT);
  close (fd);

  ring->header->version = 999;
  fd = vtr_test_ring_dup (ring);
  g_assert_cmpint (vtr_ring_writer_attach (&writer, fd), ==, VTR_UNSUPPORTED);
  ring->header->version = VTR_RING_VERSION;
  ring->header->segments_offset = UINT64_MAX / VTR_RING_BACKING * VTR_RING_BACKING;
  g_assert_cmpint (vtr_ring_writer_attach (&writer, fd), ==, VTR_CORRUPT);
  close (fd);
  vtr_test_ring_free (ring);
}

static void
test_fork (void)
{
  VtrTestRing *ring = vtr_test_ring_new (32, 4, FALSE);
  VtrRingWriter writer;
  VtrRingLog log;
  pid_t child;
  int status;

  attach (ring, &writer);
  g_assert_true (vtr_ring_log_open (&log, &writer, 1));
  g_assert_cmpint (vtr_ring_log_append (&log, 1, 0, "x", 1, NULL), ==, VTR_OK);
  atomic_store (&ring->header->mode, VTR_RING_MODE_RECORD);
  child = fork ();
  if (child == 0)
    {
      vtr_ring_writer_forked (&writer);
      if (atomic_load (&writer.header->mode) != VTR_RING_MODE_OFF)
        _exit (1);
      if (vtr_ring_log_append (&log, 2, 0, "y", 1, NULL) != VTR_CLOSED)
        _exit (2);
      _exit (0);
    }
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  g_assert_true (WIFEXITED (status));
  g_assert_cmpint (WEXITSTATUS (status), ==, 0);
  vtr_test_ring_drain (ring);
  g_assert_cmpuint (ring->records->len, ==, 1);
  g_assert_cmpuint (atomic_load (&ring->header->next_ticket), ==, 2);
  vtr_ring_writer_detach (&writer);
  vtr_test_ring_free (ring);
}

/* A daemon closes all descriptors that it does not know, and opens files of its own, which get the
 * same numbers. */
static void
test_closed (void)
{
  VtrTestRing *ring = vtr_test_ring_new (512, 4, FALSE);
  VtrRingWriter writer;
  VtrRingLog log;
  g_autofree guint8 *bytes = g_malloc0 (1 << 20);
  struct stat info;
  int own, number;

  attach (ring, &writer);
  g_assert_true (vtr_ring_log_open (&log, &writer, 1));
  own = memfd_create ("own", MFD_CLOEXEC);
  number = writer.fd;
  g_assert_cmpint (dup2 (own, number), ==, number);
  for (guint i = 0; i < 4; i++)
    g_assert_cmpint (vtr_ring_log_append (&log, i, 0, bytes, 1 << 20, NULL), ==, VTR_OK);
  vtr_test_ring_drain (ring);
  g_assert_cmpuint (ring->records->len, ==, 4);
  g_assert_cmpint (fstat (own, &info), ==, 0);
  g_assert_cmpint (info.st_size, ==, 0);
  vtr_ring_writer_detach (&writer);
  g_assert_cmpint (fstat (number, &info), ==, 0);
  close (number);
  close (own);
  vtr_test_ring_free (ring);
}

/* ---- Many threads against a slow reader ---- */

#define STRESS_THREADS 6
#define STRESS_RECORDS 20000

static VtrRingWriter stress_writer;

static gpointer
stress (gpointer data)
{
  guint thread = GPOINTER_TO_UINT (data);
  VtrRingLog log;
  g_autofree guint8 *bytes = g_malloc (70000);

  g_assert_true (vtr_ring_log_open (&log, &stress_writer, thread));
  for (guint32 i = 0; i < STRESS_RECORDS; i++)
    {
      gsize size = 8 + (i % 1000 == 999 ? 69000 : (i * 13) % 120);

      memcpy (bytes, &thread, 4);
      memcpy (bytes + 4, &i, 4);
      fill (bytes + 8, size - 8, i ^ thread);
      g_assert_cmpint (vtr_ring_log_append (&log, 7, 0, bytes, size, NULL), ==, VTR_OK);
      if (i % 2000 == 1000)
        {
          /* Threads come and go: their streams are taken over by others. */
          vtr_ring_log_close (&log);
          while (!vtr_ring_log_open (&log, &stress_writer, thread))
            g_thread_yield ();
        }
    }
  vtr_ring_log_close (&log);
  return NULL;
}

static void
test_stress (void)
{
  VtrTestRing *ring = vtr_test_ring_new (160, 64, TRUE);
  GThread *threads[STRESS_THREADS];
  guint32 next[STRESS_THREADS] = { 0 };
  VtrRingHeader *own = ring->header;
  g_autoptr (GArray) records = NULL;

  attach (ring, &stress_writer);
  /* One mapping for both sides, so that ThreadSanitizer sees how they synchronise. */
  ring->header = stress_writer.header;
  for (guint i = 0; i < STRESS_THREADS; i++)
    threads[i] = g_thread_new ("stress", stress, GUINT_TO_POINTER (i));
  while (ring->records->len < STRESS_THREADS * STRESS_RECORDS)
    if (vtr_test_ring_drain (ring) == 0)
      g_usleep (200);
  for (guint i = 0; i < STRESS_THREADS; i++)
    g_thread_join (threads[i]);
  vtr_test_ring_drain (ring);

  records = vtr_test_ring_sorted (ring, FALSE);
  g_assert_cmpuint (records->len, ==, STRESS_THREADS * STRESS_RECORDS);
  for (guint i = 0; i < records->len; i++)
    {
      const VtrTestRecord *record = &g_array_index (records, VtrTestRecord, i);
      VtrTestRecord rest = *record;
      guint32 head[2];

      g_assert_cmpuint (record->ticket, ==, i + 1);
      memcpy (head, record->payload, 8);
      g_assert_cmpuint (head[0], <, STRESS_THREADS);
      g_assert_cmpuint (head[0], ==, record->thread);
      g_assert_cmpuint (head[1], ==, next[head[0]]++);
      rest.payload += 8;
      rest.size -= 8;
      assert_filled (&rest, head[1] ^ head[0]);
    }
  g_assert_cmpuint (vtr_test_ring_count_taken (ring), ==, 1);
  ring->header = own;
  vtr_ring_writer_detach (&stress_writer);
  vtr_test_ring_free (ring);
}

/* ---- Many threads that give segments back to each other ---- */

#define BLOCKS 2000

static gpointer
stress_blocks (gpointer data)
{
  guint thread = GPOINTER_TO_UINT (data);
  VtrRingChain block = { 0 }, kept = { 0 };
  guint8 bytes[64];

  for (guint32 i = 0; i < BLOCKS; i++)
    {
      /* A writer that holds a segment never waits for another one, so some writer always gives
       * one back. */
      if (i % 8 == 0)
        {
          vtr_ring_block_drop (&kept);
          g_thread_yield ();
        }
      if (!vtr_ring_block_begin_over (&block, &kept, thread, FALSE))
        g_assert_true (vtr_ring_block_begin (&block, &stress_writer, thread));
      fill (bytes, sizeof bytes, i ^ thread);
      g_assert_cmpint (vtr_ring_block_append (&block, 7, 0, bytes, sizeof bytes), ==, VTR_OK);
      g_assert_cmpuint (block.segment->object, ==, thread);
      g_assert_cmpint (memcmp ((guint8 *)(block.segment + 1) + sizeof (VtrRingBlockRecord), bytes,
                               sizeof bytes),
                       ==, 0);
      kept = block;
      memset (&block, 0, sizeof block);
    }
  vtr_ring_block_drop (&kept);
  return NULL;
}

static void
test_stress_blocks (void)
{
  VtrTestRing *ring = vtr_test_ring_new (5, 4, FALSE);
  GThread *threads[STRESS_THREADS];
  VtrRingHeader *own = ring->header;

  attach (ring, &stress_writer);
  ring->header = stress_writer.header;
  for (guint i = 0; i < STRESS_THREADS; i++)
    threads[i] = g_thread_new ("blocks", stress_blocks, GUINT_TO_POINTER (i));
  for (guint i = 0; i < STRESS_THREADS; i++)
    g_thread_join (threads[i]);
  g_assert_cmpuint (atomic_load (&stress_writer.ended), ==, 0);
  g_assert_cmpuint (atomic_load (&stress_writer.n_waiting), ==, 0);
  g_assert_cmpuint (vtr_test_ring_count_taken (ring), ==, 1);
  ring->header = own;
  vtr_ring_writer_detach (&stress_writer);
  vtr_test_ring_free (ring);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/layer/ring/log-sizes", test_log_sizes);
  g_test_add_func ("/layer/ring/log-parts", test_log_parts);
  g_test_add_func ("/layer/ring/block", test_block);
  g_test_add_func ("/layer/ring/block-references", test_block_references);
  g_test_add_func ("/layer/ring/block-over", test_block_over);
  g_test_add_func ("/layer/ring/full", test_full);
  g_test_add_func ("/layer/ring/too-many-threads", test_too_many_threads);
  g_test_add_func ("/layer/ring/straddling-does-not-fit", test_straddling_does_not_fit);
  g_test_add_func ("/layer/ring/no-space", test_no_space);
  g_test_add_func ("/layer/ring/warm", test_warm);
  g_test_add_func ("/layer/ring/done", test_done);
  g_test_add_func ("/layer/ring/foreign-files", test_foreign_files);
  g_test_add_func ("/layer/ring/fork", test_fork);
  g_test_add_func ("/layer/ring/closed", test_closed);
  g_test_add_func ("/layer/ring/stress/logs", test_stress);
  g_test_add_func ("/layer/ring/stress/blocks", test_stress_blocks);
  return g_test_run ();
}
