/* Tests that the tracker of mapped memory finds changes with each of its methods. */
#include "vtr-test-tracker.h"

#include "vtr-layer-mappings.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static VtrLayerTrackerChoice compare_choice = { .reason = "asked for" };
static VtrLayerTrackerChoice uffd_choice;

static void
test_pages (gconstpointer choice)
{
  VtrTestTracker *self = vtr_test_tracker_new (choice, N_PAGES * PAGE);

  vtr_layer_tracker_map (self->tracker, 0, self->memory, self->size);
  /* At first nothing is known: also pages of zeros count. */
  vtr_test_tracker_collect (self, 0, UINT64_MAX);
  vtr_test_tracker_check_watched (self);
  g_assert_cmpuint (self->n_bytes, ==, self->size);
  g_assert_cmpuint (self->largest, ==, 8 * PAGE);
  vtr_test_tracker_collect (self, 0, UINT64_MAX);
  g_assert_cmpuint (self->n_bytes, ==, 0);

  self->memory[5 * PAGE + 17] = 1;
  self->memory[6 * PAGE] = 1;
  self->memory[9 * PAGE - 1] = 1;
  self->memory[30 * PAGE] = 1;
  self->memory[40 * PAGE] = 0; /* as before */
  vtr_test_tracker_collect (self, 0, UINT64_MAX);
  g_assert_cmpuint (self->n_bytes, ==, 4 * 64);
  g_assert_cmpuint (self->n_calls, ==, 4);
  g_assert_cmpmem (self->seen, self->size, self->memory, self->size);

  /* What goes on behind the end of a page is one with it. */
  memset (self->memory + 11 * PAGE - 64, 2, 2 * PAGE);
  vtr_test_tracker_collect (self, 0, UINT64_MAX);
  g_assert_cmpuint (self->n_calls, ==, 1);
  g_assert_cmpuint (self->n_bytes, ==, 2 * PAGE);
  g_assert_cmpmem (self->seen, self->size, self->memory, self->size);
  vtr_test_tracker_free (self);
}

static void
test_range (gconstpointer choice)
{
  VtrTestTracker *self = vtr_test_tracker_new (choice, N_PAGES * PAGE);

  vtr_layer_tracker_map (self->tracker, 0, self->memory, self->size);
  vtr_test_tracker_collect (self, 0, UINT64_MAX);
  self->memory[PAGE] = 1;
  self->memory[3 * PAGE] = 1;
  vtr_test_tracker_collect (self, PAGE + 100, 50);
  g_assert_cmpuint (self->n_bytes, ==, 64);
  g_assert_cmpuint (self->seen[PAGE], ==, 1);
  g_assert_cmpuint (self->seen[3 * PAGE], ==, 0);
  vtr_test_tracker_collect (self, 2 * PAGE, UINT64_MAX);
  g_assert_cmpuint (self->seen[3 * PAGE], ==, 1);
  vtr_test_tracker_collect (self, N_PAGES * PAGE, 100);
  g_assert_cmpuint (self->n_calls, ==, 0);
  vtr_test_tracker_free (self);
}

/* A mapping that begins and ends in the middle of pages, of an allocation of an odd size. */
static void
test_odd_mapping (gconstpointer choice)
{
  VtrTestTracker *self = vtr_test_tracker_new (choice, 50 * PAGE + 10);

  vtr_layer_tracker_map (self->tracker, 100, self->memory + 100, 43 * PAGE);
  vtr_test_tracker_collect (self, 0, UINT64_MAX);
  g_assert_cmpuint (self->n_bytes, ==, 43 * PAGE);
  vtr_layer_tracker_unmap (self->tracker);
  vtr_test_tracker_collect (self, 0, UINT64_MAX);
  g_assert_cmpuint (self->n_calls, ==, 0);

  /* Mapped as a whole: bytes that were recorded as a whole before are still known. */
  vtr_layer_tracker_map (self->tracker, 0, self->memory, self->size);
  vtr_test_tracker_collect (self, 0, UINT64_MAX);
  g_assert_cmpuint (self->n_bytes, ==, self->size - 42 * PAGE);
  self->memory[50 * PAGE + 9] = 1;
  vtr_test_tracker_collect (self, 0, UINT64_MAX);
  g_assert_cmpuint (self->n_bytes, ==, 10);
  g_assert_cmpmem (self->seen, self->size, self->memory, self->size);
  vtr_test_tracker_free (self);
}

