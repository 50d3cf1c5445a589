/* Tests the lock-free map of the layer's objects. */
#include "vtr-layer-map.h"

#include <glib.h>

static void
test_basics (void)
{
  VtrLayerMap map;
  int values[4];

  vtr_layer_map_init (&map);
  g_assert_null (vtr_layer_map_get (&map, 1));
  g_assert_null (vtr_layer_map_take (&map, 1));
  g_assert_true (vtr_layer_map_set (&map, 1, &values[0]));
  g_assert_true (vtr_layer_map_set (&map, UINT64_MAX, &values[1]));
  g_assert_true (vtr_layer_map_get (&map, 1) == &values[0]);
  g_assert_true (vtr_layer_map_get (&map, UINT64_MAX) == &values[1]);
  g_assert_null (vtr_layer_map_get (&map, 0));
  g_assert_null (vtr_layer_map_take (&map, 0));
  /* An API may have objects that are called 0. */
  g_assert_true (vtr_layer_map_set (&map, 0, &values[3]));
  g_assert_true (vtr_layer_map_get (&map, 0) == &values[3]);
  g_assert_true (vtr_layer_map_get (&map, 1) == &values[0]);
  g_assert_true (vtr_layer_map_take (&map, 0) == &values[3]);
  g_assert_null (vtr_layer_map_get (&map, 0));
  g_assert_true (vtr_layer_map_set (&map, 1, &values[2]));
  g_assert_true (vtr_layer_map_take (&map, 1) == &values[2]);
  g_assert_null (vtr_layer_map_get (&map, 1));
  g_assert_null (vtr_layer_map_take (&map, 1));
  g_assert_true (vtr_layer_map_get (&map, UINT64_MAX) == &values[1]);
  vtr_layer_map_finish (&map);
}

/* Against a hash table, over a small range of keys so that they collide and come back. */
static void
test_against_model (void)
{
  VtrLayerMap map;
  g_autoptr (GHashTable) model = g_hash_table_new (NULL, NULL);

  vtr_layer_map_init (&map);
  for (guint i = 0; i < 200000; i++)
    {
      guint key = (guint)g_test_rand_int_range (0, 3000) * 64;
      gpointer value = GUINT_TO_POINTER (i + 1);

      if (g_test_rand_bit ())
        {
          g_assert_true (vtr_layer_map_set (&map, key, value));
          g_hash_table_insert (model, GUINT_TO_POINTER (key), value);
        }
      else
        {
          g_assert_true (vtr_layer_map_take (&map, key) ==
                         g_hash_table_lookup (model, GUINT_TO_POINTER (key)));
          g_hash_table_remove (model, GUINT_TO_POINTER (key));
        }
      key = (guint)g_test_rand_int_range (0, 3000) * 64;
      g_assert_true (vtr_layer_map_get (&map, key) ==
                     g_hash_table_lookup (model, GUINT_TO_POINTER (key)));
    }
  vtr_layer_map_finish (&map);
}

/* New keys again and again, few at a time: the table must not grow with removed keys. */
static void
test_churn (void)
{
  VtrLayerMap map;
  int value;

  vtr_layer_map_init (&map);
  for (guint64 i = 1; i <= 1000000; i++)
    {
      g_assert_true (vtr_layer_map_set (&map, i * 4096, &value));
      if (i > 50)
        g_assert_true (vtr_layer_map_take (&map, (i - 50) * 4096) == &value);
    }
  g_assert_cmpuint (atomic_load (&map.table)->mask, <, 4096);
  vtr_layer_map_finish (&map);
}

#define N_STAYING 50
#define N_PASSING 64

/* Scattered as addresses that are not given out again. */
static guint64
scatter (guint64 n)
{
  n = (n ^ (n >> 30)) * G_GUINT64_CONSTANT (0xbf58476d1ce4e5b9);
  n = (n ^ (n >> 27)) * G_GUINT64_CONSTANT (0x94d049bb133111eb);
  return n ^ (n >> 31);
}

/* New keys again and again beside others that stay: removed keys must not pile up in front of
 * those. */
