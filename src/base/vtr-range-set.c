/* Sorted sets of half-open ranges of numbers: adding, subtracting, searching and finding free
 * room. */
#include "base/vtr-range-set.h"

#include "base/vtr-grow.h"

#include <stdlib.h>
#include <string.h>

void
vtr_range_set_finish (VtrRangeSet *self)
{
  free (self->ranges);
  *self = (VtrRangeSet){ 0 };
}

/* ---- Changing ---- */

static bool
set_reserve (VtrRangeSet *self,
             size_t       n)
{
  VtrRange *ranges = vtr_grow (self->ranges, &self->n_allocated, n, sizeof *ranges);

  if (n > 0 && ranges == NULL)
    return false;
  self->ranges = ranges;
  return true;
}

bool
vtr_range_set_copy (VtrRangeSet       *self,
                    const VtrRangeSet *other)
{
  if (!set_reserve (self, other->n))
    return false;
  if (other->n > 0)
    memcpy (self->ranges, other->ranges, other->n * sizeof *other->ranges);
  self->n = other->n;
  return true;
}

/* Puts the @n ranges of @with, at most one more, in place of ranges [@from, @to). */
static bool
set_replace (VtrRangeSet    *self,
             size_t          from,
             size_t          to,
             const VtrRange *with,
             size_t          n)
{
  if (n > to - from && !set_reserve (self, self->n + 1))
    return false;
  memmove (self->ranges + from + n, self->ranges + to, (self->n - to) * sizeof *self->ranges);
  if (n > 0)
    memcpy (self->ranges + from, with, n * sizeof *with);
  self->n = self->n - (to - from) + n;
  return true;
}

bool
vtr_range_set_add (VtrRangeSet *self,
                   uint64_t     begin,
                   uint64_t     end)
{
  /* Ranges that only touch are joined, too. */
  size_t from = begin > 0 ? vtr_range_set_find (self, begin - 1) : 0;
  size_t to = from;
  VtrRange all = { begin, end };

  if (begin >= end)
    return true;
  for (; to < self->n && self->ranges[to].begin <= end; to++)
    {
      all.begin = self->ranges[to].begin < all.begin ? self->ranges[to].begin : all.begin;
      all.end = self->ranges[to].end > all.end ? self->ranges[to].end : all.end;
    }
  return set_replace (self, from, to, &all, 1);
}

bool
vtr_range_set_remove (VtrRangeSet *self,
                      uint64_t     begin,
                      uint64_t     end)
{
  size_t from = vtr_range_set_find (self, begin);
  size_t to = from;
  VtrRange rest[2];
  size_t n = 0;

  if (begin >= end)
    return true;
  while (to < self->n && self->ranges[to].begin < end)
    to++;
  if (from == to)
    return true;
  if (self->ranges[from].begin < begin)
    rest[n++] = (VtrRange){ self->ranges[from].begin, begin };
  if (self->ranges[to - 1].end > end)
    rest[n++] = (VtrRange){ end, self->ranges[to - 1].end };
  return set_replace (self, from, to, rest, n);
}

bool
vtr_range_set_subtract (VtrRangeSet       *self,
                        const VtrRangeSet *other)
{
  VtrRangeSet left = { 0 };
  size_t at = 0;

  if (self->n == 0 || other->n == 0)
    return true;
  /* Each range of @other adds at most one range. */
  if (!set_reserve (&left, self->n + other->n))
    return false;
  for (size_t i = 0; i < self->n; i++)
    {
      uint64_t begin = self->ranges[i].begin;
      const uint64_t end = self->ranges[i].end;

      while (at < other->n && other->ranges[at].end <= begin)
        at++;
      for (size_t k = at; k < other->n && other->ranges[k].begin < end; k++)
        {
          if (begin < other->ranges[k].begin)
            left.ranges[left.n++] = (VtrRange){ begin, other->ranges[k].begin };
          begin = other->ranges[k].end;
        }
      if (begin < end)
        left.ranges[left.n++] = (VtrRange){ begin, end };
    }
  free (self->ranges);
  *self = left;
  return true;
}

/* ---- Many ranges in any order ---- */

bool
vtr_range_set_append (VtrRangeSet *self,
                      uint64_t     begin,
                      uint64_t     end)
{
  if (begin >= end)
    return true;
  if (!set_reserve (self, self->n + 1))
    return false;
  self->ranges[self->n++] = (VtrRange){ begin, end };
  return true;
}

