/* The tracker of mapped memory: what it finds changed. */
#include "vtr-layer-tracker.h"

#include <glib.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE VTR_LAYER_PAGE
#define N_PAGES 40

typedef struct
{
  guint8 memory[N_PAGES * PAGE]; /* the program's */
  guint8 seen[N_PAGES * PAGE];   /* what was handed over */
  guint n_calls;
  guint64 n_bytes;
  gsize largest;
  void *state;
} Fixture;

static const guint8 *
take (void         *data,
      guint64       offset,
      const guint8 *bytes,
      gsize         size)
{
  Fixture *self = data;

  g_assert_cmpuint (offset + size, <=, sizeof self->seen);
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
  self->n_calls = 0;
  self->n_bytes = 0;
  self->largest = 0;
  vtr_layer_tracker_compare.collect (self->state, offset, size, 8 * PAGE, take, self);
}

static Fixture *
set_up (guint64 size)
{
  Fixture *self = g_new0 (Fixture, 1);

  self->state = vtr_layer_tracker_compare.create (size);
  g_assert_nonnull (self->state);
  /* Written to, if only with zeros. */
  memset (self->memory, 0, sizeof self->memory);
  return self;
}

static void
tear_down (Fixture *self)
{
  vtr_layer_tracker_compare.destroy (self->state);
  g_free (self);
}

static void
test_pages (void)
{
  Fixture *self = set_up (sizeof self->memory);

  vtr_layer_tracker_compare.map (self->state, 0, self->memory, sizeof self->memory);
  /* At first nothing is known: also pages of zeros count. */
  collect (self, 0, UINT64_MAX);
  g_assert_cmpuint (self->n_bytes, ==, sizeof self->memory);
  g_assert_cmpuint (self->largest, ==, 8 * PAGE);
  collect (self, 0, UINT64_MAX);
  g_assert_cmpuint (self->n_bytes, ==, 0);

  self->memory[5 * PAGE + 17] = 1;
  self->memory[6 * PAGE] = 1;
  self->memory[9 * PAGE - 1] = 1;
  self->memory[30 * PAGE] = 1;
  collect (self, 0, UINT64_MAX);
  g_assert_cmpuint (self->n_bytes, ==, 4 * 64);
  g_assert_cmpuint (self->n_calls, ==, 4);
  g_assert_cmpmem (self->seen, sizeof self->seen, self->memory, sizeof self->memory);
  tear_down (self);
}

static void
test_range (void)
{
  Fixture *self = set_up (sizeof self->memory);

  vtr_layer_tracker_compare.map (self->state, 0, self->memory, sizeof self->memory);
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
test_odd_mapping (void)
{
  Fixture *self = set_up (10 * PAGE + 10);

  vtr_layer_tracker_compare.map (self->state, 100, self->memory + 100, 3 * PAGE);
  collect (self, 0, UINT64_MAX);
  g_assert_cmpuint (self->n_bytes, ==, 3 * PAGE);
  vtr_layer_tracker_compare.unmap (self->state);
  collect (self, 0, UINT64_MAX);
  g_assert_cmpuint (self->n_calls, ==, 0);

  /* Mapped whole: what was wholly seen before is still known. */
  vtr_layer_tracker_compare.map (self->state, 0, self->memory, 10 * PAGE + 10);
  collect (self, 0, UINT64_MAX);
  g_assert_cmpuint (self->n_bytes, ==, 10 * PAGE + 10 - 2 * PAGE);
  self->memory[10 * PAGE + 9] = 1;
  collect (self, 0, UINT64_MAX);
  g_assert_cmpuint (self->n_bytes, ==, 10);
  g_assert_cmpmem (self->seen, sizeof self->seen, self->memory, sizeof self->memory);
  tear_down (self);
}

/* Memory that nobody has touched is left out where the kernel tells; zeros that were written are
 * not. */
static void
test_untouched (void)
{
  Fixture *self = set_up (sizeof self->memory);
  guint8 *memory = mmap (NULL, sizeof self->memory, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

  madvise (memory, sizeof self->memory, MADV_NOHUGEPAGE);
  vtr_layer_tracker_compare.map (self->state, 0, memory, sizeof self->memory);
  collect (self, 0, UINT64_MAX);
  g_assert_cmpuint (self->n_bytes, ==, 0);
  memory[3 * PAGE] = 1;
  *(volatile guint8 *)(memory + 5 * PAGE) = 0;
  collect (self, 0, UINT64_MAX);
  g_assert_cmpuint (self->n_bytes, ==, 2 * PAGE);
  collect (self, 0, UINT64_MAX);
  g_assert_cmpuint (self->n_bytes, ==, 0);
  g_assert_cmpmem (self->seen, sizeof self->seen, memory, sizeof self->memory);
  munmap (memory, sizeof self->memory);
  tear_down (self);
}

/* Too large for a copy of everything: whole pages are taken. */
static void
test_large (void)
{
  void *large = vtr_layer_tracker_compare.create (G_GUINT64_CONSTANT (1) << 30);
  Fixture *self = set_up (sizeof self->memory);

  vtr_layer_tracker_compare.destroy (self->state);
  self->state = large;
  vtr_layer_tracker_compare.map (self->state, 0, self->memory, sizeof self->memory);
  collect (self, 0, UINT64_MAX);
  self->memory[7 * PAGE + 5] = 1;
  collect (self, 0, UINT64_MAX);
  g_assert_cmpuint (self->n_bytes, ==, PAGE);
  collect (self, 0, UINT64_MAX);
  g_assert_cmpuint (self->n_bytes, ==, 0);
  g_assert_cmpmem (self->seen, sizeof self->seen, self->memory, sizeof self->memory);
  tear_down (self);
}

/* What was there when the recording began has been recorded by others. */
static void
test_adopt (void)
{
  Fixture *self = set_up (sizeof self->memory);

  self->memory[7 * PAGE] = 1;
  vtr_layer_tracker_compare.map (self->state, 0, self->memory, sizeof self->memory);
  vtr_layer_tracker_compare.adopt (self->state);
  memcpy (self->seen, self->memory, sizeof self->seen);
  collect (self, 0, UINT64_MAX);
  g_assert_cmpuint (self->n_bytes, ==, 0);
  self->memory[7 * PAGE + 100] = 2;
  collect (self, 0, UINT64_MAX);
  g_assert_cmpuint (self->n_bytes, ==, 64);
  g_assert_cmpmem (self->seen, sizeof self->seen, self->memory, sizeof self->memory);
  tear_down (self);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/layer/tracker/pages", test_pages);
  g_test_add_func ("/layer/tracker/range", test_range);
  g_test_add_func ("/layer/tracker/odd-mapping", test_odd_mapping);
  g_test_add_func ("/layer/tracker/untouched", test_untouched);
  g_test_add_func ("/layer/tracker/large", test_large);
  g_test_add_func ("/layer/tracker/adopt", test_adopt);
  return g_test_run ();
}
