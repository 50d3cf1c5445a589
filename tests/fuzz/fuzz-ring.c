/* Fuzzes the shared ring as a hostile program. An input is a list of changes to a valid ring: {
 * u32 place, u32 value }*. */
#include "vtr-fuzz.h"

#include "engine/capture/vtr-capture-drain.h"
#include "wire/vtr-ring-reader.h"
#include "wire/vtr-ring-writer.h"

#include <glib.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define N_SEGMENTS 16
#define N_STREAMS 4

static guint8 *ring;  /* what is read */
static guint8 *sound; /* what it is made of */
static gsize ring_size;

static void
fill (VtrRingWriter *writer)
{
  static guint8 payload[3 * VTR_RING_SEGMENT_SIZE];
  VtrRingChain chain = { 0 }, open = { 0 };
  VtrRingReturned returned = { 2, 0 };
  VtrRingLog log;

  g_assert_true (vtr_ring_log_open (&log, writer, 1));
  g_assert_true (vtr_ring_block_begin (&chain, writer, 3));
  g_assert_true (vtr_ring_block_begin (&open, writer, 4));
  for (guint i = 0; i < 20; i++)
    {
      vtr_ring_block_append (&chain, 5, 0, payload, i * 40);
      vtr_ring_block_append (&open, 5, 0, payload, i);
      g_assert_cmpint (vtr_ring_log_append (&log, (guint16)i, i % 4, payload,
                                            i == 9 ? sizeof payload : i * 30, NULL),
                       ==, VTR_OK);
    }
  g_assert_cmpint (vtr_ring_block_publish (&chain, &log, 0, TRUE), ==, VTR_OK);
  vtr_ring_log_append (&log, VTR_RECORD_RETURNED, 0, &returned, sizeof returned, NULL);
  vtr_ring_log_append (&log, VTR_RECORD_INFO, 0, "\x0e\0vitrine.Notice\x08\x01", 18, NULL);
  vtr_ring_log_stop (&log);
}

static void
make_ring (void)
{
  int fd = memfd_create ("ring", MFD_CLOEXEC);
  VtrRingWriter writer;

  ring_size = vtr_ring_size_for (N_SEGMENTS, N_STREAMS);
  g_assert_cmpint (ftruncate (fd, (off_t)ring_size), ==, 0);
  ring = mmap (NULL, ring_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  g_assert_cmpint (vtr_ring_format (ring, ring_size, N_STREAMS), ==, VTR_OK);
  g_assert_cmpint (vtr_ring_writer_attach (&writer, fd), ==, VTR_OK);
  fill (&writer);
  vtr_ring_writer_detach (&writer);
  sound = g_memdup2 (ring, ring_size);
}

/* Places are drawn to where the structure is: the headers of the file and of segments and
 * records. */
static gsize
find_place (guint32 place)
{
  gsize segments = ((VtrRingHeader *)(void *)sound)->segments_offset;
  guint32 low = place >> 8;

  switch (place % 4)
    {
    case 0:
      return low % segments;
    case 1:
      return segments + low % N_SEGMENTS * VTR_RING_SEGMENT_SIZE + (low >> 4) % 64;
    case 2:
      return segments + low % N_SEGMENTS * VTR_RING_SEGMENT_SIZE + 64 + (low >> 4) % 256;
    default:
      return low % ring_size;
    }
}

static void
read_ring (void)
{
  VtrRingReader *reader;
  VtrRingBlock *blocks = NULL;
  VtrRingItem item;
  size_t n_blocks = 0;
  guint n = 0;

  if (vtr_ring_reader_new (ring, ring_size, 1, &reader) != VTR_OK)
    return;
  while (vtr_ring_reader_next (reader, TRUE, &item) == VTR_OK)
    {
      VtrRingBlock block;
      guint32 flags;

      g_assert_cmpuint (n++, <, 1000000);
      if (item.type == VTR_RECORD_BLOCK &&
          vtr_ring_reader_open_block (reader, &item, &block, &flags) == VTR_OK)
        while (vtr_ring_reader_next_in_block (&block, &item) == VTR_OK)
          g_assert_cmpuint (n++, <, 1000000);
    }
  if (vtr_ring_reader_list_unfinished (reader, &blocks, &n_blocks) == VTR_OK)
    for (size_t i = 0; i < n_blocks; i++)
      while (vtr_ring_reader_next_in_block (&blocks[i], &item) == VTR_OK)
        g_assert_cmpuint (n++, <, 1000000);
  free (blocks);
  vtr_ring_reader_release (reader, G_MAXUINT64);
  vtr_ring_reader_free (reader);
}

/* The same as far as the trace. */
static void
drain_ring (void)
{
  g_autofree char *path = g_strdup_printf ("%s/vtr-fuzz-ring-%d", g_get_tmp_dir (), (int)getpid ());
  VtrTraceWriter *writer = vtr_trace_writer_new (path, NULL);
  VtrCaptureDrain *drain = vtr_capture_drain_new (ring, ring_size, writer, NULL);
  guint taken = 1;

  while (drain != NULL && taken > 0)
    if (!vtr_capture_drain_run (drain, TRUE, 1000, &taken, NULL))
      break;
  if (drain != NULL)
    (void)vtr_capture_drain_unfinished (drain, NULL);
  vtr_capture_drain_free (drain);
  vtr_trace_writer_free (writer, TRUE);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data,
                        size_t         size)
{
  static guint n;

  if (ring == NULL)
    make_ring ();
  for (guint pass = 0; pass < (n % 16 == 0 ? 2u : 1u); pass++)
    {
      memcpy (ring, sound, ring_size);
      for (size_t i = 0; i + 8 <= size; i += 8)
        {
          guint32 change[2];

          memcpy (change, data + i, sizeof change);
          memcpy (ring + MIN (find_place (change[0]), ring_size - 4), &change[1], 4);
        }
      if (pass == 0)
        read_ring ();
      else
        drain_ring ();
    }
  n++;
  return 0;
}

void
vtr_fuzz_make_seeds (VtrFuzzAdd  add,
                     void       *user)
{
  static const guint32 values[] = { 0, 1, 2, 3, 7, 15, 16, 64, 1000, VTR_RING_SEGMENT_SIZE,
                                    VTR_RING_SEGMENT_SIZE - 8, G_MAXUINT32, VTR_RECORD_BLOCK };
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);

  for (guint i = 0; i < 200; i++)
    {
      guint32 changes[8];

      for (guint k = 0; k < G_N_ELEMENTS (changes); k += 2)
        {
          changes[k] = g_rand_int (rand) & ~3u;
          changes[k] |= (guint32)g_rand_int_range (rand, 0, 4);
          changes[k + 1] = values[g_rand_int_range (rand, 0, G_N_ELEMENTS (values))];
        }
      add (user, changes, sizeof *changes * 2 * (1 + i % 4));
    }
}
