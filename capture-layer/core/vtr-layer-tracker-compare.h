/* The bytes of an allocation as last recorded, to find what has changed since.
 *
 * A page is in one of four states: *unknown* (never recorded), *recorded* (recorded, but no copy
 * was kept), *taken* (its first change since the recording began was recorded without a copy;
 * the next one will be copied) or *copied*. With a copy, changes are found to 64 bytes; without
 * one, pages are recorded whole. Hashes make comparing cheaper and replace copies when those
 * would take too much memory.
 *
 * Threading: one at a time per object; the program writes to the memory meanwhile. */
#pragma once

#include "vtr-layer-pagemap.h"

#include "base/vtr-range-set.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VTR_LAYER_PAGE 4096u

/* Takes @size changed bytes, @offset bytes into the allocation. @held: where to read them until the
 * collection has ended: a copy, or @bytes, where a later write is found at the next collection;
 * NULL: copy them now. Returns: @held or the copy, valid until the next call: later changes of the
 * original are found by comparing with it. NULL without memory. */
typedef const uint8_t *(*VtrLayerDirtySink) (void          *data,
                                             uint64_t       offset,
                                             const uint8_t *bytes,
                                             const uint8_t *held,
                                             size_t         size);

typedef struct
{
  VtrLayerDirtySink take;
  void *data;
  size_t most; /* bytes at once; at least a page */
} VtrLayerSink;

typedef struct
{
  uint64_t size;    /* of the allocation */
  uint64_t n_pages; /* the last may be short */
  uint8_t *states;  /* of each page */
  uint64_t *hashes; /* of each page as last recorded; 0: not computed */
  uint8_t *copy;    /* of the allocation; NULL: too large */
  uint64_t offset;  /* mapped part */
  uint64_t mapped;  /* bytes; 0: not mapped */
  uint8_t *address;

  VtrLayerPagemap pagemap;

  VtrRangeSet left_out; /* of vtr_layer_pages_leave_out(), whose caller owns the array */

  /* The collection under way. */
  VtrLayerSink sink;
  bool hashing;       /* comparing everything: hashes are worth their time */
  uint64_t ahead;     /* the page that will be looked at next, if any; else a number too large */
  uint64_t run_start; /* changed bytes that are not handed over yet */
  uint64_t run_end;
  bool run_in_place; /* handed over where they are */
} VtrLayerPages;

/* Returns: false without memory. */
bool vtr_layer_pages_init (VtrLayerPages *self,
                           uint64_t       size);
void vtr_layer_pages_finish (VtrLayerPages *self);

/* The program has [@offset, @offset + @size) of the allocation at @address. */
void vtr_layer_pages_map (VtrLayerPages *self,
                          uint64_t       offset,
                          uint8_t       *address,
                          uint64_t       size);
void vtr_layer_pages_unmap (VtrLayerPages *self);

/* Pages [@first, @last] that hold [@start, @end) of the allocation, as far as it is mapped.
 * Returns: false when nothing is. */
bool vtr_layer_pages_clip (const VtrLayerPages *self,
                           uint64_t             start,
                           uint64_t             end,
                           uint64_t            *first,
                           uint64_t            *last);

/* Bytes of the allocation that are in @ranges are never handed over; its array must stay as it is until after
 * the next call. What was in the set before and is no more is unknown: it may hold anything. NULL: none. */
void vtr_layer_pages_leave_out (VtrLayerPages     *self,
                                const VtrRangeSet *ranges);

/* Changes found by vtr_layer_pages_check() go to @sink, neighbours together, until
 * vtr_layer_pages_end(). */
void vtr_layer_pages_begin (VtrLayerPages      *self,
                            const VtrLayerSink *sink);
void vtr_layer_pages_end (VtrLayerPages *self);

/* Takes the changes in a page. @written: the kernel reported a write; otherwise it is unknown.
 * Returns: whether there were any. */
bool vtr_layer_pages_check (VtrLayerPages *self,
                            uint64_t       page,
                            bool           written);

/* Takes the page, whatever is in it. Returns: true. */
bool vtr_layer_pages_take (VtrLayerPages *self,
                           uint64_t       page);

/* The page's bytes have been recorded elsewhere. @watched: later writes to it will be reported;
 * otherwise it is read, to be compared. */
void vtr_layer_pages_adopt (VtrLayerPages *self,
                            uint64_t       page,
                            bool           watched);

/* The page will have to be compared: makes that possible. Nothing may have changed in it since it was
 * recorded. */
void vtr_layer_pages_prepare (VtrLayerPages *self,
                              uint64_t       page);
