/* Chooses which versions of a command buffer to record when its runs copy different query
 * results. */
#include "engine/vulkan/transforms/vtr-query-variants.h"

struct _VtrQueryVariants
{
  GHashTable *recordings; /* number → GPtrArray of GArray of VtrQueryChange */
  GHashTable *runs;       /* number → variant of its recording */
};

static void
ptr_array_unref (gpointer data)
{
  g_ptr_array_unref (data);
}

/* Gives @copy what all runs have in common beside its own earlier results. Returns: whether a run
 * without a variant would copy something else. */
static gboolean
complete_earlier (VtrQueryCopy       *copy,
                  const VtrQueryCopy *common)
{
  gboolean unlike = FALSE;

  for (guint32 i = 0; common != NULL && i < copy->n && i < common->n; i++)
    {
      unlike = unlike || (copy->values[i] != NULL && common->values[i] == NULL);
      if (copy->values[i] == NULL)
        copy->values[i] = common->values[i];
    }
  return unlike;
}

static GArray *
use_changes (GHashTable *changes,
             guint32     run)
{
  GArray *list = g_hash_table_lookup (changes, GUINT_TO_POINTER (run));

  if (list == NULL)
    {
      list = g_array_new (FALSE, TRUE, sizeof (VtrQueryChange));
      g_hash_table_insert (changes, GUINT_TO_POINTER (run), list);
    }
  return list;
}

static gboolean
are_same_changes (const GArray *a,
                  const GArray *b)
{
  if (a->len != b->len)
    return FALSE;
  for (guint i = 0; i < a->len; i++)
    {
      const VtrQueryChange *x = &g_array_index (a, VtrQueryChange, i);
      const VtrQueryChange *y = &g_array_index (b, VtrQueryChange, i);

      if (x->index != y->index || x->position != y->position || x->variant != y->variant ||
          x->copy != y->copy)
        return FALSE;
    }
  return TRUE;
}

/* The variant of @recording with @changes (transfer full). */
static guint32
use_variant (VtrQueryVariants *self,
             guint32           recording,
             GArray           *changes)
{
  GPtrArray *variants = g_hash_table_lookup (self->recordings, GUINT_TO_POINTER (recording));

  if (variants == NULL)
    {
      variants = g_ptr_array_new_with_free_func ((GDestroyNotify)g_array_unref);
      g_hash_table_insert (self->recordings, GUINT_TO_POINTER (recording), variants);
    }
  for (guint i = 0; i < variants->len; i++)
    if (are_same_changes (g_ptr_array_index (variants, i), changes))
      {
        g_array_unref (changes);
        return i + 1;
      }
  g_ptr_array_add (variants, changes);
  return variants->len;
}

/* Chooses the variant of the run @number, of which @changes tells, and notes it in the changes of
 * the run that executes it. */
static void
choose_variant (VtrQueryVariants *self,
                VtrTimeline      *timeline,
                guint32           number,
                GHashTable       *changes)
{
  const VtrRun *run = vtr_timeline_get_run (timeline, number);
  VtrQueryChange change = { run->executed_by, run->position, 0, NULL };

  change.variant = use_variant (
    self, run->recording, g_array_ref (g_hash_table_lookup (changes, GUINT_TO_POINTER (number))));
  g_hash_table_insert (self->runs, GUINT_TO_POINTER (number), GUINT_TO_POINTER (change.variant));
  if (run->parent != VTR_NO_RUN)
    g_array_append_val (use_changes (changes, run->parent), change);
}

static gint
compare_runs (gconstpointer a,
              gconstpointer b)
{
  guint32 x = *(const guint32 *)a, y = *(const guint32 *)b;

  return x < y ? -1 : x > y;
}

/* The runs in @changes, of secondaries or of primaries, in their order. */
static GArray *
list_runs (VtrTimeline *timeline,
           GHashTable  *changes,
           gboolean     secondaries)
{
  GArray *list = g_array_new (FALSE, FALSE, sizeof (guint32));
  GHashTableIter iter;
  gpointer key;

  g_hash_table_iter_init (&iter, changes);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    {
      guint32 number = GPOINTER_TO_UINT (key);
      const VtrRun *run = vtr_timeline_get_run (timeline, number);

      if ((run->parent != VTR_NO_RUN) == secondaries)
        g_array_append_val (list, number);
    }
  g_array_sort (list, compare_runs);
  return list;
}

static void
choose_variants (VtrQueryVariants *self,
                 VtrTimeline      *timeline,
                 GHashTable       *changes,
                 gboolean          secondaries)
{
  g_autoptr (GArray) runs = list_runs (timeline, changes, secondaries);

  for (guint i = 0; i < runs->len; i++)
    choose_variant (self, timeline, g_array_index (runs, guint32, i), changes);
}

VtrQueryVariants *
vtr_query_variants_new (VtrTimeline *timeline,
                        GArray      *earlier,
                        GHashTable  *copies)
{
  g_autoptr (GHashTable) changes =
    g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify)g_array_unref);
  VtrQueryVariants *self = g_new0 (VtrQueryVariants, 1);

  self->recordings = g_hash_table_new_full (NULL, NULL, NULL, ptr_array_unref);
  self->runs = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < earlier->len; i++)
    {
      const VtrQueryRunCopy *run = &g_array_index (earlier, VtrQueryRunCopy, i);
      const VtrQueryChange change = { run->index, 0, 0, run->copy };

      if (complete_earlier (run->copy, g_hash_table_lookup (copies, &run->index)))
        g_array_append_val (use_changes (changes, run->run), change);
    }
  choose_variants (self, timeline, changes, TRUE);
  choose_variants (self, timeline, changes, FALSE);
  return self;
}

void
vtr_query_variants_free (VtrQueryVariants *self)
{
  if (self == NULL)
    return;
  g_hash_table_unref (self->recordings);
  g_hash_table_unref (self->runs);
  g_free (self);
}

guint32
vtr_query_variants_get (const VtrQueryVariants *self,
                        guint32                 run)
{
  return self != NULL ? GPOINTER_TO_UINT (g_hash_table_lookup (self->runs, GUINT_TO_POINTER (run)))
                      : 0;
}

guint32
vtr_query_variants_count (const VtrQueryVariants *self,
                          guint32                 recording)
{
  const GPtrArray *variants =
    self != NULL ? g_hash_table_lookup (self->recordings, GUINT_TO_POINTER (recording)) : NULL;

  return variants != NULL ? variants->len : 0;
}

const VtrQueryChange *
vtr_query_variants_find (const VtrQueryVariants *self,
                         guint32                 recording,
                         guint32                 variant,
                         guint64                 index,
                         guint32                 position)
{
  const GArray *changes;

  if (variant == 0 || variant > vtr_query_variants_count (self, recording))
    return NULL;
  changes = g_ptr_array_index (
    (GPtrArray *)g_hash_table_lookup (self->recordings, GUINT_TO_POINTER (recording)),
    variant - 1);
  for (guint i = 0; i < changes->len; i++)
    {
      const VtrQueryChange *change = &g_array_index (changes, VtrQueryChange, i);

      if (change->index == index && change->position == position)
        return change;
    }
  return NULL;
}
