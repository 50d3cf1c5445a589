/* Tests the reader of the shared ring against the layer's own writer, also with dead and hostile
 * writers. */
#include "wire/vtr-ring-reader.h"
#include "wire/vtr-ring-writer.h"

#include <glib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct
{
  int fd;
  gsize size;
  guint8 *base;
  VtrRingReader *reader;
  VtrRingWriter writer;
} Fixture;

static void
set_up_for (Fixture *self,
            guint    n_segments,
            guint    n_streams)
{
  self->size =
    vtr_ring_size_for (n_segments * (VTR_RING_BACKING / VTR_RING_SEGMENT_SIZE), n_streams);
  self->fd = memfd_create ("ring", MFD_CLOEXEC);
  g_assert_cmpint (ftruncate (self->fd, (off_t)self->size), ==, 0);
  self->base = mmap (NULL, self->size, PROT_READ | PROT_WRITE, MAP_SHARED, self->fd, 0);
  g_assert_cmpint (vtr_ring_format (self->base, self->size, n_streams), ==, VTR_OK);
  g_assert_cmpint (vtr_ring_reader_new (self->base, self->size, 1, &self->reader), ==, VTR_OK);
  g_assert_cmpint (vtr_ring_writer_attach (&self->writer, dup (self->fd)), ==, VTR_OK);
}

static void
set_up (Fixture *self,
        guint    n_segments)
{
  set_up_for (self, n_segments, 16);
}

static void
tear_down (Fixture *self)
{
  vtr_ring_writer_detach (&self->writer);
  vtr_ring_reader_free (self->reader);
  munmap (self->base, self->size);
  close (self->fd);
}

static void
test_sizes (void)
{
  static const gsize sizes[] = { 0,
                                 1,
                                 8,
                                 100,
                                 VTR_RING_SEGMENT_PAYLOAD - 16,
                                 3,
                                 VTR_RING_SEGMENT_PAYLOAD - 15,
                                 200000,
                                 7,
                                 1 << 20,
                                 2 * VTR_RING_SEGMENT_PAYLOAD - 16,
                                 2 * VTR_RING_SEGMENT_PAYLOAD - 15,
                                 1 };
  g_autofree guint8 *bytes = g_malloc (1 << 20);
  Fixture f;
  VtrRingLog log;
  VtrRingItem item;

  set_up (&f, 64);
  for (gsize i = 0; i < 1 << 20; i++)
    bytes[i] = (guint8)(i * 7);
  g_assert_true (vtr_ring_log_open (&log, &f.writer, 42));
  for (guint round = 0; round < 20; round++)
    for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
      {
        guint64 ticket;

        g_assert_cmpint (vtr_ring_log_append (&log, (guint16)i, 1, bytes, sizes[i], &ticket), ==,
                         VTR_OK);
        g_assert_cmpint (vtr_ring_reader_next (f.reader, FALSE, &item), ==, VTR_OK);
        g_assert_cmpuint (item.ticket, ==, ticket);
        g_assert_cmpuint (item.type, ==, i);
        g_assert_cmpuint (item.thread, ==, 42);
        g_assert_cmpmem (item.data, item.size, bytes, sizes[i]);
        g_assert_cmpint (vtr_ring_reader_next (f.reader, FALSE, &item), ==, VTR_TIMEOUT);
        /* Unless segments come back, twenty rounds do not fit. */
        vtr_ring_reader_release (f.reader, ticket + 1);
      }
  tear_down (&f);
}

static void
expect (Fixture *f,
        guint16  type,
        guint64  ticket)
{
  VtrRingItem item;

  g_assert_cmpint (vtr_ring_reader_next (f->reader, FALSE, &item), ==, VTR_OK);
  g_assert_cmpuint (item.type, ==, type);
  g_assert_cmpuint (item.ticket, ==, ticket);
}

