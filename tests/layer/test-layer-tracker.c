/* The tracker of mapped memory: what it finds changed, by each of its ways. */
#include "vtr-layer-tracker.h"

#include <glib.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE VTR_LAYER_PAGE
#define N_PAGES 64

static VtrLayerTrackerChoice compare_choice = { .reason = "asked for" };
static VtrLayerTrackerChoice uffd_choice;

typedef struct
{
  const VtrLayerTrackerChoice *choice;
  VtrLayerOwner owner;
  guint8 *memory; /* the program's */
  guint8 *seen;   /* what was handed over */
  gsize size;
  guint n_calls;
  guint64 n_bytes;
  gsize largest;
  VtrLayerTracker *tracker;
} Fixture;

static const guint8 *
take (void         *data,
      guint64       offset,
      const guint8 *bytes,
      gsize         size)
{
  Fixture *self = data;

  g_assert_cmpuint (offset + size, <=, self->size);
  memcpy (self->seen + offset, bytes, size);
  self->n_calls++;
  self->n_bytes += size;
  self->largest = MAX (self->largest, size);
  return self->seen + offset;
}

static void
collect (Fixture *self,
         guint64  offset,
         guint64  size)
{
  const VtrLayerSink sink = { take, self, 8 * PAGE };

  self->n_calls = 0;
  self->n_bytes = 0;
  self->largest = 0;
  vtr_layer_tracker_collect (self->tracker, offset, size, FALSE, &sink);
}

