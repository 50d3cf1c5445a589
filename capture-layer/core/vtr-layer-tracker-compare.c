/* Compares mapped memory with the bytes last recorded, page by page, so that a capture records
 * only what the program has changed. */
#include "vtr-layer-tracker-compare.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define XXH_INLINE_ALL
#define XXH_NO_STREAM
#include <xxhash.h>

#define COPIES_MAX (512u * 1024u * 1024u) /* of copies in all; beyond, whole pages are taken */
#define GRAIN 64u                         /* bytes that count as changed together */

enum
{
  PAGE_UNKNOWN = 0,
  PAGE_RECORDED = 1,
  PAGE_COPIED = 2,
  PAGE_TAKEN = 3,
};

static _Atomic uint64_t copies; /* bytes */

bool
vtr_layer_pages_init (VtrLayerPages *self,
                      uint64_t       size)
{
  memset (self, 0, sizeof *self);
  self->size = size;
  self->n_pages = size / VTR_LAYER_PAGE + (size % VTR_LAYER_PAGE != 0);
  self->states = calloc (self->n_pages + 1, sizeof *self->states);
  self->hashes = calloc (self->n_pages + 1, sizeof *self->hashes);
  if (self->states == NULL || self->hashes == NULL)
    {
      vtr_layer_pages_finish (self);
      return false;
    }
  if (atomic_fetch_add (&copies, size) + size <= COPIES_MAX)
    {
      /* Not malloc(): takes memory only for the pages that come into use. */
      self->copy = mmap (NULL, size + 1, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (self->copy == MAP_FAILED)
        self->copy = NULL;
    }
  if (self->copy == NULL)
    atomic_fetch_sub (&copies, size);
  return true;
}

void
vtr_layer_pages_finish (VtrLayerPages *self)
{
  if (self->copy != NULL)
    {
      munmap (self->copy, self->size + 1);
      atomic_fetch_sub (&copies, self->size);
    }
  free (self->states);
  free (self->hashes);
  vtr_layer_pagemap_finish (&self->pagemap);
  memset (self, 0, sizeof *self);
}

/* ---- What is mapped ---- */

void
vtr_layer_pages_map (VtrLayerPages *self,
                     uint64_t       offset,
                     uint8_t       *address,
                     uint64_t       size)
{
  self->offset = offset;
  self->address = address;
  self->mapped = size;
}

/* A page of which only a part was mapped is not known as a whole. */
static void
forget_part (VtrLayerPages *self,
             uint64_t       at)
{
  if (at % VTR_LAYER_PAGE != 0 && at < self->size)
    self->states[at / VTR_LAYER_PAGE] = PAGE_UNKNOWN;
}

void
vtr_layer_pages_unmap (VtrLayerPages *self)
{
  forget_part (self, self->offset);
  forget_part (self, self->offset + self->mapped);
  self->mapped = 0;
}

bool
vtr_layer_pages_clip (const VtrLayerPages *self,
                      uint64_t             start,
                      uint64_t             end,
                      uint64_t            *first,
                      uint64_t            *last)
{
  uint64_t mapped_end = self->offset + self->mapped;

  if (start < self->offset)
    start = self->offset;
  if (end > mapped_end)
    end = mapped_end;
  if (self->mapped == 0 || start >= end)
    return false;
  *first = start / VTR_LAYER_PAGE;
  *last = (end - 1) / VTR_LAYER_PAGE;
  return true;
}

/* The part of page @page that is mapped. */
static void
clip_page (const VtrLayerPages *self,
           uint64_t             page,
           uint64_t            *start,
           uint64_t            *end)
{
  uint64_t mapped_end = self->offset + self->mapped;

  *start = page * VTR_LAYER_PAGE;
  *end = *start + VTR_LAYER_PAGE;
  if (*start < self->offset)
    *start = self->offset;
  if (*end > mapped_end)
    *end = mapped_end;
}

/* Writes after this look are found at the next collection. */
static bool
was_never_touched (VtrLayerPages *self,
                   const uint8_t *bytes,
                   uint64_t       size)
{
  return vtr_layer_pagemap_is_untouched (&self->pagemap, self->address,
                                         self->address + self->mapped, bytes, size);
}

/* ---- What has changed ---- */

static uint64_t
hash_bytes (const uint8_t *bytes,
            size_t         size)
{
  uint64_t hash = XXH3_64bits (bytes, size);

  return hash == 0 ? 1 : hash;
}

static void
forget_bytes (VtrLayerPages *self,
              uint64_t       start,
              uint64_t       end)
{
  for (uint64_t page = start / VTR_LAYER_PAGE; page * VTR_LAYER_PAGE < end; page++)
    {
      self->states[page] = PAGE_UNKNOWN;
      self->hashes[page] = 0;
    }
}

/* Hands over the run. */
static void
flush_run (VtrLayerPages *self)
{
  uint64_t start = self->run_start;
  uint64_t end = self->run_end;
  const uint8_t *bytes = self->address + (start - self->offset);
  const bool copied = self->copy != NULL && !self->run_in_place;
  const uint8_t *held = self->run_in_place ? bytes : NULL;
  const uint8_t *taken;

  self->run_end = self->run_start;
  if (start == end)
    return;
  /* The copy itself is recorded, so that later writes to the memory are found next time. */
  if (copied)
    held = memcpy (self->copy + start, bytes, end - start);
  taken = self->sink.take (self->sink.data, start, bytes, held, end - start);
  if (taken == NULL)
    {
      forget_bytes (self, start, end);
      return;
    }
  for (uint64_t page = start / VTR_LAYER_PAGE; page * VTR_LAYER_PAGE < end; page++)
    {
      uint64_t page_start;
      uint64_t page_end;
      bool whole;

      clip_page (self, page, &page_start, &page_end);
      whole = page_start >= start && page_end <= end;
      self->states[page] = copied               ? PAGE_COPIED
                           : self->run_in_place ? PAGE_TAKEN
                                                : PAGE_RECORDED;
      self->hashes[page] = copied || self->run_in_place || !whole
                             ? 0
                             : hash_bytes (taken + (page_start - start), page_end - page_start);
    }
}

static void
grow_run (VtrLayerPages *self,
          uint64_t       start,
          uint64_t       end,
          bool           in_place)
{
  if (self->run_end != start || self->run_start == self->run_end ||
      self->run_in_place != in_place || end - self->run_start > self->sink.most)
    {
      flush_run (self);
      self->run_start = start;
      self->run_in_place = in_place;
    }
  self->run_end = end;
}

void
vtr_layer_pages_leave_out (VtrLayerPages     *self,
                           const VtrRangeSet *ranges)
{
  const VtrRangeSet before = self->left_out;

  self->left_out = ranges != NULL ? *ranges : (VtrRangeSet){ 0 };
  for (size_t i = 0; i < before.n; i++)
    {
      const uint64_t end = before.ranges[i].end;
      uint64_t start = before.ranges[i].begin, stop;

      for (; vtr_range_set_next_gap (&self->left_out, &start, end, &stop); start = stop)
        forget_bytes (self, start, stop);
    }
}

static void
add_to_run (VtrLayerPages *self,
            uint64_t       start,
            uint64_t       end,
            bool           in_place)
{
  for (uint64_t stop; vtr_range_set_next_gap (&self->left_out, &start, end, &stop); start = stop)
    grow_run (self, start, stop, in_place);
}

void
vtr_layer_pages_begin (VtrLayerPages      *self,
                       const VtrLayerSink *sink)
{
  self->sink = *sink;
  self->run_start = self->run_end = 0;
  vtr_layer_pagemap_forget (&self->pagemap);
  self->hashing = false;
  self->ahead = UINT64_MAX;
}

void
vtr_layer_pages_end (VtrLayerPages *self)
{
  flush_run (self);
}

typedef uint64_t Words __attribute__ ((vector_size (16)));

static inline bool
grain_differs (const uint8_t *a,
               const uint8_t *b)
{
  Words x[4];
  Words y[4];
  Words all;

  memcpy (x, a, sizeof x);
  memcpy (y, b, sizeof y);
  all = (x[0] ^ y[0]) | (x[1] ^ y[1]) | (x[2] ^ y[2]) | (x[3] ^ y[3]);
  return (all[0] | all[1]) != 0;
}

static_assert (GRAIN == sizeof (Words[4]) && VTR_LAYER_PAGE / GRAIN == 64, "a bit per grain");

/* Returns: a bit for each grain of up to a page that differs. Fetches the pages that follow, of
 * which the processor cannot know. */
static uint64_t
find_differences (const uint8_t *a,
                  const uint8_t *b,
                  size_t         size,
                  const uint8_t *next_a,
                  const uint8_t *next_b)
{
  uint64_t mask = 0;
  size_t n = size / GRAIN;

  for (size_t i = 0; i < n; i++)
    {
      __builtin_prefetch (next_a + i * GRAIN);
      __builtin_prefetch (next_b + i * GRAIN);
      mask |= (uint64_t)grain_differs (a + i * GRAIN, b + i * GRAIN) << i;
    }
  if (size % GRAIN != 0 && memcmp (a + n * GRAIN, b + n * GRAIN, size % GRAIN) != 0)
    mask |= UINT64_C (1) << n;
  return mask;
}

/* Takes what differs from the copy. */
static bool
take_differences (VtrLayerPages *self,
                  uint64_t       start,
                  uint64_t       end)
{
  const uint8_t *bytes = self->address + (start - self->offset);
  uint64_t next = self->ahead * VTR_LAYER_PAGE;
  bool more = self->ahead < self->n_pages && next >= self->offset &&
              next + VTR_LAYER_PAGE <= self->offset + self->mapped;
  uint64_t mask = find_differences (bytes, self->copy + start, end - start,
                                    more ? self->address + (next - self->offset) : bytes,
                                    self->copy + (more ? next : start));
  bool found = mask != 0;

  while (mask != 0)
    {
      unsigned first = (unsigned)__builtin_ctzll (mask);
      uint64_t rest = ~(mask >> first);
      unsigned n = rest == 0 ? 64 : (unsigned)__builtin_ctzll (rest);
      uint64_t to = start + (uint64_t)(first + n) * GRAIN;

      add_to_run (self, start + (uint64_t)first * GRAIN, to < end ? to : end, false);
      mask = first + n >= 64 ? 0 : mask >> (first + n) << (first + n);
    }
  return found;
}

bool
vtr_layer_pages_check (VtrLayerPages *self,
                       uint64_t       page,
                       bool           written)
{
  uint64_t start;
  uint64_t end;
  const uint8_t *bytes;
  bool found;

  clip_page (self, page, &start, &end);
  bytes = self->address + (start - self->offset);
  if (self->states[page] == PAGE_UNKNOWN)
    {
      if (!written && was_never_touched (self, bytes, end - start))
        return false;
      add_to_run (self, start, end, false);
      return true;
    }

  /* The hash of a page without a copy may be younger than the write that the kernel saw. */
  if ((self->states[page] == PAGE_COPIED ? self->hashing : !written || self->copy == NULL) &&
      self->hashes[page] != 0 && hash_bytes (bytes, end - start) == self->hashes[page])
    return false;
  if (self->states[page] != PAGE_COPIED)
    {
      /* Many pages are written to just after a recording began, and never again. */
      add_to_run (self, start, end,
                  written && self->copy != NULL && self->states[page] == PAGE_RECORDED);
      return true;
    }
  found = take_differences (self, start, end);
  if (found)
    self->hashes[page] = 0;
  else if (self->hashing && self->hashes[page] == 0)
    self->hashes[page] = hash_bytes (self->copy + start, end - start);
  return found;
}

bool
vtr_layer_pages_take (VtrLayerPages *self,
                      uint64_t       page)
{
  uint64_t start;
  uint64_t end;

  clip_page (self, page, &start, &end);
  add_to_run (self, start, end, false);
  return true;
}

void
vtr_layer_pages_adopt (VtrLayerPages *self,
                       uint64_t       page,
                       bool           watched)
{
  uint64_t start;
  uint64_t end;
  const uint8_t *bytes;

  clip_page (self, page, &start, &end);
  bytes = self->address + (start - self->offset);
  /* Pages that are not there yet stay unknown: they are taken when they come. */
  if (!watched && was_never_touched (self, bytes, end - start))
    return;
  self->states[page] = PAGE_RECORDED;
  self->hashes[page] = watched ? 0 : hash_bytes (bytes, end - start);
}

void
vtr_layer_pages_prepare (VtrLayerPages *self,
                         uint64_t       page)
{
  uint64_t start;
  uint64_t end;

  clip_page (self, page, &start, &end);
  if ((self->states[page] == PAGE_RECORDED || self->states[page] == PAGE_TAKEN) &&
      self->hashes[page] == 0)
    self->hashes[page] = hash_bytes (self->address + (start - self->offset), end - start);
}