/* Records that come later than others, and belong in front of them. */
static void
test_reserved (void)
{
  Fixture f;
  VtrRingLog log, late;
  VtrRingItem item;

  set_up (&f, 64);
  g_assert_true (vtr_ring_log_open (&log, &f.writer, 42));
  g_assert_true (vtr_ring_log_open (&late, &f.writer, 42));
  g_assert_cmpint (vtr_ring_log_append (&log, 1, 0, "a", 1, NULL), ==, VTR_OK);
  vtr_ring_log_reserve (&late, 3);
  g_assert_cmpint (vtr_ring_log_append (&log, 2, 0, "b", 1, NULL), ==, VTR_OK);
  expect (&f, 1, 1);
  g_assert_cmpint (vtr_ring_reader_next (f.reader, FALSE, &item), ==, VTR_TIMEOUT);
  g_assert_true (vtr_ring_reader_has_gap (f.reader));
  g_assert_cmpint (vtr_ring_log_append (&late, 3, 0, "c", 1, NULL), ==, VTR_OK);
  expect (&f, 3, 2);
  g_assert_cmpint (vtr_ring_reader_next (f.reader, FALSE, &item), ==, VTR_TIMEOUT);
  vtr_ring_log_fill (&late);
  expect (&f, VTR_RECORD_RETURNED, 3);
  expect (&f, VTR_RECORD_RETURNED, 4);
  expect (&f, 2, 5);
  g_assert_cmpint (vtr_ring_log_append (&late, 4, 0, "d", 1, NULL), ==, VTR_OK);
  expect (&f, 4, 6);
  tear_down (&f);
}

/* Like test_reserved (), for a program that dies before it has written them. */
static void
test_reserved_for_good (void)
{
  Fixture f;
  VtrRingLog log, late;
  VtrRingItem item;

  set_up (&f, 64);
  g_assert_true (vtr_ring_log_open (&log, &f.writer, 42));
  g_assert_true (vtr_ring_log_open (&late, &f.writer, 42));
  vtr_ring_log_reserve (&late, 3);
  g_assert_cmpint (vtr_ring_log_append (&log, 2, 0, "b", 1, NULL), ==, VTR_OK);
  g_assert_cmpint (vtr_ring_log_append (&late, 3, 0, "c", 1, NULL), ==, VTR_OK);
  expect (&f, 3, 1);
  g_assert_cmpint (vtr_ring_reader_next (f.reader, TRUE, &item), ==, VTR_OK);
  g_assert_cmpuint (item.type, ==, 2);
  tear_down (&f);
}

#define N_STREAMS 300

/* Many threads come and go before anything is logged, and then the last one logs something. */
static void
test_many_threads (void)
{
  g_autofree VtrRingLog *logs = g_new0 (VtrRingLog, N_STREAMS);
  Fixture f;
  VtrRingItem item;

  set_up_for (&f, 64, N_STREAMS);
  for (guint round = 0; round < 3; round++)
    {
      for (guint i = 0; i < N_STREAMS; i++)
        g_assert_true (vtr_ring_log_open (&logs[i], &f.writer, i + 1));
      for (guint i = 0; i + 1 < N_STREAMS; i++)
        vtr_ring_log_close (&logs[i]);
      g_assert_cmpint (vtr_ring_log_append (&logs[N_STREAMS - 1], 3, 0, "", 0, NULL), ==, VTR_OK);
      vtr_ring_log_close (&logs[N_STREAMS - 1]);
      g_assert_cmpint (vtr_ring_reader_next (f.reader, FALSE, &item), ==, VTR_OK);
      g_assert_cmpuint (item.thread, ==, N_STREAMS);
      g_assert_cmpint (vtr_ring_reader_next (f.reader, FALSE, &item), ==, VTR_TIMEOUT);
      vtr_ring_reader_release (f.reader, item.ticket + 1);
    }
  tear_down (&f);
}

#define N_THREADS 4
#define N_RECORDS 20000

static gpointer
write_records (gpointer data)
{
  VtrRingWriter *writer = data;
  g_autofree guint *payload = g_malloc0 (3 * VTR_RING_SEGMENT_SIZE);
  VtrRingLog log;

  g_assert_true (vtr_ring_log_open (&log, writer, (guint64)(gsize)g_thread_self ()));
  for (guint i = 0; i < N_RECORDS; i++)
    {
      /* Large ones take several segments, which are linked before they are written. */
      payload[0] = i;
      g_assert_cmpint (vtr_ring_log_append (&log, 1, 0, payload,
                                            i % 50 == 7 ? 3 * VTR_RING_SEGMENT_SIZE : sizeof i,
                                            NULL),
                       ==, VTR_OK);
    }
  vtr_ring_log_close (&log);
  return NULL;
}

