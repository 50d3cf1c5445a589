/* Spans against a table with one byte for every byte. */
#include "base/vtr-range-set.h"

#include <glib.h>
#include <string.h>

#define N 400

static gboolean
is_free (const guint8 *bytes,
         guint         from,
         guint         n)
{
  for (guint i = from; i < from + n; i++)
    if (i >= N || bytes[i] != 0)
      return FALSE;
  return TRUE;
}

static void
check_same (const VtrSpans *spans,
            const guint8   *bytes)
{
  for (guint i = 0; i < N; i++)
    {
      gsize at = vtr_spans_find (spans, i);
      gboolean in = at < spans->n && spans->spans[at].begin <= i;

      g_assert_cmpint (in, ==, bytes[i]);
    }
  for (gsize i = 1; i < spans->n; i++)
    g_assert_cmpuint (spans->spans[i - 1].end, <, spans->spans[i].begin);
}

static void
check_gap (const VtrSpans *spans,
           const guint8   *bytes)
{
  guint size = (guint)g_test_rand_int_range (1, 40);
  guint alignment = (guint)g_test_rand_int_range (1, 32);
  guint residue = (guint)g_test_rand_int_range (0, 64);
  guint expected = residue % alignment;
  guint64 at;

  while (expected + size <= N && !is_free (bytes, expected, size))
    expected += alignment;
  if (expected + size > N)
    g_assert_false (vtr_spans_find_gap (spans, size, alignment, residue, N, &at));
  else
    {
      g_assert_true (vtr_spans_find_gap (spans, size, alignment, residue, N, &at));
      g_assert_cmpuint (at, ==, expected);
    }
}

static void
test_random (void)
{
  VtrSpans spans = { 0 };
  guint8 bytes[N] = { 0 };

  for (guint round = 0; round < 5000; round++)
    {
      guint begin = (guint)g_test_rand_int_range (0, N);
      guint length = (guint)g_test_rand_int_range (0, 50);
      guint end = MIN (N, begin + length);
      gboolean add = g_test_rand_bit () != 0;

      if (add)
        g_assert_true (vtr_spans_add (&spans, begin, end));
      else
        g_assert_true (vtr_spans_remove (&spans, begin, end));
      memset (bytes + begin, add, end - begin);
      if (round % 16 == 0)
        check_same (&spans, bytes);
      check_gap (&spans, bytes);
    }
  vtr_spans_finish (&spans);
}

static void
test_edges (void)
{
  VtrSpans spans = { 0 };
  guint64 at;

  g_assert_true (vtr_spans_find_gap (&spans, 10, 0, 0, 10, &at));
  g_assert_cmpuint (at, ==, 0);
  g_assert_false (vtr_spans_find_gap (&spans, 11, 1, 0, 10, &at));
  g_assert_true (vtr_spans_add (&spans, 0, G_MAXUINT64 - 4));
  g_assert_false (vtr_spans_find_gap (&spans, 16, 64, 0, G_MAXUINT64, &at));
  g_assert_true (vtr_spans_add (&spans, 7, 7));
  g_assert_cmpuint (spans.n, ==, 1);
  vtr_spans_finish (&spans);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/base/range-set/edges", test_edges);
  g_test_add_func ("/base/range-set/random", test_random);
  return g_test_run ();
}
