/* Tests the replayer's cache of resources: lookup, eviction of the least recently used, and many
 * resources at once. */
#include "vtr-resource-cache.h"

#include <glib.h>
#include <string.h>

static VtrReplayBulk
make_bulk (const void *bytes,
           gsize       size)
{
  VtrReplayBulk bulk;

  g_assert_cmpint (vtr_replay_bulk_create (&bulk, "test", MAX (size, 1)), ==, VTR_OK);
  memcpy (bulk.bytes, bytes, size);
  return bulk;
}

static void
add (VtrResourceCache *cache,
     guint64           key,
     gsize             size)
{
  g_autofree guint8 *bytes = g_malloc (size);
  const VtrResourcePiece piece = { { key, ~key }, 0, size };
  VtrReplayBulk bulk;

  memset (bytes, (int)key, size);
  bulk = make_bulk (bytes, size);
  g_assert_cmpint (vtr_resource_cache_add (cache, &bulk, &piece, 1), ==, VTR_OK);
}

static const guint8 *
get (VtrResourceCache *cache,
     guint64           key,
     gsize             size)
{
  const guint64 hash[2] = { key, ~key };

  return vtr_resource_cache_get (cache, hash, size);
}

static void
test_lru (void)
{
  VtrResourceCache cache;

  vtr_resource_cache_init (&cache, 1000);
  for (guint i = 1; i <= 10; i++)
    add (&cache, i, 100);
  g_assert_cmpuint (cache.bytes, ==, 1000);
  g_assert_cmpuint (get (&cache, 1, 100)[99], ==, 1); /* now the newest */
  add (&cache, 11, 100);
  g_assert_nonnull (get (&cache, 1, 100));
  g_assert_null (get (&cache, 2, 100));
  g_assert_null (get (&cache, 1, 99)); /* the size is part of the key */
  add (&cache, 12, 5000);              /* larger than all: stays alone */
  g_assert_cmpuint (get (&cache, 12, 5000)[4999], ==, 12);
  g_assert_cmpuint (cache.n_resources, ==, 1);
  add (&cache, 13, 10);
  g_assert_null (get (&cache, 12, 5000));
  g_assert_nonnull (get (&cache, 13, 10));
  vtr_resource_cache_finish (&cache);
}

static void
test_many (void)
{
  VtrResourceCache cache;

  vtr_resource_cache_init (&cache, 100000);
  for (guint i = 1; i <= 2000; i++)
    add (&cache, i * 0x100000000ull, 16); /* all in one bucket */
  for (guint i = 1; i <= 2000; i++)
    g_assert_nonnull (get (&cache, i * 0x100000000ull, 16));
  vtr_resource_cache_finish (&cache);
}

static void
test_batch (void)
{
  const VtrResourcePiece pieces[] = { { { 1, 1 }, 0, 5 },
                                      { { 2, 2 }, 16, 5 },
                                      { { 1, 1 }, 16, 5 } };
  const VtrResourcePiece outside[] = { { { 3, 3 }, 20, 2 } };
  const VtrResourcePiece overflow[] = { { { 4, 4 }, 8, G_MAXUINT64 - 4 } };
  const guint64 first[2] = { 1, 1 };
  VtrResourceCache cache;
  VtrReplayBulk bulk = make_bulk ("first\0\0\0\0\0\0\0\0\0\0\0other", 21);

  vtr_resource_cache_init (&cache, 1000);
  g_assert_cmpint (vtr_resource_cache_add (&cache, &bulk, pieces, 3), ==, VTR_OK);
  g_assert_cmpint (bulk.fd, ==, -1);
  /* Of two alike one is kept; both pieces live in one mapping. */
  g_assert_cmpuint (cache.n_resources, ==, 2);
  g_assert_cmpmem (vtr_resource_cache_get (&cache, first, 5), 5, "other", 5);
  bulk = make_bulk ("0123456789012345678901", 21);
  g_assert_cmpint (vtr_resource_cache_add (&cache, &bulk, outside, 1), ==, VTR_CORRUPT);
  bulk = make_bulk ("0123456789012345678901", 21);
  g_assert_cmpint (vtr_resource_cache_add (&cache, &bulk, overflow, 1), ==, VTR_CORRUPT);
  g_assert_cmpuint (cache.n_resources, ==, 2);
  vtr_resource_cache_finish (&cache);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/replayer/resource-cache/lru", test_lru);
  g_test_add_func ("/replayer/resource-cache/many", test_many);
  g_test_add_func ("/replayer/resource-cache/batch", test_batch);
  return g_test_run ();
}
