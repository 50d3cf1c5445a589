/* Sets of numbers, stored as sorted ranges: for example the offsets of the bytes that were
 * written. */
#pragma once

#include "vtr-status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct
{
  uint64_t begin, end; /* [begin, end) */
} VtrRange;

/**
 * VtrRangeSet:
 *
 * Ranges in ascending order, none of them empty, with a gap between each and the next. Zero-initialised is
 * empty. Adding a range that overlaps or touches others joins them.
 *
 * A function that changes the set returns false without memory; then the set is as it was. Questions take no
 * memory. Threading: one at a time; questions alone, any number at a time.
 */
typedef struct
{
  VtrRange *ranges;
  size_t n;
  size_t n_allocated;
} VtrRangeSet;

void vtr_range_set_finish (VtrRangeSet *self);

/* Makes @self, which is initialised, equal to @other. */
VTR_MUST_CHECK bool vtr_range_set_copy (VtrRangeSet       *self,
                                        const VtrRangeSet *other);

/* Some of the numbers may be there already. O(n); O(log n) at the end of the set. */
VTR_MUST_CHECK bool vtr_range_set_add (VtrRangeSet *self,
                                       uint64_t     begin,
                                       uint64_t     end);

/* Some of the numbers may be missing. Needs memory only to take out the middle of a range. O(n). */
VTR_MUST_CHECK bool vtr_range_set_remove (VtrRangeSet *self,
                                          uint64_t     begin,
                                          uint64_t     end);

/* Takes out all numbers of @other. O(n + m). */
VTR_MUST_CHECK bool vtr_range_set_subtract (VtrRangeSet       *self,
                                            const VtrRangeSet *other);

/* ---- Many ranges in any order ---- */

/* Like vtr_range_set_add (), in constant time: the set is out of order until vtr_range_set_join (), which has to
 * come before any other function but this one. */
VTR_MUST_CHECK bool vtr_range_set_append (VtrRangeSet *self,
                                          uint64_t     begin,
                                          uint64_t     end);

/* O(n log n). */
void vtr_range_set_join (VtrRangeSet *self);

/* Puts @ranges into the order of a set, in place: sorts them, joins those that overlap or touch, and drops empty
 * ones. Returns: how many are left. O(n log n); O(n) if they are in order. */
size_t vtr_ranges_join (VtrRange *ranges,
                        size_t    n);

/* ---- Questions ---- */

/* Index of the first range that ends after @at; .n: none does. O(log n). */
size_t vtr_range_set_find (const VtrRangeSet *self,
                           uint64_t           at);

/* Whether all of [@begin, @end) is in the set. O(log n). */
bool vtr_range_set_contains (const VtrRangeSet *self,
                             uint64_t           begin,
                             uint64_t           end);

/* Whether any of [@begin, @end) is in the set. O(log n). */
bool vtr_range_set_overlaps (const VtrRangeSet *self,
                             uint64_t           begin,
                             uint64_t           end);

/* Whether the two have a number in common. O(n + m). */
bool vtr_range_set_intersects (const VtrRangeSet *self,
                               const VtrRangeSet *other);

/* The next part of [*@begin, @end) that is in the set: [*@begin, *@stop). To go on, set *@begin to *@stop.
 * Returns: false when there is none; then both mean nothing. O(log n). */
bool vtr_range_set_next_part (const VtrRangeSet *self,
                              uint64_t          *begin,
                              uint64_t           end,
                              uint64_t          *stop);

/* Like vtr_range_set_next_part (), for the next part that is not in the set. */
bool vtr_range_set_next_gap (const VtrRangeSet *self,
                             uint64_t          *begin,
                             uint64_t           end,
                             uint64_t          *stop);

/* The lowest place below @limit where @size numbers are not in the set, with @at % @alignment == @residue.
 * Returns: false when there is none. O(n). */
bool vtr_range_set_find_room (const VtrRangeSet *self,
                              uint64_t           size,
                              uint64_t           alignment,
                              uint64_t           residue,
                              uint64_t           limit,
                              uint64_t          *at);