void
vtr_range_set_join (VtrRangeSet *self)
{
  self->n = vtr_ranges_join (self->ranges, self->n);
}

static int
compare_ranges (const void *a,
                const void *b)
{
  const VtrRange *left = a, *right = b;

  return left->begin < right->begin ? -1 : left->begin > right->begin;
}

size_t
vtr_ranges_join (VtrRange *ranges,
                 size_t    n)
{
  size_t ordered = 1, n_joined = 0;

  while (ordered < n && ranges[ordered - 1].begin <= ranges[ordered].begin)
    ordered++;
  if (ordered < n)
    qsort (ranges, n, sizeof *ranges, compare_ranges);
  for (size_t i = 0; i < n; i++)
    if (ranges[i].begin >= ranges[i].end)
      continue;
    else if (n_joined == 0 || ranges[i].begin > ranges[n_joined - 1].end)
      ranges[n_joined++] = ranges[i];
    else if (ranges[i].end > ranges[n_joined - 1].end)
      ranges[n_joined - 1].end = ranges[i].end;
  return n_joined;
}

/* ---- Questions ---- */

size_t
vtr_range_set_find (const VtrRangeSet *self,
                    uint64_t           at)
{
  size_t low = 0, high = self->n;

  while (low < high)
    {
      size_t middle = low + (high - low) / 2;

      if (self->ranges[middle].end > at)
        high = middle;
      else
        low = middle + 1;
    }
  return low;
}

bool
vtr_range_set_contains (const VtrRangeSet *self,
                        uint64_t           begin,
                        uint64_t           end)
{
  size_t at = vtr_range_set_find (self, begin);

  return begin >= end ||
         (at < self->n && self->ranges[at].begin <= begin && self->ranges[at].end >= end);
}

bool
vtr_range_set_overlaps (const VtrRangeSet *self,
                        uint64_t           begin,
                        uint64_t           end)
{
  size_t at = vtr_range_set_find (self, begin);

  return begin < end && at < self->n && self->ranges[at].begin < end;
}

bool
vtr_range_set_intersects (const VtrRangeSet *self,
                          const VtrRangeSet *other)
{
  for (size_t i = 0, k = 0; i < self->n && k < other->n;)
    if (self->ranges[i].end <= other->ranges[k].begin)
      i++;
    else if (other->ranges[k].end <= self->ranges[i].begin)
      k++;
    else
      return true;
  return false;
}

bool
vtr_range_set_next_part (const VtrRangeSet *self,
                         uint64_t          *begin,
                         uint64_t           end,
                         uint64_t          *stop)
{
  size_t at = vtr_range_set_find (self, *begin);

  if (at == self->n)
    return false;
  if (self->ranges[at].begin > *begin)
    *begin = self->ranges[at].begin;
  *stop = self->ranges[at].end < end ? self->ranges[at].end : end;
  return *begin < end;
}

bool
vtr_range_set_next_gap (const VtrRangeSet *self,
                        uint64_t          *begin,
                        uint64_t           end,
                        uint64_t          *stop)
{
  size_t at = vtr_range_set_find (self, *begin);

  if (at < self->n && self->ranges[at].begin <= *begin)
    *begin = self->ranges[at++].end;
  *stop = at < self->n && self->ranges[at].begin < end ? self->ranges[at].begin : end;
  return *begin < end;
}

/* The lowest number from @at on with that residue. Returns: false on overflow. */
static bool
align (uint64_t  at,
       uint64_t  alignment,
       uint64_t  residue,
       uint64_t *aligned)
{
  uint64_t step = (residue + alignment - at % alignment) % alignment;

  return !__builtin_add_overflow (at, step, aligned);
}

bool
vtr_range_set_find_room (const VtrRangeSet *self,
                         uint64_t           size,
                         uint64_t           alignment,
                         uint64_t           residue,
                         uint64_t           limit,
                         uint64_t          *at)
{
  uint64_t place = 0, end;

  if (alignment == 0)
    alignment = 1;
  residue %= alignment;
  for (size_t i = 0; i <= self->n; i++)
    {
      uint64_t free_until = i < self->n ? self->ranges[i].begin : limit;

      if (!align (place, alignment, residue, at) || __builtin_add_overflow (*at, size, &end))
        return false;
      if (end <= (free_until < limit ? free_until : limit))
        return true;
      if (i < self->n)
        place = self->ranges[i].end;
    }
  return false;
}
