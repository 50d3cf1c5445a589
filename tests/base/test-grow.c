/* Tests arrays that grow. */
#include "base/vtr-grow.h"

#include <glib.h>

static void
test_one_by_one (void)
{
  guint64 *items = NULL;
  gsize n_allocated = 0;
  guint n_moves = 0;

  for (gsize n = 0; n < 100000; n++)
    {
      const gsize before = n_allocated;
      guint64 *grown = vtr_grow (items, &n_allocated, n + 1, sizeof *grown);

      g_assert_nonnull (grown);
      g_assert_cmpuint (n_allocated, >, n);
      n_moves += n_allocated != before;
      items = grown;
      items[n] = n * 3;
    }
  for (gsize n = 0; n < 100000; n++)
    g_assert_cmpuint (items[n], ==, n * 3);
  g_assert_cmpuint (n_moves, <, 20);
  free (items);
}

static void
test_many_at_once (void)
{
  gsize n_allocated = 0;
  char *items = vtr_grow (NULL, &n_allocated, 1000, 1);

  g_assert_nonnull (items);
  g_assert_cmpuint (n_allocated, >=, 1000);
  items = vtr_grow (items, &n_allocated, 5000, 1);
  g_assert_cmpuint (n_allocated, >=, 5000);
  items[4999] = 1;
  free (items);
}

/* Sizes come from files, too. */
static void
test_too_many (void)
{
  gsize n_allocated = 0;
  guint64 *items = vtr_grow (NULL, &n_allocated, 1, sizeof *items);
  const gsize had = n_allocated;

  items[0] = 42;
  g_assert_null (vtr_grow (items, &n_allocated, G_MAXSIZE / sizeof *items + 1, sizeof *items));
  g_assert_null (vtr_grow (items, &n_allocated, G_MAXSIZE, sizeof *items));
  g_assert_cmpuint (n_allocated, ==, had);
  g_assert_cmpuint (items[0], ==, 42);
  free (items);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/base/grow/one-by-one", test_one_by_one);
  g_test_add_func ("/base/grow/many-at-once", test_many_at_once);
  g_test_add_func ("/base/grow/too-many", test_too_many);
  return g_test_run ();
}