static void
test_churn_beside (void)
{
  VtrLayerMap map;
  int staying, passing;

  vtr_layer_map_init (&map);
  for (guint64 i = 1; i <= N_STAYING; i++)
    g_assert_true (vtr_layer_map_set (&map, scatter (i), &staying));
  for (guint64 i = 1; i <= 1000000; i++)
    {
      g_assert_true (vtr_layer_map_set (&map, scatter (1000 + i), &passing));
      if (i > N_PASSING)
        g_assert_true (vtr_layer_map_take (&map, scatter (1000 + i - N_PASSING)) == &passing);
      g_assert_true (vtr_layer_map_get (&map, scatter (i % N_STAYING + 1)) == &staying);
    }
  g_assert_cmpuint (atomic_load (&map.table)->mask, <, 512);
  vtr_layer_map_finish (&map);
}

static bool
take_all (uint64_t  key,
          void     *value,
          void     *data)
{
  return true;
}

/* What a sweep takes leaves room as well. */
static void
test_sweep_again (void)
{
  VtrLayerMap map;
  int value;

  vtr_layer_map_init (&map);
  for (guint64 i = 0; i <= 100000; i++)
    {
      g_assert_true (vtr_layer_map_set (&map, scatter (i), &value));
      if (i % 32 == 0)
        vtr_layer_map_sweep (&map, take_all, NULL);
    }
  g_assert_null (vtr_layer_map_get (&map, 0));
  g_assert_cmpuint (atomic_load (&map.table)->mask, <, 256);
  vtr_layer_map_finish (&map);
}

static bool
count_and_take_odd (uint64_t  key,
                    void     *value,
                    void     *data)
{
  (*(guint *)data)++;
  return key % 2 == 1;
}

static void
test_sweep (void)
{
  VtrLayerMap map;
  guint n = 0;
  int value;

  vtr_layer_map_init (&map);
  for (guint i = 1; i <= 1000; i++)
    g_assert_true (vtr_layer_map_set (&map, i, &value));
  vtr_layer_map_sweep (&map, count_and_take_odd, &n);
  g_assert_cmpuint (n, ==, 1000);
  for (guint i = 1; i <= 1000; i++)
    g_assert_true ((vtr_layer_map_get (&map, i) == NULL) == (i % 2 == 1));
  vtr_layer_map_finish (&map);
}

#define N_THREADS 4

static VtrLayerMap shared;

/* Each thread has its own keys, as with handles: no thread looks up a key that another one
 * removes. */
static gpointer
work (gpointer data)
{
  guint64 thread = GPOINTER_TO_UINT (data) + 1;

  for (guint64 round = 0; round < 200; round++)
    {
      for (guint64 i = 1; i <= 100; i++)
        g_assert_true (vtr_layer_map_set (&shared, (round * 100 + i) * 16 + thread,
                                          GSIZE_TO_POINTER (i * 16 + thread)));
      for (guint64 i = 1; i <= 100; i++)
        g_assert_true (vtr_layer_map_get (&shared, (round * 100 + i) * 16 + thread) ==
                       GSIZE_TO_POINTER (i * 16 + thread));
      for (guint64 i = 1; i <= 100; i++)
        if (i % 4 != 0)
          g_assert_true (vtr_layer_map_take (&shared, (round * 100 + i) * 16 + thread) ==
                         GSIZE_TO_POINTER (i * 16 + thread));
    }
  return NULL;
}

static void
test_threads (void)
{
  GThread *threads[N_THREADS];

  vtr_layer_map_init (&shared);
  for (guint i = 0; i < N_THREADS; i++)
    threads[i] = g_thread_new ("map", work, GUINT_TO_POINTER (i));
  for (guint i = 0; i < N_THREADS; i++)
    g_thread_join (threads[i]);
  for (guint64 thread = 1; thread <= N_THREADS; thread++)
    for (guint64 key = 1; key <= 20000; key++)
      g_assert_true ((vtr_layer_map_get (&shared, key * 16 + thread) != NULL) == (key % 4 == 0));
  vtr_layer_map_finish (&shared);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/layer/map/basics", test_basics);
  g_test_add_func ("/layer/map/against-model", test_against_model);
  g_test_add_func ("/layer/map/churn", test_churn);
  g_test_add_func ("/layer/map/churn-beside", test_churn_beside);
  g_test_add_func ("/layer/map/sweep", test_sweep);
  g_test_add_func ("/layer/map/sweep-again", test_sweep_again);
  g_test_add_func ("/layer/map/threads", test_threads);
  return g_test_run ();
}
