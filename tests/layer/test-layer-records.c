/* Tests the records of an object, by key. */
#include "vtr-layer-records.h"

#include <glib.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static guint n_freed;

static void
free_record (VtrLayerRecord *record)
{
  n_freed++;
  g_free (record);
}

static VtrLayerRecord *
new_record (guint64 key,
            guint64 order)
{
  VtrLayerRecord *record = g_new0 (VtrLayerRecord, 1);

  record->key = key;
  record->order = order;
  return record;
}

/* Walks all of @records. */
static void
check (const VtrLayerRecords *records,
       GHashTable            *model)
{
  guint n = 0;

  for (VtrLayerRecord *each = vtr_layer_records_next (records, NULL); each != NULL;
       each = vtr_layer_records_next (records, each))
    {
      g_assert_true (g_hash_table_lookup (model, GSIZE_TO_POINTER (each->key)) == each);
      n++;
    }
  g_assert_cmpuint (n, ==, g_hash_table_size (model));
  g_assert_cmpuint (records->n, ==, n);
}

/* Against a hash table; keys as of entries, and few enough that they come back. */
static void
test_against_model (void)
{
  const guint64 bases[] = { 1, G_GUINT64_CONSTANT (1) << 31, G_GUINT64_CONSTANT (16) << 32 };

  for (guint n_keys = 1; n_keys <= 5000; n_keys *= 5)
    {
      g_autoptr (GHashTable) model = g_hash_table_new (NULL, NULL);
      VtrLayerRecords records = { 0 };

      g_assert_null (vtr_layer_records_next (&records, NULL));
      g_assert_null (vtr_layer_records_take (&records, 1));
      for (guint i = 0; i < 20000; i++)
        {
          guint64 key =
            bases[g_test_rand_int_range (0, 3)] + (guint64)g_test_rand_int_range (0, (gint)n_keys);
          VtrLayerRecord *known = g_hash_table_lookup (model, GSIZE_TO_POINTER (key));

          if (g_test_rand_int_range (0, 3) > 0)
            {
              VtrLayerRecord *record = new_record (key, i);

              g_assert_true (vtr_layer_records_put (&records, record) == known);
              g_hash_table_insert (model, GSIZE_TO_POINTER (key), record);
            }
          else
            {
              g_assert_true (vtr_layer_records_take (&records, key) == known);
              g_hash_table_remove (model, GSIZE_TO_POINTER (key));
            }
          g_free (known);
          if (i % 1000 == 0)
            check (&records, model);
        }
      check (&records, model);
      n_freed = 0;
      vtr_layer_records_clear (&records, free_record);
      g_assert_cmpuint (n_freed, ==, g_hash_table_size (model));
      g_assert_null (vtr_layer_records_next (&records, NULL));
    }
}

/* ---- How many records a replacement looks at ---- */

#define N_ENTRIES 4096u

static guint8 *pages;
static gsize page_size;
static volatile sig_atomic_t n_touched;

/* Opens the page of a record that is looked at, and counts it. */
static void
touched (int        number,
         siginfo_t *info,
         void      *context)
{
  guintptr at = (guintptr)info->si_addr & ~(page_size - 1);

  if (at < (guintptr)pages || at >= (guintptr)pages + 2 * N_ENTRIES * page_size ||
      mprotect ((gpointer)at, page_size, PROT_READ | PROT_WRITE) != 0)
    _exit (1);
  n_touched++;
}

static VtrLayerRecord *
get_record (guint i)
{
  return (VtrLayerRecord *)(gpointer)(pages + i * page_size);
}

static void
test_replacement_looks_at_few (void)
{
  struct sigaction action = { .sa_sigaction = touched, .sa_flags = SA_SIGINFO }, before;
  VtrLayerRecords records = { 0 };
  guint n_most = 0;

  page_size = (gsize)sysconf (_SC_PAGESIZE);
  pages = mmap (NULL, 2 * N_ENTRIES * page_size, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  g_assert_true (pages != MAP_FAILED);
  for (guint i = 0; i < 2 * N_ENTRIES; i++)
    get_record (i)->key = (1u << 31) | i % N_ENTRIES;
  for (guint i = 0; i < N_ENTRIES; i++)
    g_assert_null (vtr_layer_records_put (&records, get_record (i)));

  g_assert_no_errno (sigaction (SIGSEGV, &action, &before));
  for (guint i = 0; i < N_ENTRIES; i += 64)
    {
      VtrLayerRecord *newer = get_record (N_ENTRIES + i);

      g_assert_no_errno (mprotect (pages, 2 * N_ENTRIES * page_size, PROT_NONE));
      n_touched = 0;
      g_assert_true (vtr_layer_records_put (&records, newer) == get_record (i));
      n_most = MAX (n_most, (guint)n_touched);
    }
  g_assert_no_errno (sigaction (SIGSEGV, &before, NULL));
  g_test_message ("at most %u of %u records", n_most, N_ENTRIES);
  g_assert_cmpuint (n_most, <=, 32);

  g_assert_no_errno (mprotect (pages, 2 * N_ENTRIES * page_size, PROT_READ | PROT_WRITE));
  while (vtr_layer_records_next (&records, NULL) != NULL)
    vtr_layer_records_take (&records, vtr_layer_records_next (&records, NULL)->key);
  vtr_layer_records_clear (&records, free_record);
  munmap (pages, 2 * N_ENTRIES * page_size);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, G_TEST_OPTION_ISOLATE_DIRS, NULL);
  g_test_add_func ("/layer/records/against-model", test_against_model);
  g_test_add_func ("/layer/records/replacement-looks-at-few", test_replacement_looks_at_few);
  return g_test_run ();
}
