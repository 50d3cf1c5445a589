/* Lists the bindings that a program's shaders may write to, and shares the list among programs
 * with the same bindings. */
#include "engine/vulkan/memory/vtr-memory-writes.h"

#include "engine/vulkan/shader/vtr-program-resources.h"

#include <string.h>

struct _VtrMemoryWrites
{
  VtrProgramResources *resources;
  GHashTable *by_list; /* GArray of VtrSpirvResource → one of .lists */
  GHashTable *lists;   /* GArray of guint64, ascending: set << 32 | binding */
};

static guint
hash_list (gconstpointer data)
{
  const GArray *list = data;
  guint hash = list->len;

  for (guint i = 0; i < list->len; i++)
    hash = hash * 31 + g_int64_hash (&g_array_index (list, guint64, i));
  return hash;
}

static gboolean
equal_lists (gconstpointer a,
             gconstpointer b)
{
  const GArray *left = a, *right = b;

  return left->len == right->len &&
         (left->len == 0 ||
          memcmp (left->data, right->data, left->len * sizeof (guint64)) == 0);
}

VtrMemoryWrites *
vtr_memory_writes_new (VtrHistory *history)
{
  VtrMemoryWrites *self = g_new0 (VtrMemoryWrites, 1);

  self->resources = vtr_program_resources_new (history);
  self->by_list = g_hash_table_new (NULL, NULL);
  self->lists = g_hash_table_new_full (hash_list, equal_lists, (GDestroyNotify)g_array_unref, NULL);
  return self;
}

void
vtr_memory_writes_free (VtrMemoryWrites *self)
{
  g_hash_table_unref (self->by_list);
  g_hash_table_unref (self->lists);
  vtr_program_resources_free (self->resources);
  g_free (self);
}

static gint
compare_places (gconstpointer a,
                gconstpointer b)
{
  const guint64 *left = a, *right = b;

  return *left < *right ? -1 : *left > *right;
}

static GArray *
list_places (const GArray *resources)
{
  GArray *places = g_array_new (FALSE, FALSE, sizeof (guint64));
  guint n = 0;

  for (guint i = 0; i < resources->len; i++)
    {
      const VtrSpirvResource *resource = &g_array_index (resources, VtrSpirvResource, i);
      const guint64 place = (guint64)resource->set << 32 | resource->binding;

      if (resource->written)
        g_array_append_val (places, place);
    }
  g_array_sort (places, compare_places);
  for (guint i = 0; i < places->len; i++)
    if (n == 0 || g_array_index (places, guint64, n - 1) != g_array_index (places, guint64, i))
      g_array_index (places, guint64, n++) = g_array_index (places, guint64, i);
  g_array_set_size (places, n);
  return places;
}

const GArray *
vtr_memory_writes_get (VtrMemoryWrites  *self,
                       const VtrProgram *program)
{
  GArray *resources = vtr_program_resources_get (self->resources, program);
  g_autoptr (GArray) places = NULL;
  GArray *known;

  if (resources == NULL)
    return NULL;
  known = g_hash_table_lookup (self->by_list, resources);
  if (known != NULL)
    return known;
  places = list_places (resources);
  known = g_hash_table_lookup (self->lists, places);
  if (known == NULL)
    {
      known = g_steal_pointer (&places);
      g_hash_table_add (self->lists, known);
    }
  g_hash_table_insert (self->by_list, resources, known);
  return known;
}

/* Whether there is one from @first to @last. */
static gboolean
has_any (const GArray *list,
         guint64       first,
         guint64       last)
{
  guint low = 0;

  if (list == NULL)
    return TRUE;
  for (guint high = list->len; low < high;)
    {
      guint middle = low + (high - low) / 2;

      if (g_array_index (list, guint64, middle) < first)
        low = middle + 1;
      else
        high = middle;
    }
  return low < list->len && g_array_index (list, guint64, low) <= last;
}

gboolean
vtr_memory_writes_has_set (const GArray *list,
                           guint32       set)
{
  return has_any (list, (guint64)set << 32, (guint64)set << 32 | G_MAXUINT32);
}

gboolean
vtr_memory_writes_has (const GArray *list,
                       guint32       set,
                       guint32       binding)
{
  return has_any (list, (guint64)set << 32 | binding, (guint64)set << 32 | binding);
}

gboolean
vtr_memory_writes_has_pushed (const GArray *list,
                              guint32       set,
                              guint32       binding,
                              guint32       element)
{
  return has_any (list, (guint64)set << 32 | binding,
                  (guint64)set << 32 | (element > 0 ? G_MAXUINT32 : binding));
}