static guint8 *
map_pages (gsize size)
{
  guint8 *memory = mmap (NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

  g_assert_true (memory != MAP_FAILED);
  madvise (memory, size, MADV_NOHUGEPAGE);
  return memory;
}

static Fixture *
set_up_untouched (gconstpointer choice,
                  guint64       size)
{
  Fixture *self = g_new0 (Fixture, 1);

  self->choice = choice;
  self->size = size;
  self->memory = map_pages (size);
  self->seen = map_pages (size);
  self->tracker = vtr_layer_tracker_new (size, VTR_LAYER_OWNER_DRIVER, choice);
  g_assert_nonnull (self->tracker);
  return self;
}

static Fixture *
set_up (gconstpointer choice,
        guint64       size)
{
  Fixture *self = set_up_untouched (choice, size);

  /* Written to, if only with zeros. */
  memset (self->memory, 0, size);
  return self;
}

static void
tear_down (Fixture *self)
{
  vtr_layer_tracker_free (self->tracker);
  munmap (self->memory, self->size);
  munmap (self->seen, self->size);
  g_free (self);
}

static void
check_watched (const Fixture *self)
{
  gsize n_watched;
  gsize n_compared;

  vtr_layer_tracker_count (self->tracker, &n_watched, &n_compared);
  g_assert_cmpint (n_watched > 0, ==, self->choice->watcher != NULL);
}

static void
test_pages (gconstpointer choice)
{
  Fixture *self = set_up (choice, N_PAGES * PAGE);

  vtr_layer_tracker_map (self->tracker, 0, self->memory, self->size);
  /* At first nothing is known: also pages of zeros count. */
  collect (self, 0, UINT64_MAX);
  check_watched (self);
  g_assert_cmpuint (self->n_bytes, ==, self->size);
  g_assert_cmpuint (self->largest, ==, 8 * PAGE);
  collect (self, 0, UINT64_MAX);
  g_assert_cmpuint (self->n_bytes, ==, 0);

  self->memory[5 * PAGE + 17] = 1;
  self->memory[6 * PAGE] = 1;
  self->memory[9 * PAGE - 1] = 1;
  self->memory[30 * PAGE] = 1;
  self->memory[40 * PAGE] = 0; /* as before */
  collect (self, 0, UINT64_MAX);
  g_assert_cmpuint (self->n_bytes, ==, 4 * 64);
  g_assert_cmpuint (self->n_calls, ==, 4);
  g_assert_cmpmem (self->seen, self->size, self->memory, self->size);

  /* What goes on behind the end of a page is one with it. */
  memset (self->memory + 11 * PAGE - 64, 2, 2 * PAGE);
  collect (self, 0, UINT64_MAX);
  g_assert_cmpuint (self->n_calls, ==, 1);
  g_assert_cmpuint (self->n_bytes, ==, 2 * PAGE);
  g_assert_cmpmem (self->seen, self->size, self->memory, self->size);
  tear_down (self);
}

static void
test_range (gconstpointer choice)
{
  Fixture *self = set_up (choice, N_PAGES * PAGE);

  vtr_layer_tracker_map (self->tracker, 0, self->memory, self->size);
  collect (self, 0, UINT64_MAX);
  self->memory[PAGE] = 1;
  self->memory[3 * PAGE] = 1;
  collect (self, PAGE + 100, 50);
  g_assert_cmpuint (self->n_bytes, ==, 64);
  g_assert_cmpuint (self->seen[PAGE], ==, 1);
  g_assert_cmpuint (self->seen[3 * PAGE], ==, 0);
  collect (self, 2 * PAGE, UINT64_MAX);
  g_assert_cmpuint (self->seen[3 * PAGE], ==, 1);
  collect (self, N_PAGES * PAGE, 100);
  g_assert_cmpuint (self->n_calls, ==, 0);
  tear_down (self);
}

/* A mapping that begins and ends in the middle of pages, of an allocation of an odd size. */
static void
test_odd_mapping (gconstpointer choice)
{
  Fixture *self = set_up (choice, 50 * PAGE + 10);

  vtr_layer_tracker_map (self->tracker, 100, self->memory + 100, 43 * PAGE);
  collect (self, 0, UINT64_MAX);
  g_assert_cmpuint (self->n_bytes, ==, 43 * PAGE);
  vtr_layer_tracker_unmap (self->tracker);
  collect (self, 0, UINT64_MAX);
  g_assert_cmpuint (self->n_calls, ==, 0);

  /* Mapped whole: what was wholly seen before is still known. */
  vtr_layer_tracker_map (self->tracker, 0, self->memory, self->size);
  collect (self, 0, UINT64_MAX);
  g_assert_cmpuint (self->n_bytes, ==, self->size - 42 * PAGE);
  self->memory[50 * PAGE + 9] = 1;
  collect (self, 0, UINT64_MAX);
  g_assert_cmpuint (self->n_bytes, ==, 10);
  g_assert_cmpmem (self->seen, self->size, self->memory, self->size);
  tear_down (self);
}

/* Memory whose pages are not those of the system: of malloc(), say. */
static void
test_misaligned (gconstpointer choice)
{
  Fixture *self = set_up (choice, (N_PAGES + 1) * PAGE);

  vtr_layer_tracker_map (self->tracker, 0, self->memory + 48, N_PAGES * PAGE);
  collect (self, 0, UINT64_MAX);
  check_watched (self);
  g_assert_cmpuint (self->n_bytes, ==, N_PAGES * PAGE);
  for (guint page = 0; page < N_PAGES; page++)
    {
      self->memory[48 + page * PAGE] ^= 1;            /* in the system's page before … */
      self->memory[48 + page * PAGE + PAGE - 1] ^= 1; /* … and after */
      /* Asking about one does not take away the news of its neighbours. */
      collect (self, (guint64)(page + 7) % N_PAGES * PAGE, PAGE);
      collect (self, (guint64)page * PAGE, PAGE);
      g_assert_cmpmem (self->seen + page * PAGE, PAGE, self->memory + 48 + page * PAGE, PAGE);
    }
  collect (self, 0, UINT64_MAX);
  g_assert_cmpmem (self->seen, N_PAGES * PAGE, self->memory + 48, N_PAGES * PAGE);
  tear_down (self);
}

/* Memory that nobody has touched is left out where the kernel tells; zeros that were written are
 * not. */
static void
test_untouched (gconstpointer choice)
{
  Fixture *self = set_up_untouched (choice, N_PAGES * PAGE);

  vtr_layer_tracker_map (self->tracker, 0, self->memory, self->size);
  collect (self, 0, UINT64_MAX);
  g_assert_cmpuint (self->n_bytes, ==, 0);
  self->memory[3 * PAGE] = 1;
  *(volatile guint8 *)(self->memory + 5 * PAGE) = 0;
  collect (self, 0, UINT64_MAX);
  g_assert_cmpuint (self->n_bytes, ==, 2 * PAGE);
  collect (self, 0, UINT64_MAX);
  g_assert_cmpuint (self->n_bytes, ==, 0);
  g_assert_cmpmem (self->seen, self->size, self->memory, self->size);
  tear_down (self);
}

/* Too large for a copy of everything: whole pages are taken. */
static void
test_large (gconstpointer choice)
{
  Fixture *self = set_up (choice, N_PAGES * PAGE);

  vtr_layer_tracker_free (self->tracker);
  self->tracker =
    vtr_layer_tracker_new (G_GUINT64_CONSTANT (1) << 30, VTR_LAYER_OWNER_DRIVER, choice);
  vtr_layer_tracker_map (self->tracker, 0, self->memory, self->size);
  collect (self, 0, UINT64_MAX);
  self->memory[7 * PAGE + 5] = 1;
  self->memory[8 * PAGE + 5] = 0;
  collect (self, 0, UINT64_MAX);
  g_assert_cmpuint (self->n_bytes, ==, PAGE);
  collect (self, 0, UINT64_MAX);
  g_assert_cmpuint (self->n_bytes, ==, 0);
  g_assert_cmpmem (self->seen, self->size, self->memory, self->size);
  tear_down (self);
}

/* What was there when the recording began has been recorded by others. */
static void
test_adopt (gconstpointer choice)
{
  Fixture *self = set_up_untouched (choice, N_PAGES * PAGE);

  memset (self->memory, 1, 32 * PAGE);
  vtr_layer_tracker_map (self->tracker, 0, self->memory, self->size);
  vtr_layer_tracker_adopt (self->tracker);
  memcpy (self->seen, self->memory, 32 * PAGE);
  collect (self, 0, UINT64_MAX);
  g_assert_cmpuint (self->n_bytes, ==, 0);
  check_watched (self);
  self->memory[7 * PAGE + 100] = 2;
  self->memory[40 * PAGE + 100] = 2;
  collect (self, 0, UINT64_MAX);
  /* Nobody has a copy yet. */
  g_assert_cmpuint (self->n_bytes, ==, 2 * PAGE);
  self->memory[7 * PAGE + 100] = 3;
  collect (self, 0, UINT64_MAX);
  g_assert_cmpuint (self->n_bytes, ==, 64);
  g_assert_cmpmem (self->seen, self->size, self->memory, self->size);
  tear_down (self);
}

/* Pages of images are the device's. */
static void
test_left_out (gconstpointer choice)
{
  Fixture *self = set_up (choice, N_PAGES * PAGE);
  guint64 bits[N_PAGES / 64 + 1] = { 0 };
  /* Who does not know what was never touched forgets what was there before it protected. */
  gboolean forgets = self->choice->watcher != NULL && !self->choice->watcher->knows_untouched;
  const VtrLayerRange pages = { 10 * PAGE, 18 * PAGE };

  bits[10 / 64] |= G_GUINT64_CONSTANT (0xff) << 10;
  vtr_layer_tracker_map (self->tracker, 0, self->memory, self->size);
  vtr_layer_tracker_leave_out (self->tracker, bits, &pages, 1);
  collect (self, 0, UINT64_MAX);
  g_assert_cmpuint (self->n_bytes, ==, self->size - 8 * PAGE);
  memset (self->memory + 9 * PAGE, 1, 4 * PAGE);
  collect (self, 0, UINT64_MAX);
  g_assert_cmpuint (self->n_bytes, ==, PAGE);
  /* What came into it meanwhile is found when it is no image any more. */
  vtr_layer_tracker_leave_out (self->tracker, NULL, NULL, 0);
  collect (self, 0, UINT64_MAX);
  g_assert_cmpuint (self->n_bytes, ==, forgets ? 3 * PAGE : 8 * PAGE);
  g_assert_cmpmem (self->seen + 9 * PAGE, 4 * PAGE, self->memory + 9 * PAGE, 4 * PAGE);
  tear_down (self);
}

/* An image that shares its first and its last page with something else, and goes. */
static void
test_left_out_parts (gconstpointer choice)
{
  Fixture *self = set_up (choice, N_PAGES * PAGE);
  const VtrLayerRange ranges[] = { { 20 * PAGE + 256, 20 * PAGE + 512 },
                                   { 30 * PAGE + 128, 31 * PAGE + 192 } };
  gsize hidden = 256 + PAGE + 64;

  vtr_layer_tracker_map (self->tracker, 0, self->memory, self->size);
  memset (self->memory, 3, self->size);
  vtr_layer_tracker_leave_out (self->tracker, NULL, ranges, 2);
  collect (self, 0, UINT64_MAX);
  g_assert_cmpuint (self->n_bytes, ==, self->size - hidden);
  memset (self->memory + 30 * PAGE, 4, 2 * PAGE);
  self->memory[20 * PAGE + 300] = 5;
  collect (self, 0, UINT64_MAX);
  g_assert_cmpuint (self->n_bytes, ==, 128 + PAGE - 192);
  /* What is written there afterwards is not told from what was there before. */
  vtr_layer_tracker_leave_out (self->tracker, NULL, &ranges[1], 1);
  memset (self->memory + 20 * PAGE + 256, 0, 256);
  collect (self, 0, UINT64_MAX);
  g_assert_cmpuint (self->n_bytes, ==, PAGE);
  vtr_layer_tracker_leave_out (self->tracker, NULL, NULL, 0);
  memset (self->memory + 30 * PAGE + 128, 0, PAGE + 64);
  collect (self, 0, UINT64_MAX);
  g_assert_cmpuint (self->n_bytes, ==, 2 * PAGE);
  g_assert_cmpmem (self->seen, self->size, self->memory, self->size);
  tear_down (self);
}

/* What the kernel writes for the program: read(2) into mapped memory. */
static void
test_read (gconstpointer choice)
{
  Fixture *self = set_up (choice, N_PAGES * PAGE);
  int ends[2];

  vtr_layer_tracker_map (self->tracker, 0, self->memory, self->size);
  collect (self, 0, UINT64_MAX);
  g_assert_cmpint (pipe (ends), ==, 0);
  g_assert_cmpint (write (ends[1], "mapped", 6), ==, 6);
  g_assert_cmpint (read (ends[0], self->memory + 20 * PAGE - 3, 6), ==, 6);
  collect (self, 0, UINT64_MAX);
  g_assert_cmpmem (self->seen + 20 * PAGE - 3, 6, "mapped", 6);
  g_assert_cmpmem (self->seen, self->size, self->memory, self->size);
  close (ends[0]);
  close (ends[1]);
  tear_down (self);
}

/* A child writes to its own pages, and its end takes nothing away from the parent. */
static void
test_fork (gconstpointer choice)
{
  Fixture *self = set_up (choice, N_PAGES * PAGE);
  pid_t child;
  int status;

  vtr_layer_tracker_map (self->tracker, 0, self->memory, self->size);
  collect (self, 0, UINT64_MAX);
  self->memory[3 * PAGE] = 1;
  child = fork ();
  if (child == 0)
    {
      memset (self->memory, 7, self->size);
      vtr_layer_tracker_free (self->tracker);
      memset (self->memory, 8, self->size);
      _exit (self->memory[0] == 8 ? 0 : 1);
    }
  self->memory[5 * PAGE] = 1;
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  g_assert_cmpint (status, ==, 0);
  self->memory[7 * PAGE] = 1;
  collect (self, 0, UINT64_MAX);
  g_assert_cmpuint (self->n_bytes, ==, 3 * 64);
  g_assert_cmpmem (self->seen, self->size, self->memory, self->size);
  check_watched (self);
  tear_down (self);
}

/* Somebody puts another mapping into the place, or takes it away from the kernel's eyes. */
static void
test_mapped_over (gconstpointer choice)
{
  Fixture *self = set_up (choice, N_PAGES * PAGE);
  guint8 *other;

  vtr_layer_tracker_map (self->tracker, 0, self->memory, self->size);
  collect (self, 0, UINT64_MAX);
  other = mmap (self->memory + 16 * PAGE, 16 * PAGE, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  g_assert_true (other == self->memory + 16 * PAGE);
  memset (other, 3, 16 * PAGE);
  for (guint i = 0; i < 3; i++)
    {
      self->memory[2 * PAGE] = (guint8)(i + 1);
      other[3 * PAGE] = (guint8)(i + 1);
      collect (self, 0, UINT64_MAX);
      g_assert_cmpmem (self->seen, self->size, self->memory, self->size);
    }
  tear_down (self);
}

/* Unmapped and mapped again: at the same place, elsewhere, in part. */
static void
test_remapped (gconstpointer choice)
{
  Fixture *self = set_up (choice, N_PAGES * PAGE);
  guint8 *old = self->memory;
  guint8 *moved = map_pages (self->size);

  vtr_layer_tracker_map (self->tracker, 0, self->memory, self->size);
  collect (self, 0, UINT64_MAX);
  for (guint i = 0; i < 20; i++)
    {
      guint64 offset = i % 3 == 2 ? 13 * PAGE : 0;

      vtr_layer_tracker_unmap (self->tracker);
      if (i % 4 == 3)
        {
          guint8 *from = self->memory;

          self->memory = from == old ? moved : old;
          memcpy (self->memory, from, self->size);
        }
      vtr_layer_tracker_map (self->tracker, offset, self->memory + offset,
                             i % 3 == 2 ? 40 * PAGE : self->size);
      self->memory[20 * PAGE + i] = (guint8)(i + 1);
      collect (self, 0, UINT64_MAX);
      g_assert_cmpuint (self->n_bytes, ==, 64);
      g_assert_cmpmem (self->seen, self->size, self->memory, self->size);
    }
  munmap (self->memory == old ? moved : old, self->size);
  tear_down (self);
}

/* ---- At random ---- */

static void
write_at_random (Fixture *self,
                 GRand   *random)
{
  guint n = (guint)g_rand_int_range (random, 0, 40);

  if (g_rand_int_range (random, 0, 8) == 0)
    n = 2000;
  for (guint i = 0; i < n; i++)
    {
      gsize at = (gsize)g_rand_int_range (random, 0, (gint32)self->size);
      gsize size = (gsize)g_rand_int_range (random, 1, 300);

      memset (self->memory + at, g_rand_int_range (random, 0, 3), MIN (size, self->size - at));
    }
}

static gsize
count_wrong_pages (const Fixture *self)
{
  gsize n = 0;

  for (gsize page = 0; page < self->size / PAGE; page++)
    n += memcmp (self->seen + page * PAGE, self->memory + page * PAGE, PAGE) != 0;
  return n;
}

/* Whatever is written, collected and switched: what was handed over is what is there. */
static void
test_random (gconstpointer choice)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (7);
  Fixture *self = set_up (choice, 1111 * PAGE);

  if (g_test_thorough ())
    g_rand_set_seed (random, g_random_int ());
  vtr_layer_tracker_map (self->tracker, 0, self->memory, self->size);
  for (guint round = 0; round < 400; round++)
    {
      write_at_random (self, random);
      if (g_rand_int_range (random, 0, 4) == 0)
        {
          guint64 offset = (guint64)g_rand_int_range (random, 0, (gint32)self->size);

          collect (self, offset, (guint64)g_rand_int_range (random, 1, 100 * PAGE));
        }
      if (g_rand_int_range (random, 0, 50) == 0)
        {
          collect (self, 0, UINT64_MAX);
          vtr_layer_tracker_unmap (self->tracker);
          vtr_layer_tracker_map (self->tracker, 0, self->memory, self->size);
        }
      if (g_rand_int_range (random, 0, 2) == 0)
        {
          collect (self, 0, UINT64_MAX);
          g_assert_cmpuint (count_wrong_pages (self), ==, 0);
        }
    }
  tear_down (self);
}

/* Each way is taken where it is the cheaper one, and the change loses nothing. */
static void
test_switch (void)
{
  VtrLayerTrackerChoice choice = uffd_choice;
  Fixture *self;
  gsize n_watched;
  gsize n_compared;

  choice.fault_ns = 1000;
  choice.page_ns = 300;
  self = set_up (&choice, 1024 * PAGE);
  vtr_layer_tracker_map (self->tracker, 0, self->memory, self->size);
  for (guint round = 0; round < 60; round++)
    {
      for (guint page = 0; page < 256; page++)
        self->memory[page * PAGE + round] ^= 1;
      self->memory[700 * PAGE] ^= 1;
      collect (self, 0, UINT64_MAX);
      g_assert_cmpuint (count_wrong_pages (self), ==, 0);
    }
  vtr_layer_tracker_count (self->tracker, &n_watched, &n_compared);
  g_assert_cmpuint (n_compared, ==, 1);
  for (guint round = 0; round < 200; round++)
    {
      self->memory[(round % 256) * PAGE + 9] ^= 1;
      collect (self, 0, UINT64_MAX);
      g_assert_cmpuint (self->n_bytes, ==, 64);
      g_assert_cmpuint (count_wrong_pages (self), ==, 0);
    }
  vtr_layer_tracker_count (self->tracker, &n_watched, &n_compared);
  g_assert_cmpuint (n_compared, ==, 0);
  tear_down (self);
}

/* ---- Threads ---- */

typedef struct
{
  Fixture *fixture;
  guint number;
  gint stop; /* atomic */
} Writer;

/* Each page has a counter of each thread, which only grows. */
static gpointer
write_counters (gpointer data)
{
  Writer *self = data;
  guint32 page = self->number;

  for (guint32 value = 1; !g_atomic_int_get (&self->stop); value++)
    {
      guint32 *counters = (guint32 *)(gpointer)(self->fixture->memory + page % 512 * PAGE);

      __atomic_store_n (&counters[self->number], value, __ATOMIC_RELEASE);
      page = page * 1103515245u + 12345u;
    }
  return NULL;
}

/* Threads write all the while; what they wrote before they stopped is found after it. */
static void
test_threads (gconstpointer choice)
{
  Fixture *self = set_up (choice, 512 * PAGE);

  vtr_layer_tracker_map (self->tracker, 0, self->memory, self->size);
  for (guint round = 0; round < 30; round++)
    {
      Writer writers[3];
      GThread *threads[3];

      for (guint i = 0; i < 3; i++)
        {
          writers[i] = (Writer){ self, i, FALSE };
          threads[i] = g_thread_new ("writer", write_counters, &writers[i]);
        }
      for (guint i = 0; i < 5; i++)
        collect (self, 0, UINT64_MAX);
      for (guint i = 0; i < 3; i++)
        {
          g_atomic_int_set (&writers[i].stop, TRUE);
          g_thread_join (threads[i]);
        }
      collect (self, 0, UINT64_MAX);
      g_assert_cmpuint (count_wrong_pages (self), ==, 0);
    }
  tear_down (self);
}

/* Allocations come and go on several threads, at addresses that others just had. */
static gpointer
allocate_and_free (gpointer data)
{
  guint number = GPOINTER_TO_UINT (data);

  for (guint round = 0; round < 60; round++)
    {
      Fixture *self = set_up (&uffd_choice, (32 + (number + round) % 5 * 16) * PAGE);

      vtr_layer_tracker_map (self->tracker, 0, self->memory, self->size);
      for (guint i = 0; i < 4; i++)
        {
          self->memory[(i + round) % 32 * PAGE] = (guint8)(i + 1);
          collect (self, 0, UINT64_MAX);
          g_assert_cmpuint (count_wrong_pages (self), ==, 0);
        }
      tear_down (self);
    }
  return NULL;
}

static void
test_allocations (void)
{
  GThread *threads[4];

  for (guint i = 0; i < 4; i++)
    threads[i] = g_thread_new ("allocator", allocate_and_free, GUINT_TO_POINTER (i));
  for (guint i = 0; i < 4; i++)
    g_thread_join (threads[i]);
}

/* Programs close what they do not know: daemons, before they start. */
static void
test_closed (gconstpointer choice)
{
  Fixture *self;

  if (!g_test_subprocess ())
    {
      g_test_trap_subprocess (NULL, 0, 0);
      g_test_trap_assert_passed ();
      return;
    }
  self = set_up (choice, N_PAGES * PAGE);
  vtr_layer_tracker_map (self->tracker, 0, self->memory, self->size);
  collect (self, 0, UINT64_MAX);
  self->memory[5 * PAGE] = 1;
  close_range (3, ~0u, 0);
  for (guint i = 0; i < 3; i++)
    {
      self->memory[9 * PAGE + i] = 1;
      collect (self, 0, UINT64_MAX);
      g_assert_cmpuint (count_wrong_pages (self), ==, 0);
    }
  tear_down (self);
}

/* ---- Choosing ---- */

static void
test_choice (void)
{
  VtrLayerTrackerChoice choice;
  guint8 *memory = map_pages (VTR_LAYER_TRACKER_SCRATCH);
  char text[256];

  g_setenv ("VITRINE_TRACKER", "compare", TRUE);
  vtr_layer_tracker_choose (&choice, memory, VTR_LAYER_TRACKER_SCRATCH);
  g_assert_null (choice.watcher);
  g_assert_cmpuint (choice.page_ns, >, 0);
  vtr_layer_tracker_describe (&choice, text, sizeof text);
  g_assert_true (g_str_has_prefix (text, "page compare (asked for): "));

  g_setenv ("VITRINE_TRACKER", "uffd", TRUE);
  vtr_layer_tracker_choose (&choice, memory, VTR_LAYER_TRACKER_SCRATCH);
  g_assert_true (choice.watcher == uffd_choice.watcher);
  g_assert_true (choice.fixed);
  g_unsetenv ("VITRINE_TRACKER");

  /* No memory to try it on. */
  vtr_layer_tracker_choose (&choice, NULL, 0);
  g_assert_null (choice.watcher);
  g_assert_nonnull (choice.reason);
  munmap (memory, VTR_LAYER_TRACKER_SCRATCH);
}

/* A file in memory is watched where it is the driver's, compared where others write to it. */
static void
test_shared (gconstpointer choice)
{
  Fixture *self = set_up (choice, N_PAGES * PAGE);
  VtrLayerTrackerChoice shared = *(const VtrLayerTrackerChoice *)choice;
  int fd = memfd_create ("mapped", MFD_CLOEXEC);
  guint8 *alias;
  VtrLayerPlace place;

  g_assert_cmpint (ftruncate (fd, N_PAGES * PAGE), ==, 0);
  munmap (self->memory, self->size);
  self->memory = mmap (NULL, self->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  alias = mmap (NULL, self->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  g_assert_true (vtr_layer_find_place ((gsize)self->memory, (gsize)self->memory + self->size,
                                       &place));
  g_assert_true (place.shared);
  shared.shared = TRUE;
  shared.file = place.file;

  for (guint owner = VTR_LAYER_OWNER_DRIVER; owner <= VTR_LAYER_OWNER_OTHERS; owner++)
    {
      gsize n_watched;
      gsize n_compared;

      vtr_layer_tracker_free (self->tracker);
      self->tracker = vtr_layer_tracker_new (self->size, owner, &shared);
      memset (self->seen, 0xff, self->size);
      alias[50 * PAGE] = (guint8)(owner + 7); /* written before anybody looked */
      vtr_layer_tracker_map (self->tracker, 0, self->memory, self->size);
      for (guint i = 0; i < 4; i++)
        {
          guint8 *where = owner == VTR_LAYER_OWNER_DRIVER ? self->memory : alias;

          where[20 * PAGE] = (guint8)(owner * 10 + i);
          collect (self, 0, UINT64_MAX);
          g_assert_cmpuint (count_wrong_pages (self), ==, 0);
        }
      vtr_layer_tracker_count (self->tracker, &n_watched, &n_compared);
      g_assert_cmpint (n_watched > 0, ==,
                       owner == VTR_LAYER_OWNER_DRIVER && shared.watcher != NULL);
    }
  munmap (alias, self->size);
  close (fd);
  tear_down (self);
}

/* --- Handlers of the program's own ----------------------------------------------------------- */

static sigjmp_buf way_out;

static void
escape (int number)
{
  siglongjmp (way_out, number);
}

/* What the program does about faults of its own goes on, by a handler that came later. */
static void
test_handlers (gconstpointer choice)
{
  Fixture *self = set_up (choice, N_PAGES * PAGE);
  struct sigaction program = { .sa_handler = escape }, before;
  guint8 *forbidden = mmap (NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  volatile guint n_faults = 0;

  vtr_layer_tracker_map (self->tracker, 0, self->memory, self->size);
  collect (self, 0, UINT64_MAX);
  sigaction (SIGSEGV, &program, &before);
  for (volatile guint i = 0; i < 3; i++)
    {
      collect (self, 0, UINT64_MAX);
      self->memory[i * PAGE] = (guint8)(i + 1);
      if (sigsetjmp (way_out, 1) == 0)
        *(volatile guint8 *)forbidden = 1;
      else
        n_faults++;
    }
  g_assert_cmpuint (n_faults, ==, 3);
  collect (self, 0, UINT64_MAX);
  g_assert_cmpuint (count_wrong_pages (self), ==, 0);
  sigaction (SIGSEGV, &before, NULL);
  munmap (forbidden, PAGE);
  tear_down (self);
}

static struct sigaction handed_on_to;

static void
hand_on (int        number,
         siginfo_t *info,
         void      *context)
{
  handed_on_to.sa_sigaction (number, info, context);
}

/* With a handler that hands on to the layer's, the program dies of its own faults as ever. */
static void
test_death (gconstpointer choice)
{
  struct sigaction program = { .sa_flags = SA_SIGINFO };
  Fixture *self;

  if (!g_test_subprocess ())
    {
      g_test_trap_subprocess (NULL, 0, 0);
      g_test_trap_assert_failed ();
      g_test_trap_assert_stderr_unmatched ("*survived*");
      return;
    }
  self = set_up (choice, N_PAGES * PAGE);
  vtr_layer_tracker_map (self->tracker, 0, self->memory, self->size);
  collect (self, 0, UINT64_MAX);
  program.sa_sigaction = hand_on;
  sigaction (SIGSEGV, &program, &handed_on_to);
  collect (self, 0, UINT64_MAX);
  mprotect (self->seen, PAGE, PROT_NONE);
  *(volatile guint8 *)self->seen = 1;
  g_printerr ("survived");
}

static void
add_tests (const char                  *name,
           const VtrLayerTrackerChoice *choice)
{
  static const struct
  {
    const char *name;
    GTestDataFunc run;
    gboolean harms; /* what watchers that do harm cannot pass */
  } tests[] = {
    { "pages", test_pages, FALSE },
    { "range", test_range, FALSE },
    { "odd-mapping", test_odd_mapping, FALSE },
    { "misaligned", test_misaligned, FALSE },
    { "untouched", test_untouched, TRUE },
    { "large", test_large, FALSE },
    { "adopt", test_adopt, FALSE },
    { "left-out", test_left_out, FALSE },
    { "left-out-parts", test_left_out_parts, FALSE },
    { "read", test_read, TRUE },
    { "fork", test_fork, FALSE },
    { "mapped-over", test_mapped_over, TRUE },
    { "remapped", test_remapped, FALSE },
    { "shared", test_shared, FALSE },
    { "random", test_random, FALSE },
    { "threads", test_threads, FALSE },
    { "closed", test_closed, FALSE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (tests); i++)
    {
      g_autofree char *path = g_strdup_printf ("/layer/tracker/%s/%s", name, tests[i].name);

      if (!tests[i].harms || choice->watcher == NULL || choice->watcher->is_harmless)
        g_test_add_data_func (path, choice, tests[i].run);
    }
}

/* Chooses by @wish and adds its tests where it works here. */
static void
add_watcher (const char            *wish,
             VtrLayerTrackerChoice *choice)
{
  guint8 *memory = map_pages (VTR_LAYER_TRACKER_SCRATCH);

  g_setenv ("VITRINE_TRACKER", wish, TRUE);
  vtr_layer_tracker_choose (choice, memory, VTR_LAYER_TRACKER_SCRATCH);
  g_unsetenv ("VITRINE_TRACKER");
  munmap (memory, VTR_LAYER_TRACKER_SCRATCH);
  if (choice->watcher != NULL)
    add_tests (wish, choice);
  else
    g_test_message ("%s: pages are compared here: %s", wish, choice->reason);
}

int
main (int    argc,
      char **argv)
{
  static VtrLayerTrackerChoice sync_choice, mprotect_choice;

  g_test_init (&argc, &argv, NULL);
  add_tests ("compare", &compare_choice);
  g_test_add_func ("/layer/tracker/choice", test_choice);
  add_watcher ("auto", &uffd_choice);
  add_watcher ("uffd-sync", &sync_choice);
  add_watcher ("mprotect", &mprotect_choice);
  if (uffd_choice.watcher != NULL)
    {
      g_test_add_func ("/layer/tracker/switch", test_switch);
      g_test_add_func ("/layer/tracker/allocations", test_allocations);
    }
  g_test_add_data_func ("/layer/tracker/mprotect/handlers", &mprotect_choice, test_handlers);
  g_test_add_data_func ("/layer/tracker/mprotect/death", &mprotect_choice, test_death);
  return g_test_run ();
}
