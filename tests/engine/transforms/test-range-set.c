#include "engine/transforms/vtr-range-set.h"

/* Against a bitmap. */
static void
test_random (void)
{
  VtrRangeSet set = { NULL };
  gboolean bits[256] = { FALSE };

  for (guint step = 0; step < 20000; step++)
    {
      guint begin = (guint)g_test_rand_int_range (0, 256);
      guint end = (guint)g_test_rand_int_range (0, 257);
      gboolean on = g_test_rand_bit ();
      guint64 at = 0;
      guint64 stop;
      guint gap = 0;

      if (on)
        vtr_range_set_add (&set, begin, end);
      else
        vtr_range_set_remove (&set, begin, end);
      for (guint i = begin; i < end; i++)
        bits[i] = on;

      while (vtr_range_set_next_gap (&set, &at, 256, &stop))
        {
          while (gap < at)
            g_assert_true (bits[gap++]);
          while (gap < stop)
            g_assert_false (bits[gap++]);
          at = stop;
        }
      while (gap < 256)
        g_assert_true (bits[gap++]);
    }
  vtr_range_set_finish (&set);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/transforms/range-set/random", test_random);
  return g_test_run ();
}