static void
test_threads (void)
{
  GThread *threads[N_THREADS];
  g_autoptr (GHashTable) counts = g_hash_table_new (NULL, NULL);
  guint64 expected = 1;
  Fixture f;
  VtrRingItem item;

  set_up (&f, 128); /* much smaller than what goes through it */
  for (guint i = 0; i < N_THREADS; i++)
    threads[i] = g_thread_new ("writer", write_records, &f.writer);
  while (expected <= N_THREADS * N_RECORDS)
    {
      guint value;

      if (vtr_ring_reader_next (f.reader, FALSE, &item) != VTR_OK)
        {
          vtr_ring_reader_release (f.reader, expected);
          g_thread_yield ();
          continue;
        }
      g_assert_cmpuint (item.ticket, ==, expected++);
      memcpy (&value, item.data, sizeof value);
      g_assert_cmpuint (
        value, ==, GPOINTER_TO_UINT (g_hash_table_lookup (counts, GSIZE_TO_POINTER (item.thread))));
      g_hash_table_insert (counts, GSIZE_TO_POINTER (item.thread), GUINT_TO_POINTER (value + 1));
    }
  for (guint i = 0; i < N_THREADS; i++)
    g_thread_join (threads[i]);

  /* The streams of ended threads come free once they are drained and written. */
  g_assert_cmpint (vtr_ring_reader_next (f.reader, FALSE, &item), ==, VTR_TIMEOUT);
  vtr_ring_reader_release (f.reader, expected);
  for (guint i = 0; i < N_THREADS; i++)
    g_assert_cmpuint (atomic_load (&f.writer.streams[i].state), ==, VTR_RING_STREAM_FREE);
  g_assert_cmpint (vtr_ring_reader_next (f.reader, FALSE, &item), ==, VTR_TIMEOUT);
  tear_down (&f);
}

static guint
count_block (VtrRingBlock *block)
{
  VtrRingItem item;
  VtrStatus status;
  guint n = 0;

  while ((status = vtr_ring_reader_next_in_block (block, &item)) == VTR_OK)
    {
      guint32 value;

      memcpy (&value, item.data, sizeof value);
      g_assert_cmpuint (value, ==, n);
      n++;
    }
  g_assert_cmpint (status, ==, VTR_CLOSED);
  return n;
}

static void
append_to_block (VtrRingChain *chain,
                 guint         n)
{
  static guint8 payload[2000];

  for (guint32 i = 0; i < n; i++)
    {
      gsize size = i % 50 == 7 ? sizeof payload : 20;

      memcpy (payload, &i, sizeof i);
      g_assert_cmpint (vtr_ring_block_append (chain, 5, 0, payload, size), ==, VTR_OK);
    }
}

static void
test_blocks (void)
{
  Fixture f;
  VtrRingLog log;
  VtrRingItem item;

  set_up (&f, 32);
  g_assert_true (vtr_ring_log_open (&log, &f.writer, 1));
  for (guint round = 0; round < 50; round++)
    {
      VtrRingChain chain = { 0 };
      VtrRingBlock block;
      guint32 flags = 99;

      g_assert_true (vtr_ring_block_begin (&chain, &f.writer, 0xabc));
      append_to_block (&chain, 3000);
      g_assert_cmpint (vtr_ring_block_publish (&chain, &log, VTR_RING_BLOCK_ABANDONED, round % 2),
                       ==, VTR_OK);
      if (round % 2)
        vtr_ring_block_drop (&chain);
      g_assert_cmpint (vtr_ring_reader_next (f.reader, FALSE, &item), ==, VTR_OK);
      g_assert_cmpint (vtr_ring_reader_open_block (f.reader, &item, &block, &flags), ==, VTR_OK);
      g_assert_cmpuint (flags, ==, VTR_RING_BLOCK_ABANDONED);
      g_assert_cmpuint (count_block (&block), ==, 3000);
      vtr_ring_reader_release (f.reader, item.ticket + 1);
    }
  tear_down (&f);
}

