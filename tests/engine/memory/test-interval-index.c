/* Tests the interval index against an array with the last item that touched each byte. */
#include "engine/memory/vtr-interval-index.h"

#include <string.h>

#define SPACE 4096
#define NOBODY G_MAXUINT64

typedef struct
{
  guint64 item;
  VtrRange range;
} Touch;

typedef struct
{
  const GArray *touches; /* Touch, items ascending */
  const guint *first;    /* of each item */
  guint64 *found;
  guint n_visited;
} Finder;

static gboolean
find (guint64      item,
      VtrRangeSet *wanted,
      gpointer     data)
{
  Finder *self = data;

  self->n_visited++;
  for (guint i = self->first[item]; i < self->first[item + 1]; i++)
    {
      const Touch *touch = &g_array_index (self->touches, Touch, i);

      for (guint64 at = touch->range.begin; at < touch->range.end; at++)
        for (guint k = 0; k < wanted->n; k++)
          {
            const VtrRange *range = &wanted->ranges[k];

            if (at >= range->begin && at < range->end)
              self->found[at] = item;
          }
    }
  for (guint i = self->first[item]; i < self->first[item + 1]; i++)
    {
      const Touch *touch = &g_array_index (self->touches, Touch, i);

      g_assert_true (vtr_range_set_remove (wanted, touch->range.begin, touch->range.end));
    }
  return TRUE;
}

/* Random touches of random lengths: few items touch nothing, some touch much. */
static GArray *
make_touches (guint n_items,
              guint longest)
{
  GArray *touches = g_array_new (FALSE, FALSE, sizeof (Touch));

  for (guint item = 0; item < n_items; item++)
    for (gint n = g_test_rand_int_range (0, 4); n > 0; n--)
      {
        guint64 begin = (guint64)g_test_rand_int_range (0, SPACE);
        guint64 length = (guint64)g_test_rand_int_range (1, (gint)longest);
        const Touch touch = { item, { begin, MIN (begin + length, SPACE) } };

        g_array_append_val (touches, touch);
      }
  return touches;
}

static guint *
index_items (const GArray *touches,
             guint         n_items)
{
  guint *first = g_new (guint, n_items + 1);
  guint at = 0;

  for (guint item = 0; item <= n_items; item++)
    {
      while (at < touches->len && g_array_index (touches, Touch, at).item < item)
        at++;
      first[item] = at;
    }
  return first;
}

static void
check_against_array (guint n_items,
                     guint longest,
                     guint n_questions)
{
  g_autoptr (GArray) touches = make_touches (n_items, longest);
  g_autofree guint *first = index_items (touches, n_items);
  g_autofree guint64 *last = g_new (guint64, SPACE);
  g_autofree guint64 *found = g_new (guint64, SPACE);
  g_autoptr (VtrIntervalIndex) index = vtr_interval_index_new ();

  for (guint i = 0; i < touches->len; i++)
    {
      const Touch *touch = &g_array_index (touches, Touch, i);

      vtr_interval_index_add (index, touch->item, touch->range.begin, touch->range.end);
    }
  vtr_interval_index_complete (index);
  for (guint question = 0; question < n_questions; question++)
    {
      guint64 end = (guint64)g_test_rand_int_range (0, (gint)n_items + 1);
      guint64 begin = (guint64)g_test_rand_int_range (0, SPACE);
      guint64 stop = begin + (guint64)g_test_rand_int_range (1, SPACE);
      VtrRangeSet wanted = { 0 };
      Finder finder = { touches, first, found, 0 };

      stop = MIN (stop, SPACE);
      for (guint i = 0; i < SPACE; i++)
        last[i] = found[i] = NOBODY;
      for (guint i = 0; i < first[end]; i++)
        {
          const Touch *touch = &g_array_index (touches, Touch, i);

          for (guint64 at = MAX (touch->range.begin, begin); at < MIN (touch->range.end, stop);
               at++)
            last[at] = touch->item;
        }
      g_assert_true (vtr_range_set_add (&wanted, begin, stop));
      g_assert_true (vtr_interval_index_walk (index, end, &wanted, find, &finder));
      vtr_range_set_finish (&wanted);
      for (guint i = 0; i < SPACE; i++)
        g_assert_cmpuint (found[i], ==, last[i]);
    }
}

static void
test_random (void)
{
  check_against_array (1, 100, 50);
  check_against_array (64, 100, 50);
  check_against_array (65, 100, 50);
  check_against_array (5000, 8, 30);
  check_against_array (5000, 2000, 30);
  check_against_array (70000, 64, 10);
}

static void
test_empty (void)
{
  g_autoptr (VtrIntervalIndex) index = vtr_interval_index_new ();
  VtrRangeSet wanted = { 0 };
  Finder finder = { 0 };

  vtr_interval_index_add (index, 3, 10, 10);
  vtr_interval_index_complete (index);
  g_assert_true (vtr_range_set_add (&wanted, 0, 100));
  g_assert_true (vtr_interval_index_walk (index, 100, &wanted, find, &finder));
  g_assert_cmpuint (finder.n_visited, ==, 0);
  g_assert_cmpuint (wanted.n, ==, 1);
  vtr_range_set_finish (&wanted);
}

/* An item that touches its own place only. */
typedef struct
{
  guint64 rare; /* item that touched the last bytes of the page */
  guint n_visited;
} Page;

#define PAGE 0x7ffc00000000

static gboolean
visit_page (guint64      item,
            VtrRangeSet *wanted,
            gpointer     data)
{
  const guint64 begin = PAGE + (item % 60) * 64;
  Page *page = data;

  page->n_visited++;
  g_assert_true (vtr_range_set_remove (wanted, begin, begin + 64));
  if (item == page->rare)
    g_assert_true (vtr_range_set_remove (wanted, PAGE + 4000, PAGE + 4096));
  return TRUE;
}

/* One page written ten million times: the byte that was written once, at the beginning, is found
   without looking at the others, and the index stays small. */
static void
test_same_page (void)
{
  const guint64 n = g_test_slow () ? 10000000 : 2000000;
  g_autoptr (VtrIntervalIndex) index = vtr_interval_index_new ();
  VtrRangeSet wanted = { 0 };
  Page page = { 777, 0 };

  for (guint64 item = 0; item < n; item++)
    {
      vtr_interval_index_add (index, item, PAGE + (item % 60) * 64, PAGE + (item % 60) * 64 + 64);
      if (item == page.rare)
        vtr_interval_index_add (index, item, PAGE + 4000, PAGE + 4096);
    }
  vtr_interval_index_complete (index);
  g_test_message ("%" G_GSIZE_FORMAT " bytes for %" G_GUINT64_FORMAT " items",
                  vtr_interval_index_get_bytes (index), n);
  g_assert_cmpuint (vtr_interval_index_get_bytes (index), <, n);
  g_assert_true (vtr_range_set_add (&wanted, PAGE + 3800, PAGE + 3840));
  g_assert_true (vtr_range_set_add (&wanted, PAGE + 4000, PAGE + 4096));
  vtr_interval_index_walk (index, n, &wanted, visit_page, &page);
  g_assert_cmpuint (wanted.n, ==, 0);
  g_assert_cmpuint (page.n_visited, <=, 2 * VTR_INTERVAL_BLOCK);
  vtr_range_set_finish (&wanted);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, G_TEST_OPTION_ISOLATE_DIRS, NULL);
  g_test_add_func ("/engine/memory/interval-index/random", test_random);
  g_test_add_func ("/engine/memory/interval-index/empty", test_empty);
  g_test_add_func ("/engine/memory/interval-index/same-page", test_same_page);
  return g_test_run ();
}