/* Memory whose pages are not those of the system: of malloc(), say. */
static void
test_misaligned (gconstpointer choice)
{
  VtrTestTracker *self = vtr_test_tracker_new (choice, (N_PAGES + 1) * PAGE);

  vtr_layer_tracker_map (self->tracker, 0, self->memory + 48, N_PAGES * PAGE);
  vtr_test_tracker_collect (self, 0, UINT64_MAX);
  vtr_test_tracker_check_watched (self);
  g_assert_cmpuint (self->n_bytes, ==, N_PAGES * PAGE);
  for (guint page = 0; page < N_PAGES; page++)
    {
      self->memory[48 + page * PAGE] ^= 1;            /* in the system's page before … */
      self->memory[48 + page * PAGE + PAGE - 1] ^= 1; /* … and after */
      /* Asking about one does not take away the news of its neighbours. */
      vtr_test_tracker_collect (self, (guint64)(page + 7) % N_PAGES * PAGE, PAGE);
      vtr_test_tracker_collect (self, (guint64)page * PAGE, PAGE);
      g_assert_cmpmem (self->seen + page * PAGE, PAGE, self->memory + 48 + page * PAGE, PAGE);
    }
  vtr_test_tracker_collect (self, 0, UINT64_MAX);
  g_assert_cmpmem (self->seen, N_PAGES * PAGE, self->memory + 48, N_PAGES * PAGE);
  vtr_test_tracker_free (self);
}

/* Untouched memory is left out if the kernel can tell; zeros that were written are not. */
static void
test_untouched (gconstpointer choice)
{
  VtrTestTracker *self = vtr_test_tracker_new_untouched (choice, N_PAGES * PAGE);

  vtr_layer_tracker_map (self->tracker, 0, self->memory, self->size);
  vtr_test_tracker_collect (self, 0, UINT64_MAX);
  g_assert_cmpuint (self->n_bytes, ==, 0);
  self->memory[3 * PAGE] = 1;
  *(volatile guint8 *)(self->memory + 5 * PAGE) = 0;
  vtr_test_tracker_collect (self, 0, UINT64_MAX);
  g_assert_cmpuint (self->n_bytes, ==, 2 * PAGE);
  vtr_test_tracker_collect (self, 0, UINT64_MAX);
  g_assert_cmpuint (self->n_bytes, ==, 0);
  g_assert_cmpmem (self->seen, self->size, self->memory, self->size);
  vtr_test_tracker_free (self);
}

/* Too large for a copy of everything: whole pages are taken. */
static void
test_large (gconstpointer choice)
{
  VtrTestTracker *self = vtr_test_tracker_new (choice, N_PAGES * PAGE);

  vtr_layer_tracker_free (self->tracker);
  self->tracker =
    vtr_layer_tracker_new (G_GUINT64_CONSTANT (1) << 30, VTR_LAYER_OWNER_DRIVER, choice);
  vtr_layer_tracker_map (self->tracker, 0, self->memory, self->size);
  vtr_test_tracker_collect (self, 0, UINT64_MAX);
  self->memory[7 * PAGE + 5] = 1;
  self->memory[8 * PAGE + 5] = 0;
  vtr_test_tracker_collect (self, 0, UINT64_MAX);
  g_assert_cmpuint (self->n_bytes, ==, PAGE);
  vtr_test_tracker_collect (self, 0, UINT64_MAX);
  g_assert_cmpuint (self->n_bytes, ==, 0);
  g_assert_cmpmem (self->seen, self->size, self->memory, self->size);
  vtr_test_tracker_free (self);
}

/* What was there when the recording began has been recorded by others. */
static void
test_adopt (gconstpointer choice)
{
  VtrTestTracker *self = vtr_test_tracker_new_untouched (choice, N_PAGES * PAGE);

  memset (self->memory, 1, 32 * PAGE);
  vtr_layer_tracker_map (self->tracker, 0, self->memory, self->size);
  vtr_layer_tracker_adopt (self->tracker);
  memcpy (self->seen, self->memory, 32 * PAGE);
  vtr_test_tracker_collect (self, 0, UINT64_MAX);
  g_assert_cmpuint (self->n_bytes, ==, 0);
  vtr_test_tracker_check_watched (self);
  self->memory[7 * PAGE + 100] = 2;
  self->memory[40 * PAGE + 100] = 2;
  vtr_test_tracker_collect (self, 0, UINT64_MAX);
  /* There is no copy yet; if writes are reported, the first write does not make one. */
  g_assert_cmpuint (self->n_bytes, ==, 2 * PAGE);
  if (self->choice->watcher != NULL)
    g_assert_cmpuint (self->n_in_place, >=, PAGE);
  else
    g_assert_cmpuint (self->n_in_place, ==, 0);
  self->memory[7 * PAGE + 100] = 3;
  vtr_test_tracker_collect (self, 0, UINT64_MAX);
  g_assert_cmpuint (self->n_bytes, ==, self->choice->watcher != NULL ? PAGE : 64);
  g_assert_cmpuint (self->n_in_place, ==, 0);
  self->memory[7 * PAGE + 100] = 4;
  vtr_test_tracker_collect (self, 0, UINT64_MAX);
  g_assert_cmpuint (self->n_bytes, ==, 64);
  g_assert_cmpmem (self->seen, self->size, self->memory, self->size);
  vtr_test_tracker_free (self);
}

