#include "base/vtr-range-set.h"

#include "base/vtr-grow.h"

#include <stdlib.h>
#include <string.h>

void
vtr_spans_finish (VtrSpans *self)
{
  free (self->spans);
  memset (self, 0, sizeof *self);
}

size_t
vtr_spans_find (const VtrSpans *self,
                uint64_t        at)
{
  size_t low = 0, high = self->n;

  while (low < high)
    {
      size_t middle = low + (high - low) / 2;

      if (self->spans[middle].end > at)
        high = middle;
      else
        low = middle + 1;
    }
  return low;
}

static bool
spans_reserve (VtrSpans *self)
{
  VtrSpan *spans = vtr_grow (self->spans, &self->n_allocated, self->n + 1, sizeof *spans);

  if (spans == NULL)
    return false;
  self->spans = spans;
  return true;
}

/* Replaces spans [from, to) by the @n ones of @with (at most one more). */
static bool
spans_replace (VtrSpans      *self,
               size_t         from,
               size_t         to,
               const VtrSpan *with,
               size_t         n)
{
  if (n > to - from && !spans_reserve (self))
    return false;
  memmove (self->spans + from + n, self->spans + to, (self->n - to) * sizeof *self->spans);
  if (n > 0)
    memcpy (self->spans + from, with, n * sizeof *with);
  self->n = self->n - (to - from) + n;
  return true;
}

bool
vtr_spans_add (VtrSpans *self,
               uint64_t  begin,
               uint64_t  end)
{
  /* Also those that only touch. */
  size_t from = begin > 0 ? vtr_spans_find (self, begin - 1) : 0;
  size_t to = from;
  VtrSpan all = { begin, end };

  if (begin >= end)
    return true;
  for (; to < self->n && self->spans[to].begin <= end; to++)
    {
      all.begin = self->spans[to].begin < all.begin ? self->spans[to].begin : all.begin;
      all.end = self->spans[to].end > all.end ? self->spans[to].end : all.end;
    }
  return spans_replace (self, from, to, &all, 1);
}

bool
vtr_spans_remove (VtrSpans *self,
                  uint64_t  begin,
                  uint64_t  end)
{
  size_t from = vtr_spans_find (self, begin);
  size_t to = from;
  VtrSpan rest[2];
  size_t n = 0;

  if (begin >= end)
    return true;
  while (to < self->n && self->spans[to].begin < end)
    to++;
  if (from == to)
    return true;
  if (self->spans[from].begin < begin)
    rest[n++] = (VtrSpan){ self->spans[from].begin, begin };
  if (self->spans[to - 1].end > end)
    rest[n++] = (VtrSpan){ end, self->spans[to - 1].end };
  return spans_replace (self, from, to, rest, n);
}

/* The lowest number from @at on with that residue. Returns: false on overflow. */
static bool
spans_align (uint64_t  at,
             uint64_t  alignment,
             uint64_t  residue,
             uint64_t *aligned)
{
  uint64_t step = (residue + alignment - at % alignment) % alignment;

  return !__builtin_add_overflow (at, step, aligned);
}

bool
vtr_spans_find_gap (const VtrSpans *self,
                    uint64_t        size,
                    uint64_t        alignment,
                    uint64_t        residue,
                    uint64_t        limit,
                    uint64_t       *at)
{
  uint64_t place = 0, end;

  if (alignment == 0)
    alignment = 1;
  residue %= alignment;
  for (size_t i = 0; i <= self->n; i++)
    {
      uint64_t free_until = i < self->n ? self->spans[i].begin : limit;

      if (!spans_align (place, alignment, residue, at) || __builtin_add_overflow (*at, size, &end))
        return false;
      if (end <= (free_until < limit ? free_until : limit))
        return true;
      if (i < self->n)
        place = self->spans[i].end;
    }
  return false;
}
