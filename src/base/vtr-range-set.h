/* Sorted, disjoint spans [begin, end) of bytes. Initialise with zeroes. Threading: one at a time. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct
{
  uint64_t begin, end;
} VtrSpan;

typedef struct
{
  VtrSpan *spans;
  size_t n;
  size_t n_allocated;
} VtrSpans;

void vtr_spans_finish (VtrSpans *self);

/* Adds bytes; some may be there already. Returns: false when out of memory. */
bool vtr_spans_add (VtrSpans *self,
                    uint64_t  begin,
                    uint64_t  end);

/* Takes bytes out; some may be missing. Returns: false when out of memory. */
bool vtr_spans_remove (VtrSpans *self,
                       uint64_t  begin,
                       uint64_t  end);

/* Index of the first span that ends after @at; .n: none does. O(log n). */
size_t vtr_spans_find (const VtrSpans *self,
                       uint64_t        at);

/* The lowest place below @limit where @size bytes are free, with @at % @alignment == @residue.
 * Returns: false when there is none. O(n). */
bool vtr_spans_find_gap (const VtrSpans *self,
                         uint64_t        size,
                         uint64_t        alignment,
                         uint64_t        residue,
                         uint64_t        limit,
                         uint64_t       *at);