/* A part at a time, while the program writes; then what is there has been recorded by others. */
static void
test_prepared (gconstpointer choice)
{
  VtrTestTracker *self = vtr_test_tracker_new_untouched (choice, N_PAGES * PAGE);
  guint n_parts = 0;
  guint64 left = 16 * PAGE;

  memset (self->memory, 1, 32 * PAGE);
  vtr_layer_tracker_map (self->tracker, 0, self->memory, self->size);
  while (vtr_layer_tracker_prepare (self->tracker, FALSE, &left))
    {
      g_assert_cmpuint (left, ==, 0);
      left = 16 * PAGE;
      n_parts++;
      memset (self->memory, 2, PAGE);
    }
  self->memory[50 * PAGE] = 2;
  g_assert_cmpuint (n_parts, ==, vtr_test_tracker_is_harmless (self) ? N_PAGES / 16 - 1 : 0);
  /* Soon done, with what was written to meanwhile. */
  left = G_MAXUINT64;
  g_assert_false (vtr_layer_tracker_prepare (self->tracker, TRUE, &left));
  memset (self->memory + 20 * PAGE, 3, PAGE);
  self->memory[51 * PAGE] = 3;

  vtr_layer_tracker_adopt (self->tracker);
  /* Reading touches, too. */
  memcpy (self->seen, self->memory, 32 * PAGE);
  memcpy (self->seen + 50 * PAGE, self->memory + 50 * PAGE, 2 * PAGE);
  vtr_test_tracker_collect (self, 0, UINT64_MAX);
  /* What was written to behind the preparation comes once more, and nothing else. */
  g_assert_cmpuint (self->n_bytes, ==, n_parts > 0 ? 2 * PAGE : 0);
  self->memory[7 * PAGE + 100] = 4;
  self->memory[20 * PAGE + 100] = 4;
  self->memory[60 * PAGE + 100] = 4;
  vtr_test_tracker_collect (self, 0, UINT64_MAX);
  g_assert_cmpmem (self->seen, self->size, self->memory, self->size);
  vtr_test_tracker_free (self);
}

/* Watching is ended a part at a time. */
static void
test_retired (gconstpointer choice)
{
  VtrTestTracker *self = vtr_test_tracker_new (choice, N_PAGES * PAGE);
  gboolean harmless = vtr_test_tracker_is_harmless (self);
  VtrLayerTracker *next;
  guint64 left = 16 * PAGE;
  guint n_parts = 0;

  vtr_layer_tracker_map (self->tracker, 0, self->memory, self->size);
  vtr_test_tracker_collect (self, 0, UINT64_MAX);
  while (vtr_layer_tracker_retire (self->tracker, &left))
    {
      g_assert_cmpuint (left, ==, 0);
      left = 16 * PAGE;
      n_parts++;
    }
  g_assert_cmpuint (n_parts, ==, harmless ? N_PAGES / 16 - 1 : 0);
  g_assert_cmpuint (left, ==, self->choice->watcher == NULL ? 16 * PAGE : 0);

  /* All of it can be watched again. */
  next = vtr_layer_tracker_new (self->size, self->owner, choice);
  vtr_layer_tracker_free (self->tracker);
  self->tracker = next;
  vtr_layer_tracker_map (self->tracker, 0, self->memory, self->size);
  vtr_test_tracker_collect (self, 0, UINT64_MAX);
  vtr_test_tracker_check_watched (self);
  g_assert_cmpuint (self->n_bytes, ==, self->size);
  vtr_test_tracker_free (self);
}

