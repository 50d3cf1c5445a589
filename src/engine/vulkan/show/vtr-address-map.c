/* Finds the newest of many overlapping address ranges that contains an address, in sorted
 * arrays. */
#include "engine/vulkan/show/vtr-address-map.h"

#define NOBODY G_MAXUINT

typedef struct
{
  guint64 begin, end;
  guint value;
} Range;

struct _VtrAddressMap
{
  GArray *ranges; /* Range, in the order they were added */
  GArray *bounds; /* guint64: where a range begins or ends, ascending, each once */
  guint *owners;  /* value between a bound and the next one; NOBODY */
};

VtrAddressMap *
vtr_address_map_new (void)
{
  VtrAddressMap *self = g_new0 (VtrAddressMap, 1);

  self->ranges = g_array_new (FALSE, FALSE, sizeof (Range));
  self->bounds = g_array_new (FALSE, FALSE, sizeof (guint64));
  return self;
}

void
vtr_address_map_free (VtrAddressMap *self)
{
  g_free (self->owners);
  g_array_unref (self->bounds);
  g_array_unref (self->ranges);
  g_free (self);
}

void
vtr_address_map_add (VtrAddressMap *self,
                     guint64        address,
                     guint64        size,
                     guint          value)
{
  const Range range = { address, address + MIN (size, G_MAXUINT64 - address), value };

  g_assert (self->owners == NULL);
  if (range.begin == range.end)
    return;
  g_array_append_val (self->ranges, range);
  g_array_append_val (self->bounds, range.begin);
  g_array_append_val (self->bounds, range.end);
}

static gint
compare (gconstpointer a,
         gconstpointer b)
{
  const guint64 first = *(const guint64 *)a, second = *(const guint64 *)b;

  return first < second ? -1 : first > second;
}

static void
sort_bounds (VtrAddressMap *self)
{
  guint64 *bounds = (guint64 *)(gpointer)self->bounds->data;
  guint n = 0;

  g_array_sort (self->bounds, compare);
  for (guint i = 0; i < self->bounds->len; i++)
    if (n == 0 || bounds[n - 1] != bounds[i])
      bounds[n++] = bounds[i];
  g_array_set_size (self->bounds, n);
}

/* How many bounds are not above @address. */
static guint
count_below (const VtrAddressMap *self,
             guint64              address)
{
  const guint64 *bounds = (const guint64 *)(gconstpointer)self->bounds->data;
  guint low = 0, high = self->bounds->len;

  while (low < high)
    {
      const guint middle = low + (high - low) / 2;

      if (bounds[middle] <= address)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

/* The first free place from @at on. Halves the way there for the next time. */
static guint
find_free (guint *next,
           guint  at)
{
  while (next[at] != at)
    at = next[at] = next[next[at]];
  return at;
}

void
vtr_address_map_complete (VtrAddressMap *self)
{
  g_autofree guint *next = NULL;

  sort_bounds (self);
  next = g_new (guint, self->bounds->len + 1);
  self->owners = g_new (guint, self->bounds->len + 1);
  for (guint i = 0; i <= self->bounds->len; i++)
    {
      next[i] = i;
      self->owners[i] = NOBODY;
    }
  /* The newest range takes its places first; those below it get what is left. */
  for (guint i = self->ranges->len; i > 0; i--)
    {
      const Range *range = &g_array_index (self->ranges, Range, i - 1);
      const guint end = count_below (self, range->end) - 1;

      for (guint at = find_free (next, count_below (self, range->begin) - 1); at < end;
           at = find_free (next, at))
        {
          self->owners[at] = range->value;
          next[at] = at + 1;
        }
    }
  g_array_set_size (self->ranges, 0);
}

gboolean
vtr_address_map_find (const VtrAddressMap *self,
                      guint64              address,
                      guint               *value)
{
  const guint n = count_below (self, address);

  g_assert (self->owners != NULL);
  if (n == 0 || self->owners[n - 1] == NOBODY)
    return FALSE;
  *value = self->owners[n - 1];
  return TRUE;
}