/* A child commits records and an unannounced block, leaves a gap in the tickets, and dies. */
static void
test_dead_writer (void)
{
  Fixture f;
  VtrRingBlock *blocks;
  VtrRingItem item;
  gsize n_blocks;
  guint n = 0;
  pid_t child;

  set_up (&f, 64);
  child = fork ();
  if (child == 0)
    {
      VtrRingLog log;
      VtrRingChain first = { 0 }, second = { 0 };

      if (!vtr_ring_log_open (&log, &f.writer, 1) || !vtr_ring_block_begin (&second, &f.writer, 2))
        _exit (1);
      for (guint i = 0; i < 1000; i++)
        if (vtr_ring_log_append (&log, 1, 0, &i, sizeof i, NULL) != VTR_OK)
          _exit (1);
      atomic_fetch_add (&f.writer.header->next_ticket, 3); /* threads that died with a ticket */
      if (vtr_ring_log_append (&log, 1, 0, &n, sizeof n, NULL) != VTR_OK ||
          !vtr_ring_block_begin (&first, &f.writer, 3))
        _exit (1);
      append_to_block (&first, 10);
      append_to_block (&second, 500);
      /* As if death came between the mark and the announcement. */
      atomic_store (&vtr_ring_writer_segment (&f.writer, second.first)->block_flags,
                    VTR_RING_BLOCK_PUBLISHED);
      _exit (0);
    }
  g_assert_cmpint (waitpid (child, &(int){ 0 }, 0), ==, child);

  while (vtr_ring_reader_next (f.reader, FALSE, &item) == VTR_OK)
    n++;
  g_assert_cmpuint (n, ==, 1000);
  g_assert_true (vtr_ring_reader_has_gap (f.reader));
  g_assert_cmpint (vtr_ring_reader_next (f.reader, TRUE, &item), ==, VTR_OK);
  g_assert_cmpuint (item.ticket, ==, 1004);
  g_assert_cmpint (vtr_ring_reader_next (f.reader, TRUE, &item), ==, VTR_TIMEOUT);

  g_assert_cmpint (vtr_ring_reader_list_unfinished (f.reader, &blocks, &n_blocks), ==, VTR_OK);
  g_assert_cmpuint (n_blocks, ==, 2);
  g_assert_cmpuint (count_block (&blocks[0]), ==, 500);
  g_assert_cmpuint (count_block (&blocks[1]), ==, 10);
  free (blocks);
  tear_down (&f);
}

/* A host died after it had given a block back, where the writer has begun another since: the record
 * of the old one, still in the log, is not to hide the new one. */
static void
test_reused_block (void)
{
  Fixture f;
  VtrRingLog log;
  VtrRingChain old = { 0 }, new = { 0 };
  VtrRingBlock block, *blocks;
  VtrRingItem item;
  guint32 place, flags, n = 0;
  gsize n_blocks;

  set_up (&f, 32);
  g_assert_true (vtr_ring_log_open (&log, &f.writer, 1));
  g_assert_true (vtr_ring_block_begin (&old, &f.writer, 2));
  append_to_block (&old, 10);
  place = old.first;
  g_assert_cmpint (vtr_ring_block_publish (&old, &log, 0, FALSE), ==, VTR_OK);
  g_assert_cmpint (vtr_ring_reader_next (f.reader, FALSE, &item), ==, VTR_OK);
  g_assert_cmpint (vtr_ring_reader_open_block (f.reader, &item, &block, &flags), ==, VTR_OK);
  vtr_ring_reader_release (f.reader, item.ticket + 1);
  while (new.first != place)
    {
      new = (VtrRingChain){ 0 };
      g_assert_cmpuint (n++, <, 1024);
      g_assert_true (vtr_ring_block_begin (&new, &f.writer, 3));
    }
  append_to_block (&new, 20);

  vtr_ring_reader_free (f.reader);
  g_assert_cmpint (vtr_ring_reader_new (f.base, f.size, 2, &f.reader), ==, VTR_OK);
  g_assert_cmpint (vtr_ring_reader_next (f.reader, TRUE, &item), ==, VTR_TIMEOUT);
  g_assert_cmpint (vtr_ring_reader_list_unfinished (f.reader, &blocks, &n_blocks), ==, VTR_OK);
  g_assert_cmpuint (n_blocks, ==, 1);
  g_assert_cmpuint (count_block (&blocks[0]), ==, 20);
  free (blocks);
  tear_down (&f);
}

#define N_SECOND 200

