/* Tests sets of ranges against a table with one byte for every number. */
#include "base/vtr-range-set.h"

#include <glib.h>
#include <string.h>

#define N 400

/* Whether all of [@from, @from + @n) is @value. */
static gboolean
is_all (const guint8 *bytes,
        guint         from,
        guint         n,
        guint8        value)
{
  for (guint i = from; i < from + n; i++)
    if (i >= N || bytes[i] != value)
      return FALSE;
  return TRUE;
}

static void
check_same (const VtrRangeSet *set,
            const guint8      *bytes)
{
  for (guint i = 0; i < N; i++)
    {
      gsize at = vtr_range_set_find (set, i);
      gboolean in = at < set->n && set->ranges[at].begin <= i;

      g_assert_cmpint (in, ==, bytes[i]);
    }
  for (gsize i = 0; i < set->n; i++)
    {
      g_assert_cmpuint (set->ranges[i].begin, <, set->ranges[i].end);
      g_assert_true (i == 0 || set->ranges[i - 1].end < set->ranges[i].begin);
    }
}

static void
check_room (const VtrRangeSet *set,
            const guint8      *bytes)
{
  guint size = (guint)g_test_rand_int_range (1, 40);
  guint alignment = (guint)g_test_rand_int_range (1, 32);
  guint residue = (guint)g_test_rand_int_range (0, 64);
  guint expected = residue % alignment;
  guint64 at;

  while (expected + size <= N && !is_all (bytes, expected, size, 0))
    expected += alignment;
  if (expected + size > N)
    g_assert_false (vtr_range_set_find_room (set, size, alignment, residue, N, &at));
  else
    {
      g_assert_true (vtr_range_set_find_room (set, size, alignment, residue, N, &at));
      g_assert_cmpuint (at, ==, expected);
    }
}

/* Asks for the parts, or the gaps, of a random range. */
static void
check_walk (const VtrRangeSet *set,
            const guint8      *bytes,
            gboolean           gaps)
{
  guint64 begin = (guint)g_test_rand_int_range (0, N), stop;
  guint64 end = (guint)g_test_rand_int_range (0, N);
  guint at = (guint)begin;

  while (gaps ? vtr_range_set_next_gap (set, &begin, end, &stop)
              : vtr_range_set_next_part (set, &begin, end, &stop))
    {
      g_assert_true (at <= begin && begin < stop && stop <= end);
      g_assert_true (is_all (bytes, at, (guint)begin - at, gaps));
      g_assert_true (is_all (bytes, (guint)begin, (guint)(stop - begin), !gaps));
      begin = at = (guint)stop;
    }
  while (at < end)
    g_assert_cmpint (bytes[at++], ==, gaps);
}

static void
check_range (const VtrRangeSet *set,
             const guint8      *bytes)
{
  guint begin = (guint)g_test_rand_int_range (0, N);
  guint end = begin + (guint)g_test_rand_int_range (0, 20);

  end = MIN (end, N);
  g_assert_cmpint (vtr_range_set_contains (set, begin, end), ==,
                   is_all (bytes, begin, end - begin, 1));
  g_assert_cmpint (vtr_range_set_overlaps (set, begin, end), ==,
                   !is_all (bytes, begin, end - begin, 0));
}

static void
test_random (void)
{
  VtrRangeSet set = { 0 };
  guint8 bytes[N] = { 0 };

  for (guint round = 0; round < 5000; round++)
    {
      guint begin = (guint)g_test_rand_int_range (0, N);
      guint length = (guint)g_test_rand_int_range (0, 50);
      guint end = MIN (N, begin + length);
      gboolean add = g_test_rand_bit () != 0;

      if (add)
        g_assert_true (vtr_range_set_add (&set, begin, end));
      else
        g_assert_true (vtr_range_set_remove (&set, begin, end));
      memset (bytes + begin, add, end - begin);
      if (round % 16 == 0)
        check_same (&set, bytes);
      check_room (&set, bytes);
      check_walk (&set, bytes, FALSE);
      check_walk (&set, bytes, TRUE);
      check_range (&set, bytes);
    }
  vtr_range_set_finish (&set);
}