/* Pages of images are the device's. */
static void
test_left_out (gconstpointer choice)
{
  VtrTestTracker *self = vtr_test_tracker_new (choice, N_PAGES * PAGE);
  guint64 bits[N_PAGES / 64 + 1] = { 0 };
  /* A method that cannot tell untouched pages forgets the contents from before it began to
   * protect. */
  gboolean forgets = self->choice->watcher != NULL && !self->choice->watcher->knows_untouched;
  VtrRange range = { 10 * PAGE, 18 * PAGE };
  const VtrRangeSet pages = { .ranges = &range, .n = 1 };

  bits[10 / 64] |= G_GUINT64_CONSTANT (0xff) << 10;
  vtr_layer_tracker_map (self->tracker, 0, self->memory, self->size);
  vtr_layer_tracker_leave_out (self->tracker, bits, &pages);
  vtr_test_tracker_collect (self, 0, UINT64_MAX);
  g_assert_cmpuint (self->n_bytes, ==, self->size - 8 * PAGE);
  memset (self->memory + 9 * PAGE, 1, 4 * PAGE);
  vtr_test_tracker_collect (self, 0, UINT64_MAX);
  g_assert_cmpuint (self->n_bytes, ==, PAGE);
  /* What came into it meanwhile is found when it is no image any more. */
  vtr_layer_tracker_leave_out (self->tracker, NULL, NULL);
  vtr_test_tracker_collect (self, 0, UINT64_MAX);
  g_assert_cmpuint (self->n_bytes, ==, forgets ? 3 * PAGE : 8 * PAGE);
  g_assert_cmpmem (self->seen + 9 * PAGE, 4 * PAGE, self->memory + 9 * PAGE, 4 * PAGE);
  vtr_test_tracker_free (self);
}

/* An image that shares its first and its last page with something else, and goes. */
static void
test_left_out_parts (gconstpointer choice)
{
  VtrTestTracker *self = vtr_test_tracker_new (choice, N_PAGES * PAGE);
  VtrRange ranges[] = { { 20 * PAGE + 256, 20 * PAGE + 512 },
                        { 30 * PAGE + 128, 31 * PAGE + 192 } };
  const VtrRangeSet both = { .ranges = ranges, .n = 2 };
  const VtrRangeSet second = { .ranges = &ranges[1], .n = 1 };
  gsize hidden = 256 + PAGE + 64;

  vtr_layer_tracker_map (self->tracker, 0, self->memory, self->size);
  memset (self->memory, 3, self->size);
  vtr_layer_tracker_leave_out (self->tracker, NULL, &both);
  vtr_test_tracker_collect (self, 0, UINT64_MAX);
  g_assert_cmpuint (self->n_bytes, ==, self->size - hidden);
  memset (self->memory + 30 * PAGE, 4, 2 * PAGE);
  self->memory[20 * PAGE + 300] = 5;
  vtr_test_tracker_collect (self, 0, UINT64_MAX);
  g_assert_cmpuint (self->n_bytes, ==, 128 + PAGE - 192);
  /* Later writes there cannot be distinguished from earlier contents. */
  vtr_layer_tracker_leave_out (self->tracker, NULL, &second);
  memset (self->memory + 20 * PAGE + 256, 0, 256);
  vtr_test_tracker_collect (self, 0, UINT64_MAX);
  g_assert_cmpuint (self->n_bytes, ==, PAGE);
  vtr_layer_tracker_leave_out (self->tracker, NULL, NULL);
  memset (self->memory + 30 * PAGE + 128, 0, PAGE + 64);
  vtr_test_tracker_collect (self, 0, UINT64_MAX);
  g_assert_cmpuint (self->n_bytes, ==, 2 * PAGE);
  g_assert_cmpmem (self->seen, self->size, self->memory, self->size);
  vtr_test_tracker_free (self);
}

/* What the kernel writes for the program: read(2) into mapped memory. */
static void
test_read (gconstpointer choice)
{
  VtrTestTracker *self = vtr_test_tracker_new (choice, N_PAGES * PAGE);
  int ends[2];

  vtr_layer_tracker_map (self->tracker, 0, self->memory, self->size);
  vtr_test_tracker_collect (self, 0, UINT64_MAX);
  g_assert_cmpint (pipe (ends), ==, 0);
  g_assert_cmpint (write (ends[1], "mapped", 6), ==, 6);
  g_assert_cmpint (read (ends[0], self->memory + 20 * PAGE - 3, 6), ==, 6);
  vtr_test_tracker_collect (self, 0, UINT64_MAX);
  g_assert_cmpmem (self->seen + 20 * PAGE - 3, 6, "mapped", 6);
  g_assert_cmpmem (self->seen, self->size, self->memory, self->size);
  close (ends[0]);
  close (ends[1]);
  vtr_test_tracker_free (self);
}