/* A host died; the next one goes on where its file ends. */
static void
test_second_host (void)
{
  Fixture f;
  VtrRingReader *second;
  VtrRingLog log;
  VtrRingItem item;
  g_autofree guint8 *payload = g_malloc0 (4 * VTR_RING_SEGMENT_SIZE);
  guint64 ticket = 0;

  set_up (&f, 256);
  g_assert_true (vtr_ring_log_open (&log, &f.writer, 1));
  /* Records over several segments, too: the second host may have to begin in the middle of one. */
  for (guint i = 0; i < N_SECOND; i++)
    {
      gsize size = i % 7 == 3 ? 3 * VTR_RING_SEGMENT_SIZE + i : 500;

      g_assert_cmpint (vtr_ring_log_append (&log, 1, 0, payload, size, NULL), ==, VTR_OK);
    }
  while (ticket < N_SECOND / 2 && vtr_ring_reader_next (f.reader, FALSE, &item) == VTR_OK)
    {
      ticket = item.ticket;
      vtr_ring_reader_release (f.reader, ticket);

      g_assert_cmpint (vtr_ring_reader_new (f.base, f.size, ticket, &second), ==, VTR_OK);
      for (guint64 next = ticket; vtr_ring_reader_next (second, TRUE, &item) == VTR_OK; next++)
        {
          g_assert_cmpuint (item.ticket, ==, next);
          g_assert_cmpuint (item.size, ==,
                            (next - 1) % 7 == 3 ? 3 * VTR_RING_SEGMENT_SIZE + next - 1 : 500);
        }
      g_assert_cmpuint (vtr_ring_reader_get_next_ticket (second), ==, N_SECOND + 1);
      g_assert_cmpuint (vtr_ring_reader_get_n_damaged (second), ==, 0);
      vtr_ring_reader_free (second);
    }
  tear_down (&f);
}

/* Random damage everywhere: only that nothing is read out of bounds and nothing hangs. */
static void
test_hostile (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  g_autofree guint8 *saved = NULL;
  Fixture f;
  VtrRingLog log;
  VtrRingChain chain = { 0 };

  set_up (&f, 12);
  g_assert_true (vtr_ring_log_open (&log, &f.writer, 1));
  g_assert_true (vtr_ring_block_begin (&chain, &f.writer, 3));
  append_to_block (&chain, 3000);
  g_assert_cmpint (vtr_ring_block_publish (&chain, &log, 0, TRUE), ==, VTR_OK);
  for (guint i = 0; i < 100; i++)
    g_assert_cmpint (vtr_ring_log_append (&log, 1, 0, f.base, i == 50 ? 140000 : 200, NULL), ==,
                     VTR_OK);
  saved = g_memdup2 (f.base, f.size);

  for (guint round = 0; round < 400; round++)
    {
      VtrRingReader *reader;
      VtrRingItem item;
      VtrRingBlock *blocks = NULL;
      gsize n_blocks = 0;

      memcpy (f.base, saved, f.size);
      for (guint i = 0; i < 6; i++)
        {
          static const guint32 values[] = { 0, 1, 2, 3, 7, 0xffffffff, 0x10000, 0xffff, 64 };
          guint32 value = values[g_rand_int_range (rand, 0, G_N_ELEMENTS (values))];
          gsize segment = (gsize)g_rand_int_range (rand, 0, 12);
          gsize at = i == 0 ? (gsize)g_rand_int_range (rand, 0, 64) * 4
                            : f.writer.header->segments_offset + segment * VTR_RING_SEGMENT_SIZE +
                                (gsize)g_rand_int_range (rand, 0, 40) * 4;

          if (at + 4 <= f.size)
            memcpy (f.base + at, &value, 4);
        }
      if (vtr_ring_reader_new (f.base, f.size, 1, &reader) != VTR_OK)
        {
          memcpy (f.base, saved, f.size);
          continue;
        }
      while (vtr_ring_reader_next (reader, TRUE, &item) == VTR_OK)
        {
          VtrRingBlock block;
          guint32 flags;

          if (item.type == VTR_RECORD_BLOCK &&
              vtr_ring_reader_open_block (reader, &item, &block, &flags) == VTR_OK)
            while (vtr_ring_reader_next_in_block (&block, &item) == VTR_OK)
              ;
        }
      if (vtr_ring_reader_list_unfinished (reader, &blocks, &n_blocks) == VTR_OK)
        for (gsize i = 0; i < n_blocks; i++)
          while (vtr_ring_reader_next_in_block (&blocks[i], &(VtrRingItem){ 0 }) == VTR_OK)
            ;
      free (blocks);
      vtr_ring_reader_release (reader, G_MAXUINT64);
      vtr_ring_reader_free (reader);
      memcpy (f.base, saved, f.size);
    }
  tear_down (&f);
}