/* Fills an empty set with ranges in any order. @bytes: what is in it then. */
static void
fill (VtrRangeSet *set,
      guint8      *bytes)
{
  guint n = (guint)g_test_rand_int_range (0, 20);

  for (guint i = 0; i < n; i++)
    {
      guint begin = (guint)g_test_rand_int_range (0, N);
      guint length = (guint)g_test_rand_int_range (0, 30);
      guint end = MIN (N, begin + length);

      g_assert_true (vtr_range_set_append (set, begin, end));
      memset (bytes + begin, 1, end - begin);
    }
  vtr_range_set_join (set);
}

static void
test_two (void)
{
  for (guint round = 0; round < 2000; round++)
    {
      VtrRangeSet a = { 0 }, b = { 0 }, copy = { 0 };
      guint8 in_a[N] = { 0 }, in_b[N] = { 0 };
      gboolean common = FALSE;

      fill (&a, in_a);
      fill (&b, in_b);
      check_same (&a, in_a);
      for (guint i = 0; i < N; i++)
        common |= in_a[i] & in_b[i];
      g_assert_cmpint (vtr_range_set_intersects (&a, &b), ==, common);
      g_assert_true (vtr_range_set_add (&copy, 3, 7));
      g_assert_true (vtr_range_set_copy (&copy, &a));
      g_assert_true (vtr_range_set_subtract (&a, &b));
      check_same (&copy, in_a);
      for (guint i = 0; i < N; i++)
        in_a[i] &= !in_b[i];
      check_same (&a, in_a);
      check_same (&b, in_b);
      vtr_range_set_finish (&a);
      vtr_range_set_finish (&b);
      vtr_range_set_finish (&copy);
    }
}

static void
test_join (void)
{
  VtrRange ranges[] = { { 7, 9 }, { 20, 20 }, { 0, 2 }, { 2, 3 }, { 8, 30 }, { 10, 12 }, { 1, 2 } };

  g_assert_cmpuint (vtr_ranges_join (NULL, 0), ==, 0);
  g_assert_cmpuint (vtr_ranges_join (ranges, G_N_ELEMENTS (ranges)), ==, 2);
  g_assert_cmpuint (ranges[0].begin, ==, 0);
  g_assert_cmpuint (ranges[0].end, ==, 3);
  g_assert_cmpuint (ranges[1].begin, ==, 7);
  g_assert_cmpuint (ranges[1].end, ==, 30);
}

static void
test_edges (void)
{
  VtrRangeSet set = { 0 }, none = { 0 };
  guint64 at = 0, stop;

  g_assert_true (vtr_range_set_copy (&none, &set));
  g_assert_false (vtr_range_set_next_part (&set, &at, 10, &stop));
  g_assert_true (vtr_range_set_find_room (&set, 10, 0, 0, 10, &at));
  g_assert_cmpuint (at, ==, 0);
  g_assert_false (vtr_range_set_find_room (&set, 11, 1, 0, 10, &at));
  g_assert_true (vtr_range_set_add (&set, 0, G_MAXUINT64 - 4));
  g_assert_false (vtr_range_set_find_room (&set, 16, 64, 0, G_MAXUINT64, &at));
  g_assert_true (vtr_range_set_add (&set, 7, 7));
  g_assert_cmpuint (set.n, ==, 1);
  g_assert_true (vtr_range_set_add (&set, 100, G_MAXUINT64));
  at = 5;
  g_assert_false (vtr_range_set_next_gap (&set, &at, G_MAXUINT64, &stop));
  g_assert_true (vtr_range_set_remove (&set, 0, G_MAXUINT64));
  g_assert_cmpuint (set.n, ==, 0);
  vtr_range_set_finish (&set);
  vtr_range_set_finish (&none);
}

/* More ranges than fit into memory: the set stays unchanged. */
static void
test_no_memory (void)
{
  const VtrRangeSet vast = { .n = SIZE_MAX / 4 };
  VtrRangeSet set = { 0 };

  g_assert_true (vtr_range_set_add (&set, 3, 7));
  g_assert_false (vtr_range_set_copy (&set, &vast));
  g_assert_false (vtr_range_set_subtract (&set, &vast));
  g_assert_cmpuint (set.n, ==, 1);
  g_assert_true (vtr_range_set_contains (&set, 3, 7));
  vtr_range_set_finish (&set);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/base/range-set/edges", test_edges);
  g_test_add_func ("/base/range-set/join", test_join);
  g_test_add_func ("/base/range-set/no-memory", test_no_memory);
  g_test_add_func ("/base/range-set/random", test_random);
  g_test_add_func ("/base/range-set/two", test_two);
  return g_test_run ();
}