/* ---- At random ---- */

static void
write_at_random (VtrTestTracker *self,
                 GRand          *random)
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

/* After any writes, collections and switches, the recorded bytes equal the memory. */
static void
test_random (gconstpointer choice)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (7);
  VtrTestTracker *self = vtr_test_tracker_new (choice, 1111 * PAGE);

  if (g_test_thorough ())
    g_rand_set_seed (random, g_random_int ());
  vtr_layer_tracker_map (self->tracker, 0, self->memory, self->size);
  for (guint round = 0; round < 400; round++)
    {
      write_at_random (self, random);
      if (g_rand_int_range (random, 0, 4) == 0)
        {
          guint64 offset = (guint64)g_rand_int_range (random, 0, (gint32)self->size);

          vtr_test_tracker_collect (self, offset,
                                    (guint64)g_rand_int_range (random, 1, 100 * PAGE));
        }
      if (g_rand_int_range (random, 0, 50) == 0)
        {
          vtr_test_tracker_collect (self, 0, UINT64_MAX);
          vtr_layer_tracker_unmap (self->tracker);
          vtr_layer_tracker_map (self->tracker, 0, self->memory, self->size);
        }
      if (g_rand_int_range (random, 0, 2) == 0)
        {
          vtr_test_tracker_collect (self, 0, UINT64_MAX);
          g_assert_cmpuint (vtr_test_tracker_count_wrong_pages (self), ==, 0);
        }
    }
  vtr_test_tracker_free (self);
}

/* Each way is taken where it is the cheaper one, and the change loses nothing. */
static void
test_switch (void)
{
  VtrLayerTrackerChoice choice = uffd_choice;
  VtrTestTracker *self;
  gsize n_watched;
  gsize n_compared;

  choice.fault_ns = 1000;
  choice.page_ns = 300;
  self = vtr_test_tracker_new (&choice, 1024 * PAGE);
  vtr_layer_tracker_map (self->tracker, 0, self->memory, self->size);
  for (guint round = 0; round < 60; round++)
    {
      for (guint page = 0; page < 256; page++)
        self->memory[page * PAGE + round] ^= 1;
      self->memory[700 * PAGE] ^= 1;
      vtr_test_tracker_collect (self, 0, UINT64_MAX);
      g_assert_cmpuint (vtr_test_tracker_count_wrong_pages (self), ==, 0);
    }
  vtr_layer_tracker_count (self->tracker, &n_watched, &n_compared);
  g_assert_cmpuint (n_compared, ==, 1);
  for (guint round = 0; round < 200; round++)
    {
      self->memory[(round % 256) * PAGE + 9] ^= 1;
      vtr_test_tracker_collect (self, 0, UINT64_MAX);
      g_assert_cmpuint (self->n_bytes, ==, 64);
      g_assert_cmpuint (vtr_test_tracker_count_wrong_pages (self), ==, 0);
    }
  vtr_layer_tracker_count (self->tracker, &n_watched, &n_compared);
  g_assert_cmpuint (n_compared, ==, 0);
  vtr_test_tracker_free (self);
}

