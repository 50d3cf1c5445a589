#include "vtr-layer-tracker.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#define XXH_NO_STREAM
#include <xxhash.h>

typedef struct
{
  uint64_t size;    /* of the allocation */
  uint64_t n_pages; /* the last may be short */
  uint64_t *hashes; /* of each page as it was handed over last; 0: never */
  uint64_t offset;  /* mapped part */
  uint64_t mapped;  /* bytes; 0: not mapped */
  uint8_t *address;
} HashState;

static void *
hash_create (uint64_t size)
{
  HashState *self = calloc (1, sizeof *self);

  if (self == NULL)
    return NULL;
  self->size = size;
  self->n_pages = size / VTR_LAYER_PAGE + (size % VTR_LAYER_PAGE != 0);
  self->hashes = calloc (self->n_pages + 1, sizeof *self->hashes);
  if (self->hashes == NULL)
    {
      free (self);
      return NULL;
    }
  return self;
}

static void
hash_destroy (void *state)
{
  HashState *self = state;

  if (self == NULL)
    return;
  free (self->hashes);
  free (self);
}

static void
hash_map (void     *state,
          uint64_t  offset,
          uint8_t  *address,
          size_t    size)
{
  HashState *self = state;

  self->offset = offset;
  self->address = address;
  self->mapped = size;
}

static void
hash_unmap (void *state)
{
  ((HashState *)state)->mapped = 0;
}

static uint64_t
hash_bytes (const uint8_t *bytes,
            size_t         size)
{
  uint64_t hash = XXH3_64bits (bytes, size);

  return hash == 0 ? 1 : hash;
}

/* The part of page @page that is mapped. */
static void
clip_page (const HashState *self,
           uint64_t         page,
           uint64_t        *start,
           uint64_t        *end)
{
  uint64_t mapped_end = self->offset + self->mapped;

  *start = page * VTR_LAYER_PAGE;
  *end = *start + VTR_LAYER_PAGE;
  if (*start < self->offset)
    *start = self->offset;
  if (*end > mapped_end)
    *end = mapped_end;
}

static bool
page_changed (const HashState *self,
              uint64_t         page)
{
  uint64_t start;
  uint64_t end;

  if (self->hashes[page] == 0)
    return true;
  clip_page (self, page, &start, &end);
  return hash_bytes (self->address + (start - self->offset), end - start) != self->hashes[page];
}

/* Hands pages [@first, @last] over and remembers what was handed over. */
static bool
take_pages (HashState         *self,
            uint64_t           first,
            uint64_t           last,
            VtrLayerDirtySink  sink,
            void              *data)
{
  uint64_t start;
  uint64_t end;
  uint64_t unused;
  const uint8_t *copy;

  clip_page (self, first, &start, &unused);
  clip_page (self, last, &unused, &end);
  copy = sink (data, start, self->address + (start - self->offset), end - start);
  if (copy == NULL)
    return false;
  for (uint64_t page = first; page <= last; page++)
    {
      uint64_t page_start;
      uint64_t page_end;

      clip_page (self, page, &page_start, &page_end);
      self->hashes[page] = hash_bytes (copy + (page_start - start), page_end - page_start);
    }
  return true;
}

static void
hash_collect (void              *state,
              uint64_t           offset,
              uint64_t           size,
              size_t             most,
              VtrLayerDirtySink  sink,
              void              *data)
{
  HashState *self = state;
  uint64_t most_pages = most / VTR_LAYER_PAGE;
  uint64_t start = offset < self->offset ? self->offset : offset;
  uint64_t end = self->offset + self->mapped;
  uint64_t page;
  uint64_t last;

  if (size < end && offset < end - size)
    end = offset + size;
  if (self->mapped == 0 || start >= end || most_pages == 0)
    return;

  last = (end - 1) / VTR_LAYER_PAGE;
  for (page = start / VTR_LAYER_PAGE; page <= last; page++)
    {
      uint64_t first = page;

      if (!page_changed (self, page))
        continue;
      while (page < last && page - first + 1 < most_pages && page_changed (self, page + 1))
        page++;
      if (!take_pages (self, first, page, sink, data))
        return;
    }
}

const VtrLayerTracker vtr_layer_tracker_hash = {
  .name = "page hash",
  .cost = "reads all mapped memory at every submission",
  .create = hash_create,
  .destroy = hash_destroy,
  .map = hash_map,
  .unmap = hash_unmap,
  .collect = hash_collect,
};
