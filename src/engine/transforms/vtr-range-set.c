#include "engine/transforms/vtr-range-set.h"

void
vtr_range_set_finish (VtrRangeSet *self)
{
  g_clear_pointer (&self->ranges, g_array_unref);
}

/* Index of the first range that ends after @at. */
static guint
find (const VtrRangeSet *self,
      guint64            at)
{
  guint low = 0;
  guint high = self->ranges != NULL ? self->ranges->len : 0;

  while (low < high)
    {
      guint middle = (low + high) / 2;

      if (g_array_index (self->ranges, VtrRange, middle).end > at)
        high = middle;
      else
        low = middle + 1;
    }
  return low;
}

void
vtr_range_set_add (VtrRangeSet *self,
                   guint64      begin,
                   guint64      end)
{
  VtrRange range = { begin, end };
  guint first;
  guint n = 0;

  if (begin >= end)
    return;
  if (self->ranges == NULL)
    self->ranges = g_array_new (FALSE, FALSE, sizeof (VtrRange));
  first = find (self, begin > 0 ? begin - 1 : 0);
  while (first + n < self->ranges->len &&
         g_array_index (self->ranges, VtrRange, first + n).begin <= end)
    {
      range.begin = MIN (range.begin, g_array_index (self->ranges, VtrRange, first + n).begin);
      range.end = MAX (range.end, g_array_index (self->ranges, VtrRange, first + n).end);
      n++;
    }
  if (n > 0)
    g_array_remove_range (self->ranges, first, n);
  g_array_insert_val (self->ranges, first, range);
}

void
vtr_range_set_remove (VtrRangeSet *self,
                      guint64      begin,
                      guint64      end)
{
  guint at = find (self, begin);

  while (begin < end && self->ranges != NULL && at < self->ranges->len)
    {
      VtrRange range = g_array_index (self->ranges, VtrRange, at);
      const VtrRange left = { range.begin, MIN (range.end, begin) };
      const VtrRange right = { MAX (range.begin, end), range.end };

      if (range.begin >= end)
        return;
      g_array_remove_index (self->ranges, at);
      if (left.begin < left.end)
        g_array_insert_val (self->ranges, at++, left);
      if (right.begin < right.end)
        g_array_insert_val (self->ranges, at++, right);
    }
}

gboolean
vtr_range_set_next_gap (const VtrRangeSet *self,
                        guint64           *begin,
                        guint64            end,
                        guint64           *stop)
{
  for (guint at = find (self, *begin); self->ranges != NULL && at < self->ranges->len; at++)
    {
      const VtrRange *range = &g_array_index (self->ranges, VtrRange, at);

      if (range->begin > *begin)
        {
          *stop = MIN (range->begin, end);
          return *begin < end;
        }
      *begin = range->end;
    }
  *stop = end;
  return *begin < end;
}