/* Allocations come and go on several threads, at addresses that others just had. */
static gpointer
allocate_and_free (gpointer data)
{
  guint number = GPOINTER_TO_UINT (data);

  for (guint round = 0; round < 60; round++)
    {
      guint64 size = (32 + (number + round) % 5 * 16) * PAGE;
      VtrTestTracker *self = vtr_test_tracker_new (&uffd_choice, size);

      vtr_layer_tracker_map (self->tracker, 0, self->memory, self->size);
      for (guint i = 0; i < 4; i++)
        {
          self->memory[(i + round) % 32 * PAGE] = (guint8)(i + 1);
          vtr_test_tracker_collect (self, 0, UINT64_MAX);
          g_assert_cmpuint (vtr_test_tracker_count_wrong_pages (self), ==, 0);
        }
      vtr_test_tracker_free (self);
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

/* ---- Choosing ---- */

static void
test_choice (void)
{
  VtrLayerTrackerChoice choice;
  guint8 *memory = vtr_test_map_pages (VTR_LAYER_TRACKER_SCRATCH);
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

/* The mapping at an address is the same from /proc/self/maps and from single queries (Linux
 * 6.11). */
static void
test_places (void)
{
  const gsize size = 4 * PAGE;
  int fd = memfd_create ("place", MFD_CLOEXEC);
  guint8 *memory = vtr_test_map_pages (3 * size);

  g_assert_cmpint (ftruncate (fd, size), ==, 0);
  g_assert_true (mmap (memory + size, size, PROT_READ, MAP_SHARED | MAP_FIXED, fd, 0) !=
                 MAP_FAILED);
  g_assert_cmpint (mprotect (memory, PAGE, PROT_READ), ==, 0);
  for (guint held = 0; held < 2; held++)
    {
      VtrLayerMapping place;
      gsize begin = (gsize)memory;

      if (held)
        vtr_layer_mappings_hold ();
      /* Several mappings of one kind. */
      g_assert_true (vtr_layer_find_mapping (begin, begin + size, &place));
      g_assert_true (place.anonymous && !place.shared);
      g_assert_true (vtr_layer_find_mapping (begin + size + PAGE, begin + 2 * size, &place));
      g_assert_true (!place.anonymous && place.shared && place.file != 0);
      g_assert_false (vtr_layer_find_mapping (begin, begin + size + 1, &place));
      g_assert_false (vtr_layer_find_mapping (begin + size, begin + 3 * size, &place));
      munmap (memory + 2 * size + PAGE, PAGE);
      if (!held)
        g_assert_false (vtr_layer_find_mapping (begin + 2 * size, begin + 3 * size, &place));
      g_assert_false (vtr_layer_find_mapping (PAGE, 2 * PAGE, &place));
    }
  vtr_layer_mappings_release ();
  munmap (memory, 3 * size);
  close (fd);
}

/* A file in memory is watched where it is the driver's, compared where others write to it. */
static void
test_shared (gconstpointer choice)
{
  VtrTestTracker *self = vtr_test_tracker_new (choice, N_PAGES * PAGE);
  VtrLayerTrackerChoice shared = *(const VtrLayerTrackerChoice *)choice;
  int fd = memfd_create ("mapped", MFD_CLOEXEC);
  guint8 *alias;
  VtrLayerMapping place;

  g_assert_cmpint (ftruncate (fd, N_PAGES * PAGE), ==, 0);
  munmap (self->memory, self->size);
  self->memory = mmap (NULL, self->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  alias = mmap (NULL, self->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  g_assert_true (vtr_layer_find_mapping ((gsize)self->memory, (gsize)self->memory + self->size,
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
          vtr_test_tracker_collect (self, 0, UINT64_MAX);
          g_assert_cmpuint (vtr_test_tracker_count_wrong_pages (self), ==, 0);
        }
      vtr_layer_tracker_count (self->tracker, &n_watched, &n_compared);
      g_assert_cmpint (n_watched > 0, ==,
                       owner == VTR_LAYER_OWNER_DRIVER && shared.watcher != NULL);
    }
  munmap (alias, self->size);
  close (fd);
  vtr_test_tracker_free (self);
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
    { "prepared", test_prepared, FALSE },
    { "retired", test_retired, FALSE },
    { "left-out", test_left_out, FALSE },
    { "left-out-parts", test_left_out_parts, FALSE },
    { "read", test_read, TRUE },
    { "fork", vtr_test_tracker_fork, FALSE },
    { "mapped-over", vtr_test_tracker_mapped_over, TRUE },
    { "remapped", vtr_test_tracker_remapped, FALSE },
    { "shared", test_shared, FALSE },
    { "random", test_random, FALSE },
    { "threads", vtr_test_tracker_threads, FALSE },
    { "closed", vtr_test_tracker_closed, FALSE },
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
  guint8 *memory = vtr_test_map_pages (VTR_LAYER_TRACKER_SCRATCH);

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
  g_test_add_func ("/layer/tracker/places", test_places);
  add_watcher ("auto", &uffd_choice);
  add_watcher ("uffd-sync", &sync_choice);
  add_watcher ("mprotect", &mprotect_choice);
  if (uffd_choice.watcher != NULL)
    {
      g_test_add_func ("/layer/tracker/switch", test_switch);
      g_test_add_func ("/layer/tracker/allocations", test_allocations);
    }
  g_test_add_data_func ("/layer/tracker/mprotect/handlers", &mprotect_choice,
                        vtr_test_tracker_handlers);
  g_test_add_data_func ("/layer/tracker/mprotect/death", &mprotect_choice,
                        vtr_test_tracker_death);
  return g_test_run ();
}