typedef struct
{
  Fixture *fixture;
  int ending; /* atomic */
} Scribbler;

/* A hostile writer that changes records while they are read. */
static gpointer
scribble (gpointer data)
{
  static const guint32 values[] = { 0, 1, 2, 3, 5, 0x40, 0x48, 0xff01, 0x4000, 0xffffffff };
  Scribbler *self = data;
  g_autoptr (GRand) rand = g_rand_new_with_seed (3);
  const VtrRingHeader *header = self->fixture->writer.header;
  guint64 places[] = { header->streams_offset, header->refs_offset, header->segments_offset };

  while (!g_atomic_int_get (&self->ending))
    {
      gsize segment = (gsize)g_rand_int_range (rand, 0, 12) * VTR_RING_SEGMENT_SIZE;
      guint64 place = places[g_rand_int_range (rand, 0, G_N_ELEMENTS (places))];
      _Atomic guint32 *word;

      place += place == places[2] ? segment : 0;
      place += (gsize)g_rand_int_range (rand, 0, 30) * 4;
      word = (_Atomic guint32 *)(void *)(self->fixture->base + place);
      atomic_store (word, values[g_rand_int_range (rand, 0, G_N_ELEMENTS (values))]);
    }
  return NULL;
}

static void
test_scribbled (void)
{
  g_autofree guint8 *saved = NULL;
  Fixture f;
  Scribbler scribbler = { &f, FALSE };
  GThread *thread;
  VtrRingLog log;
  VtrRingChain chain = { 0 };

  set_up (&f, 12);
  g_assert_true (vtr_ring_log_open (&log, &f.writer, 1));
  g_assert_true (vtr_ring_block_begin (&chain, &f.writer, 3));
  append_to_block (&chain, 3000);
  g_assert_cmpint (vtr_ring_block_publish (&chain, &log, 0, TRUE), ==, VTR_OK);
  for (guint i = 0; i < 100; i++)
    g_assert_cmpint (vtr_ring_log_append (&log, 1, 0, f.base, i == 50 ? 70000 : 200, NULL), ==,
                     VTR_OK);
  saved = g_memdup2 (f.base, f.size);
  thread = g_thread_new ("scribbler", scribble, &scribbler);
  for (guint round = 0; round < 300; round++)
    {
      VtrRingReader *reader;
      VtrRingItem item;

      memcpy (f.base, saved, f.size);
      if (vtr_ring_reader_new (f.base, f.size, 1, &reader) != VTR_OK)
        continue;
      for (guint n = 0; n < 5000 && vtr_ring_reader_next (reader, TRUE, &item) == VTR_OK; n++)
        {
          VtrRingBlock block;
          guint32 flags;

          /* All of it can be read. */
          g_free (g_memdup2 (item.data, item.size));
          if (item.type == VTR_RECORD_BLOCK &&
              vtr_ring_reader_open_block (reader, &item, &block, &flags) == VTR_OK)
            for (guint i = 0; i < 5000; i++)
              if (vtr_ring_reader_next_in_block (&block, &item) != VTR_OK)
                break;
        }
      vtr_ring_reader_release (reader, G_MAXUINT64);
      vtr_ring_reader_free (reader);
    }
  g_atomic_int_set (&scribbler.ending, TRUE);
  g_thread_join (thread);
  memcpy (f.base, saved, f.size);
  tear_down (&f);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, G_TEST_OPTION_ISOLATE_DIRS, NULL);
  g_test_add_func ("/wire/ring-reader/sizes", test_sizes);
  g_test_add_func ("/wire/ring-reader/reserved", test_reserved);
  g_test_add_func ("/wire/ring-reader/reserved-for-good", test_reserved_for_good);
  g_test_add_func ("/wire/ring-reader/threads", test_threads);
  g_test_add_func ("/wire/ring-reader/many-threads", test_many_threads);
  g_test_add_func ("/wire/ring-reader/blocks", test_blocks);
  g_test_add_func ("/wire/ring-reader/dead-writer", test_dead_writer);
  g_test_add_func ("/wire/ring-reader/reused-block", test_reused_block);
  g_test_add_func ("/wire/ring-reader/second-host", test_second_host);
  g_test_add_func ("/wire/ring-reader/hostile", test_hostile);
  g_test_add_func ("/wire/ring-reader/scribbled", test_scribbled);
  return g_test_run ();
}
